//! STUN (RFC 8489) and TURN (RFC 8656): discovery of public addresses, and relaying.
//!
//! Integers are big-endian.
//!
//! ```text
//! 00 type:14 | length:2 | magic cookie:4 (21 12 a4 42) | transaction ID:12 | attribute …
//! attribute     type:2 | length:2 | value, padded to 4 bytes
//! channel data  channel number:2 (4000 to 4fff) | length:2 | data                  a datagram relayed by a TURN server
//! ```
//! Over TCP, messages follow each other and channel data is padded to 4 bytes. With ICE (RFC 6544), each message and each packet
//! of another protocol has a length prefix (RFC 4571).
//!
//! XOR addresses are shown decoded: they are XORed with the magic cookie, for IPv6 also with the transaction ID.
//! Not covered: messages of RFC 3489, which have no magic cookie.

mod stream;
#[cfg(test)]
mod tests;

use super::{dtls, rtcp};
use crate::tree::{Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

pub static PROTOCOL: Protocol = Protocol::new(&STUN, FIELDS)
    .found(&[
        On::AnyUdp.exchange::<Transactions>(Heuristic::Datagram(recognize)),
        On::AnyTcp.stream::<stream::Stream>(Heuristic::Stream(stream::recognize)),
    ])
    .rest(&VALUE);

fields! {
    STUN = protocol("stun", "STUN", "Session Traversal Utilities for NAT")
        .covers("STUN and TURN messages, their attributes with decoded addresses, channel data; responses matched with their requests")
        .leaves_open("Messages without a magic cookie");
    FRAME_LENGTH = number("stun.tcp_frame_length", "TCP frame length", "Bytes of the STUN message").once();
    TYPE = number("stun.type", "Message type", "").hex(4).once();
    CLASS = number("stun.type.class", "Message class", "").hex(4).mask(0x0110).names(CLASSES).once();
    METHOD = number("stun.type.method", "Message method", "").hex(4).mask(0x3eef).names(METHODS).once();
    LENGTH = number("stun.length", "Message length", "Bytes after the header").once();
    COOKIE = bytes("stun.cookie", "Message cookie", "Always 0x2112a442").once();
    ID = bytes("stun.id", "Message transaction ID", "Copied into the response").once();
    CHANNEL = number("stun.channel", "Channel number", "TURN channel bound to a peer").hex(4).once();
    ATTRIBUTE = number("stun.attribute", "Attribute", "").hex(4).names(ATTRIBUTES);
    ATT_TYPE = number("stun.att.type", "Attribute type", "").hex(4).names(ATTRIBUTES);
    ATT_LENGTH = number("stun.att.length", "Attribute length", "In bytes");
    PADDING = number("stun.att.padding", "Padding", "Bytes up to a multiple of 4");
    RESERVED = bytes("stun.att.reserved", "Reserved", "Must be zero");
    FAMILY = number("stun.att.family", "Protocol family", "").hex(2).names(FAMILIES);
    PORT = number("stun.att.port", "Port", "");
    PORT_XOR = bytes("stun.att.port-xord", "Port (XOR-d)", "As transmitted");
    IPV4 = ipv4("stun.att.ipv4", "IP", "");
    IPV4_XOR = bytes("stun.att.ipv4-xord", "IP (XOR-d)", "As transmitted");
    IPV6 = ipv6("stun.att.ipv6", "IP", "");
    IPV6_XOR = bytes("stun.att.ipv6-xord", "IP (XOR-d)", "As transmitted");
    USERNAME = text("stun.att.username", "Username", "");
    HMAC = bytes("stun.att.hmac", "HMAC-SHA1", "MESSAGE-INTEGRITY");
    CRC = number("stun.att.crc32", "CRC-32", "FINGERPRINT: CRC-32 of the message, XOR 0x5354554e").hex(8);
    ERROR_CLASS = number("stun.att.error.class", "Error class", "Hundreds digit of the error code").mask(0x07);
    ERROR = number("stun.att.error", "Error code", "Error code modulo 100");
    ERROR_REASON = text("stun.att.error.reason", "Error reason phrase", "");
    REALM = text("stun.att.realm", "Realm", "Realm of the long-term credential");
    NONCE = text("stun.att.nonce", "Nonce", "Copied into the next request");
    UNKNOWN = number("stun.att.unknown", "Unknown attribute", "Attribute type that the server does not know").hex(4).names(ATTRIBUTES);
    SOFTWARE = text("stun.att.software", "Software", "");
    PRIORITY = number("stun.att.priority", "Priority", "Priority of an ICE candidate");
    TIE_BREAKER = bytes("stun.att.tie-breaker", "Tie breaker", "Resolves conflicts of ICE roles");
    LIFETIME = number("stun.att.lifetime", "Lifetime", "In seconds");
    CHANGE = number("stun.att.change", "Change request", "RFC 3489").hex(8);
    CHANGE_IP = bool("stun.att.change-ip", "Change IP", "The response is to come from another address").mask(0x04);
    CHANGE_PORT = bool("stun.att.change-port", "Change port", "The response is to come from another port").mask(0x02);
    TRANSPORT = number("stun.att.transp", "Transport", "Relayed IP protocol").hex(2);
    CHANNEL_NUMBER = number("stun.att.channelnum", "Channel number", "TURN channel bound to a peer").hex(4);
    RESERVE_NEXT = number("stun.att.even-port.reserve-next", "Reserve next", "Whether the next port is to be reserved as well").mask(0x80);
    TOKEN = bytes("stun.att.token", "Token", "Reservation token of a relayed port");
    VALUE = bytes("stun.value", "Value", "Undissected bytes");
    RESPONSE_TO = number("stun.response-to", "Request in", "Frame of the request").once();
    TIME = float("stun.time", "Time", "Seconds since the request").seconds().once();
    WRONG_LENGTH = odd("stun.wrong_msglen", "wrong message length", "Message length that is not a multiple of 4 bytes");
}

const CLASSES: Names = &[(0x00, "request"), (0x01, "indication"), (0x10, "success"), (0x11, "error")];
const METHODS: Names = &[
    (0x0001, "binding"),
    (0x0002, "shared secret"),
    (0x0003, "allocate"),
    (0x0004, "refresh"),
    (0x0006, "send"),
    (0x0007, "data"),
    (0x0008, "create permission"),
    (0x0009, "channel bind"),
    (0x000a, "connect"),
    (0x000b, "connection bind"),
    (0x000c, "connection attempt"),
];
const FAMILIES: Names = &[(1, "IPv4"), (2, "IPv6")];
const ATTRIBUTES: Names = &[
    (0x0001, "MAPPED-ADDRESS"),
    (0x0002, "RESPONSE-ADDRESS"),
    (0x0003, "CHANGE-REQUEST"),
    (0x0004, "SOURCE-ADDRESS"),
    (0x0005, "CHANGED-ADDRESS"),
    (0x0006, "USERNAME"),
    (0x0007, "PASSWORD"),
    (0x0008, "MESSAGE-INTEGRITY"),
    (0x0009, "ERROR-CODE"),
    (0x000a, "UNKNOWN-ATTRIBUTES"),
    (0x000b, "REFLECTED-FROM"),
    (0x000c, "CHANNEL-NUMBER"),
    (0x000d, "LIFETIME"),
    (0x0012, "XOR-PEER-ADDRESS"),
    (0x0013, "DATA"),
    (0x0014, "REALM"),
    (0x0015, "NONCE"),
    (0x0016, "XOR-RELAYED-ADDRESS"),
    (0x0017, "REQUESTED-ADDRESS-FAMILY"),
    (0x0018, "EVEN-PORT"),
    (0x0019, "REQUESTED-TRANSPORT"),
    (0x001a, "DONT-FRAGMENT"),
    (0x001c, "MESSAGE-INTEGRITY-SHA256"),
    (0x001d, "PASSWORD-ALGORITHM"),
    (0x001e, "USERHASH"),
    (0x0020, "XOR-MAPPED-ADDRESS"),
    (0x0022, "RESERVATION-TOKEN"),
    (0x0024, "PRIORITY"),
    (0x0025, "USE-CANDIDATE"),
    (0x0026, "PADDING"),
    (0x0027, "RESPONSE-PORT"),
    (0x8002, "PASSWORD-ALGORITHMS"),
    (0x8003, "ALTERNATE-DOMAIN"),
    (0x8022, "SOFTWARE"),
    (0x8023, "ALTERNATE-SERVER"),
    (0x8027, "CACHE-TIMEOUT"),
    (0x8028, "FINGERPRINT"),
    (0x8029, "ICE-CONTROLLED"),
    (0x802a, "ICE-CONTROLLING"),
    (0x802b, "RESPONSE-ORIGIN"),
    (0x802c, "OTHER-ADDRESS"),
    (0xc057, "GOOG-NETWORK-INFO"),
];

/// Name of the handover of relayed data.
pub(super) const RELAYED: &str = "stun.relayed";

const MAGIC: [u8; 4] = [0x21, 0x12, 0xa4, 0x42];
const HEADER: usize = 20;
const REQUEST: u64 = 0x00;
const INDICATION: u64 = 0x01;
const SUCCESS: u64 = 0x10;
const CHANNEL_BIND: u64 = 0x0009;

/// Recognizes a message of exactly this size. Channel data is recognized by its conversation only.
fn recognize(bytes: &[u8]) -> bool {
    let Some([kind, _, high, low, cookie @ ..]) = bytes.first_chunk::<8>() else { return false };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    *kind < 0x40 && *cookie == MAGIC && length + HEADER == bytes.len()
}

/// Pending requests and channels of one conversation.
#[derive(Default)]
struct Transactions {
    requests: Requests<[u8; 12]>,
    /// Bound channels, up to a limit.
    channels: Vec<u16>,
    /// Whether a server confirmed a channel binding whose request is missing.
    has_unknown: bool,
}

/// Maximum number of channels per conversation.
const MAX_CHANNELS: usize = 64;

impl Exchange for Transactions {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().first().is_some_and(|first| first & 0xc0 == 0x40) {
            return channel(wire);
        }
        let kind = wire.flags(&TYPE, 2, &[&CLASS, &METHOD])?;
        let class = CLASS.bits_of(kind);
        wire.name(name_of(METHODS, METHOD.bits_of(kind)).unwrap_or("unknown method"));
        let length = usize::from(wire.u16_be(&LENGTH)?);
        if length % 4 != 0 {
            wire.note(&WRONG_LENGTH, format_args!("the message length {length} is not a multiple of 4 bytes"));
        }
        wire.bytes(&COOKIE, MAGIC.len())?;
        let id = wire.bytes(&ID, 12)?.first_chunk().copied().unwrap_or_default();
        let mut address = None;
        let class_name = name_of(CLASSES, class).unwrap_or_default();
        let result = wire.within(length, &VALUE, |wire| {
            wire.each(|wire| {
                let kind = wire.ahead().first_chunk().map_or(0, |kind| u16::from_be_bytes(*kind));
                wire.parent(&ATTRIBUTE, Value::Unsigned(kind.into()), |wire| self.attribute(wire, &id, &mut address))
            })
        });
        match address {
            Some(address) => wire.info(format_args!("{class_name}, {address}")),
            None => wire.info(format_args!("{class_name}")),
        }
        match class {
            REQUEST => {
                self.requests.ask(id, wire);
            }
            INDICATION => {}
            _ => match self.requests.answer(&id) {
                Some(question) => question.put(wire, &RESPONSE_TO, &TIME),
                None => self.has_unknown |= class == SUCCESS && METHOD.bits_of(kind) == CHANNEL_BIND,
            },
        }
        result
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let Some([a, b, high, low]) = bytes.first_chunk() else { return false };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let fits = (length + 4..length + 8).contains(&bytes.len());
        let is_unknown = self.has_unknown && (0x40..=0x4f).contains(a);
        fits && (is_unknown || self.channels.contains(&u16::from_be_bytes([*a, *b])))
    }
}

