//! `split`: the records of the parts equal those of the whole.

use crate::common::{binary, own_cases};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(binary()).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

/// A temporary directory.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("proto-dissect-split-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn files(&self) -> Vec<String> {
        let mut files: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path().to_str().unwrap().to_owned()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The records of files, sorted, without the numbers of messages.
fn records(view: &[&str], files: &[String]) -> Vec<String> {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let output = run(&[view, &files].concat());
    let mut records: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| {
            let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
            let kind = record["type"].as_str().unwrap().to_owned();
            if kind == "message" {
                record["n"] = 0.into();
            }
            // A part has another name, and a single input needs none.
            record.as_object_mut().unwrap().remove("file");
            (!["begin", "end", "error"].contains(&&*kind)).then(|| record.to_string())
        })
        .collect();
    records.sort();
    records
}

#[test]
fn records_of_parts_are_those_of_the_whole() {
    let ways: [&[&str]; 3] = [&["-n", "3"], &["-n", "4", "--by", "flow"], &["--by", "time=1s"]];
    let samples = [
        "pipboy.pcap",
        "layers.pcap",
        "talk.pcap",
        "queries.pcap",
        "tls-keys.pcapng",
        "vcmp-rel006.pcap",
        "dtls-versions.pcapng",
    ];
    for (number, sample) in samples.into_iter().enumerate() {
        let sample = &format!("samples/{sample}");
        let views = [&["--json"][..], &["--packets", "--json"]];
        let whole = views.map(|view| records(view, std::slice::from_ref(sample)));
        for (at, way) in own_cases(ways.iter().enumerate(), number, 3) {
            let folder = Folder::new(&format!("{}-{at}", sample.replace('/', "-")));
            let output = run(&[&["split", sample], *way, &[folder.name()]].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            for (view, whole) in views.iter().zip(&whole) {
                assert!(!whole.is_empty());
                assert!(records(view, &folder.files()) == *whole, "{sample} {way:?} {view:?}");
            }
        }
    }
}

#[test]
fn all_parts_exist_and_are_captures() {
    let folder = Folder::new("many");
    let output = run(&["split", "samples/pipboy.pcap", "-n", "300", folder.name(), "--json"]);
    assert!(output.status.success());
    let listed: BTreeSet<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["file"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, folder.files().into_iter().collect());
    assert_eq!(listed.len(), 300);
    let whole = records(&["--packets", "--json"], &["samples/pipboy.pcap".to_owned()]);
    assert!(records(&["--packets", "--json"], &folder.files()) == whole);
}

#[cfg(unix)]
#[test]
fn more_parts_are_written_than_files_may_be_open() {
    let folder = Folder::new("few-files");
    let command = format!("ulimit -n 24; exec {:?} split samples/layers.pcap -n 100 --by flow {:?}", binary(), folder.name());
    let output = Command::new("sh").current_dir(env!("CARGO_MANIFEST_DIR")).args(["-c", &command]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.files().len(), 100);
    let whole = records(&["--packets", "--json"], &["samples/layers.pcap".to_owned()]);
    assert!(records(&["--packets", "--json"], &folder.files()) == whole);
    let [few, many] = ["few-followed", "many-followed"].map(Folder::new);
    for (limit, folder) in [(12, &few), (256, &many)] {
        let command = format!("ulimit -n {limit}; exec {:?} follow samples/talk.pcap --write-dir {:?}", binary(), folder.name());
        let output = Command::new("sh").current_dir(env!("CARGO_MANIFEST_DIR")).args(["-c", &command]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let contents = |folder: &Folder| folder.files().iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>();
    assert!(contents(&many).len() > 20 && contents(&few) == contents(&many));
}

#[test]
fn numbers_of_the_whole_are_those_of_frames() {
    let folder = Folder::new("numbers");
    run(&["split", "samples/pipboy.pcap", "-n", "2", "--by", "flow", folder.name()]);
    let columns =
        ["-T", "fields", "-e", "frame.number", "-e", "tcp.stream", "-e", "frame.time_relative", "-e", "frame.interface_id"];
    let lines = |files: &[String]| {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let output = run(&[&["--packets"][..], &columns, &files].concat());
        let mut lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&folder.files()), lines(&["samples/pipboy.pcap".to_owned()]));
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new("mistakes");
    for (arguments, words) in [
        (vec!["split", "samples/pipboy.pcap", folder.name()], "-n"),
        (vec!["split", "samples/pipboy.pcap", "-n", "2"], "directory for the parts is missing"),
        (vec!["split", "samples/pipboy.pcap", "-n", "2", "--by", "hosts", folder.name()], "expected pair"),
        (vec!["split", "samples/pipboy.pcap", "-n", "2", "--by", "time=1s", folder.name()], "-n"),
        (vec!["split", "samples/pipboy.pcap", "-n", "2", "src"], "not empty"),
    ] {
        let output = run(&arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains(words), "{arguments:?}: {text}");
    }
    assert!(!folder.0.exists());
    assert_eq!(run(&["split", "samples/pipboy-follow.txt", "-n", "2", folder.name()]).status.code(), Some(4));
}
