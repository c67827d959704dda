//! Parses hex digits, and splits lines into words.

use super::{Fault, fault};

/// A run of characters without white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// Offset in the line.
    pub(super) at: usize,
    /// Width of the white space before it; a tab counts as a gap.
    pub(super) gap: usize,
    pub(super) text: &'a [u8],
}

/// The words of a line from byte `from` on.
pub(super) fn words(line: &[u8], from: usize) -> impl Iterator<Item = Word<'_>> {
    let mut next = from;
    std::iter::from_fn(move || {
        let rest = line.get(next..)?;
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let gap = rest.iter().take(blank).map(|byte| if *byte == b'\t' { 8 } else { 1 }).sum();
        let at = next + blank;
        let text = line.get(at..)?;
        let len = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        next = at + len;
        (len > 0).then(|| Word { at, gap, text: text.get(..len).unwrap_or_default() })
    })
}

pub(super) fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

pub(super) fn all_hex(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
}

/// Two digits, which are a byte.
pub(super) fn is_pair(text: &[u8]) -> bool {
    text.len() == 2 && all_hex(text)
}

/// Number of consecutive pairs from here on.
pub(super) fn pairs(line: &[u8], from: usize) -> usize {
    words(line, from).take_while(|word| is_pair(word.text)).count()
}

/// The byte of two digits at the start of a text.
pub(super) fn pair(text: &[u8]) -> Option<u8> {
    let [high, low, ..] = text else { return None };
    Some(digit(*high)? << 4 | digit(*low)?)
}

/// A number, with an optional backtick between its digits.
pub(super) fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let digits: Vec<u8> = digits.iter().copied().filter(|byte| *byte != b'`').collect();
    u64::from_str_radix(std::str::from_utf8(&digits).ok()?, radix).ok()
}

/// Number of bytes before the first one that is none of these.
pub(super) fn run(text: &[u8], is_part: fn(&u8) -> bool) -> usize {
    text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

/// Width of the blanks before a text.
pub(super) fn indent(text: &[u8]) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// Appends the bytes of a run of digits; `at` is its offset in the line.
pub(super) fn push_pairs(text: &[u8], at: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    for (index, pair) in text.chunks(2).enumerate() {
        let here = at + index * 2;
        match *pair {
            [high, low] => match self::pair(pair) {
                Some(byte) => out.push(byte),
                None if digit(high).is_none() => return not_hex(here, high),
                None => return not_hex(here + 1, low),
            },
            [single] if digit(single).is_some() => return fault(here, "a single hex digit; expected two for each byte"),
            [single] => return not_hex(here, single),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn not_hex<T>(at: usize, byte: u8) -> Result<T, Fault> {
    fault(at, format!("`{}` is not a hex digit", byte.escape_ascii()))
}

/// Skips marks that text2pcap allows before a packet: direction, date, time. Returns the offset of the rest.
/// [`Marks`](super::marks::Marks) parses the skipped part.
pub(super) fn after_marks(line: &[u8]) -> usize {
    let mut from = 0;
    for (index, word) in words(line, 0).enumerate() {
        let mark = index == 0 && matches!(word.text, b"I" | b"O" | b"i" | b"o" | b"<" | b">");
        // Without a fraction, a time of day may be three bytes; a mark or a date before it decides.
        let clock = from > 0 && word.text.len() == 8 && is_time(&[word.text, b"."].concat());
        if !mark && !clock && !is_time(word.text) {
            break;
        }
        from = word.at + word.text.len();
    }
    from
}

/// `10:15:14.5`, `2024-01-31`, both with a `T` between, or seconds since 1970 with a fraction.
fn is_time(text: &[u8]) -> bool {
    let clock = text.iter().filter(|byte| **byte == b':').count() == 2 && text.contains(&b'.');
    let date = matches!(text, [_, _, _, _, b'-', _, _, b'-', _, _, ..]);
    let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let since = (9..=11).contains(&whole)
        && text.get(whole) == Some(&b'.')
        && text.get(whole + 1..).is_some_and(|fraction| !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit));
    since || (clock || date) && text.iter().all(|byte| byte.is_ascii_digit() || b":-+.,TZ".contains(byte))
}
