//! Output channel of one input, from the thread that reads it to the shared writer.

use super::super::outcome::Outcome;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of an output block.
const BLOCK: usize = 64 << 10;

/// Extra queued bytes of the input whose turn it is: it never waits for later inputs.
const OWN: usize = 8 * BLOCK;

/// Fixed cost of a message in the budget.
const WEIGHT: usize = 4 << 10;

/// A message about an input.
pub(super) enum Said {
    /// Start of the input.
    Begin { format: String, links: Vec<String> },
    /// Printed records.
    Printed(Vec<u8>),
    /// A problem of the input.
    Complaint(String),
    /// End of the input.
    Done(io::Result<Outcome>),
}

impl Said {
    /// Cost in the budget while queued.
    pub(super) fn weight(&self) -> usize {
        match self {
            Said::Printed(text) => WEIGHT + text.len(),
            Said::Begin { .. } | Said::Complaint(_) | Said::Done(_) => WEIGHT,
        }
    }
}

/// Budget of queued output of all inputs, and the input whose turn it is.
pub(super) struct OutputBudget {
    most: usize,
    waiting: Mutex<usize>,
    changed: Condvar,
    /// The input that is written.
    turn: AtomicUsize,
    /// Number of idle threads.
    idle: AtomicUsize,
    closed: AtomicBool,
}

impl OutputBudget {
    /// A budget of `most` bytes, with `idle` idle threads.
    pub(super) fn new(most: usize, idle: usize) -> OutputBudget {
        OutputBudget {
            most,
            waiting: Mutex::new(0),
            changed: Condvar::new(),
            turn: AtomicUsize::new(0),
            idle: AtomicUsize::new(idle),
            closed: AtomicBool::new(false),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn waits(&self) -> usize {
        *self.waiting()
    }

    /// Waits until the budget admits a message of this input.
    fn take(&self, number: usize, weight: usize) -> io::Result<()> {
        let mut waiting = self.waiting();
        loop {
            if self.is_closed() {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let own = if self.turn.load(Ordering::Relaxed) == number { OWN } else { 0 };
            if *waiting + weight <= self.most + own {
                *waiting += weight;
                return Ok(());
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Returns the cost of a written message.
    fn free(&self, weight: usize) {
        *self.waiting() -= weight;
        self.changed.notify_all();
    }

    /// Makes this input the one that is written.
    pub(super) fn turn_to(&self, number: usize) {
        let _waiting = self.waiting();
        self.turn.store(number, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Counts a thread as idle.
    pub(super) fn leave(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the writer has stopped.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Closes the budget when dropped.
    pub(super) fn closing(&self) -> impl Drop + '_ {
        Closing(self)
    }
}

struct Closing<'a>(&'a OutputBudget);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let Closing(room) = self;
        let _waiting = room.waiting();
        room.closed.store(true, Ordering::Relaxed);
        room.changed.notify_all();
    }
}

/// The shared writer.
#[derive(Clone, Copy)]
pub(super) struct Out<'a>(pub(super) &'a Mutex<dyn Write + Send>);

impl Out<'_> {
    fn get(&self) -> MutexGuard<'_, dyn Write + Send + 'static> {
        let Out(out) = self;
        out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receiving end of a lane.
pub(super) struct Heard {
    messages: Receiver<Said>,
    /// Number of messages not written yet.
    left: Arc<AtomicUsize>,
}

impl Heard {
    /// Marks the last message, of this cost, as written.
    pub(super) fn is_out(&self, room: &OutputBudget, weight: usize) {
        room.free(weight);
        self.left.fetch_sub(1, Ordering::Release);
    }
}

impl Iterator for &Heard {
    type Item = Said;

    fn next(&mut self) -> Option<Said> {
        self.messages.recv().ok()
    }
}

/// Buffers and sends the output of an input. If it is its turn and nothing is queued, it writes directly.
pub(super) struct Lane<'a> {
    room: &'a OutputBudget,
    number: usize,
    out: Out<'a>,
    to: Sender<Said>,
    left: Arc<AtomicUsize>,
    text: Vec<u8>,
    ignores: bool,
}

impl<'a> Lane<'a> {
    /// For the input of this number.
    pub(super) fn new(room: &'a OutputBudget, number: usize, out: Out<'a>) -> (Lane<'a>, Heard) {
        let (to, messages) = channel();
        let left = Arc::new(AtomicUsize::new(0));
        let heard = Heard { messages, left: Arc::clone(&left) };
        (Lane { room, number, out, to, left, text: Vec::new(), ignores: false }, heard)
    }

    /// Discards printed records if true.
    pub(super) fn ignore(&mut self, ignores: bool) {
        self.ignores = ignores;
    }

    /// Sends a message after the records printed so far.
    ///
    /// # Errors
    /// Write errors, and `BrokenPipe` if the writer has stopped.
    pub(super) fn say(&mut self, message: Said) -> io::Result<()> {
        if !self.text.is_empty() {
            self.take_output(0)?;
        }
        self.send(message)
    }

    /// Sends the printed records. `more` is the expected size of the next ones.
    fn take_output(&mut self, more: usize) -> io::Result<()> {
        if self.is_turn() && self.left.load(Ordering::Acquire) == 0 {
            let written = self.out.get().write_all(&self.text);
            self.text.clear();
            return written;
        }
        let mut text = std::mem::replace(&mut self.text, Vec::with_capacity(more));
        text.shrink_to_fit();
        self.send(Said::Printed(text))
    }

    fn send(&self, message: Said) -> io::Result<()> {
        self.room.take(self.number, message.weight())?;
        self.left.fetch_add(1, Ordering::Relaxed);
        self.to.send(message).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Whether the writer has stopped.
    pub(super) fn is_closed(&self) -> bool {
        self.room.is_closed()
    }

    /// Whether a thread has nothing to do, and it is this input that all wait for.
    pub(super) fn has_help(&self) -> bool {
        self.is_turn() && self.room.idle.load(Ordering::Relaxed) > 0
    }

    fn is_turn(&self) -> bool {
        self.room.turn.load(Ordering::Relaxed) == self.number
    }
}

impl Write for Lane<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.ignores {
            return Ok(bytes.len());
        }
        let fits = bytes.len().min(BLOCK - self.text.len().min(BLOCK));
        self.text.extend_from_slice(bytes.get(..fits).unwrap_or_default());
        if self.text.len() >= BLOCK {
            self.take_output(BLOCK)?;
        }
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.get().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.get().flush()
    }
}
