//! UDP: conversations, and the protocol of each datagram.

use super::migration::ConnectionIds;
use super::series::{CertainSeries, Progress};
use super::udp_header::{peek_payload, sockets};
use crate::engine::Engine;
use crate::engine::failed::ActiveConversation;
use crate::engine::nested::{self, NestedContext, Remaining, States, Waiting};
use crate::engine::prefilter::{self, Prefilter};
use crate::engine::scripted::{Asked, add_rejected};
use crate::flow::{Pair, Table};
use crate::input::Frame;
use crate::layers::{self, Bytes, Checks, HeaderPayload, TransportSegment, udp};
use crate::limits;
use crate::registry::{Candidate, FlowContext, Registry};
use crate::tree::{
    Address, Ends, Expected, ExportedObject, Extras, Field, LayerId, Side, Span, StreamId, Timestamp, Transport, Tree,
};
use crate::wire::notes::{EVICTED, SERIES};
use crate::wire::{Cut, On, Stage, Wire};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;

/// All UDP conversations.
#[derive(Default)]
pub(in crate::engine) struct Exchanges {
    pub(in crate::engine) udp: Table<UdpConversation>,
    /// Senders of broadcasts, with the endpoints of the conversation in which each was sent.
    broadcast_senders: HashMap<SocketAddr, Pair, foldhash::fast::RandomState>,
    /// Whether the current frame evicted them.
    pub(in crate::engine) evicts_senders: bool,
    /// Endpoints of conversations that others announced.
    expected: HashMap<SocketAddr, Announced, foldhash::fast::RandomState>,
    /// Connection IDs that outlive a change of endpoints.
    connection_ids: ConnectionIds,
    /// Bytes of memory held by protocol state of all conversations.
    held: usize,
    /// The conversation that shares its state with the newest one.
    pub(in crate::engine) shared: Option<Pair>,
}

/// An announcement by another conversation: the name of the handover and details for the dissector.
type Announced = (&'static str, Option<Arc<[u8]>>);

/// State of a conversation between two endpoints.
pub(in crate::engine) struct UdpConversation {
    client: SocketAddr,
    server: SocketAddr,
    /// The conversation that shares its state: this one answers a broadcast, or continues it with other endpoints.
    shares: Option<Pair>,
    /// The name under which another conversation announced this one.
    over: Option<&'static str>,
    states: States,
    /// Datagrams that no protocol recognizes alone.
    series: Option<Box<Progress>>,
    /// Times of the first and the previous frame, if requested.
    times: Option<Box<[Timestamp; 2]>>,
}

impl UdpConversation {
    /// The name under which datagrams of this side are handed over: announced, or found by a series.
    fn place(&self, side: Side) -> Option<&'static str> {
        self.over.or_else(|| self.series.as_ref()?.place(side))
    }

    fn context(&self, number: u32) -> FlowContext {
        let stream = StreamId { transport: Transport::Udp, number };
        FlowContext { stream, sockets: Some([self.client, self.server]), over: self.over, inside: false, carrier: None }
    }

    /// Nanoseconds since the first and the previous frame of the conversation.
    fn times(&mut self, now: Timestamp) -> [i64; 2] {
        let times = self.times.get_or_insert_with(|| Box::new([now; 2]));
        let since = times.each_ref().map(|earlier| now.nanos_since(*earlier));
        let [_, previous] = &mut **times;
        *previous = now;
        since
    }

    /// Incomplete reassemblies at the end, with source and destination.
    fn unfinished(&mut self, number: u32) -> impl Iterator<Item = (Ends, Waiting)> + use<> {
        let stream = StreamId { transport: Transport::Udp, number };
        let [client, server] = [self.client, self.server].map(Address::Socket);
        self.states.unfinished().into_iter().map(move |waiting| {
            let from = waiting.left.from;
            let (src, dst) = if from == Side::Client { (client, server) } else { (server, client) };
            (Ends { src: Some(src), dst: Some(dst), stream: Some((stream, from)), ..Ends::default() }, waiting)
        })
    }

    /// Emits pending data and exportable objects.
    fn close(&mut self, number: u32, registry: Registry, tree: &mut Tree) {
        for (ends, waiting) in self.unfinished(number) {
            let (context, states) = (Some(self.context(number)), &mut self.states);
            waiting.emit(tree, ends, NestedContext { registry, context, side: Side::Client, states, owner: None });
        }
        if tree.demand().has(Extras::OBJECTS) {
            tree.outcome.objects.extend(self.states.objects(StreamId { transport: Transport::Udp, number }));
        }
    }
}

