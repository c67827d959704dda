//! HPACK (RFC 7541): header compression of HTTP/2.
//!
//! ```text
//! 1 index:7                       indexed field
//! 01 index:6 | (name) | value     literal field, added to the dynamic table
//! 001 size:5                      size update of the dynamic table
//! 0001 index:4 | (name) | value   literal field, never indexed
//! 0000 index:4 | (name) | value   literal field, not added
//!
//! integer     prefix bits; if all are ones, 7 bits per further byte, lowest first
//! string      huffman:1 bit | length:7 | bytes
//! index       1 to 61: static table; from 62: dynamic table, newest first; 0: the name follows
//! ```

mod huffman;
mod static_table;
mod table;

use crate::limits;
use std::ops::Range;
pub(super) use table::Table;
use table::{Entry, Found};

/// Header block, decoded.
#[derive(Default)]
pub(super) struct Block {
    pub(super) items: Vec<Item>,
    /// Lines `name: value` with CRLF: the decoded fields.
    pub(super) text: Vec<u8>,
    /// Where decoding stopped before the end, and why.
    pub(super) failed: Option<(usize, Failed)>,
    /// Number of fields left out, because the text would exceed its limit.
    pub(super) omitted: usize,
}

/// Part of a header block.
pub(super) enum Item {
    Field(HeaderField),
    /// Size update of the dynamic table.
    Resize {
        raw: Range<usize>,
        size: u64,
    },
}

/// Header field. Ranges named `raw` count in the block, the others in [`Block::text`].
pub(super) struct HeaderField {
    pub(super) raw: Range<usize>,
    pub(super) form: u8,
    /// Index and its bytes. 0 announces a literal name.
    pub(super) index: (u64, Range<usize>),
    pub(super) name: Text,
    pub(super) value: Text,
    /// The whole line in [`Block::text`].
    pub(super) line: Range<usize>,
    /// The index refers to an entry that is not known.
    pub(super) is_unknown: bool,
}

/// Name or value.
pub(super) struct Text {
    pub(super) raw: Range<usize>,
    pub(super) text: Range<usize>,
    /// Whether its bytes are a string of their own rather than an index.
    pub(super) is_literal: bool,
}

/// Reason why decoding stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failed {
    Short,
    Integer,
    Huffman,
    NoIndex,
}

impl Failed {
    pub(super) fn words(self) -> &'static str {
        match self {
            Failed::Short => "the block ends inside a field",
            Failed::Integer => "an integer exceeds 32 bits",
            Failed::Huffman => "a string is not Huffman-encoded",
            Failed::NoIndex => "an indexed field has index 0",
        }
    }
}

const INDEXED: u8 = 0;
const INCREMENTAL: u8 = 1;
const NEVER: u8 = 2;
const PLAIN: u8 = 3;

/// Representation of a field, in the words of RFC 7541 section 6 and of Wireshark.
pub(super) fn form_words(form: u8, is_named_by_index: bool) -> &'static str {
    match (form, is_named_by_index) {
        (INCREMENTAL, true) => "Literal Header Field with Incremental Indexing - Indexed Name",
        (INCREMENTAL, false) => "Literal Header Field with Incremental Indexing - New Name",
        (NEVER, true) => "Literal Header Field never Indexed - Indexed Name",
        (NEVER, false) => "Literal Header Field never Indexed - New Name",
        (PLAIN, true) => "Literal Header Field without Indexing - Indexed Name",
        (PLAIN, false) => "Literal Header Field without Indexing - New Name",
        _ => "Indexed Header Field",
    }
}

/// Cursor over a block.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Step<T> = std::result::Result<T, Failed>;

impl<'a> Cursor<'a> {
    fn byte(&mut self) -> Step<u8> {
        let byte = self.bytes.get(self.at).ok_or(Failed::Short)?;
        self.at += 1;
        Ok(*byte)
    }

