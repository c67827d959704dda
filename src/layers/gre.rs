//! GRE, Generic Routing Encapsulation (RFC 2784, RFC 2890, the older RFC 1701), and the enhanced kind of PPTP (RFC 2637).
//!
//! ```text
//! version 0  C:1 R:1 K:1 S:1 s:1 recursion:3 reserved:5 version:3 | type:2
//!            C or R: checksum:2 offset:2 | K: key:4 | S: sequence:4 | R: routes | packet
//! version 1  0 0 K S 0 recursion:3 A:1 reserved:4 version:3 | type:2
//!            length:2 call:2 | S: sequence:4 | A: acknowledgment:4 | PPP frame
//! route      family:2 | offset:1 | length:1 | addresses           one of family and length 0 is the last
//! ```
//! The type is an EtherType, or one of those that Aruba access points use for IEEE 802.11 frames. GRE in UDP (RFC 8086) has the
//! same header. Not covered: the attributes of 3GPP2 in the key, and verifying the checksum.

use super::ethernet::{self, ETHER_TYPES, rest};
use super::{Described, HeaderPayload, Next, cisco, erspan, layer, ppp, wlan};
use crate::tree::{Field, Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&GRE, FIELDS);

fields! {
    GRE = protocol("gre", "GRE", "Generic Routing Encapsulation");
    FLAGS = number("gre.flags_and_version", "Flags and version", "").hex(4).once();
    CHECKSUMMED = bool("gre.flags.checksum", "Checksum present", "A checksum follows").mask(0x8000).once();
    ROUTED = bool("gre.flags.routing", "Routing present", "Routing information follows").mask(0x4000).once();
    KEYED = bool("gre.flags.key", "Key present", "A key follows").mask(0x2000).once();
    SEQUENCED = bool("gre.flags.sequence_number", "Sequence number present", "A sequence number follows").mask(0x1000).once();
    STRICT = bool("gre.flags.strict_source_route", "Strict source route", "All routing information is strict source routes").mask(0x0800).once();
    RECURSION = number("gre.flags.recursion_control", "Recursion control", "Additional encapsulations permissible").mask(0x0700).once();
    ACKED = bool("gre.flags.ack", "Acknowledgment present", "An acknowledgment number follows").mask(0x0080).once();
    RESERVED = number("gre.flags.reserved", "Reserved", "").mask(0x00f8).once();
    VERSION = number("gre.flags.version", "Version", "0; 1 for PPTP").mask(0x0007).once();
    PROTO = number("gre.proto", "Protocol type", "EtherType of the payload").hex(4).names(TYPES).once();
    CHECKSUM = number("gre.checksum", "Checksum", "Checksum of GRE header and payload").hex(4);
    OFFSET = number("gre.offset", "Offset", "Offset of the active source route entry");
    KEY = number("gre.key", "Key", "").hex(8).once();
    PAYLOAD_LENGTH = number("gre.key.payload_length", "Payload length", "Bytes of the PPP frame").once();
    CALL_ID = number("gre.key.call_id", "Call ID", "").once();
    SEQUENCE = number("gre.sequence_number", "Sequence number", "").once();
    ACK = number("gre.ack_number", "Acknowledgment number", "Highest sequence number received").once();
    ROUTING = group("gre.routing", "Routing", "Source route entry");
    FAMILY = number("gre.routing.address_family", "Address family", "");
    SRE_OFFSET = number("gre.routing.sre_offset", "SRE offset", "Offset of the active address");
    SRE_LENGTH = number("gre.routing.src_length", "SRE length", "Bytes of the entry");
    INFORMATION = bytes("gre.routing.information", "Routing information", "");
    REDIRECT = bytes("gre.wccp.redirect_header", "Redirect header", "WCCP version 2");
    UNKNOWN_VERSION = odd("gre.flags.version.unknown", "unknown version", "The version is neither 0 nor 1");
}

