//! `explore`: known protocols taken apart as if they were unknown, and the file that it writes run by the program itself.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may")]

use serde_json::Value;
use std::process::{Command, Output};

fn program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proto-dissect")).current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = program(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The explore record.
fn record(args: &[&str]) -> Value {
    let args: Vec<&str> = ["explore"].iter().chain(args).chain(&["--json"]).copied().collect();
    let lines: Vec<Value> = text(&args).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines[0]["type"].as_str(), lines.last().unwrap()["type"].as_str()), (Some("begin"), Some("end")));
    lines[1].clone()
}

#[test]
fn known_protocols_are_framed_without_their_dissectors() {
    for (file, stream, rule) in [
        ("samples/pipboy.pcap", "tcp/0", "length@0:u32le+5"),
        ("samples/xfire.pcap", "tcp/0", "c2s:length@0:u16le skip=4 s2c:length@0:u16le"),
        ("samples/neighbours.pcap", "tcp/0", "end:0d0a"),
        ("samples/neighbours.pcap", "tcp/3", "end:0d0a"),
        ("samples/neighbours.pcap", "tcp/4", "varint@1:leb128"),
    ] {
        let found = record(&[file, "-s", stream]);
        assert_eq!(found["framing"][0]["rule"], rule, "{file} {stream}");
        assert!(found["framing"][0]["confidence"].as_f64().unwrap() > 0.5, "{file} {stream}");
    }
}

#[test]
fn starts_are_those_of_the_dissector() {
    let found = record(&["samples/pipboy.pcap", "-s", "tcp/0"]);
    let messages = text(&["samples/pipboy.pcap", "--json", "-Y", "pipboy && tcp.stream == 0"]);
    for side in found["sides"].as_array().unwrap() {
        let dir = side["dir"].as_str().unwrap();
        let known: Vec<u64> = messages
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|record| record["type"] == "message" && record["dir"] == dir)
            .map(|record| record["off"].as_u64().unwrap())
            .collect();
        let starts: Vec<u64> = side["starts"].as_array().unwrap().iter().map(|start| start.as_u64().unwrap()).collect();
        assert_eq!(starts, known, "{dir}");
    }
}

#[test]
fn the_generated_file_dissects_the_same_messages_live() {
    let folder = std::env::temp_dir().join(format!("proto-dissect-explore-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("unknown.ksy");
    std::fs::write(&path, text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--ksy"])).unwrap();
    let path = path.to_str().unwrap();
    assert!(text(&["ksy", "check", path]).contains("self-delimiting"));
    let lines = text(&["-k", path, "--json", "-Y", "unknown_tcp_0 and tcp.stream == 0", "samples/pipboy.pcap"]);
    std::fs::remove_dir_all(&folder).unwrap();
    let found = record(&["samples/pipboy.pcap", "-s", "tcp/0"]);
    assert!(found["ksy"].as_str().unwrap().contains("msg_0x03:"));
    let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages: Vec<Value> = records.filter(|record| record["type"] == "message").collect();
    assert_eq!(messages.len(), 84);
    for side in found["sides"].as_array().unwrap() {
        let of_side = messages.iter().filter(|message| message["buffer"] == side["buffer"]);
        let starts: Vec<&Value> = of_side.map(|message| &message["off"]).collect();
        assert_eq!(starts, side["starts"].as_array().unwrap().iter().collect::<Vec<_>>());
    }
}

#[test]
fn conversations_that_a_dissector_knows_are_left_out_without_s() {
    let output = program(&["explore", "samples/pipboy.pcap"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no conversation is unknown"));
    let unknown = text(&["explore", "samples/pipboy.pcap", "--no-heuristics", "-d", "tcp.port==27000,none"]);
    assert!(unknown.contains("length@0:u32le+5"), "{unknown}");
}

#[test]
fn the_kind_view_numbers_records_as_number_does() {
    let view = text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--type", "s2c/01"]);
    let number = view.split('#').nth(1).unwrap().split_whitespace().next().unwrap();
    let record = text(&["samples/pipboy.pcap", "-l", "--number", number]);
    assert!(record.contains("connection_accepted") || record.contains("Pip-Boy"), "{record}");
    assert!(!view.contains('\x1b'), "no colour in a pipe");
}

#[test]
fn mistakes_are_named_with_what_would_do() {
    for (args, expected) in [
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/9"][..], "there is tcp/0"),
        (&["explore", "samples/pipboy.pcap", "-s", "x/1"], "expected tcp/N"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", "size@1"], "length@0:u32le+8"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--type-at", "x"], "8:u32le"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--type", "s2c/ff"], "s2c/03"),
        (&["explore", "samples/pipboy.pcap", "--type", "s2c/03"], "-s tcp/0"),
    ] {
        let output = program(args);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {complaint}");
        assert!(complaint.contains(expected), "{args:?}: {complaint}");
    }
}

#[test]
fn bytes_beyond_the_limit_are_counted() {
    let found = record(&["samples/pipboy.pcap", "-s", "tcp/0", "--max-bytes", "4096"]);
    let server = found["sides"].as_array().unwrap().iter().find(|side| side["dir"] == "s2c").unwrap().clone();
    assert_eq!(server["looked_at"], 4096);
    assert!(server["bytes"].as_u64().unwrap() > 4096);
    assert!(found["notes"].to_string().contains("left out"), "{}", found["notes"]);
}

#[test]
fn what_finds_no_room_is_counted() {
    let output = program(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--limit", "explore.bytes=4096"]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(complaint.contains("explore.bytes"), "{complaint}");
}

/// The commands of the documentation, without the prompt.
fn documented() -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explore.md")).unwrap();
    page.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

#[test]
fn every_command_of_the_documentation_succeeds_with_output() {
    let commands = documented();
    assert!(commands.len() >= 5);
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().skip(1).map(|word| word.trim_matches('\'')).collect();
        assert!(!text(&words).is_empty(), "{command}");
    }
}
