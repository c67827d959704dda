//! What the game has told: the tree of all values, and updates that wait to be put into it until somebody looks.
//!
//! Where nobody does, as with a filter that lets nothing of a connection pass, its tree is never grown.

use super::update;
use super::world::World;

/// The most bytes that wait.
const MOST: usize = 1 << 20;

/// Bytes in front of each update that waits: how long it is.
const LENGTH: usize = 4;

/// What the game has told.
#[derive(Default)]
pub(super) struct Known {
    world: World,
    /// The entries of updates, each with their length before them.
    waiting: Vec<u8>,
}

impl Known {
    /// Bytes of memory held on the heap, about.
    pub(super) fn held(&self) -> usize {
        self.world.held() + self.waiting.capacity()
    }

    /// The tree of all that was told.
    pub(super) fn world(&mut self) -> &mut World {
        if !self.waiting.is_empty() {
            self.catch_up();
        }
        &mut self.world
    }

    /// The entries of an update that nobody looks at.
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

    /// All values as a JSON document, if there are any. Where that is wanted nothing waits.
    pub(super) fn json(&self) -> Option<Vec<u8>> {
        self.world.json()
    }
}
