//! Adds messages to the tree.

use super::bug;
use crate::layers::DATA;
use crate::registry::Registry;
use crate::tree::{Demand, Ends, LayerId, OmittedMessages, Piece, Side, Span, StreamId, Tree};
use crate::wire::{Cut, Protocol, Result, Wire, data};
use std::sync::Arc;

/// Number of endpoint pairs added last that are searched for those of the next message.
const LATE_ENDS: usize = 16;

/// Destination of messages while a frame is dissected.
pub(super) struct Out<'a> {
    pub tree: &'a mut Tree,
    pub registry: Registry,
    /// Bytes of the frame; empty at the end of the capture.
    pub frame: &'a [u8],
    /// The layer that carries the messages, if this tree has it.
    pub below: Option<LayerId>,
    /// Disables deferral to the next frame, whatever the size of the tree.
    pub must: bool,
    /// Whether the layers are sorted afterwards.
    pub sorts: bool,
}

/// State of the tree before a late message.
pub(super) struct Timely {
    below: Option<LayerId>,
    late: bool,
    demand: Demand,
}

/// Stream bytes from one side.
pub(super) struct Delivered<'a, P> {
    pub stream: StreamId,
    pub side: Side,
    /// Sender and receiver, as an index in the tree.
    pub ends: u32,
    /// Their offset in the stream.
    pub off: u64,
    /// How the bytes of an inner stream were derived.
    pub method: Option<&'static str>,
    pub bytes: &'a [u8],
    /// Pieces of the frames that carried them.
    pub pieces: P,
}

impl<'a> Out<'a> {
    pub(super) fn new(tree: &'a mut Tree, registry: Registry, frame: &'a [u8], below: Option<LayerId>) -> Out<'a> {
        Out { tree, registry, frame, below, must: false, sorts: false }
    }

    /// The same, without deferring any messages.
    pub(super) fn of_all(self) -> Out<'a> {
        Out { must: true, ..self }
    }

    /// Whether further messages should be deferred to the next frame of the conversation.
    pub(super) fn is_full(&self) -> bool {
        self.tree.is_crowded() && !self.must
    }

    /// Begins late messages. No header of this frame carries those of the outermost stream. Returns the state to restore.
    pub(super) fn begin_late(&mut self, is_outermost: bool) -> Timely {
        let timely = Timely { below: self.below, late: self.tree.outcome.late, demand: self.tree.set_demand_of_late() };
        self.below = self.below.filter(|_| !is_outermost);
        timely
    }

    /// Restores the state before late messages.
    pub(super) fn end_late(&mut self, timely: &Timely) {
        self.below = timely.below;
        self.tree.outcome.late = timely.late;
        self.tree.set_demand(timely.demand);
    }

    /// Adds a message that `read` dissects. Returns false if it panicked.
    pub(super) fn message<P: Iterator<Item = Piece>>(
        &mut self,
        delivered: Delivered<'_, P>,
        protocol: &'static Protocol,
        cut: Cut,
        read: impl FnOnce(&mut Wire<'_>) -> Result,
    ) -> bool {
        let (bytes, ends) = (delivered.bytes, delivered.ends);
        let source = self.source(delivered);
        let layer = self.tree.push_layer(protocol.this, Span::new(source, 0..bytes.len()), self.below, ends, true);
        let node = self.tree.layers.get(layer as usize).map_or(0, |layer| layer.node);
        let mut wire = Wire::new(self.tree, layer, source, bytes, 0..bytes.len(), cut);
        let (result, is_fine) = bug::reading(&mut wire, bytes.len(), protocol, read);
        let left = protocol.conclude(&mut wire, result);
        self.tree.close(node, protocol.this, bytes.len());
        self.tree.outcome.undissected += left as u64;
        is_fine
    }

    /// Adds bytes of unknown format, all masked if they may be part of a secret.
    pub(super) fn data<P: Iterator<Item = Piece>>(&mut self, delivered: Delivered<'_, P>, is_secret: bool) {
        let len = delivered.bytes.len();
        self.tree.outcome.undissected += len as u64;
        self.message(delivered, &DATA, Cut::No, |wire| {
            wire.info(format_args!("{len} bytes"));
            if is_secret {
                wire.hide(0..len);
            }
            wire.rest(&data::BYTES);
            Ok(())
        });
    }

    /// Counts bytes of unknown format without adding a layer.
    pub(super) fn count(&mut self, len: usize, pieces: impl Iterator<Item = Piece>) {
        self.tree.outcome.undissected += len as u64;
        let time = pieces.max_by_key(|piece| piece.frame).and_then(|piece| piece.time);
        self.tree.outcome.omitted_messages =
            OmittedMessages { count: self.tree.outcome.omitted_messages.count + 1, time, before: self.tree.layers.len() };
    }

    fn source<P: Iterator<Item = Piece>>(&mut self, delivered: Delivered<'_, P>) -> u32 {
        let first = self.tree.pieces.len();
        if let Some(method) = delivered.method {
            self.tree
                .pieces
                .extend(delivered.pieces.map(|piece| Piece { off: piece.off.saturating_sub(delivered.off), ..piece }));
            return self.tree.push_deciphered(method, None, first, delivered.bytes);
        }
        self.tree.pieces.extend(delivered.pieces);
        let pieces = self.tree.pieces.get_mut(first..).unwrap_or_default();
        if pieces.iter().any(|piece| piece.at == Piece::NOWHERE) {
            pieces.iter_mut().for_each(|piece| piece.off = piece.off.saturating_sub(delivered.off));
            return self.tree.push_inflated((delivered.stream, delivered.side, delivered.off), first, delivered.bytes);
        }
        let in_frame = match self.tree.pieces.get(first..) {
            Some([piece]) if piece.frame == self.tree.frame.number => {
                let at = piece.at as usize;
                self.frame.get(at..at + delivered.bytes.len()).is_some()
            }
            _ => false,
        };
        self.tree.push_stream(delivered.stream, delivered.side, delivered.off, first, Some(delivered.bytes).filter(|_| !in_frame))
    }
}

/// The names of the layers down to the carrier of a stream and its own.
pub(super) fn path_of(tree: &Tree, below: LayerId, own: &str) -> Arc<str> {
    let up = |place: &LayerId| tree.layers.get(*place as usize)?.below;
    let mut names: Vec<&str> = std::iter::successors(Some(below), up)
        .filter_map(|place| tree.layers.get(place as usize))
        .filter_map(|layer| tree.nodes.get(layer.node as usize))
        .map(|node| node.field.abbrev)
        .collect();
    names.reverse();
    names.push(own);
    names.join(":").into()
}

/// Index of the endpoints of a conversation in the tree; adds them if necessary.
pub(super) fn ends_of(tree: &mut Tree, ends: Ends) -> u32 {
    let is_it = |known: &Ends| known.stream == ends.stream && known.src == ends.src && known.dst == ends.dst;
    let before = tree.ends.len().saturating_sub(LATE_ENDS);
    let known = tree.ends.iter().skip(before).position(|known| is_it(known) && known.path.is_some() == ends.path.is_some());
    match known.and_then(|place| u32::try_from(before + place).ok()) {
        Some(place) => place,
        None => tree.push_ends(ends),
    }
}
