//! Edit distances to many known names, of which only the least are computed.

/// Lower bound of the edits between two words.
///
/// A character that one of them lacks takes an edit, and so does each character that one has more. Exchanges change neither.
#[must_use]
pub fn least_edits(word: &str, known: &str) -> usize {
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
pub struct Best {
    costs: Vec<usize>,
}

impl Best {
    /// For so many names that cost at most `limit`.
    #[must_use]
    pub fn new(names: usize, limit: usize) -> Best {
        Best { costs: vec![limit; names] }
    }

    /// Whether a name of at least this cost may be among the first.
    #[must_use]
    pub fn may_include(&self, cost: usize) -> bool {
        self.costs.last().is_some_and(|worst| cost <= *worst)
    }

    /// Adds the cost of a name that was not added before.
    pub fn add(&mut self, cost: usize) {
        let place = self.costs.partition_point(|known| *known <= cost);
        if place < self.costs.len() {
            self.costs.pop();
            self.costs.insert(place, cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bound_is_never_above_the_distance(word in "[a-eé.]{0,8}", known in "[a-eé.]{0,8}") {
            prop_assert!(least_edits(&word, &known) <= strsim::damerau_levenshtein(&word, &known));
        }

        #[test]
        fn the_best_are_those_of_all(costs in prop::collection::vec(0_usize..20, 0..30)) {
            let mut best = Best::new(3, 12);
            let kept: Vec<usize> = costs.iter().copied().filter(|cost| {
                let is_kept = best.may_include(*cost);
                if is_kept {
                    best.add(*cost);
                }
                is_kept
            }).collect();
            let first = |costs: &[usize]| {
                let mut costs: Vec<usize> = costs.iter().copied().filter(|cost| *cost <= 12).collect();
                costs.sort_unstable();
                costs.truncate(3);
                costs
            };
            prop_assert_eq!(first(&kept), first(&costs));
        }
    }
}
