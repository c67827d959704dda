//! The value tree of a connection, and the path of each value in it.
//!
//! ```text
//! 0 (root) ─ "Status" ─► 11 ─ "IsMenuOpen" ─► 15 = false        path Status.IsMenuOpen
//!          └ "Special" ► 2 ─ [0] ─► 40 ─ "Name" ─► 41 = "ST"     path Special[0].Name
//! ```
//! A node has one parent, and following parents never cycles. A reference that would break this is noted; it moves the
//! node or
//! is ignored. Siblings form a linked list, so that unlinking costs constant time.

mod change;
mod json;
mod nodes;
mod strange;
#[cfg(test)]
mod tests;
mod texts;
mod words;

pub(super) use change::Change;

use crate::limits;
use foldhash::fast::RandomState;
use nodes::{Below, Kept, Node, Nodes, Slot, Step};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use strange::{Strange, one_more};
use texts::Texts;
use words::{Word, Words};

/// Maximum number of steps in a path.
pub(super) const STEPS: usize = 64;

/// Capacity retained for unlinked nodes.
const FEW_LOOSE: usize = 1024;

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
pub(super) struct Told {
    /// Previous value, if it differs.
    pub(super) before: Option<Scalar<'static>>,
    /// Changes of the children of a list or dict that existed before.
    pub(super) change: Option<Box<Change>>,
    /// The value did not exist before.
    pub(super) is_new: bool,
    /// Node of the value, unless the tree is full.
    pub(super) spot: Option<Spot>,
}

/// Handle of a node, valid until the message ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot(Slot);

/// The value tree of a connection.
#[derive(Default)]
pub(super) struct World {
    nodes: Nodes,
    /// Names of members.
    words: Words,
    /// String values.
    texts: Texts,
    /// Nodes unlinked since the start of the message.
    loose: Vec<Slot>,
    /// Inconsistencies of the current entry.
    strange: Strange,
    /// Reused buffer for a node and its ancestors.
    above: Vec<Slot>,
    /// The note about the full tree was added.
    is_full: bool,
}

