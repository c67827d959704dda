//! Bytes as spaced hexadecimal text.

use super::view::digits_of;
use std::fmt;
use std::ops::Range;

/// Bytes as pairs of hexadecimal digits with spaces between, and asterisks for masked bytes.
pub struct Spaced<'a> {
    bytes: &'a [u8],
    /// Offset of the first byte, to which the hidden ranges are relative.
    first: usize,
    hidden: &'a [Range<usize>],
}

impl<'a> Spaced<'a> {
    /// Bytes, some of which are masked.
    #[must_use]
    pub fn hiding(bytes: &'a [u8], first: usize, hidden: &'a [Range<usize>]) -> Spaced<'a> {
        Spaced { bytes, first, hidden }
    }

    /// Appends the digits.
    pub fn append_to(&self, out: &mut String) {
        // Writing to a String does not fail.
        let _ = self.write(out);
    }

    fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        const AT_ONCE: usize = 32;
        let mut piece = [[b' '; 3]; AT_ONCE];
        let (mut at, mut separator) = (self.first, 1);
        self.bytes.chunks(AT_ONCE).try_for_each(|chunk| {
            for ([_, digits @ ..], byte) in piece.iter_mut().zip(chunk) {
                *digits = digits_of(*byte);
            }
            for range in self.hidden {
                let is_hidden = |(at, _): &(usize, _)| range.contains(at);
                (at..).zip(&mut piece).filter(is_hidden).for_each(|(_, [_, digits @ ..])| *digits = *b"**");
            }
            at += chunk.len();
            let text = piece.as_flattened().get(separator..3 * chunk.len()).unwrap_or_default();
            separator = 0;
            out.write_str(str::from_utf8(text).unwrap_or_default())
        })
    }
}

impl fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}
