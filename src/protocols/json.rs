//! JSON inside messages of other protocols.
//!
//! The carrier has a field for the whole text; the nodes of its values overlap with it. Names are Wireshark's except
//! `json.member`, the group of a key and its value.

use crate::limits;
use crate::tree::{Field, NodeRef, Value, fields, title};
use crate::wire::{Error, Heuristic, On, Protocol, Result, Wire};
use std::fmt::{self, Write};
use std::ops::Range;

pub static PROTOCOL: Protocol = Protocol::new(&JSON, FIELDS).found(&[On::Chosen.datagram(Heuristic::Anything, |wire| {
    text(wire);
    Ok(())
})]);

fields! {
    JSON = protocol("json", "JSON", "JavaScript Object Notation, inside other protocols")
        .covers("All values of texts up to 4 MiB and 50,000 values");
    OBJECT = group("json.object", "object", "");
    ARRAY = group("json.array", "array", "");
    MEMBER = group("json.member", "member", "Key and value").collapsed(member_name, member_value).named(title::key, member_value, title::nothing);
    KEY = text("json.key", "key", "");
    STRING = text("json.value.string", "string", "Unescaped");
    NUMBER = text("json.value.number", "number", "As written");
    TRUE = bool("json.value.true", "true", "");
    FALSE = bool("json.value.false", "false", "");
    NULL = group("json.value.null", "null", "");
    INVALID = odd("json.invalid", "not JSON", "Text that is not valid JSON from here on");
}

/// Input of the parser: a cursor that adds a node for each value, or plain bytes.
trait Text<'a>: Sized {
    fn ahead(&self) -> &'a [u8];

    fn skip(&mut self, count: usize) -> Result;

    fn group(&mut self, field: &'static Field, read: impl FnOnce(&mut Self) -> Result) -> Result;

    /// Adds a value at a range of the input; `words` is its text if it differs from the input.
    fn put(&mut self, field: &'static Field, value: Value, range: Range<usize>, words: impl FnOnce() -> Option<String>);
}

impl<'a> Text<'a> for Wire<'a> {
    fn ahead(&self) -> &'a [u8] {
        self.ahead()
    }

    fn skip(&mut self, count: usize) -> Result {
        self.skip(count)
    }

    fn group(&mut self, field: &'static Field, read: impl FnOnce(&mut Self) -> Result) -> Result {
        self.group(field, read)
    }

    fn put(&mut self, field: &'static Field, value: Value, range: Range<usize>, words: impl FnOnce() -> Option<String>) {
        let range = self.at() + range.start..self.at() + range.end;
        match words() {
            Some(words) => self.put_text(field, range, format_args!("{words}")),
            None => self.put(field, value, range),
        };
    }
}

/// Bytes whose values are not requested, with the remaining nesting depth.
struct Unrequested<'a> {
    ahead: &'a [u8],
    levels: usize,
}

impl<'a> Text<'a> for Unrequested<'a> {
    fn ahead(&self) -> &'a [u8] {
        self.ahead
    }

    fn skip(&mut self, count: usize) -> Result {
        self.ahead = self.ahead.get(count..).ok_or(Error::Malformed)?;
        Ok(())
    }

    fn group(&mut self, _: &'static Field, read: impl FnOnce(&mut Self) -> Result) -> Result {
        self.levels = self.levels.checked_sub(1).ok_or(Error::Malformed)?;
        read(self)?;
        self.levels += 1;
        Ok(())
    }

    fn put(&mut self, _: &'static Field, _: Value, _: Range<usize>, _: impl FnOnce() -> Option<String>) {}
}

/// Dissects the remaining bytes, which a field of the carrier covers.
pub(super) fn text(wire: &mut Wire<'_>) {
    wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
    if wire.remaining() > limits::JSON_BYTES.get() || !wire.reads_bodies() {
        return;
    }
    let mut unrequested = Unrequested { ahead: wire.ahead(), levels: wire.levels() };
    let mut left = limits::JSON_VALUES.get();
    if !wire.wants(FIELDS) && whole(&mut unrequested, &mut left).is_ok() {
        return;
    }
    left = limits::JSON_VALUES.get();
    if whole(wire, &mut left).is_err() && left > 0 {
        wire.note_ahead(&INVALID, format_args!("not JSON from here on"));
    }
}

