//! Framing rules, which compute the length of a message from its first bytes.
//!
//! The syntax is that of the output: `length@0:u32le+8`, `varint@1:leb128`, `end:0d0a`, `fixed:48`, `headers`, `hex4`.

use super::table::Table;
use std::fmt;

/// Byte order of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endian {
    /// Both byte orders.
    pub const BOTH: [Endian; 2] = [Endian::Little, Endian::Big];

    /// `le` or `be`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Endian::Little => "le",
            Endian::Big => "be",
        }
    }

    /// Reads an unsigned number of up to eight bytes.
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> u64 {
        let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        match self {
            Endian::Little => bytes.iter().rev().fold(0, join),
            Endian::Big => bytes.iter().fold(0, join),
        }
    }
}

/// The position of a number in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {
    /// Offset from the start of the message.
    pub offset: usize,
    /// Size in bytes, 1 to 8.
    pub width: usize,
    /// Byte order.
    pub endian: Endian,
}

impl Number {
    /// The offset after it.
    #[must_use]
    pub const fn end(self) -> usize {
        self.offset + self.width
    }

    /// Its value in a message; `None` if the message is too short.
    #[must_use]
    pub fn read(self, message: &[u8]) -> Option<u64> {
        let bytes = message.get(self.offset..self.end())?;
        Some(match (bytes, self.endian) {
            ([only], _) => u64::from(*only),
            ([a, b], Endian::Little) => u64::from(u16::from_le_bytes([*a, *b])),
            ([a, b], Endian::Big) => u64::from(u16::from_be_bytes([*a, *b])),
            ([a, b, c, d], Endian::Little) => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            ([a, b, c, d], Endian::Big) => u64::from(u32::from_be_bytes([*a, *b, *c, *d])),
            (bytes, endian) => endian.read(bytes),
        })
    }
}

/// `u8`, `u16le`, `u32be`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:u{}", self.offset, self.width * 8)?;
        if self.width > 1 { f.write_str(self.endian.name()) } else { Ok(()) }
    }
}

/// Formats of numbers of variable width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Varint {
    /// Seven bits per byte, the least significant first.
    Leb128,
    /// The length of ASN.1 BER.
    Ber,
    /// The header of WebSocket: seven bits, 16 or 64 more, and a mask.
    WebSocket,
}

impl Varint {
    /// All formats.
    pub const ALL: [Varint; 3] = [Varint::Leb128, Varint::Ber, Varint::WebSocket];

    /// The name in rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Varint::Leb128 => "leb128",
            Varint::Ber => "ber",
            Varint::WebSocket => "ws",
        }
    }

    /// Size and value of the number; `None` if it is invalid.
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> Option<(usize, u64)> {
        let first = *bytes.first()?;
        match self {
            Varint::Leb128 => {
                let mut value = 0;
                for (place, byte) in bytes.iter().take(5).enumerate() {
                    value |= u64::from(byte & 0x7f) << (7 * place);
                    if byte & 0x80 == 0 {
                        return (place == 0 || *byte != 0).then_some((place + 1, value));
                    }
                }
                None
            }
            Varint::Ber if first < 0x80 => Some((1, first.into())),
            Varint::Ber => {
                let count = usize::from(first & 0x7f);
                if !(1..=4).contains(&count) {
                    return None;
                }
                let value = Endian::Big.read(bytes.get(1..=count)?);
                (value >= 0x80).then_some((1 + count, value))
            }
            Varint::WebSocket => {
                let mask = if first & 0x80 == 0 { 0 } else { 4 };
                match first & 0x7f {
                    126 => Some((3 + mask, Endian::Big.read(bytes.get(1..3)?))).filter(|(_, value)| *value >= 126),
                    127 => Some((9 + mask, Endian::Big.read(bytes.get(1..9)?))).filter(|(_, value)| *value > 0xffff),
                    short => Some((1 + mask, short.into())),
                }
            }
        }
    }
}

