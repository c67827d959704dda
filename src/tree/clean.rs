//! Escaping of text from a capture.

use std::fmt::{self, Write};

/// Escapes text from a capture for a terminal: control characters, escape sequences and bidirectional control characters are
/// spelled out.
pub fn clean(text: &str, out: &mut dyn Write) -> fmt::Result {
    spell(text, true, out)
}

/// The same for text that is already escaped or not quoted: backslashes are kept.
pub fn clean_escaped(text: &str, out: &mut dyn Write) -> fmt::Result {
    spell(text, false, out)
}

/// The same for the path of a file. Backslashes separate its folders on Windows.
pub fn clean_path(path: &str, out: &mut dyn Write) -> fmt::Result {
    spell(path, !cfg!(windows), out)
}

fn spell(text: &str, escapes_backslashes: bool, out: &mut dyn Write) -> fmt::Result {
    if is_plain(text.as_bytes()) || text.bytes().all(|byte| (0x20..0x7f).contains(&byte) && byte != b'\\') {
        return out.write_str(text);
    }
    for character in text.chars() {
        match character {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\u{8}' => out.write_str("\\b")?,
            '\u{c}' => out.write_str("\\f")?,
            '\\' if escapes_backslashes => out.write_str("\\\\")?,
            _ if is_harmful(character) => write!(out, "{}", character.escape_unicode())?,
            _ => out.write_char(character)?,
        }
    }
    Ok(())
}

/// Whether text is printable ASCII without quotes and backslashes. Checks 16 bytes at a time, or 8, since most texts are short.
#[must_use]
pub fn is_plain(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk() {
        let (blocks, _) = bytes.as_chunks();
        return blocks.iter().all(is_plain_block) && is_plain_block(last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return is_plain_word(u64::from_le_bytes(*first)) & is_plain_word(u64::from_le_bytes(*last));
    }
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some([a, b, c, d]), Some([e, f, g, h])) => is_plain_word(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])),
        _ => !bytes.iter().any(|byte| is_special(*byte)),
    }
}

/// The index of the first byte that plain text ([`is_plain`]) may not contain.
pub(crate) fn first_special(bytes: &[u8]) -> Option<usize> {
    let plain = bytes.as_chunks().0.iter().take_while(|block| is_plain_block(block)).count() * 16;
    let found = bytes.get(plain..)?.iter().position(|byte| is_special(*byte))?;
    Some(plain + found)
}

/// Checks a block of 16 bytes at once.
fn is_plain_block(block: &[u8; 16]) -> bool {
    !block.iter().fold(false, |found, byte| found | is_special(*byte))
}

/// The same for eight bytes: a forbidden byte sets its highest bit, and may carry into the next byte.
const fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    const QUOTES: u64 = 0x22 * ONES;
    const BACKSLASHES: u64 = 0x5c * ONES;
    let control = word.wrapping_sub(0x20 * ONES) & !word;
    let beyond = word | word.wrapping_add(ONES);
    let quote = (word ^ QUOTES).wrapping_sub(ONES) & !(word ^ QUOTES);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES) & !(word ^ BACKSLASHES);
    (control | beyond | quote | backslash) & HIGH == 0
}

/// Whether a byte needs escaping: quotes, control characters and non-ASCII.
fn is_special(byte: u8) -> bool {
    !(0x20..0x7f).contains(&byte) | (byte == b'"') | (byte == b'\\')
}

/// Whether a terminal may interpret this character instead of displaying it.
#[must_use]
pub fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{061c}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        let mut out = String::new();
        clean(text, &mut out).unwrap();
        out
    }

    #[test]
    fn hostile_text_is_spelled_out() {
        assert_eq!(cleaned("plain"), "plain");
        assert_eq!(cleaned("é"), "é");
        assert_eq!(cleaned("a\x1b[31mb"), "a\\u{1b}[31mb");
        assert_eq!(cleaned("line\r\n"), "line\\r\\n");
        assert_eq!(cleaned("a\u{8}b\u{c}"), "a\\bb\\f");
        assert_eq!(cleaned("a\u{202e}b\u{9b}"), "a\\u{202e}b\\u{9b}");
    }

    #[test]
    fn tag_characters_are_spelled_out() {
        assert_eq!(cleaned("a\u{e0001}\u{e0041}\u{e007f}b"), "a\\u{e0001}\\u{e0041}\\u{e007f}b");
        assert_eq!(cleaned("\u{e0080}"), "\u{e0080}");
    }

    #[test]
    fn each_byte_is_judged_at_each_place() {
        for length in 1..20 {
            for (place, byte) in (0..length).flat_map(|place| (0..=u8::MAX).map(move |byte| (place, byte))) {
                let mut bytes = vec![b'~'; length];
                bytes[place] = byte;
                let plain = (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
                assert_eq!(is_plain(&bytes), plain, "{byte:#x} at {place} of {length}");
            }
        }
    }
}
