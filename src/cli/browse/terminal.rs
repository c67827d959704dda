//! The terminal: set up at the start, and restored however the program ends.

use data_encoding::BASE64;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::layout::Size;
use ratatui::{Frame, Terminal as Drawn};
use std::io::{self, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The terminal in raw mode, with the alternate screen.
pub(super) struct Terminal {
    drawn: Drawn<CrosstermBackend<Stdout>>,
    /// Whether SIGTSTP was received.
    stopped: Arc<AtomicBool>,
    is_restored: bool,
}

impl Terminal {
    /// Sets up the terminal. A panic restores it before it is reported.
    pub(super) fn enter() -> io::Result<Terminal> {
        let stopped = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGTSTP, Arc::clone(&stopped))?;
        on_panic_first(restore_screen);
        // Before any step that `Drop` has to undo.
        let drawn = Drawn::new(CrosstermBackend::new(io::stdout()))?;
        let terminal = Terminal { drawn, stopped, is_restored: false };
        take_over()?;
        Ok(terminal)
    }

    /// Width and height.
    pub(super) fn size(&self) -> io::Result<Size> {
        self.drawn.size()
    }

    /// Draws a screen.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.drawn.draw(draw).map(drop)
    }

    /// Whether SIGTSTP was received.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Restores the terminal, suspends the process, and sets up the terminal again when resumed.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.stopped.store(false, Ordering::Relaxed);
        restore_screen();
        #[cfg(unix)]
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        take_over()?;
        self.drawn.clear()
    }

    /// Copies text to the clipboard of the terminal (OSC 52).
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout();
        write!(out, "\x1b]52;c;{}\x07", BASE64.encode(text.as_bytes()))?;
        out.flush()
    }

    /// Restores the terminal.
    pub(super) fn leave(&mut self) {
        if !std::mem::replace(&mut self.is_restored, true) {
            restore_screen();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Runs a function before a panic of this thread is reported. After a panic of another thread, the view continues.
fn on_panic_first(first: impl Fn() + Send + Sync + 'static) {
    let (owner, before) = (std::thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == owner {
            first();
        }
        before(info);
    }));
}

fn take_over() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)
}

fn restore_screen() {
    // A closed terminal need not be restored.
    let _ = disable_raw_mode();
    let _ = restore(&mut io::stdout());
}

/// Writes what undoes [`take_over`].
fn restore(to: &mut impl Write) -> io::Result<()> {
    execute!(to, DisableMouseCapture, LeaveAlternateScreen, Show)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_panic_restores_the_terminal_before_it_is_reported() {
        let events: Arc<Mutex<Vec<&str>>> = Arc::default();
        let owner = std::thread::current().id();
        let kept = std::panic::take_hook();
        let reported = Arc::clone(&events);
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == owner { reported.lock().unwrap().push("reported") } else { kept(info) }
        }));
        let given = Arc::clone(&events);
        on_panic_first(move || given.lock().unwrap().push("given back"));
        assert!(std::thread::spawn(|| panic!("elsewhere")).join().is_err());
        assert!(std::panic::catch_unwind(|| panic!("a bug")).is_err());
        assert_eq!(*events.lock().unwrap(), ["given back", "reported"]);
    }

    #[test]
    fn screen_cursor_and_mouse_are_restored() {
        let mut out = Vec::new();
        restore(&mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        for sequence in ["\u{1b}[?1049l", "\u{1b}[?25h", "\u{1b}[?1000l", "\u{1b}[?1006l"] {
            assert!(out.contains(sequence), "{out:?}");
        }
    }
}
