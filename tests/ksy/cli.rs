//! Files of Kaitai Struct on the command line: `-k`, `--as`, filters, columns and lists.

use crate::common::{Run, Scratch, run, run_with};

const VSCP: &str = "samples/ksy/vscp.ksy";
const PIPBOY: &str = "samples/ksy/fallout4_pipboy.ksy";
/// A busy-free update with one boolean.
const UPDATE: &[u8] = b"\x06\0\0\0\x03\0\x17\0\0\0\x01";

fn fine(done: Run) -> String {
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    done.out
}

fn wrong(done: &Run, words: &str) {
    assert!(done.code == 2 && done.out.is_empty() && done.err.contains(words), "{words}: {done:?}");
}

#[test]
fn a_single_file_is_the_protocol_of_bytes_and_hex() {
    let by_bytes = fine(run_with(&["-k", PIPBOY, "-T", "fields", "-e", "fallout4_pipboy.messages.channel", "-"], UPDATE));
    assert_eq!(by_bytes, "3\n");
    let by_hex = fine(run(&["-k", PIPBOY, "--json", "--hex", "06 00 00 00 03 00 17 00 00 00 01"]));
    assert!(
        by_hex.contains(r#""name":"fallout4_pipboy.messages.body.entries.id","label":"id","value":23,"off":6,"len":4"#),
        "{by_hex}"
    );
    let other = fine(run_with(&["-k", PIPBOY, "--as", "librpc", "-l", "-"], UPDATE));
    assert!(!other.contains("fallout4"), "--as outranks the file: {other}");
}

#[test]
fn a_directory_gives_each_of_its_files_and_as_names_one() {
    let done = fine(run(&["-k", "samples/ksy", "--as", "vcmp_librpc", "--json", "--hex", "00 00 00 40 46 00000000"]));
    assert!(done.contains(r#""protocol":"vcmp_librpc""#), "{done}");
    // With several files, hex text that only a port would identify is data, and its protocol a candidate.
    let found = run(&["-k", "samples/ksy", "-l", "--explain-input", "--hex", "06 00 00 00 03 00 17 00 00 00 01"]);
    assert!(found.out.contains("Data") && found.err.contains("fits pipboy"), "{found:?}");
}

#[test]
fn a_type_of_the_file_may_be_the_message() {
    let done = fine(run(&["-k", "samples/ksy/vscp.ksy:client_hello", "--json", "--hex", "68 65 6c 6c 6f 01 01"]));
    assert!(done.contains(r#""name":"vscp.version_major""#) && !done.contains("broken"), "{done}");
    wrong(&run(&["-k", VSCP, "--as", "vscp:client_hello", "--hex", "00"]), "use -k FILE:TYPE");
    wrong(&run(&["-k", "samples/ksy/vscp.ksy:client_helo", "--hex", "00"]), "similar names: client_hello");
}

#[test]
fn fields_of_a_file_are_filtered_listed_and_explained() {
    let filter = ["-k", PIPBOY, "-Y", "fallout4_pipboy.messages.channel == \"data_update\"", "-l", "-"];
    assert_eq!(fine(run_with(&filter, UPDATE)).lines().count(), 1);
    let none = ["-k", PIPBOY, "-Y", "fallout4_pipboy.messages.len_body > 6", "-l", "-"];
    assert_eq!(fine(run_with(&none, UPDATE)), "");
    let fields = fine(run(&["-k", PIPBOY, "fields", "fallout4_pipboy"]));
    assert!(fields.contains("fallout4_pipboy.messages.body.entries.value_type"), "{fields}");
    let names: Vec<&str> = fields.lines().skip(1).collect();
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), distinct.len(), "{fields}");
    // A file with the name of a built-in protocol replaces it.
    let protocols = fine(run(&["-k", VSCP, "protocols", "vscp"]));
    assert!(protocols.contains("with --as or -d"), "{protocols}");
    wrong(&run(&["-k", PIPBOY, "-Y", "fallout4_pipboy.mesages", "-"]), "fallout4_pipboy.messages");
}

#[test]
fn a_datagram_of_a_capture_is_read_with_a_file_that_d_names() {
    let done = run(&["-k", "samples/ksy/xfire.ksy", "-d", "udp.port==28000,xfire", "--json", "samples/pipboy.pcap"]);
    assert!(done.code == 0 && done.out.contains(r#""name":"xfire.packets.len_packet""#), "{done:?}");
}

#[test]
fn files_that_cannot_be_used_are_refused_with_a_reason() {
    wrong(&run(&["-k", "nothing.ksy", "--hex", "00"]), "nothing.ksy");
    wrong(&run(&["-k", "samples/make", "--hex", "00"]), "no .ksy file in this directory");
    wrong(&run(&["-k", VSCP, "-k", VSCP, "--hex", "00"]), "two files have the id vscp");
    let layer = Scratch::new("ksy_cli_layer.ksy", b"meta:\n  id: tcp\nseq:\n  - {id: a, type: u1}\n");
    wrong(&run(&["-k", layer.path(), "--hex", "00"]), "the id tcp is the name of a built-in header");
    let broken = Scratch::new("ksy_cli_broken.ksy", b"meta:\n  id: broken\nseq:\n  - {id: a, type: u9}\n");
    wrong(&run(&["-k", broken.path(), "--hex", "00"]), "ksy_cli_broken.ksy:4");
}

#[test]
fn warnings_of_a_file_are_counted_in_one_line() {
    let file =
        Scratch::new("ksy_cli_warned.ksy", b"meta:\n  id: warned\nseq:\n  - {id: a, type: str, size: 1, encoding: utf8}\n");
    let done = run(&["-k", file.path(), "-l", "--hex", "61"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "a name is a matter of ksy check: {done:?}");
    let file = Scratch::new("ksy_cli_warned.ksy", b"meta:\n  id: warned\nseq:\n  - {id: a, size: 1, process: own(1)}\n");
    let done = run(&["-k", file.path(), "-l", "--hex", "61"]);
    assert!(done.code == 0 && done.err.lines().count() == 1 && done.err.contains("1 warning; see"), "{done:?}");
}

#[test]
fn to_string_is_the_summary() {
    let text = b"meta:\n  id: t\n  encoding: UTF-8\nseq:\n  - {id: who, type: name}\n  - {id: rest, type: u1}\n-webide-representation: '{who} and {rest}'\n\
                 types:\n  name:\n    seq:\n      - {id: text, type: strz}\n    to-string: text\n";
    let file = Scratch::new("ksy_cli_summary.ksy", text);
    let done = fine(run(&["-k", file.path(), "--json", "--hex", "61 62 00 07"]));
    assert!(done.contains(r#""info":"ab and 7""#) && done.contains(r#""label":"who","text":"ab""#), "{done}");
    let table = fine(run(&["-k", file.path(), "--hex", "61 62 00 07"]));
    assert!(table.lines().any(|line| line.contains("who") && line.trim_end().ends_with("ab")), "{table}");
}
