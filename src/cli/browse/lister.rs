//! Fills the list of records.

use super::super::audience::Audience;
use super::super::input::Run;
use super::super::progress::TotalProgress;
use super::Input;
use crate::browse::{Cells, Event, Pass, Summary};
use crate::filter::Filter;
use crate::record::{Tally, View};
use crate::registry::Registry;
use crate::sink::{Begin, Problem};
use crate::tree::{Carriers, Demand, Depth, Dissection, Extras};
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

/// Maximum records per event.
const BATCH: usize = 1024;

/// Maximum delay before records are sent.
const PATIENCE: Duration = Duration::from_millis(30);

/// Lists the records of an input.
pub(super) fn list(input: &Input, pass: &Pass) {
    // Fields may have disappeared with a changed file.
    let filter = Filter::parse(&pass.filter, Registry::default()).map_err(|mistake| format!("filter: {}", mistake.what));
    let cells = Cells::new(&pass.columns).map_err(|mistake| format!("columns: {}", mistake.what));
    let (filter, cells) = match filter.and_then(|filter| Ok((filter, cells?))) {
        Ok((filter, cells)) => (Some(filter).filter(|_| !pass.filter.is_empty()), cells),
        Err(wrong) => {
            input.send(Event::End(pass.number, Some(wrong)));
            return;
        }
    };
    let mut lister = Lister {
        input,
        pass,
        filter,
        cells,
        tally: Tally::new(pass.view),
        place: 0,
        batch: Vec::new(),
        sent: Instant::now(),
        problem: None,
    };
    let progress = TotalProgress::new(String::new(), None).part(None);
    match Run::open(&input.source, &input.settings, &mut lister, progress) {
        Ok(mut run) => {
            while run.step(&mut lister).unwrap_or_default() {}
            // The error is kept in `problem`.
            let _ = run.end(&mut lister);
        }
        Err(refused) => lister.problem = lister.problem.take().or(refused.text()),
    }
    lister.send();
    let problem = lister.problem.take();
    input.send(Event::End(pass.number, problem));
}

struct Lister<'a> {
    input: &'a Input,
    pass: &'a Pass,
    filter: Option<Filter>,
    cells: Option<Cells>,
    tally: Tally,
    /// Number of records so far, matching or not.
    place: u64,
    batch: Vec<Summary>,
    sent: Instant,
    problem: Option<String>,
}

impl Lister<'_> {
    fn send(&mut self) {
        if !self.batch.is_empty() {
            self.input.send(Event::Records(self.pass.number, std::mem::take(&mut self.batch)));
        }
        self.sent = Instant::now();
    }
}

impl Audience for Lister<'_> {
    fn demand(&self) -> Demand {
        let carriers = Carriers::shown(self.pass.view == View::Packets);
        let headings = Demand { carriers, ..Demand::HEADINGS }.with(Extras::PREVIEWS);
        let demand = match &self.filter {
            Some(filter) => headings.and(Demand { carriers: Carriers::Full, ..filter.demand() }),
            None => headings,
        };
        let demand = Demand { depth: Depth::Streams, ..demand };
        self.cells.iter().fold(demand, |demand, cells| demand.and(cells.demand(self.pass.view)))
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Lister { filter, cells, tally, place, batch, .. } = self;
        tally
            .records(of, captured, |record| {
                if filter.as_ref().is_none_or(|filter| filter.matches(&record)) {
                    batch.push(Summary::of(*place, &record, cells.as_mut())?);
                }
                *place += 1;
                Ok::<(), fmt::Error>(())
            })
            .map_err(io::Error::other)?;
        if self.batch.len() >= BATCH || !self.batch.is_empty() && self.sent.elapsed() > PATIENCE {
            self.send();
        }
        Ok(())
    }

    fn has_enough(&self) -> bool {
        self.input.stops()
    }

    fn print_error(&mut self, what: fmt::Arguments<'_>) {
        self.problem = Some(what.to_string());
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        if let Some(Problem { frame, text, .. }) = problem {
            self.problem = Some(format!("after frame {frame}: {text}"));
        }
        Ok(())
    }
}
