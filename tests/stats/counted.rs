//! What is in a capture, counted: as tables, as JSON, and as tshark counts.

use crate::common::{assert_golden, own_cases, run, run_with};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const SESSION: &str = "samples/pipboy.pcap";

/// Samples with output of tshark 4.0 for `-z conv,tcp`, `-z conv,udp` and `-z io,phs` in `tests/golden/tshark/`.
const RECORDED: &[&str] = &[
    "layers.pcap",
    "linux-cooked-v2.pcap",
    "linux-cooked.pcap",
    "null-loopback.pcap",
    "pipboy-damaged.pcap",
    "pipboy-ipv6.pcapng",
    "pipboy-midstream.pcap",
    "pipboy.pcap",
];

fn recorded(sample: &str, what: &str) -> String {
    let stem = sample.split('.').next().unwrap();
    fs::read_to_string(format!("tests/golden/tshark/{stem}-{what}.txt")).unwrap()
}

fn counted(arguments: &[&str]) -> Value {
    let run = run(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// Whether the members of an object are the same in a larger one.
fn is_part(few: &Value, all: &Value) -> bool {
    match few.as_object() {
        Some(few) => few.iter().all(|(name, value)| all.get(name).is_some_and(|all| is_part(value, all))),
        None => few == all,
    }
}

#[test]
fn a_part_alone_equals_the_same_part_among_all() {
    const PARTS: &[&str] = &["overview", "time", "io,phs", "conv,tcp", "endpoints,udp", "transfers", "health", "coverage"];
    let mut samples: Vec<_> = fs::read_dir("samples").unwrap().map(|entry| entry.unwrap().path()).collect();
    samples.retain(|path| path.is_file() && path.to_str().unwrap().contains(".pcap"));
    // Which parts a sample has must not depend on the order of the folder.
    samples.sort();
    for (number, sample) in samples.iter().enumerate() {
        let sample = sample.to_str().unwrap();
        let all = counted(&["stats", "--json", sample]);
        for part in own_cases(PARTS, number, 12) {
            let alone = counted(&["stats", "--json", "-z", part, sample]);
            assert!(is_part(&alone, &all), "-z {part} {sample}: {alone}");
        }
    }
}

#[test]
fn body_notes_are_counted_if_only_health_is_requested() {
    let frame = |body: &str| {
        let text = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let file = crate::common::Scratch::new("stats-body.hex", frame("{\"a\": nothing}").as_bytes());
    let health = counted(&["stats", "--json", "-z", "health", "--as", "http:s2c", file.path()]);
    assert_eq!(health["health"]["notes"][0]["code"], "json.invalid", "{health}");
}

#[test]
fn tables_print_what_is_kept() {
    for (name, arguments) in [
        ("stats.txt", &["stats", SESSION][..]),
        ("stats-layers.txt", &["stats", "-V", "samples/layers.pcap"]),
        ("stats-damaged.txt", &["stats", "-z", "health", "-z", "coverage", "samples/pipboy-damaged.pcap"]),
        ("stats-transfers.txt", &["stats", "-z", "transfers", "samples/runescape-cache.pcap"]),
        ("stats-colour.txt", &["stats", "--color", "always", "-z", "time", "-z", "conv,tcp", SESSION]),
        ("stats-json.txt", &["stats", "--json", "samples/pipboy-damaged.pcap"]),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        assert_golden(name, &run.out);
    }
}

/// Frames and bytes of both directions, in either order of endpoints, with times.
type Conversation = ([(String, u64, String); 2], [f64; 2]);

/// Bytes as tshark 4.0 writes them.
fn size(bytes: u64) -> String {
    if bytes < 10_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1000) }
}

fn in_order(a: (String, u64, String), b: (String, u64, String)) -> [(String, u64, String); 2] {
    if a < b { [a, b] } else { [b, a] }
}

/// `A:port <-> B:port  frames size (from B)  frames size (from A)  frames size  start  duration`
fn tshark_talks(text: &str) -> Vec<Conversation> {
    let mut conversations = Vec::new();
    for line in text.lines().filter(|line| line.contains("<->") && !line.contains("| ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let end =
            |at: usize, from: usize| (words[at].to_owned(), words[from].parse().unwrap(), words[from + 1..from + 3].join(" "));
        conversations.push((in_order(end(0, 6), end(2, 3)), [12, 13].map(|at| words[at].parse().unwrap())));
    }
    conversations
}

fn our_talks(sample: &str, over: &str) -> Vec<Conversation> {
    let stats = counted(&["stats", "--json", "-z", &format!("conv,{over}"), &format!("samples/{sample}")]);
    let conversations = stats["conversations"][over].as_array().unwrap();
    let end = |conversation: &Value, name: &str, sent: &str| {
        let count = |key: &str| conversation[sent][key].as_u64().unwrap();
        // tshark writes IPv6 addresses without brackets.
        (conversation[name].as_str().unwrap().replace(['[', ']'], ""), count("frames"), size(count("bytes")))
    };
    let seconds = |conversation: &Value, key: &str| conversation[key].as_f64().unwrap();
    let both = |conversation: &Value| in_order(end(conversation, "a", "a_to_b"), end(conversation, "b", "b_to_a"));
    conversations
        .iter()
        .map(|conversation| (both(conversation), [seconds(conversation, "start"), seconds(conversation, "duration")]))
        .collect()
}

#[test]
fn conversations_are_counted_as_tshark_counts_them() {
    let mut seen = 0;
    for sample in RECORDED {
        for over in ["tcp", "udp"] {
            let (mut theirs, mut ours) = (tshark_talks(&recorded(sample, &format!("conv-{over}"))), our_talks(sample, over));
            let by_ends = |a: &Conversation, b: &Conversation| a.0.cmp(&b.0);
            theirs.sort_by(by_ends);
            ours.sort_by(by_ends);
            assert_eq!(ours.len(), theirs.len(), "{sample} {over}");
            for ((ours, our_times), (theirs, their_times)) in ours.iter().zip(&theirs) {
                assert_eq!(ours, theirs, "{sample}");
                for (our, their) in our_times.iter().zip(their_times) {
                    assert!((our - their).abs() < 0.0002, "{sample} {theirs:?}: {our} and {their} s");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 15);
}

/// Protocols with the same name in both. Bytes of no protocol are `data` in tshark, for each segment.
const SHARED: &[&str] = &["eth", "vlan", "arp", "ip", "ipv6", "tcp", "udp", "icmp", "icmpv6", "llc", "null", "sll"];

#[test]
fn the_hierarchy_is_counted_as_tshark_counts_it() {
    let mut seen = 0;
    for sample in RECORDED {
        let mut theirs = BTreeMap::new();
        let mut path: Vec<&str> = Vec::new();
        for line in recorded(sample, "io-phs").lines().map(str::to_owned).collect::<Vec<_>>().leak() {
            let Some((name, counts)) = line.split_once(" frames:") else { continue };
            path.truncate((name.len() - name.trim_start().len()) / 2);
            path.push(name.trim());
            // tshark has a layer for frames without a link header, and a separate name for 802.1ad tags.
            let known = path.iter().filter(|name| **name != "raw").map(|name| if *name == "ieee8021ad" { "vlan" } else { name });
            let known: Vec<&str> = known.collect();
            if !known.is_empty() && known.iter().all(|name| SHARED.contains(name)) {
                theirs.insert(known.join(":"), format!("frames:{counts}"));
            }
        }
        let stats = counted(&["stats", "--json", "-z", "io,phs", &format!("samples/{sample}")]);
        let mut ours = BTreeMap::new();
        for place in stats["hierarchy"].as_array().unwrap() {
            let path = place["path"].as_str().unwrap();
            if path.split(':').all(|name| SHARED.contains(&name)) {
                ours.insert(path.to_owned(), format!("frames:{} bytes:{}", place["frames"], place["bytes"]));
            }
        }
        assert_eq!(ours, theirs, "{sample}");
        seen += ours.len();
    }
    assert!(seen > 30);
}

#[test]
fn the_parts_agree_with_each_other_and_with_the_records() {
    for sample in RECORDED {
        let file = format!("samples/{sample}");
        let stats = counted(&["stats", "--json", &file]);
        let run = run(&["--json", &file]);
        let end: Value = serde_json::from_str(run.out.lines().last().unwrap()).unwrap();
        let sum = |list: &Value, key: &str| list.as_array().unwrap().iter().map(|item| item[key].as_u64().unwrap()).sum::<u64>();
        let numbers = |list: &Value| list.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).sum::<u64>();
        let all = |key: &str| stats["overview"][key].as_u64().unwrap();
        assert_eq!(all("frames"), end["frames"].as_u64().unwrap());
        assert_eq!(all("messages"), end["messages"].as_u64().unwrap());
        assert_eq!(numbers(&stats["time"]["frames"]), all("frames"));
        assert_eq!(numbers(&stats["time"]["bytes"]), all("bytes"));
        assert_eq!(sum(&stats["hierarchy"], "messages"), all("messages"));
        assert_eq!(sum(&stats["coverage"]["protocols"], "messages"), all("messages"));
        assert_eq!(stats["health"]["malformed"], end["malformed"]);
        assert_eq!(stats["health"]["gaps"], end["gaps"]);
        for over in ["eth", "ip", "ipv6", "tcp", "udp"] {
            // Each frame has one sender and one receiver.
            let frames = sum(&stats["conversations"][over], "frames");
            assert_eq!(sum(&stats["endpoints"][over], "frames"), 2 * frames, "{sample} {over}");
        }
    }
}

#[test]
fn values_without_a_name_are_listed() {
    let stats = counted(&["stats", "--json", "-z", "coverage", "samples/layers.pcap"]);
    let unknown = stats["coverage"]["unknown_values"].as_array().unwrap();
    let ether_type = unknown.iter().find(|value| value["field"] == "eth.type").unwrap();
    assert_eq!((&ether_type["value"], &ether_type["first_frame"]), (&Value::from(0x88b5), &Value::from(18)));
}

/// Values in single messages about the files that they complete: bytes, and seconds since the request.
fn transfers(size: &str, time: &str) -> Vec<(f64, f64)> {
    let file = "samples/runescape-cache.pcap";
    let lines = run(&["-T", "fields", "-e", size, "-e", time, "-Y", time, file]).out;
    let number = |word: &str| word.split(',').next().unwrap().parse().unwrap();
    lines.lines().map(|line| line.split_once('\t').unwrap()).map(|(size, time)| (number(size), number(time))).collect()
}

#[test]
fn transfers_equal_the_values_of_the_completing_messages() {
    let stats = counted(&["stats", "--json", "-z", "transfers", "samples/runescape-cache.pcap"]);
    let kinds = stats["transfers"].as_array().unwrap();
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    for (what, size, time) in [("update file", "rs.od.size", "rs.od.time"), ("JS5 group", "rs.js5.length", "rs.js5.time")] {
        let kind = kinds.iter().find(|kind| kind["what"] == what).unwrap();
        let number = |key: &str| kind[key].as_f64().unwrap();
        // A missing file is answered, but not transferred.
        let transfers: Vec<_> = transfers(size, time).into_iter().filter(|(size, _)| *size > 0.0).collect();
        assert_eq!(number("count"), transfers.len() as f64, "{what}");
        assert_eq!(number("bytes"), transfers.iter().map(|(size, _)| size).sum::<f64>(), "{what}");
        let slowest = transfers.iter().map(|(_, time)| *time).fold(0.0, f64::max);
        let all: f64 = transfers.iter().map(|(_, time)| time).sum();
        assert!((number("slowest") - slowest).abs() < 1e-6, "{what}: {kind} {transfers:?}");
        assert!(number("busy") >= slowest - 1e-6 && number("busy") <= all + 1e-6, "{what}: {kind} {transfers:?}");
        assert!((number("bytes_per_second") * number("busy") / number("bytes") - 1.0).abs() < 1e-9, "{what}: {kind}");
    }
    let file = kinds.iter().find(|kind| kind["what"] == "start-up file").unwrap();
    assert_eq!((&file["protocol"], &file["count"], &file["bytes"]), (&Value::from("rs"), &Value::from(1), &Value::from(40)));
    // Without transfers, the list is empty and the table is omitted.
    assert_eq!(counted(&["stats", "--json", SESSION])["transfers"], Value::Array(Vec::new()));
    assert!(!run(&["stats", SESSION]).out.contains("Transfers"));
    assert!(run(&["stats", "-z", "transfers", SESSION]).out.contains("no completed transfers"));
}

#[test]
fn names_of_tshark_mean_the_same_with_and_without_the_command() {
    for name in ["io,phs", "conv,tcp", "conv,eth", "endpoints,ip"] {
        let of_command = run(&["stats", "-z", name, SESSION]);
        assert_eq!(of_command.code, 0);
        assert_eq!(of_command.out, run(&["-q", "-z", name, SESSION]).out, "{name}");
    }
    let followed = run(&["follow", SESSION, "-s", "tcp/0", "-T", "hex"]).out;
    assert!(!followed.is_empty());
    assert_eq!(run(&["-q", "-z", "follow,tcp,hex,0", SESSION]).out, followed);
    assert_eq!(run(&["stats", "-z", "follow,tcp,hex,0", SESSION]).out, followed);
}

#[test]
fn wrong_names_are_exit_2_with_what_exists() {
    for (arguments, words) in [
        (&["stats", "-z", "conv,sctp", "nothing"][..], &["conv,sctp", "did you mean conv,tcp", "-z help"][..]),
        (&["-z", "io", "nothing"], &["did you mean io,phs", "io,stat"]),
        (&["-z", "dns.tree", "nothing"], &["did you mean dns,tree"]),
        (&["-z", "rtp", "nothing"], &["did you mean rtp,streams"]),
        (&["-z", "expert,warn,no.such", "nothing"], &["no.such"]),
        (&["-z", "expert", "-z", "expert,warn", "nothing"], &["expert is given twice"]),
        (&["-z", "hosts,ipx", "nothing"], &["hosts,ipv4"]),
        (&["-z", "follow,http2,hex,0", "nothing"], &["tcp|udp|http|tls"]),
        (&["-z", "follow,tcp,hex", "nothing"], &["follow,tcp,hex,0"]),
        (&["-z", "follow,tcp,ebcdic,0", "nothing"], &["hex|ascii|raw|yaml"]),
        (&["-z", "follow,tcp,hex,0", "-z", "io,phs", "nothing"], &["cannot be combined"]),
        (&["-z", "follow,tcp,hex,77", SESSION], &["tcp/77", "tcp/0 to tcp/1"]),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}: {}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{arguments:?}: {word:?} is not in: {}", run.err);
        }
    }
}

#[test]
fn inputs_that_cannot_be_read_end_as_everywhere() {
    assert_eq!(run(&["stats", "samples/nothing.pcap"]).code, 3);
    assert_eq!(run_with(&["stats"], b"").code, 4);
    let bytes = fs::read(SESSION).unwrap();
    let run = run_with(&["stats", "--json"], &bytes[..bytes.len() - 7]);
    assert_eq!(run.code, 5);
    let stats: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&stats["overview"]["frames"], &stats["overview"]["truncated"]), (&Value::from(209), &Value::from(true)));
}

#[test]
fn blocks_other_than_packets_are_listed() {
    let block = |kind: u32, body: &[u8]| -> Vec<u8> {
        let len = u32::try_from(12 + body.len()).unwrap().to_le_bytes();
        [&kind.to_le_bytes()[..], &len, body, &len].concat()
    };
    let section = block(0x0a0d_0d0a, b"\x4d\x3c\x2b\x1a\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff");
    let secrets = block(10, b"KSLT\x04\0\0\0abcd");
    let interface = block(1, b"\x01\0\0\0\0\0\0\0");
    let capture = crate::common::Scratch::new("secrets.pcapng", &[section, secrets.clone(), interface, secrets].concat());
    let run = run(&["stats", capture.path()]);
    assert!(run.out.contains("other blocks  2 × decryption secrets: TLS key log"), "{}{}", run.out, run.err);
}
