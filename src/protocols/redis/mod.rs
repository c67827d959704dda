//! Redis: commands and replies of RESP 2 and 3, the serialization protocol of Redis, Valkey and KeyDB.
//!
//! ```text
//! +text CRLF                  simple string          -text CRLF      error
//! :number CRLF                integer                (digits CRLF    big number
//! _ CRLF                      null                   #t CRLF         boolean
//! ,number CRLF                double                 $n CRLF n bytes CRLF   bulk string; n of -1 is null
//! !n CRLF n bytes CRLF        bulk error             =n CRLF enc: bytes CRLF   verbatim string
//! *n CRLF n values            array; also ~ set and > push
//! %n CRLF n pairs of values   map; also | attribute, in front of a value
//! words CRLF                  inline command of a client
//! ```
//! A command is an array of bulk strings. Source: the RESP specification of redis.io.
//!
//! Not covered: streamed strings and aggregates of unknown length, RDB files of replication.

mod command;

use super::lines;
use crate::limits;
use crate::tree::{BySide, Field, Side, Value, fields};
use crate::wire::{Conversation, Error, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Resumption, Verdict, Wire};
use command::{command, inline_command, shortened};

pub static PROTOCOL: Protocol = Protocol::new(&RESP, FIELDS)
    .found(&[
        On::Tcp(6379).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(6379).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&FRAGMENT);

fields! {
    RESP = protocol("resp", "Redis", "Redis serialization protocol (RESP)")
        .covers("Commands and replies of RESP 2 and 3, and inline commands")
        .leaves_open("Streamed values and RDB files of replication");
    STRING = text("resp.string", "string", "Simple string");
    ERROR = text("resp.error", "error", "");
    INTEGER = number("resp.integer", "integer", "");
    BULK = group("resp.bulk_string", "bulk string", "");
    BULK_LENGTH = number("resp.bulk_string.length", "length", "In bytes; -1 is a null");
    BULK_VALUE = bytes("resp.bulk_string.value", "value", "");
    TERMINATOR = bytes("resp.terminator", "terminator", "CR LF after the bytes of a string");
    ARRAY = group("resp.array", "array", "");
    ARRAY_LENGTH = number("resp.array.length", "length", "Number of values; -1 is a null");
    NULL = text("resp.null", "null", "");
    BOOLEAN = bool("resp.boolean", "boolean", "");
    DOUBLE = text("resp.double", "double", "Decimal text of a floating-point number");
    BIG = text("resp.big_number", "big number", "Integer of any size");
    BULK_ERROR = group("resp.bulk_error", "bulk error", "");
    BULK_ERROR_LENGTH = number("resp.bulk_error.length", "length", "In bytes");
    BULK_ERROR_VALUE = text("resp.bulk_error.value", "value", "");
    VERBATIM = group("resp.verbatim_string", "verbatim string", "Text with the name of its format");
    VERBATIM_LENGTH = number("resp.verbatim_string.length", "length", "In bytes, format included");
    VERBATIM_VALUE = text("resp.verbatim_string.value", "value", "Format of three letters, a colon, text");
    SET = group("resp.set", "set", "");
    SET_LENGTH = number("resp.set.length", "length", "Number of values");
    PUSH = group("resp.push", "push", "Values that no command requested");
    PUSH_LENGTH = number("resp.push.length", "length", "Number of values");
    MAP = group("resp.map", "map", "");
    MAP_LENGTH = number("resp.map.length", "length", "Number of pairs");
    ATTRIBUTE = group("resp.attribute", "attribute", "Pairs that belong to the next value");
    ATTRIBUTE_LENGTH = number("resp.attribute.length", "length", "Number of pairs");
    INLINE = text("resp.inline", "inline command", "Words without lengths");
    FRAGMENT = bytes("resp.fragment", "fragment", "Undissected bytes").valueless();
    BAD = broken("resp.note.value", "bad value", "Unexpected type or length of a value");
}

/// A kind of value.
enum Kind {
    Line(&'static Field),
    Integer,
    Boolean,
    /// Counted bytes: group, length and value.
    Counted([&'static Field; 3]),
    /// Values: group, length, and values per element.
    Aggregate([&'static Field; 2], u64),
}

fn kind(first: u8) -> Option<Kind> {
    Some(match first {
        b'+' => Kind::Line(&STRING),
        b'-' => Kind::Line(&ERROR),
        b'_' => Kind::Line(&NULL),
        b',' => Kind::Line(&DOUBLE),
        b'(' => Kind::Line(&BIG),
        b':' => Kind::Integer,
        b'#' => Kind::Boolean,
        b'$' => Kind::Counted([&BULK, &BULK_LENGTH, &BULK_VALUE]),
        b'!' => Kind::Counted([&BULK_ERROR, &BULK_ERROR_LENGTH, &BULK_ERROR_VALUE]),
        b'=' => Kind::Counted([&VERBATIM, &VERBATIM_LENGTH, &VERBATIM_VALUE]),
        b'*' => Kind::Aggregate([&ARRAY, &ARRAY_LENGTH], 1),
        b'~' => Kind::Aggregate([&SET, &SET_LENGTH], 1),
        b'>' => Kind::Aggregate([&PUSH, &PUSH_LENGTH], 1),
        b'%' => Kind::Aggregate([&MAP, &MAP_LENGTH], 2),
        b'|' => Kind::Aggregate([&ATTRIBUTE, &ATTRIBUTE_LENGTH], 2),
        _ => return None,
    })
}

/// Bytes of a line without its type and end, and of the whole line.
fn first_line(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let line = lines::line(bytes)?;
    Some((bytes.get(1..line.text).unwrap_or_default(), line.whole))
}

/// Parses a length or an integer, which may have a sign.
fn signed(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A value of which only the header is known.
enum Head {
    /// A complete header of this many bytes, followed by this many values.
    Whole(usize, u64),
    /// The value is complete with this many bytes.
    Needs(usize),
    Invalid,
}

/// Measures the value at the start of the bytes, without the values inside it.
fn measure(bytes: &[u8]) -> Head {
    let Some(first) = bytes.first() else { return Head::Needs(1) };
    let Some(kind) = kind(*first) else { return Head::Invalid };
    let Some((text, whole)) = first_line(bytes) else {
        return if bytes.len() < limits::TEXT_LINE.get() { Head::Needs(bytes.len() + 1) } else { Head::Invalid };
    };
    match kind {
        Kind::Line(_) => Head::Whole(whole, 0),
        Kind::Integer if signed(text).is_some() => Head::Whole(whole, 0),
        Kind::Boolean if matches!(text, b"t" | b"f") => Head::Whole(whole, 0),
        Kind::Counted(_) => match signed(text) {
            Some(-1) => Head::Whole(whole, 0),
            Some(length @ 0..) => {
                let end = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(whole).saturating_add(2);
                if end <= bytes.len() { Head::Whole(end, 0) } else { Head::Needs(end) }
            }
            _ => Head::Invalid,
        },
        Kind::Aggregate(_, values) => match signed(text).map(u64::try_from) {
            Some(Ok(count)) => Head::Whole(whole, count.saturating_mul(values) + u64::from(*first == b'|')),
            Some(Err(_)) if text == b"-1" => Head::Whole(whole, 0),
            _ => Head::Invalid,
        },
        _ => Head::Invalid,
    }
}

/// Progress of finding the end of a side's next message: bytes so far, and values that follow.
#[derive(Clone, Copy)]
struct Scan {
    at: usize,
    missing: u64,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan { at: 0, missing: 1 }
    }
}

/// State of a connection.
#[derive(Default)]
struct Session {
    scans: BySide<Scan>,
}

/// Recognizes the first value of a side. Returns the server.
fn greeting(side: Side, bytes: &[u8]) -> Option<Side> {
    let (text, whole) = first_line(bytes)?;
    let next = bytes.get(whole..)?;
    match bytes.first()? {
        // Commands are arrays of bulk strings with a name in letters.
        b'*' if signed(text)? > 0 => {
            let (length, whole) = first_line(next).filter(|_| next.starts_with(b"$"))?;
            let name = next.get(whole..)?.get(..usize::try_from(signed(length)?).ok()?.min(32))?;
            let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_'));
            is_name.then_some(side.other())
        }
        _ => None,
    }
}

/// Recognizes a command of either side on any port.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let server = Side::BOTH.into_iter().find_map(|side| greeting(side, opening.of(side)));
    server.map_or(Verdict::No, Verdict::Yes)
}

/// Recognizes Redis on its port: a command or a reply, also in a session joined midway.
fn on_port(opening: &Opening<'_>) -> Verdict {
    if let found @ Verdict::Yes(_) = anywhere(opening) {
        return found;
    }
    let is_reply = |bytes: &[u8]| matches!(measure(bytes), Head::Whole(..)) || bytes.starts_with(b"$");
    let is_inline =
        |bytes: &[u8]| inline(bytes).is_some_and(|name| COMMANDS.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())));
    if is_reply(opening.of(Side::Server)) || is_inline(opening.of(Side::Client)) {
        return Verdict::Yes(Side::Server);
    }
    let is_begun = |side: Side| {
        let bytes = opening.of(side);
        !matches!(measure(bytes), Head::Invalid)
    };
    if !opening.complete && Side::BOTH.into_iter().all(is_begun) { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes lines that have the form of a command or reply, with another name, type or value.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    match opening.sent.map(text_line) {
        lines if lines.iter().any(Option::is_some) => Verdict::Yes(Side::Server),
        _ if !opening.complete && opening.sent.iter().all(|bytes| may_be_text(bytes)) => Verdict::Unsure,
        _ => Verdict::No,
    }
}

/// The size of a line of printable text.
fn text_line(bytes: &[u8]) -> Option<usize> {
    let line = lines::line(bytes).filter(|line| line.text + 2 == line.whole)?;
    (line.text > 0 && bytes.get(..line.text).is_some_and(may_be_text)).then_some(line.whole)
}

fn may_be_text(bytes: &[u8]) -> bool {
    bytes.len() < limits::TEXT_LINE.get() && bytes.iter().all(|byte| byte.is_ascii_graphic() || b" \r".contains(byte))
}

/// Inline commands by which a session is recognized.
const COMMANDS: &[&str] = &["PING", "AUTH", "GET", "SET", "INFO", "QUIT", "EXISTS", "SELECT", "HELLO", "MONITOR"];

/// First word of an inline command.
fn inline(bytes: &[u8]) -> Option<&[u8]> {
    let line = lines::line(bytes)?;
    let word = bytes.get(..line.text)?.split(|byte| *byte == b' ').next()?;
    word.first().is_some_and(u8::is_ascii_alphabetic).then_some(word)
}

/// Extent of a line without a known type, or with a wrong value.
fn odd_line(ahead: &[u8]) -> Extent {
    match lines::line(ahead) {
        Some(line) => text_line(ahead).map_or(Extent::Unknown(line.whole), Extent::Message),
        None if may_be_text(ahead) => Extent::NeedMore(ahead.len() + 1),
        None => Extent::Unknown(ahead.len()),
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if from == Side::Client && ahead.first().is_some_and(u8::is_ascii_alphabetic) {
            return lines::line_extent(ahead, limits::TEXT_LINE.get());
        }
        let scan = &mut self.scans[from];
        while scan.missing > 0 {
            match measure(ahead.get(scan.at..).unwrap_or_default()) {
                Head::Whole(size, more) => *scan = Scan { at: scan.at + size, missing: (scan.missing - 1).saturating_add(more) },
                Head::Needs(more) => return Extent::NeedMore(scan.at.saturating_add(more)),
                // Bytes before an invalid value are dissected as far as possible.
                Head::Invalid if scan.at > 0 => break,
                Head::Invalid => return odd_line(ahead),
            }
        }
        Extent::Message(scan.at)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.scans[from] = Scan::default();
        match from {
            Side::Client if kind(wire.peek_u8().unwrap_or_default()).is_none() => inline_command(wire),
            Side::Client => command(wire),
            Side::Server if kind(wire.peek_u8().unwrap_or_default()).is_none() => {
                wire.note_unusual(format_args!("no type of RESP"));
                wire.name("unknown type");
                wire.rest(&FRAGMENT);
                Ok(())
            }
            Side::Server => reply(wire),
        }
    }

    fn gap(&mut self, from: Side, _: Missing) {
        self.scans[from] = Scan::default();
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        // A word alone may be a value.
        let is_inline = |line: &[u8]| {
            lines::is_command(line, COMMANDS) && memchr::memchr2(b' ', b'\n', line).is_some_and(|at| line.get(at) == Some(&b' '))
        };
        /// Bytes that show the count of an array.
        const COUNT: usize = 24;
        let begins = |line: &[u8]| {
            let head = line.get(..COUNT).unwrap_or(line);
            let count = head.strip_prefix(b"*").and_then(|rest| rest.get(..memchr::memchr(b'\r', rest)?));
            count.is_some_and(|count| !count.is_empty() && lines::number(count).is_some()) || is_inline(line)
        };
        match from {
            Side::Client => lines::resumes(ahead, begins),
            Side::Server => Resumption::Anywhere,
        }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        /// Bytes in front of the name of a command, with the name and its first argument.
        const HEAD: usize = 96;
        const NAMES: [&[u8]; 5] = [b"auth", b"hello", b"config", b"migrate", b"acl"];
        let head = ahead.get(..HEAD).unwrap_or(ahead).to_ascii_lowercase();
        let names_one = || NAMES.iter().any(|name| memchr::memmem::find(&head, name).is_some());
        from == Side::Client && (ahead.is_empty() || names_one())
    }
}

fn reply(wire: &mut Wire<'_>) -> Result {
    let ahead = wire.ahead();
    let (text, whole) = first_line(ahead).unwrap_or_default();
    let kind = kind(wire.peek_u8().unwrap_or_default());
    let (name, info) = match &kind {
        Some(Kind::Counted([group, ..])) if text == b"-1" => (group.name, "null".to_owned()),
        Some(Kind::Counted([group, ..])) => {
            let rest = ahead.get(whole..).unwrap_or_default();
            (group.name, shortened(rest.strip_suffix(b"\r\n").unwrap_or(rest)))
        }
        Some(Kind::Aggregate([group, _], 1)) => (group.name, format!("{} values", String::from_utf8_lossy(text))),
        Some(Kind::Aggregate([group, _], _)) => (group.name, format!("{} pairs", String::from_utf8_lossy(text))),
        Some(Kind::Line(field)) => (field.name, shortened(text)),
        Some(Kind::Integer) => (INTEGER.name, shortened(text)),
        Some(Kind::Boolean) => (BOOLEAN.name, if text == b"t" { "true" } else { "false" }.to_owned()),
        None => ("fragment", String::new()),
    };
    wire.name(name);
    wire.info(format_args!("{info}"));
    value(wire)
}

/// Dissects a value with the values inside it.
fn value(wire: &mut Wire<'_>) -> Result {
    let ahead = wire.ahead();
    let Some(kind) = kind(*ahead.first().ok_or(Error::Short { needed: 1 })?) else {
        return wire.malformed(&BAD, format_args!("no type of RESP"));
    };
    let (text, whole) = first_line(ahead).ok_or(Error::Short { needed: 1 })?;
    let range = wire.at()..wire.at() + whole;
    let length = signed(text);
    match kind {
        Kind::Line(field) => wire.words(field, whole, 1..text.len() + 1).map(drop),
        Kind::Integer => {
            let Some(number) = length else { return wire.malformed(&BAD, format_args!("an integer without digits")) };
            wire.put(&INTEGER, number_of(number), range);
            wire.skip(whole)
        }
        Kind::Boolean => {
            wire.put(&BOOLEAN, Value::Bool(text == b"t"), range);
            wire.skip(whole)
        }
        Kind::Counted([group, counted, field]) => wire.group(group, |wire| {
            let Some(number) = length else { return wire.malformed(&BAD, format_args!("a length without digits")) };
            wire.put(counted, number_of(number), range);
            wire.skip(whole)?;
            let Ok(number) = usize::try_from(number) else { return Ok(()) };
            match (number, field.kind == crate::tree::Kind::Text) {
                (0, _) => {}
                (_, true) => drop(wire.text(field, number)?),
                (_, false) => drop(wire.bytes(field, number)?),
            }
            wire.bytes(&TERMINATOR, 2).map(drop)
        }),
        Kind::Aggregate([group, counted], values) => {
            wire.group(group, |wire| {
                let Some(number) = length else { return wire.malformed(&BAD, format_args!("a length without digits")) };
                wire.put(counted, number_of(number), range);
                wire.skip(whole)?;
                for _ in 0..u64::try_from(number).unwrap_or_default().saturating_mul(values) {
                    value(wire)?;
                }
                Ok(())
            })?;
            // An attribute precedes its value.
            if group.is(&ATTRIBUTE) { value(wire) } else { Ok(()) }
        }
    }
}

fn number_of(number: i64) -> Value {
    u64::try_from(number).map_or(Value::Signed(number), Value::Unsigned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Client, b"*3\r\n$4\r\nAUTH\r\n$4\r\nanna\r\n$10\r\nmoss-green\r\n"),
        (Side::Server, b"+OK\r\n"),
        (Side::Client, b"PING hi\r\n*2\r\n$3\r\nget\r\n$4\r\nnews\r\n"),
        (Side::Server, b"$5\r\nhe\r\no\r\n$-1\r\n-ERR no\r\n:-7\r\n"),
        (Side::Server, b"*3\r\n:1\r\n*-1\r\n*1\r\n$0\r\n\r\n"),
        (Side::Server, b"%1\r\n+a\r\n#t\r\n>2\r\n+b\r\n_\r\n|1\r\n+c\r\n,1.5\r\n=7\r\ntxt:one\r\n"),
        (Side::Server, b"!3\r\nbad\r\n~1\r\n(99\r\n"),
    ];

    #[test]
    fn commands_and_replies_are_dissected() {
        let trees = trees_of(&PROTOCOL, &mut Session::default(), TALK);
        insta::assert_snapshot!(trees, @r#"
        resp 0..41 | AUTH | anna
          0..41 resp.array
            0..4 resp.array.length = 3
            4..14 resp.bulk_string
              4..8 resp.bulk_string.length = 4
              8..12 resp.bulk_string.value = 41555448
              12..14 resp.terminator = 0d0a
            14..24 resp.bulk_string
              14..18 resp.bulk_string.length = 4
              18..22 resp.bulk_string.value = 616e6e61
              22..24 resp.terminator = 0d0a
            24..41 resp.bulk_string
              24..29 resp.bulk_string.length = 10
              29..39 resp.bulk_string.value = 6d6f73732d677265656e
              39..41 resp.terminator = 0d0a
        resp 0..5 | string | OK
          0..5 resp.string = "OK"
        resp 0..9 | PING | hi
          0..9 resp.inline = "PING hi"
        resp 0..23 | GET | news
          0..23 resp.array
            0..4 resp.array.length = 2
            4..13 resp.bulk_string
              4..8 resp.bulk_string.length = 3
              8..11 resp.bulk_string.value = 676574
              11..13 resp.terminator = 0d0a
            13..23 resp.bulk_string
              13..17 resp.bulk_string.length = 4
              17..21 resp.bulk_string.value = 6e657773
              21..23 resp.terminator = 0d0a
        resp 0..11 | bulk string | he\r\no
          0..11 resp.bulk_string
            0..4 resp.bulk_string.length = 5
            4..9 resp.bulk_string.value = 68650d0a6f
            9..11 resp.terminator = 0d0a
        resp 0..5 | bulk string | null
          0..5 resp.bulk_string
            0..5 resp.bulk_string.length = -1
        resp 0..9 | error | ERR no
          0..9 resp.error = "ERR no"
        resp 0..5 | integer | -7
          0..5 resp.integer = -7
        resp 0..23 | array | 3 values
          0..23 resp.array
            0..4 resp.array.length = 3
            4..8 resp.integer = 1
            8..13 resp.array
              8..13 resp.array.length = -1
            13..23 resp.array
              13..17 resp.array.length = 1
              17..23 resp.bulk_string
                17..21 resp.bulk_string.length = 0
                21..23 resp.terminator = 0d0a
        resp 0..12 | map | 1 pairs
          0..12 resp.map
            0..4 resp.map.length = 1
            4..8 resp.string = "a"
            8..12 resp.boolean = true
        resp 0..11 | push | 2 values
          0..11 resp.push
            0..4 resp.push.length = 2
            4..8 resp.string = "b"
            8..11 resp.null = ""
        resp 0..27 | attribute | 1 pairs
          0..14 resp.attribute
            0..4 resp.attribute.length = 1
            4..8 resp.string = "c"
            8..14 resp.double = "1.5"
          14..27 resp.verbatim_string
            14..18 resp.verbatim_string.length = 7
            18..25 resp.verbatim_string.value = "txt:one"
            25..27 resp.terminator = 0d0a
        resp 0..9 | bulk error | bad
          0..9 resp.bulk_error
            0..4 resp.bulk_error.length = 3
            4..7 resp.bulk_error.value = "bad"
            7..9 resp.terminator = 0d0a
        resp 0..9 | set | 1 values
          0..9 resp.set
            0..4 resp.set.length = 1
            4..9 resp.big_number = "99"
        "#);
    }

    #[test]
    fn damaged_values_are_survived() {
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn a_long_array_is_measured_once() {
        let mut session = Session::default();
        assert_eq!(session.extent(Side::Server, b"*2\r\n+a\r\n+", true), Extent::NeedMore(10));
        assert_eq!((session.scans[Side::Server].at, session.scans[Side::Server].missing), (8, 1));
        assert_eq!(session.extent(Side::Server, b"*2\r\n+a\r\n+b\r\n", true), Extent::Message(12));
        assert_eq!(session.extent(Side::Client, b"*1\r\n$900000000000\r\n", true), Extent::NeedMore(900_000_000_021));
    }

    #[test]
    fn streams_are_recognized_by_a_command() {
        let judge = |client: &[u8], server: &[u8], complete| {
            let opening = Opening { sent: [client, server], from_start: [true; 2], complete };
            (anywhere(&opening), on_port(&opening))
        };
        let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
        assert_eq!(judge(b"*1\r\n$4\r\nPING\r\n", b"", true), (yes, yes));
        assert_eq!(judge(b"", b"+PONG\r\n", true), (no, yes));
        assert_eq!(judge(b"ping\r\n", b"", true), (no, yes));
        assert_eq!(judge(b"*1\r\n$4", b"", false), (no, Verdict::Unsure));
        assert_eq!(judge(b"GET / HTTP/1.1\r\n", b"", true).0, no);
        assert_eq!(judge(b"\x16\x03\x01", b"", true), (no, no));
    }
}
