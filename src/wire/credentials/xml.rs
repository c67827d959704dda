//! Secrets in XML and HTML.

use super::{End, Ends, is_of_name, is_secret_name, name_before};
use std::ops::Range;

/// An element of XML whose name, or whose attribute for a name, is that of a secret. Its first tag ends at `at`.
pub(super) fn element(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    const TAG_MOST: usize = 256;
    let before = text.get(at.saturating_sub(TAG_MOST)..at).unwrap_or_default();
    let Some(open) = memchr::memrchr(b'<', before) else { return };
    let tag = before.get(open + 1..).unwrap_or_default();
    let name = tag.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let content = |from: usize, end: &mut End| from..end.of(text, from, |rest| memchr::memmem::find(rest, b"</"));
    if let Some(closed) = name.strip_prefix(b"/") {
        // The value of a named member is the content of the next element.
        let is_name = matches!(closed, b"name" | b"key") && {
            let named = before.get(..open).unwrap_or_default();
            is_secret_name(named.rsplit(|byte| *byte == b'>').next().unwrap_or_default())
        };
        let rest = text.get(at + 1..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = rest.get(blanks..).filter(|next| is_name && next.starts_with(b"<"));
        let length = next.and_then(|next| memchr::memchr(b'>', next.get(..TAG_MOST).unwrap_or(next)));
        if let Some(length) = length {
            report(content(at + 1 + blanks + length + 1, &mut ends.element));
        }
        return;
    }
    let own = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let names = attribute(tag, |name| matches!(name, b"name" | b"key" | b"id" | b"type"));
    let is_named = names.is_some_and(|range| is_secret_name(tag.get(range).unwrap_or_default()));
    if is_named && let Some(value) = attribute(tag, |name| name == b"value") {
        let start = at - tag.len();
        report(start + value.start..start + value.end);
    }
    // These have attributes only.
    let is_void = [&b"input"[..], b"meta", b"link"].iter().any(|void| own.eq_ignore_ascii_case(void));
    if !is_void && (is_named || own.iter().all(|byte| is_of_name(*byte)) && is_secret_name(own)) && !tag.ends_with(b"/") {
        report(content(at + 1, &mut ends.element));
    }
}

/// The range of the value of the first attribute of a tag with such a name, in lower case.
fn attribute(tag: &[u8], is_meant: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
    memchr::memchr_iter(b'=', tag).find_map(|at| {
        let mark = *tag.get(at + 1).filter(|mark| matches!(mark, b'"' | b'\''))?;
        if !is_meant(&name_before(tag, at).to_ascii_lowercase()) {
            return None;
        }
        Some(at + 2..at + 2 + memchr::memchr(mark, tag.get(at + 2..)?)?)
    })
}
