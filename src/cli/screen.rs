//! Standard output, through a pager if the output does not fit on the screen.

use super::{memory, progress};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Size of the output buffer.
const BLOCK: usize = 64 << 10;

/// Default pager, and its options in `LESS`: quit if the output fits, keep colours and the screen.
const PAGER: &str = "less";
const LESS_OPTIONS: &str = "FRX";

/// Settings of standard output.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Screen {
    /// Whether a pager may be used.
    pub(super) pages: bool,
    /// Also receives the output on a terminal.
    pub(super) kept: Option<&'static FirstOutput>,
    /// Whether the output stays in memory.
    pub(super) in_memory: bool,
}

/// The beginning of a run's output.
#[derive(Debug, Default)]
pub(super) struct FirstOutput(Mutex<Vec<u8>>);

impl FirstOutput {
    /// Maximum bytes kept, more than fit on a screen.
    const MOST: usize = 64 << 10;

    /// Takes the output and clears it.
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, bytes: Vec<u8>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let remaining = Self::MOST - kept.len();
        kept.extend_from_slice(bytes.get(..remaining).unwrap_or(bytes));
    }
}

/// Whether the reader of standard output has exited.
static CLOSED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Records that the reader of standard output has exited.
pub(super) fn close() {
    CLOSED.store(true, Ordering::Relaxed);
}

/// The heading of the next output, and whether there was one before.
static ANNOUNCED: Mutex<(Option<String>, bool)> = Mutex::new((None, false));

/// Announces the heading of the next output, which is printed only if something follows.
pub(super) fn announce(heading: String) {
    ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(heading);
}

/// The announced heading, with an empty line before a later one.
fn announced() -> Option<String> {
    let mut announced = ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner);
    let heading = announced.0.take()?;
    let is_later = std::mem::replace(&mut announced.1, true);
    Some(format!("{}{heading}\n", if is_later { "\n" } else { "" }))
}

/// A writer that begins with the announced heading.
struct Headed(Box<dyn Write + Send>);

impl Write for Headed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() {
            announced().map_or(Ok(()), |heading| self.0.write_all(heading.as_bytes()))?;
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Screen {
    /// Output that stays in memory, for a program that embeds the command.
    pub(super) fn in_memory() -> Screen {
        Screen { in_memory: true, ..Screen::default() }
    }

    /// Disables the pager.
    pub(super) fn without_pager(self) -> Screen {
        Screen { pages: false, ..self }
    }

    /// Opens a writer. With `waits`, because input may still grow, each line is flushed.
    pub(super) fn writer(self, waits: bool) -> Box<dyn Write + Send> {
        let to = self.plain_writer(waits);
        let is_headed = ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).0.is_some();
        if is_headed { Box::new(Headed(to)) } else { to }
    }

    fn plain_writer(self, waits: bool) -> Box<dyn Write + Send> {
        if self.in_memory {
            return Box::new(memory::Output);
        }
        let stdout = io::stdout();
        match (stdout.is_terminal(), waits) {
            (false, true) => Box::new(stdout),
            (false, false) => match file(&stdout) {
                Ok(file) => Box::new(BufWriter::with_capacity(BLOCK, file)),
                Err(_) => Box::new(BufWriter::with_capacity(BLOCK, stdout)),
            },
            (true, waits) => {
                let terminal = Terminal { stdout, kept: self.kept };
                match (pager().filter(|_| self.pages && !waits), rows()) {
                    (Some(pager), Some(rows)) => Box::new(Paged::new(terminal, pager, rows)),
                    _ if waits => Box::new(terminal),
                    _ => Box::new(BufWriter::with_capacity(BLOCK, terminal)),
                }
            }
        }
    }
}

/// Standard output as a file, without line buffering.
fn file(stdout: &Stdout) -> io::Result<File> {
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(stdout).try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(stdout).try_clone_to_owned().map(File::from);
    #[cfg(not(any(unix, windows)))]
    Err(io::ErrorKind::Unsupported.into())
}

/// Pager program and arguments; `None` if disabled.
fn pager() -> Option<Vec<String>> {
    let named = std::env::var("PAGER").unwrap_or_else(|_| PAGER.to_owned());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    command_of(&named, is_dumb)
}

/// The words of a pager's command line. `cat` does not page, and a dumb terminal cannot.
fn command_of(named: &str, is_dumb: bool) -> Option<Vec<String>> {
    let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty() && words != ["cat"] && !is_dumb).then_some(words)
}

/// Height and width of the terminal.
pub(super) fn rows() -> Option<(usize, usize)> {
    let (width, height) = terminal_size::terminal_size_of(io::stdout())?;
    Some((usize::from(height.0), usize::from(width.0)))
}

