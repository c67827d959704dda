//! The value tree and a queue of undecoded updates.
//!
//! Updates are queued while no output needs values, so a filter that rejects a connection never builds its tree.

use super::update;
use super::world::World;

/// Maximum size of the queue in bytes.
const QUEUE_MAX: usize = 1 << 20;

/// Bytes of the length in front of each queued update.
const LENGTH: usize = 4;

/// Values sent by the game.
#[derive(Default)]
pub(super) struct Values {
    world: World,
    /// Undecoded entries of updates, each with its length in front.
    queue: Vec<u8>,
}

impl Values {
    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.world.memory_usage() + self.queue.capacity()
    }

    /// Returns the value tree after decoding queued updates.
    pub(super) fn world(&mut self) -> &mut World {
        if !self.queue.is_empty() {
            self.drain_queue();
        }
        &mut self.world
    }

    /// Queues the entries of an update whose fields are not requested.
    pub(super) fn enqueue(&mut self, entries: &[u8]) {
        if self.queue.len() + LENGTH + entries.len() > QUEUE_MAX {
            return update::add_queued(self.world(), entries);
        }
        let length = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        self.queue.extend_from_slice(&length.to_le_bytes());
        self.queue.extend_from_slice(entries);
    }

    #[cold]
    fn drain_queue(&mut self) {
        let queue = std::mem::take(&mut self.queue);
        let mut left = queue.as_slice();
        while let Some((length, behind)) = left.split_first_chunk::<LENGTH>() {
            let length = u32::from_le_bytes(*length) as usize;
            let Some((entries, behind)) = behind.split_at_checked(length) else { return };
            update::add_queued(&mut self.world, entries);
            left = behind;
        }
    }

    /// Returns all values as a JSON document, if any. The queue is empty if objects are requested.
    pub(super) fn json(&self) -> Option<Vec<u8>> {
        self.world.json()
    }
}
