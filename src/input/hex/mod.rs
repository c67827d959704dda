//! Hex text: packets in the formats of many tools.
//!
//! The first line with data determines the dialect of all lines. Lines are parsed one at a time and only one packet is buffered,
//! so a dump of any size takes little memory. Independent of protocols, even of where headers begin. Direction marks and times,
//! as in text2pcap, are kept.
//!
//! A text column is never data, and malformed data is never skipped: it is an error with line and column.

mod asm;
mod asm_items;
mod bare_ip;
mod bars;
mod base64;
mod bits;
mod boxed;
mod cells;
mod columns;
mod detect;
mod dialect;
pub mod dialects;
mod digits;
mod escapes;
mod follow;
mod head;
mod lines;
mod list;
mod literal;
mod log;
mod marks;
mod numbers;
mod offsets;
mod percent;
mod preface;
mod reader;
mod rows;
mod rows_begin;
mod runs;
mod scan;
mod sides;
mod snort;
mod split;
mod suspicion;
mod table;
mod text;
mod yaml;

use dialect::Dialect;
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

/// The bytes of a line alone, in a dialect.
fn bytes_of(mut dialect: impl Dialect, line: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut packet = Packet::default();
    dialect.feed(line, &mut packet).map(|_| packet.bytes)
}

fn fault<T>(at: usize, what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { at, what: what.into() })
}

fn too_large(at: usize) -> Fault {
    Fault { at, what: format!("a packet of more than {LARGEST_PACKET} bytes; expected offsets to go back to zero before") }
}
