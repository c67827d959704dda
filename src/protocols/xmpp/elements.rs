//! Elements as fields: tags, attributes and text.

use super::xml::{self, Kind};
use super::*;
use crate::tree::Field;
use crate::wire::Error;

/// Elements with a group of their own, by local name.
const KNOWN: &[(&[u8], &Field)] = &[
    (b"auth", &AUTH),
    (b"bind", &BIND),
    (b"body", &BODY),
    (b"challenge", &CHALLENGE),
    (b"error", &ERROR),
    (b"failure", &FAILURE),
    (b"features", &FEATURES),
    (b"iq", &IQ),
    (b"item", &ITEM),
    (b"message", &MESSAGE),
    (b"ping", &PING),
    (b"presence", &PRESENCE),
    (b"proceed", &PROCEED),
    (b"query", &QUERY),
    (b"response", &RESPONSE),
    (b"session", &SESSION),
    (b"show", &SHOW),
    (b"starttls", &STARTTLS),
    (b"status", &STATUS),
    (b"stream", &STREAM),
    (b"subject", &SUBJECT),
    (b"success", &SUCCESS),
    (b"thread", &THREAD),
];

/// Attributes with a field of their own.
const ATTRIBUTES: &[(&[u8], &Field)] = &[(b"from", &FROM), (b"id", &ID), (b"to", &TO), (b"type", &TYPE), (b"xmlns", &XMLNS)];

/// Elements whose text authenticates: SASL (RFC 6120, 6; XEP-0388), XEP-0077, XEP-0078 and XEP-0114.
const SECRETS: &[&[u8]] = &[
    b"additional-data",
    b"auth",
    b"challenge",
    b"digest",
    b"handshake",
    b"initial-response",
    b"password",
    b"response",
    b"success",
    b"token",
];

/// Deepest nesting that becomes fields.
const DEEPEST: usize = 16;

/// The ID of a request, without the end of a long one.
pub(super) type Id = [u8; 32];

/// Whether an incomplete element may hold a secret: one begins in it, or its last tag may become one.
pub(super) fn may_hold_secret(ahead: &[u8]) -> bool {
    memchr::memchr_iter(b'<', ahead).any(|at| {
        let tag = ahead.get(at..).unwrap_or_default();
        let name = xml::name(tag);
        let is_whole = name.end < tag.len();
        let name = xml::local(tag.get(name).unwrap_or_default());
        SECRETS.iter().any(|secret| if is_whole { *secret == name } else { secret.starts_with(name) || name.is_empty() })
    })
}

/// Dissects a blank, a declaration, a tag of the stream, or an element.
pub(super) fn message(session: &mut Session, from: Side, wire: &mut Wire<'_>) -> Result {
    if wire.peek_u8().is_some_and(|first| first.is_ascii_whitespace()) {
        wire.name("keep-alive");
        return wire.bytes(&KEEP_ALIVE, 1).map(drop);
    }
    let ahead = wire.ahead();
    let Some((kind, size)) = xml::first(ahead) else { return unfinished(wire) };
    let tag = ahead.get(..size).unwrap_or_default();
    let name = xml::local(tag.get(xml::name(tag)).unwrap_or_default());
    match kind {
        Kind::Declaration => {
            wire.name("declaration");
            let version = range_of(tag, b"version").unwrap_or(0..0);
            return wire.words(&HEADER_VERSION, size, version).map(drop);
        }
        Kind::End => {
            wire.name("stream end");
            return wire.words(&STREAM_END, size, xml::name(tag)).map(drop);
        }
        Kind::Start | Kind::Empty => {}
        Kind::Text | Kind::Verbatim | Kind::Other => {
            wire.name("markup");
            return wire.text(&UNKNOWN, size).map(drop);
        }
    }
    wire.name(&String::from_utf8_lossy(name));
    summary(tag, ahead, wire);
    session.see(from, name, tag, wire);
    element(wire, 0, false)
}

/// Type, and what a stanza is about.
fn summary(tag: &[u8], ahead: &[u8], wire: &mut Wire<'_>) {
    let attribute = |name: &[u8]| String::from_utf8_lossy(xml::value(tag, name).unwrap_or_default()).into_owned();
    let name = xml::local(tag.get(xml::name(tag)).unwrap_or_default());
    match name {
        b"stream" => {
            wire.info(format_args!("{}", if xml::value(tag, b"to").is_some() { attribute(b"to") } else { attribute(b"from") }))
        }
        b"auth" => wire.info(format_args!("{}", attribute(b"mechanism"))),
        b"iq" => {
            let child = ahead.get(tag.len()..).filter(|child| child.starts_with(b"<") && !child.starts_with(b"</"));
            let child = child.map(|child| child.get(xml::name(child)).unwrap_or_default()).unwrap_or_default();
            wire.info(format_args!("{} {}", attribute(b"type"), String::from_utf8_lossy(child)));
        }
        b"message" | b"presence" => wire.info(format_args!("{}", attribute(b"type"))),
        _ => {}
    }
}

