//! Hex text as a whole: every dialect, and errors.

mod generated;
mod lists;
mod writers;

use crate::input::samples::{Owned, drain, drain_slowly, open, try_drain};
use crate::input::{Format, Link, OpenError, Timestamp};
use crate::tree::Side;
use crate::wire::trial;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use writers::{COMMUNITY, DOUBTFUL, PACKET, PRINTED, WRITERS, Writer};

fn read(text: &str) -> (Vec<Owned>, Option<String>) {
    let (frames, error) = drain(text.as_bytes());
    let error = error.map(|error| {
        assert_eq!(error.code, "hex");
        error.to_string()
    });
    (frames, error)
}

fn bytes(frames: &[Owned]) -> Vec<&[u8]> {
    frames.iter().map(|frame| &frame.bytes[..]).collect()
}

fn all_writers() -> impl Iterator<Item = &'static Writer> {
    WRITERS.iter().chain(COMMUNITY).chain(DOUBTFUL)
}

/// PACKET as a tool writes it.
fn written(tool: &str) -> String {
    all_writers().chain(PRINTED).find(|(name, _)| *name == tool).unwrap().1(&PACKET)
}

#[test]
fn the_same_packet_comes_out_of_every_dialect() {
    for (name, write) in all_writers().chain(PRINTED) {
        let text = write(&PACKET);
        let bom = format!("\u{feff}{text}");
        for text in [text.trim_end(), &text.replace('\n', "\r\n"), &bom, &text] {
            let (frames, error) = read(text);
            assert_eq!(error, None, "{name}\n{text}");
            assert_eq!(bytes(&frames), [PACKET], "{name}\n{text}");
            assert_eq!(drain_slowly(text.as_bytes()).0, frames, "{name}");
        }
    }
    assert_eq!(whole(&written("xxd").to_uppercase()).unwrap(), PACKET);
}

#[test]
fn squeezed_lines_are_restored() {
    for text in [
        "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n00000030  01  |.|\n00000031\n",
        "0000000 0000 0000 0000 0000 0000 0000 0000 0000\n*\n0000030 0001\n0000031\n",
        "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n*\n00000030: 01  .\n",
    ] {
        let (frames, error) = read(text);
        assert_eq!(error, None);
        assert_eq!(frames[0].bytes, [&[0; 48][..], &[1]].concat());
    }
    // Octal, the last offset is that of the bytes before `*`.
    let zeros = "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n00000020\n";
    assert_eq!(bytes(&read(zeros).0), [[0; 32]]);
    let huge = "00000000: 00 00\n*\nffffffff: 01\n";
    assert!(read(huge).1.unwrap().contains("more than 16777216 bytes"));
}

#[test]
fn an_ascii_column_that_looks_like_hex_is_no_data() {
    let text = "00000000: 3031 3233 3435  012345\n00000006: 6120 3062  a 0b\n";
    assert_eq!(bytes(&read(text).0), [b"012345a 0b"]);
    let text = "0000  61 62 20 63 64   ab cd\n\n0000  20 20 20 61      a\n";
    assert_eq!(bytes(&read(text).0), [&b"ab cd"[..], b"   a"]);
}

#[test]
fn offsets_going_back_to_zero_begin_a_packet() {
    let (frames, error) = read("0000  23 00\n0002  01\n0000  24\n");
    assert_eq!((bytes(&frames), error), (vec![&[0x23, 0, 1][..], &[0x24]], None));
    assert_eq!((frames[0].number, frames[1].number), (1, 2));
}

#[test]
fn each_pair_of_braces_is_a_packet() {
    let (frames, _) = read("u8 a[1] = { 0x23 }; u8 b[] = { 0x1, /* 0x99 */ 0x24 };\n// 0x77\nint b_len = 2;\n");
    assert_eq!(bytes(&frames), [&[0x23][..], &[1, 0x24]]);
}

