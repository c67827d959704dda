//! NATS: publish and subscribe by lines of text.
//!
//! ```text
//! INFO {json}    CONNECT {json}    PING    PONG    +OK    -ERR 'text'
//! PUB subject [reply] size CRLF payload CRLF            HPUB subject [reply] headers size CRLF headers payload CRLF
//! SUB subject [queue] id            UNSUB id [most]
//! MSG subject id [reply] size CRLF payload CRLF         HMSG subject id [reply] headers size CRLF headers payload CRLF
//! ```
//! Source: "NATS Protocols" of docs.nats.io.

use super::lines;
use crate::limits;
use crate::tree::{Field, Side, Value, fields};
use crate::wire::{Conversation, Error, Extent, Heuristic, On, Opening, Protocol, Result, Resumption, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&NATS, FIELDS)
    .found(&[
        On::Tcp(4222).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(4222).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    NATS = protocol("nats", "NATS", "NATS messaging").covers("All messages of clients and servers, with headers");
    COMMAND = text("nats.command", "command", "").once();
    SUBJECT = text("nats.subject", "subject", "").once();
    REPLY = text("nats.reply_to", "reply-to", "Subject for responses").once();
    QUEUE = text("nats.queue_group", "queue group", "Each message is delivered to one of its subscribers").once();
    ID = text("nats.sid", "subscription ID", "").once();
    MOST = number("nats.max_msgs", "max messages", "Messages after which a subscription ends").once();
    HEADER_SIZE = number("nats.header_bytes", "header bytes", "").once();
    SIZE = number("nats.total_bytes", "total bytes", "Of headers and payload").once();
    OPTIONS = text("nats.options", "options", "JSON of the connection").once();
    ERROR = text("nats.error", "error", "").once();
    ARGUMENTS = text("nats.arguments", "arguments", "").once();
    HEADER = text("nats.header", "header", "");
    END = bytes("nats.end", "end", "End of a line").once();
    PAYLOAD = bytes("nats.payload", "payload", "").body().once();
    PAYLOAD_END = bytes("nats.payload_end", "payload end", "End of line after the payload").once();
    DATA = bytes("nats.data", "data", "Undissected bytes");
    BAD = broken("nats.note.value", "bad value", "Unexpected arguments");
}

/// Commands with the fields of their arguments. Those in the middle may be missing.
const COMMANDS: &[(&str, &[&[&Field]])] = &[
    ("PUB", &[&[&SUBJECT, &SIZE], &[&SUBJECT, &REPLY, &SIZE]]),
    ("HPUB", &[&[&SUBJECT, &HEADER_SIZE, &SIZE], &[&SUBJECT, &REPLY, &HEADER_SIZE, &SIZE]]),
    ("SUB", &[&[&SUBJECT, &ID], &[&SUBJECT, &QUEUE, &ID]]),
    ("UNSUB", &[&[&ID], &[&ID, &MOST]]),
    ("MSG", &[&[&SUBJECT, &ID, &SIZE], &[&SUBJECT, &ID, &REPLY, &SIZE]]),
    ("HMSG", &[&[&SUBJECT, &ID, &HEADER_SIZE, &SIZE], &[&SUBJECT, &ID, &REPLY, &HEADER_SIZE, &SIZE]]),
    ("INFO", &[]),
    ("CONNECT", &[]),
    ("PING", &[]),
    ("PONG", &[]),
    ("+OK", &[]),
    ("-ERR", &[]),
];

/// Words of a line with their offsets.
fn words(text: &[u8]) -> Vec<(usize, &[u8])> {
    /// No command has more.
    const MOST: usize = 8;
    let mut at = 0;
    let all = text.split(|byte| matches!(byte, b' ' | b'\t')).map(|word| {
        let start = at;
        at += word.len() + 1;
        (start, word)
    });
    all.filter(|(_, word)| !word.is_empty()).take(MOST).collect()
}

/// The command that a line begins with.
fn command(text: &[u8]) -> Option<(&'static str, &'static [&'static [&'static Field]])> {
    let word = text.split(|byte| matches!(byte, b' ' | b'\t')).next()?;
    COMMANDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).copied()
}

