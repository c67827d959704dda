//! SIGINT and SIGTERM. The first signal acts as the end of the input, the second one exits at once.

use super::Exit;
use std::fs::File;
use std::io::{self, Read};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Signals and their exit codes.
const SIGNALS: [(i32, Exit); 2] =
    [(signal_hook::consts::SIGINT, Exit::Interrupted), (signal_hook::consts::SIGTERM, Exit::Terminated)];

/// The signal received; 0 if none.
static CAUGHT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Becomes readable with the first signal.
#[cfg(unix)]
static WAKE: OnceLock<io::PipeReader> = OnceLock::new();

/// Installs the handlers. A signal that cannot be handled keeps its default action.
pub(super) fn install() {
    let caught = Arc::clone(CAUGHT.get_or_init(Arc::default));
    let again = Arc::new(AtomicBool::new(false));
    for (signal, exit) in SIGNALS {
        // Handlers run in the order of their registration: the shutdown sees the flag of an earlier signal only.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, exit as i32, Arc::clone(&again));
        let _ = signal_hook::flag::register(signal, Arc::clone(&again));
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(&caught), usize::try_from(signal).unwrap_or(1));
    }
    #[cfg(unix)]
    wake_on_signals();
}

/// Makes each signal write to a pipe, so that it interrupts blocked reads.
#[cfg(unix)]
fn wake_on_signals() {
    let Ok((reader, writer)) = io::pipe() else { return };
    for (signal, _) in SIGNALS {
        if let Ok(writer) = writer.try_clone() {
            let _ = signal_hook::low_level::pipe::register(signal, writer);
        }
    }
    let _ = WAKE.set(reader);
}

/// Exit code if a signal was received.
pub(super) fn exit() -> Option<Exit> {
    let caught = CAUGHT.get()?.load(Ordering::Relaxed);
    SIGNALS.iter().find(|(signal, _)| usize::try_from(*signal) == Ok(caught)).map(|(_, exit)| *exit)
}

/// Whether a signal was received.
pub(super) fn is_requested() -> bool {
    CAUGHT.get().is_some_and(|caught| caught.load(Ordering::Relaxed) != 0)
}

/// An input that may block: a pipe, a socket, a terminal. A signal ends it.
pub(super) struct Interruptible(pub(super) File);

impl Read for Interruptible {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.0)?;
        if is_requested() { Ok(0) } else { self.0.read(buffer) }
    }
}

/// Opens a file that may block until another process opens the other end, such as a FIFO. Returns `None` after a signal.
///
/// # Errors
/// Errors of opening.
#[cfg(unix)]
pub(super) fn open(open: impl FnOnce() -> io::Result<File> + Send + 'static) -> io::Result<Option<File>> {
    let (opened, opener) = io::pipe()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    // Opening has no time limit, and not every system reports a missing writer to `poll`. The thread ends with the process.
    std::thread::Builder::new().spawn(move || {
        let _ = sender.send(open());
        drop(opener);
    })?;
    wait(&opened)?;
    if is_requested() {
        return Ok(None);
    }
    receiver.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())).map(Some)
}

#[cfg(not(unix))]
pub(super) fn open(open: impl FnOnce() -> io::Result<File> + Send + 'static) -> io::Result<Option<File>> {
    open().map(Some)
}

/// Waits for input or a signal.
#[cfg(unix)]
fn wait(file: &impl AsFd) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let Some(wake) = WAKE.get() else { return Ok(()) };
    loop {
        match poll(&mut [PollFd::new(file, PollFlags::IN), PollFd::new(wake, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) if !is_requested() => {}
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Sleeps until a signal at most.
#[cfg(unix)]
pub(super) fn sleep(time: Duration) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    match (WAKE.get(), Timespec::try_from(time)) {
        (Some(wake), Ok(time)) => {
            // A signal ends the wait in any case.
            let _ = poll(&mut [PollFd::new(wake, PollFlags::IN)], Some(&time));
        }
        _ => std::thread::sleep(time),
    }
}

/// Sleeps.
#[cfg(not(unix))]
pub(super) fn sleep(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(not(unix))]
fn wait(_: &File) -> io::Result<()> {
    Ok(())
}
