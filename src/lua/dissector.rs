//! `Dissector`.

use super::args::Args;
use super::buffer::Tvb;
use super::call;
use super::errors::{fail, no_member};
use super::handle::Object;
use super::proto::Proto;
use super::run;
use super::world::World;
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};

/// A dissector as an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dissector {
    /// Of a script.
    Script(Proto),
    /// Shows bytes as data.
    Data,
    /// Of this program, by its filter name.
    BuiltIn(&'static str),
}

impl Dissector {
    /// Calls it from a script.
    pub(super) fn call(self, lua: &Lua, values: MultiValue) -> Result<i64> {
        let args = Args::new(lua, "call", values);
        let tvb = args.get(1);
        let Some(tvb) = Tvb::of(&tvb) else {
            return super::errors::expected(lua, 1, "call", "Tvb", &tvb);
        };
        if !call::with(|call| call.is(tvb.call)) {
            return fail(lua, "expired tvb");
        }
        match self {
            Dissector::Script(proto) => run::inner(lua, proto, tvb, args.get(2), args.get(3)),
            Dissector::Data => super::data::add(lua, tvb, &args.get(3)),
            Dissector::BuiltIn(name) => super::data::embed(lua, name, tvb, &args.get(3)),
        }
    }
}

impl UserData for Dissector {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("call", |lua, this, values| this.call(lua, values));
        methods.add_meta_method(MetaMethod::Call, |lua, this, values| this.call(lua, values));
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| match this {
            Dissector::Script(proto) => proto.with(lua, |protocol| protocol.name.to_owned()),
            Dissector::Data => Ok("Data".to_owned()),
            Dissector::BuiltIn(name) => Ok(name.to_ascii_uppercase()),
        });
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "Dissector"));
    }
}

/// The dissector of an argument: a protocol or a dissector.
pub(super) fn of_argument(args: &Args<'_>, number: usize, function: &str) -> Result<Dissector> {
    let value = args.get(number);
    let found = value.as_userdata().and_then(|data| {
        let own = data.borrow::<Proto>().ok().map(|proto| Dissector::Script(*proto));
        own.or_else(|| data.borrow::<Dissector>().ok().map(|dissector| *dissector))
    });
    let Some(found) = found else {
        return args.wrong(number, &format!("DissectorTable_{function}: must be either Proto or Dissector"));
    };
    if let Dissector::Script(proto) = found
        && proto.with(args.lua, |protocol| protocol.dissector.is_none())?
    {
        let text = "a Protocol that does not have a dissector cannot be added to a table";
        return args.wrong(number, &format!("DissectorTable_{function}: {text}"));
    }
    Ok(found)
}

/// The protocol to which a conversation is bound.
pub(super) fn bound(lua: &Lua, value: &Value) -> Result<usize> {
    let given = value.as_userdata().and_then(|data| {
        let own = data.borrow::<Proto>().ok().map(|proto| *proto);
        own.or_else(|| match *data.borrow::<Dissector>().ok()? {
            Dissector::Script(proto) => Some(proto),
            Dissector::Data | Dissector::BuiltIn(_) => None,
        })
    });
    let Some(proto) = given else { return super::errors::expected(lua, 2, "__newindex", "Proto", value) };
    let (name, can_dissect) = proto.with(lua, |protocol| (protocol.name, protocol.dissector.is_some()))?;
    if can_dissect { Ok(proto.0) } else { fail(lua, format_args!("Proto {name} has no registered dissector")) }
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let dissectors = lua.create_table()?;
    let get = |lua: &Lua, values: MultiValue| {
        let name = Args::new(lua, "get", values).text(1)?;
        if name == "data" {
            return Ok(Some(Dissector::Data));
        }
        let Some(world) = lua.app_data_ref::<World>() else { return Ok(None) };
        let own = world.named(&name.to_ascii_lowercase()).map(|place| Dissector::Script(Proto(place)));
        let built_in = || (world.surroundings.protocol)(&name).map(Dissector::BuiltIn);
        Ok(own.or_else(built_in))
    };
    dissectors.set("get", lua.create_function(get)?)?;
    let list = |lua: &Lua, _: MultiValue| {
        let own = lua.app_data_ref::<World>().map(|world| world.protocols.iter().map(|known| known.filter).collect::<Vec<_>>());
        Ok([own.unwrap_or_default(), vec!["data"]].concat())
    };
    dissectors.set("list", lua.create_function(list)?)?;
    super::sandbox::guard_class(lua, &dissectors, "Dissector")?;
    globals.set("Dissector", dissectors)
}
