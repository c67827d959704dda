//! Writes the pictures of the README: what a terminal shows, as SVG, on a dark and on a light ground.
//!
//! ```text
//! cargo run --features generators --example make_pictures        writes docs/pictures/*.svg
//! ```
//!
//! The text is the program's own, colours and all. Its colours have fixed values; black, white and text are those of xterm.

mod browse;
mod svg;

use proto_dissect::engine::Engine;
use proto_dissect::follow::{Dump, Follower, Form};
use proto_dissect::input::Capture;
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{List, ListOptions, Table, TableOptions, Theme, TimeForm};
use proto_dissect::sink::{Begin, Sink};
use proto_dissect::stats::{Part, Stats, TableLook, print_tables};
use proto_dissect::tree::{Demand, Dissection, StreamId, Transport};
use ratatui::crossterm::event::KeyCode;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use svg::Ground;

/// Whatever goes wrong is shown and ends the program.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Columns of the terminal that is drawn.
const WIDTH: usize = 132;

/// A name, the command line above the picture, and what prints it.
type Picture = (&'static str, &'static str, fn() -> Result<String>);

const PICTURES: &[Picture] = &[
    ("table", "proto-dissect samples/pipboy.pcap", table),
    ("hex", "proto-dissect -x --packets samples/layers.pcap", hex),
    ("list", "proto-dissect -l samples/pipboy.pcap", list),
    ("browse", "proto-dissect browse samples/pipboy.pcap", browsed),
    ("follow", "proto-dissect follow samples/xfire.pcap -s tcp/0 | head -26", follow),
    ("stats", "proto-dissect stats -z time -z hierarchy -z conv,tcp samples/pipboy.pcap", stats),
];

fn main() -> Result {
    for (path, svg) in pictures()? {
        fs::write(path, svg)?;
    }
    Ok(())
}

fn pictures() -> Result<Vec<(PathBuf, String)>> {
    let mut pictures = Vec::new();
    for (name, command, print) in PICTURES {
        let text = print()?;
        for ground in [Ground::Dark, Ground::Light] {
            let file = format!("docs/pictures/{name}-{}.svg", ground.name());
            pictures.push((Path::new(env!("CARGO_MANIFEST_DIR")).join(file), svg::draw(command, &text, ground)));
        }
    }
    Ok(pictures)
}

fn table() -> Result<String> {
    messages("pipboy.pcap", View::Messages, &[4, 23, 24, 20], |out| Box::new(Table::new(out, table_options(false))))
}

fn hex() -> Result<String> {
    messages("layers.pcap", View::Packets, &[5], |out| Box::new(Table::new(out, table_options(true))))
}

fn list() -> Result<String> {
    let options = ListOptions {
        theme: Theme::coloured(),
        time: TimeForm::default(),
        file_names: false,
        width: Some(WIDTH),
        whole: false,
        flush: false,
        hex: false,
        secrets: false,
    };
    let numbers: Vec<u64> = (1..=24).collect();
    messages("pipboy.pcap", View::Messages, &numbers, |out| Box::new(List::new(out, options)))
}

/// The fields of an update, one of them selected.
fn browsed() -> Result<String> {
    let mut keys = vec![KeyCode::Char('g'), KeyCode::Char('2'), KeyCode::Char('3'), KeyCode::Enter, KeyCode::Tab];
    keys.extend([KeyCode::Down; 6]);
    browse::screen(&keys)
}

fn table_options(hex: bool) -> TableOptions {
    TableOptions {
        verbose_fields: false,
        carriers: false,
        hex,
        details: Vec::new(),
        width: Some(WIDTH),
        theme: Theme::coloured(),
        time: TimeForm::default(),
        file_names: false,
    }
}

/// The beginning of a conversation.
fn follow() -> Result<String> {
    const LINES: usize = 26;
    let mut out = Vec::new();
    let mut dump = Dump::new(&mut out, Form::Hex, Theme::coloured(), Some(WIDTH));
    let mut follower = Follower::new(Some(StreamId { transport: Transport::Tcp, number: 0 }));
    dissect("xfire.pcap", Demand::HEADINGS, |of, captured| Ok(follower.collect(of, captured, |event| dump.event(event))?))?;
    dump.finish()?;
    drop(dump);
    Ok(String::from_utf8(out)?.lines().take(LINES).collect::<Vec<_>>().join("\n"))
}

fn stats() -> Result<String> {
    let parts = ["time", "hierarchy", "conv,tcp"].into_iter().filter_map(Part::named).collect();
    let mut stats = Stats::new(Registry::default(), parts);
    stats.begin(&Begin { file: "samples/pipboy.pcap", format: "pcap", links: &["ethernet"] });
    dissect("pipboy.pcap", stats.demand(), |of, captured| {
        stats.tree(of, captured);
        Ok(())
    })?;
    stats.end();
    let mut out = Vec::new();
    print_tables(&stats, TableLook { theme: Theme::coloured(), width: Some(WIDTH), all: true }, &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// What a sink prints of the records with these numbers.
fn messages(
    sample: &str,
    view: View,
    numbers: &[u64],
    open: impl for<'o> FnOnce(&'o mut Vec<u8>) -> Box<dyn Sink + 'o>,
) -> Result<String> {
    let mut out = Vec::new();
    let mut sink = open(&mut out);
    let mut tally = Tally::new(view);
    dissect(sample, sink.demand(view), |of, captured| {
        Ok(tally.records(of, captured, |record| {
            let number = match record {
                Record::Message(message) => message.n,
                Record::Packet(packet) => packet.of.tree.frame.number,
                Record::Late(_) | Record::Gap(_) => 0,
            };
            if numbers.contains(&number) { sink.record(&record) } else { Ok(()) }
        })?)
    })?;
    drop(sink);
    Ok(String::from_utf8(out)?)
}

/// Show every frame of a sample, and what was left when it ends.
fn dissect(sample: &str, want: Demand, mut show: impl FnMut(Dissection<'_>, bool) -> Result) -> Result {
    let file = File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample))?;
    let mut capture = Capture::open(Box::new(file))?;
    let mut engine = Engine::new(Registry::default(), want);
    while let Some(frame) = capture.next_frame()? {
        show(Dissection { tree: engine.dissect(&frame), bytes: frame.bytes }, true)?;
    }
    while let Some(tree) = engine.finish() {
        show(Dissection { tree, bytes: &[] }, false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_show_what_the_program_prints() {
        for (path, svg) in pictures().unwrap() {
            let kept = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                kept == svg,
                "{} is not what `cargo run --features generators --example make_pictures` writes",
                path.display()
            );
        }
    }
}
