//! Round trip of every packet of every table with random values.

use super::random_packets::{Book, Line, Maker};
use super::*;
use proptest::prelude::*;

/// Fields derived from others or covering other bytes, which the writer does not list.
const WORKED_OUT: [&str; 29] = [
    "rs.name",
    "rs.direction",
    "rs.size",
    "rs.opcode",
    "rs.padding",
    "rs.payload",
    "rs.player_name",
    "rs.hint_arrow.unused",
    "rs.palette.absent",
    "rs.slots.item",
    "rs.coord.",
    "rs.point.",
    "rs.loc_info.",
    "rs.radius_loops.",
    "rs.chat.",
    "rs.spot_animation.",
    "rs.colour.",
    "rs.log.",
    "rs.as_sent",
    "rs.player_index",
    "rs.npc_index",
    "rs.npc_type",
    "rs.npc_name",
    "rs.npc_info.dropped",
    "rs.gpi_init.absent",
    "rs.region.",
    "rs.world_x",
    "rs.world_y",
    "rs.world_level",
];

/// The packet around a payload.
pub fn framed(line: &Line, payload: &[u8], has_long_opcodes: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    match line.opcode.to_be_bytes() {
        [high, low] if has_long_opcodes && line.side == SERVER && line.opcode > 127 => bytes.extend([high + 128, low]),
        [_, low] => bytes.push(low),
    }
    match line.size {
        -1 => bytes.push(u8::try_from(payload.len()).unwrap()),
        -2 => bytes.extend(u16::try_from(payload.len()).unwrap().to_be_bytes()),
        size => assert_eq!(payload.len(), usize::try_from(size).unwrap(), "{}", line.name),
    }
    bytes.extend(payload);
    bytes
}

/// Values of a tree without derived ones: `path = value`.
pub fn shown(tree: &str) -> Vec<String> {
    let nodes = tree.lines().skip(1).filter(|line| line.starts_with(' '));
    let values = nodes.filter_map(|line| {
        let (place, value) = line.split_once(" = ")?;
        let path = place.rsplit(' ').next()?;
        let value = if value.starts_with('"') { value } else { value.split(" (").next()? };
        (!is_worked_out(path)).then(|| format!("{path} = {value}"))
    });
    values.collect()
}

/// Whether a field is derived from others.
pub fn is_worked_out(path: &str) -> bool {
    WORKED_OUT.iter().any(|known| if known.ends_with('.') { path.starts_with(known) } else { path == *known })
}

/// Invariants of a packet's tree.
pub fn compare(tree: &str, name: &str, length: usize, written: &[String]) -> Result<(), String> {
    let head = tree.lines().next().unwrap_or_default();
    let is_named = head.split(" | ").take(2).eq([format!("rs 0..{length}"), name.to_owned()]);
    if !is_named || tree.contains("! broken") || tree.contains("rs.trailing") {
        return Err(format!("{name} is read as\n{tree}"));
    }
    let shown = shown(tree);
    let written: Vec<&String> = written.iter().filter(|line| !is_worked_out(line.split(" = ").next().unwrap())).collect();
    match (0..shown.len().max(written.len())).find(|at| shown.get(*at) != written.get(*at).copied()) {
        Some(at) => Err(format!("{name} shows {:?}, but {:?} was written\n{tree}", shown.get(at), written.get(at))),
        None => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn every_row_is_read_back(seed in any::<u64>()) {
        let begun = [(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V10), (SERVER, V9_IN)].map(|(side, hex)| (side, trial::bytes(hex))).to_vec();
        for book in Book::all() {
            let settings = [("rs.revision", book.revision), ("rs.isaac", "off")];
            for line in &book.lines {
                let random_packets = Maker::new(&book, seed).packet(line);
                let packet = framed(line, &random_packets.bytes, book.revision == "223");
                let mut messages = begun.clone();
                messages.push((line.side, packet.clone()));
                let trees = dissect_messages(&settings, &messages);
                prop_assert_eq!(trees.len(), 5, "{} {} {:02x?}\n{}", book.revision, line.name, packet, trees.concat());
                if let Err(why) = compare(&trees[4], line.name, packet.len(), &random_packets.shown) {
                    prop_assert!(false, "{}, {:02x?}: {}", book.revision, packet, why);
                }
            }
        }
    }
}

/// Shapes that random values must reach for the property to be meaningful.
#[test]
fn random_packets_are_long_and_full_of_updates_and_zones() {
    let (mut longest, mut kinds) = ([0; 2], [0; 4]);
    for seed in 0..8 {
        for book in Book::all() {
            for line in &book.lines {
                let random_packets = Maker::new(&book, seed).packet(line);
                match line.size {
                    -1 => longest[0] = random_packets.bytes.len().max(longest[0]),
                    -2 => longest[1] = random_packets.bytes.len().max(longest[1]),
                    _ => {}
                }
                let paths = ["rs.player_info.update.mask", "rs.npc_info.update.mask", "rs.obj_add.obj", "rs.appearance.name"];
                for (count, path) in kinds.iter_mut().zip(paths) {
                    *count += usize::from(line.size == -2 && random_packets.shown.iter().any(|shown| shown.starts_with(path)));
                }
            }
        }
    }
    assert_eq!(longest[0], 255);
    assert!(longest[1] > 4900, "{longest:?}");
    assert!(kinds.iter().all(|count| *count > 20), "{kinds:?}");
}
