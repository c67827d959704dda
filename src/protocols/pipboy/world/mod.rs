//! The value tree of a connection: what the game has told so far, and where in it each value lies.
//!
//! ```text
//! 0 (root) ─ "Status" ─► 11 ─ "IsMenuOpen" ─► 15 = false        path Status.IsMenuOpen
//!          └ "Special" ► 2 ─ [0] ─► 40 ─ "Name" ─► 41 = "ST"     path Special[0].Name
//! ```
//! A node has one parent, and no path of parents leads back to where it began: a reference that would break either is
//! noted and moves the node, or is not followed. Children hang in a chain from their parent, so that taking one out
//! costs the same however many there are.

mod change;
mod json;
#[cfg(test)]
mod tests;

pub(super) use change::Change;

use foldhash::fast::RandomState;
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;

/// The most values that are kept.
const MOST: usize = 1_000_000;

/// The most bytes of texts and names that are kept.
const MOST_TEXT: usize = 64 << 20;

/// The most steps of a path.
pub(super) const STEPS: usize = 64;

/// Names that are kept before it is asked whether anybody still uses them.
const FEW_NAMES: usize = 1024;

/// Nodes that there is room for at first.
const FEW_NODES: usize = 64;

/// The number of the root.
const ROOT: u32 = 0;

/// The place of a node among the nodes, counted from 1, so that a link that leads nowhere takes no more room.
type Slot = NonZeroU32;

/// A value that holds no others.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Bool(bool),
    Int(i32),
    Uint(u32),
    Float(f32),
    Text(Box<str>),
}

impl Scalar {
    /// Whether it is the same to the last bit, also where it is not a number.
    fn equals(&self, other: &Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(one), Scalar::Float(other)) => one.to_bits() == other.to_bits(),
            _ => self == other,
        }
    }

    fn text(&self) -> usize {
        if let Scalar::Text(text) = self { text.len() } else { 0 }
    }
}

/// What is known of a node.
#[derive(Debug, Default)]
enum Kept {
    /// It was named, but never sent.
    #[default]
    Nothing,
    Scalar(Scalar),
    List,
    Dict,
}

/// A name, in one word: nodes are many. Equal names of a world are one allocation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name(Arc<Box<str>>);

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

/// How a parent calls its child.
#[derive(Debug, Clone, Default)]
enum Step {
    #[default]
    None,
    Index(u32),
    Name(Name),
}

#[derive(Debug, Default)]
struct Node {
    id: u32,
    kept: Kept,
    step: Step,
    parent: Option<Slot>,
    first: Option<Slot>,
    last: Option<Slot>,
    before: Option<Slot>,
    behind: Option<Slot>,
    children: u32,
}

/// What an entry changed.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The value before, where there was one and it was another.
    pub(super) before: Option<Scalar>,
    /// What became of the children of a list or a dict, where it was there before and has others now.
    pub(super) change: Option<Change>,
    /// The value was not there.
    pub(super) is_new: bool,
    /// What is strange about it.
    pub(super) strange: Strange,
}

/// How many ids of an entry are strange in some way, and the first of them.
type Few = Option<(u32, u32)>;

/// What is strange about the references of an entry.
#[derive(Debug, Default)]
pub(super) struct Strange {
    unknown: Few,
    second: Few,
    looped: Few,
    both: Few,
    full: bool,
}

fn one_more(of: &mut Few, id: u32) {
    of.get_or_insert((id, 0)).1 += 1;
}

impl Strange {
    pub(super) fn is_there(&self) -> bool {
        self.full || [self.unknown, self.second, self.looped, self.both].iter().any(Option::is_some)
    }
}

impl fmt::Display for Strange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.unknown, "never sent"),
            (self.second, "taken from another parent"),
            (self.looped, "not followed: it leads back, or too deep"),
            (self.both, "both inserted and removed"),
        ];
        let mut between = "";
        for (few, words) in kinds {
            let Some((first, count)) = few else { continue };
            write!(f, "{between}#{first}")?;
            if count > 1 {
                write!(f, " and {} more", count - 1)?;
            }
            write!(f, " {words}")?;
            between = "; ";
        }
        if self.full {
            write!(f, "{between}the tree is full: values that are not in it yet are not followed")?;
        }
        Ok(())
    }
}

