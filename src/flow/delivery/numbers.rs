//! Sequence numbers that wrap around, and sets of them.

/// Maximum remembered ranges.
const MAX_RUNS: usize = 1024;

/// Extends wrapped numbers of `BITS` bits.
#[derive(Debug, Clone, Default)]
pub struct Counter<const BITS: u32> {
    latest: Option<u64>,
}

impl<const BITS: u32> Counter<BITS> {
    /// Number of values on the wire.
    const PERIOD: u64 = 1 << BITS;

    /// Returns the extended number closest to the highest so far.
    pub fn place(&self, number: u32) -> u64 {
        near(self.latest, number.into(), Self::PERIOD)
    }

    /// Takes an extended number as the highest, if it is.
    pub fn reach(&mut self, place: u64) {
        self.latest = self.latest.max(Some(place));
    }
}

/// The number that extends `number`, of this period, and is closest to the highest so far.
pub(super) fn near(latest: Option<u64>, number: u64, period: u64) -> u64 {
    let number = number % period;
    // One period above zero, so that numbers before the first one are valid too.
    let latest = latest.unwrap_or(period + number);
    let near = latest - latest % period + number;
    let half = period / 2;
    if near > latest + half && near >= period {
        near - period
    } else if near + half < latest {
        near + period
    } else {
        near
    }
}

/// Set of received numbers of `BITS` bits, stored as ranges.
#[derive(Debug, Clone, Default)]
pub struct Seen<const BITS: u32> {
    counter: Counter<BITS>,
    places: Places,
}

impl<const BITS: u32> Seen<BITS> {
    /// Heap memory in bytes.
    pub fn memory_usage(&self) -> usize {
        self.places.memory_usage()
    }

    /// Inserts a number. Returns whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let place = self.counter.place(number);
        self.counter.reach(place);
        self.places.insert(place)
    }
}

/// Set of extended numbers, stored as ranges. The lowest are forgotten when there are many.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Sorted half-open ranges that never touch.
    runs: Vec<(u64, u64)>,
}

impl Places {
    /// Heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.runs.capacity() * size_of::<(u64, u64)>()
    }

    /// Inserts a number. Returns whether it is new.
    pub(super) fn insert(&mut self, place: u64) -> bool {
        let next = self.runs.partition_point(|(start, _)| *start <= place);
        let before = next.checked_sub(1).and_then(|at| self.runs.get(at)).copied();
        if before.is_some_and(|(_, end)| place < end) {
            return false;
        }
        let touches_before = before.is_some_and(|(_, end)| end == place);
        let touches_next = self.runs.get(next).is_some_and(|(start, _)| *start == place + 1);
        match (touches_before, touches_next) {
            (true, true) => {
                let (_, end) = self.runs.remove(next);
                if let Some(run) = self.runs.get_mut(next - 1) {
                    run.1 = end;
                }
            }
            (true, false) => {
                if let Some(run) = self.runs.get_mut(next - 1) {
                    run.1 = place + 1;
                }
            }
            (false, true) => {
                if let Some(run) = self.runs.get_mut(next) {
                    run.0 = place;
                }
            }
            (false, false) => self.runs.insert(next, (place, place + 1)),
        }
        if self.runs.len() > MAX_RUNS {
            self.runs.remove(0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn sequence_numbers_wrap() {
        let mut counter = Counter::<24>::default();
        let last = 0xff_ffff;
        let first = counter.place(last);
        counter.reach(first);
        assert_eq!(counter.place(0), first + 1);
        counter.reach(first + 1);
        assert_eq!(counter.place(last), first);
        assert_eq!(counter.place(5), first + 6);
    }

    #[test]
    fn numbers_before_the_first_have_a_place() {
        let mut counter = Counter::<24>::default();
        let first = counter.place(3);
        counter.reach(first);
        assert_eq!(counter.place(1), first - 2);
        assert_eq!(counter.place(0xff_ffff), first - 4);
    }

    #[test]
    fn runs_stay_few() {
        let mut seen = Seen::<24>::default();
        assert!((0..5000).all(|number| seen.insert(number * 2)));
        assert_eq!(seen.places.runs.len(), MAX_RUNS);
        assert!(!seen.insert(9998));
    }

    proptest! {
        #[test]
        fn a_number_is_new_once(start in 0_u32..1 << 24, numbers in proptest::collection::vec(0_u32..300, 0..200)) {
            let (mut seen, mut known) = (Seen::<24>::default(), HashSet::new());
            for number in numbers {
                let number = (start + number) % (1 << 24);
                prop_assert_eq!(seen.insert(number), known.insert(number));
            }
            prop_assert!(seen.places.runs.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
