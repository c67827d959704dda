//! Exportable objects: pictures, bodies, the state of a conversation.

use super::{Field, StreamId};

/// An object that can be exported as a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// The type, one word: `map`, `body`.
    pub kind: &'static str,
    /// The suggested file name. It may come from the wire and must be sanitized before use.
    pub name: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// Marked positions of a picture; empty for other objects.
    pub marks: Vec<Mark>,
}

/// A marked position of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The marked thing: `player`.
    pub label: &'static str,
    /// Distance from the left edge as a fraction of the width, between 0 and 1.
    pub x: f64,
    /// Distance from the upper edge as a fraction of the height, between 0 and 1.
    pub y: f64,
}

/// An object with the message or conversation that carries it.
#[derive(Debug, Clone)]
pub struct ExportedObject {
    /// The object.
    pub object: Object,
    /// The protocol.
    pub protocol: &'static Field,
    /// The conversation, if it is part of one.
    pub stream: Option<StreamId>,
    /// The node of the message that carried it; `None` for objects of a conversation as a whole.
    pub message: Option<u32>,
}
