//! What records go into: a table, lines, JSON, columns.

use crate::record::{Record, Tally, View};
use crate::tree::Demand;
use std::io;

/// What is known of an input when its first record comes.
#[derive(Debug, Clone)]
pub struct Begin<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The format's name.
    pub format: &'a str,
    /// Names of the link types seen so far.
    pub links: &'a [&'a str],
}

/// What is wrong with an input.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// What kind of damage.
    pub code: &'a str,
    /// What, where, what was expected, what to try.
    pub text: &'a str,
    /// The last frame before it.
    pub frame: u64,
    /// Where in the input.
    pub at: Option<u64>,
}

/// Records that were printed apart, to go behind those that another one printed before.
#[derive(Debug, Default)]
pub struct Printed {
    /// What was printed.
    pub text: Vec<u8>,
    /// Its edges, where what stands before and behind it depends on them.
    pub edges: Option<Edges>,
    /// What goes behind all records of the input.
    pub deferred: Vec<u8>,
}

/// How a row of records begins and ends.
#[derive(Debug, Clone, Copy)]
pub struct Edges {
    /// Whether the first takes more than a line.
    pub first_is_long: bool,
    /// Whether the last does.
    pub last_is_long: bool,
}

/// Takes the records of one or more inputs, in order.
pub trait Sink {
    /// How much of a frame it is going to look at where it is given these records.
    fn demand(&self, view: View) -> Demand;

    /// An input begins.
    ///
    /// # Errors
    /// Those of writing.
    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()>;

    /// A record.
    ///
    /// # Errors
    /// Those of writing.
    fn record(&mut self, record: &Record<'_>) -> io::Result<()>;

    /// What it is going to print goes behind what others printed.
    fn resume_at(&mut self) {}

    /// Hand on all that was printed so far. Returns the edges of the records since this was asked last.
    ///
    /// # Errors
    /// Those of writing.
    fn take_output(&mut self) -> io::Result<Option<Edges>> {
        Ok(None)
    }

    /// Take what was printed so far that goes behind all records of the input.
    fn take_deferred(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Records that were printed apart.
    ///
    /// # Errors
    /// Those of writing.
    fn printed(&mut self, printed: &Printed) -> io::Result<()>;

    /// The input is damaged here.
    ///
    /// # Errors
    /// Those of writing.
    fn problem(&mut self, problem: &Problem<'_>) -> io::Result<()>;

    /// The input ends; `truncated` if it was damaged.
    ///
    /// # Errors
    /// Those of writing.
    fn end(&mut self, tally: &Tally, truncated: bool) -> io::Result<()>;

    /// All inputs were read.
    ///
    /// # Errors
    /// Those of writing.
    fn finish(&mut self) -> io::Result<()>;
}
