//! Protocol Buffers wire format inside messages of other protocols: fields by number, without a schema.
//!
//! ```text
//! field       tag (varint: number << 3 | wire type) | value
//!   0 varint            varint
//!   1 64-bit            8 bytes, little-endian
//!   2 length-delimited  length (varint) | bytes: text, a message or anything else
//!   5 32-bit            4 bytes, little-endian
//! ```
//! Without a schema, a length-delimited value is shown as text if it is printable, else as a message if it parses as one.
//! Fields of such a message have names below `protobuf.message`: without a schema, Wireshark decodes the outermost fields only.
//! The deprecated groups (wire types 3 and 4) are not covered.

use crate::tree::{Field, Names, NodeRef, Value, fields, title};
use crate::wire::{Heuristic, On, Protocol, Result, Varint, Wire};
use std::fmt::{self, Write};

pub static PROTOCOL: Protocol =
    Protocol::new(&PROTOBUF, FIELDS).found(&[On::Chosen.datagram(Heuristic::Anything, |wire| message(wire, wire.remaining()))]);

fields! {
    PROTOBUF = protocol("protobuf", "Protobuf", "Protocol Buffers, inside other protocols")
        .covers("Fields by number and wire type, nested messages and texts recognized by content")
        .leaves_open("Schemas, packed fields and groups");
    FIELD = group("protobuf.field", "field", "").collapsed(field_value, title::nothing).named(field_title, field_value, title::nothing);
    NUMBER = number("protobuf.field.number", "field number", "").once_per(&FIELD);
    WIRE_TYPE = number("protobuf.field.wiretype", "wire type", "").mask(0x07).names(WIRE_TYPES).once_per(&FIELD);
    LENGTH = number("protobuf.field.value.length", "value length", "In bytes").once_per(&FIELD);
    UINT64 = number("protobuf.field.value.uint64", "uint64", "64-bit value, or varint of more than 32 bits").once_per(&FIELD);
    UINT32 = number("protobuf.field.value.uint32", "uint32", "32-bit value, or varint of at most 32 bits").once_per(&FIELD);
    STRING = text("protobuf.field.value.string", "string", "Value that is printable text").once_per(&FIELD);
    VALUE = bytes("protobuf.field.value", "value", "As transmitted, without its length").once_per(&FIELD);
    MESSAGE = group("protobuf.message", "message", "Value that parses as a message").once_per(&FIELD);
    N_FIELD = group("protobuf.message.field", "field", "").collapsed(field_value, title::nothing).named(field_title, field_value, title::nothing);
    N_NUMBER = number("protobuf.message.field.number", "field number", "").once_per(&N_FIELD);
    N_WIRE_TYPE = number("protobuf.message.field.wiretype", "wire type", "").mask(0x07).names(WIRE_TYPES).once_per(&N_FIELD);
    N_LENGTH = number("protobuf.message.field.value.length", "value length", "In bytes").once_per(&N_FIELD);
    N_UINT64 = number("protobuf.message.field.value.uint64", "uint64", "64-bit value, or varint of more than 32 bits").once_per(&N_FIELD);
    N_UINT32 = number("protobuf.message.field.value.uint32", "uint32", "32-bit value, or varint of at most 32 bits").once_per(&N_FIELD);
    N_STRING = text("protobuf.message.field.value.string", "string", "Value that is printable text").once_per(&N_FIELD);
    N_VALUE = bytes("protobuf.message.field.value", "value", "As transmitted, without its length").once_per(&N_FIELD);
    N_MESSAGE = group("protobuf.message.field.message", "message", "Value that parses as a message").once_per(&N_FIELD);
}

const WIRE_TYPES: Names = &[(0, "varint"), (1, "64-bit"), (2, "length-delimited"), (5, "32-bit")];

/// Longest varint in bytes.
const VARINT: usize = 10;

/// Levels of nested messages.
const DEPTH: usize = 16;

/// The fields of one kind of message.
struct Set {
    field: &'static Field,
    number: &'static Field,
    wire_type: &'static Field,
    length: &'static Field,
    uint64: &'static Field,
    uint32: &'static Field,
    string: &'static Field,
    value: &'static Field,
    message: &'static Field,
}

static OUTERMOST: Set = Set {
    field: &FIELD,
    number: &NUMBER,
    wire_type: &WIRE_TYPE,
    length: &LENGTH,
    uint64: &UINT64,
    uint32: &UINT32,
    string: &STRING,
    value: &VALUE,
    message: &MESSAGE,
};

