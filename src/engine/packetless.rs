//! Bytes without headers: packets of hex text, and the payload of a single conversation.
//!
//! Packets without ports are one conversation of datagrams. Those that a stream protocol recognizes are the stream of that
//! protocol; each is complete, because its neighbours may belong to another protocol.

use super::Engine;
use super::failed::ActiveConversation;
use super::guess::{self, Guess, candidates};
use super::message::Out;
use super::nested::{NestedContext, NestedMessage, Remaining, States, Waiting};
use super::stream::Stream;
use crate::flow::{Numbers, Pair};
use crate::input::{Frame, Link};
use crate::layers::{self, Bytes, Checks};
use crate::registry::Candidate;
use crate::tree::{Address, Ends, LayerId, Side, Span, StreamId, Transport};
use crate::wire::notes::TIE;
use crate::wire::{Cut, Protocol};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Range;

/// The protocol that recognized a stream, and its endpoints, if known.
type StreamKey = (Option<&'static str>, Option<Pair>);

/// Where the bytes of a stream are in a frame, and between which endpoints.
pub(super) struct StreamPart {
    pub range: Range<usize>,
    pub below: Option<LayerId>,
    pub pair: Option<Pair>,
    /// Source and destination.
    pub sockets: Option<(SocketAddr, SocketAddr)>,
}

/// What follows a packet of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packets {
    /// The bytes of the next one; the protocol may need them.
    Wait,
    /// The bytes of the next one; the protocol is known, or chosen from the first.
    Continue,
    /// Nothing: messages end with it. If no protocol recognized it, as [`Packets::Continue`].
    End,
}

/// Conversations without headers.
#[derive(Default)]
pub(super) struct Packetless {
    streams: Vec<Stream>,
    /// Streams by protocol and endpoints. Without a protocol, it is the payload of a single conversation.
    places: HashMap<StreamKey, usize, foldhash::fast::RandomState>,
    /// The stream of the current frame, if any.
    current: Option<usize>,
    /// Stream number of the datagrams.
    datagrams: Option<u32>,
    /// Protocol state of the datagrams.
    states: States,
    /// Whether a message may continue in the next packet of its protocol.
    pub(super) keeps_open: bool,
    /// The last bytes whose format was detected, and the result.
    pub(super) guessed: Option<(Vec<u8>, guess::Guessed)>,
}

impl Packetless {
    /// Stops dissecting the conversations that a panic may have damaged. Returns the protocol of the stream, if any.
    pub(super) fn fail(&mut self) -> Option<&'static Protocol> {
        self.states = States::broken();
        let stream = self.streams.get_mut(self.current?)?;
        let protocol = stream.protocol();
        stream.recover();
        protocol
    }

    /// Removes all streams, in the order they began.
    pub(super) fn take_streams(&mut self) -> impl Iterator<Item = Stream> + use<> {
        self.places.clear();
        std::mem::take(&mut self.streams).into_iter()
    }

    /// Whether packets were a stream so far, or else datagrams; `None` before the first one.
    fn is_stream(&self) -> Option<bool> {
        if self.places.is_empty() { self.datagrams.map(|_| false) } else { Some(true) }
    }

    /// What is left of the datagrams.
    pub(super) fn unfinished(&mut self) -> Remaining {
        let number = self.datagrams.unwrap_or_default();
        let ends = |waiting: Waiting| (datagram_ends(number, Some(waiting.left.from)), waiting);
        let waiting = self.states.unfinished().into_iter().map(ends).collect();
        Remaining { waiting, context: None, states: std::mem::take(&mut self.states) }
    }
}

impl Engine {
    /// Accepts the next bytes of a conversation without packets.
    #[inline(never)]
    pub(super) fn payload(&mut self, frame: &Frame<'_>, side: Side) {
        self.stream_bytes(frame, None, side, Packets::Wait);
    }

