//! State of a connection: extent of messages, matching of responses, and handover to other protocols.

use super::body::{self, BodyFraming, Chunks};
use super::head::{self, HeaderValues, Start};
use super::heuristics;
use super::pairs::Pairs;
use super::{FULL_URI, IN_PARTS, PART_SIZE, REQUEST_IN, RESPONSE_FOR, TIME};
use crate::limits;
use crate::protocols::{http2, lines, tls, websocket};
use crate::tree::{BySide, Side, Time, Value};
use crate::wire::{Conversation, Cut, Extent, Missing, Next, Result, Resumption, Wire};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Largest number of pending requests; not all are answered.
const MAX_REQUESTS: usize = 1024;

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    directions: BySide<Direction>,
    /// Requests without a response, oldest first.
    requests: VecDeque<Request>,
    next: Option<Next>,
    pairs: Pairs,
}

/// State of one direction.
#[derive(Default)]
struct Direction {
    /// Bytes of the next headers that contain no end.
    searched: usize,
    /// Size of the next headers, once the chunks after them are parsed.
    head: Option<usize>,
    /// State of these chunks.
    chunks: Chunks,
    /// The body of the next message is dissected in parts.
    parts: bool,
    /// Remaining part of such a body.
    remaining_body: Option<BodyFraming>,
    /// The last body is of a type that may have secrets.
    may_have_secrets: bool,
    /// Bytes of it are lost.
    is_body_lost: bool,
}

/// Pending request.
struct Request {
    from: Side,
    method: Method,
    uri: String,
    /// Offset of the request target in it.
    target: usize,
    upgrades: bool,
    frame: u64,
    time: Time,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Head,
    Connect,
    Other,
}

impl Request {
    fn target(&self) -> &str {
        self.uri.get(self.target..).unwrap_or_default()
    }
}

impl Direction {
    /// Resets the progress for the next message.
    fn begin(&mut self) {
        (self.searched, self.head, self.chunks) = (0, None, Chunks::default());
    }
}

impl Session {
    /// The request that a response of this side answers. What looks like a response of the client answers none of its requests.
    fn pending(&self, from: Side) -> Option<&Request> {
        self.requests.front().filter(|request| request.from != from)
    }

    fn framing(&self, from: Side, headers: &HeaderValues<'_>) -> BodyFraming {
        let method = self.pending(from).map_or(Method::Other, |request| request.method);
        match headers.start {
            None => BodyFraming::Nothing,
            Some(Start::Request { method: b"CONNECT", .. }) => BodyFraming::Nothing,
            Some(Start::Response { code: 100..=199 | 204 | 304 }) => BodyFraming::Nothing,
            Some(Start::Response { .. }) if method == Method::Head => BodyFraming::Nothing,
            Some(Start::Response { code: 200..=299 }) if method == Method::Connect => BodyFraming::Nothing,
            Some(_) if headers.chunked => BodyFraming::Chunks(Chunks::default()),
            Some(start) => match (headers.length, start) {
                (Some(length), _) => BodyFraming::Length(length),
                (None, Start::Request { .. }) => BodyFraming::Nothing,
                (None, Start::Response { .. }) => BodyFraming::ToEnd,
            },
        }
    }

    fn start(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if let Some(head) = self.directions[from].head {
            return self.in_chunks(from, ahead, head);
        }
        if !heuristics::may_start(ahead) {
            let run = heuristics::next_start(ahead).unwrap_or(ahead.len());
            return Extent::Unknown(run);
        }
        let searched = std::mem::take(&mut self.directions[from].searched);
        let Some(head) = head::end(ahead, searched) else {
            if ahead.len() >= limits::HTTP_HEAD.get() {
                return Extent::Unknown(ahead.len());
            }
            self.directions[from].searched = ahead.len();
            return Extent::NeedMore(ahead.len() + 1);
        };
        self.directions[from].searched = head;
        let headers = HeaderValues::of(ahead.get(..head).unwrap_or_default());
        let whole = match self.framing(from, &headers) {
            BodyFraming::Nothing => Some(head),
            BodyFraming::Length(length) => usize::try_from(length).ok().and_then(|length| head.checked_add(length)),
            BodyFraming::Chunks(_) => return self.in_chunks(from, ahead, head),
            BodyFraming::ToEnd if ahead.len() >= limits::HTTP_BODY.get() => None,
            BodyFraming::ToEnd if more => return Extent::NeedMore(ahead.len() + 1),
            BodyFraming::ToEnd => Some(ahead.len()),
        };
        self.whole_or_head(from, whole, head)
    }

