//! Numbers with characteristic behaviour: clocks, counters, echoed ids, floating-point numbers, lengths of parts.

use super::super::messages::Message;
use super::super::rule::Endian;
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, distinct, pairs};
use super::{Context, Label};
use std::collections::HashSet;

/// Seconds from 1900 to 1970, between the epochs of NTP and Unix.
const NTP: f64 = 2_208_988_800.0;

/// A unit of time: its name, and a value in seconds since 1970.
type Unit = (&'static str, fn(u64) -> f64);

const BOTH: [Endian; 2] = [Endian::Big, Endian::Little];

/// Clocks: near the capture time, or proportional to it.
pub fn clocks(table: &Table<'_>, claims: &mut Claims) {
    let times: Vec<f64> = table.rows.iter().map(|row| row.time as f64 / 1e9).collect();
    if times.contains(&0.0) {
        return;
    }
    for width in [8, 4] {
        for offset in 0..table.width.saturating_sub(width - 1) {
            for endian in BOTH {
                if claims.is_free(offset, width)
                    && let Some((confidence, why)) = clock(&table.numbers(offset, width, endian), &times, width)
                {
                    let shape = Shape::Number(endian);
                    claims.take(Claim { offset, width, shape, label: Label::Timestamp, confidence, why });
                }
            }
        }
    }
}

fn clock(values: &[u64], times: &[f64], width: usize) -> Option<(f64, String)> {
    let near = |of: fn(u64) -> f64, most: f64| values.iter().zip(times).all(|(value, time)| (of(*value) - time).abs() < most);
    let units: &[Unit] = if width == 4 {
        &[("seconds since 1970", |value| value as f64), ("seconds since 1900", |value| value as f64 - NTP)]
    } else {
        &[
            ("milliseconds since 1970", |value| value as f64 / 1e3),
            ("microseconds since 1970", |value| value as f64 / 1e6),
            ("nanoseconds since 1970", |value| value as f64 / 1e9),
            ("NTP time", |value| value as f64 / 4_294_967_296.0 - NTP),
            ("seconds since 1970", |value| value as f64),
        ]
    };
    for (name, of) in units {
        // By chance, a number is within an hour at one in a million, within a month at one in 1,600.
        if near(*of, 40.0 * 86400.0) && (near(*of, 3600.0) || distinct(values) >= 3) {
            return Some((0.95, format!("{name}, near the time of capture")));
        }
    }
    // A counter of periodic messages is also proportional to the capture time.
    if rises(values) { moves(values, times, width).filter(|_| !is_of_one_step(values)) } else { None }
}

/// Whether more than half of the steps are equal.
fn is_of_one_step(values: &[u64]) -> bool {
    let mut steps: Vec<u64> = pairs(values).map(|(first, second)| second.wrapping_sub(first)).collect();
    steps.sort_unstable();
    let middle = steps.get(steps.len() / 2).copied();
    steps.iter().filter(|step| Some(**step) == middle).count() * 2 > steps.len()
}

/// Whether values increase like those of a clock.
fn rises(values: &[u64]) -> bool {
    let rising = pairs(values).filter(|(first, second)| second >= first).count();
    rising * 20 >= values.len().saturating_sub(1) * 19
}

/// A number proportional to the capture time.
fn moves(values: &[u64], times: &[f64], width: usize) -> Option<(f64, String)> {
    let n = values.len();
    if n < 5 || distinct(values) < 5.max(n / 3) {
        return None;
    }
    let (first, last) = (*values.first()?, *values.last()?);
    let (start, end) = (*times.first()?, *times.last()?);
    if last <= first || end - start < 0.05 {
        return None;
    }
    let range = (last - first) as f64;
    let slope = range / (end - start);
    if slope < 20.0 || width == 8 && (first >> 32 == 0 && last >> 32 == 0) {
        return None;
    }
    let worst =
        values.iter().zip(times).map(|(value, time)| (*value as f64 - first as f64 - slope * (time - start)).abs() / range);
    let off = worst.fold(0.0, f64::max);
    (off < 0.02).then(|| (0.9, format!("moves with the clock, {slope:.0} a second")))
}

/// Counters: one step explains most neighbours.
pub fn counters(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let n = table.rows.len();
    if n < 4 {
        return;
    }
    for low in 0..table.width {
        if !claims.is_free(low, 1) || table.at(low).distinct < 4 {
            continue;
        }
        let bytes = table.numbers(low, 1, Endian::Big);
        let Some(step) = step(table, &bytes, 0xff) else { continue };
        let order = context.endian;
        let found = [order, if order == Endian::Big { Endian::Little } else { Endian::Big }]
            .into_iter()
            .flat_map(|endian| [4, 2, 8].map(|width| (endian, width)))
            .filter_map(|(endian, width)| {
                let offset = if endian == Endian::Big { (low + 1).checked_sub(width)? } else { low };
                let fits = offset + width <= table.width && claims.is_free(offset, width);
                // For the less likely byte order, zeros do not suffice.
                (fits && is_wide(table, offset, width, endian, endian != order)).then_some((offset, width, endian))
            })
            .next();
        let (offset, width, endian) = found.unwrap_or((low, 1, order));
        let why = format!("rises by {step}");
        claims.take(Claim { offset, width, shape: Shape::Number(endian), label: Label::Counter, confidence: 0.9, why });
    }
}

/// Whether the bytes above the lowest one of a counter belong to it: they change when it overflows, or are zero, unless an
/// overflow is required.
fn is_wide(table: &Table<'_>, offset: usize, width: usize, endian: Endian, needs_carry: bool) -> bool {
    let values = table.numbers(offset, width, endian);
    let high = |value: u64| value >> 8;
    let changes = pairs(&values).filter(|(first, second)| high(*first) != high(*second));
    let (mut carried, mut other) = (0, 0);
    for (first, second) in changes {
        let is_carry = high(second).abs_diff(high(first)) <= 2;
        carried += usize::from(is_carry);
        other += usize::from(!is_carry);
    }
    let top = (0..width - 1).map(|at| if endian == Endian::Big { offset + at } else { offset + width - 1 - at });
    let zeros = top.filter(|place| table.at(*place).is_zero()).count();
    match carried + other {
        0 => !needs_carry && zeros == width - 1,
        _ => other == 0 && carried * 4 < values.len() * 3,
    }
}

/// Values of consecutive messages of the same side.
fn neighbours<'v>(table: &'v Table<'_>, values: &'v [u64]) -> impl Iterator<Item = (u64, u64)> + 'v {
    let sides = pairs(&table.rows).map(|(first, second)| first.side == second.side);
    pairs(values).zip(sides).filter(|(_, is_same)| *is_same).map(|(pair, _)| pair)
}

