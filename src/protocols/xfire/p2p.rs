//! UDP: datagrams between two clients, and NAT probes.

use super::attr::need;
use super::fields::*;
use super::files::{Files, Sent};
use super::state::State;
use super::{HEADER, body};
use crate::tree::{Names, Object, Side, Value, name_of};
use crate::wire::{Error, Exchange, Result, Wire};
use flate2::Crc;

/// Datagram types.
pub(super) const TYPES: Names = &[
    (0x0000, "data32"),
    (0x0010, "ping"),
    (0x0020, "pong"),
    (0x0040, "ack"),
    (0x0080, "bad_crc"),
    (0x0300, "data16"),
    (0x0800, "keepalive_request"),
    (0x1000, "keepalive_reply"),
];

/// Name under which streams announce datagrams.
pub(super) const ANNOUNCED: &str = "xfire.p2p";

const DATA32: u32 = 0x0000;
const DATA16: u32 = 0x0300;

/// Size of the datagram header in bytes.
const P2P_HEADER: usize = 44;

/// Size in bytes of zeros, category and checksum around the message.
const AROUND: usize = 24;

/// Size of a category in bytes.
const CATEGORY: usize = 16;

/// Size of the header of a file message in bytes.
const DL_HEADER: usize = 7;

const PROBE: [u8; 8] = *b"SC01\x04\x5a\xcb\x00";
const PROBE_LEN: usize = 18;
const REPLY: [u8; 4] = *b"CK01";
const REPLY_LEN: usize = 10;

/// State of a conversation between two clients.
#[derive(Default)]
pub(super) struct Peers {
    /// A checksum confirmed the protocol.
    is_known: bool,
    /// Users by moniker, from the stream that announced the datagrams.
    users: Vec<([u8; MONIKER], Box<str>)>,
    files: Files,
}

/// Size of a moniker in bytes.
const MONIKER: usize = 20;

