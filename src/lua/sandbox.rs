//! What scripts are given: Lua without anything that reaches outside, and the API.

use super::args::{Args, text};
use super::budget;
use super::errors::{fail, words};
use super::world::{World, remark};
use mlua::{
    Function, Lua, LuaOptions, MetaMethod, MultiValue, ObjectLike, Result, StdLib, Table, UserData, UserDataMethods, Value,
};
use std::io::Write;

/// The name of Lua's own `pcall` in the registry.
pub(super) const PCALL: &str = "pcall";
const PRELUDE: &str = include_str!("prelude.lua");
/// Number of lines that scripts print.
const LINES: usize = 20;

/// Creates the state of all scripts.
pub(super) fn create() -> Result<Lua> {
    let libraries = StdLib::COROUTINE | StdLib::TABLE | StdLib::STRING | StdLib::UTF8 | StdLib::MATH;
    let lua = Lua::new_with(libraries, LuaOptions::new().catch_rust_panics(false))?;
    lua.gc_set_mode(mlua::state::GcMode::Generational(mlua::state::GcGenParams::default()));
    let globals = lua.globals();
    lua.set_named_registry_value(PCALL, globals.get::<Function>("pcall")?)?;
    budget::watch(&lua)?;
    for name in ["dofile", "loadfile", "warn"] {
        globals.set(name, Value::Nil)?;
    }
    let own = lua.create_table()?;
    add_checks(&lua, &own)?;
    super::dialect::add(&lua, &globals, &own)?;
    super::handle::add(&lua, &own)?;
    super::environment::add(&lua, &own)?;
    let (short, text) = (lua.create_table()?, globals.get::<Table>("string")?);
    for name in ["byte", "lower", "upper"] {
        short.set(name, text.get::<Function>(name)?)?;
    }
    own.set("short", short)?;
    super::library::replace(&lua, &globals)?;
    lua.load(PRELUDE).set_name("=[C]").call::<()>(own)?;
    add_output(&lua, &globals)?;
    add_system(&lua, &globals)?;
    super::constants::add(&lua, &globals)?;
    add_api(&lua, &globals)?;
    Ok(lua)
}

/// Functions of the prelude.
fn add_checks(lua: &Lua, own: &Table) -> Result<()> {
    let check = |lua: &Lua, mut results: MultiValue| {
        if let Some(stopped) = budget::stopped() {
            return Err(mlua::Error::RuntimeError(stopped));
        }
        if let Some(Value::Boolean(false)) = results.front()
            && let Some(error) = results.get_mut(1)
        {
            if let Value::String(text) = &error
                && text.as_bytes() == b"not enough memory"
            {
                return Err(budget::out_of_memory(lua, 1));
            }
            budget::spend(lua, budget::CAUGHT)?;
            *error = plain(lua, error)?;
        }
        Ok(results)
    };
    own.set("check", lua.create_function(check)?)?;
    own.set("stopped", lua.create_function(|_, _: MultiValue| Ok(budget::stopped().is_some()))?)?;
    own.set("text", lua.create_function(|lua, error: Value| plain(lua, &error))?)?;
    let count = |value: Value| usize::try_from(super::args::integer(&value).unwrap_or_default()).unwrap_or_default();
    own.set("spend", lua.create_function(move |lua, steps: Value| budget::spend(lua, count(steps)))?)?;
    own.set("fits", lua.create_function(move |lua, bytes: Value| budget::fits(lua, count(bytes)))?)?;
    own.set("refuse", lua.create_function(|lua, name: String| refusal(lua, &name))?)
}

/// An error value as scripts see it: errors of this program are texts.
fn plain(lua: &Lua, error: &Value) -> Result<Value> {
    match error {
        Value::Error(error) => lua.create_string(words(error)).map(Value::String),
        other => Ok(other.clone()),
    }
}

/// A function that is refused.
fn refusal(lua: &Lua, name: &str) -> Result<Function> {
    let name = name.to_owned();
    lua.create_function(move |lua, _: MultiValue| {
        let text = format!("{name} is not given to scripts (sandbox)");
        let position = super::errors::position(lua, 1);
        remark(lua, format!("{position}{text}; the script goes on with an error there"));
        fail::<()>(lua, text)
    })
}

