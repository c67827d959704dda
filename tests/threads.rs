//! What is printed does not depend on how many threads share the work.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on says so")]

mod common;

use common::{Run, Scratch, run, run_with};
use std::fs;

const FORMS: &[&[&str]] = &[
    &[],
    &["-V", "-v", "-x"],
    &["-l", "--packets"],
    &["--json"],
    &["-T", "json", "--packets"],
    &["-T", "flat"],
    &["-T", "fields", "-e", "frame.number", "-e", "pipboy.entry.path", "--packets"],
    &["--json", "-Y", "pipboy.entry.path contains \"Map\""],
    &["-l", "-c", "400"],
    &["-l", "--skip", "300", "--number", "20-600"],
];

/// Sessions enough for a second thread, one after the other: the sample's, each from a port of its own.
fn sessions() -> Vec<u8> {
    const SESSIONS: u16 = 10;
    let sample = fs::read("samples/pipboy.pcap").unwrap();
    let (head, frames) = sample.split_at(24);
    let mut all = head.to_vec();
    for session in 0..SESSIONS {
        let mut rest = frames;
        while !rest.is_empty() {
            let len = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
            let (frame, behind) = rest.split_at(16 + len);
            rest = behind;
            let start = all.len();
            all.extend_from_slice(frame);
            // Behind the record's, the Ethernet and the IPv4 header are the ports; the server's is known.
            for port in [start + 16 + 34, start + 16 + 36] {
                let number = u16::from_be_bytes([all[port], all[port + 1]]);
                if number != 27000 && frame[16 + 23] == 6 {
                    all[port..port + 2].copy_from_slice(&(number ^ session).to_be_bytes());
                }
            }
        }
    }
    all
}

fn both(arguments: &[&str]) -> [Run; 2] {
    ["1", "2"].map(|threads| run(&[arguments, &["--threads", threads]].concat()))
}

#[test]
fn two_threads_print_what_one_does() {
    let file = Scratch::new("threads.pcap", &sessions());
    for form in FORMS {
        let [one, two] = both(&[&[file.path()], *form].concat());
        assert_eq!(one.code, 0, "{form:?}: {}", one.err);
        assert!(!one.out.is_empty(), "{form:?}");
        assert!(one == two, "{form:?}");
    }
}

#[test]
fn damage_behind_the_first_frames_is_told_the_same() {
    let all = sessions();
    let file = Scratch::new("threads-damaged.pcap", &all[..all.len() - 7000]);
    for form in [&["-l"][..], &["--json"]] {
        let [one, two] = both(&[&[file.path()], form].concat());
        assert_eq!(one.code, 5);
        assert!(one == two, "{} {}", one.err, two.err);
    }
}

#[test]
fn several_inputs_keep_their_order() {
    let file = Scratch::new("threads-several.pcap", &sessions());
    let [one, two] = both(&[file.path(), "samples/no-such-file", "samples/vscp.pcap", file.path(), "-l"]);
    assert_eq!(one.code, 3);
    assert!(one == two);
}

#[test]
fn what_is_piped_in_is_told_the_same() {
    let all = sessions();
    let file = Scratch::new("threads-piped.pcap", &all);
    assert!(run_with(&["-l", "--threads", "2"], &all) == run(&["-l", file.path()]));
}
