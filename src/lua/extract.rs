//! `Field` and `FieldInfo`: values of layers below, and of the script's own items.

use super::address::Address;
use super::args::Args;
use super::buffer::TvbRange;
use super::bytes::ByteArray;
use super::call::{self, Call, Content, Kind as ItemKind, Place};
use super::errors::{fail, no_member};
use super::numbers::UInt64;
use super::time::NsTime;
use super::world::World;
use crate::tree::{Address as TreeAddress, Dissection, Field as TreeField, Kind, NodeRef, Time, Value as TreeValue};
use mlua::{IntoLua, Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, UserDataRef, Value};
use std::sync::Arc;

/// Maximum number of names that scripts ask for.
const MOST: usize = 1024;

/// A name that a script asked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) name: String,
    /// Fields of this program with this name.
    pub(super) fields: Vec<&'static TreeField>,
}

/// A value in the frame.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The number of the name.
    wanted: usize,
    name: String,
    value: FoundValue,
    /// The value as text.
    text: String,
    offset: u32,
    len: u32,
    is_generated: bool,
}

/// The value for scripts.
#[derive(Debug, Clone)]
enum FoundValue {
    Nothing,
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
    Address(Address),
    Time(NsTime),
}

/// A name as an object.
#[derive(Clone, Copy)]
struct Field(usize);

/// A value as an object.
#[derive(Clone)]
struct FieldInfo(Arc<Found>);

impl Found {
    /// A value of the frame itself.
    fn of_frame(wanted: usize, name: &str, value: FoundValue, text: String) -> Found {
        Found { wanted, name: name.to_owned(), value, text, offset: 0, len: 0, is_generated: false }
    }

    /// A value of a layer that begins at this offset.
    fn of_node((wanted, name): (usize, &str), node: NodeRef<'_>, layer_start: u32) -> Found {
        let field = node.field();
        let bytes = || node.value_bytes().to_vec();
        let value = match (node.value(), field.kind) {
            (_, Kind::Mac) => <[u8; 6]>::try_from(node.value_bytes())
                .map_or(FoundValue::Nothing, |octets| FoundValue::Address(Address(TreeAddress::Mac(octets)))),
            (_, Kind::Ipv4) => <[u8; 4]>::try_from(node.value_bytes())
                .map_or(FoundValue::Nothing, |octets| FoundValue::Address(Address(TreeAddress::Ip(octets.into())))),
            (_, Kind::Ipv6) => <[u8; 16]>::try_from(node.value_bytes())
                .map_or(FoundValue::Nothing, |octets| FoundValue::Address(Address(TreeAddress::Ip(octets.into())))),
            (TreeValue::Unsigned(number), _) => FoundValue::Unsigned(number),
            (TreeValue::Signed(number), _) => FoundValue::Signed(number),
            (TreeValue::Single(number), _) => FoundValue::Float(number.into()),
            (TreeValue::Double(number), _) => FoundValue::Float(number),
            (TreeValue::Bool(truth), _) => FoundValue::Bool(truth),
            (TreeValue::Text | TreeValue::Generated(_) | TreeValue::At(_), _) => FoundValue::Text(node.text().into_owned()),
            (TreeValue::Bytes, _) | (TreeValue::None, Kind::Protocol | Kind::Bytes) => FoundValue::Bytes(bytes()),
            (TreeValue::None, _) => FoundValue::Nothing,
        };
        let span = node.span();
        let is_generated = !span.is_somewhere();
        let in_frame = || node.dissection().tree.offset_in_frame(span).and_then(|offset| u32::try_from(offset).ok());
        let (offset, len) = if is_generated { (layer_start, 0) } else { (in_frame().unwrap_or(span.start), span.len()) };
        Found { wanted, name: name.to_owned(), value, text: node.to_string(), offset, len, is_generated }
    }
}

