//! SCTP: associations, and the messages of their streams.

use crate::engine::failed::ActiveConversation;
use crate::engine::message::{Out, path_of};
use crate::engine::stream::Stream;
use crate::engine::{Engine, prefilter};
use crate::flow::messages::{Chunk, Message, Messages};
use crate::flow::{Numbers, Pair, RemovedConversations, Table};
use crate::input::Frame;
use crate::layers::sctp::{self, Data};
use crate::layers::{self, Bytes, TransportSegment};
use crate::registry::Registry;
use crate::tree::{Address, Ends, FrameInfo, InnerPacket, LayerId, Piece, Span, StreamId, Transport, Tree};
use crate::wire::notes::EVICTED;
use crate::wire::{On, Wire};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

/// Maximum number of dissected streams per association.
const MAX_STREAMS: usize = 64;

/// Maximum number of bytes held by all associations.
const MAX_HELD: usize = 8 << 20;

#[derive(Default)]
pub(in crate::engine) struct Associations {
    table: Table<Association>,
    /// Remaining associations at the end of the capture.
    ending: Option<RemovedConversations<Association>>,
    pub(in crate::engine) counts: Counts,
}

/// Counters of all associations.
#[derive(Default)]
pub(in crate::engine) struct Counts {
    /// Stream numbers.
    pub(in crate::engine) numbers: Numbers,
    /// Bytes of memory held.
    held: usize,
}

struct Association {
    /// Client and server.
    sockets: [SocketAddr; 2],
    /// The directions from the lower endpoint to the higher one, and back.
    halves: [HalfStream; 2],
    /// Streams by their identifiers.
    streams: Vec<(u16, Box<Stream>)>,
    last_frame: u64,
    /// How its packets were derived, if they were.
    method: Option<&'static str>,
    /// A panic occurred outside a dissector: what follows is data.
    failed: bool,
}

#[derive(Default)]
struct HalfStream {
    /// The TSN of relative value 0.
    base: Option<u32>,
    messages: Messages,
    /// Bytes so far of each stream whose messages do not form a byte stream.
    stream_bytes: BTreeMap<u16, u64>,
}

impl Association {
    fn new(sockets: [SocketAddr; 2], method: Option<&'static str>) -> Association {
        let halves = <[HalfStream; 2]>::default();
        Association { sockets, halves, streams: Vec::new(), last_frame: 0, method, failed: false }
    }

    /// The direction of a packet, and the opposite one.
    fn halves(&mut self, from_low: bool) -> [&mut HalfStream; 2] {
        let [low, high] = &mut self.halves;
        if from_low { [low, high] } else { [high, low] }
    }

    /// Stores the first TSN of a direction. An INIT with a different one restarts the association; the old streams are returned.
    fn learn(&mut self, from_low: bool, first: Option<(u32, bool)>) -> Vec<(u16, Box<Stream>)> {
        let Some((tsn, begins)) = first else { return Vec::new() };
        let [half, _] = self.halves(from_low);
        if half.base == Some(tsn) || half.base.is_some() && !begins {
            return Vec::new();
        }
        let messages = if begins { Messages::from_start(tsn) } else { Messages::default() };
        let begins_anew = half.base.is_some();
        *half = HalfStream { base: Some(tsn), messages, stream_bytes: BTreeMap::new() };
        if begins_anew { std::mem::take(&mut self.streams) } else { Vec::new() }
    }

    /// Stops dissecting the association.
    #[cold]
    fn fail(&mut self) {
        self.failed = true;
        self.streams.iter_mut().for_each(|(_, stream)| stream.fail());
    }

    /// The stream with this identifier; `None` above the limit.
    fn stream(&mut self, sid: u16, counts: &mut Counts, path: &Arc<str>) -> Option<&mut Stream> {
        let known = self.streams.iter().position(|(known, _)| *known == sid);
        if known.is_none() && self.streams.len() >= MAX_STREAMS {
            return None;
        }
        let place = known.unwrap_or_else(|| {
            let id = StreamId { transport: Transport::Sctp, number: counts.numbers.next() };
            counts.numbers.pass(id.number, true);
            let mut stream = Stream::of_messages(id, self.sockets, path.clone(), self.method);
            if self.failed {
                stream.fail();
            }
            self.streams.push((sid, Box::new(stream)));
            self.streams.len() - 1
        });
        let stream = self.streams.get_mut(place).map(|(_, stream)| &mut **stream)?;
        if known.is_some() {
            counts.numbers.pass(stream.number(), false);
        }
        Some(stream)
    }