/// The value tree of a connection.
#[derive(Default)]
pub(super) struct World {
    slots: HashMap<u32, Slot, RandomState>,
    nodes: Vec<Node>,
    free: Vec<Slot>,
    /// The child of a dict by its name. Equal names are one allocation, so its address stands for it.
    members: HashMap<(Slot, usize), Slot, RandomState>,
    names: HashSet<Name, RandomState>,
    names_most: usize,
    /// Nodes that lost their parent since the message began.
    loose: Vec<Slot>,
    text: usize,
    /// Somebody was told that no more is kept.
    is_full: bool,
}

impl World {
    /// Bytes of memory held on the heap, about.
    pub(super) fn held(&self) -> usize {
        // A map has a byte more for each entry, and an eighth of it is kept free.
        let map = |room: usize, entry: usize| room * (entry + 1) * 8 / 7;
        let names = self.names.len() * (size_of::<Box<str>>() + 4 * size_of::<usize>());
        self.nodes.capacity() * size_of::<Node>()
            + map(self.slots.capacity(), size_of::<(u32, Slot)>())
            + map(self.members.capacity(), size_of::<((Slot, usize), Slot)>())
            + (self.free.capacity() + self.loose.capacity()) * size_of::<Slot>()
            + names
            + self.text
    }

    /// Whether the root was sent, and with it all there is.
    pub(super) fn has_root(&self) -> bool {
        self.slot(ROOT).is_some_and(|root| self.is_sent(root))
    }

    fn slot(&self, id: u32) -> Option<Slot> {
        self.slots.get(&id).copied()
    }

    fn node(&self, slot: Slot) -> Option<&Node> {
        self.nodes.get(slot.get() as usize - 1)
    }

    fn node_mut(&mut self, slot: Slot) -> Option<&mut Node> {
        self.nodes.get_mut(slot.get() as usize - 1)
    }

    fn parent(&self, slot: Slot) -> Option<Slot> {
        self.node(slot)?.parent
    }

    fn is_sent(&self, slot: Slot) -> bool {
        self.node(slot).is_some_and(|node| !matches!(node.kept, Kept::Nothing))
    }

    /// The node of this number, made if there is none and room for one.
    fn open(&mut self, id: u32, strange: &mut Strange) -> Option<Slot> {
        if let Some(slot) = self.slot(id) {
            return Some(slot);
        }
        if self.slots.len() >= MOST || self.text >= MOST_TEXT {
            strange.full |= !std::mem::replace(&mut self.is_full, true);
            return None;
        }
        let node = Node { id, ..Node::default() };
        let slot = match self.free.pop() {
            Some(slot) => {
                *self.node_mut(slot)? = node;
                slot
            }
            None => {
                if self.nodes.len() == self.nodes.capacity() {
                    self.nodes.reserve_exact((self.nodes.len() / 8).max(FEW_NODES));
                }
                self.nodes.push(node);
                u32::try_from(self.nodes.len()).ok().and_then(Slot::new)?
            }
        };
        self.slots.insert(id, slot);
        Some(slot)
    }

    /// The one allocation that stands for a name.
    fn name(&mut self, name: &str) -> Name {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        if self.names.len() >= self.names_most.max(FEW_NAMES) {
            let text = &mut self.text;
            self.names.retain(|name| {
                let is_used = Arc::strong_count(&name.0) > 1;
                *text = text.saturating_sub(if is_used { 0 } else { name.len() });
                is_used
            });
            self.names_most = 2 * self.names.len();
        }
        let name = Name(Arc::new(name.into()));
        self.text += name.len();
        self.names.insert(name.clone());
        name
    }

