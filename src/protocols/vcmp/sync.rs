//! Player synchronization: frequent messages with bit-packed fields.

use super::bits::{Bits, TURN};
use super::compressed;
use super::fields::*;
use super::layout::reals;
use super::versions::Version;
use crate::tree::{Field, Side, Value};
use crate::wire::{Result, Wire};

/// Maximum speed.
const FASTEST: f64 = 20.0;

/// Scale of rotation components.
const ROTATION_ONE: f64 = 65_536.0;

/// Last weapon without ammunition.
const LAST_WITHOUT_AMMO: u64 = 11;

const X_Y_Z: [&Field; 3] = [&POSITION_X, &POSITION_Y, &POSITION_Z];
const SPEEDS: [&Field; 3] = [&SPEED_X, &SPEED_Y, &SPEED_Z];
const AIM_DIRECTIONS: [&Field; 3] = [&AIM_DIRECTION_X, &AIM_DIRECTION_Y, &AIM_DIRECTION_Z];
const AIMS: [&Field; 3] = [&AIM_X, &AIM_Y, &AIM_Z];

pub(super) fn on_foot(wire: &mut Wire<'_>, version: Version, from: Side) -> Result {
    sync(wire, version, from, foot)
}

pub(super) fn aiming(wire: &mut Wire<'_>, version: Version, from: Side) -> Result {
    sync(wire, version, from, |bits, wire| {
        foot(bits, wire)?;
        scaled(bits, wire, &AIM_DIRECTION, &AIM_DIRECTIONS, TURN)?;
        floats(bits, wire, &AIM, &AIMS)
    })
}

pub(super) fn driver(wire: &mut Wire<'_>, version: Version, from: Side) -> Result {
    sync(wire, version, from, driving)
}

pub(super) fn passenger(wire: &mut Wire<'_>, version: Version, from: Side) -> Result {
    sync(wire, version, from, riding)
}

/// rel004 uses an undocumented layout, 0.4.7.1 a compressed block.
fn sync(wire: &mut Wire<'_>, version: Version, from: Side, read: impl FnOnce(&mut Bits<'_>, &mut Wire<'_>) -> Result) -> Result {
    match version {
        Version::Rel006 | Version::V470 => content(wire, from, read),
        Version::V471 => compressed::block(wire, |wire| content(wire, from, read)),
        Version::Rel004 => wire.rest_is(&UNKNOWN),
    }
}

fn content(wire: &mut Wire<'_>, from: Side, read: impl FnOnce(&mut Bits<'_>, &mut Wire<'_>) -> Result) -> Result {
    match from {
        Side::Server => {
            let player = wire.u8(&PLAYER_ID)?;
            wire.info(format_args!("player id {player}"));
        }
        Side::Client => wire.u32_be(&ANTICHEAT_ID).map(drop)?,
    }
    let mut bits = Bits::new(wire);
    let result = read(&mut bits, wire);
    if result.is_ok() {
        bits.padding(wire)?;
    }
    bits.end(wire)?;
    result
}

fn foot(bits: &mut Bits<'_>, wire: &mut Wire<'_>) -> Result {
    let flags =
        bits.flags(wire, &SYNC_FLAGS, &[&SYNC_MORE, &SYNC_WEAPON, &SYNC_KEYS, &SYNC_NO_HEALTH, &SYNC_ARMOUR, &SYNC_SPEED])?;
    let has = |field: &Field| field.bits_of(flags) != 0;
    if has(&SYNC_MORE) {
        bits.number(wire, &POSTURE, 4)?;
    }
    floats(bits, wire, &POSITION, &X_Y_Z)?;
    bits.scaled(wire, &ANGLE, TURN)?;
    if has(&SYNC_SPEED) {
        scaled(bits, wire, &SPEED, &SPEEDS, FASTEST)?;
    }
    if has(&SYNC_WEAPON) {
        weapon(bits, wire)?;
    }
    if has(&SYNC_KEYS) {
        bits.number(wire, &KEYS_LOW, 8)?;
        bits.number(wire, &KEYS_HIGH, 8)?;
        bits.number(wire, &ACTION, 12)?;
    }
    bits.number(wire, &HEALTH, 8)?;
    if has(&SYNC_ARMOUR) {
        bits.number(wire, &ARMOUR, 8)?;
    }
    bits.raw(wire, &UNKNOWN, 1)
}

