//! AMQP 0-9-1: frames between a message broker and its clients.
//!
//! ```text
//! start     'AMQP' | 0:1 | 0:1 | 9:1 | 1:1
//! frame     type:1 | channel:2 | length:4 | payload | ce
//!   1 method    class:2 | method:2 | arguments
//!   2 header    class:2 | weight:2 | body size:8 | flags:2 | properties
//!   3 body      bytes
//!   8 heartbeat
//! table     length:4 | (length:1 | key | type:1 | value) …
//! ```
//! Source: AMQP 0-9-1 specification and the types of tables of `RabbitMQ`. `methods` lists methods and properties.

mod fields;
mod methods;
#[cfg(test)]
mod tests;

use super::prefixed::{Lost, Prefix};
use crate::tree::{Field, Kind, Side, Value, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Resumption, Verdict, Wire};
use fields::*;
use methods::{Argument, METHODS, PROPERTIES};

pub static PROTOCOL: Protocol = Protocol::new(&AMQP, FIELDS)
    .found(&[
        On::Tcp(5672).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(5672).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

const START: &[u8] = b"AMQP";
const START_LENGTH: usize = 8;
/// The rest of the start: 0-9-1, 0-9, 0-10 and 1.0.
const VERSIONS: [[u8; 4]; 4] = [[0, 0, 9, 1], [1, 1, 0, 9], [1, 1, 0, 10], [0, 1, 0, 0]];
const FRAME_END: u8 = 0xce;
const FRAME: Prefix = Prefix {
    at: 3,
    little_endian: false,
    uncounted: 8,
    least: 8,
    is_header: is_frame,
    may_be_odd: |whole| whole.ends_with(&[FRAME_END]),
};

/// Whether bytes begin with a known type and, if complete, end with the frame-end octet.
fn is_frame(bytes: &[u8]) -> bool {
    let is_known = bytes.first().is_some_and(|kind| name_of(TYPES, (*kind).into()).is_some());
    let end = FRAME.size(bytes).and_then(|size| bytes.get(size - 1));
    is_known && bytes.get(3).is_some_and(|high| *high < 0x10) && end.is_none_or(|end| *end == FRAME_END)
}

/// Recognizes the first bytes of a client, which name the protocol.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let version = |side: &Side| opening.of(*side).strip_prefix(b"AMQP").and_then(<[u8]>::first_chunk);
    let begins = |side: &Side| version(side).is_some_and(|version| VERSIONS.contains(version));
    Side::BOTH.into_iter().find(begins).map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

/// Recognizes frames on their port, also joined midway.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let begins = |side: &Side| opening.of(*side).len() >= FRAME.least && FRAME.is_chain(opening.of(*side));
    match anywhere(opening) {
        Verdict::No if Side::BOTH.iter().any(begins) => Verdict::Yes(Side::Server),
        Verdict::No if !opening.complete && opening.sent.iter().all(|bytes| bytes.len() < FRAME.least) => Verdict::Unsure,
        verdict => verdict,
    }
}

/// Recognizes a start of another version, or complete frames of an unknown type.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    let starts = |side: &Side| opening.of(*side).starts_with(START) && opening.of(*side).len() >= START_LENGTH;
    match Side::BOTH.into_iter().find(starts) {
        Some(client) => Verdict::Yes(client.other()),
        None => FRAME.odd_messages(opening, |_| Side::Server),
    }
}

/// State of a connection.
#[derive(Default)]
struct Session {
    lost: Lost,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        match ahead.get(..START.len()) {
            Some(START) => Extent::Message(START_LENGTH),
            None if START.starts_with(ahead) && !ahead.is_empty() => Extent::NeedMore(START.len()),
            _ => self.lost.extent(from, ahead, more, &FRAME),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().starts_with(START) {
            return start(wire);
        }
        FRAME.note_odd(wire);
        let kind = wire.u8(&TYPE)?;
        let channel = wire.u16_be(&CHANNEL)?;
        let length = wire.u32_be(&LENGTH)? as usize;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown frame"));
        wire.within(length, &DATA, |wire| match kind {
            1 => method(wire, channel),
            2 => header(wire, channel),
            3 => {
                wire.info(format_args!("channel {channel}, {length} bytes"));
                wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
                wire.rest_is(&PAYLOAD)
            }
            _ => wire.rest_is(&DATA),
        })?;
        wire.u8(&END).map(drop)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost.note(from, missing);
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        match from {
            Side::Client if ahead.starts_with(START) => Resumption::At(0),
            Side::Client => FRAME.resumes(ahead),
            Side::Server => Resumption::Anywhere,
        }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        // Responses to challenges of SASL.
        from == Side::Client && ahead.get(7..11).is_none_or(|method| matches!(method, [0, 10, 0, 11 | 21]))
    }
}

fn start(wire: &mut Wire<'_>) -> Result {
    wire.name("Protocol header");
    wire.text(&PROTOCOL_NAME, START.len())?;
    wire.u8(&PROTOCOL_ID)?;
    let major = wire.u8(&MAJOR)?;
    let minor = wire.u8(&MINOR)?;
    let revision = wire.u8(&REVISION)?;
    wire.info(format_args!("{major}-{minor}-{revision}"));
    Ok(())
}

