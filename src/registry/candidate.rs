//! A place where a protocol is found, and what its heuristic says.

use crate::tree::Side;
use crate::wire::{DatagramContext, Found, Heuristic, On, Opening, Protocol, Verdict};

/// A protocol with one of its places.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// The place.
    pub found: &'static Found,
}

impl Candidate {
    /// The datagram dissector of a protocol, if any.
    #[must_use]
    pub fn datagram(protocol: &'static Protocol) -> Option<Candidate> {
        let reads = |candidate: &Candidate| candidate.found.dissector.is_datagram();
        let alone = Candidate::all(protocol).find(|candidate| reads(candidate) && !matches!(candidate.found.on, On::Over(_)));
        alone.or_else(|| Candidate::all(protocol).find(reads))
    }

    /// All places of a protocol.
    pub fn all(protocol: &'static Protocol) -> impl Iterator<Item = Candidate> {
        protocol.found.iter().map(move |found| Candidate { protocol, found })
    }

    /// Whether the heuristic accepts a datagram; `placed` if the ports are known.
    pub(super) fn looks_right(&self, bytes: &[u8], context: &DatagramContext, placed: bool) -> bool {
        match self.found.heuristic {
            Heuristic::Anything => placed,
            Heuristic::Datagram(heuristic) => heuristic(bytes),
            Heuristic::InContext(heuristic) => heuristic(bytes, context),
            Heuristic::Described(described) => described.recognizes(bytes),
            Heuristic::Stream(_) | Heuristic::Series(_) => false,
        }
    }

    /// Whether it dissects streams.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.found.dissector.is_stream()
    }

    /// What the heuristic says about the start of a stream.
    #[must_use]
    pub fn recognize(&self, opening: &Opening<'_>) -> Verdict {
        match self.found.heuristic {
            Heuristic::Anything => Verdict::Yes(Side::Server),
            Heuristic::Stream(heuristic) => heuristic(opening),
            Heuristic::Described(described) => described.recognizes_stream(opening),
            Heuristic::Datagram(_) | Heuristic::InContext(_) | Heuristic::Series(_) => Verdict::No,
        }
    }
}
