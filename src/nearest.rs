//! Known names that a misspelt word may mean. Every suggestion of the program comes from here.
//!
//! An edit inserts, removes, replaces or exchanges letters. Users also omit parts of a name between dots, and ends of parts:
//! `dns.nam` for `dns.qry.name`. Such an omission costs half an edit. To omit the beginning of a part, or to write out an
//! abbreviation, costs one and a half.
//!
//! A name is near enough if a third of the letters of the word are wrong. In a short word one may be, unless it is the only one.

use std::borrow::Cow;
use std::collections::HashSet;

/// Number of suggestions for a word.
const SUGGESTIONS: usize = 3;

/// Cost of an edit; an omission costs 1.
const EDIT: usize = 2;

/// Cost of an omitted beginning and of an abbreviation written out.
const REWORDING: usize = 3;

/// Fewest letters of what remains of a reworded part.
const STEM: usize = 3;

/// Returns the names that a word may mean, the most likely first, without duplicates. Upper case is as lower case, and `-` as `_`.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let word = folded(word);
    let most = tolerance(&word) * EDIT;
    let (mut best, mut seen) = (Best::new(most), HashSet::new());
    let mut names: Vec<(usize, bool, &str)> = Vec::new();
    for name in known.into_iter().filter(|name| !name.is_empty()) {
        let known = folded(name);
        // The distance to most names is not needed: it is too large whatever it is.
        if best.may_include(least_distance(&word, &known)) && seen.insert(name) {
            let off = distance(&word, &known);
            best.add(off);
            let begins_alike = known.chars().next().is_some_and(|first| word.starts_with(first));
            names.push((off, !begins_alike, name));
        }
    }
    names.retain(|(off, ..)| *off <= most);
    // The first letter is rarely mistyped. Ties prefer earlier declarations, which are more common.
    names.sort_by_key(|(off, begins_otherwise, _)| (*off, *begins_otherwise));
    names.into_iter().take(SUGGESTIONS).map(|(.., name)| name).collect()
}

/// The end of an error message about an unknown name; empty if no name is near enough.
pub(crate) fn similar<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    match nearest(word, known) {
        names if names.is_empty() => String::new(),
        names => format!("; similar names: {}", names.join(", ")),
    }
}

/// The nearest name as a question; `None` if no name is near enough.
pub(crate) fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(word, known).first().map(|name| format!("did you mean `{name}`?"))
}

/// Names for an error message that needs examples: near ones, or else the first.
pub(crate) fn examples<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.collect();
    let near = nearest(word, known.iter().copied());
    let names = if near.is_empty() { known } else { near };
    names.get(..SUGGESTIONS).unwrap_or(&names).join(", ")
}

/// Maximum number of edits between a word and a name that it may mean.
pub(crate) fn tolerance(word: &str) -> usize {
    let letters = word.chars().count();
    (letters / 3).max(1).min(letters.saturating_sub(1))
}

/// The edits between two words; `None` if there are more than `most`.
pub(crate) fn edits(word: &str, known: &str, most: usize) -> Option<usize> {
    let is_possible = least_edits(word, known) <= most;
    is_possible.then(|| strsim::damerau_levenshtein(word, known)).filter(|edits| *edits <= most)
}

fn folded(name: &str) -> Cow<'_, str> {
    if name.chars().any(|letter| letter.is_uppercase() || letter == '-') {
        name.to_lowercase().replace('-', "_").into()
    } else {
        name.into()
    }
}

/// Cost of the edits and omissions that turn a known word into this one.
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

/// Cost of one part between dots.
fn part_distance(part: &str, known: &str) -> usize {
    match omission(part, known) {
        Some(cost) if cost < EDIT => cost,
        cost => cost.unwrap_or(usize::MAX).min(EDIT * strsim::damerau_levenshtein(part, known)),
    }
}

/// Cost of a part of which one word is the beginning or the end of the other.
fn omission(part: &str, known: &str) -> Option<usize> {
    match known.strip_prefix(part) {
        Some("") => Some(0),
        Some(_) if !part.is_empty() => Some(1),
        _ if part.len() >= STEM && known.ends_with(part) || known.len() >= STEM && part.starts_with(known) => Some(REWORDING),
        _ => None,
    }
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
    match omission(part, known) {
        Some(cost) if cost < EDIT => cost,
        cost => cost.unwrap_or(usize::MAX).min(EDIT * least_edits(part, known).max(1)),
    }
}

/// Lower bound of the edits between two words.
///
/// A character that one of them lacks takes an edit, and so does each character that one has more. Exchanges change neither.
fn least_edits(word: &str, known: &str) -> usize {
    let (a, b) = (Letters::of(word), Letters::of(known));
    let missing = (a.set & !b.set).count_ones().max((b.set & !a.set).count_ones()) as usize;
    missing.max(a.count.abs_diff(b.count))
}

/// Number of characters, and which of them occur; some share a bit.
struct Letters {
    set: u64,
    count: usize,
}

impl Letters {
    fn of(word: &str) -> Letters {
        word.chars().fold(Letters { set: 0, count: 0 }, |letters, character| Letters {
            set: letters.set | 1 << (u32::from(character) & 63),
            count: letters.count + 1,
        })
    }
}

/// The costs of the best names so far: a name that costs more than all of them is not among the first.
struct Best([usize; SUGGESTIONS]);

impl Best {
    /// For names that cost at most `limit`.
    fn new(limit: usize) -> Best {
        Best([limit; SUGGESTIONS])
    }

    /// Whether a name of at least this cost may be among the first.
    fn may_include(&self, cost: usize) -> bool {
        self.0.last().is_some_and(|worst| cost <= *worst)
    }

    /// Adds the cost of a name that was not added before.
    fn add(&mut self, cost: usize) {
        let place = self.0.partition_point(|known| *known <= cost);
        if let Some(behind) = self.0.get_mut(place..).filter(|behind| !behind.is_empty()) {
            behind.rotate_right(1);
            behind.iter_mut().take(1).for_each(|first| *first = cost);
        }
    }
}

#[cfg(test)]
mod tests;
