//! Payload of conversations: the bytes of each side in order, and the gaps.
//!
//! The engine reports stream bytes as the bytes of messages; they are collected here, each once, when their message is
//! complete. Does not print. Secret bytes are masked with asterisks, except in raw mode.

mod content;
mod dump;
mod files;
mod secrets;
mod streams;

pub use content::Content;
use content::ContentExtractor;
pub use dump::{Dump, Form};
pub use files::Files;
pub use streams::{Existing, Stream, Streams};

use crate::record::{Message, Record, RecordTimes, Tally, View};
use crate::registry::Registry;
use crate::tree::{
    BySide, Demand, Derived, Dissection, Ends, Layer, NodeRef, Origin, Side, Source, Span, StreamId, Time, Transport,
};
use secrets::Secrets;
use std::collections::HashMap;

/// Payload bytes sent by one side of a conversation.
#[derive(Clone, Copy)]
pub struct Payload<'t> {
    /// The conversation.
    pub stream: StreamId,
    /// Sender.
    pub side: Side,
    /// Stream offset of the first byte.
    pub off: u64,
    /// Whether reassembly could not place the bytes: they are listed where they arrived, at the offset of what follows.
    pub is_stray: bool,
    /// The payload, in stream order.
    pub bytes: &'t [u8],
    /// Number of secret bytes: masked unless raw.
    pub secret: usize,
    /// Endpoints.
    pub ends: &'t Ends,
    /// The message that contains them.
    pub message: Message<'t>,
}

/// A gap: sent bytes that are not in the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The conversation.
    pub stream: StreamId,
    /// Sender.
    pub side: Side,
    /// Stream offset of the first missing byte.
    pub off: u64,
    /// Number of missing bytes.
    pub len: u64,
    /// The frame at which reassembly gave up on them.
    pub frame: u64,
}

/// An event of a conversation.
#[derive(Clone, Copy)]
pub enum Event<'t> {
    /// Payload bytes.
    Payload(Payload<'t>),
    /// A gap.
    Missing(Missing),
}

/// Collects the payload of conversations from trees.
pub struct Follower {
    only: Option<StreamId>,
    tally: Tally,
    /// Next stream offset of each side.
    offsets: Offsets,
    /// Payloads of the current tree already reported, and secrets to mask.
    payloads: Payloads,
    /// The followed content, if not stream bytes.
    carried: Option<ContentExtractor>,
}

#[derive(Default)]
struct Payloads {
    /// UDP headers whose payload was reported.
    headers: Vec<u32>,
    /// Whether the payload of a datagram without headers was reported.
    whole: bool,
    secrets: Secrets,
}

#[derive(Default)]
struct Offsets(HashMap<StreamId, BySide<u64>, foldhash::fast::RandomState>);

impl Payload<'_> {
    /// Time of completion.
    pub fn time(&self) -> Time {
        self.message.time()
    }
}

impl Follower {
    /// Follows one conversation, or all.
    pub fn new(only: Option<StreamId>) -> Follower {
        Follower {
            only,
            tally: Tally::new(View::Messages),
            offsets: Offsets::default(),
            payloads: Payloads::default(),
            carried: None,
        }
    }

    /// Follows another content instead of stream bytes.
    #[must_use]
    pub fn to(mut self, content: Content) -> Follower {
        self.carried = match content {
            Content::Bytes => None,
            Content::Of(content) => Some(ContentExtractor::new(content, Registry::default())),
        };
        self
    }

    /// Required parts of a frame.
    pub fn demand(&self) -> Demand {
        self.carried.as_ref().map_or(Demand::STREAM_BYTES, ContentExtractor::demand)
    }

    /// Whether any followed conversation uses the protocol of the content.
    pub fn has_met(&self) -> bool {
        self.carried.as_ref().is_none_or(|carried| carried.met)
    }

    /// Raw mode: secret bytes are not masked.
    #[must_use]
    pub fn raw(mut self) -> Follower {
        self.payloads.secrets.raw = true;
        self
    }

