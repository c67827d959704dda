//! Photon: reliable and unreliable messages of a game service over UDP.
//!
//! Numbers are big-endian.
//!
//! ```text
//! datagram    peer ID:2 | flags:1 | commands:1 | sent time:4 | challenge:4 | CRC:4, if flagged | command …
//! command     type:1 | channel:1 | flags:1 | reserved:1 | length:4, of all of it | reliable number:4 | body
//!   1 acknowledge       number:4 | sent time:4            16 acknowledge of an unsequenced command
//!   2 connect           peer ID:2 | MTU:2 | window:4 | channels:4 | bandwidths:4 4 | throttle:4 4 4
//!   3 verify connect    the same
//!   4 disconnect        5 ping        12 fetch server time
//!   6 send reliable     payload                           14 the same unsequenced
//!   7 send unreliable   number:4 | payload
//!   8 send fragment     first number:4 | count:4 | index:4 | total:4 | offset:4 | payload
//!                                                         15 the same unsequenced
//!   11 send unsequenced group:4 | payload
//!   17 acknowledge several    number:4 | sent time:4, the number field is a bit for each later one; 18 of unsequenced commands
//! ```
//! A datagram is recognized by the lengths of its commands. Payloads are dispatched under the name `photon`: messages are in
//! `message`, their values in `values`.
//! Not covered: encrypted datagrams and messages, TCP and `WebSocket` connections.

mod fields;
mod message;
mod message_fields;
#[cfg(test)]
mod message_tests;
mod values;

use super::delivered::Delivered;
use crate::flow::delivery::{Delivery, Element, Fate, Fragment, Width};
use crate::tree::{BySide, Field, NodeRef, Receiver, Side, Value, name_of};
use crate::wire::{Cut, Exchange, Heuristic, On, Protocol, Result, Unfinished, Wire};
use fields::*;

pub use message::PROTOCOL as MESSAGE;

pub static PROTOCOL: Protocol = Protocol::new(&PHOTON, FIELDS)
    .found(&[
        On::UdpRun(5055, 5058).exchange::<Session>(Heuristic::Datagram(recognize)),
        On::AnyUdp.exchange::<Session>(Heuristic::Datagram(recognize)),
    ])
    .rest(&DATA);

/// Dispatch name of payloads.
const PLACE: &str = "photon";

/// What becomes of messages.
const MESSAGES: Delivered = Delivered { receiver: Receiver::Place(PLACE), method: "photon fragments", missing: &INCOMPLETE };

/// Bits of the numbers of unreliable commands: those of the last reliable one, and 32 bits of their own.
const UNRELIABLE_BITS: u32 = 48;

/// The last type of a command that has flags.
const LAST_WITH_FLAGS: u8 = 16;

const CONNECT: u8 = 2;
const VERIFY: u8 = 3;

/// Size of the header without checksum.
const HEADER_SIZE: usize = 12;
const CRC_SIZE: usize = 4;
/// Size of a command without body.
const COMMAND_SIZE: usize = 12;

/// Flags of a datagram.
const ENCRYPTED: u8 = 1;
const WITH_CRC: u8 = 0xcc;

/// A datagram that measures the distance to a server: this byte twelve times, and a number.
const PING_BYTE: u8 = 0x7d;
const PING_SIZE: usize = 13;

/// Size of each command without payload, by type, and whether it has one. 0 for types that are not assigned.
const SIZES: [(usize, bool); 19] = [
    (0, false),
    (20, false),
    (44, false),
    (44, false),
    (12, false),
    (12, false),
    (12, true),
    (16, true),
    (32, true),
    (0, false),
    (0, false),
    (16, true),
    (12, false),
    (12, true),
    (12, true),
    (32, true),
    (20, false),
    (20, false),
    (20, false),
];

/// Header of a datagram.
struct Header<'a> {
    flags: u8,
    count: u8,
    challenge: u32,
    commands: &'a [u8],
}

impl Header<'_> {
    fn read(bytes: &[u8]) -> Option<Header<'_>> {
        let [_, _, flags, count, _, _, _, _, challenge @ ..] = *bytes.first_chunk::<HEADER_SIZE>()?;
        let crc = if flags == WITH_CRC { CRC_SIZE } else { 0 };
        Some(Header { flags, count, challenge: u32::from_be_bytes(challenge), commands: bytes.get(HEADER_SIZE + crc..)? })
    }

    /// Whether as many commands as announced fill the datagram.
    fn is_sound(&self) -> bool {
        let mut bytes = self.commands;
        for _ in 0..self.count {
            let Some(rest) = size(bytes).and_then(|size| bytes.get(size..)) else { return false };
            bytes = rest;
        }
        self.count > 0 && matches!(self.flags, 0 | WITH_CRC) && bytes.is_empty()
    }
}

