//! Tests whether bytes begin with the headers of a frame, and reports why.

use crate::layers::Next;
use etherparse::{
    ArpPacketSlice, EtherType, Ethernet2Slice, IpNumber, IpSlice, Ipv4Slice, Ipv6Slice, SingleVlanSlice, TcpSlice, UdpSlice,
    ether_type, ip_number,
};

/// The minimum payload of an Ethernet frame: shorter ones are padded.
const SHORTEST_PAYLOAD: usize = 46;

/// Length of the fixed IPv6 header.
const IPV6_HEADER: usize = 40;

/// Longest link-layer address in a cooked header, and the highest packet type: sent by this host.
const COOKED_ADDRESS: u16 = 8;
const COOKED_SENT: u16 = 4;

const IP: &str = "IPv4";

/// A header with which a frame may begin.
pub(super) struct Kind {
    name: &'static str,
    pub next: Next,
    /// Tests whether all lengths and checksums fit.
    pub fits: fn(&[u8]) -> Fits,
}

/// The headers that are tried, with link types of the tcpdump.org list.
pub(super) const KINDS: &[Kind] = &[
    Kind { name: IP, next: Next::Ip, fits: ip },
    Kind { name: "Ethernet", next: Next::Link(1), fits: ethernet },
    Kind { name: "loopback", next: Next::Link(0), fits: loopback },
    Kind { name: "Linux cooked", next: Next::Link(113), fits: cooked },
    Kind { name: "Linux cooked v2", next: Next::Link(276), fits: cooked_2 },
    Kind { name: "PPP", next: Next::Link(9), fits: ppp },
];

impl Kind {
    /// Name of the header, which depends on the version for IP.
    pub(super) fn name(&self, bytes: &[u8]) -> &'static str {
        let is_version_6 = bytes.first().is_some_and(|first| first >> 4 == 6);
        if self.name == IP && is_version_6 { "IPv6" } else { self.name }
    }
}

/// Place of a packet in its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The bytes begin with it.
    First,
    /// After a link header.
    Framed,
    /// After a link header, in a frame so short that padding may follow.
    Padded,
}

/// What fits, or why it does not.
pub(super) type Fits = Result<String, String>;

/// A complete IP packet.
pub(super) fn ip(bytes: &[u8]) -> Fits {
    packet(bytes, Place::First)
}

/// An Ethernet frame with a complete IP or ARP packet; padding may follow.
pub(super) fn ethernet(bytes: &[u8]) -> Fits {
    let frame = Ethernet2Slice::from_slice_without_fcs(bytes)
        .map_err(|_| format!("a header has 14 bytes, the packet has {}", bytes.len()))?;
    carried(frame.ether_type(), frame.payload_slice(), after_link(frame.payload_slice()))
}

/// A loopback header in either byte order, with the address family of the IP packet behind it.
fn loopback(bytes: &[u8]) -> Fits {
    let (family, payload) = bytes.split_first_chunk().ok_or_else(|| "a header has 4 bytes".to_owned())?;
    let version = match u32::from_be_bytes(*family).min(u32::from_le_bytes(*family)) {
        2 => 4,
        10 | 23 | 24 | 28 | 30 => 6,
        other => return Err(format!("the address family would be {other}")),
    };
    packet_of(version, payload).map(|fits| format!("its family is that of IP; {fits}"))
}

/// A cooked header of version 1 with a complete IP or ARP packet.
fn cooked(bytes: &[u8]) -> Fits {
    let (header, payload) = bytes.split_first_chunk::<16>().ok_or_else(|| "a header has 16 bytes".to_owned())?;
    let [packet_type, _, address, _, _, _, _, kind] = words(header);
    is_cooked(packet_type, address)?;
    carried(EtherType(kind), payload, after_link(payload))
}

/// A cooked header of version 2 with a complete IP or ARP packet.
fn cooked_2(bytes: &[u8]) -> Fits {
    let (header, payload) = bytes.split_first_chunk::<20>().ok_or_else(|| "a header has 20 bytes".to_owned())?;
    let [kind, reserved, _, _, _, types, ..] = words(header);
    if reserved != 0 {
        return Err(format!("the reserved bytes would be 0x{reserved:04x}"));
    }
    is_cooked(types >> 8, types & 0xff)?;
    carried(EtherType(kind), payload, after_link(payload))
}

fn is_cooked(packet_type: u16, address: u16) -> Result<(), String> {
    match (packet_type, address) {
        (..=COOKED_SENT, ..=COOKED_ADDRESS) => Ok(()),
        _ => Err(format!("the packet type would be {packet_type}, with an address of {address} bytes")),
    }
}

/// The first eight numbers of two bytes.
fn words(header: &[u8]) -> [u16; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(header.as_chunks().0) {
        *word = u16::from_be_bytes(*bytes);
    }
    words
}

/// A PPP header, with or without the HDLC address and a compressed protocol number, and a complete IP packet.
fn ppp(bytes: &[u8]) -> Fits {
    let (version, payload) = match bytes.strip_prefix(&[0xff, 0x03]).unwrap_or(bytes) {
        [0x00, 0x21, payload @ ..] | [0x21, payload @ ..] => (4, payload),
        [0x00, 0x57, payload @ ..] | [0x57, payload @ ..] => (6, payload),
        _ => return Err("its protocol would not be IP".to_owned()),
    };
    packet_of(version, payload).map(|fits| format!("its protocol is IP; {fits}"))
}

fn packet_of(version: u8, payload: &[u8]) -> Fits {
    match payload.first().map(|first| first >> 4) {
        Some(own) if own == version => packet(payload, Place::Framed),
        own => Err(format!("the version would be {}, expected {version}", own.unwrap_or_default())),
    }
}

