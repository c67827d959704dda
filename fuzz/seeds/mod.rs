//! First inputs of every fuzz target, made from the samples of the project.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a generator may")]

use proto_dissect::engine::Engine;
use proto_dissect::follow::{Event, Follower};
use proto_dissect::input::{Capture, Link};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Dissection, Side, StreamId};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::{fs, io::Cursor};

/// Names of all targets.
pub const TARGETS: [&str; 12] = [
    "frame",
    "stream",
    "container",
    "hex",
    "filter",
    "keys_and_tables",
    "ksy_file",
    "ksy_bytes",
    "ksy_session",
    "explore",
    "notes",
    "html",
];

/// Largest frame or turn that becomes a seed.
const LARGE: usize = 2047;
/// Seeds of one sample.
const EACH: usize = 40;

/// Filters of every kind of operator and literal.
const FILTERS: [&str; 16] = [
    "tcp.port == 80 && !(ip.ttl < 64)",
    "dns.qry.name contains \"example\" or http.host matches \"(?i)ex.*\"",
    "pipboy.type == \"data_update\" and message.number > 3",
    "ip.addr in {10.0.0.0/8, 192.168.0.1..192.168.0.9} || ipv6.src == 2001:db8::/32",
    "eth.src[0:3] == 00:11:22 and frame.len >= 0x40",
    "len(udp.payload) > 4 and count(ip.addr) == 2",
    "any tcp.port == 80 xor all udp.port != 53",
    "lower(http.user_agent) == \"curl\" and tcp.flags & 0x02",
    "frame.time > \"2015-11-24 21:20:02\"",
    "tcp.payload contains 47:45:54 and frame.time_relative < 1.5",
    "vcmp.type == -1 or xfire.type eq 0200",
    "not (message.dir == \"c2s\") and stream == \"tcp/0\"",
    "http.request.method in {\"GET\", \"POST\"}",
    "ip.src == ip.dst or tcp.srcport != tcp.dstport",
    "data.data[-2:] == 0d:0a",
    "tls.handshake.type == 1 && tls.handshake.extensions_server_name",
];

/// Keys, tables and key logs.
const KEYS: [&str; 6] = [
    "CLIENT_RANDOM 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f\n",
    "SERVER_TRAFFIC_SECRET_0 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n",
    "1,2,3,4\n# comment\n-1,0x7fffffff,5,6\n",
    "# comment\ngame secret 0f1571c9 client=192.0.2.1:1 server=192.0.2.2\ngame iv - stream=tcp/0 # other\n",
    "game secret \"a \\x41\\u{e9}\\\"\" from=2023-11-14T22:13:20.5Z\nxfire password base64:AQID server=[2001:db8::1]:25999 until=1700000001.5",
    "side\topcode\tname\tsize\tfields\nserver\t1\tTEST\t3\ta:u8,b:u16\n",
];

/// Notes files, right and wrong.
const NOTES: [&str; 4] = [
    "[[record]]\nmessage = 23\nframe = 61\nnote = \"the health \\\"value\\\" \\n second line\"\n",
    "[[record]]\nframe = 7\nbookmark = true\n\n[[record]]\nframe = 7\nnote = '\u{1b}[31m'\n",
    "record = [{ message = 1, note = \"a\" }, { message = 0x10, bookmark = false }]\n",
    "[[record]]\nmessage = 0\n[other]\nframe = -1\n",
];

/// The seeds of a target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    match target {
        "frame" => samples(|path| frames(&path)),
        "stream" => samples(|path| streams(&path)),
        "container" => samples(|path| vec![fs::read(path).unwrap()])
            .into_iter()
            .map(|mut file| {
                file.truncate(16_384);
                file
            })
            .collect(),
        "hex" => texts(),
        "filter" => FILTERS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        "keys_and_tables" => {
            (0..16).flat_map(|which| KEYS.iter().map(move |text| [&[which], text.as_bytes()].concat())).collect()
        }
        "ksy_file" => paths("ksy", "ksy").into_iter().map(|path| fs::read(path).unwrap()).collect(),
        "ksy_bytes" => {
            let streams = samples(|path| streams(&path));
            (0..12_u8).flat_map(|which| streams.iter().map(move |seed| [&[which], &seed[2..]].concat())).collect()
        }
        "ksy_session" => {
            let streams: Vec<Vec<u8>> = paths("ksy", "pcap").iter().flat_map(streams).collect();
            (0..32_u8).flat_map(|which| streams.iter().map(move |seed| [&[which], &seed[2..]].concat())).collect()
        }
        "explore" => samples(|path| streams(&path)).into_iter().map(|seed| seed[2..].to_vec()).collect(),
        "notes" => NOTES.iter().map(|text| text.as_bytes().to_vec()).collect(),
        "html" => of("frame"),
        _ => panic!("there is no target {target}"),
    }
}

