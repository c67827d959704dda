//! The parts of the statistics, by the names of tshark's `-z`.

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
    /// All layers, from the link up.
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

    /// Layer.
    pub(super) fn protocol(self) -> &'static Field {
        match self {
            Over::Eth => &ethernet::ETH,
            Over::Ip => &ip::IP,
            Over::Ipv6 => &ipv6::IPV6,
            Over::Tcp => &tcp::TCP,
            Over::Udp => &udp::UDP,
        }
    }

    /// Display name.
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
    /// Protocol hierarchy, with message types.
    Hierarchy,
    /// Conversations.
    Conversations(Over),
    /// Endpoints.
    Endpoints(Over),
    /// Packets and bytes over time.
    Time,
    /// Completed transfers.
    Transfers,
    /// Gaps, malformed messages, notes, TCP analysis.
    Health,
    /// Coverage.
    Coverage,
    /// Frame lengths.
    Lengths,
    /// HTTP requests and responses.
    Http,
    /// DNS messages.
    Dns,
    /// RuneScape sessions.
    Rs,
    /// Resolved addresses.
    Hosts,
    /// RTP streams.
    Rtp,
    /// Expert information by severity.
    Expert,
    /// Frames and bytes per interval; the index of the intervals.
    Intervals(usize),
}

impl Part {
    /// Parts shown by default, in display order.
    pub fn all() -> Vec<Part> {
        let mut parts = vec![Part::Overview, Part::Time, Part::Hierarchy];
        parts.extend(Over::ALL.map(Part::Conversations));
        parts.extend(Over::ALL.map(Part::Endpoints));
        parts.extend([Part::Transfers, Part::Health, Part::Coverage]);
        parts
    }

    /// All parts with a name, including those shown on request only.
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
    /// Short description.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Part::Overview => "format, frames, times, rates, sizes",
            Part::Hierarchy => "protocol hierarchy, with message types",
            Part::Conversations(Over::Eth) => "conversations between Ethernet addresses",
            Part::Conversations(Over::Ip) => "conversations between IPv4 addresses",
            Part::Conversations(Over::Ipv6) => "conversations between IPv6 addresses",
            Part::Conversations(Over::Tcp) => "TCP conversations, with stream numbers",
            Part::Conversations(Over::Udp) => "UDP conversations, with stream numbers",
            Part::Endpoints(Over::Eth) => "Ethernet addresses",
            Part::Endpoints(Over::Ip) => "IPv4 addresses",
            Part::Endpoints(Over::Ipv6) => "IPv6 addresses",
            Part::Endpoints(Over::Tcp) => "addresses and ports of TCP",
            Part::Endpoints(Over::Udp) => "addresses and ports of UDP",
            Part::Time => "frames and bytes over time",
            Part::Transfers => "completed transfers: count, bytes, throughput",
            Part::Health => "gaps, malformed messages, TCP analysis, notes by code",
            Part::Coverage => "dissected and unknown bytes per protocol and message type",
            Part::Lengths => "frame lengths, by range",
            Part::Http => "HTTP requests and responses",
            Part::Dns => "DNS messages: types, codes, sizes, response times",
            Part::Rs => "RuneScape sessions: packets by name, players and their positions",
            Part::Hosts => "resolved addresses, from DNS responses",
            Part::Rtp => "RTP streams: packets, loss, delta, jitter",
            Part::Expert => "expert information by severity: error, warn, note, chat, comment",
            Part::Intervals(_) => "frames and bytes per interval",
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
