//! What a protocol says of itself: its fields, where it is found, and how it is read there.

use super::{Conversation, Exchange, Result, Setting, Settings, Wire};
use crate::tree::{Field, Side};

/// A protocol: one static value a file.
pub struct Protocol {
    /// The protocol as a field: its short name, its label, its whole name.
    pub this: &'static Field,
    /// All its fields.
    pub fields: &'static [&'static Field],
    /// Where it is found and how it is read there.
    pub found: &'static [Found],
    /// The field for bytes that reading stopped before.
    pub rest: Option<&'static Field>,
    /// The note for a message that its stream ends inside of, in place of the general one.
    pub truncated: Option<&'static Field>,
    /// The note for a message that bytes are missing from, in place of the general one.
    pub gap: Option<&'static Field>,
    /// What gives the fields that it knows from its tables, beside those of its list.
    pub tables: Option<fn() -> Vec<&'static Field>>,
    /// What somebody may tell it beforehand.
    pub settings: &'static [Setting],
}

impl Protocol {
    /// A protocol of this name with these fields, found at these places. Everything else is optional.
    #[must_use]
    pub const fn new(this: &'static Field, fields: &'static [&'static Field], found: &'static [Found]) -> Protocol {
        Protocol { this, fields, found, rest: None, truncated: None, gap: None, tables: None, settings: &[] }
    }

    /// The field for bytes that remain when a message was read.
    #[must_use]
    pub const fn rest(mut self, field: &'static Field) -> Protocol {
        self.rest = Some(field);
        self
    }

    /// The note for a message that the end of its stream cuts, in place of the general one.
    #[must_use]
    pub const fn truncated(mut self, note: &'static Field) -> Protocol {
        self.truncated = Some(note);
        self
    }

    /// The note for a message that lacks bytes, in place of the general one.
    #[must_use]
    pub const fn gap(mut self, note: &'static Field) -> Protocol {
        self.gap = Some(note);
        self
    }

    /// The function that returns fields of packet tables, beside those of the list.
    #[must_use]
    pub const fn tables(mut self, fields: fn() -> Vec<&'static Field>) -> Protocol {
        self.tables = Some(fields);
        self
    }

    /// Settings that `-o` accepts.
    #[must_use]
    pub const fn settings(mut self, settings: &'static [Setting]) -> Protocol {
        self.settings = settings;
        self
    }

    /// Whether it is read as a stream anywhere.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.found.iter().any(|found| matches!(found.how, How::Stream(_)))
    }
}

/// One place where a protocol is found.
pub struct Found {
    /// The place.
    pub on: On,
    /// What the bytes must look like.
    pub heuristic: Heuristic,
    /// How they are read.
    pub how: How,
}

/// A place where a protocol is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// TCP with this port on one side.
    Tcp(u16),
    /// TCP with a port from the first to the second of these on one side.
    TcpRun(u16, u16),
    /// UDP with this port on one side.
    Udp(u16),
    /// TCP with any ports.
    AnyTcp,
    /// UDP with any ports.
    AnyUdp,
    /// Inside what another protocol hands on under this name, which is its own unless it hands on several things.
    Over(&'static str),
}

/// What bytes must look like to be a protocol's.
#[derive(Clone, Copy)]
pub enum Heuristic {
    /// The place says enough.
    Anything,
    /// A stream's first bytes are judged.
    Stream(fn(&Opening<'_>) -> Verdict),
    /// Each datagram is judged.
    Datagram(fn(&[u8]) -> bool),
    /// Each datagram is judged together with where it is said.
    InContext(fn(&[u8], &DatagramContext) -> bool),
}

/// Where a datagram is said, or what carries a message that another protocol hands on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatagramContext {
    /// The UDP ports of both sides, if they are known.
    pub ports: Option<[u16; 2]>,
    /// The name under which another conversation announced this one.
    pub announced: Option<&'static str>,
}

impl DatagramContext {
    /// Whether one side has this port.
    #[must_use]
    pub fn has_port(&self, port: u16) -> bool {
        self.ports.is_some_and(|ports| ports.contains(&port))
    }
}

/// How a protocol is read.
#[derive(Clone, Copy)]
pub enum How {
    /// Each datagram is a message.
    Datagram(fn(&mut Wire<'_>) -> Result),
    /// A conversation is opened for each stream.
    Stream(fn(&Settings) -> Box<dyn Conversation>),
    /// Each datagram is a message, and what was said before counts.
    Exchange(fn(&Settings) -> Box<dyn Exchange>),
}

impl On {
    /// Whether looks alone tell whose the bytes are.
    #[must_use]
    pub const fn is_anywhere(self) -> bool {
        matches!(self, On::AnyTcp | On::AnyUdp)
    }

    /// Whether it is this place, or a run of ports that this is one of.
    #[must_use]
    pub fn covers(self, place: On) -> bool {
        match (self, place) {
            (On::TcpRun(first, last), On::Tcp(port)) => (first..=last).contains(&port),
            _ => self == place,
        }
    }

    /// Read there as datagrams by this function, if they look like it.
    #[must_use]
    pub const fn datagram(self, heuristic: Heuristic, read: fn(&mut Wire<'_>) -> Result) -> Found {
        Found { on: self, heuristic, how: How::Datagram(read) }
    }

    /// Read there as datagrams by what this opens for each conversation, if they look like it.
    #[must_use]
    pub const fn exchange(self, heuristic: Heuristic, open: fn(&Settings) -> Box<dyn Exchange>) -> Found {
        Found { on: self, heuristic, how: How::Exchange(open) }
    }

    /// Read there as a stream by the conversation this opens, if it looks like it.
    #[must_use]
    pub const fn stream(self, heuristic: Heuristic, open: fn(&Settings) -> Box<dyn Conversation>) -> Found {
        Found { on: self, heuristic, how: How::Stream(open) }
    }
}

impl How {
    /// Whether each datagram is a message.
    #[must_use]
    pub const fn is_datagram(self) -> bool {
        matches!(self, How::Datagram(_) | How::Exchange(_))
    }
}

/// The first bytes of a stream, as far as they have arrived.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// Bytes that each side has sent so far, the client's first.
    pub sent: [&'a [u8]; 2],
    /// Whether a side's bytes are its very first ones.
    pub from_start: [bool; 2],
    /// Whether nothing more will come.
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

/// Whether a stream is a protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is, and this side is the server.
    Yes(Side),
    /// Too few bytes to tell.
    Unsure,
    /// It is not.
    No,
}
