//! Conversations through the whole engine, with a toy protocol: a length byte, then that many bytes.

pub(crate) mod bug;
mod headers;
mod inner;
mod limits;
mod nested;
mod options;
mod prefilter;
mod quotes;
#[cfg(feature = "lua")]
mod scripted;
mod sctp;
mod tcp;
mod usb;

use super::Engine;
use crate::input::{Frame, Link, Timestamp};
use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::tree::{Dissection, Side, fields};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire, notes};
use etherparse::PacketBuilder;
use proptest::prelude::*;

static TOY: Protocol = Protocol::new(&TOY_FIELD, FIELDS).found(&[
    On::Tcp(9).stream_with(Heuristic::Stream(detect), |_| Box::new(Toy)),
    On::AnyTcp
        .stream_with(Heuristic::Stream(|_| Verdict::No), |_| Box::new(Toy))
        .also_later(|bytes| bytes.starts_with(b"\x02\xaa")),
]);
static TOYS: &[&Protocol] = &[&TOY];

fields! {
    TOY_FIELD = protocol("toy", "Toy", "A length and so many bytes");
    LENGTH = number("toy.length", "length", "Bytes that follow");
    BODY = bytes("toy.body", "body", "The bytes");
}

struct Toy;

impl Conversation for Toy {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        match ahead.first() {
            Some(&0xff) => Extent::Unknown(1),
            Some(&length) => Extent::Message(1 + usize::from(length)),
            None => Extent::NeedMore(1),
        }
    }

    fn message(&mut self, _from: Side, wire: &mut Wire<'_>) -> Result {
        let length = wire.u8(&LENGTH)?;
        wire.bytes(&BODY, usize::from(length)).map(drop)
    }

    fn gap(&mut self, _from: Side, _missing: Missing) {}
}

/// Rejects streams whose first byte is 0xee; needs two bytes to decide.
fn detect(opening: &Opening<'_>) -> Verdict {
    let first = if opening.sent[0].is_empty() { opening.sent[1] } else { opening.sent[0] };
    match first {
        [0xee, ..] => Verdict::No,
        [_, _, ..] => Verdict::Yes(Side::Server),
        _ => Verdict::Unsure,
    }
}

const SYN: u8 = 1;
const FIN: u8 = 2;
const RST: u8 = 4;

/// A TCP segment.
#[derive(Clone, Debug)]
struct Packet {
    side: Side,
    seq: u32,
    ack: Option<u32>,
    flags: u8,
    payload: Vec<u8>,
}

fn says(side: Side, seq: u32, payload: &[u8]) -> Packet {
    Packet { side, seq, ack: Some(0), flags: 0, payload: payload.to_vec() }
}

fn client(seq: u32, payload: &[u8]) -> Packet {
    Packet { ack: None, ..says(Side::Client, seq, payload) }
}

fn flagged(side: Side, seq: u32, flags: u8) -> Packet {
    Packet { side, seq, ack: None, flags, payload: Vec::new() }
}

fn acknowledges(side: Side, ack: u32) -> Packet {
    Packet { side, seq: 1, ack: Some(ack), flags: 0, payload: Vec::new() }
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let ((a, from), (b, to)) = match packet.side {
        Side::Client => (([10, 0, 0, 1], 5000), ([10, 0, 0, 2], 9)),
        Side::Server => (([10, 0, 0, 2], 9), ([10, 0, 0, 1], 5000)),
    };
    let mut builder = PacketBuilder::ipv4(a, b, 64).tcp(from, to, packet.seq, 1000);
    if let Some(ack) = packet.ack {
        builder = builder.ack(ack);
    }
    if packet.flags & SYN != 0 {
        builder = builder.syn();
    }
    if packet.flags & FIN != 0 {
        builder = builder.fin();
    }
    if packet.flags & RST != 0 {
        builder = builder.rst();
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &packet.payload).unwrap();
    bytes
}

const HEADERS: u32 = 40;

/// A line for each record: type, offset and bytes.
fn emitted(packets: &[Packet]) -> Vec<String> {
    emitted_frames(&packets.iter().map(bytes).collect::<Vec<_>>())
}

fn emitted_frames(frames: &[Vec<u8>]) -> Vec<String> {
    records(frames, View::Messages)
}

