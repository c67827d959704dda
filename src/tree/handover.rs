//! What one protocol leaves to others.

use super::{LayerId, Piece, Side, Span, Transport};
use crate::limits;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a message carries for another protocol.
#[derive(Debug)]
pub struct Payload {
    /// The layer that carries them.
    pub carrier: LayerId,
    /// The name under which they are handed on.
    pub place: &'static str,
    /// The source they lie in, and where.
    pub source: u32,
    /// Where they lie there.
    pub range: Range<usize>,
    /// The bytes of the source, where it is neither the frame nor a stream.
    pub bytes: Option<Vec<u8>>,
    /// Whether the capture lacks bytes behind them.
    pub cut: bool,
    /// Whether they are shown as data if nobody knows them.
    pub alone: bool,
}

/// Bytes that were opened and go on with what their side says in the stream inside the one that carries them.
#[derive(Debug)]
pub struct InnerBytes {
    /// The layer that carries them.
    pub carrier: LayerId,
    /// How they came to be.
    pub how: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they were captured; offsets count in `bytes`.
    pub pieces: Vec<Piece>,
    /// Whether others are missing before them, nobody knows how many.
    pub behind_gap: bool,
    /// Whether nothing follows them.
    pub is_last: bool,
}

/// A conversation that was announced.
#[derive(Debug, Clone)]
pub struct Expected {
    /// What carries it.
    pub transport: Transport,
    /// One of its ends.
    pub end: SocketAddr,
    /// The name under which its bytes are handed on.
    pub place: &'static str,
    /// What was said of it, for whoever is found there.
    pub details: Option<Arc<[u8]>>,
}

/// A packet that an error message quotes. Only the engine knows the number of its conversation.
#[derive(Debug, Clone, Copy)]
pub struct Quote {
    /// The place of the field for that number, if it is kept.
    pub node: u32,
    /// The transport.
    pub transport: Transport,
    /// The source of the quoted packet.
    pub src: SocketAddr,
    /// Its destination.
    pub dst: SocketAddr,
    /// The sequence number of a TCP segment that opens a connection.
    pub opens: Option<u32>,
}

/// What the protocols of one conversation tell each other: numbers by their names.
#[derive(Debug, Default)]
pub struct Facts(Vec<(&'static str, u64)>);

impl Facts {
    /// Keep a number in place of the one that had this name.
    pub fn remember(&mut self, name: &'static str, number: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = number,
            None => self.0.push((name, number)),
        }
    }

    /// The number of this name.
    #[must_use]
    pub fn recall(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }
}

/// What the messages of one tree leave to others.
#[derive(Debug, Default)]
pub struct Handover {
    payloads: Vec<Payload>,
    opened: Vec<InnerBytes>,
    expected: Vec<Expected>,
    quotes: Vec<Quote>,
    /// Where quoted packets lie.
    packets: Vec<Span>,
    /// Who a message says it is said by.
    speaker: Option<Side>,
    /// What the protocols of one conversation tell each other.
    pub facts: Facts,
}

impl Handover {
    /// Whether nothing is.
    pub(super) fn is_empty(&self) -> bool {
        let lists = self.payloads.len() + self.opened.len() + self.expected.len() + self.quotes.len() + self.packets.len();
        lists + self.facts.0.len() == 0 && self.speaker.is_none()
    }

    /// Whether conversations were announced.
    #[must_use]
    pub fn has_expected(&self) -> bool {
        !self.expected.is_empty()
    }

    /// Forget all.
    pub(super) fn clear(&mut self) {
        self.payloads.clear();
        self.opened.clear();
        self.expected.clear();
        self.quotes.clear();
        self.packets.clear();
        self.speaker = None;
        self.facts = Facts::default();
    }

    /// Only this side says such a message.
    pub fn sent_by(&mut self, side: Side) {
        self.speaker = Some(side);
    }

    /// The side that the messages so far are said by, if they told.
    #[must_use]
    pub fn speaker(&self) -> Option<Side> {
        self.speaker
    }

    /// The side that the messages since this was last asked are said by, if they told.
    pub fn take_speaker(&mut self) -> Option<Side> {
        self.speaker.take()
    }

    /// These bytes are somebody else's.
    pub fn hand_over(&mut self, payloads: Payload) {
        if self.payloads.len() < limits::TREE_HANDED.get() {
            self.payloads.push(payloads);
        }
    }

    /// These bytes are said in a stream inside the one being read.
    pub fn open(&mut self, opened: InnerBytes) {
        if self.opened.len() < limits::TREE_HANDED.get() {
            self.opened.push(opened);
        }
    }

    /// What was opened since this was last asked.
    pub fn take_inner(&mut self) -> Vec<InnerBytes> {
        std::mem::take(&mut self.opened)
    }

    /// This conversation will be somebody's.
    pub fn expect(&mut self, expected: Expected) {
        if self.expected.len() < limits::TREE_HANDED.get() {
            self.expected.push(expected);
        }
    }

    /// This packet is quoted.
    pub fn quote(&mut self, quote: Quote) {
        if self.quotes.len() < limits::TREE_HANDED.get() {
            self.quotes.push(quote);
        }
    }

    /// A quoted packet lies here.
    pub fn quote_packet(&mut self, span: Span) {
        if self.packets.len() < limits::TREE_HANDED.get() {
            self.packets.push(span);
        }
    }

    /// Whether it is known of quoted packets where they lie.
    #[must_use]
    pub fn has_packets(&self) -> bool {
        !self.packets.is_empty()
    }

    /// Where the packets lie that were quoted since this was last asked.
    pub fn take_packets(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.packets)
    }

    /// Whether packets were quoted.
    #[must_use]
    pub fn has_quotes(&self) -> bool {
        !self.quotes.is_empty()
    }

    /// The packets that were quoted since this was last asked.
    pub fn take_quotes(&mut self) -> Vec<Quote> {
        std::mem::take(&mut self.quotes)
    }

    /// What was handed on since this was last asked.
    pub fn take_payloads(&mut self) -> Vec<Payload> {
        std::mem::take(&mut self.payloads)
    }

    /// The conversations that were announced since this was last asked.
    pub fn take_expected(&mut self) -> impl Iterator<Item = Expected> + '_ {
        self.expected.drain(..)
    }
}
