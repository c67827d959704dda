//! Lists of packets: written in the manner of a tool, and read back with their directions and times.

use super::writers::{joined, rows, spaced};
use super::*;
use crate::input::hex::dialects::{BYTES, DIALECTS as KNOWN};

/// A packet with its sender and seconds since noon.
type Sent = (Vec<u8>, Side, u8);

/// How a tool writes one packet of a list, and whether it states direction and time.
type Form = (&'static str, fn(&Sent) -> String, bool, bool);

fn dump(bytes: &[u8], prefix: &str) -> String {
    rows(bytes, |at, row| format!("{prefix}{at:04x}: {}\n", spaced(row)))
}

fn table(bytes: &[u8]) -> String {
    rows(bytes, |_, row| format!("| {:<47} | {:<16} |\n", spaced(row), ""))
}

fn word(side: Side, client: &'static str, server: &'static str) -> &'static str {
    if side == Side::Client { client } else { server }
}

const FORMS: &[Form] = &[
    ("text2pcap", |(bytes, side, at)| format!("{} 12:00:{at:02}.5\n{}", word(*side, "O", "I"), dump(bytes, "")), true, true),
    ("marks", |(bytes, side, _)| format!("{} {}\n", word(*side, ">", "<"), spaced(bytes)), true, false),
    ("a log", |(bytes, side, at)| format!("12:00:{at:02}.5 {}: {}\n", word(*side, "send", "recv"), spaced(bytes)), true, true),
    (
        "parties",
        |(bytes, side, _)| {
            format!("{} ({} bytes): {}\n", word(*side, "Client -> Server", "Server -> Client"), bytes.len(), spaced(bytes))
        },
        true,
        false,
    ),
    ("brackets", |(bytes, side, _)| format!("[{}] {}\n", word(*side, "CLIENT", "SERVER"), spaced(bytes)), true, false),
    (
        "opcodes",
        |(bytes, side, _)| format!("{} (0x1DC): {}\n", word(*side, "CMSG_PING", "SMSG_PONG"), spaced(bytes)),
        true,
        false,
    ),
    (
        "sockets",
        |(bytes, side, _)| {
            let (a, b) = ("192.0.2.10:50123", "198.51.100.20:4000");
            format!("{}: {}\n", if *side == Side::Client { format!("{a} -> {b}") } else { format!("{b} -> {a}") }, spaced(bytes))
        },
        true,
        false,
    ),
    (
        "columns",
        |(bytes, side, at)| {
            let hex = joined(bytes, 40, "");
            format!("43200{at:02}.500000000\t{}\t{hex}\n", word(*side, "192.0.2.10", "198.51.100.20"))
        },
        true,
        false,
    ),
    ("spdlog", |(bytes, _, at)| dump(bytes, &format!("[2026-11-03 12:00:{at:02}.500] [net] ")), false, false),
    (
        "WowPacketParser",
        |(bytes, side, at)| {
            let head = word(*side, "ClientToServer: CMSG_X (0x2DA2)", "ServerToClient: SMSG_X (0x2DA2)");
            format!("{head} Length: {} Time: 12:00:{at:02}.500 Number: 7\n{}\n", bytes.len(), table(bytes))
        },
        true,
        false,
    ),
    (
        "Windower",
        |(bytes, side, at)| {
            let row = |at: usize, row: &[u8]| {
                let cells = spaced(row).to_uppercase() + &" --".repeat(16 - row.len());
                format!("{0:7} | {cells}    {0} | {1:<16}\n", at / 16, "")
            };
            let head = format!("[2026-11-03 18:11:{at:02}] {} packet 0x025:\n", word(*side, "Outgoing", "Incoming"));
            head + &rows(bytes, row) + "\n"
        },
        true,
        true,
    ),
    ("numbered", |(bytes, _, at)| format!("packet {at} = {}\n\n", spaced(bytes)), false, false),
    ("blank lines", |(bytes, _, _)| spaced(bytes) + "\n\n", false, false),
];

