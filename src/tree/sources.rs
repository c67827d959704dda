//! The byte buffers that the spans of a tree refer to.

use super::span::Held;
use super::{Derived, Extras, Origin, Piece, Side, Source, Span, StreamId, Tree};
use crate::limits;
use std::ops::Range;

impl Tree {
    /// Adds stream bytes whose pieces are in [`Tree::pieces`] from `first` on. `bytes` is `None` if they are in one piece of this
    /// frame; otherwise the tree stores them.
    pub fn push_stream(&mut self, stream: StreamId, side: Side, base: u64, first: usize, bytes: Option<&[u8]>) -> u32 {
        let held = match bytes {
            Some(bytes) => self.hold(bytes),
            None => Held::Frame(self.pieces.get(first).map_or(0, |piece| piece.at as usize)),
        };
        self.push_source(Source { origin: Origin::Stream(stream, side), base, pieces: first..self.pieces.len(), held })
    }

    /// Adds derived bytes; their pieces are in [`Tree::pieces`] from `first` on.
    pub fn push_derived(&mut self, method: &'static str, from: Option<Span>, first: usize, bytes: &[u8]) -> u32 {
        self.derived = self.derived.saturating_add(1);
        let (number, held) = (self.derived, self.hold_derived(bytes));
        self.push_source(Source {
            origin: Origin::Derived(Derived { number, method, from, is_deciphered: false, stream: None }),
            base: 0,
            pieces: first..self.pieces.len(),
            held,
        })
    }

    /// Adds decrypted bytes: each byte corresponds to one byte of the pieces.
    pub fn push_deciphered(&mut self, method: &'static str, from: Option<Span>, first: usize, bytes: &[u8]) -> u32 {
        let place = self.push_derived(method, from, first, bytes);
        if let Some(Source { origin: Origin::Derived(derived), .. }) = self.sources.last_mut() {
            derived.is_deciphered = true;
        }
        place
    }

    /// Adds decompressed bytes of a stream; `off` is the stream offset of the first one.
    pub fn push_inflated(&mut self, (stream, side, off): (StreamId, Side, u64), first: usize, bytes: &[u8]) -> u32 {
        let place = self.push_deciphered("deflate", None, first, bytes);
        if let Some(Source { origin: Origin::Derived(derived), .. }) = self.sources.last_mut() {
            derived.stream = Some((stream, side, off));
        }
        place
    }

    /// Stores derived bytes, if requested.
    fn hold(&mut self, bytes: &[u8]) -> Held {
        #[cfg(test)]
        assert!(u32::try_from(bytes.len()).is_ok(), "spans count in 32 bits");
        let start = self.buffers.bytes.len();
        if self.demand.has(Extras::BYTES) {
            self.buffers.bytes.extend_from_slice(bytes);
        }
        Held::Tree(start..self.buffers.bytes.len())
    }

    /// Stores derived bytes, which may be many times the bytes on the wire, within [`limits::TREE_DERIVED`].
    fn hold_derived(&mut self, bytes: &[u8]) -> Held {
        if self.demand.has(Extras::BYTES) && self.buffers.bytes.len().saturating_add(bytes.len()) > limits::TREE_DERIVED.get() {
            self.unkept.bytes += bytes.len() as u64;
            return self.hold(&[]);
        }
        self.hold(bytes)
    }

    /// Number of bytes that may still be decompressed: a base amount, and a multiple of the bytes read so far.
    pub(crate) fn decompression_limit(&self) -> usize {
        let earned = self.run.captured.saturating_mul(limits::DECOMPRESSED_RATIO.get() as u64);
        let remaining = (limits::DECOMPRESSED.get() as u64).saturating_add(earned).saturating_sub(self.run.decompressed);
        usize::try_from(remaining).unwrap_or(usize::MAX)
    }

    /// Whether any source is derived.
    #[must_use]
    pub fn has_derived(&self) -> bool {
        self.derived > 0
    }

    fn push_source(&mut self, source: Source) -> u32 {
        self.sources.push(source);
        u32::try_from(self.sources.len() - 1).unwrap_or(Span::NOWHERE - 1)
    }

    /// The bytes of a span, given those of the frame.
    #[must_use]
    pub fn slice<'t>(&'t self, span: Span, frame: &'t [u8]) -> &'t [u8] {
        let Some(source) = self.sources.get(span.source as usize) else { return &[] };
        let at = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        match &source.held {
            Held::Frame(by) => frame.get(at(span.range(), *by)),
            Held::Tree(held) => self.buffers.bytes.get(at(span.range(), held.start)),
        }
        .unwrap_or_default()
    }

    /// The offset of a span in the frame, if its bytes are there unchanged.
    #[must_use]
    pub fn offset_in_frame(&self, span: Span) -> Option<u64> {
        match &self.source(span)?.held {
            Held::Frame(by) => Some(span.range().start.saturating_add(*by) as u64),
            Held::Tree(_) => None,
        }
    }

    /// The source of a span.
    #[must_use]
    pub fn source(&self, span: Span) -> Option<&Source> {
        self.sources.get(span.source as usize)
    }

    /// Pieces of frames that a source consists of; empty for a frame.
    #[must_use]
    pub fn pieces_of(&self, source: &Source) -> &[Piece] {
        self.pieces.get(source.pieces.clone()).unwrap_or_default()
    }
}
