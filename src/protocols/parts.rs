//! Reassembly of messages that datagrams carry in numbered parts, in any order of the parts.

use crate::limits::{self, Limit};
use crate::tree::{Piece, Time};
use std::collections::BTreeMap;

/// Maximum parts of a message.
pub(super) const COUNT_MAX: u32 = 8192;

/// Overhead of a part besides its bytes.
const OVERHEAD: usize = 64;

/// Reassembly timeout in seconds since the last part.
const TIMEOUT: i64 = 60;

/// Part of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub id: u64,
    pub count: u32,
    pub index: u32,
    pub bytes: &'a [u8],
    /// Its origin in frames.
    pub piece: Piece,
}

/// Reassembled message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joined {
    pub bytes: Vec<u8>,
    /// Origin of its parts in frames; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
}

/// Result of adding a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Added {
    /// Other parts are missing.
    Incomplete,
    /// Retransmission.
    Duplicate,
    /// Different bytes at the same index.
    Conflict,
    /// The message is complete.
    Complete(Joined),
}

/// Incomplete messages of one side.
#[derive(Debug)]
pub(super) struct ReassemblyTable {
    /// Sorted by the time of the last part.
    partial: Vec<PartialMessage>,
    buffered: usize,
    /// Limit on the number of messages.
    max_messages: &'static Limit,
    /// Limit on their memory.
    max_memory: &'static Limit,
}

impl Default for ReassemblyTable {
    fn default() -> ReassemblyTable {
        ReassemblyTable::limited(&limits::PARTS_MESSAGES, &limits::PARTS_MEMORY)
    }
}

#[derive(Debug)]
struct PartialMessage {
    id: u64,
    count: u32,
    parts: BTreeMap<u32, (Vec<u8>, Piece)>,
    buffered: usize,
    latest: Time,
}

/// An evicted message: its ID, received parts and total parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvictedMessage {
    pub id: u64,
    pub received: usize,
    pub count: u32,
}

impl ReassemblyTable {
    /// Creates a table with its own limits.
    pub(super) const fn limited(max_messages: &'static Limit, max_memory: &'static Limit) -> ReassemblyTable {
        ReassemblyTable { partial: Vec::new(), buffered: 0, max_messages, max_memory }
    }

    /// Approximate memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.buffered + self.partial.capacity() * size_of::<PartialMessage>()
    }

    /// Whether parts of this message are buffered.
    pub(super) fn waits_for(&self, id: u64, count: u32) -> bool {
        self.partial.iter().any(|message| message.id == id && message.count == count)
    }

    /// Adds a part whose index is below its count. Evicted messages are passed to `on_evict`.
    pub(super) fn add(&mut self, part: Part<'_>, mut on_evict: impl FnMut(EvictedMessage)) -> Added {
        let place = self.partial.iter().position(|message| message.id == part.id);
        let mut message = match place.map(|place| self.partial.remove(place)) {
            Some(message) if message.count == part.count => message,
            other => {
                if let Some(old) = other {
                    self.buffered -= old.buffered;
                    on_evict(old.evicted());
                }
                PartialMessage { id: part.id, count: part.count, parts: BTreeMap::new(), buffered: 0, latest: part.piece.time }
            }
        };
        let added = match message.parts.get(&part.index) {
            Some((bytes, _)) if bytes == part.bytes => Added::Duplicate,
            Some(_) => Added::Conflict,
            None => {
                let cost = part.bytes.len() + OVERHEAD;
                message.buffered += cost;
                self.buffered += cost;
                message.latest = part.piece.time;
                message.parts.insert(part.index, (part.bytes.to_vec(), part.piece));
                Added::Incomplete
            }
        };
        if message.parts.len() == message.count as usize {
            self.buffered -= message.buffered;
            return Added::Complete(message.join());
        }
        self.partial.push(message);
        while self.partial.len() > self.max_messages.get() || self.buffered > self.max_memory.get() {
            self.evict(0, &mut on_evict);
        }
        added
    }

    /// Evicts messages without a recent part.
    pub(super) fn expire(&mut self, now: Time, mut on_evict: impl FnMut(EvictedMessage)) {
        let is_old = |message: &PartialMessage| match (now, message.latest) {
            (Some(now), Some(latest)) => now.seconds.saturating_sub(latest.seconds) > TIMEOUT,
            _ => false,
        };
        while let Some(place) = self.partial.iter().position(is_old) {
            self.evict(place, &mut on_evict);
        }
    }

    /// Removes and returns all incomplete messages.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (EvictedMessage, Joined)> + '_ {
        self.buffered = 0;
        self.partial.drain(..).map(|message| (message.evicted(), message.join()))
    }

    fn evict(&mut self, place: usize, on_evict: &mut impl FnMut(EvictedMessage)) {
        if place < self.partial.len() {
            let message = self.partial.remove(place);
            self.buffered -= message.buffered;
            on_evict(message.evicted());
        }
    }
}

