//! Computed values: slices, conversions, masks, functions and arithmetic.

use super::{Checker, TypedValue, require};
use crate::filter::number_type::NumberType;
use crate::filter::operator::Sum;
use crate::filter::parse_error::{Wrong, nearest};
use crate::filter::program::{Case, Extreme, Value};
use crate::filter::syntax::{Node, SliceRange, Syntax};
use crate::filter::value::{Constant, Item};
use crate::filter::value_type::ValueType;

const FUNCTIONS: [&str; 8] = ["len", "count", "lower", "upper", "max", "min", "abs", "string"];

impl Checker {
    pub(super) fn slice(&mut self, of: &Node, parts: &[SliceRange]) -> Result<TypedValue, Wrong> {
        let known = self.known(of)?;
        require(of, &known.sorts, "cannot be sliced", ValueType::has_octets)?;
        Ok(TypedValue { value: Value::Slice(Box::new(known.value), parts.to_vec()), sorts: vec![ValueType::Bytes] })
    }

    /// Checks the conversion of bytes to a number.
    pub(super) fn read(&mut self, node: &Node, of: &Node, number: NumberType) -> Result<TypedValue, Wrong> {
        let known = self.known(of)?;
        require(of, &known.sorts, "cannot be sliced", ValueType::has_octets)?;
        if let Syntax::Slice(_, parts) = &of.is {
            let cut = parts.iter().map(|part| part.length()).try_fold(0, |sum: usize, length| sum.checked_add(length?));
            if let Some(cut) = cut.filter(|cut| *cut != number.size()) {
                return Err(Wrong::new(&node.at, format!("{number} requires {} bytes, but {of} has {cut}", number.size())));
            }
        }
        let value_type = if number.is_float() { ValueType::Float } else { ValueType::Number(&[]) };
        Ok(TypedValue { value: Value::Read(Box::new(known.value), number), sorts: vec![value_type] })
    }

    pub(super) fn masked(&mut self, left: &Node, right: &Node) -> Result<TypedValue, Wrong> {
        let (of, known, written) = match (self.value(left)?, self.value(right)?) {
            (Some(known), None) => (left, known, right),
            (None, Some(known)) => (right, known, left),
            (Some(_), Some(_)) => return Err(Wrong::new(&right.at, "one side of & must be a constant")),
            (None, None) => return Err(self.unknown(left)),
        };
        require(of, &known.sorts, "does not support bitwise and", |value_type| {
            !matches!(
                value_type,
                ValueType::Text | ValueType::Float | ValueType::Bool(_) | ValueType::Span | ValueType::Time | ValueType::Note
            )
        })?;
        let sorts = known.sorts.iter().map(|value_type| match value_type {
            ValueType::Number(_) => ValueType::Number(&[]),
            ValueType::Ipv4 | ValueType::Ipv6 => *value_type,
            _ => ValueType::Bytes,
        });
        let sorts: Vec<ValueType> = sorts.collect();
        let mask = self.constants(of, &sorts, written)?;
        Ok(TypedValue { value: Value::Masked(Box::new(known.value), mask), sorts })
    }

    pub(super) fn call(&mut self, node: &Node, name: &str, arguments: &[Node]) -> Result<TypedValue, Wrong> {
        if !FUNCTIONS.contains(&name) {
            let at = node.at.start..node.at.start + name.len();
            let wrong = Wrong::new(&at, format!("unknown function {name}"));
            return Err(wrong.try_instead(nearest(name, FUNCTIONS.into_iter())));
        }
        if matches!(name, "max" | "min") {
            return self.extreme(node, name, arguments);
        }
        let [of] = arguments else {
            return Err(Wrong::new(&node.at, format!("{name}() takes one field")));
        };
        let TypedValue { value, sorts } = self.known(of)?;
        let inner = Box::new(value);
        let (value, value_type) = match name {
            "len" => {
                require(of, &sorts, "has no length", ValueType::has_octets)?;
                (Value::Len(inner), ValueType::Number(&[]))
            }
            "count" => {
                require(of, &sorts, "has no values to count", |value_type| value_type != ValueType::Note)?;
                (Value::Count(inner), ValueType::Number(&[]))
            }
            "abs" => {
                require(of, &sorts, "is not a number", ValueType::is_computed)?;
                (Value::Magnitude(inner), sorts.first().copied().unwrap_or(ValueType::Float))
            }
            "string" => {
                require(of, &sorts, "cannot be converted to a string", |value_type| {
                    !matches!(value_type, ValueType::Text | ValueType::Layer | ValueType::Note)
                })?;
                let value_type = sorts.first().copied().unwrap_or(ValueType::Text);
                (Value::Written(inner, value_type), ValueType::Text)
            }
            _ => {
                require(of, &sorts, "is not text", |value_type| value_type == ValueType::Text)?;
                (Value::Cased(inner, if name == "lower" { Case::Lower } else { Case::Upper }), ValueType::Text)
            }
        };
        Ok(TypedValue { value, sorts: vec![value_type] })
    }

