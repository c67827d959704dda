//! The forms of a value in messages.

use super::super::rule::Endian;
use super::value::Value;
use std::fmt;

/// Divisors of fixed-point numbers.
const SCALES: [u64; 8] = [10, 100, 1000, 16, 32, 256, 4096, 65536];

/// A form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// An integer, or a fixed-point number divided by `scale`.
    Int {
        /// Size in bytes.
        width: usize,
        /// Byte order.
        endian: Endian,
        /// Whether it is signed.
        signed: bool,
        /// 1 for an integer.
        scale: u64,
    },
    /// A floating-point number; the value is its product with `scale`.
    Float {
        /// Size in bytes: 4 or 8.
        width: usize,
        /// Byte order.
        endian: Endian,
        /// 1, or 100 for a fraction displayed in per cent.
        scale: u64,
    },
    /// A floating-point number that equals the value after rounding or truncation.
    Near {
        /// Size in bytes: 4 or 8.
        width: usize,
        /// Byte order.
        endian: Endian,
    },
    /// LEB128: seven bits per byte, the least significant first.
    Varint,
    /// LEB128 with zigzag encoding.
    Zigzag,
    /// Text in UTF-8.
    Utf8,
    /// Text in UTF-8, in different case.
    OtherCase,
    /// Text in Latin-1.
    Latin1,
    /// Text in UTF-16.
    Utf16(Endian),
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reading::Int { width, endian, signed, scale } => {
                let order = if width == 1 { "" } else { endian.name() };
                write!(f, "{}{}{order}", if signed { 'i' } else { 'u' }, width * 8)?;
                if scale == 1 { Ok(()) } else { write!(f, "/{scale}") }
            }
            Reading::Float { width, endian, scale } => {
                write!(f, "f{}{}", width * 8, endian.name())?;
                if scale == 1 { Ok(()) } else { write!(f, "*{scale}") }
            }
            Reading::Near { width, endian } => write!(f, "f{}{} rounded", width * 8, endian.name()),
            Reading::Varint => f.write_str("varint"),
            Reading::Zigzag => f.write_str("zigzag"),
            Reading::Utf8 => f.write_str("UTF-8"),
            Reading::OtherCase => f.write_str("UTF-8, other case"),
            Reading::Latin1 => f.write_str("Latin-1"),
            Reading::Utf16(endian) => write!(f, "UTF-16{}", endian.name()),
        }
    }
}

impl Reading {
    /// The possible forms of values. All values have the same form.
    #[must_use]
    pub fn all(values: &[Value]) -> Vec<Reading> {
        let mut all = Vec::new();
        if values.iter().all(|value| value.number().is_some()) {
            numbers(values.iter().filter_map(Value::number).any(super::value::Number::is_negative), &mut all);
        }
        all.extend([Reading::Utf8, Reading::Utf16(Endian::Little), Reading::Utf16(Endian::Big)]);
        if values.iter().all(|value| value.number().is_none()) {
            all.extend([Reading::Latin1, Reading::OtherCase]);
        }
        all
    }

    /// The bytes of a value in this form; `None` if it has none, or is a range of numbers.
    #[must_use]
    pub fn encode(self, value: &Value) -> Option<Vec<u8>> {
        let float = |value: &Value| value.number().map(|number| number.float);
        match self {
            Reading::Int { width, endian, signed, scale } => {
                let number = value.number()?.times(scale)?;
                let bits = u32::try_from(width * 8).ok()?;
                let least = if signed { -(1_i128 << (bits - 1)) } else { 0 };
                let most = (1_i128 << (if signed { bits - 1 } else { bits })) - 1;
                if !(least..=most).contains(&number) || number == 0 && scale > 1 {
                    return None;
                }
                Some(ordered(&number.to_le_bytes(), width, endian))
            }
            Reading::Float { width: 4, endian, scale } => {
                let float = narrow(float(value)? / scale as f64);
                (float.is_finite() && (float != 0.0 || scale == 1)).then(|| ordered(&float.to_le_bytes(), 4, endian))
            }
            Reading::Float { width, endian, scale } => {
                let float = float(value)? / scale as f64;
                (float != 0.0 || scale == 1).then(|| ordered(&float.to_le_bytes(), width, endian))
            }
            Reading::Near { .. } => None,
            Reading::Varint => leb128(value.number()?.times(1)?),
            Reading::Zigzag => {
                let number = value.number()?.times(1)?;
                leb128(if number < 0 { -2 * number - 1 } else { 2 * number })
            }
            Reading::Utf8 | Reading::OtherCase => Some(value.text().as_bytes().to_vec()),
            Reading::Latin1 if value.text().is_ascii() => None,
            Reading::Latin1 => value.text().chars().map(|character| u8::try_from(u32::from(character)).ok()).collect(),
            Reading::Utf16(endian) => {
                let units = value.text().encode_utf16();
                Some(units.flat_map(|unit| ordered(&unit.to_le_bytes(), 2, endian)).collect())
            }
        }
    }