    /// A value was sent.
    pub(super) fn set(&mut self, id: u32, value: Scalar) -> Told {
        let mut told = Told::default();
        let Some(slot) = self.open(id, &mut told.strange) else { return told };
        told.is_new = !self.is_sent(slot);
        let mut change = Change::from(self.children(slot));
        self.below(slot).for_each(|child| self.call(child, &mut change.removed));
        told.change = change.to(0);
        self.let_children_go(slot);
        let same = matches!(self.node(slot), Some(Node { kept: Kept::Scalar(before), .. }) if before.equals(&value));
        if same {
            return told;
        }
        self.text += value.text();
        if let Some(node) = self.node_mut(slot)
            && let Kept::Scalar(before) = std::mem::replace(&mut node.kept, Kept::Scalar(value))
        {
            self.text = self.text.saturating_sub(before.text());
            told.before = Some(before);
        }
        told
    }

    /// A list was sent: it replaces the former one.
    pub(super) fn list(&mut self, id: u32, refs: &[u32]) -> Told {
        let mut told = Told::default();
        let Some(slot) = self.become_parent(id, Kept::List, &mut told) else { return told };
        let before: Vec<Slot> = self.below(slot).collect();
        let mut change = Change::from(before.len());
        if !before.is_empty() {
            let stays: HashSet<u32, RandomState> = refs.iter().copied().collect();
            let goes = |child: &Slot| self.node(*child).is_some_and(|node| !stays.contains(&node.id));
            before.iter().copied().filter(goes).for_each(|child| self.call(child, &mut change.removed));
            self.let_children_go(slot);
        }
        let above = self.above(slot);
        for (index, child) in (0..).zip(refs) {
            self.adopt(slot, &above, *child, Step::Index(index), &mut told.strange);
        }
        if !told.is_new {
            let was: HashSet<Slot, RandomState> = before.iter().copied().collect();
            self.below(slot).filter(|child| !was.contains(child)).for_each(|child| self.call(child, &mut change.added));
            change.moved = !self.below(slot).eq(before);
            told.change = change.to(self.children(slot));
        }
        told
    }

