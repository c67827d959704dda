//! The totals of a run, and its traffic over time.

use super::words::{BitRate, Exactly, Listed, Rate, Seconds, ShownTime};
use super::{Pages, Shown};
use crate::render::{Role, Thousands};
use crate::stats::Count;
use crate::stats::plot::plot;
use std::io;

/// Rows of the chart, and the width of its labels.
const ROWS: usize = 4;
const BESIDE: usize = 16;

/// Width of the chart if the output width is unknown.
const COLUMNS: usize = 80;

impl Pages<'_> {
    pub(super) fn overview(&mut self) -> io::Result<()> {
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

    pub(super) fn time(&mut self) -> io::Result<()> {
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
}
