//! Numbers with characteristic behaviour: counters, echoed ids, lengths of parts.

use super::super::messages::Message;
use super::super::rule::Endian;
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, distinct, pairs};
use super::{Context, Label};
use std::collections::HashSet;

const BOTH: [Endian; 2] = [Endian::Big, Endian::Little];

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
    let changes = neighbours(table, &values).filter(|(first, second)| high(*first) != high(*second));
    let (mut carried, mut other) = (0, 0);
    for (first, second) in changes {
        let is_carry = high(second).abs_diff(high(first)) <= 2;
        carried += usize::from(is_carry);
        other += usize::from(!is_carry);
    }
    let top = (0..width - 1).map(|at| if endian == Endian::Big { offset + at } else { offset + width - 1 - at });
    let zeros = top.clone().filter(|place| table.at(*place).is_zero()).count();
    // Upper bytes that are constant may be another field.
    let is_other = |place: usize| {
        let bytes = table.numbers(place, 1, Endian::Big);
        !table.at(place).is_zero() && neighbours(table, &bytes).all(|(first, second)| first == second)
    };
    if top.into_iter().any(is_other) {
        return false;
    }
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
    let other = if context.endian == Endian::Big { Endian::Little } else { Endian::Big };
    for (width, endian) in [(4, context.endian), (2, context.endian), (4, other), (2, other)] {
        for offset in 0..table.width.saturating_sub(width - 1) {
            let high = if endian == Endian::Big { offset } else { offset + width - 1 };
            let low = if endian == Endian::Big { offset + width - 1 } else { offset };
            let busy = table.at(low).distinct * 3 >= n.min(200) && table.at(low).distinct > 5;
            if !claims.is_free(offset, width) || !busy || table.at(high).distinct > n / 2 + 1 {
                continue;
            }
            // In the other byte order, or across two fields, upper bytes are constant or rise by themselves.
            let is_other = table.at(high).is_const() && !table.at(high).is_zero();
            let is_sure = endian == context.endian || !table.at(high).is_const();
            let values = table.numbers(offset, width, endian);
            let rises = neighbours(table, &values).filter(|(first, second)| second > first).count();
            let half = 4 * width;
            let upper = neighbours(table, &values).filter(|(first, second)| first >> half != second >> half).count();
            let all = neighbours(table, &values).count();
            if !is_other && is_sure && all >= 7 && rises * 100 >= all * 97 && upper * 10 <= all * 6 {
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
    let turns: Vec<Option<usize>> = table.rows.iter().map(|row| context.echoes.turn(row)).collect();
    for width in [4, 2] {
        for offset in 0..table.width.saturating_sub(width - 1).min(super::ECHOED) {
            if !claims.is_free(offset, width) {
                continue;
            }
            // The low byte must vary, and the high one too, or it is zero.
            let [first, last] = [table.at(offset), table.at(offset + width - 1)];
            let (low, high) = if context.endian == Endian::Big { (last, first) } else { (first, last) };
            if low.is_const() || high.is_const() && !high.is_zero() {
                continue;
            }
            let values: Vec<u64> = table.all().filter_map(|bytes| bytes.get(offset..offset + width)).map(hash).collect();
            let many = distinct(&values);
            if many < 4 || many * 3 < n {
                continue;
            }
            let is_echoed = |(turn, value): (&Option<usize>, &u64), shift| context.echoes.has(*turn, *value, shift);
            // Random values are refuted early.
            let mut misses = 0;
            let is_refuted = |row| {
                misses += usize::from(!is_echoed(row, 0));
                (n - misses) * 10 < n * 7
            };
            if turns.iter().zip(&values).any(is_refuted) {
                continue;
            }
            let hits = values.len() - misses;
            let chance = turns.iter().zip(&values).filter(|row| is_echoed(*row, 7)).count();
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

/// Whether an id of all messages is one in those of a kind, too.
pub fn is_echoed(table: &Table<'_>, claim: &Claim, context: &Context) -> bool {
    let part = |row: &&&Message<'_>| {
        let value = row.bytes.get(claim.offset..claim.offset + claim.width);
        value.is_some_and(|value| context.echoes.has(context.echoes.turn(row), hash(value), 0))
    };
    table.rows.len() < 4 || table.rows.iter().filter(part).count() * 4 >= table.rows.len()
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

    /// The run of a message.
    fn turn(&self, message: &Message<'_>) -> Option<usize> {
        let dir = message.dir == crate::tree::Side::Server;
        let own = self.turns.partition_point(|turn| (turn.stream, turn.order) <= (message.stream, message.order));
        own.checked_sub(1).filter(|own| self.turns.get(*own).is_some_and(|turn| turn.dir == dir))
    }

    /// Whether a value, as its hash, occurs in the run of the other direction before or after a run; for comparison in a run
    /// `shift` pairs away.
    fn has(&self, own: Option<usize>, hash: u64, shift: usize) -> bool {
        let Some((own, dir)) = own.and_then(|own| Some((own, self.turns.get(own)?.dir))) else { return false };
        let far = 2 * shift;
        let before = own.checked_sub(1 + far).or_else(|| (shift > 0).then_some(own + 1 + far));
        let has = |place: usize| self.turns.get(place).is_some_and(|turn| turn.dir != dir && turn.windows.contains(&hash));
        before.is_some_and(has) || has(own + 1 + far)
    }
}

fn hash(window: &[u8]) -> u64 {
    Endian::Big.read(window) | (window.len() as u64) << 60
}

/// Numbers that are the complement of the number before them, as of a length in deflate.
pub fn complements(table: &Table<'_>, claims: &mut Claims) {
    for width in [4, 2, 1] {
        let mask = u64::MAX >> (64 - 8 * width);
        for offset in width..(table.width + 1).saturating_sub(width) {
            let values = || table.all().filter_map(|bytes| bytes.get(offset - width..offset + width)?.split_at_checked(width));
            let is_other = |(number, complement): (&[u8], &[u8])| Endian::Big.read(number) ^ Endian::Big.read(complement) == mask;
            // One byte is the complement of another by chance at one in 256.
            let needed = if width == 1 { 6 } else { 3 };
            let different = || distinct(&values().map(|(number, _)| number).collect::<Vec<_>>());
            if claims.is_free(offset, width) && values().all(is_other) && different() >= needed {
                let why = format!("complement of the {width} byte{} before", if width == 1 { "" } else { "s" });
                let shape = Shape::Number(Endian::Big);
                claims.take(Claim { offset, width, shape, label: Label::Checksum, confidence: 0.95, why });
            }
        }
    }
}

/// Numbers that count the following bytes, or the whole message.
pub fn lengths(table: &Table<'_>, claims: &mut Claims) {
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
    fn the_complement_of_a_length_is_found() {
        let rows: Vec<Vec<u8>> = (0..9_u8)
            .map(|at| {
                let length = u16::from(at) * 37 + 5;
                [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &[at; 3]].concat()
            })
            .collect();
        let messages: Vec<Message<'_>> = rows.iter().map(|row| Message::whole(row)).collect();
        let found = |messages: &[Message<'_>]| {
            let table = Table::new(messages.iter().collect());
            let mut claims = Claims::new(table.width);
            complements(&table, &mut claims);
            claims.all.iter().map(|claim| (claim.offset, claim.width)).collect::<Vec<_>>()
        };
        assert_eq!(found(&messages), [(3, 2)]);
        assert_eq!(found(&messages[..2]), []);
    }
}
