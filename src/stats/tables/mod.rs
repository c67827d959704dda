//! Statistics as tables.

mod phs;
mod requested;
mod tree;

pub(super) use crate::wire::statistics::Clean as Shown;

use super::hierarchy::commonest;
use super::plot::plot;
use super::requested::{Declared, Requested};
use tree::{Tree, print_tree};

use super::{Conversation, Conversations, Count, Covered, Part, Stats};
use crate::record::Evictions;
use crate::render::{Grid, Head, Rfc3339, Role, Size, Theme, Thousands, fold_painted, seconds};
use crate::tree::{Level, Timestamp};
use crate::wire::statistics::{Page, Report, Takes};
use std::fmt;
use std::io::{self, Write};

/// Maximum rows of a list if all parts are printed.
const FEW: usize = 10;

/// Maximum number of unknown values.
const VALUES: usize = 10;

/// Rows of the chart, and the width of its labels.
const ROWS: usize = 4;
const BESIDE: usize = 16;

/// Width of labels, and indentation of continuation lines.
const LABEL: usize = 12;
const BEHIND_LABEL: &str = "                ";

/// Width from which both directions of a conversation are in one row.
const SIDE_BY_SIDE: usize = 130;

/// Width of the chart if the output width is unknown.
const COLUMNS: usize = 80;

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
///
/// # Errors
/// Write errors.
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

    fn overview(&mut self) -> io::Result<()> {
        let (input, traffic, tally) = (&self.stats.input, &self.stats.traffic, &self.stats.tally);
        self.heading("Overview")?;
        self.line("file", format_args!("{}", Shown(&input.file)))?;
        if let Some((filter, all)) = &self.stats.filter {
            self.line("filter", format_args!("{} of {all} frames match {}", traffic.all.frames, Shown(filter)))?;
        }
        self.line("format", format_args!("{}{}", input.format, Listed(&input.links)))?;
        for (what, count) in &input.extras {
            self.line("other blocks", format_args!("{} × {}", Thousands(*count), Shown(what)))?;
        }
        let Count { frames, bytes } = traffic.all;
        self.line("frames", format_args!("{} ({} truncated by the capture)", Thousands(frames), Thousands(traffic.cut)))?;
        match traffic.captured {
            captured if captured == bytes => self.line("bytes", format_args!("{}, all captured", Exactly(bytes)))?,
            captured => self.line("bytes", format_args!("{}, captured {}", Exactly(bytes), Exactly(captured)))?,
        }
        if let Some((least, most)) = traffic.sizes {
            let mean = bytes as f64 / frames.max(1) as f64;
            self.line("frame size", format_args!("{} to {} bytes, {mean:.1} on average", Thousands(least), Thousands(most)))?;
        }
        self.line("messages", Thousands(tally.messages))?;
        if let (Some(first), Some(last)) = (traffic.first, traffic.last) {
            self.line("first", ShownTime(first))?;
            self.line("last", ShownTime(last))?;
        }
        if let Some(duration) = traffic.duration() {
            self.line("duration", format_args!("{} s", Seconds(duration)))?;
            let seconds = duration as f64 / 1e9;
            if seconds > 0.0 {
                let per = |count: u64| count as f64 / seconds;
                self.line(
                    "rates",
                    format_args!("{:.1} frames/s, {}, {}", per(frames), Rate(per(bytes)), BitRate(8.0 * per(bytes))),
                )?;
            }
        }
        match &input.damage {
            Some(damage) => {
                let damage = self.look.theme.paint(Role::Broken, Shown(damage)).to_string();
                self.line("damage", damage)
            }
            None => Ok(()),
        }
    }

    fn time(&mut self) -> io::Result<()> {
        let columns = self.look.width.unwrap_or(COLUMNS).saturating_sub(BESIDE).max(1);
        let (counts, interval) = self.stats.traffic.in_intervals(columns);
        if counts.is_empty() {
            self.heading("Over time")?;
            return self.line("none", "no timestamps");
        }
        self.heading(format_args!("Over time, {} s per column", Seconds(interval)))?;
        for (label, of) in [("packets", (|count| count.frames) as fn(&Count) -> u64), ("bytes", |count| count.bytes)] {
            let numbers: Vec<u64> = counts.iter().map(of).collect();
            let most = Thousands(numbers.iter().max().copied().unwrap_or_default()).to_string();
            for (row, blocks) in plot(&numbers, ROWS).iter().enumerate() {
                let beside = match row {
                    0 => most.as_str(),
                    _ if row + 1 == ROWS => label,
                    _ => "",
                };
                let blocks = self.look.theme.paint(Role::Value, blocks.trim_end());
                writeln!(self.to, "  {} │{blocks}", self.look.theme.paint(Role::Name, format_args!("{beside:>11}")))?;
            }
        }
        match self.stats.traffic.early {
            0 => Ok(()),
            early => self
                .folded(&format!("  {early} frames with a time before the first frame are counted in the first column"), "    "),
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

    fn conversations(&mut self, table: &Conversations) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("stream", Role::Name),
            Head::words("A", Role::Address),
            Head::words("B", Role::Address),
            Head::number("A→B frames"),
            Head::number("bytes"),
            Head::number("B→A frames"),
            Head::number("bytes"),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("start"),
            Head::number("duration"),
        ];
        if table.is_empty() && self.stats.parts.len() > 1 {
            return Ok(());
        }
        self.heading(format_args!("{} conversations: {}", table.layer.label(), Thousands(table.len())))?;
        let rows = self.rows(table.len());
        if self.look.width.is_some_and(|width| width < SIDE_BY_SIDE) {
            self.stacked_conversations(table, rows)?;
            self.rest(table.len())?;
            return self.left_out(table);
        }
        let has_numbers = table.layer.has_numbers();
        let heads = if has_numbers { HEADS } else { HEADS.get(1..).unwrap_or_default() };
        let mut grid = Grid::new(self.to, self.look.theme, heads).within(self.look.width);
        for conversation in table.largest(rows) {
            let (Conversation { ends: [a, b], sent: [sent, answered], .. }, all) = (conversation, conversation.all());
            match conversation.stream {
                Some(number) if has_numbers => drop(grid.cell(format_args!("{}/{number}", table.layer.layer()))?),
                None if has_numbers => drop(grid.cell("")?),
                _ => {}
            }
            grid.cell(a)?.cell(b)?;
            for count in [sent, answered, all] {
                grid.cell(Thousands(count.frames))?.cell(Thousands(count.bytes))?;
            }
            match conversation.times() {
                Some((first, last)) => grid.cell(Seconds(first.into()))?.cell(Seconds(i128::from(last) - i128::from(first)))?,
                None => grid.cell("")?.cell("")?,
            };
        }
        grid.end()?;
        self.rest(table.len())?;
        self.left_out(table)
    }

    /// Prints conversations in narrow output: one line per direction and one for both.
    fn stacked_conversations(&mut self, table: &Conversations, rows: usize) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("A, B, stream", Role::Address),
            Head::words("", Role::Secondary),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("start"),
            Head::number("duration"),
        ];
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for conversation in table.largest(rows) {
            let (Conversation { ends: [a, b], sent: [sent, answered], .. }, all) = (conversation, conversation.all());
            grid.cell(a)?.cell("A→B")?.cell(Thousands(sent.frames))?.cell(Thousands(sent.bytes))?;
            match conversation.times() {
                Some((first, last)) => grid.cell(Seconds(first.into()))?.cell(Seconds(i128::from(last) - i128::from(first)))?,
                None => grid.cell("")?.cell("")?,
            };
            grid.cell(b)?.cell("B→A")?.cell(Thousands(answered.frames))?.cell(Thousands(answered.bytes))?.cell("")?.cell("")?;
            match conversation.stream {
                Some(number) if table.layer.has_numbers() => grid.cell(format_args!("{}/{number}", table.layer.layer()))?,
                _ => grid.cell("")?,
            };
            grid.cell("both")?.cell(Thousands(all.frames))?.cell(Thousands(all.bytes))?.cell("")?.cell("")?;
        }
        grid.end()
    }

    fn endpoints(&mut self, table: &Conversations) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("endpoint", Role::Address),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("sent"),
            Head::number("bytes"),
            Head::number("received"),
            Head::number("bytes"),
        ];
        if table.is_empty() && self.stats.parts.len() > 1 {
            return Ok(());
        }
        let endpoints = table.endpoints();
        self.heading(format_args!("{} endpoints: {}", table.layer.label(), Thousands(endpoints.len())))?;
        let rows = self.rows(endpoints.len());
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for (end, shares) in endpoints.largest(rows) {
            let (sent, got) = (shares.sent, shares.got);
            let all = Count { frames: sent.frames + got.frames, bytes: sent.bytes + got.bytes };
            grid.cell(end)?;
            for count in [all, sent, got] {
                grid.cell(Thousands(count.frames))?.cell(Thousands(count.bytes))?;
            }
        }
        grid.end()?;
        self.rest(endpoints.len())?;
        self.left_out(table)
    }

    fn left_out(&mut self, table: &Conversations) -> io::Result<()> {
        let Count { frames, bytes } = table.left_out;
        match frames {
            0 => Ok(()),
            _ => {
                let (frames, bytes) = (Thousands(frames), Thousands(bytes));
                let line = format!("  … and {frames} frames, {bytes} bytes of conversations beyond the limit");
                self.folded(&line, "    ")
            }
        }
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
            match came.busy() {
                Some(busy) => grid.cell(Seconds(busy))?,
                None => grid.cell("")?,
            };
            match came.rate() {
                Some(rate) => grid.cell(Rate(rate))?,
                None => grid.cell("")?,
            };
            match came.slowest {
                Some((slowest, frame)) => grid.cell(Seconds(slowest))?.cell(frame)?,
                None => grid.cell("")?.cell("")?,
            };
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
            grid.cell(Word(note.level))?
                .cell(note.code.abbrev)?
                .cell(note.code.about)?
                .cell(Thousands(note.count))?
                .cell(note.first)?;
        }
        grid.end()
    }

    fn coverage(&mut self) -> io::Result<()> {
        const FIRST: [Head; 3] = [Head::words("protocol", Role::Protocol), Head::number("messages"), Head::number("explained")];
        const UNKNOWN: &[Head] = &[
            Head::words("unknown value of", Role::Name),
            Head::number("value"),
            Head::number("count"),
            Head::number("first frame"),
        ];
        let coverage = &self.stats.coverage;
        self.heading("Coverage of messages, in bytes")?;
        let rest: Vec<Rest> = REST.iter().copied().filter(|(_, bytes)| bytes(&coverage.all()) > 0).collect();
        let heads: Vec<Head> = FIRST
            .into_iter()
            .chain(rest.iter().map(|(name, _)| Head::number(name)))
            .chain([Head::number("explained %")])
            .collect();
        let mut grid = Grid::new(self.to, self.look.theme, &heads).within(self.look.width);
        for protocols in coverage.protocols() {
            grid.cell(protocols.protocol.abbrev)?;
            covered(&mut grid, protocols.all, &rest)?;
            for (name, by_name) in protocols.by_name() {
                grid.cell(format_args!("  · {name}"))?;
                covered(&mut grid, by_name, &rest)?;
            }
        }
        grid.cell("all")?;
        covered(&mut grid, coverage.all(), &rest)?;
        grid.end()?;
        let unknown = coverage.unknown(VALUES);
        if unknown.is_empty() {
            return Ok(());
        }
        let mut grid = Grid::new(self.to, self.look.theme, UNKNOWN).within(self.look.width);
        for value in unknown {
            grid.cell(value.field)?;
            match value.digits {
                0 => grid.cell(value.value)?,
                digits => grid.cell(format_args!("0x{:0width$x}", value.value, width = usize::from(digits)))?,
            };
            grid.cell(Thousands(value.count))?.cell(value.first)?;
        }
        grid.end()
    }
}

