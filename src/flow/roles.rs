//! Which endpoint of a connection joined midway is the server, judging by other connections of the capture.

use crate::limits;
use std::collections::HashMap;
use std::net::SocketAddr;

/// What earlier connections say about the sender and the receiver of the first captured segment of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precedent {
    /// Nothing.
    #[default]
    None,
    /// The sender accepted a connection.
    SenderServed,
    /// The receiver accepted a connection.
    ReceiverServed,
    /// The sender has several peers at one port.
    SenderHasPeers,
    /// The receiver has several peers at one port.
    ReceiverHasPeers,
}

impl Precedent {
    const ALL: [Precedent; 5] = [
        Precedent::None,
        Precedent::SenderServed,
        Precedent::ReceiverServed,
        Precedent::SenderHasPeers,
        Precedent::ReceiverHasPeers,
    ];

    /// Its code in the origin of a frame.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The one with this code; unknown codes say nothing.
    pub fn of_code(code: u8) -> Precedent {
        Precedent::ALL.get(usize::from(code)).copied().unwrap_or_default()
    }
}

/// What is known of an endpoint.
#[derive(Debug, Clone, Copy)]
struct Endpoint {
    /// A handshake was sent to it.
    served: bool,
    /// Its first peer.
    peer: SocketAddr,
    /// Whether there was another peer.
    has_peers: bool,
}

/// The endpoints of connections so far.
#[derive(Debug, Default)]
pub struct Roles {
    endpoints: HashMap<SocketAddr, Endpoint, foldhash::fast::RandomState>,
}

impl Roles {
    /// Learns from the first segment of a connection, and returns what was known before. `server` is known from a handshake.
    pub fn learn(&mut self, [src, dst]: [SocketAddr; 2], server: Option<SocketAddr>) -> Precedent {
        if self.endpoints.len() >= limits::CONVERSATIONS.get() {
            self.endpoints.clear();
        }
        let [sender, receiver] = [(src, dst), (dst, src)].map(|(end, peer)| self.meet(end, peer, server == Some(end)));
        let is_known = |of: fn(Endpoint) -> bool| match [sender, receiver].map(of) {
            [true, false] => Some(true),
            [false, true] => Some(false),
            _ => None,
        };
        match (is_known(|end| end.served), is_known(|end| end.has_peers)) {
            (Some(true), _) => Precedent::SenderServed,
            (Some(false), _) => Precedent::ReceiverServed,
            (None, Some(true)) => Precedent::SenderHasPeers,
            (None, Some(false)) => Precedent::ReceiverHasPeers,
            (None, None) => Precedent::None,
        }
    }

    /// Learns about one endpoint. Returns what is known of it, with the new peer, but without this handshake.
    fn meet(&mut self, end: SocketAddr, peer: SocketAddr, serves: bool) -> Endpoint {
        let known = self.endpoints.entry(end).or_insert(Endpoint { served: false, peer, has_peers: false });
        known.has_peers |= known.peer != peer;
        let before = *known;
        known.served |= serves;
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(host: u8, port: u16) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, host], port))
    }

    #[test]
    fn an_endpoint_that_accepted_a_connection_is_a_server() {
        let (mut roles, server) = (Roles::default(), socket(1, 4000));
        assert_eq!(roles.learn([socket(2, 3999), server], Some(server)), Precedent::None);
        assert_eq!(roles.learn([server, socket(3, 1)], None), Precedent::SenderServed);
        assert_eq!(roles.learn([socket(3, 2), server], None), Precedent::ReceiverServed);
    }

    #[test]
    fn an_endpoint_with_several_peers_is_a_server() {
        let (mut roles, server) = (Roles::default(), socket(1, 4000));
        assert_eq!(roles.learn([server, socket(2, 1)], None), Precedent::None);
        assert_eq!(roles.learn([server, socket(2, 1)], None), Precedent::None, "the same peer");
        assert_eq!(roles.learn([server, socket(2, 2)], None), Precedent::SenderHasPeers);
        assert_eq!(roles.learn([socket(3, 1), server], None), Precedent::ReceiverHasPeers);
    }

    #[test]
    fn a_handshake_outranks_peers_and_two_servers_cancel_out() {
        let (mut roles, server, busy) = (Roles::default(), socket(1, 4000), socket(2, 5000));
        roles.learn([socket(3, 1), server], Some(server));
        roles.learn([socket(4, 1), busy], None);
        roles.learn([socket(4, 2), busy], None);
        assert_eq!(roles.learn([busy, server], None), Precedent::ReceiverServed);
        roles.learn([socket(5, 1), busy], Some(busy));
        assert_eq!(roles.learn([busy, server], None), Precedent::None);
    }

    #[test]
    fn codes_stand_for_precedents() {
        assert!(Precedent::ALL.into_iter().all(|precedent| Precedent::of_code(precedent.code()) == precedent));
        assert_eq!(Precedent::of_code(9), Precedent::None);
    }

    #[test]
    fn endpoints_are_bounded() {
        let mut roles = Roles::default();
        for number in 0..u32::try_from(limits::CONVERSATIONS.get()).unwrap() {
            roles.learn([SocketAddr::from((number.to_be_bytes(), 1)), socket(1, 1)], None);
        }
        assert!(roles.endpoints.len() <= limits::CONVERSATIONS.get() + 1);
    }
}
