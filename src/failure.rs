//! Failures of the operating system in plain words, the same on every system and in every language of it.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Error codes of Windows for a file that another program has opened or locked.
const SHARED: [i32; 2] = [32, 33];

/// Error code of Windows for a pipe whose other end is closed. The standard library has no kind for it.
const NOT_CONNECTED: i32 = 233;

/// Whether a write failed because nothing reads the pipe any more.
pub fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe || (cfg!(windows) && error.raw_os_error() == Some(NOT_CONNECTED))
}

/// Formats a failure without codes of the system.
pub struct Words<'a>(pub &'a io::Error);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.get_ref().is_some() {
            return self.0.fmt(f);
        }
        let is_shared = cfg!(windows) && self.0.raw_os_error().is_some_and(|code| SHARED.contains(&code));
        f.write_str(match self.0.kind() {
            _ if is_shared => "another program uses it",
            ErrorKind::NotFound => "no such file or directory",
            ErrorKind::PermissionDenied => "access is denied",
            ErrorKind::AlreadyExists => "it exists already",
            ErrorKind::IsADirectory => "it is a directory",
            ErrorKind::NotADirectory => "a part of the path is not a directory",
            ErrorKind::DirectoryNotEmpty => "the directory is not empty",
            ErrorKind::StorageFull => "no space is left on the device",
            ErrorKind::QuotaExceeded => "the quota of the disk is used up",
            ErrorKind::FileTooLarge => "it would be larger than the system allows",
            ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
            ErrorKind::InvalidFilename => "the system allows no such name",
            ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy => "another program uses it",
            ErrorKind::BrokenPipe => "nothing reads the pipe",
            _ => {
                let text = self.0.to_string();
                let text = text.rsplit_once(" (os error ").map_or(text.as_str(), |(text, _)| text);
                return f.write_str(text.trim_end_matches('.'));
            }
        })
    }
}

/// A failure of a path.
pub fn at_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {}", path.display(), Words(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn failures_have_words_instead_of_codes() {
        let missing = File::open("does/not/exist").unwrap_err();
        assert_eq!(Words(&missing).to_string(), "no such file or directory");
        assert_eq!(at_path(Path::new("a.pcap"), &missing).to_string(), "a.pcap: no such file or directory");
        assert_eq!(Words(&ErrorKind::NotFound.into()).to_string(), "no such file or directory");
        let denied = Words(&io::Error::from_raw_os_error(5)).to_string();
        assert!(!denied.contains("os error") && !denied.ends_with('.'), "{denied}");
        assert!(is_closed_pipe(&ErrorKind::BrokenPipe.into()) && !is_closed_pipe(&missing));
        assert_eq!(Words(&io::Error::other("it is (os error 2)")).to_string(), "it is (os error 2)");
    }
}
