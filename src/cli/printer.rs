//! Looks at an input and prints what is meant of it.

use super::audience::Audience;
use super::forms::Plan;
use super::parallel::{Chunk, ChunkPrinter};
use super::record_selection::RecordSelection;
use crate::engine::Prefilter;
use crate::record::{Forgotten, Tally};
use crate::sink::{Begin, Problem, Sink};
use crate::tree::{Demand, Dissection};
use std::io::{self, Write};

/// Prints records.
pub(super) struct Printer<'w> {
    plan: &'w Plan,
    pub(super) sink: Box<dyn Sink + Send + 'w>,
    pub(super) selection: RecordSelection,
}

impl<'w> Printer<'w> {
    /// Prints what is chosen, as planned.
    pub(super) fn new(plan: &'w Plan, to: Box<dyn Write + Send + 'w>, selection: RecordSelection) -> Printer<'w> {
        Printer { plan, sink: plan.sink(to), selection }
    }
}

impl Audience for Printer<'_> {
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

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.selection.records(of, captured, |record| self.sink.record(record))?;
        if of.tree.objects.is_empty() { Ok(()) } else { self.sink.objects(of) }
    }

    fn fork<'a>(&self) -> Option<ChunkPrinter<'a>> {
        if self.plan.is_one_document() {
            return None;
        }
        self.selection.fork().map(|selection| ChunkPrinter::new(self.plan, selection))
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

    fn forgotten(&mut self, forgotten: Forgotten) {
        self.selection.forgotten(forgotten);
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        if let Some(problem) = problem {
            self.sink.problem(problem)?;
        }
        self.selection.end();
        self.sink.end(self.selection.tally(), problem.is_some())
    }
}
