//! Finds positions at which the first value occurs, and later the second one: in messages of the same kind, or after the same
//! bytes.

use super::places::{BytePosition, Places};
use super::reading::Reading;
use super::scan::{Hit, Needle};
use super::value::Value;
use super::{Groups, named, search};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of compared occurrences of each form.
pub const COMPARED: usize = 4096;

/// Number of bytes before a value that identify it.
const NAME: usize = 4;

/// Number of bytes between two values that are searched for other values.
const BETWEEN: usize = 16 << 10;

/// Maximum number of candidates.
const CANDIDATES: usize = 1000;

/// A position at which the value changed.
#[derive(Debug, Clone)]
pub struct Change<'g> {
    /// The forms.
    pub readings: Vec<Reading>,
    /// The common property of the occurrences.
    pub key: Key,
    /// How often the second value follows the first.
    pub count: usize,
    /// How often each value occurs there.
    pub hits: [usize; 2],
    /// The last occurrence of the first value.
    pub from: BytePosition<'g>,
    /// The first occurrence of the second value after it.
    pub to: BytePosition<'g>,
    /// Whether no other value occurs between.
    pub is_direct: bool,
    /// How often each value occurs anywhere in this form.
    pub rarity: u64,
    /// Size of the first value in bytes.
    pub width: usize,
}

/// The common property of two occurrences.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The kind of their messages, and the offset: group, kind, offset.
    Offset(usize, usize, usize),
    /// The bytes before the value: group, side, bytes.
    Behind(usize, usize, [u8; NAME]),
}

/// The changes, likely ones first.
#[derive(Debug, Clone, Default)]
pub struct Changes<'g> {
    /// All changes.
    pub all: Vec<Change<'g>>,
    /// How often each value occurs in any form.
    pub hits: [u64; 2],
    /// Forms with more occurrences than were compared.
    pub cut: Vec<String>,
}

impl Change<'_> {
    /// The key as text, `s2c/03 @11`, or `tcp/0/s2c behind f5010000`.
    #[must_use]
    pub fn title(&self, places: &Places<'_, '_>) -> String {
        match &self.key {
            Key::Offset(group, kind, offset) => format!("{} @{offset}", places.kind(*group, *kind)),
            Key::Behind(_, _, bytes) => format!("behind {}", crate::explore::json::Hex(bytes)),
        }
    }
}

/// A form of both values, with their occurrences.
struct Pair {
    readings: Vec<Reading>,
    first: Needle,
    second: Needle,
}

/// Finds positions at which the first value changed into the second.
#[must_use]
pub fn changes<'g>(groups: Groups<'g, '_>, values: &[Value; 2], places: &Places<'g, '_>) -> Changes<'g> {
    let (readings, [mut firsts, mut seconds]) = pairs(values);
    search(groups, &mut firsts, COMPARED);
    search(groups, &mut seconds, COMPARED);
    let mut found = Changes::default();
    for (readings, (first, second)) in readings.into_iter().zip(firsts.into_iter().zip(seconds)) {
        let counts = [first.count, second.count];
        found.hits[0] += counts[0];
        found.hits[1] += counts[1];
        if counts.iter().any(|count| *count > COMPARED as u64) {
            found.cut.push(named(&readings));
        }
        if !counts.contains(&0) {
            of_pair(&Pair { readings, first, second }, places, &mut found.all);
            best(&mut found.all);
        }
    }
    found
}

/// The forms that both values have, with the needles of each value.
fn pairs(values: &[Value; 2]) -> (Vec<Vec<Reading>>, [Vec<Needle>; 2]) {
    let (mut readings, [mut firsts, mut seconds]) = (Vec::<Vec<Reading>>::new(), [Vec::<Needle>::new(), Vec::new()]);
    for reading in Reading::all(values) {
        let [first, second] = values.each_ref().map(|value| Needle::all(value, &[reading]).pop());
        let Some((first, second)) = first.zip(second) else { continue };
        let known = firsts.iter().zip(&seconds).position(|(a, b)| a.wanted == first.wanted && b.wanted == second.wanted);
        match known.and_then(|known| readings.get_mut(known)) {
            Some(known) => known.push(reading),
            None => {
                readings.push(vec![reading]);
                firsts.push(first);
                seconds.push(second);
            }
        }
    }
    (readings, [firsts, seconds])
}

