//! Link-layer headers without a file of their own: loopback headers and Linux cooked capture.
//!
//! ```text
//! null      family:4, in the byte order of the capturing machine
//! loop      family:4, big-endian
//! cooked    packet type:2 | hardware type:2 | address length:2 | address:8 | protocol:2
//! cooked 2  protocol:2 | reserved:2 | interface:4 | hardware type:2 | packet type:1 | address length:1 | address:8
//! ```

use super::ethernet::{self, ETHER_TYPES, rest};
use super::*;
use crate::tree::{Field, Names, Value};
use crate::wire::{Protocol, Result, Wire};

/// BSD loopback.
pub static NULL_PROTOCOL: Protocol = layer(&null::NULL, null::FIELDS);

/// OpenBSD loopback.
pub static LOOP_PROTOCOL: Protocol = layer(&openbsd::LOOP, openbsd::FIELDS);

/// Linux cooked capture, both versions.
pub static SLL_PROTOCOL: Protocol = layer(&sll::SLL, sll::FIELDS);

mod null {
    use crate::tree::fields;

    fields! {
        NULL = protocol("null", "Loopback", "BSD loopback encapsulation");
        FAMILY = number("null.family", "Family", "Address family, in the byte order of the capturing host").names(super::FAMILIES).once();
        UNUSED = bytes("null.unused", "Unused", "Bytes before an EtherType").once();
        TYPE = number("null.type", "Type", "EtherType, instead of an address family").hex(4).names(super::ETHER_TYPES).once();
    }
}

mod openbsd {
    use crate::tree::fields;

    fields! {
        LOOP = protocol("loop", "Loopback", "OpenBSD loopback encapsulation");
        FAMILY = number("loop.family", "Family", "").names(super::FAMILIES);
    }
}

mod sll {
    use super::{ETHER_TYPES, PACKET_TYPES};
    use crate::tree::fields;

    fields! {
        SLL = protocol("sll", "Linux cooked", "Linux cooked-mode capture");
        PKTTYPE = number("sll.pkttype", "Packet type", "Relation of the packet to the capturing host").names(PACKET_TYPES).once();
        HATYPE = number("sll.hatype", "Link-layer address type", "Linux ARPHRD number").once();
        HALEN = number("sll.halen", "Link-layer address length", "Bytes").once();
        SRC_ETH = mac("sll.src.eth", "Source", "Ethernet address of the sender").once();
        SRC_OTHER = bytes("sll.src.other", "Source", "Link-layer address of the sender");
        UNUSED = bytes("sll.unused", "Unused", "Address up to eight bytes").once();
        ETYPE = number("sll.etype", "Protocol", "EtherType of the payload").hex(4).names(ETHER_TYPES).once();
        RESERVED = number("sll.reserved", "Reserved", "").hex(4).once();
        IFINDEX = number("sll.ifindex", "Interface index", "").once();
    }
}

const FAMILIES: Names = &[
    (2, "IPv4"),
    (10, "IPv6 (Linux)"),
    (23, "IPv6 (Windows)"),
    (24, "IPv6 (NetBSD, OpenBSD)"),
    (28, "IPv6 (FreeBSD)"),
    (30, "IPv6 (Darwin)"),
];
const PACKET_TYPES: Names = &[(0, "to us"), (1, "broadcast"), (2, "multicast"), (3, "to another host"), (4, "from us")];

