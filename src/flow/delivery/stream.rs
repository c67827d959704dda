//! One ordered stream of a direction.

use super::numbers::{Places, near};
use super::{Added, COUNT_MAX, Element, Event, Fate, Fragment, HELD, Joined, Part, ReassemblyTable, Width};
use crate::tree::Piece;
use foldhash::fast::FixedState;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// Number of later elements of a stream after which an element that never came is given up.
const LATER: u64 = 256;

/// Number of elements at the beginning of a stream that show whether numbers begin anew.
const OPENING: usize = 16;

/// Overhead of an element that waits, besides its bytes.
const OVERHEAD: usize = 96;

/// The state of a stream. Numbers are extended, so that they do not wrap around.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// The highest number so far.
    latest: Option<u64>,
    /// The number that is delivered next.
    next: Option<u64>,
    seen: Places,
    waiting: BTreeMap<u64, Waiting>,
    /// Bytes that wait.
    held: usize,
    /// The first number after `next` that has not been received.
    frontier: u64,
    /// Messages whose parts are incomplete.
    open: BTreeMap<u64, Open>,
    parts: ReassemblyTable,
    run: Option<Run>,
    /// Whether the element before `next` ended a message.
    is_between: bool,
    once: Places,
    latest_once: Option<u64>,
    /// Hashes of the first elements.
    opening: Vec<(u64, u64)>,
    /// Number of elements so far.
    accepted: u64,
}

/// An element that waits for its turn.
#[derive(Debug, Clone)]
enum Waiting {
    Whole(Joined),
    Left(u64, Joined),
    /// A part of this message.
    Part(u64),
    /// Another part of a message that is delivered earlier.
    Passed,
}

/// A message whose parts are incomplete.
#[derive(Debug, Clone, Default)]
struct Open {
    /// The numbers of its elements.
    numbers: Vec<u64>,
    /// The count of elements when the last part came.
    touched: u64,
}

/// A message whose fragments count down.
#[derive(Debug, Clone)]
struct Run {
    left: u64,
    received: u64,
    is_whole: bool,
    joined: Joined,
}

impl Stream {
    /// Takes the next element.
    pub(super) fn accept(&mut self, element: &Element<'_>, width: Width, events: &mut Vec<Event>) -> Fate {
        self.accepted += 1;
        let Some(order) = element.order else {
            let fate = self.unordered(element, width, events);
            self.advance(element.stream, width, events);
            return fate;
        };
        let mut number = extended(self.latest, order, width.order);
        if self.begins_anew(number, element) {
            self.finish(element.stream, width, events);
            *self = Stream::default();
            number = extended(None, order, width.order);
        }
        self.latest = self.latest.max(Some(number));
        if self.next.is_none() {
            (self.next, self.frontier, self.is_between) = (Some(number), number, order == 0);
        }
        if self.opening.len() < OPENING {
            self.opening.push((number, hash(element.bytes)));
        }
        let fate = match element.fragment {
            Fragment::Whole => self.single(number, element, None, events),
            Fragment::Left(left) => self.single(number, element, Some(left), events),
            Fragment::Part { .. } | Fragment::At { .. } => self.part(Some(number), element, events),
        };
        self.advance(element.stream, width, events);
        fate
    }

    /// Whether an element shows that a new stream begins: a number of the beginning with other bytes.
    fn begins_anew(&self, number: u64, element: &Element<'_>) -> bool {
        let is_single = matches!(element.fragment, Fragment::Whole | Fragment::Left(_));
        let known = self.opening.iter().find(|(known, _)| *known == number);
        is_single && self.next > Some(number) && known.is_some_and(|(_, known)| *known != hash(element.bytes))
    }

    /// An element that is delivered at once.
    fn unordered(&mut self, element: &Element<'_>, width: Width, events: &mut Vec<Event>) -> Fate {
        if let Some(once) = element.once {
            let number = extended(self.latest_once, once, width.once);
            self.latest_once = self.latest_once.max(Some(number));
            if !self.once.insert(number) {
                return Fate::Repeated;
            }
        }
        match element.fragment {
            Fragment::Whole | Fragment::Left(0) => Fate::Now { is_whole: true },
            Fragment::Left(_) => Fate::Wrong,
            Fragment::Part { .. } | Fragment::At { .. } => self.part(None, element, events),
        }
    }

    /// A whole message, or a fragment of consecutive ones.
    fn single(&mut self, number: u64, element: &Element<'_>, left: Option<u64>, events: &mut Vec<Event>) -> Fate {
        let next = self.next.unwrap_or(number);
        if !self.seen.insert(number) {
            return match self.waiting.get(&number) {
                Some(Waiting::Whole(known) | Waiting::Left(_, known)) if known.bytes != element.bytes => Fate::Conflict,
                _ => Fate::Repeated,
            };
        }
        if number < next {
            // It was given up, or comes before the first one.
            return match left {
                None => Fate::Now { is_whole: true },
                Some(_) => {
                    events.push(incomplete(joined(element), 1));
                    Fate::Taken
                }
            };
        }
        if number == next && self.run.is_none() && left.unwrap_or_default() == 0 {
            let is_whole = left.is_none() || self.is_between;
            self.is_between = true;
            self.pass();
            return Fate::Now { is_whole };
        }
        let joined = joined(element);
        let waiting = match left {
            None => Waiting::Whole(joined),
            Some(left) => Waiting::Left(left, joined),
        };
        self.wait(number, waiting);
        Fate::Taken
    }

