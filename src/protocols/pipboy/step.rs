//! Where messages begin: telling it from the last message, and finding it again where there is none.
//!
//! ```text
//! Fresh ── JSON ──────────────► Steady ── a header beyond all limits ──► Abandoned, or Lost where a search led here
//!   │                             ▲
//!   ├── another likely message ─► Trial ── what cannot be a message ──► Lost
//!   │                             ▲
//!   └── an unlikely one ──► Lost ─┴─ a message whose payload proves it       Lost ◄── bytes missing ── Steady, Trial
//! ```

use super::update::{BOOL, DICT, ENTRY_HEADER, INT8, LIST, REF, STRING, UINT8};
use super::{
    COMMAND, COMMAND_RESULT, CONNECTION_ACCEPTED, CONNECTION_REFUSED, DATA_UPDATE, HEADER, HEARTBEAT, JSON_MAX, LOCAL_MAP_UPDATE,
    MESSAGE_MAX, json, map, speaker,
};
use crate::tree::Side;
use crate::wire::Extent;

/// The longest message that a search believes in.
const BELIEVED_MAX: usize = 1 << 20;

/// Bytes of a longer message that tell whether a capture begins with it.
const ENOUGH: usize = 64;

/// Headers of heartbeats that are looked behind to tell whether they are some.
const HEARTBEATS_MAX: usize = 64;

/// Bytes that a search may read before it has passed over any.
const EFFORT: i64 = 4 << 20;

/// Bytes that a search may read for each one that it passes over: what a hostile stream can make it read stays in
/// proportion to the stream.
const EFFORT_PER_BYTE: i64 = 16;

/// Messages that prove themselves before lengths alone are believed.
const PROOFS: u8 = 3;

/// How one direction of a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing but heartbeats was seen, which prove nothing: the capture may begin anywhere.
    #[default]
    Fresh,
    /// A message was found, and so many more have to prove themselves: what was found may be part of a longer one.
    Trial(u8),
    /// The next message begins with the next byte.
    Steady,
    /// It begins anywhere.
    Lost,
    /// Nobody will ever know.
    Abandoned,
}

/// One direction of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    state: State,
    /// Bytes that searches may still read.
    effort: i64,
    /// A search led to the last messages.
    joined: bool,
    /// Bytes passed over since what was found turned out to be no message; none if that did not happen.
    passed: Option<u64>,
}

impl Default for Step {
    fn default() -> Self {
        Step { state: State::Fresh, effort: EFFORT, joined: false, passed: None }
    }
}

impl Step {
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(head) = Head::of(ahead) else {
            return match self.state {
                State::Lost if !more => Extent::Unknown(ahead.len()),
                State::Abandoned => Extent::Unknown(ahead.len()),
                _ => Extent::NeedMore(HEADER),
            };
        };
        if self.state == State::Fresh
            && let Some(extent) = self.begin(from, head, ahead, more)
        {
            return extent;
        }
        if let State::Trial(left) = self.state
            && let Some(extent) = self.try_on(from, left, ahead, more)
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
            State::Fresh | State::Trial(_) | State::Steady => Extent::Message(head.end()),
            State::Lost => self.search(from, ahead, more),
            State::Abandoned => Extent::Unknown(ahead.len()),
        }
    }

    /// The first message, or more bytes to tell whether it is one. None if the state that it leads to tells.
    fn begin(&mut self, from: Side, head: Head, ahead: &[u8], more: bool) -> Option<Extent> {
        let enough = head.end().min(ENOUGH);
        if more && ahead.len() < enough {
            return Some(Extent::NeedMore(enough));
        }
        let is_whole = ahead.len() >= head.end();
        match (begins(ahead), head.kind) {
            (true, HEARTBEAT) => {}
            (true, CONNECTION_ACCEPTED | CONNECTION_REFUSED | COMMAND | COMMAND_RESULT) => self.state = State::Steady,
            // Asked again each time the bytes have doubled: a length from inside another message may be a long one.
            (true, _) if more && !is_whole => return Some(Extent::NeedMore(head.end().min(ahead.len() * 2))),
            (true, _) => {
                (self.state, self.joined) = (State::Trial(PROOFS - 1), true);
                return Some(Extent::Message(head.end()));
            }
            // All there is, and nothing better in it: a short input that somebody called one of ours.
            (false, kind) if ahead.len() < enough && kind <= COMMAND_RESULT && !holds_message(from, ahead) => {
                self.state = State::Steady;
            }
            (false, _) => (self.state, self.joined) = (State::Lost, true),
        }
        None
    }

    /// The message behind one that was found, if it proves itself. None if it is none, and what was found before was none either.
    fn try_on(&mut self, from: Side, left: u8, ahead: &[u8], more: bool) -> Option<Extent> {
        let head = Head::of(ahead)?;
        if head.length == 0 && head.fits() {
            return Some(Extent::Message(HEADER));
        }
        match candidate(Some(from), ahead, &mut self.effort) {
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

    /// What was found was no message.
    fn fail(&mut self) {
        self.state = State::Lost;
        self.passed.get_or_insert(0);
    }

    /// A message that has proved itself, of so many that have to.
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

    /// Bytes that were passed over since what was taken for a message turned out to be none; reported once.
    pub(super) fn take_passed(&mut self) -> Option<u64> {
        self.passed.take()
    }

    /// Bytes were lost, nobody knows up to where in which message.
    pub(super) fn lose(&mut self) {
        if !matches!(self.state, State::Abandoned | State::Lost) {
            (self.state, self.effort) = (State::Lost, EFFORT);
        }
    }
}

/// What a search may read more for so many bytes that are not searched again.
fn earned(count: usize) -> i64 {
    EFFORT_PER_BYTE.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The bytes in front of the next message, or the message; and whether that was found.
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

/// The beginning of a message.
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

    /// Bytes of the message with its header.
    pub(super) fn end(self) -> usize {
        HEADER.saturating_add(self.length)
    }

    /// Whether messages of this type are this long.
    pub(super) fn fits(self) -> bool {
        match self.kind {
            HEARTBEAT | CONNECTION_REFUSED => self.length == 0,
            CONNECTION_ACCEPTED | COMMAND | COMMAND_RESULT => (2..=JSON_MAX).contains(&self.length),
            DATA_UPDATE => self.length == 0 || (6..=MESSAGE_MAX).contains(&self.length),
            LOCAL_MAP_UPDATE => (map::MAP_HEADER..=MESSAGE_MAX).contains(&self.length),
            _ => false,
        }
    }

    /// Whether what is there of the payload begins as it does in messages of this type.
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

/// Whether a message begins where a capture does. Heartbeats count as much as what follows them.
fn begins(bytes: &[u8]) -> bool {
    let zeros = bytes.chunks_exact(HEADER).take(HEARTBEATS_MAX).take_while(|chunk| chunk.iter().all(|byte| *byte == 0));
    let bytes = bytes.get(zeros.count() * HEADER..).unwrap_or_default();
    let Some(head) = Head::of(bytes) else { return true };
    if head.fits() && head.suits(bytes) && !contradicts(head, head.payload(bytes)) {
        return true;
    }
    // Malformed, but it has a payload and ends where something begins.
    (1..=MESSAGE_MAX).contains(&head.length) && bytes.get(head.end()..).is_some_and(|next| Head::of(next).is_none_or(Head::fits))
}

/// Whether a payload, as far as it is there, cannot be one.
fn contradicts(head: Head, payload: &[u8]) -> bool {
    match head.kind {
        DATA_UPDATE => matches!(walk(payload), Walk::Stuck(_)),
        LOCAL_MAP_UPDATE => has_map_size(head, payload) == Some(false),
        _ => payload.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()),
    }
}

/// Whether something is what is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Yes(Head),
    /// It may be, and so many bytes tell more.
    More(Head, usize),
    No,
}

