//! Invariants of every protocol, checked on every sample.

use crate::common::{is_own_case, own_cases};
use proptest::prelude::*;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Capture, Frame, Link, Timestamp};
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Dissection, Kind, Layer, NodeRef, Origin, Side, StreamId, Tree, dump};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A frame that outlives its reader.
struct Kept {
    number: u64,
    time: Option<Timestamp>,
    link: Link,
    bytes: Vec<u8>,
    secrets: Vec<u8>,
}

impl Kept {
    fn frame(&self) -> Frame<'_> {
        self.cut(self.bytes.len())
    }

    /// The frame truncated to this snap length.
    fn cut(&self, len: usize) -> Frame<'_> {
        Frame {
            number: self.number,
            time: self.time,
            link: self.link,
            bytes: &self.bytes[..len],
            secrets: &self.secrets,
            original_len: u32::try_from(self.bytes.len()).unwrap(),
            ..Frame::default()
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "md"));
    paths.sort();
    assert!(paths.len() > 5);
    paths
}

fn frames(path: &Path) -> Vec<Kept> {
    let mut capture = Capture::open(Box::new(fs::File::open(path).unwrap())).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = capture.next_frame().unwrap() {
        frames.push(Kept {
            number: frame.number,
            time: frame.time,
            link: frame.link,
            bytes: frame.bytes.to_vec(),
            secrets: frame.secrets.to_vec(),
        });
    }
    frames
}

