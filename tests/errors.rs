//! Errors are reported in one line, with the right exit code.

use crate::common::{Run, Scratch, program, run, run_with};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

const SESSION: &str = "samples/pipboy.pcap";

/// One or two lines, no backtrace, and the expected words.
fn assert_error(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, code, "{}", run.err);
    assert!((1..=2).contains(&run.err.lines().count()), "{}", run.err);
    assert!(!run.err.contains("panicked") && !run.err.contains("os error"), "{}", run.err);
    for word in words {
        assert!(run.err.contains(word), "{word:?} is not in: {}", run.err);
    }
}

#[test]
fn a_missing_file_is_exit_3() {
    assert_error(&run(&["samples/nothing.pcap"]), 3, &["samples/nothing.pcap", "no such file"]);
}

#[test]
fn a_protocol_of_wireshark_that_is_not_dissected_matches_nothing_with_a_warning() {
    let count = |filter: &str| run(&["-T", "fields", "-e", "message.number", "-Y", filter, SESSION]);
    let both = count("bacnet || udp");
    assert_error(&both, 0, &["bacnet"]);
    assert_eq!((both.out.as_str(), count("bacnet").out.as_str()), (count("udp").out.as_str(), ""));
    assert_eq!(count("bacnett || udp").code, 2);
}

#[test]
fn failures_of_the_system_have_no_codes() {
    let nowhere = "no/such/place";
    for (arguments, code) in [
        (&["-w", nowhere, SESSION][..], 1),
        (&["-w", "samples", SESSION], 1),
        (&["-k", nowhere, SESSION], 2),
        (&["-o", "tls.keylog_file=no/such/place", SESSION], 2),
        (&["@no/such/place"], 3),
        (&["--keys", nowhere, SESSION], 2),
        (&["objects", "--write-dir", "README.md/out", SESSION], 1),
        (&["follow", "--write-dir", "README.md/out", SESSION], 1),
    ] {
        let run = run(arguments);
        assert!(
            !run.err.is_empty() && !run.err.contains("os error") && run.code == code,
            "{arguments:?} {}: {}",
            run.code,
            run.err
        );
    }
}

#[test]
fn a_directory_is_exit_3() {
    assert_error(&run(&["src/cli"]), 3, &["src/cli", "directory"]);
}

#[test]
fn an_empty_file_is_exit_4_with_nothing_printed() {
    let empty = Scratch::new("empty", b"");
    for arguments in [&[empty.path()][..], &["--json", empty.path()], &["-T", "json", empty.path()]] {
        let run = run(arguments);
        assert_error(&run, 4, &["empty", "expected"]);
        assert_eq!(run.out, "");
    }
    assert_error(&run_with(&[], b""), 4, &["-: ", "empty"]);
}

#[test]
fn an_input_of_unknown_format_is_exit_4() {
    let prose = Scratch::new("prose", b"Dear diary, today I met a deathclaw.\n");
    assert_error(&run(&[prose.path()]), 4, &["not a capture", "not hex"]);
    let noise = Scratch::new("noise", &[0xfe; 300]);
    assert_error(&run(&[noise.path()]), 4, &["not a capture"]);
}

#[test]
fn a_cut_header_is_exit_4() {
    let bytes = fs::read(SESSION).unwrap();
    let cut = Scratch::new("header.pcap", &bytes[..10]);
    assert_error(&run(&[cut.path()]), 4, &["pcap"]);
}

