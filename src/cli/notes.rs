//! Bookmarks and notes of the user, from `FILE.notes.toml` beside a capture.

use super::complain;
use crate::record::Bookmarks;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of such a file that are read at most.
const MOST: u64 = 16 << 20;

/// The bookmarks and notes of a capture; `None` if there are none. A file that cannot be read is reported.
///
/// They are kept for the whole run, as every record refers to them.
pub(super) fn of(capture: &str) -> Option<&'static Bookmarks> {
    match read(Path::new(capture)) {
        Ok(bookmarks) => bookmarks.map(|bookmarks| &*Box::leak(Box::new(bookmarks))),
        Err(wrong) => {
            complain(format_args!("{wrong}"));
            None
        }
    }
}

/// The same, read now.
///
/// # Errors
/// What is wrong with the file, in a line.
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
    bookmarks.map(Some).map_err(|wrong| format!("{}: {wrong}; its bookmarks and notes are left out", path.display()))
}
