//! Folds systematic differences: counters, identifiers, times, and constant changes are counted instead of repeated.

use super::capture::{Capture, Message};
use super::fields::Change;
use super::ignored::Ignored;
use super::label::Label;
use super::{Conversation, What};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

/// Minimum number of differing pairs to fold a field because of its name, or because of its values.
const NAMED: usize = 3;
const VALUES: usize = 4;
/// Minimum number of pairs with new values each to classify them as identifiers.
const DISTINCT: usize = 8;

/// A field that differs in most messages of a kind.
#[derive(Debug)]
pub(super) struct Fold {
    /// Index of a message in the first capture in which it differs.
    pub(super) message: usize,
    pub(super) name: String,
    /// The name in tables, if all of them have the same.
    pub(super) title: Option<String>,
    pub(super) label: Label,
    /// Number of messages in which it differs, and of pairs that contain it.
    pub(super) differing: usize,
    pub(super) present: usize,
    /// The common property of all differences.
    pub(super) always: Option<Always>,
    /// The first difference.
    pub(super) example: Change,
}

/// The common property of all differences of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Always {
    /// Both values.
    Values,
    /// The difference of both values.
    Step(i128),
}

/// Statistics of the differences of a field.
struct FieldDifference {
    message: usize,
    name: String,
    title: Option<String>,
    label: Label,
    differing: usize,
    example: Change,
    steps: Option<i128>,
    values: bool,
    distinct: [HashSet<u64, foldhash::fast::FixedState>; 2],
}

type Fields<T> = HashMap<u64, T, foldhash::fast::FixedState>;

/// Removes foldable differences from the entries. Differences ignored by label are dropped.
pub(super) fn fold(a: &Capture, b: &Capture, conversations: &mut [Conversation], ignored: &Ignored) -> Vec<Fold> {
    let mut order = Vec::new();
    let seen = seen(a, b, conversations, &mut order);
    let present = present(a, conversations, &seen);
    let folds: Fields<(Label, Option<Always>)> =
        seen.iter().filter_map(|(key, seen)| Some((*key, seen.reason(present.get(key).copied().unwrap_or(0))?))).collect();
    for entry in conversations.iter_mut().flat_map(|conversation| &mut conversation.entries) {
        let Some(message) = entry.a.and_then(|at| a.messages.get(at)) else { continue };
        let folded = &mut entry.folded;
        entry.changes.retain(|change| match key(a, b, message, change).and_then(|(key, _)| folds.get(&key)) {
            Some((label, _)) => {
                *folded += usize::from(!ignored.has_label(*label));
                false
            }
            None => true,
        });
        if entry.what == What::Changed && entry.changes.is_empty() {
            entry.what = What::Same;
        }
    }
    let mut found = Vec::new();
    let mut seen = seen;
    for key in order {
        let (Some((label, always)), Some(seen)) = (folds.get(&key), seen.remove(&key)) else { continue };
        if !ignored.has_label(*label) {
            let FieldDifference { message, name, title, differing, example, .. } = seen;
            let present = present.get(&key).copied().unwrap_or(0).max(differing);
            found.push(Fold { message, name, title, label: *label, differing, present, always: *always, example });
        }
    }
    found
}

/// The key of a difference: the kind of its message and its name.
fn key(a: &Capture, b: &Capture, message: &Message, change: &Change) -> Option<(u64, String)> {
    let field = change.field(a, b)?;
    let name = change.name(field);
    let state = foldhash::fast::FixedState::default();
    let key = match &change.run {
        Some(_) => state.hash_one((message.keys.weak, &name)),
        None => state.hash_one((message.keys.weak, field.keys.weak)),
    };
    Some((key, name))
}

fn seen(a: &Capture, b: &Capture, conversations: &[Conversation], order: &mut Vec<u64>) -> Fields<FieldDifference> {
    let mut all: Fields<FieldDifference> = HashMap::default();
    for entry in conversations.iter().flat_map(|conversation| &conversation.entries) {
        let Some((at, message)) = entry.a.and_then(|at| Some((at, a.messages.get(at)?))) else { continue };
        // A list may differ at many positions of one message, which counts once.
        let mut counted = HashSet::new();
        for change in &entry.changes {
            let (Some(field), Some((key, name))) = (change.field(a, b), key(a, b, message, change)) else { continue };
            let seen = all.entry(key).or_insert_with(|| {
                order.push(key);
                FieldDifference::new(at, name, change.label(field), change, a, b)
            });
            seen.add(change, a, b, counted.insert(key));
        }
    }
    all
}

