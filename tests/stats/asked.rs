//! `-z expert`, `dns,tree`, `hosts`, `rtp,streams` and `follow,http|tls`, with the numbers that tshark 4.0 prints for the same bytes.

use crate::common::{Scratch, program, run};
use etherparse::PacketBuilder;
use serde_json::Value;

fn counted(part: &str, sample: &str, more: &[&str]) -> Value {
    let run = run(&[&["stats", "--json", "-z", part, sample][..], more].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "-z {part} {sample}");
    serde_json::from_str(&run.out).unwrap()
}

/// Number of notes of a protocol with this prefix.
fn remarks(stats: &Value, severity: &str, protocol: &str, begins: &str) -> u64 {
    let all = stats["expert"]["remarks"].as_array().unwrap().iter();
    let is_it = |remark: &&Value| {
        remark["severity"] == severity
            && remark["protocol"] == protocol
            && remark["summary"].as_str().unwrap().starts_with(begins)
    };
    all.filter(is_it).map(|remark| remark["count"].as_u64().unwrap()).sum()
}

/// Severity, text of a note, and its count in tshark's `-z expert` for some samples.
type Remarked = (&'static str, &'static str, &'static [(&'static str, u64)]);

/// Notes on segments.
const SEGMENTS: &[Remarked] = &[
    ("chat", "Connection establish request (SYN)", &[("pipboy", 2), ("neighbours", 7), ("vscp-damaged", 7), ("talk", 1)]),
    ("chat", "Connection establish acknowledge (SYN+ACK)", &[("pipboy", 2), ("neighbours", 7), ("vscp-damaged", 7), ("talk", 1)]),
    ("chat", "Connection finish (FIN)", &[("pipboy", 4), ("neighbours", 14), ("vscp-damaged", 14), ("vscp-midstream", 2)]),
    (
        "note",
        "This frame initiates the connection closing",
        &[("pipboy", 2), ("neighbours", 7), ("vscp-damaged", 7), ("vscp-midstream", 1)],
    ),
    (
        "note",
        "This frame undergoes the connection closing",
        &[("pipboy", 2), ("neighbours", 7), ("vscp-damaged", 7), ("vscp-midstream", 1)],
    ),
    ("warn", "Previous segment(s) not captured", &[("pipboy", 2), ("pipboy-damaged", 1), ("vscp-damaged", 1), ("talk", 0)]),
    ("warn", "ACKed segment that wasn't captured", &[("pipboy", 0), ("pipboy-damaged", 1), ("vscp-damaged", 1)]),
    ("warn", "This frame is a (suspected) out-of-order segment", &[("pipboy", 2), ("pipboy-damaged", 0)]),
    ("note", "Duplicate ACK (#1)", &[("pipboy", 2), ("pipboy-damaged", 0)]),
    ("note", "Duplicate ACK", &[("pipboy", 4), ("pipboy-damaged", 0)]),
    ("note", "This frame is a (suspected) fast retransmission", &[("pipboy", 1), ("neighbours", 0)]),
    ("note", "This frame is a (suspected) retransmission", &[("pipboy", 1), ("neighbours", 0)]),
];

#[test]
fn expert_counts_what_segments_do_as_tshark_does() {
    for (severity, begins, samples) in SEGMENTS {
        for (sample, expected) in *samples {
            let stats = counted("expert", &format!("samples/{sample}.pcap"), &[]);
            assert_eq!(remarks(&stats, severity, "TCP", begins), *expected, "{sample}: {begins}");
        }
    }
    let chats = counted("expert", "samples/queries.pcap", &[]);
    for line in ["M-SEARCH * HTTP/1.1", "NOTIFY * HTTP/1.1", "HTTP/1.1 200 OK"] {
        assert_eq!(remarks(&chats, "chat", "SSDP", line), 1, "{line}");
    }
}

