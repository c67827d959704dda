//! Adds the items of a call to the tree of a message.

use super::call::{Content, Item, Kind as ItemKind, NONE, Place, ROOT};
use super::run::Dissected;
use super::{label, notes};
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
    /// Whether items of the layer's protocol are items inside it: the layer is that of another call.
    pub(super) inside: bool,
    /// The source and the bytes of the call, if they are not those of the message.
    pub(super) apart: Option<(u32, &'d [u8])>,
    /// The sources of derived buffers.
    pub(super) sources: RefCell<Vec<u32>>,
}

impl<'d> Emission<'d> {
    /// All of a call on `len` bytes.
    pub(super) fn whole(dissected: &'d Dissected, this: &'static Field, len: usize, base: usize) -> Emission<'d> {
        let items = 0..dissected.tops().len();
        let (is_last, inside, apart, sources) = (true, false, None, RefCell::default());
        Emission { dissected, this, bytes: 0..len, items, base, is_last, inside, apart, sources }
    }
}

/// What is written so far.
struct Written {
    /// The nodes of items; [`NONE`] for those that are not written.
    nodes: Vec<u32>,
    /// The item that is the layer of the message.
    layer: u32,
    /// Remarks by the item that they follow: the one they are on, or the last one below that (true).
    remarks: Vec<((u32, bool), usize)>,
    /// Whether labels of scripts are wanted, and those of all items.
    labels: Option<bool>,
}

