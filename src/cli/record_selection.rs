//! Selects records by filter and number, across all inputs.

use super::args::Output;
use super::notes;
use super::outcome::Outcome;
use super::selection::Selection;
use super::unexplained::Unexplained;
use super::usage_error::UsageError;
use super::view::Choice;
use crate::engine::Prefilter;
use crate::filter::Filter;
use crate::record::{Evictions, Record, Scope, Tally, View};
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Depth, Dissection, StreamId};
use std::convert::Infallible;
use std::io;

/// Selects records and counts the results.
pub(super) struct RecordSelection {
    choice: Choice,
    /// Counts of the current input.
    tally: Tally,
    filter: Option<Filter>,
    selection: Selection,
    /// Whether malformed messages and gaps are recorded.
    strict: bool,
    /// No later record of this input can be selected.
    past: bool,
    /// Bytes of a selected record may become readable later.
    waits: bool,
    /// Number of the next message of this input.
    next: u64,
    /// Name of the current input.
    file: String,
    /// Its first frame with a malformed message or after missing bytes.
    broken: Option<u64>,
    outcome: Outcome,
}

/// Results for a part of an input.
#[derive(Default)]
pub(super) struct Counted {
    /// Counts at its end.
    tally: Option<Tally>,
    /// Number of selected records.
    taken: u64,
    /// Its first frame with a malformed message or after missing bytes.
    broken: Option<u64>,
    /// Messages of unknown format.
    unexplained: Unexplained,
}

/// Reason for stopping.
enum Stop {
    Enough,
    Output(io::Error),
}

/// The records of one tree pass through it.
struct Sieve<'s> {
    view: View,
    filter: Option<&'s Filter>,
    selection: &'s mut Selection,
    /// Number of the next message.
    next: &'s mut u64,
    outcome: &'s mut Outcome,
}

impl Sieve<'_> {
    /// Takes a record if it is selected. Returns its number, unless records after it may have the same.
    fn offer(
        &mut self,
        of: Dissection<'_>,
        record: &Record<'_>,
        take: &mut impl FnMut(&Record<'_>) -> io::Result<()>,
    ) -> Result<Option<u64>, Stop> {
        if let Record::Message(message) = record {
            self.outcome.unexplained.see(message);
        }
        let matches = is_seen(of, record) && self.filter.is_none_or(|filter| filter.matches(record));
        let number = match record {
            Record::Message(message) => {
                *self.next = message.n.saturating_add(1);
                message.n
            }
            Record::Packet(packet) => packet.of.tree.frame.number,
            // A late record is selected by the number of its frame, and counts like a packet where a filter selects it.
            Record::Late(late) => {
                if self.filter.is_none() {
                    return if self.selection.names(late.frame()) { pass(record, take) } else { Ok(None) };
                }
                if matches && self.selection.takes(late.frame()) {
                    pass(record, take)?;
                    self.outcome.taken += 1;
                }
                return if self.selection.has_enough() { Err(Stop::Enough) } else { Ok(None) };
            }
            Record::Gap(gap) => return if matches && self.names_gap(gap.frame) { pass(record, take) } else { Ok(None) },
        };
        if matches && self.selection.takes(number) {
            pass(record, take)?;
            self.outcome.taken += 1;
        }
        Ok(Some(number))
    }

    /// Whether a gap of this frame is selected. In the view of messages, it is shown beside a selected message.
    fn names_gap(&self, frame: u64) -> bool {
        match self.view {
            _ if !self.selection.is_numbered() => true,
            View::Packets => self.selection.names(frame),
            View::Messages => self.selection.names(*self.next) || self.selection.names(self.next.saturating_sub(1)),
        }
    }
}

fn pass(record: &Record<'_>, take: &mut impl FnMut(&Record<'_>) -> io::Result<()>) -> Result<Option<u64>, Stop> {
    take(record).map(|()| None).map_err(Stop::Output)
}

fn is_seen(of: Dissection<'_>, record: &Record<'_>) -> bool {
    match record {
        Record::Message(message) => of.tree.is_seen(message.layer),
        Record::Packet(_) => !of.tree.outcome.filtered_out,
        Record::Late(late) => late.layers.iter().any(|layer| of.tree.is_seen(layer)),
        Record::Gap(_) => true,
    }
}

