//! Fields and notes as JSON.

use super::writer::Known;
use crate::record::{Buffer, level_of, place_of};
use crate::tree::{Dissection, HIDDEN, Kind, NodeRef, Note, Value};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt::{self, Write};

/// The largest whole number that every reader of JSON keeps exactly.
const EXACT: u64 = (1 << 53) - 1;

/// What lies below a node.
pub struct Children<'t> {
    pub of: Dissection<'t>,
    pub node: NodeRef<'t>,
    /// What the node's own offsets count in.
    pub buffer: Buffer,
}

impl Serialize for Children<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for node in self.node.children() {
            list.serialize_element(&One { of: self.of, node, outer: self.buffer })?;
        }
        list.end()
    }
}

struct One<'t> {
    of: Dissection<'t>,
    node: NodeRef<'t>,
    outer: Buffer,
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let One { of, node, outer } = *self;
        let field = node.field();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &Known(field.abbrev))?;
        map.serialize_entry("label", &Known(field.name))?;
        value(node, &mut map)?;
        if field.transformed && !node.is_secret() {
            map.serialize_entry("raw", &Hex(node.bytes()))?;
        }
        if Meaning(node).is_there() {
            map.serialize_entry("text", &Shown(Meaning(node)))?;
        }
        if let Some(bits) = node.bits() {
            map.serialize_entry("bit", &bits.first)?;
            map.serialize_entry("bits", &bits.count)?;
        }
        let mut buffer = outer;
        if node.span().is_somewhere() {
            let place = place_of(of, node.span());
            buffer = place.buffer;
            map.serialize_entry("off", &(place.base + u64::from(node.span().start)))?;
            map.serialize_entry("len", &node.span().len())?;
            if buffer != outer {
                map.serialize_entry("buffer", &Shown(buffer))?;
            }
        }
        if node.has_children() {
            map.serialize_entry("fields", &Children { of, node, buffer })?;
        }
        map.end()
    }
}

fn value<M: SerializeMap>(node: NodeRef<'_>, map: &mut M) -> Result<(), M::Error> {
    if node.is_secret() {
        map.serialize_entry("value", HIDDEN)?;
        return map.serialize_entry("masked", &true);
    }
    match node.value() {
        Value::None => Ok(()),
        Value::Unsigned(_) if node.field().kind == Kind::Ipv4 => map.serialize_entry("value", &Shown(Plain(node))),
        Value::Unsigned(number) if number > EXACT => {
            map.serialize_entry("value", &Shown(number))?;
            map.serialize_entry("type", "u64")
        }
        Value::Unsigned(number) => map.serialize_entry("value", &number),
        Value::Signed(number) if number.unsigned_abs() > EXACT => {
            map.serialize_entry("value", &Shown(number))?;
            map.serialize_entry("type", "i64")
        }
        Value::Signed(number) => map.serialize_entry("value", &number),
        Value::Single(number) if number.is_finite() => map.serialize_entry("value", &number),
        Value::Single(number) => not_finite(number, map),
        Value::Double(number) if number.is_finite() => map.serialize_entry("value", &number),
        Value::Double(number) => not_finite(number, map),
        Value::Bool(truth) => map.serialize_entry("value", &truth),
        Value::Bytes => match node.field().kind {
            Kind::Mac | Kind::Ipv4 | Kind::Ipv6 => map.serialize_entry("value", &Shown(Plain(node))),
            _ => {
                map.serialize_entry("value", &Hex(node.bytes()))?;
                map.serialize_entry("type", "bytes")
            }
        },
        Value::Made(_) => map.serialize_entry("value", &node.text()),
        Value::Text => {
            map.serialize_entry("value", &node.text())?;
            match std::str::from_utf8(node.text_bytes()) {
                Ok(_) => Ok(()),
                Err(_) => map.serialize_entry("raw", &Hex(node.text_bytes())),
            }
        }
    }
}

/// The value of a node alone, as JSON has it.
pub fn value_of<S: Serializer>(node: NodeRef<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    match node.value() {
        Value::Unsigned(number) if number > EXACT => serializer.collect_str(&number),
        Value::Unsigned(number) => serializer.serialize_u64(number),
        Value::Signed(number) if number.unsigned_abs() > EXACT => serializer.collect_str(&number),
        Value::Signed(number) => serializer.serialize_i64(number),
        Value::Single(number) if number.is_finite() => serializer.serialize_f32(number),
        Value::Double(number) if number.is_finite() => serializer.serialize_f64(number),
        Value::None | Value::Single(_) | Value::Double(_) => serializer.serialize_unit(),
        Value::Bool(truth) => serializer.serialize_bool(truth),
        Value::Bytes => serializer.collect_str(&Plain(node)),
        Value::Made(_) | Value::Text => serializer.serialize_str(&node.text()),
    }
}

/// A number that JSON has no digits for.
fn not_finite<M: SerializeMap>(number: impl fmt::Display, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("value", &())?;
    map.serialize_entry("text", &Shown(number))
}

/// Remarks; the buffer is named where it is not the record's.
pub struct Notes<'a, 't> {
    pub of: Dissection<'t>,
    pub notes: &'a [&'t Note],
    pub buffer: Buffer,
}

impl Serialize for Notes<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for note in self.notes {
            list.serialize_element(&Remark { of: self.of, note, outer: self.buffer })?;
        }
        list.end()
    }
}

struct Remark<'t> {
    of: Dissection<'t>,
    note: &'t Note,
    outer: Buffer,
}

impl Serialize for Remark<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Remark { of, note, outer } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("level", level_of(note).word())?;
        map.serialize_entry("code", note.code.abbrev)?;
        if let Some(node) = of.node(note.node) {
            map.serialize_entry("field", node.field().abbrev)?;
        }
        let text = of.tree.made(note.text);
        if !text.is_empty() {
            map.serialize_entry("text", text)?;
        }
        if note.span.is_somewhere() {
            let place = place_of(of, note.span);
            map.serialize_entry("off", &(place.base + u64::from(note.span.start)))?;
            map.serialize_entry("len", &note.span.len())?;
            if place.buffer != outer {
                map.serialize_entry("buffer", &Shown(place.buffer))?;
            }
        }
        map.end()
    }
}

/// Something as the text that it shows itself as.
pub struct Shown<T>(pub T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Bytes, which [`super::writer`] writes as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct Plain<'t>(NodeRef<'t>);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_plain(f)
    }
}

#[derive(Clone, Copy)]
struct Meaning<'t>(NodeRef<'t>);

impl Meaning<'_> {
    /// A number without digits has its text already.
    fn is_there(self) -> bool {
        let is_told = match self.0.value() {
            Value::Single(number) => !number.is_finite(),
            Value::Double(number) => !number.is_finite(),
            _ => false,
        };
        let says = || match self.0.field().digest {
            Some(_) => self.0.write_meaning(&mut Probe).is_err(),
            None => self.0.name().is_some_and(|name| !name.is_empty()),
        };
        !is_told && says()
    }
}

impl fmt::Display for Meaning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_meaning(f)
    }
}

/// Fails as soon as there is anything to write.
struct Probe;

impl Write for Probe {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        if words.is_empty() { Ok(()) } else { Err(fmt::Error) }
    }
}
