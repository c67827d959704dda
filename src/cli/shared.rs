//! Something to write to that has two owners.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something to write to that has two owners: one prints, the other looks after what is printed.
pub(super) struct Shared<W>(Arc<Mutex<W>>);

impl<W> Shared<W> {
    /// The first owner's.
    pub(super) fn new(to: W) -> Shared<W> {
        Shared(Arc::new(Mutex::new(to)))
    }

    /// What is owned, for a moment.
    pub(super) fn get(&self) -> MutexGuard<'_, W> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> Clone for Shared<W> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<W: Write> Write for Shared<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.get().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.get().flush()
    }
}
