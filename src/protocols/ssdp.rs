//! SSDP, the discovery protocol of UPnP: messages with HTTP syntax over multicast or unicast UDP.
//!
//! ```text
//! M-SEARCH * HTTP/1.1        search
//! NOTIFY * HTTP/1.1          advertisement, or its end
//! HTTP/1.1 200 OK            response to a search
//! Name: value …              an empty line ends the message
//! ```

use super::http::{
    BLANK, CACHE_CONTROL, CODE, DATE, HOST, LOCATION, METHOD, NOTIFICATION, OTHER, PHRASE, REQUEST, RESPONSE, RESPONSE_VERSION,
    SERVER, URI, USER_AGENT, VERSION,
};
use super::lines::{self, HeaderFields};
use crate::tree::{Field, Value, fields};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&SSDP, FIELDS)
    .found(&[
        On::Udp(1900).datagram(Heuristic::Datagram(recognize), message),
        On::AnyUdp.datagram(Heuristic::Datagram(is_request), message),
        On::Udp(1900).datagram(Heuristic::Datagram(has_start_line), message).by_port(),
    ])
    .rest(&DATA);

fields! {
    SSDP = protocol("ssdp", "SSDP", "Simple Service Discovery Protocol")
        .covers("Searches, advertisements and responses with their headers");
    TARGET = text("ssdp.st", "search target", "Service or device type that is searched for or found");
    TYPE = text("ssdp.nt", "notification type", "Service or device type of the advertisement");
    KIND = text("ssdp.nts", "notification subtype", "ssdp:alive, ssdp:byebye or ssdp:update");
    NAME = text("ssdp.usn", "unique service name", "");
    WAIT = text("ssdp.mx", "maximum wait", "Seconds within which to respond");
    LINE_END = bytes("ssdp.line_end", "line end", "End of the first line, and bytes between its words");
    DATA = bytes("ssdp.data", "data", "Undissected bytes");
}

static HEADS: HeaderFields = HeaderFields {
    known: &[
        ("cache-control", &CACHE_CONTROL),
        ("date", &DATE),
        ("host", &HOST),
        ("location", &LOCATION),
        ("mx", &WAIT),
        ("nt", &TYPE),
        ("nts", &KIND),
        ("server", &SERVER),
        ("st", &TARGET),
        ("user-agent", &USER_AGENT),
        ("usn", &NAME),
    ],
    other: &OTHER,
    blank: &BLANK,
};

const REQUESTS: [&[u8]; 2] = [b"M-SEARCH * HTTP/1.", b"NOTIFY * HTTP/1."];

fn is_request(bytes: &[u8]) -> bool {
    REQUESTS.iter().any(|request| bytes.starts_with(request))
}

fn recognize(bytes: &[u8]) -> bool {
    is_request(bytes) || bytes.starts_with(b"HTTP/1.")
}

/// Whether the first line has a version of HTTP, with another method or number.
fn has_start_line(bytes: &[u8]) -> bool {
    let line = lines::line(bytes).and_then(|line| bytes.get(..line.text)).unwrap_or_default();
    let version = |bytes: &[u8]| matches!(bytes, [b'H', b'T', b'T', b'P', b'/', major, b'.', _] if major.is_ascii_digit());
    line.first_chunk::<8>().is_some_and(|start| version(start)) || line.last_chunk::<8>().is_some_and(|end| version(end))
}

fn message(wire: &mut Wire<'_>) -> Result {
    let Some(first) = lines::line(wire.ahead()) else { return wire.rest_is(&DATA) };
    let line = wire.ahead().get(..first.text).unwrap_or_default();
    let is_answer = line.starts_with(b"HTTP/");
    wire.name(&String::from_utf8_lossy(if is_answer {
        b"response"
    } else {
        line.split(|byte| *byte == b' ').next().unwrap_or_default()
    }));
    // The first word identifies the type of the message.
    let kind = match line {
        _ if is_answer => &RESPONSE,
        [b'N', ..] => &NOTIFICATION,
        _ => &REQUEST,
    };
    wire.add(kind, Value::Bool(true));
    if is_answer {
        word(wire, &RESPONSE_VERSION, b' ')?;
        code(wire)?;
        word(wire, &PHRASE, b'\r')?;
    } else {
        word(wire, &METHOD, b' ')?;
        word(wire, &URI, b' ')?;
        word(wire, &VERSION, b'\r')?;
    }
    let mut summary = None;
    let result = HEADS.read(wire, |_, field, value| {
        if field.is(&TARGET) || field.is(&TYPE) {
            summary = Some(String::from_utf8_lossy(value).into_owned());
        }
    });
    if let Some(summary) = summary {
        wire.info(format_args!("{summary}"));
    }
    result
}

/// Dissects a word of the first line and the byte that ends it.
fn word(wire: &mut Wire<'_>, field: &'static Field, end: u8) -> Result {
    let ahead = wire.ahead();
    let length = ahead.iter().take_while(|byte| **byte != end && **byte != b'\n').count();
    wire.text(field, length)?;
    let between = ahead.get(length..).unwrap_or_default();
    let count = between.iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ')).count();
    let count = if end == b' ' { count.min(1) } else { count };
    wire.optional(&LINE_END, count).map(drop)
}

