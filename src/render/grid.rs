//! Plain tables with aligned columns of short cells.

use super::text::{Guarded, width, wrapped};
use super::theme::{Role, Theme};
use super::unwritable;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement};
use std::fmt::Write as _;
use std::io;
use std::ops::Range;

/// Rows per layout, so that memory does not grow with the table.
const AT_ONCE: usize = 4096;

/// Rows of a small table, which `comfy-table` lays out. It takes more time and memory for each row than the layout below.
const FEW: usize = 64;

/// Spaces before each column.
const BETWEEN: usize = 2;

/// Spaces before continuation lines of a row.
const CONTINUED: usize = 4;

/// Minimum width of cells with several words, below which rows are folded.
const LEAST: usize = 20;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// Heading.
    pub name: &'static str,
    /// Whether its cells are right-aligned, as numbers.
    pub right: bool,
    /// Role of its cells.
    pub role: Role,
}

impl Head {
    /// A left-aligned column of words.
    pub const fn words(name: &'static str, role: Role) -> Head {
        Head { name, right: false, role }
    }

    /// A right-aligned column of numbers.
    pub const fn number(name: &'static str) -> Head {
        Head { name, right: true, role: Role::Value }
    }
}

/// A table printed while it grows.
///
/// If it exceeds the width, columns of words get narrower and their cells wrap. If that is not sufficient, a row takes several
/// lines, each with further columns.
pub struct Grid<'a> {
    to: &'a mut dyn io::Write,
    heads: &'a [Head],
    theme: Theme,
    limit: Option<usize>,
    widths: Vec<usize>,
    /// Minimum width of each column: its longest word, or its longest number.
    least: Vec<usize>,
    /// Text of all cells that are not printed yet.
    text: String,
    /// End of each cell in that text, and its width.
    ends: Vec<(usize, usize)>,
    begun: bool,
}

impl<'a> Grid<'a> {
    /// Creates an empty table of unlimited width.
    pub fn new(to: &'a mut dyn io::Write, theme: Theme, heads: &'a [Head]) -> Grid<'a> {
        let widths: Vec<usize> = heads.iter().map(|head| width(head.name)).collect();
        let least = heads.iter().map(|head| longest_word(head.name)).collect();
        Grid { to, heads, theme, limit: None, widths, least, text: String::new(), ends: Vec::new(), begun: false }
    }

    /// Limits the width of lines.
    #[must_use]
    pub fn within(self, limit: Option<usize>) -> Grid<'a> {
        Grid { limit, ..self }
    }

    /// Adds the next cell. Rows are complete when every column has a cell. Control characters are escaped.
    pub fn cell(&mut self, words: impl std::fmt::Display) -> io::Result<&mut Grid<'a>> {
        let start = self.text.len();
        write!(Guarded(&mut self.text), "{words}").map_err(unwritable)?;
        let cell = self.text.get(start..).unwrap_or_default();
        let column = self.ends.len() % self.heads.len().max(1);
        let columns = width(cell);
        if let Some(widest) = self.widths.get_mut(column) {
            *widest = columns.max(*widest);
        }
        // Tables of unlimited width do not wrap.
        if let Some(least) = self.least.get_mut(column)
            && self.limit.is_some()
        {
            let is_number = self.heads.get(column).is_some_and(|head| head.right);
            *least = if is_number { columns } else { longest_word(cell) }.max(*least);
        }
        self.ends.push((self.text.len(), columns));
        if self.ends.len() == AT_ONCE * self.heads.len() {
            self.lay_out()?;
        }
        Ok(self)
    }

    /// Prints the remaining rows.
    pub fn end(mut self) -> io::Result<()> {
        if self.is_small() { self.lay_out_few() } else { self.lay_out() }
    }

    /// Whether all rows are here, are few, and take a line each.
    fn is_small(&self) -> bool {
        let columns: usize = self.widths.iter().map(|column| BETWEEN + column).sum();
        !self.begun && self.ends.len() <= FEW * self.heads.len() && self.limit.is_none_or(|limit| columns <= limit)
    }

    /// Prints a small table.
    fn lay_out_few(&mut self) -> io::Result<()> {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        let mut start = 0;
        let mut texts =
            self.ends.iter().map(|(end, _)| self.text.get(std::mem::replace(&mut start, *end)..*end).unwrap_or_default());
        let heads: Vec<&str> = self.heads.iter().map(|head| head.name).collect();
        let mut rows = vec![heads];
        rows.extend((0..self.ends.len() / self.heads.len().max(1)).map(|_| texts.by_ref().take(self.heads.len()).collect()));
        table.add_rows(&rows);
        for (column, head) in table.column_iter_mut().zip(self.heads) {
            column.set_padding((2, 0)).set_cell_alignment(if head.right { CellAlignment::Right } else { CellAlignment::Left });
        }
        for (number, (line, row)) in table.lines().zip(&rows).enumerate() {
            let mut out = String::new();
            let mut rest = line.trim_end_matches(' ');
            for (text, head) in row.iter().zip(self.heads) {
                // Only blanks are before the text of a cell.
                let text = text.trim();
                let Some((before, behind)) = rest.split_once(text).filter(|_| !text.is_empty()) else { continue };
                out.push_str(before);
                self.theme.push(if number == 0 { Role::Secondary } else { head.role }, text, &mut out);
                rest = behind;
            }
            writeln!(self.to, "{out}{rest}")?;
        }
        Ok(())
    }

    fn lay_out(&mut self) -> io::Result<()> {
        let plan = Plan::new(self.heads, &self.widths, &self.least, self.limit);
        let mut out = String::new();
        if !std::mem::replace(&mut self.begun, true) {
            let heads: Vec<Cell<'_>> = self.heads.iter().map(|head| Cell::new(head.name, Role::Secondary)).collect();
            plan.row(&heads, self.theme, &mut out);
            self.to.write_all(out.as_bytes())?;
        }
        let (mut start, mut cells) = (0, Vec::with_capacity(self.heads.len()));
        for ends in self.ends.chunks(self.heads.len().max(1)) {
            cells.clear();
            for ((end, columns), head) in ends.iter().zip(self.heads) {
                let text = self.text.get(start..*end).unwrap_or_default();
                cells.push(Cell { text, columns: *columns, role: head.role });
                start = *end;
            }
            out.clear();
            plan.row(&cells, self.theme, &mut out);
            self.to.write_all(out.as_bytes())?;
        }
        self.text.clear();
        self.ends.clear();
        Ok(())
    }
}

