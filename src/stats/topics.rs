//! Counts in a tree of topics, as tshark's statistics with `,tree` have them: lengths of frames, and messages of HTTP.

use crate::registry::Registry;
use crate::tree::{Dissection, Field, Only, name_of};
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
    pub values: Option<(u64, u64, u64)>,
    /// The topics below it, by their places.
    below: Vec<usize>,
}

impl Topic {
    fn new(label: &str) -> Topic {
        let label = label.chars().take(LABEL).collect();
        Topic { label, count: 0, values: None, below: Vec::new() }
    }

    fn add(&mut self, value: Option<u64>) {
        self.count += 1;
        if let Some(value) = value {
            let (least, greatest, sum) = self.values.unwrap_or((value, value, 0));
            self.values = Some((least.min(value), greatest.max(value), sum.saturating_add(value)));
        }
    }
}

/// A tree of topics.
#[derive(Debug)]
pub struct Topics {
    /// Counts of topics that were too many to be counted separately.
    pub left_out: u64,
    all: Vec<Topic>,
    index: HashMap<(usize, String), usize, foldhash::fast::RandomState>,
    /// Topics stay in the order in which they were made.
    fixed: bool,
}

impl Topics {
    fn new(root: &str, fixed: bool) -> Topics {
        Topics { left_out: 0, all: vec![Topic::new(root)], index: HashMap::default(), fixed }
    }

    /// The place of a topic below another; none if there are too many.
    fn place(&mut self, above: usize, label: &str) -> Option<usize> {
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

    /// Count a topic, and each of those above it.
    fn add(&mut self, path: &[&str], value: Option<u64>) {
        let mut place = 0;
        if let Some(root) = self.all.first_mut() {
            root.add(value);
        }
        for label in path {
            let Some(next) = self.place(place, label) else {
                self.left_out += 1;
                return;
            };
            place = next;
            if let Some(topic) = self.all.get_mut(place) {
                topic.add(value);
            }
        }
    }

    /// The topics in reading order, each with its depth and the count of the one above it.
    #[must_use]
    pub fn in_order(&self) -> Vec<(usize, u64, &Topic)> {
        let mut open = vec![(0, 0, 0)];
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

/// Requests by method, and responses by status code.
#[derive(Debug)]
pub struct Http {
    /// The counts.
    pub topics: Topics,
    layers: Vec<&'static Field>,
    methods: Vec<&'static Field>,
    codes: Vec<&'static Field>,
}

impl Http {
    pub(super) fn new(registry: Registry) -> Http {
        // SSDP is HTTP over UDP, and tshark counts it as such.
        let layers = [registry.named("http"), registry.named("ssdp")].concat();
        let [methods, codes] = ["http.request.method", "http.response.code"].map(|name| registry.named(name));
        Http { topics: Topics::new("Total HTTP Packets", false), layers, methods, codes }
    }

    /// The fields that are read.
    pub(super) fn looks_at(&self) -> Only {
        Only::these(self.methods.iter().chain(&self.codes).copied())
    }

    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        let is_of = |fields: &[&'static Field], field: &Field| fields.iter().any(|one| one.is(field));
        for layer in &of.tree.layers {
            let Some(message) = of.layer_node(layer).filter(|node| is_of(&self.layers, node.field())) else { continue };
            let found = message.children().find(|node| is_of(&self.methods, node.field()) || is_of(&self.codes, node.field()));
            match found {
                Some(code) if is_of(&self.codes, code.field()) => self.response(code.number().unwrap_or_default()),
                Some(method) => self.topics.add(&["HTTP Request Packets", &method.text()], None),
                None => self.topics.add(&["Other HTTP Packets"], None),
            }
        }
    }

    fn response(&mut self, code: u64) {
        let class = match code / 100 {
            1 => "1xx: Informational",
            2 => "2xx: Success",
            3 => "3xx: Redirection",
            4 => "4xx: Client Error",
            5 => "5xx: Server Error",
            _ => "???: broken",
        };
        let name = self.codes.first().and_then(|field| name_of(field.names, code)).unwrap_or("Unknown");
        self.topics.add(&["HTTP Response Packets", class, &format!("{code} {name}")], None);
    }
}
