//! `--watch`: the program runs while its files are edited.
#![cfg(unix)]

use crate::common::{Folder, apart, binary, program, run};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A file with one field of this name.
fn ksy(field: &str) -> String {
    format!("meta: {{id: edited, endian: le}}\nseq: [{{id: {field}, type: u2}}]\n")
}

/// A running program, and its output.
struct Running {
    child: Child,
    out: Arc<Mutex<String>>,
    err: Arc<Mutex<String>>,
}

impl Running {
    fn start(command: &mut Command) -> Running {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = gather(child.stdout.take().unwrap());
        let err = gather(child.stderr.take().unwrap());
        Running { child, out, err }
    }

    /// Waits until the output passes a test, and takes it. The time limit is far beyond the need of a busy machine.
    fn until(&self, what: &Mutex<String>, test: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let mut text = what.lock().unwrap();
            if test(&text) {
                return std::mem::take(&mut *text);
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{text}\n{}", self.err.lock().unwrap());
            drop(text);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The next run that prints this.
    fn shows(&self, what: &str) -> String {
        self.until(&self.out, |text| text.contains(what))
    }

    fn interrupt(mut self) -> (Option<i32>, String) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        (code, self.err.lock().unwrap().clone())
    }
}

/// A failed test leaves no process behind.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn gather(mut from: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let to = Arc::clone(&text);
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            to.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    text
}

