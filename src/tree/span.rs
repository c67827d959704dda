//! Positions of values: a range within a source, and the origin of the source's bytes in frames.

use super::{Side, StreamId, Time};
use std::ops::Range;

/// A range of bytes within one source of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The source; [`Span::NOWHERE`] for values that are not on the wire.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The source of computed values.
    pub const NOWHERE: u32 = u32::MAX;

    /// The span of a computed value.
    pub const NONE: Span = Span { source: Span::NOWHERE, start: 0, end: 0 };

    /// Creates a span; positions above 4 GiB are clamped. No source is that long: a frame has at most 64 MiB, and no limit on
    /// bytes exceeds 2 GiB.
    #[must_use]
    pub fn new(source: u32, range: Range<usize>) -> Span {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { source, start: clip(range.start), end: clip(range.end) }
    }

    /// Whether it is in a source.
    #[must_use]
    pub const fn is_somewhere(self) -> bool {
        self.source != Span::NOWHERE
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether its length is 0.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The span as a range of a slice.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Bits within the bytes of a span, counted from the most significant one of the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// The first bit.
    pub first: u8,
    /// Number of bits.
    pub count: u8,
}

/// Origin of a run of stream bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Offset of its first byte in the stream.
    pub off: u64,
    /// Length in bytes.
    pub len: u32,
    /// The frame that carried it.
    pub frame: u64,
    /// Offset of its first byte in that frame.
    pub at: u32,
    /// Capture time of that frame.
    pub time: Time,
}

impl Piece {
    /// The frame offset of decompressed bytes, which are in no frame as such.
    pub const NOWHERE: u32 = u32::MAX;

    /// Stream offset of the end.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.off.saturating_add(u64::from(self.len))
    }

    /// The part inside `range`, if any.
    #[must_use]
    pub fn clip(&self, range: &Range<u64>) -> Option<Piece> {
        let off = self.off.max(range.start);
        let len = self.end().min(range.end).checked_sub(off).filter(|len| *len > 0)?;
        let skipped = u32::try_from(off - self.off).ok()?;
        Some(Piece { off, len: u32::try_from(len).ok()?, at: self.at.saturating_add(skipped), ..*self })
    }
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The captured frame itself.
    Frame,
    /// Bytes of one direction of a stream.
    Stream(StreamId, Side),
    /// Bytes that are not on the wire as such.
    Derived(Derived),
}

/// Reassembled, decompressed or decrypted bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    /// Its number in the tree, from 1.
    pub number: u32,
    /// The method: `ip fragments`, `zlib`.
    pub method: &'static str,
    /// The bytes they were derived from, if those are contiguous.
    pub from: Option<Span>,
    /// Whether each byte was decrypted from the corresponding byte of the pieces.
    pub is_deciphered: bool,
    /// The stream direction they belong to, and the stream offset of the first one.
    pub stream: Option<(StreamId, Side, u64)>,
}

/// A buffer that spans refer to.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its kind.
    pub origin: Origin,
    /// The stream offset of its first byte; 0 for a frame.
    pub base: u64,
    /// Its pieces, as a range of [`super::Tree::pieces`].
    pub pieces: Range<usize>,
    pub(super) held: Held,
}

impl Source {
    /// Length in bytes; 0 for the frame.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.held {
            Held::Frame(_) => 0,
            Held::Tree(held) => held.len() as u64,
        }
    }

    /// Whether the length is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Storage of the bytes of a source.
#[derive(Debug, Clone)]
pub(super) enum Held {
    /// The frame, from this offset on.
    Frame(usize),
    /// The memory of the tree.
    Tree(Range<usize>),
}
