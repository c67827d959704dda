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

/// Bytes of a message that another protocol reads as a part of it.
#[derive(Debug, Clone)]
pub struct EmbeddedPayload<'a> {
    /// The layer of the message.
    pub layer: LayerId,
    /// The source of the bytes.
    pub source: u32,
    /// All bytes of the source.
    pub bytes: &'a [u8],
    /// The range of the payload.
    pub range: Range<usize>,
    /// The name of the protocol.
    pub protocol: &'static str,
}

/// Dissects the payload of quoted packets, and bytes embedded in messages.
pub trait QuoteReader: fmt::Debug + Send + Sync {
    /// Adds the fields of a payload to the layer of the error. Returns the protocol, if it is known.
    fn read(&self, tree: &mut Tree, payload: &QuotedPayload<'_>) -> Option<&'static Field>;

    /// Adds the fields of embedded bytes to the layer of the message, if the protocol is known.
    fn read_embedded(&self, tree: &mut Tree, payload: &EmbeddedPayload<'_>);
}

/// Maximum nesting of embedded bytes.
const EMBEDDED: u8 = 8;

impl Tree {
    /// Dissects bytes of a message as another protocol. They change neither the summary of the layer nor any conversation.
    pub fn read_embedded(&mut self, payload: &EmbeddedPayload<'_>) {
        let reader = self.run.quote_reader.clone().filter(|_| self.run.embedded < EMBEDDED);
        let Some(reader) = reader else { return };
        self.run.embedded += 1;
        let outer = std::mem::take(&mut self.handover);
        let labels = self.labels.len();
        let info = self.layers.get(payload.layer as usize).map(|layer| (layer.name, layer.info));
        reader.read_embedded(self, payload);
        if let (Some(layer), Some((name, info))) = (self.layers.get_mut(payload.layer as usize), info) {
            (layer.name, layer.info) = (name, info);
        }
        self.handover = outer;
        self.labels.truncate(labels);
        self.run.embedded -= 1;
    }

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
