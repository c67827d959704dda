//! Truncated or modified vectors: no panics, and each byte stays in a field.

use super::log_writer::opened;
use super::osrs::{assert_covered, bytes, opcode, packet, vectors};
use super::outline::Outline;
use super::places::{is_covered, message};
use super::*;
use crate::engine::Engine;
use crate::registry::Registry;
use crate::tree::Dissection;
use crate::wire::trial;

/// Bits that are changed of a byte.
const CHANGES: [u8; 3] = [0x01, 0x80, 0xff];

/// Places of bytes to damage: all of few, some of many.
fn places(count: usize, most: u32) -> impl Iterator<Item = usize> {
    (0..count).step_by(count / usize::try_from(most).unwrap() + 1)
}

/// Bytes that end at some place or have one byte changed, and whether they were cut.
fn damaged(bytes: &[u8], most: u32) -> impl Iterator<Item = (bool, Vec<u8>)> {
    places(bytes.len(), most).flat_map(move |place| {
        let change = move |change| {
            let mut changed = bytes.to_vec();
            changed[place] ^= change;
            (false, changed)
        };
        [(true, bytes[..place].to_vec())].into_iter().chain(CHANGES.map(change))
    })
}

fn texts(settings: &[(&str, &str)], messages: &[(Side, Vec<u8>)]) -> Vec<String> {
    let trees = dissect_messages(settings, messages);
    assert_eq!(trees.len(), messages.len(), "{messages:02x?}\n{}", trees.concat());
    for (tree, (_, message)) in trees.iter().zip(messages) {
        assert!(tree.starts_with(&format!("rs 0..{}", message.len())), "{tree}");
        assert_covered(&Outline::of(tree), message.len());
    }
    trees
}

#[test]
fn damaged_packets_keep_each_byte_in_a_field() {
    for vector in vectors("packets") {
        let side = if vector["direction"] == "s2c" { SERVER } else { CLIENT };
        let revision = vector["revision"].as_u64().unwrap();
        let opcode = u16::try_from(vector["opcode"].as_u64().unwrap()).unwrap();
        let name = format!("osrs-{revision}");
        for (_, payload) in damaged(&bytes(vector["hex"].as_str().unwrap()), trial::share_of(64)) {
            let packet = packet(revision, side, opcode, &payload);
            texts(&[("rs.revision", &name), ("rs.isaac", "off")], &[(side, packet)]);
        }
    }
}

/// Packets after a malformed one are read as well: entities may be unknown, but all bytes are in fields.
#[test]
fn damaged_updates_and_later_ones_have_every_byte_in_a_field() {
    for (kind, most) in [("players", 24), ("npcs", 40)] {
        for vector in vectors(kind) {
            let revision = vector["revision"].as_u64().unwrap();
            let (name, own) = (format!("osrs-{revision}"), vector["local"].as_u64().unwrap_or(1).to_string());
            let settings = [("rs.revision", &*name), ("rs.isaac", "off"), ("rs.player_index", &*own)];
            let version = if revision < 226 { 4 } else { 5 };
            let mut messages: Vec<(Side, Vec<u8>)> = Vec::new();
            if let Some(init) = vector["init"].as_str() {
                messages.push((SERVER, packet(revision, SERVER, 255, &bytes(init))));
            }
            let begun = messages.len();
            let mut payloads = Vec::new();
            for step in vector["packets"].as_array().unwrap() {
                let info = match step["size"].as_str() {
                    Some(size) => format!("npc_info_{size}_v{version}"),
                    None => "player_info".to_owned(),
                };
                let payload = bytes(step["hex"].as_str().unwrap());
                messages.push((SERVER, packet(revision, SERVER, opcode(revision, &info), &payload)));
                payloads.push((opcode(revision, &info), payload));
            }
            for (at, (opcode, payload)) in payloads.iter().enumerate() {
                for (is_cut, payload) in damaged(payload, trial::share_of(most)) {
                    let mut messages = messages.clone();
                    messages[begun + at].1 = packet(revision, SERVER, *opcode, &payload);
                    let trees = texts(&settings, &messages);
                    // A shorter list of NPCs may be a whole one.
                    let is_noted = trees[begun + at].contains("! broken");
                    assert!(!is_cut || kind == "npcs" || is_noted, "{}", trees[begun + at]);
                }
            }
        }
    }
}

#[test]
fn damaged_logs_are_read_up_to_the_damage_and_keep_each_byte_in_a_field() {
    let damage = |vector: &serde_json::Value| {
        let file = bytes(vector["hex"].as_str().unwrap());
        let most = if trial::is_thorough() { 250 } else { 80 };
        let [mut cut_logs, mut broken_logs] = [0_u32; 2];
        // Few places hold lengths, whose damage ends a log.
        for (is_cut, file) in damaged(&file, most) {
            let Ok(mut capture) = opened(&file) else { continue };
            let mut engine = Engine::complete(Registry::default());
            let mut read = 0;
            let ended = loop {
                match capture.next_frame() {
                    Ok(Some(frame)) => {
                        read += frame.bytes.len();
                        let tree = engine.dissect(&frame);
                        let of = Dissection { tree, bytes: frame.bytes };
                        assert!(message(of).is_none_or(is_covered), "{}", crate::tree::dump(of));
                    }
                    other => break other.map(drop),
                }
            };
            assert_eq!(ended.is_ok(), read == file.len(), "{read} of {}", file.len());
            cut_logs += u32::from(is_cut && ended.is_err());
            broken_logs += u32::from(!is_cut && ended.is_err());
        }
        assert!(cut_logs > most / 3 && (broken_logs > 0 || !trial::is_thorough()), "{cut_logs} {broken_logs}");
    };
    // Each log takes seconds.
    std::thread::scope(|scope| vectors("logs").for_each(|vector| drop(scope.spawn(move || damage(&vector)))));
}
