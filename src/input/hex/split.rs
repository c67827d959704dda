//! A number before the bytes of a row.

use super::offsets::{Groups, Row};
use super::scan::words;
use super::scan::{number, pairs};

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
