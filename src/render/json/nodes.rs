//! Fields and notes as JSON.
//!
//! Fields dominate the output, so their keys are appended as precomputed text.

use super::Ask;
use super::choice::{Choice, SelectedField};
use super::writer::{Members, Out, Put, Shown};
use crate::record::{Bookmark, Buffer, Location, level_of, location_of};
use crate::tree::{Dissection, Field, Kind, Level, MASKED_TEXT, NodeRef, Note, Span, Value};
use std::fmt::{self, Display};
use std::io::Result;

/// Largest integer that all JSON readers represent exactly.
const EXACT: u64 = (1 << 53) - 1;

/// Child fields of a node.
pub struct Children<'a, 't> {
    pub of: Dissection<'t>,
    pub node: NodeRef<'t>,
    /// Source of the node's offsets.
    pub buffer: Buffer,
    pub ask: Ask<'a>,
    /// Fields without a node, before the others.
    pub extra: Vec<Literal<'a>>,
}

impl Put for Children<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let around = match self.node.span() {
            span if span.is_somewhere() => Around::of(self.of, span),
            span => Around { source: span.source, place: Location { buffer: self.buffer, base: 0 } },
        };
        let nodes = Nodes { of: self.of, raw: self.ask.raw };
        match self.ask.choice {
            Some(choice) => self.chosen(choice, nodes, &around, out),
            None => nodes.children(self.node, &around, out),
        }
    }
}

impl Children<'_, '_> {
    /// Whether any field is selected.
    pub fn any(&self) -> bool {
        match self.ask.choice {
            Some(choice) => !self.extra.is_empty() || choice.kept(self.node).next().is_some(),
            None => self.node.has_children(),
        }
    }

    /// Writes the selected fields, without their groups.
    fn chosen(&self, choice: &Choice, nodes: Nodes<'_>, around: &Around, out: &mut Out<'_>) -> Result<()> {
        let extra = self.extra.iter().map(Item::Literal);
        out.list(extra.chain(choice.kept(self.node).map(Item::SelectedField)), |out, item| match item {
            Item::SelectedField(SelectedField::Whole(node)) => nodes.one(node, true, around, out),
            Item::SelectedField(SelectedField::Alone(node)) => nodes.one(node, false, around, out),
            Item::SelectedField(SelectedField::Computed(field, value)) => {
                Literal { name: field.abbrev, label: field.name, value }.put(out)
            }
            Item::Literal(literal) => literal.put(out),
        })
    }
}

/// A selected field.
enum Item<'b, 't> {
    SelectedField(SelectedField<'t>),
    Literal(&'b Literal<'b>),
}

/// A field without node, with its value as JSON.
pub struct Literal<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub value: String,
}

impl Put for Literal<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.object(|map| {
            map.put("name", self.name)?;
            map.put("label", self.label)?;
            map.put("value", &Json(&self.value))
        })
    }
}

/// Preformatted JSON.
struct Json<'a>(&'a str);

impl Put for Json<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.raw(self.0);
        Ok(())
    }
}

/// Source of the parent's offsets, usually that of the field as well.
struct Around {
    /// The source of their spans.
    source: u32,
    place: Location,
}

impl Around {
    fn of(of: Dissection<'_>, span: Span) -> Around {
        Around { source: span.source, place: location_of(of, span) }
    }
}

/// Writes nodes of a dissection; with `raw`, each with its bytes.
#[derive(Clone, Copy)]
struct Nodes<'t> {
    of: Dissection<'t>,
    raw: bool,
}

