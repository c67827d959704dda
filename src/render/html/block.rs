//! Records for the page's script: compact JSON, with field names in a table that grows with each block.
//!
//! ```text
//! {"fields":[["pipboy.type","type",0], …],            name, label, flags: 1 folded, 2 protocol or group
//!  "records":[{"k":"m","n":17,"t":2.055398, …,
//!              "L":[node, …],                         one root for each layer
//!              "B":[{"n":"tcp/0/s2c","o":45,"b":"TAcAAAM…","m":[[45,1460,17,54], …]}, …]}, …]}
//! node = [field, offset, length, value, meaning, children, title, buffer, [first bit, bits]]
//! ```
//! Empty values at the end of a node are omitted. Offset -1 marks a value without bytes. A node is in the buffer of its parent
//! unless it specifies its own.

use super::super::json::quoted;
use super::super::text::{Guarded, write_summary};
use crate::record::{Bookmark, Late, Message, Packet, Record, level_of, location_of, words_of};
use crate::tree::{
    Dissection, Ends, ExportedObject, Field, Gap, Kind, Layer, Mark, NodeRef, Note, Object, Origin, Piece, Source, Span, clean,
};
use data_encoding::BASE64;
use std::collections::HashMap;
use std::fmt::{self, Write};

/// Flag: the field is shown in one line while folded.
const FOLDED: u8 = 1;

/// Flag: the field has no value.
const ENVELOPE: u8 = 2;

/// Numbers of fields in the page.
#[derive(Default)]
pub struct Fields {
    /// Numbers by the address of the field.
    numbers: HashMap<usize, usize, foldhash::fast::RandomState>,
    /// New entries for the next block.
    new: String,
}

impl Fields {
    /// Number of a field. A new field is added to the next block.
    fn number(&mut self, field: &'static Field) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(std::ptr::from_ref(field).addr()).or_insert_with(|| {
            let folded = if field.collapses() { FOLDED } else { 0 };
            let envelope = if matches!(field.kind, Kind::Group | Kind::Protocol) { ENVELOPE } else { 0 };
            self.new.push_str(if self.new.is_empty() { "[" } else { ",[" });
            quoted(field.abbrev, &mut self.new);
            self.new.push(',');
            quoted(field.name, &mut self.new);
            // Writing to a String does not fail.
            let _ = write!(self.new, ",{}]", folded | envelope);
            next
        })
    }

    /// Takes the entries since the last block.
    pub fn take_new(&mut self) -> String {
        std::mem::take(&mut self.new)
    }
}

/// A buffer that nodes refer to.
struct Used {
    source: u32,
    start: u32,
    end: u32,
}

/// Writes one record.
pub struct Writer<'a, 't> {
    of: Dissection<'t>,
    out: &'a mut String,
    fields: &'a mut Fields,
    /// Maximum length of `out`.
    budget: usize,
    buffers: Vec<Used>,
    cell: String,
}

/// Context of a record: its time in the format of `-t`, unless that is seconds since the first frame.
pub struct Line<'a> {
    pub time: Option<&'a str>,
    /// Add the layers that carry a message: `-v`.
    pub carriers: bool,
}

/// Writes a record as an object. Returns false if it exceeds `budget` bytes; the output is then incomplete.
pub fn record(
    record: &Record<'_>,
    line: &Line<'_>,
    budget: usize,
    fields: &mut Fields,
    out: &mut String,
) -> Result<bool, fmt::Error> {
    let budget = out.len().saturating_add(budget);
    let of = match record {
        Record::Message(message) => message.of,
        Record::Packet(packet) => packet.of,
        Record::Late(late) => late.of,
        Record::Gap(gap) => {
            self::gap(gap, out)?;
            return Ok(out.len() <= budget);
        }
    };
    let mut writer = Writer { of, out, fields, budget, buffers: Vec::new(), cell: String::new() };
    match record {
        Record::Message(message) => writer.message(message, line)?,
        Record::Packet(packet) => writer.packet(packet, line)?,
        Record::Late(late) => writer.late(late, line)?,
        Record::Gap(_) => {}
    }
    Ok(writer.out.len() <= budget)
}

