//! The tree: one flat, reused list of nodes in reading order.

use super::buffers::Buffers;
use super::{
    Bits, Demand, Ends, Extras, Field, FrameInfo, Gap, Handover, Info, Kind, Label, Layer, LayerId, Node, Note, Origin, Outcome,
    Piece, Run, Source, Span, TextRange, Value,
};
use crate::limits;
use std::fmt::{self, Write};
use std::sync::OnceLock;

/// Maximum nesting depth of nodes.
pub const MAX_DEPTH: usize = 64;

/// The dissection of one frame: layers, fields, notes and their sources.
///
/// It holds spans, never slices; [`super::Dissection`] is a tree together with its frame's bytes.
#[derive(Debug)]
pub struct Tree {
    /// The frame.
    pub frame: FrameInfo,
    /// Nodes in wire order; top-level nodes are layers.
    pub nodes: Vec<Node>,
    /// The layers, in order of dissection.
    pub layers: Vec<Layer>,
    /// Notes, in order of creation.
    pub notes: Vec<Note>,
    /// Gaps abandoned while this frame was dissected.
    pub gaps: Vec<Gap>,
    /// Sources and destinations, referenced by layers.
    pub ends: Vec<Ends>,
    /// The buffers that spans refer to; the first is the frame.
    pub sources: Vec<Source>,
    /// The captured pieces of stream sources.
    pub pieces: Vec<Piece>,
    /// Wireshark's names of layers, by root node, if requested.
    pub(super) labels: Vec<(u32, Label)>,
    /// Payload and state for other protocols.
    pub handover: Handover,
    /// What the frame gives besides its tree.
    pub outcome: Outcome,
    /// What persists between frames.
    pub run: Run,
    /// Spans of masked values.
    pub(super) hidden: Vec<Span>,
    /// Nodes of single bits, with their bit masks, in node order.
    pub(super) bits: Vec<(u32, Bits)>,
    /// What was made during dissection.
    pub(super) buffers: Buffers,
    pub(super) demand: Demand,
    pub(super) omitted: u64,
    /// Texts and derived bytes dropped at a limit.
    pub(super) unkept: Unkept,
    /// Indexes of the notes in node order, once computed.
    pub(super) by_node: OnceLock<Box<[u32]>>,
    /// Number of derived sources so far.
    pub(super) derived: u32,
}

impl Tree {
    /// Creates a tree for bytes that are dissected only for their effect on state. It keeps no fields.
    #[must_use]
    pub fn discarded() -> Tree {
        Tree::new(Demand::LAYERS)
    }

    /// Creates an empty tree that keeps everything.
    #[must_use]
    pub fn complete() -> Tree {
        Tree::new(Demand::EVERYTHING)
    }

    /// Creates an empty tree for this demand.
    #[must_use]
    pub fn new(demand: Demand) -> Tree {
        Tree {
            frame: FrameInfo::default(),
            nodes: Vec::new(),
            layers: Vec::new(),
            notes: Vec::new(),
            gaps: Vec::new(),
            ends: Vec::new(),
            sources: Vec::new(),
            pieces: Vec::new(),
            labels: Vec::new(),
            handover: Handover::default(),
            outcome: Outcome::default(),
            run: Run::new(demand),
            hidden: Vec::new(),
            bits: Vec::new(),
            buffers: Buffers::default(),
            demand,
            omitted: 0,
            unkept: Unkept::default(),
            by_node: OnceLock::new(),
            derived: 0,
        }
    }

    /// Clears the tree, keeps its memory, and begins this frame.
    #[inline]
    pub fn begin(&mut self, frame: FrameInfo) {
        self.run.captured = self.run.captured.saturating_add(frame.captured.into());
        self.frame = frame;
        self.outcome.begin();
        self.clear_for_next();
    }

    /// Moves the content to another tree. Long lists are copied instead: this tree keeps its memory for the next frame, and the
    /// copies take only what they need.
    pub fn copy_to(&mut self, to: &mut Tree) {
        std::mem::swap(self, to);
        copy(&mut to.nodes, &mut self.nodes);
        copy(&mut to.layers, &mut self.layers);
        copy(&mut to.pieces, &mut self.pieces);
        copy(&mut to.labels, &mut self.labels);
        copy(&mut to.hidden, &mut self.hidden);
        copy(&mut to.bits, &mut self.bits);
        to.buffers.exchange(&mut self.buffers);
    }

    /// Whether the summary of a layer may be displayed. A deferred layer does not belong to the filtered frame.
    #[must_use]
    pub fn is_seen(&self, layer: &Layer) -> bool {
        !self.outcome.filtered_out || layer.late || layer.node >= self.outcome.visible_from
    }

