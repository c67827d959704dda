//! All keys and panes on an in-memory screen.

mod chosen;
mod extremes;

use super::detail::Role as ItemRole;
use super::*;
use crate::engine::Engine;
use crate::filter::Filter;
use crate::input::Capture;
use crate::record::{Record, Tally};
use crate::registry::Registry;
use crate::tree::Dissection;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::style::Modifier;
use std::convert::Infallible;
use std::io::Cursor;

const SIZES: [Size; 3] = [Size::new(80, 24), Size::new(120, 40), Size::new(40, 12)];

/// A view of in-memory bytes that executes effects immediately.
struct Screen {
    state: State,
    bytes: Vec<u8>,
    pass: Option<Pass>,
    /// Effects outside of the program.
    effects: Vec<Effect>,
}

/// Reads all records of a capture.
fn records(bytes: &[u8], view: View, mut take: impl FnMut(u64, &Record<'_>)) {
    let mut capture = Capture::open(Box::new(Cursor::new(bytes.to_vec()))).unwrap();
    let mut engine = Engine::complete(Registry::default());
    let mut tally = Tally::new(view);
    let mut place = 0;
    let mut each = |of: Dissection<'_>, captured: bool| {
        let Ok(()) = tally.records(of, captured, |record| {
            take(place, &record);
            place += 1;
            Ok::<(), Infallible>(())
        });
    };
    while let Ok(Some(frame)) = capture.next_frame() {
        let tree = engine.dissect(&frame);
        each(Dissection { tree, bytes: frame.bytes }, true);
    }
    while let Some(tree) = engine.finish() {
        each(Dissection { tree, bytes: &[] }, false);
    }
}

impl Screen {
    fn new(bytes: Vec<u8>, size: Size) -> Screen {
        let files = vec!["a.pcap".to_owned(), "b\u{1b}[31m.pcap".to_owned()];
        let pass = Pass { number: 0, file: 0, view: View::Messages, filter: String::new(), columns: Vec::new() };
        let state = State::new(files, pass, Theme::coloured(), size);
        let mut screen = Screen { state, bytes, pass: None, effects: Vec::new() };
        screen.act();
        screen
    }

    fn of(sample: &str, size: Size) -> Screen {
        Screen::new(std::fs::read(format!("{}/samples/{sample}", env!("CARGO_MANIFEST_DIR"))).unwrap(), size)
    }

    /// Executes effects until none are pending.
    fn act(&mut self) {
        loop {
            let effects = self.state.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                match effect {
                    Effect::Read(pass) => self.read(pass),
                    Effect::Dissect(place) => self.dissect(place),
                    other => self.effects.push(other),
                }
            }
        }
    }

    fn read(&mut self, pass: Pass) {
        let filter = Filter::parse(&pass.filter, Registry::default()).unwrap();
        let mut cells = Cells::new(&pass.columns).unwrap();
        let mut lines = Vec::new();
        records(&self.bytes, pass.view, |place, record| {
            if filter.matches(record) {
                lines.push(Summary::of(place, record, cells.as_mut()).unwrap());
            }
        });
        self.pass = Some(pass.clone());
        self.state.handle(Event::Records(pass.number, lines));
        self.state.handle(Event::End(pass.number, None));
    }

    fn dissect(&mut self, sought: u64) {
        let pass = self.pass.clone().unwrap();
        let mut found = None;
        records(&self.bytes, pass.view, |place, record| {
            if place == sought {
                found = Some(Box::new(Detail::of(record).unwrap()));
            }
        });
        self.state.handle(Event::Detail(pass.number, sought, found));
    }

    fn key(&mut self, code: KeyCode) -> &mut Screen {
        self.state.handle(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        self.act();
        self
    }

    fn keys(&mut self, keys: &str) -> &mut Screen {
        for key in keys.chars() {
            self.key(KeyCode::Char(key));
        }
        self
    }

    fn control(&mut self, key: char) -> &mut Screen {
        self.state.handle(Event::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL)));
        self
    }

    fn buffer(&self) -> ratatui::buffer::Buffer {
        let mut terminal = Terminal::new(TestBackend::new(self.state.size.width, self.state.size.height)).unwrap();
        terminal.draw(|frame| draw::draw(&self.state, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The lines of the screen.
    fn lines(&self) -> Vec<String> {
        let buffer = self.buffer();
        let cells = buffer.content.chunks(usize::from(buffer.area.width).max(1));
        cells.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()).collect()
    }

    fn shows(&self, text: &str) -> bool {
        self.lines().iter().any(|line| line.contains(text))
    }

    fn number(&self) -> u64 {
        self.state.row().unwrap().number
    }

    fn item(&self) -> &detail::Item {
        &self.state.detail.as_ref().unwrap().items[self.state.fields.selected]
    }
}

#[test]
fn every_pane_is_shown_at_every_size() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        for (pane, words) in [("▸ Records  1 of 90", "discovery_r"), ("▸ Fields", "cmd  \"autodiscover\""), ("▸ Bytes", "7b 22")]
        {
            assert!(screen.shows(pane) && screen.shows(words), "{size}: {pane}\n{}", screen.lines().join("\n"));
            assert!(screen.lines()[0].starts_with("a.pcap (1 of 2)  90 messages"), "{}", screen.lines()[0]);
            screen.key(KeyCode::Tab);
            if pane == "▸ Fields" {
                screen.key(KeyCode::End);
            }
        }
        assert!(screen.shows("▸ Records"));
        screen.key(KeyCode::BackTab);
        assert!(screen.shows("▸ Bytes"));
    }
}

