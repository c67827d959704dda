//! Unreal Engine's control handshake over UDP: the packets that open a connection of versions 4 and 5, or move it to another
//! address.
//!
//! Bits are counted from the least significant one of each byte, numbers are little-endian.
//!
//! ```text
//! magic:0 to 32 bits, by game | session ID:2 bits | client ID:3 bits | handshake:1 bit                  every packet; IDs from version 3
//!   | restart:1 bit
//!   | minimum version:1 | version:1 | packet type:1 | sent packets:1                                   from version 1
//!   | network version:4 | network features:2                                                           from version 2
//!   | secret ID:1 bit | timestamp:8 | cookie:20                         neither in restart requests nor in version upgrades
//!   | original cookie:20                                                in restart responses
//!   | random:7 to 16                                                                                   from version 1
//!   | termination:1 bit | zeros up to the end of the byte
//! ```
//! Version 0 has no packet type: size, direction and timestamp determine the packet type. Initial packets are all zeros from the
//! secret ID on; the timestamp of acks is -1. Facts: public descriptions of `StatelessConnectHandlerComponent`, the engine's
//! class for this handshake.
//!
//! A conversation is recognized by its initial packet or its ack; on UDP port 7777 also by others from version 1 on.
//! Not covered: contents of game packets; engines before 4.22, which have no restart bit.

use crate::tree::{Bits, Field, Kind, Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};
use std::fmt;

pub static PROTOCOL: Protocol = Protocol::new(&UNREAL, FIELDS)
    .found(&[
        On::Udp(PORT).exchange::<Session>(Heuristic::InContext(|bytes, context| context.has_port(PORT) && is_versioned(bytes))),
        On::AnyUdp.exchange::<Session>(Heuristic::Datagram(recognize)),
    ])
    .rest(&DATA);

const PORT: u16 = 7777;

fields! {
    UNREAL = protocol("unreal", "Unreal", "Unreal Engine control handshake")
        .covers("Handshakes of Unreal Engine 4 and 5, restarts and version upgrades among them; headers of game packets")
        .leaves_open("Contents of game packets");
    MAGIC = number("unreal.magic", "magic header", "Chosen by the game").hex(8).once();
    SESSION_ID = number("unreal.session_id", "session ID", "Incremented by the server when it changes the level").once();
    CLIENT_ID = number("unreal.client_id", "client ID", "Incremented by the client with each connection").once();
    HANDSHAKE = bool("unreal.handshake", "handshake", "Otherwise a game packet").once();
    RESTART = bool("unreal.restart", "restart", "The connection continues from another address").once();
    MIN_VERSION = number("unreal.min_version", "minimum version", "Earliest handshake version that the sender supports").names(VERSIONS).once();
    VERSION = number("unreal.version", "version", "Handshake version of the packet").names(VERSIONS).once();
    TYPE = number("unreal.packet_type", "packet type", "").names(TYPES).once();
    SENT = number("unreal.sent_packets", "sent packets", "Handshake packets sent before").once();
    NETWORK_VERSION = number("unreal.network_version", "network version", "Of the game; equal on both sides").hex(8).once();
    FEATURES = number("unreal.network_features", "network features", "").hex(4).once();
    SECRET_ID = number("unreal.secret_id", "secret ID", "Server secret used for the cookie").once();
    TIMESTAMP = float("unreal.timestamp", "timestamp", "Seconds since the server started; -1 in acks").once();
    COOKIE = text("unreal.cookie", "cookie", "20 bytes in hex").once();
    ORIGINAL_COOKIE = text("unreal.original_cookie", "original cookie", "Cookie that the connection was opened with").once();
    RANDOM = text("unreal.random", "random data", "Varies the size").once();
    TERMINATION = bool("unreal.termination", "termination", "Last bit of the packet").once();
    DATA = bytes("unreal.data", "data", "From the byte of the handshake bit on").once();
}

const VERSIONS: Names =
    &[(0, "original"), (1, "randomized"), (2, "network version"), (3, "session and client ID"), (4, "version upgrade")];

const TYPES: Names = &[
    (0, "initial packet"),
    (1, "challenge"),
    (2, "response"),
    (3, "ack"),
    (4, "restart handshake"),
    (5, "restart response"),
    (6, "version upgrade"),
];

