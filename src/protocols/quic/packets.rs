//! QUIC packets and the state of a connection.

use super::frames::{self, Crypto};
use super::keys;
use super::varint::{number, varint};
use super::versions::{self, VERSION_2};
use super::{
    DCID, DCIL, FIXED, FORM, ID_MAX, LENGTH, NOT_OPENED, NUMBER, NUMBER_LENGTH, PACKET, PACKET_LENGTH, PROTECTED, PROTECTED_BITS,
    REMAINING, RESERVED, RESERVED_VERSION, RETRY_TAG, RETRY_TOKEN, SCID, SCIL, SHORT_BITS, SUPPORTED, TOKEN, TOKEN_LENGTH, TYPE,
    TYPE_V2, TYPES, VERSION,
};
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::summary::Summary;
use crate::tree::{BySide, NodeRef, Side, Value, name_of};
use crate::wire::{Error, Exchange, Result, Wire};
use std::fmt::{self, Write};

const INITIAL: u8 = 0;
const RETRY: u8 = 3;

/// Header form bit: set in long headers.
const LONG: u8 = 0x80;
/// Fixed bit: set unless both sides support greasing (RFC 9287).
const FIXED_BIT: u8 = 0x40;
/// Smallest packet with a short header in bytes: the first byte, then the 16-byte sample 4 bytes after the packet number.
const MIN_SHORT_PACKET: usize = 21;
/// Smallest datagram with a client's first Initial packet in bytes.
const MIN_FIRST_DATAGRAM: usize = 1200;
/// Smallest destination connection ID that a client may choose, in bytes.
const MIN_CHOSEN_ID: usize = 8;
/// Size of the Retry integrity tag in bytes.
const TAG: usize = 16;

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    /// Connection ID that the Initial keys derive from.
    initial_id: Vec<u8>,
    /// Source connection ID of each side.
    connection_ids: BySide<Option<Vec<u8>>>,
    /// Whether a side has cleared the fixed bit.
    fixed_bit_varies: bool,
    hello: Hello,
    crypto: BySide<Crypto>,
}

/// Long header.
struct Header {
    version: u32,
    kind: u8,
    destination: Vec<u8>,
    source: Vec<u8>,
}

/// Issues a connection ID, as it stands in short and in long headers.
fn issue(wire: &mut Wire<'_>, sender: Side, id: &[u8]) {
    const IN_SHORT_HEADER: usize = 1;
    const LENGTH_IN_LONG_HEADER: usize = 5;
    wire.issue_connection_id(sender, IN_SHORT_HEADER, id);
    let length = u8::try_from(id.len()).unwrap_or_default();
    wire.issue_connection_id(sender, LENGTH_IN_LONG_HEADER, &[&[length], id].concat());
}

/// Packet type in the numbering of version 1.
fn kind(version: u32, first: u8) -> u8 {
    let kind = first >> 4 & 3;
    if version == VERSION_2 { kind.wrapping_sub(1) & 3 } else { kind }
}

/// Recognizes the start of a connection: a long header of a known version with valid lengths. Headers that are unusual must
/// come in a datagram of the size that a client's first one has.
pub(super) fn recognize(bytes: &[u8]) -> bool {
    let Some(long) = plausible_header(bytes) else { return false };
    let is_first = long.kind == INITIAL && long.destination >= MIN_CHOSEN_ID && bytes.len() >= MIN_FIRST_DATAGRAM;
    let is_usual = long.is_fixed && !versions::is_reserved(long.version);
    let is_addressed = long.kind != INITIAL || long.destination > 0 || bytes.len() > 64;
    long.version != 0 && (is_first || is_usual && is_addressed)
}

/// Values of a long header that the heuristic needs.
struct Long {
    is_fixed: bool,
    version: u32,
    kind: u8,
    /// Size of the destination connection ID in bytes.
    destination: usize,
}

/// Parses a long header of a known version or of version negotiation with valid lengths.
fn plausible_header(bytes: &[u8]) -> Option<Long> {
    let (&[first, a, b, c, d], rest) = bytes.split_first_chunk()?;
    let version = u32::from_be_bytes([a, b, c, d]);
    if first & LONG == 0 || (version != 0 && !versions::is_known(version)) {
        return None;
    }
    let (destination, rest) = id(rest)?;
    let (_, rest) = id(rest)?;
    let long = Long { is_fixed: first & FIXED_BIT != 0, version, kind: kind(version, first), destination: destination.len() };
    let rest = match long.kind {
        _ if version == 0 => return (!rest.is_empty() && rest.len() % 4 == 0).then_some(long),
        INITIAL => {
            let (token, count) = varint(rest)?;
            rest.get(count.checked_add(usize::try_from(token).ok()?)?..)?
        }
        RETRY => return (rest.len() >= TAG).then_some(long),
        _ => rest,
    };
    let (length, count) = varint(rest)?;
    let left = rest.len() - count;
    (length >= 20 && usize::try_from(length).is_ok_and(|length| length <= left)).then_some(long)
}

