//! Compressed bytes that are held back until a message is complete.

use super::Failure;

/// Input may be longer than the output by this much: the largest overhead of any format for small messages.
const OVERHEAD: usize = 4096;

/// The bytes of a message.
#[derive(Clone, Default)]
pub(super) struct Held(Vec<u8>);

impl Held {
    /// Adds bytes. Input of twice the limit of output is refused.
    pub(super) fn add(&mut self, bytes: &[u8], most: usize) -> Result<(), Failure> {
        if self.0.len().saturating_add(bytes.len()) > most.saturating_mul(2).saturating_add(OVERHEAD) {
            return Err(Failure::TooLong);
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }

    pub(super) fn memory(&self) -> usize {
        self.0.capacity()
    }
}
