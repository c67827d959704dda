//! Handover: what the dissection of one message passes to other protocols.

use super::{LayerId, Piece, Sharers, Side, Span, Transport};
use crate::limits;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// Payload handed over to another protocol.
#[derive(Debug)]
pub struct Payload {
    /// The carrying layer.
    pub carrier: LayerId,
    /// Who reads it.
    pub receiver: Receiver,
    /// What is missing before it.
    pub lost: Vec<Lost>,
    /// The source and range of the payload.
    pub source: u32,
    /// The range of the payload in the source.
    pub range: Range<usize>,
    /// The bytes of the source, unless it is the frame or a stream.
    pub bytes: Option<Arc<[u8]>>,
    /// A number that the carrier states about the payload, such as a stream number.
    pub detail: u64,
    /// Whether the capture truncates the payload.
    pub cut: bool,
    /// Whether the payload becomes `data` if no protocol matches.
    pub alone: bool,
}

/// Who reads a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// The protocol registered under this name of a handover, as in `On::Over`.
    Place(&'static str),
    /// The protocol of this name.
    Protocol(&'static str),
    /// The conversation that hands it over, as a message of its own.
    Own,
}

/// Numbered elements that are missing from a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// The ordered stream of the conversation.
    pub stream: u64,
    /// The number of the first one.
    pub first: u64,
    /// How many.
    pub count: u64,
}

/// An SCTP packet inside a message.
#[derive(Debug)]
pub struct InnerPacket {
    /// The carrying layer.
    pub carrier: LayerId,
    /// The source of its bytes.
    pub source: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The range of the packet.
    pub range: Range<usize>,
}

/// Decrypted or decompressed bytes, appended to the inner stream of their carrier.
#[derive(Debug)]
pub struct InnerBytes {
    /// The carrying layer.
    pub carrier: LayerId,
    /// The decoding method.
    pub method: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their origin in frames; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
    /// Whether an unknown number of bytes is missing before them.
    pub follows_gap: bool,
    /// Whether nothing follows them.
    pub is_last: bool,
}

/// A conversation that another one announced.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The transport.
    pub transport: Transport,
    /// One endpoint.
    pub end: SocketAddr,
    /// The name of the handover for its payload.
    pub place: &'static str,
    /// Details for its dissector.
    pub details: Option<Arc<[u8]>>,
}

/// A connection ID that a message issued. It identifies datagrams of its conversation between other endpoints.
#[derive(Debug, Clone)]
pub struct ConnectionId {
    /// The side that sends datagrams with this ID.
    pub sender: Side,
    /// Offset of the ID in a datagram.
    pub offset: usize,
    /// The ID.
    pub bytes: Box<[u8]>,
}

/// A packet quoted by an error message. The engine looks up the number of its conversation.
#[derive(Debug, Clone, Copy)]
pub struct Quote {
    /// The index of the node for that number, if kept.
    pub node: u32,
    /// The transport.
    pub transport: Transport,
    /// The source of the quoted packet.
    pub src: SocketAddr,
    /// Its destination.
    pub dst: SocketAddr,
    /// The sequence number of a quoted TCP SYN.
    pub opens: Option<u32>,
}

