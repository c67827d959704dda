//! Expressions as columns: slices, types, functions and arithmetic as in filters.

use super::check::Checker;
use super::eval::{Evaluator, Scratch};
use super::parse_error::{ParseError, Wrong};
use super::parser;
use super::program::Value;
use super::record_values::Subject;
use super::value::Item;
use super::value_type::ValueType;
use crate::record::{Record, Scope};
use crate::registry::Registry;
use crate::tree::{Demand, hex};
use std::fmt::Write;
use std::ops::ControlFlow;

/// An expression over a record: `data.data[4:4]@u32le`, `len(http.host)`, `tcp.len * 8`.
pub struct Expression {
    value: Value,
    value_type: ValueType,
    demand: Demand,
    scope: Scope,
}

impl Expression {
    /// Parses an expression over the fields of these protocols.
    ///
    /// # Errors
    /// The first mistake. A condition is a mistake, because it has no value.
    pub fn parse(text: &str, registry: Registry) -> Result<Expression, ParseError> {
        let mut checker = Checker::new(registry);
        let read = |checker: &mut Checker| -> Result<(Value, ValueType), Wrong> { checker.column(&parser::parse(text)?) };
        let (value, value_type) = read(&mut checker).map_err(|wrong| wrong.in_expression(text))?;
        let scope = checker.scope;
        let (_, demand, _) = checker.seen();
        Ok(Expression { value, value_type, demand, scope })
    }

    /// Demand of the expression.
    #[must_use]
    pub fn demand(&self) -> Demand {
        self.demand
    }

    /// Scope of its fields: packets or messages.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Values of a record as text: decimal numbers, hexadecimal bytes.
    pub fn each(&self, record: &Record<'_>, take: &mut dyn FnMut(&str)) {
        let (scratch, mut text) = (Scratch::default(), String::new());
        let asking = Evaluator { of: Subject::Record(record), scratch: &scratch };
        let _ = asking.each(&self.value, &mut |item| {
            text.clear();
            // Writing to memory does not fail.
            let _ = self.write(item, &mut text);
            if !text.is_empty() {
                take(&text);
            }
            ControlFlow::Continue(())
        });
    }

    fn write(&self, item: &Item<'_>, text: &mut String) -> std::fmt::Result {
        match item {
            Item::Bytes(bytes) if self.value_type == ValueType::Text => text.write_str(&String::from_utf8_lossy(bytes)),
            Item::Bytes(bytes) => hex(bytes, text),
            _ => {
                let mut written = Vec::new();
                item.write(self.value_type, &mut written).map_err(|_| std::fmt::Error)?;
                text.write_str(&String::from_utf8_lossy(&written))
            }
        }
    }
}
