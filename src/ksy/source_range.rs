//! Positions in files.

use std::path::PathBuf;

/// A range of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SourceRange {
    /// An index into [`super::model::Spec::files`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl SourceRange {
    /// The range from the start of this one to the end of another one.
    pub(super) fn to(self, last: SourceRange) -> SourceRange {
        SourceRange { end: last.end.max(self.start), ..self }
    }

    /// The file as a whole, without a line.
    pub(super) fn whole(file: u32) -> SourceRange {
        SourceRange { file, start: u32::MAX, end: u32::MAX }
    }

    /// An empty range at the same start.
    pub(super) fn first(self) -> SourceRange {
        SourceRange { end: self.start, ..self }
    }
}

/// The text of a file.
#[derive(Debug, Clone, Default)]
pub struct SourceFile {
    /// The path as displayed.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

/// An offset in a file; files are far below 4 GiB.
pub(super) fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
