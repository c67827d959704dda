//! Values of GpBinary, versions 1.6 and 1.8.
//!
//! ```text
//! 1.6, big-endian; `type` is a letter
//!   * null   b byte:1   o boolean:1   k short:2   i integer:4   l long:8   f float:4   d double:8
//!   s length:2 | text         x length:4 | bytes           c code:1 | length:2 | bytes
//!   a count:2 | text …        n count:4 | integer …        y count:2 | type:1 | value without type …
//!   z count:2 | value …       h count:2 | (value | value) …
//!   D type:1 | type:1 | count:2 | (value | value) …, without types unless that of the dictionary is 0 or *
//! 1.8, little-endian; lengths and counts have seven bits a byte
//!   2 boolean:1   3 byte:1   4 short:2   5 float:4   6 double:8   7 length | text   8 null
//!   9 integer, 10 long, both zigzag   11, 15 positive:1   12, 16 negative:1   13, 17 positive:2   14, 18 negative:2
//!   19 code:1 | length | bytes; 128 and above have the code in the type
//!   20 type:1 | type:1 | count | (value | value) …    21 count | (value | value) …    23, 64 count | value …
//!   27 false   28 true   29 to 34 zero
//!   66 count | bits    67 length | bytes    68 to 74 count | value without type …
//!   83 count | code:1 | (length | bytes) …    84 type:1 | type:1 | count | dictionary …    85 count | table …
//!   The type of a dictionary that is a value in another one is followed by its own types.
//! ```
//! Not covered: arrays of arrays in dictionaries of the version 1.8.

use super::message_fields::*;
use crate::tree::{Field, Value};
use crate::wire::{Error, Result, Varint, Wire};

/// Version of the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    V16,
    V18,
}

/// Types of the version 1.8 that elements without a type have as well.
mod v18 {
    pub(super) const BYTE: u8 = 3;
    pub(super) const SHORT: u8 = 4;
    pub(super) const FLOAT: u8 = 5;
    pub(super) const DOUBLE: u8 = 6;
    pub(super) const STRING: u8 = 7;
    pub(super) const INTEGER: u8 = 9;
    pub(super) const LONG: u8 = 10;
    pub(super) const DICTIONARY: u8 = 20;
    pub(super) const HASHTABLE: u8 = 21;
    pub(super) const JAGGED: u8 = 64;
    /// The lowest type that contains a code of the application, and the highest one.
    pub(super) const CUSTOM: u8 = 128;
    pub(super) const CUSTOM_LAST: u8 = 228;
}

/// The type of a value of any type in dictionaries, of both versions.
const ANY: u8 = 0;
const ANY_V16: u8 = b'*';

impl Encoding {
    /// Whether a value may have this type.
    pub(super) fn has(self, kind: u8) -> bool {
        match self {
            Encoding::V16 => crate::tree::name_of(TYPES_16, kind.into()).is_some(),
            Encoding::V18 => crate::tree::name_of(TYPES_18, kind.into()).is_some() || is_custom(kind),
        }
    }

    /// Dissects a type and a value.
    pub(super) fn value(self, wire: &mut Wire<'_>) -> Result {
        match self {
            Encoding::V16 => {
                let kind = wire.u8(&TYPE_16)?;
                value_16(wire, kind)
            }
            Encoding::V18 => {
                let kind = wire.u8(&TYPE_18)?;
                value_18(wire, kind)
            }
        }
    }
}

fn is_custom(kind: u8) -> bool {
    (v18::CUSTOM..=v18::CUSTOM_LAST).contains(&kind)
}

/// Dissects elements as long as there are some and bytes for them.
fn elements(wire: &mut Wire<'_>, count: u64, mut read: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    for _ in 0..count {
        let start = wire.at();
        read(wire)?;
        if wire.at() == start {
            return wire.malformed(&BAD_VALUE, format_args!("{count} elements without bytes"));
        }
    }
    Ok(())
}

