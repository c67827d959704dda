//! Steam networking sockets (GameNetworkingSockets) over UDP without a relay: the messages that open and end a connection, and
//! headers of data packets.
//!
//! Numbers are little-endian. Messages are protobuf, with members in the order of their numbers.
//!
//! ```text
//! 32 challenge request   length:2 | message | zeros up to 512 bytes
//! 33 challenge reply     message
//! 34 connect request     length:2 | message | zeros up to 512 bytes
//! 35 connect OK, 36 connection closed, 37 no connection      message
//! 80 data                connection ID of the receiver:4 | sequence number:2 | encrypted
//! 81 data                the same, with length (varint) and a message of statistics before what is encrypted
//! ```
//! Facts: the public definition of the messages, `steamnetworkingsockets_messages_udp.proto`.
//!
//! Not covered: decryption; packets over relays (Steam Datagram Relay); names of members of certificates and statistics.

use super::protobuf;
use crate::tree::{Field, Names, Side, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&STEAM, FIELDS).found(&[On::AnyUdp.exchange::<Connection>(Heuristic::Datagram(recognize))]).rest(&DATA);

fields! {
    STEAM = protocol("steam_sockets", "Steam sockets", "Steam networking sockets")
        .covers("Messages that open and end a connection, headers of data packets")
        .leaves_open("Encrypted data, and packets over relays");
    TYPE = number("steam_sockets.type", "type", "").names(TYPES).once();
    LENGTH = number("steam_sockets.length", "length", "Of the message without padding, in bytes").once();
    KEY = number("steam_sockets.key", "member", "Field number and wire type");
    MEMBER_LENGTH = number("steam_sockets.member_length", "member length", "In bytes");
    CLIENT_ID = number("steam_sockets.client_connection_id", "client connection ID", "Chosen by the client").hex(8);
    SERVER_ID = number("steam_sockets.server_connection_id", "server connection ID", "Chosen by the server").hex(8);
    FROM_ID = number("steam_sockets.from_connection_id", "from connection ID", "Chosen by the sender").hex(8);
    TO_ID = number("steam_sockets.to_connection_id", "to connection ID", "Chosen by the receiver").hex(8);
    CHALLENGE = number("steam_sockets.challenge", "challenge", "Set by the server, returned by the client").hex(16);
    STEAM_ID = number("steam_sockets.steam_id", "Steam ID", "Of the sender");
    MY_TIMESTAMP = number("steam_sockets.my_timestamp", "my timestamp", "To be sent back");
    YOUR_TIMESTAMP = number("steam_sockets.your_timestamp", "your timestamp", "Echoed timestamp of the peer");
    PING = number("steam_sockets.ping_estimate", "ping estimate", "In milliseconds");
    DELAY = number("steam_sockets.delay", "delay", "Microseconds between request and reply");
    VERSION = number("steam_sockets.protocol_version", "protocol version", "");
    REASON = number("steam_sockets.reason_code", "reason code", "Why the connection was closed");
    DEBUG = text("steam_sockets.debug", "debug", "Why the connection was closed, in words");
    CERTIFICATE = bytes("steam_sockets.certificate", "certificate", "Signed proof of identity");
    CRYPT = bytes("steam_sockets.crypt", "crypt info", "Signed keys and offered ciphers");
    PADDING = bytes("steam_sockets.padding", "padding", "").once();
    FLAGS = number("steam_sockets.flags", "flags", "Of a data packet").hex(2).once();
    HAS_STATS = bool("steam_sockets.flags.stats", "statistics", "Statistics precede the data").mask(0x01).once();
    SEQUENCE = number("steam_sockets.sequence_number", "sequence number", "Low 16 bits of the packet number").once();
    STATS_LENGTH = number("steam_sockets.stats_length", "statistics length", "In bytes").once();
    STATS = bytes("steam_sockets.stats", "statistics", "").once();
    DATA = bytes("steam_sockets.data", "data", "Encrypted data").encrypted().once();
}

const TYPES: Names = &[
    (32, "challenge request"),
    (33, "challenge reply"),
    (34, "connect request"),
    (35, "connect OK"),
    (36, "connection closed"),
    (37, "no connection"),
];

const CHALLENGE_REQUEST: u8 = 32;
const CHALLENGE_REPLY: u8 = 33;
const CONNECT_REQUEST: u8 = 34;
const CONNECT_OK: u8 = 35;
const CLOSED: u8 = 36;
const NO_CONNECTION: u8 = 37;