fn covered(grid: &mut Grid<'_>, covered: Covered, rest: &[Rest]) -> io::Result<()> {
    grid.cell(Thousands(covered.messages))?.cell(Thousands(covered.explained))?;
    for (_, bytes) in rest {
        grid.cell(Nonzero(bytes(&covered)))?;
    }
    let all = covered.explained + REST.iter().map(|(_, bytes)| bytes(&covered)).sum::<u64>();
    if all == 0 { grid.cell("") } else { grid.cell(format_args!("{:.1}", 100.0 * covered.explained as f64 / all as f64)) }
        .map(drop)
}

/// Column of unexplained bytes: name and value. Empty columns are omitted.
type Rest = (&'static str, fn(&Covered) -> u64);

const REST: &[Rest] = &[
    ("encrypted", |covered| covered.encrypted),
    ("bodies", |covered| covered.bodies),
    ("unexplained", |covered| covered.unexplained),
    ("unframed", |covered| covered.unframed),
];

/// Formats a number, empty for 0.
struct Nonzero(u64);

impl fmt::Display for Nonzero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { Thousands(self.0).fmt(f) }
    }
}

/// Formats a number of bytes, exact and with unit.
struct Exactly(u64);

impl fmt::Display for Exactly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Thousands(self.0))?;
        if self.0 < 1024 { Ok(()) } else { write!(f, " ({})", Size(self.0 as f64)) }
    }
}

/// Formats bytes per second.
struct Rate(f64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", Size(self.0))
    }
}

/// Formats bits per second, with decimal units.
struct BitRate(f64);

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            few @ ..1e3 => write!(f, "{few:.0} bit/s"),
            some @ ..1e6 => write!(f, "{:.1} kbit/s", some / 1e3),
            many => write!(f, "{:.1} Mbit/s", many / 1e6),
        }
    }
}

struct Word(Level);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.word())
    }
}

/// Formats nanoseconds as seconds.
struct Seconds(i128);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        seconds(self.0, 6, f)
    }
}

/// Formats a time.
struct ShownTime(Timestamp);

impl fmt::Display for ShownTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Rfc3339::of(self.0) {
            Some(time) => time.fmt(f),
            None => write!(f, "{} s since 1970", Seconds(self.0.since(Timestamp { seconds: 0, nanos: 0 }))),
        }
    }
}

/// Formats a list of names.
struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|name| write!(f, ", {name}"))
    }
}
