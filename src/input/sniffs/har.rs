//! HTTP archives (HAR 1.2) of browsers and proxies: entries as connections of HTTP/1.1.
//!
//! ```text
//! {"log": {…, "entries": [{"startedDateTime", "time", "request", "response", "timings", "serverIPAddress", …}, …]}}
//! ```
//! An entry is read at a time. Bodies are decoded already, so their coding is left out. Chrome adds messages of WebSocket.

use super::http::{Exchange, Frame, Headers, Message};
use super::rebuilt::Rebuilt;
use super::tnetstring::nanos;
use super::{Buffer, Opened, Sniff, SniffFormat, cut, damaged, json};
use crate::input::buffer::Supply;
use crate::tree::Side;
use serde_json::Value;
use std::io;
use std::net::{IpAddr, SocketAddr};

pub(super) static FORMAT: SniffFormat = SniffFormat { name: "har", begins, open };

/// A byte order mark, which Fiddler writes.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What an archive begins with, apart from white space.
const HEAD: &[&[u8]] = &[b"{", b"\"log\"", b":", b"{"];

/// White space that may stand between these.
const SEARCHED: usize = 1024;

fn begins(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MARK).unwrap_or(bytes).trim_ascii_start().first() == Some(&b'{')
}

/// An archive whose entries are read.
struct Archive {
    number: u32,
    /// Whether the list of entries has begun.
    begun: bool,
}

fn open(input: &mut Buffer) -> io::Result<Option<Opened>> {
    let mut wanted = 16;
    loop {
        let supply = input.need(wanted)?;
        let mut ahead = input.ahead().strip_prefix(MARK).unwrap_or(input.ahead());
        let mut found = 0;
        for word in HEAD {
            ahead = ahead.trim_ascii_start();
            match ahead.strip_prefix(*word) {
                Some(rest) => (ahead, found) = (rest, found + 1),
                None if word.starts_with(ahead) && supply == Supply::Enough => break,
                None => return Ok(None),
            }
        }
        if found == HEAD.len() {
            break;
        }
        if wanted > SEARCHED {
            return Ok(None);
        }
        wanted *= 2;
    }
    let description = "an HTTP archive (HAR)".to_owned();
    Ok(Some(Opened { description, sniff: Box::new(Archive { number: 0, begun: false }) }))
}

/// Consumes everything before the first entry; `false` if there are no entries.
fn find_entries(input: &mut Buffer) -> io::Result<bool> {
    if input.ahead().starts_with(MARK) {
        input.pass(MARK.len());
    }
    json::expect(input, b'{', "at the beginning")?;
    for sought in ["log", "entries"] {
        loop {
            match json::peek(input)? {
                Some(b'}') => return Ok(false),
                Some(b',') => input.pass(1),
                None => return Err(cut(input, "the archive")),
                _ => {}
            }
            json::peek(input)?;
            let length = json::value_len(input, "a key")?;
            let is_sought = input.use_up(length) == format!("\"{sought}\"").as_bytes();
            json::expect(input, b':', "behind a key")?;
            json::peek(input)?;
            if is_sought {
                break;
            }
            json::skip(input, "a value")?;
        }
        json::expect(input, if sought == "log" { b'{' } else { b'[' }, "behind a key")?;
    }
    Ok(true)
}

