//! Decryption with a key log: sessions of OpenSSL with every version and kind of cipher; without a key, with a wrong key, and
//! after a hole.

use crate::common::{run, run_with};
use std::path::PathBuf;

const SAMPLE: &str = "samples/tls-keys.pcapng";
const SECRETS: u32 = 10;
const SESSIONS: usize = 12;

/// The blocks of the sample, with their type.
fn blocks() -> Vec<(u32, Vec<u8>)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(SAMPLE);
    let mut file = &std::fs::read(path).unwrap()[..];
    let mut blocks = Vec::new();
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().unwrap());
    while !file.is_empty() {
        let (block, rest) = file.split_at(word(&file[4..]) as usize);
        blocks.push((word(block), block.to_vec()));
        file = rest;
    }
    blocks
}

fn file(blocks: impl IntoIterator<Item = (u32, Vec<u8>)>) -> Vec<u8> {
    blocks.into_iter().flat_map(|(_, block)| block).collect()
}

fn key_log() -> String {
    let text = include_str!("../samples/make/tls-keys.txt");
    text.lines().filter_map(|line| line.strip_prefix("k ")).flat_map(|line| [line, "\n"]).collect()
}

/// The HTTP content.
const COLUMNS: [&str; 11] =
    ["-Y", "http", "-e", "tcp.stream", "-e", "message.name", "-e", "http.request.full_uri", "-e", "http.file_data", "-"];

#[test]
fn sessions_of_every_version_are_opened_with_the_key_log_of_the_capture() {
    let done = run_with(&COLUMNS, &file(blocks()));
    let mut expected = String::new();
    for stream in 0..SESSIONS {
        expected += &format!("{stream}\tGET\thttps://game.example/servers\t\n{stream}\tGET\thttps://game.example/motd\t\n");
        let body = r#"{"servers":[{"name":"alpha","players":12},{"name":"beta","players":0}]}"#;
        expected += &format!("{stream}\t200\t\t{body}\n{stream}\t204\t\t\n");
        // The client of the session with this suite updates its keys.
        if stream == 7 {
            expected += &format!("{stream}\tGET\thttps://game.example/after\t\n");
        }
    }
    assert_eq!((done.out.as_str(), done.err.as_str(), done.code), (expected.as_str(), "", 0));
}

#[test]
fn a_key_log_may_also_be_a_file_and_without_one_nothing_is_opened() {
    let closed = file(blocks().into_iter().filter(|(kind, _)| *kind != SECRETS));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("keys.txt");
    std::fs::write(&path, key_log()).unwrap();
    let option = format!("tls.keylog_file={}", path.display());
    let done = run_with(&[&["-o", &option], &COLUMNS[..]].concat(), &closed);
    assert_eq!(done.out, run_with(&COLUMNS, &file(blocks())).out);
    assert!(!done.out.is_empty());
    assert_eq!(run_with(&COLUMNS, &closed).out, "");
    std::fs::write(&path, "-----BEGIN PRIVATE KEY-----\n").unwrap();
    let wrong = run_with(&["-o", &option, "-"], &closed);
    assert_eq!((wrong.code, wrong.err.contains("CLIENT_RANDOM")), (2, true), "{}", wrong.err);
}

#[test]
fn a_secret_after_its_records_decrypts_only_what_follows_and_a_wrong_one_is_noted() {
    let late = blocks();
    let secrets = late.iter().position(|(kind, _)| *kind == SECRETS).unwrap();
    let mut moved = late.clone();
    let block = moved.remove(secrets);
    moved.push(block);
    assert_eq!(run_with(&COLUMNS, &file(moved)).out, "");

    let mut wrong = late;
    // The last digit of the first secret.
    let block = &mut wrong[secrets].1;
    let log = block.windows(13).position(|word| word == b"CLIENT_RANDOM").unwrap();
    let end = log + block[log..].iter().position(|byte| *byte == b'\n').unwrap();
    block[end - 1] ^= 1;
    let done = run_with(&["-Y", "tls.not_opened && tcp.stream == 0", "-e", "message.name", "-"], &file(wrong));
    assert_eq!(done.out.lines().next(), Some("encrypted_handshake"));
}

