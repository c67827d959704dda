//! Time and allocations of each part: layers, reassembly, each dissector with and without fields, a filter, columns.
//!
//! `cargo bench --bench parts`. The captures are those of `samples/`, one per dissector.

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher, black_box};
use proto_dissect::engine::Engine;
use proto_dissect::filter::Filter;
use proto_dissect::flow::reassembly::{Direction, TcpSegment};
use proto_dissect::input::Capture;
use proto_dissect::layers::{self, Checks};
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Column, ColumnOptions, Columns, Values, pseudo_field};
use proto_dissect::sink::Sink;
use proto_dissect::tree::{Demand, Dissection, FrameInfo, Tree};
use std::io::{self, Cursor};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Captures by protocol.
const SAMPLES: &[(&str, &[u8])] = &[
    ("http", include_bytes!("../samples/http.pcap")),
    ("neighbours", include_bytes!("../samples/neighbours.pcap")),
    ("pipboy", include_bytes!("../samples/pipboy.pcap")),
    ("queries", include_bytes!("../samples/queries.pcap")),
    ("quic", include_bytes!("../samples/quic.pcap")),
    ("runescape", include_bytes!("../samples/runescape.pcap")),
    ("talk", include_bytes!("../samples/talk.pcap")),
    ("tls", include_bytes!("../samples/tls.pcap")),
    ("vcmp", include_bytes!("../samples/vcmp-rel006.pcap")),
    ("vscp", include_bytes!("../samples/vscp.pcap")),
    ("xfire", include_bytes!("../samples/xfire.pcap")),
];

fn main() {
    divan::main();
}

fn names() -> impl Iterator<Item = &'static str> {
    SAMPLES.iter().map(|(name, _)| *name)
}

fn sample(name: &str) -> &'static [u8] {
    SAMPLES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, bytes)| bytes)
}

/// Each frame of a capture; returns their number.
fn frames(capture: &'static [u8], mut each: impl FnMut(&proto_dissect::input::Frame<'_>)) -> u64 {
    let Ok(mut capture) = Capture::open(Box::new(Cursor::new(capture))) else { return 0 };
    let mut count = 0;
    while let Ok(Some(frame)) = capture.next_frame() {
        each(&frame);
        count += 1;
    }
    count
}

/// Dissects and prints a whole capture with this demand.
fn dissect(capture: &'static [u8], demand: Demand, mut show: impl FnMut(Dissection<'_>)) -> u64 {
    let mut engine = Engine::new(Registry::default(), demand);
    frames(capture, |frame| show(Dissection { tree: engine.dissect(frame), bytes: frame.bytes }))
}

fn bench(bencher: Bencher<'_, '_>, count: u64, mut work: impl FnMut() -> u64) {
    bencher.counter(ItemsCount::new(count)).bench_local(|| black_box(work()));
}

#[divan::bench(args = names())]
fn headers_only(bencher: Bencher<'_, '_>, name: &str) {
    let capture = sample(name);
    let mut tree = Tree::complete();
    bench(bencher, frames(capture, |_| {}), || {
        frames(capture, |frame| {
            tree.begin(FrameInfo::default());
            black_box(layers::walk(&mut tree, frame.link, frame.bytes, 0, Checks::default()));
        })
    });
}

#[divan::bench(args = names())]
fn which_messages(bencher: Bencher<'_, '_>, name: &str) {
    let capture = sample(name);
    bench(bencher, frames(capture, |_| {}), || dissect(capture, Demand::LAYERS, |of| _ = black_box(of)));
}

#[divan::bench(args = names())]
fn all_fields(bencher: Bencher<'_, '_>, name: &str) {
    let capture = sample(name);
    bench(bencher, frames(capture, |_| {}), || dissect(capture, Demand::EVERYTHING, |of| _ = black_box(of)));
}

/// Segments of one stream, exchanged in pairs.
#[divan::bench]
fn reassembly_of_swapped_segments(bencher: Bencher<'_, '_>) {
    const LEN: u32 = 1460;
    const COUNT: u32 = 1000;
    let bytes = vec![0x5a; LEN as usize];
    bencher.counter(BytesCount::new(u64::from(LEN * COUNT))).bench_local(|| {
        let mut direction = Direction::default();
        direction.expect(0);
        for number in 0..COUNT {
            let seq = (number ^ 1) * LEN;
            let frame = u64::from(number);
            let segment = TcpSegment { seq, syn: false, fin: false, bytes: &bytes, missing: 0, frame, at: 54, time: None };
            black_box(direction.accept(&segment));
            direction.consume(direction.buffered().len());
        }
        direction.buffered_off()
    });
}

#[divan::bench(args = ["ip.src == 203.0.113.254", "tcp.port == 27000", "pipboy.entry.int > 3", "frame.len > 60 and not dns"])]
fn filter(bencher: Bencher<'_, '_>, text: &str) {
    let capture = sample("pipboy");
    let Ok(filter) = Filter::parse(text, Registry::default()) else { return };
    bench(bencher, frames(capture, |_| {}), || {
        let (mut tally, mut passed) = (Tally::new(View::Messages), 0);
        dissect(capture, filter.demand().and(Demand::LAYERS), |of| {
            let _: Result<(), ()> = tally.records(of, true, |record| {
                passed += u64::from(filter.matches(&record));
                Ok(())
            });
        });
        passed
    });
}

#[divan::bench]
fn columns(bencher: Bencher<'_, '_>) {
    let capture = sample("pipboy");
    let names = ["frame.number", "frame.time_epoch", "ip.src", "ip.dst", "tcp.port", "tcp.len"];
    let values = |name| match pseudo_field(name) {
        Some(pseudo) => Values::Pseudo(pseudo),
        None => Values::Fields(Registry::default().named(name)),
    };
    let columns = || names.into_iter().map(|name| Column { name: name.into(), of: values(name) }).collect();
    bench(bencher, frames(capture, |_| {}), || {
        let mut sink = Columns::new(io::sink(), columns(), ColumnOptions::default());
        let mut tally = Tally::new(View::Packets);
        dissect(capture, sink.demand(View::Packets), |of| _ = tally.records(of, true, |record| sink.record(&record)));
        tally.frames
    });
}
