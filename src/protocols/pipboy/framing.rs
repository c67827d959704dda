//! Message framing: header lengths, and resynchronization after loss.
//!
//! ```text
//! Fresh ── JSON ──────────────► Steady ── a header beyond all limits ──► Abandoned, or Lost where a search led here
//!   │                             ▲
//!   ├── another likely message ─► Trial ── what cannot be a message ──► Lost
//!   │                             ▲
//!   └── an unlikely one ──► Lost ─┴─ a message whose payload proves it       Lost ◄── bytes missing ── Steady, Trial
//! ```

use super::entry::{self, Ahead, DICT, Lists, Stop};
use super::*;
use crate::tree::Side;
use crate::wire::Extent;

/// Maximum length of a message that a search accepts.
const ACCEPTED_MAX: usize = 1 << 20;

/// Bytes of a longer message needed to decide whether a stream begins with it.
const ENOUGH: usize = 64;

/// Maximum length of a malformed message with which a stream begins. It is awaited, together with the header behind it.
const MALFORMED_MAX: usize = 256;

/// Maximum number of heartbeats skipped at the start of a stream.
const HEARTBEATS_MAX: usize = 64;

/// Initial byte budget of searches.
const EFFORT: i64 = 4 << 20;

/// Byte budget gained per skipped byte: the work of searches stays linear in the length of a hostile stream.
const EFFORT_PER_BYTE: i64 = 16;

/// Messages that must be verified before header lengths are trusted.
const PROOFS: u8 = 3;

/// Framing state of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing so far.
    #[default]
    Fresh,
    /// Only heartbeats so far, which are no evidence: the capture may begin anywhere.
    Beating,
    /// A message was found; this many more must be verified, since it may be part of a longer one.
    Trial(u8),
    /// The next message begins at the next byte.
    Steady,
    /// The next message begins at an unknown offset.
    Lost,
    /// Framing cannot be recovered.
    Abandoned,
}

/// Framing of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Framing {
    state: State,
    /// Remaining byte budget of searches.
    effort: i64,
    /// The current framing was found by a search.
    joined: bool,
    /// Bytes skipped since a false match; `None` without one.
    passed: Option<u64>,
}

impl Default for Framing {
    fn default() -> Self {
        Framing { state: State::Fresh, effort: EFFORT, joined: false, passed: None }
    }
}

