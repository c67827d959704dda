//! Streams and datagram conversations of a loaded file: message boundaries and state.

use super::compile::program::UnitCode;
use super::protocol::{Direction, File, ports};
use super::run::measure::{self, Measure, Measured, Search};
use super::run::{Context, Message, UnitPart};
use crate::limits;
use crate::tree::{BySide, Side};
use crate::wire::notes::HUGE;
use crate::wire::{Conversation, Exchange, Extent, Missing, Result, Wire};

/// The state of a connection.
pub(super) struct Session {
    file: &'static File,
    sides: BySide<Half>,
}

/// The state of one direction.
#[derive(Debug, Default)]
struct Half {
    phase: Phase,
    /// The content of the next bytes, once known.
    next: NextContent,
    /// The bytes of attributes read once.
    once: Option<Box<[u8]>>,
    /// Number of messages so far.
    index: u64,
    /// Progress on the incomplete message.
    search: Search,
    /// Operations spent on measuring the incomplete message.
    work: usize,
}

/// The phase of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// The start: attributes read once may come first.
    #[default]
    Beginning,
    /// Messages.
    Messages,
    /// Messages, if the next bytes are valid: bytes are missing before them.
    Doubtful,
    /// Message boundaries are unknown.
    Lost,
}

/// The content of the next bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum NextContent {
    /// Attributes read once.
    Once,
    /// A message.
    #[default]
    Message,
    /// An invalid message; what follows is unknown.
    Broken,
    /// A message whose declared size exceeds the limit.
    Huge(usize),
}

/// Maximum size of attributes read once that messages use.
const ONCE: usize = 1 << 16;

/// Maximum number of buffered bytes while the message boundary is uncertain.
const DOUBTFUL: usize = 1 << 16;

impl Session {
    pub(super) fn new(file: &'static File, [client, server]: [bool; 2]) -> Session {
        let half = |from_start: bool, direction: &Direction| {
            let has_once = matches!(direction.unit, UnitCode::Run(run) if run.has_once);
            let phase = match (has_once, from_start) {
                (true, _) => Phase::Beginning,
                (false, true) => Phase::Messages,
                (false, false) => Phase::Doubtful,
            };
            Half { phase, ..Half::default() }
        };
        let sides = BySide { client: half(client, &file.sides.client), server: half(server, &file.sides.server) };
        Session { file, sides }
    }
}

/// A direction during processing.
struct Reading<'s> {
    file: &'static File,
    direction: &'static Direction,
    half: &'s mut Half,
    from: Side,
}

impl Session {
    fn reading(&mut self, from: Side) -> Reading<'_> {
        Reading { file: self.file, direction: &self.file.sides[from], half: &mut self.sides[from], from }
    }
}

