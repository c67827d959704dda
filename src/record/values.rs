//! Values of a record by the names of their fields.

use super::{Record, words_of};
use crate::tree::{Dissection, Layer, NodeRef, clean};
use std::fmt;

impl<'t> Record<'t> {
    /// The first value of a field, by its name in filters: `record.field("dns.qry.name")`. A message is searched before the
    /// layers that carry it, those of a packet in the order of the bytes.
    ///
    /// Values of secret fields are masked. Fields that are computed on request, such as `tcp.flags.str`, have no value here;
    /// filters and columns compute them.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<NodeRef<'t>> {
        self.fields(name).next()
    }

    /// All values of a field.
    pub fn fields(&self, name: &str) -> impl Iterator<Item = NodeRef<'t>> {
        self.nodes().filter(move |node| node.field().answers_to(name))
    }

    /// All values of the record, in the order in which [`Record::field`] searches them.
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

/// Path, name and summary: `eth:ip:udp:dns query: A example.com`.
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
