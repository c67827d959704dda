//! `explore`: known protocols explored as unknown ones, and the generated file dissected by the program itself.

use crate::common::{Folder, binary, own_cases, run};
use serde_json::Value;
use std::process::{Command, Output};

fn program(args: &[&str]) -> Output {
    Command::new(binary()).current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap()
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
    let all = [
        ("samples/pipboy.pcap", "tcp/0", "length@0:u32le+5"),
        ("samples/xfire.pcap", "tcp/0", "c2s:length@0:u16le skip=4 s2c:length@0:u16le"),
        ("samples/neighbours.pcap", "tcp/0", "end:0d0a"),
        ("samples/neighbours.pcap", "tcp/3", "end:0d0a"),
        ("samples/neighbours.pcap", "tcp/4", "varint@1:leb128"),
    ];
    for (file, stream, rule) in own_cases(all, 1, 4) {
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

/// Message starts by direction, of a record from the preamble up to the end of the last message, or of messages of a protocol.
type Starts = std::collections::BTreeMap<String, Vec<u64>>;

fn starts_of(found: &Value) -> Starts {
    let number = |value: &Value| value.as_u64().unwrap();
    let of = |side: &Value| {
        let skip = number(&found["framing"][0]["dirs"][side["dir"].as_str().unwrap()]["skip"]);
        let inside = skip..number(&side["end"]).min(number(&side["looked_at"]));
        side["starts"].as_array().unwrap().iter().map(number).filter(|start| inside.contains(start)).collect()
    };
    found["sides"].as_array().unwrap().iter().map(|side| (side["dir"].as_str().unwrap().to_owned(), of(side))).collect()
}

/// Each file that is printed gives the messages of the report; each that is not printed has a note that states why.
#[test]
fn what_is_printed_runs_on_the_same_capture() {
    let all = [
        ("samples/pipboy.pcap", 0),
        ("samples/xfire.pcap", 0),
        ("samples/neighbours.pcap", 0),
        ("samples/neighbours.pcap", 4),
        ("samples/vscp.pcap", 0),
        ("samples/tools.pcap", 0),
        ("samples/industry.pcap", 0),
        ("samples/industry.pcap", 1),
        ("samples/servers.pcap", 0),
        ("samples/minecraft.pcap", 0),
        ("samples/lobbies.pcap", 0),
        ("samples/runescape.pcap", 0),
    ];
    let scratch = Folder::new("printed");
    let mut run = 0;
    for (file, stream) in own_cases(all, 2, 4) {
        let name = format!("tcp/{stream}");
        let found = record(&[file, "-s", &name]);
        if found["framing"][0]["confidence"].as_f64().unwrap() < 0.5 {
            continue;
        }
        let printed = found["ksy"].as_str().unwrap();
        if printed.is_empty() {
            let notes = found["notes"].as_array().unwrap();
            assert!(notes.iter().any(|note| note["text"].as_str().unwrap().starts_with("no .ksy: ")), "{file} {name}");
            continue;
        }
        let path = scratch.file("printed.ksy");
        std::fs::write(&path, printed).unwrap();
        let bound = format!("tcp.stream=={stream},unknown_tcp_{stream}");
        let wanted = starts_of(&found);
        let skip = |dir: &str| found["framing"][0]["dirs"][dir]["skip"].as_u64().unwrap_or(0);
        let mut given: Starts = wanted.keys().map(|dir| (dir.clone(), Vec::new())).collect();
        for line in text(&["-k", path.to_str().unwrap(), "-d", &bound, "--json", file]).lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            if message["protocol"] == format!("unknown_tcp_{stream}") && message["stream"] == name {
                let (dir, at) = (message["dir"].as_str().unwrap(), message["off"].as_u64().unwrap());
                let last = wanted[dir].last().copied().unwrap_or(0);
                if at >= skip(dir) && at <= last {
                    given.get_mut(dir).unwrap().push(at);
                }
            }
        }
        assert_eq!(given, wanted, "{file} {name}\n{printed}");
        run += 1;
    }
    assert!(run > 0);
}

#[test]
fn conversations_that_a_dissector_knows_are_left_out_without_s() {
    let output = program(&["explore", "samples/pipboy.pcap"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no unknown conversations"));
    let unknown = text(&["explore", "samples/pipboy.pcap", "--no-heuristics", "-d", "tcp.port==27000,none"]);
    assert!(unknown.contains("length@0:u32le+5"), "{unknown}");
}

#[test]
fn the_kind_view_numbers_records_as_number_does() {
    let view = text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/01"]);
    let number = view.split('#').nth(1).unwrap().split_whitespace().next().unwrap();
    let record = text(&["samples/pipboy.pcap", "-l", "--number", number]);
    assert!(record.contains("connection_accepted") || record.contains("Pip-Boy"), "{record}");
    assert!(!view.contains('\x1b'), "no colour in a pipe");
}

#[test]
fn mistakes_are_reported_with_the_expected_syntax() {
    for (args, expected) in [
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/9"][..], "available: tcp/0"),
        (&["explore", "samples/pipboy.pcap", "-s", "x/1"], "expected tcp/N"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", "size@1"], "length@0:u32le+8"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--type-at", "x"], "8:u32le"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/ff"], "s2c/03"),
        (&["explore", "samples/pipboy.pcap", "--type", "s2c/03"], "-s tcp/0"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--at", "6"], "--type"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/03", "--at", "x"], "0x1f"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/03", "--at", "99999"], "10346 bytes"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/99", "--at", "0"], "s2c/03"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/03", "--json"], "--at"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find", ""], "expected a number or a text"),
        (&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find-change", "100"], "100..95"),
        (&["find", "", "samples/pipboy.pcap"], "find \"\": expected a number or a text"),
    ] {
        let output = program(args);
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {problem}");
        assert!(problem.contains(expected), "{args:?}: {problem}");
    }
}

#[test]
fn bytes_beyond_the_limit_are_counted() {
    let found = record(&["samples/pipboy.pcap", "-s", "tcp/0", "--max-bytes", "4096"]);
    let server = found["sides"].as_array().unwrap().iter().find(|side| side["dir"] == "s2c").unwrap().clone();
    assert_eq!(server["looked_at"], 4096);
    assert!(server["bytes"].as_u64().unwrap() > 4096);
    assert!(found["notes"].to_string().contains("beyond the limit"), "{}", found["notes"]);
}

#[test]
fn bytes_above_the_limit_are_counted() {
    let output = program(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--limit", "explore.bytes=4096"]);
    let problem = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(problem.contains("explore.bytes"), "{problem}");
}

#[test]
fn groups_past_the_limit_are_counted() {
    let args = ["explore", "samples/games.pcap", "--no-heuristics", "--json"];
    let groups = |output: &Output| {
        let lines = String::from_utf8(output.stdout.clone()).unwrap();
        let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.filter(|record| record["type"] == "explore").map(|record| record["group"].clone()).collect::<Vec<_>>()
    };
    let all = groups(&program(&args));
    assert!(all.len() > 2, "{all:?}");
    let output = program(&[&args[..], &["--limit", "explore.groups=2"]].concat());
    // Those with the most bytes, in the order of all.
    let kept = groups(&output);
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(all.iter().filter(|group| kept.contains(group)).eq(&kept), "{kept:?} of {all:?}");
    let problem = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(problem.contains(&format!("{} smaller group", all.len() - 2)), "{problem}");
}

/// The framing of Pip-Boy for tests of other features.
const RULE: &str = "length@0:u32le+5";

/// The records between `begin` and `end`.
fn records(args: &[&str]) -> Vec<Value> {
    let args: Vec<&str> = ["explore"].iter().chain(args).chain(&["--json"]).copied().collect();
    let mut lines: Vec<Value> = text(&args).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines[0]["type"].as_str(), lines.last().unwrap()["type"].as_str()), (Some("begin"), Some("end")));
    lines.remove(0);
    lines.pop();
    lines
}

