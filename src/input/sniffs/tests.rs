//! Logs as captures: packets byte by byte, logs that are cut or damaged, and what is no log.

use crate::input::{Capture, Format, ReadError};
use std::io::{Cursor, Write};

/// Bytes from hexadecimal digits and text in quotes, separated by blanks.
fn bytes(text: &str) -> Vec<u8> {
    text.split_whitespace().flat_map(word).collect()
}

fn word(word: &str) -> Vec<u8> {
    match word.strip_prefix('"') {
        Some(text) => text.trim_end_matches('"').bytes().collect(),
        None => (0..word.len() / 2).map(|at| u8::from_str_radix(&word[2 * at..2 * at + 2], 16).unwrap()).collect(),
    }
}

/// Sender, seconds since 1970 and payload of a packet.
type Packet = (u16, f64, Vec<u8>);

/// Asserts that the checksums of a packet over IPv4 are right: with them, the sum of all words is that of none.
fn assert_sums(packet: &[u8], header: usize, protocol: u8) {
    let sum = |parts: [&[u8]; 2]| {
        let sum = |part: &[u8]| {
            part.chunks(2).map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low))).sum::<u32>()
        };
        let whole = sum(parts[0]) + sum(parts[1]);
        let folded = (whole >> 16) + (whole & 0xffff);
        (folded >> 16) + (folded & 0xffff)
    };
    if packet[0] >> 4 == 4 {
        assert_eq!(sum([&packet[..20], &[]]), 0xffff);
        let length = u16::try_from(packet.len() - header).unwrap().to_be_bytes();
        let pseudo = [&packet[12..20], &[0, protocol], &length].concat();
        assert_eq!(sum([&pseudo, &packet[header..]]), 0xffff);
    }
}

/// The packets with payload, and how reading ended.
fn packets(log: &[u8]) -> (Vec<Packet>, Option<ReadError>) {
    let mut capture = Capture::open(Box::new(Cursor::new(log.to_vec()))).unwrap();
    let mut all = Vec::new();
    loop {
        match capture.next_frame() {
            Ok(Some(frame)) => {
                let header = usize::from(frame.bytes[0] & 15) * 4;
                let (header, protocol) = if frame.bytes[0] >> 4 == 4 { (header, frame.bytes[9]) } else { (40, frame.bytes[6]) };
                let payload = &frame.bytes[header + if protocol == 6 { 20 } else { 8 }..];
                let port = u16::from_be_bytes([frame.bytes[header], frame.bytes[header + 1]]);
                let time = frame.time.unwrap();
                let comments: Vec<String> = frame.comments.iter().map(|comment| comment.into_owned()).collect();
                assert!(comments.iter().any(|comment| comment.starts_with("reconstructed from a log (")), "{comments:?}");
                assert_sums(frame.bytes, header, protocol);
                if !payload.is_empty() {
                    all.push((port, time.seconds as f64 + f64::from(time.nanos) / 1e9, payload.to_vec()));
                }
            }
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error)),
        }
    }
}

/// A log of version 3.1, by the layout of WowPacketParser's reader.
fn pkt_31() -> Vec<u8> {
    let key = "00".repeat(40);
    bytes(&format!(
        "\"PKT\" 0103 10 34300000 \"enUS\" {key} 10000000 64000000 03000000 \"abc\" \
         \"SMSG\" 00000000 6e000000 02000000 06000000 ffff ee010000 0c00 \
         \"CMSG\" 00000000 5a000000 00000000 04000000 ed010000"
    ))
}

#[test]
fn a_pkt_log_of_version_3_1_gives_its_packets() {
    let (all, error) = packets(&pkt_31());
    let header = bytes(&format!("\"log\" 02 3c000000 00000000 0103 34300000 \"enUS\" 10 28 {} 00 \"abc\"", "00".repeat(40)));
    let expected = [
        (8085, 16.01, header),
        (8085, 16.01, bytes("\"log\" 00 06000000 ee010000 0c00")),
        (50_000, 15.99, bytes("\"log\" 00 04000000 ed010000")),
    ];
    assert_eq!((all.as_slice(), error), (&expected[..], None));
}

