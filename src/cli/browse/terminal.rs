//! The terminal: taken over at the start, and given back however the program ends.

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

/// The terminal while it is taken over.
pub(super) struct Terminal {
    drawn: Drawn<CrosstermBackend<Stdout>>,
    /// SIGTSTP came.
    stopped: Arc<AtomicBool>,
    is_left: bool,
}

impl Terminal {
    /// Takes the terminal over. A panic gives it back before it is reported.
    pub(super) fn enter() -> io::Result<Terminal> {
        let stopped = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGTSTP, Arc::clone(&stopped))?;
        let (owner, before) = (std::thread::current().id(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            // Other threads catch their panics, and the view goes on.
            if std::thread::current().id() == owner {
                give_back();
            }
            before(info);
        }));
        // Before anything can fail that `Drop` has to undo.
        let drawn = Drawn::new(CrosstermBackend::new(io::stdout()))?;
        let terminal = Terminal { drawn, stopped, is_left: false };
        take_over()?;
        Ok(terminal)
    }

    /// Columns and lines.
    pub(super) fn size(&self) -> io::Result<Size> {
        self.drawn.size()
    }

    /// Draws a screen.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.drawn.draw(draw).map(drop)
    }

    /// Whether the program was asked to stop from outside.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Gives the terminal back, stops until the shell continues the program, and takes the terminal over again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.stopped.store(false, Ordering::Relaxed);
        give_back();
        #[cfg(unix)]
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        take_over()?;
        self.drawn.clear()
    }

    /// Puts text on the clipboard of the terminal (OSC 52).
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout();
        write!(out, "\x1b]52;c;{}\x07", BASE64.encode(text.as_bytes()))?;
        out.flush()
    }

    /// Gives the terminal back.
    pub(super) fn leave(&mut self) {
        if !std::mem::replace(&mut self.is_left, true) {
            give_back();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
    }
}

fn take_over() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)
}

fn give_back() {
    // A terminal that is gone needs no restoring.
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
}
