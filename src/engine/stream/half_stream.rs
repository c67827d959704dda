//! One direction of a connection, with the extent of its next message.

use crate::flow::reassembly::{Direction, Gap};
use crate::limits;
use crate::tree::Side;
use crate::wire::{Conversation, Cut, Extent, credentials};
use std::collections::VecDeque;
use std::ops::Range;

/// One direction of a connection.
#[derive(Default)]
pub(super) struct HalfStream {
    pub(super) reassembly: Direction,
    /// The sequence number of relative value 0.
    pub(super) base: Option<u32>,
    /// Numbers of earlier SYNs that differ from `base`, while it is open which of them the peer accepts.
    pub(super) rivals: Vec<u32>,
    /// Whether its first bytes are the first of the stream.
    pub(super) from_start: bool,
    /// Number of bytes needed before the extent is queried again.
    pub(super) wanted: usize,
    /// Whether `wanted` is the end of the message, not only of its header.
    pub(super) wanted_is_end: bool,
    /// Bytes after a gap that belong to the message before the gap.
    pub(super) outstanding: u64,
    /// Whether those bytes may continue a secret.
    pub(super) outstanding_is_secret: bool,
    /// Maximum number of bytes after a gap, up to the end of a line, that may continue a secret in a text of unknown end.
    pub(super) secret_line: usize,
    /// The same for other messages of unknown end: up to the next message.
    pub(super) secret_run: usize,
    /// Whether bytes before are missing, and no message certainly began since.
    pub(super) is_in_doubt: bool,
    /// Whether message detection has stopped.
    pub(super) framing_stopped: bool,
    /// The last frame with bytes of this direction, and their stream offsets.
    pub(super) latest: (u64, Range<u64>),
    /// Ranges of secrets in recent messages, for segments that retransmit those bytes.
    pub(super) secrets: VecDeque<Range<u64>>,
}

/// Maximum number of SYNs with other numbers stored per direction.
const RIVALS: usize = 4;
/// Maximum distance of a number from the SYN to which it belongs.
const NEAR: u32 = 1 << 30;
/// Maximum number of ranges stored per direction.
const SECRETS: usize = 16;
/// Maximum number of bytes after a gap that may continue a secret if the end of its message is unknown.
const SECRET_REST: usize = 1024;
/// Maximum payload of a segment in bytes.
const SEGMENT: u64 = 65_535;

/// What follows the available bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Following {
    /// More bytes, later.
    More,
    /// Lost bytes.
    Gap(Gap),
    /// The end of the stream.
    End,
    /// More bytes, but the memory limit is reached.
    LimitReached,
}

/// How to handle the available bytes.
pub(super) enum Step {
    Wait,
    Message {
        len: usize,
        cut: Cut,
    },
    /// A message above the size limit, with its claimed length.
    Huge {
        len: usize,
        claimed: usize,
    },
    Data(usize),
    /// Bytes after a gap that may continue a secret.
    SecretData(usize),
}

impl HalfStream {
    /// Takes the number of a SYN that differs from the one before. Until bytes arrive, the peer may accept either.
    #[cold]
    pub(super) fn begin_anew(&mut self, first: u32) {
        let before = self.base.replace(first);
        if self.has_data() {
            return;
        }
        self.rivals.retain(|rival| *rival != first);
        if self.rivals.len() >= RIVALS {
            self.rivals.remove(0);
        }
        self.rivals.extend(before);
        self.reassembly = Direction::default();
    }

    /// Returns to an earlier SYN if a number of this side, sent or acknowledged, follows that one and not the latest.
    #[inline]
    pub(super) fn settle(&mut self, seq: u32) {
        if !self.rivals.is_empty() {
            self.choose(seq);
        }
    }

    #[cold]
    fn choose(&mut self, seq: u32) {
        let follows = |base: &u32| (1..NEAR).contains(&seq.wrapping_sub(*base));
        let is_nearer = |base: &u32| self.base.is_none_or(|latest| seq.wrapping_sub(*base) < seq.wrapping_sub(latest));
        let meant = self.rivals.iter().position(|base| follows(base) && is_nearer(base));
        match meant {
            Some(at) if !self.has_data() => {
                let base = self.rivals.swap_remove(at);
                self.rivals.extend(self.base.replace(base));
                self.reassembly = Direction::default();
                self.reassembly.expect(base.wrapping_add(1));
            }
            _ if self.has_data() => self.rivals = Vec::new(),
            _ => {}
        }
    }

    /// Stores which bytes a frame contained. One that completes fragments contains several runs.
    pub(super) fn note_arrival(&mut self, frame: u64, span: &Range<u64>) {
        let (number, known) = &mut self.latest;
        if *number == frame && !known.is_empty() {
            *known = known.start.min(span.start)..known.end.max(span.end);
        } else {
            self.latest = (frame, span.clone());
        }
    }

    /// Where the bytes of the latest frame end in the buffered ones.
    #[inline]
    pub(super) fn latest_end(&self) -> usize {
        usize::try_from(self.latest.1.end.saturating_sub(self.reassembly.buffered_off())).unwrap_or(usize::MAX)
    }

    /// Whether a frame contained none of these bytes.
    pub(super) fn is_late(&self, frame: u64, off: u64, len: usize) -> bool {
        let (number, arrived) = &self.latest;
        *number != frame || off >= arrived.end || off.saturating_add(len as u64) <= arrived.start
    }

    /// Stores the range of a secret in the stream. At the limit, the two oldest that one segment may retransmit are merged.
    #[cold]
    pub(super) fn remember_secret(&mut self, range: Range<u64>) {
        if self.secrets.len() >= SECRETS
            && let Some(oldest) = self.secrets.pop_front()
            && let Some(next) = self.secrets.front_mut()
            && next.end.saturating_sub(oldest.start) <= SEGMENT
        {
            *next = oldest.start.min(next.start)..oldest.end.max(next.end);
        }
        self.secrets.push_back(range);
    }

