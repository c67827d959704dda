//! Passes a frame through layers, flow and protocols. Only this module uses all three.

pub mod bug;
mod datagram;
mod ending;
mod exported;
mod failed;
mod fragment;
mod guess;
mod limits;
mod message;
mod migration;
mod nested;
mod packetless;
mod prefilter;
mod quote;
mod route;
mod sctp;
mod segment;
mod series;
mod stream;
#[cfg(test)]
pub(crate) mod tests;
mod udp_header;
mod usb;

use crate::flow::analysis::Extent;
use crate::flow::defrag::Fragments;
use crate::flow::{Entry, Pair, Precedent, Roles, Table};
use crate::input::{Frame, Link, OddFraction};
use crate::layers::{self, Bytes, Checks, HeaderPayload, Next, Part, Reached, TransportSegment, ipcomp, tcp};
use crate::record::{self, Evictions};
use crate::registry::Registry;
use crate::tree::{Demand, Extras, Fields, FrameInfo, Label, Level, Node, Note, Pack, Span, StreamId, Transport, Tree};
use crate::wire::notes::{FRACTION, GIVEN_UP};
use datagram::{Exchanges, Rules};
use ending::Ending;
use failed::ActiveConversation;
use limits::Bounds;
use message::Out;
use packetless::Packetless;
pub use prefilter::{FrameParts, Prefilter};
use route::Relations;
pub use route::Route;
use sctp::Associations;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use stream::segment_context::SegmentContext;
use stream::{Connection, Stream};

/// Dissects frames into trees and keeps the state of conversations.
pub struct Engine {
    registry: Registry,
    demand: Demand,
    /// Requested results of the TCP analysis.
    analysis: Option<Extent>,
    /// Whether connection progress is requested.
    follows: bool,
    checks: Checks,
    prefilter: Option<Prefilter>,
    tree: Tree,
    current: Current,
    transports: Transports,
    bounds: Bounds,
    ending: Ending,
    relations: Relations,
}

/// What is known of the current frame.
#[derive(Default)]
struct Current {
    /// Its conversation.
    active: ActiveConversation,
    /// Whether it contains a fragment of an incomplete datagram or message.
    awaits: bool,
    /// Whether it is a fragment of an incomplete datagram.
    waits: bool,
    /// Whether it is a packet quoted by an ICMP error.
    is_of_quote: bool,
}

/// Conversations and incomplete packets, by transport.
#[derive(Default)]
struct Transports {
    streams: Table<Connection>,
    /// What connections so far say about the servers of later ones.
    roles: Roles,
    /// Streams announced by other conversations, by one endpoint.
    expected: HashMap<SocketAddr, &'static str, foldhash::fast::RandomState>,
    exchanges: Exchanges,
    associations: Associations,
    pipes: usb::Pipes,
    fragments: Fragments<fragment::Key>,
    /// Conversations without headers: packets of hex text, and inputs such as session logs.
    packetless: Packetless,
}

impl Engine {
    /// Creates an engine whose trees contain everything.
    #[must_use]
    pub fn complete(registry: Registry) -> Engine {
        Engine::new(registry, Demand::EVERYTHING)
    }

    /// Creates an engine whose trees contain what `demand` requests.
    #[must_use]
    pub fn new(registry: Registry, demand: Demand) -> Engine {
        let demand = match demand.fields {
            Fields::Only(only) => Demand { fields: Fields::Only(layers::classified(only)), ..demand },
            Fields::None | Fields::All => demand,
        };
        let follows = tcp::requests_progress(demand);
        // A segment out of order has a note and therefore a summary, which states the results even without carriers.
        let analysis = if follows || layers::has_analysis_fields(demand) {
            Some(Extent::Everything)
        } else {
            (demand.has(Extras::ANALYSIS) || demand.has(Extras::SUMMARIES)).then_some(Extent::Summary)
        };
        let mut tree = Tree::new(demand);
        tree.run.reveal = registry.shows_secrets();
        tree.run.quote_reader = quote::reader(registry);
        for text in registry.settings().secrets() {
            tree.run.secrets.learn(text.as_bytes());
        }
        Engine {
            registry,
            demand,
            analysis,
            follows,
            checks: Checks::enabled(registry.settings()),
            prefilter: None,
            tree,
            current: Current::default(),
            transports: Transports::default(),
            bounds: Bounds::default(),
            ending: Ending::default(),
            relations: Relations::default(),
        }
    }

    /// The tree of the last frame, or of the last call of [`Engine::finish`].
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Enables verification of these checksums.
    #[must_use]
    pub fn verifying(mut self, checks: Checks) -> Engine {
        self.checks = checks;
        self
    }

