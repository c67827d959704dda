//! Flows of mitmproxy: HTTP as connections of HTTP/1.1, WebSocket as frames, TCP, UDP and DNS as conversations.
//!
//! A flow is a map in the notation of `tnetstring`. The formats of versions 0.10 to 21 differ in the names of some keys.

use super::http::{Exchange, Frame, Headers, Message, without_port};
use super::opcodes::{CLIENT, SERVER};
use super::rebuilt::{Ends, Rebuilt};
use super::tnetstring::{Size, Value, size};
use super::{Buffer, Opened, Sniff, SniffFormat, cut, damaged, dns};
use crate::input::buffer::Supply;
use crate::tree::Side;
use std::io;
use std::net::SocketAddr;

pub(super) static FORMAT: SniffFormat = SniffFormat { name: "mitmproxy", begins, open };

/// The last version of the format that is known.
const VERSION: i64 = 21;

/// Keys of flows, of which one is near the beginning.
const KEYS: &[&[u8]] = &[
    b"7:version",
    b"7:request",
    b"8:response",
    b"8:messages",
    b"9:websocket",
    b"11:client_conn",
    b"11:server_conn",
    b"11:intercepted",
    b"17:timestamp_created",
];

/// Bytes of a flow that are searched for what a flow has.
const SEARCHED: usize = 4096;

fn begins(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let outer = digits(bytes);
    // The first key follows, which has one or two digits.
    let key = bytes.get(outer + 1..).unwrap_or_default();
    let is_key = match digits(key) {
        0 => key.is_empty(),
        inner @ 1..=2 => key.get(inner).is_none_or(|colon| *colon == b':'),
        _ => false,
    };
    (1..8).contains(&outer) && bytes.get(outer) == Some(&b':') && is_key
}

/// A file of flows.
struct Flows {
    number: u32,
    /// A handshake of WebSocket, whose messages are in a later flow, in files up to version 11.
    handshake: Option<Exchange>,
}

fn open(input: &mut Buffer) -> io::Result<Option<Opened>> {
    let Size::Whole(size) = size(input.ahead()) else { return Ok(None) };
    input.need(size.min(SEARCHED))?;
    let bytes = input.ahead().get(..size.min(SEARCHED)).unwrap_or(input.ahead());
    let has = |key: &[u8]| memchr::memmem::find(bytes, key).is_some();
    let is_flow = KEYS.iter().any(|key| has(key));
    // A short input may be cut; a whole value has its type at its end.
    let is_map = bytes.len() < size || bytes.last() == Some(&b'}');
    if !is_flow || !is_map {
        return Ok(None);
    }
    let sniff = Box::new(Flows { number: 0, handshake: None });
    Ok(Some(Opened { description: "flows of mitmproxy".to_owned(), sniff }))
}

impl Sniff for Flows {
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool> {
        let size = loop {
            match size(input.ahead()) {
                Size::Whole(size) => break size,
                Size::Short if input.need(input.ahead().len() + 1)? == Supply::Enough => {}
                Size::Short if input.ahead().is_empty() => {
                    self.end(out);
                    return Ok(false);
                }
                Size::Short => return Err(cut(input, "the length of a flow")),
                Size::Wrong => return Err(damaged(input, "something that is no flow")),
            }
        };
        if input.need(size)? == Supply::Ended {
            self.end(out);
            return Err(cut(input, &format!("a flow of {size} bytes")));
        }
        let bytes = input.ahead().get(..size).unwrap_or_default();
        let flow = Value::read(bytes).map(|(value, _)| value).filter(|value| value.is_map());
        let Some(flow) = flow else { return Err(damaged(input, "a value that is no flow")) };
        if let Some(version) = flow.get("version").and_then(Value::integer).filter(|version| *version > VERSION) {
            return Err(damaged(input, &format!("a flow of version {version}; known are those up to {VERSION}")));
        }
        self.flow(flow, out);
        input.pass(size);
        Ok(true)
    }
}

impl Flows {
    fn flow(&mut self, flow: Value<'_>, out: &mut Rebuilt) {
        self.number += 1;
        match flow.get("type").and_then(Value::bytes) {
            Some(b"tcp") => self.messages(flow, true, out),
            Some(b"udp") => self.messages(flow, false, out),
            Some(b"dns") => self.dns(flow, out),
            Some(b"websocket") => self.late_frames(flow, out),
            _ => {
                let mut exchange = exchange(flow);
                let is_old = flow.get("metadata").and_then(|data| data.get("websocket")).is_some() && exchange.frames.is_empty();
                self.end(out);
                if is_old {
                    self.handshake = Some(exchange);
                } else {
                    exchange.write(self.number, out);
                }
            }
        }
    }

