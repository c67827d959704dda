//! The value tree of a connection, and the path of each value in it.
//!
//! ```text
//! 0 (root) ─ "Status" ─► 11 ─ "IsMenuOpen" ─► 15 = false        path Status.IsMenuOpen
//!          └ "Special" ► 2 ─ [0] ─► 40 ─ "Name" ─► 41 = "ST"     path Special[0].Name
//! ```
//! A node has one parent, and following parents never cycles. A reference that would break this is noted; it moves the node or is
//! ignored. Siblings form a linked list, so that unlinking costs constant time.

mod change;
mod inconsistency;
mod interner;
mod json;
mod nodes;
#[cfg(test)]
mod tests;
mod texts;

pub(super) use change::Change;

use crate::limits;
use foldhash::fast::RandomState;
use inconsistency::{Inconsistencies, count_id};
use interner::{Interner, Symbol};
use nodes::{ChildList, Kept, Node, Nodes, Slot, Step};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use texts::Texts;

/// Maximum number of steps in a path.
pub(super) const STEPS: usize = 64;

/// Capacity retained for unlinked nodes.
const DETACHED_CAPACITY: usize = 1024;

/// ID of the root.
pub(super) const ROOT: u32 = 0;

/// A value without children.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'t> {
    Bool(bool),
    Int(i32),
    Uint(u32),
    Float(f32),
    Text(Cow<'t, str>),
}

impl Scalar<'_> {
    /// Bitwise equality, so that NaN equals itself.
    fn equals(&self, other: &Scalar<'_>) -> bool {
        match (self, other) {
            (Scalar::Float(one), Scalar::Float(other)) => one.to_bits() == other.to_bits(),
            (Scalar::Text(one), Scalar::Text(other)) => one == other,
            _ => self == other,
        }
    }

    fn into_owned(self) -> Scalar<'static> {
        match self {
            Scalar::Bool(truth) => Scalar::Bool(truth),
            Scalar::Int(number) => Scalar::Int(number),
            Scalar::Uint(number) => Scalar::Uint(number),
            Scalar::Float(number) => Scalar::Float(number),
            Scalar::Text(text) => Scalar::Text(Cow::Owned(text.into_owned())),
        }
    }
}

/// Changes made by an entry.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Previous value, if it differs.
    pub(super) before: Option<Scalar<'static>>,
    /// Changes of the children of a list or dict that existed before.
    pub(super) change: Option<Box<Change>>,
    /// The value did not exist before.
    pub(super) is_new: bool,
    /// Node of the value, unless the tree is full.
    pub(super) handle: Option<Handle>,
}

/// Handle of a node, valid until the message ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handle(Slot);

/// The value tree of a connection.
#[derive(Default)]
pub(super) struct World {
    nodes: Nodes,
    /// Names of members.
    names: Interner,
    /// String values.
    texts: Texts,
    /// Nodes unlinked since the start of the message.
    detached: Vec<Slot>,
    /// Inconsistencies of the current entry.
    inconsistencies: Inconsistencies,
    /// Reused buffer for a node and its ancestors.
    ancestors: Vec<Slot>,
    /// The note about the full tree was added.
    is_full: bool,
}

