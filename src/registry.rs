//! Every protocol, found by the place where it occurs, by its name, or by a field's name.

use crate::tree::{Field, Side};
use crate::wire::{Found, How, Looks, On, Opening, Protocol, Verdict};
use crate::{layers, protocols, wire};

/// The protocols that are looked for.
#[derive(Clone, Copy)]
pub struct Registry {
    applications: &'static [&'static Protocol],
}

impl Default for Registry {
    fn default() -> Self {
        Registry { applications: protocols::ALL }
    }
}

/// A protocol at one of the places where it is found.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// The place.
    pub found: &'static Found,
}

/// Who a stream belongs to.
#[derive(Clone, Copy)]
pub enum Owner {
    /// This protocol; the given side is the server.
    Known(Candidate, Side),
    /// Somebody might still claim it.
    Unsure,
    /// Nobody.
    Nobody,
}

impl Registry {
    /// One that looks for these application protocols only.
    #[must_use]
    pub const fn of(applications: &'static [&'static Protocol]) -> Registry {
        Registry { applications }
    }

    /// Layers and applications, each once.
    pub fn protocols(self) -> impl Iterator<Item = &'static Protocol> {
        layers::ALL.iter().chain(self.applications).copied().chain([&REMARKS])
    }

    /// Every field of every protocol.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        self.protocols().flat_map(|protocol| protocol.fields.iter().copied())
    }

    /// The fields that go by this name: one, or several that share it.
    #[must_use]
    pub fn named(self, name: &str) -> Vec<&'static Field> {
        self.fields().filter(|field| field.answers_to(name)).collect()
    }

    fn candidates(self) -> impl Iterator<Item = Candidate> {
        self.applications.iter().flat_map(|protocol| protocol.found.iter().map(move |found| Candidate { protocol, found }))
    }

    /// Whether some protocol has its home on this port.
    #[must_use]
    pub fn is_home(self, on: On) -> bool {
        self.candidates().any(|candidate| candidate.found.on == on)
    }

    /// Whose stream this is, given the ports of client and server and what the two have said. Ports are asked before
    /// looks; a port that several protocols share asks each of them.
    #[must_use]
    pub fn stream_owner(self, ports: Option<[u16; 2]>, opening: &Opening<'_>) -> Owner {
        let mut owner = Owner::Nobody;
        let places = [true, false];
        for by_port in places {
            for candidate in self.candidates().filter(|candidate| matches!(candidate.found.how, How::Stream(_))) {
                let home = match (candidate.found.on, ports) {
                    (On::Tcp(port), Some([client, server])) if by_port && (port == client || port == server) => {
                        Some(if port == server { Side::Server } else { Side::Client })
                    }
                    (On::AnyTcp, _) if !by_port => Some(Side::Server),
                    _ => None,
                };
                let Some(home) = home else { continue };
                match judge(candidate.found, home, opening) {
                    Verdict::Yes(server) => return Owner::Known(candidate, server),
                    Verdict::Unsure => owner = Owner::Unsure,
                    Verdict::No => {}
                }
            }
        }
        owner
    }

    /// Whose datagram this is, given its ports if it has any.
    #[must_use]
    pub fn datagram_owner(self, ports: Option<[u16; 2]>, bytes: &[u8]) -> Option<Candidate> {
        let fits = |candidate: &Candidate| match candidate.found.looks {
            Looks::Anything => ports.is_some(),
            Looks::Datagram(looks) => looks(bytes),
            Looks::Stream(_) => false,
        };
        let at_home = |candidate: &Candidate| match (candidate.found.on, ports) {
            (On::Udp(port), Some(ports)) => ports.contains(&port),
            // Bytes that came without ports may be at home anywhere.
            (On::Udp(_), None) => true,
            _ => false,
        };
        let datagrams = || self.candidates().filter(|candidate| matches!(candidate.found.how, How::Datagram(_)));
        datagrams()
            .find(|candidate| at_home(candidate) && fits(candidate))
            .or_else(|| datagrams().find(|candidate| candidate.found.on == On::AnyUdp && fits(candidate)))
    }
}

fn judge(found: &Found, home: Side, opening: &Opening<'_>) -> Verdict {
    match found.looks {
        Looks::Anything => Verdict::Yes(home),
        Looks::Stream(looks) => looks(opening),
        Looks::Datagram(_) => Verdict::No,
    }
}

/// The notes that any protocol may get, as a protocol of their own.
static REMARKS: Protocol =
    Protocol { this: &wire::notes::DISSECT, fields: wire::notes::FIELDS, found: &[], rest: None, truncated: None, gap: None };
