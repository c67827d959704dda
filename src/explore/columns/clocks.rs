//! Clocks: numbers near the capture time, or that advance with it at a rate that clocks have.

use super::super::rule::Endian;
use super::Label;
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, distinct, pairs};

/// Seconds from 1900, 1601 and 1 to 1970, the epochs of NTP, Windows and .NET.
const NTP: f64 = 2_208_988_800.0;
const WINDOWS: f64 = 11_644_473_600.0;
const DOT_NET: f64 = 62_135_596_800.0;

/// A unit of time: its name, and a value in seconds since 1970.
type Unit = (&'static str, fn(u64) -> f64);

const OF_FOUR: &[Unit] = &[("seconds since 1970", |value| value as f64), ("seconds since 1900", |value| value as f64 - NTP)];
const OF_EIGHT: &[Unit] = &[
    ("milliseconds since 1970", |value| value as f64 / 1e3),
    ("microseconds since 1970", |value| value as f64 / 1e6),
    ("nanoseconds since 1970", |value| value as f64 / 1e9),
    ("NTP time", |value| value as f64 / 4_294_967_296.0 - NTP),
    ("seconds since 1970", |value| value as f64),
    ("100 ns since 1601", |value| value as f64 / 1e7 - WINDOWS),
    ("100 ns since year 1", |value| value as f64 / 1e7 - DOT_NET),
];

/// Ticks a second that clocks of protocols have: milliseconds first, then those of media and of frames.
const RATES: [f64; 15] = [1e3, 1e6, 1e9, 1e7, 100.0, 60.0, 30.0, 50.0, 20.0, 64.0, 1024.0, 65_536.0, 90_000.0, 48_000.0, 8_000.0];

/// The fastest and the slowest rate of a clock that is none of [`RATES`].
const FASTEST: f64 = 2e9;
const SLOWEST: f64 = 20.0;

/// Seconds by which a clock may deviate from the capture time.
const JITTER: f64 = 0.6;

/// Values and seconds of one side.
type Run = Vec<(u64, f64)>;

/// Claims clocks: those near the capture time, then those of a usual rate, the narrow ones first.
pub fn clocks(table: &Table<'_>, claims: &mut Claims) {
    let Some(times) = times_of(table) else { return };
    for width in [8, 4] {
        claim(table, claims, width, |values| near(values, &times, width).map(|why| (0.95, why)));
    }
    for width in [4, 8] {
        claim(table, claims, width, |values| usual(table, values, &times, width).map(|why| (0.9, why)));
    }
}

/// Claims numbers that rise in proportion to the capture time at any other rate.
pub fn others(table: &Table<'_>, claims: &mut Claims) {
    if let Some(times) = times_of(table) {
        claim(table, claims, 4, |values| moves(table, values, &times).map(|why| (0.7, why)));
    }
}

/// Capture times in seconds, if all are known.
fn times_of(table: &Table<'_>) -> Option<Vec<f64>> {
    table.rows.iter().map(|row| (row.time != 0).then_some(row.time as f64 / 1e9)).collect()
}

/// Claims the numbers of a width for which `test` has evidence.
fn claim(table: &Table<'_>, claims: &mut Claims, width: usize, test: impl Fn(&[u64]) -> Option<(f64, String)>) {
    for offset in 0..table.width.saturating_sub(width - 1) {
        let is_const = (offset..offset + width).all(|place| table.at(place).is_const());
        for endian in Endian::BOTH.into_iter().filter(|_| !is_const || width == 4) {
            if claims.is_free(offset, width)
                && let Some((confidence, why)) = test(&table.numbers(offset, width, endian))
            {
                claims.take(Claim { offset, width, shape: Shape::Number(endian), label: Label::Timestamp, confidence, why });
            }
        }
    }
}

/// A clock that shows about the capture time.
fn near(values: &[u64], times: &[f64], width: usize) -> Option<String> {
    let units = if width == 4 { OF_FOUR } else { OF_EIGHT };
    // By chance, a number is within an hour at one in a million, within a month at one in 1,600.
    let fits = |(_, of): &&Unit| {
        let off: Vec<f64> = values.iter().zip(times).map(|(value, time)| of(*value) - time).collect();
        let first = off.first().copied().unwrap_or_default();
        let is_near = |most: f64| off.iter().all(|off| off.abs() < most);
        let follows = || distinct(values) >= 3 && off.iter().all(|off| (off - first).abs() < 60.0);
        is_near(3600.0) || is_near(40.0 * 86400.0) && follows()
    };
    units.iter().find(fits).map(|(name, _)| format!("{name}, near the time of capture"))
}

/// The values of each side with several, and their times.
fn runs(table: &Table<'_>, values: &[u64], times: &[f64]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut last = None;
    for ((row, value), time) in table.rows.iter().zip(values).zip(times) {
        match runs.last_mut().filter(|_| last == Some(row.side)) {
            Some(run) => run.push((*value, *time)),
            None => runs.push(vec![(*value, *time)]),
        }
        last = Some(row.side);
    }
    runs.retain(|run| run.len() >= 3);
    runs
}

/// A clock of one of the usual rates.
fn usual(table: &Table<'_>, values: &[u64], times: &[f64], width: usize) -> Option<String> {
    // Eight bytes whose upper half is zero are two numbers.
    if distinct(values) < 5.max(values.len() / 3) || width == 8 && values.iter().all(|value| value >> 32 == 0) {
        return None;
    }
    let runs = runs(table, values, times);
    let seconds: f64 = runs.iter().filter_map(|run| Some(run.last()?.1 - run.first()?.1)).sum();
    let all: usize = runs.iter().map(Vec::len).sum();
    let bits = 8 * u32::try_from(width).unwrap_or(0);
    let rate = RATES.into_iter().find(|rate| {
        let is_seen = all >= 5 && seconds * rate >= 50.0 && seconds >= 0.5;
        is_seen
            && runs.iter().flat_map(|run| deviations(run, *rate, bits)).filter(|off| *off > JITTER.min(seconds / 20.0)).count()
                * 10
                <= all
    })?;
    // A counter of periodic messages is also proportional to the capture time.
    (!is_of_one_step(values)).then(|| format!("{rate} a second, as the capture"))
}

/// Seconds between each value and the one expected from the middle of its run at a rate. Overflows do not matter.
fn deviations(run: &Run, rate: f64, bits: u32) -> impl Iterator<Item = f64> + '_ {
    let (first, start) = run.get(run.len() / 2).copied().unwrap_or_default();
    let whole = 2_f64.powi(i32::try_from(bits).unwrap_or(64));
    run.iter().map(move |(value, time)| {
        let found = if bits == 64 {
            value.wrapping_sub(first).cast_signed() as f64
        } else {
            (value.wrapping_sub(first) & ((1 << bits) - 1)) as f64
        };
        let off = (found - rate * (time - start)).rem_euclid(whole);
        off.min(whole - off) / rate
    })
}

