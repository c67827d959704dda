//! IP packets by address, protocol and port, as tshark's `ip_hosts,tree`, `ip_srcdst,tree`, `ptype,tree` and `dests,tree`.
//!
//! As in tshark, each IP header of a frame counts, except one that an ICMP error quotes, with the addresses of the innermost one.
//! The protocol and the port are those of the last transport header, in an ICMP error that of the quoted packet.

use super::asked::{Counter, Page, Seen};
use super::tables::{Tree, print_tree};
use super::topics::{Order, Topics};
use crate::layers::{ip, ipv6};
use crate::registry::Registry;
use crate::render::Members;
use crate::tree::{Address, Carriers, Demand, Dissection, Field, Fields, NodeRef, Only};
use std::io::{self, Write};

/// Version of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl IpVersion {
    /// Both versions.
    pub const ALL: [IpVersion; 2] = [IpVersion::V4, IpVersion::V6];
}

/// What is counted of IP packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressTree {
    /// Addresses.
    Hosts,
    /// Sources and destinations.
    Ends,
    /// Transport protocols.
    Protocols,
    /// Destinations with their protocols and ports.
    Destinations,
}

impl AddressTree {
    /// All of them.
    pub const ALL: [AddressTree; 4] = [AddressTree::Hosts, AddressTree::Ends, AddressTree::Protocols, AddressTree::Destinations];

    /// Name in `-z`, without `,tree`.
    #[must_use]
    pub const fn name(self, version: IpVersion) -> &'static str {
        match (self, version) {
            (AddressTree::Hosts, IpVersion::V4) => "ip_hosts",
            (AddressTree::Hosts, IpVersion::V6) => "ipv6_hosts",
            (AddressTree::Ends, IpVersion::V4) => "ip_srcdst",
            (AddressTree::Ends, IpVersion::V6) => "ipv6_srcdst",
            (AddressTree::Protocols, IpVersion::V4) => "ptype",
            (AddressTree::Protocols, IpVersion::V6) => "ipv6_ptype",
            (AddressTree::Destinations, IpVersion::V4) => "dests",
            (AddressTree::Destinations, IpVersion::V6) => "ipv6_dests",
        }
    }

    /// Title in tshark.
    const fn title(self, version: IpVersion) -> &'static str {
        match (self, version) {
            (AddressTree::Hosts, IpVersion::V4) => "IPv4 Statistics/All Addresses",
            (AddressTree::Hosts, IpVersion::V6) => "IPv6 Statistics/All Addresses",
            (AddressTree::Ends, IpVersion::V4) => "IPv4 Statistics/Source and Destination Addresses",
            (AddressTree::Ends, IpVersion::V6) => "IPv6 Statistics/Source and Destination Addresses",
            (AddressTree::Protocols, IpVersion::V4) => "IPv4 Statistics/IP Protocol Types",
            (AddressTree::Protocols, IpVersion::V6) => "IPv6 Statistics/IP Protocol Types",
            (AddressTree::Destinations, IpVersion::V4) => "IPv4 Statistics/Destinations and Ports",
            (AddressTree::Destinations, IpVersion::V6) => "IPv6 Statistics/Destinations and Ports",
        }
    }
}

/// Transport protocols by the field of their destination port.
const PORTS: [(&str, &str); 4] =
    [("tcp.dstport", "TCP"), ("udp.dstport", "UDP"), ("sctp.dstport", "SCTP"), ("dccp.dstport", "DCCP")];

/// Name of no transport protocol.
const NONE: &str = "NONE";

/// Counts of IP packets.
pub(super) struct Addresses {
    version: IpVersion,
    what: AddressTree,
    topics: Topics,
    destinations: usize,
    ports: Vec<(&'static Field, &'static str)>,
}

impl Addresses {
    pub(super) fn new(version: IpVersion, what: AddressTree, registry: Registry) -> Addresses {
        let of = |(field, name): (&str, &'static str)| registry.named(field).into_iter().map(move |field| (field, name));
        let ports = PORTS.into_iter().flat_map(of).collect();
        let (src, dst) = match version {
            IpVersion::V4 => ("Source IPv4 Addresses", "Destination IPv4 Addresses"),
            IpVersion::V6 => ("Source IPv6 Addresses", "Destination IPv6 Addresses"),
        };
        let root = if what == AddressTree::Ends { src } else { what.title(version).rsplit('/').next().unwrap_or_default() };
        let mut topics = Topics::new(root, Order::Wireshark);
        let destinations = if what == AddressTree::Ends { topics.root(dst) } else { 0 };
        Addresses { version, what, topics, destinations, ports }
    }

    /// Protocol and destination port of the last transport header.
    fn transport(&self, of: Dissection<'_>) -> (&'static str, u64) {
        let nodes = of.tree.nodes.iter().enumerate().rev();
        let found = nodes.filter_map(|(place, node)| {
            let (_, name) = self.ports.iter().find(|(field, _)| field.is(node.field))?;
            Some((*name, of.node(u32::try_from(place).ok()?).and_then(NodeRef::number)?))
        });
        found.into_iter().next().unwrap_or((NONE, 0))
    }

    fn header(&mut self, [src, dst]: [&str; 2], (protocol, port): (&str, u64)) {
        let topics = &mut self.topics;
        match self.what {
            AddressTree::Hosts => {
                topics.count(0, None);
                topics.add_below(0, &[src], None);
                topics.add_below(0, &[dst], None);
            }
            AddressTree::Ends => {
                topics.add(&[src], None);
                topics.count(self.destinations, None);
                topics.add_below(self.destinations, &[dst], None);
            }
            AddressTree::Protocols => topics.add(&[protocol], None),
            AddressTree::Destinations => topics.add(&[dst, protocol, itoa::Buffer::new().format(port)], None),
        }
    }
}

impl Counter for Addresses {
    fn key(&self) -> &'static str {
        self.what.name(self.version)
    }

    fn demand(&self) -> Demand {
        let ports = Only::these(self.ports.iter().map(|(field, _)| *field));
        Demand { carriers: Carriers::Full, fields: Fields::Only(ports), ..Demand::LAYERS }
    }

    fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        if !seen.captured {
            return;
        }
        let own = match self.version {
            IpVersion::V4 => &ip::IP,
            IpVersion::V6 => &ipv6::IPV6,
        };
        let (mut count, mut innermost) = (0, None);
        for layer in of.tree.own_layers() {
            let Some(field) = of.layer_node(layer).map(NodeRef::field) else { continue };
            if field.is(&ip::IP) || field.is(&ipv6::IPV6) {
                count += usize::from(field.is(own));
                innermost = of.tree.ends.get(layer.ends as usize);
            }
        }
        let Some((Some(src), Some(dst))) = innermost.filter(|_| count > 0).map(|ends| (ends.src, ends.dst)) else { return };
        let host = |address: Address| match address {
            Address::Socket(socket) => socket.ip().to_string(),
            address => address.to_string(),
        };
        let (src, dst, transport) = (host(src), host(dst), self.transport(of));
        self.topics.at(seen.since_start);
        for _ in 0..count {
            self.header([&src, &dst], transport);
        }
    }

    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        print_tree(&Tree { title: self.what.title(self.version), topics: &self.topics }, page, to)
    }

    fn json(&self, of: &mut Members<'_, '_>) -> io::Result<()> {
        self.topics.json(of)
    }
}
