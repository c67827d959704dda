//! The payload of packets that an error message quotes.

use super::{Field, LayerId, Transport, Tree};
use std::fmt;
use std::net::SocketAddr;
use std::ops::Range;

/// The payload of a quoted packet.
#[derive(Debug, Clone)]
pub struct QuotedPayload<'a> {
    /// The layer of the error.
    pub layer: LayerId,
    /// The source of the bytes.
    pub source: u32,
    /// All bytes of the source.
    pub bytes: &'a [u8],
    /// The range of the payload.
    pub range: Range<usize>,
    /// Whether the quote ends before the payload does.
    pub is_cut: bool,
    /// The transport.
    pub transport: Transport,
    /// Source and destination of the quoted packet.
    pub ends: [SocketAddr; 2],
}

/// Dissects the payload of quoted packets.
pub trait QuoteReader: fmt::Debug + Send + Sync {
    /// Adds the fields of a payload to the layer of the error. Returns the protocol, if it is known.
    fn read(&self, tree: &mut Tree, payload: &QuotedPayload<'_>) -> Option<&'static Field>;
}

impl Tree {
    /// Dissects the payload of a quoted packet. It is no message: it changes neither the summary of the layer nor any conversation.
    pub fn read_quoted(&mut self, payload: &QuotedPayload<'_>) -> Option<&'static Field> {
        let reader = self.run.quote_reader.clone().filter(|_| self.demand.streams())?;
        let outer = std::mem::take(&mut self.handover);
        let (labels, notes) = (self.labels.len(), self.notes.len());
        let (objects, transfers) = (self.outcome.objects.len(), self.outcome.transfers.len());
        let protocol = reader.read(self, payload);
        self.handover = outer;
        self.labels.truncate(labels);
        self.outcome.objects.truncate(objects);
        self.outcome.transfers.truncate(transfers);
        if payload.is_cut {
            self.notes.truncate(notes);
        }
        protocol
    }
}
