//! The interface of stream protocols: message boundaries, dissection and gaps.

use super::{Owner, Protocol, Result, Wire};
use crate::tree::{Dissection, Object, Partial, SharedValues, Side, StreamId, Time, Unended};
use std::net::SocketAddr;

/// Where the next message of a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A message of this many bytes. The engine buffers until all of them have arrived.
    Message(usize),
    /// The length needs this many bytes in total. The engine asks again once they have arrived.
    NeedMore(usize),
    /// This many bytes belong to no message of the protocol.
    Unknown(usize),
    /// The rest of the segment belongs to no message of the protocol; one may begin with the next segment.
    Segment,
}

/// What is known of a stream before its first message.
#[derive(Debug, Clone, Copy)]
pub struct Beginning {
    /// The stream number.
    pub stream: StreamId,
    /// Client and server, if known.
    pub ends: Option<[SocketAddr; 2]>,
    /// The time of its first captured frame.
    pub first: Time,
    /// The number of that frame.
    pub frame: u64,
}

impl Beginning {
    /// The conversation, for key files.
    #[must_use]
    pub const fn owner(&self) -> Owner {
        Owner { stream: self.stream, ends: self.ends, first: self.first }
    }
}

/// Stream bytes missing from the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// Number of missing bytes.
    pub bytes: u64,
    /// Whether all of them lie inside one message of known length. The next message then needs no resynchronization.
    pub in_step: bool,
}

/// Where a message certainly begins, in a direction whose message boundaries are unknown because bytes before are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumption {
    /// The direction holds no secret, so it does not matter.
    Anywhere,
    /// After this many bytes; a message that is cut begins there, too.
    At(usize),
    /// Not within this many bytes. More bytes are needed for those behind them.
    Beyond(usize),
}

impl Resumption {
    /// The first place where a message begins. Each of the last `undecided` bytes may begin one that is not recognized yet.
    #[must_use]
    pub fn search(ahead: &[u8], undecided: usize, begins: impl Fn(&[u8]) -> bool) -> Resumption {
        let found = (0..ahead.len()).find(|at| begins(ahead.get(*at..).unwrap_or_default()));
        found.map_or(Resumption::Beyond(ahead.len().saturating_sub(undecided)), Resumption::At)
    }
}

/// The protocol of the remaining bytes of a connection.
pub enum Next {
    /// This protocol, with the state that continues it.
    To(&'static Protocol, Box<dyn Conversation>),
    /// A protocol registered [`super::On::Over`] this name.
    Over(&'static str),
    /// Unknown: detected as at the start of a connection.
    Detect,
    /// The same, relayed by this protocol: each segment has a layer of it, to which the function adds generated fields.
    Relayed(&'static Protocol, Box<dyn Fn(&mut Wire<'_>) + Send>),
}

/// The state of one connection of a stream protocol.
pub trait Conversation: Send {
    /// Tells which stream it is. Called once, before anything else.
    fn begins(&mut self, beginning: &Beginning) {
        let _ = beginning;
    }

    /// Receives what conversations that have begun before left for it. Called once, behind [`Conversation::begins`].
    fn inherit(&mut self, shared: &SharedValues) {
        let _ = shared;
    }

    /// Shows the frame whose bytes [`Conversation::extent`] sees next, for conversations that dissect to find boundaries. The bytes
    /// of the frame end at `end` of the unread ones; those behind it arrived earlier, out of order.
    fn arrives(&mut self, of: Dissection<'_>, end: usize) {
        let _ = (of, end);
    }

    /// Returns the boundary of the next message. `ahead` holds the unread bytes. `more` is false when nothing can follow
    /// them, at the end of the stream or before a gap. A length beyond `ahead` then means a truncated message.
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent;

    /// Dissects one message: exactly its bytes, or fewer if the remainder never arrived ([`Wire::cut`]).
    ///
    /// # Errors
    /// If reading had to stop; earlier fields are kept.
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result;

    /// Dissects a message that this conversation delivered to itself ([`crate::tree::Receiver::Own`]).
    fn delivered(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let _ = (from, wire);
        Ok(())
    }

    /// Whether the bytes of the message just dissected contain another one, which is dissected now.
    fn repeats(&mut self, from: Side) -> bool {
        let _ = from;
        false
    }

    /// Whether bytes of both sides for which more bytes were awaited can be read now; true once.
    fn releases(&mut self) -> bool {
        false
    }

    /// Reports how many bytes the segment had left that belong to no message ([`Extent::Segment`]).
    fn passed(&mut self, from: Side, count: usize) {
        let _ = (from, count);
    }

    /// Receives bytes behind a gap that belong to the message before it.
    fn rest(&mut self, from: Side, bytes: &[u8]) {
        let _ = (from, bytes);
    }

    /// Reports lost bytes. [`Conversation::extent`] runs again on the bytes after them.
    fn gap(&mut self, from: Side, missing: Missing) {
        let _ = (from, missing);
    }

    /// Reports that the other side acknowledged bytes of this one that are not captured so far, before bytes that may answer them.
    fn unseen(&mut self, from: Side) {
        let _ = from;
    }

    /// Returns the protocol that takes over both directions after the message just dissected.
    fn next(&mut self) -> Option<Next> {
        None
    }

    /// What Wireshark shows of a segment that completes no message, if its dissector supports that.
    fn partial(&self, from: Side, unended: Unended<'_>) -> Option<Partial> {
        let _ = (from, unended);
        None
    }

    /// Whether the incomplete message that begins with `ahead` may contain a secret that no name in text precedes. Its bytes are
    /// then masked in segments, and the rest of the message after a gap. `ahead` is empty after a hole, where message
    /// boundaries are unknown.
    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        let _ = (from, ahead);
        false
    }

    /// The same for the bytes behind a gap that end the message at `ahead`.
    fn rest_may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        self.may_hold_secret(from, ahead)
    }

    /// Where a message certainly begins among bytes behind lost ones. Bytes before it are masked, as they may end a secret.
    /// It depends on `ahead` alone, or on what the protocol knows of all of the direction.
    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        let _ = (from, ahead);
        Resumption::Anywhere
    }

    /// Approximate heap and stack size in bytes, queried after each segment.
    fn memory_usage(&self) -> usize {
        size_of_val(self)
    }

    /// Drops optional state, now and for the remaining connection, because all conversations together exceed their memory
    /// limit. Returns whether there was any.
    fn forget(&mut self) -> bool {
        false
    }

    /// Exportable objects collected so far.
    fn objects(&self) -> Vec<Object> {
        Vec::new()
    }
}
