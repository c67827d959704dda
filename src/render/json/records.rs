//! Records and layers as JSON objects, without empty members.

use super::nodes::{Children, Literal, Notes};
use super::writer::{Members, Out, Put, Shown};
use super::{Ask, typed};
use crate::input::link_name;
use crate::record::{
    Bookmark, Buffer, Evictions, Late, Message, Packet, Record, Tally, derived_of, location_of, pieces_of, words_of,
};
use crate::render::time::Rfc3339;
use crate::sink::{Begin, Problem};
use crate::tree::{self, Derived, Dissection, Ends, Gap, Layer, Lost, NodeRef, Note, Origin, Source, Span, Time};
use std::io::Result;

/// Schema version.
const SCHEMA: u32 = 1;

pub struct Start<'a>(pub &'a Begin<'a>);

impl Put for Start<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let Start(begin) = self;
        out.object(|map| {
            map.put("type", "begin")?;
            map.put("schema", &SCHEMA)?;
            map.put("file", begin.file)?;
            map.put("format", begin.format)?;
            map.put("links", begin.links)
        })
    }
}

pub struct Damage<'a> {
    pub problem: &'a Problem<'a>,
    pub ask: Ask<'a>,
}

impl Put for Damage<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let Damage { problem, ask } = self;
        out.object(|map| {
            map.put("type", "error")?;
            file(*ask, map)?;
            map.put("code", problem.code)?;
            map.put("text", problem.text)?;
            map.put("frame", &problem.frame)?;
            if let Some(at) = problem.at {
                map.put("at", &at)?;
            }
            Ok(())
        })
    }
}

pub struct End<'a> {
    pub tally: &'a Tally,
    pub truncated: bool,
    pub ask: Ask<'a>,
}

impl Put for End<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let End { tally, truncated, ask } = self;
        out.object(|map| {
            map.put("type", "end")?;
            file(*ask, map)?;
            map.put("frames", &tally.frames)?;
            map.put("messages", &tally.messages)?;
            map.put("gaps", &tally.gaps)?;
            map.put("malformed", &tally.malformed)?;
            map.put("undissected_bytes", &tally.undissected)?;
            map.put("truncated", truncated)?;
            let Evictions { conversations, states } = tally.evictions;
            for (key, count) in [("forgotten_conversations", conversations), ("forgotten_states", states)] {
                if count > 0 {
                    map.put(key, &count)?;
                }
            }
            Ok(())
        })
    }
}

pub struct OfGap<'a> {
    pub gap: &'a Gap,
    pub ask: Ask<'a>,
}

impl Put for OfGap<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let OfGap { gap, ask } = self;
        out.object(|map| {
            map.put("type", "gap")?;
            file(*ask, map)?;
            map.put("stream", &Shown(gap.stream))?;
            map.put("dir", gap.side.direction())?;
            map.put("off", &gap.off)?;
            map.put("len", &gap.len)?;
            if let Some(Lost { stream, first, count }) = &gap.elements {
                map.put("elements_of", stream)?;
                map.put("first_element", first)?;
                map.put("elements", count)?;
            }
            map.put("frame", &gap.frame)
        })
    }
}

pub struct OfMessage<'a, 't> {
    pub message: &'a Message<'t>,
    pub carriers: bool,
    pub ask: Ask<'a>,
}

impl Put for OfMessage<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let OfMessage { message, carriers, ask } = *self;
        let of = message.of;
        let carriers = carriers || ask.choice.is_some();
        out.object(|map| {
            map.put("type", "message")?;
            file(ask, map)?;
            map.put("n", &message.n)?;
            times(message.time(), message.times.since_start(), map)?;
            if let Some(protocol) = message.protocol() {
                map.put("protocol", protocol.abbrev)?;
            }
            words("name", message.name(), map)?;
            words("info", &message.info(), map)?;
            map.put("path", &Shown(message.path()))?;
            if let Some(ends) = message.ends() {
                speakers(ends, map)?;
            }
            map.put("frames", &message.frames())?;
            words("comment", of.tree.generated_text(of.tree.frame.comment), map)?;
            let mut buffer = Buffer::Frame(of.tree.frame.number);
            if let Some(node) = message.node() {
                buffer = place(of, node, map)?;
            }
            if carriers {
                let carriers = message.carriers();
                let layers = Layers { of, layers: &carriers, ask };
                if ask.choice.is_none() || layers.any() {
                    map.put("layers", &layers)?;
                }
            }
            let carried_by = if carriers { message.carriers() } else { Vec::new() };
            derived(of, &[&[message.layer], &carried_by[..]].concat(), map)?;
            if let Some(node) = message.node() {
                let extra = extra(&Record::Message(*message), ask);
                below(&Children { of, node, buffer, ask, extra }, map)?;
            }
            notes(of, &message.notes().collect::<Vec<_>>(), message.bookmarks().collect(), buffer, map)
        })
    }
}

pub struct OfPacket<'a, 't> {
    pub packet: &'a Packet<'t>,
    pub ask: Ask<'a>,
}

