//! Every output format, and the possible encodings of a secret.

use super::SECRET;
use super::made::Capture;
use crate::common::{own_cases, run};
use std::fs;

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |chunk: &[u8]| chunk.iter().fold(0, |all: u32, byte| all << 8 | u32::from(*byte));
    let digit = |bits: u32, at: u32| char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
    bytes.chunks_exact(3).flat_map(|chunk| (0..4).map(move |at| digit(bits(chunk), at))).collect()
}

/// The secret in every encoding that an output may have.
pub fn encodings(secret: &[u8]) -> Vec<String> {
    let hex = |between: &str, digit: fn(&u8) -> String| secret.iter().map(digit).collect::<Vec<_>>().join(between);
    let mut all = vec![
        String::from_utf8_lossy(secret).into_owned(),
        hex("", |byte| format!("{byte:02x}")),
        hex(" ", |byte| format!("{byte:02x}")),
        hex(":", |byte| format!("{byte:02x}")),
        hex("", |byte| format!("{byte:02X}")),
        hex(", ", |byte| format!("0x{byte:02x}")),
    ];
    // Base64 groups inside the secret have the same digits for each alignment.
    all.extend((0..3).map(|skipped| base64(&secret[skipped..])));
    all
}

/// Joins lines of a hex dump.
fn joined(text: &str) -> String {
    text.split('\n').map(|line| line.split("  |").next().unwrap().split_once("  ").map_or("", |(_, bytes)| bytes)).collect()
}

/// Every form of output.
pub const FORMS: &[&[&str]] = &[
    &[],
    &["-V"],
    &["-V", "-v"],
    &["-x", "-V"],
    &["-x"],
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
    &["-T", "fields", "-e", "_ws.col.Info", "-e", "_ws.expert", "-e", "_ws.expert.message", "-e", "http.request.uri.query"],
    &["-T", "csv", "--packets", "-e", "_ws.col.Info", "-e", "_ws.expert", "-e", "_ws.expert.message", "-e", "http.request.line"],
    &["-T", "fields", "-E", "header=y", "-E", "separator=/t", "-e", "tcp.payload", "-e", "udp.payload", "-e", "_ws.col.Info"],
    &["-T", "fields", "--packets", "-E", "separator=/t", "-E", "quote=d", "-e", "tcp", "-e", "http", "-e", "ip", "-e", "udp"],
    &["-T", "ek"],
    &["-T", "pdml"],
    &["-T", "pdml", "--messages"],
    &["-T", "psml"],
    &["-T", "tabs"],
    &["-T", "jsonraw"],
    &["-T", "fields", "-e", "tcp.payload[0:]", "-e", "udp.payload[0:]", "-e", "upper(http.cookie)", "-e", "info", "-e", "name"],
    &["-T", "html"],
    &["-T", "html", "-v"],
    &["-T", "html", "--packets"],
    &["-z", "http,tree", "-z", "http_req,tree", "-z", "http_srv,tree", "-z", "rtsp,tree", "-z", "sip,stat"],
    &["-z", "credentials", "-z", "flow,any,network", "-z", "flow,tcp,network"],
    &["stats", "--json", "-z", "credentials", "-z", "flow,any,network", "-z", "http_req,tree"],
    &["-z", "expert"],
    &["-z", "io,phs"],
    &["-z", "io,stat,0"],
];

/// Formats that find their bytes in different ways, for captures of many segmentations.
pub const DIFFERENT: &[&[&str]] = &[
    &["-x", "-V", "-v"],
    &["--json"],
    &["-T", "fields", "-e", "tcp.payload", "-e", "udp.payload", "-e", "data.data", "-e", "http.request.full_uri"],
    &["--packets", "-l"],
    &["--packets", "-V", "-x"],
    &["--packets", "--json"],
];

/// Output of these formats and all other commands for a capture.
fn outputs_of(capture: &Capture, forms: &[&[&str]]) -> Vec<(String, String)> {
    let file = capture.file();
    let mut lines: Vec<Vec<&str>> = forms.iter().map(|form| [*form, &[file]].concat()).collect();
    let streams: &[&str] =
        if std::ptr::eq(forms, FORMS) { &["tcp/0", "tcp/1", "tcp/2", "tcp/3", "tcp/5", "udp/0"] } else { &["tcp/1", "tcp/3"] };
    let follows: &[&str] =
        if std::ptr::eq(forms, FORMS) { &["hex", "ascii", "json", "ndjson", "yaml", "carray"] } else { &["hex", "yaml"] };
    for form in follows {
        for stream in streams {
            lines.push(vec!["follow", file, "-s", stream, "-T", form]);
        }
    }
    lines.extend([&["follow", file][..], &["stats", file], &["stats", "--json", file]].map(<[&str]>::to_vec));
    lines.extend([&["objects", file][..], &["objects", "--json", file]].map(<[&str]>::to_vec));
    let mut outputs = Vec::new();
    // Captures differ in length, so that together they have all outputs.
    for line in own_cases(lines, capture.bytes.len(), 3) {
        let done = run(&line);
        assert!(done.code == 0 || line[0] == "follow", "{line:?} {}", done.err);
        outputs.push((line.join(" "), done.out));
    }
    let written = capture.path.with_extension("pcapng");
    let copied = run(&["-w", written.to_str().unwrap(), "-Y", "frame.number > 0", file]);
    assert_eq!(copied.code, 0, "{}", copied.err);
    let saved = capture.path.with_extension("objects");
    run(&["objects", "--write-dir", saved.to_str().unwrap(), file]);
    let names =
        fs::read_dir(&saved).map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect());
    outputs.push(("names of saved objects".to_owned(), names.map(|names: Vec<_>| names.join("\n")).unwrap_or_default()));
    let _ = fs::remove_dir_all(saved);
    outputs.push(("-w".to_owned(), run(&["-T", "fields", "-e", "frame.comment", written.to_str().unwrap()]).out));
    fs::remove_file(written).unwrap();
    outputs
}

/// The secret is in no output.
pub fn assert_masked(capture: &Capture) {
    assert_masked_in(capture, DIFFERENT);
}

/// The same for messages. The packet view prints a frame before a later one completes the message of a binary protocol.
pub fn assert_messages_masked(capture: &Capture) {
    let of_messages = |form: &&&[&str]| !form.contains(&"--packets") && !form.contains(&"tcp.payload");
    assert_masked_in(capture, &DIFFERENT.iter().filter(of_messages).copied().collect::<Vec<_>>());
}

pub fn assert_masked_in(capture: &Capture, forms: &[&[&str]]) {
    assert_hides(capture, SECRET, forms);
}

/// The same for another secret.
pub fn assert_hides(capture: &Capture, secret: &str, forms: &[&[&str]]) {
    let encodings = encodings(secret.as_bytes());
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
