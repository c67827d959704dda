//! A connection: where messages end, which response answers which request, and who goes on behind them.

use super::body::{self, Behind, Chunks};
use super::head::{self, Facts, Start};
use super::looks;
use super::pairs::Pairs;
use super::{FULL_URI, IN_PARTS, REQUEST_IN, RESPONSE_FOR, RUN, TIME};
use crate::limits;
use crate::protocols::{lines, tls, websocket};
use crate::tree::{Side, Time, Value};
use crate::wire::{Conversation, Cut, Extent, Missing, Next, Result, Wire};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Requests that are remembered: not all get a response.
const MOST: usize = 1024;

/// What one connection has to remember.
#[derive(Default)]
pub(super) struct Session {
    client: Half,
    server: Half,
    /// Requests without a response, the oldest first.
    asked: VecDeque<Asked>,
    next: Option<Next>,
    pairs: Pairs,
}

/// What one direction has to remember.
#[derive(Default)]
struct Half {
    /// Bytes of the next head that were searched for its end.
    looked: usize,
    /// Where the head of the next message ends, once chunks were followed behind it.
    head: Option<usize>,
    /// How far they were.
    chunks: Chunks,
    /// The next message is a head whose body is told in parts.
    parts: bool,
    /// What is left of such a body.
    rest: Option<Behind>,
}

