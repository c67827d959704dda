//! Bytes for people to read.

use std::fmt;
use std::ops::Range;

/// Bytes as pairs of digits with spaces between, and of asterisks where they are not shown.
pub struct Spaced<'a> {
    bytes: &'a [u8],
    /// How many bytes lie before the first one where the hidden ones are counted from.
    first: usize,
    hidden: &'a [Range<usize>],
}

impl<'a> Spaced<'a> {
    /// Bytes of which some are not shown.
    #[must_use]
    pub fn hiding(bytes: &'a [u8], first: usize, hidden: &'a [Range<usize>]) -> Spaced<'a> {
        Spaced { bytes, first, hidden }
    }
}

impl fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        (self.first..).zip(self.bytes).try_for_each(|(at, byte)| {
            match self.hidden.iter().any(|range| range.contains(&at)) {
                true => write!(f, "{between}**")?,
                false => write!(f, "{between}{byte:02x}")?,
            }
            between = " ";
            Ok(())
        })
    }
}
