//! Sessions through the whole engine, with streams segmented, reordered and retransmitted in any way: always the same messages.

use crate::common::sides::{each_record, reordered, segment, sides};
use proptest::prelude::*;
use proto_dissect::input::{Capture, Link};
use proto_dissect::record::Record;
use proto_dissect::registry::Registry;
use proto_dissect::tree::{NodeRef, Side};
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::sync::LazyLock;

/// The server's bytes in the sample session.
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

/// The bytes of both sides in the visit of the Community Place sample, the client first.
static VISIT: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| sides("vscp.pcap", 4));

const PIPBOY: u16 = 27000;
const BUREAU: u16 = 5126;

fn update(at: usize, payload: &[u8], syn: bool) -> Vec<u8> {
    segment((Side::Server, PIPBOY), at, payload, syn)
}

/// Each message in full: its offset in the stream, and all its fields with spans and values.
fn messages(packets: &[Vec<u8>]) -> Vec<String> {
    let mut messages = Vec::new();
    each_record(Registry::default(), packets, |record| {
        let Record::Message(message) = record else { panic!("a gap where nothing is missing") };
        let node = message.node().unwrap();
        let mut text = format!("{} @{} {}", message.path(), message.pieces()[0].off, message.info());
        fields(node, &mut text);
        for note in message.notes() {
            write!(text, "\n! {}", note.code.abbrev).unwrap();
        }
        messages.push(text);
    });
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

/// Segments of one side from `first` on, cut at these offsets, one of them retransmitted, then in another order.
fn shuffled(
    side: (Side, u16),
    stream: &[u8],
    first: usize,
    cuts: &[prop::sample::Index],
    swaps: &[(prop::sample::Index, prop::sample::Index)],
) -> Vec<Vec<u8>> {
    let cut = |cut: &prop::sample::Index| first + cut.index(stream.len() - first);
    let mut places: Vec<usize> = cuts.iter().map(cut).chain([first, stream.len()]).collect();
    places.sort_unstable();
    places.dedup();
    let packets = places.windows(2).map(|pair| segment(side, pair[0], &stream[pair[0]..pair[1]], false)).collect();
    reordered(packets, swaps)
}

type Cuts = Vec<prop::sample::Index>;
type Swaps = Vec<(prop::sample::Index, prop::sample::Index)>;

fn disorder() -> impl Strategy<Value = (Cuts, Swaps)> {
    (
        prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..60),
    )
}

/// The visit: the client's hello, then the server's bytes, then the rest of the client, because roles depend on the order of the
/// first bytes.
fn visit(server: (Cuts, Swaps), client: (Cuts, Swaps)) -> Vec<Vec<u8>> {
    const HELLO: usize = 7;
    let [asked, answered] = &*VISIT;
    let (by_client, by_server) = ((Side::Client, BUREAU), (Side::Server, BUREAU));
    let mut packets = vec![segment(by_client, 0, &[], true), segment(by_server, 0, &[], true)];
    packets.push(segment(by_client, 0, &asked[..HELLO], false));
    packets.extend(shuffled(by_server, answered, 0, &server.0, &server.1));
    packets.extend(shuffled(by_client, asked, HELLO, &client.0, &client.1));
    packets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_visit_cut_and_shuffled_anyhow_has_the_same_messages(server in disorder(), client in disorder()) {
        static WHOLE: LazyLock<Vec<String>> = LazyLock::new(|| messages(&visit((vec![], vec![]), (vec![], vec![]))));
        prop_assert!(WHOLE.len() > 60 && WHOLE.iter().any(|message| message.contains("vscp.user.name")));
        prop_assert_eq!(messages(&visit(server, client)), WHOLE.clone());
    }

    #[test]
    fn a_session_cut_and_shuffled_anyhow_has_the_same_messages((cuts, swaps) in disorder()) {
        static WHOLE: LazyLock<Vec<String>> = LazyLock::new(|| messages(&[update(0, &[], true), update(0, &STREAM, false)]));
        prop_assert!(WHOLE.len() > 40 && !WHOLE.iter().any(|message| message.contains("\n!")));
        let mut packets = shuffled((Side::Server, PIPBOY), &STREAM, 0, &cuts, &swaps);
        packets.insert(0, update(0, &[], true));
        prop_assert_eq!(messages(&packets), WHOLE.clone());
    }
}

