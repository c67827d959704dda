//! Where messages begin: told by the length of the last one, and searched for where that is lost.

use super::packets::{Keys, keys, packet};
use super::scan::{self, Why};
use super::{ANSWER, HEADER, HELLO, TEST};
use crate::tree::Side;
use crate::wire::Extent;

/// Bytes that a search may read before it has passed over any, and for each one that it passes over: what a hostile
/// stream can make it read stays in proportion to the stream.
const EFFORT: i64 = 4 << 20;
const EFFORT_PER_BYTE: i64 = 16;

/// How one direction of a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Step {
    /// Nothing was said yet. The capture may begin anywhere.
    #[default]
    Fresh,
    /// The next message begins with the next byte.
    Steady,
    /// It begins anywhere. The search may still read so many bytes.
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

    /// Decide whether the first bytes are the beginning of a message.
    fn begin(&mut self, from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
        if ahead.len() < HEADER && more {
            return Some(Extent::NeedMore(HEADER));
        }
        let is_likely = Head::of(ahead).is_none_or(|head| {
            // A short input that somebody called one of ours is one, whatever it says.
            let is_alone = !more && !search(from, ahead, false, &mut { EFFORT }).1;
            is_alone || (head.length >= HEADER && (packet(head.kind).is_some() || fit(ahead) == Fit::Yes(head.length)))
        });
        *self = if is_likely { Step::Steady } else { Step::Lost(EFFORT) };
        None
    }

    /// Bytes were lost, nobody knows up to where in which message.
    pub(super) fn lose(&mut self) {
        if !matches!(self, Step::Lost(_)) {
            *self = Step::Lost(EFFORT);
        }
    }
}

/// What comes before all messages.
fn opening(from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
    let words: &[&[u8]] = if from == Side::Client { &[&HELLO, &TEST] } else { &[&ANSWER] };
    words.iter().find_map(|word| {
        if ahead.starts_with(word) {
            return Some(Extent::Message(word.len()));
        }
        (more && word.starts_with(ahead)).then_some(Extent::NeedMore(word.len()))
    })
}

/// The bytes in front of the next message, or the message; and whether that was found.
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

/// Two messages in a row, or one that ends where everything does.
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
        // Cut by the end, but nothing speaks against it.
        Fit::More(_) => first,
        Fit::No => Fit::No,
    }
}

/// Whether a message begins here that this side, or anybody, may have sent.
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

/// Whether something is what is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is, and has so many bytes.
    Yes(usize),
    /// It may be, and so many bytes tell more.
    More(usize),
    No,
}

impl Fit {
    fn now(self) -> Fit {
        if matches!(self, Fit::Yes(_)) { self } else { Fit::No }
    }
}

/// Whether the attributes of a message fill it.
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
        may_be |= !is_whole && reach.why == Some(Why::Short);
    }
    if is_whole && is_mixed(there, head.count) {
        return Fit::Yes(head.length);
    }
    if !may_be {
        return Fit::No;
    }
    // Asked again each time the bytes have doubled, so that a message that turns out to be none stops early.
    Fit::More(head.length.min(bytes.len() * 2))
}

fn is_mixed(there: &[u8], count: u8) -> bool {
    let named = scan::attributes(there, Keys::Named, count.into());
    let rest = there.get(named.end..).unwrap_or_default();
    named.whole > 0
        && named.why.is_some()
        && scan::attributes(rest, Keys::Numbered, usize::from(count) - named.whole).fits(rest.len())
}

/// The beginning of a message.
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