/// The values of the frame so far for which scripts asked.
pub(super) fn values(wanted: &[Wanted], of: Dissection<'_>, first: Time) -> Vec<Found> {
    let mut all = Vec::new();
    for (number, wanted) in wanted.iter().enumerate() {
        all.extend(of_frame(number, &wanted.name, of, first));
    }
    let mut layer_start = 0;
    for (place, node) in of.tree.nodes.iter().enumerate() {
        if node.field.kind == Kind::Protocol && node.span.is_somewhere() {
            layer_start = node.span.start;
        }
        let is_meant = |wanted: &Wanted| wanted.fields.iter().any(|field| field.is(node.field));
        for (number, wanted) in wanted.iter().enumerate().filter(|(_, wanted)| is_meant(wanted)) {
            let node = u32::try_from(place).ok().and_then(|place| of.node(place));
            all.extend(node.map(|node| Found::of_node((number, &wanted.name), node, layer_start)));
        }
    }
    all
}

/// A value of the frame itself.
fn of_frame(number: usize, name: &str, of: Dissection<'_>, first: Time) -> Option<Found> {
    let frame = &of.tree.frame;
    let since = |time: Time, earlier: Time| {
        let nanos = time.zip(earlier).map_or(0, |(time, earlier)| time.nanos_since(earlier));
        NsTime { seconds: nanos / 1_000_000_000, nanos: nanos % 1_000_000_000 }
    };
    let epoch = frame.time.map(|time| NsTime { seconds: time.seconds, nanos: time.nanos.into() });
    let unsigned = |number: u64| (FoundValue::Unsigned(number), number.to_string());
    let timed = |time: NsTime| (FoundValue::Time(time), time.text());
    let (value, text) = match name {
        "frame.number" => unsigned(frame.number),
        "frame.len" => unsigned(frame.original.into()),
        "frame.cap_len" => unsigned(frame.captured.into()),
        "frame.time_epoch" => timed(epoch?),
        "frame.time" => (FoundValue::Time(epoch?), epoch?.absolute()),
        "frame.time_relative" => timed(since(frame.time, first)),
        "frame.protocols" => {
            let names = of.tree.layers.iter().filter_map(|layer| of.tree.nodes.get(layer.node as usize));
            let names = names.map(|node| node.field.abbrev).collect::<Vec<_>>().join(":");
            (FoundValue::Text(names.clone()), names)
        }
        _ => return None,
    };
    Some(Found::of_frame(number, name, value, text))
}

/// The value of an item of the script, if it has this name.
fn of_item(call: &Call, wanted: &Wanted, number: usize, place: u32) -> Option<Found> {
    let item = call.items.get(place as usize)?;
    let (name, field) = match item.kind {
        ItemKind::Field(field) => (field.field.abbrev, Some(field)),
        ItemKind::Protocol(field) => (field.abbrev, None),
        ItemKind::Root | ItemKind::Other(_) | ItemKind::Embedded(_) => return None,
    };
    if name != wanted.name {
        return None;
    }
    let bytes_of = |place: Place| call.bytes(place).to_vec();
    let address = |bytes: &[u8]| match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(|octets| Address(TreeAddress::Ip(octets.into()))),
        6 => <[u8; 6]>::try_from(bytes).ok().map(|octets| Address(TreeAddress::Mac(octets))),
        _ => <[u8; 16]>::try_from(bytes).ok().map(|octets| Address(TreeAddress::Ip(octets.into()))),
    };
    let is_address = field.is_some_and(|field| matches!(field.field.kind, Kind::Ipv4 | Kind::Ipv6 | Kind::Mac));
    let of_bytes = |bytes: Vec<u8>| match address(&bytes).filter(|_| is_address) {
        Some(address) => FoundValue::Address(address),
        None => FoundValue::Bytes(bytes),
    };
    let value = match &item.content {
        Content::None => item.place.map_or(FoundValue::Nothing, |place| FoundValue::Bytes(bytes_of(place))),
        Content::Unsigned(number) => FoundValue::Unsigned(*number),
        Content::Signed(number) => FoundValue::Signed(*number),
        Content::Single(number) => FoundValue::Float((*number).into()),
        Content::Double(number) => FoundValue::Float(*number),
        Content::Bool(truth) => FoundValue::Bool(*truth),
        Content::Bytes(place) => of_bytes(bytes_of(*place)),
        Content::Own(bytes) => of_bytes(bytes.clone()),
        Content::Text(place) => FoundValue::Text(String::from_utf8_lossy(call.bytes(*place)).into_owned()),
        Content::Words(words) => FoundValue::Text(words.clone()),
    };
    let text = field.map_or_else(String::new, |field| super::label::value_of(&|place| call.bytes(place), field, item));
    let (offset, len) =
        item.place.map_or((0, 0), |place| (place.start + if place.buffer == 0 { call.base } else { 0 }, place.len));
    Some(Found { wanted: number, name: name.to_owned(), value, text, offset, len, is_generated: item.generated })
}

