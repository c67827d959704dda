//! Reads on a separate thread, since decompression may take longer than dissection.
//!
//! The thread starts after the first blocks: most inputs are small, and starting a thread takes longer than reading them. It
//! reads at most a few blocks ahead, and ends when the receiver is dropped.

use std::io::{self, Cursor, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// Bytes that are read before a thread is started.
const FEW: usize = 256 << 10;

/// Block size, and the maximum number of queued blocks.
const BLOCK: usize = 128 << 10;
const BLOCKS: usize = 4;

type Source = Box<dyn Read + Send>;

/// A reader whose later bytes a helper thread reads.
pub(super) struct Helped(State);

enum State {
    /// Bytes still to be read without a thread.
    Here(Source, usize),
    There(Helper),
    Over,
}

struct Helper {
    blocks: Receiver<io::Result<Block>>,
    /// Returns used blocks to the helper.
    back: Sender<Block>,
    block: Block,
    thread: Option<JoinHandle<()>>,
}

/// A block, of which the bytes before the position are used.
type Block = Cursor<Vec<u8>>;

impl Helped {
    pub(super) fn new(source: Source) -> Helped {
        Helped(State::Here(source, FEW))
    }

    /// Starts a helper thread; if that fails, continues without one.
    fn get_help(&mut self) {
        let (hand_over, source) = channel();
        match (Helper::start(source), &mut self.0) {
            (Ok(helper), here) => {
                if let State::Here(source, _) = std::mem::replace(here, State::There(helper)) {
                    // The new thread waits for the source.
                    let _ = hand_over.send(source);
                }
            }
            (Err(_), State::Here(_, left)) => *left = usize::MAX,
            (Err(_), _) => {}
        }
    }
}

impl Read for Helped {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let State::Here(_, 0) = self.0 {
            self.get_help();
        }
        match &mut self.0 {
            State::Here(source, left) => {
                let count = source.read(out)?;
                *left = left.saturating_sub(count);
                Ok(count)
            }
            State::There(helper) => {
                let count = helper.read(out);
                if !matches!(count, Ok(1..)) && !out.is_empty() {
                    self.0 = State::Over;
                }
                count
            }
            State::Over => Ok(0),
        }
    }
}

impl Helper {
    /// Starts a helper thread that waits for its source.
    fn start(source: Receiver<Source>) -> io::Result<Helper> {
        let (there, blocks) = sync_channel(BLOCKS);
        let (back, empty) = channel();
        let thread = thread::Builder::new().spawn(move || {
            if let Ok(source) = source.recv() {
                read_all(source, &there, &empty);
            }
        })?;
        Ok(Helper { blocks, back, block: Block::default(), thread: Some(thread) })
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.block.position() == self.block.get_ref().len() as u64 {
            match self.blocks.recv() {
                Ok(block) => {
                    // The helper may have ended.
                    let _ = self.back.send(std::mem::replace(&mut self.block, block?));
                }
                Err(_) => {
                    let ended = self.thread.take().map_or(Ok(()), JoinHandle::join);
                    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                    return Ok(0);
                }
            }
        }
        self.block.read(out)
    }
}

/// Reads until the end or an error, or until the receiver is dropped.
fn read_all(mut source: Source, there: &SyncSender<io::Result<Block>>, empty: &Receiver<Block>) {
    loop {
        let mut block = empty.try_recv().unwrap_or_default().into_inner();
        block.resize(BLOCK, 0);
        let (end, ends) = fill(&mut source, &mut block);
        block.truncate(end);
        let is_sent = end == 0 || there.send(Ok(Cursor::new(block))).is_ok();
        if let Some(Err(error)) = ends {
            // The receiver may be dropped.
            let _ = there.send(Err(error));
            return;
        }
        if ends.is_some() || !is_sent {
            return;
        }
    }
}

/// Fills a block. Returns the number of bytes, and the end or error, if any.
fn fill(source: &mut Source, block: &mut [u8]) -> (usize, Option<io::Result<()>>) {
    let mut end = 0;
    while let Some(free) = block.get_mut(end..).filter(|free| !free.is_empty()) {
        match source.read(free) {
            Ok(0) => return (end, Some(Ok(()))),
            Ok(count) => end += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (end, Some(Err(error))),
        }
    }
    (end, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a few bytes per read, then an error if any.
    struct Slow(Cursor<Vec<u8>>, Option<ErrorKind>);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let most = out.len().min(10_007);
            match self.0.read(out.get_mut(..most).unwrap_or_default())? {
                0 => self.1.take().map_or(Ok(0), |kind| Err(kind.into())),
                count => Ok(count),
            }
        }
    }

    fn content(len: usize) -> Vec<u8> {
        (0..len).map(|at| u8::try_from(at * 7 / 5 % 251).unwrap()).collect()
    }

    #[test]
    fn all_bytes_arrive_in_order() {
        for len in [0, 1, FEW - 1, FEW, FEW + 1, FEW + BLOCK, 3_000_000] {
            for slow in [false, true] {
                let cursor = Cursor::new(content(len));
                let source: Source = if slow { Box::new(Slow(cursor, None)) } else { Box::new(cursor) };
                let (mut helped, mut out) = (Helped::new(source), Vec::new());
                helped.read_to_end(&mut out).unwrap();
                assert!(out == content(len), "{len}");
                assert_eq!(helped.read(&mut [0; 9]).unwrap(), 0);
            }
        }
    }

    #[test]
    fn frames_before_an_error_are_read_and_the_error_is_reported_once() {
        for len in [5000, 1_000_000] {
            let (mut out, slow) = (Vec::new(), Slow(Cursor::new(content(len)), Some(ErrorKind::InvalidData)));
            let mut helped = Helped::new(Box::new(slow));
            assert_eq!(helped.read_to_end(&mut out).unwrap_err().kind(), ErrorKind::InvalidData);
            assert!(out == content(len));
            assert_eq!(helped.read(&mut [0; 9]).unwrap(), 0);
        }
    }

    #[test]
    fn small_inputs_need_no_thread_and_threads_end_with_their_reader() {
        let mut helped = Helped::new(Box::new(Cursor::new(content(FEW - 1))));
        io::copy(&mut helped, &mut io::sink()).unwrap();
        assert!(matches!(helped.0, State::Here(..)));
        let mut endless = Helped::new(Box::new(io::repeat(7)));
        io::copy(&mut (&mut endless).take(1 << 20), &mut io::sink()).unwrap();
        let State::There(helper) = &mut endless.0 else { panic!("no helper") };
        let thread = helper.thread.take().unwrap();
        drop(endless);
        thread.join().unwrap();
    }

    #[test]
    #[should_panic(expected = "broken")]
    fn a_helper_that_panics_is_not_an_end() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 > 50 {
                    std::panic::resume_unwind(Box::new("broken"));
                }
                Ok(out.len())
            }
        }
        let _ = io::copy(&mut Helped::new(Box::new(Broken(0))), &mut io::sink());
    }
}