    /// Sets the prefilter that decides on each frame once its headers are dissected. Messages it rejects are counted and
    /// checked, but not kept.
    #[must_use]
    pub fn with_prefilter(self, prefilter: Option<Prefilter>) -> Engine {
        let prefilter = prefilter.map(|prefilter| Prefilter { headers: prefilter.headers.map(layers::classified), ..prefilter });
        Engine { prefilter, ..self }
    }

    /// Counts of dropped state.
    #[must_use]
    pub fn evictions(&self) -> Evictions {
        self.bounds.evictions
    }

    /// Sets the number of messages of the next tree after which exportable objects of their conversation are requested.
    pub fn defer_after(&mut self, messages: Option<u64>) {
        self.tree.run.defer_after = messages;
    }

    /// Creates an empty tree with the same demand.
    #[must_use]
    pub fn new_tree(&self) -> Tree {
        let mut tree = Tree::new(self.demand);
        tree.run.reveal = self.tree.run.reveal;
        tree.run.quote_reader.clone_from(&self.tree.run.quote_reader);
        tree
    }

    /// Size of the tree of the last frame in bytes.
    #[must_use]
    pub fn tree_size(&self) -> usize {
        self.tree.size()
    }

    /// Bytes of memory allocated for the tree.
    #[must_use]
    pub fn tree_memory(&self) -> usize {
        self.tree.memory_usage()
    }

    /// Whether the bytes of the last frame are needed.
    #[must_use]
    pub fn is_inspected(&self) -> bool {
        !self.tree.outcome.filtered_out || self.tree.outcome.visible_from != u32::MAX
    }

    /// Appends the tree of the last frame to a pack, without exportable objects, counters and announcements. The next frame
    /// restores the tree.
    pub fn pack_tree(&mut self, pack: &mut Pack) {
        pack.put(&mut self.tree);
    }

    /// Moves the tree of the last frame, with its memory, into one created by [`Engine::new_tree`], or copies it. What persists
    /// between frames is not moved.
    pub fn give_tree(&mut self, to: &mut Tree, memory: bool) {
        if memory {
            std::mem::swap(&mut self.tree, to)
        } else {
            self.tree.copy_to(to)
        }
        std::mem::swap(&mut self.tree.run, &mut to.run);
    }

    /// The frame of the last tree, if the tree has no content to display. Without carriers, this is a frame without messages.
    #[must_use]
    pub fn silent(&self) -> Option<FrameInfo> {
        let tree = &self.tree;
        let has_content = has_message(tree) || !tree.gaps.is_empty();
        let gives = !tree.outcome.objects.is_empty() || !tree.outcome.transfers.is_empty() || tree.outcome.undissected > 0;
        (!self.demand.carriers.have_fields() && !has_content && !gives).then_some(tree.frame)
    }

    /// Dissects a frame. If a dissector panics, the frame becomes data with a note, as does the remaining conversation.
    pub fn dissect(&mut self, frame: &Frame<'_>) -> &Tree {
        if let Err(failure) = bug::guarded(|| self.dissect_frame(frame)) {
            self.frame_failed(frame, &failure);
        }
        &self.tree
    }

    fn dissect_frame(&mut self, frame: &Frame<'_>) {
        if !frame.secrets.is_empty() {
            self.tree.run.secrets.learn(frame.secrets);
        }
        self.begin(frame);
        (self.current.awaits, self.current.waits) = (false, false);
        self.current.active = ActiveConversation::None;
        self.number_frame(frame);
        let missing = (frame.original_len as usize).saturating_sub(frame.bytes.len());
        match frame.link {
            Link::Type(number) if self.registry.has_no_header(number) => self.without_header(frame, number),
            Link::Type(_) => {
                let reached = self.headers(frame, missing);
                // Column fields of headers end here.
                if !matches!(reached, Reached::End) {
                    self.transport(frame, Bytes::of_frame(frame.bytes), &reached);
                }
            }
            Link::Stream(side) => self.payload(frame, side),
            Link::Unknown => self.unknown(frame),
        }
        if self.tree.handover.has_quotes() {
            self.number_quotes(frame);
        }
        if self.tree.handover.has_packets() {
            self.hide_quoted(frame);
        }
        self.expect();
        self.find_route();
        if self.is_crowded() {
            self.aside(|engine| engine.evict(frame));
        }
        self.tree.set_demand(self.demand);
        if !self.tree.layers.is_empty() {
            mark_innermost(&mut self.tree, self.current.awaits);
        }
        if let Some(odd) = frame.odd_fraction {
            note_fraction(&mut self.tree, odd);
        }
        self.tree.spread_secrets();
    }

