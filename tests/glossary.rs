//! Descriptions of protocols, fields and records agree with the program.

use crate::common::{assert_golden, is_own_case, run};
use proto_dissect::glossary;
use proto_dissect::record::pseudo;
use proto_dissect::registry::Registry;
use proto_dissect::wire::Protocol;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

fn lines(arguments: &[&str]) -> Vec<Value> {
    let run = run(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn samples() -> Vec<String> {
    let files = fs::read_dir("samples").unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let files = files.map(|path| path.to_string_lossy().into_owned());
    let mut samples: Vec<String> = files.filter(|name| !name.ends_with(".md")).collect();
    samples.sort();
    assert!(samples.len() > 10);
    samples
}

#[test]
fn the_list_of_protocols_has_every_protocol_with_its_places_and_settings() {
    let listed = lines(&["protocols", "--json"]);
    let table = run(&["protocols"]).out;
    let is_one = |protocol: &&Protocol| !["dissect", "ksy"].contains(&protocol.this.abbrev);
    for (number, protocol) in Registry::default().protocols().filter(is_one).enumerate() {
        let name = protocol.this.abbrev;
        let found = listed.iter().find(|listed| listed["name"] == name).unwrap_or_else(|| panic!("{name} is not listed"));
        assert_eq!(found["fields"], Registry::default().fields_of(protocol).count());
        assert!(found["fields"].as_u64().unwrap() >= protocol.fields.len() as u64);
        let places = protocol.found.iter().filter(|found| !found.by_port).count();
        assert_eq!(found["found"].as_array().unwrap().len(), places);
        assert_eq!(found["settings"].as_array().unwrap().len(), protocol.settings.len());
        assert!(table.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name} is not in the table");
        if !is_own_case(number, 4) {
            continue;
        }
        let page = run(&["protocols", name]).out;
        assert!(page.contains(protocol.this.about), "{page}");
        let page_words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in [protocol.this.covers, protocol.this.open].into_iter().chain(protocol.settings.iter().map(|s| s.about)) {
            assert!(page_words.contains(text), "{name}: {text:?} is not on the page");
        }
    }
}

#[test]
fn every_application_states_its_coverage() {
    let silent = |protocol: &&&Protocol| protocol.this.covers.is_empty();
    let applications = Registry::default().applications().collect::<Vec<_>>();
    let names: Vec<&str> = applications.iter().filter(silent).map(|protocol| protocol.this.abbrev).collect();
    assert!(applications.len() > 30 && names.is_empty(), "{names:?} do not");
}

#[test]
fn every_application_shows_the_whole_tree_of_a_message_in_its_tests() {
    let mut folders: Vec<PathBuf> =
        ["src/protocols", "tests"].iter().map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).collect();
    let mut lines = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                lines.extend(text.lines().map(|line| line.trim_start().to_owned()));
            }
        }
    }
    // A layer has its name before its range, a field below it has its range before its name.
    let shows = |protocol: &&&Protocol| {
        let name = protocol.this.abbrev;
        let is_range = |words: &str| words.split("..").next().is_some_and(|start| start.parse::<u32>().is_ok());
        lines.iter().filter_map(|line| line.split_once(' ')).any(|(first, rest)| {
            first == name && is_range(rest)
                || is_range(first) && rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let hidden: Vec<&str> =
        Registry::default().applications().filter(|protocol| !shows(&protocol)).map(|protocol| protocol.this.abbrev).collect();
    // FTP data connections have no fields, and mail headers have no nodes.
    assert_eq!(hidden, ["ftp-data", "imf"]);
}

#[test]
fn the_list_of_fields_has_every_name_that_filters_know() {
    let listed = lines(&["fields", "--json"]);
    let names: HashSet<&str> = listed.iter().map(|field| field["name"].as_str().unwrap()).collect();
    let registry = Registry::default();
    let fields = registry.fields().flat_map(|field| [field.abbrev, field.also]).filter(|name| !name.is_empty());
    for name in fields.chain(pseudo::ALL.iter().map(|pseudo| pseudo.name)) {
        assert!(names.contains(name), "{name}");
    }
    let tshark = run(&["fields", "--tshark"]).out;
    assert_eq!(tshark.lines().count(), listed.len());
    for line in tshark.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns.len(), if columns[0] == "P" { 3 } else { 8 }, "{line}");
    }
}

#[test]
fn protocols_and_fields_are_explained_as_kept() {
    assert_golden("protocol-arp.txt", &run(&["protocols", "arp"]).out);
    assert_golden("fields-arp.txt", &run(&["fields", "arp"]).out);
    assert_golden("field-arp-opcode.txt", &run(&["fields", "arp.opcode"]).out);
    assert_golden("fields-arp-tshark.txt", &run(&["fields", "arp", "--tshark"]).out);
    assert_golden("fields-arp-json.txt", &run(&["fields", "arp", "--json"]).out);
}

