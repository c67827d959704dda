//! Where a value's bytes are: a range within a source, and where the source's bytes were captured.

use super::{Side, StreamId, Time};
use std::ops::Range;

/// A range of bytes within one source of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Which source; [`Span::NOWHERE`] for values that are not on the wire.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The source of values that were worked out and lie nowhere.
    pub const NOWHERE: u32 = u32::MAX;

    /// The span of a value that was worked out.
    pub const NONE: Span = Span { source: Span::NOWHERE, start: 0, end: 0 };

    /// A span; positions past 4 GiB are clipped. No source is that long: a frame has at most 64 MiB,
    /// and no limit on bytes exceeds 2 GiB.
    #[must_use]
    pub fn new(source: u32, range: Range<usize>) -> Span {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { source, start: clip(range.start), end: clip(range.end) }
    }

    /// Whether it lies in a source at all.
    #[must_use]
    pub const fn is_somewhere(self) -> bool {
        self.source != Span::NOWHERE
    }

    /// Bytes in it.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// As positions in a slice.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Bits within the bytes of a span, counted from the most significant one of the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// The first one.
    pub first: u8,
    /// How many.
    pub count: u8,
}

/// Where a run of stream bytes was captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Offset of its first byte in the stream.
    pub off: u64,
    /// Bytes.
    pub len: u32,
    /// The frame that carried it.
    pub frame: u64,
    /// Offset of its first byte in that frame.
    pub at: u32,
    /// When that frame was captured.
    pub time: Time,
}

impl Piece {
    /// The offset in a frame of bytes that are in none as such, because they were decompressed.
    pub const NOWHERE: u32 = u32::MAX;

    /// Stream offset behind its last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.off.saturating_add(u64::from(self.len))
    }

    /// The part of it inside `range`, if there is one.
    #[must_use]
    pub fn clip(&self, range: &Range<u64>) -> Option<Piece> {
        let off = self.off.max(range.start);
        let len = self.end().min(range.end).checked_sub(off).filter(|len| *len > 0)?;
        let skipped = u32::try_from(off - self.off).ok()?;
        Some(Piece { off, len: u32::try_from(len).ok()?, at: self.at.saturating_add(skipped), ..*self })
    }
}

/// What the bytes of a source are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The captured frame itself.
    Frame,
    /// Bytes of one direction of a stream.
    Stream(StreamId, Side),
    /// Bytes that are not on the wire as such.
    Derived(Derived),
}

/// Bytes that were joined, decompressed or deciphered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    /// Its number in the tree, from 1.
    pub number: u32,
    /// How they came to be: `ip fragments`, `zlib`.
    pub how: &'static str,
    /// What they were made of, if that lies in one place.
    pub from: Option<Span>,
    /// Whether they are others than those that their pieces lead to, one for one.
    pub is_deciphered: bool,
    /// The direction of a stream that they are bytes of, and the stream offset of the first one.
    pub stream: Option<(StreamId, Side, u64)>,
}

/// A run of bytes that spans count in.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is.
    pub origin: Origin,
    /// The stream offset of its first byte; 0 for a frame.
    pub base: u64,
    /// The pieces it was made of, as a range of [`super::Tree::pieces`].
    pub pieces: Range<usize>,
    pub(super) held: Held,
}

impl Source {
    /// Bytes in it, as far as it is not the frame.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.held {
            Held::Frame(_) => 0,
            Held::Tree(held) => held.len() as u64,
        }
    }

    /// Whether it holds no bytes of its own.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where the bytes of a source can be had.
#[derive(Debug, Clone)]
pub(super) enum Held {
    /// In the frame, from this offset on.
    Frame(usize),
    /// In the tree's own memory.
    Tree(Range<usize>),
}
