//! Maps the characters of a scalar to positions in the file.

use crate::ksy::source_range::{SourceRange, offset};
use crate::ksy::yaml::{Node, Value};
use std::ops::Range;

/// The text of a scalar with the positions of its bytes.
pub(in crate::ksy) struct Origin {
    whole: SourceRange,
    map: Map,
}

enum Map {
    /// The text is in the file unchanged, from this offset.
    Verbatim(u32),
    /// The offset of each byte: a block, or a text over several lines.
    Table(Vec<u32>),
    /// Unknown, because of escapes.
    Whole,
}

impl Origin {
    /// The origin of a scalar in this file.
    pub(in crate::ksy) fn new(node: &Node, file: &str) -> Origin {
        let Value::Scalar { text, .. } = &node.value else { return Origin { whole: node.place, map: Map::Whole } };
        let source = file.get(node.place.start as usize..node.place.end as usize).unwrap_or_default();
        let quote = usize::from(source.starts_with(['"', '\'']) && !source.starts_with(text.as_str()));
        if source.get(quote..).is_some_and(|source| source.starts_with(text.as_str())) {
            return Origin { whole: node.place, map: Map::Verbatim(node.place.start + offset(quote)) };
        }
        let header = if source.starts_with(['|', '>']) { source.find('\n').unwrap_or(0) } else { quote };
        let table = align(text, source.get(header..).unwrap_or_default());
        let base = node.place.start + offset(header);
        let map = table.map_or(Map::Whole, |table| Map::Table(table.into_iter().map(|at| base + at).collect()));
        Origin { whole: node.place, map }
    }

    /// The position of a range of the text.
    pub(in crate::ksy) fn place(&self, range: Range<usize>) -> SourceRange {
        match &self.map {
            Map::Verbatim(start) => {
                SourceRange { start: start + offset(range.start), end: start + offset(range.end), ..self.whole }
            }
            Map::Whole => self.whole,
            Map::Table(table) => {
                let at = |index: usize| table.get(index).copied();
                let start = at(range.start).or_else(|| table.last().map(|last| last + 1)).unwrap_or(self.whole.start);
                let end = if range.is_empty() { start } else { at(range.end - 1).map_or(start, |last| last + 1) };
                SourceRange { start, end: end.max(start), ..self.whole }
            }
        }
    }
}

/// The offset in the source of each byte of the text, if they differ in white space only.
fn align(text: &str, source: &str) -> Option<Vec<u32>> {
    let mut table = Vec::with_capacity(text.len());
    let mut at = 0;
    let bytes = source.as_bytes();
    for byte in text.bytes() {
        if byte.is_ascii_whitespace() {
            table.push(offset(at));
            continue;
        }
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if bytes.get(at) != Some(&byte) {
            return None;
        }
        table.push(offset(at));
        at += 1;
    }
    Some(table)
}
