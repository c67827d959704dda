//! The common format of all rows of a dump.

use super::column::Column;
use super::groups::{Groups, decimal, is_group};
use super::offset::{Offset, split_offset};
use super::row::Row;
use crate::input::hex::Fault;
use crate::input::hex::head::Head;
use crate::input::hex::scan::{Word, all_hex, words};

/// The common format of all rows of a dump.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::input::hex) struct Shape {
    pub(super) colon: bool,
    pub(super) prefix: bool,
    pub(super) digits: usize,
    pub(super) groups: Groups,
}

impl Shape {
    /// The format of the first row of a dump.
    pub(in crate::input::hex) fn of(line: &[u8]) -> Option<Shape> {
        let (offset, from) = split_offset(line)?;
        let first = words(line, from).next()?.text;
        let (colon, prefix, digits) = (offset.colon, offset.prefix, offset.text.len());
        let words_fit = |groups| words(line, from).all(|word| is_group(word.text, groups) || word.text.starts_with(b">"));
        let groups = match first.len() {
            len @ (4 | 6 | 10 | 18) if first.starts_with(b"0x") => Some(Groups::Prefixed(len - 2)).filter(|_| offset.prefix)?,
            _ if is_decimal(line, from, &offset) => Groups::Decimal,
            8 if colon && is_bits(line, from) => Groups::Bits,
            _ if colon => is_group(first, Groups::Any).then_some(Groups::Any)?,
            2 if digits > 3 => all_hex(first).then_some(Groups::Pairs)?,
            17 if offset.address && words_fit(Groups::Swapped(16)) => Groups::Swapped(16),
            // A first word as long as the others belongs to the data of a row without an offset.
            len @ (4 | 8 | 16)
                if len != digits
                    && (offset.address || (6..=8).contains(&digits))
                    && offset.value(16).is_some_and(|at| at.is_multiple_of(16)) =>
            {
                words_fit(Groups::Swapped(len)).then_some(Groups::Swapped(len))?
            }
            _ => return None,
        };
        Some(Shape { colon, prefix, digits, groups })
    }

    /// Rows with an offset of sixteen digits and a colon.
    pub(in crate::input::hex) fn canonical(groups: Groups) -> Shape {
        Shape { colon: true, prefix: false, digits: 16, groups }
    }

    /// Whether data may begin with this word.
    pub(super) fn begins_with(&self, word: &[u8]) -> bool {
        is_group(word, self.groups)
    }

    /// Whether the byte order within groups must be determined from the text.
    pub(super) fn is_open(&self) -> bool {
        self.groups == Groups::Any && !self.prefix
    }

    /// Whether this may be the offset of another row of the dump.
    pub(super) fn takes(&self, offset: &Offset<'_>) -> bool {
        offset.colon == self.colon && offset.prefix == self.prefix && offset.text.len() >= self.digits
    }
}

/// The offset of a row.
pub(in crate::input::hex) fn base(line: &[u8]) -> Option<u64> {
    split_offset(line)?.0.value(16)
}

/// The start of a row.
pub(in crate::input::hex) fn head(line: &[u8]) -> Head {
    split_offset(line).map_or_else(Head::default, |(offset, _)| Head::of(line, offset.at, offset.text.len(), 16))
}

/// Whether the groups of a row are bits, of which its text shows one character each.
pub(in crate::input::hex) fn is_bits(line: &[u8], from: usize) -> bool {
    Row::default().read(line, from, Groups::Bits).is_ok_and(|column| column == Column::InOrder)
}

/// Whether all words are decimal bytes in columns, as from `od -tu1` and `od -td1`, or after tabs, as in gdb.
pub(in crate::input::hex) fn is_decimal(line: &[u8], from: usize, offset: &Offset<'_>) -> bool {
    let mut telling = false;
    let all = words(line, from).all(|word| {
        let width = word.gap + word.text.len();
        let placed = if offset.prefix { line.get(word.at.wrapping_sub(1)) == Some(&b'\t') } else { matches!(width, 4 | 5) };
        telling |= word.text.len() != 2 || word.text.starts_with(b"-");
        placed && decimal(word.text).is_some() && (word.text.len() == 1 || !word.text.starts_with(b"0"))
    });
    let is_place = if offset.prefix { offset.colon } else { !offset.colon && offset.text.len() >= 6 };
    // Only `od` has offsets of seven digits before single bytes, and it separates hex digits by less.
    all && (telling || offset.prefix || offset.text.len() == 7) && is_place
}

/// Whether a line is a row from its offset to its text: of several bytes, or of one with a matching text.
pub(in crate::input::hex) fn reads(line: &[u8], shape: Shape) -> bool {
    let Some((offset, from)) = split_offset(line) else { return false };
    let mut row = Row::default();
    let column = row.read(line, from, shape.groups);
    column.is_ok_and(|column| row.straight.len() > 1 || column != Column::None || offset.address)
}

/// Why a row is invalid.
pub(in crate::input::hex) fn fault_of(line: &[u8], shape: Shape) -> Option<Fault> {
    let (_, from) = split_offset(line)?;
    Row::default().read(line, from, shape.groups).err()
}

/// Whether a line is output of `od` in octal words or bytes, its default.
pub(in crate::input::hex) fn is_octal(line: &[u8]) -> bool {
    let Some((offset, from)) = split_offset(line) else { return false };
    let octal = |word: Word<'_>| matches!(word.text.len(), 3 | 6) && word.text.iter().all(|byte| (b'0'..=b'7').contains(byte));
    !offset.colon && offset.text.len() == 7 && words(line, from).next().is_some() && words(line, from).all(octal)
}
