//! RTP (RFC 3550): media packets of sessions that SDP announces, or of which several packets follow each other.
//!
//! ```text
//! version:2 bits | padding:1 | extension:1 | CSRC count:4 | marker:1 | payload type:7 | sequence number:2 | timestamp:4 | SSRC:4 | CSRC:4 …
//! extension   profile:2 | length:2 | length × 4
//! ```
//! Not covered: media formats, the first packets of a session without an announcement.

pub mod statistics;

use super::rtcp;
use crate::tree::{Names, fields, name_of};
use crate::wire::{Error, Heuristic, On, Protocol, Result, SERIES_HEAD, Series, Step, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&RTP, FIELDS)
    .found(&[
        On::Over("rtp").datagram(Heuristic::Datagram(recognize), datagram),
        On::AnyUdp.datagram(Heuristic::Series(Series { least: 4, begins, follows }), datagram),
    ])
    .rest(&PAYLOAD);

fields! {
    RTP = protocol("rtp", "RTP", "Real-time Transport Protocol")
        .covers("Headers of packets that SDP announced, or from the fourth one that follows others")
        .leaves_open("Media formats, and the first packets that no SDP announced");
    VERSION = number("rtp.version", "version", "2 in RFC 3550").mask(0xc0).once();
    PADDING_BIT = bool("rtp.padding", "padding", "Set if padding follows the payload").mask(0x20);
    EXTENSION_BIT = bool("rtp.ext", "extension", "Set if a header extension follows the CSRC list").mask(0x10).once();
    CSRC_COUNT = number("rtp.cc", "CSRC count", "Number of CSRC identifiers that follow the fixed header").mask(0x0f).once();
    MARKER = bool("rtp.marker", "marker", "Meaning depends on the profile: the last packet of a video frame, the first of a talk spurt").mask(0x80).once();
    PAYLOAD_TYPE = number("rtp.p_type", "payload type", "Format of the payload, RFC 3551").names(PAYLOAD_TYPES).mask(0x7f).once();
    SEQUENCE_NUMBER = number("rtp.seq", "sequence number", "Increases by one with each packet").once();
    TIMESTAMP = number("rtp.timestamp", "timestamp", "Sampling instant of the first byte of the payload, in units of the media clock").once();
    SSRC = number("rtp.ssrc", "SSRC", "Synchronization source identifier").hex(8).once();
    CSRC = number("rtp.csrc.item", "CSRC", "Contributing source of a mixed stream").hex(8);
    PROFILE = number("rtp.ext.profile", "extension profile", "Identifier defined by the profile").hex(4);
    EXTENSION_LENGTH = number("rtp.ext.len", "extension length", "In units of 32 bits");
    EXTENSION = bytes("rtp.hdr_exts", "header extension", "");
    PAYLOAD = bytes("rtp.payload", "payload", "Media data").body().once();
    PADDING = bytes("rtp.padding.data", "padding", "The last byte counts the padding bytes, itself included");
}

const PAYLOAD_TYPES: Names = &[
    (0, "PCMU"),
    (3, "GSM"),
    (4, "G723"),
    (8, "PCMA"),
    (9, "G722"),
    (13, "comfort noise"),
    (18, "G729"),
    (26, "JPEG"),
    (31, "H261"),
    (32, "MPV"),
    (33, "MP2T"),
    (34, "H263"),
];

fn recognize(bytes: &[u8]) -> bool {
    bytes.len() >= 12
        && bytes.first().is_some_and(|first| first >> 6 == 2)
        && !bytes.get(1).is_some_and(|kind| rtcp::SHARED_TYPES.contains(kind))
}

/// Header of a packet as far as a series needs it.
struct Header {
    marker: bool,
    kind: u8,
    number: u16,
    timestamp: u32,
    ssrc: u32,
}

impl Header {
    fn of(bytes: &[u8]) -> Option<Header> {
        let &[_, kind, n0, n1, t0, t1, t2, t3, s0, s1, s2, s3] = bytes.first_chunk()?;
        Some(Header {
            marker: kind & 0x80 != 0,
            kind: kind & 0x7f,
            number: u16::from_be_bytes([n0, n1]),
            timestamp: u32::from_be_bytes([t0, t1, t2, t3]),
            ssrc: u32::from_be_bytes([s0, s1, s2, s3]),
        })
    }
}

