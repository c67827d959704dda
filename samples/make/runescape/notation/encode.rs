//! Numbers, bits and codes of letters as bytes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "the tables are the shipped ones")]

use std::fmt::Write;

/// Letters of chat text, and their codes.
pub const CODES: &[(char, &str)] = &[
    (' ', "001"),
    ('a', "0100"),
    ('b', "0001011"),
    ('c', "000110"),
    ('d', "01010"),
    ('e', "011"),
    ('f', "000111"),
    ('g', "010110"),
    ('h', "10000"),
    ('i', "1001"),
    ('j', "0001010100"),
    ('k', "0101110"),
    ('l', "10001"),
    ('m', "101000"),
    ('n', "1011"),
    ('o', "1100"),
    ('p', "101001"),
    ('q', "0001010101"),
    ('r', "10101"),
    ('s', "1101"),
    ('t', "1110"),
    ('u', "11110"),
    ('v', "0101111"),
    ('w', "111110"),
    ('x', "0001010110"),
    ('y', "111111"),
    ('z', "0001010111"),
    ('.', "000010"),
    (',', "0000010"),
    ('!', "00000001"),
    ('?', "00000111"),
    ('\'', "0000001"),
];

/// Bits, most significant first, filled up with zeros.
pub fn bytes_of(bits: &str) -> Vec<u8> {
    let byte = |bits: &[u8]| bits.iter().chain([b'0'; 8].iter()).take(8).fold(0, |byte, bit| byte << 1 | (bit - b'0'));
    bits.as_bytes().chunks(8).map(byte).collect()
}

/// Writes a number of this type. Returns it as it is read back.
pub fn encoded(kind: &str, value: i64, out: &mut Vec<u8>) -> i64 {
    let short = |value: i64| u16::try_from(value).unwrap().to_be_bytes();
    let usmart = |value: i64, out: &mut Vec<u8>| match value {
        0..128 => out.push(u8::try_from(value).unwrap()),
        _ => out.extend(short(value + 32768)),
    };
    match kind {
        "usmart" => {
            let value = value & 0x7fff;
            usmart(value, out);
            return value;
        }
        "usmart_null" => {
            let value = (value & 0x7fff) - 1;
            usmart(value + 1, out);
            return value;
        }
        "bigsmart_null" => {
            let value = if value & 7 == 7 { -1 } else { value & 0x7fff_ffff };
            match value {
                -1 => out.extend([0x7f, 0xff]),
                0..32767 => out.extend(short(value)),
                _ => out.extend((u32::try_from(value).unwrap() | 1 << 31).to_be_bytes()),
            }
            return value;
        }
        "varint_le" | "varint_le_signed" => {
            let is_signed = kind == "varint_le_signed";
            let value = if is_signed { value << 32 >> 32 } else { value & 0xffff_ffff };
            let mut rest = if is_signed { (value << 1 ^ value >> 63) & 0xffff_ffff } else { value };
            loop {
                let group = u8::try_from(rest & 0x7f).unwrap();
                rest >>= 7;
                out.push(group | if rest > 0 { 0x80 } else { 0 });
                if rest == 0 {
                    return value;
                }
            }
        }
        "part" => {
            let value = if value & 1 == 0 { 0 } else { value & 0x7fff | 256 };
            if value == 0 {
                out.push(0)
            } else {
                out.extend(short(value))
            }
            return value;
        }
        "i64_ff" => {
            let value = if value & 1 == 0 { -1 } else { value & i64::MAX };
            if value == -1 {
                out.push(0xff)
            } else {
                out.extend(value.to_be_bytes())
            }
            return value;
        }
        _ => {}
    }
    let (name, how) = kind.split_once('_').unwrap_or((kind, ""));
    let is_signed = name.starts_with('i') || name.starts_with("com");
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let width: usize = digits.parse::<usize>().unwrap_or_else(|_| panic!("{kind} is unknown")) / 8;
    let mut bytes = value.to_be_bytes()[8 - width..].to_vec();
    let low = &mut bytes[width - 1];
    *low = match how.split('_').next().unwrap() {
        "add" => low.wrapping_add(128),
        "neg" => low.wrapping_neg(),
        "sub" => 128_u8.wrapping_sub(*low),
        _ => *low,
    };
    let order: &[usize] = match (width, how) {
        (2, "le" | "add_le") => &[1, 0],
        (3, "le") => &[2, 1, 0],
        (3, "alt2") => &[0, 2, 1],
        (3, "alt3") => &[1, 0, 2],
        (4, "le") => &[3, 2, 1, 0],
        (4, "me") => &[2, 3, 0, 1],
        (4, "ime") => &[1, 0, 3, 2],
        _ => &[0, 1, 2, 3, 4, 5, 6, 7],
    };
    out.extend(order.iter().take(width).map(|at| bytes[*at]));
    let unused = 64 - 8 * u32::try_from(width).unwrap();
    if is_signed { value << unused >> unused } else { (value.cast_unsigned() << unused >> unused).cast_signed() }
}

/// Bits in writing order, most significant first.
#[derive(Default)]
pub struct Bits(pub String);

impl Bits {
    pub fn put(&mut self, value: i64, width: usize) {
        let value = value.cast_unsigned() & (u64::MAX >> (64 - width));
        // Writing to a String does not fail.
        let _ = write!(self.0, "{value:0width$b}");
    }

    /// Fills up the last byte.
    pub fn align(&mut self) {
        while !self.0.len().is_multiple_of(8) {
            self.0.push('0');
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        bytes_of(&self.0)
    }
}
