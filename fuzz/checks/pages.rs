//! The HTML page, and the notes file beside a capture.

use super::forms::{Form, check_text};
use super::{Owned, dissect, json};
use proto_dissect::engine::Engine;
use proto_dissect::record::{Bookmarks, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Html, HtmlOptions, TimeForm};
use proto_dissect::sink::{Begin, Sink};

/// Where the data of a block begins.
const BLOCK: &str = "<script type=\"application/json\" class=\"block\">";

/// Frames as a page: text of a capture never becomes markup, and its data is JSON.
pub fn html(frames: &[Owned], view: View) {
    let registry = Registry::default();
    let mut out = Vec::new();
    let time = TimeForm::named("r").expect("-t r");
    let mut page = Html::new(&mut out, HtmlOptions { title: None, carriers: true, time, several: false });
    let mut engine = Engine::new(registry, page.demand(view));
    let mut tally = Tally::new(view);
    page.begin(&Begin { file: "fuzz", format: "pcap", links: &["raw"] }).expect("memory takes all");
    dissect(frames, &mut engine, |of, captured| {
        tally.records(of, captured, |record| page.record(&record)).expect("memory takes all");
    });
    page.end(&tally, false).expect("memory takes all");
    page.finish().expect("memory takes all");
    drop(page);
    let text = String::from_utf8(out).expect("output is UTF-8");
    check_text(Form::List, &text);
    let mut blocks = 0;
    for block in text.split(BLOCK).skip(1) {
        json::parse(block.split("</script>").next().expect("a first part"));
        blocks += 1;
    }
    // One more is the script of the page.
    assert_eq!(text.matches("<script").count(), blocks + 1, "a capture adds a script");
    assert_eq!(text.matches("</script").count(), blocks + 1, "a capture ends a script");
}

/// A notes file: it is refused, or says the same after it was written.
pub fn notes(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match Bookmarks::parse(text) {
        Err(words) => assert!(!words.is_empty(), "a file is refused without a reason"),
        Ok(bookmarks) => {
            let written = bookmarks.to_string();
            let again = Bookmarks::parse(&written).unwrap_or_else(|words| panic!("{words}\n{written}"));
            assert_eq!(again.to_string(), written, "notes change when they are written");
            for entry in bookmarks.entries().iter().take(8) {
                let (message, frame) = (entry.message.unwrap_or(0), entry.frame.unwrap_or(0));
                let mut found = bookmarks.of_message(message, frame).chain(bookmarks.of_packet(frame));
                assert!(found.any(|other| other == entry), "an entry is not found by its numbers: {entry:?}");
            }
        }
    }
}
