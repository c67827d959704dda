//! Text lines and headers, shared by HTTP, SIP, FTP and similar protocols.

use crate::tree::{Field, Side, Value};
use crate::wire::{Error, Extent, Opening, Result, Resumption, Verdict, Wire};
use memchr::{memchr, memchr_iter, memmem};
use std::ops::Range;

/// End of the text of a line, and end of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: usize,
    pub(super) whole: usize,
}

/// Header `Name: value` with its continuation lines.
pub(super) struct Header<'a> {
    pub(super) name: &'a [u8],
    /// Range of the value without surrounding whitespace.
    pub(super) value: Range<usize>,
    pub(super) whole: usize,
}

/// Returns the first line if it is complete.
pub(super) fn line(bytes: &[u8]) -> Option<Line> {
    let end = memchr(b'\n', bytes)?;
    let text = bytes.get(..end)?;
    Some(Line { text: text.strip_suffix(b"\r").unwrap_or(text).len(), whole: end + 1 })
}

/// Size of the headers including the empty line. The first `searched` bytes contain no end.
pub(super) fn head(bytes: &[u8], searched: usize) -> Option<usize> {
    let from = searched.saturating_sub(3);
    let ends = memchr_iter(b'\n', bytes.get(from..)?).map(|at| from + at + 1);
    ends.into_iter().find_map(|end| match bytes.get(end..)? {
        [b'\n', ..] => Some(end + 1),
        [b'\r', b'\n', ..] => Some(end + 2),
        _ => None,
    })
}

/// Parses the first line as a header.
fn header(bytes: &[u8], first: Line) -> Option<Header<'_>> {
    let colon = memchr(b':', bytes.get(..first.text)?)?;
    let name = bytes.get(..colon)?.trim_ascii_end();
    let (mut text, mut whole) = (first.text, first.whole);
    while let Some([b' ' | b'\t', ..]) = bytes.get(whole..) {
        let Some(more) = line(bytes.get(whole..)?) else { break };
        (text, whole) = (whole + more.text, whole + more.whole);
    }
    let value = bytes.get(colon + 1..text)?;
    let start = colon + 1 + (value.len() - value.trim_ascii_start().len());
    let end = start + value.trim_ascii().len();
    let is_named = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic());
    is_named.then_some(Header { name, value: start..end, whole })
}

/// Headers whose names match, after the first line.
pub(super) fn headers(head: &[u8], matches: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = line(head).map_or(head.len(), |first| first.whole);
    std::iter::from_fn(move || {
        loop {
            let ahead = head.get(at..)?;
            let first = line(ahead).filter(|first| first.text > 0)?;
            let text = ahead.get(..first.text)?;
            // Continuation lines begin with whitespace, names do not.
            let name = memchr(b':', text).and_then(|colon| text.get(..colon)).unwrap_or_default();
            match matches(name.trim_ascii_end()).then(|| header(ahead, first)).flatten() {
                Some(found) => {
                    at += found.whole;
                    return Some((found.name, ahead.get(found.value)?));
                }
                None => at += first.whole,
            }
        }
    })
}

/// Fields for the lines of a header section.
pub(super) struct HeaderFields {
    /// Fields by header name in lower case.
    pub(super) known: &'static [(&'static str, &'static Field)],
    /// Field of other lines.
    pub(super) other: &'static Field,
    /// Field of the empty line.
    pub(super) blank: &'static Field,
}

impl HeaderFields {
    /// Dissects lines up to and including the empty one. `more` may add nodes after the field of a header.
    pub(super) fn read(&self, wire: &mut Wire<'_>, mut more: impl FnMut(&mut Wire<'_>, &'static Field, &[u8])) -> Result {
        loop {
            let ahead = wire.ahead();
            let Some(first) = line(ahead) else { return Err(Error::Short { needed: 1 }) };
            if first.text == 0 {
                return wire.bytes(self.blank, first.whole).map(drop);
            }
            let Some(found) = header(ahead, first) else {
                wire.words(self.other, first.whole, 0..first.text)?;
                continue;
            };
            let is_named = |(name, _): &&(&str, &Field)| found.name.eq_ignore_ascii_case(name.as_bytes());
            match self.known.iter().find(is_named) {
                Some((_, field)) => {
                    let value = wire.words(field, found.whole, found.value)?;
                    more(wire, field, value);
                }
                None => drop(wire.words(self.other, found.whole, 0..found.value.end)?),
            }
        }
    }
}

