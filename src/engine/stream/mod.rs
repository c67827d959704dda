//! One TCP connection: segments in order, their protocol, and message boundaries.

mod closed;
mod deliver;
mod half_stream;
mod inner;
mod life;
mod owner;
mod packetless;
mod partial;
mod relayed;
mod secrets;
pub(super) mod segment_context;

pub(super) use closed::Connection;

use super::message::{Out, ends_of};
use super::nested::States;
use super::prefilter;
use super::transport::segment::{analysis_results, analyzed, progress, tcp_layer};
use crate::flow::analysis::{Analysis, Findings};
use crate::flow::progress::Followed;
use crate::flow::reassembly::{Accepted, Direction, SegmentPosition, TcpSegment};
use crate::flow::{Pair, Precedent};
use crate::input::Frame;
use crate::layers::tcp::{self, Header, TcpState};
use crate::layers::{self, Bytes, Checks};
use crate::registry::{FlowContext, Registry};
use crate::tree::{Address, BySide, Ends, ExportedObject, Extras, LayerId, OmittedHeaders, Piece, Side, Span, StreamId, Tree};
use crate::wire::notes::{OVERLAP, STALE};
use crate::wire::{Conversation, On, Protocol, ScriptedStream};
use half_stream::{Following, HalfStream};
use life::Life;
use relayed::Relay;
use segment_context::SegmentContext;
use std::net::SocketAddr;
use std::sync::Arc;

/// The lowest port that systems give to clients by themselves, as Linux does (`ip_local_port_range`); IANA's range is above it.
const EPHEMERAL: u16 = 32_768;

/// A connection.
pub(super) struct Stream {
    id: StreamId,
    endpoints: Endpoints,
    halves: BySide<HalfStream>,
    analysis: Analysis,
    /// Progress of the connection, if requested.
    followed: Option<Box<Followed>>,
    dissector: StreamDissector,
    choice: Choice,
    /// The name of the handover, if announced or given by the first message.
    over: Option<&'static str>,
    /// The protocol whose layer lies between the segments and their messages.
    relay: Option<Relay>,
    /// Protocol state of payloads inside its messages.
    inner: States,
    /// The inner stream that its protocol unwraps.
    inside: Option<Box<Stream>>,
    /// How the bytes of an inner stream were derived.
    method: Option<&'static str>,
    /// The protocol whose messages carry it, if it is inside another stream.
    carrier: Option<&'static str>,
    /// Number of enclosing streams.
    depth: u8,
    life: Life,
    /// Whether messages are deferred only because the tree was full.
    delayed: bool,
    memory: Memory,
}

/// Between which endpoints a connection is.
struct Endpoints {
    /// Client and server, if known.
    sockets: Option<[SocketAddr; 2]>,
    /// Whether the client is the lower endpoint.
    client_is_low: bool,
    /// Whether client and server were exchanged after the first guess.
    swapped: bool,
    /// The names of the carrier layers.
    path: Arc<str>,
    /// `path` as a static string, if a fast-path segment had it: later ones need only a pointer comparison.
    plain_path: Option<&'static str>,
}

/// How the protocol is chosen, and what masks secrets while it is unknown.
#[derive(Default)]
struct Choice {
    /// Whether bytes were emitted as data before a protocol recognized the stream.
    shown: bool,
    /// Whether the protocol must be chosen from the bytes so far.
    decide_now: bool,
    /// Only the port shows the protocol, which the next message reports.
    by_port: bool,
    /// The protocol of the port of an unknown stream that lost bytes: what it masks is masked.
    guard: Option<Box<dyn Conversation>>,
    /// Whether a dissector panicked: no other begins.
    failed: bool,
    /// Loaded dissectors that decide by dissecting, while the protocol is unknown.
    scripted: Option<Box<dyn ScriptedStream>>,
}

/// The last count of its memory.
struct Memory {
    /// Bytes at the last count.
    counted: usize,
    /// Whether that count may be outdated.
    changed: bool,
}

