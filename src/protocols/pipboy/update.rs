//! Data updates: a run of entries, each a numbered value.

use super::{
    ENTRY, ENTRY_BOOL, ENTRY_COUNT, ENTRY_FLOAT, ENTRY_ID, ENTRY_INT, ENTRY_STRING, ENTRY_TYPE, ENTRY_UINT, ERROR_COUNT,
    ERROR_ENTRY_TRUNCATED, ERROR_ENTRY_TYPE, ERROR_STRING, INSERT, INSERT_COUNT, INSERT_KEY, INSERT_REF, LIST_COUNT, LIST_REF,
    NOTE_BOOL, NOTE_UTF8, REMOVE_COUNT, REMOVE_REF, ends_early,
};
use crate::tree::{Field, NodeRef, Value};
use crate::wire::{Cut, Error, Result, Wire};
use std::fmt;

pub(super) const BOOL: u8 = 0;
pub(super) const INT8: u8 = 1;
pub(super) const UINT8: u8 = 2;
pub(super) const INT32: u8 = 3;
pub(super) const UINT32: u8 = 4;
pub(super) const FLOAT: u8 = 5;
pub(super) const STRING: u8 = 6;
pub(super) const LIST: u8 = 7;
pub(super) const DICT: u8 = 8;

/// Bytes of an entry's type and number.
pub(super) const ENTRY_HEADER: usize = 5;

/// Bytes of a reference.
pub(super) const REF: usize = 4;

/// The fewest bytes of an insertion: a reference and an empty name.
const INSERT_MIN: usize = REF + 1;

pub(super) fn data_update(wire: &mut Wire<'_>) -> Result {
    let mut count = 0;
    let result = entries(wire, &mut count);
    wire.add(&ENTRY_COUNT, Value::Unsigned(count));
    wire.info(format_args!("{count} {}", if count == 1 { "entry" } else { "entries" }));
    result
}

fn entries(wire: &mut Wire<'_>, count: &mut u64) -> Result {
    while wire.remaining() > 0 {
        entry(wire)?;
        *count += 1;
    }
    Ok(())
}

fn entry(wire: &mut Wire<'_>) -> Result {
    let left = wire.remaining();
    if left < ENTRY_HEADER && wire.cut() == Cut::No {
        return wire.malformed(&ERROR_ENTRY_TRUNCATED, format_args!("{left} bytes left, an entry begins with {ENTRY_HEADER}"));
    }
    let kind = wire.ahead().first().copied().unwrap_or_default();
    if kind > DICT {
        return wire.malformed(&ERROR_ENTRY_TYPE, format_args!("no entry type {kind} is known, nor its width"));
    }
    let result = wire.group(&ENTRY, |wire| {
        wire.u8(&ENTRY_TYPE)?;
        wire.u32_le(&ENTRY_ID)?;
        value(wire, kind)
    });
    match (result, wire.cut()) {
        (Err(Error::Short { needed }), Cut::No) => {
            wire.malformed(&ERROR_ENTRY_TRUNCATED, format_args!("bytes that the value lacks: {needed}"))
        }
        (result, _) => result,
    }
}

fn value(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        BOOL => return truth(wire),
        INT8 => drop(wire.i8(&ENTRY_INT)?),
        UINT8 => drop(wire.u8(&ENTRY_UINT)?),
        INT32 => drop(wire.i32_le(&ENTRY_INT)?),
        UINT32 => drop(wire.u32_le(&ENTRY_UINT)?),
        FLOAT => drop(wire.f32_le(&ENTRY_FLOAT)?),
        STRING => return text(wire, &ENTRY_STRING),
        LIST => return list(wire),
        _ => return dict(wire),
    }
    Ok(())
}

fn truth(wire: &mut Wire<'_>) -> Result {
    let byte = wire.bool(&ENTRY_BOOL)?;
    if byte > 1 {
        wire.note(&NOTE_BOOL, format_args!("{byte} taken as true"));
    }
    Ok(())
}

fn text(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    let Ok(text) = wire.text_nul(field) else {
        let left = wire.remaining();
        return ends_early(wire, &ERROR_STRING, format_args!("no NUL in the {left} bytes left"));
    };
    if std::str::from_utf8(text).is_err() {
        wire.note(&NOTE_UTF8, format_args!("not UTF-8"));
    }
    Ok(())
}

fn list(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_le(&LIST_COUNT)?;
    refs(wire, count, &LIST_REF)
}

fn dict(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_le(&INSERT_COUNT)?;
    for nth in 1..=count {
        fits(wire, INSERT_MIN, "insertion", nth, count)?;
        wire.group(&INSERT, |wire| {
            wire.u32_le(&INSERT_REF)?;
            text(wire, &INSERT_KEY)
        })?;
    }
    let Ok(count) = wire.u16_le(&REMOVE_COUNT) else {
        return ends_early(wire, &ERROR_COUNT, format_args!("the number of removals is missing"));
    };
    refs(wire, count, &REMOVE_REF)
}

fn refs(wire: &mut Wire<'_>, count: u16, field: &'static Field) -> Result {
    for nth in 1..=count {
        fits(wire, REF, field.name, nth, count)?;
        wire.u32_le(field)?;
    }
    Ok(())
}

/// Whether a counted element has the bytes that it needs at least. Where a cut took them, reading shows how far it gets.
fn fits(wire: &mut Wire<'_>, least: usize, what: &str, nth: u16, count: u16) -> Result {
    let left = wire.remaining();
    if left < least && wire.cut() == Cut::No {
        return wire.malformed(&ERROR_COUNT, format_args!("{what} {nth} of {count} does not fit into the {left} bytes left"));
    }
    Ok(())
}

/// The value itself, or how many values are referred to.
pub(super) fn entry_value(entry: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(value) = entry.children().nth(2) else { return Ok(()) };
    match value.number() {
        Some(1) if value.field().is(&LIST_COUNT) => out.write_str("1 ref"),
        Some(count) if value.field().is(&LIST_COUNT) => write!(out, "{count} refs"),
        Some(inserted) if value.field().is(&INSERT_COUNT) => {
            write!(out, "+{inserted}")?;
            match entry.child(&REMOVE_COUNT).and_then(NodeRef::number) {
                None | Some(0) => Ok(()),
                Some(removed) => write!(out, " -{removed}"),
            }
        }
        _ => value.write_value(out),
    }
}

/// The kind of value and its number.
pub(super) fn entry_meaning(entry: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(entry.child(&ENTRY_TYPE).and_then(NodeRef::name).unwrap_or_default())?;
    match entry.child(&ENTRY_ID).and_then(NodeRef::number) {
        Some(id) => write!(out, ", id {id}"),
        None => Ok(()),
    }
}

/// The member's name.
pub(super) fn insert_value(insert: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    insert.child(&INSERT_KEY).map_or(Ok(()), |key| key.write_value(out))
}

/// The number of the member's value.
pub(super) fn insert_meaning(insert: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match insert.child(&INSERT_REF).and_then(NodeRef::number) {
        Some(id) => write!(out, "ref {id}"),
        None => Ok(()),
    }
}
