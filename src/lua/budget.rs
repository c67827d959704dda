//! Limits on the work of scripts. A limit that is reached ends the call, whatever the script catches.

use super::call;
use super::errors::position;
use mlua::{Error, HookTriggers, Lua, Result, VmState};
use std::cell::{Cell, RefCell};

/// Limits that options change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps of one call: instructions, and bytes or elements in library functions.
    pub steps: u64,
    /// Bytes of Lua memory.
    pub memory: usize,
    /// Tree items of one call.
    pub items: usize,
    /// Bytes of all derived buffers of one call.
    pub buffer: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 10_000_000, memory: 256 << 20, items: 1_000_000, buffer: 64 << 20 }
    }
}

/// Maximum depth of tree items. Trees of this program are at most 64 deep, with the layer.
pub(super) const DEPTH: u32 = 60;
/// Steps while a script is loaded, as a multiple of those of a call.
const LOADING: u64 = 10;
/// Instructions between two counts.
const INTERVAL: u32 = 1000;
/// Counts of instructions between two looks at the depth of calls.
const LOOK: u32 = 4;
/// Maximum depth of calls in each other. Lua's own limit is far higher, and each return from there takes milliseconds.
const CALLS: usize = 16_000;
/// Steps of the return from that depth: about as many as of the calls.
const RETURN: i64 = 100_000;
/// Steps of an error that a script catches: Lua looks through all calls below it.
pub(super) const CAUGHT: usize = 100;

thread_local! {
    static STEPS: Cell<i64> = const { Cell::new(0) };
    static LIMITS: Cell<Limits> = const { Cell::new(Limits { steps: 0, memory: 0, items: 0, buffer: 0 }) };
    static STOPPED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Begins a call, or the loading of a script.
pub(super) fn begin(limits: Limits, is_loading: bool) {
    let steps = if is_loading { limits.steps.saturating_mul(LOADING) } else { limits.steps };
    STEPS.set(i64::try_from(steps).unwrap_or(i64::MAX));
    LIMITS.set(limits);
    STOPPED.take();
}

/// The limits of this call.
pub(super) fn limits() -> Limits {
    LIMITS.get()
}

/// The message of the limit that was reached in this call.
pub(super) fn stopped() -> Option<String> {
    STOPPED.with_borrow(Clone::clone)
}

/// Ends the call because of a limit, which an option changes. `level` is that of the script line.
pub(super) fn stop(lua: &Lua, level: usize, words: &str, option: &str) -> Error {
    Error::RuntimeError(stopped().unwrap_or_else(|| {
        let text = format!("{}{words}{}{option}", position(lua, level), call::place());
        STOPPED.set(Some(text.clone()));
        text
    }))
}

/// Counts steps of a library function before they are done.
pub(super) fn spend(lua: &Lua, steps: usize) -> Result<()> {
    let left = STEPS.get().saturating_sub(i64::try_from(steps).unwrap_or(i64::MAX));
    STEPS.set(left);
    if left < 0 { Err(out_of_steps(lua, 1)) } else { Ok(()) }
}

fn out_of_steps(lua: &Lua, level: usize) -> Error {
    stop(lua, level, &format!("stopped after {} steps", grouped(limits().steps)), " (--lua-steps)")
}

/// Ends the call if bytes do not fit into Lua's memory.
pub(super) fn fits(lua: &Lua, bytes: usize) -> Result<()> {
    spend(lua, bytes / 8)?;
    if lua.used_memory().saturating_add(bytes) > limits().memory { Err(out_of_memory(lua, 1)) } else { Ok(()) }
}

/// The end of a call at the limit of memory.
pub(super) fn out_of_memory(lua: &Lua, level: usize) -> Error {
    stop(lua, level, &format!("stopped at {} MiB of Lua memory", limits().memory >> 20), " (--lua-memory)")
}

/// A number with commas between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Counts the instructions of scripts.
pub(super) fn watch(lua: &Lua) -> Result<()> {
    let counts = Cell::new(0_u32);
    lua.set_global_hook(HookTriggers::new().every_nth_instruction(INTERVAL), move |lua, _| {
        let left = STEPS.get() - i64::from(INTERVAL);
        STEPS.set(left);
        if left < 0 {
            return Err(out_of_steps(lua, 0));
        }
        counts.set(counts.get().wrapping_add(1));
        if counts.get().is_multiple_of(LOOK) && lua.inspect_stack(CALLS, |_| ()).is_some() {
            STEPS.set(left.saturating_sub(RETURN));
            return Err(Error::RuntimeError(format!("{}stack overflow", position(lua, 0))));
        }
        Ok(VmState::Continue)
    })
}
