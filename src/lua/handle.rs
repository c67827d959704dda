//! Objects that live as long as a call, and fields: numbers in Lua, which take no memory and are never collected.

use super::buffer::{self, Bytes};
use super::errors::{fail, no_member, type_of};
use super::field::ProtoField;
use super::item::{self, TreeItem};
use super::pinfo::{self, Column, Columns, Pinfo};
use super::sandbox::as_text;
use mlua::{FromLuaMulti, Function, IntoLua, IntoLuaMulti, LightUserData, Lua, MultiValue, Result, Table, Value};
use std::ptr;

#[cfg(not(target_pointer_width = "64"))]
compile_error!("the feature lua packs objects of scripts into 64 bits; use --no-default-features on this target");

/// Bits of a handle: its class, its call and an index.
const CLASS_BITS: u32 = 3;
const INDEX_BITS: u32 = 28;
const CALL_BITS: u32 = 64 - CLASS_BITS - INDEX_BITS;
/// Maximum number of objects of a class in a call.
pub(super) const MOST: usize = 1 << INDEX_BITS;

/// The class of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    TreeItem = 1,
    Pinfo = 2,
    Columns = 3,
    Column = 4,
    Tvb = 5,
    TvbRange = 6,
    ProtoField = 7,
}

impl Class {
    const ALL: [Class; 7] =
        [Class::TreeItem, Class::Pinfo, Class::Columns, Class::Column, Class::Tvb, Class::TvbRange, Class::ProtoField];

    /// Wireshark's name of the class.
    fn name(self) -> &'static str {
        match self {
            Class::TreeItem => "TreeItem",
            Class::Pinfo => "Pinfo",
            Class::Columns => "Columns",
            Class::Column => "Column",
            Class::Tvb => "Tvb",
            Class::TvbRange => "TvbRange",
            Class::ProtoField => "ProtoField",
        }
    }
}

/// An object of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) class: Class,
    pub(super) call: u64,
    pub(super) index: u32,
}

/// A number of a call as handles keep it.
pub(super) const fn short(call: u64) -> u64 {
    call & ((1 << CALL_BITS) - 1)
}

impl Handle {
    fn packed(self) -> LightUserData {
        let index = u64::from(self.index) & (MOST as u64 - 1);
        let bits = (self.class as u64) << (CALL_BITS + INDEX_BITS) | short(self.call) << INDEX_BITS | index;
        LightUserData(ptr::without_provenance_mut(usize::try_from(bits).unwrap_or_default()))
    }

    /// The object of a value, if it is one.
    pub(super) fn of(value: &Value) -> Option<Handle> {
        match value {
            Value::LightUserData(pointer) => Handle::unpacked(*pointer),
            _ => None,
        }
    }

    fn unpacked(pointer: LightUserData) -> Option<Handle> {
        let bits = u64::try_from(pointer.0.addr()).ok()?;
        let class = bits >> (CALL_BITS + INDEX_BITS);
        let class = Class::ALL.into_iter().find(|known| *known as u64 == class)?;
        let index = u32::try_from(bits & (MOST as u64 - 1)).ok()?;
        Some(Handle { class, call: short(bits >> INDEX_BITS), index })
    }
}

impl IntoLua for Handle {
    fn into_lua(self, _: &Lua) -> Result<Value> {
        Ok(Value::LightUserData(self.packed()))
    }
}

/// The name of the class of a value.
pub(super) fn class_name(value: &Value) -> &'static str {
    Handle::of(value).map_or("userdata", |handle| handle.class.name())
}

/// What a handle refers to.
pub(super) trait Object: Sized {
    /// The class in errors.
    const NAME: &'static str;

    /// The object of a value, if it is one of this class.
    fn of(value: &Value) -> Option<Self>;

    /// Fails if the call of the object is over.
    fn check(&self, _: &Lua) -> Result<()> {
        Ok(())
    }
}

