//! Progress bar on standard error: only on a terminal, after one second, and until records are printed there.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Delay before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Frames between two checks of the clock.
const SELDOM: u32 = 256;

/// The only bar of the process.
static BAR: Mutex<Bar> = Mutex::new(Bar::Hidden);

enum Bar {
    Hidden,
    Shown(ProgressBar),
    /// Records were printed on the terminal, so the bar stays hidden.
    Finished,
}

fn bar() -> MutexGuard<'static, Bar> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the bar permanently.
pub(super) fn hide() {
    if let Bar::Shown(bar) = std::mem::replace(&mut *bar(), Bar::Finished) {
        bar.finish_and_clear();
    }
}

/// Progress of all inputs.
pub(super) struct TotalProgress {
    name: String,
    /// Total bytes, if known and standard error is a terminal.
    total: Option<u64>,
    /// Bytes read, as reported by the parts.
    read: AtomicU64,
    begun: Instant,
}

impl TotalProgress {
    /// Starts the progress of a run.
    pub(super) fn new(name: String, total: Option<u64>) -> Arc<TotalProgress> {
        let total = total.filter(|total| *total > 0 && io::stderr().is_terminal());
        Arc::new(TotalProgress { name, total, read: AtomicU64::new(0), begun: Instant::now() })
    }

    /// Adds an input of this size.
    pub(super) fn part(self: &Arc<Self>, size: Option<u64>) -> Progress {
        Progress { whole: Arc::clone(self), size: size.unwrap_or(0), reported: 0, calls: 0 }
    }

    fn show(&self, total: u64) {
        let read = self.read.load(Ordering::Relaxed);
        let mut bar = bar();
        match &*bar {
            Bar::Hidden => *bar = Bar::Shown(shown(&self.name, total).with_position(read)),
            Bar::Shown(bar) => bar.set_position(read),
            Bar::Finished => {}
        }
    }
}

impl Drop for TotalProgress {
    fn drop(&mut self) {
        let mut bar = bar();
        if let Bar::Shown(shown) = &*bar {
            shown.finish_and_clear();
            *bar = Bar::Hidden;
        }
    }
}

/// Progress of one input.
pub(super) struct Progress {
    whole: Arc<TotalProgress>,
    size: u64,
    /// Bytes already added to `whole`.
    reported: u64,
    calls: u32,
}

impl Progress {
    /// Size of the input in bytes; 0 if unknown.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Counts a frame.
    pub(super) fn frame(&mut self, read: impl FnOnce() -> u64) {
        self.calls += 1;
        if self.calls.is_multiple_of(SELDOM) {
            self.update(read);
        }
    }

    /// Checks the clock and updates the bar.
    pub(super) fn update(&mut self, read: impl FnOnce() -> u64) {
        let Some(total) = self.whole.total else { return };
        if self.whole.begun.elapsed() < PATIENCE {
            return;
        }
        self.add_read(read());
        self.whole.show(total);
    }

    fn add_read(&mut self, read: u64) {
        self.whole.read.fetch_add(read.saturating_sub(self.reported), Ordering::Relaxed);
        self.reported = read.max(self.reported);
    }
}

impl Drop for Progress {
    /// Counts an unread remainder as done.
    fn drop(&mut self) {
        self.add_read(self.size);
    }
}

fn shown(name: &str, total: u64) -> ProgressBar {
    let mut message = String::new();
    // Writing to a String does not fail.
    let _ = crate::tree::clean_path(name, &mut message);
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{percent:>3}% {bar:30} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar.set_message(message);
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_needs_a_terminal_and_a_known_size() {
        // Tests may run on a terminal.
        assert!(TotalProgress::new("-".into(), None).total.is_none());
        assert!(TotalProgress::new("empty".into(), Some(0)).total.is_none());
        let mut early = watched(100).part(Some(100));
        (0..10 * SELDOM).for_each(|_| early.frame(|| panic!("asked within a second")));
    }

    #[test]
    fn inputs_that_are_read_at_once_count_together() {
        let whole = watched(100);
        let (mut one, mut two) = (whole.part(Some(60)), whole.part(Some(40)));
        one.add_read(20);
        two.add_read(30);
        one.add_read(50);
        assert_eq!(whole.read.load(Ordering::Relaxed), 80);
        // The remainder of the second input is skipped.
        drop(two);
        assert_eq!(whole.read.load(Ordering::Relaxed), 90);
        drop(one);
        assert_eq!(whole.read.load(Ordering::Relaxed), 100);
    }

    /// Progress as on a terminal.
    fn watched(total: u64) -> Arc<TotalProgress> {
        let (read, begun) = (AtomicU64::new(0), Instant::now());
        Arc::new(TotalProgress { name: String::from("watched"), total: Some(total), read, begun })
    }

    #[test]
    fn a_removed_bar_is_never_shown_again() {
        hide();
        watched(100).show(100);
        assert!(matches!(*bar(), Bar::Finished));
    }

    #[test]
    fn the_bar_has_the_expected_format() {
        assert!(ProgressStyle::with_template("{percent:>3}% {bar:30} {msg}").is_ok());
        assert_eq!(shown("a\x1b", 10).message(), "a\\u{1b}");
    }
}
