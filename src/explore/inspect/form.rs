//! Interpretations of bytes, and their values in one message.

use super::super::rule::Endian;
use super::datum::Datum;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Maximum length of a stored text in characters.
const TEXT: usize = 64;

/// Seconds from the epochs of NTP, Windows and .NET to 1970.
const EPOCHS: [i128; 3] = [2_208_988_800, 11_644_473_600, 62_135_596_800];

/// Days from 1899-12-30, the epoch of OLE automation, to 1970.
const OLE_DAYS: f64 = 25_569.0;

const SECOND: i128 = 1_000_000_000;

/// The years 1 to 9999, in nanoseconds since 1970.
const CALENDAR: std::ops::Range<i128> = -62_135_596_800 * SECOND..253_402_300_800 * SECOND;

/// An interpretation of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An integer: size, byte order, sign.
    Int(usize, Endian, bool),
    /// A floating-point number: 4 or 8 bytes.
    Float(usize, Endian),
    /// LEB128.
    Varint,
    /// LEB128 with zigzag encoding.
    Zigzag,
    /// A time.
    Time(Unit, Endian),
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// A hardware address.
    Mac,
    /// Text up to a zero byte or the end.
    Text,
    /// Text with a length prefix: its size, byte order; size 0 for a varint.
    Counted(usize, Endian),
    /// UTF-16 up to a NUL or the end.
    Utf16(Endian),
}

/// The unit and epoch of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds since 1970, in this many bytes.
    Seconds(usize),
    /// Milliseconds since 1970.
    Millis,
    /// Microseconds since 1970.
    Micros,
    /// Nanoseconds since 1970.
    Nanos,
    /// Seconds since 1900 with a fraction, 32 bits each.
    Ntp,
    /// Units of 100 ns since 1601.
    FileTime,
    /// Units of 100 ns since the year 1.
    DotNet,
    /// Days since 1899-12-30 as a floating-point number.
    Ole,
}

impl Form {
    /// All forms.
    #[must_use]
    pub fn all() -> Vec<Form> {
        let mut all = Vec::new();
        for width in [1, 2, 3, 4, 8] {
            for endian in orders(width) {
                all.extend([false, true].map(|signed| Form::Int(width, endian, signed)));
            }
        }
        all.extend([4, 8].into_iter().flat_map(|width| Endian::BOTH.map(|endian| Form::Float(width, endian))));
        all.extend([Form::Varint, Form::Zigzag]);
        let units = [
            Unit::Seconds(4),
            Unit::Seconds(8),
            Unit::Millis,
            Unit::Micros,
            Unit::Nanos,
            Unit::Ntp,
            Unit::FileTime,
            Unit::DotNet,
            Unit::Ole,
        ];
        all.extend(units.into_iter().flat_map(|unit| Endian::BOTH.map(|endian| Form::Time(unit, endian))));
        all.extend([Form::Ipv4, Form::Ipv6, Form::Mac, Form::Text]);
        for width in [1, 2, 4] {
            all.extend(orders(width).map(|endian| Form::Counted(width, endian)));
        }
        all.push(Form::Counted(0, Endian::Little));
        all.extend(Endian::BOTH.map(Form::Utf16));
        all
    }

