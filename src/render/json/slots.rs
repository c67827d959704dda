//! Values of a record by name, in the order of the first occurrence.

use super::choice::{Choice, Key, own_keys};
use super::typed::{Raw, Typed};
use super::writer::{Members, Out, Put};
use crate::tree::{Field, Kind, NodeRef};
use std::io::Result;

/// An entry under a name.
pub enum Content<'a, 't> {
    /// A value.
    Value(NodeRef<'t>, Key<'a>),
    /// Preformatted JSON.
    Made(String),
    /// The object of a group.
    Group(NodeRef<'t>),
}

impl<'t> Content<'_, 't> {
    fn node(&self) -> Option<NodeRef<'t>> {
        match self {
            Content::Value(node, _) | Content::Group(node) => Some(*node),
            Content::Made(_) => None,
        }
    }
}

/// A name and its values, each with its index in the array.
pub struct Slot<'a, 't> {
    pub key: Key<'a>,
    pub values: Vec<(u32, Content<'a, 't>)>,
}

/// Values by name.
#[derive(Default)]
pub struct Slots<'a, 't> {
    pub slots: Vec<Slot<'a, 't>>,
    rows: Vec<Rows>,
    /// Whether the values are those of one group, where each value has the next index.
    is_group: bool,
}

/// Indices of the groups of a field in arrays.
struct Rows {
    group: &'static Field,
    count: u32,
    /// Ends and indices of the groups around the current node.
    open: Vec<(u32, u32)>,
}

impl<'a, 't> Slots<'a, 't> {
    /// Values of one group.
    pub fn of_group() -> Slots<'a, 't> {
        Slots { is_group: true, ..Slots::default() }
    }

    /// Appends a value to its name; in rows, at the index of the innermost group around it.
    pub fn add(&mut self, key: Key<'a>, node: NodeRef<'t>, content: Content<'a, 't>) {
        let row = key.keyed.row.filter(|_| !self.is_group).map(|group| self.row(group, node.place()));
        self.add_at(key, row, content);
    }

    /// Appends a value to its name.
    pub fn add_last(&mut self, key: Key<'a>, content: Content<'a, 't>) {
        self.add_at(key, None, content);
    }

    fn add_at(&mut self, key: Key<'a>, row: Option<u32>, content: Content<'a, 't>) {
        let known = self.slots.iter().position(|slot| slot.key.name == key.name);
        let at = known.unwrap_or_else(|| {
            self.slots.push(Slot { key, values: Vec::new() });
            self.slots.len() - 1
        });
        if let Some(slot) = self.slots.get_mut(at) {
            let place = row.unwrap_or(u32::try_from(slot.values.len()).unwrap_or(u32::MAX));
            slot.values.push((place, content));
        }
    }

    /// Opens a row: fields below this group have the next index.
    pub fn open(&mut self, group: NodeRef<'_>) {
        let rows = self.rows(group.field().row());
        rows.close(group.place());
        rows.open.push((group.last(), rows.count));
        rows.count += 1;
    }

    /// Index of a node: that of the group around it, or the next one outside of groups.
    fn row(&mut self, group: &'static Field, place: u32) -> u32 {
        let rows = self.rows(group);
        rows.close(place);
        match rows.open.last() {
            Some((_, row)) => *row,
            None => {
                rows.count += 1;
                rows.count - 1
            }
        }
    }

    fn rows(&mut self, group: &'static Field) -> &mut Rows {
        let at = self.rows.iter().position(|rows| rows.group.is(group)).unwrap_or_else(|| {
            self.rows.push(Rows { group, count: 0, open: Vec::new() });
            self.rows.len() - 1
        });
        // The entry was found or created above.
        #[allow(clippy::indexing_slicing, reason = "the entry exists")]
        &mut self.rows[at]
    }

    /// Length of the array of a name.
    fn places(&self, slot: &Slot<'_, '_>) -> u32 {
        let rows = slot.key.keyed.row.and_then(|group| self.rows.iter().find(|rows| rows.group.is(group)));
        rows.map_or(0, |rows| rows.count)
    }

    /// Adds a node under each of its names, with generated values.
    pub fn add_value(&mut self, node: NodeRef<'t>, choice: Option<&'a Choice>, is_whole: bool) {
        if let Some(choice) = choice {
            choice.computed(node, |key, _, json| self.add(key, node, Content::Made(json)));
        }
        let field = node.field();
        if matches!(field.kind, Kind::Group | Kind::Protocol | Kind::Note(_)) {
            return;
        }
        match choice {
            Some(choice) if !is_whole => choice.keys_of(field).for_each(|key| self.add(key, node, Content::Value(node, key))),
            _ => own_keys(field).for_each(|key| self.add(key, node, Content::Value(node, key))),
        }
    }

