//! Reassembly of messages that datagrams carry in numbered parts, in any order of the parts.

use crate::limits::{self, Limit};
use crate::tree::{Piece, Time};
use std::collections::BTreeMap;

/// Maximum parts of a message.
pub const COUNT_MAX: u32 = 8192;

/// Overhead of a part besides its bytes.
const OVERHEAD: usize = 64;

/// Reassembly timeout in seconds since the last part.
const TIMEOUT: i64 = 60;

/// Part of a message.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The message.
    pub id: u64,
    /// The number of parts.
    pub count: u32,
    /// The number of this one, from 0.
    pub index: u32,
    pub bytes: &'a [u8],
    /// Its origin in frames; offsets count in `bytes`.
    pub pieces: &'a [Piece],
}

/// Reassembled message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    pub bytes: Vec<u8>,
    /// Origin of its parts in frames; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
}

/// Result of adding a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
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
#[derive(Debug, Clone)]
pub struct ReassemblyTable {
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

/// How much a message has in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Parts(u32),
    Bytes(u32),
}

#[derive(Debug, Clone)]
struct PartialMessage {
    id: u64,
    extent: Extent,
    /// By number, or by offset.
    parts: BTreeMap<u32, (Vec<u8>, Vec<Piece>)>,
    /// Number of bytes.
    bytes: usize,
    /// Memory in bytes.
    buffered: usize,
    latest: Time,
}

/// An evicted message: its ID, received parts and total parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvictedMessage {
    /// The message.
    pub id: u64,
    /// The number of parts received.
    pub received: usize,
    /// The number of parts, or of bytes.
    pub count: u32,
}

impl ReassemblyTable {
    /// Creates a table with its own limits.
    pub const fn limited(max_messages: &'static Limit, max_memory: &'static Limit) -> ReassemblyTable {
        ReassemblyTable { partial: Vec::new(), buffered: 0, max_messages, max_memory }
    }

    /// Approximate memory in bytes.
    pub fn memory_usage(&self) -> usize {
        self.buffered + self.partial.capacity() * size_of::<PartialMessage>()
    }

    /// Whether parts of this message are buffered.
    pub fn waits_for(&self, id: u64, count: u32) -> bool {
        self.partial.iter().any(|message| message.id == id && message.extent == Extent::Parts(count))
    }

    /// Adds a part whose index is below its count. Evicted messages are passed to `on_evict`.
    pub fn add(&mut self, part: Part<'_>, on_evict: impl FnMut(EvictedMessage, Joined)) -> Added {
        self.add_to(Extent::Parts(part.count), part, on_evict)
    }

    /// Adds a part that begins `part.index` bytes after the beginning of a message of `part.count` bytes, and has at least one.
    pub fn add_at(&mut self, part: Part<'_>, on_evict: impl FnMut(EvictedMessage, Joined)) -> Added {
        self.add_to(Extent::Bytes(part.count), part, on_evict)
    }

    fn add_to(&mut self, extent: Extent, part: Part<'_>, mut on_evict: impl FnMut(EvictedMessage, Joined)) -> Added {
        let place = self.partial.iter().position(|message| message.id == part.id);
        let mut message = match place.map(|place| self.partial.remove(place)) {
            Some(message) if message.extent == extent => message,
            other => {
                if let Some(old) = other {
                    self.buffered -= old.buffered;
                    on_evict(old.evicted(), old.join());
                }
                PartialMessage { id: part.id, extent, parts: BTreeMap::new(), bytes: 0, buffered: 0, latest: time(&part) }
            }
        };
        let added = message.place_of(&part);
        if added == Added::Incomplete {
            let cost = part.bytes.len() + OVERHEAD;
            message.bytes += part.bytes.len();
            message.buffered += cost;
            self.buffered += cost;
            message.latest = time(&part);
            message.parts.insert(part.index, (part.bytes.to_vec(), part.pieces.to_vec()));
        }
        if message.is_complete() {
            self.buffered -= message.buffered;
            return Added::Complete(message.join());
        }
        self.partial.push(message);
        while self.partial.len() > self.max_messages.get() || self.buffered > self.max_memory.get() {
            self.evict(0, &mut on_evict);
        }
        added
    }

    pub fn remove(&mut self, id: u64) -> Option<(EvictedMessage, Joined)> {
        let place = self.partial.iter().position(|message| message.id == id)?;
        let message = self.partial.remove(place);
        self.buffered -= message.buffered;
        Some((message.evicted(), message.join()))
    }

