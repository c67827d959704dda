//! The declaration of a protocol: its fields, where it is found and how it is dissected.

use super::{Conversation, Exchange, KeyName, Result, Series, Setting, Settings, Wire};
use crate::tree::{Field, Side};

/// A protocol, declared as one static value per file.
pub struct Protocol {
    /// The protocol as a field: filter name, short name, full name.
    pub this: &'static Field,
    /// All fields of the list that `fields!` declares.
    pub fields: &'static [&'static Field],
    /// Ports, heuristics and carriers, each with the dissector used there.
    pub found: &'static [Found],
    /// The field for bytes after the point where dissection stopped.
    pub rest: Option<&'static Field>,
    /// The note for a message truncated by the end of its stream, instead of the general one.
    pub truncated: Option<&'static Field>,
    /// The note for a message with missing bytes, instead of the general one.
    pub gap: Option<&'static Field>,
    /// Returns fields generated from packet tables, in addition to `fields`.
    pub tables: Option<fn() -> Vec<&'static Field>>,
    /// Returns the editions of the protocol that differ in their packets, if there are several.
    pub editions: Option<fn() -> Vec<Edition>>,
    /// Options for `-o`.
    pub settings: &'static [Setting],
    /// Keys for key files; `-o` accepts them, too.
    pub keys: &'static [KeyName],
}

/// One edition of a protocol, with the number of its packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    /// Its name, as options take it.
    pub name: String,
    /// Packets of the server.
    pub server: usize,
    /// Packets of the client.
    pub client: usize,
    /// Packets of both of which every field is known.
    pub complete: usize,
}

impl Protocol {
    /// Creates a protocol with these fields. Everything else is optional.
    #[must_use]
    pub const fn new(this: &'static Field, fields: &'static [&'static Field]) -> Protocol {
        Protocol {
            this,
            fields,
            found: &[],
            rest: None,
            truncated: None,
            gap: None,
            tables: None,
            editions: None,
            settings: &[],
            keys: &[],
        }
    }

    /// Sets the places where it is found.
    #[must_use]
    pub const fn found(mut self, places: &'static [Found]) -> Protocol {
        self.found = places;
        self
    }

    /// Sets the field for bytes that remain after a message.
    #[must_use]
    pub const fn rest(mut self, field: &'static Field) -> Protocol {
        self.rest = Some(field);
        self
    }

    /// Sets the note for a message truncated by the end of its stream.
    #[must_use]
    pub const fn truncated(mut self, note: &'static Field) -> Protocol {
        self.truncated = Some(note);
        self
    }

    /// Sets the note for a message with missing bytes.
    #[must_use]
    pub const fn gap(mut self, note: &'static Field) -> Protocol {
        self.gap = Some(note);
        self
    }

    /// Sets the function that returns fields of packet tables.
    #[must_use]
    pub const fn tables(mut self, fields: fn() -> Vec<&'static Field>) -> Protocol {
        self.tables = Some(fields);
        self
    }

    /// Sets the function that returns the editions.
    #[must_use]
    pub const fn editions(mut self, editions: fn() -> Vec<Edition>) -> Protocol {
        self.editions = Some(editions);
        self
    }

    /// Sets the options that `-o` accepts.
    #[must_use]
    pub const fn settings(mut self, settings: &'static [Setting]) -> Protocol {
        self.settings = settings;
        self
    }

    /// Sets the keys that it takes from key files.
    #[must_use]
    pub const fn keys(mut self, keys: &'static [KeyName]) -> Protocol {
        self.keys = keys;
        self
    }

    /// Whether any place dissects it as a stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.found.iter().any(|found| found.dissector.is_stream())
    }
}

/// One place where a protocol is found, with its dissector.
pub struct Found {
    /// The place.
    pub on: On,
    /// The check that payload must pass there.
    pub heuristic: Heuristic,
    /// The dissector.
    pub dissector: Dissector,
    /// Whether the protocol begins with these bytes of a segment, inside a stream of unknown content.
    pub later: Option<fn(&[u8]) -> bool>,
    /// Whether it is asked only for what no other heuristic accepts: a message of the shape that its port suggests, with a wrong
    /// field.
    pub by_port: bool,
}

impl Found {
    /// Declares that the protocol may begin at any segment of a stream that no protocol recognizes: after a request to start it
    /// in an unknown protocol, or after an unreadable beginning. `begins` must reject all other bytes.
    #[must_use]
    pub const fn also_later(self, begins: fn(&[u8]) -> bool) -> Found {
        Found { later: Some(begins), ..self }
    }

