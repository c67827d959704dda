//! GTP version 1 in UDP: tunneled user packets of mobile networks (GTP-U, 3GPP TS 29.281), and messages that set tunnels up
//! (GTP-C, 3GPP TS 29.060).
//!
//! ```text
//! header     version:3 PT:1 .:1 E:1 S:1 PN:1 | message:1 | length:2 | tunnel:4
//!            E, S or PN: sequence:2 | N-PDU number:1 | next extension:1
//! extension  length:1, in units of four bytes | content | next extension:1
//! ```
//!
//! Not covered: the elements of messages other than user packets, GTP' and version 0.

use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Names, fields, name_of, title};
use crate::wire::{Protocol, Result, Wire, data};

pub static PROTOCOL: Protocol = layer(&GTP, FIELDS);

pub(super) static MESSAGE: Described = Described { protocol: &PROTOCOL, header: message };

fields! {
    GTP = protocol("gtp", "GTP", "GPRS Tunnelling Protocol");
    FLAGS = number("gtp.flags", "Flags", "").hex(2).once();
    VERSION = number("gtp.flags.version", "Version", "1").mask(0xe0).once();
    PAYLOAD = number("gtp.flags.payload", "Protocol type", "1 for GTP, 0 for GTP prime").mask(0x10).once();
    RESERVED = number("gtp.flags.reserved", "Reserved", "").mask(0x08).once();
    E = bool("gtp.flags.e", "Extension header present", "").mask(0x04).once();
    S = bool("gtp.flags.s", "Sequence number present", "The sequence number is valid").mask(0x02).once();
    PN = bool("gtp.flags.pn", "N-PDU number present", "The N-PDU number is valid").mask(0x01).once();
    MESSAGE_TYPE = number("gtp.message", "Message type", "").hex(2).names(MESSAGES).once();
    LENGTH = number("gtp.length", "Length", "Bytes after the first eight").once();
    TEID = number("gtp.teid", "TEID", "Tunnel endpoint identifier").hex(8).once();
    SEQ_NUMBER = number("gtp.seq_number", "Sequence number", "").hex(4).once();
    NPDU = number("gtp.npdu_number", "N-PDU number", "Network PDU, for handovers").hex(2);
    NEXT = number("gtp.ext_hdr.next", "Next extension header", "").hex(2).names(EXTENSIONS);
    UNUSED = bytes("gtp.unused", "Unused", "Optional field whose flag is not set").once();
    EXTENSION = group("gtp.ext_hdr", "Extension header", "").titled(title::kind);
    EXT_LENGTH = number("gtp.ext_hdr.length", "Length", "Units of four bytes");
    PDCP_SN = number("gtp.ext_hdr.pdcp_sn", "PDCP sequence number", "");
    UDP_PORT = number("gtp.ext_hdr.udp_port", "UDP port", "UDP source port of the triggering message");
    PDU_TYPE = number("gtp.ext_hdr.pdu_ses_con.pdu_type", "PDU type", "0 downlink, 1 uplink").mask(0xf000);
    QFI = number("gtp.ext_hdr.pdu_ses_con.qos_flow_id", "QFI", "QoS flow identifier").mask(0x003f);
    CONTENT = bytes("gtp.ext_hdr.content", "Content", "Format given by the type");
    BAD_LENGTH = odd("gtp.length.bad", "bad length", "The length exceeds the datagram");
    NO_LENGTH = broken("gtp.ext_hdr.length.zero", "no length", "An extension header declares a length of zero");
}