    /// Emits the pending messages of evicted conversations, which may be displayed even if this frame is filtered out.
    fn aside(&mut self, work: impl FnOnce(&mut Engine)) {
        let (wanted, before, from) = (self.tree.set_demand(self.demand), self.tree.layers.len(), self.tree.here());
        work(self);
        self.tree.set_demand(wanted);
        if self.tree.layers.len() > before {
            self.tree.outcome.visible_from = self.tree.outcome.visible_from.min(from);
        }
    }

    /// Begins the tree of a frame.
    fn begin(&mut self, frame: &Frame<'_>) {
        let captured = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
        self.tree.begin(FrameInfo {
            number: frame.number,
            time: frame.time,
            start: frame.origin.and_then(|origin| origin.start),
            link: match frame.link {
                Link::Type(number) => Some(number),
                Link::Unknown | Link::Stream(_) => None,
            },
            captured,
            original: frame.original_len,
            interface: frame.interface,
            direction: match frame.link {
                Link::Stream(side) => Some(side),
                Link::Type(_) | Link::Unknown => frame.direction,
            },
            is_payload: matches!(frame.link, Link::Stream(_)),
            ..FrameInfo::default()
        });
        if frame.interface_name.is_some() || !frame.comments.is_empty() {
            self.keep_frame_comments(frame);
        }
    }

    /// Stores comments and other metadata that the capture file has for a frame.
    #[inline(never)]
    fn keep_frame_comments(&mut self, frame: &Frame<'_>) {
        if let Some(name) = frame.interface_name {
            self.tree.frame.interface_name = self.tree.make(format_args!("{name}"));
        }
        if !frame.comments.is_empty() {
            let comments: Vec<_> = frame.comments.iter().collect();
            self.tree.frame.comment = self.tree.make(format_args!("{}", comments.join("\n")));
        }
    }

    /// Dissects what headers carry, as deep as the limit on layers allows.
    fn transport(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, reached: &Reached) {
        match reached {
            Reached::Tcp(segment) => self.tcp(frame, bytes, segment),
            Reached::Udp(segment) => self.udp(frame, bytes, segment),
            Reached::Fragment(part, segment) => self.fragment(frame, bytes, *part, segment),
            Reached::Sctp(segment) => {
                self.current.awaits = true;
                self.sctp(frame, bytes, segment);
            }
            Reached::Compressed(protocol, segment) => self.compressed(frame, bytes, *protocol, segment),
            Reached::Exported(range, below) => self.exported(frame, range.clone(), *below),
            Reached::Usb(transfer, range, missing, below) => self.usb(frame, *transfer, range.clone(), *missing, *below),
            Reached::End => {}
        }
    }

    /// A UDP datagram, and the packet in it if it belongs to a tunnel.
    #[inline(never)]
    fn udp(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, segment: &TransportSegment) {
        let sockets = udp_header::sockets(bytes, segment);
        self.current.active = sockets.map_or(ActiveConversation::None, ActiveConversation::Udp);
        let rules = Rules { registry: self.registry, checks: self.checks, prefilter: self.prefilter.as_ref() };
        let inner = datagram::datagram(rules, &mut self.tree, &mut self.transports.exchanges, frame, bytes, segment);
        if std::mem::take(&mut self.transports.exchanges.evicts_senders) {
            datagram::note_forgotten(&mut self.tree, "senders of broadcasts");
        }
        if self.tree.handover.has_associated()
            && let Some(sockets) = sockets
        {
            self.sctp_inside(frame, segment, sockets);
        }
        if let Some((carried, below)) = inner {
            let reached = layers::walk_on(&mut self.tree, carried, bytes, Some(below), self.checks);
            self.transport(frame, bytes, &reached);
        }
    }

    /// Accepts a fragment. The last missing one completes the datagram.
    #[cold]
    fn fragment(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, part: Part, segment: &TransportSegment) {
        let Some(whole) = fragment::accept(&mut self.tree, &mut self.transports.fragments, frame, bytes, part, segment) else {
            (self.current.awaits, self.current.waits) = (true, true);
            if let Some(below) = segment.below {
                self.tree.label(below, Label::Inside(layers::DATA.this.abbrev));
            }
            return;
        };
        let source = fragment::source(&mut self.tree, &whole);
        let joined = Bytes { source, all: &whole.bytes };
        let carried = HeaderPayload::new(Next::IpProtocol(part.protocol), 0..whole.bytes.len(), 0);
        let reached = layers::walk_on(&mut self.tree, carried, joined, segment.below, self.checks);
        self.transport(frame, joined, &reached);
    }

