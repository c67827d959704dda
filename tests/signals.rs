//! SIGINT and SIGTERM: the first one ends a run like the end of the input, the second one immediately.
#![cfg(unix)]

use crate::common::{Folder, Scratch, program, run};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

const SAMPLE: &str = "samples/pipboy.pcap";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A capture with this many datagrams.
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

/// Frames that do not fit into a pipe: once they are written, the program has begun to read.
const FRAMES: usize = 3000;

/// The program with these frames on its standard input, which stays open, and its future output.
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

/// The result after a signal: the exit code and both outputs.
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
fn a_signal_ends_a_written_file_after_a_frame() {
    let folder = Folder::new("signal");
    let file = folder.file("a.pcapng");
    let (exit, _, err) = interrupted(&["-w", text(&file), "-"], "-TERM");
    assert!(exit == Some(143) && err.ends_with("/a.pcapng\n") && err.lines().count() == 1, "{err}");
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
    // The output is not read, so a run that continues after the first signal blocks forever.
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

/// The records of a complete JSON array.
fn records(array: &str) -> Vec<serde_json::Value> {
    serde_json::from_str(array).unwrap_or_else(|error| panic!("{error}: …{}", &array[array.len().saturating_sub(200)..]))
}

#[test]
fn a_signal_ends_files_that_are_read_at_the_same_time() {
    let (one, two) = (Scratch::new("signals-one.pcap", &capture(FRAMES)), Scratch::new("signals-two.pcap", &capture(FRAMES)));
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = program()
            .args(["-T", "json", "-V", "--threads", "2", one.path(), two.path()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The output exceeds a pipe and the queues of two threads, so no input was read to its end.
        let mut out = vec![0];
        child.stdout.as_mut().unwrap().read_exact(&mut out).unwrap();
        signal(&child, name);
        child.stdout.as_mut().unwrap().read_to_end(&mut out).unwrap();
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!((1..=2).contains(&err.lines().count()), "{err}");
        for line in err.lines() {
            assert!(
                line.contains("signals-") && line.contains(": interrupted at ") && line.ends_with(" % of the input"),
                "{err}"
            );
        }
        let records = records(&String::from_utf8(out).unwrap());
        assert_eq!(records.first().unwrap()["type"], "begin");
        assert_eq!(records.last().unwrap()["type"], "end");
        let frames: u64 = records.iter().filter_map(|record| record["frames"].as_u64()).sum();
        assert!((1..FRAMES as u64 * 2).contains(&frames), "{frames}");
    }
}

#[test]
fn a_signal_completes_the_capture_that_a_pipe_takes() {
    let (one, two) = (Scratch::new("signals-three.pcap", &capture(FRAMES)), Scratch::new("signals-four.pcap", &capture(FRAMES)));
    let mut child = program().args(["-w", "-", "--threads", "2", one.path(), two.path()]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = vec![0];
    child.stdout.as_mut().unwrap().read_exact(&mut out).unwrap();
    signal(&child, "-TERM");
    child.stdout.as_mut().unwrap().read_to_end(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let written = Scratch::new("signals-written.pcapng", &out);
    let read = run(&["-T", "fields", "-e", "frame.number", written.path()]);
    assert_eq!(read.code, 0, "{}", read.err);
    // Both inputs were read before the first byte was written.
    assert_eq!(read.out.lines().count(), FRAMES * 2);
}

/// Waits until the program handles signals and its first thread sleeps: it waits for an input or an output.
#[cfg(target_os = "linux")]
fn wait_until_blocked(child: &Child) {
    let line_of = |status: &str, name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().trim().to_owned()
    };
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = u64::from_str_radix(&line_of(&status, "SigCgt:"), 16).unwrap_or(0);
        // SIGINT is 2 and SIGTERM 15.
        if caught & 0x4002 == 0x4002 && line_of(&status, "State:").starts_with('S') {
            return;
        }
        assert!(!line_of(&status, "State:").starts_with('Z'), "it ended by itself");
        std::thread::yield_now();
    }
}

/// The result of a blocked run after one signal: its exit code and both outputs.
#[cfg(target_os = "linux")]
fn ended_while_blocked(arguments: &[&str], name: &str) -> (Option<i32>, String, String) {
    let mut child =
        program().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    wait_until_blocked(&child);
    signal(&child, name);
    let sent = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if sent.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{arguments:?} goes on after {name}");
        }
        std::thread::yield_now();
    }
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap())
}

