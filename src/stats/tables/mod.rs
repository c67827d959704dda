//! Statistics as tables.

mod conversations;
mod coverage;
mod overview;
mod phs;
mod requested;
mod tree;
mod words;

pub(super) use crate::wire::statistics::Clean as Shown;

use super::hierarchy::commonest;
use super::requested::{Declared, Requested};
use super::{Part, Stats};
use crate::record::Evictions;
use crate::render::{Grid, Head, Role, Theme, Thousands, fold_painted};
use crate::wire::statistics::{Page, Report, Takes};
use std::fmt;
use std::io::{self, Write};
use tree::{Tree, print_tree};
use words::{Maybe, Nonzero, Rate, Seconds};

/// Maximum rows of a list if all parts are printed.
const FEW: usize = 10;

/// Width of labels, and indentation of continuation lines.
const LABEL: usize = 12;
const BEHIND_LABEL: &str = "                ";

/// Format of tables.
#[derive(Debug, Clone, Copy)]
pub struct TableLook {
    /// Colours.
    pub theme: Theme,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
    /// Print complete lists.
    pub all: bool,
}

/// Prints the requested parts.
pub fn print_tables(stats: &Stats, look: TableLook, to: &mut dyn Write) -> io::Result<()> {
    let mut pages = Pages { stats, look, to, begun: false };
    for part in &stats.parts {
        match part {
            Part::Overview => pages.overview()?,
            Part::Time => pages.time()?,
            Part::Hierarchy => pages.hierarchy()?,
            Part::Conversations(layer) => stats.conversations_of(*layer).map_or(Ok(()), |table| pages.conversations(table))?,
            Part::Endpoints(layer) => stats.conversations_of(*layer).map_or(Ok(()), |table| pages.endpoints(table))?,
            Part::Transfers => pages.transfers()?,
            Part::Health => pages.health()?,
            Part::Coverage => pages.coverage()?,
            Part::Phs => {
                pages.begun = true;
                phs::print(&stats.hierarchy, stats.filter_of(Part::Hierarchy), pages.look.width, pages.to)?;
            }
            part => match stats.requested(*part) {
                Some(Requested::Declared(declared)) => pages.declared(declared)?,
                Some(Requested::Expert(expert)) => pages.expert(expert)?,
                Some(Requested::Intervals(intervals)) => pages.intervals(intervals)?,
                None => {}
            },
        }
    }
    pages.to.flush()
}

struct Pages<'a> {
    stats: &'a Stats,
    look: TableLook,
    to: &'a mut dyn Write,
    begun: bool,
}

