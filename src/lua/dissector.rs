//! `Dissector` and `DissectorTable`.

use super::args::Args;
use super::buffer::Tvb;
use super::call;
use super::errors::{fail, no_member};
use super::preference::ranges;
use super::proto::Proto;
use super::run;
use super::world::{Entry, World};
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
    fn call(self, lua: &Lua, values: MultiValue) -> Result<i64> {
        let args = Args::new(lua, "call", values);
        let tvb = args.get(1);
        let Some(tvb) = tvb.as_userdata().and_then(|data| data.borrow::<Tvb>().ok().map(|tvb| *tvb)) else {
            return super::errors::expected(lua, 1, "call", "Tvb", &tvb);
        };
        if !call::with(|call| call.is(tvb.call)) {
            return fail(lua, "expired tvb");
        }
        match self {
            Dissector::Script(proto) => run::inner(lua, proto, tvb, args.get(2), args.get(3)),
            Dissector::Data => super::data::add(lua, tvb, &args.get(3)),
            Dissector::BuiltIn(name) => fail(lua, format_args!("calling the built-in dissector {name} is not supported")),
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
fn of_argument(args: &Args<'_>, number: usize, function: &str) -> Result<Proto> {
    let value = args.get(number);
    let proto = value.as_userdata().and_then(|data| {
        let own = data.borrow::<Proto>().ok().map(|proto| *proto);
        own.or_else(|| match *data.borrow::<Dissector>().ok()? {
            Dissector::Script(proto) => Some(proto),
            Dissector::Data | Dissector::BuiltIn(_) => None,
        })
    });
    let Some(proto) = proto else {
        return args.wrong(number, &format!("DissectorTable_{function}: must be either Proto or Dissector"));
    };
    if proto.with(args.lua, |protocol| protocol.dissector.is_none())? {
        let text = "a Protocol that does not have a dissector cannot be added to a table";
        return args.wrong(number, &format!("DissectorTable_{function}: {text}"));
    }
    Ok(proto)
}

/// Tables of Wireshark that take entries of scripts, but have no layer here that calls them yet.
const SILENT: [&str; 24] = [
    "ethertype",
    "ip.proto",
    "tls.port",
    "dtls.port",
    "usb.bulk",
    "usb.interrupt",
    "usb.control",
    "usb.product",
    "usb.device",
    "wtap_encap",
    "media_type",
    "http.upgrade",
    "ws.port",
    "sctp.port",
    "sctp.ppi",
    "btatt.handle",
    "btcommon.eir_ad.manufacturer_company_id",
    "ppp.protocol",
    "wlan.tag.number",
    "tls.alpn",
    "dccp.port",
    "bluetooth.uuid",
    "zbee.profile",
    "grpc_message_type",
];

/// A table of dissectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortTable {
    Tcp,
    Udp,
    Silent(&'static str),
}

impl PortTable {
    fn name(self) -> &'static str {
        match self {
            PortTable::Tcp => "tcp.port",
            PortTable::Udp => "udp.port",
            PortTable::Silent(name) => name,
        }
    }

    /// Changes entries of a protocol.
    fn change(self, args: &Args<'_>, function: &str, is_added: bool) -> Result<()> {
        let proto = of_argument(args, 2, function)?;
        if let PortTable::Silent(name) = self {
            super::world::remark(args.lua, format!("{name}: entries of this table are not called yet"));
            return Ok(());
        }
        let ports = ports(args, function)?;
        let Some(mut world) = args.lua.app_data_mut::<World>() else { return Ok(()) };
        if !world.is_loading {
            let text = format!("DissectorTable:{function} is supported only while scripts are loaded");
            drop(world);
            return fail(args.lua, text);
        }
        let is_tcp = self == PortTable::Tcp;
        if function == "set" {
            world.entries.retain(|entry| entry.is_tcp != is_tcp || entry.protocol != proto.0);
        }
        for (first, last) in ports {
            let entry = Entry { is_tcp, first, last, protocol: proto.0 };
            if is_added { world.entries.push(entry) } else { world.remove(entry) }
        }
        Ok(())
    }
}

/// Ports of a number or of a list of ranges.
fn ports(args: &Args<'_>, function: &str) -> Result<Vec<(u16, u16)>> {
    let text = match args.get(1) {
        Value::Integer(port) => port.to_string(),
        Value::Number(port) => super::args::cut(port).to_string(),
        Value::String(text) => text.to_string_lossy(),
        _ => return args.wrong(1, &format!("DissectorTable_{function}: invalid integer or range")),
    };
    let narrow = |(first, last): (i64, i64)| Some((u16::try_from(first).ok()?, u16::try_from(last).ok()?));
    let found = ranges(&text, 65_535).and_then(|ranges| ranges.into_iter().map(narrow).collect::<Option<Vec<_>>>());
    found.map_or_else(|| args.wrong(1, &format!("DissectorTable_{function}: invalid integer or range")), Ok)
}

impl UserData for PortTable {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        for (name, is_added) in [("add", true), ("set", true), ("remove", false)] {
            methods.add_method(name, move |lua, this, values| this.change(&Args::new(lua, name, values), name, is_added));
        }
        methods.add_method("remove_all", |lua, this, values: MultiValue| {
            let mut all = values;
            all.push_front(Value::Nil);
            let proto = of_argument(&Args::new(lua, "remove_all", all), 2, "remove_all")?;
            if let Some(mut world) = lua.app_data_mut::<World>() {
                let is_tcp = *this == PortTable::Tcp;
                world.entries.retain(|entry| entry.is_tcp != is_tcp || entry.protocol != proto.0);
            }
            Ok(())
        });
        // Any protocol may be chosen with -d.
        methods.add_method("add_for_decode_as", |_, _, _: MultiValue| Ok(()));
        methods.add_method("get_dissector", |lua, this, values: MultiValue| {
            let port = Args::new(lua, "get_dissector", values).int(1)?;
            let Some(world) = lua.app_data_ref::<World>() else { return Ok(None) };
            let is_tcp = *this == PortTable::Tcp;
            let here = |entry: &&Entry| (i64::from(entry.first)..=i64::from(entry.last)).contains(&port);
            let own = world.entries.iter().rev().filter(|entry| entry.is_tcp == is_tcp).find(here);
            Ok(own.map(|entry| Dissector::Script(Proto(entry.protocol))))
        });
        methods.add_method("try", |lua, _, _: MultiValue| fail::<()>(lua, "DissectorTable:try is not supported"));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(format!("DissectorTable {} Integer(1):\n", this.name())));
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "DissectorTable"));
    }
}

/// Adds both classes.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let tables = lua.create_table()?;
    let get = |lua: &Lua, values: MultiValue| {
        let name = Args::new(lua, "get", values).text(1)?;
        let silent = || SILENT.iter().find(|known| **known == name).map(|name| PortTable::Silent(name));
        Ok(match name.as_str() {
            "tcp.port" => Some(PortTable::Tcp),
            "udp.port" => Some(PortTable::Udp),
            _ => silent(),
        })
    };
    tables.set("get", lua.create_function(get)?)?;
    super::sandbox::guard_class(lua, &tables, "DissectorTable")?;
    globals.set("DissectorTable", tables)?;
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
    super::sandbox::guard_class(lua, &dissectors, "Dissector")?;
    globals.set("Dissector", dissectors)
}