/// Methods of all classes. Lua cannot see the class of a handle, so each method does.
pub(super) struct Methods<'l> {
    pub(super) lua: &'l Lua,
    /// Methods that are looked up in Lua.
    pub(super) shared: Table,
    /// Methods whose names are attributes of other classes.
    apart: Table,
}

impl Methods<'_> {
    /// Adds a method.
    pub(super) fn add<T, A, R>(
        &self,
        name: &'static str,
        work: impl Fn(&Lua, T, A) -> Result<R> + mlua::MaybeSend + 'static,
    ) -> Result<()>
    where
        T: Object,
        A: FromLuaMulti,
        R: IntoLuaMulti,
    {
        self.shared.raw_set(name, self.method(name, work)?)
    }

    /// Adds a method whose name is an attribute of another class.
    pub(super) fn apart<T: Object, A: FromLuaMulti, R: IntoLuaMulti>(
        &self,
        name: &'static str,
        work: impl Fn(&Lua, T, A) -> Result<R> + mlua::MaybeSend + 'static,
    ) -> Result<()> {
        self.apart.raw_set(name, self.method(name, work)?)
    }

    fn method<T: Object, A: FromLuaMulti, R: IntoLuaMulti>(
        &self,
        name: &'static str,
        work: impl Fn(&Lua, T, A) -> Result<R> + mlua::MaybeSend + 'static,
    ) -> Result<Function> {
        self.lua.create_function(move |lua, (this, values): (Value, A)| match T::of(&this) {
            Some(object) => object.check(lua).and_then(|()| work(lua, object, values)),
            None => wrong_object(lua, name, T::NAME, &this),
        })
    }
}

/// The error of a method that is called on something else.
fn wrong_object<T>(lua: &Lua, name: &str, class: &str, value: &Value) -> Result<T> {
    match Handle::of(value) {
        Some(handle) => {
            let class = handle.class.name();
            fail(lua, format_args!("No such '{name}' method/field for object type '{class}'"))
        }
        None => fail(lua, format_args!("calling '{name}' on bad self ({class} expected, got {})", type_of(value))),
    }
}

/// Methods are looked up in Lua: a callback would take as long as adding an item.
const INDEX: &str = "local methods, attribute = ...
return function(self, name)
  local method = methods[name]
  if method then return method end
  return attribute(self, name)
end";

/// Adds the metatable of all handles.
pub(super) fn add(lua: &Lua, own: &Table) -> Result<()> {
    let meta = lua.create_table()?;
    let columns = pinfo::column_methods(lua)?;
    let methods = Methods { lua, shared: lua.create_table()?, apart: lua.create_table()? };
    item::add(&methods)?;
    buffer::add(&methods)?;
    let Methods { shared, apart, .. } = methods;
    let attribute = lua.create_function(move |lua, (this, name): (Value, Value)| match Handle::of(&this) {
        Some(handle) => attribute(lua, handle, &name, &columns, &apart),
        None => no_member(lua, &name, "userdata"),
    })?;
    let index = lua.load(INDEX).set_name("=[C]").call::<Value>((shared, attribute))?;
    meta.set("__index", index)?;
    let change = |lua: &Lua, (this, name, value): (Value, Value, Value)| match Handle::of(&this) {
        Some(handle) => change(lua, handle, &name, value),
        None => no_member(lua, &name, "userdata"),
    };
    meta.set("__newindex", lua.create_function(change)?)?;
    meta.set("__tostring", lua.create_function(|lua, (this, _): (Value, MultiValue)| text(lua, &this))?)?;
    let call = |lua: &Lua, (this, offset, len): (Value, Value, Value)| match Bytes::of(&this) {
        Some(bytes) => bytes.range(lua, (offset, len)),
        None => fail(lua, format_args!("attempt to call a {} value", class_name(&this))),
    };
    meta.set("__call", lua.create_function(call)?)?;
    meta.set("__concat", lua.create_function(|lua, (one, other): (Value, Value)| joined(lua, [&one, &other]))?)?;
    meta.set("__name", "userdata")?;
    meta.set("__metatable", false)?;
    lua.set_type_metatable::<LightUserData>(Some(meta));
    super::equal::add(lua, own)?;
    own.set("same", lua.create_function(|lua, (one, other): (Value, Value)| buffer::are_equal(lua, &one, &other))?)
}