const TYPES: Names = &[
    (0x0000, "keepalive"),
    (0x00fe, "OSI"),
    (0x0800, "IPv4"),
    (0x0806, "ARP"),
    (0x2000, "CDP"),
    (0x22eb, "ERSPAN III"),
    (0x6558, "Transparent Ethernet bridging"),
    (0x8100, "802.1Q VLAN"),
    (0x86dd, "IPv6"),
    (0x880b, "PPP"),
    (0x883e, "WCCP"),
    (0x8847, "MPLS"),
    (0x8848, "MPLS multicast"),
    (0x88be, "ERSPAN"),
    (0x8909, "Cisco metadata"),
    (0x9000, "Aruba WLAN"),
];
const ERSPAN_II: u16 = 0x88be;
const ERSPAN_III: u16 = 0x22eb;
const WCCP: u16 = 0x883e;
const METADATA: u16 = 0x8909;
const ARUBA_OTHER: u16 = 0x9000;

/// GRE on its UDP port.
pub(super) static IN_UDP: Described = Described { protocol: &PROTOCOL, header };

/// Whether a header may begin here: version 0, and reserved bits of RFC 8086 clear.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|flags| u16::from_be_bytes(*flags) & 0x4fff == 0)
}

/// Whether this is a type of Aruba access points: one for each queue of a radio.
const fn is_aruba(protocol: u16) -> bool {
    matches!(protocol & 0xff0f, 0x8200) || matches!(protocol & 0xff8f, 0x8300) || protocol == ARUBA_OTHER
}

/// A header of either version.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let first = wire.ahead().get(1).map_or(0, |low| VERSION.bits_of((*low).into()));
    let enhanced = first == 1;
    let bits: &[&Field] = if enhanced {
        &[&CHECKSUMMED, &ROUTED, &KEYED, &SEQUENCED, &STRICT, &RECURSION, &ACKED, &VERSION]
    } else {
        &[&CHECKSUMMED, &ROUTED, &KEYED, &SEQUENCED, &STRICT, &RECURSION, &RESERVED, &VERSION]
    };
    let flags = wire.flags(&FLAGS, 2, bits)?;
    let protocol = wire.u16_be(&PROTO)?;
    let aruba = is_aruba(protocol).then_some("Aruba WLAN");
    let name = aruba.or_else(|| name_of(TYPES, protocol.into())).or_else(|| name_of(ETHER_TYPES, protocol.into()));
    wire.info(format_args!("{}", name.unwrap_or("unknown type")));
    let has = |flag: &Field| flag.bits_of(flags) == 1;
    match VERSION.bits_of(flags) {
        0 => {}
        1 => return enhanced_header(wire, &has, missing),
        version => wire.note(&UNKNOWN_VERSION, format_args!("version {version}, read as version 0")),
    }
    if has(&CHECKSUMMED) || has(&ROUTED) {
        wire.u16_be(&CHECKSUM)?;
        wire.u16_be(&OFFSET)?;
    }
    if has(&KEYED) {
        wire.u32_be(&KEY)?;
    }
    if has(&SEQUENCED) {
        wire.u32_be(&SEQUENCE)?;
    }
    if has(&ROUTED) {
        while !wire.group(&ROUTING, route)? {}
    }
    let next = match protocol {
        // ERSPAN type I has neither a header nor a sequence number.
        ERSPAN_II if !has(&SEQUENCED) => Next::Header(&ethernet::FRAME),
        ERSPAN_II | ERSPAN_III => Next::Header(&erspan::HEADER),
        WCCP => {
            redirect(wire)?;
            Next::Ip
        }
        METADATA => Next::Header(&cisco::METADATA_IN_GRE),
        0 => Next::Data,
        _ if is_aruba(protocol) => wlan::handled(false, false),
        _ => Next::EtherType(protocol),
    };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

/// The rest of a PPTP header. A packet that only acknowledges has no payload.
fn enhanced_header(wire: &mut Wire<'_>, has: &dyn Fn(&Field) -> bool, missing: usize) -> Result<HeaderPayload> {
    let length = usize::from(wire.u16_be(&PAYLOAD_LENGTH)?);
    let call = wire.u16_be(&CALL_ID)?;
    wire.info(format_args!("call {call}, {length} bytes"));
    if has(&SEQUENCED) {
        wire.u32_be(&SEQUENCE)?;
    }
    if has(&ACKED) {
        wire.u32_be(&ACK)?;
    }
    let (start, captured) = (wire.at(), wire.remaining());
    let range = start..start + length.min(captured);
    let next = if length > 0 { Next::Header(&ppp::FRAME) } else { Next::Nothing };
    Ok(HeaderPayload::new(next, range, length.saturating_sub(captured).min(missing)))
}