/// A FIFO that no process opens for writing.
#[cfg(target_os = "linux")]
fn fifo(folder: &Folder) -> String {
    let path = folder.file("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    text(&path).to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_a_run_that_waits_for_the_writer_of_a_fifo() {
    let folder = Folder::new("fifo");
    let fifo = fifo(&folder);
    // Short, so that no thread waits for a reader of the output.
    let first = Scratch::new("signals-first.pcap", &capture(3));
    let first = first.path();
    for threads in ["1", "2"] {
        let (code, out, err) = ended_while_blocked(&["-T", "json", "--threads", threads, first, &fifo, SAMPLE], "-INT");
        assert_eq!((code, err.as_str()), (Some(130), ""));
        assert_eq!(records(&out).last().unwrap()["type"], "end");
        let file = folder.file(threads);
        let (code, _, err) = ended_while_blocked(&["--threads", threads, "-w", text(&file), first, &fifo], "-INT");
        assert_eq!((code, err), (Some(130), format!("proto-dissect: 3 of 3 frames written to {}\n", text(&file))));
        assert_eq!(run(&["-T", "fields", "-e", "frame.number", text(&file)]).out.lines().count(), 3);
    }
    assert_eq!(ended_while_blocked(&["-T", "json", &fifo], "-INT"), (Some(130), String::new(), String::new()));
    assert_eq!(ended_while_blocked(&["stats", "--json", &fifo], "-TERM"), (Some(143), String::new(), String::new()));
    let keys = format!("tls.keylog_file={fifo}");
    let (code, out, err) = ended_while_blocked(&["-T", "json", "-o", &keys, SAMPLE], "-TERM");
    assert_eq!((code, out.as_str(), err.as_str()), (Some(143), "", ""));
    // Nor does it wait for the reader of an output.
    let (code, _, err) = ended_while_blocked(&["-w", &fifo, SAMPLE], "-INT");
    assert_eq!(code, Some(130));
    assert!(err.contains("interrupted before another program opened it for reading"), "{err}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_a_run_that_waits_for_the_first_byte_of_standard_input() {
    let folder = Folder::new("first-byte");
    let file = folder.file("a.pcapng");
    std::fs::write(&file, "old").unwrap();
    assert_eq!(ended_while_blocked(&["-T", "json", "-"], "-INT"), (Some(130), String::new(), String::new()));
    assert_eq!(ended_while_blocked(&["stats", "--json", "-"], "-TERM"), (Some(143), String::new(), String::new()));
    assert_eq!(ended_while_blocked(&["-w", text(&file), "-"], "-INT").0, Some(130));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old", "of an input that is not read nothing is written over");
}

#[test]
#[cfg(target_os = "linux")]
fn a_fifo_is_read_once_it_has_a_writer() {
    let folder = Folder::new("writer");
    let fifo = fifo(&folder);
    let child = program().args(["-l", &fifo]).stdout(Stdio::piped()).spawn().unwrap();
    wait_until_blocked(&child);
    std::fs::write(&fifo, std::fs::read(SAMPLE).unwrap()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8(done.stdout).unwrap(), run(&["-l", SAMPLE]).out);
}

#[test]
fn a_signal_ends_each_read_of_a_pipe() {
    let pipes: [&[&str]; 4] = [&["-l", "@-"], &["ksy", "check", "-"], &["--ksy", "PIPE", SAMPLE], &["-l", "@PIPE"]];
    for arguments in pipes {
        let folder = Folder::new("signals-pipes");
        let pipe = folder.file("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let arguments: Vec<String> = arguments.iter().map(|word| word.replace("PIPE", text(&pipe))).collect();
        let mut child =
            program().args(&arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // More than a pipe holds, so that the program has begun to read, but no line that is too long.
        let long = "# a comment\n".repeat(12_000);
        let writer = arguments.iter().any(|word| word.contains("/pipe")).then(|| {
            let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
            writer.write_all(long.as_bytes()).unwrap();
            writer
        });
        let mut stdin = child.stdin.take().unwrap();
        if writer.is_none() {
            stdin.write_all(long.as_bytes()).unwrap();
        }
        signal(&child, "-TERM");
        assert_eq!(child.wait().unwrap().code(), Some(143), "{arguments:?}");
        drop((stdin, writer));
    }
}
