//! Timestamps.

use std::fmt;

/// A timestamp since 1970-01-01 00:00 UTC, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds; negative before 1970.
    pub seconds: i64,
    /// Nanoseconds within the second. A malformed file may contain a second or more; the value is kept unchanged.
    pub nanos: u32,
}

impl Timestamp {
    /// [`Timestamp::since`], if it fits.
    #[must_use]
    pub fn nanos_since(self, earlier: Timestamp) -> i64 {
        let nanos = self.since(earlier);
        i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
    }

    /// Nanoseconds from `earlier` to this; negative if that is later.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> i128 {
        let seconds = i128::from(self.seconds) - i128::from(earlier.seconds);
        seconds * 1_000_000_000 + i128::from(i64::from(self.nanos) - i64::from(earlier.nanos))
    }
}

/// Formats like tshark: `Nov 24, 2015 21:20:00.055398000 UTC`. Times beyond the calendar are shown in seconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.seconds) {
            Ok(at) => write!(f, "{}.{:09} UTC", at.strftime("%b %e, %Y %H:%M:%S"), self.nanos),
            Err(_) => write!(f, "{}.{:09}", self.seconds, self.nanos),
        }
    }
}

/// A timestamp, if the capture has one.
pub type Time = Option<Timestamp>;