fn id(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    rest.split_at_checked((*length).into()).filter(|(id, _)| id.len() <= ID_MAX)
}

impl Exchange for Session {
    fn held(&self) -> usize {
        size_of_val(self) + self.crypto.iter().map(Crypto::held).sum::<usize>()
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let mut summary = Summary::default();
        let mut names: Vec<&str> = Vec::new();
        let mut result = Ok(());
        let size = wire.remaining();
        while result.is_ok() && wire.remaining() > 0 {
            if !names.is_empty() && !self.is_packet(from, wire.ahead()) {
                wire.rest(&REMAINING);
                break;
            }
            result = wire.group(&PACKET, |wire| {
                let name = self.packet(from, wire, &mut summary)?;
                names.extend(Some(name).filter(|name| names.last() != Some(name)));
                Ok(())
            });
        }
        wire.name(&names.join(", "));
        let dots = if summary.names.is_empty() || summary.info.is_empty() { "" } else { ": " };
        match summary.names.is_empty() {
            false => wire.info(format_args!("{}{dots}{}", summary.names, summary.info)),
            true => wire.info(format_args!("{size} bytes")),
        }
        result
    }

    fn claims(&self, from: Side, bytes: &[u8]) -> bool {
        self.connection_ids.iter().any(Option::is_some) && self.is_packet(from, bytes)
    }
}

impl Session {
    /// Whether a packet of this connection begins here. Its connection ID may have been issued in an encrypted frame.
    fn is_packet(&self, from: Side, bytes: &[u8]) -> bool {
        let Some((first, rest)) = bytes.split_first() else { return false };
        if first & LONG != 0 {
            return plausible_header(bytes).is_some();
        }
        let id = self.connection_ids[from.other()].as_ref();
        let is_known_id = id.is_some_and(|id| !id.is_empty() && rest.starts_with(id));
        let may_vary = self.fixed_bit_varies && bytes.iter().any(|byte| *byte != 0);
        bytes.len() >= MIN_SHORT_PACKET && (first & FIXED_BIT != 0 || is_known_id || may_vary)
    }

    fn packet(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result<&'static str> {
        let start = wire.at();
        let packet = wire.ahead();
        let first = packet.first().copied().unwrap_or_default();
        self.fixed_bit_varies |= first & FIXED_BIT == 0;
        if first & LONG == 0 {
            return self.short(from, wire);
        }
        let length = packet_size(packet).unwrap_or(packet.len());
        wire.add(&PACKET_LENGTH, Value::Unsigned(length as u64));
        let place = wire.at();
        let header = long(wire)?;
        if header.version == 0 {
            while wire.remaining() > 0 {
                wire.u32_be(&SUPPORTED)?;
            }
            return Ok("version_negotiation");
        }
        let name = name_of(TYPES, header.kind.into()).unwrap_or_default();
        let id = &mut self.connection_ids[from];
        if id.as_ref() != Some(&header.source) {
            issue(wire, from.other(), &header.source);
            *id = Some(header.source.clone());
        }
        if header.kind == RETRY {
            let token = wire.remaining().checked_sub(TAG).ok_or(Error::Short { needed: TAG })?;
            wire.bytes(&RETRY_TOKEN, token)?;
            wire.bytes(&RETRY_TAG, TAG)?;
            self.initial_id.clear();
            return Ok(name);
        }
        if header.kind == INITIAL {
            let token = number(wire, &TOKEN_LENGTH)?;
            if token > 0 {
                wire.bytes(&TOKEN, usize::try_from(token).unwrap_or(usize::MAX))?;
            }
        }
        let length = usize::try_from(number(wire, &LENGTH)?).unwrap_or(usize::MAX);
        let (at, count) = (wire.at() - start, length.min(wire.remaining()));
        let decrypted = packet
            .get(..at + count)
            .filter(|_| header.kind == INITIAL)
            .and_then(|packet| self.decrypt(from, &header, packet, at));
        if let Some(decrypted) = decrypted {
            wire.put(&RESERVED, Value::Unsigned((decrypted.first >> 2 & 3).into()), place..place + 1);
            wire.put(&NUMBER_LENGTH, Value::Unsigned((decrypted.first & 3).into()), place..place + 1);
            let number = wire.at()..wire.at() + decrypted.number_length;
            wire.put(&NUMBER, Value::Unsigned(decrypted.number.into()), number);
            wire.skip(decrypted.number_length)?;
            wire.put(&PROTECTED, Value::Bytes, wire.at()..wire.at() + count - decrypted.number_length);
            let crypto = &mut self.crypto[from];
            self.hello.over_quic = true;
            crypto.is_google = versions::is_google(header.version);
            let hello = &mut self.hello;
            wire.derived("quic initial", count - decrypted.number_length, &decrypted.frames, |inner| {
                frames::all(inner, crypto, hello, summary)
            })?;
        } else {
            if header.kind == INITIAL {
                wire.note_ahead(&NOT_OPENED, format_args!("the keys derived from the connection ID do not decrypt it"));
            }
            wire.bytes(&PROTECTED, length)?;
        }
        Ok(name)
    }