enum StreamDissector {
    /// Bytes are buffered until a heuristic decides.
    Undecided,
    Known(&'static Protocol, Box<dyn Conversation>),
    /// No protocol recognizes the first bytes of this side; the other side has not been examined.
    Unrecognised(Side),
    None,
}

impl Stream {
    #[inline(never)]
    pub(super) fn new(id: StreamId, sockets: Option<[SocketAddr; 2]>, path: Arc<str>) -> Stream {
        let client_is_low = is_first_low(sockets);
        Stream {
            id,
            endpoints: Endpoints { sockets, client_is_low, swapped: false, path, plain_path: None },
            halves: BySide::default(),
            analysis: Analysis::default(),
            followed: None,
            dissector: StreamDissector::Undecided,
            choice: Choice::default(),
            over: None,
            relay: None,
            inner: States::default(),
            inside: None,
            method: None,
            carrier: None,
            depth: 0,
            life: Life::default(),
            delayed: false,
            memory: Memory { counted: 0, changed: true },
        }
    }

    /// Sets the name under which another conversation announced it.
    pub(super) fn over(self, over: Option<&'static str>) -> Stream {
        Stream { over, ..self }
    }

    /// Updates the total by the change of its memory, if it may have changed.
    pub(super) fn count_anew(&mut self, all: &mut usize) {
        if self.memory.changed {
            self.count(all);
        }
    }

    /// Updates the total by the change of its memory since the last count.
    pub(super) fn count(&mut self, all: &mut usize) {
        self.memory.changed = false;
        let conversation = match &self.dissector {
            StreamDissector::Known(_, conversation) => conversation.memory_usage(),
            StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => 0,
        };
        let heap = self.halves.iter().map(|half| half.reassembly.memory_usage()).sum::<usize>() + self.analysis.memory_usage();
        let mut held = size_of::<Stream>() + conversation + heap;
        if let Some(inner) = &mut self.inside {
            inner.count(&mut held);
        }
        *all = (*all + held).saturating_sub(self.memory.counted);
        self.memory.counted = held;
    }

    /// Bytes of memory at the last count.
    pub(super) fn counted(&self) -> usize {
        self.memory.counted
    }

    /// Whether it has just ended; true once.
    pub(super) fn ends_now(&mut self) -> bool {
        let over = self.is_over();
        over && !std::mem::replace(&mut self.life.end_reported, over)
    }

    /// Whether one side reset it, or both have closed it and acknowledged that.
    fn is_over(&self) -> bool {
        self.life.reset || self.is_closed()
    }

    /// Whether both sides have closed it and acknowledged that: nothing can follow.
    pub(super) fn is_closed(&self) -> bool {
        self.halves.iter().all(|half| half.reassembly.is_over())
    }

    /// Drops buffers and dissector state, unless messages are pending.
    #[inline(never)]
    pub(super) fn release(&mut self, tree: &mut Tree) {
        self.memory.changed = true;
        if !self.is_empty() {
            return;
        }
        self.add_objects(None, tree);
        if matches!(self.dissector, StreamDissector::Known(..)) {
            self.dissector = StreamDissector::None;
        }
        self.inner = States::default();
        self.inside = None;
        self.halves.iter_mut().for_each(|half| half.reassembly.shrink());
    }

    /// Drops optional protocol state. Returns whether there was any.
    #[cold]
    pub(super) fn forget(&mut self) -> bool {
        let inner = self.inside.as_mut().is_some_and(|inner| inner.forget());
        match &mut self.dissector {
            StreamDissector::Known(_, conversation) => conversation.forget() || inner,
            StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => inner,
        }
    }

    #[cold]
    pub(super) fn shrink(&mut self) {
        self.halves.iter_mut().for_each(|half| half.reassembly.shrink());
        if let Some(inner) = &mut self.inside {
            inner.shrink();
        }
    }

    /// Drops unacknowledged segments. Fields of the next segment need them.
    pub(super) fn forget_unacknowledged(&mut self) {
        self.analysis.shrink();
    }

