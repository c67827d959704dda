//! QUIC packets and the state of a connection.

use super::crypto::Crypto;
use super::decryption::{Decryption, Level, Outcome};
use super::frames::Receiver;
use super::ids::Ids;
use super::keys::{self, Decrypted, LONG};
use super::streams::Streams;
use super::versions::{self, VERSION_2};
use super::*;
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::summary::Summary;
use crate::protocols::varint::{number, varint};
use crate::tree::{BySide, NodeRef, Side, Value, name_of};
use crate::wire::{Error, Exchange, Result, Unfinished, Wire};
use std::fmt::{self, Write};

const INITIAL: u8 = 0;
const EARLY: u8 = 1;
const RETRY: u8 = 3;

/// Packet number space of 0-RTT and 1-RTT packets.
const APPLICATION: usize = 2;

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
    /// Version of the latest long header.
    version: u32,
    ids: BySide<Ids>,
    /// Whether a side has cleared the fixed bit.
    fixed_bit_varies: bool,
    hello: Hello,
    /// Handshake of each side in each packet number space.
    crypto: BySide<[Crypto; 3]>,
    decryption: BySide<Decryption>,
    streams: Streams,
}

/// Parts of the summary of a datagram.
#[derive(Default)]
struct Contents {
    packets: Vec<&'static str>,
    handshake: Summary,
    /// Frames of packets with a short header.
    frames: Vec<&'static str>,
}

/// A long header.
struct Header {
    version: u32,
    kind: u8,
    destination: Vec<u8>,
    source: Vec<u8>,
}

/// Packet type in the numbering of version 1.
fn kind(version: u32, first: u8) -> u8 {
    let kind = first >> 4 & 3;
    if version == VERSION_2 { kind.wrapping_sub(1) & 3 } else { kind }
}

/// Recognizes the start of a connection: a long header of a known version with valid lengths. Unusual headers must
/// be in a datagram of at least the size of a client's first one.
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
    fn memory_usage(&self) -> usize {
        let crypto = self.crypto.iter().flatten().map(Crypto::memory_usage).sum::<usize>();
        let ids = self.ids.iter().map(Ids::memory_usage).sum::<usize>();
        let keys = self.decryption.iter().map(Decryption::memory_usage).sum::<usize>();
        size_of_val(self) + crypto + ids + keys + self.streams.memory_usage()
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let mut contents = Contents::default();
        let mut result = Ok(());
        let size = wire.remaining();
        while result.is_ok() && wire.remaining() > 0 {
            if !contents.packets.is_empty() && !self.is_packet(from, wire.ahead()) {
                wire.rest(&REMAINING);
                break;
            }
            result = wire.group(&PACKET, |wire| {
                let name = self.packet(from, wire, &mut contents)?;
                contents.packets.extend(Some(name).filter(|name| contents.packets.last() != Some(name)));
                Ok(())
            });
        }
        wire.name(&contents.packets.join(", "));
        let Contents { handshake, frames, .. } = contents;
        let dots = if handshake.names.is_empty() || handshake.info.is_empty() { "" } else { ": " };
        match (handshake.names.is_empty(), frames.is_empty()) {
            (false, _) => wire.info(format_args!("{}{dots}{}", handshake.names, handshake.info)),
            (true, false) => wire.info(format_args!("{}, {size} bytes", frames.join(", "))),
            (true, true) => wire.info(format_args!("{size} bytes")),
        }
        result
    }

    fn claims(&self, from: Side, bytes: &[u8]) -> bool {
        self.ids.iter().any(|ids| ids.own.is_some()) && self.is_packet(from, bytes)
    }

    fn unfinished(&mut self) -> Vec<Unfinished> {
        self.streams.unfinished()
    }
}

impl Session {
    /// Whether a packet of this connection starts here. Its connection ID may have been issued in an encrypted frame.
    fn is_packet(&self, from: Side, bytes: &[u8]) -> bool {
        let Some((first, rest)) = bytes.split_first() else { return false };
        if first & LONG != 0 {
            return plausible_header(bytes).is_some();
        }
        let is_known_id = self.ids[from.other()].known(rest).is_some_and(|length| length > 0);
        let may_vary = self.fixed_bit_varies && bytes.iter().any(|byte| *byte != 0);
        bytes.len() >= MIN_SHORT_PACKET && (first & FIXED_BIT != 0 || is_known_id || may_vary)
    }

