//! Secrets stay secret: in every form of output, in every encoding, however the bytes were cut into packets.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "a test may")]

mod common;

use common::{program, run};
use etherparse::PacketBuilder;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

const SECRET: &str = "Hunter2secret";

/// A capture of raw IP packets that is removed at the end.
struct Capture {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Ports that segmentations had.
    ports: std::ops::RangeFrom<u16>,
}

impl Capture {
    fn new(name: &str) -> Capture {
        let path = std::env::temp_dir().join(format!("proto-dissect-secrets-{}-{name}.pcap", std::process::id()));
        Capture { path, bytes: b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x65\0\0\0".to_vec(), ports: 20_000.. }
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
    outputs_of(capture, FORMS)
}

/// What these forms and all other commands say of a capture.
fn outputs_of(capture: &Capture, forms: &[&[&str]]) -> Vec<(String, String)> {
    let file = capture.file();
    let mut outputs = Vec::new();
    for form in forms {
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
    assert_masked_in(capture, FORMS);
}

/// The same for messages. The packet view prints a frame before a later one completes the message of a binary protocol.
fn assert_messages_masked(capture: &Capture) {
    let of_messages = |form: &&&[&str]| !form.contains(&"--packets") && !form.contains(&"tcp.payload");
    assert_masked_in(capture, &FORMS.iter().filter(of_messages).copied().collect::<Vec<_>>());
}

fn assert_masked_in(capture: &Capture, forms: &[&[&str]]) {
    let encodings = encodings(SECRET.as_bytes());
    for (name, out) in outputs_of(capture, forms) {
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

/// Up to this length a message is cut everywhere.
const SHORT: usize = 40;

/// Where to cut a message in two: everywhere if it is short, else next to each secret, inside each, and now and then.
fn cuts(message: &[u8]) -> Vec<usize> {
    let secret = SECRET.as_bytes();
    let is_near = |cut: usize| {
        let places = message.windows(secret.len()).enumerate().filter(|(_, window)| *window == secret);
        places.flat_map(|(at, _)| [at, at + 1, at + secret.len() - 1, at + secret.len()]).any(|place| place == cut)
    };
    (1..=message.len()).filter(|cut| message.len() <= SHORT || cut % 64 == 0 || *cut == message.len() || is_near(*cut)).collect()
}

/// Add the last message cut in two, in single bytes, and twice in one segment.
fn add_segmentations(capture: &mut Capture, port: u16, before: &[(bool, &[u8])], last: &[u8]) {
    for cut in cuts(last) {
        let (first, second) = last.split_at(cut);
        let segments: &[&[u8]] = if second.is_empty() { &[first] } else { &[first, second] };
        let own = capture.ports.next().unwrap();
        capture.connection((own, port), before, segments, cut % 2 == 0);
    }
    let [own, other] = std::array::from_fn(|_| capture.ports.next().unwrap());
    capture.connection((own, port), before, &last.chunks(1).collect::<Vec<_>>(), true);
    capture.connection((other, port), before, &[last], false);
    let again = capture.bytes.len() - (16 + 40 + last.len());
    let repeated = capture.bytes[again..].to_vec();
    capture.bytes.extend(repeated);
}

/// The last message in segments that are cut everywhere.
fn in_every_segmentation(name: &str, port: u16, before: &[(bool, &[u8])], last: &str) {
    let mut capture = Capture::new(name);
    add_segmentations(&mut capture, port, before, last.replace("SECRET", SECRET).as_bytes());
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
    let mut capture = Capture::new("http");
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
        assert!(request.contains("SECRET"), "{name}");
        add_segmentations(&mut capture, 80, &[], request.replace("SECRET", SECRET).as_bytes());
    }
    assert_masked(&capture);
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

/// A text behind its length in two bytes.
fn counted(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

/// MQTT: a CONNECT of version 5 whose password and authentication data are the secret.
fn mqtt() -> Vec<u8> {
    let properties = [&[0x15][..], &counted("m"), &[0x16], &counted(SECRET)].concat();
    let body = [
        &counted("MQTT"),
        &[5, 0xc2, 0, 60, properties.len() as u8][..],
        &properties,
        &counted("c"),
        &counted("u"),
        &counted(SECRET),
    ]
    .concat();
    [&[0x10, body.len() as u8][..], &body].concat()
}

/// A login of RuneScape: its block is in clear, with the secret for its password and behind it, or it is the secret.
fn runescape(in_clear: bool) -> Vec<u8> {
    let clear = [&[10; 1][..], &[7; 20], b"maren\n", SECRET.as_bytes(), b"\n", SECRET.as_bytes()].concat();
    let block = if in_clear { clear } else { SECRET.as_bytes().to_vec() };
    let rest = [&[225, 0][..], &[9; 36], &[block.len() as u8], &block].concat();
    [&[16, rest.len() as u8][..], &rest].concat()
}

/// RakNet: a connection request with the secret for its password, in a datagram of one unreliable message.
fn raknet() -> Vec<u8> {
    let request = [&[9; 1][..], &[1; 8], &[0; 9], SECRET.as_bytes()].concat();
    [&[0x84, 0, 0, 0, 0][..], &(request.len() as u16 * 8).to_be_bytes(), &request].concat()
}

/// An attribute of Xfire that is a text.
fn attribute(name: &str, text: &str) -> Vec<u8> {
    [&[name.len() as u8], name.as_bytes(), &[1, text.len() as u8, 0], text.as_bytes()].concat()
}

/// Xfire: a login with the secret for its digest.
fn xfire() -> Vec<u8> {
    let body = [attribute("name", "u"), attribute("password", SECRET)].concat();
    [&(body.len() as u16 + 5).to_le_bytes()[..], &[1, 0, 2], &body].concat()
}

/// A SIP request with this body.
fn sip(headers: &str, body: &str) -> Vec<u8> {
    let body = body.replace("SECRET", SECRET);
    let length = body.len();
    let head = format!("INVITE sip:a@h SIP/2.0\r\nVia: SIP/2.0/UDP h\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    head.replace("SECRET", SECRET).into_bytes()
}

/// Keys of media in every form that SDP has.
const KEYS: &str = "v=0\r\no=- 1 1 IN IP4 h\r\ns=-\r\nc=IN IP4 1.2.3.4\r\nt=0 0\r\nk=clear:SECRET\r\nm=audio 9 RTP/SAVP 0\r\n\
                    a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:SECRET|2^20\r\na=ice-pwd:SECRET\r\n";
const DIGEST: &str =
    "Authorization: Digest username=\"a\", response=\"SECRET\"\r\nProxy-Authorization: Digest response=\"SECRET\"\r\n";

/// A server's port, messages with whether the client sends them, and the secret in them.
type Connection<'a> = (u16, &'a [(bool, &'a [u8])], Vec<u8>);

#[test]
fn secrets_of_binary_protocols_are_masked() {
    let hello = b"UA01\x12\0\x03\0\x01\x07version\x02C\0\0\0";
    let connections: [Connection<'_>; 4] = [
        (1883, &[], mqtt()),
        (43594, &[(true, &[14, 0]), (false, &[0; 17])], runescape(true)),
        (43594, &[(true, &[14, 0]), (false, &[0; 17])], runescape(false)),
        (25999, &[(true, hello)], xfire()),
    ];
    let (mut whole, mut cut) = (Capture::new("whole"), Capture::new("cut"));
    for (own, (port, before, last)) in (20_000..).zip(&connections) {
        whole.connection((own, *port), before, &[last], true);
        add_segmentations(&mut cut, *port, before, last);
    }
    assert_masked(&whole);
    assert_messages_masked(&cut);
}

#[test]
fn secrets_of_datagrams_are_masked() {
    let mut capture = Capture::new("datagrams");
    capture.packet(&udp(8192, &raknet()));
    let rcon = |words: &str| [b"\xff\xff\xff\xff", words.replace("SECRET", SECRET).as_bytes()].concat();
    for (port, payload) in [
        (27960, rcon("rcon SECRET status")),
        (27960, rcon("rcon \"SECRET\" status")),
        (27015, rcon("rcon 12345678 \"SECRET\" status")),
        (27960, rcon(r#"connect "\name\x\password\SECRET\rate\1""#)),
        (27960, rcon("infoResponse\n\\name\\x\\password\\SECRET\\rate\\1")),
        (29900, rcon(r"\login\\challenge\x\password\SECRET\final\")[4..].to_vec()),
        (5060, sip(DIGEST, "")),
        (5060, sip("Content-Type: application/sdp\r\n", KEYS)),
        (9999, rcon("login: a\npassword: SECRET\n")),
    ] {
        let packet = udp(port, &payload);
        capture.packet(&packet);
        capture.packet(&quoted(&packet));
        capture.cut_packet(&packet, packet.len() - 2);
    }
    assert_masked(&capture);
}

#[test]
fn secrets_of_sip_are_masked_in_every_segmentation() {
    let mut capture = Capture::new("sip");
    add_segmentations(&mut capture, 5060, &[], &sip(DIGEST, ""));
    add_segmentations(&mut capture, 5060, &[], &sip("Content-Type: application/sdp\r\n", KEYS));
    assert_masked(&capture);
}

/// Fields that records have, with their values as bytes.
fn values(records: &str) -> Vec<(String, Vec<u8>)> {
    fn walk(value: &serde_json::Value, found: &mut Vec<(String, Vec<u8>)>) {
        match value {
            serde_json::Value::Object(of) => {
                if let (Some(name), Some(value)) = (of.get("name"), of.get("value").and_then(|value| value.as_str())) {
                    let is_bytes = of.get("type").is_some_and(|kind| kind == "bytes");
                    let digit = |at: usize| u8::from_str_radix(value.get(at..at + 2).unwrap(), 16).unwrap();
                    let bytes =
                        if is_bytes { (0..value.len()).step_by(2).map(digit).collect() } else { value.as_bytes().to_vec() };
                    found.push((name.as_str().unwrap().to_owned(), bytes));
                }
                of.values().for_each(|value| walk(value, found));
            }
            serde_json::Value::Array(all) => all.iter().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    records.lines().for_each(|line| walk(&serde_json::from_str(line).unwrap(), &mut found));
    found
}

/// Names of the fields whose values are secrets.
fn secret_fields() -> BTreeSet<String> {
    let all = run(&["fields", "--json"]).out;
    let fields = all.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    fields.filter(|field| field["secret"] == true).map(|field| field["name"].as_str().unwrap().to_owned()).collect()
}

/// Each secret field has a case above, or is in a sample of which no output contains its values.
#[test]
fn each_secret_field_is_tested() {
    let names = secret_fields();
    let mut capture = Capture::new("all");
    let basic = format!("Basic {}", base64(format!("ab:{SECRET}xx").as_bytes()));
    let http = format!("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: {basic}\r\nProxy-Authorization: a\r\nCookie: a=b\r\n\r\n");
    let answer: &[u8] = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n";
    let game: &[(bool, &[u8])] = &[(true, &[14, 0]), (false, &[0; 17])];
    capture.connection((20_000, 80), &[(true, http.as_bytes()), (false, answer)], &[b""], true);
    capture.connection((20_001, 21), &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")], &[b"PASS b\r\n"], true);
    let mail: &[(bool, &[u8])] = &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n"), (false, b"250 AUTH PLAIN\r\n")];
    capture.connection((20_002, 25), mail, &[b"AUTH PLAIN b\r\n"], true);
    capture.connection((20_003, 6667), &[], &[b"PASS b\r\nNICK a\r\n"], true);
    capture.connection((20_004, 1883), &[], &[&mqtt()], true);
    capture.connection((20_005, 43594), game, &[&runescape(true)], true);
    capture.connection((20_006, 43594), game, &[&runescape(false)], true);
    capture.packet(&udp(161, &snmp()));
    capture.packet(&udp(8192, &raknet()));
    capture.packet(&udp(27960, b"\xff\xff\xff\xffrcon b status"));
    capture.packet(&udp(5060, &sip(DIGEST, "")));
    capture.packet(&udp(5060, &sip("Content-Type: application/sdp\r\n", KEYS)));
    let mut seen: BTreeSet<String> =
        values(&run(&["--json", "--show-secrets", capture.file()]).out).into_iter().map(|(name, _)| name).collect();
    for sample in ["samples/xfire.pcap", "samples/xfire-packets.pcap", "samples/runescape.pcap"] {
        let mut secrets: BTreeSet<_> = values(&run(&["--json", "--show-secrets", sample]).out).into_iter().collect();
        // Zeros stand for no session; the shortest ones are found anywhere.
        secrets.retain(|(name, value)| names.contains(name) && value.len() > 5 && value.iter().any(|byte| *byte != 0));
        assert!(!secrets.is_empty(), "{sample}");
        for form in
            [&["-V", "-x"][..], &["--json"], &["--packets", "-V", "-x"], &["--packets", "--json"], &["follow", "-T", "ndjson"]]
        {
            let out = run(&[form, &[sample]].concat()).out;
            for (name, value) in &secrets {
                let is_text = value.iter().all(u8::is_ascii_graphic);
                let leak = encodings(value).into_iter().skip(usize::from(!is_text)).find(|secret| out.contains(secret.as_str()));
                assert_eq!(leak, None, "{sample} {form:?} {name}");
            }
        }
        seen.extend(secrets.into_iter().map(|(name, _)| name));
    }
    // A field that is generated on request has no record.
    let generated = ["-T", "fields", "-e", "http.authbasic", capture.file()];
    assert!(!run(&generated).out.contains(SECRET));
    if run(&[&generated[..], &["--show-secrets"]].concat()).out.contains(SECRET) {
        seen.insert("http.authbasic".to_owned());
    }
    let missing: Vec<_> = names.difference(&seen).collect();
    assert!(missing.is_empty(), "no case: {missing:?}");
}

/// A reader takes a value of type `bytes` for hex, and asterisks are no hex.
#[test]
fn masked_bytes_have_no_type_of_hex() {
    let mut capture = Capture::new("type");
    capture.connection((20_000, 21), &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")], &[b"PASS Hunter2", b"secret\r\n"], true);
    let out = run(&["--packets", "--json", capture.file()]).out;
    let masked = format!("\"value\":\"5041535320{}\",\"masked\":true", "**".repeat(7));
    assert!(out.contains(&masked), "{out}");
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
