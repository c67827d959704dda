//! XMPP (RFC 6120, RFC 6121): streams of XML between chat clients and servers.
//!
//! ```text
//! stream      <?xml …?> | <stream:stream …> | element … | </stream:stream>
//! element     stanza iq, message or presence, stream features, or one of TLS and SASL
//! ```
//! Each element is a message, and so are the tags around all of them. After `<proceed/>` the stream is handed over to TLS.
//!
//! Not covered: contents of extensions by name; compression.

mod elements;
#[cfg(test)]
mod tests;
mod xml;

use crate::tree::{BySide, Side, fields, title};
use crate::wire::{
    Conversation, Extent, Heuristic, Missing, Next, On, Opening, Protocol, Requests, Result, Resumption, Verdict, Wire,
};
use xml::Kind;

pub static PROTOCOL: Protocol = Protocol::new(&XMPP, FIELDS)
    .found(&[
        On::Tcp(5222).stream::<Session>(Heuristic::Stream(on_port)),
        On::Tcp(5269).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
    ])
    .rest(&DATA);

fields! {
    XMPP = protocol("xmpp", "XMPP", "Extensible Messaging and Presence Protocol")
        .covers("Streams, stanzas and their elements; responses matched with their requests; switch to TLS after STARTTLS")
        .leaves_open("Contents of extensions by name, and compression");
    HEADER_VERSION = text("xmpp.xml_header_version", "XML header version", "Version of the XML declaration").once();
    STREAM = group("xmpp.stream", "stream", "Opening tag of a stream").once();
    STREAM_END = text("xmpp.stream_end", "stream end", "Closing tag of a stream").once();
    FEATURES = group("xmpp.features", "features", "Features of the server");
    STARTTLS = group("xmpp.starttls", "starttls", "");
    PROCEED = group("xmpp.proceed", "proceed", "TLS begins");
    AUTH = group("xmpp.auth", "auth", "Start of an authentication");
    CHALLENGE = group("xmpp.challenge", "challenge", "");
    RESPONSE = group("xmpp.response", "response", "");
    SUCCESS = group("xmpp.success", "success", "");
    FAILURE = group("xmpp.failure", "failure", "");
    IQ = group("xmpp.iq", "iq", "Request or its response");
    MESSAGE = group("xmpp.message", "message", "");
    PRESENCE = group("xmpp.presence", "presence", "");
    QUERY = group("xmpp.query", "query", "");
    ITEM = group("xmpp.query.item", "item", "");
    BIND = group("xmpp.iq.bind", "bind", "Binding of a resource");
    SESSION = group("xmpp.iq.session", "session", "");
    PING = group("xmpp.ping", "ping", "");
    ERROR = group("xmpp.error", "error", "");
    BODY = group("xmpp.message.body", "body", "");
    SUBJECT = group("xmpp.message.subject", "subject", "");
    THREAD = group("xmpp.message.thread", "thread", "");
    STATUS = group("xmpp.presence.status", "status", "");
    SHOW = group("xmpp.presence.show", "show", "Availability");
    ELEMENT = group("xmpp.element", "element", "Element without a specific field").titled(title::kind);
    TAG = text("xmpp.tag", "tag", "Name of an element");
    END_TAG = text("xmpp.end_tag", "end tag", "");
    XMLNS = text("xmpp.xmlns", "xmlns", "Namespace");
    ID = text("xmpp.id", "id", "Repeated by the response");
    TYPE = text("xmpp.type", "type", "");
    FROM = text("xmpp.from", "from", "");
    TO = text("xmpp.to", "to", "");
    ATTRIBUTE = text("xmpp.attribute", "attribute", "Attribute without a specific field");
    CDATA = text("xmpp.cdata", "text", "");
    SECRET = text("xmpp.secret", "secret", "Text of an element that authenticates").secret();
    KEEP_ALIVE = bytes("xmpp.keep_alive", "keep-alive", "Blank between elements");
    UNKNOWN = text("xmpp.unknown", "unknown", "Other markup, or an element nested too deep");
    DATA = bytes("xmpp.data", "data", "Undissected bytes");
    REQUEST_IN = number("xmpp.response_to", "request in", "").once();
    TIME = float("xmpp.time", "time", "Seconds since the request").once();
}

/// First elements of a stream joined midway.
const STANZAS: [&[u8]; 6] = [b"iq", b"message", b"presence", b"features", b"r", b"a"];

/// Longest element; servers accept less.
const ELEMENT_MOST: usize = 4 << 20;

/// Longest tag, comment or verbatim text, which is searched again whenever bytes arrive.
const MARKUP_MOST: usize = 16 << 10;

/// Longest opening of a stream that recognition waits for.
const OPENING: usize = 2048;

/// Progress through the element that arrives.
#[derive(Default, Clone, Copy)]
struct Scan {
    /// Bytes of whole markup.
    at: usize,
    /// Elements that are open there.
    depth: usize,
    /// Bytes of text that contain no markup.
    searched: usize,
}

/// State of a connection.
#[derive(Default)]
struct Session {
    scans: BySide<Scan>,
    /// Bytes of a side were lost, up to the next stanza.
    lost: BySide<bool>,
    /// The client asked for TLS.
    asked_tls: bool,
    next: Option<Next>,
    /// Pending requests by the side that asked, and their ID.
    requests: Requests<(bool, elements::Id)>,
}

