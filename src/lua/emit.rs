//! Adds the items of a call to the tree of a message.

use super::call::{Content, Item, Kind as ItemKind, NONE, Place, ROOT};
use super::notes;
use super::run::Dissected;
use crate::tree::{Field, Kind, Span, Value};
use crate::wire::{Result, Wire};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Maximum number and length of names in the column of protocols: they are never freed.
const NAMES: usize = 256;
const LONGEST: usize = 64;

/// A name in the column of protocols. Beyond the limit, the column keeps the name of the protocol.
fn column(name: &str) -> Option<&'static str> {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = known.get(name) {
        return Some(name);
    }
    let fits = known.len() < NAMES && name.len() <= LONGEST;
    let name = fits.then(|| super::field::leak(name))?;
    known.insert(name);
    Some(name)
}

/// Writes the part of a call that belongs to a message.
pub(super) struct Emission<'d> {
    pub(super) dissected: &'d Dissected,
    /// The layer of the message.
    pub(super) this: &'static Field,
    /// The bytes of the call that are the message.
    pub(super) bytes: Range<usize>,
    /// The items directly below the tree that belong to it.
    pub(super) items: Range<usize>,
    /// Where the first byte of the message is in its source.
    pub(super) base: usize,
    /// Whether it is the last message of the call.
    pub(super) is_last: bool,
    /// The sources of derived buffers.
    pub(super) sources: RefCell<Vec<u32>>,
}