/// A framing rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The value of a number times `scale` plus `bias`.
    Length {
        /// The number.
        at: Number,
        /// Number of bytes it does not count.
        bias: i64,
        /// Size of its unit.
        scale: u64,
        /// Offset of the number of padding bytes after the message.
        padding: Option<usize>,
    },
    /// The value of a number of variable width, plus the bytes before its end.
    Varint {
        /// Its offset.
        offset: usize,
        /// Its format.
        format: Varint,
    },
    /// Up to and including these bytes.
    Terminator(Vec<u8>),
    /// A constant size.
    Fixed(usize),
    /// Header lines, an empty line, and a body of `Content-Length`.
    Headers,
    /// Four hexadecimal digits that include themselves in the count.
    Hex4,
    /// By the value of a number: a constant size, or a length field.
    Table(Table),
    /// A byte counts what follows; a checksum of two bytes follows each block.
    Blocks {
        /// Offset of the byte.
        offset: usize,
        /// Number of header bytes it counts.
        counted: usize,
        /// Size of the header with its checksum.
        header: usize,
        /// Size of a block.
        block: usize,
    },
    /// Each datagram is a message.
    Datagram,
    /// No rule: the bytes between turns are a message.
    None,
}

/// The result of a rule at one offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A message of this size.
    Message(usize),
    /// An incomplete message of this size.
    Cut(usize),
    /// Too few bytes for the rule.
    Short,
    /// No message.
    Impossible,
}

/// A message with its length at a constant offset, and the number of padding bytes at another one.
#[inline]
pub(super) fn counted(at: Number, bias: i64, scale: u64, padding: Option<usize>, bytes: &[u8]) -> Step {
    let Some(value) = at.read(bytes) else { return Step::Short };
    let pad = match padding {
        Some(place) => match bytes.get(place) {
            Some(pad) => i64::from(*pad),
            None => return Step::Short,
        },
        None => 0,
    };
    let value = i64::try_from(value).ok();
    let total = value.and_then(|value| value.checked_mul(i64::try_from(scale).ok()?)?.checked_add(bias)?.checked_add(pad));
    let least = padding.map_or(at.end(), |place| at.end().max(place + 1));
    whole(total.and_then(|total| u64::try_from(total).ok()), least, bytes)
}

/// A message with a length of variable width.
#[inline]
fn varint(offset: usize, format: Varint, bytes: &[u8]) -> Step {
    let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) else { return Step::Short };
    match format.read(rest) {
        Some((width, value)) => {
            let header = offset + width;
            whole(value.checked_add(header as u64), header, bytes)
        }
        None if rest.len() < 9 => Step::Short,
        None => Step::Impossible,
    }
}

/// A message with its length in four hexadecimal digits; a length below 4 is a message without a body.
#[inline]
fn hex4(bytes: &[u8]) -> Step {
    let Some(digits) = bytes.get(..4) else { return Step::Short };
    let value = std::str::from_utf8(digits).ok().and_then(|text| {
        if text.bytes().all(|byte| byte.is_ascii_hexdigit()) { u64::from_str_radix(text, 16).ok() } else { None }
    });
    match value {
        Some(0..=3) => Step::Message(4),
        value => whole(value, 4, bytes),
    }
}

/// The first occurrence of a terminator. Messages are short, so that preparing a search would take longer than the search.
fn find(bytes: &[u8], end: &[u8]) -> Option<usize> {
    let (first, rest) = end.split_first()?;
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(*first, bytes.get(from..)?)?;
        if bytes.get(at + 1..)?.starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Maximum message length of a rule.
const LONGEST: u64 = 1 << 28;

impl Rule {
    /// Applies the rule at the start of `bytes`.
    #[must_use]
    pub fn step(&self, bytes: &[u8]) -> Step {
        if bytes.is_empty() {
            return Step::Short;
        }
        match self {
            Rule::Length { at, bias, scale, padding } => counted(*at, *bias, *scale, *padding, bytes),
            Rule::Varint { offset, format } => varint(*offset, *format, bytes),
            Rule::Terminator(end) => match find(bytes, end) {
                Some(at) => Step::Message(at + end.len()),
                None => Step::Short,
            },
            Rule::Fixed(size) => whole(Some(*size as u64), 1, bytes),
            Rule::Headers => headers(bytes),
            Rule::Hex4 => hex4(bytes),
            Rule::Table(table) => table.step(bytes),
            Rule::Blocks { offset, counted, header, block } => {
                let Some(value) = bytes.get(*offset) else { return Step::Short };
                let body = usize::from(*value).checked_sub(*counted);
                let total = body.map(|body| header + body + 2 * body.div_ceil((*block).max(1)));
                whole(total.map(|total| total as u64), *header, bytes)
            }
            Rule::Datagram | Rule::None => Step::Message(bytes.len()),
        }
    }

    /// The length field, if a rule has one of constant width.
    #[must_use]
    pub fn length(&self) -> Option<Number> {
        match self {
            Rule::Length { at, .. } => Some(*at),
            Rule::Blocks { offset, .. } => Some(Number { offset: *offset, width: 1, endian: Endian::Big }),
            Rule::Hex4 => Some(Number { offset: 0, width: 4, endian: Endian::Big }),
            Rule::Table(table) => table.length(),
            _ => None,
        }
    }

    /// The name in JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Rule::Length { .. } => "length",
            Rule::Varint { .. } => "varint",
            Rule::Terminator(_) => "terminator",
            Rule::Fixed(_) => "fixed",
            Rule::Headers => "headers",
            Rule::Hex4 => "hex4",
            Rule::Table(table) => table.name(),
            Rule::Blocks { .. } => "blocks",
            Rule::Datagram => "datagram",
            Rule::None => "none",
        }
    }
}

