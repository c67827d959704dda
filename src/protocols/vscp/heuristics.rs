//! Heuristics for sessions, on registered ports and on any other.

use super::framing::{Row, in_a_row};
use super::{ACCEPTED, HELLO_LEN, REFUSED, REPLY_LEN, WORDS};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Bytes of one side that are searched for sections of a session joined midway.
const PATIENCE: usize = 8 << 10;

/// Maximum plausible part of a version.
const VERSION_MAX: u8 = 9;

/// Version of all known browsers.
const USUAL_VERSION: &[u8] = &[1, 1];

/// Result of matching a hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hello {
    Yes,
    /// Matches, but is incomplete.
    Begun,
    No,
}

/// Heuristic for other ports: hello and hello reply.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let mut is_open = false;
    let mut server = None;
    for side in [Side::Server, Side::Client] {
        let (stream, answer) = (opening.of(side.other()), opening.of(side));
        match (hello(stream, &[ACCEPTED]), reply(answer)) {
            (Hello::Yes, Hello::Yes) if server.is_none() || has_usual_version(stream) => server = Some(side),
            // Clients wait for the reply before they continue.
            (_, Hello::Begun) if answer.is_empty() && stream.len() > HELLO_LEN => {}
            // The side that sends first is the client, unless the sides were already distinguished.
            (Hello::Begun, _) if stream.is_empty() && side == Side::Client => {}
            (Hello::Yes | Hello::Begun, Hello::Yes | Hello::Begun) => is_open = true,
            _ => {}
        }
    }
    match server {
        Some(side) => Verdict::Yes(side),
        None if is_open && !opening.complete => Verdict::Unsure,
        None => Verdict::No,
    }
}

/// Heuristic for registered ports: hello, or a session joined midway.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    if matches!(verdict, Verdict::Yes(_)) {
        return verdict;
    }
    let stream = opening.of(Side::Client);
    let answer = opening.of(Side::Server);
    let is_open = match (hello(stream, &WORDS), reply(answer)) {
        (Hello::Yes, Hello::Yes | Hello::Begun) => return Verdict::Yes(Side::Server),
        // Only one side was captured.
        (Hello::Begun, Hello::Yes) if stream.is_empty() && opening.complete => return Verdict::Yes(Side::Server),
        (Hello::Begun, Hello::Yes | Hello::Begun) => true,
        _ => false,
    };
    if Side::BOTH.into_iter().any(|side| is_midway(opening, side) && holds_row(side, opening.of(side))) {
        return Verdict::Yes(Side::Server);
    }
    let may_be_midway = Side::BOTH.into_iter().any(|side| is_midway(opening, side) && opening.of(side).len() < PATIENCE);
    if (is_open || may_be_midway) && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Whether the capture of a side may start midway.
fn is_midway(opening: &Opening<'_>, side: Side) -> bool {
    !opening.starts(side)
}

fn holds_row(side: Side, stream: &[u8]) -> bool {
    let stream = stream.get(..PATIENCE).unwrap_or(stream);
    (0..stream.len()).any(|at| matches!(stream.get(at..).map(|bytes| in_a_row(side, bytes)), Some(Row::Two(_))))
}

fn hello(stream: &[u8], words: &[&[u8]]) -> Hello {
    let Some((word, version)) = stream.split_at_checked(ACCEPTED.len()) else {
        return if words.iter().any(|word| word.starts_with(stream)) { Hello::Begun } else { Hello::No };
    };
    let version = version.get(..HELLO_LEN - ACCEPTED.len()).unwrap_or(version);
    if !words.contains(&word) || version.iter().any(|part| *part > VERSION_MAX) {
        return Hello::No;
    }
    if stream.len() < HELLO_LEN { Hello::Begun } else { Hello::Yes }
}

fn has_usual_version(stream: &[u8]) -> bool {
    stream.get(ACCEPTED.len()..).is_some_and(|version| version.starts_with(USUAL_VERSION))
}

fn reply(stream: &[u8]) -> Hello {
    if stream.starts_with(REFUSED) {
        return Hello::Yes;
    }
    match stream.strip_prefix(ACCEPTED) {
        // Greetings of text protocols.
        Some([b' ' | b',' | b'\r' | b'\n', ..]) => Hello::No,
        Some(_) if stream.len() < REPLY_LEN => Hello::Begun,
        Some(_) => Hello::Yes,
        None if ACCEPTED.starts_with(stream) || REFUSED.starts_with(stream) => Hello::Begun,
        None => Hello::No,
    }
}