impl Field {
    /// One object for each value in the frame so far.
    fn all(self, lua: &Lua) -> Result<MultiValue> {
        if call::with(|call| !call.is_running) {
            return fail(lua, "Field__call: Fields cannot be used outside dissectors or taps");
        }
        super::budget::spend(lua, 100)?;
        let Some(wanted) = lua.app_data_ref::<World>().and_then(|world| world.wanted.get(self.0).cloned()) else {
            return Ok(MultiValue::new());
        };
        let found = call::with(|call| {
            let below = call.found.iter().filter(|found| found.wanted == self.0).cloned();
            let count = u32::try_from(call.items.len()).unwrap_or(u32::MAX);
            let own = (0..count).filter_map(|place| of_item(call, &wanted, self.0, place));
            below.chain(own).collect::<Vec<_>>()
        });
        super::budget::spend(lua, 50 * found.len())?;
        let infos = found.into_iter().map(|found| lua.create_userdata(FieldInfo(Arc::new(found))).map(Value::UserData));
        infos.collect::<Result<Vec<_>>>().map(MultiValue::from_vec)
    }
}

impl UserData for Field {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Call, |lua, this, _: MultiValue| this.all(lua));
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            Ok(lua.app_data_ref::<World>().and_then(|world| Some(world.wanted.get(this.0)?.name.clone())))
        });
        methods.add_meta_method(MetaMethod::Index, |lua, this, name: Value| {
            let own = lua.app_data_ref::<World>().and_then(|world| Some(world.wanted.get(this.0)?.name.clone()));
            match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
                Some("name" | "display") => Ok(own),
                _ => no_member(lua, &name, "Field"),
            }
        });
    }
}

impl FieldInfo {
    fn value(&self, lua: &Lua) -> Result<Value> {
        let object = |data| Ok(Value::UserData(data));
        match &self.0.value {
            FoundValue::Nothing => Ok(Value::Nil),
            FoundValue::Unsigned(number) => match i64::try_from(*number) {
                Ok(integer) => Ok(Value::Integer(integer)),
                Err(_) => object(lua.create_userdata(UInt64(*number))?),
            },
            FoundValue::Signed(number) => Ok(Value::Integer(*number)),
            FoundValue::Float(number) => Ok(Value::Number(*number)),
            FoundValue::Bool(truth) => Ok(Value::Boolean(*truth)),
            FoundValue::Text(text) => lua.create_string(text).map(Value::String),
            FoundValue::Bytes(bytes) => object(lua.create_userdata(ByteArray::of(lua, bytes.clone(), None)?)?),
            FoundValue::Address(address) => object(lua.create_userdata(*address)?),
            FoundValue::Time(time) => object(lua.create_userdata(*time)?),
        }
    }

    fn get(&self, lua: &Lua, name: &Value) -> Result<Value> {
        let found = &self.0;
        let text = |text: &str| lua.create_string(text).map(Value::String);
        match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
            Some("value") => self.value(lua),
            Some("name") => text(&found.name),
            Some("label" | "display") => text(&found.text),
            Some("offset") => Ok(Value::Integer(found.offset.into())),
            Some("len") => Ok(Value::Integer(found.len.into())),
            Some("generated") => Ok(Value::Boolean(found.is_generated)),
            Some("hidden" | "is_url") => Ok(Value::Boolean(false)),
            Some("range" | "tvb") => self.range(lua),
            _ => no_member(lua, name, "FieldInfo"),
        }
    }

    /// The bytes of the value, where they are those of the call.
    fn range(&self, lua: &Lua) -> Result<Value> {
        let found = &self.0;
        let place = call::with(|call| {
            let start = found.offset.checked_sub(call.base)?;
            let place = Place { buffer: 0, start, len: found.len };
            let whole = Place { buffer: 0, start: 0, len: call.len_of(0) };
            let fits = start.checked_add(found.len).is_some_and(|end| end <= whole.len);
            fits.then_some((call.number, place, whole))
        });
        match place {
            Some((number, place, outer)) => TvbRange { call: number, place, outer }.into_lua(lua),
            None => fail(lua, "FieldInfo.range of a layer below is not supported"),
        }
    }
}