/// Payload size after a command line, including the end of line.
fn payload(text: &[u8]) -> Option<usize> {
    const END_OF_LINE: usize = 2;
    let (_, forms) = command(text)?;
    if !forms.iter().any(|form| form.iter().any(|field| field.is(&SIZE))) {
        return Some(0);
    }
    let size = words(text).last().and_then(|(_, word)| lines::number(word))?;
    Some(usize::try_from(size).ok()?.saturating_add(END_OF_LINE))
}

/// Recognizes the first line of a server or a client.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        let bytes = opening.of(side);
        if bytes.starts_with(b"INFO {\"") && memchr::memmem::find(bytes, b"server_id").is_some() {
            return Verdict::Yes(side);
        }
        if bytes.starts_with(b"CONNECT {\"") {
            return Verdict::Yes(side.other());
        }
    }
    Verdict::No
}

/// Recognizes a command on its port, also joined midway.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let commands = |side: &Side| lines::line(opening.of(*side)).and_then(|line| command(opening.of(*side).get(..line.text)?));
    let midway = Side::BOTH.into_iter().find_map(|side| match commands(&side)?.0 {
        "MSG" | "HMSG" | "INFO" | "+OK" | "-ERR" => Some(side),
        "PUB" | "HPUB" | "SUB" | "UNSUB" | "CONNECT" => Some(side.other()),
        _ => Some(Side::Server),
    });
    match (anywhere(opening), midway) {
        (Verdict::No, Some(server)) => Verdict::Yes(server),
        (Verdict::No, None) if !opening.complete => lines::may_be_text(opening),
        (verdict, _) => verdict,
    }
}

/// Whether a line begins with a word in capital letters.
fn is_verb(text: &[u8]) -> bool {
    /// Longer than any command.
    const LONGEST: usize = 12;
    let word = text.split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
    let word = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    (2..=LONGEST).contains(&word.len()) && word.iter().all(u8::is_ascii_uppercase) && lines::is_text(text)
}

/// Recognizes lines with an unknown command.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    let has_verb = |bytes: &[u8]| lines::line(bytes).and_then(|line| bytes.get(..line.text)).is_some_and(is_verb);
    let is_likely = opening.sent.iter().all(|bytes| bytes.is_empty() || has_verb(bytes));
    if is_likely { Verdict::Yes(Side::Server) } else { Verdict::No }
}

/// A connection.
#[derive(Default)]
struct Session;

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], _more: bool) -> Extent {
        let Some(line) = lines::line(ahead) else { return lines::line_extent(ahead, limits::TEXT_LINE.get()) };
        match payload(ahead.get(..line.text).unwrap_or_default()) {
            Some(size) => Extent::Message(line.whole.saturating_add(size)),
            None if ahead.get(..line.text).is_some_and(is_verb) => Extent::Message(line.whole),
            None => Extent::Unknown(line.whole),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
        let text = ahead.get(..line.text).unwrap_or_default();
        let Some((name, forms)) = command(text) else {
            if is_verb(text) {
                return unknown(wire, line);
            }
            return wire.malformed(&BAD, format_args!("no command of NATS"));
        };
        wire.name(name);
        let start = wire.at();
        let end = start + line.whole;
        let first = words(text).get(1).map_or(text.len(), |(at, _)| *at);
        wire.put_text(&COMMAND, start..start + first, format_args!("{name}"));
        let rest = text.get(name.len()..).unwrap_or_default();
        match name {
            "INFO" | "CONNECT" => options(wire, first, line),
            "-ERR" => {
                wire.info(format_args!("{}", String::from_utf8_lossy(rest.trim_ascii())));
                wire.skip(first)?;
                wire.words(&ERROR, line.whole - first, 0..line.text - first).map(drop)
            }
            _ => {
                let headers = arguments(wire, text, forms)?;
                let left = end - wire.at();
                wire.optional(&END, left)?;
                if wire.remaining() > 0 { content(wire, headers) } else { Ok(()) }
            }
        }
    }

    fn resumes(&self, _: Side, ahead: &[u8]) -> Resumption {
        lines::resumes(ahead, |line| {
            let end = memchr::memchr2(b' ', b'\r', line);
            end.is_some_and(|end| line.get(..end).is_some_and(|word| command(word).is_some()))
        })
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        from == Side::Client && (ahead.len() < 7 || ahead.starts_with(b"CONNECT"))
    }
}

