//! Test messages, and properties of sessions.

mod malformed;
mod messages;
mod recognition;
mod streams;
mod vectors;
mod world_location;

use super::*;
use crate::tree::{Dissection, FrameInfo, Span, Tree, Value};
use crate::wire::{Opening, Verdict, trial};
use proptest::prelude::*;

const HELLO: &str = "68 65 6c 6c 6f 01 01";
const REPLY: &str = "68 65 6c 6c 6f 00 00 00 00 00 00 00 00 07";
const PLAZA_REPLY: &str = "68 65 6c 6c 6f 45 00 00 00 03 00 00 00 03";
const REFUSAL: &str = "72 65 6a 65 63 74 00 00 00 00 00 00 00 00";
const NEW: &str = "00 00 00 00 07 00 00 00 00 00 00 00 00 00 00 00 15 41 6b 69 00 61 76 74 77 72 6c 2f 30 31 63 61
    74 2e 77 72 6c 00";
const LOGIN: &str = "00 00 00 00 00 00 00 00 07 00 00 00 01 00 00 00 04 00 00 00 07 00 00 00 00 07 00 00 00 07 00 00
    00 08 00 00 00 01 01 00 00 00 00 07 00 00 00 07 00 00 00 02 00 00 00 1d 00 00 12 34 00 00 12 34
    61 76 74 77 72 6c 2f 30 31 63 61 74 2e 77 72 6c 00 41 6b 69 00 00 00 00 00 07 00 00 00 07 00 00
    00 04 00 00 00 04 00 00 12 34 00 00 00 00 00 00 00 00 07 00 00 00 0b 00 00 00 05 01 00 00 00 02";
const POSITION: &str = "02 00 00 00 07 00 00 00 07 00 00 12 34 00 54 ff ab ff b8 64 1f 00 00 80 00 00 01";
const CHAT: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 00 00 00 15 00 00 12 34 00 00 00 09 00 41 6b 69 3a 20 68
    69 20 61 6c 6c 00";
const TRANSFORM: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 00 00 00 39 00 00 12 34 00 00 00 02 01 00 00 00 00 00 00
    00 00 00 00 ff ff 00 00 00 00 00 00 ff ff 00 00 00 00 ff ff 00 01 00 00 00 00 00 00 00 00 00 54
    ff ab 00 00 00 00 ff fd c0 02";
const SLEEPING: &str = "00 00 00 00 07 00 00 00 07 00 00 00 07 00 00 00 01 05 00 00 00 00 07 00 00 00 07 00 00 00 06 00
    00 00 26 00 00 12 34 00 00 00 0c 01 73 6c 65 65 70 3a 31 20 31 3a 30 30 30 30 30 30 30 30 30 30
    30 30 3a 35 38 3a 30 3a 00";
const PRIVATE: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 00 00 00 13 00 00 22 01 00 00 00 0f 02 00 00 12 34 25 25
    52 45 51 00";
const CALL: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 00 00 00 20 ff ff d8 f1 00 00 27 10 02 02 73 74 61 72 74
    41 72 65 61 52 65 71 75 65 73 74 00 00 00 00 12 34";
const VOICE_ENABLED: &str = "00 00 00 00 09 00 00 00 09 00 00 00 06 00 00 00 0f 00 00 12 34 00 00 00 12 01 01 00 00 00 01 03";
const LEFT: &str = "00 00 00 00 09 00 00 00 09 00 00 00 03 00 00 00 04 00 00 12 34";
const SYS1_ACTIVE: &str = "01 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 00 00 00 00 07 00 00 00 07 00 00 00 07 00 00 00 01
    04";
const QUESTION: &str = "66 2c 31 39 32 2e 31 36 38 2e 31 2e 31 34 2c 53 41 50 41 52 69 20 43 4f 41 53 54 20 4d 49 4c 2e
    2c 38 35 2e 30 30 30 30 30 30 2c 2d 37 31 2e 36 31 30 30 30 31 2c 38 35 2e 30 30 30 30 30 30 2c
    2c 2c 00";
const BUREAU: &str = "66 2c 30 2c 65 78 61 6d 70 6c 65 2e 63 6f 6d 2c 35 31 32 36 00";
const HUGE: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 7f ff ff ff 00 00 12 34";
const NO_NUL: &str = "00 00 00 00 07 00 00 00 00 00 00 00 00 00 00 00 14 41 6b 69 00 61 76 74 77 72 6c 2f 30 31 63 61
    74 2e 77 72 6c";
