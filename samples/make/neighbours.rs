//! Conversations of common protocols, written as scripts.

use std::net::Ipv4Addr;
use std::time::Duration;

use crate::Result;
use crate::capture::{self, Trace};
use crate::hex::bytes;
use crate::net::{self, Host, Link};
use crate::tcp::{Conversation, Side, Stack};

const PC: Stack = Stack { first: 0x31aa_0000, mss: 1460, window: 64_240, window_scale: 8, clock: None };
const SERVER: Stack = Stack { first: 0x8800_fff0, mss: 1460, window: 65_160, window_scale: 7, clock: None };

/// Consecutive bytes from one side.
pub type Line<'a> = (Side, &'a [u8]);

pub const C: Side = Side::Client;
pub const S: Side = Side::Server;

fn pc() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 1, 20), 64)
}

fn server() -> Host {
    Host::new(Ipv4Addr::new(203, 0, 113, 80), 55)
}

/// A connection between two ports with this script.
pub fn talk(trace: &mut Trace, ports: [u16; 2], lines: &[Line<'_>]) -> Result {
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

/// Datagrams between two ports.
pub fn datagrams(trace: &mut Trace, ports: [u16; 2], lines: &[Line<'_>]) -> Result {
    let [from, to] = [pc().port(ports[0]), server().port(ports[1])];
    for (id, (side, bytes)) in (ports[0]..).zip(lines) {
        trace.wait(Duration::from_millis(20));
        let (from, to) = if *side == C { (from, to) } else { (to, from) };
        let packet = net::udp(from, to, id, bytes)?;
        trace.capture(Link::Ethernet.frame(from.host, to.host, &packet));
    }
    Ok(())
}

/// The same connection and the same datagrams, from hexadecimal text.
pub fn add_hex_conversation(trace: &mut Trace, ports: [u16; 2], lines: &[(Side, &str)]) -> Result {
    let lines: Vec<_> = lines.iter().map(|(side, hex)| (*side, bytes(hex))).collect();
    let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    talk(trace, ports, &lines)
}

pub fn datagrams_hex(trace: &mut Trace, ports: [u16; 2], lines: &[(Side, &str)]) -> Result {
    let lines: Vec<_> = lines.iter().map(|(side, hex)| (*side, bytes(hex))).collect();
    let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    datagrams(trace, ports, &lines)
}

pub fn pcap(trace: Trace) -> Result<Vec<u8>> {
    capture::pcap(1, &trace.frames())
}

/// "hello, hello, hello" compressed with gzip.
const HELLO_GZIP: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xcb\x48\xcd\xc9\xc9\xd7\x51\xc8\x40\xa2\x00\x9f\xa1\xca\x09\x13\x00\x00\x00";

/// Pipelined requests, a login with JSON, a long text in chunks, an upgrade to WebSocket, a tunnel.
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

/// Side and bytes of each flight.
pub type Flights = Vec<(Side, Vec<u8>)>;

/// Flights of a text file: side and bytes, with a `#` before each conversation.
pub fn recorded(text: &str) -> Result<Vec<Flights>> {
    let mut talks: Vec<Flights> = Vec::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("#", _)) => talks.push(Vec::new()),
            Some(("k", _)) | None => {}
            Some((who, hex)) => {
                let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
                let bytes = digits.chunks_exact(2).map(|pair| u8::try_from(pair.iter().fold(0, |byte, digit| byte << 4 | digit)));
                let bytes = bytes.collect::<std::result::Result<Vec<u8>, _>>()?;
                talks.last_mut().ok_or("no conversation")?.push((if who == "c" { C } else { S }, bytes));
            }
        }
    }
    Ok(talks)
}

/// The same session in TLS 1.2 and TLS 1.3, recorded from OpenSSL; the keys were discarded.
pub fn tls() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, flights) in (50_200..).zip(recorded(include_str!("tls.txt"))?) {
        let lines: Vec<Line<'_>> = flights.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        talk(&mut trace, [port, 443], &lines)?;
    }
    pcap(trace)
}

