//! A captured frame, borrowed from the reader's buffer.

use crate::tree::Side;
use std::net::SocketAddr;

use super::interface::Interface;
use super::options::Comments;
use super::origin::Origin;
pub use crate::tree::Timestamp;

/// The first protocol of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Link {
    /// A link-layer header of this number in the tcpdump.org list of link types.
    Type(u16),
    /// Unknown: hex text, whose bytes may start at Ethernet, at IP or at an application.
    #[default]
    Unknown,
    /// The next payload bytes of one side of a single conversation.
    Stream(Side),
}

/// A fraction of a second in a file that exceeds a second, and what the time of its frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddFraction {
    /// The number in the file.
    pub value: u32,
    /// Whether the file counts microseconds by its header; nanoseconds otherwise.
    pub is_micros: bool,
    /// Whether the number was taken as nanoseconds, because the whole file has such numbers. Otherwise it was added in its unit.
    pub as_nanos: bool,
}

/// One captured frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frame<'a> {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Capture time, if available. Hex text may contain only the time of day, which is counted from 1970-01-01.
    pub time: Option<Timestamp>,
    /// The fraction of its time, if that exceeds a second.
    pub odd_fraction: Option<OddFraction>,
    /// Link type.
    pub link: Link,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Bytes on the wire; more than `bytes` holds if the frame is truncated.
    pub original_len: u32,
    /// Interface index in a pcapng section, as [`Capture::interface`](super::Capture::interface) takes it.
    pub interface: Option<u32>,
    /// All interfaces of its section so far.
    pub interfaces: &'a [Interface],
    /// Its section in a pcapng capture, from 1; for other formats, 0 in the first capture of the input.
    pub section: u64,
    /// Name of that interface.
    pub interface_name: Option<&'a str>,
    /// Sender, if hex text has text2pcap's direction marks: `O` or `>` is the client, where the text was written, and `I` or `<`
    /// the server.
    pub direction: Option<Side>,
    /// Source and target, if hex text states them; a port that is not stated is 0.
    pub endpoints: Option<(SocketAddr, SocketAddr)>,
    /// Comments of a pcapng packet block.
    pub comments: Comments<'a>,
    /// TLS key logs in a pcapng capture between the previous frame and this one.
    pub secrets: &'a [u8],
    /// Origin of the frame, if the capture is a part of a split one.
    pub origin: Option<Origin<'a>>,
}
