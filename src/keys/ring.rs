//! The keys of all files, and which conversation each of them serves.

use super::KeyError;
use super::conditions::{Pattern, nanos};
use super::growth::{Line, Source, Splitter, most};
use super::index::Index;
use super::line::{self, Entry};
use super::watch::{Request, Tried, Watch};
use crate::failure::Words;
use crate::limits;
use crate::tree::{StreamId, Time};
use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Keys of all files, shared by all conversations.
#[derive(Default)]
pub struct KeyRing {
    files: Vec<KeyFile>,
    generation: AtomicU64,
    in_use: AtomicBool,
    /// Requests of conversations, if they are recorded.
    watch: Option<Mutex<Watch>>,
}

/// The conversation that needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Its number.
    pub stream: StreamId,
    /// Client and server, if it has addresses.
    pub ends: Option<[SocketAddr; 2]>,
    /// The time of its first captured frame.
    pub first: Time,
}

/// A key and where it stands.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    /// The value, a secret.
    pub value: Arc<[u8]>,
    /// The line, from 1; 0 for an option of the command line.
    pub line: usize,
    /// The file, or the option.
    pub file: Arc<Path>,
}

/// The place, such as `keys.txt:7`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(&self.file, self.line, f)
    }
}

/// The place without the value.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// A line that served no conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unserved {
    /// The file, or the option.
    pub file: Arc<Path>,
    /// The line, from 1; 0 for an option of the command line.
    pub line: usize,
    /// The protocol that the line names.
    pub protocol: Arc<str>,
    /// The key that the line names.
    pub name: Arc<str>,
}

/// The place, such as `keys.txt:7`.
impl fmt::Display for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(&self.file, self.line, f)
    }
}

fn place(file: &Path, line: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match line {
        0 => write!(f, "{}", file.display()),
        _ => write!(f, "{}:{line}", file.display()),
    }
}

/// The number of files, without their content.
impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRing({} files)", self.files.len())
    }
}

struct KeyFile {
    path: Arc<Path>,
    growing: Mutex<Growing>,
    lines: RwLock<Lines>,
}

/// How far a file was read.
struct Growing {
    source: Source,
    splitter: Splitter,
    /// Bytes read.
    bytes: usize,
}

/// The parsed lines of a file.
#[derive(Default)]
struct Lines {
    /// By protocol and name.
    indexes: HashMap<Arc<str>, HashMap<Arc<str>, Index>>,
    parsed: Vec<Parsed>,
    /// The last line if it lacked its end at the beginning: if the file grows, it is read again.
    tail: Option<Box<Lines>>,
    /// Errors of lines that were added while the file was in use.
    errors: Vec<KeyError>,
}

/// The lines of a file to which some are added.
struct News<'a> {
    lines: RwLockWriteGuard<'a, Lines>,
    before: usize,
}

impl<'a> News<'a> {
    fn of(file: &'a KeyFile) -> News<'a> {
        let lines = file.lines.write().unwrap_or_else(PoisonError::into_inner);
        News { before: lines.parsed.len(), lines }
    }

    /// Drops all lines: the file was written anew.
    fn restart(&mut self) {
        *self.lines = Lines { errors: std::mem::take(&mut self.lines.errors), ..Lines::default() };
        self.before = 0;
    }
}

struct Parsed {
    protocol: Arc<str>,
    name: Arc<str>,
    value: Arc<[u8]>,
    line: usize,
    served: AtomicBool,
}

/// Errors of a growing file that are kept.
const ERRORS: usize = 16;

impl KeyRing {
    /// Opens key files and reads what they have; of several files, the last that matches counts. `-` is standard input. A pipe is
    /// waited for as long as it sends; `is_interrupted` ends the wait.
    ///
    /// # Errors
    /// The first file that cannot be read, or the first line that does not parse.
    pub fn open(paths: &[PathBuf], is_interrupted: &dyn Fn() -> bool) -> Result<KeyRing, KeyError> {
        let files = paths.iter().map(|path| KeyFile::open(path, is_interrupted)).collect::<Result<_, _>>()?;
        Ok(KeyRing { files, ..KeyRing::default() })
    }

