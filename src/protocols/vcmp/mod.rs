//! Vice City: Multiplayer 0.4: game messages over RakNet. Numbers are big-endian, positions mostly z, y, x.
//!
//! ```text
//! message      id:1 | by id, direction and release (the tables in `messages`)
//! client_connect (rel004, rel006, 0.4.7.0)   03 0d c5 32 | version:4 | name length:1 | name | digests
//!                (0.4.7.1)                   0:1 bit | version:32 bits | 0:1 bit | build:32 bits | …
//! join         ?:3 | player:1 | bounds:16 | name length:1 | server's name | name length:1 | player's name | files
//! server_data  length:4 | script data: LibRPC, or a private format
//! block (0.4.7)   0:1 bit | original length:32 bits | 0:1 bit | compressed length:32 bits | zlib | padding
//! ```
//! The release is known from the client's first message; a connection joined midway is assumed to be rel006 or 0.4.7.1 by its
//! message IDs. Script data are dispatched under the name `vcmp`, contents of compressed datagrams of 0.4.7.0 under `vcmp.z`. The
//! server query is in `query`. Not covered: the sync messages of rel004.

mod bits;
mod compressed;
mod connect;
mod fields;
mod layout;
mod messages;
mod query;
mod script;
mod sync;
mod text;
mod versions;

use super::librpc;
use crate::tree::Side;
use crate::wire::{DatagramContext, Exchange, Heuristic, On, Protocol, Result, Wire};
use fields::*;
use messages::Layout;
use versions::Version;

pub use compressed::PROTOCOL as COMPRESSED;
pub use query::PROTOCOL as QUERY;

pub static PROTOCOL: Protocol =
    Protocol::new(&VCMP, FIELDS).found(&[On::Over("raknet").exchange::<Session>(Heuristic::InContext(is_ours))]).rest(&UNPARSED);

/// Default server port.
const PORT: u16 = 8192;

/// Name under which connections to a queried server are expected.
const SERVER: &str = "vcmp.server";

/// First message ID in all releases.
const FIRST_ID: u8 = 0x30;
const LAST_ID: u8 = 0xfb;

/// RakNet versions of the releases before and since 0.4.7.
const PROTOCOL_OLD: u64 = 6;
const PROTOCOL_047: u64 = 47;

/// IDs from this one on are not in 0.4.7, and lower ones not in older releases.
const AFTER_047: u8 = 0xa0;
const FIRST_OLD: u8 = 0x93;

/// Bytes before script data.
const DATA_HEAD: usize = 5;

/// Whether a RakNet message is VC:MP, by its conversation or by its unique contents.
fn is_ours(message: &[u8], context: &DatagramContext) -> bool {
    let Some(id) = message.first() else { return false };
    let is_known_place = context.has_port(PORT) || context.announced == Some(SERVER);
    (is_known_place && (FIRST_ID..=LAST_ID).contains(id)) || versions::of_connect(message).is_some() || is_call(message)
}

/// Whether a message is script data of any release that contains a call.
fn is_call(message: &[u8]) -> bool {
    let Some(data) = message.get(DATA_HEAD..) else { return false };
    let len = message.get(1..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_be_bytes);
    let is_known = Side::BOTH.into_iter().any(|from| versions::of_script_data(message, from).next().is_some());
    is_known && len.is_some_and(|len| len as usize == data.len()) && librpc::begins(data)
}

/// Returns the sender of a message that only one side sends.
fn speaker(message: &[u8]) -> Option<Side> {
    if versions::of_connect(message).is_some() {
        return Some(Side::Client);
    }
    let sends = |from: &Side| versions::of_script_data(message, *from).next().is_some();
    Side::BOTH.into_iter().find(sends).filter(|_| is_call(message))
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Release, if a message declared it.
    declared: Option<Version>,
    /// Release assumed from message IDs.
    assumed: Option<Version>,
    is_open: bool,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.is_open = true;
        let speaker = speaker(wire.ahead());
        if let Some(speaker) = speaker {
            wire.sent_by(speaker);
        }
        let from = speaker.unwrap_or(from);
        self.learn(from, wire);
        let version = self.version();
        let id = wire.u8(&MESSAGE_ID)?;
        wire.add_text(&VERSION, format_args!("{}", version.name()));
        if self.declared.is_none() {
            wire.note(&VERSION_ASSUMED, format_args!("taken for {}", version.name()));
        }
        let Some(message) = messages::message(version, from, id) else {
            wire.name("unknown_game_message");
            wire.info(format_args!("id {id:#04x}"));
            return wire.rest_is(&UNKNOWN);
        };
        wire.name(message.name);
        match message.layout {
            Layout::Parts(parts) => layout::read(wire, parts),
            Layout::Read(read) => read(wire, version, from),
        }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let first = if self.version().is_047() { FIRST_ID } else { FIRST_OLD };
        self.is_open && bytes.first().is_some_and(|id| (first..=LAST_ID).contains(id))
    }
}

impl Session {
    fn version(&self) -> Version {
        self.declared.or(self.assumed).unwrap_or(Version::Rel006)
    }

    /// Determines the release from a message.
    fn learn(&mut self, from: Side, wire: &Wire<'_>) {
        let message = wire.ahead();
        if let (Side::Client, Some(version)) = (from, versions::of_connect(message)) {
            self.declared = Some(version);
        }
        self.declared = self.declared.or_else(|| wire.recall(versions::FACT).and_then(versions::of_number));
        if self.declared.is_some() {
            return;
        }
        match wire.recall("raknet.protocol") {
            Some(PROTOCOL_OLD) => self.assumed = Some(Version::Rel006),
            Some(PROTOCOL_047) => self.assumed = Some(Version::V471),
            _ => {}
        }
        if wire.is_over(compressed::PROTOCOL.this) {
            self.declared = Some(Version::V470);
        } else if is_call(message) {
            let mut known = versions::of_script_data(message, from);
            match (known.next(), known.next()) {
                (Some(only), None) => self.declared = Some(only),
                (Some(_), Some(_)) => self.assumed = Some(Version::Rel006),
                _ => {}
            }
        } else if let (None, Some(id)) = (self.assumed, message.first()) {
            match *id {
                FIRST_ID..FIRST_OLD => self.assumed = Some(Version::V471),
                AFTER_047.. => self.assumed = Some(Version::Rel006),
                _ => {}
            }
        }
    }
}
