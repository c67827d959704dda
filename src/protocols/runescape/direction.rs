//! One direction of a session: opcode decryption, packet boundaries and loss of synchronization.

use super::fields::{LOST_STEP, OPCODE, OPCODE_WIRE};
use super::resume::Search;
use super::tables::Size;
use crate::tree::{Side, Value};
use crate::wire::isaac::Isaac;
use crate::wire::{Extent, Result, Wire};
use std::fmt;
use std::sync::Arc;

/// Consecutive layout mismatches after which dissection of the direction stops.
pub const MISFITS: u8 = 3;

/// Decoding of the opcodes of a direction.
#[derive(Clone, Default)]
pub enum Opcodes {
    /// Unknown.
    #[default]
    Unknown,
    /// In clear.
    Clear,
    /// With an ISAAC generator.
    Under(Box<Isaac>),
    /// With recorded cipher bytes, from this position on.
    With(Arc<[u8]>, usize),
}

impl Opcodes {
    /// Decrypts an opcode byte.
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

/// Why a direction is no longer decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// Bytes are missing.
    Gap,
    /// Unassigned opcode.
    Opcode(u16),
    /// Invalid payload length.
    Length(u16, usize),
    /// Repeated layout mismatches.
    Layout,
}

/// Header of the next packet.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// Decrypted opcode.
    pub opcode: u16,
    /// Width of the opcode in bytes.
    pub width: usize,
}

/// One direction of a session.
#[derive(Default)]
pub struct Direction {
    pub opcodes: Opcodes,
    /// Decrypted first byte of a two-byte opcode.
    pub high: Option<u8>,
    /// Header of an incomplete packet.
    pub head: Option<Head>,
    /// Why the direction is no longer decoded.
    pub lost: Option<Lost>,
    /// The reason was noted.
    pub is_noted: bool,
    /// Search for the cipher position after lost bytes.
    pub search: Option<Search>,
    /// Work spent on searches.
    pub effort: usize,
    /// Cipher words skipped to resynchronize.
    pub resumed: Option<usize>,
    /// Consecutive packets that did not fit their layout.
    pub misfits: u8,
}

/// Widths of the length field and of the payload. The error is the number of bytes needed to know them.
pub fn body(size: Size, behind: &[u8]) -> std::result::Result<(usize, usize), usize> {
    match (size, behind) {
        (Size::Fixed(size), _) => Ok((0, size.into())),
        (Size::Byte, [length, ..]) => Ok((1, usize::from(*length))),
        (Size::Short, [high, low, ..]) => Ok((2, usize::from(u16::from_be_bytes([*high, *low])))),
        (Size::Byte, _) => Err(1),
        (Size::Short, _) => Err(2),
    }
}

impl Direction {
    /// A direction at its start.
    pub fn of(opcodes: Opcodes) -> Direction {
        Direction { opcodes, ..Direction::default() }
    }

    /// Decodes the next opcode, or returns an extent if more bytes are needed.
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

/// Notes why the direction is no longer decoded.
pub fn note_lost(wire: &mut Wire<'_>, head: Option<Head>, lost: Lost) -> Result {
    wire.name("data");
    wire.info(format_args!("cipher out of step"));
    if let (Some(Head { opcode, width }), Lost::Opcode(_) | Lost::Length(..)) = (head, lost) {
        let sent = wire.ahead().iter().take(width).fold(0, |sent, byte| sent << 8 | u64::from(*byte));
        let start = wire.at();
        wire.put(&OPCODE_WIRE, Value::Unsigned(sent), start..start + width);
        wire.skip(width)?;
        wire.put(&OPCODE, Value::Unsigned(opcode.into()), start..wire.at());
    }
    let why = Why(lost);
    wire.malformed(&LOST_STEP, format_args!("{why}: this side is not decoded further"))
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
