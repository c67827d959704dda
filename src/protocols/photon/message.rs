//! Messages of Photon: operations of clients with their responses, and events.
//!
//! ```text
//! message   f3 | encrypted:1 bit | kind:7 | body
//!   0 init                 GpBinary version:2 | SDK:1 | client version:3 | flags:1 | application
//!   1 init response        00
//!   2 operation request    code:1 | parameters            6 the same, internal
//!   3 operation response   code:1 | return code:2 | debug message, a value | parameters            7 the same, internal
//!   4 event                code:1 | parameters
//! parameters  count:1, in GpBinary 1.6 count:2 | (key:1 | value) …
//! ```
//! The version of GpBinary follows from the bytes of each message: types of 1.6 are letters, and counts are small.
//! Not covered: encrypted messages.

use super::PLACE;
use super::message_fields::*;
use super::values::Encoding;
use crate::tree::{Field, Names, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&MESSAGE, FIELDS)
    .found(&[On::Over(PLACE).datagram(Heuristic::Datagram(recognize), message)])
    .rest(&MESSAGE_DATA);

const MAGIC_BYTE: u8 = 0xf3;

const REQUEST: u8 = 2;
const RESPONSE: u8 = 3;
const EVENT_KIND: u8 = 4;
const INTERNAL_REQUEST: u8 = 6;
const INTERNAL_RESPONSE: u8 = 7;

/// The first code of operations that rooms and lobbies share. Parameters of these prove who the client is: data of the login, and
/// the token for the next server.
const FIRST_SHARED: u8 = 217;
const CREDENTIALS: [u8; 3] = [214, 216, 221];

/// Whether a message may contain a secret.
pub(super) fn may_hold_secret(bytes: &[u8]) -> bool {
    matches!(bytes, [MAGIC_BYTE, REQUEST | RESPONSE, code, ..] if *code >= FIRST_SHARED)
}

/// Whether a payload is a message, by its first two bytes.
pub(super) fn recognize(bytes: &[u8]) -> bool {
    matches!(bytes, [MAGIC_BYTE, kind, ..] if name_of(KINDS, (kind & 0x7f).into()).is_some())
}

/// The encoding of a message, from its kind and the bytes after it. `None` if it has none.
fn encoding(kind: u8, body: &[u8]) -> Option<Encoding> {
    let fits = |encoding: Encoding, kind: u8| encoding.has(kind).then_some(encoding);
    match (kind, body) {
        (RESPONSE | INTERNAL_RESPONSE, [_, _, _, b'*' | b's', ..]) => Some(Encoding::V16),
        (RESPONSE | INTERNAL_RESPONSE, [_, _, _, 7 | 8, ..]) => Some(Encoding::V18),
        (REQUEST | INTERNAL_REQUEST | EVENT_KIND, [_, 0]) => Some(Encoding::V18),
        (REQUEST | INTERNAL_REQUEST | EVENT_KIND, [_, 0, 0]) => Some(Encoding::V16),
        (REQUEST | INTERNAL_REQUEST | EVENT_KIND, [_, 0, _, _, kind, ..]) => fits(Encoding::V16, *kind),
        (REQUEST | INTERNAL_REQUEST | EVENT_KIND, [_, _, _, kind, ..]) => fits(Encoding::V18, *kind),
        _ => None,
    }
}

/// Dissects a message.
pub(super) fn message(wire: &mut Wire<'_>) -> Result {
    wire.u8(&MAGIC)?;
    let flags = wire.flags(&MESSAGE_FLAGS, 1, &[&IS_ENCRYPTED, &KIND])?;
    let kind = u8::try_from(KIND.bits_of(flags)).unwrap_or_default();
    wire.name(name_of(KINDS, kind.into()).unwrap_or("unknown"));
    if IS_ENCRYPTED.bits_of(flags) != 0 {
        wire.info(format_args!("encrypted"));
        return wire.rest_is(&MESSAGE_DATA);
    }
    if kind == 0 {
        return init(wire);
    }
    let Some(encoding) = encoding(kind, wire.ahead()) else { return wire.rest_is(&MESSAGE_DATA) };
    let (field, names): (&'static Field, Names) = match kind {
        INTERNAL_REQUEST | INTERNAL_RESPONSE => (&INTERNAL_OPERATION, INTERNAL_OPERATIONS),
        EVENT_KIND => (&EVENT, EVENTS),
        _ => (&OPERATION, OPERATIONS),
    };
    let code = wire.u8(field)?;
    let mut returned = 0;
    if matches!(kind, RESPONSE | INTERNAL_RESPONSE) {
        returned = match encoding {
            Encoding::V16 => wire.i16_be(&RETURN_CODE)?,
            Encoding::V18 => wire.i16_le(&RETURN_CODE)?,
        };
        wire.group(&DEBUG_MESSAGE, |wire| encoding.value(wire))?;
    }
    let count = match encoding {
        Encoding::V16 => wire.u16_be(&PARAMETER_COUNT)?,
        Encoding::V18 => wire.u8(&PARAMETER_COUNT)?.into(),
    };
    let name = name_of(names, code.into()).unwrap_or_default();
    let space = if name.is_empty() { "" } else { " " };
    let plural = if count == 1 { "" } else { "s" };
    match returned {
        0 => wire.info(format_args!("{code}{space}{name}, {count} parameter{plural}")),
        returned => wire.info(format_args!("{code}{space}{name}, returned {returned}, {count} parameter{plural}")),
    }
    let proves = matches!(kind, REQUEST | RESPONSE) && code >= FIRST_SHARED;
    for _ in 0..count {
        wire.group(&PARAMETER, |wire| parameter(wire, encoding, proves))?;
    }
    wire.rest_is(&MESSAGE_DATA)
}

/// Dissects a key and a value, which is a secret if it proves who the client is.
fn parameter(wire: &mut Wire<'_>, encoding: Encoding, proves: bool) -> Result {
    let key = wire.u8(&KEY)?;
    let start = wire.at();
    let read = encoding.value(wire);
    if proves && CREDENTIALS.contains(&key) {
        let end = if read.is_ok() { wire.at() } else { start + wire.remaining() };
        wire.hide(start..end);
    }
    read
}

/// Dissects the first message of a client.
fn init(wire: &mut Wire<'_>) -> Result {
    wire.u8(&VERSION_MAJOR)?;
    let minor = wire.u8(&VERSION_MINOR)?;
    wire.u8(&SDK)?;
    wire.bytes(&CLIENT_VERSION, 3)?;
    wire.u8(&INIT_FLAGS)?;
    wire.info(format_args!("GpBinary 1.{minor}"));
    let length = wire.ahead().iter().position(|byte| *byte == 0).unwrap_or(wire.remaining());
    wire.text(&APPLICATION, length)?;
    wire.rest_is(&MESSAGE_DATA)
}