impl Nodes<'_> {
    /// Writes the child nodes of a node.
    fn children(self, node: NodeRef<'_>, around: &Around, out: &mut Out<'_>) -> Result<()> {
        out.list(node.children(), |out, node| self.one(node, true, around, out))
    }

    /// Writes a field, with its subtree if `deep`.
    #[inline]
    fn one(self, node: NodeRef<'_>, deep: bool, around: &Around, out: &mut Out<'_>) -> Result<()> {
        let field = node.field();
        let has_value = node.is_secret() || !matches!(node.value(), Value::None);
        match node.own_label() {
            Some(label) => labelled(field, label, has_value, out)?,
            None => head(field, has_value, out),
        }
        let has_raw = self.raw && node.span().is_somewhere() || field.transformed;
        value(node, has_raw, out)?;
        if has_raw && !node.is_secret() && !node.has_masked_bytes() {
            out.raw(r#","raw":"#);
            out.hex(node.bytes())?;
        }
        meaning(node, out)?;
        if let Some(bits) = node.bits() {
            number(r#","bit":"#, bits.first, out)?;
            number(r#","bits":"#, bits.count, out)?;
        }
        if node.is_hidden() {
            out.raw(r#","hidden":true"#);
        }
        let span = node.span();
        let elsewhere = (span.is_somewhere() && span.source != around.source).then(|| Around::of(self.of, span));
        let here = elsewhere.as_ref().unwrap_or(around);
        if span.is_somewhere() {
            number(r#","off":"#, here.place.base + u64::from(span.start), out)?;
            if let Some(short) = SHORT.get(span.len() as usize)
                && elsewhere.is_none()
                && !node.has_children()
            {
                out.raw_chunk(short);
                return out.take_output();
            }
            number(r#","len":"#, span.len(), out)?;
        }
        if elsewhere.is_some() && here.place.buffer != around.place.buffer {
            out.raw(r#","buffer":"#);
            Shown(here.place.buffer).put(out)?;
        }
        if deep && node.has_children() {
            out.raw(r#","fields":"#);
            self.children(node, here, out)?;
        }
        out.raw("}");
        out.take_output()
    }
}

/// End of a short field without children, the most frequent case.
const SHORT: [&[u8; 9]; 9] = [
    br#","len":0}"#,
    br#","len":1}"#,
    br#","len":2}"#,
    br#","len":3}"#,
    br#","len":4}"#,
    br#","len":5}"#,
    br#","len":6}"#,
    br#","len":7}"#,
    br#","len":8}"#,
];

/// Start of a field with the label that a script gave it.
#[cold]
fn labelled(field: &Field, label: &str, has_value: bool, out: &mut Out<'_>) -> Result<()> {
    out.raw(r#"{"name":""#);
    out.raw(field.abbrev);
    out.raw(r#"","label":"#);
    label.put(out)?;
    out.raw(if has_value { r#","value":"# } else { "" });
    Ok(())
}

/// Start of a field up to its value. Names and labels require no escaping.
#[inline]
fn head(field: &Field, has_value: bool, out: &mut Out<'_>) {
    const VALUE: &str = r#","value":"#;
    if field.head.is_empty() {
        out.raw(r#"{"name":""#);
        out.raw(field.abbrev);
        out.raw(r#"","label":""#);
        out.raw(field.name);
        out.raw(r#"""#);
        out.raw(if has_value { VALUE } else { "" });
    } else {
        out.raw(if has_value { field.head } else { field.head.strip_suffix(VALUE).unwrap_or_default() });
    }
}

fn number(key: &str, number: impl Put, out: &mut Out<'_>) -> Result<()> {
    out.raw(key);
    number.put(out)
}

/// Writes value and type. With `has_raw`, the bytes of the field follow.
#[inline]
fn value(node: NodeRef<'_>, has_raw: bool, out: &mut Out<'_>) -> Result<()> {
    let mut put = |value: &dyn Put, behind: &str| {
        value.put(out)?;
        out.raw(behind);
        Ok(())
    };
    if node.is_secret() {
        return put(&MASKED_TEXT, r#","masked":true"#);
    }
    match node.value() {
        Value::None => Ok(()),
        Value::Bytes if node.has_masked_bytes() => put(&Shown(Plain(node)), r#","masked":true"#),
        Value::Text | Value::Generated(_) if node.has_masked_bytes() && !node.field().public => {
            put(&node.text(), r#","masked":true"#)
        }
        Value::Unsigned(_) if node.field().kind == Kind::Ipv4 => put(&Shown(Plain(node)), ""),
        Value::Unsigned(value) if value > EXACT => put(&Shown(value), r#","type":"u64""#),
        Value::Unsigned(value) => value.put(out),
        Value::Signed(value) if value.unsigned_abs() > EXACT => put(&Shown(value), r#","type":"i64""#),
        Value::Signed(value) => value.put(out),
        Value::Single(value) if value.is_finite() => value.put(out),
        Value::Single(value) => not_finite(value, out),
        Value::Double(value) if value.is_finite() => value.put(out),
        Value::Double(value) => not_finite(value, out),
        Value::Bool(value) => value.put(out),
        Value::Bytes => match node.field().kind {
            Kind::Mac | Kind::Ipv4 | Kind::Ipv6 => put(&Shown(Plain(node)), ""),
            _ => put(&Hex(node.value_bytes()), r#","type":"bytes""#),
        },
        Value::Generated(_) => put(&node.text(), ""),
        Value::Text | Value::At(_) => match std::str::from_utf8(node.text_bytes()) {
            Ok(text) => put(&text, ""),
            Err(_) if has_raw => put(&node.text(), ""),
            Err(_) => {
                put(&node.text(), r#","raw":"#)?;
                out.hex(node.text_bytes())
            }
        },
    }
}

/// A number without JSON representation.
fn not_finite(value: impl Display, out: &mut Out<'_>) -> Result<()> {
    out.raw(r#"null,"text":"#);
    Shown(value).put(out)
}

/// Writes the meaning of the value, if any. Numbers without JSON representation have their text already.
#[inline]
fn meaning(node: NodeRef<'_>, out: &mut Out<'_>) -> Result<()> {
    let field = node.field();
    let is_shown = match node.value() {
        Value::Single(number) => !number.is_finite(),
        Value::Double(number) => !number.is_finite(),
        _ => false,
    };
    match field.collapsed {
        _ if is_shown => Ok(()),
        Some(collapsed) => out.words(r#","text":"#, |words| (collapsed.meaning)(node, words)),
        None => {
            if let Some(name) = node.name().filter(|name| !name.is_empty()) {
                out.raw(r#","text":"#);
                name.put(out)?;
            }
            Ok(())
        }
    }
}

/// Writes notes, with their buffer if it is not the record's.
pub struct Notes<'a, 't> {
    pub of: Dissection<'t>,
    pub notes: &'a [&'t Note],
    /// The user's bookmarks and notes.
    pub bookmarks: Vec<&'static Bookmark>,
    pub buffer: Buffer,
}

impl Put for Notes<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let notes = self.notes.iter().map(|note| Either::Note(note));
        out.list(notes.chain(self.bookmarks.iter().copied().map(Either::Bookmark)), |out, note| {
            out.object(|map| match note {
                Either::Note(note) => self.note(note, map),
                Either::Bookmark(bookmark) => of_user(bookmark, map),
            })
        })
    }
}

/// A note of a protocol or of the user.
enum Either<'t> {
    Note(&'t Note),
    Bookmark(&'static Bookmark),
}

/// A bookmark or a note of the user.
fn of_user(bookmark: &Bookmark, map: &mut Members<'_, '_>) -> Result<()> {
    map.put("level", Level::Info.word())?;
    map.put("code", "message.note")?;
    if bookmark.is_marked {
        map.put("bookmark", &true)?;
    }
    if bookmark.note.is_empty() { Ok(()) } else { map.put("text", &bookmark.note) }
}

impl Notes<'_, '_> {
    fn note(&self, note: &Note, map: &mut Members<'_, '_>) -> Result<()> {
        let of = self.of;
        map.put("level", level_of(note).word())?;
        map.put("code", note.code.abbrev)?;
        if let Some(node) = of.node(note.node) {
            map.put("field", node.field().abbrev)?;
        }
        let text = of.tree.generated_text(note.text);
        if !text.is_empty() {
            map.put("text", text)?;
        }
        if note.span.is_somewhere() {
            let place = location_of(of, note.span);
            map.put("off", &(place.base + u64::from(note.span.start)))?;
            map.put("len", &note.span.len())?;
            if place.buffer != self.buffer {
                map.put("buffer", &Shown(place.buffer))?;
            }
        }
        Ok(())
    }
}

/// Formats bytes as hexadecimal digits.
pub struct Hex<'a>(pub &'a [u8]);

impl Put for Hex<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.hex(self.0)
    }
}

/// Value of a node as in columns.
pub struct Plain<'t>(pub NodeRef<'t>);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_plain(f)
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::Registry;

    #[test]
    fn precomputed_parts_are_json() {
        let mut count = 0;
        for field in Registry::default().fields().filter(|field| !field.head.is_empty()) {
            let parsed: serde_json::Value = serde_json::from_str(&format!("{}7}}", field.head)).unwrap();
            assert_eq!(parsed, serde_json::json!({"name": field.abbrev, "label": field.name, "value": 7}));
            count += 1;
        }
        assert!(count > 1000, "{count}");
    }
}
