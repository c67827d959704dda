//! Messages in exported PDUs: dispatched by their tags to a protocol and a conversation.

use super::Engine;
use super::nested::{NestedContext, NestedMessage};
use super::packetless::{Packets, StreamPart};
use crate::flow::Pair;
use crate::input::Frame;
use crate::layers::exported_pdu::Tags;
use crate::layers::{self, Bytes};
use crate::registry::Candidate;
use crate::tree::{Address, Ends, LayerId, Side, Transport};
use crate::wire::{Cut, On};
use std::net::SocketAddr;
use std::ops::Range;

impl Engine {
    /// Dissects the message of an exported PDU.
    #[cold]
    pub(super) fn exported(&mut self, frame: &Frame<'_>, range: Range<usize>, below: Option<LayerId>) {
        let tags = Tags::of(frame.bytes);
        let message = frame.bytes.get(range.clone()).unwrap_or_default();
        let sockets = tags.sockets();
        let found = self.exported_owner(&tags, sockets, message).filter(|_| !self.registry.is_blind());
        match found {
            Some(candidate) if candidate.is_stream() => {
                let side = tags.sender.unwrap_or_else(|| self.exported_sender(sockets));
                let pair = sockets.map(|[src, dst]| Pair::new(src, dst));
                let sockets = sockets.map(|[src, dst]| (src, dst));
                self.stream_part(frame, Some(candidate), side, Packets::End, StreamPart { range, below, pair, sockets });
            }
            found if tags.transport == Some(Transport::Tcp) || sockets.is_none() => {
                self.exported_alone(found, range, below, frame.bytes);
            }
            found => self.exported_datagram(frame, found, sockets, range, below),
        }
    }

    /// The protocol that the tags name: a datagram protocol if it recognizes the message, or has no streams.
    fn exported_owner(&self, tags: &Tags<'_>, sockets: Option<[SocketAddr; 2]>, message: &[u8]) -> Option<Candidate> {
        let ports = || sockets.map(|sockets| sockets.map(|socket| socket.port()));
        let Some(protocol) = self.registry.of_wireshark(tags.name) else {
            let (transport, ports) = match tags.table_port() {
                Some((transport, port)) => (transport, [0, port]),
                None => (tags.transport?, ports()?),
            };
            return (transport == Transport::Udp).then(|| self.registry.datagrams_on(Some(ports), message).next())?;
        };
        let datagram = Candidate::datagram(protocol);
        let is_datagram = !protocol.is_stream() || self.registry.is_datagram_of(protocol, message);
        datagram.filter(|_| is_datagram).or_else(|| Candidate::all(protocol).find(Candidate::is_stream)).or(datagram)
    }

    /// The side of the source: the server if only its port is that of a protocol.
    fn exported_sender(&self, sockets: Option<[SocketAddr; 2]>) -> Side {
        let Some([src, dst]) = sockets else { return Side::Client };
        let is_home = |socket: SocketAddr| self.registry.is_home(On::Tcp(socket.port()));
        if is_home(src) && !is_home(dst) { Side::Server } else { Side::Client }
    }

    /// A message of a conversation of datagrams.
    fn exported_datagram(
        &mut self,
        frame: &Frame<'_>,
        found: Option<Candidate>,
        sockets: Option<[SocketAddr; 2]>,
        range: Range<usize>,
        below: Option<LayerId>,
    ) {
        let (Some(sockets), registry) = (sockets, self.registry) else { return };
        let message = frame.bytes.get(range.clone()).unwrap_or_default();
        self.current.active = super::failed::ActiveConversation::Udp(sockets);
        let (context, side) = self.transports.exchanges.conversation(registry, frame.number, sockets, message);
        let [src, dst] = sockets.map(|socket| Some(Address::Socket(socket)));
        let ends = self.tree.push_ends(Ends { src, dst, stream: Some((context.stream, side)), ..Ends::default() });
        let bytes = Bytes::of_frame(frame.bytes);
        match (found, self.transports.exchanges.states(sockets, frame.number)) {
            (Some(candidate), Some(states)) => {
                let carried = NestedMessage { bytes, range, cut: Cut::No, below, ends };
                let mut nested = NestedContext { registry, context: Some(context), side, states, owner: None };
                nested.message(&mut self.tree, candidate, &carried);
            }
            _ => drop(layers::unexplained(&mut self.tree, bytes, range, below)),
        }
    }

    /// A message without a conversation.
    fn exported_alone(&mut self, found: Option<Candidate>, range: Range<usize>, below: Option<LayerId>, frame: &[u8]) {
        let (bytes, ends) = (Bytes::of_frame(frame), u32::try_from(self.tree.ends.len().saturating_sub(1)).unwrap_or_default());
        let Some(candidate) = found else {
            layers::unexplained(&mut self.tree, bytes, range, below);
            return;
        };
        let registry = self.registry;
        let carried = NestedMessage { bytes, range, cut: Cut::No, below, ends };
        let states = &mut super::nested::States::default();
        NestedContext { registry, context: None, side: Side::Client, states, owner: None }.message(
            &mut self.tree,
            candidate,
            &carried,
        );
    }
}