impl World {
    /// Approximate heap memory in bytes.
    pub(super) fn held(&self) -> usize {
        self.nodes.held()
            + self.words.held()
            + self.texts.held()
            + (self.loose.capacity() + self.above.capacity()) * size_of::<Slot>()
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

    /// Takes the inconsistencies found since the last call.
    pub(super) fn strange(&mut self) -> Option<Strange> {
        self.strange.is_there().then(|| std::mem::take(&mut self.strange))
    }

    /// Returns the node with this ID, created if the tree is not full.
    fn open(&mut self, id: u32) -> Option<Slot> {
        let has_room =
            self.nodes.len() < limits::PIPBOY_VALUES.get() && self.words.bytes() + self.texts.bytes() < limits::PIPBOY_TEXT.get();
        let slot = if has_room { self.nodes.open(id) } else { self.nodes.slot(id) };
        if slot.is_none() {
            self.strange.full |= !std::mem::replace(&mut self.is_full, true);
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
    pub(super) fn set(&mut self, id: u32, value: Scalar<'_>) -> Told {
        let mut told = Told::default();
        let Some(slot) = self.open(id) else { return told };
        told.spot = Some(Spot(slot));
        told.is_new = !self.is_sent(slot);
        if !told.is_new {
            told.change = self.let_all_children_go(slot).map(Box::new);
            let before = self.scalar(slot);
            if before.as_ref().is_some_and(|before| before.equals(&value)) {
                return told;
            }
            told.before = before.map(Scalar::into_owned);
        }
        let kept = match value {
            Scalar::Bool(truth) => Kept::Bool(truth),
            Scalar::Int(number) => Kept::Int(number),
            Scalar::Uint(number) => Kept::Uint(number),
            Scalar::Float(number) => Kept::Float(number),
            Scalar::Text(text) => self.texts.take(&text).map_or(Kept::Nothing, Kept::Text),
        };
        self.keep(slot, kept);
        told
    }

    /// Unlinks all children of a list or dict that becomes another type.
    fn let_all_children_go(&mut self, slot: Slot) -> Option<Change> {
        let children = self.nodes.children(slot);
        if children == 0 {
            return None;
        }
        let mut change = Change::from(children);
        self.nodes.below(slot).for_each(|child| self.call(child, &mut change.removed));
        self.let_children_go(slot);
        change.to(0)
    }

    /// Replaces the children of a list.
    pub(super) fn list(&mut self, id: u32, refs: &[u32]) -> Told {
        let mut told = Told::default();
        let Some(slot) = self.become_parent(id, Kept::List, &mut told) else { return told };
        let before: Vec<Slot> = self.nodes.below(slot).collect();
        let mut change = Change::from(before.len());
        if !before.is_empty() {
            let stays: HashSet<u32, RandomState> = refs.iter().copied().collect();
            let goes = |child: &Slot| self.nodes.get(*child).is_some_and(|node| !stays.contains(&node.id));
            before.iter().copied().filter(goes).for_each(|child| self.call(child, &mut change.removed));
            self.let_children_go(slot);
        }
        let above = self.above(slot);
        for (index, child) in (0..).zip(refs) {
            self.adopt(slot, &above, *child, Step::Index(index));
        }
        self.above = above;
        if !told.is_new {
            let was: HashSet<Slot, RandomState> = before.iter().copied().collect();
            self.nodes.below(slot).filter(|child| !was.contains(child)).for_each(|child| self.call(child, &mut change.added));
            change.moved = !self.nodes.below(slot).eq(before);
            told.change = change.to(self.nodes.children(slot)).map(Box::new);
        }
        told
    }

    /// Inserts and removes members of a dict; names are UTF-8. Other members stay, as do those both removed and
    /// inserted.
    pub(super) fn dict(&mut self, id: u32, inserted: &[(u32, impl AsRef<[u8]>)], removed: &[u32]) -> Told {
        let mut told = Told::default();
        let Some(slot) = self.become_parent(id, Kept::Dict, &mut told) else { return told };
        let mut change = Change::from(self.nodes.children(slot));
        let first = self.nodes.first(slot).and_then(|child| self.nodes.get(child));
        if matches!(first.map(Node::step), Some(Step::Index(_))) {
            self.nodes.below(slot).for_each(|child| self.call(child, &mut change.removed));
            self.let_children_go(slot);
        }
        let mut gone = Vec::new();
        if !removed.is_empty() {
            let stays: HashSet<u32, RandomState> = inserted.iter().map(|(child, _)| *child).collect();
            for child in removed {
                gone.extend(self.remove(slot, *child, stays.contains(child)));
            }
        }
        let mut free: HashSet<Word, RandomState> = gone.iter().copied().collect();
        let above = self.above(slot);
        for (child, name) in inserted {
            let Some(name) = self.words.take(name.as_ref()) else { continue };
            if self.words.get(name).len() > limits::PIPBOY_NAME.get() {
                one_more(&mut self.strange.long_name, *child);
            }
            let former = if told.is_new { None } else { self.nodes.member(slot, name) };
            self.adopt(slot, &above, *child, Step::Name(name));
            if !told.is_new && self.nodes.member(slot, name) != former {
                let is_another = former.is_some() || free.remove(&name);
                (if is_another { &mut change.replaced } else { &mut change.added }).put(self.words.get(name));
            }
            self.words.release(name);
        }
        self.above = above;
        if !told.is_new {
            gone.iter().filter(|name| free.contains(name)).for_each(|name| change.removed.put(self.words.get(*name)));
            told.change = change.to(self.nodes.children(slot)).map(Box::new);
        }
        gone.into_iter().for_each(|name| self.words.release(name));
        told
    }

    /// Turns a node into a list or dict.
    fn become_parent(&mut self, id: u32, kept: fn(Below) -> Kept, told: &mut Told) -> Option<Slot> {
        let slot = self.open(id)?;
        told.spot = Some(Spot(slot));
        told.is_new = !self.is_sent(slot);
        told.before = self.scalar(slot).map(Scalar::into_owned);
        let below = self.nodes.get(slot).and_then(|node| node.kept.below());
        self.keep(slot, kept(below.unwrap_or_default()));
        Some(slot)
    }

    /// Removes a member, unless it is inserted again. Returns its name, which the caller must release.
    fn remove(&mut self, dict: Slot, id: u32, stays: bool) -> Option<Word> {
        if stays {
            one_more(&mut self.strange.both, id);
            return None;
        }
        let Some(child) = self.nodes.slot(id) else {
            one_more(&mut self.strange.unknown, id);
            return None;
        };
        let node = self.nodes.get(child)?;
        if node.parent != Some(dict) {
            return None;
        }
        let name = if let Step::Name(name) = node.step() { Some(name) } else { None };
        name.into_iter().for_each(|name| self.words.again(name));
        self.let_go(child);
        name
    }

    /// Records a child by its name, or by its ID in a list.
    fn call(&self, child: Slot, names: &mut change::Names) {
        let Some(node) = self.nodes.get(child) else { return };
        match node.step() {
            Step::Name(name) => names.put(self.words.get(name)),
            Step::Index(_) | Step::None => names.put_id(node.id),
        }
    }

    /// A node and its ancestors, up to the maximum path length.
    fn upwards(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        std::iter::successors(Some(slot), |slot| self.nodes.parent(*slot)).take(STEPS + 1)
    }

    /// Collects [`upwards`](Self::upwards) into a reused buffer.
    fn above(&mut self, slot: Slot) -> Vec<Slot> {
        let mut above = std::mem::take(&mut self.above);
        above.clear();
        above.extend(self.upwards(slot));
        above
    }

    /// Links a child to a node whose ancestors are given. A former member of the same name is unlinked.
    fn adopt(&mut self, parent: Slot, above: &[Slot], id: u32, step: Step) {
        let Some(child) = self.open(id) else { return };
        let Some(node) = self.nodes.get(child) else { return };
        let hangs = node.parent.is_some();
        if matches!(node.kept, Kept::Nothing) {
            one_more(&mut self.strange.unknown, id);
        }
        if id == ROOT || above.len() > STEPS || above.contains(&child) {
            return one_more(&mut self.strange.looped, id);
        }
        if let Step::Name(name) = step {
            match self.nodes.member(parent, name) {
                Some(same) if same == child => return,
                Some(former) => self.let_go(former),
                None => {}
            }
            self.words.again(name);
        }
        if hangs {
            one_more(&mut self.strange.second, id);
            self.unlink(child);
        }
        self.nodes.link(parent, child, step);
    }

    /// Unlinks a node from its parent.
    fn unlink(&mut self, child: Slot) {
        if let Step::Name(name) = self.nodes.unlink(child) {
            self.words.release(name);
        }
    }

    /// Unlinks a node from its parent. It is removed at the end of the message unless it is linked again.
    fn let_go(&mut self, child: Slot) {
        self.unlink(child);
        self.loose.push(child);
    }

    fn let_children_go(&mut self, parent: Slot) {
        while let Some(child) = self.nodes.first(parent) {
            self.let_go(child);
        }
    }

    /// Ends a message: removes unlinked nodes and all below them.
    pub(super) fn settle(&mut self) {
        while let Some(slot) = self.loose.pop() {
            let Some(node) = self.nodes.get(slot).filter(|node| node.parent.is_none()) else { continue };
            if self.nodes.slot(node.id) != Some(slot) {
                continue;
            }
            self.let_children_go(slot);
            self.keep(slot, Kept::Nothing);
            self.nodes.remove(slot);
        }
        self.loose.shrink_to(FEW_LOOSE);
        if self.texts.is_loose(self.nodes.room()) {
            self.texts.pack(self.nodes.texts());
        }
    }

    /// Returns the path of a value.
    pub(super) fn path(&self, id: u32) -> Path<'_> {
        Path { world: self, id }
    }

    /// Calls `look` with a value and its ancestors. Without a handle, the node is found by ID.
    pub(super) fn look_up<T>(&mut self, id: u32, spot: Option<Spot>, look: impl FnOnce(Above<'_>) -> T) -> T {
        let slot = spot.map(|spot| spot.0).or_else(|| self.nodes.slot(id));
        let slots = slot.map_or_else(Vec::new, |slot| self.above(slot));
        let told = look(Above { world: self, id, slots: &slots });
        self.above = slots;
        told
    }

    /// Members of the root in insertion order: ID and name.
    pub(super) fn tops(&self) -> impl Iterator<Item = (u32, &str)> {
        self.nodes.slot(ROOT).into_iter().flat_map(|root| self.nodes.below(root)).filter_map(|slot| {
            let node = self.nodes.get(slot)?;
            if let Step::Name(name) = node.step() { Some((node.id, self.words.get(name))) } else { None }
        })
    }
}

/// A value and its ancestors.
pub(super) struct Above<'w> {
    world: &'w World,
    id: u32,
    /// The node and its ancestors, up to the maximum path length; empty if the ID is unknown.
    slots: &'w [Slot],
}

impl Above<'_> {
    /// Returns the ID of the root member that contains the value.
    pub(super) fn top(&self) -> Option<u32> {
        let nodes = &self.world.nodes;
        let is_root = |slot: Slot| nodes.get(slot).is_some_and(|node| node.id == ROOT);
        let top = self.slots.iter().rev().take(2).find(|slot| nodes.parent(**slot).is_some_and(is_root))?;
        nodes.get(*top).map(|node| node.id)
    }

    /// Writes the path: `Inventory.43[0].text`. Empty for the root. A value whose ancestors do not reach the root
    /// begins with the ID
    /// of the topmost one: `#22260.frequency`.
    pub(super) fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let Above { world, id, slots } = *self;
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
                    let (shown, mark) = shown(world.words.get(name));
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

/// Path of a value: see [`Above::write`].
pub(super) struct Path<'w> {
    world: &'w World,
    id: u32,
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Path { world, id } = *self;
        let slots: Vec<Slot> = world.nodes.slot(id).into_iter().flat_map(|slot| world.upwards(slot)).collect();
        Above { world, id, slots: &slots }.write(f)
    }
}
