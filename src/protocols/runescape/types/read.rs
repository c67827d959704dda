//! Decoders of all types.

use super::super::fields::{ELEMENT, MALFORMED, NAME_ELEMENT, NOT_MINIMAL, ODD};
use super::encodings::Coded;
use super::smart::Read;
use super::{Cp1252, Ending, Name, Number, Packed, Smart, Turn, Type, appearance, composite};
use crate::tree::{Field, Value};
use crate::wire::{Error, Result, Wire};
use std::fmt;

/// A decoded value, for the summary line and the world state.
#[derive(Clone, Copy)]
pub enum Decoded<'a> {
    /// Number.
    Number(i64),
    /// Component ID.
    Component(i64),
    /// Base-37 name.
    Name(Name),
    /// String.
    Text(Cp1252<'a>),
    /// Nibble-packed chat text.
    Packed(Packed<'a>),
    /// Huffman-coded chat text.
    Coded(Coded<'a>),
    /// A value without a short form.
    Unsummarized,
}

impl fmt::Display for Decoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decoded::Number(number) => write!(f, "{number}"),
            Decoded::Component(number) => write!(f, "{}:{}", number >> 16 & 0xffff, number & 0xffff),
            Decoded::Name(name) => write!(f, "{name}"),
            // Without quotes.
            Decoded::Text(text) if f.alternate() => write!(f, "{text}"),
            Decoded::Packed(text) if f.alternate() => write!(f, "{text}"),
            Decoded::Coded(text) if f.alternate() => write!(f, "{text}"),
            Decoded::Text(text) => write!(f, "\"{text}\""),
            Decoded::Packed(text) => write!(f, "\"{text}\""),
            Decoded::Coded(text) => write!(f, "\"{text}\""),
            Decoded::Unsummarized => Ok(()),
        }
    }
}

/// Context of a value within its packet.
#[derive(Debug, Clone, Copy, Default)]
pub struct ValueContext {
    /// Total width of the values after it.
    pub after: usize,
    /// Number of slots, if declared.
    pub capacity: Option<i64>,
    /// Byte length of the text or appearance, if declared.
    pub length: Option<usize>,
}

impl Type {
    pub fn read<'a>(self, wire: &mut Wire<'a>, field: &'static Field, place: ValueContext) -> Result<Decoded<'a>> {
        match self {
            Type::Number(number) => number.read(wire, field).map(Decoded::Number),
            Type::Component(number) => number.read(wire, field).map(Decoded::Component),
            Type::Smart(smart) => smart.take(wire, field).map(Decoded::Number),
            Type::Float => wire.f32_be(field).map(|_| Decoded::Unsummarized),
            Type::Name => name(wire, field).map(Decoded::Name),
            Type::Text(ending) => text(wire, field, ending).map(|text| Decoded::Text(Cp1252(text))),
            Type::Bytes => {
                wire.rest(field);
                Ok(Decoded::Unsummarized)
            }
            Type::Packed(turn) => {
                let count = place.length.unwrap_or(wire.remaining());
                packed(wire, field, count, turn).map(Decoded::Packed)
            }
            Type::Coded => coded(wire, field).map(Decoded::Coded),
            Type::Row(number, Some(count)) if number == super::U8 => wire.bytes(field, count).map(|_| Decoded::Unsummarized),
            Type::Row(number, count) => {
                let count = count.unwrap_or_else(|| wire.remaining() / number.width());
                wire.group(field, |wire| (0..count).try_for_each(|_| number.read(wire, &ELEMENT).map(drop)))?;
                Ok(Decoded::Unsummarized)
            }
            Type::Names => {
                let count = wire.remaining() / 8;
                wire.group(field, |wire| (0..count).try_for_each(|_| name(wire, &NAME_ELEMENT).map(drop)))?;
                Ok(Decoded::Unsummarized)
            }
            Type::Appearance(look) => {
                let count = place.length.unwrap_or(wire.remaining());
                appearance::look(wire, field, look, count).map(Decoded::Name)
            }
            _ => composite::read(self, wire, field, place).map(|()| Decoded::Unsummarized),
        }
    }
}

/// Skips and returns the next `count` bytes.
fn take<'a>(wire: &mut Wire<'a>, count: usize) -> Result<&'a [u8]> {
    let bytes = wire.ahead().get(..count).ok_or(Error::Short { needed: count.saturating_sub(wire.remaining()) })?;
    wire.skip(count)?;
    Ok(bytes)
}

