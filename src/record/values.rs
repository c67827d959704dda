//! Values of a record by field name.

use super::{Record, words_of};
use crate::tree::{Dissection, Layer, NodeRef, clean};
use std::fmt;

impl<'t> Record<'t> {
    /// First value of a field, by filter name: `record.field("dns.qry.name")`. A message is searched before its carriers, layers
    /// of a packet in byte order.
    ///
    /// Values of secret fields are masked. Generated fields, such as `tcp.flags.str`, have no value here; use filters and columns.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<NodeRef<'t>> {
        self.fields(name).next()
    }

    /// All values of a field.
    pub fn fields(&self, name: &str) -> impl Iterator<Item = NodeRef<'t>> {
        self.nodes().filter(move |node| node.field().answers_to(name))
    }

    /// All values of the record, in the search order of [`Record::field`].
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'t>> + use<'t> {
        let of = self.dissection();
        let layers: Vec<&Layer> = match self {
            Record::Message(message) => std::iter::once(message.layer).chain(message.carriers()).collect(),
            Record::Packet(packet) => packet.layers().collect(),
            Record::Late(late) => late.layers.iter().collect(),
            Record::Gap(_) => Vec::new(),
        };
        let ranges = layers.into_iter().filter_map(move |layer| of?.tree.nodes_of(layer));
        ranges.flatten().filter_map(move |place| of?.node(place))
    }

    fn dissection(&self) -> Option<Dissection<'t>> {
        match self {
            Record::Message(message) => Some(message.of),
            Record::Packet(packet) => Some(packet.of),
            Record::Late(late) => Some(late.of),
            Record::Gap(_) => None,
        }
    }
}

/// Writes path, name and summary: `eth:ip:udp:dns query: A example.com`.
impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, (name, info)) = match self {
            Record::Message(message) => (Some(message.path()), (message.name().into(), message.info())),
            Record::Packet(packet) => (packet.path(), words_of(packet.of, packet.layers())),
            Record::Late(late) => (late.path(), words_of(late.of, late.layers.iter())),
            Record::Gap(gap) => return write!(f, "{} {} gap of {} bytes", gap.stream, gap.side, gap.len),
        };
        if let Some(path) = path {
            write!(f, "{path}")?;
        }
        for (between, text) in [(" ", name), (": ", info)] {
            if !text.is_empty() {
                f.write_str(between)?;
                clean(&text, f)?;
            }
        }
        Ok(())
    }
}
