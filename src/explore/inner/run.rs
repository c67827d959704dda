//! Elements in datagrams and frames: behind a header of constant size, each states its length, and they fill the block exactly.

use super::super::rule::{Endian, Number, Rule};
use super::super::side::Side;
use super::{Block, bytes_of};
use std::collections::BTreeSet;
use std::fmt;

/// Bytes of the header of a datagram that are tried.
const HEADERS: usize = 24;
/// Offsets of the length in an element.
const OFFSETS: usize = 28;
/// Bytes that a length may leave out.
const EXCLUDED: i64 = 40;
/// Widths of a length, the most specific first.
const WIDTHS: [usize; 3] = [4, 2, 1];
/// Datagrams that are searched, and those that suggest what a length leaves out.
const SEARCHED: usize = 600;
const SUGGESTING: usize = 12;
/// Fewest elements, datagrams with several, and different lengths.
const ELEMENTS: usize = 8;
const SEVERAL: usize = 3;
const LENGTHS: usize = 3;
/// Different sizes of datagrams without elements, such as those of a handshake.
const OTHERS: usize = 3;
/// Fewest frames with elements.
const FRAMES: usize = 12;
/// Datagrams without elements that may come first.
const FIRST: usize = 4;

/// A run of elements in each block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inner {
    /// Bytes before the first element.
    pub header: usize,
    /// Where an element states its length.
    pub at: Number,
    /// Bytes of an element that the length leaves out.
    pub bias: i64,
    /// Number of elements.
    pub elements: usize,
    /// Number of datagrams that consist of elements.
    pub datagrams: usize,
    /// Number of datagrams.
    pub of: usize,
    /// Number of datagrams with several elements.
    pub several: usize,
    /// Sizes of the other datagrams.
    pub others: Vec<usize>,
    /// Whether the blocks are frames of a stream.
    pub in_frames: bool,
    /// The number of elements in the header, if it states it.
    pub count: Option<Number>,
}

impl Inner {
    /// Reports start and end of each element of a block, as offsets in the bytes of its side.
    pub fn elements(&self, sides: &[Side], block: Block, mut element: impl FnMut(usize, usize)) {
        if self.others.contains(&(block.end - block.start)) {
            return;
        }
        let bytes = bytes_of(sides, block);
        let mut at = self.header;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let next = length(rest, self.at, self.bias).map_or(bytes.len(), |length| at.saturating_add(length).min(bytes.len()));
            element(block.start + at, block.start + next);
            at = next;
        }
    }

    /// The rule of an element.
    #[must_use]
    pub fn rule(&self) -> Rule {
        Rule::Length { at: self.at, bias: self.bias, scale: 1, padding: None }
    }
}

/// `a run of length@24:u32le+28`, `after 12 bytes a run of length@4:u32be`.
impl fmt::Display for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.header > 0 {
            write!(f, "after {} byte{} ", self.header, if self.header == 1 { "" } else { "s" })?;
        }
        write!(f, "a run of {}", self.rule())?;
        self.count.map_or(Ok(()), |count| write!(f, ", counted at {count}"))
    }
}

/// The elements of these blocks, if they have any.
#[must_use]
pub fn find(sides: &[Side], blocks: &[Block], in_frames: bool) -> Option<Inner> {
    let datagrams: Vec<&[u8]> = blocks.iter().take(SEARCHED).map(|block| bytes_of(sides, *block)).collect();
    let shortest = datagrams.iter().map(|bytes| bytes.len()).min()?;
    let orders = |width: usize| Endian::BOTH.into_iter().filter(move |endian| width > 1 || *endian == Endian::Big);
    let numbers = (0..OFFSETS).flat_map(|offset| {
        WIDTHS.into_iter().flat_map(move |width| orders(width).map(move |endian| Number { offset, width, endian }))
    });
    let numbers: Vec<Number> = numbers.collect();
    let mut best: Option<(Inner, (usize, bool, usize, usize))> = None;
    for header in 0..=HEADERS.min(shortest) {
        for at in &numbers {
            for bias in biases(&datagrams, header, *at) {
                let Some(found) = tiled(&datagrams, header, *at, bias) else { continue };
                let is_natural = bias == 0 || usize::try_from(bias) == Ok(at.end());
                let rank = (found.datagrams, is_natural, at.width, HEADERS - header);
                if best.as_ref().is_none_or(|(_, known)| rank > *known) {
                    best = Some((found, rank));
                }
            }
        }
    }
    let (mut found, _) = best?;
    // A few of many frames may seem to have several elements by chance.
    if in_frames && (found.datagrams < FRAMES || found.several * 20 < found.datagrams) {
        return None;
    }
    found.in_frames = in_frames;
    found.count = counted(&datagrams, &found);
    Some(found)
}

