//! BitTorrent peer wire (BEP 3, BEP 5, BEP 6, BEP 10, BEP 52), distributed hash table, UDP trackers and µTP.
//!
//! Numbers are big-endian.
//!
//! ```text
//! handshake   19 | "BitTorrent protocol" | reserved:8 | info hash:20 | peer ID:20
//! message     length:4, 0 for a keep-alive | type:1 | body
//!   4 have             piece:4
//!   5 bitfield         one bit per piece
//!   6 request          piece:4 | begin:4 | length:4          8 cancel and 16 reject: the same
//!   7 piece            piece:4 | begin:4 | data
//!   9 port             port:2
//!   13, 17             piece:4
//!   20 extended        ID:1 | bencoded dictionary, data
//! ```
//! Not covered: encrypted connections; hash messages of version 2, shown as bytes.

mod bencode;
pub mod dht;
pub mod tracker;
pub mod utp;

pub use bencode::PROTOCOL as BENCODE;

use crate::tree::{BySide, Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&BITTORRENT, FIELDS)
    .found(&[
        On::TcpRun(6881, 6889).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
    ])
    .rest(&DATA);

fields! {
    BITTORRENT = protocol("bittorrent", "BitTorrent", "BitTorrent peer wire protocol")
        .covers("Handshakes, all messages, dictionaries of extended messages; connections joined midway on TCP ports 6881 to 6889")
        .leaves_open("Encrypted connections, hash messages of version 2");
    NAME_LENGTH = number("bittorrent.protocol.name.length", "protocol name length", "In bytes").once();
    NAME = text("bittorrent.protocol.name", "protocol name", "").once();
    RESERVED = bytes("bittorrent.reserved", "reserved extension bytes", "Bits of supported extensions").once();
    INFO_HASH = bytes("bittorrent.info_hash", "SHA-1 hash of info dictionary", "Identifies the torrent").once();
    PEER_ID = bytes("bittorrent.peer_id", "peer ID", "").once();
    LENGTH = number("bittorrent.msg.length", "message length", "Bytes after this field").once();
    TYPE = number("bittorrent.msg.type", "message type", "").names(TYPES).once();
    BITFIELD = bytes("bittorrent.msg.bitfield", "bitfield data", "A bit for each piece, the highest first").once();
    INDEX = number("bittorrent.piece.index", "piece index", "").hex(8).once();
    BEGIN = number("bittorrent.piece.begin", "begin offset of piece", "In bytes").hex(8).once();
    PIECE_LENGTH = number("bittorrent.piece.length", "piece length", "In bytes").hex(8).once();
    PIECE_DATA = bytes("bittorrent.piece.data", "data in a piece", "").body().once();
    PORT = number("bittorrent.port", "port", "UDP port of the distributed hash table").once();
    EXTENDED_ID = number("bittorrent.extended.id", "extended message ID", "0 for the handshake; others as the receiver's handshake assigns").once();
    EXTENDED = bytes("bittorrent.extended", "extended message", "").once();
    DATA = bytes("bittorrent.continuous_data", "continuous data", "Undissected bytes");
}

const TYPES: Names = &[
    (0, "Choke"),
    (1, "Unchoke"),
    (2, "Interested"),
    (3, "Not Interested"),
    (4, "Have"),
    (5, "Bitfield"),
    (6, "Request"),
    (7, "Piece"),
    (8, "Cancel"),
    (9, "Port"),
    (13, "Suggest Piece"),
    (14, "Have All"),
    (15, "Have None"),
    (16, "Reject Request"),
    (17, "Allowed Fast"),
    (20, "Extended"),
    (21, "Hash Request"),
    (22, "Hashes"),
    (23, "Hash Reject"),
];

/// First bytes of a handshake.
const GREETING: &[u8] = b"\x13BitTorrent protocol";
const HANDSHAKE_SIZE: usize = 68;
/// Size of the length prefix in bytes.
const HEADER: usize = 4;

const HAVE: u8 = 4;
const BITS: u8 = 5;
const REQUEST: u8 = 6;
const PIECE: u8 = 7;
const CANCEL: u8 = 8;
const DHT_PORT: u8 = 9;
const SUGGEST: u8 = 13;
const HAVE_ALL: u8 = 14;
const HAVE_NONE: u8 = 15;
const REJECT: u8 = 16;
const ALLOWED: u8 = 17;
const EXTENSION: u8 = 20;

/// Maximum message size in bytes. Clients reject larger ones.
const MESSAGE_MAX: usize = 16 << 20;
/// Consecutive messages that identify a connection joined midway.
const CHAIN: usize = 3;

/// State of a connection.
#[derive(Default)]
struct Session {
    /// After a gap, message boundaries are unknown.
    lost: BySide<bool>,
}

/// Size of the message at the start of the bytes, if its length is valid for its type.
fn plausible(bytes: &[u8]) -> Option<usize> {
    let length = usize::try_from(u32::from_be_bytes(*bytes.first_chunk::<HEADER>()?)).ok()?;
    let fits = match *bytes.get(HEADER)? {
        0..=3 | HAVE_ALL | HAVE_NONE => length == 1,
        HAVE | SUGGEST | ALLOWED => length == 5,
        BITS => (2..1 << 20).contains(&length),
        REQUEST | CANCEL | REJECT => length == 13,
        PIECE => (10..=9 + (1 << 17)).contains(&length),
        DHT_PORT => length == 3,
        EXTENSION => (2..1 << 20).contains(&length),
        _ => false,
    };
    fits.then_some(HEADER + length)
}