fn method(wire: &mut Wire<'_>, channel: u16) -> Result {
    let place = (wire.u16_be(&CLASS)?, wire.u16_be(&METHOD)?);
    let Some((_, name, arguments)) = METHODS.iter().find(|(known, ..)| *known == place) else {
        wire.name("unknown method");
        return wire.rest_is(&DATA);
    };
    wire.name(name);
    let mut words = vec![format!("channel {channel}")];
    let read = arguments.iter().try_for_each(|argument| read(wire, *argument, &mut words));
    wire.info(format_args!("{}", words.join(", ")));
    read
}

fn header(wire: &mut Wire<'_>, channel: u16) -> Result {
    const HIGHEST: u16 = 0x8000;
    wire.u16_be(&HEADER_CLASS)?;
    wire.u16_be(&WEIGHT)?;
    let size = wire.u64_be(&BODY_SIZE)?;
    let flags = wire.u16_be(&PROPERTY_FLAGS)?;
    let mut words = vec![format!("channel {channel}"), format!("{size} bytes")];
    let present = PROPERTIES.iter().enumerate().filter(|(place, _)| flags & HIGHEST >> place != 0);
    let read = present.into_iter().try_for_each(|(_, property)| read(wire, *property, &mut words));
    wire.info(format_args!("{}", words.join(", ")));
    read
}

/// An argument or property. Adds texts to the summary.
fn read(wire: &mut Wire<'_>, argument: Argument, words: &mut Vec<String>) -> Result {
    /// Most texts of a summary.
    const SHOWN: usize = 6;
    match argument {
        Argument::U8(field) => wire.u8(field).map(drop),
        Argument::U16(field) => wire.u16_be(field).map(drop),
        Argument::U32(field) => wire.u32_be(field).map(drop),
        Argument::U64(field) => wire.u64_be(field).map(drop),
        Argument::Short(field) => {
            let length = wire.u8(&STRING_LENGTH)?.into();
            if length == 0 {
                return Ok(());
            }
            let text = wire.text(field, length)?;
            if words.len() < SHOWN {
                words.push(String::from_utf8_lossy(text).into_owned());
            }
            Ok(())
        }
        Argument::Long(field) => {
            let length = wire.u32_be(&STRING_LENGTH)? as usize;
            match length {
                0 => Ok(()),
                _ if field.secret => wire.secret_bytes(field, length).map(drop),
                _ => wire.bytes(field, length).map(drop),
            }
        }
        Argument::Table(field) => wire.group(field, table),
        Argument::Bits(fields) => bits(wire, fields),
    }
}

fn bits(wire: &mut Wire<'_>, fields: &[&'static Field]) -> Result {
    let (start, byte) = (wire.at(), wire.peek_u8().unwrap_or_default());
    wire.skip(1)?;
    for (place, field) in fields.iter().enumerate() {
        wire.put(field, Value::Bool(byte >> place & 1 != 0), start..start + 1);
    }
    Ok(())
}

/// A length, then names with values.
fn table(wire: &mut Wire<'_>) -> Result {
    let length = wire.u32_be(&TABLE_LENGTH)? as usize;
    wire.within(length, &DATA, |wire| {
        wire.groups(&ENTRY, |wire| {
            let key = wire.counted(Wire::u8, &KEY_LENGTH, &KEY)?;
            value(wire, key)
        })
    })
}

/// A value with the letter of its type.
fn value(wire: &mut Wire<'_>, key: &[u8]) -> Result {
    match wire.text(&KIND, 1)? {
        b"t" => wire.bool(&TABLE_BOOL).map(drop),
        b"b" => wire.i8(&TABLE_NUMBER).map(drop),
        b"B" => wire.u8(&TABLE_NUMBER).map(drop),
        b"s" => wire.i16_be(&TABLE_NUMBER).map(drop),
        b"u" | b"U" => wire.u16_be(&TABLE_NUMBER).map(drop),
        b"I" => wire.i32_be(&TABLE_NUMBER).map(drop),
        b"i" => wire.u32_be(&TABLE_NUMBER).map(drop),
        b"l" | b"L" => wire.i64_be(&TABLE_NUMBER).map(drop),
        b"T" => wire.u64_be(&TABLE_NUMBER).map(drop),
        b"f" => wire.f32_be(&TABLE_FLOAT).map(drop),
        b"d" => wire.f64_be(&TABLE_FLOAT).map(drop),
        b"D" => {
            wire.u8(&SCALE)?;
            wire.i32_be(&TABLE_NUMBER).map(drop)
        }
        kind @ (b"S" | b"x") => {
            let length = wire.u32_be(&STRING_LENGTH)? as usize;
            wire.hide_named(key, wire.at()..wire.at() + length.min(wire.remaining()));
            let field = if kind == b"S" { &TABLE_TEXT } else { &TABLE_BYTES };
            match (length, field.kind) {
                (0, _) => Ok(()),
                (_, Kind::Text) => wire.text(field, length).map(drop),
                _ => wire.bytes(field, length).map(drop),
            }
        }
        b"F" => wire.group(&TABLE, table),
        b"A" => wire.group(&TABLE, |wire| {
            let length = wire.u32_be(&TABLE_LENGTH)? as usize;
            wire.within(length, &DATA, |wire| wire.each(|wire| value(wire, key)))
        }),
        b"V" => Ok(()),
        kind => wire.malformed(&BAD, format_args!("a value of type {:?}", kind.escape_ascii().to_string())),
    }
}
