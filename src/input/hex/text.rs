//! The text column of a dump, recognized by its content: the bytes before it, one character per byte.
//!
//! Tools print different characters for an unprintable byte: `.`, `·`, `_`, `•`, a letter of some code page, never an ASCII
//! letter or digit. Some leave a gap in the middle, and pasted text may have lost blanks.

use super::compare::{Blanks, GAP, compare, is_near};
use super::signs::{is_plain, without_zeros};

/// How a text matches the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// All bytes match. Spaces at the end may be missing.
    All,
    /// All bytes but a few match: bytes or text were edited.
    Nearly,
    /// The first bytes match: the text is truncated.
    Part,
    /// The text does not match, so it is no text column.
    Not,
}

/// Bars around the column.
const BARS: [(&str, &str); 3] = [("|", "|"), (">", "<"), ("│", "│")];

/// Maximum number of bytes of a row with a text column, and bytes of its text for each of them: a character and a blank.
const WIDEST: usize = 256;
const SIZE: usize = 8;

/// Compares a text with bytes. If `is_digits`, the text may be hex digits, so it must match every byte exactly.
pub(super) fn shows(text: &[u8], bytes: &[u8], is_digits: bool) -> Shows {
    if !is_digits && is_plain(text, bytes) {
        return Shows::All;
    }
    if bytes.len() > WIDEST {
        return Shows::Not;
    }
    // The rest of a long line does not matter.
    let text = text.get(..bytes.len() * SIZE + SIZE * GAP).unwrap_or(text);
    let mut text = String::from_utf8_lossy(text);
    // `hexyl` prints a digit for NUL, and symbols for other bytes.
    if !is_digits && !text.is_ascii() && text.contains(['•', '×']) {
        text = without_zeros(&text, bytes).into();
    }
    let text = text.trim_end();
    if text.is_empty() || bytes.is_empty() {
        return Shows::Not;
    }
    let inner = BARS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?;
        Some(inner.strip_suffix(close).unwrap_or(inner))
    });
    let ways = [(Blanks::Separate, true), (Blanks::Lost, false), (Blanks::Replace, true)];
    let mut best = Shows::Not;
    for text in std::iter::once(text).chain(inner) {
        for (blanks, is_exact) in ways.into_iter().filter(|(_, is_exact)| *is_exact || !is_digits) {
            match compare(text, bytes, blanks, is_digits && is_exact) {
                Shows::All => return Shows::All,
                Shows::Part => best = Shows::Part,
                Shows::Nearly | Shows::Not => {}
            }
        }
        if !is_digits && is_near(text, bytes) {
            return Shows::Nearly;
        }
    }
    if is_digits { Shows::Not } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_the_bytes_before_it() {
        for (text, bytes) in [
            ("#....{\"l", &b"#\0\0\0\x01{\"l"[..]),
            ("|#..|", b"#\0\xff"),
            (">#..<", b"#\0\xff"),
            ("#...... ........", b"#\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            ("a   b", b"a   b"),
            ("a b", b"a   b"),
            ("   a", b"   a"),
            ("a", b"a   "),
            ("·_•é", b"\0\n\x01\xe9"),
            ("é", "é".as_bytes()),
            ("| |", b"| |"),
            ("a.b", b"a b"),
            ("a b", b"a\0b"),
            ("00•E0", b"\0\0\x01E\0"),
            ("#.  # a comment", b"#\0"),
        ] {
            assert_eq!(shows(text.as_bytes(), bytes, false), Shows::All, "{text}");
        }
        assert_eq!(shows(b"#..", b"#\0\0\0", false), Shows::Part);
        assert_eq!(shows(b"#.", b"#\0\0\0\0", false), Shows::Not);
        assert_eq!(shows(b"@.f.", b"@\x11\0\0", false), Shows::Nearly);
        for (text, bytes) in [("#.", &b"a\0"[..]), ("#..", b"#\0"), ("01 0g", b"#\0"), ("a.", b"\0."), ("", b"a"), ("x", b"")] {
            assert_eq!(shows(text.as_bytes(), bytes, false), Shows::Not, "{text}");
        }
    }

    #[test]
    fn digits_are_text_only_if_they_show_every_byte() {
        assert_eq!(shows(b"ab cd", b"ab cd", true), Shows::All);
        assert_eq!(shows(b"ab", b"ab", true), Shows::All);
        assert_eq!(shows(b"ab", b"abc", true), Shows::Not);
        assert_eq!(shows(b"00", b"\0\0", true), Shows::Not);
        assert_eq!(shows(b"01", b"#\0", true), Shows::Not);
    }
}
