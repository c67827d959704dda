//! Forms of values, and searches for planted values.

use super::reading::Reading;
use super::scan::Needle;
use super::{Frequencies, Places, Value, changes, find};
use crate::explore::framing::Given;
use crate::explore::messages::Kinds;
use crate::explore::rule::Endian;
use crate::explore::{Explored, Options, Segment, Side, framed};
use crate::tree::{self, StreamId, Transport};

/// A side with these messages of 16 bytes, one per segment.
fn side(messages: &[[u8; 16]]) -> Vec<Side> {
    let mut side = Side::new(StreamId { transport: Transport::Tcp, number: 0 }, tree::Side::Server);
    for (order, message) in messages.iter().enumerate() {
        let at = side.bytes.len();
        let time = 1_700_000_000_000_000_000 + order as i64 * 1_000_000_000;
        side.segments.push(Segment { at, is_turn: false, is_pushed: true, time, order, frame: order as u64 + 1 });
        side.bytes.extend_from_slice(message);
    }
    side.sent = side.bytes.len() as u64;
    vec![side]
}

/// A message with a counter, and bytes at offset 5.
fn message(counter: usize, bytes: &[u8]) -> [u8; 16] {
    let mut all = [0xee; 16];
    all[0] = u8::try_from(counter % 251).unwrap();
    all[5..5 + bytes.len()].copy_from_slice(bytes);
    all
}

fn groups(sides: &[Side]) -> Vec<(String, Explored<'_>)> {
    let options = Options { given: Given::parse("fixed:16").unwrap(), kinds: Some(Kinds::Single), ..Options::default() };
    vec![("tcp/0".to_owned(), framed(sides, &options))]
}

#[test]
fn chances_follow_from_the_shares_of_the_bytes() {
    // 8 of 32 bytes are 1, the others 0xee.
    let mut message = [0xee; 16];
    message[..4].fill(1);
    let sides = side(&[message; 2]);
    let frequencies = Frequencies::new(&groups(&sides));
    for (bytes, expected) in [(&[1][..], 8.0), (&[0xee], 24.0), (&[1, 1], 2.0), (&[1, 0xee], 6.0), (&[1, 7], 0.0)] {
        assert!((frequencies.chance(bytes) - expected).abs() < 1e-9, "{bytes:?}: {}", frequencies.chance(bytes));
    }
}

/// The first form found, its count, and the offset in the message.
fn first(bytes: &[u8], value: &str) -> (String, u64, usize) {
    let messages: Vec<[u8; 16]> = (0..20).map(|number| message(number, if number == 7 { bytes } else { &[] })).collect();
    let sides = side(&messages);
    let groups = groups(&sides);
    let places = Places::new(&groups);
    let found = find(&groups, &Value::parse(value).unwrap(), &places, None);
    let first = found.found.first().unwrap_or_else(|| panic!("{value} is found"));
    let place = places.of(first.hits[0]).unwrap();
    assert_eq!(place.number, 7, "{value}");
    (first.name(), first.count, place.offset)
}

#[test]
fn each_form_of_a_value_is_found_where_it_was_put() {
    let cases: &[(&str, &[u8], &str)] = &[
        ("77", &[77], "u8, varint"),
        ("1000", &[0xe8, 0x03], "u16le"),
        ("1000", &[0x03, 0xe8], "u16be"),
        ("70000", &[0x70, 0x11, 0x01], "u24le"),
        ("123456789", &123_456_789_u32.to_le_bytes(), "u32le"),
        ("123456789", &123_456_789_u32.to_be_bytes(), "u32be"),
        ("18446744073709551615", &u64::MAX.to_be_bytes(), "u64le, u64be"),
        ("-5", &(-5_i32).to_be_bytes(), "i32be"),
        ("-4298.25", &(-4298.25_f32).to_le_bytes(), "f32le"),
        ("-4298.25", &(-4298.25_f64).to_be_bytes(), "f64be"),
        ("75", &0.75_f32.to_le_bytes(), "f32le*100"),
        ("104.5", &104.487_f32.to_le_bytes(), "f32le rounded"),
        ("104", &104.9_f32.to_be_bytes(), "f32be rounded"),
        ("12.5", &1250_u16.to_le_bytes(), "u16le/100"),
        ("12.5", &(12_u32 * 65536 + 32768).to_be_bytes(), "u32be/65536"),
        ("300", &[0xac, 0x02], "varint"),
        ("-300", &[0xd7, 0x04], "zigzag"),
        ("4711", b"\x004711\0", "UTF-8"),
        ("Dogmeat", b"Dogmeat", "UTF-8"),
        ("Dogmeat", b"DOGMEAT", "UTF-8, other case"),
        ("Jürg", b"J\xfcrg", "Latin-1"),
        ("Hund", b"H\0u\0n\0d\0", "UTF-16le"),
        ("Hund", b"\0H\0u\0n\0d", "UTF-16be"),
        ("\"42\"", b"42", "UTF-8"),
    ];
    for (value, bytes, name) in cases {
        let shift = usize::from(*value == "4711");
        assert_eq!(first(bytes, value), ((*name).to_owned(), 1, 5 + shift), "{value}");
    }
}

