//! Hex text: packets in the formats of many tools.
//!
//! The first line with data determines the dialect of all lines. Lines are parsed one at a time and only one packet is buffered,
//! so a dump of any size takes little memory. Independent of protocols, even of where headers begin. Direction marks and times,
//! as in text2pcap, are kept.
//!
//! A text column is never data, and malformed data is never skipped: it is an error with line and column.

mod ansi;
mod asm;
mod bare_ip;
mod base64;
mod bits;
mod boxed;
mod columns;
mod detect;
pub mod dialects;
mod digits;
mod directions;
mod ends;
mod follow;
mod head;
mod lines;
mod list;
mod literal;
mod log;
mod marks;
mod offsets;
mod open;
mod percent;
mod reader;
mod rows;
mod ruler;
mod runs;
mod scan;
mod sides;
mod snort;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod yaml;

use crate::tree::Side;
use marks::Marks;
pub(super) use reader::Reader;

/// Maximum packet size in bytes.
const LARGEST_PACKET: usize = 16 * 1024 * 1024;

/// The current packet.
#[derive(Debug, Default)]
struct Packet {
    bytes: Vec<u8>,
    marks: Marks,
}

/// The result of parsing a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fed {
    /// The line was consumed; the packet may continue.
    Taken,
    /// The packet is complete with this many bytes of the line; the rest is parsed again.
    Complete(usize),
}

/// Why a line is invalid.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// Byte offset in the line.
    at: usize,
    /// The defect, and what was expected.
    what: String,
}

/// The result of parsing a line.
type Feed = Result<Fed, Fault>;

fn fault<T>(at: usize, what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { at, what: what.into() })
}

fn too_large(at: usize) -> Fault {
    Fault { at, what: format!("a packet of more than {LARGEST_PACKET} bytes; expected offsets to go back to zero before") }
}

/// The parser of a dialect, with its state.
trait Dialect: Send {
    /// Parses a line, or the rest of one.
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed;

    /// Handles the end of the text.
    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        Ok(())
    }

    /// Describes the format, where it is more than the name of the dialect.
    fn describe(&self) -> Option<String> {
        None
    }

    /// The sender of the packet, in the text of a conversation.
    fn side(&self) -> Option<Side> {
        None
    }

    /// Whether nothing in a line states where packets begin.
    fn is_loose(&self) -> bool {
        false
    }

    /// Whether a line above the bytes states the direction of payload, not of a frame.
    fn has_headings(&self) -> bool {
        false
    }

    /// Whether a ruler may number its columns.
    fn is_dump(&self) -> bool {
        false
    }

    /// Whether a packet begins at its IP header.
    fn is_bare_ip(&self, _: &[u8]) -> bool {
        false
    }
}
