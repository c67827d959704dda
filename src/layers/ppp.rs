//! PPP, the Point-to-Point Protocol (RFC 1661), with or without the address and control bytes of HDLC framing (RFC 1662).
//!
//! ```text
//! frame    address:1 (ff) | control:1 (03) | protocol:1..2 | packet      address and control may be left out
//! control  code:1 | identifier:1 | length:2 | data                       of LCP, IPCP and their like
//! ```
//!
//! A protocol number of one byte is odd; an even byte is the first of two. Not covered: byte stuffing and check sequences, which
//! captures omit, options of control packets, authentication, and compressed or multilink packets.

use super::ethernet::rest;
use super::{Described, HeaderPayload, Next, layer, mpls};
use crate::tree::{Names, Value, fields, name_of};
use crate::wire::{Error, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&PPP, FIELDS);

/// A PPP frame inside a tunnel.
pub(super) static FRAME: Described = Described { protocol: &PROTOCOL, header: frame };

fields! {
    PPP = protocol("ppp", "PPP", "Point-to-Point Protocol");
    DIRECTION = number("ppp.direction", "Direction", "Received or sent by the capturing host; inverted on the wire").names(DIRECTIONS);
    ADDRESS = number("ppp.address", "Address", "0xff, all stations").hex(2).once();
    CONTROL = number("ppp.control", "Control", "0x03, unnumbered information").hex(2).once();
    PROTO = number("ppp.protocol", "Protocol", "").hex(4).names(PROTOCOLS).once();
    CODE = number("ppp.code", "Code", "").names(CODES).once();
    IDENTIFIER = number("ppp.identifier", "Identifier", "Matches a response to its request").once();
    LENGTH = number("ppp.length", "Length", "Bytes of the control packet").once();
    DATA = bytes("ppp.data", "Data", "Options, or data of the code").once();
    BAD_LENGTH = odd("ppp.length.bad", "bad length", "The length of a control packet is less than its header or exceeds the frame");
}

const DIRECTIONS: Names = &[(0, "sent"), (1, "received")];
const PROTOCOLS: Names = &[
    (0x0021, "IPv4"),
    (0x002b, "IPX"),
    (0x002d, "compressed TCP/IP"),
    (0x002f, "uncompressed TCP/IP"),
    (0x0031, "bridged frame"),
    (0x003d, "multilink"),
    (0x0057, "IPv6"),
    (0x00fd, "compressed datagram"),
    (0x0281, "MPLS"),
    (0x0283, "MPLS multicast"),
    (0x8021, "IPCP"),
    (0x8031, "bridging control"),
    (0x8057, "IPv6CP"),
    (0x80fd, "CCP"),
    (0x8281, "MPLSCP"),
    (0xc021, "LCP"),
    (0xc023, "PAP"),
    (0xc025, "link quality report"),
    (0xc029, "callback control"),
    (0xc223, "CHAP"),
    (0xc227, "EAP"),
];
const CODES: Names = &[
    (1, "configure request"),
    (2, "configure ack"),
    (3, "configure nak"),
    (4, "configure reject"),
    (5, "terminate request"),
    (6, "terminate ack"),
    (7, "code reject"),
    (8, "protocol reject"),
    (9, "echo request"),
    (10, "echo reply"),
    (11, "discard request"),
];

const ALL_STATIONS: u8 = 0xff;
const LCP: u16 = 0xc021;

/// A frame after a byte with its direction.
pub(super) fn directed(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let (at, received) = (wire.at(), wire.bits(1, &[])? == 0);
    wire.put(&DIRECTION, Value::Unsigned(received.into()), at..at + 1);
    frame(wire, missing)
}

