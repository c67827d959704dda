//! The offset or address at the start of a line, in the formats of many tools.
//!
//! ```text
//! 00000010:   0x0010:   0010h:   00007ff6`12340010   .rdata:00402010   0C1B:0110   0x555555558018 <msg+8>:
//! ```

use crate::input::hex::scan::{after_marks, all_hex, number, words};

/// Minimum number of digits; fewer are bytes.
const SHORTEST: usize = 3;

/// The offset at the start of a line.
#[derive(Debug, Clone, Copy)]
pub(in crate::input::hex) struct Offset<'a> {
    /// Position of its digits.
    pub at: usize,
    /// Its digits, with an optional backtick in the middle.
    pub text: &'a [u8],
    pub colon: bool,
    /// Whether it has the prefix `0x`.
    pub prefix: bool,
    /// Whether it is an address: with a segment, a symbol or a backtick.
    pub address: bool,
}

impl Offset<'_> {
    pub fn value(&self, radix: u32) -> Option<u64> {
        number(self.text, radix)
    }
}

/// The offset of a line, and the start of its data.
pub(in crate::input::hex) fn split_offset(line: &[u8]) -> Option<(Offset<'_>, usize)> {
    let word = words(line, after_marks(line)).next()?;
    let end = word.at + word.text.len();
    if let Some(found) = with_symbol(line, word.at, word.text) {
        return Some(found);
    }
    let (text, colon) = word.text.strip_suffix(b":").map_or((word.text, false), |text| (text, true));
    if let Some(segment) = segment_len(text) {
        let text = text.get(segment..)?;
        return Some((Offset { at: word.at + segment, text, colon, prefix: false, address: true }, end));
    }
    let (text, prefix) = text.strip_prefix(b"0x").map_or((text, false), |text| (text, true));
    let text = text.strip_suffix(b"h").filter(|_| colon && !prefix).unwrap_or(text);
    let at = word.at + if prefix { 2 } else { 0 };
    let address = text.get(8) == Some(&b'`');
    let is_hex =
        all_hex(text) || address && text.len() == 17 && text.iter().filter(|byte| !byte.is_ascii_hexdigit()).count() == 1;
    // With `0x` and no colon it may be a byte.
    let plausible = is_hex && text.len() >= SHORTEST && text.len() <= 17 && (colon || !prefix);
    plausible.then_some((Offset { at, text, colon, prefix, address }, end))
}

/// `0x555555558018 <msg+8>:`, as in gdb. A symbol may contain blanks.
fn with_symbol<'a>(line: &'a [u8], at: usize, word: &'a [u8]) -> Option<(Offset<'a>, usize)> {
    let text = word.strip_prefix(b"0x").filter(|text| all_hex(text) && text.len() <= 16)?;
    let end = at + word.len();
    let rest = line.get(end..).filter(|rest| rest.starts_with(b" <"))?;
    let close = rest.windows(2).position(|pair| pair == b">:")?;
    Some((Offset { at: at + 2, text, colon: true, prefix: true, address: true }, end + close + 2))
}

/// Length of a segment before an address, with its colon: `.rdata:` before 8 or 16 digits, `0C1B:` before 4.
fn segment_len(text: &[u8]) -> Option<usize> {
    let at = text.iter().rposition(|byte| *byte == b':')?;
    let (segment, digits) = (text.get(..at)?, text.get(at + 1..)?);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._$".contains(byte);
    let named = matches!(digits.len(), 8 | 16) && segment.iter().all(is_name) && !segment.is_empty();
    let real_mode = digits.len() == 4 && segment.len() == 4 && all_hex(segment);
    (all_hex(digits) && (named || real_mode)).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_debuggers_write_them() {
        for (line, value, from) in [
            ("00000010: 23", 0x10, 9),
            ("\t0x0010:  23", 0x10, 8),
            ("0010h: 23", 0x10, 6),
            ("00007ff6`12340010  23", 0x7ff6_1234_0010, 17),
            (".rdata:00402010 23", 0x40_2010, 15),
            ("0C1B:0110  23", 0x110, 9),
            ("0x555555558018 <msg+8>:\t0x23", 0x5555_5555_8018, 23),
            ("0x18 <f(int, char)+8>:\t0x23", 0x18, 22),
        ] {
            let (offset, end) = split_offset(line.as_bytes()).unwrap();
            assert_eq!((offset.value(16), end), (Some(value), from), "{line}");
        }
        for line in ["23:00:01 00", "recv:0500 0b", "0x23 0x00", "23 00", "10:15:14"] {
            assert!(split_offset(line.as_bytes()).is_none(), "{line}");
        }
    }
}
