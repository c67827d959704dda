//! Dissectors loaded at run time that decide by dissecting whether bytes are theirs.

use super::{Conversation, Protocol, Result, Wire};
use crate::tree::{Dissection, Side, StreamId};
use std::net::SocketAddr;

/// A datagram that needs a protocol, and the frame so far.
#[derive(Clone, Copy)]
pub struct Offer<'a> {
    /// The headers of the frame.
    pub of: Dissection<'a>,
    /// The conversation.
    pub stream: StreamId,
    /// Source and destination, if known.
    pub ends: Option<[SocketAddr; 2]>,
    /// The ports of both ends, or those that are assumed; 0 if unknown.
    pub ports: [u16; 2],
    /// The table of dissectors in which it is looked up, if not by ports.
    pub table: Option<&'static str>,
    /// The protocol that the user chose for the conversation.
    pub chosen: Option<&'static Protocol>,
    /// Its bytes, and where they begin in their source.
    pub bytes: &'a [u8],
    /// Their offset in the source.
    pub at: usize,
}

/// Why a dissector is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It has the conversation or a port: before any built-in protocol.
    Ports,
    /// It looks at the content of any payload: behind built-in protocols on their ports.
    Content,
}

/// All dissectors of a kind that decide by dissecting. What they dissected is kept until their protocol reads the same bytes.
pub trait Scripted: Sync {
    /// The protocol that accepts a datagram.
    fn accepts(&self, offer: &Offer<'_>, stage: Stage) -> Option<&'static Protocol>;

    /// Whether a protocol is one of them.
    fn has(&self, protocol: &Protocol) -> bool;

    /// The next protocol that added fields to the last datagram, although it rejected it.
    fn rejected(&self) -> Option<&'static Protocol>;

    /// The state of a stream between these ports of client and server, if any of them may be asked for it.
    fn stream(&'static self, ports: [u16; 2], chosen: Option<&'static Protocol>) -> Option<Box<dyn ScriptedStream>>;

    /// Whether any of them reads each frame once it is dissected.
    fn reads_frames(&self) -> bool;

    /// Reads a frame once it is dissected.
    ///
    /// # Errors
    /// If reading had to stop; earlier fields are kept.
    fn frame(&self, wire: &mut Wire<'_>) -> Result;
}

/// A stream whose protocol is decided by dissecting its bytes. Rejected bytes are data.
pub trait ScriptedStream: Conversation {
    /// The protocol that accepts bytes of one side which were not offered at this stage before.
    fn accepts(&mut self, from: Side, ahead: &[u8], stage: Stage) -> Option<&'static Protocol>;

    /// Whether a dissector added fields to bytes that no dissector accepted.
    fn has_rejected(&self) -> bool;

    /// The protocol under which bytes are read if no protocol accepted the first ones: later ones are offered again.
    fn protocol(&self) -> &'static Protocol;
}
