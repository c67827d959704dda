//! Hazel Networking: reliable messages over UDP, used by Among Us.
//!
//! ```text
//! packet      type:1 | nonce:2, big-endian | body
//!   0 unreliable      message …                           without nonce
//!   1 reliable        nonce | message …
//!   8 hello           nonce | version:1 | data
//!   9 disconnect      reason given:1 | message            without nonce, all optional
//!   10 acknowledge    nonce | earlier packets received:1
//!   12 ping           nonce
//! message     length:2, little-endian | tag:1 | payload
//! ```
//! A conversation is recognized by the hello of Among Us; on UDP port 22023 also later.
//! Not covered: fragments, payloads.

use crate::tree::{Names, NodeRef, Side, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};
use std::fmt;

pub static PROTOCOL: Protocol = Protocol::new(&HAZEL, FIELDS)
    .found(&[
        On::Udp(PORT).exchange::<Session>(Heuristic::InContext(|bytes, context| context.has_port(PORT) && is_packet(bytes))),
        On::AnyUdp.exchange::<Session>(Heuristic::Datagram(is_hello)),
    ])
    .rest(&DATA);

const PORT: u16 = 22023;

/// The place of payloads.
const PLACE: &str = "hazel";

fields! {
    HAZEL = protocol("hazel", "Hazel", "Hazel Networking")
        .covers("Packets and the messages in them; payloads for protocols over `hazel`")
        .leaves_open("Fragments, payloads");
    TYPE = number("hazel.type", "type", "").names(TYPES).once();
    NONCE = number("hazel.nonce", "nonce", "Number of the packet").once();
    VERSION = number("hazel.version", "version", "").once();
    HELLO = bytes("hazel.hello", "hello data", "Data of the application").once();
    RECEIVED = number("hazel.received", "received", "A bit for each of the eight packets before, the latest lowest").hex(2).once();
    HAS_REASON = bool("hazel.disconnect.has_reason", "reason follows", "").once();
    MESSAGE = group("hazel.message", "message", "").named(message_title, title::nothing, title::nothing);
    LENGTH = number("hazel.message.length", "length", "Bytes of the payload").once_per(&MESSAGE);
    TAG = number("hazel.message.tag", "tag", "").once_per(&MESSAGE);
    PAYLOAD = bytes("hazel.message.payload", "payload", "").once_per(&MESSAGE);
    DATA = bytes("hazel.data", "data", "Undissected bytes").once();
}

const TYPES: Names =
    &[(0, "Unreliable"), (1, "Reliable"), (8, "Hello"), (9, "Disconnect"), (10, "Acknowledge"), (11, "Fragment"), (12, "Ping")];

/// Whether the bytes are whole messages.
fn are_messages(mut bytes: &[u8]) -> bool {
    while let Some(&[low, high, _]) = bytes.first_chunk() {
        let Some(rest) = bytes.get(3 + usize::from(u16::from_le_bytes([low, high]))..) else { return false };
        bytes = rest;
    }
    bytes.is_empty()
}

fn is_packet(bytes: &[u8]) -> bool {
    match bytes {
        [0, messages @ ..] => !messages.is_empty() && are_messages(messages),
        [1, _, _, messages @ ..] => are_messages(messages),
        [8, rest @ ..] => rest.len() > 2,
        [9] | [10, _, _, _] | [12, _, _] => true,
        [9, 0 | 1, messages @ ..] => are_messages(messages),
        _ => false,
    }
}

/// Whether a packet is the first one of a client of Among Us: version 0 of Hazel, the version of the game, a name.
fn is_hello(bytes: &[u8]) -> bool {
    let Some((&[8, 0, 1, 0, _, _, _, 3, length], rest)) = bytes.split_first_chunk::<9>() else { return false };
    let is_name = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| !name.chars().any(char::is_control));
    (1..=40).contains(&length) && rest.get(..usize::from(length)).is_some_and(is_name)
}

/// State of a conversation.
#[derive(Default)]
struct Session {
    is_open: bool,
}

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        self.is_open = true;
        packet(wire)
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.is_open && is_packet(bytes)
    }
}

