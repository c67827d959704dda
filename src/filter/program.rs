//! Compiled filter: operands and tests.

use super::number_type::NumberType;
use super::operator::Sum;
use super::syntax::SliceRange;
use super::value::{Constant, Item, Order};
use super::value_type::ValueType;
use crate::record::pseudo::Pseudo;
use crate::tree::Field;
use regex::bytes::Regex;

/// Source of values.
pub(super) enum Value {
    /// Nodes of these fields; a shared name refers to several.
    Fields(Vec<&'static Field>),
    /// Bytes from the first of these headers to the end of the frame.
    Onward(Vec<&'static Field>),
    /// A pseudo-field.
    Pseudo(&'static Pseudo),
    /// Bytes of the frame.
    Frame,
    Slice(Box<Value>, Vec<SliceRange>),
    /// Bytes decoded as a number.
    Read(Box<Value>, NumberType),
    /// Bitwise and with constants, one per type.
    Masked(Box<Value>, Vec<Constant>),
    Len(Box<Value>),
    Count(Box<Value>),
    Cased(Box<Value>, Case),
    /// Arithmetic of two numbers or times.
    Sum(Box<Value>, Sum, Box<Value>),
    /// Maximum or minimum of all occurrences.
    Extreme(Vec<Value>, Extreme),
    /// Absolute value.
    Magnitude(Box<Value>),
    /// Conversion to text.
    Written(Box<Value>, ValueType),
    Constant(Item<'static>),
}

/// Minimum or maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    Greatest,
    Least,
}

/// Case conversion.
#[derive(Debug, Clone, Copy)]
pub(super) enum Case {
    Lower,
    Upper,
}

/// A test on a record.
pub(super) enum Test {
    Present(Value),
    /// Whether any bit is set.
    AnyBit(Value),
    Against(Operand, Order, Vec<Constant>),
    Between(Operand, Order, Value),
    Contains(Operand, Vec<Vec<u8>>),
    Matches(Operand, Regex),
    In(Operand, Vec<(Constant, Option<Constant>)>),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    /// Whether an odd number of tests hold.
    Odd(Vec<Test>),
}

/// A value, and whether all of its occurrences must satisfy the test.
pub(super) struct Operand {
    pub(super) value: Value,
    pub(super) all: bool,
}
