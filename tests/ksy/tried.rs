//! `ksy try`: each of several invented protocols is described with one mistake, and the first lines name its place.

use crate::common::sides::{datagram, segment};
use crate::common::{Run, Scratch, run};
use proto_dissect::tree::Side;
use serde_json::Value;

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn bytes(&mut self, len: u64) -> Vec<u8> {
        (0..len).map(|_| u8::try_from(self.below(256)).unwrap()).collect()
    }

    fn word(&mut self, least: u64) -> Vec<u8> {
        let len = least + self.below(9);
        (0..len).map(|_| b'a' + u8::try_from(self.below(26)).unwrap()).collect()
    }
}

fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap()
}

/// A capture of packets of IP.
fn capture(name: &str, packets: &[Vec<u8>]) -> Scratch {
    let mut bytes = Vec::new();
    [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 101].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    for (at, packet) in (1_u32..).zip(packets) {
        let len = u32::try_from(packet.len()).unwrap();
        [at, 0, len, len].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(packet);
    }
    Scratch::new(&format!("ksy_try_{name}.pcap"), &bytes)
}

/// Messages of a client, three in a segment.
fn stream(messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let side = (Side::Client, 5000);
    let mut packets = vec![segment(side, 0, &[], true)];
    let mut at = 0;
    for some in messages.chunks(3) {
        let payload = some.concat();
        packets.push(segment(side, at, &payload, false));
        at += payload.len();
    }
    packets
}

fn meta(registration: &str) -> String {
    format!("meta:\n  id: game\n  endian: le\n  encoding: ASCII\n  -proto-dissect: {{{registration}, ports: [5000]}}\n")
}

/// Messages with a size.
fn sized(numbers: &mut Numbers) -> (String, Vec<Vec<u8>>) {
    let file = meta("transport: tcp, name: op")
        + "seq: [{id: m, type: msg, repeat: eos}]
types:
  msg:
    seq:
      - {id: len_body, type: u2}
      - {id: op, type: u1, enum: ops}
      - id: body
        size: len_body
        type: {switch-on: op, cases: {'ops::say': say, 'ops::move': move, 'ops::list': list, 'ops::pos': pos}}
  say: {seq: [{id: len_text, type: u1}, {id: text, type: str, size: len_text}, {id: channel, type: u1}]}
  move: {seq: [{id: x, type: u2}, {id: y, type: u2}, {id: speed, type: u1}]}
  list: {seq: [{id: num_items, type: u1}, {id: items, type: item, repeat: expr, repeat-expr: num_items}]}
  item: {seq: [{id: number, type: u2}, {id: amount, type: u1}]}
  pos: {seq: [{id: flags, type: u1}, {id: lat, type: f4}, {id: alt, type: u2, if: 'flags & 1 != 0'}]}
enums: {ops: {1: say, 2: move, 3: list, 4: pos}}
";
    let mut messages = Vec::new();
    for _ in 0..60 {
        let op = small(usize::try_from(numbers.below(4)).unwrap() + 1);
        let body = match op {
            1 => {
                let text = numbers.word(3);
                [vec![small(text.len())], text, numbers.bytes(1)].concat()
            }
            2 => numbers.bytes(5),
            3 => {
                let items = numbers.below(5);
                [vec![u8::try_from(items).unwrap()], numbers.bytes(items * 3)].concat()
            }
            _ => {
                let flag = numbers.below(2);
                [vec![u8::try_from(flag).unwrap()], numbers.bytes(4 + flag * 2)].concat()
            }
        };
        messages.push([&u16::try_from(body.len()).unwrap().to_le_bytes()[..], &[op], &body].concat());
    }
    (file, stream(&messages))
}

/// Messages whose size follows from their type.
fn typed(numbers: &mut Numbers) -> (String, Vec<Vec<u8>>) {
    let file = meta("transport: tcp, name: op")
        + "seq: [{id: m, type: msg, repeat: eos}]
types:
  msg:
    seq:
      - {id: op, type: u1, enum: ops}
      - id: body
        type: {switch-on: op, cases: {'ops::login': login, 'ops::chat': chat, 'ops::step': step, 'ops::shot': shot}}
  login: {seq: [{id: account, type: u4}, {id: kind, type: u1}]}
  chat: {seq: [{id: text, type: strz}]}
  step: {seq: [{id: dx, type: s2}, {id: dy, type: s2}]}
  shot: {seq: [{id: target, type: u4}, {id: angle, type: u2}, {id: power, type: u1}]}
enums: {ops: {0x11: login, 0x12: chat, 0x23: step, 0x34: shot}}
";
    let message = |_| match numbers.below(4) {
        0 => [vec![0x11], numbers.bytes(5)].concat(),
        1 => [vec![0x12], numbers.word(2), vec![0]].concat(),
        2 => [vec![0x23], numbers.bytes(4)].concat(),
        _ => [vec![0x34], numbers.bytes(7)].concat(),
    };
    let messages: Vec<Vec<u8>> = (0..60).map(message).collect();
    (file, stream(&messages))
}

