//! Errors in filters, displayed with a caret below the position.

use crate::tree::is_harmful;
use std::fmt::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// An error in a filter, with position and suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Offset of the wrong part.
    pub at: usize,
    /// Length of the wrong part; 0 if something is missing.
    pub len: usize,
    /// Message in one line.
    pub what: String,
    /// Suggestions, the most likely first.
    pub nearest: Vec<String>,
    /// The whole filter.
    expression: String,
}

/// A mistake without its filter.
#[derive(Debug)]
pub(super) struct Wrong {
    at: Range<usize>,
    what: String,
    nearest: Vec<String>,
}

impl Wrong {
    /// Creates a mistake at a position.
    pub(super) fn new(at: &Range<usize>, what: impl Into<String>) -> Wrong {
        Wrong { at: at.clone(), what: what.into(), nearest: Vec::new() }
    }

    /// Adds suggestions.
    pub(super) fn try_instead(mut self, nearest: Vec<String>) -> Wrong {
        self.nearest = nearest;
        self
    }

    /// Adds the filter.
    pub(super) fn in_expression(self, expression: &str) -> ParseError {
        ParseError {
            at: self.at.start,
            len: self.at.len(),
            what: self.what,
            nearest: self.nearest,
            expression: expression.to_owned(),
        }
    }
}

/// Known words that a mistyped one may mean.
pub(super) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Vec<String> {
    crate::nearest::nearest(word, known).into_iter().map(str::to_owned).collect()
}

impl fmt::Display for ParseError {
    /// Writes the message, the filter with a caret, and suggestions, with control characters escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        harmless(&self.what, f)?;
        let before = self.expression.get(..self.at).unwrap_or_default();
        let part = self.expression.get(self.at..self.at + self.len).unwrap_or_default();
        f.write_str("\n  ")?;
        harmless(&self.expression, f)?;
        write!(f, "\n  {:before$}{:^<part$}", "", "^", before = width(before), part = width(part).max(1))?;
        for (at, nearest) in self.nearest.iter().enumerate() {
            f.write_str(if at == 0 { "\n  try " } else { ", " })?;
            harmless(nearest, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseError {}

/// Escapes control characters. Backslashes stay, unlike in text from captures, because this is the user's input.
fn harmless(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    text.chars().try_for_each(|c| if is_harmful(c) { write!(f, "{}", c.escape_unicode()) } else { f.write_char(c) })
}

/// Display width of escaped text.
fn width(text: &str) -> usize {
    text.chars().map(|c| if is_harmful(c) { c.escape_unicode().count() } else { c.width().unwrap_or_default() }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_below_the_wrong_part() {
        let expression = "\"é日\u{1b}\" == bad";
        let at = expression.find("bad").unwrap();
        let mistake = Wrong::new(&(at..at + 3), "no").try_instead(vec!["good".into(), "better".into()]).in_expression(expression);
        assert_eq!(mistake.to_string(), "no\n  \"é日\\u{1b}\" == bad\n                 ^^^\n  try good, better");
    }
}