    /// Dissects a frame of a link type without a header: by the user's choice, else as bytes of unknown format.
    #[inline(never)]
    pub(super) fn without_header(&mut self, frame: &Frame<'_>, link: u16) {
        match self.registry.recognizer().of_link(link) {
            Some(Some(protocol)) => self.interpret(frame, guess::bound(self.registry.recognizer(), protocol, frame.bytes)),
            Some(None) => self.datagram_bytes(frame, None, frame.direction),
            None => self.unknown(frame),
        }
    }

    /// Whether the format of a frame is detected from its bytes.
    #[must_use]
    pub fn detects(&self, frame: &Frame<'_>) -> bool {
        match frame.link {
            Link::Unknown => true,
            Link::Type(link) => self.registry.has_no_header(link) && self.registry.of_link(link).is_none(),
            Link::Stream(_) => false,
        }
    }

    /// Dissects bytes of unknown format.
    #[cold]
    pub(super) fn unknown(&mut self, frame: &Frame<'_>) {
        let known = self.transports.packetless.guessed.take().filter(|(bytes, _)| bytes == frame.bytes);
        let recognizer = self.registry.recognizer();
        let (bytes, guessed) = known.unwrap_or_else(|| (frame.bytes.to_vec(), guess::guess(recognizer, frame.bytes)));
        let (guess, others) = &guessed;
        let guess = match self.transports.packetless.is_stream() {
            Some(is_stream) => guess::continued(recognizer, *guess, frame.bytes, is_stream),
            None => *guess,
        };
        self.interpret(frame, guess);
        if !others.is_empty() && !self.registry.is_blind() {
            self.tree.note(&TIE, 0, Span::NONE, format_args!("{}", others.join(", ")));
        }
        if bytes.len() <= guess::REMEMBERED {
            self.transports.packetless.guessed = Some((bytes, guessed));
        }
    }

    /// Dissects bytes as the detected format. Detection of IPv4 includes its checksum, which is therefore verified.
    pub(super) fn interpret(&mut self, frame: &Frame<'_>, guess: Guess) {
        match guess {
            Guess::Layers(first) => {
                let checks = Checks { ip: true, ..self.checks };
                let reached = layers::walk_from(&mut self.tree, first, frame.bytes, 0, checks);
                self.transport(frame, Bytes::of_frame(frame.bytes), &reached);
            }
            Guess::Stream(candidate, side) => self.stream_bytes(frame, candidate, frame.direction.unwrap_or(side), Packets::End),
            Guess::Bound(candidate, side) => {
                self.stream_bytes(frame, Some(candidate), frame.direction.unwrap_or(side), Packets::Continue)
            }
            Guess::Datagram(candidate, side) => self.datagram_bytes(frame, Some(candidate), frame.direction.or(side)),
            Guess::Nothing => self.datagram_bytes(frame, None, frame.direction),
        }
    }

    /// Bytes of a stream: that of a protocol, or the single conversation of the input.
    fn stream_bytes(&mut self, frame: &Frame<'_>, candidate: Option<Candidate>, side: Side, packets: Packets) {
        let part = StreamPart { range: 0..frame.bytes.len(), below: None, pair: None, sockets: frame.endpoints };
        self.stream_part(frame, candidate, side, packets, part);
    }

