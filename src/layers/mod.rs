//! The stack below applications: link, network and transport headers.
//!
//! `etherparse` finds where headers and payloads end; the cursor records field values. A header function dissects one header and
//! returns its payload. [`walk`] follows payloads from layer to layer down to TCP or UDP. These need conversations and are left
//! to the engine. If UDP carries a packet ([`udp::tunnel`]), the engine continues with [`walk_on`].

pub mod ah;
pub mod arcnet;
pub mod arp;
pub mod avs;
pub mod ayiya;
pub mod capwap;
mod carried;
pub mod cdp;
pub mod cfp;
mod checksum;
pub mod cisco;
pub mod eapol;
pub mod erspan;
pub mod esp;
pub mod etag;
pub mod ethernet;
pub mod exported_pdu;
mod fast_path;
pub mod fddi;
pub mod frame_relay;
pub mod geneve;
pub mod gre;
pub mod gtp;
pub mod gtpv2;
pub mod icmp;
pub mod icmp_times;
pub mod icmpv6;
pub mod igmp;
pub mod ip;
pub mod ipcomp;
pub mod ipnet;
pub mod ipoib;
pub mod ipv6;
pub mod itag;
pub mod l2tp;
pub mod link;
pub mod lldp;
pub mod mpls;
pub mod nflog;
pub mod ospf;
pub mod pim;
pub mod pktap;
pub mod ppi;
pub mod ppp;
pub mod pppoe;
pub mod prism;
pub mod pseudowire;
pub mod radiotap;
pub mod sctp;
pub mod stp;
pub mod tcp;
pub mod teredo;
#[cfg(test)]
mod tests;
pub mod token_ring;
#[cfg(test)]
mod trial;
pub mod udp;
pub mod usb;
pub mod vntag;
pub mod vrrp;
pub mod vxlan;
pub mod wlan;

pub use carried::{Bytes, Described, FragmentPosition, HeaderPayload, Next, Reached, TransportSegment};
pub use checksum::Checks;
pub use fast_path::{FastHeaders, FlowKey, HeaderValue, ends as plain_ends};

use crate::input::{Link, link_name};
use crate::limits;
use crate::tree::{Address, Demand, Ends, Field, Fields, Generated, Kind, LayerId, Only, Span, Tree, Value};
use crate::wire::notes::DEEP;
use crate::wire::{Cut, Dissector, On, Protocol, Result, Wire, data};
use std::net::IpAddr;
use std::ops::Range;
use std::sync::LazyLock;

/// All protocols of this module.
pub static ALL: &[&Protocol] = &[
    &ah::PROTOCOL,
    &arcnet::PROTOCOL,
    &arp::PROTOCOL,
    &avs::PROTOCOL,
    &ayiya::PROTOCOL,
    &capwap::PROTOCOL,
    &cdp::PROTOCOL,
    &cfp::PROTOCOL,
    &cisco::METADATA_PROTOCOL,
    &cisco::PROTOCOL,
    &cisco::SLARP_PROTOCOL,
    &DATA,
    &eapol::EAP_PROTOCOL,
    &eapol::KEY_PROTOCOL,
    &eapol::PROTOCOL,
    &erspan::PROTOCOL,
    &esp::PROTOCOL,
    &etag::PROTOCOL,
    &ethernet::LLC_PROTOCOL,
    &ethernet::PROTOCOL,
    &ethernet::VLAN_PROTOCOL,
    &exported_pdu::PROTOCOL,
    &fddi::PROTOCOL,
    &frame_relay::PROTOCOL,
    &geneve::PROTOCOL,
    &gre::PROTOCOL,
    &gtp::PROTOCOL,
    &gtpv2::PROTOCOL,
    &icmp::PROTOCOL,
    &icmpv6::PROTOCOL,
    &igmp::PROTOCOL,
    &ip::PROTOCOL,
    &ipcomp::PROTOCOL,
    &ipnet::PROTOCOL,
    &ipoib::PROTOCOL,
    &ipv6::PROTOCOL,
    &itag::PROTOCOL,
    &l2tp::PROTOCOL,
    &link::LOOP_PROTOCOL,
    &link::NULL_PROTOCOL,
    &link::SLL_PROTOCOL,
    &lldp::PROTOCOL,
    &mpls::PROTOCOL,
    &nflog::PROTOCOL,
    &ospf::PROTOCOL,
    &pim::PROTOCOL,
    &pktap::PROTOCOL,
    &ppi::PROTOCOL,
    &ppp::PROTOCOL,
    &pppoe::DISCOVERY_PROTOCOL,
    &pppoe::PROTOCOL,
    &pppoe::SESSION_PROTOCOL,
    &prism::PROTOCOL,
    &pseudowire::CHANNEL_PROTOCOL,
    &pseudowire::PROTOCOL,
    &radiotap::PROTOCOL,
    &sctp::PROTOCOL,
    &stp::PROTOCOL,
    &tcp::PROTOCOL,
    &teredo::PROTOCOL,
    &token_ring::PROTOCOL,
    &udp::PROTOCOL,
    &usb::PROTOCOL,
    &vntag::PROTOCOL,
    &vrrp::PROTOCOL,
    &vxlan::PROTOCOL,
    &wlan::PROTOCOL,
];

