//! Searches for a number or text known from a screen, and for a change of its value.
//!
//! ```text
//! Value ─► Reading: the forms it may have ─► Scan over each side ─► Found: rare forms first ─► json, view
//! ```
//! A form that occurs rarely is evidence. Frequent bytes are only counted.

mod change;
mod fields;
mod json;
mod places;
mod reading;
mod scan;
#[cfg(test)]
mod tests;
mod value;
mod view;

pub use change::{COMPARED, changes};
pub use fields::{DerivedHit, Fields};
pub use json::{write as write_json, write_changes as write_changes_json};
use places::BytePosition;
pub use places::Places;
pub use value::Value;
pub use view::FindView;

use super::Explored;
use reading::Reading;
use scan::{Hit, KEPT, Needle, Scan};
use std::collections::HashMap;

/// Groups of conversations by name.
pub type Groups<'g, 'a> = &'g [(String, Explored<'a>)];

/// A form with its occurrences.
#[derive(Debug, Clone)]
pub struct Found {
    /// The forms with the same bytes.
    pub readings: Vec<Reading>,
    /// The bytes, if they are constant.
    pub bytes: Option<Vec<u8>>,
    /// Size in bytes.
    pub width: usize,
    /// Number of occurrences.
    pub count: u64,
    /// Expected number of occurrences if the bytes were in random order.
    pub chance: Option<f64>,
    /// The first occurrences.
    pub hits: Vec<Hit>,
    /// The first occurrences in bytes that are not on the wire as such.
    pub derived: Vec<DerivedHit>,
    /// The most frequent position: group, kind, offset in the message, and count.
    pub common: Option<(usize, usize, usize, usize)>,
}

/// Results for a value.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The forms, rare ones first.
    pub found: Vec<Found>,
    /// Number of forms searched.
    pub sought: usize,
    /// Number of bytes searched.
    pub bytes: u64,
}

impl Found {
    /// The forms by name: `u8, varint`.
    #[must_use]
    pub fn name(&self) -> String {
        named(&self.readings)
    }
}

fn named(readings: &[Reading]) -> String {
    readings.iter().map(Reading::to_string).collect::<Vec<_>>().join(", ")
}

/// Searches for a value in all sides of all groups, and adds occurrences in derived bytes.
#[must_use]
pub fn find(groups: Groups<'_, '_>, value: &Value, places: &Places<'_, '_>, fields: Option<&Fields>) -> Findings {
    let readings = Reading::all(std::slice::from_ref(value));
    let mut needles = Needle::all(value, &readings);
    search(groups, &mut needles, KEPT);
    let frequencies = Frequencies::new(groups);
    let sought = needles.len();
    let mut found: Vec<Found> = needles
        .into_iter()
        .enumerate()
        .map(|(at, needle)| (needle, fields.map(|fields| fields.derived(at)).unwrap_or_default()))
        .filter(|(needle, (more, _))| needle.count + more > 0)
        .map(|(needle, (more, derived))| Found {
            bytes: needle.bytes().map(<[u8]>::to_vec),
            width: needle.len(),
            chance: needle.bytes().map(|bytes| frequencies.chance(bytes)),
            common: common(&needle, places),
            readings: needle.readings,
            count: needle.count + more,
            hits: needle.hits,
            derived: derived.to_vec(),
        })
        .collect();
    // Of two equally frequent forms, the plain one is more likely and the longer one is stronger evidence.
    found.sort_by_key(|found| {
        let is_plain = found.readings.first().is_some_and(|reading| reading.is_plain());
        (found.count, std::cmp::Reverse((is_plain, found.width)))
    });
    Findings { found, sought, bytes: frequencies.all }
}

/// Searches for needles everywhere.
fn search(groups: Groups<'_, '_>, needles: &mut [Needle], kept: usize) {
    let scan = Scan::new(needles);
    for (group, (_, explored)) in groups.iter().enumerate() {
        for (number, side) in explored.sides.iter().enumerate() {
            scan.side(group, number, side, needles, kept);
        }
    }
}

/// The kind and offset of most occurrences.
fn common(needle: &Needle, places: &Places<'_, '_>) -> Option<(usize, usize, usize, usize)> {
    let mut counts: HashMap<(usize, usize, usize), usize, foldhash::fast::RandomState> = HashMap::default();
    for place in needle.hits.iter().filter_map(|hit| places.of(*hit)) {
        *counts.entry((place.group, place.kind, place.offset)).or_default() += 1;
    }
    let ((group, kind, offset), count) = counts.into_iter().max_by_key(|(key, count)| (*count, std::cmp::Reverse(*key)))?;
    Some((group, kind, offset, count))
}

/// Frequency of each byte.
struct Frequencies {
    counts: [u64; 256],
    all: u64,
}

impl Frequencies {
    fn new(groups: Groups<'_, '_>) -> Frequencies {
        let mut of = Frequencies { counts: [0; 256], all: 0 };
        for byte in groups.iter().flat_map(|(_, explored)| explored.sides).flat_map(|side| &side.bytes) {
            if let Some(count) = of.counts.get_mut(usize::from(*byte)) {
                *count += 1;
            }
            of.all += 1;
        }
        of
    }

    /// Expected number of occurrences of these bytes if all bytes were in random order.
    fn chance(&self, bytes: &[u8]) -> f64 {
        let share = |byte: &u8| self.counts.get(usize::from(*byte)).map_or(0.0, |count| *count as f64 / self.all.max(1) as f64);
        bytes.iter().map(share).product::<f64>() * self.all as f64
    }
}
