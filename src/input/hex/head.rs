//! The start of a row up to the end of its offset, and lines that begin like it except for one sign: damaged rows, no prose.

/// The start of a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    text: Vec<u8>,
    /// Place of the digits of the offset.
    at: usize,
    radix: u32,
}

impl Head {
    /// The head of a line whose offset has `len` digits at `at`.
    pub(super) fn of(line: &[u8], at: usize, len: usize, radix: u32) -> Head {
        Head { text: line.get(..at + len).unwrap_or_default().to_vec(), at, radix }
    }

    /// The same with another radix of the offset.
    pub(super) fn count_in(self, radix: u32) -> Head {
        Head { radix, ..self }
    }

    /// Whether a line begins with this offset behind the same text, except for at most one sign. Digits before the offset may
    /// be any others: they are those of a time.
    pub(super) fn resembles(&self, line: &[u8], offset: u64) -> bool {
        let Some(expected) = self.with(offset) else { return false };
        let is_same = |place: usize, found: usize| match (expected.get(place), line.get(found)) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b) || place < self.at && a.is_ascii_digit() && b.is_ascii_digit(),
            _ => false,
        };
        let same =
            |place: usize, found: usize| (0..expected.len().saturating_sub(place)).all(|at| is_same(place + at, found + at));
        let first = (0..expected.len()).find(|at| !is_same(*at, *at));
        // One sign may be another, missing or too many.
        first.is_none_or(|at| same(at + 1, at + 1) || same(at + 1, at) || same(at, at + 1))
    }

    /// Place of the offset in a line.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// An offset as the rows write it.
    pub(super) fn digits(&self, offset: u64) -> String {
        let text = self.with(offset).unwrap_or_default();
        String::from_utf8_lossy(text.get(self.at..).unwrap_or_default()).into_owned()
    }

    /// The head of the row with this offset; `None` if the offset has more digits.
    fn with(&self, mut offset: u64) -> Option<Vec<u8>> {
        let mut text = self.text.clone();
        for place in text.iter_mut().skip(self.at).rev().filter(|byte| byte.is_ascii_hexdigit()) {
            let digit = u32::try_from(offset % u64::from(self.radix)).ok().and_then(|digit| char::from_digit(digit, self.radix));
            *place = u8::try_from(digit?).ok()?;
            offset /= u64::from(self.radix);
        }
        (offset == 0 && !text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_known_in_spite_of_one_wrong_sign() {
        let head = Head::of(b"[12:00:01] net: 0010: 00 35", 16, 4, 16);
        for (line, expected) in [
            ("[12:00:02] net: 0020: 22", true),
            ("[12:00:02] net: 0g20: 22", true),
            ("[12:00:02] net: 020: 22", true),
            ("[12:00:02] net: 00 20: 22", true),
            ("[12:00:02] nat: 0020", true),
            ("[12:00:02] net: 0130: 22", false),
            ("[12:00:02] net: closed", false),
            ("[12:00:02]", false),
            ("", false),
        ] {
            assert_eq!(head.resembles(line.as_bytes(), 0x20), expected, "{line}");
        }
        assert!(!head.resembles(b"[12:00:02] net: 10020: 22", 0x1_0020));
        assert!(Head::of(b"00007ff6`12340010  23", 0, 17, 16).resembles(b"00007ff6`1234g020  22", 0x7ff6_1234_0020));
        assert!(!Head::default().resembles(b"", 0));
    }
}