    /// Dissects complete messages.
    fn deliver(&mut self, from_low: bool, messages: Vec<Message>, counts: &mut Counts, path: &Arc<str>, out: &mut Out<'_>) {
        for message in messages {
            let [half, _] = self.halves(from_low);
            let stream_bytes = half.stream_bytes.get(&message.sid).copied().unwrap_or_default();
            if half.stream_bytes.len() < MAX_STREAMS || stream_bytes > 0 {
                half.stream_bytes.insert(message.sid, stream_bytes + message.bytes.len() as u64);
            }
            let Some(stream) = self.stream(message.sid, counts, path) else {
                note_unread(message.sid, out);
                out.tree.outcome.undissected += message.bytes.len() as u64;
                continue;
            };
            let side = stream.side_of(from_low);
            match location_of(message.ppid).and_then(|place| out.registry.over(place, None, &message.bytes)) {
                Some(candidate) => stream.accept_datagram(side, candidate, &message, stream_bytes, out),
                None => stream.accept_message(side, message.bytes, message.pieces, out),
            }
            stream.count_anew(&mut counts.held);
        }
    }

    /// Dissects messages that wait for earlier ones, and ends all streams.
    fn close(&mut self, counts: &mut Counts, out: &mut Out<'_>) {
        for from_low in [true, false] {
            let [half, _] = self.halves(from_low);
            counts.held = counts.held.saturating_sub(half.messages.memory_usage());
            let waiting = half.messages.give_up();
            self.deliver(from_low, waiting, counts, &"sctp".into(), out);
        }
        for (_, mut stream) in self.streams.drain(..) {
            stream.close(out);
            counts.held = counts.held.saturating_sub(stream.counted());
        }
    }
}

impl Associations {
    /// Whether there are more associations than the limit.
    pub(in crate::engine) fn is_crowded(&self) -> bool {
        self.table.is_crowded()
    }

    /// Stops dissecting the association between these endpoints.
    #[cold]
    pub(in crate::engine) fn fail(&mut self, pair: &Pair, frame: u64) {
        if let Some((_, association)) = self.table.get(pair, frame) {
            association.fail();
        }
    }
}

impl Engine {
    /// Dissects an SCTP packet and the messages that it completes.
    #[cold]
    pub(in crate::engine) fn sctp(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, segment: &TransportSegment) {
        let packet = bytes.get(segment.range.clone());
        let Some([from, to]) = sctp::ports(packet) else {
            let ends = [segment.src, segment.dst].map(Address::Ip);
            describe(&mut self.tree, bytes, segment, ends, [None; 2]);
            return;
        };
        let sockets = [SocketAddr::new(segment.src, from), SocketAddr::new(segment.dst, to)];
        self.associated(frame, bytes, segment, sockets, None);
    }

    /// Dissects SCTP packets carried by a datagram. The association has the endpoints of the datagram.
    #[cold]
    pub(in crate::engine) fn sctp_inside(&mut self, frame: &Frame<'_>, datagram: &TransportSegment, sockets: [SocketAddr; 2]) {
        for InnerPacket { carrier, source, bytes, range } in self.tree.handover.take_associated() {
            let segment = TransportSegment { range, missing: 0, is_part: false, below: Some(carrier), ..datagram.clone() };
            let packet = self.tree.layers.len();
            self.associated(frame, Bytes { source, all: &bytes }, &segment, sockets, Some("dtls"));
            let completes = self.tree.layers.iter().skip(packet).any(|layer| layer.message);
            // The carrier is represented by the messages it carries, or by a packet that completes none.
            for (layer, is_message) in [(packet, !completes), (carrier as usize, false)] {
                if let Some(layer) = self.tree.layers.get_mut(layer) {
                    layer.message = is_message;
                }
            }
        }
    }

    /// Dissects a packet between two endpoints and the messages that it completes.
    fn associated(
        &mut self,
        frame: &Frame<'_>,
        bytes: Bytes<'_>,
        segment: &TransportSegment,
        [src, dst]: [SocketAddr; 2],
        method: Option<&'static str>,
    ) {
        let packet = bytes.get(segment.range.clone());
        let first = sctp::first_tsn(packet);
        let registry = self.registry;
        let open = |_| Association::new(client(registry, src, dst, packet), method);
        self.current.active = ActiveConversation::Sctp(Pair::new(src, dst));
        let Associations { table, counts, .. } = &mut self.transports.associations;
        let (_, association, _) = table.get_or_begin(Pair::new(src, dst), frame.number, |_| true, open);
        association.last_frame = frame.number;
        let from_low = Pair::from_low(src, dst);
        let ended = association.learn(from_low, first);
        let [own, other] = association.halves(from_low);
        let bases = [own.base, other.base];
        let (layer, chunks) = describe(&mut self.tree, bytes, segment, [src, dst].map(Address::Socket), bases);
        if !self.tree.demand().streams() {
            return;
        }
        prefilter::apply(self.prefilter.as_ref(), &mut self.tree, frame.bytes);
        let path = match segment.below {
            Some(below) => path_of(&self.tree, below, "sctp"),
            None => "sctp".into(),
        };
        let mut out = Out::new(&mut self.tree, registry, frame.bytes, Some(layer)).of_all();
        for (_, mut stream) in ended {
            stream.close(&mut out);
            counts.held = counts.held.saturating_sub(stream.counted());
        }
        for data in chunks {
            let [half, _] = association.halves(from_low);
            let before = half.messages.memory_usage();
            let messages = half.messages.accept(&chunk(out.tree, frame, bytes, &data));
            counts.held = (counts.held + half.messages.memory_usage()).saturating_sub(before);
            self.bounds.evictions.states += half.messages.take_given_up();
            association.deliver(from_low, messages, counts, &path, &mut out);
        }
        if counts.held > MAX_HELD {
            self.evict_associations(frame);
        }
    }

