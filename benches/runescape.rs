//! RuneScape: NDJSON output of a session of 100,000 packets, compared with serde_json writing the same records from ready values,
//! and updates of players per second. `cargo bench --bench runescape`.

#[path = "../samples/make/runescape/isaac.rs"]
mod isaac;

use divan::Bencher;
use divan::counter::ItemsCount;
use isaac::Isaac;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Json, JsonOptions, Shape};
use proto_dissect::sink::Sink;
use proto_dissect::tree::{Demand, Dissection, Side};
use std::io;
use std::sync::LazyLock;

/// Packets of a session after its first tick.
const PACKETS: usize = 100_000;

/// Players in sight, and packets with news of each of them.
const PLAYERS: u16 = 200;
const UPDATES: usize = 500;

/// The client's half of the cipher seed, and the server's.
const SEEDS: [u32; 4] = [0x0271_8281, 0x0314_1592, 0x5eed_0001, 0xc0de_0317];

/// Server packets of a tick: all players walk and one talks, then chat, slots, sounds and settings.
const SERVER_TICK: &[&[u8]] = &[
    b"\x51\0\x0d\xa8\x03\x3f\xf8\x80\x01\x02\0\xfc\xe9\xbb\x03\x65",
    b"\x55\xd8\xd0",
    b"\x2c\x63\x03\0\x19\x23",
    b"\x97\xc5\x9a\x05\x51",
    b"\x24\xac\0\xff",
    b"\x57\x2c\x01\x03\xe8\0\0",
    b"\xc4\x17\0\x29\x1e\x31\x6d\x31\x71\x54\0\0\x01\x02\0\x65\xeb\x06\x4d\x10\x39\x10\xd3\x4c\xea",
    b"\x22\0\x0b\x0c\x8e\x02\x03\xe4\x01\x80\xc8\0\0\0",
];

/// Client packets of a tick: walking, talking, using things.
const CLIENT_TICK: &[&[u8]] = &[
    b"\0",
    b"\xa4\x0b\x16\x0c\x01\0\x02\x01\xff\xfe\x92\x0c\xff",
    b"\x56\0\x80\x04\x80",
    b"\x04\x08\x7f\x7e\x3a\xc9\x51\xc0\x3b\xe1",
    b"\x84\x16\x0c\x05\xfa\x0c\x12",
    b"\x91\x06\x18\0\x83\x10\xb7",
    b"\xd6\x0e\x0c\0\x85\0\x1b\0",
    b"\xb9\x09\x9a",
];

/// The map, the level and the position of the local player.
const REGION: &[u8] = b"\x49\x01\x12\x01\x92";

fn main() {
    divan::main();
}

/// The cipher of one side of a session.
struct Mouth(Isaac);

impl Mouth {
    fn encipher(&mut self, packets: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for packet in packets {
            if let Some((opcode, rest)) = packet.split_first() {
                bytes.push(opcode.wrapping_add(self.0.word().to_le_bytes()[0]));
                bytes.extend_from_slice(rest);
            }
        }
        bytes
    }
}

type Sent = Vec<(Side, Vec<u8>)>;

/// Messages of a login without RSA, and the ciphers of both sides after it.
fn login() -> (Sent, Mouth, Mouth) {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
    let block = [b"\x0a", &words(&SEEDS)[..], &words(&[0x0bad_cafe]), b"maren\nblue-heron\n"].concat();
    let head = [b"\xff\x01\x3d\0", &words(&[0x1020_3041; 9])[..]].concat();
    let count = |bytes: usize| u8::try_from(bytes).unwrap_or(u8::MAX);
    let login = [&[16, count(head.len() + 1 + block.len())][..], &head, &[count(block.len())], &block].concat();
    let sent = vec![
        (Side::Client, vec![14, 20]),
        (Side::Server, [&[0; 9][..], &words(&SEEDS[2..])].concat()),
        (Side::Client, login),
        (Side::Server, vec![2, 0, 1]),
    ];
    (sent, Mouth(Isaac::new(SEEDS)), Mouth(Isaac::new(SEEDS.map(|seed| seed.wrapping_add(50)))))
}

/// Bits, the most significant one first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u16, width: u32) {
        for bit in (0..width).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> bit & 1 == 1) << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }
}

/// A `player_info` in which this many players appear.
fn arrival(count: u16) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0, 1);
    bits.put(0, 8);
    for index in 1..=count {
        bits.put(index, 11);
        bits.put(0b01, 2);
        bits.put(index % 32, 5);
        bits.put(index / 32, 5);
    }
    bits.put(2047, 11);
    long(81, &bits.bytes)
}

