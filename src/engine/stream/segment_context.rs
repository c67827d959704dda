//! A TCP segment on its way to its connection.

use crate::flow::analysis::Extent;
use crate::input::Frame;
use crate::layers::tcp::Header;
use crate::layers::{Bytes, TransportSegment};
use crate::tree::Side;

/// A segment and the results of the layers.
pub(in crate::engine) struct SegmentContext<'a> {
    pub frame: &'a Frame<'a>,
    pub bytes: Bytes<'a>,
    pub segment: &'a TransportSegment,
    pub header: &'a Header,
    /// Whether the sender is the lower endpoint of the connection.
    pub from_low: bool,
    /// Sender.
    pub side: Side,
    /// Requested results of the TCP analysis.
    pub analysis: Option<Extent>,
    /// Whether connection progress is requested.
    pub is_followed: bool,
}