#[test]
fn string_literals_know_their_escapes() {
    let (frames, error) = read(r#"b'\x00\n\t\\\'"a'"#);
    assert_eq!((bytes(&frames), error), (vec![&b"\0\n\t\\'\"a"[..]], None));
    // Each complete literal of Python is a packet; the text of a call is, if a result follows.
    let (frames, _) = read("b'\\x01\\x02'\nb'\\x03'\nprint(b'\\x04'\n  b'\\x05')\n");
    assert_eq!(bytes(&frames), [&[1, 2][..], &[3], &[4, 5]]);
    let (frames, _) = read("send(3, \"\\x01\\x02\", 2, 0) = 2\nsend(3, \"\\x03\", 1, 0) = 1\n");
    assert_eq!(bytes(&frames), [&[1, 2][..], &[3]]);
    let (frames, _) = read("char a[] = \"\\x23\\0\\177z\" /* no */\n  \"y\";\nchar b[] = \"\\x24\";\n");
    assert_eq!(bytes(&frames), [&b"\x23\0\x7fzy"[..], b"\x24"]);
}

#[test]
fn parts_that_tshark_shows_again_are_left_out() {
    let text = "Frame (2 bytes):\n0000  23 00   #.\nReassembled TCP (3 bytes):\n0000  aa 23 00   .#.\n\n0000  24   $\n";
    assert_eq!(bytes(&read(text).0), [&[0x23, 0][..], &[0x24]]);
}

#[test]
fn packets_before_a_mistake_are_kept() {
    let (frames, error) = read("0000  23 00\n\n0000  24 00\n0002  zz\n");
    assert_eq!(bytes(&frames), [[0x23, 0]]);
    assert!(error.unwrap().starts_with("line 4, column 7"));
}

#[test]
fn a_dump_may_begin_at_any_offset() {
    for text in [
        "0010  23 00\n0012  01\n",
        "00000010: 2300 01  #..\n",
        "00000010  23 00 01                                         |#..|\n00000013\n",
        "0000010 0023 0001\n0000013\n",
        "0000020 23 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00\n0000040 01\n0000041\n",
    ] {
        let (frames, error) = read(text);
        assert_eq!((error, frames.len()), (None, 1), "{text}");
        assert!(frames[0].bytes.starts_with(&[0x23, 0, 1]), "{text}");
    }
    let (frames, error) = read("000e  23 00\n0010  01\n\n000e  24\nin between\n0000  25\n");
    assert_eq!((bytes(&frames), error), (vec![&[0x23, 0, 1][..], &[0x24], &[0x25]], None));
    let (frames, error) = read("000e  23 00\n0010  01\nin between\n000f  24\n");
    assert_eq!(bytes(&frames), [[0x23, 0, 1]]);
    assert!(error.unwrap().ends_with("expected offset 0 or 0xe"));
    let damaged = open(b"000g: 2300 017b 226c  #..{\"l, and so on\n0006: 2300\n").err().unwrap().to_string();
    assert!(damaged.starts_with("line 2, column 1: the dump begins at offset 0x6, and a line above looks like"), "{damaged}");
    assert_eq!(bytes(&read("0000010 3412 7856\n*\n0000018\n").0), [b"\x12\x34\x56\x78\x12\x34\x56\x78"]);
}

#[test]
fn prose_around_packets_is_passed_over() {
    let text = "On Monday I saw this:\n\n0000  23 00\n0002  01\nand then, after 20 more,\nthis:\n0000  24 00\n# a comment\n0002  02\nBye.\n";
    let (frames, error) = read(text);
    assert_eq!((bytes(&frames), error), (vec![&[0x23, 0, 1][..], &[0x24, 0, 2]], None));
    assert!(frames.iter().all(|frame| frame.time.is_none() && frame.direction.is_none()));
    let (frames, error) = read("0000  23 00\n0002  01 02\n00o4  03 04\n0006  05\n");
    assert!(frames.is_empty());
    assert!(error.unwrap().starts_with("line 3, column 1: expected a row of the dump"));
}

#[test]
fn times_and_directions_are_kept() {
    let at = |seconds| Timestamp { seconds, nanos: 500_000_000 };
    let (frames, _) = read("O\n1706702400.5\n0000  23 00\n0000  24 00\nI 0000  25 00\n2024-01-31 12:00:00.25 0000  26 00\n");
    let marks: Vec<_> = frames.iter().map(|frame| (frame.time.map(|time| time.nanos), frame.direction)).collect();
    assert_eq!(
        marks,
        [(Some(500_000_000), Some(Side::Client)), (None, None), (None, Some(Side::Server)), (Some(250_000_000), None)]
    );
    let (frames, _) = read("10:15:14.5\n2300\nO 10:15:15.5\n24\n00\n");
    assert_eq!(bytes(&frames), [[0x23, 0], [0x24, 0]]);
    assert_eq!(frames.iter().map(|frame| frame.time.unwrap()).collect::<Vec<_>>(), [at(36_914), at(36_915)]);
}

/// PACKET without its link header.
const BARE: &str = "\
22:13:20.000005 IP 10.0.0.1.5000 > 10.0.0.2.27000: UDP, length 30
\t0x0000:  4500 003a 0001 0000 4011 66b0 0a00 0001  E..:....@.f.....
\t0x0010:  0a00 0002 1388 6978 0026 0000 2300 0000  ......ix.&..#...
\t0x0020:  017b 226c 616e 6722 3a22 656e 222c 2276  .{\"lang\":\"en\",\"v
\t0x0030:  6572 7369 6f6e 223a 2231                 ersion\":\"1
";

#[test]
fn tcpdump_without_the_link_header_is_ip() {
    let shown = |text: &str| {
        let (frames, error) = read(text);
        assert_eq!(error, None);
        frames.into_iter().map(|frame| (frame.link, frame.bytes)).collect::<Vec<_>>()
    };
    let ip = (Link::Type(101), PACKET[14..].to_vec());
    assert_eq!(shown(BARE), std::slice::from_ref(&ip));
    let ethernet = written("tcpdump -xx");
    assert_eq!(
        shown(&format!("{BARE}{ethernet}\n{BARE}")).iter().map(|(link, _)| *link).collect::<Vec<_>>(),
        [Link::Type(101), Link::Unknown, Link::Type(101)]
    );
    let (_, alone) = BARE.split_once('\n').unwrap();
    assert_eq!(shown(alone), [ip]);
    // Checksum offloading leaves an invalid checksum; the line above has the protocol.
    let unsummed = BARE.replace("66b0", "0000");
    assert_eq!(shown(&unsummed)[0].0, Link::Type(101));
    assert_eq!(shown(unsummed.split_once('\n').unwrap().1)[0].0, Link::Unknown);
    let verbose = unsummed.replace("UDP, length 30\n", "(tos 0x0)\n    more words\n");
    assert_eq!(shown(&verbose)[0].0, Link::Type(101));
    let arp = "22:13:20.5 ARP, Request who-has 10.0.0.2\n\t0x0000:  0001 0800 0604 0001\n";
    assert_eq!(shown(arp)[0].0, Link::Unknown);
}

#[test]
fn prose_is_not_recognised() {
    for text in [
        "It was a bright cold day in April, and the clocks were striking thirteen.\n",
        "# only a comment\n",
        "{\"json\": [1, 2]}\n",
        "face the facade\n",
        "#include <stdio.h>\nint main() { return 0; }\n",
    ] {
        assert!(matches!(open(text.as_bytes()), Err(OpenError::Unrecognised { .. })), "{text}");
    }
}

const FOLLOW: &str = "\
00000000  47 45 54 20 2f 20 48 54  54 50 2f 31 2e 30 0d 0a GET / HT TP/1.0..
00000010  0d 0a                                            ..
    00000000  48 49                                            HI
    00000002  0a                                               .
00000012  62 79                                            by
";

#[test]
fn a_follow_stream_dump_is_a_conversation() {
    let tshark = FOLLOW.replace("    00", "\t00").replace(" GET / HT TP", "  GET / HT TP").replace(" ..\n", "  ..\n");
    let framed = format!("\n=====\nFollow: tcp,hex\nNode 0: 10.0.0.1:5000\n{tshark}=====\n");
    for text in [FOLLOW, &FOLLOW.replace('\n', "\r\n"), &framed] {
        assert_eq!(open(text.as_bytes()).unwrap().format(), Format::FollowStream);
        let (frames, error) = read(text);
        assert_eq!(error, None);
        assert_eq!(bytes(&frames), [&b"GET / HTTP/1.0\r\n\r\n"[..], b"HI\n", b"by"]);
        let links: Vec<_> = frames.iter().map(|frame| frame.link).collect();
        assert_eq!(links, [Side::Client, Side::Server, Side::Client].map(Link::Stream));
    }
}

#[test]
fn bytes_before_a_hole_in_a_conversation_are_kept() {
    let (frames, error) = read(&FOLLOW.replace("    00000002", "    00000003"));
    assert_eq!(bytes(&frames), [&b"GET / HTTP/1.0\r\n\r\n"[..], b"HI"]);
    assert_eq!(error.unwrap(), "line 4, column 5: the offset is 00000003, but this side has sent 0x2 bytes so far");
}

#[test]
fn a_cut_text_never_invents_bytes() {
    let printed = PRINTED.iter().map(|(name, write)| (*name, write(&PACKET)));
    for (name, text) in printed.chain([("follow", FOLLOW.to_owned())]) {
        let text = &text;
        let whole: Vec<u8> = read(text).0.concat_bytes();
        // Less than the first line with data may match another dialect.
        for cut in (text.len() / 4..text.len()).step_by(7) {
            let Some(cut) = text.get(..cut) else { continue };
            let Ok(_) = open(cut.as_bytes()) else { continue };
            let part = drain(cut.as_bytes()).0.concat_bytes();
            // Without braces, a digit may be truncated from a number unnoticed.
            let unseen = !cut.contains('{') && cut.bytes().rev().nth(1) == Some(b'x');
            assert!(unseen || whole.starts_with(&part), "{name} cut to {cut}");
        }
    }
}

trait ConcatBytes {
    fn concat_bytes(&self) -> Vec<u8>;
}

impl ConcatBytes for Vec<Owned> {
    fn concat_bytes(&self) -> Vec<u8> {
        self.iter().flat_map(|frame| frame.bytes.iter().copied()).collect()
    }
}

/// All bytes of a text, or the error.
fn whole(text: &str) -> Result<Vec<u8>, String> {
    match try_drain(text.as_bytes()) {
        Ok((frames, None)) => Ok(frames.concat_bytes()),
        Ok((_, Some(error))) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn seven_bytes_stay_seven_in_groups_of_four() {
    let seven = b"#\0\0\x01{\"l";
    for text in [
        "00000000: 23000001  7b226c",
        "00000000: 23000001  7b226c  #...{\"l",
        "00000000: 01000023   6c227b                    #...{\"l",
        "0000  23 00 00 01  7b 22 6c",
        "23000001  7b226c",
    ] {
        assert_eq!(whole(text).as_deref(), Ok(&seven[..]), "{text}");
    }
}

#[test]
fn the_order_within_groups_is_known_from_the_text_or_refused() {
    assert_eq!(whole("00000000: 04030201 64636261  ....abcd\n").unwrap(), b"\x01\x02\x03\x04abcd");
    assert_eq!(whole("00000000: 01020304 61626364  ....abcd\n").unwrap(), b"\x01\x02\x03\x04abcd");
    // The second row determines the order of the first.
    let rows = "00000000: 04030201 08070605  ........\n00000008: 64636261 00000000  abcd....\n";
    assert_eq!(whole(rows).unwrap(), b"\x01\x02\x03\x04\x05\x06\x07\x08abcd\0\0\0\0");
    let error = whole("00000000: 04030201 08070605  ........\n").unwrap_err();
    assert!(error.starts_with("line 2, column 1: the text column does not show whether"), "{error}");
    assert_eq!(whole("00000000: 04030201 08070605\n").unwrap(), [4, 3, 2, 1, 8, 7, 6, 5]);
}

#[test]
fn a_conversation_in_yaml_or_raw_keeps_its_sides() {
    let raw = "====\nFollow: tcp,raw\nFilter: tcp.stream eq 0\nNode 0: 10.0.0.1:5000\nNode 1: 10.0.0.2:80\n\t2300\n2401\n====\n";
    let yaml = "peers:\n  - peer: 0\n    host: ::1\npackets:\n  - packet: 1\n    peer: 1\n    data: !!binary |\n      IwA=\n  \
                - packet: 2\n    peer: 0\n    index: 0\n    timestamp: 7.5\n    data: !!binary |\n      JAE=\n";
    for text in [raw, yaml] {
        let (frames, error) = read(text);
        assert_eq!((bytes(&frames), error), (vec![&[0x23, 0][..], &[0x24, 1]], None));
        assert_eq!(frames.iter().map(|frame| frame.link).collect::<Vec<_>>(), [Side::Server, Side::Client].map(Link::Stream));
    }
    assert_eq!(read(yaml).0[1].time, Some(Timestamp { seconds: 7, nanos: 500_000_000 }));
    // Comments, empty lines and rulers are no part of the document.
    let commented = yaml
        .replace("packets:\n", "# two packets\n\n====\npackets:\n")
        .replace("    peer: 0\n", "    # the client\n    peer: 0\n");
    assert_eq!(bytes(&read(&commented).0), bytes(&read(yaml).0));
    let datagrams = read(&raw.replace("tcp,raw", "udp,raw")).0;
    assert!(datagrams.iter().all(|frame| frame.link == Link::Unknown && frame.direction.is_some()));
    for (text, wanted) in [
        (yaml.replace("JAE=", "J*E="), "line 14, column 8: `*` cannot stand here in base64"),
        (yaml.replace("peer: 1\n    data", "peer: 2\n    data"), "line 6, column 11: expected peer 0"),
        (yaml.replace("    data: !!binary |\n      IwA=\n", ""), "line 7, column 3: the packet above has no data"),
        (raw.replace("2401", "240"), "line 7, column 3: a single hex digit"),
        (raw.replace("tcp,raw", "tcp,ascii"), "line 2, column 1: this form of Follow Stream has lost bytes"),
    ] {
        let error = whole(&text).unwrap_err();
        assert!(error.starts_with(wanted), "{error}");
    }
}

#[test]
fn a_log_gives_a_packet_for_each_line_with_its_time_and_direction() {
    let text = "server started\n[10:15:14.5] recv: 05 00 0b\nnothing here\n[10:15:15.5] send: 06 01\n  0c 0d\n\nbye\n";
    let (frames, error) = read(text);
    assert_eq!((bytes(&frames), error), (vec![&[5, 0, 11][..], &[6, 1, 12, 13]], None));
    let marks: Vec<_> = frames.iter().map(|frame| (frame.time.unwrap().seconds, frame.direction.unwrap())).collect();
    assert_eq!(marks, [(36_914, Side::Server), (36_915, Side::Client)]);
}

#[test]
fn a_damaged_row_at_the_end_is_no_prose() {
    for text in [
        "0000  23 00\n000g  01\n",
        "0000  23 00\n  01 02\n",
        "00000000: 2300 017b  #..{\n0000000g: 226c  \"l\n",
        "0000  23 00  01 0g\n",
        "0000  23 00  0g 01\n",
        "00000000  23 00 | 01 0g |\n",
    ] {
        assert!(whole(text).is_err(), "{text}: {:?}", whole(text));
    }
}

#[test]
fn bits_with_offsets_are_recognized_by_their_text() {
    assert_eq!(whole("00000000: 00100011 00000000  #.\n").unwrap(), [0x23, 0]);
    assert_eq!(whole("00000000: 30303030 30303030  00000000\n").unwrap(), b"00000000");
}

#[test]
fn rows_that_are_the_same_in_both_orders_decide_nothing() {
    // `xxd -e` of 7f 7f 7f 00 7f 00 7f 7f and one more byte: the text of its first row fits both orders.
    let text = "00000000: 007f7f7f 7f7f007f                    ........\n00000008:       00                             .\n";
    assert!(whole(text).is_err(), "{:?}", whole(text));
}

#[test]
fn a_text_of_digits_may_begin_with_spaces() {
    assert_eq!(whole("00000000: 2030 30                                   00\n").unwrap(), b" 00");
    assert_eq!(whole("00000000: 2020 3030 30 30                           0000\n").unwrap(), b"  0000");
    // Four spaces precede these bytes, none of which displays as a space.
    assert_eq!(whole("00000000: 3030 30    00\n").unwrap(), b"000\0");
}

#[test]
fn a_brace_in_the_text_of_a_damaged_row_opens_no_list() {
    assert!(whole("g0000000: 0000 0000 0000 0000 0000 0000 2300 7b30  ............#.{0\n").is_err());
}

#[test]
fn a_byte_that_is_also_a_directive_is_a_byte() {
    assert_eq!(whole("00000000h: dd 30                                           ; .0\n").unwrap(), [0xdd, 0x30]);
}

#[test]
fn bytes_that_were_left_out_are_refused() {
    for text in [
        "$1 = \"\\001\\002\"...\n",
        "{0x23, 0x00...}",
        "[35, 0, 0, 0, ...]",
        "recv: 05 00 0b 03 ...\n",
        "00007ff6`12340000  23 00 ?? ??-01 00 00 00  #.??....\n",
    ] {
        assert!(whole(text).is_err(), "{text}: {:?}", whole(text));
    }
    assert_eq!(whole("$1 = {0x23, 0x0 <repeats 3 times>, 0x1}").unwrap(), [0x23, 0, 0, 0, 1]);
    assert_eq!(whole("$1 = \"\\001\", '\\000' <repeats 3 times>, \"\\002\"").unwrap(), [1, 0, 0, 0, 2]);
}

#[test]
fn a_ruler_is_bytes_where_no_dump_follows() {
    assert_eq!(whole("  00 01 02 03 04 05 06 07").unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(whole("  00 01 02 03 04 05 06 07\n  08 09\n").unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn colours_of_a_dump_are_no_part_of_it() {
    let text = "\u{1b}[1m00000000: \u{1b}[32m2300\u{1b}[0m 017b  #..{\n";
    assert_eq!(whole(text).unwrap(), b"#\0\x01{");
}