impl PartialMessage {
    fn evicted(&self) -> EvictedMessage {
        EvictedMessage { id: self.id, received: self.parts.len(), count: self.count }
    }

    fn join(self) -> Joined {
        let mut joined = Joined { bytes: Vec::with_capacity(self.buffered), pieces: Vec::with_capacity(self.parts.len()) };
        for (bytes, piece) in self.parts.into_values() {
            joined.pieces.push(Piece { off: joined.bytes.len() as u64, ..piece });
            joined.bytes.extend(bytes);
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Timestamp;
    use proptest::prelude::*;

    fn part(id: u64, count: u32, index: u32, bytes: &[u8], seconds: i64) -> Part<'_> {
        let len = u32::try_from(bytes.len()).unwrap();
        let time = Some(Timestamp { seconds, nanos: 0 });
        Part { id, count, index, bytes, piece: Piece { off: 0, len, frame: u64::from(index), at: 40, time } }
    }

    fn take(splits: &mut ReassemblyTable, part: Part<'_>) -> (Added, Vec<u64>) {
        let mut on_evict = Vec::new();
        (splits.add(part, |evicted| on_evict.push(evicted.id)), on_evict)
    }

    #[test]
    fn parts_are_joined_by_their_index() {
        let mut splits = ReassemblyTable::default();
        assert_eq!(take(&mut splits, part(1, 3, 2, b"c", 0)).0, Added::Incomplete);
        assert_eq!(take(&mut splits, part(1, 3, 0, b"aa", 0)).0, Added::Incomplete);
        assert_eq!(take(&mut splits, part(1, 3, 0, b"aa", 0)).0, Added::Duplicate);
        assert_eq!(take(&mut splits, part(1, 3, 0, b"ab", 0)).0, Added::Conflict);
        let (Added::Complete(joined), on_evict) = take(&mut splits, part(1, 3, 1, b"b", 0)) else { panic!("not whole") };
        assert_eq!((&joined.bytes[..], on_evict.len(), splits.buffered), (&b"aabc"[..], 0, 0));
        let places: Vec<(u64, u32, u64)> = joined.pieces.iter().map(|piece| (piece.off, piece.len, piece.frame)).collect();
        assert_eq!(places, [(0, 2, 0), (2, 1, 1), (3, 1, 2)]);
    }

    #[test]
    fn incomplete_messages_are_bounded() {
        let mut splits = ReassemblyTable::default();
        for id in 0..64 {
            assert_eq!(take(&mut splits, part(id, 2, 0, b"a", 0)).1, [0_u64; 0]);
        }
        // The message with the oldest last part is evicted.
        assert_eq!(take(&mut splits, part(0, 2, 0, b"a", 0)), (Added::Duplicate, vec![]));
        assert_eq!(take(&mut splits, part(64, 2, 0, b"a", 0)).1, [1]);
        assert_eq!(splits.partial.len(), limits::PARTS_MESSAGES.get());
    }

    #[test]
    fn buffered_bytes_are_bounded() {
        let mut splits = ReassemblyTable::default();
        let bytes = [0; 0xffff];
        let mut on_evict = Vec::new();
        for index in 0..200 {
            on_evict.extend(take(&mut splits, part(u64::from(index / 20), 8192, index % 20, &bytes, 0)).1);
            assert!(splits.buffered <= limits::PARTS_MEMORY.get());
        }
        assert_eq!(on_evict, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn incomplete_messages_expire() {
        let mut splits = ReassemblyTable::default();
        take(&mut splits, part(1, 2, 0, b"a", 0));
        take(&mut splits, part(2, 2, 0, b"a", 50));
        let mut on_evict = Vec::new();
        splits.expire(Some(Timestamp { seconds: 61, nanos: 0 }), |evicted| on_evict.push(evicted.id));
        assert_eq!(on_evict, [1]);
        assert_eq!(splits.drain().map(|(evicted, joined)| (evicted.id, joined.bytes)).collect::<Vec<_>>(), [(2, b"a".to_vec())]);
    }

    proptest! {
        #[test]
        fn buffered_parts_are_counted(parts in proptest::collection::vec((0_u64..5, 1_u32..5, 0_u32..5, 0_usize..40), 0..100)) {
            let mut splits = ReassemblyTable::default();
            let bytes = [7; 40];
            for (id, count, index, len) in parts {
                if index < count {
                    take(&mut splits, part(id, count, index, &bytes[..len], 0));
                }
                let buffered: usize = splits.partial.iter().map(|message| message.buffered).sum();
                prop_assert_eq!(splits.buffered, buffered);
            }
        }
    }
}