#[test]
fn values_of_dissectors_are_found_at_their_offsets() {
    // The number of a record, a field of it, and the value as printed by its dissector.
    let all = [
        ("samples/pipboy.pcap", "tcp/0", "98.25", "f32le", "CurrHP"),
        ("samples/pipboy.pcap", "tcp/0", "-4276.25", "f32le", "Player.X"),
        ("samples/vscp.pcap", "tcp/0", "PARK OF EXAMPLES", "UTF-8", "PARK OF EXAMPLES"),
        ("samples/runescape.pcap", "tcp/0", "317", "u16be", "revision 317"),
    ];
    for (file, stream, value, form, field) in own_cases(all, 1, 4) {
        let found = records(&[file, "-s", stream, "--find", value]);
        let form = found.iter().find(|found| found["as"][0] == form).unwrap_or_else(|| panic!("{value}: {found:?}"));
        let hit = &form["hits"][0];
        assert_eq!(hit["stream"], stream);
        let number = hit["n"].as_u64().unwrap().to_string();
        let record = text(&[file, "--number", &number, "--color", "never"]);
        assert!(record.contains(field), "{value} in record {number}: {record}");
        let (off, start, at) = (&hit["off"], &hit["message"], &hit["offset"]);
        assert_eq!(off.as_u64().unwrap(), start.as_u64().unwrap() + at.as_u64().unwrap());
    }
}

