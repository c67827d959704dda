//! Message boundaries: by the declared length, or by a search after a gap.

use super::packets::{Keys, keys, packet};
use super::scan::{self, Invalid};
use super::{ANSWER, HEADER, HELLO, TEST};
use crate::tree::Side;
use crate::wire::Extent;

/// Bytes that a search may read initially, and for each skipped byte: the work on a hostile stream stays proportional to its
/// size.
const EFFORT: i64 = 4 << 20;
const EFFORT_PER_BYTE: i64 = 16;

/// State of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Step {
    /// No bytes yet; the capture may begin midway.
    #[default]
    Fresh,
    /// The next byte begins a message.
    Steady,
    /// Message boundaries are unknown. The search may read this many more bytes.
    Lost(i64),
}

impl Step {
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if *self == Step::Fresh {
            if let Some(extent) = opening(from, ahead, more) {
                if extent == Extent::Message(HELLO.len()) {
                    *self = Step::Steady;
                }
                return extent;
            }
            if let Some(extent) = self.begin(from, ahead, more) {
                return extent;
            }
        }
        if let Step::Lost(effort) = self {
            let (extent, is_found) = search(from, ahead, more, effort);
            if is_found {
                *self = Step::Steady;
            }
            return extent;
        }
        match Head::length(ahead) {
            None => Extent::NeedMore(2),
            Some(length) if length < HEADER => {
                *self = Step::Lost(EFFORT);
                Extent::Message(2)
            }
            Some(length) => Extent::Message(length),
        }
    }

    /// Decides whether the first bytes begin a message.
    fn begin(&mut self, from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
        if ahead.len() < HEADER && more {
            return Some(Extent::NeedMore(HEADER));
        }
        let is_likely = Head::of(ahead).is_none_or(|head| {
            // A short input that was assigned to Xfire is a message in any case.
            let is_alone = !more && !search(from, ahead, false, &mut { EFFORT }).1;
            is_alone || (head.length >= HEADER && (packet(head.kind).is_some() || fit(ahead) == Fit::Yes(head.length)))
        });
        *self = if is_likely { Step::Steady } else { Step::Lost(EFFORT) };
        None
    }

    /// Marks a gap, after which message boundaries are unknown.
    pub(super) fn mark_gap(&mut self) {
        if !matches!(self, Step::Lost(_)) {
            *self = Step::Lost(EFFORT);
        }
    }
}

/// Extent of the openings before the first message.
fn opening(from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
    let openings: &[&[u8]] = if from == Side::Client { &[&HELLO, &TEST] } else { &[&ANSWER] };
    openings.iter().find_map(|opening| {
        if ahead.starts_with(opening) {
            return Some(Extent::Message(opening.len()));
        }
        (more && opening.starts_with(ahead)).then_some(Extent::NeedMore(opening.len()))
    })
}

/// Extent of the next message or of the bytes before it, and whether it was found.
fn search(from: Side, ahead: &[u8], more: bool, effort: &mut i64) -> (Extent, bool) {
    let mut at = 0;
    while let Some(bytes) = ahead.get(at..).filter(|bytes| bytes.len() >= HEADER) {
        match pair(Some(from), bytes, more, effort) {
            Fit::Yes(length) if at == 0 => return (Extent::Message(length), true),
            Fit::Yes(_) => return (Extent::Unknown(at), true),
            Fit::More(enough) if at == 0 => return (Extent::NeedMore(enough), false),
            Fit::More(_) => break,
            Fit::No => at += 1,
        }
    }
    if !more {
        at = ahead.len();
    } else if at == 0 {
        return (Extent::NeedMore(HEADER), false);
    }
    *effort = effort.saturating_add(EFFORT_PER_BYTE.saturating_mul(i64::try_from(at).unwrap_or(i64::MAX)));
    (Extent::Unknown(at), false)
}

/// Recognizes two consecutive messages, or one that ends with the stream.
pub(super) fn pair(from: Option<Side>, bytes: &[u8], more: bool, effort: &mut i64) -> Fit {
    let first = candidate(from, bytes, effort);
    let Fit::Yes(length) = first else {
        return if more { first } else { first.now() };
    };
    let rest = bytes.get(length..).unwrap_or_default();
    if rest.len() < HEADER {
        return if more {
            Fit::More(length + HEADER)
        } else if rest.is_empty() {
            first
        } else {
            Fit::No
        };
    }
    match candidate(from, rest, effort) {
        Fit::Yes(_) => first,
        Fit::More(enough) if more => Fit::More(length + enough),
        // The truncated second message is plausible.
        Fit::More(_) => first,
        Fit::No => Fit::No,
    }
}

/// Recognizes a message of this side, or of any side.
fn candidate(from: Option<Side>, bytes: &[u8], effort: &mut i64) -> Fit {
    let Some(head) = Head::of(bytes) else { return Fit::No };
    let speaker = packet(head.kind).map(|packet| packet.from);
    let is_his = speaker.is_some_and(|speaker| speaker.is_some() && (from.is_none() || speaker == from));
    if head.length <= HEADER || head.count == 0 || !is_his || *effort <= 0 {
        return Fit::No;
    }
    *effort -= i64::try_from(head.length.min(bytes.len())).unwrap_or(i64::MAX);
    fit(bytes)
}

/// Result of a recognition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// Recognized, with this size.
    Yes(usize),
    /// Plausible; this many bytes are needed to decide.
    More(usize),
    No,
}

impl Fit {
    fn now(self) -> Fit {
        if matches!(self, Fit::Yes(_)) { self } else { Fit::No }
    }
}

/// Whether the attributes of a message end with it.
pub(super) fn fit(bytes: &[u8]) -> Fit {
    let Some(head) = Head::of(bytes).filter(|head| head.length >= HEADER) else { return Fit::No };
    let Some(there) = bytes.get(HEADER..head.length.min(bytes.len())) else { return Fit::No };
    let likely = keys(head.kind, there.first().copied());
    let is_whole = bytes.len() >= head.length;
    let mut may_be = false;
    for keys in [likely, likely.other()] {
        let reach = scan::attributes(there, keys, head.count.into());
        if is_whole && reach.fits(there.len()) {
            return Fit::Yes(head.length);
        }
        may_be |= !is_whole && reach.why == Some(Invalid::Short);
    }
    if is_whole && is_mixed(there, head.count) {
        return Fit::Yes(head.length);
    }
    if !may_be {
        return Fit::No;
    }
    // Repeated whenever the bytes have doubled, so that an invalid message is rejected early.
    Fit::More(head.length.min(bytes.len() * 2))
}

fn is_mixed(there: &[u8], count: u8) -> bool {
    let named = scan::attributes(there, Keys::Named, count.into());
    let rest = there.get(named.end..).unwrap_or_default();
    named.whole > 0
        && named.why.is_some()
        && scan::attributes(rest, Keys::Numbered, usize::from(count) - named.whole).fits(rest.len())
}

/// Message header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) length: usize,
    pub(super) kind: u16,
    pub(super) count: u8,
}

impl Head {
    fn length(bytes: &[u8]) -> Option<usize> {
        bytes.first_chunk().copied().map(|bytes| u16::from_le_bytes(bytes).into())
    }

    pub(super) fn of(bytes: &[u8]) -> Option<Head> {
        let &[a, b, c, d, count, ..] = bytes else { return None };
        Some(Head { length: u16::from_le_bytes([a, b]).into(), kind: u16::from_le_bytes([c, d]), count })
    }
}
