//! Reassembly of handshake messages from fragments, which arrive in any order and may overlap.

use crate::tree::Piece;

/// Maximum number of incomplete messages of one side.
const MAX_MESSAGES: usize = 16;

/// Maximum number of fragments of one message. The largest message needs fewer at any usual packet size.
const MAX_PARTS: usize = 512;

/// A fragment of a message.
pub(super) struct Fragment {
    /// Sequence number, type and length of the message.
    pub(super) message: (u16, u8, usize),
    pub(super) offset: usize,
    pub(super) bytes: Vec<u8>,
    /// Positions of the bytes in the capture; offsets are relative to the message.
    pub(super) pieces: Vec<Piece>,
}

/// A reassembled message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) bytes: Vec<u8>,
    pub(super) pieces: Vec<Piece>,
    /// Frame numbers of the fragments.
    pub(super) frames: Vec<u64>,
}

/// Incomplete messages of one side, the oldest first.
#[derive(Default)]
pub(super) struct Fragments {
    messages: Vec<Vec<Fragment>>,
}

impl Fragments {
    /// Adds a fragment. Returns the message if it is complete, and whether a fragment was evicted or dropped.
    pub(super) fn take(&mut self, fragment: Fragment) -> (Option<Joined>, bool) {
        let known = self.messages.iter().position(|parts| parts.first().is_some_and(|part| part.message == fragment.message));
        let mut evicts = known.is_none() && self.messages.len() >= MAX_MESSAGES;
        if evicts {
            self.messages.remove(0);
        }
        let place = known.unwrap_or_else(|| {
            self.messages.push(Vec::new());
            self.messages.len() - 1
        });
        let Some(parts) = self.messages.get_mut(place) else { return (None, evicts) };
        let end = fragment.offset + fragment.bytes.len();
        let is_known = parts.iter().any(|part| part.offset <= fragment.offset && part.offset + part.bytes.len() >= end);
        let (.., length) = fragment.message;
        let held: usize = parts.iter().map(|part| part.bytes.len()).sum();
        // Fragments of one sender overlap only if it changed their size.
        let has_room = parts.len() < MAX_PARTS && held + fragment.bytes.len() <= 2 * length;
        evicts |= !is_known && !has_room;
        if !is_known && has_room {
            let place = parts.partition_point(|part| part.offset <= fragment.offset);
            parts.insert(place, fragment);
        }
        let joined = join(parts);
        if joined.is_some() {
            self.messages.remove(place);
        }
        (joined, evicts)
    }

    /// Approximate heap memory use in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        let of = |part: &Fragment| size_of::<Fragment>() + part.bytes.capacity() + part.pieces.capacity() * size_of::<Piece>();
        self.messages.iter().flatten().map(of).sum()
    }
}

/// Joins fragments, sorted by offset, if none is missing. Overlapping bytes of the earlier fragment count.
fn join(parts: &[Fragment]) -> Option<Joined> {
    let (.., length) = parts.first()?.message;
    let mut end = 0;
    for part in parts {
        if part.offset > end {
            return None;
        }
        end = end.max(part.offset + part.bytes.len());
    }
    if end < length {
        return None;
    }
    let mut joined = Joined { bytes: Vec::with_capacity(end), pieces: Vec::new(), frames: Vec::new() };
    for part in parts {
        let end = joined.bytes.len();
        let Some(fresh) = part.bytes.get(end - part.offset..) else { continue };
        joined.frames.extend(part.pieces.last().map(|piece| piece.frame));
        let range = end as u64..(end + fresh.len()) as u64;
        joined.pieces.extend(part.pieces.iter().filter_map(|piece| piece.clip(&range)));
        joined.bytes.extend_from_slice(fresh);
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &[u8] = b"a certificate in parts";

    fn part(range: std::ops::Range<usize>) -> Fragment {
        let (off, len) = (range.start as u64, u32::try_from(range.len()).unwrap());
        let piece = Piece { off, len, frame: 1 + off, at: 0, time: None };
        let bytes = WHOLE[range.clone()].to_vec();
        Fragment { message: (3, 11, WHOLE.len()), offset: range.start, bytes, pieces: vec![piece] }
    }

    #[test]
    fn fragments_in_any_order_and_overlapping_make_the_message() {
        for order in [[0..9, 9..16, 16..22], [16..22, 0..9, 9..16], [3..20, 0..5, 18..22], [0..22, 0..1, 1..2]] {
            let mut fragments = Fragments::default();
            let made: Vec<Joined> = order.into_iter().filter_map(|range| fragments.take(part(range)).0).collect();
            assert_eq!(made.iter().map(|made| &made.bytes[..]).collect::<Vec<_>>(), [WHOLE]);
            let covered: u64 = made[0].pieces.iter().map(|piece| u64::from(piece.len)).sum();
            assert_eq!(covered, WHOLE.len() as u64);
        }
    }

    #[test]
    fn a_repeated_fragment_takes_no_room() {
        let mut fragments = Fragments::default();
        fragments.take(part(0..9));
        let held = fragments.memory_usage();
        for _ in 0..10_000 {
            assert_eq!(fragments.take(part(0..9)), (None, false));
            fragments.take(part(2..8));
        }
        assert_eq!(fragments.memory_usage(), held);
    }

    #[test]
    fn the_oldest_message_is_forgotten_first() {
        let mut fragments = Fragments::default();
        let numbered = |number: u16| Fragment { message: (number, 11, WHOLE.len()), ..part(0..9) };
        let evicted: Vec<bool> = (0..40).map(|number| fragments.take(numbered(number)).1).collect();
        assert_eq!(evicted.iter().filter(|evicted| **evicted).count(), 40 - MAX_MESSAGES);
        assert_eq!(fragments.messages.len(), MAX_MESSAGES);
        assert_eq!(fragments.messages[0][0].message.0, 24);
    }
}
