//! Output in memory, for programs that embed the command line. It belongs to the thread that runs a command.

use std::cell::RefCell;
use std::io::{self, Write};

/// Output and errors of a command.
#[derive(Default)]
struct Collected {
    output: Vec<u8>,
    errors: Vec<String>,
}

thread_local! {
    static COLLECTED: RefCell<Option<Collected>> = const { RefCell::new(None) };
}

/// Begins to collect.
pub(super) fn begin() {
    COLLECTED.with_borrow_mut(|collected| *collected = Some(Collected::default()));
}

/// Ends it, and returns output and errors.
pub(super) fn end() -> (Vec<u8>, Vec<String>) {
    let Collected { output, errors } = COLLECTED.take().unwrap_or_default();
    (output, errors)
}

/// Whether a command runs whose output is collected.
pub(super) fn collects() -> bool {
    COLLECTED.with_borrow(Option::is_some)
}

/// Takes an error message. Returns false if nothing collects it.
pub(super) fn error(message: &dyn std::fmt::Display) -> bool {
    COLLECTED.with_borrow_mut(|collected| match collected {
        Some(collected) => {
            collected.errors.push(message.to_string());
            true
        }
        None => false,
    })
}

/// The output.
pub(super) struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        COLLECTED.with_borrow_mut(|collected| {
            if let Some(collected) = collected {
                collected.output.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
