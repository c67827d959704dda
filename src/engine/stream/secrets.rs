//! Secrets behind lost bytes: until a message certainly begins, the bytes of a direction are masked.

use super::half_stream::{Following, HalfStream, Step};
use super::{Stream, StreamDissector};
use crate::engine::message::Out;
use crate::flow::reassembly::TcpSegment;
use crate::registry::Registry;
use crate::tree::{Side, Span};
use crate::wire::{Conversation, Resumption, credentials};
use std::ops::Range;

/// Maximum number of bytes that wait for a decision whether they begin a message.
const UNDECIDED: usize = 4096;

impl HalfStream {
    /// What to do with bytes behind lost ones. `None` if a message begins here.
    pub(super) fn resume(&mut self, conversation: &dyn Conversation, side: Side, following: Following) -> Option<Step> {
        let ahead = self.reassembly.buffered();
        match conversation.resumes(side, ahead) {
            Resumption::Anywhere | Resumption::At(0) => {
                self.is_in_doubt = false;
                None
            }
            Resumption::At(run) => {
                self.is_in_doubt = false;
                Some(Step::SecretData(run.min(ahead.len())))
            }
            Resumption::Beyond(run) if following == Following::More && ahead.len() - run.min(ahead.len()) <= UNDECIDED => {
                if run > 0 {
                    return Some(Step::SecretData(run.min(ahead.len())));
                }
                (self.wanted, self.wanted_is_end) = (ahead.len() + 1, false);
                Some(Step::Wait)
            }
            Resumption::Beyond(_) => Some(Step::SecretData(ahead.len())),
        }
    }
}

impl Stream {
    /// Whether its protocol has secrets in this direction that lost bytes may conceal.
    pub(super) fn has_secrets(&self, side: Side) -> bool {
        match &self.dissector {
            StreamDissector::Known(_, conversation) => conversation.resumes(side, &[]) != Resumption::Anywhere,
            StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => false,
        }
    }

    /// A conversation of the protocol that is registered on its port.
    #[cold]
    pub(super) fn of_port(&self, registry: Registry) -> Option<Box<dyn Conversation>> {
        let context = self.context();
        let candidate = registry.stream_at_home(&context)?;
        candidate.found.dissector.conversation(registry.settings(), [false; 2])
    }

    /// Masks secrets in undissected bytes of this frame: retransmitted ones, and the beginning of a message. Secrets in an
    /// encoded message are found only when it is complete, so all of its bytes are masked.
    #[inline(never)]
    pub(super) fn hide_unread(&self, side: Side, segment: &TcpSegment<'_>, out: &mut Out<'_>) {
        /// Bytes before the segment that may begin its first line.
        const BEFORE: u64 = 1024;
        let (registry, tree) = (out.registry, &mut *out.tree);
        if segment.bytes.is_empty() || segment.frame != tree.frame.number || self.method.is_some() {
            return;
        }
        let half = &self.halves[side];
        let Some(off) = half.reassembly.offset_of(segment.seq.wrapping_add(segment.syn.into())) else { return };
        let len = segment.bytes.len() as u64;
        let at = |place: u64| segment.at as usize + usize::try_from(place - off).unwrap_or(usize::MAX);
        let mut hide = |secret: Range<u64>| {
            let (start, end) = (secret.start.max(off), secret.end.min(off + len));
            if start < end {
                tree.hide(Span::new(0, at(start)..at(end)));
            }
        };
        half.secrets.iter().cloned().for_each(&mut hide);
        let (buffered, first) = (half.reassembly.buffered(), half.reassembly.buffered_off());
        let start = first.max(off.saturating_sub(BEFORE));
        let skipped = usize::try_from(start - first).unwrap_or(usize::MAX);
        let waiting = buffered.get(skipped..).unwrap_or_default();
        let follows_hole = off > first + buffered.len() as u64;
        if let StreamDissector::Known(_, conversation) = &self.dissector {
            let begins_message = || conversation.may_hold_secret(side, if follows_hole { &[] } else { buffered });
            if (!buffered.is_empty() || off > first) && begins_message() || half.is_in_doubt && self.has_secrets(side) {
                hide(first..off + len);
            }
        }
        if follows_hole {
            let resumption = match &self.dissector {
                StreamDissector::Known(_, conversation) => conversation.resumes(side, segment.bytes),
                _ => self.of_port(registry).map_or(Resumption::Anywhere, |guard| guard.resumes(side, segment.bytes)),
            };
            hide_behind_hole(resumption, segment.bytes, |range| hide(off + range.start as u64..off + range.end as u64));
        }
        if follows_hole && credentials::is_unfinished(waiting) {
            let line = memchr::memchr(b'\n', segment.bytes).map_or(len, |at| at as u64);
            hide(off..off + line);
        }
        credentials::find(waiting, |range| hide(start + range.start as u64..start + range.end as u64));
    }
}

/// Whether the protocol of the port masks bytes behind lost ones.
pub(super) fn guards(guard: Option<&dyn Conversation>, side: Side, bytes: &[u8]) -> bool {
    guard.is_some_and(|guard| !matches!(guard.resumes(side, bytes), Resumption::Anywhere | Resumption::At(0)))
}

/// Masks bytes of a segment that follows a hole: up to the first message, and secrets behind that.
fn hide_behind_hole(resumption: Resumption, bytes: &[u8], mut hide: impl FnMut(Range<usize>)) {
    match resumption {
        Resumption::Anywhere => {}
        Resumption::Beyond(_) => hide(0..bytes.len()),
        Resumption::At(run) => {
            hide(0..run);
            credentials::find(bytes.get(run..).unwrap_or_default(), |range| hide(run + range.start..run + range.end));
        }
    }
}