/// The text of a value in labels and concatenations: that of `tostring`.
pub(super) fn as_text(lua: &Lua, value: &Value) -> Result<Vec<u8>> {
    match value {
        Value::String(text) => Ok(text.as_bytes().to_vec()),
        value => match text(value) {
            Some(text) => Ok(text.into_bytes()),
            None => Ok(lua.globals().get::<Function>("tostring")?.call::<mlua::LuaString>(value)?.as_bytes().to_vec()),
        },
    }
}

/// Gives a class an error for unknown members.
pub(super) fn guard_class(lua: &Lua, class: &Table, name: &'static str) -> Result<()> {
    class.set_metatable(Some(guard(lua, name)?))
}

/// The same for a class that is called as a constructor.
pub(super) fn callable(lua: &Lua, class: &Table, name: &'static str, call: Function) -> Result<()> {
    let meta = guard(lua, name)?;
    meta.set("__call", call)?;
    class.set("__typeof", name)?;
    class.set_metatable(Some(meta))
}

/// Classes whose objects have methods.
const OBJECTS: [&str; 10] =
    ["ByteArray", "Int64", "UInt64", "NSTime", "Address", "Proto", "Dissector", "DissectorTable", "Field", "GRegex"];

fn guard(lua: &Lua, name: &'static str) -> Result<Table> {
    let meta = lua.create_table()?;
    let index = lua.create_function(move |lua, (_, member): (Value, Value)| {
        let member = text(&member).unwrap_or_default();
        // Scripts test for this one.
        if member == "__typeof" {
            return Ok(Value::Nil);
        }
        if !OBJECTS.contains(&name) {
            return fail(lua, format_args!("{name}.{member} is not supported"));
        }
        // Methods may be called through their class: `ByteArray.tvb(bytes)`.
        let method = lua.create_function(move |lua, values: MultiValue| match values.front() {
            Some(Value::UserData(object)) => object.get::<Function>(member.as_str())?.call::<MultiValue>(values),
            _ => fail(lua, format_args!("{name}.{member} is not supported")),
        })?;
        Ok(Value::Function(method))
    })?;
    meta.set("__index", index)?;
    meta.set("__metatable", false)?;
    Ok(meta)
}

/// Prints a line of a script on standard error, up to a limit.
fn print(lua: &Lua, line: &[u8]) {
    let number = {
        let Some(mut world) = lua.app_data_mut::<World>().filter(|world| !world.is_silent) else { return };
        world.printed += 1;
        world.printed
    };
    let line = String::from_utf8_lossy(line);
    let mut shown = String::new();
    // Writing to a String does not fail.
    let _ = crate::tree::clean(&line, &mut shown);
    // Nothing can be done if standard error cannot be written.
    let _ = match number {
        ..=LINES => writeln!(std::io::stderr(), "{shown}"),
        _ if number == LINES + 1 => writeln!(std::io::stderr(), "(further lines of scripts are not shown)"),
        _ => Ok(()),
    };
}

/// A stream that scripts write to.
struct Output;

impl UserData for Output {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_function("write", |lua, all: MultiValue| {
            write_all(lua, all.iter().skip(1))?;
            Ok(all.front().cloned())
        });
        for name in ["flush", "setvbuf", "close"] {
            methods.add_method(name, |_, _, _: MultiValue| Ok(true));
        }
        methods.add_meta_method(MetaMethod::ToString, |_, _, ()| Ok("file (standard error)"));
    }
}

fn write_all<'v>(lua: &Lua, values: impl Iterator<Item = &'v Value>) -> Result<()> {
    let texts = values.map(|value| as_text(lua, value)).collect::<Result<Vec<_>>>()?;
    let bytes = texts.concat();
    budget::spend(lua, bytes.len())?;
    print(lua, bytes.strip_suffix(b"\n").unwrap_or(&bytes));
    Ok(())
}

fn add_output(lua: &Lua, globals: &Table) -> Result<()> {
    let print_all = |lua: &Lua, values: MultiValue| {
        let texts = values.iter().map(|value| as_text(lua, value)).collect::<Result<Vec<_>>>()?;
        let line = texts.join(&b'\t');
        budget::spend(lua, line.len())?;
        print(lua, &line);
        Ok(())
    };
    globals.set("print", lua.create_function(print_all)?)?;
    for name in ["report_failure", "critical", "warn", "message", "info", "debug_message"] {
        globals.set(name, lua.create_function(print_all)?)?;
    }
    let io = lua.create_table()?;
    io.set("stdout", Output)?;
    io.set("stderr", Output)?;
    io.set("write", lua.create_function(|lua, values: MultiValue| write_all(lua, values.iter()))?)?;
    refuse(lua, "io", &io)?;
    super::files::add(lua, globals, &io)?;
    guard_class(lua, &io, "io")?;
    globals.set("io", io)
}

