//! Offline messages: discovery pings and connection setup.

use super::fields::*;
use super::ids::Ids;
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

/// Offset of the magic bytes in setup messages.
const SETUP: usize = 1;
/// The same in pings, and in pongs.
const IN_PING: usize = 9;
const IN_PONG: usize = 17;

/// Offset of the magic bytes, if the datagram is an offline message. Some games number messages anew.
pub(super) fn magic_at(datagram: &[u8]) -> Option<usize> {
    let own = magic_offset(*datagram.first()?);
    let is_magic = |at: &usize| datagram.get(*at..).is_some_and(|rest| rest.starts_with(&MAGIC_BYTES));
    own.into_iter().chain([SETUP, IN_PING, IN_PONG]).find(is_magic)
}

/// The stock ID of a message that the game numbers anew: as the user states it, or by the structure of the message.
fn stock_id(message: &[u8], ids: &Ids) -> Option<u8> {
    let id = *message.first()?;
    let at = magic_at(message);
    let is_stock = name_of(OFFLINE_IDS, id.into()).is_some() && at.is_none_or(|at| magic_offset(id) == Some(at));
    ids.stock(id).or_else(|| if is_stock { None } else { by_structure(message, at?) })
}

/// The stock ID of a message with the magic bytes at this offset, if only one has its structure.
fn by_structure(message: &[u8], at: usize) -> Option<u8> {
    /// Fewest bytes of padding that probe an MTU.
    const PADDING: usize = 400;
    /// Version of an address.
    const IPV4: u8 = 4;
    let is_mtu = |high: u8, low: u8| (400..=1500).contains(&u16::from_be_bytes([high, low]));
    match (at, message.get(at + MAGIC_BYTES.len()..)?) {
        (SETUP, [_, padding @ ..]) if padding.len() >= PADDING && padding.iter().all(|byte| *byte == 0) => Some(REQUEST_1),
        (SETUP, [_, _, _, _, _, _, _, _, 0, high, low]) if is_mtu(*high, *low) => Some(REPLY_1),
        (SETUP, [IPV4, _, _, _, _, _, _, high, low, _, _, _, _, _, _, _, _]) if is_mtu(*high, *low) => Some(REQUEST_2),
        (SETUP, [_, _, _, _, _, _, _, _, IPV4, _, _, _, _, _, _, high, low, 0 | 1]) if is_mtu(*high, *low) => Some(REPLY_2),
        (IN_PING, [_, _, _, _, _, _, _, _]) => Some(PING),
        (IN_PONG, _) => Some(PONG),
        _ => None,
    }
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
    /// The game numbers messages anew.
    pub is_renumbered: bool,
    /// Timestamp of a ping, or the echoed one.
    pub time: Option<u64>,
}

pub(super) fn message(wire: &mut Wire<'_>, ids: &Ids) -> Result<Offline> {
    let (len, stock) = (wire.remaining(), stock_id(wire.ahead(), ids));
    let id = wire.u8(&OFFLINE_ID)?;
    if let Some(stock) = stock {
        wire.add(&STOCK_ID, Value::Unsigned(stock.into()));
    }
    let id = stock.unwrap_or(id);
    wire.name(name_of(OFFLINE_IDS, id.into()).unwrap_or("unknown"));
    match id {
        REQUEST_1 | REQUEST_2 => wire.sent_by(Side::Client),
        REPLY_1 | REPLY_2 => wire.sent_by(Side::Server),
        _ => {}
    }
    let (least, most) = lengths(id);
    let most = if id == REPLY_1 && wire.ahead().get(24) == Some(&IS_SECURE) { most + 4 } else { most };
    let has_stock_length = (least..=most).contains(&len);
    if stock.is_some() && !has_stock_length && magic_offset(id) == Some(SETUP) {
        // A game that numbers messages anew may change their fields, too.
        magic(wire)?;
        wire.rest(&OFFLINE_DATA);
        return Ok(Offline { id, is_renumbered: true, time: None });
    }
    let time = fields(wire, id, len)?;
    if !has_stock_length {
        wire.note(&BAD_LENGTH, format_args!("{len} bytes, not {least}"));
    }
    wire.rest(&UNPARSED);
    Ok(Offline { id, is_renumbered: stock.is_some(), time })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const MAGIC_HEX: &str = "00ffff00 fefefefe fdfdfdfd 12345678";

    fn read(hex: &str, ids: &str) -> String {
        let ids = Ids::parse(ids).unwrap_or_default();
        trial::read(&super::super::PROTOCOL, &trial::bytes(hex), Cut::No, |wire| message(wire, &ids).map(drop))
    }

    #[test]
    fn messages_with_other_ids_are_recognized_by_their_structure() {
        let time = "0000000000000007";
        let guid = "98d5573af066c42d";
        let probe = format!("7b {MAGIC_HEX} 05 {}", "00".repeat(500));
        for (hex, name) in [
            (probe, "open_connection_request_1"),
            (format!("7e {MAGIC_HEX} {guid} 00 0574"), "open_connection_reply_1"),
            (format!("78 {MAGIC_HEX} 04 3f57fffe 4a6e 0574 {guid}"), "open_connection_request_2"),
            (format!("7d {MAGIC_HEX} {guid} 04 3f57fffe 4a6e 0574 00"), "open_connection_reply_2"),
            (format!("81 {time} {MAGIC_HEX} {guid}"), "unconnected_ping"),
            (format!("9c {time} {guid} {MAGIC_HEX} 6d6f6f72"), "unconnected_pong"),
            // The stock ID of a ping, whose magic bytes are elsewhere.
            (format!("01 {MAGIC_HEX} {guid} 00 0574"), "open_connection_reply_1"),
            (format!("78 {MAGIC_HEX} 035a005d0005"), "unknown"),
        ] {
            let tree = read(&hex, "");
            assert!(tree.contains(&format!(" | {name}")) && !tree.contains("expert"), "{tree}");
            assert_eq!(tree.contains("raknet.stock_id"), name != "unknown", "{tree}");
        }
    }

    #[test]
    fn ids_that_the_user_states_name_messages_with_other_fields_too() {
        let tree = read(&format!("78 {MAGIC_HEX} 035a005d0005"), "78=07");
        insta::assert_snapshot!(tree, @"
        raknet 0..23 | open_connection_request_2
          0..1 raknet.offline.id = 0x78
          raknet.stock_id = 0x07 (open_connection_request_2)
          1..17 raknet.magic = 00ffff00fefefefefdfdfdfd12345678
          17..23 raknet.offline.data = 035a005d0005
        ");
    }
}
