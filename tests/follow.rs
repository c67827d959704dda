//! Conversations as bytes: every format, read back, and missing bytes reported.

use crate::common::{Scratch, assert_golden, program, run, run_with};
use etherparse::PacketBuilder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

const SESSION: &str = "samples/pipboy.pcap";
const DAMAGED: &str = "samples/pipboy-damaged.pcap";

/// The bytes of one side.
fn raw(file: &str, stream: &str, dir: &str) -> Vec<u8> {
    program().args(["follow", file, "-s", stream, "--dir", dir, "-T", "raw"]).output().unwrap().stdout
}

#[test]
fn forms_print_what_is_kept() {
    for (name, arguments) in [
        ("follow-list.txt", &["follow", SESSION][..]),
        ("follow-list-ndjson.txt", &["follow", "--json", SESSION]),
        ("follow-list-json.txt", &["follow", "-T", "json", "samples/layers.pcap"]),
        ("follow-hex.txt", &["follow", DAMAGED, "-s", "tcp/0"]),
        ("follow-hex-colour.txt", &["follow", "samples/pipboy-ipv6.pcapng", "-s", "1", "--color", "always"]),
        ("follow-hex-s2c.txt", &["follow", "samples/pipboy-ipv6.pcapng", "-s", "tcp/0", "--dir", "s2c"]),
        ("follow-ascii.txt", &["follow", DAMAGED, "-s", "0", "-T", "ascii"]),
        ("follow-json.txt", &["follow", DAMAGED, "-s", "0", "-T", "json"]),
        ("follow-ndjson.txt", &["follow", SESSION, "-s", "udp/2", "--json"]),
        ("follow-yaml.txt", &["follow", DAMAGED, "-s", "0", "-T", "yaml"]),
        ("follow-carray.txt", &["follow", DAMAGED, "-s", "0", "-T", "carray"]),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        assert_golden(name, &run.out);
    }
}

#[test]
fn a_hex_dump_can_be_read_back_in() {
    for (file, streams) in
        [(SESSION, 2), ("samples/pipboy-ipv6.pcapng", 2), ("samples/pipboy-midstream.pcap", 1), ("samples/pipboy-follow.txt", 1)]
    {
        for number in 0..streams {
            let stream = format!("tcp/{number}");
            let dump = run(&["follow", file, "-s", &stream]).out;
            let scratch = Scratch::new(&format!("follow-{number}-{}", file.replace('/', "-")), dump.as_bytes());
            for dir in ["c2s", "s2c"] {
                assert_eq!(raw(scratch.path(), "tcp/0", dir), raw(file, &stream, dir), "{file} {stream} {dir}");
            }
        }
    }
}

#[test]
fn a_hex_dump_has_the_same_messages_as_its_capture() {
    let names = |run: crate::common::Run| -> Vec<String> {
        let records = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let messages = records.filter(|record| record["type"] == "message" && record["stream"] == "tcp/0");
        messages.map(|message| format!("{} {} {}", message["dir"], message["name"], message["off"])).collect()
    };
    let dump = run(&["follow", SESSION, "-s", "0"]).out;
    let of_dump = names(run_with(&["--json"], dump.as_bytes()));
    let captured = names(run(&["--json", SESSION]));
    assert!(of_dump.len() > 70);
    for dir in ["c2s", "s2c"] {
        let of = |all: &[String]| all.iter().filter(|name| name.contains(dir)).cloned().collect::<Vec<_>>();
        assert_eq!(of(&of_dump), of(&captured));
    }
}

