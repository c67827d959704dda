//! Each limit is effective: with a small value, the output of some capture changes.

use crate::common::{Hash, assert_golden_cases, own_cases, run, run_with};
use proto_dissect::limits;
use std::fs;
use std::path::Path;

/// Bytes of one side of a connection, or a datagram; the first side opens it.
type Payload = (Side, &'static [u8]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}
use Side::{Client as C, Server as S};

/// The demonstration that a limit applies.
enum Shows {
    /// A sample, printed with these arguments.
    Sample(&'static str, &'static [&'static str]),
    /// A TCP connection to this port, one segment each.
    Stream(u16, &'static [Payload]),
    /// Datagrams to and from this port.
    Datagrams(u16, &'static [Payload]),
}
use Shows::{Datagrams, Sample, Stream};

const JSON: &[&str] = &["--json"];

/// RakNet has no registered port.
const RAKNET: &[&str] = &["-d", "udp.port==19132,raknet"];

/// A limit, a small value, and its demonstration.
const EFFECTS: &[(&str, &str, Shows)] = &[
    ("tree.nodes", "1", Sample("http.pcap", JSON)),
    ("tree.notes", "1", Sample("pipboy-damaged.pcap", JSON)),
    ("tree.messages", "1", Sample("http.pcap", JSON)),
    ("tree.text", "1", Sample("http.pcap", JSON)),
    ("tree.note_text", "1", Sample("pipboy-damaged.pcap", JSON)),
    ("tree.derived", "1", Sample("http.pcap", JSON)),
    ("datagrams.memory", "1", Sample("pipboy.pcap", JSON)),
    ("text.line", "1", Stream(110, &[(S, b"+OK POP3\r\n"), (C, b"US"), (C, b"ER a\r\n")])),
    ("fragments.memory", "1", Sample("layers.pcap", JSON)),
    ("fragments.parts", "1", Sample("layers.pcap", JSON)),
    ("pipboy.values", "1", Sample("pipboy-damaged.pcap", JSON)),
    ("pipboy.text", "1", Sample("pipboy-damaged.pcap", JSON)),
    ("pipboy.name", "1", Sample("pipboy-damaged.pcap", JSON)),
    ("stream.message", "1", Sample("http.pcap", JSON)),
    ("stream.opening", "1", Sample("pipboy-damaged.pcap", JSON)),
    ("stream.parked", "1", Sample("vscp-damaged.pcap", JSON)),
    ("stream.parked_segments", "1", Sample("vscp-damaged.pcap", JSON)),
    ("conversations", "1", Sample("http.pcap", JSON)),
    ("streams.memory", "1", Sample("http.pcap", JSON)),
    ("announced", "1", Sample("xfire.pcap", JSON)),
    ("messages.depth", "1", Sample("queries.pcap", JSON)),
    ("frame.layers", "1", Sample("layers.pcap", JSON)),
    ("secrets", "1", Sample("tls-keys.pcapng", JSON)),
    ("tree.handed", "1", Sample("tls-keys.pcapng", JSON)),
    ("stats.conversations", "1", Sample("http.pcap", &["stats", "--json"])),
    ("stats.expert", "1", Sample("http.pcap", &["stats", "--json", "-z", "expert"])),
    ("stats.expert_text", "8", Sample("http.pcap", &["stats", "--json", "-z", "expert"])),
    ("stats.topics", "3", Sample("http.pcap", &["stats", "--json", "-z", "http_req,tree"])),
    ("stats.rows", "1", Sample("http.pcap", &["stats", "-z", "flow,tcp,network"])),
    ("stats.hosts", "1", Sample("talk.pcap", &["stats", "--json", "-z", "hosts"])),
    ("stats.rtp", "1", Sample("neighbours.pcap", &["stats", "--json", "-z", "rtp,streams"])),
    ("html.records", "1", Sample("http.pcap", &["-T", "html"])),
    ("html.page", "20k", Sample("http.pcap", &["-T", "html"])),
    ("rs.positions", "1", Sample("runescape-osrs-239.bin", &["objects"])),
    ("rs.chat", "1", Sample("runescape-osrs-239.bin", &["objects"])),
    ("follow.conversations", "1", Sample("http.pcap", &["follow"])),
    ("json.bytes", "1", Sample("http.pcap", JSON)),
    ("json.values", "1", Sample("http.pcap", JSON)),
    ("http.head", "1", Sample("tls-keys.pcapng", JSON)),
    ("http.body", "1", Sample("http.pcap", JSON)),
    ("http.chunks", "1", Sample("http.pcap", JSON)),
    ("http2.headers", "20", Sample("http2.pcap", JSON)),
    ("http2.table", "1", Sample("http2.pcap", JSON)),
    ("http2.streams", "1", Sample("http2.pcap", JSON)),
    ("http2.kept", "1", Sample("http2.pcap", JSON)),
    ("websocket.message", "1", Sample("http.pcap", JSON)),
    ("websocket.kept", "1", Sample("http.pcap", JSON)),
    ("mqtt.message", "1", Sample("neighbours.pcap", JSON)),
    ("tftp.file", "1", Sample("talk.pcap", JSON)),
    ("dns.pointers", "1", Sample("talk.pcap", JSON)),
    ("dns.name", "1", Sample("talk.pcap", JSON)),
    ("raknet.memory", "1", Sample("vcmp-0471.pcap", JSON)),
    ("parts.memory", "1", Sample("games.pcap", JSON)),
    ("xfire.rows", "1", Sample("xfire-packets.pcap", JSON)),
    ("xfire.files", "1", Sample("xfire-packets.pcap", &["objects"])),
    ("quic.handshake", "1", Sample("quic.pcap", JSON)),
    ("quic.streams", "1", Sample("quic-keys.pcapng", JSON)),
    ("quic.kept", "1", Sample("quic-keys.pcapng", JSON)),
    ("http3.frame", "1", Sample("quic-keys.pcapng", JSON)),
    ("http3.table", "1", Sample("quic-keys.pcapng", JSON)),
    ("http3.blocked", "1", Sample("quic-keys.pcapng", JSON)),
    ("librpc.nested", "1", Sample("vcmp-0471.pcap", JSON)),
    ("smtp.line", "12", Stream(25, &[(S, b"220 a\r\n"), (C, b"EHLO aaaaaaaaaaaaaaaaaaaaaaaa"), (C, b"b\r\n")])),
    (
        "smtp.mail",
        "12",
        Stream(
            25,
            &[
                (S, b"220 a\r\n"),
                (C, b"EHLO a\r\n"),
                (S, b"250 a\r\n"),
                (C, b"DATA\r\n"),
                (S, b"354 a\r\n"),
                (C, b"Subject: a\r\n\r\naaaaaaaaaaaaaaaa\r\n"),
                (C, b"bbbbbbbbbbbbbbbbbb\r\n.\r\n"),
            ],
        ),
    ),
    ("ftp.line", "12", Stream(21, &[(S, b"220 a\r\n"), (C, b"USER aaaaaaaaaaaaaaaaaaaaaaaa"), (C, b"b\r\n")])),
    ("irc.line", "12", Stream(6667, &[(C, b"NICK a\r\nUSER a b c d\r\n"), (C, b"PRIVMSG a :aaaaaaaaaaaaaaaa"), (C, b"b\r\n")])),
    ("sip.head", "30", Stream(5060, &[(C, b"OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP a"), (C, b"b\r\n\r\n")])),
    ("sip.message", "30", Stream(5060, &[(C, b"OPTIONS sip:a@b SIP/2.0\r\nContent-Length: 10\r\n\r\n01234"), (C, b"56789")])),
    (
        "tls.handshake",
        "20",
        Stream(443, &[(C, b"\x16\x03\x01\0\x0a\x01\0\0\x64\x03\x03aaaa"), (C, b"\x16\x03\x01\0\x0aaaaaaaaaaa")]),
    ),
    (
        "requests",
        "1",
        Datagrams(
            53,
            &[
                (C, b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01"),
                (C, b"\0\x02\x01\0\0\x01\0\0\0\0\0\0\x01b\0\0\x01\0\x01"),
                (S, b"\0\x01\x81\x80\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01"),
            ],
        ),
    ),
    (
        "parts.messages",
        "1",
        Datagrams(
            27015,
            &[
                (C, b"\xff\xff\xff\xffTSource Engine Query\0"),
                (S, b"\xfe\xff\xff\xff\x07\0\0\0\x02\x01\xe0\x04abc"),
                (S, b"\xfe\xff\xff\xff\x08\0\0\0\x02\x01\xe0\x04abc"),
            ],
        ),
    ),
    (
        "raknet.messages",
        "1",
        Datagrams(
            19132,
            &[
                (C, b"\x84\0\0\0\x50\0\x20\0\0\0\0\0\0\x02\0\x01\0\0\0\0\xfeabc"),
                (C, b"\x84\x01\0\0\x50\0\x20\x01\0\0\0\0\0\x02\0\x02\0\0\0\0\xfeabc"),
            ],
        ),
    ),
];

fn be(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap().to_be_bytes()
}

/// A capture of raw IP packets.
fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut file: Vec<u8> =
        [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 1 << 18, 101].iter().flat_map(|word| word.to_le_bytes()).collect();
    for (second, packet) in (0_u32..).zip(packets) {
        let length = u32::try_from(packet.len()).unwrap();
        file.extend([second, 0, length, length].iter().flat_map(|word| word.to_le_bytes()));
        file.extend(packet);
    }
    file
}

fn ip(protocol: u8, side: Side, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend(be(20 + payload.len()));
    packet.extend([0, 1, 0x40, 0, 64, protocol, 0, 0]);
    let ends = [[10, 0, 0, 1], [10, 0, 0, 2]];
    packet.extend(if side == C { ends.concat() } else { [ends[1], ends[0]].concat() });
    packet.extend(payload);
    packet
}

fn ports(side: Side, port: u16) -> Vec<u8> {
    let ports = [40_000, port];
    if side == C { ports.map(u16::to_be_bytes).concat() } else { [ports[1], ports[0]].map(u16::to_be_bytes).concat() }
}

fn segment(side: Side, port: u16, seq: [u32; 2], flags: u8, payload: &[u8]) -> Vec<u8> {
    let [own, other] = if side == C { seq } else { [seq[1], seq[0]] };
    let mut segment = ports(side, port);
    segment.extend(own.to_be_bytes());
    segment.extend(other.to_be_bytes());
    segment.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    segment.extend(payload);
    ip(6, side, &segment)
}

/// A connection, opened and not closed.
fn stream<'a>(port: u16, payloads: impl IntoIterator<Item = (Side, &'a [u8])>) -> Vec<u8> {
    let mut packets = vec![segment(C, port, [99, 0], 2, &[]), segment(S, port, [100, 499], 0x12, &[])];
    let mut seq = [100, 500];
    for (side, bytes) in payloads {
        for part in bytes.chunks(1400) {
            packets.push(segment(side, port, seq, 0x18, part));
            *seq.get_mut(usize::from(side == S)).unwrap() += u32::try_from(part.len()).unwrap();
        }
    }
    capture(&packets)
}

fn datagrams(port: u16, payloads: &[Payload]) -> Vec<u8> {
    let packets = payloads.iter().map(|(side, bytes)| {
        let mut datagram = ports(*side, port);
        datagram.extend(be(8 + bytes.len()));
        datagram.extend([0, 0]);
        datagram.extend(*bytes);
        ip(17, *side, &datagram)
    });
    capture(&packets.collect::<Vec<_>>())
}

fn shown(shows: &Shows, more: &[&str]) -> String {
    let done = match shows {
        Sample(name, arguments) => run(&[*arguments, more, &[&format!("samples/{name}")]].concat()),
        Stream(port, payloads) => run_with(&[JSON, more].concat(), &stream(*port, payloads.iter().copied())),
        Datagrams(port, payloads) => run_with(&[JSON, RAKNET, more].concat(), &datagrams(*port, payloads)),
    };
    done.out + &done.err
}

#[test]
fn each_limit_changes_what_is_shown() {
    let mut rows = Vec::new();
    for (name, value, shows) in own_cases(EFFECTS, 0, 6) {
        let limit = format!("{name}={value}");
        let limited = shown(shows, &["--limit", &limit]);
        assert_ne!(limited, shown(shows, &[]), "{limit}");
        assert!(!limited.contains("dissect.bug"), "{limit}: {limited}");
        rows.push(format!("{limit} {} {:016x}\n", limited.lines().count(), Hash::of(&limited).0));
    }
    assert_golden_cases("digests-limits.txt", "limit lines digest\n", &rows);
}

/// Tests are named in the list of limits, and these names must exist.
#[test]
fn each_limit_has_a_test() {
    let mut folders =
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")];
    let mut sources = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources += &fs::read_to_string(path).unwrap();
            }
        }
    }
    for limit in limits::ALL {
        assert!(sources.contains(&format!("fn {}()", limit.test)), "{}: no test is called {}", limit.name, limit.test);
        let is_listed = EFFECTS.iter().any(|(name, ..)| *name == limit.name);
        assert!(limit.test != "each_limit_changes_what_is_shown" || is_listed, "{}: nothing shows it", limit.name);
    }
}

