//! The bytes of one side of a conversation, with the offsets of segments.

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
    /// The explored bytes: those of the stream, or concatenated payloads of datagrams.
    pub bytes: Vec<u8>,
    /// Number of captured bytes, with those beyond the limit.
    pub sent: u64,
    /// Segments or datagrams in order.
    pub segments: Vec<Segment>,
    /// Gaps: offset in `bytes`, and number of missing bytes of this gap and all before, in order.
    pub holes: Vec<(usize, u64)>,
    /// Whether the last bytes have no place in the stream.
    pub ends_stray: bool,
    /// Whether it consists of datagrams.
    pub is_datagrams: bool,
}

/// A segment, or a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its first byte in the bytes of the side.
    pub at: usize,
    /// Whether the other side sent bytes before.
    pub is_turn: bool,
    /// Whether it has the PSH flag.
    pub is_pushed: bool,
    /// Capture time: nanoseconds since 1970, 0 if unknown.
    pub time: i64,
    /// Its index among the segments of both sides.
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
            ends_stray: false,
            is_datagrams: stream.transport.has_datagrams(),
        }
    }

    /// `tcp/0/c2s`.
    #[must_use]
    pub fn buffer(&self) -> String {
        format!("{}/{}", self.stream, self.dir)
    }

    /// Stream offset of an offset in the bytes.
    #[must_use]
    pub fn offset(&self, at: usize) -> u64 {
        let behind = self.holes.partition_point(|(place, _)| *place <= at);
        let lost = behind.checked_sub(1).and_then(|last| self.holes.get(last)).map_or(0, |(_, lost)| *lost);
        (at as u64).saturating_add(lost)
    }

    /// Adds a gap at the end of the bytes so far.
    pub fn lose(&mut self, missing: u64) {
        let (at, lost) = (self.bytes.len(), self.missing().saturating_add(missing));
        match self.holes.last_mut().filter(|(place, _)| *place == at) {
            Some((_, total)) => *total = lost,
            None => self.holes.push((at, lost)),
        }
    }

    /// Number of missing bytes.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.holes.last().map_or(0, |(_, lost)| *lost)
    }

    /// Whether bytes are missing before this offset.
    #[must_use]
    pub fn is_hole(&self, at: usize) -> bool {
        self.holes.binary_search_by_key(&at, |(place, _)| *place).is_ok()
    }

    /// The segment that contains a byte.
    #[must_use]
    pub fn segment(&self, at: usize) -> Option<&Segment> {
        let behind = self.segments.partition_point(|segment| segment.at <= at);
        self.segments.get(behind.checked_sub(1)?)
    }

    /// Offsets of turns, without 0.
    pub fn turns(&self) -> impl Iterator<Item = usize> {
        self.segments.iter().filter(|segment| segment.is_turn && segment.at > 0).map(|segment| segment.at)
    }

    /// Segments in ascending order, as start and end offsets.
    pub fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        let ends = self.segments.iter().skip(1).map(|segment| segment.at).chain([self.bytes.len()]);
        self.segments.iter().map(|segment| segment.at).zip(ends)
    }
}
