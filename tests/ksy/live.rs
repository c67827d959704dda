//! Files of Kaitai Struct with `-proto-dissect`, as the program treats them: where they are found, and what becomes of messages.

use crate::common::{Run, Scratch, run, run_with};
use serde_json::Value;

const TOOLS: &str = "samples/tools.pcap";

fn fine(done: Run) -> String {
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    done.out
}

/// The capture with port 5020 in place of 502.
fn moved() -> Scratch {
    let mut capture = std::fs::read(TOOLS).unwrap();
    let mut at = 24;
    while let Some(length) = capture.get(at + 8..at + 12) {
        let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
        for port in [16 + 34, 16 + 36].map(|port| at + port) {
            if capture.get(port..port + 2) == Some(&502_u16.to_be_bytes()) {
                capture[port..port + 2].copy_from_slice(&5020_u16.to_be_bytes());
            }
        }
        at += 16 + length;
    }
    Scratch::new("ksy_moved.pcap", &capture)
}

/// A file with these lines in `-proto-dissect` and this body.
fn file(name: &str, registration: &str, body: &str) -> Scratch {
    let lines: String = registration.lines().map(|line| format!("    {line}\n")).collect();
    let text = format!("meta:\n  id: game\n  endian: be\n  encoding: UTF-8\n  -proto-dissect:\n{lines}{body}");
    Scratch::new(&format!("ksy_live_{name}.ksy"), text.as_bytes())
}

/// Records of messages of the protocol `game`.
fn messages(arguments: &[&str], input: &[u8]) -> Vec<Value> {
    let done = run_with(&[arguments, &["--json"]].concat(), input);
    assert_eq!(done.code, 0, "{}", done.err);
    let records = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["protocol"] == "game").collect()
}

/// Values of a field of all messages.
fn values(messages: &[Value], name: &str) -> Vec<Value> {
    let fields = messages.iter().flat_map(|message| message["fields"].as_array().unwrap());
    fields.filter(|field| field["name"] == name).map(|field| field["value"].clone()).collect()
}

/// The notes of all messages.
fn notes(messages: &[Value]) -> Vec<&str> {
    let notes = messages.iter().filter_map(|message| message["notes"].as_array()).flatten();
    notes.map(|note| note["code"].as_str().unwrap()).collect()
}

/// Messages with a length and that many bytes.
const FRAMES: &str = "seq: [{id: frames, type: frame, repeat: eos}]\ntypes:\n  frame:\n    seq:\n      - {id: len_data, type: u1}\n      \
                      - {id: data, type: str, size: len_data}\n";

/// Modbus messages: a header and the rest.
const MODBUS: &str = "seq: [{id: all, type: one, repeat: eos}]\ntypes:\n  one:\n    seq:\n      - {id: number, type: u2}\n      \
                      - {id: zero, contents: [0, 0]}\n      - {id: len_rest, type: u2}\n      - {id: rest, size: len_rest}\n";

#[test]
fn a_protocol_is_found_by_its_ports_by_its_magic_and_by_d() {
    let by_port = file("port", "transport: tcp\nports: [500-510]", MODBUS);
    assert_eq!(messages(&["-k", by_port.path(), TOOLS], b"").len(), 12);
    // On port 502, the program's own Modbus comes before content.
    let moved = moved();
    let moved = moved.path();
    let by_magic = file("magic", "transport: tcp\nmagic: [0, 1, 0, 0, 0]", MODBUS);
    assert_eq!(messages(&["-k", by_magic.path(), moved], b"").len(), 12);
    assert_eq!(messages(&["-k", by_magic.path(), "--no-heuristics", moved], b"").len(), 0);
    let unnamed = file("named", "name: x\n".replace("name: x\n", "max-message: 4KiB").as_str(), MODBUS);
    assert_eq!(messages(&["-k", unnamed.path(), TOOLS], b"").len(), 0);
    assert_eq!(messages(&["-k", unnamed.path(), "-d", "tcp.port==502,game", TOOLS], b"").len(), 12);
}

