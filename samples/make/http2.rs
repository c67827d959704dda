//! HTTP/2: a page and a pushed style sheet, JSON in two frames, a header block in two frames, an upgrade, gRPC calls.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, pcap, talk};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn counted(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).unwrap_or_default();
    [&[length], text.as_bytes()].concat()
}

/// A literal field that is added to the dynamic table.
fn field(name: &str, value: &str) -> Vec<u8> {
    [&[0x40][..], &counted(name), &counted(value)].concat()
}

/// A literal field with a name of the static table, never indexed.
fn never(index: u8, value: &str) -> Vec<u8> {
    [&[0x1f, index - 15][..], &counted(value)].concat()
}

/// `GET http://www.example.com/`, Huffman-encoded: RFC 7541, appendix C.4.1.
const GET: &[u8] = b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff";
/// The same with `cache-control: no-cache`: appendix C.4.2, but the authority is the second newest entry.
const GET_AGAIN: &[u8] = b"\x82\x86\x84\xbf\x58\x86\xa8\xeb\x10\x64\x9c\xbf";

/// Pages, a push, JSON and trailers.
fn pages(trace: &mut Trace) -> Result {
    let settings = frame(SETTINGS, 0, 0, b"\0\x03\0\0\0\x64\0\x04\0\0\xff\xff");
    let ack = frame(SETTINGS, ACK, 0, b"");
    let page = [&b"\x88"[..], &field("content-type", "text/plain"), &field("server", "Test")].concat();
    let style = [b"\x82\x86\x41\x0fwww.example.com".as_slice(), b"\x44\x0a/style.css"].concat();
    // The block is split inside a field.
    let post = [&b"\x83\x86\xbe\x44\x06/login"[..], &field("content-type", "application/json"), &never(23, "Bearer moss-green")]
        .concat();
    let (begin, rest) = post.split_at(20);
    let client =
        [PREFACE, &settings, &frame(PRIORITY, 0, 3, b"\0\0\0\0\xc8"), &frame(HEADERS, END_STREAM | END_HEADERS, 1, GET)].concat();
    let server = [
        frame(SETTINGS, 0, 0, b"\0\x01\0\0\x10\0\0\x05\0\0\x40\0"),
        ack.clone(),
        frame(PUSH_PROMISE, END_HEADERS, 1, &[&[0, 0, 0, 2][..], &style].concat()),
        frame(HEADERS, END_HEADERS, 1, &page),
        frame(DATA, END_STREAM | PADDED, 1, b"\x03hello, hello\n\0\0\0"),
        frame(HEADERS, END_HEADERS, 2, &[&b"\x88"[..], &field("content-type", "text/css")].concat()),
        frame(DATA, END_STREAM, 2, b"p { color: green }\n"),
    ];
    let login = [
        ack,
        frame(HEADERS, 0, 3, begin),
        frame(CONTINUATION, END_HEADERS, 3, rest),
        frame(DATA, 0, 3, br#"{"name": "anna", "#),
        frame(DATA, END_STREAM, 3, br#""slots": 2}"#),
        frame(HEADERS, END_STREAM | END_HEADERS, 5, GET_AGAIN),
    ];
    let answer = [
        frame(WINDOW_UPDATE, 0, 0, b"\0\0\x04\0"),
        frame(HEADERS, END_HEADERS, 3, &[&b"\x8d"[..], &field("content-type", "application/json")].concat()),
        frame(DATA, 0, 3, br#"{"error": "no such user"}"#),
        frame(HEADERS, END_STREAM | END_HEADERS, 3, &field("x-sum", "9")),
        frame(RST_STREAM, 0, 5, b"\0\0\0\x08"),
        frame(PING, 0, 0, b"sample 1"),
    ];
    let end = [frame(PING, ACK, 0, b"sample 1"), frame(GOAWAY, 0, 0, b"\0\0\0\x02\0\0\0\0goodbye")].concat();
    let lines: [Line<'_>; 5] = [(C, &client), (S, &server.concat()), (C, &login.concat()), (S, &answer.concat()), (C, &end)];
    talk(trace, [50_120, 8080], &lines)
}

/// An upgrade from HTTP/1.1; the response is on stream 1.
fn upgrade(trace: &mut Trace) -> Result {
    let response = [
        frame(SETTINGS, 0, 0, b""),
        frame(HEADERS, END_HEADERS, 1, &[&b"\x88"[..], &field("content-type", "text/plain")].concat()),
        frame(DATA, END_STREAM, 1, b"upgraded\n"),
    ];
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
    let client = [PREFACE, &frame(SETTINGS, 0, 0, b""), &frame(SETTINGS, ACK, 0, b"")].concat();
    let lines: [Line<'_>; 4] = [
        (C, b"GET /news.txt HTTP/1.1\r\nHost: game.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"),
        (S, switch),
        (C, &client),
        (S, &response.concat()),
    ];
    talk(trace, [50_121, 80], &lines)
}

/// A gRPC call whose response has two messages, the second in two frames.
fn calls(trace: &mut Trace) -> Result {
    let call =
        [&b"\x83\x86\x44\x12/game.Scores/Watch\x41\x0cgame.example"[..], &field("content-type", "application/grpc")].concat();
    let request = b"\0\0\0\0\x08\x0a\x04anna\x10\x07";
    let client =
        [PREFACE, &frame(SETTINGS, 0, 0, b""), &frame(HEADERS, END_HEADERS, 1, &call), &frame(DATA, END_STREAM, 1, request)]
            .concat();
    let score = b"\0\0\0\0\x0f\x0a\x06\x0a\x04falk\x15\0\0\xc8\x42\x18\x01";
    let more = b"\0\0\0\0\x04\x08\xac\x02\x20\0";
    let (first, second) = more.split_at(7);
    let server = [
        frame(SETTINGS, 0, 0, b""),
        frame(HEADERS, END_HEADERS, 1, &[&b"\x88"[..], &field("content-type", "application/grpc")].concat()),
        frame(DATA, 0, 1, &[score, first].concat()),
        frame(DATA, 0, 1, second),
        frame(HEADERS, END_STREAM | END_HEADERS, 1, &field("grpc-status", "0")),
    ];
    talk(trace, [50_122, 50_051], &[(C, &client), (S, &server.concat())])
}

pub fn sessions() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    pages(&mut trace)?;
    upgrade(&mut trace)?;
    calls(&mut trace)?;
    pcap(trace)
}
