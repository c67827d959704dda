//! Packets of several lines: rows behind the same prefix, and lines of digits alone.

use super::Log;
use super::find::{Found, PLACES, starts};
use super::label::shape;
use crate::input::hex::head::Head;
use crate::input::hex::offsets::Groups;
use crate::input::hex::scan::{all_hex, is_pair, words};
use crate::input::hex::{Fault, Packet, fault};

/// Rows of a packet, each behind a prefix of the log.
pub(super) struct Rows {
    /// The prefix of the first row.
    pub(super) prefix: Vec<u8>,
    /// Bytes of the first row, and whether a row was shorter.
    pub(super) width: usize,
    pub(super) short: bool,
    /// The start of the first row, up to its bytes.
    pub(super) start: Head,
    /// Number of bytes that the log announced.
    pub(super) announced: Option<usize>,
    /// Whether the first row has a text column.
    pub(super) text: bool,
}

impl Log {
    /// Whether a line is another row of the packet: behind the prefix of the first row, after full rows, and announced or with a
    /// text column. Appends its bytes.
    pub(super) fn goes_on(&mut self, line: &[u8], packet: &mut Packet) -> Result<bool, Fault> {
        let Some(rows) = self.rows.as_ref() else { return Ok(false) };
        let left = rows.announced.map(|count| count.saturating_sub(packet.bytes.len()));
        let is_row = matches!(rows.width, 8 | 16 | 32) && rows.text && !rows.prefix.is_empty();
        if left == Some(0) || left.is_none() && !is_row || rows.short || rows.prefix.is_empty() {
            return Ok(false);
        }
        let (prefix, width) = (rows.prefix.clone(), rows.width);
        let Some(at) = starts(line).take(PLACES).find(|at| shape(line.get(..*at).unwrap_or_default()) == prefix) else {
            return Ok(false);
        };
        let begins = line.get(at..).is_some_and(|rest| words(rest, 0).next().is_some_and(|word| is_pair(word.text)));
        if !begins {
            return Ok(false);
        }
        let bytes = self.whole(line, at)?;
        if bytes.len() > width || bytes.is_empty() || left.is_some_and(|left| bytes.len() > left) {
            return Ok(false);
        }
        if let Some(rows) = self.rows.as_mut() {
            rows.short = bytes.len() < width;
        }
        packet.bytes.extend(bytes);
        Ok(true)
    }

    /// A line that begins like the rows before it, but has no bytes that can be read, is a damaged row if the log announced more.
    pub(super) fn check_count(&self, line: &[u8], read: usize, found: Option<&Found<'_>>) -> Result<(), Fault> {
        let Some(Rows { announced: Some(announced), start, .. }) = &self.rows else { return Ok(()) };
        let first = || words(line, start.at().saturating_sub(1)).map(|word| word.text).take(2);
        let may_be_bytes = first().flatten().any(u8::is_ascii_hexdigit) && first().all(|text| text.len() <= 2);
        if found.is_none() && read < *announced && may_be_bytes && start.resembles(line, 0) {
            return fault(0, format!("the log announced {announced} bytes, and {read} were read; expected more in this line"));
        }
        Ok(())
    }

    /// The bytes of a line that contains nothing else, after another line with bytes.
    pub(super) fn continuation(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let mut all = words(line, 0);
        all.next().filter(|word| word.text.len().is_multiple_of(2) && all_hex(word.text))?;
        self.row.read(line, 0, Groups::Any).ok()?;
        (!self.row.straight.is_empty()).then(|| self.row.straight.clone())
    }
}
