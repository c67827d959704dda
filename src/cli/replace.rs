//! Output files that replace existing files only when complete.

use super::interrupt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of names to try for the temporary file.
const ATTEMPTS: u32 = 64;

/// A temporary file next to the file to replace. It is removed on drop unless committed.
pub(super) struct Replacement {
    temporary: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Opens a file for writing. Devices and pipes are written directly, without replacement.
    ///
    /// # Errors
    /// Errors of opening; an existing file must be writable.
    pub(super) fn create(path: &Path) -> io::Result<(File, Option<Replacement>)> {
        let about = fs::metadata(path).ok();
        let for_writing = {
            let path = path.to_owned();
            || OpenOptions::new().write(true).open(path)
        };
        match &about {
            Some(about) if about.is_file() => drop(for_writing()?),
            Some(_) => {
                let no_reader =
                    || io::Error::new(io::ErrorKind::Interrupted, "interrupted before another program opened it for reading");
                return Ok((interrupt::open(for_writing)?.ok_or_else(no_reader)?, None));
            }
            None => {}
        }
        // The target of a symbolic link is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, temporary) = temporary(&path)?;
        let replacement = Replacement { temporary, path };
        if let Some(about) = about {
            // Not every file system has permissions.
            let _ = fs::set_permissions(&replacement.temporary, about.permissions());
        }
        Ok((file, Some(replacement)))
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// Errors of renaming.
    pub(super) fn commit(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.path)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Fails after a successful rename, as intended.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Creates a new file in the directory of `path`.
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
