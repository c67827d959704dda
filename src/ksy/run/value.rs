//! Values of fields and expressions at run time: small copies that refer to bytes and objects by number.

use crate::tree::Span;

/// The buffer of dissected bytes.
pub(super) const INPUT: u32 = 0;
/// The buffer of literal texts and bytes of the file.
pub(in crate::ksy) const CONSTANTS: u32 = 1;
/// The buffer of texts and bytes that expressions create.
pub(super) const HEAP: u32 = 2;
/// The first buffer of processed bytes.
pub(super) const DERIVED: u32 = 3;

/// An index that refers to nothing.
pub(super) const NOTHING: u32 = u32::MAX;

/// A range of bytes in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::ksy) struct Blob {
    pub(in crate::ksy) buffer: u32,
    pub(in crate::ksy) start: u32,
    pub(in crate::ksy) end: u32,
}

impl Blob {
    pub(super) const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }
}

/// A value.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::ksy) enum V {
    /// No value: a condition is false, or a switch has no matching case.
    #[default]
    Null,
    /// An integer, or a member of an enum.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// Text in UTF-8.
    Str(Blob),
    /// Bytes.
    Bytes(Blob),
    /// An object, by its number.
    Object(u32),
    /// A list, by its number.
    List(u32),
    /// A stream, by its number.
    Io(u32),
    /// A table and one of its versions; [`NOTHING`] for one that it has not.
    Table(u32, u32),
    /// Bytes that cannot be deciphered.
    Opaque(Blob),
}

impl V {
    /// Its kind, for messages.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            V::Null => "no value",
            V::Int(_) => "an integer",
            V::Float(_) => "a floating-point number",
            V::Bool(_) => "a boolean",
            V::Str(_) => "a text",
            V::Bytes(_) => "bytes",
            V::Object(_) => "an object",
            V::List(_) => "a list",
            V::Io(_) => "a stream",
            V::Table(..) => "a table",
            V::Opaque(_) => "bytes that are not deciphered",
        }
    }
}

/// The state of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// Not read yet.
    #[default]
    Unset,
    /// Being read.
    Open,
    /// Complete.
    Done,
    /// Failed; a note was added.
    Failed,
}

/// A value with its span: a parameter, a field, an instance, or an element of a list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    pub value: V,
    /// The buffer of its bytes; [`NOTHING`] for calculated values.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// The index of its shape.
    pub shape: u16,
    pub state: State,
    /// For a bit field, the first bit in its bytes and the number of bits; else 0 and 0.
    pub first_bit: u8,
    pub bits: u8,
}

/// An object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Object {
    /// Index of its type.
    pub of: u32,
    /// Its first slot.
    pub slots: u32,
    /// The parent; [`NOTHING`] for none.
    pub parent: u32,
    pub root: u32,
    /// Its stream.
    pub io: u32,
    /// The buffer and range of its `seq`.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// Its byte order, if stored.
    pub is_little: Option<bool>,
    /// Whether all of `seq` was read.
    pub is_complete: bool,
}

/// A list of contiguous elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub start: u32,
    pub len: u32,
    /// Whether elements are still added: they are on the stack of open lists then.
    pub is_open: bool,
}

/// A stream: a part of a buffer with a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// The current position in the buffer.
    pub at: u32,
    /// Unread bits of the byte before `at`.
    pub bits_left: u8,
}

impl Stream {
    pub(super) const fn remaining(&self) -> u32 {
        self.end.saturating_sub(self.at)
    }

    /// Whether all bytes and bits are read.
    pub(super) const fn is_at_end(&self) -> bool {
        self.bits_left == 0 && self.at >= self.end
    }

    /// The byte that contains the next bit.
    pub(super) const fn byte(&self) -> u32 {
        if self.bits_left > 0 { self.at.saturating_sub(1) } else { self.at }
    }
}

/// Processed bytes.
#[derive(Debug)]
pub(super) struct Derived {
    pub bytes: Vec<u8>,
    /// The bytes they were derived from.
    pub from: Blob,
    /// The name of the processor.
    pub method: &'static str,
    /// The span of all of them in the tree, once a field refers to them.
    pub span: Option<Span>,
}
