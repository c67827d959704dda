//! Start line and headers, and the framing of the body that they declare.

use super::*;
use crate::protocols::lines::{self, HeaderFields};
use crate::tree::Value;
use crate::wire::{Cut, Error, Result, Wire};

static HEADS: HeaderFields = HeaderFields {
    known: &[
        ("accept", &ACCEPT),
        ("accept-encoding", &ACCEPT_ENCODING),
        ("accept-language", &ACCEPT_LANGUAGE),
        ("authorization", &AUTHORIZATION),
        ("cache-control", &CACHE_CONTROL),
        ("connection", &CONNECTION),
        ("content-encoding", &CONTENT_ENCODING),
        ("content-length", &CONTENT_LENGTH),
        ("content-type", &CONTENT_TYPE),
        ("cookie", &COOKIE),
        ("date", &DATE),
        ("host", &HOST),
        ("http2-settings", &HTTP2_SETTINGS),
        ("last-modified", &LAST_MODIFIED),
        ("location", &LOCATION),
        ("proxy-authenticate", &PROXY_AUTHENTICATE),
        ("proxy-authorization", &PROXY_AUTHORIZATION),
        ("referer", &REFERER),
        ("sec-websocket-accept", &WEBSOCKET_ACCEPT),
        ("sec-websocket-extensions", &WEBSOCKET_EXTENSIONS),
        ("sec-websocket-key", &WEBSOCKET_KEY),
        ("sec-websocket-protocol", &WEBSOCKET_PROTOCOL),
        ("sec-websocket-version", &WEBSOCKET_VERSION),
        ("server", &SERVER),
        ("set-cookie", &SET_COOKIE),
        ("transfer-encoding", &TRANSFER_ENCODING),
        ("upgrade", &UPGRADE),
        ("user-agent", &USER_AGENT),
        ("www-authenticate", &WWW_AUTHENTICATE),
        ("x-forwarded-for", &FORWARDED_FOR),
    ],
    other: &OTHER,
    blank: &BLANK,
};

/// Content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::protocols) enum Coding {
    #[default]
    Plain,
    Gzip,
    Deflate,
}

/// Start line, as positions in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start<'a> {
    Request { method: &'a [u8], uri: &'a [u8] },
    Response { code: u16 },
}

/// Header values that the dissection of a message needs.
#[derive(Debug, Default)]
pub(super) struct HeaderValues<'a> {
    pub(super) start: Option<Start<'a>>,
    pub(super) length: Option<u64>,
    pub(super) chunked: bool,
    pub(super) coding: Coding,
    pub(super) kind: &'a [u8],
    pub(super) host: &'a [u8],
    pub(super) upgrade: &'a [u8],
    pub(super) extensions: &'a [u8],
}

impl<'a> Start<'a> {
    /// Parses a start line without its line end.
    pub(super) fn of(line: &'a [u8]) -> Option<Start<'a>> {
        if is_version(line.get(..8)?) {
            let digits = line.get(8..)?.strip_prefix(b" ")?;
            let code = lines::number(digits.get(..3)?)?;
            let ends = matches!(digits.get(3), None | Some(b' '));
            return ends.then_some(Start::Response { code: u16::try_from(code).ok()? });
        }
        let (rest, version) = line.split_at_checked(line.len().checked_sub(9)?)?;
        let method_end = memchr::memchr(b' ', rest)?;
        let (method, uri) = (rest.get(..method_end)?, rest.get(method_end + 1..)?);
        let is_http_2 = method == b"PRI";
        let is_request = version.first() == Some(&b' ') && is_version(version.get(1..)?) && is_method(method) && !uri.is_empty();
        let is_request = is_request && !is_http_2;
        is_request.then_some(Start::Request { method, uri })
    }
}

/// Parses an HTTP/0.9 request, which has no version: `GET` and a path.
pub(super) fn simple(line: &[u8]) -> Option<Start<'_>> {
    let uri = line.strip_prefix(b"GET ")?;
    let is_path = uri.first() == Some(&b'/') && uri.iter().all(u8::is_ascii_graphic);
    is_path.then_some(Start::Request { method: b"GET", uri })
}

/// Size of start line and headers. The first `searched` bytes contain no end.
pub(super) fn end(bytes: &[u8], searched: usize) -> Option<usize> {
    let first = lines::line(bytes);
    match first.filter(|first| bytes.get(..first.text).and_then(simple).is_some()) {
        Some(first) => {
            let behind = bytes.get(first.whole..).unwrap_or_default();
            Some(first.whole + lines::line(behind).filter(|line| line.text == 0).map_or(0, |blank| blank.whole))
        }
        None => lines::head(bytes, searched),
    }
}

