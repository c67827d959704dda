//! Test messages, and properties of whole sessions.

mod malformed;
mod memory;
mod recognition;
mod streams;
mod vectors;

use super::discovery::Discovery;
use super::*;
use crate::tree::{Dissection, FrameInfo, Kind, Span, Tree};
use crate::wire::{Exchange, Opening, Verdict, trial};
use proptest::prelude::*;
use recognition::{LOOKS, evaluate};
use streams::Stream;

const GREETING: &str = "23 00 00 00 01 7b 22 6c 61 6e 67 22 3a 22 65 6e 22 2c 22 76 65 72 73 69 6f 6e 22 3a 22 31 2e 31 2e 33 30
    2e 30 22 7d 0a";
const HEARTBEATING: &str = "00 00 00 00 00";
const REFUSAL: &str = "00 00 00 00 02";
const CLEAR_IDLE: &str = "1c 00 00 00 05 7b 22 74 79 70 65 22 3a 31 34 2c 22 61 72 67 73 22 3a 5b 5d 2c 22 69 64 22 3a 31 7d";
const ONE_BOOL: &str = "06 00 00 00 03 00 0f 00 00 00 00";
const TWO_FLOATS: &str = "12 00 00 00 03 05 7c 5a 00 00 4f 3a 82 43 05 78 5a 00 00 4f 3a 82 43";
const EIGHT_FLOATS: &str = "48 00 00 00 03 05 30 5a 00 00 84 3f 68 43 05 4d 5a 00 00 e3 9e 9d c7 05 50 5a 00 00 2f b3 b3 47
    05 4f 5a 00 00 e3 9e 91 c7 05 52 5a 00 00 2f f3 ac 47 05 51 5a 00 00 e3 9e 9d c7 05 4e 5a 00 00
    2f b3 b3 47 05 2c 5a 00 00 84 3f 68 43";
const ONE_FLOAT: &str = "09 00 00 00 03 05 7c 61 00 00 dc cc 92 41";
const RADIO: &str = "61 00 00 00 03 05 f6 56 00 00 00 00 b6 42 00 f8 56 00 00 01 00 f7 56 00 00 00 06 f5 56 00 00 43
    6c 61 73 73 69 63 61 6c 20 52 61 64 69 6f 00 08 f4 56 00 00 04 00 f6 56 00 00 66 72 65 71 75 65
    6e 63 79 00 f8 56 00 00 69 6e 52 61 6e 67 65 00 f7 56 00 00 61 63 74 69 76 65 00 f5 56 00 00 74
    65 78 74 00 00 00";
const REMOVAL: &str = "22 00 00 00 03 08 39 57 00 00 01 00 51 99 00 00 69 74 65 6d 43 61 72 64 49 6e 66 6f 4c 69 73 74
    00 01 00 48 57 00 00";
const THREE: &str = "3b 00 00 00 03 03 0a 00 00 00 2a 00 00 00 07 0b 00 00 00 02 00 01 00 00 00 02 00 00 00 08 0c 00
    00 00 02 00 05 00 00 00 66 6f 6f 00 06 00 00 00 68 65 6c 6c 6f 00 02 00 03 00 00 00 04 00 00 00";
const NINE_TYPES: &str = "af 00 00 00 03 00 01 00 00 00 01 01 02 00 00 00 fe 02 03 00 00 00 fe 03 04 00 00 00 00 00 00 80
    04 05 00 00 00 ff ff ff ff 05 06 00 00 00 00 00 00 bf 06 07 00 00 00 56 61 75 6c 74 20 31 31 31
    20 c3 a9 00 06 08 00 00 00 00 07 09 00 00 00 03 00 01 00 00 00 02 00 00 00 03 00 00 00 07 0a 00
    00 00 00 00 08 0b 00 00 00 02 00 04 00 00 00 61 00 07 00 00 00 6e 61 6d 65 00 00 00 08 00 00 00
    00 06 00 09 00 00 00 6c 69 73 74 00 0a 00 00 00 65 6d 70 74 79 00 0b 00 00 00 6f 62 6a 00 05 00
    00 00 6d 61 78 00 06 00 00 00 66 00 08 00 00 00 73 00 00 00";
