//! Learns how long messages of each kind are, for protocols without one length field.
//!
//! The bytes between two turns are a block of whole messages. A size assumed for a kind is confirmed if a message ends with its
//! block, and refuted if it would end after the block. The best confirmed size is fixed first, and used in all blocks.

use super::chain::Track;
use super::rule::{Endian, Number, Step};
use super::table::{Key, Size, Table};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of blocks used.
const BLOCKS: usize = 1024;

/// Maximum number of kinds in a table, and of kinds that have length fields only.
const KINDS: usize = 64;
const HEADERS: usize = 6;

/// Number of occurrences of a kind on which sizes are tried.
const OCCURRENCES: usize = 16;

/// Number of kinds compared at a time.
const RIVALS: usize = 6;

/// Number of messages followed after a tried size.
const AHEAD: usize = 24;

/// Number of offsets tried for the kind.
pub const OFFSETS: usize = 3;

/// Largest constant size that no block shows.
const SHORT: usize = 48;

/// Cost of a table entry in bits: the maximum gain of the block that shows its size, plus the kind.
const ENTRY: f64 = 12.0;

/// Values of a length of one byte that announce a longer one.
const ESCAPES: [u16; 3] = [0xff, 0xfe, 0x00];

/// Widths and byte orders of length fields.
const NUMBERS: [(usize, Endian); 5] =
    [(1, Endian::Big), (2, Endian::Big), (2, Endian::Little), (4, Endian::Big), (4, Endian::Little)];

/// The sizes that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forms {
    /// Length fields of several places.
    Lengths,
    /// Constant sizes, and length fields directly behind the key.
    All,
}

/// The bytes between turns with known start and end.
pub struct Blocks<'a> {
    all: Vec<&'a [u8]>,
    /// Length fields that some blocks of one message show.
    lengths: Vec<Size>,
}

/// Number of blocks in which length fields are searched, and the places of those.
const SEARCHED: usize = 256;
const PLACES: usize = OFFSETS + 5;

/// Bytes that a length field excludes behind its end.
const EXCLUDED: usize = 8;

impl<'a> Blocks<'a> {
    #[must_use]
    pub fn new(tracks: &[Track<'a>]) -> Blocks<'a> {
        let mut blocks = Vec::new();
        for track in tracks {
            let spans = track.between_turns().filter_map(|(start, end)| track.bytes.get(start..end));
            blocks.extend(spans.filter(|block| !block.is_empty()));
        }
        let stride = blocks.len().div_ceil(BLOCKS).max(1);
        let all: Vec<&[u8]> = blocks.into_iter().step_by(stride).collect();
        let lengths = shown_lengths(&all);
        Blocks { all, lengths }
    }
}

/// Length fields that give the size of at least two blocks, and of one in 32.
fn shown_lengths(blocks: &[&[u8]]) -> Vec<Size> {
    let stride = blocks.len().div_ceil(SEARCHED).max(1);
    let sample: Vec<&[u8]> = blocks.iter().step_by(stride).copied().collect();
    let least = (sample.len() / 32).max(2);
    let mut all = Vec::new();
    for offset in 0..PLACES {
        for (width, endian) in NUMBERS {
            let at = Number { offset, width, endian };
            let mut counts = [0_usize; PLACES + 4 + EXCLUDED];
            for block in &sample {
                let more = at.read(block).and_then(|value| (block.len() as u64).checked_sub(value));
                let place = more.and_then(|more| usize::try_from(more).ok()).filter(|more| *more <= at.end() + EXCLUDED);
                place.and_then(|place| counts.get_mut(place)).into_iter().for_each(|count| *count += 1);
            }
            let shown = counts.into_iter().enumerate().filter(|(_, count)| *count >= least);
            all.extend(shown.map(|(bias, _)| Size::Counted { at, bias: i64::try_from(bias).unwrap_or(0) }));
        }
    }
    all
}

/// Sizes by the value of a key, as far as turns show them; `None` if they contradict each other.
#[must_use]
pub fn learn(blocks: &Blocks<'_>, key: Key, forms: Forms) -> Option<Table> {
    let lengths = lengths(blocks, key, forms);
    let blocks = &blocks.all;
    let mut first: Vec<u16> = blocks.iter().filter_map(|block| key.read(block)).collect();
    first.sort_unstable();
    first.dedup();
    let most = if forms == Forms::All { KINDS } else { HEADERS };
    // A size shown by one block is only assumed, so each kind must begin several.
    if blocks.len() < 4
        || first.len() > most.min(blocks.len() / 3)
        || (first.len() < 2 || lengths.is_empty()) && forms == Forms::Lengths
    {
        return None;
    }
    let mut learner = Learner { key, forms, lengths, sizes: HashMap::default() };
    while learner.sizes.len() <= most {
        let open = learner.open(blocks)?;
        let mut rivals: Vec<(u16, Vec<&[u8]>)> = open.into_iter().collect();
        if rivals.is_empty() {
            break;
        }
        rivals.sort_by_key(|(kind, places)| (std::cmp::Reverse(places.len()), *kind));
        let best = rivals.iter().take(RIVALS).filter_map(|(kind, places)| {
            let (size, bits) = learner.best(*kind, places)?;
            Some((bits, *kind, size))
        });
        let Some((_, kind, size)) = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))) else {
            // Kinds that hardly occur may stay unknown.
            let unknown: usize = rivals.iter().map(|(_, places)| places.len()).sum();
            if unknown * 20 > blocks.len() {
                return None;
            }
            break;
        };
        learner.sizes.insert(kind, size);
    }
    learner.table(blocks, most)
}

