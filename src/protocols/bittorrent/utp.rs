//! µTP (BEP 29): streams of BitTorrent over UDP with delay-based congestion control.
//!
//! Numbers are big-endian.
//!
//! ```text
//! type:4 bits | version:4, 1 | extension:1 | connection ID:2 | timestamp:4 | difference:4 | window:4 | number:2 | acknowledged:2
//! extension   type of the next one:1 | length:1 | data
//! ```
//! A connection is recognized by its SYN packet; on UDP ports 6881 to 6889 also later.
//! Not covered: version 0; reassembly of the stream.

use crate::limits;
use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::{DatagramContext, Exchange, Heuristic, On, Protocol, Result, Wire};
use std::collections::VecDeque;

pub static PROTOCOL: Protocol = Protocol::new(&UTP, FIELDS)
    .found(&[
        On::UdpRun(PORTS.0, PORTS.1).exchange::<Connections>(Heuristic::InContext(on_port)),
        On::AnyUdp.exchange::<Connections>(Heuristic::Datagram(is_syn)),
    ])
    .rest(&DATA);

fields! {
    UTP = protocol("bt-utp", "BT-uTP", "uTorrent Transport Protocol")
        .covers("Headers and extensions of version 1")
        .leaves_open("Version 0, reassembly of the stream");
    VERSION = number("bt-utp.ver", "version", "").mask(0x0f).once();
    TYPE = number("bt-utp.type", "type", "").mask(0xf0).names(TYPES).once();
    NEXT = number("bt-utp.next_extension_type", "next extension type", "").names(EXTENSIONS);
    CONNECTION = number("bt-utp.connection_id", "connection ID", "").once();
    TIMESTAMP = number("bt-utp.timestamp_us", "timestamp", "When the packet was sent, in microseconds").once();
    DIFFERENCE = number("bt-utp.timestamp_diff_us", "timestamp difference", "Delay of the latest packet received, in microseconds").once();
    WINDOW = number("bt-utp.wnd_size", "window size", "In bytes").once();
    SEQUENCE = number("bt-utp.seq_nr", "sequence number", "Counts packets").once();
    ACKNOWLEDGED = number("bt-utp.ack_nr", "ACK number", "Sequence number of the latest packet received").once();
    EXTENSION = group("bt-utp.extension", "extension", "");
    EXTENSION_LENGTH = number("bt-utp.extension_len", "extension length", "In bytes").once_per(&EXTENSION);
    BITMASK = bytes("bt-utp.extension_bitmask", "extension bitmask", "Packets received behind the acknowledged one").once_per(&EXTENSION);
    EXTENSION_DATA = bytes("bt-utp.extension_unknown", "extension data", "").once_per(&EXTENSION);
    LENGTH = number("bt-utp.len", "segment length", "Bytes of data").once();
    DATA = bytes("bt-utp.data", "data", "Bytes of the stream").body().once();
}

const TYPES: Names = &[(0, "Data"), (1, "Fin"), (2, "State"), (3, "Reset"), (4, "Syn")];
const EXTENSIONS: Names = &[(0, "No extension"), (1, "Selective ACKs"), (2, "Extension bits")];

/// First and last port of BitTorrent.
const PORTS: (u16, u16) = (6881, 6889);
const HEADER: usize = 20;
const SYN: u8 = 4;
const SELECTIVE_ACK: u8 = 1;
/// Maximum window of a SYN packet, in bytes.
const WINDOW_MAX: u32 = 1 << 26;

/// Header values used for recognition.
struct Header {
    kind: u8,
    id: u16,
    /// Size of header and extensions in bytes.
    size: usize,
}

/// The header at the start of the bytes, if it and its extensions are complete and of known types.
fn header(bytes: &[u8]) -> Option<Header> {
    let &[first, mut next, high, low] = bytes.first_chunk()?;
    let mut size = HEADER;
    while next != 0 {
        let &[following, length] = bytes.get(size..)?.first_chunk()?;
        if next > 3 || length == 0 || next == SELECTIVE_ACK && length % 4 != 0 {
            return None;
        }
        (next, size) = (following, size + 2 + usize::from(length));
    }
    let is_known = first & 0x0f == 1 && first >> 4 <= SYN && size <= bytes.len();
    is_known.then_some(Header { kind: first >> 4, id: u16::from_be_bytes([high, low]), size })
}

