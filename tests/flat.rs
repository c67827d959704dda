//! JSON objects keyed by name: one type per name, arrays for repeatable names, and aligned rows.

use crate::common::{is_thorough, own_cases, run};
use proto_dissect::record::JsonType;
use proto_dissect::registry::Registry;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// The lines of a run, each an object.
fn records(arguments: &[&str]) -> Vec<Value> {
    run(arguments).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Properties of a name according to `fields --json`.
struct Stated {
    json: String,
    repeats: bool,
    row: Option<String>,
}

fn stated() -> HashMap<String, Stated> {
    let is_value = |entry: &Value| entry["json"].is_string();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |entry: &Value| Stated {
        json: text(&entry["json"]),
        repeats: entry["repeats"].as_bool().unwrap(),
        row: entry.get("row").map(text),
    };
    records(&["fields", "--json"]).iter().filter(|entry| is_value(entry)).map(|entry| (text(&entry["name"]), of(entry))).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path.to_str().unwrap().to_owned()] }).collect()
}

/// The samples, and the files below the directory in `FLAT_CAPTURES`.
fn samples() -> Vec<String> {
    let mut all = files(Path::new("samples"));
    all.retain(|path| !path.contains("README") && !path.contains("/make/") && !path.contains("/ksy/"));
    all.extend(std::env::var_os("FLAT_CAPTURES").into_iter().flat_map(|folder| files(Path::new(&folder))));
    all.sort();
    assert!(all.len() > 20, "{all:?}");
    all
}

/// Shows each record of the samples with the names of its files. A program reads several, since its start takes long.
fn each_record_of(samples: &[String], options: &[&str], mut show: impl FnMut(&Map<String, Value>, &str)) {
    for several in samples.chunks(12) {
        let files: Vec<&str> = several.iter().map(String::as_str).collect();
        for line in run(&[options, &files].concat()).out.lines() {
            show(&serde_json::from_str(line).unwrap(), &several.join(" "));
        }
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The field name of a key: that of its bytes ends in `_raw`.
fn field_of<'k>(key: &'k str, known: &HashMap<String, Stated>) -> (&'k str, bool) {
    match key.strip_suffix("_raw").filter(|_| !known.contains_key(key)) {
        Some(name) => (name, true),
        None => (key, false),
    }
}

/// Asserts that the values of an object of `-T flat` have the stated properties.
fn assert_as_stated(object: &Map<String, Value>, known: &HashMap<String, Stated>, what: &str) {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for (key, value) in object.iter().filter(|(key, _)| key.contains('.')) {
        let (name, is_raw) = field_of(key, known);
        let stated = known.get(name).unwrap_or_else(|| panic!("{what}: {key} is not in fields --json"));
        let json = if is_raw { "string" } else { &stated.json };
        let fits = |value: &Value| value.is_null() || json_type(value) == json;
        match value {
            Value::Array(values) => {
                assert!(stated.repeats && values.iter().all(fits), "{what}: {key}: {value}");
                if let Some(row) = &stated.row {
                    let rows = *rows.entry(row).or_insert(values.len());
                    assert_eq!(values.len(), rows, "{what}: {key} has not the places of other names of {row}");
                }
            }
            value => assert!(!stated.repeats && fits(value), "{what}: {key}: {value}"),
        }
    }
    for layer in object.get("layers").and_then(Value::as_array).into_iter().flatten() {
        assert_as_stated(layer.as_object().unwrap(), known, what);
    }
}

#[test]
fn names_of_flat_records_are_as_fields_states_them() {
    let known = stated();
    let mut seen = 0;
    let forms = [&["-T", "flat"][..], &["-T", "flat", "-v", "--raw"], &["-T", "flat", "--packets"]];
    for (form, options) in forms.into_iter().enumerate() {
        let own: Vec<String> = own_cases(samples(), form, 2 * forms.len()).collect();
        each_record_of(&own, options, |record, sample| {
            assert_as_stated(record, &known, &format!("{options:?} {sample}"));
            seen += 1;
        });
    }
    assert!(seen > if is_thorough() { 3000 } else { 500 }, "{seen}");
}

/// The JSON types of the keys of all objects with a name for each field.
fn collect(object: &Map<String, Value>, path: &str, types: &mut HashMap<String, &'static str>) {
    for (key, value) in object {
        let place = format!("{path}/{key}");
        match value {
            Value::Object(below) if key != "more" => collect(below, &place, types),
            Value::Array(below) if below.iter().all(Value::is_object) => {
                below.iter().for_each(|below| collect(below.as_object().unwrap(), &place, types));
            }
            _ => {}
        }
        if !value.is_null() {
            let known = *types.entry(place.clone()).or_insert(json_type(value));
            assert_eq!(json_type(value), known, "{place}");
        }
    }
}

// Unit tests share a process with tests whose RuneScape tables give one name several types.
#[test]
fn fields_of_one_name_have_one_type() {
    let mut kinds: HashMap<&str, JsonType> = HashMap::new();
    for field in Registry::default().fields() {
        let json = JsonType::of(field.kind);
        assert_eq!(*kinds.entry(field.abbrev).or_insert(json), json, "{field:?}");
    }
    assert!(kinds.len() > 5000, "{}", kinds.len());
}

#[test]
fn a_name_of_nested_records_has_one_type_at_its_place() {
    let mut types = HashMap::new();
    each_record_of(&samples(), &["-T", "nested"], |record, _| collect(record, "", &mut types));
    assert_eq!(types["/pipboy/pipboy.entry"], "array");
    assert_eq!(types["/pipboy/pipboy.type"], "number");
    assert!(types.len() > 300, "{}", types.len());
}

#[test]
fn entries_of_every_type_have_a_value() {
    let updates = records(&["-T", "flat", "-Y", "pipboy.entry", "samples/pipboy.pcap"]);
    assert!(!updates.is_empty());
    for update in updates {
        let ids = update["pipboy.entry.id"].as_array().unwrap().len();
        let Some(values) = update.get("pipboy.entry.value") else { continue };
        assert_eq!(values.as_array().unwrap().len(), ids, "{update}");
    }
}

#[test]
fn chosen_fields_alone_are_kept_in_each_form() {
    let sample = "samples/talk.pcap";
    for form in ["flat", "nested"] {
        let kept = records(&["-T", form, "-e", "dns.qry.name", "-e", "src", "-Y", "dns", "-c", "1", sample]);
        let keys: Vec<&String> = kept[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, [if form == "flat" { "dns.qry.name" } else { "dns" }, "src"], "{form}");
    }
    for form in ["ndjson", "json"] {
        let kept = run(&["-T", form, "-e", "dns.qry.name", "-Y", "dns", "-c", "1", sample]);
        assert_eq!(
            kept.out.matches(r#""name":"dns."#).count(),
            kept.out.matches(r#""name":"dns.qry.name""#).count(),
            "{}",
            kept.out
        );
        assert!(kept.out.contains(r#""name":"dns.qry.name""#), "{}", kept.out);
    }
}

#[test]
fn slices_and_functions_are_kept_as_arrays_of_text() {
    let sample = "samples/talk.pcap";
    let kept = records(&["-T", "flat", "-e", "upper(dns.qry.name)", "-Y", "dns", "-c", "1", sample]);
    let values = kept[0]["upper(dns.qry.name)"].as_array().unwrap();
    assert!(values.iter().all(|value| value.as_str().unwrap().chars().all(|letter| !letter.is_lowercase())), "{values:?}");
}
