//! Tests whether bytes begin with the headers of a frame, and reports why.

use super::super::Engine;
use super::Guess;
use crate::input::{Frame, Link};
use crate::record::level_of;
use crate::registry::Registry;
use crate::tree::Level;
use etherparse::{
    ArpPacketSlice, EtherType, Ethernet2Slice, IpNumber, IpSlice, Ipv4Slice, SingleVlanSlice, TcpSlice, UdpSlice, ether_type,
    ip_number,
};

/// The minimum Ethernet frame without its checksum: shorter ones are padded.
const SHORTEST_FRAME: usize = 60;

/// What fits, or why it does not.
pub(super) type Fits = Result<String, String>;

/// A complete IP packet.
pub(super) fn ip(bytes: &[u8]) -> Fits {
    packet(bytes, false)
}

/// An Ethernet frame with a complete IP or ARP packet; padding may follow.
pub(super) fn ethernet(bytes: &[u8]) -> Fits {
    let frame = Ethernet2Slice::from_slice_without_fcs(bytes)
        .map_err(|_| format!("a header has 14 bytes, the packet has {}", bytes.len()))?;
    carried(frame.ether_type(), frame.payload_slice(), bytes.len() <= SHORTEST_FRAME)
}

fn carried(kind: EtherType, payload: &[u8], padded: bool) -> Fits {
    match kind {
        ether_type::IPV4 | ether_type::IPV6 => packet(payload, padded).map(|fits| format!("its type is IP; {fits}")),
        ether_type::ARP => match ArpPacketSlice::from_slice(payload) {
            Ok(arp) if arp.to_packet().try_eth_ipv4().is_ok() => Ok("its type is ARP, and a packet for IPv4 follows".to_owned()),
            _ => Err("its type is ARP, but no packet for IPv4 follows".to_owned()),
        },
        ether_type::VLAN_TAGGED_FRAME | ether_type::PROVIDER_BRIDGING | ether_type::VLAN_DOUBLE_TAGGED_FRAME => {
            let tag = SingleVlanSlice::from_slice(payload).map_err(|_| "a VLAN tag is cut off".to_owned())?;
            carried(tag.ether_type(), tag.payload_slice(), padded)
        }
        EtherType(kind) => Err(format!("its type would be 0x{kind:04x}, neither IP nor ARP nor VLAN")),
    }
}

/// `padded`: padding may follow the packet in a short frame.
fn packet(bytes: &[u8], padded: bool) -> Fits {
    let version = bytes.first().map_or(0, |first| first >> 4);
    match (version, IpSlice::from_slice(bytes)) {
        (4, Ok(IpSlice::Ipv4(ip))) => version_4(&ip, bytes.len(), padded),
        (6, Ok(IpSlice::Ipv6(_))) => Ok("version 6, and the lengths fit".to_owned()),
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

/// The transport header in an IPv4 packet, if its lengths can be verified.
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
        IpNumber(number) => Err(format!("protocol {number} has no length to compare")),
    }
}

/// Why a message after valid headers is malformed; `None` if it is not.
pub(super) fn broken(registry: Registry, bytes: &[u8], guess: Guess) -> Option<String> {
    let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let frame = Frame { number: 1, link: Link::Unknown, bytes, original_len, ..Frame::default() };
    let mut engine = Engine::complete(registry);
    engine.begin(&frame);
    engine.interpret(&frame, guess);
    let tree = &engine.tree;
    let note = tree.notes.iter().find(|note| level_of(note) == Level::Broken)?;
    Some(format!("{}: {}", note.code.name, tree.generated_text(note.text)))
}