/// Length fields that are tried, with the bits that they cost.
fn lengths(blocks: &Blocks<'_>, key: Key, forms: Forms) -> Vec<(Size, f64)> {
    let behind = key.at.end();
    if forms == Forms::All {
        let of = |(width, endian)| {
            let natural = Size::behind(behind, width, endian);
            [natural, Size::Counted { at: Number { offset: behind, width, endian }, bias: 0 }]
        };
        return NUMBERS.into_iter().flat_map(of).map(|size| (size, 2.0)).collect();
    }
    let cost = |size: &Size| {
        let Size::Counted { at, bias } = *size else { return None };
        // A length field neither overlaps the key nor stands far behind it.
        let is_apart = at.end() <= key.at.offset || (behind..behind + 4).contains(&at.offset);
        let excluded = usize::try_from(bias).ok()?;
        let usual = if excluded == 0 || excluded == at.end() { 2.0 } else { 3.5 };
        is_apart.then_some((*size, usual + 0.25 * at.offset.abs_diff(behind) as f64))
    };
    blocks.lengths.iter().filter_map(cost).collect()
}

/// The same table with the byte order of its key, if that has two bytes of which the high one changes little.
#[must_use]
pub fn ordered(table: Table) -> Option<Table> {
    let swapped: Vec<(u16, Size)> = table.sizes.iter().map(|(value, size)| (value.swap_bytes(), *size)).collect();
    let sum = |sizes: &[(u16, Size)]| sizes.iter().map(|(value, _)| u64::from(*value)).sum::<u64>();
    let little = Key { at: Number { endian: Endian::Little, ..table.key.at }, ..table.key };
    let mut table = if sum(&swapped) < sum(&table.sizes) { Table { key: little, sizes: swapped, ..table } } else { table };
    table.sizes.sort_unstable();
    let mut high: Vec<u16> = table.sizes.iter().map(|(value, _)| value >> 8).collect();
    high.dedup();
    (high.len() <= 4 && high.iter().all(|high| *high < 0x20)).then_some(table)
}

