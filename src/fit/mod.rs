//! How well a Kaitai Struct file fits a capture: messages by type, what fails first, and what the file lacks.
//!
//! ```text
//! Tree ─► records, observations of their runs ─► Fit: counts by type ─► suspects ─► json, view
//! ```
//! Messages, notes and shares of bytes are those of `--json`, `stats` and its coverage.

mod constants;
mod json;
mod names;
mod suspects;
mod view;

pub use json::write as write_json;
pub use names::Names;
pub use suspects::Suspect;
pub use view::FitView;

use crate::ksy::{self, Observation, WithoutCase};
use crate::record::{Buffer, Message, Record, Tally, View, level_of, location_of};
use crate::stats::{Covered, Deciphered, covered, deciphered};
use crate::tree::{Address, Demand, Dissection, Level, NodeRef, Share, Side, StreamId, clean};
use crate::wire::{Protocol, data};
use constants::Constants;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;

/// Maximum number of message types, of values without a case and of directions that are counted.
const MOST: usize = 4096;

/// Maximum number of bytes kept of a failure.
const BYTES: usize = 12;

/// Maximum number of fields that a failure lists before itself.
const READ: usize = 4;

/// Maximum length of a value in that list.
const VALUE: usize = 24;

/// How a file fits a capture.
pub struct Fit {
    names: Names,
    protocol: &'static Protocol,
    tally: Tally,
    deciphered: Deciphered,
    kinds: Vec<Kind>,
    /// Indices of `kinds`.
    by_name: HashMap<String, usize>,
    undescribed: BTreeMap<(String, String), Undescribed>,
    /// Types of the file of which an object was read.
    seen: HashSet<u32>,
    constants: Constants,
    directions: HashMap<(StreamId, Side), Direction>,
    /// Conversations with messages of the protocol.
    own: HashSet<StreamId>,
    /// Bytes outside of messages, by conversation.
    outside: BTreeMap<StreamId, Outside>,
}

/// The messages of a type.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Its name, or the names of its types.
    pub name: String,
    /// The type with its content: an index of types.
    of: Option<u32>,
    /// Numbers of messages.
    pub counts: Counts,
    /// Messages that are not whole because a value has no case.
    without_case: u64,
    /// The first message that is not whole.
    pub first: Option<Failure>,
    /// Messages without a failure that have a note, such as on text that is not in its encoding.
    odd: u64,
    /// The first one.
    first_odd: Option<Failure>,
    /// How often a message followed it in the segment.
    followed: u64,
    /// How often a message followed that is broken, or bytes that are no message.
    misled: u64,
    /// The first message after which that was so.
    first_misled: Option<Failure>,
}

/// Numbers of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Each byte has a field, and no note says that something is broken.
    pub whole: u64,
    /// Bytes have no field.
    pub unexplained: u64,
    /// A note says that something is broken.
    pub broken: u64,
    /// Bytes without a field, in all of them.
    pub bytes: u64,
}

impl Counts {
    /// All messages.
    #[must_use]
    pub fn all(self) -> u64 {
        self.whole + self.unexplained + self.broken
    }

    fn add(&mut self, other: Counts) {
        self.whole += other.whole;
        self.unexplained += other.unexplained;
        self.broken += other.broken;
        self.bytes += other.bytes;
    }
}

/// A value for which a switch has no case.
#[derive(Debug, Clone)]
pub struct Undescribed {
    /// Number of occurrences.
    pub count: u64,
    /// The first one.
    pub first: Failure,
    /// Whether the end of a message was unknown because of it.
    pub loses: bool,
}

/// The place where something is wrong.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Message number.
    pub n: u64,
    /// The frame that completed the message.
    pub frame: u64,
    /// The conversation and the direction.
    pub stream: Option<(StreamId, Side)>,
    /// The attribute with its type, or the name of a field.
    pub field: String,
    /// Offset in the message.
    pub at: u64,
    /// The first bytes from there on.
    pub bytes: Vec<u8>,
    /// What is wrong.
    pub text: String,
    /// The fields before it, with their values.
    pub read: Vec<String>,
}

/// Bytes outside of messages.
#[derive(Debug, Clone, Default)]
pub struct Outside {
    /// Number of records.
    pub records: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Ports of sender and receiver.
    ports: [u16; 2],
    /// The first record.
    pub first: Option<Failure>,
}

/// The end of the last message of a direction.
#[derive(Debug, Clone)]
struct Direction {
    kind: usize,
    end: u64,
    /// The message.
    last: Failure,
}

