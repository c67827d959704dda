//! Reassembly of datagrams from fragments in any order.
//!
//! The first copy of overlapping bytes counts, and differing copies are reported. Incomplete datagrams are returned when
//! they expire, exceed the memory limit, or at the end. The caller supplies the key that identifies a datagram.

use crate::limits;
use crate::tree::{Piece, Time};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// Reassembly timeout in seconds.
const PATIENCE: i64 = 60;

/// Overhead of a fragment in bytes.
const OVERHEAD: usize = 80;

/// Overhead of a datagram in bytes.
const OVERHEAD_OF_ALL: usize = 240;

/// A captured fragment.
#[derive(Debug, Clone, Copy)]
pub struct Fragment<'a> {
    /// Bytes of the datagram before it.
    pub off: u32,
    /// Whether more fragments follow.
    pub more: bool,
    pub bytes: &'a [u8],
    /// The frame that carried it.
    pub frame: u64,
    /// Offset of its bytes in that frame.
    pub at: u32,
    /// Capture time of that frame.
    pub time: Time,
}

/// A datagram, complete or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The received bytes; missing ones are left out.
    pub bytes: Vec<u8>,
    /// Their origin in frames; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
    /// Bytes known to be missing.
    pub missing: u64,
}

/// The result of adding a fragment.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The datagram that it completed.
    pub whole: Option<Joined>,
    /// Bytes of it that contradict an earlier copy.
    pub differing: usize,
}

/// Incomplete datagrams by key.
#[derive(Debug)]
pub struct Fragments<K> {
    waiting: HashMap<K, Datagram, foldhash::fast::RandomState>,
    /// Keys in the order in which the last fragment of each arrived.
    order: BTreeMap<u64, K>,
    arrival: u64,
    held: usize,
}

#[derive(Debug, Default)]
struct Datagram {
    /// Received parts in order of arrival, without overlaps.
    parts: Vec<HeldFragment>,
    /// Offsets and indexes of the parts, sorted by offset.
    sorted: Vec<(u32, u32)>,
    /// Bytes of memory held.
    held: usize,
    /// End of the bytes that are complete from the start.
    reached: u32,
    /// End of the datagram, as the last fragment declares it.
    end: Option<u32>,
    /// Sequence number of the arrival of its last fragment.
    arrival: u64,
    last_time: Time,
}

#[derive(Debug)]
struct HeldFragment {
    off: u32,
    bytes: Vec<u8>,
    frame: u64,
    at: u32,
    time: Time,
}

impl HeldFragment {
    fn end(&self) -> u32 {
        self.off.saturating_add(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX))
    }
}

impl<K> Default for Fragments<K> {
    fn default() -> Self {
        Fragments { waiting: HashMap::default(), order: BTreeMap::new(), arrival: 0, held: 0 }
    }
}

impl<K: Hash + Eq + Copy> Fragments<K> {
    /// Accepts a fragment of the datagram with this key.
    pub fn accept(&mut self, key: K, fragment: &Fragment<'_>) -> Outcome {
        let datagram = self.waiting.entry(key).or_default();
        self.order.remove(&datagram.arrival);
        self.arrival += 1;
        datagram.arrival = self.arrival;
        let before = datagram.held;
        let differing = datagram.insert(fragment);
        self.held = (self.held + datagram.held).saturating_sub(before);
        if !datagram.is_whole() {
            self.order.insert(self.arrival, key);
            return Outcome { whole: None, differing };
        }
        let whole = self.waiting.remove(&key).map(|datagram| {
            self.held = self.held.saturating_sub(datagram.held);
            datagram.joined()
        });
        Outcome { whole, differing }
    }

    /// Whether no datagram is incomplete.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes datagrams that exceed the timeout or the memory limit, with their keys, the oldest first.
    pub fn evict(&mut self, now: Time) -> Vec<(K, Joined)> {
        let mut left = Vec::new();
        while self.held > limits::FRAGMENT_BYTES.get() || self.oldest_is_old(now) {
            let Some(oldest) = self.pop_oldest() else { break };
            left.push(oldest);
        }
        left
    }

    fn oldest_is_old(&self, now: Time) -> bool {
        let oldest = self.order.first_key_value().and_then(|(_, key)| self.waiting.get(key));
        match (now, oldest.and_then(|datagram| datagram.last_time)) {
            (Some(now), Some(then)) => now.seconds.saturating_sub(then.seconds) > PATIENCE,
            _ => false,
        }
    }

    /// Removes the oldest datagram.
    pub fn pop_oldest(&mut self) -> Option<(K, Joined)> {
        let (_, key) = self.order.pop_first()?;
        let datagram = self.waiting.remove(&key)?;
        self.held = self.held.saturating_sub(datagram.held);
        Some((key, datagram.joined()))
    }
}

