//! The dynamic table of one encoder. Absolute indexes start at the first inserted entry.

use crate::limits;
use std::collections::VecDeque;

/// Overhead of an entry (RFC 9204 section 3.2.1).
const OVERHEAD: usize = 32;

/// Dynamic table of one direction.
#[derive(Default)]
pub(in crate::protocols::http3) struct Table {
    /// Oldest first.
    entries: VecDeque<Entry>,
    size: usize,
    capacity: u64,
    /// Number of inserted entries.
    inserted: u64,
    /// Maximum capacity in the settings of the peer.
    pub(in crate::protocols::http3) most: Option<u64>,
    /// An entry was evicted because of the limit.
    pub(in crate::protocols::http3) is_partial: bool,
}

/// Name and value.
pub(in crate::protocols::http3) struct Entry {
    pub(in crate::protocols::http3) name: Box<[u8]>,
    pub(in crate::protocols::http3) value: Box<[u8]>,
}

impl Table {
    pub(in crate::protocols::http3) fn inserted(&self) -> u64 {
        self.inserted
    }

    /// Approximate heap memory in bytes.
    pub(in crate::protocols::http3) fn memory_usage(&self) -> usize {
        self.size + self.entries.capacity() * size_of::<Entry>()
    }

    /// Required Insert Count from its encoded form (RFC 9204, section 4.5.1.1).
    pub(super) fn required(&self, encoded: u64) -> Option<u64> {
        if encoded == 0 {
            return Some(0);
        }
        let entries = self.most.unwrap_or(self.capacity) / OVERHEAD as u64;
        let full = 2 * entries;
        if entries == 0 || encoded > full {
            return None;
        }
        let most = self.inserted + entries;
        let required = most / full * full + encoded - 1;
        let required = if required > most { required.checked_sub(full)? } else { required };
        Some(required).filter(|required| *required > 0)
    }

    /// The entry with an absolute index.
    pub(in crate::protocols::http3) fn get(&self, index: u64) -> Option<(&[u8], &[u8])> {
        let from_end = usize::try_from(self.inserted.checked_sub(index)?).ok()?;
        let entry = self.entries.get(self.entries.len().checked_sub(from_end)?)?;
        Some((&entry.name, &entry.value))
    }

    /// The entry with an index relative to the latest one, and its absolute index.
    pub(in crate::protocols::http3) fn relative(&self, index: u64) -> Option<(&[u8], &[u8])> {
        self.get(self.inserted.checked_sub(index.checked_add(1)?)?)
    }

    pub(in crate::protocols::http3) fn resize(&mut self, capacity: u64) {
        self.capacity = capacity;
        self.evict();
    }

    pub(in crate::protocols::http3) fn insert(&mut self, entry: Entry) {
        self.inserted += 1;
        self.size += entry.size();
        self.entries.push_back(entry);
        self.evict();
    }

    fn evict(&mut self) {
        let limit = limits::HTTP3_TABLE.get() as u64;
        while self.size as u64 > self.capacity.min(limit)
            && let Some(oldest) = self.entries.pop_front()
        {
            self.size -= oldest.size();
            self.is_partial |= self.capacity > limit;
        }
    }
}

impl Entry {
    fn size(&self) -> usize {
        OVERHEAD + self.name.len() + self.value.len()
    }
}
