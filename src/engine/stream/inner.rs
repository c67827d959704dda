//! Inner streams: decrypted or unwrapped bytes are dissected as a separate conversation.

use super::half_stream::Following;
use super::{Stream, StreamDissector, endpoints};
use crate::engine::message::{Delivered, Out, ends_of};
use crate::engine::nested::NestedContext;
use crate::flow::messages::Message;
use crate::flow::reassembly::TcpSegment;
use crate::layers::Bytes;
use crate::registry::{Candidate, FlowContext};
use crate::tree::{Ends, InnerBytes, Piece, Side, StreamId};
use crate::wire::{Cut, Dissector};
use std::net::SocketAddr;
use std::sync::Arc;

/// Maximum nesting of inner streams.
const DEPTH: u8 = 4;

impl Stream {
    /// Continues the inner stream with the bytes that the last message added.
    pub(super) fn read_inner(&mut self, side: Side, out: &mut Out<'_>) {
        for opened in out.tree.handover.take_inner() {
            if self.depth >= DEPTH || opened.is_last && self.inside.is_none() {
                continue;
            }
            let inner = self.inside.get_or_insert_with(|| {
                let carrier = match &self.dissector {
                    StreamDissector::Known(protocol, _) => protocol.this.abbrev,
                    StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => "",
                };
                let path = format!("{}:{carrier}", self.endpoints.path).into();
                let mut inner = Stream {
                    method: Some(opened.method),
                    carrier: Some(carrier),
                    depth: self.depth + 1,
                    ..Stream::new(self.id, self.endpoints.sockets, path)
                };
                for half in inner.halves.iter_mut() {
                    half.from_start = true;
                    half.reassembly.expect(0);
                }
                Box::new(inner)
            });
            inner.life.last_frame = self.life.last_frame;
            let layers = out.tree.layers.len();
            let mut out = Out { below: Some(opened.carrier), tree: out.tree, ..*out };
            inner.accept_bytes(side, &opened, &mut out);
            // The outer message is represented by the messages it carries, once one of them is complete.
            if out.tree.layers.len() > layers
                && !opened.is_last
                && let Some(carrier) = out.tree.layers.get_mut(opened.carrier as usize)
            {
                carrier.message = false;
            }
        }
    }

    /// Creates a stream of messages without loss; `method` states how their bytes were derived, if they were.
    pub(in crate::engine) fn of_messages(
        id: StreamId,
        sockets: [SocketAddr; 2],
        path: Arc<str>,
        method: Option<&'static str>,
    ) -> Stream {
        let mut stream = Stream { method, ..Stream::new(id, Some(sockets), path) };
        for half in stream.halves.iter_mut() {
            half.from_start = true;
            half.reassembly.expect(0);
        }
        stream
    }

    /// Accepts the next message of one side.
    pub(in crate::engine) fn accept_message(&mut self, side: Side, bytes: Vec<u8>, pieces: Vec<Piece>, out: &mut Out<'_>) {
        let opened = InnerBytes { carrier: 0, method: "", bytes, pieces, follows_gap: false, is_last: false };
        self.accept_bytes(side, &opened, out);
    }

    /// Accepts an independent message, `off` bytes after the beginning of its side.
    pub(in crate::engine) fn accept_datagram(
        &mut self,
        side: Side,
        candidate: Candidate,
        message: &Message,
        off: u64,
        out: &mut Out<'_>,
    ) {
        let Dissector::Datagram(read) = candidate.found.dissector else { return };
        // A message that waited for an earlier one has no bytes in this frame.
        let is_late = out.tree.outcome.late || !message.pieces.iter().any(|piece| piece.frame == out.tree.frame.number);
        let timely = is_late.then(|| out.begin_late(true));
        let path = out.below.is_none().then(|| self.endpoints.path.clone());
        let ends = ends_of(out.tree, Ends { path, ..endpoints(self.id, self.endpoints.sockets, side) });
        let pieces = message.pieces.iter().map(|piece| Piece { off: piece.off + off, ..*piece });
        let delivered = Delivered { stream: self.id, side, ends, off, method: self.method, bytes: &message.bytes, pieces };
        out.message(delivered, candidate.protocol, Cut::No, read);
        let context =
            Some(FlowContext { stream: self.id, sockets: self.endpoints.sockets, over: None, inside: true, carrier: None });
        let mut nested = NestedContext { registry: out.registry, context, side, states: &mut self.inner, owner: None };
        nested.payloads(out.tree, Bytes { source: 0, all: &message.bytes });
        if let Some(timely) = timely {
            out.end_late(&timely);
        }
    }

    /// Accepts the next in-order bytes of one side.
    fn accept_bytes(&mut self, side: Side, opened: &InnerBytes, out: &mut Out<'_>) {
        let mut follows_gap = opened.follows_gap;
        for piece in &opened.pieces {
            let start = usize::try_from(piece.off).unwrap_or(usize::MAX);
            let bytes = opened.bytes.get(start..).and_then(|bytes| bytes.get(..piece.len as usize)).unwrap_or_default();
            let order = &self.halves[side].reassembly;
            let [a, b, c, d, ..] = order.buffered_off().saturating_add(order.buffered().len() as u64).to_le_bytes();
            // The number of missing bytes is unknown: one represents them.
            let seq = u32::from_le_bytes([a, b, c, d]).wrapping_add(follows_gap.into());
            let (frame, at, time) = (piece.frame, piece.at, piece.time);
            let segment = TcpSegment { seq, syn: false, fin: false, bytes, missing: 0, frame, at, time };
            self.take(side, &segment, out);
            if std::mem::take(&mut follows_gap) {
                self.skip_gap(side, out);
            }
        }
        if opened.is_last {
            self.drain(side, Following::End, out);
            self.end_inner(side, out);
        }
    }

    /// Ends the inner stream of a side.
    pub(super) fn end_inner(&mut self, side: Side, out: &mut Out<'_>) {
        self.memory.changed = true;
        if let Some(inner) = &mut self.inside {
            inner.drain(side, Following::End, out);
            inner.end_inner(side, out);
        }
    }
}
