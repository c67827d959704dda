//! Order, repeats and fragments, one by one and in any order.

#![allow(clippy::cast_possible_truncation, reason = "numbers are small")]

use super::*;
use crate::tree::Piece;
use proptest::prelude::*;

/// What a direction gives, as bytes and words.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Given {
    Message(Vec<u8>, bool),
    Missing(u64, u64),
    Incomplete(Vec<u8>),
}

struct Reader {
    delivery: Delivery,
    given: Vec<Given>,
    frame: u64,
}

impl Reader {
    fn new(bits: u32) -> Reader {
        Reader { delivery: Delivery::new(Width::bits(bits)), given: Vec::new(), frame: 0 }
    }

    fn take(&mut self, order: Option<u64>, fragment: Fragment, once: Option<u64>, bytes: &[u8]) -> Fate {
        self.frame += 1;
        let pieces = [Piece { off: 0, len: u32::try_from(bytes.len()).unwrap(), frame: self.frame, at: 42, time: None }];
        let mut events = Vec::new();
        let element = Element { stream: 0, order, fragment, once, bytes, pieces: &pieces };
        let fate = self.delivery.accept(&element, &mut events);
        if let Fate::Now { is_whole } = fate {
            self.given.push(Given::Message(bytes.to_vec(), is_whole));
        }
        self.add(events);
        fate
    }

    fn whole(&mut self, order: u64, bytes: &[u8]) -> Fate {
        self.take(Some(order), Fragment::Whole, None, bytes)
    }

    fn left(&mut self, order: u64, left: u64, bytes: &[u8]) -> Fate {
        self.take(Some(order), Fragment::Left(left), None, bytes)
    }

    fn part(&mut self, order: Option<u64>, [id, index, count]: [u64; 3], bytes: &[u8]) -> Fate {
        self.take(order, Fragment::Part { id, index, count }, None, bytes)
    }

    fn add(&mut self, events: Vec<Event>) {
        self.given.extend(events.into_iter().map(|event| match event {
            Event::Message { bytes, pieces, is_whole } => {
                assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), bytes.len());
                assert!(pieces.windows(2).all(|pair| pair[0].end() == pair[1].off));
                Given::Message(bytes, is_whole)
            }
            Event::Missing { first, count, .. } => Given::Missing(first, count),
            Event::Incomplete { bytes, .. } => Given::Incomplete(bytes),
        }));
    }

    fn end(mut self) -> Vec<Given> {
        let mut events = Vec::new();
        self.delivery.finish(&mut events);
        self.add(events);
        assert_eq!(self.delivery.held, 0);
        self.given
    }
}

fn message(bytes: &[u8]) -> Given {
    Given::Message(bytes.to_vec(), true)
}

const NOW: Fate = Fate::Now { is_whole: true };

#[test]
fn messages_come_in_order_and_once() {
    let mut reader = Reader::new(32);
    let fates = [(0, "a"), (2, "c"), (2, "c"), (2, "x"), (1, "b"), (0, "a"), (3, "d")];
    let fates = fates.map(|(order, bytes)| reader.whole(order, bytes.as_bytes()));
    assert_eq!(fates, [NOW, Fate::Taken, Fate::Repeated, Fate::Conflict, NOW, Fate::Repeated, NOW]);
    assert_eq!(reader.end(), [message(b"a"), message(b"b"), message(b"c"), message(b"d")]);
}

#[test]
fn numbers_wrap_around() {
    let mut reader = Reader::new(8);
    for order in 0..600_u64 {
        // Pairs are swapped.
        let order = order ^ 1;
        reader.whole(order % 256, &order.to_be_bytes());
    }
    let numbers: Vec<Given> = (0..600_u64).map(|order| message(&order.to_be_bytes())).collect();
    // The first pair is swapped: nothing shows that 0 is not missing.
    assert_eq!(reader.end()[2..], numbers[2..]);
}

#[test]
fn fragments_that_count_down_are_joined() {
    let mut reader = Reader::new(32);
    for (order, left, bytes) in [(0, 1, "a"), (3, 0, "d"), (1, 0, "b"), (2, 1, "c"), (4, 0, "e")] {
        reader.left(order, left, bytes.as_bytes());
    }
    assert_eq!(reader.end(), [message(b"ab"), message(b"cd"), message(b"e")]);
}

#[test]
fn what_may_be_the_end_of_a_message_is_uncertain() {
    let mut reader = Reader::new(32);
    for (order, left, bytes) in [(7, 0, "a"), (8, 1, "b"), (9, 0, "c"), (11, 0, "d"), (12, 0, "e")] {
        reader.left(order, left, bytes.as_bytes());
    }
    let uncertain = |bytes: &[u8]| Given::Message(bytes.to_vec(), false);
    assert_eq!(reader.end(), [uncertain(b"a"), message(b"bc"), Given::Missing(10, 1), uncertain(b"d"), message(b"e")]);
}

