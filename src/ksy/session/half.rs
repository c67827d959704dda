//! One direction of a stream: message boundaries.

use crate::ksy::compile::program::UnitCode;
use crate::ksy::notes;
use crate::ksy::protocol::{Direction, File, ports};
use crate::ksy::registration::Resync;
use crate::ksy::run::measure::{self, Measure, Measured, Search};
use crate::ksy::run::running::Running;
use crate::ksy::run::variables::{Cause, Held};
use crate::ksy::run::{After, Context, Message, Remark, SessionView, UnitPart};
use crate::limits;
use crate::tree::Side;
use crate::wire::notes::HUGE;
use crate::wire::{Extent, Missing, Result, Wire};

/// The state of one direction.
#[derive(Default)]
pub(super) struct Half {
    pub(super) phase: Phase,
    /// The content of the next bytes, once known.
    pub(super) next: NextContent,
    /// The bytes of attributes read once.
    once: Option<Box<[u8]>>,
    /// Number of messages so far.
    index: u64,
    /// Progress on the incomplete message.
    pub(super) search: Search,
    /// Operations spent on measuring the incomplete message.
    pub(super) work: usize,
    /// Session variables; empty in a file without them.
    pub(super) held: Vec<Held>,
    /// Processors that go on from message to message.
    pub(super) running: Running,
    /// Whether a message stated that the content is unknown.
    says_unknown: bool,
    /// Bytes ahead that look like messages, as long as that shows nothing.
    chained: usize,
    /// Whether a malformed message has all bytes that have arrived.
    ends_segment: bool,
    /// Note of the next message on a value without a case.
    remark: Option<Remark>,
    /// Whether a message has such a note.
    has_remarked: bool,
    /// Whether the next message is the first one behind bytes without message boundaries.
    pub(super) resumes: bool,
}

/// The phase of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Phase {
    /// The start: attributes read once may come first.
    #[default]
    Beginning,
    /// Attributes read once, or a message: the capture may have begun later.
    Joined,
    /// Messages.
    Messages,
    /// Messages, if the next bytes are valid: bytes are missing before them.
    Doubtful,
    /// The same where a wrong message could spoil the session: segments are searched that consist of messages.
    BehindGap,
    /// Message boundaries are unknown.
    Lost,
}

/// The content of the next bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum NextContent {
    /// Attributes read once.
    Once,
    /// A message.
    #[default]
    Message,
    /// An invalid message; what follows is unknown.
    Broken,
    /// A message whose declared size exceeds the limit.
    Huge(usize),
    /// Bytes whose content is unknown.
    Unknown(Cause),
}

/// Maximum size of attributes read once that messages use.
const ONCE: usize = 1 << 16;

/// Maximum number of buffered bytes while the message boundary is uncertain.
const DOUBTFUL: usize = 1 << 16;

impl Half {
    /// A direction that begins here, at its very first bytes or not.
    pub(super) fn new(direction: &Direction, from_start: bool) -> Half {
        let has_once = matches!(direction.unit, UnitCode::Run(run) if run.has_once);
        let phase = match (has_once, from_start) {
            (true, true) => Phase::Beginning,
            (true, false) => Phase::Joined,
            (false, true) => Phase::Messages,
            (false, false) => Phase::Doubtful,
        };
        Half { phase, ..Half::default() }
    }

    /// Goes on behind missing bytes; the next message is looked for in this phase unless they are inside of one.
    pub(super) fn gap(&mut self, missing: Missing, then: Phase) {
        (self.search, self.work, self.chained) = (Search::default(), 0, 0);
        if !missing.in_step && self.phase != Phase::Lost {
            self.phase = then;
        }
    }

    /// A copy to read ahead with.
    pub(super) fn fork(&self) -> Half {
        Half {
            phase: self.phase,
            next: self.next,
            once: self.once.clone(),
            index: self.index,
            search: Search::default(),
            work: 0,
            held: self.held.clone(),
            running: self.running.fork(),
            says_unknown: self.says_unknown,
            chained: self.chained,
            ends_segment: self.ends_segment,
            remark: self.remark,
            has_remarked: self.has_remarked,
            resumes: self.resumes,
        }
    }

    /// Takes bytes whose content is unknown: a message that says so, then data.
    pub(super) fn unknown(&mut self, cause: Cause, len: usize) -> Extent {
        if std::mem::replace(&mut self.says_unknown, true) {
            return Extent::Unknown(len);
        }
        self.next = NextContent::Unknown(cause);
        Extent::Message(len)
    }

