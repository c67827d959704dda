//! XML markup of a stream, found without allocation: tags, text, declarations and comments.

use std::ops::Range;

/// A piece of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `<name …>`
    Start,
    /// `<name …/>`
    Empty,
    /// `</name>`
    End,
    /// Text up to the next markup.
    Text,
    /// `<![CDATA[…]]>`
    Verbatim,
    /// `<?…?>`
    Declaration,
    /// `<!--…-->` or `<!…>`
    Other,
}

const VERBATIM: (&[u8], &[u8]) = (b"<![CDATA[", b"]]>");
const COMMENT: (&[u8], &[u8]) = (b"<!--", b"-->");
const DECLARATION: (&[u8], &[u8]) = (b"<?", b"?>");

/// The first piece of markup and its size; `None` if it is incomplete. Text without markup behind it is complete.
pub(super) fn first(bytes: &[u8]) -> Option<(Kind, usize)> {
    if bytes.first()? != &b'<' {
        return Some((Kind::Text, memchr::memchr(b'<', bytes).unwrap_or(bytes.len())));
    }
    let enclosed = [(Kind::Verbatim, VERBATIM), (Kind::Other, COMMENT), (Kind::Declaration, DECLARATION)];
    for (kind, (open, close)) in enclosed {
        if bytes.starts_with(open) {
            let end = memchr::memmem::find(bytes.get(open.len()..)?, close)?;
            return Some((kind, open.len() + end + close.len()));
        }
        // The rest of the opening decides.
        if open.starts_with(bytes) {
            return None;
        }
    }
    let size = end_of_tag(bytes)?;
    let kind = match bytes.get(..size)? {
        [_, b'!', ..] => Kind::Other,
        [_, b'/', ..] => Kind::End,
        [.., b'/', _] => Kind::Empty,
        _ => Kind::Start,
    };
    Some((kind, size))
}

/// Size of a tag, up to a bracket outside of quotes.
fn end_of_tag(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        match bytes.get(at)? {
            b'>' => return Some(at + 1),
            quote => at += 2 + memchr::memchr(*quote, bytes.get(at + 1..)?)?,
        }
    }
}

pub(super) fn name(tag: &[u8]) -> Range<usize> {
    let start = if tag.starts_with(b"</") { 2 } else { 1 };
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let rest = tag.get(start..).unwrap_or_default();
    start..start + rest.iter().position(ends).unwrap_or(rest.len())
}

/// A name without its prefix.
pub(super) fn local(name: &[u8]) -> &[u8] {
    memchr::memchr(b':', name).and_then(|colon| name.get(colon + 1..)).unwrap_or(name)
}

/// An attribute: ranges in its tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    /// Start of the attribute, and the byte behind its closing quote.
    pub(super) whole: Range<usize>,
}

/// The next attribute of a tag at or behind `at`.
pub(super) fn attribute(tag: &[u8], at: usize) -> Option<Attribute> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = at + tag.get(at..)?.iter().position(|byte| !is_blank(byte))?;
    let equals = start + memchr::memchr(b'=', tag.get(start..)?)?;
    let quote_at = equals + 1 + tag.get(equals + 1..)?.iter().position(|byte| !is_blank(byte))?;
    let quote = *tag.get(quote_at).filter(|quote| matches!(quote, b'"' | b'\''))?;
    let end = quote_at + 1 + memchr::memchr(quote, tag.get(quote_at + 1..)?)?;
    let name_end = start + tag.get(start..equals)?.trim_ascii_end().len();
    Some(Attribute { name: start..name_end, value: quote_at + 1..end, whole: start..end + 1 })
}

/// Value of an attribute of a tag.
pub(super) fn value<'a>(tag: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut at = name(tag).end;
    while let Some(found) = attribute(tag, at) {
        if tag.get(found.name) == Some(wanted) {
            return tag.get(found.value);
        }
        at = found.whole.end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_found_by_its_brackets() {
        type Case<'a> = (&'a [u8], Option<(Kind, usize)>);
        let cases: [Case<'_>; 12] = [
            (b"<iq id='>'>x", Some((Kind::Start, 11))),
            (b"<iq/>x", Some((Kind::Empty, 5))),
            (b"</iq>x", Some((Kind::End, 5))),
            (b"text<", Some((Kind::Text, 4))),
            (b"text", Some((Kind::Text, 4))),
            (b"<?xml version='1.0'?><a", Some((Kind::Declaration, 21))),
            (b"<!-- > --> ", Some((Kind::Other, 10))),
            (b"<![CDATA[>]]>x", Some((Kind::Verbatim, 13))),
            (b"<!DOCTYPE x>", Some((Kind::Other, 12))),
            (b"<![CDA", None),
            (b"<iq id='>", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(first(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn attributes_have_either_quote() {
        let tag = b"<stream:stream to='a' xml:lang = \"en\">";
        assert_eq!((&tag[name(tag)], local(&tag[name(tag)])), (&b"stream:stream"[..], &b"stream"[..]));
        assert_eq!((value(tag, b"to"), value(tag, b"xml:lang"), value(tag, b"id")), (Some(&b"a"[..]), Some(&b"en"[..]), None));
        assert!(attribute(b"<a b=c>", 3).is_none() && attribute(b"<a b='c", 3).is_none());
    }
}