/// The opening tag of a stream behind blanks and a declaration; `Err` if the bytes begin with anything else.
fn stream_tag(bytes: &[u8]) -> std::result::Result<Option<&[u8]>, ()> {
    let mut rest = bytes.trim_ascii_start();
    if rest.starts_with(b"<?xml ") {
        let Some((_, size)) = xml::first(rest) else { return Ok(None) };
        rest = rest.get(size..).unwrap_or_default().trim_ascii_start();
    }
    let begins = [&b"<stream:stream"[..], b"<?xml "].iter().any(|start| start.starts_with(rest));
    match xml::first(rest) {
        Some((Kind::Start, size)) if rest.starts_with(b"<stream:stream") => Ok(rest.get(..size)),
        None if begins || rest.starts_with(b"<stream:stream") => Ok(None),
        _ => Err(()),
    }
}

/// Recognizes the opening tag of a stream. Only that of a server has an ID.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let mut may_follow = false;
    for side in Side::BOTH {
        let bytes = opening.of(side);
        match stream_tag(bytes) {
            Ok(Some(tag)) if xml::value(tag, b"id").is_some() => return Verdict::Yes(side),
            Ok(Some(_)) => return Verdict::Yes(side.other()),
            Ok(None) => may_follow |= !bytes.is_empty() && bytes.len() < OPENING,
            Err(()) => {}
        }
    }
    if may_follow && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// The same on a registered port, also joined midway at a stanza.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let is_stanza = |side: &Side| {
        let bytes = opening.of(*side).trim_ascii_start();
        bytes.starts_with(b"<") && STANZAS.contains(&xml::local(bytes.get(xml::name(bytes)).unwrap_or_default()))
    };
    match anywhere(opening) {
        Verdict::No if Side::BOTH.iter().any(is_stanza) => Verdict::Yes(Side::Server),
        verdict => verdict,
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if self.asked_tls && ahead.first().is_some_and(|first| !matches!(first, b'<') && !first.is_ascii_whitespace()) {
            return Extent::NeedMore(ahead.len() + 1);
        }
        if self.lost[from] {
            match start_of_stanza(ahead) {
                Some(0) => self.lost[from] = false,
                unknown => return Extent::Unknown(unknown.unwrap_or(ahead.len())),
            }
        }
        match ahead.first() {
            Some(blank) if blank.is_ascii_whitespace() => return Extent::Message(1),
            Some(b'<') => {}
            _ => {
                self.lost[from] = true;
                return Extent::Unknown(start_of_stanza(ahead).unwrap_or(ahead.len()));
            }
        }
        let mut scan = std::mem::take(&mut self.scans[from]);
        match element(ahead, &mut scan) {
            Some(size) => Extent::Message(size),
            None if ahead.len() >= ELEMENT_MOST || ahead.get(scan.at) == Some(&b'<') && ahead.len() - scan.at >= MARKUP_MOST => {
                self.lost[from] = true;
                Extent::Unknown(ahead.len())
            }
            None => {
                self.scans[from] = scan;
                Extent::NeedMore(ahead.len() + 1)
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        elements::message(self, from, wire)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.scans[from] = Scan::default();
        self.lost[from] |= !missing.in_step;
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        const OTHERS: [&[u8]; 3] = [b"<?xml", b"<stream:", b"</stream:"];
        let begins =
            |bytes: &[u8]| begins_stanza(bytes) || !self.lost[from] && OTHERS.iter().any(|other| bytes.starts_with(other));
        match Resumption::search(ahead, 0, begins) {
            Resumption::Beyond(_) => Resumption::Beyond(memchr::memrchr(b'<', ahead).unwrap_or(ahead.len())),
            found => found,
        }
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        ahead.is_empty() || elements::may_hold_secret(ahead)
    }
}

/// Where a stanza begins, after bytes were lost.
fn start_of_stanza(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', bytes).find(|at| bytes.get(*at..).is_some_and(begins_stanza))
}

/// Whether a stanza begins here. Its first bytes decide: a look at all of them from each place would cost their square.
fn begins_stanza(bytes: &[u8]) -> bool {
    const TAG: usize = 32;
    let tag = bytes.get(..TAG).unwrap_or(bytes);
    let name = tag.get(xml::name(tag)).unwrap_or_default();
    tag.starts_with(b"<") && STANZAS.iter().take(3).any(|stanza| name == *stanza)
}

/// Size of the element, tag or declaration that begins here. Continues a scan that ended at incomplete markup.
fn element(bytes: &[u8], scan: &mut Scan) -> Option<usize> {
    loop {
        if bytes.get(scan.at)? != &b'<' {
            let from = scan.searched.max(scan.at);
            scan.searched = bytes.len();
            scan.at = from + memchr::memchr(b'<', bytes.get(from..)?)?;
        }
        let (kind, size) = xml::first(bytes.get(scan.at..)?)?;
        let markup = bytes.get(scan.at..scan.at + size)?;
        let is_stream = scan.at == 0 && xml::local(markup.get(xml::name(markup)).unwrap_or_default()) == b"stream";
        scan.at += size;
        match kind {
            Kind::Start if is_stream => return Some(scan.at),
            Kind::Start => scan.depth += 1,
            Kind::End => scan.depth = scan.depth.saturating_sub(1),
            Kind::Empty | Kind::Text | Kind::Verbatim | Kind::Declaration | Kind::Other => {}
        }
        if scan.depth == 0 {
            return Some(scan.at);
        }
    }
}
