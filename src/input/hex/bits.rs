//! Bits as text: groups of eight, `0b00100011`, or groups of four.

use super::scan::words;
use super::{Dialect, Fed, Feed, Packet, fault};

/// Minimum number of groups of eight: two numbers of eight digits may be hex.
const SHORTEST: usize = 2;

#[derive(Default)]
pub(super) struct Bits {
    /// Number of digits of a group.
    size: usize,
}

/// The bits of a group, without its prefix.
fn group(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_suffix(b",").unwrap_or(text);
    let bits = text.strip_prefix(b"0b").or_else(|| text.strip_prefix(b"0B"));
    let digits = bits.unwrap_or(text);
    let short = bits.is_some() && (1..=8).contains(&digits.len());
    let fits = short || matches!(digits.len(), 4 | 8);
    (fits && digits.iter().all(|byte| matches!(byte, b'0' | b'1'))).then_some(digits)
}

impl Bits {
    /// Bits that begin in this line.
    pub(super) fn of(text: &[u8]) -> Option<Bits> {
        let first = words(text, 0).next()?.text;
        let prefixed = first.starts_with(b"0b") || first.starts_with(b"0B");
        let size = group(first)?.len();
        let count = words(text, 0).count();
        let same = words(text, 0).all(|word| {
            group(word.text).is_some_and(|digits| prefixed || digits.len() == size) && word.text.starts_with(b"0b") == prefixed
        });
        // One word with `0b` alone may be hex.
        let enough = if prefixed { count > 1 } else { count >= SHORTEST * 8 / size && (size == 8 || count.is_multiple_of(2)) };
        (same && enough).then_some(Bits { size: if prefixed { 0 } else { size } })
    }
}

impl Dialect for Bits {
    fn is_loose(&self) -> bool {
        true
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let mut high = None;
        for word in words(line, 0) {
            let Some(digits) = group(word.text).filter(|digits| self.size == 0 || digits.len() == self.size) else {
                let size = if self.size == 0 { "up to eight".to_owned() } else { self.size.to_string() };
                return fault(word.at, format!("expected {size} bits, each 0 or 1"));
            };
            let value = digits.iter().fold(0, |value, byte| value << 1 | (byte - b'0'));
            match (self.size, high.take()) {
                (4, None) => high = Some(value),
                (4, Some(high)) => packet.push(high << 4 | value),
                _ => packet.push(value),
            }
        }
        match high {
            Some(_) => fault(line.trim_ascii_end().len(), "expected another four bits; a byte has eight"),
            None => Ok(Fed::Taken),
        }
    }
}
