//! Points in time.

/// A point in time since 1970-01-01 00:00 UTC, to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds; negative before 1970.
    pub seconds: i64,
    /// Nanoseconds within the second. A damaged file may say a second or more; it is kept as it stands.
    pub nanos: u32,
}

impl Timestamp {
    /// Nanoseconds from `earlier` to this; negative if that is later.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> i128 {
        let nanos = |time: Timestamp| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
        nanos(self) - nanos(earlier)
    }
}

/// A point in time, if anybody recorded it.
pub type Time = Option<Timestamp>;
