//! ENet 1.3: reliable and unreliable messages over UDP, used by many games.
//!
//! Numbers are big-endian.
//!
//! ```text
//! datagram    sent time:1 bit | compressed:1 | session:2 | peer ID:12 | sent time:2, if flagged | checksum:4, if used | command …
//! command     acknowledge:1 bit | unsequenced:1 | 0:2 | type:4 | channel:1 | reliable number:2 | body
//!   1 acknowledge           number:2 | sent time:2
//!   2 connect               peer ID:2 | sessions:1 1 | MTU:4 | window:4 | channels:4 | bandwidths:4 4 | throttle:4 4 4 | connect ID:4 | data:4
//!   3 verify connect        the same without data
//!   4 disconnect            data:4
//!   5 ping
//!   6 send reliable         length:2 | payload
//!   7 send unreliable       number:2 | length:2 | payload
//!   8 send fragment         first number:2 | length:2 | count:4 | index:4 | total:4 | offset:4 | payload
//!   9 send unsequenced      group:2 | length:2 | payload
//!   10 bandwidth limit      bandwidths:4 4
//!   11 throttle             throttle:4 4 4
//!   12 unreliable fragment  as 8
//! ```
//! A conversation and its use of checksums are recognized by its connect command.
//! Not covered: compressed datagrams, versions before 1.3.

use crate::flow::delivery::{Added, COUNT_MAX, EvictedMessage, Part, ReassemblyTable};
use crate::tree::{BySide, Field, Names, Side, Value, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&ENET, FIELDS).found(&[On::AnyUdp.exchange::<Session>(Heuristic::Datagram(recognize))]).rest(&DATA);

/// Name of the handover of payloads.
const PLACE: &str = "enet";

/// Description of reassembled payloads.
const PARTS: &str = "enet parts";