impl UserData for FieldInfo {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Call, |lua, this, _: MultiValue| this.value(lua));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.0.text.clone()));
        methods.add_meta_method(MetaMethod::Len, |_, this, ()| Ok(this.0.len));
        methods.add_meta_method(MetaMethod::Unm, |_, this, _: MultiValue| Ok(this.0.offset));
        methods.add_meta_method(MetaMethod::Index, |lua, this, name: Value| this.get(lua, &name));
        methods.add_meta_function(MetaMethod::Eq, |_, (one, other): (UserDataRef<FieldInfo>, UserDataRef<FieldInfo>)| {
            Ok((one.0.offset, one.0.len) == (other.0.offset, other.0.len))
        });
        methods.add_meta_function(MetaMethod::Lt, |_, (one, other): (UserDataRef<FieldInfo>, UserDataRef<FieldInfo>)| {
            Ok(one.0.offset + one.0.len <= other.0.offset)
        });
        methods.add_meta_function(MetaMethod::Le, |_, (one, other): (UserDataRef<FieldInfo>, UserDataRef<FieldInfo>)| {
            let (one_end, other_end) = (one.0.offset + one.0.len, other.0.offset + other.0.len);
            Ok(other.0.offset <= one.0.offset && one_end <= other_end)
        });
    }
}

fn new(lua: &Lua, values: MultiValue) -> Result<Field> {
    let args = Args::new(lua, "new", values);
    let name = args.text(1)?;
    let Some(mut world) = lua.app_data_mut::<World>() else { return fail(lua, "no script is loaded") };
    if !world.is_loading {
        drop(world);
        return fail(lua, "Field_new: A Field extractor must be defined before Taps or Dissectors get called");
    }
    if let Some(known) = world.wanted.iter().position(|known| known.name == name) {
        return Ok(Field(known));
    }
    if world.wanted.len() >= MOST {
        drop(world);
        return fail(lua, format_args!("more than {MOST} fields"));
    }
    let fields = (world.surroundings.fields)(&name);
    world.wanted.push(Wanted { name, fields });
    Ok(Field(world.wanted.len() - 1))
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("new", lua.create_function(new)?)?;
    let call = lua.create_function(|lua, mut values: MultiValue| {
        values.pop_front();
        new(lua, values)
    })?;
    super::sandbox::callable(lua, &class, "Field", call)?;
    globals.set("Field", class)
}

/// The names for which scripts asked, with the fields of scripts: dissectors that are called later find their items.
pub(super) fn complete(world: &World) -> Vec<Wanted> {
    let with_own = |wanted: &Wanted| {
        let own = world.fields.iter().map(|field| field.field).filter(|field| field.abbrev == wanted.name);
        let protocols = world.protocols.iter().map(|own| own.this).filter(|field| field.abbrev == wanted.name);
        let fields = wanted.fields.iter().copied().chain(own).chain(protocols).collect();
        Wanted { name: wanted.name.clone(), fields }
    };
    world.wanted.iter().map(with_own).collect()
}

/// Remarks on names that nothing has: they give no values.
pub(super) fn unknown(world: &World) -> Vec<String> {
    const FRAME: [&str; 7] = [
        "frame.number",
        "frame.len",
        "frame.cap_len",
        "frame.time_epoch",
        "frame.time",
        "frame.time_relative",
        "frame.protocols",
    ];
    let is_own = |name: &str| {
        world.fields.iter().any(|field| field.field.abbrev == name) || world.protocols.iter().any(|own| own.filter == name)
    };
    let unknown = world
        .wanted
        .iter()
        .filter(|wanted| wanted.fields.is_empty() && !FRAME.contains(&wanted.name.as_str()) && !is_own(&wanted.name));
    unknown.map(|wanted| format!("Field.new(\"{}\"): there is no field of this name, so it has no values", wanted.name)).collect()
}
