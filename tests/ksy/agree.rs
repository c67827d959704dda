//! One number of malformed messages, whichever output states it.

use crate::common::{Scratch, own_cases, run, samples};
use serde_json::Value;

/// A description that demands more bytes than messages have, and one that leaves some over.
const BROKEN: [&str; 2] = ["u8", "u2"];

fn description(data: &str) -> String {
    format!(
        "meta:\n  id: controller\n  endian: be\n  -proto-dissect: {{transport: tcp, ports: [502]}}\n\
         seq:\n  - {{id: messages, type: message, repeat: eos}}\n\
         types:\n  message:\n    seq:\n      - {{id: number, type: u2}}\n      - {{id: zero, contents: [0, 0]}}\n\
         \x20     - {{id: len_rest, type: u2}}\n      - {{id: rest, type: rest, size: len_rest}}\n\
         \x20 rest:\n    seq:\n      - {{id: unit, type: u1}}\n      - {{id: function, type: u1}}\n      - {{id: data, type: {data}}}\n"
    )
}

/// Messages of several lengths, some in one segment: as tcpdump prints packets.
fn capture() -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x4_0000, 101].map(u32::to_le_bytes).concat();
    let mut seq = 0;
    for lengths in [&[][..], &[6_usize], &[6, 6], &[3, 12, 6], &[10]] {
        let payload: Vec<u8> =
            lengths.iter().flat_map(|len| [&[0, 1, 0, 0, 0, u8::try_from(*len).unwrap()][..], &vec![7; *len]].concat()).collect();
        let mut packet = Vec::new();
        let builder = etherparse::PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(40000, 502, seq, 1000).ack(1);
        let builder = if seq == 0 { builder.syn() } else { builder };
        builder.write(&mut packet, &payload).unwrap();
        seq += u32::try_from(payload.len()).unwrap().max(1);
        let len = u32::try_from(packet.len()).unwrap();
        file.extend([seq, 0, len, len].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

/// The numbers of malformed messages: messages with a broken note, the end record, `stats`, and marked lines.
fn malformed(arguments: &[&str]) -> [u64; 4] {
    let records = |options: &[&str]| -> Vec<Value> {
        run(&[options, arguments].concat()).out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let messages = records(&["--messages", "--json"]);
    let is_broken = |record: &&Value| {
        let notes = record["notes"].as_array().map(Vec::as_slice).unwrap_or_default();
        record["type"] == "message" && notes.iter().any(|note| note["level"] == "broken")
    };
    let noted = messages.iter().filter(is_broken).count() as u64;
    let ended = messages.iter().filter(|record| record["type"] == "end").filter_map(|end| end["malformed"].as_u64()).sum();
    let health = run(&[&["stats", "-z", "health"], arguments].concat()).out;
    let line = health.lines().find_map(|line| line.trim().strip_prefix("malformed ")).unwrap_or_default().trim();
    let counted = line.split(' ').next().unwrap_or_default().replace(',', "").parse().unwrap_or_default();
    let lines = run(&[&["--messages", "-l"], arguments].concat()).out;
    [noted, ended, counted, lines.lines().filter(|line| line.contains("[broken: ")).count() as u64]
}

#[test]
fn all_outputs_state_the_same_malformed_messages() {
    for sample in own_cases(samples(), 0, 4) {
        let [noted, rest @ ..] = malformed(&[&sample]);
        assert_eq!(rest, [noted; 3], "{sample}");
    }
    let file = Scratch::new("agree.pcap", &capture());
    for data in BROKEN {
        let ksy = Scratch::new(&format!("agree-{data}.ksy"), description(data).as_bytes());
        let expected = if data == "u8" { 5 } else { 1 };
        assert_eq!(malformed(&["-k", ksy.path(), file.path()]), [expected; 4], "{data}");
        // The segment that repeats a message is one message each, however their fields are kept.
        let expert = run(&["stats", "-z", "expert", "-k", ksy.path(), file.path()]).out;
        assert!(expert.contains(&format!("Errors ({expected})")), "{data}: {expert}");
    }
}

#[test]
fn bytes_that_no_field_takes_are_not_explained() {
    let file = Scratch::new("unparsed.pcap", &capture());
    for (data, unexplained) in [("u8", 4 + 4 + 4 + 1 + 2 + 4), ("u2", 4 * 2 + 8 + 6 + 1)] {
        let ksy = Scratch::new(&format!("unparsed-{data}.ksy"), description(data).as_bytes());
        let coverage = run(&["stats", "-z", "coverage", "-k", ksy.path(), file.path()]).out;
        let row: Vec<&str> =
            coverage.lines().find(|line| line.trim().starts_with("controller ")).unwrap().split_whitespace().collect();
        assert!(row.contains(&unexplained.to_string().as_str()), "{data}: {coverage}");
    }
}
