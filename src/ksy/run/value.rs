//! Values of fields and expressions at run time: copies of a few words, which refer to bytes and objects by number.

use crate::tree::Span;

/// The buffer of the bytes that are dissected.
pub(super) const INPUT: u32 = 0;
/// The buffer of texts and bytes that the file contains.
pub(in crate::ksy) const CONSTANTS: u32 = 1;
/// The buffer of texts and bytes that expressions make.
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
    /// No value: a condition is false, or no case of a switch matches.
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
}

impl V {
    /// What it is, in messages.
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
        }
    }
}

/// How far a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// Not read yet.
    #[default]
    Unset,
    /// Being read.
    Open,
    /// Complete.
    Done,
    /// Could not be read; a note was made.
    Failed,
}

/// A value with its place: a parameter, a field, an instance, or an element of a list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    pub value: V,
    /// The buffer of the bytes that it took; [`NOTHING`] for calculated values.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// Which of the shapes of its member it has.
    pub shape: u16,
    pub state: State,
    /// Of a bit field, the first bit of its bytes and the number of bits; else 0 and 0.
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
    /// [`NOTHING`] for none.
    pub parent: u32,
    pub root: u32,
    /// The stream that it is read from.
    pub io: u32,
    /// The buffer and bytes that its fields in `seq` took.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// The byte order that it keeps, if it does.
    pub is_little: Option<bool>,
    /// Whether all of `seq` was read.
    pub is_complete: bool,
}

/// A list; its elements lie one behind another.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub start: u32,
    pub len: u32,
    /// Whether elements are still added: they lie on the stack of open lists then.
    pub is_open: bool,
}

/// A stream: a part of a buffer with a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// The next byte, counted in the buffer.
    pub at: u32,
    /// Bits of the byte before `at` that were not read.
    pub bits_left: u8,
}

impl Stream {
    pub(super) const fn remaining(&self) -> u32 {
        self.end.saturating_sub(self.at)
    }

    /// Whether neither a byte nor a bit is left.
    pub(super) const fn is_at_end(&self) -> bool {
        self.bits_left == 0 && self.at >= self.end
    }

    /// The byte that the next bit lies in.
    pub(super) const fn byte(&self) -> u32 {
        if self.bits_left > 0 { self.at.saturating_sub(1) } else { self.at }
    }
}

/// Bytes that `process` made.
#[derive(Debug)]
pub(super) struct Derived {
    pub bytes: Vec<u8>,
    /// The bytes that they were made of.
    pub from: Blob,
    /// The name of the processor.
    pub how: &'static str,
    /// The span of all of them in the tree, once a field lies in them.
    pub span: Option<Span>,
}
