//! The known name nearest to a misspelt one.

/// The nearest of the known names: no more than a third of the letters differ, or one begins with the other.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = plain(word);
    let length = lower.chars().count();
    let most = (length / 3).max(1).min(length.saturating_sub(1));
    let distance = |known: &str| {
        let known = plain(known);
        let is_part = known.len().min(length) > 2 && (known.starts_with(&lower) || lower.starts_with(&known));
        strsim::damerau_levenshtein(&lower, &known).min(if is_part { most } else { usize::MAX })
    };
    known
        .into_iter()
        .map(|known| (distance(known), known))
        .filter(|(off, _)| *off <= most)
        .min_by_key(|(off, _)| *off)
        .map(|(_, known)| known)
}

/// The question with the suggestion.
pub(super) fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(word, known).map(|known| format!("did you mean `{known}`?"))
}

fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}
