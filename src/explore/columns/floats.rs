//! Floating-point numbers of four and eight bytes in both orders.
//!
//! High bits hold sign and exponent, which are similar in all values; low bits of the mantissa vary like random ones, or the
//! numbers are short decimals.

use super::super::rule::Endian;
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, distinct, pairs};
use super::{Context, Label};

/// A format of IEEE 754.
struct Format {
    /// Size in bytes.
    width: usize,
    /// Bits of the mantissa, and offset of the exponent.
    mantissa: u32,
    bias: i64,
    /// Low bits of the mantissa, which vary in numbers that are no short decimals.
    fine: u32,
    /// Exponents of numbers in games.
    exponents: std::ops::RangeInclusive<i64>,
}

const DOUBLE: Format = Format { width: 8, mantissa: 52, bias: 1023, fine: 32, exponents: -30..=44 };
const SINGLE: Format = Format { width: 4, mantissa: 23, bias: 127, fine: 11, exponents: -20..=24 };

/// Messages on which numbers are tested.
const ROWS: usize = 200;

/// Fewest different values of a certain number.
const VALUES: usize = 4;

/// The greatest difference of most exponents.
const SPREAD: i64 = 14;

/// Decimal places of a short decimal, as a factor.
const PLACES: f64 = 1000.0;

/// What the values of a place show.
struct Found {
    at: usize,
    endian: Endian,
    /// Sum of squared steps over that of random order: 1 for random values, near 0 for a smooth course.
    roughness: f64,
    /// Whether the exponents vary less than the mantissa, as in values of different size.
    is_shaped: bool,
}

/// Claims doubles. They come before floats and clocks, which parts of them resemble.
pub fn doubles(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    DOUBLE.claim(table, claims, context);
}

/// The byte order of most numbers in a table, if it is clear.
pub fn orders(table: &Table<'_>, claims: &Claims, usual: Endian) -> [usize; 2] {
    let mut counts = [0, 0];
    for format in [&DOUBLE, &SINGLE] {
        let offsets = (0..table.width.saturating_sub(format.width - 1)).filter(|at| claims.is_free(*at, format.width));
        let all = offsets.flat_map(|at| Endian::BOTH.into_iter().filter_map(move |endian| format.certain(table, at, endian)));
        for found in format.chosen(all.collect(), usual) {
            let [big, little] = &mut counts;
            *if found.endian == Endian::Big { big } else { little } += 1;
        }
    }
    counts
}

/// Claims floats.
pub fn floats(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    SINGLE.claim(table, claims, context);
}

impl Format {
    fn claim(&self, table: &Table<'_>, claims: &mut Claims, context: &Context) {
        let mut all: Vec<Found> = Vec::new();
        for at in 0..table.width.saturating_sub(self.width - 1) {
            if claims.is_free(at, self.width) {
                let orders = Endian::BOTH.into_iter().filter(|endian| context.floats.is_none_or(|known| known == *endian));
                all.extend(orders.filter_map(|endian| self.certain(table, at, endian)));
            }
        }
        let chosen = self.chosen(all, context.endian);
        let mut all: Vec<(usize, Endian, f64)> = chosen.iter().map(|found| (found.at, found.endian, 0.85)).collect();
        self.beside(table, claims, &mut all);
        self.constants(table, claims, &mut all);
        for (at, endian, confidence) in &all {
            let has = |step: i64| {
                let place = i64::try_from(*at).unwrap_or(0) + step * i64::try_from(self.width).unwrap_or(0);
                all.iter().any(|(other, order, _)| i64::try_from(*other) == Ok(place) && order == endian)
            };
            let is_of_three = has(1) && has(2) || has(-1) && has(1) || has(-1) && has(-2);
            let label = if is_of_three { Label::Coordinate } else { Label::Float };
            let is_const = (*at..*at + self.width).all(|place| table.at(place).is_const());
            let why = String::from(if is_const { "a short decimal" } else { "exponents are close, mantissas vary" });
            let (offset, width, shape, confidence) = (*at, self.width, Shape::Float(*endian), *confidence);
            claims.take(Claim { offset, width, shape, label, confidence, why });
        }
    }