/// A length of one byte, one value of which announces a longer length behind it.
#[must_use]
pub fn escapes(blocks: &Blocks<'_>) -> Vec<Table> {
    let blocks = &blocks.all;
    let mut all = Vec::new();
    for offset in 0..OFFSETS {
        let key = Key::whole(offset, 1, Endian::Big);
        for value in ESCAPES {
            let escaped = blocks.iter().filter(|block| key.read(block) == Some(value)).count();
            if escaped == 0 || escaped * 2 > blocks.len() {
                continue;
            }
            let tables = NUMBERS.into_iter().skip(1).flat_map(|(width, endian)| {
                let at = Number { offset: offset + 1, width, endian };
                [None, Some(0), Some(1)].map(|more| escape(key, value, at, more))
            });
            let ends = |table: &Table| blocks.iter().filter(|block| is_run(table, block)).count();
            let best = tables.map(|table| (ends(&table), table)).max_by_key(|(ends, _)| *ends);
            all.extend(best.filter(|(ends, _)| ends * 10 >= blocks.len() * 8).map(|(_, table)| table));
        }
    }
    all
}

/// Lengths of all bytes, or of those behind `more` bytes after the length.
fn escape(key: Key, value: u16, at: Number, more: Option<i64>) -> Table {
    let size = |at: Number| {
        let end = i64::try_from(at.end()).unwrap_or(0);
        Size::Counted { at, bias: more.map_or(0, |more| end + more) }
    };
    Table { key, sizes: vec![(value, size(at))], other: Some(size(key.at)) }
}

