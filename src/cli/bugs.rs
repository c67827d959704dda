//! Tests with a dissector that panics: every command continues and asks for a bug report.

use super::{Exit, run_line};
use crate::engine::tests::bug::ALL;
use crate::registry;
use crate::render::Thousands;
use etherparse::PacketBuilder;
use std::path::PathBuf;
use std::process::Command;

/// Environment variable with the command line of a child process, which runs only this test.
const LINE: &str = "PROTO_DISSECT_TEST_LINE";
const BETWEEN: &str = "\u{1f}";

/// More messages than are read before the second thread starts.
const MANY: usize = 1000;
/// Messages after the bugs.
const MORE: usize = 100;

struct Captured {
    bytes: Vec<u8>,
    sent: [u32; 2],
}

impl Captured {
    fn packet(&mut self, packet: &[u8]) {
        let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
        self.bytes.extend([[0; 8].as_slice(), &length, &length, packet].concat());
    }

    /// Adds a payload of one of two clients.
    fn push_payload(&mut self, client: usize, payload: &[u8]) {
        let mut packet = Vec::new();
        let port = 5000 + u16::try_from(client).unwrap();
        let seq = self.sent.get_mut(client).unwrap();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(port, 9, *seq, 1000).write(&mut packet, payload).unwrap();
        *seq += u32::try_from(payload.len()).unwrap();
        self.packet(&packet);
    }

    fn datagram(&mut self, payload: &[u8]) {
        let mut packet = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(5000, 8).write(&mut packet, payload).unwrap();
        self.packet(&packet);
    }
}

/// A long conversation, with another one and datagrams in the middle whose dissector panics.
fn capture() -> Vec<u8> {
    let header = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x65\0\0\0".to_vec();
    let mut captured = Captured { bytes: header, sent: [100; 2] };
    let message = [&[0xff][..], &[b'm'; 255]].concat();
    (0..MANY).for_each(|_| captured.push_payload(0, &message));
    captured.push_payload(1, b"\x01a\x03!bc\x01d");
    captured.push_payload(1, b"\x01e");
    captured.datagram(b"\x01a");
    captured.datagram(&[b'z'; 100]);
    (0..MORE).for_each(|_| captured.push_payload(0, &message));
    captured.bytes
}

/// The exit code and both outputs of the program.
fn run(line: &[&str]) -> (Option<i32>, String, String) {
    let test = "cli::bugs::a_dissector_that_panics_ends_no_run";
    let line = [&["proto-dissect"], line].concat().join(BETWEEN);
    let child = Command::new(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]).env(LINE, line).output();
    let child = child.unwrap();
    let out = String::from_utf8(child.stdout).unwrap();
    let out = out.split_once("running 1 test\n").unwrap().1;
    let own = format!("test {test} ... ");
    (child.status.code(), out.strip_prefix(&own).unwrap_or(out).to_owned(), String::from_utf8(child.stderr).unwrap())
}

struct Files([PathBuf; 2]);

impl Drop for Files {
    fn drop(&mut self) {
        self.0.iter().for_each(|path| drop(std::fs::remove_file(path)));
    }
}

#[test]
fn a_dissector_that_panics_ends_no_run() {
    if let Ok(line) = std::env::var(LINE) {
        registry::INSTEAD.set(ALL).ok();
        std::process::exit(run_line(line.split(BETWEEN).map(Into::into).collect()) as i32);
    }
    let path = |name: &str| std::env::temp_dir().join(format!("proto-dissect-bug-{}-{name}", std::process::id()));
    let files = Files([path("in.pcap"), path("out.pcapng")]);
    std::fs::write(&files.0[0], capture()).unwrap();
    let [input, output] = files.0.each_ref().map(|path| path.to_str().unwrap());
    // Counts of bugs, of dissected messages, and of data messages: the bytes after the bugs.
    let counts = |out: &str| {
        ["\"code\":\"dissect.bug\"", "\"protocol\":\"fragile\"", "\"protocol\":\"data\""].map(|text| out.matches(text).count())
    };
    let frames = MANY + MORE + 4;
    for (line, inputs) in
        [(&["--json", input][..], 1), (&["--json", "--threads", "2", input], 1), (&["--json", "--threads", "2", input, input], 2)]
    {
        let (code, out, err) = run(line);
        assert_eq!(counts(&out), [2 * inputs, (MANY + MORE + 2) * inputs, 4 * inputs], "{line:?} {err}");
        assert_reported(line, code, &err);
    }
    for threads in ["1", "2"] {
        let ways: &[(&[&str], usize)] = &[
            (&["-Y", "dissect.bug", "-T", "fields", "-e", "frame.number"], 2),
            (&["--packets", "-T", "fields", "-e", "frame.number", "-e", "fragile.length"], frames),
            (&["stats", "-z", "hierarchy"], 0),
            (&["follow", "-s", "tcp/0", "-T", "ndjson"], 0),
            (&["-w", output], 0),
        ];
        for (way, lines) in ways {
            let line = &[*way, &["--threads", threads, input]].concat()[..];
            let (code, out, err) = run(line);
            assert!(*lines == 0 || out.lines().count() == *lines, "{line:?} {out:.500}");
            assert_reported(line, code, &err);
            match way[0] {
                "stats" => assert!(out.contains(&format!(" {} ", Thousands((frames - 1) as u64))), "{out}"),
                "follow" => assert_eq!(out.matches(&"6d".repeat(255)).count(), MANY + MORE, "{out:.500}"),
                _ => {}
            }
        }
        let (_, written, _) = run(&["--packets", "-T", "fields", "-e", "frame.number", output]);
        assert_eq!(written.lines().count(), frames);
    }
}

/// One line asks for a bug report, and the run fails.
fn assert_reported(line: &[&str], code: Option<i32>, err: &str) {
    assert_eq!(code, Some(Exit::Failed as i32), "{line:?} {err}");
    let reports = err.lines().filter(|line| !line.contains(" frames written to ")).count();
    assert_eq!(reports, 1, "{line:?} {err}");
    assert!(err.contains("please report it: no message at src/engine/tests/bug.rs:"), "{line:?} {err}");
}
