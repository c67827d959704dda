//! A checked filter: its operands and tests.

use super::number_type::NumberType;
use super::operator::Sum;
use super::sort::Sort;
use super::syntax::Part;
use super::value::{Constant, Item, Order};
use crate::record::pseudo::Pseudo;
use crate::tree::Field;
use regex::bytes::Regex;

/// Where values come from.
pub(super) enum Value {
    /// The nodes of these fields: a shared name stands for several.
    Fields(Vec<&'static Field>),
    /// The bytes from the first one of these headers up to the end of the frame.
    Onward(Vec<&'static Field>),
    /// The record itself.
    Pseudo(&'static Pseudo),
    /// The bytes of the frame.
    Frame,
    Slice(Box<Value>, Vec<Part>),
    /// The number that the first bytes are.
    Read(Box<Value>, NumberType),
    /// The bits that are set in the constant as well; there are several where sorts differ.
    Masked(Box<Value>, Vec<Constant>),
    Len(Box<Value>),
    Count(Box<Value>),
    Cased(Box<Value>, Case),
    /// A number or a time computed from two others.
    Sum(Box<Value>, Sum, Box<Value>),
    /// The greatest or the least of all occurrences.
    Extreme(Vec<Value>, Extreme),
    /// Without its sign.
    Magnitude(Box<Value>),
    /// Written out as text.
    Written(Box<Value>, Sort),
    /// A constant of the filter.
    Constant(Item<'static>),
}

/// Which end of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    Greatest,
    Least,
}

/// What becomes of letters.
#[derive(Debug, Clone, Copy)]
pub(super) enum Case {
    Lower,
    Upper,
}

/// What is asked of a record.
pub(super) enum Test {
    Present(Value),
    /// Whether a bit is set.
    Something(Value),
    Against(Asked, Order, Vec<Constant>),
    Between(Asked, Order, Value),
    Contains(Asked, Vec<Vec<u8>>),
    Matches(Asked, Regex),
    In(Asked, Vec<(Constant, Option<Constant>)>),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    /// Whether an odd number of them hold.
    Odd(Vec<Test>),
}

/// A value, and whether all of its occurrences must do.
pub(super) struct Asked {
    pub(super) value: Value,
    pub(super) all: bool,
}
