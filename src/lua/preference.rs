//! `Pref`: preferences of scripts, set with `-o`.

use super::args::{Args, integer};
use super::errors::fail;
use super::world::World;
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};

/// A preference.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preference {
    pub(super) label: String,
    pub(super) about: String,
    pub(super) value: Setting,
    default: Setting,
}

/// The value of a preference.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Setting {
    Bool(bool),
    Uint(i64),
    Text(String),
    /// The value, with name, description and number of each choice.
    Enum(i64, Vec<(String, String, i64)>),
    /// Ports, with the largest one.
    Range(String, i64),
    Nothing,
}

impl UserData for Preference {}

impl Preference {
    fn new(label: String, about: String, value: Setting) -> Preference {
        Preference { label, about, default: value.clone(), value }
    }

    /// Whether it was changed.
    pub(super) fn is_changed(&self) -> bool {
        self.value != self.default
    }

    /// Sets it from the command line.
    pub(super) fn set(&mut self, text: &str) -> std::result::Result<(), String> {
        match &mut self.value {
            Setting::Bool(truth) if text.eq_ignore_ascii_case("true") => *truth = true,
            Setting::Bool(truth) if text.eq_ignore_ascii_case("false") => *truth = false,
            Setting::Bool(_) => return Err("expected true or false".to_owned()),
            Setting::Uint(number) => *number = text.parse().map_err(|_| "expected a number".to_owned())?,
            Setting::Text(value) => text.clone_into(value),
            Setting::Enum(value, choices) => {
                let found =
                    choices.iter().find(|(name, about, _)| name.eq_ignore_ascii_case(text) || about.eq_ignore_ascii_case(text));
                let names = || choices.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>().join(", ");
                *value = found.ok_or_else(|| format!("expected one of {}", names()))?.2;
            }
            Setting::Range(value, most) => *value = ports(text, *most).ok_or("expected ports such as 5-10,12")?,
            Setting::Nothing => return Err("this preference has no value".to_owned()),
        }
        Ok(())
    }

    /// The value as text.
    pub(super) fn text(&self) -> String {
        match &self.value {
            Setting::Bool(truth) => truth.to_string(),
            Setting::Uint(number) => number.to_string(),
            Setting::Text(text) | Setting::Range(text, _) => text.clone(),
            Setting::Enum(number, choices) => {
                choices.iter().find(|(.., known)| known == number).map_or_else(|| number.to_string(), |(name, ..)| name.clone())
            }
            Setting::Nothing => String::new(),
        }
    }

    /// The value for scripts.
    fn for_scripts(&self, lua: &Lua) -> Result<Value> {
        match &self.value {
            Setting::Bool(truth) => Ok(Value::Boolean(*truth)),
            Setting::Uint(number) | Setting::Enum(number, _) => Ok(Value::Integer(*number)),
            Setting::Text(text) | Setting::Range(text, _) => lua.create_string(text).map(Value::String),
            Setting::Nothing => Ok(Value::Nil),
        }
    }
}

/// Ranges of numbers, each at most `most`.
pub(super) fn ranges(text: &str, most: i64) -> Option<Vec<(i64, i64)>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let number = |text: &str| text.trim().parse::<i64>().ok().filter(|number| (0..=most).contains(number));
    let part = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some((number(first)?, if last.trim().is_empty() { most } else { number(last)? })),
        None => number(part).map(|number| (number, number)),
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(part).collect()
}

