//! Session messages: batches of packets, usually compressed.

use super::*;
use crate::tree::{Field, Names, NodeRef, Side, Value, name_of};
use crate::wire::{DatagramContext, Error, Exchange, Result, Varint, Wire};
use flate2::{Decompress, FlushDecompress};
use std::fmt::{self, Write};

/// Packet types.
pub(super) const IDS: Names = &[
    (1, "login"),
    (2, "play_status"),
    (3, "server_to_client_handshake"),
    (4, "client_to_server_handshake"),
    (5, "disconnect"),
    (6, "resource_packs_info"),
    (7, "resource_pack_stack"),
    (8, "resource_pack_client_response"),
    (9, "text"),
    (10, "set_time"),
    (11, "start_game"),
    (12, "add_player"),
    (13, "add_actor"),
    (14, "remove_actor"),
    (15, "add_item_actor"),
    (17, "take_item_actor"),
    (18, "move_actor_absolute"),
    (19, "move_player"),
    (21, "update_block"),
    (22, "add_painting"),
    (25, "level_event"),
    (26, "block_event"),
    (27, "actor_event"),
    (28, "mob_effect"),
    (29, "update_attributes"),
    (30, "inventory_transaction"),
    (31, "mob_equipment"),
    (32, "mob_armor_equipment"),
    (33, "interact"),
    (34, "block_pick_request"),
    (36, "player_action"),
    (39, "set_actor_data"),
    (40, "set_actor_motion"),
    (43, "set_spawn_position"),
    (44, "animate"),
    (45, "respawn"),
    (46, "container_open"),
    (47, "container_close"),
    (58, "level_chunk"),
    (69, "request_chunk_radius"),
    (70, "chunk_radius_updated"),
    (129, "client_cache_status"),
    (143, "network_settings"),
    (144, "player_auth_input"),
    (193, "request_network_settings"),
];

const GAME: u8 = 0xfe;
const LOGIN: u64 = 1;
const PLAY_STATUS: u64 = 2;
const SERVER_HANDSHAKE: u64 = 3;
const NETWORK_SETTINGS: u64 = 143;
const REQUEST_SETTINGS: u64 = 193;

/// Default server ports.
const PORTS: [u16; 2] = [19_132, 19_133];

/// First version whose server announces the compression, and first version whose messages declare it.
const ANNOUNCES: u32 = 554;
const TELLS_EACH: u32 = 649;

/// Maximum decompressed size of a message, and bytes decompressed for recognition.
const DECOMPRESSED_MAX: usize = 4 << 20;
const LOOK: usize = 64;

/// Maximum packets per message.
const PACKETS_MAX: usize = 4096;

/// State of one connection.
#[derive(Default)]
pub(super) struct Session {
    version: Option<u32>,
    /// Compression announced by the server.
    algorithm: Option<u16>,
    is_encrypted: bool,
    /// A message was decoded.
    is_known: bool,
}

/// Heuristic: a settings request or login, compressed or not; on the default ports any message.
pub(super) fn detect(message: &[u8], context: &DatagramContext) -> bool {
    let Some((&GAME, packets)) = message.split_first() else { return false };
    let is_beginning = |packets: &[u8]| {
        let Some((length, behind)) = varint(packets) else { return false };
        match varint(behind) {
            Some((REQUEST_SETTINGS, body)) => length == 6 && body.len() == 4 && body.first() == Some(&0),
            Some((LOGIN, body)) => length > 100 && body.starts_with(&[0, 0]),
            _ => false,
        }
    };
    let inflated = |zlib| matches!(inflate(packets, zlib, LOOK), Ok(start) | Err((start, _)) if is_beginning(&start));
    PORTS.iter().any(|port| context.has_port(*port)) || is_beginning(packets) || inflated(false) || inflated(true)
}

/// Largest size of a VarInt in bytes.
const VARINT_MAX: usize = 5;

/// Decodes a VarInt. Returns it and the bytes after it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    Varint::split(bytes, VARINT_MAX)
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.is_known = true;
        wire.u8(&MARK)?;
        if self.is_encrypted {
            wire.name("encrypted");
            wire.info(format_args!("{} bytes", wire.remaining()));
            return wire.rest_is(&ENCRYPTED);
        }
        let mut names: Vec<&str> = Vec::new();
        let result = self.compressed(from, wire, &mut names);
        wire.name(&names.join(", "));
        result
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.is_known && bytes.first() == Some(&GAME)
    }
}

/// Compression of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    None,
    Deflate,
    Zlib,
    Snappy,
}

