//! Hash index of a list: four bytes per entry, without a copy of the keys.

use foldhash::fast::RandomState;
use std::hash::{BuildHasher, Hash};

/// Empty slot.
const EMPTY: u32 = u32::MAX;

/// Minimum number of slots.
const FEWEST: usize = 16;

/// Open addressing over indices of a list kept by the owner.
#[derive(Debug, Default)]
pub(super) struct Index {
    slots: Vec<u32>,
    used: usize,
    seed: RandomState,
}

impl Index {
    /// Index of a key; `at` returns the key at an index.
    pub(super) fn find<K: Hash + Eq>(&self, key: &K, at: impl Fn(u32) -> Option<K>) -> Option<u32> {
        let known = self.walk(self.hash(key)).map_while(|slot| self.slots.get(slot).copied().filter(|place| *place != EMPTY));
        known.into_iter().find(|place| at(*place).as_ref() == Some(key))
    }

    /// Inserts a new index.
    pub(super) fn put<K: Hash + Eq>(&mut self, place: u32, key: &K, at: impl Fn(u32) -> Option<K>) {
        // At most three quarters full, so that probing is short and ends.
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            let slots = vec![EMPTY; (self.slots.len() * 2).max(FEWEST)];
            let old = std::mem::replace(&mut self.slots, slots);
            for place in old.into_iter().filter(|place| *place != EMPTY) {
                if let Some(key) = at(place) {
                    self.fill(place, self.hash(&key));
                }
            }
        }
        self.fill(place, self.hash(key));
        self.used += 1;
    }

    fn fill(&mut self, place: u32, hash: usize) {
        let free = self.walk(hash).find(|slot| self.slots.get(*slot) == Some(&EMPTY));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = place;
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "any bits of a hash will do")]
    fn hash<K: Hash>(&self, key: &K) -> usize {
        self.seed.hash_one(key) as usize
    }

    /// Probe sequence of a hash. The number of slots is a power of two.
    fn walk(&self, hash: usize) -> impl Iterator<Item = usize> + use<> {
        let most = self.slots.len();
        (0..most).map(move |step| hash.wrapping_add(step) & (most - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_entries_are_found() {
        let keys: Vec<u64> = (0..5000).map(|key| key * 3).collect();
        let at = |place: u32| keys.get(place as usize).copied();
        let mut index = Index::default();
        for (place, key) in (0..).zip(&keys) {
            assert_eq!(index.find(key, at), None);
            index.put(place, key, at);
        }
        for key in 0..15_000 {
            assert_eq!(index.find(&key, at).map(u64::from), (key % 3 == 0).then_some(key / 3));
        }
        assert!(index.slots.len() <= 8192, "{}", index.slots.len());
    }
}
