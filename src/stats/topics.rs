//! Counts in a tree of topics, as tshark's statistics with `,tree` have them; lengths of frames.

use std::collections::HashMap;

/// Topics that are counted separately in a tree.
const TOPICS: usize = 10_000;

/// Characters of the longest label.
const LABEL: usize = 100;

/// The greatest length of each range of lengths, and the range.
const LENGTHS: &[(u32, &str)] = &[
    (19, "0-19"),
    (39, "20-39"),
    (79, "40-79"),
    (159, "80-159"),
    (319, "160-319"),
    (639, "320-639"),
    (1279, "640-1279"),
    (2559, "1280-2559"),
    (5119, "2560-5119"),
    (u32::MAX, "5120 and greater"),
];

/// A topic.
#[derive(Debug, Clone)]
pub struct Topic {
    /// What is counted.
    pub label: String,
    /// How often.
    pub count: u64,
    /// The least and the greatest value, and the sum of all, where it has values.
    pub values: Option<(u64, u64, u128)>,
    /// What a value of 1 is counted as: values are shown divided by this.
    pub unit: u32,
    /// The topics below it, by their places.
    below: Vec<usize>,
}

impl Topic {
    fn new(label: &str) -> Topic {
        let label = label.chars().take(LABEL).collect();
        Topic { label, count: 0, values: None, unit: 1, below: Vec::new() }
    }

    /// The average of its values.
    #[must_use]
    pub fn average(&self) -> Option<f64> {
        self.values.map(|(_, _, sum)| sum as f64 / self.count.max(1) as f64 / f64::from(self.unit))
    }

    /// The least and the greatest of its values.
    #[must_use]
    pub fn range(&self) -> Option<[f64; 2]> {
        self.values.map(|(least, greatest, _)| [least, greatest].map(|value| value as f64 / f64::from(self.unit)))
    }

    fn add(&mut self, value: Option<u64>) {
        self.count += 1;
        if let Some(value) = value {
            let (least, greatest, sum) = self.values.unwrap_or((value, value, 0));
            self.values = Some((least.min(value), greatest.max(value), sum.saturating_add(value.into())));
        }
    }
}

/// A tree of topics.
#[derive(Debug)]
pub struct Topics {
    /// Counts of topics that were too many to be counted separately.
    pub left_out: u64,
    all: Vec<Topic>,
    roots: Vec<usize>,
    index: HashMap<(usize, String), usize, foldhash::fast::RandomState>,
    /// Topics stay in the order in which they were made.
    fixed: bool,
}

impl Topics {
    pub(super) fn new(root: &str, fixed: bool) -> Topics {
        Topics { left_out: 0, all: vec![Topic::new(root)], roots: vec![0], index: HashMap::default(), fixed }
    }

    /// One more tree behind those there are. Returns the place of its root.
    pub(super) fn root(&mut self, label: &str) -> usize {
        let place = self.all.len();
        self.all.push(Topic::new(label));
        self.roots.push(place);
        place
    }

    /// Say what a value of 1 is counted as.
    pub(super) fn unit(&mut self, place: usize, unit: u32) {
        if let Some(topic) = self.all.get_mut(place) {
            topic.unit = unit;
        }
    }

    /// The place of a topic below another; none if there are too many.
    pub(super) fn place(&mut self, above: usize, label: &str) -> Option<usize> {
        let topic = Topic::new(label);
        let key = (above, topic.label.clone());
        if let Some(place) = self.index.get(&key) {
            return Some(*place);
        }
        let place = self.all.len();
        if place >= TOPICS {
            return None;
        }
        self.all.get_mut(above)?.below.push(place);
        self.all.push(topic);
        self.index.insert(key, place);
        Some(place)
    }

    /// Count a topic of the first tree, and each of those above it.
    pub(super) fn add(&mut self, path: &[&str], value: Option<u64>) {
        self.count(0, value);
        self.add_below(0, path, value);
    }

    /// Count a topic below another, and those between them.
    pub(super) fn add_below(&mut self, above: usize, path: &[&str], value: Option<u64>) {
        let mut place = above;
        for label in path {
            let Some(next) = self.place(place, label) else {
                self.left_out += 1;
                return;
            };
            place = next;
            self.count(place, value);
        }
    }

    /// Count a topic alone.
    pub(super) fn count(&mut self, place: usize, value: Option<u64>) {
        if let Some(topic) = self.all.get_mut(place) {
            topic.add(value);
        }
    }

    /// The topics in reading order, each with its depth and the count of the one above it.
    #[must_use]
    pub fn in_order(&self) -> Vec<(usize, u64, &Topic)> {
        let mut open: Vec<_> = self.roots.iter().rev().map(|root| (*root, 0, 0)).collect();
        let mut listed = Vec::new();
        while let Some((place, depth, above)) = open.pop() {
            let Some(topic) = self.all.get(place) else { continue };
            listed.push((depth, above, topic));
            let mut below = topic.below.clone();
            if !self.fixed {
                below.sort_by_key(|place| std::cmp::Reverse(self.all.get(*place).map_or(0, |topic| topic.count)));
            }
            open.extend(below.into_iter().rev().map(|place| (place, depth + 1, topic.count)));
        }
        listed
    }
}

/// The lengths of frames, in tshark's ranges.
#[derive(Debug)]
pub struct Lengths(pub Topics);

impl Default for Lengths {
    fn default() -> Lengths {
        let mut topics = Topics::new("Packet Lengths", true);
        for (_, range) in LENGTHS {
            topics.place(0, range);
        }
        Lengths(topics)
    }
}

impl Lengths {
    pub(super) fn frame(&mut self, length: u32) {
        if let Some((_, range)) = LENGTHS.iter().find(|(greatest, _)| length <= *greatest) {
            self.0.add(&[range], Some(length.into()));
        }
    }
}
