//! `pinfo.private`: texts that dissectors of a frame share.

use super::call;
use super::errors::fail;
use mlua::{Lua, MultiValue, Result, Table, Value};

/// The table of the current frame, with the number of that frame.
struct Private(u64, Table);

/// The table of the current frame.
pub(super) fn table(lua: &Lua) -> Result<Table> {
    let frame = call::with(|call| call.packet.number);
    if let Some(known) = lua.app_data_ref::<Private>().filter(|known| known.0 == frame) {
        return Ok(known.1.clone());
    }
    let (table, values, meta) = (lua.create_table()?, lua.create_table()?, lua.create_table()?);
    meta.set("__index", &values)?;
    let set = lua.create_function(move |lua, all: MultiValue| {
        let mut all = all.into_iter().skip(1);
        let (key, value) = (all.next().unwrap_or(Value::Nil), all.next().unwrap_or(Value::Nil));
        let kept = match &value {
            Value::Nil | Value::Boolean(false) => Value::Nil,
            Value::Boolean(true) => Value::String(lua.create_string("")?),
            Value::String(_) => value,
            Value::Integer(_) | Value::Number(_) => {
                Value::String(lua.create_string(super::args::text(&value).unwrap_or_default())?)
            }
            other => return fail(lua, format_args!("unsupported type: {}", super::errors::type_of(other))),
        };
        values.raw_set(key, kept)
    })?;
    meta.set("__newindex", set)?;
    meta.set("__metatable", false)?;
    table.set_metatable(Some(meta))?;
    lua.set_app_data(Private(frame, table.clone()));
    Ok(table)
}
