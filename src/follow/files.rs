//! Payload of conversations as files: one per direction, with names that sort by time.

use super::Payload;
use crate::failure::at_path;
use crate::render::Rfc3339;
use crate::tree::{Address, Side, StreamId};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum number of open files.
const MOST_OPEN: usize = 64;

/// Files per direction and conversation.
pub struct Files {
    folder: PathBuf,
    files: HashMap<(StreamId, Side), Entry, foldhash::fast::RandomState>,
    open: usize,
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    file: Option<File>,
}

impl Entry {
    /// Opens a new file without following symbolic links, or the file that this run created.
    fn open(&self) -> io::Result<File> {
        if self.bytes == 0 {
            return OpenOptions::new().write(true).create_new(true).open(&self.path);
        }
        if !std::fs::symlink_metadata(&self.path)?.is_file() {
            return Err(io::Error::other("the file was replaced by another program"));
        }
        OpenOptions::new().append(true).open(&self.path)
    }
}

impl Files {
    /// Writes to this directory, which is created if necessary.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn new(folder: &Path) -> io::Result<Files> {
        std::fs::create_dir_all(folder)?;
        Ok(Files { folder: folder.to_owned(), files: HashMap::default(), open: 0 })
    }

    /// Writes payload bytes.
    ///
    /// # Errors
    /// Write errors, with the name of the file.
    pub fn write(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        if self.open >= MOST_OPEN {
            self.close();
        }
        if self.open(payload).is_err() && self.open > 0 {
            // The system may allow fewer open files.
            self.close();
        }
        let opened = self.open(payload);
        let Some(entry) = self.files.get_mut(&(payload.stream, payload.side)) else { return opened };
        let result = opened.and_then(|()| entry.file.as_mut().map_or(Ok(()), |file| file.write_all(payload.bytes)));
        entry.bytes += payload.bytes.len() as u64;
        result.map_err(|error| at_path(&entry.path, &error))
    }

    /// Opens the file of this payload, unless it is open.
    fn open(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        let folder = &self.folder;
        let entry = self.files.entry((payload.stream, payload.side)).or_insert_with(|| Entry {
            path: folder.join(name_of(payload)),
            bytes: 0,
            file: None,
        });
        if entry.file.is_none() {
            entry.file = Some(entry.open()?);
            self.open += 1;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.files.values_mut().for_each(|entry| entry.file = None);
        self.open = 0;
    }

    /// Files and their sizes, by name.
    pub fn written(&self) -> Vec<(&Path, u64)> {
        let mut written: Vec<_> = self.files.values().map(|entry| (entry.path.as_path(), entry.bytes)).collect();
        written.sort_unstable();
        written
    }
}

/// `000017-2015-11-24T21-20-00-tcp-0-192.168.28.10.27000-192.168.28.23.41508-s2c.bin`: first frame, its time, conversation,
/// source, destination, direction.
fn name_of(payload: &Payload<'_>) -> String {
    let first = payload.message.pieces().iter().min_by_key(|piece| piece.frame);
    let (frame, time) = match first {
        Some(piece) => (piece.frame, piece.time),
        None => (payload.message.of.tree.frame.number, payload.time()),
    };
    let mut name = format!("{frame:06}");
    if let Some(time) = time.and_then(Rfc3339::of) {
        let time = time.to_string().replace(':', "-");
        let _ = write!(name, "-{}", time.get(..19).unwrap_or_default());
    }
    let transport = payload.stream.transport.word();
    let _ = write!(name, "-{transport}-{}", payload.stream.number);
    for end in [payload.ends.src, payload.ends.dst].into_iter().flatten() {
        // Not all file systems allow colons.
        let end = match end {
            Address::Socket(end) => format!("{}.{}", end.ip(), end.port()),
            other => other.to_string(),
        };
        let _ = write!(name, "-{}", end.replace(':', "_"));
    }
    let _ = write!(name, "-{}.bin", payload.side);
    name
}