static NESTED: Set = Set {
    field: &N_FIELD,
    number: &N_NUMBER,
    wire_type: &N_WIRE_TYPE,
    length: &N_LENGTH,
    uint64: &N_UINT64,
    uint32: &N_UINT32,
    string: &N_STRING,
    value: &N_VALUE,
    message: &N_MESSAGE,
};

impl Set {
    /// The fields of a message below which `levels` more may be nested.
    fn at(levels: usize) -> &'static Set {
        if levels == DEPTH { &OUTERMOST } else { &NESTED }
    }
}

/// Tag and size of the field at the start of the bytes.
struct Tag {
    number: u64,
    kind: u8,
    /// Bytes of the tag.
    size: usize,
    /// Bytes of the length of a length-delimited value.
    length_size: usize,
    /// Bytes of the value.
    value: usize,
}

impl Tag {
    fn of(bytes: &[u8]) -> Option<Tag> {
        let varint = |at: usize| match Varint::decode(bytes.get(at..)?, VARINT) {
            Varint::Number(number, size) => Some((number, size)),
            Varint::Short | Varint::TooLong => None,
        };
        let (tag, size) = varint(0)?;
        let kind = u8::try_from(tag & 7).ok()?;
        let (length_size, value) = match kind {
            0 => (0, varint(size)?.1),
            1 => (0, 8),
            2 => {
                let (length, length_size) = varint(size)?;
                (length_size, usize::try_from(length).ok()?)
            }
            5 => (0, 4),
            _ => return None,
        };
        let number = tag >> 3;
        let end = (size + length_size).checked_add(value)?;
        ((1..1 << 29).contains(&number) && end <= bytes.len()).then_some(Tag { number, kind, size, length_size, value })
    }

    fn whole(&self) -> usize {
        self.size + self.length_size + self.value
    }
}

/// Whether all of the bytes are fields.
pub(super) fn is_message(mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let Some(tag) = Tag::of(bytes) else { return false };
        bytes = bytes.get(tag.whole()..).unwrap_or_default();
    }
    true
}

/// Whether the bytes are printable text.
fn is_printable(bytes: &[u8]) -> bool {
    let is_shown = |character: char| !character.is_control() || matches!(character, '\n' | '\r' | '\t');
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_shown))
}

/// Dissects the next `count` bytes, for which [`is_message`] holds.
pub(super) fn message(wire: &mut Wire<'_>, count: usize) -> Result {
    level(wire, count, DEPTH)
}

fn level(wire: &mut Wire<'_>, count: usize, levels: usize) -> Result {
    let set = Set::at(levels);
    let end = wire.at() + count;
    while wire.at() < end {
        let ahead = wire.ahead().get(..end - wire.at()).unwrap_or_default();
        let Some(tag) = Tag::of(ahead) else { return wire.skip(ahead.len()) };
        wire.group(set.field, |wire| field(wire, &tag, levels))?;
    }
    Ok(())
}

fn field(wire: &mut Wire<'_>, tag: &Tag, levels: usize) -> Result {
    let (set, at) = (Set::at(levels), wire.at());
    wire.put(set.number, Value::Unsigned(tag.number), at..at + tag.size);
    wire.put(set.wire_type, Value::Unsigned(tag.kind.into()), at..at + 1);
    wire.skip(tag.size)?;
    if tag.length_size > 0 {
        wire.varint(set.length, VARINT)?;
    }
    if tag.value > 0 {
        wire.put(set.value, Value::Bytes, wire.at()..wire.at() + tag.value);
    }
    match tag.kind {
        0 => {
            let is_wide = Varint::split(wire.ahead(), VARINT).is_some_and(|(number, _)| number > u32::MAX.into());
            wire.varint(if is_wide { set.uint64 } else { set.uint32 }, VARINT).map(drop)
        }
        1 => wire.u64_le(set.uint64).map(drop),
        5 => wire.u32_le(set.uint32).map(drop),
        _ => {
            let bytes = wire.ahead().get(..tag.value).unwrap_or_default();
            match bytes {
                [] => Ok(()),
                _ if is_printable(bytes) => wire.text(set.string, tag.value).map(drop),
                _ if levels > 0 && wire.levels() > 2 && is_message(bytes) => {
                    wire.group(set.message, |wire| level(wire, tag.value, levels - 1))
                }
                _ => wire.skip(tag.value),
            }
        }
    }
}

fn is_one(node: NodeRef<'_>, fields: [&'static Field; 2]) -> bool {
    fields.into_iter().any(|field| node.field().is(field))
}

