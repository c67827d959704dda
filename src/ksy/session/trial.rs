//! Keys are tried: bytes are held back until messages of each direction were read with them.

use super::core::Core;
use crate::tree::{BySide, Side};
use crate::wire::Extent;

/// Messages of a direction that show that a key fits.
pub(super) const MESSAGES: u32 = 3;
/// Bytes of a direction that show it, in at least two messages: by chance, one that is long ends where a segment ends.
pub(super) const BYTES: usize = 64;
/// Bytes after which a message need not end where the bytes that have arrived end. Senders end segments with messages, and
/// what a wrong key gives ends there by chance only.
const LONG: usize = 1 << 14;
/// Bytes of a direction that are held back at most. A wrong key may give a message that never ends.
const HELD: usize = 1 << 18;

/// Bytes held back, read ahead with a copy of the state.
pub(super) struct Trial {
    core: Core,
    /// The variables whose keys are tried, as bits.
    pub(super) keys: u64,
    seen: BySide<Seen>,
}

/// What was read of a direction.
#[derive(Debug, Default)]
struct Seen {
    /// Bytes of its messages.
    at: usize,
    messages: u32,
    /// Whether bytes arrived.
    speaks: bool,
    /// Whether its messages have all bytes that have arrived.
    is_even: bool,
    /// Number of bytes before which the next message is not complete.
    wanted: usize,
}

impl Seen {
    fn is_enough(&self) -> bool {
        let is_much = self.messages >= MESSAGES || self.messages > 1 && self.at >= BYTES;
        !self.speaks || is_much && (self.is_even || self.at >= LONG)
    }

    /// Whether a direction shows that a key fits, although the other one says little.
    fn is_certain(&self) -> bool {
        self.messages >= MESSAGES && self.at >= LONG
    }

    /// Whether nothing contradicts the key when no more bytes follow.
    fn is_sound(&self) -> bool {
        !self.speaks || self.messages > 0 && self.is_even
    }
}

/// What is known of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Open,
    Fits,
    Fails,
}

impl Trial {
    pub(super) fn new(core: Core, keys: u64) -> Trial {
        Trial { core, keys, seen: BySide::default() }
    }

    /// Reads what is ahead in a direction.
    pub(super) fn advance(&mut self, from: Side, ahead: &[u8], more: bool) -> Verdict {
        let seen = &mut self.seen[from];
        seen.speaks |= !ahead.is_empty();
        if more && ahead.len() < seen.wanted.min(HELD) {
            seen.is_even = false;
            return Verdict::Open;
        }
        while let Some(rest) = ahead.get(seen.at..).filter(|rest| !rest.is_empty()) {
            match self.core.extent(from, rest, more) {
                Extent::Message(end) if end <= rest.len() && end > 0 => {
                    if !self.core.rehearse(from, rest.get(..end).unwrap_or(rest)).0 {
                        return Verdict::Fails;
                    }
                    seen.at += end;
                    seen.messages += 1;
                }
                Extent::Message(end) | Extent::NeedMore(end) => {
                    seen.wanted = seen.at.saturating_add(end);
                    break;
                }
                Extent::Unknown(_) | Extent::Segment => return Verdict::Fails,
            }
        }
        let seen = &mut self.seen[from];
        seen.is_even = seen.at == ahead.len();
        if self.seen.iter().all(Seen::is_enough) || !more && self.seen.iter().all(Seen::is_sound) {
            return Verdict::Fits;
        }
        let is_certain = self.seen[from].is_certain() && self.seen.iter().all(|seen| !seen.speaks || seen.messages > 0);
        match more && ahead.len() < HELD {
            true => Verdict::Open,
            false if more && is_certain => Verdict::Fits,
            false => Verdict::Fails,
        }
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(self) + self.core.memory()
    }
}