#[test]
fn unknown_names_are_exit_2_with_the_nearest() {
    for (arguments, near) in [(["protocols", "pipbo"], "pipboy"), (["fields", "pipboy.tipe"], "pipboy.type")] {
        let run = run(&arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.contains(near), "{}", run.err);
    }
}

/// The printed schema, and one without additional members.
fn validators() -> (jsonschema::Validator, jsonschema::Validator) {
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.values_mut().for_each(close);
                if members.contains_key("properties") && members.contains_key("type") {
                    members.insert(String::from("additionalProperties"), json!(false));
                }
            }
            Value::Array(values) => values.iter_mut().for_each(close),
            _ => {}
        }
    }
    let printed: Value = serde_json::from_str(&run(&["schema"]).out).unwrap();
    let mut closed = printed.clone();
    closed["$defs"].as_object_mut().unwrap().values_mut().for_each(close);
    (jsonschema::draft202012::new(&printed).unwrap(), jsonschema::draft202012::new(&closed).unwrap())
}

/// Views that print records.
const VIEWS: [&[&str]; 4] =
    [&["--json"], &["--json", "-v", "--raw"], &["--json", "--packets"], &["--json", "-e", "ip.src", "-e", "dns.qry.name"]];

/// The types of the records of a view of every sample, which have the shape of the schema. Each sample has another view;
/// where `THOROUGH` is set, as in `.ci/full`, it has all.
fn kinds(at: usize, closed: &jsonschema::Validator) -> HashSet<String> {
    let view = VIEWS[at];
    let mut kinds = HashSet::new();
    let is_thorough = crate::common::is_thorough();
    for (_, sample) in samples().into_iter().enumerate().filter(|(place, _)| is_thorough || place % VIEWS.len() == at) {
        let run = run(&[view, &[sample.as_str()]].concat());
        for line in run.out.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            if let Err(error) = closed.validate(&record) {
                panic!("{sample} {view:?}: {error} at {}\n{line:.1000}", error.instance_path());
            }
            kinds.insert(record["type"].as_str().unwrap().to_owned());
        }
    }
    kinds
}

#[test]
fn every_record_of_every_sample_has_the_shape_of_the_schema() {
    let (_, closed) = validators();
    let mut kinds: HashSet<String> = std::thread::scope(|scope| {
        let closed = &closed;
        let views: Vec<_> = (0..VIEWS.len()).map(|at| scope.spawn(move || kinds(at, closed))).collect();
        views.into_iter().flat_map(|view| view.join().unwrap()).collect()
    });
    // Malformed messages are in no sample, and late messages in samples that may have another view.
    let session = fs::read("samples/pipboy.pcap").unwrap();
    let cut = crate::common::run_with(&["--json"], &session[..session.len() - 3]);
    let late = run(&["--json", "--packets", "samples/pipboy-damaged.pcap"]);
    for line in cut.out.lines().chain(late.out.lines()) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(closed.is_valid(&record), "{line}");
        kinds.insert(record["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}

#[test]
fn the_schema_refuses_records_that_are_not_ours_and_lets_additions_be() {
    let (printed, closed) = validators();
    let run = run(&["--json", "-c", "1", "samples/pipboy.pcap"]);
    let message: Value = serde_json::from_str(run.out.lines().nth(1).unwrap()).unwrap();
    assert!(printed.is_valid(&message));
    for (member, value) in [
        ("type", json!("massage")),
        ("n", json!("1")),
        ("off", json!(-1)),
        ("buffer", json!("frames/1")),
        ("dir", json!("up")),
        ("frames", json!([])),
        ("fields", json!([{ "label": "without a name" }])),
        ("fields", json!([{ "name": "a", "label": "a", "value": "0g", "type": "bytes" }])),
        ("notes", json!([{ "level": "grave", "code": "x" }])),
        ("time", json!("yesterday")),
    ] {
        let mut other = message.clone();
        other[member] = value;
        assert!(!printed.is_valid(&other), "{member}");
    }
    let mut more = message;
    more["added"] = json!(1);
    assert!(printed.is_valid(&more) && !closed.is_valid(&more));
}

#[test]
fn the_schema_names_every_protocol() {
    let schema: Value = serde_json::from_str(&glossary::schema(Registry::default())).unwrap();
    let names = schema["$defs"]["protocol"]["examples"].as_array().unwrap();
    assert!(Registry::default().applications().all(|protocol| names.contains(&json!(protocol.this.abbrev))));
}
