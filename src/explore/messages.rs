//! Splits sides into messages, and classifies these into kinds.

use super::datagram_length::byte_order;
use super::framing::Hypothesis;
use super::roles::Roles;
use super::rule::{Endian, Number, Rule, Step};
use super::side::Side;
use crate::tree;
use std::collections::{BTreeMap, HashMap};

/// A message of one side.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Index of its side.
    pub side: usize,
    /// Number of its conversation.
    pub stream: u32,
    /// Offset in the bytes of the side.
    pub start: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Sender.
    pub dir: tree::Side,
    /// Capture time of its first segment: nanoseconds since 1970.
    pub time: i64,
    /// Index of that segment in the conversation.
    pub order: usize,
    /// Whether it matches the rule, so that it is neither a preamble nor a remainder.
    pub is_whole: bool,
    /// Size of a length of variable width at its start, if the rule has one.
    pub header: usize,
}

#[cfg(test)]
impl<'a> Message<'a> {
    /// A whole message of the client, alone in its conversation.
    pub fn whole(bytes: &'a [u8]) -> Message<'a> {
        let dir = tree::Side::Client;
        Message { side: 0, stream: 0, start: 0, bytes, dir, time: 0, order: 0, is_whole: true, header: 0 }
    }
}

/// The position of the message kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discriminator {
    /// Offset from the start of the message, or from the end of a length of variable width.
    pub offset: usize,
    /// Size in bytes.
    pub width: usize,
    /// Byte order, if it has several bytes.
    pub endian: Endian,
    /// From 0 to 1.
    pub confidence: f64,
}

/// How kinds are distinguished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kinds {
    /// By a number.
    Column(Discriminator),
    /// By the first word of text.
    Word,
    /// There is only one kind.
    Single,
}

/// Messages of one kind.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Sender.
    pub dir: tree::Side,
    /// The bytes of the discriminator.
    pub key: Vec<u8>,
    /// Size of a length of variable width.
    pub header: usize,
    /// Indexes of the messages.
    pub members: Vec<usize>,
    /// Whether they match the rule, so that they are neither preambles nor remainders.
    pub is_whole: bool,
}

impl Kind {
    /// `s2c/82000000`; with the width of the length appended, if it varies within the kind.
    #[must_use]
    pub fn id(&self) -> String {
        let key: String = self.key.iter().map(|byte| format!("{byte:02x}")).collect();
        let width = if self.header > 1 { format!("~{}", self.header) } else { String::new() };
        let key = match (self.is_whole, key.is_empty()) {
            (false, _) => "rest",
            (true, true) => "all",
            (true, false) => &key,
        };
        format!("{}/{key}{width}", self.dir)
    }
}

/// The messages of all sides, grouped by side.
#[must_use]
pub fn messages<'a>(sides: &'a [Side], hypothesis: &Hypothesis) -> Vec<Message<'a>> {
    let mut all = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        let starts = hypothesis.starts.get(number).map_or(&[][..], Vec::as_slice);
        let end = hypothesis.ends.get(number).copied().unwrap_or(0);
        let framed = hypothesis.dirs.get(side.dir.index()).and_then(Option::as_ref);
        let first = hypothesis.begins.get(number).copied().unwrap_or(0);
        let behind_gaps = hypothesis.behind_gaps.get(number).map_or(&[][..], Vec::as_slice);
        let behind = starts.iter().skip(1).copied().chain([side.bytes.len()]);
        for (&start, behind) in starts.iter().zip(behind) {
            let bytes = side.bytes.get(start..behind).unwrap_or_default();
            let header = match framed.map(|framed| &framed.rule) {
                Some(Rule::Varint { offset, format }) => {
                    bytes.get(*offset..).and_then(|rest| format.read(rest)).map_or(0, |(width, _)| width)
                }
                Some(Rule::Table(table)) => table.header(bytes),
                _ => 0,
            };
            let segment = side.segment(start);
            let is_seen_to_end = || match framed.map(|framed| &framed.rule) {
                None | Some(Rule::None | Rule::Datagram) => false,
                Some(rule) => rule.step(bytes) == Step::Message(bytes.len()),
            };
            let is_complete = side.is_datagrams || !side.is_hole(behind) || is_seen_to_end();
            all.push(Message {
                side: number,
                stream: side.stream.number,
                start,
                bytes,
                dir: side.dir,
                time: segment.map_or(0, |segment| segment.time),
                order: segment.map_or(0, |segment| segment.order),
                is_whole: start >= first && start < end && behind_gaps.binary_search(&start).is_err() && is_complete,
                header,
            });
        }
    }
    all
}