    /// Reads lines from text instead of a file.
    ///
    /// # Errors
    /// The first line that does not parse.
    pub fn parse(name: &Path, text: &[u8]) -> Result<KeyRing, KeyError> {
        let mut file = KeyFile { path: name.into(), growing: Mutex::new(Growing::new(Source::Ended)), lines: RwLock::default() };
        file.begin(|push| {
            push(text);
            Ok(())
        })?;
        Ok(KeyRing { files: vec![file], ..KeyRing::default() })
    }

    /// Adds a value of the command line, which counts before all files. `option` is its place in messages.
    pub fn add(&mut self, option: &str, protocol: &str, name: &str, value: Vec<u8>) {
        let mut lines = Lines::default();
        let entry = Entry { protocol: protocol.into(), name: name.into(), value: value.into(), conditions: <_>::default() };
        lines.add(0, entry);
        let growing = Mutex::new(Growing::new(Source::Ended));
        self.files.push(KeyFile { path: Path::new(option).into(), growing, lines: RwLock::new(lines) });
    }

    /// Whether there is no file and no value, and nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.watch.is_none()
    }

    /// Checks the values of all lines: protocol, name and value.
    ///
    /// # Errors
    /// The first line whose value is refused.
    pub fn check(&self, check: impl Fn(&str, &str, &[u8]) -> Result<(), String>) -> Result<(), KeyError> {
        self.files.iter().try_for_each(|file| {
            file.lines().all().try_for_each(|parsed| {
                let wrong = |message| KeyError { file: Arc::clone(&file.path), line: Some(parsed.line), message };
                check(&parsed.protocol, &parsed.name, &parsed.value).map_err(wrong)
            })
        })
    }

    /// Records that conversations are dissected, which may ask for keys.
    pub fn put_in_use(&self) {
        self.in_use.store(true, Ordering::Relaxed);
    }