impl World {
    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.nodes.memory_usage()
            + self.names.memory_usage()
            + self.texts.memory_usage()
            + (self.detached.capacity() + self.ancestors.capacity()) * size_of::<Slot>()
    }

    /// Reserves memory for up to this many values, of which some exist.
    pub(super) fn expect(&mut self, values: usize) {
        self.nodes.expect(values.min(limits::PIPBOY_VALUES.get()).saturating_sub(self.nodes.len()));
    }

    /// Whether the root was sent; it completes the initial update.
    pub(super) fn has_root(&self) -> bool {
        self.nodes.slot(ROOT).is_some_and(|root| self.is_sent(root))
    }

    fn is_sent(&self, slot: Slot) -> bool {
        self.nodes.get(slot).is_some_and(|node| !matches!(node.kept, Kept::Nothing))
    }

    /// The number at a path of names, from the root.
    pub(super) fn number(&self, path: &[&str]) -> Option<f64> {
        let named = |slot: &Slot, name: &str| match self.nodes.get(*slot).map(Node::step) {
            Some(Step::Name(step)) => self.names.get(step) == name,
            _ => false,
        };
        let below = |slot: Slot, name: &&str| self.nodes.below(slot).find(|child| named(child, name));
        match self.nodes.get(path.iter().try_fold(self.nodes.slot(ROOT)?, below)?)?.kept {
            Kept::Float(number) => Some(number.into()),
            Kept::Int(number) => Some(number.into()),
            Kept::Uint(number) => Some(number.into()),
            _ => None,
        }
    }

    /// Takes the inconsistencies found since the last call.
    pub(super) fn take_inconsistencies(&mut self) -> Option<Inconsistencies> {
        self.inconsistencies.is_there().then(|| std::mem::take(&mut self.inconsistencies))
    }

    /// Returns the node with this ID, created if the tree is not full.
    fn open(&mut self, id: u32) -> Option<Slot> {
        let has_room =
            self.nodes.len() < limits::PIPBOY_VALUES.get() && self.names.bytes() + self.texts.bytes() < limits::PIPBOY_TEXT.get();
        let slot = if has_room { self.nodes.open(id) } else { self.nodes.slot(id) };
        if slot.is_none() {
            self.inconsistencies.full |= !std::mem::replace(&mut self.is_full, true);
        }
        slot
    }

    /// Returns the value of a node without children.
    fn scalar(&self, slot: Slot) -> Option<Scalar<'_>> {
        match self.nodes.get(slot)?.kept {
            Kept::Nothing | Kept::List(_) | Kept::Dict(_) => None,
            Kept::Bool(truth) => Some(Scalar::Bool(truth)),
            Kept::Int(number) => Some(Scalar::Int(number)),
            Kept::Uint(number) => Some(Scalar::Uint(number)),
            Kept::Float(number) => Some(Scalar::Float(number)),
            Kept::Text(place) => Some(Scalar::Text(Cow::Borrowed(self.texts.get(place)))),
        }
    }

    /// Replaces the content of a node.
    fn keep(&mut self, slot: Slot, kept: Kept) {
        let Some(node) = self.nodes.get_mut(slot) else { return };
        if let Kept::Text(place) = std::mem::replace(&mut node.kept, kept) {
            self.texts.release(place);
        }
    }

    /// Sets a value without children.
    #[inline]
    pub(super) fn set(&mut self, id: u32, value: Scalar<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(slot) = self.open(id) else { return outcome };
        outcome.handle = Some(Handle(slot));
        outcome.is_new = !self.is_sent(slot);
        if !outcome.is_new {
            outcome.change = self.remove_children(slot).map(Box::new);
            let before = self.scalar(slot);
            if before.as_ref().is_some_and(|before| before.equals(&value)) {
                return outcome;
            }
            outcome.before = before.map(Scalar::into_owned);
        }
        let kept = match value {
            Scalar::Bool(truth) => Kept::Bool(truth),
            Scalar::Int(number) => Kept::Int(number),
            Scalar::Uint(number) => Kept::Uint(number),
            Scalar::Float(number) => Kept::Float(number),
            Scalar::Text(text) => self.texts.take(&text).map_or(Kept::Nothing, Kept::Text),
        };
        self.keep(slot, kept);
        outcome
    }

    /// Unlinks all children of a list or dict that becomes another type.
    fn remove_children(&mut self, slot: Slot) -> Option<Change> {
        let children = self.nodes.children(slot);
        if children == 0 {
            return None;
        }
        let mut change = Change::from(children);
        self.nodes.below(slot).for_each(|child| self.record_child(child, &mut change.removed));
        self.detach_children(slot);
        change.to(0)
    }

    /// Replaces the children of a list.
    pub(super) fn list(&mut self, id: u32, refs: &[u32]) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(slot) = self.become_parent(id, Kept::List, &mut outcome) else { return outcome };
        let before: Vec<Slot> = self.nodes.below(slot).collect();
        let mut change = Change::from(before.len());
        if !before.is_empty() {
            let stays: HashSet<u32, RandomState> = refs.iter().copied().collect();
            let goes = |child: &Slot| self.nodes.get(*child).is_some_and(|node| !stays.contains(&node.id));
            before.iter().copied().filter(goes).for_each(|child| self.record_child(child, &mut change.removed));
            self.detach_children(slot);
        }
        let ancestors = self.ancestors(slot);
        for (index, child) in (0..).zip(refs) {
            self.adopt(slot, &ancestors, *child, Step::Index(index));
        }
        self.ancestors = ancestors;
        if !outcome.is_new {
            let was: HashSet<Slot, RandomState> = before.iter().copied().collect();
            self.nodes
                .below(slot)
                .filter(|child| !was.contains(child))
                .for_each(|child| self.record_child(child, &mut change.added));
            change.moved = !self.nodes.below(slot).eq(before);
            outcome.change = change.to(self.nodes.children(slot)).map(Box::new);
        }
        outcome
    }

    /// Inserts and removes members of a dict; names are UTF-8. Other members stay, as do those both removed and
    /// inserted.
    pub(super) fn dict(&mut self, id: u32, inserted: &[(u32, impl AsRef<[u8]>)], removed: &[u32]) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(slot) = self.become_parent(id, Kept::Dict, &mut outcome) else { return outcome };
        let mut change = Change::from(self.nodes.children(slot));
        let first = self.nodes.first(slot).and_then(|child| self.nodes.get(child));
        if matches!(first.map(Node::step), Some(Step::Index(_))) {
            self.nodes.below(slot).for_each(|child| self.record_child(child, &mut change.removed));
            self.detach_children(slot);
        }
        let mut gone = Vec::new();
        if !removed.is_empty() {
            let stays: HashSet<u32, RandomState> = inserted.iter().map(|(child, _)| *child).collect();
            for child in removed {
                gone.extend(self.remove(slot, *child, stays.contains(child)));
            }
        }
        let mut free: HashSet<Symbol, RandomState> = gone.iter().copied().collect();
        let ancestors = self.ancestors(slot);
        for (child, name) in inserted {
            let Some(name) = self.names.take(name.as_ref()) else { continue };
            if self.names.get(name).len() > limits::PIPBOY_NAME.get() {
                count_id(&mut self.inconsistencies.long_name, *child);
            }
            let former = if outcome.is_new { None } else { self.nodes.member(slot, name) };
            self.adopt(slot, &ancestors, *child, Step::Name(name));
            if !outcome.is_new && self.nodes.member(slot, name) != former {
                let is_another = former.is_some() || free.remove(&name);
                (if is_another { &mut change.replaced } else { &mut change.added }).put(self.names.get(name));
            }
            self.names.release(name);
        }
        self.ancestors = ancestors;
        if !outcome.is_new {
            gone.iter().filter(|name| free.contains(name)).for_each(|name| change.removed.put(self.names.get(*name)));
            outcome.change = change.to(self.nodes.children(slot)).map(Box::new);
        }
        gone.into_iter().for_each(|name| self.names.release(name));
        outcome
    }

    /// Turns a node into a list or dict.
    fn become_parent(&mut self, id: u32, kept: fn(ChildList) -> Kept, outcome: &mut Outcome) -> Option<Slot> {
        let slot = self.open(id)?;
        outcome.handle = Some(Handle(slot));
        outcome.is_new = !self.is_sent(slot);
        outcome.before = self.scalar(slot).map(Scalar::into_owned);
        let below = self.nodes.get(slot).and_then(|node| node.kept.below());
        self.keep(slot, kept(below.unwrap_or_default()));
        Some(slot)
    }

    /// Removes a member, unless it is inserted again. Returns its name, which the caller must release.
    fn remove(&mut self, dict: Slot, id: u32, stays: bool) -> Option<Symbol> {
        if stays {
            count_id(&mut self.inconsistencies.both, id);
            return None;
        }
        let Some(child) = self.nodes.slot(id) else {
            count_id(&mut self.inconsistencies.unknown, id);
            return None;
        };
        let node = self.nodes.get(child)?;
        if node.parent != Some(dict) {
            return None;
        }
        let name = if let Step::Name(name) = node.step() { Some(name) } else { None };
        name.into_iter().for_each(|name| self.names.again(name));
        self.detach(child);
        name
    }

    /// Records a child by its name, or by its ID in a list.
    fn record_child(&self, child: Slot, names: &mut change::Names) {
        let Some(node) = self.nodes.get(child) else { return };
        match node.step() {
            Step::Name(name) => names.put(self.names.get(name)),
            Step::Index(_) | Step::None => names.put_id(node.id),
        }
    }

    /// A node and its ancestors, up to the maximum path length.
    fn upwards(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        std::iter::successors(Some(slot), |slot| self.nodes.parent(*slot)).take(STEPS + 1)
    }

    /// Collects [`upwards`](Self::upwards) into a reused buffer.
    fn ancestors(&mut self, slot: Slot) -> Vec<Slot> {
        let mut ancestors = std::mem::take(&mut self.ancestors);
        ancestors.clear();
        ancestors.extend(self.upwards(slot));
        ancestors
    }

    /// Links a child to a node whose ancestors are given. A former member of the same name is unlinked.
    fn adopt(&mut self, parent: Slot, ancestors: &[Slot], id: u32, step: Step) {
        let Some(child) = self.open(id) else { return };
        let Some(node) = self.nodes.get(child) else { return };
        let hangs = node.parent.is_some();
        if matches!(node.kept, Kept::Nothing) {
            count_id(&mut self.inconsistencies.unknown, id);
        }
        if id == ROOT || ancestors.len() > STEPS || ancestors.contains(&child) {
            return count_id(&mut self.inconsistencies.looped, id);
        }
        if let Step::Name(name) = step {
            match self.nodes.member(parent, name) {
                Some(same) if same == child => return,
                Some(former) => self.detach(former),
                None => {}
            }
            self.names.again(name);
        }
        if hangs {
            count_id(&mut self.inconsistencies.second, id);
            self.unlink(child);
        }
        self.nodes.link(parent, child, step);
    }

    /// Unlinks a node from its parent.
    fn unlink(&mut self, child: Slot) {
        if let Step::Name(name) = self.nodes.unlink(child) {
            self.names.release(name);
        }
    }

    /// Unlinks a node from its parent. It is removed at the end of the message unless it is linked again.
    fn detach(&mut self, child: Slot) {
        self.unlink(child);
        self.detached.push(child);
    }

    fn detach_children(&mut self, parent: Slot) {
        while let Some(child) = self.nodes.first(parent) {
            self.detach(child);
        }
    }

    /// Ends a message: removes unlinked nodes and all below them.
    pub(super) fn settle(&mut self) {
        while let Some(slot) = self.detached.pop() {
            let Some(node) = self.nodes.get(slot).filter(|node| node.parent.is_none()) else { continue };
            if self.nodes.slot(node.id) != Some(slot) {
                continue;
            }
            self.detach_children(slot);
            self.keep(slot, Kept::Nothing);
            self.nodes.remove(slot);
        }
        self.detached.shrink_to(DETACHED_CAPACITY);
        if self.texts.needs_packing(self.nodes.slot_count()) {
            self.texts.pack(self.nodes.texts());
        }
    }

    /// Returns the path of a value.
    pub(super) fn path(&self, id: u32) -> Path<'_> {
        Path { world: self, id }
    }

    /// Calls `look` with a value and its ancestors. Without a handle, the node is found by ID.
    pub(super) fn look_up<T>(&mut self, id: u32, handle: Option<Handle>, look: impl FnOnce(Ancestors<'_>) -> T) -> T {
        let slot = handle.map(|handle| handle.0).or_else(|| self.nodes.slot(id));
        let slots = slot.map_or_else(Vec::new, |slot| self.ancestors(slot));
        let outcome = look(Ancestors { world: self, id, slots: &slots });
        self.ancestors = slots;
        outcome
    }

    /// Members of the root in insertion order: ID and name.
    pub(super) fn tops(&self) -> impl Iterator<Item = (u32, &str)> {
        self.nodes.slot(ROOT).into_iter().flat_map(|root| self.nodes.below(root)).filter_map(|slot| {
            let node = self.nodes.get(slot)?;
            if let Step::Name(name) = node.step() { Some((node.id, self.names.get(name))) } else { None }
        })
    }
}

