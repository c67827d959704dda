//! Search values: a number or text as displayed on a screen.

use std::fmt;

/// Maximum length of a value in characters.
const LONGEST: usize = 256;

/// A number or a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, and its digits as typed.
    Number(Number, String),
    /// A text.
    Text(String),
}

/// A decimal number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Its digits without the point; `None` if they exceed 128 bits.
    digits: Option<i128>,
    /// Number of digits after the point.
    pub decimals: u32,
    /// Its value, rounded.
    pub float: f64,
}

impl Value {
    /// Parses a number, such as `100`, `-4.25`, `0x1f` or `1e6`, or a text; quotes force a text.
    ///
    /// # Errors
    /// An error message.
    pub fn parse(text: &str) -> Result<Value, String> {
        if text.chars().count() > LONGEST {
            return Err(format!("has more than {LONGEST} characters; a part of it does as well"));
        }
        let quoted = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
        match (quoted, Number::parse(text)) {
            (Some(""), _) | (None, None) if quoted.unwrap_or(text).is_empty() => {
                Err(String::from("\"\": expected a number or a text, such as 100, -4.25, 0x1f or Diamond"))
            }
            (Some(quoted), _) => Ok(Value::Text(quoted.to_owned())),
            (None, Some(number)) => Ok(Value::Number(number, text.to_owned())),
            (None, None) => Ok(Value::Text(text.to_owned())),
        }
    }

    /// Parses two values separated by two dots: `100..95`.
    ///
    /// # Errors
    /// An error message.
    pub fn parse_change(text: &str) -> Result<[Value; 2], String> {
        let (first, second) =
            text.split_once("..").ok_or_else(|| format!("{text}: expected two values with .. between, such as 100..95"))?;
        let both = [Value::parse(first)?, Value::parse(second)?];
        if both[0] == both[1] {
            return Err(format!("{text}: both values are the same; --find {first} seeks one"));
        }
        Ok(both)
    }

    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<Number> {
        match self {
            Value::Number(number, _) => Some(*number),
            Value::Text(_) => None,
        }
    }

    /// Its characters as typed.
    #[must_use]
    pub fn text(&self) -> &str {
        let (Value::Number(_, text) | Value::Text(text)) = self;
        text
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(_, text) => f.write_str(text),
            Value::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl Number {
    fn parse(text: &str) -> Option<Number> {
        let (sign, bare) = text.strip_prefix('-').map_or((1, text), |bare| (-1, bare));
        if let Some(hex) = bare.strip_prefix("0x").or(bare.strip_prefix("0X")) {
            let digits = sign * i128::from(u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?);
            return Some(Number { digits: Some(digits), decimals: 0, float: digits as f64 });
        }
        if !bare.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !bare.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let float = text.parse::<f64>().ok().filter(|float| float.is_finite())?;
        let (whole, fraction) = bare.split_once('.').unwrap_or((bare, ""));
        let decimals = u32::try_from(fraction.len()).ok()?;
        let digits = format!("{whole}{fraction}").parse::<i128>().ok().map(|digits| sign * digits);
        match digits {
            // A number with an exponent is an integer, or inexact.
            None if float.fract() == 0.0 && float.abs() < 1e18 => {
                Some(Number { digits: format!("{float}").parse().ok(), decimals: 0, float })
            }
            None => Some(Number { digits: None, decimals: 0, float }),
            digits => Some(Number { digits, decimals, float }),
        }
    }

    /// Whether it is negative.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.float < 0.0
    }

    /// Its product with `scale`, if that is an integer.
    #[must_use]
    pub fn times(self, scale: u64) -> Option<i128> {
        let all = self.digits?.checked_mul(i128::from(scale))?;
        let unit = 10_i128.checked_pow(self.decimals)?;
        (all % unit == 0).then_some(all / unit)
    }

    /// The value of one unit in the last displayed digit.
    #[must_use]
    pub fn unit(self) -> f64 {
        10_f64.powi(-i32::try_from(self.decimals).unwrap_or(0))
    }
}
