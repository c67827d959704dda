//! Messages with a fixed sequence of fields, declared as lists of parts.

use super::fields::*;
use super::text::{Quoted, text};
use crate::tree::{Field, name_of};
use crate::wire::{Result, Wire};
use std::fmt::Write;

/// A part of a message.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// 8-bit unsigned integer.
    U8(&'static Field),
    /// 16-bit unsigned integer.
    U16(&'static Field),
    /// 16-bit signed integer.
    I16(&'static Field),
    /// 32-bit unsigned integer.
    U32(&'static Field),
    /// Single-precision number.
    F32(&'static Field),
    /// Double-precision number.
    F64(&'static Field),
    /// Group of single-precision numbers.
    Reals(&'static Field, &'static [&'static Field]),
    /// 32-bit pickup reference.
    Pickup,
    /// Text with an 8-bit length.
    Text8(&'static Field),
    /// Text with a 16-bit length.
    Text16(&'static Field),
    /// This many undocumented bytes.
    Unknown(usize),
    /// Undocumented bytes up to the end, if any.
    Rest,
}

/// Maximum values in a heading.
const VALUES_MAX: usize = 4;

/// Heading of a message.
#[derive(Default)]
struct Line {
    words: String,
    count: usize,
    is_wanted: bool,
}

impl Line {
    fn add(&mut self, words: std::fmt::Arguments<'_>) {
        if self.is_wanted && self.count < VALUES_MAX {
            let between = if self.count == 0 { "" } else { ", " };
            // Writing to a String does not fail.
            let _ = write!(self.words, "{between}{words}");
            self.count += 1;
        }
    }
}

/// Reads the parts in order.
pub(super) fn read(wire: &mut Wire<'_>, parts: &[Part]) -> Result {
    let mut line = Line { is_wanted: wire.wants_summary(), ..Line::default() };
    let result = parts.iter().try_for_each(|part| part.read(wire, &mut line));
    wire.info(format_args!("{}", line.words));
    result
}

impl Part {
    fn read(self, wire: &mut Wire<'_>, line: &mut Line) -> Result {
        let number = match self {
            Part::U8(field) => (field, i64::from(wire.u8(field)?)),
            Part::U16(field) => (field, i64::from(wire.u16_be(field)?)),
            Part::I16(field) => (field, i64::from(wire.i16_be(field)?)),
            Part::U32(field) => (field, i64::from(wire.u32_be(field)?)),
            Part::F32(field) => return wire.f32_be(field).map(drop),
            Part::F64(field) => return wire.f64_be(field).map(drop),
            Part::Reals(group, fields) => return reals(wire, group, fields),
            Part::Pickup => {
                let pickup = wire.flags(&PICKUP_REF, 4, &[&PICKUP_SERIAL, &PICKUP_ID])?;
                (&PICKUP_ID, i64::try_from(PICKUP_ID.bits_of(pickup)).unwrap_or_default())
            }
            Part::Text8(field) => {
                let len = wire.u8(&TEXT_LEN)?;
                return text_part(wire, field, len.into(), line);
            }
            Part::Text16(field) => {
                let len = wire.u16_be(&TEXT_LEN)?;
                return text_part(wire, field, len.into(), line);
            }
            Part::Unknown(count) => return wire.bytes(&UNKNOWN, count).map(drop),
            Part::Rest => {
                return wire.rest_is(&UNKNOWN);
            }
        };
        let (field, number) = number;
        match u64::try_from(number).ok().and_then(|number| name_of(field.names, number)) {
            Some(name) => line.add(format_args!("{} {name}", field.name)),
            None if field.hex > 0 => line.add(format_args!("{} {number:#04x}", field.name)),
            None => line.add(format_args!("{} {number}", field.name)),
        }
        Ok(())
    }
}

/// Reads a group of single-precision numbers in wire order.
pub(super) fn reals(wire: &mut Wire<'_>, group: &'static Field, fields: &[&'static Field]) -> Result {
    wire.group(group, |wire| fields.iter().try_for_each(|field| wire.f32_be(field).map(drop)))
}

fn text_part(wire: &mut Wire<'_>, field: &'static Field, len: usize, line: &mut Line) -> Result {
    let bytes = read_text(wire, field, len)?;
    line.add(format_args!("{}", Quoted(&text(bytes))));
    Ok(())
}

/// Text in the sender's code page.
pub(super) fn read_text<'a>(wire: &mut Wire<'a>, field: &'static Field, len: usize) -> Result<&'a [u8]> {
    let ahead = wire.ahead().get(..len);
    match ahead.filter(|bytes| std::str::from_utf8(bytes).is_err()) {
        Some(bytes) => {
            let start = wire.at();
            wire.skip(len)?;
            wire.put_text(field, start..start + len, format_args!("{}", text(bytes)));
            Ok(bytes)
        }
        None => wire.text(field, len),
    }
}