fields! {
    ENET = protocol("enet", "ENet", "ENet reliable UDP")
        .covers("All commands of version 1.3; fragments joined; payloads for protocols over `enet`")
        .leaves_open("Compressed datagrams, versions before 1.3");
    FLAGS = number("enet.flags", "flags", "").hex(4).once();
    HAS_SENT_TIME = bool("enet.flags.sent_time", "sent time", "").mask(0x8000).once();
    IS_COMPRESSED = bool("enet.flags.compressed", "compressed", "").mask(0x4000).once();
    SESSION = number("enet.session_id", "session ID", "").mask(0x3000).once();
    PEER = number("enet.peer_id", "peer ID", "ID of the receiver; 4095 before one is assigned").mask(0x0fff).once();
    SENT_TIME = number("enet.sent_time", "sent time", "Milliseconds, low 16 bits").once();
    CHECKSUM = number("enet.checksum", "checksum", "CRC-32 of the datagram").hex(8).once();
    COMMAND = group("enet.command", "command", "").named(command_title, title::nothing, title::nothing);
    COMMAND_FLAGS = number("enet.command.flags", "command flags", "").hex(2).once_per(&COMMAND);
    ACKNOWLEDGE = bool("enet.command.acknowledge", "acknowledge", "The receiver acknowledges the command").mask(0x80).once_per(&COMMAND);
    UNSEQUENCED = bool("enet.command.unsequenced", "unsequenced", "").mask(0x40).once_per(&COMMAND);
    TYPE = number("enet.command.type", "type", "").names(TYPES).mask(0x0f).once_per(&COMMAND);
    CHANNEL = number("enet.channel_id", "channel", "255 for the connection itself").once_per(&COMMAND);
    NUMBER = number("enet.reliable_sequence", "reliable sequence number", "").once_per(&COMMAND);
    RECEIVED_NUMBER = number("enet.received_sequence", "received sequence number", "Reliable sequence number that is acknowledged").once_per(&COMMAND);
    RECEIVED_TIME = number("enet.received_sent_time", "received sent time", "Sent time of the acknowledged command").once_per(&COMMAND);
    OUTGOING_PEER = number("enet.outgoing_peer_id", "outgoing peer ID", "ID of the sender").once_per(&COMMAND);
    INCOMING_SESSION = number("enet.incoming_session_id", "incoming session ID", "").once_per(&COMMAND);
    OUTGOING_SESSION = number("enet.outgoing_session_id", "outgoing session ID", "").once_per(&COMMAND);
    MTU = number("enet.mtu", "MTU", "In bytes").once_per(&COMMAND);
    WINDOW = number("enet.window_size", "window size", "In bytes").once_per(&COMMAND);
    CHANNELS = number("enet.channel_count", "channels", "").once_per(&COMMAND);
    INCOMING_BANDWIDTH = number("enet.incoming_bandwidth", "incoming bandwidth", "Bytes per second; 0 for no limit").once_per(&COMMAND);
    OUTGOING_BANDWIDTH = number("enet.outgoing_bandwidth", "outgoing bandwidth", "Bytes per second; 0 for no limit").once_per(&COMMAND);
    THROTTLE_INTERVAL = number("enet.throttle_interval", "throttle interval", "Milliseconds").once_per(&COMMAND);
    THROTTLE_ACCELERATION = number("enet.throttle_acceleration", "throttle acceleration", "").once_per(&COMMAND);
    THROTTLE_DECELERATION = number("enet.throttle_deceleration", "throttle deceleration", "").once_per(&COMMAND);
    CONNECT_ID = number("enet.connect_id", "connect ID", "").hex(8).once_per(&COMMAND);
    USER_DATA = number("enet.data", "data", "Number of the application").hex(8).once_per(&COMMAND);
    UNRELIABLE_NUMBER = number("enet.unreliable_sequence", "unreliable sequence number", "").once_per(&COMMAND);
    GROUP = number("enet.unsequenced_group", "unsequenced group", "").once_per(&COMMAND);
    START_NUMBER = number("enet.fragment.start_sequence", "start sequence number", "Sequence number of the first fragment").once_per(&COMMAND);
    LENGTH = number("enet.data_length", "data length", "In bytes").once_per(&COMMAND);
    COUNT = number("enet.fragment.count", "fragment count", "").once_per(&COMMAND);
    INDEX = number("enet.fragment.number", "fragment number", "Counted from 0").once_per(&COMMAND);
    TOTAL = number("enet.fragment.total_length", "total length", "Bytes of all fragments").once_per(&COMMAND);
    OFFSET = number("enet.fragment.offset", "fragment offset", "In bytes").once_per(&COMMAND);
    PAYLOAD = bytes("enet.payload", "payload", "").once_per(&COMMAND);
    COMPLETES = number("enet.fragment.completes", "fragments joined", "Number of fragments of the payload that this one completes").once_per(&COMMAND);
    DATA = bytes("enet.undissected", "data", "Compressed or undissected bytes").once();
    UNKNOWN_COMMAND = odd("enet.unknown_command", "unknown command", "Command type that is not assigned");
    BAD_FRAGMENT = odd("enet.bad_fragment", "bad fragment", "Fragment number that is not below the count, or too many fragments");
    CONFLICT = odd("enet.fragment_conflict", "fragment conflict", "A fragment differs from an earlier one with its number");
    INCOMPLETE = odd("enet.fragments_missing", "fragments missing", "A payload was evicted before all of its fragments arrived");
}

const TYPES: Names = &[
    (1, "Acknowledge"),
    (2, "Connect"),
    (3, "Verify connect"),
    (4, "Disconnect"),
    (5, "Ping"),
    (6, "Send reliable"),
    (7, "Send unreliable"),
    (8, "Send fragment"),
    (9, "Send unsequenced"),
    (10, "Bandwidth limit"),
    (11, "Throttle configure"),
    (12, "Send unreliable fragment"),
];

const CONNECT: u8 = 2;
const VERIFY: u8 = 3;
/// Commands with a payload, and the offset of its length in the command.
const PAYLOAD_LENGTHS: [(u8, usize); 5] = [(6, 4), (7, 6), (8, 6), (9, 6), (12, 6)];
/// Size of each command without payload, by type.
const SIZES: [usize; 13] = [0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24];

const SENT_TIME_FLAG: u16 = 0x8000;
const COMPRESSED_FLAG: u16 = 0x4000;
/// Peer ID before assignment.
const NO_PEER: u16 = 0x0fff;
const TYPE_MASK: u8 = 0x0f;
const CHECKSUM_SIZE: usize = 4;
/// Channel of connection commands.
const CONNECTION: u8 = 0xff;

/// Size of the command at the start of the bytes, if it is complete.
fn size(bytes: &[u8]) -> Option<usize> {
    let kind = bytes.first()? & TYPE_MASK;
    let fixed = *SIZES.get(usize::from(kind)).filter(|size| **size > 0)?;
    let length = match PAYLOAD_LENGTHS.iter().find(|(with, _)| *with == kind) {
        Some((_, at)) => bytes.get(*at..)?.first_chunk().map(|length| usize::from(u16::from_be_bytes(*length)))?,
        None => 0,
    };
    Some(fixed + length).filter(|size| *size <= bytes.len())
}