    /// The bytes of a stream in a part of a frame.
    pub(super) fn stream_part(
        &mut self,
        frame: &Frame<'_>,
        candidate: Option<Candidate>,
        side: Side,
        packets: Packets,
        part: StreamPart,
    ) {
        self.current.active = ActiveConversation::Packetless;
        let Packetless { streams, places, current, keeps_open, .. } = &mut self.transports.packetless;
        let key = (candidate.map(|candidate| candidate.protocol.this.abbrev), part.pair);
        let place = *places.entry(key).or_insert_with(|| {
            let id = StreamId { transport: Transport::Tcp, number: begin(&mut self.transports.streams.numbers) };
            let stream = Stream::packetless(id);
            streams.push(match candidate {
                Some(candidate) => stream.recognized(candidate, self.registry),
                None => stream,
            });
            streams.len() - 1
        });
        *current = Some(place);
        let Some(stream) = streams.get_mut(place) else { return };
        let before = self.tree.ends.len();
        let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, part.below);
        if packets != Packets::Wait {
            stream.decide_now();
        }
        stream.accept_packetless(side, frame, part.range, &mut out);
        if candidate.is_some() && packets == Packets::End && !*keeps_open {
            stream.end_packet(side, &mut out);
        }
        if let Some((src, dst)) = part.sockets {
            self.name_ends(before, address(src), address(dst));
        }
    }

    /// Adds the endpoints to the messages of a stream.
    fn name_ends(&mut self, before: usize, src: Address, dst: Address) {
        for ends in self.tree.ends.iter_mut().skip(before).filter(|ends| ends.src.is_none()) {
            (ends.src, ends.dst) = (Some(src), Some(dst));
        }
    }

    /// A datagram, of a protocol or of unknown format.
    fn datagram_bytes(&mut self, frame: &Frame<'_>, candidate: Option<Candidate>, direction: Option<Side>) {
        self.current.active = ActiveConversation::Packetless;
        let ends = self.ends_without_headers(frame, direction);
        let ends = self.tree.push_ends(ends);
        let (bytes, range) = (Bytes::of_frame(frame.bytes), 0..frame.bytes.len());
        let Some(candidate) = candidate.filter(|_| !self.registry.is_blind()) else {
            layers::unexplained(&mut self.tree, bytes, range, None);
            return;
        };
        let carried = NestedMessage { bytes, range, cut: Cut::No, below: None, ends };
        let (registry, side) = (self.registry, direction.unwrap_or(Side::Client));
        let mut nested =
            NestedContext { registry, context: None, side, states: &mut self.transports.packetless.states, owner: None };
        nested.message(&mut self.tree, candidate, &carried);
        let speaker = self.tree.handover.take_speaker().filter(|_| direction.is_none());
        if let (Some(speaker), Some(ends)) = (speaker, self.tree.ends.get_mut(ends as usize)) {
            ends.stream = ends.stream.map(|(id, _)| (id, speaker));
            ends.is_undirected = false;
        }
    }

    /// The conversation of a datagram without headers: that of its endpoints if the text states them, else the one of all
    /// packets.
    fn ends_without_headers(&mut self, frame: &Frame<'_>, direction: Option<Side>) -> Ends {
        if let Some((src, dst)) = frame.endpoints {
            let (context, side) = self.transports.exchanges.conversation(self.registry, frame.number, [src, dst], frame.bytes);
            let stream = Some((context.stream, direction.unwrap_or(side)));
            return Ends { src: Some(address(src)), dst: Some(address(dst)), stream, ..Ends::default() };
        }
        let numbers = &mut self.transports.exchanges.udp.numbers;
        let number = match self.transports.packetless.datagrams {
            Some(number) => {
                numbers.pass(number, false);
                number
            }
            None => *self.transports.packetless.datagrams.insert(begin(numbers)),
        };
        datagram_ends(number, direction)
    }

    /// Explains the detected format of bytes without a link type: the choice, then each candidate, a line each.
    #[must_use]
    pub fn explain(&self, bytes: &[u8]) -> Vec<String> {
        candidates::explain(self.registry, bytes)
    }

    /// Names of the protocols that bytes of unknown format fit, but not surely enough to be read as one of them. `None` if they
    /// are not read as data.
    #[must_use]
    pub fn candidates(&self, bytes: &[u8]) -> Option<Vec<&'static str>> {
        candidates::names(self.registry, bytes)
    }
}

/// An endpoint of hex text, in which a port of 0 is not stated.
fn address(socket: SocketAddr) -> Address {
    if socket.port() == 0 { Address::Ip(socket.ip()) } else { Address::Socket(socket) }
}

/// The number of a conversation that begins now.
fn begin(numbers: &mut Numbers) -> u32 {
    let number = numbers.next();
    numbers.pass(number, true);
    number
}

/// The conversation of datagrams without headers. Without a direction, all packets count as the client's.
fn datagram_ends(number: u32, direction: Option<Side>) -> Ends {
    let stream = StreamId { transport: Transport::Udp, number };
    Ends { stream: Some((stream, direction.unwrap_or(Side::Client))), is_undirected: direction.is_none(), ..Ends::default() }
}
