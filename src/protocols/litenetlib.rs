//! LiteNetLib 0.9 and 1: reliable messages over UDP, used by many games made with Unity.
//!
//! Numbers are little-endian.
//!
//! ```text
//! packet      fragmented:1 bit | connection:2 | property:5 | body
//!   0 unreliable        payload
//!   1 channeled         number:2 | channel:1 | fragment:2, part:2, parts:2, if fragmented | payload
//!   2 ack               number:2 | channel:1 | bits
//!   3 ping              number:2                          4 pong            number:2 | time:8
//!   5 connect request   protocol:4 | time:8 | peer ID:4, newer ones | length:1 | address | data
//!   6 connect accept    time:8 | connection:1 | reused:1 | peer ID:4, newer ones
//!   7 disconnect        time:8 | data
//!   9 MTU check         size:4 | padding | size:4         10 MTU OK         the same
//!   12 merged           (length:2 | packet) …
//! ```
//! A conversation is recognized by its connect request.
//! Not covered: version 2, encryption and checksum layers.

use crate::flow::delivery::{Added, COUNT_MAX, EvictedMessage, Part, ReassemblyTable};
use crate::tree::{BySide, Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&LITENETLIB, FIELDS).found(&[On::AnyUdp.exchange::<Session>(Heuristic::Datagram(recognize))]).rest(&DATA);

/// The place of payloads.
const PLACE: &str = "litenetlib";

/// Reassembly method, as shown to the user.
const PARTS: &str = "litenetlib parts";

fields! {
    LITENETLIB = protocol("litenetlib", "LiteNetLib", "LiteNetLib reliable UDP")
        .covers("Headers of all packets, merged ones included; fragments joined; payloads for protocols over `litenetlib`")
        .leaves_open("Version 2, encryption and checksum layers");
    FLAGS = number("litenetlib.flags", "flags", "").hex(2);
    IS_FRAGMENTED = bool("litenetlib.fragmented", "fragmented", "").mask(0x80);
    CONNECTION = number("litenetlib.connection", "connection number", "").mask(0x60);
    PROPERTY = number("litenetlib.property", "property", "").names(PROPERTIES).mask(0x1f);
    NUMBER = number("litenetlib.sequence", "sequence number", "");
    CHANNEL = number("litenetlib.channel", "channel", "Channel and way of delivery");
    FRAGMENT = number("litenetlib.fragment.id", "fragment ID", "");
    PART = number("litenetlib.fragment.part", "part", "Counted from 0");
    COUNT = number("litenetlib.fragment.total", "parts", "");
    COMPLETES = number("litenetlib.fragment.completes", "parts joined", "Number of parts of the payload that this one completes");
    PAYLOAD = bytes("litenetlib.payload", "payload", "");
    ACKS = bytes("litenetlib.acks", "acknowledged", "A bit for each packet of the window");
    TIME = number("litenetlib.time", "time", "Ticks of 100 ns");
    PROTOCOL_ID = number("litenetlib.protocol_id", "protocol ID", "");
    PEER = number("litenetlib.peer_id", "peer ID", "");
    ADDRESS_LENGTH = number("litenetlib.address_length", "address length", "In bytes");
    ADDRESS = bytes("litenetlib.address", "address", "Socket address of the server");
    CONNECTION_NUMBER = number("litenetlib.connection_number", "connection number", "");
    REUSED = bool("litenetlib.reused", "reused peer", "");
    MTU = number("litenetlib.mtu", "MTU", "In bytes");
    LENGTH = number("litenetlib.merged.length", "length", "In bytes");
    MERGED = group("litenetlib.merged", "merged packet", "");
    DATA = bytes("litenetlib.data", "data", "Data of the application, padding or undissected bytes");
    BAD_PART = odd("litenetlib.bad_part", "bad part", "Part number that is not below the number of parts, or too many parts");
    CONFLICT = odd("litenetlib.part_conflict", "part conflict", "A part differs from an earlier one with its number");
    INCOMPLETE = odd("litenetlib.parts_missing", "parts missing", "Reassembly of a payload ended before all parts arrived");
}

const PROPERTIES: Names = &[
    (0, "Unreliable"),
    (1, "Channeled"),
    (2, "Ack"),
    (3, "Ping"),
    (4, "Pong"),
    (5, "ConnectRequest"),
    (6, "ConnectAccept"),
    (7, "Disconnect"),
    (8, "UnconnectedMessage"),
    (9, "MtuCheck"),
    (10, "MtuOk"),
    (11, "Broadcast"),
    (12, "Merged"),
    (13, "ShutdownOk"),
    (14, "PeerNotFound"),
    (15, "InvalidProtocol"),
    (16, "NatMessage"),
    (17, "Empty"),
];

