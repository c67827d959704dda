//! Layers, and who speaks to whom: what a record needs to know beside the fields.

use super::{Made, Side, Time};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// What carries a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// Bytes in order.
    Tcp,
    /// Datagrams.
    Udp,
}

/// The number of a conversation, as Wireshark's `tcp.stream` and `udp.stream` count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamId {
    /// What carries it.
    pub transport: Transport,
    /// Its number, from 0 for each transport.
    pub number: u32,
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = match self.transport {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
        };
        write!(f, "{transport}/{}", self.number)
    }
}

/// One end of a packet, as far as the layers told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// An Ethernet address.
    Mac([u8; 6]),
    /// An IP address.
    Ip(IpAddr),
    /// An IP address and a port.
    Socket(SocketAddr),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Mac([a, b, c, d, e, g]) => write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}"),
            Address::Ip(ip) => ip.fmt(f),
            Address::Socket(socket) => socket.fmt(f),
        }
    }
}

/// Who says something to whom.
#[derive(Debug, Clone, Default)]
pub struct Ends {
    /// Who speaks.
    pub src: Option<Address>,
    /// Who is spoken to.
    pub dst: Option<Address>,
    /// The conversation and who of its two sides speaks.
    pub stream: Option<(StreamId, Side)>,
    /// The layers below, where this tree does not hold them itself.
    pub path: Option<Arc<str>>,
}

/// A layer of this tree, by its place in [`super::Tree::layers`].
pub type LayerId = u32;

/// A protocol's part of a frame: a node at the top of the tree, and what a heading says of it.
#[derive(Debug, Clone, Copy)]
pub struct Layer {
    /// Its node.
    pub node: u32,
    /// The layer that carries it.
    pub below: Option<LayerId>,
    /// Who speaks, as a place in [`super::Tree::ends`].
    pub ends: u32,
    /// Whether it is a message: something somebody said, not just an envelope.
    pub message: bool,
    /// What kind of message it is.
    pub name: Made,
    /// What it says, in a line.
    pub info: Made,
}

/// Bytes of a stream that are not in the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The stream.
    pub stream: StreamId,
    /// Who sent them.
    pub side: Side,
    /// Offset of the first missing byte.
    pub off: u64,
    /// How many are missing.
    pub len: u64,
    /// The frame at which they were given up.
    pub frame: u64,
    /// How many layers this tree had by then: messages behind come after the gap.
    pub before: usize,
}

/// The frame a tree was made of.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameInfo {
    /// Its number, from 1.
    pub number: u64,
    /// When it was captured.
    pub time: Time,
    /// Its link type's number, if it has one.
    pub link: Option<u16>,
    /// Bytes captured.
    pub captured: u32,
    /// Bytes on the wire.
    pub original: u32,
    /// The number of the interface that captured it, if the input has several.
    pub interface: Option<u32>,
    /// What that interface is called.
    pub interface_name: Made,
    /// What somebody remarked on it in the capture.
    pub comment: Made,
}
