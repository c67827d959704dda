//! Reassembly of one direction of a TCP connection.
//!
//! ```text
//!              read │ unread          next        a hole          parked
//!  ─ ─ ─ ───────────┼────────────────────┤ · · · · · · · · · ├───────────────┤
//!        history    buffered_off()       the byte wanted     waits for the hole to close
//! ```
//!
//! Bytes have 64-bit stream offsets; offset 0 is the byte after the SYN or, without one, the first captured byte.
//! The first copy of retransmitted bytes is kept; a differing copy is reported.
//! Nothing is dropped silently: [`SegmentPosition`] states why bytes do not become part of the stream.
//!
//! It is independent of IP, of protocols and of the other direction. The caller reports acknowledgments of the peer and
//! decides when a gap is abandoned.

mod in_order;
mod out_of_order;
mod pool;
#[cfg(test)]
mod tests;

use crate::tree::{Piece, Time};
use in_order::InOrderBuffer;
use out_of_order::OutOfOrder;
use std::ops::Range;

/// Maximum distance of a plausible sequence number from the expected one.
const FAR: u64 = 1 << 30;

/// Number of abandoned gaps remembered individually.
const MAX_GAPS: usize = 64;

/// A captured TCP segment.
#[derive(Clone, Copy, Debug)]
pub struct TcpSegment<'a> {
    /// Sequence number on the wire; a SYN occupies one, and the payload starts after it.
    pub seq: u32,
    /// SYN flag.
    pub syn: bool,
    /// FIN flag.
    pub fin: bool,
    /// The captured payload.
    pub bytes: &'a [u8],
    /// Payload bytes after `bytes` that were truncated.
    pub missing: u32,
    /// The frame's number.
    pub frame: u64,
    /// Offset of `bytes` in that frame.
    pub at: u32,
    /// Capture time of the frame.
    pub time: Time,
}

impl TcpSegment<'_> {
    /// Payload length on the wire.
    fn wire_len(&self) -> u64 {
        (self.bytes.len() as u64).saturating_add(u64::from(self.missing))
    }
}

/// Maximum number of bytes by which a segment may precede the first one and be the beginning.
const EARLIER: u64 = 1 << 16;

/// Bytes with their origin in a frame.
#[derive(Clone, Copy)]
struct Run<'a> {
    piece: Piece,
    bytes: &'a [u8],
}

impl<'a> Run<'a> {
    fn clip(&self, range: &Range<u64>) -> Option<Run<'a>> {
        let piece = self.piece.clip(range)?;
        let from = usize::try_from(piece.off - self.piece.off).ok()?;
        let bytes = self.bytes.get(from..)?.get(..usize::try_from(piece.len).ok()?)?;
        Some(Run { piece, bytes })
    }
}

/// The position of a segment in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentPosition {
    /// No payload: an acknowledgment, a SYN or a FIN.
    Empty,
    /// In order, all bytes new.
    Next,
    /// After a hole, with new bytes.
    Ahead,
    /// Only bytes received before: a retransmission.
    Old,
    /// Bytes received before, followed by new ones.
    PartlyOld,
    /// Before the first known byte of the stream.
    Before,
    /// Some bytes belong to a hole that was given up: too late.
    Late,
    /// A keep-alive probe: no payload, or one byte, just before the expected byte.
    KeepAlive,
    /// An implausible sequence number; nothing was stored.
    Far,
}

/// The result of accepting a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Position in the stream.
    pub place: SegmentPosition,
    /// Range of the payload appended to the stream now, up to the first byte already buffered. Bytes before the range were
    /// retransmitted, late or before the start.
    pub fresh: Range<usize>,
    /// Stream offset of `fresh`; meaningless if that is empty.
    pub off: u64,
    /// Stream offsets of stored bytes, in order or after a hole; empty if none were stored. A FIN without payload has the last
    /// byte before it, since it may end a message.
    pub span: Range<u64>,
    /// Whether `fresh` is all of [`Direction::buffered`], so that it can be read in the frame itself.
    pub alone: bool,
    /// Range from the first to the last byte that differs from an older copy. The older copy is kept.
    pub differs: Option<Range<usize>>,
    /// Whether the limit of waiting segments is reached and nothing was stored. The caller reads buffered bytes, skips the hole
    /// and accepts the segment again until it is stored.
    pub full: bool,
    /// Whether the stream begins earlier than before: no byte had been read. All offsets are new.
    pub earlier: bool,
}

