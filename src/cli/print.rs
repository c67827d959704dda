//! The run that everything else is for: inputs in, records out.

use super::args::Args;
use super::chosen::Chosen;
use super::read::{self, Audience, How};
use super::screen::Screen;
use super::source::Source;
use super::{Exit, complain, forms, of_output};
use crate::engine::Judge;
use crate::record::Forgotten;
use crate::sink::{Begin, Problem, Sink};
use crate::tree::{Dissection, Want};
use std::io;

/// Print the records of all inputs.
pub(super) fn run(args: &Args, screen: Screen) -> Exit {
    let sources = Source::all(&args.files, &args.reading);
    let to = screen.writer(!sources.iter().all(Source::is_whole));
    let prepared = How::new(&args.reading)
        .and_then(|how| Ok((how, Chosen::new(&args.output)?, forms::sink(&args.output, sources.len() > 1, to)?)));
    let (how, chosen, sink) = match prepared {
        Ok(prepared) => prepared,
        Err(wrong) => {
            complain(format_args!("{wrong}"));
            return Exit::Usage;
        }
    };
    let mut printer = Printer { sink, chosen };
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
    printer.chosen.exit(worst, &args.output)
}

/// Prints records.
struct Printer<'w> {
    sink: Box<dyn Sink + 'w>,
    chosen: Chosen,
}

impl Audience for Printer<'_> {
    fn want(&self) -> Want {
        self.sink.want().and(self.chosen.want())
    }

    fn judge(&self) -> Option<Judge> {
        self.chosen.judge()
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.chosen.begin();
        self.sink.begin(begin)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.chosen.records(of, captured, |record| self.sink.record(record))
    }

    fn has_enough(&self) -> bool {
        self.chosen.has_enough()
    }

    fn forgotten(&mut self, forgotten: Forgotten) {
        self.chosen.forgotten(forgotten);
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        if let Some(problem) = problem {
            self.sink.problem(problem)?;
        }
        self.chosen.end();
        self.sink.end(self.chosen.tally(), problem.is_some())
    }
}