    /// Reports the payload in a tree.
    pub fn collect<E>(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut emit: impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Follower { only, tally, offsets, payloads, carried } = self;
        let is_meant = |stream| only.is_none_or(|only| only == stream);
        payloads.headers.clear();
        payloads.whole = false;
        payloads.secrets.see(of.tree);
        if let Some(carried) = carried {
            carried.begin();
            tally.records(of, captured, |record| carried.record(&record, is_meant, &payloads.secrets, offsets, &mut emit))?;
            return carried.rest(of, is_meant, &payloads.secrets, offsets, &mut emit);
        }
        tally.records(of, captured, |record| match record {
            Record::Gap(gap) if is_meant(gap.stream) && gap.elements.is_none() => {
                let behind = offsets.behind(gap.stream, gap.side);
                let end = gap.off.saturating_add(gap.len);
                *behind = end.max(*behind);
                let missing = Missing { stream: gap.stream, side: gap.side, off: gap.off, len: gap.len, frame: gap.frame };
                emit(Event::Missing(missing))
            }
            Record::Message(message) => {
                if let Some((stream, side)) = message.ends().and_then(|ends| ends.stream).filter(|(id, _)| is_meant(*id)) {
                    // A message within another one is reported with the bytes of the outer one.
                    let carriers = if is_inside(message) { message.carriers() } else { Vec::new() };
                    for layer in carriers.into_iter().chain([message.layer]) {
                        in_order(stream, side, (message, layer), &payloads.secrets, offsets.behind(stream, side), &mut emit)?;
                    }
                    stray(message, &payloads.secrets, *offsets.behind(stream, side), &mut emit)?;
                }
                // Each UDP header has its own payload; several messages may share one.
                for payload in std::iter::once(message.layer).chain(message.carriers()) {
                    datagram(message, payload, payloads, is_meant, offsets, &mut emit)?;
                }
                Ok(())
            }
            _ => Ok(()),
        })?;
        // A tunnel may have payload without a message.
        for payload in &of.tree.layers {
            let message = Message { n: 0, times: RecordTimes::default(), of, layer: payload, bookmarks: None };
            datagram(message, payload, payloads, is_meant, offsets, &mut emit)?;
        }
        Ok(())
    }
}

impl Offsets {
    /// Next stream offset of a side.
    fn behind(&mut self, stream: StreamId, side: Side) -> &mut u64 {
        &mut self.0.entry(stream).or_default()[side]
    }
}

/// The stream offset of the first byte of a source; `None` if it holds no bytes of this direction.
fn base(source: &Source, stream: StreamId, side: Side) -> Option<u64> {
    match source.origin {
        Origin::Stream(of, from) if (of, from) == (stream, side) => Some(source.base),
        Origin::Derived(Derived { stream: Some((of, from, base)), .. }) if (of, from) == (stream, side) => Some(base),
        _ => None,
    }
}

/// Whether a message is part of another one in the same stream.
fn is_inside(message: Message<'_>) -> bool {
    let Some(span) = message.node().map(NodeRef::span) else { return false };
    let below = || message.of.layer_node(message.of.tree.layers.get(message.layer.below? as usize)?);
    message.of.tree.source(span).is_some_and(|source| match source.origin {
        Origin::Derived(_) => true,
        Origin::Stream(..) => below().is_some_and(|below| below.span().source == span.source),
        Origin::Frame => false,
    })
}

