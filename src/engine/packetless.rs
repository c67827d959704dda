//! Bytes without headers: packets of hex text, and the payload of a single conversation.
//!
//! Packets without ports are one conversation of datagrams. Those that a stream protocol recognizes are the stream of that
//! protocol; each is complete, because its neighbours may belong to another protocol.

use super::Engine;
use super::failed::ActiveConversation;
use super::guess::{self, Guess, candidates};
use super::message::Out;
use super::nested::{NestedContext, NestedMessage, States, Waiting};
use super::stream::Stream;
use crate::flow::Numbers;
use crate::input::Frame;
use crate::layers::{self, Bytes, Checks};
use crate::registry::Candidate;
use crate::tree::{Ends, Side, Span, StreamId, Transport};
use crate::wire::notes::TIE;
use crate::wire::{Cut, Protocol};

/// Conversations without headers.
#[derive(Default)]
pub(super) struct Packetless {
    /// Streams by the protocol that recognized them; without one, the payload of a single conversation.
    streams: Vec<(Option<&'static Protocol>, Stream)>,
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
        let (_, stream) = self.streams.get_mut(self.current?)?;
        let protocol = stream.protocol();
        stream.recover();
        protocol
    }

    /// Removes all streams, in the order they began.
    pub(super) fn take_streams(&mut self) -> impl Iterator<Item = Stream> + use<> {
        std::mem::take(&mut self.streams).into_iter().map(|(_, stream)| stream)
    }

    /// Incomplete reassemblies of datagrams, with their conversation.
    pub(super) fn unfinished(&mut self) -> impl Iterator<Item = (Ends, Waiting)> + use<> {
        let number = self.datagrams.unwrap_or_default();
        let ends = move |waiting: Waiting| (datagram_ends(number, Some(waiting.left.from)), waiting);
        self.states.unfinished().into_iter().map(ends)
    }
}

impl Engine {
    /// Accepts the next bytes of a conversation without packets.
    #[inline(never)]
    pub(super) fn payload(&mut self, frame: &Frame<'_>, side: Side) {
        self.stream_bytes(frame, None, side, false);
    }

    /// Dissects bytes of unknown format.
    #[cold]
    pub(super) fn unknown(&mut self, frame: &Frame<'_>) {
        let known = self.packetless.guessed.take().filter(|(bytes, _)| bytes == frame.bytes);
        let recognizer = self.registry.recognizer();
        let (bytes, guessed) = known.unwrap_or_else(|| (frame.bytes.to_vec(), guess::guess(recognizer, frame.bytes)));
        let (guess, others) = &guessed;
        self.interpret(frame, *guess);
        if !others.is_empty() && !self.registry.is_blind() {
            self.tree.note(&TIE, 0, Span::NONE, format_args!("{}", others.join(", ")));
        }
        if bytes.len() <= guess::REMEMBERED {
            self.packetless.guessed = Some((bytes, guessed));
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
            Guess::Stream(candidate, side) => self.stream_bytes(frame, candidate, frame.direction.unwrap_or(side), true),
            Guess::Datagram(candidate, side) => self.datagram_bytes(frame, Some(candidate), frame.direction.or(side)),
            Guess::Nothing => self.datagram_bytes(frame, None, frame.direction),
        }
    }

    /// Bytes of a stream: the one that a protocol recognized, or the single conversation of the input. If `decide_now`, its
    /// protocol is chosen without waiting for more bytes.
    fn stream_bytes(&mut self, frame: &Frame<'_>, candidate: Option<Candidate>, side: Side, decide_now: bool) {
        self.active = ActiveConversation::Packetless;
        let protocol = candidate.map(|candidate| candidate.protocol);
        let Packetless { streams, current, keeps_open, .. } = &mut self.packetless;
        let is_it = |(known, _): &(Option<&Protocol>, Stream)| match (known, protocol) {
            (Some(known), Some(protocol)) => std::ptr::eq(*known, protocol),
            (known, protocol) => known.is_none() && protocol.is_none(),
        };
        let place = streams.iter().position(is_it).unwrap_or_else(|| {
            let id = StreamId { transport: Transport::Tcp, number: begin(&mut self.streams.numbers) };
            let stream = Stream::packetless(id);
            let stream = match candidate {
                Some(candidate) => stream.recognized(candidate, self.registry),
                None => stream,
            };
            streams.push((protocol, stream));
            streams.len() - 1
        });
        *current = Some(place);
        let Some((_, stream)) = streams.get_mut(place) else { return };
        let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, None);
        if decide_now {
            stream.decide_now();
        }
        stream.accept_packetless(side, frame, &mut out);
        if candidate.is_some() && !*keeps_open {
            stream.end_packet(side, &mut out);
        }
    }

    /// A datagram, of a protocol or of unknown format.
    fn datagram_bytes(&mut self, frame: &Frame<'_>, candidate: Option<Candidate>, direction: Option<Side>) {
        self.active = ActiveConversation::Packetless;
        let numbers = &mut self.exchanges.udp.numbers;
        let number = *self.packetless.datagrams.get_or_insert_with(|| begin(numbers));
        let ends = self.tree.push_ends(datagram_ends(number, direction));
        let (bytes, range) = (Bytes::of_frame(frame.bytes), 0..frame.bytes.len());
        let Some(candidate) = candidate.filter(|_| !self.registry.is_blind()) else {
            layers::unexplained(&mut self.tree, bytes, range, None);
            return;
        };
        let carried = NestedMessage { bytes, range, cut: Cut::No, below: None, ends };
        let (registry, side) = (self.registry, direction.unwrap_or(Side::Client));
        let mut nested = NestedContext { registry, context: None, side, states: &mut self.packetless.states };
        nested.message(&mut self.tree, candidate, &carried);
        let speaker = self.tree.handover.take_speaker().filter(|_| direction.is_none());
        if let (Some(speaker), Some(ends)) = (speaker, self.tree.ends.get_mut(ends as usize)) {
            *ends = datagram_ends(number, Some(speaker));
        }
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
