//! Bit fields of both bit orders.

use super::Machine;
use super::failure::Outcome;
use super::value::{Slot, Stream, V};
use crate::tree::Bits;

impl Machine<'_, '_> {
    /// Reads an unsigned integer of 1 to 64 bits.
    pub(super) fn bits(&mut self, io: u32, width: u8, is_little: bool, is_bool: bool, slot: &mut Slot) -> Outcome {
        let stream = self.stream(io);
        let start = stream.byte();
        // Bits of the first byte that earlier fields consumed.
        let taken = if stream.bits_left > 0 { 8 - u32::from(stream.bits_left) } else { 0 };
        let bits = taken + u32::from(width);
        let end = start + bits.div_ceil(8);
        if end > stream.end {
            return self.short(io, (end - stream.at).into(), stream.remaining());
        }
        let bytes = self.bytes(super::Blob { buffer: stream.buffer, start, end });
        let add = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
        let whole = if is_little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) };
        let behind = (end - start) * 8 - bits;
        let shift = if is_little { taken } else { behind };
        let number = whole >> shift & (u128::MAX >> (128 - u32::from(width.clamp(1, 64))));
        slot.value = if is_bool { V::Bool(number != 0) } else { V::Int(number.cast_signed()) };
        (slot.start, slot.end) = (start, end);
        let first = if is_little { behind } else { taken };
        slot.first_bit = u8::try_from(first).unwrap_or_default();
        slot.bits = width;
        self.set_stream(io, Stream { at: end, bits_left: u8::try_from(behind).unwrap_or_default(), ..stream });
        Ok(())
    }
}

impl Slot {
    /// Its bits within its bytes, if not all.
    pub(super) fn bits(&self) -> Option<Bits> {
        (self.bits > 0).then_some(Bits { first: self.first_bit, count: self.bits })
    }
}
