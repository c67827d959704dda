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

/// The first panic of the process that was caught.
static FIRST: OnceLock<String> = OnceLock::new();

/// What is known of a panic: its message, and its place in the source if a panic hook recorded it.
pub(super) struct Bug(pub(super) String);

/// Call `work`; a panic in it is returned.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Bug> {
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|panic| caught(&*panic))
}

/// Read a message that ends at `end`. If its dissector panics, the note says so and what it had not read is left to be data.
/// Also whether all went well.
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
    let bug = match place.is_empty() {
        true => words.unwrap_or("panic").to_owned(),
        false => format!("{} at {place}", words.unwrap_or("panic")),
    };
    FIRST.get_or_init(|| bug.clone());
    Bug(bug)
}

/// Record the place of a panic that will be caught. False if nothing will catch it, so that the hook must report it.
#[must_use]
pub fn records(info: &PanicHookInfo<'_>) -> bool {
    if GUARDED.get() {
        PLACE.set(info.location().map(ToString::to_string).unwrap_or_default());
    }
    GUARDED.get()
}

/// The first panic that was caught since the process began.
#[must_use]
pub fn first() -> Option<&'static str> {
    FIRST.get().map(String::as_str)
}
