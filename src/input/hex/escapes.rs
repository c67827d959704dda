//! Escapes of string literals: `\\x23`, `\\n`, `\\u0023`, `\\043`.

use super::scan::pair;
use super::{Fault, Fed, Feed, fault};

/// Whether characters other than blanks and commas stand between escapes, as bpftrace and `repr` print them. These write no
/// escape for a printable character.
pub(super) fn escapes_between_text(text: &[u8]) -> bool {
    let printable = |at: &[u8]| match at {
        [b'\\', b'x', digits @ ..] => matches!(pair(digits), Some(b'!' | b'#'..=b'&' | b'('..=b'[' | b']'..=b'~')),
        _ => false,
    };
    if text.windows(4).any(printable) {
        return false;
    }
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
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += match rest {
            [b'\\', ..] => escape(rest, at, packet)?,
            [byte, ..] => {
                packet.push(*byte);
                1
            }
            [] => 0,
        };
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
