//! Nodes and notes: the values of one frame.

use super::{Field, Span};

/// A range of text or numbers that were generated during dissection and are stored in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextRange {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl TextRange {
    /// The range between two offsets, if they fit into 32 bits.
    pub(super) fn between(start: usize, end: usize) -> Option<TextRange> {
        Some(TextRange { start: u32::try_from(start).ok()?, len: u32::try_from(end.checked_sub(start)?).ok()? })
    }

    /// Whether the range is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The value of a node. Bytes and text are not copied: the node's span refers to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// No value: a group.
    None,
    /// An unsigned integer.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A 32-bit floating-point number.
    Single(f32),
    /// A 64-bit floating-point number.
    Double(f64),
    /// A boolean.
    Bool(bool),
    /// The bytes of the span.
    Bytes,
    /// The text of the span, UTF-8.
    Text,
    /// Generated text that is not on the wire.
    Generated(TextRange),
    /// The bytes, or the UTF-8 text, of this span: a part of the node's span, or elsewhere.
    At(Span),
}

/// A value in a frame.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// The field.
    pub field: &'static Field,
    /// The value.
    pub value: Value,
    /// The bytes it was read from.
    pub span: Span,
    /// The index after the last node below it.
    pub end: u32,
}

/// A note at a position in the tree.
#[derive(Debug, Clone, Copy)]
pub struct Note {
    /// Its code and level: a field of the kind [`super::Kind::Note`].
    pub code: &'static Field,
    /// The index of the annotated node.
    pub node: u32,
    /// The annotated bytes.
    pub span: Span,
    /// The text.
    pub text: TextRange,
}
