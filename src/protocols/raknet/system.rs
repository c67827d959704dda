//! Internal messages of RakNet connections.

use super::fields::*;
use super::{PLACE, RENUMBERED};
use crate::tree::{BySide, Field, Names, Side, Time, Value, fields};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};
use std::collections::VecDeque;

pub static PROTOCOL: Protocol = Protocol::new(&MESSAGE, FIELDS)
    .found(&[
        On::Over(PLACE).exchange::<Session>(Heuristic::Datagram(is_system)),
        On::Over(RENUMBERED).exchange::<Session>(Heuristic::Anything),
    ])
    .rest(&UNPARSED);

fields! {
    MESSAGE = protocol("raknet.message", "RakNet", "Internal messages of RakNet connections")
        .covers("Connection setup, pings and notifications; other messages belong to the game");
    STOCK_MESSAGE_ID = number("raknet.message.stock_id", "stock message id", "Type of a message that the game numbers anew").hex(2).names(IDS);
    MESSAGE_ID = number("raknet.message.id", "message id", "Message type; IDs not used by RakNet belong to the game").hex(2).names(IDS);
}

/// What is added to a stock ID in [`Wire::detail`], which is 0 for other messages.
pub(super) const STOCK: u64 = 1;

const PING: u8 = 0x00;
const PONG: u8 = 0x03;
const DETECT_LOST: u8 = 0x04;
const REQUEST: u8 = 0x09;
const ACCEPTED: u8 = 0x10;
const INCOMING: u8 = 0x13;
const DISCONNECTION: u8 = 0x15;
const INVALID_PASSWORD: u8 = 0x18;
const TIMESTAMP: u8 = 0x1b;

/// IDs of modified RakNet versions; stock RakNet does not use them within a connection.
const ACCEPTED_CHANGED: u8 = 0x16;
const INCOMING_CHANGED: u8 = 0x17;
const TIMESTAMP_CHANGED: u8 = 0x19;

/// Names shared by both numberings, or unique to one of them within a connection.
const IDS: Names = &[
    (0x00, "connected_ping"),
    (0x03, "connected_pong"),
    (0x04, "detect_lost_connections"),
    (0x09, "connection_request"),
    (0x10, "connection_request_accepted"),
    (0x13, "new_incoming_connection"),
    (0x15, "disconnection_notification"),
    (0x16, "connection_request_accepted"),
    (0x17, "new_incoming_connection"),
    (0x18, "invalid_password"),
    (0x19, "timestamp"),
    (0x1b, "timestamp"),
];

/// Undecoded messages, in stock numbering.
const OPAQUE_STOCK: Names = &[
    (0x1f, "remote_disconnection"),
    (0x20, "remote_connection_lost"),
    (0x21, "remote_new_connection"),
    (0x22, "file_list_header"),
    (0x23, "file_list_file"),
    (0x24, "file_push_ack"),
    (0x4b, "file_push"),
];

/// Undecoded messages with other IDs in modified versions.
const OPAQUE_CHANGED: Names = &[
    (0x1f, "file_list_header"),
    (0x20, "file_list_file"),
    (0x21, "file_push_ack"),
    (0x22, "file_push"),
    (0x24, "remote_disconnection"),
    (0x25, "remote_connection_lost"),
    (0x26, "remote_new_connection"),
];

/// Bytes of an IPv4 address.
const ADDRESS_LEN: usize = 7;

/// Bytes of the structure after the version of an IPv6 address.
const SOCKET_ADDRESS_LEN: usize = 28;

/// Maximum pending pings per side.
const MAX_PINGS: usize = 64;

/// Whether a message is internal, by its ID and length.
pub(super) fn is_system(message: &[u8]) -> bool {
    let Some((id, rest)) = message.split_first() else { return false };
    match *id {
        PING | INVALID_PASSWORD => rest.len() == 8,
        PONG => rest.len() == 16,
        DETECT_LOST | DISCONNECTION => rest.is_empty(),
        REQUEST => rest.len() >= 17,
        ACCEPTED | ACCEPTED_CHANGED => are_addresses(rest, 18),
        INCOMING | INCOMING_CHANGED => are_addresses(rest, 16),
        TIMESTAMP | TIMESTAMP_CHANGED => rest.len() > 8,
        0x1f..=0x26 | 0x4b => true,
        _ => false,
    }
}

/// Whether the bytes are addresses and this many others; the first one is IPv4.
fn are_addresses(bytes: &[u8], others: usize) -> bool {
    let addresses = bytes.len().checked_sub(others);
    bytes.first() == Some(&4) && addresses.is_some_and(|len| len > ADDRESS_LEN && len.is_multiple_of(ADDRESS_LEN))
}

