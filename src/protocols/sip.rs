//! SIP over UDP and TCP (RFC 3261).
//!
//! ```text
//! request     method SP request-URI SP SIP/2.0 CRLF | headers | empty line | body
//! response    SIP/2.0 SP status-code SP reason-phrase CRLF | headers | empty line | body
//! ```
//! SDP bodies are dissected; the media that they announce are recognized as RTP.
//!
//! Not covered: most of the contents of headers, other bodies.

mod generated;
pub mod statistics;

use super::lines::{self, HeaderFields};
use super::sdp;
use crate::limits;
use crate::tree::{Side, Value, fields, title};
use crate::wire::{Conversation, Error, Extent, Heuristic, On, Opening, Protocol, Result, Resumption, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&SIP, FIELDS)
    .found(&[
        On::Udp(5060).datagram(Heuristic::Datagram(is_message), message),
        On::AnyUdp.datagram(Heuristic::Datagram(is_message), message),
        On::Tcp(5060).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Udp(5060).datagram(Heuristic::Datagram(is_keep_alive), keep_alive),
        On::Udp(5060).datagram(Heuristic::Datagram(has_start_line), message).by_port(),
        On::Tcp(5060).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
    ])
    .rest(&DATA);

fields! {
    SIP = protocol("sip", "SIP", "Session Initiation Protocol")
        .covers("Requests and responses over UDP and TCP, with the SDP of calls")
        .leaves_open("Most of the contents of headers; bodies other than SDP");
    METHOD = text("sip.Method", "method", "").once();
    URI = text("sip.r-uri", "request-URI", "").once();
    VERSION = text("sip.Request-Version", "request version", "").once();
    STATUS_VERSION = text("sip.Status-Version", "status version", "").once();
    CODE = number("sip.Status-Code", "status code", "").once();
    PHRASE = text("sip.Reason-Phrase", "reason phrase", "").once();
    VIA = text("sip.Via", "Via", "Path of the request; responses follow it back");
    FROM = text("sip.From", "From", "Initiator of the request");
    TO = text("sip.To", "To", "Logical recipient of the request");
    CALL_ID = text("sip.Call-ID", "Call-ID", "");
    CSEQ = text("sip.CSeq", "CSeq", "Sequence number and method");
    CONTACT = text("sip.Contact", "Contact", "URI for further requests to the sender");
    MAX_FORWARDS = text("sip.Max-Forwards", "Max-Forwards", "Remaining hops");
    CONTENT_TYPE = text("sip.Content-Type", "Content-Type", "Media type of the body");
    CONTENT_LENGTH = text("sip.content_length_header", "Content-Length", "Header value as text");
    LENGTH = number("sip.Content-Length", "content length", "In bytes");
    USER_AGENT = text("sip.User-Agent", "User-Agent", "Software of the client");
    SERVER = text("sip.Server", "Server", "Software of the server");
    ALLOW = text("sip.Allow", "Allow", "Methods supported by the sender");
    EXPIRES = text("sip.Expires", "Expires", "In seconds");
    ROUTE = text("sip.Route", "Route", "Proxies that the request has to visit");
    RECORD_ROUTE = text("sip.Record-Route", "Record-Route", "Proxies that stay on the path of the dialog");
    SUPPORTED = text("sip.Supported", "Supported", "Extensions supported by the sender");
    AUTHENTICATE = text("sip.WWW-Authenticate", "WWW-Authenticate", "Challenge of the server");
    AUTHORIZATION = text("sip.Authorization", "Authorization", "Credentials of the client").secret();
    PROXY_AUTHORIZATION = text("sip.Proxy-Authorization", "Proxy-Authorization", "Credentials for the proxy").secret();
    OTHER = text("sip.unknown_header", "header", "Header without a specific field").named(title::header_name, title::header_value, title::nothing);
    BLANK = bytes("sip.blank", "blank line", "Empty line after the headers, or keep-alive between messages");
    BODY = bytes("sip.msg_body", "message body", "Body other than SDP").body();
    DATA = bytes("sip.data", "data", "Undissected bytes");
    FROM_DISPLAY = text("sip.from.display.info", "From display info", "Display name before the address").generated(&[&FROM], generated::display);
    FROM_ADDRESS = text("sip.from.addr", "From address", "Address without its parameters").generated(&[&FROM], generated::uri);
    FROM_USER = text("sip.from.user", "From user part", "").generated(&[&FROM], generated::user);
    FROM_HOST = text("sip.from.host", "From host part", "").generated(&[&FROM], generated::host);
    FROM_PORT = text("sip.from.port", "From host port", "").generated(&[&FROM], generated::port);
    FROM_TAG = text("sip.from.tag", "From tag", "Identifies the dialog").generated(&[&FROM], generated::tag);
    TO_DISPLAY = text("sip.to.display.info", "To display info", "Display name before the address").generated(&[&TO], generated::display);
    TO_ADDRESS = text("sip.to.addr", "To address", "Address without its parameters").generated(&[&TO], generated::uri);
    TO_USER = text("sip.to.user", "To user part", "").generated(&[&TO], generated::user);
    TO_HOST = text("sip.to.host", "To host part", "").generated(&[&TO], generated::host);
    TO_PORT = text("sip.to.port", "To host port", "").generated(&[&TO], generated::port);
    TO_TAG = text("sip.to.tag", "To tag", "Identifies the dialog").generated(&[&TO], generated::tag);
    CONTACT_DISPLAY = text("sip.contact.display.info", "Contact display info", "Display name before the address").generated(&[&CONTACT], generated::display);
    CONTACT_URI = text("sip.contact.uri", "Contact URI", "URI without the header parameters").generated(&[&CONTACT], generated::uri);
    CONTACT_USER = text("sip.contact.user", "Contact user part", "").generated(&[&CONTACT], generated::user);
    CONTACT_HOST = text("sip.contact.host", "Contact host part", "").generated(&[&CONTACT], generated::host);
    CONTACT_PORT = text("sip.contact.port", "Contact host port", "").generated(&[&CONTACT], generated::port);
    URI_USER = text("sip.r-uri.user", "Request URI user part", "").generated(&[&URI], generated::user);
    URI_HOST = text("sip.r-uri.host", "Request URI host part", "").generated(&[&URI], generated::host);
    URI_PORT = text("sip.r-uri.port", "Request URI host port", "").generated(&[&URI], generated::port);
    CSEQ_NUMBER = number("sip.CSeq.seq", "Sequence number", "Number in the CSeq header").generated(&[&CSEQ], generated::sequence);
    CSEQ_METHOD = text("sip.CSeq.method", "CSeq method", "").generated(&[&CSEQ], generated::sequence_method);
    REQUEST_LINE = text("sip.Request-Line", "Request line", "").generated(&[&METHOD], generated::request_line).needs(&[&URI, &VERSION]);
    STATUS_LINE = text("sip.Status-Line", "Status line", "First line of a response").generated(&[&STATUS_VERSION], generated::status_line).needs(&[&CODE, &PHRASE]);
}