/// Dissects channel data.
fn channel(wire: &mut Wire<'_>) -> Result {
    let number = wire.u16_be(&CHANNEL)?;
    let length = usize::from(wire.u16_be(&LENGTH)?);
    wire.name("channel data");
    wire.info(format_args!("channel {number:#06x}, {length} bytes"));
    relayed(wire, length);
    wire.rest_is(&VALUE)
}

/// Hands relayed data over to the protocols of a call.
fn relayed(wire: &mut Wire<'_>, length: usize) {
    let data = wire.ahead().get(..length).unwrap_or(wire.ahead());
    if !dtls::recognize(data) && !rtcp::recognize(data) {
        wire.embeds("data");
    }
    wire.offer(RELAYED, wire.at()..wire.at() + data.len());
}

/// Address with its port.
#[derive(Clone, Copy)]
enum Address {
    V4(Ipv4Addr, u16),
    V6(Ipv6Addr, u16),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::V4(ip, port) => write!(f, "{ip}:{port}"),
            Address::V6(ip, port) => write!(f, "[{ip}]:{port}"),
        }
    }
}

impl Transactions {
    fn attribute(&mut self, wire: &mut Wire<'_>, id: &[u8; 12], seen: &mut Option<Address>) -> Result {
        let kind = wire.u16_be(&ATT_TYPE)?;
        let length = usize::from(wire.u16_be(&ATT_LENGTH)?);
        wire.within(length, &VALUE, |wire| match kind {
            _ if length == 0 => Ok(()),
            0x0001 | 0x0002 | 0x0004 | 0x0005 | 0x000b | 0x8023 | 0x802b | 0x802c => plain_address(wire, seen),
            0x0012 | 0x0016 | 0x0020 => xor_address(wire, id, seen),
            0x0003 => wire.flags(&CHANGE, 4, &[&CHANGE_IP, &CHANGE_PORT]).map(drop),
            0x0006 => wire.rest_is(&USERNAME),
            0x0008 | 0x001c => wire.rest_is(&HMAC),
            0x0009 => {
                wire.bytes(&RESERVED, 2)?;
                wire.bits(1, &[&ERROR_CLASS])?;
                wire.u8(&ERROR)?;
                wire.rest_is(&ERROR_REASON)
            }
            0x000a => wire.each(|wire| wire.u16_be(&UNKNOWN)),
            0x000c => self.channel(wire),
            0x000d => wire.u32_be(&LIFETIME).map(drop),
            0x0013 => {
                relayed(wire, length);
                wire.rest_is(&VALUE)
            }
            0x0014 => wire.rest_is(&REALM),
            0x0015 => wire.rest_is(&NONCE),
            0x0017 => {
                wire.u8(&FAMILY)?;
                wire.rest_is(&RESERVED)
            }
            0x0018 => wire.bits(1, &[&RESERVE_NEXT]).map(drop),
            0x0019 => {
                wire.u8(&TRANSPORT)?;
                wire.rest_is(&RESERVED)
            }
            0x0022 => wire.rest_is(&TOKEN),
            0x0024 => wire.u32_be(&PRIORITY).map(drop),
            0x8022 => wire.rest_is(&SOFTWARE),
            0x8028 => wire.u32_be(&CRC).map(drop),
            0x8029 | 0x802a => wire.rest_is(&TIE_BREAKER),
            _ => wire.rest_is(&VALUE),
        })?;
        padding(wire, length)
    }