/// A line for each record of the packet view: layers of frames, and late messages.
fn packets(packets: &[Packet]) -> Vec<String> {
    records(&packets.iter().map(bytes).collect::<Vec<_>>(), View::Packets)
}

fn records(frames: &[Vec<u8>], view: View) -> Vec<String> {
    let mut engine = Engine::complete(Registry::of(TOYS));
    let mut tally = Tally::new(view);
    let mut lines = Vec::new();
    let mut show = |record: Record<'_>| -> std::result::Result<(), ()> {
        lines.push(line(&record, frames));
        Ok(())
    };
    for (number, bytes) in (1..).zip(frames) {
        let frame = Frame {
            number,
            time: Some(Timestamp { seconds: i64::try_from(number).unwrap(), nanos: 0 }),
            link: Link::Type(101),
            bytes,
            original_len: u32::try_from(bytes.len()).unwrap(),
            ..Frame::default()
        };
        tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show).unwrap();
    }
    while let Some(tree) = engine.finish() {
        tally.records(Dissection { tree, bytes: &[] }, false, &mut show).unwrap();
    }
    lines
}

/// A record as text; its bytes are read back from the frames that its map names.
fn line(record: &Record<'_>, frames: &[Vec<u8>]) -> String {
    match record {
        Record::Message(message) => {
            let node = message.node().unwrap();
            let mut mapped = Vec::new();
            for piece in message.pieces() {
                let frame = &frames[usize::try_from(piece.frame).unwrap() - 1];
                mapped.extend_from_slice(&frame[piece.at as usize..][..piece.len as usize]);
            }
            assert!(message.pieces().is_empty() || mapped == node.bytes(), "the map does not lead to the bytes");
            let side = message.ends().and_then(|ends| ends.stream).map_or("", |(_, side)| side.direction());
            let off = message.pieces().first().map_or(0, |piece| piece.off);
            let notes: String = message.notes().map(|note| format!(" !{}", note.code.abbrev)).collect();
            let shown: String = node.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} {side} @{off} {shown} frames {:?}{notes}", node.field().abbrev, message.frames())
        }
        Record::Gap(gap) => format!("gap {} @{} {} bytes", gap.side, gap.off, gap.len),
        Record::Packet(packet) => {
            let layers = packet.layers().map(|layer| packet.of.layer_node(layer).unwrap().field().abbrev);
            format!("packet {} {}", packet.of.tree.frame.number, layers.collect::<Vec<_>>().join(" "))
        }
        Record::Late(late) => {
            let layers = late.layers.iter().map(|layer| late.of.layer_node(layer).unwrap().field().abbrev);
            format!("late {:?} {}", late.frames(), layers.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Protocol and bytes of the client's messages.
fn content(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| line.split(" frames").next().unwrap_or_default().to_owned()).collect()
}

fn opened() -> Vec<Packet> {
    vec![flagged(Side::Client, 99, SYN)]
}

#[test]
fn messages_end_at_the_extent_of_the_protocol() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[2, 7, 8, 1]), client(104, &[9])]);
    assert_eq!(lines, ["toy c2s @0 020708 frames [2]", "toy c2s @3 0109 frames [2, 3]"]);
}

#[test]
fn a_message_waits_for_segments_shown_out_of_order() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(102, &[8]), client(100, &[2, 7])]);
    assert_eq!(lines, ["toy c2s @0 020708 frames [2, 3]"]);
}

#[test]
fn both_directions_are_framed_independently() {
    let lines =
        emitted(&[flagged(Side::Client, 99, SYN), client(100, &[2, 7]), says(Side::Server, 500, &[1, 5]), client(102, &[8])]);
    assert_eq!(lines, ["toy s2c @0 0105 frames [3]", "toy c2s @0 020708 frames [2, 4]"]);
}

#[test]
fn a_gap_inside_a_message_does_not_lose_the_step() {
    let mut packets = opened();
    packets.push(client(100, &[9, 1, 2, 3]));
    packets.push(client(106, &[6, 7, 8, 9, 1, 5]));
    packets.extend((0..10).map(|_| acknowledges(Side::Server, 112)));
    assert_eq!(
        emitted(&packets),
        [
            "toy c2s @0 09010203 frames [2] !dissect.lost",
            "gap c2s @4 2 bytes",
            "data c2s @6 06070809 frames [3]",
            "toy c2s @10 0105 frames [3]"
        ]
    );
}

