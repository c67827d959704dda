//! Byte order of a capture: numbers at an offset of a slice, `None` beyond its end.

/// A byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Order::Little => "little-endian",
            Order::Big => "big-endian",
        }
    }

    pub(super) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let raw = bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => u16::from_le_bytes(*raw),
            Order::Big => u16::from_be_bytes(*raw),
        })
    }

    pub(super) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let raw = bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => u32::from_le_bytes(*raw),
            Order::Big => u32::from_be_bytes(*raw),
        })
    }

    pub(super) fn i64(self, bytes: &[u8], at: usize) -> Option<i64> {
        let raw = bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => i64::from_le_bytes(*raw),
            Order::Big => i64::from_be_bytes(*raw),
        })
    }
}
