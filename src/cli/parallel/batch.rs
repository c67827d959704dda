//! Batches of dissected frames, sent from the reading thread to the consumer.

use crate::engine::Engine;
use crate::input::Frame;
use crate::record::{Evictions, Tally};
use crate::tree::{Demand, Dissection, FrameInfo, Pack, Tree};
use std::ops::Range;

/// Maximum number of frames with output in a batch.
const FRAMES: usize = 128;
/// Maximum number of frames in a batch.
const MANY: usize = 512;

/// Bytes of frames and trees after which a batch is sent.
const WEIGHT: usize = 128 << 10;

/// Bytes above which a batch is heavy.
const HEAVY: usize = 4 * WEIGHT;

/// Maximum bytes of a batch whose text may be kept in memory.
const LIGHT: usize = 2 * WEIGHT;

/// Bytes above which a tree is moved; smaller trees are packed.
const LARGE: usize = 64 << 10;

/// Bytes of memory kept for reuse: for small trees, for frames, and for returned large trees.
const KEPT: usize = 512 << 10;
const KEPT_LARGE: usize = 2 << 20;

/// A tree that uses at most 1/`PART` of its memory is copied, so that the memory stays available for larger trees.
const PART: usize = 8;

/// Dissected frames.
pub(super) struct Batch {
    /// Small trees.
    small: Pack,
    /// Large trees.
    large: Vec<Tree>,
    /// Number of small and large trees.
    trees: usize,
    used: Vec<Used>,
    bytes: Vec<u8>,
    weight: usize,
    /// Counts before the batch, if needed.
    pub(super) before: Option<Tally>,
    /// Bytes of the input read by its end.
    pub(super) read: u64,
}

/// A frame of a batch, or pending data of a conversation at the end of the input.
pub(super) struct Used {
    pub(super) captured: bool,
    /// Content.
    content: Content,
    /// State evicted up to here.
    pub(super) evictions: Evictions,
}

/// Content of a frame in a batch.
enum Content {
    /// The next small tree of the batch, and these bytes.
    Small(Range<usize>),
    /// The next large one, and these bytes.
    Large(Range<usize>),
    /// A frame without requested content.
    Frame(FrameInfo),
}

impl Batch {
    /// Creates a batch for the trees of this engine.
    pub(super) fn new(engine: &Engine) -> Batch {
        let small = Pack::of(engine.new_tree());
        Batch { small, large: Vec::new(), trees: 0, used: Vec::new(), bytes: Vec::new(), weight: 0, before: None, read: 0 }
    }

    /// Clears the batch. The memory of large trees is returned for reuse.
    pub(super) fn clear(&mut self, large: &mut Large) {
        self.small.clear(KEPT);
        self.large.drain(..).for_each(|tree| large.keep(tree));
        self.before = None;
        self.trees = 0;
        self.used.clear();
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
        self.weight = 0;
    }

    /// Takes the last dissected frame, or only its number if it has no requested content.
    pub(super) fn take(&mut self, engine: &mut Engine, frame: Option<&Frame<'_>>, large: &mut Large) {
        let content = match engine.silent() {
            Some(frame) => Content::Frame(frame),
            None => self.take_tree(engine, frame.map(|frame| frame.bytes), large),
        };
        self.used.push(Used { captured: frame.is_some(), content, evictions: engine.evictions() });
    }

    fn take_tree(&mut self, engine: &mut Engine, frame: Option<&[u8]>, large: &mut Large) -> Content {
        let size = engine.tree_size();
        let seen = frame.filter(|_| engine.is_inspected()).unwrap_or_default();
        let start = self.bytes.len();
        self.bytes.extend_from_slice(seen);
        let bytes = start..self.bytes.len();
        self.trees += 1;
        self.weight += size + seen.len();
        if size <= LARGE {
            engine.pack_tree(&mut self.small);
            return Content::Small(bytes);
        }
        let mut tree = large.next().unwrap_or_else(|| engine.new_tree());
        engine.give_tree(&mut tree, size >= engine.tree_memory() / PART);
        self.large.push(tree);
        Content::Large(bytes)
    }

