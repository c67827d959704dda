//! Where bytes come from: a file, or standard input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Open a file; `-` is standard input.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if is_standard_input(path) {
        return standard_input();
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name the files in it"));
    }
    Ok(Box::new(file))
}

/// Whether all bytes are there already, so that nobody waits for a record while it is read.
pub(super) fn is_whole(path: &Path) -> bool {
    !is_standard_input(path) && fs::metadata(path).is_ok_and(|about| about.is_file())
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input without the small buffer that Rust puts before it.
#[cfg(unix)]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(io::stdin()))
}