/// Parses one value and requires the end of the text after it.
fn whole<'a>(text: &mut impl Text<'a>, left: &mut usize) -> Result {
    let result = value(text, left);
    skip_whitespace(text);
    if text.ahead().is_empty() { result } else { Err(Error::Malformed) }
}

/// Whether a text may be an object or an array, by its first and last characters.
pub(super) fn is_likely(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
        && std::str::from_utf8(text).is_ok()
}

fn value<'a>(text: &mut impl Text<'a>, left: &mut usize) -> Result {
    *left = left.checked_sub(1).ok_or(Error::Malformed)?;
    skip_whitespace(text);
    match text.ahead() {
        [b'{', ..] => text.group(&OBJECT, |text| items(text, b'}', left, member)),
        [b'[', ..] => text.group(&ARRAY, |text| items(text, b']', left, value)),
        [b'"', ..] => string(text, &STRING),
        [b't', b'r', b'u', b'e', ..] => word(text, 4, &TRUE, Value::Bool(true)),
        [b'f', b'a', b'l', b's', b'e', ..] => word(text, 5, &FALSE, Value::Bool(false)),
        [b'n', b'u', b'l', b'l', ..] => word(text, 4, &NULL, Value::None),
        other => {
            let count = number(other).ok_or(Error::Malformed)?;
            word(text, count, &NUMBER, Value::Text)
        }
    }
}

/// Size of the number at the start.
fn number(ahead: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.');
    let digits_end = |at: usize| at + ahead.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    // Most numbers are plain digits, with an optional sign and fraction.
    let sign = usize::from(ahead.first() == Some(&b'-'));
    let whole = digits_end(sign);
    let end = if ahead.get(whole) == Some(&b'.') { digits_end(whole + 1) } else { whole };
    if whole > sign && !ahead.get(end).is_some_and(is_part) {
        return Some(end);
    }
    let count = ahead.iter().take_while(|byte| is_part(byte)).count();
    let text = std::str::from_utf8(ahead.get(..count)?).ok()?;
    text.parse::<f64>().is_ok().then_some(count)
}

fn word<'a>(text: &mut impl Text<'a>, count: usize, field: &'static Field, value: Value) -> Result {
    text.put(field, value, 0..count, || None);
    text.skip(count)
}

/// Parses comma-separated items up to the closing bracket.
fn items<'a, T: Text<'a>>(text: &mut T, end: u8, left: &mut usize, item: fn(&mut T, &mut usize) -> Result) -> Result {
    text.skip(1)?;
    skip_whitespace(text);
    if text.ahead().first() == Some(&end) {
        return text.skip(1);
    }
    loop {
        item(text, left)?;
        skip_whitespace(text);
        match text.ahead().first() {
            Some(b',') => text.skip(1)?,
            Some(other) if *other == end => return text.skip(1),
            _ => return Err(Error::Malformed),
        }
    }
}

fn member<'a>(text: &mut impl Text<'a>, left: &mut usize) -> Result {
    skip_whitespace(text);
    text.group(&MEMBER, |text| {
        string(text, &KEY)?;
        skip_whitespace(text);
        match text.ahead().first() {
            Some(b':') => text.skip(1)?,
            _ => return Err(Error::Malformed),
        }
        value(text, left)
    })
}

/// Parses a string; its span excludes the quotes.
fn string<'a>(text: &mut impl Text<'a>, field: &'static Field) -> Result {
    let ahead = text.ahead();
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
    text.put(field, Value::Text, 1..end, || has_escapes.then(|| serde_json::from_slice(quoted).ok())?);
    text.skip(end + 1)
}

fn skip_whitespace<'a>(text: &mut impl Text<'a>) {
    while text.ahead().first().is_some_and(u8::is_ascii_whitespace) && text.skip(1).is_ok() {}
}

fn member_name(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    node.child(&KEY).map_or(Ok(()), |key| key.write_value(out))
}

