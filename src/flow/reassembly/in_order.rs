//! In-order bytes: the unread ones, preceded by the last ones read.

use super::pool::Block;
use super::{Piece, Run, differing};
use std::collections::VecDeque;
use std::ops::Range;

/// Read bytes that are kept to compare immediate retransmissions: two segments of the usual size.
const HISTORY: usize = 3 * 1024;

/// Capacity for messages of usual size. It is kept after a large message.
const SMALL: usize = 8 * 1024;

#[derive(Debug, Default)]
pub(super) struct InOrderBuffer {
    bytes: Block,
    read: usize,
    end: u64,
    pieces: VecDeque<Piece>,
}

impl InOrderBuffer {
    /// The stream offset of the next expected byte.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn unread(&self) -> &[u8] {
        self.bytes.get(self.read..).unwrap_or_default()
    }

    pub(super) fn unread_off(&self) -> u64 {
        self.end.saturating_sub(self.unread().len() as u64)
    }

    /// Appends a run that starts at `end()`.
    pub(super) fn append(&mut self, run: &Run<'_>) {
        if self.bytes.capacity() - self.bytes.len() < run.bytes.len() {
            self.reserve(run.bytes.len());
        }
        self.bytes.extend_from_slice(run.bytes);
        self.pieces.push_back(run.piece);
        self.end = self.end.saturating_add(run.bytes.len() as u64);
    }

    pub(super) fn consume(&mut self, n: usize) {
        self.read = self.read.saturating_add(n).min(self.bytes.len());
        let off = self.unread_off();
        while self.pieces.front().is_some_and(|piece| piece.end() <= off) {
            self.pieces.pop_front();
        }
        if self.bytes.capacity() > SMALL && self.read > SMALL && self.read >= self.bytes.len() / 2 {
            self.trim_history(HISTORY);
        }
    }

    /// Makes space for more bytes: by dropping read ones if that frees much, else by growing.
    fn reserve(&mut self, more: usize) {
        let gone = self.read.saturating_sub(HISTORY);
        // Moves at most twice the bytes read since the last move.
        if gone >= (self.bytes.len() - gone) / 2 {
            self.bytes.drain(..gone);
            self.read -= gone;
        }
        let needed = self.bytes.len() + more;
        if needed > SMALL {
            self.bytes.grow_to(needed);
        } else if needed > self.bytes.capacity() {
            let capacity = needed.max(2 * self.bytes.capacity()).min(SMALL);
            let more = capacity - self.bytes.len();
            self.bytes.reserve_exact(more);
        }
    }

    /// Continues at `off`, without unread bytes or history.
    pub(super) fn skip_to(&mut self, off: u64) {
        self.bytes.clear();
        self.pieces.clear();
        self.read = 0;
        self.end = off;
    }

    /// Keeps at most `history` read bytes.
    pub(super) fn trim_history(&mut self, history: usize) {
        let gone = self.read.saturating_sub(history);
        self.bytes.drain(..gone);
        self.read -= gone;
        let capacity = if history == 0 { 0 } else { SMALL };
        self.bytes.release(capacity);
        self.pieces.shrink_to(capacity / size_of::<Piece>());
    }

    pub(super) fn pieces(&self, range: Range<u64>) -> impl Iterator<Item = Piece> + '_ {
        let range = range.start.max(self.unread_off())..range.end;
        let first = self.pieces.partition_point(|piece| piece.end() <= range.start);
        self.pieces.iter().skip(first).map_while(move |piece| piece.clip(&range))
    }

    pub(super) fn differing(&self, off: u64, bytes: &[u8]) -> Option<Range<usize>> {
        if off >= self.end {
            return None;
        }
        let held_from = self.end.saturating_sub(self.bytes.len() as u64);
        differing(held_from, &self.bytes, off, bytes)
    }

    pub(super) fn memory_usage(&self) -> usize {
        // Spare capacity was never written, so it takes no memory yet, or it belongs to the pool, which is bounded.
        self.bytes.capacity().min(self.bytes.len() + SMALL) + self.pieces.capacity() * size_of::<Piece>()
    }
}
