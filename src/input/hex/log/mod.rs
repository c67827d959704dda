//! Bytes inside the lines of a log, or below a line of prose.
//!
//! ```text
//! 10:15:14.5 recv: 05 00 0b 03      [tx] 05000b03      sent 4 bytes: "05 00 0b 03"      read(3) = 05:00:0b:03
//! ```
//! A line with bytes after a label is a packet; lines that consist of digits continue it. Lines without bytes are skipped and end
//! a packet. Bytes extend to the end of their line: anything else there is an error.

mod find;
mod label;
mod rows;

pub(super) use find::is_comment;
pub(super) use label::count;
pub(super) use label::direction_of_cell;
pub(super) use label::{heading, marks};

use super::head::Head;
use super::offsets::{Groups, Row, Shape};
use super::scan::indent;
use super::{Dialect, Fed, Feed, Packet, fault, split};
use find::Found;
use find::is_meant;
use label::{label, shape};
use rows::Rows;

/// Maximum number of stored labels that preceded bytes.
const LABELS: usize = 16;

#[derive(Default)]
pub(super) struct Log {
    labels: Vec<Vec<u8>>,
    row: Row,
    /// Number of bytes that the last line without bytes announced.
    announced: Option<usize>,
    /// The packet, if it consists of rows behind the same prefix.
    rows: Option<Rows>,
    /// Number of bytes of the last packet.
    last: usize,
}

impl Log {
    /// A log of which a line announced this number of bytes.
    pub(super) fn after(announced: Option<usize>) -> Log {
        Log { announced, ..Log::default() }
    }
}

impl Dialect for Log {
    fn has_headings(&self) -> bool {
        true
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        if is_comment(line) {
            return Ok(Fed::Taken);
        }
        if Shape::of(line).is_some() && self.find(line).is_ok_and(|found| found.is_none()) {
            return fault(0, "a row of a dump among lines of a log; keep one of them");
        }
        let continues = !packet.bytes.is_empty();
        if continues && self.goes_on(line, packet)? {
            return Ok(Fed::Taken);
        }
        let bare = if continues { self.continuation(line) } else { None };
        if let Some(bytes) = bare {
            packet.bytes.extend(bytes);
            return Ok(Fed::Taken);
        }
        if continues && is_meant(line) {
            self.row.read(line, 0, Groups::Any)?;
        }
        let found = self.find(line)?;
        if continues {
            self.check_count(line, packet.bytes.len(), found.as_ref())?;
            self.last = packet.bytes.len();
            return Ok(Fed::Complete(0));
        }
        let Some(Found { before, bytes }) = found else {
            if self.last > 0 && split::follows(line, self.last) {
                return fault(0, "a row of a dump among lines of a log; keep one of them");
            }
            packet.marks.add(heading(line));
            self.announced = count(line).or(self.announced);
            return Ok(Fed::Taken);
        };
        let announced = self.announced.take();
        let end = before.len() + line.get(before.len()..).map_or(0, indent);
        let text = line.len() > end + bytes.len() * 3 + 2;
        let start = Head::of(line, end, 0, 10);
        self.rows = Some(Rows { prefix: shape(before), width: bytes.len(), short: false, start, announced, text });
        packet.bytes = bytes;
        packet.marks.add(marks(before));
        for label in [label(before).to_ascii_lowercase(), shape(before)] {
            if !label.is_empty() && self.labels.len() < LABELS && !self.labels.contains(&label) {
                self.labels.push(label);
            }
        }
        Ok(Fed::Taken)
    }
}
