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
            format!("proto-dissect: {keys}:2: matches no conversation; did you mean `xfire`?"),
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

#[test]
fn a_built_in_protocol_takes_its_keys_from_the_same_file() {
    let digest = |keys: &str| run(&["-V", "-Y", "xfire.login.digest", "--keys", keys, CAPTURE]);
    let right = digest(&file("xfire", "xfire password \"hunter2\"\nxfire password \"moss-green\" stream=tcp/0\n"));
    assert!(right.out.contains("the password is correct") && right.out == run_with_option("moss-green"), "{}", right.out);
    // The first line serves nothing, because the second one counts.
    assert!(right.err.contains(":1: matches no conversation") && !right.err.contains(":2:"), "{}", right.err);
    let wrong = digest(&file("xfire-wrong", "xfire password \"hunter2\"\n"));
    assert!(
        wrong.out.contains("the password is wrong") && !wrong.out.contains("hunter2") && wrong.err.is_empty(),
        "{}",
        wrong.out
    );
    let protocols = run(&["protocols", "xfire"]).out;
    assert!(protocols.contains("keys") && protocols.contains("xfire password VALUE"), "{protocols}");
}

fn run_with_option(password: &str) -> String {
    run(&["-V", "-Y", "xfire.login.digest", "-o", &format!("xfire.password={password}"), CAPTURE]).out
}

#[test]
fn conversations_that_ask_for_keys_are_listed_with_their_lines() {
    let none = run(&["keys", CAPTURE]);
    assert!(none.out.contains("none") && none.out.contains("missing"), "{}", none.out);
    let wanted = none.out.lines().last().unwrap().to_owned();
    assert!(wanted.starts_with("xfire password HEX client="), "{wanted}");
    let digits: String = b"moss-green".iter().map(|byte| format!("{byte:02x}")).collect();
    let keys = file("listed", wanted.replace("HEX", &digits));
    let served = run(&["keys", &keys, CAPTURE]);
    assert!(served.out.contains("listed.txt:1") && served.out.contains("fits") && served.err.is_empty(), "{served:?}");
    let json = run(&["keys", "--json", &file("misfit", "xfire password 00\n"), CAPTURE]).out;
    assert!(json.contains(r#""state":"does not fit""#) && json.contains(r#""name":"password""#), "{json}");
}

#[test]
fn candidates_that_fit_are_printed_with_their_place() {
    let candidates = file("candidates", "hunter2\n\n00ff\nmoss-green\nother\n");
    let tried = run(&["keys", "--try", &candidates, CAPTURE]);
    let line = tried.out.lines().last().unwrap();
    assert!(line.starts_with("xfire password HEX client=") && line.ends_with(&format!("  # {candidates}: line 4")), "{tried:?}");
    assert!(!tried.out.contains("moss-green") && tried.err.is_empty(), "{tried:?}");
    let dump = file("dump", [&[0; 5000][..], b"xxmoss-greenxx", &[7; 5000]].concat());
    let tried = run(&["keys", "--try", &dump, "--window", "10", "--show-secrets", CAPTURE]);
    let line = tried.out.lines().last().unwrap();
    assert!(line.contains("6d6f73732d677265656e client=") && line.ends_with("offset 0x138a"), "{tried:?}");
    // What is printed is a line of a key file.
    let keys = file("found", line);
    assert!(run(&["keys", &keys, CAPTURE]).out.contains("fits"));
    let tried = run(&["keys", "--try", &file("misfits", "hunter2\n"), CAPTURE]);
    assert!(tried.err.contains("no candidate fits password"), "{tried:?}");
}

#[test]
fn candidates_are_tried_with_a_description_of_the_protocol() {
    let random = |count: usize| {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[6]
        };
        (0..count).map(|_| next()).collect::<Vec<u8>>()
    };
    // A key of each message, of a whole direction, and one from which others are made.
    for (name, size, most) in [("tibia", 16, 800), ("minecraft", 16, 800), ("wow335", 40, 300), ("habbo", 16, 200)] {
        let [ksy, keys, capture] = ["ksy", "keys", "pcap"].map(|extension| format!("samples/ksy/{name}.{extension}"));
        let right = fs::read_to_string(&keys).unwrap();
        let values: Vec<&str> = right.lines().map(|line| line.split(' ').nth(2).unwrap()).collect();
        let bytes = |hex: &str| (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        let mut dump = random(most);
        for value in &values {
            dump.extend::<Vec<u8>>(bytes(value));
            dump.extend(random(50));
        }
        let dump = file(&format!("dump-{name}"), dump);
        let window = size.to_string();
        let tried = run(&["keys", "--try", &dump, "--window", &window, "--show-secrets", "-k", &ksy, &capture]);
        let found: Vec<&str> = tried.out.lines().filter(|line| line.starts_with(&format!("{name} "))).collect();
        assert_eq!(found.len(), values.len(), "{name}: {tried:?}");
        for (at, (line, value)) in found.iter().zip(&values).enumerate() {
            assert!(line.contains(&format!(" {value} client=")), "{line}");
            assert!(line.ends_with(&format!("offset {:#x}", most + at * (size + 50))), "{line}");
        }
        assert!(tried.err.is_empty(), "{}", tried.err);
    }
}
