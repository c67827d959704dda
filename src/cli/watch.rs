//! `--watch`: runs again when a file changes.
//!
//! Files are polled several times per second, by size, times and identity. Unlike file system notifications, this also finds files
//! that an editor replaces by renaming, and files on network drives.

use super::screen::{FirstOutput, Screen};
use super::{Exit, interrupt, print_error, screen};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Polling interval.
pub(super) const PERIOD: Duration = Duration::from_millis(200);
/// A change is complete if nothing changes for this time.
const SETTLED: Duration = Duration::from_millis(40);
/// Polls after which a constantly changing file is read anyway.
const RESTLESS: usize = 10;
/// Maximum number of files per directory.
const MOST: usize = 1 << 12;
/// Screen lines reserved for an error above the last successful output.
const ERROR_LINES: usize = 12;

/// Moves the cursor home and clears the screen and the scrollback.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

/// Runs `once`, and again after each change of a named or loaded file, until a signal.
///
/// `once` gets a screen without pager, and appends the files that it loaded. A terminal is cleared before each run. If a run fails
/// without output, the last successful output stays below the error.
pub(super) fn run(named: Vec<PathBuf>, mut once: impl FnMut(Screen, &mut Vec<PathBuf>) -> Exit) -> Exit {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let kept: Option<&'static FirstOutput> = (io::stdout().is_terminal() && !is_dumb).then(|| &*Box::leak(Box::default()));
    let screen = Screen { kept, ..Screen::default() };
    let mut files = Files::new(named);
    loop {
        let last = kept.map(FirstOutput::take);
        if kept.is_some() {
            print(CLEAR);
        }
        let mut read = Vec::new();
        let exit = once(screen, &mut read);
        if interrupt::is_requested() || screen::is_closed() {
            return exit;
        }
        files.also(read);
        if let (Some(kept), Some(last)) = (kept, last) {
            if exit != Exit::Fine && kept.is_empty() {
                print(&below_an_error(&last));
                kept.set(last);
            }
            print_error(format_args!("watching {}; Ctrl-C ends", files.count()));
        }
        if !files.wait() {
            return exit;
        }
    }
}

/// Prints on the terminal.
fn print(text: &str) {
    // If the terminal is closed, a signal follows.
    let _ = write!(io::stdout(), "{text}").and_then(|()| io::stdout().flush());
}

/// The beginning of the last successful output, short enough for the error above to stay on the screen.
fn below_an_error(last: &[u8]) -> String {
    let rows = screen::rows().map_or(24, |(rows, _)| rows);
    let lines: Vec<String> =
        String::from_utf8_lossy(last).lines().take(rows.saturating_sub(ERROR_LINES).max(rows / 2)).map(str::to_owned).collect();
    if lines.is_empty() { String::new() } else { format!("\nlast successful output:\n{}\n", lines.join("\n")) }
}

/// Watched files.
#[derive(Debug)]
pub(super) struct Files {
    /// Files and directories; a directory includes its `.ksy` files.
    named: Vec<PathBuf>,
    /// Other files loaded by the last run.
    read: Vec<PathBuf>,
    known: BTreeMap<PathBuf, Option<Stamp>>,
}

impl Files {
    /// Records the current state. Missing files may be created later.
    pub(super) fn new(named: Vec<PathBuf>) -> Files {
        let mut files = Files { named, read: Vec::new(), known: BTreeMap::new() };
        files.known = files.now();
        files
    }

    /// Also watches these files, instead of those of the previous call. Changes during the run are still found.
    pub(super) fn also(&mut self, read: Vec<PathBuf>) {
        let is_named = |path: &PathBuf| self.named.iter().any(|named| path == named || path.parent() == Some(named));
        for path in self.read.iter().filter(|path| !read.contains(path) && !is_named(path)) {
            self.known.remove(path);
        }
        for path in &read {
            self.known.entry(path.clone()).or_insert_with_key(|path| Stamp::of_path(path));
        }
        self.read = read;
    }

