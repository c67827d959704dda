//! Response times by command, as tshark's `smb2,srt` and `smb,srt`.

use crate::tree::{Demand, Field, Only, name_of};
use crate::wire::statistics::{Counted, Counter, Fact, Facts, Named, Page, Report, Seen, Statistic, Text, is_of, nanos};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Response times of SMB 1.
pub static SMB: Statistic = Statistic::new(["smb,srt", "smb_srt", "SMB response times by command"], |named| {
    Box::new(ResponseTimes::new(["SMB", "smb.cmd", "smb.time"], &[], named))
})
.of(&["smb"]);

/// Response times of SMB 2 and 3. tshark leaves out commands that the server answers on its own account.
pub static SMB2: Statistic = Statistic::new(["smb2,srt", "smb2_srt", "SMB 2 and 3 response times by command"], |named| {
    Box::new(ResponseTimes::new(["SMB2", "smb2.cmd", "smb2.time"], &[0x0c, 0x12], named))
})
.of(&["smb2"])
.words(&["smb2"]);

/// Response times of a command in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    calls: u64,
    least: u64,
    greatest: u64,
    sum: u64,
}

impl Times {
    fn add(&mut self, nanos: u64) {
        self.least = if self.calls == 0 { nanos } else { self.least.min(nanos) };
        self.greatest = self.greatest.max(nanos);
        self.sum = self.sum.saturating_add(nanos);
        self.calls += 1;
    }

    /// Minimum, maximum, average and sum.
    fn columns(&self) -> [u64; 4] {
        [self.least, self.greatest, self.sum / self.calls.max(1), self.sum]
    }
}

/// Response times of a protocol.
struct ResponseTimes {
    title: &'static str,
    left_out: &'static [u64],
    commands: Vec<&'static Field>,
    seconds: Vec<&'static Field>,
    times: BTreeMap<u64, Times>,
}

impl ResponseTimes {
    fn new([title, command, time]: [&'static str; 3], left_out: &'static [u64], named: Named<'_>) -> ResponseTimes {
        let [commands, seconds] = [command, time].map(named);
        ResponseTimes { title, left_out, commands, seconds, times: BTreeMap::new() }
    }

    fn name(&self, command: u64) -> &'static str {
        self.commands.first().and_then(|field| name_of(field.names, command)).unwrap_or("<unknown>")
    }
}

impl Counter for ResponseTimes {
    fn demand(&self) -> Demand {
        Demand::of_stream_fields(Only::these(self.commands.iter().chain(&self.seconds).copied()))
    }

    fn message(&mut self, message: Counted<'_>, _: Seen) {
        let mut command = None;
        for node in message.node.behind() {
            if is_of(&self.commands, node.field()) {
                command = node.number();
            } else if is_of(&self.seconds, node.field())
                && let (Some(command), Some(nanos)) = (command, nanos(node))
                && !self.left_out.contains(&command)
            {
                // A command has 16 bits at most.
                self.times.entry(command).or_default().add(nanos);
            }
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }
}

impl Text for ResponseTimes {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "\n===================================================================")?;
        writeln!(to, "{} SRT Statistics:\nFilter: {}", self.title, page.filter)?;
        writeln!(to, "Index  {:<22} Calls    Min SRT    Max SRT    Avg SRT    Sum SRT", "Commands")?;
        for (command, times) in &self.times {
            write!(to, "{command:5}  {:<22} {:6}", self.name(*command), times.calls)?;
            for nanos in times.columns() {
                let micros = nanos.saturating_add(500) / 1000;
                write!(to, " {:3}.{:06}", micros / 1_000_000, micros % 1_000_000)?;
            }
            writeln!(to)?;
        }
        writeln!(to, "==================================================================")
    }

    fn facts(&self) -> Facts<'_> {
        let commands = Fact::list(&self.times, |(command, times)| {
            let mut facts: Facts<'_> =
                vec![("index", (*command).into()), ("command", self.name(*command).into()), ("calls", times.calls.into())];
            let keys = ["least", "greatest", "average", "sum"];
            facts.extend(keys.into_iter().zip(times.columns().map(|nanos| Fact::Number(nanos as f64 / 1e9))));
            facts
        });
        vec![("commands", commands)]
    }
}
