//! Section framing: section lengths, and resynchronization after loss.
//!
//! ```text
//! Fresh ── hello ──► Steady ── no section, or too long a one ──► Stopped
//!   └─ captured later ─► Lost ◄─ bytes missing ─ Steady
//!                         └──── two likely sections in a row ──► Steady
//! ```

use super::*;
use crate::tree::Side;
use crate::wire::Extent;

/// Maximum opcode accepted by a search.
const OPCODE_MAX: u32 = USER_COUNT;

/// Maximum content size accepted by a search.
const LIKELY_MAX: u32 = 1024;

/// Maximum ID accepted by a search.
const ID_MAX: i32 = 0x00ff_ffff;

/// Bytes within which a capture must show its first section.
const ENOUGH: usize = 64;

/// Bytes of a position update up to the end of its IDs.
const POSITION_IDS: usize = 13;

/// Framing state of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Step {
    /// No bytes were read yet.
    #[default]
    Fresh,
    /// The next section starts at the next byte.
    Steady,
    /// The next section starts at an unknown offset.
    Lost,
    /// Framing cannot be recovered.
    Stopped,
}

impl Step {
    /// Extent of the next section or hello. `must_greet` requires a hello.
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], more: bool, must_greet: bool) -> Extent {
        match self {
            Step::Fresh if may_be_hello(from, ahead) || (must_greet && !is_section_type(ahead)) => hello(from, ahead, more),
            Step::Fresh | Step::Lost => {
                let is_fresh = *self == Step::Fresh;
                let (extent, is_found) = search(from, ahead, more, is_fresh);
                let is_short = is_fresh && ahead.len() < ENOUGH;
                match extent {
                    _ if is_found => *self = Step::Steady,
                    Extent::Unknown(_) if is_short && more => return Extent::NeedMore(ENOUGH),
                    Extent::Unknown(run) if is_short && run == ahead.len() => return self.settle(from, ahead),
                    Extent::Unknown(_) => *self = Step::Lost,
                    _ => {}
                }
                extent
            }
            Step::Steady => self.next(from, ahead, more),
            Step::Stopped => Extent::Unknown(ahead.len()),
        }
    }

    /// All available bytes, without a better match: a short input assigned to this protocol by the user.
    fn settle(&mut self, from: Side, ahead: &[u8]) -> Extent {
        if !is_section_type(ahead) {
            return hello(from, ahead, false);
        }
        *self = Step::Steady;
        self.next(from, ahead, false)
    }

    fn next(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        match ahead.first() {
            None => Extent::NeedMore(1),
            Some(&GENERAL) => match content_size(ahead) {
                None => Extent::NeedMore(GENERAL_HEADER),
                Some(size) if size > CONTENT_MAX => {
                    *self = Step::Stopped;
                    Extent::Message(GENERAL_HEADER)
                }
                Some(size) => Extent::Message(GENERAL_HEADER.saturating_add(size as usize)),
            },
            Some(&SYS1) => sys1(from, ahead, more),
            Some(&POSITION_UPDATE) => Extent::Message(POSITION_LEN),
            Some(_) => {
                *self = Step::Stopped;
                Extent::Message(1)
            }
        }
    }

    /// Bytes were lost, possibly across section boundaries.
    pub(super) fn lose(&mut self) {
        if *self != Step::Stopped {
            *self = Step::Lost;
        }
    }
}

fn hello(from: Side, ahead: &[u8], more: bool) -> Extent {
    match from {
        Side::Client => Extent::Message(HELLO_LEN),
        Side::Server if ahead.starts_with(ACCEPTED) => reply(ahead, more),
        Side::Server => Extent::Message(REPLY_LEN),
    }
}

/// The oldest description has no pad byte after the word. Without it the connection ID, a small number, is one byte earlier, and
/// a general message follows at the position of its last byte.
fn reply(ahead: &[u8], more: bool) -> Extent {
    let unknown = number(ahead, ACCEPTED.len());
    let id = number(ahead, SHORT_REPLY_LEN - 4);
    if unknown != Some(0) || !id.is_some_and(|id| (1..=u8::MAX.into()).contains(&id)) {
        return Extent::Message(REPLY_LEN);
    }
    let behind = |at: usize| ahead.get(at..).unwrap_or_default();
    match behind(SHORT_REPLY_LEN) {
        [] if !more => Extent::Message(SHORT_REPLY_LEN),
        [] => Extent::NeedMore(REPLY_LEN),
        [GENERAL, ..] => match likely(Side::Server, behind(SHORT_REPLY_LEN)) {
            Likely::More(wanted) if more => Extent::NeedMore(SHORT_REPLY_LEN + wanted),
            Likely::Yes(_) => Extent::Message(SHORT_REPLY_LEN),
            Likely::More(_) | Likely::No => Extent::Message(REPLY_LEN),
        },
        _ => Extent::Message(REPLY_LEN),
    }
}

/// Selects one of two lengths by where a section follows. It waits for enough bytes to test both, so that the result does not
/// depend on segmentation.
fn sys1(from: Side, ahead: &[u8], more: bool) -> Extent {
    let [short, long] = [SYS1_LEN - 1, SYS1_LEN].map(|length| ahead.get(length..).unwrap_or_default());
    if short.is_empty() && !more {
        return Extent::Message(SYS1_LEN - 1);
    }
    if !is_section_type(short) {
        return Extent::Message(SYS1_LEN);
    }
    if long.is_empty() && more {
        return Extent::NeedMore(SYS1_LEN + 1);
    }
    if is_section_type(long) && more {
        let wanted = |length: usize, behind: &[u8]| match likely(from, behind) {
            Likely::More(wanted) => Some(length + wanted),
            Likely::Yes(_) | Likely::No => None,
        };
        if let Some(wanted) = wanted(SYS1_LEN - 1, short).max(wanted(SYS1_LEN, long)) {
            return Extent::NeedMore(wanted);
        }
    }
    Extent::Message(if plausibility(from, short) > plausibility(from, long) { SYS1_LEN - 1 } else { SYS1_LEN })
}