const INITIAL: u8 = 0;
const CHALLENGE: u8 = 1;
const RESPONSE: u8 = 2;
const ACK: u8 = 3;
const RESTART_HANDSHAKE: u8 = 4;
const RESTART_RESPONSE: u8 = 5;
const UPGRADE: u8 = 6;

/// Latest version of the handshake.
const LATEST: u8 = 4;
/// First version with session ID and client ID.
const WITH_IDS: u8 = 3;

/// Largest magic header in bits.
const MAGIC_MAX: usize = 32;
/// Session ID and client ID in bits.
const IDS: usize = 2 + 3;
/// Secret ID and timestamp in bits.
const SECRET_AND_TIME: usize = 1 + 64;
/// Cookie in bytes.
const COOKIE_SIZE: usize = 20;

/// Sizes of initial packets and acks in bytes.
const RECOGNIZED: std::ops::RangeInclusive<usize> = 29..=60;

/// Up to 64 bits from bit `at` on.
fn bits(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let from = bytes.get(at / 8..(at + count).div_ceil(8))?;
    let whole = from.iter().rev().fold(0_u128, |whole, byte| whole << 8 | u128::from(*byte));
    u64::try_from(whole >> (at % 8) & ((1 << count) - 1)).ok()
}

/// Position of the termination bit: the highest one that is set.
fn termination(bytes: &[u8]) -> Option<usize> {
    let highest = bytes.last()?.checked_ilog2()?;
    Some((bytes.len() - 1) * 8 + usize::try_from(highest).ok()?)
}

/// The layout of a handshake packet.
struct Shape {
    /// Bits of the magic header.
    magic: usize,
    version: u8,
    kind: u8,
    /// Bytes of random data.
    random: usize,
}

impl Shape {
    /// Bits from the handshake bit up to the secret ID, by version.
    fn head(version: u8) -> usize {
        match version {
            0 => 2,
            1 => 2 + 32,
            _ => 2 + 32 + 48,
        }
    }

    /// Cookies in a packet of this type.
    fn cookies(kind: u8) -> usize {
        match kind {
            RESTART_HANDSHAKE | UPGRADE => 0,
            RESTART_RESPONSE => 2,
            _ => 1,
        }
    }

    /// Bits from the secret ID up to random data.
    fn body(kind: u8) -> usize {
        match Shape::cookies(kind) {
            0 => 0,
            cookies => SECRET_AND_TIME + cookies * COOKIE_SIZE * 8,
        }
    }

    /// The packet of any version with a magic header of this many bits.
    fn of(bytes: &[u8], magic: usize) -> Option<Shape> {
        Shape::original(bytes, magic)
            .or_else(|| Shape::versioned(bytes, magic, 0))
            .or_else(|| Shape::versioned(bytes, magic, IDS))
    }

    /// A packet of version 0: sizes are exact.
    fn original(bytes: &[u8], magic: usize) -> Option<Shape> {
        let size = termination(bytes)?.checked_sub(magic + Shape::head(0))?;
        let head = bits(bytes, magic, 2)?;
        if head & 1 == 0 {
            return None;
        }
        let body = magic + 2;
        let has_kind = |kind: &u8| size == Shape::body(*kind) && is_plausible(bytes, body, *kind, head & 2 != 0);
        let kind = [RESTART_HANDSHAKE, INITIAL, ACK, CHALLENGE, RESTART_RESPONSE].into_iter().find(has_kind)?;
        Some(Shape { magic, version: 0, kind, random: 0 })
    }

    /// A packet of version 1 or later, with this many bits of IDs.
    fn versioned(bytes: &[u8], magic: usize, ids: usize) -> Option<Shape> {
        let end = termination(bytes)?;
        // After the restart bit are whole bytes, and at most the secret ID.
        if end.checked_sub(magic + ids + 2)? % 8 > 1 {
            return None;
        }
        let head = bits(bytes, magic + ids, 2 + 24)?;
        let [least, version, kind, _] = u32::try_from(head >> 2).ok()?.to_le_bytes();
        let has_ids = version >= WITH_IDS;
        if head & 1 == 0 || !(least.max(1)..=LATEST).contains(&version) || has_ids != (ids > 0) || kind > UPGRADE {
            return None;
        }
        let body = magic + ids + Shape::head(version);
        let random = end.checked_sub(body + Shape::body(kind))?;
        let is_sized = random % 8 == 0 && (7..=16).contains(&(random / 8));
        (is_sized && is_plausible(bytes, body, kind, head & 2 != 0)).then_some(Shape { magic, version, kind, random: random / 8 })
    }
}

