//! Tables of parts shown on request only.

use super::{Pages, Seconds, Shown};
use crate::render::{Grid, Head, Role, Thousands};
use crate::stats::asked::Page;
use crate::stats::topics::Topics;
use crate::stats::{Expert, Hosts, Intervals, Severity, Spread, Streams};
use std::fmt;
use std::io::{self, Write};

/// Prints a tree of counts that tshark does not have.
///
/// # Errors
/// Write errors.
pub(in crate::stats) fn print_topics(topics: &Topics, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
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
    if page.begun {
        writeln!(to)?;
    }
    writeln!(to, "{}", page.theme.paint(Role::Number, Shown(&root.label)))?;
    let mut grid = Grid::new(to, page.theme, HEADS).within(page.width);
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
    pub(super) fn hosts(&mut self, hosts: &Hosts) -> io::Result<()> {
        let file = Shown(&self.stats.input.file).to_string();
        if std::mem::replace(&mut self.begun, true) {
            self.to.write_all(b"\n")?;
        }
        // The format of /etc/hosts, for other programs.
        writeln!(self.to, "# Addresses and their names, as answers of DNS in {file} give them\n")?;
        for (address, named) in hosts.in_order() {
            writeln!(self.to, "{address}\t{}", Shown(&named.name))?;
        }
        match hosts.left_out {
            0 => Ok(()),
            count => writeln!(self.to, "\n# {count} answers about more addresses are left out"),
        }
    }

    pub(super) fn rtp(&mut self, streams: &Streams) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::number("start s"),
            Head::number("end s"),
            Head::words("source", Role::Name),
            Head::words("destination", Role::Name),
            Head::number("SSRC"),
            Head::words("payload", Role::Value),
            Head::number("packets"),
            Head::number("lost"),
            Head::number("min delta ms"),
            Head::number("mean"),
            Head::number("max"),
            Head::number("min jitter ms"),
            Head::number("mean"),
            Head::number("max"),
            Head::words("problems", Role::Broken),
        ];
        self.heading("RTP streams")?;
        if streams.in_order().is_empty() {
            self.line("none", "no RTP; without SDP, use -d udp.port==PORT,rtp")?;
        }
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for stream in streams.in_order() {
            let ([start, end], [src, dst]) = (stream.times, stream.ends);
            grid.cell(Seconds(start.into()))?.cell(Seconds(end.into()))?.cell(src)?.cell(dst)?;
            grid.cell(format_args!("0x{:08x}", stream.ssrc))?
                .cell(stream.payloads.join(", "))?
                .cell(Thousands(stream.packets))?;
            let (lost, expected) = (stream.lost(), stream.expected());
            grid.cell(format_args!("{lost} ({:.1}%)", 100.0 * lost as f64 / expected as f64))?;
            for spread in [stream.delta, stream.jitter] {
                match spread {
                    Some(Spread { least, mean, greatest }) => {
                        for number in [least, mean, greatest] {
                            grid.cell(format_args!("{number:.3}"))?;
                        }
                    }
                    None => drop(grid.cell("")?.cell("")?.cell("")?),
                }
            }
            grid.cell(if stream.misordered > 0 { "sequence" } else { "" })?;
        }
        grid.end()?;
        match streams.left_out {
            0 => Ok(()),
            count => self.line("omitted", format_args!("{count} packets of more streams")),
        }
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
