//! Analyzes unknown conversations: message boundaries, kinds, and the behaviour of bytes.
//!
//! ```text
//! Collector ─► Side ─► framing: Hypothesis ─► messages: Kind ─► columns: Column ─► json, view, ksy
//! ```
//! The bytes come from an engine without dissectors, so known protocols can be explored too. Every step reads bytes and returns
//! values; only `json` and `view` print.

pub mod candidates;
pub mod chain;
mod collect;
pub mod columns;
mod datagram_length;
mod find;
pub mod framing;
mod given;
pub mod inner;
mod inspect;
mod json;
mod ksy;
pub mod messages;
mod roles;
pub mod rule;
mod side;
mod sizes;
mod strings;
#[cfg(test)]
mod tests;
mod view;

pub use collect::Collector;
pub use find::{COMPARED, FindView, Places, Value, changes, find, write_changes_json, write_json as write_findings_json};
pub use inspect::{Inspection, write as write_inspection, write_json as write_inspection_json};
pub use json::{begin, end, record};
pub use side::{Segment, Side};
pub use view::View;

use columns::Column;
use framing::{Given, Hypothesis};
use inner::Inner;
use messages::{Kind, Kinds, Message};
use rule::Rule;

/// Choices of the user.
#[derive(Debug, Clone)]
pub struct Options {
    /// Rules of framing.
    pub given: Given,
    /// The position of the kind.
    pub kinds: Option<Kinds>,
    /// Number of hypotheses to list.
    pub top: usize,
}

/// Results for a group of conversations.
pub struct Explored<'a> {
    /// The sides.
    pub sides: &'a [Side],
    /// Framing hypotheses, best first.
    pub framing: Vec<Hypothesis>,
    /// For datagrams, the elements in them.
    pub inner: Option<Inner>,
    /// The messages of the best framing.
    pub messages: Vec<Message<'a>>,
    /// How kinds are distinguished.
    pub kinds: Kinds,
    /// The kinds of messages.
    pub groups: Vec<Kind>,
    /// The columns of each kind.
    pub columns: Vec<Vec<Column>>,
    /// The generated Kaitai Struct file, or why there is none.
    pub ksy: Result<String, String>,
    /// Notes.
    pub notes: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { given: Given::default(), kinds: None, top: 3 }
    }
}

impl Explored<'_> {
    /// The conversations without duplicates.
    #[must_use]
    pub fn streams(&self) -> Vec<String> {
        let mut streams: Vec<String> = self.sides.iter().map(|side| side.stream.to_string()).collect();
        streams.dedup();
        streams
    }
}

/// Explores the sides of one protocol.
#[must_use]
pub fn explore<'a>(sides: &'a [Side], options: &Options) -> Explored<'a> {
    let mut explored = framed(sides, options);
    let rules = explored.framing.first().map(|best| best.dirs.each_ref().map(|dir| dir.as_ref().map(|dir| dir.rule.clone())));
    let mut context = columns::Context::new(&explored.messages, sides, rules.unwrap_or_default(), explored.kinds);
    context.survey(&explored.messages, &explored.groups);
    explored.columns = explored.groups.iter().map(|kind| columns::columns(&explored.messages, kind, &context)).collect();
    explored.ksy = ksy::ksy(&explored);
    explored.notes = notes(&explored);
    explored
}

/// The same without columns, `.ksy` and notes.
#[must_use]
pub fn framed<'a>(sides: &'a [Side], options: &Options) -> Explored<'a> {
    let framing = framing::hypotheses(sides, &options.given, options.top);
    let messages = framing.first().map(|best| messages::messages(sides, best)).unwrap_or_default();
    let rule = framing.first().and_then(Hypothesis::rule).cloned().unwrap_or(Rule::None);
    let hide: Vec<(usize, usize)> = rule.length().map(|at| (at.offset, at.end())).into_iter().collect();
    let are_datagrams = sides.iter().all(|side| side.is_datagrams);
    let kinds = options.kinds.unwrap_or_else(|| messages::kinds_of(&messages, &rule, &hide, are_datagrams));
    let groups = messages::group(&messages, kinds);
    let ksy = Err(String::new());
    let inner = if options.given.dirs.iter().all(Option::is_none) { inner::inner(sides) } else { None };
    Explored { sides, framing, inner, messages, kinds, groups, columns: Vec::new(), ksy, notes: Vec::new() }
}

/// Notes on the results.
fn notes(explored: &Explored<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for side in explored.sides {
        let rest = side.sent.saturating_sub(side.bytes.len() as u64);
        if rest > 0 {
            notes.push(format!("{}: {rest} bytes are beyond the limit", side.buffer()));
        }
        if side.missing() > 0 {
            notes.push(format!("{}: {} bytes are missing from the capture", side.buffer(), side.missing()));
        }
    }
    let Some(best) = explored.framing.first() else { return notes };
    let found = best.found();
    if found.cipher > 0 {
        notes.push(format!("{} bytes after the last message look random: they may be encrypted or compressed", found.cipher));
    }
    match &explored.ksy {
        Err(why) => notes.push(format!("no .ksy: {why}")),
        Ok(_) if best.dirs.iter().flatten().any(|dir| dir.skip > 0) => {
            notes.push(String::from("the .ksy describes messages, without the preamble"));
        }
        Ok(_) => {}
    }
    notes
}