/// A dict of the Pip-Boy with one member.
fn dict(id: u32, member: u32, name: &[u8]) -> Vec<u8> {
    [&[8][..], &id.to_le_bytes(), &[1, 0], &member.to_le_bytes(), name, &[0, 0, 0]].concat()
}

fn update(entries: &[u8]) -> Vec<u8> {
    [&u32::try_from(entries.len()).unwrap().to_le_bytes()[..], &[3], entries].concat()
}

/// A value below sixty levels of long names, and then this many changes of it.
fn deep(changes: usize) -> Vec<u8> {
    const LEVELS: u32 = 60;
    let leaf = |value: u8| [&[0][..], &LEVELS.to_le_bytes(), &[value]].concat();
    let mut entries = leaf(1);
    (0..LEVELS).rev().for_each(|level| entries.extend(dict(level, level + 1, &[b'N'; 3000])));
    let (first, second) = (update(&entries), update(&[leaf(0), leaf(1)].concat().repeat(changes / 2)));
    let greeting = b"\x22\0\0\0\x01{\"lang\":\"en\",\"version\":\"1.1.30.0\"}";
    stream(27000, [(S, &greeting[..]), (C, &b"\0\0\0\0\0"[..]), (S, &first[..]), (S, &second[..])])
}

#[test]
fn text_past_the_limit_of_a_tree_is_left_out_and_noted() {
    let shown = run_with(JSON, &deep(2000)).out;
    assert!(shown.contains("dissect.text_full"));
    assert!(shown.len() < 20 << 20, "{} bytes", shown.len());
}