/// Messages with a magic number and a trailer.
fn marked(numbers: &mut Numbers) -> (String, Vec<Vec<u8>>) {
    let file = meta("transport: tcp")
        + "seq: [{id: m, type: packet, repeat: eos}]
types:
  packet:
    seq:
      - {id: magic, contents: [0x4b, 0x54]}
      - {id: len, type: u2}
      - {id: number, type: u4}
      - {id: data, size: len - 8}
      - {id: trailer, type: u1, valid: 0xee}
";
    let message = |_| {
        let data = numbers.word(0);
        [&b"KT"[..], &[small(data.len()) + 8, 0], &numbers.bytes(4), &data, &[0xee]].concat()
    };
    let messages: Vec<Vec<u8>> = (0..40).map(message).collect();
    (file, stream(&messages))
}

/// Datagrams.
fn datagrams(numbers: &mut Numbers) -> (String, Vec<Vec<u8>>) {
    let file = meta("transport: udp, name: kind")
        + "seq:
  - {id: kind, type: u1, enum: kinds}
  - {id: number, type: u2}
  - id: body
    type: {switch-on: kind, cases: {'kinds::hello': hello, 'kinds::state': state}}
types:
  hello: {seq: [{id: version, type: u2}, {id: len_name, type: u1}, {id: name, type: str, size: len_name}]}
  state: {seq: [{id: num_units, type: u1}, {id: units, type: unit, repeat: expr, repeat-expr: num_units}]}
  unit: {seq: [{id: x, type: u2}, {id: y, type: u2}, {id: health, type: u1}]}
enums: {kinds: {1: hello, 2: state, 3: bye}}
";
    let message = |_| {
        let kind = u8::try_from(numbers.below(3)).unwrap() + 1;
        let body = match kind {
            1 => {
                let name = numbers.word(2);
                [vec![7, 0, small(name.len())], name].concat()
            }
            2 => {
                let units = numbers.below(4);
                [vec![u8::try_from(units).unwrap()], numbers.bytes(units * 5)].concat()
            }
            _ => Vec::new(),
        };
        [vec![kind], numbers.bytes(2), body].concat()
    };
    let packets = (0..40).map(message).map(|message| datagram((Side::Client, 5000), &message)).collect();
    (file, packets)
}

/// A protocol: its file and packets.
type Make = fn(&mut Numbers) -> (String, Vec<Vec<u8>>);

/// A protocol, a mistake in its file, and words of which the first lines must have all.
type Mistake = (Make, &'static str, &'static str, &'static [&'static str]);

const MISTAKES: &[Mistake] = &[
    (sized, "{id: y, type: u2}", "{id: y, type: u4}", &["move.y"]),
    (sized, "{id: y, type: u2}", "{id: y, type: u1}", &["`move`", "behind `speed`"]),
    (sized, "{id: len_body, type: u2}", "{id: len_body, type: u2be}", &["len_body="]),
    (sized, "repeat-expr: num_items", "repeat-expr: num_items + 1", &["`list`", "item.number"]),
    (sized, "{id: amount, type: u1}", "{id: amount, type: u2}", &["`list`", "item.amount"]),
    (sized, "flags & 1 != 0", "flags & 1 == 0", &["`pos`", "behind `lat`"]),
    (sized, "{id: lat, type: f4}", "{id: lat, type: f8}", &["pos.lat"]),
    (sized, "size: len_text}", "size: len_text - 1}", &["`say`", "channel"]),
    (sized, "'ops::say': say, 'ops::move': move", "'ops::say': move, 'ops::move': say", &["`say`"]),
    (sized, ", 'ops::pos': pos", "", &["4 (pos)"]),
    (typed, ", 'ops::step': step", "", &["no case for 35 (step)"]),
    (typed, "{id: account, type: u4}", "{id: account, type: u2}", &["size of `login`", "account, kind"]),
    (typed, "{id: dy, type: s2}", "{id: dy, type: s4}", &["size of `step`", "dx, dy"]),
    (typed, "{id: text, type: strz}", "{id: text, type: str, terminator: 0x0a}", &["`chat`", "text"]),
    (typed, "{id: angle, type: u2}, ", "", &["size of `shot`", "target, power"]),
    (typed, "{id: op, type: u1, enum: ops}", "{id: op, type: u2, enum: ops}", &["op, body"]),
    (marked, "[0x4b, 0x54]", "[0x4b, 0x55]", &["packet.magic"]),
    (marked, "size: len - 8", "size: len - 7", &["packet.trailer"]),
    (datagrams, "{id: y, type: u2}, {id: health, type: u1}", "{id: y, type: u2}", &["`state`", "behind `y`"]),
    (datagrams, "{id: version, type: u2}", "{id: version, type: u4}", &["`hello`", "hello.name"]),
    (datagrams, ", 'kinds::state': state", "", &["no case for 2 (state)"]),
];