/// Size of the command at the start of the bytes, if it has a possible one.
fn size(bytes: &[u8]) -> Option<usize> {
    /// The highest flag of a command: reliable and unsequenced.
    const FLAGS_MAX: u8 = 3;
    let [kind, _, flags, _, length @ ..] = *bytes.first_chunk::<8>()?;
    let size = usize::try_from(u32::from_be_bytes(length)).ok()?;
    let (least, has_payload) = *SIZES.get(usize::from(kind)).filter(|(least, _)| *least > 0)?;
    let is_right = if has_payload { size >= least } else { size == least };
    // Acknowledgements of several commands have a number in place of the flags.
    (is_right && (flags <= FLAGS_MAX || kind > LAST_WITH_FLAGS)).then_some(size)
}

/// Whether a datagram measures the distance to a server.
fn is_ping(datagram: &[u8]) -> bool {
    datagram.len() == PING_SIZE && datagram.iter().take(PING_SIZE - 1).all(|byte| *byte == PING_BYTE)
}

fn recognize(datagram: &[u8]) -> bool {
    is_ping(datagram) || Header::read(datagram).is_some_and(|header| header.is_sound())
}

/// State of a conversation.
struct Session {
    /// Number that the client chose, in every datagram.
    challenge: Option<u32>,
    messages: BySide<Delivery>,
    /// Whether the last message in fragments may contain a secret, with its ID.
    hides: BySide<Option<(u64, bool)>>,
}

impl Default for Session {
    fn default() -> Session {
        let direction = || Delivery::new(Width { order: u32::BITS, once: UNRELIABLE_BITS });
        Session { challenge: None, messages: BySide { client: direction(), server: direction() }, hides: BySide::default() }
    }
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if is_ping(wire.ahead()) {
            wire.name("Ping of a server");
            wire.bytes(&PING, PING_SIZE - 1)?;
            return wire.u8(&PING_NUMBER).map(drop);
        }
        self.challenge = Header::read(wire.ahead()).map(|header| header.challenge).or(self.challenge);
        summarize(wire);
        wire.u16_be(&PEER)?;
        let flags = wire.u8(&FLAGS)?;
        let count = wire.u8(&COUNT)?;
        wire.u32_be(&SENT_TIME)?;
        wire.u32_be(&CHALLENGE)?;
        if flags == WITH_CRC {
            wire.u32_be(&CRC)?;
        }
        if flags == ENCRYPTED {
            return wire.rest_is(&DATA);
        }
        for _ in 0..count {
            wire.group(&COMMAND, |wire| self.command(from, wire))?;
        }
        wire.rest_is(&DATA)
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let is_known = |header: Header<'_>| matches!(header.flags, 0 | ENCRYPTED | WITH_CRC) && header.count > 0;
        Header::read(bytes).filter(|header| self.challenge == Some(header.challenge)).is_some_and(is_known)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.messages.iter().map(Delivery::memory_usage).sum::<usize>()
    }

    fn unfinished(&mut self) -> Vec<Unfinished> {
        Side::BOTH.into_iter().flat_map(|from| MESSAGES.unfinished(from, &mut self.messages[from])).collect()
    }
}

/// How a command sends a payload.
struct Sent {
    /// The sequence of its number.
    stream: u64,
    order: Option<u32>,
    once: Option<u64>,
    fragment: Fragment,
}

