//! The static and dynamic tables of HPACK.

use super::static_table::ENTRIES;
use crate::limits;
use std::collections::VecDeque;

/// Overhead of an entry (RFC 7541 section 4.1).
const OVERHEAD: usize = 32;

/// Maximum size of the dynamic table before the first size update.
const DEFAULT_SIZE: usize = 4096;

/// The dynamic table of one direction.
pub(crate) struct Table {
    /// Newest first.
    entries: VecDeque<Entry>,
    size: usize,
    /// Maximum size; `None` if a size update may have been missed.
    most: Option<usize>,
    /// Entries of the encoder may be missing here, because their bytes were not captured.
    is_partial: bool,
}

/// Entry of the dynamic table.
pub(super) struct Entry {
    pub(super) name: Box<[u8]>,
    pub(super) value: Box<[u8]>,
    /// Whether the name is known. An unknown name may have a literal value.
    pub(super) is_named: bool,
}

/// Entry of an index.
#[derive(Default)]
pub(super) struct Found<'t> {
    pub(super) name: &'t [u8],
    pub(super) value: &'t [u8],
    pub(super) is_known: bool,
}

impl Default for Table {
    fn default() -> Table {
        Table { entries: VecDeque::new(), size: 0, most: Some(DEFAULT_SIZE), is_partial: false }
    }
}

impl Entry {
    fn size(&self) -> usize {
        OVERHEAD + self.name.len() + self.value.len()
    }
}

impl Table {
    /// Whether entries of the encoder may be missing.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Approximate heap memory in bytes.
    pub(crate) fn memory_usage(&self) -> usize {
        self.size + self.entries.capacity() * size_of::<Entry>()
    }

    /// Clears the table after an unknown header block. Entries that are added later have known indexes.
    pub(crate) fn lose(&mut self) {
        *self = Table { most: None, is_partial: true, ..Table::default() };
    }

    pub(super) fn find(&self, index: u64) -> Found<'_> {
        let place = usize::try_from(index).unwrap_or(usize::MAX).saturating_sub(1);
        if let Some((name, value)) = ENTRIES.get(place) {
            return Found { name: name.as_bytes(), value: value.as_bytes(), is_known: true };
        }
        match self.entries.get(place.saturating_sub(ENTRIES.len())) {
            Some(entry) => Found { name: &entry.name, value: &entry.value, is_known: entry.is_named },
            None => Found::default(),
        }
    }

    pub(super) fn resize(&mut self, size: u64) {
        self.most = Some(usize::try_from(size).unwrap_or(usize::MAX));
        self.evict();
    }

    pub(super) fn add(&mut self, entry: Entry) {
        self.size += entry.size();
        self.entries.push_front(entry);
        self.evict();
    }

    /// Evicts the oldest entries. If the encoder's maximum is larger than the limit, later indexes may be unknown.
    fn evict(&mut self) {
        let limit = limits::HTTP2_TABLE.get();
        let most = self.most.unwrap_or(limit);
        while self.size > most.min(limit)
            && let Some(oldest) = self.entries.pop_back()
        {
            self.size -= oldest.size();
            self.is_partial |= most > limit;
        }
    }

    /// Names, values and size of the entries, newest first.
    #[cfg(test)]
    pub(super) fn shown(&self) -> String {
        let entry = |entry: &Entry| {
            let [name, value] = [&entry.name, &entry.value].map(|text| String::from_utf8_lossy(text).into_owned());
            format!("{:>3} {name}: {value}\n", entry.size())
        };
        self.entries.iter().map(entry).chain([format!("{:>3}\n", self.size)]).collect()
    }
}
