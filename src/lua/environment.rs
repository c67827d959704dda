//! Environments of functions as in Lua 5.1: `setfenv`, `getfenv` and `module` of the prelude.

use super::errors::fail;
use mlua::{Function, Lua, Result, Table, Value};

/// Calls between a script and the function that asks: that function, and the one of the prelude.
const HELPERS: i64 = 1;

/// The function of an argument: itself, or that of a level of the script.
fn function(lua: &Lua, target: &Value) -> Result<Function> {
    if let Value::Function(function) = target {
        return Ok(function.clone());
    }
    let level = super::args::integer(target).filter(|level| *level > 0).and_then(|level| level.checked_add(HELPERS));
    let level = level.and_then(|level| usize::try_from(level).ok());
    match level.and_then(|level| lua.inspect_stack(level, |debug| debug.function())) {
        Some(function) => Ok(function),
        None => fail(lua, "no function has this level"),
    }
}

/// Adds the functions to those of the prelude.
pub(super) fn add(lua: &Lua, own: &Table) -> Result<()> {
    let set = |lua: &Lua, (target, environment): (Value, Table)| {
        let function = function(lua, &target)?;
        if !function.set_environment(environment)? {
            return fail(lua, "'setfenv' cannot change environment of given object");
        }
        Ok(function)
    };
    own.set("set_environment", lua.create_function(set)?)?;
    let get = |lua: &Lua, target: Value| Ok(function(lua, &target)?.environment());
    own.set("environment", lua.create_function(get)?)
}
