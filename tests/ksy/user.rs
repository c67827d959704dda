//! Kaitai Struct files in the user's configuration directory.
#![cfg(unix)]

use crate::common::{Folder, Run, program};
use std::fs;
use std::path::Path;

const CHAT: &str = include_str!("chat.ksy");

/// A configuration with these files.
fn configuration(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(name);
    let inner = folder.file("proto-dissect/ksy");
    fs::create_dir_all(&inner).unwrap();
    files.iter().for_each(|(name, text)| fs::write(inner.join(name), text).unwrap());
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    let done = program().args(arguments).env("XDG_CONFIG_HOME", folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: done.status.code().unwrap_or(-1), out: text(done.stdout), err: text(done.stderr) }
}

#[test]
fn files_of_the_folder_are_protocols_unless_an_option_disables_them() {
    let folder = configuration("user-ksy", &[("chat.ksy", CHAT), ("notes.txt", "none")]);
    let read = ["--as", "chat", "--json", "--hex", "01 02 00 68 69"];
    let done = run_in(folder.path(), &read);
    assert!(done.code == 0 && done.err.is_empty() && done.out.contains("chat.messages.text"), "{done:?}");
    let without = run_in(folder.path(), &[&["--no-user-ksy"], read.as_slice()].concat());
    assert!(without.code == 2 && without.err.contains("chat"), "{without:?}");
    // Hex text is dissected with such a file only with --as.
    let unnamed = run_in(folder.path(), &["-l", "--hex", "01 02 00 68 69"]);
    assert!(!unnamed.out.contains("chat"), "{unnamed:?}");
    // The default directory is below the home directory.
    let home = Folder::new("user-ksy-home");
    fs::create_dir_all(home.file(".config/proto-dissect/ksy")).unwrap();
    fs::write(home.file(".config/proto-dissect/ksy/chat.ksy"), CHAT).unwrap();
    let at_home = program().args(read).env_remove("XDG_CONFIG_HOME").env("HOME", home.path()).output().unwrap();
    assert!(at_home.status.success(), "{at_home:?}");
}

#[test]
fn a_damaged_file_costs_one_line_and_the_others_load() {
    let files = [
        ("a.ksy", "meta: {id: a}\nseq: [{id: x, type: u9}, {id: y, type: z}]\n"),
        ("b.ksy", "{{{{"),
        ("c.ksy", CHAT),
        ("d.ksy", "meta: {id: tcp}\n"),
        ("e.ksy", "meta: {id: chat}\n"),
    ];
    let folder = configuration("user-ksy-damaged", &files);
    fs::write(folder.file("proto-dissect/ksy/f.ksy"), [0xff; 9]).unwrap();
    fs::create_dir(folder.file("proto-dissect/ksy/g.ksy")).unwrap();
    std::os::unix::fs::symlink("/nowhere", folder.file("proto-dissect/ksy/h.ksy")).unwrap();
    let done = run_in(folder.path(), &["--as", "chat", "--json", "--hex", "01 02 00 68 69"]);
    assert!(done.code == 0 && done.out.contains("chat.messages.text"), "{done:?}");
    let lines: Vec<&str> = done.err.lines().collect();
    let names = ["a.ksy:2", "b.ksy", "d.ksy", "e.ksy", "f.ksy"];
    assert_eq!(lines.len(), names.len(), "{}", done.err);
    for (line, name) in lines.iter().zip(names) {
        assert!(line.contains(name) && line.contains("skipped"), "{name}: {line}");
    }
    // Checks of other files and shell completion do not use the directory.
    assert_eq!(run_in(folder.path(), &["ksy", "check", "tests/ksy/chat.ksy"]).err, "");
}

#[test]
fn a_named_file_outranks_one_of_the_folder() {
    let folder = configuration("user-ksy-rank", &[("chat.ksy", "meta: {id: chat}\nseq: [{id: other, type: u1}]\n")]);
    let done = run_in(folder.path(), &["-k", "tests/ksy/chat.ksy", "--json", "--hex", "01 02 00 68 69"]);
    assert!(done.code == 0 && done.err.is_empty() && done.out.contains("chat.messages.text"), "{done:?}");
}

#[test]
fn no_folder_and_a_folder_without_rights_are_no_error() {
    for home in ["/nowhere", "relative", ""] {
        let done = program().args(["protocols", "arp"]).env("XDG_CONFIG_HOME", home).env("HOME", "/nowhere").output().unwrap();
        assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    }
}
