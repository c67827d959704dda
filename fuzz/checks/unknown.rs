//! `explore` over conversations that nothing dissects: valid output, and `.ksy` files that compile.

use super::forms::{Form, check_text};
use super::stream::Conversation;
use super::{Owned, dissect, json};
use proto_dissect::engine::Engine;
use proto_dissect::explore::framing::Given;
use proto_dissect::explore::{self, Collector, Explored, Options, View};
use proto_dissect::ksy;
use proto_dissect::registry::Registry;
use proto_dissect::render::Theme;
use std::path::Path;

/// Bytes of a direction that are looked at.
const BYTES: usize = 1 << 16;

/// Rules that a user gives. All rules together cost fifty times as much as one.
const GIVEN: [&str; 7] =
    ["length@0:u16be", "length@0:u32le+4", "varint@0:leb128", "fixed:8", "end:0a", "length@1:u8+2 skip=4", "none"];

/// A conversation. The rule is given for seven lengths of input in eight; for the others all rules are tried.
pub fn conversation(input: &[u8]) {
    let rule = GIVEN.get(input.len() % 8);
    let given = rule.map_or_else(Given::default, |rule| Given::parse(rule).expect("a rule in its written form"));
    let options = Options { given, ..Options::default() };
    let frames = Conversation::owned(input).frames();
    let explored = print(&frames, &options);
    if input.len().is_multiple_of(3) {
        assert!(explored == print(&frames, &options), "two runs differ");
    }
}

/// What `explore` prints of these frames.
fn print(frames: &[Owned], options: &Options) -> String {
    let mut collector = Collector::new(None, BYTES);
    dissect(frames, &mut Engine::new(Registry::default().blind(), Collector::demand()), |of, captured| {
        collector.see(of, captured);
    });
    let sides = collector.finish();
    let explored = explore::explore(&sides, options);
    check(&explored);
    let mut out = Vec::new();
    let view = View { theme: Theme::plain(), width: Some(80) };
    view.group("group", &explored, &mut out).expect("memory takes all");
    view.overview(&[("group".to_owned(), explored)], &mut out).expect("memory takes all");
    let text = String::from_utf8(out).expect("output is UTF-8");
    check_text(Form::List, &text);
    text
}

fn check(explored: &Explored<'_>) {
    let mut line = Vec::new();
    explore::record(explored, "group", &mut line).expect("memory takes all");
    json::parse(std::str::from_utf8(&line).expect("JSON is UTF-8"));
    assert!(explored.messages.iter().all(|message| message.side < explored.sides.len()), "a message of no side");
    if let Ok(text) = &explored.ksy {
        let loaded = ksy::load_text(Path::new("explored.ksy"), text);
        let words: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert!(loaded.spec.is_some(), "the printed .ksy does not compile: {words:?}\n{text}");
    }
}
