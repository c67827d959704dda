//! Tables beside a file: the enum of the same name has the names of the version of a message.

use super::sessions::capture;
use crate::common::sides::segment;
use crate::common::{Folder, run, run_with};
use proto_dissect::tree::Side;
use std::fmt::Write as _;

const PORT: u16 = 4000;

/// A hello that states the version, and messages whose numbers depend on it.
const FILE: &str = "
meta:
  id: game
  -proto-dissect:
    transport: tcp
    ports: [4000]
    name: op
    session: {version: 1, sizes: 'table(\"ops.tsv\", _root.version)'}
params: [{id: version, type: u1}, {id: sizes, type: 's4[]'}]
seq:
  - {id: op, type: u1, enum: ops}
  - {id: body, size: '_root.sizes[op.to_i] - 1', type: {switch-on: op, cases: {'ops::hello': hello, 'ops::say': say}}}
types:
  hello: {seq: [{id: version, type: u1, -proto-dissect: {set: {version: version}}}]}
  say: {seq: [{id: text, type: str, size-eos: true, encoding: ASCII}]}
instances: {label: {value: 'f\"<{op}>\"'}}
enums: {ops: {1: hello, 9: say}}
";

const ROWS: &str = "version\topcode\tsize\tname\n1\t1\t2\thello\n1\t2\t3\tsay\n1\t3\t3\tjump\n1\t4\t3\n2\t1\t2\thello\n2\t3\t3\tsay\n2\t9\t2\tfly\n";

/// The conversation of one client, whose start may be missing.
fn packets(client: &[&[u8]], has_start: bool) -> Vec<Vec<u8>> {
    let mut packets: Vec<Vec<u8>> = Side::BOTH.map(|side| segment((side, PORT), 0, &[], true)).into();
    if !has_start {
        packets.clear();
    }
    let mut sent = 0;
    for bytes in client {
        packets.push(segment((Side::Client, PORT), sent, bytes, false));
        sent += bytes.len();
    }
    packets
}

/// What the program prints of a conversation with this file and table.
fn printed(test: &str, (file, rows): (&str, &str), client: &[&[u8]], has_start: bool, options: &[&str]) -> String {
    let folder = Folder::new(test);
    let path = folder.file("game.ksy");
    std::fs::write(&path, file).unwrap();
    std::fs::write(folder.file("ops.tsv"), rows).unwrap();
    let arguments = [&["-k", path.to_str().unwrap()], options, &["-"]].concat();
    run_with(&arguments, &capture(&packets(client, has_start))).out
}

/// Hello of version 1, three messages, hello of version 2, and two messages.
const TALK: [&[u8]; 7] = [b"\x01\x01", b"\x02ab", b"\x03cd", b"\x04ef", b"\x01\x02", b"\x03gh", b"\x09i"];

const COLUMNS: [&str; 6] = ["-T", "fields", "-e", "message.name", "-e", "game.label"];

