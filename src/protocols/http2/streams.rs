//! The open streams of a connection.

use crate::limits;
use crate::protocols::http::Coding;
use crate::tree::{BySide, Piece, Side};
use crate::wire::Wire;
use std::collections::BTreeMap;

/// Reason why bodies above the limit are not reassembled.
const FULL: &str = "incomplete bodies of the connection exceed the limit";

/// Open streams by identifier.
#[derive(Default)]
pub(in crate::protocols) struct Streams {
    open: BTreeMap<u64, Stream>,
    /// Total bytes of incomplete bodies.
    kept: usize,
    /// The last evicted stream, until it is noted.
    evictions: Option<u64>,
}

#[derive(Default)]
pub(in crate::protocols) struct Stream {
    /// URI of the request, and offset of the request target in it.
    pub(in crate::protocols) uri: String,
    pub(in crate::protocols) target: usize,
    sides: BySide<Half>,
}

/// One direction of a stream.
#[derive(Default)]
pub(in crate::protocols) struct Half {
    /// Media type.
    pub(in crate::protocols) kind: Vec<u8>,
    pub(in crate::protocols) coding: Coding,
    body: Body,
    has_ended: bool,
}

/// The received part of a body.
#[derive(Default)]
pub(in crate::protocols) struct Body {
    pub(in crate::protocols) bytes: Vec<u8>,
    pub(in crate::protocols) pieces: Vec<Piece>,
    /// Reason why the body is not reassembled.
    pub(in crate::protocols) lacks: Option<&'static str>,
}

impl Body {
    fn memory_usage(&self) -> usize {
        self.bytes.len() + size_of_val(self.pieces.as_slice())
    }

    /// Whether parts were received.
    pub(in crate::protocols) fn has_begun(&self) -> bool {
        !self.bytes.is_empty() || self.lacks.is_some()
    }
}

impl Streams {
    /// Returns the stream with this identifier, and opens it if necessary.
    pub(in crate::protocols) fn of(&mut self, id: u64) -> &mut Stream {
        if !self.open.contains_key(&id)
            && self.open.len() >= limits::HTTP2_STREAMS.get()
            && let Some((oldest, stream)) = self.open.pop_first()
        {
            self.release(&stream);
            self.evictions = Some(oldest);
        }
        self.open.entry(id).or_default()
    }

    /// Notes the eviction of a stream.
    pub(in crate::protocols) fn note_forgotten(&mut self, wire: &mut Wire<'_>) {
        if let Some(id) = self.evictions.take() {
            wire.evicted(format_args!("stream {id}: more than {} streams are open", limits::HTTP2_STREAMS.get()));
        }
    }

    pub(in crate::protocols) fn get(&self, id: u64) -> Option<&Stream> {
        self.open.get(&id)
    }

    fn release(&mut self, stream: &Stream) {
        let freed: usize = stream.sides.iter().map(|half| half.body.memory_usage()).sum();
        self.kept = self.kept.saturating_sub(freed);
    }

    /// Terminates a stream.
    pub(in crate::protocols) fn reset(&mut self, id: u64) {
        if let Some(stream) = self.open.remove(&id) {
            self.release(&stream);
        }
    }

    /// Half-closes a stream. A stream closed by both sides is removed.
    pub(in crate::protocols) fn end(&mut self, id: u64, from: Side) {
        let Some(stream) = self.open.get_mut(&id) else { return };
        stream.sides[from].has_ended = true;
        if stream.sides.iter().all(|half| half.has_ended) {
            self.reset(id);
        }
    }

    /// Buffers a part of a body, up to the limit of the connection.
    pub(in crate::protocols) fn keep(&mut self, id: u64, from: Side, bytes: &[u8], pieces: impl FnOnce(u64) -> Vec<Piece>) {
        let kept = self.kept;
        let body = &mut self.of(id).half(from).body;
        if body.lacks.is_some() {
            return;
        }
        let before = body.memory_usage();
        body.pieces.extend(pieces(body.bytes.len() as u64));
        body.bytes.extend_from_slice(bytes);
        let added = body.memory_usage() - before;
        if kept + added > limits::HTTP2_KEPT.get() {
            *body = Body { lacks: Some(FULL), ..Body::default() };
            self.kept = kept.saturating_sub(before);
        } else {
            self.kept = kept + added;
        }
    }

    /// Stops reassembly of the body of this side.
    pub(in crate::protocols) fn give_up(&mut self, id: u64, from: Side, why: &'static str) {
        let body = &mut self.of(id).half(from).body;
        let freed = std::mem::replace(body, Body { lacks: Some(why), ..Body::default() }).memory_usage();
        self.kept = self.kept.saturating_sub(freed);
    }

    /// Stops reassembly of all streams, because frames were lost.
    pub(in crate::protocols) fn lose(&mut self, from: Side) {
        let open: Vec<u64> = self.open.keys().copied().collect();
        for id in open {
            self.give_up(id, from, "bytes of the stream were lost");
        }
    }

    /// Takes the received part of the body.
    pub(in crate::protocols) fn take(&mut self, id: u64, from: Side) -> Body {
        let Some(stream) = self.open.get_mut(&id) else { return Body::default() };
        let body = std::mem::take(&mut stream.half(from).body);
        self.kept = self.kept.saturating_sub(body.memory_usage());
        body
    }

    /// Buffers a body that was taken, up to the limit of the connection.
    pub(in crate::protocols) fn put_back(&mut self, id: u64, from: Side, body: Body) {
        let added = body.memory_usage();
        if added == 0 {
            return;
        }
        if self.kept + added > limits::HTTP2_KEPT.get() {
            return self.give_up(id, from, FULL);
        }
        self.kept += added;
        self.of(id).half(from).body = body;
    }

    /// Approximate heap memory in bytes.
    pub(in crate::protocols) fn memory_usage(&self) -> usize {
        let half =
            |half: &Half| half.kind.capacity() + half.body.bytes.capacity() + half.body.pieces.capacity() * size_of::<Piece>();
        let stream = |stream: &Stream| size_of::<Stream>() + stream.uri.capacity() + stream.sides.iter().map(half).sum::<usize>();
        self.open.values().map(stream).sum()
    }
}

impl Half {
    pub(in crate::protocols) fn body(&self) -> &Body {
        &self.body
    }
}

impl Stream {
    pub(in crate::protocols) fn half(&mut self, from: Side) -> &mut Half {
        &mut self.sides[from]
    }

    pub(in crate::protocols) fn side(&self, from: Side) -> &Half {
        &self.sides[from]
    }

    /// Request target: the path and query of the URI.
    pub(in crate::protocols) fn path(&self) -> &str {
        self.uri.get(self.target..).unwrap_or_default()
    }
}
