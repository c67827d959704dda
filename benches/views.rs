//! Frames per second from a capture in memory to the output: `cargo bench`.
//!
//! The capture is the Pip-Boy session of `samples/`, in which a tenth of the frames contain messages of hundreds of fields.

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use proto_dissect::engine::Engine;
use proto_dissect::input::Capture;
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Json, JsonOptions, List, ListOptions, Shape, Table, TableOptions, Theme, TimeForm};
use proto_dissect::sink::Sink;
use proto_dissect::tree::{Demand, Dissection};
use std::io::{self, Cursor};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

static SESSION: &[u8] = include_bytes!("../samples/pipboy.pcap");
const FRAMES: u64 = 210;

fn main() {
    divan::main();
}

/// Reads and dissects everything; `None` only counts.
fn run(sink: Option<&mut dyn Sink>, view: View) -> u64 {
    let Ok(mut capture) = Capture::open(Box::new(Cursor::new(SESSION))) else { return 0 };
    let mut tally = Tally::new(view);
    let mut sink = sink;
    let mut engine = Engine::new(Registry::default(), sink.as_ref().map_or(Demand::LAYERS, |sink| sink.demand(view)));
    while let Ok(Some(frame)) = capture.next_frame() {
        let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
        let shown = tally.records(of, true, |record| sink.as_mut().map_or(Ok(()), |sink| sink.record(&record)));
        if shown.is_err() {
            break;
        }
    }
    assert_eq!(tally.frames, FRAMES);
    tally.messages
}

fn bench(bencher: Bencher<'_, '_>, mut work: impl FnMut() -> u64) {
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| divan::black_box(work()));
}

#[divan::bench]
fn read_only(bencher: Bencher<'_, '_>) {
    bench(bencher, || {
        let Ok(mut capture) = Capture::open(Box::new(Cursor::new(SESSION))) else { return 0 };
        let mut bytes = 0;
        while let Ok(Some(frame)) = capture.next_frame() {
            bytes += frame.bytes.len() as u64;
        }
        bytes
    });
}

#[divan::bench]
fn count(bencher: Bencher<'_, '_>) {
    bench(bencher, || run(None, View::Messages));
}

#[divan::bench]
fn list(bencher: Bencher<'_, '_>) {
    let options = ListOptions {
        theme: Theme::plain(),
        time: TimeForm::default(),
        file_names: false,
        width: None,
        whole: false,
        flush: false,
        hex: false,
        secrets: false,
    };
    bench(bencher, || run(Some(&mut List::new(io::sink(), options)), View::Messages));
}

#[divan::bench]
fn table(bencher: Bencher<'_, '_>) {
    let options = TableOptions {
        verbose_fields: false,
        carriers: false,
        hex: false,
        details: Vec::new(),
        width: None,
        theme: Theme::plain(),
        time: TimeForm::default(),
        file_names: false,
    };
    bench(bencher, || run(Some(&mut Table::new(io::sink(), options.clone())), View::Messages));
}

#[divan::bench]
fn json(bencher: Bencher<'_, '_>) {
    let options = JsonOptions { shape: Shape::Lines, carriers: false, flush: false };
    bench(bencher, || run(Some(&mut Json::new(io::sink(), options)), View::Messages));
}

#[divan::bench]
fn json_of_packets(bencher: Bencher<'_, '_>) {
    let options = JsonOptions { shape: Shape::Lines, carriers: false, flush: false };
    bench(bencher, || run(Some(&mut Json::new(io::sink(), options)), View::Packets));
}
