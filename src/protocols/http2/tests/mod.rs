//! Frames, header blocks in several frames, bodies, extents and recognition.

use super::heuristics::{PREFACE, recognize};
use super::session::Session;
use super::*;
use crate::limits;
use crate::protocols::lines::trees_of;
use crate::tree::Side;
use crate::wire::{Conversation, Cut, Extent, Missing, Opening, Verdict, trial};

mod grpc;

/// A frame from hexadecimal text or bytes.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn started() -> Session {
    let mut session = Session::default();
    trial::message(&PROTOCOL, &mut session, Side::Client, PREFACE, Cut::No);
    session
}

fn one(from: Side, bytes: &[u8]) -> String {
    trial::message(&PROTOCOL, &mut started(), from, bytes, Cut::No)
}

fn all(session: &mut Session, frames: &[(Side, Vec<u8>)]) -> String {
    let frames: Vec<(Side, &[u8])> = frames.iter().map(|(from, bytes)| (*from, bytes.as_slice())).collect();
    trees_of(&PROTOCOL, session, &frames)
}

const REQUEST: &str = "82 86 84 41 8c f1e3 c2e5 f23a 6ba0 ab90 f4ff";

#[test]
fn a_request_and_its_response_are_dissected() {
    let mut session = Session::default();
    let tree = all(
        &mut session,
        &[
            (Side::Client, PREFACE.to_vec()),
            (Side::Client, frame(1, 0x25, 1, &[&trial::bytes("80 00 00 00 0f")[..], &trial::bytes(REQUEST)].concat())),
            (Side::Server, frame(1, 0x0c, 1, &trial::bytes("02 88 5f 0a 74657874 2f706c61 696e 0000"))),
            (Side::Server, frame(0, 0x09, 1, b"\x02hello\0\0")),
        ],
    );
    insta::assert_snapshot!(tree, @r#"
    http2 0..24 | Magic | connection preface
      0..24 http2.magic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    http2 0..31 | GET | http://www.example.com/, stream 1
      0..3 http2.length = 22
      3..4 http2.type = 1 (HEADERS)
      4..5 http2.flags = 0x25
        4..5 http2.flags.unused_headers = 0x00
        4..5 http2.flags.priority = true
        4..5 http2.flags.padded = false
        4..5 http2.flags.eh = true
        4..5 http2.flags.end_stream = true
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..13 http2.exclusive = true
      9..13 http2.stream_dependency = 0
      13..14 http2.headers.weight = 15
      14..31 http2.headers = 17 bytes
      http2.header.length = 84
      http2.header.count = 4
      14..15 http2.header
        14..15 http2.header.name = ":method"
        14..15 http2.header.value = "GET"
        14..15 http2.headers.method = "GET"
        14..15 http2.header.repr = "Indexed Header Field"
        14..15 http2.header.index = 2
      15..16 http2.header
        15..16 http2.header.name = ":scheme"
        15..16 http2.header.value = "http"
        15..16 http2.headers.scheme = "http"
        15..16 http2.header.repr = "Indexed Header Field"
        15..16 http2.header.index = 6
      16..17 http2.header
        16..17 http2.header.name = ":path"
        16..17 http2.header.value = "/"
        16..17 http2.headers.path = "/"
        16..17 http2.header.repr = "Indexed Header Field"
        16..17 http2.header.index = 4
      17..31 http2.header
        17..18 http2.header.name = ":authority"
        19..31 http2.header.value = "www.example.com"
        19..31 http2.headers.authority = "www.example.com"
        17..18 http2.header.repr = "Literal Header Field with Incremental Indexing - Indexed Name"
        17..18 http2.header.index = 1
      http2.request.full_uri = "http://www.example.com/"
    http2 0..25 | 200 | OK, text/plain, of http://www.example.com/, stream 1
      0..3 http2.length = 16
      3..4 http2.type = 1 (HEADERS)
      4..5 http2.flags = 0x0c
        4..5 http2.flags.unused_headers = 0x00
        4..5 http2.flags.priority = false
        4..5 http2.flags.padded = true
        4..5 http2.flags.eh = true
        4..5 http2.flags.end_stream = false
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..10 http2.padding = 0x02
      10..23 http2.headers = 885f0a746578742f706c61696e
      http2.header.length = 48
      http2.header.count = 2
      10..11 http2.header
        10..11 http2.header.name = ":status"
        10..11 http2.header.value = "200"
        10..11 http2.headers.status = 200 (OK)
        10..11 http2.header.repr = "Indexed Header Field"
        10..11 http2.header.index = 8
      11..23 http2.header
        11..12 http2.header.name = "content-type"
        13..23 http2.header.value = "text/plain"
        13..23 http2.headers.content_type = "text/plain"
        11..12 http2.header.repr = "Literal Header Field with Incremental Indexing - Indexed Name"
        11..12 http2.header.index = 31
      http2.response_for.uri = "http://www.example.com/"
      23..25 http2.headers.padding = 0000
    http2 0..17 | DATA | stream 1, 5 bytes
      0..3 http2.length = 8
      3..4 http2.type = 0 (DATA)
      4..5 http2.flags = 0x09
        4..5 http2.flags.unused_data = 0x00
        4..5 http2.flags.padded = true
        4..5 http2.flags.end_stream = true
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..10 http2.padding = 0x02
      10..15 http2.data.data = 68656c6c6f
      10..15 http2.body.text = "hello"
      15..17 http2.data.padding = 0000
    "#);
}

#[test]
fn an_alternative_service_of_a_stream_has_no_origin() {
    insta::assert_snapshot!(one(Side::Server, &frame(10, 0, 1, b"\0\0h2=\":8000\"")), @r#"
    http2 0..21 | ALTSVC | stream 1, 12 bytes
      0..3 http2.length = 12
      3..4 http2.type = 10 (ALTSVC)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..11 http2.altsvc.origin.len = 0
      11..21 http2.altsvc.field_value = "h2=":8000""
    "#);
}

#[test]
fn frames_without_state_are_dissected() {
    let mut session = started();
    let server = |kind, flags, stream, hex: &str| (Side::Server, frame(kind, flags, stream, &trial::bytes(hex)));
    let tree = all(
        &mut session,
        &[
            server(4, 0, 0, "0001 00001000 0002 00000000 0009 00000007"),
            server(4, 1, 0, ""),
            server(2, 0, 5, "00000003 10"),
            server(3, 0, 5, "00000008"),
            server(6, 0, 0, "0102030405060708"),
            server(6, 1, 0, "0102030405060708"),
            server(8, 0, 5, "00000400"),
            server(8, 0, 0, "00000000"),
            server(10, 0, 0, "0003 612e62 68323d22 3a343433 22"),
            server(12, 0, 0, "0003 612e62 0001 63"),
            server(16, 0, 0, "00000005 753d31"),
            server(0x42, 3, 7, "0102"),
            server(7, 0, 0, "00000005 0000000b 627965"),
        ],
    );
    insta::assert_snapshot!(tree, @r#"
    http2 0..27 | SETTINGS | Header table size 4096, Enable PUSH 0
      0..3 http2.length = 18
      3..4 http2.type = 4 (SETTINGS)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused_settings = 0x00
        4..5 http2.flags.ack.settings = false
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..15 http2.settings
        9..11 http2.settings.id = 1 (Header table size)
        11..15 http2.settings.header_table_size = 4096
      15..21 http2.settings
        15..17 http2.settings.id = 2 (Enable PUSH)
        17..21 http2.settings.enable_push = 0
      21..27 http2.settings
        21..23 http2.settings.id = 9
        23..27 http2.settings.unknown = 7
    http2 0..9 | SETTINGS | ACK
      0..3 http2.length = 0
      3..4 http2.type = 4 (SETTINGS)
      4..5 http2.flags = 0x01
        4..5 http2.flags.unused_settings = 0x00
        4..5 http2.flags.ack.settings = true
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
    http2 0..14 | PRIORITY | stream 5, 5 bytes
      0..3 http2.length = 5
      3..4 http2.type = 2 (PRIORITY)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 5
      9..13 http2.exclusive = false
      9..13 http2.stream_dependency = 3
      13..14 http2.headers.weight = 16
    http2 0..13 | RST_STREAM | stream 5, CANCEL
      0..3 http2.length = 4
      3..4 http2.type = 3 (RST_STREAM)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 5
      9..13 http2.rst_stream.error = 8 (CANCEL)
    http2 0..17 | PING
      0..3 http2.length = 8
      3..4 http2.type = 6 (PING)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused_ping = 0x00
        4..5 http2.flags.ack.ping = false
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..17 http2.ping = 0102030405060708
    http2 0..17 | PING | ACK
      0..3 http2.length = 8
      3..4 http2.type = 6 (PING)
      4..5 http2.flags = 0x01
        4..5 http2.flags.unused_ping = 0x00
        4..5 http2.flags.ack.ping = true
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..17 http2.pong = 0102030405060708
    http2 0..13 | WINDOW_UPDATE | stream 5, 1024 bytes
      0..3 http2.length = 4
      3..4 http2.type = 8 (WINDOW_UPDATE)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 5
      9..13 http2.window_update.r = 0x00000000
      9..13 http2.window_update.window_size_increment = 1024
    http2 0..13 | WINDOW_UPDATE | connection, 0 bytes
      0..3 http2.length = 4
      3..4 http2.type = 8 (WINDOW_UPDATE)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..13 http2.window_update.r = 0x00000000
      9..13 http2.window_update.window_size_increment = 0
    ! odd http2.window_update.zero at 9..13 http2.window_update.window_size_increment: the increment is 0
    http2 0..23 | ALTSVC | connection, 14 bytes
      0..3 http2.length = 14
      3..4 http2.type = 10 (ALTSVC)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..11 http2.altsvc.origin.len = 3
      11..14 http2.altsvc.origin = "a.b"
      14..23 http2.altsvc.field_value = "h2=":443""
    http2 0..17 | ORIGIN | connection, 8 bytes
      0..3 http2.length = 8
      3..4 http2.type = 12 (ORIGIN)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..14 http2.origin
        9..11 http2.origin.origin_len = 3
        11..14 http2.origin.origin = "a.b"
      14..17 http2.origin
        14..16 http2.origin.origin_len = 1
        16..17 http2.origin.origin = "c"
    http2 0..16 | PRIORITY_UPDATE | stream 5, u=1
      0..3 http2.length = 7
      3..4 http2.type = 16 (PRIORITY_UPDATE)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..13 http2.priority_update_stream_id = 5
      13..16 http2.priority_update_field_value = "u=1"
    http2 0..11 | type 66 | stream 7, 2 bytes
      0..3 http2.length = 2
      3..4 http2.type = 66
      4..5 http2.flags = 0x03
        4..5 http2.flags.unused = 0x03
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 7
      9..11 http2.unknown = 0102
    http2 0..20 | GOAWAY | last stream 5, ENHANCE_YOUR_CALM
      0..3 http2.length = 11
      3..4 http2.type = 7 (GOAWAY)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused = 0x00
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 0
      9..13 http2.goway.r = 0x00000000
      9..13 http2.goaway.last_stream_id = 5
      13..17 http2.goaway.error = 11 (ENHANCE_YOUR_CALM)
      17..20 http2.goaway.addata = 627965
    "#);
}

#[test]
fn a_header_block_in_several_frames_is_dissected_with_the_last_one() {
    let block = trial::bytes(REQUEST);
    let (first, rest) = block.split_at(7);
    let (second, third) = rest.split_at(4);
    let tree = all(
        &mut started(),
        &[(Side::Client, frame(1, 1, 1, first)), (Side::Client, frame(9, 0, 1, second)), (Side::Client, frame(9, 4, 1, third))],
    );
    insta::assert_snapshot!(tree, @r#"
    http2 0..16 | HEADERS | stream 1, 7 bytes, to be continued
      0..3 http2.length = 7
      3..4 http2.type = 1 (HEADERS)
      4..5 http2.flags = 0x01
        4..5 http2.flags.unused_headers = 0x00
        4..5 http2.flags.priority = false
        4..5 http2.flags.padded = false
        4..5 http2.flags.eh = false
        4..5 http2.flags.end_stream = true
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..16 http2.headers = 828684418cf1e3
    http2 0..13 | CONTINUATION | stream 1, 4 bytes
      0..3 http2.length = 4
      3..4 http2.type = 9 (CONTINUATION)
      4..5 http2.flags = 0x00
        4..5 http2.flags.unused_continuation = 0x00
        4..5 http2.flags.eh = false
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..13 http2.continuation.header = c2e5f23a
    http2 0..15 | GET | http://www.example.com/, stream 1
      0..3 http2.length = 6
      3..4 http2.type = 9 (CONTINUATION)
      4..5 http2.flags = 0x04
        4..5 http2.flags.unused_continuation = 0x00
        4..5 http2.flags.eh = true
      5..9 http2.r = 0x00000000
      5..9 http2.streamid = 1
      9..15 http2.continuation.header = 6ba0ab90f4ff
      http2.header.length = 84
      http2.header.count = 4
      0..1 http2.header
        0..1 http2.header.name = ":method"
        0..1 http2.header.value = "GET"
        0..1 http2.headers.method = "GET"
        0..1 http2.header.repr = "Indexed Header Field"
        0..1 http2.header.index = 2
      1..2 http2.header
        1..2 http2.header.name = ":scheme"
        1..2 http2.header.value = "http"
        1..2 http2.headers.scheme = "http"
        1..2 http2.header.repr = "Indexed Header Field"
        1..2 http2.header.index = 6
      2..3 http2.header
        2..3 http2.header.name = ":path"
        2..3 http2.header.value = "/"
        2..3 http2.headers.path = "/"
        2..3 http2.header.repr = "Indexed Header Field"
        2..3 http2.header.index = 4
      3..17 http2.header
        3..4 http2.header.name = ":authority"
        5..17 http2.header.value = "www.example.com"
        5..17 http2.headers.authority = "www.example.com"
        3..4 http2.header.repr = "Literal Header Field with Incremental Indexing - Indexed Name"
        3..4 http2.header.index = 1
      http2.request.full_uri = "http://www.example.com/"
    "#);
}

#[test]
fn a_header_block_without_beginning_or_end_is_noted() {
    assert!(one(Side::Client, &frame(9, 4, 1, b"\x82")).contains("! odd http2.continuation.no_start"));
    let tree = all(&mut started(), &[(Side::Client, frame(1, 0, 1, b"\x82")), (Side::Client, frame(6, 0, 0, &[0; 8]))]);
    assert!(tree.contains("! odd http2.continuation.interrupted"), "{tree}");
}

#[test]
fn a_body_in_several_frames_is_dissected_with_the_last_one() {
    let response = trial::bytes("88 5f 10 6170706c 69636174 696f6e2f 6a736f6e");
    let tree = all(
        &mut started(),
        &[
            (Side::Server, frame(1, 4, 1, &response)),
            (Side::Server, frame(0, 0, 1, br#"{"a""#)),
            (Side::Server, frame(0, 0, 3, b"of another stream")),
            (Side::Server, frame(0, 1, 1, b": [1, 2]}")),
        ],
    );
    insta::assert_snapshot!(trial::below(&tree, &["http2.body.reassembled.length", "http2.body.text", "json.object"]), @r#"
    http2 0..28 | 200 | OK, application/json, stream 1
    http2 0..13 | DATA | stream 1, 4 bytes
    http2 0..26 | DATA | stream 3, 17 bytes
    http2 0..18 | DATA | stream 1, 9 bytes
      http2.body.reassembled.length = 13
      0..13 http2.body.text = "{"a": [1, 2]}"
      0..13 json.object
        1..12 json.member
          2..3 json.key = "a"
          6..12 json.array
            7..8 json.value.number = "1"
            10..11 json.value.number = "2"
    "#);
    // Trailers end a body as well.
    let mut session = started();
    let tree = all(
        &mut session,
        &[
            (Side::Server, frame(1, 4, 1, &response)),
            (Side::Server, frame(0, 0, 1, b"[7]")),
            (Side::Server, frame(1, 5, 1, b"\x40\x01a\x01b")),
        ],
    );
    assert!(tree.contains("| HEADERS | trailers, stream 1") && tree.contains("json.value.number = \"7\""), "{tree}");
    assert!(tree.contains("9..12 http2.data.data = 5b375d") && tree.contains("  0..3 http2.data.data = 5b375d"), "{tree}");
}

#[test]
fn a_compressed_body_is_decompressed() {
    let gzip =
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xcb\x48\xcd\xc9\xc9\xd7\x51\xc8\x40\xa2\x00\x9f\xa1\xca\x09\x13\x00\x00\x00";
    let head = frame(1, 4, 1, b"\x88\x5a\x04gzip");
    let tree = all(&mut started(), &[(Side::Server, head.clone()), (Side::Server, frame(0, 1, 1, gzip))]);
    assert!(tree.contains("http2.body.text = \"hello, hello, hello\""), "{tree}");
    let tree = all(&mut started(), &[(Side::Server, head), (Side::Server, frame(0, 1, 1, b"no gzip"))]);
    assert!(tree.contains("! odd http2.body_decompression_failed"), "{tree}");
}

#[test]
fn kept_bodies_and_streams_are_limited() {
    let mut session = started();
    let part = vec![7; 16 << 10];
    let mut tree = String::new();
    for _ in 0..limits::HTTP2_KEPT.get() / part.len() + 2 {
        tree = all(&mut session, &[(Side::Server, frame(0, 0, 1, &part))]);
        assert!(session.memory_usage() < 3 * limits::HTTP2_KEPT.get(), "{}", session.memory_usage());
    }
    assert!(!tree.contains("not_joined"));
    tree = all(&mut session, &[(Side::Server, frame(0, 1, 1, &part))]);
    assert!(tree.contains("! info http2.body.not_joined"), "{tree}");
    let most = u32::try_from(limits::HTTP2_STREAMS.get()).unwrap();
    for stream in 2..most + 100 {
        let tree = all(&mut session, &[(Side::Client, frame(0, 0, stream, b"a"))]);
        let evictions = format!(": stream {}: more than", stream.saturating_sub(most));
        assert_eq!(tree.contains("! info dissect.evicted"), stream > most, "{tree}");
        assert!(stream <= most || tree.contains(&evictions), "{tree}");
    }
    assert!(session.memory_usage() < limits::HTTP2_STREAMS.get() * 1024 + (1 << 20), "{}", session.memory_usage());
}

#[test]
fn after_lost_bytes_entries_are_unknown_and_frames_are_found_again() {
    let mut session = started();
    all(&mut session, &[(Side::Client, frame(1, 5, 1, &trial::bytes(REQUEST)))]);
    session.gap(Side::Client, Missing { bytes: 100, in_step: false });
    let behind = [&b"\x11\x22\x33"[..], &frame(1, 5, 3, &trial::bytes("82 86 84 be")), &frame(6, 0, 0, &[0; 8])].concat();
    assert_eq!(session.extent(Side::Client, &behind, true), Extent::Unknown(3));
    assert_eq!(session.extent(Side::Client, &behind[3..], true), Extent::Message(13));
    let tree = trial::message(&PROTOCOL, &mut session, Side::Client, &behind[3..16], Cut::No);
    assert!(tree.contains("http2.header.index = 62") && tree.contains("! info http2.header.unknown_index"), "{tree}");
    // The other direction is complete.
    let tree = all(&mut session, &[(Side::Server, frame(1, 4, 1, b"\x88\xbe"))]);
    assert!(tree.contains("! odd http2.header.invalid_index"), "{tree}");
}

#[test]
fn damaged_frames_are_noted() {
    assert!(one(Side::Server, &frame(0, 8, 1, b"\x09abc")).contains("! broken http2.padding.invalid"));
    assert!(one(Side::Server, &frame(1, 4, 1, b"\x82\x80\x82")).contains("! broken http2.header.invalid"));
    assert!(one(Side::Server, &frame(6, 0, 0, b"abc")).contains("! broken dissect.short"));
    assert!(one(Side::Server, &frame(2, 0, 1, b"abcdefgh")).contains("! odd dissect.left_over"));
}

#[test]
fn every_cut_and_every_changed_byte_is_survived() {
    let frames = [
        (Side::Client, PREFACE.to_vec()),
        (Side::Client, frame(1, 0x2d, 1, &[&trial::bytes("02 00000000 0f")[..], &trial::bytes(REQUEST), &[0, 0]].concat())),
        (Side::Server, frame(5, 0x0c, 1, &[&trial::bytes("01 00000002")[..], &trial::bytes(REQUEST), &[0]].concat())),
        (Side::Server, frame(1, 0, 1, b"\x88\x5f\x10appl")),
        (Side::Server, frame(9, 4, 1, b"ication/json")),
        (Side::Server, frame(0, 9, 1, b"\x01[1]\0")),
        (Side::Server, frame(7, 0, 0, b"\0\0\0\x01\0\0\0\0bye")),
    ];
    let (mut cuts, mut changes) = (0, 0);
    for (place, (from, bytes)) in frames.iter().enumerate() {
        for cut in 0..bytes.len() {
            let mut session = Session::default();
            all(&mut session, &frames[..place]);
            let tree = trial::message(&PROTOCOL, &mut session, *from, &bytes[..cut], Cut::Stream { needed: bytes.len() });
            assert!(tree.contains("dissect.unfinished"), "{tree}");
            all(&mut session, &frames[place + 1..]);
            cuts += 1;
        }
        for at in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut session = Session::default();
                all(&mut session, &frames[..place]);
                let mut changed = bytes.clone();
                changed[at] ^= change;
                trial::message(&PROTOCOL, &mut session, *from, &changed, Cut::No);
                all(&mut session, &frames[place + 1..]);
                changes += 1;
            }
        }
    }
    assert!(cuts > 100 && changes == cuts * 3);
}

#[test]
fn extents_are_those_of_frames() {
    let mut session = Session::default();
    assert_eq!(session.extent(Side::Client, b"PRI", true), Extent::NeedMore(24));
    assert_eq!(session.extent(Side::Client, &[PREFACE, b"abc"].concat(), true), Extent::Message(24));
    assert_eq!(session.extent(Side::Server, b"\0\0\x08", true), Extent::NeedMore(9));
    assert_eq!(session.extent(Side::Server, &frame(6, 0, 0, &[0; 8]), true), Extent::Message(17));
    assert_eq!(session.extent(Side::Server, b"\xff\xff\xff\0\0\0\0\0\x01", true), Extent::Message((1 << 24) + 8));
}

#[test]
fn the_preface_identifies_a_connection() {
    let judge = |client: &[u8], server: &[u8], complete| {
        recognize(&Opening { sent: [client, server], from_start: [true, true], complete })
    };
    assert_eq!(judge(PREFACE, b"", false), Verdict::Yes(Side::Server));
    assert_eq!(judge(b"", PREFACE, false), Verdict::Yes(Side::Client));
    assert_eq!(judge(b"PRI * HTT", b"", false), Verdict::Unsure);
    assert_eq!(judge(b"PRI * HTT", b"", true), Verdict::No);
    assert_eq!(judge(b"PRINT", b"", false), Verdict::No);
    assert_eq!(judge(b"", b"", false), Verdict::No);
    let settings = frame(4, 0, 0, &trial::bytes("0003 00000064"));
    assert_eq!(judge(b"", &settings, false), Verdict::Unsure);
    assert_eq!(judge(PREFACE, &settings, false), Verdict::Yes(Side::Server));
    assert_eq!(judge(b"GET /", &settings, false), Verdict::No);
}