fn packets() -> impl Strategy<Value = Vec<Sent>> {
    let side = prop::bool::ANY.prop_map(|client| if client { Side::Client } else { Side::Server });
    let packet = (prop::collection::vec(any::<u8>(), 3..40), side);
    prop::collection::vec(packet, 1..6).prop_map(|mut packets| {
        // The first source is the client.
        packets[0].1 = Side::Client;
        packets.into_iter().zip(1..).map(|((bytes, side), at)| (bytes, side, at)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(trial::share_of(256)))]

    #[test]
    fn packets_come_back_with_their_directions_and_times(packets in packets()) {
        for (name, write, directed, timed) in FORMS {
            let text: String = packets.iter().map(write).collect();
            let (read, error) = read(&text);
            prop_assert_eq!(error, None, "{}\n{}", name, text);
            let wanted: Vec<&[u8]> = packets.iter().map(|(bytes, ..)| &bytes[..]).collect();
            prop_assert_eq!(bytes(&read), wanted, "{}\n{}", name, text);
            for (frame, (_, side, at)) in read.iter().zip(&packets).filter(|_| *directed) {
                prop_assert_eq!(frame.direction, Some(*side), "{}\n{}", name, text);
                let seconds = frame.time.map(|time| time.seconds.rem_euclid(60));
                prop_assert!(!timed || seconds == Some(i64::from(*at)), "{}: {:?}\n{}", name, frame.time, text);
            }
        }
    }
}

#[test]
fn every_dialect_reads_its_example() {
    for known in KNOWN {
        let (frames, error) = drain(known.example.as_bytes());
        assert_eq!(error.map(|error| error.to_string()), None, "{}", known.name);
        assert_eq!(frames.concat_bytes(), BYTES, "{}\n{}", known.name, known.example);
    }
}

#[test]
fn blank_lines_and_widths_separate_packets() {
    let (a, b, c) = ("25 00 f2 11 07\n", "25 00\n", "25 00 f2 11 07 00\n");
    let lens = |text: &str| read(text).0.iter().map(|frame| frame.bytes.len()).collect::<Vec<_>>();
    assert_eq!(lens(&[a, a, b].concat()), [12]);
    assert_eq!(lens(&[a, c].concat()), [5, 6]);
    assert_eq!(lens(&[a, b, a].concat()), [5, 2, 5]);
    assert_eq!(lens(&[b, a].concat()), [2, 5]);
    assert_eq!(lens(&[a, b, b].concat()), [5, 2, 2]);
    assert_eq!(lens(&[a, "\n", a].concat()), [5, 5]);
    assert_eq!(lens(&[a, a, c, c, b].concat()), [5, 5, 6, 6, 2]);
}

#[test]
fn numbers_of_several_bytes_are_memory() {
    assert_eq!(whole("0x50495002, 0x1, 0xffff").unwrap(), [2, 0x50, 0x49, 0x50, 1, 0, 0, 0, 0xff, 0xff, 0, 0]);
    assert_eq!(whole("dw 0025 11F2").unwrap(), [0x25, 0, 0xf2, 0x11]);
    assert_eq!(whole("0x2300000001").unwrap(), [0x23, 0, 0, 0, 1]);
    assert!(whole("0x01, 0x02, 0x0304\n0x11223344").is_err());
}

#[test]
fn bytes_are_found_in_further_forms() {
    for (text, sides) in [
        ("['25', '00', 'f2', '11']\n", ""),
        ("['0x25', '0x0', '0xf2', '0x11']\n", ""),
        ("25|00|f2|11\n", ""),
        ("25;00;f2;11\n", ""),
        ("the server sends `25 00 f2 11`\n", ""),
        ("{\"dir\":\"out\",\"data\":\"2500f211\"}\n{\"dir\":\"in\",\"data\":\"2500f211\"}\n", "cs"),
        ("time,dir,data\n1700000000.5,in,2500f211\n1700000001.5,out,2500f211\n", "sc"),
        ("12:00:01,123,456   ETHER\n|0   |25|00|f2|11|\n", ""),
        ("C→S: 25 00 f2 11\nS→C: 25 00 f2 11\n", "cs"),
        ("client→server 25 00 f2 11\nserver→client 25 00 f2 11\n", "cs"),
        ("to server: 25 00 f2 11\nfrom server: 25 00 f2 11\n", "cs"),
        ("DEBUG:root:00000000  25 00  %.\nDEBUG:root:00000002  f2 11  ..\n", ""),
        ("flags: 00100101 00000000 11110010 00010001\n", ""),
        ("192.0.2.10:50123 → 198.51.100.20:4000  25 00 f2 11\n", "c"),
        ("vcan0  123   [4]  25 00 F2 11\n", ""),
        ("> 2026/11/03 12:00:01.000123456  length=4 from=0 to=3\n 25 00 f2 11  %...\n--\n", "c"),
    ] {
        let (frames, error) = read(text);
        assert_eq!(error, None, "{text}");
        let found: String = frames.iter().filter_map(|frame| frame.direction).map(|side| word(side, "c", "s")).collect();
        assert!(frames.iter().all(|frame| frame.bytes == [0x25, 0, 0xf2, 0x11]) && !frames.is_empty(), "{text}: {frames:?}");
        assert_eq!(found, sides, "{text}");
    }
}

#[test]
fn directives_and_bits_are_read_with_their_sizes() {
    for (text, bytes) in [
        ("x msg db 23h, 0, 0FFh, '{\"', 2 dup(1)  ; text\ny dd 4433h\n", Ok(&b"#\0\xff{\"\x01\x01\x33\x44\0\0"[..])),
        ("db -128,1\ndw -32768\n", Ok(b"\x80\x01\0\x80")),
        ("x db -1, 0x10\ndq 0FFFFFFFFFFFFFFFFh\n", Ok(b"\xff\x10\xff\xff\xff\xff\xff\xff\xff\xff")),
        ("db 23\n", Ok(b"\xdb\x23")),
        ("dd 11 22\n", Ok(b"\xdd\x11\x22")),
        ("0010: db 50\n", Ok(b"\xdb\x50")),
        ("00010000 11111010", Ok(b"\x10\xfa")),
        ("0b00001111, 0b1", Ok(b"\x0f\x01")),
        ("0010 0101 0000 0001", Ok(b"\x25\x01")),
        ("00 01 00 00", Ok(b"\0\x01\0\0")),
        ("db 23h, ?", Err("line 1, column 9: `?` is a byte without a value")),
        ("db 1,2\ndb 123h", Err("line 2, column 4: a number of more than 1 bytes")),
        ("db 1,2\ndb -129", Err("line 2, column 4: a number of more than 1 bytes")),
        ("db 1,2\ndw -32769", Err("line 2, column 4: a number of more than 2 bytes")),
        ("db 1,2\ndb 23h 24h", Err("line 2, column 8: expected a comma")),
        ("db 1,2\ndb 'abc", Err("line 2, column 4: a text without its closing quote")),
        ("db 1,2\ndb 99999999 dup(0)", Err("line 2, column 17: a packet of more than")),
        ("a:00000010 db 1,2\na:00000013 db 2", Err("line 2, column 1: the address is 0x13, but the line before ends at 0x12")),
        ("00010000 11111010\n00010000 1111", Err("line 2, column 10: expected 8 bits")),
    ] {
        match (whole(text), bytes) {
            (Err(error), Err(wanted)) => assert!(error.starts_with(wanted), "{text}: {error}"),
            (read, wanted) => {
                assert_eq!(read.as_deref(), wanted.map(|bytes: &[u8]| bytes).map_err(ToOwned::to_owned).as_deref(), "{text}")
            }
        }
    }
}

#[test]
fn a_text_without_packets_is_refused() {
    for text in ["b''", "Out[2]: b''\n", "[]", "char p[] = \"\";"] {
        assert!(open(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn a_capture_inside_text_is_opened() {
    let pcap = "d4c3b2a1020004000000000000000000ffff000001000000 00000000000000000200000002000000 2300";
    for text in [pcap.to_owned(), format!("log: {}", pcap.replace(' ', ""))] {
        let (frames, error) = drain(text.as_bytes());
        assert_eq!((bytes(&frames), error.is_none()), (vec![&[0x23, 0][..]], true), "{text}");
    }
    // The magic number alone is a packet of four bytes.
    assert_eq!(whole("d4c3b2a1").unwrap(), [0xd4, 0xc3, 0xb2, 0xa1]);
}

#[test]
fn utf_16_is_decoded() {
    let text = "23 00 01 7b\r\n";
    let little: Vec<u8> = b"\xff\xfe".iter().copied().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> = b"\xfe\xff".iter().copied().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    for text in [little, big] {
        assert_eq!(bytes(&drain(&text).0), [&[0x23, 0, 1, 0x7b]]);
    }
}
