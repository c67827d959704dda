//! Packets of play about entities: where they are and how they move.

use super::fields::*;
use super::number;
use super::play::{direction, motion, place};
use crate::tree::{Field, Value};
use crate::wire::{Result, Wire};

/// The number of an entity: 4 bytes in version 5, of which only these packets have it as a VarInt.
pub(super) fn entity(wire: &mut Wire<'_>, version: u32) -> Result {
    let entity = match version {
        ..=5 => u64::from(wire.u32_be(&ENTITY)?),
        _ => number(wire, &ENTITY)? as u64,
    };
    wire.info(format_args!("entity {entity}"));
    Ok(())
}

pub(super) fn entity_status(wire: &mut Wire<'_>, _: u32) -> Result {
    wire.i32_be(&ENTITY)?;
    wire.i8(&ENTITY_STATUS).map(drop)
}

/// The place of an entity: in 32nds of a block up to version 47.
fn entity_place(wire: &mut Wire<'_>, version: u32) -> Result {
    if version > 47 {
        return place(wire).map(drop);
    }
    for field in [&X, &Y, &Z] {
        wire.number_with(field, |bytes| Value::Double(f64::from(i32::from_be_bytes(bytes)) / 32.0))?;
    }
    Ok(())
}

/// A direction in 256ths of a turn.
fn angle(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    wire.number_with(field, |[steps]| Value::Single(f32::from(steps.cast_signed()) * 360.0 / 256.0)).map(drop)
}

fn angles(wire: &mut Wire<'_>) -> Result {
    angle(wire, &YAW)?;
    angle(wire, &PITCH)
}

fn velocity(wire: &mut Wire<'_>) -> Result {
    for field in [&VELOCITY_X, &VELOCITY_Y, &VELOCITY_Z] {
        wire.i16_be(field)?;
    }
    Ok(())
}

/// The number of the entity that a packet adds, with its UUID from version 107 on.
fn spawned(wire: &mut Wire<'_>, version: u32) -> Result {
    let entity = number(wire, &ENTITY)?;
    if version > 47 {
        wire.bytes(&ENTITY_UUID, 16)?;
    }
    wire.info(format_args!("entity {entity}"));
    Ok(())
}

pub(super) fn spawn_entity(wire: &mut Wire<'_>, version: u32) -> Result {
    spawned(wire, version)?;
    match version {
        ..=404 => drop(wire.i8(&ENTITY_TYPE)?),
        _ => drop(number(wire, &ENTITY_TYPE)?),
    }
    entity_place(wire, version)?;
    // From version 773 on, a velocity of variable length follows.
    if version >= 773 {
        return Ok(());
    }
    angle(wire, &PITCH)?;
    angle(wire, &YAW)?;
    if version >= 759 {
        angle(wire, &HEAD_YAW)?;
        number(wire, &ENTITY_DATA)?;
    } else {
        wire.i32_be(&ENTITY_DATA)?;
    }
    if version > 47 || wire.remaining() > 0 { velocity(wire) } else { Ok(()) }
}

pub(super) fn spawn_living(wire: &mut Wire<'_>, version: u32) -> Result {
    spawned(wire, version)?;
    match version {
        ..=210 => drop(wire.u8(&ENTITY_TYPE)?),
        _ => drop(number(wire, &ENTITY_TYPE)?),
    }
    entity_place(wire, version)?;
    angles(wire)?;
    angle(wire, &HEAD_YAW)?;
    velocity(wire)
}

pub(super) fn spawn_player(wire: &mut Wire<'_>, version: u32) -> Result {
    if version <= 5 {
        return number(wire, &ENTITY).map(drop);
    }
    let entity = number(wire, &ENTITY)?;
    wire.bytes(&ENTITY_UUID, 16)?;
    wire.info(format_args!("entity {entity}"));
    entity_place(wire, version)?;
    angles(wire)
}

/// A movement: in 4096ths of a block, and up to version 47 in 32nds.
fn moved(wire: &mut Wire<'_>, version: u32) -> Result {
    for field in [&DX, &DY, &DZ] {
        if version > 47 {
            wire.number_with(field, |bytes| Value::Double(f64::from(i16::from_be_bytes(bytes)) / 4096.0))?;
        } else {
            wire.number_with(field, |[steps]| Value::Double(f64::from(steps.cast_signed()) / 32.0))?;
        }
    }
    Ok(())
}

/// Whether an entity stands on the ground, which version 5 does not state.
fn stands(wire: &mut Wire<'_>, version: u32) -> Result {
    if version > 5 { wire.bool(&ON_GROUND).map(drop) } else { Ok(()) }
}

pub(super) fn entity_move(wire: &mut Wire<'_>, version: u32) -> Result {
    entity(wire, version)?;
    moved(wire, version)?;
    stands(wire, version)
}

pub(super) fn entity_move_look(wire: &mut Wire<'_>, version: u32) -> Result {
    entity(wire, version)?;
    moved(wire, version)?;
    angles(wire)?;
    stands(wire, version)
}

pub(super) fn entity_look(wire: &mut Wire<'_>, version: u32) -> Result {
    entity(wire, version)?;
    angles(wire)?;
    stands(wire, version)
}

/// The place of an entity; from version 768 on with its motion.
pub(super) fn entity_teleport(wire: &mut Wire<'_>, version: u32) -> Result {
    /// Angles of a byte each, and whether it stands on the ground.
    const SHORT: usize = 3;
    entity(wire, version)?;
    entity_place(wire, version)?;
    if version < 768 || wire.remaining() == SHORT {
        angles(wire)?;
        return stands(wire, version);
    }
    motion(wire)?;
    direction(wire)?;
    if wire.remaining() > 1 {
        wire.u32_be(&RELATIVE)?;
    }
    stands(wire, version)
}

/// From version 773 on, the velocity has a variable length and is data.
pub(super) fn entity_velocity(wire: &mut Wire<'_>, version: u32) -> Result {
    entity(wire, version)?;
    if version < 773 { velocity(wire) } else { Ok(()) }
}

pub(super) fn entity_head(wire: &mut Wire<'_>, version: u32) -> Result {
    entity(wire, version)?;
    angle(wire, &HEAD_YAW)
}

pub(super) fn entity_destroy(wire: &mut Wire<'_>, version: u32) -> Result {
    if version <= 5 {
        return Ok(());
    }
    let count = number(wire, &ENTITY_COUNT)?;
    wire.info(format_args!("{count} entities"));
    for _ in 0..count {
        number(wire, &ENTITIES)?;
    }
    Ok(())
}
