//! Splits unexplained bytes into numbers, by the changes of neighbouring bytes.

use super::super::messages::Kind;
use super::super::rule::Endian;
use super::claims::{Claim, Claims, Shape};
use super::table::{ByteStatistics, Table};
use super::{Context, Label};

/// Widths of numbers, with their gains.
const WIDTHS: [(usize, f64); 8] = [(1, 0.0), (2, 0.6), (3, -2.0), (4, 0.9), (5, -4.0), (6, -2.0), (7, -4.0), (8, 0.3)];

/// Explains the remaining bytes.
pub fn rest(table: &Table<'_>, claims: &mut Claims, context: &Context, kind: &Kind) {
    opaque(table, claims);
    let seen = ByteBehaviour::new(table, context, kind);
    let grid = Grid::new(table, context.endian);
    for (start, end) in claims.free_runs() {
        for (offset, width) in cuts(&seen, start, end, context, grid) {
            claims.take(named(table, &seen, offset, width, context));
        }
    }
}

/// Number of similar columns from which they are one field.
const OPAQUE: usize = 16;

/// Claims runs in which every column changes about as much as the others: sound, pictures, compressed or encrypted data. In
/// numbers, high bytes change less than low ones.
fn opaque(table: &Table<'_>, claims: &mut Claims) {
    let n = table.rows.len();
    if n < 3 {
        return;
    }
    for (start, end) in claims.free_runs() {
        let mut at = start;
        while at + OPAQUE <= end {
            let stop = alike(table, at, end);
            if stop < at + OPAQUE {
                at += 1;
                continue;
            }
            let (shape, label, why) = (Shape::Bytes, Label::Random, String::from("all bytes vary alike"));
            claims.take(Claim { offset: at, width: stop - at, shape, label, confidence: 0.5, why });
            at = stop;
        }
    }
}

/// The end of a run from `start` whose columns change similarly.
fn alike(table: &Table<'_>, start: usize, end: usize) -> usize {
    let (mut least, mut most) = (f64::MAX, 0.0_f64);
    for at in start..end {
        let entropy = table.at(at).entropy;
        (least, most) = (least.min(entropy), most.max(entropy));
        if least <= 0.5 * most {
            return at;
        }
    }
    end
}

/// An alignment of small numbers in words of four bytes: their offset modulo four.
#[derive(Debug, Clone, Copy)]
struct Grid(Option<usize>);

/// Minimum number of small numbers for an alignment.
const WORDS: usize = 4;

impl Grid {
    /// The offset modulo four at which most words have only a low byte, if it is far ahead of the others.
    fn new(table: &Table<'_>, endian: Endian) -> Grid {
        let mut counts = [0_usize; 4];
        for at in 0..table.width.saturating_sub(3) {
            let mut places: Vec<ByteStatistics> = (at..at + 4).map(|place| table.at(place)).collect();
            if endian == Endian::Big {
                places.reverse();
            }
            let is_small = places.iter().skip(1).all(ByteStatistics::is_zero) && places.first().is_some_and(|low| !low.is_zero());
            if let Some(count) = counts.get_mut(at % 4).filter(|_| is_small) {
                *count += 1;
            }
        }
        let all: usize = counts.iter().sum();
        let best = counts.iter().enumerate().max_by_key(|(_, count)| **count);
        Grid(best.filter(|(_, count)| **count >= WORDS && **count * 4 >= all * 3).map(|(rest, _)| rest))
    }

    /// Gain of an aligned number.
    fn gain(self, offset: usize, width: usize) -> f64 {
        match self.0 {
            Some(rest) if width == 4 && offset % 4 == rest => 1.5,
            _ => 0.0,
        }
    }
}

/// Behaviour of columns: in messages of the kind, or of the direction if there are few.
struct ByteBehaviour {
    own: Vec<ByteStatistics>,
    all: Vec<ByteStatistics>,
    counts: [usize; 2],
}

/// Number of messages of a kind from which they are used alone.
const ENOUGH: usize = 5;

impl ByteBehaviour {
    fn new(table: &Table<'_>, context: &Context, kind: &Kind) -> ByteBehaviour {
        let (all, count) = context.places.get(kind.dir.index()).filter(|_| kind.header <= 1).cloned().unwrap_or_default();
        ByteBehaviour { own: table.places.clone(), all, counts: [table.rows.len(), count] }
    }

    /// The behaviour of a column, and the number of messages it is based on.
    fn at(&self, place: usize) -> (ByteStatistics, usize) {
        let [own, all] = self.counts;
        let few = if own < ENOUGH { self.all.get(place).map(|place| (*place, all)) } else { None };
        few.or_else(|| self.own.get(place).map(|place| (*place, own))).unwrap_or_default()
    }

    fn tie(&self, place: usize, endian: Endian) -> f64 {
        let ((first, n), (second, m)) = (self.at(place), self.at(place + 1));
        tie(first, second, n.min(m), endian)
    }
}