#[test]
fn a_selected_field_highlights_exactly_its_bytes() {
    let all = [("pipboy.pcap", 120), ("http.pcap", 160), ("vscp.pcap", 120)];
    for (sample, width) in all.into_iter().take(if crate::wire::trial::is_thorough() { 3 } else { 1 }) {
        let mut screen = Screen::of(sample, Size::new(width, 60));
        for _ in 0..6 {
            screen.key(KeyCode::Tab).key(KeyCode::Home);
            let mut last = None;
            while last != Some(screen.state.fields.selected) {
                last = Some(screen.state.fields.selected);
                let panes = screen.state.panes();
                let buffer = screen.buffer();
                let is_marked = |x: u16, y: u16| buffer[(x, y)].modifier.contains(Modifier::REVERSED);
                let visible = panes.bytes.y + 1..panes.bytes.bottom();
                // Letters: one column per byte.
                let count = panes.bytes_width();
                let letters = panes.bytes.right() - u16::try_from(count).unwrap()..panes.bytes.right();
                let marked =
                    visible.clone().flat_map(|y| letters.clone().map(move |x| (x, y))).filter(|(x, y)| is_marked(*x, *y));
                let marked: Vec<usize> = marked
                    .map(|(x, y)| {
                        let line = screen.state.bytes.top + usize::from(y - visible.start);
                        line * count + usize::from(x - letters.start)
                    })
                    .collect();
                let first = screen.state.bytes.buffer(screen.state.detail.as_ref().unwrap()).map_or(0, |buffer| buffer.first);
                let visible_bytes = screen.state.bytes.top * count..(screen.state.bytes.top + visible.len()) * count;
                let expected: Vec<usize> = match &screen.item().bytes {
                    Some((_, range)) => (range.start..range.end).map(|off| usize::try_from(off - first).unwrap()).collect(),
                    None => Vec::new(),
                };
                let expected: Vec<usize> = expected.into_iter().filter(|at| visible_bytes.contains(at)).collect();
                assert_eq!(marked, expected, "{sample}: {:?}", screen.item());
                screen.key(KeyCode::Right).key(KeyCode::Down);
            }
            screen.key(KeyCode::BackTab).key(KeyCode::Down);
        }
    }
}

#[test]
fn a_byte_selects_the_innermost_field_with_it() {
    let mut screen = Screen::of("pipboy.pcap", Size::new(120, 60));
    // A message in two segments.
    screen.keys("g").keys("4").key(KeyCode::Enter).key(KeyCode::Tab).key(KeyCode::Tab);
    assert_eq!(screen.state.bytes.buffer(screen.state.detail.as_ref().unwrap()).unwrap().name, "tcp/0/s2c");
    assert!(screen.shows("[tcp/0/s2c frames 7–8]"));
    screen.key(KeyCode::Home);
    let mut labels = Vec::new();
    for _ in 0..6 {
        labels.push(screen.item().label.clone());
        screen.key(KeyCode::Right);
    }
    assert_eq!(labels, ["length", "length", "length", "length", "type", "json"]);
    // The first bytes of the frame belong to a collapsed layer, which expands.
    screen.keys(">").key(KeyCode::Home);
    assert_eq!(screen.item().abbrev, "eth.dst");
    assert!(screen.state.fields.visible.contains(&screen.state.fields.selected));
    screen.keys("<");
    assert_eq!(screen.item().label, "length");
}