    /// Whether it was idle for more than this many frames, and seconds if times are known.
    pub(super) fn is_silent(&self, now: &Frame<'_>, frames: u64, seconds: i64) -> bool {
        let since = now.time.zip(self.life.last_time).map(|(now, last)| now.seconds.saturating_sub(last.seconds));
        now.number.saturating_sub(self.life.last_frame) > frames && since.is_none_or(|since| since > seconds)
    }

    pub(super) fn last_frame(&self) -> u64 {
        self.life.last_frame
    }

    /// Adds the objects of the conversation to the tree, if requested.
    fn add_objects(&self, message: Option<u32>, tree: &mut Tree) {
        if tree.demand().has(Extras::OBJECTS)
            && let StreamDissector::Known(protocol, conversation) = &self.dissector
        {
            let carried = |object| ExportedObject { object, protocol: protocol.this, stream: Some(self.id), message };
            tree.outcome.objects.extend(conversation.objects().into_iter().map(carried));
        }
        if let Some(inner) = &self.inside {
            inner.add_objects(message, tree);
        }
    }

    /// Whether nothing is pending.
    pub(super) fn is_empty(&self) -> bool {
        let inner = self.inside.as_ref().is_none_or(|inner| inner.is_empty());
        inner
            && !self.inner.is_waiting()
            && self.halves.iter().all(|half| half.reassembly.buffered().is_empty() && half.reassembly.hole().is_none())
    }

    /// The stream number.
    pub(super) fn number(&self) -> u32 {
        self.id.number
    }

    /// Whether no protocol dissects it. Drops buffered bytes.
    pub(super) fn drop_buffers_if_undissected(&mut self) -> bool {
        let is_unread = matches!(self.dissector, StreamDissector::None);
        if is_unread && self.memory.counted > size_of::<Stream>() {
            self.halves.iter_mut().for_each(|half| half.reassembly = Direction::default());
            self.memory.changed = true;
        }
        is_unread
    }

    /// Whether a segment opens a new connection between the same endpoints.
    fn is_reopened(&self, from_low: bool, header: &Header) -> bool {
        header.syn() && header.opens_anew(self.halves[self.side_of(from_low)].base)
    }

    /// The sender of a segment; `from_low` if it is the lower endpoint.
    pub(super) fn side_of(&self, from_low: bool) -> Side {
        if self.endpoints.client_is_low == from_low { Side::Client } else { Side::Server }
    }

    /// Whether a segment in a plain frame is ordinary: it has the path of its connection, no note to keep, and is in order or
    /// empty.
    fn is_as_expected(&mut self, context: &SegmentContext<'_>, is_marked: bool) -> bool {
        let SegmentContext { header, segment, side, .. } = context;
        let is_unmarked = header.is_whole && !is_marked;
        let is_usual = header.is_plain && !header.syn() && is_unmarked;
        let goes_on = || self.halves[*side].reassembly.is_in_step(header.seq);
        let carries_nothing = || header.is_whole && header.is_known && segment.range.len() == header.len;
        self.relay.is_none() && (is_usual && goes_on() || is_unmarked && carries_nothing()) && self.is_path(segment.path)
    }

    /// Whether this is the path of its segments.
    fn is_path(&mut self, path: &'static str) -> bool {
        if self.endpoints.plain_path.is_some_and(|known| std::ptr::eq(known, path)) {
            return true;
        }
        let is_it = *self.endpoints.path == *path;
        if is_it {
            self.endpoints.plain_path = Some(path);
        }
        is_it
    }

