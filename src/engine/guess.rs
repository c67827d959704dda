//! What bytes are that nobody said anything of: hex text that may begin at any layer.

use crate::layers::Next;
use crate::registry::{Candidate, Owner, Registry};
use crate::tree::Side;
use crate::wire::Opening;
use etherparse::{ArpPacketSlice, EtherType, Ethernet2Slice, IpSlice, SingleVlanSlice, ether_type};

/// What bytes begin with.
pub(super) enum Guess {
    /// A header of these layers.
    Layers(Next),
    /// Messages of a stream protocol, said by this side.
    Stream(Side),
    /// A datagram of a protocol.
    Datagram(Candidate),
    /// Nothing that anybody knows.
    Nothing,
}

/// Link type number of Ethernet.
const ETHERNET: u16 = 1;

/// What the bytes begin with: a frame whose lengths and checksums fit, else what a protocol recognises.
pub(super) fn guess(registry: Registry, bytes: &[u8]) -> Guess {
    if is_ip(bytes) {
        return Guess::Layers(Next::Ip);
    }
    if is_ethernet(bytes) {
        return Guess::Layers(Next::Link(ETHERNET));
    }
    if let Some(candidate) = registry.datagram_owner(None, bytes) {
        return Guess::Datagram(candidate);
    }
    for side in [Side::Server, Side::Client] {
        let mut said: [&[u8]; 2] = [&[], &[]];
        if let Some(place) = said.get_mut(side.index()) {
            *place = bytes;
        }
        let opening = Opening { said, from_start: [true, true], complete: true };
        if let Owner::Known(_, server) = registry.stream_owner(None, &opening) {
            return Guess::Stream(if server == Side::Server { side } else { side.other() });
        }
    }
    Guess::Nothing
}

/// An Ethernet frame around a whole IP packet or an ARP packet; padding may follow.
fn is_ethernet(bytes: &[u8]) -> bool {
    let Ok(frame) = Ethernet2Slice::from_slice_without_fcs(bytes) else { return false };
    carries(frame.ether_type(), frame.payload_slice())
}

fn carries(kind: EtherType, payload: &[u8]) -> bool {
    match kind {
        ether_type::IPV4 | ether_type::IPV6 => is_ip(payload),
        ether_type::ARP => ArpPacketSlice::from_slice(payload).is_ok_and(|arp| arp.to_packet().try_eth_ipv4().is_ok()),
        ether_type::VLAN_TAGGED_FRAME | ether_type::PROVIDER_BRIDGING | ether_type::VLAN_DOUBLE_TAGGED_FRAME => {
            SingleVlanSlice::from_slice(payload).is_ok_and(|tag| carries(tag.ether_type(), tag.payload_slice()))
        }
        _ => false,
    }
}

/// An IP packet that is all there, with a right checksum if its version has one.
fn is_ip(bytes: &[u8]) -> bool {
    match IpSlice::from_slice(bytes) {
        Ok(IpSlice::Ipv4(ip)) => ip.header().header_checksum() == ip.header().to_header().calc_header_checksum(),
        Ok(IpSlice::Ipv6(_)) => true,
        Err(_) => false,
    }
}
