//! Records, the unit of output: a message or a packet, numbered and counted.

mod bookmarks;
mod encapsulation;
pub mod expert;
mod keyed;
mod place;
mod protocols;
pub mod pseudo;
mod remembered;
mod scope;
pub(crate) mod seconds;
pub mod shown;
mod tally;
#[cfg(test)]
mod tests;
mod text;
mod values;

use crate::tree::steps::step;
use crate::tree::{Derived, Dissection, Ends, Field, Gap, Kind, Layer, Level, NodeRef, Note, Origin, Piece, Source, Span, Time};
pub use bookmarks::{Bookmark, Bookmarks};
pub use keyed::{JsonType, Keyed};
pub use place::RecordPlace;
pub use remembered::{Remembered, RememberedValue};
pub use scope::Scope;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
pub use tally::{Evictions, Tally};
pub use text::words_of;

/// Unit of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Messages of application protocols.
    Messages,
    /// Captured packets.
    Packets,
}

/// A record.
#[derive(Clone, Copy)]
pub enum Record<'t> {
    /// A message.
    Message(Message<'t>),
    /// A frame with all its layers.
    Packet(Packet<'t>),
    /// Messages completed by an earlier frame and emitted between packets.
    Late(Late<'t>),
    /// Stream bytes missing from the capture.
    Gap(&'t Gap),
}

/// Timestamps of a record and of its predecessors.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordTimes {
    /// Timestamp of the record.
    pub time: Time,
    /// Timestamp of the first frame.
    pub first: Time,
    /// Timestamp of the previous record; for the first record, its own.
    pub previous: Time,
}

impl RecordTimes {
    /// Nanoseconds since the first frame, if both times are known.
    #[must_use]
    pub fn since_start(self) -> Option<i128> {
        Some(self.time?.since(self.first?))
    }

    /// Nanoseconds since the previous record, if both times are known; 0 for the first.
    #[must_use]
    pub fn since_previous(self) -> Option<i128> {
        Some(self.time?.since(self.previous?))
    }
}

/// An application message: a layer together with the layers that carry it.
#[derive(Clone, Copy)]
pub struct Message<'t> {
    /// Message number, from 1.
    pub n: u64,
    /// Timestamps.
    pub times: RecordTimes,
    /// The tree that contains it.
    pub of: Dissection<'t>,
    /// The layer.
    pub layer: &'t Layer,
    /// Bookmarks and notes of the capture.
    pub bookmarks: Option<&'static Bookmarks>,
}

/// A frame with all its layers.
#[derive(Clone, Copy)]
pub struct Packet<'t> {
    /// Timestamps.
    pub times: RecordTimes,
    /// The tree.
    pub of: Dissection<'t>,
    /// Bookmarks and notes of the capture.
    pub bookmarks: Option<&'static Bookmarks>,
}

/// Messages that one frame completed and that were dissected later: after an abandoned gap, at the end of the capture, or
/// at the end of their connection.
#[derive(Clone, Copy)]
pub struct Late<'t> {
    /// Capture time of the frame that completed them.
    pub times: RecordTimes,
    /// The tree that contains them.
    pub of: Dissection<'t>,
    /// Their layers.
    pub layers: &'t [Layer],
}

/// The buffer that offsets of a record refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// A frame, by number.
    Frame(u64),
    /// One direction of a stream.
    Stream(crate::tree::StreamId, crate::tree::Side),
    /// A reassembled or decoded buffer, by its number in the record.
    Derived(u32),
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffer::Frame(number) => {
                f.write_str("frame/")?;
                f.write_str(itoa::Buffer::new().format(*number))
            }
            Buffer::Stream(stream, side) => {
                stream.fmt(f)?;
                f.write_str("/")?;
                side.fmt(f)
            }
            Buffer::Derived(number) => write!(f, "derived/{number}"),
        }
    }
}

/// The location of a layer: its buffer, and the base added to its spans.
#[derive(Debug, Clone, Copy)]
pub struct Location {
    /// The buffer.
    pub buffer: Buffer,
    /// The base offset.
    pub base: u64,
}

/// The buffer and offset of a span.
#[must_use]
pub fn location_of(of: Dissection<'_>, span: Span) -> Location {
    match of.tree.source(span).map(|source| (source.origin, source.base)) {
        Some((Origin::Stream(stream, side), base)) => Location { buffer: Buffer::Stream(stream, side), base },
        Some((Origin::Derived(derived), base)) => Location { buffer: Buffer::Derived(derived.number), base },
        Some((Origin::Frame, _)) | None => Location { buffer: Buffer::Frame(of.tree.frame.number), base: 0 },
    }
}

