//! The columns of tshark's list, separated by tabs or as XML (PSML).

use super::escape::xml;
use super::flush_text;
use super::pdml::XML;
use crate::record::pseudo::{self, PseudoValue};
use crate::record::{Record, View};
use crate::render::heading::{moments_of, times_of, when};
use crate::render::time::{Clock, TimeForm};
use crate::sink::{Begin, Printed, Sink};
use crate::tree::{Carriers, Demand, Extras, clean_escaped, is_harmful};
use std::fmt::Write as _;
use std::io;

/// Column titles in PSML.
const HEADS: [&str; 7] = ["No.", "Time", "Source", "Destination", "Protocol", "Length", "Info"];

/// Demand of the columns.
fn demand() -> Demand {
    Demand { carriers: Carriers::Full, ..Demand::HEADINGS }.with(Extras::LABELS)
}

fn columns(record: &Record<'_>, clock: &Clock) -> [String; 7] {
    let words = |name: &str| match pseudo::named(name).and_then(|pseudo| (pseudo.of)(record)) {
        Some(PseudoValue::Words(words)) => words.to_owned(),
        Some(answer) => answer.to_string(),
        None => String::new(),
    };
    let mut time = String::new();
    let times = match record {
        Record::Packet(packet) => moments_of(packet),
        Record::Message(message) => times_of(message),
        Record::Late(late) => when(late.times),
        Record::Gap(_) => Default::default(),
    };
    // Writing to memory does not fail.
    let _ = clock.write(times, &mut time);
    let [number, source, destination, protocol, length, info] =
        ["Number", "Source", "Destination", "Protocol", "Length", "Info"].map(|name| words(&format!("_ws.col.{name}")));
    [number, time, source, destination, protocol, length, info]
}

/// Prints one line per record with tab-separated columns: `tshark -T tabs`.
pub struct Tabs<W> {
    to: W,
    clock: Clock,
    text: String,
}

impl<W: io::Write> Tabs<W> {
    /// Prints to `to`, with times in this format.
    pub fn new(to: W, time: TimeForm) -> Tabs<W> {
        Tabs { to, clock: Clock::new(time), text: String::new() }
    }
}

impl<W: io::Write> Sink for Tabs<W> {
    fn demand(&self, _: View) -> Demand {
        demand()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) {
            return Ok(());
        }
        let [number, time, source, destination, protocol, length, info] = columns(record, &self.clock);
        let mut line = format!("{number:>5}\t{time:>10}\t{source}\t→\t{destination}\t{protocol}\t{length}\t");
        // Tabs within a column and control characters are escaped.
        let harmless = line.chars().all(|character| character == '\t' || !is_harmful(character));
        if !harmless {
            line.retain(|character| character == '\t' || !is_harmful(character));
        }
        let _ = clean_escaped(&info, &mut line);
        let _ = writeln!(self.text, "{line}");
        flush_text(&mut self.text, &mut self.to)
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Prints the columns as XML: `tshark -T psml`.
pub struct Psml<W> {
    to: W,
    clock: Clock,
    text: String,
    begun: bool,
}

impl<W: io::Write> Psml<W> {
    /// Prints to `to`, with times in this format.
    pub fn new(to: W, time: TimeForm) -> Psml<W> {
        Psml { to, clock: Clock::new(time), text: String::new(), begun: false }
    }

    fn sections<S: AsRef<str>>(&mut self, element: &str, sections: &[S]) -> io::Result<()> {
        let _ = writeln!(self.text, "<{element}>");
        for section in sections {
            self.text.push_str("<section>");
            xml(section.as_ref(), &mut self.text);
            self.text.push_str("</section>\n");
        }
        let _ = writeln!(self.text, "</{element}>\n");
        flush_text(&mut self.text, &mut self.to)
    }
}

impl<W: io::Write> Sink for Psml<W> {
    fn demand(&self, _: View) -> Demand {
        demand()
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.text.push_str(XML);
        self.text.push_str(concat!("<psml version=\"0\" creator=\"proto-dissect/", env!("CARGO_PKG_VERSION"), "\">\n"));
        self.sections("structure", &HEADS)
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) {
            return Ok(());
        }
        let columns = columns(record, &self.clock);
        self.sections("packet", &columns)
    }

    fn resume_at(&mut self, _: &str) {
        self.begun = true;
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.begun {
            self.to.write_all(b"</psml>\n")?;
        }
        self.to.flush()
    }
}
