//! The numbers and texts behind a directive: `23h`, `'lang'`, `4 dup(0)`.

use super::scan::{Word, all_hex, indent, run, words};
use super::{Fault, LARGEST_PACKET, fault, too_large};

/// Parses a number, a text or `4 dup(0)` with blanks around it; returns its end.
pub(super) fn item(line: &[u8], from: usize, size: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let blank = |at: usize| at + line.get(at..).map_or(0, indent);
    let at = blank(from);
    let rest = line.get(at..).unwrap_or_default();
    if let [quote @ (b'\'' | b'"'), text @ ..] = rest {
        let Some(len) = text.iter().position(|byte| byte == quote) else { return fault(at, "a text without its closing quote") };
        out.extend(text.get(..len).unwrap_or_default());
        return Ok(blank(at + len + 2));
    }
    let len = run(rest, |byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    let Some(value) = number(rest.get(..len).unwrap_or_default()) else {
        let what =
            if rest.starts_with(b"?") { "`?` is a byte without a value" } else { "expected a number such as 23h, or a text" };
        return fault(at, what);
    };
    let end = blank(at + len);
    if let Some(inner) = line.get(end..).and_then(|rest| rest.strip_prefix(b"dup(")) {
        return repeated(line, line.len() - inner.len(), value, size, out);
    }
    let bytes = value.to_le_bytes();
    let fits = bytes.iter().skip(size).all(|byte| *byte == 0) || value < 0 && size < 8 && value >= -(1 << (size * 8 - 1));
    if !fits {
        return fault(at, format!("a number of more than {size} bytes"));
    }
    out.extend(bytes.iter().take(size));
    Ok(end)
}

/// Repeats the item in the parentheses of `dup`.
pub(super) fn repeated(line: &[u8], from: usize, count: i64, size: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut some = Vec::new();
    let close = item(line, from, size, &mut some)?;
    if line.get(close) != Some(&b')') {
        return fault(close, "expected `)` after what dup repeats");
    }
    if count > LARGEST_PACKET / some.len().max(1) {
        return Err(too_large(from));
    }
    out.extend(some.repeat(count));
    Ok(close + 1 + line.get(close + 1..).map_or(0, indent))
}

/// `23h`, `0x23`, `35` or `-1`.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let hex = text.strip_suffix(['h', 'H']).or_else(|| text.strip_prefix("0x"));
    match hex {
        Some(digits) if digits.starts_with(|first: char| first.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).ok().map(u64::cast_signed)
        }
        Some(_) => None,
        None => text.parse().ok(),
    }
}

/// Directives with the size of their numbers in bytes.
pub(super) const DIRECTIVES: [(&[u8], usize); 6] = [(b"db", 1), (b"dw", 2), (b"dd", 4), (b"dq", 8), (b".byte", 1), (b"dcb", 1)];

/// The directive of a line and the size of its numbers. An address and a label may precede it.
pub(super) fn directive(line: &[u8]) -> Option<(Word<'_>, usize)> {
    words(line, 0).take(3).find_map(|word| {
        let (_, size) = DIRECTIVES.iter().find(|(name, _)| word.text.eq_ignore_ascii_case(name))?;
        Some((word, *size))
    })
}

/// Hex digits without any commas or marks after a directive at the start of a line, as debuggers print them: `dw 0025 11F2`.
/// Returns them with the size of a number.
pub(super) fn hex_words(line: &[u8]) -> Option<(usize, usize)> {
    let (word, size) =
        directive(line).filter(|(word, _)| line.get(..word.at).is_some_and(|before| before.trim_ascii().is_empty()))?;
    let from = word.at + word.text.len();
    let digits = line.get(from..)?;
    // Without another case, `db` is the byte 0xdb.
    let lower = word.text.iter().all(u8::is_ascii_lowercase);
    let apart = if lower { digits.iter().any(u8::is_ascii_uppercase) } else { digits.iter().any(u8::is_ascii_lowercase) };
    let mut all = words(line, from).peekable();
    all.peek().filter(|_| size > 1 || apart)?;
    all.all(|word| word.text.len() == size * 2 && all_hex(word.text)).then_some((from, size))
}
