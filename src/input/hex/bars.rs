//! Rows between bars: their cells, borders and rulers.

use super::Fault;
use super::scan::{Word, indent, is_pair, pair, words};
use super::suspicion::{RULER, is_count};

/// Maximum width of the number of a row.
pub(super) const NUMBER: usize = 6;

/// Minimum number of digits of strace's offsets.
pub(super) const OFFSET: usize = 5;

/// Why a row is invalid.
pub(super) const DAMAGED: &str = "expected two hex digits for each byte of this row, or -- for a byte that does not exist";

/// The cell with the bytes of a row, with its offset in the line.
pub(super) fn cell(line: &[u8]) -> Option<(usize, &[u8])> {
    let open = line.iter().position(|byte| *byte == b'|')?;
    let number = line.get(..open)?.trim_ascii();
    if number.len() > NUMBER || !number.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let inner = line.get(open + 1..)?;
    let len = inner.iter().position(|byte| *byte == b'|')?;
    let cell = inner.get(..len)?;
    // Windower repeats the number of the row behind the bytes.
    let end = match cell.trim_ascii_end().strip_suffix(number).filter(|_| !number.is_empty()) {
        Some(bytes) if bytes.ends_with(b"  ") => bytes.len(),
        _ => len,
    };
    Some((open + 1, cell.get(..end)?))
}

pub(super) fn is_byte(word: &Word<'_>) -> bool {
    is_pair(word.text) || word.text == b"--"
}

/// The bytes of a row of K12 text, a cell each, behind the number of the row: `|0   |23|00|`.
pub(super) fn cells(line: &[u8]) -> Option<Vec<u8>> {
    let inner = line.trim_ascii().strip_prefix(b"|")?.strip_suffix(b"|")?;
    let mut cells = inner.split(|byte| *byte == b'|');
    cells.next().filter(|number| number.len() == 4 && number.trim_ascii_end().iter().all(u8::is_ascii_digit))?;
    let bytes: Option<Vec<u8>> = cells.map(|cell| pair(cell).filter(|_| cell.len() == 2)).collect();
    bytes.filter(|bytes| !bytes.is_empty())
}

/// Whether a line is a row: pairs in its first cell, or a pair in each.
pub(super) fn is_row(line: &[u8]) -> bool {
    cells(line).is_some()
        || cell(line).is_some_and(|(_, cell)| {
            let fewest = if line.trim_ascii_start().starts_with(b"|") { 1 } else { 2 };
            words(cell, 0).count() >= fewest && words(cell, 0).all(|word| is_byte(&word)) && !cell.trim_ascii().starts_with(b"--")
        })
}

/// Why a row with some pairs is invalid.
pub(super) fn fault_of(line: &[u8]) -> Option<Fault> {
    let (at, cell) = cell(line).filter(|_| !is_border(line) && !counts(line) && !is_row(line))?;
    let some = words(cell, 0).filter(is_byte).count();
    let wrong = words(cell, 0).find(|word| !is_byte(word)).filter(|_| some >= 2)?;
    Some(Fault { at: at + wrong.at, what: DAMAGED.to_owned() })
}

/// Whether a line is a border of a table: dashes, with bars or plus signs.
pub(super) fn is_border(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    text.starts_with(b"|--") || text.starts_with(b"+--") || text.starts_with(b"----")
}

/// Whether the cell of bytes numbers the columns.
pub(super) fn counts(line: &[u8]) -> bool {
    let Some((_, cell)) = cell(line) else { return false };
    words(cell, 0).count() >= RULER && words(cell, 0).enumerate().all(|(at, word)| is_count(at, word.text))
}

/// Whether the text of a row numbers the columns as well: a ruler, whatever follows.
pub(super) fn names_columns(line: &[u8]) -> bool {
    let text = line.split(|byte| *byte == b'|').nth(2).unwrap_or_default();
    text.iter().filter(|byte| !byte.is_ascii_whitespace()).take(4).eq(b"0123")
}

/// The offset, bytes and text of a row of strace, without the bars around them.
pub(super) fn strace_row(line: &[u8]) -> Option<&[u8]> {
    let inner = line.trim_ascii_end().strip_suffix(b" |")?.strip_prefix(b" | ")?;
    let len = inner.windows(2).skip(OFFSET).position(|blanks| blanks == b"  ")? + OFFSET;
    let (offset, data) = inner.split_at_checked(len)?;
    // A wrong digit is reported where the offset is read.
    let wrong = offset.iter().filter(|byte| !byte.is_ascii_hexdigit()).count();
    let data = words(data, 0).next()?;
    (len < OFFSET * 2 && wrong < 2 && data.gap == 2 && is_pair(data.text)).then(|| {
        let start = indent(line) + 2;
        line.get(start..).unwrap_or_default()
    })
}

/// The bytes of a cell, up to `--`.
pub(super) fn pairs(cell: &[u8]) -> Option<Vec<u8>> {
    let digits = words(cell, 0).take_while(|word| word.text != b"--");
    digits.map(|word| pair(word.text).filter(|_| word.text.len() == 2)).collect()
}