const CONNECT_REQUEST: u8 = 5;
const MERGED_PACKET: u8 = 12;
const LAST_PROPERTY: u8 = 17;
const PROPERTY_MASK: u8 = 0x1f;
const FRAGMENTED: u8 = 0x80;
/// Smallest size of each packet in bytes, by property.
const SIZES: [usize; 18] = [1, 4, 4, 3, 11, 14, 11, 9, 1, 9, 9, 1, 4, 1, 1, 1, 1, 1];
/// Numbers of the protocol in versions 0.9 to 1.
const PROTOCOLS: std::ops::RangeInclusive<u32> = 9..=13;
/// Places of the length of the address in a connect request, without and with a peer ID.
const ADDRESS_AT: [usize; 2] = [13, 17];

/// Offset of the address length in a connect request: a socket address of its family follows.
fn address_at(bytes: &[u8]) -> Option<usize> {
    let is_address = |at: &usize| match bytes.get(*at..) {
        Some([16, 2, 0, rest @ ..]) => rest.len() >= 14,
        Some([28, 10 | 23, 0, rest @ ..]) => rest.len() >= 26,
        _ => false,
    };
    ADDRESS_AT.into_iter().find(is_address)
}

fn recognize(bytes: &[u8]) -> bool {
    let protocol = bytes.get(1..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word));
    let property = bytes.first().map(|first| first & !0x60);
    property == Some(CONNECT_REQUEST) && protocol.is_some_and(|id| PROTOCOLS.contains(&id)) && address_at(bytes).is_some()
}

fn is_packet(bytes: &[u8]) -> bool {
    let Some(first) = bytes.first() else { return false };
    let least = SIZES.get(usize::from(first & PROPERTY_MASK)).copied();
    let fragment = if first & FRAGMENTED == 0 { 0 } else { 6 };
    least.is_some_and(|least| bytes.len() >= least + fragment)
}

/// State of a conversation.
#[derive(Default)]
struct Session {
    is_open: bool,
    fragments: BySide<ReassemblyTable>,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.is_open |= recognize(wire.ahead());
        let property = wire.peek_u8().unwrap_or_default() & PROPERTY_MASK;
        wire.name(name_of(PROPERTIES, property.into()).unwrap_or("unknown property"));
        self.packet(from, wire)
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.is_open && is_packet(bytes)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.fragments.iter().map(ReassemblyTable::memory_usage).sum::<usize>()
    }
}

impl Session {
    fn packet(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let at = address_at(wire.ahead());
        let flags = wire.flags(&FLAGS, 1, &[&IS_FRAGMENTED, &CONNECTION, &PROPERTY])?;
        let is_fragmented = IS_FRAGMENTED.bits_of(flags) != 0;
        match u8::try_from(PROPERTY.bits_of(flags)).unwrap_or(LAST_PROPERTY) {
            0 => payload(wire),
            1 => {
                wire.u16_le(&NUMBER)?;
                let channel = wire.u8(&CHANNEL)?;
                if is_fragmented { self.fragment(from, channel, wire)? } else { payload(wire) }
            }
            2 => {
                wire.u16_le(&NUMBER)?;
                wire.u8(&CHANNEL)?;
                wire.rest(&ACKS);
            }
            property @ (3 | 4) => {
                wire.u16_le(&NUMBER)?;
                if property == 4 {
                    wire.i64_le(&TIME)?;
                }
            }
            CONNECT_REQUEST => connect_request(wire, at)?,
            6 => {
                wire.i64_le(&TIME)?;
                wire.u8(&CONNECTION_NUMBER)?;
                wire.bool(&REUSED)?;
                if wire.remaining() >= 4 {
                    wire.u32_le(&PEER)?;
                }
            }
            7 => drop(wire.i64_le(&TIME)?),
            9 | 10 => drop(wire.u32_le(&MTU)?),
            MERGED_PACKET => {
                wire.groups(&MERGED, |wire| {
                    let length = wire.u16_le(&LENGTH)?;
                    wire.within(length.into(), &DATA, |wire| self.packet(from, wire))
                })?;
            }
            _ => {}
        }
        wire.rest_is(&DATA)
    }

