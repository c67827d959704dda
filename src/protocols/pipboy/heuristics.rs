//! Heuristics that distinguish Pip-Boy streams and datagrams from other protocols, on its ports and on any other.

use super::framing::{Fit, Head, candidate};
use super::{CONNECTION_ACCEPTED, HEADER, HEARTBEAT, json, speaker};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};
use memchr::memmem;

/// Maximum payload length of a `connection_accepted` message.
const GREETING_MAX: usize = 4096;

/// Maximum length of a discovery datagram.
const DISCOVERY_MAX: usize = 2048;

/// Byte budget of a search for two consecutive messages.
const EFFORT: i64 = 1 << 20;

/// A heartbeat, which is no evidence by itself, and a refusal.
const HEARTBEAT_BYTES: [u8; HEADER] = [0, 0, 0, 0, HEARTBEAT];
const REFUSAL_BYTES: [u8; HEADER] = [0, 0, 0, 0, super::CONNECTION_REFUSED];

/// Heuristic for the registered port: accepted, refused, or midway in a session.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    if matches!(verdict, Verdict::Yes(_)) {
        return verdict;
    }
    if let Some(game) = sides().find(|side| opening.starts(*side) && opening.of(*side).starts_with(&REFUSAL_BYTES)) {
        return Verdict::Yes(game);
    }
    if let Some(game) = sides().filter(|side| is_midway(opening, *side)).find_map(|side| in_a_row(side, opening.of(side))) {
        return Verdict::Yes(game);
    }
    if opening.complete {
        let only = sides().filter(|side| opening.starts(*side) && opening.of(side.other()).is_empty());
        return only.into_iter().find_map(|side| alone(side, opening.of(side))).map_or(Verdict::No, Verdict::Yes);
    }
    if sides().any(|side| is_foreign(opening.of(side))) {
        return Verdict::No;
    }
    let is_open = sides().any(|side| !opening.starts(side));
    let is_silent = sides().all(|side| opening.of(side).iter().all(|byte| *byte == 0));
    if is_open || is_silent { Verdict::Unsure } else { verdict }
}

/// Heuristic for other ports: `connection_accepted` only.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    if let Some(game) = sides().find(|side| greeting(opening.of(*side)) == Greeting::Yes) {
        return Verdict::Yes(game);
    }
    let may_greet = |game: Side| greeting(opening.of(game)) == Greeting::Unfinished && may_be_app(opening.of(game.other()));
    if !opening.complete && sides().any(may_greet) { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes a discovery request or response.
pub(super) fn is_discovery(datagram: &[u8]) -> bool {
    if datagram.len() > DISCOVERY_MAX {
        return false;
    }
    let Ok(text) = std::str::from_utf8(datagram) else { return false };
    let (mut is_request, mut has_busy, mut has_machine) = (false, false, false);
    let result = json::members(text, |name, value| match name {
        "cmd" => is_request = value == r#""autodiscover""#,
        "IsBusy" => has_busy = matches!(value, "true" | "false"),
        "MachineType" => has_machine = value.starts_with('"'),
        _ => {}
    });
    result.is_ok() && (is_request || (has_busy && has_machine))
}

/// Both sides, the server first: it usually is the game.
fn sides() -> impl Iterator<Item = Side> {
    [Side::Server, Side::Client].into_iter()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Greeting {
    Yes,
    Unfinished,
    No,
}

/// Checks whether a side begins with `connection_accepted`, which only the game sends.
fn greeting(stream: &[u8]) -> Greeting {
    let Some(head) = Head::of(stream) else {
        let is_short = stream.get(1).is_none_or(|byte| *byte <= 0x10) && stream.iter().skip(2).all(|byte| *byte == 0);
        return if is_short { Greeting::Unfinished } else { Greeting::No };
    };
    if head.kind != CONNECTION_ACCEPTED || !(2..=GREETING_MAX).contains(&head.length) {
        return Greeting::No;
    }
    let payload = stream.get(HEADER..head.end().min(stream.len())).unwrap_or_default();
    let first = payload.iter().find(|byte| !byte.is_ascii_whitespace());
    let has = |word: &str| memmem::find(payload, word.as_bytes()).is_some();
    match first {
        Some(b'{') if has("\"lang\"") && has("\"version\"") => Greeting::Yes,
        Some(b'{') | None if payload.len() < head.length => Greeting::Unfinished,
        _ => Greeting::No,
    }
}

/// Checks whether the first message of a side may come from the app.
fn may_be_app(stream: &[u8]) -> bool {
    let is_likely = |head: Head| head.fits() && head.suits(stream) && sends(Side::Client, head.kind);
    !is_foreign(stream) && Head::of(stream).is_none_or(is_likely)
}

/// Checks for the first bytes of other protocols.
fn is_foreign(stream: &[u8]) -> bool {
    const OTHERS: [&[u8]; 9] = [b"\x16\x03", b"SSH-", b"GET ", b"PUT ", b"POST ", b"HEAD ", b"HTTP/", b"OPTIONS ", b"CONNECT "];
    OTHERS.iter().any(|other| stream.starts_with(other))
}

/// Checks whether a side may begin midway: its SYN was not captured, or the other side is missing from the capture.
fn is_midway(opening: &Opening<'_>, side: Side) -> bool {
    !opening.starts(side) || (opening.complete && opening.of(side.other()).is_empty())
}

/// Returns the side of the game if the stream is exactly one message.
fn alone(side: Side, stream: &[u8]) -> Option<Side> {
    let mut effort = EFFORT;
    let Fit::Yes(head) = candidate(None, stream, &mut effort) else { return None };
    let speaker = speaker(head.kind).filter(|_| head.end() == stream.len())?;
    Some(if speaker == Side::Server { side } else { side.other() })
}

/// Returns the side of the game if two consecutive messages are found anywhere in a stream. Heartbeats do not count.
fn in_a_row(side: Side, stream: &[u8]) -> Option<Side> {
    let mut effort = EFFORT;
    (0..stream.len()).find_map(|at| {
        let (before, bytes) = stream.split_at_checked(at)?;
        let Fit::Yes(head) = candidate(None, bytes, &mut effort) else { return None };
        let speaker = speaker(head.kind)?;
        let next = bytes.get(head.end()..).unwrap_or_default();
        let is_followed = Head::of(next).is_some_and(|next_head| next_head.suits(next) && sends(speaker, next_head.kind));
        let is_first = before.ends_with(&HEARTBEAT_BYTES);
        (is_followed || is_first).then_some(if speaker == Side::Server { side } else { side.other() })
    })
}

fn sends(side: Side, kind: u8) -> bool {
    speaker(kind).is_none_or(|speaker| speaker == side)
}