    /// Adds the TCP layer of a segment with its analysis; `reused` if its connection reuses the endpoints of another. `None`
    /// if headers are not requested and there are no notes.
    pub(super) fn describe(
        &mut self,
        tree: &mut Tree,
        context: &SegmentContext<'_>,
        reused: bool,
        checks: Checks,
    ) -> Option<LayerId> {
        let &SegmentContext { frame, bytes, segment, header, from_low, side, analysis, is_followed } = context;
        let mut found = Findings::default();
        if header.is_whole
            && let Some(extent) = analysis
        {
            found = self.analysis.analyze(side, || analyzed(context), reused, extent);
            tree.outcome.analysis.extend(found.flags);
        }
        let progress = (is_followed && header.is_whole).then(|| {
            let is_announced = self.over.is_some();
            let followed = self.followed.get_or_insert_with(|| Box::new(Followed::new(is_announced)));
            progress(followed.follow(side, &analyzed(context), header.push(), &found, &self.analysis))
        });
        let is_marked = !found.flags.is_empty() && tree.demand().for_carriers().may_keep(&tcp::ANALYSIS);
        if segment.below.is_none() && !reused && self.is_as_expected(context, is_marked) {
            if !tree.outcome.filtered_out {
                tree.outcome.omitted_headers = Some(OmittedHeaders { stream: self.id, from_low, path: segment.path });
            }
            return None;
        }
        let segment = &prefilter::ensure_headers(tree, frame, segment, checks);
        let tcp_state = TcpState {
            stream: Some(self.id.number),
            seq_base: self.halves[side].base.unwrap_or_default(),
            ack_base: self.halves[side.other()].base.unwrap_or_default(),
            factor: header.is_whole.then(|| found.scaling.factor()),
            is_part: segment.is_part,
            quoted: None,
            verify: checks.tcp.then_some([segment.src, segment.dst]),
            analysis: analysis_results(&found),
            progress,
        };
        let ends = tree.push_ends(self.ends(side));
        let in_step = self.halves[side].reassembly.is_in_step(header.seq) && !header.syn() && tree.notes.is_empty();
        Some(tcp_layer(tree, bytes, segment, Some(header), ends, tcp_state, in_step))
    }

    /// Sets the base of relative sequence numbers, as in Wireshark: that of a SYN, else the one before the first byte.
    pub(super) fn set_bases(&mut self, side: Side, header: &Header) {
        let first = if header.syn() { header.seq } else { header.seq.wrapping_sub(1) };
        let half = &mut self.halves[side];
        match half.base {
            None => half.base = Some(first),
            // A SYN-ACK with a new number.
            Some(base) if header.syn() && base != first => half.begin_anew(first),
            Some(_) if header.syn() => {}
            Some(_) => half.settle(header.seq),
        }
        if header.acks() {
            let peer = &mut self.halves[side.other()];
            peer.base.get_or_insert(header.ack.wrapping_sub(1));
            peer.settle(header.ack);
        }
    }

    /// What a protocol knows of it before its first message.
    fn context(&self) -> FlowContext {
        let inside = self.method.is_some();
        FlowContext { stream: self.id, sockets: self.endpoints.sockets, over: self.over, inside, carrier: self.carrier }
    }

    fn ends(&self, side: Side) -> Ends {
        endpoints(self.id, self.endpoints.sockets, side)
    }

    /// Accepts a segment and emits the messages it completes, on either side.
    pub(super) fn accept(&mut self, context: &SegmentContext<'_>, out: &mut Out<'_>) {
        let &SegmentContext { frame, bytes, segment, header, side, .. } = context;
        self.life.begin(frame);
        (self.life.last_frame, self.life.last_time) = (frame.number, frame.time);
        self.life.reset |= header.rst();
        let start = (segment.range.start + header.len).min(segment.range.end);
        self.halves[side].from_start |= header.syn();
        let in_order = TcpSegment {
            seq: header.seq,
            syn: header.syn(),
            fin: header.fin(),
            bytes: bytes.get(start..segment.range.end),
            missing: u32::try_from(segment.missing).unwrap_or(u32::MAX),
            frame: frame.number,
            at: u32::try_from(start).unwrap_or(u32::MAX),
            time: frame.time,
        };
        // The sender had received what it acknowledges before it sent this segment.
        let sides_swapped = self.endpoints.swapped;
        if header.acks() {
            self.acknowledge(side.other(), header, out);
        }
        let side = if self.endpoints.swapped == sides_swapped { side } else { side.other() };
        if self.halves[side.other()].reassembly.is_behind()
            && let StreamDissector::Known(_, conversation) = &mut self.dissector
        {
            conversation.unseen(side.other());
        }
        let side = if self.is_no_news(side, &in_order) {
            self.halves[side].reassembly.announce(in_order.seq);
            side
        } else if bytes.source == 0 {
            self.take(side, &in_order, out)
        } else {
            self.take_in_pieces(side, &in_order, bytes.source, out)
        };
        if self.halves[side].reassembly.is_finished() {
            self.drain(side, Following::End, out);
            self.end_inner(side, out);
        }
    }