/// Whether the bytes are one or more complete commands.
fn are_commands(mut bytes: &[u8]) -> bool {
    let is_empty = bytes.is_empty();
    while !bytes.is_empty() {
        let Some(rest) = size(bytes).and_then(|size| bytes.get(size..)) else { return false };
        bytes = rest;
    }
    !is_empty
}

/// Returns flags, and the bytes after the header without checksum.
fn header(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let flags = u16::from_be_bytes(*bytes.first_chunk()?);
    Some((flags, bytes.get(if flags & SENT_TIME_FLAG == 0 { 2 } else { 4 }..)?))
}

/// Whether a connect command has valid values for ENet.
fn is_connect(command: &[u8]) -> bool {
    let word = |at: usize| command.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word));
    let is_sent = matches!(command.first_chunk(), Some([0x82 | 0x83, CONNECTION, 0, _]));
    is_sent
        && word(8).is_some_and(|mtu| (576..=4096).contains(&mtu))
        && word(12).is_some_and(|window| (4096..=1 << 20).contains(&window))
        && word(16).is_some_and(|channels| (1..=255).contains(&channels))
}

/// Whether a datagram has checksums, if it begins with a connect command. Its response begins with a verify connect command.
fn checksums(bytes: &[u8]) -> Option<bool> {
    let (flags, rest) = header(bytes)?;
    let is_first = |commands: &[u8]| {
        let kind = commands.first().map(|kind| kind & TYPE_MASK);
        let has_peer = kind == Some(CONNECT) && flags & NO_PEER == NO_PEER || kind == Some(VERIFY);
        flags & SENT_TIME_FLAG != 0 && flags & COMPRESSED_FLAG == 0 && has_peer && is_connect(commands) && are_commands(commands)
    };
    [0, CHECKSUM_SIZE].into_iter().find(|skip| rest.get(*skip..).is_some_and(is_first)).map(|skip| skip > 0)
}

fn recognize(bytes: &[u8]) -> bool {
    checksums(bytes).is_some()
}

/// State of a conversation.
#[derive(Default)]
struct Session {
    has_checksums: bool,
    fragments: BySide<ReassemblyTable>,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if let Some(has_checksums) = checksums(wire.ahead()) {
            self.has_checksums = has_checksums;
        }
        let flags = wire.flags(&FLAGS, 2, &[&HAS_SENT_TIME, &IS_COMPRESSED, &SESSION, &PEER])?;
        if HAS_SENT_TIME.bits_of(flags) != 0 {
            wire.u16_be(&SENT_TIME)?;
        }
        if self.has_checksums {
            wire.u32_be(&CHECKSUM)?;
        }
        if IS_COMPRESSED.bits_of(flags) != 0 {
            wire.name("Compressed");
            return wire.rest_is(&DATA);
        }
        summarize(wire);
        wire.groups(&COMMAND, |wire| self.command(from, wire))
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        header(bytes).is_some_and(|(flags, rest)| {
            let commands = rest.get(if self.has_checksums { CHECKSUM_SIZE } else { 0 }..).unwrap_or_default();
            flags & COMPRESSED_FLAG != 0 && !commands.is_empty() || are_commands(commands)
        })
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.fragments.iter().map(ReassemblyTable::memory_usage).sum::<usize>()
    }
}

impl Session {
    fn command(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let first = wire.flags(&COMMAND_FLAGS, 1, &[&ACKNOWLEDGE, &UNSEQUENCED, &TYPE])?;
        let channel = wire.u8(&CHANNEL)?;
        wire.u16_be(&NUMBER)?;
        match TYPE.bits_of(first) {
            1 => {
                wire.u16_be(&RECEIVED_NUMBER)?;
                wire.u16_be(&RECEIVED_TIME).map(drop)
            }
            2 => {
                connect(wire)?;
                wire.u32_be(&USER_DATA).map(drop)
            }
            3 => connect(wire),
            4 => wire.u32_be(&USER_DATA).map(drop),
            5 => Ok(()),
            6 => payload(wire),
            7 => {
                wire.u16_be(&UNRELIABLE_NUMBER)?;
                payload(wire)
            }
            kind @ (8 | 12) => self.fragment(from, u64::from(channel) | kind << 8, wire),
            9 => {
                wire.u16_be(&GROUP)?;
                payload(wire)
            }
            10 => words(wire, &[&INCOMING_BANDWIDTH, &OUTGOING_BANDWIDTH]),
            11 => words(wire, &[&THROTTLE_INTERVAL, &THROTTLE_ACCELERATION, &THROTTLE_DECELERATION]),
            kind => wire.malformed(&UNKNOWN_COMMAND, format_args!("type {kind}")),
        }
    }

