//! Segments that wait after a hole. They never overlap: the first copy of retransmitted bytes is kept.

use super::{Piece, Run, differing, joined};
use crate::limits;
use std::collections::BTreeMap;
use std::ops::Range;

/// A segment, or its new part, after a hole.
#[derive(Debug)]
pub(super) struct Waiting {
    bytes: Box<[u8]>,
    piece: Piece,
    /// Where the bytes end that the capture cut off after it.
    pub(super) cut_to: u64,
}

impl Waiting {
    pub(super) fn run(&self) -> Run<'_> {
        Run { piece: self.piece, bytes: &self.bytes }
    }
}

#[derive(Debug, Default)]
pub(super) struct OutOfOrder {
    segments: BTreeMap<u64, Waiting>,
    bytes: usize,
}

impl OutOfOrder {
    /// The stream offset of the first waiting byte.
    pub(super) fn first(&self) -> Option<u64> {
        self.segments.first_key_value().map(|(off, _)| *off)
    }

    /// Removes the segment that starts at `off`.
    pub(super) fn take(&mut self, off: u64) -> Option<Waiting> {
        let waiting = self.segments.remove(&off)?;
        self.bytes = self.bytes.saturating_sub(waiting.bytes.len());
        Some(waiting)
    }

    /// Whether `range` has a byte that is not stored yet.
    pub(super) fn lacks(&self, range: Range<u64>) -> bool {
        self.uncovered(range).is_some()
    }

    /// Stores the new bytes of `run`. Returns false, with nothing stored, if the limit is reached.
    pub(super) fn insert(&mut self, run: &Run<'_>, cut_to: u64) -> bool {
        let whole = run.piece.off..run.piece.end();
        let mut runs = 0;
        let mut bytes = 0;
        let mut rest = whole.clone();
        while let Some(new) = self.uncovered(rest.clone()) {
            runs += 1;
            bytes += usize::try_from(new.end - new.start).unwrap_or(usize::MAX);
            rest.start = new.end;
        }
        let fits = self.segments.len() + runs <= limits::STREAM_PARKED_SEGMENTS.get()
            && self.bytes.saturating_add(bytes) <= limits::STREAM_PARKED.get();
        // A lone segment is always stored, so a caller that gives up holes until then terminates.
        if runs > 0 && !fits && !self.segments.is_empty() {
            return false;
        }
        rest = whole;
        while let Some(new) = self.uncovered(rest.clone()) {
            rest.start = new.end;
            if let Some(run) = run.clip(&new) {
                let cut_to = if new.end == rest.end { cut_to } else { new.end };
                let waiting = Waiting { bytes: run.bytes.into(), piece: run.piece, cut_to };
                self.bytes += run.bytes.len();
                self.segments.insert(new.start, waiting);
            }
        }
        true
    }

    /// The first bytes of `range` that no segment covers.
    fn uncovered(&self, range: Range<u64>) -> Option<Range<u64>> {
        let mut at = range.start;
        for (off, waiting) in self.overlapping(&range) {
            if *off > at {
                return Some(at..*off);
            }
            at = at.max(waiting.piece.end());
        }
        (at < range.end).then_some(at..range.end)
    }

    fn overlapping(&self, range: &Range<u64>) -> impl Iterator<Item = (&u64, &Waiting)> {
        let before = self.segments.range(..range.start).next_back();
        let inside = range.start..range.end.max(range.start);
        before.into_iter().chain(self.segments.range(inside))
    }

    pub(super) fn differing(&self, off: u64, bytes: &[u8]) -> Option<Range<usize>> {
        if self.segments.is_empty() {
            return None;
        }
        let range = off..off.saturating_add(bytes.len() as u64);
        self.overlapping(&range).map(|(held_from, waiting)| differing(*held_from, &waiting.bytes, off, bytes)).fold(None, joined)
    }

    pub(super) fn memory_usage(&self) -> usize {
        // The nodes of the map are at least half full.
        self.bytes + self.segments.len() * 2 * size_of::<(u64, Waiting)>()
    }
}