/// Passes every tree of a sample to `look`, with its origin.
fn trees(mut look: impl FnMut(&str, Dissection<'_>)) {
    for path in samples() {
        let mut engine = Engine::complete(Registry::default());
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for frame in frames(&path) {
            let tree = engine.dissect(&frame.frame());
            look(&format!("{name} frame {}", frame.number), Dissection { tree, bytes: &frame.bytes });
        }
        while let Some(tree) = engine.finish() {
            look(&format!("{name} at its end"), Dissection { tree, bytes: &[] });
        }
    }
}

fn each_below(node: NodeRef<'_>, look: &mut impl FnMut(NodeRef<'_>, NodeRef<'_>)) {
    for child in node.children() {
        look(node, child);
        each_below(child, look);
    }
}

#[test]
fn names_of_fields_are_unique_and_begin_with_their_protocol() {
    let mut seen = HashSet::new();
    for protocol in Registry::default().protocols() {
        let own = protocol.this.abbrev;
        assert!(protocol.fields.iter().any(|field| field.is(protocol.this)), "{own} is not among its fields");
        for field in protocol.fields {
            assert!(seen.insert(field.abbrev), "{} stands twice", field.abbrev);
            // Wireshark names the fields of Multiple Spanning Tree, a form of STP messages, so.
            let prefixes = if own == "stp" { vec!["stp", "mstp"] } else { vec![own] };
            let is_own = prefixes.iter().any(|own| field.abbrev == *own || field.abbrev.starts_with(&format!("{own}.")));
            assert!(is_own, "{} in {own}", field.abbrev);
            assert!(!field.name.is_empty(), "{} has no label", field.abbrev);
            // Descriptions of protocols and notes are also shown without the label.
            let needs_description = matches!(field.kind, Kind::Protocol | Kind::Note(_));
            assert!(!needs_description || !field.about.is_empty(), "{} has no description", field.abbrev);
            let numbers: HashSet<u64> = field.names.iter().map(|(number, _)| *number).collect();
            assert_eq!(numbers.len(), field.names.len(), "{} has two names for a number", field.abbrev);
        }
    }
}

#[test]
fn a_child_lies_inside_its_parent_and_nodes_are_in_order() {
    trees(|place, of| {
        for layer in &of.tree.layers {
            let top = of.layer_node(layer).unwrap();
            each_below(top, &mut |parent, child| {
                let (outer, inner) = (parent.span(), child.span());
                if outer.is_somewhere() && inner.is_somewhere() && outer.source == inner.source {
                    let inside = outer.start <= inner.start && inner.end <= outer.end;
                    assert!(inside, "{place}: {:?} {inner:?} outside {:?} {outer:?}", child.field(), parent.field());
                }
                assert!(child.place() > parent.place());
            });
        }
    });
}

#[test]
fn every_field_is_in_the_list_of_its_protocol() {
    let registry = Registry::default();
    let known: HashSet<*const _> = registry.fields().map(std::ptr::from_ref).collect();
    trees(|place, of| {
        for node in &of.tree.nodes {
            assert!(known.contains(&std::ptr::from_ref(node.field)), "{place}: {:?}", node.field);
        }
        for note in &of.tree.notes {
            assert!(known.contains(&std::ptr::from_ref(note.code)), "{place}: {:?}", note.code);
            assert!(matches!(note.code.kind, Kind::Note(_)));
        }
    });
}

/// The bytes of a source covered by leaves.
fn covered(of: Dissection<'_>, layers: &[Layer], source: u32, len: usize) -> Vec<bool> {
    let mut covered = vec![false; len];
    for layer in layers {
        each_below(of.layer_node(layer).unwrap(), &mut |_, node| {
            if node.span().source == source && !node.has_children() {
                covered[node.span().range()].fill(true);
            }
        });
    }
    covered
}

#[test]
fn every_byte_of_a_frame_is_in_a_field() {
    trees(|place, of| {
        if of.tree.frame.link.is_none() {
            return;
        }
        let covered = covered(of, &of.tree.layers, 0, of.bytes.len());
        let hole = covered.iter().position(|covered| !covered);
        assert_eq!(hole, None, "{place}: byte {hole:?} is in no field\n{}", dump(of));
    });
}

#[test]
fn every_byte_of_a_message_is_in_a_field() {
    trees(|place, of| {
        for layer in of.tree.layers.iter().filter(|layer| layer.message) {
            let node = of.layer_node(layer).unwrap();
            let span = node.span();
            let covered = covered(of, std::slice::from_ref(layer), span.source, span.end as usize);
            let hole = covered[span.range()].iter().position(|covered| !covered);
            assert_eq!(hole, None, "{place}: byte {hole:?} of {:?} is in no field\n{}", node.field(), dump(of));
        }
    });
}

/// The stream bytes covered by layers of the records of a view: sorted disjoint ranges.
fn stream_bytes(frames: &[Kept], view: View) -> HashMap<(StreamId, Side), Vec<(u64, u64)>> {
    let mut covered: HashMap<(StreamId, Side), Vec<(u64, u64)>> = HashMap::new();
    let mut cover = |of: Dissection<'_>, layers: Vec<&Layer>| {
        for node in layers.into_iter().filter_map(|layer| of.layer_node(layer)) {
            let Some(source) = of.tree.source(node.span()) else { continue };
            if let Origin::Stream(stream, side) = source.origin {
                let range = node.span().range();
                let range = (source.base + range.start as u64, source.base + range.end as u64);
                covered.entry((stream, side)).or_default().push(range);
            }
        }
    };
    let mut tally = Tally::new(view);
    let mut show = |record: Record<'_>| {
        match record {
            Record::Message(message) => cover(message.of, [message.carriers(), vec![message.layer]].concat()),
            Record::Packet(packet) => cover(packet.of, packet.layers().collect()),
            Record::Late(late) => cover(late.of, late.layers.iter().collect()),
            Record::Gap(_) => {}
        }
        Ok::<(), Infallible>(())
    };
    let mut engine = Engine::complete(Registry::default());
    for kept in frames {
        let tree = engine.dissect(&kept.frame());
        let Ok(()) = tally.records(Dissection { tree, bytes: &kept.bytes }, true, &mut show);
    }
    while let Some(tree) = engine.finish() {
        let Ok(()) = tally.records(Dissection { tree, bytes: &[] }, false, &mut show);
    }
    for ranges in covered.values_mut() {
        ranges.sort_unstable();
        let mut whole: Vec<(u64, u64)> = Vec::new();
        for &(start, end) in ranges.iter().filter(|(start, end)| start < end) {
            match whole.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => whole.push((start, end)),
            }
        }
        *ranges = whole;
    }
    covered
}

#[test]
fn messages_and_packets_cover_the_same_bytes_of_each_stream() {
    // Without some frames, streams have holes.
    for every in own_cases([7, usize::MAX, 2, 23], 0, 2) {
        let mut bytes = 0;
        for path in samples() {
            let mut kept = frames(&path);
            let mut number = 0;
            kept.retain(|_| {
                number += 1;
                number % every != 0
            });
            let [messages, packets] = [View::Messages, View::Packets].map(|view| stream_bytes(&kept, view));
            assert_eq!(messages, packets, "{}, without every {every}th frame", path.display());
            bytes += messages.values().flatten().map(|(start, end)| end - start).sum::<u64>();
        }
        assert!(bytes > 10_000, "{bytes}");
    }
}

