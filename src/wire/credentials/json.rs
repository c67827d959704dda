//! Secrets in JSON.

use super::{Ends, NAME_MOST, is_secret_name};
use std::ops::Range;

/// The member `"value"` of a JSON object, after a member `"name"` whose value at `at` is the name of a secret.
pub(super) fn pair(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let rest = text.get(at..text.len().min(at + 4 * NAME_MOST)).unwrap_or_default();
    let Some(value) = rest.trim_ascii_start().strip_prefix(b"\"") else { return };
    let Some(end) = memchr::memchr(b'"', value).filter(|end| is_secret_name(value.get(..*end).unwrap_or_default())) else {
        return;
    };
    let behind = value.get(end + 1..).unwrap_or_default().trim_ascii_start();
    let behind = behind.strip_prefix(b",").unwrap_or_default().trim_ascii_start();
    let behind = behind.strip_prefix(b"\"value\"").unwrap_or_default().trim_ascii_start();
    if let Some(behind) = behind.strip_prefix(b":") {
        member(text, at + rest.len() - behind.len(), ends, report);
    }
}

/// The value of a JSON member, after its colon.
pub(super) fn member(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let rest = text.get(at..).unwrap_or_default();
    let start = at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let value = text.get(start..).unwrap_or_default();
    if value.starts_with(b"[") {
        return report(start + 1..ends.list.of(text, start + 1, |list| memchr::memchr(b']', list)));
    }
    if !value.starts_with(b"\"") {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']' | b'{' | b'[');
        return report(start..ends.bare.of(text, start, |value| value.iter().position(is_end)));
    }
    let mut escaped = false;
    let mut is_end = |byte: &u8| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    };
    // A quote inside a string is escaped, so a string that begins there ends at the same place.
    report(start + 1..ends.member.of(text, start + 1, |string| string.iter().position(&mut is_end)));
}
