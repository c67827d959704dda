//! Reads a key file as it grows: a file that others append to, or a pipe.

use crate::limits;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

/// How long a pipe is waited for that sends nothing. Later lines serve as well.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a wait asks for an interrupt.
const STEP: Duration = Duration::from_millis(20);
/// Bytes of a pipe in one piece, and pieces that wait.
const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 16;

/// Where the bytes come from.
pub(super) enum Source {
    /// A file, and how much of it was read.
    File { file: File, read: u64 },
    /// Anything else, read by a thread: even opening may block.
    Pipe(Receiver<io::Result<Vec<u8>>>),
    /// Nothing follows.
    Ended,
}

impl Source {
    /// Opens a path; `-` is standard input.
    pub(super) fn open(path: &Path) -> io::Result<Source> {
        if path.as_os_str() != "-" {
            let about = fs::metadata(path)?;
            if about.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
            }
            if about.is_file() {
                return Ok(Source::File { file: File::open(path)?, read: 0 });
            }
        }
        let (sender, receiver) = sync_channel(CHUNKS);
        let path = path.to_owned();
        // The thread ends with the process, or when the receiver is dropped.
        std::thread::Builder::new().name("keys".to_owned()).spawn(move || send(&path, &sender))?;
        Ok(Source::Pipe(receiver))
    }

    /// Whether more bytes may follow without a change of a file.
    pub(super) fn is_open_pipe(&self) -> bool {
        matches!(self, Source::Pipe(_))
    }

    /// Whether a file has become shorter, and is read again from its start.
    pub(super) fn restarts(&mut self) -> io::Result<bool> {
        let Source::File { file, read } = self else { return Ok(false) };
        if file.metadata()?.len() >= *read {
            return Ok(false);
        }
        file.rewind()?;
        *read = 0;
        Ok(true)
    }

    /// Hands over what has arrived, without waiting.
    pub(super) fn poll(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        match self {
            Source::Ended => {}
            Source::File { file, read } => {
                let grown = file.metadata()?.len().saturating_sub(*read);
                let mut left = grown;
                let mut buffer = vec![0; CHUNK.min(usize::try_from(grown).unwrap_or(CHUNK))];
                while left > 0 {
                    let most = buffer.len().min(usize::try_from(left).unwrap_or(CHUNK));
                    let count = file.read(buffer.get_mut(..most).unwrap_or_default())?;
                    if count == 0 {
                        break;
                    }
                    take(buffer.get(..count).unwrap_or_default());
                    left -= count as u64;
                    *read += count as u64;
                }
            }
            Source::Pipe(receiver) => loop {
                match receiver.try_recv() {
                    Ok(chunk) => take(&chunk?),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => {
                        *self = Source::Ended;
                        break;
                    }
                }
            },
        }
        Ok(())
    }

    /// Waits for the end of a pipe, as long as it sends, and hands over what arrives.
    pub(super) fn wait(&mut self, is_interrupted: &dyn Fn() -> bool, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut last = Instant::now();
        while let Source::Pipe(receiver) = self {
            match receiver.recv_timeout(STEP) {
                Ok(chunk) => {
                    take(&chunk?);
                    last = Instant::now();
                }
                Err(RecvTimeoutError::Disconnected) => *self = Source::Ended,
                Err(RecvTimeoutError::Timeout) if is_interrupted() || last.elapsed() > PATIENCE => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(())
    }
}

/// Reads a pipe to its end.
fn send(path: &PathBuf, to: &SyncSender<io::Result<Vec<u8>>>) {
    let opened: io::Result<Box<dyn Read>> = match path.as_os_str() == "-" {
        true => Ok(Box::new(io::stdin())),
        false => File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let mut reader = match opened {
        Ok(reader) => reader,
        Err(error) => return drop(to.send(Err(error))),
    };
    loop {
        let mut chunk = vec![0; CHUNK];
        let sent = match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => {
                chunk.truncate(count);
                to.send(Ok(chunk))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return drop(to.send(Err(error))),
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Bytes split into lines.
#[derive(Default)]
pub(super) struct Splitter {
    partial: Vec<u8>,
    /// Whether the beginning of the line was dropped because it is too long.
    is_too_long: bool,
    /// Complete lines so far.
    count: usize,
}

/// A line without its end, or `None` if it is too long.
pub(super) type Line<'a> = Option<&'a [u8]>;

impl Splitter {
    /// Adds bytes and hands over each line that ends, with its number.
    pub(super) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(usize, Line<'_>)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (piece, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |line| (line, true));
            if self.partial.len() + piece.len() > most() {
                self.is_too_long = true;
                self.partial = Vec::new();
            }
            if ends && self.partial.is_empty() && !self.is_too_long {
                self.count += 1;
                each(self.count, Some(piece));
                continue;
            }
            if !self.is_too_long {
                self.partial.extend_from_slice(piece);
            }
            if ends {
                self.count += 1;
                each(self.count, (!self.is_too_long).then_some(&self.partial));
                self.partial.clear();
                self.is_too_long = false;
            }
        }
    }

    /// The line that has not ended, with its number.
    pub(super) fn partial(&self) -> Option<(usize, Line<'_>)> {
        let is_there = self.is_too_long || !self.partial.is_empty();
        is_there.then(|| (self.count + 1, (!self.is_too_long).then_some(self.partial.as_slice())))
    }
}

/// Maximum length of a line: a value in its longest form, and conditions.
pub(super) fn most() -> usize {
    limits::KEY_VALUE.get().saturating_mul(4).saturating_add(1 << 12)
}
