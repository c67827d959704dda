//! Learns how long messages of each kind are where nothing but the kind determines it.
//!
//! Between two turns stands a block of whole messages. A size that is assumed for a kind is confirmed where a message ends
//! with its block, and refuted where it would end behind it. What is confirmed best is assumed first, and takes the place
//! of the unknown in all blocks that it occurs in.

use super::chain::Track;
use super::rule::{Endian, Rule, Size};

/// Blocks that are learned from.
const BLOCKS: usize = 1024;

/// Kinds of a table.
const KINDS: usize = 64;

/// Occurrences of a kind on which sizes are tried.
const OCCURRENCES: usize = 16;

/// Kinds that are weighed against each other at a time.
const RIVALS: usize = 6;

/// Messages that are followed behind a size that is tried.
const AHEAD: usize = 24;

/// Offsets at which the byte of the kind is sought.
pub const OFFSETS: usize = 3;

/// Bits that an entry of a table costs: as much as the block that shows its size can be worth, and more for the kind.
const ENTRY: f64 = 12.0;

/// Sizes by the byte at an offset, as far as turns show them; `None` if these contradict each other.
#[must_use]
pub fn learn(tracks: &[Track<'_>], offset: usize) -> Option<Rule> {
    let blocks = blocks(tracks);
    let mut first: Vec<u8> = blocks.iter().filter_map(|block| block.get(offset).copied()).collect();
    first.sort_unstable();
    first.dedup();
    // A size that one block shows is only assumed, so each kind begins some.
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

/// Bits that a table costs.
#[must_use]
pub fn cost(sizes: &[(u8, Size)]) -> f64 {
    8.0 + ENTRY * sizes.len() as f64
}

/// The bytes between turns, where both ends are known.
fn blocks<'a>(tracks: &[Track<'a>]) -> Vec<&'a [u8]> {
    let mut blocks = Vec::new();
    for track in tracks {
        let mut start = 0;
        for end in track.first_turns() {
            blocks.extend(track.bytes.get(start..end).filter(|block| !block.is_empty()));
            start = end;
        }
    }
    blocks.truncate(BLOCKS);
    blocks
}

/// Sizes that are assumed.
struct Table {
    offset: usize,
    sizes: Vec<Option<Size>>,
    count: usize,
}

/// Where a walk through a block ends.
enum Stop {
    /// With the block.
    End,
    /// In front of a kind of unknown size, with so many bytes left.
    Open(u8, usize),
    /// Behind the block.
    Beyond,
}

impl Table {
    fn set(&mut self, kind: u8, size: Size) {
        if let Some(place) = self.sizes.get_mut(usize::from(kind)) {
            self.count += usize::from(place.is_none());
            *place = Some(size);
        }
    }

    /// Walks through the rest of a block, in which `kind` has `size` for the time being.
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

    /// Rests of blocks that begin with a kind of unknown size; `None` if more than one block in twenty contradicts.
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

    /// The size of a kind that most of its places confirm, and by how many bits.
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
        let judged = tried.filter_map(|size| Some((size, self.judge(kind, size, &sample)?)));
        judged.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Bits that speak for a size; `None` if it contradicts.
    fn judge(&self, kind: u8, size: Size, sample: &[&[u8]]) -> Option<f64> {
        let mut bits = if matches!(size, Size::Fixed(_)) { 0.0 } else { -2.0 };
        let mut beyond = 0;
        let mut lengths: Vec<usize> = Vec::new();
        for place in sample {
            match self.walk(place, Some((kind, size)), AHEAD) {
                // The same block once more confirms little.
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
        // One size for all is a simpler rule.
        let is_one = sizes.windows(2).all(|pair| pair.first().map(|first| first.1) == pair.last().map(|last| last.1));
        (sizes.len() >= 2 && !is_one).then_some(Rule::Table { offset: self.offset, sizes })
    }
}
