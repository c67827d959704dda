//! Instructions of the encoder stream, which change the dynamic table of the peer.
//!
//! ```text
//! 1 T index:6 | value                 insert with the name of a table
//! 01 H length:5 | name | value        insert with a literal name
//! 001 capacity:5                      set the capacity
//! 000 index:5                         duplicate an entry
//! ```

use super::{Entry, Table, static_table};
use crate::protocols::http2::hpack::{Cursor, Failed, Step};
use std::ops::Range;

/// Instruction with the ranges of its parts.
pub(in crate::protocols::http3) enum Instruction {
    Capacity(u64),
    Duplicate(u64),
    Insert(Insert),
}

/// Insertion of an entry. Ranges named `raw` refer to the instruction, the others to `text`.
pub(in crate::protocols::http3) struct Insert {
    /// Whether the name is a reference to a table.
    pub(in crate::protocols::http3) is_indexed: bool,
    pub(in crate::protocols::http3) name_raw: Range<usize>,
    pub(in crate::protocols::http3) value_raw: Range<usize>,
    /// `name: value`.
    pub(in crate::protocols::http3) text: Vec<u8>,
    pub(in crate::protocols::http3) name: Range<usize>,
    pub(in crate::protocols::http3) value: Range<usize>,
}

/// Size of the first instruction, if it is complete. A malformed instruction extends to the end.
pub(in crate::protocols::http3) fn size(bytes: &[u8]) -> Option<usize> {
    let mut cursor = Cursor { bytes, at: 0 };
    let first = *bytes.first()?;
    let result = match first {
        0x80.. => cursor.integer(6).and_then(|_| pass(&mut cursor, 7)),
        0x40.. => pass(&mut cursor, 5).and_then(|()| pass(&mut cursor, 7)),
        _ => cursor.integer(5).map(drop),
    };
    match result {
        Ok(()) => Some(cursor.at),
        Err(Failed::Short) => None,
        Err(_) => Some(bytes.len()),
    }
}

/// Skips a string.
fn pass(cursor: &mut Cursor<'_>, prefix: u32) -> Step<()> {
    let length = usize::try_from(cursor.integer(prefix)?).map_err(|_| Failed::Integer)?;
    let end = cursor.at.checked_add(length).filter(|end| *end <= cursor.bytes.len()).ok_or(Failed::Short)?;
    cursor.at = end;
    Ok(())
}

/// Reads an instruction and applies it.
pub(in crate::protocols::http3) fn read(bytes: &[u8], table: &mut Table) -> Step<Instruction> {
    let mut cursor = Cursor { bytes, at: 0 };
    let first = *bytes.first().ok_or(Failed::Short)?;
    if first & 0xe0 == 0x20 {
        let capacity = cursor.integer(5)?;
        table.resize(capacity);
        return Ok(Instruction::Capacity(capacity));
    }
    if first & 0xe0 == 0 {
        let index = cursor.integer(5)?;
        let (name, value) = table.relative(index).unwrap_or_default();
        let entry = Entry { name: name.into(), value: value.into() };
        table.insert(entry);
        return Ok(Instruction::Duplicate(index));
    }
    let is_indexed = first & 0x80 != 0;
    let mut text = Vec::new();
    let name_raw = if is_indexed {
        let index = cursor.integer(6)?;
        let found = if first & 0x40 != 0 { static_table::entry(index) } else { table.relative(index) };
        text.extend_from_slice(found.map(|(name, _)| name).unwrap_or_default());
        0..cursor.at
    } else {
        cursor.string(5, &mut text)?
    };
    let name = 0..text.len();
    text.extend_from_slice(b": ");
    let at = text.len();
    let value_raw = cursor.string(7, &mut text)?;
    let value = at..text.len();
    let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().into();
    table.insert(Entry { name: part(&name), value: part(&value) });
    Ok(Instruction::Insert(Insert { is_indexed, name_raw, value_raw, text, name, value }))
}
