//! Words of a row that are neither bytes nor text.

use super::groups::Groups;
use super::row::Row;
use crate::input::hex::scan::{Word, all_hex, not_hex, push_pairs};
use crate::input::hex::{Fault, fault};

impl Row {
    /// Why a word is neither a group nor text.
    pub(super) fn wrong<T>(&self, word: Word<'_>, groups: Groups, follows_gap: bool) -> Result<T, Fault> {
        match groups {
            Groups::Decimal => return fault(word.at, "expected a decimal byte from -128 to 255"),
            Groups::Bits => return fault(word.at, "expected eight bits for each byte"),
            Groups::Swapped(digits) if all_hex(word.text) => {
                return fault(word.at, format!("expected groups of {digits} hex digits"));
            }
            Groups::Prefixed(digits) => return fault(word.at, format!("expected 0x and {digits} hex digits")),
            Groups::Pairs if word.text.len() > 2 && all_hex(word.text) => {
                return fault(word.at + 2, "expected a space after two hex digits");
            }
            _ => {}
        }
        let odd = word.text.iter().position(|byte| !byte.is_ascii_hexdigit());
        match odd.and_then(|at| Some((at, *word.text.get(at)?))) {
            Some((_, b'?')) => fault(word.at, "`?` is a byte that could not be read; the dump has a hole here"),
            Some((at, byte)) if follows_gap && !self.straight.is_empty() => fault(
                word.at + at,
                format!("`{}` is not a hex digit, and no text column shows these bytes", shown(byte, word.text, at)),
            ),
            Some((at, byte)) => not_hex(word.at + at, byte),
            None => push_pairs(word.text, word.at, &mut Vec::new())
                .and_then(|()| fault(word.at, "expected two hex digits for each byte")),
        }
    }
}

/// The character that begins at a byte of a word.
pub(super) fn shown(byte: u8, word: &[u8], at: usize) -> String {
    let rest = String::from_utf8_lossy(word.get(at..).unwrap_or_default());
    let character = rest.chars().next().filter(|character| !character.is_control());
    character.map_or_else(|| byte.escape_ascii().to_string(), String::from)
}

/// Whether a word may be a group with a wrong digit.
pub(super) fn is_meant(text: &[u8], groups: Groups) -> bool {
    let wide = if groups == Groups::Decimal { 3 } else { 2 };
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    text.len() <= wide && digits > 0 || digits * 4 >= text.len() * 3
}

/// A mark for omitted bytes.
pub(super) fn is_ellipsis(text: &[u8]) -> bool {
    text == b"..." || text == "…".as_bytes()
}

/// Whether a comment begins after the bytes. A text column may begin with the same sign, but not as a separate word.
pub(super) fn is_comment(text: &[u8]) -> bool {
    matches!(text, b"#" | b";" | b"//")
}
