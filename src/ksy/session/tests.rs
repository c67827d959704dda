//! The work of finding where messages end.

use super::Session;
use crate::ksy::load_text;
use crate::ksy::protocol::file;
use crate::tree::Side;
use crate::wire::{Conversation, Extent};
use std::path::Path;

/// A session of a file.
fn session(body: &str) -> Session {
    let loaded = load_text(Path::new("game.ksy"), &format!("meta: {{id: game, endian: le, encoding: UTF-8}}\n{body}"));
    let spec = loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    Session::new(file(&spec, spec.roots[0], None), [true; 2])
}

/// Where the first message ends if bytes arrive in pieces of this size, and the operations that finding it took.
fn end_of(session: &mut Session, bytes: &[u8], size: usize) -> (usize, usize) {
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
            Extent::Unknown(_) => panic!("{end} bytes are unknown"),
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
fn many_small_parts_take_work_in_proportion_to_their_bytes() {
    let body = "seq: [{id: n, type: u4}, {id: lines, type: strz, repeat: expr, repeat-expr: n}]\n";
    let work = |count: u32| {
        let bytes = [&count.to_le_bytes()[..], &b"ab\0".repeat(count as usize)].concat();
        let (end, work) = end_of(&mut session(body), &bytes, 100);
        assert_eq!(end, bytes.len());
        work / bytes.len()
    };
    // The same number of operations for each byte, however many there are.
    let (few, many) = (work(20_000), work(200_000));
    assert!(many <= few * 2 && many < 60, "{few} {many}");
}

#[test]
fn the_state_of_a_side_is_small() {
    let session = session("seq: [{id: n, type: u1}]\n");
    assert!(session.held() < 512, "{}", session.held());
}
