//! A record as one flat object: a name for each field, an array where it occurs more than once.

use super::nodes::{Shown, value_of};
use crate::record::Record;
use crate::record::pseudo::{self, Answer};
use crate::tree::{Dissection, Field, Kind, Layer, NodeRef};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// The pseudo-fields that begin a record, where they have a value.
const LEADING: [&str; 7] =
    ["frame.number", "frame.time_epoch", "message.number", "message.protocol", "message.name", "message.dir", "stream"];

/// A record in one flat object; of a message also the layers that carry it, if they are wanted.
pub struct Flat<'a, 't> {
    pub record: &'a Record<'t>,
    pub carriers: bool,
}

impl Serialize for Flat<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for name in LEADING {
            let answer = pseudo::named(name).and_then(|pseudo| (pseudo.of)(self.record));
            match answer {
                Some(Answer::Number(number)) => map.serialize_entry(name, &number)?,
                Some(answer) => map.serialize_entry(name, &Shown(answer))?,
                None => {}
            }
        }
        for (field, nodes) in grouped(self.record, self.carriers) {
            match nodes.as_slice() {
                [node] => map.serialize_entry(field.abbrev, &One(*node))?,
                nodes => map.serialize_entry(field.abbrev, &Many(nodes))?,
            }
        }
        map.end()
    }
}

/// The nodes of a record that have a value, by field, in the order in which the fields first occur.
fn grouped<'t>(record: &Record<'t>, carriers: bool) -> Vec<(&'static Field, Vec<NodeRef<'t>>)> {
    let mut fields: Vec<(&'static Field, Vec<NodeRef<'t>>)> = Vec::new();
    let mut keep = |node: NodeRef<'t>| {
        if matches!(node.field().kind, Kind::Group | Kind::Protocol) {
            return;
        }
        match fields.iter_mut().find(|(field, _)| field.is(node.field())) {
            Some((_, nodes)) => nodes.push(node),
            None => fields.push((node.field(), vec![node])),
        }
    };
    match record {
        Record::Message(message) => {
            let below = if carriers { message.carriers() } else { Vec::new() };
            below.into_iter().chain([message.layer]).for_each(|layer| each(message.of, layer, &mut keep));
        }
        Record::Packet(packet) => packet.of.tree.layers.iter().for_each(|layer| each(packet.of, layer, &mut keep)),
        Record::Gap(_) => {}
    }
    fields
}

fn each<'t>(of: Dissection<'t>, layer: &Layer, keep: &mut impl FnMut(NodeRef<'t>)) {
    let Some(node) = of.layer_node(layer) else { return };
    let end = of.tree.nodes.get(node.place() as usize).map_or(0, |node| node.end);
    (node.place()..end).filter_map(|place| of.node(place)).for_each(keep);
}

struct One<'t>(NodeRef<'t>);

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        value_of(self.0, serializer)
    }
}

struct Many<'a, 't>(&'a [NodeRef<'t>]);

impl Serialize for Many<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for node in self.0 {
            list.serialize_element(&One(*node))?;
        }
        list.end()
    }
}
