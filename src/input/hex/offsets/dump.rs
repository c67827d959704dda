//! The rows of a dump, one after another.

use super::groups::Groups;
use super::row::{Column, Row};
use super::rows::Base;
use super::shape::{Shape, split_offset};
use crate::input::hex::head::Head;
use crate::input::hex::{Dialect, Fault, Fed, Feed, Packet, bare_ip, fault};

/// Why a row in another format is invalid.
pub(super) const UNLIKE: &str = "a dump that is not written as the lines before it: other offsets or other groups";

pub(super) fn is_inset(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_whitespace)
}

/// State of a dump.
#[derive(Default)]
pub(in crate::input::hex) struct Dump {
    pub(super) shape: Shape,
    pub(super) radix: u32,
    /// Whether an offset other than the first one matched, so that the radix is certain.
    pub(super) sure: bool,
    /// The start of the first packet of the text.
    pub(super) first: Option<Base>,
    /// The start of this packet.
    pub(super) base: Base,
    /// Whether `*` was found: lines equal to the last one are omitted.
    pub(super) squeezed: bool,
    /// Number of bytes of the last row.
    pub(super) last: usize,
    /// Whether the position is in a reassembled source, which tshark prints after the frame.
    pub(super) skipping: bool,
    /// Whether the line above the packet contains `IP`.
    pub(super) ip_announced: bool,
    /// Whether the previous line was no row.
    pub(super) heading: bool,
    /// Whether rows begin with white space.
    pub(super) inset: bool,
    /// The start of the first row of the packet.
    pub(super) head: Head,
    pub(super) row: Row,
    /// Byte order within groups, once a text column has determined it.
    pub(super) order: Option<Column>,
    /// The packet with all groups reversed, while both orders are possible.
    pub(super) reversed: Vec<u8>,
    /// Whether a text column of groups of four bytes or more matches both orders.
    pub(super) doubtful: bool,
}

impl Dialect for Dump {
    fn is_dump(&self) -> bool {
        true
    }

    fn describe(&self) -> Option<String> {
        Some(self.shape.groups.describe(self.shape.prefix, self.order == Some(Column::Reversed)))
    }

    fn is_bare_ip(&self, packet: &[u8]) -> bool {
        self.shape.prefix && self.shape.colon && bare_ip::begins(packet, self.ip_announced)
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let text = line.trim_ascii();
        if text.is_empty() {
            self.skipping = false;
            return Ok(Fed::Taken);
        }
        if text == b"*" && self.last > 0 && !packet.bytes.is_empty() {
            self.squeezed = true;
            return Ok(Fed::Taken);
        }
        let found = split_offset(line).filter(|(offset, _)| !text.starts_with(b"#") && self.shape.takes(offset));
        match found {
            // Tables around a dump, as in our own output, are indented differently from rows.
            None if !self.skipping && is_inset(line) == self.inset && Shape::of(line).is_some() => fault(0, UNLIKE),
            None if !self.skipping && self.is_damaged(line, packet) => {
                fault(0, format!("expected a row of the dump: an offset of {} digits, then bytes", self.shape.digits))
            }
            None => self.between(line, packet),
            Some(_) if self.skipping => Ok(Fed::Taken),
            Some((offset, from)) => self.row(line, offset, from, packet),
        }
    }

    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        let differs = std::mem::take(&mut self.doubtful) && self.order.is_none() && packet.bytes != self.reversed;
        if differs && !packet.bytes.is_empty() {
            return fault(
                0,
                "the text column does not show whether the groups above are in order (xxd -g4) or reversed (xxd -e); use xxd -g1",
            );
        }
        self.reversed.clear();
        Ok(())
    }
}

impl Dump {
    /// A dump with rows of this format. The first byte of a number is its highest one, if `big`.
    pub(in crate::input::hex) fn new(shape: Shape, ip_announced: bool, big: bool) -> Dump {
        // `od` uses octal by default. Only it has seven digits before pairs.
        let od = !shape.colon && shape.groups == Groups::Pairs && shape.digits == 7;
        let radix = if od { 8 } else { 16 };
        let row = Row { big, ..Row::default() };
        Dump { shape, radix, ip_announced, heading: true, row, ..Dump::default() }
    }
}
