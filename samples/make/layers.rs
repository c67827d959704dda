//! Layers below applications, and links other than Ethernet.
//!
//! Addresses are from the ranges reserved for documentation.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use etherparse::icmpv6::NeighborAdvertisementHeader;
use etherparse::igmp::{GroupAddress, MembershipReportV2Type};
use etherparse::{
    ArpHardwareId, ArpOperation, ArpPacket, EtherType, Icmpv4Type, Icmpv6Type, IgmpType, IpFragOffset, IpHeaders, IpNumber,
    Ipv6RawExtHeader, PacketBuilder, icmpv4,
};

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{self, Host, Link};
use crate::tcp::{Conversation, Stack};

const EVERYONE: [u8; 6] = [0xff; 6];
const PAUSE: Duration = Duration::from_millis(250);
const ANSWER: Duration = Duration::from_micros(420);

const LINUX: Stack = Stack { first: 0x2c91_70b4, mss: 1460, window: 64_240, window_scale: 7, clock: Some(731_204_118) };

fn laptop() -> Host {
    Host::new(Ipv4Addr::new(192, 0, 2, 17), 64)
}

fn router() -> Host {
    Host::new(Ipv4Addr::new(192, 0, 2, 1), 255)
}

fn laptop6() -> Host {
    Host::new(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x17), 255)
}

fn router6() -> Host {
    Host::new(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x01), 255)
}

/// The Ethernet address of a multicast group.
fn group(mac: [u8; 6], ip: impl Into<std::net::IpAddr>) -> Host {
    Host { mac, ..Host::new(ip, 1) }
}

pub fn tour() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    arp(&mut trace)?;
    icmp(&mut trace)?;
    neighbours(&mut trace)?;
    options(&mut trace)?;
    tags(&mut trace)?;
    fragments(&mut trace)?;
    closed_port(&mut trace)?;
    strangers(&mut trace)?;
    capture::pcap(capture::ETHERNET, &trace.frames())
}

/// An ARP request and its reply.
fn arp(trace: &mut Trace) -> Result {
    let (laptop, router) = (laptop(), router());
    let mut tell = |operation, from: Host, to: Host, mac, known: [u8; 6]| -> Result {
        let (std::net::IpAddr::V4(mine), std::net::IpAddr::V4(yours)) = (from.ip, to.ip) else {
            return Err("ARP is for IPv4".into());
        };
        let packet = ArpPacket::new(
            ArpHardwareId::ETHERNET,
            EtherType::IPV4,
            operation,
            &from.mac,
            &mine.octets(),
            &known,
            &yours.octets(),
        )?;
        trace.capture(net::ethernet(from.mac, mac, 0x0806, &packet.to_bytes()));
        trace.wait(ANSWER);
        Ok(())
    };
    tell(ArpOperation::REQUEST, laptop, router, EVERYONE, [0; 6])?;
    tell(ArpOperation::REPLY, router, laptop, laptop.mac, laptop.mac)
}

/// An echo request and reply, then a datagram to a closed port and the ICMP error that quotes it.
fn icmp(trace: &mut Trace) -> Result {
    let (laptop, router) = (laptop(), router());
    trace.wait(PAUSE);
    let echo: Vec<u8> = (b'a'..=b'w').cycle().take(56).collect();
    put_ip(trace, laptop, router, icmp_echo(laptop, router, false, &echo)?);
    trace.wait(ANSWER);
    put_ip(trace, router, laptop, icmp_echo(router, laptop, true, &echo)?);

    trace.wait(PAUSE);
    let datagram = net::udp(laptop.port(40_112), router.port(33_434), 0x1d02, b"anybody home?")?;
    put_ip(trace, laptop, router, datagram.clone());
    trace.wait(ANSWER);
    let mut complaint = Vec::new();
    PacketBuilder::ip(net::ip(router, laptop, 0x0903)?)
        .icmpv4(Icmpv4Type::DestinationUnreachable(icmpv4::DestUnreachableHeader::Port))
        .write(&mut complaint, &datagram)?;
    put_ip(trace, router, laptop, complaint);
    Ok(())
}

fn icmp_echo(from: Host, to: Host, reply: bool, payload: &[u8]) -> Result<Vec<u8>> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ip(net::ip(from, to, 0x1d01)?);
    if reply { builder.icmpv4_echo_reply(0x5049, 1) } else { builder.icmpv4_echo_request(0x5049, 1) }
        .write(&mut packet, payload)?;
    Ok(packet)
}

