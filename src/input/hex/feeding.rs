//! Lines of a text become packets.

use super::{Fault, Fed, LARGEST_PACKET, Reader, too_large};
use crate::input::buffer::LARGEST;
use crate::input::{OpenError, ReadError};

impl Reader {
    /// The same with the first packet; `above` is a line before it that was taken for a ruler and is bytes.
    pub(super) fn filled(mut self, above: Option<&[u8]>) -> Result<Reader, OpenError> {
        if let Some(line) = above {
            self.first = self.line.saturating_sub(1).max(1);
            // Its words are pairs of digits, so this cannot fail.
            let _ = self.dialect.feed(line, &mut self.packet);
            self.runs.add(0, self.packet.bytes.len());
        }
        match self.fill() {
            Err(error) => self.failure = Some(error),
            Ok(()) if self.packet.bytes.is_empty() => {
                let what = format!("no packet from here on; it was read as {}", self.describe());
                return Err(OpenError::Hex { line: self.first, column: 1, what });
            }
            Ok(()) => {}
        }
        Ok(self)
    }

    /// Parses lines until a packet is complete or the text ends.
    pub(super) fn fill(&mut self) -> Result<(), ReadError> {
        while !self.ended {
            let at = self.text.offset();
            let len = match self.text.line_len() {
                Ok(Some(len)) => len,
                Ok(None) => {
                    self.ended = true;
                    return self.dialect.end(&mut self.packet).map_err(|fault| self.error(fault));
                }
                Err(_) if self.text.ahead().len() >= LARGEST => return Err(self.error(too_large(0))),
                Err(error) => return Err(ReadError::from_read(at, &error)),
            };
            if self.feed(len).map_err(|fault| self.error(fault))? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Parses the next line, of `len` bytes. Returns whether a packet is complete.
    pub(super) fn feed(&mut self, len: usize) -> Result<bool, Fault> {
        let plain = self.cleaner.clean(self.text.ahead().get(..len).unwrap_or_default())?;
        let before = self.packet.bytes.len();
        let is_loose = self.dialect.is_loose();
        let fed = match is_loose && before > 0 && self.runs.blank_ends() && plain.trim_ascii().is_empty() {
            true => Fed::Complete(len),
            false => self.dialect.feed(&plain, &mut self.packet)?,
        };
        // A line without decoration is consumed as a whole.
        let used = match fed {
            Fed::Complete(used) if used == 0 || plain.len() == len => used,
            Fed::Complete(_) | Fed::Taken => len,
        };
        let count = self.packet.bytes.len();
        if count > LARGEST_PACKET {
            return Err(too_large(0));
        }
        self.pass(used, len);
        if fed != Fed::Taken {
            return Ok(count > 0);
        }
        if is_loose && self.runs.add(before, count - before) {
            let what = "lines of unequal width are read as a packet each";
            let how = "--split none makes one packet of them, --split blank one for each block";
            self.remark = Some(format!("line {}: {what}; {how}", self.line - 1));
        }
        Ok(is_loose && count > 0 && self.runs.each_line())
    }

    /// Consumes the first bytes of a line of `len`.
    pub(super) fn pass(&mut self, used: usize, len: usize) {
        self.text.pass(used);
        self.used += used;
        if used >= len {
            self.line += 1;
            self.used = 0;
        }
    }

    pub(super) fn error(&self, Fault { at, what }: Fault) -> ReadError {
        let text = format!("line {}, column {}: {what}", self.line, self.used + at + 1);
        ReadError { code: "hex", at: Some(self.text.offset() + at as u64), text }
    }
}
