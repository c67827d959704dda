//! Hosts, and encapsulation of packets: IP and UDP headers, and link headers.

use std::net::IpAddr;

use etherparse::{IpHeaders, Ipv4Extensions, Ipv4Header, Ipv6Extensions, Ipv6Header, PacketBuilder};

use crate::Result;

pub const IPV4: u16 = 0x0800;
pub const IPV6: u16 = 0x86dd;

/// A network interface.
#[derive(Clone, Copy)]
pub struct Host {
    pub mac: [u8; 6],
    pub ip: IpAddr,
    /// Time to live or hop limit of its packets.
    pub ttl: u8,
}

impl Host {
    /// A host with a MAC address derived from its IP address.
    pub fn new(ip: impl Into<IpAddr>, ttl: u8) -> Self {
        let ip = ip.into();
        let last = match ip {
            IpAddr::V4(ip) => ip.octets().last().copied(),
            IpAddr::V6(ip) => ip.octets().last().copied(),
        };
        Host { mac: [0x02, 0x50, 0x49, 0x50, 0x00, last.unwrap_or(0)], ip, ttl }
    }

    pub fn port(self, port: u16) -> Endpoint {
        Endpoint { host: self, port }
    }
}

/// A UDP or TCP endpoint.
#[derive(Clone, Copy)]
pub struct Endpoint {
    pub host: Host,
    pub port: u16,
}

/// Link headers.
#[derive(Clone, Copy)]
pub enum Link {
    Ethernet,
    /// Ethernet with an 802.1Q tag.
    Vlan(u16),
    /// No link header.
    Raw,
    /// Linux cooked capture, version 1.
    Cooked,
    /// Linux cooked capture, version 2, with the interface index.
    CookedV2(u32),
    /// BSD loopback, with the address family in host byte order.
    Null,
}

impl Link {
    pub fn frame(self, from: Host, to: Host, packet: &[u8]) -> Vec<u8> {
        let protocol = match to.ip {
            IpAddr::V4(_) => IPV4,
            IpAddr::V6(_) => IPV6,
        };
        let mut frame = Vec::new();
        match self {
            Link::Ethernet => return ethernet(from.mac, to.mac, protocol, packet),
            Link::Vlan(id) => {
                let mut tagged = Vec::from(id.to_be_bytes());
                tagged.extend(protocol.to_be_bytes());
                tagged.extend(packet);
                return ethernet(from.mac, to.mac, 0x8100, &tagged);
            }
            Link::Raw => {}
            Link::Cooked => {
                frame.extend(0_u16.to_be_bytes()); // sent to us
                frame.extend(1_u16.to_be_bytes()); // the device is an Ethernet card
                frame.extend(6_u16.to_be_bytes());
                frame.extend(from.mac);
                frame.extend([0; 2]);
                frame.extend(protocol.to_be_bytes());
            }
            Link::CookedV2(interface) => {
                frame.extend(protocol.to_be_bytes());
                frame.extend([0; 2]);
                frame.extend(interface.to_be_bytes());
                frame.extend(1_u16.to_be_bytes()); // the device is an Ethernet card
                frame.extend([0, 6]); // sent to us; address length
                frame.extend(from.mac);
                frame.extend([0; 2]);
            }
            Link::Null => {
                let family: u32 = if protocol == IPV6 { 30 } else { 2 };
                frame.extend(family.to_le_bytes());
            }
        }
        frame.extend(packet);
        frame
    }
}

pub fn ethernet(from: [u8; 6], to: [u8; 6], kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.extend(to);
    frame.extend(from);
    frame.extend(kind.to_be_bytes());
    frame.extend(payload);
    frame
}

/// An IP header without options; length and checksum are set when the packet is built. IPv6 has no `id`.
pub fn ip(from: Host, to: Host, id: u16) -> Result<IpHeaders> {
    match (from.ip, to.ip) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let header = Ipv4Header {
                identification: id,
                dont_fragment: true,
                time_to_live: from.ttl,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv4Header::default()
            };
            Ok(IpHeaders::Ipv4(header, Ipv4Extensions::default()))
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let header = Ipv6Header {
                hop_limit: from.ttl,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv6Header::default()
            };
            Ok(IpHeaders::Ipv6(header, Ipv6Extensions::default()))
        }
        _ => Err("one host has IPv4 and the other IPv6".into()),
    }
}

/// A complete IP packet with one UDP datagram.
pub fn udp(from: Endpoint, to: Endpoint, id: u16, payload: &[u8]) -> Result<Vec<u8>> {
    let mut packet = Vec::new();
    PacketBuilder::ip(ip(from.host, to.host, id)?).udp(from.port, to.port).write(&mut packet, payload)?;
    Ok(packet)
}
