//! Messages inside datagrams: order, repeats, fragments, and other protocols in them.

use crate::common::sides::{datagram, each_record, segment};
use crate::common::{Folder, run};
use proptest::prelude::*;
use proto_dissect::ksy;
use proto_dissect::record::Record;
use proto_dissect::registry::{Choices, DecodeAs, Registry, Selector};
use proto_dissect::tree::{NodeRef, Side, Transport};
use proto_dissect::wire::{Protocol, Settings};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

const PORT: u16 = 4000;

/// Elements of a home-made layer. Kind 0 acknowledges, 1 is ordered and may be a part, 2 is delivered at once, 3 is a part by offset.
const LAYER: &str = "
meta:
  id: layer
  endian: be
  -proto-dissect:
    name: op
    session: {base: 0}
    deliver: {of: parts, when: kind > 0, by: channel, order: order, once: once, id: id, index: index, count: count, data: data, as: note}
params: [{id: base, type: u1}]
seq: [{id: session, type: u1}, {id: parts, type: part, repeat: eos}]
types:
  part:
    seq:
      - {id: kind, type: u1, valid: {max: 2}}
      - {id: channel, type: u1}
      - {id: number, type: u1}
      - {id: index, type: u1}
      - {id: count, type: u1}
      - {id: len_data, type: u1}
      - {id: data, size: len_data}
    instances:
      order: {value: number, if: kind == 1}
      once: {value: number, if: kind == 2}
      id: {value: 'number - index'}
  note:
    seq:
      - {id: op, type: u1, enum: ops, valid: {in-enum: true}}
      - {id: text, type: str, encoding: ASCII, size-eos: true, -proto-dissect: {set: {base: '_root.base + 1'}}}
    instances: {seen: {value: _root.base}}
enums: {ops: {0x41: ask, 0x42: answer}}
";

static PROTOCOL: LazyLock<&'static Protocol> = LazyLock::new(|| protocol("layer.ksy", LAYER));

fn protocol(name: &str, text: &str) -> &'static Protocol {
    let loaded = ksy::load_text(Path::new(name), text);
    let spec = loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    ksy::protocol(&spec, spec.roots[0], None, false)
}

fn registry(transport: Transport, protocols: Vec<&'static Protocol>) -> Registry {
    let selector = Selector::Ports(transport, PORT..=PORT);
    let decode_as = vec![DecodeAs { selector, protocol: Some(protocols[0]) }];
    Registry::default().and(Vec::leak(protocols)).choosing(Choices { decode_as, settings: Settings::new(), ..Choices::default() })
}

fn layer() -> Registry {
    registry(Transport::Udp, vec![*PROTOCOL])
}

/// An element: kind, channel, number, part, parts, bytes.
fn part(kind: u8, channel: u8, number: u8, (index, count): (u8, u8), data: &str) -> Vec<u8> {
    [&[kind, channel, number, index, count, u8::try_from(data.len()).unwrap()], data.as_bytes()].concat()
}

fn packet(parts: &[Vec<u8>]) -> Vec<u8> {
    datagram((Side::Client, PORT), &[vec![9], parts.concat()].concat())
}

/// Each message: its protocol and name, its frames, the values `text` and `seen`, repeats and notes. Each gap.
fn records(registry: Registry, packets: &[Vec<u8>]) -> Vec<String> {
    let mut all = Vec::new();
    each_record(registry, packets, |record| match record {
        Record::Message(message) => {
            let mut text =
                format!("{} {} {:?}", message.path().to_string().replace("ip:udp:", ""), message.name(), message.frames());
            values(message.node().unwrap(), &mut text);
            for note in message.notes() {
                write!(text, " ! {}", note.code.abbrev).unwrap();
            }
            all.push(text);
        }
        Record::Gap(gap) => all.push(format!("gap {gap}")),
        _ => {}
    });
    all
}

fn values(node: NodeRef<'_>, text: &mut String) {
    for child in node.children() {
        if matches!(child.field().name, "text" | "seen" | "retransmitted" | "number") {
            write!(text, " {}=", child.field().name).unwrap();
            child.write_plain(text).unwrap();
        }
        values(child, text);
    }
}