impl Session {
    fn command(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let kind = wire.u8(&TYPE)?;
        let channel = wire.u8(&CHANNEL)?;
        if kind > LAST_WITH_FLAGS {
            wire.u8(&BLOCK)?;
        } else {
            wire.flags(&COMMAND_FLAGS, 1, &[&RELIABLE, &UNSEQUENCED])?;
        }
        wire.u8(&RESERVED)?;
        let length = usize::try_from(wire.u32_be(&LENGTH)?).unwrap_or(usize::MAX);
        let number = wire.u32_be(&NUMBER)?;
        let Some(body) = length.checked_sub(COMMAND_SIZE) else {
            return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes of at least {COMMAND_SIZE}"));
        };
        let ordered = Sent { stream: channel.into(), order: Some(number), once: None, fragment: Fragment::Whole };
        let unordered = Sent { stream: u64::from(channel) | u64::from(kind) << u8::BITS, order: None, ..ordered };
        wire.within(body, &DATA, |wire| match kind {
            1 | 16..=18 => {
                wire.u32_be(&RECEIVED_NUMBER)?;
                wire.u32_be(&RECEIVED_TIME).map(drop)
            }
            CONNECT | VERIFY => connect(wire),
            4 | 5 | 12 => Ok(()),
            6 | 13 => self.payload(from, wire, &ordered),
            14 => self.payload(from, wire, &Sent { once: Some(number.into()), ..unordered }),
            7 => {
                let unreliable = wire.u32_be(&UNRELIABLE_NUMBER)?;
                // Some senders count anew after each reliable command.
                let once = u64::from(number & 0xffff) << u32::BITS | u64::from(unreliable);
                self.payload(from, wire, &Sent { once: Some(once), ..unordered })
            }
            8 => {
                let fragment = fragment(wire)?;
                self.payload(from, wire, &Sent { fragment, ..ordered })
            }
            15 => {
                let fragment = fragment(wire)?;
                self.payload(from, wire, &Sent { fragment, ..unordered })
            }
            11 => {
                let group = wire.u32_be(&GROUP)?;
                self.payload(from, wire, &Sent { once: Some(group.into()), ..unordered })
            }
            _ => wire.malformed(&UNKNOWN_COMMAND, format_args!("type {kind}")),
        })
    }

    /// Dissects a payload, and delivers the messages that it completes.
    fn payload(&mut self, from: Side, wire: &mut Wire<'_>, sent: &Sent) -> Result {
        let range = wire.at()..wire.at() + wire.remaining();
        if wire.cut() != Cut::No {
            wire.rest(&PAYLOAD);
            return Ok(());
        }
        let bytes = wire.rest(&PAYLOAD);
        let element = Element {
            stream: sent.stream,
            order: sent.order.map(u64::from),
            fragment: sent.fragment,
            once: sent.once,
            bytes,
            pieces: &wire.pieces(range.clone(), 0),
        };
        let mut events = Vec::new();
        let fate = self.messages[from].accept(&element, &mut events);
        let may_hold_secret = self.may_hold_secret(from, sent.fragment, bytes);
        if !matches!(fate, Fate::Now { .. }) && may_hold_secret {
            // Only dissectors of messages find their secrets, and this one is dissected elsewhere.
            wire.hide(range.clone());
        }
        match fate {
            Fate::Now { .. } => wire.deliver(MESSAGES.receiver, range, 0, Vec::new()),
            Fate::Taken => {}
            Fate::Repeated => drop(wire.add(&RETRANSMISSION, Value::Bool(true))),
            Fate::Conflict => wire.note(&CONFLICT, format_args!("other bytes were received before with these numbers")),
            Fate::Wrong => wire.note(&BAD_FRAGMENT, format_args!("the fragment belongs to no message")),
        }
        MESSAGES.hand_on(wire, events);
        Ok(())
    }

    /// Whether a payload may contain a secret. The first fragment of a message shows it of the later ones.
    fn may_hold_secret(&mut self, from: Side, fragment: Fragment, bytes: &[u8]) -> bool {
        match fragment {
            Fragment::Part { id, index: 0, .. } => {
                let may = message::may_hold_secret(bytes);
                self.hides[from] = Some((id, may));
                may
            }
            Fragment::Part { id, .. } => self.hides[from].is_none_or(|(known, may)| known != id || may),
            _ => message::may_hold_secret(bytes),
        }
    }
}

/// Dissects the header of a fragment.
fn fragment(wire: &mut Wire<'_>) -> Result<Fragment> {
    let id = wire.u32_be(&START_NUMBER)?;
    let count = wire.u32_be(&FRAGMENTS)?;
    let index = wire.u32_be(&INDEX)?;
    words(wire, &[&TOTAL, &OFFSET])?;
    Ok(Fragment::Part { id: id.into(), index: index.into(), count: count.into() })
}