impl Put for OfPacket<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let OfPacket { packet, ask } = *self;
        let of = packet.of;
        let frame = &of.tree.frame;
        out.object(|map| {
            map.put("type", "packet")?;
            file(ask, map)?;
            map.put("n", &frame.number)?;
            times(frame.time, packet.times.since_start(), map)?;
            map.put("length", &frame.original)?;
            map.put("captured", &frame.captured)?;
            match frame.link.map(|link| (link, link_name(link))) {
                Some((_, Some(name))) => map.put("link", name)?,
                Some((number, None)) => map.put("link", &Shown(number))?,
                None => {}
            }
            match (of.tree.generated_text(frame.interface_name), frame.interface) {
                ("", Some(number)) => map.put("interface", &Shown(number))?,
                (name, _) => words("interface", name, map)?,
            }
            words("comment", of.tree.generated_text(frame.comment), map)?;
            if let Some(path) = packet.path() {
                map.put("path", &Shown(path))?;
            }
            let layers: Vec<&Layer> = packet.layers().collect();
            line_of(of, &layers, map)?;
            if let Some(ends) = packet.ends() {
                speakers(ends, map)?;
            }
            derived(of, &layers, map)?;
            let extra = extra(&Record::Packet(*packet), ask);
            if !extra.is_empty() {
                map.put("fields", &extra)?;
            }
            map.put("layers", &Layers { of, layers: &layers, ask })?;
            let bookmarks = packet.bookmarks().collect();
            notes(of, &packet.notes().collect::<Vec<_>>(), bookmarks, Buffer::Frame(frame.number), map)
        })
    }
}

pub struct OfLate<'a, 't> {
    pub late: &'a Late<'t>,
    pub ask: Ask<'a>,
}

impl Put for OfLate<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let OfLate { late, ask } = *self;
        let of = late.of;
        out.object(|map| {
            map.put("type", "late")?;
            file(ask, map)?;
            map.put("frame", &of.tree.frame.number)?;
            times(late.times.time, late.times.since_start(), map)?;
            map.put("frames", &late.frames())?;
            if let Some(path) = late.path() {
                map.put("path", &Shown(path))?;
            }
            let layers: Vec<&Layer> = late.layers.iter().collect();
            line_of(of, &layers, map)?;
            if let Some(ends) = late.ends() {
                speakers(ends, map)?;
            }
            derived(of, &layers, map)?;
            let extra = extra(&Record::Late(*late), ask);
            if !extra.is_empty() {
                map.put("fields", &extra)?;
            }
            map.put("layers", &Layers { of, layers: &layers, ask })?;
            notes(of, &late.notes().collect::<Vec<_>>(), Vec::new(), Buffer::Frame(of.tree.frame.number), map)
        })
    }
}

/// Name and summary of layers.
fn line_of(of: Dissection<'_>, layers: &[&Layer], map: &mut Members<'_, '_>) -> Result<()> {
    let (name, info) = words_of(of, layers.iter().copied());
    match (&*name, &*info) {
        (only, "") | ("", only) => words("info", only, map),
        (name, info) => map.put("info", &Shown(format_args!("{name}, {info}"))),
    }
}

struct Layers<'a, 't> {
    of: Dissection<'t>,
    layers: &'a [&'t Layer],
    ask: Ask<'a>,
}

impl Layers<'_, '_> {
    /// Whether any field of any layer is selected.
    fn any(&self) -> bool {
        self.layers.iter().filter_map(|layer| self.of.layer_node(layer)).any(|node| self.wants(node))
    }

    /// Whether any field of a layer is selected.
    fn wants(&self, node: NodeRef<'_>) -> bool {
        self.ask.choice.is_none_or(|choice| choice.kept(node).next().is_some())
    }
}

impl Put for Layers<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let of = self.of;
        let nodes = self.layers.iter().filter_map(|layer| Some((layer, of.layer_node(layer)?)));
        let nodes = nodes.filter(|(_, node)| self.wants(*node));
        out.list(nodes, |out, (layer, node)| {
            out.object(|map| {
                map.put("protocol", node.field().abbrev)?;
                map.put("label", node.field().name)?;
                words("name", of.tree.generated_text(layer.name), map)?;
                words("info", &of.tree.info(layer), map)?;
                let buffer = place(of, node, map)?;
                below(&Children { of, node, buffer, ask: self.ask, extra: Vec::new() }, map)
            })
        })
    }
}

/// Writes the name of the input, of several.
fn file(ask: Ask<'_>, map: &mut Members<'_, '_>) -> Result<()> {
    ask.file().map_or(Ok(()), |file| map.put("file", file))
}

fn words(key: &str, words: &str, map: &mut Members<'_, '_>) -> Result<()> {
    if words.is_empty() { Ok(()) } else { map.put(key, words) }
}

fn times(time: Time, since_start: Option<i128>, map: &mut Members<'_, '_>) -> Result<()> {
    if let Some(time) = time.and_then(Rfc3339::of) {
        map.put("time", &Shown(time))?;
    }
    match since_start {
        // The quotient of two exact numbers prints as the exact decimal.
        Some(nanos) => map.put("t", &(nanos as f64 / 1e9)),
        None => Ok(()),
    }
}