    /// Those that do not overlap, first those with a smooth course and those whose distance to others is that of a row of numbers.
    fn chosen(&self, mut all: Vec<Found>, usual: Endian) -> Vec<Found> {
        let in_row: Vec<usize> = all
            .iter()
            .map(|found| {
                let is_in_row = |other: &&Found| other.endian == found.endian && other.at.abs_diff(found.at) % 4 == 0;
                all.iter().filter(is_in_row).count()
            })
            .collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        let cost = |place: &usize| {
            let row = in_row.get(*place).copied().unwrap_or(0);
            all.get(*place).map_or(0.0, |found| {
                let plus = if found.is_shaped { 0.3 } else { 0.0 } + if found.endian == usual { 0.2 } else { 0.0 };
                found.roughness.min(1.0) - plus - 0.15 * row.min(8) as f64
            })
        };
        order.sort_by(|one, other| cost(one).total_cmp(&cost(other)));
        let mut taken: Vec<usize> = Vec::new();
        for place in order {
            let Some(at) = all.get(place).map(|found| found.at) else { continue };
            let is_free = taken.iter().filter_map(|place| all.get(*place)).all(|known| known.at.abs_diff(at) >= self.width);
            if is_free {
                taken.push(place);
            }
        }
        taken.sort_unstable();
        let mut place = 0;
        all.retain(|_| {
            place += 1;
            taken.binary_search(&(place - 1)).is_ok()
        });
        all
    }

    /// Adds numbers beside certain ones, for which weaker evidence suffices: few values, short decimals, constants.
    fn beside(&self, table: &Table<'_>, claims: &Claims, all: &mut Vec<(usize, Endian, f64)>) {
        let mut next = 0;
        while let Some((at, endian, _)) = all.get(next).copied() {
            next += 1;
            for place in [at.checked_sub(self.width), at.checked_add(self.width)].into_iter().flatten() {
                if self.is_open(table, claims, all, place) && self.is_likely(table, place, endian) {
                    all.push((place, endian, 0.8));
                }
            }
        }
    }

    /// Adds constant doubles with few decimal places: one in many millions of constants is so by chance.
    fn constants(&self, table: &Table<'_>, claims: &Claims, all: &mut Vec<(usize, Endian, f64)>) {
        if self.width < 8 || table.rows.len() < 2 {
            return;
        }
        let orders: Vec<Endian> = all.iter().map(|(_, endian, _)| *endian).collect();
        for at in 0..table.width.saturating_sub(self.width - 1) {
            let is_const = (at..at + self.width).all(|place| table.at(place).is_const());
            for endian in Endian::BOTH.into_iter().filter(|_| is_const && self.is_open(table, claims, all, at)) {
                let value = self.values(table, at, endian).first().copied().unwrap_or(0);
                if (-10..=16).contains(&self.exponent(value)) && self.is_short(value) {
                    all.push((at, endian, if orders.contains(&endian) { 0.8 } else { 0.6 }));
                    break;
                }
            }
        }
    }

    /// Whether a number may be here.
    fn is_open(&self, table: &Table<'_>, claims: &Claims, all: &[(usize, Endian, f64)], at: usize) -> bool {
        let is_free = claims.is_free(at, self.width) && at + self.width <= table.width;
        is_free && all.iter().all(|(other, _, _)| other.abs_diff(at) >= self.width)
    }

    /// Whether values are numbers of usual size, with a few zeros, if a number is expected here.
    fn is_likely(&self, table: &Table<'_>, at: usize, endian: Endian) -> bool {
        let values = self.values(table, at, endian);
        let mut some: Vec<u64> = values.iter().copied().filter(|value| *value != 0).collect();
        let is_usual = some.iter().all(|value| self.exponents.contains(&self.exponent(*value)));
        let is_often = some.len() * 2 >= values.len() && !some.is_empty();
        some.sort_unstable();
        some.dedup();
        // Two floats may resemble a double.
        let is_whole =
            self.width == 4 || some.iter().all(|value| self.is_short(*value)) || some.len() >= VALUES && self.is_fine(&some);
        is_usual && is_often && is_whole
    }

    /// Evidence that values are numbers of this format.
    fn certain(&self, table: &Table<'_>, at: usize, endian: Endian) -> Option<Found> {
        let high = if endian == Endian::Big { at } else { at + self.width - 1 };
        if table.at(high).distinct > 16 || table.at(high).is_zero() {
            return None;
        }
        let values = self.values(table, at, endian);
        let mut different: Vec<u64> = values.iter().copied().filter(|value| value << 1 != 0).collect();
        let zeros = values.len() - different.len();
        different.sort_unstable();
        different.dedup();
        let is_moving = different.len() >= VALUES && different.len() * 2 >= values.len().saturating_sub(zeros).min(40);
        if !is_moving || zeros * 2 > values.len() || !self.is_usual(&different) {
            return None;
        }
        let is_decimal = different.iter().all(|value| self.is_short(*value));
        if !is_decimal && !self.is_fine(&different) {
            return None;
        }
        let numbers: Vec<f64> = values.iter().map(|value| self.number(*value)).collect();
        let roughness = roughness(table, &numbers);
        let exponents: Vec<u64> = different.iter().map(|value| value >> self.mantissa).collect();
        let uppers: Vec<u64> = different.iter().map(|value| value >> (self.mantissa - 4)).collect();
        let (exponents, uppers) = (distinct(&exponents), distinct(&uppers));
        let is_shaped = uppers >= 3 && uppers > exponents;
        // An integer with a constant high byte also has a smooth course, and always rises if it is a counter.
        let is_counter = self.width == 4 && exponents <= 2 && is_rising(&numbers) && !is_in_seconds(table, &numbers);
        (!is_counter && (is_shaped || roughness < 0.5)).then_some(Found { at, endian, roughness, is_shaped })
    }