impl Engine {
    /// A UDP datagram, and the packet in it if it belongs to a tunnel.
    #[inline(never)]
    pub(super) fn udp(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, segment: &TransportSegment) {
        let sockets = sockets(bytes, segment);
        self.current.active = sockets.map_or(ActiveConversation::None, ActiveConversation::Udp);
        let rules = Rules { registry: self.registry, checks: self.checks, prefilter: self.prefilter.as_ref() };
        let inner = datagram(rules, &mut self.tree, &mut self.transports.exchanges, frame, bytes, segment);
        if std::mem::take(&mut self.transports.exchanges.evicts_senders) {
            note_forgotten(&mut self.tree, "senders of broadcasts");
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
}

/// Settings that apply to all datagrams.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Rules<'a> {
    pub registry: Registry,
    pub checks: Checks,
    pub prefilter: Option<&'a Prefilter>,
}

/// A datagram whose header is dissected.
struct Described {
    layer: LayerId,
    ends: u32,
    sockets: Option<[SocketAddr; 2]>,
    /// Its conversation, and which side sends.
    conversation: Option<(FlowContext, Side)>,
    payload: Range<usize>,
    /// Bytes of the payload that were not captured.
    missing: usize,
}

/// Dissects a UDP header and its payload. A payload that is a packet is returned with its carrier layer.
pub(in crate::engine) fn datagram(
    rules: Rules<'_>,
    tree: &mut Tree,
    exchanges: &mut Exchanges,
    frame: &Frame<'_>,
    bytes: Bytes<'_>,
    segment: &TransportSegment,
) -> Option<(HeaderPayload, LayerId)> {
    let datagram = describe(rules, tree, exchanges, frame, bytes, segment)?;
    let sockets = datagram.sockets;
    let content = bytes.get(datagram.payload.clone());
    let tunnel = sockets.and_then(|sockets| udp::tunnel(sockets.map(|socket| socket.port()), content));
    if tunnel.is_none() && !tree.demand().streams() {
        return None;
    }
    let mut none = States::default();
    let states = sockets.and_then(|sockets| exchanges.states(sockets, frame.number)).unwrap_or(&mut none);
    let asked = datagram.asked(rules.registry, frame.bytes, content);
    let (owner, is_sure) = owner(rules.registry, tree, states, &datagram, content, asked.as_ref());
    if asked.is_some() {
        reject(rules.registry, tree, states, bytes, &datagram);
    }
    if let Some(next) = tunnel.filter(|_| !is_sure) {
        return Some((HeaderPayload::new(next, datagram.payload, datagram.missing), datagram.layer));
    }
    // Many datagrams may show what none shows alone, unless the user chose otherwise.
    let is_open = owner.is_none() && !is_sure && tunnel.is_none() && !states.is_broken();
    let series = datagram
        .conversation
        .filter(|_| is_open)
        .and_then(|(context, side)| exchanges.recognize_series(rules.registry, frame.number, &context, side, content));
    let Some(candidate) = owner.or(series.as_ref().map(|found| found.candidate)) else {
        layers::unexplained(tree, bytes, datagram.payload, Some(datagram.layer));
        return None;
    };
    prefilter::apply(rules.prefilter, tree, frame.bytes);
    let states = sockets.and_then(|sockets| exchanges.states(sockets, frame.number)).unwrap_or(&mut none);
    let (before, now) = deliver(rules.registry, tree, states, candidate, bytes, &datagram);
    if let Some(found) = &series {
        note_innermost(tree, &SERIES, format_args!("{} datagrams before this one are data", found.before));
    }
    exchanges.held = (exchanges.held + now).saturating_sub(before);
    if let Some(sockets) = sockets {
        exchanges.learn(tree, datagram.ends, sockets, frame.number);
    }
    None
}

/// Dissects the header. `None` if nothing is left for other protocols.
fn describe(
    rules: Rules<'_>,
    tree: &mut Tree,
    exchanges: &mut Exchanges,
    frame: &Frame<'_>,
    bytes: Bytes<'_>,
    segment: &TransportSegment,
) -> Option<Described> {
    let (number, sockets) = (frame.number, sockets(bytes, segment));
    let begin =
        |[src, dst]: [SocketAddr; 2]| exchanges.conversation(rules.registry, number, [src, dst], peek_payload(bytes, segment));
    let conversation = sockets.map(begin);
    let [src, dst] = match sockets {
        Some(sockets) => sockets.map(Address::Socket),
        None => [segment.src, segment.dst].map(Address::Ip),
    };
    let stream = conversation.map(|(context, side)| (context.stream, side));
    let ends = tree.push_ends(Ends { src: Some(src), dst: Some(dst), stream, ..Ends::default() });
    let start = segment.range.start;
    let layer = tree.push_layer(&udp::UDP, Span::new(bytes.source, start..start), segment.below, ends, false);
    let wanted = tree.demand();
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, segment.range.clone(), layers::cut(segment.missing));
    let verify = rules.checks.udp.then_some([segment.src, segment.dst]);
    let times = frame.time.filter(|_| udp::requests_times(wanted)).zip(sockets);
    let times = times.and_then(|(now, sockets)| exchanges.times(sockets, number, now));
    match udp::datagram(&mut wire, stream.map(|(stream, _)| stream.number), times, verify, segment.missing) {
        Ok((payload, missing)) => {
            layers::finish(tree, layer, payload.start);
            (!payload.is_empty()).then_some(Described { layer, ends, sockets, conversation, payload, missing })
        }
        Err(error) => {
            let left = udp::PROTOCOL.conclude(&mut wire, Err(error));
            tree.outcome.undissected += left as u64;
            layers::finish(tree, layer, segment.range.end);
            None
        }
    }
}