/// The derived buffers, reassembled or decoded, that contain these layers or their sources.
#[must_use]
pub fn derived_of<'t>(of: Dissection<'t>, layers: &[&Layer]) -> Vec<(Derived, &'t Source)> {
    let derived = |at: &u32| match of.tree.sources.get(*at as usize).inspect(|_| step())? {
        source @ Source { origin: Origin::Derived(derived), .. } => Some((*derived, source)),
        _ => None,
    };
    if !of.tree.has_derived() {
        return Vec::new();
    }
    let nodes =
        layers.iter().filter_map(|layer| of.tree.nodes_of(layer)).flat_map(|range| range.start as usize..range.end as usize);
    let sources = nodes.inspect(|_| step()).filter_map(|at| Some(of.tree.nodes.get(at)?.span.source));
    let (mut used, mut last) = (BTreeSet::new(), Span::NOWHERE);
    for source in sources {
        // Most nodes share the buffer of the previous node.
        let mut next = Some(source).filter(|source| std::mem::replace(&mut last, *source) != *source);
        while let Some(source) = next.filter(|source| used.insert(*source)) {
            next = derived(&source).and_then(|(derived, _)| derived.from).map(|from| from.source);
        }
    }
    used.iter().filter_map(derived).collect()
}

/// The captured pieces of a layer; empty if it lies in the frame.
#[must_use]
pub fn pieces_of<'t>(of: Dissection<'t>, node: NodeRef<'t>) -> &'t [Piece] {
    of.tree.source(node.span()).map(|source| of.tree.pieces_of(source)).unwrap_or_default()
}

/// The protocols of a layer and of those below it, outermost first.
#[derive(Clone, Copy)]
pub struct Path<'t> {
    of: Dissection<'t>,
    layer: &'t Layer,
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = self.of.tree;
        match self.layer.below.and_then(|below| tree.layers.get(below as usize)) {
            Some(layer) => write!(f, "{}:", Path { of: self.of, layer })?,
            None => {
                let carried_by = tree.ends.get(self.layer.ends as usize).and_then(|ends| ends.path.as_deref());
                if let Some(path) = carried_by.filter(|path| !path.is_empty()) {
                    write!(f, "{path}:")?;
                }
            }
        }
        f.write_str(self.of.layer_node(self.layer).map_or("", |node| node.field().abbrev))
    }
}

impl<'t> Message<'t> {
    /// The root node.
    #[must_use]
    pub fn node(&self) -> Option<NodeRef<'t>> {
        self.of.layer_node(self.layer)
    }

    /// The protocol.
    #[must_use]
    pub fn protocol(&self) -> Option<&'static Field> {
        self.node().map(NodeRef::field)
    }

    /// The message type; may be empty.
    #[must_use]
    pub fn name(&self) -> &'t str {
        self.of.tree.generated_text(self.layer.name)
    }

    /// The summary line; may be empty.
    #[must_use]
    pub fn info(&self) -> Cow<'t, str> {
        self.of.tree.info(self.layer)
    }

    /// Source and destination.
    #[must_use]
    pub fn ends(&self) -> Option<&'t Ends> {
        self.of.tree.ends.get(self.layer.ends as usize)
    }

    /// The carrying layers.
    #[must_use]
    pub fn path(&self) -> Path<'t> {
        Path { of: self.of, layer: self.layer }
    }

    /// The captured pieces of its bytes; empty if it lies in the frame.
    #[must_use]
    pub fn pieces(&self) -> &'t [Piece] {
        self.node().map(|node| pieces_of(self.of, node)).unwrap_or_default()
    }

    /// Numbers of the frames that carried it, ascending, without duplicates.
    #[must_use]
    pub fn frames(&self) -> Vec<u64> {
        let mut frames: Vec<u64> = self.pieces().iter().map(|piece| piece.frame).collect();
        if frames.is_empty() {
            frames.push(self.of.tree.frame.number);
        }
        frames.sort_unstable();
        frames.dedup();
        frames
    }

    /// Number of the frame that completed it.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.pieces().iter().map(|piece| piece.frame).max().unwrap_or(self.of.tree.frame.number)
    }

    /// Bookmarks and notes on it.
    pub fn bookmarks(&self) -> impl Iterator<Item = &'static Bookmark> + use<> {
        let (number, frame) = (self.n, self.bookmarks.map_or(0, |_| self.frame()));
        self.bookmarks.into_iter().flat_map(move |bookmarks| bookmarks.of_message(number, frame))
    }

    /// Capture time of the frame that completed it.
    #[must_use]
    pub fn time(&self) -> Time {
        match self.pieces().iter().max_by_key(|piece| piece.frame) {
            Some(last) => last.time,
            None => self.of.tree.frame.time,
        }
    }

    /// The carrying layers, outermost first.
    #[must_use]
    pub fn carriers(&self) -> Vec<&'t Layer> {
        let mut carriers: Vec<&Layer> = self.below().collect();
        carriers.reverse();
        carriers
    }

    fn below(&self) -> impl Iterator<Item = &'t Layer> + use<'t> {
        let tree = self.of.tree;
        let up = move |layer: &&'t Layer| layer.below.and_then(|below| tree.layers.get(below as usize));
        std::iter::successors(up(&self.layer), up)
    }

    /// The notes on it and on its carrying layers.
    pub fn notes(&self) -> impl Iterator<Item = &'t Note> + use<'t> {
        let of = self.of;
        let ranges: Vec<_> = if of.tree.notes.is_empty() {
            Vec::new()
        } else {
            std::iter::once(self.layer).chain(self.below()).filter_map(|layer| of.tree.nodes_of(layer)).collect()
        };
        of.tree.notes_within(&ranges).into_iter()
    }

    /// Whether a note says that it or one of its carrying layers is malformed.
    #[must_use]
    #[inline]
    pub fn is_malformed(&self) -> bool {
        !self.of.tree.notes.is_empty() && self.notes().any(|note| level_of(note) == Level::Broken)
    }
}

