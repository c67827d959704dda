//! What a run must never do to files, to a terminal or to what it has printed so far.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may")]

mod common;

use common::{program, run, run_with};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;

const SAMPLE: &str = "samples/pipboy.pcap";

/// An empty folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("proto-dissect-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_input_on_standard_input_is_not_overwritten() {
    let folder = Folder::new("stdin");
    let file = folder.file("a.pcap");
    fs::copy(SAMPLE, &file).unwrap();
    let done = program().args(["-w", text(&file), "-"]).stdin(File::open(&file).unwrap()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(fs::read(&file).unwrap() == fs::read(SAMPLE).unwrap());
}

#[test]
fn an_input_is_not_overwritten_through_a_hard_link() {
    let folder = Folder::new("link");
    let (file, link) = (folder.file("a.pcap"), folder.file("b.pcap"));
    fs::copy(SAMPLE, &file).unwrap();
    fs::hard_link(&file, &link).unwrap();
    assert_eq!(run(&["-w", text(&link), text(&file)]).code, 2);
    assert!(fs::read(&file).unwrap() == fs::read(SAMPLE).unwrap());
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("full");
    let file = folder.file("a.pcapng");
    fs::write(&file, "old").unwrap();
    // A limit on the size of files stands for the full disk; without the signal a write fails as on one.
    let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let done = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_proto-dissect"), "-w", text(&file), SAMPLE])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(folder.names(), ["a.pcapng"]);
}

