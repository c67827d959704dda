//! Pipeline of two threads: one reads and dissects frames, the other consumes them.
//!
//! Frames are sent in batches, in the order of the capture. If the consumer is behind and chunks are independent, the
//! reading thread prints a batch itself and sends the text instead. The output does not depend on the number of threads.
//! Batches and texts are returned and reused.

use super::batch::{Batch, Large};
use super::{Chunk, ChunkPrinter};
use crate::cli::audience::Audience;
use crate::cli::interrupt;
use crate::cli::progress::Progress;
use crate::engine::Engine;
use crate::input::{Capture, Frame, ReadError};
use crate::record::Evictions;
use crate::tree::{Dissection, Tree};
use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Queued batches, without the one that is filled and the one that is consumed. Beyond this, the reading thread prints the
/// next batch itself.
const WAITING: usize = 4;

/// Queued batches while the consumer handles a very long message, unless streams hold much: about as many as are read
/// meanwhile.
const GATHERED: usize = 32;

/// Maximum bytes and number of queued texts.
const PRINTED: usize = 2 << 20;
const TEXTS: usize = 4;

/// An item of the queue, sent and returned.
enum QueueItem {
    Batch(Batch),
    Printed(Text),
}

/// Result of reading.
pub(in crate::cli) struct Read {
    pub capture: Capture,
    /// Frames read ahead.
    pub frames: u64,
    /// Error of the capture, unless the consumer stopped earlier.
    pub damage: Option<ReadError>,
    /// State evicted before the last consumed frame.
    pub evictions: Evictions,
    /// The client random that a key log lacks, if that decrypts nothing.
    pub lacking: Option<[u8; 32]>,
}

/// Reads a capture to its end.
pub(in crate::cli) fn run(
    capture: Capture,
    engine: Engine,
    audience: &mut impl Audience,
    progress: &mut Progress,
) -> io::Result<Read> {
    let before = engine.evictions();
    let fork = audience.fork();
    let scratch = engine.new_tree();
    thread::scope(|scope| {
        let (there, items) = sync_channel(GATHERED + TEXTS);
        let (back, returned) = channel();
        // The reader stays on this thread, whose allocator holds the memory of the conversations so far.
        let consumed = scope.spawn(|| consume((items, back), scratch, audience, progress, before));
        let read = ReadingThread { scratch: engine.new_tree(), capture, engine, fork, queue: Queue::new(there, returned) }.run();
        let Consumed { evictions, had_enough } = consumed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        read.map(|read| Read { evictions, damage: read.damage.filter(|_| !had_enough), ..read })
    })
}

/// Result of consuming.
struct Consumed {
    /// State evicted before the last consumed frame.
    evictions: Evictions,
    /// The audience had enough before the end of the input.
    had_enough: bool,
}

/// Passes items on to the audience.
fn consume(
    (items, back): (Receiver<QueueItem>, Sender<QueueItem>),
    mut scratch: Tree,
    audience: &mut impl Audience,
    progress: &mut Progress,
    before: Evictions,
) -> io::Result<Consumed> {
    let (mut evictions, mut had_enough) = (before, false);
    for mut item in items {
        match &mut item {
            QueueItem::Batch(batch) => {
                if let Some(tally) = batch.before.take() {
                    audience.resume_at(tally);
                }
                let read = batch.read;
                let consumed = batch.each(&mut scratch, |of, used| {
                    if audience.has_enough() {
                        return Err(Stop::Enough);
                    }
                    audience.tree(of, used.captured).map_err(Stop::Output)?;
                    evictions = used.evictions;
                    had_enough |= used.captured && audience.has_enough();
                    progress.frame(|| read);
                    Ok(())
                });
                match consumed {
                    Ok(()) => {}
                    Err(Stop::Enough) => break,
                    Err(Stop::Output(error)) => return Err(error),
                }
            }
            QueueItem::Printed(text) => {
                audience.chunk(&mut text.chunk)?;
                evictions = text.evictions;
                progress.update(|| text.read);
            }
        }
        // The reader may have ended.
        let _ = back.send(item);
    }
    Ok(Consumed { evictions, had_enough })
}

