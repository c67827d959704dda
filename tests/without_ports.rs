//! Packets of hex text without a port are read as a capture on an unknown port is.

use crate::common::{Run, Scratch, run, run_with};
use serde_json::Value;

/// Packets of invented protocols, by their numbers, with the sender.
const PACKETS: [(char, &str); 8] = [
    ('>', "00 04 6c 00 01"),
    ('<', "02 00 6d 00 00"),
    ('>', "0f 00 88 01 0a ff 00 0a 02 01 0a 00 02 0a 00"),
    ('>', "57 01 4b 00 05"),
    ('<', "08 00 09 00 75 00 00 00 00 7a"),
    ('>', "00 00 00 14 00 03 02 00 41 00 e4 00 76 00 61 00 b1 7c 9d 36"),
    ('<', "04 2c ff 07 00"),
    ('>', "2b 00 15 01 00 05 0a 00 0a"),
];

/// A DNS query, a STUN binding request and the greeting of Pip-Boy.
const KNOWN: [(&str, &str); 3] = [
    ("dns", "12 34 01 00 00 01 00 00 00 00 00 00 07 65 78 61 6d 70 6c 65 03 6f 72 67 00 00 01 00 01"),
    ("stun", "00 01 00 00 21 12 a4 42 01 02 03 04 05 06 07 08 09 0a 0b 0c"),
    (
        "pipboy",
        "23 00 00 00 01 7b 22 6c 61 6e 67 22 3a 22 65 6e 22 2c 22 76 65 72 73 69 6f 6e 22 3a 22 31 2e 31 2e 32 31 2e 30 22 7d 0a",
    ),
];

/// Standard output of a run that succeeded.
fn fine(run: Run) -> String {
    assert_eq!(run.code, 0, "{}", run.err);
    run.out
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// A capture of raw IP packets: UDP datagrams between ports that no protocol uses.
fn capture(packets: &[(char, &str)]) -> Vec<u8> {
    let mut all = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 101].map(u32::to_le_bytes).concat();
    for (sender, hex) in packets {
        let payload = bytes(hex);
        let len = u16::try_from(28 + payload.len()).unwrap();
        let ends = [(20_001_u16, [10, 0, 0, 1]), (5321, [10, 0, 0, 2])];
        let [(src_port, src), (dst_port, dst)] = if *sender == '>' { ends } else { [ends[1], ends[0]] };
        let mut packet = vec![0x45, 0];
        packet.extend([len.to_be_bytes(), [0, 7], [0x40, 0], [64, 17], [0, 0]].concat());
        packet.extend([src, dst].concat());
        let ports = [src_port, dst_port, len - 20, 0];
        packet.extend(ports.map(u16::to_be_bytes).concat());
        packet.extend(payload);
        let size = u32::try_from(packet.len()).unwrap();
        all.extend([0, 0, size, size].map(u32::to_le_bytes).concat());
        all.extend(packet);
    }
    all
}

fn text(packets: &[(char, &str)]) -> String {
    packets.iter().map(|(sender, hex)| format!("{sender}\n0000  {hex}\n\n")).collect()
}

fn records(out: &str, kind: &str) -> Vec<Value> {
    let all = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|record| record["type"] == kind).collect()
}

