//! General messages by opcode, and position updates.

use super::framing::speaker;
use super::users::{Leading, User, Users};
use super::values::{Brief, Bytes, at_least, id, real, text};
use super::*;
use crate::tree::{Field, Side, name_of};
use crate::wire::{Cut, Error, Result, Wire};

/// Maximum content size accepted by servers.
const ACCEPTED_MAX: u32 = 1024;

/// Content of a `set_master` with a length before the flag, as sent by one server.
const LONG_MASTER: usize = 5;

pub(super) fn general(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    leading(wire, from, users, [&ID1, &ID2])?;
    let opcode = wire.u32_be(&OPCODE)?;
    let is_ours = speaker(opcode).is_none_or(|side| side == from);
    match name_of(OPCODES, opcode.into()) {
        Some(name) => wire.name(name),
        None => {
            wire.name("unknown");
            wire.note(&NOTE_UNKNOWN_OPCODE, format_args!("opcode {opcode} is unknown"));
        }
    }
    if !is_ours {
        wire.note(&NOTE_DIRECTION, format_args!("not expected {}", from.direction()));
    }
    let size = wire.u32_be(&CONTENT_SIZE)?;
    if size > CONTENT_MAX {
        wire.note(&ERROR_CONTENT_SIZE, format_args!("{size} bytes, at most {CONTENT_MAX} are read"));
        return Err(Error::Malformed);
    }
    if size > ACCEPTED_MAX {
        wire.note(&WARN_LARGE_CONTENT, format_args!("{size} bytes, servers accept {ACCEPTED_MAX}"));
    }
    if size == 0 {
        wire.note(&NOTE_EMPTY_CONTENT, format_args!("no content"));
        return Ok(());
    }
    content(wire, from, opcode, size, users)?;
    if wire.remaining() > 0 && wire.cut() == Cut::No {
        let trailing = wire.rest(&TRAILING).len();
        wire.note(&NOTE_TRAILING, format_args!("{trailing} bytes after the last field"));
    }
    Ok(())
}

/// Reads the two leading IDs. Those sent by the client are stored.
fn leading(wire: &mut Wire<'_>, from: Side, users: &mut Users, fields: [&'static Field; 2]) -> Result {
    let [first, second] = fields;
    let connection = id(wire, first, |id| users.by_leading(from, Leading::Connection, id))?;
    let client = id(wire, second, |id| users.by_leading(from, Leading::Client, id))?;
    if from == Side::Client {
        users.seen(connection, client);
    }
    Ok(())
}

fn content(wire: &mut Wire<'_>, from: Side, opcode: u32, size: u32, users: &mut Users) -> Result {
    match opcode {
        NEW_USER => at_least(wire, 2, |wire| new_user(wire, from, users)),
        CLIENT_ID_GIVEN => at_least(wire, 4, |wire| client_id(wire, from, users)),
        USER_JOINED => at_least(wire, 10, |wire| user_joined(wire, from, users)),
        USER_LEFT => at_least(wire, 4, |wire| user_left(wire, from, users)),
        BROADCAST_ID_GIVEN => at_least(wire, 4, |wire| broadcast_id(wire, from, users)),
        COMMON => common::common(wire, from, users),
        STATE_CHANGE => state_change(wire, users),
        SET_MASTER => set_master(wire, from, users),
        USER_COUNT => at_least(wire, 5, user_count),
        _ => {
            wire.info(format_args!("opcode {opcode}, {}", Bytes(size as usize)));
            Err(Error::Malformed)
        }
    }
}

fn new_user(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let name = text(wire, &NEW_USER_NAME, users.charset)?;
    wire.info(format_args!("{} logs in", Brief(&name)));
    let avatar = text(wire, &NEW_USER_AVATAR, users.charset)?;
    let user = User::new(&name, &avatar);
    wire.info(format_args!("{user} logs in"));
    if from == Side::Client {
        users.logged_in(user);
    }
    Ok(())
}

fn client_id(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let client = id(wire, &CLIENT_ID, |_| users.me())?;
    wire.info(format_args!("{} has client id {client}", users.name_me()));
    if from == Side::Server {
        users.is_client(client);
    }
    Ok(())
}

fn user_joined(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let broadcast = wire.i32_be(&JOINED_BROADCAST_ID)?;
    wire.info(format_args!("user {broadcast} joined"));
    wire.i32_be(&JOINED_UNKNOWN_ID)?;
    let avatar = text(wire, &JOINED_AVATAR, users.charset)?;
    let name = text(wire, &JOINED_NAME, users.charset)?;
    let user = User::new(&name, &avatar);
    wire.info(format_args!("{user} joined"));
    if from == Side::Server {
        users.joined(broadcast, user);
    }
    Ok(())
}

fn user_left(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let broadcast = id(wire, &LEFT_BROADCAST_ID, |id| users.by_broadcast(id))?;
    wire.info(format_args!("{} left", users.name(broadcast)));
    if from == Side::Server {
        users.left(broadcast);
    }
    Ok(())
}

fn broadcast_id(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let broadcast = id(wire, &BROADCAST_ID, |_| users.me())?;
    if from == Side::Server {
        users.is_broadcast(broadcast);
    }
    wire.info(format_args!("{} has broadcast id {broadcast}", users.name_me()));
    Ok(())
}

fn state_change(wire: &mut Wire<'_>, users: &Users) -> Result {
    let state = wire.u8(&STATE)?;
    match name_of(STATES, state.into()) {
        Some(name) => wire.info(format_args!("{}: {name}", users.name_me())),
        None => {
            wire.note(&NOTE_VALUE, format_args!("state {state} is unknown"));
            wire.info(format_args!("{}: state {state}", users.name_me()));
        }
    }
    Ok(())
}

fn set_master(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    if wire.remaining() == LONG_MASTER && wire.cut() == Cut::No {
        wire.bytes(&TRAILING, LONG_MASTER - 1)?;
        wire.note(&NOTE_TRAILING, format_args!("{} bytes before the flag", LONG_MASTER - 1));
    }
    let is_master = wire.u8(&IS_MASTER)? != 0;
    wire.info(format_args!("{} is {}the master", users.name_me(), if is_master { "" } else { "not " }));
    if from == Side::Server {
        users.made_master(is_master);
    }
    Ok(())
}

fn user_count(wire: &mut Wire<'_>) -> Result {
    wire.u8(&COUNT_UNKNOWN)?;
    let count = wire.i32_be(&COUNT)?;
    wire.info(format_args!("{count} {}", if count == 1 { "user" } else { "users" }));
    Ok(())
}

pub(super) fn position_update(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    leading(wire, from, users, [&POSITION_CONNECTION_ID, &POSITION_CLIENT_ID])?;
    let broadcast = id(wire, &POSITION_BROADCAST_ID, |id| users.by_broadcast(id))?;
    if from == Side::Client {
        users.seen_broadcast(broadcast);
    }
    let is_teleport = from == Side::Server && users.is_me(broadcast);
    let moved = if is_teleport { "is moved" } else { "moved" };
    wire.info(format_args!("{} {moved}", users.name(broadcast)));
    let x = real(wire, &POSITION_X, &POSITION_X_RAW)?;
    let y = real(wire, &POSITION_Y, &POSITION_Y_RAW)?;
    let z = real(wire, &POSITION_Z, &POSITION_Z_RAW)?;
    wire.info(format_args!("{} {moved} to {x:.2} {y:.2} {z:.2}", users.name(broadcast)));
    wire.u16_be(&POSITION_UNKNOWN).map(drop)
}