    /// The number of a channel, under which messages of the data follow.
    fn channel(&mut self, wire: &mut Wire<'_>) -> Result {
        let number = wire.u16_be(&CHANNEL_NUMBER)?;
        let is_new = !self.channels.contains(&number);
        if is_new && self.channels.len() < MAX_CHANNELS {
            self.channels.push(number);
        } else if is_new {
            wire.evicted(format_args!("channel {number:#06x} is one of more than {MAX_CHANNELS}"));
        }
        wire.rest_is(&RESERVED)
    }
}

/// The bytes up to a multiple of four.
fn padding(wire: &mut Wire<'_>, length: usize) -> Result {
    match (4 - length % 4) % 4 {
        _ if wire.remaining() == 0 => Ok(()),
        0 => Ok(()),
        padding => {
            let padding = padding.min(wire.remaining());
            wire.put(&PADDING, Value::Unsigned(padding as u64), wire.at()..wire.at() + padding);
            wire.skip(padding)
        }
    }
}

const V6: u8 = 2;

fn plain_address(wire: &mut Wire<'_>, seen: &mut Option<Address>) -> Result {
    wire.bytes(&RESERVED, 1)?;
    let family = wire.u8(&FAMILY)?;
    let port = wire.u16_be(&PORT)?;
    let found = if family == V6 {
        Address::V6(array::<16>(wire.bytes(&IPV6, 16)?).into(), port)
    } else {
        Address::V4(array::<4>(wire.bytes(&IPV4, 4)?).into(), port)
    };
    seen.get_or_insert(found);
    Ok(())
}

