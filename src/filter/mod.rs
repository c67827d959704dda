//! Filters: Wireshark's display filter language over records.
//!
//! ```
//! use proto_dissect::filter::Filter;
//! use proto_dissect::registry::Registry;
//!
//! let filter = Filter::parse("tcp.port eq 27000 && !(pipboy.type == heartbeat)", Registry::default()).unwrap();
//! assert_eq!(filter.to_string(), "tcp.port == 27000 and not pipboy.type == heartbeat");
//!
//! let mistake = Filter::parse("tcp.prot == 27000", Registry::default()).unwrap_err();
//! assert_eq!(mistake.nearest.first().map(String::as_str), Some("tcp.port"));
//! ```
//!
//! A filter is checked as a whole when it is read: names, sorts of values, what may be asked of which. Asked of a record, it
//! looks at the nodes and notes of a packet, or of a message and the layers that carry it, and at the fields of the record
//! itself. A gap has only what is known of it: `stream`, `message.dir`, `frame.number`, its transport (`tcp`) and that one's
//! stream number (`tcp.stream`); so `tcp.stream == 0` shows the gaps of that stream, and `not pipboy` shows them all.
//!
//! It decides what is shown, and never how anything is read.

mod capture;
mod check;
mod column;
mod eval;
mod expression;
mod lexer;
mod literal;
mod mistake;
mod number_type;
mod operator;
mod parser;
mod prefilter;
mod program;
mod record_values;
mod sort;
mod syntax;
mod undissected;
mod value;
mod verdict_cache;

pub use column::{column, is_name};
pub use expression::Expression;
pub use mistake::Mistake;

use crate::engine::{Known, Prefilter};
use crate::record::{Moment, Packet, Record, Scope};
use crate::registry::Registry;
use crate::tree::{Demand, Field, Only};
use check::Checker;
use eval::{Asking, Scratch};
use mistake::Wrong;
use program::Test;
use record_values::Subject;
use std::fmt;
use syntax::Node;
use verdict_cache::VerdictCache;

/// A filter that was read and checked.
///
/// Written out it is canonical: what it writes reads back as the same filter.
pub struct Filter {
    written: Node,
    test: Test,
    fields: Vec<&'static Field>,
    demand: Demand,
    /// Those of its fields that are read before any message.
    prefilter: Only,
    /// Those of them that headers below TCP and UDP have.
    headers: Only,
    undissected: Vec<&'static str>,
    scope: Scope,
    scratch: Scratch,
}

impl Filter {
    /// Read a filter over the fields of these protocols. An empty one is passed by everything.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn parse(text: &str, registry: Registry) -> Result<Filter, Mistake> {
        let mut checker = Checker::new(registry);
        let mut read = || {
            let written = parser::parse(text)?;
            let test = checker.test(&written)?;
            Ok((written, test))
        };
        let (written, test) = read().map_err(|wrong: mistake::Wrong| match capture::as_display_filter(text) {
            Some(display) => Wrong::new(&(0..text.len()), "this is a capture filter; the display filter for it:")
                .try_instead(vec![display])
                .in_expression(text),
            None => wrong.in_expression(text),
        })?;
        let scope = checker.scope;
        let (fields, demand, undissected) = checker.seen();
        let (prefilter, headers) = (prefilter::fields(&fields), prefilter::of_headers(&fields));
        Ok(Filter { written, test, fields, demand, prefilter, headers, undissected, scope, scratch: Scratch::default() })
    }

    /// Whether a record passes.
    ///
    /// Asks for no memory, but where two fields are held against each other and one occurs more often than sixteen times.
    #[must_use]
    pub fn matches(&self, record: &Record<'_>) -> bool {
        self.scratch.begin();
        Asking { of: Subject::Record(record), scratch: &self.scratch }.test(&self.test)
    }

    /// A prefilter that rejects frames by their layers, before messages are dissected.
    #[must_use]
    pub fn into_prefilter(self) -> Prefilter {
        let headers = Some(self.headers).filter(|headers| !headers.is_empty());
        let verdict_cache = VerdictCache::default();
        let may_match = move |known: Known<'_>| {
            let (of, known) = match known {
                Known::FastHeaders(plain) => {
                    return verdict_cache
                        .or_ask(plain.flow_key(), || self.decide_early(Subject::FastHeaders(plain), self.headers));
                }
                Known::Headers(of) => (of, self.headers),
                Known::Layers(of) => (of, self.prefilter),
            };
            let record = Record::Packet(Packet { moment: Moment::default(), of, bookmarks: None });
            self.decide_early(Subject::Record(&record), known)
        };
        Prefilter { headers, may_match: Box::new(may_match) }
    }

    /// Whether a record may pass, as far as these fields tell.
    fn decide_early(&self, of: Subject<'_, '_>, known: Only) -> bool {
        self.scratch.begin();
        Asking { of, scratch: &self.scratch }.decide_early(&self.test, known) != Some(false)
    }

    /// The fields it looks at; none if it looks only at records themselves.
    #[must_use]
    pub fn fields(&self) -> &[&'static Field] {
        &self.fields
    }

    /// Protocols in the filter that only Wireshark dissects: nothing matches them.
    #[must_use]
    pub fn undissected(&self) -> &[&'static str] {
        &self.undissected
    }

    /// What its names are about: frames or messages.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// How much of a tree it looks at; of packets, where headers alone tell whether they pass, no talks.
    #[must_use]
    pub fn demand(&self) -> Demand {
        self.demand
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.written.fmt(f)
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.to_string()).finish()
    }
}
