//! Frames, instructions, blocked sections, bodies and extents.

use super::session::Session;
use super::*;
use crate::tree::Side;
use crate::wire::{Cut, Exchange, trial};

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[kind, u8::try_from(payload.len()).unwrap()], payload].concat()
}

/// Trees of messages on stream 0. Without a carrier, each one is on that stream.
fn all(session: &mut Session, messages: &[(Side, Vec<u8>)]) -> String {
    messages.iter().map(|(from, bytes)| trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(*from, wire))).collect()
}

#[test]
fn a_request_and_its_response_are_dissected() {
    let request = frame(1, &trial::bytes("0000 d1 d7 500b 7777772e6578616d706c65 c1"));
    let response = [frame(1, &trial::bytes("0000 d9 f5")), frame(0, b"hello")].concat();
    let tree = all(&mut Session::default(), &[(Side::Client, request), (Side::Server, response)]);
    insta::assert_snapshot!(tree, @r##"
    http3 0..20 | GET | https://www.example/, stream 0
      0..1 http3.frame_type = 1 (HEADERS)
      1..2 http3.frame_length = 18
      2..20 http3.headers = 18 bytes
      http3.headers.count = 4
      4..5 http3.headers.header
        4..5 http3.headers.header.name = ":method"
        4..5 http3.headers.header.value = "GET"
        4..5 http3.headers.method = "GET"
        4..5 http3.headers.header.repr = "Indexed Field Line"
        4..5 http3.headers.header.index = 17
      5..6 http3.headers.header
        5..6 http3.headers.header.name = ":scheme"
        5..6 http3.headers.header.value = "https"
        5..6 http3.headers.scheme = "https"
        5..6 http3.headers.header.repr = "Indexed Field Line"
        5..6 http3.headers.header.index = 23
      6..19 http3.headers.header
        6..7 http3.headers.header.name = ":authority"
        8..19 http3.headers.header.value = "www.example"
        8..19 http3.headers.authority = "www.example"
        6..7 http3.headers.header.repr = "Literal Field Line with Name Reference"
        6..7 http3.headers.header.index = 0
      19..20 http3.headers.header
        19..20 http3.headers.header.name = ":path"
        19..20 http3.headers.header.value = "/"
        19..20 http3.headers.path = "/"
        19..20 http3.headers.header.repr = "Indexed Field Line"
        19..20 http3.headers.header.index = 1
      http3.request.full_uri = "https://www.example/"
    http3 0..13 | DATA | stream 0, 5 bytes
      0..1 http3.frame_type = 1 (HEADERS)
      1..2 http3.frame_length = 4
      2..6 http3.headers = 0000d9f5
      http3.headers.count = 2
      4..5 http3.headers.header
        4..5 http3.headers.header.name = ":status"
        4..5 http3.headers.header.value = "200"
        4..5 http3.headers.status = 200 (OK)
        4..5 http3.headers.header.repr = "Indexed Field Line"
        4..5 http3.headers.header.index = 25
      5..6 http3.headers.header
        5..6 http3.headers.header.name = "content-type"
        5..6 http3.headers.header.value = "text/plain"
        5..6 http3.headers.content_type = "text/plain"
        5..6 http3.headers.header.repr = "Indexed Field Line"
        5..6 http3.headers.header.index = 53
      http3.response_for.uri = "https://www.example/"
      6..7 http3.frame_type = 0 (DATA)
      7..8 http3.frame_length = 5
      8..13 http3.data = 68656c6c6f
    "##);
}

#[test]
fn frames_of_each_type_are_dissected() {
    let frames = ["04 06 01 5000 07 10 21 07", "07 01 08", "0d 01 08", "03 01 05", "800f0700 05 00 75 3d 33 2c", "21 02 aabb"];
    let messages: Vec<(Side, Vec<u8>)> = frames.iter().map(|hex| (Side::Server, trial::bytes(hex))).collect();
    let tree = all(&mut Session::default(), &messages);
    insta::assert_snapshot!(tree, @r##"
    http3 0..9 | SETTINGS | stream 0, 6 bytes
      0..1 http3.frame_type = 4 (SETTINGS)
      1..2 http3.frame_length = 6
      2..5 http3.settings
        2..3 http3.settings.id = 1 (max table capacity)
        3..5 http3.settings.value = 4096
        3..5 http3.settings.qpack.max_table_capacity = 4096
      5..7 http3.settings
        5..6 http3.settings.id = 7 (blocked streams)
        6..7 http3.settings.value = 16
        6..7 http3.settings.qpack.blocked_streams = 16
      7..8 http3.settings
        7..8 http3.settings.id = 33
      8..9 http3.unknown = 07
    ! broken dissect.short at 8..9 http3: 1 more bytes needed, 1 left
    http3 0..3 | GOAWAY | before 8
      0..1 http3.frame_type = 7 (GOAWAY)
      1..2 http3.frame_length = 1
      2..3 http3.goaway.id = 8
    http3 0..3 | MAX_PUSH_ID | push 8
      0..1 http3.frame_type = 13 (MAX_PUSH_ID)
      1..2 http3.frame_length = 1
      2..3 http3.push_id = 8
    http3 0..3 | CANCEL_PUSH | push 5
      0..1 http3.frame_type = 3 (CANCEL_PUSH)
      1..2 http3.frame_length = 1
      2..3 http3.push_id = 5
    http3 0..10 | PRIORITY_UPDATE | 0, u=3,
      0..4 http3.frame_type = 984832 (PRIORITY_UPDATE)
      4..5 http3.frame_length = 5
      5..6 http3.priority_update_element_id = 0
      6..10 http3.priority_update_field_value = "u=3,"
    http3 0..4 | type 0x21 | stream 0, 2 bytes
      0..1 http3.frame_type = 33
      1..2 http3.frame_length = 2
      2..4 http3.unknown = aabb
    "##);
}

/// Trees of messages on a stream.
fn on_stream(session: &mut Session, id: u64, messages: &[&str]) -> String {
    let mut wire_of =
        |hex: &&str| trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| session.read(Side::Client, wire, id, false));
    messages.iter().map(&mut wire_of).collect()
}

#[test]
fn state_that_is_not_kept_is_noted() {
    let mut session = Session::default();
    let most = 256;
    assert!((0..most).all(|number| !on_stream(&mut session, 4 * number + 2, &["21"]).contains("dissect.evicted")));
    let tree = on_stream(&mut session, 4 * most + 2, &["21"]);
    assert!(tree.contains(": stream 1026: more than 256 unidirectional streams"), "{tree}");

    let mut session = Session::default();
    assert!((0..most).all(|number| !on_stream(&mut session, 4 * number, &["00 05 aa"]).contains("dissect.evicted")));
    let tree = on_stream(&mut session, 4 * most, &["00 05 aa"]);
    assert!(tree.contains("stream 1024: more than 256 streams have a frame in parts"), "{tree}");
}

#[test]
fn a_section_that_finds_no_room_to_wait_has_unknown_entries() {
    let mut session = Session::default();
    all(&mut session, &[(Side::Server, trial::bytes("04 05 01 80020000"))]);
    let blocked = [&trial::bytes("01 5000 02 00")[..], &[0x80; 0x1000 - 2]].concat();
    let mut tree = String::new();
    for _ in 0..70 {
        tree = all(&mut session, &[(Side::Client, blocked.clone())]);
    }
    assert!(tree.contains("dissect.evicted") && tree.contains("http3.headers.unknown_index"), "{tree}");
    assert!(session.memory_usage() < 2 * crate::limits::HTTP3_BLOCKED.get());
}

#[test]
fn damaged_frames_are_dissected() {
    let request = frame(1, &trial::bytes("0000 d1 d7 500b 7777772e6578616d706c65 c1 80 10"));
    let bytes = [request, trial::bytes("04 06 01 5000 07 10 21"), frame(0, b"{\"a\": 1}")].concat();
    trial::survives_damage(&PROTOCOL, &bytes, |wire| Session::default().message(Side::Client, wire));
}

#[test]
fn messages_do_not_depend_on_how_their_bytes_arrive() {
    let control = trial::bytes("00 04 03 01 5000 07 01 08 21 02 aabb");
    let encoder = trial::bytes("02 3fbd01 c003 777777 4161 0162 02");
    for stream in [control, encoder] {
        let mut whole = Vec::new();
        let (mut framing, mut at) = (Framing::new(true), 0);
        while let Some(size) = framing.next(&stream[at..], true) {
            whole.push(size);
            at += size;
        }
        let (mut apart, mut framing, mut at) = (Vec::new(), Framing::new(true), 0);
        for end in 1..=stream.len() {
            while let Some(size) = framing.next(&stream[at..end], end == stream.len()) {
                apart.push(size);
                at += size;
            }
        }
        assert_eq!(whole, apart);
        assert_eq!(whole.iter().sum::<usize>(), stream.len());
    }
}

#[test]
fn a_long_frame_is_emitted_in_parts() {
    let most = crate::limits::HTTP3_FRAME.get();
    let mut framing = Framing::new(false);
    let header = trial::bytes("00 80200000");
    let bytes = [&header[..], &vec![7; most]].concat();
    assert_eq!(framing.next(&bytes[..most], false), None);
    assert_eq!(framing.next(&bytes, false), Some(header.len() + most));
    assert_eq!(framing, Framing::Part(0x20_0000 - most as u64));
}