pub fn named(name: &str) -> Option<&'static Protocol> {
    ALL.iter().copied().find(|protocol| protocol.this.abbrev == name)
}

/// Pseudo-protocol of undissected bytes.
pub static DATA: Protocol = layer(&data::DATA, data::FIELDS);

/// Protocols that messages contain, too.
pub(crate) const IN_MESSAGES: [&Protocol; 3] = [&DATA, &eapol::EAP_PROTOCOL, &esp::PROTOCOL];

/// Whether a field belongs to a header, not to a message.
pub(crate) fn is_of_header(field: &Field) -> bool {
    let headers = ALL.iter().filter(|protocol| !IN_MESSAGES.iter().any(|other| std::ptr::eq(**protocol, *other)));
    headers.flat_map(|protocol| protocol.fields).any(|known| known.is(field))
}

/// Whether a header field is a payload. Secrets in it are known only once messages are dissected.
fn is_payload(field: &Field) -> bool {
    [&tcp::PAYLOAD, &udp::PAYLOAD].into_iter().chain(usb::PAYLOADS).any(|payload| payload.is(field))
}

/// Whether values of a field may contain credentials: all except numbers and addresses of headers.
pub fn may_show_credentials(field: &Field) -> bool {
    let is_text = !matches!(field.kind, Kind::Number | Kind::Float | Kind::Bool | Kind::Mac | Kind::Ipv4 | Kind::Ipv6);
    is_text || !is_of_header(field)
}

/// Whether a header field depends only on its own frame.
pub fn is_of_frame(field: &Field) -> bool {
    // Checksums are verified during connection lookup; times need conversation state.
    // Answers of USB devices are dissected by their requests.
    let of_others = [&tcp::CHECKSUM_STATUS].into_iter().chain(udp::TIMES).chain(usb::PROTOCOL.fields.iter().copied());
    if of_others.into_iter().any(|known| known.is(field)) {
        return false;
    }
    if let Some(Generated { from, needs, .. }) = field.generated {
        return from.iter().chain(needs).all(|source| is_of_frame(source));
    }
    let is_of_tcp = tcp::PROTOCOL.fields.iter().any(|known| known.is(field));
    let is_value = !matches!(field.kind, Kind::Protocol | Kind::Group | Kind::Note(_));
    is_value && is_of_header(field) && !is_payload(field) && (!is_of_tcp || tcp::OWN.iter().any(|own| own.is(field)))
}

/// Whether results of the TCP sequence analysis are requested as fields.
pub fn has_analysis_fields(demand: Demand) -> bool {
    match demand.fields {
        Fields::None => false,
        Fields::Only(only) => only.fields().any(tcp::needs_analysis),
        Fields::All => true,
    }
}

