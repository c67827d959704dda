//! Where sections begin: telling it from the last one, and finding it again where there is none.
//!
//! ```text
//! Fresh ── hello ──► Steady ── no section, or too long a one ──► Stopped
//!   └─ captured later ─► Lost ◄─ bytes missing ─ Steady
//!                         └──── two likely sections in a row ──► Steady
//! ```

use super::{
    ACCEPTED, BROADCAST_ID_GIVEN, CLIENT_ID_GIVEN, COMMON, CONTENT_MAX, GENERAL, GENERAL_HEADER, HELLO_LEN, NEW_USER,
    POSITION_LEN, POSITION_UPDATE, REFUSED, REPLY_LEN, SET_MASTER, SHORT_REPLY_LEN, STATE_CHANGE, SYS1, SYS1_LEN, USER_COUNT,
    USER_JOINED, USER_LEFT, WORDS,
};
use crate::tree::Side;
use crate::wire::Extent;

/// The highest opcode that is believed where nothing but the bytes says that a section begins.
const OPCODE_MAX: u32 = USER_COUNT;

/// The longest content that is believed there.
const LIKELY_MAX: u32 = 1024;

/// The highest id that is believed there.
const ID_MAX: i32 = 0x00ff_ffff;

/// Bytes in which a capture that begins with a section, or soon before one, shows it.
const ENOUGH: usize = 64;

/// Bytes of a position update up to where its ids end.
const POSITION_IDS: usize = 13;

/// How one direction of a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Step {
    /// Nothing was read yet.
    #[default]
    Fresh,
    /// The next section begins with the next byte.
    Steady,
    /// It begins anywhere.
    Lost,
    /// Nobody will ever know.
    Stopped,
}

impl Step {
    /// Where the next section ends, or the hello. `must_greet` says that a hello is all that can come first.
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

    /// All there is, and nothing better in it: a short input that somebody called ours.
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

    /// Bytes were lost, nobody knows up to where in which section.
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

/// The oldest description has no pad byte behind the word. Without it the connection id, a small number, stands a byte
/// earlier, and a general message follows where its last byte would be.
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

/// One of two lengths, told by where a section follows. Enough bytes to judge both places are waited for, so that the answer
/// is the same however the bytes arrive.
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
    Extent::Message(if belief(from, short) > belief(from, long) { SYS1_LEN - 1 } else { SYS1_LEN })
}

/// How much speaks for a section that begins with these bytes.
fn belief(from: Side, bytes: &[u8]) -> u8 {
    match likely(from, bytes) {
        Likely::Yes(_) => 2,
        // All bytes end here.
        _ if bytes.is_empty() => 2,
        _ => u8::from(is_section_type(bytes)),
    }
}

/// Whether this is a hello, or as much of one as is there.
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

/// The bytes in front of the next section, or the section; and whether that was found. One that is `alone` at the end of
/// all bytes is believed where a capture begins with it.
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

/// Whether sections begin at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// Two do; the first has so many bytes.
    Two(usize),
    /// With so many bytes that can be told.
    More(usize),
    /// None does.
    No,
}

/// Whether two sections of this side follow each other. That may be chance, but it is the only mark there is.
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

/// Whether a section begins with these bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likely {
    /// It seems so, and it has so many bytes.
    Yes(usize),
    /// With so many bytes that can be told.
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

/// Whether this side sends such an opcode with a content of this size.
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

/// Who sends this opcode; both send some, and of some nobody knows.
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