impl Accepted {
    fn unused(place: SegmentPosition, segment: &TcpSegment<'_>, off: u64) -> Self {
        let end = segment.bytes.len();
        Self { place, fresh: end..end, off, span: off..off, alone: false, differs: None, full: false, earlier: false }
    }
}

/// A gap: a range of stream bytes missing from the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Stream offset of the first missing byte.
    pub off: u64,
    /// Number of missing bytes.
    pub len: u64,
}

impl Gap {
    fn end(&self) -> u64 {
        self.off.saturating_add(self.len)
    }
}

/// Reduced state of a direction without waiting bytes, for late segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    start: Option<u32>,
    end: u64,
    /// Whether a FIN marks the end, and whether the peer acknowledged it.
    fin: (bool, bool),
    gaps: Box<[Gap]>,
}

/// The bytes of one direction of a connection.
///
/// Every segment goes through [`accept`](Self::accept); then [`buffered`](Self::buffered) is read and
/// [`consume`](Self::consume)d. When [`hole_is_lost`](Self::hole_is_lost), [`skip_hole`](Self::skip_hole) goes on after it.
#[derive(Debug, Default)]
pub struct Direction {
    /// Sequence number of stream offset 0.
    start: Option<u32>,
    /// Sequence number of the first segment without payload, where none with payload precedes it: the next byte to be sent.
    announced: Option<u32>,
    ready: InOrderBuffer,
    out_of_order: OutOfOrder,
    /// End of the bytes after the expected one that were truncated.
    cut_to: u64,
    /// End of the stream, as the FIN declares it.
    fin: Option<u64>,
    /// The highest offset that the peer acknowledged.
    acked: u64,
    /// Holes given up, in order.
    gaps: Vec<Gap>,
    /// How many of the last in-order bytes count as not arrived yet.
    withheld: usize,
}

impl Direction {
    /// Sets `seq` as the first byte of the stream, unless the start is known.
    pub fn expect(&mut self, seq: u32) {
        self.start.get_or_insert(seq);
    }

    /// Stores the sequence number of a segment without payload, which is that of the next byte.
    pub fn announce(&mut self, seq: u32) {
        if self.start.is_none() {
            self.announced.get_or_insert(seq);
        }
    }

    /// Where a stream begins whose first payload is at `seq`: at the number that an acknowledgment carried shortly before, because
    /// the bytes between them were sent later. A number one below is that of a keep-alive probe.
    fn first_missing(&self, seq: u32) -> u32 {
        let is_shortly_before = |announced: &u32| (2..=EARLIER).contains(&u64::from(seq.wrapping_sub(*announced)));
        self.announced.filter(is_shortly_before).unwrap_or(seq)
    }

    /// Whether a segment with this number is in order, and no buffered copy may differ from it.
    pub fn is_in_step(&self, seq: u32) -> bool {
        self.distance(seq) == Some(0) && self.out_of_order.first().is_none()
    }

    /// Accepts the next captured segment of this direction, with or without payload.
    pub fn accept(&mut self, segment: &TcpSegment<'_>) -> Accepted {
        if let Some(accepted) = self.follow(segment) {
            return accepted;
        }
        let seq = segment.seq.wrapping_add(u32::from(segment.syn));
        if segment.syn || segment.fin || segment.wire_len() > 0 {
            self.expect(if segment.syn { seq } else { self.first_missing(seq) });
        } else {
            self.announce(seq);
        }
        let next = self.ready.end();
        let Some(distance) = self.distance(seq) else {
            return Accepted::unused(SegmentPosition::Empty, segment, next);
        };
        if distance.unsigned_abs() > FAR || segment.wire_len() > FAR {
            return Accepted::unused(SegmentPosition::Far, segment, next);
        }
        let place = self.place(segment, distance);
        if place == SegmentPosition::Before && self.may_begin_earlier(distance) {
            return self.begin_earlier(segment);
        }
        let mut accepted = Accepted::unused(place, segment, next);
        if place == SegmentPosition::KeepAlive {
            return accepted;
        }
        // Bytes before the start have no offset and are dropped.
        let before = distance.saturating_add_unsigned(next).min(0).unsigned_abs();
        if let Some((run, end)) = clipped(segment, next.saturating_add_signed(distance), before) {
            self.store(&run, end, &mut accepted);
            let before = usize::try_from(before).unwrap_or(usize::MAX);
            accepted.fresh = shifted(accepted.fresh, before);
            accepted.differs = accepted.differs.map(|range| shifted(range, before));
            if segment.fin && accepted.span.is_empty() {
                accepted.span = end.saturating_sub(1)..end;
            }
            if segment.fin && !accepted.full {
                self.fin.get_or_insert(end);
            }
        }
        accepted
    }