impl Reading<'_> {
    /// Maximum message size.
    fn most(&self) -> usize {
        let most = limits::STREAM_MESSAGE.get();
        self.file.max_message.map_or(most, |own| own.min(most))
    }

    fn extent(&mut self, ahead: &[u8], more: bool) -> Extent {
        if self.file.is_connection {
            return self.whole(ahead, more);
        }
        match self.half.phase {
            Phase::Beginning => self.beginning(ahead, more),
            Phase::Messages => self.message(ahead, more),
            Phase::Doubtful => self.doubtful(ahead, more),
            Phase::Lost => self.resynchronize(ahead, more),
        }
    }

    /// Handles a direction that is one message.
    fn whole(&mut self, ahead: &[u8], more: bool) -> Extent {
        match self.half.phase {
            Phase::Lost => Extent::Unknown(ahead.len()),
            _ if ahead.len() >= self.most() => {
                self.half.next = NextContent::Huge(ahead.len());
                Extent::Message(ahead.len())
            }
            _ if more => Extent::NeedMore(ahead.len() + 1),
            _ => {
                self.half.next = NextContent::Broken;
                Extent::Message(ahead.len())
            }
        }
    }

    /// Reads the attributes read once, or the first message if the capture began later.
    fn beginning(&mut self, ahead: &[u8], more: bool) -> Extent {
        let UnitCode::Run(run) = self.direction.unit else { return self.message(ahead, more) };
        match self.measure(UnitPart::Once(run), ahead, (Measure::Ends, more)).end {
            Measured::Message(0) => {
                self.half.phase = Phase::Messages;
                self.message(ahead, more)
            }
            broken @ Measured::Broken(_) => {
                self.half.search = Search::default();
                if matches!(self.measure_message(ahead, (Measure::All, more)).end, Measured::Broken(_)) {
                    return self.found(NextContent::Once, broken, ahead, more);
                }
                self.half.phase = Phase::Doubtful;
                self.doubtful(ahead, more)
            }
            measured => self.found(NextContent::Once, measured, ahead, more),
        }
    }

    /// Reads a message if all of it is valid. One with an unknown name must be followed by another message.
    fn doubtful(&mut self, ahead: &[u8], more: bool) -> Extent {
        let first = self.measure_message(ahead, (Measure::All, more));
        let is_one = match (first.end, first.is_named) {
            (Measured::Broken(_) | Measured::Message(0), _) => false,
            (Measured::Exactly(end) | Measured::Least(end), _) => end <= DOUBTFUL.min(self.most()),
            (Measured::Message(_), None | Some(true)) => true,
            (Measured::Message(end), Some(false)) => {
                self.half.search = Search::default();
                let next = self.measure_message(ahead.get(end..).unwrap_or_default(), (Measure::All, more));
                self.half.search = Search::default();
                match (next.end, next.is_named) {
                    (Measured::Message(_), _) | (_, Some(true)) => true,
                    (Measured::Exactly(needed) | Measured::Least(needed), _)
                        if more && needed <= DOUBTFUL && end + needed <= self.most() =>
                    {
                        return Extent::NeedMore(end + needed);
                    }
                    (Measured::Exactly(_) | Measured::Least(_), name) => name.is_none(),
                    (Measured::Broken(_), _) => false,
                }
            }
        };
        if is_one {
            return self.found(NextContent::Message, first.end, ahead, more);
        }
        self.half.phase = Phase::Lost;
        self.resynchronize(ahead, more)
    }

    fn message(&mut self, ahead: &[u8], more: bool) -> Extent {
        let measured = self.measure_message(ahead, (Measure::Ends, more));
        self.found(NextContent::Message, measured.end, ahead, more)
    }

    fn measure_message(&mut self, ahead: &[u8], measure: (Measure, bool)) -> measure::Result {
        let once = self.half.once.take();
        let measured = self.measure(UnitPart::message(self.direction.unit, once.as_deref()), ahead, measure);
        self.half.once = once;
        measured
    }

    fn measure(&mut self, part: UnitPart<'_>, ahead: &[u8], (measure, more): (Measure, bool)) -> measure::Result {
        let context = Context { from: Some(self.from), ports: [0; 2], index: self.half.index };
        let ahead = ahead.get(..self.most()).unwrap_or(ahead);
        let search = &mut self.half.search;
        let program = &self.file.program;
        let measured =
            File::with_memory(|memory| measure::measure(program, part, ahead, (measure, more), context, search, memory));
        self.half.work = self.half.work.saturating_add(measured.work);
        measured
    }

    /// Converts the result of a measurement for the engine.
    fn found(&mut self, found: NextContent, measured: Measured, ahead: &[u8], more: bool) -> Extent {
        self.half.next = found;
        let end = match measured {
            Measured::Message(0) => {
                self.half.phase = Phase::Lost;
                return self.resynchronize(ahead, more);
            }
            Measured::Message(end) => return Extent::Message(end),
            Measured::Broken(end) => {
                self.half.next = NextContent::Broken;
                return Extent::Message(end.clamp(1, ahead.len().max(1)));
            }
            Measured::Exactly(end) | Measured::Least(end) => end,
        };
        if end > self.most() {
            self.half.next = NextContent::Huge(end);
            return Extent::Message(ahead.len());
        }
        match measured {
            Measured::Exactly(end) => Extent::Message(end),
            _ => Extent::NeedMore(end.max(self.patience(ahead.len())).min(self.most())),
        }
    }

    /// Number of bytes to wait for before an expensive message is measured again: an eighth more each time, so that the total
    /// work is proportional to the bytes.
    fn patience(&self, len: usize) -> usize {
        /// Operations per message and per byte that never cause waiting.
        const FREE: usize = 1 << 14;
        const FREE_PER_BYTE: usize = 16;
        if self.half.work > FREE + len.saturating_mul(FREE_PER_BYTE) { len + len / 8 } else { 0 }
    }

    /// Searches for the magic after bytes outside of messages.
    fn resynchronize(&mut self, ahead: &[u8], more: bool) -> Extent {
        let longest = self.file.magic.iter().map(Vec::len).max().unwrap_or_default();
        if !self.file.resyncs {
            return Extent::Unknown(ahead.len());
        }
        match self.file.magic.iter().filter_map(|magic| memchr::memmem::find(ahead, magic)).min() {
            Some(0) => {
                self.half.phase = Phase::Messages;
                self.message(ahead, more)
            }
            Some(at) => Extent::Unknown(at),
            None if more && ahead.len() < longest => Extent::NeedMore(longest),
            // A magic may begin in the last bytes.
            None if more => Extent::Unknown((ahead.len() + 1).saturating_sub(longest).max(1)),
            None => Extent::Unknown(ahead.len()),
        }
    }

    fn dissect(&mut self, wire: &mut Wire<'_>) -> Result {
        let next = std::mem::take(&mut self.half.next);
        (self.half.search, self.half.work) = (Search::default(), 0);
        let (bytes, range) = wire.whole();
        let once = self.half.once.take();
        let run = if let UnitCode::Run(run) = self.direction.unit { Some(run) } else { None };
        let is_beginning = self.half.phase == Phase::Beginning;
        let (part, place) = match run.filter(|_| is_beginning) {
            _ if self.file.is_connection => (UnitPart::Whole(self.direction.root.0), self.direction.root.1),
            Some(run) => (UnitPart::Once(run), self.direction.root.1),
            None => (UnitPart::message(self.direction.unit, once.as_deref()), self.direction.place),
        };
        let context = Context { from: Some(self.from), ports: ports(wire), index: self.half.index };
        let is_cut = matches!(next, NextContent::Huge(_));
        let result = self.file.dissect(&Message { part, place, slot: self.direction.slot, context, is_cut }, wire);
        self.half.once = once;
        if is_beginning {
            let uses = run.is_some_and(|run| run.uses_once);
            let kept = bytes.get(range).filter(|bytes| uses && bytes.len() <= ONCE);
            self.half.once = kept.map(Box::from);
        } else {
            self.half.index += 1;
        }
        self.half.phase = match (next, wire.cut()) {
            (NextContent::Broken | NextContent::Huge(_), _) => Phase::Lost,
            // Bytes after a hole in a message continue it only if its end is known.
            _ => Phase::Messages,
        };
        match (next, result) {
            (NextContent::Huge(claimed), _) => {
                wire.malformed(&HUGE, format_args!("{claimed} bytes; {} is the most", self.most()))
            }
            (_, result) => result,
        }
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.reading(from).extent(ahead, more)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.reading(from).dissect(wire)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let half = &mut self.sides[from];
        (half.search, half.work) = (Search::default(), 0);
        if !missing.in_step && half.phase != Phase::Lost {
            half.phase = Phase::Doubtful;
        }
    }

    fn memory_usage(&self) -> usize {
        let once = self.sides.iter().map(|half| half.once.as_deref().map_or(0, <[u8]>::len)).sum::<usize>();
        size_of_val(self) + once
    }
}

/// The state of numbered datagrams.
pub(super) struct Counter {
    file: &'static File,
    sent: BySide<u64>,
}

impl Counter {
    pub(super) fn new(file: &'static File) -> Counter {
        Counter { file, sent: BySide::default() }
    }
}

impl Exchange for Counter {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let index = self.sent[from];
        self.sent[from] += 1;
        self.file.datagram(wire.sender(), index, wire)
    }
}

#[cfg(test)]
mod tests;
