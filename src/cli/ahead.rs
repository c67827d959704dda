//! Reading ahead: frames are read and dissected on a thread of their own while those before them are looked at.
//!
//! Frames travel in batches, in the order of the capture, and whoever looks at them stays on the thread it was on: what is
//! printed does not depend on how many threads there are. Batches go back to be filled again.

use super::progress::Progress;
use super::read::Audience;
use crate::engine::Engine;
use crate::input::{Capture, ReadError};
use crate::record::Forgotten;
use crate::tree::{Dissection, FrameInfo, Tree, Want};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Frames of a batch at most of which something may be told, and with those of which nothing is.
const FRAMES: usize = 128;
const MANY: usize = 1024;

/// What a batch weighs at most before it travels: bytes of frames, and each field as so many.
const WEIGHT: usize = 128 << 10;

/// Bytes that a field weighs, and a layer with what belongs to it.
const FIELD: usize = 40;
const LAYER: usize = 160;

/// Bytes of memory that the trees of a batch keep for the next frames.
const KEPT: usize = 512 << 10;

/// Batches that wait to be looked at, beside the one that is filled and the one that is looked at.
const WAITING: usize = 4;

/// Dissected frames.
#[derive(Default)]
struct Batch {
    /// As many as ever were needed; the first of them are in use.
    trees: Vec<Tree>,
    taken: usize,
    used: Vec<Used>,
    bytes: Vec<u8>,
    weight: usize,
    /// Bytes of the input that were read by its end.
    read: u64,
}

/// A frame of a batch, or what a conversation had left when the input ended.
struct Used {
    captured: bool,
    /// What holds it.
    held: Held,
    /// What was given up until then.
    forgotten: Forgotten,
}

/// What is handed over of a frame.
enum Held {
    /// The next tree of the batch, and these bytes.
    Tree(Range<usize>),
    /// Which one it is: it says nothing that would be looked at.
    Frame(FrameInfo),
}

/// How reading ended.
pub(super) struct Read {
    pub capture: Capture,
    /// Frames read ahead.
    pub frames: u64,
    /// What is wrong with the capture.
    pub damage: Option<ReadError>,
    /// What was given up before the last frame that was looked at.
    pub forgotten: Forgotten,
}

/// Read a capture to its end.
///
/// # Errors
/// Those of the audience.
pub(super) fn rest(capture: Capture, engine: Engine, audience: &mut impl Audience, progress: &mut Progress) -> io::Result<Read> {
    let stop = AtomicBool::new(false);
    let before = engine.forgotten();
    thread::scope(|scope| {
        let (full, filled) = sync_channel(WAITING);
        let (back, spare) = channel();
        let reader = scope.spawn(|| Reader { capture, engine, full, spare, stop: &stop }.run());
        let shown = show_all((&filled, &back), &stop, audience, progress, before);
        // Whoever waits to hand on a batch that nobody wants must not wait for ever.
        drop(filled);
        let (capture, frames, damage) = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        shown.map(|forgotten| Read { capture, frames, damage, forgotten })
    })
}

/// Show what comes. Returns what was given up before the last that was shown.
fn show_all(
    (filled, back): (&Receiver<Batch>, &Sender<Batch>),
    stop: &AtomicBool,
    audience: &mut impl Audience,
    progress: &mut Progress,
    before: Forgotten,
) -> io::Result<Forgotten> {
    let mut forgotten = before;
    let mut silent = Tree::new(Want::LAYERS);
    for batch in filled {
        let mut trees = batch.trees.iter();
        for used in &batch.used {
            if audience.has_enough() {
                stop.store(true, Ordering::Relaxed);
                return Ok(forgotten);
            }
            let of = match &used.held {
                Held::Tree(bytes) => trees.next().map(|tree| (tree, batch.bytes.get(bytes.clone()).unwrap_or_default())),
                Held::Frame(frame) => {
                    silent.begin(*frame);
                    Some((&silent, [].as_slice()))
                }
            };
            let Some((tree, bytes)) = of else { break };
            audience.tree(Dissection { tree, bytes }, used.captured)?;
            forgotten = used.forgotten;
            progress.frame(|| batch.read);
        }
        // The reader may have come to the end and want no more.
        let _ = back.send(batch);
    }
    Ok(forgotten)
}

/// The thread that reads.
struct Reader<'a> {
    capture: Capture,
    engine: Engine,
    full: SyncSender<Batch>,
    spare: Receiver<Batch>,
    stop: &'a AtomicBool,
}

impl Reader<'_> {
    fn run(mut self) -> (Capture, u64, Option<ReadError>) {
        let mut frames = 0;
        let mut batch = Batch::default();
        let damage = loop {
            let frame = match self.capture.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            };
            frames += 1;
            self.engine.dissect(&frame);
            batch.take(&mut self.engine, Some(frame.bytes));
            if batch.is_full() && !self.hand_on(&mut batch) {
                break None;
            }
        };
        while self.engine.finish().is_some() {
            batch.take(&mut self.engine, None);
            if batch.is_full() && !self.hand_on(&mut batch) {
                break;
            }
        }
        self.hand_on(&mut batch);
        (self.capture, frames, damage)
    }

    /// Send a batch and begin another one. False if nobody wants more.
    fn hand_on(&self, batch: &mut Batch) -> bool {
        batch.read = self.capture.bytes_read();
        let mut next = self.spare.try_recv().unwrap_or_default();
        next.begin();
        self.full.send(std::mem::replace(batch, next)).is_ok() && !self.stop.load(Ordering::Relaxed)
    }
}

impl Batch {
    fn begin(&mut self) {
        let mut kept = 0;
        for tree in &mut self.trees {
            kept += tree.room();
            if kept > KEPT {
                kept -= tree.room();
                tree.forget();
            }
        }
        self.used.clear();
        self.taken = 0;
        self.bytes.clear();
        self.weight = 0;
    }

    /// Take the tree that was just made, and keep its frame, if anything may be told of it.
    fn take(&mut self, engine: &mut Engine, frame: Option<&[u8]>) {
        let held = match engine.silent() {
            Some(frame) => Held::Frame(frame),
            None => Held::Tree(self.take_tree(engine, frame)),
        };
        self.used.push(Used { captured: frame.is_some(), held, forgotten: engine.forgotten() });
    }

    fn take_tree(&mut self, engine: &mut Engine, frame: Option<&[u8]>) -> Range<usize> {
        if self.trees.len() <= self.taken {
            self.trees.push(engine.another_tree());
        }
        let mut unseen = false;
        if let Some(tree) = self.trees.get_mut(self.taken) {
            engine.swap_tree(tree);
            self.weight += tree.nodes.len() * FIELD + tree.layers.len() * LAYER + tree.held();
            unseen = tree.unseen && tree.seen_from == u32::MAX;
        }
        self.taken += 1;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(frame.filter(|_| !unseen).unwrap_or_default());
        self.weight += self.bytes.len() - start;
        start..self.bytes.len()
    }

    fn is_full(&self) -> bool {
        self.taken >= FRAMES || self.used.len() >= MANY || self.weight >= WEIGHT
    }
}
