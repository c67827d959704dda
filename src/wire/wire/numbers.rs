//! Readers of numbers without a machine type of their size or value.

use super::Wire;
use crate::tree::{Field, Value};
use crate::wire::{Error, Result, Varint};

impl Wire<'_> {
    /// The next byte, without reading it.
    #[must_use]
    pub fn peek_u8(&self) -> Option<u8> {
        self.ahead().first().copied()
    }

    /// Reads an unsigned 24-bit number, big-endian.
    pub fn u24_be(&mut self, field: &'static Field) -> Result<u32> {
        let number = |[a, b, c]: [u8; 3]| u32::from_be_bytes([0, a, b, c]);
        self.number_with(field, |bytes| Value::Unsigned(number(bytes).into())).map(number)
    }

    /// Reads an unsigned 24-bit number, little-endian.
    pub fn u24_le(&mut self, field: &'static Field) -> Result<u32> {
        let number = |[a, b, c]: [u8; 3]| u32::from_le_bytes([a, b, c, 0]);
        self.number_with(field, |bytes| Value::Unsigned(number(bytes).into())).map(number)
    }

    /// Reads `N` bytes as a field whose value is computed from them. Returns the bytes.
    pub fn number_with<const N: usize>(
        &mut self,
        field: &'static Field,
        value: impl FnOnce([u8; N]) -> Value,
    ) -> Result<[u8; N]> {
        let start = self.at();
        let bytes = self.take()?;
        self.put(field, value(bytes), start..self.at());
        Ok(bytes)
    }

    /// Reads a little-endian number of `count` bytes, at most 8, as the masked bits of several fields.
    pub fn bits_le(&mut self, count: usize, fields: &[&'static Field]) -> Result<u64> {
        let (raw, range) = (self.peek_le(count)?, self.at()..self.at() + count);
        for &field in fields {
            self.push_bits(field, raw, range.clone());
        }
        self.skip(count)?;
        Ok(raw)
    }

    /// Reads a little-endian number of `count` bytes, at most 8, as one field with its bits below it.
    ///
    /// # Errors
    /// Those of [`Wire::bits_le`] and [`Wire::parent`].
    pub fn flags_le(&mut self, field: &'static Field, count: usize, bits: &[&'static Field]) -> Result<u64> {
        let raw = self.peek_le(count)?;
        self.parent(field, Value::Unsigned(raw), |wire| wire.bits_le(count, bits))
    }

    fn peek_le(&self, count: usize) -> Result<u64> {
        let bytes = self.ahead().get(..count).ok_or_else(|| self.lacks(count))?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads a number of seven bits per byte, at most `most` bytes. `None` if it is longer; nothing is read then.
    pub fn varint(&mut self, field: &'static Field, most: usize) -> Result<Option<u64>> {
        match Varint::decode(self.ahead(), most) {
            Varint::Number(number, size) => {
                let start = self.at();
                self.skip(size)?;
                self.put(field, Value::Unsigned(number), start..start + size);
                Ok(Some(number))
            }
            Varint::Short => Err(Error::Short { needed: 1 }),
            Varint::TooLong => Ok(None),
        }
    }
}