impl Session {
    /// Follows requests, and the switch to TLS.
    fn see(&mut self, from: Side, name: &[u8], tag: &[u8], wire: &mut Wire<'_>) {
        match name {
            b"starttls" => self.asked_tls = true,
            b"failure" => self.asked_tls = false,
            b"proceed" if from == Side::Server => {
                self.asked_tls = false;
                self.next = Some(Next::Detect);
            }
            b"iq" => self.match_request(from, tag, wire),
            _ => {}
        }
    }

    fn match_request(&mut self, from: Side, tag: &[u8], wire: &mut Wire<'_>) {
        let (Some(kind), Some(id)) = (xml::value(tag, b"type"), xml::value(tag, b"id")) else { return };
        let mut key = Id::default();
        key.iter_mut().zip(id).for_each(|(place, byte)| *place = *byte);
        let is_client = from == Side::Client;
        match kind {
            b"get" | b"set" => drop(self.requests.ask((is_client, key), wire)),
            _ => {
                if let Some(request) = self.requests.answer(&(!is_client, key)) {
                    request.put(wire, &REQUEST_IN, &TIME);
                }
            }
        }
    }
}

/// Dissects an element with all elements inside. The text of a secret one is masked.
fn element(wire: &mut Wire<'_>, depth: usize, is_secret: bool) -> Result {
    let ahead = wire.ahead();
    let Some((kind, size)) = xml::first(ahead) else { return unfinished(wire) };
    let tag = ahead.get(..size).unwrap_or_default();
    let name = xml::local(tag.get(xml::name(tag)).unwrap_or_default());
    let is_secret = is_secret || SECRETS.contains(&name);
    let field = KNOWN.iter().find(|(known, _)| *known == name).map_or(&ELEMENT, |(_, field)| *field);
    wire.group(field, |wire| {
        start_tag(wire, tag)?;
        // The stream itself ends with the connection.
        if kind == Kind::Empty || field.is(&STREAM) && depth == 0 {
            return Ok(());
        }
        content(wire, depth, is_secret)
    })
}

/// Dissects text and elements up to the end tag.
fn content(wire: &mut Wire<'_>, depth: usize, is_secret: bool) -> Result {
    let text = if is_secret { &SECRET } else { &CDATA };
    while wire.remaining() > 0 {
        let ahead = wire.ahead();
        let Some((kind, size)) = xml::first(ahead) else { return unfinished(wire) };
        match kind {
            Kind::End => return wire.words(&END_TAG, size, xml::name(ahead)).map(drop),
            Kind::Text | Kind::Verbatim => drop(wire.text(text, size)?),
            Kind::Start | Kind::Empty if depth < DEEPEST => element(wire, depth + 1, is_secret)?,
            _ if is_secret => drop(wire.text(&SECRET, size)?),
            _ => drop(wire.text(&UNKNOWN, size)?),
        }
    }
    Err(Error::Short { needed: 1 })
}

/// Dissects a start tag with its attributes. What follows an attribute, such as the bracket, belongs to it.
fn start_tag(wire: &mut Wire<'_>, tag: &[u8]) -> Result {
    let name = xml::name(tag);
    let mut next = xml::attribute(tag, name.end);
    let head = next.as_ref().map_or(tag.len(), |first| first.whole.start);
    wire.words(&TAG, head, name)?;
    while let Some(attribute) = next {
        next = xml::attribute(tag, attribute.whole.end);
        let end = next.as_ref().map_or(tag.len(), |next| next.whole.start);
        let (start, name) = (attribute.whole.start, tag.get(attribute.name).unwrap_or_default());
        match ATTRIBUTES.iter().find(|(known, _)| *known == name) {
            Some((_, field)) => wire.words(field, end - start, attribute.value.start - start..attribute.value.end - start)?,
            None => wire.words(&ATTRIBUTE, end - start, 0..attribute.whole.end - start)?,
        };
    }
    Ok(())
}

/// Range of the value of an attribute in a declaration.
fn range_of(tag: &[u8], wanted: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut at = xml::name(tag).end;
    while let Some(found) = xml::attribute(tag, at) {
        if tag.get(found.name) == Some(wanted) {
            return Some(found.value);
        }
        at = found.whole.end;
    }
    None
}

/// The rest of an element that is cut, which may hold a secret.
fn unfinished(wire: &mut Wire<'_>) -> Result {
    wire.rest(&SECRET);
    Err(Error::Short { needed: 1 })
}