impl Framing {
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(head) = Head::of(ahead) else {
            return match self.state {
                State::Lost if !more => Extent::Unknown(ahead.len()),
                State::Abandoned => Extent::Unknown(ahead.len()),
                _ => Extent::NeedMore(HEADER),
            };
        };
        if matches!(self.state, State::Fresh | State::Beating)
            && let Some(extent) = self.begin(from, head, ahead, more)
        {
            return extent;
        }
        if let State::Trial(left) = self.state
            && let Some(extent) = self.verify(from, left, ahead, more)
        {
            return extent;
        }
        match self.state {
            State::Steady if head.length > MESSAGE_MAX && !self.joined => {
                self.state = State::Abandoned;
                Extent::Message(HEADER)
            }
            State::Steady if head.length > MESSAGE_MAX => {
                self.fail();
                self.search(from, ahead, more)
            }
            State::Fresh | State::Beating | State::Trial(_) | State::Steady => Extent::Message(head.end()),
            State::Lost => self.search(from, ahead, more),
            State::Abandoned => Extent::Unknown(ahead.len()),
        }
    }

    /// Returns the first message, or requests more bytes to verify it. `None` leaves the decision to the new state. It does not
    /// depend on segments: a decision waits for the bytes that may change it, and looks at no others.
    fn begin(&mut self, from: Side, head: Head, ahead: &[u8], more: bool) -> Option<Extent> {
        let enough = head.end().min(ENOUGH);
        if more && ahead.len() < enough {
            return Some(Extent::NeedMore(enough));
        }
        let is_whole = ahead.len() >= head.end();
        let begins = match begins(ahead, more) {
            Start::Undecided(enough) => return Some(Extent::NeedMore(enough)),
            start => start == Start::Yes,
        };
        match (begins, head.kind) {
            (true, HEARTBEAT) if head.length == 0 => self.state = State::Beating,
            (true, CONNECTION_ACCEPTED | COMMAND | COMMAND_RESULT) => self.state = State::Steady,
            // Five bytes within an update may look like a refusal; a real one is the last message.
            (true, CONNECTION_REFUSED) => (self.state, self.joined) = (State::Trial(PROOFS), true),
            // Retried each time the bytes have doubled: a length from inside another message may be large.
            (true, _) if more && !is_whole => return Some(Extent::NeedMore(head.end().min(ahead.len() * 2))),
            (true, _) => {
                (self.state, self.joined) = (State::Trial(PROOFS - 1), true);
                return Some(Extent::Message(head.end()));
            }
            // All available bytes, without a better match: a short input assigned to this protocol by the user.
            (false, kind)
                if self.state == State::Fresh
                    && ahead.len() < enough
                    && kind <= COMMAND_RESULT
                    && !holds_message(from, ahead) =>
            {
                self.state = State::Steady;
            }
            (false, _) => (self.state, self.joined) = (State::Lost, true),
        }
        None
    }

    /// Returns the message after a match if it is verified. `None` means that the earlier match was false too.
    fn verify(&mut self, from: Side, left: u8, ahead: &[u8], more: bool) -> Option<Extent> {
        let head = Head::of(ahead)?;
        if head.length == 0 && head.fits() {
            return Some(Extent::Message(HEADER));
        }
        match payload_fit(Some(from), ahead, &mut self.effort) {
            Fit::Yes(head) => {
                self.accept(head, left);
                Some(Extent::Message(head.end()))
            }
            Fit::More(_, enough) if more => Some(Extent::NeedMore(enough)),
            Fit::More(head, _) => Some(Extent::Message(head.end())),
            Fit::No => {
                self.fail();
                None
            }
        }
    }

    /// The last match was false.
    fn fail(&mut self) {
        self.state = State::Lost;
        self.passed.get_or_insert(0);
    }

    /// Accepts a verified message, with this many still to verify.
    fn accept(&mut self, head: Head, left: u8) {
        self.effort = self.effort.saturating_add(earned(head.end()));
        let is_text = matches!(head.kind, CONNECTION_ACCEPTED | COMMAND | COMMAND_RESULT);
        self.state = if is_text || left <= 1 { State::Steady } else { State::Trial(left - 1) };
        self.joined = true;
    }

    fn search(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let (extent, is_found) = search(from, ahead, more, &mut self.effort);
        match (extent, Head::of(ahead)) {
            (Extent::Message(_), Some(head)) => self.accept(head, PROOFS),
            (Extent::Unknown(count), _) => {
                self.passed = self.passed.map(|passed| passed + count as u64);
                if is_found {
                    (self.state, self.joined) = (State::Trial(PROOFS), true);
                }
            }
            _ => {}
        }
        extent
    }

    /// Takes the number of bytes skipped since a false match; reported once.
    pub(super) fn take_passed(&mut self) -> Option<u64> {
        self.passed.take()
    }

    /// Bytes were lost, possibly across message boundaries.
    pub(super) fn lose(&mut self) {
        if !matches!(self.state, State::Abandoned | State::Lost) {
            (self.state, self.effort) = (State::Lost, EFFORT);
        }
    }
}