impl RecordSelection {
    /// Parses the options. Errors name the expected values.
    pub(super) fn new(output: &Output, columns: Option<Scope>) -> Result<RecordSelection, UsageError> {
        let parse = |text: &String| Filter::parse(text, Registry::default()).map_err(|mistake| format!("-Y: {mistake}"));
        let filter = output.filter.as_ref().map(parse).transpose()?;
        for name in filter.iter().flat_map(Filter::undissected) {
            super::print_error(format_args!("-Y: {name} is a Wireshark protocol that is not supported; it never matches"));
        }
        let choice = Choice::new(output, filter.as_ref().map(Filter::scope), columns);
        Ok(RecordSelection {
            choice,
            tally: Tally::new(choice.view),
            filter,
            selection: Selection::new(output)?,
            strict: output.strict,
            past: false,
            waits: false,
            next: 1,
            file: String::new(),
            broken: None,
            outcome: Outcome::default(),
        })
    }

    /// Selected view.
    pub(super) fn view(&self) -> View {
        self.choice.view
    }

    /// Selected view and the reason.
    pub(super) fn choice(&self) -> Choice {
        self.choice
    }

    /// The parts of a frame that the selection needs.
    pub(super) fn demand(&self) -> Demand {
        let packets = self.view() == View::Packets;
        let demand = match &self.filter {
            Some(filter) if packets => Demand { carriers: Carriers::Full, ..filter.demand() },
            Some(filter) => filter.demand(),
            None if packets => Demand { carriers: Carriers::FieldsOnly, ..Demand::FRAMES },
            None => Demand::FRAMES,
        };
        // Which late records match is known only when the streams are dissected, whatever is printed of them.
        let may_be_frames = packets && !self.strict && self.filter.is_none();
        if may_be_frames { demand } else { Demand { depth: Depth::Streams, ..demand } }
    }

    /// Prefilter that rejects frames by their layers alone.
    pub(super) fn prefilter(&self) -> Option<Prefilter> {
        same(self.filter.as_ref()?).map(Filter::into_prefilter)
    }

    /// Drops `-c`, `--skip` and `--number`.
    pub(super) fn of_all(self) -> RecordSelection {
        RecordSelection { selection: Selection::all(), ..self }
    }

    /// Swaps the counts of `-c` and `--skip`, which several selections share.
    pub(super) fn exchange(&mut self, counted: &mut Selection) {
        std::mem::swap(&mut self.selection, counted);
    }

    /// Name of the current input.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// Starts an input.
    pub(super) fn begin(&mut self, file: &str) {
        self.tally = Tally::new(self.view());
        self.tally.bookmarks = notes::of(file);
        self.next = 1;
        file.clone_into(&mut self.file);
        self.broken = None;
    }