/// The best split of a run into fields.
fn cuts(seen: &ByteBehaviour, start: usize, end: usize, context: &Context, grid: Grid) -> Vec<(usize, usize)> {
    let ties: Vec<f64> = (start..end.saturating_sub(1)).map(|place| seen.tie(place, context.endian)).collect();
    let length = end - start;
    // For each prefix: the best sum and the width of its last field.
    let mut best: Vec<(f64, usize)> = vec![(0.0, 0)];
    for to in 1..=length {
        let mut choice = (f64::MIN, 1);
        for (width, gain) in WIDTHS.into_iter().filter(|(width, _)| *width <= to) {
            let from = to - width;
            let inner: f64 = ties.get(from..to - 1).unwrap_or_default().iter().sum();
            let aligned =
                if width.is_power_of_two() && width > 1 && (start + from).is_multiple_of(width.min(4)) { 0.3 } else { 0.0 };
            let sum = best.get(from).map_or(0.0, |(sum, _)| *sum) + inner + gain + aligned + grid.gain(start + from, width);
            if sum > choice.0 {
                choice = (sum, width);
            }
        }
        best.push(choice);
    }
    let mut fields = Vec::new();
    let mut at = length;
    while let Some((_, width)) = best.get(at).copied().filter(|_| at > 0) {
        at -= width.max(1);
        fields.push((start + at, width));
    }
    fields.reverse();
    fields
}

/// Likelihood that two neighbouring bytes belong to one number: above 0 if probable.
fn tie(first: ByteStatistics, second: ByteStatistics, n: usize, endian: Endian) -> f64 {
    // From the high byte to the low byte.
    let (high, low) = if endian == Endian::Big { (first, second) } else { (second, first) };
    let most = (n.max(2) as f64).log2().min(8.0);
    match (high.is_const(), low.is_const()) {
        (true, true) if high.is_zero() && low.is_zero() => 0.9,
        (true, true) if high.is_zero() => 1.5,
        (true, true) if low.is_zero() => -1.0,
        (true, true) if high.first.is_ascii_graphic() && low.first.is_ascii_graphic() => 1.0,
        (true, true) => 0.4,
        (true, false) if high.is_zero() => 1.8,
        (true, false) => -1.2,
        (false, true) if low.is_zero() => -1.6,
        (false, true) => -1.6,
        (false, false) => {
            let busy = high.entropy > 0.8 * most && low.entropy > 0.8 * most;
            if busy {
                1.0
            } else if high.entropy + 0.3 < low.entropy && (high.zeros > 0.3 || high.distinct * 3 < low.distinct) {
                0.8
            } else if high.entropy > low.entropy + 0.5 {
                -1.5
            } else {
                -0.5
            }
        }
    }
}

/// The label of a field without other evidence.
fn named(table: &Table<'_>, seen: &ByteBehaviour, offset: usize, width: usize, context: &Context) -> Claim {
    let n = table.rows.len();
    let places: Vec<ByteStatistics> = (offset..offset + width).map(|place| table.at(place)).collect();
    let values: Vec<&[u8]> = table.all().filter_map(|bytes| bytes.get(offset..offset + width)).collect();
    let many = super::table::distinct(&values);
    let is_odd = !matches!(width, 1 | 2 | 4 | 8);
    let shape = if is_odd { Shape::Bytes } else { Shape::Number(context.endian) };
    let made = |label, confidence, why: String| Claim { offset, width, shape, label, confidence, why };
    let bits: u8 = values.iter().flat_map(|value| value.iter()).fold(0, |all, byte| all | byte);
    // A kind with few messages shares the header of the others.
    let (shared, all) = seen.at(offset);
    let is_choice = n < 6 && width == 1 && all > n && (2..=12).contains(&shared.distinct) && shared.distinct * 3 <= all;
    if is_choice {
        made(Label::Enum, 0.5, format!("{} values in {all} messages of the direction", shared.distinct))
    } else if n < 2 {
        made(Label::Value, 0.2, String::from("one message"))
    } else if places.iter().all(ByteStatistics::is_zero) {
        made(Label::Padding, 0.6, format!("zero in {n} messages"))
    } else if many == 1 {
        made(Label::Const, 0.7, format!("the same in {n} messages"))
    } else if width <= 2 && many <= 12 && n >= 6 && many * 3 <= n {
        let set = bits.count_ones();
        let is_flags = width == 1
            && many >= 3
            && set >= 2
            && many > set as usize
            && values.iter().any(|value| value.iter().all(|byte| byte.count_ones() > 1));
        let sure = if n >= 12 { 0.7 } else { 0.5 };
        if is_flags && (1_usize << set.min(7)) <= many * 2 {
            made(Label::Flags, sure, format!("{many} values of {set} bits"))
        } else {
            made(Label::Enum, sure, format!("{many} values in {n} messages"))
        }
    } else if width >= 8 && places.iter().all(|place| place.distinct * 2 > n.min(100)) {
        made(Label::Random, 0.5, String::from("all bytes vary"))
    } else {
        made(Label::Value, 0.4, format!("{many} values in {n} messages"))
    }
}
