//! The work of finding message boundaries.

use super::Plain;
use crate::ksy::protocol::{file, protocol};
use crate::ksy::{Spec, load_text};
use crate::tree::Side;
use crate::wire::{Conversation, Cut, Extent, Missing, Protocol, trial};
use proptest::prelude::*;
use std::path::Path;

fn spec(body: &str) -> Spec {
    let loaded = load_text(Path::new("game.ksy"), &format!("meta: {{id: game, endian: le, encoding: UTF-8}}\n{body}"));
    loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// A session of a file.
fn session(body: &str) -> Plain {
    session_of(body, true)
}

fn session_of(body: &str, from_start: bool) -> Plain {
    let spec = spec(body);
    Plain::new(file(&spec, spec.roots[0], None), [from_start; 2])
}

fn protocol_of(body: &str) -> &'static Protocol {
    let spec = spec(body);
    protocol(&spec, spec.roots[0], None, false)
}

/// The end of the first message if bytes arrive in pieces of this size, and the number of operations.
fn end_of(session: &mut Plain, bytes: &[u8], size: usize) -> (usize, usize) {
    let mut wanted = 0;
    let mut most = 0;
    for end in (size..bytes.len() + size).step_by(size).map(|end| end.min(bytes.len())) {
        if end < wanted && end < bytes.len() {
            continue;
        }
        let extent = session.extent(Side::Server, &bytes[..end], end < bytes.len());
        most = most.max(session.sides.server.work);
        match extent {
            Extent::Message(message) if message <= end => return (message, most),
            Extent::Message(message) => wanted = message,
            Extent::NeedMore(more) => wanted = more,
            Extent::Unknown(_) | Extent::Segment => panic!("{end} bytes are unknown"),
        }
    }
    panic!("no end");
}

#[test]
fn a_known_size_is_waited_for_to_the_byte() {
    let body = "seq: [{id: all, type: one, repeat: eos}]\ntypes:\n  one:\n    seq: [{id: n, type: u2}, {id: data, size: n}, {id: check, type: u4}]\n";
    let mut session = session(body);
    assert_eq!(session.extent(Side::Client, b"\x0a", true), Extent::NeedMore(2));
    assert_eq!(session.extent(Side::Client, b"\x0a\0", true), Extent::Message(16));
    assert_eq!(session.extent(Side::Client, &[b"\x0a\0", &[7; 14][..]].concat(), true), Extent::Message(16));
}

#[test]
fn a_terminator_is_searched_in_each_byte_once() {
    let mut session = session("seq: [{id: line, type: strz}]\n");
    let mut bytes = vec![b'x'; 400_000];
    bytes.push(0);
    let (end, work) = end_of(&mut session, &bytes, 100);
    assert_eq!(end, bytes.len());
    // Each piece takes a few operations, and each 64 bytes one.
    assert!(work < bytes.len() / 4, "{work}");
}

#[test]
fn a_repetition_ends_with_the_text_or_the_bytes_that_it_waits_for() {
    for member in ["repeat-until: '_ == [0x65, 0x6e, 0x64]'", "type: str, encoding: ASCII, repeat-until: '_ == \"end\"'"] {
        let mut session = session(&format!("seq: [{{id: part, terminator: 0x5c, repeat: until, {member}}}]\n"));
        assert_eq!(session.extent(Side::Client, b"\\ab\\end\\more\\", true), Extent::Message(8), "{member}");
    }
}

#[test]
fn many_small_parts_take_work_in_proportion_to_their_bytes() {
    let body = "seq: [{id: n, type: u4}, {id: lines, type: strz, repeat: expr, repeat-expr: n}]\n";
    let work = |count: u32| {
        let bytes = [&count.to_le_bytes()[..], &b"ab\0".repeat(count as usize)].concat();
        let (end, work) = end_of(&mut session(body), &bytes, 100);
        assert_eq!(end, bytes.len());
        work / bytes.len()
    };
    // The number of operations per byte does not depend on the number of bytes.
    let (few, many) = (work(5_000), work(40_000));
    assert!(many <= few * 2 && many < 60, "{few} {many}");
}

#[test]
fn the_state_of_a_side_is_small() {
    let session = session("seq: [{id: n, type: u1}]\n");
    assert!(session.memory_usage() < 512, "{}", session.memory_usage());
}

/// Files with every kind of message boundary.
const FILES: &[&str] = &[
    "seq: [{id: all, type: one, repeat: eos}]\ntypes:\n  one:\n    seq: [{id: n, type: u2}, {id: data, type: in, size: n % 9}, {id: text, type: strz}]\n  \
     in:\n    seq: [{id: a, type: u1, valid: {max: 9}}, {id: b, type: u2, if: a > 1}]\n",
    "seq: [{id: hello, contents: [1, 2]}, {id: all, type: one(_index), repeat: eos}]\ntypes:\n  one:\n    params: [{id: i, type: u4}]\n    \
     seq: [{id: n, type: u1}, {id: list, type: u1, repeat: until, repeat-until: _ == 0 or n == 3}, {id: far, type: u4, if: '_root.hello[0] == n'}]\n",
    "seq: [{id: n, type: b3}, {id: m, type: b13}, {id: list, type: s2, repeat: expr, repeat-expr: n - 1}, {id: tail, type: str, terminator: 3, eos-error: false}]\n\
     instances:\n  peek: {pos: m, type: u1}\n",
];

#[test]
fn a_session_that_joins_late_begins_without_bytes() {
    for file in FILES {
        session_of(file, false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_break_a_session(
        file in 0..FILES.len(),
        bytes in proptest::collection::vec(prop_oneof![4 => 0_u8..4, 1 => any::<u8>()], 0..600),
        size in 1_usize..40,
        gaps in proptest::collection::vec(0_usize..600, 0..3),
        from_start in any::<bool>(),
    ) {
        let mut session = session_of(FILES[file], from_start);
        let protocol = protocol_of(FILES[file]);
        let (mut at, mut here) = (0, 0);
        let mut wanted = 0;
        while at < bytes.len() {
            // Like the engine, adds bytes until the session recognizes the first of them.
            let more = here < bytes.len();
            if here - at < wanted && more || here == at {
                here = (here + size).min(bytes.len());
                if gaps.contains(&here) {
                    session.gap(Side::Client, Missing { bytes: 1, in_step: false });
                }
                continue;
            }
            match session.extent(Side::Client, &bytes[at..here], more) {
                Extent::Message(end) if end <= here - at || !more => {
                    prop_assert!(end > 0);
                    let end = (at + end).min(here);
                    trial::read(protocol, &bytes[at..end], Cut::No, |wire| session.message(Side::Client, wire));
                    (at, wanted) = (end, 0);
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(run) => {
                    prop_assert!(run > 0);
                    (at, wanted) = ((at + run).min(here), 0);
                }
                Extent::Message(need) | Extent::NeedMore(need) => {
                    prop_assert!(need > here - at || !more, "{} of {}", need, here - at);
                    if !more {
                        break;
                    }
                    wanted = need;
                }
            }
        }
    }
}
