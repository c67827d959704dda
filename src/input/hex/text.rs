//! The text column of a dump, recognized by its content: the bytes before it, one character per byte.
//!
//! Tools print different characters for an unprintable byte: `.`, `·`, `_`, `•`, a letter of some code page, never an ASCII
//! letter or digit. Some leave a gap in the middle, and pasted text may have lost blanks.

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

/// Characters before the gap.
pub(super) const GAP: usize = 8;

/// Whether a text has one character per byte, with an optional gap, and three of four match. A dot matches any byte.
pub(super) fn is_near(text: &str, bytes: &[u8]) -> bool {
    let right = |character: char, byte: u8| character == '.' || stands_for(character, byte, false);
    let wrong = |text: &mut dyn Iterator<Item = char>| text.zip(bytes).filter(|(shown, byte)| !right(*shown, **byte)).count();
    let gap = text.chars().nth(GAP) == Some(' ');
    let (count, few) = (text.chars().count(), bytes.len() / 4);
    count == bytes.len() && wrong(&mut text.chars()) <= few
        || gap && count == bytes.len() + 1 && wrong(&mut text.chars().take(GAP).chain(text.chars().skip(GAP + 1))) <= few
}

/// The meaning of blanks in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blanks {
    /// Spaces, or the gap.
    Separate,
    /// Spaces, some of which may be missing.
    Lost,
    /// Spaces and unprintable bytes.
    Replace,
}

pub(super) fn compare(text: &str, bytes: &[u8], blanks: Blanks, strict: bool) -> Shows {
    let mut left = bytes;
    let mut shown = 0;
    // Bars between groups of characters, as pwntools draws them.
    let ruled = || text.matches(['│', '┊']).count() > 1;
    for (at, character) in text.char_indices() {
        if blanks == Blanks::Lost {
            while let [b' ', rest @ ..] = left {
                left = rest;
            }
        }
        let blank = character == ' ' || character == '\t';
        if matches!(character, '│' | '┊') && ruled() {
            continue;
        }
        let Some((byte, rest)) = left.split_first() else {
            // A comment may follow the text.
            let comment = text.get(at..).unwrap_or_default();
            return if comment.trim_start().starts_with('#') && blank { Shows::All } else { Shows::Not };
        };
        if let Some(rest) = spelt(character, left) {
            left = rest;
        } else if stands_for(character, *byte, strict) || blank && blanks == Blanks::Replace && !byte.is_ascii_graphic() {
            left = rest;
        } else if blank && blanks != Blanks::Replace || character == '┊' || character == '│' {
            continue;
        } else {
            return Shows::Not;
        }
        shown += 1;
    }
    if left.iter().all(|byte| *byte == b' ') {
        return Shows::All;
    }
    // A text much shorter than the bytes belongs to other bytes: `xxd -b` has one character per eight digits.
    if shown * 2 >= bytes.len() { Shows::Part } else { Shows::Not }
}

/// Whether a text has each byte as its ASCII character, or a dot: the form of most tools.
pub(super) fn is_plain(text: &[u8], bytes: &[u8]) -> bool {
    let shown = |byte: u8| if matches!(byte, b' '..=b'~') { byte } else { b'.' };
    let text = text.trim_ascii_end();
    text.len() == bytes.len() && !text.is_empty() && text.iter().zip(bytes).all(|(sign, byte)| *sign == shown(*byte))
}

/// Whether a text without blanks has a letter or digit for another byte, so that it does not show these bytes.
pub(super) fn differs(text: &[u8], bytes: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let is_graphic = |text: &[u8]| text.iter().all(u8::is_ascii_graphic);
    text.len() == bytes.len()
        && text.iter().zip(bytes).any(|(sign, byte)| sign.is_ascii_alphanumeric() && sign != byte)
        && !text.starts_with(b"|")
        && !text.starts_with(b">")
        && is_graphic(text)
        && !bytes.contains(&b' ')
}

/// A text of `hexyl` with another symbol for NUL.
pub(super) fn without_zeros(text: &str, bytes: &[u8]) -> String {
    let mut left = bytes.iter();
    let shown = |character| match character {
        '0' if left.next() == Some(&0) => '.',
        ' ' => character,
        '0' => '0',
        _ => {
            left.next();
            character
        }
    };
    text.chars().map(shown).collect()
}

/// A non-ASCII character for the bytes of its UTF-8 encoding; returns the bytes after it.
pub(super) fn spelt(character: char, bytes: &[u8]) -> Option<&[u8]> {
    if character.is_ascii() {
        return None;
    }
    let mut buffer = [0; 4];
    bytes.strip_prefix(character.encode_utf8(&mut buffer).as_bytes())
}

/// Whether a byte may be displayed as this character.
pub(super) fn stands_for(character: char, byte: u8, strict: bool) -> bool {
    match byte {
        b' ' => matches!(character, ' ' | '.' | '·' | '_' | '␠'),
        b'!'..=b'~' if strict => character == char::from(byte),
        b'!'..=b'~' => character.eq_ignore_ascii_case(&char::from(byte)),
        _ => !character.is_ascii_alphanumeric() && character != ' ' && character != '\t',
    }
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
