//! Response times by command, as tshark's `smb2,srt` and `smb,srt`.

use super::asked::{Counter, Page, Seen};
use crate::registry::Registry;
use crate::render::Members;
use crate::tree::{Demand, Dissection, Field, Fields, NodeRef, Only, Value, name_of};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// Protocols with response times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimedProtocol {
    /// SMB 1.
    Smb,
    /// SMB 2 and 3.
    Smb2,
}

impl TimedProtocol {
    /// Both.
    pub const ALL: [TimedProtocol; 2] = [TimedProtocol::Smb, TimedProtocol::Smb2];

    /// Filter name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TimedProtocol::Smb => "smb",
            TimedProtocol::Smb2 => "smb2",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            TimedProtocol::Smb => "SMB",
            TimedProtocol::Smb2 => "SMB2",
        }
    }

    /// Fields of the command and of the seconds since the request.
    const fn fields(self) -> [&'static str; 2] {
        match self {
            TimedProtocol::Smb => ["smb.cmd", "smb.time"],
            TimedProtocol::Smb2 => ["smb2.cmd", "smb2.time"],
        }
    }

    /// Commands that tshark leaves out: the server answers them on its own account.
    const fn left_out(self) -> &'static [u64] {
        match self {
            TimedProtocol::Smb => &[],
            TimedProtocol::Smb2 => &[0x0c, 0x12],
        }
    }
}

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
pub(super) struct ResponseTimes {
    of: TimedProtocol,
    layers: Vec<&'static Field>,
    commands: Vec<&'static Field>,
    seconds: Vec<&'static Field>,
    times: BTreeMap<u64, Times>,
}

impl ResponseTimes {
    pub(super) fn new(of: TimedProtocol, registry: Registry) -> ResponseTimes {
        let [command, time] = of.fields();
        let [layers, commands, seconds] = [of.name(), command, time].map(|name| registry.named(name));
        ResponseTimes { of, layers, commands, seconds, times: BTreeMap::new() }
    }

    fn message(&mut self, message: NodeRef<'_>) {
        let mut command = None;
        for node in message.behind() {
            if is_of(&self.commands, node.field()) {
                command = node.number();
            } else if is_of(&self.seconds, node.field())
                && let (Some(command), Some(nanos)) = (command, nanos(node))
                && !self.of.left_out().contains(&command)
            {
                // A command has 16 bits at most.
                self.times.entry(command).or_default().add(nanos);
            }
        }
    }

    fn name(&self, command: u64) -> &'static str {
        self.commands.first().and_then(|field| name_of(field.names, command)).unwrap_or("<unknown>")
    }
}

fn is_of(fields: &[&'static Field], field: &Field) -> bool {
    fields.iter().any(|one| one.is(field))
}

/// A number of seconds in nanoseconds.
pub(super) fn nanos(node: NodeRef<'_>) -> Option<u64> {
    let Value::Double(seconds) = node.value() else { return None };
    u64::try_from(Duration::try_from_secs_f64(seconds).ok()?.as_nanos()).ok()
}

impl Counter for ResponseTimes {
    fn key(&self) -> &'static str {
        match self.of {
            TimedProtocol::Smb => "smb_srt",
            TimedProtocol::Smb2 => "smb2_srt",
        }
    }

    fn demand(&self) -> Demand {
        let fields = Fields::Only(Only::these(self.commands.iter().chain(&self.seconds).copied()));
        Demand { fields, ..Demand::STREAM_BYTES }
    }

    fn tree(&mut self, of: Dissection<'_>, _: Seen) {
        for layer in &of.tree.layers {
            if let Some(message) = of.layer_node(layer).filter(|node| is_of(&self.layers, node.field())) {
                self.message(message);
            }
        }
    }

    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "\n===================================================================")?;
        writeln!(to, "{} SRT Statistics:\nFilter: {}", self.of.title(), page.filter)?;
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

    fn json(&self, of: &mut Members<'_, '_>) -> io::Result<()> {
        of.list("commands", &self.times, |of, (command, times)| {
            of.put("index", command)?;
            of.put("command", self.name(*command))?;
            of.put("calls", &times.calls)?;
            let keys = ["least", "greatest", "average", "sum"];
            keys.iter().zip(times.columns()).try_for_each(|(key, nanos)| of.put(key, &(nanos as f64 / 1e9)))
        })
    }
}
