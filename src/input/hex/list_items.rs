//! The elements of a list: numbers, casts before them, texts among them, and repetitions.

use super::list::{List, pair};
use super::numbers::{Kind, is_hex_list, is_prefixed, numbers, token_len};
use super::offsets::decimal;
use super::scan::{all_hex, number};
use super::{Dialect, Fault, LARGEST_PACKET, Packet, fault, too_large};

impl List {
    /// Why a list in brackets that begins with decimal bytes is invalid.
    pub(super) fn fault_of(text: &[u8]) -> Option<Fault> {
        let at = text.iter().position(|byte| matches!(byte, b'[' | b'{'))?;
        let (count, ..) = numbers(text.get(at + 1..)?);
        let mut list = List { braces: Some(pair(*text.get(at)?)), ..List::default() };
        (count > 1).then(|| list.feed(text, &mut Packet::default()).err())?
    }

    /// The brace at the end of a line, if a list may begin after it.
    pub(super) fn opened(text: &[u8]) -> Option<u8> {
        let text = text.strip_suffix(b"_").map_or(text, <[u8]>::trim_ascii_end);
        let pascal = text.ends_with(b"= (");
        text.last().copied().filter(|byte| matches!(byte, b'[' | b'{') || pascal)
    }

    /// Whether a list begins here. A bracket of a declaration does not begin one.
    pub(super) fn opens(&self, byte: u8, rest: &[u8]) -> bool {
        let Some((open, _)) = self.braces.filter(|_| !self.inside) else { return false };
        let inner = rest.get(1..).unwrap_or_default();
        open == byte
            && (open != b'[' || is_prefixed(inner) || numbers(inner).0 > 0 || is_hex_list(inner) || inner.trim_ascii().is_empty())
    }

    /// `};` may end a list without an opening brace.
    pub(super) fn closes(&self, byte: u8) -> bool {
        matches!(byte, b'}' | b']' | b')') || byte == b'>' && self.braces == Some(pair(b'<'))
    }

    /// Whether the position is directly behind a number with a prefix.
    pub(super) fn is_behind_number(&self, line: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        self.kind == Some(Kind::Prefixed) && before.is_some_and(u8::is_ascii_hexdigit)
    }

    /// Whether the elements are hex digits without a prefix, also in quotes.
    pub(super) fn is_hex(&self, rest: &[u8]) -> bool {
        self.kind == Some(Kind::Hex) || self.kind.is_none() && is_hex_list(rest)
    }

    /// Parses a number; returns its length.
    pub(super) fn number(&mut self, rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
        let kind = *self.kind.get_or_insert_with(|| match rest {
            _ if is_prefixed(rest) => Kind::Prefixed,
            _ if is_hex_list(rest) => Kind::Hex,
            _ => Kind::Decimal,
        });
        if kind == Kind::Prefixed {
            return self.prefixed(rest, at, packet);
        }
        let len = token_len(rest);
        let text = rest.get(..len).unwrap_or_default();
        if kind == Kind::Hex {
            let byte = number(text, 16).filter(|_| text.len() <= 2 && all_hex(text)).and_then(|byte| u8::try_from(byte).ok());
            packet.extend(byte);
            return if byte.is_some() { Ok(len) } else { fault(at, "expected a byte of two hex digits") };
        }
        let plain = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') && !text.is_empty();
        match decimal(text) {
            Some(_) if text.len() > 1 && text.starts_with(b"0") => {
                fault(at, "expected decimal bytes such as 35, or 0x before hex digits")
            }
            Some(byte) => {
                packet.push(byte);
                Ok(len)
            }
            None if plain => fault(at, format!("{} is no byte; expected -128 to 255", text.escape_ascii())),
            None if rest.starts_with(b"...") => fault(at, "bytes are left out here; print all of them"),
            None => fault(at, "expected a decimal byte such as 35, or 0x before hex digits"),
        }
    }
}

/// A text among numbers, such as `'info'`; returns its length with its quotes.
pub(super) fn quoted(quote: u8, text: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let Some(len) = text.iter().position(|byte| *byte == quote) else {
        return fault(at, format!("a text without its closing {}", char::from(quote)));
    };
    packet.extend(text.get(..len).unwrap_or_default());
    Ok(len + 2)
}

/// The cast that Java requires for bytes above 0x7f; returns its length.
pub(super) fn cast(rest: &[u8], at: usize) -> Result<usize, Fault> {
    let casts: [&[u8]; 3] = [b"(byte)", b"(char)", b"(unsigned char)"];
    match casts.iter().find(|cast| rest.starts_with(cast)) {
        Some(cast) => Ok(cast.len()),
        None => fault(at, "expected a byte such as 0x23"),
    }
}

/// `<repeats 16 times>`, as gdb abbreviates repeated bytes; returns its length.
pub(super) fn repeats(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let count = rest.strip_prefix(b"<repeats ").and_then(|rest| {
        let end = rest.iter().position(|byte| *byte == b'>')?;
        let count = rest.get(..end)?.strip_suffix(b" times")?;
        Some((std::str::from_utf8(count).ok()?.parse::<usize>().ok()?, end))
    });
    let (Some((count, end)), Some(last)) = (count, packet.last().copied()) else {
        return fault(at, "expected a byte, or `<repeats 16 times>` behind one");
    };
    if count > LARGEST_PACKET {
        return Err(too_large(at));
    }
    packet.extend(std::iter::repeat_n(last, count.saturating_sub(1)));
    Ok(b"<repeats ".len() + end + 1)
}
