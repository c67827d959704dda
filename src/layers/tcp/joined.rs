//! Fields of segments that carry parts of reassembled messages, as in Wireshark.

use super::{FAST_RETRANSMISSION, KEEP_ALIVE, OUT_OF_ORDER, RETRANSMISSION, SPURIOUS_RETRANSMISSION};
use crate::tree::{Computed, Dissection, Field, LayerId, NodeRef, Origin, Piece, Transport};
use std::borrow::Cow;

/// Results of segments that add nothing to reassembly, or are out of order.
pub(super) static REPEATS: &[&Field] =
    &[&RETRANSMISSION, &FAST_RETRANSMISSION, &SPURIOUS_RETRANSMISSION, &OUT_OF_ORDER, &KEEP_ALIVE];

/// Protocols that Wireshark does not reassemble as PDUs of known size.
const WITHOUT_SIZE: [&str; 9] = ["data", "ftp", "ftp-data", "http", "irc", "sip", "smtp", "ssh", "tls"];

/// A message of the stream with bytes of a segment.
#[derive(Clone, Copy)]
struct HeaderPayload<'t> {
    node: NodeRef<'t>,
    pieces: &'t [Piece],
}

impl HeaderPayload<'_> {
    fn is_joined(&self) -> bool {
        self.pieces.windows(2).any(|pair| matches!(pair, [one, next] if one.frame != next.frame))
    }
}

/// The layer of a node.
fn layer_of(of: Dissection<'_>, place: u32) -> Option<LayerId> {
    let holds = |node: u32| node <= place && of.tree.nodes.get(node as usize).is_some_and(|node| place < node.end);
    let layer = of.tree.layers.iter().position(|layer| holds(layer.node))?;
    u32::try_from(layer).ok()
}

/// The messages that the segment of this payload completes.
fn messages(payload: NodeRef<'_>) -> impl Iterator<Item = HeaderPayload<'_>> {
    let of = payload.dissection();
    let own = layer_of(of, payload.place());
    let carried = of.tree.layers.iter().filter(move |layer| !layer.late && own.is_some() && layer.below == own);
    let mut last = None;
    carried.filter_map(move |layer| {
        let node = of.layer_node(layer)?;
        let source = of.tree.source(node.span())?;
        let is_of_stream = matches!(source.origin, Origin::Stream(stream, _) if stream.transport == Transport::Tcp);
        // A second layer of the same bytes is not another message.
        let is_new = last.replace(node.span().source) != Some(node.span().source);
        (is_of_stream && is_new).then(|| HeaderPayload { node, pieces: of.tree.pieces_of(source) })
    })
}

fn joined(payload: NodeRef<'_>) -> impl Iterator<Item = HeaderPayload<'_>> {
    messages(payload).filter(HeaderPayload::is_joined)
}

/// The frames of a message, each once.
fn frames(carried: HeaderPayload<'_>) -> impl Iterator<Item = u64> {
    let mut last = None;
    carried.pieces.iter().map(|piece| piece.frame).filter(move |frame| last.replace(*frame) != Some(*frame))
}

pub(super) fn segments(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    joined(payload).flat_map(frames).for_each(|frame| take(Computed::Number(frame)));
}

pub(super) fn count(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    joined(payload).for_each(|carried| take(Computed::Number(frames(carried).count() as u64)));
}

pub(super) fn length(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    joined(payload).for_each(|carried| take(Computed::Number(carried.node.span().len().into())));
}

pub(super) fn data(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    joined(payload).for_each(|carried| take(Computed::Bytes(carried.node.masked_bytes())));
}

pub(super) fn is_joined(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    joined(payload).for_each(|_| take(Computed::Bool(true)));
}

pub(super) fn sizes(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let sized = messages(payload).filter(|carried| !WITHOUT_SIZE.contains(&carried.node.field().abbrev));
    sized.for_each(|carried| take(Computed::Number(carried.node.span().len().into())));
}

/// Parts of the payload that belong to messages in several segments: the end of one, and the beginning of an incomplete one.
pub(super) fn parts(payload: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let (of, span) = (payload.dissection(), payload.span());
    if !of.tree.sources.get(span.source as usize).is_some_and(|source| source.origin == Origin::Frame) {
        return;
    }
    let here = of.tree.frame.number;
    let place = |carried: HeaderPayload<'_>| {
        let pieces = carried.pieces.iter().filter(|piece| piece.frame == here);
        pieces.map(|piece| (piece.at, piece.at.saturating_add(piece.len), carried.is_joined())).collect::<Vec<_>>()
    };
    let mut read: Vec<(u32, u32, bool)> = messages(payload).flat_map(place).collect();
    read.sort_unstable();
    let repeats = payload.before().any(|node| REPEATS.iter().any(|mark| mark.is(node.field())));
    let bytes = payload.masked_bytes();
    let mut part = |from: u32, to: u32| {
        let part = bytes.get(from.saturating_sub(span.start) as usize..to.saturating_sub(span.start) as usize);
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            take(Computed::Bytes(Cow::Borrowed(part)));
        }
    };
    let mut at = span.start;
    for (from, to, is_joined) in read {
        if is_joined {
            part(from.max(at), to);
        }
        at = at.max(to);
    }
    if !repeats {
        part(at, span.end);
    }
}

/// A value that depends on a later frame: Wireshark computes it in a second pass.
pub(super) fn later(_: NodeRef<'_>, _: &mut dyn FnMut(Computed<'_>)) {}
