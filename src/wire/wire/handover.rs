//! Passes payload, inner streams, announced conversations and connection IDs to other protocols.

use super::Wire;
use crate::tree::{
    ConnectionId, EmbeddedPayload, Expected, Field, Gap, InnerBytes, Lost, Origin, Payload, Quote, QuotedPayload, Receiver,
    SharedValue, SharedValues, Sharers, Side, Span, Transport, Value,
};
use crate::wire::{Cut, Result};
use std::net::SocketAddr;
use std::ops::Range;

impl Wire<'_> {
    /// Hands a range of the source over to the protocol registered [`crate::wire::On::Over`] this place, or to `data`. It becomes
    /// a separate message, carried by this one.
    pub fn hand_over(&mut self, place: &'static str, range: Range<usize>) {
        self.leave(Receiver::Place(place), range, (0, true), Vec::new());
    }

    /// The same with a number about the payload, which [`Wire::detail`] returns to its dissector.
    pub fn hand_over_with(&mut self, place: &'static str, range: Range<usize>, detail: u64) {
        self.leave(Receiver::Place(place), range, (detail, true), Vec::new());
    }

    /// Delivers a range of the source as a message of this conversation, or to another receiver. `lost` is missing before it.
    pub fn deliver(&mut self, receiver: Receiver, range: Range<usize>, detail: u64, lost: Vec<Lost>) {
        self.leave(receiver, range, (detail, true), lost);
    }

    /// The number that the carrier stated about this message.
    #[must_use]
    pub fn detail(&self) -> u64 {
        self.tree.handover.detail
    }

    /// Hands a range of the source over to the protocol registered [`crate::wire::On::Over`] this place, if there is one.
    pub fn offer(&mut self, place: &'static str, range: Range<usize>) {
        self.leave(Receiver::Place(place), range, (0, false), Vec::new());
    }

    /// The same with a number about the payload.
    pub fn offer_with(&mut self, place: &'static str, range: Range<usize>, detail: u64) {
        self.leave(Receiver::Place(place), range, (detail, false), Vec::new());
    }

    /// The same as [`Wire::offer`], if a protocol that was loaded at run time reads what is handed over under this name: what many messages would
    /// offer in vain.
    pub fn offer_loaded(&mut self, place: &'static str, range: Range<usize>) {
        if self.tree.run.loaded_places.contains(&place) {
            self.offer(place, range);
        }
    }

    fn leave(&mut self, receiver: Receiver, range: Range<usize>, (detail, alone): (u64, bool), lost: Vec<Lost>) {
        let source = self.tree.sources.get(self.source as usize);
        let derived = source.is_some_and(|source| matches!(source.origin, Origin::Derived(_)));
        let end = range.end.min(self.bytes.len());
        let range = range.start.min(end)..end;
        let cut = self.cut != Cut::No && range.end == self.end;
        let bytes = derived.then(|| self.tree.handover.shared(self.source).unwrap_or_else(|| self.bytes.into()));
        let (carrier, source) = (self.layer, self.source);
        self.tree.handover.hand_over(Payload { carrier, receiver, lost, source, range, bytes, detail, cut, alone });
    }

    /// Appends the next `count` bytes to the inner stream, which is detected and reassembled like a connection. Bytes are missing
    /// before them if `follows_gap` is set.
    pub fn add_inner(&mut self, field: &'static Field, count: usize, method: &'static str, follows_gap: bool) -> Result {
        let pieces = self.pieces(self.at..self.at + count, 0);
        let bytes = self.bytes(field, count)?.to_vec();
        self.tree.handover.open(InnerBytes { carrier: self.layer, method, bytes, pieces, follows_gap, is_last: false });
        Ok(())
    }

    /// Ends this side of the inner stream of the current message.
    pub fn end_inner(&mut self, method: &'static str) {
        let (bytes, pieces) = (Vec::new(), Vec::new());
        self.tree.handover.open(InnerBytes { carrier: self.layer, method, bytes, pieces, follows_gap: false, is_last: true });
    }

    /// The secret with this label and id, from a key log or from the capture.
    #[must_use]
    pub fn secret(&self, label: &str, id: &[u8]) -> Option<&[u8]> {
        self.tree.run.secrets.find(label, id)
    }

    /// Adds the field for the stream number of a packet that an error quotes; `opens` is the sequence number of a SYN. The engine
    /// sets the number.
    pub(crate) fn quote(&mut self, field: &'static Field, transport: Transport, ends: [SocketAddr; 2], opens: Option<u32>) {
        let node = self.add(field, Value::Unsigned(0));
        let [src, dst] = ends;
        self.tree.handover.quote(Quote { node, transport, src, dst, opens });
    }

    /// Dissects the payload of a quoted packet by its ports, as fields of this layer. Returns the name of its protocol, if known.
    pub(crate) fn quoted_payload(
        &mut self,
        transport: Transport,
        ends: [SocketAddr; 2],
        range: Range<usize>,
        is_cut: bool,
    ) -> Option<&'static str> {
        let (layer, source, bytes) = (self.layer, self.source, self.bytes);
        let payload = QuotedPayload { layer, source, bytes, range, is_cut, transport, ends };
        self.tree.read_quoted(&payload).map(|protocol| protocol.abbrev)
    }

    /// Reports elements that are missing, behind which no message was delivered yet.
    pub fn lose(&mut self, lost: Vec<Lost>) {
        let ends = self.tree.layers.get(self.layer as usize).and_then(|layer| self.tree.ends.get(layer.ends as usize));
        let Some((stream, side)) = ends.and_then(|ends| ends.stream) else { return };
        let (frame, before) = (self.tree.frame.number, self.tree.layers.len());
        let gap = |lost| Gap { stream, side, off: 0, len: 0, elements: Some(lost), frame, before };
        self.tree.gaps.extend(lost.into_iter().map(gap));
    }

    /// Number of payloads handed over so far.
    pub(crate) fn handed_over(&self) -> usize {
        self.tree.handover.payload_count()
    }

    /// Lets the protocol of this name read bytes as a part of this message: its fields follow, and it keeps no state. `derived` has
    /// the bytes of the source unless it is the one of this cursor.
    pub fn read_embedded(&mut self, protocol: &'static str, span: Span, derived: Option<&[u8]>) {
        let range = span.start as usize..span.end as usize;
        let (layer, bytes) = (self.layer, derived.unwrap_or(self.bytes));
        self.tree.read_embedded(&EmbeddedPayload { layer, source: span.source, bytes, range, protocol });
    }

    /// Announces that conversations with this endpoint carry the protocol registered [`crate::wire::On::Over`] this place.
    pub fn expect(&mut self, transport: Transport, end: SocketAddr, place: &'static str) {
        self.tree.handover.expect(Expected { transport, end, place, details: None });
    }

    /// Announces a datagram conversation, with details for [`crate::wire::Exchange::announced`] (at most 4 KiB are kept).
    pub fn expect_with(&mut self, end: SocketAddr, place: &'static str, details: &[u8]) {
        const KEPT: usize = 4096;
        let details = Some(details.get(..KEPT).unwrap_or(details).into());
        self.tree.handover.expect(Expected { transport: Transport::Udp, end, place, details });
    }

    /// Leaves a value for later conversations of these hosts. Returns the number of owners of such values that were evicted.
    pub fn share(&mut self, protocol: &'static str, sharers: Sharers, value: SharedValue) -> usize {
        self.tree.run.shared.set(protocol, sharers, value)
    }

    /// What earlier conversations left.
    #[must_use]
    pub fn shared(&self) -> &SharedValues {
        &self.tree.run.shared
    }

    /// States that later conversations of these hosts may depend on this one. `split` puts them into one part.
    pub fn relate(&mut self, hosts: Sharers) {
        self.tree.handover.relate(hosts);
    }

    /// The last frame that has bytes of this range.
    #[must_use]
    pub fn last_frame(&self, range: Range<usize>) -> u64 {
        self.pieces(range, 0).iter().map(|piece| piece.frame).max().unwrap_or(self.tree.frame.number)
    }

    /// Issues a connection ID: datagrams of `sender` that contain these bytes at this offset belong to this conversation,
    /// whatever their endpoints. IDs of fewer than four bytes are ignored.
    pub fn issue_connection_id(&mut self, sender: Side, offset: usize, bytes: &[u8]) {
        self.tree.handover.issue(ConnectionId { sender, offset, bytes: bytes.into() });
    }
}