/// Replaces a file like many editors do: by renaming another one.
fn replace(path: &Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(&new, path).unwrap();
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_edited_file_and_an_edited_input_are_read_again() {
    let folder = Folder::new("watch-print");
    let (file, input) = (folder.file("a.ksy"), folder.file("bytes.hex"));
    fs::write(&file, ksy("first")).unwrap();
    fs::write(&input, "01 00").unwrap();
    let running = Running::start(program().args(["--watch", "-k", text(&file), "--json", text(&input)]));
    let out = running.shows("\"end\"");
    assert!(out.contains("edited.first") && out.starts_with("{\"type\":\"begin\"") && !out.contains('\x1b'), "{out}");
    replace(&file, &ksy("second"));
    assert!(running.shows("\"end\"").contains("edited.second"));
    fs::write(&input, "02 01").unwrap();
    assert!(running.shows("\"end\"").contains("\"value\":258"));
    // A file with errors leaves standard output empty, and the program continues.
    replace(&file, "meta: {id: edited}\nseq: [{id: third, type: u9}]\n");
    let wrong = running.until(&running.err, |text| text.contains("u9") && text.ends_with("did you mean `u1`?\n"));
    assert!(wrong.contains("a.ksy:2"), "{wrong}");
    replace(&file, &ksy("third"));
    assert!(running.shows("\"end\"").contains("edited.third"));
    let (code, err) = running.interrupt();
    assert_eq!((code, err.as_str()), (Some(130), ""));
}

#[test]
fn files_of_a_folder_and_imported_files_are_read_again() {
    let folder = Folder::new("watch-import");
    let (file, part) = (folder.file("a.ksy"), folder.file("part.ksy"));
    fs::write(&file, "meta: {id: edited, imports: [part]}\nseq: [{id: whole, type: part}]\n").unwrap();
    fs::write(&part, "meta: {id: part}\nseq: [{id: one, type: u1}]\n").unwrap();
    let running = Running::start(program().args(["--watch", "-k", text(&file), "fields", "edited"]));
    running.shows("edited.whole.one");
    replace(&part, "meta: {id: part}\nseq: [{id: two, type: u1}]\n");
    running.shows("edited.whole.two");
    let named = Running::start(program().args(["protocols", "--watch", "-k", text(folder.path())]));
    named.shows("edited");
    fs::write(folder.file("new.ksy"), ksy("x").replace("edited", "one_more")).unwrap();
    named.shows("one_more");
}

#[test]
fn statistics_lists_conversations_and_checks_run_again() {
    let folder = Folder::new("watch-tasks");
    let (file, capture) = (folder.file("a.ksy"), folder.file("a.pcap"));
    fs::write(&file, ksy("first")).unwrap();
    fs::copy("samples/talk.pcap", &capture).unwrap();
    let capture_path = text(&capture).to_owned();
    let tasks: [&[&str]; 4] = [
        &["stats", "--watch", &capture_path],
        &["-l", "--watch", &capture_path],
        &["follow", "--watch", &capture_path],
        &["ksy", "check", "--watch", text(&file)],
    ];
    let running: Vec<Running> = tasks.iter().map(|task| Running::start(program().args(*task))).collect();
    // A list may arrive in pieces: it is complete when the next one begins.
    let first: Vec<String> = running.iter().map(|running| running.shows("\n")).collect();
    replace(&file, "meta: {id: edited}\nseq: [{id: wrong, type: u9}]\n");
    fs::copy("samples/http.pcap", &capture).unwrap();
    for (running, (first, now)) in running.iter().zip(first.iter().zip(["203.0.113.80", "HTTP", "203.0.113.80", "u9"])) {
        assert!(!first.contains(now), "{first}");
        running.shows(now);
    }
}

#[test]
fn inputs_that_cannot_change_are_refused() {
    for (arguments, reason) in [
        (["--watch", "-"].as_slice(), "standard input can be read only once"),
        (&["--watch", "-l"], "standard input can be read only once"),
        (&["--watch", "--hex", "00"], "nothing to watch"),
        (&["protocols", "--watch"], "nothing to watch"),
        (&["man", "--watch"], "reads no files"),
    ] {
        let done = run(arguments);
        assert!(done.code == 2 && done.out.is_empty() && done.err.contains(reason), "{arguments:?}: {done:?}");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_program() {
    let folder = Folder::new("watch-pipe");
    let file = folder.file("bytes.hex");
    fs::write(&file, "01").unwrap();
    let line = format!("{} --watch --as ip --json {} | head -1", binary(), text(&file));
    let mut child = apart(Command::new("sh")).args(["-c", &line]).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        fs::write(&file, format!("0{}", start.elapsed().as_millis() % 10)).unwrap();
        thread::sleep(Duration::from_millis(100));
        assert!(start.elapsed() < Duration::from_secs(60), "the program runs without a reader");
    }
}

/// On a terminal created by `script`, if available.
#[test]
fn a_terminal_is_cleared_and_keeps_the_last_good_output_below_an_error() {
    let folder = Folder::new("watch-screen");
    let file = folder.file("a.ksy");
    fs::write(&file, ksy("first")).unwrap();
    let line = format!("stty rows 24 cols 80; {} --watch -k {} --hex '01 00'", binary(), text(&file));
    let mut command = apart(Command::new("script"));
    command.args(["-qec", &line, "/dev/null"]).current_dir(env!("CARGO_MANIFEST_DIR")).env("TERM", "xterm-256color");
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("not run, because script is missing");
        return;
    }
    let mut running = Running::start(&mut command);
    let out = running.shows("Ctrl-C ends");
    assert!(out.contains("\x1b[2J") && out.contains("first"), "{out}");
    replace(&file, "meta: {id: edited}\nseq: [{id: second, type: u9}]\n");
    let out = running.shows("Ctrl-C ends");
    let (error, last) = out.split_once("last successful output").unwrap_or_else(|| panic!("{out}"));
    assert!(error.contains("\x1b[2J") && error.contains("u9") && last.contains("first"), "{out}");
    replace(&file, &ksy("third"));
    let out = running.shows("Ctrl-C ends");
    assert!(out.contains("third") && !out.contains("last successful output"), "{out}");
    // Ctrl-C as typed by a user.
    running.child.stdin.take().unwrap().write_all(b"\x03").unwrap();
    assert_eq!(running.child.wait().unwrap().code(), Some(130));
}
