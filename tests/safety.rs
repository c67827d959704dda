//! Effects that a run must never have on files, on a terminal or on earlier output.
#![cfg(unix)]

use crate::common::{Folder, apart, binary, program, run, run_with};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const SAMPLE: &str = "samples/pipboy.pcap";

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
    // A limit on file size replaces the full disk; without the signal a write fails in the same way.
    let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let done = apart(Command::new("sh")).args(["-c", limited, binary(), "-w", text(&file), SAMPLE]).output().unwrap();
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
fn messages_escape_terminal_control_characters() {
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
