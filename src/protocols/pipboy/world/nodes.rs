//! Node storage of a value tree, with lookup by ID and, for dict members, by name.
//!
//! Nodes are stored in pages, so growth does not move them, and slots of removed nodes are reused.

use super::interner::Symbol;
use super::texts::StringRange;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::cell::Cell;
use std::hash::BuildHasher;
use std::num::NonZeroU32;

/// Index of a node, counted from 1, so that an optional link takes no extra space.
pub(super) type Slot = NonZeroU32;

/// Nodes per page.
const PAGE: usize = 512;

/// Content of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Kept {
    /// The ID was referenced, but no value was sent.
    #[default]
    Nothing,
    Bool(bool),
    Int(i32),
    Uint(u32),
    Float(f32),
    Text(StringRange),
    List(ChildList),
    Dict(ChildList),
}

/// Children of a list or dict.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChildList {
    first: Option<Slot>,
    count: u32,
}

impl Kept {
    /// Returns the children of a list or dict.
    pub(super) fn below(self) -> Option<ChildList> {
        match self {
            Kept::List(below) | Kept::Dict(below) => Some(below),
            _ => None,
        }
    }
}

/// Step of a path: how a parent refers to its child.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Step {
    #[default]
    None,
    Index(u32),
    Name(Symbol),
}

/// A step in 32 bits: 0 for none, else a flag that distinguishes names from indices, which count from 1.
#[derive(Debug, Clone, Copy, Default)]
struct Packed(u32);

impl Packed {
    const NAME: u32 = 1 << 31;
}

impl From<Step> for Packed {
    fn from(step: Step) -> Packed {
        // Both are limited to fewer than 2³¹.
        Packed(match step {
            Step::None => 0,
            Step::Index(index) => index + 1,
            Step::Name(Symbol(name)) => Packed::NAME | name,
        })
    }
}

impl From<Packed> for Step {
    fn from(Packed(step): Packed) -> Step {
        match step {
            0 => Step::None,
            name if name >= Packed::NAME => Step::Name(Symbol(name & !Packed::NAME)),
            index => Step::Index(index - 1),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) id: u32,
    pub(super) kept: Kept,
    step: Packed,
    pub(super) parent: Option<Slot>,
    /// Previous sibling; for the first one, the last.
    before: Option<Slot>,
    /// Next sibling, or next free slot.
    behind: Option<Slot>,
}

impl Node {
    /// How the parent refers to the node.
    pub(super) fn step(&self) -> Step {
        self.step.into()
    }
}

#[derive(Debug, Default)]
pub(super) struct Nodes {
    pages: Vec<Vec<Node>>,
    /// Head of the free list.
    free: Option<Slot>,
    /// The last node found or created.
    last: Cell<Option<Slot>>,
    /// Nodes in use.
    by_id: HashTable<Slot>,
    /// Dict members.
    by_name: HashTable<Slot>,
    seed: RandomState,
}

fn at(pages: &[Vec<Node>], slot: Slot) -> Option<&Node> {
    let place = slot.get() as usize - 1;
    pages.get(place / PAGE)?.get(place % PAGE)
}

fn at_mut(pages: &mut [Vec<Node>], slot: Slot) -> Option<&mut Node> {
    let place = slot.get() as usize - 1;
    pages.get_mut(place / PAGE)?.get_mut(place % PAGE)
}

/// Stores a node in a free slot, or appends it.
fn put(pages: &mut Vec<Vec<Node>>, free: &mut Option<Slot>, node: Node) -> Option<Slot> {
    if let Some(slot) = *free {
        *free = std::mem::replace(at_mut(pages, slot)?, node).behind;
        return Some(slot);
    }
    if pages.last().is_none_or(|page| page.len() >= PAGE) {
        // The first page grows: most trees stay small.
        let capacity = if pages.is_empty() { 0 } else { PAGE };
        pages.push(Vec::with_capacity(capacity));
    }
    pages.last_mut()?.push(node);
    let count = (pages.len() - 1) * PAGE + pages.last()?.len();
    u32::try_from(count).ok().and_then(Slot::new)
}

fn hash_of_id(pages: &[Vec<Node>], seed: &RandomState, slot: Slot) -> u64 {
    at(pages, slot).map_or(0, |node| seed.hash_one(node.id))
}

fn hash_of_name(pages: &[Vec<Node>], seed: &RandomState, slot: Slot) -> u64 {
    let node = at(pages, slot).and_then(|node| Some((node.parent?, node.step())));
    if let Some((parent, Step::Name(name))) = node { seed.hash_one((parent, name)) } else { 0 }
}

impl Nodes {
    /// Number of slots, in use or free.
    pub(super) fn slot_count(&self) -> usize {
        self.pages.len().saturating_sub(1) * PAGE + self.pages.last().map_or(0, Vec::len)
    }

