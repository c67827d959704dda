//! A field as text for the clipboard.

use super::detail::{Detail, Item};
use crate::filter::Filter;
use crate::registry::Registry;
use crate::tree::hex;
use std::fmt::Write;

/// Formats of a copied field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Hexadecimal digits of its bytes.
    Hex,
    /// A display filter that matches it.
    Filter,
    /// The field and its children as JSON.
    Json,
    /// Its bytes as an array in C.
    CArray,
}

/// Bytes per line of an array.
const BYTES: usize = 12;

/// The text of an item; may be empty.
pub fn text(detail: &Detail, at: usize, form: Form) -> String {
    let mut out = String::new();
    let Some(item) = detail.items.get(at) else { return out };
    let bytes = detail.bytes_of(at);
    // Writing to a string cannot fail.
    let _ = match form {
        Form::Hex => hex(bytes, &mut out),
        Form::Filter => {
            out = filter(item);
            Ok(())
        }
        Form::Json => {
            out = json(detail, at).to_string();
            Ok(())
        }
        Form::CArray => array(item, bytes, &mut out),
    };
    out
}

fn filter(item: &Item) -> String {
    let compared = format!("{} == {}", item.abbrev, item.literal);
    let is_filter = |text: &str| Filter::parse(text, Registry::default()).is_ok();
    let candidates = [compared, item.abbrev.to_owned()];
    candidates.into_iter().skip(usize::from(item.literal.is_empty())).find(|text| is_filter(text)).unwrap_or_default()
}

fn json(detail: &Detail, at: usize) -> serde_json::Value {
    let Some(item) = detail.items.get(at) else { return serde_json::Value::Null };
    let mut object = serde_json::Map::new();
    let mut put = |key: &str, value: serde_json::Value| object.insert(key.to_owned(), value);
    put("name", item.abbrev.into());
    put("label", item.label.as_str().into());
    if !item.value.is_empty() {
        put("value", item.value.as_str().into());
    }
    if !item.meaning.is_empty() {
        put("meaning", item.meaning.as_str().into());
    }
    if let Some((buffer, range)) = &item.bytes {
        put("buffer", detail.buffers.get(*buffer).map_or("", |buffer| &buffer.name).into());
        put("offset", range.start.into());
        let mut digits = String::new();
        // Writing to a string cannot fail.
        let _ = hex(detail.bytes_of(at), &mut digits);
        put("bytes", digits.into());
    }
    let mut children = Vec::new();
    let mut next = at + 1;
    while let Some(child) = detail.items.get(next).filter(|_| next < item.end) {
        children.push(json(detail, next));
        next = child.end.max(next + 1);
    }
    if !children.is_empty() {
        object.insert("fields".to_owned(), children.into());
    }
    object.into()
}

fn array(item: &Item, bytes: &[u8], out: &mut String) -> std::fmt::Result {
    let name: String = item.abbrev.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    write!(out, "static const unsigned char {name}[{}] = {{", bytes.len())?;
    for line in bytes.chunks(BYTES) {
        out.push_str("\n   ");
        line.iter().try_for_each(|byte| write!(out, " 0x{byte:02x},"))?;
    }
    out.push_str("\n};\n");
    Ok(())
}
