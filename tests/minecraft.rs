//! Minecraft behind its login: visits with clients of several versions, of which one is encrypted.

use crate::common::run;
use serde_json::Value;

const CAPTURE: &str = "samples/minecraft.pcap";
const KEYS: &str = "samples/ksy/minecraft.keys";

/// The records of Minecraft with these arguments.
fn records(arguments: &[&str]) -> Vec<Value> {
    let done = run(&[arguments, &["--json", "-Y", "minecraft", CAPTURE]].concat());
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let records = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["type"] == "message").collect()
}

/// The names of the messages of a stream, with the sender.
fn names(records: &[Value], stream: &str) -> Vec<String> {
    let own = records.iter().filter(|record| record["stream"] == stream);
    own.map(|record| format!("{} {}", record["dir"].as_str().unwrap(), record["name"].as_str().unwrap())).collect()
}

/// The notes of a stream.
fn notes(records: &[Value], stream: &str) -> Vec<String> {
    let own = records.iter().filter(|record| record["stream"] == stream);
    let notes = own.flat_map(|record| record["notes"].as_array().cloned().unwrap_or_default());
    notes.map(|note| note["text"].as_str().unwrap().to_owned()).collect()
}

/// Packets of the login in front of these.
fn behind_login(acknowledged: bool, play: &[&str]) -> Vec<String> {
    let login = ["c2s handshake", "c2s login", "s2c compression", "s2c logged in"];
    let acknowledged: &[&str] = if acknowledged { &["c2s login acknowledged"] } else { &[] };
    [&login, acknowledged, play].concat().into_iter().map(str::to_owned).collect()
}

#[test]
fn packets_of_each_version_have_their_names() {
    let records = records(&[]);
    let old = ["login", "chat", "keep alive"].map(|name| format!("s2c {name}"));
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let old = [&old[..], &["c2s keep alive", "c2s position", "s2c entity teleport", "s2c block change"]].concat();
    assert_eq!(names(&records, "tcp/0"), behind_login(false, &old));
    let middle = ["s2c keep alive", "c2s keep alive", "s2c rel entity move", "s2c map chunk"];
    assert_eq!(names(&records, "tcp/1"), behind_login(false, &middle));
    let late = ["s2c chat", "c2s chat", "s2c update time", "s2c update health"];
    assert_eq!(names(&records, "tcp/2"), behind_login(false, &late));
    let configured = [
        "c2s settings",
        "s2c custom payload",
        "s2c registry data",
        "s2c finish configuration",
        "c2s finish configuration",
        "s2c system chat",
        "s2c start configuration",
        "c2s position",
        "c2s configuration acknowledged",
        "s2c finish configuration",
        "c2s finish configuration",
        "s2c kick disconnect",
    ];
    assert_eq!(names(&records, "tcp/3"), behind_login(true, &configured));
    // Numbers of a snapshot are in no table.
    assert_eq!(names(&records, "tcp/5"), behind_login(true, &["s2c packet 0x2a", "c2s packet 0x19"]));
    for stream in ["tcp/0", "tcp/1", "tcp/2", "tcp/3", "tcp/5"] {
        assert_eq!(notes(&records, stream), [""; 0], "{stream}");
    }
}

#[test]
fn encrypted_packets_are_read_with_their_key() {
    let records = records(&["--keys", KEYS]);
    let visit = [
        "c2s handshake",
        "c2s login",
        "s2c encryption request",
        "c2s encryption response",
        "s2c compression",
        "s2c logged in",
        "c2s login acknowledged",
        "s2c finish configuration",
        "c2s finish configuration",
        "s2c position",
        "c2s teleport confirm",
        "c2s position",
        "s2c system chat",
    ];
    assert_eq!(names(&records, "tcp/4"), visit);
    assert_eq!(notes(&records, "tcp/4"), [""; 0]);
}

/// What follows the login is data, and the note has the line that would serve.
#[test]
fn without_a_key_the_note_has_its_line() {
    let records = records(&[]);
    let visit = ["c2s handshake", "c2s login", "s2c encryption request", "c2s encryption response"];
    assert_eq!(names(&records, "tcp/4"), visit);
    let line = "minecraft secret HEX client=192.168.1.20:51614 server=203.0.113.80:25565";
    assert_eq!(notes(&records, "tcp/4"), [format!("no key secret: --keys with this line reads what follows: {line}")]);
}

#[test]
fn decrypted_and_decompressed_bytes_lead_back_to_the_frame() {
    let done = run(&["--keys", KEYS, "--json", "-Y", "minecraft.chat.text", CAPTURE]);
    let chats: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = chats.iter().rfind(|record| record["type"] == "message" && record["stream"] == "tcp/4").unwrap();
    let methods: Vec<&str> = last["derived"].as_array().unwrap().iter().filter_map(|buffer| buffer["how"].as_str()).collect();
    assert_eq!(methods, ["aes-cfb8", "zlib"], "{last}");
}

#[test]
fn a_wrong_key_gives_a_note_and_no_packet() {
    let records = records(&["-o", "minecraft.secret=00112233445566778899aabbccddeeff"]);
    assert_eq!(names(&records, "tcp/4")[4..].iter().filter(|name| !name.ends_with(" encrypted")).count(), 0);
    assert_eq!(notes(&records, "tcp/4"), ["the key of -o minecraft.secret does not fit (secret)"]);
}

#[test]
fn the_size_of_a_key_is_checked() {
    let done = run(&["-o", "minecraft.secret=0011", "-l", CAPTURE]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("expected 16 bytes, not 2"), "{}", done.err);
}

#[test]
fn keys_are_listed_with_their_conversations() {
    let done = run(&["keys", KEYS, CAPTURE]);
    let line = done.out.lines().find(|line| line.contains("192.168.1.20:51614")).unwrap_or_default();
    assert!(line.contains("samples/ksy/minecraft.keys:1") && line.ends_with("fits"), "{}", done.out);
}