#[test]
fn a_message_without_its_end_is_incomplete() {
    let mut reader = Reader::new(32);
    for (order, left, bytes) in [(0, 2, "a"), (1, 1, "b"), (3, 0, "d")] {
        reader.left(order, left, bytes.as_bytes());
    }
    let end = [Given::Incomplete(b"ab".to_vec()), Given::Missing(2, 1), Given::Message(b"d".to_vec(), false)];
    assert_eq!(reader.end(), end);
}

#[test]
fn parts_are_joined_whether_each_has_its_number_or_all_have_one() {
    for is_shared in [false, true] {
        let mut reader = Reader::new(32);
        let number = |index: u64| Some(if is_shared { 1 } else { 1 + index });
        let next = if is_shared { 2 } else { 4 };
        reader.whole(0, b"-");
        for index in [2, 0] {
            assert_eq!(reader.part(number(index), [9, index, 3], &[b"abc"[index as usize]]), Fate::Taken);
            assert_eq!(reader.part(number(index), [9, index, 3], &[b"abc"[index as usize]]), Fate::Repeated);
        }
        assert_eq!(reader.whole(next, b"+"), Fate::Taken);
        assert_eq!(reader.given, [message(b"-")]);
        reader.part(number(1), [9, 1, 3], b"b");
        assert_eq!(reader.part(number(1), [9, 1, 3], b"b"), Fate::Repeated, "{is_shared}");
        assert_eq!(reader.end(), [message(b"-"), message(b"abc"), message(b"+")]);
    }
}

#[test]
fn parts_without_order_and_parts_by_offset() {
    let mut reader = Reader::new(32);
    reader.part(None, [1, 1, 2], b"b");
    reader.whole(0, b"-");
    reader.part(None, [1, 0, 2], b"a");
    for (offset, bytes) in [(3, &b"d"[..]), (0, b"ab"), (0, b"ab"), (1, b"x"), (2, b"c")] {
        reader.take(None, Fragment::At { id: 5, offset, total: 4 }, None, bytes);
    }
    for [id, index, count] in [[1, 2, 2], [1, 0, 1 << 32], [1, 0, 9000], [1, 0, 0]] {
        assert_eq!(reader.part(None, [id, index, count], b"?"), Fate::Wrong);
    }
    assert_eq!(reader.end(), [message(b"-"), message(b"ab"), message(b"abcd")]);
}

#[test]
fn elements_without_order_are_delivered_once() {
    let mut reader = Reader::new(16);
    let fates = [5, 7, 5, 6].map(|once| reader.take(None, Fragment::Whole, Some(once), b"x"));
    assert_eq!(fates, [NOW, NOW, Fate::Repeated, NOW]);
    assert_eq!(reader.take(None, Fragment::Whole, None, b"x"), NOW);
}

#[test]
fn what_never_comes_is_given_up_and_welcome_later() {
    let mut reader = Reader::new(32);
    reader.whole(0, b"a");
    for order in 2..=258 {
        reader.whole(order, b"x");
    }
    assert_eq!(reader.given.len(), 259);
    assert_eq!(reader.given[1], Given::Missing(1, 1));
    assert_eq!(reader.whole(1, b"b"), NOW);
    assert_eq!(reader.whole(1, b"b"), Fate::Repeated);
    let mut reader = Reader::new(32);
    reader.part(Some(0), [1, 0, 2], b"a");
    for order in 1..=257 {
        reader.whole(order, b"x");
    }
    assert_eq!(reader.given[0], Given::Incomplete(b"a".to_vec()));
    assert_eq!(reader.given.len(), 258);
}

#[test]
fn a_stream_that_begins_anew_is_not_a_repetition() {
    let mut reader = Reader::new(32);
    assert!((0..5).all(|order| reader.whole(order, b"first") == NOW));
    assert_eq!(reader.whole(0, b"second"), NOW);
    assert_eq!(reader.whole(1, b"second"), NOW);
}

