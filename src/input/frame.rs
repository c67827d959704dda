//! What a reader hands on: one captured frame, its bytes borrowed from the reader's buffer.

use crate::tree::Side;

use super::interface::Interface;
use super::options::Comments;
use super::origin::Origin;
pub use crate::tree::Timestamp;

/// The first protocol of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Link {
    /// A link-layer header of this number in the tcpdump.org list of link types.
    Type(u16),
    /// Not declared: hex text, whose bytes may start at Ethernet, at IP or at an application.
    #[default]
    Unknown,
    /// The next payload bytes of one side of a single conversation.
    Stream(Side),
}

/// One captured frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frame<'a> {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Capture time, if the input has it. Hex text may give the time of day alone: that is counted from
    /// 1970-01-01.
    pub time: Option<Timestamp>,
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
    /// Its section in a pcapng capture, from 1; 0 for other formats.
    pub section: u64,
    /// Name of that interface.
    pub interface_name: Option<&'a str>,
    /// Sender, if hex text has text2pcap's direction marks: `O` or `>` is the client, where the text was made, and `I` or
    /// `<` the server.
    pub direction: Option<Side>,
    /// Comments of a pcapng packet block.
    pub comments: Comments<'a>,
    /// Key logs of TLS that a pcapng capture holds between the frame before and this one.
    pub secrets: &'a [u8],
    /// Where the frame stood in the capture that this one is a part of.
    pub origin: Option<Origin<'a>>,
}
