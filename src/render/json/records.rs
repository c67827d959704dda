//! Records and layers as JSON objects; what is empty is left out.

use super::nodes::{Children, Notes, Shown};
use crate::input::link_name;
use crate::record::{Buffer, Forgotten, Message, Packet, Tally, derived_of, pieces_of, place_of};
use crate::render::heading::words_of;
use crate::render::time::Rfc3339;
use crate::sink::{Begin, Problem};
use crate::tree::{self, Derived, Dissection, Ends, Gap, Layer, NodeRef, Note, Origin, Source, Span, Time};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// The version of the shapes.
const SCHEMA: u32 = 1;

pub struct Start<'a>(pub &'a Begin<'a>);

impl Serialize for Start<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Start(begin) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "begin")?;
        map.serialize_entry("schema", &SCHEMA)?;
        map.serialize_entry("file", begin.file)?;
        map.serialize_entry("format", begin.format)?;
        map.serialize_entry("links", begin.links)?;
        map.end()
    }
}

pub struct Damage<'a>(pub &'a Problem<'a>);

impl Serialize for Damage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Damage(problem) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "error")?;
        map.serialize_entry("code", problem.code)?;
        map.serialize_entry("text", problem.text)?;
        map.serialize_entry("frame", &problem.frame)?;
        if let Some(at) = problem.at {
            map.serialize_entry("at", &at)?;
        }
        map.end()
    }
}

pub struct End<'a> {
    pub tally: &'a Tally,
    pub truncated: bool,
}

impl Serialize for End<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let End { tally, truncated } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "end")?;
        map.serialize_entry("frames", &tally.frames)?;
        map.serialize_entry("messages", &tally.messages)?;
        map.serialize_entry("gaps", &tally.gaps)?;
        map.serialize_entry("malformed", &tally.malformed)?;
        map.serialize_entry("undissected_bytes", &tally.undissected)?;
        map.serialize_entry("truncated", truncated)?;
        let Forgotten { conversations, states } = tally.forgotten;
        for (key, count) in [("forgotten_conversations", conversations), ("forgotten_states", states)] {
            if count > 0 {
                map.serialize_entry(key, &count)?;
            }
        }
        map.end()
    }
}

pub struct OfGap<'t>(pub &'t Gap);

impl Serialize for OfGap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OfGap(gap) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "gap")?;
        map.serialize_entry("stream", &Shown(gap.stream))?;
        map.serialize_entry("dir", gap.side.direction())?;
        map.serialize_entry("off", &gap.off)?;
        map.serialize_entry("len", &gap.len)?;
        map.serialize_entry("frame", &gap.frame)?;
        map.end()
    }
}

pub struct OfMessage<'a, 't> {
    pub message: &'a Message<'t>,
    pub carriers: bool,
}

impl Serialize for OfMessage<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OfMessage { message, carriers } = *self;
        let of = message.of;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "message")?;
        map.serialize_entry("n", &message.n)?;
        times(message.time(), message.since_start, &mut map)?;
        if let Some(protocol) = message.protocol() {
            map.serialize_entry("protocol", protocol.abbrev)?;
        }
        words("name", message.name(), &mut map)?;
        words("info", &message.info(), &mut map)?;
        map.serialize_entry("path", &Shown(message.path()))?;
        if let Some(ends) = message.ends() {
            speakers(ends, &mut map)?;
        }
        map.serialize_entry("frames", &message.frames())?;
        words("comment", of.tree.made(of.tree.frame.comment), &mut map)?;
        let mut buffer = Buffer::Frame(of.tree.frame.number);
        if let Some(node) = message.node() {
            buffer = place(of, node, &mut map)?;
        }
        if carriers {
            map.serialize_entry("layers", &Layers { of, layers: &message.carriers() })?;
        }
        let carried_by = if carriers { message.carriers() } else { Vec::new() };
        derived(of, &[&[message.layer], &carried_by[..]].concat(), &mut map)?;
        if let Some(node) = message.node() {
            below(of, node, buffer, &mut map)?;
        }
        notes(of, &message.notes().collect::<Vec<_>>(), buffer, &mut map)?;
        map.end()
    }
}

