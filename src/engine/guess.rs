//! Detection of the format of hex text, which may start at any layer.
//!
//! Bytes are read as a frame if lengths and checksums of its headers fit, else as a datagram or the start of a stream, by the
//! heuristics that need no port: exactly as on an unknown port of a capture. Each packet is judged by its own bytes. All other
//! protocols that fit are candidates.

pub(super) mod candidates;
mod headers;
mod trial;

use crate::layers::Next;
use crate::registry::{Assume, Candidate, FlowContext, Owner, Registry};
use crate::tree::{Side, StreamId, Transport};
use crate::wire::{Dissector, On, Opening, Protocol, Verdict as Recognized};

/// The detected format, with the names of other protocols that recognize the bytes.
pub(super) type Guessed = (Guess, Vec<&'static str>);

/// Maximum length of cached input: short inputs often repeat, and trying every protocol takes far longer than dissection.
pub(super) const REMEMBERED: usize = 256;

/// A detected format.
#[derive(Clone, Copy)]
pub(super) enum Guess {
    /// Frames that begin with a header of these layers.
    Layers(Next),
    /// Messages of a stream protocol, sent by this side. Without a protocol, the stream of the protocol that the user chose.
    Stream(Option<Candidate>, Side),
    /// Bytes of one stream in all packets, of the protocol that the user chose for their link type.
    Bound(Candidate, Side),
    /// A datagram of a protocol, sent by this side if the user chose one.
    Datagram(Candidate, Option<Side>),
    /// Unknown format.
    Nothing,
}

/// How well an interpretation fits, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// All bytes are dissected without a note.
    Fits,
    /// Recognized, but bytes remain or something is unusual.
    Odd,
    /// Recognized, but the last message is incomplete.
    Incomplete,
    /// Recognized, but malformed.
    Broken,
    /// Not recognized.
    No,
}

/// A rated interpretation.
struct Rated {
    name: &'static str,
    guess: Guess,
    verdict: Verdict,
    why: String,
}

/// Detects the format: by the user's choice, then as a frame with valid lengths and checksums, then by heuristics. Also
/// returns the names of other matching protocols.
pub(super) fn guess(registry: Registry, bytes: &[u8]) -> Guessed {
    if let Some(known) = chosen(registry, bytes) {
        return (known, Vec::new());
    }
    // Most hex text consists of whole frames, for which protocols are not tried.
    if let Some(layers) = layers(registry, bytes).find(|rated| rated.verdict == Verdict::Fits) {
        return (layers.guess, Vec::new());
    }
    choice(&readings(registry, bytes))
}

/// The format that the user chose.
fn chosen(registry: Registry, bytes: &[u8]) -> Option<Guess> {
    match registry.assume() {
        Assume::Layer(next) => Some(Guess::Layers(next)),
        Assume::Protocol(protocol, side) => Some(assumed(registry, protocol, side, bytes)),
        Assume::Port(On::Udp(port)) => {
            Some(registered_on(registry, port, bytes).map_or(Guess::Nothing, |candidate| Guess::Datagram(candidate, None)))
        }
        Assume::Port(_) => Some(Guess::Stream(None, speaker(registry, bytes).map_or(Side::Server, |(side, _)| side))),
        Assume::Nothing => None,
    }
}

/// The index of the best reading: the first that fits, else the first that is recognized, else a frame whose headers fit. A
/// malformed or incomplete message counts as data.
fn best(readings: &[Rated]) -> Option<usize> {
    [Verdict::Fits, Verdict::Odd, Verdict::Broken].into_iter().find_map(|verdict| {
        let counts = |rated: &Rated| verdict != Verdict::Broken || matches!(rated.guess, Guess::Layers(_));
        readings.iter().position(|rated| rated.verdict == verdict && counts(rated))
    })
}

/// The best reading, and the names of equally good ones.
fn choice(readings: &[Rated]) -> Guessed {
    let Some(best) = best(readings).and_then(|best| readings.get(best)) else { return (Guess::Nothing, Vec::new()) };
    if matches!(best.guess, Guess::Layers(_)) {
        return (best.guess, Vec::new());
    }
    let equal = readings.iter().filter(|rated| rated.verdict == best.verdict && rated.name != best.name);
    let mut others: Vec<&str> = equal.map(|rated| rated.name).collect();
    others.dedup();
    (best.guess, others)
}

/// Headers that the bytes may begin with.
fn layers(registry: Registry, bytes: &[u8]) -> impl Iterator<Item = Rated> {
    headers::KINDS.iter().map(move |kind| {
        let guess = Guess::Layers(kind.next);
        let (verdict, why) = match (kind.fits)(bytes) {
            Err(why) => (Verdict::No, why),
            Ok(why) => match trial::broken(registry, bytes, guess) {
                Some(broken) => (Verdict::Broken, format!("{why}; but malformed: {broken}")),
                None => (Verdict::Fits, why),
            },
        };
        Rated { name: kind.name(bytes), guess, verdict, why }
    })
}

