//! A self-contained HTML page: `-T html`.
//!
//! The page is written while records arrive. Every [`BLOCK`] bytes, the records so far are written twice: as compact JSON in a data
//! element, for the script at the end, and as nested lists in a `noscript` element, for readers without scripts and for printing.
//! The summary follows the records.

mod block;
mod outline;
mod page;
mod summary;

use super::json::quoted;
use super::time::{Clock, TimeForm, When};
use super::unwritable;
use super::{heading, units::Thousands};
use crate::limits;
use crate::record::{Record, Tally, View};
use crate::sink::{Begin, Printed, Problem, Sink};
use crate::tree::{Carriers, Demand, Dissection, Extras, StreamId, clean, clean_escaped};
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::io;
use summary::Summary;

/// Bytes of records per block.
const BLOCK: usize = 64 << 10;

/// Options of the page.
#[derive(Debug, Clone)]
pub struct HtmlOptions {
    /// Title: `--title`, or the name of the first input.
    pub title: Option<String>,
    /// Add the layers that carry a message: `-v`.
    pub carriers: bool,
    /// Time format: `-t`.
    pub time: TimeForm,
    /// The page has several inputs.
    pub several: bool,
}

/// Writes records as a page.
pub struct Html<W> {
    to: W,
    options: HtmlOptions,
    clock: Clock,
    fields: block::Fields,
    /// Records since the last block, as JSON and as lists.
    records: String,
    lists: String,
    page: String,
    summary: Summary,
    begun: bool,
    /// Conversations of the current input with a record in the page.
    streams: HashSet<StreamId>,
    /// Bytes written, records in the page, and records beyond its limit.
    written: usize,
    shown: usize,
    left_out: u64,
}

impl<W: io::Write> Html<W> {
    /// Writes to `to`.
    pub fn new(to: W, options: HtmlOptions) -> Html<W> {
        Html {
            to,
            clock: Clock::new(options.time),
            options,
            fields: block::Fields::default(),
            records: String::new(),
            lists: String::new(),
            page: String::new(),
            summary: Summary::new(),
            begun: false,
            streams: HashSet::new(),
            written: 0,
            shown: 0,
            left_out: 0,
        }
    }

    /// Adds a record, unless the page is full.
    fn add(&mut self, record: &Record<'_>) -> io::Result<()> {
        let budget = limits::HTML_PAGE.get().saturating_sub(self.written + self.records.len() + self.lists.len());
        let (end, end_of_lists) = (self.records.len(), self.lists.len());
        let time = self.time(record)?;
        let line = block::Line { time: time.as_deref(), carriers: self.options.carriers };
        self.records.push_str(if end == 0 { "" } else { ",\n" });
        let fits = self.left_out == 0
            && self.shown < limits::HTML_RECORDS.get()
            && block::record(record, &line, budget, &mut self.fields, &mut self.records).map_err(unwritable)?;
        if !fits {
            self.records.truncate(end);
            self.lists.truncate(end_of_lists);
            self.left_out += 1;
            return Ok(());
        }
        outline::item(record, self.options.carriers, &mut self.lists).map_err(unwritable)?;
        self.shown += 1;
        self.streams.extend(stream_of(record));
        if self.records.len() + self.lists.len() >= BLOCK { self.block() } else { Ok(()) }
    }

    /// Time of a record in the format of `-t`, unless the page computes it.
    fn time(&self, record: &Record<'_>) -> io::Result<Option<String>> {
        if self.options.time == TimeForm::Relative {
            return Ok(None);
        }
        let when = match record {
            Record::Message(message) => heading::times_of(message),
            Record::Packet(packet) => heading::moments_of(packet),
            Record::Late(late) => heading::when(late.times),
            Record::Gap(_) => When::default(),
        };
        let mut time = String::new();
        self.clock.write(when, &mut time).map_err(unwritable)?;
        Ok(Some(time))
    }

    /// Adds an entry other than a record: an input, or its damage.
    fn entry(&mut self, kind: &str, key: &str, text: &str) {
        self.records.push_str(if self.records.is_empty() { "" } else { ",\n" });
        // Writing to a String does not fail.
        let _ = write!(self.records, r#"{{"k":"{kind}","{key}":"#);
        let mut words = String::new();
        let _ = clean(text, &mut words);
        quoted(&words, &mut self.records);
        self.records.push('}');
        self.lists.push_str("<li><b>");
        page::escaped(&words, &mut self.lists);
        self.lists.push_str("</b>\n");
    }

    /// Writes the records since the last block.
    fn block(&mut self) -> io::Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        let page = &mut self.page;
        page.push_str("<script type=\"application/json\" class=\"block\">{\"fields\":[");
        page::data(&self.fields.take_new(), page);
        page.push_str("],\"records\":[\n");
        page::data(&self.records, page);
        page.push_str("]}</script>\n<noscript class=\"block\"><ul>\n");
        page.push_str(&self.lists);
        page.push_str("</ul></noscript>\n");
        self.records.clear();
        self.lists.clear();
        self.let_go()
    }

