//! Requests and responses of logs as messages of HTTP/1.1, and WebSocket messages as frames.
//!
//! A log has a message without its framing: chunks are joined, and HTTP/2 has no start lines. Header lines are kept in their order.
//! Where the framing has to differ from what they state, a comment of the packet says so.

use super::opcodes::{CLIENT, SERVER};
use super::rebuilt::{Conversation, Ends, Rebuilt};
use crate::tree::Side;
use std::fmt::Write;
use std::net::SocketAddr;

/// Names and values.
pub(super) type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// A request or a response.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Method and target, or status and reason.
    pub(super) first: [Vec<u8>; 2],
    pub(super) version: Vec<u8>,
    pub(super) headers: Headers,
    /// Content as it was sent, but not divided into chunks; `None` if the log has none.
    pub(super) body: Option<Vec<u8>>,
    /// Whether the log has decoded the body, whose header states a coding.
    pub(super) is_decoded: bool,
    pub(super) trailers: Headers,
    /// Nanoseconds since 1970 of the start and the end.
    pub(super) time: [u64; 2],
}

/// A request with its response.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub(super) client: Option<SocketAddr>,
    pub(super) server: Option<SocketAddr>,
    /// `http` or `https`.
    pub(super) scheme: Vec<u8>,
    /// Host and port of the URL.
    pub(super) host: Vec<u8>,
    pub(super) port: u16,
    pub(super) request: Message,
    pub(super) response: Option<Message>,
    /// Why there is no response.
    pub(super) error: Option<String>,
    pub(super) frames: Vec<Frame>,
}

/// A message of WebSocket.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) side: Side,
    pub(super) opcode: u8,
    pub(super) payload: Vec<u8>,
    pub(super) time: u64,
}

/// First port of clients without one.
const FIRST_PORT: u16 = 40_000;

impl Exchange {
    /// Adds the exchange as a connection of its own.
    pub(super) fn write(&mut self, number: u32, out: &mut Rebuilt) {
        let port = FIRST_PORT + u16::try_from(number % 20_000).unwrap_or_default();
        let client = self.client.unwrap_or(SocketAddr::new(CLIENT, port));
        let server = self.server.unwrap_or(SocketAddr::new(SERVER, self.port));
        let upgrades = self.response.as_ref().is_some_and(|response| response.first[0] == b"101");
        let [asked, mut ended] = self.request.time;
        let mut connection = out.connect(Ends { client, server }, asked, "");
        self.request.prepare_request(&self.host, self.port, &self.scheme);
        let head_only = self.request.first[0] == b"HEAD";
        let mut comment = self.url();
        let message = self.request.bytes(false, &mut comment);
        out.send(&mut connection, Side::Client, asked, &[&message], &comment);
        if let Some(response) = &mut self.response {
            let mut comment = String::new();
            response.close_at_end(upgrades || head_only);
            let message = response.bytes(head_only || upgrades, &mut comment);
            out.send(&mut connection, Side::Server, response.time[0], &[&message], comment.trim_start_matches("; "));
            ended = ended.max(response.time[1]);
        }
        if upgrades {
            for frame in &self.frames {
                frame.write(&mut connection, out);
                ended = ended.max(frame.time);
            }
        }
        let comment = self.error.as_ref().map_or(String::new(), |error| format!("error: {error}"));
        out.close(&mut connection, Side::Server, ended, &comment);
    }

    fn url(&self) -> String {
        let Exchange { scheme, host, port, .. } = self;
        let [_, target] = &self.request.first;
        let text = String::from_utf8_lossy;
        if target.contains(&b':') && !target.starts_with(b"/") {
            return text(target).into_owned();
        }
        let usual = if scheme == b"https" { 443 } else { 80 };
        let place = if *port == usual || *port == 0 { String::new() } else { format!(":{port}") };
        let stated = self.request.find("host").map(without_port).filter(|host| !host.is_empty());
        format!("{}://{}{place}{}", text(scheme), text(stated.unwrap_or(host)), text(target))
    }
}