/// A log of version 2.1.
fn pkt_21() -> Vec<u8> {
    bytes(&format!(
        "\"PKT\" 0102 9e21 {} ff 20000000 01000000 03000000 ee01 07 00 21000000 02000000 05000000 ed010000 08",
        "11".repeat(40)
    ))
}

#[test]
fn a_pkt_log_of_version_2_1_has_short_opcodes_of_the_server() {
    let (all, error) = packets(&pkt_21());
    let header = bytes(&format!("\"log\" 02 39000000 00000000 0102 9e210000 00000000 00 28 {} 00", "11".repeat(40)));
    let expected = [
        (8085, 32.0, header),
        (8085, 32.0, bytes("\"log\" 00 05000000 ee010000 07")),
        (50_000, 33.0, bytes("\"log\" 00 05000000 ed010000 08")),
    ];
    assert_eq!((all.as_slice(), error), (&expected[..], None));
}

#[test]
fn a_pkt_log_of_version_3_0_takes_times_of_records_or_of_its_start() {
    let log = |tool: &str| {
        bytes(&format!(
            "\"PKT\" 0003 {tool} 34300000 \"enGB\" {} 08000000 40000000 64000000 \
             \"SMSG\" 20000000 c8000000 00000000 04000000 01000000",
            "00".repeat(40)
        ))
    };
    let times = |tool| packets(&log(tool)).0.iter().map(|(_, time, _)| *time).collect::<Vec<_>>();
    assert_eq!((times("01"), times("0a")), (vec![32.0, 32.0], vec![64.1, 64.1]));
}

#[test]
fn tools_add_endpoints_and_times_to_records() {
    let log = |tool: &str, header: &str, added: &str| {
        let length = |text: &str| format!("{:02x}000000", bytes(text).len());
        bytes(&format!(
            "\"PKT\" 0103 {tool} 34300000 \"enUS\" {} 10000000 64000000 {} {header} \
             \"S_BN\" 01000000 64000000 {} 04000000 {added} 01000000",
            "00".repeat(40),
            length(header),
            length(added)
        ))
    };
    let first = |log: &[u8]| {
        let mut capture = Capture::open(Box::new(Cursor::new(log.to_vec()))).unwrap();
        let frame = capture.next_frame().unwrap().unwrap();
        (frame.bytes[12..16].to_vec(), frame.bytes[20..24].to_vec(), frame.time.unwrap().seconds)
    };
    // The client of PacketLogger, and the time of WSTC 1.7 and of ymir.
    let (ip, ports, _) = first(&log("54", "", &format!("0a000007 {} 39300000", "00".repeat(12))));
    assert_eq!((ip, ports), (vec![10, 0, 0, 7], bytes("3039 045f")));
    assert_eq!(first(&log("53", "ff0701 00c02be0fd26d101", "")).2, 1_448_400_000);
    assert_eq!(first(&log("16", "0101", "000040e1b5137542 02 \"hi\"")).2, 1_448_400_000);
}

