//! Input sources: files, standard input, and hex text on the command line.

use super::args::Reading;
use super::browse::Spool;
use super::inputs;
use super::interrupt::{self, Interruptible};
use super::settings;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An input source.
pub(super) enum Source {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// Hex text on the command line.
    Text(String),
    /// A pipe, kept in a temporary file so that it can be read again.
    Spooled(Arc<Spool>),
    /// The name of a list that is not read any further, and why.
    Unreadable(String, String),
}

impl Source {
    /// Sources of the command line; standard input if none is given.
    pub(super) fn all(files: &[PathBuf], reading: &Reading) -> Vec<Source> {
        match &reading.hex_text {
            Some(text) => vec![Source::Text(text.clone())],
            None if files.is_empty() => vec![Source::File(PathBuf::from("-"))],
            None => {
                // Lists have a limit too. The settings report a wrong one.
                let _ = settings::limit(&reading.limit);
                inputs::all(files)
            }
        }
    }

    /// Display name.
    pub(super) fn name(&self) -> String {
        match self {
            Source::File(path) => path.to_string_lossy().into_owned(),
            Source::Text(_) => String::from("--hex"),
            Source::Spooled(spool) => spool.name(),
            Source::Unreadable(name, _) => name.clone(),
        }
    }

    /// Path, if it is a file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) if !is_standard_input(path) => Some(path),
            Source::File(_) | Source::Text(_) | Source::Spooled(_) | Source::Unreadable(..) => None,
        }
    }

    /// Identity of the file; `None` if it is not a regular file, or if the system has no identities.
    pub(super) fn identity(&self) -> Option<Identity> {
        match self {
            Source::Text(_) | Source::Spooled(_) | Source::Unreadable(..) => None,
            Source::File(path) if is_standard_input(path) => standard_input_identity(),
            Source::File(path) => identity(path),
        }
    }

    /// Size in bytes, if known.
    pub(super) fn size(&self) -> Option<u64> {
        fs::metadata(self.path()?).ok().filter(fs::Metadata::is_file).map(|about| about.len())
    }

    /// Opens it for reading.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Source::Text(text) => Ok(Box::new(Cursor::new(text.clone().into_bytes()))),
            Source::Spooled(spool) => Ok(spool.reader()),
            Source::Unreadable(_, why) => Err(io::Error::other(why.as_str())),
            Source::File(path) if is_standard_input(path) => standard_input(),
            Source::File(path) => open(path),
        }
    }

    /// Whether all bytes are available, so that reading never blocks. False if the input cannot be read.
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Source::Text(_) | Source::Unreadable(..) => true,
            Source::Spooled(_) => false,
            Source::File(path) if is_standard_input(path) => false,
            Source::File(path) => fs::metadata(path).map_or(true, |about| about.is_file() || about.is_dir()),
        }
    }
}

/// Opens a file. If a signal interrupts opening, it is empty.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory without captures"));
    }
    if about.is_file() {
        return Ok(Box::new(File::open(path)?));
    }
    let path = path.to_owned();
    Ok(match interrupt::open(|| File::open(path))? {
        Some(file) => Box::new(Interruptible(file)),
        None => Box::new(io::empty()),
    })
}

/// Identity of a regular file, independent of its path: device and inode.
#[cfg(unix)]
pub(super) type Identity = (u64, u64);

/// Identity of a regular file on systems without inodes: its path.
#[cfg(not(unix))]
pub(super) type Identity = PathBuf;

/// Identity of the file at a path.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    identity_of(&fs::metadata(path).ok()?)
}

#[cfg(unix)]
fn identity_of(about: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    about.is_file().then(|| (about.dev(), about.ino()))
}

#[cfg(unix)]
fn standard_input_identity() -> Option<Identity> {
    use std::os::fd::AsFd;
    let input = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    identity_of(&input.metadata().ok()?)
}

/// Identity of the file at a path.
#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok()
}

#[cfg(not(unix))]
fn standard_input_identity() -> Option<Identity> {
    None
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input without Rust's small buffer.
#[cfg(unix)]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    use std::os::fd::AsFd;
    Ok(Box::new(Interruptible(File::from(io::stdin().as_fd().try_clone_to_owned()?))))
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(io::stdin()))
}
