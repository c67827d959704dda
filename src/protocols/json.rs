//! JSON inside messages of other protocols: each value where it stands.
//!
//! The text as a whole is a field of the protocol that carries it; what is read here lies over it. Names are Wireshark's, but for
//! members: `json.member` is the group of a name and its value.

use crate::tree::{NodeRef, Value, fields};
use crate::wire::{Error, Protocol, Result, Wire};
use std::fmt::{self, Write};

/// JSON.
pub static PROTOCOL: Protocol =
    Protocol { this: &JSON, fields: FIELDS, found: &[], rest: None, truncated: None, gap: None, tables: None, settings: &[] };

fields! {
    JSON = protocol("json", "JSON", "JavaScript Object Notation, inside other protocols")
        .covers("Every value where it stands, of texts up to 4 MiB and 50,000 values");
    OBJECT = group("json.object", "object", "Members by their names");
    ARRAY = group("json.array", "array", "Values in a row");
    MEMBER = group("json.member", "member", "A name and its value").digest(member_name, member_value);
    KEY = text("json.key", "key", "Name of the member");
    STRING = text("json.value.string", "string", "A text, without its escapes");
    NUMBER = text("json.value.number", "number", "A number as it was written");
    TRUE = bool("json.value.true", "true", "The value true");
    FALSE = bool("json.value.false", "false", "The value false");
    NULL = group("json.value.null", "null", "No value");
    INVALID = odd("json.invalid", "not JSON", "What ought to be JSON is none from here on");
}

/// The longest text that is read.
const LONGEST: usize = 4 << 20;

/// The most values that are put.
const MOST: usize = 50_000;

/// Read all that is left, which a field of the carrier explains already.
pub(super) fn text(wire: &mut Wire<'_>) {
    if wire.remaining() > LONGEST || !wire.wants_fields() {
        return;
    }
    let mut left = MOST;
    let result = value(wire, &mut left);
    blanks(wire);
    if left > 0 && (result.is_err() || wire.remaining() > 0) {
        wire.note_ahead(&INVALID, format_args!("not JSON from here on"));
    }
}

/// Whether a text may be an object or an array, judged by its ends.
pub(super) fn is_likely(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
        && std::str::from_utf8(text).is_ok()
}

fn value(wire: &mut Wire<'_>, left: &mut usize) -> Result {
    *left = left.checked_sub(1).ok_or(Error::Malformed)?;
    blanks(wire);
    match wire.ahead() {
        [b'{', ..] => wire.group(&OBJECT, |wire| items(wire, b'}', left, member)),
        [b'[', ..] => wire.group(&ARRAY, |wire| items(wire, b']', left, value)),
        [b'"', ..] => string(wire, &STRING),
        [b't', b'r', b'u', b'e', ..] => word(wire, 4, &TRUE, Value::Bool(true)),
        [b'f', b'a', b'l', b's', b'e', ..] => word(wire, 5, &FALSE, Value::Bool(false)),
        [b'n', b'u', b'l', b'l', ..] => word(wire, 4, &NULL, Value::None),
        other => {
            let count = number(other).ok_or(Error::Malformed)?;
            word(wire, count, &NUMBER, Value::Text)
        }
    }
}

/// Bytes of the number that comes first, if one does.
fn number(ahead: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    // Most are plain digits.
    let digits = ahead.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && !ahead.get(digits).is_some_and(is_part) {
        return Some(digits);
    }
    let count = ahead.iter().take_while(|byte| is_part(byte)).count();
    let text = std::str::from_utf8(ahead.get(..count)?).ok()?;
    text.parse::<f64>().is_ok().then_some(count)
}

fn word(wire: &mut Wire<'_>, count: usize, field: &'static crate::tree::Field, value: Value) -> Result {
    wire.put(field, value, wire.at()..wire.at() + count);
    wire.skip(count)
}

