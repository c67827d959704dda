//! HTTP messages: trees, extents, handover, heuristics.

use super::session::Session;
use super::*;
use crate::limits;
use crate::tree::{Demand, FrameInfo, Side, Span, Tree};
use crate::wire::{Conversation, Cut, Extent, Next, Opening, Verdict, Wire, trial};
use flate2::Compression;
use std::io::Write as _;

const REQUEST_BYTES: &[u8] = b"POST /login?x=1 HTTP/1.1\r\nHost: game.example\r\nUser-Agent: Test/1.0\r\n\
    X-Own: 7\r\nAuthorization: Basic c2VjcmV0\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"hp\": [1, 2]}";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(size) {
        write!(out, "{:x};ext=1\r\n", chunk.len()).unwrap();
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\nX-Sum: 9\r\n\r\n");
    out
}

fn with_head(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = head.replace('\n', "\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Splits the bytes of one direction into messages and unknown data. Bytes arrive in growing steps.
fn split(session: &mut Session, from: Side, mut bytes: &[u8]) -> Vec<String> {
    let mut trees = Vec::new();
    while !bytes.is_empty() {
        let mut have = 1;
        let len = loop {
            let more = have < bytes.len();
            match session.extent(from, &bytes[..have], more) {
                Extent::Message(len) if len <= have => {
                    trees.push(trial::message(&PROTOCOL, session, from, &bytes[..len], Cut::No));
                    break len;
                }
                Extent::Message(len) | Extent::NeedMore(len) if more => have = len.max(have + have / 8).min(bytes.len()),
                Extent::Message(want) | Extent::NeedMore(want) => {
                    trees.push(trial::message(&PROTOCOL, session, from, bytes, Cut::Stream { needed: want }));
                    break bytes.len();
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(len) => {
                    trees.push(format!("{len} unknown\n"));
                    break len.clamp(1, have);
                }
            }
        };
        bytes = &bytes[len..];
    }
    trees
}

fn headings(trees: &[String]) -> Vec<&str> {
    trees.iter().map(|tree| tree.lines().next().unwrap()).collect()
}

#[test]
fn a_request_is_dissected_field_by_field() {
    insta::assert_snapshot!(split(&mut Session::default(), Side::Client, REQUEST_BYTES).concat(), @r#"
    http 0..177 | POST | http://game.example/login?x=1
      http.request = true
      0..5 http.request.method = "POST"
      5..16 http.request.uri = "/login?x=1"
      16..26 http.request.version = "HTTP/1.1"
      26..46 http.host = "game.example"
      46..68 http.user_agent = "Test/1.0"
      68..78 http.unknown_header = "X-Own: 7"
      78..109 http.authorization = "Basic c2VjcmV0"
      109..141 http.content_type = "application/json"
      141..161 http.content_length_header = "14"
      http.content_length = 14
      161..163 http.blank = 0d0a
      http.request.full_uri = "http://game.example/login?x=1"
      163..177 http.file_data = "{"hp": [1, 2]}"
      163..177 json.object
        164..176 json.member
          165..167 json.key = "hp"
          170..176 json.array
            171..172 json.value.number = "1"
            174..175 json.value.number = "2"
    "#);
}

#[test]
fn a_chunked_and_compressed_response_is_decoded() {
    let mut session = Session::default();
    split(&mut session, Side::Client, b"GET /a/b.txt HTTP/1.1\r\nHost: h\r\n\r\n");
    let body = chunked(&gzip(b"hello, hello, hello"), 16);
    let bytes =
        with_head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: gzip\nContent-Type: text/plain\n\n", &body);
    insta::assert_snapshot!(split(&mut session, Side::Server, &bytes).concat(), @r#"
    http 0..164 | 200 | OK, text/plain of http://h/a/b.txt
      http.response = true
      0..9 http.response.version = "HTTP/1.1"
      9..13 http.response.code = 200 (OK)
      13..17 http.response.phrase = "OK"
      17..45 http.transfer_encoding = "chunked"
      45..69 http.content_encoding = "gzip"
      69..95 http.content_type = "text/plain"
      95..97 http.blank = 0d0a
      http.request_in = 0
      http.response_for.uri = "http://h/a/b.txt"
      97..107 http.chunk_size = 16
      107..123 http.chunk_data = 1f8b08000000000000ffcb48cdc9c9d7
      123..125 http.chunk_boundary = 0d0a
      125..134 http.chunk_size = 13
      134..147 http.chunk_data = 51c840a2009fa1ca0913000000
      147..149 http.chunk_boundary = 0d0a
      149..152 http.chunk_size = 0
      152..162 http.chunked_trailer_part = "X-Sum: 9"
      162..164 http.chunk_boundary = 0d0a
      0..29 http.encoded = 29 bytes
      0..19 http.file_data = "hello, hello, hello"
    "#);
}

#[test]
fn messages_end_where_their_headers_declare() {
    let mut session = Session::default();
    let asked = b"GET /1 HTTP/1.1\r\n\r\nHEAD /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\nGET /4 HTTP/1.0\r\n\r\n";
    assert_eq!(split(&mut session, Side::Client, asked).len(), 4);
    let answers = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\
        HTTP/1.1 304 Not Modified\r\nContent-Length: 8\r\n\r\nHTTP/1.0 200\r\n\r\nup to the end";
    let trees = split(&mut session, Side::Server, answers);
    assert_eq!(
        headings(&trees),
        [
            "http 0..25 | 100 | Continue",
            "http 0..41 | 200 | OK of /1",
            "http 0..38 | 200 | OK of /2",
            "http 0..48 | 304 | Not Modified of /3",
            "http 0..29 | 200 |  of /4",
        ]
    );
    assert!(trees[4].contains("http.file_data = \"up to the end\""), "{}", trees[4]);
}

#[test]
fn what_looks_like_a_response_of_the_client_answers_no_request_of_it() {
    let mut session = Session::default();
    let asked = b"GET /1 HTTP/1.1\r\n\r\nHTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\nHEAD /2 HTTP/1.1\r\n\r\n";
    assert_eq!(headings(&split(&mut session, Side::Client, asked))[1], "http 0..48 | 401 | Unauthorized");
    let answers = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    let trees = split(&mut session, Side::Server, answers);
    assert_eq!(headings(&trees), ["http 0..41 | 200 | OK of /1", "http 0..38 | 200 | OK of /2"]);
}

#[test]
fn chunked_messages_end_correctly_at_any_segmentation() {
    for size in [1, 2, 15, 1000] {
        let bytes = with_head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", &chunked(&[b'x'; 100], size));
        let trees = split(&mut Session::default(), Side::Server, &[&bytes[..], b"HTTP/1.1 204 No Content\r\n\r\n"].concat());
        assert_eq!(trees.len(), 2, "{trees:?}");
        assert!(trees[0].contains(&format!("http.file_data = \"{}\"", "x".repeat(100))), "{}", trees[0]);
        assert!(trees[0].contains("http.chunked_trailer_part = \"X-Sum: 9\""));
    }
}

#[test]
fn a_body_above_the_limit_is_dissected_in_parts() {
    let size = limits::HTTP_BODY.get() + PART_SIZE;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n");
    let bytes = [head.as_bytes(), &vec![7; size], b"HTTP/1.1 204 No Content\r\n\r\n"].concat();
    let trees = split(&mut Session::default(), Side::Server, &bytes);
    assert_eq!(trees.len(), 2 + limits::HTTP_BODY.get() / PART_SIZE + 1);
    assert!(
        trees[0].contains("! info http.in_parts")
            && trees[1]
                .starts_with(&format!("http 0..{PART_SIZE} | body | {PART_SIZE} bytes, {} to come", limits::HTTP_BODY.get()))
    );
    assert!(trees.last().unwrap().contains("| 204 |"));
}

#[test]
fn long_chunks_are_dissected_in_parts_too() {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1400000\r\n".to_vec();
    bytes.extend(vec![7; 0x140_0000]);
    bytes.extend_from_slice(b"\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
    let trees = split(&mut Session::default(), Side::Server, &bytes);
    assert!(trees[0].contains("! info http.in_parts") && trees.last().unwrap().contains("| 204 |"), "{:?}", headings(&trees));
    assert!(trees.iter().all(|tree| !tree.contains("unknown") && !tree.contains("! broken")));
}

#[test]
fn connect_and_upgrade_hand_over_the_stream() {
    let mut session = Session::default();
    split(&mut session, Side::Client, b"CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n");
    split(&mut session, Side::Server, b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    assert!(session.next().is_none());
    split(&mut session, Side::Client, b"CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n");
    assert_eq!(session.extent(Side::Client, b"\x16\x03\x01", true), Extent::NeedMore(4));
    split(&mut session, Side::Server, b"HTTP/1.1 200 Connection established\r\n\r\n");
    assert!(matches!(session.next(), Some(Next::Detect)));
    let mut session = Session::default();
    split(&mut session, Side::Client, b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
    split(&mut session, Side::Server, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n\r\n");
    assert!(matches!(session.next(), Some(Next::To(..))));
}

#[test]
fn a_switch_of_protocols_does_not_answer_an_unfinished_request() {
    let mut session = Session::default();
    assert!(matches!(session.extent(Side::Client, b"GET / HTTP/1.1\r\nHost: h\r\n", true), Extent::NeedMore(_)));
    split(&mut session, Side::Server, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n\r\n");
    assert!(session.next().is_none());
}

#[test]
fn malformed_bodies_keep_the_valid_fields() {
    let bad = with_head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", b"3\r\nabc\r\nzz\r\n");
    let tree = split(&mut Session::default(), Side::Server, &bad).concat();
    assert!(tree.contains("http.chunk_data = 616263") && tree.contains("! broken http.bad_chunk"), "{tree}");
    let bad = with_head("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 4\n\n", b"nope");
    let tree = split(&mut Session::default(), Side::Server, &bad).concat();
    assert!(tree.contains("! odd http.decompression_failed") && tree.contains("http.data = 6e6f7065"), "{tree}");
    let tree = split(&mut Session::default(), Side::Client, &REQUEST_BYTES[..170]).concat();
    assert!(tree.contains("! broken dissect.unfinished") && tree.contains("http.data"), "{tree}");
}

#[test]
fn decompression_is_limited() {
    let body = gzip(&[0; 5000]);
    assert_eq!(body::decoded(head::Coding::Gzip, &body, 1000).unwrap().len(), 1000);
    assert_eq!(body::decoded(head::Coding::Gzip, &body, 10_000).unwrap().len(), 5000);
}

#[test]
fn streams_are_recognized_by_a_complete_start_line() {
    let judge = |client: &[u8], server: &[u8], complete| {
        heuristics::anywhere(&Opening { sent: [client, server], from_start: [true, true], complete })
    };
    assert_eq!(judge(b"GET / HTTP/1.1\r\n", b"", false), Verdict::Yes(Side::Server));
    assert_eq!(judge(b"", b"GET / HTTP/1.1\r\n", false), Verdict::Yes(Side::Client));
    assert_eq!(judge(b"", b"HTTP/1.0 200 OK\r\n", false), Verdict::Yes(Side::Server));
    assert_eq!(judge(b"GET /", b"", false), Verdict::Unsure);
    assert_eq!(judge(b"GET /", b"", true), Verdict::No);
    for other in
        [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], b"OPTIONS sip:a SIP/2.0\r\n", b"NICK x\r\n", b"GET /\r\n", b"\x16\x03\x01"]
    {
        assert_eq!(judge(other, b"", false), Verdict::No, "{}", other.escape_ascii());
    }
}

#[test]
fn after_a_gap_the_next_start_line_is_found() {
    let mut session = Session::default();
    session.gap(Side::Server, crate::wire::Missing { bytes: 9, in_step: false });
    let bytes = b"rest of a body\xffHTTP/1.1 204 No Content\r\n\r\n";
    assert_eq!(session.extent(Side::Server, bytes, true), Extent::Unknown(15));
    let trees = split(&mut session, Side::Server, &bytes[15..]);
    assert!(trees.last().unwrap().contains("| 204 |"));
}

#[test]
fn bytes_missing_from_a_body_of_known_length_are_counted() {
    let next = b"HTTP/1.1 204 No Content\r\n\r\n";
    for (lost, behind) in [(10, &b"yyyyy"[..]), (15, b"")] {
        let mut session = Session::default();
        let cut = with_head("HTTP/1.1 200 OK\nContent-Length: 20\n\n", b"xxxxx");
        trial::message(&PROTOCOL, &mut session, Side::Server, &cut, Cut::Stream { needed: cut.len() + 15 });
        session.gap(Side::Server, crate::wire::Missing { bytes: lost, in_step: false });
        let trees = split(&mut session, Side::Server, &[behind, next].concat());
        let wanted: &[&str] = if behind.is_empty() {
            &["http 0..27 | 204 | No Content"]
        } else {
            &["http 0..5 | body | 5 bytes, 0 to come", "http 0..27 | 204 | No Content"]
        };
        assert_eq!(headings(&trees), wanted, "{lost} bytes lost");
    }
}

#[test]
fn a_request_without_version_is_http_0_9_on_registered_ports() {
    let opening = |client| Opening { sent: [client, b""], from_start: [true, true], complete: false };
    for bytes in [b"GET /\r\n\r\n".as_slice(), b"GET /motd.txt\n"] {
        assert_eq!(heuristics::on_port(&opening(bytes)), Verdict::Yes(Side::Server));
        assert_eq!(heuristics::anywhere(&opening(bytes)), Verdict::No);
    }
    for bytes in [b"GET x\r\n".as_slice(), b"GET /a b\r\n", b"GET /\x01\r\n", b"POST /\r\n"] {
        assert_eq!(heuristics::on_port(&opening(bytes)), Verdict::No);
    }
    let mut session = Session::default();
    assert_eq!(session.extent(Side::Client, b"GET /a\r\n\r\nGET", true), Extent::Message(10));
    insta::assert_snapshot!(trial::message(&PROTOCOL, &mut session, Side::Client, b"GET /a\r\n\r\n", Cut::No), @r#"
    http 0..10 | GET | /a
      http.request = true
      0..4 http.request.method = "GET"
      4..8 http.request.uri = "/a"
      8..10 http.blank = 0d0a
      http.request.full_uri = "/a"
    "#);
    let trees = split(&mut session, Side::Client, b"GET /b HTTP/1.1\r\n\r\nGET /c\n");
    assert_eq!(headings(&trees), ["http 0..19 | GET | /b", "http 0..7 | GET | /c"]);
}

#[test]
fn a_saved_body_is_named_after_its_uri() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi";
    for (target, name) in [
        ("/a/b.txt?x=1", "b.txt"),
        ("/", "index.txt"),
        ("http://other/x/y.png", "y.png"),
        // The URI inside it has no path.
        ("/web/2020/http://example.com", "index.txt"),
    ] {
        let mut session = Session::default();
        let asked = format!("GET {target} HTTP/1.1\r\nHost: a?b\r\n\r\n");
        let mut names = Vec::new();
        for (side, bytes) in [(Side::Client, asked.as_bytes()), (Side::Server, answer.as_bytes())] {
            let mut tree = Tree::new(Demand::OBJECTS);
            tree.begin(FrameInfo::default());
            let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
            session.message(side, &mut Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), Cut::No)).unwrap();
            names.extend(tree.outcome.objects.iter().map(|carried| carried.object.name.clone()));
        }
        assert_eq!(names, [name], "{target}");
    }
}

#[test]
fn a_request_with_control_characters_is_found_at_any_segmentation() {
    let request = b"GET /a\0\x02b HTTP/1.1\r\nHost: c\r\n\r\n";
    for cut in 1..request.len() {
        let extent = Session::default().extent(Side::Client, &request[..cut], true);
        assert!(matches!(extent, Extent::NeedMore(_)), "{cut}: {extent:?}");
    }
    assert_eq!(Session::default().extent(Side::Client, request, true), Extent::Message(request.len()));
}