/// Number of pairs that contain each differing field.
fn present(a: &Capture, conversations: &[Conversation], seen: &Fields<FieldDifference>) -> Fields<usize> {
    let state = foldhash::fast::FixedState::default();
    let mut present: Fields<usize> = HashMap::default();
    let mut pairs: Fields<usize> = HashMap::default();
    for entry in conversations.iter().flat_map(|conversation| &conversation.entries).filter(|entry| entry.b.is_some()) {
        let Some(message) = entry.a.and_then(|at| a.messages.get(at)) else { continue };
        *pairs.entry(message.keys.weak).or_default() += 1;
        let mut counted = HashSet::new();
        for field in a.fields_of(message) {
            let key = state.hash_one((message.keys.weak, field.keys.weak));
            if seen.contains_key(&key) && counted.insert(key) {
                *present.entry(key).or_default() += 1;
            }
        }
    }
    for (key, seen) in seen.iter().filter(|(_, seen)| seen.example.run.is_some()) {
        let weak = a.messages.get(seen.message).map_or(0, |message| message.keys.weak);
        present.insert(*key, pairs.get(&weak).copied().unwrap_or(0));
    }
    present
}

impl FieldDifference {
    fn new(message: usize, name: String, label: Label, change: &Change, a: &Capture, b: &Capture) -> FieldDifference {
        let distinct = [HashSet::default(), HashSet::default()];
        let title = change.title(a, b);
        FieldDifference {
            message,
            name,
            title,
            label,
            differing: 0,
            example: change.clone(),
            steps: step(change, a, b),
            values: true,
            distinct,
        }
    }

    fn add(&mut self, change: &Change, a: &Capture, b: &Capture, is_new: bool) {
        self.differing += usize::from(is_new);
        self.title = self.title.take().filter(|title| change.title(a, b).is_some_and(|other| other == *title));
        let (first, second) = (change.text(a, change.a), change.text(b, change.b));
        self.values &= first == self.example.text(a, self.example.a) && second == self.example.text(b, self.example.b);
        self.steps = self.steps.filter(|known| step(change, a, b) == Some(*known));
        let state = foldhash::fast::FixedState::default();
        for (distinct, text) in self.distinct.iter_mut().zip([first, second]) {
            distinct.extend(text.map(|text| state.hash_one(text)));
        }
    }

    /// Why these differences are folded, if they are, and their common property.
    fn reason(&self, present: usize) -> Option<(Label, Option<Always>)> {
        let is_both = self.example.a.is_some() && self.example.b.is_some();
        let is_usual = is_both && self.differing * 2 >= present;
        let always = if self.values { Some(Always::Values) } else { self.steps.map(Always::Step) };
        let are_new = || {
            let [first, second] = &self.distinct;
            let least = self.differing * 9 / 10;
            self.differing >= DISTINCT && self.differing * 10 >= present * 9 && first.len() >= least && second.len() >= least
        };
        match always {
            _ if !is_usual => None,
            _ if self.label.is_volatile() && self.differing >= NAMED => Some((self.label, always)),
            Some(Always::Values) if self.differing >= VALUES => Some((self.label, always)),
            Some(Always::Step(_)) if self.differing >= VALUES => Some((Label::Counter, always)),
            _ if are_new() => Some((Label::Id, None)),
            _ => None,
        }
    }
}

/// The difference of both values, if both are numbers in decimal, or in hexadecimal with `0x`.
fn step(change: &Change, a: &Capture, b: &Capture) -> Option<i128> {
    let number = |text: Option<&str>| -> Option<i128> {
        let text = text.filter(|_| change.run.is_none())?;
        match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    number(change.text(b, change.b))?.checked_sub(number(change.text(a, change.a))?)
}
