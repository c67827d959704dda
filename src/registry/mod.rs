//! All protocols, by place, by name and by field name.

mod candidate;
mod choices;
mod index;
mod names;
mod scripted;
mod without_ports;

pub use candidate::Candidate;
pub use choices::{Assume, Choices, DecodeAs, FlowContext, LOG, Selector};

use crate::tree::Kind;
use crate::tree::{Field, Side, StreamId, Transport};
use crate::wire::{DatagramContext, Found, Heuristic, On, Opening, Protocol, Scripted, Settings, Verdict};
use crate::{ksy, layers, protocols, wire};
use index::Index;
use std::borrow::Cow;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The registered protocols and the user's choices among them.
#[derive(Clone, Copy)]
pub struct Registry {
    applications: &'static [&'static Protocol],
    /// Protocols of the library user. They take precedence.
    own: &'static [&'static Protocol],
    /// Number of protocols named on the command line; the others were found in the directories of Kaitai Struct files.
    named: usize,
    choices: &'static Choices,
    /// Cached indexes. Only registries that live as long as the program have them.
    collected: Option<&'static Collected>,
    /// The registry by which bytes of unknown format are recognized, if not this one.
    recognizer: Option<&'static Registry>,
    /// Loaded dissectors that decide by dissecting.
    scripted: Option<&'static dyn Scripted>,
}

/// A dissector and its ports; `None` if a heuristic alone identifies it.
type Placed = (Option<RangeInclusive<u16>>, Candidate);

/// Indexes built once for the protocols of a registry.
#[derive(Default)]
struct Collected {
    /// Fields declared by all protocols.
    listed: OnceLock<Index>,
    /// All datagram dissectors: each datagram without a known conversation is matched against them.
    datagrams: OnceLock<Vec<Placed>>,
    /// All dissectors of TCP streams: each new connection is matched against them.
    streams: OnceLock<Vec<Placed>>,
    /// Those that may begin inside a stream: each segment of unknown content is matched against them.
    later: OnceLock<Vec<Placed>>,
}

static BUILT_IN: Collected =
    Collected { listed: OnceLock::new(), datagrams: OnceLock::new(), streams: OnceLock::new(), later: OnceLock::new() };

/// The registry of the program with loaded protocols; `None` if no file was loaded.
static LOADED: RwLock<Option<Registry>> = RwLock::new(None);

/// Adds protocols of files to the default registry and replaces those that an earlier call added. A protocol with the name of a
/// built-in one replaces it. The command line names the first `named` of them. The lists are leaked: a process calls this once,
/// or once per change of a file.
pub fn load(own: Vec<&'static Protocol>, named: usize, scripted: Option<&'static dyn Scripted>) {
    let is_replaced = |known: &&&Protocol| own.iter().any(|own| own.this.abbrev == known.this.abbrev);
    let applications: Vec<&Protocol> = protocols::ALL.iter().filter(|known| !is_replaced(known)).copied().collect();
    let collected = Some(&*Box::leak(Box::default()));
    let registry = Registry { own: Vec::leak(own), named, collected, scripted, ..Registry::of(Vec::leak(applications)) };
    *LOADED.write().unwrap_or_else(PoisonError::into_inner) = Some(registry);
}

impl Default for Registry {
    fn default() -> Self {
        #[cfg(test)]
        if let Some(instead) = INSTEAD.get() {
            return Registry::of(instead);
        }
        let loaded = *LOADED.read().unwrap_or_else(PoisonError::into_inner);
        loaded.unwrap_or(Registry { collected: Some(&BUILT_IN), ..Registry::of(protocols::ALL) })
    }
}

/// Replacement protocols for tests of the program.
#[cfg(test)]
pub(crate) static INSTEAD: OnceLock<&'static [&'static Protocol]> = OnceLock::new();

static NO_CHOICES: Choices = Choices {
    decode_as: Vec::new(),
    no_heuristics: false,
    assume: Assume::Nothing,
    settings: Settings::new(),
    show_secrets: false,
};

/// The protocol of a stream.
#[derive(Clone, Copy)]
pub enum Owner {
    /// A protocol; `Side` is the server.
    Known(Candidate, Side),
    /// Not yet known: a heuristic needs more bytes.
    Unsure,
    /// No protocol matches.
    None,
}

