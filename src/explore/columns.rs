//! What the bytes of the messages of one kind do: columns with labels.

use super::messages::{Kind, Message};
use super::rule::{Endian, Rule};

/// A column of the messages of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Offset from the start of the message; negative from its end.
    pub offset: i64,
    /// Bytes; 0 if it takes what is left.
    pub width: usize,
    /// Type as Kaitai Struct names it: `u4`, `f4`, `str`, `bytes`.
    pub kind: &'static str,
    /// Byte order of a number of several bytes.
    pub endian: Option<Endian>,
    /// What the bytes do.
    pub label: Label,
    /// From 0 to 1.
    pub confidence: f64,
    /// Different values.
    pub distinct: usize,
    /// Values, the most frequent first.
    pub values: Vec<Vec<u8>>,
    /// The evidence.
    pub why: String,
}

/// What the bytes of a column do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// Bytes of the message or of a part.
    Length,
    /// Parts that follow.
    Count,
    /// The kind of message.
    Type,
    /// One of few values.
    Enum,
    /// Bits.
    Flags,
    /// Echoed in an answer, or the name of an object.
    Id,
    /// Rises by a step.
    Counter,
    /// Moves with the clock.
    Timestamp,
    /// A floating-point number.
    Float,
    /// One of several that move smoothly.
    Coordinate,
    /// Text.
    Str,
    /// Computed from other bytes.
    Checksum,
    /// An IP or MAC address.
    Address,
    /// Never changes.
    Const,
    /// Zeros.
    Padding,
    /// Encrypted, compressed, a key.
    Random,
    /// A number of which no more is known.
    Value,
    /// Bytes.
    Bytes,
}

impl Label {
    /// As JSON names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Label::Length => "length",
            Label::Count => "count",
            Label::Type => "type",
            Label::Enum => "enum",
            Label::Flags => "flags",
            Label::Id => "id",
            Label::Counter => "counter",
            Label::Timestamp => "timestamp",
            Label::Float => "float",
            Label::Coordinate => "coordinate",
            Label::Str => "string",
            Label::Checksum => "checksum",
            Label::Address => "address",
            Label::Const => "const",
            Label::Padding => "padding",
            Label::Random => "random",
            Label::Value => "value",
            Label::Bytes => "bytes",
        }
    }
}

/// Columns of a kind.
#[must_use]
pub fn columns(_messages: &[Message<'_>], _kind: &Kind, _rule: &Rule) -> Vec<Column> {
    Vec::new()
}