/// A message of `total` bytes, at least `least` of which are required to apply the rule.
pub(super) fn whole(total: Option<u64>, least: usize, bytes: &[u8]) -> Step {
    match total.filter(|total| *total <= LONGEST).and_then(|total| usize::try_from(total).ok()) {
        Some(total) if total < least.max(1) => Step::Impossible,
        Some(total) if total <= bytes.len() => Step::Message(total),
        Some(total) => Step::Cut(total),
        None => Step::Impossible,
    }
}

/// Maximum size of header lines.
const HEADER_BYTES: usize = 64 << 10;

/// Lines up to an empty one, and a body.
fn headers(bytes: &[u8]) -> Step {
    let window = bytes.get(..HEADER_BYTES).unwrap_or(bytes);
    if !window.iter().take(8).all(|byte| (0x20..0x7f).contains(byte)) {
        return Step::Impossible;
    }
    let crlf = memchr::memmem::find(window, b"\r\n\r\n").map(|at| at + 4);
    let lf = memchr::memmem::find(window, b"\n\n").map(|at| at + 2);
    let Some(head) = [crlf, lf].into_iter().flatten().min() else {
        return if bytes.len() < HEADER_BYTES { Step::Short } else { Step::Impossible };
    };
    let lines = window.get(..head).unwrap_or_default().split(|byte| *byte == b'\n');
    let mut length = 0;
    for line in lines {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = line.split_at(colon);
        let is_length = [&b"content-length"[..], b"l"].iter().any(|known| name.eq_ignore_ascii_case(known));
        if is_length {
            let text = value.get(1..).unwrap_or_default().trim_ascii();
            match std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok()) {
                Some(value) => length = value,
                None => return Step::Impossible,
            }
        }
        if name.eq_ignore_ascii_case(b"transfer-encoding") && value.to_ascii_lowercase().ends_with(b"chunked\r") {
            return chunks(bytes, head);
        }
    }
    whole(Some(length.saturating_add(head as u64)), head, bytes)
}

/// Chunks of a body (HTTP/1.1) after a header of `at` bytes.
fn chunks(bytes: &[u8], mut at: usize) -> Step {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(end) = memchr::memmem::find(rest, b"\r\n") else { return Step::Short };
        let digits = rest.get(..end).unwrap_or_default().split(|byte| *byte == b';').next().unwrap_or_default();
        let Some(size) = std::str::from_utf8(digits).ok().and_then(|text| usize::from_str_radix(text.trim(), 16).ok()) else {
            return Step::Impossible;
        };
        at = at.saturating_add(end + 4).saturating_add(size);
        if at > bytes.len() {
            return Step::Cut(at);
        }
        if size == 0 {
            return Step::Message(at);
        }
    }
}

/// `length@0:u32le*4+8`, `varint@1:leb128`, `end:0d0a`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Length { at, bias, scale, padding } => {
                write!(f, "length@{at}")?;
                if *scale != 1 {
                    write!(f, "*{scale}")?;
                }
                if *bias != 0 {
                    write!(f, "{bias:+}")?;
                }
                padding.map_or(Ok(()), |place| write!(f, "+pad@{place}"))
            }
            Rule::Varint { offset: 1, format: Varint::WebSocket } => f.write_str("varint:ws"),
            Rule::Varint { offset, format } => write!(f, "varint@{offset}:{}", format.name()),
            Rule::Terminator(end) => {
                f.write_str("end:")?;
                end.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Rule::Fixed(size) => write!(f, "fixed:{size}"),
            Rule::Headers => f.write_str("headers"),
            Rule::Hex4 => f.write_str("hex4"),
            Rule::Table(table) => write!(f, "{table}"),
            Rule::Blocks { offset, counted, header, block } => write!(f, "blocks@{offset}-{counted}+{header}/{block}"),
            Rule::Datagram => f.write_str("datagram"),
            Rule::None => f.write_str("none"),
        }
    }
}
