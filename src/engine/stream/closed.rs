//! A connection: with full state while open, later reduced to what late segments need.

use super::{HalfStream, Stream, StreamDissector};
use crate::engine::nested::States;
use crate::flow::Pair;
use crate::flow::analysis::{Analysis, ConnectionState};
use crate::flow::progress::Followed;
use crate::flow::reassembly;
use crate::layers::tcp::Header;
use crate::tree::{BySide, Side, StreamId, Transport};
use crate::wire::Protocol;
use std::net::SocketAddr;
use std::sync::Arc;

/// A connection with full or reduced state.
pub(in crate::engine) enum Connection {
    /// Full state.
    Whole(Box<Stream>),
    /// No buffered bytes and no dissector: only the stream number, the final offsets and the TCP analysis remain.
    Closed(Box<Closed>),
    /// Only quoted by ICMP errors: its stream number.
    Quoted(u32),
}

/// The state of a connection without a dissector.
pub(in crate::engine) struct Closed {
    number: u32,
    /// Whether the client is the lower endpoint.
    client_is_low: bool,
    /// Whether its payload is data of unknown protocol.
    is_data: bool,
    reset: bool,
    halves: BySide<ClosedHalf>,
    known: ConnectionState,
    followed: Option<Box<Followed>>,
}

struct ClosedHalf {
    reassembly: reassembly::Closed,
    base: Option<u32>,
    from_start: bool,
}

impl Stream {
    /// Discards protocol state after a panic outside a dissector; what follows is data.
    #[cold]
    pub(in crate::engine) fn fail(&mut self) {
        self.memory.changed = true;
        self.dissector = StreamDissector::None;
        self.choice.failed = true;
        self.inner = States::default();
        self.inside = None;
        for half in self.halves.iter_mut() {
            (half.wanted, half.outstanding) = (0, 0);
        }
    }

    /// The same outside of messages: buffered bytes after a hole just given up are in order.
    #[cold]
    pub(in crate::engine) fn recover(&mut self) {
        self.fail();
        for half in self.halves.iter_mut() {
            half.reassembly.withhold(u64::MAX);
            while half.reassembly.unpark_next() {}
        }
    }

    /// The protocol that dissects it.
    pub(in crate::engine) fn protocol(&self) -> Option<&'static Protocol> {
        match self.dissector {
            StreamDissector::Known(protocol, _) => Some(protocol),
            StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => None,
        }
    }
}

impl Connection {
    /// The connection, if it has its full state.
    pub(in crate::engine) fn whole(&mut self) -> Option<&mut Stream> {
        match self {
            Connection::Whole(stream) => Some(stream),
            Connection::Closed(_) | Connection::Quoted(_) => None,
        }
    }

    /// The stream number, if the connection is known from ICMP errors only.
    pub(in crate::engine) fn quoted(&self) -> Option<u32> {
        match self {
            Connection::Quoted(number) => Some(*number),
            Connection::Whole(_) | Connection::Closed(_) => None,
        }
    }

    /// The full connection, if kept, to emit its pending messages.
    pub(in crate::engine) fn into_whole(self) -> Option<Box<Stream>> {
        match self {
            Connection::Whole(stream) => Some(stream),
            Connection::Closed(_) | Connection::Quoted(_) => None,
        }
    }

    /// The sequence number of relative value 0 of one endpoint.
    pub(in crate::engine) fn base(&self, from_low: bool) -> Option<u32> {
        match self {
            Connection::Whole(stream) => stream.halves[stream.side_of(from_low)].base,
            Connection::Closed(rest) => {
                let side = if rest.client_is_low == from_low { Side::Client } else { Side::Server };
                rest.halves[side].base
            }
            Connection::Quoted(_) => None,
        }
    }

    /// Reduces the state if nothing is buffered and there is no dissector. Returns whether data was lost.
    pub(in crate::engine) fn settle(&mut self, held: &mut usize) -> bool {
        let Connection::Whole(stream) = self else { return false };
        let Some(rest) = stream.closed().map(Box::new) else { return false };
        *held = held.saturating_sub(stream.memory.counted);
        let had_ended = stream.is_over();
        *self = Connection::Closed(rest);
        !had_ended
    }

    /// Whether a segment opens a new connection between the same endpoints.
    pub(in crate::engine) fn is_reopened(&self, from_low: bool, header: &Header) -> bool {
        match self {
            Connection::Whole(stream) => stream.is_reopened(from_low, header),
            Connection::Closed(_) | Connection::Quoted(_) => header.opens_anew(self.base(from_low)),
        }
    }

    /// Restores the full state for a segment between its endpoints.
    #[cold]
    pub(in crate::engine) fn wake(&mut self, [src, dst]: [SocketAddr; 2], path: impl FnOnce() -> Arc<str>) {
        let Connection::Closed(rest) = self else { return };
        let (low, high) = if Pair::from_low(src, dst) { (src, dst) } else { (dst, src) };
        let sockets = if rest.client_is_low { [low, high] } else { [high, low] };
        let id = StreamId { transport: Transport::Tcp, number: rest.number };
        let mut stream = Stream::new(id, Some(sockets), path());
        for (half, left) in stream.halves.iter_mut().zip(rest.halves.iter_mut()) {
            let reassembly = std::mem::take(&mut left.reassembly).into();
            *half = HalfStream { reassembly, base: left.base, from_start: left.from_start, ..HalfStream::default() };
        }
        stream.analysis = Analysis::from(rest.known);
        stream.followed = rest.followed.take();
        stream.life.reset = rest.reset;
        if rest.is_data {
            stream.dissector = StreamDissector::None;
        }
        *self = Connection::Whole(Box::new(stream));
    }
}

impl Stream {
    /// The reduced state, if nothing is buffered and there is no dissector.
    fn closed(&self) -> Option<Closed> {
        let is_data = match self.dissector {
            StreamDissector::Unrecognised(_) | StreamDissector::None => true,
            StreamDissector::Undecided if self.over.is_none() => false,
            StreamDissector::Undecided | StreamDissector::Known(..) => return None,
        };
        let half =
            |half: &HalfStream| ClosedHalf { reassembly: half.reassembly.closed(), base: half.base, from_start: half.from_start };
        self.is_empty().then(|| Closed {
            number: self.id.number,
            client_is_low: self.endpoints.client_is_low,
            is_data,
            reset: self.life.reset,
            halves: self.halves.map(half),
            known: self.analysis.known(),
            followed: self.followed.clone(),
        })
    }
}
