//! Which records are meant, by filter and number, over all inputs.

use super::args::Output;
use super::forms::Wrong;
use super::notes;
use super::outcome::Outcome;
use super::selection::Selection;
use super::unexplained::Unexplained;
use super::view::Choice;
use crate::engine::Prefilter;
use crate::filter::Filter;
use crate::record::{Forgotten, Record, Scope, Tally, View};
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Depth, Dissection, StreamId, Transport};
use std::convert::Infallible;
use std::io;

/// Chooses records, and remembers how it went.
pub(super) struct RecordSelection {
    choice: Choice,
    /// What the input at hand had so far.
    tally: Tally,
    filter: Option<Filter>,
    selection: Selection,
    /// Whether malformed messages and gaps matter.
    strict: bool,
    /// No record behind the last one of this input can be meant.
    past: bool,
    /// Bytes of a record that is meant may become readable later.
    waits: bool,
    /// What the input at hand is called.
    file: String,
    /// The first of its frames with a malformed message, or behind missing bytes.
    broken: Option<u64>,
    outcome: Outcome,
}

/// How choosing from a part of an input went.
#[derive(Default)]
pub(super) struct Counted {
    /// What the input had by its end.
    tally: Option<Tally>,
    /// Records that were meant.
    taken: u64,
    /// Its first frame with a malformed message, or behind missing bytes.
    broken: Option<u64>,
    /// Messages of unknown format.
    unexplained: Unexplained,
}

/// Why the selection ends.
enum Stop {
    Enough,
    Output(io::Error),
}

