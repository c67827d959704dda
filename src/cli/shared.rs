//! A writer with two owners.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer with two owners: one prints, the other manages the output.
pub(super) struct Shared<W>(Arc<Mutex<W>>);

impl<W> Shared<W> {
    /// Wraps a writer.
    pub(super) fn new(to: W) -> Shared<W> {
        Shared(Arc::new(Mutex::new(to)))
    }

    /// Locks the writer.
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
