//! A text against the bytes before it.

use super::signs::{spelt, stands_for};
use super::text::Shows;

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
    match left.iter().all(|byte| *byte == b' ') {
        true => Shows::All,
        // A text much shorter than the bytes belongs to other bytes: `xxd -b` has one character per eight digits.
        false if shown * 2 >= bytes.len() => Shows::Part,
        false => Shows::Not,
    }
}