    pub(super) fn memory_usage(&self) -> usize {
        let behind = self.pages.len().saturating_sub(1) * PAGE;
        (behind + self.pages.last().map_or(0, Vec::capacity)) * size_of::<Node>()
            + self.pages.capacity() * size_of::<Vec<Node>>()
            + self.by_id.allocation_size()
            + self.by_name.allocation_size()
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Finds a node by ID.
    pub(super) fn slot(&self, id: u32) -> Option<Slot> {
        let is_it = |slot: &Slot| self.get(*slot).is_some_and(|node| node.id == id);
        let slot = self.next(id).or_else(|| self.by_id.find(self.seed.hash_one(id), is_it).copied())?;
        self.last.set(Some(slot));
        Some(slot)
    }

    /// Returns the node after the last one accessed if it has this ID. Games send neighbors consecutively, so this usually saves
    /// a hash lookup.
    fn next(&self, id: u32) -> Option<Slot> {
        let next = self.last.get()?.checked_add(1)?;
        // Free slots have the root's ID.
        (id > 0 && self.get(next)?.id == id).then_some(next)
    }

    /// Reserves memory for this many more nodes, some of them named.
    pub(super) fn expect(&mut self, more: usize) {
        let (pages, seed) = (&self.pages, &self.seed);
        self.by_id.reserve(more, |slot| hash_of_id(pages, seed, *slot));
        self.by_name.reserve(more / 4, |slot| hash_of_name(pages, seed, *slot));
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.by_id.iter().copied()
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&Node> {
        at(&self.pages, slot)
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut Node> {
        at_mut(&mut self.pages, slot)
    }

    /// Text locations of all nodes.
    pub(super) fn texts(&mut self) -> impl Iterator<Item = &mut StringRange> {
        self.pages.iter_mut().flatten().filter_map(|node| match &mut node.kept {
            Kept::Text(place) => Some(place),
            _ => None,
        })
    }

    /// Returns the node with this ID, created if needed. `None` if the index would overflow.
    pub(super) fn open(&mut self, id: u32) -> Option<Slot> {
        let slot = match self.next(id) {
            Some(next) => next,
            None => self.find_or_make(id)?,
        };
        self.last.set(Some(slot));
        Some(slot)
    }

    fn find_or_make(&mut self, id: u32) -> Option<Slot> {
        let Nodes { pages, free, by_id, seed, .. } = self;
        let is_it = |slot: &Slot| at(pages, *slot).is_some_and(|node| node.id == id);
        match by_id.entry(seed.hash_one(id), is_it, |slot| hash_of_id(pages, seed, *slot)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(place) => {
                let slot = put(pages, free, Node { id, ..Node::default() })?;
                place.insert(slot);
                Some(slot)
            }
        }
    }

    /// Frees an unlinked node without children and returns it.
    pub(super) fn remove(&mut self, slot: Slot) -> Option<Node> {
        let id = self.get(slot)?.id;
        self.by_id.find_entry(self.seed.hash_one(id), |known| *known == slot).ok()?.remove();
        let unused = Node { behind: self.free, ..Node::default() };
        self.free = Some(slot);
        self.get_mut(slot).map(|node| std::mem::replace(node, unused))
    }

    /// Finds a dict member by name.
    pub(super) fn member(&self, dict: Slot, name: Symbol) -> Option<Slot> {
        let step = Packed::from(Step::Name(name)).0;
        let is_it = |slot: &Slot| self.get(*slot).is_some_and(|node| node.parent == Some(dict) && node.step.0 == step);
        self.by_name.find(self.seed.hash_one((dict, name)), is_it).copied()
    }

    /// Appends an unlinked node to the children of a parent, which has no member of the same name.
    pub(super) fn link(&mut self, parent: Slot, child: Slot, step: Step) {
        let Some(below) = self.below_mut(parent) else { return };
        below.count += 1;
        let first = *below.first.get_or_insert(child);
        let last = if first == child { child } else { self.replace_before(first, child).unwrap_or(first) };
        if let Some(last) = self.get_mut(last) {
            last.behind = Some(child);
        }
        if let Some(node) = self.get_mut(child) {
            (node.parent, node.step, node.before, node.behind) = (Some(parent), step.into(), Some(last), None);
        }
        if let Step::Name(name) = step {
            let hash = |slot: &Slot| hash_of_name(&self.pages, &self.seed, *slot);
            self.by_name.insert_unique(self.seed.hash_one((parent, name)), child, hash);
        }
    }

    /// Unlinks a node from its parent. Returns its former step.
    pub(super) fn unlink(&mut self, child: Slot) -> Step {
        let Some(node) = self.get_mut(child) else { return Step::None };
        let Some(parent) = node.parent.take() else { return Step::None };
        let (before, behind) = (node.before.take(), node.behind.take());
        let step = std::mem::take(&mut node.step).into();
        if let Step::Name(name) = step
            && let Ok(entry) = self.by_name.find_entry(self.seed.hash_one((parent, name)), |other| *other == child)
        {
            entry.remove();
        }
        let first = self.first(parent);
        if let Some(below) = self.below_mut(parent) {
            below.count = below.count.saturating_sub(1);
            if first == Some(child) {
                below.first = behind;
            }
        }
        if first != Some(child)
            && let Some(before) = before.and_then(|before| self.get_mut(before))
        {
            before.behind = behind;
        }
        if let (Some(next), Some(before)) = (behind.or_else(|| self.first(parent)), before) {
            self.replace_before(next, before);
        }
        step
    }

    fn replace_before(&mut self, slot: Slot, before: Slot) -> Option<Slot> {
        self.get_mut(slot)?.before.replace(before)
    }

    fn below_mut(&mut self, slot: Slot) -> Option<&mut ChildList> {
        match &mut self.get_mut(slot)?.kept {
            Kept::List(below) | Kept::Dict(below) => Some(below),
            _ => None,
        }
    }

    pub(super) fn children(&self, slot: Slot) -> usize {
        self.get(slot).and_then(|node| node.kept.below()).map_or(0, |below| below.count as usize)
    }

    pub(super) fn first(&self, slot: Slot) -> Option<Slot> {
        self.get(slot)?.kept.below()?.first
    }

    #[cfg(test)]
    pub(super) fn last(&self, slot: Slot) -> Option<Slot> {
        self.get(self.first(slot)?)?.before
    }

    pub(super) fn parent(&self, slot: Slot) -> Option<Slot> {
        self.get(slot)?.parent
    }

    pub(super) fn below(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        std::iter::successors(self.first(slot), |slot| self.get(*slot)?.behind)
    }

    /// Number of free slots, and of named nodes.
    #[cfg(test)]
    pub(super) fn unused_and_named(&self) -> (usize, usize) {
        let capacity: usize = self.pages.iter().map(Vec::len).sum();
        let unused = std::iter::successors(self.free, |slot| self.get(*slot)?.behind).count();
        assert_eq!(capacity, unused + self.len());
        (unused, self.by_name.len())
    }
}