#[test]
fn a_cut_last_packet_is_exit_5_after_everything_before_it() {
    let bytes = fs::read(SESSION).unwrap();
    let whole = run(&["--json", SESSION]);
    let cut = Scratch::new("cut.pcap", &bytes[..bytes.len() - 7]);
    let run = run(&["--json", cut.path()]);
    assert_error(&run, 5, &["truncated", "frame 209"]);
    let lines: Vec<&str> = run.out.lines().collect();
    let [.., error, end] = lines[..] else { panic!("{}", run.out) };
    assert!(error.contains(r#""type":"error","code":"truncated""#), "{error}");
    assert!(end.contains(r#""frames":209"#) && end.contains(r#""truncated":true"#), "{end}");
    let before: Vec<&str> = lines[1..lines.len() - 2].to_vec();
    assert_eq!(whole.out.lines().skip(1).take(before.len()).collect::<Vec<_>>(), before);
    let array = crate::common::run(&["-T", "json", cut.path()]);
    assert!(serde_json::from_str::<serde_json::Value>(&array.out).is_ok());
}

#[test]
fn several_files_are_all_read_and_the_gravest_code_counts() {
    let run = run(&["-l", "samples/nothing.pcap", SESSION]);
    assert_eq!(run.code, 3);
    assert!(run.out.lines().count() > 80);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut child =
        program().args(["--json", "--packets", SESSION]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::with_capacity(64, child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    drop(out);
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
    assert!(line.contains("begin"));
}

#[test]
fn records_of_a_growing_pipe_appear_at_once() {
    let bytes = fs::read(SESSION).unwrap();
    for arguments in [&["--json"][..], &["-l"], &["-T", "table"], &["-e", "frame.number"]] {
        let mut child = program().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        // Only the file header and the first frame.
        stdin.write_all(&bytes[..24 + 16 + 64]).unwrap();
        let mut line = String::new();
        while line.is_empty() || line.contains("begin") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "{arguments:?} ended");
        }
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn wrong_usage_is_exit_2_before_any_input_is_opened() {
    for (arguments, words) in [
        (&["--nonsense"][..], &["--nonsense"][..]),
        (&["-T", "xml", "nothing"], &["xml", "ndjson"]),
        (&["-T", "fields", "nothing"], &["-e"]),
        (&["-e", "pipboy.tipe", "nothing"], &["pipboy.tipe", "pipboy.type"]),
        (&["-e", "frame.nmber", "nothing"], &["frame.number"]),
        (&["-E", "occurrence=f", "nothing"], &["-e"]),
        (&["-e", "ip.src", "-E", "occurrence=x", "nothing"], &["f, l or a"]),
        (&["-e", "ip.src", "-E", "what", "nothing"], &["NAME=VALUE"]),
        (&["--json", "-e", "ip.scr", "nothing"], &["ip.src"]),
    ] {
        let run = run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert_eq!(run.out, "");
        for word in words {
            assert!(run.err.contains(word), "{arguments:?}: {word:?} is not in: {}", run.err);
        }
    }
}

#[test]
fn a_command_may_follow_options_that_it_accepts() {
    for (options, command) in [
        (&["--threads", "1"][..], &["stats", "-z", "io,phs", SESSION][..]),
        (&["--pager", "never", "--color", "always"], &["stats", "-z", "health", SESSION]),
        (&["-d", "tcp.port==27000,none", "--no-heuristics"], &["follow", SESSION]),
        (&["--show-secrets"], &["objects", "samples/xfire.pcap"]),
        (&["--json"], &["protocols", "xfire"]),
    ] {
        let behind = run(&[options, command].concat());
        let front = run(&[&command[..1], options, &command[1..]].concat());
        assert_eq!(behind, front, "{options:?} {command:?}");
    }
    let before = run(&["--threads", "1", "stats", "-z", "io,phs", SESSION]);
    assert!(before.code == 0 && before.out.contains("Protocol Hierarchy Statistics"), "{}{}", before.out, before.err);
}

#[test]
fn numbers_select_records_of_every_file() {
    let run = run(&["-l", "--number", "2,4", SESSION, "samples/no-such-file", "samples/vscp.pcap", SESSION]);
    let numbers: Vec<&str> = run.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(numbers, ["──", "2", "4", "──", "2", "4", "──", "2", "4"], "{}", run.out);
}

#[test]
fn strict_reports_what_it_rejects() {
    let clean = run(&["-l", "--strict", SESSION]);
    assert_eq!((clean.code, clean.err.as_str()), (0, ""));
    let damaged = "samples/pipboy-damaged.pcap";
    let problem = "proto-dissect: --strict: 9 malformed messages, 1 gap; first at frame 23 of samples/pipboy-damaged.pcap\n";
    let list = run(&["--json", "--strict", SESSION, damaged]);
    let end = r#""gaps":1,"malformed":9"#;
    assert!(list.out.contains(end) && list.out.contains(r#"{"type":"gap""#));
    assert_eq!((list.code, list.err.as_str()), (5, problem));
    let file = Scratch::new("strict.pcapng", b"");
    let written = run(&["-w", file.path(), "--strict", SESSION, damaged]);
    let report = format!("proto-dissect: 316 of 316 frames written to {}\n{problem}", file.path());
    assert_eq!((written.code, written.err), (5, report));
}

#[test]
fn strict_and_exit_status_change_the_code() {
    assert_eq!(run(&["-l", "samples/pipboy-damaged.pcap"]).code, 0);
    assert_eq!(run(&["-l", "--strict", "samples/pipboy-damaged.pcap"]).code, 5);
    assert_eq!(run(&["-l", "--strict", SESSION]).code, 0);
    let header = Scratch::new("no-packets.pcap", &fs::read(SESSION).unwrap()[..24]);
    assert_eq!(run(&[header.path()]).code, 0);
    assert_eq!(run(&["--exit-status", header.path()]).code, 1);
    assert_eq!(run(&["--exit-status", "-l", SESSION]).code, 0);
}

#[test]
fn help_and_version_are_answers() {
    let help = run(&["-h"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    let (_, examples) = help.out.split_once("Examples:\n").unwrap();
    assert_eq!(examples.lines().count(), 5, "{}", help.out);
    assert!(help.out.lines().count() <= 53, "{}", help.out);
    let all = run(&["--help"]);
    assert_eq!((all.code, all.err.as_str()), (0, ""));
    assert!(all.out.contains("Exit codes:") && all.out.contains("--show-secrets"), "{}", all.out);
    assert!(run(&["--version"]).out.starts_with("proto-dissect "));
}

/// Any prefix of a capture, and any garbage: regular end, valid JSON.
#[test]
fn any_prefix_of_a_capture_ends_in_order() {
    let bytes = fs::read("samples/pipboy-ipv6.pcapng").unwrap();
    for cut in (0..bytes.len()).step_by(211) {
        let run = run_with(&["--json"], &bytes[..cut]);
        assert!([0, 4, 5].contains(&run.code), "cut at {cut}: exit {} {}", run.code, run.err);
        for line in run.out.lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "cut at {cut}: {line}");
        }
    }
}

/// A choice for a port applies to bytes captured on it.
#[test]
fn decode_as_applies_to_bytes_without_headers() {
    let datagram = "0000000049d44b8dc751fa420547927da91678d874c1aabb10000000010000000000000000000000ff00000000";
    let seen = run(&["-l", "--hex", datagram, "--port", "udp:40100"]);
    assert!(seen.out.contains("Data"), "{}", seen.out);
    let chosen = run(&["-l", "--hex", datagram, "--port", "udp:40100", "-d", "udp.port==40100,xfire"]);
    assert!(chosen.out.contains("Xfire"), "{}", chosen.out);
    let other = run(&["-l", "--hex", datagram, "--port", "udp:40100", "-d", "udp.port==40101,xfire"]);
    assert!(other.out.contains("Data"), "{}", other.out);
    let session = run(&["-l", "--hex", "554130 31", "--port", "tcp:5000", "-d", "tcp.port==5000,none"]);
    assert!(session.out.contains("Data"), "{}", session.out);
}
