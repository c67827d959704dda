//! Details of one record: its fields in reading order, and the bytes that they were read from.

use crate::limits;
use crate::record::{Bookmarks, Message, Record, level_of, location_of};
use crate::render::{cut, write_summary};
use crate::tree::{Dissection, Kind, Layer, Level, NodeRef, Note, Origin, Piece, Source, Span, clean, clean_escaped};
use std::fmt::{self, Write};
use std::ops::Range;

/// Maximum length of values and meanings.
const CELL: usize = 4096;

/// The role of a line of the field tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A layer.
    Layer,
    /// A field.
    Field,
    /// A note of this level.
    Note(Level),
}

/// A line of the field tree. All text is escaped.
#[derive(Debug, Clone)]
pub struct Item {
    pub role: Role,
    /// Nesting depth.
    pub depth: usize,
    /// The index after the last item below it.
    pub end: usize,
    /// Filter name.
    pub abbrev: &'static str,
    pub label: String,
    pub value: String,
    /// The meaning of the value.
    pub meaning: String,
    /// The value as a filter literal; may be empty.
    pub literal: String,
    /// Its bytes, if any: a buffer and a range of offsets.
    pub bytes: Option<(usize, Range<u64>)>,
    /// Whether it is initially collapsed.
    pub is_folded: bool,
}

/// Bytes of fields. Secrets are masked.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// `frame/17`, `tcp/0/s2c`, `derived/1`.
    pub name: String,
    /// How derived bytes were obtained.
    pub method: String,
    /// The offset of the first byte.
    pub first: u64,
    /// The bytes, with secrets masked.
    pub bytes: Vec<u8>,
    /// Masked ranges, relative to the first byte.
    pub masked: Vec<Range<usize>>,
    /// The frames that carried them.
    pub pieces: Vec<Piece>,
}

/// Details of a record.
#[derive(Debug, Clone, Default)]
pub struct Detail {
    /// The field tree in reading order.
    pub items: Vec<Item>,
    /// The bytes.
    pub buffers: Vec<Buffer>,
    /// Fields dropped at the limit.
    pub left_out: u64,
}

impl Detail {
    /// Creates the details of a record.
    pub fn of(record: &Record<'_>) -> Result<Detail, fmt::Error> {
        match record {
            Record::Message(message) => {
                let mut taking = Taking::new(message.of);
                taking.message(message)?;
                taking.notes(message.notes())?;
                Ok(taking.end())
            }
            Record::Packet(packet) => {
                let mut taking = Taking::new(packet.of);
                // All bytes of a frame are shown, including those outside of layers.
                let whole = Span::new(0, 0..packet.of.bytes.len());
                taking.used.push(whole);
                let layers: Vec<&Layer> = packet.layers().collect();
                let count = layers.len();
                for (at, layer) in layers.into_iter().enumerate() {
                    taking.layer(layer, at + 1 < count)?;
                }
                taking.notes(packet.notes())?;
                Ok(taking.end())
            }
            Record::Late(late) => {
                let mut taking = Taking::new(late.of);
                late.layers.iter().try_for_each(|layer| taking.layer(layer, false))?;
                taking.notes(late.notes())?;
                Ok(taking.end())
            }
            Record::Gap(gap) => {
                let text = match gap.elements {
                    None => format!("{} bytes of {} {} missing at {}", gap.len, gap.stream, gap.side, gap.off),
                    Some(_) => format!("{} {}: {gap}", gap.stream, gap.side),
                };
                let item = Item { label: text, ..Item::blank(Role::Note(Level::Broken), 0) };
                Ok(Detail { items: vec![Item { end: 1, ..item }], ..Detail::default() })
            }
        }
    }

    /// Approximate size in bytes.
    pub fn size(&self) -> usize {
        let items = self
            .items
            .iter()
            .map(|item| size_of::<Item>() + item.label.len() + item.value.len() + item.meaning.len() + item.literal.len());
        items.sum::<usize>() + self.buffers.iter().map(|buffer| buffer.bytes.len()).sum::<usize>()
    }

