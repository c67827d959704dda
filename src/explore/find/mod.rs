//! Where a number or a text that a screen shows occurs, and where a value changed into another.
//!
//! ```text
//! Value ─► Reading: the forms it may have ─► Scan over each side ─► Found: rare forms first ─► json, view
//! ```
//! A form that occurs rarely is evidence. A byte that occurs by the thousand is a count.

mod change;
mod json;
mod places;
mod reading;
mod scan;
#[cfg(test)]
mod tests;
mod value;
mod view;

pub use change::{COMPARED, changes};
pub use json::{write as write_json, write_changes as write_changes_json};
use places::Place;
pub use places::Places;
pub use value::Value;
pub use view::FindView;

use super::Explored;
use reading::Reading;
use scan::{Hit, KEPT, Needle, Scan};
use std::collections::HashMap;

/// Groups of conversations by name.
pub type Groups<'g, 'a> = &'g [(String, Explored<'a>)];

/// A form that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The forms that have the same bytes.
    pub readings: Vec<Reading>,
    /// The bytes, if they are the same everywhere.
    pub bytes: Option<Vec<u8>>,
    /// Bytes that it takes.
    pub width: usize,
    /// How often it occurs.
    pub count: u64,
    /// How often it would occur if bytes stood in random order.
    pub chance: Option<f64>,
    /// The first places.
    pub hits: Vec<Hit>,
    /// Where most of these places are: number of the group, number of the kind, offset in the message, and how many.
    pub common: Option<(usize, usize, usize, usize)>,
}

/// What was found of a value.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The forms, rare ones first.
    pub found: Vec<Found>,
    /// Forms that were sought.
    pub sought: usize,
    /// Bytes that were searched.
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

/// Seeks a value in all sides of all groups.
#[must_use]
pub fn find(groups: Groups<'_, '_>, value: &Value, places: &Places<'_, '_>) -> Findings {
    let readings = Reading::all(std::slice::from_ref(value));
    let mut needles = Needle::all(value, &readings);
    search(groups, &mut needles, KEPT);
    let frequencies = Frequencies::new(groups);
    let sought = needles.len();
    let mut found: Vec<Found> = needles
        .into_iter()
        .filter(|needle| needle.count > 0)
        .map(|needle| Found {
            bytes: needle.bytes().map(<[u8]>::to_vec),
            width: needle.len(),
            chance: needle.bytes().map(|bytes| frequencies.chance(bytes)),
            common: common(&needle, places),
            readings: needle.readings,
            count: needle.count,
            hits: needle.hits,
        })
        .collect();
    // Of two forms that occur as often, the plain one is likelier and the longer one the stronger evidence.
    found.sort_by_key(|found| {
        let is_plain = found.readings.first().is_some_and(|reading| reading.is_plain());
        (found.count, std::cmp::Reverse((is_plain, found.width)))
    });
    Findings { found, sought, bytes: frequencies.all }
}

/// Seeks needles everywhere.
fn search(groups: Groups<'_, '_>, needles: &mut [Needle], kept: usize) {
    let scan = Scan::new(needles);
    for (group, (_, explored)) in groups.iter().enumerate() {
        for (number, side) in explored.sides.iter().enumerate() {
            scan.side(group, number, side, needles, kept);
        }
    }
}

/// The kind and offset at which most of the places are.
fn common(needle: &Needle, places: &Places<'_, '_>) -> Option<(usize, usize, usize, usize)> {
    let mut counts: HashMap<(usize, usize, usize), usize, foldhash::fast::RandomState> = HashMap::default();
    for place in needle.hits.iter().filter_map(|hit| places.of(*hit)) {
        *counts.entry((place.group, place.kind, place.offset)).or_default() += 1;
    }
    let ((group, kind, offset), count) = counts.into_iter().max_by_key(|(key, count)| (*count, std::cmp::Reverse(*key)))?;
    Some((group, kind, offset, count))
}

/// How often each byte occurs.
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

    /// How often these bytes would follow each other if all bytes stood in random order.
    fn chance(&self, bytes: &[u8]) -> f64 {
        let share = |byte: &u8| self.counts.get(usize::from(*byte)).map_or(0.0, |count| *count as f64 / self.all.max(1) as f64);
        bytes.iter().map(share).product::<f64>() * self.all as f64
    }
}
