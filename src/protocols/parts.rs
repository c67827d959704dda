//! Reassembly of messages that datagrams carry in numbered parts, in any order of the parts.

use crate::limits::{self, Limit};
use crate::tree::{Piece, Time};
use std::collections::BTreeMap;

/// Maximum parts of a message.
pub(super) const COUNT_MAX: u32 = 8192;

/// Overhead of a part besides its bytes.
const OVERHEAD: usize = 64;

/// Reassembly timeout in seconds since the last part.
const PATIENCE: i64 = 60;

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
pub(super) enum Took {
    /// Other parts are missing.
    Waits,
    /// Retransmission.
    Repeated,
    /// Different bytes at the same index.
    Conflict,
    /// The message is complete.
    Whole(Joined),
}

/// Incomplete messages of one side.
#[derive(Debug)]
pub(super) struct Splits {
    /// Sorted by the time of the last part.
    sets: Vec<Set>,
    held: usize,
    /// Limit on the number of messages.
    messages: &'static Limit,
    /// Limit on their memory.
    memory: &'static Limit,
}

impl Default for Splits {
    fn default() -> Splits {
        Splits::limited(&limits::PARTS_MESSAGES, &limits::PARTS_MEMORY)
    }
}

#[derive(Debug)]
struct Set {
    id: u64,
    count: u32,
    parts: BTreeMap<u32, (Vec<u8>, Piece)>,
    held: usize,
    latest: Time,
}

/// An evicted message: its ID, received parts and total parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Given {
    pub id: u64,
    pub came: usize,
    pub count: u32,
}

impl Splits {
    /// Creates a table with its own limits.
    pub(super) const fn limited(messages: &'static Limit, memory: &'static Limit) -> Splits {
        Splits { sets: Vec::new(), held: 0, messages, memory }
    }

    /// Approximate memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.held + self.sets.capacity() * size_of::<Set>()
    }

    /// Whether parts of this message are buffered.
    pub(super) fn waits_for(&self, id: u64, count: u32) -> bool {
        self.sets.iter().any(|set| set.id == id && set.count == count)
    }

    /// Adds a part whose index is below its count. Evicted messages are passed to `lost`.
    pub(super) fn take(&mut self, part: Part<'_>, mut lost: impl FnMut(Given)) -> Took {
        let place = self.sets.iter().position(|set| set.id == part.id);
        let mut set = match place.map(|place| self.sets.remove(place)) {
            Some(set) if set.count == part.count => set,
            other => {
                if let Some(old) = other {
                    self.held -= old.held;
                    lost(old.given());
                }
                Set { id: part.id, count: part.count, parts: BTreeMap::new(), held: 0, latest: part.piece.time }
            }
        };
        let took = match set.parts.get(&part.index) {
            Some((bytes, _)) if bytes == part.bytes => Took::Repeated,
            Some(_) => Took::Conflict,
            None => {
                let cost = part.bytes.len() + OVERHEAD;
                set.held += cost;
                self.held += cost;
                set.latest = part.piece.time;
                set.parts.insert(part.index, (part.bytes.to_vec(), part.piece));
                Took::Waits
            }
        };
        if set.parts.len() == set.count as usize {
            self.held -= set.held;
            return Took::Whole(set.join());
        }
        self.sets.push(set);
        while self.sets.len() > self.messages.get() || self.held > self.memory.get() {
            self.give_up(0, &mut lost);
        }
        took
    }

    /// Evicts messages without a recent part.
    pub(super) fn expire(&mut self, now: Time, mut lost: impl FnMut(Given)) {
        let is_old = |set: &Set| match (now, set.latest) {
            (Some(now), Some(latest)) => now.seconds.saturating_sub(latest.seconds) > PATIENCE,
            _ => false,
        };
        while let Some(place) = self.sets.iter().position(is_old) {
            self.give_up(place, &mut lost);
        }
    }

    /// Removes and returns all incomplete messages.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (Given, Joined)> + '_ {
        self.held = 0;
        self.sets.drain(..).map(|set| (set.given(), set.join()))
    }

    fn give_up(&mut self, place: usize, lost: &mut impl FnMut(Given)) {
        if place < self.sets.len() {
            let set = self.sets.remove(place);
            self.held -= set.held;
            lost(set.given());
        }
    }
}