/// Adds the summary: command names and total payload size.
fn summarize(wire: &mut Wire<'_>) {
    /// Maximum number of commands in the summary.
    const NAMED: usize = 6;
    let Some(header) = Header::read(wire.ahead()) else { return };
    if header.flags == ENCRYPTED {
        wire.name("Encrypted");
        return;
    }
    let (mut bytes, mut names, mut payload) = (header.commands, Vec::new(), 0);
    for _ in 0..usize::from(header.count).min(NAMED) {
        let Some(kind) = bytes.first() else { break };
        names.push(name_of(TYPES, (*kind).into()).unwrap_or("unknown command"));
        let Some(size) = size(bytes) else { break };
        payload += size - SIZES.get(usize::from(*kind)).map_or(0, |(least, _)| *least);
        bytes = bytes.get(size..).unwrap_or_default();
    }
    wire.name(&names.join(", "));
    if payload > 0 {
        wire.info(format_args!("{payload} bytes of payload"));
    }
}

fn words(wire: &mut Wire<'_>, fields: &[&'static Field]) -> Result {
    fields.iter().try_for_each(|field| wire.u32_be(field).map(drop))
}

fn connect(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&OUTGOING_PEER)?;
    wire.u16_be(&MTU)?;
    words(wire, &[&WINDOW, &CHANNELS, &INCOMING_BANDWIDTH, &OUTGOING_BANDWIDTH])?;
    words(wire, &[&THROTTLE_INTERVAL, &THROTTLE_ACCELERATION, &THROTTLE_DECELERATION])
}