/// A frame, with or without address and control.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    if wire.peek_u8() == Some(ALL_STATIONS) {
        wire.u8(&ADDRESS)?;
        wire.u8(&CONTROL)?;
    }
    let first = *wire.ahead().first().ok_or(Error::Short { needed: 1 })?;
    let protocol = if first & 1 == 1 { wire.u8(&PROTO)?.into() } else { wire.u16_be(&PROTO)? };
    wire.info(format_args!("{}", name_of(PROTOCOLS, protocol.into()).unwrap_or("unknown protocol")));
    let next = match protocol {
        0x0021 | 0x0057 => Next::Ip,
        0x0281 | 0x0283 => Next::Header(&mpls::LABELS),
        0x8000..=0xbfff | LCP => {
            control(wire, missing)?;
            return Ok(HeaderPayload::nothing(wire.at()));
        }
        _ => Next::Data,
    };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

/// A packet of LCP or of a protocol with the same format.
fn control(wire: &mut Wire<'_>, missing: usize) -> Result {
    const HEADER: usize = 4;
    let code = wire.u8(&CODE)?;
    wire.u8(&IDENTIFIER)?;
    let length = usize::from(wire.u16_be(&LENGTH)?);
    wire.name(name_of(CODES, code.into()).unwrap_or_default());
    let Some(data) = length.checked_sub(HEADER).filter(|data| *data <= wire.remaining() + missing) else {
        wire.note(&BAD_LENGTH, format_args!("{length} bytes where {} are left", wire.remaining() + missing + HEADER));
        return wire.rest_is(&DATA);
    };
    wire.optional(&DATA, data).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn an_echo_request_is_read() {
        let frame = [
            "ff 03",      // address and control
            "c021",       // LCP
            "09 07 0008", // echo request 7, 8 bytes
            "05fcd459",   // magic number
        ];
        insta::assert_snapshot!(layers(Next::Link(9), &frame), @"
        ppp 0..12 | echo request | LCP
          0..1 ppp.address = 0xff
          1..2 ppp.control = 0x03
          2..4 ppp.protocol = 0xc021 (LCP)
          4..5 ppp.code = 9 (echo request)
          5..6 ppp.identifier = 7
          6..8 ppp.length = 8
          8..12 ppp.data = 05fcd459
        ");
    }

    #[test]
    fn a_protocol_may_take_one_byte() {
        let frame = [
            "21", // IPv4
            "05", // no version of it
        ];
        insta::assert_snapshot!(layers(Next::Link(9), &frame), @"
        ppp 0..1 | IPv4
          0..1 ppp.protocol = 0x0021 (IPv4)
        data 1..2 | 1 bytes
          1..2 data.data = 05
        ");
    }

    #[test]
    fn a_control_packet_longer_than_its_frame_is_noted() {
        let frame = [
            "c021",       // LCP
            "01 01 0040", // configure request 1, 64 bytes
            "0506",       // beginning of an option
        ];
        insta::assert_snapshot!(layers(Next::Link(9), &frame), @"
        ppp 0..8 | configure request | LCP
          0..2 ppp.protocol = 0xc021 (LCP)
          2..3 ppp.code = 1 (configure request)
          3..4 ppp.identifier = 1
          4..6 ppp.length = 64
          6..8 ppp.data = 0506
        ! odd ppp.length.bad at 4..6 ppp.length: 64 bytes where 6 are left
        ");
    }

    #[test]
    fn a_control_packet_that_is_cut_is_noted() {
        let frame = [
            "c021",       // LCP
            "01 01 000a", // configure request 1, 10 bytes
            "0506",       // beginning of an option
        ];
        insta::assert_snapshot!(cut(Next::Link(9), &frame, 4), @"
        ppp 0..8 | configure request | LCP
          0..2 ppp.protocol = 0xc021 (LCP)
          2..3 ppp.code = 1 (configure request)
          3..4 ppp.identifier = 1
          4..6 ppp.length = 10
          6..8 data.data = 0506
        ! broken dissect.cut at 6..8 ppp: the capture holds 4 bytes too few of this frame
        ");
    }
}