/// A request.
struct Asked {
    method: Method,
    uri: String,
    /// Where in that the target begins, as it was sent.
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

impl Asked {
    fn target(&self) -> &str {
        self.uri.get(self.target..).unwrap_or_default()
    }
}

impl Half {
    /// The next message begins where nothing was looked at yet.
    fn begin(&mut self) {
        (self.looked, self.head, self.chunks) = (0, None, Chunks::default());
    }
}

impl Session {
    fn half(&mut self, from: Side) -> &mut Half {
        match from {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    /// What follows a head.
    fn behind(&self, facts: &Facts<'_>) -> Behind {
        let asked = self.asked.front().map_or(Method::Other, |asked| asked.method);
        match facts.start {
            None => Behind::Nothing,
            Some(Start::Request { method: b"CONNECT", .. }) => Behind::Nothing,
            Some(Start::Response { code: 100..=199 | 204 | 304 }) => Behind::Nothing,
            Some(Start::Response { .. }) if asked == Method::Head => Behind::Nothing,
            Some(Start::Response { code: 200..=299 }) if asked == Method::Connect => Behind::Nothing,
            Some(_) if facts.chunked => Behind::Chunks(Chunks::default()),
            Some(start) => match (facts.length, start) {
                (Some(length), _) => Behind::Length(length),
                (None, Start::Request { .. }) => Behind::Nothing,
                (None, Start::Response { .. }) => Behind::ToEnd,
            },
        }
    }

    fn start(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if let Some(head) = self.half(from).head {
            return self.in_chunks(from, ahead, head);
        }
        if !looks::may_start(ahead) {
            let run = looks::next_start(ahead).unwrap_or(ahead.len());
            return Extent::Unknown(run);
        }
        let looked = std::mem::take(&mut self.half(from).looked);
        let Some(head) = head::end(ahead, looked) else {
            if ahead.len() >= limits::HTTP_HEAD.get() {
                return Extent::Unknown(ahead.len());
            }
            self.half(from).looked = ahead.len();
            return Extent::NeedMore(ahead.len() + 1);
        };
        self.half(from).looked = head;
        let facts = Facts::of(ahead.get(..head).unwrap_or_default());
        let whole = match self.behind(&facts) {
            Behind::Nothing => Some(head),
            Behind::Length(length) => usize::try_from(length).ok().and_then(|length| head.checked_add(length)),
            Behind::Chunks(_) => return self.in_chunks(from, ahead, head),
            Behind::ToEnd if ahead.len() >= limits::HTTP_BODY.get() => None,
            Behind::ToEnd if more => return Extent::NeedMore(ahead.len() + 1),
            Behind::ToEnd => Some(ahead.len()),
        };
        self.whole_or_head(from, whole, head)
    }

    /// A message with chunks behind its head.
    fn in_chunks(&mut self, from: Side, ahead: &[u8], head: usize) -> Extent {
        let half = self.half(from);
        half.head = Some(head);
        let whole = half.chunks.follow(ahead.get(head..).unwrap_or_default()).map(|end| head + end);
        if whole.is_none() && ahead.len() < limits::HTTP_BODY.get() {
            return Extent::NeedMore(ahead.len() + 1);
        }
        self.whole_or_head(from, whole, head)
    }

    /// A whole message, or if it is too long only its head.
    fn whole_or_head(&mut self, from: Side, whole: Option<usize>, head: usize) -> Extent {
        let whole = whole.filter(|whole| *whole <= limits::HTTP_BODY.get());
        self.half(from).parts = whole.is_none();
        Extent::Message(whole.unwrap_or(head))
    }

    fn request(&mut self, wire: &mut Wire<'_>, facts: &Facts<'_>, method: &[u8], uri: &[u8]) {
        let (name, path) = (String::from_utf8_lossy(method), String::from_utf8_lossy(uri));
        let host = String::from_utf8_lossy(facts.host);
        let scheme = if wire.is_over(tls::PROTOCOL.this) { "https" } else { "http" };
        let full = if path.starts_with('/') && !host.is_empty() { format!("{scheme}://{host}{path}") } else { path.to_string() };
        let path = wire.shown(&path).into_owned();
        let full = wire.shown(&full).into_owned();
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
        if self.asked.len() >= MOST {
            self.asked.pop_front();
        }
        let (target, upgrades) = (full.len() - path.len(), !facts.upgrade.is_empty());
        self.asked.push_back(Asked { method, uri: full, target, upgrades, frame, time });
    }

    fn response(&mut self, wire: &mut Wire<'_>, facts: &Facts<'_>, code: u16) -> Option<Asked> {
        let asked = match code {
            101 | 200.. => self.asked.pop_front(),
            _ => None,
        };
        self.pairs.response(wire);
        wire.name(&code.to_string());
        if let Some(asked) = &asked {
            wire.add(&REQUEST_IN, Value::Unsigned(asked.frame));
            wire.add_text(&RESPONSE_FOR, format_args!("{}", asked.uri));
            if let (Some(time), Some(earlier)) = (wire.completed().1, asked.time) {
                #[allow(clippy::cast_precision_loss, reason = "seconds as a fraction")]
                let seconds = time.since(earlier) as f64 / 1e9;
                wire.add(&TIME, Value::Double(seconds));
            }
        }
        let opens = asked.as_ref().is_some_and(|asked| asked.method == Method::Connect && (200..300).contains(&code));
        self.next = match code {
            101 if lines::lists(facts.upgrade, "websocket") => {
                Some(Next::To(&websocket::PROTOCOL, websocket::negotiated(facts.extensions)))
            }
            101 => Some(Next::Anyone),
            _ if opens => Some(Next::Anyone),
            _ => None,
        };
        asked
    }

    /// A run of a body that is told in parts.
    fn part(&mut self, from: Side, mut rest: Behind, wire: &mut Wire<'_>) -> Result {
        wire.name("body");
        let have = wire.remaining();
        let result = match &mut rest {
            Behind::Chunks(chunks) => body::chunks(wire, chunks).map(drop),
            _ => body::raw(wire, have),
        };
        let over = match &mut rest {
            Behind::Length(length) => {
                *length = length.saturating_sub(have as u64);
                wire.info(format_args!("{have} bytes, {length} to come"));
                *length == 0
            }
            Behind::Chunks(chunks) => {
                wire.info(format_args!("{have} bytes"));
                chunks.is_over()
            }
            Behind::Nothing | Behind::ToEnd => {
                wire.info(format_args!("{have} bytes"));
                false
            }
        };
        self.half(from).rest = Some(rest).filter(|_| !over && result.is_ok());
        result
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let upgrades =
            from == Side::Client && self.asked.back().is_some_and(|asked| asked.upgrades || asked.method == Method::Connect);
        // What is said here belongs to somebody else if the server agrees.
        if upgrades && more && ahead.len() < limits::HTTP_HEAD.get() {
            return Extent::NeedMore(ahead.len() + 1);
        }
        let Some(rest) = &self.half(from).rest else { return self.start(from, ahead, more) };
        let run = match rest {
            Behind::Length(left) => RUN.min(usize::try_from(*left).unwrap_or(usize::MAX)),
            Behind::Nothing | Behind::ToEnd => RUN,
            Behind::Chunks(chunks) => match chunks.run(ahead, RUN) {
                Some(run) => return Extent::Message(run),
                None if more => return Extent::NeedMore(ahead.len() + 1),
                None => RUN,
            },
        };
        match more && ahead.len() < run {
            true => Extent::NeedMore(run),
            false => Extent::Message(run.min(ahead.len())),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let half = self.half(from);
        half.begin();
        if let Some(rest) = half.rest.take() {
            return self.part(from, rest, wire);
        }
        let in_parts = std::mem::take(&mut half.parts);
        let ahead = wire.ahead();
        let head = head::end(ahead, 0).unwrap_or(ahead.len());
        let facts = Facts::of(ahead.get(..head).unwrap_or_default());
        let behind = self.behind(&facts);
        wire.hide_credentials(wire.at()..wire.at() + head);
        head::read(wire, &facts)?;
        let (mut sent_to, mut asked) = (Cow::Borrowed(""), None);
        match facts.start {
            Some(Start::Request { method, uri }) => {
                sent_to = String::from_utf8_lossy(uri);
                self.request(wire, &facts, method, uri);
            }
            Some(Start::Response { code }) => {
                asked = self.response(wire, &facts, code);
                if wire.wants_words() {
                    let of = asked.as_ref().map(|asked| format!(" of {}", asked.uri)).unwrap_or_default();
                    let kind = String::from_utf8_lossy(facts.kind);
                    wire.info(format_args!("{}{}{kind}{of}", phrase(ahead), if kind.is_empty() { "" } else { ", " }));
                }
            }
            None => {}
        }
        if in_parts {
            wire.note_ahead(&IN_PARTS, format_args!("the body follows in parts"));
            self.half(from).rest = Some(behind);
            return Ok(());
        }
        if matches!(behind, Behind::ToEnd) || wire.cut() != Cut::No {
            let so_far = wire.remaining() as u64;
            self.half(from).rest = behind.less(so_far);
        }
        body::read(wire, &facts, behind, asked.as_ref().map_or(&sent_to, Asked::target))
    }

    fn held(&self) -> usize {
        let asked = |asked: &Asked| size_of::<Asked>() + asked.uri.capacity();
        size_of_val(self) + self.asked.iter().map(asked).sum::<usize>()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let half = self.half(from);
        half.begin();
        half.rest = match half.rest.take() {
            _ if missing.in_step => None,
            Some(Behind::Length(left)) => left.checked_sub(missing.bytes).filter(|left| *left > 0).map(Behind::Length),
            Some(Behind::ToEnd) => Some(Behind::ToEnd),
            _ => None,
        };
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}

/// The words of a response's first line.
fn phrase(head: &[u8]) -> String {
    let line = lines::line(head).and_then(|line| head.get(13..line.text)).unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}
