//! World Location Server: finds the server for a position in a world.
//!
//! One request and one response per connection, both comma-separated and NUL-terminated.
//!
//! ```text
//! f,CLIENT IP,WORLD,X,Y,Z,BUSY,BUSY HOST,BUSY PORT
//! f,0,HOST,PORT        this Bureau
//! f,1,URL              this page
//! f,9                  an error; the NUL may be missing
//! ```

use super::values::{Brief, text_value};
use crate::tree::title::nothing;
use crate::tree::{BySide, Field, Names, Side, Value, fields};
use crate::wire::{Conversation, Cut, Error, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire};
use std::net::Ipv4Addr;
use std::ops::Range;

pub static PROTOCOL: Protocol = Protocol::new(&WLS, FIELDS)
    .found(&[
        On::Tcp(5125).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
    ])
    .rest(&DATA)
    .truncated(&TRUNCATED);

fields! {
    WLS = protocol("vscp.wls", "VSCP WLS", "World Location Server (Community Place)")
        .covers("Requests for a position in a world, and all responses");
    TEXT = text("vscp.wls.text", "text", "Text as sent").collapsed(text_value, nothing).once();
    TYPE = text("vscp.wls.type", "type", "Type of the text, always f").collapsed(text_value, nothing).once();
    CLIENT_IP = text("vscp.wls.client_ip", "client ip", "Local address of the client").collapsed(text_value, nothing).once();
    WORLD = text("vscp.wls.world", "world", "").collapsed(text_value, nothing).once();
    X = text("vscp.wls.x", "x", "").collapsed(text_value, nothing).once();
    Y = text("vscp.wls.y", "y", "").collapsed(text_value, nothing).once();
    Z = text("vscp.wls.z", "z", "").collapsed(text_value, nothing).once();
    BUSY = text("vscp.wls.busy", "busy", "1 if the given server is full and another one is requested").collapsed(text_value, nothing).once();
    BUSY_HOST = text("vscp.wls.busy_host", "busy host", "Host of the full server").collapsed(text_value, nothing).once();
    BUSY_PORT = text("vscp.wls.busy_port", "busy port", "Port of the full server").collapsed(text_value, nothing).once();
    ACK = number("vscp.wls.ack", "ack", "Type of the response").names(ACKS).once();
    HOST = text("vscp.wls.host", "host", "Host of the responsible server").collapsed(text_value, nothing).once();
    PORT = number("vscp.wls.port", "port", "Port of the responsible server").once();
    URL = text("vscp.wls.url", "url", "Page to open").collapsed(text_value, nothing).once();
    DATA = bytes("vscp.wls.data", "data", "Undecoded bytes");

    TRUNCATED = broken("vscp.wls.truncated", "truncated", "The stream or the capture ends before the text");
    NOTE_FIELDS = odd("vscp.wls.note.fields", "invalid fields", "The number of fields does not match the type");
}

const ACKS: Names = &[(0, "bureau"), (1, "url"), (9, "error")];

/// The only response that some servers send without a NUL.
const ERROR_ANSWER: &[u8] = b"f,9";

/// Maximum length of a text.
const TEXT_MAX: usize = 4096;

/// Number of commas in a request.
const COMMAS: usize = 8;

static QUESTION: [&Field; COMMAS + 1] = [&TYPE, &CLIENT_IP, &WORLD, &X, &Y, &Z, &BUSY, &BUSY_HOST, &BUSY_PORT];

/// Sides whose text was read.
#[derive(Default)]
struct Session {
    has_sent: BySide<bool>,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.has_sent[from] {
            return Extent::Unknown(ahead.len());
        }
        let near = ahead.get(..TEXT_MAX).unwrap_or(ahead);
        match memchr::memchr(0, near) {
            Some(end) => Extent::Message(end + 1),
            None if ahead.len() >= TEXT_MAX => Extent::Unknown(ahead.len()),
            None if !more && ahead == ERROR_ANSWER => Extent::Message(ahead.len()),
            None => Extent::NeedMore(ahead.len() + 1),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.has_sent[from] = true;
        match from {
            Side::Client => question(wire),
            Side::Server => answer(wire),
        }
    }

    fn gap(&mut self, from: Side, _: Missing) {
        self.has_sent[from] = true;
    }
}

/// Reads the whole text. Its fields are added over it.
fn line<'a>(wire: &mut Wire<'a>) -> Result<&'a [u8]> {
    if wire.ahead() == ERROR_ANSWER && wire.cut() == Cut::No {
        return wire.text(&TEXT, ERROR_ANSWER.len());
    }
    match wire.text_nul(&TEXT) {
        Err(Error::Short { .. }) if wire.cut() == Cut::No => Ok(wire.rest(&TEXT)),
        result => result,
    }
}

