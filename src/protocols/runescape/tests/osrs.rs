//! Vectors of the reference for Old School RuneScape: packets, updates in sequence, and whole logs.

use super::outline::Outline;
use super::*;
use crate::engine::Engine;
use crate::input::Capture;
use crate::registry::Registry;
use crate::tree::{Dissection, dump};
use serde_json::{Value, json};
use std::io::Cursor;

pub const VECTORS: &str = include_str!("osrs.jsonl");

/// Fields derived from others, or part of the framing.
const DERIVED: [&str; 19] = [
    "rs.name",
    "rs.direction",
    "rs.opcode",
    "rs.opcode_wire",
    "rs.size",
    "rs.padding",
    "rs.as_sent",
    "rs.log.offset",
    "rs.log.record",
    "rs.player_name",
    "rs.player_index",
    "rs.npc_index",
    "rs.npc_type",
    "rs.world_x",
    "rs.world_y",
    "rs.world_level",
    "rs.coord.x",
    "rs.coord.y",
    "rs.npc_name",
];

pub fn vectors(kind: &'static str) -> impl Iterator<Item = Value> {
    VECTORS.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).filter(move |vector| vector["kind"] == kind)
}

/// Bytes of hexadecimal text in which `00*n` means n zeros.
pub fn bytes(hex: &str) -> Vec<u8> {
    let word = |word: &str| match word.split_once('*') {
        Some((byte, count)) => trial::bytes(byte).repeat(count.parse().unwrap()),
        None => trial::bytes(word),
    };
    hex.split(' ').flat_map(word).collect()
}

/// The packet of a payload, which need not fit.
pub fn packet(revision: u64, side: Side, opcode: u16, payload: &[u8]) -> Vec<u8> {
    let table = Table::of(Revision { number: u16::try_from(revision).unwrap(), is_osrs: true }).unwrap();
    let mut packet = match opcode.to_be_bytes() {
        [high, low] if side == SERVER && opcode >= 128 => vec![high | 128, low],
        [_, low] => vec![low],
    };
    let count = payload.len();
    match table.row(side, opcode).unwrap().size {
        tables::Size::Byte => packet.push(u8::try_from(count).unwrap()),
        tables::Size::Short => packet.extend(u16::try_from(count).unwrap().to_be_bytes()),
        tables::Size::Fixed(_) => {}
    }
    packet.extend(payload);
    packet
}

/// The opcode of a packet of the server.
pub fn opcode(revision: u64, name: &str) -> u16 {
    let table = Table::of(Revision { number: u16::try_from(revision).unwrap(), is_osrs: true }).unwrap();
    table.rows(SERVER).find(|(_, row)| row.name == name).unwrap().0
}

/// Compares named values with the nodes of a group, all of which must be among them.
fn compare(expected: &Value, nodes: &[&Outline], message: &[u8]) {
    let mut nodes: Vec<&Outline> = nodes.iter().copied().filter(|node| !DERIVED.contains(&node.name.as_str())).collect();
    nodes.retain(|node| !PARTS.iter().any(|part| node.name.starts_with(part)));
    for (key, value) in expected.as_object().unwrap() {
        let (own, others): (Vec<&Outline>, Vec<&Outline>) = nodes.into_iter().partition(|node| node.key() == key);
        nodes = others;
        assert_eq!(value_of(key, value, &own, message), *value, "{key} of {own:?}");
    }
    assert!(nodes.is_empty(), "{nodes:?} are not in {expected}");
}

/// Values that are bits of another one.
const PARTS: [&str; 3] = ["rs.spot_animation.", "rs.chat.", "rs.coord."];