/// Only data packets have payload.
fn is_packet(bytes: &[u8]) -> bool {
    header(bytes).is_some_and(|header| (header.kind == 0) == (bytes.len() > header.size))
}

/// On the ports of BitTorrent, any valid packet is accepted.
fn on_port(bytes: &[u8], context: &DatagramContext) -> bool {
    let is_port = |port: &u16| (PORTS.0..=PORTS.1).contains(port);
    context.ports.is_some_and(|ports| ports.iter().any(is_port)) && is_packet(bytes)
}

/// Whether a packet is a SYN: without data, timestamp difference and acknowledgement.
fn is_syn(bytes: &[u8]) -> bool {
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word));
    header(bytes).is_some_and(|header| header.kind == SYN && header.size == bytes.len())
        && word(4).is_some_and(|time| time > 0)
        && word(8) == Some(0)
        && word(12).is_some_and(|window| (1..=WINDOW_MAX).contains(&window))
        && bytes.get(18..HEADER) == Some(&[0, 0])
}

/// The connections between two endpoints, by the connection ID of their SYN. The ID of the other side is one higher.
#[derive(Default)]
struct Connections(VecDeque<u16>);

impl Exchange for Connections {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if let Some(Header { kind: SYN, id, .. }) = header(wire.ahead())
            && !self.0.contains(&id)
        {
            if self.0.len() >= limits::REQUESTS.get() {
                self.0.pop_front();
                wire.evicted(format_args!("the oldest of more than {} connections", limits::REQUESTS.get()));
            }
            self.0.push_back(id);
        }
        packet(wire)
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let is_of = |id: u16| self.0.iter().any(|opened| id == *opened || id == opened.wrapping_add(1));
        is_packet(bytes) && header(bytes).is_some_and(|header| is_of(header.id))
    }
}

