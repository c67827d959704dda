//! Frames of decrypted packets (RFC 9000, section 19; RFC 9221).

use super::crypto::Crypto;
use super::ids::Ids;
use super::streams::{Carried, Data, Streams};
use super::*;
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::summary::Summary;
use crate::protocols::varint::number;
use crate::tree::{Field, Names, NodeRef, Side, Value, name_of};
use crate::wire::{Error, Result, Wire};
use std::fmt::{self, Write};

pub(super) const TYPES: Names = &[
    (0, "padding"),
    (1, "ping"),
    (2, "ack"),
    (3, "ack with ECN counts"),
    (4, "reset_stream"),
    (5, "stop_sending"),
    (6, "crypto"),
    (7, "new_token"),
    (8, "stream"),
    (9, "stream"),
    (0x0a, "stream"),
    (0x0b, "stream"),
    (0x0c, "stream"),
    (0x0d, "stream"),
    (0x0e, "stream"),
    (0x0f, "stream"),
    (0x10, "max_data"),
    (0x11, "max_stream_data"),
    (0x12, "max_streams (bidirectional)"),
    (0x13, "max_streams (unidirectional)"),
    (0x14, "data_blocked"),
    (0x15, "stream_data_blocked"),
    (0x16, "streams_blocked (bidirectional)"),
    (0x17, "streams_blocked (unidirectional)"),
    (0x18, "new_connection_id"),
    (0x19, "retire_connection_id"),
    (0x1a, "path_challenge"),
    (0x1b, "path_response"),
    (0x1c, "connection_close"),
    (0x1d, "application_close"),
    (0x1e, "handshake_done"),
    (0x30, "datagram"),
    (0x31, "datagram"),
    (0xaf, "ack_frequency"),
    (0x02f5, "timestamp"),
];

/// Frame types of Google's versions.
pub(super) const TYPES_OF_GOOGLE: Names = &[(8, "crypto (Google)")];

const CRYPTO_OF_GOOGLE: u64 = 8;

/// Bits of a STREAM frame type.
const FIN_BIT: u64 = 0x01;
const LENGTH_BIT: u64 = 0x02;
const OFFSET_BIT: u64 = 0x04;

/// Maximum number of ranges dissected in an ACK frame.
const RANGES_MAX: u64 = 1000;

/// Effects of the frames of a packet on the connection.
pub(super) struct Receiver<'a> {
    pub(super) from: Side,
    pub(super) crypto: &'a mut Crypto,
    pub(super) hello: &'a mut Hello,
    pub(super) summary: &'a mut Summary,
    pub(super) streams: &'a mut Streams,
    /// Connection IDs issued by the sender.
    pub(super) ids: &'a mut Ids,
    /// Names of the frames.
    pub(super) names: &'a mut Vec<&'static str>,
}

