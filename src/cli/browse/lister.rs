//! Fills the list of records.

use super::super::audience::Audience;
use super::super::input::Run;
use super::super::progress::TotalProgress;
use super::Input;
use crate::browse::{Cells, Event, Pass, Summary};
use crate::filter::Filter;
use crate::record::{Tally, View};
use crate::registry::Registry;
use crate::sink::Problem;
use crate::tree::{Carriers, Demand, Depth, Dissection, Extras};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
        batch: Arc::new(Batch { records: Mutex::default(), pass: pass.number, input: input.clone() }),
        problem: None,
    };
    // The reader may wait for bytes of a pipe while records wait for more of them.
    let is_done = Arc::new(AtomicBool::new(false));
    let (batch, ends) = (Arc::clone(&lister.batch), Arc::clone(&is_done));
    let ticking = std::thread::Builder::new().spawn(move || {
        while !ends.load(Ordering::Relaxed) && !batch.input.stops() {
            std::thread::park_timeout(PATIENCE);
            batch.send_old();
        }
    });
    let progress = TotalProgress::new(String::new(), None).part(None);
    match Run::open(&input.source, &input.settings, &mut lister, progress) {
        Ok(mut run) => {
            while run.step(&mut lister).unwrap_or_default() {}
            // The error is kept in `problem`.
            let _ = run.end(&mut lister);
        }
        Err(refused) => lister.problem = lister.problem.take().or(refused.text()),
    }
    is_done.store(true, Ordering::Relaxed);
    ticking.iter().for_each(|ticking| ticking.thread().unpark());
    lister.batch.send();
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
    batch: Arc<Batch>,
    problem: Option<String>,
}

/// Records that are not sent yet.
struct Batch {
    records: Mutex<Waiting>,
    pass: u64,
    input: Input,
}

#[derive(Default)]
struct Waiting {
    all: Vec<Summary>,
    /// When the first of them came.
    since: Option<Instant>,
}

impl Batch {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends all records.
    fn send(&self) {
        self.send_from(&mut self.waiting());
    }

    /// Sends all records if one has waited long enough.
    fn send_old(&self) {
        let mut waiting = self.waiting();
        if waiting.since.is_some_and(|since| since.elapsed() >= PATIENCE) {
            self.send_from(&mut waiting);
        }
    }

    /// Sends records under their lock, so that they stay in order.
    fn send_from(&self, waiting: &mut Waiting) {
        waiting.since = None;
        if !waiting.all.is_empty() {
            self.input.send(Event::Records(self.pass, std::mem::take(&mut waiting.all)));
        }
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

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Lister { filter, cells, tally, place, batch, .. } = self;
        let mut waiting = batch.waiting();
        tally
            .records(of, captured, |record| {
                if filter.as_ref().is_none_or(|filter| filter.matches(&record)) {
                    waiting.all.push(Summary::of(*place, &record, cells.as_mut())?);
                }
                *place += 1;
                Ok::<(), fmt::Error>(())
            })
            .map_err(io::Error::other)?;
        if waiting.since.is_none() && !waiting.all.is_empty() {
            waiting.since = Some(Instant::now());
        }
        if waiting.all.len() >= BATCH {
            batch.send_from(&mut waiting);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;
    use crate::cli::browse::Spool;
    use crate::cli::input::InputSettings;
    use crate::cli::source::Source;
    use clap::Parser;
    use std::io::Write;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn each_write_to_a_live_pipe_is_listed_at_once() {
        let file = std::fs::read("samples/pipboy.pcap").unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        let source = Arc::new(Source::Spooled(Spool::begin("-".to_owned(), Box::new(reader)).unwrap()));
        let settings = Arc::new(InputSettings::new(&Args::try_parse_from(["proto-dissect"]).unwrap().reading).unwrap());
        let (to, answers) = sync_channel(8);
        let input = Input { source, settings, stop: Arc::default(), to };
        let view = View::Messages;
        let pass = Pass { number: 1, file: 0, view, filter: String::new(), columns: Vec::new() };
        let listing = std::thread::spawn(move || list(&input, &pass));
        let mut listed = 0;
        // Nothing is written, and the pipe is not closed, before the records of earlier writes have arrived.
        for (bytes, expected) in [(&file[..5000], 10), (&file[5000..20_000], 39), (&file[20_000..], 89)] {
            writer.write_all(bytes).unwrap();
            while listed < expected {
                match answers.recv_timeout(Duration::from_secs(60)).unwrap() {
                    Event::Records(1, records) => listed += records.len(),
                    other => panic!("{other:?}"),
                }
            }
        }
        drop(writer);
        while !matches!(answers.recv_timeout(Duration::from_secs(60)).unwrap(), Event::End(1, None)) {}
        listing.join().unwrap();
    }
}
