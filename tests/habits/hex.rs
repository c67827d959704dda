//! Pasted hex text: detection of its content, and errors.

use super::{typed, typed_with, words};
use crate::common::{Run, run_with};

/// Whether a text on standard input is listed in lines with these endings.
fn assert_listed(options: &str, text: &str, expected: &[&str]) {
    let done = typed_with(&format!("-l {options}"), text.as_bytes());
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(
        (done.code, done.err.as_str(), lines.len()),
        (0, "", expected.len()),
        "{options} {text}\n{}{}",
        done.out,
        done.err
    );
    for (line, end) in lines.iter().zip(expected) {
        assert!(line.ends_with(end), "{text}: {line:?} should end with {end:?}");
    }
}

const HELLO: &str = "connection_accepted, en 1.33";
/// The greeting of a Pip-Boy, which no other protocol begins with.
const GREETING: &[u8] = b"\x1f\0\0\0\x01{\"lang\":\"en\",\"version\":\"1.33\"}\n";

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_greeting_is_recognised_however_it_is_pasted() {
    let hex = spaced(GREETING);
    let stream = hex.replace(' ', "");
    let decimal = GREETING.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let texts = [
        hex.clone(),
        stream.clone(),
        hex.to_uppercase(),
        hex.replace(' ', ":"),
        hex.replace(' ', "-"),
        hex.replace(' ', ", "),
        hex.replace(' ', "\n"),
        format!("0x{}", hex.replace(' ', ", 0x")),
        format!("\\x{}", hex.replace(' ', "\\x")),
        format!("0x{stream}"),
        format!("recv: {hex}"),
        format!("[12:00:01.5] RECV 36 bytes: {hex}\n"),
        format!("2024-01-31 12:00:01.5 DEBUG net <- {stream}"),
        format!("What is this?\n\n{stream}\n\nThanks!\n"),
        format!("data = \"{stream}\""),
        format!("bytes.fromhex('{hex}')"),
        format!("b'{stream}'"),
        format!("<Buffer {hex}>"),
        format!("[{decimal}]"),
        decimal.clone(),
        format!("{{\"type\":\"Buffer\",\"data\":[{decimal}]}}"),
        format!("byte[] b = new byte[] {{ {decimal} }};"),
        format!("<<{}>>", decimal.replace(' ', "")),
        format!("%{}", hex.replace(' ', "%")),
        "%1F%00%00%00%01%7B%22lang%22%3A%22en%22%2C%22version%22%3A%221.33%22%7D%0A".to_owned(),
        r#"b'\x1f\x00\x00\x00\x01{"lang":"en","version":"1.33"}\n'"#.to_owned(),
        r#"read(3, "\37\0\0\0\1{\"lang\":\"en\",\"version\":\"1.33\"}\n", 4096) = 36"#.to_owned(),
        r#"$1 = "\037\000\000\000\001{\"lang\":\"en\",\"version\":\"1.33\"}\n""#.to_owned(),
        r#"{0x1f, 0x0 <repeats 3 times>, 0x1, 0x7b, 0x22, 0x6c, 0x61, 0x6e, 0x67, 0x22, 0x3a, 0x22, 0x65, 0x6e, 0x22, 0x2c, 0x22, 0x76, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x22, 0x3a, 0x22, 0x31, 0x2e, 0x33, 0x33, 0x22, 0x7d, 0xa}"#.to_owned(),
        r#"msg db 1Fh, 3 dup(0), 1, '{"lang":"en","version":"1.33"}', 0Ah"#.to_owned(),
    ];
    for text in texts {
        assert_listed("", &text, &[HELLO]);
    }
}