    /// Whether a layer is late.
    #[must_use]
    pub fn has_late(&self) -> bool {
        self.layers.iter().any(|layer| layer.late)
    }

    /// The layers of the frame itself, without those that are late.
    pub fn own_layers(&self) -> impl DoubleEndedIterator<Item = &Layer> + Clone {
        self.layers.iter().filter(|layer| !layer.late)
    }

    /// Whether the tree is so large that messages should be deferred.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.layers.len() + self.outcome.omitted_messages.count >= limits::TREE_MESSAGES.get()
    }

    /// Whether it has no layers and gaps, and no message was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.gaps.is_empty() && self.outcome.omitted_messages.count == 0
    }

    /// The current demand.
    #[must_use]
    pub fn demand(&self) -> Demand {
        self.demand
    }

    /// Sets the demand for the following layers. Returns the previous one.
    pub fn set_demand(&mut self, demand: Demand) -> Demand {
        std::mem::replace(&mut self.demand, demand)
    }

    /// Sets the demand for deferred layers, which are kept even if the frame is filtered out.
    pub fn set_demand_of_late(&mut self) -> Demand {
        self.outcome.late = true;
        self.set_demand(if self.outcome.filtered_out { self.run.whole } else { self.demand })
    }

    /// Fields that were read but not kept because the tree was full.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Appends a node. Returns its index, with which it can be closed or noted.
    // Readers call it once a field; where it is not inlined, eight columns take 6 % more instructions.
    #[inline(always)]
    pub fn push(&mut self, field: &'static Field, value: Value, span: Span) -> u32 {
        if self.takes(field, value) { self.keep(field, value, span) } else { self.here() }
    }

    /// Whether a node of this field may be kept or masked.
    #[must_use]
    #[inline]
    pub fn notices(&self, field: &Field) -> bool {
        self.demand.may_keep(field) || field.secret || field.kind == Kind::Protocol
    }

    /// The same for one with this value.
    #[inline(always)]
    pub(crate) fn takes(&self, field: &Field, value: Value) -> bool {
        self.demand.keeps(field, value) || field.secret || field.kind == Kind::Protocol
    }

    /// Appends a node for which [`Tree::takes`] returned true.
    #[inline]
    pub(crate) fn keep(&mut self, field: &'static Field, value: Value, span: Span) -> u32 {
        if field.secret || self.nodes.len() >= limits::TREE_NODES.get() {
            return self.keep_some(field, value, span);
        }
        let place = self.here();
        self.nodes.push(Node { field, value, span, end: place + 1 });
        place
    }

    /// The same for a secret, and for a full tree.
    #[cold]
    fn keep_some(&mut self, field: &'static Field, value: Value, span: Span) -> u32 {
        let place = self.here();
        if field.secret {
            self.hide(span);
        }
        // The span of a secret is kept for masking even if its node is not.
        if !field.secret || self.demand.keeps(field, value) {
            if self.nodes.len() < limits::TREE_NODES.get() {
                self.nodes.push(Node { field, value, span, end: place + 1 });
            } else {
                self.omitted += 1;
            }
        }
        place
    }

    /// Appends a node for these bits of its bytes.
    pub fn push_bits(&mut self, field: &'static Field, value: Value, span: Span, bits: Bits) -> u32 {
        let place = self.push(field, value, span);
        if self.here() > place {
            self.bits.push((place, bits));
        }
        place
    }

    /// The bits of the node at this index, if it does not have all of its bytes.
    #[must_use]
    pub fn bits_of(&self, place: u32) -> Option<Bits> {
        let found = self.bits.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        self.bits.get(found).map(|(_, bits)| *bits)
    }

    /// Texts and derived bytes dropped at a limit.
    #[must_use]
    pub fn unkept(&self) -> Unkept {
        self.unkept
    }

    /// Sets the text of an earlier node. It is formatted only if the node was kept.
    pub fn set_text(&mut self, place: u32, field: &'static Field, words: impl FnOnce(&mut dyn Write) -> fmt::Result) {
        if self.nodes.get(place as usize).is_some_and(|node| node.field.is(field)) {
            let made = self.make_by(words);
            if let (Some(made), Some(node)) = (made, self.nodes.get_mut(place as usize)) {
                node.value = Value::Generated(made);
            }
        }
    }

    /// The index of the next node.
    #[must_use]
    pub fn here(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// Closes the node at `place`: nodes added since are below it, and its bytes end at `end`.
    pub fn close(&mut self, place: u32, field: &'static Field, end: usize) {
        let behind = self.here();
        if let Some(node) = self.nodes.get_mut(place as usize)
            && node.field.is(field)
        {
            node.end = behind;
            if node.span.is_somewhere() {
                node.span.end = u32::try_from(end).unwrap_or(u32::MAX).max(node.span.start);
            }
        }
    }

    /// Extends the node at `place` to `end`.
    pub(crate) fn reach(&mut self, place: u32, end: usize) {
        if let Some(node) = self.nodes.get_mut(place as usize).filter(|node| node.span.is_somewhere()) {
            node.span.end = u32::try_from(end).unwrap_or(u32::MAX).max(node.span.end);
        }
    }

    /// Replaces the fields of the nodes since `place` by their twins of another protocol.
    pub fn rename(&mut self, place: u32, fields: &'static [&'static Field]) {
        let twin_of = |field: &'static Field| {
            let twin = fields.iter().find(|other| other.twin.is_some_and(|twin| twin.is(field)));
            twin.copied().unwrap_or(field)
        };
        for node in self.nodes.iter_mut().skip(place as usize) {
            node.field = twin_of(node.field);
        }
        for note in self.notes.iter_mut().rev().take_while(|note| note.node >= place) {
            note.code = twin_of(note.code);
        }
    }

    /// Sets source and destination of the following layers.
    pub fn push_ends(&mut self, ends: Ends) -> u32 {
        self.ends.push(ends);
        u32::try_from(self.ends.len() - 1).unwrap_or(u32::MAX)
    }

    /// Begins a layer with a protocol node.
    pub fn push_layer(&mut self, field: &'static Field, span: Span, below: Option<LayerId>, ends: u32, message: bool) -> LayerId {
        let node = self.push(field, Value::None, span);
        self.layers.push(Layer {
            node,
            below,
            ends,
            message,
            late: self.outcome.late,
            name: TextRange::default(),
            info: Info::default(),
        });
        u32::try_from(self.layers.len() - 1).unwrap_or(u32::MAX)
    }

    /// Sorts the layers from `first` on, messages of one stream, by completion. Messages of one side keep their order.
    pub fn sort_layers(&mut self, first: usize) {
        let mut latest = [0; 2];
        let mut complete: Vec<(u64, usize)> = Vec::new();
        for (at, layer) in self.layers.iter().enumerate().skip(first) {
            let carrier = layer.below.map(|below| below as usize).filter(|below| *below >= first);
            let frame = match carrier.and_then(|carrier| complete.get(carrier - first)) {
                Some((frame, _)) => *frame,
                None => {
                    let source = self.nodes.get(layer.node as usize).and_then(|node| self.source(node.span));
                    let Some(Source { origin: Origin::Stream(_, side), .. }) = source else { return };
                    let frame = source.and_then(|source| self.pieces_of(source).iter().map(|piece| piece.frame).max());
                    let Some(latest) = latest.get_mut(side.index()) else { return };
                    *latest = frame.unwrap_or_default().max(*latest);
                    *latest
                }
            };
            complete.push((frame, at));
        }
        complete.sort_by_key(|(frame, _)| *frame);
        let mut moved = vec![0; complete.len()];
        for (now, (_, before)) in complete.iter().enumerate() {
            if let Some(place) = moved.get_mut(before - first) {
                *place = first + now;
            }
        }
        let mut sorted: Vec<Layer> = complete.iter().filter_map(|(_, before)| self.layers.get(*before).copied()).collect();
        for below in sorted.iter_mut().filter_map(|layer| layer.below.as_mut()) {
            let now = (*below as usize).checked_sub(first).and_then(|at| moved.get(at));
            *below = now.and_then(|now| LayerId::try_from(*now).ok()).unwrap_or(*below);
        }
        self.layers.truncate(first);
        self.layers.append(&mut sorted);
    }

    /// Whether secrets must be found: the bytes, or fields of them, may be displayed.
    #[must_use]
    pub fn searches_secrets(&self) -> bool {
        !self.run.reveal && self.demand.has(Extras::CREDENTIALS)
    }

    /// Spans of masked values.
    #[must_use]
    pub fn masked_spans(&self) -> &[Span] {
        &self.hidden
    }

    /// The children of the node at `place`, with their indexes.
    pub fn children(&self, place: u32) -> impl Iterator<Item = (u32, &Node)> + '_ {
        let end = self.nodes.get(place as usize).map_or(place, |node| node.end);
        let mut next = place + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let (here, node) = (next, self.nodes.get(next as usize)?);
            next = node.end.max(here + 1);
            Some((here, node))
        })
    }
}

/// Content dropped at a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unkept {
    /// Number of texts.
    pub texts: u64,
    /// Derived bytes.
    pub bytes: u64,
}

/// Copies a list into the memory of `to`, then exchanges both: `from` has the copy, `to` the original.
pub(super) fn copy<T: Copy>(from: &mut Vec<T>, to: &mut Vec<T>) {
    to.clear();
    to.extend_from_slice(from);
    std::mem::swap(from, to);
}