    /// A change of a dict was sent. Members that it does not mention stay; what is both taken out and put in stays too.
    pub(super) fn dict<'n>(&mut self, id: u32, inserted: impl Iterator<Item = (u32, &'n [u8])> + Clone, removed: &[u32]) -> Told {
        let mut told = Told::default();
        let Some(slot) = self.become_parent(id, Kept::Dict, &mut told) else { return told };
        let mut change = Change::from(self.children(slot));
        if matches!(self.first(slot).and_then(|child| self.node(child)), Some(Node { step: Step::Index(_), .. })) {
            self.below(slot).for_each(|child| self.call(child, &mut change.removed));
            self.let_children_go(slot);
        }
        let mut gone = Vec::new();
        if !removed.is_empty() {
            let stays: HashSet<u32, RandomState> = inserted.clone().map(|(child, _)| child).collect();
            for child in removed {
                gone.extend(self.remove(slot, *child, stays.contains(child), &mut told.strange));
            }
        }
        let mut free: HashSet<usize, RandomState> = gone.iter().map(address).collect();
        let above = self.above(slot);
        for (child, name) in inserted {
            let name = self.name(&String::from_utf8_lossy(name));
            let place = (slot, address(&name));
            let former = if told.is_new { None } else { self.members.get(&place).copied() };
            self.adopt(slot, &above, child, Step::Name(name.clone()), &mut told.strange);
            if !told.is_new && self.members.get(&place).copied() != former {
                let is_another = former.is_some() || free.remove(&address(&name));
                (if is_another { &mut change.replaced } else { &mut change.added }).put(&name);
            }
        }
        if !told.is_new {
            gone.iter().filter(|name| free.contains(&address(name))).for_each(|name| change.removed.put(name));
            told.change = change.to(self.children(slot));
        }
        told
    }

    /// The node that a list or a dict was sent for.
    fn become_parent(&mut self, id: u32, kept: Kept, told: &mut Told) -> Option<Slot> {
        let slot = self.open(id, &mut told.strange)?;
        told.is_new = !self.is_sent(slot);
        let was = std::mem::replace(&mut self.node_mut(slot)?.kept, kept);
        if let Kept::Scalar(value) = was {
            self.text = self.text.saturating_sub(value.text());
            told.before = Some(value);
        }
        Some(slot)
    }

    /// Take a member out, unless it stays. Its name, if it was one.
    fn remove(&mut self, dict: Slot, id: u32, stays: bool, strange: &mut Strange) -> Option<Name> {
        if stays {
            one_more(&mut strange.both, id);
            return None;
        }
        let Some(child) = self.slot(id) else {
            one_more(&mut strange.unknown, id);
            return None;
        };
        let Node { parent, step, .. } = self.node(child)?;
        let name = if let Step::Name(name) = step { Some(name.clone()) } else { None };
        if *parent != Some(dict) {
            return None;
        }
        self.let_go(child);
        name
    }

    /// Put down how a parent calls its child: by its name, in a list by its number.
    fn call(&self, child: Slot, names: &mut change::Names) {
        match self.node(child) {
            Some(Node { step: Step::Name(name), .. }) => names.put(name),
            Some(node) => names.put_id(node.id),
            None => {}
        }
    }

    fn children(&self, slot: Slot) -> usize {
        self.node(slot).map_or(0, |node| node.children as usize)
    }

    fn first(&self, slot: Slot) -> Option<Slot> {
        self.node(slot)?.first
    }

    /// A node and its parents, as far as a path goes.
    fn above(&self, slot: Slot) -> Vec<Slot> {
        std::iter::successors(Some(slot), |slot| self.parent(*slot)).take(STEPS + 1).collect()
    }

    /// Hang a child below a node whose parents are known. What hung there under the same name is let go.
    fn adopt(&mut self, parent: Slot, above: &[Slot], id: u32, step: Step, strange: &mut Strange) {
        let Some(child) = self.open(id, strange) else { return };
        if !self.is_sent(child) {
            one_more(&mut strange.unknown, id);
        }
        if id == ROOT || above.len() > STEPS || above.contains(&child) {
            return one_more(&mut strange.looped, id);
        }
        if let Step::Name(name) = &step {
            match self.members.insert((parent, address(name)), child) {
                Some(same) if same == child => return,
                Some(former) => {
                    // The place is the new one's already.
                    self.unlink(former);
                    self.loose.push(former);
                }
                None => {}
            }
        }
        if self.parent(child).is_some() {
            one_more(&mut strange.second, id);
            self.forget_member(child);
            self.unlink(child);
        }
        let last = self.node(parent).and_then(|node| node.last);
        if let Some(node) = self.node_mut(child) {
            (node.parent, node.step, node.before, node.behind) = (Some(parent), step, last, None);
        }
        match last.and_then(|last| self.node_mut(last)) {
            Some(last) => last.behind = Some(child),
            None => self.set_first(parent, Some(child)),
        }
        if let Some(node) = self.node_mut(parent) {
            node.last = Some(child);
            node.children += 1;
        }
    }

    fn set_first(&mut self, parent: Slot, first: Option<Slot>) {
        if let Some(node) = self.node_mut(parent) {
            node.first = first;
        }
    }

    /// Take a node out of its parent. Unless it finds another one until the message ends, it is dropped.
    fn let_go(&mut self, child: Slot) {
        self.forget_member(child);
        self.unlink(child);
        self.loose.push(child);
    }

    fn let_children_go(&mut self, parent: Slot) {
        while let Some(child) = self.first(parent) {
            self.let_go(child);
        }
    }

    fn forget_member(&mut self, child: Slot) {
        let Some(Node { parent: Some(parent), step: Step::Name(name), .. }) = self.node(child) else { return };
        let key = (*parent, address(name));
        if self.members.get(&key) == Some(&child) {
            self.members.remove(&key);
        }
    }

    fn unlink(&mut self, child: Slot) {
        let Some(node) = self.node_mut(child) else { return };
        let Some(parent) = node.parent.take() else { return };
        let (before, behind) = (node.before.take(), node.behind.take());
        node.step = Step::None;
        if let Some(parent) = self.node_mut(parent) {
            parent.children = parent.children.saturating_sub(1);
        }
        match before.and_then(|before| self.node_mut(before)) {
            Some(before) => before.behind = behind,
            None => self.set_first(parent, behind),
        }
        match behind.and_then(|behind| self.node_mut(behind)) {
            Some(behind) => behind.before = before,
            None => {
                if let Some(parent) = self.node_mut(parent) {
                    parent.last = before;
                }
            }
        }
    }

    /// The message ends: what lost its parent and found no other is gone, and all below it.
    pub(super) fn settle(&mut self) {
        while let Some(slot) = self.loose.pop() {
            let Some(node) = self.node(slot).filter(|node| node.parent.is_none()) else { continue };
            if self.slot(node.id) != Some(slot) {
                continue;
            }
            let id = node.id;
            self.let_children_go(slot);
            self.slots.remove(&id);
            let node = self.node_mut(slot).map(std::mem::take);
            if let Some(Node { kept: Kept::Scalar(value), .. }) = node {
                self.text = self.text.saturating_sub(value.text());
            }
            self.free.push(slot);
        }
        self.loose.shrink_to(FEW_NAMES);
    }

    /// Where a value lies.
    pub(super) fn path(&self, id: u32) -> Path<'_> {
        Path { world: self, id }
    }

    /// The member of the root that a value lies in.
    pub(super) fn top(&self, id: u32) -> Option<u32> {
        let root = self.slot(ROOT);
        let mut slots = std::iter::successors(self.slot(id), |slot| self.parent(*slot)).take(STEPS + 1);
        let top = slots.find(|slot| root.is_some() && self.parent(*slot) == root)?;
        self.node(top).map(|node| node.id)
    }

    /// The members of the root, in the order in which they came: number and name.
    pub(super) fn tops(&self) -> impl Iterator<Item = (u32, &str)> {
        self.slot(ROOT).into_iter().flat_map(|root| self.below(root)).filter_map(|slot| match self.node(slot) {
            Some(Node { id, step: Step::Name(name), .. }) => Some((*id, &**name)),
            _ => None,
        })
    }

    fn below(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        std::iter::successors(self.first(slot), |slot| self.node(*slot)?.behind)
    }
}

