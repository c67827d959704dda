//! Conversations of a log as a pcapng capture with TCP and UDP packets that are made up around its messages.
//!
//! Headers and checksums are valid, and connections are opened and closed, so that other programs read the packets as well. Each
//! packet has a comment which states that it is reconstructed.

use crate::tree::Side;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Maximum payload of a packet.
const SEGMENT: usize = 65_000;

/// Link type of packets that begin with an IP header.
const RAW_IP: u32 = 101;

const TCP: u8 = 6;
const UDP: u8 = 17;

const FIN: u8 = 1;
const SYN: u8 = 2;
const PUSH: u8 = 8;
const ACK: u8 = 16;

/// Types of blocks and codes of options.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const END: u16 = 0;
const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const NAME: u16 = 2;
const RESOLUTION: u16 = 9;

/// Client and server of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ends {
    pub(super) client: SocketAddr,
    pub(super) server: SocketAddr,
}

/// The state of a conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conversation {
    ends: Ends,
    is_tcp: bool,
    /// Next sequence numbers of client and server.
    next: [u32; 2],
}

/// Writer of packets.
pub(super) struct Rebuilt {
    /// Bytes of the capture that were not read yet.
    pub(super) out: Vec<u8>,
    /// The comment of each packet.
    comment: String,
    begun: u32,
    /// Nanoseconds since 1970 of the last packet.
    now: u64,
}

impl Rebuilt {
    /// Begins the capture of a log in this format.
    pub(super) fn new(format: &str, description: &str) -> Rebuilt {
        let comment = format!("reconstructed from a log ({format})");
        let mut rebuilt = Rebuilt { out: Vec::new(), comment, begun: 0, now: 0 };
        rebuilt.block(SECTION, |out| {
            put(out, 0x1a2b_3c4d);
            out.extend_from_slice(&[1, 0, 0, 0]);
            out.extend_from_slice(&u64::MAX.to_le_bytes());
            option(out, COMMENT, description.as_bytes());
            option(out, APPLICATION, b"proto-dissect");
            option(out, END, b"");
        });
        rebuilt.block(INTERFACE, |out| {
            put(out, RAW_IP);
            put(out, 0);
            option(out, NAME, format.as_bytes());
            option(out, RESOLUTION, &[9]);
            option(out, END, b"");
        });
        rebuilt
    }

    /// Opens a TCP connection: with a handshake.
    pub(super) fn connect(&mut self, ends: Ends, time: u64, comment: &str) -> Conversation {
        // Different first sequence numbers tell connections between the same ports apart.
        self.begun = self.begun.wrapping_add(1);
        let first = self.begun.wrapping_mul(0x9e37_79b1);
        let mut conversation = Conversation { ends, is_tcp: true, next: [first, !first] };
        self.now = time;
        self.tcp(&mut conversation, Side::Client, SYN, &[], comment);
        self.tcp(&mut conversation, Side::Server, SYN | ACK, &[], "");
        self.tcp(&mut conversation, Side::Client, ACK, &[], "");
        conversation
    }

    /// A conversation over UDP.
    pub(super) fn datagrams(&self, ends: Ends) -> Conversation {
        Conversation { ends, is_tcp: false, next: [0, 0] }
    }

    /// Adds bytes that one side sent.
    pub(super) fn send(&mut self, conversation: &mut Conversation, side: Side, time: u64, parts: &[&[u8]], comment: &str) {
        self.now = time;
        let whole;
        let bytes = match parts {
            [only] => *only,
            _ => {
                whole = parts.concat();
                &whole[..]
            }
        };
        if !conversation.is_tcp && bytes.is_empty() {
            self.udp(conversation, side, bytes, comment);
        }
        for (at, segment) in bytes.chunks(SEGMENT).enumerate() {
            let comment = if at == 0 { comment } else { "" };
            if conversation.is_tcp {
                self.tcp(conversation, side, PUSH | ACK, segment, comment);
            } else {
                self.udp(conversation, side, segment, comment);
            }
        }
    }

    /// Closes a connection: both sides do.
    pub(super) fn close(&mut self, conversation: &mut Conversation, first: Side, time: u64, comment: &str) {
        if conversation.is_tcp {
            self.now = time;
            self.tcp(conversation, first, FIN | ACK, &[], comment);
            self.tcp(conversation, first.other(), FIN | ACK, &[], "");
            self.tcp(conversation, first, ACK, &[], "");
        }
    }

