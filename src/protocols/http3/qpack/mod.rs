//! QPACK (RFC 9204): header compression of HTTP/3.
//!
//! ```text
//! section     required insert count:8+ | sign:1 | delta base:7+ | field lines
//! 1 T index:6                         indexed field line; T: static table
//! 0001 index:4                        the same, counted from the base upwards
//! 01 N T index:4 | value              name of a table, literal value
//! 0000 N index:3 | value              the same, counted from the base upwards
//! 001 N H length:3 | name | value     literal name and value
//!
//! integers and strings as in HPACK
//! ```

pub(super) mod decoder;
pub(super) mod encoder;
mod static_table;
mod table;
#[cfg(test)]
mod tests;

use crate::limits;
use crate::protocols::http2::hpack::{Block, Cursor, Failed, HeaderField, Item, Step, Text};
pub(super) use table::{Entry, Table};

/// Prefix of a field section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Required Insert Count.
    pub(super) required: u64,
    base: u64,
    /// Size in bytes.
    pub(super) size: usize,
}

impl Prefix {
    /// Parses the prefix of a section.
    pub(super) fn of(bytes: &[u8], table: &Table) -> Step<Prefix> {
        let mut cursor = Cursor { bytes, at: 0 };
        let required = table.required(cursor.integer(8)?).ok_or(Failed::NoIndex)?;
        let is_negative = bytes.get(cursor.at).is_some_and(|byte| byte & 0x80 != 0);
        let delta = cursor.integer(7)?;
        let base = if is_negative { required.checked_sub(delta + 1).ok_or(Failed::NoIndex)? } else { required + delta };
        Ok(Prefix { required, base, size: cursor.at })
    }
}

/// Table of an index: static, or dynamic with the absolute index.
#[derive(Clone, Copy)]
enum Index {
    Static(u64),
    Dynamic(Option<u64>),
}

/// Decodes a field section. Missing entries are marked as unknown.
pub(super) fn decode(bytes: &[u8], table: &Table) -> Block {
    let mut block = Block::default();
    let prefix = match Prefix::of(bytes, table) {
        Ok(prefix) => prefix,
        Err(why) => return Block { failed: Some((0, why)), ..block },
    };
    let mut cursor = Cursor { bytes, at: prefix.size };
    while cursor.at < bytes.len() {
        let (start, before) = (cursor.at, block.text.len());
        match line(&mut cursor, table, prefix.base, &mut block.text) {
            Ok(_) if block.text.len() > limits::HTTP2_HEADERS.get() => {
                block.text.truncate(before);
                block.omitted += 1;
            }
            Ok(field) => block.items.push(Item::Field(field)),
            Err(why) => {
                block.text.truncate(before);
                block.failed = Some((start, why));
                break;
            }
        }
    }
    block
}

fn line(cursor: &mut Cursor<'_>, table: &Table, base: u64, text: &mut Vec<u8>) -> Step<HeaderField> {
    let start = cursor.at;
    let first = cursor.bytes.get(start).copied().unwrap_or_default();
    let below = |index: u64| Index::Dynamic(base.checked_sub(index + 1));
    let above = |index: u64| Index::Dynamic(base.checked_add(index));
    let (form, index) = match first {
        0x80.. => {
            let (is_static, index) = (first & 0x40 != 0, cursor.integer(6)?);
            ("Indexed Field Line", Some(if is_static { Index::Static(index) } else { below(index) }))
        }
        0x40.. => {
            let (is_static, index) = (first & 0x10 != 0, cursor.integer(4)?);
            ("Literal Field Line with Name Reference", Some(if is_static { Index::Static(index) } else { below(index) }))
        }
        0x20.. => ("Literal Field Line with Literal Name", None),
        0x10.. => ("Indexed Field Line with Post-Base Index", Some(above(cursor.integer(4)?))),
        _ => ("Literal Field Line with Post-Base Name Reference", Some(above(cursor.integer(3)?))),
    };
    let is_indexed = form.starts_with("Indexed");
    let index_raw = start..cursor.at.max(start + 1);
    let found = index.map(|index| match index {
        Index::Static(index) => (Some(index), static_table::entry(index)),
        Index::Dynamic(index) => (index, index.and_then(|index| table.get(index))),
    });
    let begin = text.len();
    let (number, entry) = found.unwrap_or_default();
    let raw = match found {
        Some(_) => {
            text.extend_from_slice(entry.map(|(name, _)| name).unwrap_or_default());
            index_raw.clone()
        }
        None => cursor.string(3, text)?,
    };
    let name = Text { raw, text: begin..text.len(), is_literal: found.is_none() };
    text.extend_from_slice(b": ");
    let at = text.len();
    let raw = if is_indexed {
        text.extend_from_slice(entry.map(|(_, value)| value).unwrap_or_default());
        index_raw.clone()
    } else {
        cursor.string(7, text)?
    };
    let value = Text { raw, text: at..text.len(), is_literal: !is_indexed };
    let line = begin..text.len();
    text.extend_from_slice(b"\r\n");
    let is_unknown = found.is_some() && entry.is_none();
    Ok(HeaderField { raw: start..cursor.at, form, index: number, index_raw, name, value, line, is_unknown })
}