static HEADS: HeaderFields = HeaderFields {
    known: &[
        ("via", &VIA),
        ("v", &VIA),
        ("from", &FROM),
        ("f", &FROM),
        ("to", &TO),
        ("t", &TO),
        ("call-id", &CALL_ID),
        ("i", &CALL_ID),
        ("cseq", &CSEQ),
        ("contact", &CONTACT),
        ("m", &CONTACT),
        ("max-forwards", &MAX_FORWARDS),
        ("content-type", &CONTENT_TYPE),
        ("c", &CONTENT_TYPE),
        ("content-length", &CONTENT_LENGTH),
        ("l", &CONTENT_LENGTH),
        ("user-agent", &USER_AGENT),
        ("server", &SERVER),
        ("allow", &ALLOW),
        ("expires", &EXPIRES),
        ("route", &ROUTE),
        ("record-route", &RECORD_ROUTE),
        ("supported", &SUPPORTED),
        ("k", &SUPPORTED),
        ("www-authenticate", &AUTHENTICATE),
        ("authorization", &AUTHORIZATION),
        ("proxy-authorization", &PROXY_AUTHORIZATION),
    ],
    other: &OTHER,
    blank: &BLANK,
};

const VERSION_WORD: &[u8] = b"SIP/2.0";

#[derive(Default)]
struct Session {
    looked: usize,
}

/// First line of a message, as positions in it.
enum Start {
    Request { method: usize, uri: usize },
    Response { code: u16 },
}

/// Parses the first line of a message of any version.
fn start(line: &[u8]) -> Option<Start> {
    if let Some((version, rest)) = line.split_first_chunk()
        && is_version(version)
    {
        let rest = rest.strip_prefix(b" ")?;
        let code = lines::number(rest.get(..3)?)?;
        let ends = matches!(rest.get(3), None | Some(b' '));
        return ends.then_some(Start::Response { code: u16::try_from(code).ok()? });
    }
    let (rest, version) = line.split_last_chunk()?;
    let rest = rest.strip_suffix(b" ").filter(|_| is_version(version))?;
    let method = memchr::memchr(b' ', rest)?;
    let is_method = (2..=24).contains(&method) && rest.get(..method)?.iter().all(u8::is_ascii_alphabetic);
    let uri = rest.get(method + 1..).filter(|uri| !uri.is_empty())?;
    is_method.then_some(Start::Request { method, uri: uri.len() })
}

