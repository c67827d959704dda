//! What is in a capture, counted: protocols, conversations, endpoints, times, what is wrong and what is unknown.
//!
//! Layers and fields are counted by name; no protocol is treated in a way of its own. Memory grows with the number of
//! conversations, of which half a million are remembered, and not with frames.

mod coverage;
mod health;
mod hierarchy;
mod index;
mod json;
mod lately;
mod parts;
mod plot;
mod recent;
mod rows;
mod tables;
mod talks;
mod traffic;
mod transfers;

pub use coverage::{Coverage, Covered, Spoken, Unknown};
pub use health::{Health, Remark};
pub use hierarchy::{Hierarchy, Place, commonest};
pub use json::print_json;
pub use parts::{Over, Part};
pub use tables::{TableLook, print_tables};
use talks::Kinds;
pub use talks::{End, Endpoints, Shares, Talk, Talks};
pub use traffic::{Count, Traffic};
pub use transfers::{Came, Transfers};

use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::sink::Begin;
use crate::tree::{Dissection, Want};
use std::convert::Infallible;

/// What an input is.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The file as the user named it.
    pub file: String,
    /// The format's name.
    pub format: String,
    /// Names of its link types.
    pub links: Vec<String>,
    /// What it holds beside frames, and how often: decryption secrets, names of addresses.
    pub extras: Vec<(String, u64)>,
    /// What is wrong with it, if it is damaged.
    pub damage: Option<String>,
}

/// Statistics of an input.
pub struct Stats {
    /// What is asked for.
    pub parts: Vec<Part>,
    /// The input.
    pub input: Input,
    /// All frames together.
    pub traffic: Traffic,
    /// Messages, gaps and what is wrong with them.
    pub tally: Tally,
    /// Protocols on each other.
    pub hierarchy: Hierarchy,
    /// Conversations of the kinds that are asked for.
    talks: Kinds,
    /// What came whole, and how fast.
    pub transfers: Transfers,
    /// What is missing, strange or broken.
    pub health: Health,
    /// How much is explained.
    pub coverage: Coverage,
    /// Whether nodes are looked at, and names of messages.
    looks: [bool; 2],
}

impl Stats {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(registry: Registry, parts: Vec<Part>) -> Stats {
        let is_wanted = |over: &Over| parts.contains(&Part::Conversations(*over)) || parts.contains(&Part::Endpoints(*over));
        let coverage = parts.contains(&Part::Coverage);
        let looks = [coverage, coverage || parts.contains(&Part::Hierarchy)];
        let talks = Over::ALL.into_iter().filter(is_wanted).map(Talks::new).collect();
        Stats {
            parts,
            input: Input::default(),
            traffic: Traffic::default(),
            tally: Tally::new(View::Messages),
            hierarchy: Hierarchy::default(),
            talks: Kinds::new(talks),
            transfers: Transfers::default(),
            health: Health::default(),
            coverage: Coverage::new(registry),
            looks,
        }
    }

    /// How much of a frame has to be looked at for the parts that are asked for.
    #[must_use]
    pub fn want(&self) -> Want {
        let [fields, names] = self.looks;
        let transfers = self.parts.contains(&Part::Transfers);
        Want { headers: false, fields, only: fields.then(|| self.coverage.looks_at()), names, transfers, ..Want::LAYERS }
    }

    /// An input begins.
    pub fn begin(&mut self, begin: &Begin<'_>) {
        let links = begin.links.iter().map(|link| String::from(*link)).collect();
        self.input = Input { file: begin.file.into(), format: begin.format.into(), links, extras: Vec::new(), damage: None };
    }

    /// Count a frame, or with `captured` false what a conversation had left at the end.
    pub fn tree(&mut self, of: Dissection<'_>, captured: bool) {
        if captured {
            let since_start = self.traffic.frame(&of.tree.frame);
            self.talks.frame(of, since_start);
        }
        self.transfers.tree(of);
        self.health.tree(of);
        let [fields, names] = self.looks;
        if fields {
            self.coverage.tree(of);
        }
        if names {
            self.hierarchy.tree(of, captured);
        }
        let (hierarchy, coverage) = (&mut self.hierarchy, &mut self.coverage);
        let _: Result<(), Infallible> = self.tally.records(of, captured, |record| {
            if let (Record::Message(message), true) = (record, names) {
                hierarchy.message(&message);
                if fields {
                    coverage.message(&message);
                }
            }
            Ok(())
        });
    }

    /// The conversations of a kind.
    #[must_use]
    pub fn over(&self, over: Over) -> Option<&Talks> {
        self.kinds().find(|talks| talks.over == over)
    }

    /// The conversations of each kind that is asked for.
    pub fn kinds(&self) -> impl Iterator<Item = &Talks> {
        self.talks.all.iter()
    }
}