/// Size of the header with CSRCs and extension, if the datagram has payload and padding behind it.
fn payload(bytes: &[u8]) -> Option<usize> {
    const FIXED: usize = 12;
    let first = *bytes.first()?;
    let mut size = FIXED + usize::from(first & 15) * 4;
    if first & 0x10 != 0 {
        let &[_, _, high, low] = bytes.get(size..)?.first_chunk()?;
        size += 4 + usize::from(u16::from_be_bytes([high, low])) * 4;
    }
    let behind = bytes.get(size..).filter(|behind| !behind.is_empty())?;
    let padding = usize::from(if first & 0x20 == 0 { 0 } else { *behind.last()? });
    (padding <= behind.len() && (first & 0x20 == 0 || padding > 0)).then_some(size)
}

/// Whether a datagram may be a packet of a session that nothing announced: with an assigned or a dynamic payload type, a random
/// source, and payload.
fn begins(bytes: &[u8]) -> bool {
    let is_plausible = |header: Header| {
        let is_assigned = matches!(header.kind, 0 | 3..=18 | 25 | 26 | 28 | 31..=34 | 96..=127);
        is_assigned && !matches!(header.ssrc, 0 | u32::MAX)
    };
    recognize(bytes) && payload(bytes).is_some() && Header::of(bytes).is_some_and(is_plausible)
}

/// Whether a packet follows another one of the same source: its number is a little higher, and its time not lower.
fn follows(earlier: &[u8; SERIES_HEAD], later: &[u8]) -> Step {
    /// Packets that may be lost in between.
    const LOST: u16 = 8;
    /// Ten seconds of a clock of 90 kHz.
    const PAUSE: u32 = 900_000;
    /// The first payload type of video.
    const VIDEO: u8 = 25;
    let (Some(earlier), Some(later)) = (Header::of(earlier), Header::of(later)) else { return Step::No };
    let passed = later.timestamp.wrapping_sub(earlier.timestamp);
    let is_next = (1..=LOST).contains(&later.number.wrapping_sub(earlier.number));
    match passed {
        _ if !is_next || (later.kind, later.ssrc) != (earlier.kind, earlier.ssrc) => Step::No,
        // Only packets of one video frame have the same time; the last one is marked.
        0 if earlier.kind >= VIDEO && !earlier.marker => Step::Fits,
        1..=PAUSE => Step::Advances,
        _ => Step::No,
    }
}

