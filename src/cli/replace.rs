//! Output files that replace what was there only when they are complete.

use super::interrupt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Names that are tried for the temporary file.
const ATTEMPTS: u32 = 64;

/// A temporary file next to the one it will replace. It is removed unless it replaces it.
pub(super) struct Replacement {
    temporary: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Open what is to be written. Devices and pipes are written directly and need no replacement.
    ///
    /// # Errors
    /// Those of opening; a file that exists must be writable.
    pub(super) fn create(path: &Path) -> io::Result<(File, Option<Replacement>)> {
        let about = fs::metadata(path).ok();
        let for_writing = {
            let path = path.to_owned();
            || OpenOptions::new().write(true).open(path)
        };
        match &about {
            Some(about) if about.is_file() => drop(for_writing()?),
            Some(_) => {
                let no_reader = || io::Error::new(io::ErrorKind::Interrupted, "a signal came before another program read it");
                return Ok((interrupt::open(for_writing)?.ok_or_else(no_reader)?, None));
            }
            None => {}
        }
        // The file that a symbolic link leads to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, temporary) = temporary(&path)?;
        let replacement = Replacement { temporary, path };
        if let Some(about) = about {
            // A file system without permissions has none to keep.
            let _ = fs::set_permissions(&replacement.temporary, about.permissions());
        }
        Ok((file, Some(replacement)))
    }

    /// Replace the file.
    ///
    /// # Errors
    /// Those of renaming.
    pub(super) fn commit(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.path)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After a successful rename there is nothing left to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// A new file in the folder of `path`.
fn temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 0;
    loop {
        let temporary = path.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < ATTEMPTS => number += 1,
            Err(error) => return Err(error),
        }
    }
}
