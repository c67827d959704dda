//! World of Warcraft logs (`.pkt`) of versions 2.1, 2.2, 3.0 and 3.1, as WowPacketParser reads them.
//!
//! Numbers are little-endian.
//!
//! ```text
//! header   "PKT" | version:2 | by version
//!   2.1    build:2 | session key:40
//!   2.2    tool:1 | build:2 | locale:4 | packet key:20 | realm:64
//!   3.0    tool:1 | build:4 | locale:4 | session key:40 | n:4 | n bytes; those of tool 10: start:4 | start tick:4
//!   3.1    tool:1 | build:4 | locale:4 | session key:40 | start:4 | start tick:4 | n:4 | n bytes
//! record
//!   2.x    ff of the server:1 | seconds:4 | tick:4 | n:4 | opcode:2 of the server, 4 of the client | payload; n counts the opcode
//!   3.0    direction:4 | seconds:4 | tick:4 | m:4 | n:4 | m bytes | opcode:4 | payload
//!   3.1    direction:4 | connection:4 | tick:4 | m:4 | n:4 | m bytes | opcode:4 | payload
//! ```
//! A direction is `SMSG`, `CMSG`, or `S_BN` and `C_BN` of Battle.net. The bytes that some tools add hold a time or an endpoint.

use super::opcodes::{Header, Opcodes, Packet, unknown_ends};
use super::rebuilt::{Ends, Rebuilt};
use super::{Buffer, Fields, Opened, Sniff, SniffFormat, damaged, part};
use crate::tree::Side;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

pub(super) static FORMAT: SniffFormat = SniffFormat { name: "wow-pkt", begins, open };

/// Ports of worlds and of Battle.net.
const WORLD: u16 = 8085;
const BATTLE_NET: u16 = 1119;

/// Maximum sizes of a packet and of what tools add.
const MOST: u32 = 32 << 20;
const MOST_ADDED: u32 = 1 << 20;

/// Tools that add something known: xyla, WSTC, PacketLogger of TrinityCore, ymir.
const XYLA: u8 = 10;
const WSTC: u8 = b'S';
const PACKET_LOGGER: u8 = b'T';
const YMIR: [u8; 2] = [0x15, 0x16];

/// Nanoseconds of a millisecond and of a second.
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// Number of 100 ns between 1601 and 1970.
const FILE_TIME: u64 = 116_444_736_000_000_000;

fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PKT") && matches!(bytes.get(3..5), Some([1, 2] | [2, 2] | [0, 3] | [1, 3]))
}

/// A log.
struct Log {
    is_3: bool,
    has_connections: bool,
    tool: u8,
    tool_version: u16,
    /// Nanoseconds since 1970 at the tick, if the header has them.
    start: Option<(u64, u32)>,
    messages: Opcodes,
}

/// What a record says in front of its opcode.
struct Head {
    side: Side,
    is_battle_net: bool,
    connection: u32,
    time: u64,
    /// Bytes that the tool added, and those from the opcode on.
    added: usize,
    size: usize,
}

fn open(input: &mut Buffer) -> io::Result<Option<Opened>> {
    let version =
        part(input, 5, "its header")?.and_then(|bytes| bytes.last_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes));
    let fixed = match version {
        0x201 => 47,
        0x202 => 96,
        0x300 => 58,
        _ => 66,
    };
    let added = match version {
        0x201 | 0x202 => 0,
        _ => {
            let bytes = part(input, fixed, "its header")?.unwrap_or_default();
            u32::from_le_bytes(bytes.last_chunk().copied().unwrap_or_default())
        }
    };
    if added > MOST_ADDED {
        return Err(damaged(input, &format!("a header with {added} more bytes")));
    }
    let length = fixed + added as usize;
    let bytes = part(input, length, "its header")?.unwrap_or_default();
    let (header, start, extra) = header(version, bytes);
    let mut log = Log {
        is_3: version >= 0x300,
        has_connections: version >= 0x301,
        tool: header.tool,
        tool_version: 0,
        start,
        messages: Opcodes::new(&header),
    };
    if version == 0x301 {
        log.of_tool(extra);
    }
    input.pass(length);
    let [major, minor] = version.to_be_bytes();
    let description = format!("a World of Warcraft .pkt {major}.{minor} log of build {}", header.build);
    Ok(Some(Opened { description, sniff: Box::new(log) }))
}

/// A header, the start if it has one, and the bytes that the tool added.
fn header(version: u16, bytes: &[u8]) -> (Header, Option<(u64, u32)>, &[u8]) {
    let mut fields = Fields(bytes);
    fields.bytes(5);
    let mut header = Header { version, ..Header::default() };
    if version == 0x201 {
        header.build = fields.u16().into();
        header.key = fields.bytes(40).to_vec();
        return (header, None, &[]);
    }
    header.tool = fields.u8();
    header.build = if version == 0x202 { fields.u16().into() } else { fields.u32() };
    header.locale = fields.take();
    if version == 0x202 {
        header.key = fields.bytes(20).to_vec();
        let realm = fields.bytes(64);
        header.realm = realm.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        return (header, None, &[]);
    }
    header.key = fields.bytes(40).to_vec();
    let mut start = None;
    if version == 0x301 {
        start = Some((u64::from(fields.u32()) * SECOND, fields.u32()));
    }
    fields.u32();
    let extra = fields.0;
    if version == 0x300 && header.tool == XYLA && extra.len() >= 8 {
        let mut times = Fields(extra);
        let at = u64::from(times.u32()) * SECOND;
        start = Some((at, times.u32())).filter(|(_, tick)| *tick != 0);
    }
    let is_text = extra.iter().all(|byte| (b' '..0x7f).contains(byte));
    header.remark = if is_text { extra.to_vec() } else { Vec::new() };
    (header, start, extra)
}