#[test]
fn rare_forms_are_listed_first_and_frequent_ones_are_one_line() {
    let found = records(&["samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find", "5"]);
    let counts: Vec<u64> = found.iter().map(|found| found["count"].as_u64().unwrap()).collect();
    assert!(counts.is_sorted() && *counts.last().unwrap() > 100, "{counts:?}");
    let shown = text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find", "5"]);
    assert_eq!(shown.lines().filter(|line| line.starts_with("  u8, varint")).count(), 1, "{shown}");
    assert!(shown.contains("not listed: ") && shown.contains("not searched: bit fields"), "{shown}");
    let hit = &found[0]["hits"][0];
    let most_often = format!("{} @{}: {}", hit["kind"].as_str().unwrap(), hit["offset"], found[0]["count"]);
    assert!(shown.contains(&most_often), "{most_often}: {shown}");
}

#[test]
fn a_change_of_a_value_is_found_with_the_name_in_front() {
    let found = records(&["samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find-change", "104.5..98.25"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let change = &found[0];
    assert_eq!((&change["as"][0], &change["behind"]), (&Value::from("f32le"), &Value::from("f5010000")));
    assert_eq!((&change["from"]["n"], &change["to"]["n"]), (&Value::from(11), &Value::from(26)));
    assert!(records(&["samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find-change", "98.25..104.5"]).is_empty());
    // A negative number is not an option.
    let found = records(&["samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find-change", "-4298..-4276.25"]);
    assert_eq!((&found[0]["kind"], &found[0]["offset"]), (&Value::from("s2c/03"), &Value::from(10)));
}

#[test]
fn a_value_that_does_not_occur_is_reported_with_the_bytes_not_searched() {
    for (options, code) in [(&[][..], 0), (&["--exit-status"], 1)] {
        for what in [["--find", "123456789"], ["--find-change", "1234567..7654321"]] {
            let args = [&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE], &what[..], options].concat();
            let output = program(&args);
            let problem = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(code), &[][..]), "{args:?}: {problem}");
            assert!(problem.contains("not found in 1 conversation; not searched: bit fields"), "{problem}");
        }
    }
    let cut = text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--find", "5", "--max-bytes", "4096"]);
    assert!(cut.contains("bytes of tcp/0/s2c, beyond the limit"), "{cut}");
    assert!(!cut.contains("missing from the capture"), "{cut}");
}

#[test]
fn a_value_is_searched_in_known_conversations_too() {
    for (options, stream) in [(&[][..], "tcp/0"), (&["--no-heuristics", "-d", "tcp.port==27000,none"], "tcp/0")] {
        let found = records(&[&["samples/pipboy.pcap", "--find", "12214.5"], options].concat());
        let hits: Vec<_> = found[0]["hits"].as_array().unwrap().iter().map(|hit| (&hit["stream"], &hit["off"])).collect();
        assert_eq!(hits, [(&stream.into(), &10445.into()), (&stream.into(), &10472.into())], "{options:?}");
    }
    assert!(text(&["explore", "samples/pipboy.pcap", "--find-change", "98.25..91"]).contains("s2c/03 @10"));
    assert!(text(&["explore", "samples/http.pcap", "--find", "Launcher"]).contains("tcp/0/c2s"));
    let both = text(&["explore", "samples/tools.pcap", "samples/queries.pcap", "--find", "Harbour"]);
    assert!(both.starts_with("==> samples/queries.pcap <==") && both.contains("udp/0/s2c"), "{both}");
    let empty = program(&["explore", "samples/null-loopback.pcap", "--find", "x", "-s", "udp/0"]);
    assert!(String::from_utf8_lossy(&empty.stderr).contains("\"x\" not found in 1 conversation"));
}