    /// Whether it has no frame.
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Whether it should be sent.
    pub(super) fn is_full(&self) -> bool {
        self.trees >= FRAMES || self.used.len() >= MANY || self.weight >= WEIGHT
    }

    /// Whether it is so large that only one such batch may be queued.
    pub(super) fn is_heavy(&self) -> bool {
        self.weight >= HEAVY
    }

    /// Whether its text may be kept in memory.
    pub(super) fn is_light(&self) -> bool {
        self.weight < LIGHT
    }

    /// Passes its frames in order to `look`, until that fails. Small trees are unpacked into a shared tree.
    pub(super) fn each<E>(
        &mut self,
        scratch: &mut Tree,
        mut look: impl FnMut(Dissection<'_>, &Used) -> Result<(), E>,
    ) -> Result<(), E> {
        let Batch { small, large, used, bytes: all, .. } = self;
        let (mut silent, mut large) = (Tree::new(Demand::LAYERS), large.iter());
        let mut looked = Ok(());
        for used in used {
            let (tree, bytes) = match &used.content {
                Content::Small(bytes) if small.take(scratch) => (&*scratch, bytes.clone()),
                Content::Small(_) => break,
                Content::Large(bytes) => match large.next() {
                    Some(tree) => (tree, bytes.clone()),
                    None => break,
                },
                Content::Frame(frame) => {
                    silent.begin(*frame);
                    (&silent, 0..0)
                }
            };
            looked = look(Dissection { tree, bytes: all.get(bytes).unwrap_or_default() }, used);
            if looked.is_err() {
                break;
            }
        }
        small.rewind(scratch);
        looked
    }
}

/// Returned large trees, kept for their memory.
#[derive(Default)]
pub(super) struct Large {
    trees: Vec<Tree>,
    scratch: usize,
    /// The largest of the trees that are too large to be kept with the others.
    largest: Option<Tree>,
}

impl Large {
    fn keep(&mut self, tree: Tree) {
        if self.scratch + tree.memory_usage() <= KEPT_LARGE {
            self.scratch += tree.memory_usage();
            self.trees.push(tree);
            return;
        }
        let is_larger = self.largest.as_ref().is_none_or(|largest| largest.memory_usage() < tree.memory_usage());
        let other = if is_larger { self.largest.replace(tree) } else { Some(tree) };
        other.into_iter().for_each(|mut tree| tree.forget());
    }

    /// Gives the engine the largest tree, if larger than its own, so that memory for the largest recent message is reused as with a
    /// single thread.
    pub(super) fn return_largest_tree(&mut self, engine: &mut Engine) {
        let Some(mut tree) = self.largest.take() else { return };
        if tree.memory_usage() > engine.tree_memory() {
            engine.give_tree(&mut tree, true);
        }
        tree.forget();
    }

