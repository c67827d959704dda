//! Packets of configuration and play: the fields of the most frequent ones.
//!
//! A reader gets the protocol version. What it leaves unread becomes data.

use super::fields::*;
use super::{entities, number, text};
use crate::tree::{Field, Side, Value};
use crate::wire::{Result, Wire};

/// Reads the fields of a packet.
pub(super) type Reader = fn(&mut Wire<'_>, u32) -> Result;

/// The reader of the packet with this name.
pub(super) fn reader(from: Side, name: &str) -> Reader {
    match (from, name) {
        (_, "keep alive") => keep_alive,
        (_, "ping" | "pong") => ping,
        (_, "custom payload") => plugin_message,
        (Side::Client, _) => of_client(name),
        (Side::Server, _) => of_server(name),
    }
}

fn of_client(name: &str) -> Reader {
    match name {
        "chat" | "chat message" | "chat command" | "chat command signed" => chat_message,
        "settings" => settings,
        "position" => walked,
        "position look" => walked_and_turned,
        "look" => turned,
        "flying" => |wire, version| grounded(wire, version),
        "teleport confirm" => |wire, _| number(wire, &TELEPORT).map(drop),
        "abilities" => abilities,
        "held item slot" => |wire, _| wire.i16_be(&SLOT).map(drop),
        "arm animation" => hand,
        "block dig" => dig,
        _ => nothing,
    }
}

fn of_server(name: &str) -> Reader {
    match name {
        "chat" => chat,
        "system chat" => system_chat,
        "disconnect" | "kick disconnect" => disconnect,
        "login" => join,
        "respawn" => respawn,
        "position" => position,
        "spawn entity" => entities::spawn_entity,
        "spawn entity living" => entities::spawn_living,
        "named entity spawn" => entities::spawn_player,
        "rel entity move" => entities::entity_move,
        "entity move look" => entities::entity_move_look,
        "entity look" => entities::entity_look,
        "entity teleport" | "sync entity position" => entities::entity_teleport,
        "entity velocity" => entities::entity_velocity,
        "entity head rotation" => entities::entity_head,
        "entity metadata" | "entity update attributes" | "entity equipment" | "set passengers" => entities::entity,
        "entity destroy" => entities::entity_destroy,
        "entity status" => entities::entity_status,
        "map chunk" => chunk,
        "unload chunk" => unload_chunk,
        "update view position" => view_position,
        "block change" => block_change,
        "set slot" => set_slot,
        "update time" => time,
        "update health" => health,
        "abilities" => abilities,
        "player info" => player_info,
        "set compression" => |wire, _| number(wire, &THRESHOLD).map(drop),
        _ => nothing,
    }
}

fn nothing(_: &mut Wire<'_>, _: u32) -> Result {
    Ok(())
}

/// Text of a summary.
fn shown(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

fn keep_alive(wire: &mut Wire<'_>, version: u32) -> Result {
    match version {
        ..=5 => wire.i32_be(&KEEP_ALIVE).map(drop),
        6..=338 => number(wire, &KEEP_ALIVE).map(drop),
        _ => wire.i64_be(&KEEP_ALIVE).map(drop),
    }
}

fn ping(wire: &mut Wire<'_>, _: u32) -> Result {
    wire.i32_be(&PING_ID).map(drop)
}

fn plugin_message(wire: &mut Wire<'_>, _: u32) -> Result {
    let channel = text(wire, &CHANNEL_LENGTH, &CHANNEL)?;
    wire.info(format_args!("{}, {} bytes", shown(channel), wire.remaining()));
    Ok(())
}

/// A text or command of the client. From version 759 on it is signed.
fn chat_message(wire: &mut Wire<'_>, version: u32) -> Result {
    let chat_message = text(wire, &CHAT_LENGTH, &CHAT)?;
    wire.info(format_args!("{}", wire.masked(&shown(chat_message))));
    if version >= 759 && wire.remaining() > 0 {
        wire.i64_be(&CHAT_TIME)?;
        wire.i64_be(&CHAT_SALT)?;
    }
    Ok(())
}

fn settings(wire: &mut Wire<'_>, version: u32) -> Result {
    let locale = text(wire, &LOCALE_LENGTH, &LOCALE)?;
    wire.info(format_args!("{}", shown(locale)));
    wire.i8(&DISTANCE)?;
    match version {
        ..=47 => drop(wire.u8(&CHAT_MODE)?),
        _ => drop(number(wire, &CHAT_MODE)?),
    }
    wire.bool(&CHAT_COLORS)?;
    if version <= 5 {
        return Ok(());
    }
    wire.u8(&SKIN_PARTS)?;
    if version > 47 {
        number(wire, &MAIN_HAND)?;
    }
    if version >= 755 {
        wire.bool(&TEXT_FILTER)?;
    }
    if version >= 757 {
        wire.bool(&LISTING)?;
    }
    if version >= 768 {
        number(wire, &PARTICLES)?;
    }
    Ok(())
}

/// Three coordinates.
pub(super) fn place(wire: &mut Wire<'_>) -> Result<[f64; 3]> {
    let place = [wire.f64_be(&X)?, wire.f64_be(&Y)?, wire.f64_be(&Z)?];
    let [x, y, z] = place;
    wire.info(format_args!("{x:.2} {y:.2} {z:.2}"));
    Ok(place)
}

pub(super) fn direction(wire: &mut Wire<'_>) -> Result {
    wire.f32_be(&YAW)?;
    wire.f32_be(&PITCH).map(drop)
}

/// Whether the player stands on the ground; from version 768 on, in a bit.
fn grounded(wire: &mut Wire<'_>, version: u32) -> Result {
    if version < 768 { wire.bool(&ON_GROUND).map(drop) } else { wire.u8(&MOVEMENT).map(drop) }
}

fn walked(wire: &mut Wire<'_>, version: u32) -> Result {
    if version > 5 {
        place(wire)?;
        grounded(wire, version)?;
    }
    Ok(())
}

fn walked_and_turned(wire: &mut Wire<'_>, version: u32) -> Result {
    if version > 5 {
        place(wire)?;
        direction(wire)?;
        grounded(wire, version)?;
    }
    Ok(())
}

fn turned(wire: &mut Wire<'_>, version: u32) -> Result {
    direction(wire)?;
    grounded(wire, version)
}

fn hand(wire: &mut Wire<'_>, version: u32) -> Result {
    if version > 47 { number(wire, &HAND).map(drop) } else { Ok(()) }
}

fn dig(wire: &mut Wire<'_>, version: u32) -> Result {
    if version <= 5 {
        return Ok(());
    }
    number(wire, &DIG_STATUS)?;
    block(wire, version)?;
    wire.i8(&FACE)?;
    if version >= 759 { number(wire, &SEQUENCE).map(drop) } else { Ok(()) }
}

fn abilities(wire: &mut Wire<'_>, _: u32) -> Result {
    wire.u8(&ABILITIES)?;
    if wire.remaining() > 0 {
        wire.f32_be(&FLYING_SPEED)?;
        wire.f32_be(&WALKING_SPEED)?;
    }
    Ok(())
}

fn chat(wire: &mut Wire<'_>, version: u32) -> Result {
    let json = text(wire, &CHAT_LENGTH, &CHAT_JSON)?;
    wire.info(format_args!("{}", shown(json)));
    if version > 5 {
        wire.i8(&CHAT_POSITION)?;
    }
    if version >= 735 { wire.bytes(&CHAT_SENDER, 16).map(drop) } else { Ok(()) }
}

fn system_chat(wire: &mut Wire<'_>, version: u32) -> Result {
    component(wire, version, 1)?;
    match version {
        759 => number(wire, &CHAT_POSITION).map(drop),
        _ => wire.bool(&CHAT_OVERLAY).map(drop),
    }
}

fn disconnect(wire: &mut Wire<'_>, version: u32) -> Result {
    component(wire, version, 0)
}

/// A text component that ends `behind` bytes before the end: JSON, and from version 765 on NBT.
fn component(wire: &mut Wire<'_>, version: u32, behind: usize) -> Result {
    const STRING: u8 = 8;
    if version < 765 {
        let json = text(wire, &CHAT_LENGTH, &CHAT_JSON)?;
        wire.info(format_args!("{}", shown(json)));
        return Ok(());
    }
    if wire.u8(&CHAT_TAG)? == STRING {
        let length = wire.u16_be(&CHAT_LENGTH)?;
        let chat_message = wire.text(&CHAT, length.into())?;
        wire.info(format_args!("{}", shown(chat_message)));
        return Ok(());
    }
    wire.bytes(&CHAT_NBT, wire.remaining().saturating_sub(behind)).map(drop)
}

/// The world that a player enters. Versions 735 to 763 send the registries in it, which are data.
fn join(wire: &mut Wire<'_>, version: u32) -> Result {
    wire.i32_be(&ENTITY)?;
    if version >= 751 {
        wire.bool(&HARDCORE)?;
    }
    match version {
        ..=578 => join_level(wire, version),
        579..=763 => {
            wire.u8(&GAME_MODE)?;
            wire.i8(&PREVIOUS_MODE)?;
            worlds(wire)
        }
        _ => {
            worlds(wire)?;
            number(wire, &MAX_PLAYERS)?;
            number(wire, &DISTANCE)?;
            number(wire, &SIMULATION)?;
            wire.bool(&REDUCED)?;
            wire.bool(&RESPAWN_SCREEN)?;
            wire.bool(&LIMITED_CRAFTING)?;
            spawn_info(wire, version)
        }
    }
}

fn join_level(wire: &mut Wire<'_>, version: u32) -> Result {
    wire.u8(&GAME_MODE)?;
    match version {
        ..=107 => drop(wire.i8(&DIMENSION)?),
        _ => drop(wire.i32_be(&DIMENSION)?),
    }
    if version >= 573 {
        wire.u64_be(&SEED)?;
    }
    if version < 477 {
        wire.u8(&DIFFICULTY)?;
    }
    wire.u8(&MAX_PLAYERS)?;
    text(wire, &LEVEL_LENGTH, &LEVEL)?;
    if version >= 477 {
        number(wire, &DISTANCE)?;
    }
    if version > 5 {
        wire.bool(&REDUCED)?;
    }
    if version >= 573 { wire.bool(&RESPAWN_SCREEN).map(drop) } else { Ok(()) }
}

fn worlds(wire: &mut Wire<'_>) -> Result {
    for _ in 0..number(wire, &WORLD_COUNT)? {
        text(wire, &WORLD_LENGTH, &WORLDS)?;
    }
    Ok(())
}

/// The world of a player from version 764 on. The place of the last death and what follows is data.
fn spawn_info(wire: &mut Wire<'_>, version: u32) -> Result {
    match version {
        ..=765 => drop(text(wire, &WORLD_LENGTH, &WORLD_TYPE)?),
        _ => drop(number(wire, &WORLD_TYPE_ID)?),
    }
    let name = text(wire, &WORLD_LENGTH, &WORLD)?;
    wire.info(format_args!("{}", shown(name)));
    wire.u64_be(&SEED)?;
    wire.u8(&GAME_MODE)?;
    wire.i8(&PREVIOUS_MODE).map(drop)
}

fn respawn(wire: &mut Wire<'_>, version: u32) -> Result {
    match version {
        ..=578 => {
            wire.i32_be(&DIMENSION)?;
            if version >= 573 {
                wire.u64_be(&SEED)?;
            }
            if version < 477 {
                wire.u8(&DIFFICULTY)?;
            }
            wire.u8(&GAME_MODE)?;
            text(wire, &LEVEL_LENGTH, &LEVEL).map(drop)
        }
        // The dimension is NBT, whose length is not stated.
        751..=758 => Ok(()),
        579..=750 | 759..=763 => spawn_info(wire, 765),
        _ => spawn_info(wire, version),
    }
}

/// Where the server puts the player.
fn position(wire: &mut Wire<'_>, version: u32) -> Result {
    match version {
        ..=5 => {
            place(wire)?;
            direction(wire)?;
            wire.bool(&ON_GROUND).map(drop)
        }
        6..=767 => {
            place(wire)?;
            direction(wire)?;
            wire.u8(&RELATIVE)?;
            if version > 47 {
                number(wire, &TELEPORT)?;
            }
            if (755..=761).contains(&version) { wire.bool(&DISMOUNT).map(drop) } else { Ok(()) }
        }
        _ => {
            number(wire, &TELEPORT)?;
            place(wire)?;
            motion(wire)?;
            direction(wire)?;
            wire.u32_be(&RELATIVE).map(drop)
        }
    }
}

pub(super) fn motion(wire: &mut Wire<'_>) -> Result {
    for field in [&DX, &DY, &DZ] {
        wire.f64_be(field)?;
    }
    Ok(())
}

fn chunk_place(wire: &mut Wire<'_>, fields: [&'static Field; 2]) -> Result {
    let [first, second] = fields;
    wire.i32_be(first)?;
    wire.i32_be(second).map(drop)
}

/// The place of a chunk. Its blocks are data.
fn chunk(wire: &mut Wire<'_>, version: u32) -> Result {
    let (x, z) = (wire.i32_be(&CHUNK_X)?, wire.i32_be(&CHUNK_Z)?);
    wire.info(format_args!("{x} {z}"));
    if version < 755 { wire.bool(&CHUNK_FULL).map(drop) } else { Ok(()) }
}

fn unload_chunk(wire: &mut Wire<'_>, version: u32) -> Result {
    chunk_place(wire, if version < 764 { [&CHUNK_X, &CHUNK_Z] } else { [&CHUNK_Z, &CHUNK_X] })
}

fn view_position(wire: &mut Wire<'_>, _: u32) -> Result {
    signed(wire, &CHUNK_X)?;
    signed(wire, &CHUNK_Z)
}

/// Reads a VarInt as a signed number.
fn signed(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    let start = wire.at();
    let value = super::varint_of(wire)?;
    let value = u32::try_from(value & 0xffff_ffff).unwrap_or_default().cast_signed();
    wire.put(field, Value::Signed(value.into()), start..wire.at());
    Ok(())
}

/// The place of a block in 64 bits: 26 of x, 12 of y, 26 of z; from version 477 on z comes before y.
fn block(wire: &mut Wire<'_>, version: u32) -> Result {
    let start = wire.at();
    let Some(packed) = wire.ahead().first_chunk().map(|bytes| i64::from_be_bytes(*bytes)) else {
        return wire.skip(8);
    };
    wire.skip(8)?;
    let (y, z) = if version < 477 { (packed << 26 >> 52, packed << 38 >> 38) } else { (packed << 52 >> 52, packed << 26 >> 38) };
    let x = packed >> 38;
    for (field, value) in [(&BLOCK_X, x), (&BLOCK_Y, y), (&BLOCK_Z, z)] {
        wire.put(field, Value::Signed(value), start..start + 8);
    }
    wire.info(format_args!("{x} {y} {z}"));
    Ok(())
}

fn block_change(wire: &mut Wire<'_>, version: u32) -> Result {
    if version <= 5 {
        return Ok(());
    }
    block(wire, version)?;
    number(wire, &BLOCK_STATE).map(drop)
}

/// The slot of an item. The item is data.
fn set_slot(wire: &mut Wire<'_>, version: u32) -> Result {
    match version {
        ..=767 => drop(wire.i8(&WINDOW)?),
        _ => drop(number(wire, &WINDOW)?),
    }
    if version >= 756 {
        number(wire, &WINDOW_STATE)?;
    }
    wire.i16_be(&SLOT).map(drop)
}

fn time(wire: &mut Wire<'_>, version: u32) -> Result {
    let age = wire.i64_be(&WORLD_AGE)?;
    wire.info(format_args!("{age}"));
    if version >= 775 {
        return Ok(());
    }
    wire.i64_be(&DAY_TIME)?;
    if version >= 768 { wire.bool(&DAY_PASSES).map(drop) } else { Ok(()) }
}

fn health(wire: &mut Wire<'_>, version: u32) -> Result {
    let health = wire.f32_be(&HEALTH)?;
    wire.info(format_args!("{health}"));
    match version {
        ..=5 => drop(wire.i16_be(&FOOD)?),
        _ => drop(number(wire, &FOOD)?),
    }
    wire.f32_be(&SATURATION).map(drop)
}

/// What a list of players changes. The players are data.
fn player_info(wire: &mut Wire<'_>, version: u32) -> Result {
    match version {
        ..=5 => return Ok(()),
        6..=760 => drop(number(wire, &PLAYER_ACTION)?),
        _ => drop(wire.u8(&PLAYER_ACTIONS_MASK)?),
    }
    let count = number(wire, &PLAYER_COUNT)?;
    wire.info(format_args!("{count} players"));
    Ok(())
}
