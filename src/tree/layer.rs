//! Layers, endpoints and conversations.

use super::address_text::AddressText;
use super::{Lost, Side, TextRange, Time};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The transport of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
    /// USB.
    Usb,
}

impl Transport {
    /// The name of the transport, as in `tcp/0`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
            Transport::Sctp => "sctp",
            Transport::Usb => "usb",
        }
    }

    /// Whether conversations consist of datagrams.
    #[must_use]
    pub const fn has_datagrams(self) -> bool {
        matches!(self, Transport::Udp | Transport::Usb)
    }
}

/// The number of a conversation, like Wireshark's `tcp.stream` and `udp.stream`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId {
    /// The transport.
    pub transport: Transport,
    /// The number, from 0 for each transport.
    pub number: u32,
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.transport.word())?;
        f.write_str("/")?;
        f.write_str(itoa::Buffer::new().format(self.number))
    }
}

/// An endpoint of a packet at the highest available layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// An Ethernet address.
    Mac([u8; 6]),
    /// An IP address.
    Ip(IpAddr),
    /// An IP address and a port.
    Socket(SocketAddr),
    /// An end of a USB transfer.
    Usb(UsbEnd),
}

/// An end of a USB transfer, written as `host` or `bus.device.endpoint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UsbEnd {
    /// The host.
    Host,
    /// An endpoint of a device.
    Endpoint {
        /// Number of the bus.
        bus: u16,
        /// Address of the device.
        device: u16,
        /// Number of the endpoint, the same in both directions.
        number: u8,
    },
}

impl Address {
    /// Appends the address as text, which is faster than `write!`.
    pub fn push_to(&self, out: &mut String) {
        out.push_str(self.text().as_str());
    }

    fn text(&self) -> AddressText {
        match self {
            Address::Mac(mac) => AddressText::mac(*mac),
            Address::Ip(ip) => AddressText::ip(*ip),
            Address::Socket(socket) => AddressText::socket(*socket),
            Address::Usb(end) => AddressText::usb(*end),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

/// The source and destination of a packet.
#[derive(Debug, Clone, Default)]
pub struct Ends {
    /// The source.
    pub src: Option<Address>,
    /// The destination.
    pub dst: Option<Address>,
    /// The conversation and the sender's side.
    pub stream: Option<(StreamId, Side)>,
    /// Whether the side of the sender is unknown: all packets of the conversation have the same.
    pub is_undirected: bool,
    /// The layers below that are not part of this tree.
    pub path: Option<Arc<str>>,
}

impl Ends {
    /// The sender's side, if known.
    #[must_use]
    pub fn direction(&self) -> Option<Side> {
        self.stream.filter(|_| !self.is_undirected).map(|(_, side)| side)
    }
}

/// Messages counted without being in the tree.
#[derive(Debug, Clone, Copy, Default)]
pub struct OmittedMessages {
    /// Number of messages.
    pub count: usize,
    /// Capture time of the frame that completed the last one.
    pub time: Time,
    /// Number of layers before them; later layers come after these messages.
    pub before: usize,
}

/// The headers of a plain, in-order segment, omitted from the tree.
#[derive(Debug, Clone, Copy)]
pub struct OmittedHeaders {
    /// The conversation.
    pub stream: StreamId,
    /// The direction: whether the lower endpoint sends it.
    pub from_low: bool,
    /// The protocols of the headers.
    pub path: &'static str,
}

/// The index of a layer in [`super::Tree::layers`].
pub type LayerId = u32;

/// A layer: the part of a frame that belongs to one protocol, with its root node and summary.
#[derive(Debug, Clone, Copy)]
pub struct Layer {
    /// The root node.
    pub node: u32,
    /// The carrying layer.
    pub below: Option<LayerId>,
    /// Source and destination, an index into [`super::Tree::ends`].
    pub ends: u32,
    /// Whether it is a message of an application, not a carrier.
    pub message: bool,
    /// Whether it was dissected after the frames that carried it.
    pub late: bool,
    /// The message type.
    pub name: TextRange,
    /// The summary line.
    pub info: Info,
}

/// The summary of a layer: text, or numbers that are formatted lazily.
#[derive(Debug, Clone, Copy, Default)]
pub struct Info {
    pub(super) made: TextRange,
    pub(super) summarize: Option<SummaryFn>,
}

/// Formats the summary from its numbers.
pub type SummaryFn = fn(&[u64], &mut fmt::Formatter<'_>) -> fmt::Result;

/// Numbers with their formatter.
pub(super) struct LazySummary<'t>(pub SummaryFn, pub &'t [u64]);

impl fmt::Display for LazySummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0(self.1, f)
    }
}

impl Info {
    /// Whether the summary is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.made.is_empty()
    }
}

impl From<TextRange> for Info {
    fn from(made: TextRange) -> Info {
        Info { made, summarize: None }
    }
}

/// A gap: stream bytes missing from the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The stream.
    pub stream: StreamId,
    /// The sender.
    pub side: Side,
    /// Offset of the first missing byte.
    pub off: u64,
    /// Number of missing bytes.
    pub len: u64,
    /// Numbered elements that are missing instead: how many bytes they had is unknown.
    pub elements: Option<Lost>,
    /// The frame at which the gap was abandoned.
    pub frame: u64,
    /// Number of layers before the gap; later layers come after it.
    pub before: usize,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.elements {
            None => write!(f, "{} bytes missing at {}", self.len, self.off),
            Some(Lost { stream, first, count: 1 }) => write!(f, "element {first} of stream {stream} missing"),
            Some(Lost { stream, first, count }) => {
                write!(f, "elements {first} to {} of stream {stream} missing", first.saturating_add(count - 1))
            }
        }
    }
}

/// The frame of a tree.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameInfo {
    /// The frame number, from 1.
    pub number: u64,
    /// The capture time.
    pub time: Time,
    /// The capture time of the first frame, if the capture is a part of a longer one.
    pub start: Time,
    /// The link type, if known.
    pub link: Option<u16>,
    /// Number of bytes captured.
    pub captured: u32,
    /// Number of bytes on the wire.
    pub original: u32,
    /// The interface index, if the input has several.
    pub interface: Option<u32>,
    /// The sender, if the input gives one.
    pub direction: Option<Side>,
    /// Whether the frame is payload of a single conversation, without headers.
    pub is_payload: bool,
    /// The interface name.
    pub interface_name: TextRange,
    /// The comment on the frame in the capture.
    pub comment: TextRange,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn addresses_are_written_as_the_standard_library_writes_them() {
        for octet in 0..=255 {
            let ip = Ipv4Addr::new(octet, 255 - octet, octet / 2, octet.wrapping_mul(7));
            assert_eq!(Address::Ip(ip.into()).to_string(), ip.to_string());
            for port in [0, 7, 80, 443, 9999, 27000, 65535] {
                let socket = SocketAddr::new(ip.into(), port);
                assert_eq!(Address::Socket(socket).to_string(), socket.to_string());
            }
            assert_eq!(format!("{:>24}|", Address::Ip(ip.into())), format!("{:>24}|", ip.to_string()));
        }
    }
}
