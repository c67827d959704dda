//! Session files of `samples/ksy/` read every message of their captures, with the values that the generator wrote.

use crate::common::run;
use serde_json::Value;
use std::path::Path;

/// The messages of a sample, with its key file, if it has one. None has a note.
fn messages(name: &str) -> Vec<Value> {
    let [file, keys, capture] = ["ksy", "keys", "pcap"].map(|extension| format!("samples/ksy/{name}.{extension}"));
    let mut arguments = vec!["-k", &file, "--json", "-Y", name, &capture];
    if Path::new(env!("CARGO_MANIFEST_DIR")).join(&keys).exists() {
        arguments.extend(["--keys", &keys]);
    }
    let done = run(&arguments);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let records = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages: Vec<Value> = records.filter(|record| record["type"] == "message").collect();
    for message in &messages {
        assert!(message.get("notes").is_none_or(|notes| notes.as_array().is_some_and(Vec::is_empty)), "{message}");
    }
    messages
}

/// All values of fields whose names end so, in order.
fn values(fields: &Value, end: &str, found: &mut Vec<Value>) {
    for field in fields.as_array().into_iter().flatten() {
        if field["name"].as_str().is_some_and(|name| name.ends_with(end)) && field.get("value").is_some() {
            found.push(field["value"].clone());
        }
        values(&field["fields"], end, found);
    }
}

fn all(messages: &[Value], end: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for message in messages {
        values(&message["fields"], end, &mut found);
    }
    found
}

#[test]
fn minecraft_is_read_through_encryption_and_compression() {
    let messages = messages("minecraft");
    assert_eq!(messages.len(), 9 + 4 * 8);
    assert_eq!(all(&messages, ".x"), (0..8).map(|step| Value::from(100.5 + f64::from(step))).collect::<Vec<_>>());
    let said = (0..8).map(|step| Value::from(format!("<odo> step {step}: {}", "north and ".repeat(step))));
    assert_eq!(all(&messages, ".data.text"), said.collect::<Vec<_>>());
    let pings = (0..8).flat_map(|step| [1000 + step; 2]).map(Value::from);
    assert_eq!(all(&messages, ".data.id"), pings.collect::<Vec<_>>());
}

#[test]
fn headers_of_wow_are_read_with_a_keystream_that_goes_on() {
    let messages = messages("wow335");
    assert_eq!(messages.len(), 3 + 4 * 8);
    let pings = (0..8).flat_map(|number| [number; 2]).map(Value::from);
    assert_eq!(all(&messages, ".sequence"), pings.collect::<Vec<_>>());
    let said = (0..8).flat_map(|number| [number; 2]).map(|number| Value::from(format!("step {number} north")));
    assert_eq!(all(&messages, ".text"), said.collect::<Vec<_>>());
}

#[test]
fn sizes_depend_on_the_version_that_the_client_states() {
    let messages = messages("versions");
    assert_eq!(messages.len(), 2 * (2 + 2 * 6));
    assert_eq!(all(&messages, ".extra"), (0..6).map(Value::from).collect::<Vec<_>>());
    let said = [0, 1].into_iter().flat_map(|_| (0..6).map(|step| Value::from(format!("step {step}"))));
    assert_eq!(all(&messages, ".text"), said.collect::<Vec<_>>());
}

#[test]
fn messages_inside_datagrams_are_read_in_order_and_joined() {
    let records = messages("rooms");
    let inner: Vec<&Value> = records.iter().filter(|record| record["name"].is_string()).collect();
    assert_eq!(inner.len(), 3 + 3 * 5 + 2);
    let said = (0..5).flat_map(|step| [format!("step {step} north"), format!("maren: step {step} north")]);
    let said: Vec<Value> =
        ["maren".to_owned()].into_iter().chain(said).chain(["over here", "bye"].map(str::to_owned)).map(Value::from).collect();
    assert_eq!(all(&records, ".s"), said);
    let map = inner.iter().find(|record| record["name"] == "map").unwrap();
    assert_eq!((&map["frames"], &map["len"]), (&Value::from(vec![3, 4, 6]), &Value::from(304)));
    let tiles: String = (0..=149_u8).map(|tile| format!("{tile:02x}{:02x}", tile % 4)).collect();
    assert_eq!(all(&records, ".tiles"), [Value::from(tiles)]);
    // The repeated segment, and the segments that waited, are records of their own.
    assert_eq!(all(&records, ".retransmitted"), [Value::from(true)]);
    let seen: Vec<Value> = all(&records, "session.player");
    assert_eq!(seen.iter().filter(|player| **player == 0).count(), 2, "{seen:?}");
}

#[test]
fn a_direction_that_is_compressed_as_a_whole_is_read() {
    let messages = messages("zstream");
    assert_eq!(messages.len(), 2 + 3 * 8);
    let said = (0..8).flat_map(|step| [step; 2]).map(|step| Value::from(format!("step {step} north")));
    assert_eq!(all(&messages, ".text"), said.collect::<Vec<_>>());
}

#[test]
fn habbo_is_read_through_a_cipher_of_both_directions_or_one() {
    let messages = messages("habbo");
    assert_eq!(messages.len(), 2 * (5 + 2 + 5 * 6));
    let numbers = [0, 1].into_iter().flat_map(|_| (0..6).flat_map(|step| [step; 2]));
    let of = |end: &str| all(&messages, end);
    assert_eq!(of(".data.text.s"), numbers.clone().map(|step| Value::from(format!("step {step} north"))).collect::<Vec<_>>());
    let latencies: Vec<Value> = messages.iter().filter(|message| message["name"] == "latency").cloned().collect();
    assert_eq!(all(&latencies, ".data.number"), numbers.map(Value::from).collect::<Vec<_>>());
    assert_eq!(of(".is_both"), [1, 0].map(Value::from));
}

#[test]
fn a_key_of_lineage_grows_with_each_message() {
    let messages = messages("lineage2");
    assert_eq!(messages.len(), 3 + 4 * 8 + 2);
    let said = (0..8).flat_map(|step| [step; 2]).map(|step| Value::from(format!("step {step} north")));
    assert_eq!(all(&messages, ".data.text"), said.collect::<Vec<_>>());
    let places = (0..8).flat_map(|step| [step; 2]).map(|step| Value::from(-84_278 + step * 40));
    assert_eq!(all(&messages, ".target.x"), places.collect::<Vec<_>>());
    assert_eq!(all(&messages, ".mtu"), [1450].map(Value::from));
}

#[test]
fn messages_of_tibia_are_decrypted_one_by_one() {
    let messages = messages("tibia");
    assert_eq!(messages.len(), 3 + 5 * 6 + 1);
    let said = (0..6).flat_map(|step| [step; 2]).map(|step| Value::from(format!("step {step} north")));
    let said: Vec<Value> = [Value::from("Welcome, Maren.")].into_iter().chain(said).collect();
    assert_eq!(all(&messages, ".data.text.s"), said);
    assert_eq!(all(&messages, ".to.y"), (0..6).map(|step| Value::from(32_218 - step)).collect::<Vec<_>>());
}

#[test]
fn a_server_of_ultima_online_compresses_each_message() {
    let messages = messages("uo");
    assert_eq!(messages.len(), 7 + 6 * 6);
    let said = (0..6).flat_map(|step| [step; 2]).map(|step| Value::from(format!("step {step} north")));
    assert_eq!(all(&messages, ".body.text"), said.collect::<Vec<_>>());
    assert_eq!(all(&messages, ".body.x"), [1363].map(Value::from));
    assert!(!format!("{messages:?}").contains("moss-green"));
}