#[test]
fn expert_takes_a_least_severity_and_a_filter() {
    let all = counted("expert", "samples/pipboy.pcap", &[]);
    let severities = |stats: &Value| -> Vec<String> {
        stats["expert"]["remarks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|remark| remark["severity"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(severities(&all).iter().any(|severity| severity == "chat"));
    let warnings = counted("expert,warn", "samples/pipboy.pcap", &[]);
    assert!(!severities(&warnings).is_empty());
    assert!(severities(&warnings).iter().all(|severity| ["error", "warn"].contains(&severity.as_str())));
    // The first connection only, as counted by tshark -z expert,note,tcp.stream==0.
    let first = counted("expert,chat,tcp.stream == 0", "samples/pipboy.pcap", &[]);
    assert_eq!(remarks(&first, "chat", "TCP", "Connection finish"), 2);
    let damaged = counted("expert", "samples/pipboy-damaged.pcap", &[]);
    assert!(remarks(&damaged, "error", "Pip-Boy", "") > 0, "{damaged}");
}

/// Each topic of `dns,tree` with its count.
fn topics(sample: &str) -> Vec<String> {
    let stats = counted("dns,tree", sample, &[]);
    let topics = stats["dns"]["topics"].as_array().unwrap().iter().filter(|topic| topic["count"] != 0);
    topics.map(|topic| format!("{} {}", topic["topic"].as_str().unwrap(), topic["count"])).collect()
}

#[test]
fn dns_tree_counts_messages_as_tshark_does() {
    let mut found = topics("samples/talk.pcap");
    found.sort_unstable();
    // tshark has 5 instead of 3 for the counts of a response: it counts them twice if a request was captured.
    let mut expected = [
        "Total Packets 5",
        "rcode 5",
        "no error 5",
        "opcodes 5",
        "query 5",
        "Query/Response 5",
        "Response 3",
        "Query 2",
        "Query Type 5",
        "A 4",
        "ANY 1",
        "Class 5",
        "IN 5",
        "Payload size 5",
        "Qname Len 2",
        "3rd Level 2",
        "no. of questions 3",
        "no. of authorities 3",
        "no. of answers 3",
        "no. of additionals 3",
        "request-response time (msec) 2",
        "no. of unsolicited responses 1",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
    let none = counted("dns,tree,dns.qry.name == \"no.such\"", "samples/talk.pcap", &[]);
    assert_eq!(none["dns"]["topics"][0]["count"], 0);
}

#[test]
fn hosts_lists_addresses_that_answers_name() {
    let listed = |part: &str| -> Vec<String> {
        let out = run(&["-q", "-z", part, "samples/talk.pcap"]).out;
        out.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
    };
    // The list of tshark -z hosts, sorted by address.
    assert_eq!(listed("hosts"), ["192.0.2.9\tcouch", "192.0.2.80\teu-1.example.com", "2001:db8::53\tns.example.com"]);
    assert_eq!(listed("hosts,ipv6"), ["2001:db8::53\tns.example.com"]);
    assert_eq!(listed("hosts,ipv4").len(), 2);
}

#[test]
fn hosts_takes_names_that_a_pcapng_capture_holds() {
    let block = |kind: u32, body: &[u8]| {
        let len = u32::try_from(body.len() + 12).unwrap().to_le_bytes();
        [&kind.to_le_bytes()[..], &len, body, &len].concat()
    };
    let section = block(0x0a0d_0d0a, &[&[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0][..], &[0xff; 8]].concat());
    let interface = block(1, &[101, 0, 0, 0, 0, 0, 0, 0]);
    let names = block(4, b"\x01\0\x08\0\x0a\0\0\x07a.b\0\0\0\0\0");
    let packet = block(6, &[&[0; 12][..], &[1, 0, 0, 0, 1, 0, 0, 0], &[0x45, 0, 0, 0]].concat());
    let file = Scratch::new("names.pcapng", &[section, interface, names, packet].concat());
    let stats = counted("hosts", file.path(), &[]);
    assert_eq!(stats["hosts"]["addresses"][0], serde_json::json!({"address": "10.0.0.7", "name": "a.b"}));
}

/// An RTP packet: microseconds, payload type, sequence number, timestamp, marker.
type Rtp = (u32, u8, u16, u32, bool);

/// An RTP stream as a capture.
fn stream(packets: &[Rtp]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x4_0000, 101].map(u32::to_le_bytes).concat();
    for (at, payload, number, timestamp, marker) in packets {
        let head = [0x80, payload | u8::from(*marker) << 7];
        let rtp = [&head[..], &number.to_be_bytes(), &timestamp.to_be_bytes(), &[0, 0, 0x12, 0x34], &[0; 160]].concat();
        let mut packet = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(5004, 5004).write(&mut packet, &rtp).unwrap();
        let len = u32::try_from(packet.len()).unwrap();
        file.extend([at / 1_000_000, at % 1_000_000, len, len].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

/// Packets, lost ones, and the range of spacing and jitter to three digits; empty without streams.
fn shown(name: &str, packets: &[Rtp]) -> String {
    let file = Scratch::new(&format!("rtp-{name}.pcap"), &stream(packets));
    let stats = counted("rtp,streams", file.path(), &["-d", "udp.port==5004,rtp"]);
    let stream = &stats["rtp"]["streams"][0];
    let spread = |key: &str| match &stream[key] {
        Value::Null => String::new(),
        of => ["least", "mean", "greatest"].map(|part| format!(" {:.3}", of[part].as_f64().unwrap())).concat(),
    };
    format!("{} {}{}{}", stream["packets"], stream["lost"], spread("delta_ms"), spread("jitter_ms"))
}

#[test]
fn rtp_streams_are_measured_as_tshark_measures_them() {
    let plain =
        [(0, 0, 10, 1000, false), (20_000, 0, 11, 1160, false), (45_000, 0, 12, 1320, false), (60_000, 0, 13, 1480, false)];
    assert_eq!(shown("plain", &plain), "4 0 15.000 20.000 25.000 0.000 0.306 0.605");
    let marked = [plain[0], plain[1], (45_000, 0, 12, 1320, true), plain[3], (95_000, 0, 14, 1640, false)];
    assert_eq!(shown("marked", &marked), "5 0 15.000 22.500 35.000 0.000 0.528 1.505");
    let lost = [plain[0], plain[1], (85_000, 0, 15, 1800, false), (90_000, 0, 13, 1480, false), (110_000, 0, 16, 1960, false)];
    assert_eq!(shown("lost", &lost), "5 2 5.000 27.500 65.000 0.000 2.647 5.961");
    let wrapped = [
        (0, 0, 65534, 1000, false),
        (20_000, 0, 65535, 1160, false),
        (41_000, 0, 0, 1320, false),
        (60_000, 0, 1, 1480, false),
        (83_000, 0, 4, 1960, false),
    ];
    assert_eq!(shown("wrapped", &wrapped), "5 2 19.000 20.750 23.000 0.000 0.652 2.426");
    let noise = [
        plain[0],
        (20_000, 13, 11, 1160, false),
        (145_000, 0, 12, 2160, false),
        (160_000, 0, 13, 2320, false),
        (180_000, 0, 14, 2480, false),
    ];
    assert_eq!(shown("noise", &noise), "5 0 15.000 8.750 20.000 0.293 0.151 0.312");
    let twice = [plain[0], plain[1], (25_000, 0, 11, 1160, false)];
    assert_eq!(shown("twice", &twice), "3 -1 5.000 12.500 20.000 0.000 0.156 0.312");
    let unknown = plain.map(|(at, _, number, time, marker)| (at, 97, number, time, marker));
    assert_eq!(shown("unknown", &unknown), "4 0 15.000 20.000 25.000");
    let before_the_first = [plain[0], plain[1], (41_000, 0, 12, 840, false), (60_000, 0, 13, 1320, false)];
    assert_eq!(shown("before", &before_the_first), "4 0 20.000 26.667 40.000 0.000 0.417 1.250");
}

#[test]
fn rtp_streams_that_sdp_announced_are_found() {
    let stats = counted("rtp,streams", "samples/neighbours.pcap", &[]);
    let streams = stats["rtp"]["streams"].as_array().unwrap();
    let ends: Vec<&Value> = streams.iter().map(|stream| &stream["src"]).collect();
    assert_eq!(ends, ["192.168.1.20:40000", "203.0.113.80:40000"]);
    for stream in streams {
        assert_eq!((&stream["ssrc"], &stream["payloads"][0]), (&0x1234_5678.into(), &"PCMU".into()));
        assert_eq!((&stream["packets"], &stream["lost"]), (&1.into(), &0.into()));
    }
    assert!((streams[0]["start"].as_f64().unwrap() - 1.339_096).abs() < 1e-9);
}

#[test]
fn follow_http_has_bodies_without_chunks_and_compression() {
    let raw = |stream: &str, dir: &str| {
        let output = program().args(["follow", "samples/http.pcap", "-s", stream, "--dir", dir, "-T", "raw"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let sent = raw("http/0", "s2c");
    // The first response in tshark's follow,http,raw,0.
    let first = "HTTP/1.1 200 OK\r\nServer: Test\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 29\r\n\r\nhello, hello, hello";
    assert!(sent.starts_with(first), "{sent}");
    let (_, chunked) = sent.split_once("Transfer-Encoding: chunked").unwrap();
    let (_, body) = chunked.split_once("\r\n\r\n").unwrap();
    assert!(body.starts_with("line  0 of part 0, nothing more\nline  1"), "{body}");
    assert!(!body.contains("\r\n0\r\n"));
    assert!(raw("http/0", "c2s").starts_with("GET /news.txt HTTP/1.1\r\n"));
    let of_z = run(&["-z", "follow,http,ascii,0", "samples/http.pcap"]);
    assert_eq!(of_z.out, run(&["follow", "-s", "http/0", "-T", "ascii", "samples/http.pcap"]).out);
    assert!(of_z.out.contains("hello, hello, hello") && of_z.err.contains("masked"), "{}", of_z.err);
}

#[test]
fn follow_tls_has_what_was_decrypted_or_says_why_not() {
    let sent = program().args(["follow", "samples/tls-keys.pcapng", "-s", "tls/0", "-T", "raw"]).output().unwrap().stdout;
    let sent = String::from_utf8(sent).unwrap();
    assert!(sent.starts_with("GET /servers HTTP/1.1\r\nHost: game.example\r\nUser-Agent: lobby/2\r\n\r\n"), "{sent}");
    assert!(sent.contains("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 71\r\n\r\n{"), "{sent}");
    for (arguments, words) in [
        (["-z", "follow,tls,hex,0", "samples/tls.pcap"], &["tcp/0", "decrypted", "-o tls.keylog_file=FILE"][..]),
        (["-z", "follow,tls,hex,0", "samples/http.pcap"], &["carries no TLS", "-s tcp/0"]),
        (["-z", "follow,http,hex,0", "samples/tls.pcap"], &["carries no readable HTTP", "-s tcp/0"]),
        (["-z", "follow,http,hex,9", "samples/http.pcap"], &["no conversation tcp/9"]),
    ] {
        let run = run(&arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}: {}", run.err);
        assert!(words.iter().all(|word| run.err.contains(word)), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn help_of_z_lists_every_name_and_reads_nothing() {
    for arguments in [&["-z", "help"][..], &["stats", "-z", "help"], &["-z", "help", "nothing"]] {
        let run = run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        for name in ["io,phs", "conv,tcp", "expert", "dns,tree", "hosts", "rtp,streams", "io,stat", "follow,tcp,hex,0"] {
            assert!(run.out.lines().any(|line| line.starts_with(name)), "{name}: {}", run.out);
        }
    }
}
