//! MongoDB: messages of the wire protocol.
//!
//! ```text
//! message        length:4 | request ID:4 | response to:4 | opcode:4 | by opcode; numbers are little-endian
//!   1 reply      flags:4 | cursor:8 | first:4 | count:4 | document …
//!   2001 update  zero:4 | collection NUL | flags:4 | selector | update
//!   2002 insert  flags:4 | collection NUL | document …
//!   2004 query   flags:4 | collection NUL | skip:4 | return:4 | query | [fields]
//!   2005 get more      zero:4 | collection NUL | return:4 | cursor:8
//!   2006 delete  zero:4 | collection NUL | flags:4 | selector
//!   2007 kill cursors  zero:4 | count:4 | cursor:8 …
//!   2012 compressed    opcode:4 | size:4 | compressor:1 | data
//!   2013 message flags:4 | section … | [checksum:4]
//! section        0 | document, or 1 | size:4 | name NUL | document …
//! ```
//! Source: "MongoDB Wire Protocol" of its manual.

mod bson;
mod compression;
mod fields;
#[cfg(test)]
mod tests;

use super::prefixed::{Lost, Prefix};
use crate::tree::{Field, Side, Value, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Requests, Result, Resumption, Verdict, Wire};
use bson::{Words, document};
use compression::Method;
use fields::*;

pub static PROTOCOL: Protocol = Protocol::new(&MONGO, FIELDS)
    .found(&[
        On::Tcp(27017).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(27017).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

const HEADER: usize = 16;
/// Bytes of an OP_REPLY before its documents.
const REPLY_HEADER: u32 = 36;
const COMPRESSED_MESSAGE: u32 = 2012;
const MESSAGE: Prefix = Prefix { at: 0, little_endian: true, uncounted: 0, least: HEADER, is_header, may_be_odd: |_| true };

/// Whether the available bytes match a length below 48 MiB, the protocol's limit, and a known opcode.
fn is_header(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
    number(0).is_some_and(|length| length <= 48 << 20)
        && number(12).is_none_or(|opcode| name_of(OPCODES, opcode.into()).is_some())
}

/// Recognizes messages of either side; a response names its request.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        let bytes = opening.of(side);
        let number =
            |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let (response, opcode) = (number(8), number(12));
        let fits = match opcode {
            1 => response != 0 && is_reply(bytes),
            _ => (2001..=2013).contains(&opcode),
        };
        if fits && MESSAGE.is_chain(bytes) {
            return Verdict::Yes(if response == 0 { side.other() } else { side });
        }
    }
    Verdict::No
}

/// Whether flags, number of documents and length of the first one agree: the small opcode of OP_REPLY is weak evidence.
fn is_reply(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
    let (Some(length), Some(flags), Some(documents)) = (number(0), number(16), number(32)) else { return false };
    let Some(behind) = length.checked_sub(REPLY_HEADER) else { return false };
    let fits_first = |first: u32| (5..=behind).contains(&first);
    flags < 16 && if documents == 0 { behind == 0 } else { number(REPLY_HEADER as usize).is_none_or(fits_first) }
}

/// Recognizes the same on its port, and waits for the whole header.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let may_begin = |bytes: &&[u8]| bytes.len() < REPLY_HEADER as usize && (bytes.len() < 4 || is_header(bytes));
    match anywhere(opening) {
        Verdict::No if !opening.complete && opening.sent.iter().all(may_begin) => Verdict::Unsure,
        verdict => verdict,
    }
}

/// Recognizes complete messages with an unknown opcode.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    let is_request = |side: Side| opening.of(side).get(8..12) == Some(&[0; 4]);
    MESSAGE.odd_messages(opening, |side| if is_request(side) { side.other() } else { side })
}

/// State of a connection.
#[derive(Default)]
struct Session {
    requests: Requests<u32>,
    lost: Lost,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.lost.extent(from, ahead, more, &MESSAGE)
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        MESSAGE.note_odd(wire);
        wire.u32_le(&LENGTH)?;
        let id = wire.u32_le(&REQUEST)?;
        let response = wire.u32_le(&RESPONSE)?;
        let opcode = wire.u32_le(&OPCODE)?;
        wire.name(name_of(OPCODES, opcode.into()).unwrap_or("unknown opcode"));
        if response == 0 {
            self.requests.ask(id, wire);
        } else if let Some(request) = self.requests.answer(&response) {
            request.put(wire, &REQUEST_FRAME, &TIME);
        }
        let mut words = Words::default();
        let read = body(wire, opcode, &mut words);
        wire.info(format_args!("{words}"));
        read
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost.note(from, missing);
    }

    fn resumes(&self, _: Side, ahead: &[u8]) -> Resumption {
        MESSAGE.resumes(ahead)
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        const NAMES: [&[u8]; 4] = [b"sasl", b"pwd", b"assword", b"authenticate"];
        ahead.len() < HEADER || NAMES.iter().any(|name| memchr::memmem::find(ahead, name).is_some())
    }
}

