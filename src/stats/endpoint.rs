//! Endpoints, and the traffic of conversations.

use super::parts::ConversationLayer;
use super::traffic::Count;
use crate::tree::{Address, Side, UsbEnd};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// One end of a conversation, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Host {
    Mac([u8; 6]),
    V4([u8; 4]),
    V6([u8; 16]),
    Usb(UsbEnd),
    /// An end without an address, in hex text.
    Side(Side),
}

/// An endpoint: an address, with a port for TCP and UDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    pub(super) host: Host,
    pub(super) port: Option<u16>,
}

impl End {
    /// A side of a conversation without addresses.
    pub(super) fn of_side(side: Side) -> End {
        End { host: Host::Side(side), port: Some(0) }
    }

    pub fn has_address(self) -> bool {
        !matches!(self.host, Host::Side(_))
    }

    pub(super) fn of(address: Address) -> End {
        let host = |ip| match ip {
            IpAddr::V4(ip) => Host::V4(ip.octets()),
            IpAddr::V6(ip) => Host::V6(ip.octets()),
        };
        match address {
            Address::Mac(mac) => End { host: Host::Mac(mac), port: None },
            Address::Ip(ip) => End { host: host(ip), port: None },
            Address::Socket(socket) => End { host: host(socket.ip()), port: Some(socket.port()) },
            Address::Usb(end) => End { host: Host::Usb(end), port: None },
        }
    }

    pub(super) fn fits(self, layer: ConversationLayer) -> bool {
        match layer {
            ConversationLayer::Eth => matches!(self.host, Host::Mac(_)),
            ConversationLayer::Ip => matches!(self.host, Host::V4(_)),
            ConversationLayer::Ipv6 => matches!(self.host, Host::V6(_)),
            ConversationLayer::Tcp | ConversationLayer::Udp => self.port.is_some(),
            ConversationLayer::Usb => matches!(self.host, Host::Usb(_)),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ip: IpAddr = match self.host {
            Host::Mac(mac) => return Address::Mac(mac).fmt(f),
            Host::Side(_) => return f.write_str("-"),
            Host::Usb(end) => return Address::Usb(end).fmt(f),
            Host::V4(ip) => Ipv4Addr::from(ip).into(),
            Host::V6(ip) => Ipv6Addr::from(ip).into(),
        };
        match self.port {
            Some(port) => SocketAddr::new(ip, port).fmt(f),
            None => ip.fmt(f),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Conversation {
    /// Stream number, for `follow -s`.
    pub stream: Option<u32>,
    /// Sender of the first frame, and the other end.
    pub ends: [End; 2],
    /// Traffic sent by each end.
    pub sent: [Count; 2],
    /// See [`Conversation::times`]; first > last if unknown.
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Conversation {
    /// Times of the first and the last frame, in nanoseconds since the first frame of the capture.
    pub fn times(&self) -> Option<(i64, i64)> {
        (self.first <= self.last).then_some((self.first, self.last))
    }

    /// Total traffic.
    pub fn all(&self) -> Count {
        let [a, b] = self.sent;
        Count { frames: a.frames + b.frames, bytes: a.bytes + b.bytes }
    }
}

/// Traffic of an endpoint.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shares {
    pub sent: Count,
    /// Received.
    pub got: Count,
}

/// Counted properties of a frame.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) bytes: u32,
    /// Nanoseconds since the first frame.
    pub(super) time: Option<i64>,
}

/// Counted properties of several frames of one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    pub(super) frames: u32,
    pub(super) bytes: u64,
    /// Times of the first and the last frame; first > last if none.
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Default for Sum {
    fn default() -> Sum {
        Sum { frames: 0, bytes: 0, first: i64::MAX, last: i64::MIN }
    }
}

impl From<Seen> for Sum {
    fn from(frame: Seen) -> Sum {
        let mut sum = Sum::default();
        sum.add(frame);
        sum
    }
}

impl Sum {
    pub(super) fn add(&mut self, frame: Seen) {
        self.frames = self.frames.saturating_add(1);
        self.bytes = self.bytes.saturating_add(frame.bytes.into());
        if let Some(time) = frame.time {
            (self.first, self.last) = (self.first.min(time), self.last.max(time));
        }
    }
}

/// A conversation, and whether its second end sends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) place: RowIndex,
    pub(super) answers: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RowIndex {
    Numbered(usize),
    Paired(usize),
}
