//! Sessions of Kaitai Struct files: what one message changes for the next ones, keys, and whole directions that are enciphered.

use crate::common::sides::{each_record, segment};
use crate::common::{Folder, program, run_with};
use proptest::prelude::*;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::ksy;
use proto_dissect::record::Record;
use proto_dissect::registry::{Choices, DecodeAs, Registry, Selector};
use proto_dissect::tree::{NodeRef, Side, Transport};
use proto_dissect::wire::trial;
use proto_dissect::wire::{Protocol, Settings};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::Duration;

const PORT: u16 = 4000;

/// Numbers that a hello adds to; a request for a cipher in both directions; a farewell in clear.
const GAME: &str = "
meta:
  id: game
  endian: be
  -proto-dissect:
    name: op
    session: {base: 0, secret: key}
params: [{id: base, type: u1}, {id: secret, type: bytes}]
seq:
  - {id: op, type: u1, enum: ops, valid: {in-enum: true}}
  - {id: len_body, type: u1, valid: {max: 40}}
  - {id: body, size: len_body, type: {switch-on: op.to_i, cases: {1: hello, 2: cipher, 3: number, 4: clear}}}
types:
  hello: {seq: [{id: base, type: u1, -proto-dissect: {set: {base: base}}}]}
  cipher: {seq: [{id: salt, type: u1, -proto-dissect: {stream: {both: 'rc4(_root.secret)'}}}]}
  number:
    seq: [{id: n, type: u1}]
    instances: {sum: {value: 'n + _root.base'}}
  clear: {seq: [{id: zero, type: u1, -proto-dissect: {stream: {both: none}}}]}
enums: {ops: {1: hello, 2: cipher, 3: number, 4: clear}}
";

const SECRET: &[u8] = b"\x01\x02\x03\x04\x05";

static PROTOCOL: LazyLock<&'static Protocol> = LazyLock::new(|| protocol(GAME));

fn protocol(text: &str) -> &'static Protocol {
    let loaded = ksy::load_text(Path::new("game.ksy"), text);
    let spec = loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    ksy::protocol(&spec, spec.roots[0], None, false)
}

/// A registry with this protocol on the port, and with the value of its variable `secret`, if there is one.
fn registry(protocol: &'static Protocol, secret: Option<&str>) -> Registry {
    let selector = Selector::Ports(Transport::Tcp, PORT..=PORT);
    let decode_as = vec![DecodeAs { selector, protocol: Some(protocol) }];
    let mut settings = Settings::new();
    if let Some(secret) = secret {
        let setting = protocol.settings.iter().find(|setting| setting.name.ends_with(".secret")).unwrap();
        settings.set(setting, secret.to_owned());
    }
    Registry::default().and(Vec::leak(vec![protocol])).choosing(Choices { decode_as, settings, ..Choices::default() })
}

/// The keystream of RC4, as its inventor's description has it.
struct Rc4 {
    state: Vec<u8>,
    i: u8,
    j: u8,
}

impl Rc4 {
    fn new(key: &[u8]) -> Rc4 {
        let mut state: Vec<u8> = (0..=255).collect();
        let mut j = 0_u8;
        for i in 0..256 {
            j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
            state.swap(i, j.into());
        }
        Rc4 { state, i: 0, j: 0 }
    }

    fn apply(&mut self, bytes: &[u8]) -> Vec<u8> {
        bytes
            .iter()
            .map(|byte| {
                self.i = self.i.wrapping_add(1);
                self.j = self.j.wrapping_add(self.state[usize::from(self.i)]);
                self.state.swap(self.i.into(), self.j.into());
                let at = self.state[usize::from(self.i)].wrapping_add(self.state[usize::from(self.j)]);
                byte ^ self.state[usize::from(at)]
            })
            .collect()
    }
}

/// A conversation: what each side sends in turn, and what its messages say.
#[derive(Default)]
struct Talk {
    turns: Vec<(Side, Vec<u8>)>,
    ciphers: [Option<Rc4>; 2],
}

impl Talk {
    fn say(&mut self, side: Side, bytes: &[u8]) {
        let sent = match &mut self.ciphers[side.index()] {
            Some(cipher) => cipher.apply(bytes),
            None => bytes.to_vec(),
        };
        self.turns.push((side, sent));
    }

    fn encipher(&mut self) {
        self.ciphers = [Some(Rc4::new(SECRET)), Some(Rc4::new(SECRET))];
    }