/// A value and its ancestors.
pub(super) struct Ancestors<'w> {
    world: &'w World,
    id: u32,
    /// The node and its ancestors, up to the maximum path length; empty if the ID is unknown.
    slots: &'w [Slot],
}

impl Ancestors<'_> {
    /// Returns the ID of the root member that contains the value.
    pub(super) fn top(&self) -> Option<u32> {
        let nodes = &self.world.nodes;
        let is_root = |slot: Slot| nodes.get(slot).is_some_and(|node| node.id == ROOT);
        let top = self.slots.iter().rev().take(2).find(|slot| nodes.parent(**slot).is_some_and(is_root))?;
        nodes.get(*top).map(|node| node.id)
    }

    /// Writes the path: `Inventory.43[0].text`. Empty for the root. A value whose ancestors do not reach the root begins with the
    /// ID of the topmost one: `#22260.frequency`.
    pub(super) fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let Ancestors { world, id, slots } = *self;
        let mut downwards = slots.iter().rev().filter_map(|slot| world.nodes.get(*slot));
        let highest = downwards.next();
        let number = highest.map_or(id, |node| node.id);
        let mut between = "";
        if number != ROOT {
            out.write_str("#")?;
            out.write_str(itoa::Buffer::new().format(number))?;
            between = ".";
        }
        for node in downwards {
            match node.step() {
                Step::Name(name) => {
                    out.write_str(between)?;
                    let (shown, mark) = shown(world.names.get(name));
                    out.write_str(shown)?;
                    out.write_str(mark)?;
                }
                Step::Index(index) => {
                    out.write_str("[")?;
                    out.write_str(itoa::Buffer::new().format(index))?;
                    out.write_str("]")?;
                }
                Step::None => {}
            }
            between = ".";
        }
        let has_more = highest.is_some_and(|node| node.parent.is_some());
        if has_more { out.write_str("...") } else { Ok(()) }
    }
}

/// Truncates a name for a path: names may have any length, and paths have many.
fn shown(name: &str) -> (&str, &str) {
    let most = limits::PIPBOY_NAME.get();
    if name.len() <= most {
        return (name, "");
    }
    ((0..=most).rev().find_map(|end| name.get(..end)).unwrap_or_default(), "…")
}

/// Path of a value: see [`Ancestors::write`].
pub(super) struct Path<'w> {
    world: &'w World,
    id: u32,
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Path { world, id } = *self;
        let slots: Vec<Slot> = world.nodes.slot(id).into_iter().flat_map(|slot| world.upwards(slot)).collect();
        Ancestors { world, id, slots: &slots }.write(f)
    }
}
