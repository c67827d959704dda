//! Composite types.

use super::super::fields::*;
use super::number::{I32, NUMBERS, Number, U8, U16};
use super::read::ValueContext;
use super::{Smart, Type};
use crate::tree::{Field, Value};
use crate::wire::{BitWire, Error, Result, Wire};

/// Encoding of walk steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// Northward steps are subtracted from 128.
    pub negated: bool,
}

/// Encoding of an appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Bytes are reversed.
    pub reversed: bool,
    /// The skull icon has its own byte.
    pub skull: bool,
}

/// Encoding of inventory slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slots {
    /// All slots, since revision 225.
    Full225,
    /// Some slots, since revision 225.
    Partial225,
    /// All slots, in 317.
    Full317,
    /// Some slots, in 317 and 377.
    Partial317,
    /// All slots, in 377.
    Full377,
}

/// Maximum steps sent by clients.
const MOST_STEPS: usize = 24;

/// Window width used to encode points.
const ROW: i64 = 765;

/// Point outside of the window.
const OUTSIDE: i64 = 0x7_ffff;

/// Levels of a region, and zones per row and column.
const LEVELS: usize = 4;
const ZONES: usize = 13;

pub(super) fn read(of: Type, wire: &mut Wire<'_>, field: &'static Field, place: ValueContext) -> Result {
    match of {
        Type::Steps(form) => wire.group(field, |wire| steps(wire, form, place.after)),
        Type::MinimapClick => wire.group(field, minimap_click),
        Type::MouseClick => mouse_click(wire, field),
        Type::MouseMoves => wire.group(field, mouse_moves),
        Type::HintArrow => wire.group(field, hint_arrow),
        Type::Palette => wire.group(field, |wire| palette(wire, ZONES, ZONES)),
        Type::RegionCrcs => wire.group(field, region_crcs),
        Type::Slots(form) => wire.group(field, |wire| slots(wire, form, place.capacity)),
        _ => wire.rest_is(field),
    }
}

fn named(name: &str) -> Number {
    NUMBERS.iter().find(|(known, _)| *known == name).map_or(U8, |(_, number)| *number)
}

fn steps(wire: &mut Wire<'_>, form: Steps, after: usize) -> Result {
    let dy = named(if form.negated { "i8_sub" } else { "i8" });
    let mut count = 0;
    while wire.remaining() >= after + 2 {
        count += 1;
        wire.group(&STEP, |wire| {
            wire.i8(&STEP_DX)?;
            dy.read(wire, &STEP_DY)
        })?;
    }
    if count > MOST_STEPS {
        wire.note(&ODD, format_args!("{count} steps; clients send {MOST_STEPS} at most"));
    }
    Ok(())
}

fn minimap_click(wire: &mut Wire<'_>) -> Result {
    wire.i8(&MINIMAP_X)?;
    wire.i8(&MINIMAP_Y)?;
    wire.u16_be(&MINIMAP_YAW)?;
    constant(wire, &MINIMAP_57, 57)?;
    wire.u8(&MINIMAP_ANGLE)?;
    wire.u8(&MINIMAP_ZOOM)?;
    constant(wire, &MINIMAP_89, 89)?;
    wire.u16_be(&FINE_X)?;
    wire.u16_be(&FINE_Y)?;
    wire.u8(&MINIMAP_NEAREST)?;
    constant(wire, &MINIMAP_63, 63)
}

fn constant(wire: &mut Wire<'_>, field: &'static Field, expected: u8) -> Result {
    let found = wire.u8(field)?;
    if found != expected {
        wire.note(&ODD, format_args!("{found}; clients send {expected}"));
    }
    Ok(())
}

fn mouse_click(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    wire.group(field, |wire| {
        let start = wire.at();
        let raw = wire.bits(4, &[&CLICK_AGE, &CLICK_RIGHT, &CLICK_POINT])?;
        point(wire, (raw & 0x7_ffff).cast_signed(), start);
        Ok(())
    })
}

/// Adds the coordinates of a point decoded from the bytes since `start`.
fn point(wire: &mut Wire<'_>, point: i64, start: usize) {
    for (field, value) in [(&POINT_X, point % ROW), (&POINT_Y, point / ROW)] {
        wire.put(field, Value::Signed(value), start..wire.at());
    }
}

fn mouse_moves(wire: &mut Wire<'_>) -> Result {
    while let Some(first) = wire.ahead().first() {
        let size = match first >> 6 {
            0 | 1 => 2,
            2 => 3,
            _ => 4,
        };
        wire.group(&MOVE, |wire| mouse_move(wire, size))?;
    }
    Ok(())
}

