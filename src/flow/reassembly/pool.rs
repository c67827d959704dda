//! A pool of buffers for long messages, shared by streams. A long message is short-lived, and the system maps and clears memory
//! for each allocation of that size.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// Number of unused blocks that are kept.
const BLOCKS: usize = 4;

/// Size of the smallest block that is kept.
const MIN_BLOCK: usize = 32 << 10;

/// Maximum size of all blocks of a thread, used and unused.
const MAX_POOL_BYTES: usize = 2 << 20;

/// Maximum ratio of block size to the requested size.
const MAX_SIZE_RATIO: usize = 16;

thread_local! {
    static POOL: Cell<Pool> = const { Cell::new(Pool { waiting: [const { Vec::new() }; BLOCKS], borrowed: 0 }) };
}

/// A buffer with memory of its own or from the pool.
#[derive(Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Bytes of it that belong to the pool.
    borrowed: usize,
}

#[derive(Default)]
struct Pool {
    waiting: [Vec<u8>; BLOCKS],
    /// Bytes of the blocks in use.
    borrowed: usize,
}

impl Block {
    /// Grows to this capacity: with a block of the pool, or to a multiple of the current length.
    pub(super) fn grow_to(&mut self, needed: usize) {
        let is_borrowed = with_pool(|pool| {
            let Some(mut block) = pool.take(needed) else { return false };
            block.extend_from_slice(self);
            let former = std::mem::replace(&mut self.bytes, block);
            pool.put(former, std::mem::replace(&mut self.borrowed, self.bytes.capacity()));
            true
        });
        if is_borrowed != Some(true) {
            // A long message is copied at each step, so few steps lead to the size of a block.
            let fourfold = (3 * self.bytes.len()).min(MAX_POOL_BYTES);
            self.bytes.reserve(needed.saturating_sub(self.bytes.len()).max(fourfold));
        }
    }

    /// Shrinks to the needed capacity, or `capacity`, and returns the rest to the pool.
    pub(super) fn release(&mut self, capacity: usize) {
        let needed = self.bytes.len().max(capacity);
        if self.bytes.capacity() < MIN_BLOCK || self.bytes.capacity() <= 2 * needed {
            self.bytes.shrink_to(needed);
            self.update_pool_count();
            return;
        }
        let mut few = Vec::with_capacity(needed);
        few.extend_from_slice(self);
        let former = std::mem::replace(&mut self.bytes, few);
        let borrowed = std::mem::take(&mut self.borrowed);
        with_pool(|pool| pool.put(former, borrowed));
    }

    /// Updates the pool's count after a block was shortened. A block below the minimum no longer belongs to the pool.
    fn update_pool_count(&mut self) {
        let is_worth_it = self.bytes.capacity() >= MIN_BLOCK;
        let left = if is_worth_it { self.borrowed.min(self.bytes.capacity()) } else { 0 };
        let less = std::mem::replace(&mut self.borrowed, left) - left;
        if less > 0 {
            with_pool(|pool| pool.borrowed = pool.borrowed.saturating_sub(less));
        }
    }
}

impl Pool {
    /// The smallest block with at least this capacity, but not much more.
    fn take(&mut self, needed: usize) -> Option<Vec<u8>> {
        let fits = |block: &&mut Vec<u8>| (needed..=needed.saturating_mul(MAX_SIZE_RATIO)).contains(&block.capacity());
        let block = self.waiting.iter_mut().filter(fits).min_by_key(|block| block.capacity())?;
        self.borrowed += block.capacity();
        Some(std::mem::take(block))
    }

    /// Returns a block to the pool in place of the smallest one, shortened to the limit of the pool.
    fn put(&mut self, mut block: Vec<u8>, borrowed: usize) {
        self.borrowed = self.borrowed.saturating_sub(borrowed);
        let all = self.borrowed + self.waiting.iter().map(Vec::capacity).sum::<usize>();
        let Some(smallest) = self.waiting.iter_mut().min_by_key(|block| block.capacity()) else { return };
        block.clear();
        block.shrink_to(MAX_POOL_BYTES.saturating_sub(all - smallest.capacity()));
        if block.capacity() >= MIN_BLOCK.max(smallest.capacity() + 1) {
            *smallest = block;
        }
    }
}

/// Uses the pool of this thread, which is dropped with the thread.
fn with_pool<T>(ask: impl FnOnce(&mut Pool) -> T) -> Option<T> {
    let all = |all: &Cell<Pool>| {
        let mut pool = all.take();
        let answer = ask(&mut pool);
        all.set(pool);
        answer
    };
    POOL.try_with(all).ok()
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.bytes.capacity() >= MIN_BLOCK {
            let (bytes, borrowed) = (std::mem::take(&mut self.bytes), self.borrowed);
            with_pool(|pool| pool.put(bytes, borrowed));
        }
    }
}

