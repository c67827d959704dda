//! Errors of key files. They never quote values.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A key file that cannot be read, or a line of it that does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyError {
    pub file: Arc<Path>,
    /// The line, from 1; `None` if the file cannot be read at all.
    pub line: Option<usize>,
    /// What was expected.
    pub message: String,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for KeyError {}