fn field_title(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let number = node.child(&NUMBER).or_else(|| node.child(&N_NUMBER)).and_then(NodeRef::number);
    number.map_or(Ok(()), |number| write!(out, "field {number}"))
}

fn field_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.children().last() {
        Some(last) if is_one(last, [&MESSAGE, &N_MESSAGE]) => out.write_str("message"),
        Some(last) if is_one(last, [&LENGTH, &N_LENGTH]) => out.write_str("\"\""),
        Some(last) => last.write_value(out),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn read(hex: &str) -> String {
        let bytes = trial::bytes(hex);
        assert!(is_message(&bytes), "{hex}");
        trial::read(&PROTOCOL, &bytes, Cut::No, |wire| message(wire, bytes.len()))
    }

    #[test]
    fn the_examples_of_the_encoding_guide_are_dissected() {
        // A varint, a text, a nested message, and both fixed sizes.
        let tree = read("089601 120774657374696e67 1a03089601 25 0000c842 29 0100000000000000 32021001 3a01ff 4200");
        insta::assert_snapshot!(tree, @r#"
        protobuf 0..40
          0..3 protobuf.field
            0..1 protobuf.field.number = 1
            0..1 protobuf.field.wiretype = 0 (varint)
            1..3 protobuf.field.value = 9601
            1..3 protobuf.field.value.uint32 = 150
          3..12 protobuf.field
            3..4 protobuf.field.number = 2
            3..4 protobuf.field.wiretype = 2 (length-delimited)
            4..5 protobuf.field.value.length = 7
            5..12 protobuf.field.value = 74657374696e67
            5..12 protobuf.field.value.string = "testing"
          12..17 protobuf.field
            12..13 protobuf.field.number = 3
            12..13 protobuf.field.wiretype = 2 (length-delimited)
            13..14 protobuf.field.value.length = 3
            14..17 protobuf.field.value = 089601
            14..17 protobuf.message
              14..17 protobuf.message.field
                14..15 protobuf.message.field.number = 1
                14..15 protobuf.message.field.wiretype = 0 (varint)
                15..17 protobuf.message.field.value = 9601
                15..17 protobuf.message.field.value.uint32 = 150
          17..22 protobuf.field
            17..18 protobuf.field.number = 4
            17..18 protobuf.field.wiretype = 5 (32-bit)
            18..22 protobuf.field.value = 0000c842
            18..22 protobuf.field.value.uint32 = 1120403456
          22..31 protobuf.field
            22..23 protobuf.field.number = 5
            22..23 protobuf.field.wiretype = 1 (64-bit)
            23..31 protobuf.field.value = 0100000000000000
            23..31 protobuf.field.value.uint64 = 1
          31..35 protobuf.field
            31..32 protobuf.field.number = 6
            31..32 protobuf.field.wiretype = 2 (length-delimited)
            32..33 protobuf.field.value.length = 2
            33..35 protobuf.field.value = 1001
            33..35 protobuf.message
              33..35 protobuf.message.field
                33..34 protobuf.message.field.number = 2
                33..34 protobuf.message.field.wiretype = 0 (varint)
                34..35 protobuf.message.field.value = 01
                34..35 protobuf.message.field.value.uint32 = 1
          35..38 protobuf.field
            35..36 protobuf.field.number = 7
            35..36 protobuf.field.wiretype = 2 (length-delimited)
            36..37 protobuf.field.value.length = 1
            37..38 protobuf.field.value = ff
          38..40 protobuf.field
            38..39 protobuf.field.number = 8
            38..39 protobuf.field.wiretype = 2 (length-delimited)
            39..40 protobuf.field.value.length = 0
        "#);
    }

    #[test]
    fn bytes_that_are_no_fields_are_refused() {
        for hex in ["08", "0b 01", "00 01", "12 05 61", "0d 01 02", "ffffffffffffffffffffff 01", "12 ffffffffffffffffff01"] {
            assert!(!is_message(&trial::bytes(hex)), "{hex}");
        }
        assert!(is_message(b""));
    }

    #[test]
    fn nesting_is_limited() {
        let mut bytes = vec![0x08, 0x01];
        while bytes.len() < 120 {
            bytes = [&[0x0a, u8::try_from(bytes.len()).unwrap_or(0)], &bytes[..]].concat();
        }
        let tree = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| message(wire, bytes.len()));
        assert!(tree.matches("message\n").count() == DEPTH && tree.contains("protobuf.message.field.value ="), "{tree}");
    }
}
