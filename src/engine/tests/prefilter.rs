//! Filtered-out frames leave no layers, but pending messages of other conversations are kept.

use super::tcp::from_port;
use super::*;
use crate::engine::{FrameParts, Prefilter};
use crate::layers::ip;
use crate::tree::{Only, Tree};
use crate::wire::trial;

/// An engine whose filter rejects every frame by its headers.
fn engine() -> Engine {
    let prefilter = Prefilter { headers: Some(Only::these([&ip::SRC])), may_match: Box::new(|_| false) };
    Engine::complete(Registry::of(TOYS)).with_prefilter(Some(prefilter))
}

fn dissect<'a>(engine: &'a mut Engine, number: u64, bytes: &[u8]) -> &'a Tree {
    let original_len = u32::try_from(bytes.len()).unwrap();
    engine.dissect(&Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() })
}

fn lengths(tree: &Tree) -> usize {
    tree.nodes.iter().filter(|node| node.field.is(&LENGTH)).count()
}

#[test]
fn late_messages_at_the_end_are_complete() {
    let mut engine = engine();
    let tree = dissect(&mut engine, 1, &bytes(&client(100, &[3, 7, 8, 9, 5, 1])));
    assert!(tree.outcome.filtered_out && lengths(tree) == 0 && tree.layers.len() == 3);
    let left = engine.finish().unwrap();
    assert!(!left.outcome.filtered_out && lengths(left) == 1);
}

/// Frames of one conversation after the other, with these bytes and as many headers below TCP.
fn assert_evicted_are_complete(link: u16, below: &[u8], headers: usize) {
    let mut engine = engine();
    let mut emitted = 0;
    for (number, port) in (1..).zip(1024..=u16::MAX) {
        let bytes = [below, &from_port(&client(100, &[3, 7]), port)].concat();
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, link: Link::Type(link), bytes: &bytes, original_len, ..Frame::default() });
        let goes = tree.layers.len() > headers;
        assert_eq!((tree.outcome.filtered_out, lengths(tree)), (true, if goes { tree.layers.len() - headers } else { 0 }));
        // Only these layers of the frame are displayed.
        let seen = tree.layers.iter().filter(|layer| tree.is_seen(layer)).count();
        assert_eq!(seen, lengths(tree));
        emitted += lengths(tree);
        if emitted > 1000 && !trial::is_thorough() {
            break;
        }
    }
    assert!(emitted > 1000, "{emitted}");
}

#[test]
fn messages_of_evicted_conversations_are_complete() {
    assert_evicted_are_complete(101, &[], 2);
}

/// Headers of these frames are skipped as well, since Ethernet is plain.
#[test]
fn messages_of_evicted_conversations_over_ethernet_are_complete() {
    assert_evicted_are_complete(1, &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0], 3);
}

/// The messages of every frame with an odd number, with the time since the previous one.
fn odd_ones(segments: &[Vec<u8>], prefilter: Option<Prefilter>) -> (Vec<String>, String) {
    let mut engine = Engine::complete(Registry::of(TOYS)).with_prefilter(prefilter);
    let mut tally = Tally::new(View::Messages);
    let mut seen = Vec::new();
    for (number, bytes) in (1..).zip(segments) {
        let time = Some(Timestamp { seconds: i64::try_from(number * number).unwrap(), nanos: 0 });
        let original_len = u32::try_from(bytes.len()).unwrap();
        // Selects one sender, as a filter would.
        let tree = engine.dissect(&Frame { number, time, link: Link::Type(101), bytes, original_len, ..Frame::default() });
        let is_odd = bytes[15] % 2 == 1;
        let Ok(()) = tally.records(Dissection { tree, bytes }, true, |record| {
            if let Record::Message(message) = record
                && is_odd
            {
                let frames = message.frames();
                seen.push(format!(
                    "{} {frames:?} {:?} {:?}",
                    message.n,
                    message.times.since_start(),
                    message.times.since_previous()
                ));
            }
            Ok::<(), std::convert::Infallible>(())
        });
    }
    (seen, format!("{tally:?}"))
}

proptest! {
    #[test]
    fn filtered_messages_are_counted_and_timely(
        sent in prop::collection::vec((0_u8..4, 0_u32..60, 1_usize..12, any::<bool>()), 1..40)
    ) {
        let segments: Vec<Vec<u8>> = sent
            .iter()
            .map(|(host, seq, len, is_client)| {
                let side = if *is_client { Side::Client } else { Side::Server };
                // Bytes of unknown format, and messages with such bytes between them.
                let byte = |at: u32| match (*host, at % 5) {
                    (2.., _) => 0xee,
                    (_, 0) => 0xff,
                    _ => 1,
                };
                let payload: Vec<u8> = (*seq..).map(byte).take(*len).collect();
                let mut bytes = bytes(&says(side, 100 + seq, &payload));
                // Both ends get the number of the host.
                (bytes[15], bytes[19]) = (*host, *host);
                bytes
            })
            .collect();
        let may_match = |known: FrameParts<'_>| match known {
            FrameParts::FastHeaders(_) => true,
            FrameParts::Headers(of) | FrameParts::Layers(of) => of.bytes[15] % 2 == 1,
        };
        let prefilter = Prefilter { headers: Some(Only::these([&ip::SRC])), may_match: Box::new(may_match) };
        prop_assert_eq!(odd_ones(&segments, Some(prefilter)), odd_ones(&segments, None));
    }
}