/// A line with an unknown command.
fn unknown(wire: &mut Wire<'_>, line: lines::Line) -> Result {
    wire.note_unusual(format_args!("unknown command"));
    wire.name("unknown command");
    wire.hide_credentials(wire.at()..wire.at() + line.text);
    wire.words(&COMMAND, line.whole, 0..line.text).map(drop)
}

/// JSON after a command.
fn options(wire: &mut Wire<'_>, head: usize, line: lines::Line) -> Result {
    wire.skip(head)?;
    let range = wire.at()..wire.at() + line.text.saturating_sub(head);
    wire.hide_credentials(range.clone());
    wire.offer("json", range.clone());
    wire.words(&OPTIONS, line.whole - head, 0..range.len()).map(drop)
}

/// Arguments of a line. Returns the number of bytes of headers.
fn arguments(wire: &mut Wire<'_>, text: &[u8], forms: &[&[&'static Field]]) -> Result<usize> {
    let start = wire.at();
    let words = words(text);
    let given = words.get(1..).unwrap_or_default();
    let mut headers = 0;
    if let Some(form) = forms.iter().find(|form| form.len() == given.len()) {
        for (place, (field, (at, word))) in form.iter().zip(given).enumerate() {
            // Blanks belong to the preceding word.
            let next = given.get(place + 1).map_or(text.len(), |(next, _)| *next);
            let range = start + at..start + next;
            match (field.kind, lines::number(word)) {
                (crate::tree::Kind::Number, Some(number)) => {
                    wire.put(field, Value::Unsigned(number), range);
                    if field.is(&HEADER_SIZE) {
                        headers = usize::try_from(number).unwrap_or_default();
                    }
                }
                (crate::tree::Kind::Number, None) => return wire.malformed(&BAD, format_args!("a number without digits")),
                _ => drop(wire.put_text(field, range, format_args!("{}", String::from_utf8_lossy(word)))),
            }
        }
    } else if let Some((at, _)) = given.first()
        && !given.is_empty()
    {
        wire.put_text(
            &ARGUMENTS,
            start + at..start + text.len(),
            format_args!("{}", String::from_utf8_lossy(text.get(*at..).unwrap_or_default())),
        );
    }
    let shown: Vec<_> = given.iter().map(|(_, word)| String::from_utf8_lossy(word)).collect();
    wire.info(format_args!("{}", shown.join(" ")));
    wire.skip(text.len())?;
    Ok(headers)
}

