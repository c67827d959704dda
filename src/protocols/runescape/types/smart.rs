//! Variable-width integers.

/// Encoding of a variable-width integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Smart {
    /// One byte below 128, otherwise two.
    Unsigned,
    /// [`Smart::Unsigned`], centered on zero.
    Signed,
    /// [`Smart::Unsigned`] minus one.
    OrNull,
    /// Repeated [`Smart::Unsigned`]: one for each 32767, and the remainder.
    Extended,
    /// Two bytes below 32768, otherwise four.
    Big,
    /// [`Smart::Big`]; 32767 in two bytes is -1.
    BigOrNull,
    /// Seven bits per byte, most significant first.
    VarintBe,
    /// Seven bits per byte, least significant first.
    VarintLe,
    /// [`Smart::VarintLe`] with the sign in the lowest bit.
    ZigZag,
    /// One byte below 252, otherwise two.
    Type,
    /// One byte if it is 0, otherwise two.
    Part,
    /// One byte 0xff for -1, otherwise eight.
    LongOrNull,
}

/// All variable-width integers by name.
pub const SMARTS: &[(&str, Smart)] = &[
    ("usmart", Smart::Unsigned),
    ("ssmart", Smart::Signed),
    ("usmart_null", Smart::OrNull),
    ("usmart_ext", Smart::Extended),
    ("bigsmart", Smart::Big),
    ("bigsmart_null", Smart::BigOrNull),
    ("varint_be", Smart::VarintBe),
    ("varint_le", Smart::VarintLe),
    ("varint_zigzag", Smart::ZigZag),
    ("varint_le_signed", Smart::ZigZag),
    ("gtype", Smart::Type),
    ("part", Smart::Part),
    ("i64_ff", Smart::LongOrNull),
    // A common alternative name.
    ("smart", Smart::Signed),
];

/// Maximum bytes of a varint.
const VARINT: usize = 5;

/// Result of decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// The number, its width, and whether a shorter encoding exists.
    Number(i64, usize, bool),
    /// The bytes end inside it.
    Short,
    /// The encoding is too long.
    TooLong,
}

impl Smart {
    /// Decodes the number at the start of the bytes.
    pub fn read(self, bytes: &[u8]) -> Read {
        match self {
            Smart::Unsigned => one_or_two(bytes, |number| number),
            Smart::Signed => one_or_two(bytes, |number| number).map_signed(),
            Smart::OrNull => one_or_two(bytes, |number| number - 1),
            Smart::Extended => extended(bytes),
            Smart::Big | Smart::BigOrNull => two_or_four(bytes, self == Smart::BigOrNull),
            Smart::VarintBe => varint(bytes, |number, _, group| number << 7 | group),
            Smart::VarintLe | Smart::ZigZag => {
                let read = varint(bytes, |number, at, group| number | group << (7 * at));
                match read {
                    Read::Number(number, used, loose) if self == Smart::ZigZag => {
                        Read::Number(number >> 1 ^ -(number & 1), used, loose)
                    }
                    read => read,
                }
            }
            Smart::Type => match bytes {
                [high @ 252..=255, low, ..] => {
                    Read::Number(i64::from(high - 252) << 8 | i64::from(*low), 2, *high == 252 && *low < 252)
                }
                [252..=255] | [] => Read::Short,
                [byte, ..] => Read::Number(i64::from(*byte), 1, false),
            },
            Smart::Part => match bytes {
                [0, ..] => Read::Number(0, 1, false),
                [high, low, ..] => Read::Number(u16::from_be_bytes([*high, *low]).into(), 2, false),
                _ => Read::Short,
            },
            Smart::LongOrNull => match (bytes, bytes.first_chunk()) {
                ([0xff, ..], _) => Read::Number(-1, 1, false),
                (_, Some(eight)) => Read::Number(i64::from_be_bytes(*eight), 8, false),
                (_, None) => Read::Short,
            },
        }
    }
}

impl Read {
    /// Centers the value on zero.
    fn map_signed(self) -> Read {
        match self {
            Read::Number(number, 1, _) => Read::Number(number - 64, 1, false),
            Read::Number(number, used, _) => {
                let number = number - 16384;
                Read::Number(number, used, (-64..64).contains(&number))
            }
            other => other,
        }
    }
}