fn member_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(value) = node.children().find(|child| !child.field().is(&KEY)) else { return Ok(()) };
    let field = value.field();
    if field.is(&OBJECT) || field.is(&ARRAY) || field.is(&NULL) { write!(out, "{}", field.name) } else { value.write_value(out) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Demand, Fields, FrameInfo, Only, Span, Tree};
    use crate::wire::{Cut, trial};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> String {
        trial::read(&PROTOCOL, bytes, Cut::No, |wire| {
            text(wire);
            Ok(())
        })
    }

    #[test]
    fn every_value_has_its_span() {
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
    fn invalid_json_is_noted_from_the_error_on() {
        for (bytes, at) in [
            (&b"{\"a\": }"[..], 6),
            (b"[1, 2", 5),
            (b"[1] x", 4),
            (b"\"abc", 0),
            (b"{1: 2}", 1),
            (b"[nul]", 1),
            (b"[1.2.3]", 1),
            (b"[-.]", 1),
        ] {
            let tree = read(bytes);
            assert!(tree.contains(&format!("! odd json.invalid at {at}..{}", bytes.len())), "{tree}");
        }
    }

    #[test]
    fn a_number_includes_sign_fraction_and_exponent() {
        for (text, rest) in [("0", ""), ("-17", ","), ("2.50", "]"), ("-1.5e-3", " "), ("1E+9", "}"), (".5", ","), ("3.", ",")] {
            assert_eq!(number(format!("{text}{rest}").as_bytes()), Some(text.len()), "{text}");
        }
        assert!(["", "-", ".", "-.", "1.2.3", "1-2", "0x1f", "1e", "+"].iter().all(|text| number(text.as_bytes()).is_none()));
    }

    /// Codes and spans of the notes on a text.
    fn notes(text: &[u8], want: Demand) -> Vec<(&'static str, Span)> {
        let mut tree = Tree::new(want);
        tree.begin(FrameInfo::default());
        let layer = tree.push_layer(&JSON, Span::new(0, 0..text.len()), None, 0, true);
        super::text(&mut Wire::new(&mut tree, layer, 0, text, 0..text.len(), Cut::No));
        tree.notes.iter().map(|note| (note.code.abbrev, note.span)).collect()
    }

    fn values() -> impl Strategy<Value = String> {
        let leaf = prop_oneof!["-?[0-9]{1,3}(\\.[0-9])?", "true|false|null|nul|1e5|0x", "\"[a\\\\n\"u]{0,4}\""];
        leaf.prop_recursive(60, 200, 4, |inner| {
            let pairs = prop::collection::vec(("[a-c\\\\]{0,2}", inner.clone()), 0..4);
            let object = pairs.prop_map(|pairs| {
                let members: Vec<String> = pairs.iter().map(|(key, value)| format!("\"{key}\" : {value}")).collect();
                format!("{{{}}}", members.join(","))
            });
            let array = prop::collection::vec(inner.clone(), 0..4).prop_map(|values| format!("[ {}]", values.join(", ")));
            prop_oneof![object, array, inner.prop_map(|value| format!("[{value}]"))]
        })
    }

    proptest! {
        #[test]
        fn a_text_without_requested_values_gets_the_same_notes(text in values(), cut in any::<prop::sample::Index>(), nests in 0..80_usize) {
            let unrequested = Demand::of_fields(Only::these([]));
            let nested = format!("{}{text}{}", "[".repeat(nests), "]".repeat(nests));
            for text in [&nested, &text, &text[..cut.index(text.len() + 1)]] {
                prop_assert_eq!(notes(text.as_bytes(), unrequested), notes(text.as_bytes(), Demand::EVERYTHING), "{}", text);
            }
        }
    }

    #[test]
    fn more_values_than_the_limit_are_not_an_error() {
        let unrequested = Demand { fields: Fields::Only(Only::these([])), ..Demand::EVERYTHING };
        // Bytes after the last permitted value are not checked.
        for end in ["1]", "1", "]", "nul"] {
            let text = format!("[{}{end}", "1,".repeat(limits::JSON_VALUES.get()));
            assert!([unrequested, Demand::EVERYTHING].iter().all(|want| notes(text.as_bytes(), *want).is_empty()), "{end}");
        }
        // The last permitted value may exceed the nesting limit.
        let nested = format!("{}{}", "[".repeat(70), "]".repeat(70));
        for few in limits::JSON_VALUES.get() - 72..limits::JSON_VALUES.get() - 58 {
            let text = format!("[{}{nested}]", "1,".repeat(few));
            assert_eq!(notes(text.as_bytes(), unrequested), notes(text.as_bytes(), Demand::EVERYTHING), "{few}");
        }
    }

    #[test]
    fn the_nesting_depth_is_limited() {
        let tree = read(&[b'['; 1000]);
        assert!(tree.contains("dissect.deep") && tree.lines().count() < 100, "{tree}");
    }
}
