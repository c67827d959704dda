//! The results of a command line, as text.

use crate::common::program;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A file or directory that a command line may write: `FILE` and `FOLDER` there.
struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        let name = format!("options-{}-{:?}", std::process::id(), std::thread::current().id());
        let place = Place(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        let _ = fs::remove_dir_all(&place.0);
        fs::create_dir(&place.0).unwrap();
        place
    }

    fn file(&self) -> String {
        self.0.join("file.pcapng").display().to_string()
    }

    fn folder(&self) -> String {
        self.0.join("folder").display().to_string()
    }

    /// The written files, by name and size.
    fn written(&self) -> String {
        let files = |folder: &Path| fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        let mut all: Vec<PathBuf> = files(&self.0);
        all.extend::<Vec<PathBuf>>(files(&self.0.join("folder")));
        all.retain(|path| path.is_file());
        all.sort();
        let line = |path: &PathBuf| {
            let size = fs::metadata(path).unwrap().len();
            format!("[written: {}, {size} bytes]\n", path.file_name().unwrap().display())
        };
        all.iter().map(line).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The words of a command line; `'` quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let mut words = vec![String::new()];
    for (place, part) in parts {
        if place % 2 == 1 {
            words.last_mut().unwrap().push_str(part);
            continue;
        }
        let mut blanks = part.split(' ');
        words.last_mut().unwrap().push_str(blanks.next().unwrap());
        words.extend(blanks.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs a command line with this standard input. Returns its output, its files, and its exit code.
pub fn transcript(line: &str, input: &[u8]) -> String {
    let (code, shown) = run(line, input);
    format!("{shown}[exit {code}]\n")
}

/// Runs a command line: its exit code, its output and its files.
pub fn run(line: &str, input: &[u8]) -> (i32, String) {
    let place = Place::new();
    let arguments = words(line).into_iter().map(|word| match word.as_str() {
        "FILE" => place.file(),
        "FOLDER" => place.folder(),
        _ => match word.strip_suffix(",FOLDER") {
            Some(name) => format!("{name},{}", place.folder()),
            None => word,
        },
    });
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that ends early does not read all input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let done = child.wait_with_output().unwrap();
    let mut shown = as_text(&done.stdout);
    for line in String::from_utf8(done.stderr).unwrap().lines() {
        let _ = writeln!(shown, "[stderr] {line}");
    }
    shown += &place.written();
    let named = [(place.file(), "FILE"), (place.folder(), "FOLDER"), (env!("CARGO_PKG_VERSION").into(), "VERSION")];
    let shown = named.iter().fold(shown, |shown, (from, to)| shown.replace(from, to));
    (done.status.code().unwrap_or(-1), shown)
}

/// Text unchanged, with escapes spelled out; other bytes in hexadecimal.
fn as_text(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.replace('\x1b', "<ESC>"),
        Err(_) => {
            let line =
                |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x} ")).collect::<String>().trim_end().to_owned() + "\n";
            bytes.chunks(32).map(line).collect()
        }
    }
}
