//! Columns of the list chosen by the user, with names as in `-e`.

use crate::filter::{ParseError, column};
use crate::record::{Record, View};
use crate::registry::Registry;
use crate::render::{ColumnOptions, Columns, cut};
use crate::sink::Sink;
use crate::tree::Demand;
use std::fmt;
use std::io;

/// The default text of the column prompt: approximately the default columns.
pub const USUAL: &str = "n frame.time_relative src dst protocol _ws.col.Info";

/// Separates the cells of a line. In text from a capture it is escaped.
pub const SEPARATOR: char = '\t';

/// Maximum width of a cell, except the last one.
const CELL: usize = 60;

/// The names in a typed line: words, or parts between commas. Parentheses and brackets group.
pub fn names(text: &str) -> Vec<String> {
    let (mut names, mut name, mut depth) = (Vec::new(), String::new(), 0_usize);
    for character in text.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (character == ',' || character.is_whitespace()) {
            names.push(std::mem::take(&mut name))
        } else {
            name.push(character)
        }
    }
    names.push(name);
    names.retain(|name| !name.is_empty());
    names
}

/// Writes the cells of records.
pub struct Cells(Columns<io::Sink>);

impl Cells {
    /// Creates cells of these columns; `None` without columns.
    ///
    /// # Errors
    /// The first invalid name.
    pub fn new(names: &[String]) -> Result<Option<Cells>, ParseError> {
        let columns = names.iter().map(|name| column(name, Registry::default())).collect::<Result<Vec<_>, _>>()?;
        let options = ColumnOptions { separator: SEPARATOR, ..ColumnOptions::default() };
        Ok(Some(Cells(Columns::new(io::sink(), columns, options))).filter(|_| !names.is_empty()))
    }

    /// The demand of the columns.
    pub fn demand(&self, view: View) -> Demand {
        self.0.demand(view)
    }

    /// Formats the cells of a record in a line. A gap has none.
    pub fn line(&mut self, record: &Record<'_>) -> Result<Option<String>, fmt::Error> {
        if matches!(record, Record::Gap(_)) {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(self.0.line(record)?).into_owned();
        let (before, last) = line.rsplit_once(SEPARATOR).map_or((None, line.as_str()), |(before, last)| (Some(before), last));
        let mut cells = String::new();
        for cell in before.iter().flat_map(|before| before.split(SEPARATOR)) {
            let mut cell = cell.to_owned();
            cut(&mut cell, CELL);
            cells.push_str(&cell);
            cells.push(SEPARATOR);
        }
        cells.push_str(last);
        Ok(Some(cells))
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_are_separated_by_blanks_or_commas() {
        assert_eq!(
            names("n ip.src, tcp.len  max(tcp.len, 1),data.data[4:2] "),
            ["n", "ip.src", "tcp.len", "max(tcp.len, 1)", "data.data[4:2]"]
        );
        assert_eq!(names(" , "), [""; 0]);
    }
}
