//! RTSP (RFC 2326, RFC 7826): control of audio and video streams.
//!
//! ```text
//! request     method SP URL SP RTSP/1.0 CRLF | headers | empty line | body
//! response    RTSP/1.0 SP status SP reason CRLF | headers | empty line | body
//! data        24 | channel:1 | length:2 | packet of RTP or RTCP
//! ```
//! SDP bodies are dissected; packets of channels are handed over as RTP. The UDP ports of Transport headers are announced.
//!
//! Not covered: addresses in Transport headers of RTSP 2.0, other bodies.

pub mod statistics;

use super::lines::{self, HeaderFields};
use super::sdp;
use crate::limits;
use crate::tree::{Side, Transport, Value, fields, title};
use crate::wire::{Conversation, Error, Extent, Heuristic, On, Opening, Protocol, Requests, Result, Resumption, Verdict, Wire};
use std::net::SocketAddr;

pub static PROTOCOL: Protocol = Protocol::new(&RTSP, FIELDS)
    .found(&[
        On::Tcp(554).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(554).stream::<Session>(Heuristic::Stream(of_other_version)).by_port(),
    ])
    .rest(&DATA);

fields! {
    RTSP = protocol("rtsp", "RTSP", "Real Time Streaming Protocol")
        .covers("Requests and responses with SDP, matched by CSeq; RTP and RTCP in channels of the connection and over UDP")
        .leaves_open("UDP addresses of RTSP 2.0; bodies other than SDP");
    REQUEST = text("rtsp.request", "Request", "First line of a request, with its end").once();
    RESPONSE = text("rtsp.response", "Response", "First line of a response, with its end").once();
    METHOD = text("rtsp.method", "Method", "").once();
    URL = text("rtsp.url", "URL", "").once();
    STATUS = number("rtsp.status", "Status", "").once();
    REASON = text("rtsp.reason", "Reason", "").once();
    SEQUENCE = text("rtsp.cseq", "CSeq", "Copied into the response");
    CONTENT_TYPE = text("rtsp.content-type", "Content-type", "");
    LENGTH_HEADER = text("rtsp.content-length.header", "Content-length", "Header value as text");
    LENGTH = number("rtsp.content-length", "Content-length", "In bytes").once();
    SESSION = text("rtsp.session", "Session", "");
    TRANSPORT = text("rtsp.transport", "Transport", "");
    AUTHORIZATION = text("rtsp.authorization", "Authorization", "Credentials of the client").secret();
    OTHER = text("rtsp.header", "header", "Header without a specific field").named(title::header_name, title::header_value, title::nothing);
    BLANK = bytes("rtsp.blank", "blank line", "Empty line after the headers, or between messages");
    BODY = bytes("rtsp.body", "body", "Body other than SDP").body();
    RESPONSE_TO = number("rtsp.response_to", "Response to", "Frame of the request").once();
    TIME = float("rtsp.time", "Time", "Seconds since the request").seconds().once();
    MAGIC = number("rtsp.magic", "Magic", "").hex(2).once();
    CHANNEL = number("rtsp.channel", "Channel", "").hex(2).once();
    PACKET_LENGTH = number("rtsp.length", "Length", "Of the packet, in bytes").once();
    DATA = bytes("rtsp.data", "Data", "Undissected bytes");
}

static HEADS: HeaderFields = HeaderFields {
    known: &[
        ("cseq", &SEQUENCE),
        ("content-type", &CONTENT_TYPE),
        ("content-length", &LENGTH_HEADER),
        ("session", &SESSION),
        ("transport", &TRANSPORT),
        ("authorization", &AUTHORIZATION),
    ],
    other: &OTHER,
    blank: &BLANK,
};

const METHODS: [&[u8]; 11] = [
    b"OPTIONS",
    b"DESCRIBE",
    b"ANNOUNCE",
    b"SETUP",
    b"PLAY",
    b"PAUSE",
    b"TEARDOWN",
    b"GET_PARAMETER",
    b"SET_PARAMETER",
    b"REDIRECT",
    b"RECORD",
];
const VERSIONS: [&[u8]; 2] = [b"RTSP/1.0", b"RTSP/2.0"];
const MAGIC_BYTE: u8 = 0x24;