#[test]
fn follow_shows_the_bytes_as_they_were_sent() {
    let closed = file(blocks().into_iter().filter(|(kind, _)| *kind != SECRETS));
    for side in ["c2s", "s2c"] {
        let follow = |input: &[u8]| {
            let out = run_with(&["follow", "-", "-s", "tcp/0", "--dir", side, "-T", "carray"], input).out;
            let is_byte = |word: &str| word.len() == 4 && word.starts_with("0x");
            out.split([' ', ',', '\n']).filter(|word| is_byte(word)).map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(follow(&closed).len() > 200);
        assert_eq!(follow(&file(blocks())), follow(&closed), "{side}");
    }
}

#[test]
fn records_are_decrypted_after_a_gap() {
    // The client's first request is missing; in the session with new keys another record follows it.
    let done = run_with(
        &["-Y", "tcp.stream == 7 && tcp.len > 0 && tcp.dstport == 443", "--packets", "-e", "frame.number", "-"],
        &file(blocks()),
    );
    let frames: Vec<usize> = done.out.lines().map(|line| line.parse().unwrap()).collect();
    let missing = frames[2];
    let mut number = 0;
    let without = blocks().into_iter().filter(|(kind, _)| {
        number += usize::from(*kind == 6);
        *kind != 6 || number != missing
    });
    let done = run_with(&["-Y", "http.request && tcp.stream == 7", "-e", "http.request.uri", "-"], &file(without));
    assert_eq!(done.out, "/after\n");
}

#[test]
fn decrypted_objects_can_be_saved() {
    let done = run(&["objects", SAMPLE]);
    assert_eq!(done.out.lines().filter(|line| line.contains(" http ")).count(), SESSIONS, "{}", done.out);
}

#[test]
fn in_tls_1_0_the_second_record_after_a_gap_is_decrypted() {
    // A client segment is missing: each record is chained to the previous block.
    const STREAM: &str = "tcp.stream == 9 && tcp.len > 0 && tcp.dstport == 443";
    let done = run_with(&["-Y", STREAM, "--packets", "-e", "frame.number", "-"], &file(blocks()));
    let frames: Vec<usize> = done.out.lines().map(|line| line.parse().unwrap()).collect();
    let missing = frames[2];
    let mut number = 0;
    let without = blocks().into_iter().filter(|(kind, _)| {
        number += usize::from(*kind == 6);
        *kind != 6 || number != missing
    });
    let done = run_with(&["-Y", "tls && tcp.stream == 9 && tcp.dstport == 443", "-e", "message.name", "-"], &file(without));
    insta::assert_snapshot!(done.out, @r"
    client_hello
    client_key_exchange
    change_cipher_spec
    finished
    GET
    alert
    ");
}

#[test]
fn http3_is_dissected_with_the_keys_in_the_capture() {
    let columns = ["-e", "frame.number", "-e", "quic.key_phase", "-e", "http3.headers.path", "-e", "http3.headers.status"];
    let out = run(&[&["--packets", "-T", "fields"], &columns[..], &["samples/quic-keys.pcapng"]].concat()).out;
    let paths: Vec<&str> = out.lines().filter_map(|line| line.split('\t').nth(2)).filter(|path| !path.is_empty()).collect();
    assert_eq!(paths, ["/small", "/small/last", "/big/one", "/big/one"], "{out}");
    let phases: Vec<&str> = out.lines().filter_map(|line| line.split('\t').nth(1)).filter(|phase| !phase.is_empty()).collect();
    assert!(phases.contains(&"0") && phases.contains(&"1"), "a key update: {out}");
    let list = run(&["-l", "samples/quic-keys.pcapng"]).out;
    assert!(list.contains("blocked") && list.contains("200, OK, application/json, of https://test.example/big/one"), "{list}");
}
