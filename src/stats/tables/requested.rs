//! Tables of parts shown on request only.

use super::{Pages, Seconds, Shown, TableLook};
use crate::render::{Grid, Head, Role, Thousands};
use crate::stats::{Expert, Intervals, Severity};
use crate::wire::statistics::{Cell, ColumnKind, Columns, Topics};
use std::fmt;
use std::io::{self, Write};

/// Prints a tree of counts that tshark does not have.
pub(super) fn print_topics(topics: &Topics, look: TableLook, begun: bool, to: &mut dyn Write) -> io::Result<()> {
    const HEADS: &[Head] = &[
        Head::words("topic", Role::Name),
        Head::number("count"),
        Head::number("average"),
        Head::number("least"),
        Head::number("greatest"),
        Head::number("percent"),
    ];
    let listed = topics.in_order();
    let Some((_, _, root)) = listed.first() else { return Ok(()) };
    if begun {
        writeln!(to)?;
    }
    writeln!(to, "{}", look.theme.paint(Role::Number, Shown(&root.label)))?;
    let mut grid = Grid::new(to, look.theme, HEADS).within(look.width);
    for (depth, above, topic) in &listed {
        grid.cell(format_args!("{:indent$}{}", "", Shown(&topic.label), indent = 2 * depth))?.cell(Thousands(topic.count))?;
        match (topic.average(), topic.range()) {
            (Some(average), Some([least, greatest])) => grid.cell(format_args!("{average:.2}"))?.cell(least)?.cell(greatest)?,
            _ => grid.cell("")?.cell("")?.cell("")?,
        };
        match above {
            0 => grid.cell("")?,
            above => grid.cell(format_args!("{:.2}", 100.0 * topic.count as f64 / *above as f64))?,
        };
    }
    grid.end()?;
    match topics.left_out {
        0 => Ok(()),
        count => writeln!(to, "  omitted       {count}: too many entries"),
    }
}

impl Pages<'_> {
    pub(super) fn columns(&mut self, columns: &dyn Columns) -> io::Result<()> {
        let [title, none] = columns.title();
        self.heading(title)?;
        let mut rows = columns.rows().peekable();
        if rows.peek().is_none() {
            self.line("none", none)?;
        }
        let head = |(label, kind): &(&'static str, ColumnKind)| match kind {
            ColumnKind::Number => Head::number(label),
            ColumnKind::Name => Head::words(label, Role::Name),
            ColumnKind::Value => Head::words(label, Role::Value),
            ColumnKind::Problem => Head::words(label, Role::Broken),
        };
        let heads: Vec<Head> = columns.heads().iter().map(head).collect();
        let mut grid = Grid::new(self.to, self.look.theme, &heads).within(self.look.width);
        for cell in rows.flatten() {
            match cell {
                Cell::Text(text) => grid.cell(text)?,
                Cell::Count(count) => grid.cell(Thousands(count))?,
                Cell::Seconds(nanos) => grid.cell(Seconds(nanos.into()))?,
            };
        }
        grid.end()?;
        columns.left_out().map_or(Ok(()), |left_out| self.line("omitted", left_out))
    }

    pub(super) fn expert(&mut self, expert: &Expert) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::number("frequency"),
            Head::words("group", Role::Secondary),
            Head::words("protocol", Role::Name),
            Head::words("summary", Role::Value),
        ];
        let mut is_empty = true;
        for severity in Severity::ALL {
            let all: u64 = expert.of(severity).map(|alike| alike.count).sum();
            if all == 0 {
                continue;
            }
            is_empty = false;
            self.heading(format_args!("{} ({})", severity.heading(), Thousands(all)))?;
            let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
            for alike in expert.of(severity) {
                grid.cell(Thousands(alike.count))?.cell(alike.group)?.cell(alike.protocol)?.cell(Shown(&alike.summary))?;
            }
            grid.end()?;
        }
        if is_empty {
            self.heading("Expert information")?;
            self.line("none", "no expert information")?;
        }
        match expert.left_out {
            0 => Ok(()),
            count => self.line("omitted", format_args!("{count} items: too many distinct ones")),
        }
    }

    pub(super) fn intervals(&mut self, intervals: &Intervals) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::number("from s"),
            Head::number("column"),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("result"),
        ];
        self.heading("Frames and bytes over time, without empty intervals")?;
        match intervals.interval {
            0 => self.line("interval", "the whole capture")?,
            micros => self.line("interval", format_args!("{} s", Micros(micros)))?,
        }
        for (number, column) in (1..).zip(&intervals.columns) {
            let label = if column.label.is_empty() { "all frames" } else { &column.label };
            self.line(&format!("column {number}"), Shown(label))?;
        }
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for (start, cells) in intervals.rows() {
            for (number, (column, cell)) in (1..).zip(intervals.columns.iter().zip(cells)) {
                match number {
                    1 => grid.cell(Micros(start))?,
                    _ => grid.cell("")?,
                };
                grid.cell(number)?.cell(Thousands(cell.traffic.frames))?.cell(Thousands(cell.traffic.bytes))?;
                match column.function.as_ref().and_then(|(function, _)| cell.result(*function)) {
                    Some(result) => grid.cell(result)?,
                    None => grid.cell("")?,
                };
            }
        }
        grid.end()?;
        match intervals.left_out {
            0 => Ok(()),
            frames => self.line("omitted", format_args!("{frames} frames: too many intervals")),
        }
    }
}

/// Formats microseconds as seconds.
struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Seconds(i128::from(self.0) * 1000).fmt(f)
    }
}
