//! Validity of JSON records: syntax, unique keys, spans of fields and the map of a message.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// A value whose objects have unique keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Strict {
    /// `null`, a boolean, a number or a string.
    Leaf(serde_json::Value),
    /// An array.
    Array(Vec<Strict>),
    /// An object, in its order.
    Object(Vec<(String, Strict)>),
}

impl Strict {
    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Strict> {
        match self {
            Strict::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The number of a leaf.
    pub fn number(&self) -> Option<u64> {
        match self {
            Strict::Leaf(value) => value.as_u64(),
            _ => None,
        }
    }

    /// The text of a leaf.
    pub fn text(&self) -> Option<&str> {
        match self {
            Strict::Leaf(value) => value.as_str(),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn elements(&self) -> &[Strict] {
        match self {
            Strict::Array(elements) => elements,
            _ => &[],
        }
    }
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Strict, D::Error> {
        struct Seen;
        impl<'de> Visitor<'de> for Seen {
            type Value = Strict;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
                Ok(Strict::Leaf(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
                Ok(Strict::Leaf(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
                Ok(Strict::Leaf(value.into()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Strict, E> {
                Ok(Strict::Leaf(value.into()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
                Ok(Strict::Leaf(value.into()))
            }
            fn visit_unit<E>(self) -> Result<Strict, E> {
                Ok(Strict::Leaf(serde_json::Value::Null))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Strict, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = from.next_element()? {
                    elements.push(element);
                }
                Ok(Strict::Array(elements))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Strict, A::Error> {
                let (mut members, mut keys) = (Vec::new(), HashSet::new());
                while let Some((key, value)) = from.next_entry::<String, Strict>()? {
                    if !keys.insert(key.clone()) {
                        return Err(serde::de::Error::custom(format_args!("the key {key:?} occurs twice")));
                    }
                    members.push((key, value));
                }
                Ok(Strict::Object(members))
            }
        }
        from.deserialize_any(Seen)
    }
}

/// Parses text that must be one JSON value with unique keys.
pub fn parse(text: &str) -> Strict {
    let mut from = serde_json::Deserializer::from_str(text);
    let value = Strict::deserialize(&mut from).unwrap_or_else(|error| panic!("invalid JSON: {error}\n{text}"));
    from.end().unwrap_or_else(|error| panic!("invalid JSON: {error}\n{text}"));
    value
}

/// Rules of a record that concern one record alone.
pub fn check_record(record: &Strict) {
    let kind = record.get("type").and_then(Strict::text).expect("a record has a type");
    let (buffer, off, len) = (record.get("buffer"), number(record, "off"), number(record, "len"));
    if kind == "message" {
        let (off, len) = (off.expect("a message has an offset"), len.expect("a message has a length"));
        for field in record.get("fields").map(Strict::elements).unwrap_or_default() {
            check_field(field, buffer, Some((off, off + len)));
        }
        if let Some(map) = record.get("map") {
            check_map(map, off, off + len);
        }
    }
    for layer in record.get("layers").map(Strict::elements).unwrap_or_default() {
        let buffer = layer.get("buffer");
        let span = number(layer, "off").zip(number(layer, "len")).map(|(off, len)| (off, off + len));
        for field in layer.get("fields").map(Strict::elements).unwrap_or_default() {
            check_field(field, buffer, span);
        }
    }
}

fn number(of: &Strict, key: &str) -> Option<u64> {
    of.get(key).and_then(Strict::number)
}

/// A field lies inside its parent unless it names a buffer of its own.
fn check_field(field: &Strict, buffer: Option<&Strict>, parent: Option<(u64, u64)>) {
    let own = field.get("buffer").or(buffer);
    let span = number(field, "off").zip(number(field, "len")).map(|(off, len)| (off, off + len));
    if let (Some((start, end)), Some((outer, behind)), true) = (span, parent, own == buffer) {
        assert!(outer <= start && end <= behind, "{start}..{end} lies outside {outer}..{behind}: {field:?}");
    }
    let parent = if own == buffer { span.or(parent) } else { span };
    for child in field.get("fields").map(Strict::elements).unwrap_or_default() {
        check_field(child, own, parent);
    }
}

/// The pieces of a message in a stream cover it exactly.
fn check_map(map: &Strict, start: u64, end: u64) {
    let mut at = start;
    for piece in map.elements() {
        assert_eq!(number(piece, "off"), Some(at), "the map has a hole or an overlap: {map:?}");
        at += number(piece, "len").expect("a piece has a length");
    }
    assert_eq!(at, end, "the map does not cover the message: {map:?}");
}