fn is_version(word: &[u8; VERSION_WORD.len()]) -> bool {
    matches!(word, [b'S', b'I', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
}

/// The first line, if it is complete.
fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let line = lines::line(bytes.get(..bytes.len().min(4096)).unwrap_or_default())?;
    bytes.get(..line.text)
}

/// Whether the bytes begin with a complete first line of version 2.
fn is_message(bytes: &[u8]) -> bool {
    let Some(line) = first_line(bytes) else { return false };
    match start(line) {
        Some(Start::Response { .. }) => line.starts_with(VERSION_WORD),
        Some(Start::Request { method, uri }) => {
            let is_upper = line.iter().take(method).all(u8::is_ascii_uppercase);
            let has_scheme = line.iter().skip(method + 1).take(uri).any(|byte| *byte == b':');
            line.ends_with(VERSION_WORD) && is_upper && has_scheme
        }
        None => false,
    }
}

/// Whether the bytes begin with a complete first line of any version.
fn has_start_line(bytes: &[u8]) -> bool {
    first_line(bytes).and_then(start).is_some()
}

/// Whether a datagram keeps the binding of an address translator: line ends (RFC 5626, 4.4.1), or zeros or a word of some phones.
fn is_keep_alive(bytes: &[u8]) -> bool {
    const MOST: usize = 8;
    let is_blank = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b'\r' | b'\n')) || bytes.iter().all(|byte| *byte == 0);
    (1..=MOST).contains(&bytes.len()) && is_blank(bytes) || bytes == b"jaK\0"
}

fn keep_alive(wire: &mut Wire<'_>) -> Result {
    wire.name("keep_alive");
    wire.rest_is(&BLANK)
}

/// Recognizes a message of another version on the registered port, or a keep-alive in front of the first one.
fn by_port(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        let bytes = opening.of(side);
        let message = bytes.trim_ascii_start();
        match first_line(message).and_then(start) {
            Some(Start::Request { .. }) => return Verdict::Yes(side.other()),
            Some(Start::Response { .. }) => return Verdict::Yes(side),
            None if message.is_empty() && is_keep_alive(bytes) && opening.complete => return Verdict::Yes(Side::Server),
            None => {}
        }
    }
    let may_follow = |bytes: &&[u8]| bytes.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
    if !opening.complete && opening.sent.iter().all(may_follow) { Verdict::Unsure } else { Verdict::No }
}

fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Client, Side::Server] {
        let bytes = opening.of(side);
        if is_message(bytes) {
            return Verdict::Yes(if bytes.starts_with(VERSION_WORD) { side } else { side.other() });
        }
    }
    let may_become = |bytes: &&[u8]| {
        let word = bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
        bytes.len() < 1024
            && lines::line(bytes).is_none()
            && (VERSION_WORD.starts_with(word) || word.iter().all(u8::is_ascii_uppercase))
    };
    if !opening.complete && opening.sent.iter().all(may_become) { Verdict::Unsure } else { Verdict::No }
}

/// Content-Length of a message.
fn length(head: &[u8]) -> Option<u64> {
    let named = |name: &[u8]| name.eq_ignore_ascii_case(b"content-length") || name.eq_ignore_ascii_case(b"l");
    lines::headers(head, named).next().and_then(|(_, value)| lines::number(value))
}

impl Conversation for Session {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        let blank = ahead.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if blank > 0 {
            return Extent::Message(blank);
        }
        let Some(head) = lines::head(ahead, self.looked) else {
            self.looked = 0;
            return if ahead.len() < limits::SIP_HEAD.get() {
                Extent::NeedMore(ahead.len() + 1)
            } else {
                Extent::Unknown(ahead.len())
            };
        };
        if !has_start_line(ahead) {
            return Extent::Unknown(head);
        }
        let body =
            length(ahead.get(..head).unwrap_or_default()).and_then(|length| usize::try_from(length).ok()).unwrap_or_default();
        let whole = head.saturating_add(body);
        Extent::Message(if whole <= limits::SIP_MESSAGE.get() { whole } else { head })
    }

    fn resumes(&self, _: Side, ahead: &[u8]) -> Resumption {
        lines::resumes(ahead, has_start_line)
    }

    fn message(&mut self, _from: Side, wire: &mut Wire<'_>) -> Result {
        if matches!(wire.ahead().first(), Some(b'\r' | b'\n')) {
            return keep_alive(wire);
        }
        message(wire)
    }
}