#[test]
fn a_long_name_is_cut_in_paths_and_noted() {
    let shown = run_with(&["--json", "-Y", "pipboy.type == 3"], &deep(2)).out;
    let name = format!("\"{0}….{0}…", "N".repeat(256));
    assert!(shown.contains(&name), "paths do not begin with {name}");
    assert!(shown.contains("has a longer name than paths show"));
}

#[test]
fn announced_conversations_past_the_limit_are_noted() {
    // A conversation over UDP, connection IDs, and a conversation over TCP.
    for sample in ["xfire.pcap", "quic.pcap", "talk.pcap"] {
        let shown = |more: &[&str]| shown(&Sample(sample, JSON), more);
        let words = "\"dissect.evicted\"";
        assert!(!shown(&[]).contains(words) && shown(&["--limit", "announced=1"]).contains(words), "{sample}");
    }
}

#[test]
fn states_of_datagrams_past_the_limit_are_forgotten_and_counted() {
    const PARTS: &[Payload] = &[(C, b"\x84\0\0\0\x50\0\x20\0\0\0\0\0\0\x02\0\x01\0\0\0\0\xfeabc")];
    let capture = datagrams(19132, PARTS);
    let default = run_with(&[JSON, RAKNET].concat(), &capture).out;
    let limited = run_with(&[JSON, RAKNET, &["--limit", "datagrams.memory=100"]].concat(), &capture).out;
    assert!(!default.contains("forgotten_states") && limited.contains("\"forgotten_states\":1"), "{limited}");
    // The part is shown in either case: when it is evicted, or at the end of the capture.
    for shown in [default, limited] {
        assert_eq!(shown.matches("\"name\":\"unfinished\"").count(), 1, "{shown}");
    }
}

