//! Bytes as string literals of a programming language: `"\x23\x00"`, `b'#\x00'`, or escapes without quotes. Adjacent literals are
//! one packet, up to a `;`; a line of Python bytes outside of parentheses is a separate packet.

use super::list::repeats;
use super::scan::{all_hex, pair};
use super::{Dialect, Fault, Fed, Feed, Packet, fault};

/// Minimum length at which a literal of hex digits is read as digits.
const HEXLIFIED: usize = 16;

pub(super) struct Literal {
    /// Escapes without quotes.
    bare: bool,
    /// Whether literals have the prefix `b` of Python.
    python: bool,
    quote: Option<u8>,
    /// Whether the text between these quotes is no literal of bytes.
    skips: bool,
    parentheses: usize,
}

impl Literal {
    /// A literal that begins in this line; `open` if the previous line left a parenthesis open.
    pub(super) fn of(text: &[u8], open: bool) -> Option<Literal> {
        let python = python_literal(text);
        let escape = text.windows(4).any(|at| match at {
            [b'\\', b'x', digits @ ..] => pair(digits).is_some(),
            [b'\\', b'u', b'0', b'0'] => true,
            _ => false,
        });
        // Octal escapes of one digit are ambiguous.
        let octal = text.windows(2).filter(|at| matches!(at, [b'\\', b'0'..=b'7'])).count() > 1 && text.contains(&b'"');
        let escape = escape || octal;
        if !python && !escape {
            return None;
        }
        let bare = is_bare(text);
        // One `\x` before all digits, as PostgreSQL writes bytes.
        if bare && text.len() > 4 && all_hex(text.get(2..).unwrap_or_default()) {
            return None;
        }
        Some(Literal { bare, python, quote: None, skips: false, parentheses: usize::from(open) })
    }
}

impl Dialect for Literal {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let text = line.trim_ascii_end();
        if self.bare && escapes_between_text(text) {
            return unquoted(text, packet);
        }
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            at += match (self.quote, rest) {
                (None, [b';', ..]) if !packet.is_empty() => return Ok(Fed::Complete(at + 1)),
                (None, [b'#', ..] | [b'/', b'/', ..]) => break,
                (None, [b'<', ..]) if rest.starts_with(b"<repeats ") => repeats(rest, at, packet)?,
                (None, [b'.', b'.', b'.', ..]) if !packet.is_empty() => {
                    return fault(at, "bytes are left out here; print all of them (gdb: set print elements 0, strace: -s 65536)");
                }
                (None, [b'\\', b'x', ..]) if self.bare => escape(rest, at, packet)?,
                (None, [b'\\', b'x' | b'u', ..]) => return fault(at, "an escape outside of quotes"),
                (None, [byte, ..]) => {
                    self.outside(*byte, at)?;
                    self.skips = self.python && self.quote.is_some() && !is_prefix(text.get(..at).unwrap_or_default());
                    1
                }
                (Some(quote), [byte, ..]) if *byte == quote => {
                    self.quote = None;
                    1
                }
                (Some(_), [b'\\', _, ..]) if self.skips => 2,
                (Some(_), [_, ..]) if self.skips => 1,
                // A line may be continued inside quotes.
                (Some(_), [b'\\']) => 1,
                (Some(_), [b'\\', ..]) => escape(rest, at, packet)?,
                (Some(_), [byte, ..]) => {
                    packet.push(*byte);
                    1
                }
                (_, []) => break,
            };
        }
        let whole = self.python || is_call(text);
        let own = whole && self.parentheses == 0 && self.quote.is_none() && !text.ends_with(b"\\");
        Ok(if own && !packet.is_empty() { Fed::Complete(line.len()) } else { Fed::Taken })
    }

    fn is_loose(&self) -> bool {
        self.bare
    }

    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        match self.quote {
            Some(quote) => fault(0, format!("the text ends before a closing {}", char::from(quote))),
            None => Ok(()),
        }
    }
}

impl Literal {
    /// A character between literals.
    fn outside(&mut self, byte: u8, at: usize) -> Result<(), Fault> {
        match byte {
            b'"' | b'\'' => self.quote = Some(byte),
            b'(' => self.parentheses += 1,
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            _ if self.bare && !byte.is_ascii_whitespace() && !matches!(byte, b',' | b'\\') => {
                return fault(at, format!("`{}` between escapes; expected \\x and two hex digits", byte.escape_ascii()));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether escapes begin outside of quotes: no quote stands before the first one.
fn is_bare(text: &[u8]) -> bool {
    let first = text.windows(2).position(|at| at == b"\\x");
    first.is_some_and(|at| !text.get(..at).unwrap_or_default().iter().any(|byte| matches!(byte, b'"' | b'\'')))
}

/// Whether characters other than blanks and commas stand between escapes, as bpftrace and `repr` print them. These write no
/// escape for a printable character.
fn escapes_between_text(text: &[u8]) -> bool {
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
fn unquoted(text: &[u8], packet: &mut Vec<u8>) -> Feed {
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

/// Whether a literal of Python bytes begins after this text: `b`, `rb`, `bytearray(b`.
fn is_prefix(before: &[u8]) -> bool {
    let name = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = before.get(before.len() - name..).unwrap_or_default();
    [&b"b"[..], b"rb", b"br"].iter().any(|prefix| name.eq_ignore_ascii_case(prefix))
}

/// Whether a line is a whole system call with its result, as in strace: `read(3, "\x23", 1) = 1`.
fn is_call(text: &[u8]) -> bool {
    let Some(close) = text.iter().rposition(|byte| *byte == b')') else { return false };
    let result = text.get(close + 1..).unwrap_or_default().trim_ascii();
    text.iter().position(|byte| *byte == b'(').is_some_and(|open| open > 0 && open < close)
        && result.strip_prefix(b"= ").is_some_and(|result| result.first().is_some_and(u8::is_ascii_digit))
}

/// Whether a line contains a literal such as `b'..'`, up to its end.
fn python_literal(text: &[u8]) -> bool {
    let Some(at) = text.windows(2).position(|pair| matches!(pair, [b'b', b'"' | b'\''])) else { return false };
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let quote = text.get(at + 1).copied().unwrap_or_default();
    let rest = text.get(at + 2..).unwrap_or_default();
    let Some(len) = rest.iter().position(|byte| *byte == quote) else { return false };
    // The result of `binascii.hexlify` consists of digits, not bytes.
    let is_hex = len >= HEXLIFIED && len.is_multiple_of(2) && rest.iter().take(len).all(u8::is_ascii_hexdigit);
    !is_hex && before.is_none_or(|byte| matches!(byte, b' ' | b'=' | b'(' | b',' | b'['))
}

/// Letters behind a backslash, and the bytes that they stand for.
const ESCAPES: [&[u8; 11]; 2] = [b"abtnvfr\\'\"?", b"\x07\x08\t\n\x0b\x0c\r\\'\"?"];

/// Parses the escape that begins here; returns its length.
fn escape(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
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

fn meaning(letter: u8) -> Option<u8> {
    let [letters, bytes] = ESCAPES;
    letters.iter().zip(bytes).find(|(known, _)| **known == letter).map(|(_, byte)| *byte)
}

fn escape_octal(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
    let (len, value) = digits.fold((0, 0_u32), |(len, value), byte| (len + 1, value * 8 + u32::from(byte - b'0')));
    match u8::try_from(value) {
        Ok(value) if len > 0 => packet.push(value),
        _ => return fault(at, "an escape that is not known here"),
    }
    Ok(len + 1)
}