/// Plausibility of a section at the start of these bytes.
fn plausibility(from: Side, bytes: &[u8]) -> u8 {
    match likely(from, bytes) {
        Likely::Yes(_) => 2,
        // End of all bytes.
        _ if bytes.is_empty() => 2,
        _ => u8::from(is_section_type(bytes)),
    }
}

/// Whether the bytes are a hello or a prefix of one.
pub(super) fn may_be_hello(from: Side, ahead: &[u8]) -> bool {
    let agrees = |word: &&[u8]| ahead.starts_with(word) || word.starts_with(ahead);
    match from {
        Side::Client => WORDS.iter().any(agrees),
        Side::Server => [ACCEPTED, REFUSED].iter().any(agrees),
    }
}

fn is_section_type(ahead: &[u8]) -> bool {
    ahead.first().is_some_and(|byte| *byte <= POSITION_UPDATE)
}

/// Returns the next section or the bytes before it, and whether a section was found. A single section at the end is accepted if
/// `alone` is set.
fn search(from: Side, ahead: &[u8], more: bool, alone: bool) -> (Extent, bool) {
    for at in 0..ahead.len() {
        let bytes = ahead.get(at..).unwrap_or_default();
        match in_a_row(from, bytes) {
            Row::Two(_) if at > 0 => return (Extent::Unknown(at), false),
            Row::Two(end) => return (Extent::Message(end), true),
            Row::More(_) if more && at > 0 => return (Extent::Unknown(at), false),
            Row::More(wanted) if more => return (Extent::NeedMore(wanted), false),
            Row::More(_) if alone && at == 0 && likely(from, bytes) == Likely::Yes(bytes.len()) => {
                return (Extent::Message(bytes.len()), true);
            }
            Row::More(_) | Row::No => {}
        }
    }
    (Extent::Unknown(ahead.len()), false)
}

/// Result of matching consecutive sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// Two sections; the length of the first.
    Two(usize),
    /// Undecided; needs this many bytes.
    More(usize),
    /// No match.
    No,
}

/// Matches two consecutive sections of this side. Chance matches are possible, but sections have no other signature.
pub(super) fn in_a_row(from: Side, bytes: &[u8]) -> Row {
    let end = match likely(from, bytes) {
        Likely::Yes(end) => end,
        Likely::More(wanted) => return Row::More(wanted),
        Likely::No => return Row::No,
    };
    match likely(from, bytes.get(end..).unwrap_or_default()) {
        Likely::Yes(_) => Row::Two(end),
        Likely::More(wanted) => Row::More(end + wanted),
        Likely::No => Row::No,
    }
}

/// Result of matching a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likely {
    /// Plausible; its length.
    Yes(usize),
    /// Undecided; needs this many bytes.
    More(usize),
    No,
}

fn likely(from: Side, bytes: &[u8]) -> Likely {
    let is_id = |at: usize| number(bytes, at).is_some_and(|id| (-1..=ID_MAX).contains(&id.cast_signed()));
    match bytes.first() {
        None | Some(&GENERAL) if bytes.len() < GENERAL_HEADER => Likely::More(GENERAL_HEADER),
        Some(&GENERAL) => match (number(bytes, 9), content_size(bytes)) {
            (Some(opcode), Some(size)) if is_id(1) && is_id(5) && fits(from, opcode, size) => {
                Likely::Yes(GENERAL_HEADER + size as usize)
            }
            _ => Likely::No,
        },
        Some(&POSITION_UPDATE) if bytes.len() < POSITION_IDS => Likely::More(POSITION_IDS),
        Some(&POSITION_UPDATE) if is_id(1) && is_id(5) && is_id(9) => Likely::Yes(POSITION_LEN),
        _ => Likely::No,
    }
}

/// Whether this side sends the opcode with this content size.
fn fits(from: Side, opcode: u32, size: u32) -> bool {
    let is_size = match opcode {
        CLIENT_ID_GIVEN | USER_LEFT | BROADCAST_ID_GIVEN => size == 4,
        STATE_CHANGE => size == 1,
        USER_COUNT => size == 5,
        COMMON => (9..=LIKELY_MAX).contains(&size),
        _ => (1..=LIKELY_MAX).contains(&size),
    };
    is_size && opcode <= OPCODE_MAX && speaker(opcode).is_none_or(|side| side == from)
}

/// Side that sends this opcode; `None` if both do or it is unknown.
pub(super) fn speaker(opcode: u32) -> Option<Side> {
    match opcode {
        NEW_USER | STATE_CHANGE => Some(Side::Client),
        CLIENT_ID_GIVEN | USER_JOINED | USER_LEFT | BROADCAST_ID_GIVEN | SET_MASTER | USER_COUNT => Some(Side::Server),
        _ => None,
    }
}

fn content_size(bytes: &[u8]) -> Option<u32> {
    number(bytes, GENERAL_HEADER - 4)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_be_bytes)
}
