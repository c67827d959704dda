//! Heuristics for Xfire on its port and on other ports.

use super::packets::{CLIENT_INFO_OLD, CLIENT_VERSION, LOGIN_SALT, packet};
use super::step::{Fit, Head, fit, pair};
use super::{ANSWER, HEADER, HELLO, TEST};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Largest number of bytes read in a search for two consecutive messages.
const EFFORT: i64 = 1 << 20;

/// Largest number of attributes in the first packet of a client.
const FIRST_ATTRIBUTES_MAX: u8 = 32;

/// Recognizes Xfire on the server port, also in streams joined midway.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    if let verdict @ Verdict::Yes(_) = anywhere(opening) {
        return verdict;
    }
    if sides().any(|side| is_foreign(opening.of(side))) {
        return Verdict::No;
    }
    for side in sides() {
        let bytes = opening.of(side);
        if bytes == HELLO && opening.starts(side) {
            return Verdict::Yes(side.other());
        }
        if opening.complete && bytes == TEST {
            return Verdict::Yes(side.other());
        }
        if opening.complete && bytes == ANSWER {
            return Verdict::Yes(side);
        }
    }
    let mut effort = EFFORT;
    let found = sides().find_map(|side| {
        let bytes = opening.of(side);
        let last = if opening.starts(side) && !opening.complete { 1 } else { bytes.len() };
        (0..last).find_map(|at| {
            let bytes = bytes.get(at..)?;
            matches!(pair(None, bytes, false, &mut effort), Fit::Yes(_)).then(|| server(side, bytes))?
        })
    });
    if let Some(server) = found {
        return Verdict::Yes(server);
    }
    if !opening.complete {
        return Verdict::Unsure;
    }
    // A truncated or unusual message is recognized by its header.
    let alone = sides().find_map(|side| {
        let bytes = opening.of(side);
        let head = Head::of(bytes).filter(|head| head.length >= HEADER && packet(head.kind).is_some())?;
        let is_whole = head.length == bytes.len();
        (is_whole || fit(bytes) != Fit::No).then(|| server(side, bytes))?
    });
    alone.map_or(Verdict::No, Verdict::Yes)
}

/// Recognizes Xfire on any port: the opening of a client, the answer of a server, or two consecutive messages.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for side in sides() {
        match (client(opening, side), answer(opening, side)) {
            (Verdict::Yes(server), _) | (_, Verdict::Yes(server)) => return Verdict::Yes(server),
            (Verdict::Unsure, _) | (_, Verdict::Unsure) => verdict = Verdict::Unsure,
            (Verdict::No, Verdict::No) => {}
        }
    }
    verdict
}

/// Recognizes the opening of a client on this side.
fn client(opening: &Opening<'_>, side: Side) -> Verdict {
    let bytes = opening.of(side);
    if bytes.is_empty() || !opening.starts(side) {
        return Verdict::No;
    }
    let Some(rest) = bytes.strip_prefix(&HELLO) else {
        return if HELLO.starts_with(bytes) && !opening.complete { Verdict::Unsure } else { Verdict::No };
    };
    match Head::of(rest) {
        Some(head) if matches!(head.kind, CLIENT_VERSION | CLIENT_INFO_OLD) || sender(head.kind) == Some(Side::Client) => {
            let is_likely = head.length >= HEADER && head.count <= FIRST_ATTRIBUTES_MAX;
            if is_likely { Verdict::Yes(side.other()) } else { Verdict::No }
        }
        Some(_) => Verdict::No,
        None if opening.complete => Verdict::No,
        None => Verdict::Unsure,
    }
}

/// Recognizes the answer of a server, or two consecutive messages, on this side.
fn answer(opening: &Opening<'_>, side: Side) -> Verdict {
    let bytes = opening.of(side);
    if is_foreign(bytes) {
        return Verdict::No;
    }
    let is_salt = |head: Head| {
        head.kind == LOGIN_SALT && head.count == 1 && bytes.get(HEADER..).is_some_and(|rest| rest.starts_with(b"\x04salt\x01"))
    };
    if Head::of(bytes).is_some_and(is_salt) && matches!(fit(bytes.get(..).unwrap_or_default()), Fit::Yes(_)) {
        return Verdict::Yes(side);
    }
    match pair(None, bytes, true, &mut { EFFORT }) {
        Fit::Yes(_) => server(side, bytes).map_or(Verdict::No, Verdict::Yes),
        Fit::More(_) if !opening.complete => Verdict::Unsure,
        Fit::More(_) | Fit::No => Verdict::No,
    }
}

/// Server of the connection, from the sender of a message.
fn server(side: Side, message: &[u8]) -> Option<Side> {
    let sender = sender(Head::of(message)?.kind)?;
    Some(if sender == Side::Server { side } else { side.other() })
}

fn sender(kind: u16) -> Option<Side> {
    packet(kind).and_then(|packet| packet.from)
}

fn sides() -> impl Iterator<Item = Side> {
    [Side::Server, Side::Client].into_iter()
}

/// Whether a side begins like another protocol.
fn is_foreign(bytes: &[u8]) -> bool {
    const OTHERS: [&[u8]; 7] = [b"\x16\x03", b"SSH-", b"GET ", b"POST ", b"HEAD ", b"HTTP/", b"USER"];
    OTHERS.iter().any(|other| bytes.starts_with(other))
}