/// The end of the last whole message within the first bytes.
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
    let whole = messages(&[update(0, &[], true), update(0, &STREAM[..end], false)]);
    let mut packets = vec![update(0, &[], true)];
    packets.extend((0..end).map(|at| update(at, &STREAM[at..=at], false)));
    assert!(whole.len() > 5);
    assert_eq!(messages(&packets), whole);
}

/// Start offsets of the messages of a Pip-Boy stream, and whether each is a heartbeat.
fn begins(stream: &[u8]) -> Vec<(usize, bool)> {
    let mut at = 0;
    std::iter::from_fn(|| {
        let head: [u8; 5] = stream.get(at..at + 5)?.try_into().unwrap();
        let begin = at;
        at += 5 + u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        Some((begin, head == [0; 5]))
    })
    .collect()
}

/// Offsets of the Pip-Boy messages found from `first` on, with segments of this size.
fn joined_at(stream: &[u8], first: usize, size: usize) -> Vec<usize> {
    let starts = (first..stream.len()).step_by(size);
    let packets: Vec<_> = starts.map(|at| update(at, &stream[at..stream.len().min(at + size)], false)).collect();
    let place = |message: &String| {
        let at = message.strip_prefix("raw:ip:tcp:pipboy @").or_else(|| message.strip_prefix("ip:tcp:pipboy @"))?;
        Some(first + at.split(' ').next()?.parse::<usize>().unwrap())
    };
    messages(&packets).iter().filter_map(place).collect()
}

/// Messages after the first one that is no heartbeat, beginning at `first` or later, that are not found.
fn lost(stream: &[u8], first: usize, size: usize) -> usize {
    let found = joined_at(stream, first, size);
    let begins = begins(stream);
    let behind = begins.iter().skip_while(|(at, is_heartbeat)| *at < first || *is_heartbeat);
    behind.filter(|(at, _)| !found.contains(at)).count()
}

/// A session whose first update exceeds the bytes buffered for detection.
fn long_session() -> Vec<u8> {
    let mut update = Vec::new();
    for id in 1..=20_000_u32 {
        update.push([0, 3, 5, 6][id as usize % 4]);
        update.extend(id.to_le_bytes());
        match id % 4 {
            0 => update.push(1),
            3 => update.extend(format!("value {id}\0").bytes()),
            _ => update.extend((id.wrapping_mul(2_654_435_761) >> 8).to_le_bytes()),
        }
    }
    let greeting = begins(&STREAM)[1].0;
    let length = u32::try_from(update.len()).unwrap().to_le_bytes();
    [&STREAM[..greeting], &length, &[3], &update, &STREAM[greeting..]].concat()
}

#[test]
fn sessions_joined_midway_lose_no_message_after_the_first_update() {
    let mut worst = 0;
    let step = if crate::common::is_thorough() { 7 } else { 97 };
    // Entries at the last two places look like a heartbeat and a refusal, those at the first like an OP_REPLY of MongoDB.
    for first in (0..STREAM.len().min(14_000)).step_by(step).chain([5_243, 10_115, 10_122]) {
        worst = worst.max(lost(&STREAM, first, 1460));
    }
    assert_eq!(worst, 0);
}

#[test]
fn a_session_joined_long_before_the_end_of_an_update_is_recognised() {
    let stream = long_session();
    assert!(stream.len() > 200_000);
    for first in (60..stream.len() - STREAM.len()).step_by(23_456) {
        assert_eq!(lost(&stream, first, 1460), 0, "from {first}");
    }
}
