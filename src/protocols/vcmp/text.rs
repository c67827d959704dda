//! Text decoding, and summaries of groups.

use super::fields::*;
use crate::tree::{NodeRef, Value, clean};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Maximum characters of a text in a heading.
const BRIEF: usize = 100;

/// UTF-8 if valid, otherwise ISO 8859-1.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}

/// Quoted text, truncated.
pub(super) struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(BRIEF) {
            Some((end, _)) => write!(f, "\"{}…\"", self.0.get(..end).unwrap_or_default()),
            None => write!(f, "\"{}\"", self.0),
        }
    }
}

pub(super) fn nothing(_: NodeRef<'_>, _: &mut dyn Write) -> fmt::Result {
    Ok(())
}

/// Components of a position in alphabetical order, w last.
pub(super) fn parts_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let of = |name: char| node.children().find(|child| child.field().name.starts_with(name));
    let mut before = "(";
    for part in ['x', 'y', 'z', 'w'].into_iter().filter_map(of) {
        out.write_str(before)?;
        match part.value() {
            Value::Double(number) => write!(out, "{number:.4}")?,
            _ => part.write_value(out)?,
        }
        before = ", ";
    }
    out.write_char(')')
}

/// A file of a server's store.
pub(super) fn file_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.child(&FILE_NAME) {
        Some(name) => {
            out.write_char('"')?;
            clean(&name.text(), out)?;
            out.write_char('"')
        }
        None => Ok(()),
    }
}
