//! TCP: connections, and the stream of each segment.

use super::{Transports, segment};
use crate::engine::failed::ActiveConversation;
use crate::engine::message::{self, Out};
use crate::engine::stream::segment_context::SegmentContext;
use crate::engine::stream::{self, Connection, Stream};
use crate::engine::{Engine, prefilter};
use crate::flow::{Entry, Pair, Precedent};
use crate::input::Frame;
use crate::layers::{Bytes, TransportSegment, tcp};
use crate::registry::Registry;
use crate::tree::{StreamId, Transport};
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::sync::Arc;

impl Engine {
    pub(super) fn tcp(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, segment: &TransportSegment) {
        let Some(mut header) = tcp::Header::parse(bytes.get(segment.range.clone())) else {
            let segment = prefilter::ensure_headers(&mut self.tree, frame, segment, self.checks);
            segment::cut_header(&mut self.tree, bytes, &segment);
            return;
        };
        // The end of a segment is unknown in a first fragment, so its bytes are not part of the stream.
        header.is_whole &= !segment.is_part;
        if self.tree.demand().streams() {
            return self.segment_of_stream(frame, bytes, segment, &header);
        }
        let segment = prefilter::ensure_headers(&mut self.tree, frame, segment, self.checks);
        segment::alone(&mut self.tree, bytes, &segment, &header, sockets_of(&segment, &header));
    }

    /// Adds a segment to its stream, and the messages that it completes to the tree.
    #[inline]
    fn segment_of_stream(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, segment: &TransportSegment, header: &tcp::Header) {
        let (pair, from_low) = Pair::between((segment.src, header.src), (segment.dst, header.dst));
        let path = || match segment.below {
            Some(below) => message::path_of(&self.tree, below, "tcp"),
            None => segment.path.into(),
        };
        let begun = Begun { pair, from_low, sockets: sockets_of(segment, header), header };
        let (number, connection, old, precedent) = self.transports.connection(self.registry, frame.number, &begun, path);
        if let Some(route) = &mut self.relations.route {
            route.tcp = Some(pair);
            route.precedents.extend(precedent.map(|precedent| (StreamId { transport: Transport::Tcp, number }, precedent)));
        }
        self.current.active = ActiveConversation::Tcp(number);
        let Some(stream) = connection.whole() else { return };
        let side = stream.side_of(from_low);
        if header.is_whole {
            stream.set_bases(side, header);
        }
        if self.relations.route.is_some() && stream.drop_buffers_if_undissected() {
            stream.count_anew(&mut self.bounds.held);
            if let Some(old) = old {
                close_old(*old, &mut self.bounds.held, &mut Out::new(&mut self.tree, self.registry, frame.bytes, None));
            }
            return;
        }
        let context =
            SegmentContext { frame, bytes, segment, header, from_low, side, analysis: self.analysis, is_followed: self.follows };
        let layer = stream.describe(&mut self.tree, &context, old.is_some(), self.checks);
        let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, layer);
        if let Some(old) = old {
            close_old(*old, &mut self.bounds.held, &mut out);
        }
        if !header.is_whole {
            return;
        }
        prefilter::apply(self.prefilter.as_ref(), out.tree, frame.bytes);
        stream.accept(&context, &mut out);
        let ends = stream.ends_now();
        if ends && stream.is_closed() {
            stream.release(out.tree);
        }
        stream.count_anew(&mut self.bounds.held);
        if ends {
            self.has_ended(pair, number);
        }
        if self.holds_much() {
            self.aside(|engine| engine.bound_memory(&pair, number, frame, layer));
        }
    }
}

/// A segment for which a connection is looked up.
struct Begun<'a> {
    pair: Pair,
    from_low: bool,
    /// Source and destination.
    sockets: [SocketAddr; 2],
    header: &'a tcp::Header,
}

impl Transports {
    /// The connection of a segment with its number, the one that it replaces, and for a new one what earlier connections say
    /// about its sides.
    fn connection(
        &mut self,
        registry: Registry,
        frame: u64,
        segment: &Begun<'_>,
        path: impl Fn() -> Arc<str>,
    ) -> (u32, &mut Connection, Option<Box<Entry<Connection>>>, Option<Precedent>) {
        let &Begun { pair, from_low, sockets, header } = segment;
        let given = self.streams.numbers.precedent();
        let (roles, begun) = (RefCell::new(&mut self.roles), Cell::new(None));
        let open = |number| {
            let precedent = roles.borrow_mut().learn(sockets, stream::server_of_handshake(sockets, header));
            let precedent = given.unwrap_or(precedent);
            begun.set(Some(precedent));
            let client = stream::client(registry, sockets, header, precedent);
            let [src, dst] = sockets;
            let over = self.expected.get(&dst).or_else(|| self.expected.get(&src)).copied();
            let id = StreamId { transport: Transport::Tcp, number };
            Connection::Whole(Box::new(Stream::new(id, Some(client), path()).over(over)))
        };
        let goes_on = |known: &mut Connection| {
            let goes_on = !known.is_reopened(from_low, header);
            if goes_on && known.whole().is_none() {
                match known.quoted() {
                    Some(number) => *known = open(number),
                    None => known.wake(sockets, &path),
                }
            }
            goes_on
        };
        let (number, connection, old) = self.streams.get_or_begin(pair, frame, goes_on, &open);
        (number, connection, old, begun.get())
    }
}

/// Source and destination of a segment.
fn sockets_of(segment: &TransportSegment, header: &tcp::Header) -> [SocketAddr; 2] {
    [SocketAddr::new(segment.src, header.src), SocketAddr::new(segment.dst, header.dst)]
}

/// Closes the connection that a new one replaces.
pub(in crate::engine) fn close_old(old: Entry<Connection>, held: &mut usize, out: &mut Out<'_>) {
    let Some(mut old) = old.state.into_whole() else { return };
    *held = held.saturating_sub(old.counted());
    out.must = true;
    old.close(out);
    out.must = false;
}
