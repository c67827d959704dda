//! Choices of the user: columns of the list, and a range of the chart.

use super::*;
use crate::record::View;

/// Frames of a capture in intervals of this many nanoseconds.
fn chart_of(bytes: &[u8], interval: i128) -> Chart {
    let mut counts = Vec::new();
    records(bytes, View::Packets, |_, record| {
        if let Record::Packet(packet) = record {
            let since = packet.times.since_start().unwrap_or_default();
            let place = usize::try_from(since.max(0) / interval).unwrap();
            counts.resize(counts.len().max(place + 1), 0);
            counts[place] += 1;
        }
    });
    Chart::new(counts, interval).unwrap()
}

/// A screen with the statistics of its capture as an overlay.
fn statistics(size: Size) -> Screen {
    let mut screen = Screen::of("pipboy.pcap", size);
    screen.keys("s");
    assert_eq!(screen.effects.pop(), Some(Effect::Statistics(1)));
    let lines = (0..60).map(|at| format!("line {at}")).collect();
    let chart = chart_of(&screen.bytes, 1_000_000_000);
    screen.state.handle(Event::Statistics(1, lines, Some(chart)));
    screen
}

fn chart(screen: &Screen) -> &Chart {
    screen.state.text.as_ref().unwrap().chart.as_ref().unwrap()
}

#[test]
fn columns_are_chosen_by_their_names() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("g4").key(KeyCode::Enter).keys("c");
        assert!(screen.state.prompt.as_ref().unwrap().text.starts_with("n frame.time_relative src"));
        screen.control('u').keys("n, tcp.len name").key(KeyCode::Enter);
        assert_eq!(screen.number(), 4, "the selection stays");
        let lines = screen.lines();
        assert_eq!(lines[2], " n   tcp.len  name", "{}", lines.join("\n"));
        assert!(lines.iter().any(|line| line.starts_with(" 4   ") && line.ends_with("connection_accepted")), "{lines:?}");
        screen.keys("b");
        assert!(screen.lines().iter().any(|line| line.starts_with("*4   ")));
        // The last record and the headings are visible.
        screen.key(KeyCode::End);
        assert!(screen.lines().iter().any(|line| line.starts_with(" 90  ")) && screen.lines()[2].starts_with(" n "));
        screen.keys("c");
        assert_eq!(screen.state.prompt.as_ref().unwrap().text, "n tcp.len name");
        screen.control('u').key(KeyCode::Enter);
        assert!(screen.number() == 90 && !screen.shows("tcp.len  name"));
    }
}

#[test]
fn a_click_selects_the_record_under_the_heads() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.keys("c").control('u').keys("n name").key(KeyCode::Enter);
    let row = screen.state.panes().list.y + 2;
    let click =
        MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column: 3, row: row + 2, modifiers: KeyModifiers::NONE };
    screen.state.handle(Event::Mouse(click));
    screen.act();
    assert_eq!(screen.number(), 3);
}

#[test]
fn columns_equal_the_output_of_e() {
    let mut screen = Screen::of("http.pcap", Size::new(160, 40));
    screen.keys("p").keys("c").control('u').keys("frame.number ip.src tcp.flags tcp.len*2").key(KeyCode::Enter);
    let mut seen = 0;
    records(&screen.bytes, View::Packets, |place, record| {
        let Record::Packet(packet) = record else { return };
        let at = usize::try_from(place).unwrap();
        let cells: Vec<&str> = screen.state.rows.info(at).split('\t').collect();
        let value = |name: &str| packet.of.tree.nodes.iter().enumerate().find(|(_, node)| node.field.abbrev == name);
        assert_eq!(cells[0], packet.of.tree.frame.number.to_string());
        if let Some((node, _)) = value("tcp.len") {
            let length = packet.of.node(u32::try_from(node).unwrap()).unwrap().number().unwrap();
            assert_eq!(cells[3], (length * 2).to_string());
        }
        seen += 1;
    });
    assert!(seen > 5 && seen == screen.state.rows.len());
}

#[test]
fn a_mistake_in_a_column_has_a_caret_and_keeps_the_line() {
    for size in SIZES {
        let mut screen = Screen::of("pipboy.pcap", size);
        screen.keys("c").control('u').keys("tcp.prot").key(KeyCode::Enter);
        assert!(screen.shows("tcp.prot is not a valid") && screen.shows("^^^^^^^^"), "{}", screen.lines().join("\n"));
        assert!(screen.shows("columns: tcp.prot"));
        screen.control('u').keys("frame.time_r").key(KeyCode::Tab);
        assert!(screen.shows("columns: frame.time_relative"), "names are completed");
        screen.key(KeyCode::Esc);
        assert!(screen.state.pass.columns.is_empty());
    }
}

#[test]
fn cells_from_a_capture_are_harmless_and_keep_to_their_columns() {
    for size in SIZES {
        let mut screen = Screen::new(extremes::hostile(), size);
        screen.keys("c").control('u').keys("n http.host http.request.uri http.request.line").key(KeyCode::Enter);
        let lines = screen.lines().join("\n");
        assert!(!lines.chars().any(|character| character != '\n' && crate::tree::is_harmful(character)), "{lines:?}");
        assert!(lines.contains("\\u{1b}"), "{lines}");
        let cells = screen.state.rows.info(0).split('\t').count();
        assert_eq!(cells, 4);
    }
}