impl Fit {
    /// Counts the messages of a protocol of a file with these names.
    #[must_use]
    pub fn new(names: Names, protocol: &'static Protocol) -> Fit {
        ksy::observe();
        Fit {
            constants: Constants::new(&names),
            names,
            protocol,
            tally: Tally::new(View::Messages),
            deciphered: Deciphered::default(),
            kinds: Vec::new(),
            by_name: HashMap::new(),
            undescribed: BTreeMap::new(),
            seen: HashSet::new(),
            directions: HashMap::new(),
            own: HashSet::new(),
            outside: BTreeMap::new(),
        }
    }

    /// The parts of a frame that it needs.
    #[must_use]
    pub fn demand() -> Demand {
        Demand::EVERYTHING
    }

    /// Counts the records of a tree.
    pub fn tree(&mut self, of: Dissection<'_>, captured: bool) {
        let observed: HashMap<(u32, u32), Observation> =
            ksy::observed().into_iter().map(|observation| ((observation.source, observation.start), observation)).collect();
        self.deciphered = deciphered(of);
        let mut tally = std::mem::replace(&mut self.tally, Tally::new(View::Messages));
        let _: Result<(), Infallible> = tally.records(of, captured, |record| {
            match record {
                Record::Message(message) => self.message(&message, &observed),
                Record::Gap(_) => self.directions.clear(),
                Record::Packet(_) | Record::Late(_) => {}
            }
            Ok(())
        });
        self.tally = tally;
    }

    fn message(&mut self, message: &Message<'_>, observed: &HashMap<(u32, u32), Observation>) {
        let Some(node) = message.node() else { return };
        if node.field().is(self.protocol.this) {
            let observation = observed.get(&(node.span().source, node.span().start));
            self.own_message(message, node, observation);
        } else if node.field().is(&data::DATA) {
            self.outside(message, node);
        }
    }

    /// Counts a message of the protocol.
    fn own_message(&mut self, message: &Message<'_>, node: NodeRef<'_>, observation: Option<&Observation>) {
        let stream = message.ends().and_then(|ends| ends.stream);
        self.own.extend(stream.map(|(stream, _)| stream));
        self.seen.extend(observation.iter().flat_map(|observation| &observation.types));
        self.constants.message(message, node);
        let share = covered(message, self.protocol.rest, &self.deciphered);
        let counts = counts(message, share);
        let mut failure = (counts.whole == 0).then(|| self.failure(message, node, observation));
        let undescribed = observation.map(|observation| observation.undescribed.as_slice()).unwrap_or_default();
        undescribed.iter().for_each(|without| self.undescribed(message, node, without));
        // That a case is missing is the reason, and not an attribute that failed.
        let first = undescribed.first().filter(|_| observation.is_some_and(|observation| observation.failed.is_none()));
        if let (Some(failure), Some(WithoutCase { of, attribute, value, .. })) = (&mut failure, first) {
            failure.field = self.names.attribute(*of, attribute);
            failure.text = format!("no case for {value}");
        }
        let is_case = failure.is_some() && first.is_some();
        let odd = if failure.is_none() { self.noted(message, node, None, Level::Odd) } else { None };
        let range = stream_range(message, node);
        // A known message that fails further on says nothing about the one before.
        let is_unlike = failure
            .as_ref()
            .is_some_and(|failure| failure.read.is_empty() || !undescribed.is_empty() || message.name().starts_with("unknown_"));
        if failure.is_none() || is_unlike {
            self.follow(message, node, is_unlike);
        }
        let Some(at) = self.kind(message, observation) else { return };
        if let Some(kind) = self.kinds.get_mut(at) {
            kind.counts.add(counts);
            kind.without_case += u64::from(is_case);
            kind.odd += u64::from(odd.is_some());
            kind.first_odd = kind.first_odd.take().or(odd);
            kind.first = kind.first.take().or(failure);
        }
        if let (Some(stream), Some((_, end))) = (stream, range)
            && self.directions.len() < MOST
        {
            let last = place(message, node, String::new(), 0);
            self.directions.insert(stream, Direction { kind: at, end, last });
        }
    }

    /// Notes whether what follows the last message of a direction is a message.
    fn follow(&mut self, message: &Message<'_>, node: NodeRef<'_>, fails: bool) {
        let Some((start, _)) = stream_range(message, node) else { return };
        let Some(direction) = message.ends().and_then(|ends| self.directions.remove(&ends.stream?)) else { return };
        if direction.end != start {
            return;
        }
        let Some(kind) = self.kinds.get_mut(direction.kind) else { return };
        kind.followed += u64::from(!fails);
        kind.misled += u64::from(fails);
        if fails && kind.first_misled.is_none() {
            let bytes = node.masked_bytes().iter().take(BYTES).copied().collect();
            kind.first_misled = Some(Failure { bytes, ..direction.last });
        }
    }

