//! Prints the selected records of an input.

use super::audience::Audience;
use super::forms::Plan;
use super::parallel::{Chunk, ChunkPrinter};
use super::record_selection::RecordSelection;
use crate::engine::Prefilter;
use crate::record::{Evictions, Tally};
use crate::sink::{Begin, Problem, Sink};
use crate::tree::{Demand, Dissection};
use std::io::{self, Write};

/// Prints records into a sink.
pub(super) struct Printer<'w, S: Sink + Send + ?Sized = dyn Sink + Send + 'w> {
    /// Plan for printing chunks separately; `None` if the sink requires all records in order.
    plan: Option<&'w Plan>,
    pub(super) sink: Box<S>,
    pub(super) selection: RecordSelection,
}

impl<'w> Printer<'w> {
    /// Prints selected records by a plan.
    pub(super) fn new(plan: &'w Plan, to: Box<dyn Write + Send + 'w>, selection: RecordSelection) -> Printer<'w> {
        Printer { plan: Some(plan), sink: plan.sink(to), selection }
    }
}

#[cfg(feature = "columns")]
impl<S: Sink + Send> Printer<'_, S> {
    /// Prints selected records in order.
    pub(super) fn in_order(sink: S, selection: RecordSelection) -> Self {
        Printer { plan: None, sink: Box::new(sink), selection }
    }
}

impl<S: Sink + Send + ?Sized> Audience for Printer<'_, S> {
    fn demand(&self) -> Demand {
        self.sink.demand(self.selection.view()).and(self.selection.demand())
    }

    fn prefilter(&self) -> Option<Prefilter> {
        self.selection.prefilter()
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.selection.begin(begin.file);
        self.sink.begin(begin)
    }

    fn failed(&mut self, problem: &Problem<'_>) -> io::Result<()> {
        self.sink.failed(problem)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.selection.records(of, captured, |record| self.sink.record(record))?;
        if of.tree.outcome.objects.is_empty() { Ok(()) } else { self.sink.objects(of) }
    }

    fn fork<'a>(&self) -> Option<ChunkPrinter<'a>> {
        let plan = self.plan.filter(|plan| !plan.is_one_document())?;
        self.selection.fork().map(|selection| ChunkPrinter::new(plan, selection))
    }

    fn resume_at(&mut self, tally: Tally) {
        self.selection.resume_at(tally);
    }

    fn chunk(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        self.selection.add(&mut chunk.counted);
        self.sink.printed(&chunk.printed)
    }

    fn has_enough(&self) -> bool {
        self.selection.has_enough()
    }

    fn evictions(&mut self, evictions: Evictions) {
        self.selection.evictions(evictions);
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        if let Some(problem) = problem {
            self.sink.problem(problem)?;
        }
        self.selection.end();
        self.sink.end(self.selection.tally(), problem.is_some())
    }
}