/// First bytes of data packets.
const DATA_FLAGS: std::ops::RangeInclusive<u8> = 0x80..=0x81;

/// Smallest padded packet in bytes.
const PADDED: usize = 512;

/// Key of a 32-bit member with number 1: the connection ID that messages of a client begin with.
const FIRST_ID: u8 = 1 << 3 | 5;

/// Longest varint in bytes.
const VARINT: usize = 10;

/// Members of a message by number.
type Members = &'static [(u8, &'static Field)];

fn members(kind: u8) -> Members {
    match kind {
        CHALLENGE_REQUEST => const { &[(1, &CLIENT_ID), (3, &MY_TIMESTAMP), (4, &VERSION)] },
        CHALLENGE_REPLY => const { &[(1, &CLIENT_ID), (2, &CHALLENGE), (3, &YOUR_TIMESTAMP), (4, &VERSION)] },
        CONNECT_REQUEST => {
            const {
                &[
                    (1, &CLIENT_ID),
                    (2, &CHALLENGE),
                    (3, &STEAM_ID),
                    (4, &CERTIFICATE),
                    (5, &MY_TIMESTAMP),
                    (6, &PING),
                    (7, &CRYPT),
                    (8, &VERSION),
                ]
            }
        }
        CONNECT_OK => {
            const {
                &[
                    (1, &CLIENT_ID),
                    (2, &STEAM_ID),
                    (3, &YOUR_TIMESTAMP),
                    (4, &DELAY),
                    (5, &SERVER_ID),
                    (7, &CRYPT),
                    (8, &CERTIFICATE),
                    (9, &VERSION),
                ]
            }
        }
        CLOSED => const { &[(2, &DEBUG), (3, &REASON), (4, &TO_ID), (5, &FROM_ID)] },
        NO_CONNECTION => const { &[(2, &FROM_ID), (3, &TO_ID)] },
        _ => &[],
    }
}

/// Recognizes the first messages of a connection.
fn recognize(bytes: &[u8]) -> bool {
    match *bytes {
        [CHALLENGE_REQUEST | CONNECT_REQUEST, low, high, FIRST_ID, ..] if bytes.len() >= PADDED => {
            let behind = bytes.get(3..).unwrap_or_default();
            let halves = behind.split_at_checked(u16::from_le_bytes([low, high]).into());
            halves.is_some_and(|(message, padding)| protobuf::is_message(message) && padding.iter().all(|byte| *byte == 0))
        }
        // Connection ID, challenge and timestamp.
        [CHALLENGE_REPLY, FIRST_ID, _, _, _, _, 0x11, _, _, _, _, _, _, _, _, 0x19, ..] => {
            protobuf::is_message(bytes.get(1..).unwrap_or_default())
        }
        _ => false,
    }
}

/// State of a connection.
#[derive(Default)]
struct Connection {
    client_id: Option<u32>,
    server_id: Option<u32>,
}

impl Exchange for Connection {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        match wire.peek_u8() {
            Some(flags) if DATA_FLAGS.contains(&flags) => data(wire),
            _ => self.control(wire),
        }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        match *bytes {
            [flags, a, b, c, d, _, _, ..] if DATA_FLAGS.contains(&flags) => {
                let id = Some(u32::from_le_bytes([a, b, c, d]));
                id == self.client_id || id == self.server_id
            }
            [CONNECT_OK..=NO_CONNECTION, ref message @ ..] => !message.is_empty() && protobuf::is_message(message),
            _ => false,
        }
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self)
    }
}

impl Connection {
    fn control(&mut self, wire: &mut Wire<'_>) -> Result {
        let kind = wire.u8(&TYPE)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        let length = match kind {
            CHALLENGE_REQUEST | CONNECT_REQUEST => wire.u16_le(&LENGTH)?.into(),
            _ => wire.remaining(),
        };
        wire.within(length, &PADDING, |wire| wire.each(|wire| self.member(members(kind), wire)))?;
        wire.rest_is(&PADDING)
    }

