//! The borders that `hexyl` draws around a dump.
//!
//! ```text
//! ┌────────┬─────────────────────────┬─────────────────────────┬────────┬────────┐
//! │00000000│ 23 00 00 00 01 7b 22 6c ┊ 61 6e 67 22 3a 22 65 6e │#⋄⋄⋄•{"l┊ang":"en│
//! ```

use super::scan::{all_hex, words};
use super::{Fault, fault};
use std::borrow::Cow;

/// Width of a text cell. Byte cells are wider.
const TEXT: usize = 8;

/// Width of a byte cell.
const BYTES: usize = 25;

/// The borders of a dump, once one of its lines was found.
#[derive(Debug, Default)]
pub(super) struct Frame {
    is_open: bool,
}

impl Frame {
    /// Removes the borders of a line; returns other lines unchanged.
    ///
    /// # Errors
    /// If a line inside the borders is no row of a dump.
    pub(super) fn strip<'l>(&mut self, line: Cow<'l, [u8]>) -> Result<Cow<'l, [u8]>, Fault> {
        match unboxed(&line) {
            Some(row) => {
                self.is_open |= !row.is_empty() || is_border(&line);
                Ok(Cow::Owned(row))
            }
            None if self.is_open && has_bars(&line) => {
                fault(0, "this line of the frame is no row of a dump; expected an offset of eight digits, and bytes")
            }
            None => Ok(line),
        }
    }
}

/// Whether a line is a border with cells for an offset and for bytes.
fn is_border(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut cells = text.trim().split(['┌', '├', '└', '┬', '┼', '┴', '+']).skip(1).map(|cell| cell.chars().count());
    cells.next() == Some(TEXT) && cells.next() == Some(BYTES)
}

/// Whether a line begins and ends with the same bar.
fn has_bars(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let bar = text.trim_start().chars().next().filter(|first| matches!(first, '│' | '|'));
    bar.is_some_and(|bar| text.trim().len() > bar.len_utf8() && text.trim_end().ends_with(bar))
}

/// A line without borders and unchanged columns; empty for a border line. `None` if there are no borders.
fn unboxed(line: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(line).ok()?.trim_end();
    let first = text.trim_start().chars().next()?;
    if matches!(first, '┌' | '├' | '└') || text.starts_with("+--") && text.bytes().all(|byte| matches!(byte, b'+' | b'-')) {
        return Some(Vec::new());
    }
    if !matches!(first, '│' | '|') || !text.ends_with(first) {
        return None;
    }
    let is_bar = |character: char| character == first || character == '┊';
    let mut out = Vec::new();
    let mut cells = text.split_inclusive(is_bar).enumerate();
    // The part before the first bar is empty; the next cell is the offset.
    let (_, before) = cells.next()?;
    out.resize(before.len(), b' ');
    let mut is_empty = true;
    let mut is_text = false;
    for (index, cell) in cells {
        let inner = cell.trim_end_matches(is_bar);
        let (width, inner_words) = (inner.chars().count(), inner.trim_ascii().as_bytes());
        if index == 1 && width == TEXT && (all_hex(inner_words) || inner_words == b"*") {
            // The offset.
        } else if width <= TEXT || index == 1 && !words(inner_words, 0).all(|word| all_hex(word.text)) {
            // Only text follows the bytes. A wider cell there is another row, without text.
            is_text = true;
        }
        if index == 1 && (is_text || first == '|' && width != TEXT) {
            return None;
        }
        if is_text && width <= TEXT {
            out.resize(out.len() + cell.len(), b' ');
            continue;
        }
        is_empty = false;
        out.extend(inner.as_bytes());
        out.resize(out.len() + cell.len() - inner.len(), b' ');
    }
    (!is_empty).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of another program may have the same corners, but not the same widths.
    #[test]
    fn a_border_has_cells_for_an_offset_and_for_bytes() {
        let (offset, bytes) = ("─".repeat(8), "─".repeat(25));
        for corners in [["┌", "┬", "┐"], ["├", "┼", "┤"], ["└", "┴", "┘"], ["+", "+", "+"]] {
            let [first, between, last] = corners;
            let border = |cells: [&str; 2]| format!("{first}{}{between}{}{between}{}{last}", cells[0], cells[1], cells[0]);
            assert!(is_border(border([&offset, &bytes]).as_bytes()) && is_border((border([&offset, &bytes]) + "\n").as_bytes()));
            assert!(!is_border(border([&bytes, &offset]).as_bytes()) && !is_border(border([&offset, &offset]).as_bytes()));
        }
        assert!(!is_border(offset.as_bytes()) && !is_border(b""));
    }
}
