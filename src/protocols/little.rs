//! UTF-16 texts and GUIDs, shared by SMB and DCE/RPC.

use crate::tree::Field;
use crate::wire::{Error, Result, Wire};
use std::fmt;

/// Decodes UTF-16, low byte first.
pub(super) fn utf16(bytes: &[u8]) -> String {
    let units = bytes.as_chunks().0.iter().map(|unit: &[u8; 2]| u16::from_le_bytes(*unit));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Reads UTF-16 text of `count` bytes. Returns it.
pub(super) fn utf16_text(wire: &mut Wire<'_>, field: &'static Field, count: usize) -> Result<String> {
    let range = wire.at()..wire.at() + count;
    let text = utf16(wire.ahead().get(..count).unwrap_or_default());
    wire.skip(count)?;
    wire.put_text(field, range, format_args!("{}", text.trim_end_matches('\0')));
    Ok(text)
}

/// A GUID whose first three parts have the byte order of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Guid {
    bytes: [u8; 16],
    is_big: bool,
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g, h, i, rest @ ..] = self.bytes;
        let (first, second, third) = if self.is_big {
            (u32::from_be_bytes([a, b, c, d]), u16::from_be_bytes([e, g]), u16::from_be_bytes([h, i]))
        } else {
            (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, g]), u16::from_le_bytes([h, i]))
        };
        write!(f, "{first:08x}-{second:04x}-{third:04x}-")?;
        for (place, byte) in rest.iter().enumerate() {
            write!(f, "{}{byte:02x}", if place == 2 { "-" } else { "" })?;
        }
        Ok(())
    }
}

/// Reads a GUID.
pub(super) fn guid(wire: &mut Wire<'_>, field: &'static Field, is_big: bool) -> Result<Guid> {
    let start = wire.at();
    let bytes = *wire.ahead().first_chunk().ok_or(Error::Short { needed: 16_usize.saturating_sub(wire.remaining()) })?;
    wire.skip(16)?;
    let guid = Guid { bytes, is_big };
    wire.put_text(field, start..start + 16, format_args!("{guid}"));
    Ok(guid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guid_is_formatted_in_either_byte_order() {
        let bytes = [0x37, 0x00, 0x38, 0xaa, 0xde, 0xc6, 0xa3, 0x80, 0x0b, 0xa5, 0x59, 0xd4, 0xe8, 0xaf, 0x6d, 0xc5];
        assert_eq!(Guid { bytes, is_big: true }.to_string(), "370038aa-dec6-a380-0ba5-59d4e8af6dc5");
        assert_eq!(Guid { bytes, is_big: false }.to_string(), "aa380037-c6de-80a3-0ba5-59d4e8af6dc5");
    }

    #[test]
    fn texts_of_two_bytes_a_letter_are_decoded() {
        assert_eq!(utf16(b"a\0\xe9\0\0\xd8x"), "aé\u{fffd}");
    }
}