/// Why consuming stops.
enum Stop {
    Enough,
    Output(io::Error),
}

/// The reading thread.
struct ReadingThread<'a> {
    capture: Capture,
    engine: Engine,
    /// Prints batches while the consumer is behind.
    fork: Option<ChunkPrinter<'a>>,
    /// Tree into which it unpacks frames for that.
    scratch: Tree,
    queue: Queue,
}

impl ReadingThread<'_> {
    fn run(mut self) -> io::Result<Read> {
        let mut frames = 0;
        let mut batch = Batch::new(&self.engine);
        let damage = loop {
            if interrupt::is_requested() {
                break None;
            }
            let frame = match self.capture.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            };
            frames += 1;
            let tree = self.engine.dissect(&frame);
            pass(&mut self.fork, &mut batch, tree, Some(&frame));
            batch.take(&mut self.engine, Some(&frame), &mut self.queue.large);
            if batch.is_full() && !self.take_output(&mut batch)? {
                break None;
            }
        };
        while let Some(tree) = self.engine.finish() {
            pass(&mut self.fork, &mut batch, tree, None);
            batch.take(&mut self.engine, None, &mut self.queue.large);
            if batch.is_full() && !self.take_output(&mut batch)? {
                break;
            }
        }
        if !batch.is_empty() {
            self.take_output(&mut batch)?;
        }
        let lacking = self.engine.lacking_secret().copied();
        Ok(Read { capture: self.capture, frames, damage, evictions: Evictions::default(), lacking })
    }

    /// Sends a batch or its text, and begins another one. False if the consumer has stopped.
    fn take_output(&mut self, batch: &mut Batch) -> io::Result<bool> {
        let ReadingThread { fork, queue, engine, scratch, .. } = self;
        batch.read = self.capture.bytes_read();
        queue.take_back();
        // After a heavy batch, more may queue until the consumer catches up or falls behind.
        queue.gathers &= queue.is_heavy || (WAITING..=GATHERED).contains(&queue.out);
        let waiting = if queue.gathers { GATHERED } else { WAITING };
        let item = match fork {
            Some(fork) if queue.out > waiting && queue.has_room() && batch.is_light() => {
                let text = queue.texts.pop().unwrap_or_default().print(fork, batch, scratch)?;
                batch.clear(&mut queue.large);
                QueueItem::Printed(text)
            }
            _ => {
                if batch.is_heavy() {
                    let gathers = queue.out == 0 && engine.holds_little();
                    queue.wait(|queue| queue.out == 0);
                    (queue.is_heavy, queue.gathers) = (true, gathers);
                } else {
                    queue.wait(|queue| queue.out + queue.texts_out <= waiting + TEXTS);
                }
                let next = queue.batches.pop().unwrap_or_else(|| Batch::new(engine));
                QueueItem::Batch(std::mem::replace(batch, next))
            }
        };
        if !queue.gathers && !engine.holds_little() {
            // Streams need the memory of those that gathered earlier.
            queue.batches.truncate(WAITING);
        }
        queue.large.return_largest_tree(engine);
        Ok(queue.send(item))
    }
}

/// Counts the records of a frame of the batch, if chunks may be printed separately.
fn pass(fork: &mut Option<ChunkPrinter<'_>>, batch: &mut Batch, tree: &Tree, frame: Option<&Frame<'_>>) {
    let Some(fork) = fork else { return };
    batch.before.get_or_insert_with(|| fork.tally());
    fork.pass(Dissection { tree, bytes: frame.map(|frame| frame.bytes).unwrap_or_default() }, frame.is_some());
}

/// The queue to the consumer, and returned items for reuse.
struct Queue {
    there: SyncSender<QueueItem>,
    returned: Receiver<QueueItem>,
    /// Batches and texts not returned yet, and bytes of those texts.
    out: usize,
    texts_out: usize,
    printed: usize,
    /// One of those batches is heavy.
    is_heavy: bool,
    /// More than usual may wait.
    gathers: bool,
    batches: Vec<Batch>,
    texts: Vec<Text>,
    large: Large,
}