/// The step that explains 70 % of the neighbours of a conversation, if it is small.
fn step(table: &Table<'_>, values: &[u64], mask: u64) -> Option<u64> {
    let mut counts = std::collections::HashMap::<u64, usize, foldhash::fast::RandomState>::default();
    let mut all = 0;
    for (first, second) in neighbours(table, values) {
        all += 1;
        *counts.entry(second.wrapping_sub(first) & mask).or_default() += 1;
    }
    let (step, count) = counts.into_iter().max_by_key(|(step, count)| (*count, std::cmp::Reverse(*step)))?;
    let (needed, most) = if all < 8 { (9, 2) } else { (7, 16) };
    (count * 10 >= all * needed && all >= 3 && (1..=most).contains(&step)).then_some(step)
}

/// Numbers that never decrease, like a counter shared with other messages.
pub fn rising(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let n = table.rows.len();
    if n < 8 {
        return;
    }
    for width in [4, 2] {
        for offset in 0..table.width.saturating_sub(width - 1) {
            let endian = context.endian;
            let high = if endian == Endian::Big { offset } else { offset + width - 1 };
            let low = if endian == Endian::Big { offset + width - 1 } else { offset };
            let busy = table.at(low).distinct * 3 >= n.min(200) && table.at(low).distinct > 5;
            if !claims.is_free(offset, width) || !busy || table.at(high).distinct > n / 2 + 1 {
                continue;
            }
            let values = table.numbers(offset, width, endian);
            let rises = neighbours(table, &values).filter(|(first, second)| second > first).count();
            let all = neighbours(table, &values).count();
            if all >= 7 && rises * 100 >= all * 97 {
                let why = String::from("only rises");
                claims.take(Claim { offset, width, shape: Shape::Number(endian), label: Label::Counter, confidence: 0.8, why });
            }
        }
    }
}