    /// The innermost item that contains this byte of a buffer.
    pub fn item_at(&self, buffer: usize, off: u64) -> Option<usize> {
        let has = |item: &Item| item.bytes.as_ref().is_some_and(|(of, range)| *of == buffer && range.contains(&off));
        let fields = self.items.iter().enumerate().filter(|(_, item)| !matches!(item.role, Role::Note(_)) && has(item));
        fields
            .min_by_key(|(at, item)| {
                let length = item.bytes.as_ref().map_or(0, |(_, range)| range.end - range.start);
                (length, usize::MAX - item.depth, *at)
            })
            .map(|(at, _)| at)
    }

    /// The bytes of an item, with secrets masked.
    pub fn bytes_of(&self, at: usize) -> &[u8] {
        let bytes = || {
            let (buffer, range) = self.items.get(at)?.bytes.as_ref()?;
            let buffer = self.buffers.get(*buffer)?;
            let place = |off: u64| usize::try_from(off.checked_sub(buffer.first)?).ok();
            buffer.bytes.get(place(range.start)?..place(range.end)?)
        };
        bytes().unwrap_or_default()
    }

    /// The ancestors of an item, the nearest first.
    pub fn above(&self, at: usize) -> Vec<usize> {
        let contains = |place: &usize| self.items.get(*place).is_some_and(|item| item.end > at);
        (0..at).rev().filter(contains).collect()
    }
}

impl Item {
    fn blank(role: Role, depth: usize) -> Item {
        Item {
            role,
            depth,
            end: 0,
            abbrev: "",
            label: String::new(),
            value: String::new(),
            meaning: String::new(),
            literal: String::new(),
            bytes: None,
            is_folded: false,
        }
    }
}

/// Details under construction.
struct Taking<'t> {
    of: Dissection<'t>,
    items: Vec<Item>,
    /// The used span of each source.
    used: Vec<Span>,
    left_out: u64,
}