const MESSAGES: Names = &[
    (1, "echo request"),
    (2, "echo response"),
    (3, "version not supported"),
    (16, "create PDP context request"),
    (17, "create PDP context response"),
    (18, "update PDP context request"),
    (19, "update PDP context response"),
    (20, "delete PDP context request"),
    (21, "delete PDP context response"),
    (22, "initiate PDP context activation request"),
    (23, "initiate PDP context activation response"),
    (26, "error indication"),
    (27, "PDU notification request"),
    (28, "PDU notification response"),
    (29, "PDU notification reject request"),
    (30, "PDU notification reject response"),
    (31, "supported extension headers"),
    (32, "send routing information request"),
    (33, "send routing information response"),
    (34, "failure report request"),
    (35, "failure report response"),
    (36, "MS GPRS present request"),
    (37, "MS GPRS present response"),
    (48, "identification request"),
    (49, "identification response"),
    (50, "SGSN context request"),
    (51, "SGSN context response"),
    (52, "SGSN context acknowledge"),
    (53, "forward relocation request"),
    (54, "forward relocation response"),
    (55, "forward relocation complete"),
    (56, "relocation cancel request"),
    (57, "relocation cancel response"),
    (58, "forward SRNS context"),
    (59, "forward relocation complete acknowledge"),
    (60, "forward SRNS context acknowledge"),
    (70, "RAN information relay"),
    (253, "tunnel status"),
    (254, "end marker"),
    (255, "user packet"),
];
const EXTENSIONS: Names = &[
    (0x00, "none"),
    (0x20, "service class indicator"),
    (0x40, "UDP port"),
    (0x81, "RAN container"),
    (0x82, "long PDCP number"),
    (0x83, "Xw RAN container"),
    (0x84, "NR RAN container"),
    (0x85, "PDU session container"),
    (0xc0, "PDCP number"),
];
const USER_PLANE: [u8; 7] = [1, 2, 26, 31, 253, 254, USER_PACKET];
const USER_PACKET: u8 = 255;

/// Whether a message may begin here: GTP version 1, and a user plane message.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    is_version_1(bytes) && bytes.get(1).is_none_or(|message| USER_PLANE.contains(message))
}

/// Whether a message of the control plane may begin here.
pub(super) fn is_control(bytes: &[u8]) -> bool {
    let is_known = |message: &u8| *message != USER_PACKET && name_of(MESSAGES, (*message).into()).is_some();
    is_version_1(bytes) && bytes.get(1).is_some_and(is_known)
}

fn is_version_1(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & 0xf8 == 0x30)
}

fn message(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let flags = wire.flags(&FLAGS, 1, &[&VERSION, &PAYLOAD, &RESERVED, &E, &S, &PN])?;
    let message = wire.u8(&MESSAGE_TYPE)?;
    let length = usize::from(wire.u16_be(&LENGTH)?);
    let tunnel = wire.u32_be(&TEID)?;
    wire.name(name_of(MESSAGES, message.into()).unwrap_or("unknown message"));
    wire.info(format_args!("tunnel {tunnel:#010x}"));
    let have = wire.remaining() + missing;
    if length > have {
        wire.note(&BAD_LENGTH, format_args!("{length} where the datagram has {have}"));
    }
    let end = wire.at() + length.min(wire.remaining());
    let missing = length.min(have).saturating_sub(wire.remaining());
    if flags & (E.mask | S.mask | PN.mask) != 0 {
        // One flag adds all three fields, but only those with their own flag set are meaningful.
        match S.bits_of(flags) {
            0 => wire.bytes(&UNUSED, 2).map(drop)?,
            _ => wire.u16_be(&SEQ_NUMBER).map(drop)?,
        }
        match PN.bits_of(flags) {
            0 => wire.bytes(&UNUSED, 1).map(drop)?,
            _ => wire.u8(&NPDU).map(drop)?,
        }
        let mut next = match E.bits_of(flags) {
            0 => wire.bytes(&UNUSED, 1).map(|_| 0)?,
            _ => wire.u8(&NEXT)?,
        };
        while next != 0 {
            next = wire.group(&EXTENSION, |wire| extension(wire, next))?;
        }
    }
    let end = end.max(wire.at());
    if message == USER_PACKET {
        return Ok(HeaderPayload::new(Next::Ip, wire.at()..end, missing));
    }
    if end > wire.at() {
        wire.bytes(&data::BYTES, end - wire.at())?;
    }
    Ok(HeaderPayload::nothing(end))
}