    fn let_go(&mut self) -> io::Result<()> {
        self.to.write_all(self.page.as_bytes())?;
        self.written += self.page.len();
        self.page.clear();
        Ok(())
    }

    /// Reports the missing records and how to include them.
    fn shortage(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            let (shown, left_out) = (Thousands(self.shown), Thousands(self.left_out));
            format!("the page is limited to the first {shown} records, {left_out} more did not fit; select fewer with -c or -Y")
        })
    }
}

/// The error of a page that is whole but does not hold all records: nothing failed.
#[derive(Debug)]
pub struct Shortage(String);

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Shortage {}

/// File name of an input without directories, which are meaningless to recipients of the page.
fn name_of(file: &str) -> &str {
    match file {
        "-" => "standard input",
        file => file.rsplit(['/', '\\']).next().unwrap_or(file),
    }
}

/// Conversation of a record.
fn stream_of(record: &Record<'_>) -> Option<StreamId> {
    let ends = match record {
        Record::Message(message) => message.ends(),
        Record::Packet(packet) => packet.ends(),
        Record::Late(late) => late.ends(),
        Record::Gap(gap) => return Some(gap.stream),
    };
    ends.and_then(|ends| ends.stream).map(|(stream, _)| stream)
}

impl<W: io::Write> Sink for Html<W> {
    fn demand(&self, view: View) -> Demand {
        let carriers = view == View::Packets || self.options.carriers;
        let demand = Demand { carriers: Carriers::shown(carriers), ..Demand::EVERYTHING };
        demand.with(Extras::PREVIEWS).with(Extras::OBJECTS)
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        let mut name = String::new();
        clean(name_of(begin.file), &mut name).map_err(unwritable)?;
        if !self.begun {
            self.begun = true;
            let more = if self.options.several { " and more" } else { "" };
            let mut title = String::new();
            match &self.options.title {
                Some(words) => clean_escaped(words, &mut title).map_err(unwritable)?,
                None => title = format!("{name}{more}"),
            }
            page::head(&title, &mut self.page);
            self.let_go()?;
        }
        self.summary.begin(&name, begin.format, begin.links);
        self.streams.clear();
        if self.options.several {
            self.entry("f", "n", name_of(begin.file));
        }
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.summary.record(record);
        self.add(record)
    }

    fn objects(&mut self, of: Dissection<'_>) -> io::Result<()> {
        for carried in of.tree.outcome.objects.iter().filter(|carried| carried.message.is_none()) {
            if carried.stream.is_some_and(|stream| !self.streams.contains(&stream)) {
                continue;
            }
            let used = self.written + self.records.len() + self.lists.len();
            let mut picture = String::new();
            if !block::picture(&carried.object, limits::HTML_PAGE.get().saturating_sub(used), &mut picture).map_err(unwritable)? {
                continue;
            }
            let (stream, protocol) = (carried.stream.map(|stream| stream.to_string()), carried.protocol.name);
            self.entry("o", "i", &format!("{protocol} {}: {}", stream.unwrap_or_default(), carried.object.name));
            self.records.pop();
            // Writing to a String does not fail.
            let _ = write!(self.records, ",\"O\":[{picture}]}}");
        }
        Ok(())
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn problem(&mut self, problem: &Problem<'_>) -> io::Result<()> {
        let mut text = String::new();
        clean(problem.text, &mut text).map_err(unwritable)?;
        self.summary.damage(&text);
        self.entry("x", "i", problem.text);
        Ok(())
    }

    fn end(&mut self, tally: &Tally, _: bool) -> io::Result<()> {
        self.summary.end(tally);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        // No page for an input that could not be read at all.
        if !self.begun {
            return Ok(());
        }
        self.block()?;
        let shortage = self.shortage();
        self.page.push_str("</main>\n");
        if let Some(shortage) = &shortage {
            let _ = writeln!(self.page, "<p id=\"shortage\" class=\"broken\">{shortage}</p>");
        }
        self.summary.write(&mut self.page).map_err(unwritable)?;
        page::tail(&mut self.page);
        self.let_go()?;
        self.to.flush()?;
        shortage.map_or(Ok(()), |shortage| Err(io::Error::new(io::ErrorKind::QuotaExceeded, Shortage(shortage))))
    }
}
