//! Heuristics that recognize HTTP.

use super::head::{self, Start, is_method};
use crate::protocols::lines;
use crate::tree::Side;
use crate::wire::{Opening, Resumption, Verdict};
use memchr::memmem;

/// Longest start line in bytes.
const LINE_MAX: usize = 16 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum StartLine {
    Request,
    Response,
    /// Incomplete start line.
    Unfinished,
    Other,
}

/// Recognizes HTTP on any port: a side begins with a start line.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let bytes = [Side::Client, Side::Server].map(|side| (side, start_line(opening.of(side))));
    for (side, start_line) in bytes {
        match start_line {
            StartLine::Request => return Verdict::Yes(side.other()),
            StartLine::Response => return Verdict::Yes(side),
            StartLine::Unfinished | StartLine::Other => {}
        }
    }
    let is_open = bytes.iter().any(|(_, start_line)| *start_line == StartLine::Unfinished)
        && bytes.iter().all(|(_, start_line)| *start_line != StartLine::Other);
    if is_open && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes HTTP on a registered port, also joined midway inside a body.
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
        match start.map(|at| start_line(bytes.get(at..).unwrap_or_default())) {
            Some(StartLine::Request) => return Verdict::Yes(side.other()),
            Some(StartLine::Response) => return Verdict::Yes(side),
            _ => {}
        }
    }
    let is_midway = [Side::Client, Side::Server].iter().any(|side| !opening.starts(*side) && !opening.of(*side).is_empty());
    if is_midway && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes a start line of another version on a registered port.
pub(super) fn of_other_version(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        match any_start_line(opening.of(side)) {
            StartLine::Request => return Verdict::Yes(side.other()),
            StartLine::Response => return Verdict::Yes(side),
            StartLine::Unfinished | StartLine::Other => {}
        }
    }
    Verdict::No
}

/// Offset of the next plausible start line, which need not follow a line end.
pub(super) fn next_start(bytes: &[u8]) -> Option<usize> {
    const METHODS: [&[u8]; 7] = [b"GET ", b"POST ", b"HEAD ", b"PUT ", b"OPTIONS ", b"DELETE ", b"CONNECT "];
    let mut found = memmem::find_iter(bytes, b"HTTP/1.").flat_map(|at| {
        let line = start_of_line(bytes, at);
        let before = bytes.get(line..at).unwrap_or_default();
        let method = METHODS.iter().filter_map(|method| memmem::find(before, method)).min();
        [line, at, line + method.unwrap_or_default()]
    });
    found.find(|at| {
        *at > 0 && matches!(start_line(bytes.get(*at..).unwrap_or_default()), StartLine::Request | StartLine::Response)
    })
}

/// Where a start line certainly begins. The text before it may end a secret; other bytes are no header, form or document.
pub(super) fn resumes(bytes: &[u8]) -> Resumption {
    let is_cut = |line: &[u8]| {
        let method = memchr::memchr(b' ', line).filter(|end| line.get(..*end).is_some_and(is_method));
        let target = method.and_then(|end| line.get(end + 1..)).unwrap_or_default();
        lines::line(line).is_none() && (target.starts_with(b"/") || target.starts_with(b"http"))
    };
    match any_start_line(bytes) {
        StartLine::Request | StartLine::Response => return Resumption::At(0),
        StartLine::Unfinished if is_cut(bytes) || bytes.starts_with(b"HTTP/1.") => return Resumption::At(0),
        StartLine::Unfinished => return Resumption::Beyond(0),
        StartLine::Other if !lines::is_text(bytes) => return Resumption::Anywhere,
        StartLine::Other => {}
    }
    let last = memchr::memrchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
    let may_follow = any_start_line(bytes.get(last..).unwrap_or_default()) == StartLine::Unfinished;
    match next_start(bytes) {
        Some(at) => Resumption::At(at),
        None => Resumption::Beyond(if may_follow { last } else { bytes.len() }),
    }
}

/// Offset of the line that contains this byte.
fn start_of_line(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(at.saturating_sub(LINE_MAX)..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    at - (before.len() - start)
}

/// Whether a message may begin here.
pub(super) fn may_start(bytes: &[u8]) -> bool {
    any_start_line(bytes) != StartLine::Other || is_simple(bytes)
}

/// Whether the bytes are a complete HTTP/0.9 request, which only a registered port identifies.
fn is_simple(bytes: &[u8]) -> bool {
    let first = lines::line(bytes.get(..bytes.len().min(LINE_MAX)).unwrap_or_default());
    first.and_then(|first| bytes.get(..first.text)).and_then(head::simple).is_some()
}

/// A start line of version 1.
fn start_line(bytes: &[u8]) -> StartLine {
    let line = lines::line(bytes.get(..bytes.len().min(LINE_MAX)).unwrap_or_default());
    let is_other = line.is_some_and(|line| !bytes.get(..line.text).is_some_and(head::is_of_version_1));
    if is_other { StartLine::Other } else { any_start_line(bytes) }
}

/// A start line of any version.
fn any_start_line(bytes: &[u8]) -> StartLine {
    if bytes.is_empty() {
        return StartLine::Unfinished;
    }
    match lines::line(bytes.get(..bytes.len().min(LINE_MAX)).unwrap_or_default()) {
        Some(line) => match bytes.get(..line.text).and_then(Start::of) {
            Some(Start::Request { .. }) => StartLine::Request,
            Some(Start::Response { .. }) => StartLine::Response,
            None => StartLine::Other,
        },
        None if may_become(bytes) => StartLine::Unfinished,
        None => StartLine::Other,
    }
}

/// Whether bytes may be an incomplete start line.
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