    /// Ends the streams of all associations, because they hold too much memory.
    fn evict_associations(&mut self, frame: &Frame<'_>) {
        let Associations { table, counts, .. } = &mut self.transports.associations;
        let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, None).of_all();
        for association in table.states(|_| true) {
            association.close(counts, &mut out);
        }
        counts.held = 0;
        self.bounds.evictions.states += 1;
    }

    /// Evicts the associations idle longest when there are too many.
    pub(in crate::engine) fn evict_idle_associations(&mut self, frame: &Frame<'_>) {
        let Associations { table, counts, .. } = &mut self.transports.associations;
        let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, None).of_all();
        for (_, mut association) in table.evict() {
            self.bounds.evictions.conversations += 1;
            association.close(counts, &mut out);
        }
    }

    /// Dissects pending data of the next association at the end of the capture. Returns whether there was any.
    pub(in crate::engine) fn finish_associations(&mut self) -> bool {
        let Associations { table, ending, counts } = &mut self.transports.associations;
        for (_, mut association) in ending.get_or_insert_with(|| table.drain()) {
            self.tree.begin(FrameInfo { number: association.last_frame, ..FrameInfo::default() });
            association.close(counts, &mut Out::new(&mut self.tree, self.registry, &[], None).of_all());
            if !self.tree.is_empty() {
                return true;
            }
        }
        false
    }
}

/// Notes that a stream is one too many.
fn note_unread(sid: u16, out: &mut Out<'_>) {
    let layer = out.below.and_then(|below| out.tree.layers.get(below as usize));
    if let Some((node, span)) = layer.and_then(|layer| Some((layer.node, out.tree.nodes.get(layer.node as usize)?.span))) {
        out.tree.note(&EVICTED, node, span, format_args!("stream {sid}: more than {MAX_STREAMS} streams"));
    }
}

/// The name under which messages with a payload protocol identifier are handed over. Others are bytes of their stream.
fn location_of(ppid: u32) -> Option<&'static str> {
    match ppid {
        50 => Some("rtcdc"),
        51 | 54 | 56 => Some("rtcdc.text"),
        52 | 53 | 57 => Some("rtcdc.binary"),
        _ => None,
    }
}

/// The endpoint that opened an association, judging by its first packet.
fn client(registry: Registry, src: SocketAddr, dst: SocketAddr, packet: &[u8]) -> [SocketAddr; 2] {
    const FIRST_CHUNK: usize = 12;
    const INIT: u8 = 1;
    const INIT_ACK: u8 = 2;
    let home = |socket: SocketAddr| registry.is_home(On::Tcp(socket.port()));
    let speaks_first = match packet.get(FIRST_CHUNK) {
        Some(&INIT) => true,
        Some(&INIT_ACK) => false,
        _ => !home(src) || home(dst),
    };
    if speaks_first { [src, dst] } else { [dst, src] }
}

/// Adds the SCTP layer of a packet and collects its DATA chunks.
fn describe(
    tree: &mut Tree,
    bytes: Bytes<'_>,
    segment: &TransportSegment,
    [src, dst]: [Address; 2],
    bases: [Option<u32>; 2],
) -> (LayerId, Vec<Data>) {
    let ends = tree.push_ends(Ends { src: Some(src), dst: Some(dst), ..Ends::default() });
    let range = segment.range.clone();
    let layer = tree.push_layer(&sctp::SCTP, Span::new(bytes.source, range.clone()), segment.below, ends, false);
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), layers::cut(segment.missing));
    let mut chunks = Vec::new();
    let result = sctp::packet(&mut wire, bases, &mut |data| chunks.push(data));
    if result.is_err() {
        let left = sctp::PROTOCOL.conclude(&mut wire, result);
        tree.outcome.undissected += left as u64;
    }
    layers::finish(tree, layer, range.end);
    (layer, chunks)
}

/// A DATA chunk as it was captured.
fn chunk<'a>(tree: &Tree, frame: &Frame<'_>, bytes: Bytes<'a>, data: &Data) -> Chunk<'a> {
    let start = data.range.start as u64;
    let source = tree.sources.get(bytes.source as usize);
    let captured = source.and_then(|source| tree.pieces_of(source).iter().find_map(|piece| piece.clip(&(start..start + 1))));
    let at = match captured {
        _ if bytes.source == 0 => u32::try_from(start).unwrap_or(u32::MAX),
        Some(piece) => piece.at,
        None => Piece::NOWHERE,
    };
    Chunk {
        tsn: data.tsn,
        sid: data.sid,
        ssn: data.ssn,
        ppid: data.ppid,
        unordered: data.unordered,
        begins: data.begins,
        ends: data.ends,
        bytes: bytes.get(data.range.clone()),
        frame: frame.number,
        at,
        time: frame.time,
    }
}
