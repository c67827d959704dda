//! Session logs of the formats that protocols declare: the header and each record become a frame.
//!
//! Offsets are stream offsets of a side, not file offsets: with these, each side would be full of gaps. A dissector that shows file
//! offsets counts the bytes of the header and of all records.

use super::buffer::{Buffer, Supply};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, Timestamp};
use crate::protocols::LOGS;
use crate::tree::Side;
use crate::wire::{LogError, LogFormat, LogRecord, OpenedLog, Settings};
use std::io;

/// The format of a log that begins with these bytes.
pub(super) fn format(bytes: &[u8]) -> Option<&'static LogFormat> {
    LOGS.iter().copied().find(|format| (format.begins)(bytes))
}

pub(super) struct Reader {
    buffer: Buffer,
    format: &'static LogFormat,
    log: OpenedLog,
    /// Whether the header was returned.
    begun: bool,
}

impl Reader {
    pub(super) fn open(mut buffer: Buffer, format: &'static LogFormat, settings: &Settings) -> Result<Reader, OpenError> {
        let no = |what: String| OpenError::Damaged { format: format.name, what };
        let header = need(&mut buffer, 0, |bytes| (format.open)(bytes, settings)).map_err(OpenError::from_read)?;
        let log = header.map_err(|_| no("has a header that no log has".to_owned()))?;
        let mut at = log.header;
        for _ in 0..log.tried {
            match need(&mut buffer, at, |bytes| log.records.record(bytes)).map_err(OpenError::from_read)? {
                Ok(record) => at += record.length,
                Err(LogError::Short(_)) => break,
                Err(LogError::Invalid(what)) => return Err(no(format!("holds {what}"))),
            }
        }
        Ok(Reader { buffer, format, log, begun: false })
    }

    pub(super) fn describe(&self) -> String {
        self.log.description.clone()
    }

    pub(super) fn format(&self) -> &'static str {
        self.format.name
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        let (at, log) = (self.buffer.offset(), &self.log);
        let record = if std::mem::replace(&mut self.begun, true) {
            need(&mut self.buffer, 0, |bytes| log.records.record(bytes)).map_err(|error| ReadError::from_read(at, &error))?
        } else {
            Ok(LogRecord { passed: 0, side: Side::Server, length: log.header })
        };
        let LogRecord { passed, side, length } = match record {
            Ok(record) => record,
            Err(LogError::Short(_)) if self.buffer.ahead().is_empty() => return Ok(None),
            Err(LogError::Short(needed)) => {
                let text = format!("a record of {needed} bytes or more, of which {} are there", self.buffer.ahead().len());
                return Err(ReadError::truncated(at, text));
            }
            Err(LogError::Invalid(text)) => return Err(ReadError::damaged(at, text)),
        };
        self.log.time = self.log.time.saturating_add(passed);
        let (seconds, millis) = (self.log.time / 1000, self.log.time % 1000);
        let nanos = u32::try_from(millis).unwrap_or_default() * 1_000_000;
        let time = Some(Timestamp { seconds: i64::try_from(seconds).unwrap_or(i64::MAX), nanos });
        let original_len = u32::try_from(length).unwrap_or(u32::MAX);
        Ok(Some(Frame { time, link: Link::Stream(side), bytes: self.buffer.use_up(length), original_len, ..Frame::default() }))
    }
}

/// A part of a log at this offset, after waiting for all of it.
fn need<T>(buffer: &mut Buffer, at: usize, part: impl Fn(&[u8]) -> Result<T, LogError>) -> io::Result<Result<T, LogError>> {
    loop {
        let short = match part(buffer.ahead().get(at..).unwrap_or_default()) {
            Err(LogError::Short(needed)) => needed,
            other => return Ok(other),
        };
        if buffer.need(at + short)? != Supply::Enough {
            return Ok(Err(LogError::Short(short)));
        }
    }
}
