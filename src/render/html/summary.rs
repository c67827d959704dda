//! Summary of the records of the page: totals, a chart over time, and the protocol hierarchy.
//!
//! Memory is bounded: time intervals grow tenfold when there are too many, and protocols beyond the limit share one row.

use super::page::escaped;
use crate::record::{Record, Tally};
use crate::render::text::cut;
use crate::render::units::{Size, Thousands};
use crate::tree::clean;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};

/// Maximum number of intervals.
const INTERVALS: u64 = 2000;

/// Maximum number of bars in the chart.
const BARS: u64 = 60;

/// Shortest interval in nanoseconds.
const SHORTEST: u64 = 1_000_000;

/// Maximum number of protocol paths, and of message types per path.
const KINDS: usize = 1000;

/// Maximum width of a message type.
const NAME: usize = 60;

/// Label of all others.
const OTHERS: &str = "…";

/// Height and width of the chart in SVG units.
const HEIGHT: u64 = 120;
const WIDTH: u64 = 600;

/// Number of records and bytes.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    records: u64,
    bytes: u64,
}

impl Count {
    fn add(&mut self, bytes: u64) {
        self.records += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// An input of the page.
struct Input {
    name: String,
    format: String,
    links: String,
    damage: Option<String>,
    end: Option<[(&'static str, u64); 5]>,
}

/// Counts records.
pub struct Summary {
    inputs: Vec<Input>,
    /// Records per interval since the first frame of their input.
    times: BTreeMap<u64, Count>,
    /// Length of an interval in nanoseconds.
    interval: u64,
    /// Records by protocol path and message type.
    kinds: BTreeMap<(String, String), Count>,
    all: Count,
}

impl Summary {
    /// Creates an empty summary.
    pub fn new() -> Summary {
        Summary { inputs: Vec::new(), times: BTreeMap::new(), interval: SHORTEST, kinds: BTreeMap::new(), all: Count::default() }
    }

    /// Starts an input.
    pub fn begin(&mut self, name: &str, format: &str, links: &[&str]) {
        let [name, format, links] = [name, format, &links.join(", ")].map(str::to_owned);
        self.inputs.push(Input { name, format, links, damage: None, end: None });
    }

    /// Records damage of the current input.
    pub fn damage(&mut self, text: &str) {
        if let Some(input) = self.inputs.last_mut() {
            input.damage = Some(text.to_owned());
        }
    }

    /// Ends the current input.
    pub fn end(&mut self, tally: &Tally) {
        if let Some(input) = self.inputs.last_mut() {
            input.end = Some([
                ("frames", tally.frames),
                ("messages", tally.messages),
                ("malformed", tally.malformed),
                ("gaps", tally.gaps),
                ("undissected bytes", tally.undissected),
            ]);
        }
    }

    /// Counts a record.
    pub fn record(&mut self, record: &Record<'_>) {
        let (since, bytes, path, name) = match record {
            Record::Message(message) => {
                let bytes = message.node().map_or(0, |node| u64::from(node.span().len()));
                (message.times.since_start(), bytes, message.path().to_string(), message.name())
            }
            Record::Packet(packet) => {
                let path = packet.path().map(|path| path.to_string()).unwrap_or_default();
                (packet.times.since_start(), u64::from(packet.of.tree.frame.original), path, "")
            }
            Record::Late(late) => {
                let path = late.path().map(|path| path.to_string()).unwrap_or_default();
                (late.times.since_start(), late.length(), path, "")
            }
            Record::Gap(_) => return,
        };
        self.all.add(bytes);
        let mut kind = String::new();
        // Writing to a String does not fail.
        let _ = clean(name, &mut kind);
        cut(&mut kind, NAME);
        let key = (path, kind);
        let has_room = self.kinds.len() < KINDS || self.kinds.contains_key(&key);
        let key = if has_room { key } else { (OTHERS.to_owned(), String::new()) };
        self.kinds.entry(key).or_default().add(bytes);
        if let Some(since) = since {
            self.time(u64::try_from(since).unwrap_or(0), bytes);
        }
    }

    fn time(&mut self, nanos: u64, bytes: u64) {
        while nanos / self.interval >= INTERVALS {
            self.interval = self.interval.saturating_mul(10);
            for (place, count) in std::mem::take(&mut self.times) {
                let wider = self.times.entry(place / 10).or_default();
                wider.records += count.records;
                wider.bytes = wider.bytes.saturating_add(count.bytes);
            }
        }
        self.times.entry(nanos / self.interval).or_default().add(bytes);
    }

    /// Writes the section.
    pub fn write(&self, out: &mut String) -> fmt::Result {
        out.push_str("<section id=\"summary\">\n<h2>Summary</h2>\n");
        self.inputs.iter().try_for_each(|input| input.write(out))?;
        self.chart(out)?;
        self.hierarchy(out)?;
        out.push_str("</section>\n");
        Ok(())
    }

    /// Writes the chart of records over time.
    fn chart(&self, out: &mut String) -> fmt::Result {
        let Some(last) = self.times.last_key_value().map(|(place, _)| *place) else { return Ok(()) };
        // Each bar is 1, 2 or 5 times a power of ten wide.
        let steps = [1, 2, 5, 10, 20, 50, 100];
        let step = steps.into_iter().find(|step| last / step < BARS).unwrap_or(100);
        let mut bars = vec![Count::default(); usize::try_from(last / step + 1).unwrap_or(0)];
        for (place, count) in &self.times {
            if let Some(bar) = usize::try_from(place / step).ok().and_then(|place| bars.get_mut(place)) {
                bar.records += count.records;
                bar.bytes = bar.bytes.saturating_add(count.bytes);
            }
        }
        let most = bars.iter().map(|bar| bar.records).max().unwrap_or(1).max(1);
        let seconds = |bars: u64| Seconds(bars * step * self.interval);
        let count = bars.len() as u64;
        writeln!(
            out,
            "<figure><figcaption>Records in each {} s, at most {}</figcaption>\n<svg id=\"times\" class=\"chart\" viewBox=\"0 0 \
             {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Records over time\">",
            seconds(1),
            Thousands(most)
        )?;
        for (place, bar) in (0..).zip(&bars).filter(|(_, bar)| bar.records > 0) {
            // Nonzero counts have a visible bar.
            let height = (bar.records * HEIGHT / most).max(2);
            let (left, right) = (place * WIDTH / count, (place + 1) * WIDTH / count);
            let (from, to) = (seconds(place), seconds(place + 1));
            writeln!(
                out,
                "<rect data-from=\"{from}\" data-to=\"{to}\" x=\"{left}\" y=\"{}\" width=\"{}\" height=\"{height}\"><title>{from} to \
                 {to} s: {} records, {}</title></rect>",
                HEIGHT - height,
                (right - left).saturating_sub(1).max(1),
                Thousands(bar.records),
                Size(bar.bytes as f64)
            )?;
        }
        writeln!(out, "</svg>\n<p class=\"axis\"><span>0 s</span><span>{} s</span></p></figure>", seconds(count))
    }

    /// Writes the protocol hierarchy, with message types.
    fn hierarchy(&self, out: &mut String) -> fmt::Result {
        let mut rows: BTreeMap<Vec<&str>, Count> = BTreeMap::new();
        for ((path, name), count) in &self.kinds {
            let mut place: Vec<&str> = path.split(':').collect();
            for depth in 1..=place.len() {
                let row = rows.entry(place.get(..depth).unwrap_or_default().to_vec()).or_default();
                row.records += count.records;
                row.bytes = row.bytes.saturating_add(count.bytes);
            }
            if !name.is_empty() {
                place.push(name);
                *rows.entry(place).or_default() = *count;
            }
        }
        out.push_str(
            "<h3>Protocols</h3>\n<table><thead><tr><th scope=\"col\">protocol</th><th scope=\"col\">records</th><th \
             scope=\"col\">bytes</th><th scope=\"col\">share</th></tr></thead>\n<tbody>\n",
        );
        for (place, count) in &rows {
            let depth = place.len().saturating_sub(1);
            out.push_str("<tr><th scope=\"row\">");
            (0..depth).for_each(|_| out.push_str("<i></i>"));
            escaped(place.last().copied().unwrap_or_default(), out);
            let share = (count.records * 100).checked_div(self.all.records).unwrap_or(0);
            writeln!(
                out,
                "</th><td>{}</td><td>{}</td><td><svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" role=\"img\" \
                 aria-label=\"{share} %\"><rect width=\"{}\" height=\"8\"/></svg></td></tr>",
                Thousands(count.records),
                Thousands(count.bytes),
                share.max(1)
            )?;
        }
        out.push_str("</tbody></table>\n");
        Ok(())
    }
}

impl Input {
    fn write(&self, out: &mut String) -> fmt::Result {
        out.push_str("<p>");
        escaped(&self.name, out);
        for words in [&self.format, &self.links].into_iter().filter(|words| !words.is_empty()) {
            out.push_str(", ");
            escaped(words, out);
        }
        for (what, count) in self.end.iter().flatten().filter(|(what, count)| *count > 0 || *what == "frames") {
            write!(out, ", {} {what}", Thousands(*count))?;
        }
        out.push_str("</p>\n");
        if let Some(damage) = &self.damage {
            out.push_str("<p class=\"broken\">Damaged: ");
            escaped(damage, out);
            out.push_str("</p>\n");
        }
        Ok(())
    }
}

/// Formats nanoseconds as seconds, with as many digits as necessary.
struct Seconds(u64);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        match format!("{fraction:09}").trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            digits => write!(f, "{whole}.{digits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow_with_the_capture_and_no_record_is_lost() {
        let mut summary = Summary::new();
        for second in 0..50_000 {
            summary.time(second * 1_000_000_000, 1);
        }
        assert!(summary.times.len() <= 2000, "{}", summary.times.len());
        assert_eq!(summary.times.values().map(|count| count.records).sum::<u64>(), 50_000);
        let mut out = String::new();
        summary.chart(&mut out).unwrap();
        assert_eq!(out.matches("<rect").count(), 50);
        assert!(out.contains("Records in each 1000 s, at most 1,000"), "{out}");
    }

    #[test]
    fn seconds_have_the_digits_that_they_need() {
        assert_eq!(
            [0, 1_000_000_000, 1_500_000_000, 1_000].map(|nanos| Seconds(nanos).to_string()),
            ["0", "1", "1.5", "0.000001"]
        );
    }
}