/// Numbers shared by the dissectors of one conversation, by name.
#[derive(Debug, Default)]
pub struct SharedNumbers(Vec<(&'static str, u64)>);

impl SharedNumbers {
    /// Sets a number.
    pub fn remember(&mut self, name: &'static str, number: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = number,
            None => self.0.push((name, number)),
        }
    }

    /// Returns a number.
    #[must_use]
    pub fn recall(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }
}

/// What the messages of one tree pass to other protocols.
#[derive(Debug, Default)]
pub struct Handover {
    payloads: Vec<Payload>,
    opened: Vec<InnerBytes>,
    expected: Vec<Expected>,
    /// Hosts whose later conversations may depend on the current one.
    related: Vec<Sharers>,
    connection_ids: Vec<ConnectionId>,
    quotes: Vec<Quote>,
    /// Ranges of quoted packets.
    packets: Vec<Span>,
    /// SCTP packets inside messages.
    associated: Vec<InnerPacket>,
    /// The sender's side, declared by the latest message.
    speaker: Option<Side>,
    /// Numbers shared by the dissectors of one conversation, by name.
    pub numbers: SharedNumbers,
    /// The number that the carrier states about the current payload.
    pub detail: u64,
}

impl Handover {
    pub(super) fn is_empty(&self) -> bool {
        let lists = self.payloads.len()
            + self.opened.len()
            + self.expected.len()
            + self.related.len()
            + self.quotes.len()
            + self.packets.len();
        lists + self.associated.len() + self.connection_ids.len() + self.numbers.0.len() == 0 && self.speaker.is_none()
    }

    /// Whether conversations were announced.
    #[must_use]
    pub fn has_expected(&self) -> bool {
        !self.expected.is_empty()
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.payloads.clear();
        self.opened.clear();
        self.expected.clear();
        self.related.clear();
        self.connection_ids.clear();
        self.quotes.clear();
        self.packets.clear();
        self.associated.clear();
        self.speaker = None;
        self.numbers = SharedNumbers::default();
        self.detail = 0;
    }

    /// Hands over an SCTP packet. Their number has the limit of payloads.
    pub fn associate(&mut self, packet: InnerPacket) {
        self.associated.push(packet);
    }

    /// Whether there are SCTP packets.
    #[must_use]
    #[inline]
    pub fn has_associated(&self) -> bool {
        !self.associated.is_empty()
    }

    /// Takes the SCTP packets.
    pub fn take_associated(&mut self) -> Vec<InnerPacket> {
        std::mem::take(&mut self.associated)
    }

    /// Declares the sender of such a message.
    pub fn sent_by(&mut self, side: Side) {
        self.speaker = Some(side);
    }

    /// The declared side of the sender, if any.
    #[must_use]
    pub fn speaker(&self) -> Option<Side> {
        self.speaker
    }

    /// Takes the declared side of the sender, if any.
    pub fn take_speaker(&mut self) -> Option<Side> {
        self.speaker.take()
    }

    /// The bytes of this source, if the latest payload is a part of them.
    #[must_use]
    pub fn shared(&self, source: u32) -> Option<Arc<[u8]>> {
        self.payloads.last().filter(|payload| payload.source == source).and_then(|payload| payload.bytes.clone())
    }

    /// Number of payloads handed over.
    #[must_use]
    pub fn payload_count(&self) -> usize {
        self.payloads.len()
    }

    /// Hands payload over to another protocol.
    pub fn hand_over(&mut self, payloads: Payload) {
        if self.payloads.len() < limits::TREE_HANDED.get() {
            self.payloads.push(payloads);
        }
    }

    /// Appends bytes to the inner stream.
    pub fn open(&mut self, opened: InnerBytes) {
        if self.opened.len() < limits::TREE_HANDED.get() {
            self.opened.push(opened);
        }
    }

    /// Takes the bytes of inner streams.
    pub fn take_inner(&mut self) -> Vec<InnerBytes> {
        std::mem::take(&mut self.opened)
    }

    /// Announces a conversation.
    pub fn expect(&mut self, expected: Expected) {
        if self.expected.len() < limits::TREE_HANDED.get() {
            self.expected.push(expected);
        }
    }

    /// Announces a connection ID.
    pub fn issue(&mut self, id: ConnectionId) {
        if self.connection_ids.len() < limits::TREE_HANDED.get() {
            self.connection_ids.push(id);
        }
    }

    /// Takes the connection IDs.
    pub fn take_connection_ids(&mut self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.connection_ids.drain(..)
    }

    /// Adds a quoted packet.
    pub fn quote(&mut self, quote: Quote) {
        if self.quotes.len() < limits::TREE_HANDED.get() {
            self.quotes.push(quote);
        }
    }

    /// Adds the range of a quoted packet.
    pub fn quote_packet(&mut self, span: Span) {
        if self.packets.len() < limits::TREE_HANDED.get() {
            self.packets.push(span);
        }
    }

    /// Whether there are ranges of quoted packets.
    #[must_use]
    pub fn has_packets(&self) -> bool {
        !self.packets.is_empty()
    }

    /// Takes the ranges of quoted packets.
    pub fn take_packets(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.packets)
    }

    /// Whether there are quoted packets.
    #[must_use]
    pub fn has_quotes(&self) -> bool {
        !self.quotes.is_empty()
    }

    /// Takes the quoted packets.
    pub fn take_quotes(&mut self) -> Vec<Quote> {
        std::mem::take(&mut self.quotes)
    }

    /// Takes the payloads.
    pub fn take_payloads(&mut self) -> Vec<Payload> {
        std::mem::take(&mut self.payloads)
    }

    /// States that later conversations of these hosts may depend on the current one.
    pub fn relate(&mut self, hosts: Sharers) {
        if self.related.len() < limits::TREE_HANDED.get() {
            self.related.push(hosts);
        }
    }

    /// Takes the hosts whose later conversations may depend on those of the tree.
    pub fn take_related(&mut self) -> impl Iterator<Item = Sharers> + '_ {
        self.related.drain(..)
    }

    /// Takes the announced conversations.
    pub fn take_expected(&mut self) -> impl Iterator<Item = Expected> + '_ {
        self.expected.drain(..)
    }
}