/// Whether more than half of the steps are equal.
fn is_of_one_step(values: &[u64]) -> bool {
    let mut steps: Vec<u64> = pairs(values).map(|(first, second)| second.wrapping_sub(first)).collect();
    steps.sort_unstable();
    let middle = steps.get(steps.len() / 2).copied();
    steps.iter().filter(|step| Some(**step) == middle).count() * 2 > steps.len()
}

/// A number of four bytes that rises in proportion to the capture time, at the same rate on all sides.
fn moves(table: &Table<'_>, values: &[u64], times: &[f64]) -> Option<String> {
    let n = values.len();
    // Read in the wrong byte order, a slow number seems to be a fast one whose low bytes are constant.
    let low: Vec<u64> = values.iter().map(|value| value & 0xff).collect();
    if n < 8 || distinct(values) < 5.max(n / 3) || is_of_one_step(values) || distinct(&low) < 2 {
        return None;
    }
    let runs: Vec<Run> = runs(table, values, times).into_iter().filter(|run| run.len() >= 8).collect();
    let rates: Vec<f64> = runs.iter().filter_map(rate_of).collect();
    let rate = *rates.first().filter(|_| rates.len() == runs.len())?;
    let is_same = rates.iter().all(|other| (other / rate - 1.0).abs() < 0.02);
    (is_same && (SLOWEST..=FASTEST).contains(&rate)).then(|| format!("moves with the clock, {rate:.0} a second"))
}

