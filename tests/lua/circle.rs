//! A Kaitai Struct file, and the Wireshark dissector that `ksy lua` makes of it: both give the same values.

use crate::common::{Scratch, run};
use serde_json::Value;
use std::collections::BTreeSet;

/// Files of `samples/ksy`, and a sample of their protocol.
const DESCRIPTIONS: &[(&str, &str)] = &[
    ("a2s_query", "queries.pcap"),
    ("fallout4_pipboy", "pipboy.pcap"),
    ("modbus_tcp", "tools.pcap"),
    ("mqtt_packets", "neighbours.pcap"),
    ("netcode", "tools.pcap"),
    ("steam_discovery", "queries.pcap"),
    ("wireguard", "tools.pcap"),
    ("xfire", "xfire.pcap"),
];

/// A value: the number of its packet, its name and the value as JSON.
type Found = (u64, String, String);

/// Adds the values of a protocol below these fields.
fn collect(fields: &Value, protocol: &str, number: u64, found: &mut Vec<Found>) {
    for field in fields.as_array().into_iter().flatten() {
        let name = field["name"].as_str().unwrap();
        // Summaries are computed by this program alone.
        if name.starts_with(&format!("{protocol}.")) && field.get("value").is_some() && !name.ends_with("._summary") {
            found.push((number, name.to_owned(), field["value"].to_string()));
        }
        collect(&field["fields"], protocol, number, found);
    }
}

/// The values of a protocol in a sample.
fn values(load: [&str; 2], protocol: &str, sample: &str) -> Vec<Found> {
    let [option, path] = load;
    let done = run(&[option, path, "--no-user-ksy", "--packets", "--json", "--show-secrets", sample]);
    let mut found = Vec::new();
    for line in done.out.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        for layer in record["layers"].as_array().into_iter().flatten() {
            collect(&layer["fields"], protocol, record["n"].as_u64().unwrap_or_default(), &mut found);
        }
    }
    found
}

#[test]
fn scripts_made_of_descriptions_give_the_same_values() {
    for (file, sample) in crate::common::own_cases(DESCRIPTIONS, 4, 3) {
        let (path, sample) = (format!("samples/ksy/{file}.ksy"), format!("samples/{sample}"));
        let script = Scratch::new(&format!("{file}.lua"), run(&["ksy", "lua", &path]).out.as_bytes());
        let expected = values(["-k", &path], file, &sample);
        let known: BTreeSet<&str> = expected.iter().map(|(_, name, _)| name.as_str()).collect();
        // Wireshark's names have one type: others get a suffix.
        let plain = |name: String| {
            let suffixes = ["_integer", "_float", "_bytes", "_text", "_string", "_boolean"];
            let base = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).filter(|base| known.contains(base));
            if known.contains(name.as_str()) { name } else { base.map_or(name.clone(), str::to_owned) }
        };
        let given = values(["--lua", script.path()], file, &sample);
        let given: Vec<Found> = given.into_iter().map(|(number, name, value)| (number, plain(name), value)).collect();
        assert!(expected.len() > 10, "{file}: {expected:?}");
        for (one, other) in expected.iter().zip(&given) {
            assert_eq!(one, other, "{file}");
        }
        assert_eq!(expected.len(), given.len(), "{file}");
    }
}