    /// Waits for a change. Returns false after a signal.
    pub(super) fn wait(&mut self) -> bool {
        loop {
            interrupt::sleep(PERIOD);
            if interrupt::is_requested() {
                return false;
            }
            if self.has_changed() {
                return self.settle();
            }
        }
    }

    /// Waits until files stop changing.
    fn settle(&mut self) -> bool {
        for _ in 0..RESTLESS {
            interrupt::sleep(SETTLED);
            if interrupt::is_requested() || !self.has_changed() {
                break;
            }
        }
        !interrupt::is_requested()
    }

    /// Whether a file changed since the last call.
    pub(super) fn has_changed(&mut self) -> bool {
        let now = self.now();
        let has_changed = now != self.known;
        self.known = now;
        has_changed
    }

    fn now(&self) -> BTreeMap<PathBuf, Option<Stamp>> {
        let mut now = BTreeMap::new();
        for path in self.named.iter().chain(&self.read) {
            match fs::metadata(path) {
                Ok(about) if about.is_dir() => now.extend(files_in(path).map(|file| (file.clone(), Stamp::of_path(&file)))),
                about => drop(now.insert(path.clone(), about.ok().as_ref().map(Stamp::of))),
            }
        }
        now
    }

    /// Formats the number of files.
    fn count(&self) -> String {
        match self.known.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        }
    }
}

/// Lists the `.ksy` files of a directory.
fn files_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(MOST);
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.extension().is_some_and(|end| end == "ksy"))
}

/// Metadata that changes with the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    /// Device, inode and time of the last status change; zero on systems without inodes.
    identity: (u64, i64, i64),
}

impl Stamp {
    fn of_path(path: &Path) -> Option<Stamp> {
        fs::metadata(path).ok().as_ref().map(Stamp::of)
    }

    fn of(about: &Metadata) -> Stamp {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (about.ino(), about.ctime(), about.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = (0, 0, 0);
        Stamp { modified: about.modified().ok(), size: about.len(), identity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_replacing_and_removing_a_file_are_changes() {
        let folder = std::env::temp_dir().join(format!("proto-dissect-watch-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        let (file, other) = (folder.join("a.ksy"), folder.join("b.tmp"));
        fs::write(&file, "a").unwrap();
        let mut by_name = Files::new(vec![file.clone()]);
        let mut by_folder = Files::new(vec![folder.clone()]);
        let mut changed = || (by_name.has_changed(), by_folder.has_changed());
        assert_eq!(changed(), (false, false));
        fs::write(&file, "ab").unwrap();
        assert_eq!((changed(), changed()), ((true, true), (false, false)));
        // Another file is not watched until it is renamed.
        fs::write(&other, "cd").unwrap();
        assert_eq!(changed(), (false, false));
        fs::rename(&other, &file).unwrap();
        assert_eq!(changed(), (true, true));
        fs::write(folder.join("new.ksy"), "").unwrap();
        assert_eq!(changed(), (false, true));
        fs::remove_file(&file).unwrap();
        assert_eq!((changed(), changed()), ((true, true), (false, false)));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn changes_during_a_run_cause_another_run() {
        let file = std::env::temp_dir().join(format!("proto-dissect-watched-{}", std::process::id()));
        let mut files = Files::new(vec![file.clone()]);
        fs::write(&file, "a").unwrap();
        files.also(vec![file.with_extension("missing")]);
        assert!(files.has_changed() && !files.has_changed());
        assert_eq!(files.count(), "2 files");
        files.also(Vec::new());
        assert!(!files.has_changed());
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn files_created_or_deleted_during_a_run_cause_another_run() {
        let folder = std::env::temp_dir().join(format!("proto-dissect-watch-new-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        let mut files = Files::new(vec![folder.clone()]);
        fs::write(folder.join("new.ksy"), "a").unwrap();
        files.also(Vec::new());
        assert!(files.has_changed() && !files.has_changed());
        fs::remove_file(folder.join("new.ksy")).unwrap();
        files.also(Vec::new());
        assert!(files.has_changed() && !files.has_changed());
        fs::remove_dir_all(&folder).unwrap();
    }
}