    /// Hello, cipher, and numbers of both sides.
    fn usual() -> Talk {
        let mut talk = Talk::default();
        talk.say(Side::Client, &[1, 1, 100]);
        talk.say(Side::Server, &[3, 1, 5]);
        talk.say(Side::Client, &[2, 1, 0]);
        talk.encipher();
        for n in 0..20 {
            talk.say(Side::Server, &[3, 1, n]);
            if n == 7 {
                talk.say(Side::Client, &[1, 1, 50]);
            }
            talk.say(Side::Client, &[3, 1, n * 2]);
        }
        talk.say(Side::Client, &[4, 1, 0]);
        talk.ciphers = [None, None];
        talk.say(Side::Client, &[3, 1, 9]);
        talk.say(Side::Server, &[3, 1, 8]);
        talk
    }

    /// The packets, with each turn in segments of at most this size.
    fn packets(&self, size: usize) -> Vec<Vec<u8>> {
        let mut packets: Vec<Vec<u8>> = Side::BOTH.map(|side| segment((side, PORT), 0, &[], true)).into();
        let mut sent = [0; 2];
        for (side, bytes) in &self.turns {
            for part in bytes.chunks(size) {
                packets.push(segment((*side, PORT), sent[side.index()], part, false));
                sent[side.index()] += part.len();
            }
        }
        packets
    }
}

/// Each message: its side, its name, and its values and notes.
fn messages(registry: Registry, packets: &[Vec<u8>]) -> Vec<String> {
    let mut messages = Vec::new();
    each_record(registry, packets, |record| {
        let Record::Message(message) = record else { return };
        let (_, side) = message.ends().unwrap().stream.unwrap();
        let mut text = format!("{side} {}", message.name());
        fields(message.node().unwrap(), &mut text);
        for note in message.notes() {
            write!(text, " ! {}", note.code.abbrev).unwrap();
        }
        messages.push(text);
    });
    messages
}

fn fields(node: NodeRef<'_>, text: &mut String) {
    for child in node.children() {
        if matches!(child.field().name, "n" | "sum" | "salt" | "data") {
            write!(text, " {}=", child.field().name).unwrap();
            child.write_plain(text).unwrap();
        }
        fields(child, text);
    }
}

#[test]
fn messages_are_read_with_what_earlier_ones_set() {
    let found = messages(registry(*PROTOCOL, Some("0102030405")), &Talk::usual().packets(100));
    assert_eq!(found[..4], ["c2s hello", "s2c number n=5 sum=105", "c2s cipher salt=0", "s2c number n=0 sum=100"]);
    assert!(found.contains(&"s2c number n=8 sum=58".to_owned()), "{found:#?}");
    assert_eq!(found[found.len() - 2..], ["c2s number n=9 sum=59", "s2c number n=8 sum=58"]);
    assert_eq!(found.len(), 3 + 41 + 3);
}

#[test]
fn a_change_counts_for_the_next_message_of_the_same_segment_and_not_for_one_that_had_begun() {
    let registry = registry(*PROTOCOL, None);
    let together = |bytes: &[u8]| segment((Side::Client, PORT), 0, bytes, false);
    let start = || Side::BOTH.map(|side| segment((side, PORT), 0, &[], true)).to_vec();
    let found = messages(registry, &[start(), vec![together(&[3, 1, 1, 1, 1, 100, 3, 1, 1])]].concat());
    assert_eq!(found, ["c2s number n=1 sum=1", "c2s hello", "c2s number n=1 sum=101"]);
    // The server's number begins before the client's hello, and ends behind it.
    let server = |at, bytes: &[u8]| segment((Side::Server, PORT), at, bytes, false);
    let packets = [start(), vec![server(0, &[3, 1]), together(&[1, 1, 100]), server(2, &[7]), server(3, &[3, 1, 7])]].concat();
    assert_eq!(messages(registry, &packets), ["c2s hello", "s2c number n=7 sum=7", "s2c number n=7 sum=107"]);
}

#[test]
fn a_wrong_key_gives_one_note_and_no_message() {
    for secret in ["0102030406", "ff", "00000000000000000000000000000000"] {
        let found = messages(registry(*PROTOCOL, Some(secret)), &Talk::usual().packets(100));
        let (said, rest) = found.split_at(3);
        assert_eq!(said, ["c2s hello", "s2c number n=5 sum=105", "c2s cipher salt=0"]);
        assert_eq!(rest.iter().filter(|text| text.contains("ksy.key")).count(), 1, "{rest:#?}");
        assert!(!rest.iter().any(|text| text.contains("number") || text.contains("hello")), "{secret}: {rest:#?}");
    }
}

#[test]
fn a_missing_key_gives_one_note_with_its_line() {
    let mut engine = Engine::complete(registry(*PROTOCOL, None));
    let mut notes = Vec::new();
    for (number, bytes) in (1..).zip(&Talk::usual().packets(100)) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() });
        notes.extend(tree.notes.iter().map(|note| tree.generated_text(note.text).to_owned()));
    }
    let line = "no key secret: --keys with this line reads it: game secret HEX client=10.0.0.2:5000 server=10.0.0.1:4000";
    assert_eq!(notes, [line]);
}