    /// Whether a segment before the first one may be the beginning: no byte was read, and none waits after a hole.
    fn may_begin_earlier(&self, distance: i64) -> bool {
        let is_unread = self.buffered_off() == 0 && !self.buffered().is_empty() && self.hole().is_none() && self.gaps.is_empty();
        let is_open = self.fin.is_none() && self.acked == 0 && self.cut_to <= self.ready.end() && self.withheld == 0;
        is_unread && is_open && distance.unsigned_abs() <= EARLIER
    }

    /// Begins at a segment before the first one, which is accepted again behind it.
    #[cold]
    fn begin_earlier(&mut self, segment: &TcpSegment<'_>) -> Accepted {
        let Some(start) = self.start else { return Accepted::unused(SegmentPosition::Before, segment, 0) };
        let bytes = self.buffered().to_vec();
        let pieces: Vec<Piece> = self.pieces(0, bytes.len()).collect();
        *self = Direction::default();
        self.expect(segment.seq);
        let mut accepted = self.accept(segment);
        for piece in pieces {
            let from = usize::try_from(piece.off).unwrap_or(usize::MAX);
            let bytes = bytes.get(from..).and_then(|bytes| bytes.get(..piece.len as usize)).unwrap_or_default();
            let [a, b, c, d, ..] = piece.off.to_le_bytes();
            let seq = start.wrapping_add(u32::from_le_bytes([a, b, c, d]));
            let Piece { frame, at, time, .. } = piece;
            self.accept(&TcpSegment { seq, syn: false, fin: false, bytes, missing: 0, frame, at, time });
        }
        accepted.earlier = true;
        accepted.alone = false;
        accepted
    }

    /// Accepts an ordinary segment: in order, complete, and nothing waits after a hole.
    fn follow(&mut self, segment: &TcpSegment<'_>) -> Option<Accepted> {
        let next = self.ready.end();
        let is_plain = !segment.syn && !segment.fin && segment.missing == 0;
        let has_hole = self.cut_to > next || self.fin.is_some();
        if !is_plain || has_hole || !self.is_in_step(segment.seq) {
            return None;
        }
        let &TcpSegment { bytes, frame, at, time, .. } = segment;
        if bytes.is_empty() {
            return Some(Accepted::unused(SegmentPosition::Empty, segment, next));
        }
        let piece = Piece { off: next, len: u32::try_from(bytes.len()).ok()?, frame, at, time };
        self.ready.append(&Run { piece, bytes });
        let alone = bytes.len() == self.buffered().len();
        let span = next..self.ready.end();
        Some(Accepted {
            place: SegmentPosition::Next,
            fresh: 0..bytes.len(),
            off: next,
            span,
            alone,
            differs: None,
            full: false,
            earlier: false,
        })
    }

    /// Stores `run`; `end` is the end of its bytes on the wire, truncated ones included.
    fn store(&mut self, run: &Run<'_>, end: u64, accepted: &mut Accepted) {
        accepted.span = run.piece.off..run.piece.end();
        accepted.differs =
            joined(self.ready.differing(run.piece.off, run.bytes), self.out_of_order.differing(run.piece.off, run.bytes));
        if run.piece.off > self.ready.end() {
            accepted.full = !self.out_of_order.insert(run, end);
            accepted.fresh = 0..0;
            return;
        }
        accepted.fresh = self.append(run);
        accepted.alone = !accepted.fresh.is_empty() && accepted.fresh.len() == self.buffered().len();
        self.note_cut(run.piece.end(), end);
    }

    /// Appends the new bytes of `run`, which leaves no hole, and parked bytes after it. Returns the range of the first new bytes
    /// of `run`.
    fn append(&mut self, run: &Run<'_>) -> Range<usize> {
        let mut fresh = run.bytes.len()..run.bytes.len();
        while self.ready.end() < run.piece.end() {
            let next = self.ready.end();
            let until = self.out_of_order.first().unwrap_or(u64::MAX);
            let Some(new) = run.clip(&(next..until)) else { break };
            if fresh.is_empty() {
                let from = usize::try_from(next - run.piece.off).unwrap_or(usize::MAX);
                fresh = from..from.saturating_add(new.bytes.len());
            }
            self.ready.append(&new);
            self.unpark();
        }
        fresh
    }

    /// Buffers the parked segments that no hole precedes.
    fn unpark(&mut self) {
        while self.unpark_next() {}
    }

