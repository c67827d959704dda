//! A record as one flat object of names and values.
//!
//! A name has one type in all records. A name that may repeat is always an array. Fields that occur at most once per group are
//! aligned: their index in the array is that of the group. A record contains one message; application layers that carry it, and
//! those of packets, are separate objects in `layers`.

use super::Ask;
use super::choice::{Choice, Key};
use super::keys;
use super::slots::{Content, More, Slots};
use super::typed::remembered;
use super::writer::{Members, Out, Put};
use crate::layers;
use crate::record::{Keyed, Record};
use crate::tree::{Dissection, Layer, NodeRef};
use std::io::Result;

/// Writes a record as one flat object, with the carriers of a message if requested.
pub struct Flat<'a, 't> {
    pub record: &'a Record<'t>,
    pub carriers: bool,
    pub ask: Ask<'a>,
}

/// Layers of a record by the object of their fields.
pub struct Parts<'t> {
    pub headers: Vec<&'t Layer>,
    pub message: Option<&'t Layer>,
    /// Other application layers.
    pub others: Vec<&'t Layer>,
}

impl<'t> Parts<'t> {
    /// Layers of a record, with the carriers of a message if requested.
    pub fn of(record: &Record<'t>, carriers: bool) -> Option<(Dissection<'t>, Parts<'t>)> {
        let (of, layers, message): (_, Vec<&Layer>, _) = match record {
            Record::Message(message) if carriers => (message.of, message.carriers(), Some(message.layer)),
            Record::Message(message) => (message.of, Vec::new(), Some(message.layer)),
            Record::Packet(packet) => (packet.of, packet.layers().collect(), None),
            Record::Late(late) => (late.of, late.layers.iter().collect(), None),
            Record::Gap(_) => return None,
        };
        let is_header = |layer: &&Layer| of.layer_node(layer).is_some_and(|node| layers::is_of_header(node.field()));
        let (headers, others) = layers.into_iter().partition(is_header);
        Some((of, Parts { headers, message, others }))
    }
}

impl Put for Flat<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let choice = self.ask.choice;
        let Some((of, parts)) = Parts::of(self.record, self.carriers || choice.is_some()) else { return Ok(()) };
        let mut more = More::default();
        out.object(|map| {
            keys::put(self.record, self.ask, map)?;
            let mut slots = Slots::default();
            parts.headers.iter().copied().chain(parts.message).for_each(|layer| fill(&mut slots, of, layer, choice));
            add_remembered(&mut slots, self.record, choice);
            self.names(slots, map, &mut more)?;
            let others = parts.others.iter().filter_map(|layer| {
                let mut slots = Slots::default();
                fill(&mut slots, of, layer, choice);
                Some((of.layer_node(layer)?, *layer, slots)).filter(|(_, _, slots)| choice.is_none() || !slots.slots.is_empty())
            });
            let mut others = others.peekable();
            if others.peek().is_some() {
                map.list("layers", others, |map, (node, layer, slots)| {
                    about(of, node, layer, choice, map)?;
                    self.names(slots, map, &mut more)
                })?;
            }
            more.put(map)
        })
    }
}

impl Flat<'_, '_> {
    fn names<'t>(&self, mut slots: Slots<'_, 't>, map: &mut Members<'_, '_>, more: &mut More<'t>) -> Result<()> {
        slots.sort();
        slots.put(map, self.ask.raw, |key| key.keyed.repeats, &|_, out| ().put(out), more)
    }
}

/// Class of a layer.
pub fn about(
    of: Dissection<'_>,
    node: NodeRef<'_>,
    layer: &Layer,
    choice: Option<&Choice>,
    map: &mut Members<'_, '_>,
) -> Result<()> {
    if choice.is_some() {
        return Ok(());
    }
    map.put("protocol", node.field().abbrev)?;
    let (name, info) = (of.tree.generated_text(layer.name), of.tree.info(layer));
    for (key, text) in [("name", name), ("info", &*info)] {
        if !text.is_empty() {
            map.put(key, text)?;
        }
    }
    map.put("len", &node.span().len())
}

/// Adds remembered values that are not in the tree of the record.
pub fn add_remembered<'a>(slots: &mut Slots<'a, '_>, record: &Record<'_>, choice: Option<&'a Choice>) {
    let Some(choice) = choice else { return };
    choice.remembered(record, |key: Key<'a>, _, known| {
        if slots.slots.iter().all(|slot| slot.key.name != key.name) {
            slots.add_last(key, Content::Made(remembered(known)));
        }
    });
}

/// Adds the values of a layer, and of a quoted packet.
fn fill<'a, 't>(slots: &mut Slots<'a, 't>, of: Dissection<'t>, layer: &Layer, choice: Option<&'a Choice>) {
    let Some(range) = of.tree.nodes_of(layer) else { return };
    // End of the current fully selected group.
    let mut whole = 0;
    for node in range.filter_map(|place| of.node(place)) {
        let field = node.field();
        if Keyed::of(field).is_row {
            slots.open(node);
        }
        if choice.is_some_and(|choice| choice.is_whole(field)) {
            whole = whole.max(node.last() + 1);
        }
        slots.add_value(node, choice, node.place() < whole);
    }
}