/// The number in the header that is that of elements.
fn counted(datagrams: &[&[u8]], found: &Inner) -> Option<Number> {
    let counts: Vec<(&[u8], u64)> = datagrams
        .iter()
        .filter(|bytes| !found.others.contains(&bytes.len()))
        .filter_map(|bytes| {
            let elements = count(bytes.get(found.header..)?, found.at, found.bias, &mut BTreeSet::new())?;
            Some((*bytes, elements as u64))
        })
        .collect();
    let shapes = [(2, Endian::Big), (2, Endian::Little), (1, Endian::Big)];
    let numbers = shapes.into_iter().flat_map(|(width, endian)| {
        (0..(found.header + 1).saturating_sub(width)).map(move |offset| Number { offset, width, endian })
    });
    let mut numbers: Vec<Number> =
        numbers.filter(|at| counts.iter().all(|(bytes, count)| at.read(bytes) == Some(*count))).collect();
    // It usually stands before the elements.
    numbers.sort_by_key(|at| std::cmp::Reverse((at.end(), at.width)));
    numbers.first().copied()
}

/// What the length leaves out if some of the first datagrams have one element.
fn biases(datagrams: &[&[u8]], header: usize, at: Number) -> BTreeSet<i64> {
    let of = |bytes: &&[u8]| {
        let element = bytes.get(header..)?;
        i64::try_from(element.len()).ok()?.checked_sub(i64::try_from(at.read(element)?).ok()?)
    };
    let one = datagrams.iter().take(SUGGESTING).filter_map(of);
    one.filter(|bias| (0..=EXCLUDED).contains(bias)).collect()
}

/// Whether nearly all datagrams are a header and elements.
fn tiled(datagrams: &[&[u8]], header: usize, at: Number, bias: i64) -> Option<Inner> {
    let (mut elements, mut several, mut lengths, mut others) = (0, 0, BTreeSet::new(), BTreeSet::new());
    let (mut sizes, mut failures) = (BTreeSet::new(), 0);
    for (number, bytes) in datagrams.iter().enumerate() {
        let count = count(bytes.get(header..).unwrap_or_default(), at, bias, &mut lengths);
        match count {
            Some(count) => {
                elements += count;
                several += usize::from(count > 1);
                sizes.insert(bytes.len());
            }
            None => {
                failures += 1;
                others.insert(bytes.len());
            }
        }
        // A handshake may stand in front.
        if failures > number / 5 + FIRST || others.len() > OTHERS {
            return None;
        }
    }
    if failures * 5 > datagrams.len() {
        return None;
    }
    // Other datagrams are distinguished by their size.
    let is_apart = others.is_disjoint(&sizes);
    let is_enough = elements >= ELEMENTS && several >= SEVERAL && lengths.len() >= 2;
    if !is_apart || !is_enough || are_zeros(datagrams, header, at, bias) {
        return None;
    }
    let mut found = Inner {
        header,
        at,
        bias,
        elements,
        datagrams: datagrams.len() - failures,
        of: datagrams.len(),
        several,
        others: others.into_iter().collect(),
        in_frames: false,
        count: None,
    };
    // Two lengths suffice if the header states the number of elements.
    if lengths.len() < LENGTHS {
        found.count = Some(counted(datagrams, &found)?);
    }
    Some(found)
}

/// Whether half of the elements are zeros, which fill what has a length of zero.
fn are_zeros(datagrams: &[&[u8]], header: usize, at: Number, bias: i64) -> bool {
    let (mut zeros, mut all) = (0, 0);
    for bytes in datagrams {
        let mut bytes = bytes.get(header..).unwrap_or_default();
        while let Some((element, rest)) = length(bytes, at, bias).and_then(|length| bytes.split_at_checked(length)) {
            all += 1;
            zeros += usize::from(element.iter().all(|byte| *byte == 0));
            bytes = rest;
        }
    }
    zeros * 2 >= all
}

/// The length of the element at the beginning of these bytes.
fn length(bytes: &[u8], at: Number, bias: i64) -> Option<usize> {
    let length = i64::try_from(at.read(bytes)?).ok()?.checked_add(bias)?;
    usize::try_from(length).ok().filter(|length| *length >= at.end())
}

/// The number of elements that fill these bytes exactly.
fn count(mut bytes: &[u8], at: Number, bias: i64, lengths: &mut BTreeSet<usize>) -> Option<usize> {
    let mut count = 0;
    while !bytes.is_empty() {
        let length = length(bytes, at, bias)?;
        bytes = bytes.get(length..)?;
        if lengths.len() < LENGTHS {
            lengths.insert(length);
        }
        count += 1;
    }
    (count > 0).then_some(count)
}
