//! Every output format, compared with its golden text.

use crate::common::{Scratch, assert_golden, is_thorough, own_cases, run, run_with, samples};
use serde_json::Value;
use std::collections::HashSet;

const SESSION: &str = "samples/pipboy.pcap";

/// The records of a run as JSON, each an object.
fn records(arguments: &[&str]) -> Vec<Value> {
    let run = run(arguments);
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn messages(arguments: &[&str]) -> Vec<Value> {
    records(arguments).into_iter().filter(|record| record["type"] == "message").collect()
}

/// Carriers are omitted if no output shows them, which changes nothing else.
#[test]
fn messages_are_the_same_with_and_without_their_headers() {
    let mut carried = 0;
    for sample in own_cases(samples(), 0, 6) {
        let sample = &format!("samples/{sample}");
        let (without, mut with) = (messages(&["--json", sample]), messages(&["--json", "-v", sample]));
        // Derived buffers of layers are present only with the layers.
        with.iter_mut().for_each(|message| {
            let members = message.as_object_mut().unwrap();
            carried += members.remove("layers").map_or(0, |layers| layers.as_array().unwrap().len());
            members.remove("derived");
        });
        let mut without = without;
        without.iter_mut().for_each(|message| drop(message.as_object_mut().unwrap().remove("derived")));
        assert_eq!(without, with, "{sample}");
    }
    assert!(carried > if is_thorough() { 1000 } else { 150 }, "{carried}");
}

#[test]
fn forms_print_what_is_kept() {
    for (name, arguments) in [
        ("table.txt", &["-c", "24", SESSION][..]),
        ("table-full.txt", &["-V", "--number", "1-10,12-36", SESSION]),
        ("table-verbose-hex.txt", &["-v", "-x", "-c", "5", SESSION]),
        ("table-colour.txt", &["--color", "always", "-c", "6", "-x", SESSION]),
        ("table-damaged.txt", &["samples/pipboy-damaged.pcap"]),
        ("table-layers.txt", &["samples/layers.pcap"]),
        ("table-packets.txt", &["--packets", "samples/layers.pcap"]),
        ("list.txt", &["-l", SESSION]),
        ("list-packets.txt", &["--packets", "-l", SESSION]),
        ("list-midstream.txt", &["-l", "samples/pipboy-midstream.pcap"]),
        ("ndjson.txt", &["--json", "--number", "1-10,12-36", SESSION]),
        ("ndjson-damaged.txt", &["--json", "--number", "1-3,5-7,9-60", "samples/pipboy-damaged.pcap"]),
        ("ndjson-packets.txt", &["--json", "--packets", "samples/layers.pcap"]),
        ("ndjson-ipv6.txt", &["--json", "-v", "-c", "3", "samples/pipboy-ipv6.pcapng"]),
        ("json.txt", &["-T", "json", "samples/linux-cooked.pcap"]),
        ("vscp-table.txt", &["samples/vscp.pcap"]),
        ("vscp-table-damaged.txt", &["samples/vscp-damaged.pcap"]),
        ("vscp-list.txt", &["-l", "samples/vscp.pcap"]),
        ("vscp-list-midstream.txt", &["-l", "samples/vscp-midstream.pcap"]),
        ("vscp-ndjson.txt", &["--json", "--number", "1-50", "samples/vscp.pcap"]),
        ("runescape-log-list.txt", &["-l", "samples/runescape-log.bin"]),
        ("xfire-list.txt", &["-l", "samples/xfire.pcap"]),
        ("xfire-packets.txt", &["-V", "--number", "1-40", "samples/xfire-packets.pcap"]),
        ("several-files.txt", &["-l", "samples/linux-cooked.pcap", "samples/null-loopback.pcap"]),
        ("several-files-tables.txt", &["samples/null-loopback.pcap", "samples/linux-cooked.pcap", "samples/null-loopback.pcap"]),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        assert_golden(name, &run.out);
    }
}

#[test]
fn columns_are_written_as_tshark_writes_them() {
    let columns = ["-T", "fields", "-e", "frame.number", "-e", "tcp.port", "-e", "ip.src", "-e", "pipboy.type"];
    let all = run(&[&columns[..], &["--packets", "-c", "12", SESSION]].concat());
    assert_golden("fields.txt", &all.out);
    let first = run(&[&columns[..], &["--packets", "-c", "12", "-E", "occurrence=f", SESSION]].concat());
    assert!(all.out.contains("41508,27000\t") && !first.out.contains("41508,27000\t"), "{}", first.out);
    assert_eq!(run(&["-e", "message.name", "-c", "1", SESSION]).out, "discovery_request\n");
}

#[test]
fn only_the_chosen_records_are_printed() {
    let numbers = |arguments: &[&str]| -> Vec<u64> {
        messages(&[&["--json", SESSION], arguments].concat()).iter().map(|message| message["n"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&["--number", "5,10-12"]), [5, 10, 11, 12]);
    assert_eq!(numbers(&["--skip", "3", "-c", "2"]), [4, 5]);
    assert!(numbers(&["-c", "0"]).is_empty());
    assert_eq!(numbers(&["--number", "80-", "--skip", "1", "-c", "1"]), [81]);
}

#[test]
fn flat_records_have_a_name_for_each_field() {
    let flat: Vec<Value> = records(&["-T", "flat", "-c", "20", SESSION]);
    let command = flat.last().unwrap();
    assert_eq!(command["pipboy.command.type"], 14);
    assert_eq!(command["message.name"], "command");
    let update = flat.iter().find(|record| record["message.name"] == "data_update").unwrap();
    assert_eq!(update["frame.number"], 36);
    assert_eq!(update["pipboy.entry.id"].as_array().unwrap().len(), 519);
    assert_eq!(flat.len(), 20);
}

#[test]
fn csv_has_a_header_and_doubles_quotes() {
    let run = run(&["-T", "csv", "-e", "frame.number", "-e", "pipboy.discovery.json", "-c", "1", SESSION]);
    assert_eq!(run.out, "frame.number,pipboy.discovery.json\n\"1\",\"{\"\"cmd\"\":\"\"autodiscover\"\"}\"\n");
}

#[test]
fn times_are_written_in_the_form_that_is_named() {
    let first = |form: &str| run(&["-l", "-c", "1", "-t", form, SESSION]).out;
    assert!(first("r").contains(" 0.000000 "));
    assert!(first("e").contains("1448400000.000000"));
    assert!(first("ad").contains("2015-11-24 21:20:00.000000"));
    assert_eq!(run(&["-t", "x", SESSION]).code, 2);
}

#[test]
fn no_escape_byte_reaches_a_pipe() {
    for arguments in [&[SESSION][..], &["-l", SESSION], &["-V", "-x", "-v", SESSION], &["--packets", SESSION]] {
        assert!(!run(arguments).out.contains('\x1b'));
    }
    assert!(run(&["--color", "always", "-c", "1", SESSION]).out.contains('\x1b'));
}

/// A value without the fields of frames and times, which a dump does not have.
fn without_frames(value: &Value) -> Value {
    const OF_FRAMES: [&str; 2] = ["pipboy.result.command_frame", "pipboy.result.time"];
    let is_kept = |field: &&Value| !OF_FRAMES.iter().any(|name| field["name"] == *name);
    value.as_array().map_or_else(|| value.clone(), |fields| fields.iter().filter(is_kept).cloned().collect())
}

#[test]
fn a_follow_dump_has_the_same_messages_as_its_capture() {
    let of_capture: Vec<Value> = messages(&["--json", SESSION]).into_iter().filter(|m| m["stream"] == "tcp/0").collect();
    let of_dump = messages(&["--json", "samples/pipboy-follow.txt"]);
    assert!(of_dump.len() > 70);
    for side in ["c2s", "s2c"] {
        let columns = |messages: &[Value]| -> Vec<[Value; 5]> {
            let by_side = messages.iter().filter(|message| message["dir"] == side);
            by_side.map(|m| ["name", "off", "len", "fields", "buffer"].map(|key| without_frames(&m[key]))).collect()
        };
        assert_eq!(columns(&of_capture), columns(&of_dump));
    }
}

#[test]
fn a_message_piped_in_as_hex_is_recognised() {
    let greeting = b"23 00 00 00 01 7b 22 6c 61 6e 67 22 3a 22 65 6e 22 2c 22 76 65 72 73 69 6f 6e 22 3a 22 31 2e 31 2e 33 30 2e 30 22 7d 0a";
    let run = run_with(&["--json"], greeting);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains(r#""info":"en 1.1.30.0""#), "{}", run.out);
    let frame = run_with(&["-l"], &std::fs::read("samples/pipboy-greeting.hex").unwrap());
    assert!(frame.out.contains("connection_accepted"), "{}", frame.out);
}

#[test]
fn maps_lead_every_byte_of_a_message_back_to_its_frames() {
    for message in messages(&["--json", "--number", "1-3,5-7,9-60", "samples/pipboy-damaged.pcap"]) {
        let Some(map) = message["map"].as_array() else { continue };
        let mut at = message["off"].as_u64().unwrap();
        for piece in map {
            assert_eq!(piece["off"].as_u64().unwrap(), at);
            at += piece["len"].as_u64().unwrap();
        }
        assert_eq!(at, message["off"].as_u64().unwrap() + message["len"].as_u64().unwrap());
    }
}

#[test]
fn the_last_line_counts_what_was_printed() {
    for file in ["samples/pipboy.pcap", "samples/pipboy-damaged.pcap", "samples/pipboy-midstream.pcap", "samples/layers.pcap"] {
        let records = records(&["--json", file]);
        let end = records.last().unwrap();
        let count = |kind: &str| records.iter().filter(|record| record["type"] == kind).count() as u64;
        assert_eq!(end["type"], "end");
        assert_eq!(end["messages"].as_u64().unwrap(), count("message"));
        assert_eq!(end["gaps"].as_u64().unwrap(), count("gap"));
    }
}

#[test]
fn both_views_count_the_same() {
    let end = |arguments: &[&str]| records(arguments).last().unwrap().clone();
    for file in ["samples/pipboy.pcap", "samples/pipboy-damaged.pcap"] {
        assert_eq!(end(&["--json", file]), end(&["--json", "--packets", file]));
    }
}

#[test]
fn an_array_is_one_json_value_with_the_same_records() {
    let array: Vec<Value> = serde_json::from_str(&run(&["-T", "json", SESSION]).out).unwrap();
    assert_eq!(array, records(&["--json", SESSION]));
}

#[test]
fn hostile_text_reaches_no_output_raw() {
    let hostile = "{\"lang\":\"\\u001b[31m\u{9b}31m\u{202e}\",\"version\":\"\x07\"}";
    let mut message = u32::try_from(hostile.len()).unwrap().to_le_bytes().to_vec();
    message.push(1);
    message.extend(hostile.as_bytes());
    let hex: String = message.iter().map(|byte| format!("{byte:02x} ")).collect();
    let bad: HashSet<char> = ['\x1b', '\u{9b}', '\u{202e}', '\x07'].into();
    for arguments in [&[][..], &["-V"], &["-l"], &["-x"], &["--json"], &["-T", "json"], &["-e", "pipboy.json"]] {
        let run = run_with(arguments, hex.as_bytes());
        assert!(!run.out.is_empty() && !run.out.contains(|c| bad.contains(&c)), "{arguments:?}: {:?}", run.out);
    }
}

/// Without values that depend on times between frames, which a hex dump does not have.
fn untimed(value: &mut Value) {
    match value {
        Value::Array(values) => {
            const OF_TIMES: [&str; 3] = ["tcp.analysis", "pipboy.result.time", "pipboy.discovery.time"];
            values.retain(|value| !OF_TIMES.iter().any(|name| value["name"] == *name));
            values.iter_mut().for_each(untimed);
        }
        Value::Object(members) => members.values_mut().for_each(untimed),
        _ => {}
    }
}

/// The frames of a capture, written and read back.
#[test]
fn a_hex_dump_of_ours_can_be_read_back() {
    let frames = |arguments: &[&str], input: &[u8]| -> Vec<Value> {
        let run = run_with(arguments, input);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        let records = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let records = records.filter(|record| record["type"] == "packet").map(|mut record| {
            untimed(&mut record["layers"]);
            record["layers"].take()
        });
        records.collect()
    };
    for sample in own_cases([SESSION, "samples/layers.pcap", "samples/pipboy-damaged.pcap"], 2, 3) {
        let dump = run(&["--packets", "-x", sample]).out;
        let link = ["--link", "ethernet", "--json", "--packets"];
        assert_eq!(frames(&link, dump.as_bytes()), frames(&["--json", "--packets", sample], b""), "{sample}");
    }
}

#[test]
fn direction_marks_of_hex_text_determine_the_sender() {
    let text = b"O 21:20:00.5\n000000 00 00 00 00 00\nI 21:20:01.5\n000000 00 00 00 00 00\n";
    let run = run_with(&["--json", "--as", "pipboy"], text);
    let records: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages: Vec<_> = records.iter().filter(|record| record["type"] == "message").map(|m| (&m["dir"], &m["t"])).collect();
    assert_eq!(messages.len(), 2, "{}{}", run.out, run.err);
    assert_eq!((messages[0].0, messages[1].0), (&Value::from("c2s"), &Value::from("s2c")), "{}", run.out);
    assert_eq!(messages[1].1, &Value::from(1.0), "{}", run.out);
}

#[test]
fn bytes_without_headers_are_dissected_by_the_protocol_that_recognizes_them() {
    let call = b"00 00 00 40 46 00 00 00 0f 00 05 70 72 69 6e 74 73 00 05 48 65 6c 6c 6f";
    let list = run_with(&["-l"], call).out;
    assert!(list.contains("LibRPC") && list.contains("print(\"Hello\")"), "{list}");
    assert!(!run_with(&["--json"], call).out.contains("dissect.tie"));
}

#[test]
fn a_script_expression_is_escaped_once() {
    // f("a\"\\"): a quote and a backslash in the argument.
    let call = b"01000040 46 00000009 0001 66 73 0003 61225c";
    let table = run_with(&["--as", "librpc"], call).out;
    assert_eq!(table.matches(r#"f("a\"\\")"#).count(), 2, "{table}");
    assert!(table.contains(r#""a\"\\"     string"#), "{table}");
    assert!(run_with(&["-l", "--as", "librpc"], call).out.contains(r#"f("a\"\\")"#));
}

#[test]
fn a_direction_that_is_given_is_kept() {
    // A message of Xfire clients: UA01 and their version.
    let hello = b"55 41 30 31 12 00 03 00 01 07 76 65 72 73 69 6f 6e 02 43 00 00 00";
    for (protocol, direction) in [("xfire", "c2s"), ("xfire:c2s", "c2s"), ("xfire:s2c", "s2c")] {
        let run = run_with(&["--json", "--as", protocol], hello);
        let messages = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let directions: Vec<Value> = messages.filter(|record| record["type"] == "message").map(|m| m["dir"].clone()).collect();
        assert!(!directions.is_empty() && directions.iter().all(|dir| dir == direction), "{protocol}: {}", run.out);
    }
}

#[test]
fn protocols_that_cannot_explain_the_bytes_are_not_listed_as_alternatives() {
    // An instant message of Xfire, which is long enough for a DNS header as well.
    let message = b"49 00 02 00 02 03 73 69 64 03 0b 8e eb 3e 81 f8 d9 4f 6a ed 08 54 8f 96 d3 93 07 70 65 65 72 6d
        73 67 05 03 07 6d 73 67 74 79 70 65 02 00 00 00 00 07 69 6d 69 6e 64 65 78 02 04 00 00 00 02 69
        6d 01 05 00 64 75 64 65 21";
    let run = run_with(&["--json", "--explain-input"], message);
    assert!(run.out.contains(r#""protocol":"data""#) && !run.out.contains("dns"), "{}", run.out);
    assert!(run.err.contains("fits xfire, which is found by port") && !run.err.contains("fits dns"), "{}", run.err);
}

#[test]
fn session_ids_of_xfire_are_masked_and_numbered() {
    let message = "49 00 02 00 02 03 73 69 64 03 0b 8e eb 3e 81 f8 d9 4f 6a ed 08 54 8f 96 d3 93 07 70 65 65 72 6d
        73 67 05 03 07 6d 73 67 74 79 70 65 02 00 00 00 00 07 69 6d 69 6e 64 65 78 02 04 00 00 00 02 69
        6d 01 05 00 64 75 64 65 21";
    let two = [message, &message.replace("0b 8e", "0c 8e"), message].concat();
    let out = run_with(&["--as", "xfire:c2s"], two.as_bytes()).out;
    let numbers: Vec<&str> = out.lines().filter_map(|line| line.split_once("  sid  ")?.1.split_whitespace().nth(1)).collect();
    assert_eq!(numbers, ["#1", "#2", "#1"], "{out}");
    assert!(out.contains("IM #4 to sid #2: \"dude!\""), "{out}");
    let whole = run_with(&["-V", "--as", "xfire:c2s"], two.as_bytes()).out;
    let shown: Vec<&str> = whole.lines().filter(|line| line.contains(" session ID ")).collect();
    assert!(shown.len() == 3 && shown.iter().all(|line| line.contains("***") && line.contains("sid #")), "{whole}");
    assert!(run_with(&["--as", "xfire:c2s", "--show-secrets"], two.as_bytes()).out.contains("0b8eeb3e81f8"));
    assert!(run(&["fields", "xfire.sid"]).out.contains("--show-secrets"));
}

#[test]
fn short_messages_keep_their_fields_with_headers_and_hex_dump() {
    for options in [&["-v"][..], &["-x"], &["-v", "-x"]] {
        let shown = run(&[options, &["--number", "1", "samples/queries.pcap"]].concat());
        let rows =
            ["     42  ff ff ff ff          header", "     46  54                   type", "     47  53 6f 75 72 63 65 …  query"];
        assert!(rows.iter().all(|row| shown.out.contains(row)), "{options:?}: {}", shown.out);
    }
    let is_row = |line: &&str| line.starts_with(' ');
    for sample in ["queries", "talk", "tls", "pipboy", "torrents"] {
        let sample = &format!("samples/{sample}.pcap");
        let plain = run(&["-c", "60", sample]);
        for options in [&["-v"][..], &["-v", "-x"], &["-x"]] {
            let more = run(&[options, &["-c", "60", sample]].concat());
            let more: HashSet<&str> = more.out.lines().collect();
            let lost: Vec<&str> = plain.out.lines().filter(is_row).filter(|line| !more.contains(line)).collect();
            assert!(lost.is_empty(), "{sample} {options:?}: {lost:#?}");
        }
    }
}

#[test]
fn a_hex_dump_in_json_is_the_bytes_of_fields() {
    for form in ["json", "ndjson", "flat", "nested"] {
        let dumped = run(&["-T", form, "-x", "-c", "5", SESSION]);
        assert_eq!((dumped.code, &dumped.out), (0, &run(&["-T", form, "--raw", "-c", "5", SESSION]).out));
        assert!(dumped.out.contains("raw\":\""), "{form}: {}", dumped.out);
    }
}

#[test]
fn each_json_record_of_several_inputs_names_its_file() {
    let cut = &std::fs::read("samples/vscp-damaged.pcap").unwrap()[..14_400];
    let damaged = Scratch::new("output-cut.pcap", cut);
    let files = [damaged.path(), "samples/xfire-packets.pcap", "samples/linux-cooked.pcap"];
    let (mut types, mut texts) = (HashSet::new(), HashSet::new());
    for threads in ["1", "2", "4"] {
        for options in [&["--json"][..], &["--json", "--packets"]] {
            let records = records(&[options, &["--threads", threads], &files].concat());
            let mut file = &Value::Null;
            for record in &records {
                file = if record["type"] == "begin" { &record["file"] } else { file };
                assert!(file.is_string() && &record["file"] == file, "{threads} {record}");
                types.insert(record["type"].as_str().unwrap().to_owned());
            }
        }
        for form in ["json", "flat", "nested"] {
            let run = run(&[&["-T", form, "--threads", threads][..], &files].concat());
            let lines: Vec<&str> = run.out.lines().filter(|line| line.starts_with('{')).collect();
            assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("\"file\":\"")), "{form}");
            texts.insert(run.out);
        }
    }
    assert_eq!(texts.len(), 3);
    for kind in ["begin", "message", "packet", "late", "gap", "error", "end"] {
        assert!(types.contains(kind), "{kind} of {types:?}");
    }
    assert!(messages(&["--json", SESSION]).iter().all(|message| message.get("file").is_none()));
    assert_eq!(run(&["-T", "flat", "-e", "file", "-c", "1", SESSION]).out, format!("{{\"file\":\"{SESSION}\"}}\n"));
}

#[test]
fn only_files_with_records_have_a_heading() {
    let files = ["samples/http.pcap", SESSION, "samples/queries.pcap"];
    for threads in ["1", "2", "4"] {
        for options in [&["-l"][..], &[], &["-V"], &["-l", "-j", "pipboy"]] {
            let shown = run(&[options, &["--threads", threads, "-Y", "pipboy.discovery.cmd"], &files].concat());
            let headings: Vec<&str> = shown.out.lines().filter(|line| line.starts_with("── samples")).collect();
            assert_eq!(headings, [format!("── {SESSION} ──")], "{threads} {options:?}");
            let none = run(&[options, &["--threads", threads, "-Y", "frame.len == 3"], &files].concat());
            assert_eq!(none.out, "", "{threads} {options:?}");
        }
    }
    let unknown = run(&["explore", "samples/http.pcap", "samples/queries.pcap"]);
    assert_eq!((unknown.out.as_str(), unknown.err.lines().count()), ("", 2), "{}", unknown.err);
    let both = run(&["follow", "samples/http.pcap", SESSION]);
    assert!(both.out.starts_with("==> samples/http.pcap <==\n ") && both.out.contains("\n\n==> samples/pipboy.pcap <==\n "));
}