/// Whether a comma-separated list contains this word.
pub(super) fn lists(value: &[u8], word: &str) -> bool {
    value.split(|byte| *byte == b',').any(|part| {
        let part = part.split(|byte| *byte == b';').next().unwrap_or_default();
        part.trim_ascii().eq_ignore_ascii_case(word.as_bytes())
    })
}

/// Parses a decimal number.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Fields of replies: a three-digit code and text; `-` after the code announces further lines.
pub(super) struct Replies {
    pub(super) code: &'static Field,
    pub(super) text: &'static Field,
}

/// Code of a reply line, and whether it is the last line of the reply.
fn code(line: &[u8]) -> Option<(u16, bool)> {
    let digits = number(line.get(..3)?)?;
    match line.get(3) {
        None | Some(b' ') => Some((u16::try_from(digits).ok()?, true)),
        Some(b'-') => Some((u16::try_from(digits).ok()?, false)),
        Some(_) => None,
    }
}

impl Replies {
    /// Dissects lines. Returns the first reply code.
    pub(super) fn read(&self, wire: &mut Wire<'_>) -> Result<Option<u16>> {
        let mut found = None;
        let first = line(wire.ahead()).and_then(|first| wire.ahead().get(..first.text)).unwrap_or_default();
        let words = first.get(4..).unwrap_or_default();
        wire.name(&code(first).map_or_else(|| "text".to_owned(), |(code, _)| code.to_string()));
        wire.info(format_args!("{}", String::from_utf8_lossy(if code(first).is_some() { words } else { first })));
        while wire.remaining() > 0 {
            let ahead = wire.ahead();
            let Some(line) = line(ahead) else { return Err(Error::Short { needed: 1 }) };
            let text = ahead.get(..line.text).unwrap_or_default();
            let head = if code(text).is_some() { 4.min(line.text) } else { 0 };
            match code(text) {
                // Continuation lines repeat the code.
                Some((code, _)) if found.is_none() => {
                    found = Some(code);
                    wire.put(self.code, Value::Unsigned(code.into()), wire.at()..wire.at() + head);
                    wire.skip(head)?;
                    wire.words(self.text, line.whole - head, 0..line.text - head)?;
                }
                _ => drop(wire.words(self.text, line.whole, head..line.text)?),
            }
        }
        Ok(found)
    }
}

/// Extent of a reply of one or more lines.
pub(super) fn reply_extent(ahead: &[u8], max: usize) -> Extent {
    let mut end = 0;
    while let Some(next) = ahead.get(end..).and_then(line) {
        let text = ahead.get(end..end + next.text).unwrap_or_default();
        end += next.whole;
        if code(text).is_some_and(|(_, is_last)| is_last) {
            break;
        }
    }
    if end > 0 { Extent::Message(end) } else { wait(ahead, max) }
}

/// Where a line begins that `begins` accepts; it gets the bytes from there on.
pub(super) fn resumes(ahead: &[u8], begins: impl Fn(&[u8]) -> bool) -> Resumption {
    let mut at = 0;
    while let Some(rest) = ahead.get(at..).filter(|rest| !rest.is_empty()) {
        if begins(rest) {
            return Resumption::At(at);
        }
        match line(rest) {
            Some(line) => at += line.whole,
            None => break,
        }
    }
    Resumption::Beyond(at)
}

/// Whether bytes begin with one of these commands, of which a blank or the end of the line shows the end.
pub(super) fn is_command(bytes: &[u8], commands: &[&str]) -> bool {
    let end = memchr::memchr3(b' ', b'\r', b'\n', bytes);
    let verb = end.and_then(|end| bytes.get(..end));
    verb.is_some_and(|verb| commands.iter().any(|command| verb.eq_ignore_ascii_case(command.as_bytes())))
}

/// Whether the first bytes are text, as far as they show.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 256;
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let is_plain = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r' | b'\n');
    sample.iter().all(is_plain) && std::str::from_utf8(sample).err().is_none_or(|error| error.error_len().is_none())
}

