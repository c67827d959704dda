//! The bytes of a row, up to its text column.
//!
//! Groups may be separated by any blanks. Only a text that matches the bytes before it is a text column; anything else is data,
//! or an error.

use super::groups::{Groups, is_group, push_group};
use crate::input::hex::scan::{Word, all_hex, not_hex, push_pairs, words};
use crate::input::hex::text::{Shows, differs, shows};
use crate::input::hex::{Fault, fault};

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

/// The groups that a line begins with.
struct Leading<'t> {
    /// Places between them where a text may begin.
    places: Vec<ColumnStart>,
    /// Width of the narrowest blank between them.
    narrowest: usize,
    /// The first word that is no group, and its place.
    end: Option<(Word<'t>, ColumnStart)>,
}

impl Row {
    /// Parses the groups of a line from an offset on.
    pub fn read(&mut self, line: &[u8], from: usize, groups: Groups) -> Result<Column, Fault> {
        let Leading { places, narrowest, end } = self.leading(line, from, groups);
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
        if self.is_remark(line, word, &place) {
            return Ok(Column::None);
        }
        if let Some(place) = places.iter().take(PLACES).find(|place| self.shown(line, place) == Shows::Nearly) {
            self.straight.truncate(place.bytes);
            self.reversed.truncate(place.bytes);
            return Ok(Column::None);
        }
        if self.is_edited(line, word, &place, groups) {
            return Ok(Column::None);
        }
        self.wrong(word, groups, place.gap > 1)
    }

    /// Reads groups up to the first word that is none.
    fn leading<'t>(&mut self, line: &'t [u8], from: usize, groups: Groups) -> Leading<'t> {
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
        Leading { places, narrowest, end }
    }

    /// Whether the rest of a line from its first invalid word is a comment, or nearly the text of the bytes.
    fn is_remark(&self, line: &[u8], word: Word<'_>, place: &ColumnStart) -> bool {
        let says_something = || word.text != b"#" || words(line, word.at + word.text.len()).next().is_some();
        if is_comment(word.text) && place.bytes > 0 && says_something() {
            return true;
        }
        match self.shown(line, place) {
            Shows::Not => false,
            Shows::Part => place.gap > 1,
            Shows::All | Shows::Nearly => place.gap > 1 || !is_ellipsis(word.text),
        }
    }

    /// Whether the line from a place on is the text of the bytes before.
    fn shown(&self, line: &[u8], place: &ColumnStart) -> Shows {
        let text = line.get(place.at..).unwrap_or_default();
        shows(text, self.straight.get(..place.bytes).unwrap_or_default(), false)
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

    /// Why a word is neither a group nor text.
    pub(super) fn wrong<T>(&self, word: Word<'_>, groups: Groups, follows_gap: bool) -> Result<T, Fault> {
        match groups {
            Groups::Decimal => return fault(word.at, "expected a decimal byte from -128 to 255"),
            Groups::Bits => return fault(word.at, "expected eight bits for each byte"),
            Groups::Swapped(digits) if all_hex(word.text) => {
                return fault(word.at, format!("expected groups of {digits} hex digits"));
            }
            Groups::Prefixed(digits) => return fault(word.at, format!("expected 0x and {digits} hex digits")),
            Groups::Pairs if word.text.len() > 2 && all_hex(word.text) => {
                return fault(word.at + 2, "expected a space after two hex digits");
            }
            _ => {}
        }
        let odd = word.text.iter().position(|byte| !byte.is_ascii_hexdigit());
        match odd.and_then(|at| Some((at, *word.text.get(at)?))) {
            Some((_, b'?')) => fault(word.at, "`?` is a byte that could not be read; the dump has a hole here"),
            Some((at, byte)) if follows_gap && !self.straight.is_empty() => fault(
                word.at + at,
                format!("`{}` is not a hex digit, and no text column shows these bytes", shown(byte, word.text, at)),
            ),
            Some((at, byte)) => not_hex(word.at + at, byte),
            None => push_pairs(word.text, word.at, &mut Vec::new())
                .and_then(|()| fault(word.at, "expected two hex digits for each byte")),
        }
    }
}

/// A bar between groups of a row.
fn is_bar(text: &[u8]) -> bool {
    matches!(text, b"|" | b"-") || text == "│".as_bytes() || text == "┊".as_bytes()
}

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

/// The character that begins at a byte of a word.
pub(super) fn shown(byte: u8, word: &[u8], at: usize) -> String {
    let rest = String::from_utf8_lossy(word.get(at..).unwrap_or_default());
    let character = rest.chars().next().filter(|character| !character.is_control());
    character.map_or_else(|| byte.escape_ascii().to_string(), String::from)
}

/// Whether a word may be a group with a wrong digit.
pub(super) fn is_meant(text: &[u8], groups: Groups) -> bool {
    let wide = if groups == Groups::Decimal { 3 } else { 2 };
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    text.len() <= wide && digits > 0 || digits * 4 >= text.len() * 3
}

/// A mark for omitted bytes.
pub(super) fn is_ellipsis(text: &[u8]) -> bool {
    text == b"..." || text == "…".as_bytes()
}

/// Whether a comment begins after the bytes. A text column may begin with the same sign, but not as a separate word.
pub(super) fn is_comment(text: &[u8]) -> bool {
    matches!(text, b"#" | b";" | b"//")
}
