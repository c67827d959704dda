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
mod packed;
mod preamble;
mod roles;
pub mod rule;
mod side;
mod sizes;
mod strings;
pub mod table;
#[cfg(test)]
mod tests;
mod view;

pub use collect::Collector;
pub use find::{COMPARED, Fields, FindView, Places, Value, changes, find, write_changes_json, write_json as write_findings_json};
pub use inspect::{Inspection, write as write_inspection, write_json as write_inspection_json};
pub use json::{begin, end, record};
pub use side::{Segment, Side};
pub use view::View;

use crate::protocols::log_message;
use columns::Column;
use framing::{Given, Hypothesis};
use inner::Inside;
use messages::{Kind, Kinds, Message};
use packed::{Key, Packed};
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
    /// What is inside datagrams or frames.
    pub inside: Option<Inside>,
    /// The messages of the best framing.
    pub outer: Vec<Message<'a>>,
    /// The messages that are explored: those inside, if there are some.
    pub messages: Vec<Message<'a>>,
    /// How kinds of messages of the framing are distinguished.
    pub outer_kinds: Kinds,
    /// How kinds of explored messages are distinguished.
    pub kinds: Kinds,
    /// The kinds of messages.
    pub groups: Vec<Kind>,
    /// The columns of each kind.
    pub columns: Vec<Vec<Column>>,
    /// How bodies are compressed.
    pub packed: Option<Packed>,
    /// The key of enciphered bodies.
    pub key: Option<Key>,
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

impl Options {
    /// The framing and the opcodes of a log of another program, which are known; `None` if it is none.
    fn of_log(sides: &[Side], options: &Options) -> Option<Options> {
        let mut options = options.clone();
        for side in sides {
            let (size, is_header) = log_message(&side.bytes)?;
            let skip = if is_header { size } else { 0 };
            let given = options.given.dirs.get_mut(side.dir.index())?;
            *given = Some((Rule::parse("length@4:u32le+8")?, skip.max(given.as_ref().map_or(0, |given| given.1))));
        }
        options.kinds = options.kinds.or(Kinds::parse("8:u32le").ok());
        Some(options)
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
    explored.packed = Packed::find(&explored.outer, sides);
    explored.key = if explored.packed.is_none() { Key::find(&explored.outer) } else { None };
    let rules = explored.framing.first().map(|best| best.dirs.each_ref().map(|dir| dir.as_ref().map(|dir| dir.rule.clone())));
    explored.describe(sides, rules.unwrap_or_default());
    explored.ksy = ksy::ksy(&explored);
    explored.enter(sides, options);
    explored.notes = notes(&explored);
    explored
}

/// The same without columns, `.ksy` and notes; the messages are those of the framing.
#[must_use]
pub fn framed<'a>(sides: &'a [Side], options: &Options) -> Explored<'a> {
    let logged;
    let options = if options.given.dirs.iter().any(Option::is_some) {
        options
    } else {
        logged = Options::of_log(sides, options);
        logged.as_ref().unwrap_or(options)
    };
    let framing = framing::hypotheses(sides, &options.given, options.top);
    let outer = framing.first().map(|best| messages::messages(sides, best)).unwrap_or_default();
    let is_given = options.given.dirs.iter().any(Option::is_some);
    let inside = framing.first().filter(|_| !is_given).and_then(|best| Inside::find(sides, best, &outer));
    let rule = framing.first().and_then(Hypothesis::rule).cloned().unwrap_or(Rule::None);
    let mut hide: Vec<(usize, usize)> = rule.length().map(|at| (at.offset, at.end())).into_iter().collect();
    if let Some(Inside::Run(run)) = &inside {
        hide.extend(run.count.map(|at| (at.offset, at.end())));
    }
    let are_datagrams = sides.iter().all(|side| side.is_datagrams);
    let kinds = options.kinds.unwrap_or_else(|| messages::kinds_of(&outer, &rule, &hide, are_datagrams));
    let groups = messages::group(&outer, kinds);
    let (ksy, messages) = (Err(String::new()), outer.clone());
    Explored {
        sides,
        framing,
        inside,
        outer,
        messages,
        outer_kinds: kinds,
        kinds,
        groups,
        columns: Vec::new(),
        packed: None,
        key: None,
        ksy,
        notes: Vec::new(),
    }
}

impl Explored<'_> {
    /// Finds the columns of the messages, which have these rules.
    fn describe(&mut self, sides: &[Side], rules: [Option<Rule>; 2]) {
        let mut context = columns::Context::new(&self.messages, sides, rules, self.kinds);
        context.packed = self.packed;
        context.is_enciphered = self.key.is_some();
        context.survey(&self.messages, &self.groups);
        self.columns = self.groups.iter().map(|kind| columns::columns(&self.messages, kind, &context)).collect();
    }
}

impl<'a> Explored<'a> {
    /// Explores the messages inside, if there are some.
    fn enter(&mut self, sides: &'a [Side], options: &Options) {
        let Some(inside) = &self.inside else { return };
        self.messages = inside.messages(sides, &self.outer);
        let (rule, hide) = match inside {
            Inside::Run(run) => (run.rule(), vec![(run.at.offset, run.at.end())]),
            Inside::Fragments(_) => (Rule::Datagram, Vec::new()),
        };
        self.kinds = options.kinds.unwrap_or_else(|| messages::kinds_of(&self.messages, &rule, &hide, false));
        self.groups = messages::group(&self.messages, self.kinds);
        let rule = Some(rule).filter(|rule| *rule != Rule::Datagram);
        let packed = self.packed.take();
        self.describe(sides, [rule.clone(), rule]);
        self.packed = packed;
    }
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
    if let Some(packed) = &explored.packed {
        notes.push(format!("bodies are compressed: {packed}"));
    }
    if let Some(key) = &explored.key {
        let text = key.text * 100.0;
        notes.push(format!(
            "bodies are enciphered: {key}, from the first byte of a message on; {text:.0} % of what it gives is text"
        ));
    }
    if let Err(why) = &explored.ksy {
        notes.push(format!("no .ksy: {why}"));
    }
    notes
}
