//! Little-endian numbers that consist of several bit fields, as in IEEE 802.11 and its capture headers.

use crate::tree::{Field, Kind, Value};
use crate::wire::{Error, Result, Wire};

/// Reads a little-endian number of `count` bytes, at most 8, as the masked bits of several fields.
pub(super) fn bits(wire: &mut Wire<'_>, count: usize, fields: &[&'static Field]) -> Result<u64> {
    let start = wire.at();
    let raw = peek(wire, count)?;
    for &field in fields {
        let number = field.bits_of(raw);
        let value = if field.kind == Kind::Bool { Value::Bool(number != 0) } else { Value::Unsigned(number) };
        wire.put(field, value, start..start + count);
    }
    wire.skip(count)?;
    Ok(raw)
}

/// The next little-endian number of `count` bytes, without reading it.
pub(super) fn peek(wire: &Wire<'_>, count: usize) -> Result<u64> {
    let bytes = wire.ahead().get(..count).ok_or(Error::Short { needed: count.saturating_sub(wire.remaining()) })?;
    Ok(bytes.iter().rev().fold(0, |number: u64, byte| number << 8 | u64::from(*byte)))
}
