//! `Conversation`: values that scripts keep for the two ends of a conversation.

use super::address::Address;
use super::args::Args;
use super::call::{self, Packet};
use super::dissector;
use super::errors::{fail, no_member, type_of};
use super::handle::Object;
use super::pinfo::Pinfo;
use super::proto::Proto;
use super::{budget, sandbox};
use crate::tree::{Address as TreeAddress, StreamId};
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, UserDataRef, Value};
use std::collections::HashMap;

/// Maximum number of conversations. At the limit, all are forgotten.
const MOST: usize = 65_536;

/// Wireshark's kinds of conversations.
const KINDS: [(&str, i64); 22] = [
    ("NONE", 0),
    ("SCTP", 1),
    ("TCP", 2),
    ("UDP", 3),
    ("DCCP", 4),
    ("IPX", 5),
    ("NCP", 6),
    ("EXCHG", 7),
    ("DDP", 8),
    ("SBCCS", 9),
    ("IDP", 10),
    ("TIPC", 11),
    ("USB", 12),
    ("I2C", 13),
    ("IBQP", 14),
    ("BLUETOOTH", 15),
    ("TDMOP", 16),
    ("DVBCI", 17),
    ("ISO14443", 18),
    ("ISDN", 19),
    ("H223", 20),
    ("IP", 31),
];

/// An address, if any, with its type, and a port.
type End = (Option<(u8, Vec<u8>)>, u16);

/// What is looked up: a kind, and the ends in ascending order or a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    kind: i64,
    ends: [End; 2],
    id: Option<i64>,
}

impl Key {
    fn of_ends(kind: i64, ends: [(Option<TreeAddress>, u16); 2]) -> Key {
        let mut ends = ends.map(|(end, port)| (end.map(|end| Address::of(end).octets()), port));
        ends.sort();
        Key { kind, ends, id: None }
    }

    /// That of a packet.
    fn of_packet(packet: &Packet) -> Key {
        let port = |end: Option<TreeAddress>| match end {
            Some(TreeAddress::Socket(socket)) => socket.port(),
            _ => 0,
        };
        let ends = [packet.src, packet.dst].map(|end| (end, port(end)));
        Key::of_ends(packet.port_type, ends)
    }
}

/// A conversation that scripts found.
struct Known {
    number: u64,
    /// Ports may be used again by a later connection.
    stream: Option<StreamId>,
    values: Table,
}

/// All conversations of an input.
#[derive(Default)]
struct Conversations {
    all: HashMap<Key, Known>,
    made: u64,
}

/// A conversation as an object.
#[derive(Clone)]
struct Conversation {
    number: u64,
    /// Whether it is that of the packet of this call.
    of_call: Option<u64>,
    values: Table,
}

/// Forgets all conversations: an input begins.
pub(super) fn forget(lua: &Lua) {
    lua.remove_app_data::<Conversations>();
}

/// The conversation with this key.
fn found(lua: &Lua, key: Key, stream: Option<StreamId>, may_create: bool) -> Result<Option<Conversation>> {
    budget::spend(lua, 50)?;
    let of_call = call::with(|call| (call.is_running && Key::of_packet(&call.packet) == key).then_some(call.number));
    if lua.app_data_ref::<Conversations>().is_none() {
        lua.set_app_data(Conversations::default());
    }
    {
        let Some(conversations) = lua.app_data_ref::<Conversations>() else {
            return Ok(None);
        };
        let is_same = |known: &&Known| stream.is_none() || known.stream.is_none() || known.stream == stream;
        if let Some(known) = conversations.all.get(&key).filter(is_same) {
            return Ok(Some(Conversation { number: known.number, of_call, values: known.values.clone() }));
        }
    }
    if !may_create {
        return Ok(None);
    }
    let values = lua.create_table()?;
    let Some(mut conversations) = lua.app_data_mut::<Conversations>() else {
        return Ok(None);
    };
    if conversations.all.len() >= MOST {
        conversations.all.clear();
    }
    conversations.made += 1;
    let number = conversations.made;
    conversations.all.insert(key, Known { number, stream, values: values.clone() });
    Ok(Some(Conversation { number, of_call, values }))
}

/// That of the packet of the running call.
pub(super) fn of_call(lua: &Lua, may_create: bool) -> Result<Value> {
    let packet = call::with(|call| call.packet);
    match found(lua, Key::of_packet(&packet), packet.stream, may_create)? {
        Some(conversation) => lua.create_userdata(conversation).map(Value::UserData),
        None => Ok(Value::Nil),
    }
}

