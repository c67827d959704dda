//! Output files of the parts. Any number of parts is possible, because few files are open at a time.

use super::packet::{self, Secrets};
use crate::failure::at_path;
use crate::input::{Frame, Interface, Lookup};
use crate::tree::Time;
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

/// Maximum number of open files.
const OPEN_MOST: usize = 128;

/// Maximum size of the write buffer of one part, and of all parts together, in bytes.
const BUFFER: usize = 64 << 10;
const BUFFERS: usize = 16 << 20;

/// Maximum number of parts.
const PARTS_MOST: usize = 65_536;

/// File names of parts.
#[derive(Debug, Clone)]
pub struct Names {
    /// Their directory.
    pub folder: PathBuf,
    /// Their common prefix.
    pub stem: String,
    /// Minimum number of digits of the part number.
    pub digits: usize,
}

impl Names {
    fn path(&self, part: u64) -> PathBuf {
        self.folder.join(format!("{}-{:0width$}.pcapng", self.stem, part.saturating_add(1), width = self.digits))
    }
}

/// A written part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Path of its file.
    pub path: PathBuf,
    /// Number of frames.
    pub frames: u64,
    /// File size in bytes.
    pub bytes: u64,
}

pub struct Parts {
    names: Names,
    parts: BTreeMap<u64, Part>,
    /// Parts with open files, in order of opening.
    open: VecDeque<u64>,
    /// Timestamp of the first frame of the whole capture.
    start: Time,
    section: u64,
    /// Interfaces of the current section.
    interfaces: Vec<Interface>,
}

#[derive(Default)]
struct Part {
    path: PathBuf,
    file: Option<File>,
    exists: bool,
    buffer: Vec<u8>,
    /// Its current section, and the number of interfaces written for it.
    section: Option<u64>,
    interfaces: usize,
    /// Size of the secrets written to it, in bytes.
    secrets: usize,
    frames: u64,
    bytes: u64,
}

impl Parts {
    /// Creates parts with these names. The first `count` are written even if they have no frames.
    pub fn new(names: Names, count: u64) -> Parts {
        let parts = (0..count).map(|part| (part, Part::new(&names, part))).collect();
        Parts { names, parts, open: VecDeque::new(), start: None, section: 0, interfaces: Vec::new() }
    }

    /// Sets the timestamp of the first frame of the whole capture.
    pub(super) fn start(&mut self, start: Time) {
        self.start = start;
    }

    /// Starts a new section.
    pub(super) fn section(&mut self) {
        self.section += 1;
        self.interfaces.clear();
    }

    /// Sets the interfaces of the current section so far.
    pub(super) fn interfaces(&mut self, interfaces: &[Interface]) {
        if interfaces.len() != self.interfaces.len() {
            self.interfaces = interfaces.to_vec();
        }
    }

    /// Writes a frame to a part.
    pub(super) fn frame(&mut self, part: u64, frame: &Frame<'_>, streams: &[Lookup], secrets: &Secrets) -> io::Result<()> {
        self.put_into(part, secrets, |out| packet::packet(out, frame, streams))
    }

    /// Writes the complete block of a frame to a part.
    pub(super) fn block(&mut self, part: u64, block: &[u8], secrets: &Secrets) -> io::Result<()> {
        self.put_into(part, secrets, |out| {
            out.extend_from_slice(block);
            Ok(())
        })
    }

    fn put_into(&mut self, at: u64, secrets: &Secrets, put: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        if self.parts.len() >= PARTS_MOST && !self.parts.contains_key(&at) {
            return Err(io::Error::other(format!("more than {PARTS_MOST} parts; try a longer span of time")));
        }
        let Parts { parts, names, section, interfaces, start, .. } = self;
        // All parts share the memory for buffers.
        let limit = BUFFER.min(BUFFERS / parts.len().max(1));
        let part = parts.entry(at).or_insert_with(|| Part::new(names, at));
        part.prepare(*section, interfaces, *start, secrets)?;
        put(&mut part.buffer)?;
        part.frames += 1;
        if part.buffer.len() >= limit { self.flush(at) } else { Ok(()) }
    }

    /// Writes the buffer of a part to its file.
    fn flush(&mut self, at: u64) -> io::Result<()> {
        let is_open = self.parts.get(&at).is_some_and(|part| part.file.is_some());
        if !is_open {
            self.close_all_but(OPEN_MOST - 1);
            let mut opened = self.parts.get_mut(&at).map_or(Ok(()), Part::open);
            if opened.is_err() && !self.open.is_empty() {
                // The system may allow fewer open files.
                self.close_all_but(self.open.len() / 2);
                opened = self.parts.get_mut(&at).map_or(Ok(()), Part::open);
            }
            opened?;
            self.open.push_back(at);
        }
        self.parts.get_mut(&at).map_or(Ok(()), Part::flush)
    }

    /// Closes the files opened first.
    fn close_all_but(&mut self, count: usize) {
        let closed = self.open.len().saturating_sub(count);
        for oldest in self.open.drain(..closed) {
            if let Some(part) = self.parts.get_mut(&oldest) {
                part.file = None;
            }
        }
    }

    /// Closes all parts, including those without frames.
    pub(super) fn finish(mut self) -> io::Result<Vec<Written>> {
        let numbers: Vec<u64> = self.parts.keys().copied().collect();
        for at in numbers {
            if let Some(part) = self.parts.get_mut(&at)
                && part.section.is_none()
            {
                packet::section(&mut part.buffer, self.start)?;
            }
            self.flush(at)?;
        }
        let written = |part: Part| Written { path: part.path, frames: part.frames, bytes: part.bytes };
        Ok(self.parts.into_values().map(written).collect())
    }
}

impl Part {
    fn new(names: &Names, number: u64) -> Part {
        Part { path: names.path(number), ..Part::default() }
    }

    /// Writes the section header, interfaces and secrets that the next packet needs.
    fn prepare(&mut self, section: u64, interfaces: &[Interface], start: Time, secrets: &Secrets) -> io::Result<()> {
        if self.section != Some(section) {
            self.section = Some(section);
            self.interfaces = 0;
            packet::section(&mut self.buffer, start)?;
        }
        for interface in interfaces.get(self.interfaces..).unwrap_or_default() {
            packet::interface(&mut self.buffer, interface)?;
        }
        self.interfaces = interfaces.len();
        let (new, known) = secrets.after(self.secrets);
        if !new.is_empty() {
            packet::secrets(&mut self.buffer, new)?;
            self.secrets = known;
        }
        Ok(())
    }

    fn open(&mut self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        if self.exists {
            options.append(true)
        } else {
            options.write(true).create_new(true)
        };
        self.file = Some(options.open(&self.path).map_err(|error| self.named(&error))?);
        self.exists = true;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(&self.buffer).map_err(|error| self.named(&error))?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn named(&self, error: &io::Error) -> io::Error {
        at_path(&self.path, error)
    }
}
