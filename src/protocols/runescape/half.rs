//! One direction of a session: opcodes out of their cipher, where packets end, and when that makes no sense any more.

use super::fields::{LOST_STEP, OPCODE, OPCODE_WIRE};
use super::isaac::Isaac;
use super::resume::Search;
use super::tables::Size;
use crate::tree::{Side, Value};
use crate::wire::{Extent, Result, Wire};
use std::fmt;
use std::sync::Arc;

/// So many packets in a row whose layout does not fit: opcodes are not what they seem.
pub const MISFITS: u8 = 3;

/// How the opcodes of one side are read.
#[derive(Clone, Default)]
pub enum Opcodes {
    /// Nobody knows.
    #[default]
    Unknown,
    /// As they are.
    Clear,
    /// With a generator.
    Under(Box<Isaac>),
    /// With bytes that a generator gave, from this place on.
    With(Arc<[u8]>, usize),
}

impl Opcodes {
    /// The byte in clear.
    fn decipher(&mut self, byte: u8) -> u8 {
        match self {
            Opcodes::Under(isaac) => isaac.decipher(byte),
            Opcodes::With(words, place) => {
                let word = words.get(*place).copied().unwrap_or_default();
                *place += 1;
                byte.wrapping_sub(word)
            }
            Opcodes::Clear | Opcodes::Unknown => byte,
        }
    }
}

/// Why nothing more of a side is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// Bytes are missing.
    Gap,
    /// No packet has this opcode.
    Opcode(u16),
    /// No packet is that long.
    Length(u16, usize),
    /// Layouts did not fit several times in a row.
    Layout,
}

/// The beginning of the next packet.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// The opcode in clear.
    pub opcode: u16,
    /// Bytes that it has.
    pub width: usize,
}

/// One direction.
#[derive(Default)]
pub struct Half {
    pub opcodes: Opcodes,
    /// The first byte of an opcode of two, in clear.
    pub high: Option<u8>,
    /// The packet that waits for its end.
    pub head: Option<Head>,
    /// Why nothing more is read, if that is so.
    pub lost: Option<Lost>,
    /// That was said.
    pub is_told: bool,
    /// How far the search for the place in the cipher is, behind missing bytes.
    pub search: Option<Search>,
    /// Pairs that searches have tried so far.
    pub effort: usize,
    /// Words of the cipher that were passed over to go on.
    pub resumed: Option<usize>,
    /// So many packets in a row did not fit their layout.
    pub misfits: u8,
}

/// Bytes of a packet behind its opcode: those of its length, and those of its payload. An error says how many have to be there
/// before that is known.
pub fn body(size: Size, behind: &[u8]) -> std::result::Result<(usize, usize), usize> {
    match (size, behind) {
        (Size::Fixed(size), _) => Ok((0, size.into())),
        (Size::Byte, [length, ..]) => Ok((1, usize::from(*length))),
        (Size::Short, [high, low, ..]) => Ok((2, usize::from(u16::from_be_bytes([*high, *low])))),
        (Size::Byte, _) => Err(1),
        (Size::Short, _) => Err(2),
    }
}

impl Half {
    /// Nothing was read yet.
    pub fn of(opcodes: Opcodes) -> Half {
        Half { opcodes, ..Half::default() }
    }

    /// The opcode of the next packet; an extent if more bytes are needed for it.
    pub fn next(&mut self, from: Side, ahead: &[u8], has_long_opcodes: bool) -> std::result::Result<Head, Extent> {
        let is_long = has_long_opcodes && from == Side::Server;
        let high = match (self.high, ahead) {
            (Some(high), _) => high,
            (None, [first, ..]) => self.opcodes.decipher(*first),
            (None, []) => return Err(Extent::NeedMore(1)),
        };
        if matches!(self.opcodes, Opcodes::Unknown) {
            return Err(Extent::Message(ahead.len()));
        }
        if !is_long || high < 128 {
            return Ok(Head { opcode: high.into(), width: 1 });
        }
        self.high = Some(high);
        let Some(second) = ahead.get(1) else { return Err(Extent::NeedMore(2)) };
        let low = self.opcodes.decipher(*second);
        self.high = None;
        Ok(Head { opcode: u16::from(high - 128) << 8 | u16::from(low), width: 2 })
    }
}

/// Say that nothing more is read of a side, and why.
pub fn tell_lost(wire: &mut Wire<'_>, head: Option<Head>, lost: Lost) -> Result {
    wire.name("data");
    wire.info(format_args!("lost step"));
    if let (Some(Head { opcode, width }), Lost::Opcode(_) | Lost::Length(..)) = (head, lost) {
        let sent = wire.ahead().iter().take(width).fold(0, |sent, byte| sent << 8 | u64::from(*byte));
        let start = wire.at();
        wire.put(&OPCODE_WIRE, Value::Unsigned(sent), start..start + width);
        wire.skip(width)?;
        wire.put(&OPCODE, Value::Unsigned(opcode.into()), start..wire.at());
    }
    let why = Why(lost);
    wire.malformed(&LOST_STEP, format_args!("{why}: this side is not read any further"))
}

struct Why(Lost);

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Lost::Gap => f.write_str("bytes are missing, and with them the place in the cipher"),
            Lost::Opcode(opcode) => write!(f, "no packet has opcode {opcode}"),
            Lost::Length(opcode, length) => write!(f, "{length} bytes are too many for opcode {opcode}"),
            Lost::Layout => write!(f, "{MISFITS} packets in a row do not fit their layout"),
        }
    }
}