/// Byte budget gained for skipped bytes.
fn earned(count: usize) -> i64 {
    EFFORT_PER_BYTE.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Returns the next message or the bytes in front of it, and whether a message was found.
fn search(from: Side, ahead: &[u8], more: bool, effort: &mut i64) -> (Extent, bool) {
    let mut at = 0;
    let mut unfinished = None;
    while let Some(bytes) = ahead.get(at..).filter(|bytes| bytes.len() >= HEADER) {
        match candidate(Some(from), bytes, effort) {
            Fit::Yes(head) => return (found(at, head), true),
            Fit::More(_, enough) if more && at == 0 => return (Extent::NeedMore(enough), false),
            Fit::More(..) if more => break,
            Fit::More(head, _) => {
                unfinished.get_or_insert((at, head));
            }
            Fit::No => {}
        }
        at += 1;
    }
    if let Some((at, head)) = unfinished {
        return (found(at, head), true);
    }
    if !more {
        at = ahead.len();
    }
    *effort = effort.saturating_add(earned(at));
    (Extent::Unknown(at), false)
}

fn holds_message(from: Side, bytes: &[u8]) -> bool {
    search(from, bytes, false, &mut { EFFORT }).1
}

fn found(at: usize, head: Head) -> Extent {
    if at == 0 { Extent::Message(head.end()) } else { Extent::Unknown(at) }
}

/// Message header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) length: usize,
    pub(super) kind: u8,
}

impl Head {
    pub(super) fn of(bytes: &[u8]) -> Option<Head> {
        let &[a, b, c, d, kind, ..] = bytes else { return None };
        Some(Head { length: u32::from_le_bytes([a, b, c, d]) as usize, kind })
    }

    /// Message length including the header.
    pub(super) fn end(self) -> usize {
        HEADER.saturating_add(self.length)
    }

    /// Whether the length is valid for the message type.
    pub(super) fn fits(self) -> bool {
        match self.kind {
            HEARTBEAT | CONNECTION_REFUSED => self.length == 0,
            CONNECTION_ACCEPTED | COMMAND | COMMAND_RESULT => (2..=JSON_MAX).contains(&self.length),
            DATA_UPDATE => self.length == 0 || (6..=MESSAGE_MAX).contains(&self.length),
            LOCAL_MAP_UPDATE => (map::MAP_HEADER..=MESSAGE_MAX).contains(&self.length),
            _ => false,
        }
    }

    /// Whether the first payload byte is valid for the message type.
    pub(super) fn suits(self, bytes: &[u8]) -> bool {
        match (self.kind, bytes.get(HEADER)) {
            (DATA_UPDATE, Some(first)) if self.length > 0 => *first <= DICT,
            (CONNECTION_ACCEPTED | COMMAND | COMMAND_RESULT, Some(first)) => *first == b'{' || first.is_ascii_whitespace(),
            _ => true,
        }
    }

    fn payload(self, bytes: &[u8]) -> &[u8] {
        bytes.get(HEADER..self.end().min(bytes.len())).unwrap_or_default()
    }
}

/// Whether a message begins at the start of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Yes,
    No,
    /// Requests this many bytes.
    Undecided(usize),
}

/// Leading heartbeats are skipped.
fn begins(ahead: &[u8], more: bool) -> Start {
    let zeros = ahead.chunks_exact(HEADER).take(HEARTBEATS_MAX).take_while(|chunk| chunk.iter().all(|byte| *byte == 0));
    let skipped = zeros.count() * HEADER;
    let bytes = ahead.get(skipped..).unwrap_or_default();
    let Some(head) = Head::of(bytes) else { return Start::Yes };
    if head.fits() && head.suits(bytes) && !contradicts(head, head.payload(bytes)) {
        return Start::Yes;
    }
    // Malformed, but with a payload that is followed by a valid header.
    if !(1..=MALFORMED_MAX).contains(&head.length) {
        return Start::No;
    }
    match bytes.get(head.end()..).map(Head::of) {
        Some(Some(next)) if next.fits() => Start::Yes,
        Some(Some(_)) => Start::No,
        _ if more => Start::Undecided(skipped + head.end() + HEADER),
        Some(None) => Start::Yes,
        None => Start::No,
    }
}

