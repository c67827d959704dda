//! Reassembly of messages from numbered fragments, and their order within streams, as in SCTP.
//!
//! Every fragment has a transmission sequence number (TSN) of its direction; a message is a run from a first to a last fragment.
//! Messages of a stream are delivered in order of their stream sequence number (SSN), unless they are unordered. All tables are
//! bounded, and each fragment is processed a constant number of times.

use crate::tree::{Piece, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that incomplete or waiting messages of one direction may hold.
const MAX_HELD: usize = 1 << 20;

/// Maximum number of TSNs after a missing one that are stored as received.
const MAX_SEEN: usize = 4096;

/// Maximum number of messages per direction that wait for an earlier one.
const MAX_WAITING: usize = 64;

/// Maximum number of streams per direction whose next SSN is stored.
const MAX_STREAMS: usize = 1024;

/// Overhead of a fragment in bytes.
const OVERHEAD: usize = 128;

/// A captured fragment.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Transmission sequence number.
    pub tsn: u32,
    /// Stream identifier.
    pub sid: u16,
    /// Stream sequence number.
    pub ssn: u16,
    /// Payload protocol identifier.
    pub ppid: u32,
    /// Whether the message is delivered without regard to its SSN.
    pub unordered: bool,
    /// Whether it is the first fragment of the message.
    pub begins: bool,
    /// Whether it is the last fragment.
    pub ends: bool,
    pub bytes: &'a [u8],
    /// The frame that carried it.
    pub frame: u64,
    /// Offset of its bytes in that frame.
    pub at: u32,
    /// Capture time of that frame.
    pub time: Time,
}

/// A complete message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Stream identifier.
    pub sid: u16,
    /// Payload protocol identifier.
    pub ppid: u32,
    pub bytes: Vec<u8>,
    /// Their origin in frames; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
    ssn: u16,
    unordered: bool,
}

#[derive(Debug)]
struct Fragment {
    sid: u16,
    ssn: u16,
    ppid: u32,
    unordered: bool,
    begins: bool,
    ends: bool,
    bytes: Vec<u8>,
    frame: u64,
    at: u32,
    time: Time,
}

/// One direction of an association.
#[derive(Debug, Default)]
pub struct Messages {
    /// The highest TSN so far, without wrap-around.
    highest: Option<i64>,
    /// TSNs below this one were received, or are too old.
    floor: i64,
    /// Received TSNs from `floor` on.
    seen: BTreeSet<i64>,
    /// Fragments of incomplete messages.
    fragments: BTreeMap<i64, Fragment>,
    /// Runs of fragments of one message: first and last TSN.
    runs: BTreeMap<i64, i64>,
    /// The next SSN of each stream.
    next: BTreeMap<u16, u16>,
    /// Messages that wait for one with a lower SSN.
    waiting: Vec<Message>,
    /// Whether the direction was captured from its start, so that SSNs begin with 0.
    from_start: bool,
    held: usize,
    given_up: u64,
}

impl Messages {
    /// Creates a direction whose first fragment will have this TSN.
    pub fn from_start(first: u32) -> Messages {
        let floor = i64::from(first);
        Messages { highest: Some(floor - 1), floor, from_start: true, ..Messages::default() }
    }

    /// Bytes held by incomplete and waiting messages.
    pub fn memory_usage(&self) -> usize {
        self.held
    }

    /// How often fragments were dropped because of a limit since the last call.
    pub fn take_given_up(&mut self) -> u64 {
        std::mem::take(&mut self.given_up)
    }

    /// Accepts a fragment. Returns the messages that can be delivered now, in order.
    pub fn accept(&mut self, chunk: &Chunk<'_>) -> Vec<Message> {
        let number = self.unwrapped(chunk.tsn);
        if !self.is_new(number) {
            return Vec::new();
        }
        let fragment = Fragment {
            sid: chunk.sid,
            ssn: chunk.ssn,
            ppid: chunk.ppid,
            unordered: chunk.unordered,
            begins: chunk.begins,
            ends: chunk.ends,
            bytes: chunk.bytes.to_vec(),
            frame: chunk.frame,
            at: chunk.at,
            time: chunk.time,
        };
        self.held += fragment.bytes.len() + OVERHEAD;
        let run = self.join(number, &fragment);
        self.fragments.insert(number, fragment);
        let mut delivered = match self.take_whole(run) {
            Some(message) => self.ordered(message),
            None => Vec::new(),
        };
        if self.held > MAX_HELD {
            delivered.extend(self.give_up());
        }
        delivered
    }

    /// Drops incomplete messages, and returns the messages that wait for an earlier one.
    pub fn give_up(&mut self) -> Vec<Message> {
        self.given_up += u64::from(!self.fragments.is_empty());
        self.fragments.clear();
        self.runs.clear();
        self.held = 0;
        let waiting = std::mem::take(&mut self.waiting);
        self.in_order(waiting)
    }

