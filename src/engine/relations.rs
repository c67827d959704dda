//! Decides to which part of a split capture a frame belongs: by its conversation, and its relation to others.
//!
//! Only protocols that announce other conversations, or leave values for them, are dissected; all other streams are not
//! reassembled.

use super::failed::ActiveConversation;
use super::{Engine, WaitsFor};
use crate::flow::{Pair, Precedent};
use crate::input::{Frame, Lookup};
use crate::protocols;
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Depth, Sharers, StreamId, Transport};
use std::net::SocketAddr;

/// Routing information of the last frame.
#[derive(Debug, Default)]
pub struct Route {
    /// The conversation of its innermost packet.
    pub conversation: Option<Pair>,
    /// The endpoints of its last TCP segment.
    pub tcp: Option<Pair>,
    /// Whether this conversation begins with the frame.
    pub begins: bool,
    /// If so, the conversation that shares its state.
    pub shares: Option<Pair>,
    /// Endpoints of conversations that the frame announces.
    pub announced: Vec<SocketAddr>,
    /// Hosts whose later conversations may depend on this one.
    pub related: Vec<Sharers>,
    /// Conversations in order of lookup.
    pub streams: Vec<Lookup>,
    /// What earlier connections say about those that begin.
    pub precedents: Vec<(StreamId, Precedent)>,
    /// Whether the frame is a fragment of an incomplete datagram.
    pub waits: bool,
}

/// Relations between frames, as far as they are followed.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// Those of the current frame, if requested.
    pub route: Option<Box<Route>>,
    /// The conversation of a quoted packet.
    pub quoted: Option<(Pair, Transport)>,
    /// Whether the last frame had the numbers of a longer capture.
    is_part: bool,
}

impl Engine {
    /// Creates an engine that numbers conversations and finds related ones.
    #[must_use]
    pub fn routing() -> Engine {
        let demand = Demand { carriers: Carriers::Skip, depth: Depth::Streams, ..Demand::FRAMES };
        let mut engine = Engine::new(Registry::of(protocols::ANNOUNCING).and(Registry::default().relating()), demand);
        engine.transports.streams.numbers.record();
        engine.transports.exchanges.udp.numbers.record();
        engine.transports.associations.counts.numbers.record();
        engine.transports.pipes.table.numbers.record();
        engine.relations.route = Some(Box::default());
        engine
    }

    /// Relations of the last frame, if the engine routes frames.
    #[must_use]
    pub fn route(&self) -> Option<&Route> {
        self.relations.route.as_deref()
    }

    /// Restores the stream numbers that the whole capture gave to a frame.
    #[inline]
    pub(super) fn number_frame(&mut self, frame: &Frame<'_>) {
        if frame.origin.is_some() || self.relations.is_part || self.relations.route.is_some() {
            self.renumber(frame);
        }
    }

    fn renumber(&mut self, frame: &Frame<'_>) {
        self.relations.is_part = frame.origin.is_some();
        self.transports.streams.numbers.frame();
        self.transports.exchanges.udp.numbers.frame();
        self.transports.associations.counts.numbers.frame();
        self.transports.pipes.table.numbers.frame();
        if let Some(origin) = frame.origin {
            let given = |transport| origin.streams(transport).map(|(number, code)| (number, Precedent::of_code(code)));
            self.transports.streams.numbers.expect(given(Transport::Tcp));
            self.transports.exchanges.udp.numbers.expect(given(Transport::Udp));
            self.transports.associations.counts.numbers.expect(given(Transport::Sctp));
            self.transports.pipes.table.numbers.expect(given(Transport::Usb));
        }
        if let Some(route) = &mut self.relations.route {
            route.precedents.clear();
        }
        self.transports.exchanges.shared = None;
        self.relations.quoted = None;
    }

    /// Collects the relations of the frame.
    #[inline]
    pub(super) fn find_route(&mut self) {
        if let Some(mut route) = self.relations.route.take() {
            self.fill_route(&mut route);
            self.relations.route = Some(route);
        }
    }

    fn fill_route(&mut self, route: &mut Route) {
        let of_quote = self.relations.quoted.map(|(pair, transport)| (pair, Some(transport)));
        let active = of_quote.or(match self.current.active {
            ActiveConversation::Tcp(_) => route.tcp.map(|pair| (pair, Some(Transport::Tcp))),
            ActiveConversation::Udp([src, dst]) => Some((Pair::new(src, dst), Some(Transport::Udp))),
            ActiveConversation::Sctp(pair) => Some((pair, None)),
            ActiveConversation::Usb(pair) => Some((pair, Some(Transport::Usb))),
            ActiveConversation::None | ActiveConversation::Packetless => None,
        });
        let looked_up = |transport| match transport {
            Transport::Tcp => self.transports.streams.numbers.looked_up(),
            Transport::Udp => self.transports.exchanges.udp.numbers.looked_up(),
            Transport::Sctp => self.transports.associations.counts.numbers.looked_up(),
            Transport::Usb => self.transports.pipes.table.numbers.looked_up(),
        };
        route.conversation = active.map(|(pair, _)| pair);
        let last = active.and_then(|(_, transport)| looked_up(transport?).last());
        route.begins = last.is_some_and(|(_, begins)| *begins);
        route.shares = self.transports.exchanges.shared.filter(|_| route.begins);
        route.waits = self.current.waits_for == WaitsFor::Datagram;
        route.streams.clear();
        for transport in [Transport::Tcp, Transport::Udp, Transport::Sctp, Transport::Usb] {
            for (number, _) in looked_up(transport) {
                let stream = StreamId { transport, number: *number };
                let precedent = route.precedents.iter().find(|(of, _)| *of == stream).map(|(_, precedent)| *precedent);
                route.streams.push(Lookup { stream, precedent: precedent.unwrap_or_default().code() });
            }
        }
    }
}
