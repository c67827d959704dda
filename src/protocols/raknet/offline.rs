//! Offline messages: discovery pings and connection setup.

use super::fields::*;
use super::system::address;
use crate::tree::{Side, Value, name_of};
use crate::wire::{Error, Result, Wire};

/// Magic bytes of offline messages.
pub(super) const MAGIC_BYTES: [u8; 16] =
    [0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];

pub(super) const PING: u8 = 0x01;
pub(super) const PING_OPEN: u8 = 0x02;
pub(super) const REQUEST_1: u8 = 0x05;
pub(super) const REPLY_1: u8 = 0x06;
pub(super) const REQUEST_2: u8 = 0x07;
pub(super) const REPLY_2: u8 = 0x08;
pub(super) const OUT_OF_BAND: u8 = 0x0d;
pub(super) const PONG: u8 = 0x1c;

/// Dispatch name of game data in a pong.
const PONG_PLACE: &str = "raknet.pong";

/// Bytes of IP and UDP headers, which count towards the MTU.
const HEADERS: usize = 28;

/// Value for a secure connection.
const IS_SECURE: u8 = 1;

/// Offset of the magic bytes in this message type.
const fn magic_offset(id: u8) -> Option<usize> {
    Some(match id {
        REQUEST_1 | REPLY_1 | REQUEST_2 | REPLY_2 | 0x12 | 0x13 | 0x14 | 0x17 | 0x1a => 1,
        0x19 | 0x1b => 2,
        PING | PING_OPEN | OUT_OF_BAND => 9,
        PONG => 17,
        _ => return None,
    })
}

/// Offset of the magic bytes, if the datagram is an offline message. Some games number the messages of connection setup anew.
pub(super) fn magic_at(datagram: &[u8]) -> Option<usize> {
    const SETUP: usize = 1;
    let at = magic_offset(*datagram.first()?).unwrap_or(SETUP);
    datagram.get(at..)?.starts_with(&MAGIC_BYTES).then_some(at)
}

/// Minimum and maximum length of this message type.
fn lengths(id: u8) -> (usize, usize) {
    match id {
        PING | PING_OPEN => (33, 33),
        REQUEST_1 => (18, usize::MAX),
        REPLY_1 => (28, 28),
        REQUEST_2 => (34, 34),
        REPLY_2 => (35, 35),
        OUT_OF_BAND => (25, usize::MAX),
        0x19 | 0x1b => (26, 26),
        PONG => (33, usize::MAX),
        _ if name_of(OFFLINE_IDS, id.into()).is_none() => (17, usize::MAX),
        _ => (25, 25),
    }
}

/// Values of an offline message needed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offline {
    pub id: u8,
    /// Timestamp of a ping, or the echoed one.
    pub time: Option<u64>,
}

pub(super) fn message(wire: &mut Wire<'_>) -> Result<Offline> {
    let len = wire.remaining();
    let id = wire.u8(&OFFLINE_ID)?;
    wire.name(name_of(OFFLINE_IDS, id.into()).unwrap_or("unknown"));
    match id {
        REQUEST_1 | REQUEST_2 => wire.sent_by(Side::Client),
        REPLY_1 | REPLY_2 => wire.sent_by(Side::Server),
        _ => {}
    }
    let (least, most) = lengths(id);
    let most = if id == REPLY_1 && wire.ahead().get(24) == Some(&IS_SECURE) { most + 4 } else { most };
    let time = fields(wire, id, len)?;
    if len < least || len > most {
        wire.note(&BAD_LENGTH, format_args!("{len} bytes, not {least}"));
    }
    wire.rest(&UNPARSED);
    Ok(Offline { id, time })
}

fn fields(wire: &mut Wire<'_>, id: u8, len: usize) -> Result<Option<u64>> {
    match id {
        PING | PING_OPEN | PONG => return discovery(wire, id).map(Some),
        REQUEST_1 | REPLY_1 | REQUEST_2 | REPLY_2 => setup(wire, id, len)?,
        OUT_OF_BAND => {
            guid(wire)?;
            magic(wire)?;
            wire.rest(&OFFLINE_DATA);
        }
        0x19 | 0x1b => {
            let protocol = wire.u8(&PROTOCOL_VERSION)?;
            magic(wire)?;
            guid(wire)?;
            wire.info(format_args!("the server has protocol {protocol}"));
        }
        _ if name_of(OFFLINE_IDS, id.into()).is_none() => {
            magic(wire)?;
            wire.info(format_args!("id {id:#04x}"));
            wire.rest(&OFFLINE_DATA);
        }
        _ => {
            magic(wire)?;
            guid(wire)?;
        }
    }
    Ok(None)
}

/// A ping, or a pong with what the game says of itself. Returns the timestamp.
fn discovery(wire: &mut Wire<'_>, id: u8) -> Result<u64> {
    let time = wire.u64_be(&TIME)?;
    if id == PONG {
        guid(wire)?;
        magic(wire)?;
        wire.offer(PONG_PLACE, wire.at()..wire.at() + wire.remaining());
        wire.rest(&OFFLINE_DATA);
    } else {
        magic(wire)?;
        guid(wire)?;
    }
    Ok(time)
}

/// One of the four messages of connection setup.
fn setup(wire: &mut Wire<'_>, id: u8, len: usize) -> Result {
    magic(wire)?;
    match id {
        REQUEST_1 => {
            let protocol = wire.u8(&PROTOCOL_VERSION)?;
            let probe = len + HEADERS;
            wire.rest(&PADDING);
            wire.add(&MTU_PROBE, Value::Unsigned(probe as u64));
            wire.info(format_args!("protocol {protocol}, MTU {probe}"));
            wire.remember("raknet.protocol", protocol.into());
        }
        REPLY_1 => {
            guid(wire)?;
            if wire.u8(&SECURITY)? == IS_SECURE {
                wire.u32_be(&COOKIE)?;
            }
            mtu(wire)?;
        }
        REQUEST_2 => {
            address(wire, &SERVER_ADDRESS)?;
            mtu(wire)?;
            guid(wire)?;
        }
        _ => {
            guid(wire)?;
            address(wire, &CLIENT_ADDRESS)?;
            mtu(wire)?;
            wire.u8(&SECURITY)?;
        }
    }
    Ok(())
}

fn magic(wire: &mut Wire<'_>) -> Result {
    if wire.bytes(&MAGIC, MAGIC_BYTES.len())? != MAGIC_BYTES {
        wire.note(&BAD_MAGIC, format_args!("not the magic bytes of offline messages"));
        return Err(Error::Malformed);
    }
    Ok(())
}

fn guid(wire: &mut Wire<'_>) -> Result {
    wire.u64_be(&GUID).map(drop)
}

fn mtu(wire: &mut Wire<'_>) -> Result {
    let mtu = wire.u16_be(&MTU)?;
    wire.info(format_args!("MTU {mtu}"));
    Ok(())
}