fn body(wire: &mut Wire<'_>, opcode: u32, words: &mut Words) -> Result {
    match opcode {
        1 => {
            wire.flags_le(&REPLY_FLAGS, 4, &[&NOT_FOUND, &FAILED, &STALE, &AWAIT])?;
            wire.i64_le(&CURSOR)?;
            wire.i32_le(&STARTING)?;
            wire.i32_le(&RETURNED)?;
            documents(wire, words)
        }
        2001 | 2006 => {
            wire.bytes(&ZERO, 4)?;
            collection(wire, words)?;
            wire.u32_le(&WRITE_FLAGS)?;
            documents(wire, words)
        }
        2002 => {
            wire.u32_le(&WRITE_FLAGS)?;
            collection(wire, words)?;
            documents(wire, words)
        }
        2004 => {
            let bits: [&'static Field; 7] = [&TAILABLE, &SECONDARY, &REPLAY, &NO_TIMEOUT, &AWAIT_DATA, &EXHAUST, &PARTIAL];
            wire.flags_le(&QUERY_FLAGS, 4, &bits)?;
            collection(wire, words)?;
            wire.i32_le(&SKIP)?;
            wire.i32_le(&RETURN)?;
            documents(wire, words)
        }
        2005 => {
            wire.bytes(&ZERO, 4)?;
            collection(wire, words)?;
            wire.i32_le(&RETURN)?;
            wire.i64_le(&CURSOR).map(drop)
        }
        2007 => {
            wire.bytes(&ZERO, 4)?;
            for _ in 0..wire.u32_le(&CURSORS)? {
                wire.i64_le(&CURSOR)?;
            }
            Ok(())
        }
        COMPRESSED_MESSAGE => compressed(wire, words),
        2013 => message(wire, words),
        _ => wire.rest_is(&DATA),
    }
}

/// The body of a message of another opcode.
fn compressed(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    let opcode = wire.i32_le(&ORIGINAL)?.cast_unsigned();
    let size = wire.i32_le(&UNCOMPRESSED)?;
    let method = Method::of(wire.u8(&COMPRESSOR)?).filter(|_| opcode != COMPRESSED_MESSAGE);
    let Some(method) = method else { return wire.rest_is(&COMPRESSED) };
    let size_in_limit = usize::try_from(size).ok().filter(|size| *size <= wire.decompression_limit());
    let bytes = size_in_limit.and_then(|size| method.decompressed(wire.ahead(), size));
    let (at, count) = (wire.at(), wire.remaining());
    wire.put(&COMPRESSED, Value::Bytes, at..at + count);
    let Some(bytes) = bytes else {
        wire.note(&BAD_COMPRESSION, format_args!("no valid data of {size} bytes"));
        return wire.skip(count);
    };
    wire.has_decompressed(bytes.len());
    wire.derived(method.name(), count, &bytes, |wire| body(wire, opcode, words))
}

/// The name of a collection: the name of its database, a dot, and its own.
fn collection(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    let start = wire.at();
    let name = wire.text_nul(&COLLECTION)?;
    words.add(format_args!("{}", String::from_utf8_lossy(name)));
    if let Some(dot) = name.iter().position(|byte| *byte == b'.') {
        let (database, own) = (name.get(..dot).unwrap_or_default(), name.get(dot + 1..).unwrap_or_default());
        wire.put_text(&DATABASE, start..start + dot, format_args!("{}", String::from_utf8_lossy(database)));
        wire.put_text(&COLLECTION_NAME, start + dot + 1..start + name.len(), format_args!("{}", String::from_utf8_lossy(own)));
    }
    Ok(())
}

fn documents(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    wire.each(|wire| document(wire, words))
}

fn message(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    const SUM: usize = 4;
    let flags = wire.flags_le(&FLAGS, 4, &[&IS_CHECKED, &IS_MORE, &IS_EXHAUST])?;
    let sum = if IS_CHECKED.bits_of(flags) != 0 { SUM } else { 0 };
    wire.within(wire.remaining().saturating_sub(sum), &DATA, |wire| wire.groups(&SECTION, |wire| section(wire, words)))?;
    if sum > 0 { wire.u32_le(&CHECKSUM).map(drop) } else { Ok(()) }
}

fn section(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    const SIZE: usize = 4;
    match wire.u8(&KIND)? {
        0 => document(wire, words),
        1 => {
            let size = (wire.u32_le(&SECTION_SIZE)? as usize).saturating_sub(SIZE);
            wire.within(size, &DATA, |wire| {
                wire.text_nul(&SECTION_NAME)?;
                documents(wire, words)
            })
        }
        kind => wire.malformed(&BAD, format_args!("a section of kind {kind}")),
    }
}