impl RecordSelection {
    /// What the options choose; an error says what would do.
    pub(super) fn new(output: &Output, columns: Option<Scope>) -> Result<RecordSelection, Wrong> {
        let parse = |text: &String| Filter::parse(text, Registry::default()).map_err(|mistake| format!("-Y: {mistake}"));
        let filter = output.filter.as_ref().map(parse).transpose()?;
        for name in filter.iter().flat_map(Filter::undissected) {
            super::complain(format_args!("-Y: {name} is a protocol of Wireshark that is not read here: nothing matches it"));
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
            file: String::new(),
            broken: None,
            outcome: Outcome::default(),
        })
    }

    /// Which records they are.
    pub(super) fn view(&self) -> View {
        self.choice.view
    }

    /// Which records they are, and why.
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
        if packets && !self.strict { demand } else { Demand { depth: Depth::Streams, ..demand } }
    }

    /// Prefilter that rejects frames by their layers alone.
    pub(super) fn prefilter(&self) -> Option<Prefilter> {
        same(self.filter.as_ref()?).map(Filter::into_prefilter)
    }

    /// The same without `-c`, `--skip` and `--number`.
    pub(super) fn of_all(self) -> RecordSelection {
        RecordSelection { selection: Selection::all(), ..self }
    }

    /// Exchanges what `-c` and `--skip` have counted, which several selections take turns in.
    pub(super) fn exchange(&mut self, counted: &mut Selection) {
        std::mem::swap(&mut self.selection, counted);
    }

    /// An input begins.
    pub(super) fn begin(&mut self, file: &str) {
        self.tally = Tally::new(self.view());
        self.tally.bookmarks = notes::of(file);
        file.clone_into(&mut self.file);
        self.broken = None;
    }

    /// Hand on the records of a tree that are meant.
    pub(super) fn records(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut take: impl FnMut(&Record<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let view = self.view();
        let RecordSelection { tally, filter, selection, past, waits, outcome, .. } = self;
        // Messages that only count bring it behind the last one that is meant as well.
        if view == View::Messages && of.tree.omitted_messages.count > 0 {
            *past = selection.is_past(tally.messages + of.tree.omitted_messages.count as u64);
        }
        // What was sent in a stream, or in fragments, may become readable with a later frame, or when the capture ends.
        *waits |=
            view == View::Packets && captured && selection.is_numbered() && selection.names(of.tree.frame.number) && may_wait(of);
        let may_become_late = *waits;
        let shown = tally.records(of, captured, |record| {
            if let Record::Message(message) = &record {
                outcome.unexplained.see(message);
            }
            let is_seen = match &record {
                Record::Message(message) => of.tree.is_seen(message.layer),
                Record::Packet(_) => !of.tree.filtered_out,
                Record::Late(late) => late.layers.iter().any(|layer| of.tree.is_seen(layer)),
                Record::Gap(_) => true,
            };
            let matches = is_seen && filter.as_ref().is_none_or(|filter| filter.matches(&record));
            let number = match &record {
                Record::Message(message) => message.n,
                Record::Packet(packet) => packet.of.tree.frame.number,
                // It has no number of its own and is selected by that of its frame.
                Record::Late(late) if matches && selection.names(late.frame()) => return take(&record).map_err(Stop::Output),
                Record::Late(_) => return Ok(()),
                Record::Gap(_) if matches => return take(&record).map_err(Stop::Output),
                Record::Gap(_) => return Ok(()),
            };
            if matches && selection.takes(number) {
                take(&record).map_err(Stop::Output)?;
                outcome.taken += 1;
            }
            *past = selection.is_past(number) && !may_become_late;
            if selection.has_enough() || *past { Err(Stop::Enough) } else { Ok(()) }
        });
        if self.broken.is_none() && self.tally.malformed + self.tally.gaps > 0 {
            self.broken = Some(of.tree.frame.number);
        }
        match shown {
            Ok(()) | Err(Stop::Enough) => Ok(()),
            Err(Stop::Output(error)) => Err(error),
        }
    }

    /// The same selection from here on; `None` if it depends on earlier choices.
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
            waits: false,
            file: String::new(),
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

    /// How it went since this was asked last.
    pub(super) fn counted(&mut self) -> Counted {
        let taken = std::mem::take(&mut self.outcome.taken);
        let unexplained = std::mem::take(&mut self.outcome.unexplained);
        Counted { tally: Some(self.tally.clone()), taken, broken: self.broken.take(), unexplained }
    }

    /// Somebody else chose from a part of the input.
    pub(super) fn add(&mut self, part: &mut Counted) {
        if let Some(tally) = part.tally.take() {
            self.resume_at(tally);
        }
        self.outcome.taken += part.taken;
        self.outcome.unexplained.add(std::mem::take(&mut part.unexplained));
        self.broken = self.broken.or(part.broken);
    }

    /// Whether nothing more can be meant in this input.
    pub(super) fn has_enough(&self) -> bool {
        self.past || self.selection.has_enough()
    }

    /// The input ends.
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

    /// What was given up to bound memory.
    pub(super) fn forgotten(&mut self, forgotten: Forgotten) {
        self.tally.forgotten = forgotten;
    }

    /// What the input at hand had.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How it went, since this was asked last.
    pub(super) fn outcome(&mut self) -> Outcome {
        std::mem::take(&mut self.outcome)
    }

    /// Whether what is meant in an input depends on those before it.
    pub(super) fn spans_inputs(&self) -> bool {
        self.selection.spans_inputs()
    }
}

/// Whether bytes of a frame may wait for later ones: those of streams that are put into order, and of fragments.
fn may_wait(of: Dissection<'_>) -> bool {
    let tree = of.tree;
    let is_whole = |stream: &StreamId| stream.transport == Transport::Udp;
    let mut streams = tree.ends.iter().filter_map(|ends| ends.stream).map(|(stream, _)| stream).peekable();
    let is_alone = streams.peek().is_none();
    let is_of_ip =
        || tree.layers.iter().any(|layer| of.layer_node(layer).is_some_and(|node| ["ip", "ipv6"].contains(&node.field().abbrev)));
    tree.demand().streams()
        && (tree.omitted_headers.is_some() || streams.any(|stream| !is_whole(&stream)) || is_alone && is_of_ip())
}

/// The same filter for another thread.
fn same(filter: &Filter) -> Option<Filter> {
    Filter::parse(&filter.to_string(), Registry::default()).ok()
}
