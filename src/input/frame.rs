//! What a reader hands on: one captured frame, its bytes borrowed from the reader's buffer.

use crate::tree::Side;

use super::options::Comments;
pub use crate::tree::Timestamp;

/// What the first byte of a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Link {
    /// A link-layer header of this number in the tcpdump.org list of link types.
    Type(u16),
    /// Nobody said: hex text whose bytes may start at Ethernet, at IP or at an application.
    #[default]
    Unknown,
    /// Application bytes that one side of a single conversation said next.
    Stream(Side),
}

/// One captured frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frame<'a> {
    /// Its number in the input, from 1.
    pub number: u64,
    /// When it was captured, if the input says so. Hex text may say the time of day alone: that is counted from
    /// 1970-01-01.
    pub time: Option<Timestamp>,
    /// How its bytes begin.
    pub link: Link,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Bytes it had on the wire; more than `bytes` holds if the capture cut it.
    pub original_len: u32,
    /// Which interface of its section of a pcapng capture saw it: what [`Capture::interface`](super::Capture::interface)
    /// takes.
    pub interface: Option<u32>,
    /// What the capture calls that interface.
    pub interface_name: Option<&'a str>,
    /// Who sent it, if hex text marks it as text2pcap has it: `O` or `>` is the client, where the text was made, and `I` or
    /// `<` the server.
    pub direction: Option<Side>,
    /// What somebody wrote about it in a pcapng capture.
    pub comments: Comments<'a>,
    /// Key logs of TLS that a pcapng capture holds between the frame before and this one.
    pub secrets: &'a [u8],
}
