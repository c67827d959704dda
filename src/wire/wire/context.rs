//! The context of a dissector: which fields are requested, the endpoints, and state shared with other dissectors.

use super::Wire;
use crate::tree::{Address, EarlierPacket, Ends, Extras, Field, Key, LayerId, MAX_DEPTH, Side, Time, Unkept, Value};
use crate::wire::Beginning;
use std::net::{IpAddr, SocketAddr};

impl Wire<'_> {
    /// Fields that were read but not kept because the tree was full.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.tree.omitted()
    }

    /// Text and derived bytes that were created for this frame but not kept.
    pub fn unkept(&self) -> Unkept {
        self.tree.unkept()
    }

    /// Number of bytes that may still be decompressed. The sum is bounded by a multiple of the capture.
    #[must_use]
    pub fn decompression_limit(&self) -> usize {
        self.tree.decompression_limit()
    }

    /// Counts decompressed bytes.
    pub fn has_decompressed(&mut self, bytes: usize) {
        self.tree.run.decompressed = self.tree.run.decompressed.saturating_add(bytes as u64);
    }

    /// Whether bodies inside messages are dissected, for their fields or for notes on them.
    pub(crate) fn reads_bodies(&self) -> bool {
        self.tree.demand().fields.any()
    }

    /// Whether any of these fields is kept, for some values at least. Skip only work that serves them alone.
    #[must_use]
    pub fn wants(&self, fields: &[&Field]) -> bool {
        let demand = self.tree.demand();
        fields.iter().any(|field| demand.may_keep(field))
    }

    /// Whether this field is kept with this value.
    #[must_use]
    pub fn wants_value(&self, field: &Field, value: Value) -> bool {
        self.tree.demand().keeps(field, value)
    }

    /// Whether the fields of plain headers can be skipped.
    pub(crate) fn passes_headers(&self) -> bool {
        self.tree.demand().passes_headers()
    }

    /// Whether objects are exported. Skip only state that serves them alone.
    #[must_use]
    pub fn wants_objects(&self) -> bool {
        self.tree.demand().has(Extras::OBJECTS)
    }

    /// Whether nothing but the type of this message is requested: work for later messages can be deferred.
    #[must_use]
    pub fn defers(&self) -> bool {
        !self.tree.demand().inspects()
    }

    /// Whether fields, notes or objects of a later message may be requested. Skip only state that serves them alone.
    #[must_use]
    pub fn may_be_inspected(&self) -> bool {
        self.tree.run.may_be_inspected
    }

    /// Whether the summary is displayed. Skip only work that serves it alone.
    #[must_use]
    pub fn wants_summary(&self) -> bool {
        self.tree.demand().has(Extras::SUMMARIES)
    }

    /// Whether lists show a preview of the message.
    #[must_use]
    pub fn wants_preview(&self) -> bool {
        self.tree.demand().has(Extras::PREVIEWS)
    }

    /// Number of further nested groups permitted.
    pub(crate) fn levels(&self) -> usize {
        MAX_DEPTH.saturating_sub(self.depth)
    }

    /// Number and capture time of the frame that completed these bytes.
    #[must_use]
    pub fn completed(&self) -> (u64, Time) {
        let source = self.tree.sources.get(self.source as usize);
        let pieces = source.map(|source| self.tree.pieces_of(source)).unwrap_or_default();
        let last = pieces.iter().max_by_key(|piece| piece.frame).map(|piece| (piece.frame, piece.time));
        last.unwrap_or((self.tree.frame.number, self.tree.frame.time))
    }

    /// Source and destination IP addresses, if both are known.
    #[must_use]
    pub fn addresses(&self) -> Option<[IpAddr; 2]> {
        let ends = self.tree.layers.get(self.layer as usize).and_then(|layer| self.tree.ends.get(layer.ends as usize))?;
        match (ends.src?, ends.dst?) {
            (Address::Ip(src), Address::Ip(dst)) => Some([src, dst]),
            _ => None,
        }
    }

    /// The earlier packet recorded under this key.
    #[must_use]
    pub fn earlier(&self, key: &Key) -> Option<EarlierPacket> {
        self.tree.run.earlier.of(key)
    }

    /// Records this packet under a key, with a number. Do so only if a dependent field is requested.
    pub fn keep(&mut self, key: Key, number: u64) {
        let packet = EarlierPacket { frame: self.tree.frame.number, time: self.tree.frame.time, value: number };
        self.tree.run.earlier.keep(key, packet);
    }

    /// Records another number for an earlier packet.
    pub fn keep_as(&mut self, key: Key, packet: EarlierPacket) {
        self.tree.run.earlier.keep(key, packet);
    }

    /// Number and capture time of the current frame.
    #[must_use]
    pub fn now(&self) -> (u64, Time) {
        (self.tree.frame.number, self.tree.frame.time)
    }

    /// Whether the current bytes are quoted or in a group of the layer.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// The conversation of this datagram.
    #[must_use]
    pub fn beginning(&self) -> Option<Beginning> {
        let layer = self.tree.layers.get(self.layer as usize)?;
        let (stream, from) = self.tree.ends.get(layer.ends as usize)?.stream?;
        let ends = self.ends().map(|[src, dst]| if from == Side::Client { [src, dst] } else { [dst, src] });
        Some(Beginning { stream, ends, first: self.tree.frame.time, frame: self.tree.frame.number })
    }

    /// Source and destination, if both are UDP or TCP endpoints.
    #[must_use]
    pub fn ends(&self) -> Option<[SocketAddr; 2]> {
        let layer = self.tree.layers.get(self.layer as usize)?;
        match self.tree.ends.get(layer.ends as usize) {
            Some(Ends { src: Some(Address::Socket(src)), dst: Some(Address::Socket(dst)), .. }) => Some([*src, *dst]),
            _ => None,
        }
    }

    /// The sender, if the layer belongs to a conversation and its direction is known.
    #[must_use]
    pub fn sender(&self) -> Option<Side> {
        let layer = self.tree.layers.get(self.layer as usize)?;
        self.tree.ends.get(layer.ends as usize)?.direction()
    }

    /// Declares the sender's role, known from this type of datagram. Corrects the guessed client and server.
    pub fn sent_by(&mut self, side: Side) {
        self.tree.handover.sent_by(side);
    }

    /// Shares a number with other dissectors of the conversation, by name.
    pub fn remember(&mut self, name: &'static str, number: u64) {
        self.tree.handover.numbers.remember(name, number);
    }

    /// The number shared under this name by a dissector of the conversation.
    #[must_use]
    pub fn recall(&self, name: &str) -> Option<u64> {
        self.tree.handover.numbers.recall(name)
    }

    /// Whether `protocol` is among the carrying layers.
    #[must_use]
    pub fn is_over(&self, protocol: &Field) -> bool {
        let up = |place: &LayerId| self.tree.layers.get(*place as usize)?.below;
        let mut below = std::iter::successors(up(&self.layer), up).filter_map(|place| self.tree.layers.get(place as usize));
        below.any(|layer| self.tree.nodes.get(layer.node as usize).is_some_and(|node| node.field.is(protocol)))
    }
}
