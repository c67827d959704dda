//! Datagrams with state, nested payloads, and streams that change protocol, with toy protocols.

use super::super::Engine;
use crate::input::{Frame, Link};
use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::tree::{Dissection, Side, Span, Transport, fields};
use crate::wire::{Conversation, Exchange, Extent, Heuristic, Next, On, Protocol, Result, Wire, trial};
use etherparse::PacketBuilder;
use std::net::SocketAddr;

static BOTH: &[&Protocol] = &[&BOX, &MAIL];

/// A length and that many bytes, in datagrams or in a stream.
static BOX: Protocol = Protocol::new(&BOX_FIELD, FIELDS).found(&[
    On::Udp(7).exchange::<Parcels>(Heuristic::Anything),
    On::AnyUdp.exchange::<Parcels>(Heuristic::Datagram(|bytes| bytes.starts_with(b"!"))),
    On::Tcp(7).stream_with(Heuristic::Anything, |_| Box::new(InStream(Parcels::default(), None))),
]);

/// The content of a parcel that begins with an `m`.
static MAIL: Protocol = Protocol::new(&MAIL_FIELD, FIELDS).found(&[
    On::Over("box").exchange::<Mail>(Heuristic::Datagram(|bytes| bytes.starts_with(b"m"))),
    On::Over("box.later").exchange::<Mail>(Heuristic::Anything),
    On::Over("box.rest").stream::<Mail>(Heuristic::Anything),
]);

fields! {
    BOX_FIELD = protocol("box", "Box", "Parcels");
    LENGTH = number("box.length", "length", "Bytes of a parcel");
    PARCEL = bytes("box.parcel", "parcel", "A parcel that is not handed on");
    MAIL_FIELD = protocol("mail", "Mail", "Letters");
    LETTER = bytes("mail.letter", "letter", "A letter");
}

#[derive(Default)]
struct Parcels {
    read: usize,
}

impl Exchange for Parcels {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.read += 1;
        wire.info(format_args!("{from} {}", self.read));
        while let Some(&first) = wire.ahead().first() {
            if matches!(first, b'!' | b'?') {
                wire.bytes(&PARCEL, 1)?;
                continue;
            }
            let length = usize::from(wire.u8(&LENGTH)?);
            let parcel = wire.ahead().get(..length).unwrap_or_default();
            let at = wire.at();
            match parcel {
                b"issue" => wire.issue_connection_id(from.other(), 0, b"????"),
                b"brief" => wire.issue_connection_id(from.other(), 0, b"???"),
                b"later" => wire.expect(Transport::Udp, SocketAddr::from(([10, 0, 0, 1], 99)), "box.later"),
                b"joined" => {
                    let pieces = [wire.piece(at..at + 3, 0), wire.piece(at + 3..at + 6, 3)];
                    wire.joined("turned", &pieces, b"mjoined", |inner| inner.hand_over("box", 0..7));
                }
                _ => wire.hand_over("box", at..at + length),
            }
            wire.bytes(&PARCEL, length)?;
        }
        Ok(())
    }

    fn claims(&self, _from: Side, bytes: &[u8]) -> bool {
        bytes.starts_with(b"?")
    }
}

struct InStream(Parcels, Option<Next>);

impl Conversation for InStream {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        ahead.first().map_or(Extent::NeedMore(1), |length| Extent::Message(1 + usize::from(*length)))
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.1 = match wire.ahead().get(1..) {
            Some(b"over") => Some(Next::Over("box.rest")),
            Some(b"anyone") => Some(Next::Detect),
            Some(b"relay") => {
                let relay = |wire: &mut Wire<'_>| {
                    wire.add(&LENGTH, crate::tree::Value::Unsigned(3));
                };
                Some(Next::Relayed(&MAIL, Box::new(relay)))
            }
            Some(b"to") => Some(Next::To(&MAIL, Box::<Mail>::default())),
            _ => None,
        };
        self.0.message(from, wire)
    }

    fn next(&mut self) -> Option<Next> {
        self.1.take()
    }
}

#[derive(Default)]
struct Mail {
    read: usize,
}

impl Exchange for Mail {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.read += 1;
        wire.info(format_args!("{from} {}", self.read));
        wire.rest(&LETTER);
        Ok(())
    }
}

impl Conversation for Mail {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        Extent::Message(ahead.len())
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        Exchange::message(self, from, wire)
    }
}

const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 1], 5000);
const SERVER: ([u8; 4], u16) = ([10, 0, 0, 2], 7);

fn udp(from: ([u8; 4], u16), to: ([u8; 4], u16), payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    PacketBuilder::ipv4(from.0, to.0, 64).udp(from.1, to.1).write(&mut bytes, payload).unwrap();
    bytes
}

fn tcp(seq: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    PacketBuilder::ipv4(CLIENT.0, SERVER.0, 64).tcp(CLIENT.1, SERVER.1, seq, 1000).write(&mut bytes, payload).unwrap();
    bytes
}