/// Values of a message of the other side that recur in this one: request ids.
pub fn echoes(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let n = table.rows.len();
    if n < 4 {
        return;
    }
    for width in [4, 2] {
        for offset in 0..table.width.saturating_sub(width - 1).min(super::ECHOED) {
            if !claims.is_free(offset, width) {
                continue;
            }
            let values: Vec<&[u8]> = table.all().filter_map(|bytes| bytes.get(offset..offset + width)).collect();
            let many = distinct(&values);
            if many < 4 || many * 3 < n {
                continue;
            }
            // The low byte must vary, and the high one too, or it is zero.
            let [first, last] = [table.at(offset), table.at(offset + width - 1)];
            let (low, high) = if context.endian == Endian::Big { (last, first) } else { (first, last) };
            if low.is_const() || high.is_const() && !high.is_zero() {
                continue;
            }
            let echoed = |shift: usize| {
                let rows = table.rows.iter().zip(&values);
                rows.filter(|(row, value)| context.echoes.has(row, value, shift)).count()
            };
            let (hits, chance) = (echoed(0), echoed(7));
            if hits * 10 >= n * 7 && chance * 4 < hits {
                let why = format!("{hits} of {n} values occur in a message of the other side next to it");
                let (offset, width) = widened(table, claims, offset, width, context.endian);
                let claim =
                    Claim { offset, width, shape: Shape::Number(context.endian), label: Label::Id, confidence: 0.85, why };
                claims.take(claim);
            }
        }
    }
}

/// Extends a field of two bytes by zeros that are its high bytes.
fn widened(table: &Table<'_>, claims: &Claims, offset: usize, width: usize, endian: Endian) -> (usize, usize) {
    if width != 2 {
        return (offset, width);
    }
    let zeros = |start: usize| {
        (start..start + 2).all(|place| table.at(place).is_zero()) && claims.is_free(start, 2) && start + 2 <= table.width
    };
    match endian {
        Endian::Big if offset >= 2 && zeros(offset - 2) => (offset - 2, 4),
        Endian::Little if zeros(offset + 2) => (offset, 4),
        _ => (offset, width),
    }
}

/// Values shared by neighbouring messages.
#[derive(Default)]
pub struct Echoes {
    /// Windows of two and four bytes of each run of messages of one direction, by conversation and run number.
    turns: Vec<Turn>,
}

struct Turn {
    stream: u32,
    order: usize,
    dir: bool,
    windows: HashSet<u64, foldhash::fast::RandomState>,
}

/// Number of bytes of a message whose windows are stored.
const WINDOW: usize = 96;

/// Maximum number of stored runs.
const TURNS: usize = 2000;

