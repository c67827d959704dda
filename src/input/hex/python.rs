//! Literals of Python, and calls as strace prints them.

/// Minimum length at which a literal of hex digits is read as digits.
pub(super) const HEXLIFIED: usize = 16;

/// Whether a literal of Python bytes begins after this text: `b`, `rb`, `bytearray(b`.
pub(super) fn is_prefix(before: &[u8]) -> bool {
    let name = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = before.get(before.len() - name..).unwrap_or_default();
    [&b"b"[..], b"rb", b"br"].iter().any(|prefix| name.eq_ignore_ascii_case(prefix))
}

/// Whether a line is a whole system call with its result, as in strace: `read(3, "\x23", 1) = 1`.
pub(super) fn is_call(text: &[u8]) -> bool {
    let Some(close) = text.iter().rposition(|byte| *byte == b')') else { return false };
    let result = text.get(close + 1..).unwrap_or_default().trim_ascii();
    text.iter().position(|byte| *byte == b'(').is_some_and(|open| open > 0 && open < close)
        && result.strip_prefix(b"= ").is_some_and(|result| result.first().is_some_and(u8::is_ascii_digit))
}

/// Whether a line contains a literal such as `b'..'`, up to its end.
pub(super) fn python_literal(text: &[u8]) -> bool {
    let Some(at) = text.windows(2).position(|pair| matches!(pair, [b'b', b'"' | b'\''])) else { return false };
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let quote = text.get(at + 1).copied().unwrap_or_default();
    let rest = text.get(at + 2..).unwrap_or_default();
    let Some(len) = rest.iter().position(|byte| *byte == quote) else { return false };
    // The result of `binascii.hexlify` consists of digits, not bytes.
    let is_hex = len >= HEXLIFIED && len.is_multiple_of(2) && rest.iter().take(len).all(u8::is_ascii_hexdigit);
    !is_hex && before.is_none_or(|byte| matches!(byte, b' ' | b'=' | b'(' | b',' | b'['))
}