/// Headers, payload and the end of line after it.
fn content(wire: &mut Wire<'_>, headers: usize) -> Result {
    let end = wire.at() + headers.min(wire.remaining());
    while wire.at() < end {
        let Some(line) = lines::line(wire.ahead()).filter(|line| wire.at() + line.whole <= end) else { break };
        wire.hide_credentials(wire.at()..wire.at() + line.text);
        wire.words(&HEADER, line.whole, 0..line.text)?;
    }
    let left = wire.ahead().strip_suffix(b"\r\n").unwrap_or(wire.ahead()).len();
    if left > 0 {
        wire.hide_credentials(wire.at()..wire.at() + left);
        wire.bytes(&PAYLOAD, left)?;
    }
    wire.rest_is(&PAYLOAD_END)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Server, b"INFO {\"server_id\":\"N1\",\"max_payload\":1048576}\r\n"),
        (Side::Client, b"CONNECT {\"verbose\":false}\r\nPING\r\nSUB news.* g1 7\r\nUNSUB 7 5\r\n"),
        (Side::Server, b"PONG\r\n+OK\r\n-ERR 'Unknown Protocol'\r\n"),
        (Side::Client, b"PUB news.eu inbox.1 5\r\nhello\r\npub a 0\r\n\r\n"),
        (Side::Server, b"MSG news.eu 7 inbox.1 5\r\nhe\r\no\r\nHMSG news.eu 7 22 25\r\nNATS/1.0\r\nKind: new\r\n\r\nabc\r\n"),
    ];

    #[test]
    fn messages_are_dissected() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session, TALK), @r#"
        nats 0..47 | INFO
          0..5 nats.command = "INFO"
          5..47 nats.options = "{"server_id":"N1","max_payload":1048576}"
        nats 0..27 | CONNECT
          0..8 nats.command = "CONNECT"
          8..27 nats.options = "{"verbose":false}"
        nats 0..6 | PING
          0..4 nats.command = "PING"
          4..6 nats.end = 0d0a
        nats 0..17 | SUB | news.* g1 7
          0..4 nats.command = "SUB"
          4..11 nats.subject = "news.*"
          11..14 nats.queue_group = "g1"
          14..15 nats.sid = "7"
          15..17 nats.end = 0d0a
        nats 0..11 | UNSUB | 7 5
          0..6 nats.command = "UNSUB"
          6..8 nats.sid = "7"
          8..9 nats.max_msgs = 5
          9..11 nats.end = 0d0a
        nats 0..6 | PONG
          0..4 nats.command = "PONG"
          4..6 nats.end = 0d0a
        nats 0..5 | +OK
          0..3 nats.command = "+OK"
          3..5 nats.end = 0d0a
        nats 0..25 | -ERR | 'Unknown Protocol'
          0..5 nats.command = "-ERR"
          5..25 nats.error = "'Unknown Protocol'"
        nats 0..30 | PUB | news.eu inbox.1 5
          0..4 nats.command = "PUB"
          4..12 nats.subject = "news.eu"
          12..20 nats.reply_to = "inbox.1"
          20..21 nats.total_bytes = 5
          21..23 nats.end = 0d0a
          23..28 nats.payload = 68656c6c6f
          28..30 nats.payload_end = 0d0a
        nats 0..11 | PUB | a 0
          0..4 nats.command = "PUB"
          4..6 nats.subject = "a"
          6..7 nats.total_bytes = 0
          7..9 nats.end = 0d0a
          9..11 nats.payload_end = 0d0a
        nats 0..32 | MSG | news.eu 7 inbox.1 5
          0..4 nats.command = "MSG"
          4..12 nats.subject = "news.eu"
          12..14 nats.sid = "7"
          14..22 nats.reply_to = "inbox.1"
          22..23 nats.total_bytes = 5
          23..25 nats.end = 0d0a
          25..30 nats.payload = 68650d0a6f
          30..32 nats.payload_end = 0d0a
        nats 0..49 | HMSG | news.eu 7 22 25
          0..5 nats.command = "HMSG"
          5..13 nats.subject = "news.eu"
          13..15 nats.sid = "7"
          15..18 nats.header_bytes = 22
          18..20 nats.total_bytes = 25
          20..22 nats.end = 0d0a
          22..32 nats.header = "NATS/1.0"
          32..43 nats.header = "Kind: new"
          43..49 nats.payload = 0d0a6162630d
        unfinished
        "#);
        survives_damage(&PROTOCOL, || Session, TALK);
    }

    #[test]
    fn streams_are_recognized_by_their_first_line() {
        let judge = |client: &[u8], server: &[u8], complete| {
            let opening = Opening { sent: [client, server], from_start: [true; 2], complete };
            (anywhere(&opening), on_port(&opening))
        };
        let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
        assert_eq!(judge(b"", TALK[0].1, true), (yes, yes));
        assert_eq!(judge(b"PING\r\n", b"", true), (no, yes));
        assert_eq!(judge(b"PI", b"", false), (no, Verdict::Unsure));
        assert_eq!(judge(b"GET / HTTP/1.1\r\n", b"", true), (no, no));
        assert_eq!(judge(b"CONNECT host:443 HTTP/1.1\r\n", b"", true).0, no);
    }
}
