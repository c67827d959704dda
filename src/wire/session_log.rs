//! Session logs: files in which another program recorded the packets of a protocol, in place of captured frames.

use super::Settings;
use crate::tree::Side;

/// A format of session logs, declared by the protocol of its packets.
pub struct LogFormat {
    /// Its name, as the output has it.
    pub name: &'static str,
    /// Whether the first eight bytes of a file are those of a log.
    pub begins: fn(&[u8]) -> bool,
    /// Reads the header.
    pub open: fn(&[u8], &Settings) -> Result<OpenedLog, LogError>,
}

/// A log whose header is read.
pub struct OpenedLog {
    /// Size of the header. It becomes the first bytes of the server, so that it is dissected as well.
    pub header: usize,
    /// Milliseconds between 1970 and the log's start.
    pub time: u64,
    /// Number of records that must be valid for the file to be a log.
    pub tried: usize,
    /// What it is and how it was recognized, in one line.
    pub description: String,
    /// Reads the records.
    pub records: Box<dyn LogRecords>,
}

/// Reader of records.
pub trait LogRecords: Send {
    /// The record at the start of `ahead`.
    ///
    /// # Errors
    /// A truncated or malformed record.
    fn record(&self, ahead: &[u8]) -> Result<LogRecord, LogError>;
}

/// One record of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRecord {
    /// Milliseconds since the previous record.
    pub passed: u64,
    /// Sender of the packet.
    pub side: Side,
    /// Size in bytes.
    pub length: usize,
}

/// Why a header or a record cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogError {
    /// At least this many bytes are needed.
    Short(usize),
    /// No log has this; for a record, what it is.
    Invalid(String),
}
