//! Timestamps of an interface: resolution and offset.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

use crate::input::Timestamp;

const NANOS: u64 = 1_000_000_000;

/// The time units of an interface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    unit: Unit,
    /// Seconds to add to each time.
    pub(super) offset: i64,
}

/// The unit of a packet's time.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// This many units per second, each of this many nanoseconds.
    Whole(u64, u64),
    /// This many units per second.
    Any(u128),
    /// So many units per second that every time is zero.
    Tiny,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { unit: Unit::of(1_000_000), offset: 0 }
    }
}

impl Unit {
    fn of(per_second: u128) -> Unit {
        match u64::try_from(per_second) {
            Ok(per_second) if NANOS.is_multiple_of(per_second) => {
                NANOS.checked_div(per_second).map_or(Unit::Tiny, |each| Unit::Whole(per_second, each))
            }
            _ => Unit::Any(per_second),
        }
    }
}

impl Clock {
    /// A power of ten, or of two with the highest bit set.
    pub(super) fn set_resolution(&mut self, exponent: u8) {
        let per_second = match exponent {
            0..0x80 => 10_u128.checked_pow(u32::from(exponent)),
            0x80.. => 2_u128.checked_pow(u32::from(exponent & 0x7f)),
        };
        self.unit = per_second.map_or(Unit::Tiny, Unit::of);
    }

    pub(super) fn time(&self, units: u64) -> Timestamp {
        let (seconds, nanos) = match self.unit {
            Unit::Whole(per_second, each) => {
                let rest = units.checked_rem(per_second).unwrap_or_default();
                (units.checked_div(per_second).unwrap_or_default(), rest.saturating_mul(each))
            }
            Unit::Any(per_second) => {
                let units = u128::from(units);
                // The remainder is below 2^64 and below `per_second`, so this neither saturates nor reaches a second.
                let rest = units.checked_rem(per_second).unwrap_or_default();
                let nanos = rest.saturating_mul(NANOS.into()).checked_div(per_second).unwrap_or_default();
                let seconds = units.checked_div(per_second).unwrap_or_default();
                (u64::try_from(seconds).unwrap_or(u64::MAX), u64::try_from(nanos).unwrap_or_default())
            }
            Unit::Tiny => (0, 0),
        };
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_add(self.offset);
        Timestamp { seconds, nanos: u32::try_from(nanos).unwrap_or_default() }
    }
}
