//! Numbers with a prefix: single bytes, or numbers of several bytes.

use super::list::List;
use super::scan::{all_hex, push_pairs, run};
use super::{Fault, fault};

impl List {
    /// Parses `0x23`, a number of several bytes, or a longer run of pairs after one prefix; returns its length.
    pub(super) fn prefixed(&mut self, rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
        if rest.starts_with(b"...") {
            return fault(at, "bytes are left out here; print all of them");
        }
        let start = prefix_len(rest);
        if start == 0 {
            let empty = PREFIXES.iter().any(|prefix| rest.starts_with(prefix));
            let (at, what) = if empty { (at + 2, "expected hex digits after 0x") } else { (at, "expected a byte such as 0x23") };
            return fault(at, what);
        }
        let digits = rest.get(start..).unwrap_or_default();
        let len = run(digits, u8::is_ascii_alphanumeric);
        let digits = digits.get(..len).unwrap_or_default();
        let bytes =
            ["u8", "ULL", "UL", "U", "L"].iter().find_map(|suffix| digits.strip_suffix(suffix.as_bytes())).unwrap_or(digits);
        if self.width == 0 {
            self.width = width(rest);
        }
        let from = packet.len();
        if self.width > 1 && all_hex(bytes) {
            if bytes.len() > self.width * 2 {
                return fault(at, format!("a number of more than {} bytes; the first one has {}", self.width, self.width));
            }
            let padded = [vec![b'0'; self.width * 2 - bytes.len()], bytes.to_vec()].concat();
            push_pairs(&padded, at + start, packet)?;
            if !self.big {
                packet.get_mut(from..).unwrap_or_default().reverse();
            }
            return Ok(start + len);
        }
        if bytes.len() > 2 && !packet.is_empty() {
            return fault(at, "a number of several bytes behind single bytes; write all numbers with the same digits");
        }
        // Some tools omit a leading zero.
        match bytes {
            [digit] if digit.is_ascii_hexdigit() => push_pairs(&[b'0', *digit], at + start - 1, packet)?,
            _ => push_pairs(bytes, at + start, packet)?,
        }
        Ok(start + len)
    }
}

/// The prefixes of hex numbers: of C, Pascal and Visual Basic.
pub(super) const PREFIXES: [&[u8]; 5] = [b"0x", b"0X", b"$", b"&H", b"&h"];

/// Length of the prefix of a hex number; 0 if there is none.
pub(super) fn prefix_len(text: &[u8]) -> usize {
    let found = PREFIXES.iter().find(|prefix| text.starts_with(prefix)).map_or(0, |prefix| prefix.len());
    let digits = text.get(found..).unwrap_or_default();
    let len = run(digits, u8::is_ascii_alphanumeric);
    // A variable of a debugger or of a shell begins with `$`, too.
    let is_number = if text.starts_with(b"$") { matches!(len, 2 | 4 | 8) } else { true };
    if is_number && digits.first().is_some_and(u8::is_ascii_hexdigit) { found } else { 0 }
}

/// Bytes of each number of a line: those of its longest one. A single run of pairs is in the order of its digits.
pub(super) fn width(line: &[u8]) -> usize {
    let numbers = line.split(|byte| *byte == b',' || byte.is_ascii_whitespace()).map(|token| (prefix_len(token), token));
    let lens = numbers
        .filter(|(prefix, _)| *prefix > 0)
        .map(|(prefix, token)| run(token.get(prefix..).unwrap_or_default(), u8::is_ascii_hexdigit));
    let (count, most) = lens.fold((0, 0), |(count, most), len| (count + 1, most.max(len)));
    match most {
        3..=4 if count > 1 => 2,
        5..=8 if count > 1 => 4,
        9..=16 if count > 1 => 8,
        _ => 1,
    }
}
