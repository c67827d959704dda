//! Files of Kaitai Struct on streams: sessions cut, shuffled, sent twice, and with whole messages lost, give the same messages.

use crate::common::sides::{each_record, reordered, segment, sides};
use proptest::prelude::*;
use proptest::sample::Index;
use proto_dissect::input::Capture;
use proto_dissect::ksy;
use proto_dissect::record::Record;
use proto_dissect::registry::{Choices, DecodeAs, Registry, Selector};
use proto_dissect::tree::{NodeRef, Side, Transport};
use proto_dissect::wire::Protocol;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::sync::LazyLock;

const PORT: u16 = 4000;

/// A file with the bytes of both sides of a conversation, the client first.
struct Case {
    registry: Registry,
    sent: [Vec<u8>; 2],
    /// The messages of each side, without loss: start, end, and text.
    whole: [Vec<(usize, usize, String)>; 2],
}

impl Case {
    fn new(file: &str, sent: [Vec<u8>; 2]) -> Case {
        let registry = registry(protocol(file));
        let whole = Side::BOTH.map(|side| {
            let packets = [piece(side, 0, &[], true), piece(side, 0, &sent[side.index()], false)];
            messages(registry, &packets).into_iter().map(|(_, from, to, text)| (from, to, text)).collect()
        });
        Case { registry, sent, whole }
    }

    fn of_sample(file: &str, sample: &str, stream: u32) -> Case {
        Case::new(file, sides(sample, stream))
    }

    fn of_client(file: &str, bytes: Vec<u8>) -> Case {
        Case::new(file, [bytes, Vec::new()])
    }
}

/// The files, each with a conversation.
static CASES: LazyLock<Vec<(&str, Case)>> = LazyLock::new(|| {
    vec![
        ("fallout4_pipboy", Case::of_sample("fallout4_pipboy", "pipboy.pcap", 0)),
        ("vscp", Case::of_sample("vscp", "vscp.pcap", 4)),
        ("xfire", Case::of_sample("xfire", "xfire.pcap", 0)),
        ("runescape_types", Case::of_client("runescape_types", types())),
        ("vcmp_librpc", Case::of_client("vcmp_librpc", calls())),
        ("mqtt_packets", Case::of_sample("mqtt_packets", "neighbours.pcap", mqtt())),
        ("modbus_tcp", Case::of_sample("modbus_tcp", "tools.pcap", 0)),
        ("steam_discovery", Case::of_client("steam_discovery", discovery())),
    ]
});

/// Values of RuneScape's types, repeated.
fn types() -> Vec<u8> {
    let once = hex("01020304858607 08090a12345678 12345678 45c1236162 0a636400b720");
    (0..20).flat_map(|n| once.iter().map(move |byte| byte ^ if *byte == 9 { n } else { 0 })).collect()
}

/// Calls of functions by their names.
fn calls() -> Vec<u8> {
    let call = |name: &str| {
        let len = u8::try_from(name.len()).unwrap();
        let mut bytes = hex("00000040 46 000000");
        bytes.extend([len + 2, 0, len]);
        bytes.extend(name.as_bytes());
        bytes
    };
    ["print", "demo", "on_player_join", "set_position", "x"].into_iter().cycle().take(30).flat_map(call).collect()
}

/// The stream of MQTT in its sample.
fn mqtt() -> u32 {
    (0..20).find(|stream| sides("neighbours.pcap", *stream)[0].windows(4).any(|four| four == b"MQTT")).unwrap()
}

/// A sequence of Steam messages as if in a stream: host names of several lengths.
fn discovery() -> Vec<u8> {
    let message = |len: u8| {
        let mut bytes = hex("ffffffff 214c5fa0 04000000 08 05 10 01");
        bytes.extend([len + 2, 0, 0, 0, 0x22, len]);
        bytes.extend((b'a'..).take(len.into()));
        bytes
    };
    (1..20).flat_map(message).collect()
}

fn hex(text: &str) -> Vec<u8> {
    proto_dissect::wire::trial::bytes(text)
}

fn protocol(file: &str) -> &'static Protocol {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("samples/ksy/{file}.ksy"));
    let loaded = ksy::load(&[path], &[]);
    let spec = loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    ksy::protocol(&spec, spec.roots[0], None, false)
}