#[test]
fn one_offset_of_a_kind_is_read_in_every_form() {
    let found = records(&["samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/03", "--at", "0"]);
    assert_eq!((&found[0]["as"][0], &found[0]["min"], &found[0]["max"]), (&"u32le".into(), &6.into(), &10341.into()));
    let sure: Vec<f64> = found.iter().map(|found| found["confidence"].as_f64().unwrap()).collect();
    assert!(sure.is_sorted_by(|first, second| first >= second) && sure[0] > 0.9, "{sure:?}");
    let names: Vec<&str> =
        found.iter().flat_map(|found| found["as"].as_array().unwrap()).map(|name| name.as_str().unwrap()).collect();
    for name in
        ["u8", "u64be", "i64be", "f32le", "f64be", "varint", "zigzag", "unix32 be", "FILETIME le", "IPv4", "IPv6", "MAC", "text"]
    {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    // The text of the greeting goes on to the end of the message.
    let greeting = text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/01", "--at", "5"]);
    assert!(greeting.lines().any(|line| line.starts_with("  text ") && line.contains("{\"lang\":\"en\"")), "{greeting}");
}

#[test]
fn texts_are_listed_with_the_messages() {
    let view = text(&["explore", "samples/pipboy.pcap", "-s", "tcp/0", "--rule", RULE, "--type", "s2c/03", "--messages", "6"]);
    assert!(view.contains("\"Warm soup\""), "{view}");
}

/// Output of a command line on a terminal of 80 columns; `None` without `script`.
fn on_a_terminal(line: &str) -> Option<String> {
    let command = format!("stty cols 80 rows 50; {} {line}", binary());
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).env("PAGER", "cat").env("NO_COLOR", "1");
    let done = script.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(std::process::Stdio::null()).output().ok()?;
    Some(String::from_utf8(done.stdout).unwrap().replace("\r\n", "\n"))
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for options in
        ["", "--find 5", "--find-change 5..6", "--type s2c/03", "--type s2c/01", "--type s2c/03 --at 6", "--type s2c/01 --at 5"]
    {
        let Some(shown) = on_a_terminal(&format!("explore samples/pipboy.pcap -s tcp/0 --rule {RULE} {options}")) else { return };
        assert!(shown.lines().count() > 5, "{options}: {shown}");
        for line in shown.lines() {
            assert!(line.chars().count() <= 80, "{options}: {line}");
        }
    }
}

#[test]
fn a_capture_that_is_mostly_unexplained_ends_with_a_hint() {
    let blind = "--no-heuristics -d tcp.port==43594,none";
    let Some(shown) = on_a_terminal(&format!("-l samples/runescape.pcap {blind}")) else { return };
    let hint =
        "proto-dissect: tcp/0 and 1 more conversation: 16 undissected messages; try proto-dissect explore samples/runescape.pcap";
    assert_eq!(shown.lines().last(), Some(hint), "{shown}");
    for quiet in ["-l samples/runescape.pcap".to_owned(), format!("-q {blind} samples/runescape.pcap")] {
        let shown = on_a_terminal(&quiet).unwrap_or_default();
        assert!(!shown.contains("undissected"), "{quiet}: {shown}");
    }
    let piped = program(&["-l", "samples/runescape.pcap", "--no-heuristics", "-d", "tcp.port==43594,none"]);
    assert!(piped.stderr.is_empty(), "{}", String::from_utf8_lossy(&piped.stderr));
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
    std::thread::scope(|scope| {
        for command in own_cases(commands, 0, 4) {
            scope.spawn(move || {
                let words: Vec<&str> = command.split_whitespace().skip(1).map(|word| word.trim_matches('\'')).collect();
                assert!(!text(&words).is_empty(), "{command}");
            });
        }
    });
}