#[test]
fn views_keep_the_frame_of_the_selected_record() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("g4").key(KeyCode::Enter).keys("p");
        assert_eq!((screen.number(), screen.state.rows.len()), (8, 210), "the frame that completed message 4");
        screen.keys("m");
        assert_eq!((screen.number(), screen.state.rows.len()), (4, 90));
        screen.keys("m");
        assert_eq!(screen.number(), 4);
    }
}

#[test]
fn a_filter_narrows_the_list_and_its_matches_stay_known() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("/pipboy.type == connection_accepted").key(KeyCode::Enter);
        assert_eq!((screen.state.rows.len(), screen.number()), (1, 4));
        assert!(screen.lines()[0].contains("1 messages"), "{}", screen.lines()[0]);
        screen.key(KeyCode::Esc);
        assert_eq!((screen.state.rows.len(), screen.number()), (90, 4));
        screen.key(KeyCode::Home).keys("n");
        assert_eq!(screen.number(), 4);
        screen.keys("n");
        assert!(screen.number() == 4 && screen.shows("no more matches"));
        screen.key(KeyCode::End).keys("N");
        assert_eq!(screen.number(), 4);
    }
}

#[test]
fn a_mistake_in_a_filter_has_a_caret_and_a_suggestion() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.keys("/pipboy.typ == 1").key(KeyCode::Enter);
    let lines = screen.lines();
    assert_eq!(
        &lines[lines.len() - 5..],
        [
            "pipboy.typ is not a valid protocol or protocol field",
            "  pipboy.typ == 1",
            "  ^^^^^^^^^^",
            "  try pipboy.type, pipboy.entry.type, pipboy.command.type",
            "/pipboy.typ == 1"
        ]
    );
    // The record is unchanged, and the next key removes the message.
    assert_eq!(screen.state.rows.len(), 90);
    screen.key(KeyCode::Backspace);
    assert!(!screen.shows("is not a valid protocol"));
    screen.key(KeyCode::Esc);
    assert!(screen.shows("? keys"));
}

#[test]
fn a_filter_is_completed_edited_and_recalled() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.keys("/pipb").key(KeyCode::Tab);
    assert_eq!(screen.state.prompt.as_ref().unwrap().text, "pipboy");
    screen.keys(".conn").key(KeyCode::Tab);
    screen.control('u').keys("tcp.fl").key(KeyCode::Tab);
    assert!(screen.shows("tcp.flags.ack"), "{}", screen.lines().join("\n"));
    screen.control('u').keys("zzz").key(KeyCode::Tab);
    assert!(screen.shows("no field starts with zzz"));
    screen.control('u').keys("udx");
    screen.key(KeyCode::Left).key(KeyCode::Delete).key(KeyCode::End).keys("p").key(KeyCode::Home).key(KeyCode::Right);
    assert_eq!((screen.state.prompt.as_ref().unwrap().text.as_str(), screen.state.prompt.as_ref().unwrap().cursor), ("udp", 1));
    screen.key(KeyCode::Enter).key(KeyCode::Esc);
    screen.keys("/tcp").key(KeyCode::Enter).key(KeyCode::Esc);
    screen.keys("/").key(KeyCode::Up);
    assert_eq!(screen.state.prompt.as_ref().unwrap().text, "tcp");
    screen.key(KeyCode::Up).key(KeyCode::Up);
    assert_eq!(screen.state.prompt.as_ref().unwrap().text, "udp");
    screen.key(KeyCode::Down).key(KeyCode::Down);
    assert_eq!(screen.state.prompt.as_ref().unwrap().text, "");
}

