//! The run that everything else is for: inputs in, records out.

use super::args::Args;
use super::read::{self, Audience, How};
use super::source::Source;
use super::{Exit, complain, forms, of_output};
use crate::record::{Record, Tally, View};
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
    let prepared = How::new(&args.reading).and_then(|how| Ok((how, forms::sink(&args.output, sources.len() > 1, to)?)));
    let (how, sink) = match prepared {
        Ok(prepared) => prepared,
        Err(wrong) => {
            complain(format_args!("{wrong}"));
            return Exit::Usage;
        }
    };
    let mut printer = Printer { sink, view, tally: Tally::new(view), left: args.output.count, printed: 0, broken: false };
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

/// Prints records, and remembers how it went.
struct Printer<'w> {
    sink: Box<dyn Sink + 'w>,
    view: View,
    /// What the input at hand had so far.
    tally: Tally,
    /// Records that may still be printed.
    left: Option<u64>,
    printed: u64,
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
        self.sink.want()
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.tally = Tally::new(self.view);
        self.sink.begin(begin)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let shown = self.tally.records(of, captured, |record| {
            self.sink.record(&record).map_err(Stop::Output)?;
            if matches!(record, Record::Gap(_)) {
                return Ok(());
            }
            self.printed += 1;
            match &mut self.left {
                Some(left) => {
                    *left -= 1;
                    if *left == 0 { Err(Stop::Enough) } else { Ok(()) }
                }
                None => Ok(()),
            }
        });
        match shown {
            Ok(()) | Err(Stop::Enough) => Ok(()),
            Err(Stop::Output(error)) => Err(error),
        }
    }

    fn has_enough(&self) -> bool {
        self.left == Some(0)
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        if let Some(problem) = problem {
            self.sink.problem(problem)?;
        }
        self.broken |= self.tally.malformed + self.tally.gaps > 0;
        self.sink.end(&self.tally, problem.is_some())
    }
}
