//! Fields by name.

use crate::tree::Field;
use crate::wire::Protocol;
use std::collections::HashMap;

/// Fields by name, built in one pass: maps each name to its first field in a chain.
#[derive(Default)]
pub(super) struct Index {
    first: HashMap<&'static str, usize, foldhash::fast::RandomState>,
    /// Each field with the index of the next one of the same name; its own index at the end of a chain.
    chain: Vec<(&'static Field, usize)>,
}

impl Index {
    /// Indexes the fields of these protocols under their names and aliases, in order.
    pub(super) fn new(protocols: &[&'static Protocol]) -> Index {
        let count = protocols.iter().map(|protocol| protocol.fields.len()).sum();
        let mut index = Index { first: HashMap::default(), chain: Vec::with_capacity(count) };
        index.first.reserve(count);
        for protocol in protocols.iter().rev() {
            for field in protocol.fields.iter().rev() {
                if !field.also.is_empty() {
                    index.put(field.also, field);
                }
                index.put(field.abbrev, field);
            }
        }
        index
    }

    /// Puts a field before the others of this name.
    fn put(&mut self, name: &'static str, field: &'static Field) {
        let place = self.chain.len();
        let next = self.first.insert(name, place).unwrap_or(place);
        self.chain.push((field, next));
    }

    pub(super) fn named(&self, name: &str) -> Vec<&'static Field> {
        let mut next = self.first.get(name).copied();
        let step = || {
            let place = next?;
            let (field, behind) = *self.chain.get(place)?;
            next = (behind != place).then_some(behind);
            Some(field)
        };
        std::iter::from_fn(step).collect()
    }
}
