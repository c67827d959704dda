//! Variable-length integers of QUIC and HTTP/3 (RFC 9000, section 16).
//!
//! ```text
//! size:2 bits | number: 6, 14, 30 or 62 bits, big-endian
//! ```

use crate::tree::{Field, Value};
use crate::wire::{Error, Result, Wire};

/// Parses a variable-length integer. Returns its size as well.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let count = 1 << (first >> 6);
    let digits = bytes.get(1..count)?;
    Some((digits.iter().fold(u64::from(first & 0x3f), |number, byte| number << 8 | u64::from(*byte)), count))
}

/// Reads a variable-length integer.
pub(super) fn number(wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
    let (number, count) = varint(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
    wire.put(field, Value::Unsigned(number), wire.at()..wire.at() + count);
    wire.skip(count)?;
    Ok(number)
}