#[test]
fn a_conversation_joined_midway_has_no_values_of_unknown_variables() {
    let mut packets = Talk::usual().packets(100);
    packets.drain(..3);
    let found = messages(registry(*PROTOCOL, Some("0102030405")), &packets);
    assert_eq!(found.iter().filter(|text| text.contains("ksy.unknown")).count(), 1, "{found:#?}");
    assert!(!found.iter().any(|text| text.contains("sum=")), "{found:#?}");
}

#[test]
fn bytes_compressed_as_a_whole_give_their_messages_one_by_one() {
    use flate2::{Compress, Compression, FlushCompress};
    let file = "
meta:
  id: packed
  -proto-dissect: {name: op, session: {unused: 0}}
params: [{id: unused, type: u1}]
seq: [{id: op, type: u1, enum: ops}, {id: n, type: u1, if: op.to_i != 1}, {id: end, size: 0, -proto-dissect: {stream: {client: zlib}}, if: op.to_i == 1}]
enums: {ops: {1: pack, 2: two, 3: three}}
";
    let mut compress = Compress::new(Compression::best(), true);
    let mut packed = vec![1];
    for part in [&[2, 20, 3, 30, 2, 21][..], &[3, 31]] {
        let mut out = Vec::with_capacity(100);
        compress.compress_vec(part, &mut out, FlushCompress::Sync).unwrap();
        packed.extend(out);
    }
    let registry = registry(protocol(file), None);
    for size in [1, 3, 7, 100] {
        let mut talk = Talk::default();
        talk.say(Side::Client, &packed);
        let found = messages(registry, &talk.packets(size));
        // The last block ends with bytes that produce nothing.
        let said = ["c2s pack", "c2s two n=20", "c2s three n=30", "c2s two n=21", "c2s three n=31", "c2s  data=000000ffff"];
        assert_eq!(found, said, "{size}");
    }
}

/// What the client says in messages of this file, in one segment each.
fn said(file: &str, messages_of: &[Vec<u8>]) -> Vec<String> {
    let mut talk = Talk::default();
    messages_of.iter().for_each(|bytes| talk.say(Side::Client, bytes));
    messages(registry(protocol(file), None), &talk.packets(60_000))
}

#[test]
fn a_counter_of_each_direction_wraps_and_begins_again_behind_a_gap() {
    let file = "
meta: {id: counted, -proto-dissect: {session: {sent: {init: 254, per: direction, increment: true, reset-on: gap}}}}
params: [{id: sent, type: u1}]
seq: [{id: n, type: u1}, {id: rest, size: 2}]
instances: {sum: {value: sent}}
";
    let registry = registry(protocol(file), None);
    let mut talk = Talk::default();
    for n in 0..4 {
        talk.say(Side::Client, &[n, 0, 0]);
    }
    talk.say(Side::Server, &[9, 0, 0]);
    let whole = messages(registry, &talk.packets(100));
    assert_eq!(whole, ["c2s  n=0 sum=254", "c2s  n=1 sum=255", "c2s  n=2 sum=0", "c2s  n=3 sum=1", "s2c  n=9 sum=254"]);
    let mut packets = talk.packets(100);
    packets.remove(3);
    let lost = messages(registry, &packets);
    assert!(lost.iter().any(|text| text.starts_with("c2s  n=2 sum=254")), "{lost:#?}");
}

#[test]
fn a_value_that_doubles_ends_at_the_limit() {
    let file = "
meta: {id: doubling, -proto-dissect: {session: {a: '[1]'}}}
params: [{id: a, type: bytes}]
seq: [{id: n, type: u1, -proto-dissect: {set: {a: '_root.a + _root.a'}}}]
instances: {sum: {value: a.size}}
";
    let found = said(file, &[vec![7; 40]]);
    assert_eq!(found[..3], ["c2s  n=7 sum=1", "c2s  n=7 sum=2", "c2s  n=7 sum=4"]);
    assert_eq!(found[16..18], ["c2s  n=7 sum=65536 ! ksy.unknown", "c2s  n=7"]);
    assert_eq!((found.len(), found[39].as_str()), (40, "c2s  n=7"));
}

