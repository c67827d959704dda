//! What every capture also holds: conversations of common protocols, told as scripts.

use std::net::Ipv4Addr;
use std::time::Duration;

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{self, Host, Link};
use crate::tcp::{Conversation, Side, Stack};

const PC: Stack = Stack { first: 0x31aa_0000, mss: 1460, window: 64_240, window_scale: 8, clock: None };
const SERVER: Stack = Stack { first: 0x8800_fff0, mss: 1460, window: 65_160, window_scale: 7, clock: None };

/// What somebody says in one go.
type Line<'a> = (Side, &'a [u8]);

const C: Side = Side::Client;
const S: Side = Side::Server;

fn pc() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 1, 20), 64)
}

fn server() -> Host {
    Host::new(Ipv4Addr::new(203, 0, 113, 80), 55)
}

/// A connection from a port to a port of the server, in which this is said.
fn talk(trace: &mut Trace, ports: [u16; 2], lines: &[Line<'_>]) -> Result {
    let [from, to] = ports;
    let client = Stack { first: PC.first.wrapping_add(u32::from(from) << 10), ..PC };
    let mut talk = Conversation::new(Link::Ethernet, (pc().port(from), client), (server().port(to), SERVER));
    talk.open(trace)?;
    for (side, bytes) in lines {
        talk.wait(trace, Duration::from_millis(20))?;
        talk.send(trace, *side, bytes)?;
    }
    talk.wait(trace, Duration::from_millis(60))?;
    talk.close(trace, C)
}

fn pcap(trace: Trace) -> Result<Vec<u8>> {
    capture::pcap(1, &trace.frames())
}

/// "hello, hello, hello" as gzip has it.
const HELLO_GZIP: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xcb\x48\xcd\xc9\xc9\xd7\x51\xc8\x40\xa2\x00\x9f\xa1\xca\x09\x13\x00\x00\x00";

/// Pages asked for one behind the other, a login with JSON, a long text in chunks, a change to WebSocket, a tunnel.
pub fn http() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let page = page();
    talk(&mut trace, [50_100, 80], &[
        (C, b"GET /news.txt HTTP/1.1\r\nHost: game.example\r\nUser-Agent: Launcher/2.1\r\nAccept-Encoding: gzip\r\n\r\n"),
        (S, &[b"HTTP/1.1 200 OK\r\nServer: Test\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 29\r\n\r\n".as_slice(), HELLO_GZIP].concat()),
        (C, b"HEAD /patch.bin HTTP/1.1\r\nHost: game.example\r\n\r\nGET /long.txt HTTP/1.1\r\nHost: game.example\r\nCookie: id=7\r\n\r\n"),
        (S, b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 1048576\r\n\r\n"),
        (S, &page),
        (C, b"POST /login HTTP/1.1\r\nHost: game.example\r\nAuthorization: Basic YW5uYTptb3NzLWdyZWVu\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 28\r\n\r\n"),
        (S, b"HTTP/1.1 100 Continue\r\n\r\n"),
        (C, br#"{"name": "anna", "slots": 2}"#),
        (S, b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"game\"\r\nConnection: close\r\n\r\nno such user\n"),
    ])?;
    talk(&mut trace, [50_101, 9000], &[
        (C, b"GET /live HTTP/1.1\r\nHost: game.example:9000\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
        (S, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
        (C, b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"),
        (S, b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"),
        (S, b"\x01\x03Hel\x80\x02lo\x82\x04\x00\x01\x02\x03"),
        (C, b"\x88\x82\x00\x00\x00\x00\x03\xe8"),
    ])?;
    talk(
        &mut trace,
        [50_102, 3128],
        &[
            (C, b"CONNECT web.example:80 HTTP/1.1\r\nHost: web.example:80\r\n\r\n"),
            (S, b"HTTP/1.1 200 Connection established\r\n\r\n"),
            (C, b"GET / HTTP/1.0\r\nHost: web.example\r\n\r\n"),
            (S, b"HTTP/1.0 302 Found\r\nLocation: /start\r\n\r\n"),
        ],
    )?;
    pcap(trace)
}

/// Flights of a text file: who says what, a `#` before each conversation.
fn recorded(text: &str) -> Result<Vec<Vec<(Side, Vec<u8>)>>> {
    let mut talks: Vec<Vec<(Side, Vec<u8>)>> = Vec::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("#", _)) => talks.push(Vec::new()),
            Some((who, hex)) => {
                let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
                let bytes = digits.chunks_exact(2).map(|pair| u8::try_from(pair.iter().fold(0, |byte, digit| byte << 4 | digit)));
                let bytes = bytes.collect::<std::result::Result<Vec<u8>, _>>()?;
                talks.last_mut().ok_or("no conversation")?.push((if who == "c" { C } else { S }, bytes));
            }
            None => {}
        }
    }
    Ok(talks)
}

/// The same session twice, in TLS 1.2 and in TLS 1.3, as OpenSSL spoke it; the key was thrown away.
pub fn tls() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, flights) in (50_200..).zip(recorded(include_str!("tls.txt"))?) {
        let lines: Vec<Line<'_>> = flights.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        talk(&mut trace, [port, 443], &lines)?;
    }
    pcap(trace)
}

/// The first two packets of a connection, as the standard has them for an example.
pub fn quic() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (side, bytes) in recorded(include_str!("quic.txt"))?.concat() {
        let (client, server) = (pc().port(50_300), server().port(443));
        let (from, to) = if side == C { (client, server) } else { (server, client) };
        trace.wait(Duration::from_millis(20));
        let packet = net::udp(from, to, 7, &bytes)?;
        trace.put(Link::Ethernet.frame(from.host, to.host, &packet));
    }
    pcap(trace)
}

/// A text of more than a segment, in chunks.
fn page() -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n".to_vec();
    for number in 0..4 {
        bytes.extend_from_slice(b"200\r\n");
        bytes.extend(
            (0..16)
                .flat_map(|line| format!("line {:2} of part {number}, nothing more\n", line).into_bytes().into_iter().take(32)),
        );
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\nX-Lines: 64\r\n\r\n");
    bytes
}
