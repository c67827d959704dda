//! Generated fields, named and valued as in Wireshark.

use super::*;
use crate::protocols::ssdp;
use crate::tree::{Computed, Field, MASKED_TEXT, Names, NodeRef, name_of};
use std::borrow::Cow;

/// Fields of header lines, and of the empty line that ends them.
pub(super) static LINES: &[&Field] = &[
    &ACCEPT,
    &ACCEPT_ENCODING,
    &ACCEPT_LANGUAGE,
    &AUTHORIZATION,
    &BLANK,
    &CACHE_CONTROL,
    &CONNECTION,
    &CONTENT_ENCODING,
    &CONTENT_LENGTH,
    &CONTENT_TYPE,
    &COOKIE,
    &DATE,
    &FORWARDED_FOR,
    &HOST,
    &HTTP2_SETTINGS,
    &LAST_MODIFIED,
    &LOCATION,
    &OTHER,
    &PROXY_AUTHENTICATE,
    &PROXY_AUTHORIZATION,
    &REFERER,
    &SERVER,
    &SET_COOKIE,
    &TRANSFER_ENCODING,
    &UPGRADE,
    &USER_AGENT,
    &WEBSOCKET_ACCEPT,
    &WEBSOCKET_EXTENSIONS,
    &WEBSOCKET_KEY,
    &WEBSOCKET_PROTOCOL,
    &WEBSOCKET_VERSION,
    &WWW_AUTHENTICATE,
    &ssdp::TARGET,
    &ssdp::TYPE,
    &ssdp::KIND,
    &ssdp::NAME,
    &ssdp::WAIT,
];

/// Emits the header lines that follow this node.
pub(super) fn lines(start: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let is_line = |node: &NodeRef<'_>| LINES.iter().any(|line| line.is(node.field()));
    for node in start.behind().take_while(|node| !node.field().is(&BLANK)).filter(is_line) {
        take(if node.is_secret() { Computed::made(MASKED_TEXT) } else { Computed::Text(node.masked_bytes()) });
    }
}

/// Reason phrases that Wireshark takes from older standards.
const OLDER: Names = &[
    (203, "Non-authoritative Information"),
    (208, "Already Reported"),
    (226, "IM Used"),
    (305, "Use Proxy"),
    (408, "Request Time-out"),
    (413, "Request Entity Too Large"),
    (414, "Request-URI Too Long"),
    (416, "Requested Range Not Satisfiable"),
    (418, "I'm a teapot"),
    (422, "Unprocessable Entity"),
    (423, "Locked"),
    (424, "Failed Dependency"),
    (425, "Too Early"),
    (504, "Gateway Time-out"),
    (505, "HTTP Version not supported"),
    (506, "Variant Also Negotiates"),
    (507, "Insufficient Storage"),
    (508, "Loop Detected"),
    (510, "Not Extended"),
    (599, "Server Error - Others"),
];

/// Emits the description of a status code, with Wireshark's text.
pub(super) fn description(code: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let Some(code) = code.number() else { return };
    match name_of(OLDER, code).or_else(|| name_of(CODES, code)) {
        Some(name) => take(Computed::borrowed(name.as_bytes())),
        None => take(Computed::made(format!("Unknown ({code})"))),
    }
}

/// Emits a body that is not text: its bytes if it has a zero byte, else its characters.
pub(super) fn body(data: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let is_of_head = |node: NodeRef<'_>| node.field().is(&REQUEST) || node.field().is(&RESPONSE);
    if !data.before().any(is_of_head) {
        return;
    }
    let bytes = data.masked_bytes();
    if memchr::memchr(0, &bytes).is_some() {
        take(Computed::Bytes(bytes));
        return;
    }
    take(Computed::Text(String::from_utf8_lossy(&bytes).into_owned().into_bytes().into()));
}

/// Path and query of a request target.
fn parts(uri: NodeRef<'_>) -> (String, Option<String>) {
    let uri = uri.text();
    match uri.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (uri.into_owned(), None),
    }
}

pub(super) fn path(uri: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let (path, Some(_)) = parts(uri) {
        take(Computed::made(path));
    }
}

pub(super) fn query(uri: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let (_, Some(query)) = parts(uri) {
        take(Computed::made(query));
    }
}

pub(super) fn parameters(uri: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let (_, query) = parts(uri);
    query.iter().flat_map(|query| query.split('&')).for_each(|parameter| take(Computed::made(parameter)));
}

/// Emits user name and password of the Basic authentication scheme.
pub(super) fn basic(authorization: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if authorization.is_secret() {
        take(Computed::made(MASKED_TEXT));
        return;
    }
    let value = authorization.text();
    let decoded = value.trim_start().strip_prefix("Basic ").and_then(|credentials| decoded(credentials.trim()));
    if let Some(decoded) = decoded {
        take(Computed::Text(Cow::Owned(decoded)));
    }
}

/// Decodes base64.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        (bits, count) = ((bits << 6 | u32::from(digit)) & 0xffff, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(bytes)
}