fn driving(bits: &mut Bits<'_>, wire: &mut Wire<'_>) -> Result {
    let flags = bits.flags(wire, &DRIVER_FLAGS, &[&DRIVER_WEAPON, &DRIVER_ARMOUR])?;
    bits.swapped(wire, &KEYS)?;
    let a = bits.number(wire, &VEHICLE_BITS, 8)?;
    let b = bits.number(wire, &VEHICLE_BITS_LOW, 4)?;
    wire.add(&VEHICLE_ID, Value::Unsigned((b & 3) * 256 + (a & 0xbf) * 4 + (b >> 2)));
    bits.number(wire, &HEALTH, 8)?;
    if DRIVER_WEAPON.bits_of(flags) != 0 {
        weapon(bits, wire)?;
    }
    if DRIVER_ARMOUR.bits_of(flags) != 0 {
        bits.number(wire, &ARMOUR, 8)?;
    }
    let has_turret = bits.number(wire, &HAS_TURRET, 4)? != 0;
    let kind = bits.number(wire, &DRIVER_TYPE, 4)?;
    floats(bits, wire, &POSITION, &X_Y_Z)?;
    if kind & 1 != 0 {
        scaled(bits, wire, &SPEED, &SPEEDS, FASTEST)?;
    }
    let signs = bits.number(wire, &SIGNS, 4)?;
    bits.group(wire, &ROTATION, 48, |bits, wire| {
        let parts: [(&Field, u64); 3] = [(&ROTATION_X, 4), (&ROTATION_Y, 2), (&ROTATION_Z, 1)];
        parts.into_iter().try_for_each(|(field, sign)| {
            let sign = if signs & sign == 0 { 1.0 } else { -1.0 };
            bits.real(wire, field, |raw| raw / ROTATION_ONE * sign)
        })
    })?;
    if kind & 2 != 0 {
        bits.number(wire, &DAMAGE, 32)?;
    }
    if kind & 4 != 0 {
        bits.float(wire, &VEHICLE_HEALTH)?;
    }
    if has_turret {
        bits.scaled(wire, &TURRET_X, TURN)?;
        bits.scaled(wire, &TURRET_Y, TURN)?;
    }
    bits.padding(wire)?;
    bits.rest(wire, &UNKNOWN)
}

fn riding(bits: &mut Bits<'_>, wire: &mut Wire<'_>) -> Result {
    let low = bits.number(wire, &VEHICLE_LOW, 8)?;
    let high = bits.number(wire, &VEHICLE_HIGH, 2)?;
    wire.add(&VEHICLE_ID, Value::Unsigned(high << 8 | low));
    bits.number(wire, &HEALTH, 8)?;
    if bits.truth(wire, &HAS_ARMOUR)? {
        bits.number(wire, &ARMOUR, 8)?;
    }
    bits.truth(wire, &UNKNOWN_BIT)?;
    bits.number(wire, &SEAT_ID, 2).map(drop)
}

fn weapon(bits: &mut Bits<'_>, wire: &mut Wire<'_>) -> Result {
    if bits.number(wire, &WEAPON, 8)? > LAST_WITHOUT_AMMO {
        bits.number(wire, &AMMO, 16)?;
    }
    Ok(())
}

fn floats(bits: &mut Bits<'_>, wire: &mut Wire<'_>, group: &'static Field, fields: &[&'static Field; 3]) -> Result {
    bits.group(wire, group, 96, |bits, wire| fields.iter().try_for_each(|field| bits.float(wire, field).map(drop)))
}

fn scaled(bits: &mut Bits<'_>, wire: &mut Wire<'_>, group: &'static Field, fields: &[&'static Field; 3], base: f64) -> Result {
    bits.group(wire, group, 48, |bits, wire| fields.iter().try_for_each(|field| bits.scaled(wire, field, base)))
}

/// A player enters the streaming range.
pub(super) fn stream_in(wire: &mut Wire<'_>, _: Version, _: Side) -> Result {
    wire.bytes(&UNKNOWN, 3)?;
    let player = wire.u8(&PLAYER_ID)?;
    wire.u8(&TEAM)?;
    let skin = wire.u8(&SKIN)?;
    wire.bytes(&UNKNOWN, 1)?;
    reals(wire, &POSITION, &[&POSITION_Z, &POSITION_Y, &POSITION_X])?;
    wire.f32_be(&ANGLE)?;
    if wire.u16_be(&VEHICLE_ID)? != 0 {
        wire.u8(&SEAT_ID)?;
    }
    wire.rest(&UNKNOWN);
    wire.info(format_args!("player id {player}, skin {skin}"));
    Ok(())
}
