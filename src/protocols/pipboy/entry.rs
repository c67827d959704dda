//! The grammar of an entry, read in three ways: as fields, as values without fields, and for its width.
//!
//! ```text
//! type:1 | id:4 | value
//! bool, int8, uint8  1 byte          int32, uint32, float  4 bytes          string  text, NUL
//! list  count:2 | id:4 …
//! dict  count:2 | (id:4 | name, NUL) … | count:2 | removed id:4 …
//! ```
//! All numbers are little-endian.

use super::world::Scalar;
use super::{
    ENTRY_BOOL, ENTRY_FLOAT, ENTRY_ID, ENTRY_INT, ENTRY_STRING, ENTRY_TYPE, ENTRY_UINT, ERROR_COUNT, ERROR_STRING, INSERT,
    INSERT_COUNT, INSERT_KEY, INSERT_REF, LIST_COUNT, LIST_REF, NOTE_BOOL, NOTE_UTF8, REMOVE_COUNT, REMOVE_REF, ends_early,
};
use crate::tree::Field;
use crate::wire::{Cut, Error, Wire};
use std::borrow::Cow;

pub(super) const BOOL: u8 = 0;
pub(super) const INT8: u8 = 1;
pub(super) const UINT8: u8 = 2;
pub(super) const INT32: u8 = 3;
pub(super) const UINT32: u8 = 4;
pub(super) const FLOAT: u8 = 5;
pub(super) const STRING: u8 = 6;
pub(super) const LIST: u8 = 7;
pub(super) const DICT: u8 = 8;

/// Bytes of an entry header: type and ID.
pub(super) const HEADER: usize = 5;

/// Bytes of a reference.
const REF: usize = 4;

/// Minimum size of an insertion: a reference and an empty name.
const INSERT_MIN: usize = REF + 1;

/// A dict member: its ID and its name, which is UTF-8.
pub(super) type Member<'a> = (u32, Cow<'a, [u8]>);

/// References and members of an entry, in buffers that are reused for the next one.
#[derive(Default)]
pub(super) struct Lists<'a> {
    /// Elements of a list, or removed members of a dict.
    pub refs: Vec<u32>,
    /// Inserted members of a dict.
    pub inserted: Vec<Member<'a>>,
}

/// Value of an entry; those of lists and dicts are in [`Lists`].
pub(super) enum Parsed<'a> {
    Scalar(Scalar<'a>),
    List,
    Dict,
}

