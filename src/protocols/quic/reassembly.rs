//! Reassembly of a byte stream from segments at offsets, in any order and with overlaps.

use crate::tree::Piece;
use std::collections::BTreeMap;

/// Memory overhead of a segment in bytes.
const PART_OVERHEAD: usize = 96;

/// Undissected bytes of one direction of a stream.
#[derive(Default)]
pub(super) struct Reassembly {
    /// Segments after a gap, by offset.
    parts: BTreeMap<u64, Part>,
    /// Contiguous bytes, and their positions in the capture.
    ready: Vec<u8>,
    pieces: Vec<Piece>,
    /// Stream offset of the first contiguous byte.
    start: u64,
    /// Number of consumed contiguous bytes.
    taken: usize,
    /// Approximate memory of the segments.
    held: usize,
}

struct Part {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Part {
    fn cost(&self) -> usize {
        PART_OVERHEAD + self.bytes.len() + size_of_val(self.pieces.as_slice())
    }
}

impl Reassembly {
    /// Stream offset of the end of the contiguous bytes.
    pub(super) fn end(&self) -> u64 {
        self.start + self.ready.len() as u64
    }

    /// Stream offset of the next undissected byte.
    pub(super) fn next(&self) -> u64 {
        self.start + self.taken as u64
    }

    /// Undissected contiguous bytes.
    pub(super) fn ahead(&self) -> &[u8] {
        self.ready.get(self.taken..).unwrap_or_default()
    }

    /// Whether no bytes are buffered.
    pub(super) fn is_empty(&self) -> bool {
        self.ahead().is_empty() && self.parts.is_empty()
    }

    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.held + self.ready.capacity() + self.pieces.capacity() * size_of::<Piece>()
    }

    /// Adds bytes. Offsets of their pieces are stream offsets. The first of overlapping bytes count.
    pub(super) fn add(&mut self, offset: u64, bytes: &[u8], pieces: Vec<Piece>) {
        if bytes.is_empty() {
            return;
        }
        if offset <= self.end() {
            self.append(offset, bytes, &pieces);
            self.join();
            return;
        }
        if self.parts.get(&offset).is_none_or(|known| known.bytes.len() < bytes.len()) {
            let part = Part { bytes: bytes.to_vec(), pieces };
            self.held += part.cost();
            let replaced = self.parts.insert(offset, part);
            self.held -= replaced.map_or(0, |part| part.cost());
        }
    }