/// Number of messages used to find a discriminator.
const SAMPLE: usize = 1500;

/// Number of columns tried as discriminators.
const COLUMNS: usize = 28;

/// The share of changes after which values of both bytes of a discriminator return.
const RETURNING: f64 = 0.2;

/// Changes added to those of a stream, half of which return. A few changes show little of how often values return.
const SUPPOSED: f64 = 4.0;

/// Weight of a column that only distinguishes the first messages of conversations.
const OPENING: f64 = 0.3;

/// Finds the discriminator of kinds. `skipped` are the bytes of the framing.
#[must_use]
pub fn kinds_of(messages: &[Message<'_>], rule: &Rule, hide: &[(usize, usize)], are_datagrams: bool) -> Kinds {
    let whole: Vec<&Message<'_>> = messages.iter().filter(|message| message.is_whole).collect();
    let stride = whole.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<&Message<'_>> = whole.into_iter().step_by(stride).collect();
    if sample.len() < 2 {
        return Kinds::Single;
    }
    if matches!(rule, Rule::Terminator(_) | Rule::Headers) {
        let text = sample.iter().filter(|message| printable(message.bytes) > 0.9).count();
        if text * 10 >= sample.len() * 9 {
            return words(&sample);
        }
    }
    if let Rule::Table(table) = rule
        && !table.is_switch()
    {
        let Number { offset, width, endian } = table.key.at;
        return Kinds::Column(Discriminator { offset, width, endian, confidence: 0.9 });
    }
    column(&sample, rule, hide, are_datagrams).map_or(Kinds::Single, |found| Kinds::Column(widened(&sample, found, rule, hide)))
}

/// The share of printable bytes.
#[must_use]
pub fn printable(bytes: &[u8]) -> f64 {
    let count = bytes.iter().filter(|byte| matches!(byte, 0x20..0x7f | b'\r' | b'\n' | b'\t')).count();
    count as f64 / bytes.len().max(1) as f64
}

/// The first word, if there are few distinct ones.
fn words(sample: &[&Message<'_>]) -> Kinds {
    let mut counts: HashMap<(tree::Side, &[u8]), usize, foldhash::fast::RandomState> = HashMap::default();
    for message in sample {
        *counts.entry((message.dir, word(message.bytes))).or_default() += 1;
    }
    let again = counts.values().filter(|count| **count > 1).sum::<usize>();
    if counts.len() <= 60 && again * 10 >= sample.len() * 6 && counts.len() > 1 { Kinds::Word } else { Kinds::Single }
}

/// The first word of a text.
#[must_use]
pub fn word(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().take(16).position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'));
    bytes.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The bytes of a column in a message; columns after a header of variable width are relative to its end.
#[must_use]
pub fn key_of<'a>(message: &Message<'a>, kinds: Kinds) -> &'a [u8] {
    match kinds {
        Kinds::Column(at) => {
            let from = at.offset + if at.offset > 0 { message.header.saturating_sub(1) } else { 0 };
            message.bytes.get(from..from + at.width).or(message.bytes.get(from..)).unwrap_or_default()
        }
        Kinds::Word => word(message.bytes),
        Kinds::Single => &[],
    }
}

/// Values of one column over a sample, as small indexes.
struct Values {
    /// For each message; too short messages share one value.
    of: Vec<u32>,
    count: usize,
}

/// Parameters of the code for values new to a class. The best one is used for each column.
const READY: [f64; 3] = [0.02, 0.4, 4.0];

/// Logarithms of rising factorials: of 1, and of each parameter.
struct Factorials {
    whole: Vec<f64>,
    rising: [Vec<f64>; READY.len()],
}

impl Factorials {
    fn new(most: usize) -> Factorials {
        let sums = |from: f64| {
            let mut sum = 0.0;
            let more = (0..most).map(move |number| {
                sum += (number as f64 + from).log2();
                sum
            });
            [0.0].into_iter().chain(more).collect()
        };
        Factorials { whole: sums(1.0), rising: READY.map(sums) }
    }
}

impl Values {
    fn new(values: impl Iterator<Item = u64>) -> Values {
        let mut known: HashMap<u64, u32, foldhash::fast::RandomState> = HashMap::default();
        let of = values
            .map(|value| {
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                *known.entry(value).or_insert(next)
            })
            .collect();
        Values { of, count: known.len() }
    }

    /// The same values, distinguished by direction.
    fn by_direction(&self, dirs: &[u32]) -> Values {
        Values::new(self.of.iter().zip(dirs).map(|(value, dir)| u64::from(*value) << 1 | u64::from(*dir)))
    }

    /// Bits to encode these values if each class of messages has its own code. A value new to its class costs as much as without
    /// classes; one that occurred there costs less the more frequent it is.
    fn cost(&self, classes: &Values, factorials: &Factorials) -> f64 {
        let n = self.of.len() as f64;
        let mut all = vec![0_u32; self.count];
        let mut joint: HashMap<(u32, u32), u32, foldhash::fast::RandomState> = HashMap::default();
        for (class, value) in classes.of.iter().zip(&self.of) {
            *joint.entry((*class, *value)).or_default() += 1;
            all.get_mut(*value as usize).into_iter().for_each(|count| *count += 1);
        }
        let bits: Vec<f64> = all.iter().map(|count| (n / f64::from(*count)).log2()).collect();
        let mut sizes = vec![0_usize; classes.count];
        let (mut news, mut saved) = (0.0, 0.0);
        for ((class, value), count) in &joint {
            sizes.get_mut(*class as usize).into_iter().for_each(|size| *size += *count as usize);
            news += bits.get(*value as usize).copied().unwrap_or(0.0);
            saved += factorials.whole.get((*count as usize).saturating_sub(1)).copied().unwrap_or(0.0);
        }
        let total = |(ready, rising): (&f64, &Vec<f64>)| {
            let rises: f64 = sizes.iter().filter_map(|size| rising.get(*size)).sum();
            news - joint.len() as f64 * ready.log2() + rises - saved
        };
        READY.iter().zip(&factorials.rising).map(total).fold(f64::MAX, f64::min)
    }
}

/// A byte of a message; columns after a header of variable width are relative to its end.
pub(super) fn byte_at(message: &Message<'_>, place: usize) -> u64 {
    let from = place + if place > 0 { message.header.saturating_sub(1) } else { 0 };
    message.bytes.get(from).map_or(256, |byte| u64::from(*byte))
}

/// A sample of messages as columns of one byte each, with the message length as the last column.
struct Columns<'s, 'a> {
    sample: &'s [&'s Message<'a>],
    /// Sender of each message.
    dirs: Vec<u32>,
    /// Columns with their offsets.
    columns: Vec<(usize, Values)>,
    /// Cost of each column by itself.
    alone: Vec<f64>,
    factorials: Factorials,
}

impl<'s, 'a> Columns<'s, 'a> {
    fn new(sample: &'s [&'s Message<'a>], is_hidden: impl Fn(usize) -> bool) -> Columns<'s, 'a> {
        let factorials = Factorials::new(sample.len());
        let dirs: Vec<u32> = sample.iter().map(|message| u32::from(message.dir == tree::Side::Server)).collect();
        let by_dir = Values::new(dirs.iter().map(|dir| u64::from(*dir)));
        let read = |place: usize| Values::new(sample.iter().map(|message| byte_at(message, place)));
        let places = (0..COLUMNS + 12).filter(|place| !is_hidden(*place));
        let mut columns: Vec<(usize, Values)> = places.map(|place| (place, read(place))).collect();
        columns.push((usize::MAX, Values::new(sample.iter().map(|message| message.bytes.len() as u64))));
        let alone = columns.iter().map(|(_, values)| values.cost(&by_dir, &factorials)).collect();
        Columns { sample, dirs, columns, alone, factorials }
    }

    /// Whether a column has more than one value.
    fn changes(&self, place: usize) -> bool {
        self.columns.iter().any(|(other, values)| *other == place && values.count > 1)
    }

    /// Whether a discriminator may have this width here: both of two bytes must change.
    fn may_be(&self, place: usize, width: usize) -> bool {
        width == 1 || self.changes(place) && self.changes(place + 1)
    }

    /// The values of a number.
    fn values(&self, place: usize, width: usize) -> Values {
        Values::new(self.sample.iter().map(|message| match width {
            1 => byte_at(message, place),
            _ => byte_at(message, place) << 16 | byte_at(message, place + 1),
        }))
    }

    /// The differences of a number between messages of a side.
    fn steps(&self, place: usize, width: usize) -> Steps {
        let value = |message: &Message<'_>| match width {
            1 => byte_at(message, place),
            _ => byte_at(message, place) << 8 | byte_at(message, place + 1),
        };
        let mut counts: HashMap<u64, usize, foldhash::fast::RandomState> = HashMap::default();
        let mut found = Steps { all: 0, changes: 0, same: 0 };
        let pairs = self.sample.iter().zip(self.sample.iter().skip(1)).filter(|(first, second)| first.side == second.side);
        for (first, second) in pairs {
            found.all += 1;
            let step = value(second).wrapping_sub(value(first)) & ((1 << (8 * width)) - 1);
            if step != 0 {
                found.changes += 1;
                *counts.entry(step).or_default() += 1;
            }
        }
        found.same = counts.into_values().max().unwrap_or(0);
        found
    }

    /// Whether values change only in the first messages of sides, as kinds of a handshake.
    fn opens(&self, values: &Values) -> bool {
        let mut has_changed = false;
        let mut at = 0;
        for run in self.sample.chunk_by(|first, second| first.side == second.side) {
            let own = values.of.get(at..at + run.len()).unwrap_or_default();
            at += run.len();
            let changes = own.windows(2).enumerate().filter(|(_, pair)| pair.first() != pair.last()).map(|(place, _)| place + 1);
            let (count, last) = changes.fold((0, 0), |(count, _), place| (count + 1, place));
            if count > 2 || last > (run.len() / 10).max(2) {
                return false;
            }
            has_changed |= count > 0;
        }
        has_changed
    }

    /// Bits that classes save in all columns but these.
    fn saved(&self, classes: &Values, but: std::ops::Range<usize>) -> f64 {
        let others = self.columns.iter().zip(&self.alone).filter(|((place, _), _)| !but.contains(place));
        others.map(|((_, values), alone)| alone - values.cost(classes, &self.factorials)).sum()
    }

    /// Whether two bytes distinguish more than one of them does, and their values depend on each other and return.
    fn is_pair(&self, place: usize, by_side: bool) -> bool {
        let values = [self.values(place, 2), self.values(place, 1), self.values(place + 1, 1)];
        let [both, first, second] = values.each_ref().map(|values| values.count);
        let [_, one, other] = values.each_ref().map(|values| returning(self.sample, values, by_side, 0.0));
        if 4 * both > 3 * first * second || one.min(other) < RETURNING {
            return false;
        }
        let [both, first, second] = values.map(|values| self.saved(&values.by_direction(&self.dirs), place..place + 2));
        both > first.max(second)
    }

    /// Bits that classes by this column save in all other columns, weighted by its plausibility as a kind. `before` is the number
    /// of changing columns before it. `None` if it has too few or too many values.
    fn gain(&self, place: usize, width: usize, before: f64, by_side: bool) -> Option<f64> {
        let own = self.values(place, width);
        let is_many = own.count * 10 > self.sample.len() * 9;
        if !(2..=64).contains(&own.count) || is_many || width == 1 && self.steps(place, 1).is_counter() {
            return None;
        }
        let classes = own.by_direction(&self.dirs);
        let gain = self.saved(&classes, place..place + width);
        // Streams may go through phases. In datagrams, and in the high byte of a clock, values return on their own side.
        let is_apart = by_side || self.steps(place, width).is_clock();
        let supposed = if is_apart { 0.0 } else { SUPPOSED };
        let opening = if by_side && self.opens(&own) { OPENING } else { 0.0 };
        let again = returning(self.sample, &own, is_apart, supposed).max(opening);
        let shared = (2.0 - 2.0 * classes.count as f64 / self.sample.len() as f64).min(1.0);
        Some(gain * again * shared / (1.0 + 0.5 * before))
    }
}