/// A source of the parts of an entry.
pub(super) trait Reader<'a> {
    /// Why reading stops.
    type Stop;
    fn bool(&mut self, field: &'static Field) -> Result<bool, Self::Stop>;
    fn i8(&mut self, field: &'static Field) -> Result<i8, Self::Stop>;
    fn u8(&mut self, field: &'static Field) -> Result<u8, Self::Stop>;
    fn u16(&mut self, field: &'static Field) -> Result<u16, Self::Stop>;
    fn i32(&mut self, field: &'static Field) -> Result<i32, Self::Stop>;
    fn u32(&mut self, field: &'static Field) -> Result<u32, Self::Stop>;
    fn f32(&mut self, field: &'static Field) -> Result<f32, Self::Stop>;
    fn text(&mut self, field: &'static Field) -> Result<Cow<'a, str>, Self::Stop>;
    /// Reads this many references.
    fn refs(&mut self, count: u16, field: &'static Field, into: &mut Vec<u32>) -> Result<(), Self::Stop>;
    /// Reads this many members.
    fn members(&mut self, count: u16, into: &mut Vec<Member<'a>>) -> Result<(), Self::Stop>;
}

/// Reads type and ID.
pub(super) fn header<'a, R: Reader<'a>>(from: &mut R) -> Result<(u8, u32), R::Stop> {
    Ok((from.u8(&ENTRY_TYPE)?, from.u32(&ENTRY_ID)?))
}

/// Reads the value of an entry of this type, which is one of the nine.
pub(super) fn value<'a, R: Reader<'a>>(from: &mut R, kind: u8, lists: &mut Lists<'a>) -> Result<Parsed<'a>, R::Stop> {
    let Lists { refs, inserted } = lists;
    Ok(Parsed::Scalar(match kind {
        BOOL => Scalar::Bool(from.bool(&ENTRY_BOOL)?),
        INT8 => Scalar::Int(from.i8(&ENTRY_INT)?.into()),
        UINT8 => Scalar::Uint(from.u8(&ENTRY_UINT)?.into()),
        INT32 => Scalar::Int(from.i32(&ENTRY_INT)?),
        UINT32 => Scalar::Uint(from.u32(&ENTRY_UINT)?),
        FLOAT => Scalar::Float(from.f32(&ENTRY_FLOAT)?),
        STRING => Scalar::Text(from.text(&ENTRY_STRING)?),
        LIST => {
            let count = from.u16(&LIST_COUNT)?;
            from.refs(count, &LIST_REF, refs)?;
            return Ok(Parsed::List);
        }
        _ => {
            let count = from.u16(&INSERT_COUNT)?;
            from.members(count, inserted)?;
            let count = from.u16(&REMOVE_COUNT)?;
            from.refs(count, &REMOVE_REF, refs)?;
            return Ok(Parsed::Dict);
        }
    }))
}

/// Adds a field for every part, and notes on errors.
pub(super) struct Fields<'w, 'a>(pub &'w mut Wire<'a>);

impl<'a> Reader<'a> for Fields<'_, 'a> {
    type Stop = Error;

    fn bool(&mut self, field: &'static Field) -> Result<bool, Error> {
        let byte = self.0.bool(field)?;
        if byte > 1 {
            self.0.note(&NOTE_BOOL, format_args!("{byte} taken as true"));
        }
        Ok(byte > 0)
    }

    fn i8(&mut self, field: &'static Field) -> Result<i8, Error> {
        self.0.i8(field)
    }

    fn u8(&mut self, field: &'static Field) -> Result<u8, Error> {
        self.0.u8(field)
    }

    fn u16(&mut self, field: &'static Field) -> Result<u16, Error> {
        match self.0.u16_le(field) {
            Err(_) if field.is(&REMOVE_COUNT) => ends_early(self.0, &ERROR_COUNT, format_args!("the removal count is missing")),
            count => count,
        }
    }

    fn i32(&mut self, field: &'static Field) -> Result<i32, Error> {
        self.0.i32_le(field)
    }

    fn u32(&mut self, field: &'static Field) -> Result<u32, Error> {
        self.0.u32_le(field)
    }

    fn f32(&mut self, field: &'static Field) -> Result<f32, Error> {
        self.0.f32_le(field)
    }

    fn text(&mut self, field: &'static Field) -> Result<Cow<'a, str>, Error> {
        let Ok(text) = self.0.text_nul(field) else {
            let left = self.0.remaining();
            return ends_early(self.0, &ERROR_STRING, format_args!("no NUL in the remaining {left} bytes"));
        };
        Ok(match std::str::from_utf8(text) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.0.note(&NOTE_UTF8, format_args!("not UTF-8"));
                String::from_utf8_lossy(text)
            }
        })
    }

    fn refs(&mut self, count: u16, field: &'static Field, into: &mut Vec<u32>) -> Result<(), Error> {
        into.clear();
        for nth in 1..=count {
            self.fits(REF, field.name, nth, count)?;
            into.push(self.0.u32_le(field)?);
        }
        Ok(())
    }

    fn members(&mut self, count: u16, into: &mut Vec<Member<'a>>) -> Result<(), Error> {
        into.clear();
        for nth in 1..=count {
            self.fits(INSERT_MIN, "insertion", nth, count)?;
            let (id, name) = self.0.group(&INSERT, |wire| Ok((wire.u32_le(&INSERT_REF)?, Fields(wire).text(&INSERT_KEY)?)))?;
            into.push((id, bytes_of(name)));
        }
        Ok(())
    }
}

impl Fields<'_, '_> {
    /// Checks that a counted element has its minimum size. In truncated messages, the reads fail by themselves.
    fn fits(&mut self, least: usize, what: &str, nth: u16, count: u16) -> Result<(), Error> {
        let left = self.0.remaining();
        if left < least && self.0.cut() == Cut::No {
            let words = format_args!("{what} {nth} of {count} does not fit into the remaining {left} bytes");
            return self.0.malformed(&ERROR_COUNT, words);
        }
        Ok(())
    }
}

fn bytes_of(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Why an entry is not read without fields.
pub(super) enum Stop {
    /// It is incomplete.
    Short,
    /// It is invalid, or has text that is not UTF-8.
    Invalid,
}

/// The remaining bytes. With `VALUES`, texts and lists are kept; without, they are only skipped.
pub(super) struct Ahead<'a, const VALUES: bool>(pub &'a [u8]);

impl<'a, const VALUES: bool> Ahead<'a, VALUES> {
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let (chunk, behind) = self.0.split_first_chunk().ok_or(Stop::Short)?;
        self.0 = behind;
        Ok(*chunk)
    }

    /// Takes the bytes in front of a NUL at this offset.
    fn take(&mut self, nul: Option<usize>) -> Result<&'a [u8], Stop> {
        let (text, behind) = nul.and_then(|nul| self.0.split_at_checked(nul)).ok_or(Stop::Short)?;
        self.0 = behind.get(1..).ok_or(Stop::Short)?;
        Ok(text)
    }

    /// Reads a name. Names are short: one pass over the letters is faster than a search and a check.
    fn name(&mut self) -> Result<&'a [u8], Stop> {
        let mut letters = 0;
        let nul = self.0.iter().position(|letter| {
            letters |= letter;
            *letter == 0
        });
        let name = self.take(nul)?;
        if !VALUES || letters.is_ascii() || std::str::from_utf8(name).is_ok() { Ok(name) } else { Err(Stop::Invalid) }
    }
}

impl<'a, const VALUES: bool> Reader<'a> for Ahead<'a, VALUES> {
    type Stop = Stop;

    fn bool(&mut self, _: &'static Field) -> Result<bool, Stop> {
        match self.chunk()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Stop::Invalid),
        }
    }

    fn i8(&mut self, _: &'static Field) -> Result<i8, Stop> {
        self.chunk().map(i8::from_le_bytes)
    }

    fn u8(&mut self, _: &'static Field) -> Result<u8, Stop> {
        self.chunk().map(u8::from_le_bytes)
    }

    fn u16(&mut self, _: &'static Field) -> Result<u16, Stop> {
        self.chunk().map(u16::from_le_bytes)
    }

    fn i32(&mut self, _: &'static Field) -> Result<i32, Stop> {
        self.chunk().map(i32::from_le_bytes)
    }

    fn u32(&mut self, _: &'static Field) -> Result<u32, Stop> {
        self.chunk().map(u32::from_le_bytes)
    }

    fn f32(&mut self, _: &'static Field) -> Result<f32, Stop> {
        self.chunk().map(f32::from_le_bytes)
    }

    fn text(&mut self, _: &'static Field) -> Result<Cow<'a, str>, Stop> {
        let text = self.take(memchr::memchr(0, self.0))?;
        if VALUES { std::str::from_utf8(text).map(Cow::Borrowed).map_err(|_| Stop::Invalid) } else { Ok(Cow::Borrowed("")) }
    }

    fn refs(&mut self, count: u16, _: &'static Field, into: &mut Vec<u32>) -> Result<(), Stop> {
        let (refs, behind) = self.0.split_at_checked(REF * usize::from(count)).ok_or(Stop::Short)?;
        self.0 = behind;
        if VALUES {
            into.clear();
            into.extend(refs.as_chunks().0.iter().map(|one| u32::from_le_bytes(*one)));
        }
        Ok(())
    }

    fn members(&mut self, count: u16, into: &mut Vec<Member<'a>>) -> Result<(), Stop> {
        into.clear();
        for _ in 0..count {
            let id = self.u32(&INSERT_REF)?;
            let name = self.name()?;
            if VALUES {
                into.push((id, name.into()));
            }
        }
        Ok(())
    }
}
