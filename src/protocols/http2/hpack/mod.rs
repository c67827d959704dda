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

/// A decoded header block.
#[derive(Default)]
pub(in crate::protocols) struct Block {
    pub(in crate::protocols) items: Vec<Item>,
    /// Lines `name: value` with CRLF: the decoded fields.
    pub(in crate::protocols) text: Vec<u8>,
    /// Offset and reason of a decoding error.
    pub(in crate::protocols) failed: Option<(usize, Failed)>,
    /// Number of fields omitted because the text would exceed its limit.
    pub(in crate::protocols) omitted: usize,
}

impl Block {
    pub(in crate::protocols) fn fields(&self) -> impl Iterator<Item = &HeaderField> {
        self.items.iter().filter_map(|item| match item {
            Item::Field(field) => Some(field),
            Item::Resize { .. } => None,
        })
    }
}

/// An item of a header block.
pub(in crate::protocols) enum Item {
    Field(HeaderField),
    /// Size update of the dynamic table.
    Resize {
        raw: Range<usize>,
        size: u64,
    },
}

/// Header field. Ranges named `raw` refer to the block, the others to [`Block::text`].
pub(in crate::protocols) struct HeaderField {
    pub(in crate::protocols) raw: Range<usize>,
    /// Name of the representation.
    pub(in crate::protocols) form: &'static str,
    /// Index, unless the name is literal.
    pub(in crate::protocols) index: Option<u64>,
    /// Bytes of the index, or of the prefix of a literal name.
    pub(in crate::protocols) index_raw: Range<usize>,
    pub(in crate::protocols) name: Text,
    pub(in crate::protocols) value: Text,
    /// The complete line in [`Block::text`].
    pub(in crate::protocols) line: Range<usize>,
    /// The index refers to an unknown entry.
    pub(in crate::protocols) is_unknown: bool,
}

/// Name or value.
pub(in crate::protocols) struct Text {
    pub(in crate::protocols) raw: Range<usize>,
    pub(in crate::protocols) text: Range<usize>,
    /// Whether it is a string literal, not an index.
    pub(in crate::protocols) is_literal: bool,
}

/// Reason of a decoding error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::protocols) enum Failed {
    Short,
    Integer,
    Huffman,
    NoIndex,
}

impl Failed {
    pub(in crate::protocols) fn words(self) -> &'static str {
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

/// Name of a representation, from RFC 7541 section 6 and Wireshark.
fn form_words(form: u8, is_named_by_index: bool) -> &'static str {
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

/// Reader of a block.
pub(in crate::protocols) struct Cursor<'a> {
    pub(in crate::protocols) bytes: &'a [u8],
    pub(in crate::protocols) at: usize,
}

pub(in crate::protocols) type Step<T> = std::result::Result<T, Failed>;

impl<'a> Cursor<'a> {
    pub(in crate::protocols) fn byte(&mut self) -> Step<u8> {
        let byte = self.bytes.get(self.at).ok_or(Failed::Short)?;
        self.at += 1;
        Ok(*byte)
    }

    /// Integer with a prefix of this many bits.
    pub(in crate::protocols) fn integer(&mut self, prefix: u32) -> Step<u64> {
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

    /// Appends a string, whose length has a prefix of this many bits, to `out`. The bit before the prefix is the Huffman
    /// flag. Returns the range of its encoded bytes without the length.
    pub(in crate::protocols) fn string(&mut self, prefix: u32, out: &mut Vec<u8>) -> Step<Range<usize>> {
        let is_huffman = self.bytes.get(self.at).ok_or(Failed::Short)? >> prefix & 1 != 0;
        let length = usize::try_from(self.integer(prefix)?).map_err(|_| Failed::Integer)?;
        let range = self.at..self.at.checked_add(length).ok_or(Failed::Short)?;
        let bytes: &'a [u8] = self.bytes.get(range.clone()).ok_or(Failed::Short)?;
        if is_huffman {
            huffman::decode(bytes, out).ok_or(Failed::Huffman)?
        } else {
            out.extend_from_slice(bytes)
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
                // Later indexes depend on the fields after this one.
                table.lose();
                break;
            }
        }
    }
    block
}

fn resize(cursor: &mut Cursor<'_>, table: &mut Table) -> Step<Item> {
    let start = cursor.at;
    let size = cursor.integer(5)?;
    table.resize(size);
    Ok(Item::Resize { raw: start..cursor.at, size })
}

fn item(cursor: &mut Cursor<'_>, table: &mut Table, text: &mut Vec<u8>) -> Step<Item> {
    let start = cursor.at;
    let (form, prefix) = match cursor.bytes.get(start).copied().unwrap_or_default() {
        0x80.. => (INDEXED, 7),
        0x40.. => (INCREMENTAL, 6),
        0x20.. => return resize(cursor, table),
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
    let raw = if index == 0 { cursor.string(7, text)? } else { behind_index.clone() };
    let name = Text { raw, text: line..text.len(), is_literal: index == 0 };
    text.extend_from_slice(b": ");
    let at = text.len();
    let is_literal = form != INDEXED;
    if !is_literal {
        text.extend_from_slice(found.value);
    }
    let is_unknown = index > 0 && !found.is_known;
    let raw = if is_literal { cursor.string(7, text)? } else { behind_index.clone() };
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
    Ok(Item::Field(HeaderField {
        raw: start..cursor.at,
        form: form_words(form, index > 0),
        index: Some(index).filter(|index| *index > 0),
        index_raw: behind_index,
        name,
        value,
        line,
        is_unknown,
    }))
}

#[cfg(test)]
mod tests;