    /// Decrypts an Initial packet with the keys of the connection, or with those of its own destination connection ID.
    fn decrypt(&mut self, from: Side, header: &Header, packet: &[u8], at: usize) -> Option<keys::Decrypted> {
        let known = keys::decrypt(header.version, &self.initial_id, from, packet, at);
        if known.is_some() || from == Side::Server {
            return known;
        }
        let decrypted = keys::decrypt(header.version, &header.destination, from, packet, at)?;
        self.initial_id.clone_from(&header.destination);
        // CRYPTO offsets restart at 0 after a Retry or in a new connection.
        self.crypto = BySide::default();
        Some(decrypted)
    }

    /// Dissects a short header; the length of its connection ID is known from the connection only.
    fn short(&self, from: Side, wire: &mut Wire<'_>) -> Result<&'static str> {
        wire.add(&PACKET_LENGTH, Value::Unsigned(wire.remaining() as u64));
        wire.bits(1, &[&FORM, &FIXED, &SHORT_BITS])?;
        let id = self.connection_ids[from.other()].as_ref();
        let length = id.filter(|id| wire.ahead().starts_with(id)).map_or(0, Vec::len);
        if length > 0 {
            wire.bytes(&DCID, length)?;
        }
        wire.rest(&PROTECTED);
        Ok("protected")
    }
}

/// Size of a packet with a long header; `None` if it extends to the end of the datagram.
fn packet_size(packet: &[u8]) -> Option<usize> {
    let (&[first, a, b, c, d], rest) = packet.split_first_chunk()?;
    let version = u32::from_be_bytes([a, b, c, d]);
    let (_, rest) = id(rest)?;
    let (_, mut rest) = id(rest)?;
    match kind(version, first) {
        _ if version == 0 => return None,
        RETRY => return None,
        INITIAL => {
            let (token, count) = varint(rest)?;
            rest = rest.get(count.checked_add(usize::try_from(token).ok()?)?..)?;
        }
        _ => {}
    }
    let (length, count) = varint(rest)?;
    let packet_size = (packet.len() - rest.len() + count).checked_add(usize::try_from(length).ok()?)?;
    Some(packet_size).filter(|packet_size| *packet_size <= packet.len())
}

fn long(wire: &mut Wire<'_>) -> Result<Header> {
    let version = wire.ahead().get(1..5).map_or(0, |bytes| bytes.iter().fold(0, |version, byte| version << 8 | u32::from(*byte)));
    let kinds = if version == VERSION_2 { &TYPE_V2 } else { &TYPE };
    let first = wire.bits(1, &[&FORM, &FIXED, kinds, &PROTECTED_BITS])?;
    wire.u32_be(&VERSION)?;
    if versions::is_reserved(version) {
        wire.note(&RESERVED_VERSION, format_args!("the version is reserved to exercise version negotiation"));
    }
    let mut ids = [(&DCIL, &DCID), (&SCIL, &SCID)].into_iter().map(|(length, id)| {
        let length = wire.u8(length)?;
        if length == 0 { Ok(Vec::new()) } else { wire.bytes(id, length.into()).map(<[u8]>::to_vec) }
    });
    let destination = ids.next().unwrap_or(Ok(Vec::new()))?;
    let source = ids.next().unwrap_or(Ok(Vec::new()))?;
    let first = u8::try_from(first).unwrap_or_default();
    Ok(Header { version, kind: kind(version, first), destination, source })
}

pub(super) fn packet_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let kind = node.child(&TYPE).or_else(|| node.child(&TYPE_V2)).and_then(NodeRef::name);
    out.write_str(kind.unwrap_or("protected"))
}

pub(super) fn packet_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&PACKET_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