const MAP: &str = "28 00 00 00 04 04 00 00 00 02 00 00 00 00 00 80 c4 00 00 00 45 00 00 80 44 00 00 00 45 00 00 80
    c4 00 00 80 44 00 20 40 60 80 a0 c0 ff";
const PADDED_MAP: &str = "28 00 00 00 04 03 00 00 00 02 00 00 00 00 00 80 c4 00 00 00 45 00 00 80 44 00 00 00 45 00 00 80
    c4 00 00 80 44 10 20 30 ee 40 50 60 ee";
const DROP_ITEM: &str = "31 00 00 00 05 7b 22 74 79 70 65 22 3a 31 2c 22 61 72 67 73 22 3a 5b 34 32 30 37 36 30 30 36 37
    35 2c 37 2c 34 39 34 2c 5b 30 2c 31 5d 5d 2c 22 69 64 22 3a 33 7d";
const ALLOWED: &str = "26 00 00 00 06 7b 22 61 6c 6c 6f 77 65 64 22 3a 74 72 75 65 2c 22 69 64 22 3a 33 2c 22 73 75 63
    63 65 73 73 22 3a 74 72 75 65 7d";
const NOT_ALLOWED: &str = "3f 00 00 00 06 7b 22 61 6c 6c 6f 77 65 64 22 3a 66 61 6c 73 65 2c 22 69 64 22 3a 34 2c 22 6d 65
    73 73 61 67 65 22 3a 22 c3 9c 62 65 72 6c 61 64 65 6e 22 2c 22 73 75 63 63 65 73 73 22 3a 66 61
    6c 73 65 7d";
const NO_NUL: &str = "0b 00 00 00 03 06 05 00 00 00 43 61 70 73 3a 20";
const LONG_LIST: &str = "0b 00 00 00 03 07 09 00 00 00 ff ff 01 00 00 00";
const TYPE_NINE: &str = "0c 00 00 00 03 00 0f 00 00 00 01 09 10 00 00 00 01";
const HEAVY_HEARTBEAT: &str = "02 00 00 00 00 01 02";
const HOSTILE_LENGTH: &str = "ff ff ff ff 03 00 0f";
const SHORT_DICT: &str = "11 00 00 00 03 08 0c 00 00 00 02 00 05 00 00 00 66 6f 6f 00 00 00";
const RAGGED_MAP: &str = "27 00 00 00 04 03 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    00 00 00 00 00 01 02 03 04 05 06 07";
const STRAY_BYTES: &str = "08 00 00 00 03 00 0f 00 00 00 02 05 16";

/// Well-formed messages of the game.
const GOOD: &[&str] = &[
    GREETING,
    HEARTBEATING,
    REFUSAL,
    ONE_BOOL,
    TWO_FLOATS,
    EIGHT_FLOATS,
    ONE_FLOAT,
    RADIO,
    REMOVAL,
    THREE,
    NINE_TYPES,
    MAP,
    PADDED_MAP,
    ALLOWED,
    NOT_ALLOWED,
];

/// Malformed messages with correct lengths.
const MALFORMED: &[&str] = &[NO_NUL, LONG_LIST, TYPE_NINE, HEAVY_HEARTBEAT, SHORT_DICT, RAGGED_MAP, STRAY_BYTES];

fn dissect(from: Side, bytes: &[u8], cut: Cut) -> String {
    trial::message(&PROTOCOL, &mut Session::default(), from, bytes, cut)
}

fn by_game(hex: &str) -> String {
    dissect(Side::Server, &trial::bytes(hex), Cut::No)
}

fn by_app(hex: &str) -> String {
    dissect(Side::Client, &trial::bytes(hex), Cut::No)
}

