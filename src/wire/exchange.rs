//! The interface of datagram protocols that keep state.

use super::{Result, Wire};
use crate::tree::{Field, Lost, Object, Piece, Receiver, Side};

/// What is left at the end of a conversation.
pub struct Unfinished {
    /// The sender.
    pub from: Side,
    /// The bytes received.
    pub bytes: Vec<u8>,
    /// The frames of the bytes; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
    /// The reassembly method, as shown to the user.
    pub method: &'static str,
    /// Elements that are missing before them.
    pub lost: Vec<Lost>,
    /// What the bytes are.
    pub rest: Rest,
}

/// What is left of a conversation.
pub enum Rest {
    /// Parts of a message whose other parts are missing.
    Incomplete {
        /// The note that reports them.
        code: &'static Field,
        /// The text of the note.
        words: String,
    },
    /// A message that waited for elements before it.
    Message {
        /// Who reads it.
        receiver: Receiver,
        /// A number about it, as in [`Wire::detail`].
        detail: u64,
    },
}

/// The state of one datagram conversation. Endpoints that answer a broadcast share the state of its sender.
pub trait Exchange: Send {
    /// Dissects one datagram.
    ///
    /// # Errors
    /// If reading had to stop; earlier fields are kept.
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result;

    /// Dissects a message that this conversation delivered to itself ([`Receiver::Own`]).
    fn delivered(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.message(from, wire)
    }

    /// Whether earlier datagrams identify these bytes as this protocol. Takes precedence over ports and heuristics.
    fn claims(&self, from: Side, bytes: &[u8]) -> bool {
        let _ = (from, bytes);
        false
    }

    /// Receives the details of the conversation that announced this one ([`Wire::expect_with`]). Called once, before any
    /// datagram.
    fn announced(&mut self, details: &[u8]) {
        let _ = details;
    }

    /// Approximate size in bytes, queried after each datagram.
    fn memory_usage(&self) -> usize {
        size_of_val(self)
    }

    /// Exportable objects collected so far.
    fn objects(&self) -> Vec<Object> {
        Vec::new()
    }

    /// Whether something would be left if the conversation ended now; asked only of protocols in messages of streams.
    fn is_waiting(&self) -> bool {
        false
    }

    /// What is left at the end of the conversation, in order.
    fn unfinished(&mut self) -> Vec<Unfinished> {
        Vec::new()
    }
}
