//! Flows of mitmproxy and an archive of a browser: pages, JSON, WebSocket, TCP, UDP, DNS, and a request without a response.

use super::BEGIN;
use crate::Result;

/// A value of a typed netstring.
enum Value {
    Bytes(&'static [u8]),
    Text(&'static str),
    Integer(u32),
    /// Milliseconds since the start, as seconds since 1970.
    Time(u32),
    Is(bool),
    Nothing,
    List(Vec<Value>),
    Map(Vec<(&'static str, Value)>),
}

use Value::{Bytes, Integer, Is, List, Map, Nothing, Text, Time};

impl Value {
    fn write(&self) -> Vec<u8> {
        let (content, kind) = match self {
            Bytes(bytes) => (bytes.to_vec(), b','),
            Text(text) => (text.as_bytes().to_vec(), b';'),
            Integer(number) => (number.to_string().into_bytes(), b'#'),
            Time(time) => (format!("{}.{:03}", BEGIN + time / 1000, time % 1000).into_bytes(), b'^'),
            Is(value) => (value.to_string().into_bytes(), b'!'),
            Nothing => (Vec::new(), b'~'),
            List(values) => (values.iter().flat_map(Value::write).collect(), b']'),
            Map(pairs) => (pairs.iter().flat_map(|(key, value)| [Text(key).write(), value.write()].concat()).collect(), b'}'),
        };
        let mut out = format!("{}:", content.len()).into_bytes();
        out.extend(content);
        out.push(kind);
        out
    }
}

type Pairs = Vec<(&'static str, Value)>;

fn end(host: &'static str, port: u32) -> Value {
    List(vec![Text(host), Integer(port)])
}

fn connections(client_port: u32, server: (&'static str, u32), transport: &'static str) -> Pairs {
    let own = Map(vec![
        ("peername", end("192.0.2.40", client_port)),
        ("sockname", end("192.0.2.1", 8080)),
        ("timestamp_start", Time(0)),
        ("transport_protocol", Text(transport)),
    ]);
    let other = Map(vec![
        ("address", end("game.example", server.1)),
        ("peername", end(server.0, server.1)),
        ("transport_protocol", Text(transport)),
    ]);
    vec![("version", Integer(21)), ("error", Nothing), ("client_conn", own), ("server_conn", other)]
}

fn headers(list: &[(&'static str, &'static str)]) -> Value {
    List(list.iter().map(|(name, value)| List(vec![Bytes(name.as_bytes()), Bytes(value.as_bytes())])).collect())
}

struct Part {
    first: Pairs,
    version: &'static [u8],
    headers: Value,
    content: Value,
    time: u32,
}

fn part(part: Part) -> Value {
    let mut all = part.first;
    all.extend([
        ("http_version", Bytes(part.version)),
        ("headers", part.headers),
        ("content", part.content),
        ("trailers", Nothing),
        ("timestamp_start", Time(part.time)),
        ("timestamp_end", Time(part.time + 3)),
    ]);
    Map(all)
}

fn request(method: &'static [u8], path: &'static [u8], authority: &'static [u8]) -> Pairs {
    vec![
        ("host", Text("game.example")),
        ("port", Integer(443)),
        ("scheme", Bytes(b"https")),
        ("method", Bytes(method)),
        ("path", Bytes(path)),
        ("authority", Bytes(authority)),
    ]
}

fn status(code: u32, reason: &'static [u8]) -> Pairs {
    vec![("status_code", Integer(code)), ("reason", Bytes(reason))]
}

fn flow(kind: &'static str, connections: Pairs, more: Pairs) -> Vec<u8> {
    Map(connections.into_iter().chain([("type", Text(kind))]).chain(more).collect()).write()
}

/// Flows of mitmproxy, version 21.
pub fn flows() -> Result<Vec<u8>> {
    Ok([page(), score(), socket(), refused(), raw("tcp"), raw("udp"), name()].concat())
}

/// A page in chunks.
fn page() -> Vec<u8> {
    let asked = part(Part {
        first: request(b"GET", b"/news?lang=de", b""),
        version: b"HTTP/1.1",
        headers: headers(&[("Host", "game.example"), ("Accept", "*/*")]),
        content: Bytes(b""),
        time: 10,
    });
    let answer = part(Part {
        first: status(200, b"OK"),
        version: b"HTTP/1.1",
        headers: headers(&[("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")]),
        content: Bytes(b"<h1>Moss patch</h1>"),
        time: 60,
    });
    flow("http", connections(51_000, ("198.51.100.9", 443), "tcp"), vec![("request", asked), ("response", answer)])
}

/// JSON over HTTP/2, whose host is in its authority.
fn score() -> Vec<u8> {
    let asked = part(Part {
        first: request(b"POST", b"/score", b"game.example"),
        version: b"HTTP/2.0",
        headers: headers(&[("content-type", "application/json")]),
        content: Bytes(br#"{"points": 120}"#),
        time: 100,
    });
    let answer = part(Part {
        first: status(201, b""),
        version: b"HTTP/2.0",
        headers: headers(&[("content-type", "application/json")]),
        content: Bytes(br#"{"rank": 7}"#),
        time: 140,
    });
    flow("http", connections(51_001, ("198.51.100.9", 443), "tcp"), vec![("request", asked), ("response", answer)])
}

/// An upgrade with a message of each side, and the end.
fn socket() -> Vec<u8> {
    let asked = part(Part {
        first: request(b"GET", b"/live", b""),
        version: b"HTTP/1.1",
        headers: headers(&[("Host", "game.example"), ("Connection", "Upgrade"), ("Upgrade", "websocket")]),
        content: Bytes(b""),
        time: 200,
    });
    let answer = part(Part {
        first: status(101, b"Switching Protocols"),
        version: b"HTTP/1.1",
        headers: headers(&[("Connection", "Upgrade"), ("Upgrade", "websocket")]),
        content: Bytes(b""),
        time: 220,
    });
    let message = |kind, from_client, content, time| {
        List(vec![Integer(kind), Is(from_client), Bytes(content), Time(time), Is(false), Is(false)])
    };
    let messages = List(vec![message(1, true, b"hello", 230), message(2, false, b"\x01\x02\x03\x04", 260)]);
    let web = Map(vec![
        ("messages", messages),
        ("closed_by_client", Is(true)),
        ("close_code", Integer(1000)),
        ("close_reason", Text("bye")),
        ("timestamp_end", Time(300)),
    ]);
    let parts = vec![("request", asked), ("response", answer), ("websocket", web)];
    flow("http", connections(51_002, ("198.51.100.9", 443), "tcp"), parts)
}

/// A request that got no response.
fn refused() -> Vec<u8> {
    let asked = part(Part {
        first: request(b"GET", b"/gone", b""),
        version: b"HTTP/1.1",
        headers: headers(&[("Host", "game.example")]),
        content: Bytes(b""),
        time: 400,
    });
    let mut all = connections(51_003, ("198.51.100.9", 443), "tcp");
    all.retain(|(key, _)| *key != "error");
    let error = Map(vec![("msg", Text("connection refused")), ("timestamp", Time(410))]);
    flow("http", all, vec![("error", error), ("request", asked), ("response", Nothing)])
}

/// Messages of TCP or UDP.
fn raw(kind: &'static str) -> Vec<u8> {
    let message = |from_client, content, time| List(vec![Is(from_client), Bytes(content), Time(time)]);
    let messages = List(vec![message(true, b"\x05\0\0\0moss!", 500), message(false, b"\x02\0\0\0ok", 520)]);
    let port = if kind == "tcp" { 51_004 } else { 51_005 };
    flow(kind, connections(port, ("198.51.100.10", 7777), kind), vec![("messages", messages)])
}

/// A question of DNS and its answer.
fn name() -> Vec<u8> {
    let message = |is_query, answers, time| {
        let question = Map(vec![("name", Text("game.example")), ("type", Integer(1)), ("class_", Integer(1))]);
        Map(vec![
            ("id", Integer(4660)),
            ("query", Is(is_query)),
            ("op_code", Integer(0)),
            ("authoritative_answer", Is(false)),
            ("truncation", Is(false)),
            ("recursion_desired", Is(true)),
            ("recursion_available", Is(!is_query)),
            ("reserved", Integer(0)),
            ("response_code", Integer(0)),
            ("questions", List(vec![question])),
            ("answers", List(answers)),
            ("authorities", List(vec![])),
            ("additionals", List(vec![])),
            ("timestamp", Time(time)),
        ])
    };
    let record = Map(vec![
        ("name", Text("game.example")),
        ("type", Integer(1)),
        ("class_", Integer(1)),
        ("ttl", Integer(300)),
        ("data", Bytes(&[198, 51, 100, 9])),
    ]);
    let parts = vec![("request", message(true, vec![], 600)), ("response", message(false, vec![record], 620))];
    flow("dns", connections(51_006, ("198.51.100.53", 53), "udp"), parts)
}

/// An archive of a browser: a page whose coding was removed, a form, WebSocket, and a request that was blocked.
pub fn browser() -> Result<Vec<u8>> {
    let entries = [
        entry(
            0,
            r#""GET","url":"https://game.example/news?lang=de#top","httpVersion":"h2","headers":[{"name":":authority","value":"game.example"},{"name":"accept-encoding","value":"gzip"}]"#,
            r#""status":200,"statusText":"OK","httpVersion":"h2","headers":[{"name":"Content-Type","value":"text/html"},{"name":"Content-Encoding","value":"gzip"},{"name":"Content-Length","value":"35"}],"content":{"size":19,"mimeType":"text/html","text":"<h1>Moss patch</h1>"}"#,
            "",
        ),
        entry(
            1,
            r#""POST","url":"http://game.example:8080/login","httpVersion":"HTTP/1.1","headers":[{"name":"Host","value":"game.example:8080"},{"name":"Content-Type","value":"application/json"},{"name":"Content-Length","value":"16"}],"postData":{"mimeType":"application/json","text":"{\"user\":\"maren\"}"}"#,
            r#""status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[{"name":"Content-Type","value":"application/octet-stream"}],"content":{"size":4,"mimeType":"application/octet-stream","encoding":"base64","text":"AQIDBA=="}"#,
            "",
        ),
        entry(
            2,
            r#""GET","url":"wss://game.example/live","httpVersion":"HTTP/1.1","headers":[{"name":"Host","value":"game.example"},{"name":"Connection","value":"Upgrade"},{"name":"Upgrade","value":"websocket"}]"#,
            r#""status":101,"statusText":"Switching Protocols","httpVersion":"HTTP/1.1","headers":[{"name":"Connection","value":"Upgrade"},{"name":"Upgrade","value":"websocket"}],"content":{"size":0,"mimeType":"x-unknown"}"#,
            r#","_webSocketMessages":[{"type":"send","time":1448400002.25,"opcode":1,"data":"hello"},{"type":"receive","time":1448400002.5,"opcode":2,"data":"AQID"}]"#,
        ),
        entry(
            3,
            r#""GET","url":"https://ads.example/","httpVersion":"","headers":[]"#,
            r#""status":0,"statusText":"","httpVersion":"","headers":[],"content":{"size":0,"mimeType":"x-unknown"},"_error":"net::ERR_BLOCKED_BY_CLIENT""#,
            "",
        ),
    ];
    let head = r#"{"log":{"version":"1.2","creator":{"name":"made for samples","version":"1"},"pages":[],"entries":["#;
    Ok(format!("{head}{}]}}}}\n", entries.join(",")).into_bytes())
}

/// An entry; the request begins with its method.
fn entry(second: u32, request: &str, response: &str, more: &str) -> String {
    format!(
        r#"{{"startedDateTime":"2015-11-24T22:20:0{second}.000+01:00","time":80,"request":{{"method":{request}}},"response":{{{response}}},"cache":{{}},"timings":{{"blocked":1,"dns":2,"connect":7,"send":0,"wait":60,"receive":10}},"serverIPAddress":"198.51.100.9"{more}}}"#
    )
}
