//! What tells Xfire from the other programs that use its port, and on any other port.

use super::packets::{CLIENT_INFO_OLD, CLIENT_VERSION, LOGIN_SALT, packet};
use super::step::{Fit, Head, fit, pair};
use super::{ANSWER, HEADER, HELLO, TEST};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Bytes that a search for two messages in a row may read.
const EFFORT: i64 = 1 << 20;

/// The most attributes that the first packet of a client has.
const FIRST_ATTRIBUTES_MAX: u8 = 32;

/// On the port of the server: opened, or in the middle of a session.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    if let verdict @ Verdict::Yes(_) = anywhere(opening) {
        return verdict;
    }
    if sides().any(|side| is_foreign(opening.of(side))) {
        return Verdict::No;
    }
    for side in sides() {
        let said = opening.of(side);
        if said == HELLO && opening.starts(side) {
            return Verdict::Yes(side.other());
        }
        if opening.complete && said == TEST {
            return Verdict::Yes(side.other());
        }
        if opening.complete && said == ANSWER {
            return Verdict::Yes(side);
        }
    }
    let mut effort = EFFORT;
    let found = sides().find_map(|side| {
        let said = opening.of(side);
        let last = if opening.starts(side) && !opening.complete { 1 } else { said.len() };
        (0..last).find_map(|at| {
            let bytes = said.get(at..)?;
            matches!(pair(None, bytes, false, &mut effort), Fit::Yes(_)).then(|| server(side, bytes))?
        })
    });
    if let Some(server) = found {
        return Verdict::Yes(server);
    }
    if !opening.complete {
        return Verdict::Unsure;
    }
    // A message that is cut, or says something strange: its header has to do.
    let alone = sides().find_map(|side| {
        let said = opening.of(side);
        let head = Head::of(said).filter(|head| head.length >= HEADER && packet(head.kind).is_some())?;
        let is_whole = head.length == said.len();
        (is_whole || fit(said) != Fit::No).then(|| server(side, said))?
    });
    alone.map_or(Verdict::No, Verdict::Yes)
}

/// On any port: opened by a client or answered by a server, or two messages in a row.
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

/// Whether this side begins as clients do.
fn client(opening: &Opening<'_>, side: Side) -> Verdict {
    let said = opening.of(side);
    if said.is_empty() || !opening.starts(side) {
        return Verdict::No;
    }
    let Some(rest) = said.strip_prefix(&HELLO) else {
        return if HELLO.starts_with(said) && !opening.complete { Verdict::Unsure } else { Verdict::No };
    };
    match Head::of(rest) {
        Some(head) if matches!(head.kind, CLIENT_VERSION | CLIENT_INFO_OLD) || speaker(head.kind) == Some(Side::Client) => {
            let is_likely = head.length >= HEADER && head.count <= FIRST_ATTRIBUTES_MAX;
            if is_likely { Verdict::Yes(side.other()) } else { Verdict::No }
        }
        Some(_) => Verdict::No,
        None if opening.complete => Verdict::No,
        None => Verdict::Unsure,
    }
}

/// Whether this side begins as servers do, or with two messages of anybody.
fn answer(opening: &Opening<'_>, side: Side) -> Verdict {
    let said = opening.of(side);
    if is_foreign(said) {
        return Verdict::No;
    }
    let is_salt = |head: Head| {
        head.kind == LOGIN_SALT && head.count == 1 && said.get(HEADER..).is_some_and(|rest| rest.starts_with(b"\x04salt\x01"))
    };
    if Head::of(said).is_some_and(is_salt) && matches!(fit(said.get(..).unwrap_or_default()), Fit::Yes(_)) {
        return Verdict::Yes(side);
    }
    match pair(None, said, true, &mut { EFFORT }) {
        Fit::Yes(_) => server(side, said).map_or(Verdict::No, Verdict::Yes),
        Fit::More(_) if !opening.complete => Verdict::Unsure,
        Fit::More(_) | Fit::No => Verdict::No,
    }
}

/// Who is the server if this side says a message.
fn server(side: Side, message: &[u8]) -> Option<Side> {
    let speaker = speaker(Head::of(message)?.kind)?;
    Some(if speaker == Side::Server { side } else { side.other() })
}

fn speaker(kind: u16) -> Option<Side> {
    packet(kind).and_then(|packet| packet.from)
}

fn sides() -> impl Iterator<Item = Side> {
    [Side::Server, Side::Client].into_iter()
}

/// Whether a side begins as those of other protocols do.
fn is_foreign(said: &[u8]) -> bool {
    const OTHERS: [&[u8]; 7] = [b"\x16\x03", b"SSH-", b"GET ", b"POST ", b"HEAD ", b"HTTP/", b"USER"];
    OTHERS.iter().any(|other| said.starts_with(other))
}