const NO_STRATEGY: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 00 00 00 08 00 00 12 34 00 00 00 09";
const SHORT_TRANSFORM: &str = "00 00 00 00 07 00 00 00 07 00 00 00 06 00 00 00 1d 00 00 12 34 00 00 00 02 01 00 00 00 00 00 00
    00 00 00 00 00 00 00 00 00 00 00 00 00 00";
const LONG_MASTER: &str = "00 00 00 00 09 00 00 00 09 00 00 00 08 00 00 00 05 00 00 00 01 01";
const OPCODE_99: &str = "00 00 00 00 09 00 00 00 09 00 00 00 63 00 00 00 02 de ad";
const CUT_POSITION: &str = "02 00 00 00 07 00 00 00 07 00 00 12 34 00 54 ff ab ff b8 64";
const NOT_A_SECTION: &str = "47 45 54 20 2f";

/// Messages of clients.
const FROM_CLIENT: &[&str] = &[NEW, POSITION, CHAT, TRANSFORM, PRIVATE, CALL];

/// Messages of servers.
const FROM_SERVER: &[&str] = &[VOICE_ENABLED, LEFT];

/// Messages with malformed content.
const MALFORMED: &[&str] = &[NO_NUL, NO_STRATEGY, SHORT_TRANSFORM, LONG_MASTER, OPCODE_99];

const C: Side = Side::Client;
const S: Side = Side::Server;

/// Dissects a single message.
fn dissect(from: Side, bytes: &[u8], cut: Cut) -> String {
    trial::message(&PROTOCOL, &mut Session::default(), from, bytes, cut)
}

fn by_client(hex: &str) -> String {
    dissect(C, &trial::bytes(hex), Cut::No)
}

fn by_server(hex: &str) -> String {
    dissect(S, &trial::bytes(hex), Cut::No)
}

/// A general section.
fn section_of(ids: [i32; 2], opcode: u32, content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).unwrap();
    let numbers = [ids[0].cast_unsigned(), ids[1].cast_unsigned(), opcode, size];
    [&[0][..], &numbers.map(u32::to_be_bytes).concat(), content].concat()
}

/// A common message of user 4660, or on its behalf.
fn common_of(id: i32, kind: u32, strategy: u8, rest: &[u8]) -> Vec<u8> {
    section_of([7, 7], COMMON, &[&id.to_be_bytes()[..], &kind.to_be_bytes(), &[strategy], rest].concat())
}

fn position_of(id: i32) -> Vec<u8> {
    let mut position = trial::bytes(POSITION);
    position[9..13].copy_from_slice(&id.to_be_bytes());
    position
}

fn joined_of(id: i32, avatar: &str, name: &str) -> Vec<u8> {
    section_of(
        [7, 7],
        USER_JOINED,
        &[&id.to_be_bytes()[..], &id.to_be_bytes(), avatar.as_bytes(), b"\0", name.as_bytes(), b"\0"].concat(),
    )
}

/// Two sides whose bytes arrive in pieces, as in the engine.
#[derive(Default)]
struct Stream {
    session: Session,
    waiting: [Vec<u8>; 2],
    wanted: [usize; 2],
    /// Dissected messages.
    trees: Vec<String>,
    /// Bytes of messages.
    explained: usize,
    unknown: Vec<u8>,
}

impl Stream {
    /// An open session with a known user.
    fn logged_in() -> Stream {
        let mut stream = Stream::default();
        for (from, hex) in [(C, HELLO), (S, REPLY), (C, NEW), (S, LOGIN)] {
            stream.arrive(from, &trial::bytes(hex));
        }
        stream.trees.clear();
        stream.explained = 0;
        stream
    }

