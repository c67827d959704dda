//! Readers for steps that most protocols share.

use super::Wire;
use crate::tree::Field;
use crate::wire::Result;

impl Wire<'_> {
    /// Reads all remaining bytes as the last step of a reader.
    ///
    /// # Errors
    /// Never: its type lets it be the last expression.
    pub fn rest_is(&mut self, field: &'static Field) -> Result {
        self.rest(field);
        Ok(())
    }

    /// Reads one thing after another until no bytes remain. `read` must read at least one byte or fail.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn each<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result {
        while self.remaining() > 0 {
            read(self)?;
        }
        Ok(())
    }

    /// Reads groups until no bytes remain.
    ///
    /// # Errors
    /// Those of [`Wire::group`].
    pub fn groups<T>(&mut self, field: &'static Field, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result {
        self.each(|wire| wire.group(field, &mut read))
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::fields;
    use crate::wire::{Cut, Protocol, Result, Wire, trial};

    static PROTOCOL: Protocol = Protocol::new(&TOY, FIELDS, &[]);

    fields! {
        TOY = protocol("toy", "Toy", "A toy protocol");
        NUMBER = number("toy.number", "number", "");
        DATA = bytes("toy.data", "data", "");
        PAIR = group("toy.pair", "pair", "");
    }

    fn dump(hex: &str, read: impl FnOnce(&mut Wire<'_>) -> Result) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, read)
    }

    #[test]
    fn a_rest_without_bytes_adds_no_field() {
        let read = |wire: &mut Wire<'_>| {
            wire.u8(&NUMBER)?;
            wire.rest_is(&DATA)
        };
        assert_eq!(dump("07", read), "toy 0..1\n  0..1 toy.number = 7\n");
        assert_eq!(dump("07 0809", read), "toy 0..3\n  0..1 toy.number = 7\n  1..3 toy.data = 0809\n");
    }

    #[test]
    fn numbers_and_groups_are_read_until_the_end() {
        let tree = dump("07 08", |wire| wire.each(|wire| wire.u8(&NUMBER)));
        assert_eq!(tree, "toy 0..2\n  0..1 toy.number = 7\n  1..2 toy.number = 8\n");
        let pairs = |wire: &mut Wire<'_>| {
            wire.groups(&PAIR, |wire| {
                wire.u8(&NUMBER)?;
                wire.u8(&NUMBER)
            })
        };
        let tree = dump("01 02 03", pairs);
        assert!(
            tree.starts_with("toy 0..3\n  0..2 toy.pair\n    0..1 toy.number = 1\n    1..2 toy.number = 2\n  2..3 toy.pair\n"),
            "{tree}"
        );
    }
}