/// Equal names have equal addresses.
fn address(name: &Name) -> usize {
    name.as_ptr().addr()
}

/// Where a value lies: `Inventory.43[0].text`. Empty for the root; from the highest known number on where the parents do
/// not lead to the root: `#22260.frequency`.
pub(super) struct Path<'w> {
    world: &'w World,
    id: u32,
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let world = self.world;
        let mut climbed = [None; STEPS];
        let mut count = 0;
        let mut top = world.slot(self.id);
        for place in &mut climbed {
            let Some((slot, parent)) = top.and_then(|slot| Some((slot, world.parent(slot)?))) else { break };
            (*place, top) = (Some(slot), Some(parent));
            count += 1;
        }
        let highest = top.and_then(|top| world.node(top)).map_or(self.id, |node| node.id);
        let mut between = "";
        if highest != ROOT {
            write!(f, "#{highest}")?;
            between = ".";
        }
        for slot in climbed.iter().take(count).rev().flatten() {
            match world.node(*slot).map(|node| &node.step) {
                Some(Step::Name(name)) => {
                    f.write_str(between)?;
                    f.write_str(name)?;
                }
                Some(Step::Index(index)) => write!(f, "[{index}]")?,
                Some(Step::None) | None => {}
            }
            between = ".";
        }
        let has_more = top.is_some_and(|top| world.parent(top).is_some());
        if has_more { f.write_str("...") } else { Ok(()) }
    }
}