#[test]
fn dumps_with_addresses_are_read_from_the_first_one() {
    let rows = |row: &dyn Fn(usize, &[u8]) -> String, size| -> String {
        GREETING.chunks(size).enumerate().map(|(number, bytes)| row(number * size, bytes) + "\n").collect()
    };
    let text = |bytes: &[u8]| -> String {
        bytes.iter().map(|byte| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' }).collect()
    };
    let prefixed = |bytes: &[u8]| bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join("\t");
    let word = |bytes: &[u8]| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
    let dumps = [
        rows(&|at, bytes| format!("{:08x}  {:<47}  {}", at + 0x7f8a_1000, spaced(bytes), text(bytes)), 16),
        rows(&|at, bytes| format!("0x55555555{:04x} <msg+{at}>:\t{}", at + 0x10, prefixed(bytes)), 8),
        rows(&|at, bytes| format!("00007ff6`{:08x}  {:<47}  {}", at + 0x1000, spaced(bytes), text(bytes)), 16),
        rows(&|at, bytes| format!(".rdata:{:08X}  {}", at + 0x40_2000, spaced(bytes)), 16),
        rows(
            &|at, bytes| format!("{:08x}: {:<35}  {}", at, bytes.chunks(4).map(word).collect::<Vec<_>>().join(" "), text(bytes)),
            16,
        ),
        rows(&|at, bytes| format!("{:08x}: {}", at, spaced(bytes).replace(' ', "  ")), 16),
    ];
    for dump in dumps {
        assert_listed("", &dump, &[HELLO]);
    }
}

#[test]
fn conversations_are_read_back_from_yaml_and_raw() {
    let columns = "-T fields -e message.dir -e message.name --messages";
    let printed = typed(&format!("{columns} -Y tcp.stream==0 samples/pipboy.pcap")).out;
    assert!(printed.lines().count() > 50);
    for form in ["yaml", "hex"] {
        let text = typed(&format!("follow samples/pipboy.pcap -s tcp/0 -T {form}")).out;
        let again = typed_with(columns, text.as_bytes());
        assert_eq!((again.code, again.err.as_str(), again.out.as_str()), (0, "", printed.as_str()), "{form}");
    }
    let raw = "====\nFollow: tcp,raw\nFilter: tcp.stream eq 0\nNode 0: 10.0.0.1:5000\nNode 1: 10.0.0.2:27000\n\t";
    let raw = format!("{raw}{}\n0000000000\n", spaced(GREETING).replace(' ', ""));
    assert_listed("", &raw, &[HELLO, "heartbeat"]);
}

#[test]
fn packets_of_a_log_keep_their_times_and_directions() {
    let log = "10:15:14.5 recv: 00 00 00 00 00\nnothing to do\n10:15:15.5 send: 00 00 00 00 00\n";
    let done = typed_with("--as pipboy -e message.dir -e frame.time_relative --messages", log.as_bytes());
    assert_eq!((done.out.as_str(), done.err.as_str()), ("s2c\t0.000000000\nc2s\t1.000000000\n", ""));
}

/// An IPv4 packet with this header checksum.
fn ipv4(checksum: &str) -> String {
    format!("4500001d00010000 4011{checksum} c0000201 c0000202 0007000700090000 61")
}

#[test]
fn an_unfilled_checksum_is_no_obstacle() {
    let ethernet = |checksum: &str| format!("020000000002020000000001 0800 {}", ipv4(checksum));
    for text in [ipv4("f6cb"), ipv4("0000"), ipv4("1234"), ethernet("0000"), ethernet("1234")] {
        let done = typed_with("-e ip.src -e udp.dstport", text.as_bytes());
        assert_eq!((done.out.as_str(), done.err.as_str()), ("192.0.2.1\t7\n", ""), "{text}");
        let noted = typed_with("-Y ip.checksum.bad -e ip.src", text.as_bytes()).out;
        assert_eq!(noted.is_empty(), text.contains("f6cb"), "{text}: {noted}");
    }
    // An invalid length is not IPv4.
    let wrong = ipv4("1234").replace("001d", "001f");
    assert_eq!(typed_with("-e _ws.col.Protocol", wrong.as_bytes()).out, "Data\n");
}

#[test]
fn malformed_messages_are_data() {
    for text in ["23 00 00 00 01", "00 00 00 00 00 00 02 00 00 00 00 01", "00 00 00 01 00 01 00 00"] {
        let done = typed_with("-e _ws.col.Protocol -e _ws.expert.severity", text.as_bytes());
        assert_eq!(done.out, "Data\t\n", "{text}");
    }
}

#[test]
fn candidates_are_explained() {
    let done = typed_with("-q --explain-input", ipv4("0000").as_bytes());
    let reasons: Vec<&str> = done.err.lines().collect();
    assert!(reasons[0].contains("bare hex digits"), "{}", done.err);
    assert!(reasons[1].contains("packet 1: read as IPv4: version 4, lengths and the UDP header fit"), "{}", done.err);
    assert!(reasons[1].contains("the checksum is 0x0000, expected 0xf6cb"), "{}", done.err);
    assert!(reasons[2].contains("packet 1: not Ethernet: its type would be 0xc000"), "{}", done.err);
    let done = typed_with("-q --explain-input", b"23 00 00 00 01");
    assert!(done.err.contains("read as data: no protocol is certain"), "{}", done.err);
    for candidate in ["or pipboy: the bytes may be the beginning of a stream; --as pipboy", "or dns, which is found by port"] {
        assert!(done.err.contains(candidate), "{}", done.err);
    }
}

/// Options, text on standard input, exit code, words of the message.
const MISTAKES: &[(&str, &str, i32, &str)] = &[
    ("", "23 00 0\n", 5, "line 1, column 7: a single hex digit; expected two for each byte"),
    ("", "23 00 01 7b\n22 6c 6g", 5, "line 2, column 8: `g` is not a hex digit"),
    ("", "23:00:1:00", 5, "line 1, column 7: a single hex digit"),
    ("", "0010  23 00\n0011  01\n", 5, "line 2, column 1: the offset is 0011, but 2 bytes (0x2) came before it"),
    ("", "0000  23 00\n0002  0x\n", 5, "line 2, column 8: `x` is not a hex digit"),
    ("", "00000000: 2300 017\n", 5, "line 1, column 18: a single hex digit"),
    ("", "00000000  23 00\n\n00000005\n", 5, "line 3, column 1: the offset is 00000005, but 2 bytes"),
    ("", "00000000: 2300\n00000002 01\n", 5, "line 2, column 1: a dump that is not written as the lines before it"),
    ("", "{ 0x23, 0x24\n", 5, "line 2, column 1: the text ends before a closing }"),
    ("", "{ 0x23, 35 }", 5, "line 1, column 9: expected a byte such as 0x23"),
    ("", "{ 0x23, 0x }", 5, "line 1, column 11: expected hex digits after 0x"),
    ("", "\\x23\\x0", 5, "line 1, column 7: expected two hex digits after \\x"),
    ("", "\\x23\\x00zz", 5, "line 1, column 9: `z` between escapes"),
    ("", "b'\\x23' b'\\x24\n", 5, "line 2, column 1: the text ends before a closing '"),
    (
        "",
        "AAAAAAAAAgAAAAABCABFAAA6AAEAAEARZrAKAAABCgAAAhOIaXgAJgAAIwAAAAF7\nI*==",
        5,
        "line 2, column 2: `*` cannot stand here in base64",
    ),
    ("", "recv: 05 00 0b\nrecv: 05 0\n", 5, "line 2, column 10: a single hex digit"),
    ("", "hello\nrecv: 05 00 0b xyz\n", 4, "line 2, column 16: `x` is not a hex digit"),
    ("", "recv: 05 00 0b\n0000  05 00\n", 5, "line 2, column 1: a row of a dump among lines of a log"),
    ("", "23 00 0g\n", 4, "line 1, column 8: `g` is not a hex digit"),
    ("", "0000  23 00\n0003  01\n", 5, "line 2, column 1: the offset is 0003, but 2 bytes (0x2) came before it"),
    ("", "0000  23 00\n000g  01\n", 5, "line 2, column 1: expected a row of the dump"),
    ("", "0000  23 00   xy\n", 5, "line 1, column 15: `x` is not a hex digit, and no text column shows these bytes"),
    ("", "0000  23 00  01 0g\n", 5, "line 1, column 18: `g` is not a hex digit"),
    ("", "0000  23 00\n01 02\n", 5, "line 2, column 1: expected a row of the dump"),
    ("", "recv: 05 00 0g 01\n", 4, "line 1, column 14: `g` is not a hex digit"),
    ("", "recv: 05 00 01 02 ...\n", 4, "line 1, column 19: `.` is not a hex digit"),
    ("", "[35, 0, 300, 1]", 4, "line 1, column 9: 300 is no byte; expected -128 to 255"),
    ("", "[35, 0, 0, 1", 5, "the text ends before a closing ]"),
    ("", "{0x23, ...}", 5, "line 1, column 8: bytes are left out here"),
    ("", "{0x23, 0x1g}", 5, "line 1, column 11: `g` is not a hex digit"),
    ("", "%23%0", 4, "line 1, column 5: expected two hex digits after %"),
    ("", "db 23h, 300h\n", 4, "line 1, column 9: a number of more than 1 bytes"),
    ("", "db 23h, ?\n", 4, "line 1, column 9: `?` is a byte without a value"),
    ("", "00007ff6`12340000  23 00 ?? ??\n", 4, "line 1, column 26: `?` is a byte that could not be read"),
    ("", "00000000: 04030201 08070605  ........\n", 5, "in order (xxd -g4) or reversed (xxd -e); use xxd -g1"),
    ("", "packets:\n  - packet: 1\n    peer: 0\n    data: hello\n", 5, "line 4, column 11: expected `!!binary |`"),
    ("", "Follow: tcp,ascii\n", 4, "line 1, column 1: this form of Follow Stream has lost bytes"),
    ("", "0000000 000043 000000 075401 066042\n", 4, "line 1, column 9: octal numbers"),
    ("", "hello world\n", 4, "plain text without hex"),
    ("", "", 4, "the input is empty"),
    ("--hex 2300000", "", 5, "--hex: before the first frame: line 1, column 7: a single hex digit"),
    ("--as nope", "23", 2, "unknown protocol \"nope\""),
    ("--link nope", "23", 2, "unknown link type"),
    ("--port tcp", "23", 2, "expected tcp:PORT or udp:PORT"),
    ("--input-format pcap", "23 00", 4, "this is text, but --input-format is pcap"),
];

#[test]
fn each_mistake_in_hex_is_a_line() {
    for (options, text, code, expected) in MISTAKES {
        let arguments = words(&format!("-l {options}"));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let Run { code: exit, out, err } = run_with(&arguments, text.as_bytes());
        assert_eq!((exit, out.as_str()), (*code, ""), "{options} {text}\n{err}");
        assert!(err.contains(expected) && err.lines().count() == 1, "{options} {text}: {expected:?} is missing from\n{err}");
    }
}
