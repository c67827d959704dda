//! Similar names for error messages.

use crate::registry::{Best, least_edits};
use std::collections::HashSet;

/// Returns up to `most` known names, the most similar first, separated by commas. Ties prefer the same first letter, which is
/// rarely mistyped.
pub(super) fn nearest_names<'k>(name: &str, known: impl Iterator<Item = &'k str>, most: usize) -> String {
    let (mut best, mut seen) = (Best::new(most, usize::MAX), HashSet::new());
    let mut names: Vec<((usize, bool), &str)> = Vec::new();
    for known in known.filter(|known| !known.is_empty()) {
        // The distance to most names is not needed: it is too large whatever it is.
        if best.may_include(least_edits(known, name)) && seen.insert(known) {
            let off = strsim::damerau_levenshtein(known, name);
            best.add(off);
            names.push(((off, known.chars().next() != name.chars().next()), known));
        }
    }
    names.sort_by_key(|(off, _)| *off);
    names.into_iter().take(most).map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::nearest_names;

    #[test]
    fn names_with_a_common_prefix_are_first_without_duplicates() {
        let known = ["gtp", "stp", "http", "http", "", "quake"];
        assert_eq!(nearest_names("htp", known.into_iter(), 2), "http, gtp");
        assert_eq!(nearest_names("htp", ["ip"].into_iter(), 3), "ip");
    }
}