impl<'t> Late<'t> {
    /// Numbers of the frames that carried them, ascending, without duplicates.
    #[must_use]
    pub fn frames(&self) -> Vec<u64> {
        let pieces = self.layers.iter().flat_map(|layer| layer_pieces(self.of, layer));
        let mut frames: Vec<u64> = pieces.map(|piece| piece.frame).collect();
        if frames.is_empty() {
            frames.push(self.of.tree.frame.number);
        }
        frames.sort_unstable();
        frames.dedup();
        frames
    }

    /// Number of the frame that completed them.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.layers.first().map_or(0, |layer| completed(self.of, layer).0)
    }

    /// The innermost layer.
    #[must_use]
    pub fn innermost(&self) -> Option<&'t Layer> {
        self.layers.last()
    }

    /// The protocols of its layers.
    #[must_use]
    pub fn path(&self) -> Option<Path<'t>> {
        self.innermost().map(|layer| Path { of: self.of, layer })
    }

    /// Source and destination.
    #[must_use]
    pub fn ends(&self) -> Option<&'t Ends> {
        self.layers.first().and_then(|layer| self.of.tree.ends.get(layer.ends as usize))
    }

    /// Bytes of those layers that belong to no inner layer.
    #[must_use]
    pub fn length(&self) -> u64 {
        let outermost = self.layers.iter().filter(|layer| layer.below.is_none());
        outermost.filter_map(|layer| self.of.layer_node(layer)).map(|node| u64::from(node.span().len())).sum()
    }

    /// The notes on its layers.
    pub fn notes(&self) -> impl Iterator<Item = &'t Note> + use<'t> {
        let ranges: Vec<_> = self.layers.iter().filter_map(|layer| self.of.tree.nodes_of(layer)).collect();
        self.of.tree.notes_within(&ranges).into_iter()
    }
}

/// The captured pieces of a layer; empty if it lies in the frame.
fn layer_pieces<'t>(of: Dissection<'t>, layer: &Layer) -> &'t [Piece] {
    of.layer_node(layer).map(|node| pieces_of(of, node)).unwrap_or_default()
}

/// The last frame with bytes of a layer, and its capture time.
pub(crate) fn completed(of: Dissection<'_>, layer: &Layer) -> (u64, Time) {
    match layer_pieces(of, layer).iter().max_by_key(|piece| piece.frame) {
        Some(last) => (last.frame, last.time),
        None => (of.tree.frame.number, of.tree.frame.time),
    }
}

impl<'t> Packet<'t> {
    /// The layers, without messages of earlier frames.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = &'t Layer> + Clone + use<'t> {
        self.of.tree.own_layers()
    }

    /// The innermost layer.
    #[must_use]
    pub fn innermost(&self) -> Option<&'t Layer> {
        self.layers().next_back()
    }

    /// The protocols of its layers.
    #[must_use]
    pub fn path(&self) -> Option<Path<'t>> {
        self.innermost().map(|layer| Path { of: self.of, layer })
    }

    /// Source and destination.
    #[must_use]
    pub fn ends(&self) -> Option<&'t Ends> {
        self.innermost().and_then(|layer| self.of.tree.ends.get(layer.ends as usize))
    }

    /// The notes on its layers.
    pub fn notes(&self) -> impl Iterator<Item = &'t Note> + use<'t> {
        self.of.tree.own_notes()
    }

    /// Bookmarks and notes on it.
    pub fn bookmarks(&self) -> impl Iterator<Item = &'static Bookmark> + use<> {
        let frame = self.of.tree.frame.number;
        self.bookmarks.into_iter().flat_map(move |bookmarks| bookmarks.of_packet(frame))
    }
}

/// The deferred layers in a range that the same frame completed.
fn late_group(of: Dissection<'_>, from: usize, limit: usize, captured: bool) -> &[Layer] {
    let layers = of.tree.layers.get(from..limit).unwrap_or_default();
    let Some(first) = layers.first() else { return &[] };
    let (frame, _) = completed(of, first);
    let is_carried = |layer: &Layer| layer.below.is_some_and(|below| below as usize >= from);
    let belongs = |layer: &&Layer| {
        (layer.late || !captured) && (is_carried(layer) || layer.ends == first.ends && completed(of, layer).0 == frame)
    };
    layers.get(..layers.iter().take_while(belongs).count().max(1)).unwrap_or_default()
}

/// The severity of a note.
#[must_use]
pub fn level_of(note: &Note) -> Level {
    match note.code.kind {
        Kind::Note(level) => level,
        _ => Level::Info,
    }
}