/// A terminal. The progress bar is removed before output.
struct Terminal {
    stdout: Stdout,
    kept: Option<&'static FirstOutput>,
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::hide();
        let written = self.stdout.write(bytes)?;
        if let Some(kept) = self.kept {
            kept.add(bytes.get(..written).unwrap_or(bytes));
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

/// Buffers output until it exceeds the screen, then starts the pager.
struct Paged<W: Write> {
    to: W,
    pager: Vec<String>,
    /// Height and width of the screen.
    size: (usize, usize),
    kept: Vec<u8>,
    lines: Lines,
    state: State,
}

enum State {
    Fits,
    Paging(Child, ChildStdin),
    /// Output is complete, or the pager could not be started.
    Printing,
}

impl<W: Write> Paged<W> {
    fn new(to: W, pager: Vec<String>, size: (usize, usize)) -> Paged<W> {
        Paged { to, pager, size, kept: Vec::new(), lines: Lines::default(), state: State::Fits }
    }

    /// Starts the pager, or prints if that fails.
    fn overflow(&mut self) -> io::Result<()> {
        progress::hide();
        match start(&self.pager) {
            Some((child, mut stdin)) => {
                let passed_on = stdin.write_all(&self.kept);
                self.state = State::Paging(child, stdin);
                self.kept = Vec::new();
                passed_on
            }
            None => self.print(),
        }
    }

    fn print(&mut self) -> io::Result<()> {
        self.state = State::Printing;
        self.to.write_all(&std::mem::take(&mut self.kept))
    }
}

fn start(pager: &[String]) -> Option<(Child, ChildStdin)> {
    let (program, arguments) = pager.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS_OPTIONS);
    }
    let mut child = command.spawn().ok()?;
    let stdin = child.stdin.take()?;
    Some((child, stdin))
}

/// Estimates the number of screen lines. Zero-width characters are counted: too high an estimate only starts the pager early, and
/// `less -F` then quits.
#[derive(Default)]
struct Lines {
    count: usize,
    /// Bytes of the incomplete line.
    begun: usize,
}

impl Lines {
    fn add(&mut self, text: &[u8], columns: usize) {
        for piece in text.split_inclusive(|byte| *byte == b'\n') {
            self.begun += piece.len();
            if piece.ends_with(b"\n") {
                self.count += 1 + self.begun.saturating_sub(2) / columns.max(1);
                self.begun = 0;
            }
        }
    }
}

impl<W: Write> Write for Paged<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Paging(_, stdin) => return stdin.write(bytes),
            State::Printing => return self.to.write(bytes),
            State::Fits => {}
        }
        let (height, columns) = self.size;
        self.kept.extend_from_slice(bytes);
        self.lines.add(bytes, columns);
        // One line is reserved for the shell prompt.
        if self.lines.count >= height {
            self.overflow()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Fits => self.print(),
            State::Paging(_, stdin) => stdin.flush(),
            State::Printing => Ok(()),
        }?;
        self.to.flush()
    }
}

impl<W: Write> Drop for Paged<W> {
    fn drop(&mut self) {
        // Write errors cannot be reported here.
        let _ = self.flush();
        if let State::Paging(mut child, stdin) = std::mem::replace(&mut self.state, State::Printing) {
            drop(stdin);
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn lines(text: &[u8], columns: usize) -> usize {
        let mut lines = Lines::default();
        text.iter().for_each(|byte| lines.add(&[*byte], columns));
        lines.count
    }

    /// Bytes printed and bytes passed to the pager for `count` lines on a screen of 10.
    fn paged(count: usize, pager: &str, got: &Path) -> (usize, Option<usize>) {
        let mut out = Vec::new();
        let pager = pager.replace("FILE", got.to_str().unwrap());
        let mut paged = Paged::new(&mut out, vec!["sh".into(), "-c".into(), pager], (10, 80));
        for number in 0..count {
            writeln!(paged, "line {number}").unwrap();
        }
        drop(paged);
        let read = std::fs::read(got).ok().map(|text| lines(&text, 80));
        let _ = std::fs::remove_file(got);
        (lines(&out, 80), read)
    }

    #[test]
    fn output_longer_than_the_screen_is_paged() {
        let got = std::env::temp_dir().join(format!("proto-dissect-paged-{}", std::process::id()));
        assert_eq!(paged(9, "cat > FILE", &got), (9, None));
        assert_eq!(paged(10, "cat > FILE", &got), (0, Some(10)));
        assert_eq!(paged(5000, "cat > FILE", &got), (0, Some(5000)));
    }

    #[test]
    fn an_empty_command_and_cat_page_nothing() {
        let words = |named| command_of(named, false);
        assert_eq!(words("less -R"), Some(vec!["less".to_owned(), "-R".to_owned()]));
        assert_eq!((words(""), words("  "), words("cat")), (None, None, None));
        assert!(words("cat -n").is_some() && words("cathode").is_some());
        assert_eq!((command_of("less", true), command_of("cat", true)), (None, None));
    }

    #[test]
    fn without_a_pager_everything_is_printed() {
        let mut out = Vec::new();
        let mut paged = Paged::new(&mut out, vec!["/nowhere/pager".into()], (2, 80));
        paged.write_all(b"a\nb\nc\n").unwrap();
        drop(paged);
        assert_eq!(out, b"a\nb\nc\n");
    }

    #[test]
    fn a_pager_that_is_left_early_closes_the_pipe() {
        let mut paged = Paged::new(Vec::new(), vec!["true".into()], (2, 80));
        let end = (0..100_000).find_map(|_| paged.write_all(b"line\n").err());
        assert_eq!(end.unwrap().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn long_lines_take_several() {
        assert_eq!(lines(b"", 10), 0);
        assert_eq!(lines(b"0123456789\n", 10), 1);
        assert_eq!(lines(b"0123456789a\n", 10), 2);
        assert_eq!(lines(b"012345678\n\n", 10), 2);
    }
}