impl Echoes {
    /// Computes it from all messages.
    #[must_use]
    pub fn new(messages: &[Message<'_>]) -> Echoes {
        let mut all: Vec<&Message<'_>> = messages.iter().filter(|message| message.is_whole).collect();
        all.sort_by_key(|message| (message.stream, message.order, message.start));
        let mut turns: Vec<Turn> = Vec::new();
        for message in all {
            let (stream, dir) = (message.stream, message.dir == crate::tree::Side::Server);
            let is_new = turns.last().is_none_or(|turn| turn.stream != stream || turn.dir != dir);
            if is_new {
                if turns.len() >= TURNS {
                    break;
                }
                turns.push(Turn { stream, order: message.order, dir, windows: HashSet::default() });
            }
            if let Some(turn) = turns.last_mut().filter(|turn| turn.windows.len() < 4 * WINDOW) {
                let bytes = message.bytes.get(..WINDOW).unwrap_or(message.bytes);
                turn.windows.extend(bytes.windows(2).map(hash));
                turn.windows.extend(bytes.windows(4).map(hash));
            }
        }
        Echoes { turns }
    }

    /// Whether a value occurs in the run of the other direction before or after a message; for comparison in a run `shift` pairs
    /// away.
    fn has(&self, message: &Message<'_>, value: &[u8], shift: usize) -> bool {
        let dir = message.dir == crate::tree::Side::Server;
        let own = self.turns.partition_point(|turn| (turn.stream, turn.order) <= (message.stream, message.order));
        let Some(own) = own.checked_sub(1) else { return false };
        if self.turns.get(own).is_none_or(|turn| turn.dir != dir) {
            return false;
        }
        let hash = hash(value);
        let far = 2 * shift;
        let before = own.checked_sub(1 + far).or_else(|| (shift > 0).then_some(own + 1 + far));
        let has = |place: usize| self.turns.get(place).is_some_and(|turn| turn.dir != dir && turn.windows.contains(&hash));
        before.is_some_and(has) || has(own + 1 + far)
    }
}

fn hash(window: &[u8]) -> u64 {
    Endian::Big.read(window) | (window.len() as u64) << 60
}

/// Floating-point numbers. Those of the most frequent alignment come first.
pub fn floats(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let order = [context.endian, if context.endian == Endian::Big { Endian::Little } else { Endian::Big }];
    for width in [4, 8] {
        let phases = order.into_iter().flat_map(|endian| (0..width).map(move |phase| (endian, phase)));
        let places = |phase: usize| (phase..table.width.saturating_sub(width - 1)).step_by(width);
        let mut found: Vec<(Endian, usize, Vec<usize>)> = phases
            .map(|(endian, phase)| {
                let is_sure = |at: &usize| claims.is_free(*at, width) && is_float(table, *at, width, endian, true);
                (endian, phase, places(phase).filter(is_sure).collect())
            })
            .collect();
        found.sort_by_key(|(_, _, sure)| std::cmp::Reverse(sure.len()));
        for (endian, phase, sure) in found.into_iter().filter(|(_, _, sure)| !sure.is_empty()) {
            let mut all = sure.clone();
            // Beside a certain one, weaker evidence suffices.
            for at in places(phase) {
                let is_beside = all.iter().any(|known| known.abs_diff(at) == width);
                if is_beside && !all.contains(&at) && claims.is_free(at, width) && is_float(table, at, width, endian, false) {
                    all.push(at);
                }
            }
            all.sort_unstable();
            for at in &all {
                let has = |step: isize| all.contains(&at.wrapping_add_signed(step * width as isize));
                let is_of_three = has(1) && has(2) || has(-1) && has(1) || has(-1) && has(-2);
                let label = if is_of_three { Label::Coordinate } else { Label::Float };
                let why = String::from("exponents are close, mantissas vary");
                claims.take(Claim { offset: *at, width, shape: Shape::Float(endian), label, confidence: 0.85, why });
            }
        }
    }
}

fn is_float(table: &Table<'_>, offset: usize, width: usize, endian: Endian, is_strict: bool) -> bool {
    let n = table.rows.len();
    let values = table.numbers(offset, width, endian);
    let many = distinct(&values);
    if is_strict && (many < 4 || many * 2 < n) || many < 2 {
        return false;
    }
    let (bits, bias, mantissa) = if width == 4 { (8, 127_i64, 23) } else { (11, 1023, 52) };
    let mut least = i64::MAX;
    let mut most = i64::MIN;
    let mut zeros = 0;
    let mut fine = 0;
    for value in &values {
        if *value == 0 {
            zeros += 1;
            continue;
        }
        let exponent = i64::try_from(value >> mantissa & ((1 << bits) - 1)).unwrap_or(0) - bias;
        if !(-20..=24).contains(&exponent) {
            return false;
        }
        least = least.min(exponent);
        most = most.max(exponent);
        // The low half of the mantissa varies.
        fine += usize::from(value & ((1 << (mantissa / 2)) - 1) != 0);
    }
    let some = values.len() - zeros;
    let close = if some < 8 { 8 } else { 14 };
    let is_close = some >= 1 && most - least <= close;
    if !is_strict {
        return is_close;
    }
    is_close && some >= 4 && fine * 10 >= some * 7 && zeros * 2 <= values.len() && varies(table, offset, width, endian)
}

/// Whether the high byte of the mantissa varies, which it does not in integers with a constant high byte.
fn varies(table: &Table<'_>, offset: usize, width: usize, endian: Endian) -> bool {
    let place = |high: usize| if endian == Endian::Big { offset + high } else { offset + width - 1 - high };
    let (sign, upper, middle) = (table.at(place(0)), table.at(place(1)), table.at(place(2)));
    let n = table.rows.len();
    sign.distinct <= 16 && upper.distinct >= 3.min(n) && middle.distinct * 2 >= n.min(64) && upper.distinct >= sign.distinct
}

/// Numbers that count the following bytes, or the whole message.
pub fn lengths(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let sizes: Vec<u64> = table.rows.iter().map(|row| row.bytes.len() as u64).collect();
    if distinct(&sizes) < 2 || sizes.len() < 3 {
        return;
    }
    for width in [4, 2, 1] {
        for offset in 0..table.width.saturating_sub(width - 1) {
            for endian in BOTH.into_iter().filter(|endian| width > 1 || *endian == Endian::Big) {
                if !claims.is_free(offset, width) {
                    continue;
                }
                let values = table.numbers(offset, width, endian);
                let rest = |size: u64, value: u64| i128::from(size) - i128::from(value);
                let fixed = sizes.first().zip(values.first()).map(|(size, value)| rest(*size, *value));
                let is_same = values.iter().zip(&sizes).all(|(value, size)| Some(rest(*size, *value)) == fixed);
                let is_near = fixed.is_some_and(|fixed| (0..=offset as i128 + 40).contains(&fixed));
                if is_same && is_near && distinct(&values) >= 2 {
                    let why = format!("counts all but {} bytes of the message", fixed.unwrap_or(0));
                    let _ = context;
                    claims.take(Claim {
                        offset,
                        width,
                        shape: Shape::Number(endian),
                        label: Label::Length,
                        confidence: 0.9,
                        why,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_recognized_in_the_units_of_protocols() {
        const CAPTURED: u32 = 1_448_400_000;
        const NTP_CAPTURED: u64 = CAPTURED as u64 + 2_208_988_800;
        let seconds = [0_u32, 1, 7];
        let times = seconds.map(|second| f64::from(CAPTURED + second));
        let words = |first: u64, each: u64, width: usize| {
            clock(&seconds.map(|second| first + u64::from(second) * each), &times, width).map(|(_, words)| words)
        };
        let near = |unit: &str| Some(format!("{unit}, near the time of capture"));
        let captured = u64::from(CAPTURED);
        assert_eq!(words(captured, 1, 4), near("seconds since 1970"));
        assert_eq!(words(captured, 1, 8), near("seconds since 1970"));
        assert_eq!(words(NTP_CAPTURED, 1, 4), near("seconds since 1900"));
        assert_eq!(words(captured * 1_000, 1_000, 8), near("milliseconds since 1970"));
        assert_eq!(words(captured * 1_000_000, 1_000_000, 8), near("microseconds since 1970"));
        assert_eq!(words(captured * 1_000_000_000, 1_000_000_000, 8), near("nanoseconds since 1970"));
        assert_eq!(words(NTP_CAPTURED << 32, 1 << 32, 8), near("NTP time"));
        assert_eq!(words(captured - 41 * 86400, 1, 4), None);
        // Equal values a day away may be so by chance.
        assert_eq!(words(captured + 86400, 0, 4), None);
        assert_eq!(words(captured + 86400, 1, 4), near("seconds since 1970"));
    }

    #[test]
    fn a_clock_moves_in_proportion_to_the_capture_time() {
        let times: Vec<f64> = (0..8).map(f64::from).collect();
        let clock = |first: u64, step: u64| (0..8).map(|at| first + at * step).collect::<Vec<u64>>();
        let words = |values: &[u64], width| moves(values, &times, width).map(|(_, words)| words);
        let found = Some(String::from("moves with the clock, 1000 a second"));
        assert_eq!(words(&clock(5, 1000), 4), found);
        // Eight bytes whose upper half is zero are two numbers.
        assert_eq!(words(&clock(5, 1000), 8), None);
        assert_eq!(words(&clock(1 << 40, 1000), 8), found);
        // Too slow, not rising, at no time, and not in proportion.
        assert_eq!(words(&clock(5, 19), 4), None);
        assert_eq!(words(&[9, 8, 7, 6, 5, 4, 3, 2], 4), None);
        assert_eq!(moves(&clock(5, 1000), &[0.0; 8], 4), None);
        assert_eq!(words(&[5, 1005, 2005, 3305, 4005, 5005, 6005, 7005], 4), None);
        assert_eq!(words(&clock(5, 1000)[..4], 4), None);
    }
}