/// The protocol of a link type and its dissector, given the first bytes of the frame. Some captures use the link type of PPP for
/// Cisco HDLC, and that of Prism for AVS.
pub(super) fn header_of(number: u16, frame: &[u8]) -> Option<(&'static Protocol, HeaderFn)> {
    Some(match number {
        0 => (&NULL_PROTOCOL, null),
        1 if cfp::begins(frame) => (&cfp::PROTOCOL, cfp::header),
        1 => (&ethernet::PROTOCOL, ethernet::header),
        6 => (&token_ring::PROTOCOL, token_ring::frame),
        9 | 50 if cisco::is_plausible(frame) => (&cisco::PROTOCOL, cisco::frame),
        9 | 50 => (&ppp::PROTOCOL, ppp::frame),
        10 => (&fddi::PROTOCOL, fddi::frame),
        51 => (&pppoe::SESSION_PROTOCOL, pppoe::session),
        104 => (&cisco::PROTOCOL, cisco::frame),
        105 => (&wlan::PROTOCOL, wlan::frame),
        107 => (&frame_relay::PROTOCOL, frame_relay::frame),
        108 => (&LOOP_PROTOCOL, openbsd),
        113 => (&SLL_PROTOCOL, sll),
        119 if avs::is_plausible(frame) => (&avs::PROTOCOL, avs::header),
        119 => (&prism::PROTOCOL, prism::header),
        127 => (&radiotap::PROTOCOL, radiotap::header),
        129 => (&arcnet::PROTOCOL, arcnet::frame),
        163 => (&avs::PROTOCOL, avs::header),
        192 => (&ppi::PROTOCOL, ppi::header),
        204 => (&ppp::PROTOCOL, ppp::directed),
        226 => (&ipnet::PROTOCOL, ipnet::frame),
        239 => (&nflog::PROTOCOL, nflog::frame),
        242 => (&ipoib::PROTOCOL, ipoib::frame),
        252 => (&exported_pdu::PROTOCOL, exported_pdu::frame),
        258 => (&pktap::PROTOCOL, pktap::frame),
        276 => (&SLL_PROTOCOL, sll2),
        _ => return usb::header_of(number).map(|header| (&usb::PROTOCOL, header)),
    })
}

/// Whether frames of this link type begin with an IP header.
pub(super) fn is_raw_ip(number: u16) -> bool {
    matches!(number, 12 | 14 | 101 | 228 | 229)
}

/// The address family is small, so a number that fills the upper bytes is in the other byte order. A number that is large in both
/// orders has an EtherType in its lower half.
fn null(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const LARGEST_FAMILY: u32 = 1500;
    let at = wire.at();
    let raw: [u8; 4] = wire.ahead().first_chunk().copied().unwrap_or_default();
    let family = u32::from_be_bytes(raw).min(u32::from_le_bytes(raw));
    if family > LARGEST_FAMILY {
        wire.bytes(&null::UNUSED, 2)?;
        let kind = wire.u16_be(&null::TYPE)?;
        return Ok(HeaderPayload::new(Next::EtherType(kind), rest(wire), missing));
    }
    wire.skip(4)?;
    wire.put(&null::FAMILY, Value::Unsigned(family.into()), at..at + 4);
    Ok(HeaderPayload::new(of_family(family), rest(wire), missing))
}

fn openbsd(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let family = wire.u32_be(&openbsd::FAMILY)?;
    Ok(HeaderPayload::new(of_family(family), rest(wire), missing))
}

fn of_family(family: u32) -> Next {
    match family {
        2 | 10 | 23 | 24 | 28 | 30 => Next::Ip,
        _ => Next::Data,
    }
}

fn sll(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.u16_be(&sll::PKTTYPE)?;
    let hardware = wire.u16_be(&sll::HATYPE)?;
    let length = wire.u16_be(&sll::HALEN)?;
    address(wire, length)?;
    let kind = wire.u16_be(&sll::ETYPE)?;
    Ok(HeaderPayload::new(of_sll(hardware, kind), rest(wire), missing))
}

fn sll2(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let kind = wire.u16_be(&sll::ETYPE)?;
    wire.u16_be(&sll::RESERVED)?;
    wire.u32_be(&sll::IFINDEX)?;
    let hardware = wire.u16_be(&sll::HATYPE)?;
    wire.u8(&sll::PKTTYPE)?;
    let length = wire.u8(&sll::HALEN)?;
    address(wire, length.into())?;
    Ok(HeaderPayload::new(of_sll(hardware, kind), rest(wire), missing))
}

/// An address field of eight bytes, `length` of which are used.
fn address(wire: &mut Wire<'_>, length: u16) -> Result {
    const FIELD: usize = 8;
    const ETHERNET: usize = 6;
    let length = usize::from(length).min(FIELD);
    if length > 0 {
        let field: &'static Field = if length == ETHERNET { &sll::SRC_ETH } else { &sll::SRC_OTHER };
        wire.bytes(field, length)?;
    }
    if length < FIELD {
        wire.bytes(&sll::UNUSED, FIELD - length)?;
    }
    Ok(())
}

/// The next layer by hardware type and the protocol field, where Linux has numbers that are no EtherTypes.
fn of_sll(hardware: u16, kind: u16) -> Next {
    const NETLINK: u16 = 824;
    match kind {
        _ if hardware == NETLINK => Next::Data,
        0x0001 => Next::Data,
        0x0004 => Next::Llc,
        _ => Next::EtherType(kind),
    }
}
