//! JSON payloads: the whole text as one field, and a field per known member.

use super::{ERROR_JSON, NOTE_UTF8};
use crate::tree::{Field, Value};
use crate::wire::{Cut, Wire};
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Maximum nesting of arrays and objects.
const DEPTH_MAX: usize = 32;

/// A known member of a message.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) json_type: JsonType,
    pub(super) field: &'static Field,
}

/// Expected type of a member. Values of another type appear only in the whole text.
#[derive(Clone, Copy)]
pub(super) enum JsonType {
    Integer,
    Bool,
    Text,
    Array,
}

/// Values of the known members as text.
pub(super) struct Parsed(Vec<(&'static Field, String)>);

impl Parsed {
    /// Returns the text of a member; the last one of duplicates.
    pub(super) fn of(&self, field: &Field) -> Option<&str> {
        self.0.iter().rev().find(|(parsed, _)| parsed.is(field)).map(|(_, words)| words.as_str())
    }
}

/// Parses the remaining bytes as an object. On an error, the members before it are kept.
pub(super) fn object(wire: &mut Wire<'_>, whole: &'static Field, known: &'static [Member]) -> Parsed {
    let start = wire.at();
    let is_whole = wire.cut() == Cut::No;
    let bytes = wire.rest(whole);
    if std::str::from_utf8(bytes).is_err_and(|why| is_whole || why.error_len().is_some()) {
        wire.note(&NOTE_UTF8, format_args!("not UTF-8"));
    }
    let text = in_place(bytes);
    let mut found = Vec::new();
    let result = members(&text, |name, value| {
        let at = value.as_ptr().addr() - text.as_ptr().addr();
        let range = at..at + value.len();
        // A number at the very end may be incomplete.
        if range.end < text.len() || !value.ends_with(|end: char| end.is_ascii_digit()) {
            found.extend(known.iter().find(|member| member.name == name).map(|member| (member, range)));
        }
    });
    if let Err(why) = result
        && is_whole
    {
        wire.note(&ERROR_JSON, format_args!("{why}"));
    }
    Parsed(found.into_iter().filter_map(|(member, range)| member.put(wire, start, bytes, range)).collect())
}

impl Member {
    /// Adds the field for a value at `range` of the text that begins at offset `start` of the source.
    fn put(&self, wire: &mut Wire<'_>, start: usize, text: &[u8], range: Range<usize>) -> Option<(&'static Field, String)> {
        let raw = String::from_utf8_lossy(text.get(range.clone())?);
        let at = start + range.start..start + range.end;
        let value = match self.json_type {
            JsonType::Integer => integer(&raw)?,
            JsonType::Bool => Value::Bool(raw.parse().ok()?),
            JsonType::Array => raw.starts_with('[').then_some(Value::Text)?,
            JsonType::Text => {
                let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
                let at = at.start + 1..at.end - 1;
                // An escape that is not valid text, such as half a surrogate pair, is shown as sent.
                let words = match serde_json::from_str::<String>(&raw) {
                    Ok(words) if inside.contains('\\') => {
                        wire.put_text(self.field, at, format_args!("{words}"));
                        words
                    }
                    _ => {
                        wire.put(self.field, Value::Text, at);
                        inside.to_owned()
                    }
                };
                return Some((self.field, words));
            }
        };
        wire.put(self.field, value, at);
        Some((self.field, raw.into_owned()))
    }
}

fn integer(raw: &str) -> Option<Value> {
    match raw.parse() {
        Ok(number) => Some(Value::Unsigned(number)),
        Err(_) => raw.parse().ok().map(Value::Signed),
    }
}

/// Converts bytes to text of the same length: each invalid UTF-8 byte becomes a question mark, so offsets stay valid.
fn in_place(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes
            .utf8_chunks()
            .flat_map(|chunk| [chunk.valid(), "???".get(..chunk.invalid().len()).unwrap_or_default()])
            .collect(),
    }
}

/// Whether the text is exactly one object.
pub(super) fn is_object(text: &str) -> bool {
    members(text, |_, _| {}).is_ok()
}

/// Calls `each` with the name and the raw value of each member.
pub(super) fn members<'t>(text: &'t str, each: impl FnMut(&str, &'t str)) -> Result<(), String> {
    if is_too_deep(text) {
        return Err(format!("nested deeper than {DEPTH_MAX}"));
    }
    if !text.trim_ascii_start().starts_with('{') {
        return Err("not an object".to_owned());
    }
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Members(each)).and_then(|()| json.end()).map_err(|why| why.to_string())
}

/// Counts open brackets outside of strings.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return true;
        }
    }
    false
}

struct Members<F>(F);

impl<'t, F: FnMut(&str, &'t str)> Visitor<'t> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let value: &RawValue = map.next_value()?;
            (self.0)(&name, value.get());
        }
        Ok(())
    }
}
