//! The parts of the statistics, by the names that tshark's `-z` has for them.

use crate::layers::{ethernet, ip, ipv6, tcp, udp};
use crate::tree::Field;
use std::fmt;

/// The layer that distinguishes conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Ethernet addresses.
    Eth,
    /// IPv4 addresses.
    Ip,
    /// IPv6 addresses.
    Ipv6,
    /// TCP connections.
    Tcp,
    /// UDP ports and addresses.
    Udp,
}

impl Over {
    /// All of them, from the link up.
    pub const ALL: [Over; 5] = [Over::Eth, Over::Ip, Over::Ipv6, Over::Tcp, Over::Udp];

    /// Name of the layer, in filters and in `-z`.
    #[must_use]
    pub const fn layer(self) -> &'static str {
        match self {
            Over::Eth => "eth",
            Over::Ip => "ip",
            Over::Ipv6 => "ipv6",
            Over::Tcp => "tcp",
            Over::Udp => "udp",
        }
    }

    /// That layer.
    pub(super) fn protocol(self) -> &'static Field {
        match self {
            Over::Eth => &ethernet::ETH,
            Over::Ip => &ip::IP,
            Over::Ipv6 => &ipv6::IPV6,
            Over::Tcp => &tcp::TCP,
            Over::Udp => &udp::UDP,
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Over::Eth => "Ethernet",
            Over::Ip => "IPv4",
            Over::Ipv6 => "IPv6",
            Over::Tcp => "TCP",
            Over::Udp => "UDP",
        }
    }
}

/// A part of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Format, frames, times, rates, sizes.
    Overview,
    /// Protocols on each other, down to the names of messages.
    Hierarchy,
    /// Who speaks with whom.
    Conversations(Over),
    /// Who speaks.
    Endpoints(Over),
    /// Packets and bytes over time.
    Time,
    /// What came whole, and how fast.
    Transfers,
    /// What is missing, strange or broken.
    Health,
    /// How much is explained.
    Coverage,
    /// How long frames are.
    Lengths,
    /// Requests and responses of HTTP.
    Http,
    /// Messages of DNS.
    Dns,
    /// Sessions of RuneScape.
    Rs,
    /// Names of addresses.
    Hosts,
    /// Streams of RTP.
    Rtp,
    /// Remarks by how serious they are.
    Expert,
    /// Frames and bytes in intervals of time: the one of this place among those that are counted.
    Intervals(usize),
}

impl Part {
    /// All parts, in the order in which they are shown.
    pub fn all() -> Vec<Part> {
        let mut parts = vec![Part::Overview, Part::Time, Part::Hierarchy];
        parts.extend(Over::ALL.map(Part::Conversations));
        parts.extend(Over::ALL.map(Part::Endpoints));
        parts.extend([Part::Transfers, Part::Health, Part::Coverage]);
        parts
    }

    /// The parts that have a name: all of those, and those that are shown on request only.
    pub fn known() -> Vec<Part> {
        let mut parts = Part::all();
        parts.extend([Part::Expert, Part::Lengths, Part::Http, Part::Dns, Part::Rs, Part::Hosts, Part::Rtp]);
        parts
    }

    /// The part of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Part> {
        Part::known().into_iter().find(|part| part.to_string() == name)
    }
}

impl Part {
    /// What it counts, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Part::Overview => "format, frames, times, rates, sizes",
            Part::Hierarchy => "protocols on each other, down to the names of messages",
            Part::Conversations(_) => "who speaks with whom",
            Part::Endpoints(_) => "who speaks",
            Part::Time => "frames and bytes over time",
            Part::Transfers => "what came whole, and how fast",
            Part::Health => "what is missing, strange or broken",
            Part::Coverage => "how much is explained",
            Part::Lengths => "lengths of frames, in ranges",
            Part::Http => "requests and responses of HTTP",
            Part::Dns => "messages of DNS: types, codes, sizes, response times",
            Part::Rs => "sessions of RuneScape: packets by name, players, their positions over time",
            Part::Hosts => "addresses with the names that answers of DNS give them",
            Part::Rtp => "streams of RTP: packets, losses, spacing, jitter",
            Part::Expert => "remarks by severity: error, warn, note, chat, comment",
            Part::Intervals(_) => "frames and bytes in intervals of time",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Overview => f.write_str("overview"),
            Part::Hierarchy => f.write_str("io,phs"),
            Part::Conversations(over) => write!(f, "conv,{}", over.layer()),
            Part::Endpoints(over) => write!(f, "endpoints,{}", over.layer()),
            Part::Time => f.write_str("time"),
            Part::Transfers => f.write_str("transfers"),
            Part::Health => f.write_str("health"),
            Part::Coverage => f.write_str("coverage"),
            Part::Lengths => f.write_str("plen,tree"),
            Part::Http => f.write_str("http,tree"),
            Part::Dns => f.write_str("dns,tree"),
            Part::Rs => f.write_str("rs,tree"),
            Part::Hosts => f.write_str("hosts"),
            Part::Rtp => f.write_str("rtp,streams"),
            Part::Expert => f.write_str("expert"),
            Part::Intervals(_) => f.write_str("io,stat"),
        }
    }
}