    /// Makes it the last one to be asked, and only if the ports are known: its heuristic accepts messages with a wrong field, which
    /// get a note.
    #[must_use]
    pub const fn by_port(self) -> Found {
        Found { by_port: true, ..self }
    }
}

/// A place where a protocol is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// TCP with this port at either endpoint.
    Tcp(u16),
    /// TCP with a port of this inclusive range at either endpoint.
    TcpRun(u16, u16),
    /// UDP with this port at either endpoint.
    Udp(u16),
    /// UDP with a port of this inclusive range at either endpoint.
    UdpRun(u16, u16),
    /// TCP with any ports, by heuristic alone.
    AnyTcp,
    /// UDP with any ports, by heuristic alone.
    AnyUdp,
    /// Payload that another protocol hands over under this name: its own, unless it carries several kinds of payload.
    Over(&'static str),
    /// Frames of this EtherType.
    EtherType(u16),
    /// Packets of this IP protocol number.
    IpProtocol(u8),
    /// LLC frames whose service access points are both this one.
    Sap(u8),
    /// SNAP frames of this organization with this protocol ID.
    Snap(u32, u16),
    /// Nowhere by itself: the user names the protocol.
    Chosen,
}

/// A heuristic: whether payload belongs to a protocol.
#[derive(Clone, Copy)]
pub enum Heuristic {
    /// Accepts any payload.
    Anything,
    /// Checks the first bytes of a stream.
    Stream(fn(&Opening<'_>) -> Verdict),
    /// Checks each datagram.
    Datagram(fn(&[u8]) -> bool),
    /// Checks each datagram with its ports and announcement.
    InContext(fn(&[u8], &DatagramContext) -> bool),
    /// Checks several datagrams of one side.
    Series(Series),
    /// Checks either by a description loaded at run time.
    Described(&'static dyn Described),
}

/// The conversation of a datagram, or of a payload handed over by another protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatagramContext {
    /// The UDP ports of both endpoints, if known.
    pub ports: Option<[u16; 2]>,
    /// The name under which another conversation announced this one.
    pub announced: Option<&'static str>,
}

impl DatagramContext {
    /// Whether either endpoint uses `port`.
    #[must_use]
    pub fn has_port(&self, port: u16) -> bool {
        self.ports.is_some_and(|ports| ports.contains(&port))
    }
}

/// A dissector.
#[derive(Clone, Copy)]
pub enum Dissector {
    /// Dissects each datagram as one message, without state.
    Datagram(fn(&mut Wire<'_>) -> Result),
    /// Creates the state of a new stream.
    Stream(fn(&Settings) -> Box<dyn Conversation>),
    /// Creates the state of a new datagram conversation; each datagram is one message.
    Exchange(fn(&Settings) -> Box<dyn Exchange>),
    /// Dissects each datagram by a description loaded at run time.
    Described(&'static dyn Described),
    /// Dissects streams by such a description.
    DescribedStream(&'static dyn Described),
}

/// A dissector that is data: a description of a format, loaded at run time.
pub trait Described: Sync {
    /// Dissects one datagram.
    ///
    /// # Errors
    /// If reading had to stop; earlier fields are kept.
    fn message(&self, wire: &mut Wire<'_>) -> Result;

    /// Creates the state of a new datagram conversation, if its datagrams depend on earlier ones.
    fn exchange(&'static self, settings: &Settings) -> Option<Box<dyn Exchange>>;

    /// Creates the state of a new stream; `from_start` states for client and server whether their bytes are the very first ones.
    fn conversation(&'static self, settings: &Settings, from_start: [bool; 2]) -> Box<dyn Conversation>;

    /// Whether a datagram matches the format.
    fn recognizes(&self, bytes: &[u8]) -> bool;

    /// Whether a stream matches the format.
    fn recognizes_stream(&self, opening: &Opening<'_>) -> Verdict;

    /// Why it cannot dissect streams, if so.
    fn without_streams(&self) -> Option<&str>;

    /// Whether conversations leave values for later ones ([`Wire::share`]).
    fn relates(&self) -> bool;
}

impl On {
    /// Whether only the heuristic identifies the protocol.
    #[must_use]
    pub const fn is_anywhere(self) -> bool {
        matches!(self, On::AnyTcp | On::AnyUdp)
    }

    /// Whether `place` is this place or a port of its range.
    #[must_use]
    pub fn covers(self, place: On) -> bool {
        match (self, place) {
            (On::TcpRun(first, last), On::Tcp(port)) | (On::UdpRun(first, last), On::Udp(port)) => (first..=last).contains(&port),
            _ => self == place,
        }
    }

    /// Declares a stateless datagram dissector.
    #[must_use]
    pub const fn datagram(self, heuristic: Heuristic, read: fn(&mut Wire<'_>) -> Result) -> Found {
        Found { on: self, heuristic, dissector: Dissector::Datagram(read), later: None, by_port: false }
    }

    /// Declares a datagram dissector with state per conversation, at first the default of `S`.
    #[must_use]
    pub const fn exchange<S: Exchange + Default + 'static>(self, heuristic: Heuristic) -> Found {
        self.exchange_with(heuristic, |_| Box::<S>::default())
    }

    /// The same for state that depends on settings.
    #[must_use]
    pub const fn exchange_with(self, heuristic: Heuristic, open: fn(&Settings) -> Box<dyn Exchange>) -> Found {
        Found { on: self, heuristic, dissector: Dissector::Exchange(open), later: None, by_port: false }
    }

    /// Declares a stream dissector whose state is at first the default of `S`.
    #[must_use]
    pub const fn stream<S: Conversation + Default + 'static>(self, heuristic: Heuristic) -> Found {
        self.stream_with(heuristic, |_| Box::<S>::default())
    }

    /// The same for state that depends on settings.
    #[must_use]
    pub const fn stream_with(self, heuristic: Heuristic, open: fn(&Settings) -> Box<dyn Conversation>) -> Found {
        Found { on: self, heuristic, dissector: Dissector::Stream(open), later: None, by_port: false }
    }
}

impl Dissector {
    /// Whether each datagram is a message.
    #[must_use]
    pub const fn is_datagram(self) -> bool {
        matches!(self, Dissector::Datagram(_) | Dissector::Exchange(_) | Dissector::Described(_))
    }

    /// Whether it dissects streams.
    #[must_use]
    pub const fn is_stream(self) -> bool {
        matches!(self, Dissector::Stream(_) | Dissector::DescribedStream(_))
    }

    /// The state of a new stream; `from_start` states for client and server whether their bytes are the very first ones.
    #[must_use]
    pub fn conversation(self, settings: &Settings, from_start: [bool; 2]) -> Option<Box<dyn Conversation>> {
        match self {
            Dissector::Stream(open) => Some(open(settings)),
            Dissector::DescribedStream(described) => Some(described.conversation(settings, from_start)),
            Dissector::Datagram(_) | Dissector::Exchange(_) | Dissector::Described(_) => None,
        }
    }

    /// Whether conversations leave values for later ones ([`Wire::share`]).
    #[must_use]
    pub fn relates(self) -> bool {
        match self {
            Dissector::Described(described) | Dissector::DescribedStream(described) => described.relates(),
            Dissector::Datagram(_) | Dissector::Exchange(_) | Dissector::Stream(_) => false,
        }
    }

    /// The state of a new datagram conversation, if it keeps any.
    #[must_use]
    pub fn exchange(self, settings: &Settings) -> Option<Box<dyn Exchange>> {
        match self {
            Dissector::Exchange(open) => Some(open(settings)),
            Dissector::Described(described) => described.exchange(settings),
            Dissector::Datagram(_) | Dissector::Stream(_) | Dissector::DescribedStream(_) => None,
        }
    }
}

/// The first bytes of a stream, as far as they have arrived.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// Bytes that each side has sent so far, the client's first.
    pub sent: [&'a [u8]; 2],
    /// Whether a side's bytes are its very first ones.
    pub from_start: [bool; 2],
    /// Whether no more bytes follow.
    pub complete: bool,
}

impl<'a> Opening<'a> {
    /// Bytes that `side` has sent so far.
    #[must_use]
    pub fn of(&self, side: Side) -> &'a [u8] {
        let [client, server] = self.sent;
        match side {
            Side::Client => client,
            Side::Server => server,
        }
    }

    /// Whether a side's bytes are its very first ones.
    #[must_use]
    pub fn starts(&self, side: Side) -> bool {
        let [client, server] = self.from_start;
        match side {
            Side::Client => client,
            Side::Server => server,
        }
    }
}

/// The result of a stream heuristic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The protocol is recognized; this side is the server.
    Yes(Side),
    /// More bytes are needed.
    Unsure,
    /// Another protocol.
    No,
}
