//! Conversations by transport: each has its table in a file of its own.

pub(super) mod fragment;
mod migration;
pub(super) mod sctp;
pub(super) mod segment;
mod series;
pub(super) mod tcp;
pub(super) mod udp;
pub(super) mod udp_header;
pub(super) mod usb;

use super::packetless::Packetless;
use super::stream::Connection;
use super::{Engine, WaitsFor};
use crate::flow::defrag::Fragments;
use crate::flow::{Roles, Table};
use crate::input::Frame;
use crate::layers::{self, Bytes, HeaderPayload, Next, Reached, TransportSegment, ipcomp};
use crate::tree::{Span, Transport};
use sctp::Associations;
use std::collections::HashMap;
use std::net::SocketAddr;
use udp::Exchanges;

/// Conversations and incomplete packets, by transport.
#[derive(Default)]
pub(super) struct Transports {
    pub(in crate::engine) streams: Table<Connection>,
    /// What connections so far say about the servers of later ones.
    pub(in crate::engine) roles: Roles,
    /// Streams announced by other conversations, by one endpoint.
    pub(in crate::engine) expected: HashMap<SocketAddr, &'static str, foldhash::fast::RandomState>,
    pub(in crate::engine) exchanges: Exchanges,
    pub(in crate::engine) associations: Associations,
    pub(in crate::engine) pipes: usb::Pipes,
    pub(in crate::engine) fragments: Fragments<fragment::Key>,
    /// Conversations without headers: packets of hex text, and inputs such as session logs.
    pub(in crate::engine) packetless: Packetless,
}

impl Engine {
    /// Dissects what headers carry, as deep as the limit on layers allows.
    pub(super) fn transport(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, reached: &Reached) {
        match reached {
            Reached::Tcp(segment) => self.tcp(frame, bytes, segment),
            Reached::Udp(segment) => self.udp(frame, bytes, segment),
            Reached::Fragment(part, segment) => self.fragment(frame, bytes, *part, segment),
            Reached::Sctp(segment) => {
                self.current.waits_for = self.current.waits_for.max(WaitsFor::Message);
                self.sctp(frame, bytes, segment);
            }
            Reached::Compressed(protocol, segment) => self.compressed(frame, bytes, *protocol, segment),
            Reached::Exported(range, below) => self.exported(frame, range.clone(), *below),
            Reached::Usb(transfer, range, missing, below) => self.usb(frame, *transfer, range.clone(), *missing, *below),
            Reached::End => {}
        }
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
    /// Registers the conversations that messages of this frame announced.
    #[inline]
    pub(super) fn expect(&mut self) {
        if let Some(route) = &mut self.relations.route {
            route.announced.clear();
            route.related.clear();
            route.related.extend(self.tree.handover.take_related());
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
                Transport::Tcp => udp::remember(&mut self.transports.expected, expected.end, expected.place),
                Transport::Sctp | Transport::Usb => false,
            };
        }
        if evicts {
            udp::note_forgotten(&mut self.tree, "announced conversations");
        }
    }
}