/// What stands between two brackets, with commas between one and the next.
fn items(wire: &mut Wire<'_>, end: u8, left: &mut usize, item: fn(&mut Wire<'_>, &mut usize) -> Result) -> Result {
    wire.skip(1)?;
    blanks(wire);
    if wire.ahead().first() == Some(&end) {
        return wire.skip(1);
    }
    loop {
        item(wire, left)?;
        blanks(wire);
        match wire.ahead().first() {
            Some(b',') => wire.skip(1)?,
            Some(other) if *other == end => return wire.skip(1),
            _ => return Err(Error::Malformed),
        }
    }
}

fn member(wire: &mut Wire<'_>, left: &mut usize) -> Result {
    blanks(wire);
    wire.group(&MEMBER, |wire| {
        string(wire, &KEY)?;
        blanks(wire);
        match wire.ahead().first() {
            Some(b':') => wire.skip(1)?,
            _ => return Err(Error::Malformed),
        }
        value(wire, left)
    })
}

/// A text between quotes; its span is what stands between them.
fn string(wire: &mut Wire<'_>, field: &'static crate::tree::Field) -> Result {
    let ahead = wire.ahead();
    let (mut end, mut has_escapes) = (1, false);
    loop {
        let next = ahead.get(end..).and_then(|ahead| memchr::memchr2(b'"', b'\\', ahead)).ok_or(Error::Malformed)?;
        end += next;
        if ahead.get(end) == Some(&b'"') {
            break;
        }
        (end, has_escapes) = (end + 2, true);
    }
    let quoted = ahead.get(..=end).filter(|quoted| quoted.first() == Some(&b'"')).ok_or(Error::Malformed)?;
    let range = wire.at() + 1..wire.at() + end;
    let words = if has_escapes { serde_json::from_slice::<String>(quoted).ok() } else { None };
    match words {
        Some(words) => wire.put_text(field, range, format_args!("{words}")),
        None => wire.put(field, Value::Text, range),
    };
    wire.skip(end + 1)
}

fn blanks(wire: &mut Wire<'_>) {
    // Mostly there are none.
    while wire.ahead().first().is_some_and(u8::is_ascii_whitespace) && wire.skip(1).is_ok() {}
}

fn member_name(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    node.child(&KEY).map_or(Ok(()), |key| key.write_value(out))
}

fn member_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(value) = node.children().find(|child| !child.field().is(&KEY)) else { return Ok(()) };
    let field = value.field();
    match field.is(&OBJECT) || field.is(&ARRAY) || field.is(&NULL) {
        true => write!(out, "{}", field.name),
        false => value.write_value(out),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may")]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn read(bytes: &[u8]) -> String {
        trial::read(&PROTOCOL, bytes, Cut::No, |wire| {
            text(wire);
            Ok(())
        })
    }

    #[test]
    fn every_value_has_its_place() {
        insta::assert_snapshot!(read(br#" {"a": [1, -2.5e3, true, null], "b\n": "x\u00e9", "c": {}} "#), @r#"
        json 0..59
          1..58 json.object
            2..30 json.member
              3..4 json.key = "a"
              7..30 json.array
                8..9 json.value.number = "1"
                11..17 json.value.number = "-2.5e3"
                19..23 json.value.true = true
                25..29 json.value.null
            32..48 json.member
              33..36 json.key = "b\n"
              40..47 json.value.string = "xé"
            50..57 json.member
              51..52 json.key = "c"
              55..57 json.object
        "#);
    }

    #[test]
    fn what_is_no_json_is_told_where_it_stops() {
        for (bytes, at) in [(&b"{\"a\": }"[..], 6), (b"[1, 2", 5), (b"[1] x", 4), (b"\"abc", 0), (b"{1: 2}", 1), (b"[nul]", 1)] {
            let tree = read(bytes);
            assert!(tree.contains(&format!("! odd json.invalid at {at}..{}", bytes.len())), "{tree}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let tree = read(&[b'['; 1000]);
        assert!(tree.contains("dissect.deep") && tree.lines().count() < 100, "{tree}");
    }
}
