//! Layers, and who speaks to whom: what a record needs to know beside the fields.

use super::{Made, Side, Time, digits};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// What carries a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// Bytes in order.
    Tcp,
    /// Datagrams.
    Udp,
    /// Messages in streams.
    Sctp,
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
        f.write_str(match self.transport {
            Transport::Tcp => "tcp/",
            Transport::Udp => "udp/",
            Transport::Sctp => "sctp/",
        })?;
        f.write_str(itoa::Buffer::new().format(self.number))
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
            Address::Mac(mac) => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or_default();
                let mut text = [b':'; 17];
                for (place, byte) in text.chunks_mut(3).zip(mac) {
                    if let [high, low, ..] = place {
                        (*high, *low) = (digit(byte >> 4), digit(byte & 15));
                    }
                }
                f.pad(str::from_utf8(&text).unwrap_or_default())
            }
            Address::Ip(IpAddr::V4(ip)) => Dotted::new(*ip, None).fmt(f),
            Address::Socket(SocketAddr::V4(socket)) => Dotted::new(*socket.ip(), Some(socket.port())).fmt(f),
            Address::Ip(ip) => ip.fmt(f),
            Address::Socket(socket) => socket.fmt(f),
        }
    }
}

/// An IPv4 address as text, with a port or without, made at once: it is what most lines of most captures say.
pub(super) struct Dotted {
    text: [u8; 24],
    len: usize,
}

impl Dotted {
    pub(super) fn new(ip: Ipv4Addr, port: Option<u16>) -> Dotted {
        let (ip, len) = digits::points(ip.octets());
        let mut dotted = Dotted { text: [0; 24], len };
        if let Some(text) = dotted.text.first_chunk_mut() {
            *text = ip;
        }
        if let Some(port) = port {
            dotted.push(b':');
            itoa::Buffer::new().format(port).bytes().for_each(|digit| dotted.push(digit));
        }
        dotted
    }

    fn push(&mut self, character: u8) {
        if let Some(place) = self.text.get_mut(self.len) {
            *place = character;
            self.len += 1;
        }
    }

    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(self.text.get(..self.len).unwrap_or_default()).unwrap_or_default()
    }
}

impl fmt::Display for Dotted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
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

/// Messages that are in no tree: they only count.
#[derive(Debug, Clone, Copy, Default)]
pub struct OmittedMessages {
    /// How many.
    pub count: usize,
    /// When the frame was captured that completed the last one.
    pub time: Time,
    /// How many layers the tree had by then: messages behind came later.
    pub before: usize,
}

/// The headers of a segment of which none is in the tree: they are plain, and it is as expected.
#[derive(Debug, Clone, Copy)]
pub struct OmittedHeaders {
    /// The conversation it is part of.
    pub stream: StreamId,
    /// Which way it goes there: whether the lower of the two ends sends it.
    pub rises: bool,
    /// The names of its layers.
    pub path: &'static str,
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
    /// Whether none of its bytes is of the frame: they became readable only after their own frames.
    pub late: bool,
    /// What kind of message it is.
    pub name: Made,
    /// What it says, in a line.
    pub info: Info,
}

/// What a layer says in a line: words, or numbers and who makes words of them if somebody looks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Info {
    pub(super) made: Made,
    pub(super) summarize: Option<SummaryFn>,
}

/// Makes words of the numbers of a layer.
pub type SummaryFn = fn(&[u64], &mut fmt::Formatter<'_>) -> fmt::Result;

/// Numbers, shown by who makes words of them.
pub(super) struct LazySummary<'t>(pub SummaryFn, pub &'t [u64]);

impl fmt::Display for LazySummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0(self.1, f)
    }
}

impl Info {
    /// Whether there is nothing to say.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.made.is_empty()
    }
}

impl From<Made> for Info {
    fn from(made: Made) -> Info {
        Info { made, summarize: None }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
