//! The notations of numbers in lists: `0x23`, `$23`, `&H23`, `23` in hex, `35` in decimal.

use super::offsets::decimal;
use super::prefixed::prefix_len;
use super::scan::{all_hex, run};

/// Minimum number of elements in brackets; shorter lists are ambiguous.
pub(super) const SHORTEST: usize = 4;

/// Bytes of a list that decide about its notation.
pub(super) const WINDOW: usize = 4096;

/// The notation of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// With `0x`, `$` or `&H`.
    Prefixed,
    /// In hex without a prefix, as Rust's `{:x?}` prints them.
    Hex,
    /// In decimal, from -128 to 255.
    Decimal,
}

pub(super) fn token_len(text: &[u8]) -> usize {
    run(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'_'))
}

pub(super) fn is_prefixed(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"'").or_else(|| text.strip_prefix(b"\"")).unwrap_or(text);
    let text = text.strip_prefix(b"(byte)").map_or(text, <[u8]>::trim_ascii_start);
    prefix_len(text) > 0
}

/// Number of decimal bytes at the start of a line, how many of them cannot be hex pairs, and the rest of the line.
pub(super) fn numbers(text: &[u8]) -> (usize, usize, &[u8]) {
    let (mut count, mut telling) = (0, 0);
    let mut rest = text.trim_ascii_start();
    loop {
        let token = rest.get(..token_len(rest)).unwrap_or_default();
        let is_number = decimal(token).is_some() && (token.len() == 1 || !token.starts_with(b"0"));
        if !is_number {
            return (count, telling, rest);
        }
        count += 1;
        telling += usize::from(token.len() != 2 || token.starts_with(b"-"));
        rest = rest.get(token.len()..).unwrap_or_default().trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
}

/// Numbers after a brace, up to the one that closes it or the end of the line.
pub(super) fn is_list(text: &[u8]) -> bool {
    let (count, telling, rest) = numbers(text);
    let ends = rest.is_empty() || matches!(rest.first(), Some(b']' | b'}' | b'>' | b')'));
    // Pairs of digits without commas may be hex.
    let commas = text.contains(&b',');
    ends && (commas || telling > 0) && (count >= SHORTEST || count > 0 && rest.is_empty())
}

/// Numbers without braces that cannot be bare hex digits.
pub(super) fn bare(text: &[u8]) -> Option<Kind> {
    let alone = text.starts_with(b"$") && text.iter().filter(|byte| **byte == b'$').count() < 2;
    if is_prefixed(text) && !alone {
        return Some(Kind::Prefixed);
    }
    let (count, telling, rest) = numbers(text);
    let wide =
        text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-').any(|token| token.len() > 2 || token.starts_with(b"-"));
    (count >= SHORTEST && rest.is_empty() && (telling > 1 || wide)).then_some(Kind::Decimal)
}

/// Whether a list begins here whose elements are hex digits without a prefix: one has a letter, or all have two digits.
pub(super) fn is_hex_list(text: &[u8]) -> bool {
    let text = text.get(..text.len().min(WINDOW)).unwrap_or_default();
    let end = text.iter().position(|byte| matches!(byte, b']' | b'}' | b'>' | b')')).unwrap_or(text.len());
    let all = || {
        let tokens = text.get(..end).unwrap_or_default().split(|byte| *byte == b',').map(unquoted);
        tokens.filter(|token| !token.is_empty())
    };
    let hex = all().count() >= SHORTEST
        && text.get(..end).is_some_and(|text| text.contains(&b','))
        && all().all(|token| token.len() <= 2 && all_hex(token));
    hex && (all().any(|token| token.iter().any(u8::is_ascii_alphabetic))
        || all().any(|token| token.len() == 2 && token.starts_with(b"0")))
}

/// A number without quotes around it: lists of texts are printed as `['25', '00']`.
pub(super) fn unquoted(token: &[u8]) -> &[u8] {
    let token = token.trim_ascii();
    match token {
        [b'\'' | b'"', inner @ .., b'\'' | b'"'] if inner.len() == 2 => inner,
        _ => token,
    }
}
