//! The frames that `hexyl` draws around a dump.
//!
//! ```text
//! ┌────────┬─────────────────────────┬─────────────────────────┬────────┬────────┐
//! │00000000│ 23 00 00 00 01 7b 22 6c ┊ 61 6e 67 22 3a 22 65 6e │#⋄⋄⋄•{"l┊ang":"en│
//! ```

use super::scan::{all_hex, words};
use super::{Fault, fault};
use std::borrow::Cow;

/// Characters of a cell of text. Cells of bytes are longer.
const TEXT: usize = 8;

/// Characters of a cell of bytes.
const BYTES: usize = 25;

/// The frame around a dump, once a line of it was seen.
#[derive(Debug, Default)]
pub(super) struct Frame {
    is_open: bool,
}

impl Frame {
    /// A line without the frame; the line itself where there is none.
    ///
    /// # Errors
    /// A line inside the frame is no row of a dump.
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

/// Whether a line is the border of cells for an offset and for bytes.
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

/// A line without its frame, with everything else at its place; empty for a line that is nothing but frame. `None` if there is no
/// frame around it.
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
    // What stands before the first bar is nothing; the cell behind it is the offset.
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
            // Behind the bytes only text follows. A longer cell there is another row, and none of it is text.
            is_text = true;
        }
        if index == 1 && is_text {
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

    #[test]
    fn a_frame_is_taken_off() {
        let plain = |line: &str| unboxed(line.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        let row = plain("│00000000│ 23 00 00 00 01 7b 22 6c ┊ 61                      │#⋄⋄⋄•{\"l┊a       │\n").unwrap();
        assert_eq!(row.trim(), "00000000    23 00 00 00 01 7b 22 6c     61");
        let row = plain("|00000000| 7c 31 7c             |                         ||1|     |        |").unwrap();
        assert_eq!(row.trim(), "00000000  7c 31 7c");
        assert_eq!(
            plain("│*       │                         ┊                         │        ┊        │").unwrap().trim(),
            "*"
        );
        assert_eq!(plain("+--------+-------------------------+").unwrap(), "");
        for line in ["| a | table |", "00000000  23 00  |#.|", "|x|"] {
            assert_eq!(plain(line), None, "{line}");
        }
    }
}
