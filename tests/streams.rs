//! A Pip-Boy session through the whole engine, its stream cut and shuffled anyhow: always the same messages.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")]

use etherparse::PacketBuilder;
use proptest::prelude::*;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Capture, Frame, Link};
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Dissection, NodeRef, Side, Want};
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::sync::LazyLock;

/// What the game says in the sample session.
static STREAM: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/pipboy-follow.txt");
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut stream = Vec::new();
    while let Some(frame) = capture.next_frame().unwrap() {
        if frame.link == Link::Stream(Side::Server) {
            stream.extend_from_slice(frame.bytes);
        }
    }
    stream
});

const START: u32 = 0xffff_f000;

fn segment(at: usize, payload: &[u8], syn: bool) -> Vec<u8> {
    let seq = if syn { START.wrapping_sub(1) } else { START.wrapping_add(u32::try_from(at).unwrap()) };
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(27000, 5000, seq, 1000).ack(1);
    let builder = if syn { builder.syn() } else { builder };
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// Each message in full: its place in the stream, and all its fields with their spans and values.
fn messages(packets: &[Vec<u8>]) -> Vec<String> {
    let mut engine = Engine::new(Registry::default(), Want::EVERYTHING);
    let mut tally = Tally::new(View::Messages);
    let mut messages = Vec::new();
    let mut show = |record: Record<'_>| -> Result<(), ()> {
        let Record::Message(message) = record else { panic!("a gap where nothing is missing") };
        let node = message.node().unwrap();
        let mut text = format!("{} @{} {}", message.path(), message.pieces()[0].off, message.info());
        fields(node, &mut text);
        assert_eq!(message.notes().count(), 0, "{text}");
        messages.push(text);
        Ok(())
    };
    for (number, bytes) in (1..).zip(packets) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() };
        tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show).unwrap();
    }
    while let Some(tree) = engine.finish() {
        tally.records(Dissection { tree, bytes: &[] }, false, &mut show).unwrap();
    }
    messages
}

fn fields(node: NodeRef<'_>, text: &mut String) {
    for child in node.children() {
        let span = child.span();
        write!(text, "\n{} {}..{} ", child.field().abbrev, span.start, span.end).unwrap();
        child.write_plain(text).unwrap();
        fields(child, text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_session_cut_and_shuffled_anyhow_has_the_same_messages(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..60),
        again in any::<prop::sample::Index>(),
    ) {
        static WHOLE: LazyLock<Vec<String>> = LazyLock::new(|| messages(&[segment(0, &[], true), segment(0, &STREAM, false)]));
        prop_assert!(WHOLE.len() > 40);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(STREAM.len())).chain([0, STREAM.len()]).collect();
        places.sort_unstable();
        places.dedup();
        let mut packets: Vec<Vec<u8>> = places.windows(2).map(|pair| segment(pair[0], &STREAM[pair[0]..pair[1]], false)).collect();
        packets.push(packets[again.index(packets.len())].clone());
        for (a, b) in swaps {
            let (a, b) = (a.index(packets.len()), b.index(packets.len()));
            packets.swap(a, b);
        }
        packets.insert(0, segment(0, &[], true));
        prop_assert_eq!(messages(&packets), WHOLE.clone());
    }
}

/// Where the last whole message among the first bytes ends.
fn whole_messages(first: usize) -> usize {
    let mut at = 0;
    while let Some(header) = STREAM.get(at..at + 4) {
        let next = at + 5 + usize::try_from(u32::from_le_bytes(header.try_into().unwrap())).unwrap();
        if next > first {
            break;
        }
        at = next;
    }
    at
}

#[test]
fn a_session_byte_by_byte_has_the_same_messages() {
    let end = whole_messages(12_000);
    let whole = messages(&[segment(0, &[], true), segment(0, &STREAM[..end], false)]);
    let mut packets = vec![segment(0, &[], true)];
    packets.extend((0..end).map(|at| segment(at, &STREAM[at..=at], false)));
    assert!(whole.len() > 5);
    assert_eq!(messages(&packets), whole);
}