/// The same fields, classified by where they are read.
pub fn classified(only: Only) -> Only {
    only.classified(|field| is_of_header(field) && !is_payload(field), fast_path::omits)
}

/// A header protocol: selected by the layer below it, not by port or heuristic.
const fn layer(this: &'static Field, fields: &'static [&'static Field]) -> Protocol {
    Protocol::new(this, fields)
}

/// Dissects the headers of a frame from its first byte on, layer by layer.
pub fn walk(tree: &mut Tree, link: Link, frame: &[u8], missing: usize, checks: Checks) -> Reached {
    if let Some(reached) = fast_path::loose(tree, link, frame, missing, checks) {
        return reached;
    }
    let wanted = tree.set_demand(tree.demand().for_carriers());
    let passed = fast_path::walk(tree, link, frame, missing, checks);
    tree.set_demand(wanted);
    if let Some(reached) = passed {
        return reached;
    }
    let first = match link {
        Link::Type(number) => Next::Link(number),
        Link::Stream(_) | Link::Unknown => Next::Data,
    };
    walk_from(tree, first, frame, missing, checks)
}

/// Dissects the headers of a frame, given the type of the first one.
pub fn walk_from(tree: &mut Tree, first: Next, frame: &[u8], missing: usize, checks: Checks) -> Reached {
    walk_on(tree, HeaderPayload::new(first, 0..frame.len(), missing), Bytes::of_frame(frame), None, checks)
}

/// Dissects the headers in the payload of a layer.
pub fn walk_on(tree: &mut Tree, first: HeaderPayload, bytes: Bytes<'_>, below: Option<LayerId>, checks: Checks) -> Reached {
    let (mut carried, mut below) = (first, below);
    while let Some((protocol, header)) = header_of(&carried, bytes.all) {
        if tree.layers.len() >= limits::FRAME_LAYERS.get() {
            unexplained(tree, bytes, carried.range.clone(), below);
            let node = tree.here().saturating_sub(1);
            tree.note(
                &DEEP,
                node,
                Span::new(bytes.source, carried.range),
                format_args!("more than {} headers", limits::FRAME_LAYERS.get()),
            );
            return Reached::End;
        }
        let (layer, behind) = describe(tree, protocol, header, &carried, bytes, below, checks);
        below = Some(layer);
        match behind {
            Some(behind) => carried = behind,
            None => return Reached::End,
        }
    }
    if let (Next::Usb(transfer), Some(below)) = (carried.next, below) {
        return Reached::Usb(transfer, carried.range, carried.missing, below);
    }
    if carried.next == Next::Exported && !carried.range.is_empty() {
        return Reached::Exported(carried.range, below);
    }
    if let Some(reached) = transport(tree, &carried, below) {
        return reached;
    }
    if let Some((protocol, packet)) = packet_of(carried.next).filter(|_| !carried.range.is_empty()) {
        let read = |wire: &mut Wire<'_>, _| packet(wire).map(|()| HeaderPayload::nothing(wire.at()));
        describe(tree, protocol, read, &carried, bytes, below, checks);
        return Reached::End;
    }
    if carried.next != Next::Nothing && !(carried.range.is_empty() && below.is_some()) {
        let len = carried.range.len();
        let layer = unexplained(tree, bytes, carried.range, below);
        if let Next::Link(number) = carried.next {
            name_link(tree, layer, number, len);
        }
    }
    Reached::End
}

/// Names the link type in the summary of undissected bytes.
fn name_link(tree: &mut Tree, layer: LayerId, number: u16, len: usize) {
    let info = match link_name(number) {
        Some(name) => tree.make_heading(format_args!("{name}, {len} bytes")),
        None => tree.make_heading(format_args!("link type {number}, {len} bytes")),
    };
    if let Some(layer) = tree.layers.get_mut(layer as usize) {
        layer.info = info.into();
    }
}

/// Whether segment payloads or whole frames may be requested.
pub fn shows_payload(demand: Demand) -> bool {
    let is_selected = demand.fields.only().is_some_and(|only| only.has(&tcp::PAYLOAD));
    demand.fields.any() && (demand.carriers.have_fields() || is_selected)
}

/// Adds undissected bytes as a layer.
pub fn unexplained(tree: &mut Tree, bytes: Bytes<'_>, range: Range<usize>, below: Option<LayerId>) -> LayerId {
    let ends = last_ends(tree);
    let layer = tree.push_layer(&data::DATA, Span::new(bytes.source, range.clone()), below, ends, true);
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), Cut::No);
    wire.info(format_args!("{} bytes", range.len()));
    wire.rest(&data::BYTES);
    finish(tree, layer, range.end);
    tree.outcome.undissected += range.len() as u64;
    layer
}

