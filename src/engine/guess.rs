//! Detection of the format of hex text, which may start at any layer.

mod headers;

use super::nested::{NestedContext, NestedMessage, States};
use crate::layers::{Bytes, Next};
use crate::record::level_of;
use crate::registry::{Assume, Candidate, FlowContext, Owner, Registry};
use crate::tree::{FrameInfo, Level, Side, StreamId, Transport, Tree, clean};
use crate::wire::{Cut, Dissector, On, Opening, Protocol};

/// The detected format, with the names of other protocols that recognize the bytes.
pub(super) type Guessed = (Guess, Vec<&'static str>);

/// Maximum length of cached input: short inputs often repeat, and trying every protocol takes far longer than dissection.
pub(super) const REMEMBERED: usize = 256;

/// A detected format.
#[derive(Clone, Copy)]
pub(super) enum Guess {
    /// Frames that begin with a header of these layers.
    Layers(Next),
    /// Messages of a stream protocol, sent by this side.
    Stream(Side),
    /// A datagram of a protocol, sent by this side unless the input gives another.
    Datagram(Candidate, Side),
    /// Unknown format.
    Nothing,
}

/// Link type number of Ethernet.
const ETHERNET: u16 = 1;

/// How well an interpretation fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// All bytes are dissected without a note.
    Fits,
    /// Recognized, but bytes remain or something is unusual.
    Odd,
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
    choice(&candidates(registry, bytes))
}

/// The format that the user chose.
fn chosen(registry: Registry, bytes: &[u8]) -> Option<Guess> {
    match registry.assume() {
        Assume::Layer(next) => Some(Guess::Layers(next)),
        Assume::Protocol(protocol, side) => Some(assumed(registry, protocol, side, bytes)),
        Assume::Port(On::Udp(port)) => Some(registered_on(registry, port, bytes).map_or(Guess::Nothing, by_client)),
        Assume::Port(_) => Some(Guess::Stream(speaker(registry, bytes).map_or(Side::Server, |(side, _)| side))),
        Assume::Nothing => None,
    }
}

/// The index of the best candidate: the first that fits, else the first that is recognized, else a malformed one. A malformed
/// datagram counts as data, because heuristics accept single bytes easily.
fn best(candidates: &[Rated]) -> Option<usize> {
    [Verdict::Fits, Verdict::Odd, Verdict::Broken].into_iter().find_map(|verdict| {
        let counts = |rated: &Rated| verdict != Verdict::Broken || !matches!(rated.guess, Guess::Datagram(..));
        candidates.iter().position(|rated| rated.verdict == verdict && counts(rated))
    })
}

/// The best candidate, and the names of equally good ones.
fn choice(candidates: &[Rated]) -> Guessed {
    let Some(best) = best(candidates).and_then(|best| candidates.get(best)) else { return (Guess::Nothing, Vec::new()) };
    if matches!(best.guess, Guess::Layers(_)) {
        return (best.guess, Vec::new());
    }
    let equal = candidates.iter().filter(|rated| rated.verdict == best.verdict && rated.name != best.name);
    let mut others: Vec<&str> = equal.map(|rated| rated.name).collect();
    others.dedup();
    (best.guess, others)
}

/// Headers that the bytes may begin with.
fn layers(registry: Registry, bytes: &[u8]) -> impl Iterator<Item = Rated> {
    let version = if bytes.first().is_some_and(|first| first >> 4 == 6) { "IPv6" } else { "IPv4" };
    let kinds = [(version, Guess::Layers(Next::Ip)), ("Ethernet", Guess::Layers(Next::Link(ETHERNET)))];
    kinds.into_iter().map(move |(name, guess)| {
        let fits = if name == "Ethernet" { headers::ethernet(bytes) } else { headers::ip(bytes) };
        let (verdict, why) = match fits {
            Err(why) => (Verdict::No, why),
            Ok(why) => match headers::broken(registry, bytes, guess) {
                Some(broken) => (Verdict::Broken, format!("{why}; but malformed: {broken}")),
                None => (Verdict::Fits, why),
            },
        };
        Rated { name, guess, verdict, why }
    })
}

/// All interpretations. On a tie, the earlier one wins.
fn candidates(registry: Registry, bytes: &[u8]) -> Vec<Rated> {
    let mut all: Vec<Rated> = layers(registry, bytes).collect();
    if let Some((side, name)) = speaker(registry, bytes) {
        let guess = Guess::Stream(side);
        let (verdict, why) = match headers::broken(registry, bytes, guess) {
            Some(broken) => (Verdict::Broken, format!("recognised as a stream, but malformed: {broken}")),
            None => (
                Verdict::Fits,
                format!("recognised as a stream, sent by the {}", if side == Side::Client { "client" } else { "server" }),
            ),
        };
        all.push(Rated { name, guess, verdict, why });
    }
    all.extend(registry.datagrams_on(None, bytes).map(|candidate| {
        let (verdict, why) = explained(registry, candidate, bytes);
        Rated { name: candidate.protocol.this.abbrev, guess: by_client(candidate), verdict, why }
    }));
    // A protocol may recognize the bytes at several places.
    all.dedup_by(|second, first| second.name == first.name && second.why == first.why);
    all
}