/// Nodes as JSON in the shape of the expected value.
fn value_of(key: &str, expected: &Value, own: &[&Outline], message: &[u8]) -> Value {
    match expected {
        Value::Array(list) if key == "zones" => palette(own[0], list.len()),
        Value::Array(list) if key == "packets" => {
            for (node, pair) in own[0].below.iter().zip(list) {
                assert_eq!(node.child("rs.name").unwrap().text(), pair[0].as_str());
                let fields: Vec<&Outline> = node.below.iter().filter(|node| node.name != "rs.zone_packet.number").collect();
                compare(&pair[1], &fields, message);
            }
            assert_eq!(own[0].below.len(), list.len());
            expected.clone()
        }
        Value::Array(list) => {
            let mut elements = own.to_vec();
            if let [one] = own
                && !one.below.is_empty()
                && !list.first().is_some_and(Value::is_object)
            {
                elements = one.below.iter().collect();
                elements.retain(|node| node.name != "rs.script.count");
                // The last argument of a script comes first.
                if key == "arguments" {
                    elements.reverse();
                }
            } else if let [one] = own
                && one.span.is_some_and(|(start, end)| end - start == list.len())
                && list.len() > 1
            {
                return trial::bytes(&one.hex(message)).into_iter().map(Value::from).collect();
            }
            assert_eq!(elements.len(), list.len(), "{key}: {own:?}");
            elements.iter().zip(list).map(|(node, value)| value_of(key, value, &[node], message)).collect()
        }
        Value::Object(_) => {
            let [node] = own else { panic!("{key} positions {} times", own.len()) };
            compare(expected, &node.below.iter().collect::<Vec<_>>(), message);
            expected.clone()
        }
        Value::String(text) if text == "gpi_init" => {
            assert!(own[0].child("rs.gpi_init.x").is_some());
            expected.clone()
        }
        _ => {
            let [node] = own else { panic!("{key} positions {} times", own.len()) };
            assert!(node.below.is_empty(), "{key} is a group: {node:?}");
            // Names in base 37 are shown as text.
            node.text().filter(|_| expected.is_u64()).map_or_else(|| node.json(expected, message), base37)
        }
    }
}

/// The number of a name in base 37.
fn base37(name: &str) -> Value {
    let digit = |letter: u8| match letter {
        b'_' => 0,
        b'0'..=b'9' => u64::from(letter - b'0') + 27,
        _ => u64::from(letter - b'a') + 1,
    };
    Value::from(name.bytes().fold(0_u64, |number, letter| number * 37 + digit(letter)))
}

/// Zones that are not empty: level, column, row, and the 26 bits.
fn palette(node: &Outline, count: usize) -> Value {
    let total: i64 = node.below.iter().filter(|node| node.name != "rs.padding").map(|node| node.number().unwrap_or(1)).sum();
    let side = match total / 4 {
        169 => (13, 13),
        6 => (2, 3),
        other => panic!("{other} zones"),
    };
    let mut place = 0;
    let mut zones = Vec::new();
    for node in node.below.iter().filter(|node| node.name != "rs.padding") {
        if node.name == "rs.palette.absent" {
            place += node.number().unwrap();
            continue;
        }
        let of = |name: &str| node.number_of(&format!("rs.palette.{name}")).unwrap();
        let bits = of("level") << 24 | of("zone_x") << 14 | of("zone_y") << 3 | of("rotation") << 1 | of("unused");
        zones.push(json!([place / (side.0 * side.1), place / side.1 % side.0, place % side.1, bits]));
        place += 1;
    }
    assert_eq!(zones.len(), count);
    Value::from(zones)
}

/// Every byte of a message is in a leaf, and leaves are in order.
pub fn assert_covered(tree: &Outline, length: usize) {
    fn leaves(node: &Outline, out: &mut Vec<(usize, usize)>) {
        match (node.below.is_empty(), node.span) {
            (true, Some(span)) if span.0 < span.1 => out.push(span),
            _ => {}
        }
        // Values from derived bytes are in a separate buffer.
        let derived = node.below.iter().position(|node| node.name == "rs.as_sent").map(|at| at + 1);
        let read = node.below.iter().enumerate().filter(|(at, _)| Some(*at) != derived);
        read.for_each(|(_, node)| leaves(node, out));
    }
    let mut all = Vec::new();
    leaves(tree, &mut all);
    let mut covered = 0;
    for (start, end) in all {
        assert!(start <= covered, "bytes {covered} to {start} are in no field: {tree:?}");
        covered = covered.max(end);
    }
    assert_eq!(covered, length, "{tree:?}");
}