fn protocols(out: &str) -> Vec<String> {
    records(out, "message").iter().map(|message| message["protocol"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn packets_that_only_a_port_would_identify_are_data() {
    for (_, hex) in PACKETS {
        assert_eq!(protocols(&fine(run(&["--json", "--hex", hex]))), ["data"], "{hex}");
    }
    let captured = fine(run_with(&["--json"], &capture(&PACKETS)));
    assert_eq!(protocols(&captured), ["data"; PACKETS.len()]);
}

#[test]
fn known_packets_are_recognized_alone_and_between_others() {
    for (protocol, hex) in KNOWN {
        assert_eq!(protocols(&fine(run(&["--json", "--hex", hex]))), [protocol]);
        let strict = run(&["--json", "--no-heuristics", "--hex", hex]);
        assert_eq!(protocols(&fine(strict)), ["data"], "{protocol}");
    }
    let mixed: Vec<(char, &str)> = KNOWN.iter().zip(PACKETS).flat_map(|((_, hex), other)| [('>', *hex), other]).collect();
    let found = protocols(&fine(run_with(&["--json"], text(&mixed).as_bytes())));
    assert_eq!(found, ["dns", "data", "stun", "data", "pipboy", "data"]);
}

#[test]
fn an_incomplete_message_is_data_and_its_protocol_a_candidate() {
    let (_, greeting) = KNOWN[2];
    let cut = &greeting[..60];
    let done = run(&["--json", "--explain-input", "--hex", cut]);
    assert!(done.err.contains("pipboy") && done.err.contains("--as pipboy"), "{}", done.err);
    assert_eq!(protocols(&fine(done)), ["data"]);
}

#[test]
fn a_text_with_directions_is_one_conversation_as_in_a_capture() {
    let (capture, text) =
        (Scratch::new("no-ports.pcap", &capture(&PACKETS)), Scratch::new("no-ports.txt", text(&PACKETS).as_bytes()));
    let [captured, typed] = [&capture, &text].map(|input| fine(run(&["--json", input.path()])));
    let facts = |out: &str| -> Vec<[Value; 4]> {
        let messages = records(out, "message");
        messages.iter().map(|message| ["stream", "dir", "protocol", "info"].map(|key| message[key].clone())).collect()
    };
    assert_eq!(facts(&captured), facts(&typed));
    // `follow` gives the same bytes in the same order.
    let [captured, typed] = [&capture, &text].map(|input| fine(run(&["follow", "-s", "udp/0", "-T", "ndjson", input.path()])));
    let payloads = |out: &str| -> Vec<[Value; 3]> {
        let events = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.map(|event| ["dir", "off", "data"].map(|key| event[key].clone())).collect()
    };
    assert!(payloads(&typed).len() == PACKETS.len());
    assert_eq!(payloads(&captured), payloads(&typed));
    // `explore` finds the same structure, and `stats` the same traffic.
    let [captured, typed] = [&capture, &text].map(|input| fine(run(&["explore", "--json", input.path()])));
    let explored = |out: &str| {
        records(out, "explore").iter().map(|found| [found["messages"].clone(), found["framing"].clone()]).collect::<Vec<_>>()
    };
    assert!(!explored(&typed).is_empty());
    assert_eq!(explored(&captured), explored(&typed));
    let [captured, typed] = [&capture, &text].map(|input| fine(run(&["stats", "--json", input.path()])));
    let frames = |out: &str| -> Vec<Value> {
        let stats: Value = serde_json::from_str(out).unwrap();
        let rows = stats["conversations"]["udp"].as_array().unwrap().clone();
        rows.iter()
            .flat_map(|row| [row["stream"].clone(), row["a_to_b"]["frames"].clone(), row["b_to_a"]["frames"].clone()])
            .collect()
    };
    assert_eq!(frames(&typed), ["udp/0".into(), 5.into(), Value::from(3)]);
    assert_eq!(frames(&captured), frames(&typed));
}

#[test]
fn packets_written_with_w_are_read_back_with_directions_and_without_times() {
    let typed = text(&PACKETS);
    let written = Scratch::new("no-ports-written.pcapng", b"");
    assert_eq!(run_with(&["-w", written.path(), "-q", "-"], typed.as_bytes()).code, 0);
    for command in [&["-l"][..], &["-T", "flat"], &["follow"], &["explore", "--json"]] {
        let again = fine(run(&[command, &[written.path()]].concat()));
        let first = fine(run_with(&[command, &["-"]].concat(), typed.as_bytes()));
        assert_eq!(again.replace(written.path(), "-"), first, "{command:?}");
    }
}

/// A capture of one frame of this link type.
fn frame(link: u32, hex: &str) -> Vec<u8> {
    let bytes = bytes(hex);
    let size = u32::try_from(bytes.len()).unwrap();
    let head = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, link, 1, 0, size, size];
    [head.map(u32::to_le_bytes).concat(), bytes].concat()
}

#[test]
fn private_link_types_are_bound_by_a_rule_and_by_one_loaded_file() {
    let handshake = frame(147, "0f 00 2f 09 6c 6f 63 61 6c 68 6f 73 74 63 dd 01");
    let bound = fine(run_with(&["--json", "-d", "link==user0,minecraft", "-"], &handshake));
    assert_eq!(protocols(&bound), ["minecraft"]);
    let none = fine(run_with(&["--json", "-d", "link==147,none", "-"], &handshake));
    assert_eq!(protocols(&none), ["data"]);
    let chat = fine(run_with(&["--json", "-k", "tests/ksy/chat.ksy", "-"], &frame(150, "01 02 00 68 69")));
    assert_eq!(protocols(&chat), ["chat"]);
}

#[test]
fn headers_of_links_before_ip_are_recognized() {
    let packet = "45 00 00 39 00 07 40 00 40 11 8e 5b c0 00 02 0a c6 33 64 14 13 88 00 35 00 25 00 00";
    let packet = format!("{packet} {}", KNOWN[0].1);
    for header in [
        "02 00 00 00",
        "00 00 00 02",
        "00 04 00 01 00 06 02 00 00 00 00 01 00 00 08 00",
        "08 00 00 00 00 00 00 02 00 01 04 06 02 00 00 00 00 01 00 00",
        "ff 03 00 21",
        "21",
    ] {
        let found = fine(run(&["--json", "--hex", &format!("{header} {packet}")]));
        assert_eq!(protocols(&found), ["dns"], "{header}");
        let damaged = fine(run(&["--json", "--hex", &format!("{header} {}", packet.replace("45 00 00 39", "45 00 00 3a"))]));
        assert_eq!(protocols(&damaged), ["data"], "{header}");
    }
}

#[test]
fn exported_messages_are_those_of_their_tags() {
    let ends =
        "00 14 00 04 c0 00 02 0a 00 15 00 04 c6 33 64 14 00 18 00 04 00 00 00 03 00 19 00 04 00 00 4e 21 00 1a 00 04 00 00 00 35";
    let named = |tag: &str| frame(252, &format!("{tag} {ends} 00 00 00 00 {}", KNOWN[0].1));
    for tag in ["00 0c 00 04 64 6e 73 00", "00 0d 00 08 64 6e 73 5f 75 64 70 00", ""] {
        let out = fine(run_with(&["--json", "-"], &named(tag.trim())));
        assert_eq!(protocols(&out), ["dns"], "{tag}");
        let message = &records(&out, "message")[0];
        assert_eq!([&message["src"], &message["stream"]], ["192.0.2.10:20001", "udp/0"]);
    }
}