#[test]
fn a_file_that_is_replaced_keeps_its_permissions_and_the_links_to_it() {
    let folder = Folder::new("permissions");
    let (file, link) = (folder.file("a.pcapng"), folder.file("b.pcapng"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    let before = fs::metadata(&file).unwrap().ino();
    assert_eq!(run(&["-w", text(&link), SAMPLE]).code, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let about = fs::metadata(&file).unwrap();
    assert_eq!(about.mode() & 0o777, 0o640);
    assert!(about.len() > 1000);
    assert_ne!(about.ino(), before, "a complete file takes the place of the old one");
    assert_eq!(folder.names(), ["a.pcapng", "b.pcapng"]);
}

#[test]
fn follow_writes_new_files_only() {
    let folder = Folder::new("follow");
    let out = folder.file("out");
    let follow = || run(&["follow", SAMPLE, "--write-dir", text(&out)]);
    assert_eq!(follow().code, 0);
    let (first, second) = {
        let mut paths: Vec<PathBuf> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        (paths[0].clone(), paths[1].clone())
    };
    fs::write(&first, "mine").unwrap();
    let again = follow();
    assert_eq!(again.code, 1, "{}", again.err);
    assert_eq!(fs::read_to_string(&first).unwrap(), "mine");
    // Nor is a symbolic link followed.
    let victim = folder.file("victim");
    fs::write(&victim, "mine").unwrap();
    for path in [&first, &second] {
        fs::remove_file(path).unwrap();
        symlink(&victim, path).unwrap();
    }
    assert_eq!(follow().code, 1);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn messages_spell_out_what_a_terminal_might_act_on() {
    for line in [
        &["x\u{1b}]0;title\u{7}.pcap"][..],
        &["-Y", "frame.number == \u{1b}[31m", SAMPLE],
        &["-T", "\u{1b}[31m\u{202e}", SAMPLE],
        &["--no-\u{1b}[31m\u{202e}", SAMPLE],
        &["-d", "tcp.port==1,\u{1b}[31m", SAMPLE],
        &["-w", "/nowhere/\u{1b}[31m", SAMPLE],
        &["follow", SAMPLE, "-s", "\u{202e}"],
        &["x\u{e0041}.pcap"],
    ] {
        let run = run(line);
        assert!(run.code > 0, "{line:?}");
        let harmful = |character: char| matches!(character, '\u{0}'..='\u{9}' | '\u{b}'..='\u{1f}' | '\u{202e}' | '\u{e0041}');
        assert!(!run.err.contains(harmful), "{line:?} {:?}", run.err);
        assert!(run.err.contains("\\u{"), "{line:?} {:?}", run.err);
    }
}

#[test]
fn names_with_line_feeds_stay_on_one_line_of_a_message() {
    for line in [
        &["x\nproto-dissect: fine.pcap"][..],
        &["-T", "x\ny", SAMPLE],
        &["--format=x\ny", SAMPLE],
        &["-Y", "frame.number ==\n\n(", SAMPLE],
        &["-w", "/nowhere/x\ny", SAMPLE],
        &["follow", SAMPLE, "-s", "x\ny"],
        &["objects", SAMPLE, "--write-dir", "samples/pipboy.pcap/x\ny"],
    ] {
        let run = run(line);
        assert!(run.code > 0, "{line:?}");
        assert!(run.err.contains("\\u{a}"), "{line:?} {:?}", run.err);
        assert!(!run.err.lines().any(|line| line.starts_with(['y', '(']) || line == "proto-dissect: fine.pcap"), "{:?}", run.err);
    }
}

#[test]
fn a_line_of_hex_that_is_too_long_is_called_that() {
    let run = run_with(&["-l"], &vec![b'0'; (64 << 20) + 2]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("line 1, column 1: a line of more than 64 MiB"), "{}", run.err);
}

/// A capture of so many datagrams.
fn capture(frames: usize) -> Vec<u8> {
    let mut bytes = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x65\0\0\0".to_vec();
    for _ in 0..frames {
        let mut packet = Vec::new();
        etherparse::PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .udp(5000, 6000)
            .write(&mut packet, &[0xaa; 60])
            .unwrap();
        let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
        bytes.extend([[0; 8].as_slice(), &length, &length, &packet].concat());
    }
    bytes
}

/// Frames whose bytes do not fit into a pipe: once they are written, the program has begun to read.
const FRAMES: usize = 3000;

/// The program with these frames on its standard input, which stays open, and what it will have printed.
fn reading(arguments: &[&str]) -> (Child, ChildStdin, JoinHandle<String>) {
    let mut child =
        program().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let out = std::thread::spawn(move || {
        let mut out = String::new();
        stdout.read_to_string(&mut out).map(|_| out).unwrap()
    });
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&capture(FRAMES)).unwrap();
    (child, stdin, out)
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// What is printed when a signal comes: the exit code and both outputs.
fn interrupted(arguments: &[&str], name: &str) -> (Option<i32>, String, String) {
    let (mut child, stdin, out) = reading(arguments);
    signal(&child, name);
    let (out, mut err) = (out.join().unwrap(), String::new());
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    let code = child.wait().unwrap().code();
    drop(stdin);
    (code, out, err)
}

#[test]
fn a_signal_ends_statistics_with_what_was_counted() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let (exit, out, err) = interrupted(&["stats", "--json", "-"], name);
        assert_eq!((exit, err.as_str()), (Some(code), ""));
        let stats: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert!(stats["overview"]["frames"].as_u64().unwrap_or_default() > 1000, "{out:.300}");
    }
}

#[test]
fn a_signal_ends_a_written_file_behind_a_frame() {
    let folder = Folder::new("signal");
    let file = folder.file("a.pcapng");
    let (exit, _, err) = interrupted(&["-w", text(&file), "-"], "-TERM");
    assert_eq!((exit, err.as_str()), (Some(143), ""));
    assert_eq!(folder.names(), ["a.pcapng"]);
    let read = run(&["-T", "fields", "-e", "frame.number", text(&file)]);
    assert_eq!(read.code, 0, "{}", read.err);
    assert!(read.out.lines().count() > 1000);
}

#[test]
fn a_signal_closes_the_array_of_records_of_several_inputs() {
    for threads in ["1", "2"] {
        let (mut child, stdin, out) = reading(&["-T", "json", "--threads", threads, "samples/queries.pcap", "-", SAMPLE]);
        signal(&child, "-INT");
        let out = out.join().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        drop(stdin);
        let records: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
        assert_eq!(records.first().unwrap()["type"], "begin");
        assert_eq!(records.last().unwrap()["type"], "end");
        assert!(!out.contains(SAMPLE), "no further input is read");
    }
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    // Nobody reads what is printed, so a run that goes on after the first signal waits for ever.
    let mut child = program().args(["-T", "json", "-V", SAMPLE]).stdout(Stdio::piped()).spawn().unwrap();
    let mut begun = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut begun).unwrap();
    let code = loop {
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
    };
    assert_eq!(code, Some(130));
}