#[test]
fn a_hole_stays_open_until_it_is_filled_however_late() {
    let mut packets = opened();
    packets.push(client(102, &[8]));
    packets.extend((0..20).map(|_| acknowledges(Side::Server, 100)));
    packets.push(client(100, &[2, 7]));
    assert_eq!(emitted(&packets), ["toy c2s @0 020708 frames [2, 23]"]);
}

#[test]
fn bytes_lost_at_the_end_are_a_gap() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[1, 7]), client(105, &[1, 5])]);
    assert_eq!(lines, ["toy c2s @0 0107 frames [2]", "gap c2s @2 3 bytes", "toy c2s @5 0105 frames [3]"]);
}

#[test]
fn a_stream_that_ends_inside_a_message_is_noted() {
    let end = flagged(Side::Client, 102, FIN);
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[5, 7]), end]);
    assert_eq!(lines, ["toy c2s @0 0507 frames [2] !dissect.unfinished"]);
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[5, 7])]);
    assert_eq!(lines, ["toy c2s @0 0507 frames [2] !dissect.unfinished"]);
}

#[test]
fn an_early_fin_waits_for_the_bytes_before_it() {
    let end = flagged(Side::Client, 102, FIN);
    let lines = emitted(&[flagged(Side::Client, 99, SYN), end, client(100, &[1, 7])]);
    assert_eq!(lines, ["toy c2s @0 0107 frames [3]"]);
}

#[test]
fn other_bytes_for_the_same_place_are_noted_and_the_first_count() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[3, 7]), client(100, &[3, 8, 9]), client(103, &[4])]);
    assert!(lines[0].starts_with("tcp c2s") && lines[0].ends_with("!dissect.overlap"), "{}", lines[0]);
    assert_eq!(lines[1..], ["toy c2s @0 03070904 frames [2, 3, 4]"]);
}

#[test]
fn a_syn_with_another_number_opens_a_new_stream() {
    let mut packets = vec![flagged(Side::Client, 99, SYN), client(100, &[1, 7])];
    packets.extend([flagged(Side::Client, 7000, SYN), client(7001, &[1, 8])]);
    assert_eq!(emitted(&packets), ["toy c2s @0 0107 frames [2]", "toy c2s @0 0108 frames [4]"]);
}

#[test]
fn a_reset_in_the_middle_does_not_hide_what_follows() {
    let reset = flagged(Side::Client, 102, RST);
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[1, 7]), reset, client(102, &[1, 8])]);
    assert_eq!(lines, ["toy c2s @0 0107 frames [2]", "toy c2s @2 0108 frames [4]"]);
}

#[test]
fn a_keep_alive_has_no_message() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[1, 7]), client(101, &[0]), client(102, &[1, 8])]);
    assert_eq!(lines, ["toy c2s @0 0107 frames [2]", "toy c2s @2 0108 frames [4]"]);
}

#[test]
fn a_stream_that_starts_in_the_middle_is_read_from_there() {
    let lines = emitted(&[client(100, &[1, 7]), client(102, &[1, 8])]);
    assert_eq!(lines, ["toy c2s @0 0107 frames [1]", "toy c2s @2 0108 frames [2]"]);
}

#[test]
fn unclaimed_bytes_are_data_as_they_come() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[0xee, 1]), client(102, &[2]), client(100, &[0xee, 1])]);
    assert_eq!(lines, ["data c2s @0 ee01 frames [2]", "data c2s @2 02 frames [3]"]);
}

#[test]
fn a_side_is_read_though_the_first_bytes_of_the_other_are_not_recognised() {
    let mut packets = opened();
    packets.extend([client(100, &[0xee, 1]), says(Side::Server, 500, &[2]), client(102, &[0xee])]);
    packets.extend([says(Side::Server, 501, &[5, 6]), client(103, &[1, 7])]);
    let lines = [
        "data c2s @0 ee01 frames [2]",
        "data c2s @2 ee frames [4]",
        "toy s2c @0 020506 frames [3, 5]",
        "toy c2s @3 0107 frames [6]",
    ];
    assert_eq!(emitted(&packets), lines);
    let mut packets = opened();
    packets.extend([client(100, &[0xee, 1]), says(Side::Server, 500, &[0xee, 1]), says(Side::Server, 502, &[1, 7])]);
    let lines = ["data c2s @0 ee01 frames [2]", "data s2c @0 ee01 frames [3]", "data s2c @2 0107 frames [4]"];
    assert_eq!(emitted(&packets), lines);
}