/// Dissects a length and as many bytes.
fn sized(wire: &mut Wire<'_>, field: &'static Field, read: impl FnOnce(&mut Wire<'_>) -> Result<u64>) -> Result {
    let length = usize::try_from(read(wire)?).unwrap_or(usize::MAX);
    if field.kind == crate::tree::Kind::Text { wire.text(field, length).map(drop) } else { wire.bytes(field, length).map(drop) }
}

fn value_16(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        b'*' | ANY => Ok(()),
        b'b' => wire.u8(&NUMBER).map(drop),
        b'o' => wire.bool(&BOOL).map(drop),
        b'k' => wire.i16_be(&NUMBER).map(drop),
        b'i' => wire.i32_be(&NUMBER).map(drop),
        b'l' => wire.i64_be(&NUMBER).map(drop),
        b'f' => wire.f32_be(&FLOAT).map(drop),
        b'd' => wire.f64_be(&FLOAT).map(drop),
        b's' => sized(wire, &TEXT, short_16(&LENGTH)),
        b'x' => sized(wire, &BYTES, |wire| wire.u32_be(&LENGTH).map(u64::from)),
        b'c' => {
            wire.u8(&CUSTOM)?;
            sized(wire, &BYTES, short_16(&LENGTH))
        }
        b'a' => {
            let count = short_16(&COUNT)(wire)?;
            elements(wire, count, |wire| value_16(wire, b's'))
        }
        b'n' => {
            let count = wire.u32_be(&COUNT)?;
            elements(wire, count.into(), |wire| value_16(wire, b'i'))
        }
        b'y' => array_16(wire),
        b'z' => {
            let count = short_16(&COUNT)(wire)?;
            elements(wire, count, |wire| wire.group(&ELEMENT, |wire| Encoding::V16.value(wire)))
        }
        b'h' => {
            let count = short_16(&COUNT)(wire)?;
            entries_16(wire, count, [ANY; 2])
        }
        b'D' => {
            let types = [wire.u8(&KEY_TYPE_16)?, wire.u8(&VALUE_TYPE_16)?];
            let count = short_16(&COUNT)(wire)?;
            entries_16(wire, count, types)
        }
        _ => wire.malformed(&BAD_VALUE, format_args!("type {kind:#04x}")),
    }
}

/// A reader of a length or count in two bytes.
fn short_16(field: &'static Field) -> impl FnOnce(&mut Wire<'_>) -> Result<u64> {
    move |wire| wire.u16_be(field).map(u64::from)
}

/// Dissects values of one type, which is stated once.
fn array_16(wire: &mut Wire<'_>) -> Result {
    let count = short_16(&COUNT)(wire)?;
    let kind = wire.u8(&ELEMENT_TYPE_16)?;
    match kind {
        b'c' => {
            wire.u8(&CUSTOM)?;
            elements(wire, count, |wire| sized(wire, &BYTES, short_16(&LENGTH)))
        }
        b'D' => {
            let types = [wire.u8(&KEY_TYPE_16)?, wire.u8(&VALUE_TYPE_16)?];
            elements(wire, count, |wire| {
                wire.group(&ELEMENT, |wire| {
                    let count = short_16(&COUNT)(wire)?;
                    entries_16(wire, count, types)
                })
            })
        }
        b'a' | b'h' | b'n' | b'y' | b'z' => elements(wire, count, |wire| wire.group(&ELEMENT, |wire| value_16(wire, kind))),
        _ => elements(wire, count, |wire| value_16(wire, kind)),
    }
}

/// Dissects pairs of these types.
fn entries_16(wire: &mut Wire<'_>, count: u64, types: [u8; 2]) -> Result {
    elements(wire, count, |wire| {
        wire.group(&ENTRY, |wire| {
            types.into_iter().try_for_each(|kind| match kind {
                ANY | ANY_V16 => Encoding::V16.value(wire),
                kind => value_16(wire, kind),
            })
        })
    })
}

/// Dissects a length or count of seven bits a byte.
fn compressed(wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
    const MOST: usize = 5;
    match wire.varint(field, MOST)? {
        Some(number) => Ok(number),
        None => wire.malformed(&BAD_VALUE, format_args!("a number of more than {MOST} bytes")),
    }
}

/// Dissects a signed number of seven bits a byte, at most this many.
fn zigzag(wire: &mut Wire<'_>, most: usize) -> Result {
    match Varint::decode(wire.ahead(), most) {
        Varint::Number(number, size) => {
            let value = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
            wire.put(&NUMBER, Value::Signed(value), wire.at()..wire.at() + size);
            wire.skip(size)
        }
        Varint::Short => Err(Error::Short { needed: 1 }),
        Varint::TooLong => wire.malformed(&BAD_VALUE, format_args!("a number of more than {most} bytes")),
    }
}

/// Puts a value that the type states.
fn stated(wire: &mut Wire<'_>, field: &'static Field, value: Value) {
    wire.put(field, value, wire.at() - 1..wire.at());
}