fn is_version(word: &[u8]) -> bool {
    matches!(word, [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
}

/// Whether a start line has version 1. HTTP/2 has a start line as well, and later versions have none.
pub(super) fn is_of_version_1(line: &[u8]) -> bool {
    let version = if line.starts_with(b"HTTP/") { line.get(..8) } else { line.last_chunk::<8>().map(|version| &version[..]) };
    version.is_some_and(|version| version.starts_with(b"HTTP/1."))
}

pub(super) fn is_method(word: &[u8]) -> bool {
    (2..=24).contains(&word.len()) && word.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_'))
}

impl<'a> HeaderValues<'a> {
    /// Extracts the values from complete headers.
    pub(super) fn of(head: &'a [u8]) -> HeaderValues<'a> {
        let mut values = HeaderValues::default();
        let Some(first) = lines::line(head) else { return values };
        values.start = head.get(..first.text).and_then(|line| Start::of(line).or_else(|| simple(line)));
        // Lengths of the names matched below.
        let may_say = |name: &[u8]| matches!(name.len(), 4 | 7 | 12 | 14 | 16 | 17 | 24);
        for (name, value) in lines::headers(head, may_say) {
            let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
            match name.len() {
                4 if is("host") => values.host = value,
                7 if is("upgrade") => values.upgrade = value,
                12 if is("content-type") => values.kind = value,
                14 if is("content-length") => values.length = lines::number(value).or(values.length),
                16 if is("content-encoding") => values.coding = Coding::of(value),
                17 if is("transfer-encoding") => values.chunked = lines::lists(value, "chunked"),
                24 if is("sec-websocket-extensions") => values.extensions = value,
                _ => {}
            }
        }
        values
    }
}

impl Coding {
    pub(in crate::protocols) fn of(value: &[u8]) -> Coding {
        if lines::lists(value, "gzip") || lines::lists(value, "x-gzip") {
            Coding::Gzip
        } else if lines::lists(value, "deflate") {
            Coding::Deflate
        } else {
            Coding::Plain
        }
    }
}

/// Dissects start line and headers.
pub(super) fn read(wire: &mut Wire<'_>, values: &HeaderValues<'_>) -> Result {
    first_line(wire)?;
    // HTTP/0.9 requests have no headers.
    if wire.remaining() == 0 && wire.cut() == Cut::No {
        return Ok(());
    }
    HEADS.read(wire, |wire, field, value| {
        if field.is(&CONTENT_LENGTH) {
            match lines::number(value) {
                Some(length) => drop(wire.add(&LENGTH, Value::Unsigned(length))),
                None => wire.note(&BAD_LENGTH, format_args!("not a number")),
            }
        }
    })?;
    if values.chunked && values.length.is_some() {
        wire.note(&TE_AND_LENGTH, format_args!("both Transfer-Encoding and Content-Length are present"));
    }
    Ok(())
}

fn first_line(wire: &mut Wire<'_>) -> Result {
    let ahead = wire.ahead();
    let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
    let text = ahead.get(..line.text).unwrap_or_default();
    if let Some(Start::Request { method, uri }) = simple(text) {
        wire.add(&REQUEST, Value::Bool(true));
        wire.words(&METHOD, method.len() + 1, 0..method.len())?;
        return wire.words(&URI, line.whole - method.len() - 1, 0..uri.len()).map(drop);
    }
    match Start::of(text) {
        Some(Start::Request { method, uri }) => {
            wire.add(&REQUEST, Value::Bool(true));
            wire.words(&METHOD, method.len() + 1, 0..method.len())?;
            wire.words(&URI, uri.len() + 1, 0..uri.len())?;
            let left = method.len() + uri.len() + 2;
            wire.words(&VERSION, line.whole - left, 0..line.text - left)?;
        }
        Some(Start::Response { code }) => {
            wire.add(&RESPONSE, Value::Bool(true));
            wire.words(&RESPONSE_VERSION, 9, 0..8)?;
            let at = wire.at();
            let blank = usize::from(line.text > 12);
            wire.put(&CODE, Value::Unsigned(code.into()), at..at + 3 + blank);
            wire.skip(3 + blank)?;
            let left = 12 + blank;
            wire.words(&PHRASE, line.whole - left, 0..line.text - left)?;
        }
        None => drop(wire.words(&OTHER, line.whole, 0..line.text)?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_that_affects_dissection_is_extracted() {
        let values =
            |header: &str| format!("{:?}", HeaderValues::of(format!("GET / HTTP/1.1\r\nA: b\r\n{header}\r\n\r\n").as_bytes()));
        for header in [
            "HOST: a",
            "Upgrade: a",
            "content-type: a",
            "Content-Length: 7",
            "Content-Encoding: gzip",
            "Transfer-Encoding: chunked",
            "Sec-WebSocket-Extensions: a",
        ] {
            assert_ne!(values(header), values("Other: a"), "{header}");
        }
    }
}
