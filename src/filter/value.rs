//! Values and their comparison.

use super::operator::Sum;
use super::value_type::ValueType;
use crate::record::seconds::SECOND;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::ControlFlow;

/// A value of a record.
#[derive(Debug, Clone)]
pub(super) enum Item<'i> {
    Number(i128),
    Single(f32),
    Double(f64),
    Bool(bool),
    /// Nanoseconds; of a point in time, since 1970.
    Nanos(i128),
    Ipv4(u32),
    Ipv6(u128),
    /// Bytes or text, which are never compared with each other.
    Bytes(Cow<'i, [u8]>),
}

/// Visitor of values, which may stop early.
pub(super) type Visit<'v> = dyn FnMut(&Item<'_>) -> ControlFlow<()> + 'v;

/// A constant of the filter.
#[derive(Debug, Clone)]
pub(super) enum Constant {
    Is(Item<'static>),
    /// An address and its prefix mask.
    Net4(u32, u32),
    /// An address and its prefix mask.
    Net6(u128, u128),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    /// Whether it is equality or difference, which need no order.
    pub(super) fn is_of_identity(self) -> bool {
        matches!(self, Order::Equal | Order::Different)
    }

    /// Whether it holds for this ordering. Incomparable values are different.
    pub(super) fn holds(self, ordering: Option<Ordering>) -> bool {
        match self {
            Order::Equal => ordering == Some(Ordering::Equal),
            Order::Different => ordering != Some(Ordering::Equal),
            Order::Less => ordering == Some(Ordering::Less),
            Order::LessOrEqual => ordering.is_some_and(Ordering::is_le),
            Order::Greater => ordering == Some(Ordering::Greater),
            Order::GreaterOrEqual => ordering.is_some_and(Ordering::is_ge),
        }
    }

    /// The operator with exchanged operands.
    pub(super) const fn mirrored(self) -> Order {
        match self {
            Order::Equal | Order::Different => self,
            Order::Less => Order::Greater,
            Order::LessOrEqual => Order::GreaterOrEqual,
            Order::Greater => Order::Less,
            Order::GreaterOrEqual => Order::LessOrEqual,
        }
    }
}

impl Item<'_> {
    /// Compares with another value.
    pub(super) fn compare(&self, other: &Item<'_>) -> Option<Ordering> {
        match (self, other) {
            (Item::Number(a), Item::Number(b)) | (Item::Nanos(a), Item::Nanos(b)) => Some(a.cmp(b)),
            (Item::Single(a), Item::Single(b)) => a.partial_cmp(b),
            // A 32-bit float equals the literal that rounds to it, so that 0.1 on the wire matches 0.1.
            (Item::Single(a), Item::Double(b)) => a.partial_cmp(&rounded(*b)),
            (Item::Double(a), Item::Single(b)) => rounded(*a).partial_cmp(b),
            (Item::Double(a), Item::Double(b)) => a.partial_cmp(b),
            (Item::Number(a), Item::Single(_) | Item::Double(_)) => Item::Double(*a as f64).compare(other),
            (Item::Single(_) | Item::Double(_), Item::Number(b)) => self.compare(&Item::Double(*b as f64)),
            (Item::Bool(a), Item::Bool(b)) => Some(a.cmp(b)),
            (Item::Ipv4(a), Item::Ipv4(b)) => Some(a.cmp(b)),
            (Item::Ipv6(a), Item::Ipv6(b)) => Some(a.cmp(b)),
            (Item::Bytes(a), Item::Bytes(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Total order for sorting, including incomparable values.
    pub(super) fn sorted(&self, other: &Item<'_>) -> Ordering {
        match (self.double(), other.double()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => self.class().cmp(&other.class()).then_with(|| self.compare(other).unwrap_or(Ordering::Equal)),
        }
    }

    /// Class of comparable values.
    fn class(&self) -> u8 {
        match self {
            Item::Number(_) => 0,
            Item::Single(_) | Item::Double(_) => 1,
            Item::Bool(_) => 2,
            Item::Nanos(_) => 3,
            Item::Ipv4(_) => 4,
            Item::Ipv6(_) => 5,
            Item::Bytes(_) => 6,
        }
    }

    fn double(&self) -> Option<f64> {
        match self {
            Item::Single(number) => Some(f64::from(*number)),
            Item::Double(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether it is unequal to every value, such as NaN.
    pub(super) fn is_nan(&self) -> bool {
        self.double().is_some_and(f64::is_nan)
    }

    /// Bytes, if any.
    pub(super) fn with_bytes<R>(&self, see: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Item::Ipv4(address) => see(&address.to_be_bytes()),
            Item::Ipv6(address) => see(&address.to_be_bytes()),
            Item::Bytes(bytes) => see(bytes),
            _ => see(&[]),
        }
    }

    /// Result of an operation on numbers or times, if any.
    pub(super) fn computed(&self, sum: Sum, other: &Item<'_>) -> Option<Item<'static>> {
        match (self, other) {
            (Item::Number(a), Item::Number(b)) => checked_integer(*a, sum, *b).map(Item::Number),
            (Item::Nanos(a), Item::Nanos(b)) => checked_integer(*a, sum, *b).map(Item::Nanos),
            _ => self.real().zip(other.real()).map(|(a, b)| Item::Double(real(a, sum, b))),
        }
    }

    fn real(&self) -> Option<f64> {
        match self {
            Item::Number(number) => Some(*number as f64),
            _ => self.double(),
        }
    }

    /// Absolute value.
    pub(super) fn magnitude(&self) -> Item<'static> {
        match self {
            Item::Number(number) => Item::Number(number.saturating_abs()),
            Item::Nanos(nanos) => Item::Nanos(nanos.saturating_abs()),
            Item::Single(number) => Item::Single(number.abs()),
            Item::Double(number) => Item::Double(number.abs()),
            other => other.owned(),
        }
    }

    pub(super) fn write(&self, value_type: ValueType, text: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Item::Number(number) => write!(text, "{number}"),
            Item::Single(number) => write!(text, "{number}"),
            Item::Double(number) => write!(text, "{number}"),
            Item::Bool(truth) => write!(text, "{}", u8::from(*truth)),
            Item::Nanos(nanos) => {
                let sign = if *nanos < 0 { "-" } else { "" };
                let (seconds, nanos) =
                    (nanos.unsigned_abs() / SECOND.unsigned_abs(), nanos.unsigned_abs() % SECOND.unsigned_abs());
                write!(text, "{sign}{seconds}.{nanos:09}")
            }
            Item::Ipv4(address) => write!(text, "{}", Ipv4Addr::from_bits(*address)),
            Item::Ipv6(address) => write!(text, "{}", Ipv6Addr::from_bits(*address)),
            Item::Bytes(bytes) if value_type == ValueType::Text => text.write_all(bytes),
            Item::Bytes(bytes) => bytes.iter().enumerate().try_for_each(|(at, byte)| match at {
                0 => write!(text, "{byte:02x}"),
                _ => write!(text, ":{byte:02x}"),
            }),
        }
    }

    /// Whether it is nonzero.
    pub(super) fn is_nonzero(&self) -> bool {
        match self {
            Item::Number(number) => *number != 0,
            _ => self.with_bytes(|bytes| bytes.iter().any(|byte| *byte != 0)),
        }
    }

    /// Copies the value.
    pub(super) fn owned(&self) -> Item<'static> {
        match self {
            Item::Number(number) => Item::Number(*number),
            Item::Single(number) => Item::Single(*number),
            Item::Double(number) => Item::Double(*number),
            Item::Bool(truth) => Item::Bool(*truth),
            Item::Nanos(nanos) => Item::Nanos(*nanos),
            Item::Ipv4(address) => Item::Ipv4(*address),
            Item::Ipv6(address) => Item::Ipv6(*address),
            Item::Bytes(bytes) => Item::Bytes(Cow::Owned(bytes.to_vec())),
        }
    }
}

fn checked_integer(a: i128, sum: Sum, b: i128) -> Option<i128> {
    match sum {
        Sum::Plus => a.checked_add(b),
        Sum::Minus => a.checked_sub(b),
        Sum::Times => a.checked_mul(b),
        Sum::Over => a.checked_div(b),
        Sum::Rest => a.checked_rem(b),
    }
}

fn real(a: f64, sum: Sum, b: f64) -> f64 {
    match sum {
        Sum::Plus => a + b,
        Sum::Minus => a - b,
        Sum::Times => a * b,
        Sum::Over => a / b,
        Sum::Rest => a % b,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rounding is what this is for")]
fn rounded(number: f64) -> f32 {
    number as f32
}

impl Constant {
    /// Compares a value with the constant.
    pub(super) fn compare(&self, item: &Item<'_>) -> Option<Ordering> {
        match (self, item) {
            (Constant::Is(constant), _) => item.compare(constant),
            (Constant::Net4(net, mask), Item::Ipv4(address)) => Some((address & mask).cmp(&(net & mask))),
            (Constant::Net6(net, mask), Item::Ipv6(address)) => Some((address & mask).cmp(&(net & mask))),
            _ => None,
        }
    }

    /// Whether both have the same type and the other one is not smaller.
    pub(super) fn up_to(&self, other: &Constant) -> bool {
        match other {
            Constant::Is(item) => self.compare(item),
            Constant::Net4(net, _) => self.compare(&Item::Ipv4(*net)),
            Constant::Net6(net, _) => self.compare(&Item::Ipv6(*net)),
        }
        .is_some_and(Ordering::is_ge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_32_bits_is_equal_to_what_was_typed_for_it() {
        let typed: f64 = "260.45554".parse().unwrap();
        assert_eq!(Item::Single(260.45554).compare(&Item::Double(typed)), Some(Ordering::Equal));
        assert_ne!(f64::from(260.455_54_f32), typed);
        assert_eq!(Item::Double(typed).compare(&Item::Single(260.45554)), Some(Ordering::Equal));
    }

    #[test]
    fn addresses_have_bytes_in_network_order() {
        let bytes = |item: &Item<'_>| item.with_bytes(<[u8]>::to_vec);
        assert_eq!(bytes(&Item::Ipv4(0xc000_0201)), [192, 0, 2, 1]);
        assert_eq!(bytes(&Item::Ipv6(1)), 1_u128.to_be_bytes());
        assert!(bytes(&Item::Number(1)).is_empty());
    }

    #[test]
    fn what_is_not_a_number_differs_from_everything() {
        for other in [Item::Double(f64::NAN), Item::Double(1.0), Item::Number(0), Item::Bool(false)] {
            let ordering = Item::Single(f32::NAN).compare(&other);
            assert!(Order::Different.holds(ordering) && !Order::Equal.holds(ordering) && !Order::LessOrEqual.holds(ordering));
        }
    }
}
