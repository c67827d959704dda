//! Pipeline of two threads: one reads and dissects frames, the other consumes them.
//!
//! Frames are sent in batches, in the order of the capture. If the consumer is behind and chunks are independent, the
//! reading thread prints a batch itself and sends the text instead. The output does not depend on the number of threads.
//! Batches and texts are returned and reused.

mod batch;

use super::chunk::{Chunk, ChunkPrinter};
use super::input::Audience;
use super::interrupt;
use super::progress::Progress;
use crate::engine::Engine;
use crate::input::{Capture, Frame, ReadError};
use crate::record::Forgotten;
use crate::tree::{Dissection, Tree};
use batch::{Batch, Large};
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
enum Parcel {
    Batch(Batch),
    Printed(Text),
}

/// Result of reading.
pub(super) struct Read {
    pub capture: Capture,
    /// Frames read ahead.
    pub frames: u64,
    /// Error of the capture, unless the consumer stopped earlier.
    pub damage: Option<ReadError>,
    /// State evicted before the last consumed frame.
    pub forgotten: Forgotten,
}

/// Read a capture to its end.
///
/// # Errors
/// Those of the audience.
pub(super) fn run(capture: Capture, engine: Engine, audience: &mut impl Audience, progress: &mut Progress) -> io::Result<Read> {
    let before = engine.forgotten();
    let fork = audience.fork();
    let room = engine.new_tree();
    thread::scope(|scope| {
        let (there, parcels) = sync_channel(GATHERED + TEXTS);
        let (back, returned) = channel();
        // Who reads stays on this thread, where the conversations so far have their memory.
        let shown = scope.spawn(|| show_all((parcels, back), room, audience, progress, before));
        let read = Reader { room: engine.new_tree(), capture, engine, fork, way: Way::new(there, returned) }.run();
        let Shown { forgotten, had_enough } = shown.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        read.map(|read| Read { forgotten, damage: read.damage.filter(|_| !had_enough), ..read })
    })
}

/// How looking ended.
struct Shown {
    /// What was given up before the last that was shown.
    forgotten: Forgotten,
    /// Nobody wanted more behind a frame; what conversations have left when the input ends comes too late for that.
    had_enough: bool,
}

/// Show what comes.
fn show_all(
    (parcels, back): (Receiver<Parcel>, Sender<Parcel>),
    mut room: Tree,
    audience: &mut impl Audience,
    progress: &mut Progress,
    before: Forgotten,
) -> io::Result<Shown> {
    let (mut forgotten, mut had_enough) = (before, false);
    for mut parcel in parcels {
        match &mut parcel {
            Parcel::Batch(batch) => {
                if let Some(tally) = batch.before.take() {
                    audience.resume_at(tally);
                }
                let read = batch.read;
                let shown = batch.each(&mut room, |of, used| {
                    if audience.has_enough() {
                        return Err(Stop::Enough);
                    }
                    audience.tree(of, used.captured).map_err(Stop::Output)?;
                    forgotten = used.forgotten;
                    had_enough |= used.captured && audience.has_enough();
                    progress.frame(|| read);
                    Ok(())
                });
                match shown {
                    Ok(()) => {}
                    Err(Stop::Enough) => break,
                    Err(Stop::Output(error)) => return Err(error),
                }
            }
            Parcel::Printed(text) => {
                audience.chunk(&mut text.chunk)?;
                forgotten = text.forgotten;
                progress.look(|| text.read);
            }
        }
        // The reader may have come to the end and want no more.
        let _ = back.send(parcel);
    }
    Ok(Shown { forgotten, had_enough })
}

/// Why no more is shown.
enum Stop {
    Enough,
    Output(io::Error),
}

/// The thread that reads.
struct Reader<'a> {
    capture: Capture,
    engine: Engine,
    /// Prints what the other thread does not come to.
    fork: Option<ChunkPrinter<'a>>,
    /// Where it looks at small trees for that.
    room: Tree,
    way: Way,
}

impl Reader<'_> {
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
            batch.take(&mut self.engine, Some(&frame), &mut self.way.large);
            if batch.is_full() && !self.take_output(&mut batch)? {
                break None;
            }
        };
        while let Some(tree) = self.engine.finish() {
            pass(&mut self.fork, &mut batch, tree, None);
            batch.take(&mut self.engine, None, &mut self.way.large);
            if batch.is_full() && !self.take_output(&mut batch)? {
                break;
            }
        }
        if !batch.is_empty() {
            self.take_output(&mut batch)?;
        }
        Ok(Read { capture: self.capture, frames, damage, forgotten: Forgotten::default() })
    }

    /// Sends a batch or its text, and begins another one. False if the consumer has stopped.
    fn take_output(&mut self, batch: &mut Batch) -> io::Result<bool> {
        let Reader { fork, way, engine, room, .. } = self;
        batch.read = self.capture.bytes_read();
        way.take_back();
        // After a heavy batch, more may queue until the consumer catches up or falls behind.
        way.gathers &= way.is_heavy || (WAITING..=GATHERED).contains(&way.out);
        let waiting = if way.gathers { GATHERED } else { WAITING };
        let parcel = match fork {
            Some(fork) if way.out > waiting && way.has_room() && batch.is_light() => {
                let text = way.texts.pop().unwrap_or_default().print(fork, batch, room)?;
                batch.clear(&mut way.large);
                Parcel::Printed(text)
            }
            _ => {
                if batch.is_heavy() {
                    let gathers = way.out == 0 && engine.holds_little();
                    way.wait(|way| way.out == 0);
                    (way.is_heavy, way.gathers) = (true, gathers);
                } else {
                    way.wait(|way| way.out + way.texts_out <= waiting + TEXTS);
                }
                let next = way.batches.pop().unwrap_or_else(|| Batch::new(engine));
                Parcel::Batch(std::mem::replace(batch, next))
            }
        };
        if !way.gathers && !engine.holds_little() {
            // Streams need the memory of those that gathered earlier.
            way.batches.truncate(WAITING);
        }
        way.large.give_largest(engine);
        Ok(way.send(parcel))
    }
}