impl Datagram {
    /// Stores the new bytes of a fragment. Returns how many of the others differ from the stored copy.
    fn insert(&mut self, fragment: &Fragment<'_>) -> usize {
        self.last_time = fragment.time;
        if self.held == 0 {
            self.held = OVERHEAD_OF_ALL;
        }
        let end = fragment.off.saturating_add(u32::try_from(fragment.bytes.len()).unwrap_or(u32::MAX));
        if !fragment.more {
            self.end.get_or_insert(end);
        }
        let mut differs = 0;
        let mut new = Vec::new();
        let mut from = fragment.off;
        let first = self.sorted.partition_point(|(off, _)| *off < fragment.off).saturating_sub(1);
        let overlapped = self.sorted_parts(first).filter(|part| part.end() > fragment.off);
        for part in overlapped.take_while(|part| part.off < end) {
            differs += differing(part, fragment);
            new.extend(cut(fragment, from, part.off));
            from = part.end();
        }
        new.extend(cut(fragment, from, end));
        if self.parts.len() + new.len() <= limits::FRAGMENT_PARTS.get() {
            self.keep(new);
        }
        differs
    }

    /// The parts by offset, from this index.
    fn sorted_parts(&self, first: usize) -> impl Iterator<Item = &HeldFragment> {
        let sorted = self.sorted.get(first..).unwrap_or_default();
        sorted.iter().filter_map(|(_, place)| self.parts.get(*place as usize))
    }

    fn keep(&mut self, new: Vec<HeldFragment>) {
        if self.parts.is_empty() {
            self.parts.reserve_exact(new.len());
        }
        for part in new {
            let place = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
            let before = self.sorted.partition_point(|(off, _)| *off < part.off);
            self.sorted.insert(before, (part.off, place));
            self.held += part.bytes.capacity() + OVERHEAD;
            self.parts.push(part);
        }
        let next = self.sorted.partition_point(|(off, _)| *off < self.reached);
        let adjoining = |reached: &mut u32, part: &HeldFragment| (part.off <= *reached).then(|| *reached = part.end());
        let mut reached = self.reached;
        self.sorted_parts(next).map_while(|part| adjoining(&mut reached, part)).for_each(drop);
        self.reached = reached;
    }

    fn is_whole(&self) -> bool {
        self.end.is_some_and(|end| self.reached >= end)
    }

    fn joined(self) -> Joined {
        let mut joined = Joined { bytes: Vec::new(), pieces: Vec::new(), missing: 0 };
        let mut reached = 0;
        for part in self.sorted_parts(0) {
            let off = joined.bytes.len() as u64;
            let len = u32::try_from(part.bytes.len()).unwrap_or(u32::MAX);
            joined.missing += u64::from(part.off.saturating_sub(reached));
            joined.pieces.push(Piece { off, len, frame: part.frame, at: part.at, time: part.time });
            joined.bytes.extend_from_slice(&part.bytes);
            reached = part.end();
        }
        joined.missing += u64::from(self.end.unwrap_or(reached).saturating_sub(reached));
        joined
    }
}

/// Bytes of a fragment between two offsets of the datagram.
fn cut(fragment: &Fragment<'_>, from: u32, to: u32) -> Option<HeldFragment> {
    let start = from.checked_sub(fragment.off)?;
    let bytes = fragment.bytes.get(start as usize..to.checked_sub(fragment.off)? as usize)?;
    let part = HeldFragment {
        off: from,
        bytes: bytes.to_vec(),
        frame: fragment.frame,
        at: fragment.at.saturating_add(start),
        time: fragment.time,
    };
    Some(part).filter(|part| !part.bytes.is_empty())
}