#[test]
fn an_msb_log_of_each_version_gives_its_packets() {
    let ticks = "00c0a20215f5d208";
    let ends = "09 \"10.0.0.30\" 39 30 08 \"10.0.0.1\" 64 21".replace("39 30", "3930").replace("64 21", "6421");
    let wide = format!("{ticks} 02000000 ec01 00 0102 ");
    let cases = [
        ("1220 0800 5300 3930".to_owned(), format!("{ticks} 0200 ec01 0102 {ticks} 0180 ed01 03"), 0x2012),
        (format!("1420 {ends} 0800 5300"), format!("{ticks} 0200 ec01 0102 {ticks} 0180 ed01 03"), 0x2014),
        (format!("1520 {ends} 08 5300"), format!("{ticks} 0200 ec01 0102 {ticks} 0180 ed01 03"), 0x2015),
        (format!("2020 {ends} 08 5300"), format!("{ticks} 0200 ec01 00 0102 {ticks} 0100 ed01 01 03"), 0x2020),
        (format!("2120 {ends} 08 5300 02 \"1a\""), format!("{ticks} 0200 ec01 00 0102 {ticks} 0100 ed01 01 03"), 0x2021),
        (
            format!("2520 {ends} 08 5300 00"),
            format!("{ticks} 0200 ec01 00 0102 aaaaaaaabbbbbbbb {ticks} 0100 ed01 01 03 aaaaaaaabbbbbbbb"),
            0x2025,
        ),
        (
            format!("2720 {ends} 08 53000000"),
            format!("{wide} 0000000000000000 {ticks} 01000000 ed01 01 03 0000000000000000"),
            0x2027,
        ),
        (format!("3020 {ends} 08 53000000"), format!("{wide} {ticks} 01000000 ed01 01 03"), 0x2030),
    ];
    for (header, records, version) in cases {
        let (all, error) = packets(&bytes(&format!("{header} {records}")));
        assert_eq!(error, None, "{version:x}");
        assert_eq!(all[0].2[12..18], [&u16::to_le_bytes(version)[..], &[0x53, 0, 0, 0]].concat(), "{version:x}");
        let server = if version == 0x2012 { 8484 } else { 0x2164 };
        let packets: Vec<_> = all[1..].iter().map(|(port, _, payload)| (*port, payload.clone())).collect();
        let expected = [(server, bytes("\"log\" 00 06000000 ec010000 0102")), (12_345, bytes("\"log\" 00 05000000 ed010000 03"))];
        assert_eq!(packets, expected, "{version:x}");
    }
}

/// Samples, and the number of packets with payload in each.
const SAMPLES: &[(&str, &str, usize)] = &[
    ("logs-wow-31.pkt", "wow-pkt", 21),
    ("logs-wow-22.pkt", "wow-pkt", 14),
    ("logs-maple-2030.msb", "msb", 14),
    ("logs-maple-2026.msb", "msb", 14),
    ("logs-proxy.mitm", "mitmproxy", 16),
    ("logs-browser.har", "har", 9),
];

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

#[test]
fn samples_are_recognized_by_content() {
    for (name, format, count) in SAMPLES {
        let log = sample(name);
        let capture = Capture::open(Box::new(Cursor::new(log.clone()))).unwrap();
        assert_eq!(capture.format(), Format::Log(format), "{name}");
        let (all, error) = packets(&log);
        assert_eq!((all.len(), error), (*count, None), "{name}");
    }
}

#[test]
fn a_log_that_is_cut_gives_the_packets_before_and_says_so() {
    for (name, ..) in SAMPLES {
        let log = sample(name);
        let (whole, _) = packets(&log);
        for cut in (log.len() / 2..log.len()).step_by(log.len() / 100 + 1).chain([log.len() - 1]) {
            let (all, error) = packets(&log[..cut]);
            assert!(whole.starts_with(&all), "{name} cut at {cut}");
            match error {
                Some(error) => {
                    assert_eq!(error.code, "truncated", "{name} cut at {cut}: {error}");
                    let end =
                        if name.ends_with("har") { "the log ends".to_owned() } else { format!("the log ends at byte {cut}") };
                    assert!(error.to_string().contains(&end), "{name} cut at {cut}: {error}");
                }
                // Between two records nothing is missing, and behind the entries nothing is read.
                None => assert!(all.len() <= whole.len(), "{name} cut at {cut}"),
            }
        }
    }
}

#[test]
fn damaged_logs_are_read_without_a_panic() {
    for (name, ..) in SAMPLES {
        let log = sample(name);
        for at in (0..log.len()).step_by(log.len() / 200 + 1) {
            for change in [0xff, 1 << (at % 8)] {
                let mut damaged = log.clone();
                damaged[at] ^= change;
                let Ok(mut capture) = Capture::open(Box::new(Cursor::new(damaged))) else { continue };
                while let Ok(Some(_)) = capture.next_frame() {}
            }
        }
    }
}

