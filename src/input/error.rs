//! Errors of an input: it cannot be opened, or it ends early or is malformed.
//!
//! Both state what was found, what was expected and what to try. The caller chooses the exit code.

use crate::failure::Words;
use std::error::Error;
use std::fmt;
use std::io;

use super::InputFormat;

/// Why an input cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// No bytes, or only white space.
    Empty,
    /// Neither a capture nor hex text.
    Unrecognised {
        /// What the first bytes look like; completes "this is".
        looks_like: String,
        /// Advice.
        advice: &'static str,
    },
    /// The content differs from the requested format.
    NotAs {
        /// The requested format.
        wanted: InputFormat,
        /// The detected format; completes "this is".
        found: &'static str,
    },
    /// An unknown version of a capture format.
    UnsupportedVersion {
        /// Name of the format.
        format: &'static str,
        /// Major version in the file.
        major: u16,
        /// Minor version in the file.
        minor: u16,
    },
    /// A known format with an unusable header.
    Damaged {
        /// Name of the format.
        format: &'static str,
        /// The defect.
        what: String,
    },
    /// Ambiguous or malformed hex text.
    Hex {
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// The defect, and what to try.
        what: String,
    },
    /// The operating system could not read it.
    Io(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Empty => write!(f, "the input is empty; expected a capture (pcap, pcapng, snoop) or hex text"),
            OpenError::Unrecognised { looks_like, advice } => {
                write!(f, "this is {looks_like}, not a capture (pcap, pcapng, snoop) and not hex text; {advice}")
            }
            OpenError::NotAs { wanted, found } => {
                write!(f, "this is {found}, but --input-format is {wanted}; omit it to detect the format")
            }
            OpenError::UnsupportedVersion { format, major, minor } => {
                let known = match *format {
                    "pcap" => "2.x",
                    "snoop" => "2.0",
                    _ => "1.0",
                };
                write!(f, "{format} version {major}.{minor} is not supported; expected {known}, or the file is damaged")
            }
            OpenError::Damaged { format, what } => write!(f, "this starts as {format}, but {what}"),
            OpenError::Hex { line, column, what } => write!(f, "line {line}, column {column}: {what}"),
            OpenError::Io(error) => write!(f, "cannot be read: {}", Words(error)),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OpenError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl OpenError {
    /// A read that failed before the format was known.
    pub(super) fn from_read(error: io::Error) -> OpenError {
        match code_of(&error) {
            "io" => OpenError::Io(error),
            _ => OpenError::Damaged { format: "a compressed file", what: format!("cannot be read: {}", Words(&error)) },
        }
    }
}

/// Why an input ends early. All frames before were returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// `truncated`, `damaged`, `hex` or `io`.
    pub code: &'static str,
    /// Byte offset in the decompressed input.
    pub at: Option<u64>,
    /// What was found and what was expected; for hex text it begins with line and column.
    pub text: String,
}

impl ReadError {
    pub(super) fn truncated(at: u64, text: String) -> ReadError {
        ReadError { code: "truncated", at: Some(at), text }
    }

    pub(super) fn damaged(at: u64, text: String) -> ReadError {
        ReadError { code: "damaged", at: Some(at), text }
    }

    /// A failed read, or malformed compressed data.
    pub(super) fn from_read(at: u64, error: &io::Error) -> ReadError {
        ReadError { code: code_of(error), at: Some(at), text: format!("cannot be read further: {}", Words(error)) }
    }
}

fn code_of(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "truncated",
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => "damaged",
        _ => "io",
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) if self.code != "hex" => write!(f, "{} at byte {at}: {}", self.code, self.text),
            _ => f.write_str(&self.text),
        }
    }
}

impl Error for ReadError {}
