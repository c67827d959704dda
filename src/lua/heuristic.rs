//! `register_heuristic` and `register_postdissector`: dissectors that look at content, or at whole frames.

use super::args::Args;
use super::dissector::Dissector;
use super::errors::{bad_argument, fail};
use super::proto::Proto;
use super::world::World;
use mlua::{Function, Lua, MultiValue, Result, Table, UserDataRef, Value};

/// Lists of Wireshark's heuristics. Those of TCP and UDP are asked.
pub(super) const LISTS: [&str; 20] = [
    "tcp",
    "udp",
    "sctp",
    "dccp",
    "rtp",
    "rtcp",
    "http",
    "tls",
    "quic",
    "usb.bulk",
    "usb.interrupt",
    "usb.control",
    "eth",
    "eth.trailer",
    "ip",
    "ipv6",
    "btl2cap.cid",
    "stun",
    "wtap_file",
    "ppp",
];

/// A registered heuristic.
#[derive(Clone)]
pub(super) struct Heuristic {
    pub(super) list: &'static str,
    pub(super) protocol: usize,
    /// Its function; `None` for the dissector of the protocol.
    pub(super) function: Option<Function>,
}

/// Registers a heuristic of a protocol.
pub(super) fn register(lua: &Lua, proto: Proto, values: MultiValue) -> Result<()> {
    let args = Args::new(lua, "register_heuristic", values);
    let list = args.text(1)?;
    let Some(list) = LISTS.iter().copied().find(|known| *known == list) else {
        return fail(lua, format_args!("there is no heuristic list for '{list}'"));
    };
    let name = proto.with(lua, |protocol| protocol.filter)?;
    let is_known = |world: &World| world.heuristics.iter().any(|known| known.list == list && known.protocol == proto.0);
    if lua.app_data_ref::<World>().is_some_and(|world| is_known(&world)) {
        return fail(lua, format_args!("'{name}' is already registered as heuristic"));
    }
    let given = args.get(2);
    let is_dissector = |data: &mlua::AnyUserData| data.borrow::<Dissector>().is_ok_and(|own| *own == Dissector::Script(proto));
    let function = match &given {
        Value::Function(function) => Some(function.clone()),
        Value::UserData(data) if is_dissector(data) => None,
        Value::UserData(data) if data.is::<Dissector>() => {
            return fail(lua, "register_heuristic with the dissector of another protocol is not supported");
        }
        _ => return args.wrong(2, "The heuristic dissector must be a function"),
    };
    if !matches!(list, "tcp" | "udp") {
        super::world::remark(lua, format!("{name}: its heuristic for {list} is not asked yet"));
    }
    if let Some(mut world) = lua.app_data_mut::<World>() {
        world.heuristics.push(Heuristic { list, protocol: proto.0, function });
    }
    Ok(())
}

/// Adds `register_postdissector`.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let register = |lua: &Lua, (proto, _): (UserDataRef<Proto>, MultiValue)| {
        let is_known = lua.app_data_ref::<World>().is_some_and(|world| world.postdissectors.contains(&proto.0));
        if is_known {
            return bad_argument(lua, 1, "register_postdissector", "this protocol is already registered as postdissector");
        }
        if let Some(mut world) = lua.app_data_mut::<World>() {
            world.postdissectors.push(proto.0);
        }
        Ok(())
    };
    globals.set("register_postdissector", lua.create_function(register)?)
}
