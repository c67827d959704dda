//! Base64 over any number of lines: one packet.

use super::{Dialect, Fault, Fed, Feed, Packet, fault};

/// Shorter lines may be words.
const SHORTEST: usize = 16;

#[derive(Default)]
pub(super) struct Base64 {
    /// Pending bits, and their number.
    bits: u32,
    count: u32,
    /// Characters of the current group of four, including padding.
    group: u32,
    padded: bool,
    /// Characters of the last line.
    width: usize,
    /// Whether short lines are packets: no tool wraps base64 at fewer than [`WRAPPED`] characters.
    lines: bool,
}

/// Minimum width of wrapped lines.
const WRAPPED: usize = 60;

/// The end of the first part of a data URI: `data:application/octet-stream;base64,`.
const SCHEME: &[u8] = b";base64,";

impl Base64 {
    /// A text of lines, each a packet unless it is long.
    pub(super) fn of_lines() -> Base64 {
        Base64 { lines: true, ..Base64::default() }
    }

    /// A line without the first part of a data URI.
    pub(super) fn without_scheme(text: &[u8]) -> &[u8] {
        let at = text.starts_with(b"data:").then(|| text.windows(SCHEME.len()).position(|at| at == SCHEME)).flatten();
        at.and_then(|at| text.get(at + SCHEME.len()..)).unwrap_or(text)
    }

    /// Whether a character may be part of base64.
    pub(super) fn is_part(byte: &u8) -> bool {
        value(*byte).is_some() || *byte == b'='
    }

    /// Whether a first line can only be base64.
    pub(super) fn fits(text: &[u8]) -> bool {
        let any = |test: fn(&u8) -> bool| text.iter().any(test);
        let unpadded = text.len() % 4 != 1 && any(|byte| matches!(byte, b'-' | b'_'));
        text.len() >= SHORTEST
            && (text.len().is_multiple_of(4) || unpadded)
            && text.iter().all(Base64::is_part)
            && any(u8::is_ascii_uppercase)
            && any(u8::is_ascii_lowercase)
            && any(|byte| byte.is_ascii_digit() || b"+/=-_".contains(byte))
    }

    /// Checks that the last group is complete, with its padding.
    pub(super) fn is_whole(&self) -> Result<(), Fault> {
        if self.group == 0 { Ok(()) } else { fault(0, "the base64 above is no multiple of four characters; one is lost") }
    }
}

impl Dialect for Base64 {
    fn is_loose(&self) -> bool {
        true
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let width = line.trim_ascii().len();
        // Padding ends a packet, and so does a longer line behind an unfinished group.
        let short = self.lines && (1..WRAPPED).contains(&self.width);
        if width > 0 && (self.padded || short || self.group != 0 && width > self.width) {
            self.end(packet)?;
            *self = Base64 { lines: self.lines, ..Base64::default() };
            if !packet.bytes.is_empty() {
                return Ok(Fed::Complete(0));
            }
        }
        self.width = width;
        let data = Base64::without_scheme(line.trim_ascii_start());
        let from = line.len() - data.len();
        for (at, byte) in line.iter().enumerate().skip(from).filter(|(_, byte)| !byte.is_ascii_whitespace()) {
            if *byte == b'=' && self.group >= 2 {
                self.padded = true;
            } else if let Some(value) = value(*byte).filter(|_| !self.padded) {
                self.bits = self.bits << 6 | value;
                self.count += 6;
            } else {
                return fault(at, format!("`{}` cannot stand here in base64", byte.escape_ascii()));
            }
            self.group = (self.group + 1) % 4;
            if self.count >= 8 {
                self.count -= 8;
                packet.bytes.push((self.bits >> self.count & 0xff) as u8);
            }
        }
        Ok(Fed::Taken)
    }

    /// Checks that the last group is complete; padding is optional.
    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        if self.group == 1 { fault(0, "base64 ends in the middle of a byte") } else { Ok(()) }
    }
}

fn value(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}