    /// Dissects a fragment, and hands over the payload it completes.
    fn fragment(&mut self, from: Side, channel: u64, wire: &mut Wire<'_>) -> Result {
        let start = wire.u16_be(&START_NUMBER)?;
        let length = usize::from(wire.u16_be(&LENGTH)?);
        let (count, index) = (wire.u32_be(&COUNT)?, wire.u32_be(&INDEX)?);
        words(wire, &[&TOTAL, &OFFSET])?;
        let range = wire.at()..wire.at() + length;
        let bytes = wire.bytes(&PAYLOAD, length)?;
        if index >= count || count > COUNT_MAX {
            wire.note(&BAD_FRAGMENT, format_args!("fragment {index} of {count}, counted from 0"));
            return Ok(());
        }
        let pieces = wire.pieces(range, 0);
        let part = Part { id: u64::from(start) << 16 | channel, count, index, bytes, pieces: &pieces };
        let on_evict = |evicted: EvictedMessage, _| {
            wire.note_layer(&INCOMPLETE, format_args!("{} of {} fragments received", evicted.received, evicted.count))
        };
        match self.fragments[from].add(part, on_evict) {
            Added::Incomplete | Added::Duplicate => {}
            Added::Conflict => wire.note(&CONFLICT, format_args!("fragment {index} was received before with other bytes")),
            Added::Complete(joined) => {
                wire.add(&COMPLETES, Value::Unsigned(count.into()));
                let whole = 0..joined.bytes.len();
                wire.joined(PARTS, &joined.pieces, &joined.bytes, |inner| inner.offer(PLACE, whole));
            }
        }
        Ok(())
    }
}