    /// The value of the bytes; `None` if they are too few, or invalid.
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> Option<Datum> {
        match self {
            Form::Int(width, endian, signed) => {
                let value = endian.read(bytes.get(..width)?);
                let bits = u32::try_from(width * 8).ok()?;
                let is_negative = signed && value >> (bits - 1) & 1 == 1;
                Some(Datum::Int(i128::from(value) - if is_negative { 1 << bits } else { 0 }))
            }
            Form::Float(width, endian) => float(bytes, width, endian).map(Datum::Float),
            Form::Varint => leb128(bytes).map(|(_, value)| Datum::Int(value.into())),
            Form::Zigzag => leb128(bytes).map(|(_, value)| {
                let half = i128::from(value >> 1);
                Datum::Int(if value & 1 == 1 { -half - 1 } else { half })
            }),
            Form::Time(unit, endian) => unit.read(bytes, endian).filter(|time| CALENDAR.contains(time)).map(Datum::Time),
            Form::Ipv4 => Some(Datum::Text(Ipv4Addr::from(<[u8; 4]>::try_from(bytes.get(..4)?).ok()?).to_string())),
            Form::Ipv6 => Some(Datum::Text(Ipv6Addr::from(<[u8; 16]>::try_from(bytes.get(..16)?).ok()?).to_string())),
            Form::Mac => {
                let pairs: Vec<String> = bytes.get(..6)?.iter().map(|byte| format!("{byte:02x}")).collect();
                Some(Datum::Text(pairs.join(":")))
            }
            Form::Text => {
                let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
                text(bytes.get(..end)?, false)
            }
            Form::Counted(width, endian) => {
                let (width, length) = if width == 0 { leb128(bytes)? } else { (width, endian.read(bytes.get(..width)?)) };
                let end = width.checked_add(usize::try_from(length).ok()?)?;
                text(bytes.get(width..end)?, true)
            }
            Form::Utf16(endian) => {
                let units = bytes.chunks_exact(2).map(|pair| u16::try_from(endian.read(pair)).unwrap_or(0));
                let units: Vec<u16> = units.take_while(|unit| *unit != 0).take(TEXT).collect();
                printable(&String::from_utf16(&units).ok()?)
            }
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = |width: usize, endian: Endian| if width == 1 { "" } else { endian.name() };
        match *self {
            Form::Int(width, endian, signed) => {
                write!(f, "{}{}{}", if signed { 'i' } else { 'u' }, width * 8, order(width, endian))
            }
            Form::Float(width, endian) => write!(f, "f{}{}", width * 8, endian.name()),
            Form::Varint => f.write_str("varint"),
            Form::Zigzag => f.write_str("zigzag"),
            Form::Time(unit, endian) => write!(f, "{} {}", unit.name(), endian.name()),
            Form::Ipv4 => f.write_str("IPv4"),
            Form::Ipv6 => f.write_str("IPv6"),
            Form::Mac => f.write_str("MAC"),
            Form::Text => f.write_str("text"),
            Form::Counted(0, _) => f.write_str("varint text"),
            Form::Counted(width, endian) => write!(f, "u{}{} text", width * 8, order(width, endian)),
            Form::Utf16(endian) => write!(f, "UTF-16{}", endian.name()),
        }
    }
}

impl Unit {
    /// The name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unit::Seconds(4) => "unix32",
            Unit::Seconds(_) => "unix64",
            Unit::Millis => "unix ms",
            Unit::Micros => "unix µs",
            Unit::Nanos => "unix ns",
            Unit::Ntp => "NTP",
            Unit::FileTime => "FILETIME",
            Unit::DotNet => ".NET ticks",
            Unit::Ole => "OLE date",
        }
    }

    /// Nanoseconds since 1970.
    fn read(self, bytes: &[u8], endian: Endian) -> Option<i128> {
        let [ntp, windows, dot_net] = EPOCHS;
        let number = |width: usize| bytes.get(..width).map(|bytes| i128::from(endian.read(bytes)));
        Some(match self {
            Unit::Seconds(width) => number(width)? * SECOND,
            Unit::Millis => number(8)? * 1_000_000,
            Unit::Micros => number(8)? * 1000,
            Unit::Nanos => number(8)?,
            Unit::Ntp => ((number(8)? * SECOND) >> 32) - ntp * SECOND,
            Unit::FileTime => number(8)? * 100 - windows * SECOND,
            Unit::DotNet => (number(8)? & ((1 << 62) - 1)) * 100 - dot_net * SECOND,
            Unit::Ole => {
                let days = float(bytes, 8, endian).filter(|days| (1.0..3e6).contains(days))?;
                format!("{:.0}", (days - OLE_DAYS) * 86_400e9).parse().ok()?
            }
        })
    }
}

/// The byte orders of a number of this size.
fn orders(width: usize) -> impl Iterator<Item = Endian> {
    Endian::BOTH.into_iter().filter(move |endian| width > 1 || *endian == Endian::Little)
}

fn float(bytes: &[u8], width: usize, endian: Endian) -> Option<f64> {
    let bits = endian.read(bytes.get(..width)?);
    if width == 4 { u32::try_from(bits).ok().map(|bits| f64::from(f32::from_bits(bits))) } else { Some(f64::from_bits(bits)) }
}

/// Size and value of a LEB128 number of up to 64 bits; `None` if a shorter encoding exists.
#[must_use]
pub fn leb128(bytes: &[u8]) -> Option<(usize, u64)> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(u32::try_from(7 * place).ok()?)?;
        if byte & 0x80 == 0 {
            return (place == 0 || *byte != 0).then_some((place + 1, value));
        }
    }
    None
}

/// A text without control characters; one that may be truncated ends before the first of them.
fn text(bytes: &[u8], is_whole: bool) -> Option<Datum> {
    if is_whole {
        return printable(std::str::from_utf8(bytes).ok()?);
    }
    let bytes = bytes.get(..4 * TEXT).unwrap_or(bytes);
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = valid.find(char::is_control).unwrap_or(valid.len());
    printable(valid.get(..end)?)
}

fn printable(text: &str) -> Option<Datum> {
    let is_good = text.chars().all(|character| !character.is_control() || matches!(character, '\n' | '\r' | '\t'));
    (is_good && !text.is_empty()).then(|| Datum::Text(text.chars().take(TEXT).collect()))
}
