//! The value tree and a queue of undecoded updates.
//!
//! Updates are queued while no output needs values, so a filter that rejects a connection never builds its tree.

use super::update;
use super::world::World;

/// Maximum size of the queue in bytes.
const MOST: usize = 1 << 20;

/// Bytes of the length in front of each queued update.
const LENGTH: usize = 4;

/// Values sent by the game.
#[derive(Default)]
pub(super) struct Known {
    world: World,
    /// Undecoded entries of updates, each with its length in front.
    waiting: Vec<u8>,
}

impl Known {
    /// Approximate heap memory in bytes.
    pub(super) fn held(&self) -> usize {
        self.world.held() + self.waiting.capacity()
    }

    /// Returns the value tree after decoding queued updates.
    pub(super) fn world(&mut self) -> &mut World {
        if !self.waiting.is_empty() {
            self.catch_up();
        }
        &mut self.world
    }

    /// Queues the entries of an update whose fields are not requested.
    pub(super) fn later(&mut self, entries: &[u8]) {
        if self.waiting.len() + LENGTH + entries.len() > MOST {
            return update::put(self.world(), entries);
        }
        let length = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        self.waiting.extend_from_slice(&length.to_le_bytes());
        self.waiting.extend_from_slice(entries);
    }

    #[cold]
    fn catch_up(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut left = waiting.as_slice();
        while let Some((length, behind)) = left.split_first_chunk::<LENGTH>() {
            let length = u32::from_le_bytes(*length) as usize;
            let Some((entries, behind)) = behind.split_at_checked(length) else { return };
            update::put(&mut self.world, entries);
            left = behind;
        }
    }

    /// Returns all values as a JSON document, if any. The queue is empty where objects are requested.
    pub(super) fn json(&self) -> Option<Vec<u8>> {
        self.world.json()
    }
}
