//! L2TP, PPP frames in UDP (RFC 2661), and headers of version 3 (RFC 3931).
//!
//! ```text
//! version 2  T:1 L:1 .:2 S:1 .:1 O:1 P:1 .:4 version:4 | L: length:2 | tunnel:2 | session:2
//!            S: sent:2 seen:2 | O: offset:2 and so many bytes | T: attributes, else a PPP frame
//! version 3  the same flags | T: length:2 connection:4 sent:2 seen:2 attributes, else reserved:2 session:4 data
//! attribute  M:1 H:1 .:4 length:10 | vendor:2 | type:2 | value
//! ```
//!
//! Not covered: the values of attributes, and the payload of version 3 sessions, whose type is negotiated.

use super::ethernet::rest;
use super::{Described, HeaderPayload, Next, layer, ppp};
use crate::tree::{Names, fields, title};
use crate::wire::{Error, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&L2TP, FIELDS);

/// A control message or a packet of a session.
pub(super) static PACKET: Described = Described { protocol: &PROTOCOL, header: packet };

fields! {
    L2TP = protocol("l2tp", "L2TP", "Layer 2 Tunneling Protocol");
    FLAGS = number("l2tp.flags", "Flags", "").hex(4);
    TYPE = number("l2tp.type", "Type", "").mask(0x8000).names(TYPES);
    LENGTH_BIT = bool("l2tp.length_bit", "Length present", "").mask(0x4000);
    SEQ_BIT = bool("l2tp.seq_bit", "Sequence numbers present", "").mask(0x0800);
    OFFSET_BIT = bool("l2tp.offset_bit", "Offset present", "").mask(0x0200);
    PRIORITY = bool("l2tp.priority", "Priority", "Preferential treatment").mask(0x0100);
    VERSION = number("l2tp.version", "Version", "2 or 3").mask(0x000f);
    LENGTH = number("l2tp.length", "Length", "Bytes of the whole message");
    TUNNEL = number("l2tp.tunnel", "Tunnel ID", "Tunnel of the receiver");
    SESSION = number("l2tp.session", "Session ID", "Session of the tunnel");
    NS = number("l2tp.Ns", "Ns", "Sequence number of this message");
    NR = number("l2tp.Nr", "Nr", "Next sequence number expected");
    OFFSET = number("l2tp.offset", "Offset", "Bytes before the PPP frame");
    PADDING = bytes("l2tp.offset_padding", "Offset padding", "");
    RES = number("l2tp.res", "Reserved", "").hex(4);
    SID = number("l2tp.sid", "Session ID", "Session of the receiver").hex(8);
    CCID = number("l2tp.ccid", "Control connection ID", "Control connection of the receiver").hex(8);
    AVP = group("l2tp.avp", "AVP", "Attribute-value pair").titled(title::kind);
    MANDATORY = bool("l2tp.avp.mandatory", "Mandatory", "The receiver must support it").mask(0x8000);
    MASKED_TEXT = bool("l2tp.avp.hidden", "Hidden", "The value is encrypted").mask(0x4000);
    AVP_LENGTH = number("l2tp.avp.length", "Length", "Bytes of the AVP with its header").mask(0x03ff);
    VENDOR = number("l2tp.avp.vendor_id", "Vendor ID", "0 for IETF attributes");
    AVP_TYPE = number("l2tp.avp.type", "Attribute type", "").names(ATTRIBUTES);
    VALUE = bytes("l2tp.avp.value", "Attribute value", "");
    BAD_AVP = broken("l2tp.avp.length.bad", "bad length", "The length is less than the AVP header");
    BAD_VERSION = broken("l2tp.version.unknown", "unknown version", "The version is neither 2 nor 3");
}

const TYPES: Names = &[(0, "data"), (1, "control message")];
const ATTRIBUTES: Names = &[
    (0, "message type"),
    (1, "result code"),
    (2, "protocol version"),
    (3, "framing capabilities"),
    (4, "bearer capabilities"),
    (5, "tie breaker"),
    (6, "firmware revision"),
    (7, "host name"),
    (8, "vendor name"),
    (9, "assigned tunnel ID"),
    (10, "receive window size"),
    (11, "challenge"),
    (13, "challenge response"),
    (14, "assigned session ID"),
    (15, "call serial number"),
];

/// Whether a message may begin here: version 2 or 3, and reserved bits clear.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    const RESERVED: u8 = 0x34;
    bytes.first().is_some_and(|flags| flags & RESERVED == 0) && bytes.get(1).is_none_or(|version| matches!(version, 2 | 3))
}

