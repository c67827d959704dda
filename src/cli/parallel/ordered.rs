//! Output channel of one input, from the thread that reads it to the shared writer.

use crate::cli::outcome::Outcome;
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
pub(super) enum LaneMessage {
    /// Start of the input.
    Begin { format: String, links: Vec<String> },
    /// Printed records.
    Printed(Vec<u8>),
    /// A problem of the input.
    Problem(String),
    /// End of the input.
    Done(io::Result<Outcome>),
}

impl LaneMessage {
    /// Cost in the budget while queued.
    pub(super) fn weight(&self) -> usize {
        match self {
            LaneMessage::Printed(text) => WEIGHT + text.len(),
            LaneMessage::Begin { .. } | LaneMessage::Problem(_) | LaneMessage::Done(_) => WEIGHT,
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
    pub(super) fn add_idle(&self) {
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
        let Closing(budget) = self;
        let _waiting = budget.waiting();
        budget.closed.store(true, Ordering::Relaxed);
        budget.changed.notify_all();
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
pub(super) struct LaneReceiver {
    messages: Receiver<LaneMessage>,
    /// Number of messages not written yet.
    left: Arc<AtomicUsize>,
}

impl LaneReceiver {
    /// Marks the last message, of this cost, as written.
    pub(super) fn is_out(&self, budget: &OutputBudget, weight: usize) {
        budget.free(weight);
        self.left.fetch_sub(1, Ordering::Release);
    }
}

impl Iterator for &LaneReceiver {
    type Item = LaneMessage;

    fn next(&mut self) -> Option<LaneMessage> {
        self.messages.recv().ok()
    }
}

/// Buffers and sends the output of an input. If it is its turn and nothing is queued, it writes directly.
pub(super) struct Lane<'a> {
    budget: &'a OutputBudget,
    number: usize,
    out: Out<'a>,
    to: Sender<LaneMessage>,
    left: Arc<AtomicUsize>,
    text: Vec<u8>,
    /// A message that precedes the first printed record.
    before: Option<LaneMessage>,
    ignores: bool,
}

impl<'a> Lane<'a> {
    /// For the input of this number.
    pub(super) fn new(budget: &'a OutputBudget, number: usize, out: Out<'a>) -> (Lane<'a>, LaneReceiver) {
        let (to, messages) = channel();
        let left = Arc::new(AtomicUsize::new(0));
        let receiver = LaneReceiver { messages, left: Arc::clone(&left) };
        (Lane { budget, number, out, to, left, text: Vec::new(), before: None, ignores: false }, receiver)
    }

    /// Discards printed records if true.
    pub(super) fn ignore(&mut self, ignores: bool) {
        self.ignores = ignores;
    }

    /// Sends a message after the records printed so far.
    ///
    /// # Errors
    /// Write errors, and `BrokenPipe` if the writer has stopped.
    pub(super) fn send(&mut self, message: LaneMessage) -> io::Result<()> {
        if !self.text.is_empty() {
            self.take_output(0)?;
        }
        self.queue(message)
    }

    /// Sends a message before the records that follow, if there are any.
    ///
    /// # Errors
    /// Those of [`Lane::send`].
    pub(super) fn send_with_records(&mut self, message: LaneMessage) -> io::Result<()> {
        if !self.text.is_empty() {
            self.take_output(0)?;
        }
        self.before = Some(message);
        Ok(())
    }

    /// Sends the printed records. `more` is the expected size of the next ones.
    fn take_output(&mut self, more: usize) -> io::Result<()> {
        if let Some(before) = self.before.take() {
            self.queue(before)?;
        }
        if self.is_turn() && self.left.load(Ordering::Acquire) == 0 {
            let written = self.out.get().write_all(&self.text);
            self.text.clear();
            return written;
        }
        let mut text = std::mem::replace(&mut self.text, Vec::with_capacity(more));
        text.shrink_to_fit();
        self.queue(LaneMessage::Printed(text))
    }

    fn queue(&self, message: LaneMessage) -> io::Result<()> {
        self.budget.take(self.number, message.weight())?;
        self.left.fetch_add(1, Ordering::Relaxed);
        self.to.send(message).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Whether the writer has stopped.
    pub(super) fn is_closed(&self) -> bool {
        self.budget.is_closed()
    }

    /// Whether a thread has nothing to do, and it is this input that all wait for.
    pub(super) fn has_help(&self) -> bool {
        self.is_turn() && self.budget.idle.load(Ordering::Relaxed) > 0
    }

    fn is_turn(&self) -> bool {
        self.budget.turn.load(Ordering::Relaxed) == self.number
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
