//! Errors in Wireshark's words, with the position of the script.

use mlua::{Error, Lua, Result, Value};
use std::fmt::Display;

/// Chunks between a script and the functions of this program: the prelude, and lookups of attributes.
const HELPERS: [&str; 2] = ["[C]", "__mlua_index"];

/// The position of the script line that called the running function, as Lua writes it; empty if no script line did.
pub(super) fn position(lua: &Lua, level: usize) -> String {
    const DEEPEST: usize = 6;
    for level in level..level + DEEPEST {
        let at = |debug: &mlua::debug::Debug<'_>| {
            let line = debug.current_line()?;
            Some((debug.source().short_src.unwrap_or_default().into_owned(), line))
        };
        match lua.inspect_stack(level, at).flatten() {
            Some((source, _)) if HELPERS.contains(&source.as_str()) => {}
            Some((source, line)) => return format!("{source}:{line}: "),
            None => return String::new(),
        }
    }
    String::new()
}

/// An error with the position of the calling line.
pub(super) fn raise(lua: &Lua, text: impl Display) -> Error {
    Error::RuntimeError(format!("{}{text}", position(lua, 1)))
}

/// An error as result.
pub(super) fn fail<T>(lua: &Lua, text: impl Display) -> Result<T> {
    Err(raise(lua, text))
}

/// The error of an argument; `number` counts from 1 without the object.
pub(super) fn bad_argument<T>(lua: &Lua, number: usize, function: &str, text: impl Display) -> Result<T> {
    fail(lua, format_args!("bad argument #{number} to '{function}' ({text})"))
}

/// The error of an argument of the wrong type.
pub(super) fn expected<T>(lua: &Lua, number: usize, function: &str, wanted: &str, got: &Value) -> Result<T> {
    bad_argument(lua, number, function, format_args!("{wanted} expected, got {}", type_of(got)))
}

/// The error of an unknown member of an object.
pub(super) fn no_member<T>(lua: &Lua, name: &Value, class: &str) -> Result<T> {
    let name = name.as_string().map(|name| name.to_string_lossy()).unwrap_or_default();
    fail(lua, format_args!("No such '{name}' method/field for object type '{class}'"))
}

/// Lua's name of the type of a value.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Error(_) => "string",
        Value::LightUserData(_) => "userdata",
        value => value.type_name(),
    }
}

/// The words of an error, without a traceback.
pub(super) fn words(error: &Error) -> String {
    let text = match error {
        Error::CallbackError { cause, .. } => return words(cause),
        Error::RuntimeError(text) | Error::SyntaxError { message: text, .. } => text.clone(),
        Error::MemoryError(_) => "not enough memory".to_owned(),
        other => other.to_string(),
    };
    text.split_once("\nstack traceback:").map_or(text.as_str(), |(text, _)| text).to_owned()
}