/// First line of a message, as positions in it.
enum Start {
    Request { method: usize, url: usize },
    Response { code: u16 },
}

/// Parses the first line of a message of any version.
fn start(line: &[u8]) -> Option<Start> {
    if let Some((version, rest)) = line.split_first_chunk()
        && is_version(version)
    {
        let code = lines::number(rest.strip_prefix(b" ")?.get(..3)?)?;
        return Some(Start::Response { code: u16::try_from(code).ok()? });
    }
    let (rest, version) = line.split_last_chunk()?;
    let rest = rest.strip_suffix(b" ").filter(|_| is_version(version))?;
    let method = memchr::memchr(b' ', rest)?;
    METHODS.contains(&rest.get(..method)?).then_some(Start::Request { method, url: rest.len() - method - 1 })
}

fn is_version(word: &[u8; 8]) -> bool {
    matches!(word, [b'R', b'T', b'S', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
}

/// The first line, if it is complete and one of the protocol.
fn first_line(bytes: &[u8]) -> Option<Start> {
    let line = lines::line(bytes.get(..bytes.len().min(limits::TEXT_LINE.get())).unwrap_or_default())?;
    start(bytes.get(..line.text)?)
}

/// Whether a first line, if it is complete, has one of the versions.
fn has_known_version(bytes: &[u8]) -> bool {
    let line = lines::line(bytes).and_then(|line| bytes.get(..line.text)).unwrap_or_default();
    VERSIONS.iter().any(|version| line.starts_with(version) || line.ends_with(version))
}

/// Recognizes a first line of another version on the registered port.
fn of_other_version(opening: &Opening<'_>) -> Verdict {
    let server = |side: Side| match first_line(opening.of(side))? {
        Start::Request { .. } => Some(side.other()),
        Start::Response { .. } => Some(side),
    };
    Side::BOTH.into_iter().find_map(server).map_or(Verdict::No, Verdict::Yes)
}

fn recognize(opening: &Opening<'_>) -> Verdict {
    let may_become = |bytes: &&[u8]| {
        let word = bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
        let is_whole = word.len() < bytes.len();
        let fits = |known: &&[u8]| if is_whole { *known == word } else { known.starts_with(word) };
        bytes.len() < 1024 && lines::line(bytes).is_none() && METHODS.iter().chain(&VERSIONS).any(fits)
    };
    for side in Side::BOTH {
        match first_line(opening.of(side)).filter(|_| has_known_version(opening.of(side))) {
            Some(Start::Request { .. }) => return Verdict::Yes(side.other()),
            Some(Start::Response { .. }) => return Verdict::Yes(side),
            None => {}
        }
    }
    if !opening.complete && opening.sent.iter().all(may_become) { Verdict::Unsure } else { Verdict::No }
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Bytes of either side that contain no end of headers.
    searched: usize,
    requests: Requests<u64>,
}

/// Number in a header of a message.
fn numbered(head: &[u8], name: &str) -> Option<u64> {
    lines::headers(head, |known| known.eq_ignore_ascii_case(name.as_bytes())).next().and_then(|(_, value)| lines::number(value))
}

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], _more: bool) -> Extent {
        if let [MAGIC_BYTE, rest @ ..] = ahead {
            return match rest.get(1..3) {
                Some(&[high, low]) => Extent::Message(4 + usize::from(u16::from_be_bytes([high, low]))),
                _ => Extent::NeedMore(4),
            };
        }
        let blank = ahead.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if blank > 0 {
            return Extent::Message(blank);
        }
        let Some(head) = lines::head(ahead, std::mem::take(&mut self.searched)) else {
            if ahead.len() >= limits::SIP_HEAD.get() || lines::line(ahead).is_some() && first_line(ahead).is_none() {
                return Extent::Unknown(lines::line(ahead).map_or(ahead.len(), |line| line.whole));
            }
            return Extent::NeedMore(ahead.len() + 1);
        };
        if first_line(ahead).is_none() {
            return Extent::Unknown(lines::line(ahead).map_or(head, |line| line.whole));
        }
        let body =
            numbered(ahead.get(..head).unwrap_or_default(), "content-length").and_then(|length| usize::try_from(length).ok());
        Extent::Message(head.saturating_add(body.unwrap_or_default().min(limits::SIP_MESSAGE.get())))
    }

    fn resumes(&self, _: Side, ahead: &[u8]) -> Resumption {
        match ahead {
            // A packet of a channel, or media.
            [MAGIC_BYTE, 0..=15, ..] => Resumption::At(0),
            _ if !lines::is_text(ahead) => Resumption::Anywhere,
            _ => lines::resumes(ahead, |line| first_line(line).is_some()),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        match wire.peek_u8() {
            Some(MAGIC_BYTE) => packet(wire),
            Some(b'\r' | b'\n') => {
                wire.name("keep-alive");
                wire.rest_is(&BLANK)
            }
            _ => self.text(wire),
        }
    }
}