fn packet(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let (start, captured) = (wire.at(), wire.remaining());
    let flags = wire.flags(&FLAGS, 2, &[&TYPE, &LENGTH_BIT, &SEQ_BIT, &OFFSET_BIT, &PRIORITY, &VERSION])?;
    let control = TYPE.bits_of(flags) == 1;
    let mut end = start + captured;
    let mut missing = missing;
    if LENGTH_BIT.bits_of(flags) == 1 {
        let length = usize::from(wire.u16_be(&LENGTH)?).min(captured + missing);
        end = start + length.min(captured);
        missing = length.saturating_sub(captured);
    }
    match VERSION.bits_of(flags) {
        2 => {
            let tunnel = wire.u16_be(&TUNNEL)?;
            let session = wire.u16_be(&SESSION)?;
            wire.info(format_args!("tunnel {tunnel}, session {session}"));
            if SEQ_BIT.bits_of(flags) == 1 {
                wire.u16_be(&NS)?;
                wire.u16_be(&NR)?;
            }
            if OFFSET_BIT.bits_of(flags) == 1 {
                wire.counted(Wire::u16_be, &OFFSET, &PADDING)?;
            }
        }
        3 if control => {
            let connection = wire.u32_be(&CCID)?;
            wire.info(format_args!("connection {connection:#010x}"));
            wire.u16_be(&NS)?;
            wire.u16_be(&NR)?;
        }
        3 => {
            wire.u16_be(&RES)?;
            let session = wire.u32_be(&SID)?;
            wire.info(format_args!("session {session:#010x}"));
            return Ok(HeaderPayload::new(Next::Data, rest(wire), missing));
        }
        version => return wire.malformed(&BAD_VERSION, format_args!("version {version}")),
    }
    let end = end.max(wire.at());
    if control {
        while wire.at() < end {
            wire.group(&AVP, attribute)?;
        }
        return Ok(HeaderPayload::nothing(wire.at()));
    }
    Ok(HeaderPayload::new(Next::Header(&ppp::FRAME), wire.at()..end, missing))
}

fn attribute(wire: &mut Wire<'_>) -> Result {
    const HEADER: usize = 6;
    let first = wire.bits(2, &[&MANDATORY, &MASKED_TEXT, &AVP_LENGTH])?;
    let length = usize::try_from(AVP_LENGTH.bits_of(first)).unwrap_or_default();
    let Some(value) = length.checked_sub(HEADER) else {
        wire.note(&BAD_AVP, format_args!("{length} bytes; {HEADER} is the least"));
        return Err(Error::Malformed);
    };
    wire.u16_be(&VENDOR)?;
    wire.u16_be(&AVP_TYPE)?;
    wire.optional(&VALUE, value).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::layers;

    #[test]
    fn attributes_are_read() {
        let frame = [
            "c802 0014",           // control, length, sequence; version 2; 20 bytes
            "0001 0000",           // tunnel 1
            "0003 0002",           // third message, second one next
            "8008 0000 0000 0001", // mandatory, 8 bytes, message type: 1
        ];
        insta::assert_snapshot!(layers(Next::Header(&PACKET), &frame), @"
        l2tp 0..20 | tunnel 1, session 0
          0..2 l2tp.flags = 0xc802
            0..2 l2tp.type = 1 (control message)
            0..2 l2tp.length_bit = true
            0..2 l2tp.seq_bit = true
            0..2 l2tp.offset_bit = false
            0..2 l2tp.priority = false
            0..2 l2tp.version = 2
          2..4 l2tp.length = 20
          4..6 l2tp.tunnel = 1
          6..8 l2tp.session = 0
          8..10 l2tp.Ns = 3
          10..12 l2tp.Nr = 2
          12..20 l2tp.avp
            12..14 l2tp.avp.mandatory = true
            12..14 l2tp.avp.hidden = false
            12..14 l2tp.avp.length = 8
            14..16 l2tp.avp.vendor_id = 0
            16..18 l2tp.avp.type = 0 (message type)
            18..20 l2tp.avp.value = 0001
        ");
    }

    #[test]
    fn an_offset_is_skipped() {
        let frame = [
            "0202",      // data, offset; version 2
            "0001 0002", // tunnel 1, session 2
            "0002 ffff", // two bytes
            "00fd",      // PPP, compressed
        ];
        insta::assert_snapshot!(layers(Next::Header(&PACKET), &frame), @"
        l2tp 0..10 | tunnel 1, session 2
          0..2 l2tp.flags = 0x0202
            0..2 l2tp.type = 0 (data)
            0..2 l2tp.length_bit = false
            0..2 l2tp.seq_bit = false
            0..2 l2tp.offset_bit = true
            0..2 l2tp.priority = false
            0..2 l2tp.version = 2
          2..4 l2tp.tunnel = 1
          4..6 l2tp.session = 2
          6..8 l2tp.offset = 2
          8..10 l2tp.offset_padding = ffff
        ppp 10..12 | compressed datagram
          10..12 ppp.protocol = 0x00fd (compressed datagram)
        ");
    }

    #[test]
    fn an_attribute_too_short_for_itself_is_noted() {
        let frame = [
            "c802 000e",           // control, length, sequence; version 2; 14 bytes
            "0001 0000 0003 0002", // tunnel 1
            "8003",                // mandatory, 3 bytes
        ];
        insta::assert_snapshot!(layers(Next::Header(&PACKET), &frame), @"
        l2tp 0..14 | tunnel 1, session 0
          0..2 l2tp.flags = 0xc802
            0..2 l2tp.type = 1 (control message)
            0..2 l2tp.length_bit = true
            0..2 l2tp.seq_bit = true
            0..2 l2tp.offset_bit = false
            0..2 l2tp.priority = false
            0..2 l2tp.version = 2
          2..4 l2tp.length = 14
          4..6 l2tp.tunnel = 1
          6..8 l2tp.session = 0
          8..10 l2tp.Ns = 3
          10..12 l2tp.Nr = 2
          12..14 l2tp.avp
            12..14 l2tp.avp.mandatory = true
            12..14 l2tp.avp.hidden = false
            12..14 l2tp.avp.length = 3
        ! broken l2tp.avp.length.bad at 12..14 l2tp.avp.length: 3 bytes; 6 is the least
        ");
    }
}
