//! The user's choices of protocols. They take precedence over detection.

use crate::layers::Next;
use crate::tree::{Side, StreamId, Transport};
use crate::wire::{On, Protocol, Settings};
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

/// The name under which messages of logs hand over their payload.
pub const LOG: &str = crate::protocols::LOG_PLACE;

/// The user's choices of protocols. They take precedence over detection.
#[derive(Default)]
pub struct Choices {
    /// Decode-as rules; the first match applies.
    pub decode_as: Vec<DecodeAs>,
    /// Detect protocols by port only.
    pub no_heuristics: bool,
    /// The format of input without link-layer headers.
    pub assume: Assume,
    /// Options of protocols.
    pub settings: Settings,
    /// Display passwords and other secrets.
    pub show_secrets: bool,
}

/// A decode-as rule.
pub struct DecodeAs {
    /// The conversations it applies to.
    pub selector: Selector,
    /// The protocol; `None` leaves the payload undissected.
    pub protocol: Option<&'static Protocol>,
}

/// Selects conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// Conversations with a port of this range at either endpoint.
    Ports(Transport, RangeInclusive<u16>),
    /// The conversation with this stream number.
    Stream(StreamId),
    /// Conversations with this IP address at either endpoint.
    Address(IpAddr),
    /// Frames of this link type, which have no header.
    Link(u16),
    /// Payloads that another protocol hands over under this name.
    Over(&'static str),
}

/// The format of input without link-layer headers.
#[derive(Default, Clone, Copy)]
pub enum Assume {
    /// Unknown; detected from the bytes.
    #[default]
    Nothing,
    /// Frames that begin with a header of this layer.
    Layer(Next),
    /// Payload of this protocol, optionally sent by this side.
    Protocol(&'static Protocol, Option<Side>),
    /// Payload captured on this port.
    Port(On),
}

/// The properties of a conversation by which its protocol is chosen.
#[derive(Debug, Clone, Copy)]
pub struct FlowContext {
    /// The stream number.
    pub stream: StreamId,
    /// Client and server, if known.
    pub sockets: Option<[SocketAddr; 2]>,
    /// The name under which another conversation announced it.
    pub over: Option<&'static str>,
    /// Whether it is a stream inside another one, such as decrypted payload. The user's choice applies to the outer one.
    pub inside: bool,
    /// For such a stream, the protocol that carries it.
    pub carrier: Option<&'static str>,
}

impl Selector {
    /// Whether it selects nothing but TCP connections.
    #[must_use]
    pub fn is_of_streams(&self) -> bool {
        matches!(self, Selector::Ports(Transport::Tcp, _) | Selector::Stream(StreamId { transport: Transport::Tcp, .. }))
    }

    pub(super) fn fits(&self, context: &FlowContext) -> bool {
        let any = |fits: &dyn Fn(&SocketAddr) -> bool| context.sockets.as_ref().is_some_and(|sockets| sockets.iter().any(fits));
        match self {
            Selector::Ports(transport, ports) => {
                *transport == context.stream.transport && any(&|socket| ports.contains(&socket.port()))
            }
            Selector::Stream(stream) => *stream == context.stream,
            Selector::Address(ip) => any(&|socket| socket.ip() == *ip),
            Selector::Link(_) | Selector::Over(_) => false,
        }
    }
}

impl Choices {
    /// The protocol that the user chose for payloads of this name; of logs, also a single one that was loaded.
    pub(super) fn over(&self, place: &'static str) -> Option<&'static Protocol> {
        let line = self.decode_as.iter().find(|line| line.selector == Selector::Over(place));
        match (line, self.assume) {
            (Some(line), _) => line.protocol,
            (None, Assume::Protocol(protocol, _)) if place == LOG => Some(protocol),
            _ => None,
        }
    }

    /// The rule for frames of this link type, if any.
    pub(super) fn of_link(&self, link: u16) -> Option<&DecodeAs> {
        self.decode_as.iter().find(|line| line.selector == Selector::Link(link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_one_transport() {
        let stream = StreamId { transport: Transport::Udp, number: 3 };
        let sockets = ["10.0.0.1:40000", "10.0.0.2:7777"].map(|socket| socket.parse().unwrap());
        let context = FlowContext { stream, sockets: Some(sockets), over: None, inside: false, carrier: None };
        let ports = |transport| Selector::Ports(transport, 7000..=8000);
        assert!(ports(Transport::Udp).fits(&context) && !ports(Transport::Tcp).fits(&context));
        assert!(!Selector::Ports(Transport::Udp, 1..=10).fits(&context));
        assert!(Selector::Stream(stream).fits(&context) && !Selector::Stream(StreamId { number: 4, ..stream }).fits(&context));
        let addresses = ["10.0.0.1", "10.0.0.3"].map(|ip| Selector::Address(ip.parse().unwrap()).fits(&context));
        assert_eq!(addresses, [true, false]);
    }
}