impl Pages<'_> {
    fn declared(&mut self, declared: &Declared) -> io::Result<()> {
        let filter = declared.filter();
        match declared.counter.report() {
            Report::Columns(columns) => self.columns(columns),
            Report::Topics(topics) => {
                let begun = std::mem::replace(&mut self.begun, true);
                self.wrapped(|look, to| requested::print_topics(topics, look, begun, to))
            }
            Report::Tree(title, topics) => {
                self.begun = true;
                self.wrapped(|look, to| print_tree(&Tree { title, topics }, look.width, to))
            }
            Report::Text(text) => {
                let begun = std::mem::replace(&mut self.begun, true);
                let file = &self.stats.input.file;
                let page = Page { file, filter, width: self.look.width, begun };
                match declared.statistic.takes {
                    Takes::Filter => self.wrapped(|_, to| text.print(&page, to)),
                    // Its lines are those of a file.
                    Takes::Families | Takes::Nothing => text.print(&page, self.to),
                }
            }
        }
    }

    /// Prints a table of fixed width. On a terminal that is narrower than a table of tshark, its lines are wrapped.
    fn wrapped(&mut self, print: impl FnOnce(TableLook, &mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let Some(width) = self.look.width else { return print(self.look, self.to) };
        let mut table = Vec::new();
        print(self.look, &mut table)?;
        for line in String::from_utf8_lossy(&table).lines() {
            let is_rule = !line.is_empty() && line.bytes().all(|byte| byte == b'=' || byte == b'-');
            self.folded(if is_rule { line.get(..width).unwrap_or(line) } else { line }, "  ")?;
        }
        Ok(())
    }

    fn heading(&mut self, words: impl fmt::Display) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            self.to.write_all(b"\n")?;
        }
        let words = self.look.theme.paint(Role::Number, words).to_string();
        self.folded(&words, "")
    }

    fn line(&mut self, label: &str, words: impl fmt::Display) -> io::Result<()> {
        let line = format!("  {}  {words}", self.look.theme.paint(Role::Name, format_args!("{label:<LABEL$}")));
        self.folded(&line, BEHIND_LABEL)
    }

    /// Wraps a line, with `before` as the prefix of continuation lines.
    fn folded(&mut self, line: &str, before: &str) -> io::Result<()> {
        let mut out = String::new();
        match self.look.width {
            Some(width) => fold_painted(line, width, before, &mut out),
            None => out.push_str(line),
        }
        out.push('\n');
        self.to.write_all(out.as_bytes())
    }

    /// Number of rows to print.
    fn rows(&self, all: usize) -> usize {
        if self.look.all { all } else { all.min(FEW) }
    }

    fn rest(&mut self, all: usize) -> io::Result<()> {
        match all - self.rows(all) {
            0 => Ok(()),
            rest => {
                writeln!(
                    self.to,
                    "  {}",
                    self.look.theme.paint(Role::Secondary, format_args!("… {} more (-V shows all)", Thousands(rest)))
                )
            }
        }
    }

    fn hierarchy(&mut self) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("protocol", Role::Protocol),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("messages"),
            Head::number("message bytes"),
        ];
        self.heading("Protocol hierarchy")?;
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for (_, place) in self.stats.hierarchy.in_order() {
            let indent = 2 * place.depth;
            grid.cell(format_args!("{:indent$}{}", "", place.protocol.abbrev))?
                .cell(Thousands(place.count.frames))?
                .cell(Thousands(place.count.bytes))?;
            grid.cell(Nonzero(place.messages.frames))?.cell(Nonzero(place.messages.bytes))?;
            for (name, count) in commonest(&place.names) {
                grid.cell(format_args!("{:indent$}  · {name}", ""))?
                    .cell("")?
                    .cell("")?
                    .cell(Thousands(count.frames))?
                    .cell(Thousands(count.bytes))?;
            }
        }
        grid.end()
    }

    fn transfers(&mut self) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("protocol", Role::Protocol),
            Head::words("object", Role::Meaning),
            Head::number("count"),
            Head::number("bytes"),
            Head::number("busy s"),
            Head::number("rate"),
            Head::number("slowest s"),
            Head::number("frame"),
        ];
        let kinds = self.stats.transfers.kinds();
        if kinds.is_empty() && self.stats.parts.len() > 1 {
            return Ok(());
        }
        self.heading("Transfers, from request to last byte")?;
        if kinds.is_empty() {
            return self.line("none", "no completed transfers");
        }
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for came in kinds {
            grid.cell(came.protocol.abbrev)?.cell(came.what)?.cell(Thousands(came.count))?.cell(Thousands(came.bytes))?;
            grid.cell(Maybe(came.busy().map(Seconds)))?.cell(Maybe(came.rate().map(Rate)))?;
            let (slowest, frame) = came.slowest.unzip();
            grid.cell(Maybe(slowest.map(Seconds)))?.cell(Maybe(frame))?;
        }
        grid.end()
    }

    fn health(&mut self) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("level", Role::Secondary),
            Head::words("code", Role::Name),
            Head::words("note", Role::Meaning),
            Head::number("count"),
            Head::number("first frame"),
        ];
        let (health, tally) = (&self.stats.health, &self.stats.tally);
        self.heading("Health")?;
        self.line("gaps", format_args!("{}, {} bytes missing", Thousands(health.gaps), Thousands(health.lost)))?;
        self.line("malformed", format_args!("{} of {} messages", Thousands(tally.malformed), Thousands(tally.messages)))?;
        self.line("truncated", Thousands(self.stats.traffic.cut))?;
        let Evictions { conversations, states } = tally.evictions;
        if conversations + states > 0 {
            let words = format_args!(
                "{conversations} conversations and {states} protocol states, to bound memory; later messages may lack detail"
            );
            self.line("evicted", words)?;
        }
        let notes = health.notes();
        if notes.is_empty() {
            return Ok(());
        }
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for note in notes {
            grid.cell(note.level.word())?
                .cell(note.code.abbrev)?
                .cell(note.code.about)?
                .cell(Thousands(note.count))?
                .cell(note.first)?;
        }
        grid.end()
    }
}
