//! `--keys`: errors of key files, lines that served nothing, and key files that are pipes.

use crate::common::{run, run_with};
use std::fs;
use std::path::PathBuf;

const CAPTURE: &str = "samples/xfire.pcap";

/// A file in the folder of tests.
fn file(name: &str, text: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("keys-{name}.txt"));
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_line_that_does_not_parse_ends_the_run_with_its_number() {
    let keys = file("wrong", "# protocol name value\n\nxfire password 5ec2e7 clinet=192.0.2.1\n");
    for command in [&[][..], &["stats"], &["follow"], &["objects"], &["explore"]] {
        let done = run(&[command, &["--keys", &keys, CAPTURE]].concat());
        let wanted = format!(
            "proto-dissect: --keys {keys}:3: expected client=, server=, from=, until= or stream= after the value; did you mean client=?\n"
        );
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (2, "", wanted.as_str()), "{command:?}");
    }
    let done = run(&["--keys", "/does/not/exist", CAPTURE]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.starts_with("proto-dissect: --keys /does/not/exist: cannot be read: "), "{}", done.err);
}

#[test]
fn lines_that_served_nothing_are_reported_once_at_the_end() {
    let without = run(&["-l", CAPTURE]);
    let keys = file("unserved", "nothing secret 5ec2e7\nxfir secret 5ec2e7\n");
    let done = run(&["-l", "--keys", &keys, CAPTURE, "samples/pipboy.pcap"]);
    let lines: Vec<&str> = done.err.lines().collect();
    assert_eq!(
        lines,
        [
            format!("proto-dissect: {keys}:1: matches no conversation"),
            format!("proto-dissect: {keys}:2: matches no conversation"),
        ]
    );
    assert_eq!(done.code, 0);
    let done = run(&["-l", "--keys", &keys, CAPTURE]);
    assert_eq!(done.out, without.out);
    assert!(!done.err.contains("5ec2"), "{}", done.err);
}

#[test]
fn few_lines_are_named_and_the_others_counted() {
    let keys = file("many", "nothing secret 00\n".repeat(7));
    let done = run(&["stats", "--keys", &keys, CAPTURE]);
    let lines: Vec<&str> = done.err.lines().collect();
    assert_eq!(lines.len(), 6, "{}", done.err);
    assert!(lines[4].contains(":5: matches no conversation"), "{}", done.err);
    assert_eq!(lines[5], "proto-dissect: --keys: 2 more lines match no conversation");
    let keys = file("one-more", "nothing secret 00\n".repeat(6));
    assert!(run(&["--keys", &keys, CAPTURE]).err.ends_with("--keys: 1 more line matches no conversation\n"));
}

#[test]
fn nothing_is_said_about_lines_if_conversations_may_not_have_been_read() {
    let keys = file("partial", "nothing secret 00\n");
    for arguments in [
        &["-l", "-c", "1"][..],
        &["-l", "--number", "1-2"],
        // Only headers are dissected.
        &["-T", "fields", "-e", "frame.number"],
    ] {
        let done = run(&[arguments, &["--keys", &keys, CAPTURE]].concat());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{arguments:?}");
    }
    let done = run(&["--keys", &keys, "/does/not/exist"]);
    assert!(done.code == 3 && !done.err.contains("matches"), "{}", done.err);
    // A filter hides records, but conversations are read.
    let done = run(&["-l", "--keys", &keys, "-Y", "xfire && tcp.stream == 99", CAPTURE]);
    assert!(done.err.contains("matches no conversation"), "{}", done.err);
}

#[test]
fn keys_may_come_from_standard_input_once() {
    let done = run_with(&["-l", "--keys", "-", CAPTURE], b"nothing secret 00\nother secret 01");
    assert_eq!(done.code, 0);
    assert!(done.err.ends_with("-:1: matches no conversation\nproto-dissect: -:2: matches no conversation\n"), "{}", done.err);
    for arguments in [&["--keys", "-"][..], &["--keys", "-", "-"], &["--keys", "-", "--keys", "-", CAPTURE]] {
        let done = run(arguments);
        assert!(done.code == 2 && done.err.contains("only once"), "{arguments:?}: {}", done.err);
    }
    let done = run(&["--watch", "--keys", "-", CAPTURE]);
    assert!(done.code == 2 && done.err.contains("--watch"), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_without_an_end_does_not_hang() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("keys-pipe");
    let _ = fs::remove_file(&path);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let path = path.to_str().unwrap();
    let done = run(&["-l", "--keys", path, CAPTURE]);
    assert_eq!(done.code, 0);
    assert_eq!(done.err, format!("proto-dissect: --keys {path}: no end yet; lines that arrive later serve as well\n"));
    assert_eq!(done.out, run(&["-l", CAPTURE]).out);
}

#[test]
fn help_shows_an_example_line() {
    let help = run(&["--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("--keys <FILE>") && help.contains("minecraft secret 0f1571c9 client=192.0.2.10:51000"), "{help}");
}
