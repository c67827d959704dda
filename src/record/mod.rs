//! What is shown: a frame's tree as messages or as one packet, numbered and counted.

mod encapsulation;
pub mod pseudo;
mod remembered;
pub(crate) mod seconds;
pub mod shown;
mod text;

use crate::tree::{
    Derived, Dissection, Ends, Field, Gap, Kind, Layer, Level, NodeRef, Note, OmittedMessages, Origin, Piece, Source, Span, Time,
    Tree,
};
pub use remembered::{Known, Remembered};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
pub use text::words_of;

/// The two ways to look at a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// What applications said.
    Messages,
    /// What was captured.
    Packets,
}

/// One thing to show.
#[derive(Clone, Copy)]
pub enum Record<'t> {
    /// A message.
    Message(Message<'t>),
    /// A frame with all its layers.
    Packet(Packet<'t>),
    /// What became readable only after the frames that carried it, between packets.
    Late(Late<'t>),
    /// Bytes of a stream that are not in the capture.
    Gap(&'t Gap),
}

/// When a record came, and what came before it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moment {
    /// When it came itself.
    pub time: Time,
    /// When the first frame did.
    pub first: Time,
    /// When the record before it did; that of the first is its own.
    pub previous: Time,
}

impl Moment {
    /// Nanoseconds since the first frame, if both times are known.
    #[must_use]
    pub fn since_start(self) -> Option<i128> {
        Some(self.time?.since(self.first?))
    }

    /// Nanoseconds since the record before, if both times are known; 0 for the first.
    #[must_use]
    pub fn since_previous(self) -> Option<i128> {
        Some(self.time?.since(self.previous?))
    }
}

/// A message: a layer that says something, with the layers that carry it.
#[derive(Clone, Copy)]
pub struct Message<'t> {
    /// Its number, from 1.
    pub n: u64,
    /// When it came.
    pub moment: Moment,
    /// The tree it is part of.
    pub of: Dissection<'t>,
    /// Its layer.
    pub layer: &'t Layer,
}

/// A frame with all its layers.
#[derive(Clone, Copy)]
pub struct Packet<'t> {
    /// When it came.
    pub moment: Moment,
    /// Its tree.
    pub of: Dissection<'t>,
}

/// Messages that one frame completed, and that became readable only after it: behind a hole that was given up, at the end of the
/// capture, or where their connection ended.
#[derive(Clone, Copy)]
pub struct Late<'t> {
    /// When the frame that completed them was captured.
    pub moment: Moment,
    /// The tree they are part of.
    pub of: Dissection<'t>,
    /// Their layers.
    pub layers: &'t [Layer],
}

/// What offsets of a record count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// A frame, by its number.
    Frame(u64),
    /// One direction of a stream.
    Stream(crate::tree::StreamId, crate::tree::Side),
    /// Bytes that are not on the wire as such, by their number in the record.
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

/// Where a layer lies: the buffer, and what to add to a span to count in it.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// What offsets count in.
    pub buffer: Buffer,
    /// Added to each offset.
    pub base: u64,
}

/// Where a span counts.
#[must_use]
pub fn place_of(of: Dissection<'_>, span: Span) -> Place {
    match of.tree.source(span).map(|source| (source.origin, source.base)) {
        Some((Origin::Stream(stream, side), base)) => Place { buffer: Buffer::Stream(stream, side), base },
        Some((Origin::Derived(derived), base)) => Place { buffer: Buffer::Derived(derived.number), base },
        Some((Origin::Frame, _)) | None => Place { buffer: Buffer::Frame(of.tree.frame.number), base: 0 },
    }
}

/// The sources that are not on the wire as such and that these layers, or what those were made of, lie in.
#[must_use]
pub fn derived_of<'t>(of: Dissection<'t>, layers: &[&Layer]) -> Vec<(Derived, &'t Source)> {
    let derived = |at: &u32| match of.tree.sources.get(*at as usize)? {
        source @ Source { origin: Origin::Derived(derived), .. } => Some((*derived, source)),
        _ => None,
    };
    if !of.tree.has_derived() {
        return Vec::new();
    }
    let nodes = layers.iter().filter_map(|layer| range_of(of, layer)).flat_map(|range| range.start as usize..range.end as usize);
    let sources = nodes.filter_map(|at| Some(of.tree.nodes.get(at)?.span.source));
    let (mut used, mut last) = (BTreeSet::new(), Span::NOWHERE);
    for source in sources {
        // Most nodes lie where the one before does.
        let mut next = Some(source).filter(|source| std::mem::replace(&mut last, *source) != *source);
        while let Some(source) = next.filter(|source| used.insert(*source)) {
            next = derived(&source).and_then(|(derived, _)| derived.from).map(|from| from.source);
        }
    }
    used.iter().filter_map(derived).collect()
}

