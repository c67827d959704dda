//! Aligns two sequences: first unique equal elements, then the elements between them by similarity.
//!
//! Work is bounded by elements times `WINDOW`, memory is linear: in long stretches without unique elements, a sliding window
//! limits the distance of aligned elements.

use std::collections::HashMap;
use std::ops::Range;

/// Number of elements of each side that are compared pairwise.
const WINDOW: usize = 128;

/// Maximum number of divisions of a stretch at unique elements.
const DEPTH: u32 = 16;

/// Weight of two equal elements.
const EQUAL: u32 = 1000;

/// Keys by which elements are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Keys {
    /// Hash of all that is compared: equal for equal elements.
    pub(super) strong: u64,
    /// Hash of the kind: equal for elements that may be versions of each other.
    pub(super) weak: u64,
}

/// A step over both sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Two aligned elements.
    Both(usize, usize),
    /// An element of the first sequence only.
    A(usize),
    /// An element of the second sequence only.
    B(usize),
}

/// Aligns two sequences; every element is in exactly one step. `likeness` of two elements is 0 if they cannot be aligned.
pub(super) fn align(a: &[Keys], b: &[Keys], likeness: &dyn Fn(usize, usize) -> u32) -> Vec<Step> {
    let mut aligner = Aligner { a, b, likeness, steps: Vec::with_capacity(a.len().max(b.len())) };
    let mut stretches = vec![Stretch { a: 0..a.len(), b: 0..b.len(), depth: 0 }];
    while let Some(stretch) = stretches.pop() {
        aligner.stretch(stretch, &mut stretches);
    }
    aligner.steps
}

/// A part of each sequence.
#[derive(Debug, Clone)]
struct Stretch {
    a: Range<usize>,
    b: Range<usize>,
    depth: u32,
}

struct Aligner<'a> {
    a: &'a [Keys],
    b: &'a [Keys],
    likeness: &'a dyn Fn(usize, usize) -> u32,
    steps: Vec<Step>,
}

