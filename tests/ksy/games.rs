//! Files of `samples/ksy/` compared with the built-in dissectors of the same protocols: equal values at equal positions, and
//! equal messages.
//!
//! Each test lists where the two differ on purpose, and which fields the built-in dissector knows beyond the file.

use crate::common::{Run, program, run_with};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A value with its span.
#[derive(Debug, Clone, PartialEq)]
struct Leaf {
    name: String,
    off: u64,
    len: u64,
    value: Value,
}

/// The values of all messages that have bytes.
fn leaves(done: &Run) -> Vec<Leaf> {
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let mut found = Vec::new();
    for line in done.out.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record.get("notes").is_none_or(|notes| !notes.to_string().contains("broken")), "{record}");
        collect(&record["fields"], &mut found);
    }
    found
}

fn collect(fields: &Value, found: &mut Vec<Leaf>) {
    for field in fields.as_array().into_iter().flatten() {
        let number = |key: &str| field[key].as_u64().unwrap_or_default();
        let name = field["name"].as_str().unwrap().to_owned();
        if field.get("value").is_some() && number("len") > 0 {
            found.push(Leaf { name, off: number("off"), len: number("len"), value: field["value"].clone() });
        }
        collect(&field["fields"], found);
    }
}

/// The bytes of one side of a conversation.
fn sent(sample: &str, stream: &str, side: &str) -> Vec<u8> {
    let sample = format!("samples/{sample}");
    let done = program().args(["follow", &sample, "-s", stream, "-T", "raw", "--dir", side, "--show-secrets"]).output().unwrap();
    assert!(!done.stdout.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    done.stdout
}

fn by_file(file: &str, bytes: &[u8]) -> Vec<Leaf> {
    leaves(&run_with(&["-k", &format!("samples/ksy/{file}"), "--input-format", "raw", "--json", "-"], bytes))
}

fn built_in(protocol: &str, bytes: &[u8]) -> Vec<Leaf> {
    leaves(&run_with(&["--input-format", "raw", "--as", protocol, "--show-secrets", "--json", "-"], bytes))
}

/// The comparison of a file with a built-in dissector.
#[derive(Debug, Default)]
struct Comparison {
    /// Number of equal values with equal spans.
    equal: usize,
    /// Fields of the file whose values differ, or have no counterpart with this span, with the number of values.
    differing: BTreeMap<String, usize>,
    /// Fields of the built-in dissector with spans that the file does not split.
    beyond: BTreeSet<String>,
}

fn compare(file: &[Leaf], built_in: &[Leaf]) -> Comparison {
    let mut comparison = Comparison::default();
    let mut places: BTreeMap<(u64, u64), Vec<&Leaf>> = BTreeMap::new();
    built_in.iter().for_each(|leaf| places.entry((leaf.off, leaf.len)).or_default().push(leaf));
    for leaf in file {
        match places.get(&(leaf.off, leaf.len)) {
            Some(others) if others.iter().any(|other| other.value == leaf.value) => comparison.equal += 1,
            _ => *comparison.differing.entry(leaf.name.clone()).or_default() += 1,
        }
    }
    let split: BTreeSet<(u64, u64)> = file.iter().map(|leaf| (leaf.off, leaf.len)).collect();
    let beyond = built_in.iter().filter(|leaf| !split.contains(&(leaf.off, leaf.len)));
    comparison.beyond = beyond.map(|leaf| leaf.name.clone()).collect();
    comparison
}

fn differing(comparison: &Comparison) -> Vec<(&str, usize)> {
    comparison.differing.iter().map(|(name, count)| (name.as_str(), *count)).collect()
}

fn beyond(comparison: &Comparison) -> Vec<&str> {
    comparison.beyond.iter().map(String::as_str).collect()
}

#[test]
fn the_file_of_pip_boy_reads_what_the_built_in_dissector_reads() {
    let bytes = sent("pipboy.pcap", "tcp/0", "s2c");
    let server = compare(&by_file("fallout4_pipboy.ksy", &bytes), &built_in("pipboy:s2c", &bytes));
    assert!(server.equal > 3800, "{server:?}");
    // A boolean is a byte in the file.
    assert_eq!(differing(&server), [("fallout4_pipboy.messages.body.entries.value", 20)]);
    // The members of JSON texts are fields of the built-in dissector.
    assert_eq!(
        beyond(&server),
        [
            "pipboy.accepted.lang",
            "pipboy.accepted.version",
            "pipboy.result.allowed",
            "pipboy.result.id",
            "pipboy.result.message",
            "pipboy.result.success"
        ]
    );
    let bytes = sent("pipboy.pcap", "tcp/0", "c2s");
    let client = compare(&by_file("fallout4_pipboy.ksy", &bytes), &built_in("pipboy:c2s", &bytes));
    assert!(client.equal > 80, "{client:?}");
    assert_eq!(differing(&client), []);
    assert_eq!(beyond(&client), ["pipboy.command.args", "pipboy.command.id", "pipboy.command.type"]);
}

#[test]
fn the_file_of_xfire_reads_what_the_built_in_dissector_reads() {
    let bytes = sent("xfire.pcap", "tcp/0", "s2c");
    let server = compare(&by_file("xfire.ksy", &bytes), &built_in("xfire:s2c", &bytes));
    assert!(server.equal > 1000, "{server:?}");
    // The byte that distinguishes attribute formats is a part of their names.
    assert_eq!(differing(&server), [("xfire.packets.body.second_byte", 12)]);
    assert_eq!(beyond(&server), [""; 0]);
    let bytes = sent("xfire.pcap", "tcp/0", "c2s");
    let client = compare(&by_file("xfire.ksy:client_stream", &bytes), &built_in("xfire:c2s", &bytes));
    assert!(client.equal > 170, "{client:?}");
    // Fixed contents are bytes in a file and text in the built-in dissector.
    assert_eq!(differing(&client), [("xfire.opening", 1), ("xfire.packets.body.second_byte", 9)]);
    assert_eq!(beyond(&client), [""; 0]);
}

#[test]
fn the_file_of_vscp_reads_what_the_built_in_dissector_reads() {
    for (side, root, equal, unsplit) in [("c2s", "client_stream", 230, 8), ("s2c", "server_stream", 280, 14)] {
        let bytes = sent("vscp.pcap", "tcp/4", side);
        let compared = compare(&by_file(&format!("vscp.ksy:{root}"), &bytes), &built_in(&format!("vscp:{side}"), &bytes));
        assert!(compared.equal > equal, "{compared:?}");
        // Content without a type in the file, and the word of the hello, which is bytes in the file.
        assert_eq!(differing(&compared), [("vscp.hello.magic", 1), ("vscp.packets.body.content.content", unsplit)]);
        let groups: BTreeSet<&str> = beyond(&compared).iter().map(|name| name.rsplit_once('.').unwrap().0).collect();
        let expected = ["vscp.appl", "vscp.character", "vscp.private_chat", "vscp.user", "vscp.voice"];
        assert!(groups.iter().all(|group| expected.contains(group)), "{groups:?}");
    }
}

#[test]
fn the_file_of_librpc_reads_what_the_built_in_dissector_reads() {
    let every_value = "01 00 00 40 46 00 00 00 4c 00 04 64 65 6d 6f 73 00 02 68 69 69 fe ff ff ff 66 00 00 c0 3f 6f 62 01 76 00 00 80 3f \
                       00 00 00 40 00 00 40 40 71 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 61 00 00 00 11 69 01 00 00 00 73 00 01 \
                       61 61 00 00 00 02 62 00 6f";
    let hello = "00 00 00 40 46 00 00 00 0f 00 05 70 72 69 6e 74 73 00 05 48 65 6c 6c 6f";
    for (hex, equal) in [(hello, 7), (every_value, 25)] {
        let file = leaves(&run_with(&["-k", "samples/ksy/vcmp_librpc.ksy", "--json", "--hex", hex], b""));
        let built_in = leaves(&run_with(&["--as", "librpc", "--json", "--hex", hex], b""));
        let compared = compare(&file, &built_in);
        assert!(compared.equal >= equal, "{compared:?}");
        assert_eq!(beyond(&compared), [""; 0]);
        // A kind and a boolean are numbers in the file.
        let numbers = ["vcmp_librpc.call.body.arguments.data", "vcmp_librpc.call.kind"];
        assert!(compared.differing.iter().all(|(name, count)| numbers.contains(&name.as_str()) && *count < 3), "{compared:?}");
    }
}

#[test]
fn the_file_of_runescape_types_reads_what_the_built_in_dissector_reads() {
    const NAMES: [&str; 13] = [
        "byte_a",
        "byte_c",
        "byte_s",
        "short_a",
        "short_a_le",
        "tribyte",
        "int_middle_big",
        "int_middle_small",
        "smart_one",
        "smart_two",
        "jstr_old",
        "jstr_new",
        "bit_block",
    ];
    let types = "rs.type:u8_add u8_neg u8_sub u16_add u16_add_le u24 i32_ime i32_me usmart usmart jstr jstr0";
    let hex = "01 02 03 04 85 86 07 08 09 0a 12 34 56 78 12 34 56 78 45 c1 23 61 62 0a 63 64 00";
    let bits = "b7 20";
    let built_in = run_with(&["--as", types, "--json", "--hex", hex], b"");
    let values: Vec<Value> = leaves(&built_in).into_iter().map(|leaf| leaf.value).collect();
    let whole = format!("{hex} {bits}");
    let file = run_with(&["-k", "samples/ksy/runescape_types.ksy", "--json", "--hex", &whole], b"");
    let record: Value = serde_json::from_str(file.out.lines().nth(1).unwrap()).unwrap();
    let fields = record["fields"].as_array().unwrap();
    let read: Vec<Value> = fields
        .iter()
        .map(|field| {
            let inner = field["fields"].as_array().into_iter().flatten();
            let mut value =
                inner.filter(|inner| inner["name"].as_str().unwrap().ends_with(".value")).map(|inner| inner["value"].clone());
            value.next_back().unwrap_or_else(|| field["value"].clone())
        })
        .collect();
    assert_eq!(fields.iter().map(|field| field["label"].as_str().unwrap()).collect::<Vec<_>>(), NAMES);
    assert_eq!(read[..12], values[..], "{}\n{}", built_in.out, file.out);
    let bits: Vec<u64> = fields[12]["fields"].as_array().unwrap().iter().filter_map(|field| field["value"].as_u64()).collect();
    // 1 01 10111001 00000
    assert_eq!((bits, &fields[12]["fields"][0]["value"]), (vec![1, 0b1011_1001], &Value::Bool(true)));
}

/// The messages of a protocol in a sample: sender, offset and length of each.
fn extents(file: Option<&str>, protocol: &str, sample: &str, transport: &str) -> Vec<(String, u64, u64)> {
    let path = file.map(|file| format!("samples/ksy/{file}.ksy"));
    let sample = format!("samples/{sample}");
    let mut arguments: Vec<&str> = path.iter().flat_map(|path| ["-k", path.as_str()]).collect();
    arguments.extend(["--json", "-Y", protocol, &sample]);
    let done = crate::common::run(&arguments);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let records = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let is_it = |record: &Value| record["protocol"] == protocol && record["stream"].as_str().unwrap().starts_with(transport);
    let messages = records.filter(|record| record["type"] == "message" && is_it(record));
    messages.map(|record| (record["src"].to_string(), record["off"].as_u64().unwrap(), record["len"].as_u64().unwrap())).collect()
}

#[test]
fn files_find_the_messages_that_built_in_dissectors_find_in_captures() {
    for (file, protocol, sample, transport, count) in [
        ("fallout4_pipboy", "pipboy", "pipboy.pcap", "tcp", 80),
        ("xfire", "xfire", "xfire.pcap", "tcp", 30),
        ("mqtt_packets", "mqtt", "neighbours.pcap", "tcp", 7),
        ("a2s_query", "a2s", "queries.pcap", "udp", 8),
        ("steam_discovery", "steam_ihs_discovery", "queries.pcap", "udp", 2),
    ] {
        let by_file = extents(Some(file), file, sample, transport);
        assert!(by_file.len() >= count, "{file}: {}", by_file.len());
        assert_eq!(by_file, extents(None, protocol, sample, transport), "{file}");
    }
}

/// The values of one protocol in a sample.
fn in_sample(file: Option<&str>, protocol: &str, sample: &str) -> Vec<Leaf> {
    let path = file.map(|file| format!("samples/ksy/{file}.ksy"));
    let sample = format!("samples/{sample}");
    let mut arguments: Vec<&str> = path.iter().flat_map(|path| ["-k", path.as_str()]).collect();
    arguments.extend(["--json", "--show-secrets", "-Y", protocol, &sample]);
    let done = crate::common::run(&arguments);
    let mut found = Vec::new();
    for line in done.out.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if record["protocol"] == protocol {
            assert!(record.get("notes").is_none_or(|notes| !notes.to_string().contains("broken")), "{record}");
            let mut leaves = Vec::new();
            collect(&record["fields"], &mut leaves);
            // Offsets of frames and streams belong to different messages.
            let n = record["n"].as_u64().unwrap();
            found.extend(leaves.into_iter().map(|leaf| Leaf { off: leaf.off + (n << 32), ..leaf }));
        }
    }
    found
}