    fn next(&mut self) -> Option<Tree> {
        let tree = self.trees.pop()?;
        self.scratch -= tree.memory_usage();
        Some(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Capture;
    use crate::registry::Registry;
    use crate::tree::{Outcome, dump};
    use std::convert::Infallible;
    use std::fs::File;

    /// Text of a frame without content.
    const SILENT: &str = " FrameInfo";

    /// Debug text of a tree, with everything that records and counts use.
    fn tree_text(of: Dissection<'_>) -> String {
        let Tree { frame, layers, ends, gaps, sources, pieces, outcome, .. } = of.tree;
        let Outcome { omitted_messages, omitted_headers, undissected, .. } = outcome;
        let beside = format!(
            "{frame:?} {layers:?} {ends:?} {gaps:?} {sources:?} {pieces:?} {omitted_messages:?} {omitted_headers:?} {undissected}"
        );
        let (hidden, left_out) = (of.tree.masked_spans(), of.tree.omitted());
        let infos: Vec<_> = of.tree.layers.iter().map(|layer| of.tree.info(layer)).collect();
        let bits: Vec<_> = (0..of.tree.here()).map(|place| of.tree.bits_of(place)).collect();
        format!("{} {beside} {hidden:?} {left_out} {infos:?} {bits:?}", dump(of))
    }

    /// Texts of the frames before and after being sent, five at a time, and whether each has no content.
    fn there_and_back(file: &str, demand: Demand) -> (Vec<String>, Vec<String>, Vec<bool>) {
        let mut engine = Engine::new(Registry::default(), demand);
        let mut capture = Capture::open(Box::new(File::open(file).unwrap())).unwrap();
        let (mut batch, mut large, mut scratch) = (Batch::new(&engine), Large::default(), engine.new_tree());
        let (mut before, mut behind, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let frame = capture.next_frame().unwrap();
            if let Some(frame) = &frame {
                let tree = engine.dissect(frame);
                before.push(tree_text(Dissection { tree, bytes: frame.bytes }));
                silent.push(engine.silent().is_some());
                batch.take(&mut engine, Some(frame), &mut large);
            }
            if batch.used.len() == 5 || frame.is_none() {
                let Ok(()) = batch.each(&mut scratch, |of, _| {
                    behind.push(tree_text(of));
                    Ok::<(), Infallible>(())
                });
                batch.clear(&mut large);
            }
            if frame.is_none() {
                return (before, behind, silent);
            }
        }
    }

    #[test]
    fn trees_are_equal_after_a_handover_between_threads() {
        for file in ["pipboy", "http", "tls", "layers", "vcmp-0471", "vscp-damaged", "xfire", "runescape"] {
            for demand in [Demand::EVERYTHING, Demand::MESSAGES, Demand::HEADINGS] {
                let (before, behind, silent) = there_and_back(&format!("samples/{file}.pcap"), demand);
                assert_eq!(before.len(), behind.len());
                for ((before, behind), silent) in before.iter().zip(&behind).zip(silent) {
                    // Of frames without content, only the frame number is sent.
                    assert!(before == behind || silent && behind.starts_with(SILENT), "{file}: {before} {behind}");
                }
            }
        }
    }

    #[test]
    fn lent_trees_are_returned() {
        let mut engine = Engine::complete(Registry::default());
        let mut capture = Capture::open(Box::new(File::open("samples/http.pcap").unwrap())).unwrap();
        let (mut batch, mut large, mut scratch) = (Batch::new(&engine), Large::default(), engine.new_tree());
        while let Some(frame) = capture.next_frame().unwrap() {
            engine.dissect(&frame);
            batch.take(&mut engine, Some(&frame), &mut large);
        }
        let mut all = || {
            let mut all = Vec::new();
            let Ok(()) = batch.each(&mut scratch, |of, _| {
                all.push(tree_text(of));
                Ok::<(), Infallible>(())
            });
            all
        };
        let (first, second) = (all(), all());
        assert!(first.len() > 5 && first == second);
    }

    #[test]
    fn a_batch_keeps_no_more_memory_than_it_should() {
        let mut engine = Engine::complete(Registry::of(&[]));
        let (mut batch, mut large) = (Batch::new(&engine), Large::default());
        let bytes = [0xee; 2000];
        let frame = Frame { number: 1, bytes: &bytes, original_len: 2000, ..Frame::default() };
        for _ in 0..4000 {
            engine.dissect(&frame);
            batch.take(&mut engine, Some(&frame), &mut large);
        }
        assert!(batch.small.memory_usage() > KEPT, "{}", batch.small.memory_usage());
        batch.clear(&mut large);
        assert!(batch.bytes.capacity() <= KEPT, "{}", batch.bytes.capacity());
        assert!(batch.small.memory_usage() <= KEPT, "{}", batch.small.memory_usage());
    }
}
