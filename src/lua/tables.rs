//! `DissectorTable`: ports, which the engine looks up, and tables that scripts look up themselves.

use super::args::{Args, integer};
use super::dissector::{Dissector, of_argument};
use super::errors::no_member;
use super::preference::ranges;
use super::proto::Proto;
use super::world::{Entry, World};
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};

/// Maximum number of tables, and of entries of one.
const MOST: usize = 4096;
const ENTRIES: usize = 65_536;

/// Tables of Wireshark that take entries of scripts, but have no layer here that calls them yet.
const SILENT: [&str; 40] = [
    "ethertype",
    "ip.proto",
    "tls.port",
    "dtls.port",
    "ssl.port",
    "usb.bulk",
    "usb.interrupt",
    "usb.control",
    "usb.product",
    "usb.device",
    "usb.protocol",
    "wtap_encap",
    "media_type",
    "http.upgrade",
    "http.port",
    "ws.port",
    "ws.protocol",
    "sctp.port",
    "sctp.ppi",
    "btatt.handle",
    "btatt.service",
    "btatt.uuid16",
    "btatt.uuid128",
    "btcommon.eir_ad.manufacturer_company_id",
    "btcommon.eir_ad.uuid",
    "btl2cap.cid",
    "btl2cap.psm",
    "bthci_cmd.vendor",
    "hci_h4.type",
    "ppp.protocol",
    "wlan.tag.number",
    "tls.alpn",
    "dccp.port",
    "bluetooth.uuid",
    "bluetooth.vendor",
    "zbee.profile",
    "grpc_message_type",
    "llc.dsap",
    "rtp.pt",
    "rtp_dyn_payload_type",
];

/// A table of dissectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DissectorTable {
    Tcp,
    Udp,
    /// One of Wireshark without a layer here, or one of a script, by its number.
    Own(usize),
}

/// A table that only scripts look up.
#[derive(Debug)]
pub(super) struct OwnTable {
    name: &'static str,
    is_of_wireshark: bool,
    is_text: bool,
    entries: Vec<(Pattern, Dissector)>,
}

/// What an entry stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Numbers(i64, i64),
    Text(String),
}

impl Pattern {
    fn is(&self, wanted: &Pattern) -> bool {
        match (self, wanted) {
            (Pattern::Numbers(first, last), Pattern::Numbers(wanted, _)) => (first..=last).contains(&wanted),
            (own, wanted) => own == wanted,
        }
    }
}

/// Ports of a number or of a list of ranges.
fn ports(args: &Args<'_>, function: &str, most: i64) -> Result<Vec<(i64, i64)>> {
    let text = match args.get(1) {
        Value::Integer(port) => port.to_string(),
        Value::Number(port) => super::args::cut(port).to_string(),
        Value::String(text) => text.to_string_lossy(),
        _ => return args.wrong(1, &format!("DissectorTable_{function}: invalid integer or range")),
    };
    ranges(&text, most).map_or_else(|| args.wrong(1, &format!("DissectorTable_{function}: invalid integer or range")), Ok)
}