/// An extension header of this type. Returns the next type.
fn extension(wire: &mut Wire<'_>, kind: u8) -> Result<u8> {
    const UNIT: usize = 4;
    const AROUND: usize = 2;
    let length = UNIT * usize::from(wire.u8(&EXT_LENGTH)?);
    let Some(content) = length.checked_sub(AROUND) else {
        wire.note(&NO_LENGTH, format_args!("an extension has four bytes at least"));
        return Err(crate::wire::Error::Malformed);
    };
    let start = wire.at();
    match (kind, content) {
        (0xc0, 2) => wire.u16_be(&PDCP_SN).map(drop)?,
        (0x40, 2) => wire.u16_be(&UDP_PORT).map(drop)?,
        (0x85, 2..) => wire.bits(2, &[&PDU_TYPE, &QFI]).map(drop)?,
        _ => {}
    }
    let left = content.saturating_sub(wire.at() - start);
    wire.optional(&CONTENT, left)?;
    wire.u8(&NEXT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::layers;

    #[test]
    fn payload_after_extension_headers_is_handed_over() {
        let frame = [
            "34 ff 000d 00001234", // extensions, user packet, 13 bytes, tunnel
            "0000 00 85",          // no sequence number; session container
            "01 0105 c0",          // flow 5; PDCP number
            "01 0904 00",          // number 2308; none
            "05",                  // no IP
        ];
        insta::assert_snapshot!(layers(Next::Header(&MESSAGE), &frame), @"
        gtp 0..20 | user packet | tunnel 0x00001234
          0..1 gtp.flags = 0x34
            0..1 gtp.flags.version = 1
            0..1 gtp.flags.payload = 1
            0..1 gtp.flags.reserved = 0
            0..1 gtp.flags.e = true
            0..1 gtp.flags.s = false
            0..1 gtp.flags.pn = false
          1..2 gtp.message = 0xff (user packet)
          2..4 gtp.length = 13
          4..8 gtp.teid = 0x00001234
          8..10 gtp.unused = 0000
          10..11 gtp.unused = 00
          11..12 gtp.ext_hdr.next = 0x85 (PDU session container)
          12..16 gtp.ext_hdr
            12..13 gtp.ext_hdr.length = 1
            13..15 gtp.ext_hdr.pdu_ses_con.pdu_type = 0
            13..15 gtp.ext_hdr.pdu_ses_con.qos_flow_id = 5
            15..16 gtp.ext_hdr.next = 0xc0 (PDCP number)
          16..20 gtp.ext_hdr
            16..17 gtp.ext_hdr.length = 1
            17..19 gtp.ext_hdr.pdcp_sn = 2308
            19..20 gtp.ext_hdr.next = 0x00 (none)
        data 20..21 | 1 bytes
          20..21 data.data = 05
        ");
    }

    #[test]
    fn an_echo_keeps_its_elements() {
        let frame = [
            "32 02 0006 00000000", // sequence number, echo response, 6 bytes
            "0007 00 00",          // number 7
            "0e05",                // restart counter
        ];
        insta::assert_snapshot!(layers(Next::Header(&MESSAGE), &frame), @"
        gtp 0..14 | echo response | tunnel 0x00000000
          0..1 gtp.flags = 0x32
            0..1 gtp.flags.version = 1
            0..1 gtp.flags.payload = 1
            0..1 gtp.flags.reserved = 0
            0..1 gtp.flags.e = false
            0..1 gtp.flags.s = true
            0..1 gtp.flags.pn = false
          1..2 gtp.message = 0x02 (echo response)
          2..4 gtp.length = 6
          4..8 gtp.teid = 0x00000000
          8..10 gtp.seq_number = 0x0007
          10..11 gtp.unused = 00
          11..12 gtp.unused = 00
          12..14 data.data = 0e05
        ");
    }

    #[test]
    fn an_extension_without_bytes_is_noted() {
        let frame = [
            "34 ff 0006 00001234", // extensions, user packet, 6 bytes, tunnel
            "0000 00 85",          // session container
            "00 00",               // no bytes
        ];
        insta::assert_snapshot!(layers(Next::Header(&MESSAGE), &frame), @"
        gtp 0..14 | user packet | tunnel 0x00001234
          0..1 gtp.flags = 0x34
            0..1 gtp.flags.version = 1
            0..1 gtp.flags.payload = 1
            0..1 gtp.flags.reserved = 0
            0..1 gtp.flags.e = true
            0..1 gtp.flags.s = false
            0..1 gtp.flags.pn = false
          1..2 gtp.message = 0xff (user packet)
          2..4 gtp.length = 6
          4..8 gtp.teid = 0x00001234
          8..10 gtp.unused = 0000
          10..11 gtp.unused = 00
          11..12 gtp.ext_hdr.next = 0x85 (PDU session container)
          12..13 gtp.ext_hdr
            12..13 gtp.ext_hdr.length = 0
          13..14 data.data = 00
        ! broken gtp.ext_hdr.length.zero at 12..13 gtp.ext_hdr.length: an extension has four bytes at least
        ");
    }
}