fn packet(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u8(&TYPE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    if !matches!(kind, 0 | 9) {
        let nonce = wire.u16_be(&NONCE)?;
        wire.info(format_args!("nonce {nonce}"));
    }
    match kind {
        0 | 1 => messages(wire)?,
        8 => {
            wire.u8(&VERSION)?;
            wire.rest(&HELLO);
        }
        9 if wire.remaining() > 0 => {
            wire.bool(&HAS_REASON)?;
            messages(wire)?;
        }
        10 if wire.remaining() > 0 => drop(wire.u8(&RECEIVED)?),
        _ => {}
    }
    wire.rest_is(&DATA)
}

fn messages(wire: &mut Wire<'_>) -> Result {
    wire.groups(&MESSAGE, |wire| {
        let length = usize::from(wire.u16_le(&LENGTH)?);
        wire.u8(&TAG)?;
        if length > 0 {
            let range = wire.at()..wire.at() + length;
            wire.bytes(&PAYLOAD, length)?;
            wire.offer(PLACE, range);
        }
        Ok(())
    })
}

/// The tag of a message.
fn message_title(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let tag = node.child(&TAG).and_then(NodeRef::number);
    tag.map_or(Ok(()), |tag| write!(out, "message {tag}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const PACKETS: [&[u8]; 7] = [
        b"\x08\0\x01\0\x80\xd9\x02\x03\x06falken",
        b"\x0a\0\x01\xff",
        b"\x01\0\x02\x04\0\x01\x20\0\0\x40\0\0\x07",
        b"\0\x03\0\x05abc",
        b"\x0c\0\x03",
        b"\x09\x01\x01\0\0\x05",
        b"\x09",
    ];

    #[test]
    fn packets_are_dissected() {
        insta::assert_snapshot!(PACKETS.map(|bytes| trial::read(&PROTOCOL, bytes, Cut::No, packet)).concat(), @"
        hazel 0..15 | Hello | nonce 1
          0..1 hazel.type = 8 (Hello)
          1..3 hazel.nonce = 1
          3..4 hazel.version = 0
          4..15 hazel.hello = 80d902030666616c6b656e
        hazel 0..4 | Acknowledge | nonce 1
          0..1 hazel.type = 10 (Acknowledge)
          1..3 hazel.nonce = 1
          3..4 hazel.received = 0xff
        hazel 0..13 | Reliable | nonce 2
          0..1 hazel.type = 1 (Reliable)
          1..3 hazel.nonce = 2
          3..10 hazel.message
            3..5 hazel.message.length = 4
            5..6 hazel.message.tag = 1
            6..10 hazel.message.payload = 20000040
          10..13 hazel.message
            10..12 hazel.message.length = 0
            12..13 hazel.message.tag = 7
        hazel 0..7 | Unreliable
          0..1 hazel.type = 0 (Unreliable)
          1..7 hazel.message
            1..3 hazel.message.length = 3
            3..4 hazel.message.tag = 5
            4..7 hazel.message.payload = 616263
        hazel 0..3 | Ping | nonce 3
          0..1 hazel.type = 12 (Ping)
          1..3 hazel.nonce = 3
        hazel 0..6 | Disconnect
          0..1 hazel.type = 9 (Disconnect)
          1..2 hazel.disconnect.has_reason = true
          2..6 hazel.message
            2..4 hazel.message.length = 1
            4..5 hazel.message.tag = 0
            5..6 hazel.message.payload = 05
        hazel 0..1 | Disconnect
          0..1 hazel.type = 9 (Disconnect)
        ");
    }

    #[test]
    fn a_hello_opens_a_conversation() {
        let mut session = Session::default();
        for bytes in PACKETS {
            assert_eq!(is_hello(bytes), bytes == PACKETS[0]);
            assert!(is_packet(bytes) && !session.claims(Side::Client, bytes), "{bytes:?}");
        }
        trial::read(&PROTOCOL, PACKETS[0], Cut::No, |wire| session.message(Side::Client, wire));
        assert!(PACKETS.iter().all(|bytes| session.claims(Side::Server, bytes)));
        for other in
            [&b"\0"[..], b"\0\x04\0\x05abc", b"\x01\0", b"\x0c\0", b"\x05abc", b"", b"\x08\0\x01\0\x80\xd9\x02\x03\x06falk\n."]
        {
            assert!(!is_hello(other) && (other.first() == Some(&8) || !is_packet(other)), "{other:?}");
        }
    }

    #[test]
    fn damaged_packets_are_dissected() {
        PACKETS.iter().for_each(|bytes| trial::survives_damage(&PROTOCOL, bytes, packet));
    }
}
