//! Panics in dissectors: caught where the dissector is called, so that one bug does not end a run.

use crate::wire::notes::BUG;
use crate::wire::{Error, Protocol, Result as Reading, Wire};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::OnceLock;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The first caught panic of the process.
static FIRST: OnceLock<String> = OnceLock::new();

/// A caught panic: its message, and its source location if the panic hook recorded it.
pub(super) struct Bug(pub(super) String);

/// Calls `work` and returns a panic as an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Bug> {
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|panic| caught(&*panic))
}

/// Dissects a message that ends at `end`. If its dissector panics, a note reports it and unread bytes become data. Also returns
/// whether dissection succeeded.
pub(super) fn reading<'a>(
    wire: &mut Wire<'a>,
    end: usize,
    protocol: &Protocol,
    read: impl FnOnce(&mut Wire<'a>) -> Reading,
) -> (Reading, bool) {
    match guarded(|| read(&mut *wire)) {
        Ok(result) => (result, true),
        Err(bug) => {
            wire.recover(end);
            let at = wire.at();
            wire.note_layer(&BUG, format_args!("{} at offset {at}: {}", protocol.this.abbrev, bug.0));
            (Err(Error::Malformed), false)
        }
    }
}

#[cold]
fn caught(panic: &(dyn Any + Send)) -> Bug {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let place = PLACE.take();
    let bug =
        if place.is_empty() { words.unwrap_or("panic").to_owned() } else { format!("{} at {place}", words.unwrap_or("panic")) };
    FIRST.get_or_init(|| bug.clone());
    Bug(bug)
}

/// Records the location of a panic that will be caught. Returns false if nothing will catch it, so that the hook must report it.
#[must_use]
pub fn records(info: &PanicHookInfo<'_>) -> bool {
    if GUARDED.get() {
        PLACE.set(info.location().map(ToString::to_string).unwrap_or_default());
    }
    GUARDED.get()
}

/// The first caught panic of the process.
#[must_use]
pub fn first() -> Option<&'static str> {
    FIRST.get().map(String::as_str)
}