/// The protocol of a payload, and whether it outranks a tunnel. The port of a tunnel outranks heuristics, but neither the user's
/// choice nor a protocol that recognized the payload on its port.
fn owner(
    registry: Registry,
    tree: &Tree,
    states: &mut States,
    datagram: &Described,
    content: &[u8],
    asked: Option<&Asked<'_>>,
) -> (Option<Candidate>, bool) {
    if let Some(own) = asked.and_then(|asked| asked.accepted(tree, states, Stage::Ports)) {
        return (Some(own), true);
    }
    let context = datagram.conversation.map(|(context, _)| context);
    let is_chosen = context.is_some_and(|context| registry.is_chosen(&context));
    let claimed = if is_chosen { None } else { states.claim(None, datagram.side(), content) };
    let by_content = || context.filter(|_| !states.is_broken()).and_then(|context| registry.datagram_owner(&context, content));
    let is_scripted = |owner: &Candidate| registry.scripted().is_some_and(|scripted| scripted.has(owner.protocol));
    let owner = claimed.or_else(by_content).filter(|owner| !states.has_failed(owner.protocol) && !is_scripted(owner));
    let is_guess = claimed.is_none() && owner.is_none_or(|owner| owner.found.on == On::AnyUdp);
    if is_guess && let Some(own) = asked.and_then(|asked| asked.accepted(tree, states, Stage::Content)) {
        return (Some(own), true);
    }
    (owner, is_chosen || !is_guess)
}

