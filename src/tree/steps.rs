//! Counts steps of loops over all notes, nodes or sources of a tree in tests, since times vary.

/// Counts a step in tests.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn step() {}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
pub(crate) fn step() {
    STEPS.set(STEPS.get() + 1);
}

/// The number of steps of `run`.
#[cfg(test)]
pub(crate) fn steps_of(run: impl FnOnce()) -> u64 {
    let before = STEPS.get();
    run();
    STEPS.get() - before
}