/// All readings that need no port. On a tie, the earlier one wins.
fn readings(registry: Registry, bytes: &[u8]) -> Vec<Rated> {
    let mut all: Vec<Rated> = layers(registry, bytes).collect();
    if let Some((side, candidate)) = speaker(registry, bytes) {
        let (verdict, why) = trial::stream(registry, candidate, side, bytes);
        all.push(Rated { name: candidate.protocol.this.abbrev, guess: Guess::Stream(Some(candidate), side), verdict, why });
    }
    all.extend(registry.datagrams_on(None, bytes).map(|candidate| {
        let (verdict, why) = trial::datagram(registry, candidate, bytes);
        Rated { name: candidate.protocol.this.abbrev, guess: Guess::Datagram(candidate, None), verdict, why }
    }));
    // A protocol may recognize the bytes at several places.
    all.dedup_by(|second, first| second.name == first.name && second.why == first.why);
    all
}

/// The protocol of a datagram captured on this port: the user's choice, else a protocol registered on the port.
fn registered_on(registry: Registry, port: u16, bytes: &[u8]) -> Option<Candidate> {
    let context = no_ports(Transport::Udp);
    if registry.is_chosen(&context) {
        return registry.datagram_owner(&context, bytes);
    }
    registry.scripted_on(On::Udp(port)).or_else(|| registry.datagrams_on(Some([0, port]), bytes).next())
}

/// Payload of a protocol that the user chose.
fn assumed(registry: Registry, protocol: &'static Protocol, side: Option<Side>, bytes: &[u8]) -> Guess {
    match Candidate::datagram(protocol) {
        // A Kaitai Struct file describes the bytes as a whole, unless a direction makes them a stream.
        Some(candidate) if side.is_none() && matches!(candidate.found.dissector, Dissector::Described(_)) => {
            Guess::Datagram(candidate, None)
        }
        Some(candidate) if side.is_none() && registry.is_datagram_of(protocol, bytes) => Guess::Datagram(candidate, None),
        Some(candidate) if !protocol.is_stream() => Guess::Datagram(candidate, side),
        Some(candidate) if side.is_none() && !opens(protocol, bytes) => Guess::Datagram(candidate, None),
        _ => Guess::Stream(None, side.or_else(|| speaker(registry, bytes).map(|(side, _)| side)).unwrap_or(Side::Client)),
    }
}

/// Whether a stream of a protocol begins with these bytes.
fn opens(protocol: &'static Protocol, bytes: &[u8]) -> bool {
    Candidate::all(protocol).filter(Candidate::is_stream).any(|candidate| sender(candidate, bytes).is_some())
}

/// How to read a packet of the protocol that the user chose, after others that were a stream, or else datagrams.
pub(super) fn continued(registry: Registry, guess: Guess, bytes: &[u8], after_stream: bool) -> Guess {
    let Assume::Protocol(protocol, side) = registry.assume() else { return guess };
    match (guess, Candidate::datagram(protocol)) {
        (Guess::Datagram(..), Some(_)) if after_stream && protocol.is_stream() && !registry.is_datagram_of(protocol, bytes) => {
            Guess::Stream(None, side.unwrap_or(Side::Client))
        }
        (Guess::Stream(..), Some(candidate)) if !after_stream => Guess::Datagram(candidate, side),
        _ => guess,
    }
}

/// Payload of a protocol that the user chose for a link type.
pub(super) fn bound(registry: Registry, protocol: &'static Protocol, bytes: &[u8]) -> Guess {
    let guess = assumed(registry, protocol, None, bytes);
    match Candidate::all(protocol).find(Candidate::is_stream) {
        Some(candidate) if matches!(guess, Guess::Stream(..)) => {
            Guess::Bound(candidate, sender(candidate, bytes).unwrap_or(Side::Client))
        }
        _ => guess,
    }
}

/// The side that a protocol takes for the sender of the first bytes of a stream.
fn sender(candidate: Candidate, bytes: &[u8]) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| {
        let opening = Opening { sent: sent(*side, bytes), from_start: [true; 2], complete: true };
        candidate.recognize(&opening) == Recognized::Yes(Side::Server)
    })
}

/// A conversation without ports.
fn no_ports(transport: Transport) -> FlowContext {
    FlowContext { stream: StreamId { transport, number: 0 }, sockets: None, over: None, inside: false, carrier: None }
}

/// Bytes sent by one side, nothing by the other: client, server.
fn sent(side: Side, bytes: &[u8]) -> [&[u8]; 2] {
    match side {
        Side::Client => [bytes, &[]],
        Side::Server => [&[], bytes],
    }
}

/// The sender of these bytes at the start of a stream, and the protocol that recognizes them, if any.
fn speaker(registry: Registry, bytes: &[u8]) -> Option<(Side, Candidate)> {
    let context = no_ports(Transport::Tcp);
    [Side::Server, Side::Client].into_iter().find_map(|side| {
        let opening = Opening { sent: sent(side, bytes), from_start: [true, true], complete: true };
        match registry.stream_owner(&context, &opening) {
            Owner::Known(candidate, Side::Server) => Some((side, candidate)),
            Owner::Known(candidate, Side::Client) => Some((side.other(), candidate)),
            Owner::Unsure | Owner::None => None,
        }
    })
}