    /// Sorts the values of each name by index, because nested rows may be out of order.
    pub fn sort(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.values.sort_by_key(|(place, _)| *place));
    }

    /// Writes each name with its values, as an array if `is_array`. Excess values go to `more`.
    pub fn put(
        &self,
        map: &mut Members<'_, '_>,
        raw: bool,
        is_array: fn(&Key<'_>) -> bool,
        nested: &dyn Fn(NodeRef<'t>, &mut Out<'_>) -> Result<()>,
        more: &mut More<'t>,
    ) -> Result<()> {
        for slot in &self.slots {
            let places = if is_array(&slot.key) { Some(self.places(slot)) } else { None };
            map.put(slot.key.name, &Values { slot, places, nested })?;
            if raw && !matches!(slot.values.first(), Some((_, Content::Group(_)))) {
                map.put_joined(slot.key.name, "_raw", &Bytes { slot, places })?;
            }
            more.add(slot, places.is_some());
        }
        Ok(())
    }
}

impl Rows {
    /// Closes the groups that end before this node.
    fn close(&mut self, place: u32) {
        while self.open.pop_if(|(last, _)| *last < place).is_some() {}
    }
}

/// Writes the values of a name.
struct Values<'s, 'a, 't> {
    slot: &'s Slot<'a, 't>,
    places: Option<u32>,
    nested: &'s dyn Fn(NodeRef<'t>, &mut Out<'_>) -> Result<()>,
}

impl Put for Values<'_, '_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        placed(self.slot, self.places, out, |content, out| match content {
            Content::Value(node, key) => Typed(*node, *key).put(out),
            Content::Made(json) => {
                out.raw(json);
                Ok(())
            }
            Content::Group(node) => (self.nested)(*node, out),
        })
    }
}

/// Writes the bytes of the values of a name.
struct Bytes<'s, 'a, 't> {
    slot: &'s Slot<'a, 't>,
    places: Option<u32>,
}

impl Put for Bytes<'_, '_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        placed(self.slot, self.places, out, |content, out| match content {
            Content::Value(node, _) => Raw(*node).put(out),
            Content::Made(_) | Content::Group(_) => ().put(out),
        })
    }
}

/// Writes the first value only, or all values at their indices, padded with `null`.
fn placed<'a, 't>(
    slot: &Slot<'a, 't>,
    places: Option<u32>,
    out: &mut Out<'_>,
    put: impl Fn(&Content<'a, 't>, &mut Out<'_>) -> Result<()>,
) -> Result<()> {
    let Some(places) = places else {
        return slot.values.first().map_or(Ok(()), |(_, content)| put(content, out));
    };
    let mut values = slot.values.iter().peekable();
    let last = slot.values.last().map_or(0, |(place, _)| place + 1);
    out.list(0..places.max(last), |out, place| {
        let found = values.next_if(|(at, _)| *at == place);
        // Excess values are in `more`.
        while values.next_if(|(at, _)| *at == place).is_some() {}
        match found {
            Some((_, content)) => put(content, out),
            None => ().put(out),
        }
    })
}

/// Excess values of names that repeat unexpectedly.
#[derive(Default)]
pub struct More<'t> {
    values: Vec<(String, Vec<NodeRef<'t>>)>,
}

impl<'t> More<'t> {
    /// Adds those of another group.
    pub fn append(&mut self, other: More<'t>) {
        for (name, values) in other.values {
            match self.values.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => known.extend(values),
                None => self.values.push((name, values)),
            }
        }
    }

    fn add(&mut self, slot: &Slot<'_, 't>, is_array: bool) {
        let mut last = None;
        let spare = slot.values.iter().filter(|(place, _)| match last.replace(*place) {
            Some(before) => !is_array || before == *place,
            None => false,
        });
        let spare: Vec<NodeRef<'t>> = spare.filter_map(|(_, content)| content.node()).collect();
        if !spare.is_empty() {
            self.append(More { values: vec![(slot.key.name.to_owned(), spare)] });
        }
    }

    /// Writes the excess values, if any.
    pub fn put(&self, map: &mut Members<'_, '_>) -> Result<()> {
        if self.values.is_empty() {
            return Ok(());
        }
        map.object("more", |map| {
            self.values.iter().try_for_each(|(name, nodes)| {
                let texts: Vec<String> = nodes.iter().map(ToString::to_string).collect();
                map.put(name, &texts)
            })
        })
    }
}
