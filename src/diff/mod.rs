//! Compares two captures, conversations or messages: aligns messages, then compares their fields.
//!
//! A [`Capture`] stores the fields of each message as text, in memory that `diff.memory` bounds. Conversations are paired
//! (`pairs`), their messages aligned (`align`), and the fields of each pair compared (`fields`). Systematic differences, such as
//! counters, become one line (`fold`).

mod align;
mod capture;
mod fields;
mod fold;
mod ignored;
mod json;
mod label;
mod pairs;
#[cfg(test)]
mod tests;
mod titles;
mod view;

pub use capture::Capture;
pub use ignored::Ignored;
pub use json::write as write_json;
pub use view::View;

use align::{Keys, Step, align};
use fields::Change;
use fold::Fold;

/// The result for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Equal, or only with folded differences.
    Same,
    /// Fields differ.
    Changed,
    /// Only in the first capture.
    OnlyA,
    /// Only in the second capture.
    OnlyB,
}

impl What {
    /// The word of the JSON record.
    pub const fn word(self) -> &'static str {
        match self {
            What::Same => "same",
            What::Changed => "changed",
            What::OnlyA => "only_a",
            What::OnlyB => "only_b",
        }
    }
}

/// A message, or a pair of them.
#[derive(Debug)]
pub struct Entry {
    /// The result.
    pub what: What,
    /// Its index in the first capture.
    a: Option<usize>,
    /// Its index in the second capture.
    b: Option<usize>,
    /// Displayed differences.
    changes: Vec<Change>,
    /// Number of folded differences.
    folded: usize,
}

/// The messages of a pair of conversations.
#[derive(Debug)]
struct Conversation {
    a: Option<usize>,
    b: Option<usize>,
    entries: Vec<Entry>,
}

/// Counts of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs without a difference.
    pub same: usize,
    /// Pairs with folded differences only.
    pub folded: usize,
    /// Pairs with displayed differences.
    pub changed: usize,
    /// Messages only in the first capture.
    pub only_a: usize,
    /// Messages only in the second capture.
    pub only_b: usize,
}

impl Counts {
    /// Whether anything differs.
    pub const fn differ(&self) -> bool {
        self.folded + self.changed + self.only_a + self.only_b > 0
    }

    fn add(&mut self, entry: &Entry) {
        let count = match entry.what {
            What::Same if entry.folded > 0 => &mut self.folded,
            What::Same => &mut self.same,
            What::Changed => &mut self.changed,
            What::OnlyA => &mut self.only_a,
            What::OnlyB => &mut self.only_b,
        };
        *count += 1;
    }
}

/// Differences between two captures.
pub struct Report<'c> {
    a: &'c Capture,
    b: &'c Capture,
    conversations: Vec<Conversation>,
    folds: Vec<Fold>,
    /// Counts of messages.
    pub counts: Counts,
}

/// Compares two captures. If `as_pair`, the first messages are compared, whatever they are.
pub fn compare<'c>(a: &'c Capture, b: &'c Capture, ignored: &Ignored, as_pair: bool) -> Report<'c> {
    let mut conversations = Vec::new();
    for (of_a, of_b) in pairs::pairs(a, b, as_pair) {
        let (in_a, in_b) = (a.members(of_a), b.members(of_b));
        let (keys_a, keys_b) = (keys(a, in_a), keys(b, in_b));
        let steps = if as_pair {
            vec![Step::Both(0, 0)]
        } else {
            align(&keys_a, &keys_b, &|at, other| likeness(a, in_a.get(at), b, in_b.get(other)))
        };
        let entry = |step: &Step| entry((a, in_a), (b, in_b), *step, ignored);
        conversations.push(Conversation { a: of_a, b: of_b, entries: steps.iter().filter_map(entry).collect() });
    }
    let folds = fold::fold(a, b, &mut conversations, ignored);
    let mut counts = Counts::default();
    conversations.iter().flat_map(|conversation| &conversation.entries).for_each(|entry| counts.add(entry));
    Report { a, b, conversations, folds, counts }
}

fn keys(capture: &Capture, members: &[usize]) -> Vec<Keys> {
    members.iter().filter_map(|at| capture.messages.get(*at)).map(|message| message.keys).collect()
}

fn entry((a, in_a): (&Capture, &[usize]), (b, in_b): (&Capture, &[usize]), step: Step, ignored: &Ignored) -> Option<Entry> {
    let alone = |what, a, b| Entry { what, a, b, changes: Vec::new(), folded: 0 };
    Some(match step {
        Step::A(at) => alone(What::OnlyA, Some(*in_a.get(at)?), None),
        Step::B(at) => alone(What::OnlyB, None, Some(*in_b.get(at)?)),
        Step::Both(at, other) => {
            let (at, other) = (*in_a.get(at)?, *in_b.get(other)?);
            let changes = fields::changes((a, a.messages.get(at)?), (b, b.messages.get(other)?), ignored);
            let what = if changes.is_empty() { What::Same } else { What::Changed };
            Entry { what, a: Some(at), b: Some(other), changes, folded: 0 }
        }
    })
}

/// Number of fields at each end of a message used for similarity.
const COMPARED: usize = 32;

/// Similarity of two messages; 0 for none. Equal fields must outweigh different names.
fn likeness(a: &Capture, at: Option<&usize>, b: &Capture, other: Option<&usize>) -> u32 {
    let message = |capture: &'_ Capture, at: Option<&usize>| capture.messages.get(*at?).cloned();
    let (Some(one), Some(two)) = (message(a, at), message(b, other)) else { return 0 };
    if one.keys.weak != two.keys.weak {
        return 0;
    }
    let (fields, others) = (a.fields_of(&one), b.fields_of(&two));
    let is_equal = |(field, other): &(&capture::Field, &capture::Field)| field.keys.strong == other.keys.strong;
    let head = fields.iter().zip(others).take(COMPARED);
    let rest = fields.len().min(others.len()).saturating_sub(COMPARED);
    let tail = fields.iter().rev().zip(others.iter().rev()).take(COMPARED.min(rest));
    let compared = COMPARED.min(fields.len().max(others.len())) + COMPARED.min(rest);
    let equal = head.filter(is_equal).count() + tail.filter(is_equal).count();
    let share = u32::try_from(equal * 100 / compared.max(1)).unwrap_or(0);
    if a.name_of(&one) == b.name_of(&two) {
        50 + share
    } else if share >= 50 {
        share
    } else {
        0
    }
}
