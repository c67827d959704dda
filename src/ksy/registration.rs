//! What the key `-proto-dissect` of `meta` states: where a protocol is found, and how its messages follow each other.

use super::expr::Expr;
use super::model::{Spec, TypeId};
use super::place::Place;
use std::ops::RangeInclusive;

/// Where the protocol of a file is found, and how it is shown.
#[derive(Debug, Clone)]
pub struct Registration {
    /// `transport`: what carries it. Empty where the user names the protocol.
    pub carriers: Vec<Carrier>,
    /// `ports`, of TCP and UDP alike.
    pub ports: Vec<RangeInclusive<u16>>,
    /// `magic`: possibilities for the first bytes of a direction or a datagram. Empty where nothing is recognized by content.
    pub magic: Vec<Vec<u8>>,
    /// `framing` of streams.
    pub framing: Framed,
    /// `message`: the type that repeats.
    pub message: Option<TypeId>,
    /// `roots`: the type that each direction begins with.
    pub roots: Roots,
    /// `max-message`: the most bytes of a message on a stream.
    pub max_message: Option<usize>,
    /// `resync: magic`: a direction that is out of step goes on at the next magic.
    pub resyncs: bool,
    /// `name`, by the type of the message: a member of an enum, or text.
    pub names: Vec<(TypeId, Expr)>,
    /// `info`, by the type of the message: text.
    pub infos: Vec<(TypeId, Expr)>,
    /// `secret`: paths of attributes below a message.
    pub secrets: Vec<Secret>,
    /// Where the key is written.
    pub place: Place,
}

/// What carries a protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carrier {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// Messages of another protocol: the name under which it hands them over (`over`), if that is given.
    Payload(Option<String>),
}

/// How messages follow each other on a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framed {
    /// One behind another: `stream`, and `datagram` of what has no streams.
    #[default]
    Messages,
    /// All that a side sends is one message, read when the side closes: `connection`.
    Connection,
}

/// The types that directions begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roots {
    /// What the client sends.
    pub client: TypeId,
    /// What the server sends.
    pub server: TypeId,
    /// Where no direction is known: the top of the file unless the file states another type.
    pub any: TypeId,
}

/// A path of attributes whose values are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The names, from the message down.
    pub path: Vec<String>,
    /// Where it is written.
    pub place: Place,
}

impl Roots {
    /// The same type in both directions.
    #[must_use]
    pub const fn both(of: TypeId) -> Roots {
        Roots { client: of, server: of, any: of }
    }

    /// The types, each once.
    #[must_use]
    pub fn distinct(self) -> Vec<TypeId> {
        let mut all = vec![self.any, self.client, self.server];
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Registration {
    /// The registration of the file whose top this is, if it has one.
    #[must_use]
    pub fn of(spec: &Spec, top: TypeId) -> Option<&Registration> {
        spec.type_of(top).registration.as_deref()
    }

    /// Whether TCP carries the protocol.
    #[must_use]
    pub fn is_on_tcp(&self) -> bool {
        self.carriers.contains(&Carrier::Tcp)
    }

    /// Whether anything carries it in datagrams.
    #[must_use]
    pub fn is_in_datagrams(&self) -> bool {
        self.carriers.iter().any(|carrier| *carrier != Carrier::Tcp)
    }
}

#[cfg(test)]
mod tests;
