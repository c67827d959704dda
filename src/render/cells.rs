//! Text of the cells of a table, in one buffer.

use super::text::width;
use std::ops::Range;

/// A cell: where its text is, and how wide it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    start: usize,
    end: usize,
    /// Width of the text.
    columns: usize,
    /// Blanks before the text.
    pub(super) indent: usize,
}

impl Cell {
    /// The same text with this number of blanks before it.
    pub(super) fn indented(self, indent: usize) -> Cell {
        Cell { indent, ..self }
    }

    /// Width with the blanks.
    pub(super) fn width(&self) -> usize {
        self.indent + self.columns
    }

    /// Bytes of the text with the blanks.
    pub(super) fn len(&self) -> usize {
        self.indent + self.end - self.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The text of cells.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The text of all cells, and behind it that of the next one.
    pub(super) text: String,
    /// Where the next cell starts.
    start: usize,
}

impl Cells {
    /// Ends the next cell, whose text was appended to `text`.
    pub(super) fn end(&mut self) -> Cell {
        let cell = self.cell(self.start..self.text.len());
        self.start = cell.end;
        cell
    }

    /// Adds a cell.
    pub(super) fn add(&mut self, text: &str) -> Cell {
        self.text.push_str(text);
        self.end()
    }

    /// Adds a cell with a number.
    pub(super) fn add_number(&mut self, number: u64) -> Cell {
        self.add(itoa::Buffer::new().format(number))
    }

    /// The text of a cell, without blanks before it.
    pub(super) fn text_of(&self, cell: Cell) -> &str {
        self.text.get(cell.range()).unwrap_or_default()
    }

    /// Removes all cells. Keeps at most this many bytes of memory.
    pub(super) fn clear(&mut self, kept: usize) {
        self.text.clear();
        self.text.shrink_to(kept);
        self.start = 0;
    }

    /// Without blanks at the start of its text.
    pub(super) fn trimmed_start(&self, cell: Cell) -> Cell {
        let text = self.text_of(cell);
        let blanks = text.len() - text.trim_start().len();
        if blanks == 0 { cell } else { self.split(cell, blanks).1 }
    }

    /// Without blanks at the end of its text.
    pub(super) fn trimmed_end(&self, cell: Cell) -> Cell {
        let text = self.text_of(cell);
        let kept = text.trim_end().len();
        if kept == text.len() { cell } else { self.split(cell, kept).0 }
    }

    /// Splits a cell after this number of bytes.
    pub(super) fn split(&self, cell: Cell, at: usize) -> (Cell, Cell) {
        if at == cell.end - cell.start {
            return (cell, Cell::default());
        }
        let between = cell.start + at;
        // The shorter part is measured, so that splitting a long text into lines stays linear.
        let is_first = at <= (cell.end - cell.start) / 2;
        let measured = self.cell(if is_first { cell.start..between } else { between..cell.end });
        let other = Cell { columns: cell.columns.saturating_sub(measured.columns), ..measured };
        if is_first {
            (measured, Cell { start: between, end: cell.end, ..other })
        } else {
            (Cell { start: cell.start, end: between, ..other }, measured)
        }
    }

    /// Replaces the text of a cell that is wider than `limit` by a shorter one.
    pub(super) fn shorten(&mut self, cell: &mut Cell, indent: usize, limit: usize, cut: impl FnOnce(&mut String, usize)) {
        if cell.columns > limit {
            let mut text = self.text_of(*cell).to_owned();
            cut(&mut text, limit);
            *cell = self.add(&text).indented(indent);
        }
    }

    fn cell(&self, range: Range<usize>) -> Cell {
        let columns = width(self.text.get(range.clone()).unwrap_or_default());
        Cell { start: range.start, end: range.end, columns, indent: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::text::cut;

    #[test]
    fn cells_have_the_width_of_their_text() {
        let mut cells = Cells::default();
        cells.text.push_str("  größer ");
        let cell = cells.end();
        let number = cells.add_number(27_000);
        assert_eq!((cell.width(), cell.len(), number.width(), cells.text_of(number)), (9, 11, 5, "27000"));
        let trimmed = cells.trimmed_end(cells.trimmed_start(cell).indented(3));
        assert_eq!((cells.text_of(trimmed), trimmed.width()), ("größer", 6));
        let (first, rest) = cells.split(trimmed, "grö".len());
        assert_eq!((cells.text_of(first), first.width(), cells.text_of(rest), rest.width()), ("grö", 3, "ßer", 3));
        let mut short = trimmed;
        cells.shorten(&mut short, 2, 4, cut);
        assert_eq!((cells.text_of(short), short.width()), ("grö…", 6));
        assert!(Cell::default().is_empty() && cells.text_of(Cell::default()).is_empty());
    }

    #[test]
    fn memory_for_long_text_is_not_kept() {
        let mut cells = Cells::default();
        cells.add(&"x".repeat(1 << 20));
        cells.clear(1 << 10);
        assert!(cells.text.capacity() <= 1 << 10, "{}", cells.text.capacity());
        assert_eq!((cells.add("ab").width(), cells.text.as_str()), (2, "ab"));
    }
}
