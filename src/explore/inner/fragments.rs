//! Fragments: each datagram is a part of a message, and states which of how many.

use super::super::rule::{Endian, Number};
use super::super::side::Side;
use super::{Block, bytes_of};
use std::fmt;

/// Offsets of index and count.
const OFFSETS: usize = 40;
/// Datagrams that are searched, and the fewest that are followed by another part.
const SEARCHED: usize = 800;
const FOLLOWED: usize = 4;
/// Fewest messages of several parts whose last part is there.
const COMPLETE: usize = 3;
/// Fewest datagrams.
const DATAGRAMS: usize = 12;

/// How datagrams state the part that they carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragments {
    /// The number of the part.
    pub index: Number,
    /// The number of the first part: 0 or 1.
    pub first: u64,
    /// The number of parts.
    pub count: Number,
    /// The number of the message, if it has one.
    pub message: Option<Number>,
    /// Bytes before the payload.
    pub header: usize,
    /// Number of messages, of those with several parts, and of datagrams.
    pub messages: usize,
    pub several: usize,
    pub datagrams: usize,
}

impl Fragments {
    /// The start of the payload, if this datagram has the first part of a message.
    pub(super) fn first(&self, sides: &[Side], block: Block) -> Option<usize> {
        let bytes = bytes_of(sides, block);
        let is_first = self.index.read(bytes)? == self.first && bytes.len() >= self.header;
        is_first.then_some(block.start + self.header)
    }
}

/// `fragments: part at 6:u8 of 7:u8, message 2:u32le`.
impl fmt::Display for Fragments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fragments: part at {} of {}", self.index, self.count)?;
        self.message.map_or(Ok(()), |message| write!(f, ", message {message}"))
    }
}

/// A datagram of a side.
struct Part<'a> {
    side: usize,
    bytes: &'a [u8],
}

/// What index and count show.
struct Chain {
    messages: usize,
    several: usize,
    /// Datagrams that do not continue the one before.
    broken: usize,
}

/// The places of index and count with which datagrams follow each other.
#[must_use]
pub fn find(sides: &[Side], blocks: &[Block]) -> Option<Fragments> {
    let parts: Vec<Part<'_>> =
        blocks.iter().take(SEARCHED).map(|block| Part { side: block.side, bytes: bytes_of(sides, *block) }).collect();
    let shortest = parts.iter().map(|part| part.bytes.len()).min()?.min(OFFSETS);
    if parts.len() < DATAGRAMS {
        return None;
    }
    let byte = |offset: usize| Number { offset, width: 1, endian: Endian::Big };
    let pairs =
        (0..shortest).flat_map(|index| (0..shortest).map(move |count| (index, count))).filter(|(one, other)| one != other);
    let tried = pairs.flat_map(|(index, count)| [0, 1].map(|first| (byte(index), byte(count), first)));
    let found = tried.filter_map(|(index, count, first)| Some((chain(&parts, index, count, first)?, index, count, first)));
    // Numbers beside each other are more likely than others.
    let (chain, index, count, first) =
        found.min_by_key(|(chain, index, count, _)| (chain.broken, count.offset.abs_diff(index.offset), index.offset))?;
    let (index, count) = widened(&parts, index, count);
    let message = message(&parts, index, first, &[index, count]);
    let header = [Some(index), Some(count), message].into_iter().flatten().map(Number::end).max()?;
    let (messages, several, datagrams) = (chain.messages, chain.several, parts.len());
    Some(Fragments { index, first, count, message, header, messages, several, datagrams })
}

/// Whether datagrams of a side are the parts of messages in order; few are out of order or lost.
fn chain(parts: &[Part<'_>], index: Number, count: Number, first: u64) -> Option<Chain> {
    let mut found = Chain { messages: 0, several: 0, broken: 0 };
    let mut before: Option<(usize, u64, u64)> = None;
    let (mut followed, mut complete) = (0, 0);
    for (number, part) in parts.iter().enumerate() {
        let (at, all) = (index.read(part.bytes)?.wrapping_sub(first), count.read(part.bytes)?);
        let is_next = match before.filter(|(side, ..)| *side == part.side) {
            Some((_, last, known)) if last + 1 < known => at == last + 1 && all == known,
            _ => at == 0,
        };
        // The number of parts is never exceeded.
        if at >= all {
            return None;
        }
        found.broken += usize::from(!is_next);
        if found.broken > number / 10 + 1 {
            return None;
        }
        followed += usize::from(is_next && at > 0);
        complete += usize::from(is_next && at > 0 && at + 1 == all);
        found.messages += usize::from(at == 0);
        found.several += usize::from(at == 0 && all > 1);
        before = Some((part.side, at, all));
    }
    // A counter below some number never reaches it.
    let is_complete = complete >= COMPLETE && complete * 10 >= found.several * 7;
    (followed >= FOLLOWED && found.messages >= FOLLOWED && is_complete).then_some(found)
}

/// Index and count, each with the zeros beside it that are its high byte, in the byte order that both have.
fn widened(parts: &[Part<'_>], index: Number, count: Number) -> (Number, Number) {
    let is_zero = |place: Option<usize>| place.is_some_and(|place| parts.iter().all(|part| part.bytes.get(place) == Some(&0)));
    let wide = |at: Number, endian: Endian| {
        let offset = if endian == Endian::Big { at.offset.checked_sub(1) } else { Some(at.offset) }?;
        let high = if endian == Endian::Big { Some(offset) } else { at.offset.checked_add(1) };
        is_zero(high).then_some(Number { offset, width: 2, endian })
    };
    let both = Endian::BOTH.into_iter().find_map(|endian| wide(index, endian).zip(wide(count, endian)));
    both.filter(|_| index.offset.abs_diff(count.offset) >= 2).unwrap_or((index, count))
}

/// The number that is the same in all parts of a message, and another one in the next.
fn message(parts: &[Part<'_>], index: Number, first: u64, taken: &[Number]) -> Option<Number> {
    let least = parts.iter().map(|part| part.bytes.len()).min().unwrap_or(0).min(OFFSETS);
    let is_free = |at: &Number| taken.iter().all(|other| at.end() <= other.offset || other.end() <= at.offset);
    let shapes = [4, 2, 1].into_iter().flat_map(|width| Endian::BOTH.map(|endian| (width, endian)));
    let numbers = shapes
        .flat_map(|(width, endian)| (0..(least + 1).saturating_sub(width)).map(move |offset| Number { offset, width, endian }));
    numbers.filter(is_free).find(|at| {
        let pairs = || parts.iter().zip(parts.iter().skip(1)).filter(|(one, next)| one.side == next.side);
        let steps = pairs().filter_map(|(one, next)| {
            let is_same = index.read(next.bytes)? != first;
            let step = at.read(next.bytes)?.wrapping_sub(at.read(one.bytes)?);
            // Datagrams may be lost.
            Some(if is_same { step == 0 } else { (1..=8).contains(&step) })
        });
        let (fits, all) = steps.fold((0, 0), |(fits, all), is_fit| (fits + usize::from(is_fit), all + 1));
        all >= DATAGRAMS / 2 && fits * 20 >= all * 19
    })
}
