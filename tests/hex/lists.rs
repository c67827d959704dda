//! Lists of packets: written in the manner of a tool, and read back with their directions and times.

use super::writers::{joined, rows, spaced};
use super::*;
use proto_dissect::input::{DIALECT_BYTES, DIALECTS};

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
    #![proptest_config(ProptestConfig::with_cases(share_of(256)))]

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
    for known in DIALECTS {
        let (frames, error) = drain(known.example.as_bytes());
        assert_eq!(error.map(|error| error.to_string()), None, "{}", known.name);
        assert_eq!(concat_bytes(&frames), DIALECT_BYTES, "{}\n{}", known.name, known.example);
    }
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
