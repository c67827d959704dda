//! Several inputs at the same time, each read, dissected and printed by one of a few threads.
//!
//! Output and problems appear in the order of the inputs. The output of later inputs is queued; a full queue blocks the
//! threads that fill it. The first unfinished input writes directly.

#[cfg(test)]
mod tests;

use super::ordered::{Lane, LaneMessage, LaneReceiver, Out, OutputBudget};
use super::{Chunk, ChunkPrinter};
use crate::cli::audience::Audience;
use crate::cli::forms::Plan;
use crate::cli::input::{self, InputSettings};
use crate::cli::outcome::Outcome;
use crate::cli::print_error;
use crate::cli::printer::Printer;
use crate::cli::progress::TotalProgress;
use crate::cli::record_selection::RecordSelection;
use crate::cli::shared::Shared;
use crate::cli::source::Source;
use crate::engine::Prefilter;
use crate::record::{Evictions, Tally};
use crate::sink::{Begin, Problem};
use crate::tree::{Demand, Dissection};
use std::fmt;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Bytes of queued output for each thread.
const WAITING: usize = 4 << 20;

/// Number of inputs to read at the same time.
pub(in crate::cli) fn readers(sources: &[Source], threads: usize) -> usize {
    let files = sources.iter().filter(|source| source.size().is_some()).count();
    if sources.iter().all(Source::is_complete) { threads.min(files).max(1) } else { 1 }
}

/// Prints the selected records of the inputs, with a thread for each of `selection`.
pub(in crate::cli) fn run(
    sources: &[Source],
    settings: &InputSettings,
    plan: &Plan,
    selection: Vec<RecordSelection>,
    to: Box<dyn Write + Send>,
    outcome: &mut Outcome,
) -> io::Result<()> {
    let to = Mutex::new(to);
    let out = Out(&to);
    let budget = OutputBudget::new(selection.len() * WAITING, settings.threads().saturating_sub(selection.len()));
    let name = format!("{} files", sources.len());
    let whole = TotalProgress::new(name, Some(sources.iter().filter_map(Source::size).sum()));
    let (lanes, in_order) = channel();
    let queue = Arc::new(Mutex::new(Queue { next: 0, sources, lanes, out }));
    thread::scope(|scope| {
        // Wakes waiting threads, however this scope ends.
        let _closing = budget.closing();
        for selection in selection {
            let (budget, whole, queue) = (&budget, Arc::clone(&whole), Arc::clone(&queue));
            scope.spawn(move || FileReader { budget, settings, plan, whole, queue }.run(selection));
        }
        // The queue ends with the reading threads.
        drop(queue);
        write_all_in_order(sources, &in_order, &budget, plan, out, outcome)
    })
}

/// Writes the messages of the inputs, in their order.
fn write_all_in_order(
    sources: &[Source],
    in_order: &Receiver<LaneReceiver>,
    budget: &OutputBudget,
    plan: &Plan,
    mut out: Out<'_>,
    outcome: &mut Outcome,
) -> io::Result<()> {
    let mut sink = plan.sink(Box::new(out));
    for ((number, source), lane) in sources.iter().enumerate().zip(in_order) {
        budget.turn_to(number);
        let mut is_done = false;
        for message in &lane {
            let weight = message.weight();
            match message {
                LaneMessage::Begin { format, links } => {
                    let links: Vec<&str> = links.iter().map(String::as_str).collect();
                    sink.begin(&Begin { file: &source.name(), format: &format, links: &links })?;
                    sink.write_heading()?;
                }
                LaneMessage::Printed(text) => out.write_all(&text)?,
                LaneMessage::Problem(text) => print_error(format_args!("{text}")),
                LaneMessage::Done(done) => {
                    outcome.add(done?);
                    is_done = true;
                }
            }
            lane.is_out(budget, weight);
        }
        // Only a panic ends it otherwise; joining the thread reports that.
        if !is_done {
            return Ok(());
        }
    }
    sink.finish()
}

/// Inputs not taken by a thread yet.
struct Queue<'a> {
    next: usize,
    sources: &'a [Source],
    /// Where lanes go, in the order of the inputs.
    lanes: Sender<LaneReceiver>,
    out: Out<'a>,
}

/// A thread that reads one input after another.
struct FileReader<'a> {
    budget: &'a OutputBudget,
    settings: &'a InputSettings,
    plan: &'a Plan,
    whole: Arc<TotalProgress>,
    queue: Arc<Mutex<Queue<'a>>>,
}

impl<'a> FileReader<'a> {
    fn run(self, mut selection: RecordSelection) {
        while let Some((source, lane)) = self.next() {
            let lane = Shared::new(lane);
            let printer = Printer::new(self.plan, Box::new(lane.clone()), selection);
            let mut one = One { printer, lane, heads_records: self.plan.heads_records() };
            let read = input::one_of_several(source, self.settings, &mut one, self.whole.part(source.size()));
            let counted = one.printer.selection.outcome();
            let done = read.map(|read| Outcome { read, ..counted });
            // If the writer has stopped, there is no next input.
            let _ = one.lane.get().send(LaneMessage::Done(done));
            selection = one.printer.selection;
        }
        self.budget.add_idle();
    }

    fn next(&self) -> Option<(&'a Source, Lane<'a>)> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let source = queue.sources.get(queue.next).filter(|_| !self.budget.is_closed())?;
        let (lane, receiver) = Lane::new(self.budget, queue.next, queue.out);
        queue.lanes.send(receiver).ok()?;
        queue.next += 1;
        Some((source, lane))
    }
}

/// Prints one input into its lane.
struct One<'a> {
    printer: Printer<'a>,
    lane: Shared<Lane<'a>>,
    /// Whether the beginning is printed only before the first record.
    heads_records: bool,
}

impl Audience for One<'_> {
    fn demand(&self) -> Demand {
        self.printer.demand()
    }

    fn prefilter(&self) -> Option<Prefilter> {
        self.printer.prefilter()
    }

    /// The printed beginning depends on earlier inputs, so the writer prints it.
    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.lane.get().ignore(true);
        self.printer.begin(begin)?;
        self.printer.sink.write_heading()?;
        let mut lane = self.lane.get();
        lane.ignore(false);
        let links = begin.links.iter().map(|link| (*link).to_owned()).collect();
        let message = LaneMessage::Begin { format: begin.format.to_owned(), links };
        if self.heads_records { lane.send_with_records(message) } else { lane.send(message) }
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.printer.tree(of, captured)
    }

    fn fork<'a>(&self) -> Option<ChunkPrinter<'a>> {
        self.printer.fork()
    }

    fn resume_at(&mut self, tally: Tally) {
        self.printer.resume_at(tally);
    }

    fn chunk(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        self.printer.chunk(chunk)
    }

    fn has_enough(&self) -> bool {
        self.printer.has_enough() || self.lane.get().is_closed()
    }

    fn has_help(&self) -> bool {
        self.lane.get().has_help()
    }

    fn print_error(&mut self, what: fmt::Arguments<'_>) {
        // If the writer has stopped, problems no longer matter.
        let _ = self.lane.get().send(LaneMessage::Problem(what.to_string()));
    }

    fn evictions(&mut self, evictions: Evictions) {
        self.printer.evictions(evictions);
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        self.printer.end(problem)
    }
}
