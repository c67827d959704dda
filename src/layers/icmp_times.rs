//! Echo requests, replies and response times, as tshark's `icmp,srt`.

use super::icmp;
use crate::limits;
use crate::tree::{Carriers, Demand, Dissection, Field, Fields, NodeRef, Only, Value};
use crate::wire::statistics::{Counter, Fact, Facts, Named, Page, Report, Seen, Statistic, Text};
use std::io::{self, Write};

/// Echo requests and their replies.
pub static TIMES: Statistic =
    Statistic::new(["icmp,srt", "icmp_srt", "ICMP echo requests, replies and response times"], |named| {
        Box::new(Icmp::new(named))
    })
    .words(&["icmp", "ping"]);

/// Type of an echo request.
const REQUEST: u64 = 8;

/// Echo requests and their replies.
#[derive(Default)]
struct Icmp {
    fields: Vec<&'static Field>,
    requests: u64,
    replies: u64,
    sum: f64,
    /// Sum of the squared distances to the mean.
    squares: f64,
    /// Least and greatest time in milliseconds, with the frame of the reply.
    range: Option<[(f64, u64); 2]>,
    /// Times for the median.
    times: Vec<f64>,
}

impl Icmp {
    fn new(named: Named<'_>) -> Icmp {
        let fields = ["icmp.type", "icmp.resptime"].into_iter().flat_map(named).collect();
        Icmp { fields, ..Icmp::default() }
    }

    fn reply(&mut self, time: f64, frame: u64) {
        let mean = self.mean();
        self.replies += 1;
        self.sum += time;
        self.squares += (time - mean) * (time - self.mean());
        let [least, greatest] = self.range.get_or_insert([(time, frame); 2]);
        if time < least.0 {
            *least = (time, frame);
        }
        if time > greatest.0 {
            *greatest = (time, frame);
        }
        if limits::STATS_ROWS.exceeds(self.times.len()) {
            self.times.push(time);
        }
    }

    fn mean(&self) -> f64 {
        if self.replies == 0 { 0.0 } else { self.sum / self.replies as f64 }
    }

    fn deviation(&self) -> f64 {
        if self.replies < 2 { 0.0 } else { (self.squares / (self.replies - 1) as f64).sqrt() }
    }

    fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable_by(f64::total_cmp);
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        (at(times.len().saturating_sub(1) / 2) + at(times.len() / 2)) / 2.0
    }

    fn lost(&self) -> u64 {
        self.requests.saturating_sub(self.replies)
    }
}

impl Counter for Icmp {
    fn demand(&self) -> Demand {
        let only = Only::these(self.fields.iter().copied());
        Demand { carriers: Carriers::Full, fields: Fields::Only(only), named: Some(only), ..Demand::LAYERS }
    }

    fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        for layer in of.tree.own_layers().filter(|_| seen.captured) {
            let Some(message) = of.layer_node(layer).filter(|node| node.field().is(&icmp::ICMP)) else { continue };
            let find = |name: &str| message.behind().find(|node| node.field().abbrev == name);
            if find("icmp.type").and_then(NodeRef::number) == Some(REQUEST) {
                self.requests += 1;
            }
            if let Some(Value::Double(time)) = find("icmp.resptime").map(NodeRef::value) {
                self.reply(time, of.tree.frame.number);
            }
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }
}

impl Text for Icmp {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        const RULE: &str = "==========================================================================";
        let filter = if page.filter.is_empty() { "<none>" } else { page.filter };
        let [(least, first), (greatest, last)] = self.range.unwrap_or_default();
        let loss = 100.0 * self.lost() as f64 / self.requests.max(1) as f64;
        writeln!(to, "\n{RULE}\nICMP Service Response Time (SRT) Statistics (all times in ms):\nFilter: {filter}")?;
        writeln!(to, "\nRequests  Replies   Lost      % Loss")?;
        writeln!(to, "{:<10}{:<10}{:<10}{loss:5.1}%\n", self.requests, self.replies, self.lost())?;
        writeln!(to, "Minimum   Maximum   Mean      Median    SDeviation     Min Frame Max Frame")?;
        let (mean, median, deviation) = (self.mean(), self.median(), self.deviation());
        write!(to, "{least:<10.3}{greatest:<10.3}{mean:<10.3}{median:<10.3}{deviation:<10.3}     ")?;
        writeln!(to, "{first:<10}{last:<10}\n{RULE}")
    }

    fn facts(&self) -> Facts<'_> {
        let mut facts: Facts<'_> =
            vec![("requests", self.requests.into()), ("replies", self.replies.into()), ("lost", self.lost().into())];
        if let Some([(least, first), (greatest, last)]) = self.range {
            let numbers = [("least", least), ("greatest", greatest), ("mean", self.mean()), ("median", self.median())];
            let mut times: Facts<'_> = numbers.map(|(key, number)| (key, number.into())).into();
            times.extend([
                ("deviation", self.deviation().into()),
                ("least_frame", first.into()),
                ("greatest_frame", last.into()),
            ]);
            facts.push(("time_ms", Fact::Object(times)));
        }
        facts
    }
}
