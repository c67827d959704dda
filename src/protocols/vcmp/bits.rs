//! Fields that are not byte-aligned, most significant bit first.

use super::fields::{PADDING, RAW};
use crate::tree::{Field, Value, hex};
use crate::wire::{Error, Result, Wire};
use std::f64::consts::TAU;
use std::ops::Range;

/// Scale of 16-bit numbers.
const HALF: f64 = 32_767.5;

/// Scale of angles: a full turn.
pub(super) const TURN: f64 = TAU;

/// A bit cursor over the bytes ahead. Fields are placed at their bytes; [`Bits::end`] skips the bytes.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// Offset of the bytes in the source.
    start: usize,
    /// Number of bits read.
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(wire: &Wire<'a>) -> Bits<'a> {
        Bits { bytes: wire.ahead(), start: wire.at(), at: 0 }
    }

    /// A cursor over bytes without fields.
    pub(super) fn of(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, start: 0, at: 0 }
    }

    fn left(&self) -> usize {
        self.bytes.len() * 8 - self.at
    }

    /// Reads up to 64 bits as a number.
    pub(super) fn take(&mut self, count: usize) -> Result<u64> {
        let missing = count.saturating_sub(self.left());
        if missing > 0 {
            return Err(Error::Short { needed: missing.div_ceil(8) });
        }
        let bit = |at: usize| self.bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
        let number = (self.at..self.at + count).fold(0, |number, at| number << 1 | u64::from(bit(at)));
        self.at += count;
        Ok(number)
    }

    /// Byte range of the bits since `from`.
    fn since(&self, from: usize) -> Range<usize> {
        self.start + from / 8..self.start + self.at.div_ceil(8)
    }

    pub(super) fn number(&mut self, wire: &mut Wire<'_>, field: &'static Field, count: usize) -> Result<u64> {
        let from = self.at;
        let number = self.take(count)?;
        wire.put(field, Value::Unsigned(number), self.since(from));
        Ok(number)
    }

    /// Reads an 8-bit number with its flags below it.
    pub(super) fn flags(&mut self, wire: &mut Wire<'_>, field: &'static Field, bits: &[&'static Field]) -> Result<u64> {
        let from = self.at;
        let flags = self.take(8)?;
        let range = self.since(from);
        wire.put_over(field, Value::Unsigned(flags), Some(range.clone()), |wire| {
            for bit in bits {
                wire.put(bit, Value::Bool(bit.bits_of(flags) != 0), range.clone());
            }
        });
        Ok(flags)
    }

    /// Reads a 16-bit number, low byte first.
    pub(super) fn swapped(&mut self, wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
        let from = self.at;
        let number = self.take(8)? | self.take(8)? << 8;
        wire.put(field, Value::Unsigned(number), self.since(from));
        Ok(number)
    }

    /// Reads the remaining bytes.
    pub(super) fn rest(&mut self, wire: &mut Wire<'_>, field: &'static Field) -> Result {
        match self.left() / 8 {
            0 => Ok(()),
            left => self.raw(wire, field, left),
        }
    }

    pub(super) fn truth(&mut self, wire: &mut Wire<'_>, field: &'static Field) -> Result<bool> {
        let from = self.at;
        let truth = self.take(1)? != 0;
        wire.put(field, Value::Bool(truth), self.since(from));
        Ok(truth)
    }

    pub(super) fn float(&mut self, wire: &mut Wire<'_>, field: &'static Field) -> Result<f32> {
        let from = self.at;
        let bits = u32::try_from(self.take(32)?).unwrap_or_default();
        let number = f32::from_bits(bits);
        wire.put(field, Value::Single(number), self.since(from));
        Ok(number)
    }

    /// Reads a 16-bit number scaled to the range from `-base` to `base`.
    pub(super) fn scaled(&mut self, wire: &mut Wire<'_>, field: &'static Field, base: f64) -> Result {
        self.real(wire, field, |raw| (raw / HALF - 1.0) * base)
    }

    /// Reads a 16-bit number converted to a real one, with the raw value below it.
    pub(super) fn real(&mut self, wire: &mut Wire<'_>, field: &'static Field, of: impl FnOnce(f64) -> f64) -> Result {
        let from = self.at;
        let raw = self.take(16)?;
        let range = self.since(from);
        let value = Value::Double(of(raw as f64));
        wire.put_over(field, value, Some(range.clone()), |wire| {
            wire.put(&RAW, Value::Unsigned(raw), range);
        });
        Ok(())
    }

    /// Reads a group of equally wide fields.
    pub(super) fn group(
        &mut self,
        wire: &mut Wire<'_>,
        field: &'static Field,
        count: usize,
        read: impl FnOnce(&mut Self, &mut Wire<'_>) -> Result,
    ) -> Result {
        let missing = count.saturating_sub(self.left());
        if missing > 0 {
            return Err(Error::Short { needed: missing.div_ceil(8) });
        }
        let range = self.start + self.at / 8..self.start + (self.at + count).div_ceil(8);
        let mut result = Ok(());
        wire.put_over(field, Value::None, Some(range), |wire| result = read(self, wire));
        result
    }

    /// Reads text of `len` bytes.
    pub(super) fn text(&mut self, wire: &mut Wire<'_>, field: &'static Field, len: usize) -> Result<String> {
        let from = self.at;
        let bytes = self.bytes(len)?;
        let text = super::text::text(&bytes).into_owned();
        wire.put_text(field, self.since(from), format_args!("{text}"));
        Ok(text)
    }

    /// Reads `len` bytes; shown as hexadecimal digits if they are not aligned.
    pub(super) fn raw(&mut self, wire: &mut Wire<'_>, field: &'static Field, len: usize) -> Result {
        let from = self.at;
        let bytes = self.bytes(len)?;
        if from.is_multiple_of(8) {
            wire.put(field, Value::Bytes, self.since(from));
        } else {
            let mut digits = String::new();
            // Writing to a String does not fail.
            let _ = hex(&bytes, &mut digits);
            wire.put_text(field, self.since(from), format_args!("{digits}"));
        }
        Ok(())
    }

    /// Reads `len` bytes, shifted to byte boundaries.
    pub(super) fn bytes(&mut self, len: usize) -> Result<Vec<u8>> {
        let missing = len.saturating_sub(self.left() / 8);
        if missing > 0 {
            return Err(Error::Short { needed: missing });
        }
        (0..len).map(|_| self.take(8).map(|byte| u8::try_from(byte).unwrap_or_default())).collect()
    }

    /// Reads the bits up to the next byte.
    pub(super) fn padding(&mut self, wire: &mut Wire<'_>) -> Result {
        match self.at % 8 {
            0 => Ok(()),
            used => self.number(wire, &PADDING, 8 - used).map(drop),
        }
    }

    /// Continues with whole bytes.
    pub(super) fn end(self, wire: &mut Wire<'_>) -> Result {
        wire.skip(self.at.div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_read_from_the_highest() {
        let mut bits = Bits::of(&[0b1010_0101, 0xff, 0x00]);
        assert_eq!([bits.take(1), bits.take(2), bits.take(5), bits.take(12)], [Ok(1), Ok(1), Ok(5), Ok(0xff0)]);
        assert_eq!(bits.take(5), Err(Error::Short { needed: 1 }));
        assert_eq!(bits.take(4), Ok(0));
        assert_eq!(bits.take(1), Err(Error::Short { needed: 1 }));
    }

    #[test]
    fn bytes_are_moved_to_where_bytes_begin() {
        let mut bits = Bits::of(&[0b0011_0100, 0b0011_0100, 0b1000_0000]);
        assert_eq!(bits.take(1), Ok(0));
        assert_eq!(bits.bytes(2), Ok(b"hi".to_vec()));
        assert_eq!(bits.bytes(1), Err(Error::Short { needed: 1 }));
    }

    #[test]
    fn a_number_of_64_bits_is_read_whole() {
        assert_eq!(Bits::of(&[0xff; 8]).take(64), Ok(u64::MAX));
    }
}
