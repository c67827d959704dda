//! A number in every datagram that is its length.

use super::rule::{Endian, Number, Rule};
use super::side::Side;
use crate::tree;
use std::collections::HashSet;

/// Fewest datagrams and different lengths that show a length.
const DATAGRAMS: usize = 4;
const LENGTHS: usize = 3;

/// Number of offsets that are tried, and bytes that a length may exclude.
const OFFSETS: usize = 25;
const EXCLUDED: i64 = 64;

/// Bytes of a datagram that show the byte order.
const ORDERED: usize = 48;

/// Widths, the most specific first.
const WIDTHS: [usize; 3] = [4, 2, 1];

/// The number that gives the length of every datagram of a direction. It counts all bytes or those after it, if one does.
pub(super) fn rule(sides: &[Side], dir: tree::Side) -> Option<Rule> {
    let datagrams: Vec<&[u8]> = sides.iter().filter(|side| side.dir == dir).flat_map(datagrams).collect();
    let lengths: HashSet<usize> = datagrams.iter().map(|bytes| bytes.len()).collect();
    if datagrams.len() < DATAGRAMS || lengths.len() < LENGTHS {
        return None;
    }
    let shortest = lengths.into_iter().min().unwrap_or_default();
    let offsets = 0..OFFSETS.min(shortest);
    let numbers = offsets.flat_map(|offset| {
        let orders = |width: usize| Endian::BOTH.into_iter().filter(move |endian| width > 1 || *endian == Endian::Big);
        WIDTHS.into_iter().flat_map(move |width| orders(width).map(move |endian| Number { offset, width, endian }))
    });
    let found = numbers.filter_map(|at| Some((at, bias(at, &datagrams)?)));
    let is_odd = |at: Number, bias: i64| bias != 0 && usize::try_from(bias) != Ok(at.end());
    let mut found: Vec<(Number, i64)> = found.collect();
    // Zeros on both sides of the low byte belong to one byte order, which other numbers show.
    let order = found.first().and_then(|(at, _)| byte_order(&datagrams, low_byte(*at)));
    if found.iter().any(|(at, _)| at.width > 1 && Some(at.endian) == order) {
        found.retain(|(at, _)| at.width == 1 || Some(at.endian) == order);
    }
    let (at, bias) = found.into_iter().min_by_key(|(at, bias)| (is_odd(*at, *bias), std::cmp::Reverse(at.width), at.offset))?;
    Some(Rule::Length { at, bias, scale: 1, padding: None })
}

fn low_byte(at: Number) -> usize {
    if at.endian == Endian::Big { at.end() - 1 } else { at.offset }
}

/// The byte order that zeros beside changing bytes show, without those beside the low byte of a number.
pub(super) fn byte_order(datagrams: &[&[u8]], length: usize) -> Option<Endian> {
    let shortest = datagrams.iter().map(|bytes| bytes.len()).min().unwrap_or(0).min(ORDERED);
    let first = datagrams.first()?;
    let share = |is: &dyn Fn(&[u8]) -> bool| datagrams.iter().filter(|bytes| is(bytes)).count() as f64 / datagrams.len() as f64;
    let is_high = |place: usize| place.abs_diff(length) != 1 && share(&|bytes| bytes.get(place) == Some(&0)) > 0.9;
    let changes = |place: usize| place != length && share(&|bytes| bytes.get(place) != first.get(place)) > 0.25;
    let (mut big, mut little) = (0, 0);
    for place in 1..shortest {
        big += usize::from(is_high(place - 1) && changes(place));
        little += usize::from(changes(place - 1) && is_high(place));
    }
    match big.cmp(&little) {
        std::cmp::Ordering::Greater => Some(Endian::Big),
        std::cmp::Ordering::Less => Some(Endian::Little),
        std::cmp::Ordering::Equal => None,
    }
}

/// The datagrams of a side that have bytes.
fn datagrams(side: &Side) -> impl Iterator<Item = &[u8]> {
    let ends = side.segments.iter().skip(1).map(|next| next.at).chain([side.bytes.len()]);
    let all = side.segments.iter().zip(ends).filter_map(|(segment, end)| side.bytes.get(segment.at..end));
    all.filter(|bytes| !bytes.is_empty())
}

/// The bytes that a number does not count, the same in all datagrams.
fn bias(at: Number, datagrams: &[&[u8]]) -> Option<i64> {
    let of = |bytes: &&[u8]| i64::try_from(bytes.len()).ok()?.checked_sub(i64::try_from(at.read(bytes)?).ok()?);
    let first = datagrams.first().and_then(of).filter(|bias| (-EXCLUDED..=EXCLUDED).contains(bias))?;
    datagrams.iter().all(|bytes| of(bytes) == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::side::Segment;
    use super::*;
    use crate::tree::{StreamId, Transport};

    fn found(datagrams: &[&[u8]]) -> Option<String> {
        let mut side = Side::new(StreamId { transport: Transport::Udp, number: 0 }, tree::Side::Client);
        for (order, bytes) in datagrams.iter().enumerate() {
            side.segments.push(Segment { at: side.bytes.len(), is_turn: false, is_pushed: false, time: 0, order, frame: 1 });
            side.bytes.extend_from_slice(bytes);
        }
        rule(&[side], tree::Side::Client).map(|rule| rule.to_string())
    }

    #[test]
    fn the_number_that_is_the_length_of_every_datagram_is_found() {
        let whole: [&[u8]; 4] = [b"\xde\x04\0a", b"\xde\x05\0ab", b"\xdf\x07\0abcd", b"\xde\x04\0b"];
        assert_eq!(found(&whole).as_deref(), Some("length@1:u16le"));
        let behind: [&[u8]; 4] = [b"\x07\x01\0\0\0a", b"\x08\x02\0\0\0ab", b"\x07\x03\0\0\0abc", b"\x08\0\0\0\0"];
        assert_eq!(found(&behind).as_deref(), Some("length@1:u32le+5"));
    }

    #[test]
    fn zeros_on_both_sides_of_a_length_belong_to_the_order_of_other_numbers() {
        let datagram = |at: usize, big: bool| {
            let body = vec![b'a'; at % 5];
            let (number, count) = (u16::try_from(3 * at + 1).unwrap(), u16::try_from(body.len()).unwrap());
            let order = |number: u16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
            let front: &[u8] = if big { &[9] } else { &[9, 0] };
            [front, &order(count), &order(number), &[7], &order(number), &[7], &body].concat()
        };
        let all = |big: bool| (0..40).map(|at| datagram(at, big)).collect::<Vec<_>>();
        let found = |all: &[Vec<u8>]| found(&all.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(found(&all(true)).as_deref(), Some("length@1:u16be+9"));
        assert_eq!(found(&all(false)).as_deref(), Some("length@2:u16le+10"));
    }

    #[test]
    fn few_datagrams_or_lengths_and_other_numbers_show_no_length() {
        assert_eq!(found(&[b"\x02a", b"\x03ab", b"\x04abc"]), None);
        assert_eq!(found(&[b"\x02a", b"\x03ab", b"\x02b", b"\x03bc"]), None);
        assert_eq!(found(&[b"\x02a", b"\x03ab", b"\x04abc", b"\x06abcd"]), None);
    }
}