#[test]
fn the_files_of_tools_read_what_the_built_in_dissectors_read() {
    // Flags are numbers in a file, fields of Protocol Buffers have no types, a password and a payload are bytes. The built-in
    // dissector has flags for some kinds of MQTT packet only, and parses the header of a part of a response. Its WireGuard keys
    // are base64 text, as `wg` prints them.
    let valve = ["header", "body.content.vac", "body.content.visibility", "body.payload"];
    let steam = ["groups", "value.value", "signature"];
    let mqtt = ["body.password.data", "body.payload", "is_duplicate", "quality", "retain"];
    for (file, protocol, sample, equal, unlike) in [
        ("a2s_query", "a2s", "queries.pcap", 40, &valve[..]),
        ("mqtt_packets", "mqtt", "neighbours.pcap", 40, &mqtt[..]),
        ("steam_discovery", "steam_ihs_discovery", "queries.pcap", 30, &steam[..]),
        ("wireguard", "wg", "tools.pcap", 24, &["body.ephemeral"][..]),
    ] {
        let compared = compare(&in_sample(Some(file), file, sample), &in_sample(None, protocol, sample));
        assert!(compared.equal >= equal, "{file}: {compared:?}");
        assert!(compared.differing.keys().all(|name| unlike.iter().any(|unlike| name.ends_with(unlike))), "{file}: {compared:?}");
    }
}