    /// Buffers the next parked segment if no hole precedes it.
    pub fn unpark_next(&mut self) -> bool {
        let Some(waiting) = self.out_of_order.take(self.ready.end()) else { return false };
        self.ready.append(&waiting.run());
        self.note_cut(self.ready.end(), waiting.cut_to);
        true
    }

    /// Marks the bytes from `end` to `cut_to` as truncated.
    fn note_cut(&mut self, end: u64, cut_to: u64) {
        if end <= self.ready.end() {
            self.cut_to = self.cut_to.max(cut_to);
        }
    }

    /// In-order bytes that were not consumed yet.
    pub fn buffered(&self) -> &[u8] {
        let bytes = self.ready.unread();
        bytes.get(..bytes.len().saturating_sub(self.withheld)).unwrap_or_default()
    }

    /// Withholds in-order bytes from this stream offset on, as if they had not arrived.
    pub fn withhold(&mut self, from: u64) {
        self.withheld = usize::try_from(self.ready.end().saturating_sub(from)).unwrap_or(usize::MAX);
    }

    /// Stream offset of [`buffered`](Self::buffered).
    pub fn buffered_off(&self) -> u64 {
        self.ready.unread_off()
    }

    /// Consumes the first `n` buffered bytes.
    pub fn consume(&mut self, n: usize) {
        self.ready.consume(n);
    }

    /// Origin of the buffered bytes `off..off + len` in frames: each byte once, in order.
    pub fn pieces(&self, off: u64, len: usize) -> impl Iterator<Item = Piece> + '_ {
        self.ready.pieces(off..off.saturating_add(len as u64))
    }

    /// Stores that the peer acknowledged every byte before `ack`.
    pub fn acknowledged(&mut self, ack: u32) {
        let Some(distance) = self.distance(ack).filter(|distance| distance.unsigned_abs() <= FAR) else { return };
        self.acked = self.acked.max(self.ready.end().saturating_add_signed(distance));
    }

    /// Whether the peer acknowledged bytes that have not arrived.
    pub fn is_behind(&self) -> bool {
        self.acked > self.ready.end() && self.fin.is_none()
    }

    /// The first hole: missing bytes before received ones, or truncated bytes.
    pub fn hole(&self) -> Option<Gap> {
        let off = self.ready.end();
        let known = self.out_of_order.first().or(self.fin).filter(|end| *end > off);
        let cut = Some(self.cut_to).filter(|end| *end > off);
        let end = match (known, cut) {
            (Some(known), Some(cut)) => known.min(cut),
            (known, cut) => known.or(cut)?,
        };
        Some(Gap { off, len: end - off })
    }

    /// Whether the first hole will not be filled: its bytes were truncated, or the receiver has acknowledged data beyond it. An
    /// acknowledgment up to the end of the hole is not sufficient: its bytes may have been captured later.
    pub fn hole_is_lost(&self) -> bool {
        let next = self.ready.end();
        self.cut_to > next || self.acked > next && self.hole().is_some_and(|hole| hole.end() < self.acked)
    }

    /// Gives up the first hole and discards buffered bytes before it, which must be read first. Then
    /// [`unpark_next`](Self::unpark_next) buffers the segments after it, one by one as they were captured.
    #[cold]
    pub fn skip_hole(&mut self) -> Option<Gap> {
        let gap = self.hole()?;
        self.ready.skip_to(gap.end());
        self.remember(gap);
        Some(gap)
    }

    /// Whether every byte up to the FIN was buffered or given up.
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| fin <= self.ready.end())
    }

    /// Bytes of memory held on the heap.
    pub fn memory_usage(&self) -> usize {
        self.ready.memory_usage() + self.out_of_order.memory_usage() + self.gaps.capacity() * size_of::<Gap>()
    }

    /// Drops consumed bytes and spare memory. A retransmission of dropped bytes is still detected, but no longer compared.
    pub fn shrink(&mut self) {
        self.ready.trim_history(0);
    }

    /// Whether the direction ended and the peer acknowledged that.
    pub fn is_over(&self) -> bool {
        self.is_finished() && self.fin.is_some_and(|fin| fin < self.acked)
    }

    /// The reduced state. Waiting bytes are lost, so there should be none.
    pub fn closed(&self) -> Closed {
        Closed {
            start: self.start,
            end: self.ready.end(),
            fin: (self.fin.is_some(), self.is_over()),
            gaps: self.gaps.as_slice().into(),
        }
    }

    /// Stream offset of a sequence number, by its distance from the expected one modulo 2^32. `None` before the known start of
    /// the stream.
    pub fn offset_of(&self, seq: u32) -> Option<u64> {
        self.ready.end().checked_add_signed(self.distance(seq)?)
    }

    fn distance(&self, seq: u32) -> Option<i64> {
        let [a, b, c, d, ..] = self.ready.end().to_le_bytes();
        let wanted = self.start?.wrapping_add(u32::from_le_bytes([a, b, c, d]));
        Some(i64::from(seq.wrapping_sub(wanted).cast_signed()))
    }

    fn place(&self, segment: &TcpSegment<'_>, distance: i64) -> SegmentPosition {
        let next = self.ready.end();
        let off = next.saturating_add_signed(distance);
        let end = next.saturating_add_signed(distance.saturating_add_unsigned(segment.bytes.len() as u64));
        let is_probe = distance == -1 && segment.wire_len() <= 1 && !segment.fin;
        if off < end && self.gaps.iter().any(|gap| off < gap.end() && gap.off < end) {
            return SegmentPosition::Late;
        }
        match off {
            _ if is_probe => SegmentPosition::KeepAlive,
            _ if segment.wire_len() == 0 => SegmentPosition::Empty,
            _ if distance.saturating_add_unsigned(next) < 0 => SegmentPosition::Before,
            _ if off > next && off < end && !self.out_of_order.lacks(off..end) => SegmentPosition::Old,
            _ if off > next => SegmentPosition::Ahead,
            _ if off < next && end <= next => SegmentPosition::Old,
            _ if off < next || self.out_of_order.first().is_some_and(|first| first < end) => SegmentPosition::PartlyOld,
            _ => SegmentPosition::Next,
        }
    }

    /// Stores a given-up hole. Above the limit, the two oldest ones are merged: a retransmission of bytes between them is then
    /// displayed a second time.
    #[cold]
    fn remember(&mut self, gap: Gap) {
        if self.gaps.len() >= MAX_GAPS {
            let oldest = self.gaps.remove(0);
            if let Some(second) = self.gaps.first_mut() {
                *second = Gap { off: oldest.off, len: second.end().saturating_sub(oldest.off) };
            }
        }
        self.gaps.push(gap);
    }
}