    fn arrive(&mut self, from: Side, bytes: &[u8]) {
        self.waiting[from.index()].extend_from_slice(bytes);
        while !self.waiting[from.index()].is_empty() && self.waiting[from.index()].len() >= self.wanted[from.index()] {
            self.wanted[from.index()] = 0;
            let length = self.waiting[from.index()].len();
            match self.session.extent(from, &self.waiting[from.index()], true) {
                Extent::Message(end) if end <= length => self.read(from, end, Cut::No),
                Extent::Message(more) | Extent::NeedMore(more) => {
                    assert!(more > length);
                    self.wanted[from.index()] = more;
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(run) => self.pass(from, run),
            }
        }
    }

    /// Ends the stream.
    fn end(&mut self, from: Side) {
        while !self.waiting[from.index()].is_empty() {
            let length = self.waiting[from.index()].len();
            match self.session.extent(from, &self.waiting[from.index()], false) {
                Extent::Message(end) if end <= length => self.read(from, end, Cut::No),
                Extent::Message(want) | Extent::NeedMore(want) => self.read(from, length, Cut::Stream { needed: want }),
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(run) => self.pass(from, run),
            }
        }
    }

    fn read(&mut self, from: Side, end: usize, cut: Cut) {
        assert!(end > 0);
        let bytes: Vec<u8> = self.waiting[from.index()].drain(..end).collect();
        self.explained += bytes.len();
        self.trees.push(trial::message(&PROTOCOL, &mut self.session, from, &bytes, cut));
    }

    fn pass(&mut self, from: Side, run: usize) {
        assert!(0 < run && run <= self.waiting[from.index()].len());
        self.unknown.extend(self.waiting[from.index()].drain(..run));
    }

    fn lose(&mut self, from: Side) {
        self.waiting[from.index()].clear();
        self.wanted[from.index()] = 0;
        self.session.gap(from, Missing { bytes: 1, in_step: false });
    }

    /// Headings without spans.
    fn headings(&self) -> String {
        let first =
            |tree: &String| tree.lines().next().unwrap().split_once(" | ").map_or(String::new(), |(_, heading)| heading.into());
        self.trees.iter().map(first).collect::<Vec<String>>().join("\n")
    }
}

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let all = || [FROM_CLIENT, FROM_SERVER, MALFORMED, &[HELLO, REPLY, REFUSAL, LOGIN, SLEEPING, SYS1_ACTIVE, HUGE]].concat();
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        proptest::sample::select(all()).prop_map(trial::bytes),
        (proptest::sample::select(all()), 0..50_usize).prop_map(|(hex, end)| {
            let bytes = trial::bytes(hex);
            bytes[..end.min(bytes.len())].to_vec()
        }),
        (0..13_u32, proptest::collection::vec(any::<u8>(), 0..30)).prop_map(|(opcode, rest)| section_of([7, 7], opcode, &rest)),
        (0..21_u32, 0..8_u8, proptest::collection::vec(any::<u8>(), 0..60))
            .prop_map(|(kind, to, rest)| common_of(4660, kind, to, &rest)),
        Just(vec![0; 10]),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn side() -> impl Strategy<Value = Side> {
    proptest::sample::select(Side::BOTH.to_vec())
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in hostile(), from in side(), is_cut: bool) {
        dissect(from, &bytes, if is_cut { Cut::Stream { needed: bytes.len() + 1 } } else { Cut::No });
    }

    #[test]
    fn framing_always_advances_and_drops_nothing(pieces in proptest::collection::vec((side(), hostile()), 0..8), size in 1..40_usize, lost: bool) {
        let mut stream = Stream::default();
        if lost {
            stream.lose(S);
        }
        let all: usize = pieces.iter().map(|(_, bytes)| bytes.len()).sum();
        for (from, bytes) in &pieces {
            bytes.chunks(size).for_each(|piece| stream.arrive(*from, piece));
        }
        let waiting: usize = stream.waiting.iter().map(Vec::len).sum();
        prop_assert_eq!(stream.explained + stream.unknown.len() + waiting, all);
        Side::BOTH.into_iter().for_each(|side| stream.end(side));
        prop_assert_eq!(stream.explained + stream.unknown.len(), all);
    }

    #[test]
    fn any_pieces_give_the_same_messages(bytes in hostile(), from in side(), cuts in proptest::collection::vec(1..60_usize, 1..40)) {
        let mut whole = Stream::logged_in();
        whole.arrive(from, &bytes);
        whole.end(from);
        let mut stream = Stream::logged_in();
        let mut rest = &bytes[..];
        for cut in cuts {
            let (piece, behind) = rest.split_at(cut.min(rest.len()));
            stream.arrive(from, piece);
            rest = behind;
        }
        stream.arrive(from, rest);
        stream.end(from);
        prop_assert_eq!(stream.trees, whole.trees);
        prop_assert_eq!(stream.unknown, whole.unknown);
    }

    #[test]
    fn every_complete_opening_gets_a_verdict(client in hostile(), server in hostile(), from_start: bool, complete: bool) {
        for look in recognition::LOOKS {
            let verdict = recognition::evaluate(look, &client, &server, from_start, complete);
            prop_assert!(!complete || verdict != Verdict::Unsure);
        }
    }
}
