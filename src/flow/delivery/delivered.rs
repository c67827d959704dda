//! What a direction takes and gives.

use crate::tree::Piece;

/// The bits of the numbers of a protocol, which wrap around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// Bits of [`Element::order`].
    pub order: u32,
    /// Bits of [`Element::once`].
    pub once: u32,
}

impl Width {
    /// The same for both.
    pub const fn bits(bits: u32) -> Width {
        Width { order: bits, once: bits }
    }
}

/// An element of a datagram that carries a message, or a part of one.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// The ordered stream that it belongs to.
    pub stream: u64,
    /// Its number in this stream. Without it, the element is delivered at once.
    pub order: Option<u64>,
    /// Which part of a message it is.
    pub fragment: Fragment,
    /// A number that marks repeats of elements without order.
    pub once: Option<u64>,
    pub bytes: &'a [u8],
    /// Origin of the bytes in frames; offsets count in `bytes`.
    pub pieces: &'a [Piece],
}

/// Which part of a message an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fragment {
    /// All of it.
    Whole,
    /// One with this many later ones: numbers count down to 0, and `order` is consecutive.
    Left(u64),
    /// One of `count` parts of a message, from 0.
    Part {
        /// The message.
        id: u64,
        /// The number of the part.
        index: u64,
        /// The number of parts.
        count: u64,
    },
    /// Bytes at an offset of a message.
    At {
        /// The message.
        id: u64,
        /// Offset of the first byte.
        offset: u64,
        /// Size of the message in bytes.
        total: u64,
    },
}

/// What became of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is a whole message, delivered now. If the flag is not set, it may be the end of a message that began earlier.
    Now {
        /// Whether the message is whole for certain.
        is_whole: bool,
    },
    /// It waits for earlier elements, or for other parts of its message; or it completes one that is delivered now.
    Taken,
    /// It was received before.
    Repeated,
    /// It differs from what was received before in its place. What came first counts.
    Conflict,
    /// Its part numbers are impossible, or claim too many parts or bytes.
    Wrong,
}

/// What a direction gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A message.
    Message {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Their origin in frames.
        pieces: Vec<Piece>,
        /// Whether it is whole for certain. Its first fragments may be missing else.
        is_whole: bool,
    },
    /// Elements that never came.
    Missing {
        /// The ordered stream.
        stream: u64,
        /// The number of the first one.
        first: u64,
        /// How many.
        count: u64,
    },
    /// Parts of a message whose other parts never came.
    Incomplete {
        /// The bytes received.
        bytes: Vec<u8>,
        /// Their origin in frames.
        pieces: Vec<Piece>,
        /// The number of parts received.
        received: u64,
    },
}