impl Sniff for Archive {
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool> {
        if !std::mem::replace(&mut self.begun, true) && !find_entries(input)? {
            return Ok(false);
        }
        match json::peek(input)? {
            Some(b',') => input.pass(1),
            Some(b']') => return Ok(false),
            Some(_) => {}
            None => return Err(cut(input, "the list of entries")),
        }
        json::peek(input)?;
        let length = json::value_len(input, "an entry")?;
        let entry: Value = match serde_json::from_slice(input.ahead().get(..length).unwrap_or_default()) {
            Ok(entry) => entry,
            Err(error) => return Err(damaged(input, &format!("an entry that is no JSON ({error})"))),
        };
        self.number += 1;
        exchange(&entry).write(self.number, out);
        input.pass(length);
        Ok(true)
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn millis(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_f64).and_then(|millis| nanos(millis / 1000.0)).unwrap_or(0)
}

/// Nanoseconds since 1970.
fn started(entry: &Value) -> u64 {
    let time = text(entry, "startedDateTime").parse::<jiff::Timestamp>().ok();
    time.and_then(|time| u64::try_from(time.as_nanosecond()).ok()).unwrap_or(0)
}

fn exchange(entry: &Value) -> Exchange {
    const NONE: &Value = &Value::Null;
    let part = |key: &str| entry.get(key).unwrap_or(NONE);
    let (request, response, timings) = (part("request"), part("response"), part("timings"));
    let url = Url::parse(text(request, "url"));
    let begun = started(entry);
    let sum = |keys: &[&str]| keys.iter().map(|key| millis(timings.get(key))).fold(0, u64::saturating_add);
    let asked = begun.saturating_add(sum(&["blocked", "dns", "connect"]));
    let answered = asked.saturating_add(sum(&["send", "wait"]));
    let ended = answered.saturating_add(sum(&["receive"])).max(begun.saturating_add(millis(entry.get("time"))));
    let status = response.get("status").and_then(Value::as_u64).unwrap_or(0);
    let server = text(entry, "serverIPAddress").trim_matches(['[', ']']).parse::<IpAddr>().ok();
    let post = request.get("postData").and_then(|post| post.get("text")).and_then(Value::as_str);
    let asked_message = Message {
        first: [text(request, "method").as_bytes().to_vec(), url.target.into_bytes()],
        version: text(request, "httpVersion").to_ascii_uppercase().into_bytes(),
        headers: headers(request),
        body: post.filter(|body| !body.is_empty()).map(|body| body.as_bytes().to_vec()),
        is_decoded: true,
        time: [asked, answered],
        ..Message::default()
    };
    let answer = (status > 0).then(|| Message {
        first: [format!("{status:03}").into_bytes(), text(response, "statusText").as_bytes().to_vec()],
        version: text(response, "httpVersion").to_ascii_uppercase().into_bytes(),
        headers: headers(response),
        body: response.get("content").and_then(content),
        is_decoded: true,
        time: [answered, ended],
        ..Message::default()
    });
    let error = Some(text(response, "_error")).filter(|error| !error.is_empty()).map(str::to_owned);
    Exchange {
        client: None,
        server: server.map(|ip| SocketAddr::new(ip, url.port)),
        scheme: url.scheme.into_bytes(),
        host: url.host.into_bytes(),
        port: url.port,
        request: asked_message,
        response: answer,
        error,
        frames: entry.get("_webSocketMessages").and_then(Value::as_array).map(|list| frames(list)).unwrap_or_default(),
    }
}

/// Header lines: objects, or lists of name and value.
fn headers(message: &Value) -> Headers {
    let list = message.get("headers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let pair = |header: &Value| {
        let part = |key: &str, place: usize| header.get(key).or_else(|| header.get(place)).and_then(Value::as_str);
        Some((part("name", 0)?.as_bytes().to_vec(), part("value", 1)?.as_bytes().to_vec()))
    };
    list.iter().filter_map(pair).collect()
}

/// The body of a response.
fn content(content: &Value) -> Option<Vec<u8>> {
    let text = content.get("text").and_then(Value::as_str)?;
    match content.get("encoding").and_then(Value::as_str) {
        Some("base64") => base64(text),
        _ => Some(text.as_bytes().to_vec()),
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    data_encoding::BASE64.decode(text.as_bytes()).ok()
}

/// Messages of WebSocket that Chrome records.
fn frames(list: &[Value]) -> Vec<Frame> {
    let frame = |message: &Value| {
        let side = match text(message, "type") {
            "send" => Side::Client,
            "receive" => Side::Server,
            _ => return None,
        };
        let opcode = message.get("opcode").and_then(Value::as_u64).and_then(|opcode| u8::try_from(opcode).ok()).unwrap_or(1);
        let data = text(message, "data");
        let payload =
            if opcode == 1 { data.as_bytes().to_vec() } else { base64(data).unwrap_or_else(|| data.as_bytes().to_vec()) };
        let time = message.get("time").and_then(Value::as_f64).and_then(nanos)?;
        Some(Frame { side, opcode, payload, time })
    };
    list.iter().filter_map(frame).collect()
}

/// The parts of a URL.
struct Url {
    scheme: String,
    host: String,
    port: u16,
    /// Path and query.
    target: String,
}

impl Url {
    fn parse(url: &str) -> Url {
        let url = url.split('#').next().unwrap_or_default();
        let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
        let scheme = match scheme {
            "ws" => "http",
            "wss" => "https",
            other => other,
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let authority = authority.rsplit('@').next().unwrap_or_default();
        let usual = if scheme == "https" { 443 } else { 80 };
        let (host, port) = match authority.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?))) {
            Some((host, port)) => (host, port),
            None => (authority, usual),
        };
        let slash = if target.starts_with('/') { "" } else { "/" };
        let target = format!("{slash}{}", target.replace(' ', "%20"));
        Url { scheme: scheme.to_owned(), host: host.to_owned(), port, target }
    }
}
