//! Fields and notes as JSON.
//!
//! Nearly all of what is written is fields, so their keys are put down as they are, in front of each value.

use super::writer::{Members, Out, Put, Shown};
use crate::record::{Buffer, level_of, place_of};
use crate::tree::{Dissection, HIDDEN, Kind, NodeRef, Note, Value};
use std::fmt::{self, Display};
use std::io::Result;

/// The largest whole number that every reader of JSON keeps exactly.
const EXACT: u64 = (1 << 53) - 1;

/// What lies below a node.
pub struct Children<'t> {
    pub of: Dissection<'t>,
    pub node: NodeRef<'t>,
    /// What the node's own offsets count in.
    pub buffer: Buffer,
}

impl Put for Children<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.list(self.node.children(), |out, node| one(self.of, node, self.buffer, out))
    }
}

/// A field, inside one whose offsets count in `outer`.
fn one(of: Dissection<'_>, node: NodeRef<'_>, outer: Buffer, out: &mut Out<'_>) -> Result<()> {
    let field = node.field();
    // Words of ours, with nothing to escape.
    if field.head.is_empty() {
        out.raw(r#"{"name":""#);
        out.raw(field.abbrev);
        out.raw(r#"","label":""#);
        out.raw(field.name);
        out.raw(r#"""#);
    } else {
        out.raw(field.head);
    }
    value(node, out)?;
    if field.transformed && !node.is_secret() {
        out.raw(r#","raw":"#);
        out.hex(node.bytes())?;
    }
    meaning(node, out)?;
    if let Some(bits) = node.bits() {
        number(r#","bit":"#, bits.first, out)?;
        number(r#","bits":"#, bits.count, out)?;
    }
    let mut buffer = outer;
    let span = node.span();
    if span.is_somewhere() {
        let place = place_of(of, span);
        buffer = place.buffer;
        number(r#","off":"#, place.base + u64::from(span.start), out)?;
        number(r#","len":"#, span.len(), out)?;
        if buffer != outer {
            out.raw(r#","buffer":"#);
            Shown(buffer).put(out)?;
        }
    }
    if node.has_children() {
        out.raw(r#","fields":"#);
        Children { of, node, buffer }.put(out)?;
    }
    out.raw("}");
    out.hand_on()
}

fn number(key: &str, number: impl Put, out: &mut Out<'_>) -> Result<()> {
    out.raw(key);
    number.put(out)
}

/// Value and type, behind commas.
fn value(node: NodeRef<'_>, out: &mut Out<'_>) -> Result<()> {
    const VALUE: &str = r#","value":"#;
    let mut put = |value: &dyn Put, behind: &str| {
        out.raw(VALUE);
        value.put(out)?;
        out.raw(behind);
        Ok(())
    };
    if node.is_secret() {
        return put(&HIDDEN, r#","masked":true"#);
    }
    match node.value() {
        Value::None => Ok(()),
        Value::Unsigned(_) if node.field().kind == Kind::Ipv4 => put(&Shown(Plain(node)), ""),
        Value::Unsigned(value) if value > EXACT => put(&Shown(value), r#","type":"u64""#),
        Value::Unsigned(value) => number(VALUE, value, out),
        Value::Signed(value) if value.unsigned_abs() > EXACT => put(&Shown(value), r#","type":"i64""#),
        Value::Signed(value) => number(VALUE, value, out),
        Value::Single(value) if value.is_finite() => number(VALUE, value, out),
        Value::Single(value) => not_finite(value, out),
        Value::Double(value) if value.is_finite() => number(VALUE, value, out),
        Value::Double(value) => not_finite(value, out),
        Value::Bool(value) => number(VALUE, value, out),
        Value::Bytes => match node.field().kind {
            Kind::Mac | Kind::Ipv4 | Kind::Ipv6 => put(&Shown(Plain(node)), ""),
            _ => put(&Hex(node.bytes()), r#","type":"bytes""#),
        },
        Value::Made(_) => put(&node.text(), ""),
        Value::Text => match std::str::from_utf8(node.text_bytes()) {
            Ok(text) => put(&text, ""),
            Err(_) => {
                put(&node.text(), r#","raw":"#)?;
                out.hex(node.text_bytes())
            }
        },
    }
}

/// The value of a node alone, as JSON has it.
pub struct Alone<'t>(pub NodeRef<'t>);

impl Put for Alone<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let node = self.0;
        match node.value() {
            Value::Unsigned(number) if number > EXACT => Shown(number).put(out),
            Value::Unsigned(number) => number.put(out),
            Value::Signed(number) if number.unsigned_abs() > EXACT => Shown(number).put(out),
            Value::Signed(number) => number.put(out),
            Value::Single(number) if number.is_finite() => number.put(out),
            Value::Double(number) if number.is_finite() => number.put(out),
            Value::None | Value::Single(_) | Value::Double(_) => ().put(out),
            Value::Bool(truth) => truth.put(out),
            Value::Bytes => Shown(Plain(node)).put(out),
            Value::Made(_) | Value::Text => node.text().put(out),
        }
    }
}

/// A number that JSON has no digits for.
fn not_finite(value: impl Display, out: &mut Out<'_>) -> Result<()> {
    out.raw(r#","value":null,"text":"#);
    Shown(value).put(out)
}

/// What the value means, if there is anything to add. A number without digits has its text already.
fn meaning(node: NodeRef<'_>, out: &mut Out<'_>) -> Result<()> {
    let is_told = match node.value() {
        Value::Single(number) => !number.is_finite(),
        Value::Double(number) => !number.is_finite(),
        _ => false,
    };
    let has_none = node.field().digest.is_none() && node.field().names.is_empty();
    if is_told || has_none { Ok(()) } else { out.words(r#","text":"#, |words| node.write_meaning(words)) }
}

/// Remarks; the buffer is named where it is not the record's.
pub struct Notes<'a, 't> {
    pub of: Dissection<'t>,
    pub notes: &'a [&'t Note],
    pub buffer: Buffer,
}

impl Put for Notes<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.list(self.notes, |out, note| out.object(|map| self.remark(note, map)))
    }
}

impl Notes<'_, '_> {
    fn remark(&self, note: &Note, map: &mut Members<'_, '_>) -> Result<()> {
        let of = self.of;
        map.put("level", level_of(note).word())?;
        map.put("code", note.code.abbrev)?;
        if let Some(node) = of.node(note.node) {
            map.put("field", node.field().abbrev)?;
        }
        let text = of.tree.made(note.text);
        if !text.is_empty() {
            map.put("text", text)?;
        }
        if note.span.is_somewhere() {
            let place = place_of(of, note.span);
            map.put("off", &(place.base + u64::from(note.span.start)))?;
            map.put("len", &note.span.len())?;
            if place.buffer != self.buffer {
                map.put("buffer", &Shown(place.buffer))?;
            }
        }
        Ok(())
    }
}

/// Bytes as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl Put for Hex<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.hex(self.0)
    }
}

struct Plain<'t>(NodeRef<'t>);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_plain(f)
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::Registry;

    #[test]
    fn what_is_put_together_beforehand_is_json() {
        let mut count = 0;
        for field in Registry::default().fields().filter(|field| !field.head.is_empty()) {
            let told: serde_json::Value = serde_json::from_str(&format!("{}}}", field.head)).unwrap();
            assert_eq!(told, serde_json::json!({"name": field.abbrev, "label": field.name}));
            count += 1;
        }
        assert!(count > 1000, "{count}");
    }
}