    /// Whether any byte of this direction was captured.
    pub(super) fn has_data(&self) -> bool {
        self.reassembly.buffered_off() > 0 || !self.reassembly.buffered().is_empty() || self.reassembly.hole().is_some()
    }

    /// Whether more bytes are needed than are available.
    pub(super) fn waits(&self) -> bool {
        self.reassembly.buffered().len() < self.wanted
    }

    /// Decides how to handle the available bytes.
    pub(super) fn next(&mut self, conversation: &mut dyn Conversation, side: Side, following: Following) -> Step {
        if let Some(step) = self.rest_of_message(conversation, side) {
            step
        } else if self.framing_stopped {
            Step::Data(self.reassembly.buffered().len())
        } else if self.waits() && following == Following::More {
            Step::Wait
        } else if self.is_in_doubt
            && let Some(step) = self.resume(conversation, side, following)
        {
            step
        } else {
            self.ahead(conversation, side, following)
        }
    }

    /// The message ahead, or bytes of no message.
    #[inline]
    fn ahead(&mut self, conversation: &mut dyn Conversation, side: Side, following: Following) -> Step {
        let ahead = self.reassembly.buffered();
        let len = ahead.len();
        let extent = conversation.extent(side, ahead, following == Following::More);
        if matches!(extent, Extent::Message(_)) {
            self.secret_run = 0;
        }
        if extent == Extent::Segment {
            conversation.passed(side, self.run_of(extent));
        }
        match extent {
            Extent::Message(0) | Extent::Unknown(0) => Step::Data(len),
            Extent::Message(end) if end <= len => Step::Message { len: end, cut: Cut::No },
            Extent::Message(end) if end > limits::STREAM_MESSAGE.get() => {
                self.framing_stopped = true;
                Step::Huge { len, claimed: end }
            }
            Extent::Message(end) => {
                (self.wanted, self.wanted_is_end) = (end, true);
                self.incomplete(conversation, side, following)
            }
            Extent::NeedMore(_) if len >= limits::STREAM_MESSAGE.get() => {
                self.framing_stopped = true;
                Step::Huge { len, claimed: len + 1 }
            }
            Extent::NeedMore(wanted) => {
                (self.wanted, self.wanted_is_end) = (wanted.clamp(len + 1, limits::STREAM_MESSAGE.get()), false);
                self.incomplete(conversation, side, following)
            }
            Extent::Unknown(_) | Extent::Segment if self.secret_run > 0 => {
                let run = self.run_of(extent);
                self.secret_run = self.secret_run.saturating_sub(run);
                Step::SecretData(run)
            }
            Extent::Unknown(_) | Extent::Segment => Step::Data(self.run_of(extent)),
        }
    }

    /// Number of available bytes that belong to no message.
    fn run_of(&self, extent: Extent) -> usize {
        let len = self.reassembly.buffered().len();
        match extent {
            Extent::Unknown(run) => run.min(len),
            Extent::Segment => {
                let first = self.reassembly.pieces(self.reassembly.buffered_off(), len).next();
                first.map_or(len, |piece| (piece.len as usize).clamp(1, len))
            }
            Extent::Message(_) | Extent::NeedMore(_) => len,
        }
    }

    /// Bytes behind a gap that belong to the message before it.
    #[inline]
    fn rest_of_message(&mut self, conversation: &mut dyn Conversation, side: Side) -> Option<Step> {
        let ahead = self.reassembly.buffered();
        if self.outstanding > 0 {
            let rest = usize::try_from(self.outstanding).unwrap_or(usize::MAX).min(ahead.len());
            self.outstanding -= rest as u64;
            conversation.rest(side, ahead.get(..rest).unwrap_or(ahead));
            return Some(if self.outstanding_is_secret { Step::SecretData(rest) } else { Step::Data(rest) });
        }
        if self.secret_line > 0 {
            let line = ahead.get(..self.secret_line).unwrap_or(ahead);
            let end = memchr::memchr(b'\n', line).map(|at| at + 1);
            self.secret_line = if end.is_some() { 0 } else { self.secret_line - line.len() };
            return Some(Step::SecretData(end.unwrap_or(line.len())));
        }
        None
    }

    /// A message whose bytes are not all available.
    fn incomplete(&mut self, conversation: &mut dyn Conversation, side: Side, following: Following) -> Step {
        let ahead = self.reassembly.buffered();
        let len = ahead.len();
        let demand = if self.wanted_is_end { self.wanted } else { len.max(self.wanted) };
        match following {
            Following::More => Step::Wait,
            Following::Gap(gap) => {
                let is_secret = conversation.may_hold_secret(side, ahead) || credentials::is_unfinished(ahead);
                if self.wanted_is_end {
                    let is_secret = is_secret || conversation.rest_may_hold_secret(side, ahead);
                    (self.outstanding, self.outstanding_is_secret) = ((demand - len) as u64, is_secret);
                } else if is_secret {
                    let rest = if is_text(ahead) { &mut self.secret_line } else { &mut self.secret_run };
                    *rest = SECRET_REST;
                }
                Step::Message { len, cut: Cut::Lost { needed: demand, lost: gap.len } }
            }
            Following::End | Following::LimitReached => Step::Message { len, cut: Cut::Stream { needed: demand } },
        }
    }
}

/// Whether bytes are UTF-8, the last character whole or not, without control characters but those of lines.
fn is_text(bytes: &[u8]) -> bool {
    let is_plain = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r' | b'\n');
    bytes.iter().all(is_plain) && std::str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none())
}