/// A route. Returns true for the last one, which is empty.
fn route(wire: &mut Wire<'_>) -> Result<bool> {
    let family = wire.u16_be(&FAMILY)?;
    wire.u8(&SRE_OFFSET)?;
    let length = usize::from(wire.u8(&SRE_LENGTH)?);
    wire.optional(&INFORMATION, length)?;
    Ok(family == 0 && length == 0)
}

/// WCCP version 2 inserts four bytes before the packet; in version 1, IPv4 follows directly.
fn redirect(wire: &mut Wire<'_>) -> Result {
    const LENGTH: usize = 4;
    match wire.ahead().first() {
        Some(first) if first >> 4 != 4 => wire.bytes(&REDIRECT, LENGTH).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn every_part_of_a_header_is_read() {
        let frame = [
            "f000 2000",           // checksum, routing, key, sequence; CDP
            "1234 0004",           // checksum, offset 4
            "deadbeef",            // key
            "00000005",            // sequence
            "0800 00 04 0a000003", // a route through 10.0.0.3
            "0000 00 00",          // the last route
            "02b4",                // CDP
        ];
        insta::assert_snapshot!(layers(Next::IpProtocol(47), &frame), @"
        gre 0..28 | CDP
          0..2 gre.flags_and_version = 0xf000
            0..2 gre.flags.checksum = true
            0..2 gre.flags.routing = true
            0..2 gre.flags.key = true
            0..2 gre.flags.sequence_number = true
            0..2 gre.flags.strict_source_route = false
            0..2 gre.flags.recursion_control = 0
            0..2 gre.flags.reserved = 0
            0..2 gre.flags.version = 0
          2..4 gre.proto = 0x2000 (CDP)
          4..6 gre.checksum = 0x1234
          6..8 gre.offset = 4
          8..12 gre.key = 0xdeadbeef
          12..16 gre.sequence_number = 5
          16..24 gre.routing
            16..18 gre.routing.address_family = 2048
            18..19 gre.routing.sre_offset = 0
            19..20 gre.routing.src_length = 4
            20..24 gre.routing.information = 0a000003
          24..28 gre.routing
            24..26 gre.routing.address_family = 0
            26..27 gre.routing.sre_offset = 0
            27..28 gre.routing.src_length = 0
        cdp 28..30
          28..29 cdp.version = 2
          29..30 cdp.ttl = 180
        ! broken dissect.short at 30..30 cdp: 2 more bytes needed, 0 left
        ");
    }

    #[test]
    fn an_acknowledgment_of_pptp_carries_nothing() {
        let frame = [
            "2081 880b", // key and acknowledgment, version 1; PPP
            "0000 0007", // no bytes for call 7
            "00000003",  // packet 3 arrived
        ];
        insta::assert_snapshot!(layers(Next::IpProtocol(47), &frame), @"
        gre 0..12 | call 7, 0 bytes
          0..2 gre.flags_and_version = 0x2081
            0..2 gre.flags.checksum = false
            0..2 gre.flags.routing = false
            0..2 gre.flags.key = true
            0..2 gre.flags.sequence_number = false
            0..2 gre.flags.strict_source_route = false
            0..2 gre.flags.recursion_control = 0
            0..2 gre.flags.ack = true
            0..2 gre.flags.version = 1
          2..4 gre.proto = 0x880b (PPP)
          4..6 gre.key.payload_length = 0
          6..8 gre.key.call_id = 7
          8..12 gre.ack_number = 3
        ");
    }

    #[test]
    fn a_header_that_is_cut_is_noted() {
        let frame = [
            "3000 0800", // key, sequence; IPv4
            "dead",      // half a key
        ];
        insta::assert_snapshot!(cut(Next::IpProtocol(47), &frame, 40), @"
        gre 0..6 | IPv4
          0..2 gre.flags_and_version = 0x3000
            0..2 gre.flags.checksum = false
            0..2 gre.flags.routing = false
            0..2 gre.flags.key = true
            0..2 gre.flags.sequence_number = true
            0..2 gre.flags.strict_source_route = false
            0..2 gre.flags.recursion_control = 0
            0..2 gre.flags.reserved = 0
            0..2 gre.flags.version = 0
          2..4 gre.proto = 0x0800 (IPv4)
          4..6 data.data = dead
        ! broken dissect.cut at 4..6 gre: the capture holds 2 bytes too few of this frame
        ");
    }
}