/// `os` and `debug`.
fn add_system(lua: &Lua, globals: &Table) -> Result<()> {
    let os = lua.create_table()?;
    refuse(lua, "os", &os)?;
    let environment = |lua: &Lua, _: MultiValue| {
        let position = super::errors::position(lua, 1);
        remark(lua, format!("{position}os.getenv is not given to scripts (sandbox); it returns nil"));
        Ok(Value::Nil)
    };
    os.set("getenv", lua.create_function(environment)?)?;
    os.set("clock", lua.create_function(|_, _: MultiValue| Ok(0.0))?)?;
    os.set("difftime", lua.create_function(|_, (one, other): (f64, f64)| Ok(one - other))?)?;
    super::clock::add(lua, &os)?;
    guard_class(lua, &os, "os")?;
    globals.set("os", os)?;
    let debug = lua.create_table()?;
    let traceback = |lua: &Lua, values: MultiValue| {
        let message = Args::new(lua, "traceback", values).text_or_nil(1)?;
        lua.traceback(message.as_deref(), 1)
    };
    debug.set("traceback", lua.create_function(traceback)?)?;
    debug.set("getinfo", lua.create_function(get_info)?)?;
    refuse(lua, "debug", &debug)?;
    // In old versions `debug` was also a function that prints.
    let meta = guard(lua, "debug")?;
    let print_all = globals.get::<Function>("debug_message")?;
    meta.set(
        "__call",
        lua.create_function(move |_, mut values: MultiValue| {
            values.pop_front();
            print_all.call::<()>(values)
        })?,
    )?;
    debug.set_metatable(Some(meta))?;
    globals.set("debug_message", Value::Nil)?;
    globals.set("debug", debug)
}

/// `debug.getinfo(level)` with source, line and name.
fn get_info(lua: &Lua, values: MultiValue) -> Result<Value> {
    let args = Args::new(lua, "getinfo", values);
    let table = lua.create_table()?;
    if let Value::Function(function) = args.get(1) {
        let info = function.info();
        table.set("source", info.source)?;
        table.set("short_src", info.short_src)?;
        table.set("linedefined", info.line_defined)?;
        table.set("what", info.what)?;
        table.set("func", function)?;
        return Ok(Value::Table(table));
    }
    let level = usize::try_from(args.int(1)?).unwrap_or(usize::MAX);
    let found = lua.inspect_stack(level, |debug| {
        let source = debug.source();
        let names = debug.names();
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_ref().map(|text| text.to_string());
        (text(&source.source), text(&source.short_src), debug.current_line(), text(&names.name), source.what)
    });
    let Some((source, short, line, name, what)) = found else { return Ok(Value::Nil) };
    table.set("source", source)?;
    table.set("short_src", short)?;
    table.set("currentline", line.and_then(|line| i64::try_from(line).ok()).unwrap_or(-1))?;
    table.set("name", name)?;
    table.set("what", what)?;
    Ok(Value::Table(table))
}

/// Functions that are refused, by their table.
pub(super) const REFUSED: [(&str, &[&str]); 5] = [
    ("io", &["popen", "tmpfile", "output", "input", "read", "close"]),
    ("os", &["execute", "remove", "rename", "exit", "tmpname", "setlocale"]),
    ("debug", &["sethook", "getlocal", "setlocal", "getupvalue", "setupvalue", "getregistry", "getmetatable", "setmetatable"]),
    ("string", &["dump"]),
    ("math", &["random"]),
];

/// Refuses these functions of a table.
fn refuse(lua: &Lua, name: &str, table: &Table) -> Result<()> {
    let all = REFUSED.iter().filter(|(known, _)| *known == name).flat_map(|(_, names)| names.iter());
    all.copied().try_for_each(|own| table.set(own, refusal(lua, &format!("{name}.{own}"))?))
}

