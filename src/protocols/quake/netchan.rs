//! Packets that QuakeWorld and Quake II share.
//!
//! ```text
//! connectionless   ff ff ff ff | command with arguments
//! game             reliable:1 bit | sequence:31 | reliable:1 bit | acknowledged sequence:31 | qport:2, from clients | data
//! ```
//! Numbers are little-endian.

use crate::tree::{Field, Value};
use crate::wire::{DatagramContext, Result, Wire};

/// Fields of one protocol.
pub(super) struct Header {
    pub(super) port: u16,
    pub(super) to_server: &'static Field,
    pub(super) to_client: &'static Field,
    pub(super) connectionless: &'static Field,
    pub(super) marker: &'static Field,
    pub(super) text: &'static Field,
    pub(super) game: &'static Field,
    pub(super) sequence: &'static Field,
    pub(super) is_reliable: &'static Field,
    pub(super) acknowledged: &'static Field,
    pub(super) acknowledges_reliable: &'static Field,
    pub(super) qport: &'static Field,
    pub(super) data: &'static Field,
}

/// The highest bit: the packet has a reliable part.
const RELIABLE: u32 = 1 << 31;
/// Size of both sequence numbers in bytes.
const SIZE: usize = 8;
/// Sequence numbers of one connection stay below this: more than a day at 100 packets a second.
const SEQUENCE_MAX: u32 = 1 << 24;

/// Start of a packet without a connection.
const CONNECTIONLESS: [u8; 4] = [0xff; 4];

/// Whether a datagram on the port of the game is connectionless, or has plausible sequence numbers.
pub(super) fn is_packet(bytes: &[u8], port: u16, context: &DatagramContext) -> bool {
    let command = bytes.strip_prefix(&CONNECTIONLESS).and_then(<[u8]>::first);
    context.has_port(port) && (command.is_some_and(u8::is_ascii_graphic) || is_game(bytes))
}

fn is_game(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word) & !RELIABLE);
    let is_plausible = |number: Option<u32>| number.is_some_and(|number| number < SEQUENCE_MAX);
    bytes.len() >= SIZE && number(0) > Some(0) && is_plausible(number(0)) && is_plausible(number(4))
}

impl Header {
    /// Dissects a packet.
    pub(super) fn packet(&self, wire: &mut Wire<'_>) -> Result {
        let is_client = wire.ends().is_some_and(|[_, to]| to.port() == self.port);
        wire.add(if is_client { self.to_server } else { self.to_client }, Value::Bool(true));
        if wire.ahead().starts_with(&CONNECTIONLESS) {
            return self.command(wire);
        }
        wire.name(if is_client { "client to server" } else { "server to client" });
        wire.add(self.game, Value::Bool(true));
        let sequence = number(wire, self.sequence, self.is_reliable)?;
        let acknowledged = number(wire, self.acknowledged, self.acknowledges_reliable)?;
        wire.info(format_args!("sequence {sequence}, acknowledged {acknowledged}"));
        if is_client {
            wire.u16_le(self.qport)?;
        }
        wire.rest_is(self.data)
    }

    /// Dissects a packet without a connection.
    fn command(&self, wire: &mut Wire<'_>) -> Result {
        const SHOWN: usize = 100;
        wire.name("connectionless");
        wire.add(self.connectionless, Value::Bool(true));
        wire.u32_be(self.marker)?;
        wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
        let text = String::from_utf8_lossy(wire.ahead());
        wire.info(format_args!("{}", wire.masked(text.trim_matches(['\0', '\n', ' '])).chars().take(SHOWN).collect::<String>()));
        wire.rest_is(self.text)
    }
}

/// Dissects a sequence number with its highest bit.
fn number(wire: &mut Wire<'_>, field: &'static Field, reliable: &'static Field) -> Result<u32> {
    let start = wire.at();
    let bytes = wire.number_with(field, |bytes| Value::Unsigned((u32::from_le_bytes(bytes) & !RELIABLE).into()))?;
    let number = u32::from_le_bytes(bytes);
    wire.put(reliable, Value::Bool(number & RELIABLE != 0), start + 3..start + 4);
    Ok(number & !RELIABLE)
}