/// Ports in order, with adjacent ones joined: `9990-9991,9996`.
fn ports(text: &str, most: i64) -> Option<String> {
    let mut ranges: Vec<(i64, i64)> = ranges(text, most)?.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
    ranges.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
            _ => joined.push((first, last)),
        }
    }
    let text = |(first, last): &(i64, i64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    Some(joined.iter().map(text).collect::<Vec<_>>().join(","))
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    type Make = fn(&Args<'_>) -> Result<Preference>;
    let makers: [(&'static str, Make); 6] = [
        ("bool", |args| {
            let value = Setting::Bool(args.truth_or(2, false));
            Ok(Preference::new(args.text(1)?, args.text_or_nil(3)?.unwrap_or_default(), value))
        }),
        ("uint", |args| {
            let value = Setting::Uint(args.int_or(2, 0)?);
            Ok(Preference::new(args.text(1)?, args.text_or_nil(3)?.unwrap_or_default(), value))
        }),
        ("string", |args| {
            let value = Setting::Text(args.text_or_nil(2)?.unwrap_or_default());
            Ok(Preference::new(args.text(1)?, args.text_or_nil(3)?.unwrap_or_default(), value))
        }),
        ("enum", |args| {
            let value = Setting::Enum(args.int_or(2, 0)?, choices(args)?);
            Ok(Preference::new(args.text(1)?, args.text_or_nil(3)?.unwrap_or_default(), value))
        }),
        ("range", |args| {
            let most = args.int_or(4, 65_535)?;
            let given = args.text_or_nil(2)?.unwrap_or_default();
            let Some(text) = ports(&given, most) else { return args.wrong(2, "invalid range") };
            Ok(Preference::new(args.text(1)?, args.text_or_nil(3)?.unwrap_or_default(), Setting::Range(text, most)))
        }),
        ("statictext", |args| Ok(Preference::new(args.text(1)?, args.text_or_nil(2)?.unwrap_or_default(), Setting::Nothing))),
    ];
    for (name, make) in makers {
        class.set(name, lua.create_function(move |lua, values| make(&Args::new(lua, name, values)))?)?;
    }
    super::sandbox::guard_class(lua, &class, "Pref")?;
    globals.set("Pref", class)?;
    let get = |lua: &Lua, values: MultiValue| {
        let name = Args::new(lua, "get_preference", values).text(1)?;
        let (protocol, preference) = name.split_once('.').unwrap_or((&name, ""));
        let Some(world) = lua.app_data_ref::<World>() else { return Ok(Value::Nil) };
        let found = world.named(protocol).and_then(|place| world.protocols.get(place));
        let found = found.and_then(|protocol| protocol.preferences.iter().find(|(known, _)| known == preference));
        found.map_or(Ok(Value::Nil), |(_, preference)| preference.for_scripts(lua))
    };
    globals.set("get_preference", lua.create_function(get)?)
}

/// `{{key, name, value}, …}`.
fn choices(args: &Args<'_>) -> Result<Vec<(String, String, i64)>> {
    let Value::Table(list) = args.get(4) else { return args.wrong(4, "table expected") };
    let mut choices = Vec::new();
    for entry in list.sequence_values::<Table>() {
        let entry = entry?;
        let [key, name, value] = [1, 2, 3].map(|at| entry.get::<Value>(at).unwrap_or(Value::Nil));
        let text = |value: &Value| super::args::text(value).unwrap_or_default();
        let (key, name) = (text(&key), text(&name));
        let Some(value) = integer(&value) else { return args.wrong(4, "the value of a choice is a number") };
        // A number as key is an index: the choice is then known by its name.
        let key = if key.bytes().all(|byte| byte.is_ascii_digit()) { name.clone() } else { key };
        choices.push((key, name, value));
    }
    Ok(choices)
}

/// The preferences of a protocol: `proto.prefs`.
#[derive(Clone, Copy)]
pub(super) struct Preferences(pub(super) usize);

impl UserData for Preferences {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, name: Value| {
            let name = super::args::text(&name).unwrap_or_default();
            let value = {
                let Some(world) = lua.app_data_ref::<World>() else { return Ok(Value::Nil) };
                let found = world.protocols.get(this.0);
                let found = found.and_then(|protocol| protocol.preferences.iter().find(|(known, _)| *known == name));
                found.map(|(_, preference)| preference.for_scripts(lua))
            };
            value.unwrap_or_else(|| super::errors::bad_argument(lua, 2, "__index", "Prefs__index: no preference named like this"))
        });
        methods.add_meta_method(MetaMethod::NewIndex, |lua, this, (name, value): (Value, Value)| {
            let name = super::args::text(&name).unwrap_or_default();
            set(lua, this.0, name, &value)
        });
    }
}

fn set(lua: &Lua, protocol: usize, name: String, value: &Value) -> Result<()> {
    let is_valid = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || "_.".contains(character);
    if name.is_empty() || !name.chars().all(is_valid) {
        let words = "only lower-case ASCII letters, numbers, underscores and dots may be used";
        return fail(lua, format_args!("illegal preference name \"{name}\", {words}"));
    }
    let Some(mut preference) = value.as_userdata().and_then(|data| data.borrow::<Preference>().ok().map(|value| value.clone()))
    else {
        return super::errors::expected(lua, 3, "__newindex", "Pref", value);
    };
    let Some(mut world) = lua.app_data_mut::<World>() else { return Ok(()) };
    if !world.is_loading {
        return fail(lua, "preferences can only be added while scripts are loaded");
    }
    let world = &mut *world;
    let Some(protocol) = world.protocols.get_mut(protocol) else { return Ok(()) };
    if protocol.preferences.iter().any(|(known, _)| *known == name) {
        return fail(lua, format_args!("a preference named {name} exists already"));
    }
    let full = format!("{}.{name}", protocol.filter);
    for (_, text) in world.options.iter().filter(|(option, _)| *option == full) {
        if let Err(wrong) = preference.set(text) {
            world.wrong_options.push(format!("-o {full}:{text}: {wrong}"));
        }
    }
    protocol.preferences.push((name, preference));
    Ok(())
}