/// Whether an offset belongs to the framing.
fn is_hidden(place: usize, rule: &Rule, hide: &[(usize, usize)]) -> bool {
    hide.iter().any(|(start, end)| (*start..*end).contains(&place))
        || matches!(rule, Rule::Varint { offset, .. } if *offset == place)
        || matches!(rule, Rule::Table(table) if table.has_headers() && place == 0)
}

/// The column whose classes give the shortest code.
fn column(sample: &[&Message<'_>], rule: &Rule, hide: &[(usize, usize)], are_datagrams: bool) -> Option<Discriminator> {
    let least = sample.iter().map(|message| message.bytes.len()).min().unwrap_or(0);
    let is_framing = |place: usize| is_hidden(place, rule, hide);
    let roles = Roles::new(sample, COLUMNS + 12, are_datagrams, is_framing);
    let is_hidden = |place: usize| is_framing(place) || roles.is_taken(place);
    let columns = Columns::new(sample, is_hidden);
    let by_side = are_datagrams && roles.has_runs;
    let mut found: Vec<(f64, Discriminator)> = Vec::new();
    let mut before = 0.0;
    for place in (0..COLUMNS.min(least.max(1))).filter(|place| !is_hidden(*place)) {
        for width in [1, 2].into_iter().filter(|width| columns.may_be(place, *width)) {
            if let Some(gain) =
                columns.gain(place, width, before, by_side).filter(|_| width == 1 || columns.is_pair(place, by_side))
            {
                found.push((gain, Discriminator { offset: place, width, endian: Endian::Big, confidence: 0.0 }));
            }
        }
        before += f64::from(u8::from(columns.changes(place)));
    }
    choose(&found)
}

/// The first discriminator with nearly the gain of the best one, if that has any.
fn choose(found: &[(f64, Discriminator)]) -> Option<Discriminator> {
    let best = found.iter().map(|(bits, _)| *bits).fold(0.0, f64::max);
    if best < 4.0 {
        return None;
    }
    let (bits, first) = found.iter().find(|(bits, _)| *bits >= 0.85 * best)?;
    let rest = found.iter().filter(|(_, other)| other.offset != first.offset).map(|(bits, _)| *bits).fold(0.0, f64::max);
    let confidence = (bits / (bits + 12.0)) * (0.6 + 0.4 * (1.0 - rest / best.max(1.0)).clamp(0.0, 1.0));
    Some(Discriminator { confidence, ..*first })
}

/// The share of messages whose value returns after another one, on their own side if `is_apart`. It is drawn towards a half as by
/// `supposed` more changes, if any value returns.
fn returning(sample: &[&Message<'_>], values: &Values, is_apart: bool, supposed: f64) -> f64 {
    let side = |place: usize| sample.get(place).filter(|_| is_apart).map_or(0, |message| message.side);
    match changes(values, side) {
        (_, 0) => 0.0,
        (all, back) => (back as f64 + 0.5 * supposed) / (all as f64 + supposed),
    }
}

/// How often a value changes within a side, and how often it returns.
fn changes(values: &Values, side: impl Fn(usize) -> usize) -> (usize, usize) {
    let mut last: HashMap<(usize, u32), usize, foldhash::fast::RandomState> = HashMap::default();
    for (place, value) in values.of.iter().enumerate() {
        last.insert((side(place), *value), place);
    }
    let (mut all, mut back) = (0, 0);
    for (place, (value, next)) in values.of.iter().zip(values.of.iter().skip(1)).enumerate() {
        if value != next && side(place) == side(place + 1) {
            all += 1;
            back += usize::from(last.get(&(side(place), *value)).is_some_and(|last| *last > place));
        }
    }
    (all, back)
}

/// Number of neighbours required to detect a counter.
const STEPS: usize = 8;

/// Differences between consecutive values of a side.
struct Steps {
    /// Number of neighbours.
    all: usize,
    /// Number of neighbours with different values.
    changes: usize,
    /// Number of neighbours with the most frequent difference.
    same: usize,
}

impl Steps {
    /// Whether one step explains nearly all differences, as in the low byte of a counter.
    fn is_counter(&self) -> bool {
        self.all >= STEPS && self.same * 20 >= self.all * 17
    }

    /// Whether changes are rare and of one step, as in the high byte of a clock.
    fn is_clock(&self) -> bool {
        self.changes >= 4 && self.same * 5 >= self.changes * 4
    }
}

/// Extends a discriminator by zeros that are its high bytes, if a wider number would be aligned.
fn widened(sample: &[&Message<'_>], found: Discriminator, rule: &Rule, hide: &[(usize, usize)]) -> Discriminator {
    let of_rule = rule.length().filter(|at| at.width > 1).map(|at| at.endian);
    // A zero behind the kind may be the high byte of a number in the other order.
    let of_others = || {
        let bytes: Vec<&[u8]> = sample.iter().map(|message| message.bytes).collect();
        byte_order(&bytes, found.offset).filter(|_| found.width == 1)
    };
    let known = of_rule.or_else(of_others);
    let least = sample.iter().map(|message| message.bytes.len()).min().unwrap_or(0);
    let is_hidden = |place: usize| is_hidden(place, rule, hide);
    let is_zero = |place: usize| !is_hidden(place) && sample.iter().all(|message| byte_at(message, place) == 0);
    // Bytes above the low one may change: the next one with few values, the others never.
    let is_high = |place: usize| {
        let zeros = sample.iter().filter(|message| byte_at(message, place) == 0).count();
        !is_hidden(place) && zeros * 2 > sample.len()
    };
    for width in [4, 2] {
        for endian in Endian::BOTH.into_iter().filter(|endian| known.is_none_or(|known| known == *endian)) {
            let offset = match endian {
                Endian::Little => Some(found.offset),
                Endian::Big => (found.offset + found.width).checked_sub(width),
            };
            let is_behind = |at: usize| at.checked_sub(1).is_some_and(is_hidden);
            let Some(offset) = offset.filter(|at| at % width == 0 || is_behind(*at)) else { continue };
            let added = (offset..offset + width).filter(|place| !(found.offset..found.offset + found.width).contains(place));
            let mut added: Vec<usize> = added.collect();
            if endian == Endian::Big {
                added.reverse();
            }
            let is_upper =
                |place: usize| width == 4 && is_high(place) || is_behind(place) && is_upper(sample, place, found.offset);
            let fits = added.iter().enumerate().all(|(far, place)| is_zero(*place) || far == 0 && is_upper(*place));
            if width > found.width && offset + width <= least && fits {
                return Discriminator { offset, width, endian, ..found };
            }
        }
    }
    Discriminator { endian: known.unwrap_or(Endian::Big), ..found }
}

/// Whether a byte is the upper one of a kind that is rarely large: where it is not zero, the lower byte has values of its own.
fn is_upper(sample: &[&Message<'_>], high: usize, low: usize) -> bool {
    let small = |message: &&&Message<'_>| byte_at(message, high) == 0;
    let known: std::collections::HashSet<u64> = sample.iter().filter(small).map(|message| byte_at(message, low)).collect();
    let large: Vec<u64> = sample.iter().filter(|message| !small(message)).map(|message| byte_at(message, low)).collect();
    let own = large.iter().filter(|value| !known.contains(value)).count();
    large.len() * 4 < sample.len() && own * 4 > large.len() * 3
}

/// Groups messages by direction, key and header width, ordered by key.
#[must_use]
pub fn group(messages: &[Message<'_>], kinds: Kinds) -> Vec<Kind> {
    let mut groups: BTreeMap<(tree::Side, bool, Vec<u8>, usize), Vec<usize>> = BTreeMap::new();
    for (number, message) in messages.iter().enumerate() {
        let key = if message.is_whole { key_of(message, kinds).to_vec() } else { Vec::new() };
        groups.entry((message.dir, !message.is_whole, key, message.header)).or_default().push(number);
    }
    groups
        .into_iter()
        .map(|((dir, is_rest, key, header), members)| Kind { dir, key, header, members, is_whole: !is_rest })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros above a byte are its high bytes at an aligned offset, and directly behind a hidden field such as the length.
    #[test]
    fn a_discriminator_is_widened_where_a_number_may_be() {
        let bytes = [1_u8, 2, 3].map(|kind| [7, kind, 0, 9, 9, kind, 0, 9]);
        let messages: Vec<Message<'_>> = bytes.iter().map(|bytes| Message::whole(bytes)).collect();
        let sample: Vec<&Message<'_>> = messages.iter().collect();
        let width_by = |rule: &Rule, offset: usize, hide: &[(usize, usize)]| {
            let found = Discriminator { offset, width: 1, endian: Endian::Big, confidence: 1.0 };
            let found = widened(&sample, found, rule, hide);
            (found.offset, found.width)
        };
        let width = |offset: usize, hide: &[(usize, usize)]| width_by(&Rule::Terminator(vec![0]), offset, hide);
        assert_eq!(width(1, &[(0, 1)]), (1, 2));
        assert_eq!((width(1, &[]), width(5, &[(0, 1)])), ((1, 1), (5, 1)));
        assert_eq!(width(5, &[(0, 1), (4, 5)]), (5, 2));
        assert_eq!(width(5, &[(0, 1), (6, 7)]), (5, 1));
        // The byte order of the length is that of all numbers.
        assert_eq!(width_by(&Rule::Hex4, 1, &[(0, 1)]), (1, 1));
    }
}