impl Log {
    /// Reads what a tool adds to the header of version 3.1.
    fn of_tool(&mut self, extra: &[u8]) {
        let mut fields = Fields(extra);
        if self.tool == WSTC && extra.len() >= 3 && fields.u8() == 0xff {
            self.tool_version = fields.u16();
            let time = fields.u64();
            if self.tool_version >= 0x107 && extra.len() >= 11 {
                let since = time.saturating_sub(FILE_TIME).saturating_mul(100);
                self.start = self.start.map(|(_, tick)| (since, tick));
            }
        } else if YMIR.contains(&self.tool) && extra.len() >= 2 {
            self.tool_version = fields.u16();
        }
    }

    /// The bytes before those that the tool adds.
    fn head_size(&self) -> usize {
        if self.is_3 { 20 } else { 13 }
    }

    fn head(&self, bytes: &[u8], input: &str) -> Result<Head, String> {
        let mut fields = Fields(bytes);
        let seconds = |fields: &mut Fields<'_>| u64::from(fields.u32()) * SECOND;
        let (side, is_battle_net) = if self.is_3 {
            match &fields.take() {
                b"SMSG" => (Side::Server, false),
                b"CMSG" => (Side::Client, false),
                b"S_BN" => (Side::Server, true),
                b"C_BN" => (Side::Client, true),
                other => return Err(format!("{input} with direction {:02x?}, not SMSG, CMSG, S_BN or C_BN", other)),
            }
        } else {
            (if fields.u8() == 0xff { Side::Server } else { Side::Client }, false)
        };
        let (connection, stated) = if self.has_connections { (fields.u32(), 0) } else { (0, seconds(&mut fields)) };
        let tick = fields.u32();
        let time = match self.start {
            Some((start, first)) => {
                start.saturating_add_signed(i64::from(tick.wrapping_sub(first).cast_signed()) * MILLI.cast_signed())
            }
            None => stated,
        };
        let added = if self.is_3 { fields.u32() } else { 0 };
        let size = fields.u32();
        let least = if self.is_3 || side == Side::Client { 4 } else { 2 };
        if added > MOST_ADDED || !(least..MOST).contains(&size) {
            return Err(format!("{input} of {size} bytes with {added} more"));
        }
        Ok(Head { side, is_battle_net, connection, time, added: added as usize, size: size as usize })
    }

    /// Applies what the tool added to a record: its endpoint, its time, and a comment.
    fn added(&self, head: &mut Head, added: &[u8]) -> (Ends, String) {
        let port = if head.is_battle_net { BATTLE_NET } else { WORLD };
        let mut ends = unknown_ends(head.connection, port);
        let mut comment = String::new();
        let mut fields = Fields(added);
        if self.tool == PACKET_LOGGER && self.has_connections && added.len() >= 20 {
            let ip: [u8; 16] = fields.take();
            let port = u16::try_from(fields.u32()).unwrap_or_default();
            let ip = match ip {
                [a, b, c, d, rest @ ..] if rest == [0; 12] => IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
                ip => IpAddr::V6(Ipv6Addr::from(ip)),
            };
            ends.client = SocketAddr::new(ip, port);
        } else if YMIR.contains(&self.tool) && self.has_connections && added.len() >= 8 {
            let millis = f64::from_le_bytes(fields.take());
            if (0.0..4e12).contains(&millis) {
                head.time = std::time::Duration::try_from_secs_f64(millis / 1000.0)
                    .ok()
                    .and_then(|time| u64::try_from(time.as_nanos()).ok())
                    .unwrap_or(head.time);
            }
            if self.tool_version >= 0x101 {
                let length = usize::from(fields.u8());
                comment = String::from_utf8_lossy(fields.bytes(length)).into_owned();
            }
        }
        (ends, comment)
    }
}

impl Sniff for Log {
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool> {
        let size = self.head_size();
        let Some(bytes) = part(input, size, "a record")? else { return Ok(false) };
        let mut head = self.head(bytes, "a record").map_err(|what| damaged(input, &what))?;
        let whole = size + head.added + head.size;
        let record = part(input, whole, "a record")?.unwrap_or_default();
        let mut fields = Fields(record);
        fields.bytes(size);
        let added = fields.bytes(head.added);
        let (ends, comment) = self.added(&mut head, added);
        let is_short = !self.is_3 && head.side == Side::Server;
        let opcode = if is_short { fields.u16().into() } else { fields.u32() };
        let Head { side, time, .. } = head;
        let packet = Packet { side, time, opcode, name: b"", payload: fields.0, comment: &comment };
        self.messages.add(out, ends, &packet);
        input.pass(whole);
        Ok(true)
    }
}