/// A packet of a channel.
fn packet(wire: &mut Wire<'_>) -> Result {
    wire.u8(&MAGIC)?;
    let channel = wire.u8(&CHANNEL)?;
    let length = wire.u16_be(&PACKET_LENGTH)?;
    wire.name("interleaved packet");
    wire.info(format_args!("channel {channel}, {length} bytes"));
    let range = wire.at()..wire.at() + wire.remaining();
    if !range.is_empty() {
        wire.hand_over("rtp", range.clone());
    }
    wire.skip(range.len())
}

/// Ports of a parameter of a transport: `client_port=4588-4589`.
fn ports<'a>(transport: &'a str, name: &str) -> impl Iterator<Item = u16> + use<'a> {
    let value = transport.split(';').find_map(|parameter| parameter.trim().strip_prefix(name)?.strip_prefix('='));
    value.into_iter().flat_map(|range| range.split('-').take(2)).filter_map(|port| port.parse().ok())
}

/// Announces the conversations over UDP that a response confirms (RFC 2326, section 12.39). An odd port is that of RTCP.
fn announce(wire: &mut Wire<'_>, transports: &[u8]) {
    let (Ok(transports), Some([server, client])) = (std::str::from_utf8(transports), wire.ends()) else { return };
    for transport in transports.split(',') {
        for (name, end) in [("server_port", server), ("client_port", client)] {
            ports(transport, name).for_each(|port| wire.expect(Transport::Udp, SocketAddr::new(end.ip(), port), "rtp"));
        }
    }
}

impl Session {
    fn text(&mut self, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
        wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
        let text = ahead.get(..line.text).unwrap_or_default();
        let sequence = numbered(ahead, "cseq");
        let mut is_confirmed = false;
        match start(text) {
            Some(Start::Request { method, url }) => {
                wire.put(&REQUEST, Value::Text, wire.at()..wire.at() + line.whole);
                let name = wire.words(&METHOD, method + 1, 0..method)?;
                let target = wire.words(&URL, line.whole - method - 1, 0..url)?;
                wire.name(&String::from_utf8_lossy(name));
                let target = String::from_utf8_lossy(target);
                wire.info(format_args!("{}", wire.masked(&target).into_owned()));
                if let Some(sequence) = sequence {
                    self.requests.ask(sequence, wire);
                }
            }
            Some(Start::Response { code }) => {
                is_confirmed = code == 200;
                status_line(wire, text, line.whole, code)?;
                if let Some(request) = sequence.and_then(|sequence| self.requests.answer(&sequence)) {
                    request.put(wire, &RESPONSE_TO, &TIME);
                }
            }
            None => drop(wire.words(&OTHER, line.whole, 0..line.text)?),
        }
        let mut is_sdp = false;
        HEADS.read(wire, |wire, field, value| {
            if let Some(number) = lines::number(value).filter(|_| field.is(&LENGTH_HEADER)) {
                wire.add(&LENGTH, Value::Unsigned(number));
            }
            if is_confirmed && field.is(&TRANSPORT) {
                announce(wire, value);
            }
            is_sdp |= field.is(&CONTENT_TYPE) && value.to_ascii_lowercase().starts_with(b"application/sdp");
        })?;
        if is_sdp && wire.remaining() > 0 {
            wire.embeds("sdp");
            return sdp::description(wire);
        }
        wire.rest_is(&BODY)
    }
}

