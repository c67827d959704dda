//! Trees of counts, as in tshark's `,tree` statistics.

use super::bursts::Bursts;
use super::fact::{Fact, Facts};
use crate::limits;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Maximum length of a label in bytes.
const LABEL: usize = 1024;

/// Nanoseconds per millisecond.
const MILLISECOND: f64 = 1e6;

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
    /// Whether it is a range of values.
    pub is_range: bool,
    /// Packets in short windows.
    pub bursts: Bursts,
    /// Indices of its children.
    below: Vec<usize>,
}

impl Topic {
    fn new(label: &str) -> Topic {
        let end = (0..=LABEL.min(label.len())).rev().find(|end| label.is_char_boundary(*end));
        let label = label.get(..end.unwrap_or_default()).unwrap_or_default().to_owned();
        Topic { label, count: 0, values: None, unit: 1, is_range: false, bursts: Bursts::default(), below: Vec::new() }
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

    fn add(&mut self, value: Option<u64>, now: f64) {
        self.count += 1;
        self.bursts.add(now);
        if let Some(value) = value {
            let (least, greatest, sum) = self.values.unwrap_or((value, value, 0));
            self.values = Some((least.min(value), greatest.max(value), sum.saturating_add(value.into())));
        }
    }
}

/// Order of topics below the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Order of creation.
    Created,
    /// The most frequent first, then in order of creation.
    Frequent,
    /// The most frequent first, then backwards by name, as in tshark.
    Wireshark,
}

/// A topic in a list: its depth, the count of its parent, and itself.
pub type Listed<'a> = (usize, u64, &'a Topic);

/// A tree of counts.
#[derive(Debug)]
pub struct Topics {
    /// Counts of topics beyond the limit.
    pub left_out: u64,
    all: Vec<Topic>,
    roots: Vec<usize>,
    index: HashMap<(usize, String), usize, foldhash::fast::RandomState>,
    order: Order,
    /// Time of the first counted packet and of the current one, in milliseconds since the first frame.
    times: Option<[f64; 2]>,
}

impl Topics {
    /// Creates a tree with this label at its root.
    #[must_use]
    pub fn new(root: &str, order: Order) -> Topics {
        Topics { left_out: 0, all: vec![Topic::new(root)], roots: vec![0], index: HashMap::default(), order, times: None }
    }

    /// Sets the time of the packet that is counted next, in nanoseconds since the first frame. Without a time, it is that of
    /// the packet before.
    pub fn at(&mut self, since_start: Option<i64>) {
        let now = since_start.map(|nanos| nanos as f64 / MILLISECOND);
        let [start, before] = self.times.unwrap_or([now.unwrap_or_default(); 2]);
        self.times = Some([start, now.unwrap_or(before)]);
    }

    fn now(&self) -> f64 {
        self.times.map_or(0.0, |[_, now]| now)
    }

    /// Milliseconds from the first to the last counted packet.
    #[must_use]
    pub fn elapsed(&self) -> f64 {
        self.times.map_or(0.0, |[start, now]| now - start)
    }

    /// Adds a tree. Returns the index of its root.
    pub fn root(&mut self, label: &str) -> usize {
        let place = self.all.len();
        self.all.push(Topic::new(label));
        self.roots.push(place);
        place
    }

    /// Sets the divisor of displayed values.
    pub fn unit(&mut self, place: usize, unit: u32) {
        if let Some(topic) = self.all.get_mut(place) {
            topic.unit = unit;
        }
    }

    /// Index of a child topic, created if new; `None` beyond the limit.
    pub fn place(&mut self, above: usize, label: &str) -> Option<usize> {
        let topic = Topic::new(label);
        let key = (above, topic.label.clone());
        if let Some(place) = self.index.get(&key) {
            return Some(*place);
        }
        let place = self.all.len();
        if !limits::STATS_TOPICS.exceeds(place) {
            return None;
        }
        self.all.get_mut(above)?.below.push(place);
        self.all.push(topic);
        self.index.insert(key, place);
        Some(place)
    }

    /// Counts a topic of the first tree, and its ancestors.
    pub fn add(&mut self, path: &[&str], value: Option<u64>) {
        self.count(0, value);
        self.add_below(0, path, value);
    }

    /// Counts a descendant of a topic, and the topics between them.
    pub fn add_below(&mut self, above: usize, path: &[&str], value: Option<u64>) {
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
    pub fn count(&mut self, place: usize, value: Option<u64>) {
        let now = self.now();
        if let Some(topic) = self.all.get_mut(place) {
            topic.add(value, now);
        }
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        let (Some(one), Some(other)) = (self.all.get(one), self.all.get(other)) else { return Ordering::Equal };
        let folded = |topic: &Topic| topic.label.to_ascii_lowercase();
        other.count.cmp(&one.count).then_with(|| match self.order {
            Order::Wireshark => folded(other).cmp(&folded(one)),
            Order::Created | Order::Frequent => Ordering::Equal,
        })
    }

    /// Topics in depth-first order, with depth and the count of the parent.
    #[must_use]
    pub fn in_order(&self) -> Vec<Listed<'_>> {
        let mut open: Vec<_> = self.roots.iter().rev().map(|root| (*root, 0, 0)).collect();
        let mut listed = Vec::new();
        while let Some((place, depth, above)) = open.pop() {
            let Some(topic) = self.all.get(place) else { continue };
            listed.push((depth, above, topic));
            let mut below = topic.below.clone();
            if self.order != Order::Created {
                below.sort_by(|one, other| self.compare(*one, *other));
            }
            open.extend(below.into_iter().rev().map(|place| (place, depth + 1, topic.count)));
        }
        listed
    }
}

impl Topics {
    /// Marks a topic as a range of values.
    pub fn range(&mut self, place: usize) {
        if let Some(topic) = self.all.get_mut(place) {
            topic.is_range = true;
        }
    }

    /// Members of a JSON object.
    #[must_use]
    pub fn facts(&self) -> Facts<'_> {
        let topics = Fact::list(self.in_order(), |(depth, _, topic)| {
            let mut facts: Facts<'_> =
                vec![("topic", topic.label.as_str().into()), ("depth", (depth as u64).into()), ("count", topic.count.into())];
            if let (Some(average), Some(values), Some(range)) = (topic.average(), topic.values, topic.range()) {
                facts.push(("average", average.into()));
                let (least, greatest, _) = values;
                // Integers stay integers.
                for (key, whole, parts) in [("least", least, range[0]), ("greatest", greatest, range[1])] {
                    facts.push((key, if topic.unit == 1 { whole.into() } else { parts.into() }));
                }
            }
            facts
        });
        let mut facts = vec![("topics", topics)];
        if self.left_out > 0 {
            facts.push(("left_out", self.left_out.into()));
        }
        facts
    }
}
