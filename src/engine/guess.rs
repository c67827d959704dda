//! Detection of the format of hex text, which may start at any layer.

use super::nested::{Carried, States, Turn};
use crate::layers::{Bytes, Next};
use crate::registry::{Assume, Candidate, FlowContext, Owner, Registry};
use crate::tree::{Demand, FrameInfo, Kind, Level, Side, StreamId, Transport, Tree};
use crate::wire::{Cut, On, Opening, Protocol};
use etherparse::{ArpPacketSlice, EtherType, Ethernet2Slice, IpSlice, SingleVlanSlice, ether_type};

/// What bytes are, with the names of other protocols that recognise them.
pub(super) type Guessed = (Guess, Vec<&'static str>);

/// The longest bytes whose guess is remembered, since short ones come very often in a row: asking every protocol takes
/// far longer than dissecting them.
pub(super) const REMEMBERED: usize = 256;

/// What bytes are.
#[derive(Clone, Copy)]
pub(super) enum Guess {
    /// They begin with a header of these layers.
    Layers(Next),
    /// Messages of a stream protocol, sent by this side.
    Stream(Side),
    /// A datagram of a protocol, sent by this side unless the input gives another.
    Datagram(Candidate, Side),
    /// Unknown format.
    Nothing,
}

/// Link type number of Ethernet.
const ETHERNET: u16 = 1;

/// Detects the format: by the user's choice, then as a frame with valid lengths and checksums, then by heuristics. Also
/// returns the names of other matching protocols.
pub(super) fn guess(registry: Registry, bytes: &[u8]) -> Guessed {
    let by_content = || registry.datagrams_on(None, bytes);
    let known = match registry.assume() {
        Assume::Layer(next) => Some(Guess::Layers(next)),
        Assume::Protocol(protocol, side) => Some(assumed(registry, protocol, side, bytes)),
        Assume::Port(On::Udp(port)) => Some(seen_on(registry, port, bytes).map_or(Guess::Nothing, by_client)),
        Assume::Port(_) => Some(Guess::Stream(speaker(registry, bytes).unwrap_or(Side::Server))),
        Assume::Nothing if is_ip(bytes) => Some(Guess::Layers(Next::Ip)),
        Assume::Nothing if is_ethernet(bytes) => Some(Guess::Layers(Next::Link(ETHERNET))),
        Assume::Nothing => None,
    };
    if let Some(known) = known {
        return (known, Vec::new());
    }
    let side = speaker(registry, bytes);
    let fitting: Vec<Candidate> = by_content().filter(|candidate| is_explained(registry, *candidate, bytes)).collect();
    // What recognises the bytes but cannot explain them counts only where nothing can.
    let candidates = if side.is_none() && fitting.is_empty() { by_content().collect() } else { fitting };
    let names = candidates.iter().map(|candidate| candidate.protocol.this.abbrev);
    let mut others: Vec<&str> = names.skip(usize::from(side.is_none())).collect();
    others.dedup();
    let guess = match side {
        Some(side) => Guess::Stream(side),
        None => candidates.first().copied().map_or(Guess::Nothing, by_client),
    };
    (guess, others)
}

/// Whether a protocol explains a datagram to its last byte, with nothing odd about it.
fn is_explained(registry: Registry, candidate: Candidate, bytes: &[u8]) -> bool {
    let mut tree = Tree::new(Demand::EVERYTHING);
    tree.begin(FrameInfo::default());
    let carried = Carried { bytes: Bytes::of_frame(bytes), range: 0..bytes.len(), cut: Cut::No, below: None, ends: 0 };
    let mut turn = Turn { registry, context: None, side: Side::Client, states: &mut States::default() };
    turn.message(&mut tree, candidate, &carried);
    tree.undissected == 0 && tree.notes.iter().all(|note| note.code.kind == Kind::Note(Level::Info))
}

/// Whose datagram it is that was seen on this port: what the user chose for the port, else who is at home there.
fn seen_on(registry: Registry, port: u16, bytes: &[u8]) -> Option<Candidate> {
    let context =
        FlowContext { stream: StreamId { transport: Transport::Udp, number: 0 }, sockets: None, over: None, inside: false };
    if registry.is_chosen(&context) {
        return registry.datagram_owner(&context, bytes);
    }
    registry.datagrams_on(Some([0, port]), bytes).next()
}

/// A datagram of unknown direction.
fn by_client(candidate: Candidate) -> Guess {
    Guess::Datagram(candidate, Side::Client)
}

/// A protocol's payload, because the user says so.
fn assumed(registry: Registry, protocol: &'static Protocol, side: Option<Side>, bytes: &[u8]) -> Guess {
    match Candidate::datagram(protocol) {
        Some(candidate) if side.is_none() && registry.datagrams_on(None, bytes).any(|other| same(&other, &candidate)) => {
            by_client(candidate)
        }
        Some(candidate) if !protocol.is_stream() => Guess::Datagram(candidate, side.unwrap_or(Side::Client)),
        _ => Guess::Stream(side.or_else(|| speaker(registry, bytes)).unwrap_or(Side::Client)),
    }
}

fn same(a: &Candidate, b: &Candidate) -> bool {
    std::ptr::eq(a.protocol, b.protocol)
}

/// The side that would say the bytes at the beginning of a stream, if a stream protocol recognises them.
fn speaker(registry: Registry, bytes: &[u8]) -> Option<Side> {
    let context =
        FlowContext { stream: StreamId { transport: Transport::Tcp, number: 0 }, sockets: None, over: None, inside: false };
    [Side::Server, Side::Client].into_iter().find_map(|side| {
        let mut sent: [&[u8]; 2] = [&[], &[]];
        if let Some(place) = sent.get_mut(side.index()) {
            *place = bytes;
        }
        let opening = Opening { sent, from_start: [true, true], complete: true };
        match registry.stream_owner(&context, &opening) {
            Owner::Known(_, Side::Server) => Some(side),
            Owner::Known(_, Side::Client) => Some(side.other()),
            Owner::Unsure | Owner::None => None,
        }
    })
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

/// An IP packet that is all there. An IPv4 header has a right checksum, or none and exactly the length of the bytes: network
/// cards fill in checksums after the capture.
fn is_ip(bytes: &[u8]) -> bool {
    match IpSlice::from_slice(bytes) {
        Ok(IpSlice::Ipv4(ip)) => {
            let header = ip.header();
            match header.header_checksum() {
                0 => usize::from(header.total_len()) == bytes.len(),
                checksum => checksum == header.to_header().calc_header_checksum(),
            }
        }
        Ok(IpSlice::Ipv6(_)) => true,
        Err(_) => false,
    }
}