/// Announces the size of the world entity that is active from then on.
fn entity(revision: u64, zones: &Value) -> Vec<Vec<u8>> {
    let [width, length] = [0, 1].map(|at| u8::try_from(zones[at].as_u64().unwrap()).unwrap());
    let (name, payload) = match revision {
        // index:u16 flags:u8 size:u8_neg …: written by the layout of the revision.
        237 => ("worldentity_info_v7", entity_v7(revision, width << 4 | length)),
        _ => ("worldentity_info_v5", vec![0, 0, 1, width, length, 0, 0, 0, 0]),
    };
    let active = written(revision, "set_active_world_v2", "", &[("index", 1)]);
    vec![
        packet(revision, SERVER, opcode(revision, name), &payload),
        packet(revision, SERVER, opcode(revision, "set_active_world_v2"), &active),
    ]
}

fn entity_v7(revision: u64, size: u8) -> Vec<u8> {
    let mut payload = vec![0];
    payload.extend(written(revision, "worldentity_info_v7", "new", &[("index", 1), ("size", size.into())]));
    payload
}

/// Numbers of a packet, or of a group of it: those that are given, else 0; conditional fields are absent.
fn written(revision: u64, name: &str, group: &str, given: &[(&str, u64)]) -> Vec<u8> {
    let book = super::random_packets::osrs_row(u16::try_from(revision).unwrap(), name);
    let list = match group {
        "" => book,
        _ => book.split_once(&format!("{group}:{{")).unwrap().1.split_once('}').unwrap().0,
    };
    let mut payload = Vec::new();
    // A nested group comes last, and is conditional.
    for field in list.split(' ').take_while(|field| !field.contains('{')).filter(|field| !field.contains('@')) {
        let (name, kind) = field.split_once(':').unwrap();
        let raw = given.iter().find(|(known, _)| *known == name).map_or(0, |(_, raw)| *raw);
        if kind == "fine_move" {
            payload.push(0);
        } else {
            super::random_packets::write(kind, raw, &mut payload).unwrap();
        }
    }
    payload
}

#[test]
fn packets_have_the_values_of_the_vectors_and_cover_every_byte() {
    let mut count = 0;
    for vector in vectors("packets") {
        count += 1;
        let revision = vector["revision"].as_u64().unwrap();
        let side = if vector["direction"] == "s2c" { SERVER } else { CLIENT };
        let opcode = u16::try_from(vector["opcode"].as_u64().unwrap()).unwrap();
        let packet = packet(revision, side, opcode, &bytes(vector["hex"].as_str().unwrap()));
        let name = format!("osrs-{revision}");
        let mut messages = Vec::new();
        if vector.get("entity_zones").is_some() {
            messages.extend(entity(revision, &vector["entity_zones"]).into_iter().map(|packet| (SERVER, packet)));
        }
        messages.push((side, packet.clone()));
        let trees = dissect_messages(&[("rs.revision", &name), ("rs.isaac", "off")], &messages);
        assert_eq!(trees.len(), messages.len(), "{vector}");
        let dump = trees.last().unwrap();
        assert!(!dump.contains("! broken") && !dump.contains("rs.trailing"), "{vector}\n{dump}");
        let tree = Outline::of(dump);
        assert_eq!(tree.child("rs.name").unwrap().text(), vector["name"].as_str());
        compare(&vector["fields"], &tree.below.iter().collect::<Vec<_>>(), &packet);
        assert_covered(&tree, packet.len());
    }
    assert_eq!(count, 50);
}

/// Changes of players in the order of the bits.
fn player_changes(tree: &Outline) -> Vec<Value> {
    let mut changes = Vec::new();
    for node in tree.below.iter().filter(|node| ["rs.player_info.near", "rs.player_info.far"].contains(&node.name.as_str())) {
        let of = |name: &str| node.number_of(name);
        let index = of("rs.player_index").unwrap();
        let tile = || json!([of("rs.world_level"), of("rs.world_x"), of("rs.world_y")]);
        let region = of("rs.region.x").map(|x| json!([index, "low", [of("rs.region.level"), x, of("rs.region.z")]]));
        let update = of("rs.move.update");
        if node.name == "rs.player_info.near" {
            match of("rs.player_info.near.type").unwrap() {
                0 if update == Some(1) => changes.push(json!([index, "still"])),
                0 => {
                    changes.push(json!([index, "remove"]));
                    changes.extend(region);
                }
                kind => {
                    let how = ["walk", "run", "teleport"][usize::try_from(kind).unwrap() - 1];
                    changes.push(json!([index, how, tile(), update]));
                }
            }
        } else {
            changes.extend(region);
            if node.child("rs.player_info.new.x").is_some() {
                changes.push(json!([index, "add", tile(), update]));
            }
        }
    }
    changes
}