    /// The open interval of numbers displayed as the value; `None` if the form is no range.
    #[must_use]
    pub fn range(self, value: &Value) -> Option<(usize, Endian, [f64; 2])> {
        let Reading::Near { width, endian } = self else { return None };
        let number = value.number()?;
        let (float, unit) = (number.float, number.unit());
        // Nearly half of all numbers are displayed as 0.
        (float.abs() >= unit && float.abs() < 1e9).then_some((width, endian, [float - unit, float + unit]))
    }

    /// Whether it is the exact value, neither scaled nor rounded.
    #[must_use]
    pub fn is_plain(self) -> bool {
        !matches!(self, Reading::Near { .. } | Reading::Int { scale: 2.., .. } | Reading::Float { scale: 2.., .. })
    }

    /// The offset of the lowest byte, which all widths of a number share.
    #[must_use]
    pub fn lowest(self, at: usize, len: usize) -> usize {
        match self {
            Reading::Int { endian: Endian::Big, .. } => at + len.saturating_sub(1),
            _ => at,
        }
    }
}

/// The forms of numbers.
fn numbers(signed: bool, all: &mut Vec<Reading>) {
    let orders = |width: usize| Endian::BOTH.into_iter().filter(move |endian| width > 1 || *endian == Endian::Little);
    for width in [1, 2, 3, 4, 8] {
        all.extend(orders(width).map(|endian| Reading::Int { width, endian, signed, scale: 1 }));
    }
    for width in [4, 8] {
        all.extend(Endian::BOTH.map(|endian| Reading::Float { width, endian, scale: 1 }));
        all.extend(Endian::BOTH.map(|endian| Reading::Float { width, endian, scale: 100 }));
        all.extend(Endian::BOTH.map(|endian| Reading::Near { width, endian }));
    }
    all.extend([Reading::Varint, Reading::Zigzag]);
    for scale in SCALES {
        for width in [2, 4] {
            all.extend(orders(width).map(|endian| Reading::Int { width, endian, signed, scale }));
        }
    }
    // A fixed-point number of two words.
    all.extend(Endian::BOTH.map(|endian| Reading::Int { width: 8, endian, signed, scale: 1 << 32 }));
}

/// The nearest number of 32 bits.
#[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
#[must_use]
pub fn narrow(float: f64) -> f32 {
    float as f32
}

/// The lowest `width` bytes in a byte order.
fn ordered(little: &[u8], width: usize, endian: Endian) -> Vec<u8> {
    let mut bytes = little.get(..width).unwrap_or(little).to_vec();
    if endian == Endian::Big {
        bytes.reverse();
    }
    bytes
}

fn leb128(number: i128) -> Option<Vec<u8>> {
    let mut rest = u64::try_from(number).ok()?;
    let mut bytes = Vec::new();
    loop {
        let low = (rest & 0x7f) as u8;
        rest >>= 7;
        bytes.push(if rest == 0 { low } else { low | 0x80 });
        if rest == 0 {
            return Some(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_displayed_number_stands_for_the_numbers_around_it() {
        let near = Reading::Near { width: 4, endian: Endian::Little };
        let range = |text: &str| near.range(&Value::parse(text).unwrap()).map(|(width, _, interval)| (width, interval));
        assert_eq!(range("1.5"), Some((4, [1.4, 1.6])));
        assert_eq!(range("-200"), Some((4, [-201.0, -199.0])));
        // Displayed as zero, or too large for a position.
        assert_eq!((range("0.0"), range("1000000000")), (None, None));
        assert_eq!(Reading::Varint.range(&Value::parse("1.5").unwrap()), None);
    }
}