#[test]
fn the_chart_scrolls_to_the_interval_under_the_cursor() {
    let mut chart = Chart::new(vec![1; 100], 1).unwrap();
    // Width of an interval, and the first one at the cursor positions 0, 39, 40 and 99.
    for (width, columns, first) in [(40, 1, [0, 0, 1, 60]), (100, 1, [0; 4]), (210, 2, [0; 4]), (150, 1, [0; 4])] {
        assert_eq!(chart.columns(width), columns);
        for (cursor, first) in [0, 39, 40, 99].into_iter().zip(first) {
            chart.put(cursor);
            assert_eq!(chart.first(width), first, "{cursor} of {width}");
        }
    }
    // Nine columns remain, one too few for three columns per interval.
    chart = Chart::new(vec![1; 10], 1).unwrap();
    chart.put(9);
    assert_eq!((chart.columns(29), chart.first(29)), (2, 0));
}

#[test]
fn a_range_of_the_chart_becomes_a_filter() {
    for size in SIZES {
        let mut screen = statistics(size);
        assert!(screen.shows("0 to 1 s: ") && screen.shows("line 0") && screen.shows("frames │"));
        screen.key(KeyCode::Right).keys("v").key(KeyCode::Right).key(KeyCode::Right);
        let counts = chart(&screen).counts.clone();
        assert!(counts.len() > 4);
        let frames: u64 = counts[1..4].iter().sum();
        assert!(screen.shows(&format!("1 to 4 s: {frames} frames")), "{}", screen.lines().join("\n"));
        screen.key(KeyCode::Enter);
        assert_eq!(screen.state.pass.filter, "frame.time_relative >= 1 && frame.time_relative < 4");
        assert!(screen.state.text.is_none() && screen.shows("Records"));
        // The number of packets in that time equals the count.
        screen.keys("p");
        assert_eq!(screen.state.rows.len() as u64, frames);
    }
}

#[test]
fn ranges_divide_a_capture_without_a_rest() {
    let mut screen = statistics(SIZES[0]);
    let count = chart(&screen).counts.len();
    screen.key(KeyCode::Esc).keys("p");
    let all = screen.state.rows.len();
    let mut listed = 0;
    for at in 0..count {
        screen.keys("s");
        let chart = chart_of(&screen.bytes, 1_000_000_000);
        let number = screen.state.texts;
        screen.state.handle(Event::Statistics(number, Vec::new(), Some(chart)));
        for _ in 0..at {
            screen.key(KeyCode::Right);
        }
        // A range replaces the previous one.
        screen.key(KeyCode::Enter);
        listed += screen.state.rows.len();
    }
    assert_eq!(listed, all);
}

#[test]
fn a_range_narrows_the_filter_that_is_there() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[0]);
    screen.keys("/pipboy").key(KeyCode::Enter).keys("s");
    let chart = chart_of(&screen.bytes, 1_000_000_000);
    screen.state.handle(Event::Statistics(1, Vec::new(), Some(chart)));
    screen.key(KeyCode::Enter);
    assert_eq!(screen.state.pass.filter, "(pipboy) && frame.time_relative < 1");
    screen.key(KeyCode::Esc);
    assert_eq!(screen.state.pass.filter, "");
}

#[test]
fn a_range_is_extended_left_and_drawn_with_the_mouse() {
    for size in SIZES {
        let mut screen = statistics(size);
        let press = |screen: &mut Screen, code, modifiers| screen.state.handle(Event::Key(KeyEvent::new(code, modifiers)));
        press(&mut screen, KeyCode::Right, KeyModifiers::SHIFT);
        assert_eq!(chart(&screen).range(), 0..=1);
        screen.key(KeyCode::Esc);
        assert_eq!(chart(&screen).range(), 1..=1, "the range is left, and the text stays");
        screen.keys("vv").key(KeyCode::Left).key(KeyCode::Left);
        assert_eq!(chart(&screen).range(), 0..=0);
        let columns = chart(&screen).columns(usize::from(size.width) - BESIDE);
        let x = |interval: usize| u16::try_from(BESIDE + interval * columns).unwrap();
        let mouse = |screen: &mut Screen, kind, column, row| {
            screen.state.handle(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        };
        mouse(&mut screen, MouseEventKind::Down(MouseButton::Left), x(1), 2);
        mouse(&mut screen, MouseEventKind::Drag(MouseButton::Left), x(3), 2);
        assert_eq!(chart(&screen).range(), 1..=3);
        let buffer = screen.buffer();
        let marked = (0..size.width).filter(|x| buffer[(*x, 2)].modifier.contains(Modifier::REVERSED)).count();
        assert_eq!(marked, 3 * columns, "exactly the range is marked");
        // Nothing is drawn outside the chart.
        mouse(&mut screen, MouseEventKind::Down(MouseButton::Left), 2, 2);
        mouse(&mut screen, MouseEventKind::Down(MouseButton::Left), x(2), size.height - 2);
        assert_eq!(chart(&screen).range(), 1..=3);
        // The text below scrolls to its end.
        screen.key(KeyCode::End);
        assert!(screen.shows("line 59"), "{}", screen.lines().join("\n"));
        screen.key(KeyCode::Esc).key(KeyCode::Esc);
        assert!(screen.shows("Records"));
    }
}

#[test]
fn a_chart_wider_than_the_screen_follows_its_cursor() {
    let mut screen = Screen::of("pipboy.pcap", SIZES[2]);
    screen.keys("s");
    let counts: Vec<u64> = (0..100).collect();
    screen.state.handle(Event::Statistics(1, Vec::new(), Chart::new(counts, 1_500_000_000)));
    for _ in 0..99 {
        screen.key(KeyCode::Right);
    }
    assert!(screen.shows("148.5 to 150 s: 99 frames"), "{}", screen.lines().join("\n"));
    let buffer = screen.buffer();
    assert!((0..40).any(|x| buffer[(x, 2)].modifier.contains(Modifier::REVERSED)));
}