/// A `player_info` in which this many players walk, play an animation and are hit.
fn walk(count: u16) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0, 1);
    bits.put(count, 8);
    for index in 0..count {
        bits.put(0b101, 3);
        bits.put(index % 8, 3);
        bits.put(1, 1);
    }
    bits.put(2047, 11);
    (0..count).for_each(|_| bits.bytes.extend(b"\x28\x26\x03\xfe\x05\x81\xf9\x0a"));
    long(81, &bits.bytes)
}

/// A packet with two bytes of length.
fn long(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).unwrap_or(u16::MAX);
    [&[opcode][..], &length.to_be_bytes(), payload].concat()
}

/// A session of ticks.
static SESSION: LazyLock<Sent> = LazyLock::new(|| {
    let (mut sent, mut client, mut server) = login();
    sent.push((Side::Server, server.encipher(&[REGION, &arrival(1)])));
    for _ in 0..PACKETS / (SERVER_TICK.len() + CLIENT_TICK.len()) {
        sent.push((Side::Server, server.encipher(SERVER_TICK)));
        sent.push((Side::Client, client.encipher(CLIENT_TICK)));
    }
    sent
});

/// A crowd in which every player acts in each tick.
static CROWD: LazyLock<Sent> = LazyLock::new(|| {
    let (mut sent, _, mut server) = login();
    sent.push((Side::Server, server.encipher(&[REGION, &arrival(PLAYERS)])));
    let walk = walk(PLAYERS);
    sent.extend((0..UPDATES).map(|_| (Side::Server, server.encipher(&[&walk]))));
    sent
});

/// Dissects both sides; `None` builds the demanded trees without output. Returns the number of messages.
fn run(sent: &Sent, demand: Demand, mut sink: Option<&mut dyn Sink>) -> usize {
    let mut engine = Engine::new(Registry::default(), demand);
    let mut tally = Tally::new(View::Messages);
    for (number, (side, bytes)) in (1..).zip(sent) {
        let frame = Frame { number, link: Link::Stream(*side), bytes, ..Frame::default() };
        let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
        let shown = tally.records(of, true, |record| sink.as_mut().map_or(Ok(()), |sink| sink.record(&record)));
        assert!(shown.is_ok());
    }
    usize::try_from(tally.messages).unwrap_or(usize::MAX)
}

fn json<W: io::Write>(out: W) -> Json<W> {
    Json::new(out, JsonOptions { shape: Shape::Lines, carriers: false, flush: false })
}

fn ndjson(sent: &Sent) -> usize {
    let mut json = json(io::sink());
    let demand = json.demand(View::Messages);
    run(sent, demand, Some(&mut json))
}

/// The records of a session, none of which may have an undissected part.
fn records(sent: &Sent) -> Vec<serde_json::Value> {
    let mut lines = Vec::new();
    let mut json = json(&mut lines);
    let demand = json.demand(View::Messages);
    run(sent, demand, Some(&mut json));
    drop(json);
    let text = String::from_utf8_lossy(&lines);
    assert!(!text.contains("rs.malformed") && !text.contains("rs.lost_step") && !text.contains("rs.odd"));
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Messages before the first tick.
const BEFORE: usize = 6;

fn session(bencher: Bencher<'_, '_>, mut run: impl FnMut() -> usize) {
    bencher.counter(ItemsCount::new(PACKETS)).bench_local(|| assert_eq!(run(), PACKETS + BEFORE));
}

fn crowd(bencher: Bencher<'_, '_>, mut run: impl FnMut() -> usize) {
    let blocks = UPDATES * usize::from(PLAYERS);
    bencher.counter(ItemsCount::new(blocks)).bench_local(|| assert_eq!(run(), UPDATES + BEFORE));
}

/// serde_json writing the same records from ready values.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn session_ready_values(bencher: Bencher<'_, '_>) {
    let records = records(&SESSION);
    session(bencher, || records.iter().filter(|record| serde_json::to_writer(io::sink(), record).is_ok()).count());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn session_ndjson(bencher: Bencher<'_, '_>) {
    session(bencher, || ndjson(&SESSION));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn session_read(bencher: Bencher<'_, '_>) {
    session(bencher, || run(&SESSION, Demand::LAYERS, None));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn updates_ready_values(bencher: Bencher<'_, '_>) {
    let records = records(&CROWD);
    crowd(bencher, || records.iter().filter(|record| serde_json::to_writer(io::sink(), record).is_ok()).count());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn updates_ndjson(bencher: Bencher<'_, '_>) {
    crowd(bencher, || ndjson(&CROWD));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn updates_with_fields(bencher: Bencher<'_, '_>) {
    crowd(bencher, || run(&CROWD, Demand::EVERYTHING, None));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn updates_without_fields(bencher: Bencher<'_, '_>) {
    crowd(bencher, || run(&CROWD, Demand::LAYERS, None));
}