/// Explains the format detected for bytes without a link type: the choice first, then every candidate.
pub(super) fn explain(registry: Registry, bytes: &[u8]) -> Vec<String> {
    if let Some(known) = chosen(registry, bytes) {
        let what = match known {
            Guess::Layers(_) => "frames",
            Guess::Stream(_) => "a stream",
            Guess::Datagram(..) => "a datagram",
            Guess::Nothing => "data, because no protocol uses that port",
        };
        return vec![format!("read as {what}, as requested")];
    }
    let all = candidates(registry, bytes);
    let best = best(&all);
    let choice = match best.and_then(|best| all.get(best)) {
        Some(rated) => format!("read as {}: {}", rated.name, rated.why),
        None => "read as data: no protocol fits; select one with --as PROTO".to_owned(),
    };
    let others = all.iter().enumerate().filter(|(at, _)| Some(*at) != best);
    let others = others.map(|(_, rated)| match rated.verdict {
        Verdict::No => format!("not {}: {}", rated.name, rated.why),
        _ => format!("or {}: {}", rated.name, rated.why),
    });
    let cleaned = |line: String| {
        let mut out = String::with_capacity(line.len());
        // Writing to a string cannot fail.
        let _ = clean(&line, &mut out);
        out
    };
    std::iter::once(choice).chain(others).map(cleaned).collect()
}

/// How well a protocol fits a datagram.
fn explained(registry: Registry, candidate: Candidate, bytes: &[u8]) -> (Verdict, String) {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let carried = NestedMessage { bytes: Bytes::of_frame(bytes), range: 0..bytes.len(), cut: Cut::No, below: None, ends: 0 };
    let mut nested = NestedContext { registry, context: None, side: Side::Client, states: &mut States::default() };
    nested.message(&mut tree, candidate, &carried);
    let worst = tree.notes.iter().filter(|note| level_of(note) > Level::Info).max_by_key(|note| level_of(note));
    match worst {
        Some(note) if level_of(note) == Level::Broken => {
            (Verdict::Broken, format!("recognised, but malformed: {}: {}", note.code.name, tree.generated_text(note.text)))
        }
        Some(note) => {
            (Verdict::Odd, format!("recognised, with a warning: {}: {}", note.code.name, tree.generated_text(note.text)))
        }
        None if tree.undissected > 0 => (Verdict::Odd, format!("recognised, but {} bytes are not dissected", tree.undissected)),
        None => (Verdict::Fits, "recognised, and all bytes are dissected".to_owned()),
    }
}

/// The protocol of a datagram captured on this port: the user's choice, else a protocol registered on the port.
fn registered_on(registry: Registry, port: u16, bytes: &[u8]) -> Option<Candidate> {
    let context =
        FlowContext { stream: StreamId { transport: Transport::Udp, number: 0 }, sockets: None, over: None, inside: false };
    if registry.is_chosen(&context) {
        return registry.datagram_owner(&context, bytes);
    }
    registry.datagrams_on(Some([0, port]), bytes).next()
}

/// A datagram of unknown direction.
fn by_client(candidate: Candidate) -> Guess {
    Guess::Datagram(candidate, Side::Client)
}

/// Payload of a protocol that the user chose.
fn assumed(registry: Registry, protocol: &'static Protocol, side: Option<Side>, bytes: &[u8]) -> Guess {
    match Candidate::datagram(protocol) {
        // A Kaitai Struct file describes the bytes as a whole, unless a direction makes them a stream.
        Some(candidate) if side.is_none() && matches!(candidate.found.dissector, Dissector::Described(_)) => by_client(candidate),
        Some(candidate) if side.is_none() && registry.datagrams_on(None, bytes).any(|other| same(&other, &candidate)) => {
            by_client(candidate)
        }
        Some(candidate) if !protocol.is_stream() => Guess::Datagram(candidate, side.unwrap_or(Side::Client)),
        _ => Guess::Stream(side.or_else(|| speaker(registry, bytes).map(|(side, _)| side)).unwrap_or(Side::Client)),
    }
}

fn same(a: &Candidate, b: &Candidate) -> bool {
    std::ptr::eq(a.protocol, b.protocol)
}

/// The sender of these bytes at the start of a stream, and the protocol that recognizes them, if any.
fn speaker(registry: Registry, bytes: &[u8]) -> Option<(Side, &'static str)> {
    let context =
        FlowContext { stream: StreamId { transport: Transport::Tcp, number: 0 }, sockets: None, over: None, inside: false };
    [Side::Server, Side::Client].into_iter().find_map(|side| {
        let mut sent: [&[u8]; 2] = [&[], &[]];
        if let Some(place) = sent.get_mut(side.index()) {
            *place = bytes;
        }
        let opening = Opening { sent, from_start: [true, true], complete: true };
        match registry.stream_owner(&context, &opening) {
            Owner::Known(candidate, Side::Server) => Some((side, candidate.protocol.this.abbrev)),
            Owner::Known(candidate, Side::Client) => Some((side.other(), candidate.protocol.this.abbrev)),
            Owner::Unsure | Owner::None => None,
        }
    })
}