impl<'t> Taking<'t> {
    fn new(of: Dissection<'t>) -> Taking<'t> {
        Taking { of, items: Vec::new(), used: Vec::new(), left_out: 0 }
    }

    fn message(&mut self, message: &Message<'t>) -> fmt::Result {
        // Carriers of a message are collapsed, and its own fields are not.
        message.carriers().into_iter().try_for_each(|layer| self.layer(layer, true))?;
        self.layer(message.layer, false)
    }

    fn layer(&mut self, layer: &Layer, is_folded: bool) -> fmt::Result {
        let of = self.of;
        let Some(node) = of.layer_node(layer) else { return Ok(()) };
        let mut meaning = String::new();
        write_summary(of.tree.generated_text(layer.name), &of.tree.info(layer), &mut meaning)?;
        self.node(node, 0, Some((meaning, is_folded)))
    }

    /// Adds a node with its children; for a layer with a summary and whether it is collapsed.
    fn node(&mut self, node: NodeRef<'t>, depth: usize, summary: Option<(String, bool)>) -> fmt::Result {
        if !limits::BROWSE_FIELDS.exceeds(self.items.len()) {
            self.left_out += 1 + u64::from(node.last().saturating_sub(node.place()));
            return Ok(());
        }
        let place = self.items.len();
        let role = if summary.is_some() { Role::Layer } else { Role::Field };
        let mut item = Item { abbrev: node.field().abbrev, ..Item::blank(role, depth) };
        match summary {
            Some((meaning, is_folded)) => {
                item.label.push_str(node.field().name);
                (item.meaning, item.is_folded) = (meaning, is_folded && node.has_children());
            }
            None => {
                cells(node, &mut item)?;
                item.is_folded = node.field().collapses() && node.has_children();
            }
        }
        cut(&mut item.value, CELL);
        cut(&mut item.meaning, CELL);
        item.bytes = self.place(node.span());
        self.items.push(item);
        node.children().filter(|child| !child.is_hidden()).try_for_each(|child| self.node(child, depth + 1, None))?;
        let end = self.items.len();
        if let Some(item) = self.items.get_mut(place) {
            item.end = end;
        }
        Ok(())
    }

    /// The buffer and the offsets of a span. Extends the buffer to contain it.
    fn place(&mut self, span: Span) -> Option<(usize, Range<u64>)> {
        if !span.is_somewhere() {
            return None;
        }
        let buffer = match self.used.iter_mut().enumerate().find(|(_, used)| used.source == span.source) {
            Some((at, used)) => {
                (used.start, used.end) = (used.start.min(span.start), used.end.max(span.end));
                at
            }
            None => {
                self.used.push(span);
                self.used.len() - 1
            }
        };
        let first = location_of(self.of, span).base + u64::from(span.start);
        Some((buffer, first..first + u64::from(span.len())))
    }

    fn notes(&mut self, notes: impl Iterator<Item = &'t Note>) -> fmt::Result {
        for note in notes {
            let level = level_of(note);
            let mut item = Item { abbrev: note.code.abbrev, ..Item::blank(Role::Note(level), 0) };
            write!(item.label, "! {}  {}", level.word(), note.code.abbrev)?;
            clean(self.of.tree.generated_text(note.text), &mut item.meaning)?;
            item.bytes = self.place(note.span);
            item.end = self.items.len() + 1;
            self.items.push(item);
        }
        Ok(())
    }

    fn end(self) -> Detail {
        let Taking { of, items, used, left_out } = self;
        let buffer = |span: Span| {
            let place = location_of(of, span);
            let source = of.tree.source(span);
            let method = match source {
                Some(Source { origin: Origin::Derived(derived), .. }) => derived.method,
                _ => "",
            };
            let first = place.base + u64::from(span.start);
            let pieces = source.map(|source| of.tree.pieces_of(source)).unwrap_or_default();
            let range = first..first + u64::from(span.len());
            Buffer {
                name: place.buffer.to_string(),
                method: method.to_owned(),
                first,
                bytes: of.tree.masked(span, of.slice(span)).into_owned(),
                masked: of.tree.masked_in(span).collect(),
                pieces: pieces.iter().filter_map(|piece| piece.clip(&range)).collect(),
            }
        };
        Detail { items, buffers: used.into_iter().map(buffer).collect(), left_out }
    }
}

/// Label, value, meaning and literal of a field, as in a table.
fn cells(node: NodeRef<'_>, item: &mut Item) -> fmt::Result {
    let [mut title, mut value, mut meaning, mut literal] = [const { String::new() }; 4];
    let is_titled = node.write_title(&mut title)?;
    match node.cells().filter(|_| is_titled) {
        Some(cells) => {
            (cells.value)(node, &mut value)?;
            (cells.meaning)(node, &mut meaning)?;
        }
        None => {
            node.write_value(&mut value)?;
            node.write_meaning(&mut meaning)?;
        }
    }
    if !matches!(node.field().kind, Kind::Group | Kind::Protocol) && !node.is_secret() && !node.has_masked_bytes() {
        write_literal(node, &mut literal)?;
    }
    // Values are escaped already; dissectors write some of the other texts.
    for (from, to) in [(&title, &mut item.label), (&value, &mut item.value), (&meaning, &mut item.meaning)] {
        clean_escaped(from, to)?;
    }
    item.literal = literal;
    Ok(())
}

/// Maximum length of a literal; for longer ones, a filter tests only for the presence of the field.
const LITERAL: usize = 200;

fn write_literal(node: NodeRef<'_>, out: &mut String) -> fmt::Result {
    if node.bytes().len() > LITERAL {
        return Ok(());
    }
    match node.field().kind {
        Kind::Text => {
            out.push('"');
            clean(&node.text().replace('"', "\\\""), out)?;
            out.push('"');
        }
        Kind::Bytes => {
            for (at, byte) in node.value_bytes().iter().enumerate() {
                write!(out, "{}{byte:02x}", if at == 0 { "" } else { ":" })?;
            }
        }
        _ => write!(out, "{node}")?,
    }
    Ok(())
}

/// The bookmark and note of a record, one per line.
pub fn bookmark_comments(bookmarks: &Bookmarks, message: Option<u64>, frame: u64) -> Vec<String> {
    let line = |is_marked: bool, note: &str| {
        let mut line = String::from(if is_marked { "* bookmark" } else { "* note" });
        if !note.is_empty() {
            line.push_str("  ");
            // Writing to a string cannot fail.
            let _ = clean(note, &mut line);
        }
        line
    };
    match message {
        Some(message) => bookmarks.of_message(message, frame).map(|entry| line(entry.is_marked, &entry.note)).collect(),
        None => bookmarks.of_packet(frame).map(|entry| line(entry.is_marked, &entry.note)).collect(),
    }
}