/// Whether restart bit, timestamp and cookie, which begin with the secret ID at bit `at`, match a packet type.
fn is_plausible(bytes: &[u8], at: usize, kind: u8, is_restart: bool) -> bool {
    let time = || bits(bytes, at + 1, 64).map(f64::from_bits);
    let is_zero = |(from, count)| bits(bytes, from, count) == Some(0);
    let is_cookie_zero = || [(65, 64), (129, 64), (193, 32)].into_iter().all(|(from, count)| is_zero((at + from, count)));
    match kind {
        INITIAL => is_zero((at, 65)) && is_cookie_zero(),
        ACK => !is_restart && time() == Some(-1.0) && !is_cookie_zero(),
        RESTART_HANDSHAKE => is_restart,
        UPGRADE => !is_restart,
        // The engine counts from its start, in at least microseconds.
        _ => {
            is_restart == (kind == RESTART_RESPONSE)
                && time().is_some_and(|time| time == 0.0 || (1e-6..1e9).contains(&time))
                && !is_cookie_zero()
        }
    }
}

/// Recognizes initial packets and acks, whose timestamps are fixed.
fn recognize(bytes: &[u8]) -> bool {
    let is_sure = |shape: Shape| matches!(shape.kind, INITIAL | ACK);
    RECOGNIZED.contains(&bytes.len())
        && ((0..=MAGIC_MAX).step_by(8).any(|magic| Shape::original(bytes, magic).is_some_and(is_sure))
            || versions(bytes).any(is_sure))
}

/// Whether the bytes are a packet with a version.
fn is_versioned(bytes: &[u8]) -> bool {
    versions(bytes).any(|shape| Shape::cookies(shape.kind) > 0) || recognize(bytes)
}

/// Packets with a version that the bytes can be, by the size of the magic header.
fn versions(bytes: &[u8]) -> impl Iterator<Item = Shape> {
    (0..=MAGIC_MAX).flat_map(move |magic| [IDS, 0].into_iter().filter_map(move |ids| Shape::versioned(bytes, magic, ids)))
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// The common start of all packets, known from a handshake packet.
    opening: Option<Opening>,
    client: Option<Side>,
}

/// The common start of all packets of a connection.
#[derive(Clone, Copy)]
struct Opening {
    /// Bits of the magic header, and their value.
    magic: (usize, u64),
    has_ids: bool,
}

impl Opening {
    /// Bits before the handshake bit.
    fn size(self) -> usize {
        self.magic.0 + if self.has_ids { IDS } else { 0 }
    }

    /// Whether the bytes are a game packet.
    fn is_game(self, bytes: &[u8]) -> bool {
        let handshake = self.size();
        bits(bytes, handshake, 1) == Some(0) && termination(bytes).is_some_and(|end| end > handshake)
    }
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let bytes = wire.ahead();
        if let Some(shape) = self.shape(bytes) {
            return self.handshake(&shape, from, wire);
        }
        match self.opening.filter(|opening| opening.is_game(bytes)) {
            Some(opening) => game(opening, wire),
            None => Ok(()),
        }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.opening.is_some_and(|opening| {
            let (size, magic) = opening.magic;
            bits(bytes, 0, size) == Some(magic) && (opening.is_game(bytes) || Shape::of(bytes, size).is_some())
        })
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self)
    }
}

impl Session {
    /// The handshake packet that the bytes are, with the magic header of the connection once one is known.
    fn shape(&self, bytes: &[u8]) -> Option<Shape> {
        match self.opening {
            Some(opening) => Shape::of(bytes, opening.magic.0),
            None => versions(bytes).next().or_else(|| (0..=MAGIC_MAX).find_map(|magic| Shape::original(bytes, magic))),
        }
    }