/// A line for each message: position, carriers, summary, bytes and frames.
fn emitted(frames: &[Vec<u8>]) -> Vec<String> {
    emitted_by(Registry::of(BOTH), frames)
}

fn emitted_by(registry: Registry, frames: &[Vec<u8>]) -> Vec<String> {
    let mut engine = Engine::complete(registry);
    let mut tally = Tally::new(View::Messages);
    let mut lines = Vec::new();
    for (number, bytes) in (1..).zip(frames) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() };
        let of = Dissection { tree: engine.dissect(&frame), bytes };
        let show = |record: Record<'_>| -> std::result::Result<(), ()> {
            if let Record::Message(message) = record {
                let node = message.node().unwrap();
                let bytes_shown = of.tree.slice(node.span(), bytes).escape_ascii();
                lines.push(format!("{} {} {bytes_shown} {:?}", message.path(), message.info(), message.frames()));
            }
            Ok(())
        };
        tally.records(of, true, show).unwrap();
    }
    lines
}

#[test]
fn handed_over_payload_is_a_separate_message() {
    let lines =
        emitted(&[udp(CLIENT, SERVER, b"\x02m1\x02x2\x02m3"), udp(SERVER, CLIENT, b"\x02m4"), udp(SERVER, CLIENT, b"!!")]);
    assert_eq!(
        lines,
        [
            "ip:udp:box:mail c2s 1 m1 [1]",
            "ip:udp:box:data 2 bytes x2 [1]",
            "ip:udp:box:mail c2s 2 m3 [1]",
            "ip:udp:box:mail s2c 3 m4 [2]",
            "ip:udp:box s2c 3 !! [3]",
        ]
    );
}

#[test]
fn reassembled_payload_lists_its_frames() {
    assert_eq!(emitted(&[udp(CLIENT, SERVER, b"\x06joined")]), ["ip:udp:box:mail c2s 1 mjoined [1]"]);
}

#[test]
fn an_exchange_claims_datagrams_without_a_magic_number() {
    let (a, b) = (([10, 0, 0, 1], 5000), ([10, 0, 0, 2], 6000));
    let lines = emitted(&[udp(a, b, b"?"), udp(a, b, b"!"), udp(b, a, b"?")]);
    assert_eq!(lines, ["ip:udp:data 1 bytes ? [1]", "ip:udp:box c2s 1 ! [2]", "ip:udp:box s2c 2 ? [3]"]);
}

#[test]
fn a_connection_id_identifies_a_conversation_between_other_endpoints() {
    let (a, b, moved) = (([10, 0, 0, 1], 5000), ([10, 0, 0, 2], 6000), ([10, 0, 0, 9], 5001));
    let lines = emitted(&[udp(a, b, b"!\x05issue"), udp(b, moved, b"????"), udp(moved, b, b"?"), udp(b, moved, b"?!")]);
    assert_eq!(lines[1..], ["ip:udp:box s2c 2 ???? [2]", "ip:udp:box c2s 3 ? [3]", "ip:udp:box s2c 4 ?! [4]"]);
    let lines = emitted(&[udp(a, b, b"!\x05issue"), udp(b, moved, b"?!??"), udp(b, moved, b"????")]);
    assert_eq!(lines[1..], ["ip:udp:data 4 bytes ?!?? [2]", "ip:udp:data 4 bytes ???? [3]"], "an ID counts in a first datagram");
    let lines = emitted(&[udp(a, b, b"!\x05brief"), udp(b, moved, b"???")]);
    assert_eq!(lines[1], "ip:udp:data 3 bytes ??? [2]", "three bytes occur by chance");
}

#[test]
fn a_quic_client_may_move_to_another_address() {
    let packets = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/make/quic.txt"));
    let packet = |side| trial::bytes(packets.lines().find_map(|line| line.strip_prefix(side)).unwrap());
    let (client, moved, server) = (([10, 0, 0, 1], 5000), ([10, 0, 0, 9], 5001), ([10, 0, 0, 2], 443));
    // The server's Initial packet issued the connection ID.
    let short = trial::bytes("41 f067a5502a4262b5 000102030405060708090a0b0c0d0e0f");
    let frames = [
        udp(client, server, &packet("c ")),
        udp(server, client, &packet("s ")),
        udp(moved, server, &short),
        udp(server, moved, &[0x41; 40]),
    ];
    let lines = emitted_by(Registry::default(), &frames);
    assert!(lines[2].starts_with("ip:udp:quic 25 bytes A\\xf0g"), "{lines:#?}");
    assert!(lines[3].starts_with("ip:udp:quic 40 bytes"), "{lines:#?}");
    let lines = emitted_by(Registry::default(), &frames[2..]);
    assert!(lines[0].starts_with("ip:udp:data 25 bytes") && lines[1].starts_with("ip:udp:data 40 bytes"), "{lines:#?}");
}