pub(super) fn line_extent(ahead: &[u8], max: usize) -> Extent {
    line(ahead).map_or_else(|| wait(ahead, max), |line| Extent::Message(line.whole))
}

/// Extent of lines up to and including one with a single dot; the first `searched` bytes contain no end.
pub(super) fn dotted_extent(ahead: &[u8], searched: &mut usize, max: usize) -> Extent {
    let from = searched.saturating_sub(4);
    let end = if ahead.starts_with(b".\r\n") { Some(3) } else { None };
    let end = end.or_else(|| memmem::find(ahead.get(from..)?, b"\r\n.\r\n").map(|at| from + at + 5));
    *searched = ahead.len();
    match end {
        Some(end) => Extent::Message(end),
        None if ahead.len() >= max => Extent::Message(ahead.len()),
        None => Extent::NeedMore(ahead.len() + 1),
    }
}

fn wait(ahead: &[u8], max: usize) -> Extent {
    if ahead.len() < max { Extent::NeedMore(ahead.len() + 1) } else { Extent::Unknown(ahead.len()) }
}

/// Dissects the first word of a line. Also returns the remaining text, which [`parameter`] dissects.
pub(super) fn verb<'a>(wire: &mut Wire<'a>, field: &'static Field, line: Line) -> Result<(&'a [u8], &'a [u8])> {
    let text = wire.ahead().get(..line.text).unwrap_or_default();
    let word = memchr(b' ', text).unwrap_or(text.len());
    let parameter = text.get(word + 1..).unwrap_or_default();
    // Without a parameter, the field includes the line end.
    let count = if parameter.is_empty() { line.whole } else { word + 1 };
    Ok((wire.words(field, count, 0..word)?, parameter))
}

/// Dissects the text after the first word of a line.
pub(super) fn parameter(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    match line(wire.ahead()) {
        Some(line) => wire.words(field, line.whole, 0..line.text).map(drop),
        None => Ok(()),
    }
}

/// Whether the bytes of both sides may be the beginning of text lines.
pub(super) fn may_be_text(opening: &Opening<'_>) -> Verdict {
    let is_text = |bytes: &&[u8]| {
        bytes.len() < 512 && line(bytes).is_none() && bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
    };
    if opening.sent.iter().all(is_text) { Verdict::Unsure } else { Verdict::No }
}

/// The verdict on a session whose first bytes are no greeting; `server` is known if it was joined midway.
pub(super) fn joined(opening: &Opening<'_>, server: Option<Side>) -> Verdict {
    match server {
        Some(server) => Verdict::Yes(server),
        None if opening.complete => Verdict::No,
        None => may_be_text(opening),
    }
}

/// Recognizes a greeting of the server, a reply of code 220 that names the protocol.
pub(super) fn greets(opening: &Opening<'_>, protocol: &[u8]) -> Verdict {
    let names_it = |side: &Side| {
        let first = line(opening.of(*side)).and_then(|line| opening.of(*side).get(..line.text));
        first.is_some_and(|first| first.starts_with(b"220") && memmem::find(first, protocol).is_some())
    };
    [Side::Server, Side::Client].into_iter().find(names_it).map_or(Verdict::No, Verdict::Yes)
}

/// Number of lines per side in which a session joined midway is recognized.
const MIDWAY_LINES: usize = 8;

/// Recognizes a session joined midway by a reply code or one of these commands. Returns the server.
pub(super) fn midway(opening: &Opening<'_>, commands: &[&str]) -> Option<Side> {
    in_lines_midway(opening, |side, text| server_of(side, text, commands))
}

/// Recognizes a session whose first line is no greeting, but a reply or one of these commands.
pub(super) fn by_port(opening: &Opening<'_>, commands: &[&str]) -> Verdict {
    let server = |side: Side| {
        let bytes = opening.of(side);
        server_of(side, bytes.get(..line(bytes)?.text)?, commands)
    };
    Side::BOTH.into_iter().find_map(server).map_or(Verdict::No, Verdict::Yes)
}

