//! Learns message sizes by kind, for protocols without a length field.
//!
//! The bytes between two turns are a block of whole messages. A size assumed for a kind is confirmed if a message ends with its
//! block, and refuted if it would end after the block. The best confirmed size is fixed first, and used in all blocks.

use super::chain::Track;
use super::rule::{Endian, Rule, Size};

/// Maximum number of blocks used.
const BLOCKS: usize = 1024;

/// Maximum number of kinds in a table.
const KINDS: usize = 64;

/// Number of occurrences of a kind on which sizes are tried.
const OCCURRENCES: usize = 16;

/// Number of kinds compared at a time.
const RIVALS: usize = 6;

/// Number of messages followed after a tried size.
const AHEAD: usize = 24;

/// Number of offsets tried for the kind.
pub const OFFSETS: usize = 3;

/// Cost of a table entry in bits: the maximum gain of the block that shows its size, plus the kind.
const ENTRY: f64 = 12.0;

/// Sizes by the byte at an offset, as far as turns show them; `None` if they contradict each other.
#[must_use]
pub fn learn(tracks: &[Track<'_>], offset: usize) -> Option<Rule> {
    let blocks = blocks(tracks);
    let mut first: Vec<u8> = blocks.iter().filter_map(|block| block.get(offset).copied()).collect();
    first.sort_unstable();
    first.dedup();
    // A size shown by one block is only assumed, so each kind must begin several.
    if blocks.len() < 4 || first.len() > KINDS.min(blocks.len() / 3) {
        return None;
    }
    let mut table = Table { offset, sizes: vec![None; 256], count: 0 };
    while table.count < KINDS {
        let open = table.open(&blocks)?;
        let mut rivals: Vec<(u8, Vec<&[u8]>)> = open.into_iter().collect();
        if rivals.is_empty() {
            break;
        }
        rivals.sort_by_key(|(kind, places)| (std::cmp::Reverse(places.len()), *kind));
        let best = rivals.iter().take(RIVALS).filter_map(|(kind, places)| {
            let (size, bits) = table.best(*kind, places)?;
            Some((bits, *kind, size))
        });
        let (_, kind, size) = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        table.set(kind, size);
    }
    table.rule()
}

/// Cost of a table in bits.
#[must_use]
pub fn cost(sizes: &[(u8, Size)]) -> f64 {
    8.0 + ENTRY * sizes.len() as f64
}

/// The bytes between turns with known start and end.
fn blocks<'a>(tracks: &[Track<'a>]) -> Vec<&'a [u8]> {
    let mut blocks = Vec::new();
    for track in tracks {
        let spans = track.between_turns().filter_map(|(start, end)| track.bytes.get(start..end));
        blocks.extend(spans.filter(|block| !block.is_empty()));
    }
    blocks.truncate(BLOCKS);
    blocks
}

/// Sizes assumed so far.
struct Table {
    offset: usize,
    sizes: Vec<Option<Size>>,
    count: usize,
}

/// The end of a walk through a block.
enum Stop {
    /// At the end of the block.
    End,
    /// At a kind of unknown size, with this many bytes left.
    Open(u8, usize),
    /// Beyond the block.
    Beyond,
}

impl Table {
    fn set(&mut self, kind: u8, size: Size) {
        if let Some(place) = self.sizes.get_mut(usize::from(kind)) {
            self.count += usize::from(place.is_none());
            *place = Some(size);
        }
    }

    /// Walks through the rest of a block, with `size` assumed for `kind`.
    fn walk(&self, mut rest: &[u8], kind: Option<(u8, Size)>, most: usize) -> Stop {
        for _ in 0..most {
            if rest.is_empty() {
                return Stop::End;
            }
            let Some(own) = rest.get(self.offset).copied() else { return Stop::Beyond };
            let known = self.sizes.get(usize::from(own)).copied().flatten();
            let Some(size) = kind.filter(|(tried, _)| *tried == own).map(|(_, size)| size).or(known) else {
                return Stop::Open(own, rest.len());
            };
            match size.of(self.offset, rest).and_then(|total| rest.get(total..)) {
                Some(behind) if behind.len() < rest.len() => rest = behind,
                _ => return Stop::Beyond,
            }
        }
        Stop::Open(0, rest.len())
    }

    /// Rests of blocks that begin with a kind of unknown size; `None` if more than one block in twenty contradicts the table.
    fn open<'a>(&self, blocks: &[&'a [u8]]) -> Option<std::collections::BTreeMap<u8, Vec<&'a [u8]>>> {
        let mut open = std::collections::BTreeMap::<u8, Vec<&'a [u8]>>::new();
        let mut beyond = 0;
        for block in blocks {
            match self.walk(block, None, usize::MAX) {
                Stop::Open(kind, left) => {
                    let places = open.entry(kind).or_default();
                    places.extend(block.get(block.len() - left..));
                }
                Stop::Beyond => beyond += 1,
                Stop::End => {}
            }
        }
        (beyond * 20 <= blocks.len()).then_some(open)
    }

    /// The size of a kind that most occurrences confirm, with the bits gained.
    fn best(&self, kind: u8, places: &[&[u8]]) -> Option<(Size, f64)> {
        let stride = places.len().div_ceil(OCCURRENCES).max(1);
        let sample: Vec<&[u8]> = places.iter().step_by(stride).copied().collect();
        let least = sample.iter().map(|place| place.len()).min()?;
        let mut fixed: Vec<usize> = sample.iter().map(|place| place.len()).filter(|size| *size <= least).collect();
        fixed.extend(self.offset + 1..=least.min(48));
        fixed.sort_unstable();
        fixed.dedup();
        let counted = [(1, Endian::Big), (2, Endian::Big), (2, Endian::Little)];
        let sizes = counted.into_iter().map(|(width, endian)| Size::Counted { width, endian });
        let tried = fixed.into_iter().map(Size::Fixed).chain(sizes);
        let scored = tried.filter_map(|size| Some((size, self.score(kind, size, &sample)?)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Bits gained by a size; `None` if it is refuted.
    fn score(&self, kind: u8, size: Size, sample: &[&[u8]]) -> Option<f64> {
        let mut bits = if matches!(size, Size::Fixed(_)) { 0.0 } else { -2.0 };
        let mut beyond = 0;
        let mut lengths: Vec<usize> = Vec::new();
        for place in sample {
            match self.walk(place, Some((kind, size)), AHEAD) {
                // A repeated block confirms little.
                Stop::End if lengths.contains(&place.len()) => bits += 1.0,
                Stop::End => {
                    bits += (place.len() as f64).log2().min(8.0);
                    lengths.push(place.len());
                }
                Stop::Open(next, _) => bits -= if next == kind { 0.0 } else { 1.0 },
                Stop::Beyond => beyond += 1,
            }
        }
        (beyond * 10 <= sample.len()).then_some(bits)
    }

    fn rule(self) -> Option<Rule> {
        let sizes = (0_u8..=255).zip(self.sizes).filter_map(|(kind, size)| Some((kind, size?)));
        let sizes: Vec<(u8, Size)> = sizes.collect();
        // A common size of all kinds is a simpler rule.
        let is_one = sizes.windows(2).all(|pair| pair.first().map(|first| first.1) == pair.last().map(|last| last.1));
        (sizes.len() >= 2 && !is_one).then_some(Rule::Table { offset: self.offset, sizes })
    }
}