fn message(wire: &mut Wire<'_>) -> Result {
    let ahead = wire.ahead();
    let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
    wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
    let text = ahead.get(..line.text).unwrap_or_default();
    match start(text) {
        Some(Start::Request { method, uri }) => {
            let name = wire.words(&METHOD, method + 1, 0..method)?;
            let who = wire.words(&URI, uri + 1, 0..uri)?;
            let left = method + uri + 2;
            wire.words(&VERSION, line.whole - left, 0..line.text - left)?;
            wire.name(&String::from_utf8_lossy(name));
            let who = String::from_utf8_lossy(who);
            wire.info(format_args!("{}", wire.masked(&who).into_owned()));
        }
        Some(Start::Response { code }) => {
            let blank = usize::from(line.text > 11);
            wire.words(&STATUS_VERSION, 8, 0..7)?;
            wire.put(&CODE, Value::Unsigned(code.into()), wire.at()..wire.at() + 3 + blank);
            wire.skip(3 + blank)?;
            let left = 11 + blank;
            let phrase = wire.words(&PHRASE, line.whole - left, 0..line.text - left)?;
            wire.name(&code.to_string());
            wire.info(format_args!("{}", String::from_utf8_lossy(phrase)));
        }
        None => drop(wire.words(&OTHER, line.whole, 0..line.text)?),
    }
    let mut is_sdp = false;
    HEADS.read(wire, |wire, field, value| {
        if let Some(number) = lines::number(value).filter(|_| field.is(&CONTENT_LENGTH)) {
            wire.add(&LENGTH, Value::Unsigned(number));
        }
        is_sdp |= field.is(&CONTENT_TYPE) && value.to_ascii_lowercase().starts_with(b"application/sdp");
    })?;
    if is_sdp {
        wire.embeds("sdp");
        return sdp::description(wire);
    }
    wire.rest_is(&BODY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::trees_of;
    use crate::wire::{Cut, trial};

    const INVITE: &[u8] =
        b"INVITE sip:bo@game.example SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.7:5060\r\nFrom: <sip:anna@game.example>;tag=1\r\n\
        i: 7@192.0.2.7\r\nContent-Type: application/sdp\r\nContent-Length: 84\r\n\r\n\
        v=0\r\no=anna 1 1 IN IP4 192.0.2.7\r\nc=IN IP4 192.0.2.7\r\nm=audio 40000 RTP/AVP 0\r\na=x\r\n";

    #[test]
    fn an_invite_request_and_its_response_are_dissected() {
        insta::assert_snapshot!(trial::read(&PROTOCOL, INVITE, Cut::No, message), @r#"
        sip 0..259 | INVITE | sip:bo@game.example
          0..7 sip.Method = "INVITE"
          7..27 sip.r-uri = "sip:bo@game.example"
          27..36 sip.Request-Version = "SIP/2.0"
          36..69 sip.Via = "SIP/2.0/UDP 192.0.2.7:5060"
          69..106 sip.From = "<sip:anna@game.example>;tag=1"
          106..122 sip.Call-ID = "7@192.0.2.7"
          122..153 sip.Content-Type = "application/sdp"
          153..173 sip.content_length_header = "84"
          sip.Content-Length = 84
          173..175 sip.blank = 0d0a
          175..180 sdp.version = "0"
          180..209 sdp.owner = "anna 1 1 IN IP4 192.0.2.7"
          209..229 sdp.connection_info = "IN IP4 192.0.2.7"
          229..254 sdp.media = "audio 40000 RTP/AVP 0"
          254..259 sdp.session_attr = "x"
        "#);
        insta::assert_snapshot!(trial::read(&PROTOCOL, b"SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\nX: y\r\n\r\nbody", Cut::No, message), @r#"
        sip 0..44 | 200 | OK
          0..8 sip.Status-Version = "SIP/2.0"
          8..12 sip.Status-Code = 200
          12..16 sip.Reason-Phrase = "OK"
          16..32 sip.CSeq = "1 INVITE"
          32..38 sip.unknown_header = "X: y"
          38..40 sip.blank = 0d0a
          40..44 sip.msg_body = 626f6479
        "#);
    }

    #[test]
    fn over_tcp_messages_are_delimited_by_content_length() {
        let both = [b"\r\n\r\n", INVITE, b"SIP/2.0 100 Trying\r\n\r\n"].concat();
        let trees = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, &both)]);
        let heads: Vec<&str> = trees.lines().filter(|line| line.starts_with("sip ")).collect();
        assert_eq!(heads, ["sip 0..4 | keep_alive", "sip 0..259 | INVITE | sip:bo@game.example", "sip 0..22 | 100 | Trying"]);
    }

    #[test]
    fn messages_are_recognized_by_a_complete_first_line() {
        assert!(is_message(INVITE) && is_message(b"SIP/2.0 200 OK\r\n"));
        for other in [&b"INVITE sip:x SIP/2.0"[..], b"GET / HTTP/1.1\r\n", b"INVITE x SIP/2.0\r\n", b"SIP/2.0 2000\r\n"] {
            assert!(!is_message(other), "{}", other.escape_ascii());
        }
    }
}