/// The rate of a run that rises steadily.
fn rate_of(run: &Run) -> Option<f64> {
    let ((first, start), (last, end)) = (*run.first()?, *run.last()?);
    let rising = pairs(run).filter(|((first, _), (second, _))| second >= first).count();
    if last <= first || end - start < 0.05 || rising * 20 < (run.len() - 1) * 19 {
        return None;
    }
    let range = (last - first) as f64;
    let rate = range / (end - start);
    let off = |(value, time): &(u64, f64)| (*value as f64 - first as f64 - rate * (time - start)).abs() / range;
    (run.iter().map(off).fold(0.0, f64::max) < 0.02).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::super::super::messages::Message;
    use super::*;

    #[test]
    fn times_are_recognized_in_the_units_of_protocols() {
        const CAPTURED: u32 = 1_448_400_000;
        const NTP_CAPTURED: u64 = CAPTURED as u64 + 2_208_988_800;
        let seconds = [0_u32, 1, 7];
        let times = seconds.map(|second| f64::from(CAPTURED + second));
        let words =
            |first: u64, each: u64, width: usize| near(&seconds.map(|second| first + u64::from(second) * each), &times, width);
        let found = |unit: &str| Some(format!("{unit}, near the time of capture"));
        let captured = u64::from(CAPTURED);
        assert_eq!(words(captured, 1, 4), found("seconds since 1970"));
        assert_eq!(words(captured, 1, 8), found("seconds since 1970"));
        assert_eq!(words(NTP_CAPTURED, 1, 4), found("seconds since 1900"));
        assert_eq!(words(captured * 1_000, 1_000, 8), found("milliseconds since 1970"));
        assert_eq!(words(captured * 1_000_000, 1_000_000, 8), found("microseconds since 1970"));
        assert_eq!(words(captured * 1_000_000_000, 1_000_000_000, 8), found("nanoseconds since 1970"));
        assert_eq!(words(NTP_CAPTURED << 32, 1 << 32, 8), found("NTP time"));
        // 2015-11-24 21:20:00 UTC, as Windows and .NET have it.
        assert_eq!(words(130_928_736_000_000_000, 10_000_000, 8), found("100 ns since 1601"));
        assert_eq!(words(635_839_968_000_000_000, 10_000_000, 8), found("100 ns since year 1"));
        assert_eq!(words(captured - 41 * 86400, 1, 4), None);
        // Equal values a day away may be so by chance.
        assert_eq!(words(captured + 86400, 0, 4), None);
        assert_eq!(words(captured + 86400, 1, 4), found("seconds since 1970"));
    }

    /// The clocks of messages, captured at these milliseconds.
    fn found(rows: &[Vec<u8>], times: &[i64]) -> Vec<(usize, usize, String)> {
        let messages: Vec<Message<'_>> = rows
            .iter()
            .zip(times)
            .map(|(bytes, time)| Message { time: 1_400_000_000_000_000_000 + time * 1_000_000, ..Message::whole(bytes) })
            .collect();
        let table = Table::new(messages.iter().collect());
        let mut claims = Claims::new(table.width);
        clocks(&table, &mut claims);
        others(&table, &mut claims);
        claims.all.into_iter().map(|claim| (claim.offset, claim.width, claim.why)).collect()
    }

    /// Milliseconds at irregular intervals.
    const TIMES: [i64; 10] = [0, 130, 700, 1_100, 2_500, 2_600, 4_100, 5_900, 6_000, 9_300];

    #[test]
    fn a_clock_of_a_usual_rate_is_found_between_other_bytes() {
        for (rate, first) in [(1_000, 5), (1_000, u32::MAX - 3_000), (60_000_000, 77), (1_000_000, 5_000_000)] {
            let row = |at: usize| {
                let value = first.wrapping_add(u32::try_from(TIMES[at] * rate / 1000).unwrap());
                [&[u8::try_from(at * 83 % 256).unwrap()][..], &value.to_le_bytes(), &[u8::try_from(at * 41 % 256).unwrap()]]
                    .concat()
            };
            let found = found(&(0..TIMES.len()).map(row).collect::<Vec<_>>(), &TIMES);
            let [(1, 4, why)] = &found[..] else { panic!("{found:?}") };
            assert!(why.contains(&format!("{rate} a second")), "{why}");
        }
    }

    #[test]
    fn what_rises_otherwise_is_no_clock() {
        let rows = |of: &dyn Fn(usize) -> u32| (0..TIMES.len()).map(|at| of(at).to_be_bytes().to_vec()).collect::<Vec<_>>();
        let count = |at: usize| u32::try_from(at).unwrap();
        // A counter, a number that does not follow the time, and one that is too slow.
        assert_eq!(found(&rows(&|at| 7 + count(at)), &TIMES), []);
        assert_eq!(found(&rows(&|at| 1000 * count(at) * count(at)), &TIMES), []);
        assert_eq!(found(&rows(&|at| u32::try_from(TIMES[at] / 100).unwrap()), &TIMES), []);
        // The same time, and no time at all.
        assert_eq!(found(&rows(&|at| 1000 * count(at)), &[3; 10]), []);
        // 160 billion ticks a second: the lower half is not related to the time.
        let fast = |at: usize| ((TIMES[at] as u64) * 160_000_000 + (at as u64 * 7919 % 997) * 99_999).to_be_bytes().to_vec();
        assert!(found(&(0..TIMES.len()).map(fast).collect::<Vec<_>>(), &TIMES).iter().all(|(_, width, _)| *width < 8));
    }
}
