//! Bytes inside the lines of a log, or below a line of prose.
//!
//! ```text
//! 10:15:14.5 recv: 05 00 0b 03      [tx] 05000b03      sent 4 bytes: "05 00 0b 03"      read(3) = 05:00:0b:03
//! ```
//! A line with bytes after a label is a packet; lines that consist of digits continue it. Lines without bytes are skipped and end
//! a packet. Bytes extend to the end of their line: anything else there is an error.

mod direction;
mod label;
mod place;

pub(super) use direction::{heading, marks};
pub(super) use label::{count, direction_of_cell};
pub(super) use place::is_comment;

use super::bits::Bits;
use super::digits::separated;
use super::head::Head;
use super::list::List;
use super::offsets::{Column, Groups, Row, Shape};
use super::scan::{all_hex, indent, is_pair, pairs, words};
use super::{Dialect, Fault, Fed, Feed, Packet, fault, rows};
use label::{NAMES, direction_of, is_arrow, is_bracketed, is_one, is_stated, is_word, label, last_word, shape, tokens, trimmed};
use place::{
    base64, common_prefix, hidden, is_address, is_argument, is_long, is_meant, is_numbered, may_begin, starts, without_closers,
};

/// Maximum number of stored labels that preceded bytes.
const LABELS: usize = 16;

/// Number of consecutive pairs that does not occur in prose.
const RUN: usize = 3;

/// Number of consecutive groups of four digits at the start of a line that are no prose.
const GROUPS: usize = 4;

/// Maximum number of places of a line where bytes are looked for: parsing the rest of the line from each costs its length.
const PLACES: usize = 64;

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

/// Rows of a packet, each behind a prefix of the log.
struct Rows {
    /// The prefix of the first row.
    prefix: Vec<u8>,
    /// Bytes of the first row, and whether a row was shorter.
    width: usize,
    short: bool,
    /// The start of the first row, up to its bytes.
    start: Head,
    /// Number of bytes that the log announced.
    announced: Option<usize>,
    /// Whether the first row has a text column.
    text: bool,
}

/// Bytes in a line.
struct Found<'a> {
    /// The text before the bytes.
    before: &'a [u8],
    bytes: Vec<u8>,
}

impl Log {
    /// A log of which a line announced this number of bytes.
    pub(super) fn after(announced: Option<usize>) -> Log {
        Log { announced, ..Log::default() }
    }