    /// Why the next bytes are unknown, if they are.
    pub(super) fn next_unknown(&mut self) -> Option<Cause> {
        let NextContent::Unknown(cause) = self.next else { return None };
        self.next = NextContent::Message;
        self.says_unknown = true;
        Some(cause)
    }

    /// Looks for messages again where the content was unknown.
    pub(super) fn reopen(&mut self) {
        self.says_unknown = false;
        self.phase = Phase::BehindGap;
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.once.as_deref().map_or(0, <[u8]>::len) + self.held.len() * size_of::<Held>() + self.running.memory()
    }
}

/// A direction during processing.
pub(super) struct Reading<'s> {
    pub(super) file: &'static File,
    pub(super) direction: &'static Direction,
    pub(super) half: &'s mut Half,
    pub(super) from: Side,
}

impl Reading<'_> {
    /// Maximum message size.
    fn most(&self) -> usize {
        let most = limits::STREAM_MESSAGE.get();
        self.file.max_message.map_or(most, |own| own.min(most))
    }

    pub(super) fn extent(&mut self, ahead: &[u8], more: bool) -> Extent {
        if self.file.is_connection {
            return self.whole(ahead, more);
        }
        match self.half.phase {
            Phase::Beginning => self.beginning(ahead, more),
            Phase::Joined => self.joined(ahead, more),
            Phase::Messages => self.message(ahead, more),
            Phase::Doubtful => self.doubtful(ahead, more),
            Phase::BehindGap => self.behind_gap(ahead, more),
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

    /// Reads a message if all of it is valid, else the attributes read once.
    fn joined(&mut self, ahead: &[u8], more: bool) -> Extent {
        let message = self.measure_message(ahead, (Measure::All, more));
        self.half.search = Search::default();
        let is_message = match (message.end, message.is_named) {
            (Measured::Message(end), name) => end > 0 && name != Some(false),
            (Measured::Unknown(_), _) => true,
            (Measured::Exactly(end) | Measured::Least(end), name) => name != Some(false) && end <= DOUBTFUL.min(self.most()),
            (Measured::Broken(_), _) => false,
        };
        if is_message {
            self.half.phase = Phase::Doubtful;
            return self.doubtful(ahead, more);
        }
        self.half.phase = Phase::Beginning;
        self.beginning(ahead, more)
    }

    /// Reads the attributes read once, or the first message if the capture began later.
    fn beginning(&mut self, ahead: &[u8], more: bool) -> Extent {
        let UnitCode::Run(run) = self.direction.unit else { return self.message(ahead, more) };
        match self.measure(UnitPart::Once(run), ahead, (Measure::Ends, more)).end {
            Measured::Message(0) => {
                self.half.phase = Phase::Messages;
                self.message(ahead, more)
            }
            // The capture began later, or the opening depends on what is unknown.
            Measured::Unknown(_) => {
                self.half.phase = Phase::Doubtful;
                self.doubtful(ahead, more)
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
        if let Measured::Unknown(cause) = first.end {
            return self.opaque(cause, ahead);
        }
        if first.has_unknown {
            return self.unverified(ahead, more);
        }
        let is_one = match (first.end, first.is_named) {
            (Measured::Unknown(_), _) => false,
            (Measured::Broken(_) | Measured::Message(0), _) => false,
            (Measured::Exactly(end) | Measured::Least(end), _) => end <= DOUBTFUL.min(self.most()),
            (Measured::Message(end), None | Some(true)) => {
                first.undescribed.is_none_or(|value| self.is_followed(value, end, ahead, more))
            }
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
                    (Measured::Broken(_) | Measured::Unknown(_), _) => false,
                }
            }
        };
        if is_one {
            return self.found(NextContent::Message, first.end, ahead, more);
        }
        self.half.phase = Phase::Lost;
        self.resynchronize(ahead, more)
    }

    /// Reads messages whose content shows nothing, because it is unknown, if they have all bytes that have arrived.
    fn unverified(&mut self, ahead: &[u8], more: bool) -> Extent {
        loop {
            let at = self.half.chained;
            if at >= ahead.len() {
                self.half.chained = 0;
                self.half.phase = Phase::Messages;
                return self.message(ahead, more);
            }
            self.half.search = Search::default();
            match self.measure_message(ahead.get(at..).unwrap_or_default(), (Measure::All, more)).end {
                Measured::Message(end) if end > 0 => self.half.chained = at + end,
                Measured::Exactly(end) | Measured::Least(end) if more && at + end <= DOUBTFUL.min(self.most()) => {
                    return Extent::NeedMore(at + end);
                }
                _ => {
                    self.half.chained = 0;
                    self.half.phase = Phase::Lost;
                    return self.resynchronize(ahead, more);
                }
            }
        }
    }

    /// Reads messages again from a segment on of which they have all bytes that have arrived.
    fn behind_gap(&mut self, ahead: &[u8], more: bool) -> Extent {
        let mut at = 0;
        while at < ahead.len() {
            let measured = self.measure_message(ahead.get(at..).unwrap_or_default(), (Measure::All, more));
            self.half.search = Search::default();
            match measured.end {
                Measured::Message(end) if end > 0 => at += end,
                _ => {
                    self.half.resumes = true;
                    return Extent::Segment;
                }
            }
        }
        self.half.phase = Phase::Messages;
        self.message(ahead, more)
    }

    fn message(&mut self, ahead: &[u8], more: bool) -> Extent {
        let measured = self.measure_message(ahead, (Measure::Ends, more));
        let end = match (measured.end, measured.undescribed) {
            (Measured::Message(end), Some(value)) if !self.is_followed(value, end, ahead, more) => {
                self.half.remark = Some(Remark::Lost);
                Measured::Broken(end)
            }
            (end, _) => end,
        };
        self.found(NextContent::Message, end, ahead, more)
    }

    /// Whether a message follows that the file describes, or the end of the segment. Else a value without a case has content of
    /// unknown size.
    fn is_followed(&mut self, value: i128, end: usize, ahead: &[u8], more: bool) -> bool {
        /// Maximum number of messages without content in a row that are examined.
        const MOST: usize = 16;
        let mut at = end;
        let mut is_followed = true;
        for _ in 0..MOST {
            if at >= ahead.len() || at == 0 {
                break;
            }
            self.half.search = Search::default();
            let next = self.measure_message(ahead.get(at..).unwrap_or_default(), (Measure::All, more));
            is_followed = match (next.end, next.undescribed) {
                (Measured::Message(0) | Measured::Broken(_), _) => false,
                (Measured::Unknown(_), _) => true,
                (Measured::Message(len), Some(other)) => {
                    at += len;
                    next.is_named == Some(true) || value == other
                }
                (Measured::Exactly(end) | Measured::Least(end), _) => {
                    more && next.is_named != Some(false) && end <= DOUBTFUL.min(self.most())
                }
                (Measured::Message(_), None) => next.is_named != Some(false),
            };
            let is_without = matches!((next.end, next.undescribed), (Measured::Message(_), Some(_)));
            if !is_followed || !is_without {
                break;
            }
        }
        self.half.search = Search::default();
        is_followed
    }

    fn measure_message(&mut self, ahead: &[u8], measure: (Measure, bool)) -> measure::Result {
        let once = self.half.once.take();
        let measured = self.measure(UnitPart::message(self.direction.unit, once.as_deref()), ahead, measure);
        self.half.once = once;
        measured
    }

    fn measure(&mut self, part: UnitPart<'_>, ahead: &[u8], (measure, more): (Measure, bool)) -> measure::Result {
        let context = Context { from: Some(self.from), ports: [0; 2], index: self.half.index, opcode: 0 };
        let ahead = ahead.get(..self.most()).unwrap_or(ahead);
        let search = &mut self.half.search;
        let program = &self.file.program;
        let view = SessionView { held: &self.half.held, running: Running::default(), ahead: Some(&self.half.running) };
        let mut measured =
            File::with_memory(|memory| measure::measure(program, part, ahead, (measure, more), (context, view), search, memory));
        self.half.work = self.half.work.saturating_add(measured.work);
        if let (Measured::Broken(end), Resync::Segment) = (&mut measured.end, self.file.resync) {
            // The rest of the segment follows as data.
            *end = measured.read.max(1);
        }
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
                self.half.ends_segment = end >= ahead.len();
                return Extent::Message(end.clamp(1, ahead.len().max(1)));
            }
            Measured::Unknown(cause) => return self.opaque(cause, ahead),
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

    /// Takes bytes whose content is unknown.
    fn opaque(&mut self, cause: Cause, ahead: &[u8]) -> Extent {
        self.half.next = NextContent::Unknown(cause);
        Extent::Message(ahead.len())
    }

    /// Searches for the magic, or for a segment with a message, after bytes outside of messages.
    fn resynchronize(&mut self, ahead: &[u8], more: bool) -> Extent {
        let longest = self.file.magic.iter().map(Vec::len).max().unwrap_or_default();
        match self.file.resync {
            Resync::No => return Extent::Unknown(ahead.len()),
            Resync::Segment => {
                self.half.phase = Phase::Doubtful;
                self.half.resumes = true;
                return Extent::Segment;
            }
            Resync::Magic => {}
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

    /// The part of the file that describes the next message, and its context.
    fn part<'o>(&self, once: Option<&'o [u8]>) -> (UnitPart<'o>, u32) {
        let (of, place) = self.direction.root;
        match self.direction.unit {
            _ if self.file.is_connection => (UnitPart::Whole(of), place),
            UnitCode::Run(run) if self.half.phase == Phase::Beginning => (UnitPart::Once(run), place),
            unit => (UnitPart::message(unit, once), self.direction.place),
        }
    }

    /// Counts a message, or keeps its bytes if they are attributes read once.
    fn count(&mut self, once: Option<Box<[u8]>>, bytes: &[u8]) {
        if self.half.phase != Phase::Beginning {
            self.half.once = once;
            self.half.index += 1;
            return;
        }
        let uses = matches!(self.direction.unit, UnitCode::Run(run) if run.uses_once);
        self.half.once = Some(bytes).filter(|bytes| uses && bytes.len() <= ONCE).map(Box::from);
    }

    /// What the next message says about a value without a case: where the messages end, or once.
    fn remark(&mut self) -> Option<Remark> {
        self.half.remark.take().or((!self.half.has_remarked).then_some(Remark::NoContent))
    }

    /// Dissects the next message. Returns what it left for the session as well.
    pub(super) fn dissect(&mut self, wire: &mut Wire<'_>) -> (Result, After) {
        let next = std::mem::take(&mut self.half.next);
        (self.half.search, self.half.work) = (Search::default(), 0);
        if std::mem::take(&mut self.half.resumes) {
            wire.note_layer(&notes::RESUMED, format_args!("message boundaries were lost; this segment begins with a message"));
        }
        let (bytes, range) = wire.whole();
        let once = self.half.once.take();
        let (part, place) = self.part(once.as_deref());
        let context = Context { from: Some(self.from), ports: ports(wire), index: self.half.index, opcode: 0 };
        let is_cut = matches!(next, NextContent::Huge(_));
        let remark = self.remark();
        let view = SessionView { held: &self.half.held, running: std::mem::take(&mut self.half.running), ahead: None };
        let message = Message { part, place, slot: self.direction.slot, context, is_cut, remark };
        let (result, mut after) = self.file.dissect(&message, view, wire);
        self.half.running = std::mem::take(&mut after.running);
        self.half.has_remarked |= after.has_remarked;
        self.count(once, bytes.get(range).unwrap_or_default());
        self.half.phase = match (next, wire.cut()) {
            (NextContent::Broken, _) if self.half.ends_segment && self.file.resync == Resync::Segment => {
                self.half.resumes = true;
                Phase::Doubtful
            }
            (NextContent::Broken | NextContent::Huge(_), _) => Phase::Lost,
            // Bytes after a hole in a message continue it only if its end is known.
            _ => Phase::Messages,
        };
        let result = match (next, result) {
            (NextContent::Huge(claimed), _) => {
                wire.malformed(&HUGE, format_args!("{claimed} bytes; {} is the most", self.most()))
            }
            (_, result) => result,
        };
        (result, after)
    }

    /// Reads the next message without output. Returns whether it is sound, and what it left.
    pub(super) fn rehearse(&mut self, bytes: &[u8]) -> (bool, After) {
        let next = std::mem::take(&mut self.half.next);
        (self.half.search, self.half.work) = (Search::default(), 0);
        let is_whole = next == NextContent::Message || next == NextContent::Once;
        let once = self.half.once.take();
        let (part, _) = self.part(once.as_deref());
        let context = Context { from: Some(self.from), ports: [0; 2], index: self.half.index, opcode: 0 };
        let view = SessionView { held: &self.half.held, running: std::mem::take(&mut self.half.running), ahead: None };
        let program = &self.file.program;
        let (is_sound, mut after) = File::with_memory(|memory| measure::rehearse(program, part, bytes, context, view, memory));
        self.half.running = std::mem::take(&mut after.running);
        self.count(once, bytes);
        self.half.phase = Phase::Messages;
        (is_sound && is_whole, after)
    }
}
