//! Dissectors that panic: their bytes become data, and all else is unaffected.

use super::super::Engine;
use super::{Packet, bytes, client, line, opened};
use crate::engine::bug;
use crate::input::{Frame, Link};
use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::tree::{Dissection, Side, fields};
use crate::wire::{Conversation, Exchange, Extent, Heuristic, Missing, On, Protocol, Result, Wire};
use etherparse::PacketBuilder;

static FRAGILE: Protocol = Protocol::new(&FRAGILE_FIELD, FIELDS).found(&[
    On::Tcp(9).stream_with(Heuristic::Anything, |_| Box::new(Fragile)),
    On::Udp(9).exchange_with(Heuristic::Anything, |_| Box::new(Fragile)),
    On::Udp(8).exchange_with(Heuristic::Datagram(|bytes| bytes[0] == bytes[99]), |_| Box::new(Fragile)),
]);

pub(crate) static ALL: &[&Protocol] = &[&FRAGILE];

fields! {
    FRAGILE_FIELD = protocol("fragile", "Fragile", "A length and so many bytes; panics at some of them");
    LENGTH = number("fragile.length", "length", "");
    BODY = bytes("fragile.body", "body", "");
}

struct Fragile;

impl Conversation for Fragile {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        match ahead {
            [b'?', ..] => panic!("no extent"),
            [length, ..] => Extent::Message(1 + usize::from(*length)),
            [] => Extent::NeedMore(1),
        }
    }

    fn message(&mut self, _from: Side, wire: &mut Wire<'_>) -> Result {
        let length = wire.u8(&LENGTH)?;
        if wire.peek_u8() == Some(b'!') {
            return wire.within(1, &BODY, |wire| wire.group(&BODY, |_| panic!("no message")));
        }
        wire.bytes(&BODY, usize::from(length)).map(drop)
    }

    fn gap(&mut self, _from: Side, _missing: Missing) {
        panic!("no gap");
    }
}

impl Exchange for Fragile {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        Conversation::message(self, from, wire)
    }
}

/// A line for each message of these frames.
fn shown(frames: &[Vec<u8>]) -> Vec<String> {
    let mut engine = Engine::complete(Registry::of(ALL));
    let mut tally = Tally::new(View::Messages);
    let mut lines = Vec::new();
    let mut show = |record: Record<'_>| -> std::result::Result<(), ()> {
        lines.push(line(&record, frames));
        Ok(())
    };
    for (number, bytes) in (1..).zip(frames) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() };
        tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show).unwrap();
    }
    while let Some(tree) = engine.finish() {
        tally.records(Dissection { tree, bytes: &[] }, false, &mut show).unwrap();
    }
    lines
}

fn datagram(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(5000, port).write(&mut bytes, payload).unwrap();
    bytes
}

#[test]
fn after_a_panic_in_a_message_the_rest_of_the_stream_is_data() {
    let mut packets = opened();
    packets.extend([client(100, b"\x01a\x03!bc\x01d"), client(107, b""), client(108, b"\x01e")]);
    let frames: Vec<_> = packets.iter().map(bytes).collect();
    assert_eq!(
        shown(&frames),
        [
            "fragile c2s @0 0161 frames [2]",
            "fragile c2s @2 03216263 frames [2] !dissect.bug",
            "data c2s @6 0164 frames [2]",
            "data c2s @8 0165 frames [4]",
        ]
    );
    assert!(bug::first().is_some());
}

#[test]
fn after_a_panic_in_an_extent_the_rest_of_the_stream_is_data() {
    let mut packets = opened();
    packets.extend([client(100, b"\x01a?x"), client(104, b"\x01b")]);
    let frames: Vec<_> = packets.iter().map(bytes).collect();
    let [first, broken, rest] = &shown(&frames)[..] else { panic!("three messages") };
    assert_eq!(first, "fragile c2s @0 0161 frames [2]");
    assert_eq!(broken, "data c2s @2 3f78 frames [2] !dissect.bug");
    assert_eq!(rest, "data c2s @4 0162 frames [3]");
}