    /// Decompresses a payload into a separate buffer and dissects it.
    #[cold]
    fn compressed(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, protocol: u8, segment: &TransportSegment) {
        let Some(payload) = ipcomp::inflate(bytes.get(segment.range.clone())) else {
            self.tree.outcome.undissected += segment.range.len() as u64;
            return;
        };
        let from = Span::new(bytes.source, segment.range.clone());
        let source = self.tree.push_derived("deflate", Some(from), self.tree.pieces.len(), &payload);
        let inflated = Bytes { source, all: &payload };
        let carried = HeaderPayload::new(Next::IpProtocol(protocol), 0..payload.len(), 0);
        let reached = layers::walk_on(&mut self.tree, carried, inflated, segment.below, self.checks);
        self.transport(frame, inflated, &reached);
    }

    /// A TCP segment: a part of its stream, unless its header is cut or headers are all that is wanted.
    fn tcp(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, segment: &TransportSegment) {
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
        if let Some(route) = &mut self.relations.route {
            route.tcp = Some(pair);
        }
        let path = || match segment.below {
            Some(below) => message::path_of(&self.tree, below, "tcp"),
            None => segment.path.into(),
        };
        let begun = Begun { pair, from_low, sockets: sockets_of(segment, header), header };
        let (number, connection, old, precedent) = self.transports.connection(self.registry, frame.number, &begun, path);
        if let (Some(route), Some(precedent)) = (&mut self.relations.route, precedent) {
            route.precedents.push((StreamId { transport: Transport::Tcp, number }, precedent));
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

    /// The client random that a configured key log lacks, if the key log decrypts nothing so far.
    #[must_use]
    pub fn lacking_secret(&self) -> Option<&[u8; 32]> {
        self.registry.settings().secrets().next()?;
        self.tree.run.secrets.lacking()
    }

    /// Registers the conversations that messages of this frame announced.
    #[inline]
    fn expect(&mut self) {
        if let Some(route) = &mut self.relations.route {
            route.announced.clear();
        }
        if !self.tree.handover.has_expected() {
            return;
        }
        let mut evicts = false;
        for expected in self.tree.handover.take_expected() {
            if let Some(route) = &mut self.relations.route {
                route.announced.push(expected.end);
            }
            evicts |= match expected.transport {
                Transport::Udp => self.transports.exchanges.expect(expected),
                Transport::Tcp => datagram::remember(&mut self.transports.expected, expected.end, expected.place),
                Transport::Sctp | Transport::Usb => false,
            };
        }
        if evicts {
            datagram::note_forgotten(&mut self.tree, "announced conversations");
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
fn close_old(old: Entry<Connection>, held: &mut usize, out: &mut Out<'_>) {
    let Some(mut old) = old.state.into_whole() else { return };
    *held = held.saturating_sub(old.counted());
    out.must = true;
    old.close(out);
    out.must = false;
}

/// Marks the innermost layer as the message of a frame without one. Exceptions without notes: TCP segments and incomplete
/// datagrams.
fn mark_innermost(tree: &mut Tree, awaits: bool) {
    if tree.outcome.omitted_messages.count > 0 || tree.own_layers().any(|layer| layer.message) {
        return;
    }
    let is_grave = |note: &Note| note.code.is(&GIVEN_UP) || record::level_of(note) >= Level::Odd;
    let is_flagged = tree.own_notes().any(is_grave);
    let Some(innermost) = tree.layers.iter_mut().rev().find(|layer| !layer.late) else { return };
    // The layer of a relay is a segment, too; it has no bytes of its own.
    let is_segment = |node: &Node| node.field.is(&tcp::TCP) || node.span.is_empty();
    let is_segment = tree.nodes.get(innermost.node as usize).is_some_and(is_segment);
    innermost.message = is_flagged || !(is_segment || awaits);
}

/// Notes on the innermost layer of a frame that the fraction of its time exceeds a second.
#[cold]
fn note_fraction(tree: &mut Tree, odd: OddFraction) {
    let node = tree.own_layers().next_back().map(|layer| layer.node);
    let Some((node, span)) = node.and_then(|node| Some((node, tree.nodes.get(node as usize)?.span))) else { return };
    let unit = if odd.is_micros { "µs" } else { "ns" };
    let meaning = if odd.as_nanos { "nanoseconds, like nearly all of the file" } else { "added to the seconds" };
    tree.note(&FRACTION, node, span, format_args!("a fraction of {} {unit}, a second or more: {meaning}", odd.value));
}

fn has_message(tree: &Tree) -> bool {
    tree.outcome.omitted_messages.count > 0 || tree.layers.iter().any(|layer| layer.message)
}