fn packet(wire: &mut Wire<'_>) -> Result {
    let first = wire.bits(1, &[&VERSION, &TYPE])?;
    wire.name(name_of(TYPES, TYPE.bits_of(first)).unwrap_or("unknown type"));
    let mut next = wire.u8(&NEXT)?;
    let id = wire.u16_be(&CONNECTION)?;
    for field in [&TIMESTAMP, &DIFFERENCE, &WINDOW] {
        wire.u32_be(field)?;
    }
    let sequence = wire.u16_be(&SEQUENCE)?;
    let acknowledged = wire.u16_be(&ACKNOWLEDGED)?;
    wire.info(format_args!("connection {id}, seq {sequence}, ack {acknowledged}"));
    while next != 0 {
        let field: &'static Field = if next == SELECTIVE_ACK { &BITMASK } else { &EXTENSION_DATA };
        next = wire.group(&EXTENSION, |wire| {
            let next = wire.u8(&NEXT)?;
            wire.counted(Wire::u8, &EXTENSION_LENGTH, field)?;
            Ok(next)
        })?;
    }
    wire.add(&LENGTH, Value::Unsigned(wire.remaining() as u64));
    wire.rest_is(&DATA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const OPENS: &str = "41 02 1c3a 5b8d80aa 00000000 00100000 0001 0000 00 08 0000000000000000";
    const STATE: &str = "21 01 1c3a 5b8d90aa 00001200 00100000 2f01 0001 00 04 01000000";
    const DATA_PACKET: &str = "01 00 1c3b 5b8da0aa 00001100 00100000 0002 2f01 68656c6c6f";

    fn read(connections: &mut Connections, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| connections.message(Side::Client, wire))
    }

    #[test]
    fn packets_are_dissected() {
        let mut connections = Connections::default();
        let trees = [OPENS, STATE, DATA_PACKET].map(|hex| read(&mut connections, hex)).concat();
        insta::assert_snapshot!(trees, @"
        bt-utp 0..30 | Syn | connection 7226, seq 1, ack 0
          0..1 bt-utp.ver = 1
          0..1 bt-utp.type = 4 (Syn)
          1..2 bt-utp.next_extension_type = 2 (Extension bits)
          2..4 bt-utp.connection_id = 7226
          4..8 bt-utp.timestamp_us = 1536000170
          8..12 bt-utp.timestamp_diff_us = 0
          12..16 bt-utp.wnd_size = 1048576
          16..18 bt-utp.seq_nr = 1
          18..20 bt-utp.ack_nr = 0
          20..30 bt-utp.extension
            20..21 bt-utp.next_extension_type = 0 (No extension)
            21..22 bt-utp.extension_len = 8
            22..30 bt-utp.extension_unknown = 0000000000000000
          bt-utp.len = 0
        bt-utp 0..26 | State | connection 7226, seq 12033, ack 1
          0..1 bt-utp.ver = 1
          0..1 bt-utp.type = 2 (State)
          1..2 bt-utp.next_extension_type = 1 (Selective ACKs)
          2..4 bt-utp.connection_id = 7226
          4..8 bt-utp.timestamp_us = 1536004266
          8..12 bt-utp.timestamp_diff_us = 4608
          12..16 bt-utp.wnd_size = 1048576
          16..18 bt-utp.seq_nr = 12033
          18..20 bt-utp.ack_nr = 1
          20..26 bt-utp.extension
            20..21 bt-utp.next_extension_type = 0 (No extension)
            21..22 bt-utp.extension_len = 4
            22..26 bt-utp.extension_bitmask = 01000000
          bt-utp.len = 0
        bt-utp 0..25 | Data | connection 7227, seq 2, ack 12033
          0..1 bt-utp.ver = 1
          0..1 bt-utp.type = 0 (Data)
          1..2 bt-utp.next_extension_type = 0 (No extension)
          2..4 bt-utp.connection_id = 7227
          4..8 bt-utp.timestamp_us = 1536008362
          8..12 bt-utp.timestamp_diff_us = 4352
          12..16 bt-utp.wnd_size = 1048576
          16..18 bt-utp.seq_nr = 2
          18..20 bt-utp.ack_nr = 12033
          bt-utp.len = 5
          20..25 bt-utp.data = 68656c6c6f
        ");
    }

    #[test]
    fn later_packets_are_claimed_by_their_connection() {
        let mut connections = Connections::default();
        let later = [STATE, DATA_PACKET].map(trial::bytes);
        assert!(is_syn(&trial::bytes(OPENS)) && later.iter().all(|bytes| !is_syn(bytes) && is_packet(bytes)));
        assert!(later.iter().all(|bytes| !connections.claims(Side::Client, bytes)));
        read(&mut connections, OPENS);
        assert!(later.iter().all(|bytes| connections.claims(Side::Client, bytes)));
        assert!(!connections.claims(Side::Client, &trial::bytes("01 00 1c3c 5b8da0aa 00001100 00100000 0002 2f01 68")));
    }

    #[test]
    fn headers_that_do_not_fit_are_not_recognized() {
        for other in [
            "41 00 1c3a 5b8d80aa 00000001 00100000 0001 0000",
            "41 00 1c3a 5b8d80aa 00000000 00100000 0001 0007",
            "41 00 1c3a 5b8d80aa 00000000 00100000 0001 0000 00",
            "42 00 1c3a 5b8d80aa 00000000 00100000 0001 0000",
            "41 02 1c3a 5b8d80aa 00000000 00100000 0001 0000 00 08 00",
            "41 00 1c3a",
        ] {
            assert!(!is_syn(&trial::bytes(other)), "{other}");
        }
    }

    #[test]
    fn damaged_packets_are_dissected() {
        for hex in [OPENS, STATE, DATA_PACKET] {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), |wire| Connections::default().message(Side::Client, wire));
        }
    }

    #[test]
    fn a_forgotten_connection_is_noted() {
        let mut connections = Connections::default();
        let mut open = |id: usize| read(&mut connections, &format!("41 00 {id:04x} 5b8d80aa 00000000 00100000 0001 0000"));
        let most = limits::REQUESTS.get();
        assert!((0..most).all(|id| !open(id).contains("dissect.evicted")));
        assert!(open(most).contains("! info dissect.evicted"));
    }
}