    /// Dissects a part of a payload, and offers the payload that it completes.
    fn fragment(&mut self, from: Side, channel: u8, wire: &mut Wire<'_>) -> Result {
        let id = wire.u16_le(&FRAGMENT)?;
        let (index, count) = (wire.u16_le(&PART)?, wire.u16_le(&COUNT)?);
        let (start, bytes) = (wire.at(), wire.rest(&PAYLOAD));
        if index >= count || u32::from(count) > COUNT_MAX {
            wire.note(&BAD_PART, format_args!("part {index} of {count}, counted from 0"));
            return Ok(());
        }
        let pieces = wire.pieces(start..start + bytes.len(), 0);
        let part = Part {
            id: u64::from(id) << 8 | u64::from(channel),
            count: count.into(),
            index: index.into(),
            bytes,
            pieces: &pieces,
        };
        let on_evict = |evicted: EvictedMessage, _| {
            wire.note_layer(&INCOMPLETE, format_args!("{} of {} parts received", evicted.received, evicted.count))
        };
        match self.fragments[from].add(part, on_evict) {
            Added::Incomplete | Added::Duplicate => {}
            Added::Conflict => wire.note(&CONFLICT, format_args!("part {index} was received before with other bytes")),
            Added::Complete(joined) => {
                wire.add(&COMPLETES, Value::Unsigned(count.into()));
                let whole = 0..joined.bytes.len();
                wire.joined(PARTS, &joined.pieces, &joined.bytes, |inner| inner.offer(PLACE, whole));
            }
        }
        Ok(())
    }
}

/// Dissects a payload, which is offered to other protocols.
fn payload(wire: &mut Wire<'_>) {
    let start = wire.at();
    let length = wire.rest(&PAYLOAD).len();
    if length > 0 {
        wire.offer(PLACE, start..start + length);
    }
}