#[test]
fn bytes_wait_until_their_owner_is_known() {
    let lines =
        emitted(&[flagged(Side::Client, 99, SYN), client(100, &[0]), says(Side::Server, 500, &[1, 5]), client(101, &[1, 6])]);
    assert_eq!(lines, ["toy c2s @0 00 frames [2]", "toy s2c @0 0105 frames [3]", "toy c2s @1 0106 frames [4]"]);
}

#[test]
fn bytes_the_protocol_refuses_are_data() {
    let lines = emitted(&[flagged(Side::Client, 99, SYN), client(100, &[1, 7, 0xff, 1, 8])]);
    assert_eq!(lines, ["toy c2s @0 0107 frames [2]", "data c2s @2 ff frames [2]", "toy c2s @3 0108 frames [2]"]);
}

#[test]
fn sequence_numbers_wrap_inside_a_message() {
    let start = u32::MAX;
    let lines = emitted(&[flagged(Side::Client, start - 1, SYN), client(start, &[3, 7]), client(1, &[8, 9])]);
    assert_eq!(lines, ["toy c2s @0 03070809 frames [2, 3]"]);
}

#[test]
fn a_message_in_one_segment_stays_in_its_frame() {
    let frame_bytes = bytes(&client(100, &[1, 7]));
    let mut engine = Engine::complete(Registry::of(TOYS));
    let frame = Frame { number: 1, link: Link::Type(101), bytes: &frame_bytes, original_len: 42, ..Frame::default() };
    let tree = engine.dissect(&frame);
    let node = tree.nodes.iter().find(|node| node.field.is(&TOY_FIELD)).unwrap();
    assert_eq!(tree.pieces[0].at, HEADERS);
    // Given other bytes for the frame, other bytes come out: nothing was copied.
    assert_eq!(tree.slice(node.span, &[0xaa; 42]), [0xaa, 0xaa]);
}

#[test]
fn notes_have_a_code_that_the_glossary_knows() {
    let known: Vec<_> = Registry::default().fields().map(|field| field.abbrev).collect();
    assert!(notes::FIELDS.iter().all(|note| known.contains(&note.abbrev)));
}

/// Messages of every length from 0, so that all differ.
fn script(count: u8) -> Vec<u8> {
    (0..count).flat_map(|length| std::iter::once(length).chain(std::iter::repeat_n(0x40 + length, usize::from(length)))).collect()
}

/// Segments of these bytes, cut at `cuts`.
fn cut(bytes: &[u8], cuts: impl Iterator<Item = usize>) -> Vec<Packet> {
    let mut places: Vec<usize> = cuts.chain([0, bytes.len()]).collect();
    places.sort_unstable();
    places.dedup();
    places.windows(2).map(|pair| client(100 + u32::try_from(pair[0]).unwrap(), &bytes[pair[0]..pair[1]])).collect()
}

/// Segments after the handshake in a random order.
fn shuffled(mut segments: Vec<Packet>, seed: u64) -> Vec<Packet> {
    let mut random = seed;
    for place in (1..segments.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        segments.swap(place, usize::try_from(random >> 33).unwrap() % (place + 1));
    }
    [opened(), segments].concat()
}

