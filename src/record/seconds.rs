//! Formatting of time intervals in seconds.

use crate::tree::Timestamp;
use std::fmt::{self, Write};

/// Nanoseconds per second.
pub(crate) const SECOND: i128 = 1_000_000_000;

/// Writes nanoseconds as seconds with up to nine decimals.
pub(crate) fn seconds(nanos: i128, digits: usize, out: &mut dyn Write) -> fmt::Result {
    if nanos < 0 {
        out.write_char('-')?;
    }
    let nanos = nanos.unsigned_abs();
    // Most values fit into 64 bits, where division is much faster.
    let Ok(small) = u64::try_from(nanos) else {
        write!(out, "{}", nanos / SECOND.unsigned_abs())?;
        return fraction(u64::try_from(nanos % SECOND.unsigned_abs()).unwrap_or_default(), digits, out);
    };
    out.write_str(itoa::Buffer::new().format(small / 1_000_000_000))?;
    fraction(small, digits, out)
}

/// Writes the decimals.
pub(crate) fn fraction(nanos: u64, digits: usize, out: &mut dyn Write) -> fmt::Result {
    let mut text = *b".000000000";
    let digits = digits.min(9);
    let omitted = 10_u32.pow(9 - u32::try_from(digits).unwrap_or_default());
    let mut rest = u32::try_from(nanos % 1_000_000_000).unwrap_or_default() / omitted;
    let shown = text.get_mut(..=digits).unwrap_or_default();
    for digit in shown.iter_mut().skip(1).rev() {
        *digit += u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    out.write_str(str::from_utf8(shown).unwrap_or_default())
}

/// Nanoseconds since 1970.
pub(crate) fn since_1970(time: Timestamp) -> i128 {
    time.since(Timestamp { seconds: 0, nanos: 0 })
}