/// Whether the available part of a payload is invalid.
fn contradicts(head: Head, payload: &[u8]) -> bool {
    match head.kind {
        DATA_UPDATE => matches!(walk(payload), Walk::Stuck(_)),
        LOCAL_MAP_UPDATE => has_map_size(head, payload) == Some(false),
        _ => payload.iter().take(ENOUGH - HEADER).any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()),
    }
}

/// Result of matching a message at an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Yes(Head),
    /// Undecided; requests this many bytes.
    More(Head, usize),
    No,
}

/// Matches a message from either side, or from the given one. It is accepted only if the payload is complete and valid, and
/// followed by another header or nothing.
pub(super) fn candidate(from: Option<Side>, bytes: &[u8], effort: &mut i64) -> Fit {
    match payload_fit(from, bytes, effort) {
        Fit::Yes(head) if !bytes.get(head.end()..).and_then(Head::of).is_none_or(Head::fits) => Fit::No,
        fit => fit,
    }
}

/// The same for the message alone: where messages are known to begin, what has arrived behind one must not matter.
fn payload_fit(from: Option<Side>, bytes: &[u8], effort: &mut i64) -> Fit {
    let Some(head) = Head::of(bytes) else { return Fit::No };
    let Some(side) = speaker(head.kind) else { return Fit::No };
    let is_likely = head.fits() && head.suits(bytes) && (1..=ACCEPTED_MAX).contains(&head.length);
    if !is_likely || from.is_some_and(|from| from != side) || *effort <= 0 {
        return Fit::No;
    }
    let payload = head.payload(bytes);
    let is_whole = payload.len() == head.length;
    let (proof, read) = match head.kind {
        DATA_UPDATE => match walk(payload) {
            Walk::Whole => (Some(true), payload.len()),
            Walk::Short => (None, payload.len()),
            Walk::Stuck(at) => (Some(false), at),
        },
        LOCAL_MAP_UPDATE => (has_map_size(head, payload), 1),
        _ if contradicts(head, payload) => (Some(false), ENOUGH),
        _ if is_whole => (Some(std::str::from_utf8(payload).is_ok_and(json::is_object)), payload.len()),
        _ => (None, 1),
    };
    *effort = effort.saturating_sub(i64::try_from(read).unwrap_or(i64::MAX)).saturating_sub(1);
    match proof {
        Some(false) => Fit::No,
        // Retried each time the bytes have doubled, so that a false match stops early.
        _ if !is_whole => Fit::More(head, head.end().min(bytes.len() * 2)),
        Some(true) => Fit::Yes(head),
        _ => Fit::No,
    }
}

/// Whether the pixel count matches width and height; needs the first 8 bytes of the payload.
fn has_map_size(head: Head, payload: &[u8]) -> Option<bool> {
    let &[a, b, c, d, e, f, g, h, ..] = payload else { return None };
    let (width, height) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    let pixels = head.length.saturating_sub(map::MAP_HEADER) as u64;
    Some(pixels > 0 && width > 0 && map::stride(width.into(), height.into(), pixels).is_some())
}

/// Result of walking entries.
enum Walk {
    /// The entries end exactly at the end.
    Whole,
    /// The last entry is incomplete.
    Short,
    /// Invalid entry at this offset.
    Stuck(usize),
}

/// Whether a payload consists of complete and valid entries.
pub(super) fn are_entries(payload: &[u8]) -> bool {
    matches!(walk(payload), Walk::Whole)
}

fn walk(payload: &[u8]) -> Walk {
    let (mut lists, mut behind) = (Lists::default(), Ahead::<false>(payload));
    while !behind.0.is_empty() {
        let start = payload.len() - behind.0.len();
        let entry = entry::header(&mut behind).and_then(|(kind, _)| match kind {
            0..=DICT => entry::value(&mut behind, kind, &mut lists).map(drop),
            _ => Err(Stop::Invalid),
        });
        match entry {
            Ok(()) => {}
            Err(Stop::Short) => return Walk::Short,
            Err(Stop::Invalid) => return Walk::Stuck(start + 1),
        }
    }
    Walk::Whole
}
