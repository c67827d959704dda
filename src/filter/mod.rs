//! Display filters: Wireshark's filter language, applied to records.
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
//! A filter is type-checked when it is parsed. It is evaluated on the nodes and notes of a packet, or of a message with its
//! carriers, and on the pseudo-fields of the record. A gap has only `stream`, `message.dir`, `frame.number`, its transport (`tcp`)
//! and its stream number (`tcp.stream`). So `tcp.stream == 0` matches the gaps of that stream, and `not pipboy` matches all gaps.
//!
//! A filter selects output and never changes dissection.

mod capture;
mod check;
mod column;
mod eval;
mod expression;
mod lexer;
mod literal;
mod meant;
mod number_type;
mod operator;
mod parse_error;
mod parser;
mod prefilter;
mod program;
mod record_values;
mod syntax;
mod undissected;
mod value;
mod value_type;
mod verdict_cache;

pub use column::{column, is_name};
pub use expression::Expression;
pub use parse_error::ParseError;

use crate::engine::{FrameParts, Prefilter};
use crate::record::{Packet, Record, RecordTimes, Scope};
use crate::registry::Registry;
use crate::tree::{Demand, Field, Only};
use check::Checker;
use eval::{Evaluator, Scratch};
use parse_error::Wrong;
use program::Test;
use record_values::Subject;
use std::fmt;
use syntax::Node;
use verdict_cache::VerdictCache;

/// A parsed and checked filter.
///
/// `Display` writes its canonical form, which parses as the same filter.
pub struct Filter {
    written: Node,
    test: Test,
    fields: Vec<&'static Field>,
    demand: Demand,
    /// Fields known before messages are dissected.
    prefilter: Only,
    /// Fields of headers below TCP and UDP.
    headers: Only,
    undissected: Vec<&'static str>,
    scope: Scope,
    scratch: Scratch,
}

impl Filter {
    /// Parses a filter over the fields of these protocols. An empty filter matches everything.
    ///
    /// # Errors
    /// The first mistake.
    pub fn parse(text: &str, registry: Registry) -> Result<Filter, ParseError> {
        let mut checker = Checker::new(registry);
        let mut read = || {
            let written = parser::parse(text)?;
            let test = checker.test(&written)?;
            Ok((written, test))
        };
        let (written, test) = read().map_err(|wrong: parse_error::Wrong| match capture::as_display_filter(text) {
            Some(display) => Wrong::new(&(0..text.len()), "this is a capture filter; the equivalent display filter:")
                .try_instead(vec![display])
                .in_expression(text),
            None => wrong.in_expression(text),
        })?;
        let scope = checker.scope;
        let (fields, demand, undissected) = checker.seen();
        let (prefilter, headers) = (prefilter::fields(&fields), prefilter::of_headers(&fields));
        Ok(Filter { written, test, fields, demand, prefilter, headers, undissected, scope, scratch: Scratch::default() })
    }

    /// Whether a record matches.
    ///
    /// Allocates only to compare two fields of which one has more than sixteen occurrences.
    #[must_use]
    pub fn matches(&self, record: &Record<'_>) -> bool {
        self.scratch.begin();
        Evaluator { of: Subject::Record(record), scratch: &self.scratch }.test(&self.test)
    }

    /// A prefilter that rejects frames by their layers, before messages are dissected.
    #[must_use]
    pub fn into_prefilter(self) -> Prefilter {
        let headers = Some(self.headers).filter(|headers| !headers.is_empty());
        let verdict_cache = VerdictCache::default();
        let may_match = move |known: FrameParts<'_>| {
            let (of, known) = match known {
                FrameParts::FastHeaders(plain) => {
                    return verdict_cache
                        .get_or_insert_with(plain.flow_key(), || self.decide_early(Subject::FastHeaders(plain), self.headers));
                }
                FrameParts::Headers(of) => (of, self.headers),
                FrameParts::Layers(of) => (of, self.prefilter),
            };
            let record = Record::Packet(Packet { times: RecordTimes::default(), of, bookmarks: None });
            self.decide_early(Subject::Record(&record), known)
        };
        Prefilter { headers, may_match: Box::new(may_match) }
    }

    /// Whether a record may match, judged by these fields.
    fn decide_early(&self, of: Subject<'_, '_>, known: Only) -> bool {
        self.scratch.begin();
        Evaluator { of, scratch: &self.scratch }.decide_early(&self.test, known) != Some(false)
    }

    /// Fields of the filter, without pseudo-fields.
    #[must_use]
    pub fn fields(&self) -> &[&'static Field] {
        &self.fields
    }

    /// Protocols in the filter that only Wireshark dissects. They never match.
    #[must_use]
    pub fn undissected(&self) -> &[&'static str] {
        &self.undissected
    }

    /// Scope of its fields: packets or messages.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Demand of the filter. In the packet view, a filter on headers only requires no conversations.
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
