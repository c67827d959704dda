//! State of closed conversations is bounded, and emitted messages do not depend on it.

use super::tcp::from_port;
use super::*;
use crate::engine::stream::Connection;
use crate::flow::Pair;
use crate::layers::tcp;
use crate::record::Evictions;
use crate::tree::Tree;
use crate::wire::{data, trial};

/// A whole connection from this port: opened, one message, ended by both sides.
fn connection(port: u16) -> Vec<Vec<u8>> {
    let server = |seq, ack, flags| Packet { ack: Some(ack), ..flagged(Side::Server, seq, flags) };
    let packets = [
        flagged(Side::Client, 99, SYN),
        server(499, 100, SYN),
        Packet { ack: Some(500), ..client(100, &[3, 7, 8, 9]) },
        Packet { ack: Some(500), ..flagged(Side::Client, 104, FIN) },
        server(500, 105, FIN),
        Packet { ack: Some(501), ..flagged(Side::Client, 105, 0) },
    ];
    packets.iter().map(|packet| from_port(packet, port)).collect()
}

fn dissect<'a>(engine: &'a mut Engine, number: u64, bytes: &[u8]) -> &'a Tree {
    let time = Some(Timestamp { seconds: i64::try_from(number).unwrap(), nanos: 0 });
    let original_len = u32::try_from(bytes.len()).unwrap();
    engine.dissect(&Frame { number, time, link: Link::Type(101), bytes, original_len, ..Frame::default() })
}

fn after(ports: std::ops::Range<u16>) -> Engine {
    let mut engine = Engine::complete(Registry::of(TOYS));
    for (number, bytes) in (1..).zip(ports.flat_map(connection)) {
        dissect(&mut engine, number, &bytes);
    }
    engine
}

#[test]
fn a_closed_connection_needs_little_memory() {
    assert!(size_of::<Connection>() <= 16, "{}", size_of::<Connection>());
    let (few, many) = (after(10_000..12_000).bounds.held, after(10_000..18_000).bounds.held);
    assert_eq!(few, many, "bytes held grow with the connections that have ended");
    assert!(few <= 2 << 20, "{few} bytes for the last thousand connections");
}

#[test]
fn a_late_segment_is_dissected_the_same_however_long_ago_its_connection_ended() {
    let late = [
        Packet { ack: Some(500), ..client(102, &[8, 9]) },
        Packet { ack: Some(501), ..flagged(Side::Client, 105, 0) },
        flagged(Side::Client, 105, RST),
        Packet { ack: Some(500), ..client(105, &[1, 1]) },
        flagged(Side::Client, 7000, SYN),
    ];
    let emitted = |others: u16| {
        let mut engine = after(9_000..9_001 + others);
        let rest = engine.transports.streams.look(&Pair::new(([10, 0, 0, 1], 9000).into(), ([10, 0, 0, 2], 9).into()), 0);
        let is_whole = matches!(rest, Some(Connection::Whole(_)));
        let trees = (70_000..).zip(&late).map(|(number, packet)| {
            let tree = dissect(&mut engine, number, &from_port(packet, 9_000));
            let numbers = [&tcp::STREAM, &tcp::SEQ, &tcp::ACK]
                .map(|field| tree.nodes.iter().find(|node| node.field.is(field)).map(|node| node.value));
            let marks = tree.nodes.iter().filter(|node| node.field.abbrev.starts_with("tcp.analysis."));
            (numbers, marks.map(|node| (node.field.abbrev, node.value)).collect::<Vec<_>>())
        });
        let mut trees: Vec<_> = trees.collect();
        // The last one opens a connection, whose number depends on how many there were.
        let opened = trees.pop();
        (is_whole, trees, opened.map(|(_, marks)| marks))
    };
    let (whole, rest) = (emitted(3), emitted(1100));
    assert_eq!((whole.0, rest.0), (true, false));
    assert_eq!((&whole.1, &whole.2), (&rest.1, &rest.2));
    assert!(!whole.1.iter().all(|(_, marks)| marks.is_empty()));
}