    /// The TSN without wrap-around: the value nearest to the highest so far.
    fn unwrapped(&mut self, tsn: u32) -> i64 {
        let Some(highest) = self.highest else {
            self.floor = i64::from(tsn);
            self.highest = Some(self.floor);
            return self.floor;
        };
        let [a, b, c, d, ..] = highest.to_le_bytes();
        let step = tsn.wrapping_sub(u32::from_le_bytes([a, b, c, d])).cast_signed();
        let number = highest.saturating_add(step.into());
        self.highest = Some(highest.max(number));
        number
    }

    /// Whether a TSN was not received before. Marks it as received.
    fn is_new(&mut self, number: i64) -> bool {
        if number < self.floor || !self.seen.insert(number) {
            return false;
        }
        while self.seen.first() == Some(&self.floor) || self.seen.len() > MAX_SEEN {
            let Some(first) = self.seen.pop_first() else { break };
            self.floor = first + 1;
        }
        true
    }

    /// Joins a fragment with the runs before and after it. Returns the first and last TSN of its run.
    fn join(&mut self, number: i64, fragment: &Fragment) -> (i64, i64) {
        let (mut first, mut last) = (number, number);
        let before = self.runs.range(..number).next_back().map(|(first, last)| (*first, *last));
        if let Some((start, end)) = before.filter(|(_, end)| end + 1 == number && !fragment.begins)
            && self.fragments.get(&end).is_some_and(|before| !before.ends)
        {
            first = start;
        }
        if !fragment.ends
            && self.fragments.get(&(number + 1)).is_some_and(|behind| !behind.begins)
            && let Some(end) = self.runs.remove(&(number + 1))
        {
            last = end;
        }
        self.runs.insert(first, last);
        (first, last)
    }

    /// The message of a run, if it is complete.
    fn take_whole(&mut self, (first, last): (i64, i64)) -> Option<Message> {
        let begins = self.fragments.get(&first)?.begins;
        if !begins || !self.fragments.get(&last)?.ends {
            return None;
        }
        self.runs.remove(&first);
        let mut message: Option<Message> = None;
        for number in first..=last {
            let Some(fragment) = self.fragments.remove(&number) else { continue };
            self.held = self.held.saturating_sub(fragment.bytes.len() + OVERHEAD);
            let Fragment { sid, ssn, ppid, unordered, frame, at, time, .. } = fragment;
            let empty = Message { sid, ppid, bytes: Vec::new(), pieces: Vec::new(), ssn, unordered };
            let message = message.get_or_insert(empty);
            let len = u32::try_from(fragment.bytes.len()).unwrap_or(u32::MAX);
            message.pieces.push(Piece { off: message.bytes.len() as u64, len, frame, at, time });
            message.bytes.extend_from_slice(&fragment.bytes);
        }
        message
    }

    /// The messages that can be delivered once this one is complete.
    fn ordered(&mut self, message: Message) -> Vec<Message> {
        if message.unordered {
            return vec![message];
        }
        let sid = message.sid;
        if self.next.len() >= MAX_STREAMS && !self.next.contains_key(&sid) {
            return vec![message];
        }
        let first = if self.from_start { 0 } else { message.ssn };
        let next = self.next.entry(sid).or_insert(first);
        let ahead = message.ssn.wrapping_sub(*next).cast_signed();
        if ahead < 0 {
            return vec![message];
        }
        if ahead > 0 {
            self.held += message.bytes.len() + OVERHEAD;
            self.waiting.push(message);
            if self.waiting.len() <= MAX_WAITING {
                return Vec::new();
            }
            let waiting = std::mem::take(&mut self.waiting);
            let bytes: usize = waiting.iter().map(|message| message.bytes.len() + OVERHEAD).sum();
            self.held = self.held.saturating_sub(bytes);
            return self.in_order(waiting);
        }
        *next = message.ssn.wrapping_add(1);
        let mut delivered = vec![message];
        while let Some(place) =
            self.waiting.iter().position(|message| message.sid == sid && self.next.get(&sid) == Some(&message.ssn))
        {
            let message = self.waiting.remove(place);
            self.held = self.held.saturating_sub(message.bytes.len() + OVERHEAD);
            self.next.insert(sid, message.ssn.wrapping_add(1));
            delivered.push(message);
        }
        delivered
    }