fn datagram(bytes: &[u8]) -> String {
    assert!(heuristics::is_discovery(bytes));
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| Discovery::default().message(Side::Client, wire))
}

/// A message of this type with a text payload.
fn json_message(kind: u8, text: &[u8]) -> Vec<u8> {
    let mut message = u32::try_from(text.len()).unwrap().to_le_bytes().to_vec();
    message.push(kind);
    message.extend_from_slice(text);
    message
}

fn joined(messages: &[&str]) -> Vec<u8> {
    messages.iter().flat_map(|hex| trial::bytes(hex)).collect()
}

#[test]
fn folded_entries_show_their_value() {
    let bytes = trial::bytes(THREE);
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    Session::default().message(Side::Server, &mut wire).unwrap();
    tree.close(0, PROTOCOL.this, bytes.len());
    let of = Dissection { tree: &tree, bytes: &bytes };
    let folded: Vec<String> = of
        .layer_node(&tree.layers[0])
        .unwrap()
        .children()
        .flat_map(|node| std::iter::once(node).chain(node.children()))
        .filter(|node| node.field().kind == Kind::Group)
        .map(|node| {
            let (mut value, mut meaning) = (String::new(), String::new());
            node.write_value(&mut value).unwrap();
            node.write_meaning(&mut meaning).unwrap();
            format!("{value} | {meaning}")
        })
        .collect();
    assert_eq!(
        folded,
        [
            "42 | int32, id 10, #10",
            "2 refs | list, id 11, #11",
            "+2 -2 | dict, id 12, #12",
            "\"foo\" | ref 5, #12.foo",
            "\"hello\" | ref 6, #12.hello"
        ]
    );
}

/// Generates concatenated message fragments and random bytes.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        proptest::sample::select([GOOD, MALFORMED].concat()).prop_map(trial::bytes),
        (proptest::sample::select([GOOD, MALFORMED].concat()), 0..50_usize).prop_map(|(hex, end)| {
            let bytes = trial::bytes(hex);
            bytes[..end.min(bytes.len())].to_vec()
        }),
        (0..12_u8, 0..20_u8).prop_map(|(kind, length)| vec![length, 0, 0, 0, kind]),
        Just(vec![0; 10]),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in hostile(), from_game in any::<bool>(), is_cut in any::<bool>()) {
        let from = if from_game { Side::Server } else { Side::Client };
        dissect(from, &bytes, if is_cut { Cut::Stream { needed: bytes.len() + 1 } } else { Cut::No });
        trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Discovery::default().message(Side::Client, wire));
    }

    #[test]
    fn framing_always_advances_and_drops_nothing(bytes in hostile(), size in 1..40_usize, lost in any::<bool>()) {
        let mut stream = Stream::default();
        if lost {
            stream.lose(Side::Server);
        }
        bytes.chunks(size).for_each(|piece| stream.arrive(Side::Server, piece));
        prop_assert_eq!(stream.messages.concat().len() + stream.unknown.len() + stream.queue.len(), bytes.len());
        stream.end(Side::Server);
        prop_assert_eq!(stream.messages.concat().len() + stream.unknown.len(), bytes.len());
    }

    #[test]
    fn what_is_accepted_before_a_fault_does_not_depend_on_segments(bytes in hostile(), size in 1..40_usize, from_game: bool) {
        let from = if from_game { Side::Server } else { Side::Client };
        let [mut cut, mut whole] = [Stream::default(), Stream::default()];
        bytes.chunks(size).for_each(|piece| cut.arrive(from, piece));
        whole.arrive(from, &bytes);
        cut.end(from);
        whole.end(from);
        prop_assert_eq!(cut.accepted(), whole.accepted());
    }

    #[test]
    fn every_complete_opening_gets_a_verdict(app in hostile(), game in hostile(), from_start: bool, complete: bool) {
        for look in LOOKS {
            let verdict = evaluate(look, &app, &game, from_start, complete);
            prop_assert!(!complete || verdict != Verdict::Unsure);
        }
        heuristics::is_discovery(&app);
    }
}
