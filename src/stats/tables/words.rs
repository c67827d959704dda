//! Cells and values of tables.

use crate::render::{Rfc3339, Size, Thousands, seconds};
use crate::tree::Timestamp;
use std::fmt;

/// Formats a value that may be missing.
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<T: fmt::Display> fmt::Display for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |value| value.fmt(f))
    }
}

/// Formats a number, empty for 0.
pub(super) struct Nonzero(pub(super) u64);

impl fmt::Display for Nonzero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { Thousands(self.0).fmt(f) }
    }
}

/// Formats a number of bytes, exact and with unit.
pub(super) struct Exactly(pub(super) u64);

impl fmt::Display for Exactly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Thousands(self.0))?;
        if self.0 < 1024 { Ok(()) } else { write!(f, " ({})", Size(self.0 as f64)) }
    }
}

/// Formats bytes per second.
pub(super) struct Rate(pub(super) f64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", Size(self.0))
    }
}

/// Formats bits per second, with decimal units.
pub(super) struct BitRate(pub(super) f64);

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            few @ ..1e3 => write!(f, "{few:.0} bit/s"),
            some @ ..1e6 => write!(f, "{:.1} kbit/s", some / 1e3),
            many => write!(f, "{:.1} Mbit/s", many / 1e6),
        }
    }
}

/// Formats nanoseconds as seconds.
pub(super) struct Seconds(pub(super) i128);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        seconds(self.0, 6, f)
    }
}

/// Formats a time.
pub(super) struct ShownTime(pub(super) Timestamp);

impl fmt::Display for ShownTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Rfc3339::of(self.0) {
            Some(time) => time.fmt(f),
            None => write!(f, "{} s since 1970", Seconds(self.0.since(Timestamp { seconds: 0, nanos: 0 }))),
        }
    }
}

/// Formats a list of names.
pub(super) struct Listed<'a>(pub(super) &'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|name| write!(f, ", {name}"))
    }
}