#[test]
fn answers_to_a_broadcast_share_the_state_of_its_sender() {
    let all = ([255; 4], 7);
    let lines = emitted(&[udp(CLIENT, all, b"!"), udp(SERVER, CLIENT, b"!"), udp(([10, 0, 0, 3], 7), CLIENT, b"!")]);
    assert_eq!(lines, ["ip:udp:box c2s 1 ! [1]", "ip:udp:box s2c 2 ! [2]", "ip:udp:box s2c 3 ! [3]"]);
}

#[test]
fn an_announced_conversation_is_known() {
    let other = ([10, 0, 0, 1], 99);
    let lines = emitted(&[udp(CLIENT, SERVER, b"\x05later"), udp(SERVER, other, b"rest"), udp(([9; 4], 9), other, b"more")]);
    assert_eq!(lines, ["ip:udp:box c2s 1 \\x05later [1]", "ip:udp:mail s2c 1 rest [2]", "ip:udp:mail c2s 1 more [3]"]);
}

#[test]
fn data_connections_of_an_ftp_session_joined_midway_are_recognized() {
    let (client, server, data) = (([10, 0, 0, 1], 5000), ([10, 0, 0, 2], 21), ([10, 0, 0, 2], 0xc351));
    let segment = |from: ([u8; 4], u16), to: ([u8; 4], u16), seq: u32, payload: &[u8]| {
        let mut bytes = Vec::new();
        PacketBuilder::ipv4(from.0, to.0, 64).tcp(from.1, to.1, seq, 1000).ack(1).write(&mut bytes, payload).unwrap();
        bytes
    };
    let frames = [
        segment(client, server, 900, b"PASV\r\n"),
        segment(server, client, 700, b"227 Entering Passive Mode (10,0,0,2,195,81)\r\n"),
        segment(data, (client.0, 5001), 1, b"0123456789"),
    ];
    let lines = emitted_by(Registry::default(), &frames);
    assert!(lines[0].starts_with("ip:tcp:ftp "), "{lines:#?}");
    assert!(lines[2].starts_with("ip:tcp:ftp-data "), "{lines:#?}");
    let alone = emitted_by(Registry::default(), &frames[2..]);
    assert!(alone[0].starts_with("ip:tcp:data "), "{alone:#?}");
}

#[test]
fn a_stream_switches_protocols_at_the_announced_offset() {
    let lines = |how: &[u8]| emitted(&[tcp(1, how), tcp(1 + u32::try_from(how.len()).unwrap(), b"\x02m8")]);
    assert_eq!(
        lines(b"\x04over\x02m7"),
        ["ip:tcp:box:data 4 bytes over [1]", "ip:tcp:mail c2s 1 \\x02m7 [1]", "ip:tcp:mail c2s 2 \\x02m8 [2]"]
    );
    assert_eq!(
        lines(b"\x02to\x02m7"),
        ["ip:tcp:box:data 2 bytes to [1]", "ip:tcp:mail c2s 1 \\x02m7 [1]", "ip:tcp:mail c2s 2 \\x02m8 [2]"]
    );
    assert_eq!(
        lines(b"\x06anyone\x02m7"),
        ["ip:tcp:box:data 6 bytes anyone [1]", "ip:tcp:box:mail c2s 1 m7 [1]", "ip:tcp:box:mail c2s 2 m8 [2]"]
    );
}

#[test]
fn a_relay_has_a_layer_in_each_segment_that_it_relays() {
    let frames = [tcp(100, b"\x05relay"), tcp(106, b"\x02"), tcp(107, b"m7"), tcp(109, b"")];
    let lines = emitted(&frames);
    assert_eq!(lines[1..], ["ip:tcp:mail:box:mail c2s 1 m7 [2, 3]"], "{lines:#?}");
    let mut engine = Engine::complete(Registry::of(BOTH));
    let relayed = (1..).zip(&frames).map(|(number, bytes)| {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() });
        let spans = tree.layers.iter().map(|layer| tree.nodes[layer.node as usize].span).filter(|span| span.is_empty());
        spans.collect::<Vec<_>>()
    });
    // Headers of IPv4 and TCP are 40 bytes.
    let at_payload = Span { source: 0, start: 40, end: 40 };
    assert_eq!(relayed.collect::<Vec<_>>(), [vec![], vec![at_payload], vec![at_payload], vec![]]);
}

#[test]
fn eviction_of_the_senders_of_broadcasts_is_noted() {
    let mut engine = Engine::complete(Registry::of(BOTH));
    let most = u64::try_from(crate::limits::ANNOUNCED.get()).unwrap();
    let mut noted = (1..=most + 2).filter(|number| {
        let [.., high, low] = number.to_be_bytes();
        let bytes = udp(([10, 0, high, low], 5000), ([255; 4], 7), b"!");
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree =
            engine.dissect(&Frame { number: *number, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() });
        tree.notes.iter().any(|note| note.code.abbrev == "dissect.evicted")
    });
    assert_eq!((noted.next(), noted.next()), (Some(most + 1), None));
}