    /// Passes on the selected records of a tree.
    pub(super) fn records(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut take: impl FnMut(&Record<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let view = self.view();
        if view == View::Messages && of.tree.is_empty() {
            self.tally.count(of.tree, captured);
            return Ok(());
        }
        let RecordSelection { tally, filter, selection, past, waits, next, outcome, .. } = self;
        // Omitted messages advance the number, too.
        if view == View::Messages && of.tree.outcome.omitted_messages.count > 0 {
            *past = selection.is_past(tally.messages + of.tree.outcome.omitted_messages.count as u64);
        }
        // Stream data and fragments may become readable with a later frame, or at the end of the capture.
        *waits |=
            view == View::Packets && captured && selection.is_numbered() && selection.names(of.tree.frame.number) && may_wait(of);
        let may_become_late = *waits;
        let mut sieve = Sieve { view, filter: filter.as_ref(), selection, next, outcome };
        let shown = tally.records(of, captured, |record| {
            let Some(number) = sieve.offer(of, &record, &mut take)? else { return Ok(()) };
            *past = sieve.selection.is_past(number) && !may_become_late;
            if sieve.selection.has_enough() || *past { Err(Stop::Enough) } else { Ok(()) }
        });
        if self.broken.is_none() && self.tally.malformed + self.tally.gaps > 0 {
            self.broken = Some(of.tree.frame.number);
        }
        match shown {
            Ok(()) | Err(Stop::Enough) => Ok(()),
            Err(Stop::Output(error)) => Err(error),
        }
    }

    /// Copies the selection for another thread; `None` if it depends on earlier records.
    pub(super) fn fork(&self) -> Option<RecordSelection> {
        let filter = match &self.filter {
            Some(filter) => Some(same(filter)?),
            None => None,
        };
        self.selection.is_all().then(|| RecordSelection {
            choice: self.choice,
            tally: self.tally.clone(),
            filter,
            selection: Selection::all(),
            strict: self.strict,
            past: false,
            next: 1,
            waits: false,
            file: self.file.clone(),
            broken: None,
            outcome: Outcome::default(),
        })
    }

    /// Counts records that another thread selects from.
    pub(super) fn pass(&mut self, of: Dissection<'_>, captured: bool) {
        let Ok(()) = self.tally.records(of, captured, |_| Ok::<(), Infallible>(()));
    }

    /// Sets the counts after a chunk that another thread selected from.
    pub(super) fn resume_at(&mut self, tally: Tally) {
        self.tally = tally;
    }

    /// Takes the results since the last call.
    pub(super) fn counted(&mut self) -> Counted {
        let taken = std::mem::take(&mut self.outcome.taken);
        let unexplained = std::mem::take(&mut self.outcome.unexplained);
        Counted { tally: Some(self.tally.clone()), taken, broken: self.broken.take(), unexplained }
    }

    /// Adds the results of another thread for a part of the input.
    pub(super) fn add(&mut self, part: &mut Counted) {
        if let Some(tally) = part.tally.take() {
            self.resume_at(tally);
        }
        self.outcome.taken += part.taken;
        self.outcome.unexplained.add(std::mem::take(&mut part.unexplained));
        self.broken = self.broken.or(part.broken);
    }

    /// Whether no more records of this input can be selected.
    pub(super) fn has_enough(&self) -> bool {
        self.past || self.selection.has_enough()
    }

    /// Ends the input.
    pub(super) fn end(&mut self) {
        (self.past, self.waits) = (false, false);
        self.outcome.frames += self.tally.frames;
        self.outcome.messages += self.tally.messages;
        self.outcome.malformed += self.tally.malformed;
        self.outcome.gaps += self.tally.gaps;
        if let (None, Some(frame)) = (&self.outcome.broken, self.broken) {
            self.outcome.broken = Some((std::mem::take(&mut self.file), frame));
        }
    }

    /// Records the state evicted to bound memory.
    pub(super) fn evictions(&mut self, evictions: Evictions) {
        self.tally.evictions = evictions;
    }

    /// Counts of the current input.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Takes the outcome since the last call.
    pub(super) fn outcome(&mut self) -> Outcome {
        std::mem::take(&mut self.outcome)
    }

    /// Whether the selection depends on earlier inputs.
    pub(super) fn spans_inputs(&self) -> bool {
        self.selection.spans_inputs()
    }
}

/// Whether bytes of a frame may wait for later frames: stream data to reassemble, and fragments.
fn may_wait(of: Dissection<'_>) -> bool {
    let tree = of.tree;
    let is_whole = |stream: &StreamId| stream.transport.has_datagrams();
    let mut streams = tree.ends.iter().filter_map(|ends| ends.stream).map(|(stream, _)| stream).peekable();
    let is_alone = streams.peek().is_none();
    let is_of_ip =
        || tree.layers.iter().any(|layer| of.layer_node(layer).is_some_and(|node| ["ip", "ipv6"].contains(&node.field().abbrev)));
    tree.demand().streams()
        && (tree.outcome.omitted_headers.is_some() || streams.any(|stream| !is_whole(&stream)) || is_alone && is_of_ip())
}

/// Copies a filter for another thread.
fn same(filter: &Filter) -> Option<Filter> {
    Filter::parse(&filter.to_string(), Registry::default()).ok()
}
