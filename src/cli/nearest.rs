//! Names that a mistyped one may stand for.

/// At most so many known names, the nearest first, between commas. Of those that are as near, one with the same first letter is
/// likelier: few mistype that.
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
    fn names_that_begin_alike_come_first_and_none_comes_twice() {
        let known = ["gtp", "stp", "http", "http", "", "quake"];
        assert_eq!(nearest_names("htp", known.into_iter(), 2), "http, gtp");
        assert_eq!(nearest_names("htp", ["ip"].into_iter(), 3), "ip");
    }
}
