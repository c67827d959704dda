//! Exportable objects of messages and conversations, listed and saved.

use crate::common::{Scratch, assert_golden, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const SESSION: &str = "samples/pipboy.pcap";

/// A temporary directory of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The names in it, sorted.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn objects_are_listed() {
    for (name, arguments) in [
        ("objects.txt", &["objects", SESSION][..]),
        ("objects-json.txt", &["objects", "--json", SESSION]),
        ("objects-xfire.txt", &["objects", "samples/xfire.pcap"]),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        assert_golden(name, &run.out);
    }
}

#[test]
fn a_capture_without_objects_is_reported() {
    let none = run(&["objects", "samples/layers.pcap"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert!(none.err.contains("nothing to save: no message"), "{}", none.err);
    let early = run(&["objects", SESSION, "--at", "1"]);
    assert_eq!((early.code, early.out.as_str()), (0, ""));
    assert!(early.err.contains("nothing to save up to message 1"), "{}", early.err);
    let both = run(&["objects", "samples/layers.pcap", SESSION]);
    assert_eq!((both.code, both.err.as_str()), (0, ""));
}

#[test]
fn objects_are_saved_in_order_and_nothing_is_overwritten() {
    let folder = Folder::new("objects-saved");
    let saved = run(&["objects", SESSION, "--write-dir", folder.path()]);
    assert_eq!((saved.code, saved.err.as_str()), (0, ""));
    let names = folder.names();
    assert!(names.len() > 1 && names.iter().zip(1..).all(|(name, number)| name.starts_with(&format!("{number:06}-tcp-"))));
    let maps: Vec<&String> = names.iter().filter(|name| name.ends_with("-local-map.png")).collect();
    assert!(!maps.is_empty() && maps.iter().all(|name| folder.read(name).starts_with(b"\x89PNG\r\n")));
    let values: Vec<&String> = names.iter().filter(|name| name.ends_with("-values.json")).collect();
    let values: Value = serde_json::from_slice(&folder.read(values[0])).unwrap();
    assert!(values["PlayerInfo"].is_object() && values["Special"][0]["Name"].is_string());

    let again = run(&["objects", SESSION, "--write-dir", folder.path()]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("exist"), "{}", again.err);
}

/// The values at a message.
fn values_at(number: u64) -> Value {
    let folder = Folder::new(&format!("objects-at-{number}"));
    let run = run(&["objects", SESSION, "--at", &number.to_string(), "--write-dir", folder.path()]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let last = folder.names().pop().unwrap();
    serde_json::from_slice(&folder.read(&last)).unwrap()
}

#[test]
fn values_can_be_had_at_any_message() {
    // Messages 11, 23 and 24 of the session: everything, then the hero walks.
    let x = |number| values_at(number)["Map"]["World"]["Player"]["X"].as_f64().unwrap();
    assert_eq!([x(11), x(22), x(23), x(24)], [-4310.5, -4310.5, -4298.0, -4276.25]);
}

#[test]
fn values_can_be_had_of_several_files() {
    let one = run(&["objects", SESSION, "--at", "23", "--threads", "2"]);
    let two = run(&["objects", SESSION, SESSION, "--at", "23", "--threads", "2"]);
    assert_eq!((one.code, two.code, two.err.as_str()), (0, 0, ""));
    let rows = |run: &crate::common::Run| run.out.lines().count() - 1;
    assert!(rows(&one) > 0);
    assert_eq!(rows(&two), 2 * rows(&one));
}

#[test]
fn a_missing_message_is_reported() {
    let run = run(&["objects", SESSION, "--at", "100000"]);
    assert!(run.err.contains("no message 100000"), "{}", run.err);
    assert!(!run.out.contains("values.json"));
}

#[test]
fn a_file_that_one_client_sends_another_is_saved() {
    let folder = Folder::new("objects-xfire");
    let saved = run(&["objects", "samples/xfire.pcap", "--write-dir", folder.path()]);
    assert_eq!((saved.code, saved.err.as_str()), (0, ""));
    let names = folder.names();
    assert!(names.len() == 1 && names[0].ends_with("-moor.map"), "{names:?}");
    assert_eq!(folder.read(&names[0]), (0..48).collect::<Vec<u8>>());
}

#[test]
fn saved_objects_that_contain_secrets_are_counted() {
    let request = b"POST /echo HTTP/1.1\r\nHost: a.example\r\nAuthorization: Basic YTpi\r\nContent-Length: 27\r\n\r\n";
    for (body, code) in [
        (&b"Authorization: Basic YTpi\r\n"[..], "one saved object contains secrets as captured"),
        (b"Documentation: left out   \n", ""),
    ] {
        let bytes = [&request[..], body].concat();
        let lines = bytes.chunks(16).enumerate().map(|(at, line)| {
            let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{:08x}  {}\n", at * 16, hex.join(" "))
        });
        let text: String = lines.collect();
        let scratch = Scratch::new(&format!("objects-secret-{}", code.len()), text.as_bytes());
        let folder = Folder::new(&format!("objects-secret-saved-{}", code.len()));
        let saved = run(&["objects", scratch.path(), "--write-dir", folder.path()]);
        assert_eq!((saved.code, saved.err.contains("secrets")), (0, !code.is_empty()), "{}{}", saved.out, saved.err);
        assert!(saved.err.contains(code) && saved.err.lines().count() == usize::from(!code.is_empty()), "{}", saved.err);
        assert_eq!(folder.read(&folder.names()[0]), body);
        let listed = run(&["objects", scratch.path()]);
        assert_eq!(listed.err, "");
    }
}
