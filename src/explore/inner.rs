//! Elements in datagrams: behind a header of constant size, each states its length, and they fill the datagram exactly.

use super::rule::{Endian, Number, Rule};
use super::side::Side;
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

/// What datagrams contain.
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
}

impl Inner {
    /// The elements of a side, as offsets in its bytes.
    #[must_use]
    pub fn starts(&self, side: &Side) -> Vec<usize> {
        let mut starts = Vec::new();
        for (start, end) in side.spans().filter(|(start, end)| !self.others.contains(&(end - start))) {
            let mut at = start + self.header;
            while at < end {
                starts.push(at);
                let length = side.bytes.get(at..end).and_then(|bytes| length(bytes, self.at, self.bias));
                let Some(next) = length.and_then(|length| at.checked_add(length)) else { break };
                at = next;
            }
        }
        starts
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
        write!(f, "a run of {}", self.rule())
    }
}

/// The elements of these datagrams, if they have any.
#[must_use]
pub fn inner(sides: &[Side]) -> Option<Inner> {
    if sides.is_empty() || !sides.iter().all(|side| side.is_datagrams) {
        return None;
    }
    let datagrams: Vec<&[u8]> = sides.iter().flat_map(of_side).take(SEARCHED).collect();
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
    best.map(|(found, _)| found)
}

/// The datagrams of a side that have bytes.
fn of_side(side: &Side) -> impl Iterator<Item = &[u8]> {
    side.spans().filter_map(|(start, end)| side.bytes.get(start..end)).filter(|bytes| !bytes.is_empty())
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
    let most_others = datagrams.len() / 5;
    let (mut elements, mut several, mut lengths, mut others) = (0, 0, BTreeSet::new(), BTreeSet::new());
    let (mut sizes, mut failures) = (BTreeSet::new(), 0);
    for bytes in datagrams {
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
        if failures > most_others || others.len() > OTHERS {
            return None;
        }
    }
    // Other datagrams are distinguished by their size.
    let is_apart = others.is_disjoint(&sizes);
    let is_enough = elements >= ELEMENTS && several >= SEVERAL && lengths.len() >= LENGTHS;
    (is_apart && is_enough).then(|| Inner {
        header,
        at,
        bias,
        elements,
        datagrams: datagrams.len() - failures,
        of: datagrams.len(),
        several,
        others: others.into_iter().collect(),
    })
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

#[cfg(test)]
mod tests {
    use super::super::side::Segment;
    use super::*;
    use crate::tree::{self, StreamId, Transport};

    fn side(datagrams: &[Vec<u8>]) -> Side {
        let mut side = Side::new(StreamId { transport: Transport::Udp, number: 0 }, tree::Side::Client);
        for (order, bytes) in datagrams.iter().enumerate() {
            side.segments.push(Segment { at: side.bytes.len(), is_turn: true, is_pushed: false, time: 0, order, frame: 1 });
            side.bytes.extend(bytes);
        }
        side
    }

    /// Datagrams of 1 to 3 elements of `kind | length | bytes` behind a header, and short ones of a handshake.
    fn datagrams(header: usize, handshakes: usize) -> Vec<Vec<u8>> {
        let mut all = vec![vec![0xee; 2]; handshakes];
        for number in 0..20_u8 {
            let mut bytes = vec![number.wrapping_mul(37); header];
            for element in 0..=number % 3 {
                let body = vec![number ^ 0x5a; usize::from(number * 7 % 11 + element)];
                bytes.extend([element, 0, u8::try_from(body.len()).unwrap()]);
                bytes.extend(body);
            }
            all.push(bytes);
        }
        all
    }

    #[test]
    fn elements_that_fill_datagrams_are_found() {
        let found = |header: usize, handshakes: usize| inner(&[side(&datagrams(header, handshakes))]).unwrap();
        assert_eq!(found(0, 0).to_string(), "a run of length@1:u16be+3");
        let behind = found(5, 0);
        assert_eq!(behind.to_string(), "after 5 bytes a run of length@1:u16be+3");
        assert_eq!((behind.elements, behind.datagrams, behind.of), (39, 20, 20));
        let with_others = found(0, 3);
        assert_eq!((with_others.datagrams, with_others.of, with_others.others), (20, 23, vec![2]));
    }

    #[test]
    fn one_element_in_each_datagram_is_a_length_of_datagrams() {
        let one: Vec<Vec<u8>> =
            (0..30_u8).map(|number| [vec![1, 0, number], vec![number; usize::from(number)]].concat()).collect();
        assert_eq!(inner(&[side(&one)]), None);
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [.., high] = state.to_le_bytes();
            high
        };
        let random: Vec<Vec<u8>> = (0..60).map(|number| (0..20 + number % 9).map(|_| next()).collect()).collect();
        assert_eq!(inner(&[side(&random)]), None);
    }
}