#[test]
fn a_direction_makes_raw_bytes_a_stream_and_none_makes_them_a_whole() {
    let file = file("raw", "transport: tcp", FRAMES);
    let bytes = b"\x02hi\x00\x03you";
    let stream = messages(&["-k", file.path(), "--as", "game:c2s", "--input-format", "raw", "-"], bytes);
    assert_eq!(values(&stream, "game.frames.data"), ["hi", "", "you"]);
    let whole = messages(&["-k", file.path(), "--input-format", "raw", "-"], bytes);
    assert_eq!(whole.len(), 1);
}

#[test]
fn a_file_in_place_of_a_built_in_protocol_is_named_as_that() {
    let listed = fine(run(&["-k", "samples/ksy/vscp.ksy", "protocols", "vscp"]));
    assert!(listed.contains("in place of the built-in protocol") && listed.contains("TCP 5126 to 5158: stream"), "{listed}");
    let other = fine(run(&["-k", "samples/ksy/modbus_tcp.ksy", "protocols", "modbus_tcp"]));
    assert!(!other.contains("in place of") && other.contains("samples/ksy/modbus_tcp.ksy"), "{other}");
}

#[test]
fn d_refuses_a_type_without_an_end_and_shows_where_it_is_missing() {
    let open = Scratch::new("ksy_live_open.ksy", b"meta: {id: open}\nseq:\n  - {id: rest, size-eos: true}\n");
    let done = run(&["-k", open.path(), "-d", "tcp.port==502,open", TOOLS]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("ksy_live_open.ksy:3:10: `rest` takes all bytes up to the end"), "{}", done.err);
    // Datagrams have an end.
    assert_eq!(run(&["-k", open.path(), "-d", "udp.port==40000,open", TOOLS]).code, 0);
}

#[test]
fn a_connection_is_one_message_of_each_side_when_it_closes() {
    let file = file("connection", "transport: tcp\nports: [502]\nframing: connection", "seq:\n  - {id: all, size-eos: true}\n");
    let found = messages(&["-k", file.path(), TOOLS], b"");
    let lengths: Vec<u64> = found.iter().map(|message| message["len"].as_u64().unwrap()).collect();
    assert_eq!(lengths, [80, 74]);
}

#[test]
fn parameters_state_the_direction_the_ports_and_the_number() {
    let body = "params:\n  - {id: pd_dir, type: u1}\n  - {id: pd_src_port, type: u2}\n  - {id: pd_index, type: u4}\nseq: [{id: all, type: 'one(pd_dir, pd_src_port, pd_index)', repeat: eos}]\n\
                types:\n  one:\n    params: [{id: dir, type: u1}, {id: port, type: u2}, {id: index, type: u4}]\n    seq:\n      - {id: number, type: u2}\n      \
                - {id: zero, type: u2}\n      - {id: len_rest, type: u2}\n      - {id: rest, size: len_rest}\n    instances:\n      \
                where: {value: 'f\"{dir} {port} {index}\"'}\n";
    let file = file("params", "transport: tcp\nports: [502]", body);
    let found = values(&messages(&["-k", file.path(), TOOLS], b""), "game.all.where");
    assert_eq!(found[..4], ["0 50041 0", "1 502 0", "0 50041 1", "0 50041 2"], "{found:?}");
    // Datagrams are numbered, too.
    let body = "params: [{id: pd_index, type: u4}]\nseq: [{id: all, size-eos: true}]\ninstances:\n  index: {value: pd_index}\n";
    let file = self::file("index", "transport: udp\nports: [51820]", body);
    assert_eq!(values(&messages(&["-k", file.path(), TOOLS], b""), "game.index"), [0, 0, 1, 1]);
}

/// Bytes of one side as a stream.
fn stream(file: &Scratch, bytes: &[u8]) -> Vec<Value> {
    messages(&["-k", file.path(), "--as", "game:s2c", "--input-format", "raw", "-"], bytes)
}

#[test]
fn messages_know_the_attributes_that_are_read_once() {
    let body = "seq:\n  - {id: hello, type: hello}\n  - {id: frames, type: frame, repeat: eos}\ntypes:\n  hello:\n    seq: [{id: magic, contents: HI}, \
                {id: wide, type: u1}]\n  frame:\n    seq:\n      - id: len_data\n        type: {switch-on: _root.hello.wide, cases: {1: u2, _: u1}}\n      \
                - {id: data, type: str, size: len_data.as<u2>}\n";
    let file = file("once", "transport: tcp", body);
    let wide = stream(&file, b"HI\x01\0\x02ab\0\x01c");
    assert_eq!((wide[0]["name"].as_str(), values(&wide, "game.frames.data")), (Some("hello"), vec!["ab".into(), "c".into()]));
    assert_eq!(values(&stream(&file, b"HI\0\x02ab\x01c"), "game.frames.data"), ["ab", "c"]);
}

