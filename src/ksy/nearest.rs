//! The known name nearest to a misspelt one.

/// The nearest of the known names, where no more than a third of the letters differ.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = word.to_lowercase().replace('-', "_");
    let distance = |known: &str| strsim::damerau_levenshtein(&lower, &known.to_lowercase().replace('-', "_"));
    let most = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|known| (distance(known), known))
        .filter(|(off, _)| *off <= most)
        .min_by_key(|(off, _)| *off)
        .map(|(_, known)| known)
}

/// The question that suggests it.
pub(super) fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(word, known).map(|known| format!("did you mean `{known}`?"))
}
