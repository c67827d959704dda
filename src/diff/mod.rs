//! Two captures, conversations or messages compared: messages are aligned by what they are, then compared field by field.
//!
//! A [`Capture`] keeps of each message its fields as text, in memory that `diff.memory` bounds. Conversations are paired
//! (`pairs`), their messages aligned (`align`), the fields of each pair compared (`fields`). What differs in most pairs for
//! a plain reason, such as a counter, becomes one line (`fold`).

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
mod view;

pub use capture::Capture;
pub use ignored::Ignored;
pub use json::write as write_json;
pub use view::View;

use align::{Keys, Step, align};
use fields::Change;
use fold::Fold;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Nothing differs, or only what is folded.
    Same,
    /// Fields differ.
    Changed,
    /// The first capture alone has it.
    OnlyA,
    /// The second capture alone has it.
    OnlyB,
}

impl What {
    /// The word of the JSON record.
    #[must_use]
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
    /// What became of it.
    pub what: What,
    /// Its place in the first capture.
    a: Option<usize>,
    /// Its place in the second capture.
    b: Option<usize>,
    /// Differences that are shown.
    changes: Vec<Change>,
    /// Differences that a fold counts.
    folded: usize,
}

/// The messages of a pair of conversations.
#[derive(Debug)]
struct Conversation {
    a: Option<usize>,
    b: Option<usize>,
    entries: Vec<Entry>,
}

/// Numbers of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs without a difference.
    pub same: usize,
    /// Pairs whose only differences are folded.
    pub folded: usize,
    /// Pairs with a difference that is shown.
    pub changed: usize,
    /// Messages of the first capture alone.
    pub only_a: usize,
    /// Messages of the second capture alone.
    pub only_b: usize,
}

impl Counts {
    /// Whether anything differs.
    #[must_use]
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

/// What two captures differ in.
pub struct Report<'c> {
    a: &'c Capture,
    b: &'c Capture,
    conversations: Vec<Conversation>,
    folds: Vec<Fold>,
    /// Numbers of messages.
    pub counts: Counts,
}

/// Compares two captures. With `as_pair`, the first message of each is compared, whatever the messages are.
#[must_use]
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

/// Fields of each end of a message that its likeness to another counts.
const COMPARED: usize = 32;

/// Likeness of two messages from 0, which is none. Names that differ must be outweighed by fields that agree.
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
    match a.name_of(&one) == b.name_of(&two) {
        true => 50 + share,
        false if share >= 50 => share,
        false => 0,
    }
}