#[test]
fn names_follow_the_version_of_the_message() {
    let names = printed("table-names", (FILE, ROWS), &TALK, true, &COLUMNS);
    let wanted = ["hello\t<hello>", "say\t<say>", "jump\t<jump>", "unknown_4\t<4>", "hello\t<hello>", "say\t<say>", "fly\t<fly>"];
    assert_eq!(names.lines().collect::<Vec<_>>(), wanted);
    let json = printed("table-json", (FILE, ROWS), &TALK, true, &["--json"]);
    let ops: Vec<&str> = json.split(r#""name":"game.op""#).skip(1).map(|rest| &rest[..rest.find('}').unwrap()]).collect();
    let named = |at: usize, name: &str| ops[at].contains(&format!(r#""text":"{name}""#));
    assert!(named(1, "say") && named(2, "jump") && named(5, "say") && named(6, "fly"), "{ops:#?}");
    assert!(!ops[3].contains("text"), "{ops:#?}");
}

#[test]
fn members_of_the_enum_are_the_numbers_of_the_version() {
    let columns = ["-T", "fields", "-e", "game.op", "-e", "game.body.text"];
    let texts = printed("table-members", (FILE, ROWS), &TALK, true, &columns);
    // 9 is `say` in the file, `fly` in version 2, which the file does not declare.
    let wanted = ["1\t", "2\tab", "3\t", "4\t", "1\t", "3\tgh", "9\t"];
    assert_eq!(texts.lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn a_filter_by_name_finds_the_number_of_each_version() {
    let found = |filter: &str| {
        let columns = ["-T", "fields", "-e", "frame.number", "-Y", filter];
        let found = printed("table-filter", (FILE, ROWS), &TALK, true, &columns);
        found.lines().map(|line| line.parse().unwrap()).collect::<Vec<u32>>()
    };
    assert_eq!(found(r#"game.op == "say""#), [4, 8]);
    assert_eq!(found(r#"game.op == "jump""#), [5]);
    assert_eq!(found(r#"game.op != "say""#), [3, 5, 6, 7, 9]);
    assert_eq!(found(r#"game.op in {"say", "fly"}"#), [4, 8, 9]);
    assert_eq!(found(r#"!(game.op in {"say", "fly"})"#).len(), 7 + 2 - 3);
    assert_eq!(found("game.op == 3"), [5, 8]);
}

#[test]
fn without_a_version_the_names_are_those_of_the_file() {
    let names = |test, client: &[&[u8]], has_start| {
        let file = FILE.replace("_root.sizes[op.to_i] - 1", "1");
        printed(test, (&file, ROWS), client, has_start, &COLUMNS)
    };
    // Joined midway: the hello is missing, so the version is unknown.
    assert_eq!(names("table-midway", &[b"\x09a", b"\x03b"], false), "say\t<say>\nunknown_3\t<3>\n");
    // No rows of version 7.
    let unknown = names("table-unknown", &[b"\x01\x07", b"\x09a", b"\x03b"], true);
    assert_eq!(unknown, "hello\t<hello>\nsay\t<say>\nunknown_3\t<3>\n");
}

#[test]
fn an_opcode_without_a_row_has_no_name_of_another_version() {
    let file = FILE
        .replace("_root.sizes[op.to_i] - 1", "1")
        .replace("enums: {ops: {1: hello, 9: say}}", "enums: {ops: {1: hello, 2: say}}");
    // In version 2, the number 2 has no row, and `say` is 3.
    let names = printed("table-no-row", (&file, ROWS), &[b"\x01\x02", b"\x02a", b"\x03b"], true, &COLUMNS);
    assert_eq!(names, "hello\t<hello>\nunknown_2\t<2>\nsay\t<say>\n");
}

#[test]
fn sixty_five_thousand_opcodes_have_their_names() {
    let file = FILE.replace("{id: op, type: u1,", "{id: op, type: u2be,").replace("- 1'", "- 2'");
    let rows: String = (0..65_536).fold(String::new(), |mut rows, op| {
        writeln!(rows, "1\t{op}\t3\top_{op}").unwrap();
        rows
    });
    let names = printed("table-many", (&file, &rows), &[b"\xff\xff\x00", b"\x12\x34\x00"], true, &COLUMNS);
    assert_eq!(names, "op_65535\t<op_65535>\nop_4660\t<op_4660>\n");
}

#[test]
fn names_that_an_enum_cannot_have_are_errors_with_their_line() {
    let error = |rows: &str| {
        let folder = Folder::new("table-errors");
        let path = folder.file("game.ksy");
        std::fs::write(&path, FILE).unwrap();
        std::fs::write(folder.file("ops.tsv"), rows).unwrap();
        run(&["ksy", "check", path.to_str().unwrap()])
    };
    let twice = error("1\t1\t2\tsay\n1\t2\t2\tsay\n");
    assert!(twice.out.contains("ops.tsv:2: a second opcode of the name `say` in version 1"), "{}", twice.out);
    let odd = error("1\t1\t2\tsay it\n");
    assert!(odd.out.contains("ops.tsv:1: the name `say it` has other characters"), "{}", odd.out);
}
