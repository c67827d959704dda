//! Plain tables: rows of short cells in aligned columns.

use super::text::{Guarded, width};
use super::theme::{Role, Theme};
use super::unwritable;
use std::fmt::Write as _;
use std::io;

/// Rows that are laid out together: memory does not grow with the table.
const AT_ONCE: usize = 4096;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// What stands over it.
    pub name: &'static str,
    /// Whether its cells end where the column ends, as numbers do.
    pub right: bool,
    /// What its cells are.
    pub role: Role,
}

impl Head {
    /// A column of words.
    #[must_use]
    pub const fn words(name: &'static str, role: Role) -> Head {
        Head { name, right: false, role }
    }

    /// A column of numbers.
    #[must_use]
    pub const fn number(name: &'static str) -> Head {
        Head { name, right: true, role: Role::Value }
    }
}

/// A table that is printed as it grows.
pub struct Grid<'a> {
    to: &'a mut dyn io::Write,
    heads: &'a [Head],
    theme: Theme,
    widths: Vec<usize>,
    cells: Vec<String>,
    used: usize,
    begun: bool,
}

impl<'a> Grid<'a> {
    /// An empty table.
    pub fn new(to: &'a mut dyn io::Write, theme: Theme, heads: &'a [Head]) -> Grid<'a> {
        let widths = heads.iter().map(|head| width(head.name)).collect();
        Grid { to, heads, theme, widths, cells: Vec::new(), used: 0, begun: false }
    }

    /// The next cell; as many as there are columns are a row. What a terminal might act on is spelled out.
    ///
    /// # Errors
    /// Those of writing.
    pub fn cell(&mut self, words: impl std::fmt::Display) -> io::Result<&mut Grid<'a>> {
        if self.used == self.cells.len() {
            self.cells.push(String::new());
        }
        if let Some(cell) = self.cells.get_mut(self.used) {
            cell.clear();
            write!(Guarded(cell), "{words}").map_err(unwritable)?;
            if let Some(widest) = self.widths.get_mut(self.used % self.heads.len().max(1)) {
                *widest = width(cell).max(*widest);
            }
        }
        self.used += 1;
        if self.used == AT_ONCE * self.heads.len() {
            self.lay_out()?;
        }
        Ok(self)
    }

    /// Print what is left.
    ///
    /// # Errors
    /// Those of writing.
    pub fn end(mut self) -> io::Result<()> {
        self.lay_out()
    }

    fn lay_out(&mut self) -> io::Result<()> {
        let mut line = String::new();
        if !std::mem::replace(&mut self.begun, true) {
            let heads: Vec<(&str, Role)> = self.heads.iter().map(|head| (head.name, Role::Secondary)).collect();
            self.line(&heads, &mut line);
            self.to.write_all(line.as_bytes())?;
        }
        let columns = self.heads.len().max(1);
        for row in self.cells.get(..self.used).unwrap_or_default().chunks(columns) {
            let cells: Vec<(&str, Role)> = row.iter().zip(self.heads).map(|(cell, head)| (cell.as_str(), head.role)).collect();
            self.line(&cells, &mut line);
            self.to.write_all(line.as_bytes())?;
        }
        self.used = 0;
        Ok(())
    }

    fn line(&self, cells: &[(&str, Role)], line: &mut String) {
        line.clear();
        let last = cells.iter().rposition(|(cell, _)| !cell.is_empty()).map_or(0, |last| last + 1);
        for (number, ((cell, role), (head, columns))) in cells.iter().zip(self.heads.iter().zip(&self.widths)).enumerate() {
            if number == last {
                break;
            }
            let space = columns.saturating_sub(width(cell));
            line.push_str("  ");
            // A blank for each column that is missing. Writing to a String does not fail.
            let _ = match (head.right, number + 1 == last) {
                (true, _) => write!(line, "{:space$}{}", "", self.theme.paint(*role, cell)),
                (false, false) => write!(line, "{}{:space$}", self.theme.paint(*role, cell), ""),
                (false, true) => write!(line, "{}", self.theme.paint(*role, cell)),
            };
        }
        line.push('\n');
    }
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
}
