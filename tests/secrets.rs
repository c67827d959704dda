//! Secrets stay secret: in every form of output, in every encoding, however the bytes were cut into packets.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "a test may")]

mod common;

use common::{program, run};
use etherparse::PacketBuilder;
use std::fs;
use std::path::PathBuf;

const SECRET: &str = "Hunter2secret";

/// A capture of raw IP packets that is removed at the end.
struct Capture {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Capture {
    fn new(name: &str) -> Capture {
        let path = std::env::temp_dir().join(format!("proto-dissect-secrets-{}-{name}.pcap", std::process::id()));
        Capture { path, bytes: b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x65\0\0\0".to_vec() }
    }

    fn packet(&mut self, packet: &[u8]) {
        self.cut_packet(packet, packet.len());
    }

    /// A packet of which only the first bytes were captured.
    fn cut_packet(&mut self, packet: &[u8], captured: usize) {
        let lengths = [captured as u32, packet.len() as u32].map(u32::to_le_bytes).concat();
        self.bytes.extend([&[0; 8], &lengths[..], &packet[..captured]].concat());
    }

    /// Two sides of a connection; what the client says last comes in these segments.
    fn connection(&mut self, ports: (u16, u16), before: &[(bool, &[u8])], last: &[&[u8]], ends: bool) {
        let mut seq = [100, 500];
        let mut send = |from_client: bool, flags: &str, payload: &[u8]| {
            let (own, other) = if from_client { (0, 1) } else { (1, 0) };
            let ends = if from_client { ([10, 0, 0, 1], [10, 0, 0, 2]) } else { ([10, 0, 0, 2], [10, 0, 0, 1]) };
            let (source, target) = if from_client { ports } else { (ports.1, ports.0) };
            let builder = PacketBuilder::ipv4(ends.0, ends.1, 64).tcp(source, target, seq[own], 1000);
            let builder = match flags {
                "S" => builder.syn(),
                "SA" => builder.syn().ack(seq[other]),
                "F" => builder.fin().ack(seq[other]),
                _ => builder.ack(seq[other]),
            };
            let mut packet = Vec::new();
            builder.write(&mut packet, payload).unwrap();
            self.packet(&packet);
            seq[own] += payload.len() as u32 + u32::from(flags.contains('S')) + u32::from(flags == "F");
        };
        send(true, "S", b"");
        send(false, "SA", b"");
        before.iter().for_each(|(from_client, payload)| send(*from_client, "", payload));
        last.iter().for_each(|payload| send(true, "", payload));
        if ends {
            send(true, "F", b"");
            send(false, "F", b"");
        }
    }

    fn file(&self) -> &str {
        fs::write(&self.path, &self.bytes).unwrap();
        self.path.to_str().unwrap()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(5000, port).write(&mut packet, payload).unwrap();
    packet
}

/// An ICMP error that quotes a packet.
fn quoted(packet: &[u8]) -> Vec<u8> {
    let body = [&[3, 3, 0, 0, 0, 0, 0, 0], packet].concat();
    let mut outer = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).write(&mut outer, etherparse::IpNumber::ICMP, &body).unwrap();
    outer
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |chunk: &[u8]| chunk.iter().fold(0, |all: u32, byte| all << 8 | u32::from(*byte));
    let digit = |bits: u32, at: u32| char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
    bytes.chunks_exact(3).flat_map(|chunk| (0..4).map(move |at| digit(bits(chunk), at))).collect()
}

/// The secret in every encoding in which an output could have it.
fn encodings(secret: &[u8]) -> Vec<String> {
    let hex = |between: &str, digit: fn(&u8) -> String| secret.iter().map(digit).collect::<Vec<_>>().join(between);
    let mut all = vec![
        String::from_utf8_lossy(secret).into_owned(),
        hex("", |byte| format!("{byte:02x}")),
        hex(" ", |byte| format!("{byte:02x}")),
        hex(":", |byte| format!("{byte:02x}")),
        hex("", |byte| format!("{byte:02X}")),
        hex(", ", |byte| format!("0x{byte:02x}")),
    ];
    // Wherever the secret lies among groups of three bytes, the digits of the groups inside it are the same.
    all.extend((0..3).map(|skipped| base64(&secret[skipped..])));
    all
}

/// Lines that a hex dump breaks are put together again.
fn joined(text: &str) -> String {
    text.split('\n').map(|line| line.split("  |").next().unwrap().split_once("  ").map_or("", |(_, bytes)| bytes)).collect()
}

const FORMS: &[&[&str]] = &[
    &[],
    &["-V"],
    &["-V", "-v"],
    &["-x", "-V"],
    &["-l"],
    &["-l", "-x"],
    &["--json"],
    &["-T", "json"],
    &["-T", "flat"],
    &["-T", "flat", "-v"],
    &["--packets"],
    &["--packets", "-V"],
    &["--packets", "-V", "-x"],
    &["--packets", "-l"],
    &["--packets", "--json"],
    &["--packets", "-T", "flat"],
    &["-T", "fields", "-e", "tcp.payload", "-e", "udp.payload", "-e", "data.data", "-e", "http.request.full_uri"],
    &["-T", "fields", "-e", "tcp.payload", "-e", "udp.payload"],
    &["-T", "json", "--packets", "-Y", "tcp.payload || udp.payload"],
    &["-T", "csv", "--packets", "-e", "tcp.payload", "-e", "ftp.request.arg", "-e", "http.file_data", "-e", "http.cookie"],
    &["-T", "fields", "--packets", "-e", "tcp", "-e", "http", "-e", "ip", "-e", "icmp", "-e", "data"],
];

/// What every form of output says of a capture.
fn outputs(capture: &Capture) -> Vec<(String, String)> {
    let file = capture.file();
    let mut outputs = Vec::new();
    for form in FORMS {
        let done = run(&[*form, &[file]].concat());
        assert_eq!(done.code, 0, "{form:?} {}", done.err);
        outputs.push((form.join(" "), done.out));
    }
    for form in ["hex", "ascii", "json", "ndjson", "yaml", "carray"] {
        for stream in ["tcp/0", "tcp/3", "udp/0"] {
            outputs.push((format!("follow {form}"), run(&["follow", file, "-s", stream, "-T", form]).out));
        }
    }
    for line in
        [&["follow", file][..], &["stats", file], &["stats", "--json", file], &["objects", file], &["objects", "--json", file]]
    {
        outputs.push((line[0].to_owned(), run(line).out));
    }
    let written = capture.path.with_extension("pcapng");
    let copied = run(&["-w", written.to_str().unwrap(), "-Y", "frame.number > 0", file]);
    assert_eq!(copied.code, 0, "{}", copied.err);
    outputs.push(("-w".to_owned(), run(&["-T", "fields", "-e", "frame.comment", written.to_str().unwrap()]).out));
    fs::remove_file(written).unwrap();
    outputs
}

/// The secret is in no output, but all are there.
fn assert_masked(capture: &Capture) {
    let encodings = encodings(SECRET.as_bytes());
    for (name, out) in outputs(capture) {
        let dump = joined(&out).replace("  ", " ");
        for secret in &encodings {
            let place = out
                .find(secret.as_str())
                .map(|at| String::from_utf8_lossy(&out.as_bytes()[at.saturating_sub(200)..at + secret.len()]));
            assert!(place.is_none(), "{name}: …{}", place.unwrap_or_default());
            assert!(!dump.contains(secret.as_str()), "{name}: {dump:.2000}");
        }
    }
    let shown = run(&["--packets", "--json", "--show-secrets", capture.file()]).out;
    assert!(shown.contains(&encodings[0]) || shown.contains(&encodings[1]), "--show-secrets shows them");
}

/// Every way to cut the last message in two, one in single bytes, and one whose last byte never comes.
fn in_every_segmentation(name: &str, port: u16, before: &[(bool, &[u8])], last: &str) {
    let last = last.replace("SECRET", SECRET).into_bytes();
    let mut capture = Capture::new(name);
    for cut in 1..=last.len() {
        let (first, second) = last.split_at(cut);
        let segments: &[&[u8]] = if second.is_empty() { &[first] } else { &[first, second] };
        capture.connection((20_000 + cut as u16, port), before, segments, cut % 2 == 0);
    }
    capture.connection((30_000, port), before, &last.chunks(1).collect::<Vec<_>>(), true);
    // The same segment twice.
    capture.connection((30_001, port), before, &[&last], false);
    let again = capture.bytes.len() - (16 + 40 + last.len());
    let repeated = capture.bytes[again..].to_vec();
    capture.bytes.extend(repeated);
    assert_masked(&capture);
}

#[test]
fn a_secret_of_ftp_is_masked_in_every_segmentation() {
    in_every_segmentation(
        "ftp",
        21,
        &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n"), (false, b"331 go on\r\n")],
        "PASS SECRET\r\n",
    );
}

#[test]
fn a_secret_of_smtp_is_masked_in_every_segmentation() {
    let before: &[(bool, &[u8])] =
        &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n"), (false, b"250-m\r\n250 AUTH PLAIN LOGIN\r\n")];
    in_every_segmentation("smtp-plain", 25, before, "AUTH PLAIN SECRET\r\n");
    let login = [before, &[(true, b"AUTH LOGIN\r\n"), (false, b"334 VXNlcm5hbWU6\r\n")]].concat();
    let mut capture = Capture::new("smtp-login");
    capture.connection((20_000, 25), &login, &[SECRET.as_bytes(), b"\r\n"], true);
    capture.connection((20_001, 25), &login, &[format!("{SECRET}\r\n").as_bytes()], true);
    capture.connection((20_002, 25), &login, &[SECRET.as_bytes()], true);
    // What is inherent: the packet view cannot know of a dialogue's bare line before its end.
    let (name, out) = &outputs(&capture)[0];
    assert!(!out.contains(SECRET), "{name}");
    let messages = run(&["--json", capture.file()]).out;
    assert!(!messages.contains(SECRET) && !messages.contains(&encodings(SECRET.as_bytes())[1]));
}

#[test]
fn a_secret_of_irc_is_masked_in_every_segmentation() {
    in_every_segmentation("irc", 6667, &[], "PASS SECRET\r\nNICK a\r\nUSER a 0 * :b\r\n");
}

#[test]
fn secrets_of_http_are_masked_in_every_segmentation() {
    let json = r#"{"user":"a","password":"SECRET","n":1}"#;
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nSECRET\r\n--x--\r\n";
    let with_body = |kind: &str, body: &str| {
        let length = body.replace("SECRET", SECRET).len();
        format!("POST /login HTTP/1.1\r\nHost: h\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
    };
    for (name, request) in [
        ("basic", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic SECRET\r\n\r\n".to_owned()),
        ("bearer", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer SECRET\r\n\r\n".to_owned()),
        ("cookie", "GET / HTTP/1.1\r\nHost: h\r\nCookie: a=SECRET; b=c\r\n\r\n".to_owned()),
        ("key", "GET / HTTP/1.1\r\nHost: h\r\nX-Api-Key: SECRET\r\n\r\n".to_owned()),
        ("user", "GET http://u:SECRET@h/ HTTP/1.1\r\nHost: h\r\n\r\n".to_owned()),
        ("query", "GET /a?user=b&password=SECRET&c=d HTTP/1.1\r\nHost: h\r\nReferer: http://h/?token=SECRET\r\n\r\n".to_owned()),
        ("form", with_body("application/x-www-form-urlencoded", "user=a&password=SECRET&b=c")),
        ("json", with_body("application/json", json)),
        ("multipart", with_body("multipart/form-data; boundary=x", multipart)),
    ] {
        in_every_segmentation(&format!("http-{name}"), 80, &[], &request);
    }
}

#[test]
fn what_a_server_sets_is_masked() {
    let mut capture = Capture::new("set-cookie");
    let answer = format!(
        "HTTP/1.1 302 Found\r\nSet-Cookie: a={SECRET}; Path=/\r\nLocation: /x?token={SECRET}\r\nContent-Length: 0\r\n\r\n"
    );
    let dialogue: &[(bool, &[u8])] =
        &[(true, b"GET /?password=Hunter2secret HTTP/1.1\r\nHost: h\r\n\r\n"), (false, answer.as_bytes())];
    capture.connection((20_000, 80), dialogue, &[b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"], true);
    assert_masked(&capture);
}

/// SNMP version 2c: a request with the secret for its community.
fn snmp() -> Vec<u8> {
    let pdu = b"\xa0\x19\x02\x01\x01\x02\x01\0\x02\x01\0\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x01\0\x05\0";
    let length = 3 + 2 + SECRET.len() + pdu.len();
    [&[0x30, length as u8, 2, 1, 1, 4, SECRET.len() as u8], SECRET.as_bytes(), pdu].concat()
}

#[test]
fn a_community_of_snmp_is_masked_also_where_it_is_quoted() {
    let mut capture = Capture::new("snmp");
    capture.packet(&udp(161, &snmp()));
    capture.packet(&quoted(&udp(161, &snmp())));
    let whole = udp(161, &snmp());
    capture.cut_packet(&whole, whole.len() - 10);
    assert_masked(&capture);
}

#[test]
fn what_is_quoted_cut_or_left_at_the_end_is_masked() {
    let mut capture = Capture::new("rests");
    let before: &[(bool, &[u8])] = &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")];
    // No line end, with and without an end of the stream.
    capture.connection((20_000, 21), before, &[b"PASS Hunter2secret"], true);
    capture.connection((20_001, 21), before, &[b"PASS Hunter2secret"], false);
    capture.connection((20_002, 25), &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n")], &[b"AUTH PLAIN Hunter2secret"], true);
    // Of the last segment the line end was not captured, nor anything that follows.
    capture.connection((20_003, 21), before, &[b""], false);
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(20_003, 21, 109, 1000).ack(510);
    builder.write(&mut packet, b"PASS Hunter2secret\r\nQUIT\r\n").unwrap();
    capture.cut_packet(&packet, packet.len() - 8);
    capture.packet(&quoted(&packet));
    assert_masked(&capture);
}

#[test]
fn a_filter_cannot_probe_a_secret() {
    let mut capture = Capture::new("probe");
    let before: &[(bool, &[u8])] = &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")];
    capture.connection((20_000, 21), before, &[b"PASS Hunter2secret\r\n"], true);
    capture.connection((20_001, 80), &[], &[b"GET /?password=Hunter2secret&a=b HTTP/1.1\r\nHost: h\r\n\r\n"], true);
    capture.packet(&udp(161, &snmp()));
    capture.packet(&quoted(&udp(161, &snmp())));
    let file = capture.file();
    let count = |filter: &str, view: &[&str]| {
        run(&[view, &["-Y", filter, "-T", "fields", "-e", "frame.number", file]].concat()).out.lines().count()
    };
    for view in [&["--packets"][..], &[]] {
        for filter in [
            "tcp.payload contains \"Hunter2\"",
            "tcp.payload matches \"hunter.secret\"",
            "tcp.payload[5:7] == 48:75:6e:74:65:72:32",
            "tcp.payload[5] == 48",
            "udp.payload contains \"Hunter2\"",
            "frame contains \"Hunter2\"",
            "frame contains 48:75:6e:74:65:72",
            "ftp contains \"Hunter2\"",
            "snmp.community == \"Hunter2secret\"",
            "snmp.community matches \"^H\"",
            "http.request.uri contains \"Hunter2\"",
            "http.request.full_uri contains \"Hunter2\"",
            "upper(http.request.uri) contains \"HUNTER2\"",
            "data.data contains \"Hunter2\"",
            "http.request.full_uri matches \"hunter\"",
        ] {
            assert_eq!(count(filter, view), 0, "{view:?} {filter}");
            let done = run(&[view, &["-Y", filter, file]].concat());
            assert_eq!(done.code, 0, "{view:?} {filter}: {}", done.err);
        }
        assert_eq!(count("!(tcp.payload contains \"Hunter2\")", view), count("frame.number > 0", view), "{view:?}");
    }
    let shown =
        program().args(["--packets", "-Y", "tcp.payload contains \"Hunter2\"", "--show-secrets", "-l", file]).output().unwrap();
    assert_eq!(shown.stdout.iter().filter(|byte| **byte == b'\n').count(), 2);
}