    /// Stores what the other side has acknowledged of `side`, and gives up earlier holes.
    fn acknowledge(&mut self, side: Side, header: &Header, out: &mut Out<'_>) {
        let order = &mut self.halves[side].reassembly;
        if header.syn() {
            order.expect(header.ack);
        }
        order.acknowledged(header.ack);
        self.pass_lost(side, out);
    }

    /// Whether a segment is empty and nothing is buffered. Buffered bytes are dissected again, since the other side may have
    /// changed the protocol.
    fn is_no_news(&self, side: Side, segment: &TcpSegment<'_>) -> bool {
        let carries_nothing = segment.bytes.is_empty() && segment.missing == 0 && !segment.syn && !segment.fin;
        let order = &self.halves[side].reassembly;
        carries_nothing && !self.delayed && order.buffered().is_empty() && order.hole().is_none()
    }

    /// Accepts a segment reassembled from fragments, whose pieces are in several frames.
    #[cold]
    fn take_in_pieces(&mut self, side: Side, segment: &TcpSegment<'_>, source: u32, out: &mut Out<'_>) -> Side {
        let start = u64::from(segment.at);
        let range = start..start + segment.bytes.len() as u64;
        let source = out.tree.sources.get(source as usize).cloned();
        let pieces = source.map(|source| out.tree.pieces_of(&source).to_vec()).unwrap_or_default();
        let pieces: Vec<Piece> = pieces.iter().filter_map(|piece| piece.clip(&range)).collect();
        let mut side = side;
        for (number, piece) in pieces.iter().enumerate() {
            let off = usize::try_from(piece.off - start).unwrap_or(usize::MAX);
            let bytes = segment.bytes.get(off..).and_then(|bytes| bytes.get(..piece.len as usize)).unwrap_or_default();
            let opened = u32::from(segment.syn && number > 0);
            let part = TcpSegment {
                seq: segment.seq.wrapping_add(u32::try_from(off).unwrap_or(u32::MAX)).wrapping_add(opened),
                syn: segment.syn && number == 0,
                fin: segment.fin && number + 1 == pieces.len(),
                bytes,
                missing: 0,
                frame: piece.frame,
                at: piece.at,
                time: piece.time,
            };
            side = self.take(side, &part, out);
        }
        // Decompressed bytes have no position in any frame.
        if pieces.is_empty() { self.take(side, &TcpSegment { at: Piece::NOWHERE, ..*segment }, out) } else { side }
    }

    /// Reassembles a segment and emits the messages it completes. Returns the sender's side, which the payload may have
    /// corrected.
    fn take(&mut self, side: Side, segment: &TcpSegment<'_>, out: &mut Out<'_>) -> Side {
        self.memory.changed = true;
        if std::mem::take(&mut self.delayed) {
            self.drain(side.other(), Following::More, out);
        }
        let mut accepted = self.halves[side].reassembly.accept(segment);
        while accepted.full {
            let must = std::mem::replace(&mut out.must, true);
            self.skip_gap(side, out);
            out.must = must;
            accepted = self.halves[side].reassembly.accept(segment);
        }
        if accepted.earlier {
            self.begin_earlier(side);
        }
        if !accepted.span.is_empty() {
            self.halves[side].note_arrival(out.tree.frame.number, &accepted.span);
            if !segment.bytes.is_empty() {
                self.add_relay(side, segment, out);
            }
        }
        let sides_swapped = self.endpoints.swapped;
        self.note_problems(side, segment, &accepted, out);
        // Most segments are in the middle of a message.
        if !self.is_in_a_message(side) || out.tree.is_crowded() {
            self.drain(side, Following::More, out);
        }
        let side = if self.endpoints.swapped == sides_swapped { side } else { side.other() };
        self.pass_lost(side, out);
        if out.tree.demand().has(Extras::LABELS) {
            self.label_partial(side, &accepted, segment.bytes, out);
        }
        if out.tree.searches_secrets() && layers::shows_payload(out.tree.demand()) {
            self.hide_unread(side, segment, out);
        }
        side
    }