/// A registry in which this protocol is registered on the port.
fn registry(protocol: &'static Protocol) -> Registry {
    let selector = Selector::Ports(Transport::Tcp, PORT..=PORT);
    let decode_as = vec![DecodeAs { selector, protocol: Some(protocol) }];
    Registry::default().and(Vec::leak(vec![protocol])).choosing(Choices { decode_as, ..Choices::default() })
}

fn piece(side: Side, at: usize, payload: &[u8], syn: bool) -> Vec<u8> {
    segment((side, PORT), at, payload, syn)
}

/// Each message with its side, where it begins and ends, and its fields with their spans, values and notes.
fn messages(registry: Registry, packets: &[Vec<u8>]) -> Vec<(Side, usize, usize, String)> {
    let mut found = Vec::new();
    for (ends, pieces, text) in all_messages(registry, packets) {
        let from = usize::try_from(pieces.0).unwrap();
        found.push((ends, from, from + pieces.1, text));
    }
    found
}

fn datagram_messages(registry: Registry, packets: &[Vec<u8>]) -> Vec<String> {
    all_messages(registry, packets).into_iter().map(|(_, _, text)| text).collect()
}

fn all_messages(registry: Registry, packets: &[Vec<u8>]) -> Vec<(Side, (u64, usize), String)> {
    let mut messages = Vec::new();
    each_record(registry, packets, |record| {
        let Record::Message(message) = record else { return };
        let node = message.node().unwrap();
        let (_, side) = message.ends().unwrap().stream.unwrap();
        let mut text = format!("{} {} {}", message.protocol().unwrap().abbrev, message.name(), message.info());
        fields(node, &mut text);
        for note in message.notes() {
            write!(text, "\n! {}", note.code.abbrev).unwrap();
        }
        let pieces = message.pieces();
        let len: usize = pieces.iter().map(|piece| piece.len as usize).sum();
        messages.push((side, (pieces.first().map_or(0, |piece| piece.off), len), text));
    });
    messages
}

fn fields(node: NodeRef<'_>, text: &mut String) {
    let start = node.span().start;
    for child in node.children() {
        let span = child.span();
        write!(text, "\n{} {}+{} ", child.field().abbrev, span.start.wrapping_sub(start), span.end - span.start).unwrap();
        child.write_plain(text).unwrap();
        fields(child, text);
    }
}