/// An opened WebSocket connection, with independent compression of each message.
const UPGRADE: &[Payload] = &[
    (
        C,
        b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ),
    (
        S,
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
          Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n\
          Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
    ),
];

fn websocket(frames: &[u8]) -> Vec<u8> {
    stream(80, UPGRADE.iter().map(|(side, bytes)| (*side, *bytes)).chain([(S, frames)]))
}

#[test]
fn messages_of_websocket_share_the_allowance_of_decompression() {
    let mut encoder = flate2::Compress::new(flate2::Compression::best(), false);
    let mut packed = Vec::with_capacity(1000);
    encoder.compress_vec(&[b'a'; 10_000], &mut packed, flate2::FlushCompress::Sync).unwrap();
    // RFC 7692 omits the last four bytes of a flush.
    packed.truncate(packed.len() - 4);
    let mut frame = vec![0xc1, u8::try_from(packed.len()).unwrap()];
    frame.extend(packed);
    let capture = websocket(&frame.repeat(2));
    let limits = ["--json", "--limit", "decompressed.always=12k", "--limit", "decompressed.ratio=1"];
    for (arguments, texts) in [(&limits[..1], 2), (&limits[..], 1)] {
        let shown = run_with(arguments, &capture).out;
        assert_eq!(shown.matches(&"a".repeat(10_000)).count(), texts, "{arguments:?}");
        assert_eq!(shown.matches("\"websocket.decompression_limit\"").count(), 2 - texts, "{arguments:?}");
    }
}

#[test]
fn websocket_fragments_have_memory_overhead() {
    let frames = [b"\x01\x01a", &b"\0\x01a".repeat(100)[..], b"\x80\x01a"].concat();
    let shown = |limit| run_with(&["--json", "--limit", limit], &websocket(&frames)).out;
    assert!(shown("websocket.kept=16k").contains(&"a".repeat(102)));
    let few = shown("websocket.kept=4k");
    assert!(few.contains("\"websocket.not_joined\"") && !few.contains(&"a".repeat(102)), "{few}");
}