/// Neighbor and router discovery of IPv6, with a link-layer address option each.
fn neighbours(trace: &mut Trace) -> Result {
    let (laptop, router) = (laptop6(), router6());
    // The solicited-node group ends in the last three bytes of the requested address.
    let nearby = group([0x33, 0x33, 0xff, 0x00, 0x00, 0x01], Ipv6Addr::new(0xff02, 0, 0, 0, 0, 1, 0xff00, 1));
    trace.wait(PAUSE);
    let target = match router.ip {
        std::net::IpAddr::V6(ip) => ip.octets(),
        std::net::IpAddr::V4(_) => return Err("neighbours are for IPv6".into()),
    };
    let question = Icmpv6Type::NeighborSolicitation;
    let packet = neighbour(laptop, nearby, question, target, 1)?;
    put_ip(trace, laptop, nearby, packet);
    trace.wait(ANSWER);
    let answer =
        Icmpv6Type::NeighborAdvertisement(NeighborAdvertisementHeader { router: true, solicited: true, r#override: true });
    let packet = neighbour(router, laptop, answer, target, 2)?;
    put_ip(trace, router, laptop, packet);
    Ok(())
}

/// `option` is 1 for the source address and 2 for the target address.
fn neighbour(from: Host, to: Host, kind: Icmpv6Type, target: [u8; 16], option: u8) -> Result<Vec<u8>> {
    let mut payload = Vec::from(target);
    payload.extend([option, 1]); // one unit of eight bytes
    payload.extend(from.mac);
    let mut packet = Vec::new();
    PacketBuilder::ip(net::ip(from, to, 0)?).icmpv6(kind).write(&mut packet, &payload)?;
    Ok(packet)
}

/// IPv4 with a router alert; IPv6 with two extension headers before UDP.
fn options(trace: &mut Trace) -> Result {
    let laptop = laptop();
    trace.wait(PAUSE);
    let members = [239, 255, 28, 0];
    let all = group([0x01, 0x00, 0x5e, 0x7f, 0x1c, 0x00], Ipv4Addr::from(members));
    let mut header = net::ip(Host { ttl: 1, ..laptop }, all, 0x1d03)?;
    if let IpHeaders::Ipv4(header, _) = &mut header {
        header.options = [0x94, 4, 0, 0].into(); // every router looks at this
    }
    let mut packet = Vec::new();
    PacketBuilder::ip(header)
        .igmp(IgmpType::MembershipReportV2(MembershipReportV2Type { group_address: GroupAddress::new(members) }))
        .write(&mut packet, &[])?;
    put_ip(trace, laptop, all, packet);

    let (laptop, router) = (laptop6(), router6());
    trace.wait(PAUSE);
    let mut header = net::ip(laptop, router, 0)?;
    if let IpHeaders::Ipv6(_, extensions) = &mut header {
        // An unknown option that may be skipped, then padding; and padding only.
        let marked = [0x1e, 2, 0xca, 0xfe, 1, 0];
        let padding = [1, 4, 0, 0, 0, 0];
        extensions.hop_by_hop_options = Some(Ipv6RawExtHeader::new_raw(IpNumber::UDP, &marked)?);
        extensions.destination_options = Some(Ipv6RawExtHeader::new_raw(IpNumber::UDP, &padding)?);
    }
    let mut packet = Vec::new();
    PacketBuilder::ip(header).udp(40_113, 40_114).write(&mut packet, b"behind two extension headers")?;
    put_ip(trace, laptop, router, packet);
    Ok(())
}

/// A provider's tag before a customer's.
fn tags(trace: &mut Trace) -> Result {
    let (laptop, router) = (laptop(), router());
    trace.wait(PAUSE);
    let mut tagged = Vec::new();
    tagged.extend(0x6064_u16.to_be_bytes()); // priority 3, VLAN 100
    tagged.extend(0x8100_u16.to_be_bytes());
    tagged.extend(7_u16.to_be_bytes());
    tagged.extend(net::IPV4.to_be_bytes());
    tagged.extend(net::udp(laptop.port(40_115), router.port(40_116), 0x1d04, b"inside two tags")?);
    trace.capture(net::ethernet(laptop.mac, router.mac, 0x88a8, &tagged));
    Ok(())
}

/// One datagram as two IPv4 fragments.
fn fragments(trace: &mut Trace) -> Result {
    let (laptop, router) = (laptop(), router());
    trace.wait(PAUSE);
    let text: Vec<u8> = (b'0'..=b'9').cycle().take(300).collect();
    let whole = net::udp(laptop.port(40_117), router.port(40_118), 0x1d05, &text)?;
    let datagram = whole.get(20..).unwrap_or_default();
    let first = 160; // a multiple of eight, as all fragments but the last must be
    for (piece, start, more) in [(datagram.get(..first), 0, true), (datagram.get(first..), first, false)] {
        let piece = piece.unwrap_or_default();
        let IpHeaders::Ipv4(mut header, _) = net::ip(laptop, router, 0x1d05)? else {
            return Err("fragments are of IPv4 here".into());
        };
        header.protocol = IpNumber::UDP;
        header.dont_fragment = false;
        header.more_fragments = more;
        header.fragment_offset = IpFragOffset::try_new(u16::try_from(start / 8)?)?;
        header.set_payload_len(piece.len())?;
        let mut packet = Vec::new();
        header.write(&mut packet)?; // with its checksum
        packet.extend(piece);
        put_ip(trace, laptop, router, packet);
        trace.wait(ANSWER);
    }
    Ok(())
}

fn closed_port(trace: &mut Trace) -> Result {
    trace.wait(PAUSE);
    let client = (laptop().port(51_902), LINUX);
    let server = (router().port(27_000), LINUX);
    Conversation::new(Link::Ethernet, client, server).knock(trace)
}

/// Unknown payload, frames and types, and a frame padded to the minimum size.
fn strangers(trace: &mut Trace) -> Result {
    let (laptop, router) = (laptop(), router());
    trace.wait(PAUSE);
    let unknown = [0x8f, 0x13, 0x00, 0x72, 0xe1, 0x05, 0x5a, 0xc4, 0x99, 0x20, 0x3b];
    let packet = net::udp(laptop.port(40_119), router.port(40_120), 0x1d06, &unknown)?;
    put_ip(trace, laptop, router, packet);

    // 802.3: a length instead of a type, then LLC with a spanning tree message.
    trace.wait(PAUSE);
    let mut bridge = vec![0x42, 0x42, 0x03];
    bridge.extend([0, 0, 0, 0, 0]); // spanning tree, a configuration message, no flags
    bridge.extend([0x80, 0x00]); // root priority, its address, the cost of the way there
    bridge.extend(router.mac);
    bridge.extend([0, 0, 0, 4]);
    bridge.extend([0x80, 0x00]); // priority and address of the bridge, its port
    bridge.extend(laptop.mac);
    bridge.extend([0x80, 0x01]);
    for seconds in [1, 20, 2, 15] {
        bridge.extend([seconds, 0]); // in 256ths
    }
    let len = u16::try_from(bridge.len())?;
    let bridges = [0x01, 0x80, 0xc2, 0, 0, 0];
    trace.capture(padded(net::ethernet(laptop.mac, bridges, len, &bridge)));

    trace.wait(PAUSE);
    let experiment = b"local experiment";
    trace.capture(net::ethernet(laptop.mac, router.mac, 0x88b5, experiment));

    trace.wait(PAUSE);
    let short = net::udp(router.port(40_120), laptop.port(40_119), 0x0904, b"ok")?;
    trace.capture(padded(Link::Ethernet.frame(router, laptop, &short)));
    Ok(())
}

/// Padded to 60 bytes, the minimum of Ethernet (without its checksum, which captures omit).
fn padded(mut frame: Vec<u8>) -> Vec<u8> {
    frame.resize(frame.len().max(60), 0);
    frame
}

fn put_ip(trace: &mut Trace, from: Host, to: Host, packet: Vec<u8>) {
    trace.capture(Link::Ethernet.frame(from, to, &packet));
}

pub fn linux_cooked() -> Result<Vec<u8>> {
    let (laptop, router) = (laptop(), router());
    let mut trace = Trace::new();
    syn(&mut trace, Link::Cooked, laptop, router)?;
    let echo = icmp_echo(laptop, router, false, b"a cooked echo")?;
    trace.capture(Link::Cooked.frame(laptop, router, &echo));
    capture::pcap(capture::LINUX_COOKED, &trace.frames())
}

pub fn linux_cooked_v2() -> Result<Vec<u8>> {
    let (laptop, router) = (laptop6(), router6());
    let link = Link::CookedV2(3);
    let mut trace = Trace::new();
    syn(&mut trace, link, laptop, router)?;
    let datagram = net::udp(laptop.port(40_121), router.port(40_122), 0, b"cooked twice")?;
    trace.capture(link.frame(laptop, router, &datagram));
    capture::pcap(capture::LINUX_COOKED_V2, &trace.frames())
}

/// One packet of either address family.
pub fn null_loopback() -> Result<Vec<u8>> {
    let (here, here6) = (Host::new(Ipv4Addr::LOCALHOST, 64), Host::new(Ipv6Addr::LOCALHOST, 64));
    let mut trace = Trace::new();
    syn(&mut trace, Link::Null, here, here)?;
    let datagram = net::udp(here6.port(40_123), here6.port(40_124), 0, b"to myself")?;
    trace.capture(Link::Null.frame(here6, here6, &datagram));
    capture::pcap(capture::NULL, &trace.frames())
}

fn syn(trace: &mut Trace, link: Link, from: Host, to: Host) -> Result {
    let mut talk = Conversation::new(link, (from.port(51_903), LINUX), (to.port(27_000), LINUX));
    talk.syn(trace)?;
    trace.wait(PAUSE);
    Ok(())
}