#[test]
fn open_conversations_above_the_memory_limit_are_evicted_and_counted() {
    let mut engine = Engine::complete(Registry::of(TOYS));
    // Each has an incomplete message, with half a mebibyte after a hole.
    let part = vec![0xfe; 60_000];
    let mut number = 0;
    for port in 10_000..10_100 {
        for place in 0..9 {
            number += 1;
            dissect(&mut engine, number, &from_port(&client(100, &[200, 7]), port));
            number += 1;
            dissect(&mut engine, number, &from_port(&client(200 + place * 60_000, &part), port));
        }
        assert!(engine.bounds.held <= 33 << 20, "{} bytes", engine.bounds.held);
    }
    let evictions = engine.evictions();
    assert!((20..90).contains(&evictions.states) && evictions.conversations == 0, "{evictions:?}");
}

#[test]
fn messages_above_the_limit_of_a_tree_are_emitted_with_later_frames() {
    // A gap precedes 600 000 messages of one byte each, and is never retransmitted.
    let mut engine = Engine::complete(Registry::of(TOYS));
    let mut number = 0;
    let mut emitted = (0, 0, 0);
    let mut say = |engine: &mut Engine, packet: &Packet| {
        number += 1;
        let tree = dissect(engine, number, &from_port(packet, 5000));
        assert!(tree.layers.len() <= (1 << 14) + 16, "{} layers in a tree", tree.layers.len());
        count(tree, &mut emitted);
    };
    say(&mut engine, &client(100, &[1, 7]));
    let part = vec![0; 60_000];
    for place in 0..10 {
        say(&mut engine, &client(103 + place * 60_000, &part));
    }
    for _ in 0..20 {
        say(&mut engine, &acknowledges(Side::Server, 600_103));
    }
    let (early, ..) = emitted;
    assert!((100_000..600_000).contains(&early), "{early} messages while frames come");
    while let Some(tree) = engine.finish() {
        assert!(tree.layers.len() <= (1 << 14) + 16, "{} layers in a tree", tree.layers.len());
        count(tree, &mut emitted);
    }
    // Each byte is a message, none is data, and one was missing.
    assert_eq!(emitted, (600_001, 0, 1));
    assert_eq!(engine.evictions(), Evictions::default());
}

/// Messages, data and missing bytes.
fn count(tree: &Tree, emitted: &mut (u64, u64, u64)) {
    let is = |name: &str| tree.layers.iter().filter(|layer| tree.nodes[layer.node as usize].field.abbrev == name).count() as u64;
    emitted.0 += is("toy");
    emitted.1 += is("data");
    emitted.2 += tree.gaps.iter().map(|gap| gap.len).sum::<u64>();
}

#[test]
fn messages_too_many_for_a_tree_are_data_when_their_memory_is_needed() {
    let mut engine = Engine::complete(Registry::of(TOYS));
    let part = vec![0; 60_000];
    let mut emitted = (0, 0, 0);
    let mut notes = 0;
    // More than is buffered after a hole.
    for (number, place) in (1..).zip(0..90) {
        let seq = if place == 0 { 100 } else { 103 + (place - 1) * 60_000 };
        let payload = if place == 0 { &[1, 7][..] } else { &part };
        let tree = dissect(&mut engine, number, &from_port(&client(seq, payload), 5000));
        count(tree, &mut emitted);
        notes += tree.notes.iter().filter(|note| note.code.is(&notes::GIVEN_UP)).count();
        assert!(tree.layers.len() <= (1 << 14) + 16, "{} layers in a tree", tree.layers.len());
    }
    // The end of the first segment after the hole, and the segments after that.
    assert!(notes == 2 && emitted.1 == 2 && emitted.2 == 1, "{emitted:?}, {notes} notes");
}

/// A toy protocol that stores a mebibyte per connection, all of it optional.
struct Hoard(bool);