/// The name of a command in tables.
fn command_title(node: NodeRef<'_>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    let kind = node.child(&TYPE).and_then(NodeRef::number);
    out.write_str(kind.and_then(|kind| name_of(TYPES, kind)).unwrap_or("command"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial;

    const CONNECTS: &str = "ffff 00 01 00000004 22b6e6ba 02 ff 01 04 0000002c 00000001 \
        0000 04b0 00008000 00000002 00000000 00000000 00001388 00000002 00000002";
    const VERIFIES: &str = "0000 00 02 7dfbd185 22b6e6ba 01 ff 00 00 00000014 00000000 00000001 00000004 \
        03 ff 01 00 0000002c 00000001 bbc8 04b0 00008000 00000002 00000000 00000000 00001388 00000002 00000002";
    const SENDS: &str = "bbc8 cc 05 00000032 22b6e6ba 8cafd53e 06 00 01 04 0000000f 00000001 f30100 \
        07 01 00 04 00000013 00000001 00000001 f30100 0b 01 02 04 00000013 00000000 00000009 f30100 \
        05 ff 01 04 0000000c 00000002 0e 00 03 04 0000000f 00000007 f30100";
    const FRAGMENT: &str =
        "bbc8 00 01 00000033 22b6e6ba 08 00 01 04 00000022 00000002 00000002 00000002 00000000 00000003 00000000 f301";
    const OTHERS: &str = "bbc8 00 03 00000034 22b6e6ba 11 00 08 04 00000014 00000003 00000005 7dfbd263 0c ff 01 04 0000000c 00000003 \
        04 ff 01 04 0000000c 00000004";
    const ENCRYPTED_ONE: &str = "bbc8 01 02 00000035 22b6e6ba 0102030405";
    const PINGS: &str = "7d7d7d7d 7d7d7d7d 7d7d7d7d 12";

    fn read(session: &mut Session, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| session.message(Side::Client, wire))
    }

    #[test]
    fn commands_are_dissected() {
        let mut session = Session::default();
        let trees = [VERIFIES, SENDS, FRAGMENT, OTHERS, ENCRYPTED_ONE, PINGS].map(|hex| read(&mut session, hex)).concat();
        insta::assert_snapshot!(trial::abridged(&trees), @"
        photon 0..76 | Acknowledge, Verify connect
          0..2 photon.peer_id = 0
          2..3 photon.flags = 0x00 (none)
          3..4 photon.command_count = 2
          4..8 photon.sent_time = 2113655173
          8..12 photon.challenge = 0x22b6e6ba
          12..32 photon.command
            12..13 photon.command.type = 1 (Acknowledge)
            13..14 photon.channel_id = 255
            14..15 photon.command.flags = 0x00
              14..15 photon.command.reliable = false
              14..15 photon.command.unsequenced = false
            15..16 photon.command.reserved = 0x00
            16..20 photon.command.length = 20
            20..24 photon.reliable_sequence = 0
            24..28 photon.received_sequence = 1
            28..32 photon.received_sent_time = 4
          32..76 photon.command
            32..33 photon.command.type = 3 (Verify connect)
            33..34 photon.channel_id = 255
            34..35 photon.command.flags = 0x01
              34..35 photon.command.reliable = true
              34..35 photon.command.unsequenced = false
            35..36 photon.command.reserved = 0x00
            36..40 photon.command.length = 44
            40..44 photon.reliable_sequence = 1
            44..46 photon.outgoing_peer_id = 48072
            46..48 photon.mtu = 1200
            48..52 photon.window_size = 32768
            52..56 photon.channel_count = 2
            56..60 photon.incoming_bandwidth = 0
            60..64 photon.outgoing_bandwidth = 0
            64..68 photon.throttle_interval = 5000
            68..72 photon.throttle_acceleration = 2
            72..76 photon.throttle_deceleration = 2
        photon 0..96 | Send reliable, Send unreliable, Send unsequenced, Ping, Send reliable unsequenced | 12 bytes of payload
          0..2 photon.peer_id = 48072
          2..3 photon.flags = 0xcc (CRC)
          3..4 photon.command_count = 5
          4..8 photon.sent_time = 50
          8..12 photon.challenge = 0x22b6e6ba
          12..16 photon.crc = 0x8cafd53e
          16..31 photon.command
            16..17 photon.command.type = 6 (Send reliable)
            17..18 photon.channel_id = 0
            18..19 photon.command.flags = 0x01
              18..19 photon.command.reliable = true
              18..19 photon.command.unsequenced = false
            19..20 photon.command.reserved = 0x04
            20..24 photon.command.length = 15
            24..28 photon.reliable_sequence = 1
            28..31 photon.payload = f30100
          31..50 photon.command
            31..32 photon.command.type = 7 (Send unreliable)
            32..33 photon.channel_id = 1
            33..34 photon.command.flags = 0x00
              33..34 photon.command.reliable = false
              33..34 photon.command.unsequenced = false
            34..35 photon.command.reserved = 0x04
            35..39 photon.command.length = 19
            39..43 photon.reliable_sequence = 1
            43..47 photon.unreliable_sequence = 1
            47..50 photon.payload = f30100
          50..69 photon.command
            50..51 photon.command.type = 11 (Send unsequenced)
            51..52 photon.channel_id = 1
            52..53 photon.command.flags = 0x02
              52..53 photon.command.reliable = false
              52..53 photon.command.unsequenced = true
            53..54 photon.command.reserved = 0x04
            54..58 photon.command.length = 19
            58..62 photon.reliable_sequence = 0
            62..66 photon.unsequenced_group = 9
            66..69 photon.payload = f30100
          69..81 photon.command
            69..70 photon.command.type = 5 (Ping)
            70..71 photon.channel_id = 255
            71..72 photon.command.flags = 0x01
              71..72 photon.command.reliable = true
              71..72 photon.command.unsequenced = false
            72..73 photon.command.reserved = 0x04
            73..77 photon.command.length = 12
            77..81 photon.reliable_sequence = 2
          81..96 photon.command
            81..82 photon.command.type = 14 (Send reliable unsequenced)
            82..83 photon.channel_id = 0
            83..84 photon.command.flags = 0x03
              83..84 photon.command.reliable = true
              83..84 photon.command.unsequenced = true
            84..85 photon.command.reserved = 0x04
            85..89 photon.command.length = 15
            89..93 photon.reliable_sequence = 7
            93..96 photon.payload = f30100
        photon 0..46 | Send fragment | 2 bytes of payload
          0..2 photon.peer_id = 48072
          2..3 photon.flags = 0x00 (none)
          3..4 photon.command_count = 1
          4..8 photon.sent_time = 51
          8..12 photon.challenge = 0x22b6e6ba
          12..46 photon.command
            12..13 photon.command.type = 8 (Send fragment)
            13..14 photon.channel_id = 0
            14..15 photon.command.flags = 0x01
              14..15 photon.command.reliable = true
              14..15 photon.command.unsequenced = false
            15..16 photon.command.reserved = 0x04
            16..20 photon.command.length = 34
            20..24 photon.reliable_sequence = 2
            24..28 photon.fragment.start_sequence = 2
            28..32 photon.fragment.count = 2
            32..36 photon.fragment.number = 0
            36..40 photon.fragment.total_length = 3
            40..44 photon.fragment.offset = 0
            44..46 photon.payload = f301
        photon 0..56 | Acknowledge several, Fetch server time, Disconnect
          0..2 photon.peer_id = 48072
          2..3 photon.flags = 0x00 (none)
          3..4 photon.command_count = 3
          4..8 photon.sent_time = 52
          8..12 photon.challenge = 0x22b6e6ba
          12..32 photon.command
            12..13 photon.command.type = 17 (Acknowledge several)
            13..14 photon.channel_id = 0
            14..15 photon.command.block = 8
            15..16 photon.command.reserved = 0x04
            16..20 photon.command.length = 20
            20..24 photon.reliable_sequence = 3
            24..28 photon.received_sequence = 5
            28..32 photon.received_sent_time = 2113655395
          32..44 photon.command
            32..33 photon.command.type = 12 (Fetch server time)
            33..34 photon.channel_id = 255
            34..35 photon.command.flags = 0x01 …
            35..36 photon.command.reserved = 0x04
            36..40 photon.command.length = 12
            40..44 photon.reliable_sequence = 3
          44..56 photon.command
            44..45 photon.command.type = 4 (Disconnect)
            45..46 photon.channel_id = 255
            46..47 photon.command.flags = 0x01
              46..47 photon.command.reliable = true
              46..47 photon.command.unsequenced = false
            47..48 photon.command.reserved = 0x04
            48..52 photon.command.length = 12
            52..56 photon.reliable_sequence = 4
        photon 0..17 | Encrypted
          0..2 photon.peer_id = 48072
          2..3 photon.flags = 0x01 (encrypted)
          3..4 photon.command_count = 2
          4..8 photon.sent_time = 53
          8..12 photon.challenge = 0x22b6e6ba
          12..17 photon.undissected = 0102030405
        photon 0..13 | Ping of a server
          0..12 photon.ping = 7d7d7d7d7d7d7d7d7d7d7d7d
          12..13 photon.ping.number = 18
        ");
    }

    #[test]
    fn a_command_that_was_received_before_is_a_retransmission() {
        let mut session = Session::default();
        let [_, again] = [SENDS, SENDS].map(|hex| read(&mut session, hex));
        assert_eq!(again.matches("photon.retransmission = true").count(), 4, "{again}");
        let other = SENDS.replacen("f30100", "f30101", 1).replacen("00000001 f301", "00000009 f301", 1);
        let [_, conflict] = [&other, &other.replacen("f30101", "f30102", 1)].map(|hex| read(&mut session, hex));
        assert!(conflict.contains("photon.conflict"), "{conflict}");
        let wrong = FRAGMENT.replacen("00000002 00000000 00000003", "00000002 00000002 00000003", 1);
        assert!(read(&mut session, &wrong).contains("photon.bad_fragment"));
    }

    #[test]
    fn a_datagram_is_recognized_by_the_lengths_of_its_commands() {
        let recognizes = |hex: &str| recognize(&trial::bytes(hex));
        for hex in [CONNECTS, VERIFIES, SENDS, FRAGMENT, OTHERS, PINGS] {
            assert!(recognizes(hex), "{hex}");
        }
        let others = [
            CONNECTS.to_owned() + "00",
            CONNECTS.replacen("00 01", "00 02", 1),
            CONNECTS.replacen("00 01", "02 01", 1),
            CONNECTS.replacen("02 ff 01", "02 ff 04", 1),
            CONNECTS.replacen("02 ff 01", "09 ff 01", 1),
            CONNECTS.replacen("0000002c", "0000002b", 1),
            "ffff 00 00 00000004 22b6e6ba".to_owned(),
            ENCRYPTED_ONE.to_owned(),
            PINGS.replacen("7d", "7c", 1),
            String::new(),
        ];
        for hex in others {
            assert!(!recognizes(&hex), "{hex}");
        }
        let mut session = Session::default();
        let claims = |session: &Session, hex: &str| session.claims(Side::Server, &trial::bytes(hex));
        assert!(!claims(&session, ENCRYPTED_ONE));
        read(&mut session, CONNECTS);
        assert!(claims(&session, ENCRYPTED_ONE) && !claims(&session, &ENCRYPTED_ONE.replacen("22b6", "22b7", 1)));
        // The capture cut a datagram.
        assert!(claims(&session, VERIFIES.split_at(60).0));
    }

    #[test]
    fn damaged_datagrams_are_dissected() {
        for hex in [CONNECTS, VERIFIES, SENDS, FRAGMENT, OTHERS, ENCRYPTED_ONE, PINGS] {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), |wire| Session::default().message(Side::Client, wire));
        }
    }
}