    fn values(&self, table: &Table<'_>, at: usize, endian: Endian) -> Vec<u64> {
        let mut values = table.numbers(at, self.width, endian);
        values.truncate(ROWS);
        values
    }

    fn exponent(&self, value: u64) -> i64 {
        let bits = if self.width == 8 { 11 } else { 8 };
        i64::try_from(value >> self.mantissa & ((1 << bits) - 1)).unwrap_or(0) - self.bias
    }

    fn number(&self, value: u64) -> f64 {
        if self.width == 8 { f64::from_bits(value) } else { f32::from_bits(u32::try_from(value).unwrap_or(0)).into() }
    }

    /// Whether all numbers are of usual size, and most of similar size.
    fn is_usual(&self, values: &[u64]) -> bool {
        let mut exponents: Vec<i64> = values.iter().map(|value| self.exponent(*value)).collect();
        if !exponents.iter().all(|exponent| self.exponents.contains(exponent)) {
            return false;
        }
        exponents.sort_unstable();
        let few = exponents.len() / 20;
        let (least, most) = (exponents.get(few), exponents.last());
        let most_spread = if values.len() < 8 { 8 } else { SPREAD };
        least.zip(most).is_some_and(|(least, most)| most - least <= most_spread)
    }

    /// Whether the low bits of mantissas vary like random ones, or are those of converted floats.
    fn is_fine(&self, values: &[u64]) -> bool {
        let different = |low: u32| distinct(&values.iter().map(|value| value >> low & 0xff).collect::<Vec<_>>());
        let expected = 256.0 * (1.0 - (1.0 - 1.0 / 256.0_f64).powf(values.len() as f64));
        let are_busy = |low: u32| different(low) as f64 >= 0.75 * expected;
        if self.width == 4 {
            let some = values.iter().filter(|value| **value & ((1 << self.fine) - 1) != 0).count();
            // In numbers of the other order, the high bits of the mantissa seem to be low ones.
            return some * 10 >= values.len() * 7 && different(0) * 10 >= different(15) * 8;
        }
        // Those of converted floats, and of times less than an epoch, end in zeros.
        let zeros = values.iter().map(|value| value.trailing_zeros()).min().unwrap_or(0).min(self.fine);
        (zeros..self.fine.min(zeros + 24)).step_by(8).all(are_busy)
    }

    /// Whether a number has few decimal places, as one typed by a person.
    fn is_short(&self, value: u64) -> bool {
        let number = self.number(value);
        let near = (number * PLACES).round() / PLACES;
        number.abs() < 1e5 && near == number && (self.width == 8 || self.is_round(number))
    }

    /// Whether a float is a multiple of 1/64: shorter than most.
    fn is_round(&self, number: f64) -> bool {
        (number * 64.0).fract() == 0.0 && number.abs() < 4096.0
    }
}

/// The sum of squared steps between neighbours of a side, divided by that of values in random order.
fn roughness(table: &Table<'_>, numbers: &[f64]) -> f64 {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|number| (number - mean) * (number - mean)).sum::<f64>() / n;
    let sides = pairs(&table.rows).map(|(first, second)| first.side == second.side);
    let steps: Vec<f64> = pairs(numbers)
        .zip(sides)
        .filter(|(_, is_same)| *is_same)
        .map(|((first, second), _)| (second - first) * (second - first))
        .collect();
    if variance <= 0.0 || steps.is_empty() {
        return 1.0;
    }
    steps.iter().sum::<f64>() / steps.len() as f64 / (2.0 * variance)
}

/// Whether values never fall.
fn is_rising(numbers: &[f64]) -> bool {
    pairs(numbers).all(|(first, second)| second >= first)
}

/// Whether values rise by one a second, or by a thousand.
fn is_in_seconds(table: &Table<'_>, numbers: &[f64]) -> bool {
    let times = || table.rows.iter().map(|row| row.time as f64 / 1e9).zip(numbers);
    let Some(((start, first), (end, last))) = times().next().zip(times().next_back()) else { return false };
    let rate = (last - first) / (end - start);
    end > start && [1.0, 1000.0].iter().any(|usual| (rate / usual - 1.0).abs() < 0.02)
}