#[test]
fn a_frame_cut_anywhere_gives_the_same_fields_up_to_the_cut() {
    for path in samples() {
        for (number, frame) in frames(&path).iter().take(60).enumerate() {
            let mut engine = Engine::complete(Registry::default());
            let whole = leaves(engine.dissect(&frame.frame()), &frame.bytes);
            // Otherwise each frame is cut at a sixteenth of the offsets, the next one at others.
            let is_own = |cut: usize| is_own_case(cut + number, 16);
            for cut in (0..frame.bytes.len()).filter(|cut| (*cut < 120 || cut % 97 == 0) && is_own(*cut)) {
                let mut engine = Engine::complete(Registry::default());
                let frame = frame.cut(cut);
                let tree = engine.dissect(&frame);
                let of = Dissection { tree, bytes: frame.bytes };
                if tree.frame.link.is_some() {
                    let hole = covered(of, &tree.layers, 0, cut).iter().position(|covered| !covered);
                    assert_eq!(hole, None, "{path:?} frame {} cut at {cut}: byte {hole:?}\n{}", frame.number, dump(of));
                }
                for leaf in leaves(tree, frame.bytes).iter().filter(|leaf| leaf.0.starts_with("eth.") || leaf.0.starts_with("ip"))
                {
                    let of_payload = leaf.0.contains("padding") || leaf.0.contains("trailer");
                    assert!(of_payload || whole.contains(leaf), "{path:?} frame {} cut at {cut}: {leaf:?}", frame.number);
                }
            }
        }
    }
}

/// Names, spans and values in the frame itself.
fn leaves(tree: &Tree, bytes: &[u8]) -> Vec<(&'static str, u32, String)> {
    let of = Dissection { tree, bytes };
    let mut leaves = Vec::new();
    for layer in &tree.layers {
        each_below(of.layer_node(layer).unwrap(), &mut |_, node| {
            if node.span().source == 0 && !node.has_children() && node.field().kind != Kind::Group {
                let mut value = String::new();
                node.write_value(&mut value).unwrap();
                leaves.push((node.field().abbrev, node.span().start, value));
            }
        });
    }
    leaves
}

#[test]
fn the_same_bytes_give_the_same_tree() {
    let dumps = || {
        let mut dumps = Vec::new();
        trees(|_, of| dumps.push(dump(of)));
        dumps
    };
    assert_eq!(dumps(), dumps());
}

/// Every byte of a frame with a link type is in a field, whatever its content.
fn assert_all_explained(frame: &Frame<'_>) {
    let mut engine = Engine::complete(Registry::default());
    let tree = engine.dissect(frame);
    let of = Dissection { tree, bytes: frame.bytes };
    let hole = covered(of, &tree.layers, 0, frame.bytes.len()).iter().position(|covered| !covered);
    assert_eq!(hole, None, "byte {hole:?} of {:02x?}\n{}", frame.bytes, dump(of));
    while engine.finish().is_some() {}
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_frames_are_explained_to_the_last_byte(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        kept in any::<prop::sample::Index>(),
    ) {
        static FRAMES: LazyLock<Vec<Kept>> = LazyLock::new(|| {
            let all = samples().into_iter().flat_map(|path| frames(&path));
            all.filter(|frame| matches!(frame.link, Link::Type(_)) && frame.bytes.len() < 400).collect()
        });
        let frame = &FRAMES[which.index(FRAMES.len())];
        let mut bytes = frame.bytes.clone();
        for (place, byte) in damage {
            let headers = bytes.len().min(90);
            bytes[place.index(headers)] = byte;
        }
        let whole = Kept { number: 1, time: None, link: frame.link, bytes, secrets: Vec::new() };
        assert_all_explained(&whole.frame());
        assert_all_explained(&whole.cut(kept.index(whole.bytes.len() + 1)));
    }

    #[test]
    fn any_bytes_of_any_link_type_are_explained(link in 0_u16..300, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let frame = Kept { number: 1, time: None, link: Link::Type(link), bytes, secrets: Vec::new() };
        assert_all_explained(&frame.frame());
    }
}