#[test]
fn after_a_panic_in_a_datagram_the_others_of_its_conversation_are_data() {
    let frames = [datagram(9, b"\x01a"), datagram(9, b"\x03!bc"), datagram(9, b"\x01d")];
    assert_eq!(
        shown(&frames),
        ["fragile c2s @0 0161 frames [1]", "fragile c2s @0 03216263 frames [2] !dissect.bug", "data c2s @0 0164 frames [3]",]
    );
}

#[test]
fn a_panic_outside_of_messages_makes_data_of_the_rest_of_a_stream() {
    let acknowledged = Packet { side: Side::Server, seq: 500, ack: Some(106), flags: 0, payload: Vec::new() };
    let mut packets = opened();
    packets.extend([client(100, b"\x01a"), client(104, b"\x01c"), acknowledged, client(106, b"\x01d")]);
    let frames: Vec<_> = packets.iter().map(bytes).collect();
    let [first, broken, rest @ ..] = &shown(&frames)[..] else { panic!("messages") };
    assert_eq!(first, "fragile c2s @0 0161 frames [2]");
    assert!(broken.starts_with("data ") && broken.ends_with("!dissect.bug"), "{broken}");
    assert!(!rest.is_empty() && rest.iter().all(|line| line.starts_with("data c2s ")), "{rest:?}");
}

#[test]
fn a_panic_when_the_capture_has_ended_leaves_other_conversations_as_they_are() {
    let mut packets = opened();
    packets.extend([client(100, b"\x01a"), client(104, b"\x01c")]);
    let mut frames: Vec<_> = packets.iter().map(bytes).collect();
    let other: Vec<_> = [&b"\x02"[..], b"x"].iter().zip(100..).map(|(bytes, seq)| segment(seq, bytes)).collect();
    frames.extend(other);
    let lines = shown(&frames);
    assert!(lines.iter().any(|line| line.ends_with("!dissect.bug")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("fragile c2s @0 0278 ")), "{lines:?}");
}

/// A segment of another connection.
fn segment(seq: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 3], [10, 0, 0, 2], 64).tcp(7000, 9, seq, 1000).write(&mut bytes, payload).unwrap();
    bytes
}

#[test]
fn a_panic_outside_of_messages_makes_data_of_later_datagrams_of_the_conversation() {
    let recognised = [b'z'; 100];
    let frames = [datagram(8, b"\x01a"), datagram(9, b"\x01b"), datagram(8, &recognised)];
    let [broken, fine, rest] = &shown(&frames)[..] else { panic!("three messages") };
    assert!(broken.starts_with("data ") && broken.ends_with("!dissect.bug"), "{broken}");
    assert_eq!(fine, "fragile c2s @0 0162 frames [2]");
    assert!(rest.starts_with("data c2s @0 7a7a"), "{rest}");
}

#[test]
fn a_frame_that_fails_shows_no_secret() {
    let bytes = datagram(8, b"PASS hunter2\r\n");
    let mut engine = Engine::complete(Registry::of(ALL));
    let original_len = u32::try_from(bytes.len()).unwrap();
    let tree = engine.dissect(&Frame { number: 1, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() });
    let shown = tree.masked(crate::tree::Span::new(0, 0..bytes.len()), &bytes);
    assert!(shown.ends_with(b"PASS *******\r\n"), "{}", String::from_utf8_lossy(&shown));
}

#[test]
fn a_panic_note_names_protocol_and_offset() {
    let bytes = datagram(9, b"\x03!bc");
    let mut engine = Engine::complete(Registry::of(ALL));
    let original_len = u32::try_from(bytes.len()).unwrap();
    let tree = engine.dissect(&Frame { number: 1, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() });
    let texts: Vec<&str> = tree.notes.iter().map(|note| tree.generated_text(note.text)).collect();
    assert_eq!(texts, ["fragile at offset 29: no message"]);
}
