//! Places in files.

use std::path::PathBuf;

/// A range of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// An index into [`super::model::Spec::files`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

/// A file that was read.
#[derive(Debug, Clone, Default)]
pub struct SourceFile {
    /// The path as it is shown.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}