pub struct OfPacket<'a, 't>(pub &'a Packet<'t>);

impl Serialize for OfPacket<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OfPacket(packet) = self;
        let of = packet.of;
        let frame = &of.tree.frame;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "packet")?;
        map.serialize_entry("n", &frame.number)?;
        times(frame.time, packet.since_start, &mut map)?;
        map.serialize_entry("length", &frame.original)?;
        map.serialize_entry("captured", &frame.captured)?;
        match frame.link.map(|link| (link, link_name(link))) {
            Some((_, Some(name))) => map.serialize_entry("link", name)?,
            Some((number, None)) => map.serialize_entry("link", &Shown(number))?,
            None => {}
        }
        match (of.tree.made(frame.interface_name), frame.interface) {
            ("", Some(number)) => map.serialize_entry("interface", &Shown(number))?,
            (name, _) => words("interface", name, &mut map)?,
        }
        words("comment", of.tree.made(frame.comment), &mut map)?;
        if let Some(path) = packet.path() {
            map.serialize_entry("path", &Shown(path))?;
        }
        let (name, info) = words_of(packet);
        match (name, &*info) {
            (only, "") | ("", only) => words("info", only, &mut map)?,
            (name, info) => map.serialize_entry("info", &Shown(format_args!("{name}, {info}")))?,
        }
        if let Some(ends) = packet.ends() {
            speakers(ends, &mut map)?;
        }
        let layers: Vec<&Layer> = of.tree.layers.iter().collect();
        derived(of, &layers, &mut map)?;
        map.serialize_entry("layers", &Layers { of, layers: &layers })?;
        notes(of, &of.tree.notes.iter().collect::<Vec<_>>(), Buffer::Frame(frame.number), &mut map)?;
        map.end()
    }
}

struct Layers<'a, 't> {
    of: Dissection<'t>,
    layers: &'a [&'t Layer],
}

impl Serialize for Layers<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for layer in self.layers {
            if let Some(node) = self.of.layer_node(layer) {
                list.serialize_element(&OfLayer { of: self.of, layer, node })?;
            }
        }
        list.end()
    }
}

struct OfLayer<'t> {
    of: Dissection<'t>,
    layer: &'t Layer,
    node: NodeRef<'t>,
}

impl Serialize for OfLayer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OfLayer { of, layer, node } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("protocol", node.field().abbrev)?;
        map.serialize_entry("label", node.field().name)?;
        words("name", of.tree.made(layer.name), &mut map)?;
        words("info", &of.tree.info(layer), &mut map)?;
        let buffer = place(of, node, &mut map)?;
        below(of, node, buffer, &mut map)?;
        map.end()
    }
}

fn words<M: SerializeMap>(key: &str, words: &str, map: &mut M) -> Result<(), M::Error> {
    if words.is_empty() { Ok(()) } else { map.serialize_entry(key, words) }
}

fn times<M: SerializeMap>(time: Time, since_start: Option<i128>, map: &mut M) -> Result<(), M::Error> {
    if let Some(time) = time.and_then(Rfc3339::of) {
        map.serialize_entry("time", &Shown(time))?;
    }
    match since_start {
        // A quotient of two exact numbers prints as the decimal it stands for.
        Some(nanos) => map.serialize_entry("t", &(nanos as f64 / 1e9)),
        None => Ok(()),
    }
}

fn speakers<M: SerializeMap>(ends: &Ends, map: &mut M) -> Result<(), M::Error> {
    if let Some((stream, side)) = ends.stream {
        map.serialize_entry("stream", &Shown(stream))?;
        map.serialize_entry("dir", side.direction())?;
    }
    if let Some(src) = ends.src {
        map.serialize_entry("src", &Shown(src))?;
    }
    match ends.dst {
        Some(dst) => map.serialize_entry("dst", &Shown(dst)),
        None => Ok(()),
    }
}

