//! What the user said about whose bytes are whose.

use crate::layers::Next;
use crate::tree::{Side, StreamId, Transport};
use crate::wire::{On, Protocol, Settings};
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

/// What the user said about whose bytes are whose. It goes before everything that the bytes themselves say.
#[derive(Default)]
pub struct Choices {
    /// Whose conversations are, the first fitting line first.
    pub decode_as: Vec<DecodeAs>,
    /// Recognise protocols by port only.
    pub no_heuristics: bool,
    /// What bytes are that come without headers.
    pub assume: Assume,
    /// What protocols were told beforehand.
    pub settings: Settings,
    /// Show passwords and other secrets.
    pub show_secrets: bool,
}

/// Conversations that belong to a protocol, or to none.
pub struct DecodeAs {
    /// Which ones.
    pub selector: Selector,
    /// Whose they are; `None` leaves them data.
    pub protocol: Option<&'static Protocol>,
}

/// Which conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// Those with a port of this range on one side.
    Ports(Transport, RangeInclusive<u16>),
    /// The one of this number.
    Stream(StreamId),
    /// Those with this address on one side.
    Address(IpAddr),
}

/// What bytes are that come without headers.
#[derive(Default, Clone, Copy)]
pub enum Assume {
    /// Nobody said.
    #[default]
    Nothing,
    /// They begin with a header of this layer.
    Layer(Next),
    /// They are this protocol's payload, said by this side if it matters.
    Protocol(&'static Protocol, Option<Side>),
    /// They are a payload seen on this port.
    Port(On),
}

/// Where a conversation takes place.
#[derive(Debug, Clone, Copy)]
pub struct FlowContext {
    /// Its number.
    pub stream: StreamId,
    /// Client and server, unless nobody knows.
    pub sockets: Option<[SocketAddr; 2]>,
    /// The name under which another conversation announced it.
    pub over: Option<&'static str>,
    /// It takes place inside another one, sealed: what the user chose is whose that one is.
    pub inside: bool,
}

impl Selector {
    pub(super) fn fits(&self, context: &FlowContext) -> bool {
        let any = |fits: &dyn Fn(&SocketAddr) -> bool| context.sockets.as_ref().is_some_and(|sockets| sockets.iter().any(fits));
        match self {
            Selector::Ports(transport, ports) => {
                *transport == context.stream.transport && any(&|socket| ports.contains(&socket.port()))
            }
            Selector::Stream(stream) => *stream == context.stream,
            Selector::Address(ip) => any(&|socket| socket.ip() == *ip),
        }
    }
}
