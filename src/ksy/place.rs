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

impl Place {
    /// From the start of this place to the end of another one.
    pub(super) fn to(self, last: Place) -> Place {
        Place { end: last.end.max(self.start), ..self }
    }

    /// A file as a whole, which has no line.
    pub(super) fn whole(file: u32) -> Place {
        Place { file, start: u32::MAX, end: u32::MAX }
    }

    /// The same start, without length.
    pub(super) fn first(self) -> Place {
        Place { end: self.start, ..self }
    }
}

/// A file that was read.
#[derive(Debug, Clone, Default)]
pub struct SourceFile {
    /// The path as it is shown.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

/// An offset in a file; files are far below 4 GiB.
pub(super) fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