/// Sample files of a folder below the samples with this ending.
fn paths(folder: &str, ending: &str) -> Vec<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = here.ancestors().map(|home| home.join("samples").join(folder)).find(|folder| folder.is_dir()).unwrap();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|own| own == ending));
    paths.sort();
    paths
}

/// Where the samples are, from the project or from its `fuzz` folder.
fn samples(each: impl Fn(PathBuf) -> Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = here.ancestors().map(|folder| folder.join("samples")).find(|folder| folder.is_dir()).unwrap();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().filter(|path| path.is_file() && path.extension().is_some_and(|name| name != "md")).flat_map(each).collect()
}

/// Frames of a capture, spread over it, as the target `frame` reads them.
fn frames(path: &PathBuf) -> Vec<Vec<u8>> {
    let Ok(mut capture) = Capture::open(Box::new(fs::File::open(path).unwrap())) else { return Vec::new() };
    let mut seeds = Vec::new();
    while let Ok(Some(frame)) = capture.next_frame() {
        let (link, flags) = match frame.link {
            Link::Type(number) => (number, 0),
            Link::Unknown => (0, 2),
            Link::Stream(side) => (0, if side == Side::Client { 3 } else { 7 }),
        };
        if frame.bytes.len() <= LARGE {
            let len = u16::try_from(frame.bytes.len()).unwrap();
            seeds.push([&link.to_le_bytes()[..], &[flags], &len.to_le_bytes(), frame.bytes].concat());
        }
    }
    let step = seeds.len() / EACH + 1;
    seeds.into_iter().step_by(step).collect()
}

/// Conversations of a capture, as the target `stream` reads them: each with no protocol forced, and with its own.
fn streams(path: &PathBuf) -> Vec<Vec<u8>> {
    let Ok(mut capture) = Capture::open(Box::new(fs::File::open(path).unwrap())) else { return Vec::new() };
    let mut engine = Engine::complete(Registry::default());
    let mut follower = Follower::new(None);
    let mut turns: BTreeMap<String, Vec<(Side, Vec<u8>)>> = BTreeMap::new();
    let mut owners: BTreeMap<String, &'static str> = BTreeMap::new();
    while let Ok(Some(frame)) = capture.next_frame() {
        let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
        for layer in of.tree.layers.iter().filter(|layer| layer.message) {
            let stream: Option<(StreamId, Side)> = of.tree.ends.get(layer.ends as usize).and_then(|ends| ends.stream);
            if let (Some((stream, _)), Some(node)) = (stream, of.layer_node(layer)) {
                owners.entry(stream.to_string()).or_insert(node.field().abbrev);
            }
        }
        let Ok(()) = follower.collect(of, true, |event| {
            if let Event::Payload(words) = event {
                turns.entry(words.stream.to_string()).or_default().push((words.side, words.bytes.to_vec()));
            }
            Ok::<(), Infallible>(())
        });
    }
    let protocols: Vec<&str> =
        Registry::default().applications().filter(|protocol| protocol.is_stream()).map(|protocol| protocol.this.abbrev).collect();
    let seed = |(stream, turns): (&String, &Vec<(Side, Vec<u8>)>)| {
        let place = protocols.iter().position(|name| owners.get(stream) == Some(name)).map_or(0, |place| place + 1);
        let mut seed = vec![u8::try_from(place).unwrap(), 0, 0];
        for (side, bytes) in turns.iter().take(12) {
            let len = bytes.len().min(LARGE);
            seed.push(if *side == Side::Client { 16 } else { 17 });
            seed.extend(u16::try_from(len).unwrap().to_le_bytes());
            seed.extend(&bytes[..len]);
        }
        seed
    };
    turns.iter().filter(|(stream, _)| stream.starts_with("tcp")).take(EACH).map(seed).collect()
}

/// The first frame of some samples in several dialects, and the text samples.
fn texts() -> Vec<Vec<u8>> {
    let mut seeds = samples(|path| {
        let bytes = fs::read(&path).unwrap();
        let is_text = path.extension().is_some_and(|name| name == "txt" || name == "hex");
        if is_text {
            return vec![bytes.into_iter().take(2000).collect()];
        }
        let Ok(mut capture) = Capture::open(Box::new(Cursor::new(bytes))) else { return Vec::new() };
        let Ok(Some(frame)) = capture.next_frame() else { return Vec::new() };
        dialects(&frame.bytes[..frame.bytes.len().min(100)])
    });
    seeds.dedup();
    seeds
}

fn dialects(bytes: &[u8]) -> Vec<Vec<u8>> {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let dump: String =
        pairs.chunks(16).enumerate().map(|(row, pairs)| format!("{:04x}  {}  ........\n", row * 16, pairs.join(" "))).collect();
    let escaped: String = pairs.iter().map(|pair| format!("\\x{pair}")).collect();
    let array = format!("{{ 0x{} }};\n", pairs.join(", 0x"));
    [pairs.concat(), pairs.join(" "), pairs.join(":"), dump, escaped, array].map(String::into_bytes).into()
}