    /// Extent of a message with a chunked body.
    fn in_chunks(&mut self, from: Side, ahead: &[u8], head: usize) -> Extent {
        let direction = &mut self.directions[from];
        direction.head = Some(head);
        let whole = direction.chunks.find_end(ahead.get(head..).unwrap_or_default()).map(|end| head + end);
        if whole.is_none() && ahead.len() < limits::HTTP_BODY.get() {
            return Extent::NeedMore(ahead.len() + 1);
        }
        self.whole_or_head(from, whole, head)
    }

    /// Extent of a whole message, or of its headers if it is too long.
    fn whole_or_head(&mut self, from: Side, whole: Option<usize>, head: usize) -> Extent {
        let whole = whole.filter(|whole| *whole <= limits::HTTP_BODY.get());
        self.directions[from].parts = whole.is_none();
        Extent::Message(whole.unwrap_or(head))
    }

    fn request(&mut self, from: Side, wire: &mut Wire<'_>, headers: &HeaderValues<'_>, method: &[u8], uri: &[u8]) {
        let (name, path) = (String::from_utf8_lossy(method), String::from_utf8_lossy(uri));
        let host = String::from_utf8_lossy(headers.host);
        let scheme = if wire.is_over(tls::PROTOCOL.this) { "https" } else { "http" };
        let full = if path.starts_with('/') && !host.is_empty() { format!("{scheme}://{host}{path}") } else { path.to_string() };
        let path = wire.masked(&path).into_owned();
        let full = wire.masked(&full).into_owned();
        wire.add_text(&FULL_URI, format_args!("{full}"));
        self.pairs.request(wire);
        wire.name(&name);
        wire.info(format_args!("{full}"));
        let method = match method {
            b"HEAD" => Method::Head,
            b"CONNECT" => Method::Connect,
            _ => Method::Other,
        };
        let (frame, time) = wire.completed();
        if self.requests.len() >= MAX_REQUESTS {
            self.requests.pop_front();
            wire.evicted(format_args!("the oldest of more than {MAX_REQUESTS} requests"));
        }
        let (target, upgrades) = (full.len() - path.len(), !headers.upgrade.is_empty());
        self.requests.push_back(Request { from, method, uri: full, target, upgrades, frame, time });
    }

    fn response(&mut self, from: Side, wire: &mut Wire<'_>, headers: &HeaderValues<'_>, code: u16) -> Option<Request> {
        let request = match code {
            101 | 200.. if self.pending(from).is_some() => self.requests.pop_front(),
            _ => None,
        };
        self.pairs.response(wire);
        wire.name(&code.to_string());
        if let Some(request) = &request {
            wire.add(&REQUEST_IN, Value::Unsigned(request.frame));
            wire.add_text(&RESPONSE_FOR, format_args!("{}", request.uri));
            if let (Some(time), Some(earlier)) = (wire.completed().1, request.time) {
                #[allow(clippy::cast_precision_loss, reason = "seconds as a fraction")]
                let seconds = time.since(earlier) as f64 / 1e9;
                wire.add(&TIME, Value::Double(seconds));
            }
        }
        let opens = request.as_ref().is_some_and(|request| request.method == Method::Connect && (200..300).contains(&code));
        // A server cannot accept an incomplete request: such a response follows lost bytes.
        let is_early = self.directions.client.searched > 0 && request.is_none();
        self.next = match code {
            101 if is_early => None,
            101 if lines::lists(headers.upgrade, "websocket") => {
                Some(Next::To(&websocket::PROTOCOL, websocket::negotiated(headers.extensions)))
            }
            101 if lines::lists(headers.upgrade, "h2c") => {
                let (uri, target) = request.as_ref().map(|request| (request.uri.clone(), request.target)).unwrap_or_default();
                Some(Next::To(&http2::PROTOCOL, http2::upgraded(uri, target)))
            }
            101 => Some(Next::Detect),
            _ if opens => Some(Next::Detect),
            _ => None,
        };
        request
    }

