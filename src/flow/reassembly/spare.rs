//! Memory for long messages, which goes from one stream to the next: a message is long for a moment, and memory that is given
//! back and asked for again has to be mapped and cleared by the system each time.

use std::cell::Cell;
use std::ops::RangeInclusive;

/// Blocks that wait for the next long message.
const BLOCKS: usize = 4;

/// Bytes of a block that is kept. Smaller ones are not worth it.
const KEPT: RangeInclusive<usize> = 32 << 10..=512 << 10;

thread_local! {
    static WAITING: Cell<[Vec<u8>; BLOCKS]> = const { Cell::new([const { Vec::new() }; BLOCKS]) };
}

/// Give `bytes` room for so many in all: a block that waits, or twice as much as it had.
pub(super) fn lend(bytes: &mut Vec<u8>, needed: usize) {
    let mut waiting = WAITING.take();
    let fits = waiting.iter_mut().filter(|block| block.capacity() >= needed).min_by_key(|block| block.capacity());
    match fits {
        Some(block) => {
            block.extend_from_slice(bytes);
            std::mem::swap(bytes, block);
            *block = emptied(std::mem::take(block));
        }
        None => bytes.reserve(needed.saturating_sub(bytes.len())),
    }
    WAITING.set(waiting);
}

/// Let `bytes` have no more room than it needs, or `room`; what it had waits for the next long message.
pub(super) fn take_back(bytes: &mut Vec<u8>, room: usize) {
    let needed = bytes.len().max(room);
    let much = bytes.capacity();
    let mut waiting = WAITING.take();
    let smallest = waiting.iter_mut().min_by_key(|block| block.capacity());
    match smallest.filter(|block| KEPT.contains(&much) && much > block.capacity() && much > 2 * needed) {
        Some(block) => {
            let mut few = Vec::with_capacity(needed);
            few.extend_from_slice(bytes);
            *block = emptied(std::mem::replace(bytes, few));
        }
        None => bytes.shrink_to(needed),
    }
    WAITING.set(waiting);
}

/// A block that may wait: nothing of it, if it is not worth that.
fn emptied(mut block: Vec<u8>) -> Vec<u8> {
    block.clear();
    if KEPT.contains(&block.capacity()) { block } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacities() -> [usize; BLOCKS] {
        let waiting = WAITING.take();
        let capacities = [0, 1, 2, 3].map(|at| waiting[at].capacity());
        WAITING.set(waiting);
        capacities
    }

    #[test]
    fn a_block_goes_from_one_to_the_next_with_what_is_there() {
        let mut first = b"abc".to_vec();
        lend(&mut first, 100_000);
        assert!(first.capacity() >= 100_000);
        let block = first.as_ptr();
        take_back(&mut first, 8);
        assert_eq!((first.as_slice(), first.capacity()), (b"abc".as_slice(), 8));
        let mut second = b"defg".to_vec();
        lend(&mut second, 50_000);
        assert_eq!((second.as_slice(), second.as_ptr()), (b"defg".as_slice(), block));
        assert_eq!(capacities(), [0; BLOCKS]);
    }

    #[test]
    fn neither_many_nor_large_nor_small_ones_wait() {
        let capacity = |kib: usize| kib << 10;
        for kib in [1, 600, 40, 50, 60, 70, 80, 45] {
            let mut bytes = Vec::with_capacity(capacity(kib));
            take_back(&mut bytes, 0);
            assert_eq!(bytes.capacity(), 0);
        }
        let mut waiting = capacities();
        waiting.sort_unstable();
        assert_eq!(waiting, [50, 60, 70, 80].map(capacity));
        let mut bytes = vec![7; 100];
        lend(&mut bytes, capacity(90));
        assert_eq!((bytes.len(), capacities().iter().filter(|capacity| **capacity > 0).count()), (100, BLOCKS));
    }
}