#[test]
fn zeros_behind_a_text_are_not_part_of_it() {
    let file = file("padded", "transport: tcp", "seq: [{id: a, type: strz, size: 5}, {id: b, type: strz}]\n");
    let found = stream(&file, b"ab\0\0\0cd\0\x01");
    assert_eq!((values(&found, "game.a"), values(&found, "game.b")), (vec!["ab".into()], vec!["cd".into()]));
    assert_eq!(values(&stream(&file, b"abcd\0\0"), "game.a"), ["abcd"]);
}

#[test]
fn bytes_behind_the_last_attribute_are_a_field() {
    let file = file("more", "transport: udp\nports: [51820]", "seq: [{id: a, type: u1}]\n");
    let found = messages(&["-k", file.path(), TOOLS], b"");
    assert!(!found.is_empty() && values(&found, "game._unparsed").len() == found.len(), "{found:?}");
}

#[test]
fn the_size_of_an_element_may_depend_on_its_number() {
    let body =
        "seq: [{id: frames, type: frame, repeat: eos}]\ntypes:\n  frame:\n    seq:\n      - {id: len_data, type: u1}\n      \
                - {id: data, type: str, size: len_data + number}\n    params: [{id: number, type: u4}]\n"
            .replace("type: frame,", "type: frame(_index),");
    let file = file("numbered", "transport: tcp", &body);
    assert_eq!(values(&stream(&file, b"\x01a\x01bb\x01ccc\0ddd"), "game.frames.data"), ["a", "bb", "ccc", "ddd"]);
}

#[test]
fn a_stream_that_begins_later_has_no_hello() {
    let body = FRAMES.replace("seq: [", "seq: [{id: hello, contents: HELLO}, ");
    let file = file("later", "transport: tcp", &body);
    assert_eq!(values(&stream(&file, b"\x02hi\x03you"), "game.frames.data"), ["hi", "you"]);
    assert_eq!(values(&stream(&file, b"HELLO\x02hi"), "game.frames.data"), ["hi"]);
}

#[test]
fn the_end_of_a_stream_completes_or_truncates_messages() {
    let text = file("text", "transport: tcp", "seq: [{id: line, type: str, terminator: 10, eos-error: false}]\n");
    assert_eq!(values(&stream(&text, b"one\ntwo"), "game.line"), ["one", "two"]);
    let frames = file("cut", "transport: tcp", FRAMES);
    let cut = stream(&frames, b"\x02hi\x09you");
    assert_eq!((cut.len(), notes(&cut)), (2, vec!["dissect.unfinished"]));
}

#[test]
fn a_part_of_known_size_that_cannot_be_read_does_not_end_the_stream() {
    let body = "seq: [{id: frames, type: frame, repeat: eos}]\ntypes:\n  frame:\n    seq:\n      - {id: len_data, type: u1}\n      \
                - {id: data, type: inner, size: len_data}\n  inner:\n    seq: [{id: kind, type: u1, valid: {max: 9}}, {id: rest, type: u2}]\n";
    let file = file("sized", "transport: tcp", body);
    let found = stream(&file, b"\x03\x01\0\x07\x05\xff\0\0\0\0\x02\x01\0\x04\x02\0\x08\x63\x03\x03\0\x09");
    let inner: Vec<&Value> = found.iter().map(|message| &message["fields"][1]["fields"]).collect();
    assert_eq!(inner.len(), 5);
    assert_eq!((&inner[0][1]["value"], &inner[4][1]["value"]), (&Value::from(7), &Value::from(9)));
    assert_eq!((&inner[1][1]["name"], &inner[1][1]["value"]), (&"game.frames.data._unparsed".into(), &"00000000".into()));
    assert_eq!((&inner[3][2]["name"], &inner[3][2]["value"]), (&"game.frames.data._unparsed".into(), &"63".into()));
    assert_eq!(notes(&found), ["ksy.valid", "ksy.eof"]);
}