impl Deref for Block {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting() -> ([usize; BLOCKS], usize) {
        let pool = POOL.take();
        let mut capacities = pool.waiting.each_ref().map(Vec::capacity);
        capacities.sort_unstable();
        let borrowed = pool.borrowed;
        POOL.set(pool);
        (capacities, borrowed)
    }

    fn block(bytes: &[u8], needed: usize) -> Block {
        let mut block = Block { bytes: bytes.to_vec(), borrowed: 0 };
        block.grow_to(needed);
        assert!(block.capacity() >= needed);
        block
    }

    fn give(capacity: usize) {
        let mut block = Block { bytes: Vec::with_capacity(capacity), borrowed: 0 };
        block.release(0);
        assert_eq!(block.capacity(), 0);
    }

    #[test]
    fn a_block_is_reused_by_the_next_stream() {
        let mut first = block(b"abc", 100_000);
        let (place, capacity) = (first.as_ptr(), first.capacity());
        first.release(8);
        assert_eq!((first.as_slice(), first.capacity()), (b"abc".as_slice(), 8));
        let mut second = block(b"defg", 50_000);
        assert_eq!((second.as_slice(), second.as_ptr()), (b"defg".as_slice(), place));
        assert_eq!(waiting(), ([0; BLOCKS], capacity));
        second.release(0);
        assert_eq!((second.as_slice(), waiting()), (b"defg".as_slice(), ([0, 0, 0, capacity], 0)));
    }

    #[test]
    fn a_released_block_returns_to_the_pool() {
        let first = block(b"", 100_000);
        let capacity = first.capacity();
        drop(first);
        let second = block(b"", 50_000);
        assert_eq!(waiting(), ([0; BLOCKS], capacity));
        drop(second);
        assert_eq!(waiting(), ([0, 0, 0, capacity], 0));
    }

    #[test]
    fn truncated_blocks_are_not_reused() {
        give(64 << 10);
        let mut block = block(b"", 65_000);
        block.extend_from_slice(&[7; 64_000]);
        for (unread, borrowed) in [(35_000, 35_000), (20_000, 0), (9_000, 0)] {
            block.truncate(unread);
            block.release(0);
            assert_eq!((block.capacity(), waiting()), (unread, ([0; BLOCKS], borrowed)));
        }
        drop(block);
        assert_eq!(waiting(), ([0; BLOCKS], 0));
    }

    #[test]
    fn small_requests_get_no_large_block() {
        give(900 << 10);
        drop(block(b"", 50_000));
        assert_eq!(waiting().1, 0);
        let _large = block(b"", 60_000);
        assert_eq!(waiting().1, 900 << 10);
    }

    #[test]
    fn a_full_block_is_exchanged_for_a_larger_one() {
        give(40 << 10);
        give(90 << 10);
        let mut grows = block(&[7; 100], 33 << 10);
        assert_eq!(waiting(), ([0, 0, 0, 90 << 10], 40 << 10));
        grows.grow_to(80 << 10);
        assert_eq!((grows.as_slice(), waiting()), ([7; 100].as_slice(), ([0, 0, 0, 40 << 10], 90 << 10)));
        // Without a suitable block, it grows by itself.
        grows.grow_to(200 << 10);
        assert_eq!((grows.as_slice(), waiting()), ([7; 100].as_slice(), ([0, 0, 0, 40 << 10], 90 << 10)));
        grows.release(0);
        assert_eq!(waiting().1, 0);
    }

    #[test]
    fn neither_many_nor_much_nor_small_ones_wait() {
        [1, 40, 50, 60, 70, 80, 45].into_iter().for_each(|kib| give(kib << 10));
        assert_eq!(waiting().0, [50, 60, 70, 80].map(|kib| kib << 10));
        give(1 << 30);
        let left = MAX_POOL_BYTES - (210 << 10);
        assert_eq!(waiting().0, [60 << 10, 70 << 10, 80 << 10, left]);
        // Blocks in use count, so there is no memory for another large one.
        let borrowed = block(b"", 600 << 10);
        assert_eq!(waiting(), ([0, 60 << 10, 70 << 10, 80 << 10], left));
        give(1 << 30);
        assert_eq!(waiting(), ([0, 60 << 10, 70 << 10, 80 << 10], left));
        drop(borrowed);
        assert_eq!(waiting(), ([60 << 10, 70 << 10, 80 << 10, left], 0));
    }
}