fn one_or_two(bytes: &[u8], value: fn(i64) -> i64) -> Read {
    match bytes {
        [low @ 0..=127, ..] => Read::Number(value(i64::from(*low)), 1, false),
        [high, low, ..] => {
            let number = i64::from(u16::from_be_bytes([*high, *low])) - 32768;
            Read::Number(value(number), 2, number < 128)
        }
        _ => Read::Short,
    }
}

fn extended(bytes: &[u8]) -> Read {
    let (mut sum, mut at, mut is_loose) = (0, 0, false);
    loop {
        match one_or_two(bytes.get(at..).unwrap_or_default(), |number| number) {
            Read::Number(number, used, loose) => {
                sum += number;
                at += used;
                is_loose |= loose;
                if number < 32767 {
                    return Read::Number(sum, at, is_loose);
                }
            }
            other => return other,
        }
    }
}

fn two_or_four(bytes: &[u8], has_null: bool) -> Read {
    match bytes {
        [high @ 0..=127, low, ..] => match u16::from_be_bytes([*high, *low]) {
            0x7fff if has_null => Read::Number(-1, 2, false),
            number => Read::Number(number.into(), 2, false),
        },
        [128..=255, _, _, _, ..] => {
            let raw = bytes.first_chunk().map_or(0, |four| u32::from_be_bytes(*four)) & 0x7fff_ffff;
            let least = if has_null { 32767 } else { 32768 };
            Read::Number(raw.into(), 4, raw < least)
        }
        _ => Read::Short,
    }
}

fn varint(bytes: &[u8], add: fn(i64, usize, i64) -> i64) -> Read {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(VARINT).enumerate() {
        number = add(number, at, i64::from(byte & 0x7f)) & 0xffff_ffff;
        if byte & 0x80 == 0 {
            return Read::Number(number, at + 1, false);
        }
    }
    if bytes.len() < VARINT { Read::Short } else { Read::TooLong }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial::bytes;

    #[test]
    fn smarts_are_those_of_the_table() {
        for (smart, hex, number, is_loose) in [
            (Smart::Unsigned, "7F", 127, false),
            (Smart::Unsigned, "80 80", 128, false),
            (Smart::Unsigned, "80 C8", 200, false),
            (Smart::Unsigned, "FF FF", 32767, false),
            (Smart::Unsigned, "80 05", 5, true),
            (Smart::Signed, "00", -64, false),
            (Smart::Signed, "3F", -1, false),
            (Smart::Signed, "40", 0, false),
            (Smart::Signed, "7F", 63, false),
            (Smart::Signed, "C0 40", 64, false),
            (Smart::Signed, "BF BF", -65, false),
            (Smart::Signed, "80 00", -16384, false),
            (Smart::Signed, "FF FF", 16383, false),
            (Smart::OrNull, "00", -1, false),
            (Smart::Extended, "FF FF 05", 32772, false),
            (Smart::Big, "7F FF", 32767, false),
            (Smart::Big, "80 00 80 00", 32768, false),
            (Smart::Big, "80 01 86 A0", 100_000, false),
            (Smart::BigOrNull, "7F FF", -1, false),
            (Smart::BigOrNull, "80 00 7F FF", 32767, false),
            (Smart::VarintBe, "82 2C", 300, false),
            (Smart::VarintLe, "AC 02", 300, false),
            (Smart::ZigZag, "03", -2, false),
            (Smart::Type, "FB", 251, false),
            (Smart::Part, "00", 0, false),
            (Smart::Part, "05 E8", 1512, false),
            (Smart::LongOrNull, "FF", -1, false),
            (Smart::LongOrNull, "00 00 00 00 00 00 01 00", 256, false),
            (Smart::Type, "FF FF", 1023, false),
        ] {
            let bytes = bytes(hex);
            assert_eq!(smart.read(&bytes), Read::Number(number, bytes.len(), is_loose), "{smart:?} {hex}");
            assert_eq!(smart.read(&bytes[..bytes.len() - 1]), Read::Short, "{smart:?} {hex}");
        }
        assert_eq!(Smart::VarintLe.read(&[0xff; 6]), Read::TooLong);
    }
}