#[test]
fn hostile_numbers_hold_little() {
    let bytes = [7; 1000];
    let mut ends = Vec::new();
    for kind in 0..4 {
        let mut delivery = Delivery::new(Width::bits(32));
        let mut events = Vec::new();
        for number in 0..60_000_u64 {
            let (order, fragment) = match kind {
                0 => (Some(number * 3 % (1 << 32)), Fragment::Whole),
                1 => (Some(number), Fragment::Left(1 << 31)),
                2 => (None, Fragment::Part { id: number, index: 0, count: 8192 }),
                _ => (Some(number), Fragment::At { id: number, offset: 0, total: 1 << 20 }),
            };
            let stream = if kind == 3 { number % 5000 } else { 0 };
            delivery.accept(&Element { stream, order, fragment, once: None, bytes: &bytes, pieces: &[] }, &mut events);
            assert!(delivery.memory_usage() <= HELD + (1 << 20), "{kind}: {}", delivery.memory_usage());
        }
        delivery.finish(&mut events);
        let given = events.iter().map(|event| match event {
            Event::Message { bytes, .. } | Event::Incomplete { bytes, .. } => bytes.len(),
            Event::Missing { .. } => 0,
        });
        ends.push(given.sum::<usize>());
    }
    // The first element of the first kind is delivered at once.
    assert_eq!(ends, [59_999_000, 60_000_000, 60_000_000, 60_000_000]);
}

/// Messages of up to four fragments, with the order in which their elements arrive; some arrive twice.
fn arrivals() -> impl Strategy<Value = (Vec<u64>, Vec<(usize, bool)>)> {
    prop::collection::vec(1..5_u64, 1..12).prop_flat_map(|sizes| {
        let count = sizes.iter().sum::<u64>() as usize;
        let places = prop::collection::vec((0..count * 4, any::<bool>()), count);
        (Just(sizes), places).prop_map(|(sizes, places)| {
            // Each element is moved by at most the size of a small window.
            let mut all: Vec<(usize, usize, bool)> =
                places.iter().enumerate().map(|(at, (by, again))| (at + by % 8, at, *again)).collect();
            all.sort_unstable();
            // The first element shows where numbers begin.
            all.sort_by_key(|(_, at, _)| usize::from(*at != 0));
            (sizes, all.into_iter().map(|(_, at, again)| (at, again)).collect())
        })
    })
}

proptest! {
    #[test]
    fn any_order_with_repeats_gives_the_messages(
        (sizes, arrivals) in arrivals(), kind in 0..4, bits in prop::sample::select(vec![8_u32, 16, 32, 64]), start in any::<u64>(),
    ) {
        let start = if bits == 64 { start >> 2 } else { start % (1 << bits) };
        let modulus = if bits == 64 { u64::MAX } else { 1 << bits };
        let mut elements = Vec::new();
        let mut expected = Vec::new();
        for (id, size) in sizes.iter().enumerate() {
            let mut whole: Vec<u8> = Vec::new();
            for index in 0..*size {
                let bytes = vec![id as u8; 1 + index as usize];
                let order = match kind {
                    2 => id as u64,
                    _ => elements.len() as u64,
                };
                let order = (start.wrapping_add(order)) % modulus;
                let id = id as u64;
                let fragment = match kind {
                    0 => Fragment::Left(size - 1 - index),
                    3 => Fragment::At { id, offset: whole.len() as u64, total: size * (size + 1) / 2 },
                    _ => Fragment::Part { id, index, count: *size },
                };
                whole.extend(&bytes);
                elements.push((order, fragment, bytes));
            }
            expected.push(whole);
        }
        let mut reader = Reader::new(bits);
        for (at, again) in arrivals {
            let (order, fragment, bytes) = &elements[at];
            for _ in 0..1 + usize::from(again) {
                reader.take(Some(*order), *fragment, None, bytes);
            }
        }
        let given: Vec<Vec<u8>> = reader.end().into_iter().map(|given| match given {
            Given::Message(bytes, _) => bytes,
            other => panic!("{other:?}"),
        }).collect();
        prop_assert_eq!(given, expected);
    }

    #[test]
    fn nothing_is_lost_or_invented(
        elements in prop::collection::vec((0..3_u64, prop::option::of(0..300_u64), 0..4, 0..6_u64, 0..6_u64, 1..9_usize), 0..400),
    ) {
        let mut delivery = Delivery::new(Width::bits(8));
        let (mut events, mut taken) = (Vec::new(), 0);
        for (stream, order, kind, one, other, len) in elements {
            let bytes = vec![one as u8; len];
            let fragment = match kind {
                0 => Fragment::Whole,
                1 => Fragment::Left(one),
                2 => Fragment::Part { id: one, index: other, count: 4 },
                _ => Fragment::At { id: one, offset: other, total: 12 },
            };
            let pieces = [Piece { off: 0, len: len as u32, frame: 1, at: 0, time: None }];
            let fate = delivery.accept(&Element { stream, order, fragment, once: order, bytes: &bytes, pieces: &pieces }, &mut events);
            if fate == Fate::Taken {
                taken += len;
            }
        }
        delivery.finish(&mut events);
        let given: usize = events.iter().map(|event| match event {
            Event::Message { bytes, .. } | Event::Incomplete { bytes, .. } => bytes.len(),
            Event::Missing { .. } => 0,
        }).sum();
        prop_assert_eq!((given, delivery.held), (taken, 0));
    }
}