/// Adds the summary: command names and total payload size.
fn summarize(wire: &mut Wire<'_>) {
    /// Maximum number of commands in the summary.
    const NAMED: usize = 6;
    let (mut bytes, mut names, mut payload) = (wire.ahead(), Vec::new(), 0);
    while let Some(first) = bytes.first()
        && names.len() < NAMED
    {
        let kind = first & TYPE_MASK;
        names.push(name_of(TYPES, kind.into()).unwrap_or("unknown command"));
        let Some(size) = size(bytes) else { break };
        payload += size - SIZES.get(usize::from(kind)).copied().unwrap_or_default();
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
    wire.u8(&INCOMING_SESSION)?;
    wire.u8(&OUTGOING_SESSION)?;
    words(wire, &[&MTU, &WINDOW, &CHANNELS, &INCOMING_BANDWIDTH, &OUTGOING_BANDWIDTH])?;
    words(wire, &[&THROTTLE_INTERVAL, &THROTTLE_ACCELERATION, &THROTTLE_DECELERATION, &CONNECT_ID])
}

/// Dissects a length and a payload, which is handed over to other protocols.
fn payload(wire: &mut Wire<'_>) -> Result {
    let length = usize::from(wire.u16_be(&LENGTH)?);
    let range = wire.at()..wire.at() + length;
    wire.bytes(&PAYLOAD, length)?;
    wire.offer(PLACE, range);
    Ok(())
}

/// The name of a command in tables.
fn command_title(node: crate::tree::NodeRef<'_>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    let kind = node.child(&COMMAND_FLAGS).and_then(|flags| flags.child(&TYPE)).and_then(crate::tree::NodeRef::number);
    out.write_str(kind.and_then(|kind| name_of(TYPES, kind)).unwrap_or("command"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const CONNECTS: &str = "8fff 1234 82ff0001 0000 ff ff 00000578 00010000 00000002 00000000 00000000 00001388 00000002 00000002 \
        9c3ba17e 00000007";
    const VERIFIES: &str = "8000 2345 83ff0001 0003 00 00 00000578 00010000 00000002 00000000 00000000 00001388 00000002 00000002 \
        9c3ba17e 01ff0001 0001 1234";
    const SENDS: &str = "8003 1240 86000001 0003 616263 07010000 0001 0002 6465 49000000 0005 0001 66 85ff0002";
    const FRAGMENTS: [&str; 2] = [
        "8003 1250 88000002 0002 0003 00000002 00000000 00000005 00000000 68656c",
        "8003 1251 88000003 0002 0002 00000002 00000001 00000005 00000003 6c6f",
    ];
    const OTHERS: &str = "0003 8aff0003 00010000 00020000 8bff0004 00001388 00000002 00000002 84ff0005 00000001";

    fn read(session: &mut Session, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| session.message(Side::Client, wire))
    }

    #[test]
    fn commands_are_dissected() {
        let mut session = Session::default();
        let trees = [CONNECTS, VERIFIES, SENDS, OTHERS].map(|hex| read(&mut session, hex)).concat();
        insta::assert_snapshot!(trees, @"
        enet 0..52 | Connect
          0..2 enet.flags = 0x8fff
            0..2 enet.flags.sent_time = true
            0..2 enet.flags.compressed = false
            0..2 enet.session_id = 0
            0..2 enet.peer_id = 4095
          2..4 enet.sent_time = 4660
          4..52 enet.command
            4..5 enet.command.flags = 0x82
              4..5 enet.command.acknowledge = true
              4..5 enet.command.unsequenced = false
              4..5 enet.command.type = 2 (Connect)
            5..6 enet.channel_id = 255
            6..8 enet.reliable_sequence = 1
            8..10 enet.outgoing_peer_id = 0
            10..11 enet.incoming_session_id = 255
            11..12 enet.outgoing_session_id = 255
            12..16 enet.mtu = 1400
            16..20 enet.window_size = 65536
            20..24 enet.channel_count = 2
            24..28 enet.incoming_bandwidth = 0
            28..32 enet.outgoing_bandwidth = 0
            32..36 enet.throttle_interval = 5000
            36..40 enet.throttle_acceleration = 2
            40..44 enet.throttle_deceleration = 2
            44..48 enet.connect_id = 0x9c3ba17e
            48..52 enet.data = 0x00000007
        enet 0..56 | Verify connect, Acknowledge
          0..2 enet.flags = 0x8000
            0..2 enet.flags.sent_time = true
            0..2 enet.flags.compressed = false
            0..2 enet.session_id = 0
            0..2 enet.peer_id = 0
          2..4 enet.sent_time = 9029
          4..48 enet.command
            4..5 enet.command.flags = 0x83
              4..5 enet.command.acknowledge = true
              4..5 enet.command.unsequenced = false
              4..5 enet.command.type = 3 (Verify connect)
            5..6 enet.channel_id = 255
            6..8 enet.reliable_sequence = 1
            8..10 enet.outgoing_peer_id = 3
            10..11 enet.incoming_session_id = 0
            11..12 enet.outgoing_session_id = 0
            12..16 enet.mtu = 1400
            16..20 enet.window_size = 65536
            20..24 enet.channel_count = 2
            24..28 enet.incoming_bandwidth = 0
            28..32 enet.outgoing_bandwidth = 0
            32..36 enet.throttle_interval = 5000
            36..40 enet.throttle_acceleration = 2
            40..44 enet.throttle_deceleration = 2
            44..48 enet.connect_id = 0x9c3ba17e
          48..56 enet.command
            48..49 enet.command.flags = 0x01
              48..49 enet.command.acknowledge = false
              48..49 enet.command.unsequenced = false
              48..49 enet.command.type = 1 (Acknowledge)
            49..50 enet.channel_id = 255
            50..52 enet.reliable_sequence = 1
            52..54 enet.received_sequence = 1
            54..56 enet.received_sent_time = 4660
        enet 0..36 | Send reliable, Send unreliable, Send unsequenced, Ping | 6 bytes of payload
          0..2 enet.flags = 0x8003
            0..2 enet.flags.sent_time = true
            0..2 enet.flags.compressed = false
            0..2 enet.session_id = 0
            0..2 enet.peer_id = 3
          2..4 enet.sent_time = 4672
          4..13 enet.command
            4..5 enet.command.flags = 0x86
              4..5 enet.command.acknowledge = true
              4..5 enet.command.unsequenced = false
              4..5 enet.command.type = 6 (Send reliable)
            5..6 enet.channel_id = 0
            6..8 enet.reliable_sequence = 1
            8..10 enet.data_length = 3
            10..13 enet.payload = 616263
          13..23 enet.command
            13..14 enet.command.flags = 0x07
              13..14 enet.command.acknowledge = false
              13..14 enet.command.unsequenced = false
              13..14 enet.command.type = 7 (Send unreliable)
            14..15 enet.channel_id = 1
            15..17 enet.reliable_sequence = 0
            17..19 enet.unreliable_sequence = 1
            19..21 enet.data_length = 2
            21..23 enet.payload = 6465
          23..32 enet.command
            23..24 enet.command.flags = 0x49
              23..24 enet.command.acknowledge = false
              23..24 enet.command.unsequenced = true
              23..24 enet.command.type = 9 (Send unsequenced)
            24..25 enet.channel_id = 0
            25..27 enet.reliable_sequence = 0
            27..29 enet.unsequenced_group = 5
            29..31 enet.data_length = 1
            31..32 enet.payload = 66
          32..36 enet.command
            32..33 enet.command.flags = 0x85
              32..33 enet.command.acknowledge = true
              32..33 enet.command.unsequenced = false
              32..33 enet.command.type = 5 (Ping)
            33..34 enet.channel_id = 255
            34..36 enet.reliable_sequence = 2
        enet 0..38 | Bandwidth limit, Throttle configure, Disconnect
          0..2 enet.flags = 0x0003
            0..2 enet.flags.sent_time = false
            0..2 enet.flags.compressed = false
            0..2 enet.session_id = 0
            0..2 enet.peer_id = 3
          2..14 enet.command
            2..3 enet.command.flags = 0x8a
              2..3 enet.command.acknowledge = true
              2..3 enet.command.unsequenced = false
              2..3 enet.command.type = 10 (Bandwidth limit)
            3..4 enet.channel_id = 255
            4..6 enet.reliable_sequence = 3
            6..10 enet.incoming_bandwidth = 65536
            10..14 enet.outgoing_bandwidth = 131072
          14..30 enet.command
            14..15 enet.command.flags = 0x8b
              14..15 enet.command.acknowledge = true
              14..15 enet.command.unsequenced = false
              14..15 enet.command.type = 11 (Throttle configure)
            15..16 enet.channel_id = 255
            16..18 enet.reliable_sequence = 4
            18..22 enet.throttle_interval = 5000
            22..26 enet.throttle_acceleration = 2
            26..30 enet.throttle_deceleration = 2
          30..38 enet.command
            30..31 enet.command.flags = 0x84
              30..31 enet.command.acknowledge = true
              30..31 enet.command.unsequenced = false
              30..31 enet.command.type = 4 (Disconnect)
            31..32 enet.channel_id = 255
            32..34 enet.reliable_sequence = 5
            34..38 enet.data = 0x00000001
        ");
    }

    #[test]
    fn fragments_are_joined() {
        let mut session = Session::default();
        let [first, second] = FRAGMENTS.map(|hex| read(&mut session, hex));
        assert!(!first.contains("enet.fragment.completes") && second.contains("enet.fragment.completes = 2"), "{second}");
        let conflict = FRAGMENTS[0].replace("00000002 00000000 00000005", "00000002 00000002 00000005");
        assert!(read(&mut session, &conflict).contains("enet.bad_fragment"));
    }

    #[test]
    fn a_conversation_is_recognized_by_its_connect_command() {
        let with_checksums = CONNECTS.replacen("1234", "1234 deadbeef", 1);
        for connects in [CONNECTS, VERIFIES, &with_checksums] {
            assert!(recognize(&trial::bytes(connects)), "{connects}");
        }
        for other in [SENDS, OTHERS, &CONNECTS.replacen("82ff", "82fe", 1), &CONNECTS.replacen("8fff", "8001", 1), "", "8fff"] {
            assert!(!recognize(&trial::bytes(other)), "{other}");
        }
        let mut session = Session::default();
        read(&mut session, &with_checksums);
        assert!(session.has_checksums);
        assert!(!session.claims(Side::Client, &trial::bytes(SENDS)));
        assert!(session.claims(Side::Client, &trial::bytes(&SENDS.replacen("1240", "1240 00000000", 1))));
    }

    #[test]
    fn damaged_datagrams_are_dissected() {
        for hex in [CONNECTS, VERIFIES, SENDS, OTHERS, FRAGMENTS[0], FRAGMENTS[1]] {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), |wire| Session::default().message(Side::Client, wire));
        }
    }
}