    /// Appends the new part of bytes that start in or right after the contiguous ones.
    fn append(&mut self, offset: u64, bytes: &[u8], pieces: &[Piece]) {
        let known = usize::try_from(self.end() - offset).unwrap_or(usize::MAX);
        let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) else { return };
        let range = self.end()..self.end() + new.len() as u64;
        self.pieces.extend(pieces.iter().filter_map(|piece| piece.clip(&range)));
        self.ready.extend_from_slice(new);
    }

    /// Appends segments adjacent to the contiguous bytes.
    fn join(&mut self) {
        while let Some(next) = self.parts.first_entry().filter(|next| *next.key() <= self.start + self.ready.len() as u64) {
            let (offset, part) = next.remove_entry();
            self.held -= part.cost();
            self.append(offset, &part.bytes, &part.pieces);
        }
    }

    /// Skips the next bytes of the stream, which are dissected in place. No bytes are buffered before them.
    pub(super) fn pass(&mut self, count: usize) {
        self.compact();
        self.start += count as u64;
        self.join();
    }

    /// Takes the next `count` contiguous bytes. Offsets of their pieces are relative to them.
    pub(super) fn take(&mut self, count: usize) -> (Vec<u8>, Vec<Piece>) {
        let bytes = self.ahead().get(..count).unwrap_or_default().to_vec();
        let range = self.next()..self.next() + bytes.len() as u64;
        let first = self.pieces.partition_point(|piece| piece.end() <= range.start);
        let pieces = self.pieces.get(first..).unwrap_or_default().iter();
        let pieces = pieces.map_while(|piece| piece.clip(&range)).map(|piece| Piece { off: piece.off - range.start, ..piece });
        let pieces = pieces.collect();
        self.taken += bytes.len();
        (bytes, pieces)
    }

    /// Frees the memory of consumed bytes.
    pub(super) fn compact(&mut self) {
        // Visiting all buffered segments even if nothing was consumed takes quadratic time.
        if self.taken == 0 && !self.ready.is_empty() {
            return;
        }
        let next = self.next();
        self.ready.drain(..self.taken);
        self.pieces.retain(|piece| piece.end() > next);
        (self.start, self.taken) = (next, 0);
        if self.ready.is_empty() {
            (self.ready, self.pieces) = (Vec::new(), Vec::new());
        }
    }

    /// All buffered bytes without the gaps, and the number of missing bytes.
    pub(super) fn give_up(&mut self) -> (Vec<u8>, Vec<Piece>, u64) {
        let waiting = self.ahead().len();
        let (mut bytes, mut pieces) = self.take(waiting);
        let (mut end, mut missing) = (self.end(), 0);
        for (offset, part) in std::mem::take(&mut self.parts) {
            let known = end.saturating_sub(offset);
            let Some(new) = usize::try_from(known).ok().and_then(|known| part.bytes.get(known..)) else { continue };
            let range = offset + known..offset + known + new.len() as u64;
            missing += range.start - end;
            end = range.end;
            let off = bytes.len() as u64;
            let clipped = part.pieces.iter().filter_map(|piece| piece.clip(&range));
            pieces.extend(clipped.map(|piece| Piece { off: piece.off - range.start + off, ..piece }));
            bytes.extend_from_slice(new);
        }
        self.held = 0;
        self.compact();
        (bytes, pieces, missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Time;
    use proptest::prelude::*;

    fn piece(off: u64, len: usize) -> Piece {
        Piece { off, len: u32::try_from(len).unwrap(), frame: off, at: 7, time: Time::default() }
    }

    fn add(stream: &mut Reassembly, all: &[u8], from: usize, to: usize) {
        stream.add(from as u64, &all[from..to], vec![piece(from as u64, to - from)]);
    }

    #[test]
    fn parts_join_in_any_order() {
        let all: Vec<u8> = (0..20).collect();
        let mut stream = Reassembly::default();
        add(&mut stream, &all, 12, 20);
        add(&mut stream, &all, 5, 9);
        assert!(stream.ahead().is_empty() && !stream.is_empty());
        add(&mut stream, &all, 0, 6);
        assert_eq!(stream.take(4).0, all[..4]);
        add(&mut stream, &all, 7, 13);
        let (bytes, pieces) = stream.take(16);
        assert_eq!(bytes, all[4..]);
        let places: Vec<(u64, u32, u64)> = pieces.iter().map(|piece| (piece.off, piece.len, piece.frame)).collect();
        assert_eq!(places, [(0, 2, 0), (2, 3, 5), (5, 4, 7), (9, 7, 12)]);
        stream.compact();
        assert!(stream.is_empty() && stream.memory_usage() == 0 && stream.next() == 20);
    }

    #[test]
    fn bytes_after_gaps_are_released_in_order() {
        let all: Vec<u8> = (0..20).collect();
        let mut stream = Reassembly::default();
        add(&mut stream, &all, 0, 2);
        add(&mut stream, &all, 5, 9);
        add(&mut stream, &all, 8, 12);
        let (bytes, pieces, missing) = stream.give_up();
        assert_eq!(bytes, [&all[..2], &all[5..12]].concat());
        assert_eq!(missing, 3);
        assert_eq!(pieces.iter().map(|piece| piece.off).collect::<Vec<_>>(), [0, 2, 6]);
        assert!(stream.is_empty() && stream.held == 0);
    }

    proptest! {
        #[test]
        fn any_parts_give_the_bytes_of_the_stream(parts in prop::collection::vec((0_usize..60, 1_usize..20), 0..40)) {
            let all: Vec<u8> = (0..80).collect();
            let mut stream = Reassembly::default();
            let mut out = Vec::new();
            for (place, (from, count)) in parts.into_iter().enumerate() {
                add(&mut stream, &all, from, from + count);
                if place % 3 == 0 {
                    let half = stream.ahead().len() / 2;
                    out.extend(stream.take(half).0);
                    stream.compact();
                }
            }
            let rest = stream.ahead().len();
            let (bytes, pieces) = stream.take(rest);
            prop_assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), bytes.len());
            out.extend(bytes);
            prop_assert_eq!(&out[..], &all[..out.len()]);
            stream.give_up();
            prop_assert_eq!(stream.held, 0);
        }
    }
}
