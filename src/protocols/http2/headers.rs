//! Header blocks: fields, and the request or response they contain.

use super::hpack::{self, Block, HeaderField, Item, Table};
use super::known;
use super::*;
use crate::protocols::lines;
use crate::tree::{Kind, Span, Value};
use crate::wire::{Result, Wire};
use std::borrow::Cow;
use std::ops::Range;

/// Header fields that the dissection of a message needs.
#[derive(Debug, Default)]
pub(in crate::protocols) struct Section {
    pub(super) method: String,
    pub(super) scheme: String,
    pub(super) authority: String,
    pub(super) path: String,
    pub(super) status: String,
    pub(super) kind: Vec<u8>,
    pub(super) coding: Vec<u8>,
}

impl Section {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b":method" => self.method = text(),
            b":scheme" => self.scheme = text(),
            b":authority" => self.authority = text(),
            b"host" if self.authority.is_empty() => self.authority = text(),
            b":path" => self.path = text(),
            b":status" => self.status = text(),
            b"content-type" => self.kind = value.to_vec(),
            b"content-encoding" => self.coding = value.to_vec(),
            _ => {}
        }
    }

    /// URI of the request, and offset of the request target in it.
    pub(super) fn uri(&self) -> (String, usize) {
        if self.path.is_empty() || self.authority.is_empty() {
            return (format!("{}{}", self.authority, self.path), self.authority.len());
        }
        let scheme = if self.scheme.is_empty() { "http" } else { &self.scheme };
        let origin = format!("{scheme}://{}", self.authority);
        (format!("{origin}{}", self.path), origin.len())
    }
}

/// Dissects the next `count` bytes as a complete header block.
pub(super) fn read(wire: &mut Wire<'_>, count: usize, table: &mut Table) -> Result<Section> {
    let bytes = wire.ahead().get(..count).unwrap_or_default();
    let was_partial = table.is_partial();
    let block = hpack::decode(bytes, table);
    let length: usize = block.fields().map(|field| field.name.text.len() + field.value.text.len() + 8).sum();
    wire.add(&HEADER_LENGTH, Value::Unsigned(length as u64));
    wire.add(&HEADER_COUNT, Value::Unsigned(block.items.len() as u64));
    put(wire, "hpack", count, &block, was_partial)
}

/// Adds the fields of a decoded block in the next `count` bytes. If `was_partial` is set, entries of the dynamic table may
/// have been missing.
pub(in crate::protocols) fn put(
    wire: &mut Wire<'_>,
    method: &'static str,
    count: usize,
    block: &Block,
    was_partial: bool,
) -> Result<Section> {
    let mut section = Section::default();
    let text = |range: &Range<usize>| block.text.get(range.clone()).unwrap_or_default();
    for field in block.fields() {
        section.add(text(&field.name.text), text(&field.value.text));
    }
    let place = BlockLocation { source: wire.source(), at: wire.at(), text: &block.text };
    wire.derived(method, 0, &block.text, |inner| {
        for item in &block.items {
            place.item(inner, item, was_partial);
        }
        Ok(())
    })?;
    if block.omitted > 0 {
        wire.note_ahead(&TOO_MANY, format_args!("{} fields are not shown", block.omitted));
    }
    match block.failed {
        Some((at, why)) => {
            wire.skip(at)?;
            wire.note_ahead(&BAD_BLOCK, format_args!("{}", why.words()));
            wire.hide(wire.at()..wire.at() + count - at);
            wire.bytes(&UNDECODED, count - at)?;
        }
        None => wire.skip(count)?,
    }
    Ok(section)
}

/// Location of a block: source, offset and decoded text.
struct BlockLocation<'a> {
    source: u32,
    at: usize,
    text: &'a [u8],
}

impl BlockLocation<'_> {
    fn raw(&self, range: &Range<usize>) -> Span {
        Span::new(self.source, self.at + range.start..self.at + range.end)
    }

    /// Adds a field or a size update. `inner` reads the decoded text.
    fn item(&self, inner: &mut Wire<'_>, item: &Item, was_partial: bool) {
        match item {
            Item::Field(field) => self.field(inner, field, was_partial),
            Item::Resize { raw, size } => {
                let span = self.raw(raw);
                let place = inner.put_at(&RESIZE, Value::None, span);
                inner.put_at(&RESIZE_TO, Value::Unsigned(*size), span);
                inner.close_at(place, &RESIZE, span.end);
            }
        }
    }

    fn field(&self, inner: &mut Wire<'_>, field: &HeaderField, was_partial: bool) {
        let span = self.raw(&field.raw);
        let derived = inner.source();
        let lies = |range: &Range<usize>| Value::At(Span::new(derived, range.clone()));
        let (name, value) = (self.raw(&field.name.raw), self.raw(&field.value.raw));
        let place = inner.put_at(&HEADER, Value::None, span);
        inner.put_at(&HEADER_NAME_LENGTH, Value::Unsigned(field.name.text.len() as u64), name);
        inner.put_at(&HEADER_NAME, lies(&field.name.text), name);
        inner.put_at(&HEADER_VALUE_LENGTH, Value::Unsigned(field.value.text.len() as u64), value);
        inner.put_at(&HEADER_VALUE, lies(&field.value.text), value);
        let text = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        if let Some(known) = known::field_of(text(&field.name.text)) {
            let number = || lines::number(text(&field.value.text)).map(Value::Unsigned);
            let shown = if known.kind == Kind::Number { number() } else { Some(lies(&field.value.text)) };
            if let Some(shown) = shown {
                inner.put_at(known, shown, value);
            }
        }
        let at = self.raw(&field.index_raw);
        if inner.keeps(&HEADER_FORM) {
            let words = inner.make(&HEADER_FORM, field.form);
            inner.put_at(&HEADER_FORM, Value::Generated(words), at);
        }
        if let Some(index) = field.index {
            let node = inner.put_at(&HEADER_INDEX, Value::Unsigned(index), at);
            if field.is_unknown {
                let (code, why) = if was_partial {
                    (&UNKNOWN_INDEX, "was added in bytes that are not in the capture")
                } else {
                    (&BAD_INDEX, "does not exist")
                };
                // The field may not be kept.
                let node = node.min(inner.next_place().saturating_sub(1));
                inner.note_at(code, node, at, format_args!("entry {index} {why}"));
            }
        }
        inner.close_at(place, &HEADER, span.end);
        self.hide(inner, field);
    }

    /// Masks a secret value: its text, and its bytes if they are a string literal.
    fn hide(&self, inner: &mut Wire<'_>, field: &HeaderField) {
        if !inner.searches_secrets() {
            return;
        }
        let text = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        inner.hide_credentials(field.line.clone());
        inner.hide_named(text(&field.name.text), field.value.text.clone());
        let is_secret = matches!(inner.masked(&String::from_utf8_lossy(text(&field.line))), Cow::Owned(_))
            || crate::wire::credentials::is_secret_name(text(&field.name.text));
        if field.value.is_literal && is_secret {
            inner.hide_at(self.raw(&field.value.raw));
        }
    }
}