/// Ranges between commas, at most `most`; the last one extends to the end.
fn places(text: &[u8], most: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(0);
    let mut left = most;
    std::iter::from_fn(move || {
        let start = next?;
        left = left.checked_sub(1)?;
        let comma = text.get(start..).and_then(|rest| memchr::memchr(b',', rest)).filter(|_| left > 0);
        let end = comma.map_or(text.len(), |comma| start + comma);
        next = comma.map(|_| end + 1);
        Some(start..end)
    })
}

fn question(wire: &mut Wire<'_>) -> Result {
    wire.name("question");
    let start = wire.at();
    let text = line(wire)?;
    let mut count = 0;
    for (field, place) in QUESTION.iter().zip(places(text, QUESTION.len())) {
        wire.put(field, Value::Text, start + place.start..start + place.end);
        count += 1;
    }
    let commas = memchr::memchr_iter(b',', text).count();
    if count < QUESTION.len() || commas > COMMAS {
        wire.info(format_args!("{}", Brief(text)));
        wire.note(&NOTE_FIELDS, format_args!("{} fields, a request has {}", commas + 1, QUESTION.len()));
        return Ok(());
    }
    let words = |nth| Brief(places(text, QUESTION.len()).nth(nth).and_then(|place| text.get(place)).unwrap_or_default());
    wire.info(format_args!("{} at {} {} {}", words(2), words(3), words(4), words(5)));
    if words(6).0 == b"1" {
        wire.info(format_args!("{} at {} {} {}, {} is full", words(2), words(3), words(4), words(5), words(7)));
    }
    Ok(())
}

fn answer(wire: &mut Wire<'_>) -> Result {
    wire.name("answer");
    let start = wire.at();
    let text = line(wire)?;
    let location_of = |nth, of| places(text, of).nth(nth);
    let words = |nth, of| location_of(nth, of).and_then(|place| text.get(place)).unwrap_or_default();
    let put = |wire: &mut Wire<'_>, field, nth, of, value| {
        if let Some(place) = location_of(nth, of) {
            wire.put(field, value, start + place.start..start + place.end);
        }
    };
    let numeric = |words| number(words).map_or(Value::Text, Value::Unsigned);
    put(wire, &TYPE, 0, 3, Value::Text);
    put(wire, &ACK, 1, 3, numeric(words(1, 3)));
    let count = memchr::memchr_iter(b',', text).count() + 1;
    match (words(1, 3), count) {
        (b"0", 4) => {
            put(wire, &HOST, 2, 4, Value::Text);
            put(wire, &PORT, 3, 4, numeric(words(3, 4)));
            wire.info(format_args!("bureau {}:{}", Brief(words(2, 4)), Brief(words(3, 4))));
        }
        (b"1", 3..) => {
            put(wire, &URL, 2, 3, Value::Text);
            wire.info(format_args!("url {}", Brief(words(2, 3))));
        }
        (b"9", 2) => wire.info(format_args!("error")),
        _ => {
            wire.info(format_args!("{}", Brief(text)));
            wire.note(&NOTE_FIELDS, format_args!("unknown response type or number of fields"));
        }
    }
    Ok(())
}

fn number(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

/// Heuristic for the registered port: a request, or a response whose request was not captured.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    let is_answer = matches!(opening.of(Side::Server), [b'f', b',', b'0' | b'1' | b'9', b',' | 0, ..] | b"f,9");
    let is_alone = verdict == Verdict::No && opening.complete && opening.of(Side::Client).is_empty();
    if is_alone && is_answer { Verdict::Yes(Side::Server) } else { verdict }
}

/// Heuristic for other ports: a request.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let mut is_open = false;
    for server in [Side::Server, Side::Client] {
        match detect_request(opening.of(server.other())) {
            Verdict::Yes(_) => return Verdict::Yes(server),
            // A response requires a request.
            Verdict::Unsure => is_open |= opening.of(server).is_empty(),
            Verdict::No => {}
        }
    }
    if is_open && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

fn detect_request(stream: &[u8]) -> Verdict {
    if !stream.starts_with(b"f,") {
        return if b"f,".starts_with(stream) { Verdict::Unsure } else { Verdict::No };
    }
    let near = stream.get(..TEXT_MAX).unwrap_or(stream);
    let Some(end) = memchr::memchr(0, near) else {
        let may_go_on = near.len() < TEXT_MAX && memchr::memchr_iter(b',', near).count() <= COMMAS;
        return if may_go_on { Verdict::Unsure } else { Verdict::No };
    };
    let text = near.get(..end).unwrap_or_default();
    let is_address = places(text, QUESTION.len()).nth(1).and_then(|place| std::str::from_utf8(text.get(place)?).ok());
    let is_address = is_address.is_some_and(|address| address.parse::<Ipv4Addr>().is_ok());
    if is_address && memchr::memchr_iter(b',', text).count() == COMMAS { Verdict::Yes(Side::Server) } else { Verdict::No }
}