    /// A part of a message.
    fn part(&mut self, number: Option<u64>, element: &Element<'_>, events: &mut Vec<Event>) -> Fate {
        if let Some(number) = number {
            let is_complete = self.waiting.get(&number).is_some_and(|known| !matches!(known, Waiting::Part(_)));
            // A number below `next` that was not seen in its turn is late, not repeated.
            if is_complete || self.next > Some(number) && !self.seen.insert(number) {
                return Fate::Repeated;
            }
        }
        let (id, index, count, is_at) = match element.fragment {
            Fragment::Part { id, index, count } => (id, index, count, false),
            Fragment::At { id, offset, total } => (id, offset, total, true),
            Fragment::Whole | Fragment::Left(_) => return Fate::Wrong,
        };
        let most = if is_at { HELD as u64 } else { COUNT_MAX.into() };
        let (Ok(index), Ok(count)) = (u32::try_from(index), u32::try_from(count)) else { return Fate::Wrong };
        if index >= count || u64::from(count) > most || is_at && element.bytes.is_empty() {
            return Fate::Wrong;
        }
        let part = Part { id, count, index, bytes: element.bytes, pieces: element.pieces };
        let mut evicted = Vec::new();
        let on_evict = |message: super::EvictedMessage, joined| evicted.push((message.id, message.received, joined));
        let added = if is_at { self.parts.add_at(part, on_evict) } else { self.parts.add(part, on_evict) };
        for (evicted, received, joined) in evicted {
            self.close(evicted);
            events.push(incomplete(joined, received as u64));
        }
        match added {
            Added::Duplicate => Fate::Repeated,
            Added::Conflict => Fate::Conflict,
            Added::Incomplete => {
                self.open_part(id, number);
                Fate::Taken
            }
            Added::Complete(joined) => {
                self.open_part(id, number);
                self.complete(id, joined, events);
                Fate::Taken
            }
        }
    }

    /// Notes that a part of a message waits.
    fn open_part(&mut self, id: u64, number: Option<u64>) {
        let open = self.open.entry(id).or_default();
        open.touched = self.accepted;
        let Some(number) = number.filter(|number| self.next <= Some(*number)) else { return };
        self.seen.insert(number);
        if !self.waiting.contains_key(&number) {
            open.numbers.push(number);
            self.wait(number, Waiting::Part(id));
        }
    }

    /// A message is complete: it is delivered in the turn of its first part.
    fn complete(&mut self, id: u64, joined: Joined, events: &mut Vec<Event>) {
        match self.close(id) {
            Some(first) => self.wait(first, Waiting::Whole(joined)),
            None => events.push(message(joined, true)),
        }
    }

    /// Forgets the parts of a message. Returns the number of the first one that waits.
    fn close(&mut self, id: u64) -> Option<u64> {
        let open = self.open.remove(&id)?;
        for number in &open.numbers {
            if let Some(waiting) = self.waiting.get_mut(number) {
                *waiting = Waiting::Passed;
            }
        }
        open.numbers.into_iter().filter(|number| self.waiting.contains_key(number)).min()
    }

    fn wait(&mut self, number: u64, waiting: Waiting) {
        self.held += waiting.memory();
        if let Some(before) = self.waiting.insert(number, waiting) {
            self.held = self.held.saturating_sub(before.memory());
        }
    }

    /// Goes on to the next number.
    fn pass(&mut self) {
        self.next = self.next.map(|next| next + 1);
        self.frontier = self.frontier.max(self.next.unwrap_or_default());
    }

    /// Delivers what has its turn, and gives up what is missing for long.
    fn advance(&mut self, stream: u64, width: Width, events: &mut Vec<Event>) {
        loop {
            self.deliver(events);
            while self.waiting.contains_key(&self.frontier) {
                self.frontier += 1;
            }
            let Some(next) = self.next else { break };
            let beyond = (self.waiting.len() as u64).saturating_sub(self.frontier.saturating_sub(next));
            let is_stalled = match self.waiting.get(&next) {
                Some(Waiting::Part(id)) => self.is_stalled(*id),
                _ => false,
            };
            if beyond <= LATER && !is_stalled || !self.give_up(stream, width, events) {
                break;
            }
        }
        // Parts without order hold up nothing, but they do not wait forever.
        while let Some(id) = self.parts.oldest().filter(|id| self.is_stalled(*id)) {
            self.give_up_message(id, events);
        }
    }

    fn is_stalled(&self, id: u64) -> bool {
        self.open.get(&id).is_some_and(|open| self.accepted.saturating_sub(open.touched) > LATER)
    }

