//! Small trees in sequence, sent to another thread: their content is in a few long lists instead of many short ones, so that
//! memory use is close to the size of the content.

use super::{FrameInfo, Outcome, Tree, Unkept};
use std::ops::Range;

/// Trees in order. Exportable objects, counters and announcements are not kept.
#[derive(Debug)]
pub struct Pack {
    /// The concatenated lists of all trees.
    all: Box<Tree>,
    each: Vec<One>,
    /// Number of trees taken out.
    taken: usize,
}

/// The parts of a tree other than lists, and its end in the concatenated lists.
#[derive(Debug)]
struct One {
    frame: FrameInfo,
    outcome: Outcome,
    omitted: u64,
    unkept: Unkept,
    derived: u32,
    ends: Marks,
}

/// An index in each list.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    nodes: usize,
    layers: usize,
    notes: usize,
    gaps: usize,
    ends: usize,
    sources: usize,
    pieces: usize,
    labels: usize,
    hidden: usize,
    bits: usize,
    generated: usize,
    numbers: usize,
    joined: usize,
}

impl Marks {
    fn behind(tree: &Tree) -> Marks {
        Marks {
            nodes: tree.nodes.len(),
            layers: tree.layers.len(),
            notes: tree.notes.len(),
            gaps: tree.gaps.len(),
            ends: tree.ends.len(),
            sources: tree.sources.len(),
            pieces: tree.pieces.len(),
            labels: tree.labels.len(),
            hidden: tree.hidden.len(),
            bits: tree.bits.len(),
            generated: tree.buffers.text.len(),
            numbers: tree.buffers.numbers.len(),
            joined: tree.buffers.bytes.len(),
        }
    }
}

impl Pack {
    /// Creates an empty pack for trees like this empty one.
    #[must_use]
    pub fn of(mut like: Tree) -> Pack {
        like.empty();
        Pack { all: Box::new(like), each: Vec::new(), taken: 0 }
    }

    /// Appends a tree. It must begin a new frame before its next use.
    pub fn put(&mut self, tree: &mut Tree) {
        let all = &mut self.all;
        all.nodes.extend_from_slice(&tree.nodes);
        all.layers.extend_from_slice(&tree.layers);
        all.notes.extend_from_slice(&tree.notes);
        all.gaps.extend_from_slice(&tree.gaps);
        all.ends.append(&mut tree.ends);
        all.sources.extend_from_slice(&tree.sources);
        all.pieces.extend_from_slice(&tree.pieces);
        all.labels.extend_from_slice(&tree.labels);
        all.hidden.extend_from_slice(&tree.hidden);
        all.bits.extend_from_slice(&tree.bits);
        all.buffers.text.push_str(&tree.buffers.text);
        all.buffers.numbers.extend_from_slice(&tree.buffers.numbers);
        all.buffers.bytes.extend_from_slice(&tree.buffers.bytes);
        let &mut Tree { frame, ref outcome, omitted, unkept, derived, .. } = tree;
        let (outcome, ends) = (outcome.without_lists(), Marks::behind(all));
        self.each.push(One { frame, outcome, omitted, unkept, derived, ends });
    }

    /// Copies the next tree into one like it, after taking back what the previous one had borrowed. Returns false if there is
    /// none.
    pub fn take(&mut self, to: &mut Tree) -> bool {
        self.have_back(to);
        let Some(one) = self.each.get(self.taken) else { return false };
        let (from, end, all) = (self.marks(self.taken), one.ends, &mut self.all);
        refill(&mut to.nodes, &all.nodes, from.nodes..end.nodes);
        refill(&mut to.layers, &all.layers, from.layers..end.layers);
        refill(&mut to.notes, &all.notes, from.notes..end.notes);
        refill(&mut to.gaps, &all.gaps, from.gaps..end.gaps);
        refill(&mut to.sources, &all.sources, from.sources..end.sources);
        refill(&mut to.pieces, &all.pieces, from.pieces..end.pieces);
        refill(&mut to.labels, &all.labels, from.labels..end.labels);
        refill(&mut to.hidden, &all.hidden, from.hidden..end.hidden);
        refill(&mut to.bits, &all.bits, from.bits..end.bits);
        refill(&mut to.buffers.numbers, &all.buffers.numbers, from.numbers..end.numbers);
        refill(&mut to.buffers.bytes, &all.buffers.bytes, from.joined..end.joined);
        to.buffers.text.clear();
        to.buffers.text.push_str(all.buffers.text.get(from.generated..end.generated).unwrap_or_default());
        // Endpoints are lent: reference counts of copies would be shared by two threads.
        to.ends.clear();
        to.ends.extend(all.ends.get_mut(from.ends..end.ends).unwrap_or_default().iter_mut().map(std::mem::take));
        (to.frame, to.outcome) = (one.frame, one.outcome.without_lists());
        (to.omitted, to.unkept, to.derived) = (one.omitted, one.unkept, one.derived);
        to.by_node.take();
        self.taken += 1;
        true
    }

    /// The start of a tree in the lists.
    fn marks(&self, at: usize) -> Marks {
        at.checked_sub(1).and_then(|before| self.each.get(before)).map(|one| one.ends).unwrap_or_default()
    }

    /// Takes back what the last tree had borrowed.
    fn have_back(&mut self, from: &mut Tree) {
        let Some(last) = self.taken.checked_sub(1) else { return };
        let first = self.marks(last).ends;
        let lent = self.all.ends.iter_mut().skip(first);
        lent.zip(from.ends.drain(..)).for_each(|(place, ends)| *place = ends);
    }

    /// Takes back what the last tree had borrowed, and continues with the first tree.
    pub fn rewind(&mut self, from: &mut Tree) {
        self.have_back(from);
        self.taken = 0;
    }

    /// Drops all trees, and keeps at most this many bytes of memory.
    pub fn clear(&mut self, kept: usize) {
        self.all.empty();
        self.each.clear();
        self.taken = 0;
        if self.memory_usage() > kept {
            self.all.forget();
            self.all.empty();
            self.each.shrink_to(1);
        }
    }

    /// Bytes of allocated memory.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.all.memory_usage() + self.each.capacity() * size_of::<One>()
    }
}

fn refill<T: Clone>(to: &mut Vec<T>, all: &[T], range: Range<usize>) {
    to.clear();
    to.extend_from_slice(all.get(range).unwrap_or_default());
}