fn datagram(wire: &mut Wire<'_>) -> Result {
    let first = wire.bits(1, &[&VERSION, &PADDING_BIT, &EXTENSION_BIT, &CSRC_COUNT])?;
    let kind = wire.bits(1, &[&MARKER, &PAYLOAD_TYPE])? & 0x7f;
    let number = wire.u16_be(&SEQUENCE_NUMBER)?;
    wire.u32_be(&TIMESTAMP)?;
    wire.u32_be(&SSRC)?;
    for _ in 0..first & 15 {
        wire.u32_be(&CSRC)?;
    }
    if first & 0x10 != 0 {
        wire.u16_be(&PROFILE)?;
        let words = wire.u16_be(&EXTENSION_LENGTH)?;
        wire.optional(&EXTENSION, usize::from(words) * 4)?;
    }
    let padding = if first & 0x20 != 0 { wire.ahead().last().copied().unwrap_or_default().into() } else { 0 };
    let payload = wire.remaining().checked_sub(padding).ok_or(Error::Short { needed: padding })?;
    match name_of(PAYLOAD_TYPES, kind) {
        Some(name) => wire.name(name),
        None => wire.name(&format!("type {kind}")),
    }
    wire.info(format_args!("number {number}, {payload} bytes"));
    wire.optional(&PAYLOAD, payload)?;
    wire.optional(&PADDING, padding).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    #[test]
    fn a_packet_is_dissected_field_by_field() {
        let bytes = trial::bytes("b1 80 00 07 00 00 00 a0 12 34 56 78 00 00 00 01 be de 00 01 aa bb cc dd 11 22 33 00 02");
        insta::assert_snapshot!(trial::read(&PROTOCOL, &bytes, Cut::No, datagram), @r"
        rtp 0..29 | PCMU | number 7, 3 bytes
          0..1 rtp.version = 2
          0..1 rtp.padding = true
          0..1 rtp.ext = true
          0..1 rtp.cc = 1
          1..2 rtp.marker = true
          1..2 rtp.p_type = 0 (PCMU)
          2..4 rtp.seq = 7
          4..8 rtp.timestamp = 160
          8..12 rtp.ssrc = 0x12345678
          12..16 rtp.csrc.item = 0x00000001
          16..18 rtp.ext.profile = 0xbede
          18..20 rtp.ext.len = 1
          20..24 rtp.hdr_exts = aabbccdd
          24..27 rtp.payload = 112233
          27..29 rtp.padding.data = 0002
        ");
    }

    #[test]
    fn rtcp_is_not_recognized() {
        assert!(recognize(&[0x80; 12]) && !recognize(&[0x80; 11]) && !recognize(&[0x40; 12]));
        assert!(!recognize(&[0x80, 200, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]));
    }

    /// A packet with three bytes of payload.
    fn packet(kind: u8, number: u16, timestamp: u32) -> Vec<u8> {
        let mut bytes = vec![0x80, kind];
        bytes.extend(number.to_be_bytes());
        bytes.extend(timestamp.to_be_bytes());
        bytes.extend([0x5e, 0x11, 0x22, 0x33, 1, 2, 3]);
        bytes
    }

    fn step(earlier: &[u8], later: &[u8]) -> Step {
        match earlier.first_chunk().copied().unwrap_or_default() {
            _ if earlier.len() < SERIES_HEAD => Step::No,
            head if begins(earlier) && begins(later) => follows(&head, later),
            _ => Step::No,
        }
    }

    fn long(kind: u8, number: u16, timestamp: u32) -> Vec<u8> {
        [packet(kind, number, timestamp), vec![9; 20]].concat()
    }

    #[test]
    fn a_packet_follows_another_one_of_its_source_a_little_later() {
        let first = long(0, 65_535, 4_294_967_200);
        assert_eq!(step(&first, &long(0, 0, 64)), Step::Advances);
        assert_eq!(step(&first, &long(0x80, 3, 64)), Step::Advances);
        assert_eq!(step(&long(96, 7, 90), &long(96, 8, 90)), Step::Fits);
        let others = [
            long(0, 65_535, 64),
            long(0, 65_534, 64),
            long(0, 9, 64),
            long(8, 0, 64),
            long(0, 0, 4_294_967_200),
            long(0, 0, 4_294_967_100),
            long(0, 0, 1_000_000),
            long(40, 0, 64),
            long(77, 0, 64),
        ];
        for other in others {
            assert_eq!(step(&first, &other), Step::No, "{other:x?}");
        }
        assert_eq!(step(&long(0xe0, 7, 90), &long(0x60, 8, 90)), Step::No);
        assert_eq!(step(&long(0, 7, 90), &long(0, 8, 90)), Step::No);
    }

    #[test]
    fn a_header_beyond_the_datagram_begins_no_series() {
        assert!(begins(&packet(0, 1, 160)) && !begins(&packet(0, 1, 160)[..12]));
        for (first, is_right) in [(0x81, false), (0x90, false), (0xa0, true), (0x40, false)] {
            let mut bytes = packet(0, 1, 160);
            bytes[0] = first;
            assert_eq!(begins(&bytes), is_right, "{first:x}");
        }
        let mut padded = packet(0, 1, 160);
        (padded[0], padded[14]) = (0xa0, 4);
        assert!(!begins(&padded));
        let mut without_source = packet(0, 1, 160);
        without_source[8..12].fill(0);
        assert!(!begins(&without_source));
    }
}