/// Functions that are not supported yet.
pub(super) const MISSING_FUNCTIONS: [&str; 4] = ["all_field_infos", "set_preference", "reset_preference", "apply_preferences"];
/// What belongs to a window or to statistics: accepted, and never run.
pub(super) const STUBS: [(&str, &str); 22] = [
    ("Listener", "no taps"),
    ("TextWindow", "no window"),
    ("ProgDlg", "no window"),
    ("new_dialog", "no window"),
    ("register_menu", "no window"),
    ("register_packet_menu", "no window"),
    ("register_stat_cmd_arg", "no taps"),
    ("Dumper", "scripts write no files"),
    ("PseudoHeader", "scripts write no files"),
    ("FileHandler", "no file formats"),
    ("register_filehandler", "no file formats"),
    ("deregister_filehandler", "no file formats"),
    ("browser_open_url", "no window"),
    ("browser_open_data_file", "no window"),
    ("copy_to_clipboard", "no window"),
    ("retap_packets", "no taps"),
    ("reload", "no window"),
    ("reload_packets", "no window"),
    ("reload_lua_plugins", "no window"),
    ("set_filter", "no window"),
    ("apply_filter", "no window"),
    ("set_color_filter_slot", "no window"),
];

fn add_api(lua: &Lua, globals: &Table) -> Result<()> {
    super::field::add(lua, globals)?;
    super::proto::add(lua, globals)?;
    super::expert::add(lua, globals)?;
    super::preference::add(lua, globals)?;
    super::dissector::add(lua, globals)?;
    super::tables::add(lua, globals)?;
    super::bytes::add(lua, globals)?;
    super::numbers::add(lua, globals)?;
    super::time::add(lua, globals)?;
    super::address::add(lua, globals)?;
    super::pdus::add(lua, globals)?;
    super::structs::add(lua, globals)?;
    super::extract::add(lua, globals)?;
    super::heuristic::add(lua, globals)?;
    super::regex::add(lua, globals)?;
    super::conversation::add(lua, globals)?;
    super::gcrypt::add(lua, globals)?;
    for name in MISSING_FUNCTIONS {
        let missing = lua.create_function(move |lua, _: MultiValue| fail::<()>(lua, format_args!("{name} is not supported")))?;
        globals.set(name, missing)?;
    }
    for (name, why) in STUBS {
        globals.set(name, stub(lua, name, why)?)?;
    }
    globals.set("get_version", lua.create_function(|_, ()| Ok("4.4.0"))?)?;
    globals.set("gui_enabled", lua.create_function(|_, ()| Ok(false))?)?;
    globals.set("GUI_ENABLED", false)?;
    globals.set("running_superuser", false)?;
    globals.set("__DIR_SEPARATOR__", "/")?;
    globals.set("set_plugin_info", lua.create_function(plugin_info)?)?;
    globals.set("typeof", lua.create_function(type_name)?)
}

/// An object that accepts everything and does nothing.
fn stub(lua: &Lua, name: &'static str, why: &'static str) -> Result<Table> {
    let (stub, meta) = (lua.create_table()?, lua.create_table()?);
    let itself = stub.clone();
    let call = lua.create_function(move |lua, _: MultiValue| {
        remark(lua, format!("{name} is not run ({why})"));
        Ok(itself.clone())
    })?;
    let itself = stub.clone();
    meta.set("__call", call)?;
    meta.set("__index", lua.create_function(move |_, _: MultiValue| Ok(itself.clone()))?)?;
    meta.set("__newindex", lua.create_function(|_, _: MultiValue| Ok(()))?)?;
    stub.set_metatable(Some(meta))?;
    Ok(stub)
}

fn plugin_info(lua: &Lua, values: MultiValue) -> Result<()> {
    match Args::new(lua, "set_plugin_info", values).get(1) {
        Value::Table(info) => match info.get::<Value>("version")? {
            Value::String(_) | Value::Integer(_) | Value::Number(_) => Ok(()),
            _ => fail(lua, "the Lua table must have a 'version' key entry with a string value"),
        },
        _ => fail(lua, "a Lua table with at least a 'version' string entry"),
    }
}

/// The class of an object, or the type of another value.
fn type_name(lua: &Lua, value: Value) -> Result<Value> {
    let name = match &value {
        Value::UserData(data) => data.metatable()?.get::<String>("__name").unwrap_or_default(),
        Value::Table(table) => {
            return Ok(match table.get::<Value>("__typeof") {
                Ok(Value::Nil) | Err(_) => Value::String(lua.create_string("table")?),
                Ok(name) => name,
            });
        }
        value @ Value::LightUserData(_) => super::handle::class_name(value).to_owned(),
        value => value.type_name().to_owned(),
    };
    let name = if name == "NsTime" { "NSTime" } else { &name };
    lua.create_string(name).map(Value::String)
}