fn mouse_move(wire: &mut Wire<'_>, size: usize) -> Result {
    let start = wire.at();
    if wire.remaining() < size {
        return Err(Error::Short { needed: size - wire.remaining() });
    }
    wire.in_bits(|bits| {
        match size {
            2 => {
                bits.number(&MOVE_KIND, 1)?;
                bits.number(&MOVE_IDLE, 3)?;
                for field in [&MOVE_DX, &MOVE_DY] {
                    bits.with(field, 6, |raw| Value::Signed(i64::from(raw) - 32))?;
                }
            }
            3 => moved_to(bits, start, 3)?,
            _ => moved_to(bits, start, 11)?,
        }
        Ok(())
    })
}

fn moved_to(bits: &mut BitWire<'_, '_>, start: usize, idle: u8) -> Result {
    bits.number(&MOVE_KIND, 2)?;
    bits.number(&MOVE_IDLE, idle)?;
    let to = i64::from(bits.number(&MOVE_POINT, 19)?);
    if to != OUTSIDE {
        point(bits.wire(), to, start);
    }
    Ok(())
}

fn hint_arrow(wire: &mut Wire<'_>) -> Result {
    let unused = match wire.u8(&ARROW_TYPE)? {
        1 => wire.u16_be(&ARROW_NPC).map(|_| 3)?,
        2..=6 => {
            wire.u16_be(&ARROW_X)?;
            wire.u16_be(&ARROW_Y)?;
            wire.u8(&ARROW_HEIGHT)?;
            return Ok(());
        }
        10 => wire.u16_be(&ARROW_PLAYER).map(|_| 3)?,
        _ => 5,
    };
    wire.bytes(&ARROW_UNUSED, unused).map(drop)
}

/// Reads the source zones of a map of this many zones per row and column. A run of empty zones is one field.
pub fn palette(wire: &mut Wire<'_>, width: usize, length: usize) -> Result {
    let zones = LEVELS * width * length;
    let result = wire.in_bits(|bits| {
        let mut left = zones;
        while left > 0 {
            let absent = bits.zeros(left);
            if absent > 0 {
                bits.run(&ABSENT, absent)?;
                left -= absent;
                continue;
            }
            left -= 1;
            bits.group(&ZONE, |bits| {
                bits.number(&ZONE_THERE, 1)?;
                bits.number(&ZONE_LEVEL, 2)?;
                bits.number(&ZONE_X, 10)?;
                bits.number(&ZONE_Y, 11)?;
                bits.number(&ZONE_ROTATION, 2)?;
                bits.number(&ZONE_UNUSED, 1)
            })?;
        }
        if bits.padding(&PADDING) != 0 {
            bits.wire().note(&PAD_BITS, format_args!("padding is not zero"));
        }
        Ok(())
    });
    if matches!(result, Err(Error::Short { .. })) {
        return wire.malformed(&MALFORMED, format_args!("the region has fewer zones than {zones}"));
    }
    result
}

fn region_crcs(wire: &mut Wire<'_>) -> Result {
    wire.groups(&MAP_FILE, |wire| {
        wire.u8(&MAP_X)?;
        wire.u8(&MAP_Y)?;
        wire.u32_be(&LAND_CRC)?;
        wire.u32_be(&LOC_CRC)
    })
}

/// Reads inventory slots.
fn slots(wire: &mut Wire<'_>, form: Slots, capacity: Option<i64>) -> Result {
    let is_full = matches!(form, Slots::Full225 | Slots::Full317 | Slots::Full377);
    let mut left = if is_full { capacity.and_then(|capacity| usize::try_from(capacity).ok()) } else { None };
    while wire.remaining() > 0 && left != Some(0) {
        wire.group(&SLOT, |wire| match form {
            Slots::Full225 => item(wire, U16).and_then(|()| count(wire, U8, I32)),
            Slots::Partial225 => {
                U8.read(wire, &SLOT_NUMBER)?;
                item(wire, U16).and_then(|()| count(wire, U8, I32))
            }
            Slots::Full317 => count(wire, U8, named("i32_ime")).and_then(|()| item(wire, named("u16_add_le"))),
            Slots::Partial317 => {
                Smart::Unsigned.take(wire, &SLOT_NUMBER)?;
                item(wire, U16).and_then(|()| count(wire, U8, I32))
            }
            Slots::Full377 => {
                item(wire, named("u16_add_le"))?;
                count(wire, named("u8_neg"), named("i32_le"))
            }
        })?;
        left = left.map(|left| left - 1);
    }
    match left {
        Some(left) if left > 0 => wire.malformed(&MALFORMED, format_args!("{left} slots are missing")),
        _ => Ok(()),
    }
}

fn item(wire: &mut Wire<'_>, number: Number) -> Result {
    let start = wire.at();
    let raw = number.read(wire, &SLOT_OBJ)?;
    if raw > 0 {
        wire.put(&SLOT_ITEM, Value::Signed(raw - 1), start..wire.at());
    }
    Ok(())
}

fn count(wire: &mut Wire<'_>, few: Number, many: Number) -> Result {
    if few.read(wire, &SLOT_COUNT)? == 255 {
        many.read(wire, &SLOT_MANY)?;
    }
    Ok(())
}