impl Exchange for Peers {
    /// Datagrams other than probes are assumed to be from client to client.
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if is_nat(wire.ahead()) {
            return nat(wire);
        }
        self.is_known |= is_p2p(wire.ahead());
        datagram(wire, from, self)
    }

    fn announced(&mut self, announcement: &[u8]) {
        let mut rest = announcement;
        while let Some((moniker, behind)) = rest.split_first_chunk() {
            let Some((len, behind)) = behind.split_first() else { return };
            let Some((name, behind)) = behind.split_at_checked(usize::from(*len)) else { return };
            self.users.push((*moniker, String::from_utf8_lossy(name).into()));
            rest = behind;
        }
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.files.memory_usage()
    }

    fn objects(&self) -> Vec<Object> {
        self.files.unfinished()
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.is_known && may_be_p2p(bytes)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// Whether a datagram is a probe, a probe reply, or from client to client.
pub(super) fn is_any(datagram: &[u8]) -> bool {
    is_nat(datagram) || is_p2p(datagram)
}

/// Type and data length of a plausible datagram between clients.
fn head(datagram: &[u8]) -> Option<(u32, usize)> {
    let (kind, len) = (u32_at(datagram, 24)?, u32_at(datagram, 36)? as usize);
    let has_zeros = datagram.get(1..4) == Some(&[0; 3]) && datagram.get(40..44) == Some(&[0; 4]);
    // Zeros and a type alone are too weak.
    let has_moniker = datagram.get(4..24)?.iter().any(|byte| *byte != 0);
    let is_sound = match kind {
        DATA32 | DATA16 => len >= 1,
        _ => {
            let is_control = name_of(TYPES, kind.into()).is_some();
            is_control && has_moniker && datagram.len() == P2P_HEADER && datagram.first() == Some(&0) && len == 0
        }
    };
    (has_zeros && is_sound).then_some((kind, len))
}

/// Whether a datagram is from client to client. The checksum must match if there is data.
pub(super) fn is_p2p(datagram: &[u8]) -> bool {
    let proof = |(kind, len): (u32, usize)| match kind {
        DATA32 | DATA16 => {
            let (carried, expected) = checks(datagram.get(P2P_HEADER..)?, *datagram.first()?, len)?;
            Some(carried == expected)
        }
        _ => Some(true),
    };
    head(datagram).and_then(proof).unwrap_or(false)
}

/// Whether a datagram may be from client to client in a known conversation: its header matches, but its data may be malformed
/// or truncated.
pub(super) fn may_be_p2p(datagram: &[u8]) -> bool {
    head(datagram).is_some()
}

/// Checksum in the datagram and computed checksum.
fn checks(tail: &[u8], key: u8, len: usize) -> Option<(u32, u32)> {
    let end = len.checked_add(AROUND - 4)?;
    let mut crc = Crc::new();
    let mut decoded = [0; 256];
    for chunk in tail.get(..end)?.chunks(decoded.len()) {
        for (to, from) in decoded.iter_mut().zip(chunk) {
            *to = from ^ key;
        }
        crc.update(decoded.get(..chunk.len())?);
    }
    let carried: [u8; 4] = tail.get(end..)?.first_chunk().copied()?;
    Some((u32::from_le_bytes(carried.map(|byte| byte ^ key)), crc.sum()))
}

/// Whether a datagram is a probe or a probe reply.
pub(super) fn is_nat(datagram: &[u8]) -> bool {
    (datagram.len() == PROBE_LEN && datagram.starts_with(&PROBE)) || (datagram.len() == REPLY_LEN && datagram.starts_with(&REPLY))
}

/// Dissects a probe or a probe reply.
pub(super) fn nat(wire: &mut Wire<'_>) -> Result {
    let is_probe = wire.ahead().starts_with(b"SC01");
    wire.name(if is_probe { "nat_probe" } else { "nat_reply" });
    wire.text(&NAT_MAGIC, 4)?;
    if is_probe {
        wire.bytes(&NAT_CONSTANT, 8)?;
        let stage = wire.u32_le(&NAT_STAGE)?;
        let port = wire.u16_be(&NAT_LOCAL_PORT)?;
        wire.info(format_args!("stage {stage} from port {port}"));
        return Ok(());
    }
    let ip = wire.u32_le(&NAT_IP)?;
    let port = wire.u16_le(&NAT_PORT)?;
    wire.info(format_args!("{}:{port}", std::net::Ipv4Addr::from_bits(ip)));
    Ok(())
}

/// Dissects a datagram between clients.
pub(super) fn datagram(wire: &mut Wire<'_>, from: Side, peers: &mut Peers) -> Result {
    let all = wire.ahead();
    let key = wire.u8(&P2P_ENCODING)?;
    reserved(wire, 3)?;
    let moniker = wire.bytes(&P2P_MONIKER, MONIKER)?;
    let Peers { users, files, .. } = peers;
    let user = users.iter().find(|(known, _)| known == moniker).map(|(_, name)| &**name);
    if let Some(name) = user {
        wire.add_text(&P2P_USER, format_args!("{name}"));
    }
    let kind = wire.u32_le(&P2P_TYPE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("datagram"));
    let id = wire.u32_le(&P2P_MSGID)?;
    wire.u32_le(&P2P_SEQID)?;
    let len = wire.u32_le(&P2P_DATA_LEN)? as usize;
    reserved(wire, 4)?;
    match user {
        Some(name) => wire.info(format_args!("#{id} from {name}")),
        None => wire.info(format_args!("#{id}")),
    }
    if kind != DATA32 && kind != DATA16 {
        return Ok(());
    }
    let tail = all.get(P2P_HEADER..).unwrap_or_default();
    let whole = len.saturating_add(AROUND);
    if tail.len() < whole {
        wire.note_ahead(&TRUNCATED, format_args!("{} of {whole} bytes after the header", tail.len()));
    }
    let check = checks(tail, key, len);
    let is_right = check.is_some_and(|(carried, expected)| carried == expected);
    let sent = is_right.then_some(Sent { from, files });
    let count = whole.min(tail.len());
    if key == 0 {
        return inside(wire, len, kind, check, sent);
    }
    let tail = tail.get(..count).unwrap_or_default();
    let decoded: Vec<u8> = tail.iter().map(|byte| byte ^ key).collect();
    let start = wire.at();
    wire.put(&P2P_ENCODED, Value::Bytes, start..start + count);
    wire.derived("xor", count, &decoded, |wire| inside(wire, len, kind, check, sent))
}

fn reserved(wire: &mut Wire<'_>, count: usize) -> Result {
    let bytes = wire.bytes(&P2P_RESERVED, count)?;
    if bytes.iter().any(|byte| *byte != 0) {
        wire.note(&RESERVED, format_args!("the bytes are not zero"));
    }
    Ok(())
}

/// Dissects the decoded bytes after the header.
fn inside(wire: &mut Wire<'_>, len: usize, kind: u32, check: Option<(u32, u32)>, sent: Option<Sent<'_>>) -> Result {
    wire.bytes(&P2P_UNKNOWN, 4)?;
    wire.group(&P2P_DATA, |wire| {
        wire.within(len, &UNPARSED, |wire| {
            let read = if kind == DATA32 { file_message(wire, len, sent) } else { chat_message(wire, len) };
            if read == Err(Error::Malformed) {
                return wire.rest_is(&UNPARSED);
            }
            read
        })
    })?;
    let category = wire.ahead().get(..CATEGORY).unwrap_or(wire.ahead());
    let len = memchr::memchr(0, category).unwrap_or(category.len());
    wire.text(&P2P_CATEGORY, len)?;
    wire.bytes(&P2P_PADDING, CATEGORY - len)?;
    wire.u32_le(&P2P_CRC)?;
    if let Some((carried, expected)) = check
        && carried != expected
    {
        wire.note(&BAD_CRC, format_args!("the expected checksum is {expected:#010x}"));
    }
    Ok(())
}

fn chat_message(wire: &mut Wire<'_>, len: usize) -> Result {
    need(wire, HEADER)?;
    let length = wire.u16_le(&LENGTH)?;
    check_length(wire, length.into(), len);
    body(wire, None, &mut State::default(), None)
}

pub(super) fn file_message(wire: &mut Wire<'_>, len: usize, sent: Option<Sent<'_>>) -> Result {
    need(wire, DL_HEADER)?;
    let length = wire.u32_le(&DL_LENGTH)?;
    check_length(wire, length as usize, len);
    body(wire, None, &mut State::default(), sent)
}

fn check_length(wire: &mut Wire<'_>, length: usize, len: usize) {
    if length != len {
        wire.note(&BAD_LENGTH, format_args!("{length} bytes declared, {len} present"));
    }
}