#[test]
fn numbers_kinds_and_conversations_are_gone_to() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("g50").key(KeyCode::Enter);
        assert_eq!(screen.number(), 50);
        screen.keys("gx").key(KeyCode::Enter);
        assert!(screen.shows("\"x\" is not a number"));
        screen.key(KeyCode::Esc).keys("g999").key(KeyCode::Enter);
        assert!(screen.shows("999 is not listed"));
        screen.keys("g5").key(KeyCode::Enter).keys("]");
        assert_eq!(screen.number(), 6, "the next heartbeat");
        screen.keys("[");
        assert_eq!(screen.number(), 5);
        screen.keys("{");
        assert_eq!(screen.number(), 4, "the message before in the same conversation");
        screen.keys("{");
        assert!(screen.shows("no more records of this conv"));
        screen.keys("}");
        assert_eq!(screen.number(), 5);
        screen.keys("g4").key(KeyCode::Enter).keys("]");
        assert!(screen.number() == 4 && screen.shows("no more records of this type"));
    }
}

#[test]
fn keys_move_within_each_pane_and_stop_at_its_ends() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("jj").key(KeyCode::Down).keys("k").key(KeyCode::Up).key(KeyCode::Up).key(KeyCode::Up);
        assert_eq!(screen.number(), 1);
        let page = u64::try_from(screen.state.list_rows()).unwrap();
        screen.key(KeyCode::PageDown);
        assert_eq!(screen.number(), 1 + page);
        screen.key(KeyCode::PageUp);
        assert_eq!(screen.number(), 1);
        screen.key(KeyCode::End);
        assert_eq!(screen.number(), 90);
        assert!(screen.lines().iter().any(|line| line.trim_start().starts_with("90 ")));
        screen.key(KeyCode::Home).key(KeyCode::Enter).key(KeyCode::Home);
        assert_eq!((screen.state.focus, screen.item().role), (Focus::Fields, ItemRole::Layer));
        let folded = screen.state.fields.visible.len();
        let signs = |screen: &Screen| ["+ ", "- "].map(|sign| screen.shows(&format!("{sign}Ethernet")));
        assert_eq!(signs(&screen), [true, false]);
        screen.key(KeyCode::Right);
        assert_eq!(signs(&screen), [false, true]);
        assert!(screen.state.fields.visible.len() > folded, "unfolded");
        screen.key(KeyCode::Enter);
        assert_eq!(screen.state.fields.visible.len(), folded);
        screen.key(KeyCode::Enter).key(KeyCode::Down).key(KeyCode::Left);
        assert_eq!(screen.state.fields.selected, 0, "the item above");
        screen.key(KeyCode::Left);
        assert_eq!(screen.state.fields.visible.len(), folded);
        screen.key(KeyCode::Tab).key(KeyCode::Home).key(KeyCode::Left);
        assert_eq!(screen.state.bytes.cursor, 0);
        screen.key(KeyCode::Down);
        assert_eq!(screen.state.bytes.cursor, screen.state.panes().bytes_width());
        screen.key(KeyCode::End).key(KeyCode::Right);
        assert_eq!(screen.state.bytes.cursor, 63);
    }
}

#[test]
fn bytes_are_shown_as_hex_or_as_text() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.key(KeyCode::Tab).key(KeyCode::Tab).key(KeyCode::End);
        assert!(screen.shows("7d"));
        screen.keys("x");
        assert!(screen.shows("autodiscover\"}"), "{}", screen.lines().join("\n"));
        assert!(!screen.shows("22 7d"));
        screen.keys("x");
        assert!(screen.shows("22 7d"));
    }
}

#[test]
fn a_field_is_copied_in_four_forms() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.keys("g4").key(KeyCode::Enter).key(KeyCode::Tab).key(KeyCode::Down).key(KeyCode::Down);
    assert_eq!(screen.item().label, "type");
    for (key, text) in
        [("h", "01"), ("f", "pipboy.type == 1"), ("c", "static const unsigned char pipboy_type[1] = {\n    0x01,\n};\n")]
    {
        screen.keys("y");
        assert!(screen.shows("copy as: h hex"));
        screen.keys(key);
        assert_eq!(screen.effects.pop(), Some(Effect::Copy(text.to_owned())));
    }
    screen.keys("yj");
    let Some(Effect::Copy(text)) = screen.effects.pop() else { panic!("copied") };
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (json["name"].as_str(), json["bytes"].as_str(), json["offset"].as_u64()),
        (Some("pipboy.type"), Some("01"), Some(4))
    );
    screen.keys("yx");
    assert_eq!((screen.effects.pop(), screen.number()), (None, 4));
}