fn transport(tree: &Tree, carried: &HeaderPayload, below: Option<LayerId>) -> Option<Reached> {
    let ends = tree.ends.last()?;
    let ip = |address| match address {
        Address::Ip(ip) => Some(ip),
        Address::Socket(socket) => Some(socket.ip()),
        Address::Mac(_) | Address::Usb(_) => None,
    };
    let (src, dst) = (ends.src.and_then(ip)?, ends.dst.and_then(ip)?);
    let segment = TransportSegment {
        range: carried.range.clone(),
        missing: carried.missing,
        is_part: carried.is_part,
        src,
        dst,
        below,
        path: "",
    };
    match carried.next {
        Next::IpProtocol(ip::TCP) => Some(Reached::Tcp(segment)),
        Next::IpProtocol(ip::UDP) => Some(Reached::Udp(segment)),
        Next::IpProtocol(ip::SCTP) => Some(Reached::Sctp(segment)),
        // The end of a truncated fragment is unknown.
        Next::Fragment(part) if carried.missing == 0 => Some(Reached::Fragment(part, segment)),
        Next::Compressed(protocol) => Some(Reached::Compressed(protocol, segment)),
        _ => None,
    }
}

/// Dissects one header; `missing` is the number of truncated bytes after the end of the cursor.
type HeaderFn = fn(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload>;

fn header_of(carried: &HeaderPayload, frame: &[u8]) -> Option<(&'static Protocol, HeaderFn)> {
    Some(match carried.next {
        Next::Link(number) => {
            let ahead = frame.get(carried.range.clone()).unwrap_or_default();
            return link::header_of(number, ahead).or_else(|| ip_header(carried, frame).filter(|_| link::is_raw_ip(number)));
        }
        Next::EtherType(number) => return ethernet::header_of(number),
        Next::Llc => (&ethernet::LLC_PROTOCOL, ethernet::llc),
        Next::Ip => return ip_header(carried, frame),
        Next::IpProtocol(ip::ICMP) => (&icmp::PROTOCOL, icmp::packet),
        Next::IpProtocol(ip::ICMPV6) => (&icmpv6::PROTOCOL, icmpv6::header),
        Next::IpProtocol(ip::IGMP) => (&igmp::PROTOCOL, igmp::message),
        Next::IpProtocol(ip::IPV4) => (&ip::PROTOCOL, ip::header),
        Next::IpProtocol(ip::IPV6) => (&ipv6::PROTOCOL, ipv6::header),
        Next::IpProtocol(ip::PIM) => (&pim::PROTOCOL, pim::header),
        Next::IpProtocol(ip::AH) => (&ah::PROTOCOL, ah::header),
        Next::IpProtocol(ip::IPCOMP) => (&ipcomp::PROTOCOL, ipcomp::header),
        Next::IpProtocol(ip::GRE) => (&gre::PROTOCOL, gre::header),
        Next::IpProtocol(ip::MPLS) => (&mpls::PROTOCOL, mpls::labels),
        Next::Header(described) => (described.protocol, described.header),
        Next::IpProtocol(_)
        | Next::Packet(_)
        | Next::Fragment(_)
        | Next::Compressed(_)
        | Next::Usb(_)
        | Next::Exported
        | Next::Data
        | Next::Nothing => {
            return None;
        }
    })
}

/// Dissects one packet without a payload.
type PacketFn = fn(wire: &mut Wire<'_>) -> Result;

/// The packet without a payload that is registered here: its protocol and its dissector.
fn packet_of(next: Next) -> Option<(&'static Protocol, PacketFn)> {
    let place = match next {
        Next::EtherType(number) => On::EtherType(number),
        Next::IpProtocol(ip::TCP | ip::UDP | ip::SCTP) => return None,
        Next::IpProtocol(number) => On::IpProtocol(number),
        Next::Packet(place) => place,
        _ => return None,
    };
    PACKETS.iter().find(|(on, ..)| *on == place).map(|(_, protocol, read)| (*protocol, *read))
}

/// Places of packets without a payload. Most packets have another header, so the list of all protocols is searched once.
static PACKETS: LazyLock<Vec<(On, &Protocol, PacketFn)>> = LazyLock::new(|| {
    let places = ALL.iter().flat_map(|protocol| protocol.found.iter().map(|found| (*protocol, found)));
    let packets = places.filter_map(|(protocol, found)| match found.dissector {
        Dissector::Datagram(read) => Some((found.on, protocol, read)),
        _ => None,
    });
    packets.collect()
});

/// Whether a protocol of this name is a packet without a payload, which the message view shows as well.
pub(crate) fn is_packet(name: &str) -> bool {
    named(name).is_some_and(|protocol| !protocol.found.is_empty())
}

/// The IP protocol by the version in the first byte.
fn ip_header(carried: &HeaderPayload, frame: &[u8]) -> Option<(&'static Protocol, HeaderFn)> {
    match frame.get(carried.range.start)? >> 4 {
        4 => Some((&ip::PROTOCOL, ip::header)),
        6 => Some((&ipv6::PROTOCOL, ipv6::header)),
        _ => None,
    }
}

/// Dissects one header as a layer. Returns its payload, or `Next::Nothing` if dissection stopped.
fn describe(
    tree: &mut Tree,
    protocol: &'static Protocol,
    header: impl FnOnce(&mut Wire<'_>, usize) -> Result<HeaderPayload>,
    carried: &HeaderPayload,
    bytes: Bytes<'_>,
    below: Option<LayerId>,
    checks: Checks,
) -> (LayerId, Option<HeaderPayload>) {
    let start = carried.range.start;
    let ends = last_ends(tree);
    let layer = tree.push_layer(protocol.this, Span::new(bytes.source, start..start), below, ends, false);
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, carried.range.clone(), cut(carried.missing));
    let result = header(&mut wire, carried.missing);
    let behind = match result {
        Ok(behind) => {
            if checks.ip && protocol.this.is(&ip::IP) {
                ip::verify(&mut wire, bytes.get(carried.range.clone()));
            }
            if let Some(trailer) = behind.trailer.filter(|_| behind.range.end < carried.range.end) {
                wire.put_after(trailer, Value::Bytes, behind.range.end..carried.range.end);
            }
            Some(behind)
        }
        Err(error) => {
            let read = wire.at() - start;
            let left = protocol.conclude(&mut wire, Err(error));
            tree.outcome.undissected += left as u64;
            set_ends(tree, layer, network_ends(protocol, bytes.get(start..start + read)));
            None
        }
    };
    let end = behind.as_ref().map_or(carried.range.end, |behind| behind.range.start);
    finish(tree, layer, end);
    set_ends(tree, layer, behind.as_ref().and_then(|behind| behind.ends));
    (layer, behind)
}

/// Sets the endpoints of a layer.
fn set_ends(tree: &mut Tree, layer: LayerId, ends: Option<(Address, Address)>) {
    let Some((src, dst)) = ends else { return };
    let ends = tree.push_ends(Ends { src: Some(src), dst: Some(dst), ..Ends::default() });
    if let Some(layer) = tree.layers.get_mut(layer as usize) {
        layer.ends = ends;
    }
}

/// The addresses of a malformed or truncated IP header, from the bytes that were read.
fn network_ends(protocol: &Protocol, read: &[u8]) -> Option<(Address, Address)> {
    let ip = |at: std::result::Result<IpAddr, _>| at.ok().map(Address::Ip);
    if protocol.this.is(&ip::IP) {
        let address = |at: usize| ip(<[u8; 4]>::try_from(read.get(at..at + 4).unwrap_or_default()).map(IpAddr::from));
        address(12).zip(address(16))
    } else if protocol.this.is(&ipv6::IPV6) {
        let address = |at: usize| ip(<[u8; 16]>::try_from(read.get(at..at + 16).unwrap_or_default()).map(IpAddr::from));
        address(8).zip(address(24))
    } else {
        None
    }
}

/// Dissects the beginning of a quoted packet, as groups. Undissected bytes are left to the caller.
fn quoted(wire: &mut Wire<'_>, protocol: &'static Protocol, header: HeaderFn) {
    if wire.remaining() == 0 {
        return;
    }
    wire.quotes_packet();
    // Quotes are usually truncated, so a length beyond their end needs no note.
    let _ = wire.quoting(|wire| {
        let carried = wire.group(protocol.this, |wire| {
            let carried = header(wire, usize::from(u16::MAX))?;
            if matches!(carried.next, Next::Fragment(_)) && carried.missing == 0 {
                wire.skip(carried.range.len())?;
            }
            Ok(carried)
        })?;
        let Some((Address::Ip(src), Address::Ip(dst))) = carried.ends else { return Ok(()) };
        match carried.next {
            Next::IpProtocol(ip::TCP) => {
                let tcp_state = tcp::TcpState { quoted: Some([src, dst]), ..tcp::TcpState::default() };
                wire.group(&tcp::TCP, |wire| tcp::segment(wire, tcp_state, 0))
            }
            Next::IpProtocol(ip::UDP) => wire.group(&udp::UDP, |wire| udp::quoted(wire, [src, dst])),
            Next::IpProtocol(ip::ICMP) => wire.group(&icmp::ICMP, |wire| icmp::header(wire, 0).map(drop)),
            Next::IpProtocol(ip::ICMPV6) => wire.group(&icmpv6::ICMPV6, |wire| icmpv6::header(wire, 0).map(drop)),
            _ => Ok(()),
        }
    });
}

#[allow(clippy::cast_precision_loss, reason = "seconds of a number this large have no use for nanoseconds")]
fn seconds(nanos: i64) -> Value {
    Value::Double(nanos as f64 / 1e9)
}

/// Whether bytes may be missing after a layer of a frame with this many truncated bytes.
pub fn cut(missing: usize) -> Cut {
    if missing > 0 { Cut::Capture } else { Cut::No }
}

/// Remaining bytes, which Wireshark shows as data inside the layer.
fn rest_is_data(wire: &mut Wire<'_>) {
    if wire.remaining() > 0 {
        wire.embeds(data::DATA.abbrev);
    }
    wire.rest(&data::BYTES);
}

/// Closes a layer whose header ends at `end`. Fields of the layer may be after that, kept or not.
pub fn finish(tree: &mut Tree, layer: LayerId, end: usize) {
    let Some(&crate::tree::Layer { node, .. }) = tree.layers.get(layer as usize) else { return };
    let Some(&crate::tree::Node { field, span, .. }) = tree.nodes.get(node as usize) else { return };
    let own = |node: &&crate::tree::Node| node.span.source == span.source;
    let furthest = tree.nodes.get(node as usize + 1..).unwrap_or_default().iter().filter(own);
    let end = furthest.map(|node| node.span.end as usize).fold(end.max(span.end as usize), usize::max);
    tree.close(node, field, end);
}

fn last_ends(tree: &Tree) -> u32 {
    u32::try_from(tree.ends.len().saturating_sub(1)).unwrap_or(u32::MAX)
}