    fn packet(&mut self, from: Side, wire: &mut Wire<'_>, contents: &mut Contents) -> Result<&'static str> {
        let start = wire.at();
        let packet = wire.ahead();
        let first = packet.first().copied().unwrap_or_default();
        self.fixed_bit_varies |= first & FIXED_BIT == 0;
        if first & LONG == 0 {
            return self.short(from, wire, contents);
        }
        let length = packet_size(packet).unwrap_or(packet.len());
        wire.add(&PACKET_LENGTH, Value::Unsigned(length as u64));
        let place = wire.at();
        let header = long(wire)?;
        if header.version == 0 {
            wire.each(|wire| wire.u32_be(&SUPPORTED))?;
            return Ok("version_negotiation");
        }
        let name = name_of(TYPES, header.kind.into()).unwrap_or_default();
        self.version = header.version;
        self.ids[from].learn(wire, from.other(), &header.source);
        if header.kind == RETRY {
            let token = wire.remaining().checked_sub(TAG).ok_or(Error::Short { needed: TAG })?;
            wire.bytes(&RETRY_TOKEN, token)?;
            wire.bytes(&RETRY_TAG, TAG)?;
            self.initial_id.clear();
            return Ok(name);
        }
        if header.kind == INITIAL {
            let token = number(wire, &TOKEN_LENGTH)?;
            wire.optional(&TOKEN, usize::try_from(token).unwrap_or(usize::MAX))?;
        }
        let length = usize::try_from(number(wire, &LENGTH)?).unwrap_or(usize::MAX);
        let (at, count) = (wire.at() - start, length.min(wire.remaining()));
        let outcome = match packet.get(..at + count) {
            Some(packet) if header.kind == INITIAL => self.decrypt_initial(from, &header, packet, at),
            Some(packet) => self.decrypt(from, level(header.kind), wire, packet, at),
            None => Outcome::NoSecret,
        };
        match outcome {
            Outcome::Decrypted(decrypted) => {
                wire.put(&RESERVED, Value::Unsigned((decrypted.first >> 2 & 3).into()), place..place + 1);
                wire.put(&NUMBER_LENGTH, Value::Unsigned((decrypted.first & 3).into()), place..place + 1);
                let space = if header.kind == INITIAL { 0 } else { level(header.kind).space() };
                self.frames(from, wire, contents, (&decrypted, count, space))?;
            }
            outcome => {
                if let Outcome::Failed = outcome {
                    let why = if header.kind == INITIAL {
                        "the keys derived from the connection ID do"
                    } else {
                        "the configured secret does"
                    };
                    wire.note_ahead(&NOT_OPENED, format_args!("{why} not decrypt it"));
                }
                wire.bytes(&REMAINING, length)?;
            }
        }
        Ok(name)
    }

    /// Dissects packet number and frames of a decrypted packet of `count` remaining bytes.
    fn frames(
        &mut self,
        from: Side,
        wire: &mut Wire<'_>,
        contents: &mut Contents,
        (decrypted, count, space): (&Decrypted, usize, usize),
    ) -> Result {
        let number = wire.at()..wire.at() + decrypted.number_length;
        wire.put(&NUMBER, Value::Unsigned(decrypted.number), number);
        wire.skip(decrypted.number_length)?;
        let count = count - decrypted.number_length;
        let payload = if decrypted.first & LONG == 0 { &PROTECTED } else { &PAYLOAD };
        wire.put(payload, Value::Bytes, wire.at()..wire.at() + count);
        self.hello.over_quic = true;
        let Some(crypto) = self.crypto[from].get_mut(space) else { return wire.skip(count) };
        crypto.is_google = versions::is_google(self.version);
        let mut unshown = Vec::new();
        let mut receiver = Receiver {
            from,
            crypto,
            hello: &mut self.hello,
            summary: &mut contents.handshake,
            streams: &mut self.streams,
            ids: &mut self.ids[from],
            names: if space == APPLICATION { &mut contents.frames } else { &mut unshown },
        };
        let method = if space == 0 { "quic initial" } else { "quic" };
        wire.deciphered(method, count, 0, &decrypted.frames, |inner| receiver.all(inner))
    }

    /// Decrypts an Initial packet with the keys of the connection, or with keys from its own destination connection ID.
    fn decrypt_initial(&mut self, from: Side, header: &Header, packet: &[u8], at: usize) -> Outcome {
        let expected = self.decryption[from].expected[0];
        let open = |id: &[u8], expected| keys::decrypt_initial(header.version, id, from, packet, at, expected);
        let mut decrypted = open(&self.initial_id, expected);
        if decrypted.is_none() && from == Side::Client {
            decrypted = open(&header.destination, 0);
            if decrypted.is_some() {
                self.initial_id.clone_from(&header.destination);
                // CRYPTO offsets restart at 0 after a Retry or in a new connection.
                (self.crypto, self.decryption, self.streams) = Default::default();
            }
        }
        let Some(decrypted) = decrypted else { return Outcome::Failed };
        self.decryption[from].receive(0, decrypted.number);
        Outcome::Decrypted(decrypted)
    }

    /// Decrypts a packet with keys from a key log.
    fn decrypt(&mut self, from: Side, level: Level, wire: &Wire<'_>, packet: &[u8], at: usize) -> Outcome {
        self.decryption[from].decrypt(level, (from, self.version), &self.hello, wire, (packet, at))
    }

    /// Dissects a short header; the length of its connection ID is known from the connection only.
    fn short(&mut self, from: Side, wire: &mut Wire<'_>, contents: &mut Contents) -> Result<&'static str> {
        let (start, packet) = (wire.at(), wire.ahead());
        wire.add(&PACKET_LENGTH, Value::Unsigned(packet.len() as u64));
        let length = self.ids[from.other()].known(packet.get(1..).unwrap_or_default()).unwrap_or_default();
        let outcome = self.decrypt(from, Level::Application, wire, packet, 1 + length);
        let Outcome::Decrypted(decrypted) = outcome else {
            wire.bits(1, &[&FORM, &FIXED, &SPIN, &SHORT_BITS])?;
            wire.optional(&DCID, length)?;
            if let Outcome::Failed = outcome {
                wire.note_ahead(&NOT_OPENED, format_args!("the configured secret does not decrypt it"));
            }
            wire.rest(&REMAINING);
            return Ok("protected");
        };
        wire.bits(1, &[&FORM, &FIXED, &SPIN])?;
        let bits = [&SHORT_RESERVED, &KEY_PHASE, &NUMBER_LENGTH];
        for field in bits {
            let value = field.bits_of(decrypted.first.into());
            let value = if field.is(&KEY_PHASE) { Value::Bool(value != 0) } else { Value::Unsigned(value) };
            wire.put(field, value, start..start + 1);
        }
        wire.optional(&DCID, length)?;
        self.frames(from, wire, contents, (&decrypted, wire.remaining(), APPLICATION))?;
        Ok("1-rtt")
    }
}

/// Encryption level of a packet that is neither Initial nor Retry.
fn level(kind: u8) -> Level {
    if kind == EARLY { Level::Early } else { Level::Handshake }
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
    let is_decrypted = node.child(&NUMBER).is_some();
    out.write_str(kind.unwrap_or(if is_decrypted { "1-rtt" } else { "protected" }))
}

pub(super) fn packet_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&PACKET_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial::bytes;

    /// RFC 9000, section 17.2: the length of a packet with a long header counts its packet number and payload.
    #[test]
    fn packets_with_long_headers_have_a_size() {
        for (hex, size) in [
            // Initial with a token of two bytes, then three bytes of the next packet.
            ("c3 00000001 02 a1a2 01 b1 02 7777 4005 1122334455 c30000", Some(20)),
            // The same with a token of more bytes than there are.
            ("c3 00000001 02 a1a2 01 b1 22 7777 4005 1122334455 c30000", None),
            ("e3 00000001 02 a1a2 01 b1 05 1122334455", Some(16)),
            ("e3 00000001 02 a1a2 01 b1 06 1122334455", None),
            // Retry and Version Negotiation have no length.
            ("f0 00000001 02 a1a2 01 b1 05 1122334455", None),
            ("e3 00000000 02 a1a2 01 b1 05 1122334455", None),
            ("e3 00000001 02 a1", None),
        ] {
            assert_eq!(packet_size(&bytes(hex)), size, "{hex}");
        }
    }
}