fn xor_address(wire: &mut Wire<'_>, id: &[u8; 12], seen: &mut Option<Address>) -> Result {
    wire.bytes(&RESERVED, 1)?;
    let family = wire.u8(&FAMILY)?;
    let mask: Vec<u8> = MAGIC.iter().chain(id).copied().collect();
    let at = wire.at();
    let port = u16::from_be_bytes(unmasked(wire.bytes(&PORT_XOR, 2)?, &mask));
    wire.put(&PORT, Value::Unsigned(port.into()), at..at + 2);
    let at = wire.at();
    let found = if family == V6 {
        let ip = unmasked::<16>(wire.ahead(), &mask);
        wire.put(&IPV6_XOR, Value::Bytes, at..at + 16);
        wire.derived("xor", 16, &ip, |wire| wire.bytes(&IPV6, 16).map(drop))?;
        let ip = Ipv6Addr::from(ip);
        Address::V6(ip, port)
    } else {
        let ip = Ipv4Addr::from(unmasked::<4>(wire.bytes(&IPV4_XOR, 4)?, &mask));
        wire.put(&IPV4, Value::Unsigned(u32::from(ip).into()), at..at + 4);
        Address::V4(ip, port)
    };
    *seen = Some(found);
    Ok(())
}

/// The first bytes, or zeros if there are fewer.
pub(super) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// The first bytes, XORed with a mask.
pub(super) fn unmasked<const N: usize>(bytes: &[u8], mask: &[u8]) -> [u8; N] {
    let mut plain_address = array(bytes);
    for (byte, mask) in plain_address.iter_mut().zip(mask) {
        *byte ^= mask;
    }
    plain_address
}
