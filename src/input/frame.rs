//! What a reader hands on: one captured frame, its bytes borrowed from the reader's buffer.

use crate::tree::Side;

pub use crate::tree::Timestamp;

/// What the first byte of a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// A link-layer header of this number in the tcpdump.org list of link types.
    Type(u16),
    /// Nobody said: hex text whose bytes may start at Ethernet, at IP or at an application.
    Unknown,
    /// Application bytes that one side of a single conversation said next.
    Stream(Side),
}

/// One captured frame.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Its number in the input, from 1.
    pub number: u64,
    /// When it was captured, if the input says so.
    pub time: Option<Timestamp>,
    /// How its bytes begin.
    pub link: Link,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Bytes it had on the wire; more than `bytes` holds if the capture cut it.
    pub original_len: u32,
}