/// Tries a file on packets.
fn tried(name: &str, file: &str, packets: &[Vec<u8>], arguments: &[&str]) -> (Run, Scratch, Scratch) {
    let file = Scratch::new(&format!("ksy_try_{name}.ksy"), file.as_bytes());
    let capture = capture(name, packets);
    let done = run(&[&["ksy", "try", file.path(), capture.path()], arguments].concat());
    (done, file, capture)
}

#[test]
fn a_mistake_is_in_the_first_three_lines() {
    for (at, (make, right, wrong, words)) in MISTAKES.iter().enumerate() {
        let (file, packets) = make(&mut Numbers(at as u64));
        let (done, ..) = tried(&format!("right{at}"), &file, &packets, &["--min", "1"]);
        assert!(done.code == 0 && done.out.contains("(100.0 %)"), "{right}: {}{}", done.out, done.err);
        assert_eq!(file.matches(right).count(), 1, "{right}");
        let (done, ..) = tried(&format!("wrong{at}"), &file.replace(right, wrong), &packets, &["--min", "1"]);
        let lines: Vec<&str> = done.out.lines().take(3).collect();
        assert_eq!(done.code, i32::from(!lines[0].contains("(100.0 %)")), "{wrong}: {}{}", done.out, done.err);
        assert!(words.iter().all(|word| lines[1..].join("\n").contains(word)), "{wrong}: {words:?} not in\n{}", lines.join("\n"));
    }
}

#[test]
fn numbers_are_those_of_other_outputs() {
    for (at, (make, right, wrong, _)) in MISTAKES.iter().enumerate().step_by(3) {
        let (file, packets) = make(&mut Numbers(at as u64));
        let name = format!("numbers{at}");
        let (done, file, capture) = tried(&name, &file.replace(right, wrong), &packets, &["--json"]);
        let tried: Value = serde_json::from_str(&done.out).unwrap();
        let k = ["-k", file.path(), capture.path()];
        let records = run(&[&["--json"][..], &k].concat()).out;
        let records: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let count = |is: &dyn Fn(&Value) -> bool| records.iter().filter(|record| is(record)).count() as u64;
        assert_eq!(tried["messages"], count(&|record| record["protocol"] == "game"), "{wrong}");
        assert_eq!(tried["outside"]["records"], count(&|record| record["protocol"] == "data"), "{wrong}");
        let end = records.last().unwrap();
        assert_eq!(tried["broken"], end["malformed"], "{wrong}");
        let stats: Value = serde_json::from_str(&run(&[&["stats", "-z", "coverage", "--json"][..], &k].concat()).out).unwrap();
        let all = &stats["coverage"];
        assert_eq!(tried["unexplained_bytes"], all["unexplained"], "{wrong}: {stats}");
        assert_eq!(tried["outside"]["bytes"], all["unframed"], "{wrong}: {stats}");
        let expert = run(&[&["stats", "-z", "expert,error", "--json"][..], &k].concat()).out;
        let expert: Value = serde_json::from_str(&expert).unwrap();
        let items = expert["expert"]["remarks"].as_array().cloned().unwrap_or_default();
        let malformed: u64 =
            items.iter().filter(|item| item["group"] == "Malformed").map(|item| item["count"].as_u64().unwrap()).sum();
        assert_eq!(tried["broken"], malformed, "{wrong}: {expert}");
    }
}