impl Aligner<'_> {
    fn is_equal(&self, a: usize, b: usize) -> bool {
        matches!((self.a.get(a), self.b.get(b)), (Some(a), Some(b)) if a.strong == b.strong)
    }

    fn score(&self, a: usize, b: usize) -> u32 {
        if self.is_equal(a, b) { EQUAL } else { (self.likeness)(a, b).min(EQUAL - 1) }
    }

    /// Aligns a stretch, or divides it; the parts are pushed to the stack, the first one last.
    fn stretch(&mut self, Stretch { mut a, mut b, depth }: Stretch, stretches: &mut Vec<Stretch>) {
        while !a.is_empty() && !b.is_empty() && self.is_equal(a.start, b.start) {
            self.steps.push(Step::Both(a.start, b.start));
            (a.start, b.start) = (a.start + 1, b.start + 1);
        }
        let (end_a, end_b) = (a.end, b.end);
        while !a.is_empty() && !b.is_empty() && self.is_equal(a.end - 1, b.end - 1) {
            (a.end, b.end) = (a.end - 1, b.end - 1);
        }
        if a.end < end_a {
            stretches.push(Stretch { a: a.end..end_a, b: b.end..end_b, depth });
        }
        if a.len().saturating_mul(b.len()) <= WINDOW * WINDOW {
            let steps = self.best(&a, &b);
            self.steps.extend(steps);
            return;
        }
        let anchors = if depth < DEPTH { self.anchors(&a, &b) } else { Vec::new() };
        if anchors.is_empty() {
            self.windows(a, b);
            return;
        }
        let depth = depth + 1;
        let first = stretches.len();
        for (at, other) in anchors {
            stretches.push(Stretch { a: a.start..at, b: b.start..other, depth });
            stretches.push(Stretch { a: at..at + 1, b: other..other + 1, depth });
            (a.start, b.start) = (at + 1, other + 1);
        }
        stretches.push(Stretch { a, b, depth });
        if let Some(added) = stretches.get_mut(first..) {
            added.reverse();
        }
    }

    /// Equal elements that are unique in each part, as many as have the same order.
    fn anchors(&self, a: &Range<usize>, b: &Range<usize>) -> Vec<(usize, usize)> {
        #[derive(Default)]
        struct Occurrences {
            counts: [u32; 2],
            places: [usize; 2],
        }
        let mut seen: HashMap<u64, Occurrences, foldhash::fast::FixedState> = HashMap::default();
        let of = |keys: &[Keys], range: &Range<usize>| {
            let keys: Vec<(usize, u64)> = range.clone().filter_map(|at| Some((at, keys.get(at)?.strong))).collect();
            keys
        };
        let in_a = of(self.a, a);
        for (at, strong) in &in_a {
            let seen = seen.entry(*strong).or_default();
            (seen.counts[0], seen.places[0]) = (seen.counts[0] + 1, *at);
        }
        for (at, strong) in of(self.b, b) {
            if let Some(seen) = seen.get_mut(&strong) {
                (seen.counts[1], seen.places[1]) = (seen.counts[1] + 1, at);
            }
        }
        let unique = in_a.iter().filter_map(|(at, strong)| {
            let seen = seen.get(strong).filter(|seen| seen.counts == [1, 1])?;
            Some((*at, seen.places[1]))
        });
        ascending(unique.collect())
    }

    /// The best alignment of two parts that are short, or one of which is empty.
    fn best(&self, a: &Range<usize>, b: &Range<usize>) -> Vec<Step> {
        let columns = b.len() + 1;
        let mut sums = if a.is_empty() || b.is_empty() { Vec::new() } else { vec![0_u32; (a.len() + 1) * columns] };
        let sum = |sums: &[u32], row: usize, column: usize| sums.get(row * columns + column).copied().unwrap_or(0);
        for row in (0..a.len()).rev().filter(|_| !b.is_empty()) {
            for column in (0..b.len()).rev() {
                let score = self.score(a.start + row, b.start + column);
                let both = if score > 0 { score + sum(&sums, row + 1, column + 1) } else { 0 };
                let best = both.max(sum(&sums, row + 1, column)).max(sum(&sums, row, column + 1));
                if let Some(place) = sums.get_mut(row * columns + column) {
                    *place = best;
                }
            }
        }
        let (mut row, mut column) = (0, 0);
        let mut steps = Vec::with_capacity(a.len().max(b.len()));
        while row < a.len() || column < b.len() {
            let (at, other) = (a.start + row, b.start + column);
            let is_inside = row < a.len() && column < b.len();
            let best = sum(&sums, row, column);
            let score = if is_inside { self.score(at, other) } else { 0 };
            if score > 0 && best == score + sum(&sums, row + 1, column + 1) {
                steps.push(Step::Both(at, other));
                (row, column) = (row + 1, column + 1);
            } else if row < a.len() && (!is_inside || best == sum(&sums, row + 1, column)) {
                steps.push(Step::A(at));
                row += 1;
            } else {
                steps.push(Step::B(other));
                column += 1;
            }
        }
        steps
    }

    /// Aligns two long parts: only the first half of each window is used, because its end may belong to what follows.
    fn windows(&mut self, mut a: Range<usize>, mut b: Range<usize>) {
        let half = WINDOW / 2;
        let part = |range: &Range<usize>| range.start..range.end.min(range.start + WINDOW);
        while !a.is_empty() && !b.is_empty() {
            let (window_a, window_b) = (part(&a), part(&b));
            let is_last = window_a.end == a.end && window_b.end == b.end;
            let steps = self.best(&window_a, &window_b);
            let are_alike = steps.iter().any(|step| matches!(step, Step::Both(..)));
            let (limit_a, limit_b) = (a.start + half, b.start + half);
            for step in steps {
                let is_counted = match step {
                    Step::Both(at, other) => at < limit_a && other < limit_b,
                    Step::A(at) => at < limit_a,
                    Step::B(other) => other < limit_b,
                };
                match step {
                    _ if !is_last && !is_counted && are_alike => break,
                    _ if !is_last && !is_counted => continue,
                    Step::Both(at, other) => (a.start, b.start) = (at + 1, other + 1),
                    Step::A(at) => a.start = at + 1,
                    Step::B(other) => b.start = other + 1,
                }
                self.steps.push(step);
            }
        }
        self.steps.extend(a.map(Step::A));
        self.steps.extend(b.map(Step::B));
    }
}

/// The longest subsequence of these pairs, ascending in the first number, that also ascends in the second one.
fn ascending(pairs: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    // For each length the pair with the smallest end, and for each pair its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |place: &usize| pairs.get(*place).map_or(0, |(_, second)| *second);
    for place in 0..pairs.len() {
        let length = ends.partition_point(|end| second(end) < second(&place));
        before.push(length.checked_sub(1).and_then(|length| ends.get(length).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let chain = std::iter::successors(ends.last().copied(), |place| before.get(*place).copied().flatten());
    let mut found: Vec<(usize, usize)> = chain.filter_map(|place| pairs.get(place).copied()).collect();
    found.reverse();
    found
}
