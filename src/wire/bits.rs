//! Reads numbers at any bit position.

use super::{Error, Result, Wire};
use crate::tree::{Bits, Field, Kind, Value};
use std::ops::Range;

/// A cursor in bits, the most significant one of a byte first. Created by [`Wire::in_bits`].
pub struct BitWire<'w, 'a> {
    wire: &'w mut Wire<'a>,
    /// Bits since the cursor was made.
    bit: usize,
    /// Its start in bytes.
    start: usize,
}

impl<'a> Wire<'a> {
    /// Reads in bits. Afterwards, reading continues after the last byte with a bit that was read.
    pub fn in_bits<T>(&mut self, read: impl FnOnce(&mut BitWire<'_, 'a>) -> Result<T>) -> Result<T> {
        let start = self.at();
        read(&mut BitWire { wire: self, bit: 0, start })
    }
}

impl<'a> BitWire<'_, 'a> {
    /// Reads a number of `count` bits, at most 32.
    pub fn number(&mut self, field: &'static Field, count: u8) -> Result<u32> {
        let raw = self.take(field, count, |raw| match field.kind {
            Kind::Bool => Value::Bool(raw != 0),
            _ => Value::Unsigned(raw.into()),
        })?;
        Ok(raw)
    }

    /// Reads a number of `count` bits, at most 32, in two's complement.
    pub fn signed(&mut self, field: &'static Field, count: u8) -> Result<i32> {
        let unused = 32 - u32::from(count.clamp(1, 32));
        let extend = |raw: u32| (raw << unused).cast_signed() >> unused;
        let raw = self.take(field, count, |raw| Value::Signed(extend(raw).into()))?;
        Ok(extend(raw))
    }

    /// Reads `count` bits, at most 32, as the value that `value` computes from them.
    pub fn with(&mut self, field: &'static Field, count: u8, value: impl FnOnce(u32) -> Value) -> Result<u32> {
        self.take(field, count, value)
    }

    /// How many of the next bits, at most `most`, are 0.
    #[must_use]
    pub fn zeros(&self, most: usize) -> usize {
        let bytes = self.wire.behind(self.start);
        let is_zero = |bit: &usize| bytes.get(bit / 8).is_some_and(|byte| byte >> (7 - bit % 8) & 1 == 0);
        (self.bit..self.bit.saturating_add(most)).take_while(is_zero).count()
    }

    /// The next `count` bits as a number, at most 32, without reading them.
    #[must_use]
    pub fn peek(&self, count: u8) -> Option<u32> {
        let bytes = self.wire.behind(self.start);
        (self.bit..self.bit + usize::from(count)).try_fold(0, |number, bit| {
            let byte = bytes.get(bit / 8)?;
            Some(number << 1 | u32::from(byte >> (7 - bit % 8) & 1))
        })
    }

    /// Reads `count` bits as one field whose value is `count`.
    pub fn run(&mut self, field: &'static Field, count: usize) -> Result {
        let range = self.pass(count)?;
        self.wire.put(field, Value::Unsigned(count as u64), range);
        Ok(())
    }

    /// Reads the bits up to the next byte boundary, if any.
    pub fn padding(&mut self, field: &'static Field) -> u32 {
        let count = u8::try_from(self.bit.next_multiple_of(8) - self.bit).unwrap_or_default();
        if count == 0 { 0 } else { self.number(field, count).unwrap_or_default() }
    }

    /// Reads fields of a group.
    pub fn group<T>(&mut self, field: &'static Field, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let from = self.start + self.bit / 8;
        let place = self.wire.put(field, Value::None, from..from);
        let result = read(self);
        let end = self.wire.at();
        self.wire.close(place, field, end);
        result
    }

    /// Number of bits left.
    #[must_use]
    pub fn left(&self) -> usize {
        (self.wire.at() - self.start + self.wire.remaining()) * 8 - self.bit
    }

    /// The cursor, for notes and computed values.
    pub fn wire(&mut self) -> &mut Wire<'a> {
        self.wire
    }

    fn take(&mut self, field: &'static Field, count: u8, value: impl FnOnce(u32) -> Value) -> Result<u32> {
        let (first, count) = (self.bit, count.min(32));
        let range = self.pass(count.into())?;
        let bytes = self.wire.behind(range.start).get(..range.len()).unwrap_or_default();
        let whole = bytes.iter().fold(0_u64, |whole, byte| whole << 8 | u64::from(*byte));
        let raw = u32::try_from(whole >> (self.bit.next_multiple_of(8) - self.bit) & ((1 << count) - 1)).unwrap_or_default();
        let bits = Bits { first: u8::try_from(first % 8).unwrap_or_default(), count };
        self.wire.put_bits(field, value(raw), range, bits);
        Ok(raw)
    }

    /// Skips bits. Returns the range of the bytes that contain them.
    fn pass(&mut self, count: usize) -> Result<Range<usize>> {
        let (first, end) = (self.bit, self.bit.saturating_add(count));
        let range = self.start + first / 8..self.start + end.div_ceil(8);
        let there = self.wire.at() + self.wire.remaining();
        if range.end > there {
            return Err(Error::Short { needed: range.end - there });
        }
        self.wire.skip(range.end.saturating_sub(self.wire.at()))?;
        self.bit = end;
        Ok(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{FrameInfo, Span, Tree, fields};
    use crate::wire::Cut;

    fields! {
        TOY = protocol("toy", "Toy", "A toy protocol");
        A = number("toy.a", "a", "A number");
        B = number("toy.b", "b", "Another");
        G = group("toy.g", "g", "Both");
        PAD = number("toy.pad", "pad", "What is left of a byte");
    }

    #[test]
    fn bits_are_read_across_bytes_and_know_their_place() {
        let bytes = [0xe6, 0xc9, 0xb0];
        assert_eq!(FIELDS.len(), 5);
        let mut tree = Tree::complete();
        tree.begin(FrameInfo::default());
        let layer = tree.push_layer(&TOY, Span::new(0, 0..3), None, 0, true);
        let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..3, Cut::No);
        let read = wire.in_bits(|bits| {
            let first = bits.number(&A, 3)?;
            let both = bits.group(&G, |bits| Ok((bits.signed(&B, 9)?, bits.number(&A, 2)?)))?;
            assert_eq!(bits.left(), 10);
            assert_eq!(bits.padding(&PAD), 1);
            Ok((first, both))
        });
        // 111 001101100 10 01 (10110000)
        assert_eq!(read, Ok((7, (108, 2))));
        assert_eq!(wire.at(), 2);
        assert_eq!(wire.in_bits(|bits| bits.number(&A, 9)), Err(Error::Short { needed: 1 }));
        let spans: Vec<_> = tree.nodes.iter().map(|node| (node.span.start, node.span.end)).collect();
        assert_eq!(spans, [(0, 3), (0, 1), (0, 2), (0, 2), (1, 2), (1, 2)]);
        assert_eq!(tree.bits_of(3), Some(Bits { first: 3, count: 9 }));
        assert_eq!(tree.bits_of(2), None);
    }
}