/// Pings of each side by timestamp, with their capture time.
#[derive(Default)]
struct Session {
    pings: BySide<VecDeque<(u64, u64, Time)>>,
    /// The peer uses the IDs of a modified version.
    is_changed: bool,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let id = wire.u8(&MESSAGE_ID)?;
        let stock = wire.detail().checked_sub(STOCK).and_then(|stock| u8::try_from(stock).ok());
        if let Some(stock) = stock {
            wire.add(&STOCK_MESSAGE_ID, Value::Unsigned(stock.into()));
        }
        let id = stock.unwrap_or(id);
        wire.name(self.name(id));
        match id {
            PING => {
                let time = wire.u64_be(&TIME)?;
                self.ping(from, time, wire.completed());
            }
            PONG => {
                let echoed = wire.u64_be(&ECHOED_TIME)?;
                wire.u64_be(&TIME)?;
                self.pong(from, echoed, wire);
            }
            REQUEST => {
                wire.u64_be(&GUID)?;
                wire.u64_be(&TIME)?;
                wire.u8(&SECURITY)?;
                wire.rest(&PASSWORD);
            }
            ACCEPTED | ACCEPTED_CHANGED => {
                self.is_changed = id == ACCEPTED_CHANGED;
                address(wire, &CLIENT_ADDRESS)?;
                wire.u16_be(&SYSTEM_INDEX)?;
                interfaces(wire)?;
            }
            INCOMING | INCOMING_CHANGED => {
                self.is_changed = id == INCOMING_CHANGED;
                address(wire, &SERVER_ADDRESS)?;
                interfaces(wire)?;
            }
            INVALID_PASSWORD => wire.u64_be(&GUID).map(drop)?,
            TIMESTAMP | TIMESTAMP_CHANGED => {
                wire.u64_be(&TIME)?;
                let inner = wire.at()..wire.at() + wire.remaining();
                wire.hand_over(PLACE, inner);
                wire.rest(&OPAQUE);
            }
            _ => drop(wire.rest(&OPAQUE)),
        }
        Ok(())
    }
}

impl Session {
    fn name(&self, id: u8) -> &'static str {
        let of = |names| crate::tree::name_of(names, id.into());
        let changed = if self.is_changed { of(OPAQUE_CHANGED) } else { None };
        of(IDS).or(changed).or_else(|| of(OPAQUE_STOCK)).or_else(|| of(OPAQUE_CHANGED)).unwrap_or("unknown")
    }

    fn ping(&mut self, from: Side, time: u64, (frame, when): (u64, Time)) {
        let pings = &mut self.pings[from];
        pings.push_back((time, frame, when));
        if pings.len() > MAX_PINGS {
            pings.pop_front();
        }
    }

    /// Adds the round-trip time of a pong.
    fn pong(&mut self, from: Side, echoed: u64, wire: &mut Wire<'_>) {
        let pings = &mut self.pings[from.other()];
        let Some(place) = pings.iter().position(|(time, ..)| *time == echoed) else { return };
        let Some((_, frame, then)) = pings.remove(place) else { return };
        round_trip(wire, frame, then);
    }
}

/// Adds the frame of a request and the time since.
pub(super) fn round_trip(wire: &mut Wire<'_>, frame: u64, then: Time) {
    wire.add(&PONG_OF, Value::Unsigned(frame));
    if let (Some(now), Some(then)) = (wire.completed().1, then) {
        let seconds = now.since(then) as f64 / 1e9;
        wire.add(&ROUND_TRIP, Value::Double(seconds));
        wire.info(format_args!("round trip {:.3} ms", seconds * 1e3));
    }
}

/// Reads addresses up to the two final timestamps.
fn interfaces(wire: &mut Wire<'_>) -> Result {
    while wire.remaining() >= ADDRESS_LEN + 16 {
        address(wire, &ADDRESS)?;
    }
    wire.u64_be(&REQUEST_TIME)?;
    wire.u64_be(&REPLY_TIME).map(drop)
}

/// Reads an inverted address and its port.
pub(super) fn address(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    wire.group(field, |wire| {
        if wire.u8(&ADDRESS_VERSION)? == 6 {
            return wire.bytes(&ADDRESS_IPV6, SOCKET_ADDRESS_LEN).map(drop);
        }
        wire.number_with(&ADDRESS_IP, |bytes| Value::Unsigned((!u32::from_be_bytes(bytes)).into()))?;
        wire.u16_be(&ADDRESS_PORT).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_internal_by_id_and_length() {
        let message = |id: u8, first: u8, len: usize| [&[id, first][..], &vec![0; len - 1]].concat();
        for (id, first, right, wrong) in [
            (PING, 1, &[8][..], &[7, 9, 16][..]),
            (INVALID_PASSWORD, 1, &[8], &[7, 9]),
            (PONG, 1, &[16], &[8, 15, 17]),
            (REQUEST, 1, &[17, 40], &[8, 16]),
            (TIMESTAMP, 1, &[9, 10, 400], &[7, 8]),
            (TIMESTAMP_CHANGED, 1, &[9, 400], &[8]),
            // One IPv4 address is not enough; 18 bytes are an index and two times.
            (ACCEPTED, 4, &[18 + 14, 18 + 77], &[18 + 7, 18 + 13, 18 + 15]),
            (ACCEPTED_CHANGED, 4, &[18 + 14], &[16 + 14]),
            (INCOMING, 4, &[16 + 14, 16 + 77], &[16 + 7, 18 + 14]),
            (INCOMING_CHANGED, 4, &[16 + 14], &[18 + 14]),
            (ACCEPTED, 6, &[], &[18 + 14]),
            (0x1f, 1, &[1, 50], &[]),
            (0x4b, 1, &[1, 50], &[]),
            (0x27, 1, &[], &[1, 50]),
        ] {
            for (lengths, is_internal) in [(right, true), (wrong, false)] {
                for len in lengths {
                    assert_eq!(is_system(&message(id, first, *len)), is_internal, "{id:#x} {len}");
                }
            }
        }
        assert!(is_system(&[DISCONNECTION]) && is_system(&[DETECT_LOST]) && !is_system(&[DISCONNECTION, 0]) && !is_system(&[]));
    }
}
