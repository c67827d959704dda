//! Bytes that are no message kind: those constant within each conversation, those of numbers that never go back or change
//! smoothly, checksums.

use super::columns::{checksums_of, distinct, pairs};
use super::messages::{Message, byte_at};
use super::rule::Endian;
use crate::tree;
use std::collections::HashMap;
use std::ops::Range;

/// Fewest messages of a side whose bytes are compared, and fewest pairs of neighbours.
const MESSAGES: usize = 4;
const PAIRS: usize = 8;

/// Fewest changes of a byte that show a carry.
const CHANGES: usize = 3;

/// Fewest changes and different values of a quantity.
const STEPS: usize = 20;
const VALUES: usize = 5;

/// Widths of numbers, the most specific first.
const WIDTHS: [usize; 2] = [4, 2];

/// Roles of the first bytes of all messages.
pub struct Roles {
    /// Whether each byte belongs to one of these.
    taken: Vec<bool>,
    /// Whether most messages are in sides of several messages, which show whether values stay or return.
    pub has_runs: bool,
}

impl Roles {
    /// Computes it from messages grouped by side, for bytes that are not `is_hidden`.
    #[must_use]
    pub fn new(sample: &[&Message<'_>], places: usize, are_datagrams: bool, is_hidden: impl Fn(usize) -> bool) -> Roles {
        let runs: Vec<&[&Message<'_>]> =
            sample.chunk_by(|first, second| first.side == second.side).filter(|run| run.len() >= MESSAGES).collect();
        let least = sample.iter().map(|message| message.bytes.len()).min().unwrap_or(0).min(places);
        let has_runs = 2 * runs.iter().map(|run| run.len()).sum::<usize>() >= sample.len();
        let mut roles = Roles { taken: vec![false; least], has_runs };
        let sums: Vec<Range<usize>> = checksums_of(sample).into_iter().filter(|span| !span.clone().any(&is_hidden)).collect();
        sums.into_iter().for_each(|span| roles.take(span));
        if !has_runs {
            return roles;
        }
        let columns: Vec<Column> = (0..least).map(|place| Column::new(&runs, place)).collect();
        roles.rising(&columns, is_hidden);
        let dirs: Vec<tree::Side> = runs.iter().filter_map(|run| Some(run.first()?.dir)).collect();
        for (place, column) in columns.iter().enumerate() {
            let beside = [place.checked_add(1), place.checked_sub(1)].map(|place| columns.get(place?));
            let is_high = beside.into_iter().flatten().any(|low| column.is_high_byte(low));
            if is_high || column.is_of_conversation(&dirs) || are_datagrams && column.is_smooth() {
                roles.take(place..place + 1);
            }
        }
        roles
    }

    /// Whether a byte has one of these roles.
    #[must_use]
    pub fn is_taken(&self, place: usize) -> bool {
        self.taken.get(place).is_some_and(|taken| *taken)
    }

    fn take(&mut self, span: Range<usize>) {
        self.taken.get_mut(span).into_iter().flatten().for_each(|taken| *taken = true);
    }

    /// Takes numbers that never go back within a side. Upper bytes that hardly change may be another field.
    fn rising(&mut self, columns: &[Column], is_hidden: impl Fn(usize) -> bool) {
        let mut found = Vec::new();
        for width in WIDTHS {
            for (start, span) in columns.windows(width).enumerate() {
                if (start..start + width).any(|place| is_hidden(place) || self.is_taken(place)) {
                    continue;
                }
                for endian in Endian::BOTH {
                    let bytes = rising_bytes(span, endian);
                    let places = (0..bytes).map(|byte| if endian == Endian::Big { width - 1 - byte } else { byte });
                    let changing = places.filter(|place| span.get(*place).is_some_and(|column| column.changes() >= CHANGES));
                    found.extend(changing.map(|place| start + place));
                }
            }
        }
        found.into_iter().for_each(|place| self.take(place..place + 1));
    }
}

/// The values of a byte in each run of messages of a side.
struct Column(Vec<Vec<u8>>);

impl Column {
    fn new(runs: &[&[&Message<'_>]], place: usize) -> Column {
        let byte = |message: &&Message<'_>| u8::try_from(byte_at(message, place)).unwrap_or(0);
        Column(runs.iter().map(|run| run.iter().map(byte).collect()).collect())
    }

    /// How often it changes within a side.
    fn changes(&self) -> usize {
        self.0.iter().flat_map(|run| pairs(run)).filter(|(first, second)| first != second).count()
    }

    /// Whether it is constant in each side; where it differs between conversations, apart from a few messages of a handshake.
    fn is_of_conversation(&self, dirs: &[tree::Side]) -> bool {
        let usual: Vec<(u8, usize)> = self.0.iter().map(|run| usual(run)).collect();
        if usual.iter().all(|(_, others)| *others == 0) {
            return true;
        }
        let is_usual = self.0.iter().zip(&usual).all(|(run, (_, others))| *others <= (run.len() / 10).max(1));
        let differs = tree::Side::BOTH.into_iter().any(|dir| {
            let mut own = usual.iter().zip(dirs).filter(|(_, of)| **of == dir).map(|((value, _), _)| value);
            own.next().is_some_and(|first| own.any(|other| other != first))
        });
        is_usual && differs
    }

    /// Whether it changes only when the byte below it overflows.
    fn is_high_byte(&self, low: &Column) -> bool {
        let (mut changes, mut carries) = (0, 0);
        for (high, low) in self.0.iter().zip(&low.0) {
            let numbers: Vec<u16> = high.iter().zip(low).map(|(high, low)| u16::from_be_bytes([*high, *low])).collect();
            for (first, second) in pairs(&numbers).filter(|(first, second)| first >> 8 != second >> 8) {
                let step = second.wrapping_sub(first);
                changes += 1;
                carries += usize::from(step.min(step.wrapping_neg()) < 128);
            }
        }
        changes >= CHANGES && carries * 4 >= changes * 3
    }

    /// Whether values change to near ones, as those of a quantity, in any side. Kinds follow each other in any order.
    fn is_smooth(&self) -> bool {
        self.0.iter().any(|run| {
            let steps: Vec<u64> = pairs(run).filter(|(a, b)| a != b).map(|(a, b)| u64::from(a.abs_diff(b))).collect();
            if steps.len() < STEPS || distinct(run) < VALUES {
                return false;
            }
            // Messages far from each other, in a fixed arrangement.
            let far = |(at, one): (usize, &u8)| {
                let others = [11, 23, 37].map(|more| run.get((7 * at + more) % run.len()).copied().unwrap_or(*one));
                others.map(|other| u64::from(one.abs_diff(other)))
            };
            let far: Vec<u64> = run.iter().enumerate().flat_map(far).filter(|step| *step > 0).collect();
            let mean = |steps: &[u64]| steps.iter().sum::<u64>() as f64 / steps.len().max(1) as f64;
            mean(&steps) < 0.6 * mean(&far)
        })
    }
}

/// The most frequent value, and the number of other ones.
fn usual(run: &[u8]) -> (u8, usize) {
    let mut sorted = run.to_vec();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|a, b| a == b).max_by_key(|same| same.len()).unwrap_or_default();
    (most.first().copied().unwrap_or(0), run.len() - most.len())
}

/// The number of low bytes that belong to a number that never goes back: a counter, a clock, an acknowledgement.
fn rising_bytes(span: &[Column], endian: Endian) -> usize {
    let width = span.len();
    let mut bytes: Vec<&Column> = span.iter().collect();
    if endian == Endian::Little {
        bytes.reverse();
    }
    let Some(low) = bytes.last().filter(|low| low.changes() > 0) else { return 0 };
    let values: Vec<Vec<u64>> = (low.0.iter().enumerate())
        .map(|(run, of)| {
            let number = |at: usize| {
                let bytes = bytes.iter().filter_map(|column| column.0.get(run)?.get(at));
                bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
            };
            (0..of.len()).map(number).collect()
        })
        .collect();
    let pairs = || values.iter().flat_map(|run| pairs(run));
    let all = pairs().count();
    let bits = 8 * width;
    // Steps are small, as the number overflows seldom.
    let most = 1_u64 << if width == 4 { bits - 7 } else { bits - 4 };
    let forward = pairs().filter(|(first, second)| second.wrapping_sub(*first) & ((1 << bits) - 1) < most).count();
    let carries = pairs().filter(|(first, second)| first >> (bits - 8) != second >> (bits - 8)).count();
    if all < PAIRS || forward * 10 < all * 9 || carries * 2 > all {
        return 0;
    }
    // The low byte takes all values, unlike a kind beside a number.
    let low: Vec<u64> = values.iter().flatten().map(|value| value & 0xff).collect();
    let expected = 256.0 * (1.0 - (255.0_f64 / 256.0).powf(low.len() as f64));
    // If the bytes above some of these count by themselves, those belong to another field.
    if (distinct(&low) as f64) < 0.5 * expected || (1..width).any(|bytes| is_counter(&values, 8 * bytes)) {
        return 0;
    }
    (1..width).find(|bytes| !is_carried(&values, 8 * bytes)).unwrap_or(width)
}

/// Whether the upper bits rise only where the lower ones overflow, if steps are small.
fn is_carried(values: &[Vec<u64>], shift: usize) -> bool {
    let pairs = || values.iter().flat_map(|run| pairs(run));
    let mut steps: Vec<u64> = pairs().map(|(first, second)| second.abs_diff(first)).collect();
    steps.sort_unstable();
    let middle = steps.get(steps.len() / 2).copied().unwrap_or(0);
    let low = |value: u64| value & ((1 << shift) - 1);
    let (mut all, mut carried) = (0, 0);
    for (first, second) in pairs().filter(|(first, second)| second >> shift == (first >> shift) + 1) {
        all += 1;
        carried += usize::from(low(second) < low(first));
    }
    middle << 1 > 1 << shift || carried * 4 >= all * 3
}

/// Whether one step explains nearly all differences of the upper bits.
fn is_counter(values: &[Vec<u64>], shift: usize) -> bool {
    let mut counts: HashMap<u64, usize, foldhash::fast::RandomState> = HashMap::default();
    let mut all = 0;
    for (first, second) in values.iter().flat_map(|run| pairs(run)) {
        *counts.entry((second >> shift).wrapping_sub(first >> shift)).or_default() += 1;
        all += 1;
    }
    counts.into_iter().any(|(step, count)| step != 0 && count * 20 >= all * 17)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of two sides with these bytes.
    fn taken(of: impl Fn(usize, u32) -> Vec<u8>) -> Vec<usize> {
        let rows: Vec<Vec<u8>> =
            [0, 1].into_iter().flat_map(|side| (0..60).map(move |at| (side, at))).map(|(side, at)| of(side, at)).collect();
        let message = |(number, bytes)| Message { side: number / 60, order: number, ..Message::whole(bytes) };
        let messages: Vec<Message<'_>> = rows.iter().map(Vec::as_slice).enumerate().map(message).collect();
        let sample: Vec<&Message<'_>> = messages.iter().collect();
        let roles = Roles::new(&sample, 28, true, |_| false);
        (0..28).filter(|place| roles.is_taken(*place)).collect()
    }

    /// A byte without order.
    fn any(at: u32, seed: u32) -> u8 {
        (at.wrapping_add(seed).wrapping_mul(0x9e37_79b1) >> 13).to_le_bytes()[0]
    }

    fn word(number: u32) -> u16 {
        u16::try_from(number).unwrap()
    }

    #[test]
    fn session_ids_counters_and_clocks_are_no_kinds() {
        let found = taken(|side, at| {
            let (session, clock) = ([0x17, 0x5c][side], 70_000 + at * 333 + u32::from(any(at, 7)));
            [&[session, any(at, 1) % 5][..], &word(900 + at).to_be_bytes(), &[any(at, 2) % 7], &clock.to_le_bytes()].concat()
        });
        // The kinds at 1 and 4 may be some. The upper bytes of the clock are constant.
        assert_eq!(found, [0, 2, 3, 5, 6, 7, 8]);
    }

    #[test]
    fn a_kind_beside_a_counter_is_no_part_of_it() {
        // Little endian: the kind seems to be the low byte of a larger number.
        let found = taken(|_, at| [&[any(at, 1) % 9][..], &word(3 + at).to_le_bytes(), &[any(at, 5) % 3, 0]].concat());
        assert_eq!(found, [1, 2, 4]);
        let swapped = taken(|_, at| [&word(250 + 7 * at).to_be_bytes()[..], &[any(at, 1) % 9, any(at, 4)]].concat());
        assert_eq!(swapped, [0, 1]);
    }

    #[test]
    fn a_quantity_that_changes_smoothly_is_no_kind() {
        let walk = |at: u32| i32::from(any(at, 3) % 3) - 1;
        let steps = |at: u32| 14 * (0..at).map(walk).sum::<i32>() - 9 * i32::try_from(at).unwrap();
        let place = |at: u32| u16::try_from(0x18d0 + steps(at)).unwrap();
        assert_eq!(taken(|_, at| [&place(at).to_be_bytes()[..], &[any(at, 1) % 9]].concat()), [0, 1]);
        // Up and down by one.
        let small = |at: u32| 100 + [0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1][at as usize % 14];
        assert_eq!(taken(|_, at| vec![any(at, 1) % 9, small(at)]), [1]);
    }

    #[test]
    fn a_checksum_of_one_byte_in_the_header_is_no_kind() {
        let found = taken(|_, at| {
            let body = [any(at, 1) % 4, any(at, 3), any(at, 9)];
            let sum = body.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
            [&[sum][..], &body].concat()
        });
        assert_eq!(found, [0]);
    }
}