/// Adds what loaded dissectors left that rejected the payload.
fn reject(registry: Registry, tree: &mut Tree, states: &mut States, bytes: Bytes<'_>, datagram: &Described) {
    let context = datagram.conversation.map(|(context, _)| context);
    let mut nested = NestedContext { registry, context, side: datagram.side(), states, owner: None };
    add_rejected(tree, &mut nested, &datagram.carried(bytes));
}

/// Dissects a payload. Returns the bytes of memory held by the state of its conversation, before and after.
fn deliver(
    registry: Registry,
    tree: &mut Tree,
    states: &mut States,
    candidate: Candidate,
    bytes: Bytes<'_>,
    datagram: &Described,
) -> (usize, usize) {
    let carried = datagram.carried(bytes);
    let context = datagram.conversation.map(|(context, _)| context);
    NestedContext { registry, context, side: datagram.side(), states: &mut *states, owner: None }
        .message(tree, candidate, &carried);
    // Only streams have inner streams.
    tree.handover.take_inner();
    let before = states.counted();
    states.count();
    (before, states.counted())
}

impl Described {
    /// The payload as a message.
    fn carried<'a>(&self, bytes: Bytes<'a>) -> nested::NestedMessage<'a> {
        let cut = if self.missing > 0 { Cut::Capture } else { Cut::No };
        nested::NestedMessage { bytes, range: self.payload.clone(), cut, below: Some(self.layer), ends: self.ends }
    }

    /// The question for loaded dissectors, if there are any.
    fn asked<'a>(&self, registry: Registry, frame: &'a [u8], content: &'a [u8]) -> Option<Asked<'a>> {
        registry.scripted()?;
        let (context, _) = self.conversation?;
        Some(Asked { registry, context, sockets: self.sockets, table: None, frame, content, at: self.payload.start })
    }

    fn side(&self) -> Side {
        self.conversation.map_or(Side::Client, |(_, side)| side)
    }
}

/// Whether a datagram is sent to a multicast group or a broadcast address. Netmasks are unknown, so any address that is a
/// broadcast address under the most common masks counts.
fn is_to_all(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_multicast() || ip.octets().ends_with(&[255]),
        IpAddr::V6(ip) => ip.is_multicast(),
    }
}

impl Exchanges {
    /// Takes what a message says about the sides of its conversation and its later endpoints.
    #[inline]
    fn learn(&mut self, tree: &mut Tree, ends: u32, [src, dst]: [SocketAddr; 2], number: u64) {
        let pair = Pair::new(src, dst);
        if let Some(speaker) = tree.handover.take_speaker() {
            self.correct_sender(tree, ends, speaker, pair, number);
        }
        let mut evicts = false;
        for id in tree.handover.take_connection_ids() {
            let pair = self.state_pair(pair, number);
            evicts |= self.connection_ids.insert(id, pair);
        }
        if evicts {
            note_forgotten(tree, "announced conversations");
        }
    }

    /// The conversation between two endpoints, and which of its sides sends.
    pub(in crate::engine) fn conversation(
        &mut self,
        registry: Registry,
        frame: u64,
        sockets: [SocketAddr; 2],
        payload: &[u8],
    ) -> (FlowContext, Side) {
        let [src, dst] = sockets;
        let pair = Pair::new(src, dst);
        match self.udp.get(&pair, frame).map(|(number, _)| number) {
            Some(number) if self.udp.numbers.may_be(number) => self.udp.numbers.pass(number, false),
            _ => self.begin(registry, frame, sockets, payload),
        }
        let (number, side, over) = match self.udp.get(&pair, frame) {
            Some((number, conversation)) => {
                let side = if conversation.client == src { Side::Client } else { Side::Server };
                (number, side, conversation.place(side))
            }
            None => (0, Side::Client, None),
        };
        let stream = StreamId { transport: Transport::Udp, number };
        let sockets = if side == Side::Client { [src, dst] } else { [dst, src] };
        (FlowContext { stream, sockets: Some(sockets), over, inside: false, carrier: None }, side)
    }

