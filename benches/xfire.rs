//! Xfire: NDJSON and list output of a friend list of 1,000 rows, and small messages per second. `cargo bench --bench xfire`.

use divan::Bencher;
use divan::counter::ItemsCount;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Json, JsonOptions, List, ListOptions, Shape, Theme, TimeForm};
use proto_dissect::sink::Sink;
use proto_dissect::tree::{Demand, Dissection, Side};
use std::io;
use std::sync::LazyLock;

const FRIENDS: u32 = 1_000;
const MESSAGES: usize = 1_000_000;

/// Bytes of a segment of small messages.
const SEGMENT: usize = 1 << 16;

fn main() {
    divan::main();
}

fn message(kind: u16, count: u8, attributes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(attributes.len() + 5).unwrap_or(u16::MAX);
    [&length.to_le_bytes()[..], &kind.to_le_bytes(), &[count], attributes].concat()
}

/// An attribute with a name and a list of this many values.
fn list_of(name: &str, kind: u8, count: u32, value: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    let mut out = vec![u8::try_from(name.len()).unwrap_or(u8::MAX)];
    out.extend_from_slice(name.as_bytes());
    out.extend([4, kind]);
    out.extend(u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes());
    (0..count).for_each(|number| out.extend(value(number)));
    out
}

fn text(words: &str) -> Vec<u8> {
    let length = u16::try_from(words.len()).unwrap_or(u16::MAX);
    [&length.to_le_bytes()[..], words.as_bytes()].concat()
}

fn salt() -> Vec<u8> {
    message(128, 1, &[b"\x04salt\x01".to_vec(), text("6bdc1f0a2c9e4d37b185e2f07a4c9d31")].concat())
}

/// A server's first response, and all friends of a user with many.
static FRIEND_LIST: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let names = list_of("friends", 1, FRIENDS, |number| text(&format!("player{number:04}")));
    let nicks = list_of("nick", 1, FRIENDS, |number| text(&format!("The Great {number}")));
    let ids = list_of("userid", 2, FRIENDS, |number| (40_000 + number).to_le_bytes().to_vec());
    [salt(), message(131, 3, &[names, nicks, ids].concat())].concat()
});

/// Small messages as sent by servers, in segments that end with a message.
static SMALL: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let sid = |number: usize| [&b"\x03sid\x03"[..], &(number as u128 % 500).to_le_bytes()].concat();
    let mut segments = vec![salt()];
    for number in 1..MESSAGES {
        let message = match number % 4 {
            0 => message(144, 1, b"\x05value\x02\0\0\0\0"),
            1 => message(161, 2, &[b"\x01\x02\x39\x30\0\0\x0d\x01".to_vec(), text("Nick")].concat()),
            2 => message(139, 1, b"\x06userid\x02\x39\x30\0\0"),
            _ => {
                let inner = b"\x07peermsg\x05\x03\x07msgtype\x02\0\0\0\0\x07imindex\x02\x04\0\0\0\x02im\x01\x05\0dude!";
                message(133, 2, &[sid(number), inner.to_vec()].concat())
            }
        };
        match segments.last_mut().filter(|segment| segment.len() + message.len() <= SEGMENT) {
            Some(segment) => segment.extend(message),
            None => segments.push(message),
        }
    }
    segments
});

/// Dissects server messages; `None` only counts. Returns the number of messages.
fn run(segments: &[Vec<u8>], sink: Option<&mut dyn Sink>) -> u64 {
    let mut sink = sink;
    let mut engine = Engine::new(Registry::default(), sink.as_ref().map_or(Demand::LAYERS, |sink| sink.demand(View::Messages)));
    let mut tally = Tally::new(View::Messages);
    for (number, bytes) in (1..).zip(segments) {
        let frame = Frame { number, link: Link::Stream(Side::Server), bytes, ..Frame::default() };
        let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
        let shown = tally.records(of, true, |record| sink.as_mut().map_or(Ok(()), |sink| sink.record(&record)));
        assert!(shown.is_ok());
    }
    tally.messages
}

fn json() -> Json<io::Sink> {
    Json::new(io::sink(), JsonOptions { shape: Shape::Lines, carriers: false, flush: false })
}

fn list() -> List<io::Sink> {
    List::new(
        io::sink(),
        ListOptions {
            theme: Theme::plain(),
            time: TimeForm::default(),
            file_names: false,
            width: None,
            whole: false,
            flush: false,
            hex: false,
            secrets: false,
        },
    )
}

/// serde_json writing the same records from ready values.
#[divan::bench]
fn friends_ready_values(bencher: Bencher<'_, '_>) {
    let mut lines = Vec::new();
    let options = JsonOptions { shape: Shape::Lines, carriers: false, flush: false };
    run(std::slice::from_ref(&FRIEND_LIST), Some(&mut Json::new(&mut lines, options)));
    let records: Vec<serde_json::Value> =
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    assert_eq!(records.len(), 2);
    let mut out = Vec::with_capacity(lines.len());
    bencher.counter(ItemsCount::new(FRIENDS)).bench_local(|| {
        out.clear();
        records.iter().all(|record| serde_json::to_writer(&mut out, record).is_ok())
    });
}

#[divan::bench]
fn friends_ndjson(bencher: Bencher<'_, '_>) {
    let segments = std::slice::from_ref(&*FRIEND_LIST);
    bencher.counter(ItemsCount::new(FRIENDS)).bench_local(|| run(segments, Some(&mut json())));
}

#[divan::bench]
fn friends_list(bencher: Bencher<'_, '_>) {
    let segments = std::slice::from_ref(&*FRIEND_LIST);
    bencher.counter(ItemsCount::new(FRIENDS)).bench_local(|| run(segments, Some(&mut list())));
}

fn small(bencher: Bencher<'_, '_>, mut run: impl FnMut() -> u64) {
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| assert_eq!(run(), MESSAGES as u64));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn million_small_read(bencher: Bencher<'_, '_>) {
    small(bencher, || run(&SMALL, None));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn million_small_list(bencher: Bencher<'_, '_>) {
    small(bencher, || run(&SMALL, Some(&mut list())));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn million_small_ndjson(bencher: Bencher<'_, '_>) {
    small(bencher, || run(&SMALL, Some(&mut json())));
}