/// Where the bytes of a layer were captured; none if it lies in the frame.
#[must_use]
pub fn pieces_of<'t>(of: Dissection<'t>, node: NodeRef<'t>) -> &'t [Piece] {
    of.tree.source(node.span()).map(|source| of.tree.pieces_of(source)).unwrap_or_default()
}

/// The names of a layer and those below it, from the outermost in.
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
    /// Its node.
    #[must_use]
    pub fn node(&self) -> Option<NodeRef<'t>> {
        self.of.layer_node(self.layer)
    }

    /// Its protocol.
    #[must_use]
    pub fn protocol(&self) -> Option<&'static Field> {
        self.node().map(NodeRef::field)
    }

    /// What kind of message it is; may be empty.
    #[must_use]
    pub fn name(&self) -> &'t str {
        self.of.tree.made(self.layer.name)
    }

    /// What it says, in a line; may be empty.
    #[must_use]
    pub fn info(&self) -> Cow<'t, str> {
        self.of.tree.info(self.layer)
    }

    /// Who says it to whom.
    #[must_use]
    pub fn ends(&self) -> Option<&'t Ends> {
        self.of.tree.ends.get(self.layer.ends as usize)
    }

    /// The layers it lies on.
    #[must_use]
    pub fn path(&self) -> Path<'t> {
        Path { of: self.of, layer: self.layer }
    }

    /// Where its bytes were captured; empty for one that lies in the frame.
    #[must_use]
    pub fn pieces(&self) -> &'t [Piece] {
        self.node().map(|node| pieces_of(self.of, node)).unwrap_or_default()
    }

    /// The numbers of the frames that carried it, rising, each once.
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

    /// When the frame that completed it was captured.
    #[must_use]
    pub fn time(&self) -> Time {
        match self.pieces().iter().max_by_key(|piece| piece.frame) {
            Some(last) => last.time,
            None => self.of.tree.frame.time,
        }
    }

    /// The layers that carry it, from the outermost in.
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

    /// The remarks on it and on the layers that carry it.
    pub fn notes(&self) -> impl Iterator<Item = &'t Note> + use<'t> {
        let of = self.of;
        let ranges: Vec<_> = if of.tree.notes.is_empty() {
            Vec::new()
        } else {
            std::iter::once(self.layer).chain(self.below()).filter_map(|layer| range_of(of, layer)).collect()
        };
        of.tree.notes_within(&ranges).into_iter()
    }
}

fn range_of(of: Dissection<'_>, layer: &Layer) -> Option<std::ops::Range<u32>> {
    of.tree.nodes.get(layer.node as usize).map(|node| layer.node..node.end)
}

impl<'t> Late<'t> {
    /// The numbers of the frames that carried them, rising, each once.
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

    /// The number of the frame that completed them.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.layers.first().map_or(0, |layer| completed(self.of, layer).0)
    }

    /// The innermost layer.
    #[must_use]
    pub fn innermost(&self) -> Option<&'t Layer> {
        self.layers.last()
    }

    /// Its layers' names.
    #[must_use]
    pub fn path(&self) -> Option<Path<'t>> {
        self.innermost().map(|layer| Path { of: self.of, layer })
    }

    /// Who sent them to whom.
    #[must_use]
    pub fn ends(&self) -> Option<&'t Ends> {
        self.layers.first().and_then(|layer| self.of.tree.ends.get(layer.ends as usize))
    }

    /// Bytes of those layers that no other of them carries.
    #[must_use]
    pub fn length(&self) -> u64 {
        let outermost = self.layers.iter().filter(|layer| layer.below.is_none());
        outermost.filter_map(|layer| self.of.layer_node(layer)).map(|node| u64::from(node.span().len())).sum()
    }

    /// The remarks on them.
    pub fn notes(&self) -> impl Iterator<Item = &'t Note> + use<'t> {
        let (of, layers) = (self.of, self.layers);
        let is_meant =
            move |note: &&Note| layers.iter().filter_map(|layer| range_of(of, layer)).any(|range| range.contains(&note.node));
        of.tree.notes.iter().filter(is_meant)
    }
}

/// Where the bytes of a layer were captured; none if it lies in the frame.
fn layer_pieces<'t>(of: Dissection<'t>, layer: &Layer) -> &'t [Piece] {
    of.layer_node(layer).map(|node| pieces_of(of, node)).unwrap_or_default()
}

/// The last frame with bytes of a layer, and when it was captured.
fn completed(of: Dissection<'_>, layer: &Layer) -> (u64, Time) {
    match layer_pieces(of, layer).iter().max_by_key(|piece| piece.frame) {
        Some(last) => (last.frame, last.time),
        None => (of.tree.frame.number, of.tree.frame.time),
    }
}

