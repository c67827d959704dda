//! The parts of the statistics, by the names of tshark's `-z`.

use super::addresses::ADDRESSES;
use super::credentials::LOGINS;
use super::flows::FLOWS;
use super::lengths::LENGTHS;
use crate::layers::{ethernet, icmp_times, ip, ipv6, tcp, udp, usb};
use crate::protocols;
use crate::tree::Field;
use crate::wire::statistics::Statistic;
use std::fmt;

/// The layer that distinguishes conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationLayer {
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
    /// USB endpoints.
    Usb,
}

impl ConversationLayer {
    /// All layers, from the link up.
    pub const ALL: [ConversationLayer; 6] = [
        ConversationLayer::Eth,
        ConversationLayer::Ip,
        ConversationLayer::Ipv6,
        ConversationLayer::Tcp,
        ConversationLayer::Udp,
        ConversationLayer::Usb,
    ];

    /// Name of the layer, in filters and in `-z`.
    pub const fn layer(self) -> &'static str {
        match self {
            ConversationLayer::Eth => "eth",
            ConversationLayer::Ip => "ip",
            ConversationLayer::Ipv6 => "ipv6",
            ConversationLayer::Tcp => "tcp",
            ConversationLayer::Udp => "udp",
            ConversationLayer::Usb => "usb",
        }
    }

    /// Layer.
    pub(super) fn protocol(self) -> &'static Field {
        match self {
            ConversationLayer::Eth => &ethernet::ETH,
            ConversationLayer::Ip => &ip::IP,
            ConversationLayer::Ipv6 => &ipv6::IPV6,
            ConversationLayer::Tcp => &tcp::TCP,
            ConversationLayer::Udp => &udp::UDP,
            ConversationLayer::Usb => &usb::USB,
        }
    }

    /// Display name.
    pub const fn label(self) -> &'static str {
        match self {
            ConversationLayer::Eth => "Ethernet",
            ConversationLayer::Ip => "IPv4",
            ConversationLayer::Ipv6 => "IPv6",
            ConversationLayer::Tcp => "TCP",
            ConversationLayer::Udp => "UDP",
            ConversationLayer::Usb => "USB",
        }
    }

    /// Whether conversations have stream numbers.
    pub const fn has_numbers(self) -> bool {
        matches!(self, ConversationLayer::Tcp | ConversationLayer::Udp | ConversationLayer::Usb)
    }
}

/// A part of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Format, frames, times, rates, sizes.
    Overview,
    /// Protocol hierarchy, with message types.
    Hierarchy,
    /// Protocol hierarchy in tshark's form.
    Phs,
    /// Conversations.
    Conversations(ConversationLayer),
    /// Endpoints.
    Endpoints(ConversationLayer),
    /// Packets and bytes over time.
    Time,
    /// Completed transfers.
    Transfers,
    /// Gaps, malformed messages, notes, TCP analysis.
    Health,
    /// Coverage.
    Coverage,
    /// A statistic shown on request.
    Declared(&'static Statistic),
    /// Expert information by severity.
    Expert,
    /// Frames and bytes per interval; the index of the intervals.
    Intervals(usize),
}

impl Part {
    /// Parts shown by default, in display order.
    pub fn all() -> Vec<Part> {
        let mut parts = vec![Part::Overview, Part::Time, Part::Hierarchy];
        parts.extend(ConversationLayer::ALL.map(Part::Conversations));
        parts.extend(ConversationLayer::ALL.map(Part::Endpoints));
        parts.extend([Part::Transfers, Part::Health, Part::Coverage]);
        parts
    }

    /// All parts with a name, including those shown on request only.
    pub fn known() -> Vec<Part> {
        let [trees, tables, sessions] = protocols::STATISTICS;
        let groups = [&[&LENGTHS], trees, ADDRESSES, tables, &[&icmp_times::TIMES, &LOGINS], FLOWS, sessions];
        let mut parts = Part::all();
        parts.extend([Part::Phs, Part::Expert]);
        parts.extend(groups.into_iter().flatten().map(|statistic| Part::Declared(statistic)));
        parts
    }

    pub fn named(name: &str) -> Option<Part> {
        Part::known().into_iter().find(|part| part.to_string() == name)
    }
}

impl Part {
    /// Short description.
    pub const fn about(self) -> &'static str {
        match self {
            Part::Overview => "format, frames, times, rates, sizes",
            Part::Hierarchy => "protocol hierarchy, with message types",
            Part::Conversations(ConversationLayer::Eth) => "conversations between Ethernet addresses",
            Part::Conversations(ConversationLayer::Ip) => "conversations between IPv4 addresses",
            Part::Conversations(ConversationLayer::Ipv6) => "conversations between IPv6 addresses",
            Part::Conversations(ConversationLayer::Tcp) => "TCP conversations, with stream numbers",
            Part::Conversations(ConversationLayer::Udp) => "UDP conversations, with stream numbers",
            Part::Conversations(ConversationLayer::Usb) => "conversations with USB endpoints, with stream numbers",
            Part::Endpoints(ConversationLayer::Eth) => "Ethernet addresses",
            Part::Endpoints(ConversationLayer::Ip) => "IPv4 addresses",
            Part::Endpoints(ConversationLayer::Ipv6) => "IPv6 addresses",
            Part::Endpoints(ConversationLayer::Tcp) => "addresses and ports of TCP",
            Part::Endpoints(ConversationLayer::Udp) => "addresses and ports of UDP",
            Part::Endpoints(ConversationLayer::Usb) => "USB endpoints",
            Part::Time => "frames and bytes over time",
            Part::Transfers => "completed transfers: count, bytes, throughput",
            Part::Health => "gaps, malformed messages, TCP analysis, notes by code",
            Part::Coverage => "dissected and unknown bytes per protocol and message type",
            Part::Phs => "protocol hierarchy as tshark prints it",
            Part::Declared(statistic) => statistic.about,
            Part::Expert => "expert information by severity: error, warn, note, chat, comment",
            Part::Intervals(_) => "frames and bytes per interval",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Overview => f.write_str("overview"),
            Part::Hierarchy => f.write_str("hierarchy"),
            Part::Phs => f.write_str("io,phs"),
            Part::Conversations(layer) => write!(f, "conv,{}", layer.layer()),
            Part::Endpoints(layer) => write!(f, "endpoints,{}", layer.layer()),
            Part::Time => f.write_str("time"),
            Part::Transfers => f.write_str("transfers"),
            Part::Health => f.write_str("health"),
            Part::Coverage => f.write_str("coverage"),
            Part::Declared(statistic) => f.write_str(statistic.name),
            Part::Expert => f.write_str("expert"),
            Part::Intervals(_) => f.write_str("io,stat"),
        }
    }
}