    fn handshake(&mut self, shape: &Shape, from: Side, wire: &mut Wire<'_>) -> Result {
        let opening = Opening {
            magic: (shape.magic, bits(wire.ahead(), 0, shape.magic).unwrap_or_default()),
            has_ids: shape.version >= WITH_IDS,
        };
        self.opening = Some(opening);
        match shape.kind {
            INITIAL | RESPONSE | RESTART_RESPONSE => self.client = Some(from),
            ACK => self.client = Some(from.other()),
            _ => {}
        }
        let kind = match (shape.version, shape.kind) {
            (0, CHALLENGE) if self.client == Some(from) => RESPONSE,
            _ => shape.kind,
        };
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        let mut packet = Packet::new(wire);
        packet.opening(opening);
        packet.number(&RESTART, 1);
        packet.version(shape.version);
        let time = packet.cookies(shape.kind);
        if shape.random > 0 {
            packet.hex(&RANDOM, shape.random);
        }
        packet.number(&TERMINATION, 1);
        if let Some(time) = time.filter(|_| matches!(kind, CHALLENGE | RESPONSE | RESTART_RESPONSE)) {
            wire.info(format_args!("server time {time:.3} s"));
        }
        wire.skip(wire.remaining())
    }
}

/// Dissects a game packet: its first bits.
fn game(opening: Opening, wire: &mut Wire<'_>) -> Result {
    wire.name("game packet");
    let mut packet = Packet::new(wire);
    packet.opening(opening);
    let whole = packet.at / 8;
    wire.skip(whole)?;
    wire.rest_is(&DATA)
}

/// A cursor that counts in bits, the least significant one of a byte first.
struct Packet<'w, 'a> {
    wire: &'w mut Wire<'a>,
    bytes: &'a [u8],
    at: usize,
}

impl<'w, 'a> Packet<'w, 'a> {
    fn new(wire: &'w mut Wire<'a>) -> Packet<'w, 'a> {
        Packet { bytes: wire.ahead(), wire, at: 0 }
    }

    /// Magic header, IDs and the handshake bit.
    fn opening(&mut self, opening: Opening) {
        if opening.magic.0 > 0 {
            self.number(&MAGIC, opening.magic.0);
        }
        if opening.has_ids {
            self.number(&SESSION_ID, 2);
            self.number(&CLIENT_ID, 3);
        }
        self.number(&HANDSHAKE, 1);
    }

    fn version(&mut self, version: u8) {
        if version >= 1 {
            for field in [&MIN_VERSION, &VERSION, &TYPE, &SENT] {
                self.number(field, 8);
            }
        }
        if version >= 2 {
            self.number(&NETWORK_VERSION, 32);
            self.number(&FEATURES, 16);
        }
    }

    /// Secret ID, timestamp and cookies of a packet type. Returns the timestamp.
    fn cookies(&mut self, kind: u8) -> Option<f64> {
        let fields = [&COOKIE, &ORIGINAL_COOKIE].into_iter().take(Shape::cookies(kind));
        if fields.len() == 0 {
            return None;
        }
        self.number(&SECRET_ID, 1);
        let time = self.number(&TIMESTAMP, 64);
        for field in fields {
            self.hex(field, COOKIE_SIZE);
        }
        Some(f64::from_bits(time))
    }

    fn number(&mut self, field: &'static Field, count: usize) -> u64 {
        let raw = bits(self.bytes, self.at, count).unwrap_or_default();
        let value = match field.kind {
            Kind::Bool => Value::Bool(raw != 0),
            Kind::Float => Value::Double(f64::from_bits(raw)),
            _ => Value::Unsigned(raw),
        };
        let first = self.at % 8;
        let range = self.pass(count);
        // Within one byte, bits have a place that counts from the most significant one.
        match 8_usize.checked_sub(first + count).and_then(|place| u8::try_from(place).ok()).zip(u8::try_from(count).ok()) {
            Some((first, count)) if count < 8 => self.wire.put_bits(field, value, range, Bits { first, count }),
            _ => self.wire.put(field, value, range),
        };
        raw
    }

    /// Bytes that need not begin at a whole byte.
    fn hex(&mut self, field: &'static Field, count: usize) {
        let digits = Shifted { bytes: self.bytes, at: self.at, count };
        let range = self.pass(count * 8);
        self.wire.put_text(field, range, format_args!("{digits}"));
    }

    /// Skips bits. Returns the bytes that contain them.
    fn pass(&mut self, count: usize) -> std::ops::Range<usize> {
        let (start, first) = (self.wire.at(), self.at);
        self.at += count;
        start + first / 8..start + self.at.div_ceil(8)
    }
}

/// Hex digits of bytes that begin at any bit.
struct Shifted<'a> {
    bytes: &'a [u8],
    at: usize,
    count: usize,
}

impl fmt::Display for Shifted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places = (0..self.count).filter_map(|place| bits(self.bytes, self.at + place * 8, 8));
        places.try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests;