fn address(args: &Args<'_>, number: usize) -> Result<Option<TreeAddress>> {
    let value = args.get(number);
    let found = value.as_userdata().and_then(|data| data.borrow::<Address>().ok().map(|address| address.0));
    match (found, value) {
        (Some(address), _) => Ok(Some(address)),
        (None, Value::Nil) => Ok(None),
        (None, value) => super::errors::expected(args.lua, number, args.function, "Address", &value),
    }
}

fn running(lua: &Lua) -> Result<()> {
    match call::with(|call| call.is_running) {
        true => Ok(()),
        false => fail(lua, "Conversations can only be used in dissectors"),
    }
}

/// `Conversation.find(frame, kind, addr1, [addr2], [port1], [port2], [create=true])`.
fn find(lua: &Lua, values: MultiValue) -> Result<Option<Conversation>> {
    running(lua)?;
    let args = Args::new(lua, "find", values);
    args.int(1)?;
    let port = |number| -> Result<u16> { Ok(u16::try_from(args.int_or(number, 0)?).unwrap_or_default()) };
    let ends = [(address(&args, 3)?, port(5)?), (address(&args, 4)?, port(6)?)];
    found(lua, Key::of_ends(args.int(2)?, ends), None, args.truth_or(7, true))
}

/// `Conversation.find_by_id(frame, kind, id, [create=true])`.
fn find_by_id(lua: &Lua, values: MultiValue) -> Result<Option<Conversation>> {
    running(lua)?;
    let args = Args::new(lua, "find_by_id", values);
    args.int(1)?;
    let key = Key { id: Some(args.int(3)?), ..Key::of_ends(args.int(2)?, [(None, 0), (None, 0)]) };
    found(lua, key, None, args.truth_or(4, true))
}

/// `Conversation.find_from_pinfo(pinfo, [create=true])`.
fn find_from_pinfo(lua: &Lua, values: MultiValue) -> Result<Value> {
    let args = Args::new(lua, "find_from_pinfo", values);
    let given = args.get(1);
    match Pinfo::of(&given) {
        Some(Pinfo(number)) if call::with(|call| call.is(number)) => of_call(lua, args.truth_or(2, true)),
        Some(_) => fail(lua, "expired Pinfo"),
        None => super::errors::expected(lua, 1, "find_from_pinfo", "Pinfo", &given),
    }
}

impl Conversation {
    fn set(&self, lua: &Lua, key: &Value, value: Value) -> Result<()> {
        if let Some(proto) = proto(key) {
            return self.values.raw_set(proto.0, value);
        }
        if key.as_string().is_none_or(|name| name.as_bytes() != b"dissector") {
            return wrong_key(lua, key);
        }
        let is_dissector = value.as_userdata().is_some_and(|data| data.is::<Proto>() || data.is::<dissector::Dissector>());
        if !is_dissector {
            return fail(lua, "Assigned data type must be either a Proto or Dissector");
        }
        let bound = dissector::bound(lua, &value)?;
        let is_set = call::with(|call| {
            let is_own = self.of_call.is_some_and(|number| call.is(number));
            if is_own {
                call.bound = Some(bound);
            }
            is_own
        });
        if is_set { Ok(()) } else { fail(lua, "setting the dissector of another conversation is not supported") }
    }
}

fn proto(value: &Value) -> Option<Proto> {
    value.as_userdata().and_then(|data| data.borrow::<Proto>().ok().map(|proto| *proto))
}

fn wrong_key<T>(lua: &Lua, key: &Value) -> Result<T> {
    match key {
        Value::String(_) => no_member(lua, key, "Conversation"),
        other => super::errors::bad_argument(lua, 1, "?", format_args!("Proto expected, got {}", type_of(other))),
    }
}

impl UserData for Conversation {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, key: Value| match proto(&key) {
            Some(proto) => this.values.raw_get::<Value>(proto.0),
            None => wrong_key(lua, &key),
        });
        methods.add_meta_method(MetaMethod::NewIndex, |lua, this, (key, value): (Value, Value)| this.set(lua, &key, value));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(format!("Conversation object (0x{:x})", this.number)));
        methods.add_meta_function(MetaMethod::Eq, |_, (one, other): (UserDataRef<Conversation>, UserDataRef<Conversation>)| {
            Ok(one.number == other.number)
        });
    }
}

/// Adds the class and its kinds.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("find", lua.create_function(find)?)?;
    class.set("find_by_id", lua.create_function(find_by_id)?)?;
    class.set("find_from_pinfo", lua.create_function(find_from_pinfo)?)?;
    sandbox::guard_class(lua, &class, "Conversation")?;
    globals.set("Conversation", class)?;
    globals.set("convtypes", lua.create_table_from(KINDS)?)
}
