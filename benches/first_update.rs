//! The first update of a Pip-Boy session, 13,000 values of every type, with paths and spans: time of each view, compared with
//! serde_json writing the same record from ready values.

use divan::Bencher;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Json, JsonOptions, List, ListOptions, Shape, Theme, TimeForm};
use proto_dissect::sink::Sink;
use proto_dissect::tree::{Dissection, Side};
use std::io;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

/// Objects of nine members in 40 lists, of similar depth and mixture as recorded ones.
static SESSION: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    let mut id = 100_u32;
    let mut entry = |kind: u8, id: u32, value: &[u8]| {
        entries.push(kind);
        entries.extend_from_slice(&id.to_le_bytes());
        entries.extend_from_slice(value);
    };
    let dict = |members: &[(u32, String)]| {
        let mut value = u16::try_from(members.len()).unwrap_or(u16::MAX).to_le_bytes().to_vec();
        for (id, name) in members {
            value.extend_from_slice(&id.to_le_bytes());
            value.extend_from_slice(name.as_bytes());
            value.push(0);
        }
        value.extend_from_slice(&[0, 0]);
        value
    };
    let list = |children: &[u32]| {
        let mut value = u16::try_from(children.len()).unwrap_or(u16::MAX).to_le_bytes().to_vec();
        children.iter().for_each(|id| value.extend_from_slice(&id.to_le_bytes()));
        value
    };
    let mut tops = Vec::new();
    for top in 0..10 {
        let mut lists = Vec::new();
        for kind in 0..4 {
            let mut elements = Vec::new();
            for element in 0..54_u32 {
                let values: [(u8, Vec<u8>, &str); 5] = [
                    (0, vec![1], "equipped"),
                    (4, (id * 7).to_le_bytes().to_vec(), "formID"),
                    (5, (element as f32 * 1.37).to_le_bytes().to_vec(), "Value"),
                    (6, format!("Something of value {id}\0").into_bytes(), "text"),
                    (3, element.to_le_bytes().to_vec(), "count"),
                ];
                let mut members = Vec::new();
                for (kind, value, name) in values {
                    entry(kind, id, &value);
                    members.push((id, name.to_owned()));
                    id += 1;
                }
                entry(8, id, &dict(&members));
                elements.push(id);
                id += 1;
            }
            entry(7, id, &list(&elements));
            lists.push((id, format!("{}", 29 + kind)));
            id += 1;
        }
        entry(8, top + 1, &dict(&lists));
        tops.push((top + 1, format!("Inventory{top}")));
    }
    entry(8, 0, &dict(&tops));
    let greeting = br#"{"lang":"en","version":"1.1.30.0"}"#;
    let mut session = Vec::new();
    for (kind, payload) in [(1, &greeting[..]), (3, &entries)] {
        session.extend_from_slice(&u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
        session.push(kind);
        session.extend_from_slice(payload);
    }
    session
});

fn show(sink: &mut dyn Sink) {
    let mut engine = Engine::new(Registry::default(), sink.demand(View::Messages));
    let mut tally = Tally::new(View::Messages);
    let frame = Frame { number: 1, link: Link::Stream(Side::Server), bytes: &SESSION, ..Frame::default() };
    let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
    let shown = tally.records(of, true, |record| sink.record(&record));
    assert!(shown.is_ok() && tally.messages == 2);
}

const JSON: JsonOptions = JsonOptions { shape: Shape::Lines, carriers: false, flush: false };

#[divan::bench]
fn ready_values(bencher: Bencher<'_, '_>) {
    let mut lines = Vec::new();
    show(&mut Json::new(&mut lines, JSON));
    let records: Vec<serde_json::Value> =
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    assert_eq!(records.len(), 2);
    let mut out = Vec::with_capacity(lines.len());
    bencher.bench_local(|| {
        out.clear();
        records.iter().all(|record| serde_json::to_writer(&mut out, record).is_ok())
    });
}

#[divan::bench]
fn ndjson(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| show(&mut Json::new(io::sink(), JSON)));
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
    bencher.bench_local(|| show(&mut List::new(io::sink(), options)));
}