fn speakers(ends: &Ends, map: &mut Members<'_, '_>) -> Result<()> {
    if let Some((stream, _)) = ends.stream {
        map.put("stream", &Shown(stream))?;
    }
    if let Some(side) = ends.direction() {
        map.put("dir", side.direction())?;
    }
    if let Some(src) = ends.src {
        map.put("src", &Shown(src))?;
    }
    match ends.dst {
        Some(dst) => map.put("dst", &Shown(dst)),
        None => Ok(()),
    }
}

/// Writes the location of a layer, and the map of its bytes to frames if necessary.
fn place(of: Dissection<'_>, node: NodeRef<'_>, map: &mut Members<'_, '_>) -> Result<Buffer> {
    let place = location_of(of, node.span());
    let off = place.base + u64::from(node.span().start);
    let len = node.span().len();
    map.put("buffer", &Shown(place.buffer))?;
    map.put("off", &off)?;
    map.put("len", &len)?;
    let is_deciphered =
        matches!(of.tree.source(node.span()), Some(Source { origin: Origin::Derived(Derived { is_deciphered: true, .. }), .. }));
    if !is_deciphered && !pieces_of(of, node).is_empty() {
        map.put("map", &Map { pieces: pieces_of(of, node), off, end: off + u64::from(len) })?;
    }
    Ok(place.buffer)
}

fn below(children: &Children<'_, '_>, map: &mut Members<'_, '_>) -> Result<()> {
    if children.any() { map.put("fields", children) } else { Ok(()) }
}

/// Fields of `-e` without a node: pseudo-fields, and remembered values of lower layers.
fn extra<'a>(record: &Record<'_>, ask: Ask<'a>) -> Vec<Literal<'a>> {
    let Some(choice) = ask.choice else { return Vec::new() };
    let mut fields = Vec::new();
    for pseudo in choice.pseudos() {
        let values = (pseudo.of)(record).map(|answer| typed::each(pseudo, &answer)).unwrap_or_default();
        fields.extend(values.into_iter().map(|value| Literal { name: pseudo.name, label: pseudo.name, value }));
    }
    for (name, values) in choice.computations(record) {
        fields.extend(values.iter().map(|value| Literal { name, label: name, value: typed::in_memory(value) }));
    }
    choice.remembered(record, |_, field, known| {
        let value = typed::remembered(known);
        fields.push(Literal { name: field.abbrev, label: field.name, value });
    });
    fields
}

fn notes(
    of: Dissection<'_>,
    notes: &[&Note],
    bookmarks: Vec<&'static Bookmark>,
    buffer: Buffer,
    map: &mut Members<'_, '_>,
) -> Result<()> {
    if notes.is_empty() && bookmarks.is_empty() { Ok(()) } else { map.put("notes", &Notes { of, notes, bookmarks, buffer }) }
}

/// Writes the derived buffers of the layers.
fn derived(of: Dissection<'_>, layers: &[&Layer], map: &mut Members<'_, '_>) -> Result<()> {
    let buffers: Vec<_> = derived_of(of, layers).into_iter().map(|(derived, source)| OfDerived { of, derived, source }).collect();
    if buffers.is_empty() { Ok(()) } else { map.put("derived", &buffers) }
}

/// Writes the origin of a derived buffer.
struct OfDerived<'t> {
    of: Dissection<'t>,
    derived: Derived,
    source: &'t Source,
}

impl Put for OfDerived<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let OfDerived { of, derived, source } = self;
        let len = source.len();
        out.object(|map| {
            map.put("buffer", &Shown(Buffer::Derived(derived.number)))?;
            if let Some(from) = derived.from {
                map.put("from", &From { of: *of, from })?;
            }
            map.put("len", &len)?;
            map.put("how", derived.method)?;
            let pieces = of.tree.pieces_of(source);
            if pieces.iter().any(|piece| piece.at != tree::Piece::NOWHERE) {
                map.put("map", &Map { pieces, off: 0, end: len })?;
            }
            Ok(())
        })
    }
}

struct From<'t> {
    of: Dissection<'t>,
    from: Span,
}

impl Put for From<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let place = location_of(self.of, self.from);
        out.object(|map| {
            map.put("buffer", &Shown(place.buffer))?;
            map.put("off", &(place.base + u64::from(self.from.start)))?;
            map.put("len", &self.from.len())
        })
    }
}

/// Writes the frames of the bytes from `off` to `end`.
struct Map<'t> {
    pieces: &'t [tree::Piece],
    off: u64,
    end: u64,
}

impl Put for Map<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let pieces = self.pieces.iter().filter(|piece| piece.at != tree::Piece::NOWHERE);
        let pieces = pieces.filter_map(|piece| piece.clip(&(self.off..self.end)));
        out.list(pieces, |out, piece| {
            out.object(|map| {
                map.put("off", &piece.off)?;
                map.put("len", &piece.len)?;
                map.put("frame", &piece.frame)?;
                map.put("at", &piece.at)
            })
        })
    }
}