impl Receiver<'_> {
    /// Dissects all frames of a packet.
    pub(super) fn all(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.each(|wire| {
            wire.group(&FRAME, |wire| self.frame(wire))?;
            // Reassembled messages are not children of the frame that completes them.
            self.crypto.messages(wire, self.hello, self.summary)
        })
    }

    fn frame(&mut self, wire: &mut Wire<'_>) -> Result {
        if wire.peek_u8() == Some(0) {
            let count = wire.ahead().iter().take_while(|byte| **byte == 0).count();
            wire.put(&FRAME_TYPE, Value::Unsigned(0), wire.at()..wire.at() + 1);
            wire.add(&PADDING_LENGTH, Value::Unsigned(count as u64));
            return wire.bytes(&PADDING, count).map(drop);
        }
        if self.crypto.is_google {
            return self.frame_of_google(wire);
        }
        let (at, kind) = (wire.at(), number(wire, &FRAME_TYPE)?);
        let name = name_of(TYPES, kind).unwrap_or("unknown frame");
        if self.names.last() != Some(&name) {
            self.names.push(name);
        }
        match kind {
            1 | 0x1e => Ok(()),
            2 | 3 => ack(wire, kind == 3),
            4 => {
                let id = number(wire, &RESET_STREAM)?;
                numbers(wire, &[&RESET_ERROR, &FINAL_SIZE])?;
                self.streams.reset(id, self.from, wire);
                Ok(())
            }
            5 => numbers(wire, &[&STOP_STREAM, &STOP_ERROR]),
            6 => self.crypto_frame(wire),
            7 => {
                let length = length(wire, &NEW_TOKEN_LENGTH)?;
                wire.bytes(&NEW_TOKEN, length).map(drop)
            }
            8..=0x0f => self.stream(wire, kind, at),
            0x10 => numbers(wire, &[&MAX_DATA]),
            0x11 => numbers(wire, &[&MAX_STREAM_ID, &MAX_STREAM_DATA]),
            0x12 | 0x13 => numbers(wire, &[&MAX_STREAMS]),
            0x14 => numbers(wire, &[&CONNECTION_LIMIT]),
            0x15 => numbers(wire, &[&BLOCKED_STREAM, &BLOCKED_STREAM_LIMIT]),
            0x16 | 0x17 => numbers(wire, &[&STREAM_LIMIT]),
            0x18 => self.new_connection_id(wire),
            0x19 => numbers(wire, &[&RETIRED]),
            0x1a => wire.bytes(&CHALLENGE, 8).map(drop),
            0x1b => wire.bytes(&RESPONSE, 8).map(drop),
            0x1c | 0x1d => close(wire, kind == 0x1c),
            0xaf => {
                numbers(wire, &[&FREQUENCY_SEQUENCE, &FREQUENCY_THRESHOLD, &FREQUENCY_DELAY])?;
                wire.u8(&FREQUENCY_LAST).map(drop)
            }
            0x02f5 => numbers(wire, &[&TIMESTAMP]),
            0x30 => wire.rest_is(&DATAGRAM),
            0x31 => {
                let length = length(wire, &DATAGRAM_LENGTH)?;
                wire.bytes(&DATAGRAM, length).map(drop)
            }
            _ => wire.rest_is(&REMAINING),
        }
    }

    fn frame_of_google(&mut self, wire: &mut Wire<'_>) -> Result {
        let at = wire.at();
        let kind = number(wire, &FRAME_TYPE)?;
        wire.put(&FRAME_TYPE_OF_GOOGLE, Value::Unsigned(kind), at..wire.at());
        if kind == CRYPTO_OF_GOOGLE {
            return self.crypto_frame(wire);
        }
        wire.rest_is(&REMAINING)
    }

    fn crypto_frame(&mut self, wire: &mut Wire<'_>) -> Result {
        let offset = number(wire, &OFFSET)?;
        let length = length(wire, &CRYPTO_LENGTH)?;
        let bytes = wire.ahead().get(..length).ok_or(Error::Short { needed: length })?;
        let is_kept = self.crypto.add(offset, bytes, wire.pieces(wire.at()..wire.at() + length, offset));
        wire.optional(&CRYPTO, length)?;
        if !is_kept {
            wire.evicted(format_args!("handshake bytes at {offset}: too many wait for others"));
        }
        Ok(())
    }

    fn stream(&mut self, wire: &mut Wire<'_>, kind: u64, at: usize) -> Result {
        for (field, bit) in [(&FIN, FIN_BIT), (&HAS_LENGTH, LENGTH_BIT), (&HAS_OFFSET, OFFSET_BIT)] {
            wire.put(field, Value::Bool(kind & bit != 0), at..at + 1);
        }
        let at = wire.at();
        let id = number(wire, &STREAM_ID)?;
        wire.put(&INITIATOR, Value::Unsigned(id & 1), wire.at().max(at + 1) - 1..wire.at());
        wire.put(&IS_UNI, Value::Unsigned(id >> 1 & 1), wire.at().max(at + 1) - 1..wire.at());
        let offset = if kind & OFFSET_BIT != 0 { number(wire, &STREAM_OFFSET)? } else { 0 };
        let count = if kind & LENGTH_BIT != 0 { length(wire, &STREAM_LENGTH)? } else { wire.remaining() };
        if count > wire.remaining() {
            return wire.bytes(&STREAM_DATA, count).map(drop);
        }
        if count > 0 {
            wire.put(&STREAM_DATA, Value::Bytes, wire.at()..wire.at() + count);
        }
        if let Some(carried) = carried(self.hello) {
            self.streams.take(self.from, wire, &Data { carried, id, offset, count, is_last: kind & FIN_BIT != 0 });
        }
        wire.skip(count)
    }

    fn new_connection_id(&mut self, wire: &mut Wire<'_>) -> Result {
        numbers(wire, &[&NEW_ID_SEQUENCE, &RETIRE_PRIOR])?;
        let id = wire.counted(Wire::u8, &NEW_ID_LENGTH, &NEW_ID)?;
        self.ids.issue(wire, self.from.other(), id);
        wire.bytes(&RESET_TOKEN, 16).map(drop)
    }
}

/// What streams carry: selected by the server, or preferred by the client.
fn carried(hello: &Hello) -> Option<Carried> {
    match hello.protocol.split('-').next()? {
        "h3" => Some(Carried::Http3),
        "doq" | "dq" => Some(Carried::Dns),
        _ => None,
    }
}

/// Reads a length.
fn length(wire: &mut Wire<'_>, field: &'static Field) -> Result<usize> {
    Ok(usize::try_from(number(wire, field)?).unwrap_or(usize::MAX))
}

/// Reads a variable-length integer for each field.
fn numbers(wire: &mut Wire<'_>, fields: &[&'static Field]) -> Result {
    fields.iter().try_for_each(|field| number(wire, field).map(drop))
}

fn ack(wire: &mut Wire<'_>, has_counts: bool) -> Result {
    numbers(wire, &[&LARGEST, &DELAY])?;
    let ranges = number(wire, &RANGES)?;
    number(wire, &FIRST_RANGE)?;
    for _ in 0..ranges.min(RANGES_MAX) {
        numbers(wire, &[&GAP, &RANGE])?;
    }
    if has_counts { numbers(wire, &[&ECT0, &ECT1, &CE]) } else { Ok(()) }
}

fn close(wire: &mut Wire<'_>, by_transport: bool) -> Result {
    number(wire, if by_transport { &ERROR_CODE } else { &APP_ERROR_CODE })?;
    if by_transport {
        number(wire, &ERROR_FRAME)?;
    }
    let length = length(wire, &REASON_LENGTH)?;
    wire.optional(&REASON, length).map(drop)
}

pub(super) fn frame_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let kind = node.child(&FRAME_TYPE_OF_GOOGLE).or_else(|| node.child(&FRAME_TYPE));
    out.write_str(kind.and_then(NodeRef::name).unwrap_or("unknown"))
}

pub(super) fn frame_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&CRYPTO_LENGTH).or_else(|| node.child(&STREAM_LENGTH)).and_then(NodeRef::number);
    match (node.child(&STREAM_ID).and_then(NodeRef::number), length) {
        (Some(id), Some(length)) => write!(out, "{id}, {length} bytes"),
        (Some(id), None) => write!(out, "{id}"),
        (None, Some(length)) => write!(out, "{length} bytes"),
        (None, None) => Ok(()),
    }
}
