//! Memory of a tree and its reuse between frames.

use super::layer::FrameInfo;
use super::span::Held;
use super::{Bits, Ends, Gap, Label, Layer, Node, Note, Origin, Piece, Source, Span, Tree, Unkept};

/// Amount of memory kept between frames.
#[derive(Clone, Copy)]
struct Capacity {
    nodes: usize,
    /// Layers, pieces and similar lists.
    layers: usize,
    /// Bytes of reassembled messages and of text.
    bytes: usize,
}

const KEPT: Capacity = Capacity { nodes: 1 << 18, layers: 1 << 12, bytes: 4 << 20 };
/// The same after a long time without need of more.
const IDLE: Capacity = Capacity { nodes: 1 << 15, layers: 1 << 12, bytes: 1 << 19 };
const LITTLE: Capacity = Capacity { nodes: 64, layers: 8, bytes: 1 << 10 };

/// Number of frames after which unused memory is freed. In captures with many long messages, the next one comes sooner.
const LONG: u32 = 1 << 12;

impl Tree {
    /// Clears the tree except for the frame's metadata.
    pub(super) fn clear_for_next(&mut self) {
        if self.has_only_nodes() && self.nodes.len() <= IDLE.nodes && self.buffers.idle != LONG {
            self.buffers.idle = self.buffers.idle.saturating_add(1);
            return self.nodes.clear();
        }
        self.count_idle();
        self.clear(if self.buffers.idle > LONG { IDLE } else { KEPT });
    }

    /// Whether only nodes were added since it began.
    fn has_only_nodes(&self) -> bool {
        let dissected = self.layers.len() + self.notes.len() + self.gaps.len() + self.pieces.len();
        let given = self.outcome.objects.len()
            + self.outcome.transfers.len()
            + self.buffers.text.len()
            + self.buffers.numbers.len()
            + self.buffers.bytes.len();
        let is_new = self.ends.len() == 1 && self.sources.len() == 1;
        is_new
            && self.labels.is_empty()
            && dissected + given + self.hidden.len() + self.bits.len() == 0
            && self.handover.is_empty()
            && self.omitted == 0
            && self.unkept == Unkept::default()
    }

    /// Clears everything, including the frame as a source, so that another tree can be copied here.
    pub(super) fn empty(&mut self) {
        self.clear(KEPT);
        self.ends.clear();
        self.sources.clear();
    }

    /// Drops the last frame, and frees nearly all memory.
    ///
    /// Allocators treat the size of a freed large block as typical, keep such memory, and mix it with long-lived allocations.
    /// Blocks are therefore shrunk instead.
    pub fn forget(&mut self) {
        self.clear(LITTLE);
        self.begin(FrameInfo::default());
    }

    /// Counts a frame, by whether it needed much memory.
    fn count_idle(&mut self) {
        let nodes = self.nodes.len().max(self.hidden.len());
        let needs_much = nodes > IDLE.nodes || self.buffers.text.len().max(self.buffers.bytes.len()) > IDLE.bytes;
        self.buffers.idle = if needs_much { 0 } else { self.buffers.idle.saturating_add(1) };
    }

    #[inline(never)]
    fn clear(&mut self, kept: Capacity) {
        empty(&mut self.nodes, kept.nodes);
        empty(&mut self.layers, kept.layers);
        empty(&mut self.notes, kept.layers);
        empty(&mut self.gaps, kept.layers);
        empty(&mut self.ends, kept.layers);
        self.ends.push(Ends::default());
        empty(&mut self.sources, kept.layers);
        self.sources.push(Source { origin: Origin::Frame, base: 0, pieces: 0..0, held: Held::Frame(0) });
        empty(&mut self.pieces, kept.layers);
        empty(&mut self.labels, kept.layers);
        self.handover.clear();
        self.outcome.objects.clear();
        self.outcome.transfers.clear();
        empty(&mut self.hidden, kept.nodes);
        empty(&mut self.bits, kept.nodes);
        self.buffers.text.clear();
        self.buffers.text.shrink_to(kept.bytes);
        empty(&mut self.buffers.numbers, kept.layers);
        empty(&mut self.buffers.bytes, kept.bytes);
        self.buffers.captions.clear();
        self.omitted = 0;
        self.unkept = Unkept::default();
        self.by_node.take();
        self.derived = 0;
    }

    /// Bytes of allocated memory.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.layers.capacity() * size_of::<Layer>()
            + self.notes.capacity() * size_of::<Note>()
            + self.sources.capacity() * size_of::<Source>()
            + self.pieces.capacity() * size_of::<Piece>()
            + self.labels.capacity() * size_of::<(u32, Label)>()
            + self.gaps.capacity() * size_of::<Gap>()
            + self.ends.capacity() * size_of::<Ends>()
            + self.hidden.capacity() * size_of::<Span>()
            + self.bits.capacity() * size_of::<(u32, Bits)>()
            + self.buffers.text.capacity()
            + self.buffers.numbers.capacity() * size_of::<u64>()
            + self.buffers.bytes.capacity()
            + self.buffers.captions.memory_usage()
    }

    /// Bytes of memory in use, without short lists.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.layers.as_slice())
            + size_of_val(self.notes.as_slice())
            + size_of_val(self.gaps.as_slice())
            + size_of_val(self.sources.as_slice())
            + size_of_val(self.pieces.as_slice())
            + size_of_val(self.labels.as_slice())
            + size_of_val(self.ends.as_slice())
            + size_of_val(self.hidden.as_slice())
            + size_of_val(self.bits.as_slice())
            + self.buffers.bytes.len()
            + self.buffers.text.len()
    }
}

/// Clears a list, and shrinks it to this capacity.
fn empty<T>(list: &mut Vec<T>, kept: usize) {
    list.clear();
    list.shrink_to(kept);
}