impl From<Closed> for Direction {
    fn from(rest: Closed) -> Direction {
        let (ends, known_to_peer) = rest.fin;
        let mut direction = Direction {
            start: rest.start,
            fin: ends.then_some(rest.end),
            acked: rest.end.saturating_add(u64::from(known_to_peer)),
            gaps: rest.gaps.into_vec(),
            ..Direction::default()
        };
        direction.ready.skip_to(rest.end);
        direction
    }
}

/// The segment without its first `before` bytes, placed at `off`, and its end on the wire.
fn clipped<'a>(segment: &TcpSegment<'a>, off: u64, before: u64) -> Option<(Run<'a>, u64)> {
    let end = off.saturating_add(segment.wire_len().checked_sub(before)?);
    let before = u32::try_from(before).ok()?;
    let bytes = segment.bytes.get(usize::try_from(before).ok()?..)?;
    let len = u32::try_from(bytes.len()).ok()?;
    let at = segment.at.saturating_add(before);
    let piece = Piece { off, len, frame: segment.frame, at, time: segment.time };
    Some((Run { piece, bytes }, end))
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start.saturating_add(by)..range.end.saturating_add(by)
}

/// The smallest range that contains both.
fn joined(a: Option<Range<usize>>, b: Option<Range<usize>>) -> Option<Range<usize>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.start.min(b.start)..a.end.max(b.end)),
        (a, b) => a.or(b),
    }
}

/// Range of `new`, which starts at stream offset `off`, that differs from `old`, which starts at `old_off`.
fn differing(old_off: u64, old: &[u8], off: u64, new: &[u8]) -> Option<Range<usize>> {
    let skipped = usize::try_from(old_off.saturating_sub(off)).ok()?;
    let old = old.get(usize::try_from(off.saturating_sub(old_off)).ok()?..)?;
    let new = new.get(skipped..)?;
    let len = old.len().min(new.len());
    let (old, new) = (old.get(..len)?, new.get(..len)?);
    if old == new {
        return None;
    }
    let mut pairs = old.iter().zip(new);
    let first = pairs.position(|(old, new)| old != new)?;
    let last = pairs.rposition(|(old, new)| old != new).map_or(first, |last| first + 1 + last);
    Some(skipped + first..skipped + last + 1)
}
