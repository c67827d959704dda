//! A number before the bytes of a row.

use super::offsets::{Groups, Row};
use super::scan::{Word, all_hex, number, pairs, words};

/// A place in a line where the bytes of a row may begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split<'a> {
    /// Digits of the number before the bytes, and their place.
    pub(super) number: &'a [u8],
    pub(super) at: usize,
    /// Number of the last byte of the row, if the line states it: `0000-0005`.
    pub(super) last: Option<&'a [u8]>,
    /// Start of the bytes.
    pub(super) from: usize,
    /// Index of the word with the number.
    pub(super) index: usize,
    /// Whether the number has a colon or `0x`, so that a row may stand alone.
    pub(super) marked: bool,
    /// Whether a dash stands between the number and the bytes.
    pub(super) dashed: bool,
    /// Groups of the bytes.
    pub(super) groups: Groups,
}

impl<'a> Split<'a> {
    pub(super) fn value(&self, radix: u32) -> Option<u64> {
        number(self.number, radix)
    }

    /// The bytes of the row, if the line states how many; else up to its text.
    pub(super) fn bytes(&self, line: &'a [u8]) -> &'a [u8] {
        let count = self.last.and_then(|last| number(last, 16)?.checked_sub(self.value(16)?));
        let Some(count) = count.and_then(|count| usize::try_from(count).ok()) else { return line };
        let end = words(line, self.from).take(count + 1).last().map_or(line.len(), |word| word.at + word.text.len());
        line.get(..end).unwrap_or(line)
    }

    /// Whether the number counts rows from here: alone in its column, before a full row.
    pub(super) fn is_row_number(&self, line: &[u8], len: u64) -> bool {
        self.index == 0
            && line.get(self.at + self.number.len()) == Some(&b'\t')
            && len >= 8
            && matches!(self.value(10), Some(0 | 1))
    }

    /// Number of bytes of the row; 0 if it has an error.
    pub(super) fn len(&self, line: &[u8], row: &mut Row) -> u64 {
        let pairs = pairs(line, self.from);
        match row.read(self.bytes(line), self.from, self.groups) {
            Ok(_) => row.straight.len() as u64,
            Err(_) => pairs as u64,
        }
    }
}

/// Number of words before the bytes of a row.
pub(super) const PREFIX: usize = 16;

/// The digits behind the last colon of a word, such as those of `DEBUG:root:00000010`.
pub(super) fn behind_colon(word: Word<'_>) -> Word<'_> {
    let text = word.text.strip_suffix(b":").unwrap_or(word.text);
    match text.iter().rposition(|byte| *byte == b':') {
        Some(at) if text.len() > at + 4 && text.iter().skip(at + 1).all(u8::is_ascii_hexdigit) => {
            Word { at: word.at + at + 1, text: word.text.get(at + 1..).unwrap_or_default(), ..word }
        }
        _ => word,
    }
}

/// Every place of a line where bytes may begin behind a number.
pub(super) fn splits(line: &[u8]) -> impl Iterator<Item = Split<'_>> {
    let all: Vec<Word<'_>> = words(line, 0).take(PREFIX + 3).collect();
    (0..all.len().min(PREFIX)).filter_map(move |index| {
        let word = behind_colon(*all.get(index)?);
        let signs = |byte: &u8| b"[](){}<>+:|,".contains(byte);
        let lead = word.text.iter().take_while(|byte| signs(byte)).count();
        let text = word.text.get(lead..)?;
        let (text, hexed, mut at) = match text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")) {
            Some(digits) => (digits, true, word.at + lead + 2),
            None => (text, false, word.at + lead),
        };
        let tail = text.iter().rev().take_while(|byte| signs(byte)).count();
        let digits = text.get(..text.len() - tail)?;
        let colon = text.get(digits.len()) == Some(&b':') || word.text.starts_with(b"+");
        let (number, last) = match digits.iter().position(|byte| *byte == b'-') {
            Some(dash) => (digits.get(..dash)?, Some(digits.get(dash + 1..)?)),
            None => (digits, None),
        };
        if last.is_some_and(|last| last.len() != number.len() || !all_hex(last)) {
            return None;
        }
        // A dash or a bar may stand between the number and the bytes.
        let next = all.get(index + 1)?;
        let between = matches!(next.text, b"-" | b":" | b"|" | b"--" | b"=>") || next.text == "│".as_bytes();
        let first = if between { all.get(index + 2)? } else { next };
        let tabbed = line.get(first.at.wrapping_sub(1)) == Some(&b'\t');
        let is_number = !number.is_empty()
            && number.len() <= 17
            && number.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'`')
            && (number.len() >= 3 || colon || tabbed);
        if !is_number || !is_group(first.text, hexed, colon || between) {
            return None;
        }
        at = at.min(line.len());
        let groups = groups(first.text, hexed || colon || between);
        Some(Split {
            number,
            at,
            last,
            from: first.at,
            index,
            marked: hexed && number.len() >= 4 || colon || last.is_some(),
            dashed: between,
            groups,
        })
    })
}

/// Whether bytes may begin with this word. Longer groups need an offset with a mark, or words of eight digits.
pub(super) fn is_group(text: &[u8], hexed: bool, marked: bool) -> bool {
    let quad = text.len() == 17 && text.get(8) == Some(&b'`');
    all_hex(text) && (text.len() == 2 || text.len() == 8 || text.len() == 16 || text.len() == 4 && (hexed || marked)) || quad
}

/// Numbers without a mark before them are in the machine's order, as in WinDbg's `dd`.
pub(super) fn groups(first: &[u8], marked: bool) -> Groups {
    match first.len() {
        17 => Groups::Swapped(16),
        digits @ (8 | 16) if !marked => Groups::Swapped(digits),
        _ => Groups::Any,
    }
}

/// Whether a line may be the row of a dump after this many bytes.
pub(super) fn follows(line: &[u8], seen: usize) -> bool {
    splits(line).any(|split| split.marked && split.value(16) == Some(seen as u64))
}
