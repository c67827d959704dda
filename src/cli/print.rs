//! The run that everything else is for: inputs in, records out.

use super::args::Args;
use super::forms::Wrong;
use super::read::{self, Audience, How};
use super::select::Selection;
use super::source::Source;
use super::{Exit, complain, forms, of_output};
use crate::filter::Filter;
use crate::record::{Forgotten, Record, Tally, View};
use crate::registry::Registry;
use crate::sink::{Begin, Problem, Sink};
use crate::tree::{Dissection, Want};
use std::io::{self, BufWriter, Write};

/// Bytes of output that are put together while nobody waits for them.
pub(super) const BLOCK: usize = 64 << 10;

/// Print the records of all inputs.
pub(super) fn run(args: &Args) -> Exit {
    let sources = Source::all(&args.files, &args.reading);
    let stdout = io::stdout().lock();
    // Where input may still be growing, each record is handed on at once; standard output does that line by line.
    let waits = !sources.iter().all(Source::is_whole);
    let to: Box<dyn Write> = if waits { Box::new(stdout) } else { Box::new(BufWriter::with_capacity(BLOCK, stdout)) };
    let view = if args.output.packets { View::Packets } else { View::Messages };
    let prepared = How::new(&args.reading).and_then(|how| {
        Ok((how, filter(args)?, Selection::new(&args.output)?, forms::sink(&args.output, sources.len() > 1, to)?))
    });
    let (how, filter, selection, sink) = match prepared {
        Ok(prepared) => prepared,
        Err(wrong) => {
            complain(format_args!("{wrong}"));
            return Exit::Usage;
        }
    };
    let mut printer = Printer { sink, view, tally: Tally::new(view), filter, selection, printed: 0, past: false, broken: false };
    let mut worst = Exit::Fine;
    for source in &sources {
        match read::input(source, &how, &mut printer) {
            Ok(exit) => worst = worst.max(exit),
            Err(error) => return worst.max(of_output(&error)),
        }
    }
    if let Err(error) = printer.sink.finish() {
        return worst.max(of_output(&error));
    }
    if args.output.strict && printer.broken {
        worst = worst.max(Exit::Damaged);
    }
    if worst == Exit::Fine && args.output.exit_status && printer.printed == 0 {
        return Exit::Failed;
    }
    worst
}

/// What to print of everything; all of it if nobody said.
fn filter(args: &Args) -> Result<Option<Filter>, Wrong> {
    let parse = |text: &String| Filter::parse(text, Registry::default()).map_err(|mistake| format!("-Y: {mistake}"));
    args.output.filter.as_ref().map(parse).transpose()
}

/// Prints records, and remembers how it went.
struct Printer<'w> {
    sink: Box<dyn Sink + 'w>,
    view: View,
    /// What the input at hand had so far.
    tally: Tally,
    filter: Option<Filter>,
    selection: Selection,
    printed: u64,
    /// No record behind the last one of this input can be meant.
    past: bool,
    /// Messages were malformed, or bytes were missing.
    broken: bool,
}

/// Why records are no longer printed.
enum Stop {
    Enough,
    Output(io::Error),
}

impl Audience for Printer<'_> {
    fn want(&self) -> Want {
        self.sink.want().and(self.filter.as_ref().map_or(Want::LAYERS, Filter::want))
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.tally = Tally::new(self.view);
        self.past = false;
        self.sink.begin(begin)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let shown = self.tally.records(of, captured, |record| {
            let matches = self.filter.as_ref().is_none_or(|filter| filter.matches(&record));
            let number = match &record {
                Record::Message(message) => message.n,
                Record::Packet(packet) => packet.of.tree.frame.number,
                Record::Gap(_) if matches => return self.sink.record(&record).map_err(Stop::Output),
                Record::Gap(_) => return Ok(()),
            };
            if matches && self.selection.takes(number) {
                self.sink.record(&record).map_err(Stop::Output)?;
                self.printed += 1;
            }
            self.past = self.selection.is_past(number);
            if self.selection.has_enough() || self.past { Err(Stop::Enough) } else { Ok(()) }
        });
        match shown {
            Ok(()) | Err(Stop::Enough) => Ok(()),
            Err(Stop::Output(error)) => Err(error),
        }
    }

    fn has_enough(&self) -> bool {
        self.past || self.selection.has_enough()
    }

    fn forgotten(&mut self, forgotten: Forgotten) {
        self.tally.forgotten = forgotten;
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        if let Some(problem) = problem {
            self.sink.problem(problem)?;
        }
        self.broken |= self.tally.malformed + self.tally.gaps > 0;
        self.sink.end(&self.tally, problem.is_some())
    }
}