/// Number of consecutive messages at the start of the bytes; the last one may be incomplete.
fn chain(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some(size) = plausible(bytes) {
        count += 1;
        match bytes.get(size..) {
            Some(rest) if !rest.is_empty() && count < CHAIN => bytes = rest,
            _ => break,
        }
    }
    count
}

/// Whether enough consecutive messages, or all bytes, identify the protocol.
fn is_chain(bytes: &[u8]) -> bool {
    chain(bytes) >= CHAIN || plausible(bytes).is_some_and(|size| size == bytes.len() && size > HEADER + 1)
}

/// Recognizes a handshake.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let may_begin = |bytes: &[u8]| !bytes.is_empty() && GREETING.starts_with(bytes.get(..GREETING.len()).unwrap_or(bytes));
    let mut verdict = Verdict::No;
    for bytes in Side::BOTH.map(|side| opening.of(side)) {
        if bytes.starts_with(GREETING) {
            return Verdict::Yes(Side::Server);
        } else if may_begin(bytes) && !opening.complete {
            verdict = Verdict::Unsure
        }
    }
    verdict
}

/// Recognizes a handshake, or messages of a connection joined midway.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let is_midway = |side: &Side| !opening.starts(*side) && is_chain(opening.of(*side));
    match recognize(opening) {
        Verdict::No if Side::BOTH.iter().any(is_midway) => Verdict::Yes(Side::Server),
        verdict => verdict,
    }
}

/// Number of bytes before the first run of messages after a gap.
fn resume(ahead: &[u8]) -> usize {
    let starts = memchr::memchr_iter(0, ahead);
    let is_start = |at: &usize| ahead.get(*at..).is_some_and(is_chain);
    starts.into_iter().find(is_start).unwrap_or(ahead.len())
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.lost[from] {
            let unknown = resume(ahead);
            if unknown > 0 {
                return Extent::Unknown(unknown);
            }
            self.lost[from] = false;
        }
        if ahead.starts_with(GREETING) {
            return Extent::Message(HANDSHAKE_SIZE);
        }
        if ahead.len() < GREETING.len() && GREETING.starts_with(ahead) && more {
            return Extent::NeedMore(GREETING.len());
        }
        let Some(length) = ahead.first_chunk::<HEADER>() else { return Extent::NeedMore(HEADER) };
        match usize::try_from(u32::from_be_bytes(*length)) {
            Ok(length) if length <= MESSAGE_MAX => Extent::Message(HEADER + length),
            _ => Extent::Unknown(ahead.len()),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().starts_with(GREETING) { handshake(wire) } else { message(wire) }
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] |= !missing.in_step;
    }
}

fn handshake(wire: &mut Wire<'_>) -> Result {
    wire.name("Handshake");
    wire.counted(Wire::u8, &NAME_LENGTH, &NAME)?;
    wire.bytes(&RESERVED, 8)?;
    wire.bytes(&INFO_HASH, 20)?;
    let peer = wire.bytes(&PEER_ID, 20)?;
    // The peer ID of most clients begins with name and version: -AB1234-.
    let client = peer.get(1..7).filter(|_| peer.first() == Some(&b'-') && peer.get(7) == Some(&b'-'));
    if let Some(client) = client.filter(|name| name.iter().all(u8::is_ascii_graphic)) {
        wire.info(format_args!("client {}", String::from_utf8_lossy(client)));
    }
    Ok(())
}

fn message(wire: &mut Wire<'_>) -> Result {
    if wire.u32_be(&LENGTH)? == 0 {
        wire.name("Keepalive");
        return Ok(());
    }
    let kind = wire.u8(&TYPE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown message"));
    match kind {
        HAVE | SUGGEST | ALLOWED => {
            let index = wire.u32_be(&INDEX)?;
            wire.info(format_args!("piece {index}"));
        }
        BITS => {
            let count: u32 = wire.rest(&BITFIELD).iter().map(|byte| byte.count_ones()).sum();
            wire.info(format_args!("{count} pieces"));
        }
        REQUEST | CANCEL | REJECT => {
            let (index, begin) = (wire.u32_be(&INDEX)?, wire.u32_be(&BEGIN)?);
            let length = wire.u32_be(&PIECE_LENGTH)?;
            wire.info(format_args!("piece {index}, {length} bytes at {begin}"));
        }
        PIECE => {
            let (index, begin) = (wire.u32_be(&INDEX)?, wire.u32_be(&BEGIN)?);
            let length = wire.remaining();
            wire.info(format_args!("piece {index}, {length} bytes at {begin}"));
            wire.rest(&PIECE_DATA);
        }
        DHT_PORT => {
            let port = wire.u16_be(&PORT)?;
            wire.info(format_args!("{port}"));
        }
        EXTENSION => return extended(wire),
        _ => {}
    }
    wire.rest_is(&DATA)
}

fn extended(wire: &mut Wire<'_>) -> Result {
    let id = wire.u8(&EXTENDED_ID)?;
    let client = bencode::text_of(wire.ahead(), b"v").filter(|_| id == 0);
    match client.map(String::from_utf8_lossy) {
        Some(client) => wire.info(format_args!("handshake, {client}")),
        None if id == 0 => wire.info(format_args!("handshake")),
        None => wire.info(format_args!("ID {id}")),
    }
    if wire.remaining() == 0 {
        return Ok(());
    }
    wire.parent(&EXTENDED, Value::Bytes, |wire| {
        if bencode::size(wire.ahead()).is_some() {
            bencode::value(wire, &bencode::PLAIN, b"")?;
        }
        wire.rest_is(&DATA)
    })
}

#[cfg(test)]
mod tests;