impl Session {
    /// Compression of the batch ahead. Reads the byte that declares it, if present.
    fn coding(&self, wire: &mut Wire<'_>) -> Result<Coding> {
        let of = |algorithm| match algorithm {
            0 => Coding::Deflate,
            1 => Coding::Snappy,
            _ => Coding::None,
        };
        let ahead = wire.ahead();
        match (self.version, self.algorithm) {
            (Some(ANNOUNCES..), None) => Ok(Coding::None),
            (Some(TELLS_EACH..), Some(_)) => wire.u8(&ALGORITHM).map(of),
            (_, Some(algorithm)) => Ok(of(u8::try_from(algorithm).unwrap_or(u8::MAX))),
            // Joined midway, or an older version: whatever the bytes fit.
            _ if is_batch(ahead) => Ok(Coding::None),
            _ if ahead.first() == Some(&0x78) && !matches!(inflate(ahead, true, LOOK), Err((_, Fault::Broken))) => {
                Ok(Coding::Zlib)
            }
            _ if matches!(ahead.first(), Some(0 | 1 | 255)) => wire.u8(&ALGORITHM).map(of),
            _ => Ok(Coding::Deflate),
        }
    }

    fn compressed(&mut self, from: Side, wire: &mut Wire<'_>, names: &mut Vec<&'static str>) -> Result {
        let coding = self.coding(wire)?;
        let ahead = wire.ahead();
        let (method, plain) = match coding {
            Coding::None => return self.packets(from, wire, names),
            Coding::Deflate => ("deflate", inflate(ahead, false, DECOMPRESSED_MAX)),
            Coding::Zlib => ("zlib", inflate(ahead, true, DECOMPRESSED_MAX)),
            Coding::Snappy => ("snappy", snappy(ahead, DECOMPRESSED_MAX)),
        };
        let at = wire.at();
        wire.put(&COMPRESSED, Value::Bytes, at..at + ahead.len());
        let (plain, fault) = match plain {
            Ok(plain) => (plain, None),
            Err((plain, fault)) => (plain, Some(fault)),
        };
        let result = wire.derived(method, ahead.len(), &plain, |inner| self.packets(from, inner, names));
        match fault {
            Some(Fault::Long) => wire.note_layer(&TOO_LONG, format_args!("more than {DECOMPRESSED_MAX} bytes")),
            Some(Fault::Broken) => wire.note_layer(&BAD_COMPRESSION, format_args!("not valid {method} data")),
            None => {}
        }
        if fault.is_some() { Ok(()) } else { result }
    }

