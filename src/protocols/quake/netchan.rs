//! Packets that QuakeWorld and Quake II share.
//!
//! ```text
//! connectionless   ff ff ff ff | command with arguments
//! game             reliable:1 bit | sequence:31 | reliable:1 bit | acknowledged sequence:31 | qport:2, from clients | data
//! ```
//! Numbers are little-endian.

use super::second::*;
use crate::tree::{Field, Value};
use crate::wire::{DatagramContext, Result, Wire};

/// The highest bit: the packet has a reliable part.
const RELIABLE: u32 = 1 << 31;
/// Size of both sequence numbers in bytes.
const SIZE: usize = 8;
/// Sequence numbers of one connection stay below this: more than a day at 100 packets a second.
const SEQUENCE_MAX: u32 = 1 << 24;

/// Start of a packet without a connection.
const START: [u8; 4] = [0xff; 4];

/// Whether a datagram on the port of the game is connectionless, or has plausible sequence numbers.
pub(super) fn is_packet(bytes: &[u8], port: u16, context: &DatagramContext) -> bool {
    let command = bytes.strip_prefix(&START).and_then(<[u8]>::first);
    context.has_port(port) && (command.is_some_and(u8::is_ascii_graphic) || is_game(bytes))
}

fn is_game(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word) & !RELIABLE);
    let is_plausible = |number: Option<u32>| number.is_some_and(|number| number < SEQUENCE_MAX);
    bytes.len() >= SIZE && number(0) > Some(0) && is_plausible(number(0)) && is_plausible(number(4))
}

/// Dissects a packet of the game on this port, with the fields of Quake II.
pub(super) fn packet(wire: &mut Wire<'_>, port: u16) -> Result {
    let is_client = wire.ends().is_some_and(|[_, to]| to.port() == port);
    wire.add(if is_client { &TO_SERVER } else { &TO_CLIENT }, Value::Bool(true));
    if wire.ahead().starts_with(&START) {
        return command(wire);
    }
    wire.name(if is_client { "client to server" } else { "server to client" });
    wire.add(&GAME, Value::Bool(true));
    let sequence = number(wire, &SEQUENCE, &IS_RELIABLE)?;
    let acknowledged = number(wire, &ACKNOWLEDGED, &ACKNOWLEDGES_RELIABLE)?;
    wire.info(format_args!("sequence {sequence}, acknowledged {acknowledged}"));
    if is_client {
        wire.u16_le(&QPORT)?;
    }
    wire.rest_is(&DATA)
}

/// Dissects a packet without a connection.
fn command(wire: &mut Wire<'_>) -> Result {
    const SHOWN: usize = 100;
    wire.name("connectionless");
    wire.add(&CONNECTIONLESS, Value::Bool(true));
    wire.u32_be(&MARKER)?;
    wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
    let text = String::from_utf8_lossy(wire.ahead());
    wire.info(format_args!("{}", wire.masked(text.trim_matches(['\0', '\n', ' '])).chars().take(SHOWN).collect::<String>()));
    wire.rest_is(&TEXT)
}

/// Dissects a sequence number with its highest bit.
fn number(wire: &mut Wire<'_>, field: &'static Field, reliable: &'static Field) -> Result<u32> {
    let start = wire.at();
    let bytes = wire.number_with(field, |bytes| Value::Unsigned((u32::from_le_bytes(bytes) & !RELIABLE).into()))?;
    let number = u32::from_le_bytes(bytes);
    wire.put(reliable, Value::Bool(number & RELIABLE != 0), start + 3..start + 4);
    Ok(number & !RELIABLE)
}