/// The server, if a line of this side has a reply code or one of these commands.
fn server_of(side: Side, text: &[u8], commands: &[&str]) -> Option<Side> {
    let verb = text.split(|byte| *byte == b' ').next().unwrap_or_default();
    if code(text).is_some_and(|(code, _)| (100..600).contains(&code)) {
        return Some(side);
    }
    commands.iter().any(|command| verb.eq_ignore_ascii_case(command.as_bytes())).then_some(side.other())
}

/// Calls `judge` with the first complete lines of sides whose beginning was not captured.
pub(super) fn in_lines_midway(opening: &Opening<'_>, mut judge: impl FnMut(Side, &[u8]) -> Option<Side>) -> Option<Side> {
    Side::BOTH.into_iter().filter(|side| !opening.starts(*side)).find_map(|side| {
        let mut ahead = opening.of(side);
        for _ in 0..MIDWAY_LINES {
            let first = line(ahead)?;
            if let Some(server) = judge(side, ahead.get(..first.text)?) {
                return Some(server);
            }
            ahead = ahead.get(first.whole..)?;
        }
        None
    })
}

/// Trees of messages in a session, for tests.
#[cfg(test)]
pub(super) fn trees_of(
    protocol: &crate::wire::Protocol,
    session: &mut dyn crate::wire::Conversation,
    lines: &[(crate::tree::Side, &[u8])],
) -> String {
    let mut trees = String::new();
    for (from, bytes) in lines {
        let mut bytes = *bytes;
        while !bytes.is_empty() {
            let Extent::Message(len) = session.extent(*from, bytes, true) else { return trees + "unfinished\n" };
            let (message, rest) = bytes.split_at(len.min(bytes.len()));
            trees.push_str(&crate::wire::trial::message(protocol, session, *from, message, crate::wire::Cut::No));
            bytes = rest;
        }
    }
    trees
}

/// Dissects a conversation with each message damaged in turn, also after a gap.
#[cfg(test)]
pub(super) fn survives_damage<C: crate::wire::Conversation>(
    protocol: &crate::wire::Protocol,
    open: impl Fn() -> C,
    messages: &[(crate::tree::Side, &[u8])],
) {
    let missing = crate::wire::Missing { bytes: 1, in_step: false };
    for (place, (from, whole)) in messages.iter().enumerate() {
        // Each runs the whole conversation. A step of eight meets each of the five values.
        let step = if crate::wire::trial::is_thorough() { 1 } else { 8 };
        for bytes in crate::wire::trial::damaged(whole).step_by(step) {
            for is_behind_gap in [false, true] {
                let mut session = open();
                trees_of(protocol, &mut session, messages.get(..place).unwrap_or_default());
                if is_behind_gap {
                    session.gap(*from, missing);
                }
                trees_of(protocol, &mut session, &[(*from, &bytes)]);
                trees_of(protocol, &mut session, messages.get(place + 1..).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_end_with_an_empty_line() {
        assert_eq!(head(b"a: b\r\n\r\nc", 0), Some(8));
        assert_eq!(head(b"a: b\n\nc", 5), Some(6));
        assert_eq!(head(b"a: b\r\nc: d\r\n", 0), None);
    }

    #[test]
    fn a_header_value_is_trimmed_and_includes_continuation_lines() {
        let bytes = b"Via:  one,\r\n two \r\nNext: 1\r\n";
        let header = |bytes| header(bytes, line(bytes).unwrap());
        let found = header(&bytes[..]).unwrap();
        assert_eq!((found.name, &bytes[found.value], found.whole), (&b"Via"[..], &b"one,\r\n two"[..], 19));
        assert!(header(b"no header\r\n").is_none() && header(b"a b: c\r\n").is_none());
    }

    #[test]
    fn headers_skip_invalid_lines() {
        let head = b"GET / HTTP/1.1\r\nA: 1\r\njunk\r\nB : 2\r\nD: 4\r\n C: 5\r\n 6\r\n\r\nC: 3\r\n";
        let all: Vec<_> = headers(head, |_| true).collect();
        assert_eq!(all, [(&b"A"[..], &b"1"[..]), (b"B", b"2"), (b"D", b"4\r\n C: 5\r\n 6")]);
        assert_eq!(headers(head, |name| name == b"B").collect::<Vec<_>>(), [(&b"B"[..], &b"2"[..])]);
        assert_eq!(headers(head, |name| name == b"C" || name.is_empty()).count(), 0);
    }
}
