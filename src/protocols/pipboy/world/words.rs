//! Interned names of dict members, with reference counts.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// An interned name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Word(pub(super) u32);

#[derive(Debug, Default)]
pub(super) struct Words {
    known: Vec<Known>,
    by_text: HashTable<Word>,
    /// Free indices.
    free: Vec<Word>,
    bytes: usize,
    seed: RandomState,
}

#[derive(Debug)]
struct Known {
    text: Box<str>,
    uses: u32,
}

fn at(known: &[Known], word: Word) -> &str {
    known.get(word.0 as usize).map_or("", |known| &known.text)
}

impl Words {
    /// Bytes of all names.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn held(&self) -> usize {
        // Minimum heap block, used as the overhead of each name.
        const BLOCK: usize = 24;
        self.known.capacity() * size_of::<Known>()
            + self.by_text.allocation_size()
            + self.free.capacity() * size_of::<Word>()
            + self.by_text.len() * BLOCK
            + self.bytes
    }

    pub(super) fn get(&self, word: Word) -> &str {
        at(&self.known, word)
    }

    /// Interns a name, which is UTF-8; it is validated only if new. `None` if the index would overflow.
    pub(super) fn take(&mut self, text: &[u8]) -> Option<Word> {
        let hash = self.seed.hash_one(text);
        if let Some(word) = self.by_text.find(hash, |word| at(&self.known, *word).as_bytes() == text).copied() {
            self.again(word);
            return Some(word);
        }
        let known = Known { text: std::str::from_utf8(text).ok()?.into(), uses: 1 };
        let word = match self.free.pop() {
            Some(word) => {
                *self.known.get_mut(word.0 as usize)? = known;
                word
            }
            None => {
                self.known.push(known);
                Word(u32::try_from(self.known.len() - 1).ok()?)
            }
        };
        self.bytes += text.len();
        self.by_text.insert_unique(hash, word, |word| self.seed.hash_one(at(&self.known, *word).as_bytes()));
        Some(word)
    }

    /// Adds a reference.
    pub(super) fn again(&mut self, word: Word) {
        if let Some(known) = self.known.get_mut(word.0 as usize) {
            known.uses += 1;
        }
    }

    /// Drops a reference, and the name with the last one.
    pub(super) fn release(&mut self, word: Word) {
        let Some(known) = self.known.get_mut(word.0 as usize) else { return };
        known.uses = known.uses.saturating_sub(1);
        if known.uses > 0 {
            return;
        }
        let text = std::mem::take(&mut known.text);
        if let Ok(entry) = self.by_text.find_entry(self.seed.hash_one(text.as_bytes()), |other| *other == word) {
            entry.remove();
            self.bytes = self.bytes.saturating_sub(text.len());
            self.free.push(word);
        }
    }

    /// Reference counts.
    #[cfg(test)]
    pub(super) fn uses(&self) -> std::collections::HashMap<Word, u32> {
        self.by_text.iter().map(|word| (*word, self.known[word.0 as usize].uses)).collect()
    }
}