#[test]
fn every_form_has_the_same_bytes() {
    let both = program().args(["follow", DAMAGED, "-s", "0", "-T", "raw"]).output().unwrap();
    assert_eq!(String::from_utf8(both.stderr).unwrap(), "proto-dissect: tcp/0 s2c: 1460 bytes missing at 3867\n");
    let mut sides = [String::new(), String::new()];
    for record in serde_json::from_str::<Vec<Value>>(&run(&["follow", DAMAGED, "-s", "0", "-T", "json"]).out).unwrap() {
        let side = usize::from(record["dir"] == "s2c");
        match record["type"].as_str().unwrap() {
            "gap" => assert_eq!((&record["off"], &record["len"]), (&Value::from(3867), &Value::from(1460))),
            _ => sides[side].push_str(record["bytes"].as_str().unwrap()),
        }
    }
    let mut all = 0;
    for (dir, side) in ["c2s", "s2c"].into_iter().zip(sides) {
        let bytes = raw(DAMAGED, "tcp/0", dir);
        all += bytes.len();
        assert_eq!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), side);
    }
    assert_eq!(both.stdout.len(), all);
}

#[test]
fn each_direction_can_be_a_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("follow-files");
    let _ = fs::remove_dir_all(&folder);
    let path = folder.to_str().unwrap();
    let one = run(&["follow", SESSION, "-s", "udp/0", "--write-dir", path]);
    assert_eq!(one.out.lines().count(), 1);
    fs::remove_dir_all(&folder).unwrap();
    let all = run(&["follow", SESSION, "--write-dir", path]);
    assert_eq!((all.code, all.err.as_str()), (0, ""));
    assert_eq!(all.out.lines().count(), 8);
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names[3], "000007-2015-11-24T21-20-00-tcp-0-192.168.28.10.27000-192.168.28.23.41508-s2c.bin");
    assert_eq!(fs::read(folder.join(&names[3])).unwrap(), raw(SESSION, "tcp/0", "s2c"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_wrong_stream_is_exit_2_with_what_exists() {
    for (arguments, words) in [
        (&["follow", SESSION, "-s", "tcp/9"][..], &["tcp/9", "tcp/0 to tcp/1", "udp/0 to udp/4"][..]),
        (&["follow", SESSION, "-s", "9", "-T", "json"], &["tcp/9"]),
        (&["follow", "samples/linux-cooked.pcap", "-s", "udp/0"], &["available: tcp/0\n"]),
        (&["follow", SESSION, "-s", "tcp"], &["tcp/N"]),
        (&["follow", SESSION, "-s", "icmp/1"], &["tcp/N"]),
        (&["follow", SESSION, "-s", "+1"], &["tcp/N"]),
        (&["follow", SESSION, "-T", "hex"], &["-s tcp/0"]),
        (&["follow", SESSION, "--dir", "c2s"], &["-s tcp/0"]),
        (&["follow", SESSION, "--dir", "up"], &["c2s"]),
        (&["follow", SESSION, "--write-dir", "nowhere", "-T", "hex"], &["--write-dir"]),
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
    assert_eq!(run(&["follow", "samples/nothing.pcap"]).code, 3);
    assert_eq!(run_with(&["follow"], b"").code, 4);
    let bytes = fs::read(SESSION).unwrap();
    let cut = Scratch::new("follow-cut.pcap", &bytes[..bytes.len() - 7]);
    let run = run(&["follow", cut.path(), "-s", "0", "-T", "raw", "--dir", "c2s"]);
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(raw(SESSION, "0", "c2s").starts_with(run.out.as_bytes()));
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut command = program();
    command.args(["follow", SESSION, "-s", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
}

#[test]
fn hostile_text_reaches_no_output_raw() {
    let hostile = "{\"lang\":\"\u{202e}\\u001b[31m\",\"version\":\"\x1b[31m\"}";
    let mut message = u32::try_from(hostile.len()).unwrap().to_le_bytes().to_vec();
    message.push(1);
    message.extend(hostile.as_bytes());
    let mut dump = String::new();
    for (number, bytes) in message.chunks(16).enumerate() {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (left, right) = digits.split_at(digits.len().min(8));
        let hex = if right.is_empty() { left.join(" ") } else { format!("{}  {}", left.join(" "), right.join(" ")) };
        let mut text = ".".repeat(bytes.len());
        if bytes.len() > 8 {
            text.insert(8, ' ');
        }
        dump += &format!("    {:08x}  {hex:<48} {text}\n", number * 16);
    }
    for form in ["hex", "ascii", "json", "ndjson", "yaml", "carray"] {
        let run = run_with(&["follow", "-s", "0", "-T", form], dump.as_bytes());
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(!run.out.is_empty() && !run.out.contains(['\x1b', '\u{202e}']), "{form}: {:?}", run.out);
    }
}

const SECRET: &str = "samples/xfire.pcap";

#[test]
fn raw_bytes_are_as_captured_and_secrets_in_them_are_counted() {
    let whole = program().args(["follow", SECRET, "-s", "tcp/0", "-T", "raw", "--show-secrets"]).output().unwrap();
    assert_eq!(whole.stderr, b"");
    let plain = program().args(["follow", SECRET, "-s", "tcp/0", "-T", "raw"]).output().unwrap();
    assert!(whole.stdout == plain.stdout && !plain.stdout.windows(40).any(|run| run == [b'*'; 40]));
    let warning = String::from_utf8(plain.stderr).unwrap();
    assert!(warning.contains("the output contains ") && warning.contains(" bytes of secrets as captured\n"), "{warning}");
    assert_eq!(warning.lines().count(), 1, "{warning}");

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("follow-secrets");
    let _ = fs::remove_dir_all(&folder);
    let kept = run(&["follow", SECRET, "-s", "tcp/0", "--dir", "c2s", "--write-dir", folder.to_str().unwrap()]);
    assert!(kept.err.contains("bytes of secrets as captured"), "{}", kept.err);
    let name = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read(name).unwrap(), raw(SECRET, "tcp/0", "c2s"));
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn secrets_are_masked_in_every_form_for_reading_and_shown_on_request() {
    let whole = program().args(["follow", SECRET, "-s", "tcp/0", "-T", "raw"]).output().unwrap();
    let at = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).position(|part| part == word).unwrap();
    let digest = at(&whole.stdout, b"password") + 11;
    let digest = &whole.stdout[digest..digest + 40];
    assert!(digest.iter().all(u8::is_ascii_hexdigit));
    let masked = run(&["follow", SECRET, "-s", "tcp/0"]);
    assert!(masked.err.contains("bytes of secrets masked with *; --show-secrets"), "{}", masked.err);

    let secret = std::str::from_utf8(digest).unwrap();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    for (form, secret, note) in [
        ("ascii", secret, ""),
        ("ndjson", hex.as_str(), "\"masked\":40"),
        ("json", hex.as_str(), "\"masked\":40"),
        ("hex", "", "40 bytes masked"),
        ("carray", "", "/* 40 bytes masked */"),
        ("yaml", "", "# 40 bytes masked"),
    ] {
        let hidden = run(&["follow", SECRET, "-s", "tcp/0", "-T", form]).out;
        let shown = run(&["follow", SECRET, "-s", "tcp/0", "-T", form, "--show-secrets"]).out;
        assert!(secret.is_empty() || (shown.contains(secret) && !hidden.contains(secret)), "{form}");
        assert!(hidden != shown && hidden.contains(note) && !shown.contains("masked"), "{form}");
    }
}

#[test]
fn a_masked_hex_dump_can_be_read_back_in() {
    for stream in ["tcp/0", "udp/1"] {
        let dump = run(&["follow", SECRET, "-s", stream]).out;
        let scratch = Scratch::new(&format!("follow-masked-{}", stream.replace('/', "-")), dump.as_bytes());
        for dir in ["c2s", "s2c"] {
            let (read, whole) = (raw(scratch.path(), "tcp/0", dir), raw(SECRET, stream, dir));
            assert_eq!(read.len(), whole.len(), "{stream} {dir}");
            assert!(read.iter().zip(&whole).all(|(read, whole)| read == whole || *read == b'*'), "{stream} {dir}");
        }
    }
}

/// A capture of IPv4 packets with IPComp, each with a TCP segment of one client.
fn compressed(segments: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x65\0\0\0".to_vec();
    for (seq, payload) in segments {
        let mut segment = [&4000_u16.to_be_bytes()[..], &80_u16.to_be_bytes(), &seq.to_be_bytes(), &[0, 0, 0, 1]].concat();
        segment.extend([0x50, if payload.is_empty() { 2 } else { 0x10 }, 4, 0, 0, 0, 0, 0]);
        segment.extend_from_slice(payload);
        let mut encoder = flate2::write::DeflateEncoder::new(vec![6, 0, 0x63, 0xe1], flate2::Compression::default());
        encoder.write_all(&segment).unwrap();
        let body = encoder.finish().unwrap();
        let length = u16::try_from(20 + body.len()).unwrap();
        let [high, low] = length.to_be_bytes();
        let header = [0x45, 0, high, low, 0, 0, 0, 0, 64, 108, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        let captured = u32::from(length).to_le_bytes();
        bytes.extend([&[0; 8], &captured[..], &captured, &header, &body].concat());
    }
    bytes
}

#[test]
fn a_stream_in_compressed_packets_is_followed() {
    let first = b"GET /?password=Hunter2secret HTTP/1.1\r\nHost: a\r\n\r\n";
    let second = b"GET /b HTTP/1.1\r\nHost: a\r\n\r\nunknown";
    let (begin, end) = second.split_at(9);
    let next = 8 + u32::try_from(first.len()).unwrap();
    // One message in one packet, another one in two, with its end retransmitted.
    let segments = [(7, &b""[..]), (8, first), (next, begin), (next + 9, end), (next + 9, end)];
    let file = Scratch::new("follow-ipcomp.pcap", &compressed(&segments));
    assert_eq!(raw(file.path(), "tcp/0", "c2s"), [&first[..], second].concat());
    let shown = run(&["follow", file.path(), "-s", "tcp/0", "-T", "ascii"]);
    assert!(shown.out.contains("GET /b HTTP/1.1") && !shown.out.contains("Hunter2"), "{}", shown.out);
}

/// A pcap of TCP segments between two endpoints: from the client, flags, sequence and acknowledgment number, payload.
fn capture_of(segments: &[(bool, &str, u32, u32, &[u8])]) -> Vec<u8> {
    let words = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 101];
    let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (at, (is_client, flags, seq, ack, payload)) in segments.iter().enumerate() {
        let ends = [([192, 0, 2, 10], 40000), ([198, 51, 100, 20], 4000)];
        let [(from, source), (to, target)] = if *is_client { ends } else { [ends[1], ends[0]] };
        let mut tcp = PacketBuilder::ipv4(from, to, 64).tcp(source, target, *seq, 8192);
        tcp = if flags.contains('S') { tcp.syn() } else { tcp };
        tcp = if flags.contains('A') { tcp.ack(*ack) } else { tcp };
        let mut packet = Vec::new();
        tcp.write(&mut packet, payload).unwrap();
        let len = u32::try_from(packet.len()).unwrap();
        file.extend([1_700_000_000, u32::try_from(at).unwrap(), len, len].iter().flat_map(|word: &u32| word.to_le_bytes()));
        file.extend(packet);
    }
    file
}

/// Bytes of each TCP conversation: those of its messages, each byte of a stream once, and those of `follow`.
fn listed_and_followed(file: &str) -> [BTreeMap<String, u64>; 2] {
    let records = |arguments: &[&str]| -> Vec<Value> {
        run(arguments).out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let (mut listed, mut spans) = (BTreeMap::new(), BTreeMap::<(String, String), Vec<(u64, u64)>>::new());
    for record in records(&["--json", "--messages", file]) {
        let [stream, buffer] = ["stream", "buffer"].map(|key| record[key].as_str().unwrap_or_default().to_owned());
        if !stream.starts_with("tcp/") {
            continue;
        }
        let (off, len) = (record["off"].as_u64().unwrap(), record["len"].as_u64().unwrap());
        if buffer.starts_with("tcp/") {
            spans.entry((stream, buffer)).or_default().push((off, off + len));
        } else if buffer.starts_with("frame/") && record["protocol"] == "data" {
            *listed.entry(stream).or_default() += len;
        }
    }
    for ((stream, _), mut spans) in spans {
        spans.sort_unstable();
        let mut end = 0;
        for (from, to) in spans {
            *listed.entry(stream.clone()).or_default() += to.saturating_sub(from.max(end));
            end = end.max(to);
        }
    }
    let followed = records(&["follow", "--json", file]).into_iter().filter_map(|record| {
        let bytes = record["bytes"]["c2s"].as_u64()? + record["bytes"]["s2c"].as_u64()?;
        let stream = record["stream"].as_str()?;
        (stream.starts_with("tcp/") && bytes > 0).then(|| (stream.to_owned(), bytes))
    });
    [listed, followed.collect()]
}

#[test]
fn follow_has_the_bytes_of_all_messages() {
    for sample in crate::common::samples() {
        let [listed, followed] = listed_and_followed(&sample);
        // Messages of decrypted and inflated bytes have no bytes of the stream.
        let short = followed.iter().filter(|(stream, bytes)| listed.get(*stream) > Some(*bytes)).collect::<Vec<_>>();
        assert!(short.is_empty(), "{sample}: {short:?} {listed:?}");
    }
    let syns = [(true, "S", 999, 0, &b""[..]), (false, "SA", 5000, 1000, b""), (false, "SA", 1_607_310_063, 1000, b"")];
    let session = |number: u32| {
        [
            (true, "A", 1000, number, &b""[..]),
            (true, "A", 1000, number, b"hello server"),
            (false, "A", number, 1012, b"hello client"),
            (false, "SA", 1_607_310_063, 1000, b""),
            (false, "A", number.wrapping_add(12), 1012, b"again"),
        ]
    };
    for number in [5001, 1_607_310_064] {
        // With and without the acknowledgments that show which number counts.
        for from in [0, 1, 2] {
            let segments: Vec<_> = syns.iter().chain(session(number).iter().skip(from)).copied().collect();
            let scratch = Scratch::new(&format!("follow-syns-{number}-{from}"), &capture_of(&segments));
            let [listed, followed] = listed_and_followed(scratch.path());
            assert_eq!(listed, followed, "{number} {from}");
            assert_eq!(raw(scratch.path(), "tcp/0", "s2c"), b"hello clientagain", "{number} {from}");
            assert!(!run(&["--json", scratch.path()]).out.contains("dissect.stale"), "{number} {from}");
        }
    }
}

#[test]
fn bytes_that_have_no_place_in_a_stream_are_followed_where_they_arrive() {
    let start = [(true, "A", 1000, 1, &b"one"[..]), (true, "A", 1003, 1, b"two")];
    for (name, seq) in [("before", 990), ("ahead", 2_000_000_000), ("behind", 3_000_000_000)] {
        let stray = [(true, "A", seq, 1, &b"stray"[..]), (true, "A", 1006, 1, b"three")];
        let scratch = Scratch::new(&format!("follow-{name}"), &capture_of(&[start, stray].concat()));
        let [listed, followed] = listed_and_followed(scratch.path());
        assert_eq!((listed.get("tcp/0"), &listed), (Some(&16), &followed), "{name}");
        assert_eq!(raw(scratch.path(), "tcp/0", "c2s"), b"onetwostraythree", "{name}");
        for (form, says) in [("hex", "# c2s: 5 bytes that have no place in the stream"), ("ndjson", r#""len":5,"stray":true"#)] {
            let out = run(&["follow", scratch.path(), "-s", "tcp/0", "-T", form]).out;
            assert_eq!(out.matches(says).count(), 1, "{name} {form}: {out}");
        }
        let explored = run(&["explore", scratch.path(), "--json"]).out;
        assert!(explored.contains(r#""bytes":16"#), "{name}: {explored}");
    }
}
