//! The interface of outputs: table, list, JSON, columns.

use crate::record::{Record, Tally, View};
use crate::tree::{Demand, Dissection};
use std::io;

/// Properties of an input, known at its first record.
#[derive(Debug, Clone)]
pub struct Begin<'a> {
    /// The file name as the user entered it.
    pub file: &'a str,
    /// The name of the file format.
    pub format: &'a str,
    /// Names of the link types seen so far.
    pub links: &'a [&'a str],
}

/// Damage of an input file.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The file name as the user entered it.
    pub file: &'a str,
    /// The code of the problem.
    pub code: &'a str,
    /// Error text with location, expected content and suggestion.
    pub text: &'a str,
    /// Number of the last frame before it.
    pub frame: u64,
    /// Offset in the input.
    pub at: Option<u64>,
}

/// Output of records that another thread formatted, appended to the output of earlier records.
#[derive(Debug, Default)]
pub struct Printed {
    /// The text.
    pub text: Vec<u8>,
    /// Its first and last record, if separators depend on them.
    pub edges: Option<Edges>,
    /// Text to write after all records of the input.
    pub deferred: Vec<u8>,
}

/// The first and the last record of a run.
#[derive(Debug, Clone, Copy)]
pub struct Edges {
    /// Whether the first one takes more than one line.
    pub first_is_long: bool,
    /// Whether the last one takes more than one line.
    pub last_is_long: bool,
}

/// An output: receives the records of one or more inputs, in order. All its errors are I/O errors of the output.
pub trait Sink {
    /// The parts of the tree that it needs for these records.
    fn demand(&self, view: View) -> Demand;

    /// Starts an input.
    fn begin(&mut self, _begin: &Begin<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Writes what waits for the first record of the input, such as its name.
    fn write_heading(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Writes a record.
    fn record(&mut self, record: &Record<'_>) -> io::Result<()>;

    /// Takes the objects of a tree that belong to a conversation as a whole. Such a tree may have no record.
    fn objects(&mut self, _of: Dissection<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Marks the following output as a continuation of another one's, within this input.
    fn resume_at(&mut self, _file: &str) {}

    /// Flushes the output so far. Returns the first and last record since the previous call.
    fn take_output(&mut self) -> io::Result<Option<Edges>> {
        Ok(None)
    }

    /// Takes the text to write after all records of the input.
    fn take_deferred(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Writes records that another thread formatted.
    fn printed(&mut self, printed: &Printed) -> io::Result<()>;

    /// Reports damage of the input.
    fn problem(&mut self, _problem: &Problem<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Reports an input that could not be read at all.
    fn failed(&mut self, _problem: &Problem<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Ends an input; `truncated` if it was damaged.
    fn end(&mut self, _tally: &Tally, _truncated: bool) -> io::Result<()> {
        Ok(())
    }

    /// Ends the output after all inputs.
    fn finish(&mut self) -> io::Result<()>;
}