    fn packets(&mut self, from: Side, wire: &mut Wire<'_>, names: &mut Vec<&'static str>) -> Result {
        for number in 0.. {
            if wire.remaining() == 0 {
                break;
            }
            if number == PACKETS_MAX {
                return wire.malformed(&TOO_MANY, format_args!("more than {PACKETS_MAX} packets"));
            }
            let name = wire.group(&PACKET, |wire| self.packet(from, wire))?;
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        Ok(())
    }

    fn packet(&mut self, from: Side, wire: &mut Wire<'_>) -> Result<&'static str> {
        let length = usize::try_from(number(wire, &LENGTH)?).unwrap_or(usize::MAX);
        let mut name = "unknown";
        wire.within(length, &DATA, |wire| {
            let start = wire.at();
            let (header, behind) = varint(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
            wire.skip(wire.remaining() - behind.len())?;
            let id = header & 0x3ff;
            let end = wire.at();
            wire.put(&ID, Value::Unsigned(id), start..end);
            for (field, player) in [(&SENDER, header >> 10 & 3), (&RECEIVER, header >> 12 & 3)] {
                if player > 0 {
                    wire.put(field, Value::Unsigned(player), start..end);
                }
            }
            name = name_of(IDS, id).unwrap_or("unknown");
            self.body(from, id, wire)
        })?;
        Ok(name)
    }

    fn body(&mut self, from: Side, id: u64, wire: &mut Wire<'_>) -> Result {
        match (id, from) {
            (REQUEST_SETTINGS, _) => self.version(wire),
            (NETWORK_SETTINGS, _) => {
                wire.u16_le(&THRESHOLD)?;
                let algorithm = wire.u16_le(&CHOSEN)?;
                wire.bool(&THROTTLES)?;
                wire.u8(&THROTTLE_FROM)?;
                wire.f32_le(&THROTTLE_BY)?;
                self.algorithm = Some(algorithm);
                wire.info(format_args!("{}", name_of(ALGORITHMS, algorithm.into()).unwrap_or("unknown")));
                Ok(())
            }
            (LOGIN, _) => {
                self.version(wire)?;
                number(wire, &REQUEST_LENGTH)?;
                for text in [&CHAIN, &CLIENT_DATA] {
                    let length = wire.u32_le(&TEXT_LENGTH)?;
                    wire.text(text, usize::try_from(length).unwrap_or(usize::MAX))?;
                }
                Ok(())
            }
            (PLAY_STATUS, _) => {
                let status = wire.u32_be(&STATUS)?;
                wire.info(format_args!("{}", name_of(STATUSES, status.into()).unwrap_or("unknown")));
                Ok(())
            }
            (SERVER_HANDSHAKE, _) => {
                let length = number(wire, &TOKEN_LENGTH)?;
                wire.text(&TOKEN, usize::try_from(length).unwrap_or(usize::MAX))?;
                self.is_encrypted = true;
                Ok(())
            }
            _ => wire.rest_is(&BODY),
        }
    }

    fn version(&mut self, wire: &mut Wire<'_>) -> Result {
        let version = wire.u32_be(&VERSION)?;
        self.version = Some(version);
        wire.info(format_args!("protocol {version}"));
        Ok(())
    }
}

fn number(wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
    match wire.varint(field, VARINT_MAX)? {
        Some(number) => Ok(number),
        None => wire.malformed(&BAD_NUMBER, format_args!("more than five bytes")),
    }
}

/// Whether the bytes consist of complete packets.
fn is_batch(mut bytes: &[u8]) -> bool {
    for _ in 0..PACKETS_MAX {
        let Some((length, behind)) = varint(bytes) else { return false };
        let Some((packet, rest)) = usize::try_from(length).ok().and_then(|length| behind.split_at_checked(length)) else {
            return false;
        };
        if packet.is_empty() {
            return false;
        }
        if rest.is_empty() {
            return true;
        }
        bytes = rest;
    }
    false
}

/// Why decompression stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Long,
    Broken,
}

/// Decompressed bytes; on an error, those before it.
type Plain = std::result::Result<Vec<u8>, (Vec<u8>, Fault)>;

/// Decompresses a deflate stream to at most `most` bytes.
fn inflate(bytes: &[u8], zlib: bool, most: usize) -> Plain {
    let mut inflate = Decompress::new(zlib);
    let mut out = Vec::with_capacity(most.min(bytes.len().saturating_mul(4)).max(LOOK));
    loop {
        let done = usize::try_from(inflate.total_in()).unwrap_or(usize::MAX);
        let before = out.len();
        let status = inflate.decompress_vec(bytes.get(done..).unwrap_or_default(), &mut out, FlushDecompress::Finish);
        match status {
            Ok(flate2::Status::StreamEnd) if out.len() <= most => return Ok(out),
            Err(_) => return Err((out, Fault::Broken)),
            _ if out.len() >= most => {
                out.truncate(most);
                return Err((out, Fault::Long));
            }
            _ if out.len() < out.capacity() && out.len() == before => return Err((out, Fault::Broken)),
            _ => out.reserve(out.len().clamp(LOOK, most)),
        }
    }
}

/// Decompresses a Snappy block to at most `most` bytes.
pub(super) fn snappy(bytes: &[u8], most: usize) -> Plain {
    let Some((length, mut rest)) = varint(bytes) else { return Err((Vec::new(), Fault::Broken)) };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut out = Vec::new();
    while let Some(behind) = element(rest, &mut out) {
        if out.len() > most {
            out.truncate(most);
            return Err((out, Fault::Long));
        }
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    if rest.is_empty() && out.len() == length { Ok(out) } else { Err((out, Fault::Broken)) }
}

/// Decodes a Snappy element, a literal or a copy. Returns the bytes after it.
fn element<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (&tag, rest) = bytes.split_first()?;
    let little = |rest: &'a [u8], count: usize| {
        let (number, rest) = rest.split_at_checked(count)?;
        Some((number.iter().rev().fold(0, |number: usize, byte| number << 8 | usize::from(*byte)), rest))
    };
    let high = usize::from(tag >> 2);
    let (length, (back, rest)) = match tag & 3 {
        0 => {
            let (length, rest) = if high < 60 { (high, rest) } else { little(rest, high - 59)? };
            let (literal, rest) = rest.split_at_checked(length.checked_add(1)?)?;
            out.extend_from_slice(literal);
            return Some(rest);
        }
        1 => {
            let (low, rest) = little(rest, 1)?;
            ((high & 7) + 4, ((high >> 3) << 8 | low, rest))
        }
        2 => (high + 1, little(rest, 2)?),
        _ => (high + 1, little(rest, 4)?),
    };
    for _ in 0..length {
        let byte = *out.get(out.len().checked_sub(back)?)?;
        out.push(byte);
    }
    Some(rest)
}

pub(super) fn packet_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let id = node.child(&ID);
    match id.and_then(NodeRef::name) {
        Some(name) => out.write_str(name),
        None => id.and_then(NodeRef::number).map_or(Ok(()), |id| write!(out, "{id}")),
    }
}

pub(super) fn packet_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