/// The concatenation of ranges and texts.
fn joined(lua: &Lua, values: [&Value; 2]) -> Result<mlua::LuaString> {
    let is_other = |value: &&&Value| Handle::of(value).is_some_and(|handle| handle.class != Class::TvbRange);
    if let Some(other) = values.iter().find(is_other) {
        return fail(lua, format_args!("attempt to concatenate a {} value", class_name(other)));
    }
    let [one, other] = values.map(|value| as_text(lua, value));
    lua.create_string([one?, other?].concat())
}

fn attribute(lua: &Lua, handle: Handle, name: &Value, columns: &Table, apart: &Table) -> Result<Value> {
    match handle.class {
        Class::TreeItem => item::attribute(lua, TreeItem { call: handle.call, item: handle.index }, name),
        Class::Pinfo => Pinfo(handle.call).get(lua, name),
        Class::Columns => Columns(handle.call).get(lua, name),
        Class::Column => member(lua, handle, name, columns),
        Class::Tvb | Class::TvbRange => member(lua, handle, name, apart),
        Class::ProtoField => match ProtoField::at(handle.index) {
            Some(field) => field.get(lua, name),
            None => no_member(lua, name, "ProtoField"),
        },
    }
}

/// A method of these.
fn member(lua: &Lua, handle: Handle, name: &Value, methods: &Table) -> Result<Value> {
    match methods.raw_get(name)? {
        Value::Nil => match name.as_string().map(|name| name.to_string_lossy()) {
            Some(name) if super::check::METHODS.contains(&name.as_str()) => {
                fail(lua, format_args!("{}:{name} is not supported", handle.class.name()))
            }
            _ => no_member(lua, name, handle.class.name()),
        },
        method => Ok(method),
    }
}

fn change(lua: &Lua, handle: Handle, name: &Value, value: Value) -> Result<()> {
    match handle.class {
        Class::TreeItem => item::change(lua, TreeItem { call: handle.call, item: handle.index }, name, value),
        Class::Pinfo => Pinfo(handle.call).set(lua, name, &value),
        Class::Columns => Columns(handle.call).set(lua, name, &value),
        class => no_member(lua, name, class.name()),
    }
}

fn text(lua: &Lua, value: &Value) -> Result<String> {
    let Some(handle) = Handle::of(value) else { return fail(lua, "not an object of a call") };
    match handle.class {
        Class::TreeItem => Ok(TreeItem { call: handle.call, item: handle.index }.shown()),
        Class::Pinfo => Ok("a Pinfo".to_owned()),
        Class::Columns => Ok("Columns".to_owned()),
        Class::Column => Column::of(handle).shown(lua),
        Class::Tvb | Class::TvbRange => Bytes::of(value).map_or_else(|| Ok(String::new()), |bytes| bytes.text(lua)),
        Class::ProtoField => Ok(ProtoField::at(handle.index).map_or_else(String::new, ProtoField::shown)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_packed_and_unpacked() {
        for class in Class::ALL {
            for (call, index) in [(0, 0), (1, 7), ((1 << CALL_BITS) - 1, (1 << INDEX_BITS) - 1)] {
                let handle = Handle { class, call, index };
                assert_eq!(Handle::unpacked(handle.packed()), Some(handle));
            }
        }
        assert_eq!(Handle::unpacked(LightUserData(ptr::null_mut())), None);
    }

    #[test]
    fn a_handle_of_another_call_differs() {
        let [one, other] = [5, 6].map(|call| Handle { class: Class::TreeItem, call, index: 3 }.packed().0);
        assert_ne!(one, other);
    }
}