/// Changes of NPCs in the order of the bits, those beyond the count first.
fn npc_changes(tree: &Outline) -> Vec<Value> {
    let mut changes: Vec<Value> = Vec::new();
    let dropped = tree.below.iter().filter(|node| node.name == "rs.npc_info.dropped");
    changes.extend(dropped.map(|node| json!([node.number(), "dropped"])));
    for node in &tree.below {
        let of = |name: &str| node.number_of(name);
        match node.name.as_str() {
            "rs.npc_info.known" if of("rs.move.moved") == Some(1) => {
                let index = of("rs.npc_index").unwrap();
                let (first, second) = (of("rs.move.direction"), of("rs.move.direction2"));
                changes.push(match of("rs.npc_info.type").unwrap() {
                    0 => json!([index, "still"]),
                    1 => json!([index, "walk", first]),
                    2 if second.is_some() => json!([index, "run", first, second]),
                    2 => json!([index, "crawl", first]),
                    _ => json!([index, "remove"]),
                });
            }
            "rs.npc_info.new" => {
                let fields = node.below.iter().filter(|node| !DERIVED.contains(&node.name.as_str()));
                let fields: serde_json::Map<String, Value> =
                    fields.map(|node| (node.key().to_owned(), json!(node.number()))).collect();
                changes.push(json!([of("rs.npc_info.new.index"), "new", fields]));
            }
            _ => {}
        }
    }
    changes
}

/// Compares an update with its changes and blocks.
fn compare_update(tree: &Outline, expected: &Value, message: &[u8]) {
    let is_players = tree.below.iter().any(|node| node.name == "rs.name" && node.value.contains("player_info"));
    let changes = if is_players { player_changes(tree) } else { npc_changes(tree) };
    assert_eq!(json!(changes), expected["changes"], "{tree:?}");
    let updates: Vec<&Outline> = tree.below.iter().filter(|node| node.name.ends_with("_info.update")).collect();
    let blocks = expected["blocks"].as_array().unwrap();
    assert_eq!(updates.len(), blocks.len(), "{tree:?}");
    for (node, block) in updates.iter().zip(blocks) {
        let masks = node.below.iter().filter(|node| node.key().starts_with("mask"));
        let mask: i64 = masks.enumerate().map(|(place, node)| node.number().unwrap() << (8 * place)).sum();
        let index = node.number_of("rs.player_index").or(node.number_of("rs.npc_index"));
        assert_eq!(json!([index, mask]), json!([block[0], block[1]]), "{node:?}");
        let fields: Vec<&Outline> = node.below.iter().filter(|node| !node.key().starts_with("mask")).collect();
        compare(&block[2], &fields, message);
    }
}

/// Dissects a sequence of updates.
fn sequence(vector: &Value, begin: Vec<Vec<u8>>, names: impl Fn(&Value) -> String) {
    let revision = vector["revision"].as_u64().unwrap();
    let local = vector["local"].as_u64().unwrap_or(1).to_string();
    let mut messages: Vec<(Side, Vec<u8>)> = begin.into_iter().map(|packet| (SERVER, packet)).collect();
    let first = messages.len();
    let steps = vector["packets"].as_array().unwrap();
    messages.extend(
        steps.iter().map(|step| {
            (SERVER, packet(revision, SERVER, opcode(revision, &names(step)), &bytes(step["hex"].as_str().unwrap())))
        }),
    );
    let settings = [("rs.revision", &*format!("osrs-{revision}")), ("rs.isaac", "off"), ("rs.player_index", &*local)];
    let trees = dissect_messages(&settings, &messages);
    assert_eq!(trees.len(), messages.len());
    for ((dump, (_, message)), step) in trees.iter().zip(&messages).skip(first).zip(steps) {
        assert!(!dump.contains("! broken"), "{dump}");
        let tree = Outline::of(dump);
        compare_update(&tree, &step["expect"], message);
        assert_covered(&tree, message.len());
    }
}

#[test]
fn players_move_and_change_as_in_the_vectors() {
    let mut count = 0;
    for vector in vectors("players") {
        count += 1;
        let revision = vector["revision"].as_u64().unwrap();
        let init = packet(revision, SERVER, 255, &bytes(vector["init"].as_str().unwrap()));
        sequence(&vector, vec![init], |_| "player_info".to_owned());
    }
    assert_eq!(count, 4);
}