/// Number of bytes of a fragment that differ from a part at the same offset.
fn differing(part: &HeldFragment, fragment: &Fragment<'_>) -> usize {
    let old = part.bytes.get(fragment.off.saturating_sub(part.off) as usize..).unwrap_or_default();
    let new = fragment.bytes.get(part.off.saturating_sub(fragment.off) as usize..).unwrap_or_default();
    old.iter().zip(new).filter(|(old, new)| old != new).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Timestamp;
    use proptest::prelude::*;

    fn fragment(off: u32, more: bool, bytes: &[u8], frame: u64) -> Fragment<'_> {
        Fragment { off, more, bytes, frame, at: 34, time: None }
    }

    #[test]
    fn fragments_arrive_in_any_order() {
        let mut fragments = Fragments::default();
        assert!(fragments.accept(1, &fragment(8, false, b"ij", 1)).whole.is_none());
        let whole = fragments.accept(1, &fragment(0, true, b"abcdefgh", 2)).whole.unwrap();
        assert_eq!(whole.bytes, b"abcdefghij");
        assert_eq!(whole.pieces.iter().map(|piece| (piece.off, piece.frame)).collect::<Vec<_>>(), [(0, 2), (8, 1)]);
        assert_eq!((whole.missing, fragments.held), (0, 0));
    }

    #[test]
    fn the_first_copy_of_a_byte_counts_and_another_is_reported() {
        let mut fragments = Fragments::default();
        fragments.accept(1, &fragment(0, true, b"abcdefgh", 1));
        let outcome = fragments.accept(1, &fragment(4, false, b"eXghij", 2));
        assert_eq!(outcome.differing, 1);
        let whole = outcome.whole.unwrap();
        assert_eq!(whole.bytes, b"abcdefghij");
        assert_eq!(whole.pieces[1].at, 34 + 4);
    }

    #[test]
    fn fragments_with_other_keys_are_not_joined() {
        let mut fragments = Fragments::default();
        fragments.accept(1, &fragment(0, true, b"abcdefgh", 1));
        assert!(fragments.accept(2, &fragment(8, false, b"ij", 2)).whole.is_none());
        assert_eq!(std::iter::from_fn(|| fragments.pop_oldest()).count(), 2);
    }

    #[test]
    fn incomplete_packets_are_returned() {
        let mut fragments = Fragments::default();
        let time = |seconds| Some(Timestamp { seconds, nanos: 0 });
        fragments.accept(1, &Fragment { time: time(100), ..fragment(0, true, b"abcdefgh", 1) });
        fragments.accept(1, &Fragment { time: time(101), ..fragment(16, false, b"q", 2) });
        assert!(fragments.evict(time(161)).is_empty());
        let [(key, left)] = &fragments.evict(time(162))[..] else { panic!("one") };
        assert_eq!((*key, left.bytes.as_slice(), left.missing), (1, &b"abcdefghq"[..], 8));
        assert_eq!(fragments.held, 0);
    }

    #[test]
    fn memory_is_bounded() {
        let mut fragments = Fragments::default();
        let bytes = vec![0; 60_000];
        let mut handed_back = 0;
        for key in 0..1000 {
            fragments.accept(key, &fragment(0, true, &bytes, key));
            handed_back += fragments.evict(None).len();
            assert!(fragments.held <= limits::FRAGMENT_BYTES.get());
        }
        assert_eq!(handed_back + std::iter::from_fn(|| fragments.pop_oldest()).count(), 1000);
    }

    #[test]
    fn fragments_without_bytes_take_memory_as_well() {
        let mut fragments = Fragments::default();
        for key in 0..200_000_u32 {
            fragments.accept(key, &fragment(8, true, b"", key.into()));
            fragments.evict(None);
        }
        assert!(fragments.waiting.len() * OVERHEAD_OF_ALL <= limits::FRAGMENT_BYTES.get(), "{}", fragments.waiting.len());
        assert_eq!(fragments.waiting.len(), fragments.order.len());
    }

    #[test]
    fn the_latest_packet_is_evicted_last() {
        let mut fragments = Fragments::default();
        for (key, frame) in [(1, 1), (2, 2), (1, 3)] {
            fragments.accept(key, &fragment(u32::try_from(frame).unwrap() * 8, true, b"abcdefgh", frame));
        }
        assert_eq!(std::iter::from_fn(|| fragments.pop_oldest()).map(|(key, _)| key).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((fragments.held, fragments.order.len()), (0, 0));
    }

    proptest! {
        #[test]
        fn any_order_and_any_overlap_gives_the_datagram(
            len in 1_usize..400,
            cuts in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..100), 0..30),
        ) {
            let bytes: Vec<u8> = (0..len).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut fragments = Fragments::default();
            let mut whole = None;
            let fixed = [(0, len)];
            let parts = cuts.iter().map(|(at, len)| (at.index(bytes.len()), *len)).chain(fixed);
            for (number, (at, part)) in (1..).zip(parts) {
                let end = (at + part).min(len);
                let off = u32::try_from(at).unwrap();
                let outcome = fragments.accept(7, &fragment(off, end < len, &bytes[at..end], number));
                prop_assert_eq!(outcome.differing, 0);
                if let Some(joined) = outcome.whole {
                    whole = Some(joined);
                    break;
                }
            }
            let whole = whole.unwrap();
            let reached = whole.pieces.iter().fold(0, |at, piece| { assert_eq!(piece.off, at); piece.end() });
            prop_assert_eq!(reached, len as u64);
            prop_assert_eq!(whole.bytes, bytes);
        }
    }
}
