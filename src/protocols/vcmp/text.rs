//! Text decoding.

use std::borrow::Cow;
use std::fmt;

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
