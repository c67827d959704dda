//! Dissected frames on their way from the thread that reads them to whoever looks at them.

use crate::engine::Engine;
use crate::input::Frame;
use crate::record::{Forgotten, Tally};
use crate::tree::{Dissection, FrameInfo, Tree, Want};
use std::ops::Range;

/// Frames of a batch at most of which something may be told, and with those of which nothing is.
const FRAMES: usize = 128;
const MANY: usize = 1024;

/// What a batch weighs at most before it travels: bytes of frames and trees.
const WEIGHT: usize = 128 << 10;

/// What makes a batch heavy: its last frame alone has more than several batches should.
const HEAVY: usize = 4 * WEIGHT;

/// What it weighs at most if a text of it is to be kept in memory.
const LIGHT: usize = 2 * WEIGHT;

/// Bytes of a tree that is handed over with the memory it is in; others are copied.
const LARGE: usize = 32 << 10;

/// Bytes of memory that the small trees of a batch keep for the next frames, and that large ones that have come back do.
const KEPT: usize = 256 << 10;
const KEPT_LARGE: usize = 2 << 20;

/// A tree that takes no larger a part of its memory than one in so many is copied, so that the memory stays for larger ones.
const PART: usize = 8;

/// Dissected frames.
#[derive(Default)]
pub(super) struct Batch {
    /// As many as ever were needed; the first of them are in use.
    trees: Vec<Tree>,
    taken: usize,
    used: Vec<Used>,
    bytes: Vec<u8>,
    weight: usize,
    /// What the input had before them, if somebody counted.
    pub(super) before: Option<Tally>,
    /// Bytes of the input that were read by its end.
    pub(super) read: u64,
}

/// A frame of a batch, or what a conversation had left when the input ended.
pub(super) struct Used {
    pub(super) captured: bool,
    /// What holds it.
    held: Held,
    /// What was given up until then.
    pub(super) forgotten: Forgotten,
}

/// What is handed over of a frame.
enum Held {
    /// The next tree of the batch, and these bytes.
    Tree(Range<usize>),
    /// Which one it is: it says nothing that would be looked at.
    Frame(FrameInfo),
}

impl Batch {
    /// Forget what it held. The memory of small trees stays, that of large ones can be used for any.
    pub(super) fn clear(&mut self, large: &mut Large) {
        let (mut at, mut kept) = (0, 0);
        while let Some(tree) = self.trees.get_mut(at) {
            let room = tree.room();
            if room > LARGE {
                large.keep(self.trees.swap_remove(at));
                continue;
            }
            kept += room;
            if kept > KEPT {
                kept -= room;
                tree.forget();
            }
            at += 1;
        }
        self.used.clear();
        self.taken = 0;
        self.bytes.clear();
        self.weight = 0;
    }

    /// Take what was just dissected, if anything may be told of it.
    pub(super) fn take(&mut self, engine: &mut Engine, frame: Option<&Frame<'_>>, large: &mut Large) {
        let held = match engine.silent() {
            Some(frame) => Held::Frame(frame),
            None => Held::Tree(self.take_tree(engine, frame.map(|frame| frame.bytes), large)),
        };
        self.used.push(Used { captured: frame.is_some(), held, forgotten: engine.forgotten() });
    }

    fn take_tree(&mut self, engine: &mut Engine, frame: Option<&[u8]>, large: &mut Large) -> Range<usize> {
        let is_large = engine.tree_size() > LARGE;
        if is_large || self.trees.len() <= self.taken {
            let tree = if is_large { large.next() } else { None };
            self.trees.insert(self.taken, tree.unwrap_or_else(|| engine.another_tree()));
        }
        let mut unseen = false;
        if let Some(tree) = self.trees.get_mut(self.taken) {
            engine.give_tree(tree, is_large && engine.tree_size() >= engine.tree_room() / PART);
            self.weight += tree.size();
            unseen = tree.unseen && tree.seen_from == u32::MAX;
        }
        self.taken += 1;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(frame.filter(|_| !unseen).unwrap_or_default());
        self.weight += self.bytes.len() - start;
        start..self.bytes.len()
    }

    /// Whether it should travel.
    pub(super) fn is_full(&self) -> bool {
        self.taken >= FRAMES || self.used.len() >= MANY || self.weight >= WEIGHT
    }

    /// Whether there is memory for only one like it.
    pub(super) fn is_heavy(&self) -> bool {
        self.weight >= HEAVY
    }

    /// Whether a text of it can be kept in memory.
    pub(super) fn is_light(&self) -> bool {
        self.weight < LIGHT
    }

    /// Look at its frames in order, until `look` fails.
    pub(super) fn each<E>(&self, mut look: impl FnMut(Dissection<'_>, &Used) -> Result<(), E>) -> Result<(), E> {
        let mut silent = Tree::new(Want::LAYERS);
        let mut trees = self.trees.iter();
        for used in &self.used {
            let of = match &used.held {
                Held::Tree(bytes) => trees.next().map(|tree| (tree, self.bytes.get(bytes.clone()).unwrap_or_default())),
                Held::Frame(frame) => {
                    silent.begin(*frame);
                    Some((&silent, [].as_slice()))
                }
            };
            let Some((tree, bytes)) = of else { break };
            look(Dissection { tree, bytes }, used)?;
        }
        Ok(())
    }
}

/// Large trees that have come back, for the memory they are in.
#[derive(Default)]
pub(super) struct Large {
    trees: Vec<Tree>,
    room: usize,
    /// The one with the most memory of those that have too much to be kept beside others.
    largest: Option<Tree>,
}

impl Large {
    fn keep(&mut self, tree: Tree) {
        if self.room + tree.room() <= KEPT_LARGE {
            self.room += tree.room();
            self.trees.push(tree);
            return;
        }
        let is_larger = self.largest.as_ref().is_none_or(|largest| largest.room() < tree.room());
        let other = if is_larger { self.largest.replace(tree) } else { Some(tree) };
        other.into_iter().for_each(|mut tree| tree.forget());
    }

    /// Let the engine have the largest, if that is larger than its own: who reads has the memory for the largest message so far,
    /// as where one thread does all.
    pub(super) fn give_largest(&mut self, engine: &mut Engine) {
        let Some(mut tree) = self.largest.take() else { return };
        if tree.room() > engine.tree_room() {
            engine.give_tree(&mut tree, true);
        }
        tree.forget();
    }

    fn next(&mut self) -> Option<Tree> {
        let tree = self.trees.pop()?;
        self.room -= tree.room();
        Some(tree)
    }
}
