//! What a stream protocol answers.

use super::{Protocol, Result, Wire};
use crate::tree::{Object, Side};

/// Where the next message of a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// It is this long. The engine waits for all of it.
    Message(usize),
    /// That can be told with this many bytes in all; do not ask again before.
    NeedMore(usize),
    /// The next so many bytes are none of this protocol's.
    Unknown(usize),
}

/// Bytes of a stream that the capture does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// How many.
    pub bytes: u64,
    /// Whether they all lie inside one message whose end is known: the next message is found without searching.
    pub in_step: bool,
}

/// Whose the bytes of a connection are from here on.
pub enum Next {
    /// This protocol's, read on by this conversation.
    To(&'static Protocol, Box<dyn Conversation>),
    /// Those of a protocol that is found [`super::On::Over`] this place.
    Over(&'static str),
    /// Anybody's: it is asked as if the connection began here.
    Anyone,
}

/// The state of one connection of a stream protocol.
pub trait Conversation: Send {
    /// Where does the next message end? `ahead` is what has arrived and was not yet read; `more` is false when nothing
    /// can follow it, because the stream ends or bytes are missing there. An answer beyond the end then means that
    /// `ahead` is the beginning of a message.
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent;

    /// What does it say? Called with exactly the bytes of one message, fewer if the rest never came ([`Wire::cut`]).
    ///
    /// # Errors
    /// Where reading had to stop; what was read stays.
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result;

    /// Bytes were lost. [`Conversation::extent`] is asked afresh behind them.
    fn gap(&mut self, from: Side, missing: Missing) {
        let _ = (from, missing);
    }

    /// Whether somebody else goes on behind the message just read, on both sides.
    fn next(&mut self) -> Option<Next> {
        None
    }

    /// Bytes of memory that it holds, about. Asked after each segment.
    fn held(&self) -> usize {
        size_of_val(self)
    }

    /// All conversations together hold too much: forget what only makes messages say more, now and from here on. Says whether
    /// there was anything.
    fn forget(&mut self) -> bool {
        false
    }

    /// What it has gathered so far that can be saved.
    fn objects(&self) -> Vec<Object> {
        Vec::new()
    }
}