#[test]
fn a_direction_without_framing_resumes_at_the_magic() {
    let body = "seq: [{id: frames, type: frame, repeat: eos}]\ntypes:\n  frame:\n    seq:\n      - {id: magic, contents: AB}\n      \
                - {id: len_data, type: u1}\n      - {id: data, type: str, size: len_data}\n";
    let bytes = b"AB\x02hixxxxxAB\x03youAyAB\x01zA";
    let resyncs = file("resync", "transport: tcp\nmagic: AB\nresync: magic", body);
    assert_eq!(values(&stream(&resyncs, bytes), "game.frames.data"), ["hi", "you", "z"]);
    let ends = file("no_resync", "transport: tcp\nmagic: AB", body);
    assert_eq!(values(&stream(&ends, bytes), "game.frames.data"), ["hi"]);
}

#[test]
fn a_message_longer_than_allowed_is_refused_without_waiting_for_it() {
    let body = FRAMES.replace("type: u1", "type: u4");
    let file = file("huge", "transport: tcp\nmax-message: 1KiB", &body);
    let found = stream(&file, b"\0\0\0\x02hi\0\x10\0\0xxxx");
    assert_eq!((values(&found, "game.frames.data"), notes(&found)), (vec!["hi".into()], vec!["dissect.huge"]));
}

#[test]
fn secrets_of_a_file_are_masked_wherever_their_bytes_are_shown() {
    let connect = ["-Y", "mqtt_packets.packets.kind == \"connect\"", "samples/neighbours.pcap"];
    let forms: [&[&str]; 7] =
        [&["--json"], &["-x"], &["-l"], &["-T", "flat"], &["--packets", "-V", "-x"], &["-T", "pdml"], &["-T", "jsonraw"]];
    let file = ["-k", "samples/ksy/mqtt_packets.ksy"];
    let follow = ["follow", "-s", "tcp/4", "--dir", "c2s", "-k", "samples/ksy/mqtt_packets.ksy", "samples/neighbours.pcap"];
    let all = forms.iter().map(|form| [&file[..], form, &connect].concat()).chain([follow.to_vec()]);
    for arguments in all {
        let done = run(&arguments);
        assert!(done.code == 0 && done.out.contains("mqtt"), "{arguments:?} {}", done.err);
        let is_shown = |secret: &&&str| done.out.contains(**secret);
        assert_eq!(["mos", "6d6f73", "6d 6f 73", "6d:6f:73"].iter().find(is_shown), None, "{arguments:?} {}", done.out);
    }
    let shown = run(&["-k", "samples/ksy/mqtt_packets.ksy", "--show-secrets", "--json", "samples/neighbours.pcap"]);
    assert!(shown.out.contains("\"6d6f73\""), "{}", shown.out);
}

#[test]
fn marked_attributes_are_objects() {
    let listed = fine(run(&["objects", "-k", "samples/ksy/fallout4_pipboy.ksy", "samples/pipboy.pcap"]));
    assert_eq!(listed.lines().filter(|line| line.contains("pixels.gray")).count(), 2, "{listed}");
}

#[test]
fn tables_comments_and_conversations_name_the_messages() {
    let modbus = ["-k", "samples/ksy/modbus_tcp.ksy"];
    let stats = fine(run(&[&modbus[..], &["stats", TOOLS]].concat()));
    assert!(stats.contains("write_single_coil") && stats.contains("modbus_tcp"), "{stats}");
    let follow = fine(run(&[&modbus[..], &["follow", "-s", "tcp/0", TOOLS]].concat()));
    assert!(follow.contains("#8 modbus_tcp read_coils"), "{follow}");
    let columns = fine(run(&[
        &modbus[..],
        &["-Y", "message.name == \"read_input_registers_exception\"", "-e", "modbus_tcp.messages.body.reason", TOOLS],
    ]
    .concat()));
    assert_eq!(columns, "2\n");
    let written = Scratch::new("ksy_live_written.pcapng", b"");
    assert_eq!(run(&[&modbus[..], &["-w", written.path(), TOOLS]].concat()).code, 0);
    let bytes = std::fs::read(written.path()).unwrap();
    assert!(bytes.windows(17).any(|word| word == b"write_single_coil"));
}