/// HTTP in nine TLS sessions recorded from OpenSSL, each with another cipher suite, and their key log. In one, the client
/// updates its keys.
pub fn tls_keys() -> Result<Vec<u8>> {
    let text = include_str!("tls-keys.txt");
    let key_log = key_log(text);
    let mut trace = Trace::new();
    for (port, flights) in (50_210..).zip(recorded(text)?) {
        let lines: Vec<Line<'_>> = flights.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        talk(&mut trace, [port, 443], &lines)?;
    }
    capture::pcapng(&key_log, &[capture::Interface { name: "eth0", link: 1, frames: trace.frames() }])
}

/// HTTP/3 recorded from two programs, two datagrams swapped, with the key log in the capture.
pub fn quic_keys() -> Result<Vec<u8>> {
    let text = include_str!("quic-keys.txt");
    let mut trace = Trace::new();
    recorded_datagrams(&mut trace, text, 50_310)?;
    capture::pcapng(&key_log(text), &[capture::Interface { name: "eth0", link: 1, frames: trace.frames() }])
}

/// The key log of a recorded session.
fn key_log(text: &str) -> String {
    text.lines().filter_map(|line| line.strip_prefix("k ")).flat_map(|line| [line, "\n"]).collect()
}

/// Recorded datagrams between a port of the client and port 443.
fn recorded_datagrams(trace: &mut Trace, text: &str, port: u16) -> Result {
    for (side, bytes) in recorded(text)?.concat() {
        let (client, server) = (pc().port(port), server().port(443));
        let (from, to) = if side == C { (client, server) } else { (server, client) };
        trace.wait(Duration::from_millis(20));
        let packet = net::udp(from, to, 7, &bytes)?;
        trace.capture(Link::Ethernet.frame(from.host, to.host, &packet));
    }
    Ok(())
}

/// The first two packets of a connection, from an example of the standard.
pub fn quic() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    recorded_datagrams(&mut trace, include_str!("quic.txt"), 50_300)?;
    pcap(trace)
}

/// Mail, files, chat, publish and subscribe, a call, a shell and a database, a short conversation each.
pub fn text() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    talk(
        &mut trace,
        [50_400, 25],
        &[
            (S, b"220-mail.example ESMTP\r\n220 ready\r\n"),
            (C, b"EHLO pc.example\r\n"),
            (S, b"250-mail.example\r\n250 AUTH LOGIN\r\n"),
            (C, b"AUTH LOGIN\r\n"),
            (S, b"334 VXNlcm5hbWU6\r\n"),
            (C, b"YW5uYQ==\r\n"),
            (S, b"334 UGFzc3dvcmQ6\r\n"),
            (C, b"bW9zcy1ncmVlbg==\r\n"),
            (S, b"235 welcome\r\n"),
            (C, b"MAIL FROM:<anna@pc.example>\r\n"),
            (S, b"250 ok\r\n"),
            (C, b"RCPT TO:<bo@mail.example>\r\n"),
            (S, b"250 ok\r\n"),
            (C, b"DATA\r\n"),
            (S, b"354 go on\r\n"),
            (C, b"Subject: moss\r\n\r\n..green\r\n.\r\nQUIT\r\n"),
            (S, b"250 taken\r\n221 bye\r\n"),
        ],
    )?;
    talk(
        &mut trace,
        [50_401, 21],
        &[
            (S, b"220 files.example FTP server ready.\r\n"),
            (C, b"USER anna\r\n"),
            (S, b"331 password?\r\n"),
            (C, b"PASS moss-green\r\n"),
            (S, b"230-Hello.\r\n  Be kind.\r\n230 logged in\r\n"),
            (C, b"PASV\r\n"),
            (S, b"227 Entering Passive Mode (203,0,113,80,195,149)\r\n"),
            (C, b"RETR map.txt\r\n"),
        ],
    )?;
    talk(&mut trace, [50_402, 50_069], &[(S, b"a map of the moss\r\n")])?;
    talk(
        &mut trace,
        [50_403, 6667],
        &[
            (C, b"NICK anna\r\nUSER anna 0 * :Anna of the Moss\r\n"),
            (S, b":irc.example 001 anna :Welcome\r\nPING :irc.example\r\n"),
            (C, b"PONG :irc.example\r\nJOIN #game\r\n"),
            (S, b":bo!b@host PRIVMSG #game :hi  all\r\n"),
        ],
    )?;
    talk(
        &mut trace,
        [50_404, 1883],
        &[
            (C, b"\x10\x19\0\x04MQTT\x04\xc2\0\x3c\0\x02pc\0\x04anna\0\x03mos"),
            (S, b"\x20\x02\0\0"),
            (C, b"\x82\x09\0\x01\0\x04game\x01"),
            (S, b"\x90\x03\0\x01\x01\x31\x12\0\x04game{\"moss\":\"x\"}"),
            (C, b"\xc0\0\xe0\0"),
        ],
    )?;
    talk(
        &mut trace,
        [50_405, 22],
        &[
            (S, b"SSH-2.0-Test_1.0\r\n"),
            (C, b"SSH-2.0-Client\r\n"),
            (C, &offer()),
            (S, &offer()),
            (C, b"\0\0\0\x0c\x0a\x15\0\0\0\0\0\0\0\0\0\0encrypted from here on"),
        ],
    )?;
    talk(
        &mut trace,
        [50_406, 3306],
        &[
            (S, &[&b"\x32\0\0\0\x0a5.5.40-test\0\x07\0\0\0saltsalt\0"[..], &[1; 24]].concat()),
            (C, &[&b"\x25\0\0\x01\x05\xa6\x0f\0\0\0\0\x01\x21"[..], &[0; 23], b"anna\0"].concat()),
        ],
    )?;
    for (side, ports, bytes) in call() {
        let (client, server) = (pc().port(ports), server().port(ports));
        let (from, to) = if side == C { (client, server) } else { (server, client) };
        trace.wait(Duration::from_millis(20));
        let packet = net::udp(from, to, 9, &bytes)?;
        trace.capture(Link::Ethernet.frame(from.host, to.host, &packet));
    }
    pcap(trace)
}