#[test]
fn hostile_sizes_are_refused() {
    for (log, word) in [
        (bytes(&format!("\"PKT\" 0103 10 34300000 \"enUS\" {} 10000000 64000000 ffffffff", "00".repeat(40))), "header"),
        (pkt_31()[..69].iter().copied().chain(bytes("\"SMSG\" 00000000 00000000 ffffff7f 04000000")).collect(), "more"),
        (pkt_31()[..69].iter().copied().chain(bytes("\"NONE\" 00000000 00000000 00000000 04000000")).collect(), "direction"),
        (pkt_31()[..69].iter().copied().chain(bytes("\"SMSG\" 00000000 00000000 00000000 03000000")).collect(), "3 bytes"),
    ] {
        let error = match Capture::open(Box::new(Cursor::new(log))) {
            Ok(mut capture) => loop {
                match capture.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("{word}"),
                    Err(error) => break error.to_string(),
                }
            },
            Err(error) => error.to_string(),
        };
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn texts_that_begin_like_logs_are_none() {
    for text in ["{\"a\": 1}\n", "12:34:56 23 00 01 7b\n", "! 0a 0b 0c 0d 0e\n", "# comment\n0a 0b 0c 0d\n", "5:hello,\n"] {
        let opened = Capture::open(Box::new(Cursor::new(text.as_bytes().to_vec())));
        assert!(opened.is_err() || !matches!(opened.unwrap().format(), Format::Log(_)), "{text}");
    }
}

/// A zip archive with these members.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// What Fiddler writes of a session, as far as it is read.
const ABOUT: &[u8] = b"<?xml version=\"1.0\"?>\n<Session SID=\"1\">\n  <SessionTimers ClientBeginRequest=\"2015-11-24T22:20:00.5+01:00\" \
    ServerBeginResponse=\"0001-01-01T00:00:00\" ClientDoneResponse=\"2015-11-24T22:20:01.25+01:00\" />\n  <SessionFlags>\n    \
    <SessionFlag N=\"x-clientport\" V=\"5375\" />\n    <SessionFlag N=\"x-hostip\" V=\"198.51.100.9\" />\n  </SessionFlags>\n</Session>";

#[test]
fn an_archive_of_fiddler_gives_the_bytes_of_its_sessions() {
    let (asked, answered) =
        (b"GET https://game.example/a HTTP/1.1\r\nHost: game.example\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n");
    let tunnel = b"CONNECT game.example:443 HTTP/1.1\r\n\r\nA ClientHello was found.";
    let members: [(&str, &[u8]); 6] = [
        ("raw/1_c.txt", asked),
        ("raw/1_m.xml", ABOUT),
        ("raw/1_s.txt", answered),
        ("raw/2_c.txt", tunnel),
        ("raw/2_m.xml", b""),
        ("_index.htm", b"<html>"),
    ];
    let log = archive(&members);
    assert_eq!(Capture::open(Box::new(Cursor::new(log.clone()))).unwrap().format(), Format::Log("saz"));
    let (all, error) = packets(&log);
    let expected = [
        (5375, 1_448_400_000.5, asked.to_vec()),
        (443, 1_448_400_001.25, answered.to_vec()),
        (40_002, 0.0, tunnel[..37].to_vec()),
    ];
    assert_eq!((all.as_slice(), error), (&expected[..], None));
    for cut in (log.len() / 3..log.len() - 600).step_by(7) {
        let (some, error) = packets(&log[..cut]);
        // What is known of a session may lack its ports.
        let is_known = some.iter().all(|(.., payload)| all.iter().any(|(.., known)| known == payload));
        assert!(is_known && error.is_some(), "{cut}");
    }
}

#[test]
fn a_bomb_in_an_archive_ends_it_with_an_error() {
    let log = archive(&[("raw/1_c.txt", b"GET / HTTP/1.1\r\n\r\n"), ("raw/2_c.txt", &vec![0; 20 << 20])]);
    assert!(log.len() < 1 << 16);
    let (all, error) = packets(&log);
    let error = error.unwrap().to_string();
    assert_eq!(all.len(), 1);
    assert!(error.contains("raw/2_c.txt has more than 16777216 bytes"), "{error}");
}

#[test]
fn other_zip_archives_are_no_logs() {
    let opened = Capture::open(Box::new(Cursor::new(archive(&[("capture.pcap", b"\xd4\xc3\xb2\xa1")]))));
    assert!(opened.err().unwrap().to_string().contains("a zip archive"));
}