#[test]
fn npcs_move_and_change_as_in_the_vectors() {
    let mut count = 0;
    for vector in vectors("npcs") {
        count += 1;
        let revision = vector["revision"].as_u64().unwrap();
        let version = if revision < 226 { 4 } else { 5 };
        sequence(&vector, Vec::new(), |step| format!("npc_info_{}_v{version}", step["size"].as_str().unwrap()));
    }
    assert_eq!(count, 4);
}

#[test]
fn logs_have_the_records_of_the_vectors_at_their_offsets() {
    let mut count = 0;
    for vector in vectors("logs") {
        count += 1;
        let file = bytes(vector["hex"].as_str().unwrap());
        let mut capture = Capture::open(Box::new(Cursor::new(file.clone()))).unwrap();
        let mut engine = Engine::complete(Registry::default());
        let header = capture.next_frame().unwrap().unwrap();
        let (mut offset, mut time) = (header.bytes.len(), header.time.unwrap());
        engine.dissect(&header);
        for record in vector["expect"].as_array().unwrap() {
            let frame = capture.next_frame().unwrap().unwrap();
            let words = dump(Dissection { tree: engine.dissect(&frame), bytes: frame.bytes });
            assert!(!words.contains("! broken"), "{words}");
            let words = words.split_once("rs 0..").map_or(words.clone(), |(_, rest)| format!("rs 0..{rest}"));
            let tree = Outline::of(&words);
            assert_eq!(tree.child("rs.name").unwrap().text(), record["name"].as_str());
            assert_eq!(tree.child("rs.direction").unwrap().text(), record["direction"].as_str());
            assert_eq!(tree.number_of("rs.log.offset"), i64::try_from(offset).ok());
            assert_eq!(file[offset..offset + frame.bytes.len()], *frame.bytes);
            let passed = frame.time.unwrap().nanos_since(time) / 1_000_000;
            assert_eq!(json!(passed), record["ms"]);
            time = frame.time.unwrap();
            offset += frame.bytes.len();
            match record["fields"].get("changes") {
                Some(_) => compare_update(&tree, &record["fields"], frame.bytes),
                None => compare(&record["fields"], &tree.below.iter().collect::<Vec<_>>(), frame.bytes),
            }
            assert_covered(&tree, frame.bytes.len());
        }
        assert!(capture.next_frame().unwrap().is_none());
        assert_eq!(offset, file.len());
    }
    assert_eq!(count, 2);
}

/// Packets of one side of the vectors of a revision, in clear.
fn clear_packets(revision: u64, side: Side) -> Vec<u8> {
    let of = if side == SERVER { "s2c" } else { "c2s" };
    let own = vectors("packets").filter(|vector| vector["revision"] == revision && vector["direction"] == of);
    let own = own.filter(|vector| vector.get("entity_zones").is_none());
    own.flat_map(|vector| {
        let opcode = u16::try_from(vector["opcode"].as_u64().unwrap()).unwrap();
        packet(revision, side, opcode, &bytes(vector["hex"].as_str().unwrap()))
    })
    .collect()
}

#[test]
fn the_revision_is_detected_from_packets_of_both_sides() {
    for revision in [223, 233, 239] {
        for side in [SERVER, CLIENT] {
            let bytes = clear_packets(revision, side).repeat(8);
            if bytes.is_empty() {
                continue;
            }
            let trees = dissect_messages(&[("rs.isaac", "off")], &[(side, bytes)]).concat();
            let note =
                trees.lines().find(|line| line.contains("rs.detected")).unwrap_or_else(|| panic!("{revision} {side}: {trees}"));
            assert!(
                note.contains(&format!("osrs-{revision} fits the first ")) && note.ends_with(" %"),
                "{revision} {side}: {note}"
            );
        }
    }
}

#[test]
fn random_bytes_are_of_no_revision() {
    let mut dice = super::random_packets::Dice(7);
    for _ in 0..20 {
        let bytes = dice.bytes(3000);
        let trees = dissect_messages(&[("rs.isaac", "off")], &[(SERVER, bytes)]).concat();
        assert!(!trees.contains("rs.detected"), "{trees}");
    }
}