#[test]
fn messages_inside_datagrams_are_found_and_the_file_delivers_them() {
    let shown = run(&["explore", "samples/ksy/rooms.pcap", "-s", "udp/0"]);
    assert!(shown.out.contains("inside: a run of length@20:u32le+24"), "{}", shown.out);
    let file = run(&["explore", "samples/ksy/rooms.pcap", "-s", "udp/0", "--ksy"]);
    assert!(file.out.contains("deliver: {of: elements, when: len_data > 0, data: data, as: message}"), "{}", file.out);
    let scratch = Folder::new("inside");
    let path = scratch.file("inside.ksy");
    std::fs::write(&path, &file.out).unwrap();
    let read = run(&["-k", path.to_str().unwrap(), "--json", "samples/ksy/rooms.pcap"]);
    let inner = read.out.lines().filter(|line| line.contains(r#"unknown_udp_0:unknown_udp_0""#)).count();
    // 23 segments with bytes, one of them twice.
    assert_eq!((inner, read.code), (24, 0), "{}", read.err);
}

#[test]
fn found_values_have_the_fields_of_dissectors_and_occur_in_decoded_bytes() {
    let found = |args: &[&str]| -> Vec<Value> {
        let args: Vec<&str> = ["find"].iter().chain(args).chain(&["--json"]).copied().collect();
        let lines = text(&args);
        let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.filter(|record| record["type"] == "find").collect()
    };
    let hits = |found: &[Value], form: &str, list: &str| -> Vec<Value> {
        let found = found.iter().find(|found| found["as"][0] == form).unwrap_or_else(|| panic!("{form}: {found:?}"));
        found[list].as_array().cloned().unwrap_or_default()
    };
    let value = found(&["12214.5", "samples/pipboy.pcap"]);
    let value = hits(&value, "f32le", "hits");
    assert!(!value.is_empty() && value.iter().all(|hit| hit["field"] == "pipboy.entry.float"), "{value:?}");
    assert!(value.iter().all(|hit| hit["name"] == "data_update" && hit["n"].is_u64()), "{value:?}");
    // A dissector knows the bytes of DNS, in a datagram.
    let name = found(&["Harbour", "samples/queries.pcap"]);
    assert!(name.iter().flat_map(|found| found["hits"].as_array().unwrap()).all(|hit| hit["stream"].is_string()), "{name:?}");
    // The bytes on the wire are xored with 0x5a.
    let file = "meta: {id: game, endian: le, encoding: UTF-8}\nseq:\n  - {id: kind, type: u1}\n  - {id: name, type: inner, size: 6, process: xor(0x5a)}\n\
                types: {inner: {seq: [{id: text, type: str, size-eos: true}]}}\n";
    let folder = Folder::new("find");
    std::fs::write(folder.file("xored.ksy"), file).unwrap();
    let (file, hex) = (folder.file("xored.ksy"), "01 1e 33 3b 37 35 34");
    let decoded = found(&["Diamon", "--hex", hex, "-k", file.to_str().unwrap()]);
    let decoded = hits(&decoded, "UTF-8", "derived");
    assert_eq!(decoded.len(), 1, "{decoded:?}");
    assert_eq!((&decoded[0]["method"], &decoded[0]["field"]), (&"xor".into(), &"game.name.text".into()), "{decoded:?}");
    assert!(text(&["find", "Diamon", "--hex", hex, "-k", file.to_str().unwrap()]).contains("xor"));
}

#[test]
fn a_rule_divides_each_datagram() {
    let starts = |rule: &str| {
        let found = record(&["samples/ksy/rooms.pcap", "-s", "udp/0", "--rule", rule]);
        let confidence = found["framing"][0]["confidence"].as_f64().unwrap();
        let sides = found["sides"].as_array().unwrap();
        let counts: Vec<usize> = sides.iter().map(|side| side["starts"].as_array().unwrap().len()).collect();
        (confidence, counts)
    };
    // The segments of KCP in 13 and 10 datagrams, with acknowledgements.
    assert_eq!(starts("length@20:u32le+24"), (1.0, vec![18, 17]));
    // A rule that does not fit leaves datagrams whole.
    let (confidence, counts) = starts("length@0:u32be+24");
    assert!(confidence < 0.25 && counts == [13, 10], "{confidence} {counts:?}");
}