impl Set {
    fn given(&self) -> Given {
        Given { id: self.id, came: self.parts.len(), count: self.count }
    }

    fn join(self) -> Joined {
        let mut joined = Joined { bytes: Vec::with_capacity(self.held), pieces: Vec::with_capacity(self.parts.len()) };
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

    fn take(splits: &mut Splits, part: Part<'_>) -> (Took, Vec<u64>) {
        let mut lost = Vec::new();
        (splits.take(part, |given| lost.push(given.id)), lost)
    }

    #[test]
    fn parts_are_joined_by_their_index() {
        let mut splits = Splits::default();
        assert_eq!(take(&mut splits, part(1, 3, 2, b"c", 0)).0, Took::Waits);
        assert_eq!(take(&mut splits, part(1, 3, 0, b"aa", 0)).0, Took::Waits);
        assert_eq!(take(&mut splits, part(1, 3, 0, b"aa", 0)).0, Took::Repeated);
        assert_eq!(take(&mut splits, part(1, 3, 0, b"ab", 0)).0, Took::Conflict);
        let (Took::Whole(joined), lost) = take(&mut splits, part(1, 3, 1, b"b", 0)) else { panic!("not whole") };
        assert_eq!((&joined.bytes[..], lost.len(), splits.held), (&b"aabc"[..], 0, 0));
        let places: Vec<(u64, u32, u64)> = joined.pieces.iter().map(|piece| (piece.off, piece.len, piece.frame)).collect();
        assert_eq!(places, [(0, 2, 0), (2, 1, 1), (3, 1, 2)]);
    }

    #[test]
    fn incomplete_messages_are_bounded() {
        let mut splits = Splits::default();
        for id in 0..64 {
            assert_eq!(take(&mut splits, part(id, 2, 0, b"a", 0)).1, [0_u64; 0]);
        }
        // The message with the oldest last part is evicted.
        assert_eq!(take(&mut splits, part(0, 2, 0, b"a", 0)), (Took::Repeated, vec![]));
        assert_eq!(take(&mut splits, part(64, 2, 0, b"a", 0)).1, [1]);
        assert_eq!(splits.sets.len(), limits::PARTS_MESSAGES.get());
    }

    #[test]
    fn buffered_bytes_are_bounded() {
        let mut splits = Splits::default();
        let bytes = [0; 0xffff];
        let mut lost = Vec::new();
        for index in 0..200 {
            lost.extend(take(&mut splits, part(u64::from(index / 20), 8192, index % 20, &bytes, 0)).1);
            assert!(splits.held <= limits::PARTS_MEMORY.get());
        }
        assert_eq!(lost, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn incomplete_messages_expire() {
        let mut splits = Splits::default();
        take(&mut splits, part(1, 2, 0, b"a", 0));
        take(&mut splits, part(2, 2, 0, b"a", 50));
        let mut lost = Vec::new();
        splits.expire(Some(Timestamp { seconds: 61, nanos: 0 }), |given| lost.push(given.id));
        assert_eq!(lost, [1]);
        assert_eq!(splits.drain().map(|(given, joined)| (given.id, joined.bytes)).collect::<Vec<_>>(), [(2, b"a".to_vec())]);
    }

    proptest! {
        #[test]
        fn buffered_parts_are_counted(parts in proptest::collection::vec((0_u64..5, 1_u32..5, 0_u32..5, 0_usize..40), 0..100)) {
            let mut splits = Splits::default();
            let bytes = [7; 40];
            for (id, count, index, len) in parts {
                if index < count {
                    take(&mut splits, part(id, count, index, &bytes[..len], 0));
                }
                let held: usize = splits.sets.iter().map(|set| set.held).sum();
                prop_assert_eq!(splits.held, held);
            }
        }
    }
}
