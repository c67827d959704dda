//! The value of a form in one message.

use crate::render::Rfc3339;
use crate::tree::{Timestamp, clean};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A value.
#[derive(Debug, Clone)]
pub enum Datum {
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// Nanoseconds since 1970.
    Time(i128),
    /// A text or an address.
    Text(String),
}

impl Datum {
    /// The value as a number, if its order is meaningful.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Datum::Int(value) | Datum::Time(value) => Some(*value as f64),
            Datum::Float(value) => Some(*value),
            Datum::Text(_) => None,
        }
    }

    /// The value, if it is an integer.
    #[must_use]
    pub fn whole(&self) -> Option<i128> {
        match self {
            Datum::Int(value) | Datum::Time(value) => Some(*value),
            Datum::Float(_) | Datum::Text(_) => None,
        }
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Datum) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Datum {}

impl PartialOrd for Datum {
    fn partial_cmp(&self, other: &Datum) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Datum {
    fn cmp(&self, other: &Datum) -> Ordering {
        match (self, other) {
            (Datum::Int(a), Datum::Int(b)) | (Datum::Time(a), Datum::Time(b)) => a.cmp(b),
            (Datum::Float(a), Datum::Float(b)) => a.total_cmp(b),
            (Datum::Text(a), Datum::Text(b)) => a.cmp(b),
            // Values of one form have the same kind.
            _ => Ordering::Equal,
        }
    }
}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Datum::Int(value) | Datum::Time(value) => value.hash(state),
            Datum::Float(value) => value.to_bits().hash(state),
            Datum::Text(text) => text.hash(state),
        }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Int(value) => write!(f, "{value}"),
            Datum::Float(value) if *value != 0.0 && !(1e-4..1e9).contains(&value.abs()) => write!(f, "{value:.4e}"),
            // A number of 32 bits is exact to about seven digits; more would be noise of the conversion.
            Datum::Float(value) => write!(f, "{}", (value * 1e6).round() / 1e6),
            Datum::Time(nanos) => match time(*nanos) {
                Some(time) => write!(f, "{time}"),
                None => f.write_str("no date"),
            },
            Datum::Text(text) => {
                let mut shown = String::new();
                clean(text, &mut shown)?;
                f.write_str(&shown)
            }
        }
    }
}

/// A time within the range of the calendar.
fn time(nanos: i128) -> Option<Rfc3339> {
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    Rfc3339::of(Timestamp { seconds, nanos: u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()? })
}