#[test]
fn messages_come_in_order_once_and_joined() {
    const ALL: (u8, u8) = (0, 1);
    let packets = [
        packet(&[part(1, 0, 0, ALL, "Aa"), part(2, 0, 7, ALL, "Bb"), part(0, 0, 0, ALL, "")]),
        packet(&[part(1, 0, 2, ALL, "Ac")]),
        packet(&[part(1, 0, 1, ALL, "Ab"), part(1, 1, 0, ALL, "Ax")]),
        packet(&[part(1, 0, 1, ALL, "Ab"), part(2, 0, 7, ALL, "Bb")]),
        packet(&[part(1, 0, 4, (1, 2), "two")]),
        packet(&[part(1, 0, 3, (0, 2), "Bone ")]),
        packet(&[part(0, 0, 0, ALL, "")]),
    ];
    let expected = [
        "layer:layer ask [1] text=a seen=0",
        "layer:layer answer [1] text=b seen=1",
        "layer  [2] number=2",
        "layer:layer ask [3] text=b seen=2",
        "layer:layer ask [2] text=c seen=3",
        "layer:layer ask [3] text=x seen=4",
        "layer  [4] number=1 number=7 retransmitted=1 retransmitted=1",
        "layer  [5] number=4",
        "layer:layer answer [5, 6] text=one two seen=5",
        "layer  [7] number=0",
    ];
    assert_eq!(records(layer(), &packets), expected);
}

#[test]
fn what_is_missing_is_a_gap_at_the_end() {
    let packets = [
        packet(&[part(1, 0, 0, (0, 1), "Aa")]),
        packet(&[part(1, 0, 3, (0, 1), "Ad")]),
        packet(&[part(1, 0, 4, (0, 2), "Ae")]),
        packet(&[part(1, 0, 6, (0, 1), "Bg"), part(1, 0, 7, (3, 2), "B?")]),
    ];
    let expected = [
        "layer:layer ask [1] text=a seen=0",
        "layer  [2] number=3",
        "layer  [3] number=4",
        "layer  [4] number=6 number=7 ! ksy.fragment",
        "gap elements 1 to 2 of stream 0 missing",
        "layer ask [2] text=d seen=1",
        "layer incomplete [3] ! ksy.incomplete",
        "gap element 5 of stream 0 missing",
        "layer answer [4] text=g seen=2",
    ];
    assert_eq!(records(layer(), &packets), expected);
}

#[test]
fn a_hole_is_given_up_after_256_later_elements() {
    let mut packets = vec![packet(&[part(1, 0, 0, (0, 1), "Aa")])];
    packets.extend((2..=255).chain(0..4).map(|number| packet(&[part(1, 0, number, (0, 1), "Bx")])));
    let all = records(layer(), &packets);
    let gap = all.iter().position(|record| record == "gap element 1 of stream 0 missing").unwrap();
    assert!(all[gap + 1].starts_with("layer:layer answer [2]"), "{}", all[gap + 1]);
    // Before it, each datagram is a record.
    assert_eq!((gap, all.len()), (257, 1 + 256 + 1 + 258));
}

#[test]
fn elements_of_a_truncated_message_and_of_a_stream_are_delivered() {
    let broken = [packet(&[part(1, 0, 0, (0, 1), "Aa"), vec![1, 0, 1, 0, 1, 9, b'B']])];
    assert_eq!(records(layer(), &broken), ["layer:layer ask [1] text=a seen=0 ! ksy.eof"]);

    let framed = LAYER
        .replace(
            "seq: [{id: session, type: u1}, {id: parts, type: part, repeat: eos}]",
            "seq: [{id: len, type: u1}, {id: body, size: len, type: body}]",
        )
        .replace("types:\n", "types:\n  body: {seq: [{id: parts, type: part, repeat: eos}]}\n")
        .replace("of: parts", "of: body.parts")
        .replace("id: layer", "id: framed");
    let bytes = [part(1, 0, 0, (0, 1), "Aa"), part(2, 0, 7, (0, 1), "Bb"), part(1, 0, 1, (0, 1), "Ab")].concat();
    let bytes = [&[u8::try_from(bytes.len()).unwrap()], bytes.as_slice()].concat();
    let mut packets: Vec<Vec<u8>> = Side::BOTH.map(|side| segment((side, PORT), 0, &[], true)).into();
    packets.push(segment((Side::Client, PORT), 0, &bytes[..9], false));
    packets.push(segment((Side::Client, PORT), 9, &bytes[9..], false));
    let expected = ["ask [3, 4] text=a seen=0", "answer [3, 4] text=b seen=1", "ask [3, 4] text=b seen=2"];
    let found = records(registry(Transport::Tcp, vec![protocol("framed.ksy", &framed)]), &packets);
    assert_eq!(found, expected.map(|record| format!("ip:tcp:framed:framed {record}")));
}

