//! Timestamps.

use std::fmt;

/// A timestamp since 1970-01-01 00:00 UTC, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds; negative before 1970.
    pub seconds: i64,
    /// Nanoseconds within the second. Readers of files carry a second or more with [`Timestamp::carried`].
    pub nanos: u32,
}

impl Timestamp {
    /// Seconds and any number of nanoseconds, limited to 64 bits of seconds.
    #[must_use]
    pub fn carried(seconds: i64, nanos: u64) -> Timestamp {
        let more = i64::try_from(nanos / 1_000_000_000).unwrap_or(i64::MAX);
        let nanos = u32::try_from(nanos % 1_000_000_000).unwrap_or_default();
        Timestamp { seconds: seconds.saturating_add(more), nanos }
    }

    /// [`Timestamp::since`], limited to 64 bits.
    #[must_use]
    pub fn nanos_since(self, earlier: Timestamp) -> i64 {
        let nanos = i64::from(self.nanos) - i64::from(earlier.nanos);
        let seconds = self.seconds.checked_sub(earlier.seconds).and_then(|seconds| seconds.checked_mul(1_000_000_000));
        let limit = if self.seconds < earlier.seconds { i64::MIN } else { i64::MAX };
        seconds.and_then(|seconds| seconds.checked_add(nanos)).unwrap_or(limit)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some_time() -> impl Strategy<Value = Timestamp> {
        let seconds = prop_oneof![-5_i64..5, any::<i64>(), Just(i64::MIN), Just(i64::MAX), 9_223_372_030_i64..9_223_372_040];
        (seconds, any::<u32>()).prop_map(|(seconds, nanos)| Timestamp { seconds, nanos })
    }

    proptest! {
        #[test]
        fn short_differences_are_exact_and_long_ones_limited((one, other) in (some_time(), some_time())) {
            let exact = one.since(other);
            let nearest = exact.clamp(i64::MIN.into(), i64::MAX.into());
            // Sums within a second of the limit may be limited early.
            let is_far = exact.unsigned_abs() > i64::MAX as u128 - 5_000_000_000;
            let found = i128::from(one.nanos_since(other));
            prop_assert!(found == nearest || is_far && (found - nearest).abs() <= 5_000_000_000, "{found} {nearest}");
        }
    }
}
