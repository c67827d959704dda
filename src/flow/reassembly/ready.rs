//! The bytes that are in order: the unread ones and, before them, the last that were read.

use super::pool::Block;
use super::{Piece, Run, differing};
use std::collections::VecDeque;
use std::ops::Range;

/// Read bytes that stay, so that an immediate retransmission with other bytes is noticed: two segments of the usual size.
const HISTORY: usize = 3 * 1024;

/// Capacity for messages that are read as they come. It stays when a large one has been read.
const ROOM: usize = 8 * 1024;

#[derive(Debug, Default)]
pub(super) struct Ready {
    bytes: Block,
    read: usize,
    end: u64,
    pieces: VecDeque<Piece>,
}

impl Ready {
    /// The stream offset of the next byte wanted.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn unread(&self) -> &[u8] {
        self.bytes.get(self.read..).unwrap_or_default()
    }

    pub(super) fn unread_off(&self) -> u64 {
        self.end.saturating_sub(self.unread().len() as u64)
    }

    /// `run` starts at `end()`.
    pub(super) fn append(&mut self, run: &Run<'_>) {
        if self.bytes.capacity() - self.bytes.len() < run.bytes.len() {
            self.evict(run.bytes.len());
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
        if self.bytes.capacity() > ROOM && self.read > ROOM && self.read >= self.bytes.len() / 2 {
            self.forget(HISTORY);
        }
    }

    /// Make room for so many bytes more: by forgetting read ones if that gives much, else by growing.
    fn evict(&mut self, more: usize) {
        let gone = self.read.saturating_sub(HISTORY);
        // No more is moved than twice what was read since the last time.
        if gone >= (self.bytes.len() - gone) / 2 {
            self.bytes.drain(..gone);
            self.read -= gone;
        }
        let needed = self.bytes.len() + more;
        if needed > ROOM {
            self.bytes.grow_to(needed);
        } else if needed > self.bytes.capacity() {
            let room = needed.max(2 * self.bytes.capacity()).min(ROOM);
            let more = room - self.bytes.len();
            self.bytes.reserve_exact(more);
        }
    }

    /// Goes on at `off`, with nothing unread and nothing remembered.
    pub(super) fn skip_to(&mut self, off: u64) {
        self.bytes.clear();
        self.pieces.clear();
        self.read = 0;
        self.end = off;
    }

    /// Keeps no more than `history` of the bytes that were read.
    pub(super) fn forget(&mut self, history: usize) {
        let gone = self.read.saturating_sub(history);
        self.bytes.drain(..gone);
        self.read -= gone;
        let room = if history == 0 { 0 } else { ROOM };
        self.bytes.give_back(room);
        self.pieces.shrink_to(room / size_of::<Piece>());
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

    pub(super) fn held(&self) -> usize {
        // Spare capacity was never written to, so it takes no memory yet, or is of the blocks that are lent, which are few.
        self.bytes.capacity().min(self.bytes.len() + ROOM) + self.pieces.capacity() * size_of::<Piece>()
    }
}
