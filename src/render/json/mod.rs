//! Records as JSON: one per line, or all in one array.
//!
//! `docs/json.md` describes the format. A record is written to a reused buffer while the tree is walked, and passed on as a whole
//! unless it is long.

mod choice;
mod flat;
mod keys;
mod nested;
mod nodes;
mod records;
mod slots;
#[cfg(test)]
mod tests;
mod typed;
mod writer;

use super::KEPT;
use crate::record::{Record, Tally, View};
use crate::sink::{Begin, Edges, Printed, Problem, Sink};
use crate::tree::{Carriers, Demand};
pub use choice::{Choice, record_key};
use flat::Flat;
use nested::Nested;
use records::{Damage, End, OfGap, OfLate, OfMessage, OfPacket, Start};
use std::io;
pub(super) use writer::quoted;
pub use writer::{Members, object};
use writer::{Out, Put};

/// Arrangement of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One per line.
    Lines,
    /// All in one array.
    Array,
    /// One per line as flat objects, records only.
    Flat,
    /// One per line as nested objects, records only.
    Nested,
}

impl Shape {
    /// Whether only records are written, without begin, end, gaps and errors.
    fn is_records_alone(self) -> bool {
        matches!(self, Shape::Flat | Shape::Nested)
    }
}

/// Field selection of records.
#[derive(Clone, Copy)]
struct Ask<'a> {
    /// Selected fields; all if `None`.
    choice: Option<&'a Choice>,
    /// Whether to add the bytes of each field.
    raw: bool,
    /// Name of the input.
    file: &'a str,
    /// Whether each record has it.
    names_file: bool,
}

impl<'a> Ask<'a> {
    /// Name of the input, if records have it.
    fn file(self) -> Option<&'a str> {
        self.names_file.then_some(self.file)
    }
}

/// Options of JSON output.
#[derive(Debug, Clone, Copy)]
pub struct JsonOptions {
    /// Arrangement of records.
    pub shape: Shape,
    /// Add the layers that carry a message: `-v`.
    pub carriers: bool,
    /// Flush after each record.
    pub flush: bool,
}

/// Prints records as JSON.
pub struct Json<W> {
    to: W,
    options: JsonOptions,
    choice: Option<Choice>,
    raw: bool,
    /// Name of the input, and whether each record has it.
    file: String,
    names_file: bool,
    line: Vec<u8>,
    begun: bool,
}

impl<W: io::Write> Json<W> {
    /// Prints to `to`.
    pub fn new(to: W, options: JsonOptions) -> Json<W> {
        Json { to, options, choice: None, raw: false, file: String::new(), names_file: false, line: Vec::new(), begun: false }
    }

    /// Selects fields.
    #[must_use]
    pub fn keeping(self, choice: Choice) -> Json<W> {
        Json { choice: Some(choice), ..self }
    }

    /// Adds the bytes of each field.
    #[must_use]
    pub fn with_bytes(self) -> Json<W> {
        Json { raw: true, ..self }
    }

    /// Adds the name of the input to each record.
    #[must_use]
    pub fn naming_files(self) -> Json<W> {
        Json { names_file: true, ..self }
    }

    fn print_by(&mut self, put: impl FnOnce(Ask<'_>, &mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
        if self.options.shape == Shape::Array {
            self.line.extend_from_slice(if self.begun { b",\n" } else { b"[\n" });
        }
        self.begun = true;
        let ask = Ask { choice: self.choice.as_ref(), raw: self.raw, file: &self.file, names_file: self.names_file };
        put(ask, &mut Out::new(&mut self.line, &mut self.to))?;
        if self.options.shape != Shape::Array {
            self.line.push(b'\n');
        }
        if self.options.flush || self.line.len() >= writer::LONG { self.let_go() } else { Ok(()) }
    }

    /// Passes on the buffer.
    fn let_go(&mut self) -> io::Result<()> {
        self.to.write_all(&self.line)?;
        self.line.clear();
        self.line.shrink_to(KEPT);
        if self.options.flush { self.to.flush() } else { Ok(()) }
    }
}

impl<W: io::Write> Sink for Json<W> {
    fn demand(&self, view: View) -> Demand {
        if let Some(choice) = &self.choice {
            return choice.demand();
        }
        let carriers = view == View::Packets || self.options.carriers;
        Demand { carriers: Carriers::shown(carriers), ..Demand::EVERYTHING }
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        begin.file.clone_into(&mut self.file);
        if !self.options.shape.is_records_alone() {
            self.print_by(|_, out| Start(begin).put(out))?;
        }
        self.let_go()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        let carriers = self.options.carriers;
        match (self.options.shape, record) {
            (Shape::Flat | Shape::Nested, Record::Gap(_)) => Ok(()),
            (Shape::Flat, record) => self.print_by(|ask, out| Flat { record, carriers, ask }.put(out)),
            (Shape::Nested, record) => self.print_by(|ask, out| Nested { record, carriers, ask }.put(out)),
            (_, Record::Message(message)) => self.print_by(|ask, out| OfMessage { message, carriers, ask }.put(out)),
            (_, Record::Packet(packet)) => self.print_by(|ask, out| OfPacket { packet, ask }.put(out)),
            (_, Record::Late(late)) => self.print_by(|ask, out| OfLate { late, ask }.put(out)),
            (_, Record::Gap(gap)) => self.print_by(|ask, out| OfGap { gap, ask }.put(out)),
        }
    }

    fn resume_at(&mut self, file: &str) {
        self.begun = true;
        file.clone_into(&mut self.file);
    }

    fn take_output(&mut self) -> io::Result<Option<Edges>> {
        self.let_go().map(|()| None)
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.let_go()?;
        self.to.write_all(&printed.text)
    }

    fn problem(&mut self, problem: &Problem<'_>) -> io::Result<()> {
        let is_alone = self.options.shape.is_records_alone();
        if is_alone { Ok(()) } else { self.print_by(|ask, out| Damage { problem, ask }.put(out)) }
    }

    fn end(&mut self, tally: &Tally, truncated: bool) -> io::Result<()> {
        // Outputs of several printers are concatenated, so there is no end record.
        if !self.options.shape.is_records_alone() {
            self.print_by(|ask, out| End { tally, truncated, ask }.put(out))?;
        }
        self.let_go()
    }

    fn finish(&mut self) -> io::Result<()> {
        // No array for an input that could not be read at all.
        if self.begun && self.options.shape == Shape::Array {
            self.line.extend_from_slice(b"\n]\n");
        }
        self.let_go()?;
        self.to.flush()
    }
}
