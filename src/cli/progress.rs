//! How much of an input was read, on standard error: only on a terminal, only after a second, only until something is
//! printed there.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Frames between two looks at the clock.
const SELDOM: u32 = 256;

/// The bar on the terminal, of which there is one.
static BAR: Mutex<Bar> = Mutex::new(Bar::Hidden);

enum Bar {
    Hidden,
    Shown(ProgressBar),
    /// Something was printed on the terminal; a bar would be in its way.
    Over,
}

fn bar() -> MutexGuard<'static, Bar> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Take the bar away, for good.
pub(super) fn hide() {
    if let Bar::Shown(bar) = std::mem::replace(&mut *bar(), Bar::Over) {
        bar.finish_and_clear();
    }
}

/// How far the reading of one input has come.
pub(super) struct Progress {
    name: String,
    /// Bytes of the input, if that is known and anybody looks.
    total: Option<u64>,
    begun: Instant,
    looks: u32,
}

impl Progress {
    /// The reading of an input begins.
    pub(super) fn new(name: &str, total: Option<u64>) -> Progress {
        let total = total.filter(|total| *total > 0 && io::stderr().is_terminal());
        Progress { name: name.to_owned(), total, begun: Instant::now(), looks: 0 }
    }

    /// One more frame was read, and so many bytes by now.
    pub(super) fn frame(&mut self, read: impl FnOnce() -> u64) {
        let Some(total) = self.total else { return };
        self.looks += 1;
        if !self.looks.is_multiple_of(SELDOM) || self.begun.elapsed() < PATIENCE {
            return;
        }
        let mut bar = bar();
        if matches!(*bar, Bar::Hidden) {
            *bar = Bar::Shown(shown(&self.name, total).with_position(read()));
            return;
        }
        if let Bar::Shown(bar) = &*bar {
            bar.set_position(read());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut bar = bar();
        if let Bar::Shown(shown) = &*bar {
            shown.finish_and_clear();
            *bar = Bar::Hidden;
        }
    }
}

fn shown(name: &str, total: u64) -> ProgressBar {
    let mut message = String::new();
    // Writing to a String does not fail.
    let _ = crate::tree::clean(name, &mut message);
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
    fn nothing_is_shown_where_nobody_looks_or_nothing_is_known() {
        // Tests have no terminal, but somebody who runs them may.
        assert!(Progress::new("-", None).total.is_none());
        assert!(Progress::new("empty", Some(0)).total.is_none());
        let mut early = Progress::new("early", None);
        early.total = Some(100);
        (0..10 * SELDOM).for_each(|_| early.frame(|| panic!("asked within a second")));
    }

    #[test]
    fn the_bar_has_the_form_that_is_meant() {
        assert!(ProgressStyle::with_template("{percent:>3}% {bar:30} {msg}").is_ok());
        assert_eq!(shown("a\x1b", 10).message(), "a\\u{1b}");
    }
}