    /// Writes a handshake whose messages did not follow.
    fn end(&mut self, out: &mut Rebuilt) {
        if let Some(mut exchange) = self.handshake.take() {
            exchange.write(self.number.saturating_sub(1), out);
        }
    }

    /// The messages of WebSocket in a flow of their own.
    fn late_frames(&mut self, flow: Value<'_>, out: &mut Rebuilt) {
        let mut exchange = self.handshake.take().unwrap_or_else(|| {
            let mut unknown = exchange(flow);
            (unknown.scheme, unknown.host) = (b"http".to_vec(), b"unknown".to_vec());
            unknown.request.first = [b"GET".to_vec(), b"/".to_vec()];
            unknown.request.headers = vec![(b"Upgrade".to_vec(), b"websocket".to_vec())];
            let response = unknown.response.get_or_insert_default();
            response.first = [b"101".to_vec(), b"Switching Protocols".to_vec()];
            response.headers = vec![(b"Upgrade".to_vec(), b"websocket".to_vec())];
            unknown
        });
        exchange.frames = frames(flow);
        exchange.write(self.number, out);
    }

    fn ends(&self, flow: Value<'_>) -> Ends {
        let port = 40_000 + u16::try_from(self.number % 20_000).unwrap_or_default();
        let (client, server) = ends(flow);
        Ends {
            client: client.unwrap_or(SocketAddr::new(CLIENT, port)),
            server: server.unwrap_or(SocketAddr::new(SERVER, port_of(flow).unwrap_or(0))),
        }
    }

    /// The messages of TCP or UDP.
    fn messages(&mut self, flow: Value<'_>, is_tcp: bool, out: &mut Rebuilt) {
        let ends = self.ends(flow);
        let began = flow.get("client_conn").and_then(|end| end.get("timestamp_start")).and_then(Value::time).unwrap_or(0);
        let mut conversation = if is_tcp { out.connect(ends, began, "") } else { out.datagrams(ends) };
        let mut last = began;
        for message in flow.get("messages").into_iter().flat_map(Value::elements) {
            let mut parts = message.elements();
            let (Some(from_client), Some(content)) = (parts.next(), parts.next().and_then(Value::bytes)) else { continue };
            last = parts.next().and_then(Value::time).unwrap_or(last);
            let side = if from_client.is_true() { Side::Client } else { Side::Server };
            out.send(&mut conversation, side, last, &[content], "");
        }
        let comment = error(flow).map_or(String::new(), |error| format!("error: {error}"));
        out.close(&mut conversation, Side::Client, last, &comment);
    }

    fn dns(&mut self, flow: Value<'_>, out: &mut Rebuilt) {
        let mut conversation = out.datagrams(self.ends(flow));
        for (side, key) in [(Side::Client, "request"), (Side::Server, "response")] {
            let Some(message) = flow.get(key) else { continue };
            let time = message.get("timestamp").and_then(Value::time).unwrap_or(0);
            out.send(&mut conversation, side, time, &[&dns::message(message)], "");
        }
    }
}

/// Client and server of a flow, as far as they are addresses.
fn ends(flow: Value<'_>) -> (Option<SocketAddr>, Option<SocketAddr>) {
    let client = flow.get("client_conn").or_else(|| flow.get("request").and_then(|request| request.get("client_conn")));
    let client = client.and_then(|end| end.any(&["peername", "address"])).and_then(Value::socket);
    let server = flow.get("server_conn");
    let server = ["peername", "ip_address", "peer_address", "address"]
        .iter()
        .find_map(|key| server.and_then(|end| end.get(key)).and_then(Value::socket));
    (client, server)
}

/// The port of the server, of which only the name is known.
fn port_of(flow: Value<'_>) -> Option<u16> {
    let address = flow.get("server_conn")?.get("address")?;
    let address = address.get("address").unwrap_or(address);
    address.elements().nth(1).and_then(Value::integer).and_then(|port| u16::try_from(port).ok())
}

fn error(flow: Value<'_>) -> Option<String> {
    let message = flow.get("error")?.get("msg")?.bytes()?;
    Some(String::from_utf8_lossy(message).into_owned())
}