    /// Dissects a member. The numbers of all that are known fit into one byte with their wire type.
    fn member(&mut self, members: Members, wire: &mut Wire<'_>) -> Result {
        let key = wire.peek_u8().unwrap_or_default();
        let Some((_, field)) = members.iter().find(|(number, _)| *number == key >> 3) else {
            let count = wire.remaining();
            return if protobuf::is_message(wire.ahead()) {
                protobuf::message(wire, count)
            } else {
                wire.bytes(&DATA, count).map(drop)
            };
        };
        wire.u8(&KEY)?;
        match key & 7 {
            0 => wire.varint(field, VARINT).map(drop),
            1 => wire.u64_le(field).map(drop),
            2 => {
                let length = wire.varint(&MEMBER_LENGTH, VARINT)?.unwrap_or(u64::MAX);
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                if field.is(&DEBUG) { wire.text(field, length).map(drop) } else { wire.bytes(field, length).map(drop) }
            }
            5 => {
                let id = wire.u32_le(field)?;
                match *field {
                    field if field.is(&CLIENT_ID) => self.client_id = Some(id),
                    field if field.is(&SERVER_ID) => self.server_id = Some(id),
                    _ => {}
                }
                Ok(())
            }
            _ => wire.rest_is(&DATA),
        }
    }
}

