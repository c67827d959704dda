//! Looks at an input and prints what is meant of it.

use super::chosen::Chosen;
use super::forms::Plan;
use super::part::{Apart, Part};
use super::read::Audience;
use crate::engine::Judge;
use crate::record::{Forgotten, Tally};
use crate::sink::{Begin, Problem, Sink};
use crate::tree::{Dissection, Want};
use std::io::{self, Write};

/// Prints records.
pub(super) struct Printer<'w> {
    plan: &'w Plan,
    pub(super) sink: Box<dyn Sink + Send + 'w>,
    pub(super) chosen: Chosen,
}

impl<'w> Printer<'w> {
    /// Prints what is chosen, as planned.
    pub(super) fn new(plan: &'w Plan, to: Box<dyn Write + Send + 'w>, chosen: Chosen) -> Printer<'w> {
        Printer { plan, sink: plan.sink(to), chosen }
    }
}

impl Audience for Printer<'_> {
    fn want(&self) -> Want {
        self.sink.want(self.chosen.view()).and(self.chosen.want())
    }

    fn judge(&self) -> Option<Judge> {
        self.chosen.judge()
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.chosen.begin(begin.file);
        self.sink.begin(begin)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.chosen.records(of, captured, |record| self.sink.record(record))
    }

    fn apart<'a>(&self) -> Option<Apart<'a>> {
        self.chosen.apart().map(|chosen| Apart::new(self.plan, chosen))
    }

    fn go_on(&mut self, tally: Tally) {
        self.chosen.go_on(tally);
    }

    fn part(&mut self, part: &mut Part) -> io::Result<()> {
        self.chosen.add(&mut part.counted);
        self.sink.printed(&part.printed)
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