impl Emission<'_> {
    /// Adds items, notes and summary.
    pub(super) fn write(&self, wire: &mut Wire<'_>) -> Result {
        let tops = self.dissected.tops();
        let mut nodes = vec![NONE; self.dissected.items.len()];
        self.derive(wire, &tops);
        for top in tops.get(self.items.clone()).unwrap_or_default() {
            self.put_all(*top, wire, &mut nodes);
        }
        self.put_remarks(wire, &nodes);
        if let Some(name) = self.dissected.protocol.as_deref().and_then(column) {
            wire.column(name);
        }
        if let Some(info) = &self.dissected.info {
            let text = info.split_whitespace().collect::<Vec<_>>().join(" ");
            wire.info(format_args!("{text}"));
        }
        if self.is_last {
            for error in &self.dissected.errors {
                wire.add_text(&notes::ERROR, format_args!("Lua Error: {error}"));
                wire.note_layer(&notes::FAILED, format_args!("{error}"));
            }
        }
        Ok(())
    }

    /// Adds the derived buffers that items of the message point into.
    fn derive(&self, wire: &mut Wire<'_>, tops: &[u32]) {
        if self.dissected.derived.is_empty() {
            return;
        }
        let mut is_used = vec![false; self.dissected.derived.len()];
        let first = tops.get(self.items.start).copied().unwrap_or(NONE);
        // Items below are between the tops, or were added later.
        for item in self.dissected.items.iter().skip(first as usize) {
            let value = match item.content {
                Content::Bytes(place) | Content::Text(place) => Some(place),
                _ => None,
            };
            for place in item.place.into_iter().chain(value) {
                self.mark(place.buffer, &mut is_used);
            }
        }
        let mut sources = vec![Span::NOWHERE; is_used.len()];
        for (number, buffer) in
            self.dissected.derived.iter().enumerate().filter(|(number, _)| is_used.get(*number) == Some(&true))
        {
            let from = match buffer.from {
                Some(place) if place.buffer == 0 => self.span(wire, Some(place)),
                Some(place) => derived_span(&sources, place),
                None => Span::new(wire.source(), self.base..self.base + self.bytes.len()),
            };
            let source = wire.derive(buffer.method, Some(from).filter(|from| from.is_somewhere()), &buffer.bytes);
            if let Some(known) = sources.get_mut(number) {
                *known = source;
            }
        }
        self.sources.replace(sources);
    }

    /// Marks a buffer, and those that it was made from.
    fn mark(&self, buffer: u32, is_used: &mut [bool]) {
        let mut next = buffer;
        while let Some(number) = (next as usize).checked_sub(1)
            && let Some(mark) = is_used.get_mut(number)
            && !std::mem::replace(mark, true)
        {
            next = self.dissected.derived.get(number).and_then(|buffer| buffer.from).map_or(0, |from| from.buffer);
        }
    }

    /// Adds an item with all below it.
    fn put_all(&self, top: u32, wire: &mut Wire<'_>, nodes: &mut [u32]) {
        // An item whose children are open, with the next of them.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut next = top;
        loop {
            let Some(item) = self.item(next) else { return };
            let place = self.put(item, wire);
            if let Some(node) = nodes.get_mut(next as usize) {
                *node = place;
            }
            open.push((next, item.first));
            next = loop {
                let Some((parent, child)) = open.last_mut() else { return };
                if *child != NONE {
                    let child_item = *child;
                    *child = self.item(child_item).map_or(NONE, |item| item.next);
                    break child_item;
                }
                let parent = *parent;
                open.pop();
                self.close(parent, wire, nodes);
                if open.is_empty() {
                    return;
                }
            };
        }
    }

    fn item(&self, item: u32) -> Option<&Item> {
        self.dissected.items.get(item as usize)
    }

    /// Whether an item is the layer of the message.
    fn is_layer(&self, item: &Item) -> bool {
        item.depth == 1 && item.label.is_none() && matches!(item.kind, ItemKind::Protocol(field) if field.is(self.this))
    }

    /// The span of a place, as far as it is in the message.
    fn span(&self, wire: &Wire<'_>, place: Option<Place>) -> Span {
        let Some(place) = place else { return Span::NONE };
        if place.buffer > 0 {
            return derived_span(&self.sources.borrow(), place);
        }
        let clipped = |at: u32| (at as usize).clamp(self.bytes.start, self.bytes.end) - self.bytes.start + self.base;
        let end = place.start.saturating_add(place.len);
        if place.start as usize > self.bytes.end || (end as usize) < self.bytes.start {
            return Span::NONE;
        }
        Span::new(wire.source(), clipped(place.start)..clipped(end))
    }

    /// Adds an item without its children. Returns the index of its node.
    fn put(&self, item: &Item, wire: &mut Wire<'_>) -> u32 {
        if self.is_layer(item) {
            return wire.layer_node();
        }
        let span = self.span(wire, item.place);
        let field = match item.kind {
            ItemKind::Root => return wire.layer_node(),
            ItemKind::Protocol(field) | ItemKind::Other(field) => field,
            ItemKind::Field(field) => field.field,
        };
        let value = match &item.content {
            Content::None => Value::None,
            Content::Unsigned(number) => Value::Unsigned(*number),
            Content::Signed(number) => Value::Signed(*number),
            Content::Single(number) => Value::Single(*number),
            Content::Double(number) => Value::Double(*number),
            Content::Bool(truth) => Value::Bool(*truth),
            Content::Bytes(place) => match self.span(wire, Some(*place)) {
                own if own == span => Value::Bytes,
                other => Value::At(other),
            },
            Content::Text(place) => match self.span(wire, Some(*place)) {
                own if own == span => Value::Text,
                other => Value::At(other),
            },
            Content::Words(words) => Value::Generated(wire.make(field, words)),
            // An address in another byte order is a number.
            Content::Own(bytes) if field.kind == Kind::Ipv4 => Value::Unsigned(super::buffer::number(bytes, false)),
            Content::Own(bytes) if wire.keeps(field) => {
                let own = Span::new(wire.derive("lua", Some(span).filter(|span| span.is_somewhere()), bytes), 0..bytes.len());
                if field.kind != Kind::Bytes {
                    return wire.put_at(field, Value::Bytes, own);
                }
                Value::At(own)
            }
            Content::Own(_) => Value::None,
        };
        wire.put_at(field, value, span)
    }

    fn close(&self, item: u32, wire: &mut Wire<'_>, nodes: &[u32]) {
        let (Some(item), Some(node)) = (self.item(item), nodes.get(item as usize)) else { return };
        if self.is_layer(item) {
            return;
        }
        let field = match item.kind {
            ItemKind::Root => return,
            ItemKind::Protocol(field) | ItemKind::Other(field) => field,
            ItemKind::Field(field) => field.field,
        };
        let span = self.span(wire, item.place);
        if item.first != NONE {
            wire.close_at(*node, field, span.end);
        }
    }

    fn put_remarks(&self, wire: &mut Wire<'_>, nodes: &[u32]) {
        for remark in &self.dissected.remarks {
            let Some(node) = nodes.get(remark.item as usize).copied().filter(|node| *node != NONE) else {
                // Remarks on the whole tree belong to the last message.
                if remark.item == ROOT && self.is_last {
                    wire.note_layer(remark.code, format_args!("{}", remark.text));
                }
                continue;
            };
            let span = self.span(wire, self.item(remark.item).and_then(|item| item.place));
            wire.note_at(remark.code, node, span, format_args!("{}", remark.text));
        }
    }
}

/// The span of a place in a derived buffer.
fn derived_span(sources: &[u32], place: Place) -> Span {
    let source = (place.buffer as usize).checked_sub(1).and_then(|number| sources.get(number));
    match source.filter(|source| **source != Span::NOWHERE) {
        Some(source) => Span { source: *source, start: place.start, end: place.start.saturating_add(place.len) },
        None => Span::NONE,
    }
}

impl Dissected {
    /// The items directly below the tree.
    pub(super) fn tops(&self) -> Vec<u32> {
        let item = |at: u32| self.items.get(at as usize);
        let first = item(ROOT).map_or(NONE, |root| root.first);
        std::iter::successors(Some(first), |at| item(*at).map(|item| item.next)).take_while(|at| *at != NONE).collect()
    }
}