    /// Sorts messages whose predecessors are given up.
    fn in_order(&mut self, mut messages: Vec<Message>) -> Vec<Message> {
        let next = &self.next;
        messages
            .sort_by_key(|message| (message.sid, message.ssn.wrapping_sub(next.get(&message.sid).copied().unwrap_or_default())));
        for message in &messages {
            self.next.insert(message.sid, message.ssn.wrapping_add(1));
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIRST: u8 = 1;
    const LAST: u8 = 2;
    const UNORDERED: u8 = 4;

    fn chunk(tsn: u32, ssn: u16, flags: u8, bytes: &[u8]) -> Chunk<'_> {
        let has = |flag| flags & flag != 0;
        let (unordered, begins, ends) = (has(UNORDERED), has(FIRST), has(LAST));
        Chunk { tsn, sid: 0, ssn, ppid: 0, unordered, begins, ends, bytes, frame: tsn.into(), at: 7, time: None }
    }

    fn delivered(messages: &mut Messages, chunks: &[Chunk<'_>]) -> Vec<Vec<u8>> {
        chunks.iter().flat_map(|chunk| messages.accept(chunk)).map(|message| message.bytes).collect()
    }

    #[test]
    fn fragments_are_joined_in_any_order() {
        let chunks = [chunk(u32::MAX, 0, FIRST, b"a"), chunk(0, 0, 0, b"b"), chunk(1, 0, LAST, b"c")];
        for order in [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 0, 2]] {
            let mut messages = Messages::from_start(u32::MAX);
            assert_eq!(delivered(&mut messages, &order.map(|at| chunks[at])), [b"abc"]);
            assert_eq!(messages.memory_usage(), 0);
        }
        let mut messages = Messages::from_start(u32::MAX);
        let pieces = chunks.iter().flat_map(|chunk| messages.accept(chunk)).next().unwrap().pieces;
        assert_eq!(
            pieces.iter().map(|piece| (piece.off, piece.frame)).collect::<Vec<_>>(),
            [(0, u32::MAX.into()), (1, 0), (2, 1)]
        );
    }

    #[test]
    fn fragments_of_neighbouring_messages_are_not_mixed() {
        let chunks = [chunk(2, 1, FIRST, b"c"), chunk(1, 0, LAST, b"b"), chunk(3, 1, LAST, b"d"), chunk(0, 0, FIRST, b"a")];
        assert_eq!(delivered(&mut Messages::from_start(0), &chunks), [b"ab", b"cd"]);
    }

    #[test]
    fn messages_of_a_stream_are_delivered_in_order_and_unordered_ones_at_once() {
        const WHOLE: u8 = FIRST | LAST;
        let chunks =
            [chunk(1, 1, WHOLE, b"b"), chunk(2, 9, WHOLE | UNORDERED, b"u"), chunk(0, 0, WHOLE, b"a"), chunk(3, 2, WHOLE, b"c")];
        assert_eq!(delivered(&mut Messages::from_start(0), &chunks), [b"u", b"a", b"b", b"c"]);
    }

    #[test]
    fn a_retransmission_is_not_delivered_again() {
        const WHOLE: u8 = FIRST | LAST;
        let chunks = [chunk(5, 0, WHOLE, b"a"), chunk(5, 0, WHOLE, b"a"), chunk(7, 2, WHOLE, b"c"), chunk(7, 2, WHOLE, b"c")];
        let mut messages = Messages::default();
        assert_eq!(delivered(&mut messages, &chunks), [b"a"]);
        assert_eq!(messages.give_up().len(), 1);
    }

    #[test]
    fn pending_messages_are_bounded() {
        let mut messages = Messages::default();
        let part = [0; 1000];
        for tsn in 0..20_000 {
            messages.accept(&chunk(2 * tsn, 0, 0, &part));
            assert!(messages.memory_usage() <= MAX_HELD && messages.seen.len() <= MAX_SEEN);
        }
        assert!(messages.take_given_up() > 0);
        for ssn in 2..200 {
            messages.accept(&chunk(50_000 + u32::from(ssn), ssn, FIRST | LAST, b"x"));
            assert!(messages.waiting.len() <= MAX_WAITING);
        }
    }

    proptest! {
        #[test]
        fn messages_are_delivered_once(chunks in prop::collection::vec((0_u32..40, 0_u16..6, 0_u8..8), 0..120)) {
            let mut messages = Messages::default();
            let mut frames = Vec::new();
            for (tsn, ssn, flags) in chunks {
                for message in messages.accept(&chunk(tsn, ssn, flags, b"x")) {
                    frames.extend(message.pieces.iter().map(|piece| piece.frame));
                }
            }
            frames.extend(messages.give_up().iter().flat_map(|message| &message.pieces).map(|piece| piece.frame));
            let count = frames.len();
            frames.sort_unstable();
            frames.dedup();
            prop_assert_eq!(frames.len(), count);
            prop_assert_eq!(messages.memory_usage(), 0);
        }
    }
}