impl<'t> Packet<'t> {
    /// Its layers, without messages of earlier frames.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = &'t Layer> + Clone + use<'t> {
        self.of.tree.own_layers()
    }

    /// The innermost layer.
    #[must_use]
    pub fn innermost(&self) -> Option<&'t Layer> {
        self.layers().next_back()
    }

    /// Its layers' names.
    #[must_use]
    pub fn path(&self) -> Option<Path<'t>> {
        self.innermost().map(|layer| Path { of: self.of, layer })
    }

    /// Who sent it to whom.
    #[must_use]
    pub fn ends(&self) -> Option<&'t Ends> {
        self.innermost().and_then(|layer| self.of.tree.ends.get(layer.ends as usize))
    }

    /// The remarks on them.
    pub fn notes(&self) -> impl Iterator<Item = &'t Note> + use<'t> {
        let tree = self.of.tree;
        tree.notes.iter().filter(move |note| !tree.is_of_late(note))
    }
}

/// The late layers from a place on, and before another one, that the same frame completed.
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

/// How serious a note is.
#[must_use]
pub fn level_of(note: &Note) -> Level {
    match note.code.kind {
        Kind::Note(level) => level,
        _ => Level::Info,
    }
}

/// What was given up because there was too much of it at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Conversations: a later frame of one counts as the first of a new one.
    pub conversations: u64,
    /// What open conversations were in the middle of, while they stay known: their later bytes are data.
    pub states: u64,
}

/// Numbers records and counts what was seen.
#[derive(Debug, Clone)]
pub struct Tally {
    view: View,
    first: Time,
    previous: Time,
    /// Frames read.
    pub frames: u64,
    /// Messages found.
    pub messages: u64,
    /// Runs of missing stream bytes.
    pub gaps: u64,
    /// Messages with a broken note.
    pub malformed: u64,
    /// Payload bytes nobody explained.
    pub undissected: u64,
    /// What was given up to keep memory bounded.
    pub forgotten: Forgotten,
}

impl Tally {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(view: View) -> Tally {
        Tally {
            view,
            first: None,
            previous: None,
            frames: 0,
            messages: 0,
            gaps: 0,
            malformed: 0,
            undissected: 0,
            forgotten: Forgotten::default(),
        }
    }

    /// Count a tree and hand its records on, in order, until `show` fails.
    ///
    /// # Errors
    /// Those of `show`.
    pub fn records<E>(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut show: impl FnMut(Record<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.count(of.tree, captured);
        if captured && self.view == View::Packets {
            let moment = self.moment(of.tree.frame.time);
            show(Record::Packet(Packet { moment, of }))?;
        }
        if of.tree.says_nothing() {
            return Ok(());
        }
        let mut gaps = of.tree.gaps.iter().peekable();
        self.messages += of.tree.omitted_messages.count as u64;
        let mut omitted_messages =
            Some(of.tree.omitted_messages).filter(|omitted_messages| omitted_messages.count > 0 && self.view == View::Messages);
        let mut shown = 0;
        for (at, layer) in of.tree.layers.iter().enumerate() {
            if omitted_messages.is_some_and(|omitted_messages| omitted_messages.before <= at) {
                self.pass(omitted_messages.take());
            }
            while let Some(gap) = gaps.next_if(|gap| gap.before <= at) {
                self.gaps += 1;
                show(Record::Gap(gap))?;
            }
            if layer.message {
                self.messages += 1;
                let mut message = Message { n: self.messages, moment: Moment::default(), of, layer };
                self.malformed += u64::from(message.notes().any(|note| level_of(note) == Level::Broken));
                if self.view == View::Messages {
                    message.moment = self.moment(message.time());
                    show(Record::Message(message))?;
                }
            }
            if self.view == View::Packets && at >= shown && (layer.late || !captured) {
                let limit = gaps.peek().map_or(of.tree.layers.len(), |gap| gap.before);
                let layers = late_group(of, at, limit, captured);
                shown = at + layers.len();
                let (_, time) = completed(of, layer);
                let moment = Moment { time, first: self.first, previous: self.previous };
                show(Record::Late(Late { moment, of, layers }))?;
            }
        }
        self.pass(omitted_messages);
        for gap in gaps {
            self.gaps += 1;
            show(Record::Gap(gap))?;
        }
        Ok(())
    }

    /// Count a tree without its records.
    pub(crate) fn count(&mut self, tree: &Tree, captured: bool) {
        if self.first.is_none() {
            self.first = tree.frame.time;
        }
        self.undissected += tree.undissected;
        self.frames += u64::from(captured);
    }

    /// What comes now comes behind messages that are in no tree.
    fn pass(&mut self, omitted_messages: Option<OmittedMessages>) {
        self.previous = omitted_messages.and_then(|omitted_messages| omitted_messages.time).or(self.previous);
    }

    /// When the next record comes.
    fn moment(&mut self, time: Time) -> Moment {
        let moment = Moment { time, first: self.first, previous: self.previous.or(time) };
        self.previous = time.or(self.previous);
        moment
    }
}