#[test]
fn each_copied_filter_finds_the_record_again() {
    let mut screen = Screen::of("http.pcap", Size::new(120, 40));
    for number in 1..=4 {
        screen.keys("g").keys(&number.to_string()).key(KeyCode::Enter);
        let detail = screen.state.detail.clone().unwrap();
        for at in 0..detail.items.len() {
            let text = copy::text(&detail, at, copy::Form::Filter);
            let filter = Filter::parse(&text, Registry::default()).unwrap();
            let mut matches = false;
            records(&screen.bytes, View::Messages, |_, record| {
                matches |= matches!(record, Record::Message(message) if message.n == number) && filter.matches(record);
            });
            assert!(matches, "{text}");
        }
    }
}

#[test]
fn bookmarks_and_notes_are_kept_and_shown() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("g4").key(KeyCode::Enter).keys("b");
        let Some(Effect::Keep(bookmarks)) = screen.effects.pop() else { panic!("kept") };
        assert_eq!(bookmarks.to_string(), "[[record]]\nmessage = 4\nframe = 8\nbookmark = true\n");
        assert!(screen.lines().iter().any(|line| line.trim_start().starts_with("4*")), "{}", screen.lines().join("\n"));
        screen.keys("thit \u{1b}[1m").key(KeyCode::Enter).key(KeyCode::Tab);
        assert!(screen.shows("* bookmark  hit \\u{1b}[1m"), "{}", screen.lines().join("\n"));
        screen.keys("b");
        let Some(Effect::Keep(bookmarks)) = screen.effects.pop() else { panic!("kept") };
        assert_eq!(bookmarks.entries()[0].note, "hit \u{1b}[1m");
        assert!(!bookmarks.entries()[0].is_marked);
        screen.keys("t").control('u').key(KeyCode::Enter);
        let Some(Effect::Keep(bookmarks)) = screen.effects.pop() else { panic!("kept") };
        assert!(bookmarks.entries().is_empty());
    }
}

#[test]
fn bytes_are_saved_and_conversations_decoded_on_request() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.keys("g4").key(KeyCode::Enter).key(KeyCode::Tab).key(KeyCode::Down).key(KeyCode::Down);
    screen.keys("oa.bin").key(KeyCode::Enter);
    assert_eq!(screen.effects.pop(), Some(Effect::Save("a.bin".to_owned(), vec![1])));
    screen.keys("dnone").key(KeyCode::Enter);
    assert_eq!(screen.effects.pop(), Some(Effect::DecodeAs("tcp.stream==0,none".to_owned())));
    screen.state.reload();
    screen.act();
    assert_eq!(screen.number(), 4);
}

#[test]
fn texts_are_requested_scrolled_and_closed() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("g4").key(KeyCode::Enter).keys("f");
        assert!(matches!(screen.effects.pop(), Some(Effect::Follow(1, stream)) if stream.to_string() == "tcp/0"));
        assert!(screen.shows("Follow tcp/0") && screen.shows("reading …"));
        let lines = (0..100).map(|at| format!("line {at} \u{202e}{}", "x".repeat(200))).collect();
        screen.state.handle(Event::Text(1, lines));
        assert!(screen.shows("line 0 \\u{202e}"));
        screen.key(KeyCode::End);
        assert!(screen.shows("line 99 "));
        screen.key(KeyCode::PageUp).key(KeyCode::Up);
        assert!(!screen.shows("line 99 "));
        screen.key(KeyCode::Home).key(KeyCode::Right);
        assert!(!screen.shows("line 0"));
        screen.key(KeyCode::Left).key(KeyCode::PageDown).key(KeyCode::Esc);
        assert!(screen.shows("Records"));
        screen.keys("s");
        assert_eq!(screen.effects.pop(), Some(Effect::Statistics(2)));
        // The result of the previous request is late.
        screen.state.handle(Event::Text(1, vec!["late".to_owned()]));
        assert!(!screen.shows("late") && screen.shows("reading …"));
        screen.keys("q");
        assert!(screen.effects.is_empty(), "q closes the text first");
        screen.keys("e");
        assert!(matches!(screen.effects.pop(), Some(Effect::Explore(3, stream)) if stream.to_string() == "tcp/0"));
        screen.key(KeyCode::Esc).keys("?");
        assert!(screen.shows("previous pane") && screen.shows("display filter"));
    }
}