/// Former Wireshark names of protocols, still accepted in filters.
const FORMER_NAMES: [(&str, &str); 2] = [("ssl", "tls"), ("bootp", "dhcp")];

/// The protocol of a stream among those that read what is handed over under this name.
fn in_place(candidates: impl Iterator<Item = Candidate>, place: &'static str, opening: &Opening<'_>) -> Owner {
    let over = candidates.filter(|candidate| candidate.is_stream() && candidate.found.on == On::Over(place));
    over.map(|candidate| (candidate, candidate.recognize(opening))).fold(Owner::None, |owner, (candidate, verdict)| {
        match (owner, verdict) {
            (known @ Owner::Known(..), _) => known,
            (_, Verdict::Yes(server)) => Owner::Known(candidate, server),
            (_, Verdict::Unsure) => Owner::Unsure,
            (owner, Verdict::No) => owner,
        }
    })
}

/// Replaces a former protocol name at the start of a field name.
fn renamed(name: &str) -> Option<String> {
    FORMER_NAMES.iter().find_map(|(former, today)| {
        let rest = name.strip_prefix(former)?;
        (rest.is_empty() || rest.starts_with('.')).then(|| format!("{today}{rest}"))
    })
}

impl Registry {
    /// Creates a registry of these application protocols.
    #[must_use]
    pub const fn of(applications: &'static [&'static Protocol]) -> Registry {
        Registry {
            applications,
            own: &[],
            named: usize::MAX,
            choices: &NO_CHOICES,
            collected: None,
            recognizer: None,
            scripted: None,
        }
    }

    /// Adds protocols that take precedence over all others: `Registry::default().and(OWN)`.
    #[must_use]
    pub const fn and(self, own: &'static [&'static Protocol]) -> Registry {
        Registry { own, collected: None, ..self }
    }

    /// The added protocols whose conversations leave values for later ones. The list is leaked: a process calls this once.
    #[must_use]
    pub fn relating(self) -> &'static [&'static Protocol] {
        let relates = |protocol: &&&Protocol| protocol.found.iter().any(|found| found.dissector.relates());
        let relating: Vec<&Protocol> = self.own.iter().filter(relates).copied().collect();
        Vec::leak(relating)
    }

    /// Removes all protocols, so that every payload is data. Which secrets are displayed does not change, nor does the layer at
    /// which hex text starts. It is leaked: a process calls this once.
    #[must_use]
    pub fn blind(self) -> Registry {
        let show_secrets = self.shows_secrets();
        let blind = Registry::of(&[]).choosing(Choices { show_secrets, ..Choices::default() });
        Registry { recognizer: Some(Box::leak(Box::new(self))), ..blind }
    }

    /// The registry by which bytes of unknown format are recognized.
    #[must_use]
    pub fn recognizer(self) -> Registry {
        self.recognizer.copied().unwrap_or(self)
    }

    /// Whether every payload is data.
    #[must_use]
    pub fn is_blind(self) -> bool {
        self.recognizer.is_some()
    }

    /// Adds the user's choices. They are leaked: a process calls this once.
    #[must_use]
    pub fn choosing(self, choices: Choices) -> Registry {
        Registry { choices: Box::leak(Box::new(choices)), ..self }
    }

    /// The format of input without link-layer headers.
    #[must_use]
    pub fn assume(self) -> Assume {
        self.choices.assume
    }

    /// The options of protocols.
    #[must_use]
    pub fn settings(self) -> &'static Settings {
        &self.choices.settings
    }

    /// Whether passwords and other secrets are shown.
    #[must_use]
    pub fn shows_secrets(self) -> bool {
        self.choices.show_secrets
    }

    /// Layers and application protocols, without duplicates.
    pub fn protocols(self) -> impl Iterator<Item = &'static Protocol> {
        layers::ALL.iter().copied().chain(self.applications()).chain([&NOTES, &ksy::notes::PROTOCOL])
    }

    /// The protocol of this name.
    #[must_use]
    pub fn protocol(self, name: &str) -> Option<&'static Protocol> {
        self.protocols().find(|protocol| protocol.this.abbrev == name)
    }

    /// The application protocols.
    pub fn applications(self) -> impl Iterator<Item = &'static Protocol> {
        self.own.iter().chain(self.applications).copied()
    }

    /// Protocols loaded at run time, from files or from the library user.
    pub fn loaded(self) -> impl Iterator<Item = &'static Protocol> {
        self.own.iter().copied()
    }

    /// Names of handovers that loaded protocols read.
    #[must_use]
    pub fn loaded_places(self) -> Arc<[&'static str]> {
        let place = |found: &Found| if let On::Over(place) = found.on { Some(place) } else { None };
        self.loaded().flat_map(|protocol| protocol.found.iter().filter_map(place)).collect()
    }

    /// Loaded protocols that the command line names.
    pub fn named_protocols(self) -> impl Iterator<Item = &'static Protocol> {
        self.loaded().take(self.named)
    }

    /// Every field of every protocol.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        self.protocols().flat_map(|protocol| protocol.fields.iter().copied()).chain(self.of_tables(|_| true))
    }

    /// Every field of one protocol, including those of packet tables.
    pub fn fields_of(self, protocol: &'static Protocol) -> impl Iterator<Item = &'static Field> {
        protocol.fields.iter().copied().chain(protocol.tables.map(|fields| fields()).unwrap_or_default())
    }

    /// The fields with this name. Several fields may share one.
    #[must_use]
    pub fn named(self, name: &str) -> Vec<&'static Field> {
        let fields = self.called(name);
        match renamed(name).filter(|_| fields.is_empty()) {
            Some(name) => self.called(&name),
            None => fields,
        }
    }

    fn called(self, name: &str) -> Vec<&'static Field> {
        let named: Vec<&Field> = if let Some(collected) = self.collected {
            collected.listed.get_or_init(|| Index::new(&self.protocols().collect::<Vec<_>>())).named(name)
        } else {
            let listed = self.protocols().flat_map(|protocol| protocol.fields.iter().copied());
            listed.filter(|field| field.answers_to(name)).collect()
        };
        // Packet tables are searched only for names missing from the lists.
        let first = name.split('.').next().unwrap_or_default();
        let own = |field: &&Field| field.answers_to(name);
        if named.is_empty() { self.of_tables(|protocol| protocol == first).filter(own).collect() } else { named }
    }

    /// The fields of a protocol that only occurs inside messages of others, without the protocol itself.
    pub fn inside_others(self, name: &str) -> impl Iterator<Item = &'static Field> {
        // Certificates are excluded: Wireshark has no items for their protocols.
        const INSIDE: [&str; 3] = ["imf", "json", "sdp"];
        let meant = move |protocol: &&'static Protocol| protocol.this.abbrev == name && INSIDE.contains(&name);
        let fields = self.applications().filter(meant).flat_map(|protocol| protocol.fields.iter().copied());
        fields.filter(|field| field.kind != Kind::Protocol)
    }

    /// The packet-table fields of these protocols.
    fn of_tables(self, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static Field> {
        let meant = move |protocol: &&Protocol| is_meant(protocol.this.abbrev);
        self.protocols().filter(meant).filter_map(|protocol| protocol.tables).flat_map(|fields| fields())
    }

    fn candidates(self) -> impl Iterator<Item = Candidate> {
        self.applications()
            .flat_map(|protocol| protocol.found.iter().map(move |found| Candidate { protocol, found }))
            .filter(move |candidate| !self.choices.no_heuristics || !candidate.found.on.is_anywhere())
    }

    /// Datagram dissectors: those with a port, those without, and those that the port alone identifies.
    fn datagrams(self) -> Cow<'static, [Placed]> {
        self.placed(
            |collected| &collected.datagrams,
            |candidate| candidate.found.dissector.is_datagram(),
            |on| match on {
                On::Udp(port) => Some(Some(port..=port)),
                On::UdpRun(first, last) => Some(Some(first..=last)),
                On::AnyUdp => Some(None),
                _ => None,
            },
        )
    }

    /// Dissectors of TCP streams in the same order.
    fn streams(self) -> Cow<'static, [Placed]> {
        self.placed(
            |collected| &collected.streams,
            Candidate::is_stream,
            |on| match on {
                On::Tcp(port) => Some(Some(port..=port)),
                On::TcpRun(first, last) => Some(Some(first..=last)),
                On::AnyTcp => Some(None),
                _ => None,
            },
        )
    }

    /// The protocol that begins with these bytes of a segment, inside a stream of unknown content.
    #[must_use]
    pub fn beginning_later(self, context: &FlowContext, bytes: &[u8]) -> Option<Candidate> {
        let later = self.placed(
            |collected| &collected.later,
            |candidate| candidate.found.later.is_some(),
            |on| (on == On::AnyTcp).then_some(None),
        );
        let begins = |candidate: &Candidate| candidate.found.later.is_some_and(|begins| begins(bytes));
        let found = later.iter().map(|(_, candidate)| *candidate).find(begins)?;
        (!self.is_chosen(context)).then_some(found)
    }

    /// Dissectors of a transport in the order in which they are asked, collected once.
    fn placed(
        self,
        kept: impl Fn(&Collected) -> &OnceLock<Vec<Placed>>,
        is_meant: impl Fn(&Candidate) -> bool,
        home: impl Fn(On) -> Option<Option<RangeInclusive<u16>>>,
    ) -> Cow<'static, [Placed]> {
        let all = || {
            let meant = self.candidates().filter(is_meant);
            let mut all: Vec<Placed> = meant.filter_map(|one| Some((home(one.found.on)?, one))).collect();
            all.sort_by_key(|(home, one)| (one.found.by_port, home.is_none()));
            all
        };
        match self.collected.filter(|_| !self.choices.no_heuristics) {
            Some(collected) => Cow::Borrowed(kept(collected).get_or_init(all)),
            None => Cow::Owned(all()),
        }
    }

    /// Whether a protocol is registered on this port.
    #[must_use]
    pub fn is_home(self, on: On) -> bool {
        let has = |all: Cow<'static, [Placed]>, port: u16| {
            all.iter().filter_map(|(home, _)| home.as_ref()).any(|home| home.contains(&port))
        };
        match on {
            On::Udp(port) => has(self.datagrams(), port),
            On::Tcp(port) => has(self.streams(), port),
            on => self.candidates().any(|candidate| candidate.found.on.covers(on)),
        }
    }

    /// Chooses the protocol of a stream: by the user's choice, then port, then heuristic. Protocols that share a port are
    /// tried in turn.
    #[must_use]
    pub fn stream_owner(self, context: &FlowContext, opening: &Opening<'_>) -> Owner {
        if let Some(owner) = self.chosen_stream(context, opening) {
            return owner;
        }
        if let Some(place) = context.over {
            return in_place(self.candidates(), place, opening);
        }
        if let Some(carrier) = context.carrier {
            let owner = in_place(self.loaded().flat_map(Candidate::all), carrier, opening);
            if !matches!(owner, Owner::None) {
                return owner;
            }
        }
        let mut owner = Owner::None;
        for (_, candidate) in self.streams().iter().filter(|placed| self.is_at(context, placed)) {
            // More bytes may show one of the others.
            if candidate.found.by_port && matches!(owner, Owner::Unsure) && !opening.complete {
                break;
            }
            match candidate.recognize(opening) {
                Verdict::Yes(server) => return Owner::Known(*candidate, server),
                Verdict::Unsure => owner = Owner::Unsure,
                Verdict::No => {}
            }
        }
        owner
    }

    /// The protocol that is registered on a port of a stream, whatever its bytes.
    #[must_use]
    pub fn stream_at_home(self, context: &FlowContext) -> Option<Candidate> {
        let is_usual = context.sockets.is_some() && context.over.is_none() && !self.is_chosen(context) && !self.is_blind();
        let streams = self.streams();
        let home = streams.iter().find(|placed| is_usual && placed.0.is_some() && self.is_at(context, placed));
        home.map(|(_, candidate)| *candidate)
    }

    /// Whether the heuristic of a protocol on one of the ports needs more bytes.
    #[must_use]
    pub fn is_awaited(self, context: &FlowContext, opening: &Opening<'_>) -> bool {
        let is_usual = context.sockets.is_some() && context.over.is_none() && !self.is_chosen(context);
        let is_unsure = |candidate: &Candidate| candidate.recognize(opening) == Verdict::Unsure;
        let waits = |placed: &Placed| {
            placed.0.is_some() && !placed.1.found.by_port && self.is_at(context, placed) && is_unsure(&placed.1)
        };
        is_usual && self.streams().iter().any(waits)
    }

    /// Whether either endpoint uses a port of a dissector; those without one are at every port.
    fn is_at(self, context: &FlowContext, (home, _): &Placed) -> bool {
        let Some(home) = home else { return true };
        match (context.sockets, self.choices.assume) {
            (Some(sockets), _) => sockets.iter().any(|socket| home.contains(&socket.port())),
            (None, Assume::Port(On::Tcp(seen))) => home.contains(&seen),
            _ => false,
        }
    }

    fn chosen_stream(self, context: &FlowContext, opening: &Opening<'_>) -> Option<Owner> {
        let protocol = match (context.sockets, self.choices.assume) {
            (None, Assume::Protocol(protocol, _)) => Some(protocol),
            _ => self.chosen(context)?.protocol,
        };
        let Some(protocol) = protocol else { return Some(Owner::None) };
        let Some(candidate) = Candidate::all(protocol).find(Candidate::is_stream) else { return Some(Owner::None) };
        let server = match candidate.recognize(opening) {
            // A given direction takes precedence over the heuristic.
            _ if context.sockets.is_none() && matches!(self.choices.assume, Assume::Protocol(_, Some(_))) => Side::Server,
            Verdict::Yes(server) => server,
            Verdict::Unsure if !opening.complete => return Some(Owner::Unsure),
            Verdict::Unsure | Verdict::No => Side::Server,
        };
        Some(Owner::Known(candidate, server))
    }

    /// Whether a decode-as rule applies to this conversation.
    #[must_use]
    pub fn is_chosen(self, context: &FlowContext) -> bool {
        self.chosen(context).is_some()
    }

    /// The ports of client and server: those of hex text are assumed, and 0 if unknown.
    #[must_use]
    pub fn ports_of(self, context: &FlowContext) -> [u16; 2] {
        match (context.sockets, self.choices.assume) {
            (Some(sockets), _) => sockets.map(|socket| socket.port()),
            (None, Assume::Port(On::Tcp(port) | On::Udp(port))) => [0, port],
            _ => [0; 2],
        }
    }

    /// The protocol that the user chose for this conversation; `None` inside if it is to be left undissected.
    #[must_use]
    pub fn choice(self, context: &FlowContext) -> Option<Option<&'static Protocol>> {
        match (context.sockets, self.choices.assume) {
            (None, Assume::Protocol(protocol, _)) => Some(Some(protocol)),
            _ => self.chosen(context).map(|line| line.protocol),
        }
    }

    /// The decode-as rule for this conversation. Payload without headers matches by its assumed port.
    fn chosen(self, context: &FlowContext) -> Option<&'static DecodeAs> {
        if context.inside {
            return None;
        }
        let seen = match (context.sockets, self.choices.assume) {
            (None, Assume::Port(On::Tcp(port))) => Some((Transport::Tcp, port)),
            (None, Assume::Port(On::Udp(port))) => Some((Transport::Udp, port)),
            _ => None,
        };
        let place = seen.map(|(transport, port)| {
            let sockets = [0, port].map(|port| SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)));
            FlowContext { stream: StreamId { transport, ..context.stream }, sockets: Some(sockets), ..*context }
        });
        self.choices.decode_as.iter().find(|line| line.selector.fits(place.as_ref().unwrap_or(context)))
    }

    /// Chooses the protocol of a datagram: by the user's choice, then announcement, then port, then heuristic. The payload of a
    /// USB transfer has the first two only.
    #[must_use]
    pub fn datagram_owner(self, context: &FlowContext, bytes: &[u8]) -> Option<Candidate> {
        if let Some(line) = self.chosen(context) {
            let chosen = line.protocol?;
            let carrier = |candidate: Candidate| match candidate.found.on {
                On::Over(place) => self.protocol(place).and_then(Candidate::datagram),
                _ => Some(candidate),
            };
            return Candidate::datagram(chosen).and_then(carrier);
        }
        let announced = context.over.and_then(|place| self.over(place, None, bytes));
        if context.stream.transport == Transport::Usb {
            return announced;
        }
        let ports = context.sockets.map(|sockets| sockets.map(|socket| socket.port()));
        announced.or_else(|| self.datagrams_on(ports, bytes).next())
    }

    /// Chooses the protocol of a quoted packet from the start of its payload: by the user's choice, or by port.
    #[must_use]
    pub fn quoted_owner(self, context: &FlowContext, sender: Side, bytes: &[u8]) -> Option<Candidate> {
        let is_datagram = context.stream.transport == Transport::Udp;
        if let Some(line) = self.chosen(context) {
            let chosen = line.protocol?;
            return if is_datagram { Candidate::datagram(chosen) } else { Candidate::all(chosen).find(Candidate::is_stream) };
        }
        if is_datagram {
            let ports = context.sockets.map(|sockets| sockets.map(|socket| socket.port()));
            return self.datagrams_on(ports, bytes).find(|candidate| !candidate.found.on.is_anywhere());
        }
        let sent = if sender == Side::Client { [bytes, &[]] } else { [&[], bytes] };
        let opening = Opening { sent, from_start: [false; 2], complete: true };
        let streams = self.streams();
        let home = streams.iter().filter(|placed| placed.0.is_some() && self.is_at(context, placed));
        home.map(|(_, candidate)| *candidate).find(|candidate| candidate.recognize(&opening) != Verdict::No)
    }

    /// Chooses the protocol of payload handed over under this name.
    #[must_use]
    pub fn over(self, place: &'static str, context: Option<&FlowContext>, bytes: &[u8]) -> Option<Candidate> {
        let here = |candidate: &Candidate| candidate.found.dissector.is_datagram() && candidate.found.on == On::Over(place);
        let chosen = context.and_then(|context| self.chosen(context)).and_then(|line| line.protocol);
        let chosen = chosen.and_then(|protocol| Candidate::all(protocol).find(here));
        let chosen = chosen.or_else(|| self.choices.over(place).and_then(Candidate::datagram));
        let context = self.context(context);
        let layers = layers::ALL.iter().copied().flat_map(Candidate::all);
        chosen.or_else(|| {
            self.candidates().chain(layers).filter(here).find(|candidate| candidate.looks_right(bytes, &context, true))
        })
    }

    /// The protocol of this name, if it reads messages or datagrams.
    #[must_use]
    pub fn reader(self, name: &str) -> Option<Candidate> {
        let protocol = self.applications().find(|protocol| protocol.this.abbrev == name)?;
        Candidate::datagram(protocol)
    }

    /// The protocols that only a series of datagrams identifies.
    pub fn in_series(self) -> impl Iterator<Item = Candidate> {
        let all = self.datagrams();
        let count = all.len();
        let candidates = (0..count).filter_map(move |at| all.get(at).map(|(_, candidate)| *candidate));
        candidates.filter(|candidate| matches!(candidate.found.heuristic, Heuristic::Series(_)))
    }

    /// The context passed to heuristics.
    fn context(self, context: Option<&FlowContext>) -> DatagramContext {
        let assumed = match self.choices.assume {
            Assume::Port(On::Udp(port)) => Some([0, port]),
            _ => None,
        };
        let sockets = context.and_then(|context| context.sockets);
        let ports = sockets.map(|sockets| sockets.map(|socket| socket.port())).or(assumed);
        DatagramContext { ports, announced: context.and_then(|context| context.over) }
    }

    /// The protocols that match a datagram, the most likely first: those with one of the ports, then those that need no port.
    /// Without ports, only the latter.
    pub fn datagrams_on(self, ports: Option<[u16; 2]>, bytes: &[u8]) -> impl Iterator<Item = Candidate> {
        let all = self.datagrams();
        let context = DatagramContext { ports, announced: None };
        let is_there =
            move |home: &RangeInclusive<u16>| ports.is_some_and(|[src, dst]| home.contains(&src) || home.contains(&dst));
        let count = all.len();
        let placed = move |at: usize| all.get(at).filter(|(home, _)| home.as_ref().is_none_or(&is_there)).map(|(_, one)| *one);
        (0..count).filter_map(placed).filter(move |candidate| candidate.looks_right(bytes, &context, ports.is_some()))
    }
}

/// Notes common to all protocols, as a pseudo-protocol.
static NOTES: Protocol = Protocol::new(&wire::notes::DISSECT, wire::notes::FIELDS);
