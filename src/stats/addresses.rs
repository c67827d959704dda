//! IP packets by address, protocol and port, as tshark's `ip_hosts,tree`, `ip_srcdst,tree`, `ptype,tree` and `dests,tree`.
//!
//! As in tshark, each IP header of a frame counts, except one that an ICMP error quotes, with the addresses of the innermost one.
//! The protocol and the port are those of the last transport header, in an ICMP error that of the quoted packet.

use crate::layers::{ip, ipv6};
use crate::tree::{Address, Carriers, Demand, Dissection, Field, Fields, NodeRef, Only};
use crate::wire::statistics::{Counter, Named, Order, Report, Seen, Statistic, Topics};

/// Packets of either version by what is counted.
pub(super) static ADDRESSES: &[&Statistic] = &[
    &Statistic::new(["ip_hosts,tree", "ip_hosts", "IPv4 packets by address"], |named| {
        Addresses::open(IpVersion::V4, AddressTree::Hosts, named)
    }),
    &Statistic::new(["ip_srcdst,tree", "ip_srcdst", "IPv4 packets by source and by destination"], |named| {
        Addresses::open(IpVersion::V4, AddressTree::Ends, named)
    }),
    &Statistic::new(["ptype,tree", "ptype", "IPv4 packets by transport protocol"], |named| {
        Addresses::open(IpVersion::V4, AddressTree::Protocols, named)
    }),
    &Statistic::new(["dests,tree", "dests", "IPv4 packets by destination, protocol and port"], |named| {
        Addresses::open(IpVersion::V4, AddressTree::Destinations, named)
    }),
    &Statistic::new(["ipv6_hosts,tree", "ipv6_hosts", "IPv6 packets by address"], |named| {
        Addresses::open(IpVersion::V6, AddressTree::Hosts, named)
    }),
    &Statistic::new(["ipv6_srcdst,tree", "ipv6_srcdst", "IPv6 packets by source and by destination"], |named| {
        Addresses::open(IpVersion::V6, AddressTree::Ends, named)
    }),
    &Statistic::new(["ipv6_ptype,tree", "ipv6_ptype", "IPv6 packets by transport protocol"], |named| {
        Addresses::open(IpVersion::V6, AddressTree::Protocols, named)
    }),
    &Statistic::new(["ipv6_dests,tree", "ipv6_dests", "IPv6 packets by destination, protocol and port"], |named| {
        Addresses::open(IpVersion::V6, AddressTree::Destinations, named)
    }),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IpVersion {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// What is counted of IP packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressTree {
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
struct Addresses {
    version: IpVersion,
    what: AddressTree,
    topics: Topics,
    destinations: usize,
    ports: Vec<(&'static Field, &'static str)>,
}

impl Addresses {
    fn open(version: IpVersion, what: AddressTree, named: Named<'_>) -> Box<dyn Counter> {
        let of = |(field, name): (&str, &'static str)| named(field).into_iter().map(move |field| (field, name));
        let ports = PORTS.into_iter().flat_map(of).collect();
        let (src, dst) = match version {
            IpVersion::V4 => ("Source IPv4 Addresses", "Destination IPv4 Addresses"),
            IpVersion::V6 => ("Source IPv6 Addresses", "Destination IPv6 Addresses"),
        };
        let root = if what == AddressTree::Ends { src } else { what.title(version).rsplit('/').next().unwrap_or_default() };
        let mut topics = Topics::new(root, Order::Wireshark);
        let destinations = if what == AddressTree::Ends { topics.root(dst) } else { 0 };
        Box::new(Addresses { version, what, topics, destinations, ports })
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

    fn report(&self) -> Report<'_> {
        Report::Tree(self.what.title(self.version), &self.topics)
    }
}
