//! Errors in filters, displayed with a caret below the position.

use crate::registry::{Best, least_edits};
use crate::tree::is_harmful;
use std::borrow::Cow;
use std::collections::HashSet;
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

/// Known words similar to a mistyped one; empty if more than half of it differs.
pub(super) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Vec<String> {
    const SUGGESTIONS: usize = 3;
    let word = word.to_lowercase();
    let most = word.chars().count() / 2 * EDIT;
    let (mut best, mut seen) = (Best::new(SUGGESTIONS, most), HashSet::new());
    let off = |known: &'k str| {
        let lower = lowercase(known);
        if known.is_empty() || !best.may_include(least_distance(&word, &lower)) || !seen.insert(known) {
            return None;
        }
        let off = distance(&word, &lower);
        best.add(off);
        Some((off, known)).filter(|(off, _)| *off <= most)
    };
    let mut known: Vec<(usize, &str)> = known.filter_map(off).collect();
    let begins_alike = |known: &str| known.chars().next().is_some_and(|first| word.starts_with(first));
    // The first letter is rarely mistyped. Ties prefer earlier declarations, which are more common.
    known.sort_by_key(|(off, known)| (*off, !begins_alike(known)));
    known.into_iter().take(SUGGESTIONS).map(|(_, known)| known.to_owned()).collect()
}

fn lowercase(known: &str) -> Cow<'_, str> {
    match known.chars().any(char::is_uppercase) {
        true => known.to_lowercase().into(),
        false => known.into(),
    }
}

/// Cost of an edit; an omitted part, or an omitted end of a part, costs 1.
const EDIT: usize = 2;

/// Edit distance to a known word. Users often omit parts of names, and ends of parts: `dns.nam` for `dns.qry.name`.
fn distance(word: &str, known: &str) -> usize {
    let whole = EDIT * strsim::damerau_levenshtein(word, known);
    let known: Vec<&str> = known.split('.').collect();
    // Costs so far, by the number of known parts already matched.
    let mut costs: Vec<usize> = (0..=known.len()).collect();
    for part in word.split('.') {
        let mut next = vec![usize::MAX; known.len() + 1];
        let mut best = usize::MAX;
        for ((known, before), behind) in known.iter().zip(&costs).zip(next.iter_mut().skip(1)) {
            let found = before.saturating_add(part_distance(part, known));
            best = found.min(best.saturating_add(1));
            *behind = best;
        }
        costs = next;
    }
    whole.min(costs.last().copied().unwrap_or(whole))
}

/// Lower bound of [`distance`], which few names reach.
fn least_distance(word: &str, known: &str) -> usize {
    let (parts, known_parts) = (word.split('.').count(), known.split('.').count());
    let whole = EDIT * least_edits(word, known);
    let Some(omitted) = known_parts.checked_sub(parts) else { return whole };
    let least = |part: &str| known.split('.').map(|known| least_part_distance(part, known)).min().unwrap_or_default();
    whole.min(word.split('.').map(least).sum::<usize>() + omitted)
}

fn least_part_distance(part: &str, known: &str) -> usize {
    match known.strip_prefix(part) {
        Some("") => 0,
        Some(_) if !part.is_empty() => 1,
        _ => EDIT * least_edits(part, known).max(1),
    }
}

/// Edit distance of one part between dots.
fn part_distance(part: &str, known: &str) -> usize {
    match known.strip_prefix(part) {
        Some("") => 0,
        Some(_) if !part.is_empty() => 1,
        _ => EDIT * strsim::damerau_levenshtein(part, known),
    }
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
    use crate::registry::Registry;

    #[test]
    fn names_with_parts_left_out_or_cut_are_near() {
        let known = ["dns", "dns.a", "dns.mr", "dns.query", "dns.qry.name", "dns.resp.name", "dns.time", "ip.addr", "tcp.port"];
        let first = |word: &str| nearest(word, known.into_iter()).first().cloned().unwrap_or_default();
        assert_eq!(first("dsn.qry"), "dns.qry.name");
        assert_eq!(first("dns.nam"), "dns.qry.name");
        assert_eq!(first("dns.qyr.name"), "dns.qry.name");
        assert_eq!(first("ip.adr"), "ip.addr");
        assert_eq!(first("TCP.prot"), "tcp.port");
        assert_eq!(first("zzzzzzzz"), "");
    }

    #[test]
    fn few_distances_are_computed_and_the_answer_is_that_of_all() {
        let registry = Registry::default();
        let names: Vec<&str> = registry.fields().flat_map(|field| [field.abbrev, field.also]).collect();
        for word in ["tcp.prot", "htpp.request.metod", "dns.nam", "ip", "pipboy.entry.flaot", "Eth.Scr", "é.ü", "x.y.z.w", "tcp."]
        {
            let lower = word.to_lowercase();
            let most = lower.chars().count() / 2 * EDIT;
            let mut all: Vec<(usize, bool, &str)> = names
                .iter()
                .filter(|name| !name.is_empty())
                .map(|name| {
                    let off = distance(&lower, &name.to_lowercase());
                    assert!(least_distance(&lower, &name.to_lowercase()) <= off, "{word} {name}");
                    (off, !name.chars().next().is_some_and(|first| lower.starts_with(first)), *name)
                })
                .filter(|(off, ..)| *off <= most)
                .collect();
            all.sort_by_key(|(off, differs, _)| (*off, *differs));
            let mut seen = HashSet::new();
            let expected: Vec<&str> = all.iter().map(|(.., name)| *name).filter(|name| seen.insert(*name)).take(3).collect();
            assert_eq!(nearest(word, names.iter().copied()), expected, "{word}");
        }
    }

    #[test]
    fn the_mark_is_below_the_wrong_part() {
        let expression = "\"é日\u{1b}\" == bad";
        let at = expression.find("bad").unwrap();
        let mistake = Wrong::new(&(at..at + 3), "no").try_instead(vec!["good".into(), "better".into()]).in_expression(expression);
        assert_eq!(mistake.to_string(), "no\n  \"é日\\u{1b}\" == bad\n                 ^^^\n  try good, better");
    }
}