#[test]
fn widths_that_are_too_narrow_are_not_sought() {
    let value = Value::parse("70000").unwrap();
    let needles = Needle::all(&value, &Reading::all(std::slice::from_ref(&value)));
    let names: Vec<String> = needles.iter().flat_map(|needle| &needle.readings).map(Reading::to_string).collect();
    assert!(!names.contains(&"u8".into()) && !names.contains(&"u16le".into()), "{names:?}");
    assert!(names.contains(&"u24be".into()) && names.contains(&"u32be".into()), "{names:?}");
}

#[test]
fn digits_of_a_longer_number_are_not_the_number() {
    let sides = side(&[message(0, b"14711")]);
    let groups = groups(&sides);
    let found = find(&groups, &Value::parse("4711").unwrap(), &Places::new(&groups), None);
    assert!(found.found.is_empty(), "{:?}", found.found);
}

#[test]
fn nothing_is_found_across_a_gap() {
    let mut sides = side(&[message(0, b"Dogmeat")]);
    let count = |sides: &[Side]| {
        let groups = groups(sides);
        find(&groups, &Value::parse("Dogmeat").unwrap(), &Places::new(&groups), None).found.len()
    };
    assert_eq!(count(&sides), 1);
    sides[0].holes.push((8, 100));
    assert_eq!(count(&sides), 0);
}

#[test]
fn rare_forms_come_first_and_frequent_ones_are_counted() {
    let messages: Vec<[u8; 16]> = (0..100_000).map(|number| message(number, &[7, 0, 0, 0])).collect();
    let mut messages = messages;
    messages[3][5..9].copy_from_slice(&7.0_f32.to_le_bytes());
    let sides = side(&messages);
    let groups = groups(&sides);
    let found = find(&groups, &Value::parse("7").unwrap(), &Places::new(&groups), None).found;
    assert_eq!((found[0].name(), found[0].count), ("f32le".to_owned(), 1));
    let byte = found.iter().find(|found| found.name().starts_with("u8")).unwrap();
    assert!(byte.count >= 99_999 && byte.hits.len() == super::KEPT, "{} {}", byte.count, byte.hits.len());
}

#[test]
fn a_change_is_found_at_its_offset_and_after_its_name() {
    let value = |number: usize| -> u32 {
        match number {
            0..=9 => 100,
            _ => 95,
        }
    };
    let messages: Vec<[u8; 16]> = (0..20).map(|number| message(number, &value(number).to_be_bytes())).collect();
    let sides = side(&messages);
    let of_offset = groups(&sides);
    let places = Places::new(&of_offset);
    let found = changes(&of_offset, &Value::parse_change("100..95").unwrap(), &places);
    let best = &found.all[0];
    assert_eq!((best.title(&places), best.hits, best.count), ("s2c/all @5".to_owned(), [10, 10], 1));
    assert!(best.is_direct && best.readings[0] == Reading::Int { width: 4, endian: Endian::Big, signed: false, scale: 1 });
    assert_eq!((best.from.number, best.to.number), (9, 10));
    // Never in the reverse order.
    assert!(changes(&of_offset, &Value::parse_change("95..100").unwrap(), &places).all.is_empty());

    // The same preceding bytes at another offset.
    let mut moved = [message(0, &[0xee; 4]), message(1, &[0xee; 4])];
    moved[0][4..12].copy_from_slice(&[9, 8, 7, 6, 0, 0, 0xc8, 0x42]);
    moved[1][8..16].copy_from_slice(&[9, 8, 7, 6, 0, 0, 0xbe, 0x42]);
    let sides = side(&moved);
    let behind = groups(&sides);
    let places = Places::new(&behind);
    let found = changes(&behind, &Value::parse_change("100..95").unwrap(), &places);
    assert_eq!(found.all[0].title(&places), "behind 09080706");
}

#[test]
fn hostile_values_are_refused_or_sought() {
    for text in ["", "\"\""] {
        assert!(Value::parse(text).is_err(), "{text:?}");
    }
    assert!(Value::parse(&"9".repeat(300)).is_err());
    for text in ["1..1", "100", "..", "5.."] {
        assert!(Value::parse_change(text).is_err(), "{text}");
    }
    let sides = side(&[message(0, b"x")]);
    let groups = groups(&sides);
    let huge = "9".repeat(200);
    for text in
        [huge.as_str(), "-170141183460469231731687303715884105729", "1e308", "1e-300", "0", "-0", "0.0", "0x", "-", ".", "1_000"]
    {
        let _ = find(&groups, &Value::parse(text).unwrap(), &Places::new(&groups), None);
    }
    for bytes in [&[][..], &[7]] {
        let mut empty = Side::new(StreamId { transport: Transport::Udp, number: 0 }, tree::Side::Client);
        empty.bytes.extend_from_slice(bytes);
        let sides = [empty];
        let groups = vec![("udp/0".to_owned(), framed(&sides, &Options::default()))];
        assert_eq!(find(&groups, &Value::parse("7").unwrap(), &Places::new(&groups), None).found.len(), bytes.len());
    }
}