impl DissectorTable {
    fn name(self, lua: &Lua) -> &'static str {
        match self {
            DissectorTable::Tcp => "tcp.port",
            DissectorTable::Udp => "udp.port",
            DissectorTable::Own(number) => {
                lua.app_data_ref::<World>().and_then(|world| Some(world.tables.get(number)?.name)).unwrap_or_default()
            }
        }
    }

    /// Changes entries of a protocol.
    fn change(self, args: &Args<'_>, function: &str, is_added: bool) -> Result<()> {
        let dissector = of_argument(args, 2, function)?;
        if let DissectorTable::Own(number) = self {
            return change_own(args, number, function, dissector);
        }
        // Built-in dissectors are found on their ports, and with -d.
        let Dissector::Script(proto) = dissector else { return Ok(()) };
        let ports = ports(args, function, 65_535)?;
        let Some(mut world) = args.lua.app_data_mut::<World>() else { return Ok(()) };
        let is_tcp = self == DissectorTable::Tcp;
        if function == "set" {
            world.entries.retain(|entry| entry.is_tcp != is_tcp || entry.protocol != proto.0);
        }
        for (first, last) in ports {
            let narrow = |port: i64| u16::try_from(port).unwrap_or_default();
            let entry = Entry { is_tcp, first: narrow(first), last: narrow(last), protocol: proto.0 };
            if is_added && world.entries.last() != Some(&entry) && world.entries.len() < ENTRIES {
                world.entries.push(entry);
            } else if !is_added {
                world.remove(entry);
            }
        }
        Ok(())
    }

    /// The dissector of a pattern.
    fn find(self, args: &Args<'_>) -> Result<Option<Dissector>> {
        let key = args.get(1);
        let Some(world) = args.lua.app_data_ref::<World>() else { return Ok(None) };
        let DissectorTable::Own(number) = self else {
            let Some(port) = integer(&key).and_then(|port| u16::try_from(port).ok()) else { return Ok(None) };
            let is_tcp = self == DissectorTable::Tcp;
            let here = |entry: &&Entry| entry.is_tcp == is_tcp && (entry.first..=entry.last).contains(&port);
            let own = world.entries.iter().rev().find(here).map(|entry| Dissector::Script(Proto(entry.protocol)));
            return Ok(own.or_else(|| (world.surroundings.on_port)(is_tcp, port).map(Dissector::BuiltIn)));
        };
        let Some(table) = world.tables.get(number) else { return Ok(None) };
        let wanted = match (table.is_text, integer(&key)) {
            (false, Some(number)) => Pattern::Numbers(number, number),
            _ => Pattern::Text(super::args::text(&key).unwrap_or_default()),
        };
        Ok(table.entries.iter().rev().find(|(pattern, _)| pattern.is(&wanted)).map(|(_, dissector)| *dissector))
    }
}

/// The protocol that was added last under one of these numbers.
pub(super) fn protocol(world: &World, table: &str, numbers: &[i64]) -> Option<usize> {
    let table = world.tables.iter().find(|known| known.name == table)?;
    let is_meant = |pattern: &Pattern| numbers.iter().any(|number| pattern.is(&Pattern::Numbers(*number, *number)));
    table.entries.iter().rev().find_map(|(pattern, dissector)| match dissector {
        Dissector::Script(proto) if is_meant(pattern) => Some(proto.0),
        _ => None,
    })
}

/// Changes entries of a table that only scripts look up.
fn change_own(args: &Args<'_>, number: usize, function: &str, dissector: Dissector) -> Result<()> {
    let is_text =
        args.lua.app_data_ref::<World>().is_some_and(|world| world.tables.get(number).is_some_and(|table| table.is_text));
    let is_number = |value: &Value| matches!(value, Value::Integer(_) | Value::Number(_));
    let patterns: Vec<Pattern> = if is_text && !is_number(&args.get(1)) {
        vec![Pattern::Text(args.text(1)?)]
    } else {
        let listed = ports(args, function, i64::from(u32::MAX))?;
        listed.into_iter().map(|(first, last)| Pattern::Numbers(first, last)).collect()
    };
    super::budget::spend(args.lua, patterns.len())?;
    let remark = args.lua.app_data_mut::<World>().and_then(|mut world| {
        let table = world.tables.get_mut(number)?;
        if function == "set" {
            table.entries.retain(|(_, known)| *known != dissector);
        }
        for pattern in patterns {
            let entry = (pattern, dissector);
            table.entries.retain(|known| *known != entry);
            if function != "remove" && table.entries.len() < ENTRIES {
                table.entries.push(entry);
            }
        }
        let is_called = matches!(table.name, "usb.bulk" | "usb.interrupt" | "usb.control");
        (table.is_of_wireshark && !is_called).then(|| format!("{}: entries of this table are not called yet", table.name))
    });
    if let Some(remark) = remark {
        super::world::remark(args.lua, remark);
    }
    Ok(())
}

