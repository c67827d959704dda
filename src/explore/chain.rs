//! Walks a side message by message, and measures in bits how well a rule explains it.
//!
//! A turn is the first byte after bytes of the other side. A chain that hits a turn with a message of m bytes gains up to log2 m
//! bits. A random walk would hit it with probability 1/m. The reliability of a class of anchors is estimated from each chain: the
//! best value of a grid is used.

use super::rule::{Rule, Step};
use super::side::Side;
use crate::tree::steps::step;

/// Classes of anchors: turns, segments after a short or pushed one, other segments.
const CLASSES: usize = 3;

/// Grid of reliabilities for each class.
const GRID: [f64; 6] = [0.98, 0.9, 0.7, 0.4, 0.1, 0.0];

/// Message length at which the gain of a hit is capped.
const LONG: usize = 256;

/// A possible message start.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    at: usize,
    class: usize,
}

/// A side, preprocessed for chains.
#[derive(Debug, Clone)]
pub struct Track<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    anchors: Vec<Anchor>,
    /// Cumulative number of anchors of each class before each anchor, and in total.
    counts: Vec<[usize; CLASSES]>,
    /// Offsets that a chain cannot cross.
    barriers: Vec<usize>,
    /// Bytes behind gaps in which a chain may go on.
    pieces: Vec<Piece>,
    /// Whether the bytes end with the side.
    pub is_whole: bool,
}

/// Bytes between two gaps, or behind the last one.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    /// The first turn in it, where a message begins.
    turn: Option<usize>,
}

/// Share of the bytes from which a piece without a turn is long enough to look for messages in it.
const LONG_PIECE: usize = 8;

/// Number of messages in a row that show that one begins behind a gap.
const ALIGNED: usize = 4;

/// Gain of hits and loss of misses by reliability.
pub struct Gains {
    hit: Vec<[f64; GRID.len()]>,
    miss: [f64; GRID.len()],
}

/// Statistics of a chain.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Number of messages.
    pub messages: usize,
    /// Number of turns that were hit, and in total.
    pub turns: [usize; 2],
    /// Number of other segment starts that were hit, and in total.
    pub segments: [usize; 2],
    /// Bits per class and reliability.
    bits: [[f64; GRID.len()]; CLASSES],
    /// Number of distinct lengths.
    pub lengths: usize,
    /// Number of messages that are the first ones behind a gap.
    pub resumed: usize,
    /// Longest message.
    pub longest: usize,
    /// End of the last message.
    pub end: usize,
    /// Bytes after the last message.
    pub left_over: usize,
    /// Bytes after the last message that cannot belong to a message of the rule.
    pub broken: usize,
    /// Bytes before the first message.
    pub skipped: usize,
    /// Bytes in all.
    pub bytes: usize,
    /// Number of chains that ended before the end of their side.
    pub stopped: usize,
    /// Bytes after the last message that look like encryption started between two messages.
    pub cipher: usize,
}

/// Limits on following a chain.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Evidence in bits below which a chain is abandoned.
    floor: f64,
    /// Number of messages after which a constant length field explains no more than a fixed size.
    constant: usize,
}

impl Effort {
    /// For the selection among all candidates.
    pub const SCREEN: Effort = Effort { floor: -16.0, constant: 128 };
    /// For the whole side.
    pub const WHOLE: Effort = Effort { floor: f64::MIN, constant: usize::MAX };

    /// Whether a chain has enough messages, all of one length.
    #[must_use]
    pub fn is_constant(&self, rule: &Rule, found: &Evidence) -> bool {
        found.messages >= self.constant && found.lengths == 1 && matches!(rule, Rule::Length { .. })
    }
}

/// Why a chain ended.
enum Progress {
    /// A barrier, or an offset at which the rule yields no message.
    Complete,
    /// The evidence contradicts the rule.
    Refuted,
    /// All messages had the same length.
    Constant,
}

/// The set of lengths so far.
struct LengthSet([u64; 16]);

impl Default for Gains {
    fn default() -> Gains {
        let hit = |length: usize| GRID.map(|share| (1.0 + share * (length.max(1) as f64 - 1.0)).log2());
        Gains { hit: (0..=LONG).map(hit).collect(), miss: GRID.map(|share| (1.0 - share).max(1e-9).log2()) }
    }
}