    /// Whether a line unambiguously contains bytes.
    pub(super) fn fits(line: &[u8]) -> Result<bool, Fault> {
        Log::default().find(line).map(|found| found.is_some())
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
            if self.last > 0 && rows::follows(line, self.last) {
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

impl Log {
    /// Whether a line is another row of the packet: behind the prefix of the first row, after full rows, and announced or with a
    /// text column. Appends its bytes.
    fn goes_on(&mut self, line: &[u8], packet: &mut Packet) -> Result<bool, Fault> {
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
    fn check_count(&self, line: &[u8], read: usize, found: Option<&Found<'_>>) -> Result<(), Fault> {
        let Some(Rows { announced: Some(announced), start, .. }) = &self.rows else { return Ok(()) };
        let first = || words(line, start.at().saturating_sub(1)).map(|word| word.text).take(2);
        let may_be_bytes = first().flatten().any(u8::is_ascii_hexdigit) && first().all(|text| text.len() <= 2);
        if found.is_none() && read < *announced && may_be_bytes && start.resembles(line, 0) {
            return fault(0, format!("the log announced {announced} bytes, and {read} were read; expected more in this line"));
        }
        Ok(())
    }

    /// The bytes of a line that contains nothing else, after another line with bytes.
    fn continuation(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let mut all = words(line, 0);
        all.next().filter(|word| word.text.len().is_multiple_of(2) && all_hex(word.text))?;
        self.row.read(line, 0, Groups::Any).ok()?;
        (!self.row.straight.is_empty()).then(|| self.row.straight.clone())
    }

    fn find<'a>(&mut self, line: &'a [u8]) -> Result<Option<Found<'a>>, Fault> {
        for at in starts(line).filter(|at| may_begin(line, *at)).take(PLACES) {
            let at = at + common_prefix(line.get(at..).unwrap_or_default());
            let before = line.get(..at).unwrap_or_default();
            let rest = line.get(at..).unwrap_or_default();
            if is_argument(before, rest) || is_numbered(rest) {
                continue;
            }
            if let Some(bytes) = base64(before, rest) {
                return Ok(Some(Found { before, bytes }));
            }
            let pairs = pairs(rest, 0);
            // An array of JSON has decimal numbers.
            let value = before.rsplit(|byte| *byte == b'"').next().unwrap_or_default();
            let is_array = value.starts_with(b":") && value.contains(&b'[');
            let named = self.is_name(before) && !is_array && !(is_arrow(before) && is_address(rest));
            // Bytes do not begin after the colon of another pair.
            let joined = before.ends_with(b":") && !rest.starts_with(b" ");
            let last = last_word(trimmed(before));
            let behind_pair = is_pair(last);
            if joined && (behind_pair || !named && !is_word(last)) {
                continue;
            }
            let grouped = before.trim_ascii().is_empty()
                && words(rest, 0).take_while(|word| word.text.len() == 4 && all_hex(word.text)).count() >= GROUPS;
            let quoted = named && matches!(before.last(), Some(b'"' | b'\''));
            let behind = words(rest, 0).skip(1).take_while(|word| is_pair(word.text)).count();
            match self.whole(line, at) {
                Ok(bytes)
                    if pairs >= RUN
                        || grouped
                        || is_long(rest)
                        || bytes.len() > 1 && (is_stated(before, bytes.len()) || is_bracketed(before, rest))
                        || named && (bytes.len() > 1 || self.is_known(before)) =>
                {
                    return Ok(Some(Found { before, bytes }));
                }
                Err(fault)
                    if pairs >= RUN
                        || quoted && behind > 0
                        || named && (pairs > 1 || is_meant(rest))
                        || pairs > 0 && self.is_known(before) =>
                {
                    return Err(fault);
                }
                Ok(_) | Err(_) => {}
            }
        }
        hidden(line)
    }

    /// The bytes from here to the end of the line, except closing brackets and quotes.
    fn whole(&mut self, line: &[u8], at: usize) -> Result<Vec<u8>, Fault> {
        let line = line.trim_ascii_end();
        let mut bytes = Vec::new();
        let closed = without_closers(line);
        // A closing quote may look like a text column of the bytes.
        let is_open =
            line.get(..at).is_some_and(|before| before.trim_ascii_end().last().is_some_and(|sign| b"\"'`([{<".contains(sign)));
        if let Some(mut bits) = Bits::of(closed.get(at..).unwrap_or_default()) {
            let mut packet = Packet::default();
            bits.feed(closed.get(at..).unwrap_or_default(), &mut packet)?;
            return Ok(packet.bytes);
        }
        // A text column may end with a bracket or a quote.
        if !is_open && self.row.read(line, at, Groups::Any).is_ok_and(|column| column != Column::None) {
            return Ok(self.row.straight.clone());
        }
        let first = match self.row.read(closed, at, Groups::Any) {
            Ok(_) => return Ok(self.row.straight.clone()),
            Err(_) if !is_open && self.row.read(line, at, Groups::Any).is_ok() => return Ok(self.row.straight.clone()),
            Err(fault) => fault,
        };
        if separated(closed, at, &mut bytes).is_ok() && closed.get(at..).is_some_and(|rest| !rest.contains(&b'#')) {
            return Ok(bytes);
        }
        let mut packet = Packet::default();
        let rest = closed.get(at..).unwrap_or_default();
        let mut list = List::of(rest, None).filter(|list| list.is_loose());
        match list.as_mut().map(|list| list.feed(rest, &mut packet)) {
            Some(Ok(Fed::Taken)) if !packet.bytes.is_empty() => Ok(packet.bytes),
            Some(Err(Fault { at: inner, what })) => Err(Fault { at: at + inner, what }),
            _ => Err(first),
        }
    }

    fn is_name(&self, before: &[u8]) -> bool {
        let word = String::from_utf8_lossy(label(before)).to_ascii_lowercase();
        is_one(&word, NAMES)
            || direction_of(&word).is_some()
            || self.is_known(before)
            || tokens(before).any(|token| token == "bytes")
    }

    fn is_known(&self, before: &[u8]) -> bool {
        let known = |label: Vec<u8>| !label.is_empty() && self.labels.contains(&label);
        known(label(before).to_ascii_lowercase()) || known(shape(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Side;

    type Bytes = (Vec<u8>, Option<Side>);

    fn read(line: &str) -> Result<Option<Bytes>, Fault> {
        let found = Log::default().find(line.as_bytes())?;
        Ok(found.map(|found| (found.bytes, marks(found.before).direction)))
    }

    #[test]
    fn bytes_after_a_label_are_found() {
        let (received, sent) = (Some(Side::Server), Some(Side::Client));
        for (line, direction) in [
            ("recv: 05 00 0b 03", received),
            ("10:15:14.5 <- 05 00 0b 03", received),
            ("[10:15:14.5] >>> 05 00 0b 03", sent),
            ("2024-01-31 10:15:14,123 DEBUG net.c:42 sent 4 bytes: 05 00 0b 03", sent),
            ("tx 05000b03", sent),
            ("S->C [4] 05 00 0b 03", received),
            ("10.0.0.1 -> 10.0.0.2: data=05000b03", None),
            ("payload = \"05 00 0b 03\"", None),
            ("bytes.fromhex('05000b03')", None),
            ("recv: 05:00:0b:03", received),
            ("recv: 05-00-0B-03", received),
            ("recv: 0x05 0x00 0x0b 0x03", received),
            ("recv: [05 00 0b 03]", received),
            ("recv: 05 00 0b 03 (4 bytes)", received),
            ("recv: 0500 0b03  ....", received),
            ("recv(5): <05000b03>", received),
        ] {
            assert_eq!(read(line).unwrap(), Some((vec![5, 0, 11, 3], direction)), "{line}");
        }
    }

    #[test]
    fn prose_has_no_bytes() {
        for line in [
            "It was a bright cold day in April",
            "Port: 8080",
            "face the facade",
            "id=1234",
            "Date: 20241031",
            "connected to 10.0.0.1:80 (fd 12)",
            "the 10 20 rule",
            "recv failed",
            "in 2 of 3",
            "Ethernet 02:50:49:50:00:17 → ff:ff:ff:ff:ff:ff",
            "link/ether 02:50:49:50:00:17",
        ] {
            assert_eq!(read(line).unwrap(), None, "{line}");
        }
    }

    #[test]
    fn malformed_bytes_are_not_prose() {
        for (line, at) in [
            ("recv: 05 00 0g 01 02", 13),
            ("recv: 0g 00 01 02", 7),
            ("recv: 0g 00", 7),
            ("recv: 05 00 xyz 01 02", 12),
            ("recv: 05 00 01 0", 15),
            ("dump 05 00 01 02 ...", 17),
            ("bytes.fromhex('00 30 7f 7f g0')", 27),
        ] {
            assert_eq!(read(line).unwrap_err().at, at, "{line}");
        }
    }
}
