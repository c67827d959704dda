//! Functions of Lua's libraries that count their work before they do it: no limit can interrupt them.

use super::args::{Args, integer};
use super::budget;
use super::dialect::format_arguments;
use super::errors::{raise, words};
use mlua::{Error, Function, Lua, MultiValue, Result, Table, Value};

/// Counts the work of a call.
type Cost = fn(&Args<'_>) -> Result<()>;

/// The length of an argument that is a text or a list.
fn len(args: &Args<'_>, number: usize) -> usize {
    match args.get(number) {
        Value::String(text) => text.as_bytes().len(),
        Value::Table(list) => list.raw_len(),
        _ => 0,
    }
}

fn count(args: &Args<'_>, number: usize) -> Option<i64> {
    integer(&args.get(number))
}

/// The number of elements between two arguments.
fn between(args: &Args<'_>, first: usize, last: usize) -> usize {
    let len = i64::try_from(len(args, 1)).unwrap_or(i64::MAX);
    let (first, last) = (count(args, first).unwrap_or(1), count(args, last).unwrap_or(len));
    usize::try_from(last.saturating_sub(first)).unwrap_or_default()
}

/// Elements that are moved.
fn of_list(args: &Args<'_>) -> Result<()> {
    budget::spend(args.lua, len(args, 1))
}

fn of_text(args: &Args<'_>) -> Result<()> {
    budget::fits(args.lua, len(args, 1))
}

fn of_sort(args: &Args<'_>) -> Result<()> {
    budget::spend(args.lua, len(args, 1).saturating_mul(16))
}

fn of_move(args: &Args<'_>) -> Result<()> {
    budget::spend(args.lua, between(args, 2, 3))
}

fn of_unpack(args: &Args<'_>) -> Result<()> {
    budget::spend(args.lua, between(args, 2, 3))
}

/// The bytes of a list of texts.
fn of_concat(args: &Args<'_>) -> Result<()> {
    let Value::Table(list) = args.get(1) else { return Ok(()) };
    let (first, last) =
        (count(args, 3).unwrap_or(1), count(args, 4).unwrap_or(i64::try_from(list.raw_len()).unwrap_or(i64::MAX)));
    let separator = len(args, 2);
    budget::spend(args.lua, usize::try_from(last.saturating_sub(first)).unwrap_or_default())?;
    let mut total = 0_usize;
    for place in first..=last {
        let own = match list.raw_get::<Value>(place)? {
            Value::String(text) => text.as_bytes().len(),
            Value::Nil => break,
            _ => 8,
        };
        total = total.saturating_add(own).saturating_add(separator);
    }
    budget::fits(args.lua, total)
}

fn of_repetition(args: &Args<'_>) -> Result<()> {
    let times = usize::try_from(count(args, 2).unwrap_or_default()).unwrap_or_default();
    budget::fits(args.lua, len(args, 1).saturating_add(len(args, 3)).saturating_mul(times))
}

fn of_arguments(args: &Args<'_>) -> Result<()> {
    let all = (1..=args.len()).map(|number| len(args, number)).sum();
    budget::fits(args.lua, all)
}

/// Table, function and cost.
const COUNTED: &[(&str, &str, Cost)] = &[
    ("table", "insert", of_list),
    ("table", "remove", of_list),
    ("table", "concat", of_concat),
    ("table", "sort", of_sort),
    ("table", "move", of_move),
    ("table", "unpack", of_unpack),
    ("string", "byte", of_text),
    ("string", "lower", of_text),
    ("string", "upper", of_text),
    ("string", "reverse", of_text),
    ("string", "rep", of_repetition),
    ("string", "pack", of_arguments),
    ("string", "unpack", of_text),
    ("string", "format", of_arguments),
];

/// Replaces the functions.
pub(super) fn replace(lua: &Lua, globals: &Table) -> Result<()> {
    for (table, name, cost) in COUNTED {
        let table: Table = globals.get(*table)?;
        let own: Function = table.get(*name)?;
        let is_format = *name == "format";
        let has_callback = *name == "sort";
        let counted = move |lua: &Lua, values: MultiValue| {
            let values = if is_format { format_arguments(values) } else { values };
            cost(&Args::new(lua, name, values.clone()))?;
            own.call::<MultiValue>(values).map_err(|error| match budget::stopped() {
                Some(stopped) => Error::RuntimeError(stopped),
                None if has_callback => Error::RuntimeError(words(&error)),
                // Called from here, the library does not know its own name.
                None => raise(lua, words(&error).replace("to '?'", &format!("to '{name}'"))),
            })
        };
        table.set(*name, lua.create_function(counted)?)?;
    }
    Ok(())
}
