//! Interned names of dict members, with reference counts.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// An interned name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Symbol(pub(super) u32);

#[derive(Debug, Default)]
pub(super) struct Interner {
    symbols: Vec<Interned>,
    by_text: HashTable<Symbol>,
    /// Free indices.
    free: Vec<Symbol>,
    bytes: usize,
    seed: RandomState,
}

#[derive(Debug)]
struct Interned {
    text: Box<str>,
    uses: u32,
}

fn at(symbols: &[Interned], word: Symbol) -> &str {
    symbols.get(word.0 as usize).map_or("", |symbols| &symbols.text)
}

impl Interner {
    /// Bytes of all names.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn memory_usage(&self) -> usize {
        // Minimum heap block, used as the overhead of each name.
        const BLOCK: usize = 24;
        self.symbols.capacity() * size_of::<Interned>()
            + self.by_text.allocation_size()
            + self.free.capacity() * size_of::<Symbol>()
            + self.by_text.len() * BLOCK
            + self.bytes
    }

    pub(super) fn get(&self, word: Symbol) -> &str {
        at(&self.symbols, word)
    }

    /// Interns a name, which is UTF-8; it is validated only if new. `None` if the index would overflow.
    pub(super) fn take(&mut self, text: &[u8]) -> Option<Symbol> {
        let hash = self.seed.hash_one(text);
        if let Some(word) = self.by_text.find(hash, |word| at(&self.symbols, *word).as_bytes() == text).copied() {
            self.again(word);
            return Some(word);
        }
        let symbols = Interned { text: std::str::from_utf8(text).ok()?.into(), uses: 1 };
        let word = match self.free.pop() {
            Some(word) => {
                *self.symbols.get_mut(word.0 as usize)? = symbols;
                word
            }
            None => {
                self.symbols.push(symbols);
                Symbol(u32::try_from(self.symbols.len() - 1).ok()?)
            }
        };
        self.bytes += text.len();
        self.by_text.insert_unique(hash, word, |word| self.seed.hash_one(at(&self.symbols, *word).as_bytes()));
        Some(word)
    }

    /// Adds a reference.
    pub(super) fn again(&mut self, word: Symbol) {
        if let Some(symbols) = self.symbols.get_mut(word.0 as usize) {
            symbols.uses += 1;
        }
    }

    /// Drops a reference, and the name with the last one.
    pub(super) fn release(&mut self, word: Symbol) {
        let Some(symbols) = self.symbols.get_mut(word.0 as usize) else { return };
        symbols.uses = symbols.uses.saturating_sub(1);
        if symbols.uses > 0 {
            return;
        }
        let text = std::mem::take(&mut symbols.text);
        if let Ok(entry) = self.by_text.find_entry(self.seed.hash_one(text.as_bytes()), |other| *other == word) {
            entry.remove();
            self.bytes = self.bytes.saturating_sub(text.len());
            self.free.push(word);
        }
    }

    /// Reference counts.
    #[cfg(test)]
    pub(super) fn uses(&self) -> std::collections::HashMap<Symbol, u32> {
        self.by_text.iter().map(|word| (*word, self.symbols[word.0 as usize].uses)).collect()
    }
}