impl Message {
    fn find(&self, name: &str) -> Option<&[u8]> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| value.as_slice())
    }

    fn remove(&mut self, name: &str) {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name.as_bytes()));
    }

    /// HTTP/2 has no host line, but HTTP/1.1 requires one.
    fn prepare_request(&mut self, host: &[u8], port: u16, scheme: &[u8]) {
        if self.find("host").is_none() && !host.is_empty() && !self.version.ends_with(b"1.0") {
            let usual = if scheme == b"https" { 443 } else { 80 };
            let place = if port == usual || port == 0 { String::new() } else { format!(":{port}") };
            self.headers.insert(0, (b"Host".to_vec(), [host, place.as_bytes()].concat()));
        }
        let body = self.body.as_ref().map_or(0, Vec::len);
        if body > 0 && self.find("content-length").is_none() && !self.is_chunked() {
            self.headers.push((b"Content-Length".to_vec(), body.to_string().into_bytes()));
        }
    }

    /// A response without a length ends with its connection.
    fn close_at_end(&mut self, upgrades: bool) {
        let has_length = self.find("content-length").is_some() || self.is_chunked();
        let never_has_one = matches!(self.first[0].as_slice(), b"204" | b"304") || self.first[0].starts_with(b"1");
        if self.body.is_none() && !has_length && !upgrades && !never_has_one {
            self.headers.push((b"Content-Length".to_vec(), b"0".to_vec()));
        }
    }

    fn is_chunked(&self) -> bool {
        self.find("transfer-encoding").is_some_and(|coding| coding.to_ascii_lowercase().ends_with(b"chunked"))
    }

    /// The message with its framing; `comment` receives what differs from the log.
    fn bytes(&mut self, has_no_body: bool, comment: &mut String) -> Vec<u8> {
        let known = matches!(self.version.as_slice(), b"HTTP/1.0" | b"HTTP/1.1");
        if !known && !self.version.is_empty() {
            let _ = write!(comment, "; sent as {}", String::from_utf8_lossy(&self.version));
        }
        self.headers.retain(|(name, _)| !name.starts_with(b":"));
        let body = if has_no_body { None } else { self.body.take() };
        if body.is_none() && self.body.is_none() && !has_no_body && self.declares_body() {
            comment.push_str("; the log has no body");
        }
        let body = body.unwrap_or_default();
        if self.is_decoded
            && let Some(coding) = self.find("content-encoding").map(<[u8]>::to_vec)
        {
            let _ = write!(
                comment,
                "; Content-Encoding: {} is left out, because the log has the decoded body",
                String::from_utf8_lossy(&coding)
            );
            self.remove("content-encoding");
        }
        let chunked = self.is_chunked() && !has_no_body;
        self.state_length(body.len(), chunked || has_no_body, comment);
        self.assemble(known, &body, chunked)
    }

    fn declares_body(&self) -> bool {
        self.is_chunked() || self.find("content-length").is_some_and(|length| length != b"0")
    }

    /// Corrects the length.
    fn state_length(&mut self, length: usize, is_elsewhere: bool, comment: &mut String) {
        if is_elsewhere {
            return;
        }
        let mut stated = self.headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case(b"content-length"));
        if let Some((_, value)) = stated.next().filter(|(_, value)| *value != length.to_string().as_bytes()) {
            let _ = write!(comment, "; Content-Length: {} of the log is replaced", String::from_utf8_lossy(value));
            *value = length.to_string().into_bytes();
        }
    }

    fn assemble(&self, known: bool, body: &[u8], chunked: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(body.len() + 1024);
        let version = if known { self.version.as_slice() } else { b"HTTP/1.1" };
        let [one, two] = &self.first;
        let is_response = one.iter().all(u8::is_ascii_digit);
        let words: [&[u8]; 3] = if is_response { [version, one, two] } else { [one, two, version] };
        out.extend_from_slice(&words.join(&b' '));
        out.extend_from_slice(b"\r\n");
        lines(&self.headers, &mut out);
        out.extend_from_slice(b"\r\n");
        if !chunked {
            out.extend_from_slice(body);
            return out;
        }
        if !body.is_empty() {
            out.extend_from_slice(format!("{:x}\r\n", body.len()).as_bytes());
            out.extend_from_slice(body);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n");
        lines(&self.trailers, &mut out);
        out.extend_from_slice(b"\r\n");
        out
    }
}

/// Header lines. A line end inside a value would begin another line.
fn lines(headers: &Headers, out: &mut Vec<u8>) {
    for (name, value) in headers {
        out.extend_from_slice(name);
        out.extend_from_slice(b": ");
        out.extend(value.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte }));
        out.extend_from_slice(b"\r\n");
    }
}

impl Frame {
    /// Adds the message as one frame. The mask of the client is zero.
    fn write(&self, connection: &mut Conversation, out: &mut Rebuilt) {
        let mut head = vec![0x80 | self.opcode & 15];
        let mask = if self.side == Side::Client { 0x80 } else { 0 };
        let length = self.payload.len();
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short @ ..126), _) => head.push(mask | short),
            (_, Ok(middle)) => {
                head.push(mask | 126);
                head.extend_from_slice(&middle.to_be_bytes());
            }
            _ => {
                head.push(mask | 127);
                head.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        if mask != 0 {
            head.extend_from_slice(&[0; 4]);
        }
        out.send(connection, self.side, self.time, &[&head, &self.payload], "");
    }
}

/// Size of a start line and headers, with the empty line behind them; all bytes, if there is none.
pub(super) fn head_len(bytes: &[u8]) -> usize {
    memchr::memmem::find(bytes, b"\r\n\r\n").map_or(bytes.len(), |end| end + 4)
}

/// The port of a URL or an authority.
pub(super) fn port(url: &str) -> Option<u16> {
    let (scheme, rest) = url.split_once("://").map_or((None, url), |(scheme, rest)| (Some(scheme), rest));
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let stated = authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    stated.or(match scheme {
        Some("https" | "wss") => Some(443),
        Some(_) => Some(80),
        None => None,
    })
}

/// The host of an authority.
pub(super) fn without_port(authority: &[u8]) -> &[u8] {
    let end = authority
        .iter()
        .rposition(|byte| *byte == b':')
        .filter(|at| authority.get(at + 1..).is_some_and(|port| !port.is_empty() && port.iter().all(u8::is_ascii_digit)));
    authority.get(..end.unwrap_or(authority.len())).unwrap_or(authority)
}