impl Queue {
    fn new(there: SyncSender<QueueItem>, returned: Receiver<QueueItem>) -> Queue {
        let (batches, texts, large) = (Vec::new(), Vec::new(), Large::default());
        Queue { there, returned, out: 0, texts_out: 0, printed: 0, is_heavy: false, gathers: false, batches, texts, large }
    }

    /// False if the consumer has stopped.
    fn send(&mut self, item: QueueItem) -> bool {
        match &item {
            QueueItem::Batch(_) => self.out += 1,
            QueueItem::Printed(text) => {
                self.texts_out += 1;
                self.printed += text.chunk.printed.text.len();
            }
        }
        self.there.send(item).is_ok()
    }

    /// Takes returned items.
    fn take_back(&mut self) {
        while let Ok(item) = self.returned.try_recv() {
            self.sort(item);
        }
    }

    /// Whether there is room for another text.
    fn has_room(&self) -> bool {
        self.texts_out < TEXTS && self.printed < PRINTED
    }

    /// Waits until enough items are returned.
    fn wait(&mut self, is_enough: impl Fn(&Queue) -> bool) {
        while !is_enough(self)
            && let Ok(item) = self.returned.recv()
        {
            self.sort(item);
        }
    }

    fn sort(&mut self, item: QueueItem) {
        match item {
            QueueItem::Batch(mut batch) => {
                self.out -= 1;
                self.is_heavy &= !batch.is_heavy();
                batch.clear(&mut self.large);
                self.batches.push(batch);
            }
            QueueItem::Printed(text) => {
                self.texts_out -= 1;
                self.printed -= text.chunk.printed.text.len();
                self.texts.push(text);
            }
        }
    }
}

/// Printed text of a batch.
#[derive(Default)]
struct Text {
    chunk: Chunk,
    /// State evicted by its end.
    evictions: Evictions,
    /// Bytes of the input read by its end.
    read: u64,
}

impl Text {
    fn print(self, fork: &mut ChunkPrinter<'_>, batch: &mut Batch, scratch: &mut Tree) -> io::Result<Text> {
        let mut text = Text { read: batch.read, ..self };
        if let Some(tally) = batch.before.take() {
            fork.resume_at(tally);
        }
        batch.each(scratch, |of, used| {
            text.evictions = used.evictions;
            fork.print(of, used.captured)
        })?;
        fork.give(&mut text.chunk)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use std::fs::File;

    /// Dissects a frame of `len` bytes and sends it.
    fn pass_on(reader: &mut ReadingThread<'_>, len: u32) {
        let bytes = vec![0xee; len as usize];
        let frame = Frame { number: 1, bytes: &bytes, original_len: len, ..Frame::default() };
        reader.engine.dissect(&frame);
        let mut batch = Batch::new(&reader.engine);
        batch.take(&mut reader.engine, Some(&frame), &mut reader.queue.large);
        assert!(reader.take_output(&mut batch).unwrap());
    }

    #[test]
    fn batches_are_queued_while_the_consumer_is_slow() {
        const LONG: u32 = 1 << 20;
        let (there, items) = sync_channel(GATHERED + TEXTS);
        let (back, returned) = channel();
        let capture = Capture::open(Box::new(File::open("samples/pipboy.pcap").unwrap())).unwrap();
        let engine = Engine::complete(Registry::default());
        let scratch = engine.new_tree();
        let mut reader = ReadingThread { capture, engine, fork: None, scratch, queue: Queue::new(there, returned) };
        pass_on(&mut reader, 100);
        assert!(!reader.queue.gathers);
        items.try_iter().for_each(|item| back.send(item).unwrap());
        pass_on(&mut reader, LONG);
        assert!(reader.queue.gathers && reader.queue.is_heavy);
        // Nothing is consumed: if the reader had to wait, this would not end.
        (0..GATHERED).for_each(|_| pass_on(&mut reader, 100));
        assert_eq!(reader.queue.out, 1 + GATHERED);
        items.try_iter().for_each(|item| back.send(item).unwrap());
        pass_on(&mut reader, 100);
        assert!(!reader.queue.gathers && !reader.queue.is_heavy);
        assert_eq!((reader.queue.out, reader.queue.batches.len()), (1, GATHERED));
    }
}
