//! Places of a line where bytes may begin, and what is none of them.

use super::label::tokens;
use super::names::{NAMES, direction_of, is_one};
use crate::input::hex::base64::Base64;
use crate::input::hex::ends;
use crate::input::hex::scan::words;
use crate::input::hex::{Dialect, Packet};

/// Possible starts of bytes: the line start, after a sign such as `:`, `=` or `[`, and after a word.
pub(super) fn starts(line: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let signs = b":=>])|\"'`<({[,";
    words(line, 0).flat_map(move |word| {
        let inner =
            word.text.iter().enumerate().filter(move |(_, byte)| signs.contains(byte)).map(move |(at, _)| word.at + at + 1);
        let word_end = word.at + word.text.len();
        // `0x` and `\x` before a run of digits.
        let prefix = matches!(word.text, [b'0' | b'\\', b'x', _, _, _, _, _, ..]).then_some(word.at + 2);
        // Two non-hex letters may be a label; one may be a mistake.
        let letters = word.text.iter().filter(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit()).count();
        let is_socket =
            word.text.contains(&b'.') && std::str::from_utf8(word.text).is_ok_and(|text| ends::socket(text).is_some());
        let is_word =
            is_socket || letters > 1 || tokens(word.text).any(|token| direction_of(&token).is_some() || is_one(&token, NAMES));
        let is_first = words(line, 0).next().is_some_and(|first| first.at == word.at);
        is_first.then_some(word.at).into_iter().chain(prefix).chain(inner).chain(is_word.then_some(word_end))
    })
}

/// Whether bytes may begin here: a pair of digits, or a prefix of digits, or base64 of some length.
pub(super) fn may_begin(line: &[u8], at: usize) -> bool {
    let rest = line.get(at..).unwrap_or_default().trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"[")).unwrap_or(rest);
    let digit = |index: usize| rest.get(index).is_some_and(u8::is_ascii_hexdigit);
    let meant = digit(0) || digit(1);
    meant
        || matches!(rest, [b'0', b'x' | b'X', ..] | [b'$' | b'-' | b'&', ..])
        || rest.len() >= BASE64 && rest.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Length of one `0x` before all pairs, with the blanks before it: `0x25 00 f2`.
pub(super) fn common_prefix(rest: &[u8]) -> usize {
    let text = rest.trim_ascii_start();
    let pairs = |digits: &[&u8]| digits.iter().all(|digit| digit.is_ascii_hexdigit());
    match text {
        [b'0', b'x', a, b, b' ', c, d, ..] if pairs(&[a, b, c, d]) => rest.len() - text.len() + 2,
        _ => 0,
    }
}

/// Minimum length of base64 behind a label.
pub(super) const BASE64: usize = 16;

/// Bytes in base64 behind a label, up to the end of the line or a closing quote.
pub(super) fn base64(before: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    if !matches!(before.last(), Some(b'=' | b',' | b'"' | b'\'' | b':' | b' ')) {
        return None;
    }
    let len = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte))).unwrap_or(rest.len());
    let (text, behind) = rest.split_at_checked(len)?;
    let closed = behind.iter().all(|byte| byte.is_ascii_whitespace() || b"\"'])};,".contains(byte));
    if text.len() < BASE64 || !closed || !Base64::fits(text) || text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let (mut base64, mut packet) = (Base64::default(), Packet::default());
    base64.feed(text, &mut packet).ok()?;
    base64.end(&mut packet).ok()?;
    Some(packet.bytes)
}
