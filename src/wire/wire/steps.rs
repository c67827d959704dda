//! Readers for steps that most protocols share.

use super::Wire;
use crate::tree::{Field, Kind};
use crate::wire::Result;

impl<'a> Wire<'a> {
    /// Reads all remaining bytes as the last step of a reader.
    ///
    /// # Errors
    /// Never: its type lets it be the last expression.
    pub fn rest_is(&mut self, field: &'static Field) -> Result {
        self.rest(field);
        Ok(())
    }

    /// Reads `count` bytes of text or of bytes, as the field has it. Adds nothing if `count` is 0.
    pub fn optional(&mut self, field: &'static Field, count: usize) -> Result<&'a [u8]> {
        match (count, field.kind) {
            (0, _) => Ok(&[]),
            (_, Kind::Text) => self.text(field, count),
            _ => self.bytes(field, count),
        }
    }

    /// Reads a length with `number`, such as `Wire::u16_be`, and an [optional](Wire::optional) field of that length.
    pub fn counted<N: TryInto<usize>>(
        &mut self,
        number: impl FnOnce(&mut Self, &'static Field) -> Result<N>,
        length: &'static Field,
        field: &'static Field,
    ) -> Result<&'a [u8]> {
        let count = number(self, length)?;
        self.optional(field, count.try_into().unwrap_or(usize::MAX))
    }

    /// Reads one thing after another until no bytes remain. `read` must read at least one byte or fail.
    pub fn each<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result {
        while self.remaining() > 0 {
            read(self)?;
        }
        Ok(())
    }

    /// Reads groups until no bytes remain.
    pub fn groups<T>(&mut self, field: &'static Field, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result {
        self.each(|wire| wire.group(field, &mut read))
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::fields;
    use crate::wire::{Cut, Protocol, Result, Wire, trial};

    static PROTOCOL: Protocol = Protocol::new(&TOY, FIELDS);

    fields! {
        TOY = protocol("toy", "Toy", "A toy protocol");
        NUMBER = number("toy.number", "number", "");
        DATA = bytes("toy.data", "data", "");
        TEXT = text("toy.text", "text", "");
        FLAGS = number("toy.flags", "flags", "").hex(4);
        TOP = bool("toy.top", "top", "").mask(0x8000);
        LOW = number("toy.low", "low", "").mask(0x00ff);
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
    fn an_optional_field_of_no_bytes_is_not_added() {
        let read = |wire: &mut Wire<'_>| {
            assert_eq!(wire.optional(&DATA, 0), Ok(&[][..]));
            assert_eq!(wire.optional(&DATA, 1), Ok(&[7][..]));
            wire.optional(&TEXT, 2).map(drop)
        };
        assert_eq!(dump("07 6869", read), "toy 0..3\n  0..1 toy.data = 07\n  1..3 toy.text = \"hi\"\n");
    }

    #[test]
    fn a_length_counts_the_bytes_of_a_field() {
        let read = |wire: &mut Wire<'_>| {
            assert_eq!(wire.counted(Wire::u8, &NUMBER, &TEXT), Ok(&[][..]));
            wire.counted(Wire::u16_le, &NUMBER, &TEXT).map(drop)
        };
        let tree = "toy 0..5\n  0..1 toy.number = 0\n  1..3 toy.number = 2\n  3..5 toy.text = \"hi\"\n";
        assert_eq!(dump("00 0200 6869", read), tree);
    }

    #[test]
    fn little_endian_bits_are_below_their_number() {
        let tree = dump("34 92", |wire| wire.flags_le(&FLAGS, 2, &[&TOP, &LOW]).map(drop));
        assert_eq!(tree, "toy 0..2\n  0..2 toy.flags = 0x9234\n    0..2 toy.top = true\n    0..2 toy.low = 52\n");
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