#[test]
fn another_protocol_reads_messages_or_bytes_of_them() {
    let outer = LAYER.replace("as: note", "payload: inner").replace("name: op\n", "info: '{session}'\n");
    let inner = "
meta: {id: inner, -proto-dissect: {name: op}}
seq:
  - {id: op, type: u1, enum: ops}
  - {id: number, size-eos: true, -proto-dissect: {payload: embedded}}
enums: {ops: {0x41: ask}}
";
    let number = "
meta: {id: embedded, endian: be}
seq: [{id: number, type: u1}, {id: text, type: str, encoding: ASCII, size-eos: true}]
";
    let all = vec![protocol("outer.ksy", &outer), protocol("inner.ksy", inner), protocol("embedded.ksy", number)];
    let packets = [packet(&[part(1, 0, 0, (0, 2), "A")]), packet(&[part(1, 0, 1, (1, 2), "\u{5}five")])];
    let expected = ["layer  [1] number=0", "layer:inner ask [1, 2] number=0566697665 number=5 text=five"];
    assert_eq!(records(registry(Transport::Udp, all), &packets), expected);
}

#[test]
fn mistakes_in_deliver_are_explained() {
    let check = |from: &str, to: &str| {
        let loaded = ksy::load_text(Path::new("layer.ksy"), &LAYER.replace(from, to));
        let text: String = loaded.diagnostics.iter().map(|found| format!("{found:?}")).collect();
        assert!(loaded.spec.is_none() || !text.is_empty(), "{to}");
        text
    };
    for (from, to, words) in [
        ("of: parts", "of: session", "`of` is an integer, not a list"),
        ("of: parts", "of: part", "part"),
        ("data: data", "data: number", "`data` is bytes, and this is an integer"),
        ("when: kind > 0", "when: kind", "`when` is a condition"),
        ("by: channel", "by: data", "`by` is an integer"),
        ("index: index, ", "", "`id` without `index`"),
        ("as: note", "as: notes", "notes"),
        ("as: note", "as: note, payload: x", "`payload` beside `as`"),
        ("id: id, index: index, count: count", "left: count, id: id", "`id` beside `left`"),
        ("order: order, once: once, id: id, index: index, count: count", "left: count", "`left` without `order`"),
        ("data: data, ", "", "`deliver` without `data`"),
        ("once: once", "onse: once", "onse"),
    ] {
        let text = check(from, to);
        assert!(text.contains(words), "{to}: {text}");
    }
}

