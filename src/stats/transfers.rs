//! Completed transfers: count, bytes and throughput.

use crate::tree::{Dissection, Field, Timestamp, Transfer};

/// Maximum number of separate time ranges, so that late transfers are still added correctly.
const RUNS: usize = 1024;

const SECOND: f64 = 1e9;

/// Completed transfers of one kind.
#[derive(Debug)]
pub struct TransferStats {
    pub protocol: &'static Field,
    /// Name of the transferred objects.
    pub what: &'static str,
    /// Number of transfers.
    pub count: u64,
    /// Total bytes.
    pub bytes: u64,
    /// Duration of the slowest transfer in nanoseconds, from request to last byte, and the frame of that byte.
    pub slowest: Option<(i128, u64)>,
    /// Bytes of transfers with known times.
    timed: u64,
    runs: Runs,
}

impl TransferStats {
    /// Nanoseconds with at least one active transfer; `None` if no time is known.
    pub fn busy(&self) -> Option<i128> {
        self.slowest.map(|_| self.runs.all())
    }

    /// Bytes per second of that time.
    pub fn rate(&self) -> Option<f64> {
        let busy = self.busy().filter(|busy| *busy > 0)?;
        Some(self.timed as f64 * SECOND / busy as f64)
    }

    fn add(&mut self, one: &Transfer) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(one.bytes);
        let (Some(asked), Some(came)) = (one.requested, one.completed) else { return };
        let took = came.since(asked);
        if took < 0 {
            return;
        }
        self.timed = self.timed.saturating_add(one.bytes);
        if self.slowest.is_none_or(|(slowest, _)| took > slowest) {
            self.slowest = Some((took, one.frame));
        }
        let since_1970 = |time: Timestamp| time.since(Timestamp { seconds: 0, nanos: 0 });
        self.runs.add(since_1970(asked), since_1970(came));
    }
}

/// Completed transfers by protocol and kind.
#[derive(Debug, Default)]
pub struct Transfers {
    kinds: Vec<TransferStats>,
}

impl Transfers {
    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        for one in &of.tree.outcome.transfers {
            let known = self.kinds.iter().position(|kind| kind.protocol.is(one.protocol) && kind.what == one.what);
            let place = known.unwrap_or_else(|| {
                let Transfer { protocol, what, .. } = *one;
                self.kinds.push(TransferStats {
                    protocol,
                    what,
                    count: 0,
                    bytes: 0,
                    slowest: None,
                    timed: 0,
                    runs: Runs::default(),
                });
                self.kinds.len() - 1
            });
            if let Some(kind) = self.kinds.get_mut(place) {
                kind.add(one);
            }
        }
    }

    /// Kinds, in order of their first transfer.
    pub fn kinds(&self) -> &[TransferStats] {
        &self.kinds
    }
}

/// Union of time ranges.
#[derive(Debug, Default)]
struct Runs {
    /// Disjoint ranges, in order.
    kept: Vec<[i128; 2]>,
    /// Total length and end of earlier ranges, which are final.
    merged: i128,
    end: Option<i128>,
}

impl Runs {
    fn add(&mut self, from: i128, to: i128) {
        let from = self.end.map_or(from, |end| from.max(end));
        if from >= to {
            return;
        }
        let first = self.kept.partition_point(|[_, end]| *end < from);
        let behind = self.kept.partition_point(|[start, _]| *start <= to);
        let touched = self.kept.get(first..behind).unwrap_or_default();
        let from = touched.first().map_or(from, |[start, _]| from.min(*start));
        let to = touched.last().map_or(to, |[_, end]| to.max(*end));
        self.kept.splice(first..behind.max(first), [[from, to]]);
        if self.kept.len() > RUNS {
            let earlier = self.kept.drain(..RUNS / 2);
            for [start, end] in earlier {
                self.merged += end - start;
                self.end = Some(end);
            }
        }
    }

    fn all(&self) -> i128 {
        self.merged + self.kept.iter().map(|[start, end]| end - start).sum::<i128>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_moment_that_several_share_counts_once() {
        let mut runs = Runs::default();
        for ([from, to], all) in
            [([10, 20], 10), ([15, 30], 20), ([40, 50], 30), ([5, 12], 35), ([30, 40], 45), ([0, 60], 60), ([7, 7], 60)]
        {
            runs.add(from, to);
            assert_eq!(runs.all(), all, "{from} to {to}");
        }
    }

    #[test]
    fn memory_is_bounded_and_nothing_counts_twice() {
        let mut runs = Runs::default();
        for at in 0..10_000 {
            runs.add(at * 10, at * 10 + 3);
            assert!(runs.kept.len() <= RUNS);
        }
        assert_eq!(runs.all(), 30_000);
        // A range from the very start fills the open ranges; final ranges stay unchanged.
        runs.add(0, 100_000);
        assert!((30_000..=100_000).contains(&runs.all()), "{}", runs.all());
        assert_eq!(runs.kept.len(), 1);
    }

    proptest! {
        #[test]
        fn runs_are_the_moments_that_lie_in_any(spans in prop::collection::vec((0_i128..200, 0_i128..60), 0..40)) {
            let mut runs = Runs::default();
            let mut moments = [false; 300];
            for (from, length) in spans {
                runs.add(from, from + length);
                (from..from + length).for_each(|at| moments[usize::try_from(at).unwrap()] = true);
            }
            prop_assert_eq!(runs.all(), moments.iter().filter(|is_in| **is_in).count() as i128);
        }
    }
}
