//! The first update of a Pip-Boy session with `samples/ksy/fallout4_pipboy.ksy`, compared with the built-in dissector: reading
//! only, and reading with JSON output.

use divan::Bencher;
use divan::counter::ItemsCount;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::ksy::{self, model::TypeId};
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::{Assume, Choices, Registry};
use proto_dissect::render::{Json, JsonOptions, Shape};
use proto_dissect::sink::Sink;
use proto_dissect::tree::{Dissection, Side};
use proto_dissect::wire::Protocol;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

/// The protocol of the file.
static FILE: LazyLock<&'static Protocol> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/ksy/fallout4_pipboy.ksy");
    let spec = ksy::load(&[path], &[]).spec;
    let spec = spec.unwrap_or_default();
    let root = spec.roots.first().copied().unwrap_or(TypeId(0));
    ksy::protocol(&spec, root, None, false)
});

/// One update: 2,000 objects of five members of different types.
static UPDATE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    for object in 0..2000_u32 {
        let mut entry = |kind: u8, id: u32, value: &[u8]| {
            entries.push(kind);
            entries.extend_from_slice(&id.to_le_bytes());
            entries.extend_from_slice(value);
        };
        let first = object * 6;
        entry(0, first, &[1]);
        entry(4, first + 1, &object.to_le_bytes());
        entry(5, first + 2, &(object as f32 * 1.37).to_le_bytes());
        entry(6, first + 3, format!("Something of value {object}\0").as_bytes());
        entry(3, first + 4, &object.to_le_bytes());
        let mut members = 5_u16.to_le_bytes().to_vec();
        for (id, name) in (first..).zip(["equipped", "formID", "Value", "text", "count"]) {
            members.extend_from_slice(&id.to_le_bytes());
            members.extend_from_slice(name.as_bytes());
            members.push(0);
        }
        members.extend_from_slice(&[0, 0]);
        entry(8, first + 5, &members);
    }
    let length = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes()[..], &[3], &entries].concat()
});

fn registry(protocol: &'static Protocol) -> Registry {
    Registry::default().choosing(Choices { assume: Assume::Protocol(protocol, None), ..Choices::default() })
}

fn frame(is_stream: bool) -> Frame<'static> {
    let link = if is_stream { Link::Stream(Side::Server) } else { Link::Unknown };
    Frame { number: 1, link, bytes: &UPDATE, ..Frame::default() }
}

fn show(registry: Registry, is_stream: bool, sink: &mut dyn Sink) {
    let mut engine = Engine::new(registry, sink.demand(View::Messages));
    let mut tally = Tally::new(View::Messages);
    let frame = frame(is_stream);
    let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
    let shown = tally.records(of, true, |record| sink.record(&record));
    assert!(shown.is_ok() && tally.messages == 1);
}

const JSON: JsonOptions = JsonOptions { shape: Shape::Lines, carriers: false, flush: false };

/// Reading only; the items are nodes.
#[divan::bench]
fn tree_by_file(bencher: Bencher<'_, '_>) {
    let registry = registry(*FILE);
    let mut engine = Engine::complete(registry);
    let nodes = engine.dissect(&frame(false)).nodes.len();
    assert!(nodes > 60_000, "{nodes} nodes");
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| engine.dissect(&frame(false)).nodes.len());
}

#[divan::bench]
fn json_by_file(bencher: Bencher<'_, '_>) {
    let registry = registry(*FILE);
    bencher.bench_local(|| show(registry, false, &mut Json::new(io::sink(), JSON)));
}

#[divan::bench]
fn json_built_in(bencher: Bencher<'_, '_>) {
    let built_in = Registry::default().protocol("pipboy").unwrap_or(*FILE);
    let registry = registry(built_in);
    bencher.bench_local(|| show(registry, true, &mut Json::new(io::sink(), JSON)));
}