/// Whether a block is a run of messages.
fn is_run(table: &Table, block: &[u8]) -> bool {
    let mut rest = block;
    while !rest.is_empty() {
        match table.step(rest) {
            Step::Message(size) => rest = rest.get(size..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

/// Cost of a table in bits.
#[must_use]
pub fn cost(table: &Table) -> f64 {
    let place = 2.0 * table.key.at.offset as f64 + if table.key.is_whole() { 0.0 } else { 4.0 };
    // Of two keys that select alike, the wider one says more.
    let base = place + if table.key.at.width == 1 { 8.0 } else { 7.5 };
    if !table.is_switch() {
        return base + ENTRY * table.sizes.len() as f64;
    }
    let mut known: Vec<Size> = Vec::new();
    let mut bits = base;
    for size in table.all() {
        let is_same = |other: &Size| other.number() == size.number();
        bits += match known.contains(&size) {
            true => 0.0,
            false if known.iter().any(is_same) => 4.0,
            false => 6.0,
        };
        known.push(size);
    }
    // A whole byte that says as much as one bit of it is the better reading.
    bits + if table.key.is_whole() { 0.9 * table.sizes.len() as f64 } else { 0.0 }
}

/// Sizes assumed so far.
struct Learner {
    key: Key,
    forms: Forms,
    /// Length fields that are tried.
    lengths: Vec<(Size, f64)>,
    sizes: HashMap<u16, Size, foldhash::fast::RandomState>,
}

/// The end of a walk through a block.
enum Stop {
    /// At the end of the block.
    End,
    /// At a kind of unknown size, with this many bytes left.
    Open(u16, usize),
    /// Beyond the block.
    Beyond,
}

impl Learner {
    /// Walks through the rest of a block, with `size` assumed for `kind`.
    fn walk(&self, mut rest: &[u8], kind: Option<(u16, Size)>, most: usize) -> Stop {
        for _ in 0..most {
            if rest.is_empty() {
                return Stop::End;
            }
            let Some(own) = self.key.read(rest) else { return Stop::Beyond };
            let tried = kind.filter(|(tried, _)| *tried == own).map(|(_, size)| size);
            let Some(size) = tried.or_else(|| self.sizes.get(&own).copied()) else {
                return Stop::Open(own, rest.len());
            };
            match size.step(self.key.at.end(), rest) {
                Step::Message(size) => rest = rest.get(size..).unwrap_or_default(),
                _ => return Stop::Beyond,
            }
        }
        Stop::Open(0, rest.len())
    }

    /// Rests of blocks that begin with a kind of unknown size; `None` if more than one block in twenty contradicts the table.
    fn open<'a>(&self, blocks: &[&'a [u8]]) -> Option<BTreeMap<u16, Vec<&'a [u8]>>> {
        let mut open = BTreeMap::<u16, Vec<&'a [u8]>>::new();
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
    fn best(&self, kind: u16, places: &[&[u8]]) -> Option<(Size, f64)> {
        let stride = places.len().div_ceil(OCCURRENCES).max(1);
        let sample: Vec<&[u8]> = places.iter().step_by(stride).copied().collect();
        let mut fixed: Vec<usize> = Vec::new();
        if self.forms == Forms::All {
            let least = sample.iter().map(|place| place.len()).min()?;
            fixed.extend(sample.iter().map(|place| place.len()).filter(|size| *size <= least));
            fixed.extend(self.key.at.end()..=least.min(SHORT));
            fixed.sort_unstable();
            fixed.dedup();
        }
        let tried = fixed.into_iter().map(|size| (Size::Fixed(size), 0.0)).chain(self.lengths.iter().copied());
        let scored = tried.filter_map(|(size, cost)| Some((size, self.score(kind, size, &sample)? - cost)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Bits gained by a size; `None` if it is refuted.
    fn score(&self, kind: u16, size: Size, sample: &[&[u8]]) -> Option<f64> {
        let mut bits = self.likeness(size);
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
            if beyond * 10 > sample.len() {
                return None;
            }
        }
        Some(bits)
    }

    /// Bits for a length field like that of another kind.
    fn likeness(&self, size: Size) -> f64 {
        let is_like =
            |of: fn(Size) -> Option<Number>| of(size).is_some() && self.sizes.values().any(|known| of(*known) == of(size));
        match self.forms {
            Forms::Lengths if self.sizes.values().any(|known| *known == size) => 4.0,
            Forms::Lengths if is_like(Size::number) => 2.0,
            _ => 0.0,
        }
    }

    /// The table, if the messages of all blocks support it.
    fn table(mut self, blocks: &[&[u8]], most: usize) -> Option<Table> {
        let support = self.support(blocks);
        let of = |kind: u16| support.get(&kind).map_or(&[][..], Vec::as_slice);
        let known: Vec<(u16, Size)> = self.sizes.iter().map(|(kind, size)| (*kind, *size)).collect();
        for (kind, size) in &known {
            let mut sizes = of(*kind).to_vec();
            let count = sizes.len();
            sizes.sort_unstable();
            sizes.dedup();
            let is_shared =
                size.number().is_some() && known.iter().any(|(other, same)| other != kind && same.number() == size.number());
            match (self.forms, sizes.as_slice()) {
                // A length that never varies is none, and one case that fits by chance explains nothing.
                (Forms::Lengths, sizes) if sizes.len() < 2 || count < if is_shared { 2 } else { 3 } => return None,
                (Forms::All, [only]) if size.number().is_some() => {
                    self.sizes.insert(*kind, Size::Fixed(*only));
                }
                _ => {}
            }
        }
        if known.iter().filter(|(kind, _)| of(*kind).len() > 1).count() < 2 {
            return None;
        }
        let mut sizes: Vec<(u16, Size)> = self.sizes.into_iter().collect();
        sizes.sort_unstable();
        // A common size of all kinds is a simpler rule.
        let is_one = sizes.windows(2).all(|pair| pair.first().map(|first| first.1) == pair.last().map(|last| last.1));
        let is_table = (2..=most).contains(&sizes.len()) && !is_one;
        is_table.then_some(Table { key: self.key, sizes, other: None })
    }

    /// Sizes of the messages of each kind, in blocks that are whole runs.
    fn support(&self, blocks: &[&[u8]]) -> HashMap<u16, Vec<usize>, foldhash::fast::RandomState> {
        let mut all: HashMap<u16, Vec<usize>, foldhash::fast::RandomState> = HashMap::default();
        let mut run: Vec<(u16, usize)> = Vec::new();
        for block in blocks {
            run.clear();
            let mut rest = *block;
            while let Some(kind) = self.key.read(rest) {
                let step = self.sizes.get(&kind).map(|size| size.step(self.key.at.end(), rest));
                let Some(Step::Message(size)) = step else { break };
                run.push((kind, size));
                rest = rest.get(size..).unwrap_or_default();
            }
            if rest.is_empty() {
                run.iter().for_each(|(kind, size)| all.entry(*kind).or_default().push(*size));
            }
        }
        all
    }
}