    /// The protocol of a datagram that no protocol recognizes alone, if it completes a series.
    fn recognize_series(
        &mut self,
        registry: Registry,
        frame: u64,
        context: &FlowContext,
        side: Side,
        bytes: &[u8],
    ) -> Option<CertainSeries> {
        let [client, server] = context.sockets?;
        let (_, conversation) = self.udp.get(&Pair::new(client, server), frame)?;
        conversation.series.get_or_insert_default().add(registry, side, bytes)
    }

    /// Nanoseconds since the first and the previous frame of a conversation.
    fn times(&mut self, [src, dst]: [SocketAddr; 2], frame: u64, now: Timestamp) -> Option<[i64; 2]> {
        self.udp.get(&Pair::new(src, dst), frame).map(|(_, conversation)| conversation.times(now))
    }

    /// The number of the conversation between two endpoints.
    pub(in crate::engine) fn number(&mut self, registry: Registry, frame: u64, src: SocketAddr, dst: SocketAddr) -> u32 {
        let (context, _) = self.conversation(registry, frame, [src, dst], &[]);
        context.stream.number
    }

    fn begin(&mut self, registry: Registry, frame: u64, [src, dst]: [SocketAddr; 2], payload: &[u8]) {
        let pair = Pair::new(src, dst);
        let home = |socket: SocketAddr| registry.is_home(On::Udp(socket.port()));
        let broadcast = self.broadcast_senders.get(&dst).copied();
        let migrated = self.connection_ids.find(payload);
        let shares = migrated.map(|issued| issued.pair).or(broadcast);
        self.shared = shares;
        let client = match migrated {
            Some(issued) if issued.sender == Side::Client => src,
            Some(_) => dst,
            None if broadcast.is_some() || home(src) && !home(dst) => dst,
            None => src,
        };
        let server = if client == src { dst } else { src };
        if is_to_all(dst.ip()) {
            self.evicts_senders |= remember(&mut self.broadcast_senders, src, pair);
        }
        let over = self.expected.get(&dst).or_else(|| self.expected.get(&src)).cloned();
        let (over, details) = over.unzip();
        let states = States::announced(details.flatten());
        let former =
            self.udp.begin(pair, frame, |_| UdpConversation { client, server, shares, over, states, series: None, times: None });
        self.held = self.held.saturating_sub(former.map_or(0, |(_, conversation)| conversation.states.counted()));
    }

    /// Protocol state of the conversation between these endpoints.
    pub(in crate::engine) fn states(&mut self, sockets: [SocketAddr; 2], frame: u64) -> Option<&mut States> {
        let [src, dst] = sockets;
        let pair = self.state_pair(Pair::new(src, dst), frame);
        self.udp.get(&pair, frame).map(|(_, conversation)| &mut conversation.states)
    }

    /// The conversation that holds the state of this one.
    fn state_pair(&mut self, own: Pair, frame: u64) -> Pair {
        let shared = self.udp.get(&own, frame).and_then(|(_, conversation)| conversation.shares);
        shared.filter(|pair| self.udp.get(pair, frame).is_some()).unwrap_or(own)
    }

    /// Discards the protocol state of a conversation. Its later datagrams are not dissected.
    #[cold]
    pub(in crate::engine) fn fail(&mut self, sockets: [SocketAddr; 2], frame: u64) {
        let before = self.states(sockets, frame).map_or(0, |states| std::mem::replace(states, States::broken()).counted());
        self.held = self.held.saturating_sub(before);
    }

    /// Corrects the sender of the last datagram.
    fn correct_sender(&mut self, tree: &mut Tree, ends: u32, speaker: Side, pair: Pair, frame: u64) {
        let Some((_, side)) = tree.ends.get_mut(ends as usize).and_then(|ends| ends.stream.as_mut()) else { return };
        if *side != speaker
            && let Some((_, conversation)) = self.udp.get(&pair, frame)
        {
            *side = speaker;
            std::mem::swap(&mut conversation.client, &mut conversation.server);
        }
    }