impl Number {
    /// Reads the number.
    pub fn read(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<i64> {
        let start = wire.at();
        let value = self.value(take(wire, self.width())?);
        let shown = if self.signed { Value::Signed(value) } else { Value::Unsigned(value.cast_unsigned()) };
        wire.put(field, shown, start..wire.at());
        Ok(value)
    }
}

impl Smart {
    /// Reads the number.
    ///
    /// # Errors
    /// If too few bytes remain, or the encoding is too long.
    pub fn take(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<i64> {
        let start = wire.at();
        let (number, used, is_loose) = match self.read(wire.ahead()) {
            Read::Number(number, used, is_loose) => (number, used, is_loose),
            Read::Short => return Err(Error::Short { needed: 1 }),
            Read::TooLong => return wire.malformed(&MALFORMED, format_args!("a number of more than five bytes")),
        };
        wire.skip(used)?;
        wire.put(field, Value::Signed(number), start..wire.at());
        if is_loose {
            wire.note(&NOT_MINIMAL, format_args!("{used} bytes for {number}"));
        }
        Ok(number)
    }
}

/// Reads a base-37 name.
pub(super) fn name(wire: &mut Wire<'_>, field: &'static Field) -> Result<Name> {
    let start = wire.at();
    let bytes = take(wire, 8)?;
    let name = Name(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    put_text(wire, field, start, format_args!("{name}"));
    Ok(name)
}

/// Reads a string without its terminator.
///
/// # Errors
/// If the terminator is missing.
pub fn text<'a>(wire: &mut Wire<'a>, field: &'static Field, ending: Ending) -> Result<&'a [u8]> {
    let start = wire.at();
    if ending == Ending::Counted {
        return counted(wire, field);
    }
    let (end, front) = match ending {
        Ending::LineFeed => (b'\n', 0),
        Ending::Nul | Ending::OrNull | Ending::Counted => (0, 0),
        Ending::Versioned => (0, 1),
    };
    let ahead = wire.ahead();
    if front > 0 && ahead.first().is_some_and(|version| *version != 0) {
        return wire.malformed(&MALFORMED, format_args!("string version other than 0"));
    }
    let rest = ahead.get(front..).unwrap_or_default();
    let Some(length) = memchr::memchr(end, rest) else {
        let words = Cp1252(rest);
        let end = start + ahead.len();
        if !ahead.is_empty() {
            wire.put_text(field, start..end, format_args!("{words}"));
        }
        wire.skip(ahead.len())?;
        wire.note(&MALFORMED, format_args!("the string has no terminator"));
        return Err(Error::Malformed);
    };
    let text = rest.get(..length).unwrap_or_default();
    wire.skip(front + length + 1)?;
    if ending == Ending::OrNull && length == 0 {
        wire.put(field, Value::None, start..wire.at());
    } else {
        put_text(wire, field, start, format_args!("{}", Cp1252(text)));
    }
    Ok(text)
}

/// Reads a length-prefixed string.
fn counted<'a>(wire: &mut Wire<'a>, field: &'static Field) -> Result<&'a [u8]> {
    const LENGTH: usize = 2;
    let start = wire.at();
    let length = wire.ahead().first_chunk::<LENGTH>().map(|length| usize::from(u16::from_be_bytes(*length)));
    let Some(length) = length else { return Err(Error::Short { needed: LENGTH - wire.remaining() }) };
    let text = take(wire, LENGTH + length)?.get(LENGTH..).unwrap_or_default();
    put_text(wire, field, start, format_args!("{}", Cp1252(text)));
    Ok(text)
}

/// Maximum characters of chat text in clients.
const MOST_CHARACTERS: usize = 100;

/// Reads `count` bytes of nibble-packed chat text.
pub fn packed<'a>(wire: &mut Wire<'a>, field: &'static Field, count: usize, turn: Turn) -> Result<Packed<'a>> {
    let start = wire.at();
    let text = Packed(take(wire, count)?, turn);
    put_text(wire, field, start, format_args!("{text}"));
    let (characters, is_cut) = text.extent();
    if is_cut {
        wire.note(&MALFORMED, format_args!("half a character at the end"));
    }
    if characters > MOST_CHARACTERS {
        wire.note(&ODD, format_args!("{characters} characters; clients have room for {MOST_CHARACTERS}"));
    }
    Ok(text)
}

fn coded<'a>(wire: &mut Wire<'a>, field: &'static Field) -> Result<Coded<'a>> {
    let start = wire.at();
    let Read::Number(count, used, _) = Smart::Unsigned.read(wire.ahead()) else { return Err(Error::Short { needed: 1 }) };
    let bytes = wire.ahead().get(used..).unwrap_or_default();
    let text = Coded(bytes, usize::try_from(count).unwrap_or_default());
    let Some(length) = text.len() else {
        return wire.malformed(&MALFORMED, format_args!("fewer than {count} characters"));
    };
    wire.skip(used + length)?;
    put_text(wire, field, start, format_args!("{text}"));
    Ok(text)
}

/// Adds text decoded from the bytes since `start`. It is only formatted if requested, or if it must be hidden.
fn put_text(wire: &mut Wire<'_>, field: &'static Field, start: usize, words: fmt::Arguments<'_>) {
    wire.put_text(field, start..wire.at(), words);
}