/// Number of cases: few by default, `KSY_CASES` for a long run.
fn cases() -> u32 {
    std::env::var("KSY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

/// The transformation of a stream: cuts, exchanged segments, lost messages.
type Disorder = (Vec<Index>, Vec<(Index, Index)>, Vec<Index>);

fn disorder() -> impl Strategy<Value = Disorder> {
    (
        prop::collection::vec(any::<Index>(), 1..60),
        prop::collection::vec((any::<Index>(), any::<Index>()), 0..60),
        prop::collection::vec(any::<Index>(), 0..4),
    )
}

/// Segments of one side, without lost messages, one of them retransmitted, in another order.
fn shuffled(side: Side, case: &Case, (cuts, swaps, losses): &Disorder) -> (Vec<Vec<u8>>, Vec<String>) {
    let stream = &case.sent[side.index()];
    let whole = &case.whole[side.index()];
    if stream.is_empty() {
        return (Vec::new(), Vec::new());
    }
    // Later messages depend on the start of a direction, and a lost end is no hole.
    let losable = whole.len().saturating_sub(2);
    let lost: Vec<usize> = losses.iter().filter(|_| losable > 0).map(|loss| 1 + loss.index(losable)).collect();
    let is_lost = |place: usize| lost.contains(&place);
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).chain([0, stream.len()]).collect();
    places.extend(whole.iter().enumerate().filter(|(at, _)| is_lost(*at)).flat_map(|(_, (from, to, _))| [*from, *to]));
    places.sort_unstable();
    places.dedup();
    let has = |at: usize| !whole.iter().enumerate().any(|(place, (from, to, _))| is_lost(place) && (*from..*to).contains(&at));
    let packets = places
        .windows(2)
        .filter(|pair| has(pair[0]))
        .map(|pair| piece(side, pair[0], &stream[pair[0]..pair[1]], false))
        .collect();
    let left = whole.iter().enumerate().filter(|(place, _)| !is_lost(*place)).map(|(_, (_, _, text))| text.clone()).collect();
    (reordered(packets, swaps), left)
}

#[test]
fn every_conversation_is_read_to_its_last_byte() {
    for (file, case) in CASES.iter() {
        for side in Side::BOTH {
            let mut at = 0;
            for (from, to, text) in &case.whole[side.index()] {
                assert!(*from == at && text.starts_with(file) && !text.contains("\n!"), "{file} at {at}: {text}");
                at = *to;
            }
            assert_eq!(at, case.sent[side.index()].len(), "{file}");
        }
        assert!(case.whole[0].len() + case.whole[1].len() >= 7, "{file}");
    }
}

#[test]
fn a_conversation_byte_by_byte_has_the_same_messages() {
    for (file, case) in CASES.iter() {
        for side in Side::BOTH {
            let whole: Vec<_> = case.whole[side.index()].iter().take_while(|(_, to, _)| *to < 4000).collect();
            let end = whole.last().map_or(0, |(_, to, _)| *to);
            let bytes = (0..end).map(|at| piece(side, at, &case.sent[side.index()][at..=at], false));
            let packets: Vec<_> = std::iter::once(piece(side, 0, &[], true)).chain(bytes).collect();
            let found: Vec<_> = messages(case.registry, &packets).into_iter().map(|(_, _, _, text)| text).collect();
            assert_eq!(found, whole.iter().map(|(_, _, text)| text.clone()).collect::<Vec<_>>(), "{file}");
        }
    }
}

/// Files for datagrams, with the datagrams of their samples.
const DATAGRAMS: &[(&str, &str, u16)] =
    &[("a2s_query", "queries.pcap", 27015), ("wireguard", "tools.pcap", 51820), ("netcode", "tools.pcap", 40000)];

/// The frames of a sample with this UDP port.
fn frames(sample: &str, port: u16) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = capture.next_frame().unwrap() {
        let is_it = |at: usize| frame.bytes.get(at..at + 2) == Some(&port.to_be_bytes()[..]);
        if frame.bytes.get(23) == Some(&17) && (is_it(34) || is_it(36)) {
            frames.push(frame.bytes[14..].to_vec());
        }
    }
    frames
}

#[test]
fn datagrams_in_any_order_have_the_same_messages() {
    for (file, sample, port) in DATAGRAMS {
        let registry = Registry::default().and(Vec::leak(vec![protocol(file)]));
        let frames = frames(sample, *port);
        let text = |packets: &[Vec<u8>]| -> Vec<String> {
            datagram_messages(registry, packets).into_iter().filter(|text| text.starts_with(file)).collect()
        };
        let whole = text(&frames);
        assert!(whole.len() == frames.len() && whole.len() >= 3, "{file}: {whole:?}");
        assert!(!whole.iter().any(|text| text.contains("\n!")), "{file}: {whole:?}");
        let turned: Vec<_> = frames.iter().rev().cloned().collect();
        assert_eq!(text(&turned), whole.iter().rev().cloned().collect::<Vec<_>>(), "{file}");
        assert_eq!(text(&[frames.clone(), frames.clone()].concat()), [whole.clone(), whole].concat(), "{file}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_conversation_cut_shuffled_and_with_lost_messages_has_the_same_messages(
        case in 0..100_usize,
        client in disorder(),
        server in disorder(),
    ) {
        let (file, case) = &CASES[case % CASES.len()];
        let (by_client, asked) = shuffled(Side::Client, case, &client);
        let (by_server, answered) = shuffled(Side::Server, case, &server);
        let mut packets = vec![piece(Side::Client, 0, &[], true), piece(Side::Server, 0, &[], true)];
        packets.extend(by_client);
        packets.extend(by_server);
        let found = messages(case.registry, &packets);
        for (side, wanted) in [(Side::Client, asked), (Side::Server, answered)] {
            let found: Vec<String> =
                found.iter().filter(|(from, ..)| *from == side).map(|(_, _, _, text)| text.clone()).collect();
            prop_assert_eq!(&found, &wanted, "{} {:?}", file, side);
        }
    }
}