impl UserData for DissectorTable {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        for (name, is_added) in [("add", true), ("set", true), ("remove", false)] {
            methods.add_method(name, move |lua, this, values| this.change(&Args::new(lua, name, values), name, is_added));
        }
        methods.add_method("remove_all", |lua, this, values: MultiValue| {
            let mut all = values;
            all.push_front(Value::Nil);
            let dissector = of_argument(&Args::new(lua, "remove_all", all), 2, "remove_all")?;
            let Some(mut world) = lua.app_data_mut::<World>() else { return Ok(()) };
            match (this, dissector) {
                (DissectorTable::Own(number), dissector) => {
                    if let Some(table) = world.tables.get_mut(*number) {
                        table.entries.retain(|(_, known)| *known != dissector);
                    }
                }
                (_, Dissector::Script(proto)) => {
                    let is_tcp = *this == DissectorTable::Tcp;
                    world.entries.retain(|entry| entry.is_tcp != is_tcp || entry.protocol != proto.0);
                }
                _ => {}
            }
            Ok(())
        });
        // Any protocol may be chosen with -d.
        methods.add_method("add_for_decode_as", |_, _, _: MultiValue| Ok(()));
        methods.add_method("get_dissector", |lua, this, values| this.find(&Args::new(lua, "get_dissector", values)));
        methods.add_method("try", |lua, this, mut values: MultiValue| {
            let found = this.find(&Args::new(lua, "try", values.clone()))?;
            values.pop_front();
            found.unwrap_or(Dissector::Data).call(lua, values)
        });
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            let name = this.name(lua);
            let is_text = |number: &usize| {
                lua.app_data_ref::<World>().is_some_and(|world| world.tables.get(*number).is_some_and(|table| table.is_text))
            };
            let kind = match this {
                DissectorTable::Own(number) if is_text(number) => "String",
                _ => "Integer(1)",
            };
            Ok(format!("DissectorTable {name} {kind}:\n"))
        });
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "DissectorTable"));
    }
}

/// The table of this name, made if there is none.
fn made(lua: &Lua, name: &str, is_of_wireshark: bool, is_text: bool) -> Result<Option<DissectorTable>> {
    let Some(mut world) = lua.app_data_mut::<World>() else { return Ok(None) };
    if let Some(known) = world.tables.iter().position(|table| table.name == name) {
        return Ok(Some(DissectorTable::Own(known)));
    }
    if world.tables.len() >= MOST {
        drop(world);
        return super::errors::fail(lua, format_args!("more than {MOST} tables"));
    }
    let name = super::field::leak(name);
    world.tables.push(OwnTable { name, is_of_wireshark, is_text, entries: Vec::new() });
    Ok(Some(DissectorTable::Own(world.tables.len() - 1)))
}

/// `DissectorTable.new(name, [ui_name], [type], [base], [proto])`.
fn new(lua: &Lua, values: MultiValue) -> Result<Option<DissectorTable>> {
    const TYPES: [i64; 7] = [0, 4, 5, 6, 7, 26, 36];
    const TEXT: i64 = 26;
    let args = Args::new(lua, "new", values);
    let (name, of) = (args.text(1)?, args.int_or(3, 7)?);
    if !TYPES.contains(&of) {
        return args.wrong(3, "DissectorTable_new: must be ftypes.UINT{8,16,24,32} or ftypes.STRING");
    }
    made(lua, &name, false, of == TEXT)
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    /// Tables whose patterns are texts.
    const TEXTS: [&str; 9] = [
        "media_type",
        "http.upgrade",
        "ws.protocol",
        "tls.alpn",
        "bluetooth.uuid",
        "grpc_message_type",
        "rtp_dyn_payload_type",
        "btatt.uuid128",
        "btcommon.eir_ad.uuid",
    ];
    let tables = lua.create_table()?;
    let get = |lua: &Lua, values: MultiValue| {
        let name = Args::new(lua, "get", values).text(1)?;
        let known = |world: &World| world.tables.iter().position(|table| table.name == name).map(DissectorTable::Own);
        match name.as_str() {
            "tcp.port" => Ok(Some(DissectorTable::Tcp)),
            "udp.port" => Ok(Some(DissectorTable::Udp)),
            name if SILENT.contains(&name) => made(lua, name, true, TEXTS.contains(&name)),
            _ => Ok(lua.app_data_ref::<World>().and_then(|world| known(&world))),
        }
    };
    tables.set("get", lua.create_function(get)?)?;
    tables.set("new", lua.create_function(new)?)?;
    tables.set("heuristic_new", lua.create_function(|_, _: MultiValue| Ok(()))?)?;
    let list = |lua: &Lua, _: MultiValue| {
        let own = lua.app_data_ref::<World>().map(|world| world.tables.iter().map(|table| table.name).collect::<Vec<_>>());
        Ok([own.unwrap_or_default(), vec!["tcp.port", "udp.port"]].concat())
    };
    tables.set("list", lua.create_function(list)?)?;
    tables.set("heuristic_list", lua.create_function(|_, _: MultiValue| Ok(super::heuristic::LISTS.to_vec()))?)?;
    super::sandbox::guard_class(lua, &tables, "DissectorTable")?;
    globals.set("DissectorTable", tables)
}
