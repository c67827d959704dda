//! The value tree as JSON: dicts are objects, lists are arrays.

use super::{Kept, Node, ROOT, STEPS, Slot, Step, World};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

impl World {
    /// Serializes the tree, `None` if no value was sent. Unlinked values become members of the root, named by ID:
    /// `#15`.
    pub(in super::super) fn json(&self) -> Option<Vec<u8>> {
        if !self.nodes.slots().any(|slot| self.is_sent(slot)) {
            return None;
        }
        let mut json = serde_json::to_vec_pretty(&Whole(self)).ok()?;
        json.push(b'\n');
        Some(json)
    }

    /// Values without a parent other than the root, sorted by ID.
    fn unlinked(&self) -> Vec<(u32, Slot)> {
        let is_unlinked = |slot: &Slot| self.nodes.parent(*slot).is_none() && self.is_sent(*slot);
        let all = self.nodes.slots().filter(is_unlinked).filter_map(|slot| Some((self.nodes.get(slot)?.id, slot)));
        let mut unlinked: Vec<(u32, Slot)> = all.filter(|(id, _)| *id != ROOT).collect();
        unlinked.sort_unstable();
        unlinked
    }

    fn one(&self, slot: Slot, depth: usize) -> One<'_> {
        One { world: self, slot, depth }
    }
}

struct Whole<'w>(&'w World);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let world = self.0;
        let mut map = serializer.serialize_map(None)?;
        if let Some(root) = world.nodes.slot(ROOT) {
            members(world, root, 0, &mut map)?;
        }
        for (id, slot) in world.unlinked() {
            map.serialize_entry(&format_args!("#{id}"), &world.one(slot, 1))?;
        }
        map.end()
    }
}

struct One<'w> {
    world: &'w World,
    slot: Slot,
    depth: usize,
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let One { world, slot, depth } = *self;
        match world.nodes.get(slot).map(|node| node.kept) {
            // Depth is bounded: the sender controls it.
            _ if depth > STEPS => serializer.serialize_unit(),
            None | Some(Kept::Nothing) => serializer.serialize_unit(),
            Some(Kept::Bool(truth)) => serializer.serialize_bool(truth),
            Some(Kept::Int(number)) => serializer.serialize_i32(number),
            Some(Kept::Uint(number)) => serializer.serialize_u32(number),
            Some(Kept::Float(number)) => serializer.serialize_f32(number),
            Some(Kept::Text(place)) => serializer.serialize_str(world.texts.get(place)),
            Some(Kept::List(_)) => {
                let mut list = serializer.serialize_seq(None)?;
                for child in world.nodes.below(slot) {
                    list.serialize_element(&world.one(child, depth + 1))?;
                }
                list.end()
            }
            Some(Kept::Dict(_)) => {
                let mut map = serializer.serialize_map(None)?;
                members(world, slot, depth, &mut map)?;
                map.end()
            }
        }
    }
}

fn members<M: SerializeMap>(world: &World, dict: Slot, depth: usize, map: &mut M) -> Result<(), M::Error> {
    for child in world.nodes.below(dict) {
        if let Some(Step::Name(name)) = world.nodes.get(child).map(Node::step) {
            map.serialize_entry(world.names.get(name), &world.one(child, depth + 1))?;
        }
    }
    Ok(())
}
