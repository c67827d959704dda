//! Reads the user's bookmarks and notes from `FILE.notes.toml` next to a capture.

use super::print_error;
use crate::record::Bookmarks;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a notes file.
const MOST: u64 = 16 << 20;

/// Bookmarks and notes of a capture, if any. A file that cannot be read is reported.
///
/// They are leaked, because records refer to them for the whole run.
pub(super) fn of(capture: &str) -> Option<&'static Bookmarks> {
    match read(Path::new(capture)) {
        Ok(bookmarks) => bookmarks.map(|bookmarks| &*Box::leak(Box::new(bookmarks))),
        Err(wrong) => {
            print_error(format_args!("{wrong}"));
            None
        }
    }
}

/// Reads bookmarks and notes.
///
/// # Errors
/// The problem of the file, in one line.
pub(super) fn read(capture: &Path) -> Result<Option<Bookmarks>, String> {
    let path = Bookmarks::path_of(capture);
    let read = |file: File| {
        let mut text = String::new();
        file.take(MOST + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
        match text.len() as u64 {
            ..=MOST => Bookmarks::parse(&text),
            _ => Err(format!("longer than {} MiB", MOST >> 20)),
        }
    };
    let bookmarks = match File::open(&path) {
        Ok(file) => read(file),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => Err(error.to_string()),
    };
    bookmarks.map(Some).map_err(|wrong| format!("{}: {wrong}; its bookmarks and notes are ignored", path.display()))
}