#[test]
fn a_retransmission_before_its_original_does_not_change_messages() {
    let bytes = script(9);
    let whole = [opened(), vec![client(100, &bytes)]].concat();
    let mut segments = cut(&bytes, [1, 2, 3, 4, 5, 6, 28].into_iter());
    segments.insert(1, segments[6].clone());
    let packets = shuffled(segments, 12_734_519_723_904_620_754);
    assert_eq!(content(&emitted(&packets)), content(&emitted(&whole)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn however_a_stream_is_cut_and_shuffled_the_messages_are_the_same(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        order in any::<prop::sample::Index>(),
        seed in any::<u64>(),
        again in any::<prop::sample::Index>(),
    ) {
        let bytes = script(9);
        let whole = [opened(), vec![client(100, &bytes)]].concat();
        let mut segments = cut(&bytes, cuts.iter().map(|cut| cut.index(bytes.len())));
        let repeated = segments[again.index(segments.len())].clone();
        segments.insert(order.index(segments.len()), repeated);
        prop_assert_eq!(content(&emitted(&shuffled(segments, seed))), content(&emitted(&whole)));
    }

    #[test]
    fn random_segments_cause_no_panic(packets in prop::collection::vec(
        (any::<bool>(), 0_u32..64, prop::option::of(0_u32..64), 0_u8..8, prop::collection::vec(any::<u8>(), 0..20)), 0..24)
    ) {
        let packets: Vec<Packet> = packets.into_iter().map(|(from, seq, ack, flags, payload)| {
            Packet { side: if from { Side::Client } else { Side::Server }, seq, ack, flags, payload }
        }).collect();
        emitted(&packets);
    }
}

/// A frame whose link type is raw IP.
fn packet_tree(engine: &mut Engine, bytes: &[u8]) -> String {
    let original_len = u32::try_from(bytes.len()).unwrap();
    let frame = Frame { number: 1, link: Link::Type(101), bytes, original_len, ..Frame::default() };
    let tree = engine.dissect(&frame);
    let lines = tree.layers.iter().map(|layer| {
        let node = tree.nodes[layer.node as usize];
        let ends = &tree.ends[layer.ends as usize];
        let stream = ends.stream.map(|(stream, side)| format!(" {stream} {side}")).unwrap_or_default();
        let ends = ends.src.zip(ends.dst).map(|(src, dst)| format!(" {src} → {dst}")).unwrap_or_default();
        format!("{}{ends}{stream}", node.field.abbrev)
    });
    lines.chain(tree.notes.iter().map(|note| format!("! {}", note.code.abbrev))).collect::<Vec<_>>().join("\n")
}

/// A VXLAN packet with an Ethernet frame that contains this packet.
fn vxlan(inner: &[u8]) -> Vec<u8> {
    let mut payload = vec![0x08, 0, 0, 0, 0, 0, 123, 0, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00];
    payload.extend_from_slice(inner);
    let mut bytes = Vec::new();
    PacketBuilder::ipv4([172, 16, 0, 1], [172, 16, 0, 2], 64).udp(40000, 4789).write(&mut bytes, &payload).unwrap();
    bytes
}

#[test]
fn a_stream_in_a_tunnel_has_its_own_ends_and_conversation() {
    let mut engine = Engine::complete(Registry::of(TOYS));
    let say = vxlan(&bytes(&Packet { ack: Some(1), ..client(1, b"\x02ab") }));
    insta::assert_snapshot!(packet_tree(&mut engine, &say), @"
    ip 172.16.0.1 → 172.16.0.2
    udp 172.16.0.1:40000 → 172.16.0.2:4789 udp/0 c2s
    vxlan 172.16.0.1:40000 → 172.16.0.2:4789 udp/0 c2s
    eth 02:00:00:00:00:01 → 02:00:00:00:00:02
    ip 10.0.0.1 → 10.0.0.2
    tcp 10.0.0.1:5000 → 10.0.0.2:9 tcp/0 c2s
    toy 10.0.0.1:5000 → 10.0.0.2:9 tcp/0 c2s
    ");
    insta::assert_snapshot!(packet_tree(&mut engine, &vxlan(&bytes(&says(Side::Server, 1, b"\x01c")))), @"
    ip 172.16.0.1 → 172.16.0.2
    udp 172.16.0.1:40000 → 172.16.0.2:4789 udp/0 c2s
    vxlan 172.16.0.1:40000 → 172.16.0.2:4789 udp/0 c2s
    eth 02:00:00:00:00:01 → 02:00:00:00:00:02
    ip 10.0.0.2 → 10.0.0.1
    tcp 10.0.0.2:9 → 10.0.0.1:5000 tcp/0 s2c
    toy 10.0.0.2:9 → 10.0.0.1:5000 tcp/0 s2c
    ");
}

#[test]
fn tunnels_in_tunnels_end_somewhere() {
    let mut bytes = bytes(&client(1, b"\x02ab"));
    for _ in 0..40 {
        bytes = vxlan(&bytes);
    }
    let mut engine = Engine::complete(Registry::of(TOYS));
    let emitted = packet_tree(&mut engine, &bytes);
    assert_eq!(emitted.lines().filter(|line| line.starts_with("vxlan")).count(), 8);
    assert!(emitted.ends_with("! dissect.deep"), "{emitted}");
}
