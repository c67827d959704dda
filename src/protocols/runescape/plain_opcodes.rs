//! Detection of unencrypted opcodes from the first packets of both sides, if no key is known or the seeds fail.
//!
//! A random byte is the opcode of a packet as often as the table has rows: three times in ten for the server of 317. A match is
//! accepted if its probability by chance is below 1 in 200,000; one packet that does not match ends the detection.

use super::direction::{Direction, Opcodes, body};
use super::tables::{Body, Row, Table};
use super::types::{Ending, Type};
use crate::tree::{BySide, Side};

/// Maximum probability by chance of an accepted match.
const MAX_CHANCE: f64 = 1.0 / 200_000.0;

/// Maximum bytes of a side that are examined.
const BYTES_MAX: usize = 64 << 10;

/// Open question about the opcodes of a connection.
#[derive(Debug, Default)]
pub enum Doubt {
    /// None.
    #[default]
    None,
    /// Seeds are given, but not yet confirmed by a packet.
    Seeds,
    /// Opcodes may be in clear.
    Trial(Trial),
}

/// Result of the detection.
#[derive(Debug, PartialEq, Eq)]
pub enum Detection {
    /// Opcodes are in clear; this many packets match.
    Clear(usize),
    /// Opcodes are not in clear.
    No,
    /// Undecided; needs this many bytes of the side.
    Unsure(usize),
}

/// Matching packets of each side.
#[derive(Debug, Default)]
pub struct Trial {
    fitting: BySide<usize>,
}

impl Trial {
    /// Examines all unread bytes of a side.
    pub fn examine(&mut self, table: &Table, from: Side, ahead: &[u8]) -> Detection {
        let (count, end) = framed(&mut Direction::of(Opcodes::Clear), table, from, ahead.get(..BYTES_MAX).unwrap_or(ahead));
        self.fitting[from] = count;
        let by_chance = |side: Side| table.chance(side).powi(i32::try_from(self.fitting[side]).unwrap_or(i32::MAX));
        match end {
            End::Misfit => Detection::No,
            _ if by_chance(Side::Client) * by_chance(Side::Server) < MAX_CHANCE => Detection::Clear(self.packets()),
            End::Cut(needed) if ahead.len() < BYTES_MAX => Detection::Unsure(needed),
            End::Whole if ahead.len() < BYTES_MAX => Detection::Unsure(ahead.len() + 1),
            End::Cut(_) | End::Whole => Detection::No,
        }
    }

    /// Matching packets of both sides.
    pub fn packets(&self) -> usize {
        self.fitting.iter().sum()
    }
}

/// The end of the examined bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// At the end of a packet.
    Whole,
    /// Inside a packet; this many bytes are needed.
    Cut(usize),
    /// With bytes that are not a packet.
    Misfit,
}

/// Number of packets in the bytes of this side, and how they end.
pub fn framed(direction: &mut Direction, table: &Table, from: Side, bytes: &[u8]) -> (usize, End) {
    let (mut read, mut count) = (0, 0);
    while let Some(rest) = bytes.get(read..).filter(|rest| !rest.is_empty()) {
        match packet(direction, table, from, rest) {
            Ok(length) => (read, count) = (read + length, count + 1),
            Err(End::Cut(needed)) => return (count, End::Cut(read + needed)),
            Err(end) => return (count, end),
        }
    }
    (count, End::Whole)
}

/// Length of the first packet, or the reason why it is unknown.
pub fn packet(direction: &mut Direction, table: &Table, from: Side, bytes: &[u8]) -> Result<usize, End> {
    let head = direction.next(from, bytes, table.has_long_opcodes()).map_err(|_| End::Cut(bytes.len() + 1))?;
    let row = table.row(from, head.opcode).ok_or(End::Misfit)?;
    let after = bytes.get(head.width..).unwrap_or_default();
    let (prefix, length) = body(row.size, after).map_err(|needed| End::Cut(head.width + needed))?;
    if table.longest().is_some_and(|longest| length > longest) {
        return Err(End::Misfit);
    }
    let whole = head.width + prefix + length;
    match after.get(prefix..prefix + length) {
        None => Err(End::Cut(whole)),
        Some(payload) if fits(row, payload) => Ok(whole),
        Some(_) => Err(End::Misfit),
    }
}

/// Whether a payload fits the layout of its row by widths and string terminators.
fn fits(row: &Row, payload: &[u8]) -> bool {
    let mut rest = Some(payload);
    for column in row.layout.iter().flat_map(|layout| layout.columns.iter()) {
        let Some(left) = rest else { return false };
        rest = match (column.width(), &column.body) {
            (Some(width), _) => left.get(width..),
            // Types without a fixed width accept any bytes, and so do conditions.
            _ if column.manner.is_some() => return true,
            (None, Body::Type(Type::Text(Ending::LineFeed))) => after(left, b'\n'),
            (None, Body::Type(Type::Text(Ending::Nul | Ending::OrNull))) => after(left, 0),
            _ => return true,
        };
    }
    row.layout.is_none() || rest.is_some_and(<[u8]>::is_empty)
}

/// Bytes after the first terminator.
fn after(bytes: &[u8], end: u8) -> Option<&[u8]> {
    bytes.get(memchr::memchr(end, bytes)? + 1..)
}