    /// Registers an endpoint whose conversations carry payload of this name. Returns whether others were evicted.
    pub(in crate::engine) fn expect(&mut self, expected: Expected) -> bool {
        remember(&mut self.expected, expected.end, (expected.place, expected.details))
    }

    /// Exportable objects of each conversation, with its last frame.
    pub(in crate::engine) fn objects(&self) -> Vec<(u64, Vec<ExportedObject>)> {
        let of = |(number, frame, conversation): (u32, u64, &UdpConversation)| {
            let objects: Vec<ExportedObject> =
                conversation.states.objects(StreamId { transport: Transport::Udp, number }).collect();
            (!objects.is_empty()).then_some((frame, objects))
        };
        self.udp.numbered().into_iter().filter_map(of).collect()
    }

    /// What is left of each conversation at the end.
    pub(in crate::engine) fn unfinished(&mut self) -> Vec<Remaining> {
        let of = |(number, mut conversation): (u32, UdpConversation)| Remaining {
            waiting: conversation.unfinished(number).collect(),
            context: Some(conversation.context(number)),
            states: conversation.states,
        };
        self.udp.drain().map(of).filter(|remaining| !remaining.waiting.is_empty()).collect()
    }

    /// Whether there are more conversations than the limit.
    pub(in crate::engine) fn is_crowded(&self) -> bool {
        self.udp.is_crowded() || self.held > limits::DATAGRAM_BYTES.get()
    }

    /// Evicts the conversations idle longest when there are too many. Returns their number.
    pub(in crate::engine) fn evict(&mut self, registry: Registry, tree: &mut Tree) -> usize {
        let evictions = self.udp.evict();
        let count = evictions.len();
        for (number, mut conversation) in evictions {
            self.held = self.held.saturating_sub(conversation.states.counted());
            conversation.close(number, registry, tree);
        }
        count
    }

    /// Drops protocol state of the conversations idle longest when all states are too large. Returns the number of conversations.
    pub(in crate::engine) fn forget_states(&mut self, registry: Registry, tree: &mut Tree) -> usize {
        // Reassembled files are long and few.
        let most = limits::DATAGRAM_BYTES.get() * if tree.demand().has(Extras::OBJECTS) { 4 } else { 1 };
        if self.held <= most {
            return 0;
        }
        let mut evictions = 0;
        for (pair, number, _) in self.udp.quietest(|conversation| conversation.states.counted() > 0) {
            if self.held <= most / 8 * 7 {
                break;
            }
            if let Some(conversation) = self.udp.look(&pair, number) {
                self.held = self.held.saturating_sub(conversation.states.counted());
                conversation.close(number, registry, tree);
                conversation.states = States::default();
                evictions += 1;
            }
        }
        evictions
    }
}

/// Stores a value for an endpoint. At the limit, all values are evicted. Returns whether they were.
pub(in crate::engine) fn remember<T>(
    known: &mut HashMap<SocketAddr, T, foldhash::fast::RandomState>,
    end: SocketAddr,
    what: T,
) -> bool {
    let evicts = known.len() >= limits::ANNOUNCED.get();
    if evicts {
        known.clear();
    }
    known.insert(end, what);
    evicts
}

/// Notes at the innermost layer that all endpoints of this table were evicted.
#[cold]
pub(in crate::engine) fn note_forgotten(tree: &mut Tree, what: &str) {
    note_innermost(tree, &EVICTED, format_args!("more than {} {what}", limits::ANNOUNCED.get()));
}

/// Adds a note to the innermost layer.
#[cold]
fn note_innermost(tree: &mut Tree, code: &'static Field, words: std::fmt::Arguments<'_>) {
    let node = tree.layers.last().map(|layer| layer.node);
    if let Some((node, span)) = node.and_then(|node| Some((node, tree.nodes.get(node as usize)?.span))) {
        tree.note(code, node, span, words);
    }
}
