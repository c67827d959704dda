//! Arguments of functions, with Lua's own errors.

use super::errors::{bad_argument, expected};
use mlua::{Lua, MultiValue, Result, Value};

/// The arguments of a call, without the object of a method.
pub(super) struct Args<'a> {
    pub(super) lua: &'a Lua,
    pub(super) function: &'a str,
    values: MultiValue,
}

impl<'a> Args<'a> {
    pub(super) fn new(lua: &'a Lua, function: &'a str, values: MultiValue) -> Args<'a> {
        Args { lua, function, values }
    }

    /// An argument, counted from 1; nil if there is none.
    pub(super) fn get(&self, number: usize) -> Value {
        self.values.get(number.wrapping_sub(1)).cloned().unwrap_or(Value::Nil)
    }

    /// The number of arguments.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether an argument is nil, or there is none.
    pub(super) fn is_nil(&self, number: usize) -> bool {
        self.values.get(number.wrapping_sub(1)).is_none_or(Value::is_nil)
    }

    /// An integer. Fractions are cut.
    pub(super) fn int(&self, number: usize) -> Result<i64> {
        let value = self.get(number);
        match integer(&value) {
            Some(integer) => Ok(integer),
            None => expected(self.lua, number, self.function, "number", &value),
        }
    }

    /// An integer, or this one if it is nil.
    pub(super) fn int_or(&self, number: usize, default: i64) -> Result<i64> {
        if self.is_nil(number) { Ok(default) } else { self.int(number) }
    }

    /// A text; numbers are texts, too.
    pub(super) fn text(&self, number: usize) -> Result<String> {
        let value = self.get(number);
        match text(&value) {
            Some(text) => Ok(text),
            None => expected(self.lua, number, self.function, "string", &value),
        }
    }

    /// A text, or none if it is nil.
    pub(super) fn text_or_nil(&self, number: usize) -> Result<Option<String>> {
        if self.is_nil(number) { Ok(None) } else { self.text(number).map(Some) }
    }

    /// Bytes of a string.
    pub(super) fn bytes(&self, number: usize) -> Result<Vec<u8>> {
        match self.get(number) {
            Value::String(string) => Ok(string.as_bytes().to_vec()),
            value => match text(&value) {
                Some(text) => Ok(text.into_bytes()),
                None => expected(self.lua, number, self.function, "string", &value),
            },
        }
    }

    /// A truth value, or this one if it is nil.
    pub(super) fn truth_or(&self, number: usize, default: bool) -> bool {
        match self.get(number) {
            Value::Nil => default,
            Value::Boolean(truth) => truth,
            _ => true,
        }
    }

    /// The error of an argument.
    pub(super) fn wrong<T>(&self, number: usize, text: &str) -> Result<T> {
        bad_argument(self.lua, number, self.function, text)
    }
}

/// The integer in a number or a numeric string; fractions are cut.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(integer) => Some(*integer),
        Value::Number(number) => Some(cut(*number)),
        Value::String(string) => {
            let text = string.to_string_lossy();
            let text = text.trim();
            let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            match hex {
                Some(hex) => u64::from_str_radix(hex, 16).ok().map(u64::cast_signed),
                None => text.parse::<i64>().ok().or_else(|| text.parse::<f64>().ok().map(cut)),
            }
        }
        _ => None,
    }
}

/// A float without its fraction; large ones wrap as unsigned numbers do.
pub(super) fn cut(number: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and fractions are cut on purpose")]
    if number >= 9_223_372_036_854_775_808.0 { (number as u64).cast_signed() } else { number as i64 }
}

/// The text of a string or a number.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(string) => Some(string.to_string_lossy()),
        Value::Integer(integer) => Some(integer.to_string()),
        Value::Number(number) => Some(float_text(*number)),
        _ => None,
    }
}

/// A float as Lua writes it.
pub(super) fn float_text(number: f64) -> String {
    let text = crate::tree::digits::general(number, 14);
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_integer { text + ".0" } else { text }
}