    /// Whether conversations are dissected.
    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Ordering::Relaxed)
    }

    /// The last line that matches. It has then served something. If none matches, files that have grown are read first.
    pub fn find(&self, protocol: &str, name: &str, owner: &Owner) -> Option<Key> {
        let found = self.known(protocol, name, owner);
        let found = found.or_else(|| if self.grow() { self.known(protocol, name, owner) } else { None });
        match self.watch() {
            Some(mut watch) => watch.asked(protocol, name, owner, found),
            None => found,
        }
    }

    /// Records from now on what conversations ask for.
    pub fn record(&mut self) {
        self.watch = Some(Mutex::default());
    }

    /// Whether requests are recorded.
    pub fn is_recording(&self) -> bool {
        self.watch.is_some()
    }

    /// Records whether the key that a conversation got fits it: its bytes make sense, or they do not.
    pub fn judge(&self, protocol: &str, name: &str, stream: StreamId, fits: bool) {
        if let Some(mut watch) = self.watch() {
            watch.judged(protocol, name, stream, fits);
        }
    }

    /// Takes the recorded requests. The next ones are served by `tried` instead of lines, if there is one.
    pub fn restart(&self, tried: Option<Tried>) -> Vec<Request> {
        self.watch().map(|mut watch| watch.restart(tried)).unwrap_or_default()
    }

    /// Whether keys of this name are known to fit, as recorded.
    pub fn verdict(&self, protocol: &str, name: &str) -> Option<bool> {
        let watch = self.watch()?;
        let mut own = watch.requests().iter().filter(|request| request.protocol == protocol && request.name == name);
        own.find_map(|request| request.fits)
    }

    fn watch(&self) -> Option<MutexGuard<'_, Watch>> {
        self.watch.as_ref().map(|watch| watch.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A counter that changes when lines were added. Files that have grown are read first.
    pub fn generation(&self) -> u64 {
        self.grow();
        self.generation.load(Ordering::Acquire)
    }

    /// Lines that served nothing, in the order of files and lines.
    pub fn unserved(&self) -> Vec<Unserved> {
        let mut unserved = Vec::new();
        for file in &self.files {
            let lines = file.lines();
            let of_file = lines.all().filter(|parsed| !parsed.served.load(Ordering::Relaxed));
            unserved.extend(of_file.map(|parsed| Unserved {
                file: Arc::clone(&file.path),
                line: parsed.line,
                protocol: Arc::clone(&parsed.protocol),
                name: Arc::clone(&parsed.name),
            }));
        }
        unserved
    }

    /// Errors of lines that were added while the files were in use.
    pub fn errors(&self) -> Vec<KeyError> {
        self.files.iter().flat_map(|file| file.lines().errors.clone()).collect()
    }

    /// Pipes that have not ended.
    pub fn open_pipes(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().filter(|file| file.growing().source.is_open_pipe()).map(|file| &*file.path)
    }

    /// The last line that matches, without looking for new ones.
    fn known(&self, protocol: &str, name: &str, owner: &Owner) -> Option<Key> {
        self.files.iter().rev().find_map(|file| {
            let lines = file.lines();
            let found = lines.find(protocol, name, owner)?;
            found.served.store(true, Ordering::Relaxed);
            Some(Key { value: Arc::clone(&found.value), line: found.line, file: Arc::clone(&file.path) })
        })
    }

    /// Reads what was added to files. Returns whether there are new lines.
    fn grow(&self) -> bool {
        let grown = self.files.iter().filter(|file| file.grow()).count() > 0;
        if grown {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        grown
    }
}

impl KeyFile {
    fn open(path: &Path, is_interrupted: &dyn Fn() -> bool) -> Result<KeyFile, KeyError> {
        let path: Arc<Path> = path.into();
        let unreadable = |error| unreadable(&path, &error);
        let mut source = Source::open(&path).map_err(unreadable)?;
        let mut file =
            KeyFile { path: Arc::clone(&path), growing: Mutex::new(Growing::new(Source::Ended)), lines: RwLock::default() };
        file.begin(|push| {
            source.poll(&mut *push).map_err(unreadable)?;
            source.wait(is_interrupted, push).map_err(unreadable)
        })?;
        file.growing.get_mut().unwrap_or_else(PoisonError::into_inner).source = source;
        Ok(file)
    }

    /// Reads what is there at the beginning; a last line may lack its end.
    fn begin(&mut self, read: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), KeyError>) -> Result<(), KeyError> {
        let growing = self.growing.get_mut().unwrap_or_else(PoisonError::into_inner);
        let lines = self.lines.get_mut().unwrap_or_else(PoisonError::into_inner);
        read(&mut |bytes| growing.push(bytes, &self.path, lines))?;
        if let Some((number, line)) = growing.splitter.partial() {
            let mut tail = Box::<Lines>::default();
            tail.read(&self.path, number, line);
            lines.errors.append(&mut tail.errors);
            lines.tail = Some(tail);
        }
        match lines.errors.first() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Reads what was added. Returns whether there are new lines.
    fn grow(&self) -> bool {
        let growing = &mut *self.growing();
        let mut source = std::mem::replace(&mut growing.source, Source::Ended);
        if matches!(source, Source::Ended) {
            return false;
        }
        // Locked for news only: other threads look up keys meanwhile.
        let mut news: Option<News<'_>> = None;
        let restarts = source.restarts();
        if matches!(restarts, Ok(true)) {
            (growing.splitter, growing.bytes) = (Splitter::default(), 0);
            news.get_or_insert_with(|| News::of(self)).restart();
        }
        let read = restarts.and_then(|_| {
            source.poll(|bytes| {
                let news = news.get_or_insert_with(|| News::of(self));
                news.lines.tail = None;
                growing.push(bytes, &self.path, &mut news.lines);
            })
        });
        if let Err(error) = read {
            news.get_or_insert_with(|| News::of(self)).lines.fail(unreadable(&self.path, &error));
            source = Source::Ended;
        } else if matches!(source, Source::Ended)
            && let Some((number, line)) = growing.splitter.partial()
        {
            news.get_or_insert_with(|| News::of(self)).lines.read(&self.path, number, line);
        }
        growing.source = source;
        news.is_some_and(|news| news.lines.parsed.len() > news.before)
    }

    fn growing(&self) -> MutexGuard<'_, Growing> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&self) -> RwLockReadGuard<'_, Lines> {
        self.lines.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Growing {
    fn new(source: Source) -> Growing {
        Growing { source, splitter: Splitter::default(), bytes: 0 }
    }

    fn push(&mut self, bytes: &[u8], path: &Arc<Path>, lines: &mut Lines) {
        let room = limits::KEY_FILE.get().saturating_sub(self.bytes);
        self.bytes = self.bytes.saturating_add(bytes.len());
        let bytes = bytes.get(..room).unwrap_or(bytes);
        self.splitter.push(bytes, |number, line| lines.read(path, number, line));
        if self.bytes > limits::KEY_FILE.get() {
            let message = format!("the file has more than {} bytes (--limit keys.file)", limits::KEY_FILE.get());
            lines.fail(KeyError { file: Arc::clone(path), line: None, message });
        }
    }
}

impl Lines {
    /// All lines in their order.
    fn all(&self) -> impl Iterator<Item = &Parsed> {
        self.parsed.iter().chain(self.tail.iter().flat_map(|tail| &tail.parsed))
    }

    /// Parses a line.
    fn read(&mut self, path: &Arc<Path>, number: usize, line: Line<'_>) {
        let bytes = line.map(|line| if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line });
        let parsed = match bytes {
            Some(bytes) => line::parse(bytes),
            None => Err(format!("the line has more than {} bytes", most())),
        };
        match parsed {
            Ok(None) => {}
            Ok(Some(_)) if !limits::KEY_LINES.exceeds(self.parsed.len()) => {
                let message = format!("the file has more than {} keys (--limit keys.lines)", limits::KEY_LINES.get());
                self.fail(KeyError { file: Arc::clone(path), line: Some(number), message });
            }
            Ok(Some(entry)) => self.add(number, entry),
            Err(message) => self.fail(KeyError { file: Arc::clone(path), line: Some(number), message }),
        }
    }

    fn add(&mut self, line: usize, Entry { protocol, name, value, conditions }: Entry) {
        let Ok(at) = u32::try_from(self.parsed.len()) else { return };
        let protocol = self.indexes.get_key_value(&*protocol).map_or_else(|| protocol.into(), |(known, _)| Arc::clone(known));
        let names = self.indexes.entry(Arc::clone(&protocol)).or_default();
        let name = names.get_key_value(&*name).map_or_else(|| name.into(), |(known, _)| Arc::clone(known));
        names.entry(Arc::clone(&name)).or_default().add(&conditions, at);
        self.parsed.push(Parsed { protocol, name, value, line, served: AtomicBool::new(false) });
    }

    /// Keeps an error, once and up to a number.
    fn fail(&mut self, error: KeyError) {
        if self.errors.len() < ERRORS && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// The last line that matches.
    fn find(&self, protocol: &str, name: &str, owner: &Owner) -> Option<&Parsed> {
        if let Some(found) = self.tail.as_ref().and_then(|tail| tail.find(protocol, name, owner)) {
            return Some(found);
        }
        let index = self.indexes.get(protocol)?.get(name)?;
        let line = index.last(Pattern::of(owner), owner.first.map(nanos))?;
        self.parsed.get(line as usize)
    }
}

fn unreadable(path: &Arc<Path>, error: &std::io::Error) -> KeyError {
    KeyError { file: Arc::clone(path), line: None, message: format!("cannot be read: {}", Words(error)) }
}
