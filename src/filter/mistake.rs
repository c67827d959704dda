//! Errors in filters, shown with a mark under the position.

use crate::tree::is_harmful;
use std::fmt::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// What is wrong with a filter, where, and what to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The first byte of the part that is wrong.
    pub at: usize,
    /// Its bytes; 0 where something is missing.
    pub len: usize,
    /// What is wrong with it, in a line.
    pub what: String,
    /// What may have been meant instead, the likeliest first.
    pub nearest: Vec<String>,
    /// The whole filter.
    expression: String,
}

/// A mistake before it is known in which filter.
#[derive(Debug)]
pub(super) struct Wrong {
    at: Range<usize>,
    what: String,
    nearest: Vec<String>,
}

impl Wrong {
    /// This is wrong with that part.
    pub(super) fn new(at: &Range<usize>, what: impl Into<String>) -> Wrong {
        Wrong { at: at.clone(), what: what.into(), nearest: Vec::new() }
    }

    /// This may have been meant.
    pub(super) fn try_instead(mut self, nearest: Vec<String>) -> Wrong {
        self.nearest = nearest;
        self
    }

    /// The mistake in this filter.
    pub(super) fn in_expression(self, expression: &str) -> Mistake {
        Mistake {
            at: self.at.start,
            len: self.at.len(),
            what: self.what,
            nearest: self.nearest,
            expression: expression.to_owned(),
        }
    }
}

/// The known words nearest to a mistyped one; none where it is more than half wrong.
pub(super) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Vec<String> {
    const SUGGESTIONS: usize = 3;
    let word = word.to_lowercase();
    let off = |known: &'k str| (strsim::damerau_levenshtein(&known.to_lowercase(), &word), known);
    let mut known: Vec<(usize, &str)> = known.filter(|known| !known.is_empty()).map(off).collect();
    known.retain(|(off, _)| *off <= word.chars().count() / 2);
    known.sort_unstable();
    known.dedup();
    known.into_iter().take(SUGGESTIONS).map(|(_, known)| known.to_owned()).collect()
}

impl fmt::Display for Mistake {
    /// What is wrong, the filter with a mark under the part that is, and what to try. Harmless whatever the filter holds.
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

impl std::error::Error for Mistake {}

/// Backslashes stay as they are, unlike in text from captures: this is what the user typed.
fn harmless(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    text.chars().try_for_each(|c| if is_harmful(c) { write!(f, "{}", c.escape_unicode()) } else { f.write_char(c) })
}

/// Columns that text takes once it is harmless.
fn width(text: &str) -> usize {
    text.chars().map(|c| if is_harmful(c) { c.escape_unicode().count() } else { c.width().unwrap_or_default() }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_part_whatever_comes_before() {
        let expression = "\"é日\u{1b}\" == bad";
        let at = expression.find("bad").unwrap();
        let mistake = Wrong::new(&(at..at + 3), "no").try_instead(vec!["good".into(), "better".into()]).in_expression(expression);
        assert_eq!(mistake.to_string(), "no\n  \"é日\\u{1b}\" == bad\n                 ^^^\n  try good, better");
    }
}
