//! Reads the user's bookmarks and notes from `FILE.notes.toml` next to a capture.

use super::print_error;
use crate::failure::Words;
use crate::record::Bookmarks;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a notes file.
const MOST: u64 = 1 << 20;

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
/// The problem of the file, in one line that shows nothing of its content, since it may be a link to any other file.
pub(super) fn read(capture: &Path) -> Result<Option<Bookmarks>, String> {
    let path = Bookmarks::path_of(capture);
    let about = match fs::metadata(&path) {
        Ok(about) => Ok(about),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => Err(Words(&error).to_string()),
    };
    // Opening a FIFO waits for its writer, and a device may have no end.
    let bookmarks = about.and_then(|about| if about.is_file() { parsed(&path) } else { Err("not a regular file".to_owned()) });
    bookmarks.map(Some).map_err(|wrong| format!("{}: {wrong}; its bookmarks and notes are ignored", path.display()))
}

fn parsed(path: &Path) -> Result<Bookmarks, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| Words(&error).to_string())?;
    file.take(MOST + 1).read_to_string(&mut text).map_err(|error| Words(&error).to_string())?;
    is_short(&text)?;
    Bookmarks::parse(&text)
}

/// Checks that a text is not longer than a notes file may be.
///
/// # Errors
/// The limit that it exceeds.
pub(super) fn is_short(text: &str) -> Result<(), String> {
    match text.len() as u64 {
        ..=MOST => Ok(()),
        _ => Err(format!("longer than {} MiB", MOST >> 20)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error for these notes of a capture.
    fn wrong(folder: &Path, write: impl FnOnce(&Path)) -> String {
        let capture = folder.join("a.pcap");
        let path = Bookmarks::path_of(&capture);
        write(&path);
        let wrong = read(&capture).unwrap_err();
        let _ = fs::remove_file(&path);
        wrong.split_once(": ").unwrap().1.trim_end_matches("; its bookmarks and notes are ignored").to_owned()
    }

    #[test]
    fn notes_are_read_from_regular_files_of_bounded_size_alone() {
        let folder = std::env::temp_dir().join(format!("proto-dissect-{}-notes", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let long = "[[record]]\nframe = 1\nnote = \"a\"\n".repeat(1 << 16);
        assert_eq!(wrong(&folder, |path| fs::write(path, &long).unwrap()), "longer than 1 MiB");
        #[cfg(unix)]
        {
            let other = folder.join("private");
            for text in
                ["top-secret:x:0:0", "top-secret = 1", "[[record]]\nframe = 1\ntop-secret = 1", "[top-secret]\n[top-secret]"]
            {
                fs::write(&other, text).unwrap();
                let wrong = wrong(&folder, |path| std::os::unix::fs::symlink(&other, path).unwrap());
                assert!(!wrong.contains("secret") && !wrong.contains('\n'), "{wrong}");
            }
            let fifo = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            assert_eq!(wrong(&folder, fifo), "not a regular file");
            for kind in ["/dev/zero", "/dev/null"] {
                assert_eq!(wrong(&folder, |path| std::os::unix::fs::symlink(kind, path).unwrap()), "not a regular file");
            }
        }
        assert_eq!(read(&folder.join("other.pcap")), Ok(None));
        fs::remove_dir_all(&folder).unwrap();
    }
}