fn gap(gap: &Gap, out: &mut String) -> fmt::Result {
    let Gap { stream, side, off, len, frame, .. } = gap;
    let dir = side.direction();
    write!(out, r#"{{"k":"g","c":"{stream}","d":"{dir}","o":{off},"l":{len},"#)?;
    if gap.elements.is_some() {
        write!(out, r#""t":"{gap}","#)?;
    }
    write!(out, r#""f":[{frame}]}}"#)
}

impl<'t> Writer<'_, 't> {
    fn message(&mut self, message: &Message<'t>, line: &Line<'_>) -> fmt::Result {
        let of = self.of;
        write!(self.out, r#"{{"k":"m","n":{}"#, message.n)?;
        self.time(message.times.since_start(), line)?;
        self.ends(message.ends())?;
        self.key("p");
        quoted(message.protocol().map_or("", |field| field.name), self.out);
        self.words("P", |cell| write!(cell, "{}", message.path()))?;
        self.words("m", |cell| clean(message.name(), cell))?;
        self.words("i", |cell| write_summary("", &message.info(), cell))?;
        self.words("v", |cell| clean(of.tree.preview_of(message.layer.node), cell))?;
        self.frames(&message.frames())?;
        let length = message.node().map_or(0, |node| node.span().len());
        write!(self.out, r#","l":{length},"z":{}"#, of.tree.frame.original)?;
        let carriers = if line.carriers { message.carriers() } else { Vec::new() };
        self.layers(&[&carriers[..], &[message.layer]].concat())?;
        self.notes(message.notes(), message.bookmarks())?;
        self.pictures(|carried| carried.message == Some(message.layer.node))?;
        self.buffers()
    }

    fn packet(&mut self, packet: &Packet<'t>, line: &Line<'_>) -> fmt::Result {
        let of = self.of;
        let frame = &of.tree.frame;
        write!(self.out, r#"{{"k":"p","n":{}"#, frame.number)?;
        self.time(packet.times.since_start(), line)?;
        self.ends(packet.ends())?;
        let innermost = packet.innermost().and_then(|layer| of.layer_node(layer));
        self.key("p");
        quoted(innermost.map_or("", |node| node.field().name), self.out);
        self.words("P", |cell| packet.path().map_or(Ok(()), |path| write!(cell, "{path}")))?;
        let (name, info) = words_of(of, packet.layers());
        self.words("i", |cell| write_summary(&name, &info, cell))?;
        write!(self.out, r#","f":[{}],"l":{}"#, frame.number, frame.original)?;
        // All bytes of a frame are included, even those of no layer.
        self.buffers.push(Used { source: 0, start: 0, end: u32::try_from(of.bytes.len()).unwrap_or(u32::MAX) });
        self.layers(&packet.layers().collect::<Vec<_>>())?;
        self.notes(packet.notes(), packet.bookmarks())?;
        self.pictures(|_| true)?;
        self.buffers()
    }

    fn late(&mut self, late: &Late<'t>, line: &Line<'_>) -> fmt::Result {
        let of = self.of;
        self.out.push_str(r#"{"k":"l""#);
        self.time(late.times.since_start(), line)?;
        self.ends(late.ends())?;
        let innermost = late.innermost().and_then(|layer| of.layer_node(layer));
        self.key("p");
        quoted(innermost.map_or("", |node| node.field().name), self.out);
        self.words("P", |cell| late.path().map_or(Ok(()), |path| write!(cell, "{path}")))?;
        let (name, info) = words_of(of, late.layers.iter());
        self.words("i", |cell| write_summary(&name, &info, cell))?;
        self.frames(&late.frames())?;
        write!(self.out, r#","l":{},"z":{}"#, late.length(), of.tree.frame.original)?;
        self.layers(&late.layers.iter().collect::<Vec<_>>())?;
        self.notes(late.notes(), std::iter::empty())?;
        self.pictures(|_| true)?;
        self.buffers()
    }

    fn key(&mut self, key: &str) {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    /// Writes a formatted text, unless it is empty.
    fn words(&mut self, key: &str, write: impl FnOnce(&mut String) -> fmt::Result) -> fmt::Result {
        self.cell.clear();
        write(&mut self.cell)?;
        if !self.cell.is_empty() {
            self.key(key);
            quoted(&self.cell, self.out);
        }
        Ok(())
    }

    fn time(&mut self, since_start: Option<i128>, line: &Line<'_>) -> fmt::Result {
        if let Some(nanos) = since_start {
            // The quotient of two exact numbers prints as the exact decimal.
            write!(self.out, r#","t":{}"#, nanos as f64 / 1e9)?;
        }
        line.time.map_or(Ok(()), |time| self.words("T", |cell| clean(time, cell)))
    }

    fn ends(&mut self, ends: Option<&Ends>) -> fmt::Result {
        let Some(ends) = ends else { return Ok(()) };
        if let Some((stream, _)) = ends.stream {
            write!(self.out, r#","c":"{stream}""#)?;
        }
        if let Some(side) = ends.direction() {
            write!(self.out, r#","d":"{}""#, side.direction())?;
        }
        for (key, address) in [("a", ends.src), ("b", ends.dst)] {
            address.map_or(Ok(()), |address| self.words(key, |cell| write!(cell, "{address}")))?;
        }
        Ok(())
    }

    fn frames(&mut self, frames: &[u64]) -> fmt::Result {
        self.key("f");
        for (place, frame) in frames.iter().enumerate() {
            write!(self.out, "{}{frame}", if place == 0 { '[' } else { ',' })?;
        }
        self.out.push_str(if frames.is_empty() { "[]" } else { "]" });
        Ok(())
    }

    fn layers(&mut self, layers: &[&Layer]) -> fmt::Result {
        self.words("C", |cell| clean(self.of.tree.generated_text(self.of.tree.frame.comment), cell))?;
        self.key("L");
        let mut between = '[';
        let of = self.of;
        for (layer, node) in layers.iter().filter_map(|layer| Some((layer, of.layer_node(layer)?))) {
            self.out.push(between);
            between = ',';
            let mut summary = String::new();
            write_summary(of.tree.generated_text(layer.name), &of.tree.info(layer), &mut summary)?;
            self.node(node, None, Some(summary))?;
        }
        self.out.push_str(if between == '[' { "[]" } else { "]" });
        Ok(())
    }

    /// Writes a node; a layer has a summary instead of value and meaning.
    fn node(&mut self, node: NodeRef<'t>, around: Option<usize>, summary: Option<String>) -> fmt::Result {
        if self.out.len() > self.budget {
            return Ok(());
        }
        let span = node.span();
        let buffer = if span.is_somewhere() { Some(self.buffer(span)) } else { around };
        let number = self.fields.number(node.field());
        if span.is_somewhere() {
            write!(self.out, "[{number},{},{}", location_of(self.of, span).base + u64::from(span.start), span.len())?
        } else {
            write!(self.out, "[{number},-1,0")?
        }
        let [value, meaning, title] = match summary {
            Some(summary) => [String::new(), summary, String::new()],
            None => cells(node)?,
        };
        let is_elsewhere = buffer != around;
        let bits = node.bits().filter(|_| !node.is_secret());
        let needed =
            [bits.is_some(), is_elsewhere, !title.is_empty(), node.has_children(), !meaning.is_empty(), !value.is_empty()];
        let count = needed.iter().position(|is_needed| *is_needed).map_or(0, |place| needed.len() - place);
        for part in 0..count {
            self.out.push(',');
            match part {
                0 => self.value(&value)?,
                1 => quoted(&meaning, self.out),
                2 if node.has_children() => self.children(node, buffer)?,
                2 => self.out.push('0'),
                3 => quoted(&title, self.out),
                4 => buffer.map_or(Ok(()), |buffer| write!(self.out, "{buffer}"))?,
                _ => bits.map_or(Ok(()), |bits| write!(self.out, "[{},{}]", bits.first, bits.count))?,
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn children(&mut self, node: NodeRef<'t>, buffer: Option<usize>) -> fmt::Result {
        self.out.push('[');
        for (place, child) in node.children().filter(|child| !child.is_hidden()).enumerate() {
            self.out.push_str(if place == 0 { "" } else { "," });
            self.node(child, buffer, None)?;
        }
        self.out.push(']');
        Ok(())
    }

    /// Writes a value, as a number if JSON represents it exactly.
    fn value(&mut self, value: &str) -> fmt::Result {
        const EXACT: usize = 15;
        let is_number = value.len() <= EXACT && value.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && (value == "0" || !value.starts_with('0')) && !value.is_empty() {
            self.out.push_str(value)
        } else {
            quoted(value, self.out)
        }
        Ok(())
    }

    /// Number of the buffer of a span. Adds the buffer to the record if necessary.
    fn buffer(&mut self, span: Span) -> usize {
        match self.buffers.iter_mut().enumerate().find(|(_, used)| used.source == span.source) {
            Some((number, used)) => {
                used.start = used.start.min(span.start);
                used.end = used.end.max(span.end);
                number
            }
            None => {
                self.buffers.push(Used { source: span.source, start: span.start, end: span.end });
                self.buffers.len() - 1
            }
        }
    }

    fn notes<'n>(
        &mut self,
        notes: impl Iterator<Item = &'n Note>,
        bookmarks: impl Iterator<Item = &'static Bookmark>,
    ) -> fmt::Result {
        let mut before = r#","N":["#;
        for note in notes {
            self.out.push_str(before);
            before = ",";
            let of = self.of;
            write!(self.out, "[\"{}\",", level_of(note).word())?;
            quoted(note.code.abbrev, self.out);
            self.out.push(',');
            self.cell.clear();
            clean(of.tree.generated_text(note.text), &mut Guarded(&mut self.cell))?;
            quoted(&self.cell, self.out);
            if note.span.is_somewhere() {
                let at = location_of(of, note.span).base + u64::from(note.span.start);
                let buffer = self.buffer(note.span);
                write!(self.out, ",{buffer},{at},{}", note.span.len())?;
            }
            self.out.push(']');
        }
        if before == "," {
            self.out.push(']');
        }
        let mut before = r#","M":["#;
        for bookmark in bookmarks {
            self.out.push_str(before);
            before = ",";
            write!(self.out, "[{},", u8::from(bookmark.is_marked))?;
            self.cell.clear();
            clean(&bookmark.note, &mut self.cell)?;
            quoted(&self.cell, self.out);
            self.out.push(']');
        }
        self.out.push_str(if before == "," { "]" } else { "" });
        Ok(())
    }

    /// Writes objects that browsers can display as images. If secrets are masked, images of records with secrets are omitted.
    fn pictures(&mut self, is_meant: impl Fn(&ExportedObject) -> bool) -> fmt::Result {
        let mut before = r#","O":["#;
        for carried in self.of.tree.outcome.objects.iter().filter(|carried| is_meant(carried)) {
            let mut words = String::new();
            let budget = self.budget.saturating_sub(self.out.len());
            if self.of.tree.masked_spans().is_empty() && picture(&carried.object, budget, &mut words)? {
                self.out.push_str(before);
                before = ",";
                self.out.push_str(&words);
            }
        }
        self.out.push_str(if before == "," { "]" } else { "" });
        Ok(())
    }

    /// Writes the bytes of all buffers with masked secrets, and ends the record.
    fn buffers(&mut self) -> fmt::Result {
        let of = self.of;
        self.key("B");
        let mut between = '[';
        for Used { source, start, end } in std::mem::take(&mut self.buffers) {
            if self.out.len() > self.budget {
                break;
            }
            self.out.push(between);
            between = ',';
            let span = Span { source, start, end };
            let place = location_of(of, span);
            let off = place.base + u64::from(start);
            write!(self.out, r#"{{"n":"{}","o":{off},"b":""#, place.buffer)?;
            BASE64.encode_append(&of.tree.masked(span, of.slice(span)), self.out);
            self.out.push('"');
            let source = of.tree.source(span);
            if let Some(Source { origin: Origin::Derived(derived), .. }) = source {
                self.words("w", |cell| clean(derived.method, cell))?;
            }
            self.ranges("h", of.tree.masked_in(span).map(|hidden| [hidden.start as u64, hidden.end as u64].to_vec()))?;
            let pieces = source.map(|source| of.tree.pieces_of(source)).unwrap_or_default();
            let range = off..off + u64::from(span.len());
            let shown = pieces.iter().filter(|piece| piece.at != Piece::NOWHERE).filter_map(|piece| piece.clip(&range));
            self.ranges("m", shown.map(|piece| vec![piece.off, piece.len.into(), piece.frame, piece.at.into()]))?;
            self.out.push('}');
        }
        self.out.push_str(if between == '[' { "[]}" } else { "]}" });
        Ok(())
    }

    /// Writes lists of numbers, unless empty.
    fn ranges(&mut self, key: &str, ranges: impl Iterator<Item = Vec<u64>>) -> fmt::Result {
        let mut is_begun = false;
        for numbers in ranges {
            if std::mem::replace(&mut is_begun, true) {
                self.out.push(',')
            } else {
                self.key(key);
                self.out.push('[');
            }
            for (place, number) in numbers.iter().enumerate() {
                write!(self.out, "{}{number}", if place == 0 { '[' } else { ',' })?;
            }
            self.out.push(']');
        }
        self.out.push_str(if is_begun { "]" } else { "" });
        Ok(())
    }
}

/// Writes an object as `[name, data: URI, [[label, x, y], …]]` if browsers can display it and it fits into `budget` bytes.
pub fn picture(object: &Object, budget: usize, out: &mut String) -> Result<bool, fmt::Error> {
    let Some(media) = media_of(&object.bytes).filter(|_| object.bytes.len() < budget / 2) else { return Ok(false) };
    let mut name = String::new();
    clean(&object.name, &mut name)?;
    out.push('[');
    quoted(&name, out);
    write!(out, ",\"data:{media};base64,")?;
    BASE64.encode_append(&object.bytes, out);
    out.push_str("\",[");
    for (place, Mark { label, x, y }) in object.marks.iter().enumerate() {
        write!(out, "{}[\"{label}\",{x:.4},{y:.4}]", if place == 0 { "" } else { "," })?;
    }
    out.push_str("]]");
    Ok(true)
}

/// Value, meaning and title of a node, as in tables.
pub fn cells(node: NodeRef<'_>) -> Result<[String; 3], fmt::Error> {
    let (mut value, mut meaning, mut title) = (String::new(), String::new(), String::new());
    let is_titled = node.write_title(&mut Guarded(&mut title))?;
    match node.cells().filter(|_| is_titled) {
        Some(cells) => {
            (cells.value)(node, &mut Guarded(&mut value))?;
            (cells.meaning)(node, &mut Guarded(&mut meaning))?;
        }
        None => {
            node.write_value(&mut Guarded(&mut value))?;
            node.write_meaning(&mut Guarded(&mut meaning))?;
        }
    }
    if !is_titled {
        title.clear();
    }
    Ok([value, meaning, title])
}

/// Media type of an image that browsers display and that cannot contain scripts.
fn media_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
