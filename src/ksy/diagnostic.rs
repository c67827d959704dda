//! Errors and warnings about a file.

use std::path::PathBuf;

/// An error or a warning, complete in itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the file is rejected.
    pub error: bool,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The text of the line.
    pub source: String,
    /// The number of characters to underline.
    pub width: u32,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}