/// Version, status code and reason of a response.
fn status_line(wire: &mut Wire<'_>, text: &[u8], whole: usize, code: u16) -> Result {
    const REST: usize = 12;
    wire.put(&RESPONSE, Value::Text, wire.at()..wire.at() + whole);
    let rest = REST.min(text.len());
    wire.put(&STATUS, Value::Unsigned(code.into()), wire.at() + 9..wire.at() + rest);
    wire.skip(rest)?;
    let words = text.get(rest..).unwrap_or_default();
    let blanks = words.len() - words.trim_ascii_start().len();
    let reason = wire.words(&REASON, whole - rest, blanks..words.len())?;
    wire.name(&code.to_string());
    wire.info(format_args!("{}", String::from_utf8_lossy(reason)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};
    use crate::tree::{Address, Demand, Ends, FrameInfo, Span, Tree};
    use crate::wire::Cut;

    const TALK: &[(Side, &[u8])] = &[
        (Side::Client, b"DESCRIBE rtsp://cam.example/live RTSP/1.0\r\nCSeq: 2\r\nAccept: application/sdp\r\n\r\n"),
        (Side::Server, b"RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Type: application/sdp\r\nContent-Length: 5\r\n\r\nv=0\r\n"),
        (Side::Client, b"SETUP rtsp://cam.example/live/1 RTSP/1.0\r\nCSeq: 3\r\nTransport: RTP/AVP/TCP;interleaved=0-1\r\n\r\n"),
        (Side::Server, b"RTSP/1.0 200 OK\r\nCSeq: 3\r\nSession: 77\r\n\r\n\r\n$\0\0\x04\x80\0\0\x01RTSP/1.0 454 Session Not Found\r\nX: y\r\n\r\n"),
        (Side::Client, b"SET_PARAMETER * RTSP/1.0\r\nCSeq: 4\r\nContent-Length: 4\r\n\r\nbody"),
    ];

    /// Conversations that a response of 10.0.0.1 to 10.0.0.2 announces.
    fn announced(response: &[u8]) -> Vec<String> {
        let mut tree = Tree::new(Demand::LAYERS);
        tree.begin(FrameInfo::default());
        let [src, dst] = [([10, 0, 0, 1], 554), ([10, 0, 0, 2], 50_000)].map(|end| Some(Address::Socket(SocketAddr::from(end))));
        let ends = tree.push_ends(Ends { src, dst, ..Ends::default() });
        let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..response.len()), None, ends, true);
        let mut wire = Wire::new(&mut tree, layer, 0, response, 0..response.len(), Cut::No);
        Session::default().message(Side::Server, &mut wire).unwrap();
        tree.handover.take_expected().map(|expected| format!("{} {}", expected.end, expected.place)).collect()
    }

    #[test]
    fn ports_of_a_confirmed_transport_are_announced() {
        let response = |status: &str| {
            let transport = "Transport: RTP/AVP;unicast; client_port=4588-4589;server_port=6256";
            announced(format!("RTSP/1.0 {status}\r\nCSeq: 3\r\n{transport}\r\n\r\n").as_bytes())
        };
        assert_eq!(response("200 OK"), ["10.0.0.1:6256 rtp", "10.0.0.2:4588 rtp", "10.0.0.2:4589 rtp"]);
        assert!(response("461 Unsupported transport").is_empty());
    }

    #[test]
    fn messages_are_dissected() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
        rtsp 0..79 | DESCRIBE | rtsp://cam.example/live
          0..43 rtsp.request = "DESCRIBE rtsp://cam.example/live RTSP/1.0\r\n"
          0..9 rtsp.method = "DESCRIBE"
          9..43 rtsp.url = "rtsp://cam.example/live"
          43..52 rtsp.cseq = "2"
          52..77 rtsp.header = "Accept: application/sdp"
          77..79 rtsp.blank = 0d0a
        rtsp 0..83 | 200 | OK
          0..17 rtsp.response = "RTSP/1.0 200 OK\r\n"
          9..12 rtsp.status = 200
          12..17 rtsp.reason = "OK"
          rtsp.response_to = 0
          17..26 rtsp.cseq = "2"
          26..57 rtsp.content-type = "application/sdp"
          57..76 rtsp.content-length.header = "5"
          rtsp.content-length = 5
          76..78 rtsp.blank = 0d0a
          78..83 sdp.version = "0"
        rtsp 0..93 | SETUP | rtsp://cam.example/live/1
          0..42 rtsp.request = "SETUP rtsp://cam.example/live/1 RTSP/1.0\r\n"
          0..6 rtsp.method = "SETUP"
          6..42 rtsp.url = "rtsp://cam.example/live/1"
          42..51 rtsp.cseq = "3"
          51..91 rtsp.transport = "RTP/AVP/TCP;interleaved=0-1"
          91..93 rtsp.blank = 0d0a
        rtsp 0..41 | 200 | OK
          0..17 rtsp.response = "RTSP/1.0 200 OK\r\n"
          9..12 rtsp.status = 200
          12..17 rtsp.reason = "OK"
          rtsp.response_to = 0
          17..26 rtsp.cseq = "3"
          26..39 rtsp.session = "77"
          39..41 rtsp.blank = 0d0a
        rtsp 0..2 | keep-alive
          0..2 rtsp.blank = 0d0a
        rtsp 0..8 | interleaved packet | channel 0, 4 bytes
          0..1 rtsp.magic = 0x24
          1..2 rtsp.channel = 0x00
          2..4 rtsp.length = 4
        rtsp 0..40 | 454 | Session Not Found
          0..32 rtsp.response = "RTSP/1.0 454 Session Not Found\r\n"
          9..12 rtsp.status = 454
          12..32 rtsp.reason = "Session Not Found"
          32..38 rtsp.header = "X: y"
          38..40 rtsp.blank = 0d0a
        rtsp 0..60 | SET_PARAMETER | *
          0..26 rtsp.request = "SET_PARAMETER * RTSP/1.0\r\n"
          0..14 rtsp.method = "SET_PARAMETER"
          14..26 rtsp.url = "*"
          26..35 rtsp.cseq = "4"
          35..54 rtsp.content-length.header = "4"
          rtsp.content-length = 4
          54..56 rtsp.blank = 0d0a
          56..60 rtsp.body = 626f6479
        "#);
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn streams_are_recognized_by_a_first_line() {
        let judge = |client: &[u8], server: &[u8], complete| {
            recognize(&Opening { sent: [client, server], from_start: [true; 2], complete })
        };
        assert_eq!(judge(TALK[0].1, b"", true), Verdict::Yes(Side::Server));
        assert_eq!(judge(TALK[1].1, b"", true), Verdict::Yes(Side::Client));
        assert_eq!(judge(b"OPTI", b"", false), Verdict::Unsure);
        assert_eq!(judge(b"OPTIONS * HTTP/1.1\r\n", b"", true), Verdict::No);
    }

    #[test]
    fn the_next_start_line_is_found_after_a_gap() {
        let bytes = b"lost: bytes\r\nPLAY rtsp://a/ RTSP/1.0\r\n\r\n";
        assert_eq!(Session::default().extent(Side::Client, bytes, true), Extent::Unknown(13));
        assert_eq!(Session::default().extent(Side::Client, &bytes[13..], true), Extent::Message(27));
    }
}
