//! A record as nested objects, with groups keyed by field name.
//!
//! A message is the object under the name of its protocol. Its carriers, and the layers of a packet, are a list of such objects.
//! Child fields of a value are in the same object as the value.

use super::Ask;
use super::choice::Key;
use super::flat::{Parts, about, add_remembered};
use super::keys;
use super::slots::{Content, More, Slots};
use super::writer::{Members, Out, Put};
use crate::record::{Keyed, Record};
use crate::tree::{Dissection, Field, Kind, Layer, NodeRef};
use std::cell::RefCell;
use std::io::Result;

/// Writes a record as nested objects, with the carriers of a message if requested.
pub struct Nested<'a, 't> {
    pub record: &'a Record<'t>,
    pub carriers: bool,
    pub ask: Ask<'a>,
}

impl Put for Nested<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let choice = self.ask.choice;
        let Some((of, parts)) = Parts::of(self.record, self.carriers || choice.is_some()) else { return Ok(()) };
        let below = Below { ask: self.ask, more: RefCell::default() };
        let wanted = |layer: &&&Layer| of.layer_node(layer).is_some_and(|node| below.wants(node));
        out.object(|map| {
            keys::put(self.record, self.ask, map)?;
            let mut slots = Slots::of_group();
            add_remembered(&mut slots, self.record, choice);
            below.put_slots(slots, false, map)?;
            let mut layers = parts.headers.iter().chain(&parts.others).filter(wanted).peekable();
            if layers.peek().is_some() {
                map.list("layers", layers, |map, layer| below.layer(of, layer, map))?;
            }
            for layer in parts.message.iter().filter(|layer| wanted(layer)) {
                if let Some(node) = of.layer_node(layer) {
                    map.put(node.field().abbrev, &Group { node, below: &below, is_whole: below.is_whole(node.field()) })?;
                }
            }
            below.more.borrow().put(map)
        })
    }
}

/// Writer of objects of groups.
struct Below<'a, 't> {
    ask: Ask<'a>,
    more: RefCell<More<'t>>,
}

/// Object of a group.
struct Group<'b, 'a, 't> {
    node: NodeRef<'t>,
    below: &'b Below<'a, 't>,
    /// Whether the whole subtree is selected.
    is_whole: bool,
}

impl Put for Group<'_, '_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        out.object(|map| self.below.members(self.node, self.is_whole, map))
    }
}

impl<'a, 't> Below<'a, 't> {
    /// Writes a layer in the list of layers.
    fn layer(&self, of: Dissection<'t>, layer: &Layer, map: &mut Members<'_, '_>) -> Result<()> {
        let Some(node) = of.layer_node(layer) else { return Ok(()) };
        about(of, node, layer, self.ask.choice, map)?;
        map.put(node.field().abbrev, &Group { node, below: self, is_whole: self.is_whole(node.field()) })
    }

    fn is_whole(&self, field: &Field) -> bool {
        self.ask.choice.is_none_or(|choice| choice.is_whole(field))
    }

    /// Whether any field of a node is selected.
    fn wants(&self, node: NodeRef<'_>) -> bool {
        self.ask.choice.is_none_or(|choice| choice.kept(node).next().is_some())
    }

    /// Writes the fields below a node.
    fn members(&self, node: NodeRef<'t>, is_whole: bool, map: &mut Members<'_, '_>) -> Result<()> {
        let mut slots = Slots::of_group();
        let mut quoted = Vec::new();
        if let Some(choice) = self.ask.choice {
            choice.computed(node, |key, _, json| slots.add_last(key, Content::Made(json)));
        }
        self.fill(node, is_whole, &mut slots, &mut quoted);
        self.put_slots(slots, is_whole, map)?;
        if quoted.is_empty() {
            Ok(())
        } else {
            map.list("layers", quoted, |map, node| {
                map.put(node.field().abbrev, &Group { node, below: self, is_whole: is_whole || self.is_whole(node.field()) })
            })
        }
    }

    /// Adds the fields below a node. Child fields of a value belong to the same object.
    fn fill(&self, node: NodeRef<'t>, is_whole: bool, slots: &mut Slots<'a, 't>, quoted: &mut Vec<NodeRef<'t>>) {
        for child in node.children() {
            let field = child.field();
            match field.kind {
                Kind::Protocol if is_whole || self.wants(child) => quoted.push(child),
                Kind::Group if is_whole || self.wants(child) => {
                    slots.add_last(Key { name: field.abbrev, keyed: Keyed::of(field), is_joint: false }, Content::Group(child));
                }
                Kind::Protocol | Kind::Group | Kind::Note(_) => {}
                _ => {
                    slots.add_value(child, self.ask.choice, is_whole);
                    self.fill(child, is_whole, slots, quoted);
                }
            }
        }
    }

    fn put_slots(&self, slots: Slots<'a, 't>, is_whole: bool, map: &mut Members<'_, '_>) -> Result<()> {
        let group = |node: NodeRef<'t>, out: &mut Out<'_>| {
            Group { node, below: self, is_whole: is_whole || self.is_whole(node.field()) }.put(out)
        };
        let mut more = More::default();
        slots.put(map, self.ask.raw, |key| key.keyed.repeats_in_parent, &group, &mut more)?;
        self.more.borrow_mut().append(more);
        Ok(())
    }
}
