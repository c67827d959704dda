//! The parts of the statistics, by the names of tshark's `-z`.

use super::addresses::{AddressTree, IpVersion};
use super::flows::{FlowAddresses, FlowOf};
use super::response_times::TimedProtocol;
use crate::layers::{ethernet, ip, ipv6, tcp, udp, usb};
use crate::tree::Field;
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
    #[must_use]
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
    #[must_use]
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
    #[must_use]
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
    /// Frame lengths.
    Lengths,
    /// HTTP requests and responses.
    Http,
    /// HTTP requests by host and URI.
    HttpRequests,
    /// HTTP requests and responses by server.
    HttpServers,
    /// RTSP requests and responses.
    Rtsp,
    /// DNS messages.
    Dns,
    /// IP packets by address, protocol or port.
    Addresses(IpVersion, AddressTree),
    /// SIP requests, responses and setup times.
    Sip,
    /// DHCP messages by type.
    Dhcp,
    /// Response times by command.
    ResponseTimes(TimedProtocol),
    /// Echo requests and replies.
    IcmpTimes,
    /// Logins.
    Credentials,
    /// Packets between hosts.
    Flow(FlowOf, FlowAddresses),
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
        parts.extend(ConversationLayer::ALL.map(Part::Conversations));
        parts.extend(ConversationLayer::ALL.map(Part::Endpoints));
        parts.extend([Part::Transfers, Part::Health, Part::Coverage]);
        parts
    }

    /// All parts with a name, including those shown on request only.
    pub fn known() -> Vec<Part> {
        let mut parts = Part::all();
        parts.extend([Part::Phs, Part::Expert, Part::Lengths, Part::Http, Part::HttpRequests, Part::HttpServers, Part::Dns]);
        for version in IpVersion::ALL {
            parts.extend(AddressTree::ALL.map(|what| Part::Addresses(version, what)));
        }
        parts.extend([Part::Sip, Part::Dhcp, Part::Rtsp]);
        parts.extend(TimedProtocol::ALL.map(Part::ResponseTimes));
        parts.extend([Part::IcmpTimes, Part::Credentials]);
        for addresses in FlowAddresses::ALL {
            parts.extend(FlowOf::ALL.map(|of| Part::Flow(of, addresses)));
        }
        parts.extend([Part::Rs, Part::Hosts, Part::Rtp]);
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
            Part::Lengths => "frame lengths, by range",
            Part::Phs => "protocol hierarchy as tshark prints it",
            Part::Http => "HTTP requests by method, responses by status code",
            Part::HttpRequests => "HTTP requests by host and URI",
            Part::HttpServers => "HTTP requests and responses by server",
            Part::Rtsp => "RTSP requests by method, responses by status code",
            Part::Addresses(IpVersion::V4, AddressTree::Hosts) => "IPv4 packets by address",
            Part::Addresses(IpVersion::V4, AddressTree::Ends) => "IPv4 packets by source and by destination",
            Part::Addresses(IpVersion::V4, AddressTree::Protocols) => "IPv4 packets by transport protocol",
            Part::Addresses(IpVersion::V4, AddressTree::Destinations) => "IPv4 packets by destination, protocol and port",
            Part::Addresses(IpVersion::V6, AddressTree::Hosts) => "IPv6 packets by address",
            Part::Addresses(IpVersion::V6, AddressTree::Ends) => "IPv6 packets by source and by destination",
            Part::Addresses(IpVersion::V6, AddressTree::Protocols) => "IPv6 packets by transport protocol",
            Part::Addresses(IpVersion::V6, AddressTree::Destinations) => "IPv6 packets by destination, protocol and port",
            Part::Sip => "SIP messages by status code and method, setup times",
            Part::Dhcp => "DHCP messages by type",
            Part::ResponseTimes(TimedProtocol::Smb) => "SMB response times by command",
            Part::ResponseTimes(TimedProtocol::Smb2) => "SMB 2 and 3 response times by command",
            Part::IcmpTimes => "ICMP echo requests, replies and response times",
            Part::Credentials => "logins with user names; passwords with --show-secrets",
            Part::Flow(FlowOf::Any, FlowAddresses::Network) => "packets between hosts, with arrows",
            Part::Flow(FlowOf::Tcp, FlowAddresses::Network) => "TCP segments between hosts, with arrows",
            Part::Flow(FlowOf::Icmp, FlowAddresses::Network) => "ICMP messages between hosts, with arrows",
            Part::Flow(FlowOf::Icmpv6, FlowAddresses::Network) => "ICMPv6 messages between hosts, with arrows",
            Part::Flow(_, FlowAddresses::Standard) => "the same, between addresses of the network layer only",
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
            Part::Hierarchy => f.write_str("hierarchy"),
            Part::Phs => f.write_str("io,phs"),
            Part::HttpRequests => f.write_str("http_req,tree"),
            Part::HttpServers => f.write_str("http_srv,tree"),
            Part::Rtsp => f.write_str("rtsp,tree"),
            Part::Addresses(version, what) => write!(f, "{},tree", what.name(*version)),
            Part::Sip => f.write_str("sip,stat"),
            Part::Dhcp => f.write_str("dhcp,stat"),
            Part::ResponseTimes(of) => write!(f, "{},srt", of.name()),
            Part::IcmpTimes => f.write_str("icmp,srt"),
            Part::Credentials => f.write_str("credentials"),
            Part::Flow(of, addresses) => write!(f, "flow,{},{}", of.name(), addresses.name()),
            Part::Conversations(layer) => write!(f, "conv,{}", layer.layer()),
            Part::Endpoints(layer) => write!(f, "endpoints,{}", layer.layer()),
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