/// Dissects the value behind a type.
fn value_18(wire: &mut Wire<'_>, kind: u8) -> Result {
    let negative = |number: u16| Value::Signed(-i64::from(number));
    match kind {
        11 | 15 => wire.u8(&NUMBER).map(drop),
        12 | 16 => wire.number_with(&NUMBER, |bytes| negative(u8::from_le_bytes(bytes).into())).map(drop),
        13 | 17 => wire.u16_le(&NUMBER).map(drop),
        14 | 18 => wire.number_with(&NUMBER, |bytes| negative(u16::from_le_bytes(bytes))).map(drop),
        27 | 28 => {
            stated(wire, &BOOL, Value::Bool(kind == 28));
            Ok(())
        }
        29..=31 | 34 => {
            stated(wire, &NUMBER, Value::Signed(0));
            Ok(())
        }
        32 | 33 => {
            stated(wire, &FLOAT, Value::Double(0.0));
            Ok(())
        }
        84 => {
            let types = dictionary_types(wire)?;
            let count = compressed(wire, &COUNT)?;
            elements(wire, count, |wire| wire.group(&ELEMENT, |wire| entries_18(wire, types)))
        }
        _ if is_custom(kind) => {
            wire.put(&CUSTOM, Value::Unsigned((kind - v18::CUSTOM).into()), wire.at() - 1..wire.at());
            sized(wire, &BYTES, |wire| compressed(wire, &LENGTH))
        }
        _ => plain_18(wire, kind),
    }
}

/// Dissects a value whose type is known from elsewhere.
fn plain_18(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        8 => Ok(()),
        2 => wire.bool(&BOOL).map(drop),
        v18::BYTE => wire.u8(&NUMBER).map(drop),
        v18::SHORT => wire.i16_le(&NUMBER).map(drop),
        v18::FLOAT => wire.f32_le(&FLOAT).map(drop),
        v18::DOUBLE => wire.f64_le(&FLOAT).map(drop),
        v18::STRING => sized(wire, &TEXT, |wire| compressed(wire, &LENGTH)),
        v18::INTEGER => zigzag(wire, 5),
        v18::LONG => zigzag(wire, 10),
        19 => {
            wire.u8(&CUSTOM)?;
            sized(wire, &BYTES, |wire| compressed(wire, &LENGTH))
        }
        v18::DICTIONARY => {
            let types = dictionary_types(wire)?;
            entries_18(wire, types)
        }
        v18::HASHTABLE => entries_18(wire, &[ANY; 2]),
        23 | v18::JAGGED => {
            let count = compressed(wire, &COUNT)?;
            elements(wire, count, |wire| wire.group(&ELEMENT, |wire| Encoding::V18.value(wire)))
        }
        66 => {
            let count = compressed(wire, &COUNT)?;
            wire.optional(&BITS, usize::try_from(count.div_ceil(8)).unwrap_or(usize::MAX)).map(drop)
        }
        67 => sized(wire, &BYTES, |wire| compressed(wire, &LENGTH)),
        // The type of an array is that of its elements and 64.
        68..=71 | 73 | 74 => {
            let count = compressed(wire, &COUNT)?;
            elements(wire, count, |wire| plain_18(wire, kind - v18::JAGGED))
        }
        83 => {
            let count = compressed(wire, &COUNT)?;
            wire.u8(&CUSTOM)?;
            elements(wire, count, |wire| sized(wire, &BYTES, |wire| compressed(wire, &LENGTH)))
        }
        85 => {
            let count = compressed(wire, &COUNT)?;
            elements(wire, count, |wire| wire.group(&ELEMENT, |wire| plain_18(wire, v18::HASHTABLE)))
        }
        _ => wire.malformed(&BAD_VALUE, format_args!("type {kind}")),
    }
}

/// Dissects the types of a dictionary: of its keys and its values, then those of dictionaries that are its values.
fn dictionary_types<'a>(wire: &mut Wire<'a>) -> Result<&'a [u8]> {
    let ahead = wire.ahead();
    let mut size = 0;
    loop {
        wire.u8(&KEY_TYPE_18)?;
        let value = wire.u8(&VALUE_TYPE_18)?;
        size += 2;
        match value {
            v18::DICTIONARY => {}
            v18::JAGGED => return wire.malformed(&BAD_VALUE, format_args!("arrays of arrays in a dictionary")),
            _ => return Ok(ahead.get(..size).unwrap_or_default()),
        }
    }
}

/// Dissects a count and pairs of these types; [`ANY`] if each value has its own.
fn entries_18(wire: &mut Wire<'_>, types: &[u8]) -> Result {
    let [key, value, nested @ ..] = types else { return Err(Error::Malformed) };
    let one = |wire: &mut Wire<'_>, kind: u8| match kind {
        ANY => Encoding::V18.value(wire),
        v18::DICTIONARY if !nested.is_empty() => entries_18(wire, nested),
        kind => plain_18(wire, kind),
    };
    let count = compressed(wire, &COUNT)?;
    elements(wire, count, |wire| {
        wire.group(&ENTRY, |wire| {
            one(wire, *key)?;
            one(wire, *value)
        })
    })
}