/// Bytes of a stream, unless reported as part of an enclosing message.
fn in_order<E>(
    stream: StreamId,
    side: Side,
    (message, layer): (Message<'_>, &Layer),
    secrets: &Secrets,
    behind: &mut u64,
    emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(node) = message.of.layer_node(layer) else { return Ok(()) };
    // Segment bytes that are not part of the stream are in the frame.
    let base = message.of.tree.source(node.span()).and_then(|source| base(source, stream, side));
    let Some(base) = base else { return Ok(()) };
    let start = base.saturating_add(node.span().start.into());
    if start > *behind {
        let len = start - *behind;
        emit(Event::Missing(Missing { stream, side, off: *behind, len, frame: message.of.tree.frame.number }))?;
        *behind = start;
    }
    let Some(ends) = message.ends() else { return Ok(()) };
    let known = usize::try_from(*behind - start).unwrap_or(usize::MAX);
    let Some(bytes) = node.bytes().get(known..).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
    let off = std::mem::replace(behind, behind.saturating_add(bytes.len() as u64));
    let span = Span { start: node.span().start.saturating_add(u32::try_from(known).unwrap_or(u32::MAX)), ..node.span() };
    let (bytes, secret) = secrets.mask(span, bytes);
    emit(Event::Payload(Payload { stream, side, off, is_stray: false, bytes: &bytes, secret, ends, message }))
}

/// Reports bytes of a TCP segment that are no part of the stream, such as those far from it.
fn stray<E>(
    message: Message<'_>,
    secrets: &Secrets,
    off: u64,
    emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let Some((ends, node)) = message.ends().zip(message.node()) else { return Ok(()) };
    let Some((stream, side)) = ends.stream.filter(|(id, _)| id.transport == Transport::Tcp) else { return Ok(()) };
    let is_of_frame = message.of.tree.source(node.span()).is_some_and(|source| source.origin == Origin::Frame);
    if node.field().abbrev != "data" || !is_of_frame || node.bytes().is_empty() {
        return Ok(());
    }
    let (bytes, secret) = secrets.mask(node.span(), node.bytes());
    emit(Event::Payload(Payload { stream, side, off, is_stray: true, bytes: &bytes, secret, ends, message }))
}

/// Reports the payload of a datagram and its truncated bytes, unless `payload` was reported before.
fn datagram<E>(
    message: Message<'_>,
    payload: &Layer,
    payloads: &mut Payloads,
    is_meant: impl Fn(StreamId) -> bool,
    offsets: &mut Offsets,
    emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let of = message.of;
    let Some(header) = payload.below.and_then(|below| of.tree.layers.get(below as usize)) else {
        return without_headers(message, payload, payloads, is_meant, offsets, emit);
    };
    let Some(ends) = of.tree.ends.get(header.ends as usize) else { return Ok(()) };
    let has_datagrams = |(id, _): &(StreamId, Side)| id.transport.has_datagrams() && is_meant(*id);
    let Some((stream, side)) = ends.stream.filter(has_datagrams) else { return Ok(()) };
    let is_header = of.layer_node(header).is_some_and(|node| node.field().abbrev == stream.transport.word());
    if !is_header || payloads.headers.contains(&header.node) {
        return Ok(());
    }
    payloads.headers.push(header.node);
    let Some(node) = of.layer_node(payload) else { return Ok(()) };
    let (frame, behind) = (&of.tree.frame, offsets.behind(stream, side));
    let bytes = match of.layer_node(header) {
        Some(header) if stream.transport == Transport::Udp => payload_bytes(of, header.span(), node.span()),
        _ => node.bytes(),
    };
    if !bytes.is_empty() {
        let off = std::mem::replace(behind, behind.saturating_add(bytes.len() as u64));
        let (bytes, secret) = payloads.secrets.mask(node.span(), bytes);
        emit(Event::Payload(Payload { stream, side, off, is_stray: false, bytes: &bytes, secret, ends, message }))?;
    }
    let cut = u64::from(frame.original.saturating_sub(frame.captured));
    if cut == 0 || node.span().source != 0 {
        return Ok(());
    }
    let off = std::mem::replace(behind, behind.saturating_add(cut));
    emit(Event::Missing(Missing { stream, side, off, len: cut, frame: frame.number }))
}

/// Reports a datagram without headers, a packet of hex text, unless it was reported before: the whole frame.
fn without_headers<E>(
    message: Message<'_>,
    payload: &Layer,
    payloads: &mut Payloads,
    is_meant: impl Fn(StreamId) -> bool,
    offsets: &mut Offsets,
    emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let of = message.of;
    let Some(ends) = of.tree.ends.get(payload.ends as usize) else { return Ok(()) };
    let has_no_headers = of.tree.frame.link.is_none() || ends.src.is_none();
    let is_packet = |(id, _): &(StreamId, Side)| id.transport == Transport::Udp && has_no_headers && is_meant(*id);
    let Some((stream, side)) = ends.stream.filter(is_packet) else { return Ok(()) };
    let is_of_frame = of.layer_node(payload).is_some_and(|node| node.span().source == 0);
    if !is_of_frame || of.bytes.is_empty() || std::mem::replace(&mut payloads.whole, true) {
        return Ok(());
    }
    let behind = offsets.behind(stream, side);
    let off = std::mem::replace(behind, behind.saturating_add(of.bytes.len() as u64));
    let (bytes, secret) = payloads.secrets.mask(Span::new(0, 0..of.bytes.len()), of.bytes);
    emit(Event::Payload(Payload { stream, side, off, is_stray: false, bytes: &bytes, secret, ends, message }))
}

/// Payload of a datagram. The layer may be shorter: that of a tunnel ends after the tunnel's header.
fn payload_bytes(of: Dissection<'_>, header: Span, payload: Span) -> &[u8] {
    let length = of.slice(Span { start: header.start.saturating_add(4), end: header.start.saturating_add(6), ..header });
    let &[high, low] = length else { return of.slice(payload) };
    let declared = header.start.saturating_add(u16::from_be_bytes([high, low]).into());
    let end = if header.source == 0 { declared.min(of.tree.frame.captured) } else { declared };
    let whole = Span { end: end.max(payload.end), ..payload };
    let bytes = if header.source == payload.source { of.slice(whole) } else { &[] };
    if bytes.is_empty() { of.slice(payload) } else { bytes }
}