impl Conversation for Hoard {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        Toy.extent(from, ahead, more)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        Toy.message(from, wire)
    }

    fn memory_usage(&self) -> usize {
        if self.0 { 0 } else { 1 << 20 }
    }

    fn forget(&mut self) -> bool {
        !std::mem::replace(&mut self.0, true)
    }
}

static HOARD: Protocol =
    Protocol { found: &[On::Tcp(9).stream_with(Heuristic::Stream(detect), |_| Box::new(Hoard(false)))], ..TOY_LIKE };
const TOY_LIKE: Protocol = Protocol::new(&TOY_FIELD, FIELDS);
static HOARDS: &[&Protocol] = &[&HOARD];

#[test]
fn idle_protocol_state_is_evicted_before_memory_is_short() {
    let forgotten_at = |later: u64| {
        let mut engine = Engine::complete(Registry::of(HOARDS));
        for port in 10_000..10_016 {
            let number = u64::from(port) - 9_999 + if port < 10_010 { 0 } else { later };
            dissect(&mut engine, number, &from_port(&client(100, &[3, 7, 8, 9]), port));
        }
        (engine.evictions().states, engine.bounds.held >> 20)
    };
    assert_eq!(forgotten_at(1000), (0, 16));
    assert_eq!(forgotten_at(100_000), (10, 6));
}

#[test]
fn protocol_state_is_evicted_before_conversations_are() {
    let mut engine = Engine::complete(Registry::of(HOARDS));
    let mut emitted = (0, 0, 0);
    for round in 0..3_u32 {
        for port in 10_000..10_060 {
            let number = u64::from(round) * 60 + u64::from(port);
            let tree = dissect(&mut engine, number, &from_port(&client(100 + round * 4, &[3, 7, 8, 9]), port));
            count(tree, &mut emitted);
            assert!(engine.bounds.held <= 22 << 20, "{} bytes", engine.bounds.held);
        }
    }
    assert_eq!(emitted, (180, 0, 0));
    let evictions = engine.evictions();
    assert!((38..=44).contains(&evictions.states) && evictions.conversations == 0, "{evictions:?}");
}

/// A message emitted at a later frame or at the end of the capture keeps its sender.
#[test]
fn a_datagram_that_stays_incomplete_has_its_sender() {
    let fragment = "4500001c 00072000 40110000 0a000007 0a000008 0102030405060708";
    let ends = |tree: &Tree| {
        let data = tree.layers.iter().find(|layer| tree.nodes[layer.node as usize].field.is(&data::DATA));
        data.map(|layer| {
            let ends = &tree.ends[layer.ends as usize];
            format!("{} {} {:?}", ends.src.unwrap(), ends.dst.unwrap(), ends.stream)
        })
    };
    for other in [connection(9_000), Vec::new()] {
        let mut engine = Engine::complete(Registry::of(TOYS));
        assert_eq!(ends(dissect(&mut engine, 1, &trial::bytes(fragment))), None);
        let emitted = match other.first() {
            Some(other) => ends(dissect(&mut engine, 1000, other)),
            None => engine.finish().and_then(ends),
        };
        assert_eq!(emitted.as_deref(), Some("10.0.0.7 10.0.0.8 None"));
    }
}

#[test]
fn bytes_without_a_link_type_are_guessed_once_while_they_repeat() {
    let mut engine = Engine::complete(Registry::of(TOYS));
    let packet = connection(2000).swap_remove(0);
    let unknown = vec![0xee; 300];
    for (number, (bytes, is_remembered)) in
        (1..).zip([(&packet, true), (&packet, true), (&unknown, false), (&packet, true), (&packet, true)])
    {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, link: Link::Unknown, bytes, original_len, ..Frame::default() });
        let is_packet = tree.nodes.iter().any(|node| node.field.abbrev == "tcp");
        assert_eq!(is_packet, is_remembered, "{number}");
        let guessed = engine.transports.packetless.guessed.as_ref().map(|(bytes, _)| bytes.as_slice());
        assert_eq!(guessed, is_remembered.then_some(bytes.as_slice()), "{number}");
    }
}
