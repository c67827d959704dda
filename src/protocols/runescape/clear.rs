//! Whether opcodes are in clear: tried on the first packets of both sides, where no key is known or where the seeds give none.
//!
//! By chance a byte is the opcode of a packet as often as the table has rows, three times in ten with the server of 317. What
//! chance would bring about less than once in 200,000 times is believed; one packet that does not fit ends the trial.

use super::half::{Half, Opcodes, body};
use super::tables::{Row, Table};
use super::types::{Ending, Type};
use crate::tree::Side;

/// What chance may bring about of that which is believed.
const BELIEVED: f64 = 1.0 / 200_000.0;

/// Bytes of a side that are looked at.
const MOST: usize = 64 << 10;

/// What is not settled yet.
#[derive(Debug, Default)]
pub enum Doubt {
    /// Nothing.
    #[default]
    None,
    /// There are seeds, but no packet was read with them.
    Seeds,
    /// Opcodes may be in clear.
    Trial(Trial),
}

/// What became of trying.
#[derive(Debug, PartialEq, Eq)]
pub enum Tried {
    /// They are in clear: so many packets fit.
    Clear(usize),
    /// They are not.
    No,
    /// So many bytes of this side are needed to say more.
    Unsure(usize),
}

/// Packets of each side that fit so far.
#[derive(Debug, Default)]
pub struct Trial {
    fitting: [usize; 2],
}

impl Trial {
    /// Look at all that a side has said and nobody has read.
    pub fn hear(&mut self, table: &Table, from: Side, ahead: &[u8]) -> Tried {
        let (count, end) = framed(&mut Half::of(Opcodes::Clear), table, from, ahead.get(..MOST).unwrap_or(ahead));
        if let Some(fitting) = self.fitting.get_mut(from.index()) {
            *fitting = count;
        }
        let by_chance = |side: Side| {
            let count = self.fitting.get(side.index()).copied().unwrap_or_default();
            table.chance(side).powi(i32::try_from(count).unwrap_or(i32::MAX))
        };
        match end {
            End::Misfit => Tried::No,
            _ if by_chance(Side::Client) * by_chance(Side::Server) < BELIEVED => Tried::Clear(self.packets()),
            End::Cut(needed) if ahead.len() < MOST => Tried::Unsure(needed),
            End::Whole if ahead.len() < MOST => Tried::Unsure(ahead.len() + 1),
            End::Cut(_) | End::Whole => Tried::No,
        }
    }

    /// Packets of both sides that fit so far.
    pub fn packets(&self) -> usize {
        self.fitting.iter().sum()
    }
}

/// How bytes end that are read as packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With the end of a packet.
    Whole,
    /// Inside one: so many bytes are needed.
    Cut(usize),
    /// With something that is no packet.
    Misfit,
}

/// How many packets of this side bytes are, and how they end.
pub fn framed(half: &mut Half, table: &Table, from: Side, bytes: &[u8]) -> (usize, End) {
    let (mut read, mut count) = (0, 0);
    while let Some(rest) = bytes.get(read..).filter(|rest| !rest.is_empty()) {
        match packet(half, table, from, rest) {
            Ok(length) => (read, count) = (read + length, count + 1),
            Err(End::Cut(needed)) => return (count, End::Cut(read + needed)),
            Err(end) => return (count, end),
        }
    }
    (count, End::Whole)
}

/// Bytes of the packet at the beginning, or how it ends otherwise.
pub fn packet(half: &mut Half, table: &Table, from: Side, bytes: &[u8]) -> Result<usize, End> {
    let head = half.next(from, bytes, table.has_long_opcodes).map_err(|_| End::Cut(bytes.len() + 1))?;
    let row = table.row(from, head.opcode).ok_or(End::Misfit)?;
    let behind = bytes.get(head.width..).unwrap_or_default();
    let (prefix, length) = body(row.size, behind).map_err(|needed| End::Cut(head.width + needed))?;
    if table.longest().is_some_and(|longest| length > longest) {
        return Err(End::Misfit);
    }
    let whole = head.width + prefix + length;
    match behind.get(prefix..prefix + length) {
        None => Err(End::Cut(whole)),
        Some(payload) if fits(row, payload) => Ok(whole),
        Some(_) => Err(End::Misfit),
    }
}

/// Whether a payload can be what its row says, as far as widths and the ends of texts tell.
fn fits(row: &Row, payload: &[u8]) -> bool {
    let mut rest = Some(payload);
    for column in row.columns.iter().flat_map(|columns| columns.iter()) {
        let Some(left) = rest else { return false };
        rest = match (column.of.width(), column.of) {
            (Some(width), _) => left.get(width..),
            (None, Type::Text(Ending::LineFeed)) => behind(left, b'\n'),
            (None, Type::Text(Ending::Nul | Ending::OrNull)) => behind(left, 0),
            // What else has no width of its own takes what is there.
            _ => return true,
        };
    }
    row.columns.is_none() || rest.is_some_and(<[u8]>::is_empty)
}

/// What follows the first such byte.
fn behind(bytes: &[u8], end: u8) -> Option<&[u8]> {
    bytes.get(memchr::memchr(end, bytes)? + 1..)
}
