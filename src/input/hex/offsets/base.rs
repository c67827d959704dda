//! The start of a packet in a dump.

use super::offset::Offset;

/// The start of a packet, by the radix of the offsets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) hex: Option<u64>,
    pub(super) octal: Option<u64>,
    pub(super) decimal: Option<u64>,
}

impl Base {
    pub(super) fn of(offset: &Offset<'_>) -> Base {
        Base { hex: offset.value(16), octal: offset.value(8), decimal: offset.value(10) }
    }

    /// Bytes from here to an offset.
    pub(super) fn until(&self, offset: &Offset<'_>, radix: u32) -> Option<u64> {
        offset.value(radix)?.checked_sub(self.start(radix)?)
    }

    pub(super) fn start(&self, radix: u32) -> Option<u64> {
        match radix {
            8 => self.octal,
            10 => self.decimal,
            _ => self.hex,
        }
    }

    pub(super) fn is_at(&self, offset: &Offset<'_>) -> bool {
        offset.value(16) == Some(0) || self.hex == offset.value(16)
    }
}
