//! The bytes of a row, up to its text column.
//!
//! Groups may be separated by any blanks. Only a text that matches the bytes before it is a text column; anything else is data,
//! or an error.

use super::column::{Column, ColumnStart};
use super::groups::{Groups, is_group, push_group};
use super::wrong::{is_comment, is_ellipsis};
use crate::input::hex::Fault;
use crate::input::hex::scan::words;
use crate::input::hex::text::{Shows, shows};

/// Maximum number of places of a line where a text column is looked for: comparing the rest of the line costs its length.
pub(super) const PLACES: usize = 64;

/// Bytes of a row in both orders of their groups. They differ only if groups have several bytes.
#[derive(Debug, Default)]
pub(in crate::input::hex) struct Row {
    pub straight: Vec<u8>,
    pub reversed: Vec<u8>,
    /// Whether the first byte of a number is its highest one.
    pub big: bool,
    /// Column of the text in the rows before, if they have one.
    pub(super) text: Option<usize>,
}

impl Row {
    /// Parses the groups of a line from an offset on.
    pub fn read(&mut self, line: &[u8], from: usize, groups: Groups) -> Result<Column, Fault> {
        self.straight.clear();
        self.reversed.clear();
        let mut places: Vec<ColumnStart> = Vec::new();
        let mut narrowest = usize::MAX;
        let mut end = None;
        for word in words(line, from) {
            let place = ColumnStart { at: word.at, gap: word.gap, bytes: self.straight.len(), from };
            if !self.group(word.text, groups) {
                // A bar between groups is no byte.
                if is_bar(word.text)
                    && words(line, word.at + word.text.len()).next().is_some_and(|next| is_group(next.text, groups))
                {
                    places.push(ColumnStart { gap: usize::MAX, ..place });
                    continue;
                }
                end = Some((word, place));
                break;
            }
            if place.bytes > 0 {
                if place.gap > 1 {
                    places.push(place);
                } else {
                    narrowest = 1;
                }
            }
        }
        let widths = places.iter().filter(|place| place.gap != usize::MAX).map(|place| place.gap);
        narrowest = narrowest.min(widths.min().unwrap_or(usize::MAX));
        let Some((word, place)) = end else {
            // Decimal digits have no text column.
            let is_hex = groups != Groups::Decimal;
            return Ok(if is_hex { self.digits_as_text(line, &places, narrowest) } else { Column::None });
        };
        // First all bytes before the first invalid word, then positions where a text may begin with hex digits.
        let all = std::iter::once(&place).chain(places.iter().rev().take(PLACES));
        if let Some(column) = all.into_iter().find_map(|place| self.column(line, place, false)) {
            return Ok(column);
        }
        let narrow: Vec<ColumnStart> = self.all_places(line, from, word.at, groups);
        if let Some(column) = narrow.iter().rev().take(PLACES).find_map(|place| self.column(line, place, false)) {
            return Ok(column);
        }
        let says_something = || word.text != b"#" || words(line, word.at + word.text.len()).next().is_some();
        if is_comment(word.text) && place.bytes > 0 && says_something() {
            return Ok(Column::None);
        }
        let shown = |place: &ColumnStart| {
            let text = line.get(place.at..).unwrap_or_default();
            shows(text, self.straight.get(..place.bytes).unwrap_or_default(), false)
        };
        let near = match shown(&place) {
            Shows::Not => false,
            Shows::Part => place.gap > 1,
            Shows::All | Shows::Nearly => place.gap > 1 || !is_ellipsis(word.text),
        };
        if near {
            return Ok(Column::None);
        }
        if let Some(place) = places.iter().take(PLACES).find(|place| shown(place) == Shows::Nearly) {
            self.straight.truncate(place.bytes);
            self.reversed.truncate(place.bytes);
            return Ok(Column::None);
        }
        if self.is_edited(line, word, &place, groups) {
            return Ok(Column::None);
        }
        self.wrong(word, groups, place.gap > 1)
    }

    /// Appends the bytes of a group; false if the word is not a group.
    pub(super) fn group(&mut self, text: &[u8], groups: Groups) -> bool {
        let before = self.straight.len();
        if !push_group(text, groups, self.big, &mut self.straight) {
            self.straight.truncate(before);
            return false;
        }
        let group = self.straight.get(before..).unwrap_or_default();
        if groups == Groups::Any {
            self.reversed.extend(group.iter().rev());
        } else {
            self.reversed.extend(group);
        }
        true
    }
}

/// A bar between groups of a row.
fn is_bar(text: &[u8]) -> bool {
    matches!(text, b"|" | b"-") || text == "│".as_bytes() || text == "┊".as_bytes()
}
