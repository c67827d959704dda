//! The common format of all rows of a dump.

use super::groups::{Groups, decimal, is_group};
use super::row::{Column, Row};
use crate::input::hex::head::Head;
use crate::input::hex::scan::{Word, after_marks, all_hex, number, words};
use crate::input::hex::{Fault, fault};

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
pub(in crate::input::hex) fn reads(line: &[u8], shape: Shape) -> Result<bool, Fault> {
    let Some((offset, from)) = split_offset(line) else { return Ok(false) };
    let mut row = Row::default();
    let column = row.read(line, from, shape.groups)?;
    Ok(row.straight.len() > 1 || column != Column::None || offset.address)
}

/// Refuses output of `od` in octal words or bytes, its default.
pub(in crate::input::hex) fn refuse_octal(line: &[u8]) -> Result<(), Fault> {
    let Some((_, from)) = split_offset(line).filter(|(offset, _)| !offset.colon && offset.text.len() == 7) else {
        return Ok(());
    };
    let octal = |word: Word<'_>| matches!(word.text.len(), 3 | 6) && word.text.iter().all(|byte| (b'0'..=b'7').contains(byte));
    if words(line, from).next().is_none() || !words(line, from).all(octal) {
        return Ok(());
    }
    let at = words(line, 0).nth(1).map_or(0, |word| word.at);
    fault(at, "octal numbers, as `od` prints without options, are not read; use `od -Ax -tx1`, `hexdump -C` or `xxd`")
}

/// Minimum number of digits; fewer are bytes.
const SHORTEST: usize = 3;

/// The offset at the start of a line.
#[derive(Debug, Clone, Copy)]
pub(in crate::input::hex) struct Offset<'a> {
    /// Position of its digits.
    pub at: usize,
    /// Its digits, with an optional backtick in the middle.
    pub text: &'a [u8],
    pub colon: bool,
    /// Whether it has the prefix `0x`.
    pub prefix: bool,
    /// Whether it is an address: with a segment, a symbol or a backtick.
    pub address: bool,
}

impl Offset<'_> {
    pub fn value(&self, radix: u32) -> Option<u64> {
        number(self.text, radix)
    }
}

/// The offset of a line, and the start of its data.
pub(in crate::input::hex) fn split_offset(line: &[u8]) -> Option<(Offset<'_>, usize)> {
    let word = words(line, after_marks(line)).next()?;
    let end = word.at + word.text.len();
    if let Some(found) = with_symbol(line, word.at, word.text) {
        return Some(found);
    }
    let (text, colon) = word.text.strip_suffix(b":").map_or((word.text, false), |text| (text, true));
    if let Some(segment) = segment_len(text) {
        let text = text.get(segment..)?;
        return Some((Offset { at: word.at + segment, text, colon, prefix: false, address: true }, end));
    }
    let (text, prefix) = text.strip_prefix(b"0x").map_or((text, false), |text| (text, true));
    let text = text.strip_suffix(b"h").filter(|_| colon && !prefix).unwrap_or(text);
    let at = word.at + if prefix { 2 } else { 0 };
    let address = text.get(8) == Some(&b'`');
    let is_hex =
        all_hex(text) || address && text.len() == 17 && text.iter().filter(|byte| !byte.is_ascii_hexdigit()).count() == 1;
    // With `0x` and no colon it may be a byte.
    let plausible = is_hex && text.len() >= SHORTEST && text.len() <= 17 && (colon || !prefix);
    plausible.then_some((Offset { at, text, colon, prefix, address }, end))
}

/// `0x555555558018 <msg+8>:`, as in gdb. A symbol may contain blanks.
fn with_symbol<'a>(line: &'a [u8], at: usize, word: &'a [u8]) -> Option<(Offset<'a>, usize)> {
    let text = word.strip_prefix(b"0x").filter(|text| all_hex(text) && text.len() <= 16)?;
    let end = at + word.len();
    let rest = line.get(end..).filter(|rest| rest.starts_with(b" <"))?;
    let close = rest.windows(2).position(|pair| pair == b">:")?;
    Some((Offset { at: at + 2, text, colon: true, prefix: true, address: true }, end + close + 2))
}

/// Length of a segment before an address, with its colon: `.rdata:` before 8 or 16 digits, `0C1B:` before 4.
fn segment_len(text: &[u8]) -> Option<usize> {
    let at = text.iter().rposition(|byte| *byte == b':')?;
    let (segment, digits) = (text.get(..at)?, text.get(at + 1..)?);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._$".contains(byte);
    let named = matches!(digits.len(), 8 | 16) && segment.iter().all(is_name) && !segment.is_empty();
    let real_mode = digits.len() == 4 && segment.len() == 4 && all_hex(segment);
    (all_hex(digits) && (named || real_mode)).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_debuggers_write_them() {
        for (line, value, from) in [
            ("00000010: 23", 0x10, 9),
            ("\t0x0010:  23", 0x10, 8),
            ("0010h: 23", 0x10, 6),
            ("00007ff6`12340010  23", 0x7ff6_1234_0010, 17),
            (".rdata:00402010 23", 0x40_2010, 15),
            ("0C1B:0110  23", 0x110, 9),
            ("0x555555558018 <msg+8>:\t0x23", 0x5555_5555_8018, 23),
            ("0x18 <f(int, char)+8>:\t0x23", 0x18, 22),
        ] {
            let (offset, end) = split_offset(line.as_bytes()).unwrap();
            assert_eq!((offset.value(16), end), (Some(value), from), "{line}");
        }
        for line in ["23:00:01 00", "recv:0500 0b", "0x23 0x00", "23 00", "10:15:14"] {
            assert!(split_offset(line.as_bytes()).is_none(), "{line}");
        }
    }
}
