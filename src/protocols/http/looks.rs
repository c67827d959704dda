//! What tells HTTP from other protocols.

use super::head::{self, Start, is_method};
use crate::protocols::lines;
use crate::tree::Side;
use crate::wire::{Opening, Verdict};
use memchr::memmem;

/// The longest first line.
const LINE_MAX: usize = 16 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Request,
    Response,
    /// It may become either.
    Unfinished,
    Other,
}

/// On any port: a side begins with a first line.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let said = [Side::Client, Side::Server].map(|side| (side, says(opening.of(side))));
    for (side, says) in said {
        match says {
            Says::Request => return Verdict::Yes(side.other()),
            Says::Response => return Verdict::Yes(side),
            Says::Unfinished | Says::Other => {}
        }
    }
    let is_open = said.iter().any(|(_, says)| *says == Says::Unfinished) && said.iter().all(|(_, says)| *says != Says::Other);
    if is_open && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// On a port of its own also where nobody saw the stream open, and a body comes first.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    if verdict != Verdict::No {
        return verdict;
    }
    if is_simple(opening.of(Side::Client)) {
        return Verdict::Yes(Side::Server);
    }
    for side in [Side::Client, Side::Server] {
        let bytes = opening.of(side);
        let start = next_start(bytes).filter(|_| !opening.starts(side));
        match start.map(|at| says(bytes.get(at..).unwrap_or_default())) {
            Some(Says::Request) => return Verdict::Yes(side.other()),
            Some(Says::Response) => return Verdict::Yes(side),
            _ => {}
        }
    }
    let is_midway = [Side::Client, Side::Server].iter().any(|side| !opening.starts(*side) && !opening.of(*side).is_empty());
    if is_midway && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Where a message may begin again in bytes that are none. What is before it need not end with a line.
pub(super) fn next_start(bytes: &[u8]) -> Option<usize> {
    const METHODS: [&[u8]; 7] = [b"GET ", b"POST ", b"HEAD ", b"PUT ", b"OPTIONS ", b"DELETE ", b"CONNECT "];
    let mut found = memmem::find_iter(bytes, b"HTTP/1.").flat_map(|at| {
        let line = start_of_line(bytes, at);
        let before = bytes.get(line..at).unwrap_or_default();
        let method = METHODS.iter().filter_map(|method| memmem::find(before, method)).min();
        [line, at, line + method.unwrap_or_default()]
    });
    found.find(|at| *at > 0 && matches!(says(bytes.get(*at..).unwrap_or_default()), Says::Request | Says::Response))
}

/// The beginning of the line that has the byte at this place.
fn start_of_line(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(at.saturating_sub(LINE_MAX)..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    at - (before.len() - start)
}

/// Whether a message may begin here.
pub(super) fn may_start(bytes: &[u8]) -> bool {
    says(bytes) != Says::Other || is_simple(bytes)
}

/// Whether a request of HTTP/0.9 is all there. Only a port tells it from other lines.
fn is_simple(bytes: &[u8]) -> bool {
    let first = lines::line(bytes.get(..bytes.len().min(LINE_MAX)).unwrap_or_default());
    first.and_then(|first| bytes.get(..first.text)).and_then(head::simple).is_some()
}

fn says(bytes: &[u8]) -> Says {
    if bytes.is_empty() {
        return Says::Unfinished;
    }
    match lines::line(bytes.get(..bytes.len().min(LINE_MAX)).unwrap_or_default()) {
        Some(line) => match bytes.get(..line.text).and_then(Start::of) {
            Some(Start::Request { .. }) => Says::Request,
            Some(Start::Response { .. }) => Says::Response,
            None => Says::Other,
        },
        None if may_become(bytes) => Says::Unfinished,
        None => Says::Other,
    }
}

/// Whether the beginning of a line may be one of a message's first.
fn may_become(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.len() >= LINE_MAX {
        return false;
    }
    let version = b"HTTP/1.";
    if version.starts_with(bytes) || bytes.starts_with(version) {
        return true;
    }
    match memchr::memchr(b' ', bytes) {
        Some(end) => bytes.get(..end).is_some_and(is_method),
        None => bytes.len() < 24 && bytes.iter().all(u8::is_ascii_uppercase),
    }
}