/// A request with its response.
fn exchange(flow: Value<'_>) -> Exchange {
    let (client, server) = ends(flow);
    let request = flow.get("request");
    let text = |key: &str| request.and_then(|request| request.get(key)).and_then(Value::bytes).unwrap_or_default().to_vec();
    let port = request.and_then(|request| request.get("port")).and_then(Value::integer);
    let port = port.and_then(|port| u16::try_from(port).ok()).or_else(|| port_of(flow)).unwrap_or(80);
    let created = flow.any(&["timestamp_created"]).and_then(Value::time);
    let mut asked = request.map(|request| message(request, created.unwrap_or(0))).unwrap_or_default();
    let is_whole = asked_whole(request) || asked.version.starts_with(b"HTTP/1.") && !text("authority").is_empty();
    let target = if is_whole { whole(&text("scheme"), &text("host"), port, &text("path")) } else { text("path") };
    let target = if text("method") == b"CONNECT" { text("authority") } else { target };
    asked.first = [text("method"), if target.is_empty() { b"/".to_vec() } else { target }];
    let answer = flow.get("response").map(|response| {
        let mut answer = message(response, asked.time[1]);
        let status = response.any(&["status_code", "code"]).and_then(Value::integer).unwrap_or(0);
        let reason = response.any(&["reason", "msg"]).and_then(Value::bytes).unwrap_or_default();
        answer.first = [format!("{status:03}").into_bytes(), reason.to_vec()];
        answer
    });
    let host = if text("authority").is_empty() { text("host") } else { without_port(&text("authority")).to_vec() };
    Exchange {
        client,
        server: server.map(|server| SocketAddr::new(server.ip(), if server.port() == 0 { port } else { server.port() })),
        scheme: text("scheme"),
        host,
        port,
        request: asked,
        response: answer,
        error: error(flow),
        frames: flow.get("websocket").map(frames).unwrap_or_default(),
    }
}

/// Whether a request to a proxy had a whole URL.
fn asked_whole(request: Option<Value<'_>>) -> bool {
    let form = request.and_then(|request| request.any(&["first_line_format", "form_in"])).and_then(Value::bytes);
    form == Some(b"absolute")
}

fn whole(scheme: &[u8], host: &[u8], port: u16, path: &[u8]) -> Vec<u8> {
    let usual = if scheme == b"https" { 443 } else { 80 };
    let place = if port == usual { String::new() } else { format!(":{port}") };
    [scheme, b"://", host, place.as_bytes(), path].concat()
}

/// What requests and responses have in common.
fn message(value: Value<'_>, otherwise: u64) -> Message {
    let numbers = |version: Value<'_>| {
        let numbers: Vec<String> = version.elements().filter_map(Value::integer).map(|number| number.to_string()).collect();
        format!("HTTP/{}", numbers.join(".")).into_bytes()
    };
    let old = value.get("httpversion").map(numbers);
    let version = value.get("http_version").and_then(Value::bytes).map(<[u8]>::to_vec).or(old).unwrap_or_default();
    let start = value.get("timestamp_start").and_then(Value::time).unwrap_or(otherwise);
    let end = value.get("timestamp_end").and_then(Value::time).unwrap_or(start);
    Message {
        version,
        headers: value.get("headers").map(headers).unwrap_or_default(),
        body: value.any(&["content", "body"]).and_then(Value::bytes).map(<[u8]>::to_vec),
        trailers: value.get("trailers").map(headers).unwrap_or_default(),
        time: [start, end],
        ..Message::default()
    }
}

fn headers(list: Value<'_>) -> Headers {
    let pair = |pair: Value<'_>| {
        let mut parts = pair.elements().filter_map(Value::bytes);
        Some((parts.next()?.to_vec(), parts.next()?.to_vec()))
    };
    list.elements().filter_map(pair).collect()
}

/// The messages of WebSocket and the end of the connection.
fn frames(value: Value<'_>) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut last = 0;
    for message in value.get("messages").into_iter().flat_map(Value::elements) {
        let mut parts = message.elements();
        let opcode = parts.next().and_then(Value::integer).and_then(|opcode| u8::try_from(opcode).ok());
        let (Some(opcode), Some(from_client), Some(content)) = (opcode, parts.next(), parts.next().and_then(Value::bytes)) else {
            continue;
        };
        last = parts.next().and_then(Value::time).unwrap_or(last);
        let side = if from_client.is_true() { Side::Client } else { Side::Server };
        frames.push(Frame { side, opcode, payload: content.to_vec(), time: last });
    }
    let code = value.get("close_code").and_then(Value::integer).and_then(|code| u16::try_from(code).ok());
    if let Some(code) = code {
        let by_client = value.get("closed_by_client").is_some_and(Value::is_true)
            || value.get("close_sender").and_then(Value::bytes) == Some(b"client");
        let reason = value.get("close_reason").and_then(Value::bytes).unwrap_or_default();
        // 1005 states that the frame had no code.
        let payload = if code == 1005 { Vec::new() } else { [&code.to_be_bytes(), reason].concat() };
        let time = value.get("timestamp_end").and_then(Value::time).unwrap_or(last);
        frames.push(Frame { side: if by_client { Side::Client } else { Side::Server }, opcode: 8, payload, time });
    }
    frames
}