    /// Integer with a prefix of so many bits.
    fn integer(&mut self, prefix: u32) -> Step<u64> {
        let most = (1 << prefix) - 1;
        let first = u64::from(self.byte()?) & most;
        if first < most {
            return Ok(first);
        }
        let mut number = first;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number += u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return if u32::try_from(number).is_ok() { Ok(number) } else { Err(Failed::Integer) };
            }
        }
        Err(Failed::Integer)
    }

    /// Appends a string to `out`. Returns the range of its encoded bytes without the length.
    fn string(&mut self, out: &mut Vec<u8>) -> Step<Range<usize>> {
        let is_huffman = self.bytes.get(self.at).ok_or(Failed::Short)? & 0x80 != 0;
        let length = usize::try_from(self.integer(7)?).map_err(|_| Failed::Integer)?;
        let range = self.at..self.at.checked_add(length).ok_or(Failed::Short)?;
        let bytes: &'a [u8] = self.bytes.get(range.clone()).ok_or(Failed::Short)?;
        match is_huffman {
            true => huffman::decode(bytes, out).ok_or(Failed::Huffman)?,
            false => out.extend_from_slice(bytes),
        }
        self.at = range.end;
        Ok(range)
    }
}

/// Decodes a complete header block, and updates the dynamic table.
pub(super) fn decode(bytes: &[u8], table: &mut Table) -> Block {
    let mut block = Block::default();
    let mut cursor = Cursor { bytes, at: 0 };
    while cursor.at < bytes.len() {
        let start = cursor.at;
        let before = block.text.len();
        match item(&mut cursor, table, &mut block.text) {
            Ok(_) if block.text.len() > limits::HTTP2_HEADERS.get() => {
                block.text.truncate(before);
                block.omitted += 1;
            }
            Ok(item) => block.items.push(item),
            Err(why) => {
                block.text.truncate(before);
                block.failed = Some((start, why));
                // Later indexes depend on the fields behind this one.
                table.lose();
                break;
            }
        }
    }
    block
}

fn item(cursor: &mut Cursor<'_>, table: &mut Table, text: &mut Vec<u8>) -> Step<Item> {
    let start = cursor.at;
    let (form, prefix) = match cursor.bytes.get(start).copied().unwrap_or_default() {
        0x80.. => (INDEXED, 7),
        0x40.. => (INCREMENTAL, 6),
        0x20.. => {
            let size = cursor.integer(5)?;
            table.resize(size);
            return Ok(Item::Resize { raw: start..cursor.at, size });
        }
        0x10.. => (NEVER, 4),
        _ => (PLAIN, 4),
    };
    let index = cursor.integer(prefix)?;
    let behind_index = start..cursor.at;
    let found = match (index, form) {
        (0, INDEXED) => return Err(Failed::NoIndex),
        (0, _) => Found::default(),
        _ => table.find(index),
    };
    let line = text.len();
    text.extend_from_slice(found.name);
    let raw = if index == 0 { cursor.string(text)? } else { behind_index.clone() };
    let name = Text { raw, text: line..text.len(), is_literal: index == 0 };
    text.extend_from_slice(b": ");
    let at = text.len();
    let is_literal = form != INDEXED;
    if !is_literal {
        text.extend_from_slice(found.value);
    }
    let is_unknown = index > 0 && !found.is_known;
    let raw = if is_literal { cursor.string(text)? } else { behind_index.clone() };
    let value = Text { raw, text: at..text.len(), is_literal };
    if form == INCREMENTAL {
        table.add(Entry {
            name: text.get(name.text.clone()).unwrap_or_default().into(),
            value: text.get(value.text.clone()).unwrap_or_default().into(),
            is_named: !is_unknown,
        });
    }
    let line = line..text.len();
    text.extend_from_slice(b"\r\n");
    Ok(Item::Field(HeaderField { raw: start..cursor.at, form, index: (index, behind_index), name, value, line, is_unknown }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may")]
mod tests;