    /// Checks `max()` and `min()`: fields and constants of one type.
    fn extreme(&mut self, node: &Node, name: &str, arguments: &[Node]) -> Result<TypedValue, Wrong> {
        let known: Vec<Option<TypedValue>> = arguments.iter().map(|argument| self.value(argument)).collect::<Result<_, _>>()?;
        let mut sorts: Vec<ValueType> = known.iter().flatten().flat_map(|known| known.sorts.iter().copied()).collect();
        sorts.dedup();
        let Some(first) = sorts.first().copied() else {
            return Err(Wrong::new(&node.at, format!("{name}() takes fields")));
        };
        let ordered = |value_type: &ValueType| {
            !matches!(value_type, ValueType::Bool(_) | ValueType::Note | ValueType::Layer) && value_type.fits(first)
        };
        if !sorts.iter().all(ordered) {
            return Err(Wrong::new(&node.at, format!("{name}() takes ordered values of one type")));
        }
        let one = |(known, written): (Option<TypedValue>, &Node)| match known {
            Some(known) => Ok(known.value),
            None => self.operand(arguments.first().unwrap_or(written), &sorts, written),
        };
        let values = known.into_iter().zip(arguments).map(one).collect::<Result<_, _>>()?;
        let which = if name == "max" { Extreme::Greatest } else { Extreme::Least };
        Ok(TypedValue { value: Value::Extreme(values, which), sorts: vec![first.without_names()] })
    }

    /// Checks an arithmetic expression; `None` if both operands are constants.
    pub(super) fn sum(&mut self, left: &Node, sum: Sum, right: &Node) -> Result<Option<TypedValue>, Wrong> {
        let (known_left, known_right) = (self.value(left)?, self.value(right)?);
        for (node, known) in [(left, &known_left), (right, &known_right)] {
            let Some(known) = known else { continue };
            require(node, &known.sorts, "is not a number", ValueType::is_computed)?;
        }
        let sorts = |known: &TypedValue| known.sorts.iter().map(|value_type| value_type.without_names()).collect::<Vec<_>>();
        let (a, b, sorts) = match (known_left, known_right) {
            (Some(a), Some(b)) => {
                let mut both = sorts(&a);
                both.extend(sorts(&b));
                (a.value, b.value, both)
            }
            (Some(a), None) => {
                let sorts = sorts(&a);
                let constant = self.operand(left, &sorts, right)?;
                (a.value, constant, sorts)
            }
            (None, Some(b)) => {
                let sorts = sorts(&b);
                let constant = self.operand(right, &sorts, left)?;
                (constant, b.value, sorts)
            }
            (None, None) => return Err(self.unknown(left)),
        };
        let Some(first) = sorts.first().copied() else { return Err(self.unknown(left)) };
        if let Some(other) = sorts.iter().find(|value_type| !value_type.fits(first)) {
            return Err(Wrong::new(&right.at, format!("{left} is {}, {right} is {}", first.words(), other.words())));
        }
        let value_type = if sorts.contains(&ValueType::Float) { ValueType::Float } else { first };
        Ok(Some(TypedValue { value: Value::Sum(Box::new(a), sum, Box::new(b)), sorts: vec![value_type] }))
    }

    /// Converts a constant to a value.
    fn operand(&self, of: &Node, sorts: &[ValueType], written: &Node) -> Result<Value, Wrong> {
        let constants = self.constants(of, sorts, written)?;
        let items = constants.into_iter().map(|constant| match constant {
            Constant::Is(item) => item,
            Constant::Net4(address, _) => Item::Ipv4(address),
            Constant::Net6(address, _) => Item::Ipv6(address),
        });
        items.map(Value::Constant).next().ok_or_else(|| self.unknown(written))
    }
}
