//! What looks like bytes in a line of a log, and is none.

use crate::input::hex::scan::{all_hex, is_pair, not_hex, run, words};
use crate::input::hex::{Fault, fault};

/// Number of consecutive pairs that does not occur in prose.
pub(super) const RUN: usize = 3;

/// Number of pairs with colons or dashes between that are no time. Hardware addresses have six or eight.
pub(super) const SEPARATE: usize = 5;

/// Number of consecutive digits that no number has.
pub(super) const LONG: usize = 12;

/// Whether a line is a comment: `# 25 00`, but not `#1: 25 00`.
pub(in crate::input::hex) fn is_comment(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
    let digits = run(rest, u8::is_ascii_digit);
    digits == 0 || !matches!(rest.get(digits), Some(b':' | b'=' | b')'))
}

/// Whether a hardware address begins here: six or eight pairs with colons or dashes between.
pub(super) fn is_address(rest: &[u8]) -> bool {
    let Some(word) = words(rest, 0).next() else { return false };
    let pairs = || word.text.split(|byte| matches!(byte, b':' | b'-'));
    matches!(pairs().count(), 6 | 8) && pairs().all(is_pair)
}

/// Whether this is the argument of a call: `recv(4096)`.
pub(super) fn is_argument(before: &[u8], rest: &[u8]) -> bool {
    let digits = run(rest, u8::is_ascii_digit);
    before.ends_with(b"(") && digits > 0 && rest.get(digits) == Some(&b')')
}

/// Whether a number of a label begins here: `0: 23 00`, `20 = 23 00`, `0x12 (5): 23 00`.
pub(super) fn is_numbered(rest: &[u8]) -> bool {
    let mut all = words(rest, 0);
    let (Some(first), next) = (all.next(), all.next()) else { return false };
    let digits = first.text.strip_prefix(b"0x").unwrap_or(first.text);
    let number = run(digits, u8::is_ascii_hexdigit);
    let colon = digits.get(number..) == Some(b":") && next.is_some();
    let unit = next.is_some_and(|next| next.text.starts_with(b"byte"));
    let separate =
        unit || next.is_some_and(|next| matches!(next.text, b"=" | b":" | b"-" | b"->") || next.text.starts_with(b"("));
    number > 0 && (colon || number == digits.len() && separate)
}

/// Whether this is a run of digits too long for a number.
pub(super) fn is_long(rest: &[u8]) -> bool {
    // NSData, and dumps of words.
    if words(rest, 0).take_while(|word| word.text.len() == 8 && all_hex(word.text)).count() >= RUN {
        return true;
    }
    words(rest, 0).next().is_some_and(|word| {
        let digits = run(word.text, u8::is_ascii_hexdigit);
        let mixed = word.text.iter().take(digits).any(u8::is_ascii_alphabetic) && word.text.iter().any(u8::is_ascii_digit);
        let separate = word.text.split(|byte| matches!(byte, b':' | b'-')).take_while(|part| is_pair(part)).count();
        let address = matches!(separate, 6 | 8) || separate < SEPARATE;
        digits >= LONG && (mixed || digits > 20) || !address
    })
}

/// Whether unreadable words may be malformed bytes.
pub(super) fn is_meant(rest: &[u8]) -> bool {
    let meant =
        |text: &[u8]| text.len() == 2 && text.iter().any(u8::is_ascii_hexdigit) && text.iter().all(u8::is_ascii_alphanumeric);
    let rest = without_closers(rest);
    words(rest, 0).next().is_some() && words(rest, 0).all(|word| meant(word.text))
}

/// Consecutive pairs without a label: an element before them is a malformed byte.
pub(super) fn hidden<T>(line: &[u8]) -> Result<Option<T>, Fault> {
    let mut before = None;
    let mut run = 0;
    for word in words(line, 0) {
        if is_pair(word.text) {
            run += 1;
        } else {
            (before, run) = (Some(word), 0);
        }
        if run == RUN {
            let Some(before) = before else { break };
            let odd = before.text.iter().position(|byte| !byte.is_ascii_hexdigit());
            let Some(odd) = odd else { return fault(before.at, "expected two hex digits for each byte, or a label before them") };
            return not_hex(before.at + odd, before.text.get(odd).copied().unwrap_or_default());
        }
    }
    Ok(None)
}

/// A line without closing quotes, brackets and a count in parentheses.
pub(super) fn without_closers(line: &[u8]) -> &[u8] {
    let mut line = line;
    if line.ends_with(b")")
        && let Some(open) = line.iter().rposition(|byte| *byte == b'(')
        && String::from_utf8_lossy(line.get(open..).unwrap_or_default()).to_ascii_lowercase().contains("byte")
    {
        line = line.get(..open).unwrap_or_default().trim_ascii_end();
    }
    while let [rest @ .., b'"' | b'\'' | b'`' | b']' | b')' | b'}' | b'>' | b';' | b','] = line {
        line = rest.trim_ascii_end();
    }
    line
}
