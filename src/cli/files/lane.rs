//! The way of what is printed of one input, from the thread that reads it to where everything goes.

use super::super::outcome::Outcome;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of output that go on at once.
const BLOCK: usize = 64 << 10;

/// Bytes that the input whose turn it is may let wait beyond the others: it never waits for those behind it.
const OWN: usize = 8 * BLOCK;

/// Bytes that anything said weighs beside its text.
const WEIGHT: usize = 4 << 10;

/// What is said of an input.
pub(super) enum Said {
    /// It begins.
    Begin { format: String, links: Vec<String> },
    /// This is printed of it.
    Printed(Vec<u8>),
    /// This is wrong with it.
    Complaint(String),
    /// That was all.
    Done(io::Result<Outcome>),
}

impl Said {
    /// What it weighs while it waits.
    pub(super) fn weight(&self) -> usize {
        match self {
            Said::Printed(text) => WEIGHT + text.len(),
            Said::Begin { .. } | Said::Complaint(_) | Said::Done(_) => WEIGHT,
        }
    }
}

/// How much of what was said waits, and for whom.
pub(super) struct OutputBudget {
    most: usize,
    waiting: Mutex<usize>,
    changed: Condvar,
    /// The input that is put out.
    turn: AtomicUsize,
    /// Threads that have nothing to do.
    idle: AtomicUsize,
    closed: AtomicBool,
}

impl OutputBudget {
    /// For so many bytes, and so many threads that have nothing to do.
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

    /// Find room for something said of this input.
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

    /// So much waits no more.
    fn free(&self, weight: usize) {
        *self.waiting() -= weight;
        self.changed.notify_all();
    }

    /// What is said of this input is put out from now on.
    pub(super) fn turn_to(&self, number: usize) {
        let _waiting = self.waiting();
        self.turn.store(number, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// A thread has no more to do.
    pub(super) fn leave(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether nobody puts anything out any more.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Closes the room when it goes.
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

/// Where everything goes.
#[derive(Clone, Copy)]
pub(super) struct Out<'a>(pub(super) &'a Mutex<dyn Write + Send>);

impl Out<'_> {
    fn get(&self) -> MutexGuard<'_, dyn Write + Send + 'static> {
        let Out(out) = self;
        out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is said in a lane, as it is heard.
pub(super) struct Heard {
    said: Receiver<Said>,
    /// How much was said that is not out.
    left: Arc<AtomicUsize>,
}

impl Heard {
    /// What was heard last, and weighs so much, is out.
    pub(super) fn is_out(&self, room: &OutputBudget, weight: usize) {
        room.free(weight);
        self.left.fetch_sub(1, Ordering::Release);
    }
}

impl Iterator for &Heard {
    type Item = Said;

    fn next(&mut self) -> Option<Said> {
        self.said.recv().ok()
    }
}

/// Gathers what is printed of an input, and sends it on: straight out when it is its turn and nothing is before it.
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
        let (to, said) = channel();
        let left = Arc::new(AtomicUsize::new(0));
        let heard = Heard { said, left: Arc::clone(&left) };
        (Lane { room, number, out, to, left, text: Vec::new(), ignores: false }, heard)
    }

    /// Whether what is printed goes nowhere.
    pub(super) fn ignore(&mut self, ignores: bool) {
        self.ignores = ignores;
    }

    /// Say something behind what was printed so far.
    ///
    /// # Errors
    /// Those of writing, and that nobody listens any more.
    pub(super) fn say(&mut self, said: Said) -> io::Result<()> {
        if !self.text.is_empty() {
            self.take_output(0)?;
        }
        self.send(said)
    }

    /// Hand on what was printed. Behind it so much is expected.
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

    fn send(&self, said: Said) -> io::Result<()> {
        self.room.take(self.number, said.weight())?;
        self.left.fetch_add(1, Ordering::Relaxed);
        self.to.send(said).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Whether nobody listens any more.
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