/// Whether a message begins here that anybody, or this side, may have sent. Only one whose payload proves it is believed:
/// it has to be there as a whole and end where another header or nothing follows.
pub(super) fn candidate(from: Option<Side>, bytes: &[u8], effort: &mut i64) -> Fit {
    let Some(head) = Head::of(bytes) else { return Fit::No };
    let Some(side) = speaker(head.kind) else { return Fit::No };
    let is_likely = head.fits() && head.suits(bytes) && (1..=BELIEVED_MAX).contains(&head.length);
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
        _ if is_whole => (Some(std::str::from_utf8(payload).is_ok_and(json::is_object)), payload.len()),
        _ => (None, 1),
    };
    *effort = effort.saturating_sub(i64::try_from(read).unwrap_or(i64::MAX)).saturating_sub(1);
    match proof {
        Some(false) => Fit::No,
        // Asked again each time the bytes have doubled, so that a message that turns out to be none stops early.
        _ if !is_whole => Fit::More(head, head.end().min(bytes.len() * 2)),
        Some(true) if bytes.get(head.end()..).and_then(Head::of).is_none_or(Head::fits) => Fit::Yes(head),
        _ => Fit::No,
    }
}

/// Whether the picture of a map is as large as its pixels are many. Needs its first 8 bytes.
fn has_map_size(head: Head, payload: &[u8]) -> Option<bool> {
    let &[a, b, c, d, e, f, g, h, ..] = payload else { return None };
    let (width, height) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    let pixels = head.length.saturating_sub(map::MAP_HEADER) as u64;
    Some(pixels > 0 && width > 0 && map::stride(width.into(), height.into(), pixels).is_some())
}

/// Where passing over entries led to.
enum Walk {
    /// To the very end.
    Whole,
    /// Into an entry that ends later.
    Short,
    /// To something that is no entry, so many bytes ahead.
    Stuck(usize),
}

/// Whether a payload is entries to its end, of which none is odd.
pub(super) fn are_entries(payload: &[u8]) -> bool {
    matches!(walk(payload), Walk::Whole)
}

fn walk(payload: &[u8]) -> Walk {
    let mut at = 0;
    while let Some(entry) = payload.get(at..).filter(|entry| !entry.is_empty()) {
        let &[kind, _, _, _, _, ref value @ ..] = entry else { return Walk::Short };
        if kind > DICT || (kind == BOOL && value.first().is_some_and(|byte| *byte > 1)) {
            return Walk::Stuck(at + 1);
        }
        let Some(width) = width(kind, value) else { return Walk::Short };
        at += ENTRY_HEADER + width;
    }
    if at == payload.len() { Walk::Whole } else { Walk::Short }
}

/// Bytes of a value; it may end later than what is there does.
fn width(kind: u8, value: &[u8]) -> Option<usize> {
    match kind {
        BOOL | INT8 | UINT8 => Some(1),
        STRING => Some(memchr::memchr(0, value)? + 1),
        LIST => refs(value),
        DICT => {
            let (count, mut at) = (count(value)?, 2);
            for _ in 0..count {
                at += REF;
                at += memchr::memchr(0, value.get(at..)?)? + 1;
            }
            Some(at + refs(value.get(at..)?)?)
        }
        _ => Some(4),
    }
}

/// Bytes of counted references with their count.
fn refs(value: &[u8]) -> Option<usize> {
    Some(2 + REF * usize::from(count(value)?))
}

fn count(value: &[u8]) -> Option<u16> {
    value.first_chunk().copied().map(u16::from_le_bytes)
}