/// Text of a cell, or the part of it on one line.
#[derive(Clone, Copy)]
struct Cell<'t> {
    text: &'t str,
    /// Its display width.
    columns: usize,
    role: Role,
}

impl<'t> Cell<'t> {
    fn new(text: &'t str, role: Role) -> Cell<'t> {
        Cell { text, columns: width(text), role }
    }

    /// Takes the part for the next line.
    fn next_piece(&mut self, columns: usize) -> Cell<'t> {
        let piece = wrapped(self.text, columns).next().filter(|_| self.columns > columns);
        let Some(piece) = piece else { return std::mem::replace(self, Cell::new("", self.role)) };
        let rest = self.text.get(piece.len()..).unwrap_or_default().trim_start();
        *self = Cell::new(rest, self.role);
        Cell::new(piece.trim_end(), self.role)
    }
}

/// Layout of columns.
struct Plan<'a> {
    heads: &'a [Head],
    /// Width of each column.
    widths: Vec<usize>,
    /// Columns of each line of a row, with their indentation.
    lines: Vec<(Range<usize>, usize)>,
}

impl<'a> Plan<'a> {
    fn new(heads: &'a [Head], widths: &[usize], least: &[usize], limit: Option<usize>) -> Plan<'a> {
        let (mut widths, all) = (widths.to_vec(), 0..heads.len());
        let Some(limit) = limit else { return Plan { heads, widths, lines: vec![(all, 0)] } };
        let least = |column: usize| {
            let is_words = heads.get(column).is_some_and(|head| !head.right);
            let whole = *widths.get(column).unwrap_or(&0);
            let least = *least.get(column).unwrap_or(&0);
            let least = if is_words { least.max(LEAST).min(whole) } else { least };
            // Words longer than the line are broken.
            least.min(limit.saturating_sub(CONTINUED + BETWEEN)).max(1)
        };
        let least: Vec<usize> = all.clone().map(least).collect();
        let mut lines: Vec<(Range<usize>, usize)> = Vec::new();
        let mut taken = 0;
        for (column, least) in least.iter().enumerate() {
            taken += BETWEEN + least;
            match lines.last_mut() {
                Some((columns, _)) if taken <= limit => columns.end = column + 1,
                _ => {
                    let indent = if lines.is_empty() { 0 } else { CONTINUED };
                    taken = indent + BETWEEN + least;
                    lines.push((column..column + 1, indent));
                }
            }
        }
        for (columns, indent) in &lines {
            let blanks = indent + BETWEEN * columns.len();
            if let (Some(widths), Some(least)) = (widths.get_mut(columns.clone()), least.get(columns.clone())) {
                spread(widths, least, limit.saturating_sub(blanks));
            }
        }
        Plan { heads, widths, lines }
    }

    /// Writes a row.
    fn row(&self, cells: &[Cell<'_>], theme: Theme, out: &mut String) {
        for (number, (columns, indent)) in self.lines.iter().enumerate() {
            let cells = cells.get(columns.clone()).unwrap_or_default();
            if number > 0 && cells.iter().all(|cell| cell.text.is_empty()) {
                continue;
            }
            let heads = self.heads.get(columns.clone()).unwrap_or_default();
            let widths = self.widths.get(columns.clone()).unwrap_or_default();
            if cells.iter().zip(widths).all(|(cell, columns)| cell.columns <= *columns) {
                pad(*indent, out);
                line(cells, heads, widths, theme, out);
                continue;
            }
            let mut rest = cells.to_vec();
            while rest.iter().any(|cell| !cell.text.is_empty()) {
                let pieces: Vec<_> = rest.iter_mut().zip(widths).map(|(cell, columns)| cell.next_piece(*columns)).collect();
                pad(*indent, out);
                line(&pieces, heads, widths, theme, out);
            }
        }
    }
}

fn longest_word(text: &str) -> usize {
    text.split(' ').map(width).max().unwrap_or(0)
}

/// Narrows columns until the line fits, in proportion to their excess over the minimum.
pub(super) fn spread(widths: &mut [usize], least: &[usize], limit: usize) {
    let taken: usize = widths.iter().sum();
    let excess = taken.saturating_sub(limit);
    let spare: usize = widths.iter().zip(least).map(|(width, least)| width.saturating_sub(*least)).sum();
    let (mut cut, mut passed) = (0, 0);
    for (width, least) in widths.iter_mut().zip(least) {
        passed += width.saturating_sub(*least);
        // Rounded so that the shares add up exactly.
        let share = (excess.min(spare) * passed).checked_div(spare).unwrap_or(0) - cut;
        cut += share;
        *width -= share;
    }
}

fn line(cells: &[Cell<'_>], heads: &[Head], widths: &[usize], theme: Theme, out: &mut String) {
    let last = cells.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    for (number, (cell, (head, columns))) in cells.iter().zip(heads.iter().zip(widths)).enumerate().take(last) {
        let space = columns.saturating_sub(cell.columns);
        pad(BETWEEN + if head.right { space } else { 0 }, out);
        theme.push(cell.role, cell.text, out);
        if !head.right && number + 1 < last {
            pad(space, out);
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

fn pad(columns: usize, out: &mut String) {
    const BLANKS: &str = "                                ";
    for _ in 0..columns / BLANKS.len() {
        out.push_str(BLANKS);
    }
    out.push_str(BLANKS.get(..columns % BLANKS.len()).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_hostile_words_spelled_out() {
        let heads = [Head::words("name", Role::Name), Head::number("count")];
        let mut out = Vec::new();
        let mut grid = Grid::new(&mut out, Theme::plain(), &heads);
        for (name, count) in [("größer", 7), ("\x1b[31m", 12345)] {
            grid.cell(name).unwrap().cell(count).unwrap();
        }
        grid.end().unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(!out.contains('\x1b'));
        let ends: Vec<usize> = out.lines().map(width).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{out}");
    }

    fn table(limit: Option<usize>) -> String {
        let heads = [Head::words("name", Role::Name), Head::number("count"), Head::words("what it means", Role::Meaning)];
        let mut out = Vec::new();
        let mut grid = Grid::new(&mut out, Theme::plain(), &heads).within(limit);
        for (name, count, about) in [("a.long.name", 7, "a meaning of several words"), ("b", 12345, "")] {
            grid.cell(name).unwrap().cell(count).unwrap().cell(about).unwrap();
        }
        grid.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_of_words_take_several_lines_before_rows_do() {
        let wide =
            "  name         count  what it means\n  a.long.name      7  a meaning of several words\n  b            12345\n";
        assert_eq!(table(None), wide);
        assert_eq!(table(Some(48)), wide);
        assert_eq!(
            table(Some(47)),
            "  name         count  what it means\n  a.long.name      7  a meaning of several\n                      words\n  b            12345\n"
        );
        assert_eq!(
            table(Some(40)),
            "  name         count\n      what it means\n  a.long.name      7\n      a meaning of several words\n  b            12345\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_it_may_be() {
        for limit in 8..60 {
            let table = table(Some(limit));
            assert!(table.lines().all(|line| width(line) <= limit), "{limit}\n{table}");
            let letters = |text: &str| text.chars().filter(|character| !character.is_whitespace()).count();
            assert_eq!(letters(&table), letters(&self::table(None)), "{limit}\n{table}");
        }
    }
}
