//! Nodes and notes: what one frame had of the fields.

use super::{Field, Span};

/// Text or a number of nodes' own, put together while reading and kept in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Made {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Made {
    /// What lies between two offsets, if a 32-bit number can tell both.
    pub(super) fn between(start: usize, end: usize) -> Option<Made> {
        Some(Made { start: u32::try_from(start).ok()?, len: u32::try_from(end.checked_sub(start)?).ok()? })
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The value of a node. Bytes and text stay where they are: the node's span points at them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// No value of its own: a group.
    None,
    /// A number that is never negative.
    Unsigned(u64),
    /// A number that may be negative.
    Signed(i64),
    /// A 32-bit floating-point number.
    Single(f32),
    /// A 64-bit floating-point number.
    Double(f64),
    /// True or false.
    Bool(bool),
    /// The bytes of the span.
    Bytes,
    /// The text of the span, UTF-8.
    Text,
    /// Text that is not on the wire as such.
    Made(Made),
    /// The bytes, or the UTF-8 text, of this span: a part of the node's own, or others.
    At(Span),
}

/// One value that a frame had.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// What it is.
    pub field: &'static Field,
    /// What it says.
    pub value: Value,
    /// Where it says so.
    pub span: Span,
    /// The first node behind it and all below it.
    pub end: u32,
}

/// A remark at a place in the tree.
#[derive(Debug, Clone, Copy)]
pub struct Note {
    /// Its code and level: a field of the kind [`super::Kind::Note`].
    pub code: &'static Field,
    /// The node it is about.
    pub node: u32,
    /// The bytes it is about.
    pub span: Span,
    /// What there is to say.
    pub text: Made,
}
