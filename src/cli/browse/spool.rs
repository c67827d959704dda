//! Keeps a pipe in a temporary file, so that it can be read again.

use crate::failure::Words;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// Maximum number of file names to try.
const ATTEMPTS: u32 = 64;

/// Interval at which a waiting reader checks for signals.
const PATIENCE: Duration = Duration::from_millis(100);

/// An input and its temporary file.
pub(in crate::cli) struct Spool {
    name: String,
    kept: Mutex<SpoolFile>,
    grown: Condvar,
}

struct SpoolFile {
    file: File,
    length: u64,
    /// Whether the end is reached, and the error if any.
    end: Option<Option<String>>,
}

impl Spool {
    /// Reads an input in a separate thread. The file is unlinked, so it is freed with the process.
    pub(super) fn begin(name: String, input: Box<dyn Read + Send>) -> io::Result<Arc<Spool>> {
        let kept = SpoolFile { file: temporary()?, length: 0, end: None };
        let spool = Arc::new(Spool { name, kept: Mutex::new(kept), grown: Condvar::new() });
        let filled = Arc::clone(&spool);
        std::thread::Builder::new().spawn(move || {
            let end = filled.fill(input).err().map(|error| Words(&error).to_string());
            filled.kept().end = Some(end);
            filled.grown.notify_all();
        })?;
        Ok(spool)
    }

    /// Name of the input.
    pub(in crate::cli) fn name(&self) -> String {
        self.name.clone()
    }

    /// A reader from the start, which waits for bytes that have not arrived.
    pub(in crate::cli) fn reader(self: &Arc<Self>) -> Box<dyn Read + Send> {
        Box::new(SpoolReader { spool: Arc::clone(self), at: 0 })
    }

    fn kept(&self) -> MutexGuard<'_, SpoolFile> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(&self, mut input: Box<dyn Read + Send>) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = input.read(&mut chunk)?;
            let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
            let mut kept = self.kept();
            let length = kept.length;
            kept.file.seek(SeekFrom::Start(length))?;
            kept.file.write_all(bytes)?;
            kept.length += bytes.len() as u64;
            self.grown.notify_all();
        }
    }
}

struct SpoolReader {
    spool: Arc<Spool>,
    at: u64,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut kept = self.spool.kept();
        while kept.length <= self.at && kept.end.is_none() && !super::interrupt::is_requested() {
            (kept, _) = self.spool.grown.wait_timeout(kept, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        }
        let left = usize::try_from(kept.length.saturating_sub(self.at)).unwrap_or(usize::MAX);
        if let (0, Some(Some(error))) = (left, &kept.end) {
            return Err(io::Error::other(error.clone()));
        }
        let count = buffer.len().min(left);
        let Some(buffer) = buffer.get_mut(..count) else { return Ok(0) };
        kept.file.seek(SeekFrom::Start(self.at))?;
        let count = kept.file.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Creates an unlinked file.
fn temporary() -> io::Result<File> {
    let folder = std::env::temp_dir();
    let mut number = 0;
    loop {
        let path = folder.join(format!("proto-dissect-{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => {
                // Systems that cannot remove an open file keep it in the temporary directory.
                let _ = fs::remove_file(&path);
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < ATTEMPTS => number += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_input_is_reread_from_the_start() {
        let (reader, mut writer) = io::pipe().unwrap();
        let spool = Spool::begin("-".to_owned(), Box::new(reader)).unwrap();
        let (mut one, mut other) = (spool.reader(), spool.reader());
        writer.write_all(b"abc").unwrap();
        let mut read = [0; 3];
        one.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"abc");
        writer.write_all(b"def").unwrap();
        drop(writer);
        let mut rest = String::new();
        one.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "def");
        let mut all = String::new();
        other.read_to_string(&mut all).unwrap();
        assert_eq!(all, "abcdef");
    }

    #[test]
    fn an_input_that_fails_is_read_up_to_its_error() {
        struct Failing(bool);
        impl Read for Failing {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::other("gone"));
                }
                buffer[0] = b'a';
                Ok(1)
            }
        }
        let spool = Spool::begin("-".to_owned(), Box::new(Failing(false))).unwrap();
        let mut all = Vec::new();
        assert_eq!(spool.reader().read_to_end(&mut all).unwrap_err().to_string(), "gone");
        assert_eq!(all, b"a");
    }
}
