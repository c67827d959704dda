//! The bytes of one side of a conversation, and the offsets at which something began.

use crate::tree::{self, StreamId};

/// One side of a conversation.
#[derive(Debug, Clone)]
pub struct Side {
    /// The conversation.
    pub stream: StreamId,
    /// Sender.
    pub dir: tree::Side,
    /// Sender and receiver, as text.
    pub ends: [String; 2],
    /// The bytes that are explored: those of the stream, or payloads of datagrams joined.
    pub bytes: Vec<u8>,
    /// Bytes that it sent.
    pub sent: u64,
    /// Segments or datagrams in order.
    pub segments: Vec<Segment>,
    /// Gaps: place in `bytes`, and number of missing bytes.
    pub holes: Vec<(usize, u64)>,
    /// Whether datagrams, not a stream.
    pub is_datagrams: bool,
}

/// A segment, or a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its first byte in the bytes of the side.
    pub at: usize,
    /// Whether the other side spoke before.
    pub is_turn: bool,
    /// Whether the sender pushed behind it.
    pub is_pushed: bool,
    /// When it was captured: nanoseconds since 1970, 0 if unknown.
    pub time: i64,
    /// Its place among the segments of both sides.
    pub order: usize,
    /// Frame that carries it.
    pub frame: u64,
}

impl Side {
    /// An empty side.
    #[must_use]
    pub fn new(stream: StreamId, dir: tree::Side) -> Side {
        Side {
            stream,
            dir,
            ends: Default::default(),
            bytes: Vec::new(),
            sent: 0,
            segments: Vec::new(),
            holes: Vec::new(),
            is_datagrams: stream.transport == tree::Transport::Udp,
        }
    }

    /// `tcp/0/c2s`.
    #[must_use]
    pub fn buffer(&self) -> String {
        format!("{}/{}", self.stream, self.dir)
    }

    /// Stream offset of a place in the bytes.
    #[must_use]
    pub fn offset(&self, at: usize) -> u64 {
        let lost: u64 = self.holes.iter().take_while(|(place, _)| *place <= at).map(|(_, len)| len).sum();
        (at as u64).saturating_add(lost)
    }

    /// The segment that a byte lies in.
    #[must_use]
    pub fn segment(&self, at: usize) -> Option<&Segment> {
        let behind = self.segments.partition_point(|segment| segment.at <= at);
        self.segments.get(behind.checked_sub(1)?)
    }

    /// The places where the other side had spoken before, without 0.
    pub fn turns(&self) -> impl Iterator<Item = usize> {
        self.segments.iter().filter(|segment| segment.is_turn && segment.at > 0).map(|segment| segment.at)
    }

    /// Places of segments in ascending order, and the end: where each one begins, and where the next one does.
    pub fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        let ends = self.segments.iter().skip(1).map(|segment| segment.at).chain([self.bytes.len()]);
        self.segments.iter().map(|segment| segment.at).zip(ends)
    }
}
