//! The text column of a row.

use super::groups::Groups;
use super::row::{PLACES, Row};
use super::wrong::{is_ellipsis, is_meant};
use crate::input::hex::scan::{Word, words};
use crate::input::hex::signs::differs;
use crate::input::hex::text::{Shows, shows};

/// The text column of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::input::hex) enum Column {
    /// There is none.
    None,
    /// It matches the bytes as written.
    InOrder,
    /// It matches the bytes with each group reversed.
    Reversed,
    /// It matches both.
    Either,
}

/// A possible start of a text column.
pub(super) struct ColumnStart {
    pub(super) at: usize,
    pub(super) gap: usize,
    /// Number of bytes before it.
    pub(super) bytes: usize,
    /// Start of the bytes in the line.
    pub(super) from: usize,
}

impl Row {
    /// Whether the rest of a line is a text column that was edited: it begins where the text of the rows before does, or behind
    /// a full row, and no digits follow. Removes bytes that belong to it.
    pub(super) fn is_edited(&mut self, line: &[u8], word: Word<'_>, place: &ColumnStart, groups: Groups) -> bool {
        let Some(known) = self.text else {
            let rest = words(line, word.at);
            let digits = rest.filter(|word| is_meant(word.text, groups)).count();
            let shown = String::from_utf8_lossy(line.get(word.at..).unwrap_or_default()).trim().chars().count();
            return place.gap > 1 && digits == 0 && matches!(place.bytes, 8 | 16 | 32) && shown * 2 >= place.bytes;
        };
        if word.at < known {
            return false;
        }
        let mut sizes = Row { big: self.big, ..Row::default() };
        for word in words(line, 0).skip_while(|word| word.at < place.from).take_while(|word| word.at < known) {
            sizes.group(word.text, groups);
        }
        let is_row = !sizes.straight.is_empty() && line.get(known - 1).is_some_and(u8::is_ascii_whitespace);
        if is_row {
            self.straight.truncate(sizes.straight.len());
            self.reversed.truncate(sizes.straight.len());
        }
        is_row
    }

    /// A row of groups only: the last ones are text if they match those before, after a wider gap.
    pub(super) fn digits_as_text(&mut self, line: &[u8], places: &[ColumnStart], narrowest: usize) -> Column {
        let wide = |place: &&ColumnStart| place.gap > narrowest || places.len() == 1 && narrowest == place.gap && place.bytes > 0;
        places.iter().filter(wide).take(PLACES).find_map(|place| self.column(line, place, true)).unwrap_or(Column::None)
    }

    /// Every word up to the end of the groups.
    pub(super) fn all_places(&self, line: &[u8], from: usize, end: usize, groups: Groups) -> Vec<ColumnStart> {
        let mut sizes = Row::default();
        let mut places = Vec::new();
        for word in words(line, from).take_while(|word| word.at < end) {
            let bytes = sizes.straight.len();
            if bytes > 0 {
                places.push(ColumnStart { at: word.at, gap: word.gap, bytes, from });
            }
            sizes.group(word.text, groups);
        }
        places
    }

    /// Treats the rest of a line as text if it matches the bytes before it.
    pub(super) fn column(&mut self, line: &[u8], place: &ColumnStart, is_digits: bool) -> Option<Column> {
        let text = line.get(place.at..)?;
        if place.gap == 1 && is_ellipsis(text.trim_ascii()) {
            return None;
        }
        // Leading spaces of a text of digits are in the gap before it.
        let from = |bytes: &[u8]| {
            let spaces = bytes.iter().take_while(|byte| is_digits && **byte == b' ').count().min(place.gap.saturating_sub(1));
            let from = place.at.saturating_sub(spaces);
            if line.get(from..place.at).is_some_and(|gap| gap.iter().all(|byte| *byte == b' ')) { from } else { place.at }
        };
        let shown = |bytes: &[u8]| {
            let text = line.get(from(bytes)..).unwrap_or(text);
            !differs(text, bytes) && shows(text, bytes, is_digits) == Shows::All
        };
        let straight = shown(self.straight.get(..place.bytes)?);
        let reversed = self.straight != self.reversed && shown(self.reversed.get(..place.bytes)?);
        let column = match (straight, reversed) {
            (true, true) => Column::Either,
            (true, false) => Column::InOrder,
            (false, true) => Column::Reversed,
            (false, false) => return None,
        };
        self.straight.truncate(place.bytes);
        self.reversed.truncate(place.bytes);
        if !is_digits {
            self.text = self.text.max(Some(place.at));
        }
        Some(column)
    }
}
