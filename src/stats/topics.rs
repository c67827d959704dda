//! Trees of counts, as in tshark's `,tree` statistics; frame lengths.

use std::collections::HashMap;

/// Maximum number of topics in a tree.
const TOPICS: usize = 10_000;

/// Maximum length of a label in characters.
const LABEL: usize = 100;

/// Upper bound and label of each range of lengths.
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

/// A node of a tree.
#[derive(Debug, Clone)]
pub struct Topic {
    /// Label.
    pub label: String,
    /// Count.
    pub count: u64,
    /// Minimum, maximum and sum of its values, if any.
    pub values: Option<(u64, u64, u128)>,
    /// Divisor of displayed values.
    pub unit: u32,
    /// Indices of its children.
    below: Vec<usize>,
}

impl Topic {
    fn new(label: &str) -> Topic {
        let label = label.chars().take(LABEL).collect();
        Topic { label, count: 0, values: None, unit: 1, below: Vec::new() }
    }

    /// Average of its values.
    #[must_use]
    pub fn average(&self) -> Option<f64> {
        self.values.map(|(_, _, sum)| sum as f64 / self.count.max(1) as f64 / f64::from(self.unit))
    }

    /// Minimum and maximum of its values.
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

/// A tree of counts.
#[derive(Debug)]
pub struct Topics {
    /// Counts of topics beyond the limit.
    pub left_out: u64,
    all: Vec<Topic>,
    roots: Vec<usize>,
    index: HashMap<(usize, String), usize, foldhash::fast::RandomState>,
    /// Whether topics keep their order of creation.
    fixed: bool,
}

impl Topics {
    pub(super) fn new(root: &str, fixed: bool) -> Topics {
        Topics { left_out: 0, all: vec![Topic::new(root)], roots: vec![0], index: HashMap::default(), fixed }
    }

    /// Adds a tree. Returns the index of its root.
    pub(super) fn root(&mut self, label: &str) -> usize {
        let place = self.all.len();
        self.all.push(Topic::new(label));
        self.roots.push(place);
        place
    }

    /// Sets the divisor of displayed values.
    pub(super) fn unit(&mut self, place: usize, unit: u32) {
        if let Some(topic) = self.all.get_mut(place) {
            topic.unit = unit;
        }
    }

    /// Index of a child topic, created if new; `None` beyond the limit.
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

    /// Counts a topic of the first tree, and its ancestors.
    pub(super) fn add(&mut self, path: &[&str], value: Option<u64>) {
        self.count(0, value);
        self.add_below(0, path, value);
    }

    /// Counts a descendant of a topic, and the topics between them.
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

    /// Counts a single topic.
    pub(super) fn count(&mut self, place: usize, value: Option<u64>) {
        if let Some(topic) = self.all.get_mut(place) {
            topic.add(value);
        }
    }

    /// Topics in depth-first order, with depth and the count of the parent.
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

/// Frame lengths in tshark's ranges.
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
