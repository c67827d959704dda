//! `Proto`: protocols of scripts.

use super::args::Args;
use super::dissector::Dissector;
use super::errors::{bad_argument, fail, no_member};
use super::expert;
use super::field::{ProtoField, leak};
use super::handle::Object;
use super::preference::Preferences;
use super::world::{ScriptProtocol, World};
use crate::tree::Field;
use mlua::{Function, Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};

/// Maximum number of protocols: they are never freed.
const MOST: usize = 4096;

/// A protocol, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Proto(pub(super) usize);

impl Proto {
    /// Uses the protocol. It must not run a script.
    pub(super) fn with<T>(self, lua: &Lua, work: impl FnOnce(&mut ScriptProtocol) -> T) -> Result<T> {
        let result = lua.app_data_mut::<World>().and_then(|mut world| world.protocols.get_mut(self.0).map(work));
        result.map_or_else(|| fail(lua, "the protocol was taken back"), Ok)
    }

    /// Its field in trees.
    pub(super) fn field(self, lua: &Lua) -> Result<&'static Field> {
        self.with(lua, |protocol| protocol.this)
    }

    fn get(self, lua: &Lua, name: &Value) -> Result<Value> {
        let text = |text: &str| lua.create_string(text).map(Value::String);
        match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
            Some("name") => text(self.with(lua, |protocol| protocol.name)?),
            Some("description") => text(self.with(lua, |protocol| protocol.description)?),
            Some("fields") => self.with(lua, |protocol| Value::Table(protocol.fields.clone())),
            Some("prefs") => lua.create_userdata(Preferences(self.0)).map(Value::UserData),
            Some("dissector") => match self.with(lua, |protocol| protocol.dissector.is_some())? {
                true => lua.create_userdata(Dissector::Script(self)).map(Value::UserData),
                false => fail(lua, "The protocol hasn't been registered yet"),
            },
            Some("experts") => lua.create_table().map(Value::Table),
            _ => no_member(lua, name, "Proto"),
        }
    }

    fn set(self, lua: &Lua, name: &Value, value: Value) -> Result<()> {
        let known = name.as_string().map(|name| name.to_string_lossy());
        match (known.as_deref(), value) {
            (Some("dissector"), Value::Function(function)) => self.with(lua, |protocol| protocol.dissector = Some(function)),
            (Some("dissector"), _) => fail(lua, "The dissector of a protocol must be a function"),
            (Some("init"), Value::Function(function)) => self.with(lua, |protocol| protocol.init = Some(function)),
            (Some("init"), _) => fail(lua, "The initializer of a protocol must be a function"),
            (Some("prefs_changed"), Value::Function(function)) => {
                self.with(lua, |protocol| protocol.prefs_changed = Some(function))
            }
            (Some("prefs_changed"), _) => fail(lua, "The prefs of a protocol must be a function"),
            (Some("fields"), value) => self.add_fields(lua, &value),
            (Some("experts"), value) => self.add_experts(lua, &value),
            _ => no_member(lua, name, "Proto"),
        }
    }

    /// Adds a field, or those of a table.
    fn add_fields(self, lua: &Lua, value: &Value) -> Result<()> {
        let own = self.with(lua, |protocol| protocol.fields.clone())?;
        match value {
            field if ProtoField::of(field).is_some() => own.push(value.clone()),
            Value::Table(table) => {
                if *table == own {
                    return Ok(());
                }
                for entry in table.pairs::<Value, Value>() {
                    let (_, field) = entry?;
                    if ProtoField::of(&field).is_none() {
                        return fail(lua, "only ProtoFields should be in the table");
                    }
                    own.push(field)?;
                }
                Ok(())
            }
            _ => fail(lua, "either a ProtoField or an array of protofields"),
        }
    }

    fn add_experts(self, lua: &Lua, value: &Value) -> Result<()> {
        let mut added = Vec::new();
        match value {
            Value::Table(table) => {
                for entry in table.pairs::<Value, Value>() {
                    let Some(field) = expert::field_of(&entry?.1) else {
                        return fail(lua, "only ProtoExperts should be in the table");
                    };
                    added.push(field);
                }
            }
            value => match expert::field_of(value) {
                Some(field) => added.push(field),
                None => return fail(lua, "either a ProtoExpert or an array of ProtoExperts"),
            },
        }
        self.with(lua, |protocol| protocol.experts.extend(added))
    }
}

impl UserData for Proto {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("register_heuristic", |lua, this, values| super::heuristic::register(lua, *this, values));
        methods.add_meta_method(MetaMethod::Index, |lua, this, name: Value| this.get(lua, &name));
        methods.add_meta_method(MetaMethod::NewIndex, |lua, this, (name, value): (Value, Value)| this.set(lua, &name, value));
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            Ok(format!("Proto: {}", this.with(lua, |protocol| protocol.name)?))
        });
        methods.add_meta_method(MetaMethod::Eq, |_, this, other: Value| {
            Ok(other.as_userdata().and_then(|data| data.borrow::<Proto>().ok()).is_some_and(|other| *other == *this))
        });
    }
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("new", lua.create_function(new)?)?;
    let call: Function = lua.create_function(|lua, mut values: MultiValue| {
        values.pop_front();
        new(lua, values)
    })?;
    super::sandbox::callable(lua, &class, "Proto", call)?;
    globals.set("Proto", class)
}

fn new(lua: &Lua, values: MultiValue) -> Result<Proto> {
    let args = Args::new(lua, "Proto", values);
    let (name, description) = (args.text(1)?, args.text(2)?);
    for (number, text) in [(1, &name), (2, &description)] {
        if text.is_empty() {
            return args.wrong(number, "Proto_new: must not be an empty string");
        }
    }
    let is_valid = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    if !name.chars().all(is_valid) {
        return args.wrong(1, "Proto_new: invalid character in name");
    }
    let filter = name.to_ascii_lowercase();
    let mistake = {
        let Some(world) = lua.app_data_ref::<World>() else { return fail(lua, "no script is loaded") };
        match () {
            () if !world.is_loading => Some((1, "Proto_new: protocols can only be created while scripts are loaded")),
            () if world.protocols.len() >= MOST => Some((1, "Proto_new: too many protocols")),
            () if world.named(&filter).is_some() => Some((1, "Proto_new: there cannot be two protocols with the same name")),
            () if world.protocols.iter().any(|known| known.description == description) => {
                Some((2, "Proto_new: there cannot be two protocols with the same description"))
            }
            () if (world.surroundings.is_header)(&filter) => {
                Some((1, "Proto_new: there cannot be two protocols with the same name"))
            }
            () => None,
        }
    };
    if let Some((number, text)) = mistake {
        return bad_argument(lua, number, "Proto", text);
    }
    let (filter, description) = (leak(&filter), leak(&description));
    let fields = lua.create_table()?;
    let Some(mut world) = lua.app_data_mut::<World>() else { return fail(lua, "no script is loaded") };
    world.protocols.push(ScriptProtocol {
        name: leak(&name.to_ascii_uppercase()),
        filter,
        description,
        this: Box::leak(Box::new(Field::protocol(filter, filter, description))),
        fields,
        dissector: None,
        init: None,
        prefs_changed: None,
        preferences: Vec::new(),
        experts: Vec::new(),
    });
    Ok(Proto(world.protocols.len() - 1))
}