    /// Dissects a part of a long body.
    fn part(&mut self, from: Side, mut remaining_body: BodyFraming, wire: &mut Wire<'_>) -> Result {
        wire.name("body");
        let have = wire.remaining();
        if self.directions[from].is_body_lost && self.directions[from].may_have_secrets {
            wire.hide(wire.at()..wire.at() + have);
        }
        let result = match &mut remaining_body {
            BodyFraming::Chunks(chunks) => body::chunks(wire, chunks).map(drop),
            _ => body::raw(wire, have),
        };
        let over = match &mut remaining_body {
            BodyFraming::Length(length) => {
                *length = length.saturating_sub(have as u64);
                wire.info(format_args!("{have} bytes, {length} to come"));
                *length == 0
            }
            BodyFraming::Chunks(chunks) => {
                wire.info(format_args!("{have} bytes"));
                chunks.is_over()
            }
            BodyFraming::Nothing | BodyFraming::ToEnd => {
                wire.info(format_args!("{have} bytes"));
                false
            }
        };
        self.directions[from].remaining_body = Some(remaining_body).filter(|_| !over && result.is_ok());
        result
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let upgrades = from == Side::Client
            && self.requests.back().is_some_and(|request| request.upgrades || request.method == Method::Connect);
        // These bytes belong to another protocol if the server accepts the upgrade.
        if upgrades && more && ahead.len() < limits::HTTP_HEAD.get() {
            return Extent::NeedMore(ahead.len() + 1);
        }
        let Some(remaining_body) = &self.directions[from].remaining_body else { return self.start(from, ahead, more) };
        let run = match remaining_body {
            BodyFraming::Length(left) => PART_SIZE.min(usize::try_from(*left).unwrap_or(usize::MAX)),
            BodyFraming::Nothing | BodyFraming::ToEnd => PART_SIZE,
            BodyFraming::Chunks(chunks) => match chunks.run(ahead, PART_SIZE) {
                Some(run) => return Extent::Message(run),
                None if more => return Extent::NeedMore(ahead.len() + 1),
                None => PART_SIZE,
            },
        };
        if more && ahead.len() < run { Extent::NeedMore(run) } else { Extent::Message(run.min(ahead.len())) }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let direction = &mut self.directions[from];
        direction.begin();
        if let Some(remaining_body) = direction.remaining_body.take() {
            return self.part(from, remaining_body, wire);
        }
        let in_parts = std::mem::take(&mut direction.parts);
        let ahead = wire.ahead();
        let head = head::end(ahead, 0).unwrap_or(ahead.len());
        let headers = HeaderValues::of(ahead.get(..head).unwrap_or_default());
        let framing = self.framing(from, &headers);
        let direction = &mut self.directions[from];
        (direction.may_have_secrets, direction.is_body_lost) = (body::may_have_secrets(headers.kind), false);
        wire.hide_credentials(wire.at()..wire.at() + head);
        head::read(wire, &headers)?;
        let (mut sent_to, mut request) = (Cow::Borrowed(""), None);
        match headers.start {
            Some(Start::Request { method, uri }) => {
                sent_to = String::from_utf8_lossy(uri);
                self.request(from, wire, &headers, method, uri);
            }
            Some(Start::Response { code }) => {
                request = self.response(from, wire, &headers, code);
                if wire.wants_summary() {
                    let of = request.as_ref().map(|request| format!(" of {}", request.uri)).unwrap_or_default();
                    let kind = String::from_utf8_lossy(headers.kind);
                    wire.info(format_args!("{}{}{kind}{of}", phrase(ahead), if kind.is_empty() { "" } else { ", " }));
                }
            }
            None => {}
        }
        if in_parts {
            wire.note_ahead(&IN_PARTS, format_args!("the body follows in parts"));
            self.directions[from].remaining_body = Some(framing);
            return Ok(());
        }
        if matches!(framing, BodyFraming::ToEnd) || wire.cut() != Cut::No {
            let so_far = wire.remaining() as u64;
            self.directions[from].remaining_body = framing.less(so_far);
        }
        body::read(wire, &headers, framing, request.as_ref().map_or(&sent_to, Request::target))
    }

    fn memory_usage(&self) -> usize {
        let request = |request: &Request| size_of::<Request>() + request.uri.capacity();
        size_of_val(self) + self.requests.iter().map(request).sum::<usize>()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let direction = &mut self.directions[from];
        direction.begin();
        direction.is_body_lost = true;
        direction.remaining_body = match direction.remaining_body.take() {
            _ if missing.in_step => None,
            Some(BodyFraming::Length(left)) => left.checked_sub(missing.bytes).filter(|left| *left > 0).map(BodyFraming::Length),
            Some(BodyFraming::ToEnd) => Some(BodyFraming::ToEnd),
            _ => None,
        };
    }

    fn rest_may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        let head = head::end(ahead, 0).unwrap_or(ahead.len());
        body::may_have_secrets(HeaderValues::of(ahead.get(..head).unwrap_or_default()).kind)
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        if self.directions[from].remaining_body.is_some() {
            return Resumption::At(0);
        }
        heuristics::resumes(ahead)
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}

/// Reason phrase of a status line.
fn phrase(head: &[u8]) -> String {
    let line = lines::line(head).and_then(|line| head.get(13..line.text)).unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}