    /// The message whose last part is the oldest.
    pub fn oldest(&self) -> Option<u64> {
        self.partial.first().map(|message| message.id)
    }

    /// Evicts messages without a recent part.
    pub fn expire(&mut self, now: Time, mut on_evict: impl FnMut(EvictedMessage, Joined)) {
        let is_old = |message: &PartialMessage| match (now, message.latest) {
            (Some(now), Some(latest)) => now.seconds.saturating_sub(latest.seconds) > TIMEOUT,
            _ => false,
        };
        while let Some(place) = self.partial.iter().position(is_old) {
            self.evict(place, &mut on_evict);
        }
    }

    /// Removes and returns all incomplete messages.
    pub fn drain(&mut self) -> impl Iterator<Item = (EvictedMessage, Joined)> + '_ {
        self.buffered = 0;
        self.partial.drain(..).map(|message| (message.evicted(), message.join()))
    }

    fn evict(&mut self, place: usize, on_evict: &mut impl FnMut(EvictedMessage, Joined)) {
        if place < self.partial.len() {
            let message = self.partial.remove(place);
            self.buffered -= message.buffered;
            on_evict(message.evicted(), message.join());
        }
    }
}

/// The capture time of a part.
fn time(part: &Part<'_>) -> Time {
    part.pieces.first().and_then(|piece| piece.time)
}

impl PartialMessage {
    fn is_complete(&self) -> bool {
        match self.extent {
            Extent::Parts(count) => self.parts.len() == count as usize,
            Extent::Bytes(total) => self.bytes == total as usize,
        }
    }

    /// Whether a part is new, or what it is else.
    fn place_of(&self, part: &Part<'_>) -> Added {
        match (self.parts.get(&part.index), self.extent) {
            (Some((bytes, _)), _) if bytes == part.bytes => Added::Duplicate,
            (Some(_), _) => Added::Conflict,
            (None, Extent::Parts(_)) => Added::Incomplete,
            (None, Extent::Bytes(total)) => {
                let (start, end) = (u64::from(part.index), u64::from(part.index) + part.bytes.len() as u64);
                let before = self.parts.range(..part.index).next_back();
                let overlaps = before.is_some_and(|(at, (bytes, _))| u64::from(*at) + bytes.len() as u64 > start)
                    || self.parts.range(part.index..).next().is_some_and(|(at, _)| u64::from(*at) < end);
                if overlaps || end > total.into() { Added::Conflict } else { Added::Incomplete }
            }
        }
    }

    fn evicted(&self) -> EvictedMessage {
        let (Extent::Parts(count) | Extent::Bytes(count)) = self.extent;
        EvictedMessage { id: self.id, received: self.parts.len(), count }
    }

    fn join(self) -> Joined {
        let mut joined = Joined { bytes: Vec::with_capacity(self.bytes), pieces: Vec::with_capacity(self.parts.len()) };
        for (bytes, pieces) in self.parts.into_values() {
            joined.add(&bytes, &pieces);
        }
        joined
    }
}

impl Joined {
    /// Appends bytes with their origin.
    pub(super) fn add(&mut self, bytes: &[u8], pieces: &[Piece]) {
        let before = self.bytes.len() as u64;
        self.pieces.extend(pieces.iter().map(|piece| Piece { off: before + piece.off, ..*piece }));
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Timestamp;
    use proptest::prelude::*;

    fn take(splits: &mut ReassemblyTable, part: (u64, u32, u32, &[u8], i64)) -> (Added, Vec<u64>) {
        let (id, count, index, bytes, seconds) = part;
        let len = u32::try_from(bytes.len()).unwrap();
        let time = Some(Timestamp { seconds, nanos: 0 });
        let pieces = [Piece { off: 0, len, frame: u64::from(index), at: 40, time }];
        let mut evictions = Vec::new();
        let part = Part { id, count, index, bytes, pieces: &pieces };
        (splits.add(part, |evicted, _| evictions.push(evicted.id)), evictions)
    }

    fn part(id: u64, count: u32, index: u32, bytes: &[u8], seconds: i64) -> (u64, u32, u32, &[u8], i64) {
        (id, count, index, bytes, seconds)
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
        splits.expire(Some(Timestamp { seconds: 61, nanos: 0 }), |evicted, _| on_evict.push(evicted.id));
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
