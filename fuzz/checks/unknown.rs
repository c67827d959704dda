//! `explore` over conversations that nothing dissects: valid output, and `.ksy` files that compile.

use super::forms::{Form, check_text};
use super::stream::Conversation;
use super::{Owned, dissect, json};
use proto_dissect::engine::Engine;
use proto_dissect::explore::{self, Collector, Explored, Options, View};
use proto_dissect::ksy;
use proto_dissect::registry::Registry;
use proto_dissect::render::Theme;
use std::path::Path;

/// Bytes of a direction that are looked at.
const BYTES: usize = 1 << 16;

/// A conversation.
pub fn conversation(input: &[u8]) {
    let frames = Conversation::owned(input).frames();
    let explored = print(&frames);
    if input.len().is_multiple_of(8) {
        assert!(explored == print(&frames), "two runs differ");
    }
}

/// What `explore` prints of these frames.
fn print(frames: &[Owned]) -> String {
    let mut collector = Collector::new(None, BYTES);
    dissect(frames, &mut Engine::new(Registry::default().blind(), Collector::demand()), |of, captured| {
        collector.see(of, captured);
    });
    let sides = collector.finish();
    let explored = explore::explore(&sides, &Options::default());
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
