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
}
