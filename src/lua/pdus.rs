//! `dissect_tcp_pdus`: messages with a length in a fixed header.

use super::args::{Args, integer};
use super::buffer::Tvb;
use super::call::{self, Place};
use super::errors::{expected, fail, words};
use super::handle::Object;
use super::pinfo::Pinfo;
use super::run::{ONE_MORE_SEGMENT, error_text};
use super::{budget, sandbox};
use mlua::{Error, Function, IntoLuaMulti, Lua, MultiValue, Result, Table, Value};

/// The arguments.
struct Pdus {
    tvb: Tvb,
    tree: Value,
    header: u32,
    length: Function,
    dissect: Function,
    joins: bool,
}

/// Adds the function.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    globals.set("dissect_tcp_pdus", lua.create_function(|lua, values| dissect(lua, &parsed(lua, values)?))?)
}

fn parsed(lua: &Lua, values: MultiValue) -> Result<Pdus> {
    let args = Args::new(lua, "dissect_tcp_pdus", values);
    if call::with(|call| !call.is_running) {
        return fail(lua, "dissect_tcp_pdus can only be invoked while in a dissect function");
    }
    let tvb = args.get(1);
    let Some(tvb) = Tvb::of(&tvb) else {
        return expected(lua, 1, "dissect_tcp_pdus", "Tvb", &tvb);
    };
    if !call::with(|call| call.is(tvb.call)) {
        return fail(lua, "expired tvb");
    }
    let header = u32::try_from(args.int(3)?).unwrap_or_default();
    let (Value::Function(length), Value::Function(dissect)) = (args.get(4), args.get(5)) else {
        return fail(lua, "The third and fourth arguments need to be Lua functions");
    };
    Ok(Pdus { tvb, tree: args.get(2), header, length, dissect, joins: args.truth_or(6, true) })
}

/// Asks for more bytes from this offset on.
fn want(offset: u32, len: i64) {
    call::with(|call| {
        call.desegment_offset = i64::from(offset);
        call.desegment_len = len;
    });
}

/// Calls a function. An error is added to the tree, and ends the buffer.
fn protected(lua: &Lua, function: &Function, arguments: impl IntoLuaMulti, what: &str) -> Result<Option<MultiValue>> {
    let pcall: Function = lua.named_registry_value(sandbox::PCALL)?;
    let mut all = arguments.into_lua_multi(lua)?;
    all.push_front(Value::Function(function.clone()));
    let error = match pcall.call::<MultiValue>(all) {
        Ok(mut results) => match results.pop_front() {
            Some(Value::Boolean(true)) => return Ok(Some(results)),
            _ => error_text(lua, results.pop_front().unwrap_or(Value::Nil)),
        },
        Err(error) => words(&error),
    };
    if let Some(stopped) = budget::stopped() {
        return Err(Error::RuntimeError(stopped));
    }
    call::with(|call| call.errors.push(format!("{what}: {error}")));
    Ok(None)
}

fn dissect(lua: &Lua, pdus: &Pdus) -> Result<()> {
    let Place { buffer, start, len } = pdus.tvb.place;
    let number = pdus.tvb.call;
    let can_join = pdus.joins && call::with(|call| call.packet.can_desegment && call.running.len() < 2);
    let mut offset = 0;
    while offset < len {
        let left = len - offset;
        if can_join && left < pdus.header {
            want(offset, ONE_MORE_SEGMENT);
            return Ok(());
        }
        let arguments = (pdus.tvb, Pinfo(number), offset);
        let Some(results) = protected(lua, &pdus.length, arguments, "dissect_tcp_pdus get_len_func")? else { return Ok(()) };
        let Some(size) = results.front().and_then(integer) else {
            let text = "Lua Error dissect_tcp_pdus: get_len_func did not return a Lua number of the PDU length";
            return fail(lua, text);
        };
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        if size == 0 && can_join {
            want(offset, ONE_MORE_SEGMENT);
            return Ok(());
        }
        if size < pdus.header || size == 0 {
            let rank = [super::expert::ERROR, super::expert::MALFORMED];
            call::with(|call| call.remark(call::ROOT, &super::notes::MALFORMED, MALFORMED.to_owned(), rank));
            return Ok(());
        }
        if can_join && left < size {
            want(offset, i64::from(size - left));
            return Ok(());
        }
        let place = Place { buffer, start: start + offset, len: left.min(size) };
        let arguments = (Tvb { call: number, place }, Pinfo(number), pdus.tree.clone());
        if protected(lua, &pdus.dissect, arguments, "dissect_tcp_pdus dissect_func")?.is_none() {
            return Ok(());
        }
        offset = offset.saturating_add(size);
    }
    Ok(())
}

/// The error of a length below that of the header.
pub(super) const MALFORMED: &str = "Malformed Packet";