    /// Counts bytes outside of messages.
    fn outside(&mut self, message: &Message<'_>, node: NodeRef<'_>) {
        let Some(ends) = message.ends() else { return };
        let Some((stream, side)) = ends.stream else { return };
        let port = |address: Option<Address>| if let Some(Address::Socket(socket)) = address { socket.port() } else { 0 };
        self.follow(message, node, true);
        self.directions.remove(&(stream, side));
        if self.outside.len() >= MOST && !self.outside.contains_key(&stream) {
            return;
        }
        let outside = self.outside.entry(stream).or_default();
        outside.records += 1;
        outside.bytes += u64::from(node.span().len());
        outside.ports = [port(ends.src), port(ends.dst)];
        if outside.first.is_none() {
            outside.first = Some(Failure { text: String::from("no message"), ..place(message, node, String::from("data"), 0) });
        }
    }

    /// The type of a message: the name that the file gives it, or its types.
    fn kind(&mut self, message: &Message<'_>, observation: Option<&Observation>) -> Option<usize> {
        let types = observation.map(|observation| observation.kind);
        let name = match message.name() {
            "" => types.map_or_else(String::new, |types| self.names.kind(types)),
            name => name.to_owned(),
        };
        if let Some(at) = self.by_name.get(&name) {
            return Some(*at);
        }
        if self.kinds.len() >= MOST {
            return None;
        }
        self.by_name.insert(name.clone(), self.kinds.len());
        self.kinds.push(Kind {
            name,
            of: types.and_then(|(of, inner)| inner.or(of)),
            counts: Counts::default(),
            without_case: 0,
            first: None,
            odd: 0,
            first_odd: None,
            followed: 0,
            misled: 0,
            first_misled: None,
        });
        Some(self.kinds.len() - 1)
    }

    fn undescribed(&mut self, message: &Message<'_>, node: NodeRef<'_>, without: &WithoutCase) {
        let WithoutCase { of, attribute, value, loses } = without;
        let key = (self.names.attribute(*of, attribute), value.clone());
        if let Some(known) = self.undescribed.get_mut(&key) {
            known.count += 1;
            known.loses |= loses;
        } else if self.undescribed.len() < MOST {
            let text = format!("no case for {value}");
            let first = Failure { text, ..place(message, node, key.0.clone(), 0) };
            self.undescribed.insert(key, Undescribed { count: 1, first, loses: *loses });
        }
    }

    /// Where a message fails, or has bytes without a field.
    fn failure(&self, message: &Message<'_>, node: NodeRef<'_>, observation: Option<&Observation>) -> Failure {
        let noted = self.noted(message, node, observation, Level::Broken);
        noted.unwrap_or_else(|| self.unexplained(message, node))
    }

    /// The first note of this level.
    fn noted(
        &self,
        message: &Message<'_>,
        node: NodeRef<'_>,
        observation: Option<&Observation>,
        level: Level,
    ) -> Option<Failure> {
        let note = message.notes().find(|note| level_of(note) == level)?;
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = clean(message.of.tree.generated_text(note.text), &mut text);
        if text.is_empty() {
            note.code.name.clone_into(&mut text);
        }
        let attribute = observation.and_then(|observation| observation.failed);
        let of_note = || message.of.node(note.node).map_or_else(String::new, |node| node.field().abbrev.to_owned());
        let field = attribute.map_or_else(of_note, |(of, attribute)| self.names.attribute(of, attribute));
        let at = if note.span.source == node.span().source { note.span.start.saturating_sub(node.span().start) } else { 0 };
        let read = read(node, note.span.start.max(node.span().start));
        Some(Failure { text, read, ..place(message, node, field, at) })
    }