#[test]
fn the_tool_shows_gaps_and_repeats() {
    let folder = Folder::new("deliver");
    let (file, capture) = (folder.file("layer.ksy"), folder.file("layer.hex"));
    std::fs::write(&file, LAYER).unwrap();
    let hex = |parts: &[Vec<u8>]| {
        let bytes = [vec![9], parts.concat()].concat();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n\n"
    };
    let lines = [hex(&[part(1, 0, 0, (0, 1), "Aa")]), hex(&[part(1, 0, 2, (0, 1), "Ac")]), hex(&[part(1, 0, 0, (0, 1), "Aa")])];
    std::fs::write(&capture, lines.concat()).unwrap();
    let done = run(&["-k", file.to_str().unwrap(), "--as", "layer", "-l", capture.to_str().unwrap()]);
    assert!(done.out.contains("element 1 of stream 0 missing"), "{}", done.out);
    let done = run(&["-k", file.to_str().unwrap(), "--as", "layer", "--json", capture.to_str().unwrap()]);
    assert!(done.out.contains(r#""elements_of":0,"first_element":1,"elements":1"#), "{}", done.out);
    assert!(done.out.contains(r#""name":"layer.retransmitted""#), "{}", done.out);
}

proptest! {
    #[test]
    fn order_and_repetition_change_no_message(
        texts in prop::collection::vec("[a-z]{0,12}", 1..14), size in 1..5_usize,
        moves in prop::collection::vec((0..6_usize, any::<bool>()), 80), together in 1..4_usize,
    ) {
        let mut parts = Vec::new();
        for text in &texts {
            let whole = format!("A{text}");
            let chunks: Vec<&[u8]> = whole.as_bytes().chunks(size).collect();
            for (index, chunk) in chunks.iter().enumerate() {
                let narrow = |number: usize| u8::try_from(number).unwrap();
                let chunk = std::str::from_utf8(chunk).unwrap();
                parts.push(part(1, 3, narrow(parts.len()), (narrow(index), narrow(chunks.len())), chunk));
            }
        }
        let mut order: Vec<(usize, usize)> = (0..parts.len()).map(|at| (at + moves[at % 80].0, at)).collect();
        order.sort_unstable();
        // The first one shows where numbers begin.
        order.sort_by_key(|(_, at)| usize::from(*at != 0));
        let sent: Vec<Vec<u8>> = order
            .iter()
            .flat_map(|(_, at)| vec![parts[*at].clone(); 1 + usize::from(moves[at % 80].1)])
            .collect();
        let packets: Vec<Vec<u8>> = sent.chunks(together).map(packet).collect();
        let found: Vec<String> = records(layer(), &packets)
            .into_iter()
            .filter(|record| record.contains(" ask "))
            .map(|record| record.split(" text=").nth(1).unwrap().to_owned())
            .collect();
        let expected: Vec<String> = texts.iter().enumerate().map(|(at, text)| format!("{text} seen={}", at % 256)).collect();
        prop_assert_eq!(found, expected);
    }
}

/// A file that reads what another protocol carries, and one that is carried by the first.
#[test]
fn a_file_stands_under_any_protocol() {
    const CASES: &[(&str, &str, &str)] = &[
        ("transport: payload, over: websocket", "samples/http.pcap", "tcp:websocket:peek"),
        ("transport: payload, over: http", "samples/http.pcap", "http:peek"),
        ("transport: payload, over: enet", "samples/games.pcap", "enet:peek"),
        ("transport: payload, over: raknet", "samples/vcmp-0471.pcap", "raknet:peek"),
        ("transport: payload, over: usb", "samples/usb.pcap", "usb:peek"),
        ("transport: payload, over: rooms", "samples/ksy/rooms.pcap", "rooms:peek"),
        ("transport: payload, over: tls", "samples/tls-keys.pcapng", "tls:peek"),
    ];
    let folder = Folder::new("under");
    let rooms = std::fs::read_to_string("samples/ksy/rooms.ksy").unwrap().replace(", as: message}", "}");
    let rooms = rooms.replace("    name: op\n    info: '{body}'\n", "");
    std::fs::write(folder.file("rooms.ksy"), rooms).unwrap();
    for (place, capture, path) in CASES {
        let text = format!(
            "meta: {{id: peek, -proto-dissect: {{{place}}}}}\nseq: [{{id: first, type: u1}}, {{id: rest, size-eos: true}}]\n"
        );
        let text = if place.contains("tls") { text.replace("size-eos: true", "size: 3") } else { text };
        std::fs::write(folder.file("peek.ksy"), text).unwrap();
        let (peek, rooms) = (folder.file("peek.ksy"), folder.file("rooms.ksy"));
        let files = ["-k", peek.to_str().unwrap(), "-k", rooms.to_str().unwrap()];
        let done = run(&[&files[..], &["--json", "-Y", "peek", capture]].concat());
        let path = format!("{path}\"");
        let found = done.out.lines().any(|line| line.contains(&path) && line.contains("peek.first"));
        assert!(found, "{place}: {} {}", done.err, done.out);
    }
}

/// Only a dissected message shows where its secrets are: what waits, is repeated or stays incomplete is masked.
#[test]
fn secrets_are_masked_in_elements_that_deliver_nothing() {
    let folder = Folder::new("masked");
    let (file, capture) = (folder.file("layer.ksy"), folder.file("layer.hex"));
    std::fs::write(&file, LAYER.replace("    name: op\n", "    name: op\n    secret: [text]\n")).unwrap();
    let hex = |parts: &[Vec<u8>]| {
        let bytes = [vec![9], parts.concat()].concat();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n\n"
    };
    let whole = part(1, 0, 0, (0, 1), "Amoss-green");
    let lines = [
        hex(std::slice::from_ref(&whole)),
        hex(&[whole]),
        hex(&[part(1, 0, 2, (0, 1), "Amoss-green")]),
        hex(&[part(1, 1, 4, (0, 2), "Amoss-green")]),
    ];
    std::fs::write(&capture, lines.concat()).unwrap();
    let common = ["-k", file.to_str().unwrap(), "--as", "layer", capture.to_str().unwrap()];
    for view in [&["--json"][..], &["-V", "-x"], &["--packets", "--json"], &["-l"]] {
        let done = run(&[&common[..], view].concat());
        assert!(
            !done.out.contains("moss") && !done.out.contains("6d6f7373") && !done.out.contains("6d 6f 73 73"),
            "{view:?}\n{}",
            done.out
        );
    }
    let shown = run(&[&common[..], &["-l", "--show-secrets", "-V"]].concat());
    assert!(shown.out.contains("moss-green"), "{}", shown.out);
}

#[test]
fn another_protocol_gets_whole_messages_only() {
    let outer = LAYER.replace("as: note", "payload: inner").replace("    name: op\n", "");
    let inner = "meta: {id: inner}\nseq: [{id: number, type: u1}]\n";
    let all = vec![protocol("outer.ksy", &outer), protocol("inner.ksy", inner)];
    let packets = [packet(&[part(1, 0, 0, (0, 1), "A")]), packet(&[part(1, 0, 1, (0, 2), "B")])];
    let expected = ["layer:inner  [1] number=65", "layer  [2] number=1", "layer incomplete [2] ! ksy.incomplete"];
    assert_eq!(records(registry(Transport::Udp, all), &packets), expected);
}
