//! Numbers of seven bits per byte, the least significant first; the high bit of a byte announces another one (LEB128).

/// Result of decoding a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varint {
    /// The number, and its size in bytes.
    Number(u64, usize),
    /// The bytes end before the number does.
    Short,
    /// The number has more bytes than permitted.
    TooLong,
}

impl Varint {
    /// Decodes a number of at most `most` bytes. Bits beyond the 64th are dropped.
    #[must_use]
    pub fn decode(bytes: &[u8], most: usize) -> Varint {
        let Some(last) = bytes.iter().take(most).position(|byte| byte & 0x80 == 0) else {
            return if bytes.len() < most { Varint::Short } else { Varint::TooLong };
        };
        let number = bytes.iter().take(last + 1).rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
        Varint::Number(number, last + 1)
    }

    /// The number and the bytes after it, if the number is complete.
    #[must_use]
    pub fn split(bytes: &[u8], most: usize) -> Option<(u64, &[u8])> {
        match Varint::decode(bytes, most) {
            Varint::Number(number, size) => Some((number, bytes.get(size..)?)),
            Varint::Short | Varint::TooLong => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_dwarf_specification() {
        // DWARF 5, section 7.6, figure 22.
        let figure = [(2, &[0x02][..]), (127, &[0x7f]), (128, &[0x80, 1]), (129, &[0x81, 1]), (12857, &[0xb9, 0x64])];
        for (number, bytes) in figure {
            assert_eq!(Varint::decode(bytes, 5), Varint::Number(number, bytes.len()));
        }
        assert_eq!(Varint::decode(&[0xff; 9], 9), Varint::TooLong);
        assert_eq!(Varint::decode(&[0xff; 8], 9), Varint::Short);
        assert_eq!(Varint::decode(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 10), Varint::Number(u64::MAX, 10));
        assert_eq!(Varint::split(&[0x80, 1, 7], 5), Some((128, &[7][..])));
    }
}