/// Where a layer lies, and where those bytes were captured if that is not one place in a frame.
fn place<M: SerializeMap>(of: Dissection<'_>, node: NodeRef<'_>, map: &mut M) -> Result<Buffer, M::Error> {
    let place = place_of(of, node.span());
    let off = place.base + u64::from(node.span().start);
    let len = node.span().len();
    map.serialize_entry("buffer", &Shown(place.buffer))?;
    map.serialize_entry("off", &off)?;
    map.serialize_entry("len", &len)?;
    let is_deciphered =
        matches!(of.tree.source(node.span()), Some(Source { origin: Origin::Derived(Derived { is_deciphered: true, .. }), .. }));
    if !is_deciphered && !pieces_of(of, node).is_empty() {
        map.serialize_entry("map", &Map { pieces: pieces_of(of, node), off, end: off + u64::from(len) })?;
    }
    Ok(place.buffer)
}

fn below<M: SerializeMap>(of: Dissection<'_>, node: NodeRef<'_>, buffer: Buffer, map: &mut M) -> Result<(), M::Error> {
    if node.has_children() { map.serialize_entry("fields", &Children { of, node, buffer }) } else { Ok(()) }
}

fn notes<M: SerializeMap>(of: Dissection<'_>, notes: &[&Note], buffer: Buffer, map: &mut M) -> Result<(), M::Error> {
    if notes.is_empty() { Ok(()) } else { map.serialize_entry("notes", &Notes { of, notes, buffer }) }
}

/// The buffers that are not on the wire as such, if the layers lie in any.
fn derived<M: SerializeMap>(of: Dissection<'_>, layers: &[&Layer], map: &mut M) -> Result<(), M::Error> {
    let buffers: Vec<_> = derived_of(of, layers).into_iter().map(|(derived, source)| OfDerived { of, derived, source }).collect();
    if buffers.is_empty() { Ok(()) } else { map.serialize_entry("derived", &buffers) }
}

/// A buffer that is not on the wire as such: what it was made of, and how.
struct OfDerived<'t> {
    of: Dissection<'t>,
    derived: Derived,
    source: &'t Source,
}

impl Serialize for OfDerived<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OfDerived { of, derived, source } = self;
        let len = source.len();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("buffer", &Shown(Buffer::Derived(derived.number)))?;
        if let Some(from) = derived.from {
            map.serialize_entry("from", &From { of: *of, from })?;
        }
        map.serialize_entry("len", &len)?;
        map.serialize_entry("how", derived.how)?;
        let pieces = of.tree.pieces_of(source);
        if !pieces.is_empty() {
            map.serialize_entry("map", &Map { pieces, off: 0, end: len })?;
        }
        map.end()
    }
}

struct From<'t> {
    of: Dissection<'t>,
    from: Span,
}

impl Serialize for From<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = place_of(self.of, self.from);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("buffer", &Shown(place.buffer))?;
        map.serialize_entry("off", &(place.base + u64::from(self.from.start)))?;
        map.serialize_entry("len", &self.from.len())?;
        map.end()
    }
}

/// Where the bytes from `off` to `end` were captured.
struct Map<'t> {
    pieces: &'t [tree::Piece],
    off: u64,
    end: u64,
}

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for piece in self.pieces {
            if let Some(piece) = piece.clip(&(self.off..self.end)) {
                list.serialize_element(&Piece { off: piece.off, len: piece.len, frame: piece.frame, at: piece.at })?;
            }
        }
        list.end()
    }
}

struct Piece {
    off: u64,
    len: u32,
    frame: u64,
    at: u32,
}

impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("off", &self.off)?;
        map.serialize_entry("len", &self.len)?;
        map.serialize_entry("frame", &self.frame)?;
        map.serialize_entry("at", &self.at)?;
        map.end()
    }
}