/// The place of a packet with this payload of a link header.
fn after_link(payload: &[u8]) -> Place {
    if payload.len() <= SHORTEST_PAYLOAD { Place::Padded } else { Place::Framed }
}

fn carried(kind: EtherType, payload: &[u8], place: Place) -> Fits {
    match kind {
        ether_type::IPV4 | ether_type::IPV6 => packet(payload, place).map(|fits| format!("its type is IP; {fits}")),
        ether_type::ARP => match ArpPacketSlice::from_slice(payload) {
            Ok(arp) if arp.to_packet().try_eth_ipv4().is_ok() => Ok("its type is ARP, and a packet for IPv4 follows".to_owned()),
            _ => Err("its type is ARP, but no packet for IPv4 follows".to_owned()),
        },
        ether_type::VLAN_TAGGED_FRAME | ether_type::PROVIDER_BRIDGING | ether_type::VLAN_DOUBLE_TAGGED_FRAME => {
            let tag = SingleVlanSlice::from_slice(payload).map_err(|_| "a VLAN tag is cut off".to_owned())?;
            carried(tag.ether_type(), tag.payload_slice(), place)
        }
        EtherType(kind) => Err(format!("its type would be 0x{kind:04x}, neither IP nor ARP nor VLAN")),
    }
}

fn packet(bytes: &[u8], place: Place) -> Fits {
    let version = bytes.first().map_or(0, |first| first >> 4);
    match (version, IpSlice::from_slice(bytes)) {
        (4, Ok(IpSlice::Ipv4(ip))) => version_4(&ip, bytes.len(), place == Place::Padded),
        (6, Ok(IpSlice::Ipv6(ip))) => version_6(&ip, bytes.len(), place),
        (4 | 6, _) => Err(format!("version {version}, but lengths that do not fit {} bytes", bytes.len())),
        _ => Err(format!("the version would be {version}")),
    }
}

/// IPv4 with a valid checksum. With an invalid one, all lengths must match exactly, including the inner header: network cards may
/// fill in checksums after the capture.
fn version_4(ip: &Ipv4Slice<'_>, len: usize, padded: bool) -> Fits {
    let header = ip.header();
    let (is, should) = (header.header_checksum(), header.to_header().calc_header_checksum());
    if is == should {
        return Ok("version 4, and lengths and checksum fit".to_owned());
    }
    let total = usize::from(header.total_len());
    let checksum = format!("the checksum is 0x{is:04x}, expected 0x{should:04x}");
    if total != len && !(padded && total < len) {
        return Err(format!("{checksum}, and the length is {total} of {len} bytes"));
    }
    let is_part = header.fragments_offset().value() > 0 || header.more_fragments();
    match inner(header.protocol(), ip.payload().payload) {
        _ if is_part && is == 0 => Ok(format!("version 4, and lengths fit; {checksum}")),
        _ if is_part => Err(format!("{checksum}, and a fragment has no header to compare")),
        Ok(fits) => Ok(format!("version 4, lengths and {fits} fit; {checksum}")),
        Err(_) if is == 0 => Ok(format!("version 4, and lengths fit; {checksum}")),
        Err(what) => Err(format!("{checksum}, and {what}")),
    }
}

/// IPv6, which has no checksum: the length must match exactly, or the inner header must fit in a frame with padding or a
/// trailer.
fn version_6(ip: &Ipv6Slice<'_>, len: usize, place: Place) -> Fits {
    let total = IPV6_HEADER + usize::from(ip.header().payload_length());
    let payload = ip.payload();
    let is_part = payload.fragmented;
    match inner(payload.ip_number, payload.payload) {
        Ok(fits) if !is_part && (total == len || place != Place::First) => Ok(format!("version 6, lengths and {fits} fit")),
        _ if total == len && (is_part || is_assigned(payload.ip_number)) => Ok("version 6, and the lengths fit".to_owned()),
        Err(what) if total == len => Err(format!("version 6, but {what}")),
        _ => Err(format!("version 6, but the length is {total} of {len} bytes")),
    }
}

/// Whether packets of this protocol are common in IPv6 and have no length to compare, such as OSPF.
fn is_assigned(protocol: IpNumber) -> bool {
    !matches!(protocol, ip_number::UDP | ip_number::TCP | ip_number::ICMP | ip_number::IPV6_ICMP)
        && matches!(protocol.0, 4 | 41 | 47 | 50 | 51 | 59 | 88 | 89 | 103 | 108 | 112 | 115 | 132 | 135..=140)
}

/// The transport header in an IP packet, if its lengths can be verified.
fn inner(protocol: IpNumber, payload: &[u8]) -> Result<&'static str, String> {
    match protocol {
        ip_number::UDP => match UdpSlice::from_slice(payload) {
            Ok(udp) if usize::from(udp.length()) == payload.len() => Ok("the UDP header"),
            _ => Err("the UDP length does not fit".to_owned()),
        },
        ip_number::TCP => {
            TcpSlice::from_slice(payload).map(|_| "the TCP header").map_err(|_| "the TCP header does not fit".to_owned())
        }
        ip_number::ICMP => match payload {
            [0 | 3 | 4 | 5 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 17 | 18, ..] if payload.len() >= 8 => Ok("the ICMP header"),
            _ => Err("the ICMP type is unknown".to_owned()),
        },
        ip_number::IPV6_ICMP => match payload {
            [1..=4 | 100 | 101 | 127..=161, ..] if payload.len() >= 8 => Ok("the ICMPv6 header"),
            _ => Err("the ICMPv6 type is unknown".to_owned()),
        },
        IpNumber(number) => Err(format!("protocol {number} has no length to compare")),
    }
}
