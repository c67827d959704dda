//! Fixed-width integers in all byte orders and transformations.

/// Transformation of the least significant byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tweak {
    /// Unchanged.
    None,
    /// Plus 128.
    Add,
    /// Negated.
    Neg,
    /// Subtracted from 128.
    Sub,
}

/// Encoding of a fixed-width integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// Wire positions of the bytes, most significant first.
    pub order: &'static [usize],
    /// Transformation of the least significant byte.
    pub tweak: Tweak,
    /// Two's complement.
    pub signed: bool,
}

const fn number(order: &'static [usize], tweak: Tweak, signed: bool) -> Number {
    Number { order, tweak, signed }
}

const ONE: &[usize] = &[0];
const TWO: &[usize] = &[0, 1];
const TWO_LE: &[usize] = &[1, 0];
const FOUR: &[usize] = &[0, 1, 2, 3];

/// All fixed-width integers by name.
pub const NUMBERS: &[(&str, Number)] = &[
    ("u8", U8),
    ("i8", number(ONE, Tweak::None, true)),
    ("u8_add", number(ONE, Tweak::Add, false)),
    ("i8_add", number(ONE, Tweak::Add, true)),
    ("u8_neg", number(ONE, Tweak::Neg, false)),
    ("i8_neg", number(ONE, Tweak::Neg, true)),
    ("u8_sub", number(ONE, Tweak::Sub, false)),
    ("i8_sub", number(ONE, Tweak::Sub, true)),
    ("u16", U16),
    ("i16", number(TWO, Tweak::None, true)),
    ("u16_le", number(TWO_LE, Tweak::None, false)),
    ("i16_le", number(TWO_LE, Tweak::None, true)),
    ("u16_add", number(TWO, Tweak::Add, false)),
    ("i16_add", number(TWO, Tweak::Add, true)),
    ("u16_add_le", number(TWO_LE, Tweak::Add, false)),
    ("i16_add_le", number(TWO_LE, Tweak::Add, true)),
    ("u24", number(&[0, 1, 2], Tweak::None, false)),
    ("i24", number(&[0, 1, 2], Tweak::None, true)),
    ("u24_le", number(&[2, 1, 0], Tweak::None, false)),
    ("u24_alt2", number(&[0, 2, 1], Tweak::None, false)),
    ("u24_alt3", number(&[1, 0, 2], Tweak::None, false)),
    ("i24_le", number(&[2, 1, 0], Tweak::None, true)),
    ("i24_alt2", number(&[0, 2, 1], Tweak::None, true)),
    ("i24_alt3", number(&[1, 0, 2], Tweak::None, true)),
    ("i32", I32),
    ("i32_le", number(&[3, 2, 1, 0], Tweak::None, true)),
    ("i32_me", number(&[2, 3, 0, 1], Tweak::None, true)),
    ("i32_ime", number(&[1, 0, 3, 2], Tweak::None, true)),
    ("u40", number(&[0, 1, 2, 3, 4], Tweak::None, false)),
    ("u48", number(&[0, 1, 2, 3, 4, 5], Tweak::None, false)),
    ("i64", number(&[0, 1, 2, 3, 4, 5, 6, 7], Tweak::None, true)),
];

/// 8-bit unsigned integer.
pub const U8: Number = number(ONE, Tweak::None, false);
/// 16-bit unsigned integer, big-endian.
pub const U16: Number = number(TWO, Tweak::None, false);
/// 32-bit signed integer, big-endian.
pub const I32: Number = number(FOUR, Tweak::None, true);

impl Number {
    /// Width in bytes.
    pub const fn width(self) -> usize {
        self.order.len()
    }

    /// Whether it differs from a plain big-endian number.
    pub fn is_plain(self) -> bool {
        self.tweak == Tweak::None && self.order.is_sorted()
    }

    /// Decodes the bytes.
    pub fn value(self, bytes: &[u8]) -> i64 {
        let byte = |at: &usize| bytes.get(*at).copied().unwrap_or_default();
        let (last, high) = self.order.split_last().unwrap_or((&0, &[]));
        let low = match self.tweak {
            Tweak::None => byte(last),
            Tweak::Add => byte(last).wrapping_sub(128),
            Tweak::Neg => byte(last).wrapping_neg(),
            Tweak::Sub => 128_u8.wrapping_sub(byte(last)),
        };
        let raw = high.iter().fold(0_u64, |raw, at| raw << 8 | u64::from(byte(at))) << 8 | u64::from(low);
        let unused = 64 - 8 * self.width().clamp(1, 8);
        if self.signed { (raw << unused).cast_signed() >> unused } else { raw.cast_signed() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial::bytes;

    fn read(name: &str, hex: &str) -> i64 {
        let (_, number) = NUMBERS.iter().find(|(known, _)| *known == name).unwrap();
        let bytes = bytes(hex);
        assert_eq!(bytes.len(), number.width(), "{name}");
        number.value(&bytes)
    }

    #[test]
    fn numbers_are_those_of_the_table() {
        for (name, hex, value) in [
            ("u8", "5A", 0x5a),
            ("u8_add", "DA", 0x5a),
            ("u8_neg", "A6", 0x5a),
            ("u8_sub", "26", 0x5a),
            ("u16", "1234", 0x1234),
            ("u16_le", "3412", 0x1234),
            ("u16_add", "12B4", 0x1234),
            ("u16_add_le", "B412", 0x1234),
            ("u24", "123456", 0x12_3456),
            ("i24", "FFFFFE", -2),
            ("i24", "7FFFFF", 0x7f_ffff),
            ("u24_le", "563412", 0x12_3456),
            ("u24_alt2", "125634", 0x12_3456),
            ("u24_alt3", "341256", 0x12_3456),
            ("i24_le", "FEFFFF", -2),
            ("i24_alt2", "FFFEFF", -2),
            ("i24_alt3", "80FF01", -32_767),
            ("i32", "12345678", 0x1234_5678),
            ("i32_le", "78563412", 0x1234_5678),
            ("i32_me", "56781234", 0x1234_5678),
            ("i32_ime", "34127856", 0x1234_5678),
            ("u40", "0102030405", 0x01_0203_0405),
            ("u48", "010203040506", 0x0102_0304_0506),
            ("i64", "FFFFFFFFFFFFFFFE", -2),
            ("i8", "80", -128),
            ("i8_add", "80", 0),
            ("i8_neg", "80", -128),
            ("i8_sub", "80", 0),
            ("i16_le", "FF7F", 32767),
            ("i16_add_le", "7FFF", -1),
            ("i16", "8000", -32768),
            ("i16_add", "FF7F", -1),
        ] {
            assert_eq!(read(name, hex), value, "{name} {hex}");
        }
    }
}