/// Counts the records of a frame of the batch, if chunks may be printed separately.
fn pass(fork: &mut Option<ChunkPrinter<'_>>, batch: &mut Batch, tree: &Tree, frame: Option<&Frame<'_>>) {
    let Some(fork) = fork else { return };
    batch.before.get_or_insert_with(|| fork.tally());
    fork.pass(Dissection { tree, bytes: frame.map(|frame| frame.bytes).unwrap_or_default() }, frame.is_some());
}

/// The queue to the consumer, and returned items for reuse.
struct Way {
    there: SyncSender<Parcel>,
    returned: Receiver<Parcel>,
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

impl Way {
    fn new(there: SyncSender<Parcel>, returned: Receiver<Parcel>) -> Way {
        let (batches, texts, large) = (Vec::new(), Vec::new(), Large::default());
        Way { there, returned, out: 0, texts_out: 0, printed: 0, is_heavy: false, gathers: false, batches, texts, large }
    }

    /// False if the consumer has stopped.
    fn send(&mut self, parcel: Parcel) -> bool {
        match &parcel {
            Parcel::Batch(_) => self.out += 1,
            Parcel::Printed(text) => {
                self.texts_out += 1;
                self.printed += text.chunk.printed.text.len();
            }
        }
        self.there.send(parcel).is_ok()
    }

    /// Takes returned items.
    fn take_back(&mut self) {
        while let Ok(parcel) = self.returned.try_recv() {
            self.sort(parcel);
        }
    }

    /// Whether there is room for another text.
    fn has_room(&self) -> bool {
        self.texts_out < TEXTS && self.printed < PRINTED
    }

    /// Waits until enough items are returned.
    fn wait(&mut self, is_enough: impl Fn(&Way) -> bool) {
        while !is_enough(self)
            && let Ok(parcel) = self.returned.recv()
        {
            self.sort(parcel);
        }
    }

    fn sort(&mut self, parcel: Parcel) {
        match parcel {
            Parcel::Batch(mut batch) => {
                self.out -= 1;
                self.is_heavy &= !batch.is_heavy();
                batch.clear(&mut self.large);
                self.batches.push(batch);
            }
            Parcel::Printed(text) => {
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
    /// What was given up by its end.
    forgotten: Forgotten,
    /// Bytes of the input that were read by its end.
    read: u64,
}

impl Text {
    fn print(self, fork: &mut ChunkPrinter<'_>, batch: &mut Batch, room: &mut Tree) -> io::Result<Text> {
        let mut text = Text { read: batch.read, ..self };
        if let Some(tally) = batch.before.take() {
            fork.resume_at(tally);
        }
        batch.each(room, |of, used| {
            text.forgotten = used.forgotten;
            fork.print(of, used.captured)
        })?;
        fork.give(&mut text.chunk)?;
        Ok(text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may")]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use crate::tree::Demand;
    use std::fs::File;

    /// Dissects a frame of `len` bytes and sends it.
    fn pass_on(reader: &mut Reader<'_>, len: u32) {
        let bytes = vec![0xee; len as usize];
        let frame = Frame { number: 1, bytes: &bytes, original_len: len, ..Frame::default() };
        reader.engine.dissect(&frame);
        let mut batch = Batch::new(&reader.engine);
        batch.take(&mut reader.engine, Some(&frame), &mut reader.way.large);
        assert!(reader.take_output(&mut batch).unwrap());
    }

    #[test]
    fn batches_gather_behind_a_heavy_one_until_who_looks_has_caught_up() {
        const LONG: u32 = 1 << 20;
        let (there, parcels) = sync_channel(GATHERED + TEXTS);
        let (back, returned) = channel();
        let capture = Capture::open(Box::new(File::open("samples/pipboy.pcap").unwrap())).unwrap();
        let engine = Engine::new(Registry::default(), Demand::EVERYTHING);
        let room = engine.new_tree();
        let mut reader = Reader { capture, engine, fork: None, room, way: Way::new(there, returned) };
        pass_on(&mut reader, 100);
        assert!(!reader.way.gathers);
        parcels.try_iter().for_each(|parcel| back.send(parcel).unwrap());
        pass_on(&mut reader, LONG);
        assert!(reader.way.gathers && reader.way.is_heavy);
        // Nobody looks, so if one had to wait this would not end.
        (0..GATHERED).for_each(|_| pass_on(&mut reader, 100));
        assert_eq!(reader.way.out, 1 + GATHERED);
        parcels.try_iter().for_each(|parcel| back.send(parcel).unwrap());
        pass_on(&mut reader, 100);
        assert!(!reader.way.gathers && !reader.way.is_heavy);
        assert_eq!((reader.way.out, reader.way.batches.len()), (1, GATHERED));
    }
}
