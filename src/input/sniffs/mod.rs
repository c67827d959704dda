//! Logs of other programs: decrypted packets of games, and what proxies recorded, as conversations.
//!
//! Each log is read as a capture with reconstructed packets, so that everything works as on captures. Packets with an opcode are
//! framed as messages of the protocol `log`, and HTTP messages are those of HTTP/1.1.
//!
//! ```text
//! .pkt, .msb, flows ─► Sniff::step, a record at a time ─► Rebuilt: pcapng ─► pcapng::Reader
//! ```

mod dns;
mod flows;
mod har;
mod http;
mod json;
mod msb;
mod opcodes;
mod parsed;
mod pkt;
mod rebuilt;
mod saz;
#[cfg(test)]
mod tests;
mod tnetstring;

use super::buffer::{Buffer, Supply};
use super::error::OpenError;
use rebuilt::Rebuilt;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

/// A format of logs.
pub(super) struct SniffFormat {
    /// Its name, as the output has it.
    pub(super) name: &'static str,
    /// Whether the first eight bytes of a file may be those of a log.
    begins: fn(&[u8]) -> bool,
    /// Reads the header; `None` if it is no such log, and nothing is consumed.
    open: fn(&mut Buffer) -> io::Result<Option<Opened>>,
}

/// A log whose header is read.
struct Opened {
    /// What it is, in one line.
    description: String,
    sniff: Box<dyn Sniff>,
}

/// Reader of the records of a log.
trait Sniff: Send {
    /// Adds the packets of the next record; `false` at the end.
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool>;
}

/// All formats.
static FORMATS: &[&SniffFormat] = &[&pkt::FORMAT, &msb::FORMAT, &flows::FORMAT, &har::FORMAT, &saz::FORMAT, &parsed::FORMAT];

/// Names of all formats.
pub fn names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}

/// A log as a capture.
pub(super) struct Transcoded {
    input: Buffer,
    sniff: Box<dyn Sniff>,
    rebuilt: Rebuilt,
    /// Bytes of the capture that were read.
    read: usize,
    ended: bool,
    /// Returned behind the packets before it.
    failure: Option<io::Error>,
}

/// A detected log: its format, what it is, and its packets.
pub(super) struct Detected {
    pub(super) name: &'static str,
    pub(super) description: Arc<str>,
    pub(super) capture: Buffer,
}

/// Whether the first bytes may be those of a log.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    FORMATS.iter().any(|format| (format.begins)(bytes))
}

/// Opens a log, or returns the buffer.
pub(super) fn detect(mut input: Buffer) -> Result<Result<Detected, Buffer>, OpenError> {
    for format in FORMATS {
        if !(format.begins)(input.ahead()) {
            continue;
        }
        let damaged = |error: io::Error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
                OpenError::Damaged { format: format.name, what: error.to_string() }
            }
            _ => OpenError::from_read(error),
        };
        if let Some(Opened { description, sniff }) = (format.open)(&mut input).map_err(damaged)? {
            let rebuilt = Rebuilt::new(format.name, &description);
            let transcoded = Transcoded { input, sniff, rebuilt, read: 0, ended: false, failure: None };
            let capture = Buffer::new(Box::new(transcoded));
            return Ok(Ok(Detected { name: format.name, description: description.into(), capture }));
        }
    }
    Ok(Err(input))
}

impl Read for Transcoded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.read >= self.rebuilt.out.len() {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.ended {
                return Ok(0);
            }
            self.rebuilt.out.clear();
            self.read = 0;
            match self.sniff.step(&mut self.input, &mut self.rebuilt) {
                Ok(more) => self.ended = !more,
                Err(error) => (self.ended, self.failure) = (true, Some(error)),
            }
        }
        let mut ready = self.rebuilt.out.get(self.read..).unwrap_or_default();
        let count = ready.read(out)?;
        self.read += count;
        Ok(count)
    }
}

/// Waits for the next `count` bytes; `None` at the end of the input, if nothing is left.
fn part<'a>(input: &'a mut Buffer, count: usize, what: &str) -> io::Result<Option<&'a [u8]>> {
    if input.need(count)? == Supply::Enough {
        return Ok(input.ahead().get(..count));
    }
    if input.ahead().is_empty() { Ok(None) } else { Err(cut(input, what)) }
}

/// The log ends inside of something.
fn cut(input: &Buffer, what: &str) -> io::Error {
    let end = input.offset() + input.ahead().len() as u64;
    io::Error::new(ErrorKind::UnexpectedEof, format!("the log ends at byte {end}, in the middle of {what}"))
}

/// Something in a log that no log has, at the current byte.
fn damaged(input: &Buffer, what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{what} at byte {} of the log", input.offset()))
}

/// Bytes of a record, read one after another. What is missing is zero: the size of a record is checked before.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (value, rest) = self.0.split_first_chunk::<N>().map_or(([0; N], &[][..]), |(value, rest)| (*value, rest));
        self.0 = rest;
        value
    }

    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (value, rest) = self.0.split_at_checked(count).unwrap_or((self.0, &[]));
        self.0 = rest;
        value
    }

    fn u8(&mut self) -> u8 {
        let [value] = self.take();
        value
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}