/// A call over UDP, and the first audio packets of both sides.
fn call() -> Vec<(Side, u16, Vec<u8>)> {
    let invite = "INVITE sip:bo@game.example SIP/2.0\nVia: SIP/2.0/UDP 192.168.1.20\nFrom: <sip:anna@game.example>;tag=1\n\
        To: <sip:bo@game.example>\nCall-ID: 7@192.168.1.20\nCSeq: 1 INVITE\nContent-Type: application/sdp\nContent-Length: 88\n\n\
        v=0\no=anna 1 1 IN IP4 192.168.1.20\nc=IN IP4 192.168.1.20\nm=audio 40000 RTP/AVP 0\na=x\n";
    let answer = "SIP/2.0 200 OK\nVia: SIP/2.0/UDP 192.168.1.20\nCall-ID: 7@192.168.1.20\nCSeq: 1 INVITE\nContent-Length: 0\n\n";
    let sound = |number: u8| [&[0x80, 0, 0, number, 0, 0, 0, 160, 0x12, 0x34, 0x56, 0x78][..], &[0x7f; 40]].concat();
    vec![
        (C, 5060, invite.replace('\n', "\r\n").into_bytes()),
        (S, 5060, answer.replace('\n', "\r\n").into_bytes()),
        (C, 40_000, sound(1)),
        (S, 40_000, sound(1)),
    ]
}

/// Algorithms offered by a side of SSH.
fn offer() -> Vec<u8> {
    let mut payload = vec![20];
    payload.extend([7; 16]);
    for list in
        ["curve25519-sha256", "ssh-ed25519", "aes256-ctr", "aes256-ctr", "hmac-sha2-256", "hmac-sha2-256", "none", "none", "", ""]
    {
        payload.extend([0, 0, 0, u8::try_from(list.len()).unwrap_or_default()]);
        payload.extend(list.as_bytes());
    }
    payload.extend([0; 5]);
    let mut packet = vec![0, 0, 0, u8::try_from(payload.len() + 5).unwrap_or_default(), 4];
    packet.extend(payload);
    packet.extend([1; 4]);
    packet
}

/// A text longer than a segment, in chunks.
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