impl Emission<'_> {
    /// Adds items, notes and summary.
    pub(super) fn write(&self, wire: &mut Wire<'_>) -> Result {
        let tops = self.dissected.tops();
        let own = tops.get(self.items.clone()).unwrap_or_default();
        let remarks = self.dissected.remarks.iter().enumerate().map(|(at, remark)| {
            let is_behind = remark.after != NONE;
            ((if is_behind { remark.after } else { remark.item }, is_behind), at)
        });
        let mut written = Written {
            nodes: vec![NONE; self.dissected.items.len()],
            layer: self.layer_item(own),
            remarks: remarks.collect(),
            labels: wire.wanted_labels(),
        };
        written.remarks.sort_unstable();
        self.derive(wire, &tops);
        if written.layer == NONE && !self.inside {
            wire.absent_layer();
        }
        for top in own {
            self.put_all(*top, wire, &mut written);
        }
        if self.is_last {
            // Those on the tree itself belong to the last message.
            self.put_remarks((ROOT, false), wire, &written);
        }
        if let Some(name) = self.dissected.protocol.as_deref().and_then(column) {
            wire.column(name);
        }
        if let Some(info) = &self.dissected.info {
            let text = info.split_whitespace().collect::<Vec<_>>().join(" ");
            wire.info(format_args!("{text}"));
        }
        if self.is_last {
            for error in &self.dissected.errors {
                let label = format!("Lua Error: {error}");
                let place = wire.next_place();
                wire.add_text(&notes::ERROR, format_args!("{label}"));
                if written.labels.is_some() {
                    wire.caption(place, &label, true, false);
                }
                wire.note_layer(&notes::FAILED, format_args!("{error}"));
            }
        }
        Ok(())
    }

    /// The item that is the layer of the message: the first one of its protocol.
    fn layer_item(&self, tops: &[u32]) -> u32 {
        let is_own = |top: &&u32| self.item(**top).is_some_and(|item| self.is_of_layer(item));
        tops.iter().find(is_own).copied().unwrap_or(NONE)
    }

    /// Whether an item is one of the protocol of the layer, directly below the tree.
    fn is_of_layer(&self, item: &Item) -> bool {
        let is_this = matches!(item.kind, ItemKind::Protocol(field) if field.is(self.this));
        !self.inside && item.depth == 1 && is_this
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
                None => Span::new(self.source(wire), self.base..self.base + self.bytes.len()),
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
    fn put_all(&self, top: u32, wire: &mut Wire<'_>, written: &mut Written) {
        // An item whose children are open, with the next of them.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut next = top;
        loop {
            let Some(item) = self.item(next) else { return };
            let place = self.put(next, item, wire, written);
            // Otherwise the node is not kept.
            if place < wire.next_place() {
                if let Some(node) = written.nodes.get_mut(next as usize) {
                    *node = place;
                }
                self.label(next, place, wire, written);
            }
            self.put_remarks((next, false), wire, written);
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
                self.close(parent, wire, written);
                self.put_remarks((parent, true), wire, written);
                if open.is_empty() {
                    return;
                }
            };
        }
    }

    fn item(&self, item: u32) -> Option<&Item> {
        self.dissected.items.get(item as usize)
    }

    /// Whether an item is the layer of the message: later ones of its protocol are, too, unless they have a label of their own.
    fn is_layer(&self, at: u32, item: &Item, written: &Written) -> bool {
        self.is_of_layer(item) && (at == written.layer || item.label.is_none())
    }

    /// Labels the node of an item, if that is wanted.
    fn label(&self, at: u32, node: u32, wire: &mut Wire<'_>, written: &Written) {
        let Some(item) = self.item(at).filter(|item| !matches!(item.kind, ItemKind::Embedded(_))) else { return };
        let all = match (written.labels, item.kind) {
            (Some(all), _) => all,
            // Columns show the labels of protocols.
            (None, ItemKind::Protocol(field)) if wire.may_keep(field) => false,
            (None, _) => return,
        };
        let is_text = matches!(item.kind, ItemKind::Other(field) if field.is(&notes::TEXT) || field.is(&notes::EXPERT));
        let is_own = is_text || item.label.is_some() || item.around.iter().any(|text| !text.is_empty());
        if !(is_own || item.hidden || all) {
            return;
        }
        let text = if is_own || all { self.whole_label(at, wire) } else { String::new() };
        wire.caption(node, &text, is_own, item.hidden);
    }

    /// The label of an item as Wireshark writes it.
    fn whole_label(&self, at: u32, wire: &Wire<'_>) -> String {
        let bytes = |place: Place| match (place.buffer as usize).checked_sub(1) {
            Some(derived) => {
                let buffer = self.dissected.derived.get(derived).map(|buffer| buffer.bytes.as_slice()).unwrap_or_default();
                buffer.get(place.start as usize..(place.start + place.len) as usize).unwrap_or_default()
            }
            None => {
                let start = (place.start as usize + self.base).wrapping_sub(self.bytes.start);
                let range = start..start.saturating_add(place.len as usize);
                self.apart.map_or_else(|| wire.source_bytes(range.clone()), |(_, all)| all.get(range.clone()).unwrap_or_default())
            }
        };
        label::of(&self.dissected.items, &bytes, at)
    }

    /// The source of the bytes of the call.
    fn source(&self, wire: &Wire<'_>) -> u32 {
        self.apart.map_or_else(|| wire.source(), |(source, _)| source)
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
        Span::new(self.source(wire), clipped(place.start)..clipped(end))
    }

    /// Adds an item without its children. Returns the index of its node.
    fn put(&self, at: u32, item: &Item, wire: &mut Wire<'_>, written: &Written) -> u32 {
        if self.is_layer(at, item, written) {
            return wire.layer_node();
        }
        let span = self.span(wire, item.place);
        let field = match item.kind {
            ItemKind::Root => return wire.layer_node(),
            ItemKind::Embedded(protocol) => return self.embed(protocol, item, span, wire),
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
            Content::Words(_) if field.kind == Kind::Group => Value::None,
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

    /// Lets a dissector of this program read the bytes of an item.
    fn embed(&self, protocol: &'static str, item: &Item, span: Span, wire: &mut Wire<'_>) -> u32 {
        let node = wire.next_place();
        let derived = item.place.and_then(|place| self.dissected.derived.get((place.buffer as usize).checked_sub(1)?));
        if span.is_somewhere() {
            wire.read_embedded(protocol, span, derived.map(|buffer| buffer.bytes.as_slice()));
        }
        node
    }

    fn close(&self, at: u32, wire: &mut Wire<'_>, written: &Written) {
        let (Some(item), Some(node)) = (self.item(at), written.nodes.get(at as usize)) else { return };
        if *node == NONE {
            return;
        }
        if self.is_layer(at, item, written) {
            return;
        }
        let field = match item.kind {
            ItemKind::Root | ItemKind::Embedded(_) => return,
            ItemKind::Protocol(field) | ItemKind::Other(field) => field,
            ItemKind::Field(field) => field.field,
        };
        let span = self.span(wire, item.place);
        if item.first != NONE {
            wire.close_at(*node, field, span.end);
        }
    }

    /// Adds the remarks behind an item.
    fn put_remarks(&self, behind: (u32, bool), wire: &mut Wire<'_>, written: &Written) {
        let first = written.remarks.partition_point(|(place, _)| *place < behind);
        for (_, at) in written.remarks.iter().skip(first).take_while(|(place, _)| *place == behind) {
            let Some(remark) = self.dissected.remarks.get(*at) else { continue };
            let node = written.nodes.get(remark.item as usize).copied().filter(|node| *node != NONE);
            let node = node.unwrap_or_else(|| wire.layer_node());
            let span = self.span(wire, self.item(remark.item).and_then(|item| item.place));
            wire.note_expert(remark.code, node, span, &remark.text, remark.rank);
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