fn connect_request(wire: &mut Wire<'_>, address_at: Option<usize>) -> Result {
    let protocol = wire.u32_le(&PROTOCOL_ID)?;
    wire.info(format_args!("protocol {protocol}"));
    wire.i64_le(&TIME)?;
    let [_, with_peer] = ADDRESS_AT;
    if address_at == Some(with_peer) {
        wire.u32_le(&PEER)?;
    }
    wire.counted(Wire::u8, &ADDRESS_LENGTH, &ADDRESS).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const CONNECTS: &str = "05 0b000000 0102030405060708 10 0200 2383 cb007150 0000000000000000 0400 6b657931";
    const CONNECTS_NEWER: &str = "05 0d000000 0102030405060708 07000000 10 0200 2383 cb007150 0000000000000000";
    const PACKETS: [&str; 10] = [
        "06 0102030405060708 00 00",
        "06 0102030405060708 00 01 07000000",
        "01 0100 02 68656c6c6f",
        "02 0100 02 0100",
        "03 0200",
        "04 0200 0102030405060708",
        "0c 0400 00616263 0300 030300",
        "00 6869",
        "07 0102030405060708 627965",
        "09 dc050000 00000000 dc050000",
    ];
    const PARTS_OF: [&str; 2] = ["81 0200 02 0100 0100 0200 6c6f", "81 0300 02 0100 0000 0200 68656c"];

    fn read(session: &mut Session, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| session.message(Side::Client, wire))
    }

    #[test]
    fn packets_are_dissected() {
        let mut session = Session::default();
        let connects = [CONNECTS, CONNECTS_NEWER].map(|hex| read(&mut session, hex)).concat();
        insta::assert_snapshot!(connects + &PACKETS.map(|hex| read(&mut session, hex)).concat(), @"
        litenetlib 0..36 | ConnectRequest | protocol 11
          0..1 litenetlib.flags = 0x05
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 5 (ConnectRequest)
          1..5 litenetlib.protocol_id = 11
          5..13 litenetlib.time = 578437695752307201
          13..14 litenetlib.address_length = 16
          14..30 litenetlib.address = 02002383cb0071500000000000000000
          30..36 litenetlib.data = 04006b657931
        litenetlib 0..34 | ConnectRequest | protocol 13
          0..1 litenetlib.flags = 0x05
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 5 (ConnectRequest)
          1..5 litenetlib.protocol_id = 13
          5..13 litenetlib.time = 578437695752307201
          13..17 litenetlib.peer_id = 7
          17..18 litenetlib.address_length = 16
          18..34 litenetlib.address = 02002383cb0071500000000000000000
        litenetlib 0..11 | ConnectAccept
          0..1 litenetlib.flags = 0x06
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 6 (ConnectAccept)
          1..9 litenetlib.time = 578437695752307201
          9..10 litenetlib.connection_number = 0
          10..11 litenetlib.reused = false
        litenetlib 0..15 | ConnectAccept
          0..1 litenetlib.flags = 0x06
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 6 (ConnectAccept)
          1..9 litenetlib.time = 578437695752307201
          9..10 litenetlib.connection_number = 0
          10..11 litenetlib.reused = true
          11..15 litenetlib.peer_id = 7
        litenetlib 0..9 | Channeled
          0..1 litenetlib.flags = 0x01
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 1 (Channeled)
          1..3 litenetlib.sequence = 1
          3..4 litenetlib.channel = 2
          4..9 litenetlib.payload = 68656c6c6f
        litenetlib 0..6 | Ack
          0..1 litenetlib.flags = 0x02
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 2 (Ack)
          1..3 litenetlib.sequence = 1
          3..4 litenetlib.channel = 2
          4..6 litenetlib.acks = 0100
        litenetlib 0..3 | Ping
          0..1 litenetlib.flags = 0x03
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 3 (Ping)
          1..3 litenetlib.sequence = 2
        litenetlib 0..11 | Pong
          0..1 litenetlib.flags = 0x04
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 4 (Pong)
          1..3 litenetlib.sequence = 2
          3..11 litenetlib.time = 578437695752307201
        litenetlib 0..12 | Merged
          0..1 litenetlib.flags = 0x0c
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 12 (Merged)
          1..7 litenetlib.merged
            1..3 litenetlib.merged.length = 4
            3..4 litenetlib.flags = 0x00
              3..4 litenetlib.fragmented = false
              3..4 litenetlib.connection = 0
              3..4 litenetlib.property = 0 (Unreliable)
            4..7 litenetlib.payload = 616263
          7..12 litenetlib.merged
            7..9 litenetlib.merged.length = 3
            9..10 litenetlib.flags = 0x03
              9..10 litenetlib.fragmented = false
              9..10 litenetlib.connection = 0
              9..10 litenetlib.property = 3 (Ping)
            10..12 litenetlib.sequence = 3
        litenetlib 0..3 | Unreliable
          0..1 litenetlib.flags = 0x00
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 0 (Unreliable)
          1..3 litenetlib.payload = 6869
        litenetlib 0..12 | Disconnect
          0..1 litenetlib.flags = 0x07
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 7 (Disconnect)
          1..9 litenetlib.time = 578437695752307201
          9..12 litenetlib.data = 627965
        litenetlib 0..13 | MtuCheck
          0..1 litenetlib.flags = 0x09
            0..1 litenetlib.fragmented = false
            0..1 litenetlib.connection = 0
            0..1 litenetlib.property = 9 (MtuCheck)
          1..5 litenetlib.mtu = 1500
          5..13 litenetlib.data = 00000000dc050000
        ");
    }

    #[test]
    fn parts_are_joined() {
        let mut session = Session::default();
        let [first, second] = PARTS_OF.map(|hex| read(&mut session, hex));
        assert!(
            !first.contains("litenetlib.fragment.completes") && second.contains("litenetlib.fragment.completes = 2"),
            "{second}"
        );
        assert!(read(&mut session, "81 0200 02 0100 0200 0200 6c6f").contains("litenetlib.bad_part"));
    }

    #[test]
    fn a_conversation_is_recognized_by_its_connect_request() {
        let mut session = Session::default();
        let packets = PACKETS.map(trial::bytes);
        assert!([CONNECTS, CONNECTS_NEWER].iter().all(|hex| recognize(&trial::bytes(hex))));
        assert!(packets.iter().all(|bytes| !recognize(bytes) && is_packet(bytes) && !session.claims(Side::Client, bytes)));
        read(&mut session, CONNECTS);
        assert!(packets.iter().all(|bytes| session.claims(Side::Server, bytes)));
        for other in [CONNECTS.replacen("0b", "20", 1), CONNECTS.replacen("0200", "0300", 1), "05 0b000000".to_owned()] {
            assert!(!recognize(&trial::bytes(&other)), "{other}");
        }
        assert!(!session.claims(Side::Client, b"\x1f") && !session.claims(Side::Client, b"\x81\0\0\0"));
    }

    #[test]
    fn damaged_packets_are_dissected() {
        for hex in [CONNECTS, CONNECTS_NEWER].iter().chain(&PACKETS).chain(&PARTS_OF) {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), |wire| Session::default().message(Side::Client, wire));
        }
        // Merged packets in merged packets end somewhere.
        let nested = (0..300).fold(trial::bytes("030300"), |inner, _| {
            [&[12][..], &u16::try_from(inner.len()).unwrap().to_le_bytes(), &inner].concat()
        });
        let dump = trial::read(&PROTOCOL, &nested, Cut::No, |wire| Session::default().message(Side::Client, wire));
        assert!(dump.contains("dissect.deep"));
    }
}