    /// Whether a message of this side is incomplete.
    fn is_in_a_message(&self, side: Side) -> bool {
        matches!(self.dissector, StreamDissector::Known(..)) && self.halves[side].waits()
    }

    /// Adds notes on a segment; bytes that are no part of the stream are displayed as they are.
    fn note_problems(&mut self, side: Side, segment: &TcpSegment<'_>, accepted: &Accepted, out: &mut Out<'_>) {
        let at = segment.at as usize;
        let is_in_frame = segment.at != Piece::NOWHERE;
        if let Some(differs) = &accepted.differs {
            let span = if is_in_frame { Span::new(0, at + differs.start..at + differs.end) } else { Span::NONE };
            let node = out.tree.here().saturating_sub(1);
            out.tree.note(&OVERLAP, node, span, format_args!("{} bytes differ from those received earlier", differs.len()));
        }
        let what = match accepted.place {
            SegmentPosition::Late => "bytes of a gap reported earlier",
            SegmentPosition::Before => "before the first byte of the stream",
            SegmentPosition::Far => "sequence number far from the stream",
            _ => return,
        };
        let stale = at..at + accepted.fresh.start.min(segment.bytes.len());
        if !stale.is_empty() && is_in_frame && segment.frame == out.tree.frame.number {
            let layer = layers::unexplained(out.tree, Bytes::of_frame(out.frame), stale.clone(), out.below);
            let ends = ends_of(out.tree, self.ends(side));
            if let Some(layer) = out.tree.layers.get_mut(layer as usize) {
                layer.ends = ends;
            }
            if self.has_secrets(side) {
                out.tree.hide(Span::new(0, stale));
            }
            let node = out.tree.here().saturating_sub(1);
            out.tree.note(&STALE, node, Span::NONE, format_args!("{what}"));
        }
    }
}

/// Whether the first endpoint is the lower one; true if both are equal.
fn is_first_low(sockets: Option<[SocketAddr; 2]>) -> bool {
    sockets.is_none_or(|[first, second]| Pair::from_low(first, second))
}

/// The server of a connection that begins with a handshake.
pub(super) fn server_of_handshake([src, dst]: [SocketAddr; 2], header: &Header) -> Option<SocketAddr> {
    header.syn().then_some(if header.acks() { src } else { dst })
}

/// The client of a connection and its peer, judging by its first segment and by other connections.
pub(super) fn client(registry: Registry, [src, dst]: [SocketAddr; 2], header: &Header, precedent: Precedent) -> [SocketAddr; 2] {
    let is_home = |end: SocketAddr| registry.is_home(On::Tcp(end.port()));
    let is_ephemeral = |end: SocketAddr| end.port() >= EPHEMERAL;
    let from_server = match (server_of_handshake([src, dst], header), precedent) {
        (Some(server), _) => server == src,
        (None, Precedent::SenderServed) => true,
        (None, Precedent::ReceiverServed) => false,
        _ if is_home(src) != is_home(dst) => is_home(src),
        (None, Precedent::SenderHasPeers) => true,
        (None, Precedent::ReceiverHasPeers) => false,
        (None, Precedent::None) => !is_ephemeral(src) && is_ephemeral(dst),
    };
    if from_server { [dst, src] } else { [src, dst] }
}

/// Sender and receiver of one side of a stream.
fn endpoints(id: StreamId, sockets: Option<[SocketAddr; 2]>, side: Side) -> Ends {
    let [client, server] = match sockets {
        Some(sockets) => sockets.map(|socket| Some(Address::Socket(socket))),
        None => [None, None],
    };
    let (src, dst) = if side == Side::Client { (client, server) } else { (server, client) };
    Ends { src, dst, stream: Some((id, side)), ..Ends::default() }
}
