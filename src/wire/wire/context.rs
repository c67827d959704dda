//! What a protocol asks of what surrounds its bytes: what of them is looked at, who speaks, and what others told; and what it
//! tells those others.

use super::Wire;
use crate::tree::{Address, Ends, Field, Key, LayerId, MAX_DEPTH, Moment, Side, Time, Unkept, Value};
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

    /// How many bytes a message may still become when it is decompressed: compressed ones are few, and their sum must not cost
    /// more than a multiple of the capture.
    #[must_use]
    pub fn room_to_decompress(&self) -> usize {
        self.tree.room_to_decompress()
    }

    /// So many bytes were decompressed.
    pub fn has_decompressed(&mut self, bytes: usize) {
        self.tree.decompressed = self.tree.decompressed.saturating_add(bytes as u64);
    }

    /// Whether fields are kept. To be asked only before working something out that goes into fields alone.
    #[must_use]
    pub fn wants_fields(&self) -> bool {
        self.tree.demand().fields
    }

    /// Whether one of these fields is kept, with some values at least. To be asked only before working out what goes into them
    /// alone.
    #[must_use]
    pub fn wants(&self, fields: &[&Field]) -> bool {
        let demand = self.tree.demand();
        fields.iter().any(|field| demand.may_keep(field))
    }

    /// Whether somebody names this field. To be asked before working out what is shown only on request.
    #[must_use]
    pub fn asks(&self, field: &Field) -> bool {
        self.tree.demand().asks(field)
    }

    /// Whether this field is kept with this value. To be asked only before leaving it out.
    #[must_use]
    pub fn wants_value(&self, field: &Field, value: Value) -> bool {
        self.tree.demand().keeps(field, value)
    }

    /// Whether nobody looks at what plain headers are made of.
    pub(crate) fn passes_headers(&self) -> bool {
        self.tree.demand().passes_headers()
    }

    /// Whether what can be saved is going to be. To be asked only before keeping something for that alone.
    #[must_use]
    pub fn wants_objects(&self) -> bool {
        self.tree.demand().objects
    }

    /// Whether anybody looks at more than which message there is, and whether it is well-formed. To be asked only before putting
    /// off what others are told of it.
    #[must_use]
    pub fn is_inspected(&self) -> bool {
        self.tree.demand().looks()
    }

    /// Whether anybody may do so at a later message. To be asked only before keeping something for that alone.
    #[must_use]
    pub fn may_be_inspected(&self) -> bool {
        self.tree.may_be_inspected
    }

    /// Whether what a message says in a line is looked at. To be asked only before working that out.
    #[must_use]
    pub fn wants_summary(&self) -> bool {
        self.tree.demand().words
    }

    /// How many groups may still lie inside each other.
    #[must_use]
    pub(crate) fn levels(&self) -> usize {
        MAX_DEPTH.saturating_sub(self.depth)
    }

    /// The number of the frame that completed these bytes, and when it was captured.
    #[must_use]
    pub fn completed(&self) -> (u64, Time) {
        let source = self.tree.sources.get(self.source as usize);
        let pieces = source.map(|source| self.tree.pieces_of(source)).unwrap_or_default();
        let last = pieces.iter().max_by_key(|piece| piece.frame).map(|piece| (piece.frame, piece.time));
        last.unwrap_or((self.tree.frame.number, self.tree.frame.time))
    }

    /// The addresses of who speaks and who is spoken to, where both have such of IP.
    #[must_use]
    pub fn addresses(&self) -> Option<[IpAddr; 2]> {
        let ends = self.tree.layers.get(self.layer as usize).and_then(|layer| self.tree.ends.get(layer.ends as usize))?;
        match (ends.src?, ends.dst?) {
            (Address::Ip(src), Address::Ip(dst)) => Some([src, dst]),
            _ => None,
        }
    }

    /// The earlier packet that was kept under this key.
    #[must_use]
    pub fn earlier(&self, key: &Key) -> Option<Moment> {
        self.tree.earlier.of(key)
    }

    /// Keep this packet under a key, with a number. To be done only where somebody asks for what follows from it.
    pub fn keep(&mut self, key: Key, told: u64) {
        let moment = Moment { frame: self.tree.frame.number, time: self.tree.frame.time, told };
        self.tree.earlier.keep(key, moment);
    }

    /// Keep another number with an earlier packet.
    pub fn keep_as(&mut self, key: Key, moment: Moment) {
        self.tree.earlier.keep(key, moment);
    }

    /// The number of the frame being read, and when it was captured.
    #[must_use]
    pub fn now(&self) -> (u64, Time) {
        (self.tree.frame.number, self.tree.frame.time)
    }

    /// Whether what is read is quoted or lies inside a group of the layer.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Who speaks and who is spoken to, where both are ends of UDP or TCP.
    #[must_use]
    pub fn ends(&self) -> Option<[SocketAddr; 2]> {
        let layer = self.tree.layers.get(self.layer as usize)?;
        match self.tree.ends.get(layer.ends as usize) {
            Some(Ends { src: Some(Address::Socket(src)), dst: Some(Address::Socket(dst)), .. }) => Some([*src, *dst]),
            _ => None,
        }
    }

    /// Say that only this side sends such a datagram: who is the client and who the server was a guess until then.
    pub fn sent_by(&mut self, side: Side) {
        self.tree.handover.sent_by(side);
    }

    /// Tell a number to other protocols of the conversation. They have to know its name.
    pub fn remember(&mut self, name: &'static str, number: u64) {
        self.tree.handover.facts.remember(name, number);
    }

    /// What a protocol of the conversation told by this name.
    #[must_use]
    pub fn recall(&self, name: &str) -> Option<u64> {
        self.tree.handover.facts.recall(name)
    }

    /// Whether a layer of this protocol carries this one.
    #[must_use]
    pub fn is_over(&self, protocol: &Field) -> bool {
        let up = |place: &LayerId| self.tree.layers.get(*place as usize)?.below;
        let mut below = std::iter::successors(up(&self.layer), up).filter_map(|place| self.tree.layers.get(place as usize));
        below.any(|layer| self.tree.nodes.get(layer.node as usize).is_some_and(|node| node.field.is(protocol)))
    }
}