/// Dissects the numeric status code.
fn code(wire: &mut Wire<'_>) -> Result {
    let (start, ahead) = (wire.at(), wire.ahead());
    let digits = ahead.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match ahead.get(..digits).and_then(lines::number) {
        Some(number) => {
            wire.skip(digits)?;
            wire.put(&CODE, Value::Unsigned(number), start..start + digits);
            let count = usize::from(wire.peek_u8() == Some(b' '));
            wire.optional(&LINE_END, count).map(drop)
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const SEARCH: &str = "4d2d534541524348202a20485454502f312e310d0a484f53543a203233392e3235352e3235352e3235303a313930300d0a4d414e \
        3a2022737364703a646973636f766572220d0a4d583a20320d0a53543a2075706e703a726f6f746465766963650d0a0d0a";
    const NOTIFY: &str = "4e4f54494659202a20485454502f312e310d0a484f53543a203233392e3235352e3235352e3235303a313930300d0a4e543a2075 \
        706e703a726f6f746465766963650d0a4e54533a20737364703a616c6976650d0a55534e3a20757569643a313a3a75706e703a72 \
        6f6f746465766963650d0a4c4f434154494f4e3a20687474703a2f2f3139322e302e322e31302f642e786d6c0d0a0d0a";
    const FOUND: &str = "485454502f312e3120323030204f4b0d0a43414348452d434f4e54524f4c3a206d61782d6167653d313830300d0a53543a207570 \
        6e703a726f6f746465766963650d0a55534e3a20757569643a313a3a75706e703a726f6f746465766963650d0a0d0a";

    fn read(hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, message)
    }

    #[test]
    fn a_search_is_dissected() {
        insta::assert_snapshot!(read(SEARCH), @r#"
        ssdp 0..101 | M-SEARCH | upnp:rootdevice
          http.request = true
          0..8 http.request.method = "M-SEARCH"
          8..9 ssdp.line_end = 20
          9..10 http.request.uri = "*"
          10..11 ssdp.line_end = 20
          11..19 http.request.version = "HTTP/1.1"
          19..21 ssdp.line_end = 0d0a
          21..49 http.host = "239.255.255.250:1900"
          49..71 http.unknown_header = "MAN: "ssdp:discover""
          71..78 ssdp.mx = "2"
          78..99 ssdp.st = "upnp:rootdevice"
          99..101 http.blank = 0d0a
        "#);
    }

    #[test]
    fn an_advertisement_is_dissected() {
        insta::assert_snapshot!(read(NOTIFY), @r#"
        ssdp 0..152 | NOTIFY | upnp:rootdevice
          0..6 http.request.method = "NOTIFY"
          6..7 ssdp.line_end = 20
          7..8 http.request.uri = "*"
          8..9 ssdp.line_end = 20
          9..17 http.request.version = "HTTP/1.1"
          17..19 ssdp.line_end = 0d0a
          19..47 http.host = "239.255.255.250:1900"
          47..68 ssdp.nt = "upnp:rootdevice"
          68..85 ssdp.nts = "ssdp:alive"
          85..115 ssdp.usn = "uuid:1::upnp:rootdevice"
          115..150 http.location = "http://192.0.2.10/d.xml"
          150..152 http.blank = 0d0a
        "#);
    }

    #[test]
    fn a_search_response_is_dissected() {
        insta::assert_snapshot!(read(FOUND), @r#"
        ssdp 0..99 | response | upnp:rootdevice
          http.response = true
          0..8 http.response.version = "HTTP/1.1"
          8..9 ssdp.line_end = 20
          9..12 http.response.code = 200 (OK)
          12..13 ssdp.line_end = 20
          13..15 http.response.phrase = "OK"
          15..17 ssdp.line_end = 0d0a
          17..46 http.cache_control = "max-age=1800"
          46..67 ssdp.st = "upnp:rootdevice"
          67..97 ssdp.usn = "uuid:1::upnp:rootdevice"
          97..99 http.blank = 0d0a
        "#);
    }

    #[test]
    fn the_heuristic_requires_a_first_line() {
        assert!([SEARCH, NOTIFY, FOUND].iter().all(|hex| recognize(&trial::bytes(hex))));
        assert!(is_request(&trial::bytes(SEARCH)) && !is_request(&trial::bytes(FOUND)) && !recognize(b"GET / HTTP/1.1"));
    }

    #[test]
    fn a_malformed_message_keeps_the_valid_fields() {
        let bytes = trial::bytes(NOTIFY);
        for cut in 0..bytes.len() {
            trial::read(&PROTOCOL, &bytes[..cut], Cut::No, message);
        }
        for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x5c, 0x80, 0xff].map(|byte| (place, byte))) {
            let mut bytes = bytes.clone();
            bytes[place] = byte;
            let dump = trial::read(&PROTOCOL, &bytes, Cut::No, message);
            assert!(dump.starts_with("ssdp 0.."));
        }
    }
}
