//! Numbers, bits and codes of letters as bytes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "the tables are the shipped ones")]

use std::fmt::Write;
use std::ops::Range;

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
    ('2', "000000001100"),
    ('H', "000011011"),
];

/// Bits, most significant first, padded with zeros.
pub fn bytes_of(bits: &str) -> Vec<u8> {
    let byte = |bits: &[u8]| bits.iter().chain([b'0'; 8].iter()).take(8).fold(0, |byte, bit| byte << 1 | (bit - b'0'));
    bits.as_bytes().chunks(8).map(byte).collect()
}

/// Writes a number of this type. Returns its value as it is read back.
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
            usmart(value + 1, out);
            return value;
        }
        "bigsmart_null" => {
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
            if value == 0 {
                out.push(0)
            } else {
                out.extend(short(value))
            }
            return value;
        }
        "i64_ff" => {
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

/// Letters of a name in base 37, from 1.
const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// The letters of a name in base 37.
pub fn letters(mut number: i64) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        let digit = usize::try_from(number % 37).unwrap();
        letters.push(digit.checked_sub(1).map_or('_', |place| char::from(LETTERS[place])));
        number /= 37;
    }
    letters.iter().rev().collect()
}

/// Text in Windows-1252, with letters of Latin-1 only.
pub fn latin(text: &str) -> impl Iterator<Item = u8> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap())
}

/// A value as trees show it, and its bits: counted from the start of the payload, or of changed bytes as they were
/// before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub path: String,
    pub value: String,
    pub bits: Range<usize>,
    pub is_changed: bool,
}

impl Shown {
    /// The same value, shifted by this many bytes.
    pub fn after(mut self, bytes: usize) -> Shown {
        if !self.is_changed {
            self.bits = self.bits.start + 8 * bytes..self.bits.end + 8 * bytes;
        }
        self
    }
}

/// Bytes written, and their values in order.
#[derive(Default)]
pub struct Written {
    pub bytes: Vec<u8>,
    pub shown: Vec<Shown>,
}

impl Written {
    /// Appends bytes.
    pub fn append(&mut self, other: Written) {
        let before = self.bytes.len();
        self.bytes.extend(other.bytes);
        self.shown.extend(other.shown.into_iter().map(|shown| shown.after(before)));
    }

    /// Appends a value of these bytes.
    pub fn put(&mut self, path: &str, value: String, bytes: impl IntoIterator<Item = u8>) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let bits = 8 * start..8 * self.bytes.len();
        self.shown.push(Shown { path: path.to_owned(), value, bits, is_changed: false });
    }
}

/// Bits in writing order, most significant first, and their values.
#[derive(Default)]
pub struct Bits {
    pub text: String,
    shown: Vec<Shown>,
}

impl Bits {
    /// Writes a number of this width, read back as unsigned, or as signed if the width is negative.
    pub fn put(&mut self, path: &str, value: i64, width: i32) {
        let unused = 64 - width.unsigned_abs();
        let raw = value.cast_unsigned() << unused >> unused;
        let shown = if width < 0 { (value << unused >> unused).to_string() } else { raw.to_string() };
        self.write(path, raw, 64 - unused, shown);
    }

    /// Writes one bit, read back as a boolean.
    pub fn flag(&mut self, path: &str, value: bool) {
        self.write(path, value.into(), 1, value.to_string());
    }

    fn write(&mut self, path: &str, raw: u64, width: u32, value: String) {
        let start = self.text.len();
        let width = usize::try_from(width).unwrap();
        // Writing to a String does not fail.
        let _ = write!(self.text, "{raw:0width$b}");
        self.shown.push(Shown { path: path.to_owned(), value, bits: start..self.text.len(), is_changed: false });
    }

    /// Pads the last byte.
    pub fn align(&mut self) {
        while !self.text.len().is_multiple_of(8) {
            self.text.push('0');
        }
    }

    pub fn written(self) -> Written {
        Written { bytes: bytes_of(&self.text), shown: self.shown }
    }
}