/// An occurrence of a value, in the order of the capture.
struct Event<'g> {
    place: BytePosition<'g>,
    is_second: bool,
}

/// The changes of one form.
fn of_pair<'g>(pair: &Pair, places: &Places<'g, '_>, all: &mut Vec<Change<'g>>) {
    let mut events: BTreeMap<Key, Vec<Event<'g>>> = BTreeMap::new();
    for (is_second, needle) in [(false, &pair.first), (true, &pair.second)] {
        for hit in &needle.hits {
            let Some(place) = places.of(*hit) else { continue };
            for key in keys(*hit, &place) {
                events.entry(key).or_default().push(Event { place, is_second });
            }
        }
    }
    for (key, mut events) in events {
        events.sort_by_key(|event| (event.place.message.stream, event.place.at));
        let steps = events.iter().zip(events.iter().skip(1));
        let mut steps = steps.filter(|(first, second)| {
            !first.is_second && second.is_second && first.place.message.stream == second.place.message.stream
        });
        let Some((first, second)) = steps.clone().find(|(a, b)| is_direct(&key, a, b, places)).or_else(|| steps.next()) else {
            continue;
        };
        let seconds = events.iter().filter(|event| event.is_second).count();
        all.push(Change {
            readings: pair.readings.clone(),
            count: changes_in(&events),
            hits: [events.len() - seconds, seconds],
            from: first.place,
            to: second.place,
            is_direct: is_direct(&key, first, second, places),
            rarity: pair.first.count + pair.second.count,
            width: pair.first.len(),
            key,
        });
    }
}

/// How often the second value is next after the first.
fn changes_in(events: &[Event<'_>]) -> usize {
    events.iter().zip(events.iter().skip(1)).filter(|(first, second)| !first.is_second && second.is_second).count()
}

/// The keys of an occurrence.
fn keys(hit: Hit, place: &BytePosition<'_>) -> Vec<Key> {
    let mut keys = vec![Key::Offset(place.group, place.kind, place.offset)];
    let name = hit.at.checked_sub(NAME).and_then(|start| place.side.bytes.get(start..hit.at));
    if let Some(name) = name.and_then(|name| name.try_into().ok()) {
        keys.push(Key::Behind(hit.group, hit.side, name));
    }
    keys
}

/// Whether no other value occurs at this key between the two.
fn is_direct(key: &Key, first: &Event<'_>, second: &Event<'_>, places: &Places<'_, '_>) -> bool {
    match key {
        Key::Offset(group, kind, _) => {
            let kind = places.groups().get(*group).and_then(|(_, explored)| explored.groups.get(*kind));
            let place = |event: &Event<'_>| kind.and_then(|kind| kind.members.binary_search(&event.place.number).ok());
            place(first).zip(place(second)).is_some_and(|(first, second)| second == first + 1)
        }
        Key::Behind(_, _, name) => {
            let end = second.place.at.saturating_sub(NAME);
            let between = first.place.side.bytes.get(first.place.at..end);
            between.is_some_and(|bytes| bytes.len() <= BETWEEN && memchr::memmem::find(bytes, name).is_none())
        }
    }
}

/// Sorts candidates by likelihood and keeps the best.
fn best(all: &mut Vec<Change<'_>>) {
    all.sort_by_key(|change| (!change.is_direct, change.rarity, std::cmp::Reverse(change.width)));
    merge(all);
    all.truncate(CANDIDATES);
}

/// Merges changes at the same positions: wide and narrow forms of one number, or those with two keys.
fn merge(all: &mut Vec<Change<'_>>) {
    let lowest = |change: &Change<'_>, at: usize| change.readings.first().map_or(at, |reading| reading.lowest(at, change.width));
    let mut seen = HashSet::new();
    all.retain(|change| {
        let place = |place: &BytePosition<'_>| (place.group, place.message.side, lowest(change, place.at));
        seen.insert((place(&change.from), place(&change.to)))
    });
}
