//! Spans of time written as seconds.

use crate::tree::Timestamp;
use std::fmt::{self, Write};

/// Nanoseconds in a second.
pub(crate) const SECOND: i128 = 1_000_000_000;

/// Nanoseconds as seconds with this many digits behind the point: six, or else nine.
pub(crate) fn seconds(nanos: i128, digits: usize, out: &mut dyn Write) -> fmt::Result {
    if nanos < 0 {
        out.write_char('-')?;
    }
    let nanos = nanos.unsigned_abs();
    write!(out, "{}", nanos / SECOND.unsigned_abs())?;
    fraction(i128::try_from(nanos).unwrap_or_default(), digits, out)
}

/// The part of it behind the point.
pub(crate) fn fraction(nanos: i128, digits: usize, out: &mut dyn Write) -> fmt::Result {
    let nanos = nanos % SECOND;
    match digits {
        6 => write!(out, ".{:06}", nanos / 1000),
        _ => write!(out, ".{nanos:09}"),
    }
}

/// Nanoseconds since 1970.
pub(crate) fn since_1970(time: Timestamp) -> i128 {
    time.since(Timestamp { seconds: 0, nanos: 0 })
}