impl LengthSet {
    /// Whether a length is new. Long lengths share bits.
    fn is_new(&mut self, length: usize) -> bool {
        let place = if length < 512 { length } else { 512 + length.wrapping_mul(0x9e37_79b1) % 512 };
        let Some(word) = self.0.get_mut(place / 64) else { return false };
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

impl<'a> Track<'a> {
    /// A side up to `most` bytes.
    #[must_use]
    pub fn new(side: &'a Side, most: usize) -> Track<'a> {
        let bytes = side.bytes.get(..most).unwrap_or(&side.bytes);
        let largest = side.spans().map(|(start, end)| end - start).max().unwrap_or(0);
        let mut before = 0;
        let mut anchors = Vec::new();
        for (segment, (start, end)) in side.segments.iter().zip(side.spans()) {
            let class = match (segment.is_turn, before < largest) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            before = end - start;
            // Where bytes are missing, no message is seen to end.
            if start > 0 && start < bytes.len() && !side.is_hole(start) {
                anchors.push(Anchor { at: start, class });
            }
        }
        let is_whole = bytes.len() as u64 == side.sent && !side.is_hole(bytes.len());
        if is_whole {
            anchors.push(Anchor { at: bytes.len(), class: 0 });
        }
        let barriers: Vec<usize> =
            side.holes.iter().map(|(at, _)| *at).filter(|at| *at > 0 && *at < bytes.len()).chain([bytes.len()]).collect();
        let counts = counts_of(&anchors);
        let pieces = pieces(side, &barriers);
        Track { bytes, anchors, counts, barriers, pieces, is_whole }
    }

    /// Bytes between two turns, or before the first one, of which none are missing.
    pub fn between_turns(&self) -> impl Iterator<Item = (usize, usize)> {
        let starts = [0].into_iter().chain(self.first_turns());
        starts.zip(self.first_turns()).filter(|(start, end)| self.end_of_piece(*start) >= *end)
    }

    /// Whether bytes are missing between the start and an offset.
    pub fn is_interrupted_before(&self, at: usize) -> bool {
        self.barriers.first().is_some_and(|barrier| *barrier < at)
    }

    /// The next gap behind an offset, or the end of the bytes.
    fn end_of_piece(&self, at: usize) -> usize {
        let behind = self.barriers.partition_point(|barrier| *barrier <= at);
        self.barriers.get(behind).copied().unwrap_or(self.bytes.len())
    }

    /// The first turns after the start.
    pub fn first_turns(&self) -> impl Iterator<Item = usize> {
        self.anchors.iter().filter(|anchor| anchor.class == 0).map(|anchor| anchor.at)
    }

    /// Walks from `start` within the limits of `effort`, and reports each message.
    pub fn walk(&self, rule: &Rule, start: usize, gains: &Gains, effort: &Effort, mut message: impl FnMut(usize)) -> Evidence {
        let first = Piece { start, end: self.end_of_piece(start), turn: Some(start) };
        let found = Evidence { skipped: start, bytes: start, end: start, ..Evidence::default() };
        let mut walk = Walk {
            track: self,
            rule,
            gains,
            at: start,
            next: 0,
            is_resumed: false,
            walked: 0,
            running: 0.0,
            seen: LengthSet([0; 16]),
            found,
        };
        let behind = self.pieces.partition_point(|piece| piece.start < first.end);
        for piece in [first].iter().chain(self.pieces.get(behind..).unwrap_or_default()) {
            let Some(at) = piece.turn.or_else(|| self.is_aligned(rule, piece).then_some(piece.start)) else { continue };
            step();
            walk.at = at;
            walk.is_resumed = piece.start >= first.end;
            walk.next = self.anchors_up_to(at);
            walk.found.bytes += piece.end - at;
            match walk.reaches(piece.end, effort, &mut message) {
                Progress::Refuted => {
                    walk.found.left_over += piece.end - walk.at;
                    walk.found.broken += piece.end - walk.at;
                    break;
                }
                Progress::Constant => {
                    walk.found.bytes -= piece.end - walk.at;
                    break;
                }
                Progress::Complete => {}
            }
        }
        walk.found
    }

    /// Whether messages follow each other from the start of a piece.
    fn is_aligned(&self, rule: &Rule, piece: &Piece) -> bool {
        let mut at = piece.start;
        (0..ALIGNED).all(|_| match self.bytes.get(at..piece.end).map(|rest| rule.step(rest)) {
            Some(Step::Message(length)) => {
                at += length;
                true
            }
            _ => false,
        })
    }

    /// The number of anchors up to an offset.
    fn anchors_up_to(&self, at: usize) -> usize {
        self.anchors.partition_point(|anchor| anchor.at <= at)
    }

    /// The same, given a lower bound; searches nearby first.
    #[inline]
    fn anchors_beyond(&self, known: usize, at: usize) -> usize {
        let is_beyond = |place: usize| self.anchors.get(place).is_none_or(|anchor| anchor.at > at);
        let mut width = 1;
        while !is_beyond(known + width - 1) {
            width *= 2;
        }
        let near = self.anchors.get(known..(known + width).min(self.anchors.len())).unwrap_or_default();
        known + near.partition_point(|anchor| anchor.at <= at)
    }
}

/// The pieces behind gaps in which a message start is known, or may be found.
fn pieces(side: &Side, barriers: &[usize]) -> Vec<Piece> {
    let mut turns = side.segments.iter().filter(|segment| segment.is_turn).map(|segment| segment.at).peekable();
    let whole = barriers.last().copied().unwrap_or(0);
    let piece = |(&start, &end): (&usize, &usize)| {
        while turns.next_if(|turn| *turn < start).is_some() {}
        let turn = turns.peek().copied().filter(|turn| *turn < end);
        let is_used = turn.is_some() || (end - start).saturating_mul(LONG_PIECE) >= whole;
        is_used.then_some(Piece { start, end, turn })
    };
    barriers.iter().zip(barriers.iter().skip(1)).filter_map(piece).collect()
}

/// Cumulative number of anchors of each class before each, and in total.
fn counts_of(anchors: &[Anchor]) -> Vec<[usize; CLASSES]> {
    let mut sum = [0; CLASSES];
    let mut counts = vec![sum];
    counts.extend(anchors.iter().map(|anchor| {
        sum.get_mut(anchor.class).into_iter().for_each(|count| *count += 1);
        sum
    }));
    counts
}

/// A chain in progress.
struct Walk<'t, 'a> {
    track: &'t Track<'a>,
    rule: &'t Rule,
    gains: &'t Gains,
    /// Start of the next message.
    at: usize,
    /// Index of the next anchor.
    next: usize,
    /// Whether the next message is the first one behind a gap.
    is_resumed: bool,
    /// Bytes of all messages so far.
    walked: usize,
    /// Approximate gain of the anchors so far.
    running: f64,
    seen: LengthSet,
    found: Evidence,
}

impl Walk<'_, '_> {
    /// Walks up to a barrier or an offset without a message, within the limits of `effort`.
    #[inline]
    fn reaches(&mut self, barrier: usize, effort: &Effort, message: &mut impl FnMut(usize)) -> Progress {
        while self.at < barrier {
            let rest = self.track.bytes.get(self.at..barrier).unwrap_or_default();
            match self.rule.step(rest) {
                Step::Message(length) => {
                    message(self.at);
                    self.pass(length);
                }
                step => {
                    self.stop(&step, rest);
                    return Progress::Complete;
                }
            }
            if self.running < effort.floor {
                return Progress::Refuted;
            }
            if effort.is_constant(self.rule, &self.found) {
                return Progress::Constant;
            }
        }
        Progress::Complete
    }

    /// Counts a message and the anchors up to its end.
    #[inline]
    fn pass(&mut self, length: usize) {
        self.found.messages += 1;
        self.found.longest = self.found.longest.max(length);
        // No message before the first one behind a gap leads to it.
        let is_resumed = std::mem::take(&mut self.is_resumed);
        let is_new = !is_resumed && self.seen.is_new(length);
        let weight = match self.rule {
            _ if is_new => 1.0,
            Rule::Fixed(_) => 0.1,
            _ => 0.3,
        };
        self.found.lengths += usize::from(is_new);
        self.found.resumed += usize::from(is_resumed);
        self.at += length;
        self.walked += length;
        self.found.end = self.at;
        let before = self.next;
        self.next = self.track.anchors_beyond(before, self.at);
        if self.next == before {
            return;
        }
        let last = self.next.checked_sub(1).and_then(|last| self.track.anchors.get(last));
        let hit = last.filter(|anchor| anchor.at == self.at).map(|anchor| anchor.class);
        if let Some(class) = hit {
            // A random walk hits an offset once per mean step.
            let mean = self.walked / self.found.messages;
            self.running += self.found.hit(class, mean, weight, self.gains);
            if self.next == before + 1 {
                return;
            }
        }
        let passed = self.track.counts.get(before).zip(self.track.counts.get(self.next));
        for (class, (from, to)) in passed.into_iter().flat_map(|(from, to)| from.iter().zip(to)).enumerate() {
            let missed = to - from - usize::from(hit == Some(class));
            if missed > 0 {
                self.running += self.found.miss(class, missed, self.gains);
            }
        }
    }

    /// Counts the bytes for which the rule yields no message.
    fn stop(&mut self, step: &Step, rest: &[u8]) {
        let is_broken = match step {
            Step::Impossible => true,
            // A message many times longer than the available bytes is invalid.
            Step::Cut(length) => *length > 4 * self.track.bytes.len().max(1024),
            _ => false,
        };
        let last = self.next.checked_sub(1).and_then(|last| self.track.anchors.get(last));
        let is_at_anchor = last.is_some_and(|anchor| anchor.at == self.at);
        let found = &mut self.found;
        if found.messages > 0 && is_at_anchor && !matches!(step, Step::Short) && looks_random(rest) {
            found.cipher += rest.len();
            return;
        }
        let is_broken_off = is_broken || rest.len() > 4096.max(8 * found.longest);
        if self.at + rest.len() < self.track.bytes.len() && !is_broken_off {
            // The rest of the message is missing, which shows nothing.
            found.bytes -= rest.len();
        } else if !rest.is_empty() {
            found.left_over += rest.len();
            found.broken += if is_broken_off { rest.len() } else { 0 };
            found.stopped += usize::from(is_broken);
        }
    }
}

impl Evidence {
    /// Counts an anchor hit by a chain with this mean length, with a weight; returns the approximate gain.
    fn hit(&mut self, class: usize, mean: usize, weight: f64, gains: &Gains) -> f64 {
        let Some(row) = gains.hit.get(mean.min(LONG)) else { return 0.0 };
        self.meet(class, [1, 1], row, weight)
    }

    /// Counts missed anchors; returns the approximate gain.
    fn miss(&mut self, class: usize, count: usize, gains: &Gains) -> f64 {
        self.meet(class, [0, count], &gains.miss, count as f64) * count as f64
    }

    /// Counts hit anchors and all anchors, with the bits per anchor by reliability; returns the approximate gain per anchor.
    fn meet(&mut self, class: usize, [hit, all]: [usize; 2], row: &[f64; GRID.len()], weight: f64) -> f64 {
        let counts = if class == 0 { &mut self.turns } else { &mut self.segments };
        counts[0] += hit;
        counts[1] += all;
        let Some(sums) = self.bits.get_mut(class) else { return 0.0 };
        for (sum, bits) in sums.iter_mut().zip(row) {
            *sum += bits * weight;
        }
        if class == 0 { row[2] } else { 0.0 }
    }

    /// Bits of all anchors, with the best reliability.
    #[must_use]
    pub fn anchor_bits(&self) -> f64 {
        self.bits.iter().map(|sums| sums.iter().copied().fold(f64::MIN, f64::max)).sum()
    }

    /// Adds the statistics of another side.
    pub fn add(&mut self, other: &Evidence) {
        self.messages += other.messages;
        for (mine, theirs) in self.turns.iter_mut().chain(&mut self.segments).zip(other.turns.iter().chain(&other.segments)) {
            *mine += theirs;
        }
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            mine.iter_mut().zip(theirs).for_each(|(sum, bits)| *sum += bits);
        }
        self.lengths = self.lengths.max(other.lengths);
        self.resumed += other.resumed;
        self.longest = self.longest.max(other.longest);
        self.left_over += other.left_over;
        self.broken += other.broken;
        self.skipped += other.skipped;
        self.bytes += other.bytes;
        self.stopped += other.stopped;
        self.cipher += other.cipher;
    }
}

/// Minimum number of bytes for a test of randomness.
const RANDOM: usize = 96;

/// Whether all values are about equally frequent, by a chi-square test.
#[must_use]
pub fn looks_random(bytes: &[u8]) -> bool {
    let sample = bytes.get(..4096).unwrap_or(bytes);
    if sample.len() < RANDOM {
        return false;
    }
    let mut counts = [0_u32; 256];
    for byte in sample {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let expected = sample.len() as f64 / 256.0;
    let square = |count: u32| (f64::from(count) - expected).powi(2) / expected;
    // 255 degrees of freedom: a standard deviation is 22.6.
    counts.into_iter().map(square).sum::<f64>() < 255.0 + 4.5 * 22.6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_look_random_if_all_values_are_about_equally_frequent() {
        let repeated = |values: u8, count: usize| (0..=values).cycle().take(count).collect::<Vec<u8>>();
        assert!(looks_random(&repeated(255, 4096)));
        assert!(!looks_random(&repeated(255, RANDOM - 1)));
        // Base64 has 64 values, text fewer.
        assert!(!looks_random(&repeated(63, 1024)) && !looks_random(&repeated(25, 4096)));
        // Only the first 4096 bytes count.
        assert!(looks_random(&[repeated(255, 4096), vec![0; 4096]].concat()));
    }
}
