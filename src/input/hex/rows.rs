//! Dumps whose offset stands anywhere before the bytes: behind the prefix of a log, before a dash, without a colon.
//!
//! ```text
//! 01-02 12:00:01.123 D NetGame : 0010: 00 35 00 64      logcat, kernel logs, spdlog
//! 01A20008 - 49 50 00 09                                debuggers
//! 0x00000010  0035 0064                                 radare2, FortiGate
//! qml: dump +012 61 00 00 80                            decimal offsets
//! 1  00 41 00 07  .A..                                  Burp: numbers of rows
//! ```
//! A number is an offset if the number in the next row is larger by the bytes of this row. Each row is rewritten as a row of
//! `xxd`, which checks offsets and text.

use super::head::Head;
use super::offsets::{Dump, Groups};
use super::split::{Split, splits};
use super::{Dialect, Fault, Fed, Feed, Packet, fault, log};

/// Length of the offset and colon of a rewritten row.
const CANONICAL: usize = 18;

/// What the number before the bytes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Bytes, in this radix.
    Bytes(u32),
    /// Rows, from 0 or 1.
    Rows,
}

pub(super) struct Rows {
    pub(super) count: Count,
    pub(super) groups: Groups,
    pub(super) dump: Dump,
    /// Index of the word with the offset in the last row.
    pub(super) index: usize,
    /// Offset of the first row, and that after the last row.
    pub(super) base: u64,
    pub(super) next: u64,
    /// Bytes of the packet so far.
    pub(super) seen: u64,
    /// The start of the last row.
    pub(super) head: Head,
}

impl Dialect for Rows {
    fn has_headings(&self) -> bool {
        true
    }

    fn is_dump(&self) -> bool {
        true
    }

    fn describe(&self) -> Option<String> {
        Some(match self.count {
            Count::Bytes(10) => "a dump with decimal offsets before the bytes".to_owned(),
            Count::Bytes(_) => "a dump with offsets before the bytes".to_owned(),
            Count::Rows => "a dump with the number of each row before the bytes".to_owned(),
        })
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let radix = if let Count::Bytes(radix) = self.count { radix } else { 10 };
        let begins = |split: &Split<'_>| matches!(split.value(radix), Some(value) if value == 0 || value == self.base);
        let continues = |split: &Split<'_>| split.value(radix) == Some(self.next);
        let next = splits(line).find(|split| !packet.bytes.is_empty() && continues(split));
        let anew = splits(line).find(|split| split.index == self.index && begins(split));
        // The radix is not certain before the second row.
        let resembles = || {
            let decimal = || self.seen == self.next && self.head.clone().count_in(10).resembles(line, self.next);
            !packet.bytes.is_empty() && (self.head.resembles(line, self.next) || decimal())
        };
        if next.is_none() && anew.is_none() && resembles() {
            return fault(self.head.at(), format!("expected the offset {} here", self.head.digits(self.next)));
        }
        let found =
            next.or(anew).or_else(|| splits(line).find(begins)).or_else(|| splits(line).find(|split| split.index == self.index));
        let Some(split) = found.filter(|split| split.groups == self.groups) else { return self.other(line, packet) };
        let starts = packet.bytes.is_empty() || !continues(&split);
        if !packet.bytes.is_empty() && starts && begins(&split) {
            return Ok(Fed::Complete(0));
        }
        let value = split.value(radix).unwrap_or_default();
        let offset = match self.count {
            Count::Rows if starts && packet.bytes.is_empty() => 0,
            Count::Rows if value == self.next => self.seen,
            Count::Rows => return fault(split.at, format!("the row is number {value}, but {} is expected here", self.next)),
            Count::Bytes(_) => value,
        };
        let row = split.bytes(line);
        let mut canonical = format!("{offset:016x}: ").into_bytes();
        canonical.extend(row.get(split.from..).unwrap_or_default());
        let before = packet.bytes.len();
        let fed = self.dump.feed(&canonical, packet).map_err(|Fault { at, what }| {
            let at = if at < CANONICAL { split.at } else { at - CANONICAL + split.from };
            Fault { at, what }
        })?;
        if before == 0 {
            packet.marks.add(log::marks(line.get(..split.at).unwrap_or_default()));
            self.seen = 0;
        }
        let len = (packet.bytes.len() - before) as u64;
        self.seen += len;
        self.next = value.saturating_add(if self.count == Count::Rows { 1 } else { len });
        self.index = split.index;
        self.head = Head::of(line, split.at, split.number.len(), radix);
        Ok(match fed {
            Fed::Taken => Fed::Taken,
            Fed::Complete(_) => Fed::Complete(line.len()),
        })
    }

    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        self.dump.end(packet)
    }
}
