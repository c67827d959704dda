//! Hostile text, very small and very large screens, and limits.

use super::*;
use crate::input::{InputFormat, Link, Options};
use crate::limits;
use crate::registry::{Assume, Choices};
use crate::tree::Side;
use etherparse::PacketBuilder;

/// A capture with escape sequences in a request and a log line.
pub fn hostile() -> Vec<u8> {
    const WORD: &str = "\u{1b}]0;x\u{7}\u{1b}[31m\u{202e}\u{9b}";
    let mut file = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0".to_vec();
    let mut add = |packet: Vec<u8>| {
        let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
        file.extend([[0; 8].as_slice(), &length, &length, &packet].concat());
    };
    let link = || PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let mut packet = Vec::new();
    let request = format!("GET /{WORD} HTTP/1.1\r\nHost: {WORD}\r\nX-{WORD}: {WORD}\r\n\r\n");
    link().tcp(4000, 80, 1, 1000).ack(1).psh().write(&mut packet, request.as_bytes()).unwrap();
    add(std::mem::take(&mut packet));
    link().udp(4000, 514).write(&mut packet, format!("<13>Jan  1 00:00:00 host {WORD}: {WORD}").as_bytes()).unwrap();
    add(packet);
    file
}

#[test]
fn hostile_text_is_escaped_in_every_pane() {
    for size in SIZES {
        let mut screen = Screen::new(hostile(), size);
        let mut seen = String::new();
        for keys in ["m", "p"] {
            screen.keys(keys);
            for _ in 0..2 {
                for pane in 0..3 {
                    for _ in 0..12 {
                        let lines = screen.lines().join("\n");
                        let is_escaped = !lines.chars().any(|character| character != '\n' && crate::tree::is_harmful(character));
                        assert!(is_escaped, "{lines:?}");
                        seen.push_str(&lines);
                        if pane == 1 {
                            screen.key(KeyCode::Right).key(KeyCode::Down);
                        }
                    }
                    screen.key(KeyCode::Tab);
                }
                screen.key(KeyCode::Down);
            }
        }
        assert!(seen.contains("\\u{1b}"), "the text is there");
    }
}

#[test]
fn every_key_works_on_every_screen_however_small() {
    let keys = "mp/gcdotbnNv[]{}<>xyhfesF?q1a";
    let others = [KeyCode::Tab, KeyCode::BackTab, KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::PageUp];
    let more =
        [KeyCode::PageDown, KeyCode::Home, KeyCode::End, KeyCode::Enter, KeyCode::Esc, KeyCode::Backspace, KeyCode::Delete];
    let codes: Vec<KeyCode> = keys.chars().map(KeyCode::Char).chain(others).chain(more).collect();
    for size in [Size::new(0, 0), Size::new(1, 1), Size::new(7, 3), Size::new(40, 12), Size::new(200, 60)] {
        for sample in ["http.pcap", "pipboy-damaged.pcap"] {
            let mut screen = Screen::of(sample, size);
            let mut seed = 7_usize;
            for _ in 0..150 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                screen.key(codes[(seed >> 33) % codes.len()]);
                screen.lines();
            }
            screen.state.handle(Event::Resize(SIZES[0]));
            assert!(screen.lines()[0].starts_with(['a', 'b']));
        }
    }
}

#[test]
fn gaps_are_not_counted_as_messages() {
    let mut screen = Screen::of("vscp-damaged.pcap", Size::new(80, 24));
    let (mut messages, mut gaps) = (0, 0);
    records(&screen.bytes, View::Messages, |_, record| match record {
        Record::Gap(_) => gaps += 1,
        _ => messages += 1,
    });
    assert!(gaps > 0);
    let title = screen.lines()[0].clone();
    assert!(title.contains(&format!("  {messages} messages, {gaps} gap")), "{title}");
    let mut place = 0;
    for at in 0..messages + gaps {
        let is_gap = screen.state.row().unwrap().kind == RowKind::Gap;
        place += usize::from(!is_gap);
        let expected = format!("Records  {}{place} of {messages}", if is_gap { "gap, after " } else { "" });
        assert!(screen.shows(&expected), "{at}: {expected}: {:#?}", screen.lines());
        screen.key(KeyCode::Down);
    }
    screen.keys("p");
    assert!(screen.lines()[0].contains(" packets, "), "{}", screen.lines()[0]);
}

#[test]
fn an_empty_capture_has_a_notice() {
    for size in SIZES {
        let screen = Screen::new(hostile()[..24].to_vec(), size);
        assert!(screen.shows("Records  none"), "{}", screen.lines().join("\n"));
    }
}

#[test]
fn records_past_the_limit_are_counted() {
    let mut first = None;
    records(&hostile(), View::Packets, |place, record| first = first.take().or(Some(Summary::of(place, record, None).unwrap())));
    let summary = first.unwrap();
    let mut rows = Rows::default();
    let most = limits::BROWSE_ROWS.get();
    (0..most + 3).for_each(|_| rows.push(summary.clone(), false));
    assert_eq!((rows.len(), rows.left_out), (most, 3));
    assert!((0..most).all(|at| rows.info(at) == summary.info && rows.get(at).is_some()));
}

#[test]
fn fields_past_the_limit_are_counted() {
    // A data update with very many values.
    let values: Vec<u8> = (0..60_000_u32).flat_map(|id| [&[0][..], &id.to_le_bytes(), &[1]].concat()).collect();
    let length = u32::try_from(values.len()).unwrap().to_le_bytes();
    let message = [&length[..], &[3], &values].concat();
    let pipboy = Registry::default().protocol("pipboy").unwrap();
    let assume = Assume::Protocol(pipboy, Some(Side::Server));
    let registry = Registry::default().choosing(Choices { assume, ..Choices::default() });
    let options = Options { format: Some(InputFormat::Raw), link: Some(Link::Stream(Side::Server)), ..Options::default() };
    let mut capture = Capture::open_with(Box::new(Cursor::new(message)), options).unwrap();
    let mut engine = Engine::complete(registry);
    let mut most = 0;
    while let Some(frame) = capture.next_frame().unwrap() {
        let tree = engine.dissect(&frame);
        let Ok(()) = Tally::new(View::Messages).records(Dissection { tree, bytes: frame.bytes }, true, |record| {
            let detail = Detail::of(&record).unwrap();
            let fields = detail.items.iter().filter(|item| !matches!(item.role, ItemRole::Note(_))).count();
            assert!(fields <= limits::BROWSE_FIELDS.get());
            assert_eq!(detail.left_out > 0, fields == limits::BROWSE_FIELDS.get());
            most = most.max(detail.left_out);
            Ok::<(), Infallible>(())
        });
    }
    assert!(most > 0, "the message has more fields than the limit");
}
