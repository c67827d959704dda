//! What can be saved: pictures, bodies, the state of a conversation.

use super::{Field, StreamId};

/// Something that a message or a conversation carries and that makes a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// What it is, in a word: `map`, `body`.
    pub kind: &'static str,
    /// What it would be called as a file; may come from the wire, so whoever saves it makes it harmless.
    pub name: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// An object, and who carries it.
#[derive(Debug, Clone)]
pub struct Carried {
    /// The object.
    pub object: Object,
    /// The protocol.
    pub protocol: &'static Field,
    /// The conversation, if it is part of one.
    pub stream: Option<StreamId>,
    /// The node of the message that brought it; none for what a conversation has gathered when it ends.
    pub message: Option<u32>,
}
