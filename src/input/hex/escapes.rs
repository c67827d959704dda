//! Escapes of string literals: `\\x23`, `\\n`, `\\u0023`, `\\043`.

use super::scan::pair;
use super::{Fault, Fed, Feed, fault};

/// Whether the escape of a printable character begins here, which bpftrace and `repr` do not write.
fn is_printable(text: &[u8]) -> bool {
    matches!(text, [b'\\', b'x', digits @ ..] if matches!(pair(digits), Some(b'!' | b'#'..=b'&' | b'('..=b'[' | b']'..=b'~')))
}

/// Length of a line from the escape of a printable character on. Each part of a line ends where the line does, so that the escape
/// is looked for once.
#[derive(Default)]
pub(super) struct Printable(usize);

impl Printable {
    /// Whether a text has such an escape.
    pub(super) fn is_in(&mut self, text: &[u8]) -> bool {
        let is_known = text.len().checked_sub(self.0).and_then(|at| text.get(at..)).is_some_and(is_printable);
        if !is_known {
            self.0 = text.windows(4).position(is_printable).map_or(0, |at| text.len() - at);
        }
        self.0 > 0
    }
}

/// Whether escapes begin outside of quotes: no quote stands before the first one.
pub(super) fn is_bare(text: &[u8]) -> bool {
    let first = text.windows(2).position(|at| at == b"\\x");
    first.is_some_and(|at| !text.get(..at).unwrap_or_default().iter().any(|byte| matches!(byte, b'"' | b'\'')))
}

/// Whether characters other than blanks and commas stand between escapes, as bpftrace and `repr` print them.
pub(super) fn escapes_between_text(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += match rest {
            [b'\\', b'x', digits @ ..] if pair(digits).is_some() => 4,
            [b'\\'] => 1,
            [b' ' | b',' | b'\t', ..] => 1,
            [byte, ..] => return byte.is_ascii_graphic() && *byte != b'\\' && *byte != b'#',
            [] => return false,
        };
    }
    false
}

/// Escapes and characters without quotes around them: all of the line is data.
pub(super) fn unquoted(text: &[u8], packet: &mut Vec<u8>) -> Feed {
    each(text, |rest, at| match rest {
        [b'\\', ..] => escape(rest, at, packet),
        _ => {
            packet.extend(rest.first());
            Ok(1)
        }
    })
}

/// Consumes a line: `read` parses what begins at a place, and returns its length.
pub(super) fn each(line: &[u8], mut read: impl FnMut(&[u8], usize) -> Result<usize, Fault>) -> Feed {
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        at += read(rest, at)?;
    }
    Ok(Fed::Taken)
}

/// Letters behind a backslash, and the bytes that they stand for.
pub(super) const ESCAPES: [&[u8; 11]; 2] = [b"abtnvfr\\'\"?", b"\x07\x08\t\n\x0b\x0c\r\\'\"?"];

/// Parses the escape that begins here; returns its length.
pub(super) fn escape(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let (byte, len) = match rest {
        [_, b'x', digits @ ..] if let Some(byte) = pair(digits) => (byte, 4),
        [_, b'x', ..] => return fault(at + 2, "expected two hex digits after \\x"),
        [_, b'u', b'0', b'0', digits @ ..] if let Some(byte) = pair(digits) => (byte, 6),
        [_, b'u', ..] => return fault(at + 2, "expected 00 and two hex digits after \\u; no other character is a byte"),
        [_, letter, ..] if let Some(byte) = meaning(*letter) => (byte, 2),
        [_, octal @ ..] => return escape_octal(octal, at, packet),
        [] => return fault(at, "expected an escape"),
    };
    packet.push(byte);
    Ok(len)
}

pub(super) fn meaning(letter: u8) -> Option<u8> {
    let [letters, bytes] = ESCAPES;
    letters.iter().zip(bytes).find(|(known, _)| **known == letter).map(|(_, byte)| *byte)
}

pub(super) fn escape_octal(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
    let (len, value) = digits.fold((0, 0_u32), |(len, value), byte| (len + 1, value * 8 + u32::from(byte - b'0')));
    match u8::try_from(value) {
        Ok(value) if len > 0 => packet.push(value),
        _ => return fault(at, "an escape that is not known here"),
    }
    Ok(len + 1)
}

/// Minimum length at which a literal of hex digits is read as digits.
pub(super) const HEXLIFIED: usize = 16;

/// Whether a literal of Python bytes begins after this text: `b`, `rb`, `bytearray(b`.
pub(super) fn is_prefix(before: &[u8]) -> bool {
    let name = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = before.get(before.len() - name..).unwrap_or_default();
    [&b"b"[..], b"rb", b"br"].iter().any(|prefix| name.eq_ignore_ascii_case(prefix))
}

/// Whether a line is a whole system call with its result, as in strace: `read(3, "\x23", 1) = 1`.
pub(super) fn is_call(text: &[u8]) -> bool {
    let Some(close) = text.iter().rposition(|byte| *byte == b')') else { return false };
    let result = text.get(close + 1..).unwrap_or_default().trim_ascii();
    text.iter().position(|byte| *byte == b'(').is_some_and(|open| open > 0 && open < close)
        && result.strip_prefix(b"= ").is_some_and(|result| result.first().is_some_and(u8::is_ascii_digit))
}

/// Whether a line contains a literal such as `b'..'`, up to its end.
pub(super) fn python_literal(text: &[u8]) -> bool {
    let Some(at) = text.windows(2).position(|pair| matches!(pair, [b'b', b'"' | b'\''])) else { return false };
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let quote = text.get(at + 1).copied().unwrap_or_default();
    let rest = text.get(at + 2..).unwrap_or_default();
    let Some(len) = rest.iter().position(|byte| *byte == quote) else { return false };
    // The result of `binascii.hexlify` consists of digits, not bytes.
    let is_hex = len >= HEXLIFIED && len.is_multiple_of(2) && rest.iter().take(len).all(u8::is_ascii_hexdigit);
    !is_hex && before.is_none_or(|byte| matches!(byte, b' ' | b'=' | b'(' | b',' | b'['))
}