    fn tcp(&mut self, conversation: &mut Conversation, side: Side, flags: u8, payload: &[u8], comment: &str) {
        let [client, server] = conversation.next;
        let (sequence, acknowledged) = if side == Side::Client { (client, server) } else { (server, client) };
        let acknowledged = if flags & ACK == 0 { 0 } else { acknowledged };
        let advance = u32::try_from(payload.len()).unwrap_or(u32::MAX) + u32::from(flags & (SYN | FIN) != 0);
        if let Some(next) = conversation.next.get_mut(side.index()) {
            *next = sequence.wrapping_add(advance);
        }
        let [from, to] = ends(conversation.ends, side);
        let mut header = Vec::with_capacity(20);
        header.extend_from_slice(&from.port().to_be_bytes());
        header.extend_from_slice(&to.port().to_be_bytes());
        header.extend_from_slice(&sequence.to_be_bytes());
        header.extend_from_slice(&acknowledged.to_be_bytes());
        header.extend_from_slice(&[5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
        self.packet([from.ip(), to.ip()], TCP, &mut header, 16, payload, comment);
    }

    fn udp(&mut self, conversation: &Conversation, side: Side, payload: &[u8], comment: &str) {
        let [from, to] = ends(conversation.ends, side);
        let length = u16::try_from(payload.len() + 8).unwrap_or(u16::MAX);
        let mut header = Vec::with_capacity(8);
        for number in [from.port(), to.port(), length, 0] {
            header.extend_from_slice(&number.to_be_bytes());
        }
        self.packet([from.ip(), to.ip()], UDP, &mut header, 6, payload, comment);
    }

    /// A packet; the checksum of its transport header belongs at `place`.
    fn packet(&mut self, ips: [IpAddr; 2], protocol: u8, header: &mut [u8], place: usize, payload: &[u8], comment: &str) {
        let length = header.len() + payload.len();
        let mut sum = Checksum::default();
        let ip = ip_header(ips, protocol, length, &mut sum);
        sum.add(header);
        sum.add(payload);
        let sum = if protocol == UDP && sum.finish() == 0 { 0xffff } else { sum.finish() };
        if let Some(target) = header.get_mut(place..place + 2) {
            target.copy_from_slice(&sum.to_be_bytes());
        }
        let size = u32::try_from(ip.len() + length).unwrap_or(u32::MAX);
        let (now, own) = (self.now, std::mem::take(&mut self.comment));
        self.block(PACKET, |out| {
            put(out, 0);
            put(out, u32::try_from(now >> 32).unwrap_or(u32::MAX));
            put(out, u32::try_from(now & u64::from(u32::MAX)).unwrap_or(u32::MAX));
            put(out, size);
            put(out, size);
            out.extend_from_slice(&ip);
            out.extend_from_slice(header);
            out.extend_from_slice(payload);
            pad(out);
            if !comment.is_empty() {
                option(out, COMMENT, comment.as_bytes());
            }
            option(out, COMMENT, own.as_bytes());
            option(out, END, b"");
        });
        self.comment = own;
    }

    fn block(&mut self, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
        let start = self.out.len();
        put(&mut self.out, kind);
        put(&mut self.out, 0);
        body(&mut self.out);
        let length = u32::try_from(self.out.len() - start + 4).unwrap_or(u32::MAX);
        put(&mut self.out, length);
        if let Some(place) = self.out.get_mut(start + 4..start + 8) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// Sender and receiver.
fn ends(ends: Ends, side: Side) -> [SocketAddr; 2] {
    if side == Side::Client { [ends.client, ends.server] } else { [ends.server, ends.client] }
}

/// An IP header for this many bytes. Adds what the checksum of the transport counts of it.
fn ip_header(ips: [IpAddr; 2], protocol: u8, length: usize, sum: &mut Checksum) -> Vec<u8> {
    let counted = u16::try_from(length).unwrap_or(u16::MAX);
    sum.add(&[0, protocol]);
    sum.add(&counted.to_be_bytes());
    let mut header = Vec::with_capacity(40);
    if let [IpAddr::V4(from), IpAddr::V4(to)] = ips {
        let total = counted.saturating_add(20).to_be_bytes();
        let [high, low] = total;
        header.extend_from_slice(&[0x45, 0, high, low, 0, 0, 0x40, 0, 64, protocol, 0, 0]);
        header.extend_from_slice(&from.octets());
        header.extend_from_slice(&to.octets());
        sum.add(&from.octets());
        sum.add(&to.octets());
        let mut own = Checksum::default();
        own.add(&header);
        if let Some(place) = header.get_mut(10..12) {
            place.copy_from_slice(&own.finish().to_be_bytes());
        }
        return header;
    }
    header.extend_from_slice(&[0x60, 0, 0, 0]);
    header.extend_from_slice(&counted.to_be_bytes());
    header.extend_from_slice(&[protocol, 64]);
    for ip in ips.map(wide) {
        header.extend_from_slice(&ip.octets());
        sum.add(&ip.octets());
    }
    header
}

fn wide(ip: IpAddr) -> Ipv6Addr {
    match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    }
}

/// The checksum of the Internet protocols. All parts but the last have an even length.
#[derive(Default)]
struct Checksum(u64);

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<2>();
        self.0 += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        self.0 += rest.first().map_or(0, |last| u64::from(*last) << 8);
    }

    fn finish(&self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !u16::try_from(sum).unwrap_or_default()
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

/// An option; its value is cut to what a length of two bytes counts.
fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = value.get(..60_000).unwrap_or(value);
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&u16::try_from(value.len()).unwrap_or_default().to_le_bytes());
    out.extend_from_slice(value);
    pad(out);
}
