//! Messages whose first bytes select how long they are: `table@0:11=4,71=u8`, `switch@0:c1=length@1:u8,c2=length@1:u16be`.

use super::rule::{Endian, Number, Step, counted, whole};
use std::fmt;

/// The number, or the bits of it, that select the size of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// A number of one or two bytes.
    pub at: Number,
    /// The bits of it that count.
    pub mask: u16,
}

impl Key {
    /// All bits of a number.
    #[must_use]
    pub const fn whole(offset: usize, width: usize, endian: Endian) -> Key {
        Key { at: Number { offset, width, endian }, mask: if width == 1 { 0xff } else { 0xffff } }
    }

    /// Whether all bits count.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self == Key::whole(self.at.offset, self.at.width, self.at.endian)
    }

    /// Its value in a message; `None` if the message is too short.
    #[must_use]
    pub fn read(self, message: &[u8]) -> Option<u16> {
        u16::try_from(self.at.read(message)?).ok().map(|value| value & self.mask)
    }
}

/// The size of messages of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// A constant size.
    Fixed(usize),
    /// A length field.
    Counted {
        /// The field, from the start of the message.
        at: Number,
        /// Number of bytes it does not count.
        bias: i64,
    },
}

impl Size {
    /// A length field that counts the bytes after itself.
    #[must_use]
    pub fn behind(offset: usize, width: usize, endian: Endian) -> Size {
        let at = Number { offset, width, endian };
        Size::Counted { at, bias: i64::try_from(at.end()).unwrap_or(0) }
    }

    /// Applies it at the start of a message, of which `least` bytes are required.
    #[inline]
    #[must_use]
    pub fn step(self, least: usize, bytes: &[u8]) -> Step {
        match self {
            Size::Fixed(size) => whole(Some(size as u64), least, bytes),
            Size::Counted { at, bias } => match counted(at, bias, 1, None, bytes) {
                Step::Message(size) | Step::Cut(size) if size < least => Step::Impossible,
                step => step,
            },
        }
    }

    /// The length field, if there is one.
    #[must_use]
    pub const fn number(self) -> Option<Number> {
        match self {
            Size::Fixed(_) => None,
            Size::Counted { at, .. } => Some(at),
        }
    }
}

/// `length@1:u16be+3`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Fixed(size) => write!(f, "{size}"),
            Size::Counted { at, bias: 0 } => write!(f, "length@{at}"),
            Size::Counted { at, bias } => write!(f, "length@{at}{bias:+}"),
        }
    }
}

/// Sizes by the value of a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table {
    /// The key.
    pub key: Key,
    /// Sizes by value, in ascending order.
    pub sizes: Vec<(u16, Size)>,
    /// The size of messages with other values.
    pub other: Option<Size>,
}

impl Table {
    /// The size of messages with this value.
    #[must_use]
    pub fn size_of(&self, value: u16) -> Option<Size> {
        let known = self.sizes.binary_search_by_key(&value, |(known, _)| *known).ok().and_then(|place| self.sizes.get(place));
        known.map(|(_, size)| *size).or(self.other)
    }

    /// Applies the table at the start of `bytes`.
    #[inline]
    #[must_use]
    pub fn step(&self, bytes: &[u8]) -> Step {
        let Some(value) = self.key.read(bytes) else { return Step::Short };
        self.size_of(value).map_or(Step::Impossible, |size| size.step(self.key.at.end(), bytes))
    }

    /// All sizes.
    pub fn all(&self) -> impl Iterator<Item = Size> {
        self.sizes.iter().map(|(_, size)| *size).chain(self.other)
    }

    /// Whether all messages have a length field.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        self.all().all(|size| size.number().is_some())
    }

    /// The length field, if it is the same in all messages.
    #[must_use]
    pub fn length(&self) -> Option<Number> {
        let mut numbers = self.all().map(Size::number);
        let first = numbers.next()??;
        numbers.all(|number| number == Some(first)).then_some(first)
    }

    /// Whether headers have different sizes, because the length field ends elsewhere.
    #[must_use]
    pub fn has_headers(&self) -> bool {
        let mut ends = self.all().map(|size| size.number().map(Number::end));
        let first = ends.next().flatten();
        self.is_switch() && ends.any(|end| end != first)
    }

    /// Size of the header of a message up to the end of the length field; 0 if it is the same for all messages.
    #[must_use]
    pub fn header(&self, bytes: &[u8]) -> usize {
        let size = self.key.read(bytes).filter(|_| self.has_headers()).and_then(|value| self.size_of(value));
        size.and_then(Size::number).map_or(0, Number::end)
    }

    /// The length field of messages with a header of this size, or with this key.
    #[must_use]
    pub fn number_of(&self, header: usize, key: &[u8]) -> Option<Number> {
        let known = || match self.is_switch() {
            true => self.all().find(|size| size.number().is_some_and(|at| at.end() == header)),
            false if key.len() != self.key.at.width => None,
            false => u16::try_from(self.key.at.endian.read(key)).ok().and_then(|value| self.size_of(value & self.key.mask)),
        };
        self.length().or_else(|| known().and_then(Size::number))
    }

    /// The name in JSON and in rules.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.is_switch() { "switch" } else { "table" }
    }

    /// The key in rules: `0`, `0:u16le`, `0&80`.
    fn key(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { at, mask } = self.key;
        match at.width {
            1 => write!(f, "{}", at.offset)?,
            _ => write!(f, "{at}")?,
        }
        if self.key.is_whole() { Ok(()) } else { write!(f, "&{mask:02x}") }
    }

    /// A size as written in a table, where `u8` is a length field directly behind the key.
    #[must_use]
    pub fn shown(&self, size: Size) -> String {
        match size {
            Size::Counted { at, .. } if !self.is_switch() && size == Size::behind(self.key.at.end(), at.width, at.endian) => {
                let endian = if at.width == 1 { "" } else { at.endian.name() };
                format!("u{}{endian}", 8 * at.width)
            }
            size => size.to_string(),
        }
    }
}

/// `table@0:u16le:0064=55,0069=u16le`, `switch@0&80:00=length@1:u16le+3,80=length@1:u16le+7`, `_` for other values.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@", self.name())?;
        self.key(f)?;
        let mut between = ":";
        for (value, size) in &self.sizes {
            write!(f, "{between}{value:0digits$x}={}", self.shown(*size), digits = 2 * self.key.at.width)?;
            between = ",";
        }
        self.other.map_or(Ok(()), |size| write!(f, "{between}_={}", self.shown(size)))
    }
}
