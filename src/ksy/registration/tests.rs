//! The key `-proto-dissect`: its meaning, and errors with position and advice.

use super::{Carrier, Framed, Registration, Resync};
use crate::ksy::load_text;
use std::path::Path;

const BODY: &str = "seq: [{id: frames, type: frame, repeat: eos}]\ntypes:\n  frame:\n    seq: [{id: op, type: u1, enum: ops}, {id: len_body, type: u1}, \
                    {id: body, type: login, size: len_body}]\n  login:\n    seq: [{id: password, size-eos: true}]\n  needy:\n    params: [{id: pd_port, type: u2}]\n  tail:\n    \
                    seq: [{id: rest, size-eos: true}]\nenums:\n  ops: {1: login}\n";

/// A file with these lines below the key, which is in line 4.
fn file(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("meta:\n  id: game\n  endian: le\n  -proto-dissect:\n{lines}{BODY}")
}

fn registered(lines: &str) -> (crate::ksy::Spec, Registration) {
    let loaded = load_text(Path::new("game.ksy"), &file(lines));
    let all: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let spec = loaded.spec.unwrap_or_else(|| panic!("{all:?}"));
    let registration = Registration::of(&spec, spec.roots[0]).cloned().unwrap();
    (spec, registration)
}

/// Whether a file is rejected with an error at this position in these words.
fn refused(text: &str, place: &str, words: &[&str]) {
    let loaded = load_text(Path::new("game.ksy"), text);
    let all: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(loaded.spec.is_none(), "{text}");
    let is_it =
        |line: &String| line.starts_with(&format!("game.ksy:{place}: error")) && words.iter().all(|word| line.contains(word));
    assert!(all.iter().any(is_it), "{place} {words:?}: {all:#?}");
}

#[test]
fn every_key_has_its_meaning() {
    let (spec, all) = registered(
        "transport: [tcp, udp]\nports: [27000, 27010-27019]\nmagic: ['AB', 0x40]\nframing: stream\nmessage: frame\nroots: {client: game, any: frame}\n\
         max-message: 1MiB\nresync: magic\nname: op\ninfo: \"{op} {len_body} bytes\"\nsecret: [body.password]",
    );
    assert_eq!(all.carriers, [Carrier::Tcp, Carrier::Udp]);
    assert_eq!(all.ports, [27000..=27000, 27010..=27019]);
    assert_eq!((&all.magic, all.max_message, all.resync), (&vec![b"AB\x40".to_vec()], Some(1 << 20), Resync::Magic));
    assert_eq!(all.framing, Framed::Messages);
    let name = |id| spec.type_of(id).name.as_str();
    assert_eq!(all.message.map(name), Some("frame"));
    assert_eq!([all.roots.client, all.roots.server, all.roots.any].map(name), ["game", "frame", "frame"]);
    assert_eq!(all.names.iter().map(|(of, _)| name(*of)).collect::<Vec<_>>(), ["frame"]);
    assert_eq!(all.infos.len(), 1);
    assert_eq!(all.secrets[0].path, ["body", "password"]);
    assert_eq!(registered("transport: tcp\nmagic: [[1, 2], [3]]").1.magic, [vec![1, 2], vec![3]]);
    let (_, payload) = registered("transport: payload\nover: raknet\nname: ops");
    assert_eq!(payload.carriers, [Carrier::Payload(Some("raknet".to_owned()))]);
    assert_eq!(payload.names.len(), 1, "the enum stands for its attribute");
    assert_eq!(registered("transport: tcp\nframing: connection\nmax-message: 0x100").1.max_message, Some(256));
}

#[test]
fn mistakes_have_a_place_and_a_way_out() {
    for (lines, place, words) in [
        ("transprt: tcp", "5:5", &["unknown key `transprt`", "did you mean `transport`?"][..]),
        ("transport: tpc", "5:16", &["cannot be `tpc`", "did you mean `tcp`?"]),
        ("transport: [tcp, tcp]", "5:22", &["twice"]),
        ("ports: [1]", "5:5", &["`ports` without `transport`", "transport: tcp"]),
        ("transport: tcp\nports: [70000]", "6:13", &["no port", "1 to 65535"]),
        ("transport: tcp\nports: [9-3]", "6:13", &["ends before it begins"]),
        ("transport: payload\nports: [9]", "6:5", &["no ports of its own"]),
        ("transport: udp\nover: raknet", "6:5", &["carrier of a payload", "transport: payload"]),
        ("transport: tcp\nframing: datagram", "6:5", &["carries a stream", "connection"]),
        ("transport: udp\nframing: stream", "6:5", &["nothing carries a stream"]),
        ("transport: tcp\nmagic: 5", "6:12", &["`magic` is a number", "[5]"]),
        ("transport: tcp\nmagic: []", "6:12", &["empty"]),
        ("transport: tcp\nresync: magic", "6:5", &["without `magic`"]),
        ("transport: tcp\nmessage: fram", "6:14", &["unknown type `fram`", "did you mean `frame`?"]),
        ("transport: tcp\nmessage: u4", "6:14", &["no type of the file"]),
        ("roots: {clint: frame}", "5:13", &["unknown key `clint`", "did you mean `client`?"]),
        ("roots: {client: fram}", "5:21", &["unknown type `fram`"]),
        ("max-message: 1 parsec", "5:18", &["no number of bytes", "64KiB"]),
        ("roots: {client: needy}", "13:19", &["nothing supplies the parameter `pd_port`", "pd_dir"]),
        ("name: len_body", "5:11", &["a member of an enum or text", "`enum`"]),
        ("name: opp", "5:11", &["`opp`", "did you mean `op`?"]),
        ("info: 'size {len_bod}'", "5:18", &["`len_bod`", "did you mean `len_body`?"]),
        ("info: 'size {len_body'", "5:17", &["never closed"]),
        ("secret: [body.pasword]", "5:14", &["`body` has no attribute `pasword`", "did you mean `password`?"]),
        ("name: password", "5:11", &["`password`", "write `body.password`"]),
        ("secret: [password]", "5:14", &["no attribute `password`", "write `body.password`"]),
        ("secret: [op]\ninfo: 'it is {op}'", "6:19", &["a summary shows a value that `secret` masks"]),
        ("secret: [Body]", "5:14", &["no path of attributes"]),
    ] {
        refused(&file(lines), place, words);
    }
    let without = file("transport: tcp").replace("-proto-dissect", "proto-dissect");
    refused(&without, "4:3", &["unknown key `proto-dissect`", "write `-proto-dissect`"]);
}

#[test]
fn a_message_without_an_end_is_refused_on_tcp_where_the_end_is_missing() {
    refused(
        &file("transport: tcp\nmessage: tail"),
        "16:16",
        &["`tail` has no end on TCP: `rest` takes all bytes up to the end", "connection"],
    );
    refused(&file("transport: tcp\nroots: {any: login}"), "12:16", &["`login` has no end on TCP"]);
    for fine in ["transport: udp\nroots: {any: login}", "transport: tcp\nframing: connection\nroots: {any: login}"] {
        registered(fine);
    }
}