/// Dissects a data packet.
fn data(wire: &mut Wire<'_>) -> Result {
    wire.name("data");
    let flags = wire.flags(&FLAGS, 1, &[&HAS_STATS])?;
    let id = wire.u32_le(&TO_ID)?;
    let number = wire.u16_le(&SEQUENCE)?;
    wire.info(format_args!("to {id:08x}, number {number}"));
    if HAS_STATS.bits_of(flags) != 0
        && let Some(length) = wire.varint(&STATS_LENGTH, VARINT)?
    {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        wire.optional(&STATS, length)?;
    }
    wire.rest_is(&DATA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn padded(hex: &str) -> Vec<u8> {
        let mut bytes = trial::bytes(hex);
        bytes.resize(PADDED, 0);
        bytes
    }

    fn datagrams() -> Vec<Vec<u8>> {
        let hex = trial::bytes;
        vec![
            padded("20 1000 0d 78563412 19 0102030405060708 200b"),
            hex("21 0d 78563412 11 1122334455667788 19 0102030405060708 200b"),
            padded("22 2500 0d 78563412 11 1122334455667788 22 03 0a0161 29 0203040506070809 3019 3a 03 0a0162 400b"),
            hex("23 0d 78563412 19 0203040506070809 20 e807 2d efcdab90 480b"),
            hex("80 efcdab90 0100 aabbccddeeff"),
            hex("81 78563412 0200 04 18022005 aabbccddeeff"),
            hex("24 12 04 6c656674 18e807 25 efcdab90 2d 78563412"),
            hex("25 15 efcdab90 1d 78563412"),
        ]
    }

    fn trees(datagrams: &[Vec<u8>]) -> Vec<String> {
        let mut connection = Connection::default();
        let read = |bytes: &Vec<u8>| trial::read(&PROTOCOL, bytes, Cut::No, |wire| connection.message(Side::Client, wire));
        datagrams.iter().map(read).collect()
    }

    #[test]
    fn a_connection_is_opened_used_and_closed() {
        insta::assert_snapshot!(trees(&datagrams()).join("\n"), @r#"
        steam_sockets 0..512 | challenge request
          0..1 steam_sockets.type = 32 (challenge request)
          1..3 steam_sockets.length = 16
          3..4 steam_sockets.key = 13
          4..8 steam_sockets.client_connection_id = 0x12345678
          8..9 steam_sockets.key = 25
          9..17 steam_sockets.my_timestamp = 578437695752307201
          17..18 steam_sockets.key = 32
          18..19 steam_sockets.protocol_version = 11
          19..512 steam_sockets.padding = 493 bytes

        steam_sockets 0..26 | challenge reply
          0..1 steam_sockets.type = 33 (challenge reply)
          1..2 steam_sockets.key = 13
          2..6 steam_sockets.client_connection_id = 0x12345678
          6..7 steam_sockets.key = 17
          7..15 steam_sockets.challenge = 0x8877665544332211
          15..16 steam_sockets.key = 25
          16..24 steam_sockets.your_timestamp = 578437695752307201
          24..25 steam_sockets.key = 32
          25..26 steam_sockets.protocol_version = 11

        steam_sockets 0..512 | connect request
          0..1 steam_sockets.type = 34 (connect request)
          1..3 steam_sockets.length = 37
          3..4 steam_sockets.key = 13
          4..8 steam_sockets.client_connection_id = 0x12345678
          8..9 steam_sockets.key = 17
          9..17 steam_sockets.challenge = 0x8877665544332211
          17..18 steam_sockets.key = 34
          18..19 steam_sockets.member_length = 3
          19..22 steam_sockets.certificate = 0a0161
          22..23 steam_sockets.key = 41
          23..31 steam_sockets.my_timestamp = 650777868590383874
          31..32 steam_sockets.key = 48
          32..33 steam_sockets.ping_estimate = 25
          33..34 steam_sockets.key = 58
          34..35 steam_sockets.member_length = 3
          35..38 steam_sockets.crypt = 0a0162
          38..39 steam_sockets.key = 64
          39..40 steam_sockets.protocol_version = 11
          40..512 steam_sockets.padding = 472 bytes

        steam_sockets 0..25 | connect OK
          0..1 steam_sockets.type = 35 (connect OK)
          1..2 steam_sockets.key = 13
          2..6 steam_sockets.client_connection_id = 0x12345678
          6..7 steam_sockets.key = 25
          7..15 steam_sockets.your_timestamp = 650777868590383874
          15..16 steam_sockets.key = 32
          16..18 steam_sockets.delay = 1000
          18..19 steam_sockets.key = 45
          19..23 steam_sockets.server_connection_id = 0x90abcdef
          23..24 steam_sockets.key = 72
          24..25 steam_sockets.protocol_version = 11

        steam_sockets 0..13 | data | to 90abcdef, number 1
          0..1 steam_sockets.flags = 0x80
            0..1 steam_sockets.flags.stats = false
          1..5 steam_sockets.to_connection_id = 0x90abcdef
          5..7 steam_sockets.sequence_number = 1
          7..13 steam_sockets.data = aabbccddeeff

        steam_sockets 0..18 | data | to 12345678, number 2
          0..1 steam_sockets.flags = 0x81
            0..1 steam_sockets.flags.stats = true
          1..5 steam_sockets.to_connection_id = 0x12345678
          5..7 steam_sockets.sequence_number = 2
          7..8 steam_sockets.stats_length = 4
          8..12 steam_sockets.stats = 18022005
          12..18 steam_sockets.data = aabbccddeeff

        steam_sockets 0..20 | connection closed
          0..1 steam_sockets.type = 36 (connection closed)
          1..2 steam_sockets.key = 18
          2..3 steam_sockets.member_length = 4
          3..7 steam_sockets.debug = "left"
          7..8 steam_sockets.key = 24
          8..10 steam_sockets.reason_code = 1000
          10..11 steam_sockets.key = 37
          11..15 steam_sockets.to_connection_id = 0x90abcdef
          15..16 steam_sockets.key = 45
          16..20 steam_sockets.from_connection_id = 0x12345678

        steam_sockets 0..11 | no connection
          0..1 steam_sockets.type = 37 (no connection)
          1..2 steam_sockets.key = 21
          2..6 steam_sockets.from_connection_id = 0x90abcdef
          6..7 steam_sockets.key = 29
          7..11 steam_sockets.to_connection_id = 0x12345678
        "#);
    }

    #[test]
    fn only_first_messages_are_recognized_and_the_rest_is_claimed_by_connection_ids() {
        let datagrams = datagrams();
        assert_eq!(
            datagrams.iter().map(|bytes| recognize(bytes)).collect::<Vec<_>>(),
            [[true; 3].as_slice(), &[false; 5]].concat()
        );
        assert!(!recognize(&datagrams[0][..511]), "too short to be padded");
        let mut dirty = datagrams[0].clone();
        dirty[400] = 1;
        assert!(!recognize(&dirty));
        assert!(!Connection::default().claims(Side::Client, &datagrams[4]));
        let connection = Connection { client_id: Some(0x1234_5678), server_id: Some(0x90ab_cdef) };
        assert!(datagrams[3..].iter().all(|bytes| connection.claims(Side::Client, bytes)));
        assert!(!connection.claims(Side::Client, &trial::bytes("80 00000000 0100 aabbcc")));
        assert!(!connection.claims(Side::Client, &datagrams[4][..6]));
    }

    #[test]
    fn datagrams_cut_or_damaged_anywhere_are_dissected() {
        for bytes in datagrams() {
            for length in 0..bytes.len().min(80) {
                trees(&[bytes[..length].to_vec()]);
                let mut damaged = bytes.clone();
                damaged[length] ^= 0xff;
                trees(&[damaged]);
            }
        }
    }
}
