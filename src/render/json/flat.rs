//! A record as one flat object: a name for each field, an array where it occurs more than once.

use super::nodes::Alone;
use super::writer::{Out, Put, Shown};
use crate::record::Record;
use crate::record::pseudo::{self, Answer};
use crate::tree::{Dissection, Field, Kind, Layer, NodeRef};
use std::io::Result;

/// The pseudo-fields that begin a record, where they have a value.
const LEADING: [&str; 7] =
    ["frame.number", "frame.time_epoch", "message.number", "message.protocol", "message.name", "message.dir", "stream"];

/// A record in one flat object; of a message also the layers that carry it, if they are wanted.
pub struct Flat<'a, 't> {
    pub record: &'a Record<'t>,
    pub carriers: bool,
}

impl Put for Flat<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.object(|map| {
            for name in LEADING {
                let answer = pseudo::named(name).and_then(|pseudo| (pseudo.of)(self.record));
                match answer {
                    Some(Answer::Number(number)) => map.put(name, &number)?,
                    Some(answer) => map.put(name, &Shown(answer))?,
                    None => {}
                }
            }
            if matches!(self.record, Record::Late(_)) {
                map.put("late", &true)?;
            }
            grouped(self.record, self.carriers).iter().try_for_each(|(field, nodes)| match nodes.as_slice() {
                [node] => map.put(field.abbrev, node),
                nodes => map.put(field.abbrev, nodes),
            })
        })
    }
}

/// The nodes of a record that have a value, by field, in the order in which the fields first occur.
fn grouped<'t>(record: &Record<'t>, carriers: bool) -> Vec<(&'static Field, Vec<Alone<'t>>)> {
    let mut fields: Vec<(&'static Field, Vec<Alone<'t>>)> = Vec::new();
    let mut keep = |node: NodeRef<'t>| {
        if matches!(node.field().kind, Kind::Group | Kind::Protocol) {
            return;
        }
        match fields.iter_mut().find(|(field, _)| field.is(node.field())) {
            Some((_, nodes)) => nodes.push(Alone(node)),
            None => fields.push((node.field(), vec![Alone(node)])),
        }
    };
    match record {
        Record::Message(message) => {
            let below = if carriers { message.carriers() } else { Vec::new() };
            below.into_iter().chain([message.layer]).for_each(|layer| each(message.of, layer, &mut keep));
        }
        Record::Packet(packet) => packet.layers().for_each(|layer| each(packet.of, layer, &mut keep)),
        Record::Late(late) => late.layers.iter().for_each(|layer| each(late.of, layer, &mut keep)),
        Record::Gap(_) => {}
    }
    fields
}

fn each<'t>(of: Dissection<'t>, layer: &Layer, keep: &mut impl FnMut(NodeRef<'t>)) {
    let Some(node) = of.layer_node(layer) else { return };
    let end = of.tree.nodes.get(node.place() as usize).map_or(0, |node| node.end);
    (node.place()..end).filter_map(|place| of.node(place)).for_each(keep);
}