    /// The first bytes without a field.
    fn unexplained(&self, message: &Message<'_>, node: NodeRef<'_>) -> Failure {
        let is_rest = |one: &NodeRef<'_>| {
            let field = one.field();
            field.is(&data::BYTES) || field.share == Share::Unexplained
        };
        let within = || (node.place() + 1..=node.last()).filter_map(|place| message.of.node(place));
        let Some(rest) = within().find(is_rest) else { return place(message, node, String::new(), 0) };
        let before = within().take_while(|one| one.place() < rest.place()).filter(|one| !one.has_children()).last();
        let field = before.map_or_else(|| rest.field().abbrev.to_owned(), |before| before.field().abbrev.to_owned());
        let len = rest.span().len();
        let behind = before.map_or_else(String::new, |before| format!(" behind `{}`", before.field().name));
        let text = format!("{len} byte{}{behind} without a field", if len == 1 { "" } else { "s" });
        let is_own = rest.span().source == node.span().source;
        let at = if is_own { rest.span().start.saturating_sub(node.span().start) } else { 0 };
        let bytes = rest.bytes().iter().take(BYTES).copied().collect();
        Failure { text, bytes, read: read(node, rest.span().start), ..place(message, node, field, at) }
    }

    /// The message types, those with most failures first.
    #[must_use]
    pub fn kinds(&self) -> Vec<&Kind> {
        let mut kinds: Vec<&Kind> = self.kinds.iter().collect();
        kinds.sort_by_key(|kind| {
            let counts = kind.counts;
            (std::cmp::Reverse((counts.broken, counts.unexplained, counts.all())), kind.name.clone())
        });
        kinds
    }

    /// Numbers of all messages.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.kinds.iter().for_each(|kind| counts.add(kind.counts));
        counts
    }

    /// Bytes outside of messages in conversations of the protocol.
    #[must_use]
    pub fn all_outside(&self) -> Outside {
        let mut all = Outside::default();
        for (stream, outside) in &self.outside {
            if self.own.contains(stream) || self.names.has_port(outside.ports) {
                all.records += outside.records;
                all.bytes += outside.bytes;
                all.first = all.first.take().or_else(|| outside.first.clone());
            }
        }
        all
    }

    /// The share of messages that are whole, among all of them and records outside of messages.
    #[must_use]
    pub fn share(&self) -> f64 {
        let counts = self.counts();
        let all = counts.all() + self.all_outside().records;
        if all == 0 { 0.0 } else { counts.whole as f64 / all as f64 }
    }

    /// Values without a case, by attribute and value.
    pub fn all_undescribed(&self) -> impl Iterator<Item = (&(String, String), &Undescribed)> {
        self.undescribed.iter()
    }

    /// Fields with one value only, and how often they occur.
    #[must_use]
    pub fn constant(&self) -> Vec<(&'static str, String, u64)> {
        self.constants.all()
    }

    /// Types of the file of which no object was read.
    #[must_use]
    pub fn unseen(&self) -> Vec<&str> {
        self.names.others(&self.seen)
    }
}

/// The class of a message.
fn counts(message: &Message<'_>, share: Covered) -> Counts {
    let is_broken = message.is_malformed();
    let is_unexplained = !is_broken && share.unexplained > 0;
    Counts {
        whole: u64::from(!is_broken && !is_unexplained),
        unexplained: u64::from(is_unexplained),
        broken: u64::from(is_broken),
        bytes: share.unexplained,
    }
}

/// A place in a message.
fn place(message: &Message<'_>, node: NodeRef<'_>, field: String, at: u32) -> Failure {
    Failure {
        n: message.n,
        frame: message.frame(),
        stream: message.ends().and_then(|ends| ends.stream),
        field,
        at: at.into(),
        bytes: node.masked_bytes().iter().skip(at as usize).take(BYTES).copied().collect(),
        text: String::new(),
        read: Vec::new(),
    }
}

/// The last fields of a message before an offset, with their values.
fn read(node: NodeRef<'_>, before: u32) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    let mut open: Vec<NodeRef<'_>> = vec![node];
    let mut leaves = Vec::new();
    while let Some(one) = open.pop() {
        if one.has_children() {
            let children: Vec<NodeRef<'_>> = one.children().collect();
            open.extend(children.into_iter().rev());
        } else if one.span().source == node.span().source && one.span().end <= before && one.place() != node.place() {
            leaves.push(one);
        }
    }
    for leaf in leaves.iter().rev().take(READ).rev() {
        let mut value = String::new();
        // Writing to a string cannot fail.
        let _ = leaf.write_value(&mut value);
        if value.chars().count() > VALUE {
            value = value.chars().take(VALUE).chain(['…']).collect();
        }
        read.push(format!("{}={value}", leaf.field().name));
    }
    read
}

/// The offsets of a message in its stream.
fn stream_range(message: &Message<'_>, node: NodeRef<'_>) -> Option<(u64, u64)> {
    let location = location_of(message.of, node.span());
    let Buffer::Stream(..) = location.buffer else { return None };
    let start = location.base + u64::from(node.span().start);
    Some((start, start + u64::from(node.span().len())))
}
