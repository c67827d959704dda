//! BSON documents.
//!
//! ```text
//! document   length:4 | element … | 00
//! element    type:1 | name NUL | value
//!   01 double:8      05 length:4 | subtype:1 | bytes      0b pattern NUL | options NUL    11 timestamp:8
//!   02 length:4 | text NUL, also 0d and 0e                0c length:4 | text NUL | ID:12  12 integer:8
//!   03 document      07 ID:12     09 milliseconds:8       0f length:4 | text | document   13 decimal:16
//!   04 array, a document          08 boolean:1            10 integer:4                    others have no value
//! ```
//! Source: the BSON specification, version 1.1.

use super::fields::*;
use crate::wire::{Result, Wire};
use std::fmt;

/// Parts of a summary: command and collection.
#[derive(Default)]
pub(super) struct Words {
    text: String,
    /// Number of documents begun.
    documents: usize,
    depth: usize,
    /// Whether the command authenticates, so that its payload is a secret.
    proves: bool,
}

impl Words {
    pub(super) fn add(&mut self, words: fmt::Arguments<'_>) {
        use fmt::Write;
        const MOST: usize = 120;
        if self.text.len() < MOST {
            let _ = write!(self.text, "{}{words}", if self.text.is_empty() { "" } else { " " });
        }
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Dissects a document. The first element of the first one names a command.
pub(super) fn document(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    const LEAST: usize = 5;
    wire.group(&DOCUMENT, |wire| {
        let length = wire.u32_le(&DOCUMENT_LENGTH)? as usize;
        if length < LEAST {
            return wire.malformed(&BAD, format_args!("{length} bytes in a document of at least {LEAST}"));
        }
        words.documents += 1;
        words.depth += 1;
        let read = wire.within(length - size_of::<u32>(), &DATA, |wire| {
            let mut is_first = words.documents == 1;
            while wire.remaining() > 1 {
                wire.group(&ELEMENT, |wire| element(wire, words, is_first))?;
                is_first = false;
            }
            wire.bytes(&END, 1).map(drop)
        });
        words.depth -= 1;
        read
    })
}

fn element(wire: &mut Wire<'_>, words: &mut Words, is_first: bool) -> Result {
    let kind = wire.u8(&TYPE)?;
    let name = wire.text_nul(&NAME)?;
    let is_top = words.documents == 1 && words.depth == 1;
    if is_first {
        words.add(format_args!("{}", String::from_utf8_lossy(name)));
        words.proves = name.starts_with(b"sasl") || name == b"authenticate";
    }
    match kind {
        0x01 => wire.f64_le(&DOUBLE).map(drop),
        0x02 | 0x0d | 0x0e => {
            let (start, text) = string(wire)?;
            wire.hide_named(name, start..start + text.len());
            if is_first || is_top && name == b"$db" {
                words.add(format_args!("{}", String::from_utf8_lossy(text)));
            }
            Ok(())
        }
        0x03 | 0x04 => document(wire, words),
        0x05 => {
            let length = wire.u32_le(&STRING_LENGTH)? as usize;
            wire.u8(&SUBTYPE)?;
            if words.proves && name == b"payload" {
                wire.hide(wire.at()..wire.at() + length.min(wire.remaining()));
            }
            wire.optional(&BYTES, length).map(drop)
        }
        0x07 => wire.bytes(&OBJECT, 12).map(drop),
        0x08 => wire.bool(&BOOLEAN).map(drop),
        0x09 | 0x11 | 0x12 => wire.i64_le(&LONG).map(drop),
        0x06 | 0x0a | 0x7f | 0xff => Ok(()),
        0x0b => {
            wire.text_nul(&PATTERN)?;
            wire.text_nul(&OPTIONS).map(drop)
        }
        0x0c => {
            string(wire)?;
            wire.bytes(&POINTER, 12).map(drop)
        }
        0x0f => {
            wire.u32_le(&BINARY_LENGTH)?;
            string(wire)?;
            document(wire, words)
        }
        0x10 => wire.i32_le(&INT).map(drop),
        0x13 => wire.bytes(&BYTES, 16).map(drop),
        _ => wire.malformed(&BAD, format_args!("an element of type {kind:#04x}")),
    }
}

/// A text with its length. Returns its offset and its bytes.
fn string<'a>(wire: &mut Wire<'a>) -> Result<(usize, &'a [u8])> {
    let length = wire.u32_le(&STRING_LENGTH)? as usize;
    let start = wire.at();
    match length {
        0 => wire.malformed(&BAD, format_args!("a text without its NUL")),
        _ => Ok((start, wire.words(&STRING, length, 0..length - 1)?)),
    }
}