#[test]
fn a_direction_that_decompresses_without_end_ends_at_the_limit() {
    use flate2::{Compress, Compression, FlushCompress};
    let file = "
meta: {id: bomb, -proto-dissect: {session: {unused: 0}}}
params: [{id: unused, type: u1}]
seq: [{id: n, type: u1}, {id: data, size: 65535, if: n == 0}, {id: end, size: 0, if: n == 1, -proto-dissect: {stream: {client: zlib}}}]
";
    let mut packed = Vec::with_capacity(1 << 20);
    Compress::new(Compression::best(), true).compress_vec(&vec![0; 64 << 20], &mut packed, FlushCompress::Sync).unwrap();
    let mut all = vec![vec![1]];
    all.extend(packed.chunks(1000).map(<[u8]>::to_vec));
    let found = said(file, &all);
    let read = found.iter().filter(|text| text.contains("n=0")).count();
    assert!((200..400).contains(&read), "{read}");
    assert_eq!(found.iter().filter(|text| text.contains("ksy.unknown")).count(), 1);
}

#[test]
fn a_table_has_at_most_65536_rows() {
    let folder = Folder::new("big-table");
    let file = folder.file("big.ksy");
    let text = "meta: {id: big, -proto-dissect: {session: {sizes: 'table(\"big.tsv\", 1)'}}}\nparams: [{id: sizes, type: 's4[]'}]\n\
                seq: [{id: n, type: u2be}, {id: data, size: '_root.sizes[n]'}]\n";
    std::fs::write(&file, text).unwrap();
    for (rows, wanted) in [(65_536, None), (65_537, Some("big.tsv:65537: more than 65536 rows"))] {
        let table: String = (0..rows).map(|row| format!("1\t{row}\t{}\n", row % 3)).collect();
        std::fs::write(folder.file("big.tsv"), table).unwrap();
        let loaded = ksy::load(std::slice::from_ref(&file), &[]);
        let errors: Vec<String> =
            loaded.diagnostics.iter().map(ToString::to_string).filter(|text| text.contains("error")).collect();
        match wanted {
            None => assert!(errors.is_empty(), "{errors:?}"),
            Some(wanted) => assert!(errors[0].contains(wanted), "{errors:?}"),
        }
    }
}

/// The packets as a capture of raw IP.
pub(super) fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = trial::bytes("d4c3b2a1 0200 0400 00000000 00000000 ffff0000 65000000");
    for (second, packet) in (1_u32..).zip(packets) {
        let len = u32::try_from(packet.len()).unwrap();
        bytes.extend([second, 0, len, len].iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(packet);
    }
    bytes
}

#[test]
fn a_key_that_is_written_while_the_capture_arrives_counts_from_then_on() {
    let folder = Folder::new("growing-keys");
    let (file, keys) = (folder.file("game.ksy"), folder.file("keys.txt"));
    std::fs::write(&file, GAME.replace("name: op", "transport: tcp\n    ports: [4000]\n    name: op")).unwrap();
    let packets = Talk::usual().packets(100);
    let line = "game secret 0102030405 client=10.0.0.2\n";
    let arguments = ["-k", file.to_str().unwrap(), "--keys", keys.to_str().unwrap(), "--json", "-"];
    std::fs::write(&keys, line).unwrap();
    let whole = run_with(&arguments, &capture(&packets));
    assert!(whole.out.contains("\"name\":\"game.body.sum\",\"label\":\"sum\",\"value\":58"));
    // The key is written behind the first three packets.
    std::fs::write(&keys, "").unwrap();
    let bytes = capture(&packets);
    let early = capture(&packets[..4]).len();
    let mut child = program().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&bytes[..early]).unwrap();
    input.flush().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(&keys, line).unwrap();
    input.write_all(&bytes[early..]).unwrap();
    drop(input);
    let live = child.wait_with_output().unwrap();
    assert!(String::from_utf8(live.stdout).unwrap() == whole.out, "the output differs");
}

#[test]
fn an_option_that_is_no_value_ends_the_run() {
    let capture = ["-k", "samples/ksy/minecraft.ksy", "-l", "samples/ksy/minecraft.pcap"];
    for (option, words) in [
        ("minecraft.secret=zz", "expected hex"),
        ("minecraft.secret=123", "even number"),
        ("minecraft.state=abc!", "expected an integer"),
    ] {
        let done = run_with(&[&["-o", option][..], &capture].concat(), b"");
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{option}");
        assert!(done.err.contains(words), "{option}: {}", done.err);
    }
    assert_eq!(run_with(&[&["-o", "minecraft.state=0x04"][..], &capture].concat(), b"").code, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sessions_do_not_depend_on_segments(sizes in proptest::collection::vec(1_usize..4, 1..3), key in prop_oneof![Just(None), Just(Some("0102030405"))]) {
        let registry = registry(*PROTOCOL, key);
        let talk = Talk::usual();
        let whole: Vec<String> = messages(registry, &talk.packets(100)).into_iter().filter(|text| !text.contains("data")).collect();
        for size in sizes {
            let cut: Vec<String> = messages(registry, &talk.packets(size)).into_iter().filter(|text| !text.contains("data")).collect();
            prop_assert_eq!(&cut, &whole);
        }
    }
}