#[test]
fn the_help_names_every_key() {
    let help = Text::help().lines.join("\n");
    let source = include_str!("../keys.rs");
    let commands = source.split("fn command(").nth(1).unwrap().split("\n}\n").next().unwrap();
    let keys: Vec<char> = commands.split('\'').skip(1).step_by(2).filter_map(|part| part.chars().next()).collect();
    assert!(keys.len() > 20);
    for key in keys {
        let is_named = help.split_whitespace().any(|word| word == key.to_string());
        assert!(is_named, "{key} is not in the help");
    }
}

#[test]
fn the_program_quits_stops_and_switches_files_on_request() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.control('z');
    assert_eq!(screen.state.take_effects(), [Effect::Suspend]);
    screen.control('c');
    assert_eq!(screen.state.take_effects(), [Effect::Quit]);
    screen.keys("q");
    assert_eq!(screen.effects.pop(), Some(Effect::Quit));
    screen.keys("F");
    assert_eq!(screen.pass.as_ref().unwrap().file, 1);
    assert!(screen.lines()[0].starts_with("b\\u{1b}[31m.pcap (2 of 2)"), "{}", screen.lines()[0]);
}

#[test]
fn the_mouse_selects_records_fields_and_bytes() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    let panes = screen.state.panes();
    let mouse = |screen: &mut Screen, kind, column, row| {
        screen.state.handle(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        screen.act();
    };
    let click = MouseEventKind::Down(MouseButton::Left);
    mouse(&mut screen, click, 5, panes.list.y + 4);
    assert_eq!(screen.number(), 4);
    mouse(&mut screen, MouseEventKind::ScrollDown, 5, panes.list.y + 4);
    assert_eq!(screen.number(), 7);
    mouse(&mut screen, MouseEventKind::ScrollUp, 5, panes.list.y + 4);
    mouse(&mut screen, click, 5, panes.fields.y + 5);
    assert_eq!((screen.state.focus, screen.item().label.as_str()), (Focus::Fields, "length"));
    // The fifth byte is the type.
    mouse(&mut screen, click, 10 + 3 * 4, panes.bytes.y + 1);
    assert_eq!((screen.state.focus, screen.item().label.as_str()), (Focus::Bytes, "type"));
    mouse(&mut screen, click, 60, panes.bytes.y + 1);
    assert_eq!(screen.item().label, "length", "a letter");
}

#[test]
fn a_requested_record_is_selected_unless_the_selection_moved() {
    for moves in [false, true] {
        let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
        let number = screen.pass.as_ref().unwrap().number;
        let mut lines = Vec::new();
        records(&screen.bytes, View::Messages, |place, record| lines.push(Summary::of(place, record, None).unwrap()));
        let rest = lines.split_off(10);
        screen.state.reload();
        drop(screen.state.take_effects());
        screen.state.handle(Event::Records(number + 1, lines));
        screen.keys("g50").key(KeyCode::Enter);
        assert_eq!(screen.number(), 10);
        if moves {
            screen.key(KeyCode::Up);
        }
        screen.state.handle(Event::Records(number + 1, rest));
        assert_eq!(screen.number(), if moves { 9 } else { 50 });
    }
}

#[test]
fn answers_to_an_earlier_pass_change_nothing() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    let before = screen.lines();
    screen.state.handle(Event::Records(0, vec![]));
    screen.state.handle(Event::End(0, Some("old".to_owned())));
    screen.state.handle(Event::Detail(0, 0, None));
    assert_eq!(screen.lines(), before);
    let number = screen.pass.as_ref().unwrap().number;
    screen.state.handle(Event::End(number, Some("after frame 3: cut\u{1b}".to_owned())));
    assert!(screen.shows("after frame 3: cut\\u{1b}"));
}
