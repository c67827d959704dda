//! Similar names for error messages.

/// Returns up to `most` known names, the most similar first, separated by commas. Ties prefer the same first letter, which is
/// rarely mistyped.
pub(super) fn nearest_names<'k>(name: &str, known: impl Iterator<Item = &'k str>, most: usize) -> String {
    let mut names: Vec<&str> = known.filter(|known| !known.is_empty()).collect();
    names.sort_by_cached_key(|known| (strsim::damerau_levenshtein(known, name), known.chars().next() != name.chars().next()));
    names.dedup();
    names.truncate(most);
    names.join(", ")
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