    /// Delivers what has its turn.
    fn deliver(&mut self, events: &mut Vec<Event>) {
        while let Some(next) = self.next
            && let Some(entry) = self.waiting.first_entry().filter(|entry| *entry.key() <= next)
        {
            if matches!(entry.get(), Waiting::Part(_)) {
                return;
            }
            let waiting = entry.remove();
            self.held = self.held.saturating_sub(waiting.memory());
            match waiting {
                Waiting::Whole(joined) => {
                    self.end_run(events);
                    self.is_between = true;
                    events.push(message(joined, true));
                }
                Waiting::Left(left, joined) => self.fragment(left, joined, events),
                Waiting::Part(_) | Waiting::Passed => {}
            }
            self.pass();
        }
    }

    /// The next fragment of consecutive ones.
    fn fragment(&mut self, left: u64, joined: Joined, events: &mut Vec<Event>) {
        if self.run.as_ref().is_some_and(|run| run.left.checked_sub(1) != Some(left)) {
            self.end_run(events);
        }
        let is_between = std::mem::replace(&mut self.is_between, left == 0);
        let run = match self.run.take() {
            Some(mut run) => {
                run.joined.add(&joined.bytes, &joined.pieces);
                Run { left, received: run.received + 1, ..run }
            }
            None => Run { left, received: 1, is_whole: is_between, joined },
        };
        if left == 0 {
            events.push(message(run.joined, run.is_whole));
        } else {
            self.run = Some(run);
        }
    }

    /// Gives up a message whose later fragments are missing.
    fn end_run(&mut self, events: &mut Vec<Event>) {
        if let Some(run) = self.run.take() {
            self.is_between = false;
            events.push(incomplete(run.joined, run.received));
        }
    }

    /// Gives up a message whose other parts never came.
    fn give_up_message(&mut self, id: u64, events: &mut Vec<Event>) {
        self.close(id);
        if let Some((message, joined)) = self.parts.remove(id) {
            events.push(incomplete(joined, message.received as u64));
        }
    }

    /// Gives up what the elements that wait are waiting for. Returns false if nothing waits.
    fn give_up(&mut self, stream: u64, width: Width, events: &mut Vec<Event>) -> bool {
        let (Some(next), Some(entry)) = (self.next, self.waiting.first_key_value()) else { return false };
        match entry {
            (number, Waiting::Part(id)) if *number <= next => {
                let id = *id;
                self.give_up_message(id, events);
            }
            (number, _) => {
                let number = *number;
                self.end_run(events);
                self.is_between = false;
                if number > next {
                    events.push(Event::Missing { stream, first: wrapped(next, width.order), count: number - next });
                }
                self.next = Some(number.max(next));
                self.frontier = self.frontier.max(number);
            }
        }
        true
    }

    /// Gives up what was first to come, and delivers what waited for it. Returns false if nothing waits.
    pub(super) fn give_up_first(&mut self, stream: u64, width: Width, events: &mut Vec<Event>) -> bool {
        if self.give_up(stream, width, events) {
            self.advance(stream, width, events);
            return true;
        }
        if self.run.is_some() {
            self.end_run(events);
            return true;
        }
        let oldest = self.parts.oldest();
        if let Some(id) = oldest {
            self.give_up_message(id, events);
        }
        oldest.is_some()
    }

    /// Gives up all that is missing.
    pub(super) fn finish(&mut self, stream: u64, width: Width, events: &mut Vec<Event>) {
        while self.give_up_first(stream, width, events) {}
    }

    /// Whether elements wait.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || self.run.is_some() || self.parts.oldest().is_some()
    }

    /// Bytes of memory.
    pub(super) fn memory_usage(&self) -> usize {
        let run = self.run.as_ref().map_or(0, |run| run.joined.memory());
        self.held + run + self.parts.memory_usage() + self.seen.memory_usage() + self.once.memory_usage()
    }
}

impl Waiting {
    fn memory(&self) -> usize {
        match self {
            Waiting::Whole(joined) | Waiting::Left(_, joined) => OVERHEAD + joined.memory(),
            Waiting::Part(_) | Waiting::Passed => OVERHEAD,
        }
    }
}

impl Joined {
    fn memory(&self) -> usize {
        self.bytes.len() + self.pieces.len() * size_of::<Piece>()
    }
}

/// A number without wrap-around.
fn extended(latest: Option<u64>, number: u64, bits: u32) -> u64 {
    // Wider numbers never wrap around.
    if bits > 32 { number.min(u64::MAX / 2) } else { near(latest, number, 1 << bits) }
}

/// A number as it is on the wire.
fn wrapped(number: u64, bits: u32) -> u64 {
    if bits > 32 { number } else { number % (1 << bits) }
}

fn hash(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

fn joined(element: &Element<'_>) -> Joined {
    Joined { bytes: element.bytes.to_vec(), pieces: element.pieces.to_vec() }
}

fn message(Joined { bytes, pieces }: Joined, is_whole: bool) -> Event {
    Event::Message { bytes, pieces, is_whole }
}

fn incomplete(Joined { bytes, pieces }: Joined, received: u64) -> Event {
    Event::Incomplete { bytes, pieces, received }
}
