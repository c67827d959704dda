//! RTP (RFC 3550): media packets of the sessions that SDP announces.
//!
//! ```text
//! version:2 bits | padding:1 | extension:1 | CSRC count:4 | marker:1 | payload type:7 | sequence number:2 | timestamp:4 | SSRC:4 | CSRC:4 …
//! extension   profile:2 | length:2 | length × 4
//! ```
//! Not covered: media formats, datagrams without an announcement.

use super::rtcp;
use crate::tree::{Names, fields, name_of};
use crate::wire::{Error, Heuristic, On, Protocol, Result, Wire};

/// RTP.
pub static PROTOCOL: Protocol =
    Protocol::new(&RTP, FIELDS, &[On::Over("rtp").datagram(Heuristic::Datagram(recognize), datagram)]).rest(&PAYLOAD);

fields! {
    RTP = protocol("rtp", "RTP", "Real-time Transport Protocol")
        .covers("Headers of the packets that SDP announced")
        .leaves_open("Media formats, and packets that no SDP announced");
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
        if words > 0 {
            wire.bytes(&EXTENSION, usize::from(words) * 4)?;
        }
    }
    let padding = if first & 0x20 != 0 { wire.ahead().last().copied().unwrap_or_default().into() } else { 0 };
    let payload = wire.remaining().checked_sub(padding).ok_or(Error::Short { needed: padding })?;
    match name_of(PAYLOAD_TYPES, kind) {
        Some(name) => wire.name(name),
        None => wire.name(&format!("type {kind}")),
    }
    wire.info(format_args!("number {number}, {payload} bytes"));
    if payload > 0 {
        wire.bytes(&PAYLOAD, payload)?;
    }
    if padding > 0 {
        wire.bytes(&PADDING, padding)?;
    }
    Ok(())
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
}
